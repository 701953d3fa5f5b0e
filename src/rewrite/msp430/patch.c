/* New contents: the code at its new addresses, and all addresses of code. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "rewrite/msp430/firmware.h"

enum { BRANCH = 0x4030, JUMP = 0x3c00 };

struct emitter {
    struct firmware *firmware;
    struct elf_section *section; /* of the function's old place */
    uint8_t *moved;              /* contents of the free memory, from gap_start */
    uint32_t at;
};

static void emit(struct emitter *emitter, uint32_t word, bool is_moved)
{
    uint8_t *to = is_moved ? emitter->moved + (emitter->at - emitter->firmware->gap_start)
                           : emitter->section->bytes + (emitter->at - emitter->section->address);
    base_store16(to, (uint16_t)word);
    emitter->at += 2;
}

static uint32_t short_jump(uint32_t word, int64_t distance)
{
    return (word & 0xfc00) | ((uint32_t)(distance / 2) & 0x3ff);
}

static void emit_widened(struct emitter *emitter, const struct firmware_instruction *in,
                         uint32_t target, bool is_moved)
{
    bool marks = in->exits && in->is_conditional;
    unsigned condition = in->words[0] >> 10 & 7;
    int64_t over = marks ? 6 : 4; /* bytes of the branch and its marker */
    if (in->is_conditional && condition == 4) {
        emit(emitter, short_jump(in->words[0], 2), is_moved);
        emit(emitter, short_jump(JUMP, over), is_moved);
    } else if (in->is_conditional) {
        /* Conditions come in pairs; the last bit tells the two apart. */
        unsigned inverse = condition < 4 ? condition ^ 1 : condition == 5 ? 6 : 5;
        emit(emitter, short_jump(0x2000 | inverse << 10, over), is_moved);
    }
    if (marks)
        emit(emitter, emitter->firmware->markers.exit, is_moved);
    emit(emitter, BRANCH, is_moved);
    emit(emitter, target, is_moved);
}

/* Operands relative to PC keep what they refer to. */
static enum sonde_status relocate(struct firmware *firmware, const struct firmware_instruction *in,
                                  uint16_t words[4])
{
    struct sonde_msp430_instruction decoded;
    size_t count;
    enum sonde_status status = sonde_msp430_decode(firmware->options->core, in->address, in->words,
                                                   in->size / 2u, &decoded, firmware->error);
    if (status != SONDE_OK || (decoded.src.mode != SONDE_MSP430_MODE_SYMBOLIC &&
                               decoded.dst.mode != SONDE_MSP430_MODE_SYMBOLIC))
        return status;
    decoded.address = in->new_address;
    status = sonde_msp430_encode(firmware->options->core, &decoded, words, &count, firmware->error);
    if (status == SONDE_OK && 2 * count != in->size)
        return firmware_refuse(firmware, in->address, "its operand no longer reaches its target");
    return status;
}

static enum sonde_status emit_instruction(struct emitter *emitter,
                                          const struct firmware_instruction *in, bool is_moved)
{
    struct firmware *firmware = emitter->firmware;
    if (in->enters)
        emit(emitter, firmware->markers.enter, is_moved);
    if (in->exits && !in->is_conditional)
        emit(emitter, firmware->markers.exit, is_moved);
    uint16_t words[4];
    memcpy(words, in->words, sizeof words);
    if (in->is_jump && !in->is_padding) {
        uint32_t target = firmware_new_address(firmware, in->target, !in->is_loop);
        if (in->is_widened)
            emit_widened(emitter, in, target, is_moved);
        else
            emit(emitter, short_jump(words[0], (int64_t)target - (int64_t)in->new_address - 2),
                 is_moved);
        return SONDE_OK;
    }
    enum sonde_status status = in->is_padding ? SONDE_OK : relocate(firmware, in, words);
    if (in->code_operand != 0) {
        bool loops = in->is_loop && in->target == in->code_target;
        words[in->code_operand] = (uint16_t)firmware_new_address(firmware, in->code_target, !loops);
    }
    for (unsigned i = 0; i < in->size / 2u; i++)
        emit(emitter, words[i], is_moved);
    return status;
}

static enum sonde_status patch_code(struct firmware *firmware, uint8_t *moved)
{
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < firmware->function_count && status == SONDE_OK; i++) {
        const struct firmware_function *function = &firmware->functions[i];
        if (function->count == 0)
            continue;
        const struct firmware_instruction *first = &firmware->instructions[function->first];
        struct emitter emitter = {.firmware = firmware,
                                  .section = &firmware->sections[function->section],
                                  .moved = moved,
                                  .at = firmware_new_address(firmware, first->address, true)};
        for (uint32_t k = 0; k < function->count && status == SONDE_OK; k++)
            status = emit_instruction(&emitter, &first[k], function->is_moved);
    }
    return status;
}

static enum sonde_status patch_word(struct firmware *firmware, struct elf_section *section,
                                    uint32_t address, uint32_t target, unsigned bytes)
{
    uint32_t value = firmware_new_address(firmware, target, true);
    if (value == FIRMWARE_NONE || address - section->address + bytes > section->size)
        return firmware_refuse(firmware, address, "refers to 0x%04x, where no instruction begins",
                               target);
    uint8_t *at = section->bytes + (address - section->address);
    if (bytes == 2)
        base_store16(at, (uint16_t)value);
    else
        base_store32(at, value);
    return SONDE_OK;
}

static enum sonde_status patch_relocations(struct firmware *firmware)
{
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < firmware->relocation_count && status == SONDE_OK; i++) {
        const struct elf_relocation *relocation = &firmware->relocations[i];
        struct elf_section *section = &firmware->sections[relocation->section];
        const struct elf_symbol *symbol = &firmware->symbols[relocation->symbol];
        if (section->is_code || symbol->section >= SECTION_RESERVED ||
            !firmware->sections[symbol->section].is_code)
            continue;
        if (relocation->type != RELOCATION_16 && relocation->type != RELOCATION_16_BYTE &&
            relocation->type != RELOCATION_32)
            return firmware_refuse(firmware, relocation->address,
                                   "refers to code by a relocation of type %u, which is not "
                                   "handled",
                                   relocation->type);
        status = patch_word(firmware, section, relocation->address, relocation->target & 0xffff,
                            relocation->type == RELOCATION_32 ? 4 : 2);
    }
    return status;
}

/* Linker scripts may write vectors without a relocation; what a vector is, the
 * hardware says. */
static enum sonde_status patch_vectors(struct firmware *firmware)
{
    bool wide = firmware->options->core == SONDE_MSP430_CORE_CPUX;
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < firmware->section_count; i++) {
        struct elf_section *section = &firmware->sections[i];
        if (section->bytes == NULL || section->is_code)
            continue;
        for (uint32_t address = wide ? 0xff80 : 0xffc0; address <= 0xfffe && status == SONDE_OK;
             address += 2) {
            if (address - section->address >= section->size ||
                section->size - (address - section->address) < 2 ||
                firmware_relocation_at(firmware, (uint32_t)i, address) != NULL)
                continue;
            uint32_t target = firmware_word(firmware, section, address);
            if (firmware_code_section(firmware, target) != NULL)
                status = patch_word(firmware, section, address, target, 2);
        }
    }
    return status;
}

enum sonde_status firmware_patch(struct firmware *firmware, uint8_t **moved)
{
    *moved = calloc(1, firmware->gap_used - firmware->gap_start + 1u);
    if (*moved == NULL)
        return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < firmware->section_count; i++) {
        struct elf_section *section = &firmware->sections[i];
        if (!(section->flags & ELF_ALLOC) || section->type == ELF_NOBITS || section->size == 0)
            continue;
        section->bytes = malloc(section->size);
        if (section->bytes == NULL)
            return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
        memcpy(section->bytes, firmware->data + section->offset, section->size);
        if (section->is_code) {
            firmware->result->code_before += section->size;
            firmware->result->code_after += section->new_size;
        }
    }
    firmware->result->code_after += firmware->gap_used - firmware->gap_start;
    enum sonde_status status = patch_code(firmware, *moved);
    if (status == SONDE_OK)
        status = patch_relocations(firmware);
    return status == SONDE_OK ? patch_vectors(firmware) : status;
}
