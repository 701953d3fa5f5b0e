#!/usr/bin/env python3
"""Compile the .cl files of the folders given and hand the binaries to the
programs given, which compare each instruction with libiga64: codec_kernels
looks at fields and messages (skl and icllp), oracle_kernels at text and bytes.

usage: oracle_kernels.py small|long PROGRAM... FOLDER...
small: every file for skl, some files for the other devices. long: every file
for every device with every set of options."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MINIMUM_FILES = 45
DEVICES = ["skl", "icllp", "tgllp", "dg2", "pvc"]
LARGE_GRF = "-cl-intel-256-GRF-per-thread"
OPTIONS = ["", "-cl-opt-disable", "-cl-fast-relaxed-math", LARGE_GRF]
# What the compiler refuses, by folder and file: doubles that the device lacks,
# buffers beyond 4 GiB, SIMD widths.
NO_DOUBLE = {"kernels/double_arithmetic", "kernels/double_math", "examples/double_math",
             "kernels/options_large_buffers"}
REFUSED = {"icllp": NO_DOUBLE, "tgllp": NO_DOUBLE, "dg2": NO_DOUBLE,
           "pvc": {"kernels/double_math", "kernels/simd_widths", "kernels/subgroups_intel"}}
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


def main():
    long = sys.argv[1] == "long"
    programs = [a for a in sys.argv[2:] if not os.path.isdir(a)]
    folders = [a for a in sys.argv[2:] if os.path.isdir(a)]
    if shutil.which("ocloc") is None:
        return 77
    sources = sources_in(folders)
    if len(sources) < MINIMUM_FILES:
        sys.exit(f"only {len(sources)} kernel files found")
    todo = jobs(sources, long)
    with tempfile.TemporaryDirectory() as name:
        binaries = compile_all(todo, name)
        early = [b for b in binaries if b.relative_to(name).parts[0] in ("skl", "icllp")]
        return max(subprocess.run([p, *(early if "codec_kernels" in p else binaries)]).returncode
                   for p in programs)


if __name__ == "__main__":
    sys.exit(main())
