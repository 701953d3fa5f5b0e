#!/usr/bin/env python3
"""Compile the kernels for Gen9 as the driver does for Sonde (and plainly, with
other options), and hand the binaries to the comparison program."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

GTPIN = ("-cl-intel-gtpin-rera -cl-intel-gtpin-grf-info "
         "-cl-intel-gtpin-scratch-area-size 256")
VARIANTS = [("", GTPIN), ("-cl-opt-disable", GTPIN), ("-cl-fast-relaxed-math", GTPIN)]


def main():
    program, *sources = sys.argv[1:]
    ocloc = shutil.which("ocloc")
    if ocloc is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        binaries = []
        for number, (options, internal) in enumerate(VARIANTS):
            for source in sources:
                out = pathlib.Path(folder) / str(number) / pathlib.Path(source).stem
                command = [ocloc, "compile", "-file", source, "-device", "skl", "-q",
                           "-out_dir", str(out), "-internal_options", internal]
                done = subprocess.run(command + (["-options", options] if options else []),
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                found = list(out.glob("*.bin"))
                if done.returncode != 0 or not found:
                    print(done.stdout.decode(errors="replace"))
                    return 1
                binaries += found
        return subprocess.run([program, *binaries]).returncode


sys.exit(main())
