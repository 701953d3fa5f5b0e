"""A program run with a limit of processor time. Shared by try-workloads.py and
try-conformance.py.

The limit and the seconds are those of the processor, so that they say the same on a busy
machine; a program that waits for something else is stopped after some times the limit.
"""

import collections
import resource
import signal
import subprocess

WAITING = 12  # times the limit that a program may take by the clock
LATE = (-signal.SIGXCPU, 128 + signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGKILL)

Ended = collections.namedtuple("Ended", "output errors status seconds late")
Ended.__doc__ = """What a program printed (bytes), its exit status, the seconds of the processor
that it and its children took, and whether a limit ended it."""


def run_program(command, limit, folder, environment=None, errors=subprocess.PIPE):
    """Run `command` in `folder`; each of its processes may take `limit` seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=errors,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
    try:
        texts = process.communicate(timeout=WAITING * limit)
        late = process.returncode in LATE
    except subprocess.TimeoutExpired:
        process.terminate()
        texts = process.communicate()
        late = True
    except BaseException:
        process.terminate()
        raise
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # The device was ended. The kernel counts whole ticks for the limit, which run ahead.
    late = late or (process.returncode != 0 and used >= 0.85 * limit)
    return Ended(texts[0], texts[1] or b"", process.returncode, round(used, 1), late)
