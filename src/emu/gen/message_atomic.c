/* Atomic operations on surfaces, 64-bit addresses and local memory. They are
 * done on host memory with compare-and-exchange, so that they are atomic
 * against the other host threads of a dispatch. */
#include <math.h>

#include "emu/gen/half.h"
#include "emu/gen/message.h"

enum integer_operation {
    ATOMIC_CMPWR_WIDE = 0x0, /* compare and write of twice the message's size */
    ATOMIC_AND = 0x1,
    ATOMIC_OR = 0x2,
    ATOMIC_XOR = 0x3,
    ATOMIC_MOV = 0x4,
    ATOMIC_INC = 0x5,
    ATOMIC_DEC = 0x6,
    ATOMIC_ADD = 0x7,
    ATOMIC_SUB = 0x8,
    ATOMIC_REVSUB = 0x9,
    ATOMIC_SMAX = 0xa,
    ATOMIC_SMIN = 0xb,
    ATOMIC_UMAX = 0xc,
    ATOMIC_UMIN = 0xd,
    ATOMIC_CMPWR = 0xe,
    ATOMIC_PREDEC = 0xf,
    ATOMIC_LOAD = 0x10,
};

enum float_operation {
    ATOMIC_FMAX = 1,
    ATOMIC_FMIN = 2,
    ATOMIC_FCMPWR = 3,
    ATOMIC_FADD = 4,
    ATOMIC_FSUB = 5,
    ATOMIC_FADD_WIDE = 6, /* of 64 bits */
    ATOMIC_FSUB_WIDE = 7,
};

static int64_t sign_extend(uint64_t value, uint32_t size)
{
    unsigned unused = 64 - 8 * size;

    return (int64_t)(value << unused) >> unused;
}

static uint64_t integer_result(uint8_t operation, uint32_t size, uint64_t old,
                               const uint64_t operand[2])
{
    uint64_t a = operand[0];
    int64_t signed_old = sign_extend(old, size), signed_a = sign_extend(a, size);

    switch ((enum integer_operation)operation) {
    case ATOMIC_AND:
        return old & a;
    case ATOMIC_OR:
        return old | a;
    case ATOMIC_XOR:
        return old ^ a;
    case ATOMIC_MOV:
        return a;
    case ATOMIC_INC:
        return old + 1;
    case ATOMIC_DEC:
    case ATOMIC_PREDEC:
        return old - 1;
    case ATOMIC_ADD:
        return old + a;
    case ATOMIC_SUB:
        return old - a;
    case ATOMIC_REVSUB:
        return a - old;
    case ATOMIC_SMAX:
        return signed_old > signed_a ? old : a;
    case ATOMIC_SMIN:
        return signed_old < signed_a ? old : a;
    case ATOMIC_UMAX:
        return old > a ? old : a;
    case ATOMIC_UMIN:
        return old < a ? old : a;
    case ATOMIC_CMPWR_WIDE:
    case ATOMIC_CMPWR:
        return old == a ? operand[1] : old;
    case ATOMIC_LOAD:
        break;
    }
    return old;
}

static float as_float(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;

    memcpy(&value, &word, sizeof value);
    return value;
}

static double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t double_result(uint8_t operation, uint64_t old, const uint64_t operand[2])
{
    double a = as_double(operand[0]), b = as_double(old), value = b;
    uint64_t word;

    switch ((enum float_operation)operation) {
    case ATOMIC_FMAX:
        value = fmax(a, b);
        break;
    case ATOMIC_FMIN:
        value = fmin(a, b);
        break;
    case ATOMIC_FCMPWR:
        return a == b ? operand[1] : old;
    case ATOMIC_FADD:
    case ATOMIC_FADD_WIDE:
        value = b + a;
        break;
    case ATOMIC_FSUB:
    case ATOMIC_FSUB_WIDE:
        value = b - a;
        break;
    }
    memcpy(&word, &value, sizeof word);
    return word;
}

static uint64_t float_result(uint8_t operation, uint64_t old, const uint64_t operand[2])
{
    float a = as_float(operand[0]), b = as_float(old), value = b;
    uint32_t word;

    switch ((enum float_operation)operation) {
    case ATOMIC_FMAX:
        value = fmaxf(a, b);
        break;
    case ATOMIC_FMIN:
        value = fminf(a, b);
        break;
    case ATOMIC_FCMPWR: /* the bits of the new value are stored as they are */
        return a == b ? operand[1] : old;
    case ATOMIC_FADD:
        value = b + a;
        break;
    case ATOMIC_FSUB:
        value = b - a;
        break;
    case ATOMIC_FADD_WIDE:
    case ATOMIC_FSUB_WIDE:
        break;
    }
    memcpy(&word, &value, sizeof word);
    return word;
}

/* The operation on floats, rounded to half. */
static uint64_t half_result(uint8_t operation, uint64_t old, const uint64_t operand[2])
{
    float a = emu_half_to_float((uint16_t)operand[0]), b = emu_half_to_float((uint16_t)old);
    uint64_t wide[2] = {0, operand[1]}, old_wide = 0;
    uint32_t word;
    float value;

    if (operation == ATOMIC_FCMPWR)
        return a == b ? operand[1] : old;
    memcpy(wide, &a, sizeof a);
    memcpy(&old_wide, &b, sizeof b);
    word = (uint32_t)float_result(operation, old_wide, wide);
    memcpy(&value, &word, sizeof value);
    return emu_float_to_half(value, 0);
}

unsigned message_atomic_sources(const struct sonde_gen_message *message)
{
    if (message->atomic_float)
        return message->atomic == ATOMIC_FCMPWR ? 2 : 1;
    switch (message->atomic) {
    case ATOMIC_INC:
    case ATOMIC_DEC:
    case ATOMIC_PREDEC:
    case ATOMIC_LOAD:
        return 0;
    case ATOMIC_CMPWR_WIDE:
    case ATOMIC_CMPWR:
        return 2;
    default:
        return 1;
    }
}

static uint64_t new_value(const struct sonde_gen_message *message, uint32_t size, uint64_t old,
                          const uint64_t operand[2])
{
    if (!message->atomic_float)
        return integer_result(message->atomic, size, old, operand);
    return size == 8   ? double_result(message->atomic, old, operand)
           : size == 4 ? float_result(message->atomic, old, operand)
                       : half_result(message->atomic, old, operand);
}

static bool known(const struct sonde_gen_message *message, uint32_t size)
{
    if (!message->atomic_float)
        return message->atomic <= ATOMIC_LOAD && (size == 2 || size == 4 || size == 8);
    return message->atomic >= ATOMIC_FMAX &&
           message->atomic <= (size == 8 ? ATOMIC_FSUB_WIDE : ATOMIC_FSUB);
}

/* Load, compute, and exchange when nobody wrote in between. */
#define APPLY(type)                                                                                \
    do {                                                                                           \
        type *cell = (type *)(void *)host;                                                         \
        type old = __atomic_load_n(cell, __ATOMIC_SEQ_CST), next;                                  \
        do                                                                                         \
            next = (type)new_value(message, size, old, operand);                                   \
        while (!__atomic_compare_exchange_n(cell, &old, next, false, __ATOMIC_SEQ_CST,             \
                                            __ATOMIC_SEQ_CST));                                    \
        *result = !message->atomic_float && message->atomic == ATOMIC_PREDEC ? next : old;         \
    } while (0)

bool message_atomic_apply(const struct sonde_gen_message *message, uint8_t *host, uint32_t size,
                          const uint64_t operand[2], uint64_t *result)
{
    if (!known(message, size))
        return false;
    if (size == 8)
        APPLY(uint64_t);
    else if (size == 4)
        APPLY(uint32_t);
    else
        APPLY(uint16_t);
    return true;
}

/* One message, taken apart. */
struct atomic {
    struct message_space space;
    uint32_t lanes, size, slot;
    uint32_t data;        /* payload register of the first source */
    uint32_t per_operand; /* registers a source takes */
    unsigned sources;
    uint64_t offsets[MESSAGE_LANES_MAX];
};

static uint64_t lane_operand(const struct emu_message_context *context, const struct atomic *atomic,
                             unsigned source, uint32_t lane)
{
    uint32_t per_register = EMU_GRF_SIZE / atomic->slot;
    uint32_t index = atomic->data + source * atomic->per_operand + lane / per_register;
    uint64_t value = 0;

    memcpy(&value, message_payload(context, index) + (size_t)(lane % per_register) * atomic->slot,
           atomic->size);
    return value;
}

static enum emu_message_outcome apply_lane(struct emu_message_context *context,
                                           const struct atomic *atomic, uint32_t lane,
                                           uint32_t *outside)
{
    uint64_t operand[2] = {0, 0}, result = 0, offset = atomic->offsets[lane];
    uint32_t per_register = EMU_GRF_SIZE / atomic->slot;
    uint8_t *host;

    if ((atomic->space.base + offset) % atomic->size) {
        emu_worker_fault(
            context->worker, "atomic of %u bytes at misaligned address 0x%llx, channel %u",
            atomic->size,
            (unsigned long long)((atomic->space.base + offset) & MESSAGE_ADDRESS_MASK), lane);
        return EMU_MESSAGE_FAULT;
    }
    for (unsigned source = 0; source < atomic->sources; source++)
        operand[source] = lane_operand(context, atomic, source, lane);
    host = message_locate(&atomic->space, offset, atomic->size, true);
    if (!host) {
        if (message_inside(&atomic->space, offset, atomic->size))
            return message_fault_unmapped(&atomic->space, offset, atomic->size, lane);
        ++*outside;
    } else if (!message_atomic_apply(context->message, host, atomic->size, operand, &result)) {
        emu_worker_fault(context->worker, "%s atomic operation %u on %u bytes is not emulated",
                         context->message->atomic_float ? "float" : "integer",
                         context->message->atomic, atomic->size);
        return EMU_MESSAGE_FAULT;
    }
    if (context->message->returns_data && context->dst != UINT32_MAX)
        memcpy(message_response(context, lane / per_register) +
                   (size_t)(lane % per_register) * atomic->slot,
               &result, atomic->slot);
    return EMU_MESSAGE_DONE;
}

enum emu_message_outcome message_atomic(struct emu_message_context *context)
{
    const struct sonde_gen_message *message = context->message;
    uint32_t address_size = message_address_size(message);
    struct atomic atomic = {.lanes = message_lanes(context),
                            .size = message->element_size ? message->element_size : 4,
                            .sources = message_atomic_sources(message)};
    uint32_t outside = 0;

    if (!message->atomic_float && message->atomic == ATOMIC_CMPWR_WIDE)
        atomic.size = atomic.size < 8 ? 8 : 0; /* 16 bytes: refused below */
    if (atomic.size != 2 && atomic.size != 4 && atomic.size != 8)
        return message_fault(context, "atomic message with an unknown element size");
    atomic.slot = atomic.size < 4 ? 4 : atomic.size;
    atomic.data = message->header + message_registers(atomic.lanes, address_size);
    atomic.per_operand = message_registers(atomic.lanes, atomic.slot);
    if (!message_require(context, atomic.data + atomic.sources * atomic.per_operand,
                         message->returns_data ? atomic.per_operand : 0) ||
        !message_space_open(context, &atomic.space))
        return EMU_MESSAGE_FAULT;
    message_addresses(context, message->header, atomic.lanes, atomic.offsets);
    for (uint32_t left = context->enabled & message_lane_mask(atomic.lanes); left;
         left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        enum emu_message_outcome outcome = apply_lane(context, &atomic, lane, &outside);

        if (outcome != EMU_MESSAGE_DONE)
            return outcome;
    }
    if (outside)
        emu_worker_out_of_bounds(context->worker, outside);
    return EMU_MESSAGE_DONE;
}
