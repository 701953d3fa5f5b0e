/* Kernels in the device binaries named on the command line, those for Xe or
 * later: the compiler's scoreboard leaves no dependency open, and most of its
 * annotations are needed, that is, found when they are taken away. */
#include "annotation.h"
#include "sonde/dependency.h"
#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHANGED_SIZE 4096u /* bytes of the kernels whose annotations are changed */

struct tally {
    size_t kernels, instructions, bad;
    size_t changed, noticed;
    const struct sonde_kernel *kernel;
    const char *name;
};

static void show(void *context, const struct sonde_dependency *dependency)
{
    struct tally *tally = context;
    char text[300];
    if (tally->bad++ >= 40)
        return;
    sonde_dependency_print(tally->kernel, dependency, text, sizeof text);
    printf("%s: %s\n", tally->name, text);
}

static size_t check(const struct sonde_kernel_info *info, struct tally *tally)
{
    struct sonde_kernel *kernel;
    struct sonde_error error = {0};
    size_t count = 0;
    if (sonde_kernel_create(info, &kernel, &error) != SONDE_OK) {
        printf("%s: %s\n", info->name, error.message);
        return 1;
    }
    if (tally != NULL) {
        tally->kernel = kernel;
        tally->instructions += sonde_kernel_instruction_count(kernel);
    }
    sonde_kernel_check_dependencies(kernel, tally == NULL ? NULL : show, tally, &count, &error);
    sonde_kernel_destroy(kernel);
    return count;
}

/* Every native instruction of a small kernel in turn without its wait. */
static void change(const struct sonde_kernel_info *info, struct tally *tally)
{
    if (info->isa_size > MAX_CHANGED_SIZE)
        return;
    uint8_t *code = malloc(info->isa_size);
    struct sonde_kernel_info changed = *info;
    struct sonde_gen_instruction i;
    memcpy(code, info->isa, info->isa_size);
    changed.isa = code;
    for (size_t at = 0;
         sonde_gen_decode(info->platform, code, info->isa_size, at, &i, NULL) == SONDE_OK;
         at += i.size) {
        if (i.size != 16 || !annotation_change(info->platform, code + at, ANNOTATION_REMOVE))
            continue;
        tally->changed++;
        tally->noticed += check(&changed, NULL) > 0;
        memcpy(code + at, info->isa + at, 16);
    }
    free(code);
}

static void check_file(const char *path, struct tally *tally)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        printf("%s: %s\n", path, error.message);
        tally->bad++;
        return;
    }
    for (size_t n = 0; n < sonde_image_kernel_count(image); n++) {
        const struct sonde_kernel_info *info = &sonde_image_kernel(image, n)->info;
        if (info->platform < SONDE_GEN_PLATFORM_XE)
            continue;
        tally->name = info->name;
        tally->kernels++;
        check(info, tally);
        change(info, tally);
    }
    sonde_image_close(image);
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    for (int n = 1; n < argc; n++)
        check_file(argv[n], &tally);
    printf("%zu kernels, %zu instructions of Xe and later: %zu dependencies open; of %zu "
           "annotations taken away %zu noticed\n",
           tally.kernels, tally.instructions, tally.bad, tally.changed, tally.noticed);
    bool most = tally.noticed * 10 >= tally.changed * 8;
    return tally.bad == 0 && tally.instructions > 1000 && most ? 0 : 1;
}
