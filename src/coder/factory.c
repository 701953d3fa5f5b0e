/* The instruction factory: operations made legal. */
#include "coder/wide.h"

struct sonde_operand sonde_operand_vreg(sonde_vreg vreg)
{
    return (struct sonde_operand){.kind = SONDE_OPERAND_VREG, .vreg = vreg};
}

struct sonde_operand sonde_operand_vreg_at(sonde_vreg vreg, uint32_t byte)
{
    return (struct sonde_operand){.kind = SONDE_OPERAND_VREG, .vreg = vreg, .byte = byte};
}

struct sonde_operand sonde_operand_immediate(uint64_t value)
{
    return (struct sonde_operand){.kind = SONDE_OPERAND_IMMEDIATE, .immediate = value};
}

struct sonde_operand sonde_operand_grf(uint32_t number, uint32_t subreg, uint32_t grf_size)
{
    return (struct sonde_operand){.kind = SONDE_OPERAND_GRF, .byte = number * grf_size + subreg};
}

struct sonde_operand sonde_operand_arf(uint8_t number, uint32_t subreg)
{
    return (struct sonde_operand){.kind = SONDE_OPERAND_ARF, .arf = number, .byte = subreg};
}

struct operation {
    const char *name;
    uint8_t opcode;
    uint8_t signed_opcode;
    bool unary, commutes, is_shift;
    bool by_halves; /* no 64-bit form on any part */
};

static const struct operation operations[SONDE_OPERATION_COUNT] = {
    [SONDE_MOV] = {.name = "mov", .opcode = SONDE_GEN_MOV, .unary = true},
    [SONDE_ADD] = {.name = "add", .opcode = SONDE_GEN_ADD, .commutes = true},
    [SONDE_SUB] = {.name = "sub", .opcode = SONDE_GEN_ADD},
    [SONDE_MUL] = {.name = "mul", .opcode = SONDE_GEN_MUL, .commutes = true},
    [SONDE_SHL] = {.name = "shl", .opcode = SONDE_GEN_SHL, .is_shift = true},
    [SONDE_SHR] = {.name = "shr",
                   .opcode = SONDE_GEN_SHR,
                   .signed_opcode = SONDE_GEN_ASR,
                   .is_shift = true},
    [SONDE_AND] = {.name = "and", .opcode = SONDE_GEN_AND, .commutes = true, .by_halves = true},
    [SONDE_OR] = {.name = "or", .opcode = SONDE_GEN_OR, .commutes = true, .by_halves = true},
    [SONDE_XOR] = {.name = "xor", .opcode = SONDE_GEN_XOR, .commutes = true, .by_halves = true},
    [SONDE_NOT] = {.name = "not", .opcode = SONDE_GEN_NOT, .unary = true, .by_halves = true},
    [SONDE_CBIT] = {.name = "cbit", .opcode = SONDE_GEN_CBIT, .unary = true},
};

static bool is_integer(enum sonde_gen_type type)
{
    return (unsigned)type <= SONDE_GEN_TYPE_Q;
}

static enum sonde_gen_type word_of(enum sonde_gen_type type)
{
    if (sonde_gen_type_size(type) != 1)
        return type;
    return sonde_gen_type_is_signed(type) ? SONDE_GEN_TYPE_W : SONDE_GEN_TYPE_UW;
}

/* A source that an encoding takes. Immediates stand last, have no bytes, and
 * have 64 bits in mov only. */
static struct coder_operand source(struct coder_builder *builder, struct sonde_operand at,
                                   enum sonde_gen_type type, bool may_be_immediate,
                                   enum coder_temporary spare)
{
    struct coder_operand operand = coder_typed(at, type);
    if (at.kind != SONDE_OPERAND_IMMEDIATE)
        return operand;
    operand.type = word_of(type);
    if (type == SONDE_GEN_TYPE_UB)
        operand.at.immediate = (uint8_t)at.immediate;
    else if (type == SONDE_GEN_TYPE_B)
        operand.at.immediate = (uint64_t)(int8_t)at.immediate;
    bool narrow = sonde_gen_type_size(type) < 8;
    if (!narrow && at.immediate <= UINT32_MAX) {
        operand.type = SONDE_GEN_TYPE_UD;
        narrow = true;
    } else if (!narrow && (uint64_t)(int64_t)(int32_t)at.immediate == at.immediate) {
        operand.type = SONDE_GEN_TYPE_D;
        narrow = true;
    }
    if (may_be_immediate && narrow)
        return operand;
    struct coder_operand copy =
        coder_vreg_typed(coder_builder_temporary(builder, spare), 0, word_of(type));
    operand.type = copy.type;
    if (sonde_gen_type_size(type) == 8 && !builder->coder->isa->has_int64)
        coder_wide_move(builder, copy.at, at);
    else
        coder_builder_move(builder, copy, operand);
    return copy;
}

/* The encoding has architecture registers as the first source only. */
static struct sonde_operand second_source(struct coder_builder *builder, struct sonde_operand at,
                                          enum sonde_gen_type type)
{
    if (at.kind != SONDE_OPERAND_ARF)
        return at;
    struct coder_operand copy =
        coder_vreg_typed(coder_builder_temporary(builder, CODER_TEMPORARY_SECOND), 0, type);
    coder_builder_move(builder, copy, coder_typed(at, type));
    return copy.at;
}

/* 32 x 32 bits of products with 16: parts without a 32-bit multiplier have
 * that, and the accumulator is left alone. */
void coder_multiply_dwords(struct coder_builder *builder, struct sonde_operand dst,
                           struct sonde_operand a, struct sonde_operand b)
{
    struct coder_operand first =
        source(builder, a, SONDE_GEN_TYPE_UD, false, CODER_TEMPORARY_FIRST);
    struct coder_operand result = coder_typed(dst, SONDE_GEN_TYPE_UD);
    struct coder_operand low = coder_typed(coder_piece_of(b, 0), SONDE_GEN_TYPE_UW);
    struct coder_operand high = coder_typed(coder_piece_of(b, 1), SONDE_GEN_TYPE_UW);
    if (b.kind == SONDE_OPERAND_IMMEDIATE && (b.immediate & UINT32_MAX) <= UINT16_MAX) {
        coder_builder_binary(builder, SONDE_GEN_MUL, result, first, low);
        return;
    }
    sonde_vreg work = coder_builder_temporary(builder, CODER_TEMPORARY_WORK);
    struct coder_operand upper = coder_vreg_typed(work, 0, SONDE_GEN_TYPE_UD);
    struct coder_operand lower = coder_vreg_typed(work, 4, SONDE_GEN_TYPE_UD);
    coder_builder_binary(builder, SONDE_GEN_MUL, upper, first, high);
    coder_builder_binary(builder, SONDE_GEN_SHL, upper, upper,
                         coder_typed(sonde_operand_immediate(16), SONDE_GEN_TYPE_UD));
    coder_builder_binary(builder, SONDE_GEN_MUL, lower, first, low);
    coder_builder_binary(builder, SONDE_GEN_ADD, result, upper, lower);
}

/* The sum of the 16 x 16 bit products that reach the low 64 bits. */
static void multiply_qwords(struct coder_builder *builder, struct sonde_operand dst,
                            struct sonde_operand a, struct sonde_operand b)
{
    struct coder_operand first =
        source(builder, a, SONDE_GEN_TYPE_UQ, false, CODER_TEMPORARY_FIRST);
    struct coder_operand work = coder_vreg_typed(
        coder_builder_temporary(builder, CODER_TEMPORARY_WORK), 0, SONDE_GEN_TYPE_UQ);
    struct coder_operand sum = coder_vreg_typed(
        coder_builder_temporary(builder, CODER_TEMPORARY_SUM), 0, SONDE_GEN_TYPE_UQ);
    struct coder_operand product = work;
    product.type = SONDE_GEN_TYPE_UD;
    coder_builder_move(builder, sum, coder_typed(sonde_operand_immediate(0), SONDE_GEN_TYPE_UD));
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; i + j < 4; j++) {
            struct sonde_operand left = coder_piece_of(first.at, i), right = coder_piece_of(b, j);
            if (b.kind == SONDE_OPERAND_IMMEDIATE && right.immediate == 0)
                continue;
            coder_builder_binary(builder, SONDE_GEN_MUL, product,
                                 coder_typed(left, SONDE_GEN_TYPE_UW),
                                 coder_typed(right, SONDE_GEN_TYPE_UW));
            coder_builder_move(builder, work, product);
            if (i + j != 0)
                coder_builder_binary(
                    builder, SONDE_GEN_SHL, work, work,
                    coder_typed(sonde_operand_immediate(16 * (i + j)), SONDE_GEN_TYPE_UD));
            coder_builder_binary(builder, SONDE_GEN_ADD, sum, sum, work);
        }
    }
    coder_builder_move(builder, coder_typed(dst, SONDE_GEN_TYPE_UQ), sum);
}

static void count_bits(struct coder_builder *builder, enum sonde_gen_type type,
                       struct sonde_operand dst, struct sonde_operand a)
{
    struct coder_operand result = coder_typed(dst, SONDE_GEN_TYPE_UD);
    if (sonde_gen_type_size(type) < 8) {
        struct coder_operand operand = source(builder, a, type, false, CODER_TEMPORARY_FIRST);
        coder_builder_append(builder, SONDE_GEN_CBIT, 1, &result, &operand, 1);
        return;
    }
    struct coder_operand whole =
        source(builder, a, SONDE_GEN_TYPE_UQ, false, CODER_TEMPORARY_FIRST);
    struct coder_operand high = coder_vreg_typed(
        coder_builder_temporary(builder, CODER_TEMPORARY_WORK), 0, SONDE_GEN_TYPE_UD);
    struct coder_operand part = coder_typed(coder_half_of(whole.at, 1), SONDE_GEN_TYPE_UD);
    coder_builder_append(builder, SONDE_GEN_CBIT, 1, &high, &part, 1);
    part = coder_typed(coder_half_of(whole.at, 0), SONDE_GEN_TYPE_UD);
    coder_builder_append(builder, SONDE_GEN_CBIT, 1, &result, &part, 1);
    coder_builder_binary(builder, SONDE_GEN_ADD, result, result, high);
}

static void plain(struct coder_builder *builder, enum sonde_operation which,
                  enum sonde_gen_type type, struct sonde_operand dst, struct sonde_operand a,
                  struct sonde_operand b)
{
    const struct operation *operation = &operations[which];
    uint8_t opcode = operation->signed_opcode != 0 && sonde_gen_type_is_signed(type)
                         ? operation->signed_opcode
                         : operation->opcode;
    struct coder_operand result = coder_typed(dst, type);
    if (operation->unary) {
        struct coder_operand only = coder_typed(a, type);
        if (a.kind == SONDE_OPERAND_IMMEDIATE)
            only.type = word_of(type);
        coder_builder_append(builder, (enum sonde_gen_opcode)opcode, 1, &result, &only, 1);
        return;
    }
    if (operation->commutes && a.kind == SONDE_OPERAND_IMMEDIATE) {
        struct sonde_operand swap = a;
        a = b;
        b = swap;
    }
    if (which == SONDE_SUB && b.kind == SONDE_OPERAND_IMMEDIATE)
        b.immediate = 0 - b.immediate;
    struct coder_operand sources[2] = {
        source(builder, a, type, false, CODER_TEMPORARY_FIRST),
        source(builder, b, operation->is_shift ? SONDE_GEN_TYPE_UD : type, true,
               CODER_TEMPORARY_SECOND),
    };
    sources[1].negate = which == SONDE_SUB && b.kind != SONDE_OPERAND_IMMEDIATE;
    coder_builder_append(builder, (enum sonde_gen_opcode)opcode, 1, &result, sources, 2);
}

/* 64 bits where the part has no such operations. */
static void without_int64(struct coder_builder *builder, enum sonde_operation which, bool is_signed,
                          struct sonde_operand dst, struct sonde_operand a, struct sonde_operand b)
{
    switch (which) {
    case SONDE_MOV:
        coder_wide_move(builder, dst, a);
        break;
    case SONDE_ADD:
        coder_wide_add(builder, dst, a, b, false);
        break;
    case SONDE_SUB:
        coder_wide_subtract(builder, dst, a, b);
        break;
    case SONDE_MUL:
        coder_wide_multiply(builder, dst, a, b);
        break;
    default:
        coder_wide_shift(builder, which == SONDE_SHL, is_signed, dst, a, b);
        break;
    }
}

static void check_operation(struct coder_builder *builder, enum sonde_operation which,
                            enum sonde_gen_type type, const struct sonde_operand *dst,
                            const struct sonde_operand *a, const struct sonde_operand *b)
{
    if ((unsigned)which >= SONDE_OPERATION_COUNT || !is_integer(type)) {
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "there is no such operation on the type given");
        return;
    }
    const struct operation *operation = &operations[which];
    if ((which == SONDE_MUL && sonde_gen_type_size(type) == 1) ||
        (which == SONDE_CBIT && sonde_gen_type_is_signed(type)))
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "%s has no type %s", operation->name,
                           sonde_gen_type_name(type));
    coder_builder_need_operand(builder, dst, which == SONDE_CBIT ? SONDE_GEN_TYPE_UD : type, true);
    coder_builder_need_operand(builder, a, type, false);
    if (!operation->unary)
        coder_builder_need_operand(builder, b, operation->is_shift ? SONDE_GEN_TYPE_UD : type,
                                   false);
}

void coder_builder_operation(struct coder_builder *builder, enum sonde_operation which,
                             enum sonde_gen_type type, struct sonde_operand dst,
                             struct sonde_operand a, struct sonde_operand b)
{
    check_operation(builder, which, type, &dst, &a, &b);
    if (builder->status != SONDE_OK)
        return;
    uint32_t size = sonde_gen_type_size(type);
    if (!operations[which].unary)
        b = second_source(builder, b, operations[which].is_shift ? SONDE_GEN_TYPE_UD : type);
    if (which == SONDE_MUL && a.kind == SONDE_OPERAND_IMMEDIATE) {
        struct sonde_operand swap = a;
        a = b;
        b = swap;
    }
    bool by_halves = size == 8 && operations[which].by_halves;
    if (which == SONDE_CBIT)
        count_bits(builder, type, dst, a);
    else if (size == 8 && !by_halves && !builder->coder->isa->has_int64)
        without_int64(builder, which, sonde_gen_type_is_signed(type), dst, a, b);
    else if (which == SONDE_MUL && size == 8)
        multiply_qwords(builder, dst, a, b);
    else if (which == SONDE_MUL && size == 4)
        coder_multiply_dwords(builder, dst, a, b);
    else if (by_halves)
        for (unsigned half = 0; half < 2; half++)
            plain(builder, which, SONDE_GEN_TYPE_UD, coder_half_of(dst, half),
                  coder_half_of(a, half), coder_half_of(b, half));
    else
        plain(builder, which, type, dst, a, b);
}

enum sonde_status
sonde_coder_operation(struct sonde_coder *coder, struct sonde_procedure *procedure,
                      enum sonde_operation operation, enum sonde_gen_type type,
                      struct sonde_operand dst, struct sonde_operand a, struct sonde_operand b,
                      const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    if (builder.status == SONDE_OK)
        coder_builder_operation(&builder, operation, type, dst, a, b);
    return coder_builder_close(&builder);
}

enum sonde_status sonde_coder_addc(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                   struct sonde_operand sum, struct sonde_operand carry,
                                   struct sonde_operand a, struct sonde_operand b,
                                   const struct sonde_predicate *predicate,
                                   struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need_operand(&builder, &sum, SONDE_GEN_TYPE_UD, true);
    coder_builder_need_operand(&builder, &carry, SONDE_GEN_TYPE_UD, true);
    coder_builder_need_operand(&builder, &a, SONDE_GEN_TYPE_UD, false);
    coder_builder_need_operand(&builder, &b, SONDE_GEN_TYPE_UD, false);
    /* The instruction of that name has its carry in the accumulator. */
    a.immediate &= UINT32_MAX;
    b.immediate &= UINT32_MAX;
    b = second_source(&builder, b, SONDE_GEN_TYPE_UD);
    struct coder_carry result = coder_wide_carry(&builder, a, b);
    coder_builder_move(&builder, coder_typed(sum, SONDE_GEN_TYPE_UD), result.sum);
    coder_builder_move(&builder, coder_typed(carry, SONDE_GEN_TYPE_UD), result.carry);
    return coder_builder_close(&builder);
}

void coder_builder_compare(struct coder_builder *builder, const struct sonde_predicate *flag,
                           enum sonde_gen_condition condition, enum sonde_gen_type type,
                           struct sonde_operand a, struct sonde_operand b)
{
    if (condition < SONDE_GEN_CONDITION_Z || condition > SONDE_GEN_CONDITION_LE ||
        !is_integer(type) || flag->inverse || flag->flag_number > 1 || flag->flag_subreg > 1)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "cmp needs a condition, an integer type and a flag of f0.0 to f1.1");
    else
        coder_builder_need_operand(builder, &a, type, false);
    if (builder->status == SONDE_OK)
        coder_builder_need_operand(builder, &b, type, false);
    if (builder->status != SONDE_OK)
        return;
    b = second_source(builder, b, type);
    if (sonde_gen_type_size(type) == 8 && !builder->coder->isa->has_int64) {
        a = coder_wide_difference(builder, &condition, sonde_gen_type_is_signed(type), a, b);
        b = sonde_operand_immediate(0);
        type = SONDE_GEN_TYPE_D;
    }
    bool wide = sonde_gen_type_size(type) == 8;
    /* One of 32 bits is extended by its own sign, which is to be that of the type. */
    bool same_sign = !wide || (type == SONDE_GEN_TYPE_UQ && b.immediate <= UINT32_MAX);
    struct coder_operand dst = coder_typed(sonde_operand_arf(SONDE_GEN_ARF_NULL, 0), word_of(type));
    struct coder_operand sources[2] = {
        source(builder, a, type, false, CODER_TEMPORARY_FIRST),
        source(builder, b, type, same_sign, CODER_TEMPORARY_SECOND),
    };
    for (unsigned part = 0; part < (wide ? 2u : 1u); part++) {
        struct coder_item *item =
            coder_builder_append(builder, SONDE_GEN_CMP, wide ? 8 : 16, &dst, sources, 2);
        if (item == NULL)
            return;
        item->is_comparison = true;
        item->instruction.channel_offset = (uint8_t)(8 * part);
        item->instruction.condition = (uint8_t)condition;
        item->instruction.flag_number = flag->flag_number;
        item->instruction.flag_subreg = flag->flag_subreg;
    }
}

enum sonde_status sonde_coder_cmp(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                  const struct sonde_predicate *flag,
                                  enum sonde_gen_condition condition, enum sonde_gen_type type,
                                  struct sonde_operand a, struct sonde_operand b,
                                  struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, NULL, error);
    if (flag == NULL)
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT, "cmp needs a flag");
    else
        coder_builder_compare(&builder, flag, condition, type, a, b);
    return coder_builder_close(&builder);
}

static bool same_place(const struct sonde_operand *x, const struct sonde_operand *y)
{
    return x->kind == y->kind && x->vreg == y->vreg && x->byte == y->byte;
}

/* Moves, since a sel takes its choice from the place of a predicate and so
 * could not be made conditional. */
enum sonde_status sonde_coder_sel(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                  const struct sonde_predicate *flag, enum sonde_gen_type type,
                                  struct sonde_operand dst, struct sonde_operand a,
                                  struct sonde_operand b, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, NULL, error);
    if (flag == NULL || flag->flag_number > 1 || flag->flag_subreg > 1) {
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT, "sel needs a flag of f0.0 to f1.1");
        return coder_builder_close(&builder);
    }
    struct sonde_predicate otherwise = *flag;
    otherwise.inverse = !flag->inverse;
    check_operation(&builder, SONDE_ADD, type, &dst, &a, &b);
    bool is_a = same_place(&dst, &a), is_b = same_place(&dst, &b);
    if (!is_a) {
        builder.predicate = is_b ? flag : NULL;
        coder_builder_operation(&builder, SONDE_MOV, type, dst, is_b ? a : b, b);
    }
    if (!is_b) {
        builder.predicate = is_a ? &otherwise : flag;
        coder_builder_operation(&builder, SONDE_MOV, type, dst, is_a ? b : a, b);
    }
    return coder_builder_close(&builder);
}
