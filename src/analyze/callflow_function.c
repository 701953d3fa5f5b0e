/* The functions of a call flow: by address, and what their calls took. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/callflow_internal.h"
#include "base/array.h"

enum { ADDRESS_WORDS = 1 << 19 };

static int compare_symbols(const void *a, const void *b)
{
    const struct sonde_trace_symbol *const *x = a, *const *y = b;
    if ((*x)->address != (*y)->address)
        return (*x)->address < (*y)->address ? -1 : 1;
    /* The one with a size behind, where it is found first. */
    return ((*x)->size > 0) - ((*y)->size > 0);
}

bool callflow_functions_begin(struct callflow_builder *builder)
{
    const struct sonde_trace_firmware *firmware = builder->firmware;
    builder->function_at = calloc(ADDRESS_WORDS, sizeof *builder->function_at);
    builder->symbols = calloc(firmware->symbol_count + 1, sizeof *builder->symbols);
    if (builder->function_at == NULL || builder->symbols == NULL)
        return false;
    for (size_t i = 0; i < firmware->symbol_count; i++) {
        if (firmware->symbols[i].is_function)
            builder->symbols[builder->symbol_count++] = &firmware->symbols[i];
    }
    if (builder->symbol_count > 1)
        qsort(builder->symbols, builder->symbol_count, sizeof *builder->symbols, compare_symbols);
    return true;
}

void callflow_functions_end(struct callflow_builder *builder)
{
    free(builder->function_at);
    free(builder->symbols);
}

static uint32_t add_function(struct callflow_builder *builder, const char *name,
                             enum analyze_function_kind kind, uint32_t address)
{
    struct analyze_callflow *flow = builder->flow;
    char *copy = strdup(name);
    if (copy == NULL ||
        base_array_reserve((void **)&flow->functions, &flow->function_capacity,
                           flow->function_count + 1, sizeof *flow->functions) != SONDE_OK) {
        free(copy);
        builder->failed = true;
        return ANALYZE_NONE;
    }
    flow->functions[flow->function_count] =
        (struct analyze_function){.name = copy, .kind = kind, .address = address};
    return (uint32_t)flow->function_count++;
}

/* The last function symbol at or before `address` that reaches it. */
static const struct sonde_trace_symbol *symbol_at(const struct callflow_builder *builder,
                                                  uint32_t address)
{
    size_t low = 0, high = builder->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (builder->symbols[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct sonde_trace_symbol *symbol = builder->symbols[low - 1];
    return symbol->size == 0 || address - symbol->address < symbol->size ? symbol : NULL;
}

uint32_t callflow_function_at(struct callflow_builder *builder, uint32_t address)
{
    uint32_t *known = &builder->function_at[address >> 1 & (ADDRESS_WORDS - 1)];
    if (*known != 0)
        return *known - 1;
    const struct sonde_trace_symbol *symbol = symbol_at(builder, address);
    char name[16];
    snprintf(name, sizeof name, "0x%04x", address);
    uint32_t start = symbol != NULL ? symbol->address : address;
    uint32_t *first = &builder->function_at[start >> 1 & (ADDRESS_WORDS - 1)];
    if (*first == 0)
        *first =
            add_function(builder, symbol != NULL ? symbol->name : name, ANALYZE_FUNCTION, start) +
            1;
    *known = *first;
    return *known - 1;
}

uint32_t callflow_function_of_kind(struct callflow_builder *builder,
                                   enum analyze_function_kind kind, uint32_t vector)
{
    const struct analyze_callflow *flow = builder->flow;
    for (size_t i = 0; i < flow->function_count; i++) {
        if (flow->functions[i].kind == kind && flow->functions[i].address == vector)
            return (uint32_t)i;
    }
    char name[32];
    if (kind == ANALYZE_INTERRUPT)
        snprintf(name, sizeof name, "(interrupt 0x%04x)", vector);
    else
        snprintf(name, sizeof name, "(%s)", analyze_function_kind_name(kind));
    return add_function(builder, name, kind, vector);
}

static struct analyze_duration *find_slot(struct analyze_duration *slots, size_t capacity,
                                          uint64_t cycles)
{
    size_t at = (size_t)(cycles * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
    while (slots[at].count != 0 && slots[at].cycles != cycles)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

bool callflow_distribution_add(struct analyze_distribution *distribution, uint64_t cycles)
{
    if (distribution->count * 2 >= distribution->capacity) {
        size_t capacity = distribution->capacity == 0 ? 16 : 2 * distribution->capacity;
        struct analyze_duration *slots = calloc(capacity, sizeof *slots);
        if (slots == NULL)
            return false;
        for (size_t i = 0; i < distribution->capacity; i++) {
            if (distribution->slots[i].count != 0)
                *find_slot(slots, capacity, distribution->slots[i].cycles) = distribution->slots[i];
        }
        free(distribution->slots);
        distribution->slots = slots;
        distribution->capacity = capacity;
    }
    struct analyze_duration *slot = find_slot(distribution->slots, distribution->capacity, cycles);
    distribution->count += slot->count == 0;
    slot->cycles = cycles;
    slot->count++;
    return true;
}

static int compare_durations(const void *a, const void *b)
{
    const struct analyze_duration *x = a, *y = b;
    /* Free slots behind. */
    if ((x->count == 0) != (y->count == 0))
        return x->count == 0 ? 1 : -1;
    return x->cycles == y->cycles ? 0 : x->cycles < y->cycles ? -1 : 1;
}

/* The 95th percentile is the smallest duration that at least 95 of 100 calls
 * do not exceed. */
void callflow_functions_summarize(struct analyze_callflow *flow)
{
    for (size_t i = 0; i < flow->function_count; i++) {
        struct analyze_function *function = &flow->functions[i];
        struct analyze_distribution *distribution = &function->distribution;
        if (distribution->count == 0)
            continue;
        qsort(distribution->slots, distribution->capacity, sizeof *distribution->slots,
              compare_durations);
        uint64_t all = 0, seen = 0;
        for (size_t j = 0; j < distribution->count; j++)
            all += distribution->slots[j].count;
        size_t at = 0;
        do {
            seen += distribution->slots[at++].count;
        } while (at < distribution->count && seen < all - all / 20);
        function->percentile_95 = distribution->slots[at - 1].cycles;
        function->minimum = distribution->slots[0].cycles;
        function->maximum = distribution->slots[distribution->count - 1].cycles;
    }
}

const char *analyze_function_kind_name(enum analyze_function_kind kind)
{
    static const char *const names[ANALYZE_FUNCTION_KIND_COUNT] = {
        [ANALYZE_FUNCTION] = "function",   [ANALYZE_UNMARKED] = "unmarked",
        [ANALYZE_INTERRUPT] = "interrupt", [ANALYZE_SLEEP] = "sleep",
        [ANALYZE_LOST] = "lost",
    };
    return names[kind];
}
