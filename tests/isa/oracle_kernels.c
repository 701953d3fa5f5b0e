/* Every instruction of every kernel in the device binaries named on the
 * command line: same text as libiga64, and the same bytes after encoding.
 * Usage: oracle_kernels [--figures FILE] BINARY..., oracle_kernels --count BINARY... */
#include "oracle.h"

#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct oracle oracles[SONDE_GEN_PLATFORM_COUNT];
static size_t kernel_counts[SONDE_GEN_PLATFORM_COUNT];

static struct oracle *oracle_of(enum sonde_gen_platform platform)
{
    struct oracle *oracle = &oracles[platform];
    if (oracle->iga == NULL)
        *oracle = (struct oracle){
            .iga = iga_open_platform(platform), .platform = platform, .show_limit = 40};
    return oracle->iga != NULL ? oracle : NULL;
}

static bool compare_file(const char *path)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        printf("%s\n", error.message);
        return false;
    }
    bool good = sonde_image_kernel_count(image) > 0;
    for (size_t i = 0; i < sonde_image_kernel_count(image); i++) {
        const struct sonde_kernel_info *info = &sonde_image_kernel(image, i)->info;
        char name[512];
        snprintf(name, sizeof name, "%s: %s", path, info->name);
        struct oracle *oracle = oracle_of(info->platform);
        good = oracle != NULL && oracle_compare(oracle, name, info->isa, info->isa_size) && good;
        kernel_counts[info->platform]++;
    }
    sonde_image_close(image);
    return good;
}

static bool report(const struct oracle *oracle, const char *figures)
{
    printf("%s: %zu kernels, %zu instructions: %zu texts differ, %zu bytes differ, %zu refused by "
           "iga, %zu by sonde\n",
           sonde_gen_platform_name(oracle->platform), kernel_counts[oracle->platform],
           oracle->instructions, oracle->different, oracle->changed, oracle->refused_by_iga,
           oracle->refused_by_us);
    return oracle_write_figures(oracle, "compiled kernels", kernel_counts[oracle->platform],
                                figures) &&
           oracle->instructions > 0 && oracle_agrees(oracle) &&
           oracle->refused_by_iga + oracle->refused_by_us == 0;
}

static int count_kernels(int count, char **paths)
{
    size_t kernels = 0;
    for (int i = 0; i < count; i++) {
        struct sonde_image *image;
        struct sonde_error error = {0};
        if (sonde_image_open(paths[i], SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
            printf("%s\n", error.message);
            return 1;
        }
        kernels += sonde_image_kernel_count(image);
        sonde_image_close(image);
    }
    printf("%zu kernels\n", kernels);
    return 0;
}

int main(int argc, char **argv)
{
    const char *figures = NULL;
    if (argc > 1 && strcmp(argv[1], "--count") == 0)
        return count_kernels(argc - 2, argv + 2);
    if (argc > 2 && strcmp(argv[1], "--figures") == 0) {
        figures = argv[2];
        argc -= 2;
        argv += 2;
    }
    struct iga *iga = iga_open();
    if (iga == NULL) {
        printf("libiga64.so.1 is not installed\n");
        return 77;
    }
    iga_close(iga);
    if (figures != NULL)
        remove(figures);
    bool good = argc > 1;
    for (int i = 1; i < argc; i++)
        good = compare_file(argv[i]) && good;
    for (size_t i = 0; i < SONDE_GEN_PLATFORM_COUNT; i++) {
        if (oracles[i].iga == NULL)
            continue;
        good = report(&oracles[i], figures) && good;
        iga_close(oracles[i].iga);
    }
    return good ? 0 : 1;
}
