/* One decoded instruction to one operation. */
#include <string.h>

#include "emu/gen/semantics.h"

/* The align16 write mask names channels of each group of four; doubles take
 * two of its bits a channel. */
static uint32_t written_channels(const struct sonde_gen_instruction *instruction)
{
    /* smov names its channels in an immediate; read off how the compiler stores an
     * element at an index a channel. */
    if (instruction->opcode == SONDE_GEN_SMOV)
        return (uint32_t)instruction->src[1].immediate & 0xffffu;
    if (!instruction->align16)
        return UINT32_MAX;
    uint32_t mask = instruction->dst.write_mask, channels = 0;
    bool wide = sonde_gen_type_size((enum sonde_gen_type)instruction->dst.type) == 8;
    for (unsigned i = 0; i < 32; i++)
        channels |= (mask >> (wide ? 2 * (i % 2) : i % 4) & 1) << i;
    return channels;
}

static const char *translate_operands(struct emu_details *details, uint32_t register_bytes)
{
    const struct sonde_gen_instruction *instruction = &details->instruction;
    const char *reason;
    for (unsigned i = 0; i < details->semantics->sources && i < instruction->source_count; i++) {
        if (instruction->src[i].file == SONDE_GEN_FILE_NONE || i >= EMU_OPERAND_MAX)
            return "missing source operand";
        reason = emu_operand_source(instruction, i, register_bytes, &details->source[i]);
        if (reason)
            return reason;
    }
    if (instruction->source_count == 0)
        return "missing source operand";
    reason = emu_operand_destination(instruction, register_bytes, &details->destination);
    if (reason)
        return reason;
    details->written_channels = written_channels(instruction);
    details->has_destination = !emu_operand_is_null(&instruction->dst);
    details->writes_acc = details->has_destination && emu_operand_is_accumulator(&instruction->dst);
    return NULL;
}

static bool operand_is_class(const struct sonde_gen_operand *operand, unsigned class_number)
{
    return operand->file == SONDE_GEN_FILE_ARF && !operand->indirect &&
           (operand->number & 0xf0) == class_number;
}

/* Registers whose value is made when they are read. */
static bool reads_computed_register(const struct sonde_gen_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->source_count && i < EMU_OPERAND_MAX; i++) {
        const struct sonde_gen_operand *operand = &instruction->src[i];
        if (operand_is_class(operand, SONDE_GEN_ARF_IP) ||
            operand_is_class(operand, SONDE_GEN_ARF_CHANNEL_ENABLE) ||
            operand_is_class(operand, SONDE_GEN_ARF_TIMESTAMP) ||
            operand_is_class(operand, SONDE_GEN_ARF_STATE))
            return true;
    }
    return false;
}

/* Around instructions that read computed registers, or write cr0 or ip. */
static void run_hooked(struct emu_thread *thread, const struct emu_operation *operation,
                       uint32_t mask)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    emu_thread_refresh(thread, operation);
    uint32_t ip = thread->ip[0];
    emu_general_run(thread, operation, mask);
    if (operand_is_class(&instruction->dst, SONDE_GEN_ARF_CONTROL))
        emu_thread_apply_control(thread);
    if (operand_is_class(&instruction->dst, SONDE_GEN_ARF_IP) && thread->ip[0] != ip)
        emu_thread_jump(thread, operation, thread->ip[0]);
}

static void translate_alu(struct emu_arena *arena, enum emu_path path, uint32_t register_bytes,
                          struct emu_operation *operation, struct emu_details *details)
{
    const struct sonde_gen_instruction *instruction = &details->instruction;
    details->illegal = translate_operands(details, register_bytes);
    if (details->illegal) {
        operation->run = emu_run_illegal;
        operation->always = true;
        return;
    }
    operation->run = emu_general_run;
    operation->straight = !reads_computed_register(instruction) &&
                          !operand_is_class(&instruction->dst, SONDE_GEN_ARF_CONTROL) &&
                          !operand_is_class(&instruction->dst, SONDE_GEN_ARF_IP);
    if (!operation->straight)
        operation->run = run_hooked;
    else if (path != EMU_PATH_GENERAL && instruction->opcode == SONDE_GEN_MADM &&
             emu_madm_is_plain(details))
        operation->run = emu_run_madm;
    else if (path != EMU_PATH_GENERAL && emu_fast_translate(arena, path, operation))
        return; /* it chose the run function */
}

static uint32_t low_mask(uint32_t count)
{
    return count >= 32 ? UINT32_MAX : (1u << count) - 1;
}

/* A v or uv immediate is eight words (vf: four dwords) laid over the bytes of
 * the destination, so that a destination of dwords takes every second one.
 * Keep only those that channels take, in the order of the channels. */
static void pick_vector_elements(struct sonde_gen_instruction *instruction)
{
    unsigned stride = sonde_gen_type_size(instruction->dst.type) * instruction->dst.hstride;
    for (unsigned i = 0; i < instruction->source_count; i++) {
        struct sonde_gen_operand *source = &instruction->src[i];
        bool floats = source->type == SONDE_GEN_TYPE_VF;
        unsigned step = stride / (floats ? 4 : 2), count = floats ? 4 : 8, width = 32 / count;
        uint32_t old = (uint32_t)source->immediate, picked = 0;
        if (source->file != SONDE_GEN_FILE_IMMEDIATE || step < 2 ||
            (!floats && source->type != SONDE_GEN_TYPE_V && source->type != SONDE_GEN_TYPE_UV))
            continue;
        for (unsigned element = 0; element < count; element++)
            picked |= (old >> element * step % count * width & ((1u << width) - 1))
                      << element * width;
        source->immediate = picked;
    }
}

/* A move between floats of one type that changes nothing copies the bits: it
 * neither flushes denormals nor quiets NaNs, and the compiler moves integers
 * with it. */
static void move_bits(struct sonde_gen_instruction *instruction)
{
    static const uint8_t same_size[SONDE_GEN_TYPE_COUNT] = {
        [SONDE_GEN_TYPE_HF] = SONDE_GEN_TYPE_UW,
        [SONDE_GEN_TYPE_F] = SONDE_GEN_TYPE_UD,
        [SONDE_GEN_TYPE_DF] = SONDE_GEN_TYPE_UQ,
    };
    struct sonde_gen_operand *source = &instruction->src[0], *target = &instruction->dst;
    uint8_t type = source->type < SONDE_GEN_TYPE_COUNT ? same_size[source->type] : 0;
    if (instruction->opcode != SONDE_GEN_MOV || type == 0 || target->type != source->type ||
        source->negate || source->absolute || instruction->saturate || instruction->condition ||
        instruction->align16 || emu_operand_is_accumulator(target) ||
        emu_operand_is_accumulator(source))
        return;
    source->type = type;
    target->type = type;
}

bool emu_translate(struct emu_arena *arena, const struct sonde_gen_instruction *instruction,
                   enum emu_path path, uint32_t register_bytes, struct emu_operation *operation)
{
    struct emu_details *details = emu_arena_take(arena, sizeof(*details));
    if (!details)
        return false;
    details->instruction = *instruction;
    pick_vector_elements(&details->instruction);
    move_bits(&details->instruction);
    operation->details = details;
    operation->exec_size = instruction->exec_size ? instruction->exec_size : 1;
    if (operation->exec_size > EMU_LANES)
        operation->exec_size = EMU_LANES;
    operation->window = low_mask(operation->exec_size);
    operation->channel_offset = instruction->channel_offset & 31;
    operation->no_mask = instruction->no_mask;
    operation->predicate = instruction->predicate;
    operation->predicate_inverse = instruction->predicate_inverse;
    operation->flag_shift =
        (uint8_t)((instruction->flag_number & 1) * 32 + (instruction->flag_subreg & 1) * 16);
    operation->condition = instruction->condition;
    operation->selects = instruction->opcode == SONDE_GEN_SEL && !instruction->condition;
    operation->plain = operation->no_mask && (!operation->predicate || operation->selects);
    details->semantics = instruction->illegal ? NULL : emu_semantics_find(instruction->opcode);
    if (!details->semantics) {
        details->illegal = instruction->illegal || instruction->opcode == SONDE_GEN_ILLEGAL
                               ? "illegal instruction"
                               : "instruction that the emulator does not execute";
        operation->run = emu_run_illegal;
        operation->always = true;
        return true;
    }
    operation->always = details->semantics->always;
    emu_run_function *plain = NULL;
    if (details->semantics->run == emu_run_message) {
        emu_send_translate(details);
        plain = emu_scatter_translate(path, register_bytes, details);
    }
    operation->straight = plain != NULL;
    if (plain)
        operation->run = plain;
    else if (details->semantics->run)
        operation->run = details->semantics->run;
    else
        translate_alu(arena, path, register_bytes, operation, details);
    return true;
}
