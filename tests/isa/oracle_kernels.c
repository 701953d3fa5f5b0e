/* Every instruction of every kernel in the device binaries named on the
 * command line: same text as libiga64, and the same bytes after encoding. */
#include "oracle.h"

#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>

static bool compare_file(struct oracle *oracle, const char *path, size_t *kernels)
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
        good = oracle_compare(oracle, name, info->isa, info->isa_size) && good;
        ++*kernels;
    }
    sonde_image_close(image);
    return good;
}

int main(int argc, char **argv)
{
    struct oracle oracle = {.iga = iga_open(), .show_limit = 40};
    if (oracle.iga == NULL) {
        printf("libiga64.so.1 is not installed\n");
        return 77;
    }
    bool good = argc > 1;
    size_t kernels = 0;
    for (int i = 1; i < argc; i++)
        good = compare_file(&oracle, argv[i], &kernels) && good;
    printf("%zu kernels, %zu instructions: %zu texts differ, %zu bytes differ, %zu refused by "
           "iga, %zu by sonde\n",
           kernels, oracle.instructions, oracle.different, oracle.changed, oracle.refused_by_iga,
           oracle.refused_by_us);
    good = good && oracle.instructions > 0 && oracle.different == 0 && oracle.changed == 0 &&
           oracle.refused_by_iga == 0 && oracle.refused_by_us == 0;
    iga_close(oracle.iga);
    return good ? 0 : 1;
}
