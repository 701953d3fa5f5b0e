#!/usr/bin/env python3
"""Compile every .cl file of the folders given for skl and hand the binaries to
the programs given (oracle_kernels, codec_kernels), which compare each
instruction with libiga64."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MINIMUM_FILES = 45


def options_of(source):
    """A first line "// options: ..." adds build options."""
    match = re.match(r"// options: (.*)", source.read_text())
    return "-cl-std=CL2.0 " + (match[1] if match else "")


def compile_file(source, folder, internal=""):
    command = ["ocloc", "compile", "-q", "-file", source, "-device", "skl", "-out_dir", folder,
               "-options", options_of(source)]
    if internal:
        command += ["-internal_options", internal]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        sys.exit(f"{source}: {done.stdout}{done.stderr}")


def main():
    programs = [a for a in sys.argv[1:] if not os.path.isdir(a)]
    folders = [a for a in sys.argv[1:] if os.path.isdir(a)]
    if shutil.which("ocloc") is None:
        return 77
    sources = sorted(s for folder in folders for s in pathlib.Path(folder).glob("*.cl"))
    if len(sources) < MINIMUM_FILES:
        sys.exit(f"only {len(sources)} kernel files found")
    with tempfile.TemporaryDirectory() as name:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(compile_file, source, pathlib.Path(name) / str(index))
                    for index, source in enumerate(sources)]
            for job in jobs:
                job.result()
        binaries = sorted(pathlib.Path(name).rglob("*.bin"))
        if len(binaries) != len(sources):
            sys.exit(f"{len(sources)} files gave {len(binaries)} binaries")
        return max(subprocess.run([program, *binaries]).returncode for program in programs)


sys.exit(main())
