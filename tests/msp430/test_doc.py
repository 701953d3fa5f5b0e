#!/usr/bin/env python3
"""Every command of doc/msp430.md runs as it stands there, in a folder that
looks like Sonde's. Usage: test_doc.py SOURCE_ROOT BUILD_ROOT"""
import pathlib
import re
import subprocess
import sys
import tempfile

SKIP = 77
ROOT, BUILD = (pathlib.Path(x).resolve() for x in sys.argv[1:])


def commands():
    text = (ROOT / "doc/msp430.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    return [block.strip().splitlines() for block in blocks]


def main():
    if not pathlib.Path("/usr/msp430/include/msp430.h").exists():
        print("msp430mcu is not installed")
        return SKIP
    blocks = commands()
    assert len(blocks[0]) == 5, "not five commands any more"
    outputs = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, place in (("firmware", ROOT), ("doc", ROOT)):
            (folder / part).symlink_to(place / part)
        (folder / "build").symlink_to(BUILD)
        for command in (line for block in blocks for line in block):
            done = subprocess.run(["bash", "-ec", command], cwd=folder, capture_output=True,
                                  text=True, check=False, timeout=60, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                sys.exit(f"{command}\nexit {done.returncode}\n{done.stdout}\n{done.stderr}")
            outputs[command] = done
        page = (folder / "blink.html").read_text()
        assert all(word in page for word in ("on_tick", "next", "main")), page[:400]
        ends = [re.search(r"(\d+) cycles .* (\d+) instructions, (\d+) interrupts", d.stderr).groups()
                for c, d in outputs.items() if re.search(r"run \S+ .*-o \S+\.data|places -o", c)]
        assert len(ends) == 3 and len(set(ends)) == 1, ends  # three ways of marking
        run = next(d for c, d in outputs.items() if "blink.marked.elf -o" in c)
        assert run.stdout == 7 * "step\n" + "round\n", run.stdout
        until = next(d for c, d in outputs.items() if "output=round" in c)
        assert until.stdout.endswith("round") and "stopped as asked" in until.stderr, until
    print(f"{len(outputs)} commands")
    return 0


sys.exit(main())
