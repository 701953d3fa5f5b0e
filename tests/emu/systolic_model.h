/* Matrix multiplication as the documentation of dpas describes its operands:
 * rows of source 2 one behind the other, every column of source 1 packed into
 * the dwords of its channel. Elements are read bit by bit, sums are formed over
 * whole columns: nothing here is shared with the emulator. */
#ifndef TESTS_EMU_SYSTOLIC_MODEL_H
#define TESTS_EMU_SYSTOLIC_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MODEL_CHANNELS = 8, MODEL_DEPTH = 8 };

struct model_type {
    const char *name;
    unsigned bits;
    bool is_signed, is_float, brain;
};

static const struct model_type model_types[] = {
    {"ub", 8, false, false, false}, {"b", 8, true, false, false},   {"u4", 4, false, false, false},
    {"s4", 4, true, false, false},  {"u2", 2, false, false, false}, {"s2", 2, true, false, false},
    {"hf", 16, true, true, false},  {"bf", 16, true, true, true},
};

static inline const struct model_type *model_type(const char *name)
{
    for (unsigned i = 0; i < sizeof model_types / sizeof *model_types; i++)
        if (strcmp(model_types[i].name, name) == 0)
            return &model_types[i];
    return NULL;
}

static inline double model_float(uint32_t word, const struct model_type *type)
{
    unsigned mantissa = type->brain ? 7 : 10;
    int exponent = (int)(word >> mantissa & (type->brain ? 255 : 31));
    double fraction = (double)(word & ((1u << mantissa) - 1)) / (double)(1u << mantissa);
    int bias = type->brain ? 127 : 15;
    double value = exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias);
    return word >> 15 ? -value : value;
}

/* The element that starts `bit` bits into the data. */
static inline double model_element(const uint8_t *data, unsigned bit, const struct model_type *type)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < type->bits; i++)
        word |= (uint32_t)(data[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
    if (type->is_float)
        return model_float(word, type);
    return (double)word -
           (type->is_signed && word >> (type->bits - 1) ? ldexp(1, (int)type->bits) : 0);
}

/* Columns of A, which are the rows of B. */
static inline unsigned model_columns(const struct model_type *a, const struct model_type *b)
{
    unsigned products = a->is_float ? 2 : a->bits == 8 || b->bits == 8 ? 4 : 8;
    return MODEL_DEPTH * products;
}

/* Element (row, channel) of A x B, without the sum that is added. `a` holds the
 * rows, `b` registers of eight dwords. Exact for integers. */
static inline double model_product(const uint8_t *a, const struct model_type *a_type,
                                   const uint8_t *b, const struct model_type *b_type, unsigned row,
                                   unsigned channel)
{
    unsigned columns = model_columns(a_type, b_type);
    double sum = 0;
    for (unsigned k = 0; k < columns; k++) {
        unsigned in_column = k * b_type->bits;
        unsigned bit = (in_column / 32 * MODEL_CHANNELS + channel) * 32 + in_column % 32;
        sum += model_element(a, (row * columns + k) * a_type->bits, a_type) *
               model_element(b, bit, b_type);
    }
    return sum;
}

#endif
