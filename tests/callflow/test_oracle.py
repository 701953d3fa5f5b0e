#!/usr/bin/env python3
"""The call flow that mspdebug's log of every instruction shows is the one that
sonde reports, call by call and cycle by cycle.

mspdebug single-steps the program as it is, without markers. Here its program
counter and stack pointer after each instruction become frames: a frame opens
where a function's first instruction is reached by a call, a return or a jump
from elsewhere, and is gone as soon as its return address is below the stack
pointer. Its cycles are corrected by its documented faults (constants are
charged as the addressing mode that they are written as).

Usage: test_oracle.py SONDE READELF NAME PLAIN.elf MARKED.elf PLAIN.s [NAME ...]"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from flows import Sonde, check_identity

SKIP = 77
RESET_CYCLES = 4
# What the events cannot tell to the cycle: where in unmarked code a longjmp
# or a switch changed the stack. The sum over these is still exact.
BLURRED = {"longjmp": {"attempt", "descend"},
           "scheduler": {"yield", "squares", "doubles", "run", "(unmarked)"}}


class Program:
    def __init__(self, readelf, path, text):
        marked = set(re.findall(r"^\s*\.type\s+(\w+),@function", pathlib.Path(text).read_text(),
                                re.M))
        listing = subprocess.run([readelf, "-sW", path], capture_output=True, text=True, check=True)
        self.entries, self.ranges, self.objects = {}, [], {}
        for line in listing.stdout.splitlines():
            fields = line.split()
            if len(fields) < 8 or not fields[0][:-1].isdigit():
                continue
            address, size, kind, name = int(fields[1], 16), int(fields[2], 0), fields[3], fields[7]
            if kind == "FUNC" and name in marked:
                self.entries[address] = name
                self.ranges.append((address, address + size, name))
            if kind == "OBJECT":
                self.objects[name] = (address, size)

    def function_of(self, pc):
        return next((name for begin, end, name in self.ranges if begin <= pc < end), None)


def log_of(path, count):
    """(pc, sp, cycles) before each instruction and behind the last, from mspdebug."""
    steps = "".join("step 1\nsimio info tr\n" for _ in range(count))
    with tempfile.NamedTemporaryFile("w", suffix=".cmd") as file:
        file.write(f"simio add tracer tr\nload {path}\nreset\nregs\nsimio config tr clear\n{steps}")
        file.flush()
        done = subprocess.run(["mspdebug", "-q", "-n", "sim", f"read {file.name}"],
                              capture_output=True, text=True, check=False)
    states, pc, sp = [], None, None
    for line in done.stdout.splitlines():
        found = re.search(r"\( *PC: ([0-9a-f]+)\).*", line)
        if found:
            pc = int(found[1], 16)
        found = re.search(r"\( *SP: ([0-9a-f]+)\)", line)
        if found:
            sp = int(found[1], 16)
        if line.startswith("MCLK:"):
            states.append((pc, sp, int(line.split()[1])))
    # The registers after reset come before the first step.
    first = re.search(r"\( *PC: ([0-9a-f]+)\).*?\( *SP: ([0-9a-f]+)\)|\( *PC: ([0-9a-f]+)\)",
                      done.stdout, re.S)
    return [(int(first[1] or first[3], 16), 0, 0)] + states


def surcharge(word):
    """Cycles that mspdebug 0.22 counts too many for an instruction."""
    if word & 0xff80 == 0x1200:  # PUSH
        register, mode = word & 15, word >> 4 & 3
        constant = register == 3 or (register == 2 and mode >= 2)
        return 0 if not constant or mode == 0 else 1 if mode == 2 else 2
    if word < 0x4000:
        return 0
    register, mode = word >> 8 & 15, word >> 4 & 3
    if not (register == 3 or (register == 2 and mode >= 2)):
        return 0
    if word & 0x8f == 0:  # into the program counter
        return 0 if mode in (0, 2) else 1
    return {0: 0, 1: 2}.get(mode, 1)


class Oracle:
    def __init__(self, program, memory):
        self.program, self.memory = program, memory
        self.stacks = collections.defaultdict(list)
        self.stack = "main"
        self.spans, self.self_cycles = [], collections.Counter()

    def stack_of(self, sp):
        address, size = self.program.objects.get("stacks", (0, 0))
        return (sp - address - 1) // (size // 2) if size and address < sp <= address + size \
            else "main"

    def close(self, frames, cycle, returned):
        span = frames.pop()
        span["end"] = cycle if returned else None

    def step(self, before, after, cost, cycle):
        (pc, _, _), (next_pc, sp, _) = before, after
        word = self.memory[pc]
        frames = self.stacks[self.stack]
        self.self_cycles[frames[-1]["function"] if frames else "(unmarked)"] += cost
        self.stack = self.stack_of(sp)
        frames = self.stacks[self.stack]
        while frames and frames[-1]["sp"] < sp:
            self.close(frames, cycle, word == 0x4130)
        name = self.program.entries.get(next_pc)
        calls = word & 0xffc0 == 0x1280
        if name is None or not (calls or word == 0x4130 or self.program.function_of(pc) != name):
            return
        while frames and frames[-1]["sp"] == sp:
            self.close(frames, cycle, False)
        span = {"function": name, "sp": sp, "cycle": cycle, "depth": len(frames) + 1, "end": None}
        frames.append(span)
        self.spans.append(span)


def memory_of(path):
    """Words of the program by address, from its loadable segments."""
    data = pathlib.Path(path).read_bytes()
    little = lambda at, size: int.from_bytes(data[at:at + size], "little")
    words, offset = {}, little(28, 4)
    for i in range(little(44, 2)):
        at = offset + i * little(42, 2)
        if little(at, 4) == 1:
            start, address, size = little(at + 4, 4), little(at + 12, 4), little(at + 16, 4)
            for k in range(0, size - 1, 2):
                words[address + k] = little(start + k, 2)
    return words


def expect(readelf, plain, text, count):
    program, memory = Program(readelf, plain, text), memory_of(plain)
    oracle, cycle = Oracle(program, memory), RESET_CYCLES
    oracle.self_cycles["(unmarked)"] = RESET_CYCLES
    log = log_of(plain, count)
    assert len(log) == count + 1, f"mspdebug made {len(log) - 1} of {count} steps"
    for before, after in zip(log, log[1:]):
        cost = after[2] - before[2] - surcharge(memory[before[0]])
        cycle += cost
        oracle.step(before, after, cost, cycle)
    return oracle, cycle


def compare(name, oracle, cycles, summary, functions, replay):
    assert summary["cycles"] == cycles, (name, summary["cycles"], cycles)
    calls = [row for row in replay if row["function"] != "(unmarked)"]
    assert len(calls) == len(oracle.spans), (name, len(calls), len(oracle.spans))
    for row, span in zip(calls, oracle.spans):
        assert (row["function"], row["cycle"], row["depth"], int(row["sp"], 16)) == \
            (span["function"], span["cycle"], span["depth"], span["sp"]), (name, row, span)
        assert span["end"] is None or row["end"] == span["end"], (name, row, span)
        assert ("unwound" in row["notes"] or "not-ended" in row["notes"]) == (span["end"] is None), \
            (name, row, span)
    blurred = BLURRED.get(name, set())
    own = {row["function"]: row["self"] for row in functions}
    for function in set(own) | set(oracle.self_cycles):
        if function not in blurred:
            assert own[function] == oracle.self_cycles[function], (name, function)
    assert sum(own[f] for f in blurred) == sum(oracle.self_cycles[f] for f in blurred), name


def main():
    if shutil.which("mspdebug") is None:
        print("mspdebug is not installed")
        return SKIP
    readelf, programs = sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        sonde = Sonde(sys.argv[1], folder)
        for name, plain, marked, text in zip(*[iter(programs)] * 4):
            run = sonde.record(marked)
            summary, functions = sonde.report(run, "functions")
            check_identity(summary, functions)
            _, replay = sonde.report(run, "replay")
            end = re.search(r"(\d+) instructions", sonde.run("info", "-i", run).stdout)
            oracle, cycles = expect(readelf, plain, text, int(end[1]))
            compare(name, oracle, cycles, summary, functions, replay)
            print(f"{name}: {len(oracle.spans)} calls in {end[1]} instructions as mspdebug has them")
    return 0


sys.exit(main())
