#!/usr/bin/env python3
"""Each tool on kernels whose right answer is known by hand (golden.c): 256
work-items, 16 hardware threads of 16 channels. Arguments: sonde, golden, the device."""
import csv
import io
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, predicted, run

GOLDEN = DEVICE = None
THREADS, ITEMS = 16, 256
# Tools that record; the others count.
TRACING = {"flowtrace", "memtrace", "regtrace", "stride", "cacheline", "race", "occupancy",
           "bounds"}


def rows(tool, kernel, *options, columns=None):
    """The rows of a tool's report; text, CSV and JSON have to agree."""
    result = expect(run("run", "--device", DEVICE, *options, "-t", tool, "--", GOLDEN, kernel), 0)
    if tool in TRACING and "--records" not in options:
        predicted(result)
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


    # Every channel writes out[0].
    table = [row for row in rows("stride", "racing", columns="+lines,ideal")
             if row["access"].startswith("write")]
    check([(row["uniform"], row["lines"], row["ideal"], row["coalesced"]) for row in table] ==
          [(THREADS, THREADS, THREADS, 100.0)], table)


def order_of_lines():
    """Each thread has a line of out: written, read, written, written; and one of in: read twice."""
    table = rows("cacheline", "orders", columns="+lines")
    check([total(table, key) for key in ("rar", "raw", "war", "waw")] == [THREADS] * 4, table)
    check([(row["access"].split()[0], row["rar"], row["raw"], row["war"], row["waw"])
           for row in table if row["buffer"] == "out"] ==
          [("write", 0, 0, 0, 0), ("read", 0, THREADS, 0, 0), ("write", 0, 0, THREADS, 0),
           ("write", 0, 0, 0, THREADS)], table)
    check((total(table, "misses"), total(table, "hits")) == (2 * THREADS, 4 * THREADS), table)


def direct_mapped():
    """Two places 64 KiB apart take one line of the cache from each other."""
    table = [row for row in rows("cacheline", "conflicts") if row["buffer"] == "large"]
    check([(row["misses"], row["hits"]) for row in table] ==
          [(THREADS, 0), (THREADS, 0), (THREADS, 0), (0, THREADS)], table)


def counts():
    """Executions of blocks, and of the instructions in them."""
    table = rows_of_kernel("bblprof", "loop")
    check({row["executions"] for row in table} <= {0, THREADS, 10 * THREADS}, table)
    check([row["executions"] for row in table].count(10 * THREADS) == 1, table)
    executed = sum(row["executions"] * row["instructions"] for row in table)
    kinds = rows_of_kernel("opcodeprof", "loop")
    check(total(kinds, "dynamic") == executed, f"{executed}: {kinds}")
    # The write of out[i] is the only message of all channels.
    check([(row["static"], row["dynamic"]) for row in kinds if row["simd"] == 16 and
           row["opcode"].startswith("send")] == [(1, THREADS)], kinds)


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


def local_memory():
    """shared[l] written and shared[63 - l] read: the first 256 bytes of it, by all."""
    table = [row for row in rows("memtrace", "ordered") if "slm" in row["access"]]
    check([(row["access"].split()[0], row["executions"], row["addresses"], row["bytes"],
            row["lowest"], row["highest"]) for row in table] ==
          [(what, THREADS, ITEMS, 4 * ITEMS, "0x0", hex(4 * 63)) for what in ("write", "read")],
          table)
    table = [row for row in rows("stride", "ordered", columns="+lines") if "slm" in row["access"]]
    # One up, the other one down.
    check([row["unit"] + row["constant"] for row in table] == [THREADS] * 2, table)


def messages_inside_a_product():
    """The write of out[i] of the kernel loop: newer compilers put the read of table[10] between a
    multiplication in the accumulator and the step that reads it."""
    table = rows("memtrace", "loop")
    check([(row["buffer"], row["access"].split()[0], row["executions"]) for row in table] ==
          [("table", "read", THREADS), ("out", "write", THREADS)], table)
    check([number(row, "highest") for row in table][1] == 4 * (ITEMS - 1), table)
    for tools in ("memtrace,regtrace,bounds", "memlatency,simdprof,latency"):
        found = json.loads(expect(run("verify", "--device", DEVICE, "-t", tools, "--format",
                                      "json", "--", GOLDEN, "loop"), 0).out)
        check(found["identical"], found)


def simdprof():
    table = rows("simdprof", "lanes", columns="+capacity")
    sends = [row for row in table if row["opcode"].startswith("send")]
    # table[i] by all; in[i] and out[i] by the 64 whose number is a multiple of 4: those of
    # table[i] % 4 == 0, 16 of the first 64 and 48 of the shuffled rest.
    lanes = sorted(row["lanes"] for row in sends)
    check(lanes == [64, 64, 256], sends)
    check(all(row["capacity"] == row["executions"] * row["simd"] for row in table), table)
    check([row["use"] for row in sends if row["lanes"] == 256] == [100.0], sends)
    # Instructions that act whatever the mask says (W) are left out, and branches; all others are
    # there.
    expect(run("run", "-q", "--device", DEVICE, "-t", "bblprof,simdprof", "--", GOLDEN, "lanes"), 0)
    listing = [re.match(r"/\* +(\d+) \*/ /\* \[\w+\] \*/ (\(W.*?\))?(?: *\(.*?\))? *(\w+)", line)
               for line in expect(run("annotate", "-t", "bblprof"), 0).out.splitlines()
               if line.startswith("/*")]
    masked = {index for index, line in enumerate(listing) if int(line[1]) > 0 and not line[2] and
              line[3] not in ("if", "else", "endif", "while", "goto", "join", "jmpi")}
    check(sum(1 for line in listing if line[2]) > 4 and
          {row["instruction"] for row in table if row["executions"] > 0} == masked,
          f"{masked}: {table}")


def regtrace():
    table = [row for row in rows("regtrace", "strides") if row["different"] > 16]
    # in[i] and table[i] and in[table[i]] are 0..255, in[2 * i] the even ones to 510.
    check(sum(row["different"] for row in table) == 4 * ITEMS, table)
    check(max(number(row, "highest") for row in table) == 510, table)
    check(all(row["executions"] == THREADS for row in table), table)


def chosen_registers():
    """Values of registers and operands at chosen points, by channel."""
    def values(kernel, registers, point, *options):
        expect(run("run", "-q", "--device", DEVICE, "-t", "regtrace", "--values", registers,
                   "--values-at", point, *options, "--", GOLDEN, kernel), 0)
        return json.loads(expect(run("report", "--format=json", "-t", "regtrace,values"), 0).out)[
            "reports"]
    # sum = sum * 3 + (sum >> 2) + 1, from 0 on, and the number of the round; all uniform.
    sums = [0]
    for _ in range(10):
        sums.append(sums[-1] * 3 + (sums[-1] >> 2) + 1)
    table, lanes = values("loop", "dst,src0", "class=integer block=loop")
    ends = {(row["register"].split()[0][:3], number(row, "lowest"), number(row, "highest"),
             row["different"]) for row in table["rows"]}
    check(all(row["executions"] == 10 * THREADS for row in table["rows"]), table)
    # What the loop begins with is a source, what it ends with is written.
    check(any(end[0] == "src" and end[1:] == (0, sums[9], 10) for end in ends), ends)
    check(any(end[0][0] == "r" and end[1:] == (1, sums[10], 10) for end in ends), ends)
    check(any(end[1:] in ((1, 10, 10), (0, 9, 10)) for end in ends), ends)
    check(lanes["rows"] and all(row["executions"] == 10 * THREADS for row in lanes["rows"]),
          lanes)
    # out[i] = in[i] + in[2 * i] + in[table[i]] is 3 * i + i * 37 % 256: channel c of thread t.
    sends = "message=write"
    lanes = values("strides", "src1", sends)[1]["rows"] if DEVICE != "emu:skl" else []
    for row in lanes:
        own = [3 * i + i * 37 % ITEMS for i in range(row["channel"], ITEMS, 16)]
        check((row["executions"], int(row["lowest"]), int(row["highest"])) ==
              (THREADS, min(own), max(own)), row)
    check(DEVICE == "emu:skl" or [row["channel"] for row in lanes] == list(range(16)), lanes)
    # A register by number: r0.1 is the group in x, r0.5 counts the threads.
    table, lanes = values("strides", "r0", "block=entry")
    one = [row for row in lanes["rows"] if row["channel"] == 1][0]
    check((one["lowest"], one["highest"], one["different"]) == ("0", "3", 4), one)
    check([row["register"] for row in table["rows"]] == ["r0"], table)


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
    # doc/timing-model.md: 400 cycles from memory, 146 from L3, 28 from local memory.
    table = rows("memlatency", "conflicts", "--timing")
    cold, other, again, last = [row["mean"] for row in table][-4:]
    check(min(cold, other) >= 400 and 146 <= again < 400 and 146 <= last < 400, table)
    local = [row["mean"] for row in rows("memlatency", "ordered", "--timing")][-1]
    check(28 <= local < 146, local)
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


def bounds():
    # in has 512 elements: in[2 * i + 8] of the last 4 work-items starts at 512 up to 518.
    table = rows("bounds", "outside", columns="+behind,before")
    check([(row["buffer"], row["size"], row["outside"], row["first"], row["distance"],
            row["furthest"], row["behind"], row["before"], row["unknown"]) for row in table] ==
          [("in", 2048, 4, "0x800", 4, 28, 4, 0, 0)], table)
    # The first 3 of each of 4 groups; offsets of a surface have 32 bits.
    table = rows("bounds", "before", columns="+before")
    check([(row["buffer"], row["outside"], row["first"], row["distance"], row["furthest"],
            row["before"]) for row in table] == [("in", 12, "0xfffffff4", 12, 12, 12)], table)
    # By address: out[2 * i] of the second half, 2 channels of 8 messages of 8 threads.
    table = rows("bounds", "atomics_outside")
    check({(row["buffer"], row["size"], row["unknown"]) for row in table} == {("out", 1024, 0)} and
          total(table, "outside") == ITEMS // 2, table)
    # Which thread is the first depends on their order; its channels are 8 bytes apart.
    check(all(row["distance"] % 8 == 4 and 4 <= row["distance"] <= row["furthest"]
              for row in table) and max(row["furthest"] for row in table) == 4 * 254 + 4, table)
    # shared[l + 2] of the last 2 of each group.
    table = rows("bounds", "local_outside")
    check([(row["buffer"], row["size"], row["outside"], row["first"], row["furthest"])
           for row in table] == [("local memory", 256, 8, "0x100", 8)], table)
    # Memory that program and device share, of every kind: the same.
    for kind in ("svm", "host", "device", "shared"):
        table = several("bounds", "outside", "", kind)["bounds"]
        check([(row["buffer"], row["size"], row["outside"], row["distance"], row["furthest"],
                row["unknown"]) for row in table] == [("in", 2048, 4, 4, 28, 0)], table)
    table = several("bounds,memtrace", "atomics", "", "device")
    check({row["access"]: row["buffer"] for row in table["memtrace"]} ==
          {"read a64": "table", "atomic a64": "out"} and table["bounds"] == [], table)
    buffers = json.loads(expect(run("dump", "--format", "json"), 0).out)["buffers"]
    check([row["size"] for row in buffers if row["argument"] == 1 and row.get("address")] ==
          [4 * ITEMS], buffers)
    check(rows("bounds", "strides") == [], "nothing is outside")
    has(expect(run("report"), 0).out, r"(?m)^1280 addresses were checked$", "5 messages")


def rows_of_kernel(tool, kernel, *options):
    """The same of a tool that has a heading for each kernel."""
    expect(run("run", "-q", "--device", DEVICE, "-t", tool, "--", GOLDEN, kernel, *options), 0)
    found = json.loads(expect(run("report", "--format=json"), 0).out)["reports"][0]["kernels"]
    table = list(csv.DictReader(io.StringIO(expect(run("report", "--format=csv"), 0).out)))
    text = expect(run("report"), 0).out
    check(len(found) == 1 and found[0]["kernel"] == kernel, found)
    shown = [row for row in table if row["kernel"] == kernel]
    check(len(shown) == len(found[0]["rows"]), shown)
    for one, other in zip(found[0]["rows"], shown):
        check({key: str(value) if not isinstance(value, float) else f"{value:.2f}"
               for key, value in one.items()} ==
              {key: other[key] for key in one}, f"{one} and {other}")
        cells = [other[key] for key in one]
        check(any(line.split() == " ".join(cells).split() for line in text.splitlines()),
              f"{cells} in:\n{text}")
    return found[0]["rows"]


def several(tools, kernel, *options):
    """The rows of each tool of one run."""
    expect(run("run", "-q", "--device", DEVICE, "-t", tools, "--", GOLDEN, kernel, *options), 0)
    found = json.loads(expect(run("report", "--format=json"), 0).out)["reports"]
    return {one["tool"]: [row for row in one["rows"] if row.get("access") != "read stateless"]
            for one in found}


def buffers_are_named():
    for table in several("memtrace,stride,cacheline", "strides").values():
        check(sorted(row["buffer"] for row in table) == ["in"] * 3 + ["out", "table"], table)
    for table in several("memtrace,stride,cacheline", "atomics").values():
        check({row["access"]: row["buffer"] for row in table} ==
              {"read a64": "table", "atomic a64": "out"}, table)
    check([row["buffer"] for row in several("race", "racing")["race"]] == ["out"], "race")
    check({row["buffer"] for row in several("race", "unordered")["race"]} == {"local memory"},
          "race")


def source_line(text):
    """Number of the line of golden.c's program that has the text."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.c"),
              encoding="utf-8") as file:
        program = file.read().split("source[] =")[1]
    lines = [line for line in program.splitlines() if line.startswith('    "')]
    return next(number for number, line in enumerate(lines, 1) if text in line)


def source_lines_are_shown():
    """Lines of golden.c's program text: line 4 of it is all of the kernel strides, line 11 has the
    write of the kernel racing."""
    for tool, table in several("memtrace,stride,cacheline,simdprof,regtrace", "strides",
                               "-g").items():
        check("1:4" in {row["source"] for row in table}, table)
        if tool == "memtrace":
            check({row["source"] for row in table if row["buffer"]} == {"1:4"}, table)
    check([row["source"] for row in several("race", "racing", "-g")["race"]] == ["1:11"], "race")
    has(expect(run("report"), 0).out, r"SOURCE\n.* 1:11\n", "text")
    # The line of the loop is all that is executed ten times.
    loop = source_line("unroll 1")
    blocks = rows_of_kernel("bblprof", "loop", "-g")
    check({row["source"] for row in blocks if row["executions"] == 10 * THREADS} ==
          {f"1:{loop}"}, blocks)
    lines = [int(line) for row in blocks for line in row["source"][2:].split("-") if line]
    check(min(lines) >= loop - 4 and max(lines) == loop + 2, blocks)
    kinds = rows_of_kernel("opcodeprof", "loop", "-g")
    check(all(row["source"].split()[0] == f"1:{loop}" for row in kinds
              if row["dynamic"] >= 10 * THREADS), kinds)
    check(any(row["source"] == f"1:{loop + 1}" for row in kinds if row["simd"] == 16), kinds)
    for tool in ("bblprof", "opcodeprof"):
        check("source" not in rows_of_kernel(tool, "loop")[0], tool)
    several("race", "racing")
    check("SOURCE" not in expect(run("report"), 0).out, "a column without lines")


def occupancy():
    table = rows("occupancy", "loop", "--timing", columns="+covered")
    # Utilisation against the mean of the units.
    mean = total(table, "busy") / len(table)
    check(all(row["imbalance"] == round(row["busy"] / mean + 1e-9, 2) for row in table), table)
    check(total(table, "threads") == THREADS and len({row["span"] for row in table}) == 1, table)
    for row in table:
        check(row["covered"] <= row["span"] and row["covered"] <= row["busy"] and
              row["busy"] <= row["span"] * row["slots"] and row["threads"] == row["slots"], row)
        check(row["fill"] == round(100 * row["busy"] / (row["span"] * row["slots"]), 2), row)


def another_time_another_way():
    """A kernel that goes by the clock may need other space than was counted: never silently."""
    differences = 0
    for tools in ("flowtrace", "memtrace", "regtrace,flowtrace"):
        result = expect(run("run", "--device", DEVICE, "--timing", "-t", tools, "--", GOLDEN,
                            "clocked"), 0)
        told = re.search(r"dispatch 0 of kernel clocked: (\d+) bytes of records were counted, and "
                         r"(\d+) made: it did not do the same twice", result.err)
        lost = int(re.search(r"records    \d+ kept, (\d+) lost", result.err)[1])
        check((lost > 0) == (told is not None and int(told[1]) < int(told[2])), result)
        differences += told is not None
    # What such a kernel does on this device depends on its timing.
    check(differences > 0 or DEVICE == "emu:skl", "the clock had no effect")


def losses_are_said():
    """In the summary, in every report of every format, in info and in dump."""
    tools = sorted(TRACING)
    result = expect(run("run", "--device", DEVICE, "-t", ",".join(tools), "--max-buffer", "2K",
                        "--", GOLDEN, "unordered"), 0)
    lost = int(re.search(r"warning: records    \d+ kept, (\d+) lost", result.err)[1])
    found = json.loads(expect(run("report", "--format=json"), 0).out)["reports"]
    check({one["tool"] for one in found} == TRACING and lost > 0, found)
    check(all(one["lost_records"] == lost for one in found), found)
    for text in (result.err, expect(run("report"), 0).out):
        check(text.count(f"INCOMPLETE: {lost} records were lost") == len(tools), text)
    for tool in tools:
        has(expect(run("report", "--format=csv", "-t", tool), 0).err, "records were lost", tool)
        has(expect(run("export", "--format=csv", "-t", tool, "-o", "-"), 0).err,
            "records were lost", tool)
    has(expect(run("info"), 0).out, f", {lost} lost", "info")
    has(expect(run("dump"), 0).out, f"loss: dispatch 0, {lost} records", "dump")


harness.SONDE, GOLDEN = map(os.path.abspath, sys.argv[1:3])
DEVICE = sys.argv[3]
sys.exit(harness.main([stride, counts, cacheline, order_of_lines, direct_mapped, memtrace,
                       local_memory, messages_inside_a_product, simdprof, regtrace, chosen_registers,
                       flowtrace, latency, race,
                       bounds, buffers_are_named, source_lines_are_shown, occupancy, another_time_another_way,
                       losses_are_said]))
