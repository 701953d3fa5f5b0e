/* The send family: hands a message to the message units and acts on what they
 * say about the thread. */
#include <string.h>

#include "emu/gen/semantics.h"

/* Descriptors in address registers are known only now. */
static bool decode_now(struct emu_thread *thread, const struct emu_operation *operation,
                       uint32_t mask, struct sonde_gen_message *message)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    const struct sonde_gen_send *send = &instruction->send;
    struct sonde_error error;
    uint32_t descriptor = send->descriptor, extended = send->ex_descriptor;
    if (send->descriptor_is_register)
        memcpy(&descriptor, &thread->address[0], sizeof(descriptor));
    if (send->ex_descriptor_is_register)
        memcpy(&extended, &thread->address[send->ex_descriptor_subreg & 14], sizeof(extended));
    if (sonde_gen_message_decode_values(instruction, descriptor, extended, message, &error) ==
        SONDE_OK)
        return true;
    emu_thread_fault(thread, operation, mask, "%s", error.message);
    return false;
}

/* `last` signalled last, and is the only one that runs. */
static void release_barrier(struct emu_group *group, const struct emu_thread *last)
{
    uint64_t latest = 0;
    for (uint32_t i = 0; i < group->thread_count; i++)
        if (group->threads[i].cycles > latest)
            latest = group->threads[i].cycles;
    last->worker->waited += latest - last->cycles;
    for (uint32_t i = 0; i < group->thread_count; i++) {
        struct emu_thread *thread = &group->threads[i];
        if (!thread->at_barrier)
            continue;
        thread->at_barrier = false;
        thread->blocked = false;
        thread->notification[0]++;
        thread->cycles = latest;
    }
    group->signalled = 0;
}

static void note_divergence(struct emu_thread *thread, const struct emu_operation *operation)
{
    const struct emu_group *group = thread->group;
    struct emu_divergence *divergence = &thread->worker->divergence;
    if (thread->active == thread->dispatch && group->met_barrier == operation)
        return;
    if (divergence->barriers++)
        return;
    divergence->instruction_offset = operation->details->address;
    divergence->other_offset = group->met_barrier->details->address;
    divergence->active = thread->active;
    divergence->channels = thread->dispatch;
    divergence->thread = thread->index;
    memcpy(divergence->group, group->id, sizeof(divergence->group));
}

static void signal_barrier(struct emu_thread *thread, const struct emu_operation *operation,
                           uint32_t mask)
{
    struct emu_group *group = thread->group;
    if (thread->at_barrier) {
        emu_thread_fault(thread, operation, mask,
                         "second barrier signal before the first was waited for");
        return;
    }
    thread->at_barrier = true;
    if (group->signalled == 0)
        group->met_barrier = operation;
    note_divergence(thread, operation);
    if (++group->signalled == group->thread_count)
        release_barrier(group, thread);
}

static uint32_t payload_register(const struct sonde_gen_operand *operand)
{
    return operand->file == SONDE_GEN_FILE_GRF ? operand->number : UINT32_MAX;
}

static void end_thread(struct emu_thread *thread)
{
    thread->finished = true;
    thread->stopped = true;
    thread->group->unfinished--;
    thread->worker->threads++;
}

void emu_run_message(struct emu_thread *thread, const struct emu_operation *operation,
                     uint32_t mask)
{
    const struct emu_details *details = operation->details;
    const struct sonde_gen_instruction *instruction = &details->instruction;
    struct sonde_gen_message message;
    struct emu_message_context context = {
        .worker = thread->worker,
        .thread = thread,
        .grf = thread->grf,
        .enabled = mask,
        .dispatch = thread->worker->dispatch,
        .slm = thread->group->slm,
        .slot = thread->group->first_slot + thread->index,
        .dst = payload_register(&instruction->dst),
        .src0 = payload_register(&instruction->src[0]),
        .src1 = instruction->source_count > 1 ? payload_register(&instruction->src[1]) : UINT32_MAX,
        .message = &details->message,
    };
    if (instruction->predicate && !mask)
        return; /* not sent at all */
    if (instruction->dst.indirect || instruction->src[0].indirect) {
        emu_thread_fault(thread, operation, mask, "register-indirect message payload");
        return;
    }
    if (!details->message_decoded) {
        if (!decode_now(thread, operation, mask, &message))
            return;
        context.message = &message;
    }
    thread->worker->current = thread;
    thread->worker->current_operation = operation;
    thread->worker->current_mask = mask;
    switch (emu_message_execute(&context)) {
    case EMU_MESSAGE_DONE:
        if (instruction->send.end_of_thread)
            end_thread(thread);
        break;
    case EMU_MESSAGE_END_OF_THREAD:
        end_thread(thread);
        break;
    case EMU_MESSAGE_BARRIER:
        signal_barrier(thread, operation, mask);
        break;
    case EMU_MESSAGE_FAULT:
        thread->stopped = true;
        break;
    }
}

void emu_send_translate(struct emu_details *details)
{
    const struct sonde_gen_send *send = &details->instruction.send;
    if (send->descriptor_is_register || send->ex_descriptor_is_register)
        return;
    details->message_decoded =
        sonde_gen_message_decode(&details->instruction, &details->message, NULL) == SONDE_OK;
}
