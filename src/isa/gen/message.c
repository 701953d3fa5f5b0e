/* Messages of Gen9: one table row a message type of the data ports, one
 * function a shape of the descriptor's function bits.
 *
 * Facts: the descriptor decoder of the MIT-licensed Intel Graphics Assembler
 * (field positions), Mesa's data-port definitions (which block messages count
 * OWords and which bytes). */
#include "sonde/gen_message.h"

#define BTI_SLM          0xfeu
#define BTI_STATELESS    0xffu
#define BTI_NON_COHERENT 0xfdu

enum shape {
    SHAPE_OWORD_BLOCK,
    SHAPE_HWORD_BLOCK,
    SHAPE_DWORDS,
    SHAPE_QWORDS,
    SHAPE_BYTES,
    SHAPE_UNTYPED,
    SHAPE_INTEGER_ATOMIC,
    SHAPE_FLOAT_ATOMIC,
    SHAPE_TYPED,
    SHAPE_TYPED_ATOMIC,
    SHAPE_MEDIA,
    SHAPE_FENCE,
    SHAPE_A64_SCATTERED,
    SHAPE_A64_BLOCK,
};

struct row {
    uint8_t sfid;
    uint8_t type; /* descriptor bits 18:14 */
    uint8_t operation;
    uint8_t shape;
    uint8_t layout;
    uint8_t address_shift;
    bool a64;
};

#define ROW(sfid, type, operation, shape, layout, shift, a64)                                      \
    {                                                                                              \
        SONDE_GEN_SFID_##sfid, type, SONDE_GEN_MESSAGE_##operation, SHAPE_##shape,                 \
            SONDE_GEN_LAYOUT_##layout, shift, a64                                                  \
    }

static const struct row rows[] = {
    ROW(DC0, 0x00, READ, OWORD_BLOCK, OWORD_BLOCK, 4, false),
    ROW(DC0, 0x01, READ, OWORD_BLOCK, OWORD_BLOCK_UNALIGNED, 0, false),
    ROW(DC0, 0x03, READ, DWORDS, SCATTERED, 2, false),
    ROW(DC0, 0x04, READ, BYTES, SCATTERED, 0, false),
    ROW(DC0, 0x05, READ, QWORDS, SCATTERED, 3, false),
    ROW(DC0, 0x07, FENCE, FENCE, NONE, 0, false),
    ROW(DC0, 0x08, WRITE, OWORD_BLOCK, OWORD_BLOCK, 4, false),
    ROW(DC0, 0x09, WRITE, HWORD_BLOCK, HWORD_BLOCK, 5, false),
    ROW(DC0, 0x0b, WRITE, DWORDS, SCATTERED, 2, false),
    ROW(DC0, 0x0c, WRITE, BYTES, SCATTERED, 0, false),
    ROW(DC0, 0x0d, WRITE, QWORDS, SCATTERED, 3, false),
    ROW(DC1, 0x01, READ, UNTYPED, UNTYPED, 0, false),
    ROW(DC1, 0x02, ATOMIC, INTEGER_ATOMIC, SCATTERED, 0, false),
    ROW(DC1, 0x04, MEDIA_READ, MEDIA, NONE, 0, false),
    ROW(DC1, 0x05, TYPED_READ, TYPED, TYPED, 0, false),
    ROW(DC1, 0x06, TYPED_ATOMIC, TYPED_ATOMIC, TYPED, 0, false),
    ROW(DC1, 0x09, WRITE, UNTYPED, UNTYPED, 0, false),
    ROW(DC1, 0x0a, MEDIA_WRITE, MEDIA, NONE, 0, false),
    ROW(DC1, 0x0d, TYPED_WRITE, TYPED, TYPED, 0, false),
    ROW(DC1, 0x10, READ, A64_SCATTERED, SCATTERED, 0, true),
    ROW(DC1, 0x11, READ, UNTYPED, UNTYPED, 0, true),
    ROW(DC1, 0x12, ATOMIC, INTEGER_ATOMIC, SCATTERED, 0, true),
    ROW(DC1, 0x14, READ, A64_BLOCK, OWORD_BLOCK, 0, true),
    ROW(DC1, 0x15, WRITE, A64_BLOCK, OWORD_BLOCK, 0, true),
    ROW(DC1, 0x19, WRITE, UNTYPED, UNTYPED, 0, true),
    ROW(DC1, 0x1a, WRITE, A64_SCATTERED, SCATTERED, 0, true),
    ROW(DC1, 0x1b, ATOMIC, FLOAT_ATOMIC, SCATTERED, 0, false),
    ROW(DC1, 0x1d, ATOMIC, FLOAT_ATOMIC, SCATTERED, 0, true),
    ROW(CONSTANT, 0x00, READ, OWORD_BLOCK, OWORD_BLOCK, 4, false),
    ROW(CONSTANT, 0x01, READ, OWORD_BLOCK, OWORD_BLOCK_UNALIGNED, 0, false),
    ROW(CONSTANT, 0x03, READ, DWORDS, SCATTERED, 2, false),
    ROW(DC2, 0x01, READ, OWORD_BLOCK, OWORD_BLOCK_UNALIGNED, 0, false),
    ROW(DC2, 0x04, MEDIA_READ, MEDIA, NONE, 0, false),
};

static uint32_t bits(uint32_t descriptor, unsigned high, unsigned low)
{
    return descriptor >> low & ((UINT32_C(1) << (high - low + 1)) - 1);
}

static void address_model(struct sonde_gen_message *m, uint32_t descriptor, bool a64)
{
    uint32_t bti = bits(descriptor, 7, 0);
    if (a64)
        m->address_model = SONDE_GEN_ADDRESS_A64;
    else if (bti == BTI_SLM)
        m->address_model = SONDE_GEN_ADDRESS_SLM;
    else if (bti == BTI_STATELESS || bti == BTI_NON_COHERENT)
        m->address_model = SONDE_GEN_ADDRESS_STATELESS;
    else
        m->address_model = SONDE_GEN_ADDRESS_SURFACE;
    m->bti = (uint8_t)bti;
}

/* GRFs that one address a channel takes. */
static uint8_t addresses(const struct sonde_gen_message *m)
{
    unsigned size = m->address_model == SONDE_GEN_ADDRESS_A64 ? 8 : 4;
    return (uint8_t)((m->simd * size + 31) / 32);
}

static bool oword_block(struct sonde_gen_message *m, uint32_t descriptor)
{
    static const uint8_t owords[] = {1, 1, 2, 4, 8};
    uint32_t code = bits(descriptor, 10, 8);
    if (code >= sizeof owords)
        return false;
    m->simd = 1;
    m->elements = owords[code];
    m->high_oword = code == 1;
    m->element_size = m->element_slot = 16;
    return true;
}

static bool hword_block(struct sonde_gen_message *m, uint32_t code)
{
    if (code > 3)
        return false;
    m->simd = 1;
    m->elements = (uint16_t)(1u << code);
    m->element_size = m->element_slot = 32;
    return true;
}

static bool scattered(struct sonde_gen_message *m, unsigned simd, unsigned size, unsigned slot,
                      unsigned elements)
{
    m->simd = (uint8_t)simd;
    m->element_size = (uint8_t)size;
    m->element_slot = (uint8_t)slot;
    m->elements = (uint16_t)elements;
    m->address_registers = addresses(m);
    return true;
}

static bool untyped(struct sonde_gen_message *m, uint32_t descriptor)
{
    static const uint8_t simd[] = {2, 16, 8, 0}; /* 2: SIMD4x2 */
    uint32_t mask = ~bits(descriptor, 11, 8) & 0xf;
    unsigned channels = simd[bits(descriptor, 13, 12)];
    if (channels == 0 || mask == 0)
        return false;
    m->component_mask = (uint8_t)mask;
    return scattered(m, channels, 4, 4, (unsigned)__builtin_popcount(mask));
}

static bool integer_atomic(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->atomic = (uint8_t)bits(descriptor, 11, 8);
    bool a64 = m->address_model == SONDE_GEN_ADDRESS_A64;
    bool bit12 = bits(descriptor, 12, 12) != 0;
    unsigned size = a64 && bit12 ? 8 : 4;
    if (!a64 && m->atomic == 0) /* the 64-bit compare and exchange of the 32-bit message */
        size = 8;
    return scattered(m, a64 || bit12 ? 8 : 16, size, size, 1);
}

static bool float_atomic(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->atomic = (uint8_t)bits(descriptor, 10, 8);
    m->atomic_float = true;
    if (m->atomic == 0)
        return false;
    bool a64 = m->address_model == SONDE_GEN_ADDRESS_A64;
    bool bit12 = bits(descriptor, 12, 12) != 0;
    unsigned size = m->atomic >= 6 ? 8 : 4;
    return scattered(m, a64 != bit12 ? 8 : 16, size, size, 1);
}

static unsigned header_registers(const struct sonde_gen_message *m)
{
    return m->header ? 1 : 0;
}

/* Registers that the coordinates of a typed message take: what the header and
 * the data leave of the first payload. */
static bool typed_addresses(struct sonde_gen_message *m, unsigned data)
{
    unsigned taken = header_registers(m) + (m->src1_registers == 0 ? data : 0);
    if (taken > m->payload_registers)
        return false;
    m->address_registers = (uint8_t)(m->payload_registers - taken);
    return m->address_registers >= 1 && m->address_registers <= 4;
}

static bool typed(struct sonde_gen_message *m, uint32_t descriptor)
{
    uint32_t mask = ~bits(descriptor, 11, 8) & 0xf;
    uint32_t group = bits(descriptor, 13, 12);
    if (group == 0 || group == 3 || mask == 0)
        return false;
    m->simd = 8;
    m->channel_first = group == 2 ? 8 : 0;
    m->component_mask = (uint8_t)mask;
    m->element_size = m->element_slot = 4;
    m->elements = (uint16_t)__builtin_popcount(mask);
    return typed_addresses(m, m->operation == SONDE_GEN_MESSAGE_TYPED_WRITE ? m->elements : 0);
}

static bool typed_atomic(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->atomic = (uint8_t)bits(descriptor, 11, 8);
    m->simd = 8;
    m->channel_first = bits(descriptor, 12, 12) != 0 ? 8 : 0;
    m->component_mask = 1;
    m->element_size = m->element_slot = 4;
    m->elements = 1;
    unsigned operands = 1;
    if (m->atomic == 0x5 || m->atomic == 0x6 || m->atomic == 0xf) /* inc, dec, predec */
        operands = 0;
    else if (m->atomic == 0xe || m->atomic == 0) /* compare and exchange */
        operands = 2;
    return typed_addresses(m, operands);
}

static bool media(struct sonde_gen_message *m)
{
    unsigned registers = m->operation == SONDE_GEN_MESSAGE_MEDIA_READ
                             ? m->response_registers
                             : m->payload_registers + m->src1_registers - header_registers(m);
    m->simd = 1;
    m->element_size = m->element_slot = 1;
    m->elements = (uint16_t)(registers * 32);
    return m->header;
}

static bool fence(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->simd = 1;
    m->fence_commit = bits(descriptor, 13, 13) != 0;
    m->address_model = m->bti == BTI_SLM ? SONDE_GEN_ADDRESS_SLM : SONDE_GEN_ADDRESS_STATELESS;
    return true;
}

static bool a64_scattered(struct sonde_gen_message *m, uint32_t descriptor)
{
    unsigned simd = bits(descriptor, 12, 12) != 0 ? 16 : 8;
    unsigned count = 1u << bits(descriptor, 11, 10);
    switch (bits(descriptor, 9, 8)) {
    case 0:
        return count <= 4 && scattered(m, simd, count, 4, 1);
    case 1:
        return scattered(m, simd, 4, 4, count);
    case 2:
        return scattered(m, simd, 8, 8, count);
    default:
        return false;
    }
}

static bool a64_block(struct sonde_gen_message *m, uint32_t descriptor)
{
    switch (bits(descriptor, 12, 11)) {
    case 0:
        m->layout = SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED;
        return oword_block(m, descriptor);
    case 1:
        m->layout = SONDE_GEN_LAYOUT_OWORD_BLOCK;
        return oword_block(m, descriptor);
    case 3:
        m->layout = SONDE_GEN_LAYOUT_HWORD_BLOCK;
        return hword_block(m, bits(descriptor, 10, 8));
    default:
        return false;
    }
}

static bool decode_shape(struct sonde_gen_message *m, enum shape shape, uint32_t descriptor)
{
    unsigned simd = bits(descriptor, 8, 8) != 0 ? 16 : 8;
    unsigned count = 1u << bits(descriptor, 11, 10);
    switch (shape) {
    case SHAPE_OWORD_BLOCK:
        return oword_block(m, descriptor);
    case SHAPE_HWORD_BLOCK:
        return hword_block(m, bits(descriptor, 10, 8));
    case SHAPE_DWORDS:
        return scattered(m, simd, 4, 4, count);
    case SHAPE_QWORDS:
        return scattered(m, simd, 8, 8, count);
    case SHAPE_BYTES:
        return count <= 4 && scattered(m, simd, count, 4, 1);
    case SHAPE_UNTYPED:
        return untyped(m, descriptor);
    case SHAPE_INTEGER_ATOMIC:
        return integer_atomic(m, descriptor);
    case SHAPE_FLOAT_ATOMIC:
        return float_atomic(m, descriptor);
    case SHAPE_TYPED:
        return typed(m, descriptor);
    case SHAPE_TYPED_ATOMIC:
        return typed_atomic(m, descriptor);
    case SHAPE_MEDIA:
        return media(m);
    case SHAPE_FENCE:
        return fence(m, descriptor);
    case SHAPE_A64_SCATTERED:
        return a64_scattered(m, descriptor);
    case SHAPE_A64_BLOCK:
        return a64_block(m, descriptor);
    }
    return false;
}

/* dc0 with bit 18: the scratch space of the thread, addressed by the message
 * itself. */
static bool scratch_block(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->operation = bits(descriptor, 17, 17) != 0 ? SONDE_GEN_MESSAGE_WRITE : SONDE_GEN_MESSAGE_READ;
    m->layout = SONDE_GEN_LAYOUT_SCRATCH_BLOCK;
    m->address_model = SONDE_GEN_ADDRESS_SCRATCH;
    m->scratch_offset = bits(descriptor, 11, 0) * 32;
    return hword_block(m, bits(descriptor, 13, 12));
}

static bool data_port(struct sonde_gen_message *m, uint8_t sfid, uint32_t descriptor)
{
    if (sfid == SONDE_GEN_SFID_DC0 && bits(descriptor, 18, 18) != 0)
        return scratch_block(m, descriptor);
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const struct row *row = &rows[n];
        if (row->sfid != sfid || row->type != bits(descriptor, 18, 14))
            continue;
        m->operation = row->operation;
        m->layout = row->layout;
        m->address_shift = row->address_shift;
        address_model(m, descriptor, row->a64);
        return decode_shape(m, (enum shape)row->shape, descriptor);
    }
    return false;
}

#define SAMPLER_CACHE_FLUSH 0x1fu

static bool sampler(struct sonde_gen_message *m, uint32_t descriptor)
{
    static const uint8_t simd[] = {0, 8, 16, 32};
    m->sample_type = (uint8_t)bits(descriptor, 16, 12);
    if (m->sample_type == SAMPLER_CACHE_FLUSH) {
        m->operation = SONDE_GEN_MESSAGE_CACHE_FLUSH;
        m->simd = 1;
        return true;
    }
    m->simd = simd[bits(descriptor, 18, 17)];
    if (m->simd == 0)
        return false;
    m->operation = SONDE_GEN_MESSAGE_SAMPLE;
    m->bti = (uint8_t)bits(descriptor, 7, 0);
    m->address_model = SONDE_GEN_ADDRESS_SURFACE;
    m->sampler = (uint8_t)bits(descriptor, 11, 8);
    m->half_return = bits(descriptor, 30, 30) != 0;
    m->element_size = m->element_slot = m->half_return ? 2 : 4;
    /* Components come in whole registers, as many as the response holds. */
    unsigned a_component = (m->simd * m->element_size + 31u) / 32u;
    unsigned components = m->response_registers / a_component;
    m->elements = (uint16_t)(components > 4 ? 4 : components);
    m->component_mask = (uint8_t)((1u << m->elements) - 1);
    m->address_registers = (uint8_t)(m->payload_registers + m->src1_registers);
    if (m->address_registers > 0 && m->header)
        m->address_registers--;
    return true;
}

static bool gateway(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->gateway_function = (uint8_t)bits(descriptor, 2, 0);
    m->operation = m->gateway_function == 4 ? SONDE_GEN_MESSAGE_BARRIER : SONDE_GEN_MESSAGE_GATEWAY;
    m->simd = 1;
    return m->gateway_function != 0 && m->gateway_function != 5 && m->gateway_function != 7;
}

/* Not only the spawner: any message may carry the end-of-thread bit, and then
 * is the last one whatever it does. */
static bool decode(struct sonde_gen_message *m, uint8_t sfid, uint32_t descriptor,
                   bool end_of_thread)
{
    switch (sfid) {
    case SONDE_GEN_SFID_SAMPLER:
        return sampler(m, descriptor);
    case SONDE_GEN_SFID_GATEWAY:
        return gateway(m, descriptor);
    case SONDE_GEN_SFID_SPAWNER:
        m->operation = SONDE_GEN_MESSAGE_END_OF_THREAD;
        m->simd = 1;
        return end_of_thread && bits(descriptor, 2, 0) == 0;
    case SONDE_GEN_SFID_DC0:
    case SONDE_GEN_SFID_DC1:
    case SONDE_GEN_SFID_DC2:
    case SONDE_GEN_SFID_CONSTANT:
        return data_port(m, sfid, descriptor);
    default:
        return false;
    }
}

enum sonde_status sonde_gen_message_decode_descriptor(enum sonde_gen_platform platform,
                                                      uint8_t sfid, uint32_t descriptor,
                                                      uint32_t ex_descriptor, bool end_of_thread,
                                                      struct sonde_gen_message *message,
                                                      struct sonde_error *error)
{
    struct sonde_gen_message lengths = {
        .header = bits(descriptor, 19, 19) != 0,
        .returns_data = bits(descriptor, 24, 20) != 0,
        .payload_registers = (uint8_t)bits(descriptor, 28, 25),
        .response_registers = (uint8_t)bits(descriptor, 24, 20),
        .src1_registers = (uint8_t)bits(ex_descriptor, 9, 6),
    };
    *message = lengths;
    if (platform != SONDE_GEN_PLATFORM_GEN9)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "messages of platform %s cannot be decoded by this version",
                               sonde_gen_platform_name(platform));
    if (!decode(message, sfid, descriptor, end_of_thread)) {
        *message = lengths;
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "shared function %u has no known message 0x%08x", sfid, descriptor);
    }
    return SONDE_OK;
}

enum sonde_status sonde_gen_message_decode(const struct sonde_gen_instruction *send,
                                           struct sonde_gen_message *message,
                                           struct sonde_error *error)
{
    *message = (struct sonde_gen_message){0};
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)send->opcode) != SONDE_GEN_FORMAT_SEND ||
        send->illegal)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, send->offset,
                               "the instruction at byte %u is not a send", send->offset);
    if (send->send.descriptor_is_register || send->send.ex_descriptor_is_register) {
        if (!send->send.descriptor_is_register) {
            message->payload_registers = (uint8_t)bits(send->send.descriptor, 28, 25);
            message->response_registers = (uint8_t)bits(send->send.descriptor, 24, 20);
            message->returns_data = message->response_registers != 0;
            message->header = bits(send->send.descriptor, 19, 19) != 0;
        }
        message->src1_registers = send->send.src1_length;
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, send->offset,
                               "the message at byte %u has its descriptor in a register",
                               send->offset);
    }
    enum sonde_status status = sonde_gen_message_decode_descriptor(
        (enum sonde_gen_platform)send->platform, send->send.sfid, send->send.descriptor,
        send->send.ex_descriptor, send->send.end_of_thread, message, error);
    if (status != SONDE_OK && error != NULL)
        error->offset = send->offset;
    return status;
}
