/* Executes any instruction, one operand at a time: what the interpreter's
 * fast handlers leave out, and everything that only MSP430X has. */
#include "emu/msp430/internal.h"

#define FLAGS (MSP430_SR_V | MSP430_SR_N | MSP430_SR_Z | MSP430_SR_C)

struct machine {
    struct sonde_msp430_sim *sim;
    const struct sonde_msp430_instruction *in;
    uint32_t register_mask;
    unsigned bits;
};

static uint32_t mask_of(unsigned bits)
{
    return (1u << bits) - 1;
}

static uint32_t load(struct machine *m, uint32_t address, unsigned bits)
{
    if (bits <= 16)
        return msp430_load(m->sim, address, bits == 8);
    uint32_t low = msp430_load(m->sim, address, false);
    return low | (msp430_load(m->sim, address + 2, false) & 15) << 16;
}

static void store(struct machine *m, uint32_t address, uint32_t value, unsigned bits)
{
    msp430_store(m->sim, address, value, bits == 8);
    if (bits > 16)
        msp430_store(m->sim, address + 2, value >> 16 & 15, false);
}

static void push(struct machine *m, uint32_t value, unsigned bits)
{
    struct sonde_msp430_sim *sim = m->sim;
    uint32_t sp = (sim->r[1] - (bits > 16 ? 4 : 2)) & m->register_mask;
    if (sp < sim->stack_limit && sim->r[1] >= sim->stack_limit)
        msp430_fault(sim, SONDE_MSP430_STOP_STACK, sp);
    store(m, sp, value, bits > 16 ? 20 : 16);
    sim->r[1] = sp;
}

static uint32_t pop(struct machine *m, unsigned bits)
{
    uint32_t value = load(m, m->sim->r[1], bits);
    m->sim->r[1] = (m->sim->r[1] + (bits > 16 ? 4 : 2)) & m->register_mask;
    return value;
}

/* The address of a memory operand. Only extended and address instructions
 * leave the lower 64 KB from a base there. */
static uint32_t operand_address(const struct machine *m, const struct sonde_msp430_operand *operand)
{
    uint32_t base = 0;
    if (operand->mode == SONDE_MSP430_MODE_ABSOLUTE || operand->mode == SONDE_MSP430_MODE_SYMBOLIC)
        return (uint32_t)operand->value;
    if (operand->reg == 0)
        base = m->in->address + 2;
    else if (operand->reg != 2 && operand->reg != 3)
        base = m->sim->r[operand->reg];
    bool wide = m->in->extended || m->in->width == 20 || base > 0xffff;
    uint32_t index = operand->mode == SONDE_MSP430_MODE_INDEXED ? (uint32_t)operand->value : 0;
    return (base + index) & (wide ? m->register_mask : 0xffffu);
}

static uint32_t source_value(struct machine *m, const struct sonde_msp430_operand *operand,
                             uint32_t *address)
{
    uint32_t mask = mask_of(m->bits);
    switch ((enum sonde_msp430_mode)operand->mode) {
    case SONDE_MSP430_MODE_REGISTER:
        return (operand->reg == 0 ? m->in->address + 2 : m->sim->r[operand->reg]) & mask;
    case SONDE_MSP430_MODE_CONSTANT:
    case SONDE_MSP430_MODE_IMMEDIATE:
        return (uint32_t)operand->value & mask;
    default:
        break;
    }
    *address = operand_address(m, operand);
    uint32_t value = load(m, *address, m->bits);
    if (operand->mode == SONDE_MSP430_MODE_INDIRECT_INCREMENT) {
        /* SP stays even. */
        unsigned step = m->bits == 20 ? 4 : m->bits == 8 && operand->reg != 1 ? 1 : 2;
        if (operand->reg == 0)
            m->sim->r[0] = (m->sim->r[0] + step) & m->register_mask;
        else
            m->sim->r[operand->reg] = (m->sim->r[operand->reg] + step) & m->register_mask;
    }
    return value;
}

static void set_pc(struct machine *m, uint32_t value)
{
    if (value & 1)
        msp430_fault(m->sim, SONDE_MSP430_STOP_UNALIGNED, value);
    else
        m->sim->r[0] = value & m->register_mask;
}

static void set_register(struct machine *m, unsigned reg, uint32_t value)
{
    struct sonde_msp430_sim *sim = m->sim;
    value &= mask_of(m->bits) & m->register_mask;
    if (reg == 0) {
        set_pc(m, value);
    } else if (reg == 2) {
        sim->hold_interrupts = (value & ~sim->r[2] & MSP430_SR_GIE) != 0;
        sim->r[2] = value & 0xffff;
    } else if (reg != 3) {
        sim->r[reg] = value;
    }
}

static uint32_t sum(struct machine *m, uint32_t s, uint32_t d, uint32_t carry)
{
    unsigned bits = m->bits;
    uint32_t t = s + d + carry, *sr = &m->sim->r[2];
    *sr = (*sr & ~(uint32_t)FLAGS) | (t >> bits & 1) |
          ((t & mask_of(bits)) == 0 ? MSP430_SR_Z : 0) | (t >> (bits - 1) & 1) << 2 |
          (((s ^ t) & (d ^ t)) >> (bits - 1) & 1) << 8;
    return t;
}

static uint32_t logic(struct machine *m, uint32_t t)
{
    uint32_t *sr = &m->sim->r[2];
    *sr = (*sr & ~(uint32_t)FLAGS) | (t == 0 ? MSP430_SR_Z : MSP430_SR_C) |
          (t >> (m->bits - 1) & 1) << 2;
    return t;
}

static uint32_t decimal(struct machine *m, uint32_t s, uint32_t d, uint32_t carry)
{
    uint32_t t = carry, *sr = &m->sim->r[2];
    for (unsigned shift = 0; shift < m->bits; shift += 4) {
        t += (s & 0xfu << shift) + (d & 0xfu << shift);
        if ((t & 0x1fu << shift) > 9u << shift)
            t += 6u << shift;
    }
    *sr = (*sr & ~(uint32_t)FLAGS) | (t >> m->bits & 1) |
          ((t & mask_of(m->bits)) == 0 ? MSP430_SR_Z : 0) | (t >> (m->bits - 1) & 1) << 2;
    return t;
}

static uint32_t double_result(struct machine *m, uint32_t s, uint32_t d, uint32_t carry)
{
    uint32_t mask = mask_of(m->bits);
    switch ((enum sonde_msp430_opcode)m->in->opcode) {
    case SONDE_MSP430_ADD:
    case SONDE_MSP430_ADDA:
        return sum(m, s, d, 0);
    case SONDE_MSP430_ADDC:
        return sum(m, s, d, carry);
    case SONDE_MSP430_SUBC:
        return sum(m, ~s & mask, d, carry);
    case SONDE_MSP430_SUB:
    case SONDE_MSP430_SUBA:
    case SONDE_MSP430_CMP:
    case SONDE_MSP430_CMPA:
        return sum(m, ~s & mask, d, 1);
    case SONDE_MSP430_DADD:
        return decimal(m, s, d, carry);
    case SONDE_MSP430_BIT:
    case SONDE_MSP430_AND:
        return logic(m, s & d);
    case SONDE_MSP430_BIC:
        return d & ~s;
    case SONDE_MSP430_BIS:
        return d | s;
    case SONDE_MSP430_XOR:
        logic(m, s ^ d);
        m->sim->r[2] |= (s & d) >> (m->bits - 1) << 8;
        return s ^ d;
    default:
        return s;
    }
}

static void execute_double(struct machine *m)
{
    const struct sonde_msp430_instruction *in = m->in;
    struct sonde_msp430_sim *sim = m->sim;
    bool moves = in->opcode == SONDE_MSP430_MOV || in->opcode == SONDE_MSP430_MOVA;
    bool writes = in->opcode != SONDE_MSP430_CMP && in->opcode != SONDE_MSP430_BIT &&
                  in->opcode != SONDE_MSP430_CMPA;
    uint32_t address = 0, d = 0;
    uint32_t s = source_value(m, &in->src, &address);
    bool to_register = in->dst.mode == SONDE_MSP430_MODE_REGISTER;
    uint32_t carry = in->zero_carry ? 0 : sim->r[2] & MSP430_SR_C;
    if (to_register) {
        /* PC as a destination operand already points at the next instruction. */
        d = in->dst.reg == 0 ? sim->r[0] : in->dst.reg == 3 ? 0 : sim->r[in->dst.reg];
        d &= mask_of(m->bits);
    } else {
        address = operand_address(m, &in->dst);
        d = moves ? 0 : load(m, address, m->bits);
    }
    uint32_t result = double_result(m, s, d, carry) & mask_of(m->bits);
    if (!writes || sim->has_fault)
        return;
    if (to_register)
        set_register(m, in->dst.reg, result);
    else
        store(m, address, result, m->bits);
}

static uint32_t shift_flags(struct machine *m, uint32_t t, uint32_t carry)
{
    uint32_t *sr = &m->sim->r[2];
    *sr = (*sr & ~(uint32_t)FLAGS) | carry | (t == 0 ? MSP430_SR_Z : 0) |
          (t >> (m->bits - 1) & 1) << 2;
    return t;
}

static uint32_t single_result(struct machine *m, uint32_t s)
{
    uint32_t top = 1u << (m->bits - 1);
    uint32_t carry = m->in->zero_carry ? 0 : m->sim->r[2] & MSP430_SR_C;
    switch ((enum sonde_msp430_opcode)m->in->opcode) {
    case SONDE_MSP430_RRC:
        return shift_flags(m, s >> 1 | (carry ? top : 0), s & 1);
    case SONDE_MSP430_RRA:
        return shift_flags(m, s >> 1 | (s & top), s & 1);
    case SONDE_MSP430_SWPB:
        return (s & 0xf0000) | (s >> 8 & 0xff) | (s & 0xff) << 8;
    default: { /* sxt, in a register to all bits */
        uint32_t t = (uint32_t)(int32_t)(int8_t)s;
        logic(m, t & mask_of(m->bits));
        return t & m->register_mask;
    }
    }
}

static void execute_single(struct machine *m)
{
    const struct sonde_msp430_instruction *in = m->in;
    uint32_t address = 0;
    uint32_t s = source_value(m, &in->src, &address);
    if (in->opcode == SONDE_MSP430_PUSH) {
        if (!m->sim->has_fault)
            push(m, s, m->bits);
        return;
    }
    if (in->opcode == SONDE_MSP430_CALL || in->opcode == SONDE_MSP430_CALLA) {
        if (in->opcode == SONDE_MSP430_CALL)
            s &= 0xffff;
        if (!m->sim->has_fault) {
            push(m, in->address + in->size, m->bits);
            msp430_note_call(m->sim, m->sim->r[1], in->address + in->size, s);
        }
        set_pc(m, s);
        return;
    }
    uint32_t result = single_result(m, s);
    if (m->sim->has_fault || in->src.mode == SONDE_MSP430_MODE_CONSTANT)
        return;
    if (in->src.mode != SONDE_MSP430_MODE_REGISTER) {
        store(m, address, result, m->bits);
        return;
    }
    if (in->opcode == SONDE_MSP430_SXT && in->src.reg > 3)
        m->sim->r[in->src.reg] = result;
    else
        set_register(m, in->src.reg, result);
}

static void execute_reti(struct machine *m)
{
    struct sonde_msp430_sim *sim = m->sim;
    uint32_t sr = pop(m, 16);
    msp430_note_return(sim, sim->r[1]);
    uint32_t pc = pop(m, 16);
    if (sim->device->core == SONDE_MSP430_CORE_CPUX) {
        /* PC's bits 19 to 16 are in SR's bits 15 to 12. */
        pc |= sr >> 12 << 16;
        sr &= 0xfff;
    }
    sim->r[2] = sr;
    set_pc(m, pc);
}

static void execute_multiple(struct machine *m)
{
    const struct sonde_msp430_instruction *in = m->in;
    for (unsigned i = 0; i < in->repeat && !m->sim->has_fault; i++) {
        if (in->opcode == SONDE_MSP430_PUSHM) {
            unsigned reg = (in->src.reg - i) & 15;
            push(m, reg == 0 ? in->address + in->size : m->sim->r[reg], in->width);
        } else {
            unsigned reg = (in->dst.reg - (in->repeat - 1u) + i) & 15;
            uint32_t value = pop(m, in->width);
            set_register(m, reg, value);
        }
    }
}

static void execute_rotate(struct machine *m)
{
    const struct sonde_msp430_instruction *in = m->in;
    unsigned reg = in->src.reg;
    uint32_t value = m->sim->r[reg] & mask_of(m->bits), top = 1u << (m->bits - 1);
    for (unsigned i = 0; i < in->repeat; i++) {
        uint32_t carry = m->sim->r[2] & MSP430_SR_C;
        if (in->opcode == SONDE_MSP430_RLAM)
            value = sum(m, value, value, 0) & mask_of(m->bits);
        else
            value = shift_flags(m,
                                value >> 1 | (in->opcode == SONDE_MSP430_RRCM && carry ? top : 0) |
                                    (in->opcode == SONDE_MSP430_RRAM ? value & top : 0),
                                value & 1);
    }
    set_register(m, reg, value);
}

static void execute_once(struct machine *m)
{
    switch ((enum sonde_msp430_opcode)m->in->opcode) {
    case SONDE_MSP430_RRC:
    case SONDE_MSP430_SWPB:
    case SONDE_MSP430_RRA:
    case SONDE_MSP430_SXT:
    case SONDE_MSP430_PUSH:
    case SONDE_MSP430_CALL:
    case SONDE_MSP430_CALLA:
        execute_single(m);
        break;
    case SONDE_MSP430_RETI:
        execute_reti(m);
        break;
    case SONDE_MSP430_PUSHM:
    case SONDE_MSP430_POPM:
        execute_multiple(m);
        break;
    case SONDE_MSP430_RRCM:
    case SONDE_MSP430_RRAM:
    case SONDE_MSP430_RLAM:
    case SONDE_MSP430_RRUM:
        execute_rotate(m);
        break;
    default:
        execute_double(m);
    }
}

bool msp430_jump_taken(enum sonde_msp430_opcode opcode, uint32_t sr)
{
    static const struct {
        uint16_t flags, value;
    } taken[] = {{MSP430_SR_Z, 0},
                 {MSP430_SR_Z, MSP430_SR_Z},
                 {MSP430_SR_C, 0},
                 {MSP430_SR_C, MSP430_SR_C},
                 {MSP430_SR_N, MSP430_SR_N}};
    unsigned index = opcode - SONDE_MSP430_JNE;
    bool less = ((sr >> 8 ^ sr >> 2) & 1) != 0;
    return index < 5    ? (sr & taken[index].flags) == taken[index].value
           : index == 5 ? !less
           : index == 6 ? less
                        : true;
}

/* Only jumps to themselves come here: the usual end of a program. */
static void execute_self_jump(struct sonde_msp430_sim *sim,
                              const struct sonde_msp430_instruction *in)
{
    sim->cycle += in->cycles;
    if (!msp430_jump_taken((enum sonde_msp430_opcode)in->opcode, sim->r[2]))
        return;
    sim->r[0] = in->address;
    if (!(sim->r[2] & MSP430_SR_GIE)) {
        sim->result = (struct sonde_msp430_result){.reason = SONDE_MSP430_STOP_HALTED,
                                                   .address = in->address};
        sim->halted = true;
        sim->deadline = 0;
    }
}

void msp430_execute_general(struct sonde_msp430_sim *sim)
{
    struct sonde_msp430_instruction in;
    uint32_t pc = sim->r[0];
    if (!msp430_fetch(sim, pc, &in))
        return;
    if (in.opcode == SONDE_MSP430_ILLEGAL) {
        msp430_fault(sim, SONDE_MSP430_STOP_UNDEFINED, in.words[0]);
        return;
    }
    bool wide = sim->device->core == SONDE_MSP430_CORE_CPUX;
    struct machine m = {.sim = sim,
                        .in = &in,
                        .bits = in.width,
                        .register_mask = wide ? MSP430_MEMORY_SIZE - 1 : 0xffffu};
    uint64_t cycles = in.cycles;
    sim->r[0] = (pc + in.size) & m.register_mask;
    if (in.opcode >= SONDE_MSP430_JNE && in.opcode <= SONDE_MSP430_JMP) {
        execute_self_jump(sim, &in);
        return;
    }
    unsigned count = !in.extended            ? 1
                     : in.repeat_in_register ? (sim->r[in.repeat] & 15) + 1
                                             : in.repeat;
    cycles += count - 1;
    for (unsigned i = 0; i < count && !sim->has_fault; i++)
        execute_once(&m);
    if (sim->has_fault) {
        sim->r[0] = pc;
        sim->result.address = pc;
        return;
    }
    sim->cycle += cycles;
    if (in.opcode == SONDE_MSP430_RETI)
        msp430_event(sim, SONDE_MSP430_EVENT_INTERRUPT_RETURN, sim->r[0], 0);
    if (sim->options.callbacks.on_stack != NULL && msp430_sets_stack(&in)) {
        struct sonde_msp430_event event = {
            .kind = SONDE_MSP430_EVENT_STACK, .cycle = sim->cycle, .address = pc, .sp = sim->r[1]};
        sim->options.callbacks.on_stack(sim->options.callbacks.context, &event);
    }
}
