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
    SONDE_GEN_MESSAGE_READ_STATUS, /* whether the pages of the addresses are there */
};

enum sonde_gen_message_layout {
    SONDE_GEN_LAYOUT_NONE,
    SONDE_GEN_LAYOUT_OWORD_BLOCK, /* one address, contiguous OWords */
    SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED,
    SONDE_GEN_LAYOUT_HWORD_BLOCK,
    SONDE_GEN_LAYOUT_SCRATCH_BLOCK,
    SONDE_GEN_LAYOUT_SCATTERED, /* one address a channel, `elements` consecutive of `element_size`
                                 */
    SONDE_GEN_LAYOUT_UNTYPED,   /* one address a channel, dword components by channel mask */
    SONDE_GEN_LAYOUT_TYPED,     /* u, v, r, lod a channel */
    /* Load-store cache only: */
    SONDE_GEN_LAYOUT_BLOCK,   /* one address, `elements` contiguous ones ("transposed") */
    SONDE_GEN_LAYOUT_STRIDED, /* one address and one stride */
    SONDE_GEN_LAYOUT_BLOCK2D, /* base, extents, position and block size in the payload */
};

enum sonde_gen_address_model {
    SONDE_GEN_ADDRESS_NONE,
    SONDE_GEN_ADDRESS_SURFACE,   /* offset into the surface of binding-table index `bti` */
    SONDE_GEN_ADDRESS_STATELESS, /* A32 offset from general state base (BTI 253 / 255) */
    SONDE_GEN_ADDRESS_A64,       /* global virtual address; `address_size` 4: zero-extended */
    SONDE_GEN_ADDRESS_SLM,       /* BTI 254 */
    SONDE_GEN_ADDRESS_SCRATCH,
    /* Load-store cache only: offset into the surface whose state stands
     * `surface_offset` bytes from the surface state base, or from the bindless
     * surface state base. */
    SONDE_GEN_ADDRESS_SURFACE_STATE,
    SONDE_GEN_ADDRESS_BINDLESS,
};

/* Integer atomic operations: the codes of the data ports; those of the
 * load-store cache are mapped to them. */
enum sonde_gen_atomic {
    SONDE_GEN_ATOMIC_COMPARE_EXCHANGE_64 = 0, /* 64-bit data of the A32 message */
    SONDE_GEN_ATOMIC_AND = 1,
    SONDE_GEN_ATOMIC_OR = 2,
    SONDE_GEN_ATOMIC_XOR = 3,
    SONDE_GEN_ATOMIC_EXCHANGE = 4,
    SONDE_GEN_ATOMIC_INCREMENT = 5,
    SONDE_GEN_ATOMIC_DECREMENT = 6,
    SONDE_GEN_ATOMIC_ADD = 7,
    SONDE_GEN_ATOMIC_SUBTRACT = 8,
    SONDE_GEN_ATOMIC_REVERSE_SUBTRACT = 9,
    SONDE_GEN_ATOMIC_SIGNED_MAXIMUM = 10,
    SONDE_GEN_ATOMIC_SIGNED_MINIMUM = 11,
    SONDE_GEN_ATOMIC_UNSIGNED_MAXIMUM = 12,
    SONDE_GEN_ATOMIC_UNSIGNED_MINIMUM = 13,
    SONDE_GEN_ATOMIC_COMPARE_EXCHANGE = 14,
    SONDE_GEN_ATOMIC_PREDECREMENT = 15,
    SONDE_GEN_ATOMIC_LOAD = 16, /* load-store cache only */
};

/* Float atomic operations, as above. */
enum sonde_gen_float_atomic {
    SONDE_GEN_FLOAT_ATOMIC_MAXIMUM = 1,
    SONDE_GEN_FLOAT_ATOMIC_MINIMUM = 2,
    SONDE_GEN_FLOAT_ATOMIC_COMPARE_EXCHANGE = 3,
    SONDE_GEN_FLOAT_ATOMIC_ADD = 4,
    SONDE_GEN_FLOAT_ATOMIC_SUBTRACT = 5,
    SONDE_GEN_FLOAT_ATOMIC_ADD_64 = 6,
    SONDE_GEN_FLOAT_ATOMIC_SUBTRACT_64 = 7,
};

/* Scope and flush of a load-store cache fence. */
enum sonde_gen_fence_scope {
    SONDE_GEN_FENCE_GROUP,
    SONDE_GEN_FENCE_LOCAL,
    SONDE_GEN_FENCE_TILE,
    SONDE_GEN_FENCE_GPU,
    SONDE_GEN_FENCE_GPUS,
    SONDE_GEN_FENCE_SYSTEM_RELEASE,
    SONDE_GEN_FENCE_SYSTEM_ACQUIRE,
};

struct sonde_gen_message {
    uint8_t operation;     /* enum sonde_gen_message_operation */
    uint8_t layout;        /* enum sonde_gen_message_layout */
    uint8_t address_model; /* enum sonde_gen_address_model */
    uint8_t bti;           /* binding-table index, when SURFACE */
    uint8_t sampler;       /* sampler index, when SAMPLE */
    uint8_t sample_type;   /* raw sampler message type [16:12] */
    /* Channels of the message: 1, 2 (SIMD4x2), 8, 16, 32. A load-store cache
     * message has no such field, it is as wide as its instruction (at least 8,
     * on XeHPC 16): 0 when only the descriptor was given. */
    uint8_t simd;
    uint8_t channel_first; /* typed messages of slot group "high": 8, else 0 */
    uint8_t element_size;  /* bytes in memory of one element: 1, 2, 4, 8, 16 */
    uint8_t element_slot;  /* bytes one element takes in the payload (byte scattered: 4) */
    uint16_t elements;     /* elements a channel, or elements of the block */
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
    uint8_t atomic;         /* enum sonde_gen_atomic, or _float_atomic when `atomic_float` */
    bool atomic_float;
    uint32_t scratch_offset; /* bytes, SCRATCH_BLOCK */
    /* GRFs of address payload, header excluded. Those of a typed message may
     * go on in the second payload, before the data. */
    uint8_t address_registers;
    uint8_t payload_registers;  /* descriptor [28:25] */
    uint8_t response_registers; /* descriptor [24:20] */
    uint8_t src1_registers;     /* split send: length of the second payload */
    bool fence_commit;          /* returns a register once done */
    uint8_t gateway_function;
    uint8_t address_size;    /* bytes of one address in the payload: 2, 4, 8; 0 when none */
    bool load_store_cache;   /* a message of ugm, slm or tgm; the next ones are theirs */
    bool transposed;         /* BLOCK, BLOCK2D */
    bool vnni;               /* BLOCK2D: elements packed for dpas */
    bool element_high;       /* a 16-bit element stands in the upper half of its slot */
    uint8_t caching;         /* raw cache controls, descriptor [19:17] */
    uint8_t fence_scope;     /* enum sonde_gen_fence_scope */
    uint8_t fence_flush;     /* raw flush type, 0 none, 1 evict, 2 invalidate, ... */
    uint32_t surface_offset; /* bytes, SURFACE_STATE and BINDLESS */
};

/* Decode the message of a send. Errors: SONDE_ERROR_UNSUPPORTED when the
 * descriptor is in a register (use ..._decode_values with its run-time value),
 * or the message is not known; *message is then UNKNOWN with lengths filled
 * where known. Where a register holds only the surface of a load-store cache
 * message (ExBSO) everything but surface_offset, then 0, is decoded. */
SONDE_API enum sonde_status sonde_gen_message_decode(const struct sonde_gen_instruction *send,
                                                     struct sonde_gen_message *message,
                                                     struct sonde_error *error);
/* The same with the descriptors' run-time values, whatever the instruction
 * holds in registers. */
SONDE_API enum sonde_status
sonde_gen_message_decode_values(const struct sonde_gen_instruction *send, uint32_t descriptor,
                                uint32_t ex_descriptor, struct sonde_gen_message *message,
                                struct sonde_error *error);
/* From bare descriptors. From XeHPG on the length of the second payload is not
 * in them: src1_registers is then what ex_descriptor [10:6] says. */
SONDE_API enum sonde_status
sonde_gen_message_decode_descriptor(enum sonde_gen_platform platform, uint8_t sfid,
                                    uint32_t descriptor, uint32_t ex_descriptor, bool end_of_thread,
                                    struct sonde_gen_message *message, struct sonde_error *error);

/* Short English description of a message, e.g. "hdc.dc1; untyped surface
 * read, SIMD16, x, BTI 0". As snprintf. */
SONDE_API int sonde_gen_message_print(const struct sonde_gen_message *message, char *text,
                                      size_t size);

#endif
