#!/usr/bin/env python3
"""Only some hardware threads and work-groups: kernels of golden.c, 256 work-items
in 4 groups of 4 hardware threads. Arguments: sonde, golden, device."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, run

GOLDEN = DEVICE = None
THREADS, GROUP = 16, 4


def record(kernel, *options):
    result = expect(run("run", "-q", "--device", DEVICE, *options, "--", GOLDEN, kernel), 0)
    check("diverge" not in result.err, result)


def rows(tool):
    found = json.loads(expect(run("report", "--format=json", "-t", tool), 0).out)["reports"][0]
    return found["rows"] if "rows" in found else found["kernels"][0]["rows"]


def executed():
    return max(row["executions"] for row in rows("bblprof"))


def work_groups():
    # The loop's body runs table[10] = 10 times in each thread.
    for groups, count in (("1-2", 2), ("0+2-3,0,*", 3), ("*,1-4294967295", 0)):
        record("loop", "-t", "bblprof,flowtrace,simdprof", "--groups", groups)
        check(executed() == 10 * count * GROUP, f"{groups}: {rows('bblprof')}")
        starts = [row for row in rows("flowtrace") if row["from"] == "start"]
        check(sum(row["times"] for row in starts) == count * GROUP, f"{groups}: {starts}")
        # The bytes predicted are the bytes used.
        has(expect(run("dump"), 0).out,
            r"(?m)^records: .*sized, \d+ in (\d+) bytes, 0 lost, \1 bytes predicted$", groups)
    # What the chosen groups do is what they do without the others: group 1 stores at 256 to 511.
    record("strides", "--groups", "1", "--at",
           "message=write collect=addresses into=trace")
    found = rows("schema")
    check([(row["executions"], row["sum"], row["lowest"], row["highest"]) for row in found] ==
          [(GROUP, 64, hex(4 * 64), hex(4 * 127))], found)


def hardware_threads():
    """Masks that are complements choose every thread once."""
    seen = 0
    for mask in ("slot=0x1", "slot=0xfe"):
        record("ordered", "-t", "bblprof", "--threads", mask)
        seen += executed()
    check(seen == THREADS, seen)
    parts = []
    for mask in ("eu=0x5555", "eu=0xaaaa"):
        record("ordered", "-t", "bblprof", "--threads", mask)
        parts.append(executed())
    check(sum(parts) == THREADS and 0 < parts[0] < THREADS, parts)
    record("ordered", "-t", "bblprof", "--threads", "slice=0x1,eu=0xffff,slot=0xff")
    check(executed() == THREADS, "all of slice 0")
    record("ordered", "-t", "bblprof", "--threads", "slice=0x80000000")
    check(executed() == 0, "there is no slice 31")


def verified():
    for kernel, options in (("loop", ["--groups", "1-2"]),
                            ("ordered", ["--threads", "eu=0x5555,slot=0x3", "--groups", "0-2"])):
        out = expect(run("verify", "--device", DEVICE, "-t", "bblprof,flowtrace,simdprof,latency",
                         *options, "--", GOLDEN, kernel), 0)
        has(out.out, "identical: ", kernel)
        check("diverge" not in out.err, out)


def in_a_schema():
    with open("some.yaml", "w", encoding="utf-8") as file:
        file.write("schema: 1\ngroups: 1-2\nprobes:\n"
                   "- {block: exit, collect: count, into: counter}\n")
    record("loop", "--schema", "some.yaml")
    check([row["executions"] for row in rows("schema")] == [2 * GROUP], rows("schema"))
    record("loop", "--schema", "some.yaml", "--groups", "3")
    check([row["executions"] for row in rows("schema")] == [GROUP], "the command line goes first")


def refusals():
    def says(pattern, *options):
        has(expect(run("run", "--device", DEVICE, *options, "--", GOLDEN, "loop"), 125).err,
            pattern, " ".join(options))
    says("did you mean 'slot'", "--threads", "slit=1")
    says("no FIELD=MASK", "--threads", "3")
    says("eu takes a mask", "--threads", "eu=0")
    says("eu takes a mask", "--threads", "eu=x")
    says("eu comes twice", "--threads", "eu=1,eu=2")
    says("groups in x are", "--groups", "3-1")
    says("groups in y are", "--groups", "1,a")
    says("groups in x are", "--groups", "")
    says("three numbers", "--groups", "1,2,3,4")


harness.SONDE, GOLDEN = map(os.path.abspath, sys.argv[1:3])
DEVICE = sys.argv[3]
sys.exit(harness.main([work_groups, hardware_threads, verified, in_a_schema, refusals]))
