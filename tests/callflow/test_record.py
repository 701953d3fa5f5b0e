#!/usr/bin/env python3
"""sonde msp430 run -o DIR: what is recorded is what --events prints; runs of
before are kept; a simulator that is killed leaves a readable run.
Usage: test_record.py SONDE CLANG LINKER SCRIPT.ld TIMER.elf RECURSION.elf"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

SONDE, CLANG, LINKER, SCRIPT, TIMER, RECURSION = sys.argv[1:]

ENDLESS = """
        .text
        .global _start
        .type _start,@function
_start: mov #__stack, r1
        mov #0x5a80, &0x0120
.Lagain:
        call #work
        jmp .Lagain
        .size _start, .-_start
        .type work,@function
work:   .profile_enter
        inc r12
        .profile_exit
        ret
        .size work, .-work
"""


def sonde(*arguments, status=0):
    done = subprocess.run([SONDE, *map(str, arguments)], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode == status, (done.args, done.returncode, done.stdout, done.stderr)
    return done


def dump(run):
    return json.loads(sonde("dump", "--format=json", "-i", run).stdout)


def printed_events(text):
    pattern = r"^ *(\d+)  ([a-z-]+) +0x([0-9a-f]+).*?  sp 0x([0-9a-f]+)(?:  vector 0x([0-9a-f]+))?$"
    return [(int(c), kind, int(a, 16), int(sp, 16), int(v, 16) if v else None)
            for c, kind, a, sp, v in re.findall(pattern, text, re.M)]


def recorded_events(document):
    return [(call["cycle"], call["kind"], call["address"], call["sp"],
             call.get("vector") if call["kind"] != "reset" else None)
            for call in document["firmware"]["calls"] if call["kind"] != "stack"]


def check_against_events(folder):
    for elf in TIMER, RECURSION:
        run = folder / (pathlib.Path(elf).stem + ".data")
        done = sonde("msp430", "run", elf, "--events", "-o", run)
        document = dump(run)
        events = printed_events(done.stderr)
        assert len(events) > 20 and events == recorded_events(document), elf
        end = document["firmware"]["end"]
        found = re.search(r"; (\d+) cycles \((\d+) idle\), (\d+) instructions, (\d+) interrupts",
                          done.stderr)
        assert [end["cycles"], end["idle_cycles"], end["instructions"], end["interrupts"]] == \
            [int(x) for x in found.groups()]
        assert not end["fault"] and end["reason"] == "program ended"
        names = {symbol["name"] for symbol in document["firmware"]["symbols"]}
        assert "run" in names and document["device"] == "msp430g2553"
        information = sonde("info", "-i", run).stdout
        moves = sum(call["kind"] == "stack" for call in document["firmware"]["calls"])
        assert f"{len(events) + moves} call events, 0 lost" in information, information
        assert f"call {events[-1][0]}: " in sonde("dump", "-i", run).stdout


def check_rotation(folder):
    run = folder / "rotated"
    sonde("msp430", "run", TIMER, "-o", run, "-q")
    first = dump(run)
    sonde("msp430", "run", RECURSION, "-o", run, "-q")
    assert dump(folder / "rotated.old") == first
    assert recorded_events(dump(run)) != recorded_events(first)
    (folder / "other").mkdir()
    (folder / "other" / "file").write_text("precious")
    done = sonde("msp430", "run", TIMER, "-o", folder / "other", status=1)
    assert "no Sonde run" in done.stderr, done.stderr
    assert [path.name for path in (folder / "other").iterdir()] == ["file"]


def check_kill(folder):
    source, marked = folder / "endless.s", folder / "endless_marked.s"
    source.write_text(ENDLESS)
    sonde("msp430", "as", source, "-o", marked)
    target = ["--target=msp430", "-mmcu=msp430g2553"]
    subprocess.run([CLANG, *target, "-c", marked, "-o", folder / "endless.o"], check=True)
    subprocess.run([LINKER, "-n", "-T", SCRIPT, "-o", folder / "endless.elf",
                    folder / "endless.o"], check=True)
    run = folder / "killed"
    process = subprocess.Popen([SONDE, "msp430", "run", folder / "endless.elf", "-o", run],
                               stderr=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        files = list(run.glob("process-*.sonde")) if run.exists() else []
        if files and files[0].stat().st_size > 20000:
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    done = sonde("dump", "--format=json", "-i", run)
    assert "did not end by itself" in done.stderr, done.stderr
    calls = json.loads(done.stdout)["firmware"]["calls"]
    assert len(calls) >= 4096 and "end" not in json.loads(done.stdout)["firmware"]
    # call 5, inc 1, ret 3, jmp 2: a turn of 11 cycles.
    enters = [call["cycle"] for call in calls if call["kind"] == "enter"]
    exits = [call["cycle"] for call in calls if call["kind"] == "exit"]
    assert {b - a for a, b in zip(enters, enters[1:])} == {11}
    assert {b - a for a, b in zip(enters, exits)} == {1}
    assert "end: not recorded" in sonde("info", "-i", run).stdout


def check_cuts(folder):
    """A run cut off anywhere has a report whose cycles add up."""
    run = folder / "cut"
    sonde("msp430", "run", TIMER, "-o", run, "-q")
    (path,) = run.glob("process-*.sonde")
    data, seen = path.read_bytes(), set()
    for cut in range(33, len(data), max(len(data) // 40, 1)):
        path.write_bytes(data[:cut])
        done = subprocess.run([SONDE, "report", "-i", run, "--format=json"], capture_output=True,
                              text=True, check=False, timeout=60)
        assert done.returncode in (0, 1) and "warning" in done.stderr, (cut, done.stderr)
        summary = json.loads(done.stdout).get("callflow") if done.returncode == 0 else None
        if summary is None:
            continue
        parts = sum(summary[key] for key in ("function_cycles", "unmarked_cycles", "idle_cycles",
                                             "interrupt_cycles", "lost_cycles"))
        assert parts == summary["cycles"], (cut, summary)
        assert summary["end"] is None or cut > len(data) - 60, (cut, summary)
        seen.add(summary["cycles"])
    assert len(seen) >= 2, seen


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_against_events(folder)
        check_rotation(folder)
        check_cuts(folder)
        check_kill(folder)


main()
