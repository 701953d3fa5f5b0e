/* What a probe has to be as a whole. */
#include "tools/schema.h"

#include <stdlib.h>
#include <string.h>

static const char *word_of(enum schema_key key, uint32_t value)
{
    const struct schema_word *word = schema_key_at(key)->words;
    while (word->name != NULL && word->value != value)
        word++;
    return word->name != NULL ? word->name : "";
}

/* "counter, trace": what `collect` goes into. */
static void list_sinks(enum schema_collect collect, char *list, size_t size)
{
    const struct schema_pair *pair;
    *list = '\0';
    for (size_t i = 0; (pair = schema_pair_at(i)) != NULL; i++) {
        size_t used = strlen(list);
        if (pair->collect == collect)
            snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "",
                     word_of(SCHEMA_INTO, pair->into));
    }
}

static enum sonde_status check_pair(const struct schema_probe *probe, uint32_t collect,
                                    uint32_t into, const char *source, struct sonde_error *error)
{
    const struct schema_pair *pair =
        schema_pair_find((enum schema_collect)collect, (enum schema_into)into);
    struct schema_place place = probe->values[SCHEMA_INTO].place;
    const char *what = word_of(SCHEMA_COLLECT, collect);
    char list[80];
    list_sinks((enum schema_collect)collect, list, sizeof list);
    if (pair == NULL)
        return schema_fail(error, source, place, "%s cannot be collected into a %s (allowed: %s)",
                           what, word_of(SCHEMA_INTO, into), list);
    bool at_instructions = schema_is_at_instructions(probe);
    if (schema_is_at_kernel(probe) &&
        (at_instructions || probe->values[SCHEMA_BLOCK].count > 1 || !pair->at_kernel))
        return schema_fail(error, source, probe->values[SCHEMA_BLOCK].place,
                           "block=kernel goes with collect=time into a counter or histogram, and "
                           "with no other choice of blocks and instructions");
    if (collect == SCHEMA_ARGUMENT &&
        (at_instructions || probe->masks[SCHEMA_BLOCK] != 1u << SCHEMA_BLOCK_ENTRY))
        return schema_fail(error, source, probe->values[SCHEMA_COLLECT].place,
                           "arguments are collected where threads begin: at block=entry");
    if ((collect == SCHEMA_ARGUMENT) != (probe->values[SCHEMA_ARGUMENT_KEY].count > 0))
        return schema_fail(error, source, probe->values[SCHEMA_COLLECT].place,
                           "collect=argument and argument=N go together");
    if (!at_instructions && !pair->at_blocks)
        return schema_fail(error, source, probe->values[SCHEMA_COLLECT].place,
                           "%s are collected at instructions: choose some, such as class=memory",
                           what);
    return SONDE_OK;
}

static enum sonde_status check_registers(const struct schema_probe *probe, uint32_t collect,
                                         uint32_t into, const char *source,
                                         struct sonde_error *error)
{
    const struct schema_values *values = &probe->values[SCHEMA_REGISTERS];
    if (collect != SCHEMA_REGISTER)
        return values->count == 0
                   ? SONDE_OK
                   : schema_fail(error, source, values->place,
                                 "registers goes with collect=register, not with collect=%s",
                                 word_of(SCHEMA_COLLECT, collect));
    for (size_t i = 0; i < values->count; i++) {
        struct schema_grf grf = {.count = 0};
        schema_grf_parse(values->items[i], &grf);
        if (into == SCHEMA_TRACE && grf.dword != UINT32_MAX)
            return schema_fail(error, source, values->place,
                               "a trace takes whole registers, such as r%u, not '%s'", grf.first,
                               values->items[i]);
        if (grf.operand != SCHEMA_GRF && !schema_is_at_instructions(probe))
            return schema_fail(error, source, values->place,
                               "'%s' is an operand of instructions: choose some, such as "
                               "opcode=mad, or name registers, such as r12",
                               values->items[i]);
        if (into != SCHEMA_TRACE && grf.dword == UINT32_MAX)
            return schema_fail(error, source, values->place,
                               "a %s takes one dword of a register, such as r12.0, not '%s'",
                               word_of(SCHEMA_INTO, into), values->items[i]);
    }
    if (values->count == 0 && (into != SCHEMA_TRACE || !schema_is_at_instructions(probe)))
        return schema_fail(error, source, probe->values[SCHEMA_COLLECT].place,
                           "collect=register needs registers, such as registers=%s",
                           into != SCHEMA_TRACE ? "r12.0" : "r12");
    if (values->count != 1 && into != SCHEMA_TRACE)
        return schema_fail(error, source, values->place, "a %s takes one dword",
                           word_of(SCHEMA_INTO, into));
    return SONDE_OK;
}

static enum sonde_status check_report(const struct schema_probe *probe, uint32_t collect,
                                      uint32_t into, const char *source, struct sonde_error *error)
{
    const char *name = schema_text(probe, SCHEMA_REPORT);
    const struct schema_report *report;
    uint32_t needs = UINT32_MAX;
    if (name == NULL)
        return SONDE_OK;
    for (size_t i = 0; (report = schema_report_at(i)) != NULL; i++) {
        bool blocks = report->blocks == UINT32_MAX
                          ? true
                          : probe->masks[SCHEMA_BLOCK] == 1u << report->blocks;
        if (strcmp(report->name, name) == 0 && report->collect == collect && report->into == into &&
            blocks && report->at_instructions == schema_is_at_instructions(probe) &&
            (schema_is_at_kernel(probe) == (report->blocks == SCHEMA_BLOCK_KERNEL)))
            return SONDE_OK;
    }
    schema_value(probe, SCHEMA_REPORT, &needs);
    const struct schema_word *word = schema_key_at(SCHEMA_REPORT)->words;
    while (word->value != needs)
        word++;
    return schema_fail(error, source, probe->values[SCHEMA_REPORT].place,
                       "the report %s shows something else than this probe; it needs: %s", name,
                       word->help);
}

enum sonde_status schema_probe_check(const struct schema_probe *probe, const char *source,
                                     struct sonde_error *error)
{
    uint32_t collect, into;
    static const enum schema_key needed[] = {SCHEMA_COLLECT, SCHEMA_INTO};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (probe->values[needed[i]].count == 0)
            return schema_fail(error, source, probe->place, "the probe has no key %s: %s",
                               schema_key_at(needed[i])->name, schema_key_at(needed[i])->help);
    schema_value(probe, SCHEMA_COLLECT, &collect);
    schema_value(probe, SCHEMA_INTO, &into);
    if (probe->values[SCHEMA_BLOCK].count == 0 && !schema_is_at_instructions(probe))
        return schema_fail(error, source, probe->place,
                           "the probe stands nowhere: it needs block=, or a key that chooses "
                           "instructions (class, opcode, message, space, width, offset, source)");
    enum sonde_status status = check_pair(probe, collect, into, source, error);
    if (status == SONDE_OK)
        status = check_registers(probe, collect, into, source, error);
    if (status == SONDE_OK)
        status = check_report(probe, collect, into, source, error);
    return status;
}

static const struct schema_probe *find_name(const struct schema *schema, size_t end,
                                            const char *name)
{
    for (size_t i = 0; i < end; i++) {
        const char *other = schema_text(&schema->probes[i], SCHEMA_NAME);
        if (other != NULL && strcmp(other, name) == 0)
            return &schema->probes[i];
    }
    return NULL;
}

static void make_name(const struct schema *schema, const char *base, char *name, size_t size)
{
    unsigned number = 1;
    snprintf(name, size, "%.40s", base);
    while (find_name(schema, schema->count, name) != NULL)
        snprintf(name, size, "%.40s-%u", base, ++number);
}

enum sonde_status schema_name_probes(struct schema *schema, size_t first, const char *base,
                                     const char *source, struct sonde_error *error)
{
    for (size_t i = first; i < schema->count; i++) {
        const char *name = schema_text(&schema->probes[i], SCHEMA_NAME);
        const struct schema_probe *other = name != NULL ? find_name(schema, i, name) : NULL;
        if (other != NULL && i > first && other >= &schema->probes[first])
            return schema_fail(error, source, schema->probes[i].values[SCHEMA_NAME].place,
                               "there is another probe '%s', at line %u", name,
                               other->values[SCHEMA_NAME].place.line);
        if (other != NULL)
            return schema_fail(error, source, schema->probes[i].values[SCHEMA_NAME].place,
                               "another schema of this run has a probe '%s'", name);
    }
    for (size_t i = first; i < schema->count; i++) {
        char name[64];
        struct schema_probe *probe = &schema->probes[i];
        if (probe->values[SCHEMA_NAME].count > 0)
            continue;
        make_name(schema, base, name, sizeof name);
        enum sonde_status status =
            schema_probe_add(probe, SCHEMA_NAME, name, source, probe->place, error);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}
