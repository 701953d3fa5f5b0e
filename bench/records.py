#!/usr/bin/env python3
"""What tracing costs, and how fast records are written and analysed, from one run.

One row a tool, as a table of Markdown; with --write it replaces the one in
doc/tracing.md. The program is matrix_multiply of 192 x 192 on the emulated Gen9, or
what EXAMPLE says. Slowdown is against the program without a tool:
  device    instructions that the emulated GPU executes, original and inserted ones
  host      processor time of the whole run, program and compiler included
and of the records:
  a record  bytes before and after compression, by block visit
  holds     messages or registers, or that it is one visit
  written   bytes a second before compression, into the file
  analysed  millions of those messages, registers or visits a second, from the file to
            the tool's rows, on one core
The last two are of the run made about 200 MB long by trace-bench, in processor time.
All times are the best of N. A tool whose records are not what the emulated GPU says
(`sonde verify`), or are lost, is an error.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import result_tables  # noqa: E402

TABLE = ROOT / "doc/tracing.md"
BEGIN, END = "<!-- bench/records.py writes from here -->\n", "<!-- to here -->\n"
COUNTING = ["opcodeprof", "bblprof", "simdprof", "latency", "memlatency", "funtime"]
TRACING = {"flowtrace": "visits", "occupancy": "visits", "memtrace": "messages",
           "stride": "messages", "cacheline": "messages", "bounds": "messages",
           "race": "messages", "regtrace": "registers"}
TARGET = 200  # MB
GOAL = 10  # millions of records a second
COLUMNS = ["tool", "device", "host", "bytes a record", "in the file", "holds", "written",
           "analysed"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)}: {done.stderr}")
    return done.stdout


def user_time(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(*command)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


class Bench:
    def __init__(self, options, scratch):
        build = pathlib.Path(options.build).resolve()
        self.sonde = str(build / "src/cli/sonde")
        self.bench = str(build / "bench/trace-bench")
        self.device, self.repeats = options.device, options.repeats
        name, *arguments = options.example
        self.program = [str(build / "examples" / name), *arguments]
        self.data = os.path.join(scratch, "data")
        self.longer = os.path.join(scratch, "longer")
        self.messages = 0  # of one run
        self.plain = self.host("none")
        self.slowest = None  # and the tool

    def host(self, tool):
        return min(user_time(self.sonde, "run", "-q", "--device", self.device, "-o", self.data,
                             "-t", tool, "--", *self.program) for _ in range(self.repeats))

    def slowdown(self, tool):
        host = self.host(tool) / self.plain
        verify = json.loads(run(self.sonde, "verify", "--device", self.device, "--format", "json",
                                "-t", tool, "--", *self.program))
        if not verify["identical"]:
            sys.exit(f"bench: {tool}: records are not those of the emulated GPU")
        return verify["instrumented_instructions"] / verify["original_instructions"], host

    def recorded(self, tool):
        found = re.findall(r"records: dispatch \d+, \w+, (\d+) in (\d+) bytes, (\d+) lost",
                           run(self.sonde, "info", "-i", self.data))
        records, size, lost = (sum(int(row[i]) for row in found) for i in range(3))
        if lost or not records:
            sys.exit(f"bench: {tool}: {records} records, {lost} lost")
        return records, size

    def parts(self, tool, records):
        """What the records hold: messages, registers, or that they are visits."""
        if TRACING[tool] == "visits":
            return records
        if tool in ("bounds", "race"):  # their rows are others
            return self.messages
        rows = json.loads(run(self.sonde, "report", "-i", self.data, "-t", tool, "--format",
                              "json"))
        parts = sum(row["executions"] for row in rows["reports"][0]["rows"])
        if TRACING[tool] == "messages":
            self.messages = parts
        return parts

    def speed(self, tool, records, size, parts):
        times = str(max(1, TARGET * 1000000 // size))
        written = analysed = 0
        for _ in range(self.repeats):
            written = max(written, float(re.search(
                r"([\d.]+) MB/s", run(self.bench, self.data, self.longer, times))[1]))
            analysed = max(analysed, float(re.search(
                rf"(?m)^{tool} .* ([\d.]+) Mrecords/s", run(self.bench, "--analyze",
                                                            self.longer))[1]))
        analysed *= parts / records
        if self.slowest is None or analysed < self.slowest[0]:
            self.slowest = (analysed, tool)
        return written, analysed

    def row(self, tool):
        device, host = self.slowdown(tool)
        cells = [f"`{tool}`", f"{device:.2f}x", f"{host:.1f}x"]
        if tool in COUNTING:
            return cells + [""] * (len(COLUMNS) - len(cells))
        records, size = self.recorded(tool)
        stored = sum(os.path.getsize(os.path.join(self.data, name))
                     for name in os.listdir(self.data))
        parts = self.parts(tool, records)
        written, analysed = self.speed(tool, records, size, parts)
        holds = "a visit" if parts == records else f"{parts / records:.0f} {TRACING[tool]}"
        return cells + [f"{size / records:.0f}", f"{stored / records:.1f}", holds,
                        f"{written / 1000:.1f} GB/s", f"{analysed:.0f} million {TRACING[tool]}/s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--write", action="store_true", help="into doc/tracing.md")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", default="emu:skl")
    parser.add_argument("--only", action="append", help="only this tool")
    parser.add_argument("example", nargs="*", default=["matrix_multiply", "192"])
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write writes all tools")
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(options, scratch)
        text = (f"`{' '.join(options.example)}` on {options.device}, which takes "
                f"{bench.plain:.1f} s of processor time without a tool:\n\n"
                f"{result_tables.line(COLUMNS)}\n{result_tables.line(['---'] * len(COLUMNS))}\n")
        print(text, end="", flush=True)
        for tool in COUNTING + list(TRACING):
            if options.only and tool not in options.only and tool != "memtrace":
                continue
            row = result_tables.line(bench.row(tool)) + "\n"
            print(row, end="", flush=True)
            text += row
        speed, tool = bench.slowest
        last = f"\nSlowest to analyse: `{tool}`, {speed:.0f} million/s; the goal is {GOAL}.\n"
        print(last, end="")
    if options.write:
        result_tables.replace_parts(TABLE, [(BEGIN, END, text + last)])
    return 0 if speed >= GOAL else 1


sys.exit(main())
