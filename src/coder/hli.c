/* Takes a probe out of a device binary.
 *
 * Every instruction ignores the execution mask, so that the probe runs where
 * no channel is enabled; messages run in channel 0 alone, and so do the
 * decisions of branches, which become jumps of the whole thread. Other
 * channels compute what nobody looks at. */
#include "coder/hli.h"

#include "sonde/gen_message.h"
#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_HEADER  126u /* register that holds the header of stack messages */
#define LSC_OPERATION 0x3fu
#define LSC_STORE     4u
#define NO_INDEX      SIZE_MAX

struct source {
    struct sonde_gen_instruction *instructions; /* of the whole binary kernel */
    size_t count;
    size_t first, last; /* of the probe; last is its ret */
};

static enum sonde_status refuse(const struct sonde_gen_instruction *instruction, const char *why,
                                struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, instruction->offset,
                           "the probe's %s at 0x%x %s",
                           sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)instruction->opcode),
                           instruction->offset, why);
}

static size_t find_offset(const struct source *source, int64_t offset)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->instructions[i].offset == offset)
            return i;
    return NO_INDEX;
}

static size_t target_of(const struct source *source, size_t index, int32_t distance)
{
    return find_offset(source, (int64_t)source->instructions[index].offset + distance);
}

/* From the target of the kernel's first call to the ret that no branch passes. */
static enum sonde_status find_probe(struct source *source, struct sonde_error *error)
{
    source->first = NO_INDEX;
    for (size_t i = 0; i < source->count && source->first == NO_INDEX; i++)
        if (source->instructions[i].opcode == SONDE_GEN_CALL && source->instructions[i].has_jip)
            source->first = target_of(source, i, source->instructions[i].jip);
    size_t farthest = source->first;
    for (size_t i = source->first; i < source->count; i++) {
        const struct sonde_gen_instruction *instruction = &source->instructions[i];
        size_t jip = instruction->has_jip ? target_of(source, i, instruction->jip) : 0;
        size_t uip = instruction->has_uip ? target_of(source, i, instruction->uip) : 0;
        if (sonde_gen_opcode_is_branch(instruction->opcode) &&
            (jip == NO_INDEX || uip == NO_INDEX || (jip != 0 && jip < source->first)))
            break;
        farthest = jip > farthest ? jip : farthest;
        farthest = uip > farthest ? uip : farthest;
        if (instruction->opcode != SONDE_GEN_RET || farthest > i)
            continue;
        source->last = i;
        return SONDE_OK;
    }
    return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                           "the kernel calls no function by the stack-call convention (compile "
                           "with IGC_FunctionControl=3)");
}

static size_t past(const struct source *source, size_t index, enum sonde_gen_opcode opcode)
{
    return source->instructions[index].opcode == opcode ? index + 1 : index;
}

/* Where channel 0 goes when the branch is taken; NO_INDEX: it is none. */
static enum sonde_status find_branch(const struct source *source, size_t index, size_t *target,
                                     bool *inverse, struct sonde_error *error)
{
    const struct sonde_gen_instruction *branch = &source->instructions[index];
    size_t jip = branch->has_jip ? target_of(source, index, branch->jip) : NO_INDEX;
    size_t uip = branch->has_uip ? target_of(source, index, branch->uip) : NO_INDEX;
    *inverse = false;
    switch (branch->opcode) {
    case SONDE_GEN_JOIN:
    case SONDE_GEN_ENDIF:
        *target = NO_INDEX;
        return SONDE_OK;
    case SONDE_GEN_RET:
        *target = source->last + 1;
        return SONDE_OK;
    case SONDE_GEN_IF:
        *inverse = true;
        *target = past(source, jip, SONDE_GEN_ELSE);
        return SONDE_OK;
    case SONDE_GEN_ELSE:
    case SONDE_GEN_WHILE:
    case SONDE_GEN_JMPI:
        *target = jip;
        return jip == NO_INDEX ? refuse(branch, "jumps by a register", error) : SONDE_OK;
    case SONDE_GEN_BREAK:
        *target = past(source, uip, SONDE_GEN_WHILE);
        return SONDE_OK;
    case SONDE_GEN_CONT:
    case SONDE_GEN_GOTO:
        *target = uip;
        return SONDE_OK;
    default:
        return refuse(branch, "is not possible in a probe", error);
    }
}

static void make_jump(const struct sonde_gen_instruction *branch, size_t target, bool inverse,
                      struct sonde_gen_instruction *jump)
{
    sonde_gen_instruction_init(jump, (enum sonde_gen_platform)branch->platform, SONDE_GEN_JMPI, 1,
                               true);
    jump->has_jip = true;
    jump->source_count = 1;
    jump->src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    jump->src[0].type = SONDE_GEN_TYPE_D;
    jump->jip = (int32_t)target; /* an index of the source as yet */
    if (branch->predicate == SONDE_GEN_PREDICATE_NONE)
        return;
    jump->predicate = SONDE_GEN_PREDICATE_CHANNEL;
    jump->predicate_inverse = branch->predicate_inverse != inverse;
    jump->flag_number = branch->flag_number;
    jump->flag_subreg = branch->flag_subreg;
}

/* Messages of the stack frame: the caller's frame pointer and return address
 * are stored and never looked at by a probe without calls. */
static enum sonde_status check_send(const struct sonde_gen_instruction *send, bool *is_frame,
                                    struct sonde_error *error)
{
    struct sonde_gen_message message;
    *is_frame = false;
    if (send->send.end_of_thread)
        return refuse(send, "ends the thread", error);
    /* XeHPG: to the surface of scratch memory, which a register names. */
    if (send->send.ex_descriptor_is_register) {
        *is_frame = send->src[0].number == STACK_HEADER &&
                    (send->send.descriptor & LSC_OPERATION) == LSC_STORE;
        return *is_frame ? SONDE_OK : refuse(send, "needs memory for a stack", error);
    }
    if (sonde_gen_message_decode(send, &message, error) != SONDE_OK)
        return refuse(send, "is a message that is not known", error);
    if (message.operation == SONDE_GEN_MESSAGE_BARRIER ||
        message.operation == SONDE_GEN_MESSAGE_GATEWAY)
        return refuse(send, "waits for other threads", error);
    bool block = message.layout == SONDE_GEN_LAYOUT_OWORD_BLOCK ||
                 message.layout == SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED ||
                 message.layout == SONDE_GEN_LAYOUT_HWORD_BLOCK ||
                 message.layout == SONDE_GEN_LAYOUT_SCRATCH_BLOCK;
    if (!block || message.address_model == SONDE_GEN_ADDRESS_SURFACE)
        return SONDE_OK;
    *is_frame = message.operation == SONDE_GEN_MESSAGE_WRITE && message.elements <= 2;
    if (!*is_frame)
        return refuse(send, "needs memory for a stack", error);
    return SONDE_OK;
}

static enum sonde_status convert(const struct source *source, size_t index,
                                 struct sonde_gen_instruction *out, bool *keep,
                                 struct sonde_error *error)
{
    const struct sonde_gen_instruction *from = &source->instructions[index];
    enum sonde_gen_format format = sonde_gen_opcode_format((enum sonde_gen_opcode)from->opcode);
    *keep = false;
    *out = *from;
    if (from->illegal)
        return refuse(from, "is not an encoding that the hardware defines", error);
    if (format == SONDE_GEN_FORMAT_NULLARY || format == SONDE_GEN_FORMAT_SYNC)
        return SONDE_OK;
    if (format == SONDE_GEN_FORMAT_WAIT)
        return refuse(from, "waits for other threads", error);
    if (sonde_gen_opcode_is_branch((enum sonde_gen_opcode)from->opcode)) {
        size_t target = NO_INDEX;
        bool inverse;
        enum sonde_status status = find_branch(source, index, &target, &inverse, error);
        if (status != SONDE_OK || target == NO_INDEX)
            return status;
        make_jump(from, target, inverse, out);
        *keep = true;
        return SONDE_OK;
    }
    out->compacted = false;
    out->size = 16;
    out->no_mask = true;
    if (out->predicate != SONDE_GEN_PREDICATE_NONE)
        out->predicate = SONDE_GEN_PREDICATE_CHANNEL;
    *keep = true;
    if (format != SONDE_GEN_FORMAT_SEND)
        return SONDE_OK;
    bool is_frame;
    enum sonde_status status = check_send(from, &is_frame, error);
    *keep = !is_frame;
    if (!from->no_mask) {
        out->exec_size = 1;
        out->channel_offset = 0;
    }
    return status;
}

#define FRAME_REGISTER 125u
#define FRAME_BYTE     16u /* from here on: frame and stack pointer, 8 bytes each */
#define FRAME_LINK     16u /* bytes of a frame without variables */

static bool meets(const uint64_t *set, const struct sonde_gen_effect *effect)
{
    bool any = false;
    for (size_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
        any |= (set[w] & effect->grf[w]) != 0;
    return any;
}

/* Whether memory of the stack is used: by what follows from the stack pointer,
 * in `pointers` by bytes. They may be copied and moved by the size of an empty
 * frame, which is all that a probe without variables in memory does: that is dead
 * then. */
static bool uses_stack(const struct sonde_gen_instruction *instruction, uint64_t *pointers,
                       bool *is_dead)
{
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    bool follows = meets(pointers, &effects.reads);
    *is_dead = follows;
    if (follows && instruction->opcode != SONDE_GEN_MOV && instruction->opcode != SONDE_GEN_ADD &&
        instruction->opcode != SONDE_GEN_ADDC)
        return true;
    const struct sonde_gen_operand *second = &instruction->src[1];
    if (follows && instruction->opcode != SONDE_GEN_MOV &&
        second->file == SONDE_GEN_FILE_IMMEDIATE && second->immediate > FRAME_LINK)
        return true;
    for (size_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
        pointers[w] =
            follows ? pointers[w] | effects.writes.grf[w] : pointers[w] & ~effects.writes.grf[w];
    return false;
}

static enum sonde_status convert_all(struct source *source, struct sonde_hli_function *function,
                                     struct sonde_error *error)
{
    size_t count = source->last - source->first + 1;
    size_t *place = calloc(count + 1, sizeof *place);
    function->instructions = calloc(count, sizeof *function->instructions);
    if (place == NULL || function->instructions == NULL) {
        free(place);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    uint64_t pointers[SONDE_GEN_GRF_WORDS] = {0};
    unsigned byte = FRAME_REGISTER * sonde_gen_platform_grf_size(function->platform) + FRAME_BYTE;
    pointers[byte / 64] |= UINT64_C(0xffff) << byte % 64;
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < count && status == SONDE_OK; i++) {
        struct sonde_gen_instruction *made = &function->instructions[function->count];
        bool keep, is_dead = false;
        place[i] = function->count;
        status = convert(source, source->first + i, made, &keep, error);
        if (status == SONDE_OK && keep && uses_stack(made, pointers, &is_dead))
            status = refuse(made, "needs memory for a stack", error);
        function->count += keep && !is_dead;
    }
    place[count] = function->count;
    for (size_t i = 0; i < function->count && status == SONDE_OK; i++) {
        struct sonde_gen_instruction *jump = &function->instructions[i];
        if (jump->opcode != SONDE_GEN_JMPI)
            continue;
        size_t target = (size_t)jump->jip - source->first;
        if ((size_t)jump->jip < source->first || target > count)
            status = refuse(jump, "leads out of the probe", error);
        else
            jump->jip = (int32_t)place[target] - (int32_t)i;
    }
    free(place);
    return status;
}

static const struct sonde_image_kernel *find_kernel(const struct sonde_image *image,
                                                    const char *name)
{
    for (size_t k = 0; k < sonde_image_kernel_count(image); k++) {
        const struct sonde_image_kernel *kernel = sonde_image_kernel(image, k);
        if (strcmp(kernel->info.name, name) == 0)
            return kernel;
    }
    return NULL;
}

static enum sonde_status take(const struct sonde_image *image, const char *name,
                              struct sonde_hli_function *function, struct sonde_error *error)
{
    const struct sonde_image_kernel *kernel = find_kernel(image, name);
    if (kernel == NULL)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "there is no kernel of that name");
    struct source source = {.instructions = NULL};
    function->platform = kernel->info.platform;
    if (function->platform != SONDE_GEN_PLATFORM_GEN9 &&
        function->platform != SONDE_GEN_PLATFORM_XE &&
        function->platform != SONDE_GEN_PLATFORM_XEHPG)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "this version links no probes for %s",
                               sonde_gen_platform_name(function->platform));
    enum sonde_status status =
        sonde_gen_decode_all(function->platform, kernel->info.isa, kernel->info.isa_size,
                             &source.instructions, &source.count, error);
    if (status == SONDE_OK)
        status = find_probe(&source, error);
    if (status == SONDE_OK)
        status = convert_all(&source, function, error);
    free(source.instructions);
    return status;
}

static enum sonde_status make(const struct sonde_image *image, const char *name,
                              struct sonde_hli_function **function, struct sonde_error *error)
{
    struct sonde_hli_function *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->name = strdup(name);
    if (made == NULL || made->name == NULL) {
        free(made);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    enum sonde_status status = take(image, name, made, error);
    if (status != SONDE_OK) {
        if (error != NULL)
            sonde_error_prefix(error, "%s", name);
        sonde_hli_function_destroy(made);
        return status;
    }
    *function = made;
    return SONDE_OK;
}

enum sonde_status sonde_hli_function_parse(const uint8_t *binary, size_t size, const char *name,
                                           struct sonde_hli_function **function,
                                           struct sonde_error *error)
{
    struct sonde_image *image;
    *function = NULL;
    enum sonde_status status =
        sonde_image_parse(binary, size, SONDE_GEN_PLATFORM_COUNT, &image, error);
    if (status != SONDE_OK)
        return status;
    status = make(image, name, function, error);
    sonde_image_close(image);
    return status;
}

enum sonde_status sonde_hli_function_open(const char *path, const char *name,
                                          struct sonde_hli_function **function,
                                          struct sonde_error *error)
{
    struct sonde_image *image;
    *function = NULL;
    enum sonde_status status = sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, error);
    if (status != SONDE_OK)
        return status;
    status = make(image, name, function, error);
    sonde_image_close(image);
    return status;
}

void sonde_hli_function_destroy(struct sonde_hli_function *function)
{
    if (function == NULL)
        return;
    free(function->instructions);
    free(function->name);
    free(function);
}

size_t sonde_hli_function_size(const struct sonde_hli_function *function)
{
    return function->count;
}
