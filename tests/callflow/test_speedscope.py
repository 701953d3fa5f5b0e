#!/usr/bin/env python3
"""speedscope itself, in a browser, reads the exports and shows the report's
cycles. Installs it with npm; without npm or its registry the test is skipped.
Usage: test_speedscope.py SONDE BROWSER FIRMWARE.elf..."""
import base64
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from flows import Sonde

SKIP = 77
BROWSER = sys.argv[2]
# One profile is read from each file: of trace events, that of the first thread.
FORMATS = {"speedscope": "x.speedscope.json", "callgrind": "callgrind.out.x", "folded": "x.txt",
           "chrome": "x.json"}


def install(folder):
    if shutil.which("npm") is None:
        return None
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
                           "speedscope@1.25.0"], cwd=folder, capture_output=True, check=False,
                          timeout=300)
    page = folder / "node_modules" / "speedscope" / "dist" / "release" / "index.html"
    return page if done.returncode == 0 and page.exists() else None


def cycles(cell):
    """As speedscope writes them; microseconds of trace events are rounded to
    two digits behind the point from a millisecond on."""
    value, unit = re.match(r"([\d,.]+)(µs|ms|s)?", cell).groups()
    return float(value.replace(",", "")) * {None: 1, "µs": 1, "ms": 1e3, "s": 1e6}[unit]


def near(shown_cycles, wanted):
    return abs(shown_cycles - wanted) <= (5 if shown_cycles < 1e6 else 5e3) \
        if shown_cycles != wanted else True


def table(page, script, profile):
    """The rows of speedscope's table of functions."""
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--enable-unsafe-swiftshader",
         "--window-size=1300,3000", f"--user-data-dir={profile}",
         "--virtual-time-budget=10000", "--dump-dom",
         f"file://{page}#localProfilePath={script}&view=sandwich"],
        capture_output=True, text=True, check=True, timeout=120)
    rows = {}
    for row in re.findall(r"<tr class=.*?</tr>", done.stdout, re.S):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)
        if len(cells) == 3:
            rows[html.unescape(re.sub(r"<.*?>", "", cells[2]))] = (cycles(cells[0]),
                                                                   cycles(cells[1]))
    return rows


def shown(page, path, name, folder):
    """{function: (total, self)} as speedscope shows a file."""
    script = folder / "profile.js"
    content = base64.b64encode(path.read_bytes()).decode()
    script.write_text(f"speedscope.loadFileFromBase64({json.dumps(name)}, {json.dumps(content)})")
    # The page may be dumped before its rows are drawn; then it is asked again.
    for _ in range(4):
        rows = table(page, script, folder / "profile")
        if rows:
            return rows
    raise AssertionError(f"speedscope shows nothing of {name}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page = install(folder)
        if page is None:
            print("speedscope cannot be installed with npm here")
            return SKIP
        sonde = Sonde(sys.argv[1], folder)
        for elf in sys.argv[3:]:
            run = sonde.record(elf)
            summary, functions = sonde.report(run, "functions")
            plain = summary["stacks"] == 1 and summary["interrupt_cycles"] == 0
            for form, file in FORMATS.items():
                if form == "chrome" and not plain:
                    continue
                rows = shown(page, sonde.export(run, form), file, folder)
                for row in functions:
                    total, own = rows.get(row["function"], (0, 0))
                    same = near if form == "chrome" else lambda a, b: a == b
                    assert same(own, row["self"]), (elf, form, row, own)
                    if plain and form != "callgrind":
                        assert same(total, row["total"]), (elf, form, row, total)
                print(f"{pathlib.Path(elf).name}: speedscope reads {form}")
    return 0


sys.exit(main())
