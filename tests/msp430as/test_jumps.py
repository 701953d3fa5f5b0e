#!/usr/bin/env python3
"""Jumps that reach their target only as long as nothing is inserted."""
import pathlib
import random
import subprocess
import sys
import tempfile

from marked import Object, jump_target

SONDE, CLANG, OBJDUMP, READELF = sys.argv[1:]
HEAD = "\t.text\n\t.type\tf,@function\nf:\n"


def assemble(path):
    return subprocess.run([CLANG, "--target=msp430", "-c", path, "-o", path.with_suffix(".o")],
                          capture_output=True, text=True)


def program(jump, back):
    """A loop whose length is exactly a jump's reach, with returns inside."""
    inside = "\ttst\tr12\n\tjz\t1f\n\tret\n1:\n\tmov\t#1234, &g\n\tmov\t0(r4), 2(r5)\n\tpush\t#4\n"
    filler = "\tadd\t#3, r12\n" * 240
    body = inside + filler
    words = 2 * 240 + 3 + 3 + 3 + 1
    room = (511 if back else 511) - words
    body += "\tnop\n" * room
    if back:
        return HEAD + ".Lloop:\n" + body + f"\t{jump}\t.Lloop\n\tret\n\t.size f, .-f\n"
    return HEAD + f"\t{jump}\t.Ldone\n" + body + ".Ldone:\n\tret\n\t.size f, .-f\n"


def check(folder, jump, back):
    text, naive, marked = (folder / name for name in ("plain.s", "naive.s", "marked.s"))
    source = program(jump, back)
    text.write_text(source)
    assert assemble(text).returncode == 0, assemble(text).stderr
    naive.write_text(source.replace("\tret\n", "\t.word\t0x0002\n\tret\n"))
    assert assemble(naive).returncode != 0, "the jump still reaches: the test tests nothing"
    notes = subprocess.run([SONDE, "msp430", "as", "--auto", text, "-o", marked], check=True,
                           capture_output=True, text=True).stderr
    line = source.splitlines().index(f"\t{jump}\t{'.Lloop' if back else '.Ldone'}") + 1
    assert f"{text}:{line}: '{jump} " in notes and "1 jump widened" in notes, notes
    assert assemble(marked).returncode == 0, assemble(marked).stderr
    before = Object(text.with_suffix(".o"), OBJDUMP, READELF).code[".text"]
    after = Object(marked.with_suffix(".o"), OBJDUMP, READELF)
    code = [i for i in after.code[".text"] if i[1] not in (b"\1\0", b"\2\0")]
    grown = {"jmp": 0, "jn": 2}.get(jump, 1)
    assert len(code) == len(before) + grown
    branches = [i for i in code if i[2] == "br #0"]
    assert len(branches) == 1
    # The branch goes where the jump went, the jump before it to behind it.
    section, _, _, symbol, addend = next(r for r in after.relocations
                                         if r[1] == branches[0][0] + 2 and r[0] == ".text")
    assert section == symbol == ".text"
    assert addend == (2 if back else max(i[0] for i in code) - 2), addend
    if grown:
        index = code.index(branches[0])
        assert jump_target(code[index - 1]) >= branches[0][0] + 4
    for instruction in after.code[".text"]:
        target = jump_target(instruction)
        assert target is None or target in [i[0] for i in after.code[".text"]]


SOURCES = ["r5", "@r6", "@r7+", "4(r8)", "0(r1)", "&g", "g", "#0", "#1", "#2", "#4", "#8", "#-1",
           "#3", "#-2", "#0x1234", "#g", "#010", "#0x8"]
DESTINATIONS = ["r10", "2(r11)", "&g", "g", "-6(r4)"]
ONE = ["clr", "inc", "incd.b", "dec", "decd", "inv", "tst.b", "adc", "sbc", "dadc", "rla", "rlc.b"]
ALONE = ["ret", "reti", "nop", "dint", "eint", "setc", "clrz", "pop r9", "br #g", 
         "br 4(r5)", "br r12", "call #g", "call r12", "call 2(r5)", "push #3", "push r4",
         "push #0x55", "rra r5", "rrc.b 3(r4)", "swpb r6", "sxt &g", "jn f", ".word 7",
         ".byte 1, 2", '.ascii "a;\\n\\060"', ".long 9", ".space 6", ".p2align 2"]


def random_body(source):
    lines = []
    for _ in range(60):
        kind = source.randrange(3)
        if kind == 0:
            width = source.choice(["", ".b", ".w"])
            name = source.choice(["mov", "add", "cmp", "bit", "xor", "dadd", "subc"])
            what, where = source.choice(SOURCES), source.choice(DESTINATIONS)
            # LLVM 14 does not know every form with @ and memory.
            lines.append(f"{name}{width} {what}, {'r10' if what[0] == '@' else where}")
        elif kind == 1:
            lines.append(f"{source.choice(ONE)} {source.choice(DESTINATIONS)}")
        else:
            lines.append(source.choice(ALONE))
    # GNU as makes these shorter in some cases: behind them sonde takes the most
    # that an alignment can need.
    if any("0(r1)" in line or "#g" in line for line in lines):
        lines = [line for line in lines if ".p2align" not in line]
    return "".join(f"\t{line}\n" for line in lines)


def check_sizes(folder):
    """A jump over random statements, as far as it reaches and a word farther:
    clang's assembler and sonde draw the line at the same place."""
    source = random.Random(430)
    for _ in range(8):
        body = random_body(source)
        text = folder / "sizes.s"
        text.write_text(f"{HEAD}\tjmp\t.Ldone\n{body}.Ldone:\n\tret\n")
        assert assemble(text).returncode == 0, assemble(text).stderr
        jump = Object(text.with_suffix(".o"), OBJDUMP, READELF).code[".text"][0]
        rest = 1022 - (jump_target(jump) - 2)
        assert rest > 0
        for more, widened in ((0, 0), (2, 1)):
            text.write_text(f"{HEAD}\tjmp\t.Ldone\n{body}\t.space\t{rest + more}\n"
                            ".Ldone:\n\tret\n")
            assert (assemble(text).returncode != 0) == widened
            done = subprocess.run([SONDE, "msp430", "as", text, "-o", folder / "out.s"], check=True,
                                  capture_output=True, text=True)
            assert f", {widened} jump" in done.stderr, (body, more, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_sizes(pathlib.Path(folder))
        for jump in ("jne", "jeq", "jlo", "jhs", "jge", "jl", "jn", "jmp"):
            for back in (False, True):
                check(pathlib.Path(folder), jump, back)


main()
