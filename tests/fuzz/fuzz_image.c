/* Any bytes as a device binary: kernels that can be read in full, or an error. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_parse(data, size, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        if (error.message[0] == '\0')
            abort();
        return 0;
    }
    for (size_t i = 0; i < sonde_image_kernel_count(image); i++) {
        const struct sonde_kernel_info *info = &sonde_image_kernel(image, i)->info;
        sink += (uint32_t)strlen(info->name);
        for (size_t j = 0; j < info->isa_size; j++)
            sink += info->isa[j];
        for (size_t j = 0; j < info->free_range_count; j++)
            sink += info->free_ranges[j].size;
        read_arguments(sonde_image_kernel(image, i));
        read_lines(sonde_image_kernel(image, i));
    }
    sonde_image_close(image);
    return 0;
}
