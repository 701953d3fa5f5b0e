#!/usr/bin/env python3
"""Every program of firmware/ at every level of optimization: marked, it gives
the same result in the same cycles. Usage:
test_levels.py SONDE CLANG LINKER SCRIPT.ld FOLDER"""
import pathlib
import re
import subprocess
import sys
import tempfile

SONDE, CLANG, LINKER, SCRIPT, FOLDER = sys.argv[1:]
FIRMWARE = pathlib.Path(FOLDER)
FLAGS = ["--target=msp430", "-mmcu=msp430g2553", "-ffreestanding", "-fno-builtin", "-I", FOLDER]


def compiled(source, folder, level, *options):
    made = folder / (source.stem + level + ".o")
    subprocess.run([CLANG, *FLAGS, level, *options, "-c", source, "-o", made], check=True)
    return made


def end_of(elf):
    done = subprocess.run([SONDE, "msp430", "run", elf], capture_output=True, text=True, check=True)
    return re.search(r"; (\d+ cycles .*)", done.stderr)[1]


def main():
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for level in ("-O0", "-O1", "-O2", "-O3", "-Oz"):
            runtime = [compiled(source, folder, level, "-ffunction-sections")
                       for source in sorted((FIRMWARE / "runtime").glob("*.[cS]"))]
            for source in sorted(FIRMWARE.glob("*.c")):
                elf, marked = folder / "plain.elf", folder / "marked.elf"
                subprocess.run([LINKER, "-n", "-q", "--gc-sections", "-T", SCRIPT, "-o", elf,
                                compiled(source, folder, level), *runtime], check=True)
                subprocess.run([SONDE, "msp430", "instrument", elf, "-o", marked], check=True,
                               capture_output=True)
                before, after = end_of(elf), end_of(marked)
                assert before == after, (level, source.name, before, after)
                count += 1
    print(f"{count} programs")
    return 0 if count >= 60 else 1


sys.exit(main())
