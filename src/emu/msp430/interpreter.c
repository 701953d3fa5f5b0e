/* The fast interpreter: one handler for each common combination of operation
 * and operands, reached by a computed jump from the handler before. */
#include <string.h>

#include "emu/msp430/handlers.h"
#include "emu/msp430/internal.h"

/* Every operation of format I with every operand combination. */
#define WITH_SOURCES(X, op) X(op, REG) X(op, IMM) X(op, MEM) X(op, INC)
#define OPERATIONS(X)                                                                              \
    WITH_SOURCES(X, MOV)                                                                           \
    WITH_SOURCES(X, ADD)                                                                           \
    WITH_SOURCES(X, ADDC)                                                                          \
    WITH_SOURCES(X, SUBC)                                                                          \
    WITH_SOURCES(X, SUB)                                                                           \
    WITH_SOURCES(X, CMP)                                                                           \
    WITH_SOURCES(X, DADD)                                                                          \
    WITH_SOURCES(X, BIT)                                                                           \
    WITH_SOURCES(X, BIC) WITH_SOURCES(X, BIS) WITH_SOURCES(X, XOR) WITH_SOURCES(X, AND)

#define FLAGS (MSP430_SR_V | MSP430_SR_N | MSP430_SR_Z | MSP430_SR_C)

static inline uint32_t address_of(uint32_t base, int32_t index)
{
    return (base + (uint32_t)index) & (base > 0xffff ? 0xfffffu : 0xffffu);
}

static inline uint32_t logic_flags(uint32_t sr, uint32_t result, unsigned bits)
{
    sr &= ~(uint32_t)FLAGS;
    sr |= result == 0 ? MSP430_SR_Z : MSP430_SR_C;
    return sr | (result >> (bits - 1) << 2);
}

static inline uint32_t sum_flags(uint32_t sr, uint32_t s, uint32_t d, uint32_t sum, unsigned bits)
{
    uint32_t mask = (1u << bits) - 1;
    sr &= ~(uint32_t)FLAGS;
    sr |= sum >> bits & 1;
    sr |= (sum & mask) == 0 ? MSP430_SR_Z : 0;
    sr |= (sum >> (bits - 1) & 1) << 2;
    return sr | (((s ^ sum) & (d ^ sum)) >> (bits - 1) & 1) << 8;
}

/* Decimal sum; what it does to digits above 9 TI leaves open. */
static uint32_t decimal_sum(uint32_t s, uint32_t d, uint32_t carry, unsigned bits)
{
    uint32_t sum = carry;
    for (unsigned shift = 0; shift < bits; shift += 4) {
        sum += (s & 0xfu << shift) + (d & 0xfu << shift);
        if ((sum & 0x1fu << shift) > 9u << shift)
            sum += 6u << shift;
    }
    return sum;
}

/* Results of the operations from s, d and sr; they may change sr. */
#define RESULT_MOV(bits)  (s)
#define RESULT_ADD(bits)  SUM(s, 0, bits)
#define RESULT_ADDC(bits) SUM(s, sr & 1, bits)
#define RESULT_SUBC(bits) SUM(~s &MASK(bits), sr & 1, bits)
#define RESULT_SUB(bits)  SUM(~s &MASK(bits), 1, bits)
#define RESULT_CMP(bits)  SUM(~s &MASK(bits), 1, bits)
#define RESULT_DADD(bits)                                                                          \
    (t = decimal_sum(s, d, sr & 1, bits),                                                          \
     sr = (sr & ~(uint32_t)FLAGS) | (t >> bits & 1) | ((t & MASK(bits)) == 0 ? MSP430_SR_Z : 0) |  \
          (t >> (bits - 1) & 1) << 2,                                                              \
     t)
#define RESULT_BIT(bits) LOGIC(s &d, bits)
#define RESULT_BIC(bits) (d & ~s)
#define RESULT_BIS(bits) (d | s)
#define RESULT_XOR(bits) (t = LOGIC(s ^ d, bits), sr |= (s & d) >> (bits - 1) << 8 & MSP430_SR_V, t)
#define RESULT_AND(bits) LOGIC(s &d, bits)
#define MASK(bits)       ((1u << (bits)) - 1)
#define SUM(value, carry, bits)                                                                    \
    (v = (value), t = v + d + (carry), sr = sum_flags(sr, v, d, t, bits), t)
#define LOGIC(value, bits) (t = (value), sr = logic_flags(sr, t, bits), t)

enum {
    READS_MOV = 0,
    READS_ADD = 1,
    READS_ADDC = 1,
    READS_SUBC = 1,
    READS_SUB = 1,
    READS_CMP = 1,
    READS_DADD = 1,
    READS_BIT = 1,
    READS_BIC = 1,
    READS_BIS = 1,
    READS_XOR = 1,
    READS_AND = 1,
    WRITES_MOV = 1,
    WRITES_ADD = 1,
    WRITES_ADDC = 1,
    WRITES_SUBC = 1,
    WRITES_SUB = 1,
    WRITES_CMP = 0,
    WRITES_DADD = 1,
    WRITES_BIT = 0,
    WRITES_BIC = 1,
    WRITES_BIS = 1,
    WRITES_XOR = 1,
    WRITES_AND = 1,
};

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

/* The handlers are one function because a computed jump cannot leave it. */
void msp430_interpret(struct sonde_msp430_sim *sim, const struct sonde_msp430_limits *limits,
                      uint64_t last_instruction)
{
    static const void *const labels[HANDLER_COUNT] = {&&decode,
                                                      &&general,
                                                      &&enter,
                                                      &&leave,
                                                      &&branch,
                                                      &&ret,
                                                      &&call,
                                                      &&push_register,
                                                      &&push_immediate,
                                                      &&rrc,
                                                      &&swpb,
                                                      &&rra,
                                                      &&sxt,
                                                      &&jne,
                                                      &&jeq,
                                                      &&jnc,
                                                      &&jc,
                                                      &&jn,
                                                      &&jge,
                                                      &&jl,
                                                      &&jmp,
                                                      &&self_jump,
                                                      &&stop,
                                                      &&hook,
                                                      OPERATIONS(LABELS)};
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
    sim->cycle = cycle;
    sim->instructions = instructions;
    r[0] = pc;
    r[2] = sr;
    if (!msp430_boundary(sim, limits, last_instruction))
        return;
    cycle = sim->cycle;
    deadline = sim->deadline;
    pc = r[0];
    sr = r[2];
    DISPATCH();

decode:
    r[0] = pc;
    if (!msp430_predecode(sim, pc))
        goto fault;
    DISPATCH();

general:
    sim->cycle = cycle;
    r[0] = pc;
    r[2] = sr;
    msp430_execute_general(sim);
    if (sim->has_fault)
        goto fault;
    instructions++;
    cycle = sim->cycle;
    deadline = sim->deadline;
    pc = r[0];
    t = sr ^ r[2];
    sr = r[2];
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
    sim->cycle = cycle;
    r[0] = pc;
    r[2] = sr;
    msp430_hook_reached(sim);
    goto *labels[op->under];

branch:
    pc = (uint32_t)op->src_value;
    NEXT();
ret:
    LOAD_16(t, r[1]);
    if (t & 1)
        SLOW(msp430_fault(sim, SONDE_MSP430_STOP_UNALIGNED, t));
    msp430_note_return(sim, r[1]);
    r[1] = (r[1] + 2) & register_mask;
    pc = t;
    NEXT();
call:
    PUSH(pc + op->size);
    msp430_note_call(sim, r[1], pc + op->size, (uint32_t)op->src_value);
    pc = (uint32_t)op->src_value;
    NEXT();
push_register:
    t = r[op->src];
    PUSH(t);
    pc += op->size;
    NEXT();
push_immediate:
    PUSH((uint32_t)op->src_value & 0xffff);
    pc += op->size;
    NEXT();

rrc:
    s = r[op->src] & 0xffff;
    t = s >> 1 | (sr & 1) << 15;
    goto shifted;
rra:
    s = r[op->src] & 0xffff;
    t = s >> 1 | (s & 0x8000);
shifted:
    sr = (sr & ~(uint32_t)FLAGS) | (s & 1) | (t == 0 ? MSP430_SR_Z : 0) | t >> 15 << 2;
    r[op->src] = t;
    pc += 2;
    NEXT();
swpb:
    s = r[op->src];
    r[op->src] = (s >> 8 & 0xff) | (s & 0xff) << 8;
    pc += 2;
    NEXT();
sxt:
    s = (uint32_t)(int32_t)(int8_t)r[op->src];
    sr = logic_flags(sr, s & 0xffff, 16);
    r[op->src] = s & register_mask;
    pc += 2;
    NEXT();

    JUMP(jne, !(sr & MSP430_SR_Z))
    JUMP(jeq, sr & MSP430_SR_Z)
    JUMP(jnc, !(sr & MSP430_SR_C))
    JUMP(jc, sr & MSP430_SR_C)
    JUMP(jn, sr & MSP430_SR_N)
    JUMP(jge, !((sr >> 8 ^ sr >> 2) & 1))
    JUMP(jl, (sr >> 8 ^ sr >> 2) & 1)
    JUMP(jmp, true)
self_jump:
    /* The general way knows when this is the end of the program. */
    goto general;

    OPERATIONS(HANDLERS)

stop:
    sim->result = (struct sonde_msp430_result){.reason = SONDE_MSP430_STOP_ADDRESS, .address = pc};

fault:
    sim->cycle = cycle;
    sim->instructions = instructions;
    r[0] = pc;
    r[2] = sr;
}
