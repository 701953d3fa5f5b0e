/* Bytes that each statement occupies. Where assemblers differ (GNU as and
 * LLVM use the constant generator in different cases, and GNU as writes 0(Rn)
 * as @Rn) the larger size counts, so that no jump is taken to reach farther
 * than it does. */
#include <ctype.h>
#include <string.h>

#include "rewrite/msp430/internal.h"

enum form {
    FORM_PLAIN,        /* no operand with a word of its own */
    FORM_TWO,          /* source, destination */
    FORM_SOURCE,       /* a source alone: push, rra, ... */
    FORM_CALL,         /* a source that never comes from the constant generator */
    FORM_DESTINATION,  /* a destination; the source is a constant or @sp+ */
    FORM_TWICE,        /* the operand is source and destination: rla, rlc */
    FORM_BRANCH,       /* mov source, pc */
    FORM_ADDRESS,      /* mova, adda, ...: two operands, 20-bit constants in two words */
    FORM_ADDRESS_CALL, /* calla, bra */
    FORM_ADDRESS_CONSTANT,
    FORM_POLYMORPH, /* GNU as chooses between a jump and jumps around a branch */
    FORM_PREFIX,    /* rpt: becomes part of the next instruction's extension word */
};

static const struct row {
    const char *name;
    enum form form;
    bool extendable; /* with an x at the end: one extension word more */
} rows[] = {
    {"mov", FORM_TWO, true},
    {"add", FORM_TWO, true},
    {"addc", FORM_TWO, true},
    {"sub", FORM_TWO, true},
    {"subc", FORM_TWO, true},
    {"sbb", FORM_TWO, false},
    {"cmp", FORM_TWO, true},
    {"dadd", FORM_TWO, true},
    {"bit", FORM_TWO, true},
    {"bic", FORM_TWO, true},
    {"bis", FORM_TWO, true},
    {"xor", FORM_TWO, true},
    {"and", FORM_TWO, true},
    {"push", FORM_SOURCE, true},
    {"rra", FORM_SOURCE, true},
    {"rrc", FORM_SOURCE, true},
    {"rru", FORM_SOURCE, true},
    {"swpb", FORM_SOURCE, true},
    {"sxt", FORM_SOURCE, true},
    {"call", FORM_CALL, false},
    {"br", FORM_BRANCH, false},
    {"pop", FORM_DESTINATION, true},
    {"clr", FORM_DESTINATION, true},
    {"inc", FORM_DESTINATION, true},
    {"incd", FORM_DESTINATION, true},
    {"dec", FORM_DESTINATION, true},
    {"decd", FORM_DESTINATION, true},
    {"inv", FORM_DESTINATION, true},
    {"tst", FORM_DESTINATION, true},
    {"adc", FORM_DESTINATION, true},
    {"sbc", FORM_DESTINATION, true},
    {"dadc", FORM_DESTINATION, true},
    {"rla", FORM_TWICE, true},
    {"rlc", FORM_TWICE, true},
    {"ret", FORM_PLAIN, false},
    {"reti", FORM_PLAIN, false},
    {"reta", FORM_PLAIN, false},
    {"nop", FORM_PLAIN, false},
    {"dint", FORM_PLAIN, false},
    {"eint", FORM_PLAIN, false},
    {"clrc", FORM_PLAIN, false},
    {"clrz", FORM_PLAIN, false},
    {"clrn", FORM_PLAIN, false},
    {"setc", FORM_PLAIN, false},
    {"setz", FORM_PLAIN, false},
    {"setn", FORM_PLAIN, false},
    {"pushm", FORM_PLAIN, false},
    {"popm", FORM_PLAIN, false},
    {"rrcm", FORM_PLAIN, false},
    {"rram", FORM_PLAIN, false},
    {"rlam", FORM_PLAIN, false},
    {"rrum", FORM_PLAIN, false},
    {"mova", FORM_ADDRESS, false},
    {"adda", FORM_ADDRESS, false},
    {"suba", FORM_ADDRESS, false},
    {"cmpa", FORM_ADDRESS, false},
    {"calla", FORM_ADDRESS_CALL, false},
    {"bra", FORM_ADDRESS_CALL, false},
    {"clra", FORM_ADDRESS_CONSTANT, false},
    {"tsta", FORM_ADDRESS_CONSTANT, false},
    {"incda", FORM_ADDRESS_CONSTANT, false},
    {"decda", FORM_ADDRESS_CONSTANT, false},
    {"popa", FORM_ADDRESS_CONSTANT, false},
    {"rpt", FORM_PREFIX, false},
    {"beq", FORM_POLYMORPH, false},
    {"bne", FORM_POLYMORPH, false},
    {"blt", FORM_POLYMORPH, false},
    {"bltn", FORM_POLYMORPH, false},
    {"bltu", FORM_POLYMORPH, false},
    {"bge", FORM_POLYMORPH, false},
    {"bgeu", FORM_POLYMORPH, false},
    {"bgt", FORM_POLYMORPH, false},
    {"bgtu", FORM_POLYMORPH, false},
    {"ble", FORM_POLYMORPH, false},
    {"bleu", FORM_POLYMORPH, false},
    {"jump", FORM_POLYMORPH, false},
};

static const struct row *find_row(struct msp430_slice name, bool *extended)
{
    *extended = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (msp430_slice_is(name, rows[i].name))
            return &rows[i];
    }
    if (name.length < 2 || (name.text[name.length - 1] | 0x20) != 'x')
        return NULL;
    name.length--;
    *extended = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].extendable && msp430_slice_is(name, rows[i].name))
            return &rows[i];
    }
    return NULL;
}

/* Words of the source #text, and whether every assembler agrees on them. */
static unsigned immediate_words(struct msp430_slice text, const struct row *row, bool byte,
                                bool *inexact)
{
    int64_t value;
    if (!msp430_slice_number(text, &value)) {
        *inexact = true;
        return 1;
    }
    bool generated =
        value == 0 || value == 1 || value == 2 || value == 4 || value == 8 || value == -1;
    if ((generated && row->form != FORM_TWO) || value == 0xffff || (byte && value == 0xff))
        *inexact = true;
    return generated && row->form == FORM_TWO ? 0 : 1;
}

static unsigned source_words(struct msp430_slice operand, const struct row *row, bool byte,
                             bool *inexact)
{
    if (operand.length == 0 || operand.text[0] == '@' || msp430_register(operand) >= 0)
        return 0;
    if (operand.text[0] == '#') {
        operand = (struct msp430_slice){operand.text + 1, operand.length - 1};
        return immediate_words(msp430_slice_trim(operand), row, byte, inexact);
    }
    if (msp430_slice_begins(operand, "0("))
        *inexact = true;
    return 1;
}

static unsigned destination_words(struct msp430_slice operand)
{
    return operand.length > 0 && msp430_register(operand) < 0 ? 1 : 0;
}

static unsigned operand_words(const struct msp430_statement *statement, const struct row *row,
                              bool byte, bool *inexact)
{
    struct msp430_slice list = statement->operands, first = {NULL, 0}, second = {NULL, 0};
    if (msp430_slice_next(&list, &first))
        msp430_slice_next(&list, &second);
    switch (row->form) {
    case FORM_TWO:
    case FORM_ADDRESS:
        return source_words(first, row, byte, inexact) + destination_words(second);
    case FORM_SOURCE:
    case FORM_CALL:
    case FORM_BRANCH:
    case FORM_ADDRESS_CALL:
        return source_words(first, row, byte, inexact);
    case FORM_DESTINATION:
        return destination_words(first);
    case FORM_TWICE:
        return 2 * destination_words(first);
    case FORM_ADDRESS_CONSTANT:
        *inexact = true;
        return 1;
    case FORM_POLYMORPH:
        *inexact = true;
        return 3;
    default:
        return 0;
    }
}

static void measure_instruction(struct msp430_statement *statement)
{
    struct msp430_slice name = statement->name;
    bool byte = false, address = false, extended;
    if (msp430_jump_of(statement) != NULL) {
        statement->size = 2;
        return;
    }
    if (name.length > 2 && name.text[name.length - 2] == '.') {
        byte = (name.text[name.length - 1] | 0x20) == 'b';
        address = (name.text[name.length - 1] | 0x20) == 'a';
        name.length -= 2;
    }
    const struct row *row = find_row(name, &extended);
    if (row == NULL) {
        statement->unknown = true;
        return;
    }
    unsigned words = row->form == FORM_PREFIX ? 0 : 1;
    words += operand_words(statement, row, byte, &statement->inexact);
    words += extended || (address && row->extendable);
    statement->size = 2 * words;
}

static uint64_t count_items(struct msp430_slice list)
{
    struct msp430_slice item;
    uint64_t count = 0;
    while (msp430_slice_next(&list, &item))
        count++;
    return count;
}

/* Bytes of strings, escapes counted as the one byte that they make. */
static uint64_t string_bytes(struct msp430_slice list, unsigned terminator)
{
    struct msp430_slice item;
    uint64_t bytes = 0;
    while (msp430_slice_next(&list, &item)) {
        for (size_t i = 1; i + 1 < item.length; i++, bytes++) {
            if (item.text[i] != '\\')
                continue;
            size_t digits = 0;
            for (i++;
                 digits < 3 && i + 1 < item.length && item.text[i] >= '0' && item.text[i] <= '7';
                 digits++)
                i++;
            i -= digits > 0;
        }
        bytes += terminator;
    }
    return bytes;
}

static void measure_space(struct msp430_statement *statement, uint64_t scale)
{
    struct msp430_slice list = statement->operands, item = {NULL, 0};
    int64_t value;
    if (!msp430_slice_next(&list, &item) || !msp430_slice_number(item, &value) || value < 0 ||
        value > 0xfffff)
        statement->unknown = true;
    else
        statement->size = (uint64_t)value * scale;
}

static void measure_alignment(struct msp430_statement *statement)
{
    struct msp430_slice list = statement->operands, item = {NULL, 0};
    int64_t value;
    bool power = msp430_slice_begins(statement->name, ".p2align");
    if (!msp430_slice_next(&list, &item) || !msp430_slice_number(item, &value) || value < 0 ||
        value > (power ? 15 : 0x8000)) {
        statement->unknown = true;
        return;
    }
    /* .align counts bytes for one assembler and bits for another. */
    if (msp430_slice_is(statement->name, ".align") && value > 0 && value <= 15) {
        uint32_t bits = 1u << value;
        statement->alignment = bits > (uint32_t)value ? bits : (uint32_t)value;
        statement->inexact = true;
    } else {
        statement->alignment = power ? 1u << value : (uint32_t)value;
    }
}

/* Directives that emit nothing, by how they begin. */
static const char *const silent[] = {".cfi_",          ".loc",
                                     ".file",          ".type",
                                     ".size",          ".glob",
                                     ".local",         ".weak",
                                     ".ident",         ".addrsig",
                                     ".set",           ".equ",
                                     ".section",       ".text",
                                     ".data",          ".bss",
                                     ".pushsection",   ".popsection",
                                     ".previous",      ".comm",
                                     ".lcomm",         ".hidden",
                                     ".protected",     ".internal",
                                     ".cpu",           ".arch",
                                     ".refsym",        ".mspabi_attribute",
                                     ".gnu_attribute", ".profiler",
                                     ".macro",         ".endm",
                                     ".purgem",        ".if",
                                     ".else",          ".endif",
                                     ".end",           ".extern",
                                     ".ref",           ".symver",
                                     ".sym",           ".list",
                                     ".nolist",        ".title",
                                     ".version",       ".warning",
                                     ".print",         ".altmacro",
                                     ".noaltmacro",    ".build_attributes"};

static const struct data_row {
    const char *name;
    unsigned bytes;
    bool inexact;
} data_rows[] = {
    {".word", 2, false},  {".short", 2, false}, {".hword", 2, false}, {".2byte", 2, false},
    {".value", 2, false}, {".byte", 1, false},  {".1byte", 1, false}, {".dc.b", 1, false},
    {".dc.w", 2, false},  {".dc", 2, false},    {".long", 4, false},  {".4byte", 4, false},
    {".int", 4, true},    {".quad", 8, false},  {".8byte", 8, false},
};

static void measure_directive(struct msp430_statement *statement)
{
    struct msp430_slice name = statement->name;
    for (size_t i = 0; i < sizeof data_rows / sizeof *data_rows; i++) {
        if (msp430_slice_is(name, data_rows[i].name)) {
            statement->size = data_rows[i].bytes * count_items(statement->operands);
            statement->inexact = data_rows[i].inexact;
            return;
        }
    }
    if (msp430_slice_is(name, ".profile_enter") || msp430_slice_is(name, ".profile_exit"))
        statement->size = 2;
    else if (msp430_slice_is(name, ".ascii"))
        statement->size = string_bytes(statement->operands, 0);
    else if (msp430_slice_is(name, ".asciz") || msp430_slice_is(name, ".string"))
        statement->size = string_bytes(statement->operands, 1);
    else if (msp430_slice_is(name, ".zero") || msp430_slice_is(name, ".skip") ||
             msp430_slice_is(name, ".space"))
        measure_space(statement, 1);
    else if (msp430_slice_begins(name, ".p2align") || msp430_slice_begins(name, ".balign") ||
             msp430_slice_is(name, ".align"))
        measure_alignment(statement);
    else if (msp430_slice_is(name, ".even"))
        statement->alignment = 2;
    else
        statement->unknown = true;
}

void msp430_measure(struct msp430_statement *statement)
{
    if (statement->kind == MSP430_INSTRUCTION) {
        measure_instruction(statement);
    } else if (statement->kind == MSP430_DIRECTIVE) {
        for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
            if (msp430_slice_begins(statement->name, silent[i]))
                return;
        }
        measure_directive(statement);
    }
    if (statement->repeated)
        statement->unknown = true;
}
