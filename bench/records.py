#!/usr/bin/env python3
"""Figures of tracing on the emulated GPU: what each tool costs, and how fast its
records are written and analysed.

For each tool on one example:
  records    of one run, and bytes of one in memory and in the file
  device     executed instructions of the GPU, against the original run
  host       instructions that emulating the run takes (perf stat; else seconds
             of processor time), against the run without a tool
  identical  what `sonde verify` says
and of the run made about TARGET megabytes long by trace-bench, in processor time:
  write      megabytes of records a second into the run's file
  analyse    millions of records a second, decompression included, and of parts
             of records: messages, registers; megabytes a second
Usage: records.py SONDE TRACE_BENCH EXAMPLES_DIRECTORY [EXAMPLE ARGUMENT...]
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

COUNTING = ["opcodeprof", "bblprof", "simdprof", "latency", "memlatency", "funtime"]
TRACING = ["flowtrace", "occupancy", "memtrace", "stride", "cacheline", "race", "bounds", "regtrace"]
TARGET = 200  # MB
DEVICE = "emu:skl"
MESSAGES = {}  # of one run, by tool


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)


def cost(*command):
    """Instructions of a command and its children, or seconds without perf."""
    if shutil.which("perf"):
        done = run("perf", "stat", "-x,", "-e", "instructions:u", "--", *command)
        match = re.search(r"(?m)^(\d+),[^,]*,instructions:u", done.stderr)
        if match:
            return int(match[1])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def recorded(sonde, data):
    info = run(sonde, "info", "-i", data).stdout
    found = re.findall(r"records: dispatch \d+, \w+, (\d+) in (\d+) bytes, (\d+) lost", info)
    return tuple(sum(int(row[i]) for row in found) for i in range(3))


def parts_of(sonde, data, tool):
    """Messages or registers in the records."""
    rows = json.loads(run(sonde, "report", "-i", data, "-t", tool, "--format", "json").stdout)
    return sum(row.get("executions", 0) for row in rows["reports"][0]["rows"])


def speed(sonde, bench, data, tool, records, size, directory):
    longer = os.path.join(directory, "longer")
    written = run(bench, data, longer, str(max(1, TARGET * 1000000 // size))).stdout
    analysed = run(bench, "--analyze", longer).stdout
    write = float(re.search(r"([\d.]+) MB/s", written)[1])
    rate, volume = re.search(rf"(?m)^{tool} .* ([\d.]+) Mrecords/s, (\d+) MB/s", analysed).groups()
    if tool in ("race", "bounds"):  # the same messages
        parts = MESSAGES.get("memtrace", 0)
    elif tool in ("flowtrace", "occupancy"):
        parts = 0
    else:
        parts = MESSAGES[tool] = parts_of(sonde, data, tool)
    return (f"{write:8.0f} {float(rate):8.2f} "
            f"{float(rate) * parts / records if parts else 0:8.1f} {int(volume):8}")


def measure(sonde, bench, tool, command, plain):
    with tempfile.TemporaryDirectory() as directory:
        data = os.path.join(directory, "data")
        host = cost(sonde, "run", "-q", "--device", DEVICE, "-o", data, "-t", tool, "--", *command)
        verify = run(sonde, "verify", "--device", DEVICE, "--format", "json", "-t", tool, "--",
                     *command).stdout
        figures = json.loads(verify) if verify.startswith("{") else {}
        device = (figures["instrumented_instructions"] / figures["original_instructions"]
                  if figures.get("original_instructions") else 0)
        line = (f"{tool:10} {device:6.2f}x {host / plain:6.2f}x "
                f"{'yes' if figures.get('identical') else 'NO':>9}")
        if tool in COUNTING:
            return line
        records, size, lost = recorded(sonde, data)
        if records == 0:
            return f"{line} no records"
        stored = sum(os.path.getsize(os.path.join(data, name)) for name in os.listdir(data))
        return (f"{line} {records:9} {lost:5} {size / records:8.1f} {stored / records:8.2f} "
                f"{speed(sonde, bench, data, tool, records, size, directory)}")


def main():
    sonde, bench, examples, *command = sys.argv[1:]
    command = command or ["matrix_multiply", "128"]
    command[0] = os.path.join(examples, command[0])
    with tempfile.TemporaryDirectory() as directory:
        plain = cost(sonde, "run", "-q", "--device", DEVICE, "-o", os.path.join(directory, "data"),
                     "-t", "none", "--", *command)
    print(f"{'tool':10} {'device':>7} {'host':>7} {'identical':>9} {'records':>9} {'lost':>5} "
          f"{'B/record':>8} {'in file':>8} {'MB/s':>8} {'Mrec/s':>8} {'Mparts/s':>8} {'MB/s':>8}")
    for tool in COUNTING + TRACING:
        print(measure(sonde, bench, tool, command, plain), flush=True)


main()
