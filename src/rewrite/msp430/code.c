/* Functions and instructions of a linked firmware. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "rewrite/msp430/firmware.h"

static int compare_functions(const void *a, const void *b)
{
    const struct firmware_function *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool is_excluded(const struct firmware *firmware, const char *name)
{
    for (size_t i = 0; i < firmware->options->exclude_count; i++) {
        if (strcmp(firmware->options->exclude[i], name) == 0)
            return true;
    }
    return false;
}

static enum sonde_status collect_functions(struct firmware *firmware)
{
    for (size_t i = 0; i < firmware->symbol_count; i++) {
        const struct elf_symbol *symbol = &firmware->symbols[i];
        if ((symbol->info & 15) != SYMBOL_FUNCTION || symbol->section >= SECTION_RESERVED ||
            !firmware->sections[symbol->section].is_code)
            continue;
        const struct elf_section *section = &firmware->sections[symbol->section];
        if (symbol->value - section->address >= section->size)
            continue; /* a label at the section's end */
        if (symbol->value & 1)
            return firmware_refuse(firmware, symbol->value, "function %.60s is at an odd address",
                                   symbol->name);
        if (base_array_reserve((void **)&firmware->functions, &firmware->function_capacity,
                               firmware->function_count + 1,
                               sizeof *firmware->functions) != SONDE_OK)
            return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
        firmware->functions[firmware->function_count++] =
            (struct firmware_function){.name = symbol->name,
                                       .address = symbol->value,
                                       .section = symbol->section,
                                       .excluded = is_excluded(firmware, symbol->name)};
    }
    if (firmware->function_count == 0)
        return sonde_error_set(firmware->error, SONDE_ERROR_UNSUPPORTED, 0,
                               "the file has no function symbols (STT_FUNC)");
    qsort(firmware->functions, firmware->function_count, sizeof *firmware->functions,
          compare_functions);
    return SONDE_OK;
}

/* Names of one address become one function; each ends where the next begins. */
static void bound_functions(struct firmware *firmware)
{
    size_t kept = 0;
    for (size_t i = 0; i < firmware->function_count; i++) {
        struct firmware_function *function = &firmware->functions[i];
        if (kept > 0 && firmware->functions[kept - 1].address == function->address) {
            firmware->functions[kept - 1].excluded |= function->excluded;
            continue;
        }
        firmware->functions[kept++] = *function;
    }
    firmware->function_count = kept;
    for (size_t i = 0; i < kept; i++) {
        struct firmware_function *function = &firmware->functions[i];
        const struct elf_section *section = &firmware->sections[function->section];
        function->end = section->address + section->size;
        if (i + 1 < kept && firmware->functions[i + 1].address < function->end)
            function->end = firmware->functions[i + 1].address;
    }
}

/* Whether the words from `address` on to the function's end are what linkers
 * fill gaps with. */
static bool is_filling(const struct firmware *firmware, const struct firmware_function *function,
                       uint32_t address)
{
    const struct elf_section *section = &firmware->sections[function->section];
    for (; address + 2 <= function->end; address += 2) {
        uint16_t word = firmware_word(firmware, section, address);
        if (word != 0 && word != 0xffff)
            return false;
    }
    return true;
}

static enum sonde_status add_instruction(struct firmware *firmware, uint32_t function,
                                         uint32_t address, const uint16_t words[4], unsigned size)
{
    if (base_array_reserve((void **)&firmware->instructions, &firmware->instruction_capacity,
                           firmware->instruction_count + 1,
                           sizeof *firmware->instructions) != SONDE_OK)
        return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct firmware_instruction *instruction =
        &firmware->instructions[firmware->instruction_count++];
    *instruction = (struct firmware_instruction){.address = address,
                                                 .function = function,
                                                 .target = FIRMWARE_NONE,
                                                 .falls_through = true,
                                                 .size = (uint8_t)size,
                                                 .new_size = (uint8_t)size};
    memcpy(instruction->words, words, sizeof instruction->words);
    firmware->functions[function].count++;
    return SONDE_OK;
}

static enum sonde_status decode_one(struct firmware *firmware, uint32_t index, uint32_t address,
                                    bool after_end, uint32_t *size)
{
    const struct firmware_function *function = &firmware->functions[index];
    const struct elf_section *section = &firmware->sections[function->section];
    uint16_t words[4] = {0};
    size_t count = 0;
    for (; count < 4 && address + 2 * count + 2 <= function->end; count++)
        words[count] = firmware_word(firmware, section, address + 2 * (uint32_t)count);
    const struct elf_relocation *relocation =
        firmware_relocation_at(firmware, function->section, address);
    if (firmware->strict && relocation != NULL && relocation->type != RELOCATION_10_PCREL)
        return firmware_refuse(firmware, address,
                               "an address (relocation type %u) stands where an instruction "
                               "begins: data in the code",
                               relocation->type);
    struct sonde_msp430_instruction decoded;
    bool filling = after_end && is_filling(firmware, function, address);
    enum sonde_status status = SONDE_OK;
    if (!filling)
        status =
            sonde_msp430_decode(firmware->options->core, address, words, count, &decoded, NULL);
    if (filling || status != SONDE_OK || decoded.opcode == SONDE_MSP430_ILLEGAL) {
        if (!filling && firmware->strict)
            return firmware_refuse(firmware, address,
                                   "0x%04x is no instruction of this core: data in the code, or "
                                   "code of another core (see --core)",
                                   words[0]);
        *size = 2;
        status = add_instruction(firmware, index, address, words, 2);
        if (status == SONDE_OK)
            firmware->instructions[firmware->instruction_count - 1].is_padding = true;
        if (status == SONDE_OK)
            firmware->instructions[firmware->instruction_count - 1].falls_through = false;
        return status;
    }
    *size = decoded.size;
    status = add_instruction(firmware, index, address, words, decoded.size);
    if (status != SONDE_OK)
        return status;
    return firmware_operand_read(firmware, &firmware->instructions[firmware->instruction_count - 1],
                                 &decoded);
}

static enum sonde_status decode_function(struct firmware *firmware, uint32_t index)
{
    struct firmware_function *function = &firmware->functions[index];
    function->first = (uint32_t)firmware->instruction_count;
    bool after_end = false;
    uint32_t size = 0;
    for (uint32_t address = function->address; address + 2 <= function->end; address += size) {
        enum sonde_status status = decode_one(firmware, index, address, after_end, &size);
        if (status != SONDE_OK)
            return status;
        const struct firmware_instruction *last =
            &firmware->instructions[firmware->instruction_count - 1];
        after_end = last->is_padding || !last->falls_through;
    }
    return SONDE_OK;
}

enum sonde_status firmware_code_find(struct firmware *firmware)
{
    enum sonde_status status = collect_functions(firmware);
    if (status != SONDE_OK)
        return status;
    bound_functions(firmware);
    for (uint32_t i = 0; i < firmware->function_count && status == SONDE_OK; i++)
        status = decode_function(firmware, i);
    firmware->result->function_count = firmware->function_count;
    return status;
}

struct firmware_instruction *firmware_instruction_at(const struct firmware *firmware,
                                                     uint32_t address)
{
    size_t low = 0, high = firmware->instruction_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (firmware->instructions[middle].address == address)
            return &firmware->instructions[middle];
        if (firmware->instructions[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

uint32_t firmware_function_at(const struct firmware *firmware, uint32_t address)
{
    for (uint32_t i = 0; i < firmware->function_count; i++) {
        const struct firmware_function *function = &firmware->functions[i];
        if (address >= function->address && address < function->end)
            return i;
    }
    return FIRMWARE_NONE;
}
