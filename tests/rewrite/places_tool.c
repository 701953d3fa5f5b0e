/* A tool for run_places.py: puts code at every place that the interface has, and
 * checks when a dispatch ends that it ran as often as it should. With counts of
 * another tool that are compared with the emulator's, all of them are right.
 *
 * - before and after every instruction where that is possible, at the start and
 *   the end of every block: as often as the block's other code
 * - on every edge where that is possible: together as often as the block
 * - entries and exits: once a thread
 * - three passes at one place, asked for in another order than they run in
 * - with REPLACE set, one instruction of every block removed, and a copy inserted
 *   for it: `sonde verify` would miss it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonde/tool.h"

#define NONE UINT32_MAX

struct state {
    struct sonde_profile_array array;
    uint32_t instructions, blocks, edges;
    uint32_t removed;
    bool *has_before, *has_after, *has_edge; /* counters that were inserted */
    uint32_t storage[];
};

/* Records: instructions before and after, blocks before and after, edges,
 * entries, exits, order. */
enum slot { BEFORE, AFTER, BLOCK_START, BLOCK_END, EDGE, ENTRIES, EXITS, ORDER };

static uint32_t record_of(const struct state *s, enum slot slot, uint32_t index)
{
    uint32_t blocks = 2 * s->instructions, edges = blocks + 2 * s->blocks;
    switch (slot) {
    case BEFORE:
        return index;
    case AFTER:
        return s->instructions + index;
    case BLOCK_START:
        return blocks + index;
    case BLOCK_END:
        return blocks + s->blocks + index;
    case EDGE:
        return edges + index;
    default:
        return edges + s->edges + (uint32_t)(slot - ENTRIES);
    }
}

struct builder {
    struct sonde_instrument *instrument;
    struct sonde_coder *coder;
    struct sonde_kernel *kernel;
    struct state *state;
    struct sonde_error *error;
};

static struct sonde_procedure *add(const struct builder *b, enum slot slot, uint32_t index,
                                   struct sonde_operand value)
{
    struct sonde_procedure *procedure = sonde_procedure_create(b->coder, "count");
    sonde_vreg address = sonde_vreg_make_msg_addr_scratch(b->coder);
    uint32_t record = record_of(b->state, slot, index);
    if (sonde_profile_array_compute_address(&b->state->array, b->coder, procedure, address,
                                            sonde_operand_immediate(record), 0,
                                            b->error) != SONDE_OK ||
        sonde_coder_atomic_add(b->coder, procedure, SONDE_GEN_TYPE_UD, address, value, NULL,
                               b->error) != SONDE_OK)
        return NULL;
    return procedure;
}

static struct sonde_procedure *count(const struct builder *b, enum slot slot, uint32_t index)
{
    return add(b, slot, index, sonde_operand_immediate(1));
}

static enum sonde_status at_instructions(const struct builder *b)
{
    enum sonde_status status = SONDE_OK;
    for (uint32_t i = 0; i < b->state->instructions && status == SONDE_OK; i++) {
        b->state->has_before[i] =
            sonde_instrument_insertion_refusal(b->instrument, i, SONDE_BEFORE) == NULL;
        b->state->has_after[i] =
            sonde_instrument_insertion_refusal(b->instrument, i, SONDE_AFTER) == NULL;
        if (b->state->has_before[i])
            status = sonde_instrument_instruction(b->instrument, i, SONDE_BEFORE,
                                                  count(b, BEFORE, i), b->error);
        if (status == SONDE_OK && b->state->has_after[i])
            status = sonde_instrument_instruction(b->instrument, i, SONDE_AFTER, count(b, AFTER, i),
                                                  b->error);
    }
    return status;
}

static enum sonde_status at_blocks(const struct builder *b)
{
    enum sonde_status status = SONDE_OK;
    for (uint32_t i = 0; i < b->state->blocks && status == SONDE_OK; i++) {
        status = sonde_instrument_block(b->instrument, i, SONDE_BEFORE, count(b, BLOCK_START, i),
                                        b->error);
        if (status == SONDE_OK)
            status = sonde_instrument_block(b->instrument, i, SONDE_AFTER, count(b, BLOCK_END, i),
                                            b->error);
    }
    for (uint32_t e = 0; e < b->state->edges && status == SONDE_OK; e++) {
        status = sonde_instrument_edge(b->instrument, e, count(b, EDGE, e), b->error);
        b->state->has_edge[e] = status == SONDE_OK;
        status = status == SONDE_ERROR_UNSUPPORTED ? SONDE_OK : status;
    }
    return status;
}

/* value = value * 10 + digit */
static enum sonde_status append_digit(const struct builder *b, const char *pass, uint32_t digit,
                                      sonde_vreg value)
{
    struct sonde_procedure *procedure = sonde_procedure_create(b->coder, pass);
    struct sonde_operand at = sonde_operand_vreg(value);
    enum sonde_status status = sonde_instrument_pass(b->instrument, pass, b->error);
    if (status == SONDE_OK)
        status = sonde_coder_operation(b->coder, procedure, SONDE_MUL, SONDE_GEN_TYPE_UD, at, at,
                                       sonde_operand_immediate(10), NULL, b->error);
    if (status == SONDE_OK)
        status = sonde_coder_operation(b->coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD, at, at,
                                       sonde_operand_immediate(digit), NULL, b->error);
    if (status == SONDE_OK)
        status = sonde_instrument_entries(b->instrument, procedure, b->error);
    return status;
}

static enum sonde_status in_order(const struct builder *b)
{
    sonde_vreg value = sonde_vreg_make_counter(b->coder, SONDE_VREG_DWORD);
    struct sonde_procedure *store = add(b, ORDER, 0, sonde_operand_vreg(value));
    enum sonde_status status = append_digit(b, "third", 3, value);
    if (status == SONDE_OK)
        status = append_digit(b, "first", 1, value);
    if (status == SONDE_OK)
        status = append_digit(b, "second", 2, value);
    if (status == SONDE_OK)
        status = sonde_instrument_order(b->instrument, "second", "third", b->error);
    if (status == SONDE_OK)
        status = sonde_instrument_order(b->instrument, "first", "second", b->error);
    struct sonde_error refusal = {.message = ""};
    if (status == SONDE_OK && (sonde_instrument_order(b->instrument, "third", "first", &refusal) !=
                                   SONDE_ERROR_ARGUMENT ||
                               strstr(refusal.message, "third") == NULL))
        status = sonde_error_set(b->error, SONDE_ERROR_ARGUMENT, 0, "a contradiction was accepted");
    if (status == SONDE_OK)
        status = sonde_instrument_pass(b->instrument, "places", b->error);
    return status == SONDE_OK ? sonde_instrument_exits(b->instrument, store, b->error) : status;
}

static bool is_plain(const struct sonde_gen_operand *operand)
{
    return (operand->file == SONDE_GEN_FILE_GRF && !operand->indirect) ||
           operand->file == SONDE_GEN_FILE_IMMEDIATE;
}

/* Arithmetic over registers, which means the same wherever it stands. */
static bool can_move(const struct builder *b, uint32_t index)
{
    const struct sonde_gen_instruction *i = sonde_kernel_instruction(b->kernel, index);
    if (i->opcode != SONDE_GEN_MOV && i->opcode != SONDE_GEN_ADD && i->opcode != SONDE_GEN_AND &&
        i->opcode != SONDE_GEN_SHL && i->opcode != SONDE_GEN_SHR)
        return false;
    return b->state->has_before[index] && b->state->has_after[index] &&
           i->dst.file == SONDE_GEN_FILE_GRF && is_plain(&i->dst) && is_plain(&i->src[0]) &&
           (i->source_count < 2 || is_plain(&i->src[1])) && i->condition == 0 &&
           !i->accumulator_write && i->thread_control == 0;
}

static enum sonde_status replace_some(const struct builder *b)
{
    enum sonde_status status = SONDE_OK;
    for (uint32_t n = 0; n < b->state->blocks && status == SONDE_OK; n++) {
        const struct sonde_block *block = sonde_kernel_block(b->kernel, n);
        uint32_t i = block->first, end = block->first + block->count;
        while (i < end && !can_move(b, i))
            i++;
        if (i == end || !block->is_reachable)
            continue;
        struct sonde_procedure *copy = sonde_procedure_create(b->coder, "copy");
        status = sonde_coder_append_instruction(b->coder, copy,
                                                sonde_kernel_instruction(b->kernel, i), b->error);
        if (status == SONDE_OK)
            status = sonde_instrument_instruction(b->instrument, i, SONDE_BEFORE, copy, b->error);
        if (status == SONDE_OK)
            status = sonde_instrument_remove(b->instrument, i, b->error);
        b->state->removed++;
    }
    return status;
}

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct builder b = {.instrument = sonde_tool_build_instrument(build), .error = error};
    b.kernel = sonde_instrument_kernel(b.instrument);
    b.coder = sonde_instrument_coder(b.instrument);
    uint32_t instructions = (uint32_t)sonde_kernel_instruction_count(b.kernel);
    uint32_t edges = (uint32_t)sonde_kernel_edge_count(b.kernel);
    b.state = calloc(1, sizeof *b.state + 2 * instructions + edges);
    if (b.state == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    sonde_tool_build_set_state(build, b.state);
    b.state->instructions = instructions;
    b.state->blocks = (uint32_t)sonde_kernel_block_count(b.kernel);
    b.state->edges = edges;
    b.state->has_before = (bool *)b.state->storage;
    b.state->has_after = b.state->has_before + instructions;
    b.state->has_edge = b.state->has_after + instructions;
    enum sonde_status status = sonde_tool_build_allocate(build, 4, record_of(b.state, ORDER, 0) + 1,
                                                         &b.state->array, error);
    if (status == SONDE_OK)
        status = at_instructions(&b);
    if (status == SONDE_OK)
        status = at_blocks(&b);
    if (status == SONDE_OK)
        status = sonde_instrument_entries(b.instrument, count(&b, ENTRIES, 0), error);
    if (status == SONDE_OK)
        status = sonde_instrument_exits(b.instrument, count(&b, EXITS, 0), error);
    if (status == SONDE_OK)
        status = in_order(&b);
    return status == SONDE_OK && getenv("REPLACE") != NULL ? replace_some(&b) : status;
}

struct checker {
    const struct sonde_kernel *kernel;
    const struct state *state;
    const uint8_t *buffer;
    size_t size;
    unsigned checks;
    char problem[200];
};

static uint64_t value_of(const struct checker *c, enum slot slot, uint32_t index)
{
    return sonde_profile_array_sum(&c->state->array, c->buffer, c->size,
                                   record_of(c->state, slot, index), 0);
}

static void expect(struct checker *c, const char *what, uint32_t index, uint64_t got, uint64_t want)
{
    c->checks++;
    if (got != want && c->problem[0] == '\0')
        snprintf(c->problem, sizeof c->problem, "%s %u ran %llu times, not %llu", what, index,
                 (unsigned long long)got, (unsigned long long)want);
}

static void check_block(struct checker *c, uint32_t n)
{
    const struct sonde_block *block = sonde_kernel_block(c->kernel, n);
    uint64_t visits = value_of(c, BLOCK_START, n), taken = 0;
    expect(c, "the end of block", n, value_of(c, BLOCK_END, n), visits);
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        if (c->state->has_before[i])
            expect(c, "before instruction", i, value_of(c, BEFORE, i), visits);
        if (c->state->has_after[i])
            expect(c, "after instruction", i, value_of(c, AFTER, i), visits);
    }
    bool all = block->successor_count != 0;
    for (uint32_t s = 0; s < block->successor_count; s++) {
        all &= c->state->has_edge[block->first_successor + s];
        taken += value_of(c, EDGE, block->first_successor + s);
    }
    if (all)
        expect(c, "the edges of block", n, taken, visits);
}

static enum sonde_status complete(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    struct checker c = {.kernel = sonde_tool_dispatch_kernel(dispatch),
                        .state = sonde_tool_dispatch_state(dispatch)};
    c.buffer = sonde_tool_dispatch_buffer(dispatch, &c.size);
    uint64_t threads = value_of(&c, ENTRIES, 0);
    expect(&c, "exits", 0, value_of(&c, EXITS, 0), threads);
    expect(&c, "passes", 0, value_of(&c, ORDER, 0), threads * 123);
    for (uint32_t n = 0; n < c.state->blocks; n++)
        check_block(&c, n);
    char text[300];
    if (c.problem[0] != '\0' || threads == 0)
        snprintf(text, sizeof text, "places: %s", threads == 0 ? "no thread" : c.problem);
    else
        snprintf(text, sizeof text, "places: %u counts agree, %llu threads, %u replaced", c.checks,
                 (unsigned long long)threads, c.state->removed);
    return sonde_trace_write_message(sonde_tool_dispatch_trace(dispatch), text, error);
}

SONDE_API const struct sonde_tool *sonde_tool_entry(void);
const struct sonde_tool *sonde_tool_entry(void)
{
    static const struct sonde_tool tool = {.struct_size = sizeof tool,
                                           .api_version = SONDE_TOOL_API_VERSION,
                                           .name = "places",
                                           .summary = "code at every place",
                                           .on_kernel_build = build,
                                           .on_dispatch_complete = complete};
    return &tool;
}
