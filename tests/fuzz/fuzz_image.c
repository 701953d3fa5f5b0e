/* Any bytes as a device binary: kernels that can be read in full, or an error.
 * FUZZ_CONTAINER names one container: its first bytes are put at the start of
 * each input, so that every input reaches its parser. RAW takes the input as
 * instructions of a platform that the first byte names. */
#include "sonde/image.h"
#include "sonde/source_lines.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint32_t sink;

static void read_arguments(const struct sonde_image_kernel *kernel)
{
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct sonde_image_argument *argument = &kernel->arguments[i];
        for (size_t j = 0; j < argument->piece_count; j++)
            sink += argument->pieces[j].payload_offset;
        if (argument->name != NULL)
            sink += (uint32_t)strlen(argument->name);
    }
}

static void read_lines(const struct sonde_image_kernel *kernel)
{
    struct sonde_source_lines *lines;
    if (sonde_source_lines_read(kernel->debug_elf, kernel->debug_elf_size, &lines, NULL) !=
        SONDE_OK)
        return;
    for (size_t i = 0; i < sonde_source_lines_count(lines); i++)
        sink += (uint32_t)strlen(sonde_source_lines_at(lines, i)->file);
    sonde_source_lines_destroy(lines);
}

static void read_kernel(const struct sonde_image_kernel *kernel)
{
    const struct sonde_kernel_info *info = &kernel->info;
    sink += (uint32_t)strlen(info->name);
    for (size_t j = 0; j < info->isa_size; j++)
        sink += info->isa[j];
    for (size_t j = 0; j < info->free_range_count; j++)
        sink += info->free_ranges[j].size;
    read_arguments(kernel);
    read_lines(kernel);
}

static void parse(const uint8_t *data, size_t size, enum sonde_gen_platform raw)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_parse(data, size, raw, &image, &error) == SONDE_OK) {
        for (size_t i = 0; i < sonde_image_kernel_count(image); i++)
            read_kernel(sonde_image_kernel(image, i));
        sonde_image_close(image);
    } else if (error.message[0] == '\0') {
        abort();
    }
}

#ifndef FUZZ_CONTAINER
#define FUZZ_CONTAINER ANY
#endif

enum container { ANY, RAW, PATCH_TOKENS, ELF, ZEBIN, ARCHIVE };

static const struct {
    const char *start;
    size_t size;
} containers[] = {
    [PATCH_TOKENS] = {"CTNI", 4},
    [ELF] = {"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\377", 18},
    [ZEBIN] = {"\177ELF\2\1\1\0\1\0\0\0\0\0\0\0\1\0\315\0", 20},
    [ARCHIVE] = {"!<arch>\n", 8},
};

static void parse_with_start(const uint8_t *data, size_t size, enum container container)
{
    size_t start = containers[container].size;
    uint8_t *copy = malloc(size + start);
    if (copy == NULL)
        return;
    if (size > 0)
        memcpy(copy, data, size);
    memcpy(copy, containers[container].start, start);
    parse(copy, size > start ? size : start, SONDE_GEN_PLATFORM_COUNT);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (FUZZ_CONTAINER == ANY)
        parse(data, size, SONDE_GEN_PLATFORM_COUNT);
    else if (FUZZ_CONTAINER != RAW)
        parse_with_start(data, size, FUZZ_CONTAINER);
    else if (size > 0)
        parse(data + 1, size - 1, (enum sonde_gen_platform)(data[0] % SONDE_GEN_PLATFORM_COUNT));
    return 0;
}
