#!/usr/bin/env python3
"""Run OpenCL programs of other people on the emulated GPUs and print a table.

Without options, the programs of Debian packages on emu:skl; --programs DIR adds
those that were built in DIR (workload_table.py says how). Programs that are not
there are skipped and named. Every program judges its own results; its own
words for success are looked for in what it printed, besides the exit status,
and the numbers of some are compared with those of the run on PoCL.

--device may be repeated; `pocl` is PoCL, which must be first where results are
compared. --json FILE keeps the results, those of former runs too; --table FILE
prints the table of such a file, a state for each device.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import workload_table


def command_line(sonde, device, mode, data):
    """What stands before the command of the program, and its environment."""
    environment = dict(os.environ, PYOPENCL_CTX="0", PYOPENCL_NO_CACHE="1",
                       PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg")
    if device == "pocl":
        environment["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/pocl.icd"
        return [], environment
    options = {"plain": ["run", "-t", "none"],
               "profile": ["run", "-t", "opcodeprof", "--report", "/dev/null"],
               "verify": ["verify", "-q"]}[mode]
    return [sonde] + options + ["--device", device, "-o", data, "--"], environment


def run_row(options, row, device, scratch):
    """One program on one device; returns a dictionary of what was seen."""
    data = os.path.join(scratch, "trace")
    shutil.rmtree(data, ignore_errors=True)
    result = {"collection": row.collection, "name": row.name, "device": device,
              "mode": "plain" if device == "pocl" else options.mode,
              "state": "", "kernels": None, "dispatches": None, "instructions": None}
    if not workload_table.is_installed(row, options.programs):
        result["state"] = "not installed"
        return result
    folder = workload_table.prepare(row, options.programs, scratch)
    before, environment = command_line(options.sonde, device, options.mode, data)
    start = time.monotonic()
    process = subprocess.Popen(before + shlex.split(row.command), cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=options.limit)
        late = False
    except subprocess.TimeoutExpired:
        process.terminate()
        output, errors = process.communicate()
        late = True
    result["seconds"] = round(time.monotonic() - start, 1)
    text = output.decode(errors="replace") + errors.decode(errors="replace")
    if result["mode"] == "verify":
        judge_verify(options.sonde, data, result)
    else:
        judge_run(text, process.returncode, row.pattern, result)
        if row.result and result["state"] == "passes":
            compare_numbers(row, device, folder, output.decode(errors="replace"), scratch, result)
        if device != "pocl":
            count(options.sonde, data, result)
    if late:
        result["state"] = f"not finished in {options.limit} s"
    result["tail"] = text[-400:]
    return result


def numbers_of(text, pattern):
    """All numbers of the lines that match."""
    lines = [line for line in text.splitlines() if re.search(pattern, line)]
    return [float(word) for word in re.findall(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?", "\n".join(lines))]


def compare_numbers(row, device, folder, output, scratch, result):
    """Hold what the program wrote against the run on PoCL, which must come before."""
    file_name, _, pattern = row.result.partition(":")
    if file_name != "stdout":
        try:
            with open(os.path.join(folder, file_name), encoding="utf-8", errors="replace") as file:
                output = file.read()
        except OSError:
            result["state"] = f"fails: it wrote no {file_name}"
            return
    kept = os.path.join(scratch, re.sub(r"\W+", "_", row.name) + ".pocl")
    if device == "pocl":
        with open(kept, "w", encoding="utf-8") as file:
            file.write(output)
    if not os.path.exists(kept):
        result["state"] = "ends well; not compared with PoCL"
        return
    with open(kept, encoding="utf-8") as file:
        expected, seen = numbers_of(file.read(), pattern), numbers_of(output, pattern)
    # Whole numbers of a picture may be rounded the other way.
    least = 1 if file_name.endswith(".pgm") else 1e-6
    far = [pair for pair in zip(expected, seen)
           if abs(pair[0] - pair[1]) > max(least, 1e-3 * abs(pair[0]))]
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


def cell(value):
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def print_row(result):
    columns = [result["name"], result["device"], result["mode"], result["state"],
               result["kernels"], result["dispatches"], result["instructions"],
               result.get("seconds")]
    print("| " + " | ".join(cell(column).replace("|", "\\|") for column in columns) + " |",
          flush=True)


def load_results(path):
    """Results by (program, device)."""
    try:
        with open(path, encoding="utf-8") as file:
            return {(result["name"], result["device"]): result for result in json.load(file)}
    except FileNotFoundError:
        return {}


def save_results(path, results):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(list(results.values()), file, indent=0)
    os.replace(path + ".new", path)


def print_table(results):
    """One row a program, one column a device."""
    devices = [device for device in ("pocl", "emu:skl", "emu:tgllp", "emu:dg2")
               if any(key[1] == device for key in results)]
    print("| program | " + " | ".join(devices) + " | kernels | dispatches | instructions |")
    print("|---|" + "---|" * len(devices) + "---:|---:|---:|")
    for name in dict.fromkeys(key[0] for key in results):
        seen = [results.get((name, device)) for device in devices]
        counts = next((result for result in seen
                       if result is not None and result["device"] != "pocl"), {})
        columns = [name] + ["not tried" if result is None else result["state"] for result in seen]
        columns += [counts.get(key) for key in ("kernels", "dispatches", "instructions")]
        print("| " + " | ".join(cell(column).replace("|", "\\|") for column in columns) + " |")


def parse_arguments():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sonde", default=os.path.join(root, "build/src/cli/sonde"))
    parser.add_argument("--device", action="append", help="emu:skl, emu:tgllp, emu:dg2 or pocl")
    parser.add_argument("--programs", metavar="DIR", help="folder of programs that you built")
    parser.add_argument("--mode", default="profile", choices=["plain", "profile", "verify"])
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose name matches")
    parser.add_argument("--limit", type=int, default=120, help="seconds a program")
    parser.add_argument("--json", metavar="FILE", help="keep the results here")
    parser.add_argument("--table", metavar="FILE", help="print the table of such a file")
    parser.add_argument("--show-output", action="store_true",
                        help="print the end of the output of programs that do not pass")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if options.table:
        print_table(load_results(options.table))
        return 0
    rows = workload_table.PACKAGED + (workload_table.BUILT if options.programs else [])
    options.programs = options.programs and os.path.abspath(options.programs)
    results = load_results(options.json) if options.json else {}
    failed = 0
    print("| program | device | mode | state | kernels | dispatches | instructions | seconds |")
    print("|---|---|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        workload_table.write_inputs(scratch)
        for row in rows:
            if re.search(options.only, row.name) is None:
                continue
            for device in options.device or ["emu:skl"]:
                result = run_row(options, row, device, scratch)
                print_row(result)
                failed += not result["state"].startswith(("passes", "not installed"))
                if options.show_output and "tail" in result and \
                        not result["state"].startswith("passes"):
                    print(result["tail"], file=sys.stderr, flush=True)
                results[row.name, device] = result
                if options.json:
                    save_results(options.json, results)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
