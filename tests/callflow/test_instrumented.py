#!/usr/bin/env python3
"""A program instrumented as a whole, start-up code and helpers too, has the
call flow of one whose C file alone was marked: the same calls and totals of
the functions that both know, the same stacks.
Usage: test_instrumented.py SONDE [PLAIN.elf MARKED.elf]..."""
import pathlib
import sys
import tempfile

from flows import Sonde, check_identity

# Where code that the one marks and the other does not changes the stack, the
# cycles of that code belong to different functions.
BLURRED = {"longjmp", "scheduler"}


def check(sonde, plain, marked):
    whole = sonde.folder / ("whole_" + pathlib.Path(plain).name)
    sonde.run("msp430", "instrument", plain, "-o", whole)
    one, some = sonde.report(sonde.record(marked), "functions")
    two, every = sonde.report(sonde.record(whole), "functions")
    check_identity(one, some)
    check_identity(two, every)
    for key in "cycles", "stacks", "idle_cycles", "interrupt_cycles", "lost_events":
        assert one[key] == two[key], (plain, key, one, two)
    assert one["orphan_exits"] == two["orphan_exits"] == 0, (plain, one, two)
    known = {row["function"]: row for row in every}
    assert known["_start"]["calls"] == 1 and known["main"]["calls"] == 1
    blurred = any(name in plain for name in BLURRED)
    for row in some:
        if row["kind"] != "function":
            continue
        other = known[row["function"]]
        keys = ["calls"] if blurred else ["calls", "total", "min", "p95", "max"]
        assert [row[key] for key in keys] == [other[key] for key in keys], (plain, row, other)


def main():
    with tempfile.TemporaryDirectory() as folder:
        sonde, programs = Sonde(sys.argv[1], folder), sys.argv[2:]
        for plain, marked in zip(programs[::2], programs[1::2]):
            check(sonde, plain, marked)
        print(f"{len(programs) // 2} programs")


main()
