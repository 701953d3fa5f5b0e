#!/usr/bin/env python3
"""Run the test suites of a build folder and close with `N passed, N failed`.

A test that exits 77 is skipped and must print its reason as its last line.
"""
import argparse
import json
import pathlib
import subprocess
import sys


def case_counts(output):
    """Passed and failed cases that a cmocka program printed itself, so that
    one program with forty cases does not count as one."""
    passed = sum(line.startswith("[       OK ]") for line in output.splitlines())
    failed = sum(line.startswith("[  FAILED  ] ") and "test(s)" not in line
                 for line in output.splitlines())
    return passed, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--long", action="store_true", help="add the long suites")
    parser.add_argument("--suite", action="append", default=[], help="only this suite")
    options = parser.parse_args()

    command = ["meson", "test", "-C", options.build, "--no-rebuild", "--print-errorlogs"]
    if not options.long:
        command += ["--no-suite", "long"]
    for suite in options.suite:
        command += ["--suite", suite]
    log = pathlib.Path(options.build) / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    subprocess.run(command, check=False)
    passed = failed = skipped = 0
    if not log.exists():
        print("no test ran: see the output above")
        print("0 passed, 1 failed")
        return 1
    for line in log.read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        output = test.get("stdout") or ""
        good, bad = case_counts(output + "\n" + (test.get("stderr") or ""))
        if test["result"] == "SKIP":
            skipped += 1
            reason = (output.strip().splitlines() or ["no reason given"])[-1]
            print(f"skipped {test['name']}: {reason}")
        elif test["result"] in ("OK", "EXPECTEDFAIL"):
            passed += max(good, 1)
        else:
            passed += good
            failed += max(bad, 1)
            print(f"FAILED {test['name']} ({test['result']})")
    if passed + failed == 0:
        failed = 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())
