#!/usr/bin/env python3
"""The MSP430 simulator beside mspdebug, what marking costs, and how fast call
flows are analysed. Usage: bench/msp430.py BUILD [--rounds N]

All in one run on this machine; times are processor seconds of the whole
program, the smallest of three. mspdebug runs free to a breakpoint at the
program's end, without its tracer."""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIRMWARE = HERE.parent / "firmware"
TARGET = ["--target=msp430", "-mmcu=msp430g2553", "-ffreestanding", "-fno-builtin"]
REPEATS = 3


def processor_seconds(command):
    best = None
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600,
                              check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = spent if best is None else min(best, spent)
    return best, done


def build(folder, rounds):
    clang = shutil.which("clang-14") or shutil.which("clang")
    linker = shutil.which("ld.lld-14") or shutil.which("ld.lld")
    if clang is None or linker is None or shutil.which("mspdebug") is None:
        sys.exit("bench: clang, ld.lld or mspdebug is missing; run scripts/install-dependencies.sh")
    objects = []
    for source, options in ((HERE / "msp430/work.c", ["-Os", f"-DROUNDS={rounds}"]),
                            (FIRMWARE / "runtime/crt0.S", []),
                            (FIRMWARE / "runtime/integer.c", ["-O2", "-ffunction-sections"])):
        objects.append(folder / (source.stem + ".o"))
        subprocess.run([clang, *TARGET, *options, "-c", source, "-o", objects[-1]], check=True)
    elf = folder / "work.elf"
    subprocess.run([linker, "-n", "-q", "--gc-sections", "-T", FIRMWARE / "msp430g2553.ld", "-o",
                    elf, *objects], check=True)
    return elf


def counts(text):
    found = re.search(r"; (\d+) cycles \(\d+ idle\), (\d+) instructions", text)
    return int(found[1]), int(found[2])


def speed(sonde, folder, elf):
    marked, table, run = folder / "marked.elf", folder / "table", folder / "run"
    subprocess.run([sonde, "msp430", "instrument", elf, "-o", marked], check=True,
                   capture_output=True)
    subprocess.run([sonde, "msp430", "instrument", elf, "--side-table", table], check=True,
                   capture_output=True)
    ours, done = processor_seconds([sonde, "msp430", "run", elf])
    cycles, instructions = counts(done.stderr)
    rows = [("sonde, no markers", ours)]
    for name, command in (("sonde, marked", [marked]),
                          ("sonde, marked, recorded", [marked, "-o", run]),
                          ("sonde, side table, recorded", [elf, "--side-table", table, "-o", run])):
        seconds, done = processor_seconds([sonde, "msp430", "run", *command])
        assert counts(done.stderr) == (cycles, instructions), (name, done.stderr)
        rows.append((name, seconds))
    rival, _ = processor_seconds(["mspdebug", "-q", "-n", "sim", f"prog {elf}", "reset",
                                  "setbreak _exit", "run"])
    rows.append(("mspdebug, free run", rival))
    print(f"{instructions} instructions, {cycles} cycles\n")
    print(f"{'':30}{'seconds':>10}{'instructions/s':>18}{'x mspdebug':>13}")
    for name, seconds in rows:
        print(f"{name:30}{seconds:10.2f}{instructions / seconds:18.3g}{rival / seconds:13.1f}")
    return run


def events_in(run, sonde):
    done = subprocess.run([sonde, "info", "-i", run], capture_output=True, text=True, check=True)
    found = re.search(r"(\d+) (?:call )?events", done.stdout) or \
        re.search(r"events\s+(\d+)", done.stdout)
    return int(found[1]) if found else None


def analysis(sonde, run, folder):
    events = events_in(run, sonde)
    size = sum(path.stat().st_size for path in run.rglob("*") if path.is_file())
    print(f"\n{events} events recorded in {size} bytes, {size / events:.2f} bytes an event")
    for name, command in (("report", ["report", "-i", run]),
                          ("export, folded stacks", ["export", "--format", "folded", "-i", run,
                                                     "-o", folder / "out"])):
        seconds, _ = processor_seconds([sonde, *command])
        print(f"{name:30}{seconds:10.2f} s{events / seconds:16.3g} events/s")


def marking(sonde, build_folder, folder):
    print(f"\n{'marking':16}{'code':>8}{'marked':>8}{'added':>8}{'cycles':>12}{'added':>8}")
    for elf in sorted((build_folder / "firmware").glob("*.elf")):
        if elf.stem == "overflow":
            continue
        marked = folder / "one.elf"
        notes = subprocess.run([sonde, "msp430", "instrument", elf, "-o", marked], check=True,
                               capture_output=True, text=True).stderr
        before, after = map(int, re.search(r"code (\d+) -> (\d+) bytes", notes).groups())
        cycles = [counts(subprocess.run([sonde, "msp430", "run", path], check=True,
                                        capture_output=True, text=True).stderr)[0]
                  for path in (elf, marked)]
        print(f"{elf.stem:16}{before:8}{after:8}{100 * (after - before) / before:7.1f}%"
              f"{cycles[0]:12}{cycles[1] - cycles[0]:8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=2500)
    options = parser.parse_args()
    folder = pathlib.Path(options.build).resolve()
    sonde = str(folder / "src/cli/sonde")
    print(f"MSP430, one run on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at its start")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        run = speed(sonde, work, build(work, options.rounds))
        analysis(sonde, run, work)
        marking(sonde, folder, work)
    return 0


sys.exit(main())
