/* Prints what sonde_image finds, a line a fact, for test_image_driver.py. */
#include "sonde/image.h"
#include "sonde/source_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const format_name[] = {
    [SONDE_IMAGE_PATCH_TOKENS] = "patch-tokens",
    [SONDE_IMAGE_ZEBIN] = "zebin",
    [SONDE_IMAGE_ARCHIVE] = "archive",
    [SONDE_IMAGE_RAW] = "raw",
};

static const char *const platform_name[] = {
    [SONDE_GEN_PLATFORM_GEN9] = "gen9",   [SONDE_GEN_PLATFORM_GEN11] = "gen11",
    [SONDE_GEN_PLATFORM_XE] = "xe",       [SONDE_GEN_PLATFORM_XEHP] = "xehp",
    [SONDE_GEN_PLATFORM_XEHPG] = "xehpg", [SONDE_GEN_PLATFORM_XEHPC] = "xehpc",
};

static void print_argument(const char *kernel, const struct sonde_image_argument *argument)
{
    printf("argument %s %u kind %u read_only %d bti %d name %s type %s space %s", kernel,
           argument->index, argument->kind, argument->read_only,
           argument->has_surface ? argument->bti : -1,
           argument->name != NULL ? argument->name : "-",
           argument->type_name != NULL ? argument->type_name : "-",
           argument->address_qualifier != NULL ? argument->address_qualifier : "-");
    for (size_t i = 0; i < argument->piece_count; i++)
        printf(" %u+%u@%u", argument->pieces[i].source_offset, argument->pieces[i].size,
               argument->pieces[i].payload_offset);
    printf("\n");
}

static void print_lines(const struct sonde_image_kernel *kernel)
{
    struct sonde_source_lines *lines;
    struct sonde_error error;
    if (kernel->debug_elf == NULL)
        return;
    if (sonde_source_lines_read(kernel->debug_elf, kernel->debug_elf_size, &lines, &error) !=
        SONDE_OK) {
        printf("error %s\n", error.message);
        return;
    }
    for (size_t i = 0; i < sonde_source_lines_count(lines); i++) {
        const struct sonde_source_line *line = sonde_source_lines_at(lines, i);
        printf("line %s %u %u %s\n", kernel->info.name, line->offset, line->line, line->file);
    }
    sonde_source_lines_destroy(lines);
}

static void print_kernel(const struct sonde_image_kernel *kernel)
{
    const struct sonde_kernel_info *info = &kernel->info;
    printf("kernel %s platform %s simd %u grf %u slm %u scratch %u barriers %d stack_calls %d "
           "skip %u target %s hash %016" PRIx64 " prologs %u %u gtpin_scratch %u %u isa ",
           info->name, platform_name[info->platform], info->simd_width, info->grf_count,
           kernel->slm_size, kernel->scratch_per_thread, kernel->has_barriers,
           kernel->has_stack_calls, kernel->skip_per_thread_offset,
           kernel->target != NULL ? kernel->target : "-", info->igc_hash,
           info->per_thread_prolog_size, info->cross_thread_prolog_size, info->scratch_offset,
           info->scratch_size);
    for (size_t i = 0; i < info->isa_size; i++)
        printf("%02x", info->isa[i]);
    printf(" free %d", info->has_free_ranges);
    for (size_t i = 0; i < info->free_range_count; i++)
        printf(" %u+%u", info->free_ranges[i].start, info->free_ranges[i].size);
    printf("\n");
    for (size_t i = 0; i < kernel->argument_count; i++)
        print_argument(kernel->info.name, &kernel->arguments[i]);
    print_lines(kernel);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    enum sonde_gen_platform raw = SONDE_GEN_PLATFORM_COUNT;
    if (argc > 2 && strcmp(argv[2], "raw-gen9") == 0)
        raw = SONDE_GEN_PLATFORM_GEN9;
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_open(argv[1], raw, &image, &error) != SONDE_OK) {
        printf("error %s\n", error.message);
        return 1;
    }
    printf("format %s\n", format_name[sonde_image_format(image)]);
    for (size_t i = 0; i < sonde_image_kernel_count(image); i++)
        print_kernel(sonde_image_kernel(image, i));
    sonde_image_close(image);
    return 0;
}
