/* Every instruction of every kernel in the device binaries named on the
 * command line: same text as libiga64, and the same bytes after encoding. */
#include "oracle.h"

#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>

static struct oracle oracles[SONDE_GEN_PLATFORM_COUNT];

static struct oracle *oracle_of(enum sonde_gen_platform platform)
{
    struct oracle *oracle = &oracles[platform];
    if (oracle->iga == NULL)
        *oracle = (struct oracle){
            .iga = iga_open_platform(platform), .platform = platform, .show_limit = 40};
    return oracle->iga != NULL ? oracle : NULL;
}

static bool compare_file(const char *path, size_t *kernels)
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
        ++*kernels;
    }
    sonde_image_close(image);
    return good;
}

static bool report(const struct oracle *oracle)
{
    if (oracle->iga == NULL)
        return true;
    printf("%s: %zu instructions: %zu texts differ, %zu bytes differ, %zu refused by iga, %zu by "
           "sonde\n",
           sonde_gen_platform_name(oracle->platform), oracle->instructions, oracle->different,
           oracle->changed, oracle->refused_by_iga, oracle->refused_by_us);
    iga_close(oracle->iga);
    return oracle->instructions > 0 && oracle->different == 0 && oracle->changed == 0 &&
           oracle->refused_by_iga == 0 && oracle->refused_by_us == 0;
}

int main(int argc, char **argv)
{
    if (oracle_of(SONDE_GEN_PLATFORM_GEN9) == NULL) {
        printf("libiga64.so.1 is not installed\n");
        return 77;
    }
    bool good = argc > 1;
    size_t kernels = 0;
    for (int i = 1; i < argc; i++)
        good = compare_file(argv[i], &kernels) && good;
    printf("%zu kernels\n", kernels);
    for (size_t i = 0; i < SONDE_GEN_PLATFORM_COUNT; i++)
        good = (i == 0 && oracles[i].instructions == 0) || report(&oracles[i]) ? good : false;
    return good ? 0 : 1;
}
