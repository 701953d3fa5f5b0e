/* The marked ELF file: sections and symbols of the old one at their new
 * addresses, a note that says what it is, and neither relocations nor debug
 * information, which are those of the old code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "rewrite/msp430/firmware.h"

enum {
    HEADER_SIZE = 52,
    SECTION_SIZE = 40,
    SEGMENT_SIZE = 32,
    SYMBOL_SIZE = 16,
    NOTE_SIZE = 12 + 8 + 8,
    EXTRA_SECTIONS = 5, /* moved code, note, symbols, two string tables */
};

#define MOVED_NAME ".text.moved"

/* A row of the new section table and its contents. */
struct output {
    const char *name;
    struct elf_section header; /* name unused; `bytes` not owned */
    const uint8_t *contents;
    uint32_t name_offset;
};

struct writer {
    struct firmware *firmware;
    struct output *outputs;
    uint32_t count;
    uint32_t *new_index; /* of old sections; 0 = dropped */
    uint32_t moved_index;
    FILE *file;
    uint32_t position;
};

static void put(struct writer *writer, const void *data, size_t size)
{
    fwrite(data, 1, size, writer->file);
    writer->position += (uint32_t)size;
}

static void put16(struct writer *writer, uint32_t value)
{
    uint8_t bytes[2];
    base_store16(bytes, (uint16_t)value);
    put(writer, bytes, 2);
}

static void put32(struct writer *writer, uint32_t value)
{
    uint8_t bytes[4];
    base_store32(bytes, value);
    put(writer, bytes, 4);
}

static void align(struct writer *writer)
{
    while (writer->position & 3)
        put(writer, "", 1);
}

static bool is_dropped(const struct firmware *firmware, uint32_t index)
{
    const struct elf_section *section = &firmware->sections[index];
    if (section->flags & ELF_ALLOC)
        return false;
    return section->type == 0 || section->type == ELF_RELA || section->type == ELF_REL ||
           section->type == ELF_SYMTAB || section->type == ELF_STRTAB ||
           strncmp(section->name, ".debug", 6) == 0;
}

static struct output *add(struct writer *writer, const char *name, const struct elf_section *header,
                          const uint8_t *contents)
{
    struct output *output = &writer->outputs[writer->count++];
    *output = (struct output){.name = name, .header = *header, .contents = contents};
    return output;
}

static void add_sections(struct writer *writer, const uint8_t *moved)
{
    struct firmware *firmware = writer->firmware;
    for (uint32_t i = 1; i < firmware->section_count; i++) {
        const struct elf_section *section = &firmware->sections[i];
        if (is_dropped(firmware, i))
            continue;
        writer->new_index[i] = writer->count;
        struct output *output =
            add(writer, section->name, section,
                section->bytes != NULL ? section->bytes : firmware->data + section->offset);
        output->header.size = section->is_code ? section->new_size : section->size;
        output->header.link = output->header.info = 0;
    }
    if (firmware->gap_used == firmware->gap_start)
        return;
    writer->moved_index = writer->count;
    struct elf_section header = {.type = ELF_PROGBITS,
                                 .flags = ELF_ALLOC | ELF_EXECUTE,
                                 .address = firmware->gap_start,
                                 .load_address = firmware->gap_start,
                                 .size = firmware->gap_used - firmware->gap_start,
                                 .alignment = 2};
    add(writer, MOVED_NAME, &header, moved);
}

/* See SONDE_MSP430_NOTE_SECTION. */
static void make_note(const struct firmware *firmware, uint8_t note[NOTE_SIZE])
{
    memset(note, 0, NOTE_SIZE);
    base_store32(note, sizeof SONDE_MSP430_NOTE_NAME);
    base_store32(note + 4, 8);
    base_store32(note + 8, SONDE_MSP430_NOTE_TYPE);
    memcpy(note + 12, SONDE_MSP430_NOTE_NAME, sizeof SONDE_MSP430_NOTE_NAME);
    base_store16(note + 20, SONDE_MSP430_NOTE_VERSION);
    base_store16(note + 22, (uint16_t)firmware->options->core);
    base_store16(note + 24, firmware->markers.enter);
    base_store16(note + 26, firmware->markers.exit);
}

/* The end of what was [value, end): behind the last instruction in it. */
static uint32_t new_end(const struct firmware *firmware, uint32_t end)
{
    const struct firmware_instruction *last = NULL;
    for (size_t i = 0; i < firmware->instruction_count; i++) {
        const struct firmware_instruction *in = &firmware->instructions[i];
        if (in->address < end && in->address + in->size >= end)
            last = in;
    }
    return last == NULL ? 0 : last->new_address + last->new_size;
}

static struct elf_symbol move_symbol(const struct writer *writer, const struct elf_symbol *symbol)
{
    const struct firmware *firmware = writer->firmware;
    struct elf_symbol out = *symbol;
    if (symbol->section >= SECTION_RESERVED || symbol->section == 0)
        return out;
    const struct elf_section *section = &firmware->sections[symbol->section];
    out.section = (uint16_t)writer->new_index[symbol->section];
    if (!section->is_code || (symbol->info & 15) == SYMBOL_SECTION)
        return out;
    uint32_t value = firmware_new_address(firmware, symbol->value, true);
    if (value == FIRMWARE_NONE) {
        /* The section's end, which stays where it was, or inside of an
         * instruction, to which nothing refers. */
        return out;
    }
    out.value = value;
    if (symbol->size > 0)
        out.size = new_end(firmware, symbol->value + symbol->size) - value;
    uint32_t function = firmware_function_at(firmware, symbol->value);
    if (function != FIRMWARE_NONE && firmware->functions[function].is_moved)
        out.section = (uint16_t)writer->moved_index;
    return out;
}

static bool keeps_symbol(const struct writer *writer, const struct elf_symbol *symbol)
{
    return symbol->section >= SECTION_RESERVED || symbol->section == 0 ||
           writer->new_index[symbol->section] != 0;
}

/* Symbol and string table; local symbols come first, as they did. */
static bool make_symbols(const struct writer *writer, uint8_t **symbols, uint32_t *symbol_size,
                         char **names, uint32_t *name_size, uint32_t *local_count)
{
    const struct firmware *firmware = writer->firmware;
    size_t room = 1;
    for (size_t i = 0; i < firmware->symbol_count; i++)
        room += strlen(firmware->symbols[i].name) + 1;
    *symbols = calloc(firmware->symbol_count + 1, SYMBOL_SIZE);
    *names = calloc(room, 1);
    if (*symbols == NULL || *names == NULL)
        return false;
    *symbol_size = SYMBOL_SIZE;
    *name_size = *local_count = 1;
    for (size_t i = 1; i < firmware->symbol_count; i++) {
        if (!keeps_symbol(writer, &firmware->symbols[i]))
            continue;
        struct elf_symbol symbol = move_symbol(writer, &firmware->symbols[i]);
        uint8_t *row = *symbols + *symbol_size;
        size_t length = strlen(symbol.name);
        if (length > 0) {
            memcpy(*names + *name_size, symbol.name, length + 1);
            base_store32(row, *name_size);
            *name_size += (uint32_t)length + 1;
        }
        base_store32(row + 4, symbol.value);
        base_store32(row + 8, symbol.size);
        row[12] = symbol.info;
        row[13] = symbol.other;
        base_store16(row + 14, symbol.section);
        *symbol_size += SYMBOL_SIZE;
        if (symbol.info >> 4 == 0)
            *local_count = *symbol_size / SYMBOL_SIZE;
    }
    return true;
}

static uint32_t load_count(const struct writer *writer)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < writer->count; i++) {
        const struct elf_section *header = &writer->outputs[i].header;
        count += (header->flags & ELF_ALLOC) && header->size > 0;
    }
    return count;
}

static void put_segments(struct writer *writer)
{
    for (uint32_t i = 1; i < writer->count; i++) {
        const struct elf_section *header = &writer->outputs[i].header;
        if (!(header->flags & ELF_ALLOC) || header->size == 0)
            continue;
        put32(writer, 1);
        put32(writer, header->offset);
        put32(writer, header->address);
        put32(writer, header->load_address);
        put32(writer, header->type == ELF_NOBITS ? 0 : header->size);
        put32(writer, header->size);
        put32(writer,
              4u | (header->flags & ELF_WRITE ? 2 : 0) | (header->flags & ELF_EXECUTE ? 1 : 0));
        put32(writer, 1);
    }
}

static void put_header(struct writer *writer, uint32_t section_offset)
{
    const struct firmware *firmware = writer->firmware;
    uint32_t entry = firmware_new_address(firmware, firmware->entry, true);
    put(writer, firmware->identity, 16);
    put16(writer, 2);
    put16(writer, 105);
    put32(writer, 1);
    put32(writer, entry == FIRMWARE_NONE ? firmware->entry : entry);
    put32(writer, HEADER_SIZE);
    put32(writer, section_offset);
    put32(writer, firmware->flags);
    put16(writer, HEADER_SIZE);
    put16(writer, SEGMENT_SIZE);
    put16(writer, load_count(writer));
    put16(writer, SECTION_SIZE);
    put16(writer, writer->count);
    put16(writer, writer->count - 1);
}

static void put_section(struct writer *writer, const struct output *output)
{
    const struct elf_section *header = &output->header;
    const uint32_t fields[] = {
        output->name_offset, header->type, header->flags, header->address,   header->offset,
        header->size,        header->link, header->info,  header->alignment, header->entry_size};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        put32(writer, fields[i]);
}

/* Offsets of all sections; returns where the section table begins. */
static uint32_t place_sections(struct writer *writer)
{
    uint32_t at = HEADER_SIZE + load_count(writer) * SEGMENT_SIZE;
    for (uint32_t i = 1; i < writer->count; i++) {
        struct elf_section *header = &writer->outputs[i].header;
        at = (at + 3) & ~3u;
        header->offset = at;
        at += header->type == ELF_NOBITS ? 0 : header->size;
    }
    return (at + 3) & ~3u;
}

static bool name_sections(struct writer *writer, char **names, uint32_t *size)
{
    size_t room = 1 + sizeof ".shstrtab";
    for (uint32_t i = 1; i < writer->count; i++)
        room += strlen(writer->outputs[i].name) + 1;
    *names = calloc(room, 1);
    if (*names == NULL)
        return false;
    *size = 1;
    for (uint32_t i = 1; i <= writer->count; i++) {
        const char *name = i < writer->count ? writer->outputs[i].name : ".shstrtab";
        writer->outputs[i].name_offset = *size;
        size_t length = strlen(name) + 1;
        memcpy(*names + *size, name, length);
        *size += (uint32_t)length;
    }
    return true;
}

static void put_all(struct writer *writer)
{
    uint32_t sections = place_sections(writer);
    put_header(writer, sections);
    put_segments(writer);
    for (uint32_t i = 1; i < writer->count; i++) {
        const struct output *output = &writer->outputs[i];
        align(writer);
        if (output->header.type != ELF_NOBITS)
            put(writer, output->contents, output->header.size);
    }
    align(writer);
    for (uint32_t i = 0; i < writer->count; i++)
        put_section(writer, &writer->outputs[i]);
}

static bool write_file(struct writer *writer, const uint8_t *moved)
{
    uint8_t note[NOTE_SIZE], *symbols = NULL;
    char *names = NULL, *section_names = NULL;
    uint32_t symbol_size = 0, name_size = 0, local_count = 0, section_name_size = 0;
    writer->count = 1;
    add_sections(writer, moved);
    make_note(writer->firmware, note);
    struct elf_section header = {.type = ELF_NOTE, .size = NOTE_SIZE, .alignment = 4};
    add(writer, SONDE_MSP430_NOTE_SECTION, &header, note);
    bool right = make_symbols(writer, &symbols, &symbol_size, &names, &name_size, &local_count);
    if (right) {
        header = (struct elf_section){.type = ELF_SYMTAB,
                                      .size = symbol_size,
                                      .link = writer->count + 1,
                                      .info = local_count,
                                      .alignment = 4,
                                      .entry_size = SYMBOL_SIZE};
        add(writer, ".symtab", &header, symbols);
        header = (struct elf_section){.type = ELF_STRTAB, .size = name_size, .alignment = 1};
        add(writer, ".strtab", &header, (const uint8_t *)names);
        right = name_sections(writer, &section_names, &section_name_size);
    }
    if (right) {
        uint32_t name_offset = writer->outputs[writer->count].name_offset;
        header.size = section_name_size;
        add(writer, ".shstrtab", &header, (const uint8_t *)section_names)->name_offset =
            name_offset;
        put_all(writer);
    }
    free(symbols);
    free(names);
    free(section_names);
    return right;
}

enum sonde_status firmware_elf_write(struct firmware *firmware, const uint8_t *moved)
{
    struct writer writer = {.firmware = firmware};
    char *data = NULL;
    size_t size = 0;
    writer.outputs = calloc(firmware->section_count + EXTRA_SECTIONS + 1, sizeof *writer.outputs);
    writer.new_index = calloc(firmware->section_count + 1, sizeof *writer.new_index);
    writer.file = open_memstream(&data, &size);
    bool right = writer.outputs != NULL && writer.new_index != NULL && writer.file != NULL &&
                 write_file(&writer, moved);
    if (writer.file != NULL && fclose(writer.file) != 0)
        right = false;
    free(writer.outputs);
    free(writer.new_index);
    if (!right) {
        free(data);
        return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    firmware->result->data = (uint8_t *)data;
    firmware->result->size = size;
    for (size_t i = 0; i < firmware->section_count; i++) {
        if (strncmp(firmware->sections[i].name, ".debug", 6) == 0)
            return firmware_remark(firmware, SONDE_MSP430_REMARK_NOTE,
                                   "debug information is left out: it describes the code before "
                                   "it was marked");
    }
    return SONDE_OK;
}
