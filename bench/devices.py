#!/usr/bin/env python3
"""Kernel time and memory on each emulated GPU, beside Oclgrind and PoCL, from one run.

One row a program: the examples, and with --programs DIR those that were built
there (scripts/workload_table.py). The time of the kernels is measured inside the
program (kernel_time.c): from enqueue to finish, for all of them. Times are the
best of N runs; PoCL runs once before, so that its kernel cache is warm. Ratios
to Oclgrind above 1 and to PoCL below 1 mean that the emulated GPU is faster. A
run that the limit stops is compared over the launches that it and the other had
finished; their number stands in brackets. Where it did not finish the first, the
ratio is a bound (">"), and so are the means with it.
Memory is what the emulated GPU had resident at most, beside the program's own
buffers and images; it may be twice those and 256 MiB.
"""
import argparse
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import result_tables  # noqa: E402
import workload_table  # noqa: E402

# Sizes at which kernels, not launches, take the time; as they are where an
# example has no size.
EXAMPLES = ["vector_add 1000000", "matrix_multiply 256", "reduction 4000000",
            "histogram 2000000", "mandelbrot 512", "bitonic_sort", "nbody 1024", "sha256 16384",
            "transpose", "scan", "narrow_types", "control_flow", "image_blur", "double_math"]
BEGIN, END = "<!-- bench/devices.py writes from here -->\n", "<!-- to here -->\n"
MEMORY_BASE, MEMORY_FACTOR = 256 << 20, 2
OCLGRIND = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"


def ended(process, seconds):
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


class Output:
    """What goes to the terminal as it comes, and with --write into a document at the end."""

    def __init__(self, document):
        self.document = document and pathlib.Path(document)
        self.text = ""
        if self.document and BEGIN not in self.document.read_text(encoding="utf-8"):
            sys.exit(f"bench: {document} has no line {BEGIN.strip()}")

    def say(self, line):
        print(line, flush=True)
        self.text += line + "\n"

    def write(self):
        if self.document:
            result_tables.replace_parts(self.document, [(BEGIN, END, self.text)])


class Bench:
    def __init__(self, options, scratch):
        self.options = options
        self.scratch = scratch
        build = pathlib.Path(options.build).resolve()
        self.sonde = str(build / "src/cli/sonde")
        self.examples = build / "examples"
        self.preload = str(build / "bench/libkernel-time.so")
        self.vendors = os.path.join(scratch, "oclgrind.icd")
        with open(self.vendors, "w", encoding="ascii") as file:
            file.write(OCLGRIND + "\n")

    def once(self, command, folder, environment):
        """What the program said of itself, or a word for what went wrong."""
        path = os.path.join(self.scratch, "time")
        if os.path.exists(path):
            os.remove(path)
        with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                              env={**os.environ, "LD_PRELOAD": self.preload,
                                   "KERNEL_TIME": path, **environment},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            stopped = not ended(process, self.options.limit)
            if stopped:
                process.terminate()
                if not ended(process, 20):
                    process.kill()
        if process.returncode != 0 and not stopped:
            return f"exit {process.returncode}"
        try:
            with open(path, encoding="ascii") as file:
                return json.loads(file.readline())
        except (OSError, ValueError):
            return "timeout" if stopped else "no kernel"

    def example_on_oclgrind(self, command):
        """Through its own launcher, which keeps other libraries from being preloaded: the
        examples tell their time themselves. They need a call that its library lacks."""
        try:
            done = subprocess.run(["oclgrind"] + command, env={**os.environ, "EXAMPLE_TIME": "1"},
                                  capture_output=True, text=True, timeout=self.options.limit,
                                  check=False)
        except subprocess.TimeoutExpired:
            return "timeout"
        found = re.search(r"kernel seconds: ([0-9.]+)", done.stderr)
        if done.returncode != 0 or found is None:
            return f"exit {done.returncode}"
        return {"kernel_seconds": float(found[1])}

    def best(self, command, folder, environment, repeats):
        results = [self.once(command, folder, environment) for _ in range(repeats)]
        good = [result for result in results if not isinstance(result, str)]
        if not good:
            return results[0]
        return min(good, key=lambda result: (result.get("unfinished", 0), result["kernel_seconds"]))

    def row(self, name, command, folder):
        repeats = self.options.repeats
        pocl = {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}
        self.once(command, folder, pocl)
        if folder == self.scratch:
            oclgrind = self.example_on_oclgrind(command)
        else:
            oclgrind = self.best(command, folder, {"OCL_ICD_VENDORS": self.vendors}, 1)
        rivals = {"Oclgrind": oclgrind,
                  "PoCL": self.best(command, folder, pocl, repeats)}
        devices = {}
        for device in self.options.device:
            before = [self.sonde, "run", "--quiet", "-t", "none", "--device", "emu:" + device,
                      "-o", os.path.join(self.scratch, "trace"), "--"]
            devices[device] = self.best(before + command, folder, {}, repeats)
        return name, rivals, devices


def is_unfinished(result):
    return not isinstance(result, str) and result.get("unfinished", 0) == 1


def milliseconds(result):
    if isinstance(result, str):
        return result
    return (">" if is_unfinished(result) else "") + f"{result['kernel_seconds'] * 1000:.2f}"


class Ratio:
    """How much longer the rival took: over the whole run; over the launches that both
    have done where one was stopped; a bound where the rival did not end the first."""

    def __init__(self, rival, ours):
        self.value, self.launches, self.bound = None, 0, False
        if isinstance(rival, str) or isinstance(ours, str):
            return
        if not is_unfinished(rival) and not is_unfinished(ours):
            self.value = rival["kernel_seconds"] / ours["kernel_seconds"]
            return
        self.launches = min(len(rival["ends"]), len(ours["ends"]))
        if self.launches > 0:
            self.value = rival["ends"][self.launches - 1] / ours["ends"][self.launches - 1]
        elif ours["ends"] and is_unfinished(rival):
            self.value, self.bound = rival["kernel_seconds"] / ours["ends"][0], True

    def cell(self, inverse=False):
        if self.value is None:
            return "-"
        return ((">" if self.bound else "") + f"{1 / self.value if inverse else self.value:.1f}" +
                (f" ({self.launches})" if self.launches else ""))


def memory(devices):
    """Buffers, most memory of a device, and whether that is too much."""
    seen = [result for result in devices.values() if not isinstance(result, str)]
    if not seen:
        return "", "", False
    buffers = max(result["buffer_bytes"] for result in seen)
    server = max(result["server_bytes"] for result in seen)
    too_much = server > MEMORY_FACTOR * buffers + MEMORY_BASE
    return f"{buffers / 2**20:.1f}", f"{server / 2**20:.1f}", too_much


def print_row(row, output):
    name, rivals, devices = row
    cells = [name, milliseconds(rivals["Oclgrind"]), milliseconds(rivals["PoCL"])]
    for result in devices.values():
        cells.append(milliseconds(result))
        cells.append(Ratio(rivals["Oclgrind"], result).cell())
        cells.append(Ratio(rivals["PoCL"], result).cell(inverse=True))
    buffers, server, too_much = memory(devices)
    output.say("| " + " | ".join(cells + [buffers, server + (" (too much)" if too_much else "")]) +
               " |")
    return too_much


def mean(ratios):
    values = [ratio.value for ratio in ratios if ratio.value is not None]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0


def print_means(rows, devices, output):
    for device in devices:
        ratios = {rival: [Ratio(row[1][rival], row[2][device]) for row in rows]
                  for rival in ("Oclgrind", "PoCL")}
        counts = {rival: sum(ratio.value is not None for ratio in some)
                  for rival, some in ratios.items()}
        bounds = sum(ratio.bound for ratio in ratios["Oclgrind"])
        slower = mean(ratios["PoCL"])
        output.say(f"\nemu:{device}: {mean(ratios['Oclgrind']):.1f} times as fast as Oclgrind "
                   f"({counts['Oclgrind']} programs{f', {bounds} of them at least' if bounds else ''}"
                   f"), {1 / slower if slower else 0:.1f} times as slow as PoCL ({counts['PoCL']} "
                   "programs), geometric means")


def jobs(bench, options):
    """Name, command and folder of each row."""
    for line in EXAMPLES:
        words = line.split()
        yield line, [str(bench.examples / words[0])] + words[1:], bench.scratch
    for program in workload_table.BENCHED if options.programs else []:
        if workload_table.is_installed(program, options.programs):
            yield (program.name, shlex.split(program.command),
                   workload_table.prepare(program, options.programs, bench.scratch))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--device", action="append", choices=["skl", "tgllp", "dg2"])
    parser.add_argument("--programs", metavar="DIR")
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=int, default=120, help="seconds a run")
    parser.add_argument("--write", metavar="FILE", help="puts the table into this document, too")
    options = parser.parse_args()
    options.device = options.device or ["skl", "tgllp", "dg2"]
    options.programs = options.programs and os.path.abspath(options.programs)
    if not os.path.exists(OCLGRIND):
        sys.exit("bench: oclgrind is not installed; run scripts/install-dependencies.sh")
    output = Output(options.write)
    output.say(f"One run on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at its start, the "
               f"best of {options.repeats}, at most {options.limit} s a run. Times of kernels in ms, "
               "memory in MiB; x O = times as fast as Oclgrind, x P = times as slow as PoCL; in "
               "brackets: launches, where a ratio is over the first ones alone.\n")
    output.say("| program | Oclgrind | PoCL | " +
               " | ".join(f"{device} | x O | x P" for device in options.device) +
               " | buffers | resident |")
    output.say("|---|" + "---:|" * (4 + 3 * len(options.device)))
    rows, too_much = [], 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch:
        workload_table.write_inputs(scratch)
        bench = Bench(options, scratch)
        todo = [job for job in jobs(bench, options) if options.only in job[0]]
        try:
            for name, command, folder in todo:
                rows.append(bench.row(name, command, folder))
                too_much += print_row(rows[-1], output)
                shutil.rmtree(os.path.join(scratch, "trace"), ignore_errors=True)
        except KeyboardInterrupt:
            output.say(f"\nStopped after {len(rows)} of {len(todo)} programs.")
    print_means(rows, options.device, output)
    output.write()
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())
