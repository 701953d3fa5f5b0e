#!/usr/bin/env python3
"""Compile the probes with the stack-call convention and call them: on the
emulator alone, or, given a tool and programs, in the programs' kernels."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

part, device, source, what, *rest = sys.argv[1:]
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
    if what == "--programs":
        sys.exit(max(subprocess.run([program, part, str(found[0])], check=False).returncode
                     for program in rest))
    program, tool, *examples = rest
    # The last one with a probe that has a stack and is linked in.
    for example in examples:
        probe = "call_look_up" if example == examples[-1] else "call_weigh"
        done = subprocess.run([program, "verify", "--device", "emu:" + device, "-t",
                               "opcodeprof," + tool, "-o", folder + "/run", "--", example],
                              env=dict(os.environ, PROBES=str(found[0]), PROBE=probe), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        print(done.stdout)
        if done.returncode != 0 or "identical:" not in done.stdout:
            sys.exit(f"{example}: exit status {done.returncode}")
