/* The fast interpreter: one handler for each common combination of operation
 * and operands, reached by a computed jump from the handler before. */
#include <string.h>

#include "emu/msp430/handlers.h"
#include "emu/msp430/internal.h"
#include "emu/msp430/operations.h"

#define SLOW(expression)                                                                           \
    do {                                                                                           \
        sim->cycle = cycle;                                                                        \
        r[0] = pc;                                                                                 \
        expression;                                                                                \
        deadline = sim->deadline;                                                                  \
        if (sim->has_fault)                                                                        \
            goto fault;                                                                            \
    } while (0)

#define LOAD_16(value, at)                                                                         \
    do {                                                                                           \
        uint32_t a_ = (at);                                                                        \
        if (__builtin_expect((pages[a_ >> MSP430_PAGE_BITS] & MSP430_PAGE_READ) && !(a_ & 1), 1))  \
            value = memory[a_] | (uint32_t)memory[a_ + 1] << 8;                                    \
        else                                                                                       \
            SLOW(value = msp430_load(sim, a_, false));                                             \
    } while (0)
#define LOAD_8(value, at)                                                                          \
    do {                                                                                           \
        uint32_t a_ = (at);                                                                        \
        if (__builtin_expect(pages[a_ >> MSP430_PAGE_BITS] & MSP430_PAGE_READ, 1))                 \
            value = memory[a_];                                                                    \
        else                                                                                       \
            SLOW(value = msp430_load(sim, a_, true));                                              \
    } while (0)
#define STORE_16(at, value)                                                                        \
    do {                                                                                           \
        uint32_t a_ = (at), v_ = (value);                                                          \
        if (__builtin_expect((pages[a_ >> MSP430_PAGE_BITS] & MSP430_PAGE_WRITE) && !(a_ & 1),     \
                             1)) {                                                                 \
            memory[a_] = (uint8_t)v_;                                                              \
            memory[a_ + 1] = (uint8_t)(v_ >> 8);                                                   \
        } else                                                                                     \
            SLOW(msp430_store(sim, a_, v_, false));                                                \
    } while (0)
#define STORE_8(at, value)                                                                         \
    do {                                                                                           \
        uint32_t a_ = (at), v_ = (value);                                                          \
        if (__builtin_expect(pages[a_ >> MSP430_PAGE_BITS] & MSP430_PAGE_WRITE, 1))                \
            memory[a_] = (uint8_t)v_;                                                              \
        else                                                                                       \
            SLOW(msp430_store(sim, a_, v_, true));                                                 \
    } while (0)

#define SOURCE_REG(bits) s = r[op->src] & MASK(bits)
#define SOURCE_IMM(bits) s = (uint32_t)op->src_value & MASK(bits)
#define SOURCE_MEM(bits) LOAD_##bits(s, address_of(r[op->src], op->src_value))
#define SOURCE_INC(bits)                                                                           \
    do {                                                                                           \
        LOAD_##bits(s, r[op->src]);                                                                \
        r[op->src] = (r[op->src] + bits / 8) & register_mask;                                      \
    } while (0)

#define DISPATCH()                                                                                 \
    do {                                                                                           \
        op = &ops[pc >> 1];                                                                        \
        goto *labels[op->handler];                                                                 \
    } while (0)
#define NEXT()                                                                                     \
    do {                                                                                           \
        instructions++;                                                                            \
        cycle += op->cycles;                                                                       \
        if (__builtin_expect(cycle >= deadline, 0))                                                \
            goto boundary;                                                                         \
        DISPATCH();                                                                                \
    } while (0)

#define TO_REGISTER(name, source, bits)                                                            \
    {                                                                                              \
        SOURCE_##source(bits);                                                                     \
        d = READS_##name ? r[op->dst] & MASK(bits) : 0;                                            \
        uint32_t result = RESULT_##name(bits);                                                     \
        if (WRITES_##name)                                                                         \
            r[op->dst] = result & MASK(bits);                                                      \
        pc += op->size;                                                                            \
        NEXT();                                                                                    \
    }
#define TO_MEMORY(name, source, bits)                                                              \
    {                                                                                              \
        SOURCE_##source(bits);                                                                     \
        uint32_t at = address_of(r[op->dst], op->dst_value);                                       \
        d = 0;                                                                                     \
        if (READS_##name)                                                                          \
            LOAD_##bits(d, at);                                                                    \
        uint32_t result = RESULT_##name(bits);                                                     \
        if (WRITES_##name)                                                                         \
            STORE_##bits(at, result);                                                              \
        (void)result;                                                                              \
        pc += op->size;                                                                            \
        NEXT();                                                                                    \
    }

#define LABEL(name, label) &&label,
#define LABELS(name, source)                                                                       \
    &&name##_##source##_REG_16, &&name##_##source##_REG_8, &&name##_##source##_MEM_16,             \
        &&name##_##source##_MEM_8,
#define HANDLERS(name, source)                                                                     \
    name##_##source##_REG_16 : TO_REGISTER(name, source, 16) name##_##source##_REG_8               \
        : TO_REGISTER(name, source, 8) name##_##source##_MEM_16                                    \
        : TO_MEMORY(name, source, 16) name##_##source##_MEM_8 : TO_MEMORY(name, source, 8)

#define JUMP(name, condition)                                                                      \
    name:                                                                                          \
    pc = (condition) ? (uint32_t)op->src_value : pc + 2;                                           \
    NEXT();

/* SP moves down by a word that may be written there. */
#define PUSH(value)                                                                                \
    do {                                                                                           \
        uint32_t sp_ = (r[1] - 2) & register_mask;                                                 \
        if (__builtin_expect(sp_ < stack_limit && r[1] >= stack_limit, 0))                         \
            SLOW(msp430_fault(sim, SONDE_MSP430_STOP_STACK, sp_));                                 \
        STORE_16(sp_, value);                                                                      \
        r[1] = sp_;                                                                                \
    } while (0)

/* --- handlers --- */

/* Jumps of a known target, and what moves the stack by a word. */
#define BRANCHES                                                                                   \
    branch:                                                                                        \
    pc = (uint32_t)op->src_value;                                                                  \
    NEXT();                                                                                        \
    ret:                                                                                           \
    LOAD_16(t, r[1]);                                                                              \
    if (t & 1)                                                                                     \
        SLOW(msp430_fault(sim, SONDE_MSP430_STOP_UNALIGNED, t));                                   \
    msp430_note_return(sim, r[1]);                                                                 \
    r[1] = (r[1] + 2) & register_mask;                                                             \
    pc = t;                                                                                        \
    NEXT();                                                                                        \
    call:                                                                                          \
    PUSH(pc + op->size);                                                                           \
    msp430_note_call(sim, r[1], pc + op->size, (uint32_t)op->src_value);                           \
    pc = (uint32_t)op->src_value;                                                                  \
    NEXT();                                                                                        \
    push_register:                                                                                 \
    t = r[op->src];                                                                                \
    PUSH(t);                                                                                       \
    pc += op->size;                                                                                \
    NEXT();                                                                                        \
    push_immediate:                                                                                \
    PUSH((uint32_t)op->src_value & 0xffff);                                                        \
    pc += op->size;                                                                                \
    NEXT();

/* Format II with a register. */
#define SHIFTS                                                                                     \
    rrc:                                                                                           \
    s = r[op->src] & 0xffff;                                                                       \
    t = s >> 1 | (sr & 1) << 15;                                                                   \
    goto shifted;                                                                                  \
    rra:                                                                                           \
    s = r[op->src] & 0xffff;                                                                       \
    t = s >> 1 | (s & 0x8000);                                                                     \
    shifted:                                                                                       \
    sr = (sr & ~(uint32_t)FLAGS) | (s & 1) | (t == 0 ? MSP430_SR_Z : 0) | t >> 15 << 2;            \
    r[op->src] = t;                                                                                \
    pc += 2;                                                                                       \
    NEXT();                                                                                        \
    swpb:                                                                                          \
    s = r[op->src];                                                                                \
    r[op->src] = (s >> 8 & 0xff) | (s & 0xff) << 8;                                                \
    pc += 2;                                                                                       \
    NEXT();                                                                                        \
    sxt:                                                                                           \
    s = (uint32_t)(int32_t)(int8_t)r[op->src];                                                     \
    sr = logic_flags(sr, s & 0xffff, 16);                                                          \
    r[op->src] = s & register_mask;                                                                \
    pc += 2;                                                                                       \
    NEXT();

/* The general way knows when a jump to itself is the end of the program. */
#define JUMPS                                                                                      \
    JUMP(jne, !(sr & MSP430_SR_Z))                                                                 \
    JUMP(jeq, (sr & MSP430_SR_Z) != 0)                                                             \
    JUMP(jnc, !(sr & MSP430_SR_C))                                                                 \
    JUMP(jc, (sr & MSP430_SR_C) != 0)                                                              \
    JUMP(jn, (sr & MSP430_SR_N) != 0)                                                              \
    JUMP(jge, !((sr >> 8 ^ sr >> 2) & 1))                                                          \
    JUMP(jl, (sr >> 8 ^ sr >> 2) & 1)                                                              \
    JUMP(jmp, true)                                                                                \
    self_jump:                                                                                     \
    goto general;

/* The state of the loop, in the simulator's structure and back. */
#define PUT_STATE()                                                                                \
    do {                                                                                           \
        sim->cycle = cycle;                                                                        \
        r[0] = pc;                                                                                 \
        r[2] = sr;                                                                                 \
    } while (0)
#define GET_STATE()                                                                                \
    do {                                                                                           \
        cycle = sim->cycle;                                                                        \
        deadline = sim->deadline;                                                                  \
        pc = r[0];                                                                                 \
        sr = r[2];                                                                                 \
    } while (0)

/* The handlers are one function because a computed jump cannot leave it. */
void msp430_interpret(struct sonde_msp430_sim *sim, const struct sonde_msp430_limits *limits,
                      uint64_t last_instruction)
{
    static const void *const labels[HANDLER_COUNT] = {MSP430_HANDLERS(LABEL) OPERATIONS(LABELS)};
    uint32_t *const r = sim->r;
    uint8_t *const memory = sim->memory;
    const uint8_t *const pages = sim->pages;
    struct msp430_op *const ops = sim->ops, *op;
    const uint32_t stack_limit = sim->stack_limit;
    const uint32_t register_mask =
        sim->device->core == SONDE_MSP430_CORE_CPU ? 0xffffu : MSP430_MEMORY_SIZE - 1;
    uint64_t cycle = sim->cycle, deadline = 0, instructions = sim->instructions;
    uint32_t pc = r[0], sr = r[2], s, d, t, v;

boundary:
    PUT_STATE();
    sim->instructions = instructions;
    if (!msp430_boundary(sim, limits, last_instruction))
        return;
    GET_STATE();
    DISPATCH();

decode:
    r[0] = pc;
    if (!msp430_predecode(sim, pc))
        goto fault;
    DISPATCH();

general:
    PUT_STATE();
    msp430_execute_general(sim);
    if (sim->has_fault)
        goto fault;
    instructions++;
    t = sr ^ r[2];
    GET_STATE();
    if (cycle >= deadline || (t & ~(uint32_t)FLAGS) != 0)
        goto boundary;
    DISPATCH();

enter:
leave:
    sim->cycle = cycle;
    msp430_event(sim,
                 op->handler == HANDLER_ENTER ? SONDE_MSP430_EVENT_ENTER : SONDE_MSP430_EVENT_EXIT,
                 pc, 0);
    pc += 2;
    DISPATCH();

hook:
    PUT_STATE();
    msp430_hook_reached(sim);
    goto *labels[op->under];

    BRANCHES
    SHIFTS
    JUMPS
    OPERATIONS(HANDLERS)

stop:
    sim->result = (struct sonde_msp430_result){.reason = SONDE_MSP430_STOP_ADDRESS, .address = pc};

fault:
    PUT_STATE();
    sim->instructions = instructions;
}
