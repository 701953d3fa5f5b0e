#!/usr/bin/env python3
"""processes.py SONDE PROGRAM

Programs under `sonde run`, each with an emulated GPU of its own: ten at once,
and others that are killed at any time, as is `sonde` itself. No process is left."""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

MARK = "SONDE_TEST_PROCESSES"
DEVICES = ("skl", "tgllp", "dg2")


def start(sonde, folder, device, mark, program, **options):
    return subprocess.Popen([sonde, "run", "--device", "emu:" + device, "-o", folder, "--", *program],
                            env={**os.environ, MARK: mark}, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True, **options)


def marked(mark):
    """Processes that were started for this test, by their environment."""
    found, sign = {}, f"{MARK}={mark}".encode()
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and sign in (entry / "environ").read_bytes().split(b"\0"):
                status = (entry / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
                if status != "Z":
                    found[int(entry.name)] = (entry / "comm").read_text(encoding="utf-8").strip()
        except (OSError, PermissionError):
            pass
    return found


def expect_none(mark, seconds=10.0):
    end = time.monotonic() + seconds
    while left := marked(mark):
        assert time.monotonic() < end, f"still there: {left}"
        time.sleep(0.02)


def ten_at_once(sonde, folder, program):
    mark = f"ten-{os.getpid()}"
    running = [start(sonde, f"{folder}/ten{n}", DEVICES[n % 3], mark, program) for n in range(10)]
    for process in running:
        out = process.communicate(timeout=200)[0]
        assert process.returncode == 0, f"{process.returncode}: {out}"
    expect_none(mark)
    print("ten at once: all right, nothing left")


def killed(sonde, folder, program, number, rng):
    """Kill the program or sonde after a time; the rest must end by itself."""
    mark = f"kill-{os.getpid()}-{number}"
    process = start(sonde, f"{folder}/kill{number}", DEVICES[number % 3], mark, program)
    time.sleep(rng.uniform(0, 1.2) if number % 4 else rng.uniform(0, 0.1))
    victims = marked(mark)
    whole = number % 2
    targets = [process.pid] if whole else [p for p, name in victims.items() if p != process.pid]
    for target in targets:
        try:
            os.kill(target, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if whole or targets:
        process.communicate(timeout=60)
    else: # nothing was started yet: sonde goes, too
        process.kill()
        process.communicate(timeout=60)
    expect_none(mark)
    return "sonde" if whole else "the program"


def main():
    sonde, program = sys.argv[1:]
    rng = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        ten_at_once(sonde, folder, [program, "add"])
        for number in range(12):
            victim = killed(sonde, folder, [program, "forever"], number, rng)
            print(f"killed {victim}: nothing left")


main()
