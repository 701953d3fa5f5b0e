/* Messages: one table row a message type of the data ports, one function a
 * shape of the descriptor's function bits. The load-store cache of XeHPG and
 * later stands in message_cache.c.
 *
 * Facts: the descriptor decoder of the MIT-licensed Intel Graphics Assembler
 * (field positions), Mesa's data-port definitions (which block messages count
 * OWords and which bytes). */
#include "isa/gen/descriptor.h"
#include "isa/gen/message_cache.h"

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

/* What a decoder is given. */
struct input {
    enum sonde_gen_platform platform;
    uint8_t sfid;
    uint32_t descriptor, ex_descriptor;
    bool end_of_thread;
    bool bindless_in_register; /* ex_descriptor is the ExBSO form */
};

/* Channels of a message count registers of 32 bytes; those of XeHPC hold twice
 * as many (seen on its A64 atomics and typed writes, taken to be so of all). */
static unsigned wide(const struct input *in, unsigned simd)
{
    return in->platform == SONDE_GEN_PLATFORM_XEHPC ? simd * 2 : simd;
}

static void address_model(struct sonde_gen_message *m, uint32_t descriptor, bool a64)
{
    uint32_t bti = descriptor_bits(descriptor, 7, 0);
    if (a64)
        m->address_model = SONDE_GEN_ADDRESS_A64;
    else if (bti == BTI_SLM)
        m->address_model = SONDE_GEN_ADDRESS_SLM;
    else if (bti == BTI_STATELESS || bti == BTI_NON_COHERENT)
        m->address_model = SONDE_GEN_ADDRESS_STATELESS;
    else
        m->address_model = SONDE_GEN_ADDRESS_SURFACE;
    m->bti = (uint8_t)bti;
    m->address_size = a64 ? 8 : 4;
}

/* GRFs that `bytes` a channel take. */
static uint8_t registers(const struct input *in, const struct sonde_gen_message *m, unsigned bytes)
{
    unsigned size = sonde_gen_platform_grf_size(in->platform);
    return (uint8_t)((m->simd * bytes + size - 1) / size);
}

static bool oword_block(const struct input *in, struct sonde_gen_message *m)
{
    static const uint8_t owords[] = {1, 1, 2, 4, 8, 16};
    uint32_t code = descriptor_bits(in->descriptor, 10, 8);
    unsigned known = in->platform >= SONDE_GEN_PLATFORM_XEHPG ? 6 : 5;
    if (code >= known)
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

static bool scattered(const struct input *in, struct sonde_gen_message *m, unsigned simd,
                      unsigned size, unsigned slot, unsigned elements)
{
    m->simd = (uint8_t)wide(in, simd);
    m->element_size = (uint8_t)size;
    m->element_slot = (uint8_t)slot;
    m->elements = (uint16_t)elements;
    m->address_registers = registers(in, m, m->address_size);
    return true;
}

static bool untyped(const struct input *in, struct sonde_gen_message *m)
{
    uint32_t descriptor = in->descriptor;
    static const uint8_t simd[] = {2, 16, 8, 0}; /* 2: SIMD4x2 */
    uint32_t mask = ~descriptor_bits(descriptor, 11, 8) & 0xf;
    unsigned channels = simd[descriptor_bits(descriptor, 13, 12)];
    if (channels == 0 || mask == 0)
        return false;
    m->component_mask = (uint8_t)mask;
    return scattered(in, m, channels, 4, 4, (unsigned)__builtin_popcount(mask));
}

static bool integer_atomic(const struct input *in, struct sonde_gen_message *m)
{
    uint32_t descriptor = in->descriptor;
    m->atomic = (uint8_t)descriptor_bits(descriptor, 11, 8);
    bool a64 = m->address_model == SONDE_GEN_ADDRESS_A64;
    bool bit12 = descriptor_bits(descriptor, 12, 12) != 0;
    unsigned size = a64 && bit12 ? 8 : 4;
    if (!a64 && m->atomic == 0) /* the 64-bit compare and exchange of the 32-bit message */
        size = 8;
    return scattered(in, m, a64 || bit12 ? 8 : 16, size, size, 1);
}

static bool float_atomic(const struct input *in, struct sonde_gen_message *m)
{
    uint32_t descriptor = in->descriptor;
    m->atomic = (uint8_t)descriptor_bits(descriptor, 10, 8);
    m->atomic_float = true;
    if (m->atomic == 0)
        return false;
    bool a64 = m->address_model == SONDE_GEN_ADDRESS_A64;
    bool bit12 = descriptor_bits(descriptor, 12, 12) != 0;
    unsigned size = m->atomic >= 6 ? 8 : 4;
    return scattered(in, m, a64 != bit12 ? 8 : 16, size, size, 1);
}

static unsigned header_registers(const struct sonde_gen_message *m)
{
    return m->header ? 1 : 0;
}

/* Registers that the coordinates of a typed message take: what the header and
 * the data leave. The compiler may break the payload in two anywhere. */
static bool typed_addresses(struct sonde_gen_message *m, unsigned data)
{
    unsigned taken = header_registers(m) + data;
    unsigned given = (unsigned)m->payload_registers + m->src1_registers;
    if (taken > given)
        return false;
    m->address_registers = (uint8_t)(given - taken);
    return m->address_registers >= 1 && m->address_registers <= 4;
}

static bool typed(const struct input *in, struct sonde_gen_message *m)
{
    uint32_t descriptor = in->descriptor;
    uint32_t mask = ~descriptor_bits(descriptor, 11, 8) & 0xf;
    uint32_t group = descriptor_bits(descriptor, 13, 12);
    if (group == 0 || group == 3 || mask == 0)
        return false;
    m->simd = (uint8_t)wide(in, 8);
    m->channel_first = group == 2 ? 8 : 0;
    m->component_mask = (uint8_t)mask;
    m->element_size = m->element_slot = 4;
    m->elements = (uint16_t)__builtin_popcount(mask);
    return typed_addresses(m, m->operation == SONDE_GEN_MESSAGE_TYPED_WRITE ? m->elements : 0);
}

static bool typed_atomic(const struct input *in, struct sonde_gen_message *m)
{
    uint32_t descriptor = in->descriptor;
    m->atomic = (uint8_t)descriptor_bits(descriptor, 11, 8);
    m->simd = (uint8_t)wide(in, 8);
    m->channel_first = descriptor_bits(descriptor, 12, 12) != 0 ? 8 : 0;
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

static bool media(const struct input *in, struct sonde_gen_message *m)
{
    unsigned data = m->operation == SONDE_GEN_MESSAGE_MEDIA_READ
                        ? m->response_registers
                        : m->payload_registers + m->src1_registers - header_registers(m);
    m->simd = 1;
    m->element_size = m->element_slot = 1;
    m->elements = (uint16_t)(data * sonde_gen_platform_grf_size(in->platform));
    return m->header;
}

static bool fence(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->simd = 1;
    m->fence_commit = descriptor_bits(descriptor, 13, 13) != 0;
    m->address_model = m->bti == BTI_SLM ? SONDE_GEN_ADDRESS_SLM : SONDE_GEN_ADDRESS_STATELESS;
    return true;
}

static bool a64_scattered(const struct input *in, struct sonde_gen_message *m)
{
    uint32_t descriptor = in->descriptor;
    unsigned simd = descriptor_bits(descriptor, 12, 12) != 0 ? 16 : 8;
    unsigned count = 1u << descriptor_bits(descriptor, 11, 10);
    switch (descriptor_bits(descriptor, 9, 8)) {
    case 0:
        return count <= 4 && scattered(in, m, simd, count, 4, 1);
    case 1:
        return scattered(in, m, simd, 4, 4, count);
    case 2:
        return scattered(in, m, simd, 8, 8, count);
    default:
        return false;
    }
}

static bool a64_block(const struct input *in, struct sonde_gen_message *m)
{
    uint32_t descriptor = in->descriptor;
    switch (descriptor_bits(descriptor, 12, 11)) {
    case 0:
        m->layout = SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED;
        return oword_block(in, m);
    case 1:
        m->layout = SONDE_GEN_LAYOUT_OWORD_BLOCK;
        return oword_block(in, m);
    case 3:
        m->layout = SONDE_GEN_LAYOUT_HWORD_BLOCK;
        return hword_block(m, descriptor_bits(descriptor, 10, 8));
    default:
        return false;
    }
}

static bool decode_shape(const struct input *in, struct sonde_gen_message *m, enum shape shape)
{
    uint32_t descriptor = in->descriptor;
    unsigned simd = descriptor_bits(descriptor, 8, 8) != 0 ? 16 : 8;
    unsigned count = 1u << descriptor_bits(descriptor, 11, 10);
    switch (shape) {
    case SHAPE_OWORD_BLOCK:
        return oword_block(in, m);
    case SHAPE_HWORD_BLOCK:
        return hword_block(m, descriptor_bits(descriptor, 10, 8));
    case SHAPE_DWORDS:
        return scattered(in, m, simd, 4, 4, count);
    case SHAPE_QWORDS:
        return scattered(in, m, simd, 8, 8, count);
    case SHAPE_BYTES:
        return count <= 4 && scattered(in, m, simd, count, 4, 1);
    case SHAPE_UNTYPED:
        return untyped(in, m);
    case SHAPE_INTEGER_ATOMIC:
        return integer_atomic(in, m);
    case SHAPE_FLOAT_ATOMIC:
        return float_atomic(in, m);
    case SHAPE_TYPED:
        return typed(in, m);
    case SHAPE_TYPED_ATOMIC:
        return typed_atomic(in, m);
    case SHAPE_MEDIA:
        return media(in, m);
    case SHAPE_FENCE:
        return fence(m, descriptor);
    case SHAPE_A64_SCATTERED:
        return a64_scattered(in, m);
    case SHAPE_A64_BLOCK:
        return a64_block(in, m);
    }
    return false;
}

/* dc0 with bit 18: the scratch space of the thread, addressed by the message
 * itself. */
static bool scratch_block(struct sonde_gen_message *m, uint32_t descriptor)
{
    m->operation =
        descriptor_bits(descriptor, 17, 17) != 0 ? SONDE_GEN_MESSAGE_WRITE : SONDE_GEN_MESSAGE_READ;
    m->layout = SONDE_GEN_LAYOUT_SCRATCH_BLOCK;
    m->address_model = SONDE_GEN_ADDRESS_SCRATCH;
    m->scratch_offset = descriptor_bits(descriptor, 11, 0) * 32;
    return hword_block(m, descriptor_bits(descriptor, 13, 12));
}

static bool data_port(const struct input *in, struct sonde_gen_message *m)
{
    if (in->sfid == SONDE_GEN_SFID_DC0 && descriptor_bits(in->descriptor, 18, 18) != 0)
        return scratch_block(m, in->descriptor);
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const struct row *row = &rows[n];
        if (row->sfid != in->sfid || row->type != descriptor_bits(in->descriptor, 18, 14))
            continue;
        m->operation = row->operation;
        m->layout = row->layout;
        m->address_shift = row->address_shift;
        address_model(m, in->descriptor, row->a64);
        return decode_shape(in, m, (enum shape)row->shape);
    }
    return false;
}

#define SAMPLER_CACHE_FLUSH 0x1fu

static bool sampler(const struct input *in, struct sonde_gen_message *m)
{
    uint32_t descriptor = in->descriptor;
    static const uint8_t simd[] = {0, 8, 16, 32};
    m->sample_type = (uint8_t)descriptor_bits(descriptor, 16, 12);
    if (m->sample_type == SAMPLER_CACHE_FLUSH) {
        m->operation = SONDE_GEN_MESSAGE_CACHE_FLUSH;
        m->simd = 1;
        return true;
    }
    m->simd = (uint8_t)wide(in, simd[descriptor_bits(descriptor, 18, 17)]);
    if (m->simd == 0 || m->simd > 32)
        return false;
    m->operation = SONDE_GEN_MESSAGE_SAMPLE;
    m->address_size = 4;
    m->bti = (uint8_t)descriptor_bits(descriptor, 7, 0);
    m->address_model = SONDE_GEN_ADDRESS_SURFACE;
    m->sampler = (uint8_t)descriptor_bits(descriptor, 11, 8);
    m->half_return = descriptor_bits(descriptor, 30, 30) != 0;
    m->element_size = m->element_slot = m->half_return ? 2 : 4;
    /* Components come in whole registers, as many as the response holds. */
    unsigned a_component = registers(in, m, m->element_size);
    unsigned components = m->response_registers / a_component;
    m->elements = (uint16_t)(components > 4 ? 4 : components);
    m->component_mask = (uint8_t)((1u << m->elements) - 1);
    m->address_registers = (uint8_t)(m->payload_registers + m->src1_registers);
    if (m->address_registers > 0 && m->header)
        m->address_registers--;
    return true;
}

static bool gateway(const struct input *in, struct sonde_gen_message *m)
{
    enum { END_OF_THREAD = 0, SIGNAL = 1, MONITOR, UNMONITOR, BARRIER, WAIT = 6 };
    m->gateway_function = (uint8_t)descriptor_bits(in->descriptor, 2, 0);
    m->simd = 1;
    switch (m->gateway_function) {
    case END_OF_THREAD:
        m->operation = SONDE_GEN_MESSAGE_END_OF_THREAD;
        return in->end_of_thread && in->platform >= SONDE_GEN_PLATFORM_XEHPG;
    case BARRIER:
        m->operation = SONDE_GEN_MESSAGE_BARRIER;
        return true;
    case SIGNAL:
    case MONITOR:
    case UNMONITOR:
    case WAIT:
        m->operation = SONDE_GEN_MESSAGE_GATEWAY;
        return true;
    default:
        return false;
    }
}

static bool spawner(const struct input *in, struct sonde_gen_message *m)
{
    m->operation = SONDE_GEN_MESSAGE_END_OF_THREAD;
    m->simd = 1;
    return in->platform < SONDE_GEN_PLATFORM_XEHPG && in->end_of_thread &&
           descriptor_bits(in->descriptor, 2, 0) == 0;
}

static bool is_load_store_cache(enum sonde_gen_platform platform, uint8_t sfid)
{
    return platform >= SONDE_GEN_PLATFORM_XEHPG && sfid >= SONDE_GEN_SFID_TGM &&
           sfid <= SONDE_GEN_SFID_UGM;
}

/* Not only the spawner: any message may carry the end-of-thread bit, and then
 * is the last one whatever it does. */
static bool decode(const struct input *in, struct sonde_gen_message *m)
{
    if (is_load_store_cache(in->platform, in->sfid))
        return message_cache_decode(m, in->sfid, in->descriptor, in->ex_descriptor,
                                    in->bindless_in_register);
    switch (in->sfid) {
    case SONDE_GEN_SFID_SAMPLER:
        return sampler(in, m);
    case SONDE_GEN_SFID_GATEWAY:
        return gateway(in, m);
    case SONDE_GEN_SFID_SPAWNER:
        return spawner(in, m);
    case SONDE_GEN_SFID_DC0:
    case SONDE_GEN_SFID_DC1:
    case SONDE_GEN_SFID_DC2:
    case SONDE_GEN_SFID_CONSTANT:
        return data_port(in, m);
    default:
        return false;
    }
}

static struct sonde_gen_message lengths(const struct input *in, uint8_t src1_registers)
{
    bool cache = is_load_store_cache(in->platform, in->sfid);
    return (struct sonde_gen_message){
        .header = !cache && descriptor_bits(in->descriptor, 19, 19) != 0,
        .returns_data = descriptor_bits(in->descriptor, 24, 20) != 0,
        .payload_registers = (uint8_t)descriptor_bits(in->descriptor, 28, 25),
        .response_registers = (uint8_t)descriptor_bits(in->descriptor, 24, 20),
        .src1_registers = src1_registers,
    };
}

static enum sonde_status decode_input(const struct input *in, uint8_t src1_registers,
                                      struct sonde_gen_message *message, struct sonde_error *error)
{
    *message = lengths(in, src1_registers);
    if (decode(in, message))
        return SONDE_OK;
    *message = lengths(in, src1_registers);
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                           "shared function %u of %s has no known message 0x%08x", in->sfid,
                           sonde_gen_platform_name(in->platform), in->descriptor);
}

/* Layout B and C have one bit more, for payloads of up to 31 registers. */
static uint8_t second_length(enum sonde_gen_platform platform, uint32_t ex_descriptor)
{
    return (uint8_t)descriptor_bits(ex_descriptor, platform >= SONDE_GEN_PLATFORM_XE ? 10 : 9, 6);
}

enum sonde_status sonde_gen_message_decode_descriptor(enum sonde_gen_platform platform,
                                                      uint8_t sfid, uint32_t descriptor,
                                                      uint32_t ex_descriptor, bool end_of_thread,
                                                      struct sonde_gen_message *message,
                                                      struct sonde_error *error)
{
    struct input in = {platform, sfid, descriptor, ex_descriptor, end_of_thread, false};
    return decode_input(&in, second_length(platform, ex_descriptor), message, error);
}

/* A load-store cache message is as wide as its instruction, but not narrower
 * than a register of dwords. */
static void take_width(const struct sonde_gen_instruction *send, struct sonde_gen_message *message)
{
    enum sonde_gen_platform platform = (enum sonde_gen_platform)send->platform;
    uint8_t narrowest = (uint8_t)(sonde_gen_platform_grf_size(platform) / 4);
    if (message->load_store_cache && message->simd == 0)
        message->simd = send->exec_size > narrowest ? send->exec_size : narrowest;
}

enum sonde_status sonde_gen_message_decode_values(const struct sonde_gen_instruction *send,
                                                  uint32_t descriptor, uint32_t ex_descriptor,
                                                  struct sonde_gen_message *message,
                                                  struct sonde_error *error)
{
    const struct sonde_gen_send *fields = &send->send;
    struct input in = {(enum sonde_gen_platform)send->platform,
                       fields->sfid,
                       descriptor,
                       ex_descriptor,
                       fields->end_of_thread,
                       fields->ex_bso};
    uint8_t src1_registers = fields->src1_length;
    if (fields->ex_descriptor_is_register && !fields->ex_bso)
        src1_registers = second_length(in.platform, ex_descriptor);
    enum sonde_status status = decode_input(&in, src1_registers, message, error);
    if (status == SONDE_OK)
        take_width(send, message);
    else if (error != NULL)
        error->offset = send->offset;
    return status;
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
    const struct sonde_gen_send *fields = &send->send;
    struct input in = {.platform = (enum sonde_gen_platform)send->platform, .sfid = fields->sfid};
    if (!fields->descriptor_is_register)
        in.descriptor = fields->descriptor;
    bool unknown = fields->descriptor_is_register || fields->ex_descriptor_is_register;
    /* Only the surface of such a message is in the register. */
    bool known_but_surface = !fields->descriptor_is_register && fields->ex_bso &&
                             is_load_store_cache(in.platform, in.sfid);
    if (unknown && !known_but_surface) {
        *message = lengths(&in, fields->src1_length);
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, send->offset,
                               "the message at byte %u has its descriptor in a register",
                               send->offset);
    }
    return sonde_gen_message_decode_values(send, fields->descriptor,
                                           unknown ? 0 : fields->ex_descriptor, message, error);
}
