#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA_SURFACES  MACHINE_PROFILE
#define DATA_BYTES     (DATA_SURFACES * MACHINE_SURFACE_BYTES)
#define MAXIMUM_BUCKET 32u

static const char *const mode_names[COMPARE_MODES] = {
    "blocks, compiler's free registers",
    "blocks, own liveness",
    "blocks, spills",
    "instructions, compiler's free registers",
    "instructions, own liveness",
    "instructions, spills",
    "flags and address registers",
    "edges",
    "entries and exits",
};

const char *compare_mode_name(enum compare_mode mode)
{
    return mode_names[mode];
}

struct run {
    struct machine *machine;
    struct compare_case *item;
    enum compare_mode mode;
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct sonde_rewritten rewritten;
    sonde_vreg address;
    uint32_t buckets, chunk;
    /* Executions of each instruction of the original, and its data. */
    uint64_t *expected;
    uint8_t *data;
    /* Instruction that counter i counts, SONDE_NO_INSTRUCTION for none. */
    uint32_t *counted;
    uint32_t counters;
};

static bool fail(const struct run *run, const char *what, const char *detail)
{
    fprintf(stderr, "%s, %s: %s: %s\n", run->item->info.name, mode_names[run->mode], what, detail);
    return false;
}

static void prepare(const struct run *run)
{
    memset(machine_surface(run->machine, 0), 0, MACHINE_SURFACES * MACHINE_SURFACE_BYTES);
    if (run->item->fill != NULL)
        run->item->fill(run->machine, run->item->context);
}

static bool make_kernel(struct run *run)
{
    struct sonde_error error = {.message = ""};
    struct sonde_kernel_info info = run->item->info;
    bool own = run->mode != COMPARE_BLOCKS_SPILL && run->mode != COMPARE_INSTRUCTIONS_SPILL &&
               run->mode != COMPARE_BLOCKS_FREE_LIST && run->mode != COMPARE_INSTRUCTIONS_FREE_LIST;
    if (run->mode != COMPARE_BLOCKS_FREE_LIST && run->mode != COMPARE_INSTRUCTIONS_FREE_LIST &&
        run->mode != COMPARE_STATE)
        info.has_free_ranges = false;
    if (sonde_kernel_create(&info, &run->kernel, &error) != SONDE_OK)
        return fail(run, "kernel", error.message);
    struct sonde_coder_options options = {.buffer_model = SONDE_BUFFER_SURFACE,
                                          .binding_table_index = MACHINE_PROFILE,
                                          .maximum_threads = 168,
                                          .use_own_liveness = own};
    if (sonde_instrument_create(run->kernel, &options, &run->instrument, &error) != SONDE_OK)
        return fail(run, "instrument", error.message);
    run->address = sonde_vreg_make_scratch(sonde_instrument_coder(run->instrument), SONDE_VREG_PTR);
    return true;
}

/* Executions of all blocks, from those that are to be counted. */
static bool check_completion(struct run *run)
{
    struct sonde_error error;
    size_t count = sonde_kernel_block_count(run->kernel);
    bool *counted = malloc(count * sizeof *counted);
    uint64_t *executions = calloc(count, sizeof *executions);
    bool good = counted != NULL && executions != NULL &&
                sonde_kernel_counted_blocks(run->kernel, counted, &error) == SONDE_OK;
    for (size_t b = 0; b < count && good; b++)
        executions[b] =
            counted[b] ? run->expected[sonde_kernel_block(run->kernel, b)->first] : UINT64_MAX;
    good = good && sonde_kernel_complete_counts(run->kernel, executions, &error) == SONDE_OK;
    for (size_t b = 0; b < count && good; b++) {
        uint64_t expected = run->expected[sonde_kernel_block(run->kernel, b)->first];
        char detail[120];
        if (executions[b] == expected)
            continue;
        snprintf(detail, sizeof detail, "block %zu ran %llu times, by the others' counts %llu", b,
                 (unsigned long long)expected, (unsigned long long)executions[b]);
        good = fail(run, "counts", detail);
    }
    free(counted);
    free(executions);
    return good;
}

static bool run_original(struct run *run)
{
    size_t count = sonde_kernel_instruction_count(run->kernel);
    prepare(run);
    if (!machine_run(run->machine, run->item->info.isa, run->item->info.isa_size, 0))
        return fail(run, "original", "did not run");
    run->expected = calloc(count, sizeof *run->expected);
    run->counted = calloc(count + sonde_kernel_edge_count(run->kernel), sizeof *run->counted);
    run->data = malloc(DATA_BYTES);
    if (run->expected == NULL || run->counted == NULL || run->data == NULL)
        return fail(run, "original", "out of memory");
    for (size_t i = 0; i < count; i++)
        run->expected[i] =
            machine_executions(run->machine, sonde_kernel_instruction(run->kernel, i)->offset);
    memcpy(run->data, machine_surface(run->machine, 0), DATA_BYTES);
    return check_completion(run);
}

static void choose_layout(struct run *run, size_t counters)
{
    run->chunk = 64;
    while (run->chunk < 4 * counters)
        run->chunk *= 2;
    run->buckets = MACHINE_SURFACE_BYTES / run->chunk;
    if (run->buckets > MAXIMUM_BUCKET)
        run->buckets = MAXIMUM_BUCKET;
}

/* A procedure that adds 1 to a new counter. */
static struct sonde_procedure *make_counter(struct run *run, uint32_t instruction)
{
    struct sonde_error error;
    struct sonde_coder *coder = sonde_instrument_coder(run->instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "counter");
    uint32_t counter = run->counters++;
    run->counted[counter] = instruction;
    if (sonde_coder_compute_thread_chunk_address(coder, procedure, run->address, run->buckets,
                                                 run->chunk, 0, counter * 4, NULL,
                                                 &error) != SONDE_OK ||
        sonde_coder_atomic_inc(coder, procedure, SONDE_GEN_TYPE_UD, run->address, NULL, &error) !=
            SONDE_OK)
        return NULL;
    return procedure;
}

static bool insert_blocks(struct run *run)
{
    struct sonde_error error;
    size_t count = sonde_kernel_block_count(run->kernel);
    choose_layout(run, count);
    for (uint32_t b = 0; b < count; b++) {
        const struct sonde_block *block = sonde_kernel_block(run->kernel, b);
        struct sonde_procedure *procedure = make_counter(run, block->first);
        if (sonde_instrument_block(run->instrument, b, SONDE_BEFORE, procedure, &error) != SONDE_OK)
            return fail(run, "block", error.message);
    }
    return true;
}

static bool insert_instructions(struct run *run)
{
    struct sonde_error error;
    size_t count = sonde_kernel_instruction_count(run->kernel);
    choose_layout(run, count);
    if (run->chunk > MACHINE_SURFACE_BYTES)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        /* Alternate the sides; both run once an execution. */
        enum sonde_where where = i % 3 == 0 ? SONDE_AFTER : SONDE_BEFORE;
        if (sonde_instrument_insertion_refusal(run->instrument, i, where) != NULL)
            where = SONDE_BEFORE;
        if (sonde_instrument_insertion_refusal(run->instrument, i, where) != NULL)
            continue;
        struct sonde_procedure *procedure = make_counter(run, i);
        if (sonde_instrument_instruction(run->instrument, i, where, procedure, &error) != SONDE_OK)
            return fail(run, "instruction", error.message);
    }
    return true;
}

static struct sonde_gen_instruction make_move(uint8_t arf, uint8_t exec_size, uint32_t value)
{
    struct sonde_gen_instruction move;
    sonde_gen_instruction_init(&move, SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_MOV, exec_size, true);
    move.source_count = 1;
    move.dst.file = SONDE_GEN_FILE_ARF;
    move.dst.number = arf;
    move.dst.type = SONDE_GEN_TYPE_UD;
    move.dst.hstride = 1;
    move.src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    move.src[0].type = SONDE_GEN_TYPE_UD;
    move.src[0].immediate = value;
    return move;
}

/* Probes that destroy f0, f1 and a0; bug log B30. */
static bool insert_state(struct run *run)
{
    struct sonde_error error = {.message = ""};
    struct sonde_coder *coder = sonde_instrument_coder(run->instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "destroy");
    for (unsigned n = 0; n < 3; n++) {
        struct sonde_gen_instruction move =
            n < 2 ? make_move((uint8_t)(SONDE_GEN_ARF_FLAG + n), 1, 0xa5a5a5a5)
                  : make_move(SONDE_GEN_ARF_ADDRESS, 8, 0x0fff0fff);
        if (sonde_coder_append_instruction(coder, procedure, &move, &error) != SONDE_OK)
            return fail(run, "append", error.message);
    }
    for (size_t i = 0; i < sonde_kernel_instruction_count(run->kernel); i++)
        if (sonde_instrument_insertion_refusal(run->instrument, i, SONDE_BEFORE) == NULL &&
            sonde_instrument_instruction(run->instrument, i, SONDE_BEFORE, procedure, &error) !=
                SONDE_OK)
            return fail(run, "instruction", error.message);
    return true;
}

static bool insert_edges(struct run *run)
{
    struct sonde_error error;
    choose_layout(run, sonde_kernel_edge_count(run->kernel));
    for (size_t e = 0; e < sonde_kernel_edge_count(run->kernel); e++) {
        struct sonde_procedure *procedure = make_counter(run, SONDE_NO_INSTRUCTION);
        enum sonde_status status = sonde_instrument_edge(run->instrument, e, procedure, &error);
        if (status != SONDE_OK && status != SONDE_ERROR_UNSUPPORTED)
            return fail(run, "edge", error.message);
        if (status != SONDE_OK)
            run->counted[e] = SONDE_NO_INSTRUCTION - 1; /* nothing inserted */
    }
    return true;
}

static bool insert_ends(struct run *run)
{
    struct sonde_error error;
    choose_layout(run, 2);
    struct sonde_procedure *entries = make_counter(run, SONDE_NO_INSTRUCTION);
    struct sonde_procedure *exits = make_counter(run, SONDE_NO_INSTRUCTION);
    if (sonde_instrument_entries(run->instrument, entries, &error) != SONDE_OK ||
        sonde_instrument_exits(run->instrument, exits, &error) != SONDE_OK)
        return fail(run, "ends", error.message);
    return true;
}

static uint64_t counter_value(const struct run *run, uint32_t counter)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < run->buckets; b++) {
        uint32_t value;
        memcpy(&value,
               machine_surface(run->machine, MACHINE_PROFILE) + b * run->chunk + 4 * counter,
               sizeof value);
        sum += value;
    }
    return sum;
}

/* All edges out of a jmpi or ordinary block carry counters, and so do those
 * of the blocks that jump nowhere else: their sum is the block's count. */
static bool check_edges(const struct run *run)
{
    for (size_t b = 0; b < sonde_kernel_block_count(run->kernel); b++) {
        const struct sonde_block *block = sonde_kernel_block(run->kernel, b);
        uint64_t sum = 0;
        bool complete = block->successor_count != 0;
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t edge = block->first_successor + i;
            complete &= run->counted[edge] == SONDE_NO_INSTRUCTION;
            sum += counter_value(run, edge);
        }
        uint64_t expected = run->expected[block->first + block->count - 1];
        if (complete && sum != expected) {
            char detail[120];
            snprintf(detail, sizeof detail, "block %zu: edges counted %llu, executed %llu", b,
                     (unsigned long long)sum, (unsigned long long)expected);
            return fail(run, "edges", detail);
        }
    }
    return true;
}

static bool check_counters(const struct run *run)
{
    for (uint32_t c = 0; c < run->counters; c++) {
        uint32_t i = run->counted[c];
        if (i >= SONDE_NO_INSTRUCTION - 1)
            continue;
        uint64_t counted = counter_value(run, c);
        if (counted == run->expected[i])
            continue;
        char detail[160];
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(run->kernel, i);
        snprintf(detail, sizeof detail, "%s at 0x%x: counted %llu, executed %llu",
                 sonde_gen_opcode_mnemonic(instruction->opcode), instruction->offset,
                 (unsigned long long)counted, (unsigned long long)run->expected[i]);
        return fail(run, "counter", detail);
    }
    uint64_t threads = run->machine->result.threads;
    if (run->mode == COMPARE_ENDS &&
        (counter_value(run, 0) != threads || counter_value(run, 1) != threads || threads == 0))
        return fail(run, "ends", "not once a thread");
    return run->mode == COMPARE_EDGES ? check_edges(run) : true;
}

static bool check_executions(const struct run *run)
{
    for (size_t i = 0; i < sonde_kernel_instruction_count(run->kernel); i++) {
        uint32_t offset = run->rewritten.instruction_offsets[i] - run->rewritten.instrumented_entry;
        uint64_t executed = machine_executions(run->machine, offset);
        if (executed == run->expected[i])
            continue;
        char detail[160];
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(run->kernel, i);
        snprintf(detail, sizeof detail, "%s at 0x%x (now 0x%x): executed %llu times, not %llu",
                 sonde_gen_opcode_mnemonic(instruction->opcode), instruction->offset, offset,
                 (unsigned long long)executed, (unsigned long long)run->expected[i]);
        return fail(run, "executions", detail);
    }
    return true;
}

static bool run_instrumented(struct run *run)
{
    struct sonde_error error = {.message = ""};
    enum sonde_status status = sonde_instrument_emit(run->instrument, &run->rewritten, &error);
    if (status == SONDE_ERROR_NO_REGISTER && run->item->may_lack_registers &&
        run->mode != COMPARE_BLOCKS_FREE_LIST && run->mode != COMPARE_INSTRUCTIONS_FREE_LIST &&
        run->mode != COMPARE_STATE) {
        run->item->lacking++;
        return true;
    }
    if (status != SONDE_OK)
        return fail(run, "emit", error.message);
    const struct sonde_rewritten *out = &run->rewritten;
    if (memcmp(out->code, run->item->info.isa, run->item->info.isa_size) != 0)
        return fail(run, "emit", "the original body changed");
    prepare(run);
    if (!machine_run(run->machine, out->code, out->size, out->instrumented_entry))
        return fail(run, "instrumented", "did not run");
    if (memcmp(run->data, machine_surface(run->machine, 0), DATA_BYTES) != 0)
        return fail(run, "data", "differ from the original's");
    run->item->inserted += out->inserted_instructions;
    run->item->spills += out->spills;
    return check_executions(run) && check_counters(run);
}

static bool insert_all(struct run *run)
{
    switch (run->mode) {
    case COMPARE_BLOCKS_FREE_LIST:
    case COMPARE_BLOCKS_LIVENESS:
    case COMPARE_BLOCKS_SPILL:
        return insert_blocks(run);
    case COMPARE_STATE:
        return insert_state(run);
    case COMPARE_EDGES:
        return insert_edges(run);
    case COMPARE_ENDS:
        return insert_ends(run);
    default:
        return insert_instructions(run);
    }
}

static void finish(struct run *run)
{
    if (run->kernel != NULL) {
        run->item->blocks = (uint32_t)sonde_kernel_block_count(run->kernel);
        run->item->instructions = (uint32_t)sonde_kernel_instruction_count(run->kernel);
    }
    sonde_rewritten_clear(&run->rewritten);
    sonde_instrument_destroy(run->instrument);
    sonde_kernel_destroy(run->kernel);
    free(run->expected);
    free(run->counted);
    free(run->data);
}

bool compare_emit(struct compare_case *item, enum compare_mode mode)
{
    struct run run = {.item = item, .mode = mode};
    struct sonde_error error = {.message = ""};
    bool good = make_kernel(&run);
    if (good) {
        size_t counters =
            sonde_kernel_instruction_count(run.kernel) + sonde_kernel_edge_count(run.kernel);
        run.counted = calloc(counters, sizeof *run.counted);
        good = run.counted != NULL && insert_all(&run);
    }
    enum sonde_status status = SONDE_OK;
    if (good)
        status = sonde_instrument_emit(run.instrument, &run.rewritten, &error);
    item->inserted += run.rewritten.inserted_instructions;
    item->spills += run.rewritten.spills;
    item->lacking += status == SONDE_ERROR_NO_REGISTER;
    if (status != SONDE_OK && status != SONDE_ERROR_NO_REGISTER)
        good = fail(&run, "emit", error.message);
    finish(&run);
    return good;
}

bool compare_run(struct machine *machine, struct compare_case *item, enum compare_mode mode)
{
    struct run run = {.machine = machine, .item = item, .mode = mode};
    bool good =
        make_kernel(&run) && run_original(&run) && insert_all(&run) && run_instrumented(&run);
    finish(&run);
    return good;
}
