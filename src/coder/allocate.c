/* The register allocator: registers that the kernel never uses, then those
 * dead at the point, then saved ones. */
#include "coder/plan.h"

#include <stdlib.h>

/* One stock after the other: what the compiler left unused, then what is
 * dead at the point. */
uint32_t plan_take(struct coder_pool *first, struct coder_pool *second, uint32_t size,
                   uint32_t align)
{
    uint32_t byte = coder_pool_reserve(first, size, align);
    if (byte == CODER_NO_BYTE)
        byte = coder_pool_reserve(second, size, align);
    if (byte != CODER_NO_BYTE) {
        coder_pool_remove(first, byte, size);
        coder_pool_remove(second, byte, size);
    }
    return byte;
}

/* Not so near the end of the file that a payload would run out of it. */
static uint32_t take_binding(struct coder_pool *first, struct coder_pool *second,
                             const struct plan_binding *binding)
{
    if (binding->extent <= binding->size)
        return plan_take(first, second, binding->size, binding->align);
    struct coder_pool a = *first, b = *second;
    uint32_t rest = binding->extent - binding->size;
    coder_pool_remove(&a, first->words * 64 - rest, rest);
    coder_pool_remove(&b, first->words * 64 - rest, rest);
    uint32_t byte = plan_take(&a, &b, binding->size, binding->align);
    if (byte != CODER_NO_BYTE) {
        coder_pool_remove(first, byte, binding->size);
        coder_pool_remove(second, byte, binding->size);
    }
    return byte;
}

void plan_fill_pools(const struct plan *plan, struct coder_pool *compiler,
                     struct coder_pool *others)
{
    const struct sonde_coder *coder = plan->coder;
    *compiler = coder->compiler_free;
    coder_pool_clear(others, coder->grf_words);
    if (coder->options.use_own_liveness && !plan->point->live->grf_unknown) {
        coder_pool_add(others, 0, coder->grf_words * 64);
        coder_pool_remove_set(others, plan->point->live->grf);
        coder_pool_remove_set(others, coder->observed);
    }
    coder_pool_remove_set(compiler, coder->observed);
    for (size_t i = 0; i < plan->victim_count; i++)
        coder_pool_add(others, plan->victims[i] * coder->grf_size, coder->grf_size);
    coder_pool_remove_set(others, coder->held);
    coder_pool_remove_set(compiler, coder->held);
    coder_pool_remove_set(compiler, plan->fixed);
    coder_pool_remove_set(others, plan->fixed);
    uint32_t byte = plan->header * coder->grf_size, size = coder->grf_size;
    if (plan->spill == PLAN_SPILL_NONE)
        return;
    if (plan->spill == PLAN_SPILL_BUFFER) {
        if (plan->home != PLAN_HOME_NONE)
            coder_pool_add(others, plan->carrier * size, size);
        if (plan->has_keeper && plan->victim_count != 0)
            coder_pool_remove(others, plan->keeper * size, size);
        plan_carrier_span(plan, &byte, &size);
    }
    coder_pool_remove(compiler, byte, size);
    coder_pool_remove(others, byte, size);
}

/* Whole registers for address registers and accumulators. */
static bool allocate_state(struct plan *plan, struct coder_pool *compiler,
                           struct coder_pool *others)
{
    uint32_t size = plan->coder->grf_size;
    if (plan->save_address) {
        plan->address_byte = plan_take(compiler, others, size, size);
        if (plan->address_byte == CODER_NO_BYTE)
            return false;
    }
    for (size_t i = 0; i < plan->save_count; i++) {
        plan->save_bytes[i] = plan_take(compiler, others, size, size);
        if (plan->save_bytes[i] == CODER_NO_BYTE)
            return false;
    }
    for (unsigned n = 0; n < PLAN_MAXIMUM_ACCUMULATORS; n++) {
        if ((plan->save_accumulators >> n & 1) == 0)
            continue;
        plan->accumulator_byte[n] = plan_take(compiler, others, size, size);
        if (plan->accumulator_byte[n] == CODER_NO_BYTE)
            return false;
    }
    return true;
}

static int compare_bindings(const void *a, const void *b)
{
    const struct plan_binding *x = a, *y = b;
    if (x->align != y->align)
        return x->align > y->align ? -1 : 1;
    return x->size > y->size ? -1 : x->size < y->size;
}

/* Registers with the strictest alignment first. */
static bool allocate(struct plan *plan)
{
    const struct sonde_coder *coder = plan->coder;
    struct coder_pool compiler, others;
    plan_fill_pools(plan, &compiler, &others);
    for (uint32_t align = coder->grf_size; align != 0; align /= 2) {
        for (size_t i = 0; i < plan->binding_count; i++) {
            struct plan_binding *binding = &plan->bindings[i];
            if (binding->align != align || binding->lasts)
                continue;
            binding->byte = take_binding(&compiler, &others, binding);
            if (binding->byte == CODER_NO_BYTE)
                return false;
        }
        if (align == coder->grf_size && !allocate_state(plan, &compiler, &others))
            return false;
    }
    for (unsigned f = 0; f < PLAN_MAXIMUM_FLAGS; f++) {
        if (!plan->save_flag[f])
            continue;
        plan->flag_byte[f] = plan_take(&compiler, &others, 4, 4);
        if (plan->flag_byte[f] == CODER_NO_BYTE)
            return false;
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

enum sonde_status plan_allocate(struct plan *plan, struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    qsort(plan->bindings, plan->binding_count, sizeof *plan->bindings, compare_bindings);
    while (status == SONDE_OK && !allocate(plan))
        status = plan_spill_one(plan, error);
    qsort(plan->victims, plan->victim_count, sizeof *plan->victims, compare_numbers);
    return status;
}
