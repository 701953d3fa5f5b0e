"""Objects of MSP430 code as LLVM's tools read them."""
import re
import subprocess


def output_of(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True,
                          text=True).stdout


class Object:
    """Instructions of each section: {section: [(address, bytes, text)]}, the
    functions' addresses and the relocations."""

    def __init__(self, path, objdump, readelf):
        self.code, self.functions, self.relocations = {}, {}, []
        section = None
        for line in output_of(objdump, "-d", path).splitlines():
            if found := re.match(r"Disassembly of section (\S+):", line):
                section = self.code.setdefault(found[1], [])
            elif found := re.match(r"\s*([0-9a-f]+): ((?:[0-9a-f]{2} )+)\s*(.*)$", line):
                text = found[3].strip().replace("\t", " ")
                section.append((int(found[1], 16), bytes.fromhex(found[2]), text))
        indexes = {}
        for line in output_of(readelf, "-S", "-W", path).splitlines():
            if found := re.match(r"\s*\[\s*(\d+)\] (\S+)", line):
                indexes[found[1]] = found[2]
        for line in output_of(readelf, "-s", "-W", path).splitlines():
            if found := re.match(r"\s*\d+: ([0-9a-f]+) +\d+ FUNC +\S+ +\S+ +(\d+) (\S+)", line):
                self.functions[found[3]] = (indexes[found[2]], int(found[1], 16))
        target = None
        for line in output_of(readelf, "-r", "-W", path).splitlines():
            if found := re.match(r"Relocation section '\.rela(\S+)'", line):
                target = found[1]
            elif found := re.match(r"([0-9a-f]+) +\S+ +(\S+) +[0-9a-f]+ +(\S+) \+ ([0-9a-f]+)",
                                   line):
                self.relocations.append((target, int(found[1], 16), found[2], found[3],
                                         int(found[4], 16)))


def jump_target(instruction):
    """Address that a jump goes to, from its encoding; None for others."""
    address, code, _ = instruction
    word = int.from_bytes(code[:2], "little")
    if word >> 13 != 1:
        return None
    offset = word & 0x3FF
    return address + 2 + 2 * (offset - 0x400 if offset & 0x200 else offset)
