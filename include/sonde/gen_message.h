/* Send messages decoded to one neutral form: what memory, which operation,
 * how addresses and data are laid out in the payload. */
#ifndef SONDE_GEN_MESSAGE_H
#define SONDE_GEN_MESSAGE_H

#include "sonde/gen.h"

enum sonde_gen_sfid {
    SONDE_GEN_SFID_NULL = 0,
    SONDE_GEN_SFID_SAMPLER = 2,
    SONDE_GEN_SFID_GATEWAY = 3,
    SONDE_GEN_SFID_DC2 = 4, /* sampler cache data port */
    SONDE_GEN_SFID_RENDER = 5,
    SONDE_GEN_SFID_URB = 6,
    SONDE_GEN_SFID_SPAWNER = 7,
    SONDE_GEN_SFID_VME = 8,
    SONDE_GEN_SFID_CONSTANT = 9, /* read-only (constant cache) data port */
    SONDE_GEN_SFID_DC0 = 10,
    SONDE_GEN_SFID_PIXEL_INTERPOLATOR = 11,
    SONDE_GEN_SFID_DC1 = 12,
    SONDE_GEN_SFID_CRE = 13,
    SONDE_GEN_SFID_TGM = 13, /* typed, from XeHPG on; so the two below */
    SONDE_GEN_SFID_SLM = 14, /* shared local memory */
    SONDE_GEN_SFID_UGM = 15, /* untyped global memory */
};

enum sonde_gen_message_operation {
    SONDE_GEN_MESSAGE_UNKNOWN,
    SONDE_GEN_MESSAGE_READ,
    SONDE_GEN_MESSAGE_WRITE,
    SONDE_GEN_MESSAGE_ATOMIC,
    SONDE_GEN_MESSAGE_FENCE,
    SONDE_GEN_MESSAGE_BARRIER,
    SONDE_GEN_MESSAGE_GATEWAY, /* other gateway sub-functions */
    SONDE_GEN_MESSAGE_END_OF_THREAD,
    SONDE_GEN_MESSAGE_SAMPLE,
    SONDE_GEN_MESSAGE_TYPED_READ,
    SONDE_GEN_MESSAGE_TYPED_WRITE,
    SONDE_GEN_MESSAGE_TYPED_ATOMIC,
    SONDE_GEN_MESSAGE_MEDIA_READ, /* media block */
    SONDE_GEN_MESSAGE_MEDIA_WRITE,
    SONDE_GEN_MESSAGE_CACHE_FLUSH,
};

enum sonde_gen_message_layout {
    SONDE_GEN_LAYOUT_NONE,
    SONDE_GEN_LAYOUT_OWORD_BLOCK,           /* one address, contiguous OWords */
    SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED,
    SONDE_GEN_LAYOUT_HWORD_BLOCK,
    SONDE_GEN_LAYOUT_SCRATCH_BLOCK,
    SONDE_GEN_LAYOUT_SCATTERED, /* one address a channel, `elements` consecutive of `element_size` */
    SONDE_GEN_LAYOUT_UNTYPED,   /* one address a channel, dword components by channel mask */
    SONDE_GEN_LAYOUT_TYPED,     /* u, v, r, lod a channel */
};

enum sonde_gen_address_model {
    SONDE_GEN_ADDRESS_NONE,
    SONDE_GEN_ADDRESS_SURFACE,   /* offset into the surface of binding-table index `bti` */
    SONDE_GEN_ADDRESS_STATELESS, /* A32 offset from general state base (BTI 253 / 255) */
    SONDE_GEN_ADDRESS_A64,
    SONDE_GEN_ADDRESS_SLM, /* BTI 254 */
    SONDE_GEN_ADDRESS_SCRATCH,
};

struct sonde_gen_message {
    uint8_t operation;      /* enum sonde_gen_message_operation */
    uint8_t layout;         /* enum sonde_gen_message_layout */
    uint8_t address_model;  /* enum sonde_gen_address_model */
    uint8_t bti;            /* binding-table index, when SURFACE */
    uint8_t sampler;        /* sampler index, when SAMPLE */
    uint8_t sample_type;    /* raw sampler message type [16:12] */
    uint8_t simd;           /* channels of the message: 1, 8, 16, 32 */
    uint8_t channel_first;  /* typed messages of slot group "high": 8, else 0 */
    uint8_t element_size;   /* bytes in memory of one element: 1, 2, 4, 8, 16 */
    uint8_t element_slot;   /* bytes one element takes in the payload (byte scattered: 4) */
    uint16_t elements;      /* elements a channel, or elements of the block */
    /* Byte offset = address in the payload << address_shift. 0 nearly always;
     * 2 for the A32 dword scattered messages (data cache and constant cache),
     * 4 for the A32 aligned OWord block messages (dc0 types 0x00 and 0x08,
     * constant cache 0x00), whose offsets count elements. */
    uint8_t address_shift;
    bool high_oword;        /* one-OWord block in the upper half of its register */
    uint8_t component_mask; /* untyped/typed/sample: bit set = component present (enabled) */
    bool header;            /* first payload register is a message header */
    bool returns_data;      /* response length != 0 */
    bool half_return;       /* sampler: 16-bit return */
    uint8_t atomic;         /* raw integer or float atomic operation code */
    bool atomic_float;
    uint32_t scratch_offset; /* bytes, SCRATCH_BLOCK */
    uint8_t address_registers; /* GRFs of address payload, header excluded */
    uint8_t payload_registers; /* descriptor [28:25] */
    uint8_t response_registers; /* descriptor [24:20] */
    uint8_t src1_registers;    /* split send: length of the second payload */
    bool fence_commit;
    uint8_t gateway_function;
};

/* Decode the message of a send. Errors: SONDE_ERROR_UNSUPPORTED when the
 * descriptor is in a register (use ..._decode_descriptor with its run-time
 * value), or the message is not known; *message is then UNKNOWN with lengths
 * filled where known. */
SONDE_API enum sonde_status sonde_gen_message_decode(const struct sonde_gen_instruction *send,
                                                     struct sonde_gen_message *message,
                                                     struct sonde_error *error);
SONDE_API enum sonde_status sonde_gen_message_decode_descriptor(
    enum sonde_gen_platform platform, uint8_t sfid, uint32_t descriptor, uint32_t ex_descriptor,
    bool end_of_thread, struct sonde_gen_message *message, struct sonde_error *error);

/* Short English description of a message, e.g. "hdc.dc1; untyped surface
 * read, SIMD16, x, BTI 0". As snprintf. */
SONDE_API int sonde_gen_message_print(const struct sonde_gen_message *message, char *text,
                                      size_t size);

#endif
