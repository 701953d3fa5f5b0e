/* Compiled kernels, original and instrumented, on the emulator. Arguments:
 * device binaries that ocloc made; those after --emit are rewritten and read
 * back only. */
#include "compare.h"
#include "device_binary.h"
#include "listing.h"
#include "relink.h"
#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(struct machine *machine, void *context)
{
    const struct device_payload *payload = context;
    uint64_t state = 99;
    for (unsigned s = 0; s < payload->surfaces && s < MACHINE_PROFILE; s++)
        for (unsigned i = 0; i < MACHINE_SURFACE_BYTES; i += 4) {
            uint32_t value = machine_random(&state) % 12;
            memcpy(machine_surface(machine, s) + i, &value, sizeof value);
        }
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size + 1);
    if (data != NULL && fread(data, 1, *size, file) != *size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

static struct iga *iga;
static int lacking; /* kernels without registers for a counter */

static bool check_code(const struct sonde_kernel_info *info)
{
    bool good = listing_check(iga, info) && relink_check_identity(info);
    for (uint64_t seed = 0; seed < 3 && good; seed++)
        good = relink_check_nops(iga, info, seed);
    return good;
}

/* 1 when something differs, 0 when all is well, -1 when it was left out. */
static int check_kernel(struct machine *machine, const struct sonde_image_kernel *kernel,
                        struct device_payload *payload, unsigned local_size, unsigned groups)
{
    struct sonde_error error;
    struct sonde_kernel *model;
    if (sonde_kernel_create(&kernel->info, &model, &error) != SONDE_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const char *refusal = sonde_kernel_refusal(model);
    if (refusal != NULL)
        printf("%-16s refused: %s\n", kernel->info.name, refusal);
    sonde_kernel_destroy(model);
    if (refusal != NULL)
        return kernel->has_stack_calls ? -1 : 1;
    unsigned simd = kernel->info.simd_width;
    memcpy(machine->payload, payload->bytes, payload->size);
    machine_set_group(machine, simd, local_size, groups, payload->size);
    struct compare_case item = {
        .info = kernel->info, .fill = fill, .context = payload, .may_lack_registers = true};
    int failed = !check_code(&kernel->info);
    for (unsigned mode = 0; mode < COMPARE_MODES; mode++)
        failed |= !compare_run(machine, &item, mode);
    printf("%-16s simd%-2u %5u instructions %4u blocks; inserted %u, spilled %u, lacking %u%s\n",
           kernel->info.name, simd, item.instructions, item.blocks, item.inserted, item.spills,
           item.lacking, failed ? " FAILED" : "");
    return failed;
}

/* Rewrite without running: kernels whose arguments nobody here knows. */
static int emit_kernel(const struct sonde_image_kernel *kernel)
{
    struct sonde_error error;
    struct sonde_kernel *model;
    if (sonde_kernel_create(&kernel->info, &model, &error) != SONDE_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const char *refusal = sonde_kernel_refusal(model);
    if (refusal != NULL)
        printf("%-16s refused: %s\n", kernel->info.name, refusal);
    sonde_kernel_destroy(model);
    if (refusal != NULL)
        return kernel->has_stack_calls ? -1 : 1;
    struct compare_case item = {.info = kernel->info};
    bool good = check_code(&kernel->info) && compare_emit(&item, COMPARE_BLOCKS_FREE_LIST) &&
                compare_emit(&item, COMPARE_STATE);
    if (item.lacking != 0)
        printf("%-16s lacks registers\n", kernel->info.name);
    lacking += item.lacking != 0;
    good &= compare_emit(&item, COMPARE_BLOCKS_LIVENESS) && compare_emit(&item, COMPARE_EDGES) &&
            compare_emit(&item, COMPARE_BLOCKS_SPILL);
    return !good;
}

int main(int argc, char **argv)
{
    struct machine *machine = machine_create();
    iga = iga_open();
    if (machine == NULL || iga == NULL)
        return iga == NULL ? 77 : 1;
    int failed = 0, checked = 0;
    bool emit_only = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--emit") == 0) {
            emit_only = true;
            continue;
        }
        struct sonde_error error;
        struct sonde_image *image;
        size_t size;
        uint8_t *file = read_file(argv[i], &size);
        if (file == NULL ||
            sonde_image_parse(file, size, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
            fprintf(stderr, "%s cannot be read\n", argv[i]);
            return 1;
        }
        for (unsigned k = 0; k < sonde_image_kernel_count(image); k++) {
            struct device_payload payload;
            if (emit_only) {
                int outcome = emit_kernel(sonde_image_kernel(image, k));
                failed += outcome > 0;
                checked += outcome == 0;
                continue;
            }
            if (!device_payload_make(file, size, k, 41, 3, 7, &payload)) {
                fprintf(stderr, "%s: payload of kernel %u is not understood\n", argv[i], k);
                failed++;
                continue;
            }
            int outcome = check_kernel(machine, sonde_image_kernel(image, k), &payload, 41, 3);
            failed += outcome > 0;
            checked += outcome == 0;
        }
        sonde_image_close(image);
        free(file);
    }
    machine_destroy(machine);
    printf("%d kernels equal, %d failed, %d without registers\n", checked, failed, lacking);
    return failed != 0 || checked == 0;
}
