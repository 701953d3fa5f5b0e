/* The operations of the load-store cache (ugm, slm and tgm; XeHPG and later),
 * one table for the decoder and the printer. */
#ifndef SONDE_ISA_GEN_MESSAGE_CACHE_H
#define SONDE_ISA_GEN_MESSAGE_CACHE_H

#include "sonde/gen_message.h"

enum message_cache_kind {
    MESSAGE_CACHE_NONE, /* no operation has this code */
    MESSAGE_CACHE_LOAD,
    MESSAGE_CACHE_STORE,
    MESSAGE_CACHE_STRIDED_LOAD,
    MESSAGE_CACHE_STRIDED_STORE,
    MESSAGE_CACHE_QUAD_LOAD, /* components by a mask */
    MESSAGE_CACHE_QUAD_STORE,
    MESSAGE_CACHE_BLOCK2D_LOAD,
    MESSAGE_CACHE_BLOCK2D_STORE,
    MESSAGE_CACHE_ATOMIC,
    MESSAGE_CACHE_FLOAT_ATOMIC,
    MESSAGE_CACHE_STATUS, /* a load that returns whether pages are there */
};

struct message_cache_operation {
    const char *name;        /* as iga64 spells it */
    const char *description; /* shown when a field of the message is invalid */
    uint8_t kind;            /* enum message_cache_kind */
    uint8_t atomic;          /* enum sonde_gen_atomic or _float_atomic */
};

enum {
    MESSAGE_CACHE_READ_STATE = 0x1e,
    MESSAGE_CACHE_FENCE = 0x1f,
};

/* NULL when `code` (descriptor [5:0]) is no operation, or one of the two above. */
const struct message_cache_operation *message_cache_operation(unsigned code);
/* Elements a channel, by descriptor [14:12]. */
unsigned message_cache_vector(unsigned code);

/* Fill everything but the lengths and the SIMD width; false when the message
 * is not known. `bindless_in_register`: ex_descriptor is the ExBSO form. */
bool message_cache_decode(struct sonde_gen_message *message, uint8_t sfid, uint32_t descriptor,
                          uint32_t ex_descriptor, bool bindless_in_register);

#endif
