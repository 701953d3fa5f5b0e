#!/usr/bin/env python3
"""The command line without any driver: help, messages, exit statuses, and the
reports of a recorded run in every format. Arguments: sonde, sample-run."""
import csv
import io
import json
import os
import signal
import socket
import struct
import subprocess
import sys

import harness
from harness import check, environment, expect, has, run, start, wait_for

SAMPLE = None
HERE = os.path.dirname(os.path.abspath(__file__))
COMMANDS = ["run", "report", "annotate", "verify", "disasm", "list", "info", "export", "dump", "emu", "msp430 run",
            "msp430 as", "help"]


def sample(*arguments):
    subprocess.run([SAMPLE, "sonde.data", *arguments], check=True)


def help_of_everything():
    overview = expect(run("--help"), 0).out
    for command in COMMANDS:
        has(overview, rf"(?m)^  {command} ", "overview")
        text = expect(run(*command.split(), "--help"), 0).out
        has(text, rf"^Usage: sonde {command}", command)
        has(text, r"(?m)^Examples:\n  sonde ", command)
        check(text == expect(run("help", *command.split()), 0).out, f"sonde help {command} differs")
        for line in text.splitlines() + overview.splitlines():
            check(len(line) <= 80, f"{command}: {len(line)} columns: {line}")


def version():
    has(expect(run("--version"), 0).out, r"^sonde \d+\.\d+\.\d+\ntrace format \d+\n"
                                         r"devices hw emu:skl", "--version")


def man_page_has_every_option():
    page = expect(run("help", "--man"), 0).out.replace("\\-", "-")
    for command in COMMANDS:
        has(page, rf"(?m)^\.SS sonde {command} ", "man page")
        for line in expect(run(*command.split(), "--help"), 0).out.splitlines():
            if line.startswith("  -") or line.startswith("      -"):
                name = line[line.index("-m" if " -mp" in line else "--"):].split("=")[0].split()[0]
                check(name in page, f"man page lacks {name}")


def completion_is_bash():
    script = expect(run("help", "--completion"), 0).out
    words = subprocess.run(
        ["bash", "-c", script + '\nCOMP_WORDS=(sonde re); COMP_CWORD=1; _sonde; '
                                'echo "${COMPREPLY[@]}"'],
        capture_output=True, text=True, check=True).stdout.split()
    check(words == ["report"], f"completion of 're': {words}")
    for typed, wanted in ((["msp"], ["msp430"]), (["msp430", "a"], ["as"]),
                          (["msp430", "as", "-mp"], ["-mpge", "-mpgx"])):
        words = subprocess.run(
            ["bash", "-c", f"{script}\nCOMP_WORDS=(sonde {' '.join(typed)}); "
                           f'COMP_CWORD={len(typed)}; _sonde; echo "${{COMPREPLY[@]}}"'],
            capture_output=True, text=True, check=True).stdout.split()
        check(words == wanted, f"completion of {typed}: {words}")


def usage_errors():
    has(expect(run(), 2).err, "Usage: sonde", "no command")
    for words, status, message in [
            (["rnu"], 2, "did you mean 'run'"),
            (["reprot"], 2, "did you mean 'report'"),
            (["xyzzy"], 2, "there is no command 'xyzzy'\n"),
            (["report", "--colums=kernel"], 2, "did you mean --columns"),
            (["report", "--format=jsn"], 2, "did you mean 'json'"),
            (["report", "-Z"], 2, "has no option -Z"),
            (["report", "-i"], 2, "--input needs a value"),
            (["report", "stray"], 2, "does not know what to do with 'stray'"),
            (["report", "--limit=many"], 2, "--limit takes a number"),
            (["report", "-k", "re:("], 2, "no regular expression"),
            (["disasm"], 2, "needs FILE"),
            (["list", "tols"], 2, "did you mean 'tools'"),
            (["list", "kernels"], 2, "needs a FILE"),
            (["emu", "--port=70000"], 2, "--port takes a number from 0 to 65535"),
            (["help", "rn"], 2, "there is no command"),
            (["run"], 125, "needs \\[--\\] APP"),
            (["run", "--tols=x", "true"], 125, "did you mean --tool"),
            (["run", "-t", "opcodprof", "true"], 125, "did you mean 'opcodeprof'"),
            (["run", "-t", "xyzzy", "true"], 125, "'sonde list tools'"),
            (["run", "-t", "./no-such-tool.so", "true"], 125, "no tool file ./no-such-tool.so"),
            (["run", "--device=emu:slk", "true"], 125, "did you mean 'emu:skl'"),
            (["run", "--device=xyzzy", "true"], 125, "devices are auto, hw, emu:skl"),
            (["run", "no-such-program"], 127, "no-such-program: program not found"),
            (["run", "/etc"], 126, "/etc: cannot be executed: Is a directory"),
            (["run", "/etc/passwd"], 126, "/etc/passwd: cannot be executed: Permission denied"),
            (["verify"], 125, "needs \\[--\\] APP")]:
        result = expect(run(*words), status)
        has(result.err, message, " ".join(words))
        check(result.out == "", f"{words} wrote to stdout")
        check("sonde.data" not in os.listdir("."), f"{words} touched sonde.data")


def missing_driver():
    os.mkdir("vendors")
    result = expect(run("run", "true", env={"OCL_ICD_VENDORS": os.getcwd() + "/vendors"}), 125)
    has(result.err, "apt-get install intel-opencl-icd", "missing driver")
    result = expect(run("run", "true", env={"SONDE_OPENCL_DRIVER": "/no/driver.so"}), 125)
    has(result.err, "no OpenCL driver /no/driver.so", "SONDE_OPENCL_DRIVER")


def color():
    for words, env, colored in [([], {}, False), (["--color=always"], {}, True),
                                (["--color=always"], {"NO_COLOR": "1"}, True),
                                (["--color=never"], {}, False)]:
        text = run("report", *words, "-i", "nothing", env=env).err
        check(("\033[" in text) == colored, f"{words} {env}: {text!r}")
    check(terminal_has_color({"TERM": "xterm"}), "no colour on a terminal")
    check(not terminal_has_color({"TERM": "xterm", "NO_COLOR": "1"}), "NO_COLOR is not obeyed")
    check(not terminal_has_color({"TERM": "dumb"}), "colour on a dumb terminal")


def terminal_has_color(env):
    master, slave = os.openpty()
    subprocess.run([harness.SONDE, "report", "-i", "nothing"], stderr=slave, env=environment(env),
                   check=False)
    os.close(slave)
    text = os.read(master, 10000)
    os.close(master)
    return b"\033[" in text


def no_run_here():
    result = expect(run("report"), 1)
    has(result.err, "sonde.data", "missing run")
    has(result.err, "sonde run", "missing run")


def formats_agree():
    sample()
    text = expect(run("report", "-t", "opcodeprof"), 0).out
    table = list(csv.DictReader(io.StringIO(
        expect(run("report", "-t", "opcodeprof", "--format=csv"), 0).out)))
    document = json.loads(expect(run("report", "-t", "opcodeprof", "--format=json"), 0).out)
    report = document["reports"][0]
    check(document["command_line"] == "./app 'a b'" and report["tool"] == "opcodeprof", document)
    rows = [(kernel["kernel"], row) for kernel in report["kernels"] for row in kernel["rows"]]
    rows += [("(total)", row) for row in report["total"]["rows"]]
    check(len(rows) == len(table) == 16, f"{len(rows)} rows in JSON, {len(table)} in CSV")
    for (kernel, row), line in zip(rows, table):
        check(kernel == line["kernel"], f"{kernel} is {line['kernel']} in CSV")
        for name, value in row.items():
            same = str(value) == line[name] if isinstance(value, (str, int)) else \
                value == float(line[name])
            check(same, f"{name}: {value} in JSON, {line[name]} in CSV")
        cells = [line[name] for name in row]
        has(text, r"(?m)^ +" + r" +".join(map(lambda cell: cell.replace(".", r"\."), cells)) + "$",
            "text report")
    # 13 x 5 + 5 x 2 + 13 x 3 executed by "alpha", 6 x 2 by the other one.
    check(sum(row["dynamic"] for kernel, row in rows if kernel == "alpha") == 114, rows)
    check(report["total"]["dynamic"] == 126, report["total"])


def choosing_rows():
    sample()
    text = expect(run("report", "-t", "opcodeprof", "-k", "alp*"), 0).out
    check("beta" not in text and "alpha" in text, text)
    text = expect(run("report", "-t", "opcodeprof", "--total", "--limit", "1"), 0).out
    check("alpha" not in text and len(text.splitlines()) == 5, text)
    result = expect(run("report", "-k", "nothing*"), 1)
    has(result.err, 'matches no kernel of the run, which has: alpha, beta', "-k nothing")
    result = expect(run("report", "-t", "opcodprof"), 1)
    has(result.err, "did you mean 'opcodeprof'", "-t opcodprof")
    result = expect(run("report", "--format=csv"), 2)
    has(result.err, "choose one with -t", "two tools in CSV")
    result = expect(run("report", "-t", "opcodeprof", "-f", "opcode,nonsense"), 2)
    has(result.err, "no column 'nonsense'", "-f nonsense")
    out = expect(run("report", "-t", "bblprof", "--format=csv", "-f", "block", "-s", "-block",
                     "-k", "alpha"), 0).out
    check(out.split() == ["block", "3", "2", "1", "0"], out)


def losses_are_shown():
    sample("loss")
    has(expect(run("report", "-t", "opcodeprof"), 0).out, "INCOMPLETE: 7 records were lost", "text")
    has(expect(run("report", "-t", "opcodeprof", "--format=csv"), 0).err, "7 records were lost",
        "csv")
    document = json.loads(expect(run("report", "--format=json"), 0).out)
    check(document["lost_records"] == 7, document["lost_records"])
    has(expect(run("annotate"), 0).err, "7 records were lost", "annotate")
    has(expect(run("info"), 0).out, "7 lost", "info")


def annotated_assembly():
    sample()
    text = expect(run("annotate", "-k", "alpha"), 0).out
    counts = [int(line.split()[1]) for line in text.splitlines() if line.startswith("/* ")]
    check(counts == [13] * 5 + [5] * 2 + [13] * 3, f"{counts}\n{text}")
    has(text, r"add \(16\|M0\)", "annotate")
    check(text.count("// BBL") == 4, text)


def dump_has_every_record():
    sample("loss")
    document = json.loads(expect(run("dump", "--format=json"), 0).out)
    check([kernel["name"] for kernel in document["kernels"]] ==
          ["alpha", 'beta,"2"', "alpha", "gamma"], document["kernels"])
    check(len(document["dispatches"]) == 5 and len(document["block_counts"]) == 8, document)
    check(document["kernels"][3]["refusal"] == "reads its own instruction pointer", document)
    check(document["losses"][0]["records"] == 7, document["losses"])
    text = expect(run("dump"), 0).out
    has(text, r"counts: dispatch 1, kernel 0, tool opcodeprof: 8 2 8 8\n", "dump")
    has(text, r"not instrumented: reads its own instruction pointer", "dump")
    has(expect(run("dump", "--format=csv"), 2).err, "text or json", "dump as csv")


def output_that_cannot_be_written():
    sample()
    with open("/dev/full", "w") as full:
        process = subprocess.run([harness.SONDE, "report", "-t", "opcodeprof"], stdout=full,
                                 stderr=subprocess.PIPE, text=True, check=False)
    check(process.returncode == 1, process)
    has(process.stderr, "cannot write the output: No space left", "/dev/full")


def corrupt_binaries():
    with open("garbage", "wb") as file:
        file.write(bytes(range(256)) * 16)
    for arguments in (["disasm", "garbage"], ["list", "kernels", "garbage"],
                      ["disasm", "no-such-file"], ["disasm", "/"]):
        result = expect(run(*arguments, timeout=20), 1)
        has(result.err, r"sonde: error: .*" + arguments[-1], " ".join(arguments))
    has(expect(run("disasm", "--platform=gen99", "garbage"), 1).err, "did you mean 'gen9'",
        "--platform")


def pieces_of_code_are_shown():
    # mov (8|M0) r1.0<1>:ud r0.0<8;8,1>:ud without an end of thread after it.
    with open("piece", "wb") as file:
        file.write(bytes.fromhex("01006000 0c022020 00008d00 00000000".replace(" ", "")))
    result = expect(run("disasm", "--platform=gen9", "piece"), 0)
    has(result.out, r"1 instructions?, not a whole kernel", "piece")
    has(result.out, r"mov \(8\|M0\) +r1\.0<1>:ud +r0\.0<8;8,1>:ud", "piece")
    has(result.err, "no end-of-thread message", "piece")


def arguments_and_source_lines():
    binary = os.path.join(HERE, "../image/corpus/debug.bin")
    text = expect(run("disasm", binary), 0).out
    has(text, r"(?m)^// \S*store\.cl:1$", "source line")
    check(text.count("store.cl:1\n") == 1, "a line is shown once")
    text = expect(run("list", "kernels", binary, "--arguments"), 0).out
    has(text, r"(?m)^ +0  global +int\* a, BTI 0, 8 bytes at 0x20$", "argument")
    check("global" not in expect(run("list", "kernels", binary), 0).out, "unasked")


def illegal_words_show_why():
    # An undefined opcode, an undefined execution size, a nop that ends in zeros.
    with open("odd", "wb") as file:
        file.write(struct.pack("<6Q", 0x7f, 1, 0x00e00001, 1, 0x7e, 0))
    result = expect(run("disasm", "--platform=gen9", "odd"), 0)
    has(result.out, r"3 instructions", "odd")
    has(result.out, r"illegal .*opcode \(bits 6:0\) is undefined: 0x7f", "odd")
    has(result.out, r"illegal .*exec_size \(bits 23:21\) is undefined: 0x7", "odd")
    with open("cut", "wb") as file:
        file.write(struct.pack("<3Q", 0x7f, 1, 0x7e))
    has(expect(run("disasm", "--platform=gen9", "cut"), 1).err,
        "ends at byte 24, inside the instruction at byte 16", "cut")


def emulator_ends_when_told():
    for number in (signal.SIGTERM, signal.SIGINT):
        process = start("emu")
        line = process.stdout.readline()
        has(line, r"emu:skl listens on 127.0.0.1:\d+", "emu")
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
        check(process.returncode == 0, f"emu ended with {process.returncode} after {number}")
        has(err, "0 dispatches", "emu")
        harness.nothing_left(process.mark)


def port_in_use():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        result = expect(run("emu", "--port", port, timeout=20), 1)
        has(result.err, rf"\b{port}\b", "port in use")
        has(result.err, "without --port any free port", "port in use")


if __name__ == "__main__":
    harness.SONDE, SAMPLE = map(os.path.abspath, sys.argv[1:])
    sys.exit(harness.main([
        help_of_everything, version, man_page_has_every_option, completion_is_bash, usage_errors,
        missing_driver, color, no_run_here, formats_agree, choosing_rows, losses_are_shown,
        annotated_assembly, dump_has_every_record, output_that_cannot_be_written,
        corrupt_binaries, pieces_of_code_are_shown, arguments_and_source_lines,
        illegal_words_show_why, emulator_ends_when_told,
        port_in_use]))
