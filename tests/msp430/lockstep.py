#!/usr/bin/env python3
"""Registers and cycles after every instruction equal mspdebug's.

usage: lockstep.py EXPECT INSTRUCTIONS SEED          random programs
       lockstep.py EXPECT INSTRUCTIONS --elf FILE... firmware
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
BLOCK = 9000
REGISTERS = ["PC", "SP", "SR"] + [f"R{i}" for i in range(4, 16)]
CELL = re.compile(r"\(\s*(PC|SP|SR|R\d+): ([0-9a-f]+)\)")


def oracle_states(commands):
    """(registers, cycles) after each step, from mspdebug's output."""
    with tempfile.NamedTemporaryFile("w", suffix=".cmd", delete=False) as file:
        file.write("\n".join(commands) + "\n")
    done = subprocess.run(["mspdebug", "-q", "-n", "sim", f"read {file.name}"],
                          capture_output=True, text=True, check=False)
    pathlib.Path(file.name).unlink()
    registers, states, started = {}, [], False
    for line in done.stdout.splitlines():
        if line.startswith("    ( ") or line.startswith("    (R"):
            for name, value in CELL.findall(line):
                registers[name] = int(value, 16)
        elif line.startswith("=> step"):
            started = True
        elif started and line.startswith("MCLK:"):
            states.append(([registers[name] for name in REGISTERS], int(line.split()[1])))
    if not states:
        sys.exit("mspdebug said: " + done.stdout[-2000:] + done.stderr[-2000:])
    return states


def compare(name, expected, states):
    if len(expected) != len(states):
        print(f"{name}: {len(expected)} instructions expected, mspdebug made {len(states)}")
        return False
    for i, (line, (registers, cycles)) in enumerate(zip(expected, states)):
        fields = line.split()
        ours = [int(x, 16) for x in fields[:15]]
        if ours != registers or int(fields[15]) != cycles:
            before = states[i - 1][0][0] if i else 0
            print(f"{name}: instruction {i} at 0x{before:04x} differs")
            print("  ours    ", " ".join(f"{x:04x}" for x in ours), fields[15])
            print("  mspdebug", " ".join(f"{x:04x}" for x in registers), cycles)
            return False
    return True


def steps(count):
    return [command for _ in range(count) for command in ("step 1", "simio info tr")]


def random_block(expect, count, seed, folder):
    image = folder / "image.bin"
    lines = subprocess.run([expect, "random", str(seed), str(count), str(image)],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    # The memory as it was before the program ran: only its data changed.
    start = subprocess.run([expect, "random", str(seed), "0", str(folder / "start.bin")],
                           capture_output=True, text=True, check=True)
    assert start.stdout == ""
    data = (folder / "start.bin").read_bytes()[:0x5000] + image.read_bytes()[0x5000:]
    image.write_bytes(data)
    setup = ["simio add tracer tr", f"load_raw {image} 0x1000", "set pc 0x6000", "set sp 0x4000",
             "simio config tr clear"]
    return len(lines), compare(f"seed {seed}", lines, oracle_states(setup + steps(len(lines))))


def firmware(expect, count, path):
    lines = subprocess.run([expect, "elf", path, str(count)], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    # A jump to itself ends our run; mspdebug would go on.
    setup = ["simio add tracer tr", f"load {path}", "reset", "simio config tr clear"]
    return len(lines), compare(path, lines, oracle_states(setup + steps(len(lines))))


def main():
    expect, wanted = sys.argv[1], int(sys.argv[2])
    if shutil.which("mspdebug") is None:
        print("mspdebug is not installed")
        return SKIP
    done, good = 0, True
    if sys.argv[3] == "--elf":
        for path in sys.argv[4:]:
            count, equal = firmware(expect, wanted, path)
            done += count
            good = good and equal
    else:
        seed = int(sys.argv[3])
        with tempfile.TemporaryDirectory() as folder:
            while done < wanted and good:
                count, good = random_block(expect, min(BLOCK, wanted - done), seed,
                                           pathlib.Path(folder))
                done += count
                seed += 1
    print(f"{done} instructions in lockstep" if good else "lockstep failed")
    return 0 if good and done > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
