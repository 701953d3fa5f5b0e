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
static uint32_t active(const struct analyze_visit *visit, uint32_t index,
                       const struct sonde_gen_instruction *instruction)
{
    uint32_t window = bits(instruction->exec_size);
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        if (item->point.kind == SONDE_RECORD_MASK && item->point.instruction == index)
            return base_load32(data) >> instruction->channel_offset & window;
    }
    if (instruction->no_mask)
        return window;
    return visit->enabled >> instruction->channel_offset & window;
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

static void read_channels(const struct sonde_gen_message *message, const uint8_t *payload,
                          size_t size, struct analyze_access *access)
{
    bool wide = message->address_model == SONDE_GEN_ADDRESS_A64;
    uint32_t left = access->mask;
    access->mask = 0;
    for (; left != 0; left &= left - 1) {
        unsigned c = (unsigned)__builtin_ctz(left);
        size_t at = (size_t)c * (wide ? 8 : 4);
        if (at + (wide ? 8 : 4) > size)
            break;
        uint64_t address = wide ? base_load64(payload + at)
                                : (uint64_t)base_load32(payload + at) << message->address_shift;
        if (message->address_model == SONDE_GEN_ADDRESS_SLM)
            address &= SLM_MASK;
        access->address[c] = address;
        access->mask |= 1u << c;
    }
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
}

bool analyze_access_read(const struct analyze_code *code, const struct analyze_visit *visit,
                         uint32_t index, struct analyze_access *access)
{
    const uint8_t *data;
    const struct sonde_record_item *item = analyze_visit_item(visit, index, &data);
    if (item->point.kind != SONDE_RECORD_ADDRESSES || item->point.instruction >= code->count)
        return false;
    const struct sonde_gen_instruction *instruction = &code->instructions[item->point.instruction];
    const struct analyze_message *message = &code->messages[item->point.instruction];
    if (!message->is_access)
        return false;
    access->instruction = item->point.instruction;
    access->message = &message->message;
    access->width = message->width;
    access->mask = active(visit, item->point.instruction, instruction);
    if (message->is_block) {
        /* One address for all: it is used when any channel acts. */
        access->mask = access->mask != 0;
        access->address[0] = item->size >= 16 ? read_block(access->message, data) : 0;
        return item->size >= 16;
    }
    size_t header = access->message->header ? REGISTER : 0;
    if (header > item->size)
        return false;
    read_channels(access->message, data + header, item->size - header, access);
    return true;
}
