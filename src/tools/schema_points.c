#include "tools/schema_points.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "sonde/gen_message.h"
#include "tools/builtin.h"

/* --- blocks --- */

static bool has_work(const struct sonde_kernel *kernel, const struct sonde_block *block)
{
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        if (!sonde_gen_opcode_is_branch(sonde_kernel_instruction(kernel, i)->opcode) &&
            !block->is_eot)
            return true;
    return false;
}

enum sonde_status schema_kernel_open(const struct sonde_kernel *kernel,
                                     struct schema_kernel *opened, struct sonde_error *error)
{
    size_t count = sonde_kernel_block_count(kernel);
    *opened = (struct schema_kernel){.kernel = kernel,
                                     .first = tools_first_instruction(kernel),
                                     .blocks = calloc(count + 1, sizeof *opened->blocks)};
    if (opened->blocks == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (uint32_t b = 0; b < count; b++) {
        const struct sonde_block *block = sonde_kernel_block(kernel, b);
        opened->blocks[b] = 1u << SCHEMA_BLOCK_EVERY;
        opened->blocks[b] |= (uint32_t)(block->first == opened->first) << SCHEMA_BLOCK_ENTRY;
        opened->blocks[b] |= (uint32_t)block->is_eot << SCHEMA_BLOCK_EXIT;
        opened->blocks[b] |= (uint32_t)has_work(kernel, block) << SCHEMA_BLOCK_WORK;
    }
    /* A loop is what stands from the target of a jump back to that jump. */
    for (size_t e = 0; e < sonde_kernel_edge_count(kernel); e++) {
        const struct sonde_edge *edge = sonde_kernel_edge(kernel, e);
        if (edge->destination > edge->source || !edge->jumps)
            continue;
        opened->blocks[edge->destination] |= 1u << SCHEMA_BLOCK_LOOP_HEAD;
        for (uint32_t b = edge->destination; b <= edge->source; b++)
            opened->blocks[b] |= 1u << SCHEMA_BLOCK_LOOP;
    }
    return SONDE_OK;
}

void schema_kernel_close(struct schema_kernel *opened)
{
    free(opened->blocks);
    *opened = (struct schema_kernel){.kernel = NULL};
}

bool schema_selects_block(const struct schema_probe *probe, const struct schema_kernel *kernel,
                          uint32_t block)
{
    uint32_t wanted = probe->masks[SCHEMA_BLOCK];
    return wanted == 0 || (wanted & kernel->blocks[block]) != 0;
}

/* --- kernels --- */

static bool matches(const struct schema_values *values, const struct sonde_kernel *kernel)
{
    const struct sonde_kernel_info *info = sonde_kernel_info(kernel);
    const struct sonde_trace_kernel named = {.name = info->name != NULL ? info->name : "",
                                             .simd_width = info->simd_width,
                                             .hash = sonde_kernel_hash(kernel)};
    struct analyze_matcher *matcher;
    if (analyze_matcher_create((const char *const *)values->items, values->count, &matcher, NULL) !=
        SONDE_OK)
        return false;
    bool accepted = analyze_matcher_accepts_kernel(matcher, &named);
    analyze_matcher_destroy(matcher);
    return accepted;
}

bool schema_selects_kernel(const struct schema_probe *probe, const struct sonde_kernel *kernel)
{
    const struct schema_values *wanted = &probe->values[SCHEMA_KERNEL];
    const struct schema_values *unwanted = &probe->values[SCHEMA_EXCLUDE];
    return (wanted->count == 0 || matches(wanted, kernel)) &&
           (unwanted->count == 0 || !matches(unwanted, kernel));
}

/* --- instructions --- */

static bool is_send(const struct sonde_gen_instruction *instruction)
{
    return sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_SEND;
}

static bool decode(const struct sonde_gen_instruction *instruction,
                   struct sonde_gen_message *message)
{
    return is_send(instruction) && sonde_gen_message_decode(instruction, message, NULL) == SONDE_OK;
}

/* Type of the result, else of the first source. */
static bool type_of(const struct sonde_gen_instruction *instruction, enum sonde_gen_type *type)
{
    if (is_send(instruction) || sonde_gen_opcode_is_branch(instruction->opcode))
        return false;
    *type = instruction->dst.file != SONDE_GEN_FILE_NONE
                ? (enum sonde_gen_type)instruction->dst.type
                : SONDE_GEN_TYPE_NONE;
    if (*type == SONDE_GEN_TYPE_NONE && instruction->source_count > 0)
        *type = (enum sonde_gen_type)instruction->src[0].type;
    return *type != SONDE_GEN_TYPE_NONE;
}

static bool is_float(const struct sonde_gen_instruction *instruction, bool wanted)
{
    enum sonde_gen_type type;
    if (!type_of(instruction, &type))
        return false;
    bool found =
        sonde_gen_type_is_float(type) ||
        (instruction->source_count > 0 && instruction->src[0].type != SONDE_GEN_TYPE_NONE &&
         sonde_gen_type_is_float((enum sonde_gen_type)instruction->src[0].type));
    return found == wanted;
}

static bool is_logic(enum sonde_gen_opcode opcode)
{
    switch (opcode) {
    case SONDE_GEN_NOT:
    case SONDE_GEN_AND:
    case SONDE_GEN_OR:
    case SONDE_GEN_XOR:
    case SONDE_GEN_SHR:
    case SONDE_GEN_SHL:
    case SONDE_GEN_ASR:
    case SONDE_GEN_ROR:
    case SONDE_GEN_ROL:
    case SONDE_GEN_BFREV:
    case SONDE_GEN_BFE:
    case SONDE_GEN_BFI1:
    case SONDE_GEN_BFI2:
    case SONDE_GEN_BFN:
    case SONDE_GEN_LZD:
    case SONDE_GEN_FBH:
    case SONDE_GEN_FBL:
    case SONDE_GEN_CBIT:
        return true;
    default:
        return false;
    }
}

static bool is_memory(const struct sonde_gen_instruction *instruction)
{
    struct sonde_gen_message message;
    return decode(instruction, &message) &&
           sonde_coder_payload_address_registers(instruction) != 0 &&
           message.address_model != SONDE_GEN_ADDRESS_SCRATCH;
}

static bool is_load(const struct sonde_gen_instruction *instruction)
{
    struct sonde_gen_message message;
    return decode(instruction, &message) &&
           (message.operation == SONDE_GEN_MESSAGE_READ ||
            message.operation == SONDE_GEN_MESSAGE_ATOMIC) &&
           message.address_model != SONDE_GEN_ADDRESS_SCRATCH && message.returns_data;
}

static bool is_message(const struct sonde_gen_instruction *instruction, uint32_t operations)
{
    struct sonde_gen_message message;
    return decode(instruction, &message) && (operations >> message.operation & 1) != 0;
}

static bool is_class(const struct sonde_gen_instruction *instruction, enum schema_class what)
{
    enum sonde_gen_opcode opcode = (enum sonde_gen_opcode)instruction->opcode;
    bool branches = sonde_gen_opcode_is_branch(opcode);
    switch (what) {
    case SCHEMA_CLASS_EVERY:
        return true;
    case SCHEMA_CLASS_MEMORY:
        return is_memory(instruction);
    case SCHEMA_CLASS_LOAD:
        return is_load(instruction);
    case SCHEMA_CLASS_ATOMIC:
        return is_message(instruction,
                          1u << SONDE_GEN_MESSAGE_ATOMIC | 1u << SONDE_GEN_MESSAGE_TYPED_ATOMIC);
    case SCHEMA_CLASS_BARRIER:
        return is_message(instruction, 1u << SONDE_GEN_MESSAGE_BARRIER);
    case SCHEMA_CLASS_SEND:
        return is_send(instruction);
    case SCHEMA_CLASS_MATH:
        return opcode == SONDE_GEN_MATH;
    case SCHEMA_CLASS_MATRIX:
        return sonde_gen_opcode_format(opcode) == SONDE_GEN_FORMAT_DPAS;
    case SCHEMA_CLASS_BRANCH:
        return branches;
    case SCHEMA_CLASS_MOVE:
        return opcode == SONDE_GEN_MOV || opcode == SONDE_GEN_MOVI || opcode == SONDE_GEN_SMOV ||
               opcode == SONDE_GEN_SEL;
    case SCHEMA_CLASS_LOGIC:
        return is_logic(opcode);
    case SCHEMA_CLASS_COMPARE:
        return opcode == SONDE_GEN_CMP || opcode == SONDE_GEN_CMPN || opcode == SONDE_GEN_CSEL;
    case SCHEMA_CLASS_FLOAT:
        return is_float(instruction, true);
    case SCHEMA_CLASS_INTEGER:
        return is_float(instruction, false);
    case SCHEMA_CLASS_PREDICATED:
        return instruction->predicate != SONDE_GEN_PREDICATE_NONE;
    case SCHEMA_CLASS_MASKED:
        return !instruction->no_mask && !branches;
    }
    return false;
}

static bool in_classes(const struct sonde_gen_instruction *instruction, uint32_t classes)
{
    for (; classes != 0; classes &= classes - 1)
        if (is_class(instruction, (enum schema_class)__builtin_ctz(classes)))
            return true;
    return false;
}

static bool in_spaces(const struct sonde_gen_instruction *instruction, uint32_t spaces)
{
    struct sonde_gen_message message;
    if (!decode(instruction, &message))
        return false;
    switch (message.address_model) {
    case SONDE_GEN_ADDRESS_NONE:
        return false;
    case SONDE_GEN_ADDRESS_SLM:
        return (spaces & 1u << SCHEMA_SPACE_LOCAL) != 0;
    case SONDE_GEN_ADDRESS_SCRATCH:
        return (spaces & 1u << SCHEMA_SPACE_SCRATCH) != 0;
    default:
        return (spaces & 1u << SCHEMA_SPACE_GLOBAL) != 0;
    }
}

static bool in_ranges(const struct schema_values *values, uint64_t number)
{
    for (size_t i = 0; i < values->count; i++) {
        struct schema_range range;
        if (schema_range_parse(values->items[i], &range) && number >= range.first &&
            number <= range.last)
            return true;
    }
    return false;
}

static bool has_opcode(const struct schema_values *values, enum sonde_gen_opcode opcode)
{
    for (size_t i = 0; i < values->count; i++)
        if (fnmatch(values->items[i], sonde_gen_opcode_mnemonic(opcode), 0) == 0)
            return true;
    return false;
}

/* A file is meant by its whole path or by the end of it. */
static bool is_file(const char *path, const char *wanted, size_t length)
{
    size_t size = path != NULL ? strlen(path) : 0;
    if (length == 0)
        return true;
    return size >= length && strncmp(path + size - length, wanted, length) == 0 &&
           (size == length || path[size - length - 1] == '/' || wanted[0] == '/');
}

static bool on_lines(const struct schema_values *values, const struct schema_kernel *kernel,
                     uint32_t offset)
{
    const char *file = NULL;
    uint32_t number = 0;
    if (kernel->lines.find == NULL ||
        !kernel->lines.find(kernel->lines.context, offset, &file, &number))
        return false;
    for (size_t i = 0; i < values->count; i++) {
        struct schema_line line;
        if (schema_line_parse(values->items[i], &line) && number >= line.lines.first &&
            number <= line.lines.last && is_file(file, values->items[i], line.file_length))
            return true;
    }
    return false;
}

bool schema_selects_instruction(const struct schema_probe *probe,
                                const struct schema_kernel *kernel, uint32_t index)
{
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(kernel->kernel, index);
    const struct schema_values *values = probe->values;
    const uint32_t *masks = probe->masks;
    return index >= kernel->first &&
           schema_selects_block(probe, kernel, sonde_kernel_block_of(kernel->kernel, index)) &&
           (masks[SCHEMA_CLASS] == 0 || in_classes(instruction, masks[SCHEMA_CLASS])) &&
           (masks[SCHEMA_MESSAGE] == 0 || is_message(instruction, masks[SCHEMA_MESSAGE])) &&
           (masks[SCHEMA_SPACE] == 0 || in_spaces(instruction, masks[SCHEMA_SPACE])) &&
           (values[SCHEMA_OPCODE].count == 0 ||
            has_opcode(&values[SCHEMA_OPCODE], (enum sonde_gen_opcode)instruction->opcode)) &&
           (values[SCHEMA_WIDTH].count == 0 ||
            in_ranges(&values[SCHEMA_WIDTH], instruction->exec_size)) &&
           (values[SCHEMA_OFFSET].count == 0 ||
            in_ranges(&values[SCHEMA_OFFSET], instruction->offset)) &&
           (values[SCHEMA_SOURCE].count == 0 ||
            on_lines(&values[SCHEMA_SOURCE], kernel, instruction->offset));
}
