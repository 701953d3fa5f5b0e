#!/usr/bin/env python3
"""Run OpenCL programs of other people on PoCL and on the emulated GPUs.

Without options, the programs of Debian packages; --programs DIR adds those that were
built in DIR (workload_table.py says how). Programs that are not there are skipped and
named. Every program judges its own results; its own words for success are looked for in
what it printed, besides the exit status, and the numbers of some are compared with those
of the run on PoCL, which must come before.

Results are kept in a file, a later call goes on from it, and --write puts the tables made
of it into doc/workloads.md.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import limited_run
from result_tables import ResultFile, late_limit, line, print_row, replace_parts
import workload_table

DEVICES = ["pocl", "emu:skl", "emu:tgllp", "emu:dg2"]


def command_line(options, device, mode, data):
    """What stands before the command of the program, and its environment."""
    environment = dict(os.environ, PYOPENCL_CTX="0", PYOPENCL_NO_CACHE="1",
                       PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg")
    if device == "pocl":
        environment["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/pocl.icd"
        return [], environment
    if options.cache:
        # Apart for each mode: the driver's key does not hold what a tool asks of the compiler.
        environment["cl_cache_dir"] = os.path.join(options.cache, f"{device}-{mode}")
        os.makedirs(environment["cl_cache_dir"], exist_ok=True)
    arguments = {"plain": ["run", "-t", "none"],
                 "profile": ["run", "-t", "opcodeprof", "--report", "/dev/null"],
                 "verify": ["verify", "-q"]}[mode]
    return [options.sonde] + arguments + ["--device", device, "-o", data, "--"], environment


def run_row(options, row, device, scratch, results):
    """One program on one device; returns a dictionary of what was seen."""
    data = os.path.join(scratch, "trace")
    shutil.rmtree(data, ignore_errors=True)
    result = {"name": row.name, "device": device,
              "mode": "plain" if device == "pocl" else options.mode,
              "state": "", "kernels": None, "dispatches": None, "instructions": None,
              "seconds": None}
    if not workload_table.is_installed(row, options.programs):
        result["state"] = "not installed"
        return result, ""
    folder = workload_table.prepare(row, options.programs, scratch)
    before, environment = command_line(options, device, result["mode"], data)
    ended = limited_run.run_program(before + shlex.split(row.command), options.limit, folder,
                                    environment)
    result["seconds"] = ended.seconds
    text = ended.output.decode(errors="replace") + ended.errors.decode(errors="replace")
    if result["mode"] == "verify":
        judge_verify(options.sonde, data, result)
    else:
        judge_run(text, ended.status, row.pattern, result)
        if row.result and result["state"] == "passes":
            compare_numbers(row, device, folder, ended.output, results, result)
        if device != "pocl":
            count(options.sonde, data, result)
    if ended.late:
        result["state"] = f"not finished in {options.limit} s"
    return result, text[-2000:]


def numbers_of(output, pattern):
    """All numbers of the lines that match."""
    lines = [line for line in output.decode(errors="replace").splitlines()
             if re.search(pattern, line)]
    return [float(word)
            for word in re.findall(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?", "\n".join(lines))]


def numbers_of_binary(output, name):
    """Some thousand numbers of a file of floats; of other binary files a sum for all."""
    if name.endswith(".f32"):
        step = 4 * max(1, len(output) // 16384)
        return [struct.unpack_from("<f", output, place)[0]
                for place in range(0, len(output) - 3, step)]
    return list(hashlib.sha1(output).digest())


def compare_numbers(row, device, folder, output, results, result):
    """Hold what the program wrote against the run on PoCL, which must come before."""
    file_name, _, pattern = row.result.partition(":")
    if file_name != "stdout":
        try:
            with open(os.path.join(folder, file_name), "rb") as file:
                output = file.read()
        except OSError:
            result["state"] = f"fails: it wrote no {file_name}"
            return
    seen = (numbers_of_binary(output, file_name) if file_name.endswith((".f32", ".bin"))
            else numbers_of(output, pattern))
    if device == "pocl":
        result["numbers"] = seen
    expected = seen if device == "pocl" else results.pocl_numbers(row.name)
    if expected is None:
        result["state"] = "ends well; not compared with PoCL"
        return
    # Whole numbers of a picture may be rounded the other way.
    least = 1 if file_name.endswith(".pgm") else 1e-6
    far = [pair for pair in zip(expected, seen)
           if not abs(pair[0] - pair[1]) <= max(least, 1e-3 * abs(pair[0]))]
    if len(expected) != len(seen) or far or not seen:
        result["state"] = (f"fails: {len(far)} of {len(expected)} numbers differ from PoCL's"
                           if seen else "fails: no numbers")


def judge_run(text, status, pattern, result):
    if re.search(r"sonde: error:? .*faulted on the emulated GPU", text):
        result["state"] = "fault of the device"
    elif status != 0:
        result["state"] = f"fails: exit status {status}"
    elif re.search(pattern, text) is None:
        result["state"] = "fails: its own check"
    else:
        result["state"] = "passes"


def judge_verify(sonde, data, result):
    compared = subprocess.run([sonde, "verify", "--format", "json", "--compare", data],
                              capture_output=True, check=False)
    try:
        figures = json.loads(compared.stdout)
    except ValueError:
        result["state"] = "verify: not compared"
        return
    lines = [line for line in figures["details"].splitlines() if line.strip()]
    result["dispatches"] = figures["dispatches"]
    result["instructions"] = figures["original_instructions"]
    if figures["identical"]:
        result["state"] = "passes under verify"
    elif all(line.strip().startswith("standard output") for line in lines):
        result["state"] = "passes under verify, printed text (times) differs"
    else:
        result["state"] = "verify: " + "; ".join(line.strip() for line in lines[:2])


def count(sonde, data, result):
    info = subprocess.run([sonde, "info", "-i", data], capture_output=True, text=True,
                          check=False).stdout
    result["kernels"] = len(re.findall(r"^\s*kernel \d+:", info, re.M))
    result["dispatches"] = sum(int(n) for n in re.findall(r"^\s*(\d+) dispatches,", info, re.M))
    if result["mode"] != "profile":
        return
    report = subprocess.run([sonde, "report", "-i", data, "--total", "--limit", "1", "--format",
                             "json"], capture_output=True, check=False)
    try:
        result["instructions"] = json.loads(report.stdout)["reports"][0]["total"]["dynamic"]
    except (ValueError, LookupError, TypeError):
        pass


class Results(ResultFile):
    def __init__(self, path):
        super().__init__(path, ("name", "device", "mode"))

    def pocl_numbers(self, name):
        return self.rows.get((name, "pocl", "plain"), {}).get("numbers")

    def wanted(self, name, device, options):
        """Whether the row must be run: not yet, not for so long, or asked for again."""
        mode = "plain" if device == "pocl" else options.mode
        row = self.rows.get((name, device, mode))
        if row is None or row["state"] == "not installed":
            return True
        if options.again is not None and re.search(options.again, row["state"]):
            return True
        late = late_limit(row)
        return late is not None and late < options.limit

    def of(self, name, device):
        """The run with a tool, or the one without."""
        return (self.rows.get((name, device, "profile")) or
                self.rows.get((name, device, "plain")))

    def table(self, rows):
        """The lines of the table of some programs."""
        yield ["program"] + DEVICES + ["kernels", "dispatches", "instructions", "verify", "seconds"]
        yield ["---"] * (1 + len(DEVICES)) + ["---:"] * 3 + ["---", "---:"]
        for row in rows:
            seen = [self.of(row.name, device) for device in DEVICES]
            counts = next((result for result in sorted(seen[1:], key=lambda r: not passes(r))
                           if result is not None), {})
            verified = [device[len("emu:"):] for device in DEVICES
                        if self.rows.get((row.name, device, "verify"), {}).get(
                            "state", "").startswith("passes")]
            yield ([row.name] +
                   [state_of(result) + ("" if result is None or passes(result) else
                                        workload_table.note_numbers(row.name, device))
                    for result, device in zip(seen, DEVICES)] +
                   [counts.get(key) for key in ("kernels", "dispatches", "instructions")] +
                   [", ".join(verified)] +
                   [" / ".join("-" if result is None or result["seconds"] is None
                               else f"{result['seconds']:.0f}" for result in seen)])

    def summary(self, rows):
        """How many programs ended how on each device."""
        states = {(row.name, device): short(self.of(row.name, device))
                  for row in rows for device in DEVICES}
        yield ["state"] + DEVICES
        yield ["---"] + ["---:"] * len(DEVICES)
        for state in sorted(set(states.values())):
            yield [state] + [sum(states[row.name, device] == state for row in rows)
                             for device in DEVICES]


def passes(result):
    return result is not None and result["state"].startswith("passes")


def state_of(result):
    if result is None:
        return "not tried"
    return result["state"] + (" (no tool)" if result["device"] != "pocl" and
                              result["mode"] == "plain" else "")


def short(result):
    return "not tried" if result is None else re.sub(r"(:| in \d+ s).*", "", result["state"])


def markdown(lines):
    return "".join(line(columns) + "\n" for columns in lines)


def write_document(path, results):
    """Put the tables and the notes between the marks of a document."""
    everything = workload_table.PACKAGED + workload_table.BUILT
    parts = {"summary": markdown(results.summary(everything)),
             "packages": markdown(results.table(workload_table.PACKAGED)),
             "built": markdown(results.table(workload_table.BUILT)),
             "notes": "".join(f"{number}. {text}\n"
                              for number, _, text in workload_table.NOTES)}
    replace_parts(path, [(f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n", part)
                         for name, part in parts.items()])


def parse_arguments():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sonde", default=os.path.join(root, "build/src/cli/sonde"))
    parser.add_argument("--device", action="append", choices=DEVICES,
                        help="can be given several times (all)")
    parser.add_argument("--programs", metavar="DIR", help="folder of programs that you built")
    parser.add_argument("--mode", default="profile", choices=["plain", "profile", "verify"])
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose name matches")
    parser.add_argument("--limit", type=int, default=600, help="processor seconds a process")
    parser.add_argument("--cache", metavar="DIR",
                        help="let the driver keep compiled kernels below this folder")
    parser.add_argument("--results", metavar="FILE",
                        help="JSON file to go on from and to keep the results in")
    parser.add_argument("--again", metavar="REGEX",
                        help="also run settled rows whose state matches")
    parser.add_argument("--write", metavar="FILE",
                        help="run nothing; write the tables of the results into this document")
    parser.add_argument("--show-output", action="store_true",
                        help="print the end of the output of programs that do not pass")
    options = parser.parse_args()
    options.device = options.device or DEVICES
    options.programs = options.programs and os.path.abspath(options.programs)
    options.cache = options.cache and os.path.abspath(options.cache)
    options.sonde = os.path.abspath(shutil.which(options.sonde) or options.sonde)
    return options


def run_rows(options, results):
    rows = workload_table.PACKAGED + (workload_table.BUILT if options.programs else [])
    failed = 0
    columns = ["name", "device", "mode", "state", "kernels", "dispatches", "instructions",
               "seconds"]
    print_row(columns)
    print_row(["---"] * 4 + ["---:"] * 4)
    with tempfile.TemporaryDirectory() as scratch:
        workload_table.write_inputs(scratch)
        for row in rows:
            if re.search(options.only, row.name) is None:
                continue
            for device in options.device:
                if not results.wanted(row.name, device, options) or (
                        device == "pocl" and options.mode == "verify"):
                    continue
                result, tail = run_row(options, row, device, scratch, results)
                results.add(result)
                print_row([result[column] for column in columns])
                if result["state"].startswith(("passes", "not installed")):
                    continue
                failed += 1
                if options.show_output:
                    print(f"== {device} {row.name}\n{tail}", file=sys.stderr, flush=True)
    return failed


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    results = Results(options.results)
    if options.write:
        write_document(options.write, results)
        return 0
    if shutil.which(options.sonde) is None:
        sys.exit(f"{options.sonde} is not there; --sonde names another")
    return 1 if run_rows(options, results) else 0


if __name__ == "__main__":
    sys.exit(main())
