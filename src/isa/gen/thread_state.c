/* Which hardware thread the state register tells of. */
#include "sonde/gen.h"

/* Bits [from, from + width) of sr0.0 are bits [to, to + width) of the field. */
#define FIELD_PIECES 3u
static const struct sonde_gen_bits before_xe[SONDE_GEN_THREAD_FIELD_COUNT][FIELD_PIECES] = {
    [SONDE_GEN_THREAD_SLOT] = {{0, 3, 0}},
    [SONDE_GEN_THREAD_UNIT] = {{8, 4, 0}},
    [SONDE_GEN_THREAD_SUBSLICE] = {{12, 2, 0}},
    [SONDE_GEN_THREAD_SLICE] = {{14, 2, 0}},
};
static const struct sonde_gen_bits from_xe[SONDE_GEN_THREAD_FIELD_COUNT][FIELD_PIECES] = {
    [SONDE_GEN_THREAD_SLOT] = {{0, 3, 0}},
    [SONDE_GEN_THREAD_UNIT] = {{4, 2, 0}, {7, 2, 2}},
    [SONDE_GEN_THREAD_SUBSLICE] = {{9, 2, 0}},
    [SONDE_GEN_THREAD_SLICE] = {{11, 3, 0}},
};

const struct sonde_gen_bits *sonde_gen_thread_bits(enum sonde_gen_platform platform,
                                                   enum sonde_gen_thread_field field, size_t *count)
{
    const struct sonde_gen_bits *pieces =
        platform < SONDE_GEN_PLATFORM_XE ? before_xe[field] : from_xe[field];
    *count = 0;
    while (*count < FIELD_PIECES && pieces[*count].width != 0)
        ++*count;
    return pieces;
}

uint32_t sonde_gen_thread_field(enum sonde_gen_platform platform, enum sonde_gen_thread_field field,
                                uint32_t state)
{
    size_t count;
    const struct sonde_gen_bits *pieces = sonde_gen_thread_bits(platform, field, &count);
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++)
        value |= (state >> pieces[i].from & ((1u << pieces[i].width) - 1)) << pieces[i].to;
    return value;
}
