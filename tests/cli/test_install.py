#!/usr/bin/env python3
"""What `meson install` puts down works by itself, wherever its root is moved
to, and is enough to build a tool. Arguments: build folder, behave, vector_add,
doc/writing-a-tool.md, tool.c, vector_add's neighbour control_flow, example tools."""
import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys

import harness
from harness import check, expect, has, run

BUILD = BEHAVE = VECTOR_ADD = MANUAL = TOOL_SOURCE = CONTROL_FLOW = None
EXAMPLES = []
DEVICES = ["emu:skl", "emu:tgllp", "emu:dg2"]


def build_tool(source):
    """As doc/writing-a-tool.md says, against the moved installation."""
    env = dict(os.environ, PKG_CONFIG_PATH="moved/share/pkgconfig")
    flags = subprocess.run(["pkg-config", "--cflags", "sonde"], env=env, check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    name = "./" + pathlib.Path(source).stem + ".so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *flags, "-o", name,
                    source], check=True)
    return name


def example_tools():
    """vector_add has a thousand work-items and loads or stores three times in each. Every thread
    of it has up to 32, and ends with a message; SIMD instructions run in all work-items."""
    install()
    messages, lanes = map(build_tool, EXAMPLES[:2])
    for device in DEVICES:
        shown = expect(run("run", "--device", device, "-t", messages, VECTOR_ADD), 0).err
        sent = int(re.search(r"vector_add sent (\d+) messages", shown)[1])
        counts = expect(run("run", "--device", device, "-t", "bblprof", "-o", "counts",
                            VECTOR_ADD), 0) and listed_messages("counts")
        check(sent == counts, f"{device}: {sent} messages, {counts} by blocks")
        shown = expect(run("run", "--device", device, "-t", lanes, VECTOR_ADD), 0).err
        used, named = map(int, re.search(r"used (\d+) of (\d+) lanes", shown).groups())
        check(used % 1000 == 0 and 1 <= used // 1000, f"{device}: {used} lanes used")
        check(used < named <= used * 32 * 32 / 1000 * 2, f"{device}: {used} of {named} lanes")


def probe_in_opencl_c():
    """The example that calls an OpenCL C probe at every block: visits of all shapes together are
    the executions of all blocks, by another tool, and the program computes what it did."""
    install()
    shapes = build_tool(EXAMPLES[2])
    source = pathlib.Path(EXAMPLES[2]).with_suffix(".cl")
    for device, target, part in (("emu:skl", "skl", "gen9"), ("emu:tgllp", "tgllp", "xe"),
                                 ("emu:dg2", "dg2", "xehpg")):
        subprocess.run(["ocloc", "compile", "-q", "-file", source, "-device", target,
                        "-output_no_suffix", "-output", f"shapes-{part}.bin"], check=True,
                       env=dict(os.environ, IGC_FunctionControl="3"), stdout=subprocess.DEVNULL)
        shown = expect(run("run", "--device", device, "-t", shapes + ",bblprof", "-o", "shapes",
                           CONTROL_FLOW), 0).err
        found = re.search(r"all lanes (\d+), at most one (\d+), neighbours (\d+), scattered (\d+)",
                          shown)
        counts = list(map(int, found.groups()))
        table = expect(run("report", "-i", "shapes", "-t", "bblprof", "--format", "csv"), 0).out
        visits = sum(int(row["executions"]) for row in csv.DictReader(io.StringIO(table)))
        check(sum(counts) == visits, f"{device}: {counts} are not {visits} visits")
        check(all(count > 0 for count in counts), f"{device}: {counts}")
        has(expect(run("verify", "--device", device, "-t", "opcodeprof," + shapes,
                       VECTOR_ADD), 0).out,
            "identical:", device)


def listed_messages(folder):
    """Executed sends but those of the prolog, by `sonde annotate`: another tool, other code."""
    text = expect(run("annotate", "-i", folder), 0).out
    body = text[text.rindex("(entry)"):] if "skl" not in text else text
    found = re.findall(r"/\* +(\d+) \*/ /\* \[\w+\] \*/ (?:\([^)]*\))? *sends?[. ]", body)
    return sum(map(int, found))


def manual_shows_example():
    """The tool printed in the manual is the first example, of at most 60 lines."""
    source = pathlib.Path(EXAMPLES[0]).read_text(encoding="utf-8")
    blocks = re.findall(r"```c\n(.*?)```", pathlib.Path(MANUAL).read_text(encoding="utf-8"), re.S)
    check(source in blocks, "the manual shows another tool")
    check(source.count("\n") <= 60, "the tool of the manual is longer than 60 lines")


def install():
    env = dict(os.environ, DESTDIR=os.getcwd() + "/stage")
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"], env=env, check=True,
                   stdout=subprocess.DEVNULL)
    program = next(pathlib.Path("stage").rglob("bin/sonde"))
    shutil.move(program.parent.parent, "moved")
    shutil.rmtree("stage")
    harness.SONDE = os.path.abspath("moved/bin/sonde")


def installed_files_work():
    install()
    has(expect(run("run", BEHAVE), 0).err, "kernels    1 instrumented", "installed sonde")
    page = pathlib.Path("moved/share/man/man1/sonde.1").read_text(encoding="utf-8")
    check(page == expect(run("help", "--man"), 0).out, "the installed manual page is another one")
    script = pathlib.Path("moved/share/bash-completion/completions/sonde")
    check(script.read_text(encoding="utf-8") == expect(run("help", "--completion"), 0).out, script)
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-Imoved/include", "-o",
                    "tool.so", TOOL_SOURCE], check=True)
    result = expect(run("verify", "-t", "./tool.so", BEHAVE), 0)
    has(result.out, r"identical: \./tool.so", "tool built against the installed headers")


if __name__ == "__main__":
    BUILD, BEHAVE, VECTOR_ADD, MANUAL, TOOL_SOURCE, CONTROL_FLOW, *EXAMPLES = map(
        os.path.abspath, sys.argv[1:])
    sys.exit(harness.main([installed_files_work, example_tools, probe_in_opencl_c,
                           manual_shows_example]))
