/* Device code of scopes. */
#include "profile/scope.h"

static const struct sonde_predicate in_range = {.flag_number = 0, .flag_subreg = 1};
static const struct sonde_predicate leaves = {.flag_number = 1, .flag_subreg = 1};

/* Dwords of r0 that hold the number of the work-group in x, y and z. */
static const uint8_t group_dwords[3] = {1, 6, 7};

/* What the procedure is made of. Errors stick. */
struct code {
    struct sonde_coder *coder;
    struct sonde_procedure *procedure;
    struct sonde_gen_model model;
    sonde_vreg selected; /* 1 or 0 */
    sonde_vreg value, part;
    enum sonde_status status;
    struct sonde_error *error;
};

static void operation(struct code *c, enum sonde_operation what, sonde_vreg dst,
                      struct sonde_operand a, struct sonde_operand b,
                      const struct sonde_predicate *predicate)
{
    if (c->status == SONDE_OK)
        c->status = sonde_coder_operation(c->coder, c->procedure, what, SONDE_GEN_TYPE_UD,
                                          sonde_operand_vreg(dst), a, b, predicate, c->error);
}

static void compare(struct code *c, const struct sonde_predicate *flag,
                    enum sonde_gen_condition condition, sonde_vreg a, uint32_t b)
{
    if (c->status == SONDE_OK)
        c->status = sonde_coder_cmp(c->coder, c->procedure, flag, condition, SONDE_GEN_TYPE_UD,
                                    sonde_operand_vreg(a), sonde_operand_immediate(b), c->error);
}

/* value = the field, taken out of the state register piece by piece. */
static void load_field(struct code *c, enum sonde_gen_thread_field field)
{
    size_t count;
    const struct sonde_gen_bits *pieces = sonde_gen_thread_bits(c->model.platform, field, &count);
    struct sonde_operand value = sonde_operand_vreg(c->value), part = sonde_operand_vreg(c->part);
    operation(c, SONDE_MOV, c->value, sonde_operand_immediate(0), sonde_operand_immediate(0), NULL);
    for (size_t i = 0; i < count; i++) {
        uint32_t mask = (1u << pieces[i].width) - 1;
        struct sonde_operand state = sonde_operand_arf(SONDE_GEN_ARF_STATE, 0);
        operation(c, SONDE_MOV, c->part, state, state, NULL);
        operation(c, SONDE_SHR, c->part, part, sonde_operand_immediate(pieces[i].from), NULL);
        operation(c, SONDE_AND, c->part, part, sonde_operand_immediate(mask), NULL);
        operation(c, SONDE_SHL, c->part, part, sonde_operand_immediate(pieces[i].to), NULL);
        operation(c, SONDE_OR, c->value, value, part, NULL);
    }
}

/* selected &= bit `value` of the mask. */
static void test_field(struct code *c, uint32_t mask)
{
    operation(c, SONDE_MOV, c->part, sonde_operand_immediate(mask), sonde_operand_immediate(mask),
              NULL);
    operation(c, SONDE_SHR, c->part, sonde_operand_vreg(c->part), sonde_operand_vreg(c->value),
              NULL);
    operation(c, SONDE_AND, c->selected, sonde_operand_vreg(c->selected),
              sonde_operand_vreg(c->part), NULL);
}

/* selected &= the group is in one of the ranges: group - first <= last - first. */
static void test_axis(struct code *c, const struct profile_scope *scope, unsigned axis)
{
    struct sonde_operand group = sonde_operand_grf(0, 4u * group_dwords[axis], c->model.grf_size);
    operation(c, SONDE_MOV, c->part, sonde_operand_immediate(0), sonde_operand_immediate(0), NULL);
    for (size_t i = 0; i < scope->axes[axis].count; i++) {
        const struct profile_scope_range *range = &scope->axes[axis].ranges[i];
        operation(c, SONDE_MOV, c->value, group, group, NULL);
        operation(c, SONDE_SUB, c->value, sonde_operand_vreg(c->value),
                  sonde_operand_immediate(range->first), NULL);
        compare(c, &in_range, SONDE_GEN_CONDITION_LE, c->value, range->last - range->first);
        operation(c, SONDE_MOV, c->part, sonde_operand_immediate(1), sonde_operand_immediate(1),
                  &in_range);
    }
    operation(c, SONDE_AND, c->selected, sonde_operand_vreg(c->selected),
              sonde_operand_vreg(c->part), NULL);
}

enum sonde_status profile_scope_instrument(const struct profile_scope *scope,
                                           struct sonde_instrument *instrument,
                                           struct sonde_error *error)
{
    struct code c = {.coder = sonde_instrument_coder(instrument), .error = error};
    if (profile_scope_is_all(scope))
        return SONDE_OK;
    sonde_coder_gen_model(c.coder, &c.model);
    c.procedure = sonde_procedure_create(c.coder, "choose thread");
    c.selected = sonde_vreg_make_scratch(c.coder, SONDE_VREG_DWORD);
    c.value = sonde_vreg_make_scratch(c.coder, SONDE_VREG_DWORD);
    c.part = sonde_vreg_make_scratch(c.coder, SONDE_VREG_DWORD);
    if (c.procedure == NULL || c.selected == 0 || c.value == 0 || c.part == 0)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    operation(&c, SONDE_MOV, c.selected, sonde_operand_immediate(1), sonde_operand_immediate(1),
              NULL);
    for (unsigned f = 0; f < SONDE_GEN_THREAD_FIELD_COUNT; f++)
        if (scope->fields[f].is_given) {
            load_field(&c, (enum sonde_gen_thread_field)f);
            test_field(&c, scope->fields[f].mask);
        }
    for (unsigned axis = 0; axis < 3; axis++)
        if (scope->axes[axis].count != 0)
            test_axis(&c, scope, axis);
    compare(&c, &leaves, SONDE_GEN_CONDITION_Z, c.selected, 0);
    return c.status == SONDE_OK ? sonde_instrument_leave(instrument, c.procedure, &leaves, error)
                                : c.status;
}
