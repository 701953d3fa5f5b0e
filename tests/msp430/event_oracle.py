#!/usr/bin/env python3
"""The events that a side table makes of a firmware's run are those that
mspdebug's log of every instruction shows: which function is entered and left,
at which cycle, with which stack pointer. The expectation is made from
mspdebug's program counters, the ELF file's symbols and the instruction words;
cycles are corrected by mspdebug's documented fault (a constant is charged as
the addressing mode that it is written as).

Usage: event_oracle.py SONDE INSTRUCTIONS FIRMWARE.elf..."""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from lockstep import SKIP, oracle_states, steps

RESET_CYCLES = 4
RET, RETI, BRANCH, JUMPS = 0x4130, 0x1300, 0x4030, 0x2000


class Image:
    """Memory and function symbols of an ELF file."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        self.memory, self.functions = bytearray(0x10000), {}
        (segments, sections), (count, _, section_count) = \
            struct.unpack_from("<II", data, 28), struct.unpack_from("<HHH", data, 44)
        for i in range(count):
            kind, offset, _, place, size = struct.unpack_from("<5I", data, segments + 32 * i)
            if kind == 1:
                self.memory[place:place + size] = data[offset:offset + size]
        rows = [struct.unpack_from("<10I", data, sections + 40 * i) for i in range(section_count)]
        for row in rows:
            if row[1] != 2:
                continue
            names = rows[row[6]][4]
            for at in range(row[4], row[4] + row[5], 16):
                name, value, _, info, _, _ = struct.unpack_from("<IIIBBH", data, at)
                if info & 15 == 2:
                    text = data[names + name:data.index(b"\0", names + name)].decode()
                    self.functions.setdefault(value, set()).add(text)
        self.starts = sorted(self.functions)

    def word(self, at):
        return self.memory[at] | self.memory[at + 1] << 8

    def function(self, pc):
        return max((start for start in self.starts if start <= pc), default=None)


def surcharge(word):
    register, mode = word >> 8 & 15, word >> 4 & 3
    if word & 0xff80 == 0x1200:
        register = word & 15
        if register == 3 or (register == 2 and mode >= 2):
            return {0: 0, 2: 1}.get(mode, 2)
        return 0
    if word < 0x4000 or not (register == 3 or (register == 2 and mode >= 2)):
        return 0
    if word & 0x8f == 0:
        return 0 if mode in (0, 2) else 1
    return {0: 0, 1: 2}.get(mode, 1)


def derive(image, states):
    """(cycle, kind, function's address, stack pointer) of each event."""
    events, extra, previous = [], 0, None
    for (pc, sp, cycles), (next_pc, _, _) in zip(states, states[1:]):
        now, word = cycles - extra + RESET_CYCLES, image.word(pc)
        if pc in image.functions:
            # A jump inside of the function to its own start is a loop.
            jumped = previous is not None and (image.word(previous) & 0xe000) == JUMPS
            if not (jumped and image.function(previous) == pc):
                events.append((now, "enter", pc, sp))
        leaves = word in (RET, RETI)
        if word & 0xe000 == JUMPS or word == BRANCH:
            leaves = next_pc != pc + 2 and image.function(next_pc) != image.function(pc) and \
                (word != BRANCH or image.word(pc + 2) in image.functions)
        if leaves:
            events.append((now, "exit", image.function(pc), sp))
        extra += surcharge(word)
        previous = pc
    return events


def recorded(sonde, path, folder, limit):
    table = folder / "table"
    subprocess.run([sonde, "msp430", "instrument", path, "--side-table", table], check=True,
                   capture_output=True)
    done = subprocess.run([sonde, "msp430", "run", path, "--side-table", table, "--events",
                           "--until", str(limit)], check=True, capture_output=True, text=True)
    return [(int(cycle), kind, name, int(sp, 16)) for cycle, kind, name, sp in
            re.findall(r"^ *(\d+)  (enter|exit) +0x[0-9a-f]+ <([^>+]+)\S*  sp (\w+)", done.stderr,
                       re.M)]


def check(sonde, path, count, folder):
    image = Image(path)
    count = min(count, instructions_of(sonde, path))
    setup = ["simio add tracer tr", f"load {path}", "reset", "simio config tr clear"]
    states = [(registers[0], registers[1], cycles)
              for registers, cycles in oracle_states(setup + steps(count))]
    states.insert(0, (image.word(0xfffe), 0, 0))
    expected = derive(image, states)
    ours = recorded(sonde, path, folder, expected[-1][0] + 1 if expected else 1)
    for a, b in zip(expected, ours):
        if (a[0], a[1], a[3]) != (b[0], b[1], b[3]) or b[2] not in image.functions[a[2]]:
            print(f"{path}: mspdebug shows {a} in {image.functions[a[2]]}, we recorded {b}")
            return False
    if len(ours) < len(expected):
        print(f"{path}: {len(expected)} events expected, {len(ours)} recorded")
        return False
    print(f"{pathlib.Path(path).name}: {count} instructions, {len(expected)} events")
    return len(expected) > 2


def instructions_of(sonde, path):
    done = subprocess.run([sonde, "msp430", "run", path], check=True, capture_output=True, text=True)
    return int(re.search(r"(\d+) instructions", done.stderr)[1]) - 1


def main():
    if shutil.which("mspdebug") is None:
        print("mspdebug is not installed")
        return SKIP
    sonde, count = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        good = [check(sonde, path, count, pathlib.Path(folder)) for path in sys.argv[3:]]
    return 0 if good and all(good) else 1


sys.exit(main())
