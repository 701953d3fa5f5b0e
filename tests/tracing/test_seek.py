#!/usr/bin/env python3
"""Parts of a run by its index, and runs whose program was killed. Arguments:
sonde, the device, programs: split, control_flow."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, run

DEVICE = sys.argv[2]
SPLIT, CONTROL_FLOW = [os.path.abspath(a) for a in sys.argv[3:]]


def records(text):
    """Records with their items, and (dispatch, thread, time) of each."""
    found = []
    for part in re.split(r"(?m)^(?=record )", text)[1:]:
        lines = part.splitlines()
        body = [lines[0]] + [line for line in lines[1:] if line.startswith("  ")]
        match = re.match(r"record \d+: dispatch (\d+), thread (0x[0-9a-f]+), .* time (\d+)", part)
        found.append(((int(match[1]), match[2], int(match[3])), body))
    return found


def dumped(*options, directory="seek"):
    return records(expect(run("dump", "-i", directory, *options), 0).out)


def record():
    expect(run("run", "-q", "--device", DEVICE, "--timing", "-t", "memtrace,flowtrace", "-o",
               "seek", "--", SPLIT), 0)


def parts_are_found():
    """What is asked for, and all of it."""
    record()
    whole = dumped()
    check(len(whole) > 500, "too few records to choose from")
    times = sorted(key[2] for key, _ in whole)
    early, late = times[len(times) // 3], times[2 * len(times) // 3]
    threads = sorted({key[1] for key, _ in whole})
    for options, wanted in (
            (["--dispatch", "1"], lambda k: k[0] == 1),
            (["--thread", threads[1]], lambda k: k[1] == threads[1]),
            (["--time", f"{early}..{late}"], lambda k: early <= k[2] <= late),
            (["--time", f"{late}.."], lambda k: k[2] >= late),
            (["--time", f"..{early}", "--dispatch", "0"], lambda k: k[2] <= early and k[0] == 0),
            (["-k", "split"], lambda k: True),
            (["-k", "other"], lambda k: False),
            (["--dispatch", "7"], lambda k: False)):
        part = dumped(*options)
        check(part == [entry for entry in whole if wanted(entry[0])], options)
    text = expect(run("dump", "-i", "seek", "--dispatch", "1", "--format", "json"), 0).out
    found = json.loads(text)["records"]
    check([r["time"] for r in found] == [k[2] for k, _ in whole if k[0] == 1], "JSON")
    check(any(item["kind"] == "addresses" and item["words"] for r in found for item in r["items"]),
          "no items in JSON")
    for bad in (["--time", "5"], ["--time", "9..3"], ["--time", ".."], ["--thread", "x"],
                ["--dispatch", "-1"]):
        check(run("dump", "-i", "seek", *bad).status == 2, bad)


def the_rest_is_not_read():
    """Damage elsewhere stays unnoticed; where it is, it is an error."""
    record()
    name = next(n for n in os.listdir("seek") if n.startswith("process-"))
    with open(os.path.join("seek", name), "r+b") as file:
        data = bytearray(file.read())
        at, damaged = 32, 0
        while at + 32 <= len(data):
            stored = int.from_bytes(data[at + 8:at + 12], "little")
            kind = int.from_bytes(data[at + 4:at + 6], "little")
            if kind == 17 and int.from_bytes(data[at + 32:at + 36], "little") != 1:
                for i in range(at + 32 + 60, at + 32 + stored):
                    data[i] ^= 0x55
                damaged += 1
            at += 32 + stored
        check(damaged >= 2, "other stretches")
        os.rename("seek", "damaged")
        with open(os.path.join("damaged", name), "wb") as copy:
            copy.write(data)
    result = expect(run("dump", "-i", "damaged", "--dispatch", "1"), 0)
    check(len(records(result.out)) > 100 and result.err == "", result.err)
    result = expect(run("dump", "-i", "damaged", "--dispatch", "0"), 1)
    has(result.err, "records of dispatch 0 from byte 0 are damaged", "what is wrong")
    # Read as a whole it is repaired: what is there is shown, what is missing said.
    result = expect(run("info", "-i", "damaged"), 0)
    has(result.err, "missing|damaged", "warning")
    check({key[0] for key, _ in dumped(directory="damaged")} == {1}, "other records")


def info_for_programs():
    expect(run("run", "-q", "--device", DEVICE, "-t", "memtrace", "-o", "run", "--records",
               "window", "--max-buffer", "8K", "--", SPLIT), 0)
    for option in (["--json"], ["--format", "json"]):
        found = json.loads(expect(run("info", "-i", "run", *option), 0).out)
        check(found["processes"][0]["records"] == "window", found)
        check(found["processes"][0]["record_space"] == 8192, found)
        check(found["dispatches"] == 3 and found["lost_records"] == 0, found)
        check([t["mode"] for t in found["record_totals"]] == 3 * ["window"], found)
        check(found["kernels"][0]["name"] == "split" and found["kernels"][0]["dispatches"] == 3,
              found)


def killed(how, delay):
    """Run, kill the program after a while, and read what it left."""
    process = harness.start("run", "-q", "--device", DEVICE, "-t", "flowtrace,memtrace", "-o",
                            "killed", *how, "--", CONTROL_FLOW)
    end, victim = time.monotonic() + 20, None
    while victim is None and time.monotonic() < end and process.poll() is None:
        victim = next((pid for pid, name in harness.marked(process.mark)
                       if name == os.path.basename(CONTROL_FLOW)[:15]), None)
    time.sleep(delay)
    try:
        os.kill(victim, signal.SIGKILL)
    except (ProcessLookupError, TypeError):
        pass
    process.communicate(timeout=60)
    text = expect(run("info", "-i", "killed"), 0).out
    count = len(records(expect(run("dump", "-i", "killed"), 0).out))
    has(text, "control_flow|no process of the run", "info")
    run("report", "-i", "killed")
    return count, "ended no" in text


def killed_programs_leave_what_they_did():
    random.seed(5)
    counts = []
    for how in (["--records", "drain", "--max-buffer", "64K"], []):
        for _ in range(4):
            counts.append(killed(how, random.uniform(0.05, 0.8)))
    check(any(cut for _, cut in counts), f"nothing was killed in time: {counts}")


harness.SONDE = os.path.abspath(sys.argv[1])
sys.exit(harness.main([parts_are_found, the_rest_is_not_read, info_for_programs,
                       killed_programs_leave_what_they_did]))
