#!/usr/bin/env python3
"""Reports and exports need no more memory for a run that is eighty times as long.
Arguments: sonde, golden, trace-bench, which makes runs longer."""
import os
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, run

GOLDEN = BENCH = None
SHORT, LONG = 2, 160  # MB of records
HEAP = 96 << 20  # bytes that a report may allocate
GROWTH = 6 << 10  # KiB: the index of the stretches grows, by 0.01 %


def limit_heap():
    resource.setrlimit(resource.RLIMIT_DATA, (HEAP, HEAP))


def peak(*arguments):
    """KiB, of a run of sonde that must succeed; and what it prints."""
    with subprocess.Popen([harness.SONDE, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=harness.environment(),
                          preexec_fn=limit_heap) as process:
        out = 0
        while chunk := process.stdout.read(1 << 20):
            out += len(chunk)
        error = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    check(process.returncode == 0 and out > 0, f"{arguments}: {process.returncode} {error}")
    return usage.ru_maxrss, out


def lengthen(kernel, tools):
    expect(run("run", "-q", "--device", "emu:skl", "--timing", "-o", "once", "-t", tools, "--",
               GOLDEN, kernel), 0)
    dump = expect(run("info", "-i", "once"), 0).out
    size = int(dump.split(" bytes, 0 lost")[0].split()[-1])
    for name, megabytes in (("short", SHORT), ("long", LONG)):
        subprocess.run([BENCH, "once", name, str(megabytes * 1000000 // size)], check=True,
                       capture_output=True)


def grows_not(*arguments):
    short, _ = peak(*arguments, "-i", "short")
    long, out = peak(*arguments, "-i", "long")
    print(f"{' '.join(arguments)}: {short} KiB, {long} KiB of {LONG / SHORT:.0f} times the records,"
          f" {out} bytes out")
    check(long < short + GROWTH, f"{arguments}: {short} KiB grew to {long} KiB")


def memory_tools():
    tools = ("memtrace", "stride", "cacheline", "race", "bounds", "regtrace")
    lengthen("strides", ",".join(tools))
    for tool in tools:
        grows_not("report", "-t", tool)
    grows_not("info")


def barriers():
    """Groups come and go; each has local memory of its own."""
    lengthen("unordered", "race")
    grows_not("report", "-t", "race")


def ways_and_times():
    lengthen("loop", "flowtrace,occupancy")
    for tool in ("flowtrace", "occupancy"):
        grows_not("report", "-t", tool)
    for name in ("perfetto", "chrome"):
        grows_not("export", f"--format={name}", "-o", "-")
    grows_not("export", "--format=csv", "-t", "threads", "-o", "-")


harness.SONDE, GOLDEN, BENCH = map(os.path.abspath, sys.argv[1:4])
sys.exit(harness.main([memory_tools, barriers, ways_and_times]))
