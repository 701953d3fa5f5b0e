"""Shared by the tests of the program: run it, compare, and look for processes
that it left behind."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

SONDE = None
SKIP = 77


class Failure(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failure(message)


def has(text, pattern, what):
    check(re.search(pattern, text), f"{what}: no match for {pattern!r} in:\n{text}")


class Result:
    def __init__(self, status, out, err, mark):
        self.status, self.out, self.err, self.mark = status, out, err, mark

    def __str__(self):
        return f"status {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def environment(extra=None):
    env = dict(os.environ)
    for name in ("NO_COLOR", "OCL_ICD_VENDORS", "SONDE_OPENCL_DRIVER", "SONDE_ATTACH_LIBRARY"):
        env.pop(name, None)
    env.update(extra or {})
    # Whatever a run starts inherits this, so that it can be found again.
    env["SONDE_TEST_MARK"] = uuid.uuid4().hex
    return env


def run(*arguments, env=None, timeout=60, cwd=None, stdin=None):
    environ = environment(env)
    process = subprocess.run([SONDE, *map(str, arguments)], env=environ, timeout=timeout, cwd=cwd,
                             input=stdin, capture_output=True, text=True, check=False)
    return Result(process.returncode, process.stdout, process.stderr, environ["SONDE_TEST_MARK"])


def start(*arguments, env=None, cwd=None):
    environ = environment(env)
    process = subprocess.Popen([SONDE, *map(str, arguments)], env=environ, cwd=cwd,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    process.mark = environ["SONDE_TEST_MARK"]
    return process


def predicted(result):
    """A run whose records were counted before used the bytes that were predicted."""
    match = re.search(r"space\s+(\d+) bytes of records predicted, (\d+) used", result.err)
    check(match and match[1] == match[2] != "0", f"predicted and used: {result}")
    return result


def marked(mark):
    """Command lines of the processes that carry the mark."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append((int(entry.name), (entry / "comm").read_text().strip()))
        except OSError:
            continue
    return found


def wait_for(condition, what, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, f"waited {seconds} s for {what}")
        time.sleep(0.02)


def nothing_left(mark):
    wait_for(lambda: not marked(mark), f"processes to end: {marked(mark)}", 10)


def expect(result, status):
    check(result.status == status, f"expected status {status}:\n{result}")
    nothing_left(result.mark)
    return result


def main(tests):
    """Run the functions in `tests`, each in an empty directory of its own."""
    failed = 0
    for test in tests:
        directory = tempfile.mkdtemp(prefix="sonde-test-")
        old = os.getcwd()
        os.chdir(directory)
        try:
            test()
            print(f"[       OK ] {test.__name__}")
        except (Failure, subprocess.TimeoutExpired, OSError, ValueError, KeyError, IndexError):
            failed += 1
            print(f"[  FAILED  ] {test.__name__}")
            traceback.print_exc(file=sys.stdout)
        finally:
            os.chdir(old)
            shutil.rmtree(directory, ignore_errors=True)
    return 1 if failed else 0
