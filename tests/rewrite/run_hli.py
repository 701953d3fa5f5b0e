#!/usr/bin/env python3
"""Compile the probes with the stack-call convention and call them: on the
emulator alone, or, given a tool and programs, in the programs' kernels."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, part, device, source, *rest = sys.argv[1:]
if shutil.which("ocloc") is None:
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run(["ocloc", "compile", "-file", source, "-device", device, "-q", "-out_dir",
                           folder, "-options", "-cl-std=CL2.0"],
                          env=dict(os.environ, IGC_FunctionControl="3"), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    found = list(pathlib.Path(folder).glob("*.bin"))
    if done.returncode != 0 or not found:
        sys.exit(done.stdout.decode(errors="replace"))
    if not rest:
        sys.exit(subprocess.run([program, part, str(found[0])], check=False).returncode)
    tool, *examples = rest
    for example in examples:
        done = subprocess.run([program, "verify", "--device", "emu:" + device, "-t",
                               "opcodeprof," + tool, "-o", folder + "/run", "--", example],
                              env=dict(os.environ, PROBES=str(found[0])), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        print(done.stdout)
        if done.returncode != 0 or "identical:" not in done.stdout:
            sys.exit(f"{example}: exit status {done.returncode}")
