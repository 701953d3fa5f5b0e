/* Procedures under a condition: every instruction predicated with f1.0. */
#include "coder/build.h"

#include <string.h>

static const struct sonde_predicate condition_flag = {.flag_number = 1, .flag_subreg = 0};
static const struct sonde_predicate merged_flag = {.flag_number = 1, .flag_subreg = 1};

#define FLAG_CONDITION 4u /* half flags as in sonde_gen_effect */
#define FLAG_MERGED    8u

static bool is_predicated(const struct coder_item *item)
{
    return item->instruction.predicate != SONDE_GEN_PREDICATE_NONE;
}

static bool is_empty(const struct coder_item *item)
{
    return item->kind == CODER_ITEM_INSTRUCTION &&
           sonde_gen_opcode_format((enum sonde_gen_opcode)item->instruction.opcode) ==
               SONDE_GEN_FORMAT_NULLARY;
}

/* Why an item cannot be made conditional, or NULL. *flags: it uses. */
static const char *item_refusal(const struct coder_item *item, uint8_t *flags)
{
    *flags = 0;
    const struct sonde_gen_instruction *instruction = &item->instruction;
    if (is_predicated(item)) {
        *flags |= (uint8_t)(1u << (2 * instruction->flag_number + instruction->flag_subreg));
        if (instruction->predicate != SONDE_GEN_PREDICATE_CHANNEL)
            return "has a predicate over groups of channels";
    }
    if (item->is_jump || item->kind == CODER_ITEM_SAVE || item->kind == CODER_ITEM_CALL)
        return "belongs to a call";
    if (item->kind != CODER_ITEM_INSTRUCTION)
        return NULL;
    struct sonde_gen_effects effects;
    coder_item_physical_effects(item, &effects);
    *flags |= effects.reads.flags | effects.writes.flags;
    if (instruction->opcode == SONDE_GEN_SEL && instruction->condition == SONDE_GEN_CONDITION_NONE)
        return "is a sel, whose predicate chooses";
    /* The predicate and the condition of an instruction name the same flag. */
    if (instruction->condition != SONDE_GEN_CONDITION_NONE)
        return item->is_comparison ? NULL : "sets a flag by itself";
    return NULL;
}

static void check_source(struct coder_builder *builder, const struct sonde_procedure *source)
{
    uint8_t used = 0;
    bool predicated = false;
    for (size_t i = 0; i < source->item_count && builder->status == SONDE_OK; i++) {
        uint8_t flags;
        const char *refusal = item_refusal(&source->items[i], &flags);
        const struct sonde_gen_instruction *instruction = &source->items[i].instruction;
        used |= flags;
        predicated |=
            is_predicated(&source->items[i]) || instruction->condition != SONDE_GEN_CONDITION_NONE;
        if (refusal != NULL)
            coder_builder_fail(
                builder, SONDE_ERROR_UNSUPPORTED,
                "procedure %s cannot be made conditional: its %s (instruction %zu) %s",
                source->name, sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)instruction->opcode),
                i, refusal);
    }
    if ((used & FLAG_CONDITION) != 0 || (predicated && (used & FLAG_MERGED) != 0))
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "procedure %s uses f1.%d, which a conditional procedure needs",
                           source->name, (used & FLAG_CONDITION) != 0 ? 0 : 1);
}

static void copy_item(struct coder_builder *builder, const struct coder_item *item,
                      const struct sonde_predicate *predicate)
{
    struct coder_item *copy = coder_procedure_append(builder->procedure);
    if (copy == NULL) {
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
        return;
    }
    *copy = *item;
    if (predicate == NULL)
        return;
    copy->instruction.predicate = SONDE_GEN_PREDICATE_CHANNEL;
    copy->instruction.predicate_inverse = false;
    copy->instruction.flag_number = predicate->flag_number;
    copy->instruction.flag_subreg = predicate->flag_subreg;
}

/* f1.1 = the condition and the item's own predicate. A flag can be the first
 * source only, so the condition is needed in a register. */
static void merge_predicate(struct coder_builder *builder,
                            const struct sonde_gen_instruction *instruction)
{
    sonde_vreg copy = coder_builder_temporary(builder, CODER_TEMPORARY_CONDITION);
    struct coder_operand condition = coder_vreg_typed(copy, 0, SONDE_GEN_TYPE_UW);
    uint8_t number = (uint8_t)(SONDE_GEN_ARF_FLAG | instruction->flag_number);
    struct coder_operand own =
        coder_typed(sonde_operand_arf(number, 2u * instruction->flag_subreg), SONDE_GEN_TYPE_UW);
    own.negate = instruction->predicate_inverse;
    coder_builder_move(
        builder, condition,
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_FLAG | 1, 0), SONDE_GEN_TYPE_UW));
    coder_builder_binary(
        builder, SONDE_GEN_AND,
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_FLAG | 1, 2), SONDE_GEN_TYPE_UW), own,
        condition);
}

/* A comparison under the condition: the comparison in f1.1, then its flag =
 * the condition ? f1.1 : the flag. All bits of a flag are alike. */
static void copy_comparison(struct coder_builder *builder, const struct coder_item *item)
{
    copy_item(builder, item, NULL);
    if (builder->status != SONDE_OK)
        return;
    struct coder_item *copy = &builder->procedure->items[builder->procedure->item_count - 1];
    uint8_t own = (uint8_t)(SONDE_GEN_ARF_FLAG | copy->instruction.flag_number);
    uint32_t byte = 2u * copy->instruction.flag_subreg;
    bool last = item->instruction.exec_size == 16 || item->instruction.channel_offset != 0;
    copy->instruction.flag_number = merged_flag.flag_number;
    copy->instruction.flag_subreg = merged_flag.flag_subreg;
    if (!last)
        return;
    builder->predicate = &condition_flag;
    coder_builder_move(
        builder, coder_typed(sonde_operand_arf(own, byte), SONDE_GEN_TYPE_UW),
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_FLAG | 1, 2), SONDE_GEN_TYPE_UW));
    builder->predicate = NULL;
}

static void copy_conditional(struct coder_builder *builder, const struct sonde_procedure *source)
{
    size_t count = source->item_count;
    for (size_t i = 0; i < count && builder->status == SONDE_OK; i++) {
        const struct coder_item item = source->items[i];
        if (is_empty(&item)) {
            copy_item(builder, &item, NULL);
        } else if (item.is_comparison) {
            copy_comparison(builder, &item);
        } else if (is_predicated(&item)) {
            merge_predicate(builder, &item.instruction);
            copy_item(builder, &item, &merged_flag);
        } else {
            copy_item(builder, &item, &condition_flag);
        }
    }
}

static struct coder_builder open_target(struct sonde_coder *coder,
                                        const struct sonde_procedure *source,
                                        struct sonde_procedure *target, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, target, NULL, error);
    if (!coder_owns(coder, source))
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT, "procedure of another coder");
    else if (source == target)
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT,
                           "a procedure cannot be made conditional in place");
    else
        check_source(&builder, source);
    return builder;
}

enum sonde_status sonde_coder_convert_to_conditional_procedure(struct sonde_coder *coder,
                                                               const struct sonde_procedure *source,
                                                               struct sonde_procedure *target,
                                                               sonde_vreg value,
                                                               struct sonde_error *error)
{
    return sonde_coder_generate_conditional_procedure(coder, source, target, SONDE_GEN_CONDITION_NZ,
                                                      SONDE_GEN_TYPE_UD, value,
                                                      sonde_operand_immediate(0), error);
}

enum sonde_status sonde_coder_generate_conditional_procedure(
    struct sonde_coder *coder, const struct sonde_procedure *source, struct sonde_procedure *target,
    enum sonde_gen_condition condition, enum sonde_gen_type type, sonde_vreg a,
    struct sonde_operand b, struct sonde_error *error)
{
    struct coder_builder builder = open_target(coder, source, target, error);
    if (builder.status == SONDE_OK)
        coder_builder_compare(&builder, &condition_flag, condition, type, sonde_operand_vreg(a), b);
    if (builder.status == SONDE_OK)
        copy_conditional(&builder, source);
    return coder_builder_close(&builder);
}
