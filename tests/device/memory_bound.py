#!/usr/bin/env python3
"""The emulated GPU keeps no more than twice a program's buffers and 256 MiB.

memory_bound.py SONDE PRELOAD DEVICE PROGRAM...: PRELOAD is bench/kernel_time.c,
which notes the program's buffers and the server's resident memory at its end."""
import json
import os
import subprocess
import sys
import tempfile

LEAST_BUFFERS = 64 << 20


def main():
    sonde, preload, device, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        noted = os.path.join(folder, "noted")
        done = subprocess.run([sonde, "run", "--quiet", "-t", "none", "--device", device, "-o",
                               os.path.join(folder, "trace"), "--"] + program,
                              env={**os.environ, "LD_PRELOAD": preload, "KERNEL_TIME": noted},
                              check=False)
        if done.returncode != 0:
            return f"the program ended with status {done.returncode}"
        with open(noted, encoding="ascii") as file:
            seen = json.loads(file.readline())
    buffers, server = seen["buffer_bytes"], seen["server_bytes"]
    print(f"{device}: {buffers / 2**20:.1f} MiB of buffers, {server / 2**20:.1f} MiB resident")
    if buffers < LEAST_BUFFERS or server < buffers:
        return "the memory was not measured: the program has few buffers, or there is no server"
    if server > 2 * buffers + (256 << 20):
        return "the server keeps more than twice the buffers and 256 MiB"
    return 0


sys.exit(main())
