#!/usr/bin/env python3
"""Side-by-side figures, from one run: of the example programs, then of the
instruction codec beside libiga64 (codec.c says what is measured).

For each example: time of the kernels (from enqueue to finish, as the program
sees it) and wall time of the whole program on the emulated GPU, on Oclgrind
and on PoCL, with ratios; and executed instructions of the instrumented kernels
against the original ones. Times are the best of N runs. PoCL runs once before
it is timed, so that its kernel cache is warm.
"""
import argparse
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# Sizes at which kernels, not launches, take the time; as they are where an
# example has no size.
EXAMPLES = [("vector_add", "1000000"), ("matrix_multiply", "256"), ("reduction", "4000000"),
            ("histogram", "2000000"), ("mandelbrot", "512"), ("bitonic_sort", None),
            ("nbody", "1024"), ("sha256", "16384"), ("transpose", None), ("scan", None),
            ("narrow_types", None), ("control_flow", None), ("image_blur", None),
            ("double_math", None)]


def run(command, environment, repeats):
    """Best (kernel seconds, wall seconds), or a word that says what went wrong."""
    best = None
    for _ in range(repeats):
        start = time.monotonic()
        try:
            done = subprocess.run(command, env={**os.environ, "EXAMPLE_TIME": "1", **environment},
                                  capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return "timeout"
        wall = time.monotonic() - start
        found = re.search(r"kernel seconds: ([0-9.]+)", done.stderr)
        if done.returncode != 0:
            return "wrong" if "FAIL" in done.stdout else f"exit {done.returncode}"
        if found is None:
            return "no time"
        sample = (float(found.group(1)), wall)
        best = sample if best is None else tuple(map(min, best, sample))
    return best


def instructions(sonde, command, directory, device="skl", tool="opcodeprof"):
    """Executed instructions (original, instrumented) by the emulator's count."""
    done = subprocess.run([sonde, "verify", "--device", "emu:" + device, "--format", "json",
                           "-t", tool, "-o", os.path.join(directory, "verify"), "--"] + command,
                          capture_output=True, text=True, timeout=600, check=False)
    try:
        figures = json.loads(done.stdout[done.stdout.index("{"):])
        return figures["original_instructions"], figures["instrumented_instructions"]
    except (ValueError, KeyError):
        return None


def codec(build):
    """Rates of the codec on the kernels of the examples and of the codec's tests."""
    root = pathlib.Path(__file__).resolve().parent.parent
    sys.path.insert(0, str(root / "tests/isa"))
    import oracle_kernels
    print("\ninstruction codec, kernels of tests/isa/kernels and examples", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        sources = oracle_kernels.sources_in(
            [root / "tests/isa/kernels", root / "tests/isa/kernels/systolic", root / "examples"])
        jobs = [job for job in oracle_kernels.jobs(sources, True) if job[2] == ""]
        binaries = oracle_kernels.compile_all(jobs, directory)
        return subprocess.run([build / "bench/codec-bench", *binaries], check=False).returncode


def rewriting(sonde, build, directory):
    """Block counting on each device: executed instructions over the examples, and what the
    rewriter does with every kernel of the examples and of the codec's tests."""
    root = pathlib.Path(__file__).resolve().parent.parent
    sources = [path for folder in ("examples", "tests/isa/kernels", "tests/rewrite/kernels")
               for path in sorted((root / folder).glob("*.cl"))]
    # As each device's kernels are compiled when nothing else is asked for (doc/attach.md).
    recompile = ["-internal_options", "-cl-intel-gtpin-rera -cl-intel-gtpin-grf-info "
                 "-cl-intel-gtpin-scratch-area-size 256"]
    for device in ("skl", "tgllp", "dg2"):
        ratios = []
        for name, size in EXAMPLES:
            counted = instructions(sonde, [str(build / "examples" / name)], directory, device,
                                   "bblprof")
            if counted is not None and counted[0]:
                ratios.append(counted[1] / counted[0])
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"block counting on emu:{device}: {mean:.3f} instructions executed for one, geometric "
              f"mean of {len(ratios)} examples")
        binaries = []
        for source in sources:
            options = re.match(r"// options: (.*)", source.read_text(encoding="utf-8"))
            out = pathlib.Path(directory) / "corpus" / device / source.stem
            subprocess.run(["ocloc", "compile", "-file", str(source), "-device", device, "-q",
                            "-out_dir", str(out), "-options",
                            "-cl-std=CL2.0 " + (options[1] if options else "")] +
                           (recompile if device == "skl" else []),
                           capture_output=True, check=False)
            binaries += map(str, out.glob("*.bin"))
        subprocess.run([str(build / "bench" / "rewrite-bench"), *binaries], check=True)


def cell(value, index):
    return value if isinstance(value, str) else f"{value[index] * 1000:.1f}"


def ratio(rival, ours, index):
    if isinstance(rival, str) or isinstance(ours, str):
        return "-"
    return f"{rival[index] / ours[index]:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", action="append", help="only this example, or codec, or rewrite")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    sonde = str(build / "src/cli/sonde")
    for need in ("oclgrind",):
        if shutil.which(need) is None:
            sys.exit(f"bench: {need} is not installed; run scripts/install-dependencies.sh")

    print(f"one run on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at its start")
    print("kernel and wall times in ms; ratio = rival / emulated GPU, above 1 = we are faster")
    columns = ["example", "emu kernel", "Oclgrind", "ratio", "PoCL", "ratio", "emu wall",
               "Oclgrind", "ratio", "PoCL", "ratio", "instructions", "instrumented", "ratio"]
    print("".join(f"{name:>{24 if i == 0 else 13}}" for i, name in enumerate(columns)))
    with tempfile.TemporaryDirectory() as directory:
        for name, size in EXAMPLES:
            if options.only and name not in options.only:
                continue
            program = [str(build / "examples" / name)] + ([size] if size else [])
            name = " ".join([name] + program[1:])
            pocl_environment = {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}
            emulated = run([sonde, "run", "--quiet", "-t", "none", "--device", "emu:skl", "-o",
                            os.path.join(directory, "run"), "--"] + program, {}, options.repeats)
            grind = run(["oclgrind"] + program, {}, options.repeats)
            run(program, pocl_environment, 1)
            pocl = run(program, pocl_environment, options.repeats)
            counted = instructions(sonde, program, directory)
            row = [name, cell(emulated, 0), cell(grind, 0), ratio(grind, emulated, 0),
                   cell(pocl, 0), ratio(pocl, emulated, 0), cell(emulated, 1), cell(grind, 1),
                   ratio(grind, emulated, 1), cell(pocl, 1), ratio(pocl, emulated, 1)]
            if counted is None:
                row += ["-", "-", "-"]
            else:
                row += [str(counted[0]), str(counted[1]), f"{counted[1] / counted[0]:.3f}"]
            print("".join(f"{text:>{24 if i == 0 else 13}}" for i, text in enumerate(row)),
                  flush=True)
    if not options.only or "rewrite" in options.only:
        with tempfile.TemporaryDirectory() as directory:
            rewriting(sonde, build, directory)
    return codec(build) if not options.only or "codec" in options.only else 0


sys.exit(main())
