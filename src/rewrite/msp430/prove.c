/* What has to hold so that code may move. */
#include <stdlib.h>
#include <string.h>

#include "rewrite/msp430/firmware.h"

static enum sonde_status check_sections(struct firmware *firmware)
{
    for (size_t i = 0; i < firmware->section_count; i++) {
        const struct elf_section *section = &firmware->sections[i];
        if (!section->is_code)
            continue;
        if (section->load_address != section->address)
            return firmware_refuse(firmware, section->address,
                                   "section %.40s is copied to 0x%04x before it runs; code that "
                                   "start-up code moves is not handled",
                                   section->name, section->address);
        if ((section->address | section->size) & 1)
            return firmware_refuse(firmware, section->address,
                                   "section %.40s begins or ends at an odd address", section->name);
        uint32_t first = FIRMWARE_NONE;
        for (size_t k = 0; k < firmware->function_count; k++) {
            if (firmware->functions[k].section == i && firmware->functions[k].address < first)
                first = firmware->functions[k].address;
        }
        if (first != section->address)
            return firmware_refuse(firmware, section->address,
                                   "what begins here belongs to no function symbol; give the label "
                                   "a .type NAME,@function");
    }
    return SONDE_OK;
}

static enum sonde_status check_symbols(struct firmware *firmware)
{
    for (size_t i = 0; i < firmware->symbol_count; i++) {
        const struct elf_symbol *symbol = &firmware->symbols[i];
        if (symbol->section < SECTION_RESERVED && firmware->sections[symbol->section].is_code &&
            (symbol->info & 15) == SYMBOL_OBJECT)
            return firmware_refuse(firmware, symbol->value,
                                   "%.60s is data in the code; move it to .rodata", symbol->name);
    }
    return SONDE_OK;
}

/* Relocations among the code stand at operands and jumps. */
static enum sonde_status check_relocations(struct firmware *firmware)
{
    size_t at = 0;
    for (size_t i = 0; i < firmware->relocation_count; i++) {
        const struct elf_relocation *relocation = &firmware->relocations[i];
        if (!firmware->sections[relocation->section].is_code)
            continue;
        while (at < firmware->instruction_count &&
               firmware->instructions[at].address + firmware->instructions[at].size <=
                   relocation->address)
            at++;
        if (at == firmware->instruction_count ||
            firmware->instructions[at].address > relocation->address)
            at = 0; /* sections need not be in the order of their addresses */
        while (at < firmware->instruction_count &&
               firmware->instructions[at].address + firmware->instructions[at].size <=
                   relocation->address)
            at++;
        const struct firmware_instruction *instruction = &firmware->instructions[at];
        uint32_t offset =
            at < firmware->instruction_count ? relocation->address - instruction->address : 0;
        bool right = at < firmware->instruction_count && !instruction->is_padding &&
                     (offset & 1) == 0 &&
                     (instruction->is_jump ? offset == 0 && relocation->type == RELOCATION_10_PCREL
                                           : offset >= 2);
        if (!right)
            return firmware_refuse(firmware, relocation->address,
                                   "an address (relocation type %u) stands where an instruction "
                                   "begins: data in the code",
                                   relocation->type);
    }
    return SONDE_OK;
}

struct worklist {
    uint32_t *addresses;
    size_t count;
};

static enum sonde_status reach(struct firmware *firmware, struct worklist *work, uint32_t address,
                               uint32_t from)
{
    struct firmware_instruction *instruction = firmware_instruction_at(firmware, address);
    if (instruction == NULL || instruction->is_padding)
        return firmware_refuse(firmware, from,
                               "refers to 0x%04x, where no instruction begins: data in the code",
                               address);
    if (!instruction->is_reached) {
        instruction->is_reached = true;
        work->addresses[work->count++] = address;
    }
    return SONDE_OK;
}

static enum sonde_status follow(struct firmware *firmware, struct worklist *work)
{
    enum sonde_status status = SONDE_OK;
    while (work->count > 0 && status == SONDE_OK) {
        uint32_t address = work->addresses[--work->count];
        const struct firmware_instruction *in = firmware_instruction_at(firmware, address);
        if (in->falls_through && firmware_code_section(firmware, address + in->size) == NULL)
            return firmware_refuse(firmware, address, "runs on behind the end of the code");
        if (in->falls_through)
            status = reach(firmware, work, address + in->size, address);
        if (status == SONDE_OK && in->code_operand != 0)
            status = reach(firmware, work, in->code_target, address);
        if (status == SONDE_OK && in->target != FIRMWARE_NONE &&
            firmware_code_section(firmware, in->target) != NULL)
            status = reach(firmware, work, in->target, address);
        else if (status == SONDE_OK && in->is_jump)
            status =
                firmware_refuse(firmware, address, "jumps to 0x%04x, out of the code", in->target);
    }
    return status;
}

static bool is_code_reference(const struct firmware *firmware,
                              const struct elf_relocation *relocation)
{
    const struct elf_symbol *symbol = &firmware->symbols[relocation->symbol];
    return symbol->section < SECTION_RESERVED && firmware->sections[symbol->section].is_code;
}

static enum sonde_status reach_all(struct firmware *firmware, struct worklist *work)
{
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < firmware->function_count && status == SONDE_OK; i++)
        status =
            reach(firmware, work, firmware->functions[i].address, firmware->functions[i].address);
    for (size_t i = 0; i < firmware->relocation_count && status == SONDE_OK; i++) {
        const struct elf_relocation *relocation = &firmware->relocations[i];
        if (!firmware->sections[relocation->section].is_code &&
            is_code_reference(firmware, relocation))
            status = reach(firmware, work, relocation->target & 0xffff, relocation->address);
    }
    return status == SONDE_OK ? follow(firmware, work) : status;
}

/* Assemblers align code with instructions that do nothing. */
static bool is_alignment(const struct firmware_instruction *in)
{
    return in->size == 2 && (in->words[0] == 0x4303 || in->words[0] == 0x4343);
}

enum sonde_status firmware_prove(struct firmware *firmware)
{
    enum sonde_status status = check_sections(firmware);
    if (status == SONDE_OK)
        status = check_symbols(firmware);
    if (status == SONDE_OK)
        status = check_relocations(firmware);
    struct worklist work = {malloc((firmware->instruction_count + 1) * sizeof(uint32_t)), 0};
    if (status == SONDE_OK && work.addresses == NULL)
        status = sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (status == SONDE_OK)
        status = reach_all(firmware, &work);
    free(work.addresses);
    for (size_t i = 0; i < firmware->instruction_count && status == SONDE_OK; i++) {
        struct firmware_instruction *in = &firmware->instructions[i];
        if (!in->is_reached && is_alignment(in)) {
            in->is_padding = true;
            in->falls_through = false;
        }
        if (!in->is_reached && !in->is_padding)
            status = firmware_refuse(firmware, in->address,
                                     "nothing leads here: it may be data in the code");
    }
    return status;
}
