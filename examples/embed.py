#!/usr/bin/env python3
"""Turn an OpenCL C file into a C header with its text as a string."""
import json
import sys

source, header, name = sys.argv[1:]
with open(source, encoding="utf-8") as text, open(header, "w", encoding="utf-8") as out:
    out.write(f"static const char {name}_source[] =\n")
    for line in text:
        out.write("    " + json.dumps(line) + "\n")
    out.write("    ;\n")
