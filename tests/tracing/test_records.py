#!/usr/bin/env python3
"""Records of programs on the emulated GPU: sized to the byte, cut at a limit,
never lost unnoticed. Arguments: sonde, the device, the example programs."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, predicted

EXAMPLES = DEVICE = None


def run(command, *options):
    device = command == "run" or (command == "verify" and "--compare" not in options)
    return harness.run(command, *(["--device", DEVICE] if device else []), *options)


def example(name):
    return os.path.join(EXAMPLES, name)


def records(directory):
    """Records by (dispatch, thread), without times, and the registers with buffers' addresses."""
    found = {}
    text = expect(run("dump", "-i", directory), 0).out
    for part in re.split(r"(?m)^(?=record )", text)[1:]:
        part = re.sub(r"(?m)^(dispatch|counts|loss|message|process|kernel)[^\n]*\n?", "", part)
        match = re.match(r"record (\d+): dispatch (\d+), thread (0x[0-9a-f]+), ", part)
        body = re.sub(r", time \d+|(?m:^  registers (?:after )?at .*$)", "", part[match.end():])
        found.setdefault((match[2], match[3]), []).append(body)
    return found


def sizes_are_predicted():
    for name in ("reduction", "histogram", "control_flow"):
        result = expect(run("run", "-t", "memtrace,flowtrace", "--",
                            example(name)), 0)
        has(result.out, "PASS", name)
        predicted(result)
        has(result.err, r"records    \d+ kept, 0 lost", name)


def a_limit_cuts():
    expect(run("run", "-q", "-o", "full", "-t", "memtrace", "--", example("reduction")), 0)
    result = expect(run("run", "-o", "cut", "-t", "memtrace", "--max-buffer", "8K", "--",
                        example("reduction")), 0)
    has(result.out, "PASS", "the program's own result")
    lost = re.search(r"warning: records    (\d+) kept, (\d+) lost", result.err)
    check(lost, result)
    has(result.err, r"the space for records was full: 8192 of \d+ bytes in dispatch 0", "why")
    has(result.err, "see --max-buffer", "what to do")
    full, cut = records("full"), records("cut")
    kept = sum(map(len, cut.values()))
    check(kept == int(lost[1]), f"{kept} records are in the trace, {lost[1]} were kept")
    check(kept + int(lost[2]) == sum(map(len, full.values())), "kept and lost are not all")
    for key, part in cut.items():
        check(full[key][:len(part)] == part, f"thread {key}: no prefix")
    has(expect(run("info", "-i", "cut"), 0).out, rf", {lost[2]} lost", "info")
    has(expect(run("dump", "-i", "cut"), 0).out, rf"loss: dispatch 0, {lost[2]} records", "dump")


def truncate_counts_nothing_first():
    result = expect(run("run", "-t", "flowtrace", "--records", "truncate", "--",
                        example("reduction")), 0)
    check("predicted" not in result.err, result)
    has(result.err, r"records    \d+ kept, 0 lost", "summary")


def no_space_at_all():
    result = expect(run("run", "-t", "flowtrace", "--max-buffer", "0", "--",
                        example("vector_add")), 0)
    has(result.out, "PASS", "the program's own result")
    has(result.err, r"records    0 kept, \d+ lost", "summary")


def wrong_sizes():
    for size in ("x", "1T", "3G", "-1", "1KB", ""):
        result = run("run", "-t", "flowtrace", "--max-buffer", size, "--", example("vector_add"))
        check(result.status == 125, result)
        has(result.err, "--max-buffer takes a number of bytes", size)


def stored_counts():
    """What one run counted gives a later one its space, without a second count."""
    program = example("reduction")
    expect(run("run", "-q", "-o", "first", "-t", "memtrace", "--", program), 0)
    result = expect(run("run", "-o", "again", "-t", "memtrace", "--counts-from", "first", "--",
                        program), 0)
    used = re.search(r"records: dispatch 0, sized, \d+ in (\d+) bytes",
                     expect(run("info", "-i", "first"), 0).out)[1]
    has(result.err, rf"space      as in the run of --counts-from, {used} bytes used", "summary")
    has(result.err, r"records    \d+ kept, 0 lost", "summary")
    lengths = [{key: len(part) for key, part in records(name).items()}
               for name in ("first", "again")]
    check(lengths[0] == lengths[1], "the records differ")
    # Another kernel is not known there: it is counted.
    result = expect(run("run", "-t", "memtrace", "--counts-from", "first", "--",
                        example("vector_add")), 0)
    has(result.err, r"bytes of records predicted", "another kernel")
    result = run("run", "-t", "memtrace", "--counts-from", "nowhere", "--", program)
    check(result.status == 125, result)


def kernels_are_chosen():
    """By part of the name, SIMD width and hash, when recorded and when reported."""
    program = example("reduction")
    expect(run("run", "-q", "-t", "memtrace", "--", program), 0)
    info = expect(run("dump"), 0).out
    width, hash_ = re.search(r"kernel 0: reduction, .* SIMD(\d+), hash (\w+)", info).groups()
    for pattern in ("sub:educt", f"simd:{width}", f"hash:{hash_}"):
        check("reduction: SIMD" in expect(run("report", "-k", pattern), 0).out, pattern)
        result = expect(run("run", "-t", "memtrace", "-k", pattern, "--", program), 0)
        has(result.err, "kernels    1 instrumented", pattern)
    for pattern in ("sub:nothing", "simd:64", "hash:1"):
        result = expect(run("run", "-t", "memtrace", "-k", pattern, "--", program), 0)
        has(result.err, "no kernel was instrumented", pattern)
    for pattern in ("simd:x", "hash:", "hash:xyz"):
        result = run("run", "-t", "memtrace", "-k", pattern, "--", program)
        check(result.status == 125, result)
        has(result.err, "names no", pattern)


def runs_are_compared():
    expect(run("run", "-q", "-o", "a", "-t", "memtrace,bblprof", "--", example("vector_add")), 0)
    expect(run("run", "-q", "-o", "b", "-t", "memtrace,bblprof", "--", example("vector_add")), 0)
    expect(run("run", "-q", "-o", "c", "-t", "memtrace,bblprof", "--", example("vector_add"),
               "2000"), 0)
    has(expect(run("diff", "a", "b"), 0).out, r"[1-9]\d* figures compared, 0 differ; 0 rows",
        "the same")
    found = json.loads(expect(run("diff", "--format=json", "a", "c"), 1).out)
    check(found["different"] == len(found["differences"]) > 0 == found["only_left"], found)
    check({row["tool"] for row in found["differences"]} == {"memtrace", "bblprof"}, found)
    # Addresses go from 4 * 999 to 4 * 1999.
    check(any((row["figure"], row["left"], row["right"]) == ("highest", 3996, 7996)
              for row in found["differences"]), found)
    expect(run("diff", "a", "nowhere"), 2)
    # Every tool that finds anything there; twice the work-items change it.
    tools = ("opcodeprof", "bblprof", "simdprof", "latency", "memlatency", "funtime", "flowtrace",
             "occupancy", "memtrace", "stride", "cacheline", "regtrace")
    for name, size in (("one", "1024"), ("two", "2048")):
        expect(run("run", "-q", "--timing", "-o", name, "-t", ",".join(tools), "--",
                   example("vector_add"), size), 0)
    found = json.loads(expect(run("diff", "--format=json", "one", "two"), 1).out)
    check({row["tool"] for row in found["differences"]} >= set(tools), found)
    check(any((row["tool"], row["figure"], row["right"]) ==
              ("memtrace", "executions", 2 * row["left"]) for row in found["differences"]), found)


def streams_are_the_devices_own():
    """verify compares record for record, and finds what does not agree."""
    for options in ([], ["--max-buffer", "16K"]):
        result = expect(run("verify", "-t", "flowtrace,memtrace", *options,
                            "--format", "json", "-o", "kept", "--", example("control_flow")), 0)
        found = json.loads(result.out)
        check(found["identical"] and found["compared_records"] > 100, found)
    with open("kept/instrumented.truth", "r+b") as file:
        data = file.read()
        place = data.index(b"EVNT") + 12 + 12 + 24
        # The first event is a run: instructions, offset, enabled channels.
        check(data[place] & 1 == 0, "no run")
        file.seek(place + 8)
        file.write(bytes([data[place + 8] ^ 1]))
    result = run("verify", "--compare", "kept")
    check(result.status == 0, "the first run stands before the first block")
    places = [i for i in range(place, min(len(data), place + 100000), 4)
              if data[i:i + 12] != b"" and data[i] & 1 and data[i] >> 1 in (1, 2, 4)]
    with open("kept/instrumented.truth", "r+b") as file:
        for at in places:
            file.seek(at + 12)
            file.write(bytes([data[at + 12] ^ 0x10]))
    result = run("verify", "--compare", "kept")
    check(result.status == 1, result)
    has(result.out, r"different: .* difference", "a changed payload")


harness.SONDE = os.path.abspath(sys.argv[1])
DEVICE, EXAMPLES = sys.argv[2], os.path.dirname(os.path.abspath(sys.argv[3]))
sys.exit(harness.main([sizes_are_predicted, a_limit_cuts, truncate_counts_nothing_first,
                       no_space_at_all, wrong_sizes,
                       stored_counts, kernels_are_chosen, runs_are_compared, streams_are_the_devices_own]))
