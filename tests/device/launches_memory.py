#!/usr/bin/env python3
"""The resident memory of the emulated GPU, and of the program with the driver in
it, does not grow with the launches.

launches_memory.py SONDE DEVICE PROGRAM TOOL"""
import os
import subprocess
import sys
import tempfile

FIRST, SECOND = 500, 2500
SERVER = 1 << 20
# The tools' records of each dispatch are on disk; the driver keeps a little.
PROGRAM = 4 << 20


def children(process):
    found = []
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as file:
            for child in map(int, file.read().split()):
                found += [child] + children(child)
    return found


def fields(process):
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        return dict(line.split(":", 1) for line in file)


def resident(process, program):
    """Bytes of the server and of the program."""
    sizes = {}
    for child in children(process):
        of = fields(child)
        sizes[of["Name"].strip()] = int(of["RssAnon"].split()[0]) << 10
    # Names of processes are cut off after 15 bytes.
    return sizes["sonde-emu"], sizes[os.path.basename(program)[:15]]


def main():
    sonde, device, program, tool = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.Popen([sonde, "run", "--quiet", "-t", tool, "--report", "/dev/null", "-o",
                                os.path.join(folder, "trace"), "--device", device, "--", program,
                                str(FIRST), str(SECOND)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        seen = []
        for part in "begun", "ended":
            if run.stdout.readline().strip() != part:
                return f"the program did not get to its {part}"
            seen.append(resident(run.pid, program))
            run.stdin.write("\n")
            run.stdin.flush()
        end, status = run.stdout.read(), run.wait()
    if status != 0 or "PASS" not in end:
        return f"the program ended with status {status}: {end}"
    server, of_program = (after - before for before, after in zip(*seen))
    print(f"{device}: {SECOND} launches took {server >> 10} KiB of the server and "
          f"{of_program >> 10} KiB of the program; they have {seen[1][0] >> 10} and "
          f"{seen[1][1] >> 10}")
    if server > SERVER or of_program > PROGRAM:
        return "memory grows with the launches"
    return 0


sys.exit(main())
