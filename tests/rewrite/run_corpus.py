#!/usr/bin/env python3
"""Compile OpenCL C files as the driver does for Sonde and hand the binaries to
the program that inserts random procedures.

usage: run_corpus.py PROGRAM SEEDS DEVICE[,DEVICE...] FILE|FOLDER..."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INTERNAL = ("-cl-intel-gtpin-rera -cl-intel-gtpin-grf-info "
            "-cl-intel-gtpin-scratch-area-size 256")


def options_of(source):
    match = re.match(r"// options: (.*)", source.read_text(encoding="utf-8", errors="replace"))
    return "-cl-std=CL2.0 " + (match[1] if match else "")


def sources_of(arguments):
    for argument in map(pathlib.Path, arguments):
        yield from sorted(argument.rglob("*.cl")) if argument.is_dir() else [argument]


def compile_all(devices, sources, folder):
    """Some files use what a device lacks: those compile to nothing."""
    for device in devices:
        for number, source in enumerate(sources):
            subprocess.run(["ocloc", "compile", "-q", "-file", source, "-device", device,
                            "-out_dir", folder / device / f"{number}-{source.stem}",
                            "-options", options_of(source), "-internal_options", INTERNAL],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sorted(folder.rglob("*.bin"))


def main():
    if shutil.which("ocloc") is None:
        return 77
    program, seeds, devices = sys.argv[1:4]
    sources = list(sources_of(sys.argv[4:]))
    with tempfile.TemporaryDirectory() as name:
        binaries = compile_all(devices.split(","), sources, pathlib.Path(name))
        if len(binaries) * 4 < len(sources) * 3:
            sys.exit(f"only {len(binaries)} of {len(sources)} files compile")
        return subprocess.run([program, seeds, *binaries]).returncode


sys.exit(main())
