/* Registers that our effects say no instruction touches against those that the
 * compiler reports as free, in kernels compiled with its register information
 * asked for. Files on the command line. */
#include "kernel/analysis.h"
#include "sonde/image.h"

#include <stdio.h>

struct tally {
    size_t kernels, indirect;
    size_t theirs, both; /* bytes */
};

static bool is_untouched(const uint64_t *set, unsigned byte)
{
    return (set[byte / 64] >> byte % 64 & 1) != 0;
}

static bool compare(const struct sonde_kernel_info *info, struct tally *tally)
{
    struct sonde_kernel *kernel;
    struct sonde_error error = {0};
    uint64_t untouched[SONDE_GEN_GRF_WORDS];
    size_t theirs = 0, both = 0, ours = 0;
    if (sonde_kernel_create(info, &kernel, &error) != SONDE_OK ||
        kernel_untouched_bytes(kernel, untouched, &error) != SONDE_OK) {
        printf("%s: %s\n", info->name, error.message);
        return false;
    }
    sonde_kernel_destroy(kernel);
    for (size_t n = 0; n < SONDE_GEN_GRF_WORDS; n++)
        ours += (size_t)__builtin_popcountll(untouched[n]);
    if (ours == 0) { /* an indirect operand may touch any register */
        tally->indirect++;
        return true;
    }
    for (size_t n = 0; n < info->free_range_count; n++) {
        const struct sonde_register_range *range = &info->free_ranges[n];
        for (unsigned byte = range->start; byte < (unsigned)range->start + range->size; byte++) {
            theirs++;
            both += is_untouched(untouched, byte);
        }
    }
    tally->kernels++;
    tally->theirs += theirs;
    tally->both += both;
    return true;
}

int main(int argc, char **argv)
{
    struct tally tally[SONDE_GEN_PLATFORM_COUNT] = {0};
    bool good = true;
    for (int n = 1; n < argc; n++) {
        struct sonde_image *image;
        struct sonde_error error = {0};
        if (sonde_image_open(argv[n], SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
            printf("%s: %s\n", argv[n], error.message);
            return 1;
        }
        for (size_t k = 0; k < sonde_image_kernel_count(image); k++) {
            const struct sonde_kernel_info *info = &sonde_image_kernel(image, k)->info;
            good = info->has_free_ranges && compare(info, &tally[info->platform]) && good;
        }
        sonde_image_close(image);
    }
    for (int p = 0; p < SONDE_GEN_PLATFORM_COUNT; p++) {
        const struct tally *t = &tally[p];
        if (t->kernels + t->indirect == 0)
            continue;
        printf("%s: %zu kernels (and %zu with indirect operands): %zu bytes free to the compiler, "
               "%zu of them to us\n",
               sonde_gen_platform_name((enum sonde_gen_platform)p), t->kernels, t->indirect,
               t->theirs, t->both);
        /* What the compiler does not count: prologs, whole payload registers. */
        good = good && t->both * 100 >= t->theirs * 95 && t->kernels >= 10;
    }
    return good && argc > 1 ? 0 : 1;
}
