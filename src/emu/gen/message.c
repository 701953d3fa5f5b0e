/* Entry of the message units: checks the register operands, then hands the
 * message to its unit. Fences, the gateway and the end of a thread are here. */
#include "emu/gen/message.h"

static bool past_end(const struct emu_message_context *context, uint32_t first, uint32_t count)
{
    uint32_t registers = context->dispatch->grf_count ? context->dispatch->grf_count : 128;

    return first >= registers || count > registers - first;
}

static bool operands_fit(struct emu_message_context *context)
{
    const struct sonde_gen_message *message = context->message;

    if ((message->payload_registers &&
         past_end(context, context->src0, message->payload_registers)) ||
        (context->src1 != UINT32_MAX &&
         past_end(context, context->src1, message->src1_registers)) ||
        (context->dst != UINT32_MAX &&
         past_end(context, context->dst, message->response_registers))) {
        emu_worker_fault(context->worker, "message operand runs past the last register");
        return false;
    }
    if (message->header && message_payload_count(context) == 0) {
        emu_worker_fault(context->worker, "message with a header but without a payload");
        return false;
    }
    return true;
}

/* Memory is coherent between the workers, so that a fence only has to order
 * this worker's accesses and to write the register that the kernel waits on. */
static enum emu_message_outcome fence(struct emu_message_context *context)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (context->dst != UINT32_MAX && context->message->response_registers)
        memset(message_response(context, 0), 0,
               (size_t)context->message->response_registers * EMU_GRF_SIZE);
    return EMU_MESSAGE_DONE;
}

static bool meet(uint32_t a, uint32_t a_count, uint32_t b, uint32_t b_count)
{
    return a < b + b_count && b < a + a_count;
}

/* Messages that write results channel by channel have read their whole payload
 * before: keep a copy when the response lies over it. */
static enum emu_message_outcome
run_unit(struct emu_message_context *context,
         enum emu_message_outcome (*unit)(struct emu_message_context *context))
{
    const struct sonde_gen_message *message = context->message;
    uint8_t copy[2 * EMU_GRF_COUNT * EMU_GRF_SIZE];
    enum emu_message_outcome outcome;

    if (context->dst == UINT32_MAX ||
        (!meet(context->dst, message->response_registers, context->src0,
               message->payload_registers) &&
         (context->src1 == UINT32_MAX || !meet(context->dst, message->response_registers,
                                               context->src1, message->src1_registers))))
        return unit(context);
    for (uint32_t i = 0; i < message_payload_count(context); i++)
        memcpy(copy + (size_t)i * EMU_GRF_SIZE, message_payload(context, i), EMU_GRF_SIZE);
    context->payload = copy;
    outcome = unit(context);
    context->payload = NULL;
    return outcome;
}

static enum emu_message_outcome access_memory(struct emu_message_context *context)
{
    switch ((enum sonde_gen_message_layout)context->message->layout) {
    case SONDE_GEN_LAYOUT_UNTYPED:
        return context->message->simd < 8 ? run_unit(context, message_untyped)
                                          : message_untyped(context);
    case SONDE_GEN_LAYOUT_SCATTERED:
        return message_scattered(context);
    case SONDE_GEN_LAYOUT_STRIDED:
        return context->message->transposed ? message_block(context)
                                            : run_unit(context, message_scattered);
    case SONDE_GEN_LAYOUT_OWORD_BLOCK:
    case SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED:
    case SONDE_GEN_LAYOUT_HWORD_BLOCK:
    case SONDE_GEN_LAYOUT_SCRATCH_BLOCK:
    case SONDE_GEN_LAYOUT_BLOCK:
        return message_block(context);
    case SONDE_GEN_LAYOUT_BLOCK2D:
        return message_fault(context, "two-dimensional blocks exist from Xe-HPC on");
    case SONDE_GEN_LAYOUT_TYPED:
    case SONDE_GEN_LAYOUT_NONE:
        break;
    }
    return message_fault(context, "memory message with an unknown payload layout");
}

enum emu_message_outcome emu_message_execute(struct emu_message_context *context)
{
    if (!operands_fit(context))
        return EMU_MESSAGE_FAULT;
    switch ((enum sonde_gen_message_operation)context->message->operation) {
    case SONDE_GEN_MESSAGE_READ:
    case SONDE_GEN_MESSAGE_WRITE:
        return access_memory(context);
    case SONDE_GEN_MESSAGE_ATOMIC:
        return run_unit(context, message_atomic);
    case SONDE_GEN_MESSAGE_TYPED_READ:
    case SONDE_GEN_MESSAGE_TYPED_WRITE:
        return run_unit(context, message_typed);
    case SONDE_GEN_MESSAGE_TYPED_ATOMIC:
        return run_unit(context, message_typed_atomic);
    case SONDE_GEN_MESSAGE_MEDIA_READ:
    case SONDE_GEN_MESSAGE_MEDIA_WRITE:
        return message_media_block(context);
    case SONDE_GEN_MESSAGE_SAMPLE:
        return run_unit(context, message_sample);
    case SONDE_GEN_MESSAGE_READ_STATUS:
        return run_unit(context, message_status);
    case SONDE_GEN_MESSAGE_FENCE:
    case SONDE_GEN_MESSAGE_CACHE_FLUSH:
        return fence(context);
    case SONDE_GEN_MESSAGE_BARRIER:
        return EMU_MESSAGE_BARRIER;
    case SONDE_GEN_MESSAGE_END_OF_THREAD:
        return EMU_MESSAGE_END_OF_THREAD;
    case SONDE_GEN_MESSAGE_GATEWAY:
        emu_worker_fault(context->worker, "gateway function %u is not emulated",
                         context->message->gateway_function);
        return EMU_MESSAGE_FAULT;
    default:
        break;
    }
    return message_fault(context, "message is not known to the emulator");
}
