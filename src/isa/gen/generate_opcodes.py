#!/usr/bin/env python3
"""Turn opcodes.txt into the public opcode enumeration (gen_opcode.h)."""
import sys


def rows(path):
    with open(path, encoding="ascii") as text:
        for number, line in enumerate(text, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            fields = line.split(None, 9)
            if len(fields) != 10:
                sys.exit(f"{path}:{number}: expected 10 columns, found {len(fields)}")
            yield fields


def main():
    source, header = sys.argv[1:]
    with open(header, "w", encoding="ascii") as out:
        out.write("/* Generated from src/isa/gen/opcodes.txt; do not edit. */\n")
        out.write("#ifndef SONDE_GEN_OPCODE_H\n#define SONDE_GEN_OPCODE_H\n\n")
        out.write("enum sonde_gen_opcode {\n")
        for fields in rows(source):
            out.write(f"    SONDE_GEN_{fields[0].upper()}, /* {fields[9]} */\n")
        out.write("    SONDE_GEN_OPCODE_COUNT\n};\n\n#endif\n")


main()
