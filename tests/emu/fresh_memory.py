#!/usr/bin/env python3
"""What memory holds before a kernel writes to it is chance: the driver's own
kernels copy images into fresh memory. `sonde verify` has to say "identical" where
the C library fills fresh memory in one of the two runs."""
import os
import subprocess
import sys
import tempfile

# The first run leaves a mark, the second one finds it.
TWICE = 'if test -e "$0"; then export MALLOC_PERTURB_=90; fi; : >"$0"; exec "$@"'

sonde, device, *program = sys.argv[1:]
with tempfile.TemporaryDirectory() as directory:
    mark = os.path.join(directory, "mark")
    done = subprocess.run([sonde, "verify", "--device", device, "-t", "opcodeprof", "--", "/bin/sh",
                           "-c", TWICE, mark, *program], capture_output=True, text=True,
                          env={**os.environ, "SONDE_TEST_NO_SERVER": "1"}, check=False)
    print(done.stdout + done.stderr)
    if not os.path.exists(mark):
        sys.exit("the program did not run")
if done.returncode != 0 or not done.stdout.startswith("identical"):
    sys.exit(f"exit status {done.returncode}")
