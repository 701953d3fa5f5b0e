/* Prints what sonde_image finds, a line a fact, for test_image_driver.py. */
#include "sonde/image.h"

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
