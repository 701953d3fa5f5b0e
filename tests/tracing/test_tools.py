#!/usr/bin/env python3
"""Each tool on kernels whose right answer is known by hand (golden.c): 256
work-items, 16 hardware threads of 16 channels. Arguments: sonde, golden, the device."""
import csv
import io
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, run

GOLDEN = DEVICE = None
THREADS, ITEMS = 16, 256


def rows(tool, kernel, *options, columns=None):
    """The rows of a tool's report; text, CSV and JSON have to agree."""
    expect(run("run", "-q", "--device", DEVICE, *options, "-t", tool, "--", GOLDEN, kernel), 0)
    more = ["-f", columns] if columns else []
    found = json.loads(expect(run("report", "--format=json", *more), 0).out)["reports"][0]
    check((found["tool"], found["lost_records"], found["missing_bytes"]) == (tool, 0, 0), found)
    table = list(csv.DictReader(io.StringIO(expect(run("report", "--format=csv", *more), 0).out)))
    text = expect(run("report", *more), 0).out
    check(len(table) == len(found["rows"]), f"CSV has {len(table)} rows")
    for one, other in zip(found["rows"], table):
        for key, value in one.items():
            shown = other[key]
            check(str(value) == shown or float(shown) == value, f"{key}: {value} and {shown}")
        cells = [str(other[key]) for key in one if key not in ("kernel", "hash")]
        check(any(line.split() == " ".join(cells).split() for line in text.splitlines()),
              f"no line of {cells} in:\n{text}")
    # What the compiler reads for itself at the start of a kernel on newer parts.
    return [row for row in found["rows"] if row.get("access") != "read stateless"]


def number(row, key):
    return int(row[key], 16)


def total(table, key):
    return sum(row[key] for row in table)


def stride():
    table = rows("stride", "strides", columns="+lines,ideal")
    # in[i], table[i] and out[i]; in[2 * i]; in[table[i]], 37 apart modulo 256.
    check(all(row["executions"] == THREADS for row in table), table)
    check((len(table), total(table, "unit"), total(table, "constant"), total(table, "gather"),
           total(table, "uniform"), total(table, "blocks")) ==
          (5, 3 * THREADS, THREADS, THREADS, 0, 0), table)
    two = [row for row in table if row["constant"] == THREADS][0]
    check((two["lines"], two["ideal"], two["coalesced"]) == (32, 16, 50.0), two)


def cacheline():
    table = rows("cacheline", "strides", columns="+lines")
    writes = [row for row in table if row["access"].startswith("write")]
    check(len(writes) == 1 and len(table) == 5, table)
    check((writes[0]["lines"], writes[0]["footprint"], writes[0]["most"]) == (16, 16, 1), writes)
    reads = sorted(row["lines"] for row in table if row["access"].startswith("read"))
    # 16 lines each of in and table; 32 of in[2 * i]; 16 channels in 16 of 16 lines at 37 apart.
    check(reads[:3] == [16, 16, 32], reads)
    # Nothing is read that was written, and out's lines are written once.
    check(total(table, "raw") + total(table, "war") + total(table, "waw") == 0, table)
    check(total(table, "hits") + total(table, "misses") == total(table, "lines"), table)
    # 16 lines of table, 32 of in, 16 of out; nothing is evicted from 64 KiB.
    check(total(table, "misses") == 64, table)


def memtrace():
    table = rows("memtrace", "strides")
    check(total(table, "addresses") == 5 * ITEMS and total(table, "bytes") == 20 * ITEMS, table)
    ends = sorted(number(row, "highest") for row in table)
    # in[i], table[i], out[i] and in[table[i]] end at 255, in[2 * i] at 510.
    check(ends == [4 * 255] * 4 + [4 * 510], ends)
    check(all(number(row, "lowest") == 0 and row["width"] == 4 for row in table), table)


def simdprof():
    table = rows("simdprof", "lanes", columns="+capacity")
    sends = [row for row in table if row["opcode"].startswith("send")]
    # table[i] by all; in[i] and out[i] by the 64 whose number is a multiple of 4: those of
    # table[i] % 4 == 0, 16 of the first 64 and 48 of the shuffled rest.
    lanes = sorted(row["lanes"] for row in sends)
    check(lanes == [64, 64, 256], sends)
    check(all(row["capacity"] == row["executions"] * row["simd"] for row in table), table)
    check([row["use"] for row in sends if row["lanes"] == 256] == [100.0], sends)


def regtrace():
    table = [row for row in rows("regtrace", "strides") if row["different"] > 16]
    # in[i] and table[i] and in[table[i]] are 0..255, in[2 * i] the even ones to 510.
    check(sum(row["different"] for row in table) == 4 * ITEMS, table)
    check(max(number(row, "highest") for row in table) == 510, table)
    check(all(row["executions"] == THREADS for row in table), table)


def flowtrace():
    table = rows("flowtrace", "loop")
    starts = [row for row in table if row["from"] == "start"]
    check(len(starts) == 1 and starts[0]["times"] == THREADS, table)
    # The loop runs table[10] = 10 times: 9 times back to its head in each thread.
    back = [row for row in table if row["from"] == str(row["to"])]
    check(len(back) == 1 and back[0]["times"] == 9 * THREADS, table)
    check(back[0]["mean-lanes"] == 16.0, back)


def latency():
    table = rows("latency", "loop", "--timing")
    loop = [row for row in table if row["executions"] == 10 * THREADS]
    check(len(loop) == 1 and loop[0]["cycles"] > 0 and total(table, "skipped") == 0, table)
    # A thread's blocks take no longer than the thread, whose clock runs on between them.
    whole = rows("funtime", "loop", "--timing")
    check((len(whole), whole[0]["executions"], whole[0]["skipped"]) == (1, THREADS, 0), whole)
    check(whole[0]["mean"] == round(whole[0]["cycles"] / THREADS, 2), whole)
    reads = rows("memlatency", "strides", "--timing")
    check([row["executions"] for row in reads][-4:] == [THREADS] * 4, reads)
    # No read is faster than L3, and the index of the gather waits for another read.
    check(all(row["mean"] > 20 for row in reads), reads)


def race():
    # 16 threads write one place: each but the first behind another.
    table = rows("race", "racing")
    check([(row["race"], row["times"], row["address"]) for row in table] ==
          [("write after write", THREADS - 1, "0x0")], table)
    check(rows("race", "ordered") == [], "a barrier orders")
    check(rows("race", "atomics") == [], "atomics do not race")
    table = rows("race", "unordered")
    # 4 threads a group, channel l reads what 63 - l wrote: another thread's, all 256.
    check(total(table, "times") == ITEMS, table)
    check({row["race"] for row in table} <= {"read after write", "write after read"}, table)


def occupancy():
    table = rows("occupancy", "loop", "--timing", columns="+covered")
    check(total(table, "threads") == THREADS and len({row["span"] for row in table}) == 1, table)
    for row in table:
        check(row["covered"] <= row["span"] and row["covered"] <= row["busy"] and
              row["busy"] <= row["span"] * row["slots"] and row["threads"] == row["slots"], row)
        check(row["fill"] == round(100 * row["busy"] / (row["span"] * row["slots"]), 2), row)


def losses_are_said():
    result = expect(run("run", "--device", DEVICE, "-t", "stride", "--max-buffer", "2K", "--",
                        GOLDEN, "strides"), 0)
    has(result.err, r"INCOMPLETE: \d+ records were lost", "text report")
    has(result.err, r"warning: records    \d+ kept, \d+ lost", "summary")
    found = json.loads(expect(run("report", "--format=json"), 0).out)["reports"][0]
    check(found["lost_records"] > 0, found)
    has(expect(run("report", "--format=csv"), 0).err, "records were lost", "CSV")


harness.SONDE, GOLDEN = map(os.path.abspath, sys.argv[1:3])
DEVICE = sys.argv[3]
sys.exit(harness.main([stride, cacheline, memtrace, simdprof, regtrace, flowtrace, latency, race,
                       occupancy, losses_are_said]))
