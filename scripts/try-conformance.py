#!/usr/bin/env python3
"""Run sub-tests of an OpenCL conformance test build on the emulated GPUs.

The list is conformance_tests.py. Results are kept in a file, a later call goes on from it, and
--write puts the tables made of it into doc/conformance.md.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import conformance_tests
import limited_run
from result_tables import ResultFile, late_limit, line, print_row, replace_parts

PASSED = r"PASSED (\d+ of \d+ )?(sub-)?test"
# bufferreadwriterect leaves single copies out, without a kernel in all of it.
SKIPPED = r"(?im)^.*(skipping(?! copy )|skipped|not supported|has double\? no).*$"


def all_rows(folder):
    """Name and command of each sub-test."""
    rows = []
    for program, arguments, tests in conformance_tests.TESTS:
        for test in tests.split():
            words = f"{arguments} {test}".strip()
            rows.append((f"{os.path.basename(program)} {words}",
                         f"{os.path.join(folder, program)} {words}"))
    return rows


def look(sonde, data):
    """Kernels and dispatches of the trace, and what it says of the kernels' registers."""
    info = subprocess.run([sonde, "info", "-i", data], capture_output=True, text=True,
                          check=False).stdout
    modes = sorted(set(re.findall(r"^\s*mode .*registers (\w+)", info, re.M)))
    return (len(re.findall(r"^\s*kernel \d+:", info, re.M)),
            sum(int(n) for n in re.findall(r"^\s*(\d+) dispatches,", info, re.M)),
            ", ".join(modes) or None)


def judge(text, status, dispatches):
    if re.search(r"(?i)sonde: (warning|error).*fault", text):
        return "fault of the device"
    if status != 0:
        return f"fails: exit status {status}"
    if re.search(PASSED, text) is None:
        return "fails: its own check"
    if dispatches == 0 and re.search(SKIPPED, text) is not None:
        return "not supported"
    return "passes"


def run_row(name, command, device, options):
    """One sub-test on one device: a row of the results, and the end of its output."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        ended = limited_run.run_program(
            [options.sonde, "run", "-t", "none", "-o", data, "--device", device, "--"] +
            shlex.split(command), options.limit, folder,
            dict(os.environ, cl_cache_dir=options.cache) if options.cache else None,
            errors=subprocess.STDOUT)
        kernels, dispatches, registers = look(options.sonde, data)
    output = ended.output.decode(errors="replace")
    state = (f"not finished in {options.limit} s" if ended.late
             else judge(output, ended.status, dispatches))
    return {"name": name, "device": device, "state": state, "kernels": kernels,
            "dispatches": dispatches, "seconds": ended.seconds,
            "registers": registers}, output[-2000:]


class Results(ResultFile):
    def __init__(self, path):
        super().__init__(path, ("device", "name"))

    def settled(self, device, name, limit):
        """Whether the row needs no other try: it ended, or the limit was not smaller."""
        row = self.rows.get((device, name))
        if row is None:
            return False
        late = late_limit(row)
        return late is None or late >= limit

    def lines(self, names, devices):
        """The tables: how many rows ended how on each device, and all rows."""
        rows = {(name, device): self.rows.get((device, name))
                for name in names for device in devices}
        short = {key: state_of(row) for key, row in rows.items()}
        yield ["state"] + devices
        yield ["---"] + ["---:"] * len(devices)
        kinds = {key: re.sub(r"^(not finished).*", r"\1", state) for key, state in short.items()}
        for kind in sorted(set(kinds.values())):
            yield [kind] + [sum(kinds[name, device] == kind for name in names)
                            for device in devices]
        yield []
        yield ["program"] + devices + ["kernels", "dispatches", "seconds", "registers"]
        yield ["---"] + ["---"] * len(devices) + ["---:"] * 3 + ["---"]
        for name in names:
            seen = [rows[name, device] for device in devices if rows[name, device]]
            if seen:
                yield ([f"`{name}`"] + [short[name, device] + explained(name, device, short)
                                        for device in devices] +
                       [seen[0]["kernels"], seen[0]["dispatches"],
                        " / ".join(f"{rows[name, device]['seconds']:.0f}"
                                   if rows[name, device] and rows[name, device]["seconds"]
                                   else "-" for device in devices),
                        registers_of([rows[name, device] for device in devices])])


def registers_of(rows):
    """What `sonde info` said of the registers on each device; once if it is the same on all."""
    modes = ["-" if row is None or (row["kernels"] == 0 and row.get("registers") is None)
             else row.get("registers") or "not recorded" for row in rows]
    return modes[0] if len(set(modes)) == 1 else " / ".join(modes)


def state_of(row):
    if row is None:
        return "not tried"
    return re.sub(r"^fails: .*", "fails", row["state"])


def explained(name, device, short):
    """The number of the explanation of a failure in the document."""
    if not short[name, device].startswith(("fails", "fault", "not finished")):
        return ""
    return "".join(f" ({number})" for number, names, devices, _ in conformance_tests.EXPLANATIONS
                   if re.search(names, name) and re.search(devices, device))


def write_document(path, lines):
    """Put the tables and the explanations between the marks of a document."""
    table = "".join(line(columns) + "\n" if columns else "\n" for columns in lines)
    notes = "".join(f"{number}. {text}\n" for number, _, _, text in conformance_tests.EXPLANATIONS)
    replace_parts(path, [("<!-- tables: begin -->\n", "<!-- tables: end -->\n",
                          notes + "\n" + table)])


def parse_options():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sonde", default=os.path.join(root, "build/src/cli/sonde"))
    parser.add_argument("tests", metavar="DIR",
                        help="test_conformance folder of a conformance test build")
    parser.add_argument("--device", metavar="NAME", action="append",
                        help="emulated GPU; can be given several times (all three)")
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose name matches")
    parser.add_argument("--limit", type=int, default=120, help="processor seconds a program")
    parser.add_argument("--cache", metavar="FOLDER",
                        help="let the driver keep what it compiled there (cl_cache_dir), so that "
                             "the next try of a program goes on where the limit ended this one")
    parser.add_argument("--results", metavar="FILE",
                        help="JSON file to go on from and to keep the results in")
    parser.add_argument("--again", metavar="REGEX",
                        help="also run settled rows whose state matches")
    parser.add_argument("--registers", metavar="MODE",
                        help="also run settled rows that did not run with these registers "
                             "(`sonde info` prints them: unmodified is what the driver's compiler "
                             "assigns without Sonde)")
    parser.add_argument("--write", metavar="FILE",
                        help="run nothing; write the tables of the results into this document")
    parser.add_argument("--show-output", action="store_true",
                        help="print the end of the output of programs that do not pass")
    options = parser.parse_args()
    options.device = options.device or ["emu:skl", "emu:tgllp", "emu:dg2"]
    if options.cache:
        options.cache = os.path.abspath(options.cache)
        os.makedirs(options.cache, exist_ok=True)  # the driver makes no folder
    options.sonde = os.path.abspath(shutil.which(options.sonde) or options.sonde)
    return options


def wanted(results, device, name, options):
    if re.search(options.only, name) is None:
        return False
    row = results.rows.get((device, name))
    if row is not None and options.again is not None and re.search(options.again, row["state"]):
        return True
    if row is not None and options.registers not in (None, row.get("registers")):
        return True
    return not results.settled(device, name, options.limit)


def run_rows(rows, results, options):
    failed = 0
    print_row(["program", "device", "state", "kernels", "dispatches", "seconds", "registers"])
    print_row(["---"] * 3 + ["---:"] * 3 + ["---"])
    for name, command in rows:
        for device in options.device:
            if not wanted(results, device, name, options):
                continue
            result, tail = run_row(name, command, device, options)
            results.add(result)
            print_row(list(result.values()))
            if result["state"] in ("passes", "not supported"):
                continue
            failed += 1
            if options.show_output:
                print(f"== {device} {name}\n{tail}", file=sys.stderr, flush=True)
    return failed


def main():
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    rows = all_rows(os.path.abspath(options.tests))
    results = Results(options.results)
    if options.write:
        write_document(options.write, results.lines([name for name, _ in rows], options.device))
        return 0
    if shutil.which(options.sonde) is None:
        sys.exit(f"{options.sonde} is not there; --sonde names another")
    return 1 if run_rows(rows, results, options) else 0


if __name__ == "__main__":
    sys.exit(main())
