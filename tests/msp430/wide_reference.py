#!/usr/bin/env python3
"""MSP430X in lockstep with a second reading of TI's manual: registers, cycles
and data after each of many random instructions.

Everything here is written from SLAU445 chapter 4 (instruction descriptions,
cycle tables 4-9, 4-10, 4-17a, 4-18 and 4-19a), none of it from the simulator.

Usage: wide_reference.py EXPECT INSTRUCTIONS SEED"""
import subprocess
import sys

BLOCK = 8000
LOW, LOW_END, HIGH, HIGH_END = 0x1000, 0x6000, 0x10000, 0x20000
C, Z, N, V = 1, 2, 4, 0x100
NAMES = ["mov", "add", "addc", "subc", "sub", "cmp", "dadd", "bit", "bic", "bis", "xor", "and"]

# Table 4-10: source row -> destination register, PC, memory.
CPU_DOUBLE = {"reg": (1, 3, 4), "ind": (2, 4, 5), "inc": (2, 4, 5), "imm": (2, 3, 5),
              "mem": (3, 5, 6)}
# Table 4-18: the same for .B and .W, then for .A.
WIDE_DOUBLE = {"reg": (2, 4, 5), "ind": (3, 5, 6), "inc": (3, 5, 6), "imm": (3, 4, 6),
               "mem": (4, 6, 7)}
WIDE_ADDRESS = {"reg": (2, 4, 7), "ind": (4, 6, 9), "inc": (4, 6, 9), "imm": (3, 4, 8),
                "mem": (5, 7, 10)}
# Table 4-17a: @Rn and @Rn+, X(Rn), EDE and &EDE; a register costs 1 + n.
SHIFT = {8: (4, 5), 16: (4, 5), 20: (6, 7)}
PUSHX = {8: 4, 16: 4, 20: 5}


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Machine:
    def __init__(self, seed):
        self.memory = bytearray(HIGH_END + 4)
        state = seed
        for first, end in ((LOW, LOW_END - 1), (HIGH, HIGH_END - 1)):
            for at in range(first, end, 2):
                state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
                self.store(at, (state >> 33) % 0x10000, 16)
        self.r = [0] * 16
        self.r[0], self.r[1] = 0x6000, 0x4000
        self.cycles = 0
        self.adopts = self.ignores_v = False

    def load(self, at, bits):
        if bits == 8:
            return self.memory[at]
        assert at % 2 == 0
        low = self.memory[at] | self.memory[at + 1] << 8
        return low if bits == 16 else low | (self.memory[at + 2] & 15) << 16

    def store(self, at, value, bits):
        for i in range({8: 1, 16: 2, 20: 4}[bits]):
            self.memory[at + i] = value >> 8 * i & 0xff

    def set_flags(self, value, bits, carry, overflow):
        self.r[2] = self.r[2] & ~(C | Z | N | V) | (C if carry else 0) | (V if overflow else 0) | \
            (Z if value == 0 else 0) | (N if value >> (bits - 1) else 0)

    def add(self, a, b, carry, bits):
        mask = (1 << bits) - 1
        total = a + b + carry
        result = total & mask
        self.set_flags(result, bits, total > mask,
                       signed(a, bits) + signed(b, bits) + carry != signed(result, bits))
        return result

    def decimal(self, a, b, carry, bits):
        digits = [(x >> i & 15) for x in (a, b) for i in range(0, bits, 4)]
        self.ignores_v = True
        if max(digits) > 9:
            self.adopts = True
        text = f"%0{bits // 4}x"
        total = int((text % a).replace("a", "0") if max(digits) <= 9 else "0") + \
            int((text % b) if max(digits) <= 9 else "0") + carry
        limit = 10 ** (bits // 4)
        result = int(str(total % limit), 16)
        self.set_flags(result, bits, total >= limit, False)
        return result

    def operate(self, name, a, b, bits, zero_carry=False):
        """The result of `b name= a`, or None when nothing is written."""
        mask, carry = (1 << bits) - 1, 0 if zero_carry else self.r[2] & C
        if name == "mov":
            return a
        if name in ("add", "addc"):
            return self.add(a, b, carry if name == "addc" else 0, bits)
        if name in ("sub", "subc", "cmp"):
            result = self.add(a ^ mask, b, carry if name == "subc" else 1, bits)
            return None if name == "cmp" else result
        if name == "dadd":
            return self.decimal(a, b, carry, bits)
        if name == "bic":
            return b & ~a
        if name == "bis":
            return b | a
        result = a ^ b if name == "xor" else a & b
        overflow = name == "xor" and a >> (bits - 1) & 1 and b >> (bits - 1) & 1
        self.set_flags(result, bits, result != 0, overflow)
        return None if name == "bit" else result

    def shift(self, name, a, bits, zero_carry=False):
        top = 1 << (bits - 1)
        if name == "swpb":
            return a & 0xf0000 | a >> 8 & 0xff | (a & 0xff) << 8
        if name == "sxt":
            result = signed(a, 8) & 0xfffff
            self.set_flags(result & (1 << bits) - 1, bits, result != 0, False)
            return result
        carry = self.r[2] & C and not zero_carry
        result = a >> 1 | (a & top if name == "rra" else top if name == "rrc" and carry else 0)
        self.set_flags(result, bits, a & 1, False)
        return result

    def source(self, register, mode, bits, value, value_at, wide):
        """(kind, value, address) of a source operand."""
        constants = {(3, 0): 0, (3, 1): 1, (3, 2): 2, (3, 3): -1, (2, 2): 4, (2, 3): 8}
        mask = (1 << bits) - 1
        if (register, mode) in constants:
            return "reg", constants[register, mode] & mask, None
        if mode == 0:
            return "reg", self.r[register] & mask, None
        if mode == 3 and register == 0:
            return "imm", value & mask, None
        if mode == 1:
            at = self.address(register, value, value_at, wide)
            return "mem", self.load(at, bits), at
        at = self.r[register]
        loaded = self.load(at, bits)
        if mode == 3:
            self.r[register] = (at + {8: 1, 16: 2, 20: 4}[bits]) & 0xfffff
        return ("inc" if mode == 3 else "ind"), loaded, at

    def address(self, register, value, value_at, wide):
        base = value_at if register == 0 else 0 if register == 2 else self.r[register]
        if wide:
            return (base + signed(value, 20)) & 0xfffff
        if register == 2:
            return value
        return (base + signed(value, 16)) & (0xffff if base < 0x10000 else 0xfffff)

    def double(self, word, rest, at, extension):
        wide = extension is not None
        bits = 8 if word & 0x40 else 16
        if wide and not extension & 0x40:
            bits = 20
            assert word & 0x40
        name, register, mode = NAMES[(word >> 12) - 4], word >> 8 & 15, word >> 4 & 3
        target, memory = word & 15, word >> 7 & 1
        needs = mode == 1 and register != 3 or mode == 3 and register == 0
        both_registers = not memory and not needs and (mode == 0 or register in (2, 3))
        high = extension or 0
        value = rest[0] | ((high >> 7 & 15) << 16 if wide else 0) if needs else 0
        repeat = 1
        if wide and both_registers:
            repeat = (self.r[high & 15] & 15 if high & 0x80 else high & 15) + 1
        zero_carry = bool(wide and both_registers and high & 0x100)
        table = CPU_DOUBLE if not wide else WIDE_ADDRESS if bits == 20 else WIDE_DOUBLE
        for _ in range(repeat):
            kind, a, _ = self.source(register, mode, bits, value, at, wide)
            if memory:
                index = rest[1 if needs else 0] | ((high & 15) << 16 if wide else 0)
                place = self.address(target, index, at + (2 if needs else 0), wide)
                b = 0 if name == "mov" else self.load(place, bits)
            else:
                b = self.r[target] & (1 << bits) - 1
            result = self.operate(name, a, b, bits, zero_carry)
            if result is not None and memory:
                self.store(place, result, bits)
            elif result is not None:
                self.r[target] = result
        cycles = table[kind][2 if memory else 0] + repeat - 1
        if memory and name in ("mov", "bit", "cmp"):
            cycles -= 2 if bits == 20 else 1
        self.cycles += cycles

    def single(self, word, rest, at, extension):
        wide, name = extension is not None, ["rrc", "swpb", "rra", "sxt", "push"][word >> 7 & 7]
        bits = 8 if word & 0x40 else 16
        if wide and not extension & 0x40:
            bits = 20
        if name in ("swpb", "sxt") and bits == 8:
            bits = 16
        register, mode, high = word & 15, word >> 4 & 3, extension or 0
        needs = mode == 1 and register != 3 or mode == 3 and register == 0
        value = rest[0] | (high & 15) << 16 if needs else 0
        plain = not needs and mode == 0
        repeat = (high & 15) + 1 if wide and plain and name != "push" else 1
        for _ in range(repeat):
            kind, a, place = self.source(register, mode, bits, value, at, wide)
            if name == "push":
                self.push(a, bits)
                continue
            shifted = "rru" if high & 0x100 and plain and name == "rrc" else name
            result = self.shift(shifted, a, bits)
            if place is None:
                # SXT fills the whole register, the others clear what is above.
                self.r[register] = result if name == "sxt" else result & (1 << bits) - 1
            else:
                self.store(place, result & (1 << bits) - 1, bits)
        if name == "push":
            self.cycles += PUSHX[bits]
        elif kind == "reg":
            self.cycles += 1 + repeat
        else:
            self.cycles += SHIFT[bits][1 if kind == "mem" else 0]

    def push(self, value, bits):
        self.r[1] -= 4 if bits == 20 else 2
        self.store(self.r[1], value, 20 if bits == 20 else 16)

    def pop(self, bits):
        value = self.load(self.r[1], bits)
        self.r[1] += 4 if bits == 20 else 2
        return value

    def multiple(self, word):
        count, bits, register = (word >> 4 & 15) + 1, 16 if word & 0x100 else 20, word & 15
        for i in range(count):
            if word & 0x200:
                self.r[register + i] = self.pop(bits)
            else:
                self.push(self.r[register - i] & (1 << bits) - 1, bits)
        self.cycles += 2 + count * (2 if bits == 20 else 1)

    def rotate(self, word):
        count, bits, register = (word >> 10 & 3) + 1, 16 if word & 0x10 else 20, word & 15
        kind, value = word >> 8 & 3, self.r[register] & (1 << bits) - 1
        for _ in range(count):
            if kind == 2: # rlam: what V is, the manual leaves open
                value = self.add(value, value, 0, bits)
                self.ignores_v = True
            else:
                value = self.shift(["rrc", "rra", None, "rru"][kind], value, bits)
        self.r[register] = value
        self.cycles += count

    def move_address(self, word, rest, at):
        kind, high, low = word >> 4 & 15, word >> 8 & 15, word & 15
        if kind in (0, 1): # @Rn, @Rn+
            value = self.load(self.r[high], 20)
            self.r[high] += 4 if kind == 1 else 0
            self.cycles += 5 if low == 0 else 3
        elif kind == 2:
            value, self.cycles = self.load(high << 16 | rest[0], 20), self.cycles + 4
        elif kind == 3:
            value = self.load((self.r[high] + signed(rest[0], 16)) & 0xfffff, 20)
            self.cycles += 4
        elif kind in (6, 7):
            place = low << 16 | rest[0] if kind == 6 else \
                (self.r[low] + signed(rest[0], 16)) & 0xfffff
            self.store(place, self.r[high], 20)
            self.cycles += 4
            return
        else:
            value = high << 16 | rest[0] if kind < 12 else self.r[high]
            name = ["mov", "cmp", "add", "sub"][kind & 3]
            self.cycles += (3 if kind < 12 else 1) if name != "mov" else \
                (3 if low == 0 else 2) if kind < 12 else (3 if low == 0 else 1)
            value = self.operate(name, value, self.r[low], 20)
        if value is not None:
            self.r[low] = value

    def step(self, words):
        word, rest, at = words[0], list(words[1:]), self.r[0] + 2
        self.r[0] += 2 * len(words)
        self.adopts = self.ignores_v = False
        if word & 0xf800 == 0x1800:
            extension, word, rest, at = word, rest[0], rest[1:], at + 2
            (self.double if word >= 0x4000 else self.single)(word, rest, at, extension)
        elif word >= 0x4000:
            self.double(word, rest, at, None)
        elif word & 0xfff0 == 0x13b0:
            self.push(self.r[0], 20)
            self.r[0] = (word & 15) << 16 | rest[0]
            self.cycles += 5
        elif word & 0xfc00 == 0x1400:
            self.multiple(word)
        elif word & 0xf0e0 == 0x0040:
            self.rotate(word)
        else:
            assert word < 0x1000, hex(word)
            self.move_address(word, rest, at)

    def data_hash(self):
        value = 2166136261
        for byte in self.memory[LOW:LOW_END] + self.memory[HIGH:HIGH_END]:
            value = (value ^ byte) * 16777619 & 0xffffffff
        return value


def state_of(machine):
    return [machine.r[i] for i in range(16) if i != 3]


def check_block(lines, seed):
    machine = Machine(seed)
    machine.cycles = None
    for number, line in enumerate(lines[1:-1]):
        fields = line.split()
        address, count = int(fields[0], 16), int(fields[1])
        words = [int(x, 16) for x in fields[2:2 + count]]
        theirs = [int(x, 16) for x in fields[2 + count:-1]]
        cycles = int(fields[-1])
        if machine.cycles is None:
            machine.cycles = cycles - 5 # mov #, &: Table 4-10, one less for MOV
            machine.cycles += 1
        assert machine.r[0] == address, (seed, number, hex(machine.r[0]), line)
        machine.step(words)
        ours, mask = state_of(machine), ~V if machine.ignores_v else ~0
        equal = ours[0] == theirs[0] and ours[1] == theirs[1] and ours[3:] == theirs[3:] and \
            (ours[2] ^ theirs[2]) & mask == 0
        if machine.adopts:
            equal = True
        if not equal or machine.cycles != cycles:
            print(f"seed {seed}, instruction {number}: {' '.join(f'{w:04x}' for w in words)}")
            print("  reference", " ".join(f"{x:05x}" for x in ours), machine.cycles)
            print("  simulator", " ".join(f"{x:05x}" for x in theirs), cycles)
            return False
        if machine.adopts or machine.ignores_v:
            for index, value in zip([i for i in range(16) if i != 3], theirs):
                machine.r[index] = value
    if machine.data_hash() != int(lines[-1].split()[1], 16):
        print(f"seed {seed}: the data differ")
        return False
    return True


def main():
    expect, wanted, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    done = 0
    while done < wanted:
        count = min(BLOCK, wanted - done)
        made = subprocess.run([expect, str(seed), str(count)], capture_output=True, text=True,
                              check=False)
        if made.returncode != 0:
            sys.exit(f"seed {seed}: {made.stderr}")
        lines = made.stdout.splitlines()
        if not check_block(lines, seed):
            return 1
        done += len(lines) - 2
        seed += 1
    print(f"{done} instructions of MSP430X agree")
    return 0


sys.exit(main())
