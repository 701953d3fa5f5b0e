#!/usr/bin/env python3
"""`sonde verify` with inserted code that goes by 64-bit addresses: identical,
and not the code that names a surface."""
import json
import os
import subprocess
import sys
import tempfile

sonde, device, tools, *programs = sys.argv[1:]


def verify(program, directory, addressing):
    done = subprocess.run([sonde, "verify", "--device", device, "--format", "json", "-t", tools,
                           "--addressing", addressing, "-o", os.path.join(directory, addressing),
                           "--", program], capture_output=True, text=True, check=False)
    figures = json.loads(done.stdout) if done.returncode == 0 else {"identical": False}
    if not figures["identical"] or figures["instrumented_dispatches"] == 0:
        sys.exit(f"{program} --addressing {addressing}: exit status {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    return figures


for program in programs:
    with tempfile.TemporaryDirectory() as folder:
        surface = verify(program, folder, "surface")
        stateless = verify(program, folder, "stateless")
    print(os.path.basename(program), surface["instrumented_instructions"],
          stateless["instrumented_instructions"], "of", surface["original_instructions"])
    if surface["original_instructions"] != stateless["original_instructions"]:
        sys.exit("the originals differ")
    if surface["instrumented_instructions"] >= stateless["instrumented_instructions"]:
        sys.exit("the code is that for a surface")
