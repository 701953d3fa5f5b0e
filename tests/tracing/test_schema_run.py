#!/usr/bin/env python3
"""Profiling schemas on the emulated GPU: the shipped ones report what the tools
of their names do, and probes on kernels whose right answer is known by hand
(golden.c): 256 work-items, 16 hardware threads. Arguments: sonde, golden,
doc/schema.md, device."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, run

GOLDEN = DEVICE = MANUAL = None
THREADS, ITEMS = 16, 256


def record(kernel, *options, program=()):
    return expect(run("run", "-q", "--device", DEVICE, *options, "--", GOLDEN, kernel, *program), 0)


def reports(*tools):
    found = json.loads(expect(run("report", "--format=json", "-t", ",".join(tools)), 0).out)
    return {report["tool"]: report for report in found["reports"]}


def plain(report):
    """Without addresses that change from run to run (arguments, in registers)."""
    return [{key: value for key, value in row.items()
             if not (str(value).startswith("0x") and int(value, 16) > 0xffffff)}
            for row in report.get("rows", report.get("kernels"))]


def same(kernel, tools, *options):
    record(kernel, "-t", ",".join(tools), *options)
    left = reports(*tools)
    record(kernel, *(word for tool in tools for word in ("--schema", tool)), *options)
    right = reports(*tools)
    for tool in tools:
        check(plain(left[tool]) == plain(right[tool]),
              f"{tool}: {plain(left[tool])}\nschema: {plain(right[tool])}")
        check(plain(left[tool]) or tool == "race", f"{tool} found nothing")


def shipped_schemas_report_as_tools():
    same("unordered", ["opcodeprof", "bblprof", "simdprof", "flowtrace", "memtrace", "stride",
                       "race", "regtrace"])
    # Which thread of unordered has a line first depends on how much code the others are given.
    same("orders", ["cacheline"])
    for kernel in ("outside", "atomics_outside", "local_outside"):
        same(kernel, ["bounds"])
    for tool in ("latency", "memlatency", "funtime", "occupancy"):
        same("loop" if tool == "latency" else "strides", [tool], "--timing")


def rows(table, kernel, probes, *options, program=()):
    """Rows by probe of one of the two tables of schemas."""
    words = [word for probe in probes for word in ("--at", probe)]
    record(kernel, *options, *words, program=program)
    found = {}
    for row in reports(table)[table]["rows"]:
        found.setdefault(row["probe"], []).append(row)
    return found


def counters():
    found = rows("schema", "loop", [
        "name=heads block=loop-head collect=count into=counter",
        "name=body block=loop class=integer collect=count into=counter",
        "name=ends block=exit collect=count into=counter",
        "name=ticks block=kernel collect=time into=counter",
        "name=stores message=write collect=lanes into=counter",
        "name=groups block=exit collect=register registers=r0.1 into=counter",
        "name=nothing kernel=other block=every collect=count into=counter"], "--timing")
    # The loop runs table[10] = 10 times in each of 16 threads.
    check([row["executions"] for row in found["heads"]] == [10 * THREADS], found["heads"])
    check(len(found["body"]) > 2 and
          all(row["executions"] == 10 * THREADS for row in found["body"]), found["body"])
    check([row["executions"] for row in found["ends"]] == [THREADS], found["ends"])
    check([(row["executions"], row["skipped"] if "skipped" in row else 0)
           for row in found["ticks"]] == [(THREADS, 0)] and found["ticks"][0]["sum"] > 0,
          found["ticks"])
    check([(row["sum"], row["opcode"][:4]) for row in found["stores"]] == [(ITEMS, "send")],
          found["stores"])
    # r0.1 is the number of the group in x: four threads in each of 0 to 3.
    check([row["sum"] for row in found["groups"]] == [4 * (1 + 2 + 3)], found["groups"])
    check("nothing" not in found, found)
    dumped = {one["tool"]: one["items"] for one in
              json.loads(expect(run("dump", "--format", "json"), 0).out)["counters"]}
    check([(item["kind"], item["value"]) for item in dumped["schema:heads"]] ==
          [("executions", 10 * THREADS)], dumped["schema:heads"])


def histograms():
    found = rows("histogram", "lanes", [
        "name=stores message=write collect=lanes into=histogram",
        "name=heads block=exit collect=lanes into=histogram",
        "name=groups block=exit collect=register registers=r0.1 into=histogram",
        "name=ticks block=kernel collect=time into=histogram"], "--timing")

    def bins(name):
        return [(row["from"], row["to"], row["times"]) for row in found[name]]
    # The 64 items that store are 4 in each thread: table[] is a multiple of 4 there.
    check(bins("stores") == [(4, 7, THREADS)], found["stores"])
    check(bins("heads") == [(16, 31, THREADS)], found["heads"])
    check(bins("groups") == [(0, 0, 4), (1, 1, 4), (2, 3, 8)], found["groups"])
    check(sum(row["times"] for row in found["ticks"]) == THREADS and
          all(row["from"] > 1 for row in found["ticks"]), found["ticks"])


def arguments():
    probes = ["name=factor block=entry collect=argument argument=3 into=INTO",
              "name=b block=entry collect=argument argument=b into=INTO"]
    found = rows("schema", "scaled", [probe.replace("INTO", "counter") for probe in probes],
                 program=["-cl-kernel-arg-info"])
    check([(row["executions"], row["sum"], row["mean"]) for row in found["factor"]] ==
          [(THREADS, 7 * THREADS, 7.0)], found)
    check([(row["executions"], row["mean"]) for row in found["b"]] == [(THREADS, 200.0)], found)
    found = rows("histogram", "scaled", [probe.replace("INTO", "histogram") for probe in probes],
                 program=["-cl-kernel-arg-info"])
    check([(row["from"], row["to"], row["times"]) for row in found["factor"]] ==
          [(4, 7, THREADS)], found)
    found = rows("schema", "scaled", [probe.replace("INTO", "trace") for probe in probes],
                 program=["-cl-kernel-arg-info"])
    for name, value in (("factor", 7), ("b", 200)):
        check([(row["collects"], row["executions"], row["sum"], row["lowest"], row["highest"])
               for row in found[name]] ==
              [("value", THREADS, THREADS * value, hex(value), hex(value))], found)
    record("loop", "--at", probes[0].replace("INTO", "counter"))
    has(expect(run("info"), 0).out, "probe factor left out 1 of 1 points", "no such argument")


def wide_arguments():
    """64 bits and 16 bits, and pointers: what the host passed."""
    seed, small = 0x123456789a, 300
    probes = ["name=seed block=entry collect=argument argument=3 into=INTO",
              "name=small block=entry collect=argument argument=4 into=INTO",
              "name=out block=entry collect=argument argument=2 into=INTO"]
    found = rows("schema", "seeded", [probe.replace("INTO", "counter") for probe in probes])
    check([(row["executions"], row["sum"]) for row in found["seed"]] ==
          [(THREADS, seed * THREADS)], found)
    check([(row["executions"], row["sum"]) for row in found["small"]] ==
          [(THREADS, small * THREADS)], found)
    found = rows("histogram", "seeded", [probe.replace("INTO", "histogram") for probe in probes])
    check([(row["from"], row["to"], row["times"]) for row in found["seed"]] ==
          [(1 << 36, (1 << 37) - 1, THREADS)], found)
    check([(row["from"], row["to"], row["times"]) for row in found["small"]] ==
          [(256, 511, THREADS)], found)
    found = rows("schema", "seeded", [probe.replace("INTO", "trace") for probe in probes])
    for name, value in (("seed", seed), ("small", small)):
        check([(row["collects"], row["executions"], row["sum"], row["lowest"], row["highest"])
               for row in found[name]] ==
              [("value", THREADS, value * THREADS, hex(value), hex(value))], found)
    # An address that the program knows: of shared memory.
    row = rows("schema", "seeded", ["name=in block=entry collect=argument argument=0 into=trace"],
               program=["", "svm"])["in"][0]
    told = re.search(r"buffer: dispatch 0, argument 0, .*(0x[0-9a-f]+)", expect(run("dump"), 0).out)
    check(told and row["lowest"] == row["highest"] == told[1], f"{row} and {told and told[0]}")
    words = [word for probe in probes for into in ("counter", "histogram", "trace")
             for word in ("--at", probe.replace("INTO", into).replace("name=", "name=" + into))]
    out = expect(run("verify", "--device", DEVICE, *words, "--", GOLDEN, "seeded"), 0).out
    has(out, "identical: schema changes nothing", "all of them")


def traces():
    found = rows("schema", "strides", [
        "name=stores message=write space=global collect=addresses into=trace",
        "name=lanes message=write collect=lanes into=trace",
        "name=visits block=exit collect=count into=trace",
        "name=times message=write collect=time into=trace",
        "name=groups block=exit collect=register registers=r0 into=trace"])
    check([(row["executions"], row["sum"], row["lowest"], row["highest"])
           for row in found["stores"]] == [(THREADS, ITEMS, "0x0", hex(4 * 255))], found["stores"])
    check([(row["executions"], row["sum"], row["lowest"], row["highest"])
           for row in found["lanes"]] == [(THREADS, ITEMS, "0x10", "0x10")], found["lanes"])
    check([row["executions"] for row in found["visits"]] == [THREADS], found["visits"])
    check([row["executions"] for row in found["times"]] == [THREADS], found["times"])
    check([(row["collects"], row["executions"]) for row in found["groups"]] == [("r0", THREADS)],
          found["groups"])


def source_lines():
    # Line 4 is the only one of kernel strides with accesses of its own.
    found = rows("schema", "strides", [
        "name=here source=4 class=memory collect=count into=counter",
        "name=also source=2-4 class=memory collect=count into=counter",
        "name=there source=3 class=memory collect=count into=counter",
        "name=other source=other.cl:4 class=memory collect=count into=counter"], program=["-g"])
    check([row["executions"] for row in found["here"]] == [THREADS] * 5, found)
    record("strides", "--at", "source=4 class=memory collect=count into=counter")
    has(expect(run("info"), 0).out, "build its program with -g", "a program without lines")
    check(len(found["also"]) >= 5 and "there" not in found and "other" not in found, found)


def manual():
    """The schemas that doc/schema.md shows run, and change nothing."""
    examples = re.findall(r"```yaml\n(.*?)```", open(MANUAL, encoding="utf-8").read(), re.S)
    words = []
    for number, example in enumerate(examples):
        # One run for all: filters belong to a single schema each.
        example = re.sub(r"(?m)^(kernel|exclude|threads|groups): .*\n", "", example)
        with open(f"m{number}.yaml", "w", encoding="utf-8") as file:
            file.write(example)
        words += ["--schema", f"m{number}.yaml"]
    check(len(examples) >= 4, examples)
    out = expect(run("verify", "--device", DEVICE, *words, "--", GOLDEN, "lanes", "-g"), 0).out
    has(out, "identical: schema changes nothing", "manual")


def verified():
    with open("some.yaml", "w", encoding="utf-8") as file:
        file.write("schema: 1\nprobes:\n"
                   "- {class: memory, collect: lanes, into: histogram}\n"
                   "- {class: masked, collect: lanes, into: counter}\n"
                   "- {class: memory, collect: addresses, into: trace}\n"
                   "- {class: load, collect: register, into: trace}\n"
                   "- {block: every, collect: time, into: counter}\n")
    for kernel in ("lanes", "loop"):
        out = expect(run("verify", "--device", DEVICE, "--schema", "some.yaml", "--", GOLDEN,
                         kernel), 0).out
        has(out, r"identical: schema changes nothing and counts right", kernel)
        has(out, r"records +\d\d+ against the device's own events", kernel)


def rounding_modes():
    """Values of every instruction, between changes of the mode as well: nothing moves."""
    found = rows("schema", "rounded", ["name=all opcode=mov,add,mul collect=register into=trace"])
    check(len({row["instruction"] for row in found["all"]}) > 8, found)
    out = expect(run("verify", "--device", DEVICE, "--at",
                     "class=every collect=register into=trace", "--at",
                     "class=every collect=time into=counter", "--", GOLDEN, "rounded"), 0).out
    has(out, r"identical: schema changes nothing", "rounded")


def refusals():
    def says(status, pattern, *options):
        has(expect(run("run", "--device", DEVICE, *options, "--", GOLDEN, "loop"), status).err,
            pattern, " ".join(options))
    says(125, r"--at:1:7: class takes no 'memry'; did you mean 'memory'\?",
         "--at", "class=memry collect=count into=counter")
    says(125, "needs --schema or --at", "-t", "schema")
    says(125, "no schema file 'bblprf'.*did you mean 'bblprof'", "--schema", "bblprf")
    # Points at which no code can stand are told of; the others are there.
    result = expect(run("run", "--device", DEVICE, "--at",
                        "name=all class=every collect=time into=counter", "--", GOLDEN, "loop"), 0)
    has(result.err, r"probe all left out \d+ of \d+ points in kernel loop", "left out")
    has(result.err, r"all +\d+ +\d+ +\w+ +ticks +16 ", "report")


harness.SONDE, GOLDEN, MANUAL = map(os.path.abspath, sys.argv[1:4])
DEVICE = sys.argv[4]
sys.exit(harness.main([shipped_schemas_report_as_tools, counters, histograms, arguments, wide_arguments, traces, source_lines, manual, verified, rounding_modes,
                       refusals]))
