#!/usr/bin/env python3
"""The table generator must refuse tables that are not whole: a bit without a
field, a bit with two, two opcodes with one code, an opcode without a format.
usage: generator_test.py SOURCE_FOLDER"""
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(sys.argv[1])
FILES = ["opcodes.txt", "fields_a.txt", "compact_a.txt"]
IMPORTED = ["fields_a_shared.txt"]

# file, pattern, replacement, what the message must say
CASES = [
    ("fields_a_shared.txt", r"(?m)^    saturate .*\n", "", "bit 31 claimed by no field"),
    ("fields_a_shared.txt", r"(?m)^    no_mask  .*\n", "", "bit 34 claimed by no field"),
    ("fields_a_shared.txt", r"src0_reserved_95  95 ", "src0_reserved_95  95,79 ", "bit 79 claimed twice"),
    ("fields_a_shared.txt", r"dst_subreg        52:48  dst.subreg uint      when dst=direct",
     "dst_subreg        51:48  dst.subreg uint      when dst=direct", "bit 52 claimed by no field"),
    ("fields_a_shared.txt", r"(?m)^    illegal src1=imm64 \\\n.*\n", "", "claimed by no field"),
    ("fields_a_shared.txt", r"format basic : @unary ", "format basic : ", "has 0 formats"),
    ("fields_a_shared.txt", r"format nullary : @nullary", "format nullary : @nullary add", "has 2 formats"),
    ("fields_a_shared.txt", r"@thread_control", "@no_such_values", "unknown values"),
    ("fields_a.txt", r"choice align16 flag", "choice align16 flags", "unknown kind"),
    ("fields_a_shared.txt", r"when modifier=math", "when modifier=maths", "no alternative"),
    ("opcodes.txt", r"(?m)^add       40", "add       41", "has the code of"),
    ("fields_a.txt", r" because i->align16 three sources.*", "", "gives no reason"),
    ("compact_a.txt", r"(?m)^    reserved 28\n", "", "bit 28 claimed by no field"),
    ("compact_a.txt", r"direct 23 = 28", "direct 24 = 28", "claimed twice"),
    ("compact_a.txt", r"(?m)^001000010000001$", "00100001000000", "is not 15 bits"),
]


def generate(tables, folder):
    paths = []
    for name in FILES + IMPORTED:
        path = pathlib.Path(folder) / name
        path.write_text(tables[name])
        if name in FILES:
            paths.append(path)
    return subprocess.run([sys.executable, FOLDER / "generate_layout.py", "a", *paths,
                           pathlib.Path(folder) / "out.inc"], capture_output=True, text=True)


def main():
    tables = {name: (FOLDER / name).read_text() for name in FILES + IMPORTED}
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        done = generate(tables, folder)
        if done.returncode != 0:
            sys.exit(f"the tables as they are do not build: {done.stderr}")
        for name, pattern, replacement, message in CASES:
            changed, count = re.subn(pattern, replacement, tables[name])
            if count == 0:
                print(f"{name}: nothing matches {pattern}")
                failures += 1
                continue
            done = generate({**tables, name: changed}, folder)
            if done.returncode == 0 or message not in done.stderr:
                print(f"{name}: {pattern}: expected \"{message}\", status {done.returncode}: "
                      f"{done.stderr.strip()}")
                failures += 1
    print(f"{len(CASES)} broken tables, {failures} not refused as they should")
    return failures != 0


sys.exit(main())
