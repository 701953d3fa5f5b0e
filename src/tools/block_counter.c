#include <stdlib.h>

#include "tools/builtin.h"

/* Kept for a kernel: its counters, and which one each block has. */
struct block_counter {
    struct sonde_profile_array array;
    uint32_t blocks;
    uint32_t record[]; /* NO_RECORD: told by the others' */
};
#define NO_RECORD UINT32_MAX

/* Registers left to other inserted code: by counters that fill registers, and by
 * those in what is left of some. */
#define SPARE_REGISTERS 4u
#define SPARE_STARTS    1u
/* Dwords of one register of counters. */
#define GROUP 16u
/* So many blocks outside loops cost less when each adds to memory itself. */
#define FEW 4u

/* While a kernel is built: its blocks with counters, the most frequent first.
 * Those of the first `grouped` records stand 16 in a virtual register, up to
 * `held` one in each. */
struct counting {
    struct sonde_instrument *instrument;
    struct sonde_coder *coder;
    const struct sonde_kernel *kernel;
    const struct sonde_profile_array *array;
    uint32_t *order; /* record i counts block order[i] */
    uint32_t *depth; /* of loops around a block */
    uint32_t count;
    sonde_vreg *registers; /* record: what its counter stands in; unlike others only if single */
    uint32_t grouped, held;
    bool adds; /* memory is a surface, to whose buckets can be added at once */
};

static enum sonde_status out_of_memory(struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

static struct sonde_operand counter_of(const struct counting *c, uint32_t record)
{
    bool single = record >= c->grouped;
    return sonde_operand_vreg_at(c->registers[record], single ? 0 : record % GROUP * 4);
}

static enum sonde_status add_one(const struct counting *c, struct sonde_procedure *procedure,
                                 struct sonde_operand counter, struct sonde_error *error)
{
    return sonde_coder_operation(c->coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD, counter,
                                 counter, sonde_operand_immediate(1), NULL, error);
}

/* A register for the next `count` records, if the kernel has one. */
static enum sonde_status take(struct counting *c, enum sonde_vreg_type type, uint32_t count,
                              uint32_t spare, bool *taken, struct sonde_error *error)
{
    struct sonde_procedure *procedure = sonde_procedure_create(c->coder, "hold counters");
    sonde_vreg made = sonde_vreg_make_counter(c->coder, type);
    if (procedure == NULL || made == 0)
        return out_of_memory(error);
    enum sonde_status status = add_one(c, procedure, sonde_operand_vreg(made), error);
    *taken = status == SONDE_OK &&
             sonde_coder_reserve_sparing(c->coder, procedure, spare, NULL) == SONDE_OK;
    for (uint32_t i = 0; i < count && *taken; i++)
        c->registers[c->held++] = made;
    return status;
}

static enum sonde_status hold_groups(struct counting *c, struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    for (bool taken = true; taken && c->held < c->count && c->held % GROUP == 0;) {
        uint32_t rest = c->count - c->held;
        taken = false;
        if (rest > 8)
            status = take(c, SONDE_VREG_DHWORD, rest < GROUP ? rest : GROUP, SPARE_REGISTERS,
                          &taken, error);
        if (status == SONDE_OK && !taken)
            status = take(c, SONDE_VREG_HWORD, rest < 8 ? rest : 8, SPARE_REGISTERS, &taken, error);
        if (status != SONDE_OK)
            return status;
    }
    c->grouped = c->held;
    return status;
}

/* These take one more instruction at each exit. */
static enum sonde_status hold_singles(struct counting *c, struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    for (bool taken = true; taken && c->held < c->count && c->depth[c->order[c->held]] != 0;) {
        status = take(c, SONDE_VREG_DWORD, 1, SPARE_STARTS, &taken, error);
        if (status != SONDE_OK)
            return status;
    }
    return status;
}

static bool every_exit_ends(const struct sonde_kernel *kernel)
{
    for (size_t b = 0; b < sonde_kernel_block_count(kernel); b++) {
        const struct sonde_block *block = sonde_kernel_block(kernel, b);
        if (block->is_eot &&
            sonde_kernel_instruction(kernel, block->first)->predicate != SONDE_GEN_PREDICATE_NONE)
            return false;
    }
    return true;
}

static bool is_short(const struct counting *c)
{
    return c->count <= FEW && (c->count == 0 || c->depth[c->order[0]] == 0);
}

static enum sonde_status count_block(const struct counting *c, uint32_t record,
                                     struct sonde_error *error)
{
    const struct sonde_profile_array *array = c->array;
    struct sonde_procedure *procedure = sonde_procedure_create(c->coder, "count block");
    sonde_vreg address = sonde_vreg_make_scratch(c->coder, SONDE_VREG_PTR);
    enum sonde_status status = SONDE_OK;
    uint32_t at = record * array->record_size;
    if (procedure == NULL || address == 0)
        return out_of_memory(error);
    if (record < c->held) {
        status = add_one(c, procedure, counter_of(c, record), error);
    } else if (c->adds && is_short(c)) {
        status = sonde_coder_add_to_buckets(c->coder, procedure, NULL, 1, array->buckets,
                                            array->chunk_size, array->base + at, NULL, error);
    } else {
        status = sonde_coder_compute_thread_chunk_address(c->coder, procedure, address,
                                                          array->buckets, array->chunk_size,
                                                          array->base, at, NULL, error);
        if (status == SONDE_OK)
            status = sonde_coder_atomic_inc(c->coder, procedure, SONDE_GEN_TYPE_UD, address, NULL,
                                            error);
    }
    if (status == SONDE_OK)
        status =
            sonde_instrument_block(c->instrument, c->order[record], SONDE_BEFORE, procedure, error);
    return status;
}

/* Append: memory += the values of `count` counters from record `first` on. */
static enum sonde_status add_records(const struct counting *c, struct sonde_procedure *procedure,
                                     const sonde_vreg *values, uint32_t first, uint32_t count,
                                     struct sonde_error *error)
{
    const struct sonde_profile_array *array = c->array;
    return sonde_coder_add_to_buckets(c->coder, procedure, values, count, array->buckets,
                                      array->chunk_size, array->base + first * array->record_size,
                                      NULL, error);
}

static enum sonde_status add_groups(const struct counting *c, struct sonde_procedure *procedure,
                                    struct sonde_error *error)
{
    sonde_vreg *values = calloc(c->grouped / GROUP + 1, sizeof *values);
    if (values == NULL)
        return out_of_memory(error);
    for (uint32_t record = 0; record < c->grouped; record += GROUP)
        values[record / GROUP] = c->registers[record];
    enum sonde_status status = add_records(c, procedure, values, 0, c->grouped, error);
    free(values);
    return status;
}

/* Those that stand alone are brought together first. */
static enum sonde_status add_singles(const struct counting *c, struct sonde_procedure *procedure,
                                     struct sonde_error *error)
{
    sonde_vreg together = sonde_vreg_make_msg_data_scratch(c->coder, SONDE_VREG_DHWORD);
    enum sonde_status status = together != 0 ? SONDE_OK : out_of_memory(error);
    for (uint32_t first = c->grouped; first < c->held && status == SONDE_OK; first += GROUP) {
        uint32_t count = c->held - first < GROUP ? c->held - first : GROUP;
        for (uint32_t i = 0; i < count && status == SONDE_OK; i++) {
            struct sonde_operand counter = counter_of(c, first + i);
            status = sonde_coder_operation(c->coder, procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                           sonde_operand_vreg_at(together, 4 * i), counter, counter,
                                           NULL, error);
        }
        if (status == SONDE_OK)
            status = add_records(c, procedure, &together, first, count, error);
    }
    return status;
}

static enum sonde_status add_held(const struct counting *c, struct sonde_error *error)
{
    struct sonde_procedure *procedure = sonde_procedure_create(c->coder, "add up blocks");
    if (procedure == NULL)
        return out_of_memory(error);
    enum sonde_status status = SONDE_OK;
    if (c->grouped != 0)
        status = add_groups(c, procedure, error);
    if (status == SONDE_OK && c->held > c->grouped)
        status = add_singles(c, procedure, error);
    return status == SONDE_OK ? sonde_instrument_exits(c->instrument, procedure, error) : status;
}

/* Counted blocks, those in the most loops first. */
static enum sonde_status choose_blocks(struct counting *c, struct sonde_error *error)
{
    size_t blocks = sonde_kernel_block_count(c->kernel);
    bool *counted = malloc(blocks * sizeof *counted);
    if (counted == NULL)
        return out_of_memory(error);
    enum sonde_status status = sonde_kernel_counted_blocks(c->kernel, counted, error);
    sonde_kernel_loop_depths(c->kernel, c->depth);
    uint32_t deepest = 0;
    for (size_t b = 0; b < blocks; b++)
        deepest = c->depth[b] > deepest ? c->depth[b] : deepest;
    for (uint32_t depth = deepest + 1; depth-- > 0 && status == SONDE_OK;)
        for (uint32_t b = 0; b < blocks; b++)
            if (counted[b] && c->depth[b] == depth)
                c->order[c->count++] = b;
    free(counted);
    return status;
}

static enum sonde_status count_blocks(struct counting *c, struct sonde_tool_build *build,
                                      struct block_counter *counter, struct sonde_error *error)
{
    enum sonde_status status = choose_blocks(c, error);
    if (status == SONDE_OK)
        status = sonde_tool_build_allocate(build, sizeof(uint32_t), c->count != 0 ? c->count : 1,
                                           &counter->array, error);
    for (uint32_t b = 0; b < counter->blocks; b++)
        counter->record[b] = NO_RECORD;
    for (uint32_t r = 0; r < c->count; r++)
        counter->record[c->order[r]] = r;
    bool holds = c->adds && every_exit_ends(c->kernel) && !is_short(c);
    if (status == SONDE_OK && holds)
        status = hold_groups(c, error);
    if (status == SONDE_OK && holds)
        status = hold_singles(c, error);
    for (uint32_t r = 0; r < c->count && status == SONDE_OK; r++)
        status = count_block(c, r, error);
    if (status == SONDE_OK && c->held != 0)
        status = add_held(c, error);
    return status;
}

enum sonde_status tools_count_blocks(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    const struct sonde_kernel *kernel = sonde_instrument_kernel(instrument);
    size_t blocks = sonde_kernel_block_count(kernel);
    struct block_counter *counter = malloc(sizeof *counter + blocks * sizeof *counter->record);
    if (counter == NULL)
        return out_of_memory(error);
    sonde_tool_build_set_state(build, counter);
    counter->blocks = (uint32_t)blocks;
    struct counting c = {.instrument = instrument,
                         .coder = sonde_instrument_coder(instrument),
                         .kernel = kernel,
                         .array = &counter->array,
                         .order = malloc(blocks * sizeof *c.order),
                         .depth = malloc(blocks * sizeof *c.depth),
                         .registers = calloc(blocks, sizeof *c.registers)};
    c.adds = sonde_coder_profile_buffer_addr_model(c.coder) == SONDE_BUFFER_SURFACE;
    enum sonde_status status = c.order != NULL && c.depth != NULL && c.registers != NULL
                                   ? count_blocks(&c, build, counter, error)
                                   : out_of_memory(error);
    free(c.order);
    free(c.depth);
    free(c.registers);
    return status;
}

enum sonde_status tools_record_blocks(struct sonde_tool_dispatch *dispatch, const char *tool,
                                      struct sonde_error *error)
{
    const struct block_counter *counter = sonde_tool_dispatch_state(dispatch);
    size_t size;
    const uint8_t *buffer = sonde_tool_dispatch_buffer(dispatch, &size);
    uint64_t *counts = malloc(counter->blocks * sizeof *counts);
    if (counts == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (uint32_t block = 0; block < counter->blocks; block++)
        counts[block] =
            counter->record[block] == NO_RECORD
                ? 0
                : sonde_profile_array_sum(&counter->array, buffer, size, counter->record[block], 0);
    enum sonde_status status =
        sonde_kernel_complete_counts(sonde_tool_dispatch_kernel(dispatch), counts, error);
    struct sonde_trace_block_counts record = {
        .dispatch = sonde_tool_dispatch_id(dispatch),
        .kernel = sonde_tool_dispatch_kernel_id(dispatch),
        .tool = tool,
        .counts = counts,
        .count = counter->blocks,
    };
    if (status == SONDE_OK)
        status =
            sonde_trace_write_block_counts(sonde_tool_dispatch_trace(dispatch), &record, error);
    free(counts);
    return status;
}
