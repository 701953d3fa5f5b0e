/* Messages of the load-store cache.
 *
 * Facts: the descriptor decoder of the MIT-licensed Intel Graphics Assembler;
 * codes measured by handing every value of each field to libiga64. */
#include "isa/gen/descriptor.h"
#include "isa/gen/message_cache.h"

#define LOAD(n, d)                                                                                 \
    {                                                                                              \
        n, d, MESSAGE_CACHE_LOAD, 0                                                                \
    }
#define STORE(n, d)                                                                                \
    {                                                                                              \
        n, d, MESSAGE_CACHE_STORE, 0                                                               \
    }
#define OTHER(n, d, kind)                                                                          \
    {                                                                                              \
        n, d, MESSAGE_CACHE_##kind, 0                                                              \
    }
#define ATOMIC(n, d, code)                                                                         \
    {                                                                                              \
        n, d, MESSAGE_CACHE_ATOMIC, SONDE_GEN_ATOMIC_##code                                        \
    }
#define FLOATING(n, d, code)                                                                       \
    {                                                                                              \
        n, d, MESSAGE_CACHE_FLOAT_ATOMIC, SONDE_GEN_FLOAT_ATOMIC_##code                            \
    }

static const struct message_cache_operation operations[64] = {
    [0x00] = LOAD("load", "gathering load"),
    [0x01] = OTHER("load_strided", "strided load (a.k.a load_block)", STRIDED_LOAD),
    [0x02] = OTHER("load_quad", "quad load (a.k.a. load_cmask)", QUAD_LOAD),
    [0x03] = OTHER("load_block2d", "block2d load", BLOCK2D_LOAD),
    [0x04] = STORE("store", "scattering store"),
    [0x05] = OTHER("store_strided", "strided store (a.k.a store_block)", STRIDED_STORE),
    [0x06] = OTHER("store_quad", "quad store (a.k.a. store_cmask)", QUAD_STORE),
    [0x07] = OTHER("store_block2d", "block2d store", BLOCK2D_STORE),
    [0x08] = ATOMIC("atomic_iinc", "atomic integer increment", INCREMENT),
    [0x09] = ATOMIC("atomic_idec", "atomic integer decrement", DECREMENT),
    [0x0a] = ATOMIC("atomic_load", "atomic load", LOAD),
    [0x0b] = ATOMIC("atomic_store", "atomic store", EXCHANGE),
    [0x0c] = ATOMIC("atomic_iadd", "atomic integer add", ADD),
    [0x0d] = ATOMIC("atomic_isub", "atomic integer subtract", SUBTRACT),
    [0x0e] = ATOMIC("atomic_smin", "atomic signed-integer minimum", SIGNED_MINIMUM),
    [0x0f] = ATOMIC("atomic_smax", "atomic signed-integer maximum", SIGNED_MAXIMUM),
    [0x10] = ATOMIC("atomic_umin", "atomic unsigned-integer minimum", UNSIGNED_MINIMUM),
    [0x11] = ATOMIC("atomic_umax", "atomic unsigned-integer maximum", UNSIGNED_MAXIMUM),
    [0x12] = ATOMIC("atomic_icas", "atomic integer compare and swap", COMPARE_EXCHANGE),
    [0x13] = FLOATING("atomic_fadd", "atomic float add", ADD),
    [0x14] = FLOATING("atomic_fsub", "atomic float subtract", SUBTRACT),
    [0x15] = FLOATING("atomic_fmin", "atomic float minimum", MINIMUM),
    [0x16] = FLOATING("atomic_fmax", "atomic float maximum", MAXIMUM),
    [0x17] = FLOATING("atomic_fcas", "atomic float compare and swap", COMPARE_EXCHANGE),
    [0x18] = ATOMIC("atomic_and", "atomic logical and", AND),
    [0x19] = ATOMIC("atomic_or", "atomic logical or", OR),
    [0x1a] = ATOMIC("atomic_xor", "atomic logical xor", XOR),
    [0x1b] = OTHER("load_status", "load status", STATUS),
    [0x1c] = STORE("store_uncompressed", "scattering store uncompressed"),
    [0x20] = OTHER("store_uncompressed_quad", "store quad uncompressed", QUAD_STORE),
};

/* Bytes in memory, bytes in the payload, and whether in the slot's upper half. */
static const struct data_size {
    uint8_t element, slot;
    bool high;
} data_sizes[8] = {{1, 1, false}, {2, 2, false}, {4, 4, false}, {8, 8, false},
                   {1, 4, false}, {2, 4, false}, {2, 4, true},  {0, 0, false}};

static const uint8_t vectors[8] = {1, 2, 3, 4, 8, 16, 32, 64};

const struct message_cache_operation *message_cache_operation(unsigned code)
{
    return code < 64 && operations[code].kind != MESSAGE_CACHE_NONE ? &operations[code] : NULL;
}

unsigned message_cache_vector(unsigned code)
{
    return vectors[code & 7];
}

/* Where an address points. Binding-table entries 253 and 255 are the stateless
 * pseudo-surfaces, as for the data ports. */
static void address_model(struct sonde_gen_message *m, uint8_t sfid, uint32_t descriptor,
                          uint32_t ex_descriptor, bool bindless_in_register)
{
    enum { FLAT, BINDLESS, SURFACE_STATE };
    enum { BTI_NON_COHERENT = 253, BTI_STATELESS = 255 };
    uint32_t type = descriptor_bits(descriptor, 30, 29);
    if (sfid == SONDE_GEN_SFID_SLM) {
        m->address_model = SONDE_GEN_ADDRESS_SLM;
    } else if (type == FLAT) {
        m->address_model = SONDE_GEN_ADDRESS_A64;
    } else if (type == BINDLESS || type == SURFACE_STATE) {
        m->address_model =
            type == BINDLESS ? SONDE_GEN_ADDRESS_BINDLESS : SONDE_GEN_ADDRESS_SURFACE_STATE;
        /* States are 64 bytes: the offset without its low six bits. */
        m->surface_offset = bindless_in_register ? ex_descriptor & ~UINT32_C(0x3f)
                                                 : descriptor_bits(ex_descriptor, 31, 12) << 6;
    } else {
        m->bti = (uint8_t)descriptor_bits(ex_descriptor, 31, 24);
        m->address_model = m->bti == BTI_STATELESS || m->bti == BTI_NON_COHERENT
                               ? SONDE_GEN_ADDRESS_STATELESS
                               : SONDE_GEN_ADDRESS_SURFACE;
    }
}

static bool fence(struct sonde_gen_message *m, uint8_t sfid, uint32_t descriptor)
{
    m->operation = SONDE_GEN_MESSAGE_FENCE;
    m->simd = 1;
    m->address_model =
        sfid == SONDE_GEN_SFID_SLM ? SONDE_GEN_ADDRESS_SLM : SONDE_GEN_ADDRESS_STATELESS;
    m->fence_commit = m->response_registers != 0;
    m->fence_scope = (uint8_t)descriptor_bits(descriptor, 11, 9);
    m->fence_flush = (uint8_t)descriptor_bits(descriptor, 14, 12);
    return m->fence_scope <= SONDE_GEN_FENCE_SYSTEM_ACQUIRE && m->fence_flush <= 5;
}

/* Typed memory takes coordinates, and knows only the operations by components
 * and the atomics. */
static uint8_t typed_operation(uint8_t operation)
{
    switch (operation) {
    case SONDE_GEN_MESSAGE_READ:
        return SONDE_GEN_MESSAGE_TYPED_READ;
    case SONDE_GEN_MESSAGE_WRITE:
        return SONDE_GEN_MESSAGE_TYPED_WRITE;
    default:
        return SONDE_GEN_MESSAGE_TYPED_ATOMIC;
    }
}

static bool components(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->layout = SONDE_GEN_LAYOUT_UNTYPED;
    m->component_mask = (uint8_t)descriptor_bits(descriptor, 15, 12);
    m->elements = (uint16_t)__builtin_popcount(m->component_mask);
    return m->component_mask != 0;
}

static bool vector(struct sonde_gen_message *m, uint32_t descriptor, uint8_t layout)
{
    m->transposed = descriptor_bits(descriptor, 15, 15) != 0;
    m->layout = m->transposed && layout == SONDE_GEN_LAYOUT_SCATTERED
                    ? (uint8_t)SONDE_GEN_LAYOUT_BLOCK
                    : layout;
    m->elements = (uint16_t)message_cache_vector(descriptor_bits(descriptor, 14, 12));
    if (m->transposed)
        m->simd = 1;
    return true;
}

static bool atomic(struct sonde_gen_message *m, uint32_t descriptor,
                   const struct message_cache_operation *operation)
{
    m->atomic = operation->atomic;
    m->atomic_float = operation->kind == MESSAGE_CACHE_FLOAT_ATOMIC;
    if (m->atomic_float && m->element_size == 8) {
        if (m->atomic == SONDE_GEN_FLOAT_ATOMIC_ADD)
            m->atomic = SONDE_GEN_FLOAT_ATOMIC_ADD_64;
        else if (m->atomic == SONDE_GEN_FLOAT_ATOMIC_SUBTRACT)
            m->atomic = SONDE_GEN_FLOAT_ATOMIC_SUBTRACT_64;
    }
    return vector(m, descriptor, SONDE_GEN_LAYOUT_SCATTERED) && !m->transposed && m->elements == 1;
}

/* The block's extents stand in the payload; the header fields of the
 * descriptor only say how the elements come back. */
static bool block2d(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->layout = SONDE_GEN_LAYOUT_BLOCK2D;
    m->transposed = descriptor_bits(descriptor, 15, 15) != 0;
    m->vnni = m->operation == SONDE_GEN_MESSAGE_READ && descriptor_bits(descriptor, 7, 7) != 0;
    m->address_size = 8;
    m->simd = 1;
    return descriptor_bits(descriptor, 14, 12) == 0 && descriptor_bits(descriptor, 8, 8) == 0;
}

static bool decode_kind(struct sonde_gen_message *m, uint32_t descriptor,
                        const struct message_cache_operation *operation)
{
    switch ((enum message_cache_kind)operation->kind) {
    case MESSAGE_CACHE_STATUS:
        m->operation = SONDE_GEN_MESSAGE_READ_STATUS;
        return vector(m, descriptor, SONDE_GEN_LAYOUT_SCATTERED);
    case MESSAGE_CACHE_LOAD:
        m->operation = SONDE_GEN_MESSAGE_READ;
        return vector(m, descriptor, SONDE_GEN_LAYOUT_SCATTERED);
    case MESSAGE_CACHE_STORE:
        m->operation = SONDE_GEN_MESSAGE_WRITE;
        return vector(m, descriptor, SONDE_GEN_LAYOUT_SCATTERED);
    case MESSAGE_CACHE_STRIDED_LOAD:
        m->operation = SONDE_GEN_MESSAGE_READ;
        return vector(m, descriptor, SONDE_GEN_LAYOUT_STRIDED);
    case MESSAGE_CACHE_STRIDED_STORE:
        m->operation = SONDE_GEN_MESSAGE_WRITE;
        return vector(m, descriptor, SONDE_GEN_LAYOUT_STRIDED);
    case MESSAGE_CACHE_QUAD_LOAD:
        m->operation = SONDE_GEN_MESSAGE_READ;
        return components(m, descriptor);
    case MESSAGE_CACHE_QUAD_STORE:
        m->operation = SONDE_GEN_MESSAGE_WRITE;
        return components(m, descriptor);
    case MESSAGE_CACHE_BLOCK2D_LOAD:
        m->operation = SONDE_GEN_MESSAGE_READ;
        return block2d(m, descriptor);
    case MESSAGE_CACHE_BLOCK2D_STORE:
        m->operation = SONDE_GEN_MESSAGE_WRITE;
        return block2d(m, descriptor);
    case MESSAGE_CACHE_ATOMIC:
    case MESSAGE_CACHE_FLOAT_ATOMIC:
        m->operation = SONDE_GEN_MESSAGE_ATOMIC;
        return atomic(m, descriptor, operation);
    case MESSAGE_CACHE_NONE:
        break;
    }
    return false;
}

bool message_cache_decode(struct sonde_gen_message *m, uint8_t sfid, uint32_t descriptor,
                          uint32_t ex_descriptor, bool bindless_in_register)
{
    static const uint8_t address_sizes[4] = {0, 2, 4, 8};
    unsigned code = descriptor_bits(descriptor, 5, 0);
    m->load_store_cache = true;
    if (code == MESSAGE_CACHE_FENCE)
        return fence(m, sfid, descriptor);
    const struct message_cache_operation *operation = message_cache_operation(code);
    if (operation == NULL)
        return false;
    const struct data_size *data = &data_sizes[descriptor_bits(descriptor, 11, 9)];
    m->element_size = data->element;
    m->element_slot = data->slot;
    m->element_high = data->high;
    m->caching = (uint8_t)descriptor_bits(descriptor, 19, 17);
    m->address_size = address_sizes[descriptor_bits(descriptor, 8, 7)];
    m->address_registers = m->payload_registers;
    address_model(m, sfid, descriptor, ex_descriptor, bindless_in_register);
    if (!decode_kind(m, descriptor, operation))
        return false;
    if (sfid == SONDE_GEN_SFID_TGM) {
        if (m->layout != SONDE_GEN_LAYOUT_UNTYPED && m->operation != SONDE_GEN_MESSAGE_ATOMIC)
            return false;
        m->operation = typed_operation(m->operation);
        m->layout = SONDE_GEN_LAYOUT_TYPED;
        if (m->component_mask == 0)
            m->component_mask = 1;
    }
    return m->element_size != 0 && m->address_size != 0;
}
