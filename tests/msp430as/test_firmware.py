#!/usr/bin/env python3
"""A firmware marked and not marked: the same result, the same cycles, and an
event at every entry and exit. Usage: test_firmware.py SONDE CLANG LINKER
SCRIPT.ld FOLDER SOURCE.c RUNTIME.o...

Both go through the assembler: clang that writes objects itself takes fewer
constants from the constant generator than its own assembler does."""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

SONDE, CLANG, LINKER, SCRIPT, INCLUDE, SOURCE, *RUNTIME = sys.argv[1:]
TARGET = ["--target=msp430", "-mmcu=msp430g2553"]


def simulate(elf, *options):
    done = subprocess.run([SONDE, "msp430", "run", elf, *options], check=True, timeout=60,
                          capture_output=True, text=True)
    end = re.search(r"; (\d+) cycles \((\d+) idle\), (\d+) instructions, (\d+) interrupts, "
                    r"r12 = (\d+)", done.stderr)
    assert end, done.stderr
    return end.groups(), done.stderr


def build(text):
    subprocess.run([CLANG, *TARGET, "-c", text, "-o", text.with_suffix(".o")], check=True)
    elf = text.with_suffix(".elf")
    subprocess.run([LINKER, "-n", "-q", "--gc-sections", "-T", SCRIPT, "-o", elf,
                    text.with_suffix(".o"), *RUNTIME], check=True)
    return elf


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plain, marked = folder / "plain.s", folder / "marked.s"
        subprocess.run([CLANG, *TARGET, "-ffreestanding", "-fno-builtin", "-I", INCLUDE, "-g",
                        "-Os", "-S", SOURCE, "-o", plain], check=True)
        notes = subprocess.run([SONDE, "msp430", "as", "--auto", plain, "-o", marked], check=True,
                               capture_output=True, text=True).stderr
        counts = re.search(r"(\d+) functions?, (\d+) entry and (\d+) exit markers, 0 jumps", notes)
        assert counts and int(counts[2]) >= 1, notes
        before, _ = simulate(build(plain))
        after, log = simulate(build(marked), "--events")
        assert before == after, f"{SOURCE}: {before} became {after}"
        events = collections.Counter()
        for kind, name in re.findall(r"^ *\d+  (enter|exit) +0x[0-9a-f]+ <([^>+]+)", log, re.M):
            events[kind, name] += 1
        entered = {name for kind, name in events if kind == "enter"}
        assert "run" in entered, log[:2000]
        if pathlib.Path(SOURCE).stem not in ("longjmp", "scheduler"):
            for name in entered:
                assert events["enter", name] == events["exit", name], (name, events)
        print(f"{pathlib.Path(SOURCE).name}: {before[0]} cycles, {sum(events.values())} events")


main()
