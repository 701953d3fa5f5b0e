/* Updates of the profile buffer. */
#include "coder/wide.h"

bool sonde_coder_can_access_atomically(const struct sonde_coder *coder, enum sonde_gen_type type)
{
    if (type == SONDE_GEN_TYPE_UQ)
        return coder->options.buffer_model == SONDE_BUFFER_STATELESS;
    return type == SONDE_GEN_TYPE_UD;
}

/* The data in a register that a message can take. */
static sonde_vreg message_data(struct coder_builder *builder, enum sonde_gen_type type,
                               struct sonde_operand data)
{
    bool in_place = data.kind == SONDE_OPERAND_VREG && data.byte == 0 &&
                    builder->status == SONDE_OK && !coder_vreg_lasts(builder->coder, data.vreg);
    if (in_place)
        return data.vreg;
    sonde_vreg copy = coder_builder_temporary(builder, CODER_TEMPORARY_DATA);
    coder_builder_operation(builder, SONDE_MOV, type, sonde_operand_vreg(copy), data, data);
    return copy;
}

/* 64 bits of a surface: the low half, then the high half and the carry that
 * the old low half tells. */
static void add_in_halves(struct coder_builder *builder, sonde_vreg address,
                          struct sonde_operand data)
{
    sonde_vreg staged = coder_builder_temporary(builder, CODER_TEMPORARY_DATA);
    sonde_vreg old = coder_builder_temporary(builder, CODER_TEMPORARY_RESPONSE);
    sonde_vreg upper = coder_builder_temporary(builder, CODER_TEMPORARY_ADDRESS);
    struct coder_operand high = coder_vreg_typed(staged, 32, SONDE_GEN_TYPE_UD);
    struct coder_operand low = coder_vreg_typed(staged, 0, SONDE_GEN_TYPE_UD);
    coder_builder_operation(builder, SONDE_MOV, SONDE_GEN_TYPE_UQ, sonde_operand_vreg(staged), data,
                            data);
    coder_builder_move(builder, high, coder_vreg_typed(staged, 4, SONDE_GEN_TYPE_UD));
    sonde_vreg at = coder_builder_message_address(builder, address);
    if (builder->status != SONDE_OK)
        return;
    coder_message_atomic(builder, CODER_ATOMIC_ADD, 4, at, staged, old);
    struct coder_carry sum = coder_wide_carry(builder, sonde_operand_vreg(old), low.at);
    coder_builder_binary(builder, SONDE_GEN_ADD, low, high, sum.carry);
    coder_builder_binary(builder, SONDE_GEN_ADD, coder_vreg_typed(upper, 0, SONDE_GEN_TYPE_UD),
                         coder_vreg_typed(at, 0, SONDE_GEN_TYPE_UD),
                         coder_typed(sonde_operand_immediate(4), SONDE_GEN_TYPE_UD));
    if (builder->status == SONDE_OK)
        coder_message_atomic(builder, CODER_ATOMIC_ADD, 4, upper, staged, 0);
}

static void store_in_halves(struct coder_builder *builder, sonde_vreg address,
                            struct sonde_operand data)
{
    sonde_vreg staged = coder_builder_temporary(builder, CODER_TEMPORARY_DATA);
    coder_builder_operation(builder, SONDE_MOV, SONDE_GEN_TYPE_UQ, sonde_operand_vreg(staged), data,
                            data);
    coder_builder_move(builder, coder_vreg_typed(staged, 32, SONDE_GEN_TYPE_UD),
                       coder_vreg_typed(staged, 4, SONDE_GEN_TYPE_UD));
    sonde_vreg at = coder_builder_message_address(builder, address);
    if (builder->status == SONDE_OK)
        coder_message_store_pair(builder, at, staged);
}

static enum sonde_status update(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                enum coder_atomic operation, enum sonde_gen_type type,
                                sonde_vreg address, struct sonde_operand data,
                                const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    if (builder.status == SONDE_OK && type != SONDE_GEN_TYPE_UD && type != SONDE_GEN_TYPE_UQ)
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT, "atomics are of type ud or uq");
    if (builder.status == SONDE_OK)
        coder_builder_need_address(&builder, address);
    if (builder.status == SONDE_OK)
        coder_builder_need_operand(&builder, &data, type, false);
    if (builder.status != SONDE_OK)
        return builder.status;
    if (sonde_coder_can_access_atomically(coder, type)) {
        bool has_data = operation != CODER_ATOMIC_INC;
        sonde_vreg value = has_data ? message_data(&builder, type, data) : 0;
        sonde_vreg at = coder_builder_message_address(&builder, address);
        if (builder.status == SONDE_OK)
            coder_message_atomic(&builder, operation, sonde_gen_type_size(type), at, value, 0);
    } else if (operation == CODER_ATOMIC_STORE) {
        store_in_halves(&builder, address, data);
    } else {
        add_in_halves(&builder, address, data);
    }
    return coder_builder_close(&builder);
}

enum sonde_status sonde_coder_atomic_inc(struct sonde_coder *coder,
                                         struct sonde_procedure *procedure,
                                         enum sonde_gen_type type, sonde_vreg address,
                                         const struct sonde_predicate *predicate,
                                         struct sonde_error *error)
{
    return update(coder, procedure, CODER_ATOMIC_INC, type, address, sonde_operand_immediate(1),
                  predicate, error);
}

enum sonde_status
sonde_coder_atomic_add(struct sonde_coder *coder, struct sonde_procedure *procedure,
                       enum sonde_gen_type type, sonde_vreg address, struct sonde_operand data,
                       const struct sonde_predicate *predicate, struct sonde_error *error)
{
    return update(coder, procedure, CODER_ATOMIC_ADD, type, address, data, predicate, error);
}

enum sonde_status
sonde_coder_atomic_store(struct sonde_coder *coder, struct sonde_procedure *procedure,
                         enum sonde_gen_type type, sonde_vreg address, struct sonde_operand data,
                         const struct sonde_predicate *predicate, struct sonde_error *error)
{
    return update(coder, procedure, CODER_ATOMIC_STORE, type, address, data, predicate, error);
}

enum sonde_status
sonde_coder_atomic_fetch_add(struct sonde_coder *coder, struct sonde_procedure *procedure,
                             sonde_vreg address, struct sonde_operand data, sonde_vreg old,
                             const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need_address(&builder, address);
    coder_builder_need(&builder, old, 4, "the old value");
    if (builder.status == SONDE_OK)
        coder_builder_need_operand(&builder, &data, SONDE_GEN_TYPE_UD, false);
    if (builder.status != SONDE_OK)
        return builder.status;
    sonde_vreg value = message_data(&builder, SONDE_GEN_TYPE_UD, data);
    bool in_place = coder->vregs[old].size >= coder->grf_size && !coder_vreg_lasts(coder, old);
    sonde_vreg response =
        in_place ? old : coder_builder_temporary(&builder, CODER_TEMPORARY_RESPONSE);
    sonde_vreg at = coder_builder_message_address(&builder, address);
    if (builder.status == SONDE_OK)
        coder_message_atomic(&builder, CODER_ATOMIC_ADD, 4, at, value, response);
    if (!in_place)
        coder_builder_move(&builder, coder_vreg_typed(old, 0, SONDE_GEN_TYPE_UD),
                           coder_vreg_typed(response, 0, SONDE_GEN_TYPE_UD));
    return coder_builder_close(&builder);
}
