#!/usr/bin/env python3
"""Turn opcodes.txt and cycles.txt into the C tables that the codec includes."""
import sys

DOUBLE_ROWS = ["register", "indirect", "increment", "immediate", "memory"]
SINGLE_ROWS = ["rotate", "push", "call"]
TABLES = {
    "double_cpu": (DOUBLE_ROWS, 5), "double_cpux": (DOUBLE_ROWS, 5),
    "double_extended": (DOUBLE_ROWS, 5), "double_address": (DOUBLE_ROWS, 5),
    "single_cpu": (SINGLE_ROWS, 7), "single_cpux": (SINGLE_ROWS, 7),
    "single_extended": (SINGLE_ROWS, 7), "single_address": (SINGLE_ROWS, 7),
    "address": (DOUBLE_ROWS, 4),
}


def rows(path):
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.split("#")[0].split()
            if fields:
                yield number, fields


def check_overlap(encodings):
    for i, (_, word, mask, place) in enumerate(encodings):
        if word & ~mask:
            sys.exit(f"{place}: bits of the word outside the mask")
        for _, other, other_mask, other_place in encodings[:i]:
            if not (word ^ other) & mask & other_mask:
                sys.exit(f"{place}: overlaps {other_place}")


def opcodes(path, out):
    encodings = []
    mnemonics = {}
    out.append("static const struct msp430_encoding encodings[] = {")
    for number, (opcode, mnemonic, form, word, mask, core) in rows(path):
        place = f"{path}:{number}"
        encodings.append((opcode, int(word, 0), int(mask, 0), place))
        if mnemonics.setdefault(opcode, mnemonic) != mnemonic:
            sys.exit(f"{place}: {opcode} has two mnemonics")
        out.append(f"    {{SONDE_MSP430_{opcode}, MSP430_FORM_{form.upper()}, "
                   f"SONDE_MSP430_CORE_{core.upper()}, {word}, {mask}}},")
    check_overlap(encodings)
    out.append("};")
    out.append("static const char *const mnemonics[SONDE_MSP430_OPCODE_COUNT] = {")
    out.extend(f'    [SONDE_MSP430_{o}] = "{m}",' for o, m in mnemonics.items())
    out.append("};")


def cycles(path, out):
    tables = {}
    for number, (table, row, *values) in rows(path):
        names, width = TABLES[table]
        if row not in names or len(values) != width:
            sys.exit(f"{path}:{number}: wrong row")
        tables.setdefault(table, {})[row] = values
    for table, (names, width) in TABLES.items():
        out.append(f"static const uint8_t cycles_{table}[{len(names)}][{width}] = {{")
        out.extend("    {" + ", ".join(tables[table][name]) + "}," for name in names)
        out.append("};")


def main():
    kind, source, target = sys.argv[1:]
    out = []
    (opcodes if kind == "opcodes" else cycles)(source, out)
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


main()
