/* Sets of values of up to 32 bits, which only grow. */
#ifndef SONDE_ANALYZE_VALUE_SET_H
#define SONDE_ANALYZE_VALUE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct analyze_value_set {
    uint32_t *slots; /* 0 = free */
    unsigned shift;  /* of a hash to a slot */
    size_t count;
    bool has_zero;
};

static inline size_t analyze_value_set_slot(const struct analyze_value_set *set, uint32_t value)
{
    return (size_t)((uint32_t)(value * UINT32_C(0x9e3779b1)) >> set->shift);
}

static inline void analyze_value_set_prefetch(const struct analyze_value_set *set, uint32_t value)
{
    if (set->slots != NULL)
        __builtin_prefetch(&set->slots[analyze_value_set_slot(set, value)]);
}

static inline bool analyze_value_set_has(const struct analyze_value_set *set, uint32_t value)
{
    if (value == 0 || set->slots == NULL)
        return value == 0 && set->has_zero;
    size_t slot = analyze_value_set_slot(set, value), last = UINT32_MAX >> set->shift;
    while (set->slots[slot] != value && set->slots[slot] != 0)
        slot = (slot + 1) & last;
    return set->slots[slot] == value;
}

/* A value that it does not have. False when out of memory. */
bool analyze_value_set_add(struct analyze_value_set *set, uint32_t value);
void analyze_value_set_clear(struct analyze_value_set *set);

#endif
