#!/usr/bin/env python3
"""Records of dispatches that make more than their buffer holds: by windows of
work-groups, and emptied while the kernel runs. Arguments: sonde, the device,
programs: reduction, histogram, split, communicating, opencl-orders."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, predicted, run

DEVICE, REDUCTION, HISTOGRAM, SPLIT, COMMUNICATING, ORDERS = [os.path.abspath(a) if "/" in a else a
                                                      for a in sys.argv[2:]]


def record(directory, program, *options, tools="memtrace,flowtrace"):
    result = expect(run("run", "--device", DEVICE, "-t", tools, "-o", directory, *options, "--",
                        program), 0)
    has(result.out, "PASS", "the program's own result")
    return result if options else predicted(result)


def records(directory):
    """The way of each (dispatch, hardware thread), without times. What messages
    hold besides addresses, and r0, depends on where the driver put things."""
    found = {}
    for line in expect(run("dump", "-i", directory), 0).out.splitlines():
        match = re.match(r"record \d+: dispatch (\d+), thread (0x[0-9a-f]+), (.*), time \d+", line)
        if match:
            found.setdefault((match[1], match[2]), []).append(match[3])
    return found


def totals(directory):
    """(mode, stored, bytes, lost) of each dispatch."""
    info = expect(run("info", "-i", directory), 0).out
    return [(m[1], int(m[2]), int(m[3]), int(m[4])) for m in
            re.finditer(r"records: dispatch \d+, (\w+), (\d+) in (\d+) bytes, (\d+) lost", info)]


def windows_are_the_whole():
    """What windows record is what a buffer of the right size records."""
    for program, space in ((REDUCTION, "64K"), (SPLIT, "4K")):
        record("sized", program)
        result = record("window", program, "--records", "window", "--max-buffer", space)
        has(result.err, r"space      window: \d+ bytes used, \d+ at a time", "summary")
        has(result.err, r"records    \d+ kept, 0 lost", "summary")
        has(expect(run("info", "-i", "window"), 0).out, r"records   window, \d+ bytes", "header")
        full, parts = records("sized"), records("window")
        check(full.keys() == parts.keys(), "other hardware threads")
        for key, part in parts.items():
            check(part == full[key], f"thread {key} differs")
        # Of each message: executions, addresses, bytes; of each block: visits.
        figures = run("diff", "sized", "window").out
        has(figures, r"[1-9]\d* figures compared, .* 0 rows only in the first", "figures")
        for line in figures.splitlines()[:-1]:
            check(re.search(r"(a64|stateless)\): (lowest|highest) ", line), line) # where it is
        limit = 65536 if space == "64K" else 4096
        check(totals("window")[0][2] > limit, "one window was enough")


def groups_that_do_not_fit():
    """A work-group alone that makes too many records: kept and lost are all."""
    record("sized", REDUCTION)
    result = record("window", REDUCTION, "--records", "window", "--max-buffer", "16K")
    has(result.err, r"warning: records    \d+ kept, [1-9]\d* lost", "summary")
    has(result.err, "the space for records was full", "why")
    whole, part = totals("sized")[0], totals("window")[0]
    check(part[1] + part[3] == whole[1], "kept and lost are not all")
    check(part[1] > 3 * 16384 // 1000, "only the first group was recorded")
    check(sum(map(len, records("window").values())) == part[1], "the trace has other records")


def groups_that_communicate():
    """The records are of the run whose effects stand, and a message says that
    work-groups did not do the same twice."""
    result = record("window", COMMUNICATING, "--records", "window", "--max-buffer", "1M",
                    tools="flowtrace")
    has(result.err, r"ranges? of work-groups did not do the same when run again", "summary")
    has(result.err, r"records    \d+ kept, 0 lost", "summary")


def emptied_while_running():
    """Kept and lost are all, and little is lost; verify compares what was kept."""
    for program, space in ((HISTOGRAM, "64K"), (REDUCTION, "256K")):
        record("sized", program)
        record("drain", program, "--records", "drain", "--max-buffer", space)
        whole, part = totals("sized")[0], totals("drain")[0]
        check(part[0] == "drain", part)
        check(part[1] + part[3] == whole[1], "kept and lost are not all")
        check(part[3] <= whole[1] // 4, f"{part[3]} of {whole[1]} records were lost")
    for program, space in ((REDUCTION, "16K"), (SPLIT, "4K")):
        for how in ("drain", "window"):
            result = expect(run("verify", "--device", DEVICE, "-t", "memtrace,flowtrace,bblprof",
                                "--records", how, "--max-buffer", space, "--", program), 0)
            has(result.out, "identical: ", how)


def in_any_order():
    """Enqueues that fail, wait for events or come from several threads: what can
    be recorded is, however the buffers are emptied, in bounded time."""
    whole = {}
    for how in ("sized", "window", "drain"):
        options = ["--records", how] + ([] if how == "sized" else ["--max-buffer", "64K"])
        for order in ("fails", "unblocked") + (("overtaken",) if how != "window" else ()):
            expect(run("run", "-q", "--device", DEVICE, "-t", "flowtrace", "-o", "orders",
                       *options, "--", ORDERS, order), 0)
            found = totals("orders")
            check(all(lost == 0 for _, _, _, lost in found), f"{how} {order}: {found}")
            kept = sum(stored for _, stored, _, _ in found)
            check(kept == whole.setdefault(order, kept) > 0, f"{how} {order}: {kept}")


def no_space_at_all():
    for how in ("window", "drain"):
        result = record("none", SPLIT, "--records", how, "--max-buffer", "0")
        has(result.err, r"records    0 kept, [1-9]\d* lost", how)


def not_on_hardware():
    result = run("run", "--device", "hw", "-t", "memtrace", "--records", "window", "--", SPLIT)
    check(result.status == 125, result)


harness.SONDE = os.path.abspath(sys.argv[1])
sys.exit(harness.main([windows_are_the_whole, groups_that_do_not_fit, groups_that_communicate,
                       emptied_while_running, in_any_order, no_space_at_all, not_on_hardware]))
