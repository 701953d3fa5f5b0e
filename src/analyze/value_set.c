#include "analyze/value_set.h"

#include <stdlib.h>

#define FIRST_BITS 4u /* of the number of slots */
#define MOST_BITS  28u

static void put(struct analyze_value_set *set, uint32_t value)
{
    size_t slot = analyze_value_set_slot(set, value), last = UINT32_MAX >> set->shift;
    while (set->slots[slot] != 0)
        slot = (slot + 1) & last;
    set->slots[slot] = value;
}

static bool grow(struct analyze_value_set *set)
{
    unsigned bits = set->slots == NULL ? FIRST_BITS : 32 - set->shift + 1;
    struct analyze_value_set larger = {.shift = 32 - bits};
    if (bits > MOST_BITS)
        return false;
    larger.slots = calloc((size_t)1 << bits, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; set->slots != NULL && i <= UINT32_MAX >> set->shift; i++)
        if (set->slots[i] != 0)
            put(&larger, set->slots[i]);
    free(set->slots);
    set->slots = larger.slots;
    set->shift = larger.shift;
    return true;
}

bool analyze_value_set_add(struct analyze_value_set *set, uint32_t value)
{
    if (value == 0) {
        set->has_zero = true;
        set->count++;
        return true;
    }
    size_t slots = set->slots != NULL ? (size_t)(UINT32_MAX >> set->shift) + 1 : 0;
    if (2 * (set->count + 1) > slots && !grow(set))
        return false;
    put(set, value);
    set->count++;
    return true;
}

void analyze_value_set_clear(struct analyze_value_set *set)
{
    free(set->slots);
    *set = (struct analyze_value_set){.slots = NULL};
}
