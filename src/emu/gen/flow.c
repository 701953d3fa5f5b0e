/* Control flow. Every channel that does not execute waits for an operation
 * (its own instruction pointer in the hardware); reaching that operation wakes
 * it. A thread with no enabled channel left in the instruction's window goes
 * to JIP, the next place where one may wake.
 *
 * Channels outside the window of a branch that is narrower than the thread
 * follow the thread: code between such a branch and its join acts on the
 * window only. */
#include "emu/gen/semantics.h"

/* The thread-wide channels an instruction covers. */
static uint32_t window_of(const struct emu_operation *operation)
{
    return operation->window << operation->channel_offset;
}

static uint32_t candidates(const struct emu_thread *thread, const struct emu_operation *operation)
{
    return thread->active & window_of(operation);
}

/* Thread-wide channels selected by an instruction mask. */
static uint32_t chosen(const struct emu_thread *thread, const struct emu_operation *operation,
                       uint32_t mask)
{
    return candidates(thread, operation) & mask << operation->channel_offset;
}

static void park(struct emu_thread *thread, uint32_t channels, const struct emu_operation *target)
{
    uint32_t i = 0;
    if (!channels)
        return;
    thread->active &= ~channels;
    thread->waiting |= channels;
    while (i < thread->wait_count && thread->waits[i].operation != target)
        i++;
    if (i == thread->wait_count)
        thread->waits[thread->wait_count++] = (struct emu_wait){target, 0};
    thread->waits[i].channels |= channels;
}

void emu_thread_wake(struct emu_thread *thread, const struct emu_operation *operation)
{
    for (uint32_t i = 0; i < thread->wait_count; i++) {
        if (thread->waits[i].operation != operation)
            continue;
        thread->waiting &= ~thread->waits[i].channels;
        thread->active |= thread->waits[i].channels;
        thread->waits[i] = thread->waits[--thread->wait_count];
        return;
    }
}

/* On to the following operation, or to JIP when nobody is enabled there. */
static void proceed(struct emu_thread *thread, const struct emu_operation *operation)
{
    if (thread->waiting && !(candidates(thread, operation)))
        emu_thread_wake(thread, operation->next);
    if (!candidates(thread, operation) && operation->jip)
        thread->next = operation->jip;
}

void emu_run_if(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    park(thread, candidates(thread, operation) & ~chosen(thread, operation, mask), operation->jip);
    proceed(thread, operation);
}

void emu_run_else(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    (void)mask;
    park(thread, candidates(thread, operation), operation->uip ? operation->uip : operation->jip);
    proceed(thread, operation);
}

void emu_run_endif(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    (void)mask;
    proceed(thread, operation);
}

void emu_run_join(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    (void)mask;
    proceed(thread, operation);
}

/* Taken channels go back; the others wait behind the branch for them. */
static void loop_back(struct emu_thread *thread, const struct emu_operation *operation,
                      uint32_t mask, const struct emu_operation *target)
{
    uint32_t taken = chosen(thread, operation, mask);
    if (!taken)
        return;
    park(thread, candidates(thread, operation) & ~taken, operation->next);
    thread->next = target;
}

void emu_run_while(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    loop_back(thread, operation, mask, operation->jip);
}

/* UIP names the `while` of the loop on Gen8 and later; channels that break
 * out wait behind it. */
void emu_run_break(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const struct emu_operation *target = operation->uip;
    if (target->details->instruction.opcode == SONDE_GEN_WHILE)
        target = target->next;
    park(thread, chosen(thread, operation, mask), target);
    proceed(thread, operation);
}

void emu_run_continue(struct emu_thread *thread, const struct emu_operation *operation,
                      uint32_t mask)
{
    park(thread, chosen(thread, operation, mask), operation->uip);
    proceed(thread, operation);
}

void emu_run_halt(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    park(thread, chosen(thread, operation, mask), operation->uip);
    proceed(thread, operation);
}

/* With BranchCtrl the channels that pass the predicate go back to UIP. Without
 * it, on Gen9 those that pass fall through and the others go to UIP (forward),
 * from Gen11 on the other way round. Read off the code that the Intel compiler
 * makes for irregular loops. */
void emu_run_goto(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    uint32_t taken = chosen(thread, operation, mask);
    if (instruction->branch_control) {
        loop_back(thread, operation, mask, operation->uip);
        return;
    }
    if (instruction->platform < SONDE_GEN_PLATFORM_GEN11)
        taken = candidates(thread, operation) & ~taken;
    park(thread, taken, operation->uip);
    proceed(thread, operation);
}

void emu_run_brd(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    park(thread, chosen(thread, operation, mask), operation->jip);
    proceed(thread, operation);
}

void emu_run_brc(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    park(thread, chosen(thread, operation, mask), operation->uip);
    proceed(thread, operation);
}

/* A register that holds a branch distance or address. Returns NULL and leaves
 * a fault when it is not a plain register. */
static const uint32_t *branch_register(struct emu_thread *thread,
                                       const struct emu_operation *operation,
                                       const struct sonde_gen_operand *operand)
{
    uint32_t offset = operand->number * EMU_GRF_SIZE + operand->subreg;
    if (operand->file != SONDE_GEN_FILE_GRF || operand->indirect || offset & 3 ||
        offset + 2 * sizeof(uint32_t) > thread->register_bytes) {
        emu_thread_fault(thread, operation, operation->window, "branch operand is not a register");
        return NULL;
    }
    return (const uint32_t *)(const void *)(thread->grf + offset);
}

/* Address of an operation relative to the instruction base, as ip reads. */
static uint32_t ip_of(const struct emu_thread *thread, const struct emu_operation *operation)
{
    const struct emu_dispatch *dispatch = thread->worker->dispatch;
    return (uint32_t)(dispatch->kernel_start - dispatch->instruction_base) +
           operation->details->address;
}

/* jmpi moves the whole thread: the predicate of its first channel decides. */
void emu_run_jmpi(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    (void)mask;
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    if (instruction->predicate && !(emu_predicate_mask(thread, operation) & 1))
        return;
    if (operation->jip) {
        thread->next = operation->jip;
        return;
    }
    const uint32_t *distance = branch_register(thread, operation, &instruction->src[0]);
    uint32_t from = ip_of(thread, operation);
    if (instruction->platform < SONDE_GEN_PLATFORM_XE)
        from += instruction->size;
    if (distance)
        emu_thread_jump(thread, operation, from + *distance);
}

static void call_to(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask,
                    const struct emu_operation *target)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    uint32_t taken = chosen(thread, operation, mask);
    if (instruction->no_mask)
        taken = thread->active;
    if (!taken)
        return;
    uint32_t offset = instruction->dst.number * EMU_GRF_SIZE + instruction->dst.subreg;
    if (instruction->dst.file == SONDE_GEN_FILE_GRF && offset + 8 <= thread->register_bytes) {
        uint32_t *saved = (uint32_t *)(void *)(thread->grf + (offset & ~3u));
        saved[0] = ip_of(thread, operation) + instruction->size;
        saved[1] = taken;
    }
    park(thread, candidates(thread, operation) & ~taken, operation->next);
    thread->next = target;
}

/* The operation that a register names, relative to `base`; NULL after a fault. */
static const struct emu_operation *
named_target(struct emu_thread *thread, const struct emu_operation *operation, uint32_t base)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    const uint32_t *value = branch_register(thread, operation, &instruction->src[0]);
    if (!value)
        return NULL;
    return emu_thread_lookup(thread, operation,
                             thread->worker->dispatch->instruction_base + (base + *value));
}

void emu_run_call(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const struct emu_operation *target = operation->jip;
    if (!target)
        target = named_target(thread, operation, ip_of(thread, operation));
    if (target)
        call_to(thread, operation, mask, target);
}

/* The distance of calla is an address relative to the instruction base. */
void emu_run_calla(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const struct emu_dispatch *dispatch = thread->worker->dispatch;
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    const struct emu_operation *target =
        instruction->has_jip
            ? emu_thread_lookup(thread, operation,
                                dispatch->instruction_base + (uint32_t)instruction->jip)
            : named_target(thread, operation, 0);
    if (target)
        call_to(thread, operation, mask, target);
}

void emu_run_return(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const uint32_t *saved =
        branch_register(thread, operation, &operation->details->instruction.src[0]);
    if (!saved)
        return;
    uint32_t taken = chosen(thread, operation, mask);
    const struct emu_dispatch *dispatch = thread->worker->dispatch;
    const struct emu_operation *target =
        emu_thread_lookup(thread, operation, dispatch->instruction_base + *saved);
    park(thread, taken, target);
    if (!candidates(thread, operation)) {
        thread->next = target;
        emu_thread_wake(thread, target);
    }
}
