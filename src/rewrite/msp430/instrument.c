/* Marking a linked firmware, and the side table of one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "rewrite/msp430/firmware.h"

#define TABLE_TITLE "sonde msp430 side table 1"

static const char *const place_names[] = {
    [SONDE_MSP430_PLACE_ENTER] = "enter",
    [SONDE_MSP430_PLACE_EXIT] = "exit",
    [SONDE_MSP430_PLACE_LOOP] = "loop",
};

enum sonde_status firmware_remark(struct firmware *firmware, enum sonde_msp430_remark_kind kind,
                                  const char *format, ...)
{
    struct sonde_msp430_instrument_result *result = firmware->result;
    if (base_array_reserve((void **)&result->remarks, &result->remark_capacity,
                           result->remark_count + 1, sizeof *result->remarks) != SONDE_OK)
        return sonde_error_set(firmware->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct sonde_msp430_remark *remark = &result->remarks[result->remark_count++];
    remark->kind = kind;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(remark->text, sizeof remark->text, format, arguments);
    va_end(arguments);
    return SONDE_OK;
}

enum sonde_status firmware_refuse(struct firmware *firmware, uint32_t address, const char *format,
                                  ...)
{
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t index = firmware_function_at(firmware, address);
    if (index == FIRMWARE_NONE)
        return sonde_error_set(firmware->error, SONDE_ERROR_UNSUPPORTED, address, "0x%04x: %s",
                               address, text);
    const struct firmware_function *function = &firmware->functions[index];
    return sonde_error_set(firmware->error, SONDE_ERROR_UNSUPPORTED, address,
                           "0x%04x <%.60s+0x%x>: %s", address, function->name,
                           address - function->address, text);
}

static void clear_firmware(struct firmware *firmware)
{
    for (size_t i = 0; i < firmware->section_count && firmware->sections != NULL; i++)
        free(firmware->sections[i].bytes);
    free(firmware->sections);
    free(firmware->symbols);
    free(firmware->relocations);
    free(firmware->functions);
    free(firmware->instructions);
}

static enum sonde_status open_firmware(struct firmware *firmware)
{
    enum sonde_msp430_core core = firmware->options->core;
    memset(firmware->result, 0, sizeof *firmware->result);
    firmware->markers = firmware->options->markers;
    if (firmware->markers.enter == 0 && firmware->markers.exit == 0)
        firmware->markers = sonde_msp430_default_markers(core);
    enum sonde_status status = sonde_msp430_markers_check(core, firmware->markers, firmware->error);
    if (status == SONDE_OK)
        status = firmware_elf_read(firmware);
    if (status == SONDE_OK && firmware->strict && !firmware->keeps_relocations)
        status = sonde_error_set(firmware->error, SONDE_ERROR_UNSUPPORTED, 0,
                                 "the file keeps no relocations, so that addresses of code cannot "
                                 "be told from numbers; link it with --emit-relocs (-q), or make a "
                                 "side table, which moves nothing");
    if (status == SONDE_OK)
        status = firmware_code_find(firmware);
    if (status == SONDE_OK && firmware->strict)
        status = firmware_prove(firmware);
    if (status == SONDE_OK)
        status = firmware_places_choose(firmware);
    return status;
}

enum sonde_status sonde_msp430_instrument(const void *data, size_t size,
                                          const struct sonde_msp430_instrument_options *options,
                                          struct sonde_msp430_instrument_result *result,
                                          struct sonde_error *error)
{
    struct firmware firmware = {.data = data,
                                .size = size,
                                .options = options,
                                .result = result,
                                .error = error,
                                .strict = true};
    uint8_t *moved = NULL;
    enum sonde_status status = open_firmware(&firmware);
    if (status == SONDE_OK)
        status = firmware_layout(&firmware);
    if (status == SONDE_OK)
        status = firmware_patch(&firmware, &moved);
    if (status == SONDE_OK)
        status = firmware_elf_write(&firmware, moved);
    free(moved);
    clear_firmware(&firmware);
    if (status != SONDE_OK)
        sonde_msp430_instrument_clear(result);
    return status;
}

static void print_place(FILE *out, const struct firmware *firmware,
                        const struct firmware_instruction *in, enum sonde_msp430_place_kind kind)
{
    fprintf(out, "%s 0x%05x ", place_names[kind], in->address);
    for (const char *c = firmware->functions[in->function].name; *c != '\0'; c++)
        fputc((unsigned char)*c < ' ' ? '?' : *c, out);
    fputc('\n', out);
}

enum sonde_status sonde_msp430_side_table(const void *data, size_t size,
                                          const struct sonde_msp430_instrument_options *options,
                                          struct sonde_msp430_instrument_result *result,
                                          struct sonde_error *error)
{
    struct firmware firmware = {
        .data = data, .size = size, .options = options, .result = result, .error = error};
    char *text = NULL;
    size_t text_size = 0;
    enum sonde_status status = open_firmware(&firmware);
    FILE *out = status == SONDE_OK ? open_memstream(&text, &text_size) : NULL;
    if (out != NULL) {
        fprintf(out, TABLE_TITLE "\nimage %016llx\n",
                (unsigned long long)firmware_image_hash(&firmware));
        for (size_t i = 0; i < firmware.instruction_count; i++) {
            const struct firmware_instruction *in = &firmware.instructions[i];
            if (in->enters)
                print_place(out, &firmware, in, SONDE_MSP430_PLACE_ENTER);
            if (in->exits)
                print_place(out, &firmware, in, SONDE_MSP430_PLACE_EXIT);
            if (in->is_loop && in->target == firmware.functions[in->function].address)
                print_place(out, &firmware, in, SONDE_MSP430_PLACE_LOOP);
        }
    }
    if (status == SONDE_OK && (out == NULL || fclose(out) != 0))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    result->data = (uint8_t *)text;
    result->size = text_size;
    clear_firmware(&firmware);
    if (status != SONDE_OK)
        sonde_msp430_instrument_clear(result);
    return status;
}

void sonde_msp430_instrument_clear(struct sonde_msp430_instrument_result *result)
{
    free(result->data);
    free(result->remarks);
    memset(result, 0, sizeof *result);
}

/* --- reading a side table ----------------------------------------------------- */

struct table_reader {
    const char *text;
    size_t size, position;
    unsigned line;
    struct sonde_error *error;
};

/* The next line, NUL-terminated, into text[]; false at the end. */
static bool next_line(struct table_reader *reader, char text[256])
{
    if (reader->position >= reader->size)
        return false;
    const char *start = reader->text + reader->position;
    size_t left = reader->size - reader->position;
    const char *end = memchr(start, '\n', left);
    size_t length = end == NULL ? left : (size_t)(end - start);
    reader->position += length + (end != NULL);
    reader->line++;
    size_t kept = length < 255 ? length : 255;
    memcpy(text, start, kept);
    text[kept] = '\0';
    return true;
}

static enum sonde_status bad_line(const struct table_reader *reader, const char *what)
{
    return sonde_error_set(reader->error, SONDE_ERROR_FORMAT, reader->position,
                           "line %u of the side table: %s", reader->line, what);
}

static enum sonde_status read_place(const struct table_reader *reader, const char *text,
                                    struct sonde_msp430_place *place)
{
    for (size_t i = 0; i < sizeof place_names / sizeof *place_names; i++) {
        size_t length = strlen(place_names[i]);
        if (strncmp(text, place_names[i], length) != 0 || text[length] != ' ')
            continue;
        char *end;
        unsigned long address = strtoul(text + length + 1, &end, 16);
        if (text[length + 1] != '0' || (*end != ' ' && *end != '\0') || address > 0xfffff ||
            (address & 1) != 0)
            break;
        *place = (struct sonde_msp430_place){.kind = (enum sonde_msp430_place_kind)i,
                                             .address = (uint32_t)address};
        return SONDE_OK;
    }
    return bad_line(reader, "not 'enter', 'exit' or 'loop' and an even address");
}

static enum sonde_status read_head(struct table_reader *reader, const void *image,
                                   size_t image_size)
{
    char text[256];
    if (!next_line(reader, text) || strcmp(text, TABLE_TITLE) != 0)
        return bad_line(reader, "not '" TABLE_TITLE "'; is this a side table?");
    if (!next_line(reader, text) || strncmp(text, "image ", 6) != 0)
        return bad_line(reader, "not 'image' and a hash");
    struct firmware firmware = {.data = image, .size = image_size, .error = reader->error};
    enum sonde_status status = firmware_elf_read(&firmware);
    unsigned long long hash = status == SONDE_OK ? firmware_image_hash(&firmware) : 0;
    clear_firmware(&firmware);
    if (status == SONDE_OK && strtoull(text + 6, NULL, 16) != hash)
        return bad_line(reader, "the table belongs to another firmware (or to this one before it "
                                "was linked again)");
    return status;
}

enum sonde_status sonde_msp430_side_table_read(const void *text, size_t size, const void *image,
                                               size_t image_size,
                                               struct sonde_msp430_place **places, size_t *count,
                                               struct sonde_error *error)
{
    struct table_reader reader = {.text = text, .size = size, .error = error};
    size_t capacity = 0;
    char line[256];
    *places = NULL;
    *count = 0;
    enum sonde_status status = read_head(&reader, image, image_size);
    while (status == SONDE_OK && next_line(&reader, line)) {
        if (line[0] == '\0')
            continue;
        status = base_array_reserve((void **)places, &capacity, *count + 1, sizeof **places);
        if (status != SONDE_OK)
            status = sonde_error_set(error, status, 0, "out of memory");
        else
            status = read_place(&reader, line, &(*places)[(*count)++]);
    }
    if (status != SONDE_OK) {
        free(*places);
        *places = NULL;
        *count = 0;
    }
    return status;
}
