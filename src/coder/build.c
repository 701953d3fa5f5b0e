#include "coder/build.h"

#include <stdio.h>

struct coder_builder coder_builder_open(struct sonde_coder *coder,
                                        struct sonde_procedure *procedure,
                                        const struct sonde_predicate *predicate,
                                        struct sonde_error *error)
{
    struct coder_builder builder = {.coder = coder,
                                    .procedure = procedure,
                                    .predicate = predicate,
                                    .error = error,
                                    .status = SONDE_OK};
    if (!coder_owns(coder, procedure))
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT, "procedure of another coder");
    else
        builder.start = procedure->item_count;
    if (predicate != NULL && (predicate->flag_number > 1 || predicate->flag_subreg > 1))
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT, "there is no flag f%u.%u",
                           predicate->flag_number, predicate->flag_subreg);
    else if (predicate != NULL && predicate->varies)
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT,
                           "only calls of probes take a predicate that differs by channel");
    return builder;
}

enum sonde_status coder_builder_close(struct coder_builder *builder)
{
    if (builder->status != SONDE_OK && coder_owns(builder->coder, builder->procedure))
        builder->procedure->item_count = builder->start;
    return builder->status;
}

void coder_builder_fail(struct coder_builder *builder, enum sonde_status status, const char *format,
                        ...)
{
    char message[200];
    va_list arguments;
    if (builder->status != SONDE_OK)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    builder->status = sonde_error_set(builder->error, status, 0, "%s", message);
}

void coder_builder_need(struct coder_builder *builder, sonde_vreg vreg, uint32_t size,
                        const char *what)
{
    if (!sonde_vreg_exists(builder->coder, vreg))
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "virtual register %u for %s is not of this coder", vreg, what);
    else if (builder->coder->vregs[vreg].size < size)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "virtual register %u of %u bytes cannot hold %s of %u bytes", vreg,
                           builder->coder->vregs[vreg].size, what, size);
}

uint32_t coder_address_size(const struct sonde_coder *coder)
{
    return coder->options.buffer_model == SONDE_BUFFER_SURFACE ? 4 : 8;
}

void coder_builder_need_address(struct coder_builder *builder, sonde_vreg vreg)
{
    coder_builder_need(builder, vreg, coder_address_size(builder->coder), "an address");
}

void coder_builder_need_operand(struct coder_builder *builder, const struct sonde_operand *operand,
                                enum sonde_gen_type type, bool is_destination)
{
    uint32_t size = sonde_gen_type_size(type);
    uint64_t file = (uint64_t)builder->coder->grf_size * builder->coder->grf_count;
    if (operand->kind == SONDE_OPERAND_IMMEDIATE && is_destination)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "an immediate cannot be written");
    else if (operand->kind == SONDE_OPERAND_VREG &&
             !sonde_vreg_exists(builder->coder, operand->vreg))
        coder_builder_need(builder, operand->vreg, size, "an operand");
    else if (operand->kind == SONDE_OPERAND_VREG &&
             (uint64_t)operand->byte + size > builder->coder->vregs[operand->vreg].size)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "virtual register %u has no %s at byte %u", operand->vreg,
                           sonde_gen_type_name(type), operand->byte);
    else if (operand->kind == SONDE_OPERAND_GRF && (uint64_t)operand->byte + size > file)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "there is no byte %u of registers",
                           operand->byte);
    else if (operand->kind == SONDE_OPERAND_ARF && is_destination)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "architecture registers are written by the methods for them");
    else if ((unsigned)operand->kind > SONDE_OPERAND_ARF)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "unknown kind of operand");
    else if (operand->kind != SONDE_OPERAND_IMMEDIATE && operand->byte % size != 0)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "byte %u is no place for a %s",
                           operand->byte, sonde_gen_type_name(type));
}

sonde_vreg coder_builder_temporary(struct coder_builder *builder, enum coder_temporary which)
{
    static const uint8_t types[CODER_TEMPORARY_COUNT] = {
        [CODER_TEMPORARY_FIRST] = SONDE_VREG_QWORD,    [CODER_TEMPORARY_SECOND] = SONDE_VREG_QWORD,
        [CODER_TEMPORARY_WORK] = SONDE_VREG_QWORD,     [CODER_TEMPORARY_SUM] = SONDE_VREG_QWORD,
        [CODER_TEMPORARY_METHOD] = SONDE_VREG_OWORD,   [CODER_TEMPORARY_ADDRESS] = SONDE_VREG_PTR,
        [CODER_TEMPORARY_DATA] = SONDE_VREG_DHWORD,    [CODER_TEMPORARY_RESPONSE] = SONDE_VREG_GRF,
        [CODER_TEMPORARY_HEADER] = SONDE_VREG_GRF,     [CODER_TEMPORARY_CHUNK] = SONDE_VREG_DWORD,
        [CODER_TEMPORARY_CONDITION] = SONDE_VREG_WORD, [CODER_TEMPORARY_WIDE] = SONDE_VREG_OWORD,
        [CODER_TEMPORARY_LANES] = SONDE_VREG_DHWORD,
    };
    sonde_vreg *vreg = &builder->coder->temporaries[which];
    if (*vreg == 0)
        *vreg = sonde_vreg_make_scratch(builder->coder, (enum sonde_vreg_type)types[which]);
    if (*vreg == 0)
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
    return *vreg;
}

struct coder_operand coder_typed(struct sonde_operand at, enum sonde_gen_type type)
{
    return (struct coder_operand){.at = at, .type = type};
}

struct coder_operand coder_vreg_typed(sonde_vreg vreg, uint32_t byte, enum sonde_gen_type type)
{
    return coder_typed(sonde_operand_vreg_at(vreg, byte), type);
}

static struct sonde_gen_operand encode_operand(const struct sonde_coder *coder,
                                               const struct coder_operand *from)
{
    struct sonde_gen_operand operand = {
        .type = (uint8_t)from->type, .mme = 0xff, .write_mask = 0xf, .swizzle = 0xe4, .width = 1};
    operand.negate = from->negate;
    if (from->elements > 1) {
        operand.width = operand.vstride = from->elements > 8 ? 8 : from->elements;
        operand.hstride = 1;
    }
    switch (from->at.kind) {
    case SONDE_OPERAND_IMMEDIATE:
        operand.file = SONDE_GEN_FILE_IMMEDIATE;
        operand.immediate = from->at.immediate;
        if (sonde_gen_type_size(from->type) < 8)
            operand.immediate &= (1ull << 8 * sonde_gen_type_size(from->type)) - 1;
        operand.width = 0;
        break;
    case SONDE_OPERAND_ARF:
        operand.file = SONDE_GEN_FILE_ARF;
        operand.number = from->at.arf;
        operand.subreg = (uint8_t)from->at.byte;
        break;
    default: /* of a virtual register: an offset into it */
        operand.file = SONDE_GEN_FILE_GRF;
        operand.number = (uint8_t)(from->at.byte / coder->grf_size);
        operand.subreg = (uint8_t)(from->at.byte % coder->grf_size);
        break;
    }
    return operand;
}

static void set_predicate(const struct sonde_predicate *predicate,
                          struct sonde_gen_instruction *instruction)
{
    if (predicate == NULL)
        return;
    instruction->predicate = SONDE_GEN_PREDICATE_CHANNEL;
    instruction->predicate_inverse = predicate->inverse;
    instruction->flag_number = predicate->flag_number;
    instruction->flag_subreg = predicate->flag_subreg;
}

void coder_builder_predicate(const struct coder_builder *builder, struct coder_item *item)
{
    set_predicate(builder->predicate, &item->instruction);
}

static struct coder_item *append_item(struct coder_builder *builder)
{
    if (builder->status != SONDE_OK)
        return NULL;
    struct coder_item *item = coder_procedure_append(builder->procedure);
    if (item == NULL)
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
    else
        item->kind = CODER_ITEM_INSTRUCTION;
    return item;
}

/* Physical registers must keep what the kernel has there. */
static void note_named(struct sonde_coder *coder, const struct coder_item *item)
{
    struct sonde_gen_effects effects;
    coder_item_physical_effects(item, &effects);
    for (uint32_t w = 0; w < coder->grf_words; w++)
        coder->named[w] |= effects.reads.grf[w] | effects.writes.grf[w];
}

void coder_builder_name(struct coder_builder *builder, const struct coder_item *item)
{
    note_named(builder->coder, item);
}

struct coder_item *coder_builder_append(struct coder_builder *builder, enum sonde_gen_opcode opcode,
                                        uint8_t exec_size, const struct coder_operand *dst,
                                        const struct coder_operand *sources, unsigned count)
{
    struct coder_item *item = append_item(builder);
    if (item == NULL)
        return NULL;
    struct sonde_gen_instruction *instruction = &item->instruction;
    sonde_gen_instruction_init(instruction, sonde_kernel_info(builder->coder->kernel)->platform,
                               opcode, exec_size, true);
    instruction->source_count = (uint8_t)count;
    instruction->dst = encode_operand(builder->coder, dst);
    instruction->dst.vstride = instruction->dst.width = 0;
    /* A byte takes the place of a word: execution types are words and more. */
    instruction->dst.hstride = sonde_gen_type_size(dst->type) == 1 ? 2 : 1;
    if (dst->at.kind == SONDE_OPERAND_VREG)
        item->dst = dst->at.vreg;
    for (unsigned i = 0; i < count; i++) {
        instruction->src[i] = encode_operand(builder->coder, &sources[i]);
        if (sources[i].at.kind == SONDE_OPERAND_VREG)
            item->src[i] = sources[i].at.vreg;
    }
    set_predicate(builder->predicate, instruction);
    note_named(builder->coder, item);
    return item;
}

void coder_builder_move(struct coder_builder *builder, struct coder_operand dst,
                        struct coder_operand source)
{
    coder_builder_append(builder, SONDE_GEN_MOV, 1, &dst, &source, 1);
}

void coder_builder_binary(struct coder_builder *builder, enum sonde_gen_opcode opcode,
                          struct coder_operand dst, struct coder_operand a, struct coder_operand b)
{
    struct coder_operand sources[2] = {a, b};
    coder_builder_append(builder, opcode, 1, &dst, sources, 2);
}

void coder_builder_send(struct coder_builder *builder,
                        const struct sonde_gen_instruction *instruction,
                        const struct sonde_operand *dst, sonde_vreg src0,
                        const struct sonde_operand *src1)
{
    struct coder_item *item = append_item(builder);
    if (item == NULL)
        return;
    item->instruction = *instruction;
    item->src[0] = src0;
    struct coder_operand operand = {.type = SONDE_GEN_TYPE_UD};
    if (dst != NULL) {
        operand.at = *dst;
        operand.type = (enum sonde_gen_type)instruction->dst.type;
        item->instruction.dst = encode_operand(builder->coder, &operand);
        item->instruction.dst.hstride = 1;
        item->dst = dst->kind == SONDE_OPERAND_VREG ? dst->vreg : 0;
    }
    if (src1 != NULL) {
        operand = coder_typed(*src1, SONDE_GEN_TYPE_UD);
        item->instruction.src[1] = encode_operand(builder->coder, &operand);
        item->src[1] = src1->kind == SONDE_OPERAND_VREG ? src1->vreg : 0;
    }
    set_predicate(builder->predicate, &item->instruction);
    note_named(builder->coder, item);
}

sonde_vreg coder_builder_message_address(struct coder_builder *builder, sonde_vreg address)
{
    enum sonde_gen_type type =
        coder_address_size(builder->coder) == 4 ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UQ;
    coder_builder_need_address(builder, address);
    if (builder->status != SONDE_OK || !coder_vreg_lasts(builder->coder, address))
        return address;
    sonde_vreg copy = coder_builder_temporary(builder, CODER_TEMPORARY_ADDRESS);
    struct sonde_operand from = sonde_operand_vreg(address);
    coder_builder_operation(builder, SONDE_MOV, type, sonde_operand_vreg(copy), from, from);
    return copy;
}
