#!/usr/bin/env python3
"""The page of sonde export --format html in a real browser: it shows what the
report says, reacts to keys, and asks for nothing from outside.
Usage: test_page.py SONDE BROWSER RECURSION.elf FIRMWARE.elf..."""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from flows import Sonde, check_identity

BROWSER = sys.argv[2]


def browse(page, profile):
    """What the page puts into the document when it tests itself."""
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,900",
         f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND",
         "--virtual-time-budget=4000", "--dump-dom", f"file://{page}#selftest"],
        capture_output=True, text=True, check=True, timeout=120)
    found = re.search(r'<pre id="selftest">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    result = json.loads(html.unescape(found[1]))
    assert "error" not in result, result["error"]
    return result


def number(text):
    return float(text.replace(",", ""))


def check_timeline(result, cycles):
    assert result["whole"] == result["back"] == [0, cycles]
    (a, b), (c, d), (e, f) = result["zoomed"], result["moved"], result["closest"]
    assert abs((b - a) - cycles / 2) <= 1 and abs((d - c) - (b - a)) <= 1 and c > a
    assert f - e <= 21 and 0 < result["closestDrawn"] <= result["drawn"]
    assert result["timelineColors"] > 20 and result["overviewColors"] > 5
    assert result["hit"] == result["target"], (result["hit"], result["target"])


def check_table(result, functions):
    expected = {row["function"]: row for row in functions}
    assert len(result["rows"]) == len(functions)
    for cells in result["rows"]:
        row = expected[cells[0]]
        keys = ["calls", "self", "total", "min", "mean", "p95", "max", "stack"]
        assert [number(cell) for cell in cells[1:]] == [row[key] for key in keys], (cells, row)
    selves = [expected[name]["self"] for name in result["bySelf"]]
    assert selves == sorted(selves, reverse=True)
    assert sorted(result["byName"]) == sorted(expected)
    top = result["bySelf"][0]
    assert top in result["details"] and result["call"] is not None
    begin, end = result["callRange"]
    assert begin <= result["call"][0] and end >= result["call"][1] - 1
    count = sum(top.lower() in name.lower() for name in expected)
    assert result["matches"].startswith(f"{count} found")
    assert result["pale"] == len(expected) - count and result["paleCleared"] == 0
    assert top.lower() in result["matched"].lower()


def check_flame(result, tree):
    assert result["flameShown"] and result["flameColors"] > 20
    assert abs(result["flameTop"] - 1) < 1e-9
    wanted = sorted((row["function"], row["depth"], row["total"], row["calls"]) for row in tree
                    if row["total"] > 0)
    assert sorted(map(tuple, result["flame"])) == wanted
    first = [row for row in tree if row["total"] > 0]
    heaviest = next((row["function"] for row in first if row["depth"] == 1), None)
    if first[0]["depth"] == 0 and first[1]["depth"] == 1:
        assert result["flameRoot"] == heaviest, (result["flameRoot"], heaviest)


def check(sonde, elf, profile):
    run = sonde.record(elf)
    page = sonde.export(run, "html")
    text = page.read_text()
    # Nothing outside of the page is named but in the data of functions.
    assert not re.search(r"(?:src|href|url|import|fetch)\s*[=(]\s*[\"']?(?:https?:)?//", text)
    summary, functions = sonde.report(run, "functions")
    _, replay = sonde.report(run, "replay")
    _, tree = sonde.report(run, "tree")
    check_identity(summary, functions)
    result = browse(page, profile)
    assert result["selfSum"] == summary["cycles"] and result["requests"] == 0
    assert result["title"].startswith(pathlib.Path(elf).name) and result["notice"] == ""
    spans = [(row["function"], row["cycle"], row["end"], row["self"], row["total"], row["depth"],
              row["task"]) for row in replay]
    assert [tuple(span[:6]) + (span[7],) for span in result["spans"]] == spans
    assert result["pieces"] == len(spans) or summary["stacks"] > 1 and result["pieces"] > len(spans)
    check_timeline(result, summary["cycles"])
    check_table(result, functions)
    check_flame(result, tree)
    assert result["theme"] in ("dark", "light")
    return run


def check_hostile_name(sonde, elf, profile):
    """A function's name is text, whatever is in it."""
    data = pathlib.Path(elf).read_bytes()
    evil = sonde.folder / "evil.elf"
    evil.write_bytes(data.replace(b"\0fibonacci\0", b"\0</script>\0"))
    result = browse(sonde.export(sonde.record(evil), "html"), profile)
    assert any(span[0] == "</script>" for span in result["spans"])


def check_cut(sonde, elf, profile):
    run = sonde.record(elf)
    (path,) = run.glob("process-*.sonde")
    data = path.read_bytes()
    # Behind the events, before the end of the run: the last two sections.
    path.write_bytes(data[:data.rindex(b"SOND", 0, data.rindex(b"SOND"))])
    result = browse(sonde.export(run, "html"), profile)
    assert "cut off" in result["notice"], result["notice"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        sonde, profile = Sonde(sys.argv[1], folder), pathlib.Path(folder) / "profile"
        for elf in sys.argv[3:]:
            check(sonde, elf, profile)
        check_hostile_name(sonde, sys.argv[3], profile)
        check_cut(sonde, sys.argv[3], profile)


main()
