#!/usr/bin/env python3
"""Interrupts in lockstep with mspdebug: registers and cycles after each
acceptance, each instruction of the handlers and each return, nested ones, too;
and the simulator's interrupt events are those that mspdebug's own states show.

Usage: interrupt_lockstep.py EXPECT INSTRUCTIONS SEED"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from lockstep import SKIP, compare, oracle_states

BLOCK = 4000


def derive_events(states, lines, memory):
    """Interrupts and returns as mspdebug's states show them: a request that is
    followed by the program counter at its handler, an executed RETI."""
    events, before, requested = [], None, None
    numbers = iter(states)
    for line in lines:
        if line.startswith("trigger"):
            requested = int(line.split()[1])
            continue
        registers, cycles = next(numbers)
        if requested is not None:
            handler = int.from_bytes(memory[0xffe0 + 2 * requested - 0x1000:][:2], "little")
            if registers[0] == handler:
                events.append(("interrupt", 0xffe0 + 2 * requested, cycles - 6))
        elif before is not None and \
                memory[before[0] - 0x1000:before[0] - 0xffe] == b"\x00\x13":
            events.append(("return", registers[0], cycles))
        requested, before = None, registers
    return events


def block(expect, count, seed, folder):
    image = folder / "image.bin"
    made = subprocess.run([expect, str(seed), str(count), image], capture_output=True, text=True,
                          check=True).stdout.splitlines()
    ours = [line.split()[1:] for line in made if line.startswith("event")]
    ours = [(kind, int(place, 16), int(cycle)) for kind, place, cycle in ours]
    lines = [line for line in made if not line.startswith("event")]
    commands = ["simio add tracer tr", f"load_raw {image} 0x1000", "set pc 0x6000", "set sp 0x5000",
                "simio config tr clear"]
    for line in lines:
        if line.startswith("trigger"):
            commands.append(f"simio config tr {line}")
        else:
            commands += ["step 1", "simio info tr"]
    states = oracle_states(commands)
    steps = [line for line in lines if not line.startswith("trigger")]
    good = compare(f"seed {seed}", steps, states)
    events = derive_events(states, lines, image.read_bytes())
    if good and events != ours:
        wrong = next(((a, b) for a, b in zip(events, ours) if a != b), (len(events), len(ours)))
        print(f"seed {seed}: events differ: mspdebug {wrong[0]}, ours {wrong[1]}")
        good = False
    return len(steps), len(events), good


def main():
    if shutil.which("mspdebug") is None:
        print("mspdebug is not installed")
        return SKIP
    expect, wanted, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    done, events, good = 0, 0, True
    with tempfile.TemporaryDirectory() as folder:
        while done < wanted and good:
            steps, seen, good = block(expect, BLOCK, seed, pathlib.Path(folder))
            done, events, seed = done + steps, events + seen, seed + 1
    print(f"{done} steps, {events} interrupts and returns in lockstep" if good else "failed")
    return 0 if good and events > done / 100 else 1


sys.exit(main())
