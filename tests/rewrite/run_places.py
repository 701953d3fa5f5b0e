#!/usr/bin/env python3
"""Code at every place of the programs' kernels: it runs as often as it should, the
programs compute what they did, and the counts of another tool beside it are
the emulated GPU's own. Arguments: sonde, device, the tool, programs."""
import os
import re
import subprocess
import sys
import tempfile

sonde, device, tool, *programs = sys.argv[1:]


def sonde_says(command, expected, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, **environment), check=False)
    if done.returncode != 0 or expected not in done.stdout:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def check(program, out, replaces):
    shown = sonde_says([sonde, "info", "-i", out], "places:")
    for line in re.findall(r"places: (.*)", shown):
        good = re.fullmatch(r"(\d+) counts agree, (\d+) threads, (\d+) replaced", line)
        if not good or int(good[1]) < 10 or int(good[2]) == 0 or (int(good[3]) != 0) != replaces:
            sys.exit(f"{program}: {line}")
        print(program, line)


with tempfile.TemporaryDirectory() as folder:
    for program in programs:
        sonde_says([sonde, "verify", "--device", "emu:" + device, "-t", "opcodeprof," + tool, "-o",
                    folder + "/verified", "--", program], "identical:")
        for replaces in (False, True):
            # The program looks at its results itself.
            out = f"{folder}/{replaces}"
            sonde_says([sonde, "run", "--device", "emu:" + device, "-t", tool, "-o", out, "--",
                        program], "PASS", **({"REPLACE": "1"} if replaces else {}))
            check(program, out, replaces)
