#include "isa/gen/print.h"

#include <stdio.h>
#include <string.h>

/* Column widths of iga64's default layout. */
enum {
    WIDTH_PREDICATE = 7,
    WIDTH_OPCODE = 13,
    WIDTH_CONDITION = 9,
    WIDTH_DESTINATION = 12,
    WIDTH_SOURCE = 16,
    WIDTH_DESCRIPTOR = 10,
};

static const char *const predicate_suffix[] = {
    [SONDE_GEN_PREDICATE_NONE] = "",          [SONDE_GEN_PREDICATE_CHANNEL] = "",
    [SONDE_GEN_PREDICATE_ANYV] = ".anyv",     [SONDE_GEN_PREDICATE_ALLV] = ".allv",
    [SONDE_GEN_PREDICATE_ANY2H] = ".any2h",   [SONDE_GEN_PREDICATE_ALL2H] = ".all2h",
    [SONDE_GEN_PREDICATE_ANY4H] = ".any4h",   [SONDE_GEN_PREDICATE_ALL4H] = ".all4h",
    [SONDE_GEN_PREDICATE_ANY8H] = ".any8h",   [SONDE_GEN_PREDICATE_ALL8H] = ".all8h",
    [SONDE_GEN_PREDICATE_ANY16H] = ".any16h", [SONDE_GEN_PREDICATE_ALL16H] = ".all16h",
    [SONDE_GEN_PREDICATE_ANY32H] = ".any32h", [SONDE_GEN_PREDICATE_ALL32H] = ".all32h",
    [SONDE_GEN_PREDICATE_ANY] = ".any",       [SONDE_GEN_PREDICATE_ALL] = ".all",
};

static const char *const condition_name[] = {
    [SONDE_GEN_CONDITION_Z] = "eq", [SONDE_GEN_CONDITION_NZ] = "ne",
    [SONDE_GEN_CONDITION_G] = "gt", [SONDE_GEN_CONDITION_GE] = "ge",
    [SONDE_GEN_CONDITION_L] = "lt", [SONDE_GEN_CONDITION_LE] = "le",
    [SONDE_GEN_CONDITION_O] = "ov", [SONDE_GEN_CONDITION_U] = "un",
};

static const char *const math_name[] = {
    [SONDE_GEN_MATH_INV] = "inv",   [SONDE_GEN_MATH_LOG] = "log",
    [SONDE_GEN_MATH_EXP] = "exp",   [SONDE_GEN_MATH_SQT] = "sqt",
    [SONDE_GEN_MATH_RSQT] = "rsqt", [SONDE_GEN_MATH_SIN] = "sin",
    [SONDE_GEN_MATH_COS] = "cos",   [SONDE_GEN_MATH_FDIV] = "fdiv",
    [SONDE_GEN_MATH_POW] = "pow",   [SONDE_GEN_MATH_IDIV] = "idiv",
    [SONDE_GEN_MATH_IQOT] = "iqot", [SONDE_GEN_MATH_IREM] = "irem",
    [SONDE_GEN_MATH_INVM] = "invm", [SONDE_GEN_MATH_RSQTM] = "rsqtm",
};

static const char *const sync_name[] = {
    [SONDE_GEN_SYNC_NOP] = "nop",     [SONDE_GEN_SYNC_ALLRD] = "allrd",
    [SONDE_GEN_SYNC_ALLWR] = "allwr", [SONDE_GEN_SYNC_FENCE] = "fence",
    [SONDE_GEN_SYNC_BAR] = "bar",     [SONDE_GEN_SYNC_HOST] = "host",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_in(const char *const *names, size_t count, uint8_t value)
{
    return value < count && names[value] != NULL ? names[value] : "?";
}

bool print_is_send(const struct sonde_gen_instruction *instruction)
{
    return sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode) ==
           SONDE_GEN_FORMAT_SEND;
}

bool print_is_macro(const struct sonde_gen_instruction *instruction)
{
    return instruction->opcode == SONDE_GEN_MADM ||
           (instruction->opcode == SONDE_GEN_MATH && (instruction->math == SONDE_GEN_MATH_INVM ||
                                                      instruction->math == SONDE_GEN_MATH_RSQTM));
}

bool print_is_systolic(const struct sonde_gen_instruction *instruction)
{
    return instruction->opcode == SONDE_GEN_DPAS || instruction->opcode == SONDE_GEN_DPASW;
}

static bool is_scalar_ternary(const struct sonde_gen_instruction *instruction)
{
    return instruction->align16 && (instruction->exec_size == 2 || instruction->exec_size == 4) &&
           instruction->dst.write_mask != 0xf && instruction->dst.write_mask != 0 &&
           !print_is_macro(instruction) &&
           sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode) ==
               SONDE_GEN_FORMAT_TERNARY;
}

uint8_t print_exec_size(const struct sonde_gen_instruction *instruction)
{
    return is_scalar_ternary(instruction) ? 1 : instruction->exec_size;
}

uint8_t print_first_channel(const struct sonde_gen_instruction *instruction)
{
    if (!is_scalar_ternary(instruction))
        return 0;
    uint8_t channel = 0;
    while (!(instruction->dst.write_mask >> channel & 1))
        channel++;
    /* With two channels these are df, which take xy and zw. */
    return instruction->exec_size == 2 ? channel / 2 : channel;
}

static void print_predicate(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    print_column_open(out, WIDTH_PREDICATE);
    bool predicated = instruction->predicate != SONDE_GEN_PREDICATE_NONE;
    if (instruction->no_mask || predicated) {
        print_counted(out, "(%s%s", instruction->no_mask ? "W" : "",
                      instruction->no_mask && predicated ? "&" : "");
        if (predicated) {
            print_counted(out, "%s", instruction->predicate_inverse ? "~" : "");
            print_flag(out, instruction);
            print_counted(
                out, "%s",
                name_in(predicate_suffix, COUNT(predicate_suffix), instruction->predicate));
        }
        print_counted(out, ")");
    }
    print_column_close(out);
}

static bool has_execution_mask(uint8_t opcode)
{
    return opcode != SONDE_GEN_NOP && opcode != SONDE_GEN_ILLEGAL && opcode != SONDE_GEN_JMPI &&
           opcode != SONDE_GEN_WAIT && opcode != SONDE_GEN_SYNC;
}

static void print_opcode(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    print_column_open(out, WIDTH_OPCODE);
    print_counted(out, "%s", sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)instruction->opcode));
    if (instruction->opcode == SONDE_GEN_MATH)
        print_counted(out, ".%s", name_in(math_name, COUNT(math_name), instruction->math));
    else if (instruction->opcode == SONDE_GEN_BFN)
        print_counted(out, ".0x%02X", instruction->boolean);
    else if (instruction->opcode == SONDE_GEN_SYNC)
        print_counted(out, ".%s", name_in(sync_name, COUNT(sync_name), instruction->sync));
    else if (print_is_systolic(instruction))
        print_counted(out, ".%ux%u", instruction->systolic_depth, instruction->repeat_count);
    else if (print_is_send(instruction) && instruction->platform >= SONDE_GEN_PLATFORM_XE)
        print_counted(out, ".%s", print_shared_function(instruction));
    else if (instruction->branch_control)
        print_counted(out, ".b");
    print_counted(out, " ");
    if (has_execution_mask(instruction->opcode))
        print_counted(out, "(%u|M%u)", print_exec_size(instruction), instruction->channel_offset);
    print_column_close(out);
}

static void print_condition(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    print_column_open(out, WIDTH_CONDITION);
    bool macro_math = instruction->opcode == SONDE_GEN_MATH && print_is_macro(instruction);
    if (!print_is_send(instruction) &&
        (macro_math || instruction->condition != SONDE_GEN_CONDITION_NONE)) {
        /* invm and rsqtm always set a flag (early out), no field says so. */
        print_counted(out, "(%s)",
                      macro_math
                          ? "eo"
                          : name_in(condition_name, COUNT(condition_name), instruction->condition));
        print_flag(out, instruction);
    }
    print_column_close(out);
}

static void print_descriptor(struct print_text *out, bool is_register, unsigned subreg,
                             uint32_t value, int digits)
{
    print_spaces(out, 2);
    print_column_open(out, WIDTH_DESCRIPTOR);
    if (is_register)
        print_counted(out, "a0.%u", subreg);
    else
        print_uncounted(out, "0x%0*X", digits, (unsigned)value);
    print_column_close(out);
}

struct option {
    bool set;
    const char *name;
};

static void print_options(struct print_text *out, const struct sonde_gen_instruction *instruction,
                          const struct option *options, size_t count)
{
    const char *separator = " {";
    for (size_t i = 0; i < count; i++) {
        if (!options[i].set)
            continue;
        print_counted(out, "%s%s", separator, options[i].name);
        separator = ",";
    }
    if (print_scoreboard(out, instruction, separator))
        separator = ",";
    if (separator[0] == ',')
        print_counted(out, "}");
}

static bool has_destination(const struct sonde_gen_instruction *instruction)
{
    switch (sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode)) {
    case SONDE_GEN_FORMAT_NULLARY:
    case SONDE_GEN_FORMAT_WAIT:
    case SONDE_GEN_FORMAT_SYNC:
        return false;
    case SONDE_GEN_FORMAT_BRANCH:
        return instruction->opcode == SONDE_GEN_CALL || instruction->opcode == SONDE_GEN_CALLA;
    default:
        return true;
    }
}

/* Operands as printed: a branch's jump targets are its sources. */
static unsigned printed_sources(const struct sonde_gen_instruction *instruction)
{
    /* The index of movi is implied until Gen10; the encoding has a null there. */
    if (instruction->opcode == SONDE_GEN_MOVI && instruction->platform == SONDE_GEN_PLATFORM_GEN9)
        return 1;
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode) !=
        SONDE_GEN_FORMAT_BRANCH)
        return instruction->source_count;
    return instruction->has_jip && instruction->has_uip ? 2 : 1;
}

static void print_operands(struct print_text *out, const struct sonde_gen_instruction *instruction,
                           bool has_options)
{
    unsigned sources = printed_sources(instruction);
    if (has_destination(instruction)) {
        print_spaces(out, 2);
        print_destination(out, instruction);
    } else if (sources > 0 || has_options) {
        print_spaces(out, WIDTH_DESTINATION);
    }
    if (sources == 0 && has_options)
        print_spaces(out, WIDTH_SOURCE);
    bool one_payload = print_is_send(instruction);
    for (unsigned i = 0; i < sources; i++) {
        print_spaces(out, 2);
        print_source(out, instruction, i);
    }
    bool tokens = print_is_token_wait(instruction);
    if (sources == 1 && !one_payload && !tokens) {
        print_column_open(out, WIDTH_SOURCE);
        print_column_close(out);
    }
}

static void print_instruction(struct print_text *out,
                              const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_send *send = &instruction->send;
    bool is_send = print_is_send(instruction);
    /* In the order in which iga64 prints them. */
    const struct option options[] = {
        {instruction->accumulator_write, "AccWrEn"},
        {instruction->thread_control == SONDE_GEN_THREAD_ATOMIC, "Atomic"},
        {instruction->debug, "Breakpoint"},
        {instruction->compacted, "Compacted"},
        {is_send && send->end_of_thread, "EOT"},
        {!is_send && instruction->no_dependency_check, "NoDDChk"},
        {!is_send && instruction->no_dependency_clear, "NoDDClr"},
        {instruction->thread_control == SONDE_GEN_THREAD_NO_PREEMPT, "NoPreempt"},
        {is_send && send->fusion_control, "Serialize"},
        {instruction->thread_control == SONDE_GEN_THREAD_SWITCH, "Switch"},
        {is_send && send->ex_bso, "ExBSO"},
    };
    struct sonde_gen_scoreboard scoreboard;
    bool has_options = sonde_gen_scoreboard_decode(instruction, &scoreboard) &&
                       (scoreboard.has_distance || scoreboard.no_accumulator_set ||
                        scoreboard.token_mode != SONDE_GEN_TOKEN_NONE);
    for (size_t i = 0; i < COUNT(options); i++)
        has_options = has_options || options[i].set;

    print_predicate(out, instruction);
    print_counted(out, " ");
    print_opcode(out, instruction);
    print_counted(out, " ");
    print_condition(out, instruction);
    print_operands(out, instruction, has_options);
    if (is_send) {
        print_descriptor(out, send->ex_descriptor_is_register, send->ex_descriptor_subreg / 2u,
                         send->ex_descriptor, 1);
        print_descriptor(out, send->descriptor_is_register, 0, send->descriptor, 8);
    }
    print_options(out, instruction, options, COUNT(options));
    if (instruction->opcode == SONDE_GEN_BFN)
        print_counted(out, " // %s", print_boolean_expression(instruction->boolean));
    if (is_send)
        print_message_comment(out, instruction);
}

static void print_illegal(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    print_counted(out, "%*s%-*s%*s", WIDTH_PREDICATE + 1, "", WIDTH_OPCODE, "illegal",
                  WIDTH_CONDITION + 1, "");
    /* The instruction "illegal" is one that iga64 knows: its text. */
    if (instruction->size == 16 && (instruction->raw[0] & 0x7f) == 0)
        return;
    if (instruction->size == 8)
        print_counted(out, " {Compacted} // %016llX",
                      (unsigned long long)instruction->raw_compacted);
    else
        print_counted(out, " // %016llX`%016llX", (unsigned long long)instruction->raw[1],
                      (unsigned long long)instruction->raw[0]);
    if (instruction->illegal_reason != NULL)
        print_counted(out, "  %s: 0x%x", instruction->illegal_reason, instruction->illegal_value);
}

int sonde_gen_illegal_print(const struct sonde_gen_instruction *instruction, char *text,
                            size_t size)
{
    if (!instruction->illegal)
        return snprintf(text, size, "%s", "");
    if (instruction->illegal_reason == NULL)
        return snprintf(text, size, "illegal instruction");
    return snprintf(text, size, "%s: 0x%x", instruction->illegal_reason,
                    instruction->illegal_value);
}

int sonde_gen_print(const struct sonde_gen_instruction *instruction,
                    sonde_gen_label_function *label, void *context, char *text, size_t size)
{
    struct print_text out = {.text = text, .size = size, .label = label, .label_context = context};
    if (instruction->illegal)
        print_illegal(&out, instruction);
    else
        print_instruction(&out, instruction);
    print_finish(&out);
    return (int)out.used;
}
