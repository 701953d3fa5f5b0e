#!/usr/bin/env python3
"""Compile the .cl files of the folders given (what only some devices have
instructions for stands in a folder of its own) and hand the binaries to the
programs given, which compare each instruction with libiga64: oracle_kernels,
the first, looks at text and bytes, codec_kernels at fields and messages (skl and
icllp). small: every file for skl, some files for the other devices. long: every
file for every device with every set of options."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MINIMUM_KERNELS = 150
DEVICES = ["skl", "icllp", "tgllp", "dg2", "pvc"]
LARGE_GRF = "-cl-intel-256-GRF-per-thread"
OPTIONS = ["", "-cl-opt-disable", "-cl-fast-relaxed-math", LARGE_GRF]
# What the compiler refuses, by folder and file: doubles that the device lacks,
# buffers beyond 4 GiB, SIMD widths, matrix products.
DOUBLE = {"kernels/double_arithmetic", "kernels/double_math", "kernels/double_simd8",
          "kernels/double_functions", "examples/double_math", "kernels/options_large_buffers"}
SYSTOLIC = {"systolic/eight_channels", "systolic/sixteen_channels"}
REFUSED = {"skl": SYSTOLIC, "icllp": DOUBLE | SYSTOLIC, "tgllp": DOUBLE | SYSTOLIC,
           "dg2": DOUBLE | {"systolic/sixteen_channels"},
           "pvc": {"kernels/double_simd8", "kernels/simd8", "systolic/eight_channels"}}
# Waits in every arm of divergent flow: dependency_kernels also follows the path
# on which the arms are skipped, which no thread takes.
SKIPPED_ARMS = {"kernels/nested_queues", "kernels/subgroup_types", "kernels/work_group_types"}
SMALL_STEP = 16


def options_of(source):
    """A first line "// options: ..." adds build options."""
    match = re.match(r"// options: (.*)", source.read_text())
    return "-cl-std=CL2.0 " + (match[1] if match else "")


def compile_file(source, device, options, folder):
    command = ["ocloc", "compile", "-q", "-file", source, "-device", device, "-out_dir", folder,
               "-options", f"{options_of(source)} {options}"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        sys.exit(f"{source} for {device}: {done.stdout}{done.stderr}")


def jobs(sources, long):
    """[(source, device, options)] of what to compile."""
    out = []
    for device in DEVICES:
        for number, options in enumerate(OPTIONS):
            if options == LARGE_GRF and device not in ("dg2", "pvc"):
                continue
            for index, source in enumerate(sources):
                if f"{source.parent.name}/{source.stem}" in REFUSED.get(device, ()):
                    continue
                small = number == 0 if device == "skl" else index % SMALL_STEP == number
                small = small or (number == 0 and source.parent.name == "systolic")
                if long or small:
                    out.append((source, device, options))
    return out


def sources_in(folders):
    return sorted(s for folder in folders for s in pathlib.Path(folder).glob("*.cl"))


def compile_all(todo, folder):
    """Binaries of the jobs, below the folder in one folder a device."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [pool.submit(compile_file, source, device, options,
                               pathlib.Path(folder) / device / str(index))
                   for index, (source, device, options) in enumerate(todo)]
        for result in results:
            result.result()
    binaries = sorted(pathlib.Path(folder).rglob("*.bin"))
    if len(binaries) != len(todo):
        sys.exit(f"{len(todo)} compilations gave {len(binaries)} binaries")
    return binaries


def count_kernels(oracle, binaries):
    """Kernels of the corpus itself: those of one device without options."""
    done = subprocess.run([oracle, "--count", *binaries], capture_output=True, text=True)
    return int(done.stdout.split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extent", choices=["small", "long"])
    parser.add_argument("paths", nargs="+", help="programs and folders")
    parser.add_argument("--figures", help="file for the figures of oracle_kernels")
    arguments = parser.parse_args()
    long = arguments.extent == "long"
    programs = [a for a in arguments.paths if not os.path.isdir(a)]
    if shutil.which("ocloc") is None:
        print("ocloc is not installed")
        return 77
    todo = jobs(sources_in([a for a in arguments.paths if os.path.isdir(a)]), long)
    with tempfile.TemporaryDirectory() as name:
        binaries = compile_all(todo, name)
        places = {b: b.relative_to(name).parts for b in binaries}
        plain = {str(n) for n, job in enumerate(todo) if job[1:] == ("skl", "")}
        own = count_kernels(programs[0], [b for b in binaries if places[b][1] in plain])
        if own < MINIMUM_KERNELS:
            sys.exit(f"only {own} kernels found")
        print(f"{own} kernels of our own, {len(binaries)} compilations", flush=True)
        status = 0
        sources = {str(n): f"{job[0].parent.name}/{job[0].stem}" for n, job in enumerate(todo)}
        for program in programs:
            chosen = binaries
            if "codec_kernels" in program:
                chosen = [b for b in binaries if places[b][0] in ("skl", "icllp")]
            elif "dependency_kernels" in program:
                chosen = [b for b in binaries if sources[places[b][1]] not in SKIPPED_ARMS]
            command = [program, *chosen]
            if program == programs[0] and arguments.figures:
                command[1:1] = ["--figures", arguments.figures]
            status = max(status, subprocess.run(command).returncode)
            if program == programs[0] and arguments.figures:
                with open(arguments.figures, "a", encoding="ascii") as figures:
                    figures.write(f"corpus|{own}|{len(binaries)}\n")
        return status


if __name__ == "__main__":
    sys.exit(main())
