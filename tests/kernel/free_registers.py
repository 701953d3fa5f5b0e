#!/usr/bin/env python3
"""Compile every fourth of the .cl files in the folders given, with register
information, for one device of each generation and hand them to the program.

usage: free_registers.py PROGRAM FOLDER..."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DEVICES = ["skl", "tgllp", "dg2", "pvc"]
INTERNAL = ("-cl-intel-gtpin-rera -cl-intel-gtpin-grf-info "
            "-cl-intel-gtpin-scratch-area-size 256")


def options_of(source):
    match = re.match(r"// options: (.*)", source.read_text())
    return "-cl-std=CL2.0 " + (match[1] if match else "")


def main():
    if shutil.which("ocloc") is None:
        return 77
    program, folders = sys.argv[1], sys.argv[2:]
    sources = sorted(s for folder in folders for s in pathlib.Path(folder).glob("*.cl"))
    with tempfile.TemporaryDirectory() as name:
        for device in DEVICES:
            for source in sources[::4]:
                # Some files use what a device lacks: those compile to nothing.
                subprocess.run(["ocloc", "compile", "-q", "-file", source, "-device", device,
                                "-out_dir", pathlib.Path(name) / device / source.stem,
                                "-options", options_of(source), "-internal_options", INTERNAL],
                               capture_output=True)
        binaries = sorted(pathlib.Path(name).rglob("*.bin"))
        return subprocess.run([program, *binaries]).returncode


sys.exit(main())
