#!/usr/bin/env python3
"""What `meson install` puts down works by itself, wherever its root is moved
to, and is enough to build a tool. Arguments: build folder, behave, tool.c."""
import os
import pathlib
import shutil
import subprocess
import sys

import harness
from harness import check, expect, has, run

BUILD = BEHAVE = TOOL_SOURCE = None


def installed_files_work():
    env = dict(os.environ, DESTDIR=os.getcwd() + "/stage")
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"], env=env, check=True,
                   stdout=subprocess.DEVNULL)
    program = next(pathlib.Path("stage").rglob("bin/sonde"))
    shutil.move(program.parent.parent, "moved")
    shutil.rmtree("stage")
    harness.SONDE = os.path.abspath("moved/bin/sonde")
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
    BUILD, BEHAVE, TOOL_SOURCE = map(os.path.abspath, sys.argv[1:])
    sys.exit(harness.main([installed_files_work]))
