#!/usr/bin/env python3
"""Compile the probes with the stack-call convention and call them."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, part, device, source = sys.argv[1:]
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
    sys.exit(subprocess.run([program, part, str(found[0])], check=False).returncode)
