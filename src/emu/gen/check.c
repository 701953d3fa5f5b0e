/* The scoreboard rules: in-order pipes complete in order, `@n` waits for the
 * n-th instruction back in a pipe and all before it; messages and extended math
 * complete in any order and are waited for by token, their result by `.dst`.
 * Payloads are read in the order of the messages, so that a message waited for
 * by `.src` or `.dst` vouches for those before it. A taken jump outlasts the
 * in-order pipes. After enough instructions of a pipe an older one is
 * done without waiting (the compiler counts on that too). Only general
 * registers are followed. */
#include "emu/gen/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/gen/semantics.h"

#define TOKENS        32u
#define SAFE_DISTANCE 11u
#define WORDS         (EMU_GRF_BYTES / 64)

enum pipe { PIPE_FLOAT, PIPE_INTEGER, PIPE_LONG, PIPE_COUNT, PIPE_OUT_OF_ORDER = PIPE_COUNT };

struct facts {
    bool filled;
    bool counts; /* in the distances of its pipe */
    bool unknown_reads, unknown_writes;
    uint8_t pipe;
    uint32_t all_written, all_read; /* tokens that a sync waits for */
    struct sonde_gen_scoreboard wait;
    uint64_t reads[WORDS], writes[WORDS];
};

struct emu_check_facts {
    struct facts **items; /* by index of the operation */
    uint32_t count;
};

/* Who wrote or reads a byte last. */
struct use {
    const struct emu_operation *operation; /* NULL: nobody that matters */
    uint32_t number; /* in its pipe; out of order: use of its token, or of the message */
    uint8_t pipe, token;
};

struct emu_check {
    uint64_t defined[EMU_GRF_COUNT / 64];
    uint32_t issued[PIPE_COUNT], complete[PIPE_COUNT];
    const struct emu_operation *last; /* to issue */
    uint32_t written[TOKENS];         /* times a token's result was waited for */
    /* Messages by number: the last with a token, the last at all, and up to which
     * the payloads have been read for certain. */
    uint32_t message[TOKENS], messages, read;
    struct use writer[EMU_GRF_BYTES], reader[EMU_GRF_BYTES];
};

struct emu_check_facts *emu_check_facts_create(void)
{
    return calloc(1, sizeof(struct emu_check_facts));
}

void emu_check_facts_destroy(struct emu_check_facts *facts)
{
    if (!facts)
        return;
    for (uint32_t i = 0; i < facts->count; i++)
        free(facts->items[i]);
    free(facts->items);
    free(facts);
}

struct emu_check *emu_check_create(uint32_t threads)
{
    return calloc(threads, sizeof(struct emu_check));
}

void emu_check_destroy(struct emu_check *checks)
{
    free(checks);
}

void emu_check_start(struct emu_check *checks, struct emu_thread *thread, uint32_t registers)
{
    struct emu_check *check = &checks[thread->index];
    size_t used = thread->register_bytes * sizeof(struct use);
    memset(check, 0, offsetof(struct emu_check, writer));
    memset(check->writer, 0, used);
    memset(check->reader, 0, used);
    for (uint32_t i = 0; i < registers && i < EMU_GRF_COUNT; i++)
        check->defined[i / 64] |= UINT64_C(1) << i % 64;
    thread->check = check;
}

static bool is_long(const struct sonde_gen_instruction *instruction)
{
    bool wide = sonde_gen_type_size((enum sonde_gen_type)instruction->dst.type) == 8;
    for (unsigned i = 0; i < instruction->source_count && i < 3; i++)
        wide = wide || sonde_gen_type_size((enum sonde_gen_type)instruction->src[i].type) == 8;
    return wide;
}

/* Gen12LP has one in-order pipe for everything. Distances count branches. */
static void classify(const struct sonde_gen_instruction *instruction, struct facts *facts)
{
    enum sonde_gen_format format =
        sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode);
    if (format == SONDE_GEN_FORMAT_SEND || format == SONDE_GEN_FORMAT_DPAS ||
        format == SONDE_GEN_FORMAT_MATH) {
        facts->pipe = PIPE_OUT_OF_ORDER;
        return;
    }
    bool branches = format == SONDE_GEN_FORMAT_BRANCH;
    facts->counts = branches || format == SONDE_GEN_FORMAT_UNARY ||
                    format == SONDE_GEN_FORMAT_BINARY || format == SONDE_GEN_FORMAT_TERNARY;
    if (instruction->platform == SONDE_GEN_PLATFORM_XE)
        facts->pipe = PIPE_FLOAT;
    else if (branches)
        facts->pipe = PIPE_INTEGER;
    else if (is_long(instruction))
        facts->pipe = PIPE_LONG;
    else
        facts->pipe = sonde_gen_type_is_float((enum sonde_gen_type)instruction->dst.type)
                          ? PIPE_FLOAT
                          : PIPE_INTEGER;
}

/* sync.allrd and sync.allwr wait for the tokens of a mask, or for all. */
static void sync_tokens(const struct sonde_gen_instruction *instruction, struct facts *facts)
{
    uint32_t tokens = UINT32_MAX;
    if (instruction->opcode != SONDE_GEN_SYNC)
        return;
    if (instruction->source_count && instruction->src[0].file == SONDE_GEN_FILE_IMMEDIATE)
        tokens = (uint32_t)instruction->src[0].immediate;
    if (instruction->sync == SONDE_GEN_SYNC_ALLWR)
        facts->all_written = facts->all_read = tokens;
    else if (instruction->sync == SONDE_GEN_SYNC_ALLRD)
        facts->all_read = tokens;
}

/* From the bytes: the translator has types of its own in its copy. */
static void fill(const struct emu_details *details, struct facts *facts)
{
    struct sonde_gen_effects effects;
    struct sonde_gen_instruction found;
    const struct sonde_gen_instruction *instruction = &details->instruction;
    if (sonde_gen_decode((enum sonde_gen_platform)instruction->platform, details->bytes,
                         details->mapped, 0, &found, NULL) == SONDE_OK)
        instruction = &found;
    sonde_gen_instruction_effects(instruction, &effects);
    facts->filled = true;
    facts->unknown_reads = effects.reads.grf_unknown;
    facts->unknown_writes = effects.writes.grf_unknown;
    memcpy(facts->reads, effects.reads.grf, sizeof(facts->reads));
    memcpy(facts->writes, effects.writes.grf, sizeof(facts->writes));
    classify(instruction, facts);
    sync_tokens(instruction, facts);
    sonde_gen_scoreboard_decode(instruction, &facts->wait);
}

static const struct facts *facts_of(struct emu_worker *worker,
                                    const struct emu_operation *operation)
{
    struct emu_check_facts *all = worker->check_facts;
    uint32_t index = operation->index;
    if (index >= all->count) {
        uint32_t count = index + 256;
        struct facts **items = realloc(all->items, count * sizeof(struct facts *));
        if (!items)
            return NULL;
        memset(items + all->count, 0, (count - all->count) * sizeof(struct facts *));
        all->items = items;
        all->count = count;
    }
    if (!all->items[index] && (all->items[index] = calloc(1, sizeof(struct facts))) != NULL)
        fill(operation->details, all->items[index]);
    return all->items[index];
}

static void wait_for_pipe(struct emu_check *check, unsigned pipe, uint32_t distance)
{
    uint32_t done = check->issued[pipe] >= distance ? check->issued[pipe] - distance + 1 : 0;
    if (done > check->complete[pipe])
        check->complete[pipe] = done;
}

static void wait_for_distance(struct emu_check *check, const struct facts *facts,
                              const struct sonde_gen_instruction *instruction)
{
    static const uint8_t named[] = {[SONDE_GEN_PIPE_FLOAT] = PIPE_FLOAT,
                                    [SONDE_GEN_PIPE_INTEGER] = PIPE_INTEGER,
                                    [SONDE_GEN_PIPE_LONG] = PIPE_LONG};
    uint8_t pipe = facts->wait.pipe;
    if (pipe == SONDE_GEN_PIPE_FLOAT || pipe == SONDE_GEN_PIPE_INTEGER ||
        pipe == SONDE_GEN_PIPE_LONG) {
        wait_for_pipe(check, named[pipe], facts->wait.distance);
        return;
    }
    bool own = pipe == SONDE_GEN_PIPE_INFERRED && facts->pipe != PIPE_OUT_OF_ORDER &&
               instruction->opcode != SONDE_GEN_SYNC;
    for (unsigned p = 0; p < PIPE_COUNT; p++)
        if (!own || p == facts->pipe)
            wait_for_pipe(check, p, facts->wait.distance);
}

/* What the annotation and a sync wait for. A token that is set again stalls
 * until its last use is over. */
static void wait_as_annotated(struct emu_check *check, const struct facts *facts,
                              const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_scoreboard *wait = &facts->wait;
    uint32_t written = facts->all_written, read = facts->all_read;
    if (wait->has_distance && wait->distance)
        wait_for_distance(check, facts, instruction);
    if (wait->token_mode == SONDE_GEN_TOKEN_DESTINATION || wait->token_mode == SONDE_GEN_TOKEN_SET)
        written |= UINT32_C(1) << wait->token % TOKENS;
    if (wait->token_mode != SONDE_GEN_TOKEN_NONE)
        read |= UINT32_C(1) << wait->token % TOKENS;
    for (uint32_t left = written; left; left &= left - 1)
        check->written[__builtin_ctz(left)]++;
    for (uint32_t left = read; left; left &= left - 1)
        if (check->message[__builtin_ctz(left)] > check->read)
            check->read = check->message[__builtin_ctz(left)];
}

static bool in_flight(const struct emu_check *check, const struct use *use, bool result)
{
    if (!use->operation)
        return false;
    if (use->pipe == PIPE_OUT_OF_ORDER)
        return result ? use->number == check->written[use->token] : use->number > check->read;
    return use->number > check->complete[use->pipe] &&
           check->issued[use->pipe] - use->number < SAFE_DISTANCE;
}

static bool fault_flight(struct emu_thread *thread, const struct emu_operation *operation,
                         uint32_t mask, unsigned byte, const struct use *use, const char *hazard,
                         bool result)
{
    static const char *const letters[] = {"F", "I", "L"};
    char missing[32];
    bool one_pipe = operation->details->instruction.platform == SONDE_GEN_PLATFORM_XE;
    if (use->pipe == PIPE_OUT_OF_ORDER)
        snprintf(missing, sizeof(missing), "$%u.%s", use->token, result ? "dst" : "src");
    else
        snprintf(missing, sizeof(missing), "%s@%u", one_pipe ? "" : letters[use->pipe],
                 thread->check->issued[use->pipe] - use->number + 1);
    emu_thread_fault(thread, operation, mask,
                     "r%u.%u is %s by the instruction at 0x%x, which nothing waits for: {%s} is "
                     "missing",
                     byte / EMU_GRF_SIZE, byte % EMU_GRF_SIZE, hazard,
                     use->operation->details->address, missing);
    return false;
}

/* Payloads are read in the order of the messages. */
static bool is_send(const struct emu_operation *operation)
{
    return sonde_gen_opcode_format((enum sonde_gen_opcode)operation->details->instruction.opcode) ==
           SONDE_GEN_FORMAT_SEND;
}

/* A comparison of a register with itself makes a mask of channels; flags are
 * restored where they may not have been saved; a move to null only waits. */
static bool value_is_unused(const struct sonde_gen_instruction *instruction)
{
    if (instruction->opcode == SONDE_GEN_MOV)
        return instruction->dst.file == SONDE_GEN_FILE_ARF &&
               ((instruction->dst.number & 0xf0) == SONDE_GEN_ARF_FLAG ||
                (instruction->dst.number & 0xf0) == SONDE_GEN_ARF_NULL);
    return instruction->opcode == SONDE_GEN_CMP && instruction->source_count == 2 &&
           memcmp(&instruction->src[0], &instruction->src[1], sizeof(instruction->src[0])) == 0;
}

/* A copy of what nobody wrote is as undefined as that: only its use matters. The
 * compiler copies undefined values where the ways of the control flow meet. */
static bool copies(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_operand *from = &instruction->src[0], *to = &instruction->dst;
    return instruction->opcode == SONDE_GEN_MOV && from->file == SONDE_GEN_FILE_GRF &&
           to->file == SONDE_GEN_FILE_GRF && !from->indirect && !to->indirect &&
           !instruction->condition;
}

static bool copies_undefined(const struct emu_check *check,
                             const struct sonde_gen_instruction *instruction,
                             const struct facts *facts)
{
    if (!copies(instruction))
        return false;
    for (unsigned reg = 0; reg < EMU_GRF_COUNT; reg++)
        if ((facts->reads[reg / 2] >> reg % 2 * 32 & UINT32_MAX) &&
            !(check->defined[reg / 64] >> reg % 64 & 1))
            return true;
    return false;
}

/* Does a value in the register matter? Instructions without a mask work on
 * channels that are off, too, and messages read registers of those. */
static bool matters(const struct emu_thread *thread, const struct emu_operation *operation,
                    uint32_t mask, unsigned reg)
{
    const struct emu_details *details = operation->details;
    if (operation->exec_size > 1)
        mask &= thread->active >> operation->channel_offset;
    if (is_send(operation))
        return mask == operation->window && operation->exec_size >= 8;
    if (value_is_unused(&details->instruction) || copies(&details->instruction))
        return false;
    for (unsigned i = 0; details->semantics && i < details->semantics->sources; i++) {
        const struct emu_region *region = &details->source[i];
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t byte = region->base + region->offset[__builtin_ctz(left)];
            if (details->instruction.src[i].file == SONDE_GEN_FILE_GRF && !region->indirect &&
                byte / EMU_GRF_SIZE == reg)
                return true;
        }
    }
    return false;
}

static bool check_reads(struct emu_thread *thread, const struct emu_operation *operation,
                        uint32_t mask, const struct facts *facts)
{
    const struct emu_check *check = thread->check;
    for (unsigned word = 0; word < WORDS; word++)
        for (uint64_t left = facts->reads[word]; left; left &= left - 1) {
            unsigned byte = 64 * word + (unsigned)__builtin_ctzll(left);
            unsigned reg = byte / EMU_GRF_SIZE;
            if (!(check->defined[reg / 64] >> reg % 64 & 1) &&
                matters(thread, operation, mask, reg)) {
                emu_thread_fault(thread, operation, mask,
                                 "r%u is read, which neither the payload nor the thread wrote",
                                 reg);
                return false;
            }
            if (in_flight(check, &check->writer[byte], true))
                return fault_flight(thread, operation, mask, byte, &check->writer[byte],
                                    "still written", true);
        }
    return true;
}

static bool check_writes(struct emu_thread *thread, const struct emu_operation *operation,
                         uint32_t mask, const struct facts *facts)
{
    const struct emu_check *check = thread->check;
    bool sends = is_send(operation);
    for (unsigned word = 0; word < WORDS; word++)
        for (uint64_t left = facts->writes[word]; left; left &= left - 1) {
            unsigned byte = 64 * word + (unsigned)__builtin_ctzll(left);
            const struct use *writer = &check->writer[byte], *reader = &check->reader[byte];
            bool in_order = facts->pipe != PIPE_OUT_OF_ORDER && writer->pipe == facts->pipe;
            if (!in_order && in_flight(check, writer, true))
                return fault_flight(thread, operation, mask, byte, writer, "still written", true);
            if (!sends && in_flight(check, reader, false))
                return fault_flight(thread, operation, mask, byte, reader, "still read", false);
        }
    return true;
}

static void record(struct use *uses, const uint64_t *set, const struct use *use)
{
    for (unsigned word = 0; word < WORDS; word++)
        for (uint64_t left = set[word]; left; left &= left - 1)
            uses[64 * word + (unsigned)__builtin_ctzll(left)] = *use;
}

static void define(struct emu_check *check, const struct facts *facts)
{
    for (unsigned reg = 0; reg < EMU_GRF_COUNT; reg++)
        if (facts->unknown_writes || facts->writes[reg / 2] >> reg % 2 * 32 & UINT32_MAX)
            check->defined[reg / 64] |= UINT64_C(1) << reg % 64;
}

static bool has_scoreboard(const struct emu_operation *operation)
{
    return operation->details->instruction.platform >= SONDE_GEN_PLATFORM_XE;
}

bool emu_check_issue(struct emu_thread *thread, const struct emu_operation *operation,
                     uint32_t mask)
{
    struct emu_check *check = thread->check;
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    const struct facts *facts = facts_of(thread->worker, operation);
    if (!facts) {
        emu_thread_fault(thread, operation, mask, "out of memory for the checks");
        return false;
    }
    bool acts = mask != 0 && !operation->details->illegal;
    if (check->last && check->last->next != operation) /* a jump outlasts the pipes */
        memcpy(check->complete, check->issued, sizeof(check->complete));
    check->last = operation;
    wait_as_annotated(check, facts, instruction);
    if (acts && (!check_reads(thread, operation, mask, facts) ||
                 !check_writes(thread, operation, mask, facts)))
        return false;
    struct use use = {operation, 0, facts->pipe, facts->wait.token};
    if (facts->counts)
        use.number = ++check->issued[facts->pipe];
    /* Also when no channel is on: instructions without a mask take what belongs
     * to other channels of the thread. */
    if (!operation->details->illegal && !copies_undefined(check, instruction, facts))
        define(check, facts);
    if (!acts)
        return true;
    if (!has_scoreboard(operation))
        return true;
    if (facts->pipe == PIPE_OUT_OF_ORDER) {
        bool token = facts->wait.token_mode == SONDE_GEN_TOKEN_SET;
        use.operation = token ? operation : NULL; /* without one nobody can wait for it */
        if (is_send(operation)) {
            use.number = check->message[use.token] = ++check->messages;
            record(check->reader, facts->reads, &use);
        }
        use.number = check->written[use.token];
    }
    record(check->writer, facts->writes, &use);
    return true;
}
