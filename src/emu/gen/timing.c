/* The run of a dispatch in the order of modelled time. */
#include <stdlib.h>
#include <string.h>

#include "emu/gen/timing.h"

#define LINES_MAX   512u /* of one message */
#define PAUSE_AFTER 4096u
#define ALU_PIPES   2u

/* When the results of a hardware thread are there. */
struct scoreboard {
    struct emu_thread *thread;
    uint64_t registers[EMU_GRF_COUNT]; /* written */
    uint64_t payloads[EMU_GRF_COUNT];  /* read by the messages that took them */
    uint64_t flags[8];
    uint64_t accumulator, address;
    bool queued;
};

struct unit { /* an execution unit */
    uint64_t alu[ALU_PIPES], math, send, branch;
};

struct entry {
    uint64_t time;
    uint32_t board;
};

struct emu_timing {
    struct timing_model model;
    const struct emu_dispatch *dispatch;
    uint32_t board_count; /* places * threads a group */
    uint32_t unit_count, subslice_count;
    struct scoreboard *boards;
    struct unit *units;
    uint64_t *place_free; /* when the last group of a place ended */
    uint64_t *launch_free;
    struct timing_cache *cache;
    struct entry *heap; /* least time first, then least board */
    uint32_t heap_count;
    struct timing_facts *facts; /* by index of the operation */
    uint32_t facts_count;
    uint64_t lines[LINES_MAX]; /* that the message touched */
    uint32_t line_count;
    uint64_t end;
};

static uint32_t at_least_one(uint32_t value)
{
    return value ? value : 1;
}

struct emu_timing *emu_timing_create(const struct emu_dispatch *dispatch, uint32_t places)
{
    struct emu_timing *timing = calloc(1, sizeof *timing);
    if (!timing)
        return NULL;
    timing_model_fill(dispatch->platform, &timing->model);
    timing->dispatch = dispatch;
    timing->subslice_count = at_least_one(dispatch->slices) * at_least_one(dispatch->subslices);
    timing->unit_count = timing->subslice_count * at_least_one(dispatch->eus_per_subslice);
    timing->board_count = places * dispatch->threads_per_group;
    timing->boards = calloc(timing->board_count, sizeof *timing->boards);
    timing->units = calloc(timing->unit_count, sizeof *timing->units);
    timing->place_free = calloc(places, sizeof *timing->place_free);
    timing->launch_free = calloc(timing->subslice_count, sizeof *timing->launch_free);
    timing->heap = calloc(timing->board_count, sizeof *timing->heap);
    timing->cache = timing_cache_create(&timing->model, timing->subslice_count);
    if (!timing->boards || !timing->units || !timing->place_free || !timing->launch_free ||
        !timing->heap || !timing->cache) {
        emu_timing_destroy(timing);
        return NULL;
    }
    return timing;
}

void emu_timing_destroy(struct emu_timing *timing)
{
    if (!timing)
        return;
    free(timing->boards);
    free(timing->units);
    free(timing->place_free);
    free(timing->launch_free);
    free(timing->heap);
    free(timing->facts);
    timing_cache_destroy(timing->cache);
    free(timing);
}

/* A group larger than the hardware has threads wraps around, as in sr0. */
static uint32_t unit_of(const struct emu_timing *timing, uint32_t board)
{
    return board / at_least_one(timing->dispatch->threads_per_eu) % timing->unit_count;
}

static uint32_t subslice_of(const struct emu_timing *timing, uint32_t board)
{
    return unit_of(timing, board) / at_least_one(timing->dispatch->eus_per_subslice) %
           timing->subslice_count;
}

static bool before(const struct entry *a, const struct entry *b)
{
    return a->time < b->time || (a->time == b->time && a->board < b->board);
}

static void push(struct emu_timing *timing, uint64_t time, uint32_t board)
{
    struct entry entry = {time, board};
    uint32_t at = timing->heap_count++;
    while (at > 0 && before(&entry, &timing->heap[(at - 1) / 2])) {
        timing->heap[at] = timing->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    timing->heap[at] = entry;
    timing->boards[board].queued = true;
}

static struct entry pop(struct emu_timing *timing)
{
    struct entry first = timing->heap[0], last = timing->heap[--timing->heap_count];
    uint32_t at = 0, count = timing->heap_count;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && before(&timing->heap[child + 1], &timing->heap[child]))
            child++;
        if (child >= count || !before(&timing->heap[child], &last))
            break;
        timing->heap[at] = timing->heap[child];
        at = child;
    }
    if (count > 0)
        timing->heap[at] = last;
    timing->boards[first.board].queued = false;
    return first;
}

bool emu_timing_admit(struct emu_timing *timing, struct emu_group *group)
{
    for (uint32_t n = 0; n < group->thread_count; n++) {
        uint32_t board = group->first_slot + n;
        if (board >= timing->board_count)
            return false;
        uint64_t *launch = &timing->launch_free[subslice_of(timing, board)];
        uint64_t start = timing->place_free[group->place];
        start = *launch > start ? *launch : start;
        *launch = start + timing->model.launch_cycles;
        timing->boards[board] = (struct scoreboard){.thread = &group->threads[n]};
        group->threads[n].cycles = start;
        push(timing, start, board);
    }
    return true;
}

static const struct timing_facts *facts_of(struct emu_timing *timing, struct emu_worker *worker,
                                           const struct emu_operation *operation)
{
    if (operation->index >= timing->facts_count) {
        uint32_t count = emu_program_operation_count(worker->program);
        struct timing_facts *facts = realloc(timing->facts, count * sizeof *facts);
        if (!facts)
            return NULL;
        memset(facts + timing->facts_count, 0, (count - timing->facts_count) * sizeof *facts);
        timing->facts = facts;
        timing->facts_count = count;
    }
    struct timing_facts *facts = &timing->facts[operation->index];
    if (!facts->filled)
        timing_facts_fill(&timing->model, &operation->details->instruction, facts);
    return facts;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t latest(const uint64_t times[EMU_GRF_COUNT], const uint64_t set[EMU_GRF_COUNT / 64],
                       bool all)
{
    uint64_t time = 0;
    for (unsigned word = 0; word < EMU_GRF_COUNT / 64; word++) {
        uint64_t left = all ? UINT64_MAX : set[word];
        for (; left != 0; left &= left - 1)
            time = later(time, times[word * 64 + (unsigned)__builtin_ctzll(left)]);
    }
    return time;
}

static void mark(uint64_t times[EMU_GRF_COUNT], const uint64_t set[EMU_GRF_COUNT / 64], bool all,
                 uint64_t time)
{
    for (unsigned word = 0; word < EMU_GRF_COUNT / 64; word++) {
        uint64_t left = all ? UINT64_MAX : set[word];
        for (; left != 0; left &= left - 1) {
            uint64_t *at = &times[word * 64 + (unsigned)__builtin_ctzll(left)];
            *at = later(*at, time);
        }
    }
}

/* When everything that the instruction reads or overwrites is there. */
static uint64_t operands_ready(const struct scoreboard *board, const struct timing_facts *facts)
{
    uint64_t time = later(latest(board->registers, facts->reads, facts->unknown_read),
                          latest(board->registers, facts->writes, facts->unknown_write));
    time = later(time, latest(board->payloads, facts->writes, facts->unknown_write));
    for (unsigned n = 0; n < 8; n++)
        if ((facts->flags_read | facts->flags_written) >> n & 1)
            time = later(time, board->flags[n]);
    if (facts->reads_accumulator || facts->writes_accumulator)
        time = later(time, board->accumulator);
    if (facts->reads_address || facts->writes_address)
        time = later(time, board->address);
    return time;
}

/* The pipe that the instruction takes: of several the one free first. */
static uint64_t *pipe_of(struct emu_timing *timing, struct unit *unit,
                         const struct timing_facts *facts)
{
    uint32_t last = timing->model.alu_pipes - 1;
    switch ((enum timing_pipe)facts->pipe) {
    case TIMING_PIPE_ALU:
        return last > 0 && unit->alu[last] < unit->alu[0] ? &unit->alu[last] : &unit->alu[0];
    case TIMING_PIPE_LAST_ALU:
        return &unit->alu[last];
    case TIMING_PIPE_MATH:
        return &unit->math;
    case TIMING_PIPE_SEND:
        return &unit->send;
    case TIMING_PIPE_BRANCH:
        return &unit->branch;
    case TIMING_PIPE_NONE:
        break;
    }
    return NULL;
}

static uint32_t data_bytes(const struct sonde_gen_message *message)
{
    uint32_t registers = message->operation == SONDE_GEN_MESSAGE_WRITE
                             ? message->payload_registers + (uint32_t)message->src1_registers -
                                   message->address_registers
                             : message->response_registers;
    return registers * EMU_GRF_SIZE;
}

/* When the answer of a message is back. */
static uint64_t message_done(struct emu_timing *timing, uint32_t subslice, uint64_t time,
                             const struct sonde_gen_message *message, uint32_t channels)
{
    const struct timing_model *model = &timing->model;
    bool atomic = message->operation == SONDE_GEN_MESSAGE_ATOMIC ||
                  message->operation == SONDE_GEN_MESSAGE_TYPED_ATOMIC;
    switch ((enum sonde_gen_message_operation)message->operation) {
    case SONDE_GEN_MESSAGE_FENCE:
    case SONDE_GEN_MESSAGE_CACHE_FLUSH:
        return time + model->fence_latency;
    case SONDE_GEN_MESSAGE_BARRIER:
        return time + model->gateway_latency;
    case SONDE_GEN_MESSAGE_UNKNOWN:
    case SONDE_GEN_MESSAGE_GATEWAY:
    case SONDE_GEN_MESSAGE_END_OF_THREAD:
        return time + model->other_latency;
    default:
        break;
    }
    if (message->address_model == SONDE_GEN_ADDRESS_SLM)
        return timing_cache_local(timing->cache, subslice, time,
                                  data_bytes(message) + (atomic ? channels * EMU_GRF_SIZE : 0));
    return timing_cache_access(
        timing->cache, subslice, time, timing->lines, timing->line_count, atomic ? channels : 0,
        message->operation == SONDE_GEN_MESSAGE_SAMPLE ? model->sampler_latency
                                                       : model->l3_latency);
}

static void finish_message(struct emu_timing *timing, uint32_t index, uint64_t issued,
                           const struct emu_operation *operation, const struct timing_facts *facts,
                           uint32_t channels)
{
    const struct timing_model *model = &timing->model;
    const struct emu_details *details = operation->details;
    const struct sonde_gen_message *message = &details->message;
    struct sonde_gen_message lengths = *message;
    if (!details->message_decoded) { /* known at run time only: by what it touched */
        sonde_gen_message_decode(&details->instruction, &lengths, NULL);
        lengths.operation = SONDE_GEN_MESSAGE_READ;
        message = &lengths;
    }
    struct scoreboard *board = &timing->boards[index];
    uint32_t payload = message->payload_registers + (uint32_t)message->src1_registers;
    uint64_t taken = payload ? (uint64_t)payload * model->payload_cycles : 1;
    timing->units[unit_of(timing, index)].send = issued + taken;
    uint64_t done =
        message_done(timing, subslice_of(timing, index), issued + taken, message, channels);
    mark(board->payloads, facts->reads, facts->unknown_read, issued + model->payload_latency);
    mark(board->registers, facts->writes, facts->unknown_write, done);
}

static void finish(struct emu_timing *timing, uint32_t index, uint64_t issued, uint64_t *pipe,
                   const struct timing_facts *facts)
{
    const struct timing_model *model = &timing->model;
    struct scoreboard *board = &timing->boards[index];
    if (pipe != NULL)
        *pipe = issued + facts->cycles;
    mark(board->registers, facts->writes, facts->unknown_write, issued + facts->latency);
    for (unsigned n = 0; n < 8; n++)
        if (facts->flags_written >> n & 1)
            board->flags[n] = later(board->flags[n], issued + model->flag_latency);
    if (facts->writes_accumulator)
        board->accumulator = later(board->accumulator, issued + model->accumulator_latency);
    if (facts->writes_address)
        board->address = later(board->address, issued + model->flag_latency);
}

static bool lets_others_go_on(const struct emu_details *details)
{
    uint8_t opcode = details->instruction.opcode;
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)opcode) == SONDE_GEN_FORMAT_SEND)
        return !details->message_decoded || details->message.operation == SONDE_GEN_MESSAGE_BARRIER;
    return opcode == SONDE_GEN_DPASW;
}

/* Threads of the group that a barrier let go on. */
static void queue_released(struct emu_timing *timing, const struct emu_group *group)
{
    for (uint32_t n = 0; n < group->thread_count; n++) {
        const struct emu_thread *thread = &group->threads[n];
        uint32_t board = group->first_slot + n;
        if (!timing->boards[board].queued && !thread->finished && !thread->blocked)
            push(timing, thread->cycles + timing->model.gateway_latency, board);
    }
}

/* Execute the next instruction of a thread at its time, or put the thread back
 * when others come first. True when it was executed. */
static bool step(struct emu_timing *timing, struct emu_worker *worker, struct entry entry)
{
    struct scoreboard *board = &timing->boards[entry.board];
    struct emu_thread *thread = board->thread;
    const struct emu_operation *operation = thread->next;
    const struct timing_facts *facts = facts_of(timing, worker, operation);
    if (!facts) {
        worker->status = SONDE_ERROR_MEMORY;
        return true;
    }
    uint64_t *pipe = pipe_of(timing, &timing->units[unit_of(timing, entry.board)], facts);
    uint64_t time = later(entry.time, operands_ready(board, facts));
    if (pipe != NULL)
        time = later(time, *pipe);
    if (time > entry.time && timing->heap_count > 0 && timing->heap[0].time < time) {
        push(timing, time, entry.board);
        return false;
    }
    uint64_t lanes = worker->tallies[operation->index].lanes;
    thread->cycles = time;
    timing->line_count = 0;
    emu_thread_run(thread, 1);
    if (facts->pipe == TIMING_PIPE_SEND)
        finish_message(timing, entry.board, time, operation, facts,
                       (uint32_t)(worker->tallies[operation->index].lanes - lanes));
    else
        finish(timing, entry.board, time, pipe, facts);
    timing->end = later(timing->end, thread->cycles);
    if (facts->pipe == TIMING_PIPE_BRANCH && !thread->blocked)
        thread->cycles += timing->model.branch_latency - 1;
    if (!thread->finished && !thread->blocked)
        push(timing, thread->cycles, entry.board);
    if (lets_others_go_on(operation->details))
        queue_released(timing, thread->group);
    return true;
}

enum timing_outcome emu_timing_run(struct emu_timing *timing, struct emu_worker *worker,
                                   struct emu_group **group, struct emu_thread **last)
{
    for (uint32_t executed = 0; executed < PAUSE_AFTER;) {
        if (timing->heap_count == 0)
            return TIMING_DEADLOCK;
        struct entry entry = pop(timing);
        *last = timing->boards[entry.board].thread;
        if (!step(timing, worker, entry))
            continue;
        executed++;
        *group = (*last)->group;
        if (worker->faulted || worker->status != SONDE_OK)
            return TIMING_STOPPED;
        if ((*group)->unfinished == 0) {
            timing->place_free[(*group)->place] = (*last)->cycles;
            return TIMING_ENDED;
        }
    }
    return TIMING_PAUSED;
}

uint64_t emu_timing_cycles(const struct emu_timing *timing)
{
    return timing->end;
}

void emu_timing_touch(struct emu_timing *timing, uint64_t address, size_t size)
{
    uint64_t first = address / timing->model.line_bytes;
    uint64_t last = (address + (size ? size - 1 : 0)) / timing->model.line_bytes;
    for (uint64_t line = first; line <= last; line++) {
        uint32_t n = 0;
        while (n < timing->line_count && timing->lines[n] != line)
            n++;
        if (n == timing->line_count && n < LINES_MAX)
            timing->lines[timing->line_count++] = line;
    }
}
