#!/usr/bin/env python3
"""sonde msp430 run: usage: test_run.py SONDE CRC.elf TIMER.elf OVERFLOW.elf"""
import re
import subprocess
import sys
import tempfile

SONDE, CRC, TIMER, OVERFLOW = sys.argv[1:]


def run(*arguments):
    return subprocess.run([SONDE, "msp430", *arguments], capture_output=True, text=True,
                          check=False, timeout=60)


def check(condition, done):
    if not condition:
        sys.exit(f"{done.args}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")


done = run("run", CRC)
check(done.returncode == 0 and "program ended at" in done.stderr and "<_exit>" in done.stderr, done)
check("r12 = 54539" in done.stderr, done)

done = run("run", CRC, "--until", "1000")
check(done.returncode == 0 and "cycle limit reached" in done.stderr, done)
cycles = int(re.search(r"; (\d+) cycles", done.stderr).group(1))
check(1000 <= cycles <= 1006, done)

done = run("run", CRC, "--until", "main")
check(done.returncode == 0 and re.search(r"stop address reached at 0x[0-9a-f]+ <main>",
                                         done.stderr), done)
done = run("run", CRC, "--until", "nowhere")
check(done.returncode == 2 and "no symbol 'nowhere'" in done.stderr, done)

done = run("run", TIMER, "--events", "-q")
lines = [line.split() for line in done.stderr.splitlines()]
accepted = [int(line[0]) for line in lines if line[1] == "interrupt"]
check(done.returncode == 0 and len(accepted) == 10, done)
check({b - a for a, b in zip(accepted, accepted[1:])} == {500}, done)
check("sonde:" not in done.stderr, done)

done = run("run", OVERFLOW)
check(done.returncode == 1 and "stack in the program's data" in done.stderr, done)
check(done.stderr.count("<deeper+") > 5 and "call stack" in done.stderr, done)
check("push" in done.stderr or "call" in done.stderr, done)

with tempfile.NamedTemporaryFile("w", suffix=".txt") as text:
    text.write("no firmware\n")
    text.flush()
    done = run("run", text.name)
    check(done.returncode == 1 and "neither an ELF file nor Intel HEX" in done.stderr, done)
check(run("run", "/nonexistent").returncode == 1, done)
done = run("run", CRC, "--mcu", "pdp11")
check(done.returncode == 2 and "msp430g2553" in done.stderr, done)
check(run("fly", CRC).returncode == 2, done)
