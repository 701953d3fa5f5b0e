#!/usr/bin/env python3
"""Turn opcodes.txt into the public opcode enumeration (gen_opcode.h), or with
--facts into the table of static opcode facts (opcode_facts.inc)."""
import sys

PLATFORMS = 6
SOURCES = {"nullary": 0, "unary": 1, "binary": 2, "ternary": 3, "math": 2, "send": 2, "wait": 1,
           "sync": 1, "dpas": 3}


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


def write_header(source, out):
    out.write("/* Generated from src/isa/gen/opcodes.txt; do not edit. */\n")
    out.write("#ifndef SONDE_GEN_OPCODE_H\n#define SONDE_GEN_OPCODE_H\n\n")
    out.write("enum sonde_gen_opcode {\n")
    for fields in rows(source):
        out.write(f"    SONDE_GEN_{fields[0].upper()}, /* {fields[9]} */\n")
    out.write("    SONDE_GEN_OPCODE_COUNT\n};\n\n#endif\n")


def write_facts(source, out):
    table = list(rows(source))
    out.write("/* Generated from src/isa/gen/opcodes.txt; do not edit. */\n")
    out.write("const struct isa_gen_opcode_facts isa_gen_opcodes[SONDE_GEN_OPCODE_COUNT] = {\n")
    for name, *codes, form, jumps, _ in table:
        sources = SOURCES[form] if form != "branch" else int("reg" in jumps)
        offsets = sum(part in jumps for part in ("jip", "uip"))
        codes = ", ".join("ISA_GEN_NO_CODE" if c == "-" else f"0x{c.lower()}" for c in codes)
        out.write(f"    [SONDE_GEN_{name.upper()}] = {{\"{name}\", SONDE_GEN_FORMAT_{form.upper()}, "
                  f"{sources}, {offsets}, {{{codes}}}}},\n")
    out.write("};\n\nconst uint8_t isa_gen_opcode_of_code[SONDE_GEN_PLATFORM_COUNT][128] = {\n")
    for platform in range(PLATFORMS):
        codes = {}
        for name, *fields in table:
            if fields[platform] == "-":
                continue
            code = int(fields[platform], 16)
            if code in codes or code > 127:
                sys.exit(f"{source}: platform {platform}: code {code:#x} of {name} is taken or too large")
            codes[code] = f"SONDE_GEN_{name.upper()}"
        out.write("    {")
        out.write(", ".join(codes.get(code, "ISA_GEN_NO_OPCODE") for code in range(128)))
        out.write("},\n")
    out.write("};\n")


def main():
    arguments = sys.argv[1:]
    facts = arguments[0] == "--facts"
    source, output = arguments[-2:]
    with open(output, "w", encoding="ascii") as out:
        (write_facts if facts else write_header)(source, out)


if __name__ == "__main__":
    main()
