#!/usr/bin/env python3
"""Every export of every firmware, held against the report and read by programs
of other people. Usage: test_export.py SONDE TRACK_EVENT.proto FIRMWARE.elf..."""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from flows import Sonde, check_identity

PROTO = pathlib.Path(sys.argv[2])


def slices(events):
    """(lane, name, begin, end) of nested begins and ends, which must balance."""
    stacks, found, last = collections.defaultdict(list), [], 0
    for cycle, lane, name in events:
        assert cycle >= last, "out of order"
        last = cycle
        if name is not None:
            stacks[lane].append((name, cycle))
        else:
            assert stacks[lane], f"an end without a begin on {lane}"
            begun, begin = stacks[lane].pop()
            found.append((lane, begun, begin, cycle))
    assert not any(stacks.values()), "a begin without an end"
    return found


def check_chrome(path, summary, functions, stacks):
    document = json.loads(path.read_text())
    events = document["traceEvents"]
    for event in events:
        assert event["ph"] in "BEM" and isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        if event["ph"] != "M":
            assert isinstance(event["ts"], int) and 0 <= event["ts"] <= summary["cycles"]
        if event["ph"] == "B":
            assert event["name"] and event["cat"] in ("function", "unmarked", "interrupt", "sleep")
    names = {e["tid"]: e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "thread_name"}
    found = slices((e["ts"], names[e["tid"]], e.get("name") if e["ph"] == "B" else None)
                   for e in events if e["ph"] in "BE")
    # One stack or another is the current one at every cycle.
    roots = sum(end - begin for lane, name, begin, end in found if name == "(unmarked)")
    assert roots == summary["cycles"]
    counts = collections.Counter(name for _, name, _, _ in found)
    for row in functions:
        if stacks == 1:
            assert counts[row["function"]] == row["calls"], row
        if row["kind"] in ("sleep", "interrupt"):
            length = sum(end - begin for _, name, begin, end in found if name == row["function"])
            assert length == row["total"], row
    return found


def check_perfetto(path, expected):
    done = subprocess.run(["protoc", f"--proto_path={PROTO.parent}", "--decode=Trace", PROTO.name],
                          stdin=path.open("rb"), capture_output=True, text=True, check=True)
    packets, stack = [], []
    for line in done.stdout.splitlines():
        line = line.strip()
        if line.endswith("{"):
            inside = collections.defaultdict(list)
            (stack[-1] if stack else collections.defaultdict(list))[line[:-2]].append(inside)
            stack.append(inside)
        elif line == "}":
            done_with = stack.pop()
            if not stack:
                packets.append(done_with)
        else:
            key, value = re.fullmatch(r'(\w+): "?(.*?)"?', line).groups()
            # A number alone is a field that the definitions do not have.
            assert not key.isdigit(), line
            stack[-1][key].append(value)
    lanes, names, events = {}, {}, []
    for packet in packets:
        for track in packet["track_descriptor"]:
            for thread in track["thread"]:
                lanes[track["uuid"][0]] = thread["thread_name"][0]
        for data in packet["interned_data"]:
            assert packet["sequence_flags"] == ["1"]
            names.update((item["iid"][0], item["name"][0]) for item in data["event_names"])
        for event in packet["track_event"]:
            begins = event["type"] == ["TYPE_SLICE_BEGIN"]
            assert begins or event["type"] == ["TYPE_SLICE_END"]
            events.append((int(packet["timestamp"][0]) if packet["timestamp"] else 0,
                           lanes[event["track_uuid"][0]],
                           names[event["name_iid"][0]] if begins else None))
    assert slices(events) == expected


def check_speedscope(path, summary, functions):
    document = json.loads(path.read_text())
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    (profile,) = document["profiles"]
    assert profile["type"] == "evented" and profile["unit"] == "none"
    assert (profile["startValue"], profile["endValue"]) == (0, summary["cycles"])
    own, calls, stack, last = collections.Counter(), collections.Counter(), [], 0
    for event in profile["events"]:
        assert event["at"] >= last and event["type"] in "OC"
        if stack:
            own[frames[stack[-1]]] += event["at"] - last
        else:
            assert event["at"] == last, "a gap between two frames"
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
            calls[frames[event["frame"]]] += 1
        else:
            assert stack.pop() == event["frame"], "closes another frame than it opened"
    assert not stack and last == summary["cycles"]
    for row in functions:
        assert own[row["function"]] == row["self"], (row, own[row["function"]])
        assert calls[row["function"]] >= row["calls"]


def check_folded(path, summary, functions, tree):
    own, paths = collections.Counter(), {}
    for line in path.read_text().splitlines():
        names, cycles = line.rsplit(" ", 1)
        assert names not in paths
        paths[names] = int(cycles)
        own[names.split(";")[-1]] += int(cycles)
    assert sum(paths.values()) == summary["cycles"]
    for row in functions:
        assert own[row["function"]] == row["self"], row
    at, expected = [], {}
    for row in tree:
        at[row["depth"]:] = [row["function"]]
        if row["self"] > 0:
            expected[";".join(at)] = row["self"]
    assert expected == paths


def annotate(path, inclusive):
    done = subprocess.run(["callgrind_annotate", f"--inclusive={inclusive}", "--threshold=100",
                           "--auto=no", path], capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr
    total = re.search(r"^ *([\d,]+) \(100\.0%\)  PROGRAM TOTALS", done.stdout, re.M)
    rows = re.findall(r"^ *([\d,]+) \( ?[\d.]+%\)  [^:\n]+:(.*?)(?: \[.*)?$", done.stdout, re.M)
    return (int(total[1].replace(",", "")),
            {name: int(cycles.replace(",", "")) for cycles, name in rows})


def check_callgrind(path, summary, functions):
    total, own = annotate(path, "no")
    assert total == summary["cycles"]
    whole, inclusive = annotate(path, "yes")
    assert whole == summary["cycles"]
    for row in functions:
        if row["self"] > 0:
            assert own[row["function"]] == row["self"], (row, own)
        if row["total"] > 0:
            assert inclusive[row["function"]] == row["total"], (row, inclusive)


def check_filters(sonde, run, cycles):
    """What filters leave is the replay's rows, cut to the range."""
    begin, end = cycles // 7, cycles // 2
    words = ["--min-cycles", "60", "--depth", "6", "--from", str(begin), "--to", str(end)]
    rows = json.loads(sonde.run("report", "-i", run, "-t", "replay", "--format=json",
                                *words).stdout)["reports"][0]["rows"]
    assert rows and all(row["end"] - row["cycle"] >= 60 and row["depth"] <= 6 for row in rows)
    wanted = sorted((row["function"], max(row["cycle"], begin), min(row["end"], end))
                    for row in rows if row["end"] > begin and row["cycle"] < end)
    path = sonde.folder / "filtered.json"
    sonde.run("export", "-i", run, "--format=chrome", "-o", path, *words)
    found = slices((e["ts"], e["tid"], e["name"] if e["ph"] == "B" else None)
                   for e in json.loads(path.read_text())["traceEvents"] if e["ph"] in "BE")
    assert sorted(each[1:] for each in found if each[2] < each[3]) == wanted, (found, wanted)
    _, whole = sonde.report(run, "replay")
    assert len(rows) < len(whole)
    sonde.run("export", "-i", run, "--format=folded", "-o", "-", *words, status=2)
    sonde.run("export", "-i", run, "-o", "-", "--from=9", "--to=9", status=2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        sonde = Sonde(sys.argv[1], folder)
        for elf in sys.argv[3:]:
            run = sonde.record(elf)
            summary, functions = sonde.report(run, "functions")
            _, tree = sonde.report(run, "tree")
            check_identity(summary, functions)
            found = check_chrome(sonde.export(run, "chrome"), summary, functions, summary["stacks"])
            check_perfetto(sonde.export(run, "perfetto"), found)
            check_speedscope(sonde.export(run, "speedscope"), summary, functions)
            check_folded(sonde.export(run, "folded"), summary, functions, tree)
            check_callgrind(sonde.export(run, "callgrind"), summary, functions)
            if summary["stacks"] == 1:
                check_filters(sonde, run, summary["cycles"])
            print(f"{pathlib.Path(elf).name}: {len(found)} slices, {summary['cycles']} cycles")


main()
