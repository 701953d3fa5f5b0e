#!/usr/bin/env python3
"""Write doc/isa-gen.md: the encodings of the Intel codec from its own tables,
and the figures that the long oracle tests left in a build folder.

usage: isa-doc.py BUILD      write the document
       isa-doc.py --check    fail when the tables give another document

Without figures in BUILD those that stand in the document stay."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "src/isa/gen"
DOCUMENT = ROOT / "doc/isa-gen.md"
sys.path.insert(0, str(TABLES))
sys.dont_write_bytecode = True
import generate_layout  # noqa: E402
import generate_opcodes  # noqa: E402

PLATFORMS = ["Gen9", "Gen11", "Xe", "XeHP", "XeHPG", "XeHPC"]
# Heading, layout, field table, platforms.
LAYOUTS = [("Layout A: Gen9", "a", "fields_a.txt", "Gen9 (skl, kbl, cfl, bxt, glk)"),
           ("Layout A of Gen11", "a11", "fields_a11.txt", "Gen11 (icllp, ehl)"),
           ("Layout B", "b", "fields_b.txt",
            "Xe (tgllp, rkl, adl, dg1), XeHP and XeHPG (dg2, mtl)"),
           ("Layout C", "c", "fields_c.txt", "XeHPC (pvc)")]
FIGURES = ["figures-kernels.txt", "figures-words.txt", "figures-random.txt"]
BEGIN, END = "<!-- figures: written by the run -->", "<!-- end of figures -->"

HEAD = """# Instruction encodings of Intel GPUs

`scripts/isa-doc.py` writes this page from the tables in `src/isa/gen`, the same
text from which the build makes decoder, encoder and compaction; a test fails
when the two differ. `make isa-doc` writes it again, with the figures that the
tests isa-oracle-long, isa-oracle-words-long and isa-oracle-random-long of
`make check-long` left in the build folder; each comes from its test's last run.

Native instructions have 16 bytes, compacted ones 8; bit 29 tells which. The
build fails when, in any combination of alternatives that a format admits, a bit
of the 128 belongs to no field or to two, or when two opcodes share a code. Bits
of reserved fields survive decoding and encoding. A value that a table leaves
out makes the word *illegal*; `sonde disasm` prints why, and the rewriter keeps
the word as it is.

## What was compared

Every instruction was decoded, printed and encoded again: its text has to be
libiga64's (version 1.1.0, of Debian 12's libigc1) and its bytes the input's.
*Explained* are disagreements that a line of `tests/isa/disagreements.txt` gives
a reason for; *refused* are words that both sides refuse.
"""


def figures_section(build):
    """The table of the run's figures, or None when the build has none."""
    paths = [build / "tests/isa" / name for name in FIGURES]
    if not all(p.exists() for p in paths):
        return None
    rows = [line.split("|") for p in paths for line in p.read_text().splitlines()]
    corpus = [row for row in rows if row[0] == "corpus"]
    rows = [row for row in rows if row[0] != "corpus"]
    order = [p.lower() for p in PLATFORMS]
    rows.sort(key=lambda r: (order.index(r[0]), FIGURES_ORDER.index(r[1])))
    out = ["| layout of | compared | kernels | instructions | refused | explained | differences |",
           "|---|---|---:|---:|---:|---:|---:|"]
    for platform, what, kernels, count, refused, different, explained in rows:
        out.append(f"| {PLATFORMS[order.index(platform)]} | {what} | "
                   f"{int(kernels):,} | {int(count):,} | {int(refused):,} | {int(explained):,} | "
                   f"{int(different):,} |")
    total = [sum(int(r[n]) for r in rows) for n in (2, 3, 4, 6, 5)]
    out.append("| **all** | | " + " | ".join(f"**{n:,}**" for n in total) + " |")
    out += ["", f"The corpus: {corpus[0][1]} kernels of this project, in {int(corpus[0][2]):,} "
            "compilations for five devices with four sets of options."]
    return "\n".join(out)


FIGURES_ORDER = ["compiled kernels", "random words", "random compacted words"]


def opcode_table():
    out = ["## Opcodes", "", "Codes of bits 6:0, hexadecimal.", "",
           "| mnemonic | " + " | ".join(PLATFORMS) + " | format | branch offsets | |",
           "|---|" + "---|" * 6 + "---|---|---|"]
    for name, *codes, form, jumps, description in generate_opcodes.rows(TABLES / "opcodes.txt"):
        jumps = "" if jumps == "-" else jumps
        codes = " | ".join("" if code == "-" else code for code in codes)
        out.append(f"| {name} | {codes} | {form} | {jumps} | {description} |")
    return out


def short(value):
    return re.sub(r"^SONDE_GEN_(FILE|TYPE|CONDITION|PREDICATE|VSTRIDE|MATH)_", "", value).lower()


def value_tables(table):
    out = ["### Values", "", "Numbers of predicates, conditions and functions are those of "
           "`include/sonde/gen.h`.", "", "| table | code = meaning |", "|---|---|"]
    for name, values in table.values.items():
        text = ", ".join(f"{code:#x}={short(value)}" for code, value in sorted(values.items()))
        out.append(f"| {name} | {text} |")
    return out


def bits_of(row):
    pieces = [(f"{h}:{l}" if h != l else str(h)) + ("*" if shared else "")
              for h, l, shared in row.pieces]
    return ", ".join(pieces)


def meaning_of(row):
    codec = row.codec
    if row.name in ("opcode", "compacted"):
        return {"opcode": "code of the opcode", "compacted": "0: the instruction has 16 bytes"}[row.name]
    if codec is None:
        return "reserved" + (f", {row.init:#x} in a new instruction" if row.init else "")
    member = row.member.replace("|", "\\|")
    if codec.startswith("@"):
        return f"`{member}`, table {codec[1:]}"
    if codec.startswith("x"):
        return f"`{member}` = code * {codec[1:]}"
    if codec.startswith("int"):
        return f"`{member}`, signed" + (f", code * {codec[4:]}" if codec[4:] else "")
    if codec.startswith("part:"):
        return f"`{member}` from bit {codec[5:]} up"
    if codec.startswith("is:"):
        return f"`{member}` is {short(codec[3:])}"
    return {"uint": f"`{member}`", "low16": f"`{member}`, 16 bits",
            "copy16": f"copy of the 16 bits of `{member}`"}[codec]


def format_table(form, opcodes):
    names = [o[0] for o in opcodes if generate_layout.matches(o, form.opcodes)]
    out = [f"### Format {form.name}", "", "Opcodes: " + ", ".join(names) + ".", "",
           "| field | bits | holds | when |", "|---|---|---|---|"]
    rules = []
    for item in form.items:
        if isinstance(item, generate_layout.Row):
            when = ", ".join(f"{c} is {' or '.join(a)}" for c, a in item.when.items())
            out.append(f"| {item.name} | {bits_of(item)} | {meaning_of(item)} | {when} |")
        elif isinstance(item, generate_layout.Require) or \
                (isinstance(item, generate_layout.Rule) and item.illegal):
            rules.append(item.text)
    if rules:
        out += ["", "Illegal when " + "; or ".join(dict.fromkeys(rules)) + "."]
    return out + [""]


def document(figures):
    out = [HEAD.rstrip(), "", BEGIN, figures, END, ""]
    out += opcode_table()
    for heading, layout, fields, platforms in LAYOUTS:
        opcodes = generate_layout.opcode_rows(TABLES / "opcodes.txt",
                                              generate_layout.COLUMNS[layout])
        table = generate_layout.Table(str(TABLES / fields))
        out += ["", f"## {heading}", "", f"Platforms: {platforms}. A star marks bits that another "
                "field owns and this one also reads.", ""]
        out += value_tables(table) + [""]
        for form in table.formats:
            out += format_table(form, opcodes)
    return "\n".join(out).rstrip() + "\n"


def committed_figures():
    if not DOCUMENT.exists():
        return "No run yet."
    return DOCUMENT.read_text().split(BEGIN)[1].split(END)[0].strip()


def main():
    if sys.argv[1:] == ["--check"]:
        same = DOCUMENT.read_text() == document(committed_figures())
        print("doc/isa-gen.md is what the tables give" if same else
              "doc/isa-gen.md differs from the tables: run `make isa-doc`")
        return 0 if same else 1
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    DOCUMENT.write_text(document(figures_section(pathlib.Path(sys.argv[1])) or committed_figures()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
