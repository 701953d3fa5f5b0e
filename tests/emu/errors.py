#!/usr/bin/env python3
"""Run a program whose kernels fault under `sonde run`: the program gets errors
of OpenCL, Sonde tells of the faults and passes no success on."""
import subprocess
import sys
import tempfile

sonde, program, device = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run([sonde, "run", "--device", "emu:" + device, "--max-instructions", "200000",
                           "-o", folder + "/data", "--", program],
                          capture_output=True, text=True, timeout=200, check=False)
print(done.stdout, done.stderr)
assert "every error came" in done.stdout
assert done.returncode == 125, done.returncode
assert done.stderr.count("unmapped address 0x123456789000") >= 4
assert "the limit of 200000 instructions was reached here" in done.stderr
