#!/usr/bin/env python3
"""Races are the same ones when a dispatch's records have to be read in several passes.
Arguments: sonde, golden (kernels of ../tracing/golden.c), race-passes, the device."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, run


def passes():
    for kernel, races in (("unordered", 2), ("racing", 1), ("atomics", 0)):
        expect(run("run", "-q", "--device", DEVICE, "-o", kernel, "-t", "race", "--", GOLDEN,
                   kernel), 0)
        done = subprocess.run([PASSES, str(races), kernel], capture_output=True, text=True,
                              check=False)
        check(done.returncode == 0, done.stderr)


harness.SONDE, GOLDEN, PASSES = map(os.path.abspath, sys.argv[1:4])
DEVICE = sys.argv[4]
sys.exit(harness.main([passes]))
