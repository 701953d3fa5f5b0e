#!/usr/bin/env python3
"""One example as it is on one emulated device: it must pass its own check (the
same that it passes on PoCL), and no dispatch may fault."""
import os
import subprocess
import sys
import tempfile

sonde, device, program = sys.argv[1:]
environment = dict(os.environ)
if device != "emu:skl":
    # Without native doubles: let the driver's compiler emulate them.
    environment.update(OverrideDefaultFP64Settings="1", IGC_EnableDPEmulation="1")
with tempfile.TemporaryDirectory() as directory:
    done = subprocess.run([sonde, "run", "--device", device, "-t", "none", "-o",
                           os.path.join(directory, "run"), "--", program],
                          capture_output=True, text=True, check=False, env=environment)
print(done.stdout + done.stderr)
if done.returncode != 0:
    sys.exit(f"exit status {done.returncode}")
if f"device     {device}" not in done.stderr or "PASS" not in done.stdout:
    sys.exit("not on the device asked for, or the example did not check its results")
