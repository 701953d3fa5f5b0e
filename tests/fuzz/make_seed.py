#!/usr/bin/env python3
"""Run the sample writer and copy the one trace file that it makes."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    run = pathlib.Path(folder) / "run"
    subprocess.run([sys.argv[1], run], check=True)
    [made] = run.glob("process-*")
    shutil.copy(made, sys.argv[2])
