#!/usr/bin/env python3
"""Which kernels and dispatches a run instruments, and which of them reports, dumps and
exports show. Arguments: sonde, device, the example scan (two kernels: scan_blocks
twice, then add_totals) and split (one kernel, three dispatches)."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, run

DEVICE = SCAN = SPLIT = None
FIRST, SECOND = "scan_blocks", "add_totals"
BOTH = {FIRST, SECOND}


def record(program, *options, directory="run", tools="bblprof,flowtrace"):
    result = expect(run("run", "--device", DEVICE, "-t", tools, "-o", directory, *options, "--",
                        program), 0)
    has(result.out, "PASS", "the program's own result")
    return result


def dumped(directory="run", *options):
    return json.loads(expect(run("dump", "-i", directory, "--format=json", *options), 0).out)


def instrumented(directory="run"):
    """(kernel, number of the dispatch) of all that were."""
    found = dumped(directory)
    names = {kernel["id"]: kernel["name"] for kernel in found["kernels"]}
    return [(names[one["kernel"]], one["id"]) for one in found["dispatches"]
            if one["instrumented"]]


def kernels(directory="run"):
    """(SIMD width, hash) of each, as dump says them."""
    text = expect(run("dump", "-i", directory), 0).out
    return {name: (width, hash_) for name, width, hash_ in
            re.findall(r"(?m)^kernel \d+: (\w+), .* SIMD(\d+), hash (\w+)", text)}


def patterns():
    """What each way of naming chooses."""
    record(SCAN, directory="all")
    known = kernels("all")
    check(set(known) == BOTH and known[FIRST][1] != known[SECOND][1], known)
    width = known[FIRST][0]
    return [(["-k", FIRST], {FIRST}), (["-k", "scan"], set()),  # the whole name
            (["-k", "*_totals"], {SECOND}), (["-k", "[as]*_*o*"], BOTH),  # shell patterns
            (["-k", "add_total?"], {SECOND}), (["-k", "sub:_block"], {FIRST}),
            (["-k", "sub:*"], set()),  # no pattern in it
            (["-k", "re:^scan"], {FIRST}), (["-k", "re:s$"], BOTH),
            (["-k", "re:^(scan|add)_t"], {SECOND}),
            (["-k", f"hash:{known[SECOND][1]}"], {SECOND}),
            (["-k", "hash:1234"], set()),
            (["-k", f"simd:{width}"], {name for name in BOTH if known[name][0] == width}),
            (["-k", "simd:1"], set()),
            (["-k", FIRST, "-k", "sub:total"], BOTH)]


def runs_take_the_chosen():
    chosen = patterns()[2:-1:2]  # results below are chosen in all ways, by the same code
    for options, names in chosen + [(["-x", "scan*"], {SECOND}),
                                    (["-k", "re:.", "-x", "sub:total"], {FIRST})]:
        result = record(SCAN, *options)
        found = {name for name, _ in instrumented()}
        check(found == names, f"{options}: {found}")
        if not names:
            has(result.err, "no kernel was instrumented", options)


def results_show_the_chosen():
    chosen = patterns()
    whole = dumped("all")
    name_of = {one["id"]: one["name"] for one in whole["kernels"]}
    name_of = {one["id"]: name_of[one["kernel"]] for one in whole["dispatches"]}
    for options, names in chosen:
        found = run("report", "-i", "all", "--format=json", *options)
        check(found.status == (0 if names else 1), f"{options}: {found}")
        if names:
            reports = {one["tool"]: one for one in json.loads(found.out)["reports"]}
            check({row["kernel"] for row in reports["flowtrace"]["rows"]} == names, options)
            check({one["kernel"] for one in reports["bblprof"]["kernels"]} == names, options)
        records = dumped("all", *options)["records"]
        check(records == [one for one in whole["records"]
                          if name_of[one["dispatch"]] in names], options)
        exported = run("export", "-i", "all", "--format=json", "-o", "-", "-t", "flowtrace",
                       *options)
        check(exported.status == (0 if names else 1), f"{options}: {exported}")
        if names:
            check({row["kernel"] for row in json.loads(exported.out)["tables"]["flowtrace"]} ==
                  names, options)


def dispatches_are_chosen():
    """Of the kernels that are chosen; each is recorded as it is in a whole run."""
    record(SPLIT, directory="all", tools="flowtrace")
    whole = dumped("all")["records"]
    for options, numbers in ((["--skip=1"], [1, 2]), (["--count=1"], [0]),
                             (["--skip=1", "--count=1"], [1]), (["--skip=2", "--count=9"], [2]),
                             (["--skip=3"], [])):
        record(SPLIT, *options, tools="flowtrace")
        check([number for _, number in instrumented()] == numbers, f"{options}")

        def way(records, number):
            """Of each hardware thread: they do not take turns the same way each time."""
            found = {}
            for one in records:
                if one["dispatch"] == number:
                    found.setdefault(one["thread"], []).append((one.get("block"), one["enabled"]))
            return found
        for number in range(3):
            check(way(dumped()["records"], number) ==
                  (way(whole, number) if number in numbers else {}), f"{options}: {number}")
    # Dispatch 2 is the first one of add_totals.
    record(SCAN, "-k", SECOND, "--count=1", tools="bblprof")
    check(instrumented() == [(SECOND, 2)], instrumented())
    record(SCAN, "-k", SECOND, "--skip=1", tools="bblprof")
    check(instrumented() == [], instrumented())


harness.SONDE, SCAN, SPLIT = map(os.path.abspath, (sys.argv[1], *sys.argv[3:]))
DEVICE = sys.argv[2]
sys.exit(harness.main([runs_take_the_chosen, results_show_the_chosen, dispatches_are_chosen]))
