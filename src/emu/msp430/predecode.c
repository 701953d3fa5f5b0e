/* Decoded instructions to ops: a fast handler where there is one. */
#include <stddef.h>

#include "emu/msp430/handlers.h"
#include "emu/msp430/internal.h"

static bool is_executable(const struct sonde_msp430_sim *sim, uint32_t address)
{
    return address < MSP430_MEMORY_SIZE &&
           (sim->pages[address >> MSP430_PAGE_BITS] & MSP430_PAGE_EXECUTE) != 0;
}

bool msp430_sets_stack(const struct sonde_msp430_instruction *in)
{
    return (in->opcode == SONDE_MSP430_MOV || in->opcode == SONDE_MSP430_MOVA) &&
           in->dst.mode == SONDE_MSP430_MODE_REGISTER && in->dst.reg == 1;
}

bool msp430_fetch(struct sonde_msp430_sim *sim, uint32_t pc,
                  struct sonde_msp430_instruction *instruction)
{
    uint16_t words[4];
    size_t count = 0;
    for (; count < 4 && is_executable(sim, pc + 2 * (uint32_t)count); count++) {
        const uint8_t *at = &sim->memory[pc + 2 * (uint32_t)count];
        words[count] = (uint16_t)(at[0] | at[1] << 8);
    }
    if (count == 0 ||
        sonde_msp430_decode(sim->device->core, pc, words, count, instruction, NULL) != SONDE_OK) {
        msp430_fault(sim, SONDE_MSP430_STOP_EXECUTION, pc);
        return false;
    }
    return true;
}

/* Sources a fast handler can have. */
static bool plain_source(const struct sonde_msp430_instruction *in, struct msp430_op *op,
                         unsigned *kind)
{
    const struct sonde_msp430_operand *src = &in->src;
    op->src = src->reg;
    op->src_value = src->value;
    switch ((enum sonde_msp430_mode)src->mode) {
    case SONDE_MSP430_MODE_REGISTER:
        *kind = src->reg == 0 ? SOURCE_IMMEDIATE : SOURCE_REGISTER;
        if (src->reg == 0)
            op->src_value = (int32_t)(in->address + 2);
        return src->reg != 2;
    case SONDE_MSP430_MODE_CONSTANT:
    case SONDE_MSP430_MODE_IMMEDIATE:
        *kind = SOURCE_IMMEDIATE;
        return true;
    case SONDE_MSP430_MODE_SYMBOLIC:
    case SONDE_MSP430_MODE_ABSOLUTE:
        *kind = SOURCE_MEMORY;
        op->src = MSP430_ZERO_REGISTER;
        return true;
    case SONDE_MSP430_MODE_INDEXED:
    case SONDE_MSP430_MODE_INDIRECT:
        *kind = SOURCE_MEMORY;
        return src->reg != 0 && src->reg != 2 && src->reg != 3;
    case SONDE_MSP430_MODE_INDIRECT_INCREMENT:
        *kind = SOURCE_INCREMENT;
        return src->reg != 0 && (src->reg != 1 || in->width == 16);
    default:
        return false;
    }
}

static bool plain_destination(const struct sonde_msp430_instruction *in, struct msp430_op *op,
                              unsigned *kind)
{
    const struct sonde_msp430_operand *dst = &in->dst;
    op->dst = dst->reg;
    op->dst_value = dst->value;
    switch ((enum sonde_msp430_mode)dst->mode) {
    case SONDE_MSP430_MODE_REGISTER:
        *kind = 0;
        return dst->reg == 1 || dst->reg > 3;
    case SONDE_MSP430_MODE_SYMBOLIC:
    case SONDE_MSP430_MODE_ABSOLUTE:
        *kind = 1;
        op->dst = MSP430_ZERO_REGISTER;
        return true;
    case SONDE_MSP430_MODE_INDEXED:
        *kind = 1;
        return dst->reg == 1 || dst->reg > 3;
    default:
        return false;
    }
}

static unsigned double_handler(const struct sonde_msp430_instruction *in, struct msp430_op *op)
{
    unsigned source, destination;
    if (!plain_source(in, op, &source))
        return HANDLER_GENERAL;
    if (in->opcode == SONDE_MSP430_MOV && in->width == 16 && in->dst.reg == 0 &&
        in->dst.mode == SONDE_MSP430_MODE_REGISTER) {
        if (source == SOURCE_IMMEDIATE && (in->src.value & 1) == 0)
            return HANDLER_BRANCH;
        return source == SOURCE_INCREMENT && in->src.reg == 1 ? HANDLER_RETURN : HANDLER_GENERAL;
    }
    if (!plain_destination(in, op, &destination))
        return HANDLER_GENERAL;
    return HANDLER_DOUBLE + (in->opcode - SONDE_MSP430_MOV) * 16u + source * 4u + destination * 2u +
           (in->width == 8 ? 1 : 0);
}

static unsigned single_handler(const struct sonde_msp430_instruction *in, struct msp430_op *op)
{
    unsigned source;
    bool plain = plain_source(in, op, &source);
    if (in->opcode == SONDE_MSP430_CALL)
        return plain && source == SOURCE_IMMEDIATE && (in->src.value & 1) == 0 ? HANDLER_CALL
                                                                               : HANDLER_GENERAL;
    if (in->opcode == SONDE_MSP430_PUSH) {
        if (!plain || in->width == 8)
            return HANDLER_GENERAL;
        return source == SOURCE_REGISTER    ? HANDLER_PUSH_REGISTER
               : source == SOURCE_IMMEDIATE ? HANDLER_PUSH_IMMEDIATE
                                            : HANDLER_GENERAL;
    }
    if (!plain || source != SOURCE_REGISTER || in->width == 8)
        return HANDLER_GENERAL;
    return HANDLER_RRC + in->opcode - SONDE_MSP430_RRC;
}

/* A jump to itself, or to the markers that stand in front of it: marking a
 * program's end must not keep it from ending. */
static bool jumps_to_itself(const struct sonde_msp430_sim *sim,
                            const struct sonde_msp430_instruction *in)
{
    if (in->target > in->address || in->address - in->target > 4)
        return false;
    for (uint32_t at = in->target; at < in->address; at += 2) {
        uint32_t word = sim->memory[at] | (uint32_t)sim->memory[at + 1] << 8;
        if (!sim->options.markers_enabled ||
            (word != sim->options.markers.enter && word != sim->options.markers.exit))
            return false;
    }
    return true;
}

static unsigned choose_handler(const struct sonde_msp430_sim *sim,
                               const struct sonde_msp430_instruction *in, struct msp430_op *op)
{
    if (sim->has_stop_address && in->address == sim->stop_address)
        return HANDLER_STOP;
    if (in->opcode == SONDE_MSP430_ILLEGAL) {
        uint16_t word = in->words[0];
        if (sim->options.markers_enabled && word == sim->options.markers.enter)
            return HANDLER_ENTER;
        if (sim->options.markers_enabled && word == sim->options.markers.exit)
            return HANDLER_EXIT;
        return HANDLER_GENERAL;
    }
    if (in->extended || (sim->options.callbacks.on_stack != NULL && msp430_sets_stack(in)))
        return HANDLER_GENERAL;
    if (in->opcode >= SONDE_MSP430_MOV && in->opcode <= SONDE_MSP430_AND)
        return double_handler(in, op);
    if (in->opcode >= SONDE_MSP430_RRC && in->opcode <= SONDE_MSP430_CALL)
        return single_handler(in, op);
    if (in->opcode >= SONDE_MSP430_JNE && in->opcode <= SONDE_MSP430_JMP) {
        op->src_value = (int32_t)in->target;
        return jumps_to_itself(sim, in) ? HANDLER_SELF_JUMP
                                        : HANDLER_JNE + in->opcode - SONDE_MSP430_JNE;
    }
    return HANDLER_GENERAL;
}

bool msp430_predecode(struct sonde_msp430_sim *sim, uint32_t pc)
{
    struct sonde_msp430_instruction in;
    if (pc & 1) {
        msp430_fault(sim, SONDE_MSP430_STOP_UNALIGNED, pc);
        return false;
    }
    if (!msp430_fetch(sim, pc, &in))
        return false;
    struct msp430_op *op = &sim->ops[pc >> 1];
    op->size = in.size;
    op->cycles = in.cycles;
    op->handler = op->under = (uint8_t)choose_handler(sim, &in, op);
    if (sim->hooks != NULL && sim->hooks[pc >> 1] != 0 && op->handler != HANDLER_STOP)
        op->handler = HANDLER_HOOK;
    for (uint32_t at = pc; at < pc + in.size; at += 2)
        sim->pages[at >> MSP430_PAGE_BITS] &= (uint8_t)~MSP430_PAGE_WRITE;
    return true;
}
