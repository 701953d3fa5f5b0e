#!/usr/bin/env python3
"""sonde run and sonde verify around real OpenCL programs on the emulated GPU:
good ones and bad ones. Arguments: sonde, behave, an example program, the tool
of tool.c: right, with wrong counts, with wrong results, refusing."""
import json
import os
import pty
import re
import signal
import sys

import harness
from harness import check, expect, has, marked, run, start, wait_for

BEHAVE = EXAMPLE = TOOLS = None


def report(*arguments):
    return json.loads(expect(run("report", "--format=json", *arguments), 0).out)["reports"]


def counts_of_a_program():
    result = expect(run("run", "-t", "opcodeprof,bblprof", "--", BEHAVE), 0)
    check(result.out == "fine\n", f"the program's stdout is not its own:\n{result}")
    has(result.err, r"sonde: device     emu:skl \(", "summary")
    has(result.err, r"kernels    1 instrumented, 0 left as they were; 1 dispatch, 1 of them",
        "summary")
    has(result.err, r"records    2 kept, 0 lost", "summary")
    has(result.err, r"overhead   \d+\.\d+x", "summary")
    has(result.err, r"written    sonde.data; next: sonde annotate", "summary")
    has(result.err, r"(?m)^add_one: SIMD\d+, hash [0-9a-f]{16}, 1 dispatch,", "report")
    mix, blocks = report()
    check((mix["tool"], blocks["tool"]) == ("opcodeprof", "bblprof"), (mix, blocks))
    executed = sum(row["instructions"] * row["executions"] for row in blocks["kernels"][0]["rows"])
    check(mix["total"]["dynamic"] == executed > 0, f"{mix['total']['dynamic']} is not {executed}")
    text = expect(run("annotate"), 0).out
    counts = [int(line.split()[1]) for line in text.splitlines() if line.startswith("/* ")]
    check(sum(counts) == executed, f"annotate sums up to {sum(counts)}, not {executed}")
    # 64 items at SIMD n are 64 / n hardware threads; the entry runs in each.
    check(counts[0] == 64 // mix["kernels"][0]["simd"], text)


def cycles_of_the_time_model():
    cycles = set()
    for _ in range(2):
        result = expect(run("run", "--timing", "--", EXAMPLE), 0)
        has(result.out, "PASS", "results under --timing")
        cycles.add(re.search(r"sonde: cycles +(\d+) by the time model", result.err)[1])
    check(len(cycles) == 1, f"two runs took {cycles} cycles")
    check("cycles  " not in expect(run("run", "--", EXAMPLE), 0).err, "cycles without --timing")


def source_lines():
    """add_one and the other kernels stand each on a line of their own."""
    expect(run("run", "-q", BEHAVE, "debug"), 0)
    text = expect(run("annotate"), 0).out
    has(text, r"(?m)^// .*:1$", "annotate")
    rows = json.loads(expect(run("annotate", "--lines", "--format=json"), 0).out)["rows"]
    check({row["line"] for row in rows} <= {0, 1}, rows)
    total = report()[0]["total"]
    check(sum(row["dynamic"] for row in rows) == total["dynamic"], (rows, total))
    check(sum(row["static"] for row in rows) == total["static"], (rows, total))
    check(rows[0]["line"] == 1 and rows[0]["share"] > 50, rows)
    expect(run("run", "-q", BEHAVE), 0)
    has(expect(run("annotate", "--lines"), 1).err, "build the program with -g", "without -g")


def the_run_before_is_kept():
    expect(run("run", "-q", BEHAVE), 0)
    expect(run("run", "-q", "-t", "bblprof", BEHAVE), 0)
    check(report()[0]["tool"] == "bblprof", "sonde.data")
    check(report("-i", "sonde.data.old")[0]["tool"] == "opcodeprof", "sonde.data.old")


def where_reports_go():
    result = expect(run("run", "-q", BEHAVE), 0)
    check((result.out, result.err) == ("fine\n", ""), f"not quiet:\n{result}")
    result = expect(run("run", "--report", "file", "-o", "data", BEHAVE), 0)
    has(open("file", encoding="utf-8").read(), "^opcodeprof: ", "--report FILE")
    check("opcodeprof: " not in result.err, f"the report is on stderr too:\n{result}")
    has(result.err, "written    data; next: sonde annotate -i data", "-o")
    has(expect(run("run", "--report=-", BEHAVE), 0).out, "fine\nopcodeprof: ", "--report=-")


def statuses_of_programs():
    for how, status, message in [
            ("exits-9", 9, "exited with status 9"),
            ("crashes", 128 + signal.SIGSEGV, r"killed by signal 11 \(Segmentation fault\)"),
            ("no-opencl", 0, "no kernel was seen: the program made no OpenCL context"),
            ("no-program", 0, "no kernel was seen: .* created no kernel"),
            ("no-kernel", 0, "no kernel was seen: .* created no kernel"),
            ("no-dispatch", 0, "no kernel was executed: 1 kernel, but never dispatched"),
            ("build-error", 3, "clBuildProgram: error -11")]:
        result = expect(run("run", BEHAVE, how), status)
        has(result.err, message, how)
    # Counted before the crash: nothing of it is lost.
    expect(run("run", BEHAVE, "crashes"), 128 + signal.SIGSEGV)
    check(report()[0]["total"]["dynamic"] > 0, "the counts before the crash are lost")


def kernels_left_out():
    result = expect(run("run", "-k", "other*", BEHAVE), 0)
    has(result.err, "no kernel was instrumented: 1 kernel", "-k that matches nothing")
    has(expect(run("run", "-x", "add_*", BEHAVE), 0).err, "no kernel was instrumented", "-x")
    has(expect(run("run", "--skip=1", BEHAVE), 0).err, "no kernel was instrumented", "--skip")
    has(expect(run("run", "-k", "add_*", BEHAVE), 0).err, "kernels    1 instrumented", "-k")


def forking_program():
    result = expect(run("run", BEHAVE, "forks"), 0)
    has(result.err, r"2 dispatches, 2 of them instrumented, in 2 processes", "forks")
    names = sorted(kernel["kernel"] for kernel in report()[0]["kernels"])
    check(names == ["add_one", "add_two"], names)


def standard_input_is_the_programs():
    result = expect(run("run", "-q", "cat", stdin="a line\n"), 0)
    check(result.out == "a line\n", result)


def faults_are_shown():
    # The program hears of it and ends as it likes; of one that does not, sonde tells.
    result = expect(run("run", BEHAVE, "outside"), 3)
    has(result.err, r"sends .*write of 4 bytes at unmapped address 0x123456789000", "fault")
    has(result.err, r"behave: read: error -5\n", "fault")
    has(result.err, r"sonde: error: 1 dispatch faulted on the emulated GPU", "fault")
    result = expect(run("run", BEHAVE, "outside-unheard"), 125)
    check(result.out == "fine\n", result)
    has(result.err, r"sonde: error: 1 dispatch faulted on the emulated GPU", "unheard fault")
    result = expect(run("run", "--max-instructions=100000", BEHAVE, "loops"), 3)
    has(result.err, r"100000 instructions", "endless kernel")
    has(result.err, r"sonde: error: 1 dispatch faulted on the emulated GPU", "endless kernel")
    check(result.out == "", result)


def signals_are_passed_on():
    for number, status in [(signal.SIGTERM, 17), (signal.SIGINT, 128 + signal.SIGINT)]:
        process = start("run", BEHAVE, "waits")
        check(process.stdout.readline() == "ready\n", "the program did not start")
        check(any(name == "sonde-emu" for _, name in marked(process.mark)), "no emulated GPU")
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        check(process.returncode == status, f"{number}: status {process.returncode}\n{err}")
        check(number != signal.SIGTERM or out == "terminated\n", out)
        has(err, "kernels    1 instrumented", "summary after a signal")
        harness.nothing_left(process.mark)


def interrupt_from_a_terminal():
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(harness.SONDE, ["sonde", "run", BEHAVE, "waits"],
                  dict(harness.environment(), TERM="dumb"))
    text = b""
    while b"ready" not in text:
        text += os.read(terminal, 4096)
    os.write(terminal, b"\x03")
    try:
        while chunk := os.read(terminal, 4096):
            text += chunk
    except OSError: # the terminal has no one at its other end any more
        pass
    _, status = os.waitpid(pid, 0)
    check(os.waitstatus_to_exitcode(status) == 128 + signal.SIGINT, f"{status}: {text.decode()}")
    has(text.decode(), "kernels    1 instrumented", "summary after Ctrl-C")


def two_runs_at_one_place():
    process = start("run", BEHAVE, "waits")
    check(process.stdout.readline() == "ready\n", "the program did not start")
    result = run("run", "-q", BEHAVE)
    check(result.status == 125, result)
    has(result.err, "another run is being recorded in sonde.data", "second run")
    expect(run("run", "-q", "-o", "other", BEHAVE), 0)
    process.terminate()
    process.communicate(timeout=20)
    check(process.returncode == 17, f"status {process.returncode}")
    harness.nothing_left(process.mark)
    check(report()[0]["total"]["dynamic"] > 0, "the first run is lost")
    expect(run("run", "-q", BEHAVE), 0)


def sonde_is_killed():
    process = start("run", BEHAVE, "waits")
    check(process.stdout.readline() == "ready\n", "the program did not start")
    process.kill()
    process.communicate(timeout=20)
    harness.nothing_left(process.mark)


def emulator_is_killed():
    process = start("run", BEHAVE, "waits")
    check(process.stdout.readline() == "ready\n", "the program did not start")
    for pid, name in marked(process.mark):
        if name == "sonde-emu":
            os.kill(pid, signal.SIGKILL)
    _, err = process.communicate(timeout=20)
    check(process.returncode == 125, f"status {process.returncode}")
    has(err, "the emulated GPU ended unexpectedly", "killed emulator")
    harness.nothing_left(process.mark)


def program_is_killed():
    process = start("run", BEHAVE, "waits")
    check(process.stdout.readline() == "ready\n", "the program did not start")
    for pid, name in marked(process.mark):
        if name == "behave":
            os.kill(pid, signal.SIGKILL)
    _, err = process.communicate(timeout=20)
    check(process.returncode == 137, f"status {process.returncode}\n{err}")
    has(err, r"killed by signal 9", "killed program")
    harness.nothing_left(process.mark)
    check(report()[0]["total"]["dynamic"] > 0, "the counts before the kill are lost")


def verify_says_identical():
    result = expect(run("verify", "-t", "opcodeprof,bblprof", "--", BEHAVE), 0)
    has(result.out, "^identical: opcodeprof,bblprof changes nothing and counts right\n", "verify")
    has(result.out, "1 compared, 1 of them instrumented", "verify")
    figure = re.search(r"changed +(\d+) bytes in 1 buffer\n", result.out)
    check(figure and int(figure[1]) == 64, f"one byte of 64 ints changed:\n{result}")
    check(os.listdir(".") == [], os.listdir("."))


def verify_finds_differences():
    expect(run("verify", "-q", "-o", "kept", "--", BEHAVE), 0)
    # Kept again: the earlier one moves, a directory of something else does not.
    expect(run("verify", "-q", "-o", "kept", "--", BEHAVE), 0)
    expect(run("verify", "-q", "--compare", "kept.old"), 0)
    os.makedirs("precious")
    has(expect(run("verify", "-q", "-o", "precious", "--", BEHAVE), 125).err,
        "cannot make the directory precious", "a directory that is not ours")
    expect(run("verify", "--compare", "kept"), 0)
    with open("kept/instrumented.output", "a", encoding="utf-8") as file:
        file.write("more\n")
    result = expect(run("verify", "--compare", "kept"), 1)
    has(result.out, r"different: 1 difference with", "verify")
    has(result.out, r"standard output, line 2 \(byte 5\): 5 bytes", "verify")
    with open("kept/instrumented.output", "w", encoding="utf-8") as file:
        file.write("fine\n")
    with open("kept/instrumented.status", "w", encoding="utf-8") as file:
        file.write("1\n")
    has(expect(run("verify", "--compare", "kept"), 1).out, "exit status: 0 .* 1 in", "verify")
    with open("kept/instrumented.status", "w", encoding="utf-8") as file:
        file.write("0\n")
    spoil("kept/original.truth", b"\1\0\0\0" * 16, b"\1\0\0\0" * 7 + b"\2\0\0\0" + b"\1\0\0\0" * 8)
    result = expect(run("verify", "--compare", "kept"), 1)
    has(result.out, r"dispatch 0, kernel add_one, buffer of .*, offset 0x1c: original 02 00 00 00 "
                    r"01 .*, instrumented 01 00 00 00 01", "verify")


    # Writes to another buffer: none of them is in the other run.
    expect(run("verify", "-q", "-o", "elsewhere", "--", BEHAVE), 0)
    with open("elsewhere/instrumented.truth", "r+b") as file:
        at = file.read().index(b"WRIT") + 4 + 8 + 8 + 4  # tag, size, dispatch, count
        file.seek(at + 4)                                # kind
        file.write(b"\x07")
    result = expect(run("verify", "--compare", "elsewhere"), 1)
    has(result.out, r"kernel add_one, buffer of binding-table index 0, offset 0x0: \d+ bytes changed "
                    r"only in the original run", "verify")
    has(result.out, r"kernel add_one, buffer of binding-table index 7, offset 0x0: \d+ bytes changed "
                    r"only in the instrumented run", "verify")


def spoil(path, old, new):
    with open(path, "rb") as file:
        data = file.read()
    check(old in data, f"{path} does not hold {old}")
    with open(path, "wb") as file:
        file.write(data.replace(old, new, 1))


def tool_of_a_shared_object():
    right, wrong_counts, wrong_results, _ = TOOLS
    result = expect(run("run", "-t", right, BEHAVE), 0)
    has(result.err, r"custom: basic blocks", "tool by path")
    expect(run("verify", "-t", right, BEHAVE), 0)
    result = expect(run("verify", "-t", wrong_counts, BEHAVE), 1)
    has(result.out, "different: 1 difference with", "wrong counts")
    has(result.out, r"block 0: custom counted (\d+) executions; at 0x0 the device counted "
                    r"\d+ \(original run\)", "wrong counts")
    result = expect(run("verify", "-t", wrong_results, BEHAVE), 1)
    has(result.out, r"dispatch 0, kernel add_one, buffer of binding-table index 0, offset 0x0: "
                    r"original 01 00 00 00 .*, instrumented 03 00 00 00 ", "wrong results")
    has(result.out, r"exit status: 0 in the original run, 4 in the instrumented run",
        "wrong results")


def kernels_that_cannot_be_instrumented():
    refuses = TOOLS[3]
    result = expect(run("run", "-t", refuses, BEHAVE), 0)
    check(result.out == "fine\n", result)
    has(result.err, r"no kernel was instrumented: 1 kernel \(1 left as they were\), 1 dispatch",
        "refusal")
    has(result.err, "add_one ran as it was: .*not a kernel for this tool", "refusal")
    has(expect(run("info"), 0).out, "not instrumented: .*not a kernel for this tool", "info")
    result = expect(run("report"), 0)
    check(result.out == "", result)
    has(result.err, "the run has no counts", "report")
    result = expect(run("annotate"), 1)
    has(result.err, "no kernel ran instrumented", "annotate")


def kernel_with_calls():
    result = expect(run("verify", BEHAVE, "calls"), 0)
    has(result.out, "2 compared, 2 of them instrumented", "subroutine calls")


def verify_of_processes_side_by_side():
    # Which of the two starts first is up to the system: a few runs
    # are a chance to see both orders.
    for _ in range(3):
        result = expect(run("verify", BEHAVE, "forks"), 0)
        has(result.out, "2 compared, 2 of them instrumented", "forks")


def verify_refuses_to_say_nothing():
    result = expect(run("verify", "-k", "nothing", "--", BEHAVE), 125)
    has(result.err, "nothing was verified: no dispatch ran instrumented", "verify")
    result = expect(run("verify", "--", BEHAVE, "no-opencl"), 125)
    has(result.err, "nothing was verified", "verify")
    expect(run("verify", "no-such-program"), 127)


def example_program():
    result = expect(run("run", "-t", "opcodeprof,bblprof", EXAMPLE, timeout=120), 0)
    has(result.out, "PASS", "example")
    figures = json.loads(expect(run("verify", "--format=json", "-t", "opcodeprof,bblprof", EXAMPLE,
                                    timeout=120), 0).out)
    check(figures["identical"] and figures["driver_dispatches"] > 0, figures)
    # The summary has it from the block counts, verify from the device.
    original, instrumented = figures["original_instructions"], figures["instrumented_instructions"]
    check(original < instrumented < 1.05 * original, figures)
    has(result.err, re.escape(f"overhead   about {instrumented / original:.2f}x: {instrumented} "
                              f"instructions executed for {original} of the program"), "overhead")


if __name__ == "__main__":
    harness.SONDE, BEHAVE, EXAMPLE, *TOOLS = map(os.path.abspath, sys.argv[1:])
    sys.exit(harness.main([
        counts_of_a_program, the_run_before_is_kept, where_reports_go,
        cycles_of_the_time_model, source_lines, statuses_of_programs,
        kernels_left_out, forking_program, standard_input_is_the_programs, faults_are_shown,
        signals_are_passed_on, interrupt_from_a_terminal,
        two_runs_at_one_place, sonde_is_killed, emulator_is_killed,
        program_is_killed, verify_says_identical, verify_finds_differences, tool_of_a_shared_object,
        kernels_that_cannot_be_instrumented, kernel_with_calls, verify_of_processes_side_by_side,
        verify_refuses_to_say_nothing, example_program]))
