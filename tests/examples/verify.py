#!/usr/bin/env python3
"""`sonde verify` of one example under one tool has to say "identical", about
at least one instrumented dispatch of a program that passes its own check."""
import json
import os
import subprocess
import sys
import tempfile

sonde, tool, program, device, *options = sys.argv[1:]
with tempfile.TemporaryDirectory() as directory:
    done = subprocess.run([sonde, "verify", "--device", device, "--format", "json", "-t", tool, *options,
                           "-o", os.path.join(directory, "run"), "--", program],
                          capture_output=True, text=True, check=False)
print(done.stdout + done.stderr)
if done.returncode != 0:
    sys.exit(f"exit status {done.returncode}")
figures = json.loads(done.stdout)
if not figures["identical"] or figures["instrumented_dispatches"] == 0:
    sys.exit("not identical, or nothing was instrumented")
if figures["exit_status"] != 0 or figures["output_bytes"] == 0:
    sys.exit("the example's own check did not pass")
