/* Programs into memory: ELF and Intel HEX. */
#include <libelf.h>
#include <gelf.h>
#include <string.h>

#include "emu/msp430/internal.h"

static bool fits(const struct sonde_msp430_sim *sim, uint64_t address, uint64_t size)
{
    if (address > MSP430_MEMORY_SIZE || size > MSP430_MEMORY_SIZE - address)
        return false;
    for (uint64_t at = address; at < address + size; at++) {
        if (!(sim->pages[at >> MSP430_PAGE_BITS] & MSP430_PAGE_READ))
            return false;
    }
    return true;
}

static enum sonde_status misfit(const struct sonde_msp430_sim *sim, uint64_t address, uint64_t size,
                                struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_RANGE, address,
                           "0x%llx bytes at 0x%llx are outside of the memory of %s; was the "
                           "program linked for another device?",
                           (unsigned long long)size, (unsigned long long)address,
                           sim->device->name);
}

static enum sonde_status load_segments(struct sonde_msp430_sim *sim, Elf *elf, const uint8_t *data,
                                       size_t size, struct sonde_error *error)
{
    size_t count, loaded = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) == NULL)
            break;
        if (segment.p_type != PT_LOAD || segment.p_filesz == 0)
            continue;
        if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
            return sonde_error_set(error, SONDE_ERROR_TRUNCATED, segment.p_offset,
                                   "segment %zu of the ELF ends behind the file", i);
        if (!fits(sim, segment.p_paddr, segment.p_filesz))
            return misfit(sim, segment.p_paddr, segment.p_filesz, error);
        sonde_msp430_sim_write(sim, (uint32_t)segment.p_paddr, data + segment.p_offset,
                               segment.p_filesz);
        loaded++;
    }
    if (loaded == 0)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                               "the ELF has nothing to load; is it an object that was not linked?");
    return SONDE_OK;
}

/* The end of the program's data bounds the stack. */
static bool add_symbol(struct sonde_msp430_sim *sim, const char *name, const GElf_Sym *symbol)
{
    uint32_t address = (uint32_t)symbol->st_value & (MSP430_MEMORY_SIZE - 1);
    if (strcmp(name, "_end") == 0 || strcmp(name, "end") == 0)
        sim->stack_limit = address;
    return msp430_symbols_add(sim, name, address, (uint32_t)symbol->st_size,
                              GELF_ST_TYPE(symbol->st_info) == STT_FUNC);
}

static enum sonde_status load_note(struct sonde_msp430_sim *sim, Elf *elf, size_t names,
                                   struct sonde_error *error)
{
    Elf_Scn *section = NULL;
    sim->is_marked = false;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_NOTE)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (name != NULL && strcmp(name, SONDE_MSP430_NOTE_SECTION) == 0 &&
            (data = elf_rawdata(section, NULL)) != NULL && data->d_buf != NULL)
            return msp430_note_read(sim, data->d_buf, data->d_size, error);
    }
    return SONDE_OK;
}

static bool load_symbols(struct sonde_msp430_sim *sim, Elf *elf)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB ||
            (data = elf_getdata(section, NULL)) == NULL)
            continue;
        GElf_Sym symbol;
        for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            unsigned type = GELF_ST_TYPE(symbol.st_info);
            if (name != NULL && *name != '\0' && symbol.st_shndx != SHN_UNDEF && type != STT_FILE &&
                type != STT_SECTION && !add_symbol(sim, name, &symbol))
                return false;
        }
    }
    return true;
}

static enum sonde_status load_elf(struct sonde_msp430_sim *sim, const void *data, size_t size,
                                  struct sonde_error *error)
{
    elf_version(EV_CURRENT);
    /* libelf does not write to an image that it only reads. */
    char *image = (char *)(uintptr_t)data;
    Elf *elf = elf_memory(image, size);
    GElf_Ehdr header;
    if (elf == NULL || gelf_getehdr(elf, &header) == NULL || gelf_getclass(elf) != ELFCLASS32 ||
        header.e_machine != EM_MSP430) {
        if (elf != NULL)
            elf_end(elf);
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0, "not an ELF file for the MSP430");
    }
    enum sonde_status status = load_segments(sim, elf, data, size, error);
    msp430_symbols_clear(sim);
    sim->stack_limit = 0;
    if (status == SONDE_OK)
        status = load_note(sim, elf, header.e_shstrndx, error);
    if (status == SONDE_OK && !load_symbols(sim, elf))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    elf_end(elf);
    return status;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct hex_reader {
    const uint8_t *text;
    size_t size, position;
    unsigned line;
    uint32_t base;
    bool ended;
};

/* A record's bytes (length, address, type, data, checksum), 0 when malformed. */
static size_t read_record(struct hex_reader *reader, uint8_t record[260])
{
    size_t count = 0, expected = 5;
    unsigned sum = 0;
    while (count < expected && reader->position + 2 <= reader->size) {
        int high = hex_digit(reader->text[reader->position]);
        int low = hex_digit(reader->text[reader->position + 1]);
        if (high < 0 || low < 0)
            return 0;
        reader->position += 2;
        record[count] = (uint8_t)(high << 4 | low);
        if (count == 0)
            expected = 5u + record[0];
        sum += record[count++];
    }
    return count == expected && (sum & 0xff) == 0 ? count : 0;
}

static enum sonde_status apply_record(struct sonde_msp430_sim *sim, struct hex_reader *reader,
                                      const uint8_t *record, struct sonde_error *error)
{
    uint32_t address = (uint32_t)record[1] << 8 | record[2];
    uint32_t word = (uint32_t)record[4] << 8 | record[5];
    switch (record[3]) {
    case 0:
        address += reader->base;
        if (!fits(sim, address, record[0]))
            return misfit(sim, address, record[0], error);
        sonde_msp430_sim_write(sim, address, record + 4, record[0]);
        return SONDE_OK;
    case 1:
        reader->ended = true;
        return SONDE_OK;
    case 2:
    case 4:
        if (record[0] != 2)
            break;
        reader->base = record[3] == 2 ? word << 4 : word << 16;
        return SONDE_OK;
    case 3:
    case 5: /* start addresses: the reset vector says it here */
        return SONDE_OK;
    default:
        break;
    }
    return sonde_error_set(error, SONDE_ERROR_FORMAT, reader->position,
                           "line %u: Intel HEX record of unknown type 0x%02x", reader->line,
                           record[3]);
}

static enum sonde_status load_hex(struct sonde_msp430_sim *sim, const uint8_t *data, size_t size,
                                  struct sonde_error *error)
{
    struct hex_reader reader = {.text = data, .size = size, .line = 1};
    while (!reader.ended && reader.position < size) {
        uint8_t c = data[reader.position++];
        if (c == '\n')
            reader.line++;
        if (c == '\n' || c == '\r' || c == ' ' || c == '\t')
            continue;
        uint8_t record[260] = {0};
        if (c != ':' || read_record(&reader, record) == 0)
            return sonde_error_set(error, SONDE_ERROR_FORMAT, reader.position,
                                   "line %u: not a record of Intel HEX, or its checksum is wrong",
                                   reader.line);
        enum sonde_status status = apply_record(sim, &reader, record, error);
        if (status != SONDE_OK)
            return status;
    }
    if (!reader.ended)
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, size,
                               "Intel HEX without its end record");
    return SONDE_OK;
}

enum sonde_status sonde_msp430_sim_load(struct sonde_msp430_sim *sim, const void *data, size_t size,
                                        struct sonde_error *error)
{
    if (size >= 4 && memcmp(data, "\177ELF", 4) == 0)
        return load_elf(sim, data, size, error);
    if (size > 0 && *(const uint8_t *)data == ':')
        return load_hex(sim, data, size, error);
    return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                           "neither an ELF file nor Intel HEX; link the program to ELF");
}
