#!/usr/bin/env python3
"""sonde msp430 instrument on hand-written code: jumps that grow out of range,
tail jumps, loops to a function's start, pointers, tables, vectors; and each
reason to refuse. Usage: test_rewrite.py SONDE CLANG LINKER SCRIPT.ld STRIP"""
import pathlib
import re
import subprocess
import sys
import tempfile

SONDE, CLANG, LINKER, SCRIPT, STRIP = sys.argv[1:]
START = """
        .text
        .global _start
        .type _start,@function
_start:
        mov #0x0400, r1
        mov #_exit, r4
        mov #0x5a80, &0x0120
"""
END = """
        .global _exit
        .type _exit,@function
_exit:  dint
        nop
        jmp .
        .size _exit, .-_exit
"""
CONDITIONS = ["jne", "jeq", "jnc", "jc", "jn", "jge", "jl", "jmp"]


def far_jumps(names):
    """Every condition, taken and not taken, over a body that just reaches."""
    text = START + "        clr r12\n        clr r11\n"
    functions = ""
    for number, name in enumerate(names):
        for flags in (0, 1, 2, 4, 7, 0x100, 0x104):
            text += f"        mov #{flags}, r15\n        call #far{number}\n        rla r12\n" \
                    f"        xor r11, r12\n        call #back{number}\n        xor r11, r12\n" \
                    "        inc r11\n"
        before = f"        jc .Lskip{number}\n" if name == "jmp" else ""
        # 505 words between the jump and its target, of which some are exits.
        functions += f"""
        .type far{number},@function
far{number}:
        tst r11
        mov r15, r2
{before}        {name} .Lfar{number}
.Lskip{number}:
        add #3, r12
        .rept 503
        nop
        .endr
        tst r12
        jge .Lfar{number}
        jc .Lother{number}
        ret
.Lother{number}:
        ret
.Lfar{number}:
        xor #0x1111, r12
        ret
        .type back{number},@function
back{number}:
        jmp .Lstart{number}
.Lback{number}:
        xor #0x2222, r12
        jeq .Lafter{number}
        ret
.Lafter{number}:
        .rept {506 - (name == "jmp")}
        nop
        .endr
.Lstart{number}:
        mov r15, r2
{before.replace("skip", "jump")}        {name} .Lback{number}
.Ljump{number}:
        xor #0x0505, r12
        ret
"""
    return text + END + functions


# Tail jumps of all kinds, a loop to the first instruction, a table of
# pointers, a pointer in an immediate, a jump table, a vector.
FLOW = START + """
        clr r12
        mov #5, r13
        call #loop
        mov #table, r10
        call @r10+
        call @r10+
        mov #third, r9
        call r9
        mov #2, r13
        call #select
        mov #0, r13
        call #select
        mov #3, r13
        call #conditional
        clr r13
        call #conditional
        mov #4, r13
        call #again
        eint
        nop
        nop
        dint
        nop
""" + END + """
        .type loop,@function
loop:   inc r12
        dec r13
        jne loop+0
        ret
        .type first,@function
first:  add #10, r12
        jmp third
        .type second,@function
second: add #20, r12
        br #third
        .type third,@function
third:  add #30, r12
        ret
        .type conditional,@function
conditional:
        tst r13
        jne third
        add #7, r12
        ret
        .type select,@function
select: rla r13
        br .Lcases(r13)
.Lcase0: add #100, r12
        ret
.Lcase1: add #200, r12
.Lcase2: add #300, r12
        ret
        .global again
        .type again,@function
again:  inc r12
        dec r13
        jeq .Ldone
        jmp again
.Ldone: ret
        .type handler,@function
handler: add #1000, r12
        bic #8, 0(r1)
        reti
        .section .rodata,"a",@progbits
        .p2align 1
table:  .short first, second
.Lcases: .short .Lcase0, .Lcase1, .Lcase2
        .section __interrupt_vector_9,"ax",@progbits
        .short handler
"""
REFUSED = {
    "computed distance": ("add r13, r0\n", "computed distance"),
    "PC as a source": ("mov r0, r12\n", "from PC"),
    "address arithmetic": ("add #_start, r12\n", "computes with the address"),
    "code as data": ("mov &_start, r12\n", "as data"),
    "relative code as data": ("mov _start, r12\n", "as data"),
    "no instruction": (".short 0x0003\n", "is no instruction of this core"),
    "words among code": ("jmp _exit\n.short 0x4444\n", "nothing leads here"),
    "address among code": ("jmp _exit\n.short _start\n", "data in the code"),
    "inside of an instruction": ("call #_start+2\n", "no instruction begins"),
    "data symbol": ("jmp _exit\n.type word,@object\nword: .short 0x4303\n", "is data in the code"),
}


def run(*arguments):
    return subprocess.run([SONDE, "msp430", *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=60)


def build(folder, name, text, *options):
    source = folder / (name + ".s")
    source.write_text(text)
    subprocess.run([CLANG, "--target=msp430", "-c", source, "-o", source.with_suffix(".o")],
                   check=True)
    elf = source.with_suffix(".elf")
    subprocess.run([LINKER, "-n", *(options or ["-q"]), "-T", SCRIPT, "-o", elf,
                    source.with_suffix(".o")], check=True)
    return elf


def check(condition, *done):
    if not condition:
        sys.exit("\n".join(f"{d.args}: exit {d.returncode}\n{d.stderr[-3000:]}" for d in done))


def events(done):
    return re.findall(r"^ *\d+  (enter|exit|interrupt) +0x[0-9a-f]+ <(\w+)", done.stderr, re.M)


def three_ways(folder, name, text, *options):
    """Run unmarked, marked and with a table: the end of each and the events."""
    elf = build(folder, name, text)
    marked, table = folder / (name + ".m.elf"), folder / (name + ".table")
    made = run("instrument", elf, "-o", marked)
    check(made.returncode == 0, made)
    check(run("instrument", elf, "--side-table", table).returncode == 0, made)
    plain = run("run", elf, *options)
    rewritten = run("run", marked, "--events", *options)
    by_table = run("run", elf, "--side-table", table, "--events", *options)
    check(plain.returncode == 0 and rewritten.returncode == 0, plain, rewritten)
    ends = [re.search(r"(\d+) cycles .* (\d+) instructions.* r12 = (\d+)", d.stderr)
            for d in (plain, rewritten, by_table)]
    check(ends[0][3] == ends[1][3] == ends[2][3], plain, rewritten, by_table)
    check(ends[0].groups() == ends[2].groups(), plain, by_table)
    check(events(rewritten) == events(by_table) and events(rewritten), rewritten, by_table)
    return made.stderr, ends, events(by_table)


def flow(folder):
    text = FLOW.replace("jne loop+0", "jne .Lhead").replace("loop:   inc", "loop:\n.Lhead: inc")
    made, ends, seen = three_ways(folder, "flow", text, "--interrupt", "1:0xfff2")
    # 5 + (10 + 30) + (20 + 30) + 30 + 300 + 100 + 30 + 7 + 4 + 1000
    check(ends[0][3] == "1566", run("run", folder / "flow.elf"))
    names = [f"{kind} {name}" for kind, name in seen]
    expected = """enter _start; enter loop; exit loop; enter first; exit first; enter third;
        exit third; enter second; exit second; enter third; exit third; enter third; exit third;
        enter select; exit select; enter select; exit select; enter conditional; exit conditional;
        enter third; exit third; enter conditional; exit conditional; enter again; exit again;
        enter again; exit again; enter again; exit again; enter again; exit again;
        interrupt _start; enter handler; exit handler; enter _exit"""
    assert names == [" ".join(x.split()) for x in expected.split(";")], names
    # The same code for MSP430X, whose markers are others.
    wide = folder / "wide.elf"
    done = run("instrument", folder / "flow.elf", "-o", wide, "--core", "cpux")
    check(done.returncode == 0, done)
    plain = run("run", folder / "flow.elf", "--mcu", "genericx", "--interrupt", "1:0xfff2")
    done = run("run", wide, "--mcu", "genericx", "--interrupt", "1:0xfff2", "--events")
    check(done.returncode == 0 and events(done) == seen, done)
    check("r12 = 1566" in plain.stderr and "r12 = 1566" in done.stderr, plain, done)
    # Only the conditional tail jump costs more, when taken.
    assert "1 jumps widened" in made and int(ends[1][1]) == int(ends[0][1]) + 3, (made, ends)


def relative(folder):
    """Operands relative to PC keep what they refer to when their code moves."""
    text = START + "        mov other, r12\n        call #one\n        add other+2, r12\n" + END + \
        "        .type one,@function\none: xor other+2, r12\n        cmp other, r12\n" \
        "        jeq .Lequal\n        add other, r12\n        ret\n.Lequal: ret\n" \
        '        .section .rodata,"a",@progbits\n        .p2align 1\n' \
        "other:  .short 0x1234, 0x0101\n"
    _, ends, _ = three_ways(folder, "relative", text)
    value = (0x1234 ^ 0x0101) + 0x1234 + 0x0101
    check(ends[1][3] == str(value), run("run", folder / "relative.elf"))


def refusals(folder):
    for number, (name, (body, reason)) in enumerate(REFUSED.items()):
        elf = build(folder, f"refused{number}", START + body + END)
        done = run("instrument", elf, "-o", folder / "out.elf")
        check(done.returncode == 1 and reason in done.stderr, done)
        assert not (folder / "out.elf").exists()
        print(f"{name}: {done.stderr.strip()[-110:]}")
    elf = build(folder, "good", START + END)
    bare = build(folder, "bare", START + END, "-O1")
    stripped = folder / "stripped.elf"
    subprocess.run([STRIP, elf, "-o", stripped], check=True)
    marked = folder / "good.marked.elf"
    check(run("instrument", elf, "-o", marked).returncode == 0, run("instrument", elf, "-o", marked))
    for path, reason in ((bare, "keeps no relocations"), (stripped, "no symbols"),
                         (marked, "marked already"), (elf.with_suffix(".o"), "not linked"),
                         (elf.with_suffix(".s"), "not an ELF file for the MSP430")):
        done = run("instrument", path, "-o", folder / "out.elf")
        check(done.returncode == 1 and reason in done.stderr, done)
    check(run("instrument", bare, "--side-table", folder / "table").returncode == 0, done)
    for name in ("out.hex", "out.txt", "out.bin", "OUT.A43"):
        done = run("instrument", elf, "-o", folder / name)
        check(done.returncode == 2 and "never be written to a device" in done.stderr, done)
    done = run("instrument", elf)
    check(done.returncode == 2 and "either" in done.stderr, done)
    done = run("instrument", elf, "-o", marked, "-mpge", "0x4303")
    check(done.returncode == 2 and "cannot mark" in done.stderr, done)


def notes(folder):
    """The file names its words; another core may not have them."""
    elf, marked = build(folder, "note", START + END), folder / "note.marked.elf"
    run("instrument", elf, "-o", marked, "-mpge", "0x13d1", "-mpgx", "0x13d2")
    done = run("run", marked, "--events")
    check(done.returncode == 0 and ("enter", "_exit") in events(done), done)
    run("instrument", elf, "-o", marked)
    done = run("run", marked, "--mcu", "msp430f5529")
    check(done.returncode == 1 and "--core cpux" in done.stderr, done)
    table = folder / "note.table"
    run("instrument", elf, "--side-table", table)
    done = run("run", marked, "--side-table", table)
    check(done.returncode == 1 and "twice" in done.stderr, done)
    other = build(folder, "other", START + "nop\n" + END)
    done = run("run", other, "--side-table", table)
    check(done.returncode == 1 and "another firmware" in done.stderr, done)
    table.write_text(table.read_text() + "enter 0xc001 x\n")
    done = run("run", elf, "--side-table", table)
    check(done.returncode == 1 and re.search(r"line \d+ of the side table", done.stderr), done)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for half in (0, 1):
            names = CONDITIONS[half::2]
            made, ends, seen = three_ways(folder, "far", far_jumps(names))
            widened = int(re.search(r"(\d+) jumps widened", made)[1])
            assert widened >= 2 * len(names) and int(ends[1][1]) > int(ends[0][1]), made
            print(f"{names}: {widened} jumps widened, {len(seen)} events, {ends[0][1]} cycles")
        flow(folder)
        relative(folder)
        refusals(folder)
        notes(folder)


main()
