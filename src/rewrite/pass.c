/* Named passes: the order of procedures of different origin at one place. */
#include "rewrite/internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static enum sonde_status find_pass(struct sonde_instrument *instrument, const char *name,
                                   uint32_t *pass, struct sonde_error *error)
{
    for (uint32_t i = 0; i < instrument->pass_count; i++) {
        if (strcmp(instrument->passes[i].name, name) == 0) {
            *pass = i;
            return SONDE_OK;
        }
    }
    char *copy = strdup(name);
    if (copy == NULL ||
        base_array_reserve((void **)&instrument->passes, &instrument->pass_capacity,
                           instrument->pass_count + 1, sizeof *instrument->passes) != SONDE_OK) {
        free(copy);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    *pass = (uint32_t)instrument->pass_count;
    instrument->passes[instrument->pass_count++] = (struct rewrite_pass){.name = copy};
    return SONDE_OK;
}

enum sonde_status sonde_instrument_pass(struct sonde_instrument *instrument, const char *name,
                                        struct sonde_error *error)
{
    return find_pass(instrument, name == NULL ? "" : name, &instrument->pass, error);
}

/* Whether the rules lead from one pass to the other. `left` bounds the way:
 * there is no cycle yet. */
static bool leads_to(const struct sonde_instrument *instrument, uint32_t from, uint32_t to,
                     size_t left)
{
    if (from == to)
        return true;
    for (size_t i = 0; i < instrument->rule_count && left != 0; i++)
        if (instrument->rules[i].before == from &&
            leads_to(instrument, instrument->rules[i].after, to, left - 1))
            return true;
    return false;
}

enum sonde_status sonde_instrument_order(struct sonde_instrument *instrument, const char *before,
                                         const char *after, struct sonde_error *error)
{
    uint32_t first = 0, second = 0;
    if (before == NULL || after == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "a pass has a name");
    enum sonde_status status = find_pass(instrument, before, &first, error);
    if (status == SONDE_OK)
        status = find_pass(instrument, after, &second, error);
    if (status != SONDE_OK)
        return status;
    if (leads_to(instrument, second, first, instrument->pass_count))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "pass %s cannot come before pass %s: %s", before, after,
                               first == second ? "they are the same" : "it was asked for after it");
    if (base_array_reserve((void **)&instrument->rules, &instrument->rule_capacity,
                           instrument->rule_count + 1, sizeof *instrument->rules) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    instrument->rules[instrument->rule_count++] =
        (struct rewrite_rule){.before = first, .after = second};
    return SONDE_OK;
}

static bool may_come(const struct sonde_instrument *instrument, uint32_t pass)
{
    for (size_t i = 0; i < instrument->rule_count; i++)
        if (instrument->rules[i].after == pass &&
            instrument->passes[instrument->rules[i].before].rank == UINT32_MAX)
            return false;
    return true;
}

/* The first of the passes not yet ranked that waits for none: rules apart, in
 * the order in which passes were named. */
void rewrite_rank_passes(struct sonde_instrument *instrument)
{
    for (size_t i = 0; i < instrument->pass_count; i++)
        instrument->passes[i].rank = UINT32_MAX;
    for (uint32_t rank = 0; rank < instrument->pass_count; rank++) {
        uint32_t pass = 0;
        while (instrument->passes[pass].rank != UINT32_MAX || !may_come(instrument, pass))
            pass++;
        instrument->passes[pass].rank = rank;
    }
}

void rewrite_clear_passes(struct sonde_instrument *instrument)
{
    for (size_t i = 0; i < instrument->pass_count; i++)
        free(instrument->passes[i].name);
    free(instrument->passes);
    free(instrument->rules);
}
