#!/usr/bin/env python3
"""Three ways to record a firmware agree: marked by sonde msp430 as, marked by
sonde msp430 instrument, and by a side table. Results and cycles are those of
the firmware without any, and so are the events: kind, cycle, function, stack.
Usage: test_instrument.py SONDE CLANG LINKER SCRIPT.ld FOLDER SOURCE.c"""
import pathlib
import re
import subprocess
import sys
import tempfile

SONDE, CLANG, LINKER, SCRIPT, FOLDER, SOURCE = sys.argv[1:]
TARGET = ["--target=msp430", "-mmcu=msp430g2553"]
RUNTIME = pathlib.Path(FOLDER) / "runtime"


def sonde(*arguments, check=True):
    done = subprocess.run([SONDE, "msp430", *map(str, arguments)], check=False, timeout=60,
                          capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"{done.args}: exit {done.returncode}\n{done.stderr}")
    return done.stderr


def simulate(elf, *options):
    text = sonde("run", elf, *options)
    end = re.search(r"; (\d+) cycles \((\d+) idle\), (\d+) instructions, (\d+) interrupts, "
                    r"r12 = (\d+)", text)
    assert end, text
    events = [(int(cycle), kind, re.sub(r"\+.*", "", name), sp) for cycle, kind, name, sp in
              re.findall(r"^ *(\d+)  (\S+) +0x[0-9a-f]+ <(\S+)>  sp (\w+)", text, re.M)]
    return end.groups(), events


def link(texts, elf):
    objects = []
    for text in texts:
        subprocess.run([CLANG, *TARGET, "-c", text, "-o", text.with_suffix(".o")], check=True)
        objects.append(text.with_suffix(".o"))
    subprocess.run([LINKER, "-n", "-q", "--gc-sections", "-T", SCRIPT, "-o", elf, *objects],
                   check=True)
    return elf


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain, marked, unmarked = [], [], ["_exit"]
        sources = [pathlib.Path(SOURCE), RUNTIME / "crt0.S", RUNTIME / "main.c",
                   RUNTIME / "integer.c", RUNTIME / "memory.c", RUNTIME / "setjmp.S",
                   RUNTIME / "float.c", RUNTIME / "double.c", RUNTIME / "wide.c",
                   RUNTIME / "builtin.S"]
        for source in sources:
            text = folder / (source.stem + ".s")
            if source.suffix == ".c":
                subprocess.run([CLANG, *TARGET, "-ffreestanding", "-fno-builtin", "-I", FOLDER,
                                "-Os", "-ffunction-sections", "-S", source, "-o", text], check=True)
            else:
                text.write_text(source.read_text())
            plain.append(text)
            marked.append(folder / (source.stem + ".marked.s"))
            notes = sonde("as", "--auto", "--exclude", "_exit", text, "-o", marked[-1])
            unmarked += re.findall(r"function (\S+) stays unmarked: it is naked", notes)
        # Made by a macro, which the assembler's pass does not look into.
        unmarked += ["__mspabi_" + name for name in
                     re.findall(r"^ +entry (\w+)", (RUNTIME / "builtin.S").read_text(), re.M)]
        plain, marked = link(plain, folder / "plain.elf"), link(marked, folder / "marked.elf")
        exclude = [word for name in unmarked for word in ("--exclude", name)]
        rewritten, table = folder / "rewritten.elf", folder / "table"
        notes = sonde("instrument", plain, "-o", rewritten, *exclude)
        assert "0 jumps widened" in notes and "never write it to a device" in notes, notes
        before = plain.read_bytes()
        sonde("instrument", plain, "--side-table", table, *exclude)
        assert plain.read_bytes() == before
        truth, none = simulate(plain, "--events")
        assert not [event for event in none if event[1] in ("enter", "exit")]
        expected = simulate(marked, "--events")
        assert expected[0] == truth, (truth, expected[0])
        for elf, options in ((rewritten, ["--events"]),
                             (plain, ["--events", "--side-table", table])):
            result, events = simulate(elf, *options)
            assert result == truth, (elf, truth, result)
            for ours, theirs in zip(events, expected[1]):
                assert ours == theirs, (elf, ours, theirs)
            assert len(events) == len(expected[1]), elf
        kinds = [event[1] for event in expected[1]]
        assert kinds.count("enter") > 2 and kinds.count("exit") > 1, kinds[:20]
        print(f"{pathlib.Path(SOURCE).name}: {truth[0]} cycles, {len(kinds)} events, three ways")


main()
