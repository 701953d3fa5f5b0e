/* From the compiler's functions to routines that run in one channel. */
#include "coder/hli.h"

#include "base/array.h"
#include "sonde/gen_message.h"

#include <stdlib.h>
#include <string.h>

struct converter {
    const struct hli_source *source;
    struct sonde_hli_function *function;
    size_t *entries; /* source index at which each routine starts */
    size_t entry_capacity;
    size_t first, last; /* of the routine at hand; last is its ret */
    bool keeps_frame, needs_frame;
    uint64_t pointers[SONDE_GEN_GRF_WORDS];
    struct sonde_error *error;
};

enum sonde_status hli_refuse(const struct sonde_gen_instruction *instruction, const char *why,
                             struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, instruction->offset,
                           "the probe's %s at 0x%x %s",
                           sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)instruction->opcode),
                           instruction->offset, why);
}

enum sonde_status hli_append(struct hli_routine *routine, enum hli_step_kind kind,
                             const struct sonde_gen_instruction *instruction, uint32_t target,
                             struct sonde_error *error)
{
    if (base_array_reserve((void **)&routine->steps, &routine->capacity, routine->count + 1,
                           sizeof *routine->steps) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct hli_step *step = &routine->steps[routine->count++];
    memset(step, 0, sizeof *step);
    step->kind = (uint8_t)kind;
    step->target = target;
    if (instruction == NULL)
        return SONDE_OK;
    step->instruction = *instruction;
    step->instruction.compacted = false;
    step->instruction.size = 16;
    step->instruction.offset = 0;
    step->instruction.swsb = 0;
    /* What stood between a pair may be gone. */
    step->instruction.no_dependency_clear = step->instruction.no_dependency_check = false;
    return SONDE_OK;
}

static size_t find_offset(const struct hli_source *source, int64_t offset)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->instructions[i].offset == offset)
            return i;
    return HLI_NO_INDEX;
}

static size_t target_of(const struct hli_source *source, size_t index, int32_t distance)
{
    return find_offset(source, (int64_t)source->instructions[index].offset + distance);
}

static bool is_call(const struct sonde_gen_instruction *instruction)
{
    return instruction->opcode == SONDE_GEN_CALL || instruction->opcode == SONDE_GEN_CALLA;
}

/* From the entry to the ret that no branch passes. */
static enum sonde_status find_end(const struct hli_source *source, size_t first, size_t *last,
                                  struct sonde_error *error)
{
    size_t farthest = first;
    for (size_t i = first; i < source->count; i++) {
        const struct sonde_gen_instruction *instruction = &source->instructions[i];
        bool stays = !is_call(instruction);
        size_t jip = stays && instruction->has_jip ? target_of(source, i, instruction->jip) : first;
        size_t uip = stays && instruction->has_uip ? target_of(source, i, instruction->uip) : first;
        if (sonde_gen_opcode_is_branch((enum sonde_gen_opcode)instruction->opcode) &&
            (jip == HLI_NO_INDEX || uip == HLI_NO_INDEX || jip < first || uip < first))
            break;
        farthest = jip > farthest ? jip : farthest;
        farthest = uip > farthest ? uip : farthest;
        if (instruction->opcode != SONDE_GEN_RET || farthest > i)
            continue;
        *last = i;
        return SONDE_OK;
    }
    return sonde_error_set(error, SONDE_ERROR_FORMAT, 0, "the function at 0x%x has no end",
                           source->instructions[first].offset);
}

/* The routine that starts at a place of the source; new ones are converted later. */
static enum sonde_status find_routine(struct converter *c, size_t entry, uint32_t *routine)
{
    struct sonde_hli_function *function = c->function;
    for (*routine = 0; *routine < function->count; ++*routine)
        if (c->entries[*routine] == entry)
            return SONDE_OK;
    if (base_array_reserve((void **)&function->routines, &function->capacity, function->count + 1,
                           sizeof *function->routines) != SONDE_OK ||
        base_array_reserve((void **)&c->entries, &c->entry_capacity, function->count + 1,
                           sizeof *c->entries) != SONDE_OK)
        return sonde_error_set(c->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    memset(&function->routines[function->count], 0, sizeof *function->routines);
    c->entries[function->count++] = entry;
    return SONDE_OK;
}

static size_t past(const struct hli_source *source, size_t index, enum sonde_gen_opcode opcode)
{
    return source->instructions[index].opcode == opcode ? index + 1 : index;
}

/* Where channel 0 goes when the branch is taken; NO_INDEX: it is none. */
static enum sonde_status find_branch(const struct converter *c, size_t index, size_t *target,
                                     bool *inverse)
{
    const struct hli_source *source = c->source;
    const struct sonde_gen_instruction *branch = &source->instructions[index];
    size_t jip = branch->has_jip ? target_of(source, index, branch->jip) : HLI_NO_INDEX;
    size_t uip = branch->has_uip ? target_of(source, index, branch->uip) : HLI_NO_INDEX;
    *inverse = false;
    switch (branch->opcode) {
    case SONDE_GEN_JOIN:
    case SONDE_GEN_ENDIF:
        *target = HLI_NO_INDEX;
        return SONDE_OK;
    case SONDE_GEN_RET:
        *target = c->last;
        return SONDE_OK;
    case SONDE_GEN_IF:
        *inverse = true;
        *target = past(source, jip, SONDE_GEN_ELSE);
        return SONDE_OK;
    case SONDE_GEN_ELSE:
    case SONDE_GEN_WHILE:
    case SONDE_GEN_JMPI:
        *target = jip;
        return jip == HLI_NO_INDEX ? hli_refuse(branch, "jumps by a register", c->error) : SONDE_OK;
    case SONDE_GEN_BREAK:
        *target = past(source, uip, SONDE_GEN_WHILE);
        return SONDE_OK;
    case SONDE_GEN_GOTO:
        /* Until Gen11 those go there that do not pass the predicate, but for
         * branches back. */
        *inverse = branch->platform < SONDE_GEN_PLATFORM_GEN11 && !branch->branch_control;
        *target = uip;
        return SONDE_OK;
    case SONDE_GEN_CONT:
        *target = uip;
        return SONDE_OK;
    default:
        return hli_refuse(branch, "is not possible in a probe", c->error);
    }
}

/* A jump of the whole thread under the predicate that `from` has in channel 0;
 * the target is an index of the source as yet. */
static enum sonde_status append_jump(struct converter *c, struct hli_routine *routine,
                                     const struct sonde_gen_instruction *from, size_t target,
                                     bool inverse)
{
    struct sonde_gen_instruction jump;
    sonde_gen_instruction_init(&jump, (enum sonde_gen_platform)from->platform, SONDE_GEN_JMPI, 1,
                               true);
    jump.has_jip = true;
    jump.source_count = 1;
    jump.src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    jump.src[0].type = SONDE_GEN_TYPE_D;
    if (from->predicate != SONDE_GEN_PREDICATE_NONE) {
        jump.predicate = SONDE_GEN_PREDICATE_CHANNEL;
        jump.predicate_inverse = from->predicate_inverse != inverse;
        jump.flag_number = from->flag_number;
        jump.flag_subreg = from->flag_subreg;
    }
    return hli_append(routine, HLI_JUMP, &jump, (uint32_t)target, c->error);
}

static enum sonde_status convert_call(struct converter *c, struct hli_routine **routine,
                                      size_t index)
{
    const struct sonde_gen_instruction *call = &c->source->instructions[index];
    size_t self = (size_t)(*routine - c->function->routines), entry = HLI_NO_INDEX;
    uint32_t target = 0;
    if (call->opcode == SONDE_GEN_CALL && call->has_jip)
        entry = target_of(c->source, index, call->jip);
    if (entry == HLI_NO_INDEX)
        return hli_refuse(call, "calls an address in a register", c->error);
    enum sonde_status status = find_routine(c, entry, &target);
    *routine = &c->function->routines[self];
    if (status == SONDE_OK && call->predicate != SONDE_GEN_PREDICATE_NONE)
        status = append_jump(c, *routine, call, index + 1, true);
    return status == SONDE_OK ? hli_append(*routine, HLI_CALL, NULL, target, c->error) : status;
}

static enum sonde_status convert_branch(struct converter *c, struct hli_routine *routine,
                                        size_t index)
{
    const struct sonde_gen_instruction *branch = &c->source->instructions[index];
    size_t target = HLI_NO_INDEX;
    bool inverse = false;
    if (index == c->last)
        return hli_append(routine, HLI_RETURN, NULL, 0, c->error);
    enum sonde_status status = find_branch(c, index, &target, &inverse);
    if (status == SONDE_OK && target != HLI_NO_INDEX && (target < c->first || target > c->last))
        status = hli_refuse(branch, "leads out of the probe", c->error);
    bool never = inverse && branch->predicate == SONDE_GEN_PREDICATE_NONE;
    if (status != SONDE_OK || target == HLI_NO_INDEX || never)
        return status;
    return append_jump(c, routine, branch, target, inverse);
}

static enum sonde_status check_message(const struct sonde_gen_instruction *send,
                                       enum hli_stack_use *use, struct sonde_error *error)
{
    struct sonde_gen_message message;
    if (send->send.end_of_thread)
        return hli_refuse(send, "ends the thread", error);
    enum sonde_status status = hli_stack_classify(send, use, error);
    if (status != SONDE_OK || *use != HLI_STACK_NONE)
        return status;
    status = sonde_gen_message_decode(send, &message, error);
    if (status == SONDE_OK && (message.operation == SONDE_GEN_MESSAGE_BARRIER ||
                               message.operation == SONDE_GEN_MESSAGE_GATEWAY))
        return hli_refuse(send, "waits for other threads", error);
    return status;
}

static bool is_register(const struct sonde_gen_operand *operand, uint32_t number)
{
    return operand->file == SONDE_GEN_FILE_GRF && !operand->indirect && operand->number == number;
}

static bool is_state(const struct sonde_gen_operand *operand, uint8_t number)
{
    return operand->file == SONDE_GEN_FILE_ARF && (operand->number & 0xf0) == number;
}

/* What a probe has no right to, or no meaning where it runs. */
static const char *reason_against(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_operand *dst = &instruction->dst;
    if (is_state(dst, SONDE_GEN_ARF_STATE) || is_state(dst, SONDE_GEN_ARF_IP) ||
        is_state(dst, SONDE_GEN_ARF_NOTIFICATION) || is_state(dst, SONDE_GEN_ARF_STACK_POINTER))
        return "writes the thread's state";
    for (unsigned i = 0; i < instruction->source_count; i++) {
        if (is_register(&instruction->src[i], 0) ||
            is_register(&instruction->src[i], HLI_MEMORY_HEADER))
            return "reads the thread's header (ids of work-groups and work-items are not known to "
                   "a probe)";
        if (is_state(&instruction->src[i], SONDE_GEN_ARF_IP))
            return "computes with the instruction pointer";
    }
    return NULL;
}

static void make_scalar(struct sonde_gen_operand *operand)
{
    if (operand->file != SONDE_GEN_FILE_IMMEDIATE) {
        operand->vstride = operand->hstride = 0;
        operand->width = 1;
    }
}

/* Channel 0 alone: the indices of others are of values that nobody computed. */
static void keep_first_channel(struct sonde_gen_instruction *instruction)
{
    instruction->exec_size = 1;
    for (unsigned i = 0; i < instruction->source_count; i++)
        make_scalar(&instruction->src[i]);
}

static bool has_index(const struct sonde_gen_instruction *instruction)
{
    bool any = instruction->dst.indirect;
    for (unsigned i = 0; i < instruction->source_count; i++)
        any |= instruction->src[i].indirect;
    return any;
}

static bool is_group(uint8_t predicate)
{
    return predicate != SONDE_GEN_PREDICATE_NONE && predicate != SONDE_GEN_PREDICATE_CHANNEL;
}

/* Arithmetic. A predicate over a group of channels is that of channel 0. */
static enum sonde_status convert_arithmetic(struct converter *c, struct hli_routine *routine,
                                            size_t index)
{
    const struct sonde_gen_instruction *from = &c->source->instructions[index];
    struct sonde_gen_instruction out = *from;
    bool is_dead = false,
         is_wait = from->opcode == SONDE_GEN_MOV && is_state(&from->dst, SONDE_GEN_ARF_NULL) &&
                   (is_register(&from->src[0], 0) || is_register(&from->src[0], HLI_MEMORY_HEADER));
    /* The compiler's way around a fault of Gen12LP branches: r0 = r0. */
    bool is_nothing = from->opcode == SONDE_GEN_CSEL && is_register(&from->dst, 0);
    if ((is_wait && from->condition == 0) || is_nothing)
        return SONDE_OK;
    const char *reason = reason_against(from);
    if (reason != NULL)
        return hli_refuse(from, reason, c->error);
    if (!from->no_mask && from->opcode == SONDE_GEN_SMOV) {
        if ((from->src[1].immediate & 1) == 0)
            return SONDE_OK;
        out.opcode = SONDE_GEN_MOV;
        out.source_count = 1;
        memset(&out.src[1], 0, sizeof out.src[1]);
    }
    if (!from->no_mask && has_index(from))
        keep_first_channel(&out);
    out.no_mask = true;
    if (hli_stack_is_used(&out, c->pointers, &is_dead) && !c->keeps_frame)
        c->needs_frame = true;
    if (is_dead && !c->keeps_frame)
        return SONDE_OK;
    hli_stack_measure(&out, routine);
    bool jumps = is_group(out.predicate) && out.exec_size > 1;
    enum sonde_status status = SONDE_OK;
    if (jumps)
        status = append_jump(c, routine, from, index + 1, true);
    if (out.predicate != SONDE_GEN_PREDICATE_NONE)
        out.predicate = jumps ? SONDE_GEN_PREDICATE_NONE : SONDE_GEN_PREDICATE_CHANNEL;
    out.predicate_inverse = out.predicate != SONDE_GEN_PREDICATE_NONE && out.predicate_inverse;
    return status == SONDE_OK ? hli_append(routine, HLI_PLAIN, &out, 0, c->error) : status;
}

static enum sonde_status convert_message(struct converter *c, struct hli_routine *routine,
                                         size_t index)
{
    const struct sonde_gen_instruction *from = &c->source->instructions[index];
    struct sonde_gen_instruction out = *from;
    enum hli_stack_use use;
    bool is_dead = false;
    enum sonde_status status = check_message(from, &use, c->error);
    if (status != SONDE_OK)
        return status;
    if (!c->keeps_frame && use == HLI_STACK_SPILL)
        c->needs_frame = true;
    if (!c->keeps_frame && (use != HLI_STACK_NONE || hli_stack_is_link(from, c->pointers)))
        return SONDE_OK;
    if (use == HLI_STACK_NONE && hli_stack_is_used(&out, c->pointers, &is_dead) && !c->keeps_frame)
        c->needs_frame = true;
    if (from->predicate != SONDE_GEN_PREDICATE_NONE)
        status = append_jump(c, routine, from, index + 1, true);
    if (status == SONDE_OK && use != HLI_STACK_NONE)
        return hli_stack_rewrite(from, routine, c->error);
    out.predicate = SONDE_GEN_PREDICATE_NONE;
    out.predicate_inverse = false;
    out.no_mask = true;
    if (!from->no_mask)
        out.exec_size = 1;
    return status == SONDE_OK ? hli_append(routine, HLI_PLAIN, &out, 0, c->error) : status;
}

static enum sonde_status convert_one(struct converter *c, struct hli_routine **routine,
                                     size_t index)
{
    const struct sonde_gen_instruction *from = &c->source->instructions[index];
    enum sonde_gen_format format = sonde_gen_opcode_format((enum sonde_gen_opcode)from->opcode);
    if (from->illegal)
        return hli_refuse(from, "is not an encoding that the hardware defines", c->error);
    if (format == SONDE_GEN_FORMAT_WAIT ||
        (format == SONDE_GEN_FORMAT_SYNC && from->sync == SONDE_GEN_SYNC_BAR))
        return hli_refuse(from, "waits for other threads", c->error);
    if (format == SONDE_GEN_FORMAT_NULLARY || format == SONDE_GEN_FORMAT_SYNC)
        return SONDE_OK;
    if (is_call(from)) {
        c->needs_frame |= !c->keeps_frame;
        return convert_call(c, routine, index);
    }
    if (sonde_gen_opcode_is_branch((enum sonde_gen_opcode)from->opcode))
        return convert_branch(c, *routine, index);
    /* Of channels 4, 8, ... on. */
    if (!from->no_mask && from->channel_offset != 0)
        return SONDE_OK;
    if (format == SONDE_GEN_FORMAT_SEND)
        return convert_message(c, *routine, index);
    return convert_arithmetic(c, *routine, index);
}

static void resolve_jumps(const struct converter *c, struct hli_routine *routine,
                          const size_t *place)
{
    for (size_t i = 0; i < routine->count; i++)
        if (routine->steps[i].kind == HLI_JUMP)
            routine->steps[i].target = (uint32_t)place[routine->steps[i].target - c->first];
}

static void note_writes(struct hli_routine *routine)
{
    for (size_t i = 0; i < routine->count; i++) {
        struct sonde_gen_effects effects;
        if (routine->steps[i].kind != HLI_PLAIN)
            continue;
        sonde_gen_instruction_effects(&routine->steps[i].instruction, &effects);
        for (size_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
            routine->writes.grf[w] |= effects.writes.grf[w];
        routine->writes.grf_unknown |= effects.writes.grf_unknown;
        routine->writes.flags |= effects.writes.flags;
        routine->writes.accumulators |= effects.writes.accumulators;
        routine->writes.mme |= effects.writes.mme;
        routine->writes.address |= effects.writes.address;
        routine->writes.control |= effects.writes.control;
    }
}

static enum sonde_status convert_span(struct converter *c, size_t number, size_t *place)
{
    struct hli_routine *routine = &c->function->routines[number];
    routine->count = 0;
    routine->spill_bytes = routine->variable_bytes = 0;
    routine->has_frame = c->keeps_frame;
    c->needs_frame = false;
    memset(c->pointers, 0, sizeof c->pointers);
    hli_stack_pointers(c->pointers, c->function->platform);
    enum sonde_status status = SONDE_OK;
    for (size_t i = c->first; i <= c->last && status == SONDE_OK; i++) {
        place[i - c->first] = routine->count;
        status = convert_one(c, &routine, i);
    }
    if (status == SONDE_OK && c->keeps_frame &&
        (routine->spill_bytes == 0 || routine->variable_bytes == 0))
        status = sonde_error_set(c->error, SONDE_ERROR_UNSUPPORTED, 0,
                                 "the frame of the function at 0x%x has no size that is known",
                                 c->source->instructions[c->first].offset);
    if (status == SONDE_OK)
        resolve_jumps(c, routine, place);
    return status;
}

/* Without a frame if that is possible. */
static enum sonde_status convert_routine(struct converter *c, size_t number)
{
    c->first = c->entries[number];
    enum sonde_status status = find_end(c->source, c->first, &c->last, c->error);
    if (status != SONDE_OK)
        return status;
    size_t *place = calloc(c->last - c->first + 2, sizeof *place);
    if (place == NULL)
        return sonde_error_set(c->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    c->keeps_frame = false;
    status = convert_span(c, number, place);
    if (status == SONDE_OK && c->needs_frame) {
        c->keeps_frame = true;
        status = convert_span(c, number, place);
    }
    free(place);
    note_writes(&c->function->routines[number]);
    return status;
}

static enum sonde_status convert_all(struct converter *c)
{
    const struct hli_source *source = c->source;
    size_t entry = HLI_NO_INDEX;
    uint32_t routine;
    for (size_t i = 0; i < source->count && entry == HLI_NO_INDEX; i++)
        if (source->instructions[i].opcode == SONDE_GEN_CALL && source->instructions[i].has_jip)
            entry = target_of(source, i, source->instructions[i].jip);
    if (entry == HLI_NO_INDEX)
        return sonde_error_set(c->error, SONDE_ERROR_FORMAT, 0,
                               "the kernel calls no function by the stack-call convention "
                               "(compile with IGC_FunctionControl=3)");
    enum sonde_status status = find_routine(c, entry, &routine);
    for (size_t i = 0; i < c->function->count && status == SONDE_OK; i++)
        status = convert_routine(c, i);
    return status;
}

enum sonde_status hli_convert(const struct hli_source *source, struct sonde_hli_function *function,
                              struct sonde_error *error)
{
    struct converter c = {.source = source, .function = function, .error = error};
    enum sonde_status status = convert_all(&c);
    free(c.entries);
    return status == SONDE_OK ? hli_stack_finish(function, error) : status;
}
