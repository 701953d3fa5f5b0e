#!/usr/bin/env python3
"""Turn a field table (fields_*.txt), its compaction table (compact_*.txt) and
opcodes.txt into the C decoder, encoder and compaction tables of one layout.

usage: generate_layout.py LAYOUT opcodes.txt fields.txt compact.txt output.inc

Fails when a bit of the instruction word is claimed by no field or by two, in
any combination of alternatives that a format admits, when two opcodes share
a code, or when an opcode of the layout has no format."""
import itertools
import os
import sys

ALL = (1 << 128) - 1
# Columns of opcodes.txt that a layout serves.
COLUMNS = {"a": [1], "a11": [2], "b": [3, 4, 5], "bhp": [3, 4, 5], "c": [6]}


def stop(place, text):
    sys.exit(f"{place}: {text}")


def logical_lines(path):
    """Lines without comments; a backslash joins a line with the next."""
    with open(path, encoding="ascii") as text:
        held = ""
        for number, line in enumerate(text, 1):
            line = held + line.split("#")[0].rstrip()
            held = ""
            if line.endswith("\\"):
                held = line[:-1] + " "
            elif line.strip():
                yield f"{path}:{number}", line.split()


def parse_bits(place, text):
    """[(high, low, shared)] from high to low."""
    pieces = []
    for piece in text.split(","):
        shared = piece.startswith("+")
        high, _, low = piece.lstrip("+").partition(":")
        high, low = int(high), int(low or high)
        if not 0 <= low <= high < 128:
            stop(place, f"bad bit range {piece}")
        if high // 64 != low // 64:  # keep every piece in one 64-bit half
            pieces += [(high, 64, shared), (63, low, shared)]
        else:
            pieces.append((high, low, shared))
    return pieces


class Row:
    def __init__(self, place, words):
        self.place, self.name = place, words[0]
        self.pieces = parse_bits(place, words[1])
        self.width = sum(h - l + 1 for h, l, _ in self.pieces)
        self.mask = 0
        for high, low, shared in self.pieces:
            if not shared:
                self.mask |= ((1 << (high - low + 1)) - 1) << low
        self.member = self.codec = None
        self.when, self.init = {}, 0
        rest = words[2:]
        if rest and rest[0] != "when" and not rest[0].startswith("init="):
            self.member, self.codec = rest[:2]
            rest = rest[2:]
        for word in rest:
            if word.startswith("init="):
                self.init = int(word[5:], 0)
            elif word != "when":
                choice, _, alternatives = word.partition("=")
                self.when[choice] = alternatives.split("|")

    def read(self):
        """C expression of the code, all pieces joined."""
        parts, shift = [], self.width
        for high, low, _ in self.pieces:
            count = high - low + 1
            shift -= count
            word = f"w{low // 64}"
            part = f"({word} >> {low % 64})" if low % 64 else word
            if count < 64 and high % 64 != 63:
                part = f"({part} & UINT64_C({(1 << count) - 1:#x}))"
            parts.append(f"({part} << {shift})" if shift else part)
        return " | ".join(parts)

    def write(self, value):
        """C statements that store the code `value` into w0/w1."""
        out, shift = [], self.width
        for high, low, shared in self.pieces:
            count = high - low + 1
            shift -= count
            if shared:
                continue
            mask = (1 << count) - 1
            source = f"({value} >> {shift})" if shift else value
            word = f"w{low // 64}"
            out.append(f"{word} = ({word} & ~UINT64_C({mask << (low % 64):#x})) | "
                       f"(({source} & UINT64_C({mask:#x})) << {low % 64});")
        return out

    def shared_mask(self):
        """Bits of the code that belong to other rows."""
        mask, shift = 0, self.width
        for high, low, shared in self.pieces:
            count = high - low + 1
            shift -= count
            if shared:
                mask |= ((1 << count) - 1) << shift
        return mask

    def init_word(self):
        word, shift = 0, self.width
        for high, low, shared in self.pieces:
            count = high - low + 1
            shift -= count
            if not shared:
                word |= ((self.init >> shift) & ((1 << count) - 1)) << low
        return word


class Choice:
    def __init__(self, place, name, kind, expression):
        self.place, self.name, self.kind, self.expression = place, name, kind, expression


def split_reason(words):
    """Words before `because`, then the C expression of the value at fault and
    what is wrong with it."""
    if "because" not in words:
        return words, None, " ".join(words)
    at = words.index("because")
    return words[:at], words[at + 1], " ".join(words[at + 2:])


class Rule:
    """never / illegal: a combination of alternatives."""

    def __init__(self, word, terms):
        terms, self.value, self.text = split_reason(terms)
        self.illegal, self.terms = word == "illegal", {}
        for term in terms:
            choice, _, alternatives = term.partition("=")
            self.terms[choice] = alternatives.split("|")

    def holds(self, state):
        return all(state[c] in a for c, a in self.terms.items())


class Require:
    """A condition that a legal instruction meets."""

    def __init__(self, words):
        expression, self.value, self.text = split_reason(words)
        self.expression = " ".join(expression)


class Fixed:
    """A member that the format gives without any bit."""

    def __init__(self, place, member, value, terms):
        self.place, self.member, self.value, self.when = place, member, value, {}
        for term in terms:
            choice, _, alternatives = term.partition("=")
            self.when[choice] = alternatives.split("|")


class Format:
    def __init__(self, place, name, opcodes):
        self.place, self.name, self.opcodes = place, name, opcodes
        self.items = []

    def of(self, kind):
        return [item for item in self.items if isinstance(item, kind)]


class Table:
    def __init__(self, path):
        self.values, self.kinds, self.formats = {}, {}, []
        self.groups = {}
        self.read(path)
        for form in self.formats:
            self.check(form)

    def read(self, path):
        current = None
        for place, words in logical_lines(path):
            key = words[0]
            if key == "import":
                self.read(os.path.join(os.path.dirname(path), words[1]))
            elif key == "values":
                codes = (w.split("=") for w in words[2:])
                self.values[words[1]] = {int(c, 0): v for c, v in codes}
            elif key == "kind":
                self.kinds[words[1]] = words[2:]
            elif key == "group":
                current = self.groups[words[1]] = Format(place, words[1], [])
            elif key == "format":
                current = Format(place, words[1], words[3:])
                self.formats.append(current)
            elif current is None:
                stop(place, "row outside a group or format")
            elif key == "end":
                current = None
            elif key == "include":
                current.items += self.groups[words[1]].items
            elif key == "choice":
                current.items.append(Choice(place, words[1], words[2], " ".join(words[3:])))
            elif key in ("never", "illegal"):
                current.items.append(Rule(key, words[1:]))
            elif key == "require":
                current.items.append(Require(words[1:]))
            elif key == "fixed":
                current.items.append(Fixed(place, words[1], words[2], words[4:]))
            else:
                current.items.append(Row(place, words))

    def check(self, form):
        choices = form.of(Choice)
        for choice in choices:
            if choice.kind not in self.kinds:
                stop(choice.place, f"unknown kind {choice.kind}")
        rows, rules = form.of(Row), form.of(Rule)
        for item in form.of(Require) + [r for r in rules if r.illegal]:
            if item.value is None:
                stop(form.place, f"format {form.name}: \"{item.text}\" gives no reason")
        for row in rows:
            if row.codec and row.codec[0] == "@" and row.codec[1:] not in self.values:
                stop(row.place, f"unknown values {row.codec}")
        names = {c.name: self.kinds[c.kind] for c in choices}
        for owner, terms in [(r.place, r.when) for r in rows + form.of(Fixed)] + \
                            [(form.place, r.terms) for r in rules]:
            for choice, alternatives in terms.items():
                for alternative in alternatives:
                    if alternative not in names.get(choice, []):
                        stop(owner, f"no alternative {choice}={alternative}")
        always = [r for r in rows if not r.when]
        rest = [r for r in rows if r.when]
        for values in itertools.product(*names.values()):
            state = dict(zip(names, values))
            if any(rule.holds(state) for rule in rules):
                continue
            claimed = 0
            for row in always + [r for r in rest if
                                 all(state[c] in a for c, a in r.when.items())]:
                if claimed & row.mask:
                    bit = (claimed & row.mask).bit_length() - 1
                    stop(row.place, f"format {form.name}: bit {bit} claimed twice when {state}")
                claimed |= row.mask
            if claimed != ALL:
                bit = (ALL & ~claimed).bit_length() - 1
                stop(form.place, f"format {form.name}: bit {bit} claimed by no field when {state}")


def opcode_rows(path, columns):
    """[(mnemonic, format)] of the opcodes that one of the columns has."""
    seen, out = {}, []
    for place, words in logical_lines(path):
        codes = [(column, words[column]) for column in columns if words[column] != "-"]
        for key in codes:
            if key in seen:
                stop(place, f"opcode {words[0]} has the code of {seen[key]}")
            seen[key] = words[0]
        if codes:
            out.append((words[0], words[7]))
    return out


def matches(opcode, patterns):
    mnemonic, form = opcode
    return (mnemonic in patterns or "@" + form in patterns) and "-" + mnemonic not in patterns


class Emitter:
    def __init__(self, table, prefix, out):
        self.table, self.prefix, self.out = table, prefix, out

    def line(self, text=""):
        self.out.write(text + "\n")

    def condition(self, form, when):
        kinds = {c.name: self.table.kinds[c.kind] for c in form.of(Choice)}
        terms = []
        for choice, alternatives in when.items():
            mask = sum(1 << kinds[choice].index(a) for a in alternatives)
            terms.append(f"((UINT32_C(1) << {choice}) & {mask:#x}u) != 0")
        return " && ".join(terms)

    def decode_row(self, row):
        member, codec = f"i->{row.member}", row.codec
        code = row.read()
        if codec in ("uint", "low16"):
            return [f"{member} = (__typeof__({member}))({code});"]
        if codec == "copy16":
            return []
        if codec.startswith("is:"):
            return [f"if ({code})", f"    {member} = {codec[3:]};"]
        if codec.startswith("x"):
            return [f"{member} = (__typeof__({member}))(({code}) * {codec[1:]});"]
        if codec.startswith("int"):
            scale = codec[4:] or "1"
            sign = 1 << (row.width - 1)
            return [f"{member} = (__typeof__({member}))(((int64_t)(({code}) ^ {sign:#x}u) - "
                    f"INT64_C({sign:#x})) * {scale});"]
        if codec.startswith("part:"):
            return [f"{member} |= (uint32_t)(({code}) << {codec[5:]});"]
        name = f"{self.prefix}_{codec[1:]}"
        bits = ",".join(f"{h}:{l}" if h != l else str(h) for h, l, _ in row.pieces)
        return [f"code = {code};",
                f"if ({name}[code] == CODE_ILLEGAL)",
                f"    return layout_refuse(i, \"{row.name} (bits {bits}) is undefined\", code);",
                f"{member} = (__typeof__({member})){name}[code];"]

    def encode_row(self, row):
        member, codec = f"i->{row.member}", row.codec
        if row.mask == 0:
            return []
        fail = f"return \"{row.name}\";"
        limit = (1 << row.width) - 1
        out = []
        if codec in ("uint", "low16"):
            if row.width < 64:
                out.append(f"if (layout_over((uint64_t){member}, UINT64_C({limit:#x}))) {fail}")
            return out + [f"code = (uint64_t){member};"] + row.write("code")
        if codec.startswith("is:"):
            return [f"code = {member} == {codec[3:]};"] + row.write("code")
        if codec == "copy16":
            low = f"(w1 >> 32) & 0xffff"
            return [f"if (({low}) != {member}) {{", f"code = {member};", *row.write("code"), "}"]
        if codec.startswith("x"):
            out.append(f"if ({member} % {codec[1:]} != 0 || layout_over({member} / {codec[1:]}, {limit})) {fail}")
            return out + [f"code = (uint64_t)({member} / {codec[1:]});"] + row.write("code")
        if codec.startswith("int"):
            scale = codec[4:] or "1"
            half = 1 << (row.width - 1)
            out.append(f"if ({member} % {scale} != 0 || "
                       f"layout_outside((int64_t){member} / {scale}, INT64_C({half}))) {fail}")
            return out + [f"code = (uint64_t)((int64_t){member} / {scale});"] + row.write("code")
        if codec.startswith("part:"):
            return [f"code = (uint64_t)({member} >> {codec[5:]});"] + row.write("code")
        name = f"{self.prefix}_{codec[1:]}"
        shared = row.shared_mask()
        out = [f"code = {row.read()};",
               f"if (layout_no_value((unsigned){member})) {fail}",
               f"if ({name}[code] != (unsigned){member}) {{",
               f"code = layout_code_find({name}, {limit + 1}, {shared:#x}, code, (unsigned){member});",
               f"if (code == CODE_ILLEGAL) {fail}", *row.write("code"), "}"]
        return out

    def values(self):
        widths = {}
        for form in self.table.formats:
            for row in form.of(Row):
                if row.codec and row.codec[0] == "@":
                    name = row.codec[1:]
                    widths[name] = max(widths.get(name, 0), row.width)
        for name, width in widths.items():
            self.line(f"static const uint8_t {self.prefix}_{name}[{1 << width}] = {{")
            for code in range(1 << width):
                value = self.table.values[name].get(code, "CODE_ILLEGAL")
                self.line(f"    [{code}] = {value},")
            self.line("};")

    def kinds(self):
        for kind, alternatives in self.table.kinds.items():
            names = ", ".join(f"LAYOUT_{kind}_{a}".upper() for a in alternatives)
            self.line(f"enum layout_{kind} {{ {names} }};")

    def body(self, form, decode):
        previous, braces = None, False
        for item in form.items:
            when = item.when if isinstance(item, (Row, Fixed)) else {}
            skip = isinstance(item, Row) and item.member is None
            if skip or (isinstance(item, Rule) and not item.illegal):
                continue
            if braces and when != previous:
                self.line("    }")
                braces = False
            if isinstance(item, Choice):
                self.line(f"    const unsigned {item.name} = (unsigned)({item.expression});")
                self.line(f"    (void){item.name};")
            elif isinstance(item, Fixed):
                member = f"i->{item.member}"
                if when and not braces:
                    self.line(f"    if ({self.condition(form, when)}) {{")
                    braces = True
                self.line(f"    {member} = {item.value};" if decode else
                          f"    if ({member} != {item.value})\n        return \"{item.member}\";")
            elif isinstance(item, (Rule, Require)):
                test = self.condition(form, item.terms) if isinstance(item, Rule) \
                    else f"!({item.expression})"
                self.line(f"    if ({test})")
                self.line(f"        return layout_refuse(i, \"{item.text}\", (uint64_t){item.value});"
                          if decode else f"        return \"{item.text}\";")
            else:
                if when and not braces:
                    self.line(f"    if ({self.condition(form, when)}) {{")
                    braces = True
                rows = self.decode_row(item) if decode else self.encode_row(item)
                for text in rows:
                    self.line("    " + text)
            previous = when
        if braces:
            self.line("    }")

    def functions(self, form):
        self.line(f"static bool {self.prefix}_decode_{form.name}"
                  "(struct sonde_gen_instruction *i)\n{")
        self.line("    const uint64_t w0 = i->raw[0], w1 = i->raw[1];")
        self.line("    uint64_t code;\n    (void)code;\n    (void)w0;\n    (void)w1;")
        self.body(form, True)
        self.line("    return true;\n}")
        self.line(f"static const char *{self.prefix}_encode_{form.name}"
                  "(const struct sonde_gen_instruction *i, uint64_t raw[2])\n{")
        self.line("    uint64_t w0 = raw[0], w1 = raw[1], code = 0;\n    (void)code;")
        self.body(form, False)
        self.line("    raw[0] = w0;\n    raw[1] = w1;\n    return NULL;\n}")
        # Which alternatives an instruction takes, as one number.
        self.line(f"static uint32_t {self.prefix}_signature_{form.name}"
                  "(const struct sonde_gen_instruction *i)\n{\n    (void)i;\n    uint32_t s = 0;")
        for item in form.of(Choice):
            self.line(f"    const unsigned {item.name} = (unsigned)({item.expression});")
            self.line(f"    s = s * {len(self.table.kinds[item.kind])} + {item.name};")
        self.line("    return s;\n}")

    def formats(self, opcodes):
        self.line("struct layout_format {\n"
                  "    bool (*decode)(struct sonde_gen_instruction *);\n"
                  "    const char *(*encode)(const struct sonde_gen_instruction *, uint64_t[2]);\n"
                  "    uint32_t (*signature)(const struct sonde_gen_instruction *);\n"
                  "    uint64_t init[2];\n};")
        self.line(f"static const struct layout_format {self.prefix}_formats[] = {{")
        self.line("    {NULL, NULL, NULL, {0, 0}},")
        for form in self.table.formats:
            word = 0
            for row in form.of(Row):
                if not row.when or row.init:
                    word |= row.init_word()
            low, high = word & (1 << 64) - 1, word >> 64
            self.line(f"    {{{self.prefix}_decode_{form.name}, {self.prefix}_encode_{form.name}, "
                      f"{self.prefix}_signature_{form.name}, {{UINT64_C({low:#x}), UINT64_C({high:#x})}}}},")
        self.line("};")
        self.line(f"static const uint8_t {self.prefix}_format_of[SONDE_GEN_OPCODE_COUNT] = {{")
        for opcode in opcodes:
            hits = [n for n, f in enumerate(self.table.formats, 1) if matches(opcode, f.opcodes)]
            if len(hits) != 1:
                stop("fields", f"opcode {opcode[0]} has {len(hits)} formats")
            self.line(f"    [SONDE_GEN_{opcode[0].upper()}] = {hits[0]},")
        self.line("};")


def spread(pieces, value, width):
    """The native word with `value` distributed over the pieces."""
    word, shift = 0, width
    for high, low, _ in pieces:
        count = high - low + 1
        shift -= count
        word |= ((value >> shift) & ((1 << count) - 1)) << low
    return word


class Compaction:
    def __init__(self, path):
        self.forms, self.entries = [], {}
        form = entries = None
        for place, words in logical_lines(path):
            if words[0] == "form":
                form = {"name": words[1], "opcodes": words[3:], "direct": [], "table": [],
                        "immediate": [], "reserved": [], "place": place}
                self.forms.append(form)
            elif words[0] == "entries":
                entries = self.entries[words[1]] = []
            elif words[0] == "end":
                form = entries = None
            elif entries is not None:
                entries.append(words[0])
            else:
                register = words[0] == "register"
                words = words[1:] if register else words
                if words[0] == "reserved":
                    form["reserved"].append(parse_bits(place, words[1]))
                elif words[0] == "table":
                    form["table"].append((words[1], parse_bits(place, words[2]),
                                          parse_bits(place, words[4]), register))
                else:
                    form[words[0]].append((parse_bits(place, words[1]),
                                           parse_bits(place, words[3]), register))
        for form in self.forms:
            self.check(form)

    def check(self, form):
        """Every bit of the 8 bytes is used once, bit 29 marks compaction."""
        claimed = 1 << 29
        rows = [b for b, _, _ in form["direct"]] + [b for _, b, _, _ in form["table"]] + form["reserved"]
        for pieces in rows:
            for high, low, _ in pieces:
                mask = ((1 << (high - low + 1)) - 1) << low
                if claimed & mask:
                    stop(form["place"], f"compact form {form['name']}: bits {high}:{low} claimed twice")
                claimed |= mask
        if claimed != (1 << 64) - 1:
            bit = ((1 << 64) - 1 & ~claimed).bit_length() - 1
            stop(form["place"], f"compact form {form['name']}: bit {bit} claimed by no field")

    def emit(self, e, opcodes):
        e.line("struct compact_move { uint8_t from, width, to; bool register_only; };")
        e.line("struct compact_table { const uint64_t (*words)[2]; uint64_t mask[2]; "
               "uint8_t count, from, width, high_from, high_width; bool register_only; };")
        e.line("struct compact_form { struct compact_move moves[16]; struct compact_table tables[8]; "
               "uint8_t move_count, table_count; bool immediate; };")
        for form in self.forms:
            for number, (name, _, native, _) in enumerate(form["table"]):
                width = sum(h - l + 1 for h, l, _ in native)
                e.line(f"static const uint64_t {e.prefix}_{form['name']}_{number}[][2] = {{")
                for entry in self.entries[name]:
                    if len(entry) != width:
                        stop(form["place"], f"entries {name}: {entry} is not {width} bits")
                    word = spread(native, int(entry, 2), width)
                    e.line(f"    {{UINT64_C({word & (1 << 64) - 1:#x}), UINT64_C({word >> 64:#x})}},")
                e.line("};")
        e.line(f"static const struct compact_form {e.prefix}_compact[] = {{\n    {{.move_count = 0}},")
        for form in self.forms:
            e.line("    {.moves = {")
            for compact, native, register in form["direct"]:
                (high, low, _), (_, to, _) = compact[0], native[0]
                e.line(f"        {{{low}, {high - low + 1}, {to}, {str(register).lower()}}},")
            e.line("    },\n    .tables = {")
            for number, (name, compact, native, register) in enumerate(form["table"]):
                width = sum(h - l + 1 for h, l, _ in native)
                mask = spread(native, (1 << width) - 1, width)
                # An index stands in one piece or in two.
                high, low, _ = compact[-1]
                above_high, above_low, _ = compact[0] if len(compact) > 1 else (-1, 0, False)
                e.line(f"        {{{e.prefix}_{form['name']}_{number}, "
                       f"{{UINT64_C({mask & (1 << 64) - 1:#x}), UINT64_C({mask >> 64:#x})}}, "
                       f"{len(self.entries[name])}, {low}, {high - low + 1}, {above_low}, "
                       f"{above_high - above_low + 1}, {str(register).lower()}}},")
            e.line(f"    }},\n    .move_count = {len(form['direct'])}, .table_count = {len(form['table'])}, "
                   f".immediate = {str(bool(form['immediate'])).lower()}}},")
        e.line("};")
        e.line(f"static const uint8_t {e.prefix}_compact_of[SONDE_GEN_OPCODE_COUNT] = {{")
        for opcode in opcodes:
            for number, form in enumerate(self.forms, 1):
                if matches(opcode, form["opcodes"]):
                    e.line(f"    [SONDE_GEN_{opcode[0].upper()}] = {number},")
        e.line("};")


def main():
    layout, opcode_path, field_path, compact_path, output = sys.argv[1:]
    opcodes = opcode_rows(opcode_path, COLUMNS[layout])
    table = Table(field_path)
    compaction = Compaction(compact_path)
    with open(output, "w", encoding="ascii") as out:
        e = Emitter(table, "layout", out)
        out.write(f"/* Generated from {field_path.split('/')[-1]}; do not edit. */\n")
        e.kinds()
        out.write('#include "isa/gen/layout.h"\n')
        out.write("/* The first code, among those that agree with `code` in the bits of other\n"
                  " * fields, that stands for `value`. */\n"
                  "static uint64_t layout_code_find(const uint8_t *values, unsigned count, "
                  "unsigned shared,\n    uint64_t code, unsigned value);\n")
        e.values()
        for form in table.formats:
            e.functions(form)
        e.formats(opcodes)
        compaction.emit(e, opcodes)


if __name__ == "__main__":
    main()
