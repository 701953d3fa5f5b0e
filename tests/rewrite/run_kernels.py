#!/usr/bin/env python3
"""Compile the kernels for Gen9 as the driver does for Sonde (and plainly, with
other options), and hand the binaries to the comparison program."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GTPIN = ("-cl-intel-gtpin-rera -cl-intel-gtpin-grf-info "
         "-cl-intel-gtpin-scratch-area-size 256")
VARIANTS = ["", "-cl-opt-disable", "-cl-fast-relaxed-math"]


def compile_one(ocloc, source, options, out):
    command = [ocloc, "compile", "-file", source, "-device", "skl", "-q", "-out_dir", str(out),
               "-internal_options", GTPIN]
    done = subprocess.run(command + (["-options", options] if options else []),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = list(out.glob("*.bin"))
    if done.returncode != 0 or not found:
        sys.exit(f"{source}: {done.stdout.decode(errors='replace')}")
    return found


def compiled_sources(folders):
    """(source, options), with the options that a first line asks for."""
    for folder in folders:
        for source in sorted(pathlib.Path(folder).glob("*.cl")):
            match = re.match(r"// options: (.*)", source.read_text(encoding="utf-8"))
            yield str(source), "-cl-std=CL2.0 " + (match[1] if match else "")


def main():
    program, *arguments = sys.argv[1:]
    split = arguments.index("--emit") if "--emit" in arguments else len(arguments)
    sources, folders = arguments[:split], arguments[split + 1:]
    ocloc = shutil.which("ocloc")
    if ocloc is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        binaries = []
        for number, options in enumerate(VARIANTS):
            for source in sources:
                out = pathlib.Path(folder) / str(number) / pathlib.Path(source).stem
                binaries += compile_one(ocloc, source, options, out)
        binaries.append("--emit")
        for number, (source, options) in enumerate(compiled_sources(folders)):
            binaries += compile_one(ocloc, source, options,
                                    pathlib.Path(folder) / f"emit{number}")
        return subprocess.run([program, *binaries]).returncode


sys.exit(main())
