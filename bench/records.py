#!/usr/bin/env python3
"""Figures of tracing on the emulated GPU, from one run.

For each tracing tool on one example: records and bytes that a dispatch made,
bytes a record in the file (compressed), records a second that the analysis
reads from the file, and executed instructions of the traced run against the
original one. Usage: records.py SONDE EXAMPLES_DIRECTORY [EXAMPLE ARGUMENT...]
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

TOOLS = ["flowtrace", "memtrace", "regtrace", "race"]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)


def measure(sonde, tool, command):
    with tempfile.TemporaryDirectory() as directory:
        data = os.path.join(directory, "data")
        start = time.monotonic()
        done = run(sonde, "run", "-q", "--device", "emu:skl", "-o", data, "-t", tool, "--",
                   *command)
        wall = time.monotonic() - start
        if done.returncode != 0:
            return f"{tool}: exit {done.returncode}"
        info = run(sonde, "info", "-i", data).stdout
        found = re.findall(r"records: dispatch \d+, \w+, (\d+) in (\d+) bytes, (\d+) lost", info)
        records, raw, lost = (sum(int(row[i]) for row in found) for i in range(3))
        stored = sum(os.path.getsize(os.path.join(data, name)) for name in os.listdir(data))
        start = time.monotonic()
        run(sonde, "report", "-i", data, "--limit", "1")
        analysis = time.monotonic() - start
        verify = run(sonde, "verify", "--device", "emu:skl", "--format", "json", "-t", tool, "--",
                     *command).stdout
        figures = json.loads(verify) if verify.startswith("{") else {}
        slower = (figures["instrumented_instructions"] / figures["original_instructions"]
                  if figures.get("original_instructions") else 0)
        return (f"{tool:10} {records:9} {lost:5} {raw / 2**20:8.1f} {stored / records:8.2f} "
                f"{records / analysis / 1e6:8.2f} {raw / analysis / 2**20:8.0f} {wall:7.2f} "
                f"{slower:6.2f}x {'yes' if figures.get('identical') else 'NO':>9}")


def main():
    sonde, examples, *command = sys.argv[1:]
    command = command or ["matrix_multiply", "256"]
    command[0] = os.path.join(examples, command[0])
    print(f"{'tool':10} {'records':>9} {'lost':>5} {'raw MiB':>8} {'B/record':>8} {'Mrec/s':>8} "
          f"{'MiB/s':>8} {'wall s':>7} {'instr.':>7} {'identical':>9}")
    for tool in TOOLS:
        print(measure(sonde, tool, command), flush=True)


main()
