#!/usr/bin/env python3
"""What clang writes for C programs, marked by sonde msp430 as --auto: every
function begins with the entry word, every return has the exit word before it,
and without these words the code is the original."""
import pathlib
import subprocess
import sys
import tempfile

from marked import Object, jump_target

SONDE, CLANG, OBJDUMP, READELF, *PROGRAMS = sys.argv[1:]
ENTER, EXIT = 0x13C1, 0x13C2
NAKED = {"raw"}


def is_marker(instruction):
    return int.from_bytes(instruction[1], "little") in (ENTER, EXIT)


def compare_section(name, before, after, marks):
    """The map of addresses from one to the other, jumps compared by it."""
    plain = [i for i in after if not is_marker(i)]
    assert len(plain) == len(before), f"{name}: {len(before)} instructions became {len(plain)}"
    at = {old[0]: new[0] for old, new in zip(before, plain)}
    # A label stands before the marker that belongs to it.
    labels = {}
    for old, new in at.items():
        while new - 2 in marks:
            new -= 2
        labels[old] = new
    for old, new in zip(before, plain):
        target = jump_target(old)
        if target is None:
            assert old[1] == new[1] or ".text" in name, f"{name}: {old} became {new}"
            continue
        assert jump_target(new) in (labels[target], at[target]), f"{name}: {old} became {new}"
        # Only the loop back to a function's first instruction may skip a marker.
        between = [m for m in range(labels[target], jump_target(new), 2) if m in marks]
        assert all(marks[m] == ENTER for m in between), f"{name}: {old} skips an exit marker"
    return at, labels


def check(source, level, folder):
    text = folder / "plain.s"
    marked = folder / "marked.s"
    subprocess.run([CLANG, "--target=msp430", "-ffreestanding", level, "-S", source, "-o", text],
                   check=True)
    notes = subprocess.run([SONDE, "msp430", "as", "--auto", "-mpge", hex(ENTER), "-mpgx",
                            hex(EXIT), text, "-o", marked], check=True, capture_output=True,
                           text=True).stderr
    assert "0 jumps widened" in notes, notes
    # Not a byte but the markers' lines differs.
    words = (f"\t.word\t0x{ENTER:04x}\n", f"\t.word\t0x{EXIT:04x}\n")
    lines = marked.read_text().splitlines(keepends=True)
    assert "".join(line for line in lines if line not in words) == text.read_text()
    objects = []
    for path in (text, marked):
        subprocess.run([CLANG, "--target=msp430", "-c", path, "-o", path.with_suffix(".o")],
                       check=True)
        objects.append(Object(path.with_suffix(".o"), OBJDUMP, READELF))
    before, after = objects
    assert set(before.functions) == set(after.functions) and before.functions
    counted = [0, 0]
    maps = {}
    for name, code in after.code.items():
        if not name.startswith(".text"):
            assert code == before.code[name] or name.startswith("__interrupt"), name
            continue
        marks = {i[0]: int.from_bytes(i[1], "little") for i in code if is_marker(i)}
        starts = {a: f for f, (s, a) in after.functions.items() if s == name}
        for function in starts.values():
            if function not in NAKED:
                assert marks.pop(after.functions[function][1], 0) == ENTER, function
                counted[0] += 1
        owner = None
        for previous, instruction in zip([(0, b"", "")] + code, code):
            owner = starts.get(instruction[0], owner)
            if instruction[2] in ("ret", "reti") and owner not in NAKED:
                assert marks.pop(previous[0], 0) == EXIT, f"{owner}: {instruction}"
                counted[1] += 1
        assert not marks, f"{name}: markers at other places: {marks}"
        marks = {i[0]: int.from_bytes(i[1], "little") for i in code if is_marker(i)}
        maps[name] = compare_section(name, before.code[name], code, marks)
    compare_relocations(before, after, maps)
    return counted


def compare_relocations(before, after, maps):
    """The same symbols at the same instructions; those into code moved along."""
    assert len(before.relocations) == len(after.relocations)
    for old, new in zip(before.relocations, after.relocations):
        assert old[0] == new[0] and old[2:4] == new[2:4], (old, new)
        if old[3] in maps and old[4] != new[4]:
            at, labels = maps[old[3]]
            assert old[4] not in at or new[4] in (at[old[4]], labels[old[4]]), (old, new)
        if old[0] in maps:
            at = maps[old[0]][0]
            start = max(a for a in at if a <= old[1])
            assert new[1] - at[start] == old[1] - start, (old, new)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for source in PROGRAMS:
            for level in ("-O0", "-O1", "-O2", "-Os"):
                entries, exits = check(source, level, pathlib.Path(folder))
                assert entries >= 3 and exits >= 3
                print(f"{pathlib.Path(source).name} {level}: {entries} entries, {exits} exits")


main()
