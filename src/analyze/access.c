/* Payloads of memory messages to addresses. */
#include "analyze/records.h"
#include "base/bytes.h"

#define REGISTER      32u /* bytes */
#define SLM_MASK      0x0fffffffu
#define HEADER_OFFSET 8u /* byte: dword 2 of the header of a block message on a surface */

static uint32_t bits(unsigned count)
{
    return count >= 32 ? UINT32_MAX : (1u << count) - 1;
}

/* Channels of the message that acted, bit 0 the first of its payload. */
static inline uint32_t active(const struct analyze_visit *visit, const struct analyze_reading *step,
                              const struct analyze_message *message)
{
    uint32_t mask = visit->enabled;
    if (step->mask_offset != 0)
        mask = base_load32(visit->record + step->mask_offset);
    else if (message->no_mask)
        return message->window;
    return mask >> message->channel_offset & message->window;
}

static bool is_block(const struct sonde_gen_message *message)
{
    return message->layout == SONDE_GEN_LAYOUT_OWORD_BLOCK ||
           message->layout == SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED ||
           message->layout == SONDE_GEN_LAYOUT_HWORD_BLOCK;
}

static uint64_t read_block(const struct sonde_gen_message *message, const uint8_t *header)
{
    uint64_t address = (uint64_t)base_load32(header + HEADER_OFFSET) << message->address_shift;
    if (message->address_model == SONDE_GEN_ADDRESS_A64)
        return base_load64(header);
    return message->address_model == SONDE_GEN_ADDRESS_SLM ? address & SLM_MASK : address;
}

/* --- addresses of channels --- */

typedef uint32_t dwords __attribute__((vector_size(16)));
typedef uint64_t qwords __attribute__((vector_size(16)));

static inline dwords load_dwords(const uint8_t *p)
{
    dwords v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline qwords load_qwords(const uint8_t *p)
{
    qwords v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* All of `count` dwords, 2 at least, are `step` behind the one before. */
static inline bool is_even32(const uint8_t *p, uint32_t count, uint32_t step)
{
    const dwords steps = {step, step, step, step};
    dwords differ = {0};
    if (count < 5) {
        for (uint32_t c = 1; c < count; c++)
            if (base_load32(p + 4 * c) - base_load32(p + 4 * c - 4) != step)
                return false;
        return true;
    }
    for (uint32_t c = 0; c + 5 <= count; c += 4)
        differ |= (load_dwords(p + 4 * c + 4) - load_dwords(p + 4 * c)) ^ steps;
    p += 4 * (count - 5);
    differ |= (load_dwords(p + 4) - load_dwords(p)) ^ steps;
    const qwords folded = (qwords)differ;
    return (folded[0] | folded[1]) == 0;
}

static inline bool is_even64(const uint8_t *p, uint32_t count, uint64_t step)
{
    const qwords steps = {step, step};
    qwords differ = {0};
    for (uint32_t c = 0; c + 3 <= count; c += 2)
        differ |= (load_qwords(p + 8 * c + 8) - load_qwords(p + 8 * c)) ^ steps;
    p += 8 * (count - 2);
    return (differ[0] | differ[1]) == 0 && base_load64(p + 8) - base_load64(p) == step;
}

/* How addresses stand in a payload. */
struct payload {
    const uint8_t *data;
    bool is_wide; /* 64 bits each */
    uint8_t shift;
    uint64_t keep;
};

static inline uint64_t read_address(const struct payload *payload, uint32_t channel)
{
    if (payload->is_wide)
        return base_load64(payload->data + 8 * channel);
    return (uint64_t)base_load32(payload->data + 4 * channel) << payload->shift & payload->keep;
}

/* Whether channels and addresses are even: then the first is read. */
static inline bool find_step(const struct payload *payload, uint32_t width,
                             struct analyze_access *access)
{
    access->even = 0;
    access->step = 0;
    if (access->mask == 0)
        return false;
    uint32_t start = (uint32_t)__builtin_ctz(access->mask), run = access->mask >> start;
    if ((run & (run + 1)) != 0)
        return false;
    uint32_t count = 32 - (uint32_t)__builtin_clz(run);
    uint64_t first = read_address(payload, start);
    uint64_t last = read_address(payload, start + count - 1);
    const uint8_t *data = payload->data + start * (payload->is_wide ? 8 : 4);
    if (count > 1) {
        access->step = (int64_t)(read_address(payload, start + 1) - first);
        if (payload->is_wide ? !is_even64(data, count, (uint64_t)access->step)
                             : !is_even32(data, count, base_load32(data + 4) - base_load32(data)))
            return false;
    }
    /* The dwords may have gone around where the addresses do not. */
    int64_t way;
    if (__builtin_mul_overflow(access->step, (int64_t)count - 1, &way) ||
        last - first != (uint64_t)way || (way < 0 ? last >= first : last < first) ||
        (way < 0 ? first : last) > UINT64_MAX - width)
        return false;
    access->even = count;
    access->address[0] = first;
    return true;
}

/* Those of channels that did not act are read too: it is faster than to ask. */
static void read_channels(const struct analyze_message *message, const uint8_t *data, size_t size,
                          struct analyze_access *access)
{
    uint8_t model = message->message.address_model;
    const struct payload payload = {
        .data = data,
        .is_wide = model == SONDE_GEN_ADDRESS_A64,
        .shift = message->message.address_shift,
        .keep = model == SONDE_GEN_ADDRESS_SLM ? SLM_MASK : UINT64_MAX,
    };
    size_t count = size / (payload.is_wide ? 8 : 4);
    if (count > ANALYZE_CHANNELS)
        count = ANALYZE_CHANNELS;
    access->mask &= bits((unsigned)count);
    if (find_step(&payload, message->width, access))
        return;
    for (uint32_t c = 0; c < count; c++)
        access->address[c] = read_address(&payload, c);
}

/* Bytes at each address. */
static uint32_t width_of(const struct sonde_gen_message *message)
{
    if (message->layout == SONDE_GEN_LAYOUT_UNTYPED)
        return message->operation == SONDE_GEN_MESSAGE_ATOMIC
                   ? (message->element_size != 0 ? message->element_size : 4)
                   : 4u * (uint32_t)__builtin_popcount(message->component_mask);
    return (uint32_t)message->element_size * (message->elements != 0 ? message->elements : 1);
}

void analyze_message_read(const struct sonde_gen_instruction *instruction,
                          struct analyze_message *message)
{
    if (sonde_gen_opcode_format(instruction->opcode) != SONDE_GEN_FORMAT_SEND ||
        sonde_gen_message_decode(instruction, &message->message, NULL) != SONDE_OK)
        return;
    message->is_message = true;
    message->is_block = is_block(&message->message);
    message->is_access = message->is_block ||
                         message->message.layout == SONDE_GEN_LAYOUT_SCATTERED ||
                         message->message.layout == SONDE_GEN_LAYOUT_UNTYPED;
    message->width = width_of(&message->message);
    message->window = bits(instruction->exec_size);
    message->channel_offset = instruction->channel_offset;
    message->no_mask = instruction->no_mask;
}

bool analyze_access_read(const struct analyze_code *code, const struct analyze_visit *visit,
                         uint32_t index, struct analyze_access *access)
{
    uint32_t place = visit->layout->blocks[visit->block].first_item + index;
    const struct analyze_reading *step = &code->steps[place];
    const struct analyze_message *message = step->message;
    if (message == NULL)
        return false;
    const struct sonde_record_item *item = &visit->layout->items[place];
    const uint8_t *data = visit->record + item->offset;
    access->instruction = item->point.instruction;
    access->message = &message->message;
    access->width = message->width;
    access->mask = active(visit, step, message);
    if (message->is_block) {
        /* One address for all: it is used when any channel acts. */
        access->mask = access->mask != 0;
        access->address[0] = item->size >= 16 ? read_block(access->message, data) : 0;
        access->even = access->mask != 0 && access->address[0] <= UINT64_MAX - access->width;
        access->step = 0;
        return item->size >= 16;
    }
    size_t header = access->message->header ? REGISTER : 0;
    if (header > item->size)
        return false;
    read_channels(message, data + header, item->size - header, access);
    return true;
}
