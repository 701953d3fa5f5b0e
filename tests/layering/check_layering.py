#!/usr/bin/env python3
"""Fail when a stage includes a later one (data flows down the list)."""
import pathlib
import re
import sys

# In the order in which data flows; a folder may include itself and any folder
# above it, with the exceptions below.
ORDER = ["base", "isa", "image", "kernel", "coder", "rewrite", "profile", "attach", "emu",
         "device", "trace", "analyze", "report", "tools", "cli"]
# The emulator must stay usable as a second opinion on the codec.
ONLY = {"emu": {"base", "isa", "emu"},
        "analyze": {"base", "isa", "kernel", "trace", "analyze"},
        "report": {"base", "isa", "kernel", "trace", "analyze", "report"}}
# The attach library runs tools and writes the trace: it includes those two
# later stages although its own place in the list is earlier.
EXTRA = {"attach": {"trace", "tools"}, "device": set()}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_0-9]+)/', re.M)


def main():
    root = pathlib.Path(sys.argv[1])
    bad = []
    for path in sorted((root / "src").rglob("*.[ch]")):
        stage = path.relative_to(root / "src").parts[0]
        if stage not in ORDER:
            bad.append(f"{path}: folder {stage} is not in the design's list")
            continue
        allowed = ONLY.get(stage, set(ORDER[:ORDER.index(stage) + 1])) | EXTRA.get(stage, set())
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if included in ORDER and included not in allowed:
                bad.append(f"{path.relative_to(root)}: {stage} includes {included}")
    print("\n".join(bad) if bad else "layering: every include goes down the list")
    return 1 if bad else 0


sys.exit(main())
