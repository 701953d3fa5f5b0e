#!/usr/bin/env python3
"""Write the README's worked example from a real run, so that what the README
shows is what the program prints."""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BEGIN = "<!-- example: begin (scripts/update-readme.py writes this part from a real run) -->\n"
END = "<!-- example: end -->\n"
COMMANDS = [
    "sonde run -t opcodeprof -- examples/vector_add",
    "sonde annotate",
    "sonde verify -t opcodeprof -- examples/vector_add",
]


def transcript(build, directory):
    text = "```\n"
    for command in COMMANDS:
        words = shlex.split(command)
        words[0] = str(build / "src/cli/sonde")
        words = [str(build / word) if word.startswith("examples/") else word for word in words]
        done = subprocess.run(words, cwd=directory, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{command} ended with {done.returncode}:\n{done.stdout}")
        output = done.stdout.replace(str(build) + "/", "")
        text += f"$ {command}\n{output.rstrip()}\n\n"
    return text.rstrip() + "\n```\n"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    readme = pathlib.Path(__file__).resolve().parent.parent / "README.md"
    with tempfile.TemporaryDirectory() as directory:
        example = transcript(build, directory)
    text = readme.read_text(encoding="utf-8")
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    if not re.search(pattern, text, re.S):
        sys.exit("README.md has lost its example markers")
    readme.write_text(re.sub(pattern, lambda _: BEGIN + example + END, text, flags=re.S),
                      encoding="utf-8")


main()
