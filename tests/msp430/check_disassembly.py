#!/usr/bin/env python3
"""Our text of random 16-bit instructions equals llvm-mc's."""
import random
import re
import shutil
import subprocess
import sys

COUNT = 4000
SKIP = 77  # what meson takes for "skipped"


def random_instruction(rng):
    kind = rng.random()
    if kind < 0.6:
        word = rng.randrange(0x4000, 0x10000)
    elif kind < 0.85:
        word = rng.randrange(0x1000, 0x1300)
    else:
        word = rng.randrange(0x2000, 0x4000)
    return [word, rng.randrange(0x10000), rng.randrange(0x10000)]


def crashes_llvm(word):
    """Legal forms that LLVM 14 has no pattern for and prints garbage or dies on."""
    source = word >> 8 & 15
    memory_push = word & 0xff80 == 0x1200 and (word & 0x40 or word & 0x30 and word & 15 != 3) \
        and word != 0x1230
    increment_to_memory = word & 0xf0b0 == 0x40b0 and source not in (0, 2, 3)
    pc_to_memory = word >= 0x4000 and word & 0x0fb0 == 0x00a0
    format_two = word & 0xfe00 == 0x1000 or word & 0xff80 == 0x1280
    changed_constant = format_two and (word & 15 == 3 or word & 0x2f == 0x22)
    return changed_constant or memory_push or increment_to_memory or pc_to_memory


def llvm(tool, instructions):
    separator = "0x00 0x13\n"
    text = "".join(" ".join(f"0x{b:02x}" for w in words for b in (w & 255, w >> 8)) + "\n" +
                   separator for words in instructions)
    done = subprocess.run([tool, "-triple=msp430", "-disassemble"], input=text,
                          capture_output=True, text=True, check=False)
    lines = [line.strip() for line in done.stdout.splitlines()
             if line.strip() and not line.strip().startswith(".")]
    # reti may follow by itself from a random word: none of ours is 0x1300.
    groups, current = [], []
    for line in lines:
        if line == "reti":
            groups.append(current)
            current = []
        else:
            current.append(line)
    return groups


def number(match):
    return str(int(match.group(0), 0) & 0xffff)


def normal(text, symbolic_at=None):
    text = text.replace("jhs", "jc").replace("jlo", "jnc").replace("\t", " ")
    for register, name in ("r0", "pc"), ("r1", "sp"), ("r2", "sr"):
        text = re.sub(rf"\b{register}\b", name, text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"^mov (.*), pc$", r"br \1", text)
    return re.sub(r"-?(?:0x[0-9a-f]+|\b\d+)", number, text)


def resolve(text, words):
    """llvm prints the index of a symbolic operand, we the address it means."""
    word = words[0]
    operands = text.split(" ", 1)[1].split(", ") if " " in text else []
    position = 2
    source_reg = word & 15 if word < 0x2000 else word >> 8 & 15
    mode = word >> 4 & 3
    if not 0x2000 <= word < 0x4000:
        if mode == 1 and source_reg == 0:
            for i, operand in enumerate(operands[:1]):
                if re.fullmatch(r"-?\d+", operand):
                    operands[i] = str(int(operand) + position)
        if (mode == 1 and source_reg != 3) or (mode == 3 and source_reg == 0):
            position += 2
        if word >= 0x4000 and word & 0x80 and word & 15 == 0 and operands:
            if re.fullmatch(r"-?\d+", operands[-1]):
                operands[-1] = str(int(operands[-1]) + position)
    return text.split(" ", 1)[0] + (" " + ", ".join(operands) if operands else "")


def main():
    printer = sys.argv[1]
    tool = shutil.which("llvm-mc-14") or shutil.which("llvm-mc")
    if tool is None:
        print("llvm-mc is not installed")
        return SKIP
    rng = random.Random(430)
    instructions = [random_instruction(rng) for _ in range(COUNT)]
    ours = subprocess.run([printer], input="".join(" ".join(f"{w:04x}" for w in i) + "\n"
                                                   for i in instructions),
                          capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = [(words[:int(line[0]) // 2], line.split(" ", 1)[1])
             for words, line in zip(instructions, ours) if ".word" not in line and not crashes_llvm(words[0])]
    theirs = llvm(tool, [words for words, _ in pairs])
    assert len(ours) == COUNT and len(theirs) == len(pairs), (len(ours), len(theirs))
    compared = wrong = 0
    for (words, text), their_lines in zip(pairs, theirs):
        if not their_lines:
            continue
        their = normal(resolve(re.sub(r"\s+", " ", their_lines[0]), words))
        compared += 1
        if normal(text) != their:
            wrong += 1
            if wrong < 20:
                print([f"{w:04x}" for w in words], "ours:", normal(text), "llvm:", their)
    print(f"{compared} compared, {wrong} differ")
    return 1 if wrong or compared < COUNT // 2 else 0


sys.exit(main())
