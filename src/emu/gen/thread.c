/* One hardware thread: its start, its run loop, and the state around the
 * instructions (predicates, flags, computed registers). */
#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/gen/check.h"
#include "emu/gen/events.h"
#include "emu/gen/semantics.h"

/* Bits of flag space from the first channel of the instruction. */
static uint32_t flag_window(const struct emu_thread *thread, const struct emu_operation *operation)
{
    unsigned shift = operation->flag_shift + operation->channel_offset;
    return shift < 64 ? (uint32_t)(emu_flag_bits(thread) >> shift) : 0;
}

/* Spread any / all of each group of `size` channels over the group. */
static uint32_t group_reduce(uint32_t bits, unsigned size, bool all)
{
    uint32_t group = size == 32 ? UINT32_MAX : (1u << size) - 1, result = 0;
    for (unsigned first = 0; first < 32; first += size) {
        uint32_t part = bits >> first & group;
        if (all ? part == group : part != 0)
            result |= group << first;
    }
    return result;
}

uint32_t emu_predicate_mask(const struct emu_thread *thread, const struct emu_operation *operation)
{
    uint32_t bits = flag_window(thread, operation);
    unsigned predicate = operation->predicate;
    if (predicate >= SONDE_GEN_PREDICATE_ANY2H && predicate <= SONDE_GEN_PREDICATE_ALL32H) {
        unsigned step = (predicate - SONDE_GEN_PREDICATE_ANY2H) / 2;
        bool all = (predicate - SONDE_GEN_PREDICATE_ANY2H) & 1;
        bits = group_reduce(bits, 2u << step, all);
    } else if (predicate == SONDE_GEN_PREDICATE_ANYV || predicate == SONDE_GEN_PREDICATE_ALLV) {
        unsigned shift = (operation->flag_shift & 31u) + operation->channel_offset;
        uint32_t a = shift < 32 ? thread->flag[0] >> shift : 0;
        uint32_t b = shift < 32 ? thread->flag[1] >> shift : 0;
        bits = predicate == SONDE_GEN_PREDICATE_ANYV ? a | b : a & b;
    }
    return (operation->predicate_inverse ? ~bits : bits) & operation->window;
}

void emu_flag_write(struct emu_thread *thread, const struct emu_operation *operation, uint32_t bits,
                    uint32_t mask)
{
    unsigned shift = operation->flag_shift + operation->channel_offset;
    if (shift >= 64)
        return;
    uint64_t flags = emu_flag_bits(thread);
    flags = (flags & ~((uint64_t)mask << shift)) | (uint64_t)(bits & mask) << shift;
    thread->flag[0] = (uint32_t)flags;
    thread->flag[1] = (uint32_t)(flags >> 32);
}

static uint32_t ip_of(const struct emu_thread *thread, const struct emu_operation *operation)
{
    const struct emu_dispatch *dispatch = thread->worker->dispatch;
    return (uint32_t)(dispatch->kernel_start - dispatch->instruction_base) +
           operation->details->address;
}

void emu_thread_refresh(struct emu_thread *thread, const struct emu_operation *operation)
{
    thread->ip[0] = ip_of(thread, operation);
    thread->channel_enable[0] = thread->active;
    thread->timestamp[0] = (uint32_t)thread->cycles;
    thread->timestamp[1] = (uint32_t)(thread->cycles >> 32);
}

/* Code that only a computed jump reaches may be new, and with it its counters. */
const struct emu_operation *emu_thread_lookup(struct emu_thread *thread,
                                              const struct emu_operation *operation,
                                              uint64_t address)
{
    struct emu_worker *worker = thread->worker;
    const struct emu_operation *target = emu_program_at(worker->program, &worker->memory, address);
    uint32_t count = emu_program_operation_count(worker->program);
    if (worker->counts && count > worker->tally_count && !emu_worker_grow_tallies(worker, count)) {
        emu_thread_fault(thread, operation, operation->window, "out of memory for counters");
        return operation;
    }
    return target;
}

void emu_thread_jump(struct emu_thread *thread, const struct emu_operation *operation, uint32_t ip)
{
    const struct emu_dispatch *dispatch = thread->worker->dispatch;
    thread->next = emu_thread_lookup(thread, operation, dispatch->instruction_base + ip);
}

/* cr0: [5:4] rounding; [6] df, [7] f, [10] hf denormals kept. */
void emu_thread_apply_control(struct emu_thread *thread)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    int mode = modes[thread->control[0] >> 4 & 3];
    if (fegetround() != mode)
        fesetround(mode);
    thread->flushes = (thread->control[0] & 0x4c0) != 0x4c0;
    thread->careful = thread->flushes || thread->check || thread->log;
}

void emu_thread_fault(struct emu_thread *thread, const struct emu_operation *operation,
                      uint32_t mask, const char *format, ...)
{
    struct emu_worker *worker = thread->worker;
    thread->stopped = true;
    if (worker->faulted)
        return;
    worker->faulted = true;
    worker->fault_thread = thread;
    worker->fault_operation = operation;
    worker->fault_mask = mask;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(worker->fault_reason, sizeof(worker->fault_reason), format, arguments);
    va_end(arguments);
}

void emu_run_illegal(struct emu_thread *thread, const struct emu_operation *operation,
                     uint32_t mask)
{
    const struct emu_details *details = operation->details;
    char bytes[40];
    for (int i = 0; i < 16; i++)
        snprintf(bytes + 2 * i, 3, "%02x", details->bytes[i]);
    emu_thread_fault(thread, operation, mask, "%s (bytes %.*s, ip 0x%x)",
                     details->illegal ? details->illegal : "illegal instruction",
                     details->instruction.compacted ? 16 : 32, bytes, ip_of(thread, operation));
}

void emu_run_nop(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    (void)thread;
    (void)operation;
    (void)mask;
}

/* wait n0.x: takes one notification, or blocks until there is one. */
void emu_run_wait(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    (void)mask;
    unsigned counter = operation->details->instruction.src[0].subreg / 4u & 3;
    if (thread->notification[counter]) {
        thread->notification[counter]--;
        return;
    }
    thread->blocked = true;
    thread->stopped = true;
    thread->next = operation;
}

/* The header that the hardware builds in r0. */
static void write_header(struct emu_thread *thread, uint32_t slot)
{
    const struct emu_dispatch *dispatch = thread->worker->dispatch;
    uint32_t *header = (uint32_t *)(void *)thread->grf;
    bool loads_payload = dispatch->platform >= SONDE_GEN_PLATFORM_XEHP;
    header[0] = loads_payload ? dispatch->indirect_start : 0;
    header[1] = thread->group->id[0];
    /* its number in the group; how many threads meet at a barrier */
    header[2] =
        loads_payload ? (thread->index & 0xff) | (dispatch->threads_per_group & 0xff) << 24 : 0;
    header[3] = (dispatch->sampler_state_pointer & ~31u) | (dispatch->scratch_code & 15);
    header[4] = (uint32_t)(dispatch->binding_table - dispatch->surface_base) & ~31u;
    /* which slot's scratch, or where the surface state of all stands */
    uint32_t scratch = dispatch->scratch_base;
    if (!loads_payload)
        scratch += slot * dispatch->scratch_per_thread;
    uint32_t slot_mask = dispatch->platform >= SONDE_GEN_PLATFORM_GEN11 ? 0x3ff : 0x1ff;
    header[5] = (scratch & ~0x3ffu) | (slot & slot_mask);
    header[6] = thread->group->id[1];
    header[7] = thread->group->id[2];
}

/* r1..: the thread's block of the payload, then the cross-thread block. */
static void load_payload(struct emu_thread *thread)
{
    const struct emu_dispatch *dispatch = thread->worker->dispatch;
    size_t cross = (size_t)dispatch->cross_thread_registers * EMU_GRF_SIZE;
    size_t own = (size_t)dispatch->per_thread_registers * EMU_GRF_SIZE;
    size_t start = cross + own * thread->index;
    size_t room = thread->register_bytes - EMU_GRF_SIZE;
    if (start + own <= dispatch->payload_size && own <= room)
        memcpy(thread->grf + EMU_GRF_SIZE, dispatch->payload + start, own);
    if (cross <= dispatch->payload_size && own + cross <= room)
        memcpy(thread->grf + EMU_GRF_SIZE + own, dispatch->payload, cross);
}

/* sr0.0 of Gen9: [2:0] thread, [11:8] EU, [13:12] sub-slice, [15:14] slice. Of
 * Gen12: [2:0] thread, [5:4] and [7] EU, [8] sub-slice of the pair that the
 * configuration counts as one, [10:9] pair, [13:11] slice. */
static uint32_t state_word(const struct emu_dispatch *dispatch, uint32_t slot)
{
    uint32_t threads = dispatch->threads_per_eu ? dispatch->threads_per_eu : 7;
    uint32_t eus = dispatch->eus_per_subslice ? dispatch->eus_per_subslice : 8;
    uint32_t subslices = dispatch->subslices ? dispatch->subslices : 3;
    uint32_t eu = slot / threads, subslice = eu / eus;
    if (dispatch->platform >= SONDE_GEN_PLATFORM_XE) {
        eu %= eus;
        return slot % threads | (eu & 3) << 4 | (eu >> 2 & 1) << 7 | (eu >> 3 & 1) << 8 |
               (subslice % subslices & 3) << 9 | (subslice / subslices & 7) << 11;
    }
    return slot % threads | eu % eus << 8 | subslice % subslices << 12 |
           (subslice / subslices & 3) << 14;
}

void emu_thread_start(struct emu_worker *worker, struct emu_group *group, uint32_t index)
{
    struct emu_thread *thread = &group->threads[index];
    const struct emu_dispatch *dispatch = worker->dispatch;
    memset(thread->grf, 0, emu_register_bytes(dispatch));
    memset(thread->acc, 0, offsetof(struct emu_thread, mme) - offsetof(struct emu_thread, acc));
    memset(&thread->next, 0, sizeof(*thread) - offsetof(struct emu_thread, next));
    thread->register_bytes = emu_register_bytes(dispatch);
    thread->worker = worker;
    thread->group = group;
    thread->index = index;
    uint32_t slot = group->first_slot + index;
    write_header(thread, slot);
    load_payload(thread);
    uint32_t full = dispatch->simd >= 32 ? UINT32_MAX : (1u << dispatch->simd) - 1;
    bool last = index + 1 == dispatch->threads_per_group;
    thread->dispatch = last && dispatch->right_mask ? dispatch->right_mask & full : full;
    thread->active = thread->dispatch;
    thread->state[0] = state_word(dispatch, slot);
    thread->state[2] = thread->dispatch;
    thread->state[3] = thread->dispatch;
    thread->control[0] =
        (dispatch->rounding_mode & 3) << 4 | (dispatch->denormals_preserve ? 0x4c0u : 0);
    thread->next = emu_program_operation(worker->program, 0);
    if (group->checks)
        emu_check_start(group->checks, thread,
                        1 + dispatch->cross_thread_registers + dispatch->per_thread_registers);
}

static inline uint32_t count_bits(uint32_t value)
{
    value -= value >> 1 & 0x55555555u;
    value = (value & 0x33333333u) + (value >> 2 & 0x33333333u);
    return ((value + (value >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* Channels that an instruction acts on, bit 0 = the first of its window. */
static inline uint32_t enabled_channels(const struct emu_thread *thread,
                                        const struct emu_operation *operation)
{
    uint32_t mask = operation->window;
    if (operation->plain)
        return mask;
    if (!operation->no_mask)
        mask &= thread->active >> operation->channel_offset;
    if (operation->predicate && !operation->selects)
        mask &= emu_predicate_mask(thread, operation);
    return mask;
}

static void run_carefully(struct emu_thread *thread, const struct emu_operation *operation,
                          uint32_t mask)
{
    if (thread->log)
        emu_events_step(thread, operation, mask);
    if (thread->check && !emu_check_issue(thread, operation, mask))
        return;
    if (!mask && !operation->always)
        return;
    if (thread->flushes && operation->compute)
        emu_general_run(thread, operation, mask);
    else
        operation->run(thread, operation, mask);
}

static inline void tally(struct emu_worker *worker, const struct emu_operation *operation,
                         uint32_t lanes)
{
    worker->tallies[operation->index].executions++;
    worker->tallies[operation->index].lanes += lanes;
}

static inline uint32_t lanes_of(const struct emu_operation *operation, uint32_t mask)
{
    return mask == operation->window ? operation->exec_size : count_bits(mask);
}

/* Operations one behind the other of which none changes the flow, except by a
 * fault: at most `budget`, as far as the first where channels may wake. */
static void run_straight(struct emu_thread *thread, const struct emu_operation *operation,
                         uint64_t budget)
{
    struct emu_worker *worker = thread->worker;
    bool waiting = thread->waiting != 0, counts = worker->counts;
    uint64_t left = budget;
    do {
        uint32_t mask = enabled_channels(thread, operation);
        if (counts)
            tally(worker, operation, lanes_of(operation, mask));
        if (mask)
            operation->run(thread, operation, mask);
        operation = operation->next;
        left--;
    } while (operation->straight && left && !(waiting && operation->target) && !thread->stopped);
    thread->next = operation;
    thread->cycles += budget - left;
}

uint64_t emu_thread_run(struct emu_thread *thread, uint64_t budget)
{
    struct emu_worker *worker = thread->worker;
    const struct emu_operation *operation;
    uint64_t start = thread->cycles, end = start + budget, waited = worker->waited;
    uint32_t lanes = 0;
    thread->stopped = false;
    emu_thread_apply_control(thread);
    do {
        operation = thread->next;
        if (thread->waiting && operation->target)
            emu_thread_wake(thread, operation);
        if (operation->straight && !thread->careful) {
            run_straight(thread, operation, end - thread->cycles);
            continue;
        }
        uint32_t mask = enabled_channels(thread, operation);
        if (worker->counts) {
            lanes = lanes_of(operation, mask);
            tally(worker, operation, lanes);
        }
        thread->next = operation->next;
        thread->cycles++;
        if (thread->careful)
            run_carefully(thread, operation, mask);
        else if (mask || operation->always)
            operation->run(thread, operation, mask);
    } while (!thread->stopped && thread->cycles < end);
    if (thread->blocked) { /* the wait executes again when it is released */
        if (worker->counts) {
            worker->tallies[operation->index].executions--;
            worker->tallies[operation->index].lanes -= lanes;
        }
        thread->cycles--;
        if (thread->log != NULL)
            emu_events_take_back(thread);
    }
    if (thread->finished && thread->log != NULL)
        emu_events_end(thread);
    worker->instructions += thread->cycles - start - (worker->waited - waited);
    return thread->cycles - start;
}
