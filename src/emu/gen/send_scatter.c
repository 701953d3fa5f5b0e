/* The commonest messages, without the way through the message units: plain
 * memory, one address a channel, everything about the payload known when the
 * program is translated. All accesses are located before the first is made;
 * when one cannot be (outside its surface, not mapped, across pages, a surface
 * not looked up yet) or is to be timed, the message units do the whole message. */
#include <string.h>

#include "emu/gen/lanes.h"
#include "emu/gen/message.h"

static bool is_plain(const struct sonde_gen_instruction *instruction,
                     const struct sonde_gen_message *message)
{
    bool read = message->operation == SONDE_GEN_MESSAGE_READ;
    if ((!read && message->operation != SONDE_GEN_MESSAGE_WRITE) || message->header ||
        message->element_high || instruction->send.end_of_thread)
        return false;
    if (message->simd != 8 && message->simd != 16 && message->simd != 32)
        return false;
    if (instruction->src[0].file != SONDE_GEN_FILE_GRF || instruction->src[0].indirect ||
        instruction->dst.indirect || (read && instruction->dst.file != SONDE_GEN_FILE_GRF))
        return false;
    return message->address_model == SONDE_GEN_ADDRESS_SURFACE ||
           message->address_model == SONDE_GEN_ADDRESS_STATELESS ||
           message->address_model == SONDE_GEN_ADDRESS_A64 ||
           message->address_model == SONDE_GEN_ADDRESS_SLM;
}

/* Size, slot and number of the elements of a channel. */
static bool find_elements(const struct sonde_gen_message *message, struct emu_scatter *scatter)
{
    if (message->layout == SONDE_GEN_LAYOUT_UNTYPED) {
        unsigned mask = message->component_mask & 15u;
        scatter->size = scatter->slot = 4;
        scatter->elements = (uint8_t)__builtin_popcount(mask);
        return mask != 0 && (mask & (mask + 1)) == 0 &&
               (!message->load_store_cache || message->element_size == 4);
    }
    if (message->layout != SONDE_GEN_LAYOUT_SCATTERED || message->elements > 8)
        return false;
    scatter->size = message->element_size;
    scatter->slot = message->element_slot ? message->element_slot : message->element_size;
    if (!message->element_slot && scatter->size < 4)
        scatter->slot = 4;
    scatter->elements = (uint8_t)(message->elements ? message->elements : 1);
    switch (scatter->size << 4 | scatter->slot) {
    case 0x14:
    case 0x24:
    case 0x44:
    case 0x88:
        return true;
    default:
        return false;
    }
}

/* Byte offset of payload register `first`, when `count` from there on lie one
 * behind the other. */
static bool find_payload(const struct sonde_gen_instruction *instruction,
                         const struct sonde_gen_message *message, uint32_t first, uint32_t count,
                         uint32_t register_bytes, uint32_t *offset)
{
    uint32_t split = message->payload_registers, number = instruction->src[0].number + first;
    uint32_t room = split;
    if (first >= split) {
        if (instruction->source_count < 2 || instruction->src[1].file != SONDE_GEN_FILE_GRF ||
            instruction->src[1].indirect)
            return false;
        number = instruction->src[1].number + first - split;
        room += message->src1_registers;
    }
    *offset = number * EMU_GRF_SIZE;
    return first + count <= room && *offset + count * EMU_GRF_SIZE <= register_bytes;
}

static bool translate(struct emu_details *details, uint32_t register_bytes)
{
    const struct sonde_gen_instruction *instruction = &details->instruction;
    const struct sonde_gen_message *message = &details->message;
    struct emu_scatter *scatter = &details->scatter;
    if (!details->message_decoded || !is_plain(instruction, message) ||
        !find_elements(message, scatter))
        return false;
    uint32_t address_size = message_address_size(message);
    uint32_t addresses = message_registers(message->simd, address_size);
    uint32_t registers = message_registers(message->simd, scatter->slot);
    scatter->lanes = message->simd;
    scatter->write = message->operation == SONDE_GEN_MESSAGE_WRITE;
    scatter->wide = address_size == 8;
    scatter->next_element = registers * EMU_GRF_SIZE;
    registers *= scatter->elements;
    if ((address_size != 4 && address_size != 8) ||
        !find_payload(instruction, message, 0, addresses, register_bytes, &scatter->address))
        return false;
    if (scatter->write)
        return find_payload(instruction, message, addresses, registers, register_bytes,
                            &scatter->data);
    scatter->data = instruction->dst.number * EMU_GRF_SIZE;
    return message->response_registers >= registers &&
           scatter->data + message->response_registers * EMU_GRF_SIZE <= register_bytes;
}

emu_run_function *emu_scatter_translate(enum emu_path path, uint32_t register_bytes,
                                        struct emu_details *details)
{
    if (path == EMU_PATH_GENERAL || !translate(details, register_bytes))
        return NULL;
#if defined(__x86_64__) && defined(EMU_LANES_V3)
    if (emu_lanes_are_v3(path))
        return emu_run_scatter_v3;
#endif
    return emu_run_scatter_baseline;
}
