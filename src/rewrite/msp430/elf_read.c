/* The ELF file of a firmware: sections, symbols and kept relocations. Nothing
 * in it is trusted. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "rewrite/msp430/firmware.h"

enum {
    HEADER_SIZE = 52,
    SECTION_SIZE = 40,
    SEGMENT_SIZE = 32,
    SYMBOL_SIZE = 16,
    RELA_SIZE = 12,
    MACHINE_MSP430 = 105,
    TYPE_EXECUTABLE = 2,
    SEGMENT_LOAD = 1,
};

static enum sonde_status damaged(struct firmware *firmware, uint64_t offset, const char *what)
{
    return sonde_error_set(firmware->error, SONDE_ERROR_FORMAT, offset,
                           "the ELF file is damaged: %s", what);
}

static bool is_inside(const struct firmware *firmware, uint32_t offset, uint64_t size)
{
    return offset <= firmware->size && size <= firmware->size - offset;
}

/* A string of a table section; "" for a bad offset. */
static const char *string_at(const struct firmware *firmware, uint32_t section, uint32_t offset)
{
    if (section >= firmware->section_count || firmware->sections[section].type != ELF_STRTAB ||
        offset >= firmware->sections[section].size)
        return "";
    const struct elf_section *table = &firmware->sections[section];
    const char *text = (const char *)firmware->data + table->offset + offset;
    return memchr(text, 0, table->size - offset) != NULL ? text : "";
}

static enum sonde_status read_sections(struct firmware *firmware)
{
    const uint8_t *header = firmware->data;
    uint32_t at = base_load32(header + 32), count = base_load16(header + 48);
    if (base_load16(header + 46) != SECTION_SIZE || !is_inside(firmware, at, (uint64_t)count * 40))
        return damaged(firmware, 32, "its section table");
    firmware->sections = calloc(count + 1u, sizeof *firmware->sections);
    if (firmware->sections == NULL)
        return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    firmware->section_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = firmware->data + at + i * SECTION_SIZE;
        struct elf_section *section = &firmware->sections[i];
        *section = (struct elf_section){.type = base_load32(row + 4),
                                        .flags = base_load32(row + 8),
                                        .address = base_load32(row + 12),
                                        .offset = base_load32(row + 16),
                                        .size = base_load32(row + 20),
                                        .link = base_load32(row + 24),
                                        .info = base_load32(row + 28),
                                        .alignment = base_load32(row + 32),
                                        .entry_size = base_load32(row + 36)};
        section->load_address = section->address;
        section->new_size = section->size;
        if (section->type != ELF_NOBITS && section->type != 0 &&
            !is_inside(firmware, section->offset, section->size))
            return damaged(firmware, at + i * SECTION_SIZE, "a section ends behind the file");
        if ((section->flags & ELF_ALLOC) &&
            (section->address > 0xfffff || section->size > 0x100000 - section->address))
            return damaged(firmware, at + i * SECTION_SIZE, "a section ends behind the memory");
    }
    for (uint32_t i = 0; i < count; i++)
        firmware->sections[i].name = string_at(firmware, base_load16(header + 50),
                                               base_load32(firmware->data + at + i * SECTION_SIZE));
    return SONDE_OK;
}

/* Where start-up code takes a section's bytes from. */
static enum sonde_status read_segments(struct firmware *firmware)
{
    const uint8_t *header = firmware->data;
    uint32_t at = base_load32(header + 28), count = base_load16(header + 44);
    if (count > 0 &&
        (base_load16(header + 42) != SEGMENT_SIZE || !is_inside(firmware, at, count * 32ull)))
        return damaged(firmware, 28, "its segment table");
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = firmware->data + at + i * SEGMENT_SIZE;
        uint32_t offset = base_load32(row + 4), address = base_load32(row + 8);
        uint32_t load = base_load32(row + 12), size = base_load32(row + 16);
        if (base_load32(row) != SEGMENT_LOAD)
            continue;
        for (size_t k = 0; k < firmware->section_count; k++) {
            struct elf_section *section = &firmware->sections[k];
            if ((section->flags & ELF_ALLOC) && section->type != ELF_NOBITS && section->size > 0 &&
                section->offset >= offset && section->offset - offset < size &&
                section->address - address == section->offset - offset)
                section->load_address = load + (section->offset - offset);
        }
    }
    return SONDE_OK;
}

static enum sonde_status read_symbols(struct firmware *firmware)
{
    firmware->symbol_section = FIRMWARE_NONE;
    for (uint32_t i = 0; i < firmware->section_count; i++) {
        if (firmware->sections[i].type == ELF_SYMTAB)
            firmware->symbol_section = i;
    }
    if (firmware->symbol_section == FIRMWARE_NONE)
        return sonde_error_set(firmware->error, SONDE_ERROR_UNSUPPORTED, 0,
                               "the file has no symbols, which say where functions are; link it "
                               "without --strip-all");
    const struct elf_section *table = &firmware->sections[firmware->symbol_section];
    firmware->symbol_count = table->size / SYMBOL_SIZE;
    firmware->symbols = calloc(firmware->symbol_count + 1, sizeof *firmware->symbols);
    if (firmware->symbols == NULL)
        return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < firmware->symbol_count; i++) {
        const uint8_t *row = firmware->data + table->offset + i * SYMBOL_SIZE;
        firmware->symbols[i] =
            (struct elf_symbol){.name = string_at(firmware, table->link, base_load32(row)),
                                .value = base_load32(row + 4),
                                .size = base_load32(row + 8),
                                .info = row[12],
                                .other = row[13],
                                .section = base_load16(row + 14)};
        struct elf_symbol *symbol = &firmware->symbols[i];
        if (symbol->section < SECTION_RESERVED && symbol->section >= firmware->section_count)
            return damaged(firmware, table->offset + i * SYMBOL_SIZE, "a symbol's section");
        if ((symbol->info & 15) == SYMBOL_FUNCTION && symbol->section != 0 &&
            symbol->section < SECTION_RESERVED &&
            (firmware->sections[symbol->section].flags & (ELF_ALLOC | ELF_EXECUTE)) ==
                (ELF_ALLOC | ELF_EXECUTE) &&
            firmware->sections[symbol->section].type == ELF_PROGBITS)
            firmware->sections[symbol->section].is_code = true;
    }
    return SONDE_OK;
}

static int compare_relocations(const void *a, const void *b)
{
    const struct elf_relocation *x = a, *y = b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static enum sonde_status read_relocations(struct firmware *firmware,
                                          const struct elf_section *table)
{
    if (table->info >= firmware->section_count)
        return damaged(firmware, table->offset, "relocations of a section that is not there");
    const struct elf_section *section = &firmware->sections[table->info];
    if (!(section->flags & ELF_ALLOC))
        return SONDE_OK;
    firmware->keeps_relocations = true;
    for (uint32_t i = 0; i < table->size / RELA_SIZE; i++) {
        const uint8_t *row = firmware->data + table->offset + i * RELA_SIZE;
        uint32_t address = base_load32(row), info = base_load32(row + 4);
        if (address < section->address || address - section->address >= section->size ||
            info >> 8 >= firmware->symbol_count)
            return damaged(firmware, table->offset + i * RELA_SIZE, "a relocation");
        if (base_array_reserve((void **)&firmware->relocations, &firmware->relocation_capacity,
                               firmware->relocation_count + 1,
                               sizeof *firmware->relocations) != SONDE_OK)
            return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
        firmware->relocations[firmware->relocation_count++] = (struct elf_relocation){
            .section = table->info,
            .address = address,
            .type = info & 0xff,
            .symbol = info >> 8,
            .target = firmware->symbols[info >> 8].value + base_load32(row + 8)};
    }
    return SONDE_OK;
}

enum sonde_status firmware_elf_read(struct firmware *firmware)
{
    const uint8_t *data = firmware->data;
    if (firmware->size < HEADER_SIZE || memcmp(data, "\177ELF\1\1\1", 7) != 0 ||
        base_load16(data + 18) != MACHINE_MSP430)
        return sonde_error_set(firmware->error, SONDE_ERROR_FORMAT, 0,
                               "not an ELF file for the MSP430");
    if (base_load16(data + 16) != TYPE_EXECUTABLE)
        return sonde_error_set(firmware->error, SONDE_ERROR_UNSUPPORTED, 0,
                               "the ELF file is not linked; link it first, with --emit-relocs");
    memcpy(firmware->identity, data, sizeof firmware->identity);
    firmware->entry = base_load32(data + 24);
    firmware->flags = base_load32(data + 36);
    enum sonde_status status = read_sections(firmware);
    if (status == SONDE_OK)
        status = read_segments(firmware);
    if (status == SONDE_OK)
        status = read_symbols(firmware);
    for (size_t i = 0; i < firmware->section_count && status == SONDE_OK; i++) {
        if (firmware->sections[i].type == ELF_RELA)
            status = read_relocations(firmware, &firmware->sections[i]);
        if (strcmp(firmware->sections[i].name, SONDE_MSP430_NOTE_SECTION) == 0)
            status = sonde_error_set(firmware->error, SONDE_ERROR_UNSUPPORTED, 0,
                                     "the file is marked already");
    }
    if (status == SONDE_OK && firmware->relocation_count > 1)
        qsort(firmware->relocations, firmware->relocation_count, sizeof *firmware->relocations,
              compare_relocations);
    return status;
}

uint16_t firmware_word(const struct firmware *firmware, const struct elf_section *section,
                       uint32_t address)
{
    return base_load16(firmware->data + section->offset + (address - section->address));
}

const struct elf_section *firmware_code_section(const struct firmware *firmware, uint32_t address)
{
    for (size_t i = 0; i < firmware->section_count; i++) {
        const struct elf_section *section = &firmware->sections[i];
        if (section->is_code && address - section->address < section->size)
            return section;
    }
    return NULL;
}

const struct elf_relocation *firmware_relocation_at(const struct firmware *firmware,
                                                    uint32_t section, uint32_t address)
{
    struct elf_relocation key = {.section = section, .address = address};
    if (firmware->relocation_count == 0)
        return NULL;
    return bsearch(&key, firmware->relocations, firmware->relocation_count, sizeof key,
                   compare_relocations);
}

/* FNV-1a over address and contents of each loaded section. */
uint64_t firmware_image_hash(const struct firmware *firmware)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < firmware->section_count; i++) {
        const struct elf_section *section = &firmware->sections[i];
        if (!(section->flags & ELF_ALLOC) || section->type == ELF_NOBITS)
            continue;
        for (unsigned k = 0; k < 4; k++)
            hash = (hash ^ (section->address >> 8 * k & 0xff)) * 0x100000001b3u;
        for (uint32_t k = 0; k < section->size; k++)
            hash = (hash ^ firmware->data[section->offset + k]) * 0x100000001b3u;
    }
    return hash;
}
