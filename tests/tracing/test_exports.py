#!/usr/bin/env python3
"""Exports of GPU runs, each read by a program of other people and held against
the report. Arguments: sonde, golden, timeline.proto, the device, the example bitonic_sort."""
import collections
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import harness
from harness import check, expect, has, run

GOLDEN = PROTO = DEVICE = SORT = None
TOOLS = "opcodeprof,bblprof,simdprof,funtime,latency,memtrace,occupancy,flowtrace"


def record(kernel="loop", *options, tools="occupancy,flowtrace"):
    expect(run("run", "-q", "--device", DEVICE, "--timing", *options, "-t", tools, "--", GOLDEN,
               kernel), 0)


def report(*options):
    return json.loads(expect(run("report", "--format=json", *options), 0).out)["reports"]


def program(*command, stdin=None):
    done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{command}: {done.stderr}")
    return done.stdout


def report_rows(tool):
    """The rows of the report, those of kernels in one list; hexadecimal as numbers."""
    found = report("-t", tool, "-f", "+kernel")[0]
    rows = found["rows"] if "rows" in found else [
        row for kernel in found["kernels"] for row in kernel["rows"]]
    return [{key: int(value, 16) if str(value).startswith("0x") else value
             for key, value in row.items()} for row in rows]


def multiset(rows, keys):
    return collections.Counter(tuple(float(row[key]) if not isinstance(row[key], str) else row[key]
                                     for key in keys) for row in rows)


def tables_are_the_reports():
    """CSV by Python, JSON by jq, SQLite by its own program: the same rows everywhere."""
    record("strides", tools=TOOLS)
    expect(run("export", "--format=csv", "-o", "tables"), 0)
    expect(run("export", "--format=json", "-o", "tables.json"), 0)
    expect(run("export", "--format=sqlite", "-o", "tables.sqlite"), 0)
    names = json.loads(program("jq", "-c", ".tables|keys", "tables.json"))
    check(set(names) == {"kernels", "dispatches", "threads"} | set(TOOLS.split(",")), names)
    check({path.stem for path in pathlib.Path("tables").iterdir()} == set(names), names)
    listed = program("sqlite3", "tables.sqlite", "SELECT name FROM sqlite_master").split()
    check(set(listed) == set(names) | {"run"}, listed)
    check(program("sqlite3", "tables.sqlite", "PRAGMA integrity_check").strip() == "ok", "SQLite")
    for tool in TOOLS.split(","):
        expected = report_rows(tool)
        keys = [key for key in expected[0] if key != "hash"]
        text = program("sqlite3", "-json", "tables.sqlite", f'SELECT * FROM "{tool}"')
        database = [{key: row[key.replace("-", "_")] for key in keys} for row in json.loads(text)]
        document = json.loads(program("jq", "-c", f".tables[\"{tool}\"]", "tables.json"))
        with open(f"tables/{tool}.csv", newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        one = expect(run("export", "--format=csv", "-t", tool, "-o", "-"), 0).out
        check(list(csv.DictReader(io.StringIO(one))) == table, f"{tool}: -t differs")
        for rows in (document, table):
            for row in rows:
                for key, value in row.items():
                    if isinstance(value, str) and re.fullmatch(r"0x[0-9a-f]+", value):
                        row[key] = int(value, 16)
        for row in table:
            for key in keys:
                if not isinstance(expected[0][key], str):
                    row[key] = float(row[key])
        for what, rows in (("SQLite", database), ("JSON", document), ("CSV", table)):
            check(multiset(rows, keys) == multiset(expected, keys), f"{tool}: {what} differs")
    # Totals, by the other program's own arithmetic.
    total = report("-t", "opcodeprof")[0]["total"]["dynamic"]
    check(int(program("sqlite3", "tables.sqlite", "SELECT sum(dynamic) FROM opcodeprof")) == total,
          "SQLite's sum")
    check(int(program("jq", "[.tables.opcodeprof[].dynamic]|add", "tables.json")) == total,
          "jq's sum")
    check(int(program("sqlite3", "tables.sqlite",
                      "SELECT sum(busy) FROM occupancy")) ==
          int(program("sqlite3", "tables.sqlite", "SELECT sum(ticks) FROM threads")),
          "threads and occupancy")


def threads_of(found):
    """(track, name, begin, end) as exports have them."""
    text = expect(run("export", "--format=csv", "-t", "threads", "-o", "-"), 0).out
    rows = list(csv.DictReader(io.StringIO(text)))
    expected = sorted((f"EU {row['eu']} thread {row['slot']}", row["kernel"], int(row["start"]),
                       int(row["end"])) for row in rows)
    check(len(expected) == 16 and sorted(found) == expected, f"{found}\n{expected}")


def flow_of(blocks):
    """As many visits of each block as the report has."""
    times = collections.Counter()
    for row in report("-t", "flowtrace", "-f", "to,times")[0]["rows"]:
        times[f"block {row['to']}"] += row["times"]
    check(collections.Counter(name for _, name, _, _ in blocks) == times, f"{times}")


def nests(threads, blocks):
    by_track = {track: (begin, end) for track, _, begin, end in threads}
    for track, _, begin, end in blocks:
        check(by_track[track][0] <= begin <= end <= by_track[track][1], f"{track}: {begin} {end}")


def chrome_shows_it():
    record()
    expect(run("export", "--format=chrome", "-o", "timeline.json"), 0)
    with open("timeline.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check({event["ph"] for event in events} == {"M", "X"}, "phases")
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    check(len(names) == 18 and len(set(names.values())) == 17, names)
    spans = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            check(e["ts"] >= 0 and e["dur"] >= 0, e)
            spans[e["cat"]].append((names[e["pid"], e["tid"]], e["name"], e["ts"],
                                    e["ts"] + e["dur"]))
    threads_of(spans["thread"])
    flow_of(spans["block"])
    nests(spans["thread"], spans["block"])
    host, device = spans["dispatch"]
    check(host[0] == device[0] == "dispatches" and host[1] == device[1] == "loop", host)
    check(device[2] == min(s[2] for s in spans["thread"]) and
          device[3] == max(s[3] for s in spans["thread"]), device)


def dispatches_follow_each_other():
    """The emulated GPU's clock starts again with each dispatch, and without --timing with each
    thread: no two events of a track overlap all the same."""
    for timing in ("--timing", "-q"):
        expect(run("run", "-q", "--device", DEVICE, timing, "-t", "occupancy", "--", SORT), 0)
        expect(run("export", "--format=chrome", "-o", "timeline.json"), 0)
        with open("timeline.json", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        tracks = collections.defaultdict(list)
        for e in events:
            if e["ph"] == "X":
                tracks[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
        for track, spans in tracks.items():
            spans.sort()
            check(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), f"{track}: {spans}")
        names = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
        check(names.count("dispatches") == 2 and "dispatches 2" not in names, names)
        text = expect(run("export", "--format=csv", "-t", "threads", "-o", "-"), 0).out
        check(sum(map(len, tracks.values())) - 2 * len(tracks[1, 1]) == text.count("\n") - 1, text)
        check(len(tracks[1, 1]) == len(tracks[2, 1]) > 10, tracks.keys())


def packets_of(path):
    """What protoc makes of the file, as nested dictionaries of lists."""
    with open(path, "rb") as file:
        text = program("protoc", f"--proto_path={PROTO.parent}", "--decode=Trace", PROTO.name,
                       stdin=file)
    packets, stack = [], []
    for line in map(str.strip, text.splitlines()):
        if line.endswith("{"):
            inside = collections.defaultdict(list)
            if stack:
                stack[-1][line[:-2]].append(inside)
            stack.append(inside)
        elif line == "}":
            done = stack.pop()
            if not stack:
                packets.append(done)
        else:
            key, value = re.fullmatch(r'(\w+): "?(.*?)"?', line).groups()
            # A number alone is a field that the definitions do not have.
            check(not key.isdigit(), line)
            stack[-1][key].append(value)
    return packets


def perfetto_shows_it():
    record()
    expect(run("export", "-o", "timeline.pftrace"), 0)
    tracks, categories, names, events = {}, {}, {}, []
    for number, packet in enumerate(packets_of("timeline.pftrace")):
        for track in packet["track_descriptor"]:
            for thread in track["thread"]:
                tracks[track["uuid"][0]] = thread["thread_name"][0]
        for data in packet["interned_data"]:
            names.update((item["iid"][0], item["name"][0]) for item in data["event_names"])
            categories.update((i["iid"][0], i["name"][0]) for i in data["event_categories"])
        for event in packet["track_event"]:
            events.append((int(packet["timestamp"][0]), number, event))
    stacks, spans = collections.defaultdict(list), collections.defaultdict(list)
    for time, _, event in sorted(events, key=lambda item: item[:2]):
        stack = stacks[event["track_uuid"][0]]
        if event["type"] == ["TYPE_SLICE_BEGIN"]:
            stack.append((time, event))
            continue
        begin, begun = stack.pop()
        spans[categories[begun["category_iids"][0]]].append(
            (tracks[event["track_uuid"][0]], names[begun["name_iid"][0]], begin, time))
    check(not any(stacks.values()), "a begin without an end")
    threads_of(spans["thread"])
    flow_of(spans["block"])
    nests(spans["thread"], spans["block"])
    check(len(spans["dispatch"]) == 2, spans["dispatch"])


def wrong_uses():
    record(tools="bblprof")
    for options, status, message in ((["--format=html"], 2, "not for the run of a program on a GPU; these "),
                             (["--format=csv", "-o", "-"], 2, "choose one with -t"),
                             (["--format=sqlite", "-o", "-"], 2, "cannot be written to stdout"),
                             (["--format=json", "-t", "nothing"], 2, "no table 'nothing'; it has: "),
                             (["--format=chrome", "-t", "bblprof"], 2, "-t chooses a table"),
                             (["--format=chrome", "--depth=2"], 2, "choose calls"),
                             (["--format=nothing"], 2, "nothing")):
        result = run("export", *options)
        check(result.status == status, result)
        has(result.err, re.escape(message), message)
    check(not [name for name in os.listdir(".") if name.endswith(".new")], os.listdir("."))
    result = run("export", "--format=sqlite", "-o", "nowhere/x.sqlite")
    check(result.status == 1, result)
    result = run("export", "-k", "other")
    check(result.status == 1, result)
    expect(run("export", "--format=sqlite"), 0)
    expect(run("export", "--format=sqlite"), 0)  # replaces the first


def losses_are_said():
    record("strides", "--max-buffer", "2K", tools="stride")
    has(expect(run("export", "--format=json"), 0).err, "records were lost", "warning")
    check(int(program("jq", ".lost_records", "tables.json")) > 0, "lost records")


harness.SONDE, GOLDEN = map(os.path.abspath, sys.argv[1:3])
PROTO, DEVICE = pathlib.Path(sys.argv[3]).resolve(), sys.argv[4]
SORT = os.path.abspath(sys.argv[5])
sys.exit(harness.main([tables_are_the_reports, chrome_shows_it, dispatches_follow_each_other,
                       perfetto_shows_it, wrong_uses,
                       losses_are_said]))
