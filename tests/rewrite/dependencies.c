/* Compiled kernels for Xe and later, a counter in each block: the scoreboard
 * of the instrumented code leaves no dependency open, and each instruction is
 * legal. And instructions removed: what they waited for is waited for still.
 * Of Gen9 too: code may stand around every message to memory.
 * Device binaries on the command line. */
#include "sonde/dependency.h"
#include "sonde/image.h"
#include "sonde/instrument.h"

#include <stdio.h>
#include <string.h>

#define BUCKETS       32u
#define PROFILE_INDEX 100u /* binding-table index of the profile buffer */

/* Where the registers come from. */
enum source { SOURCE_FREE_LIST, SOURCE_LIVENESS, SOURCE_SPILLS, SOURCES };

struct tally {
    size_t kernels, emitted, lacking, inserted, removed, messages, bad;
    const char *name;
    const struct sonde_kernel *kernel;
};

static void complain(struct tally *tally, const char *text)
{
    if (tally->bad++ < 40)
        printf("%s: %s\n", tally->name, text);
}

static void show(void *context, const struct sonde_dependency *dependency)
{
    struct tally *tally = context;
    char text[300];
    sonde_dependency_print(tally->kernel, dependency, text, sizeof text);
    complain(tally, text);
}

static void check(const struct sonde_kernel_info *original, const struct sonde_rewritten *out,
                  struct tally *tally)
{
    struct sonde_kernel_info info = *original;
    struct sonde_kernel *kernel;
    struct sonde_error error = {0};
    size_t count = 0;
    info.isa = out->code + out->instrumented_entry;
    info.isa_size = out->size - out->instrumented_entry;
    info.per_thread_prolog_size = 0;
    if (sonde_kernel_create(&info, &kernel, &error) != SONDE_OK) {
        complain(tally, error.message);
        return;
    }
    tally->kernel = kernel;
    if (sonde_kernel_check_dependencies(kernel, show, tally, &count, &error) != SONDE_OK)
        complain(tally, error.message);
    for (size_t n = 0; n < sonde_kernel_instruction_count(kernel); n++) {
        const struct sonde_gen_instruction *i = sonde_kernel_instruction(kernel, n);
        if (!i->illegal && sonde_gen_instruction_validate(i, &error) != SONDE_OK)
            complain(tally, error.message);
    }
    sonde_kernel_destroy(kernel);
}

static bool insert_counters(struct sonde_instrument *instrument, const struct sonde_kernel *kernel,
                            struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    sonde_vreg address = sonde_vreg_make_scratch(coder, SONDE_VREG_PTR);
    size_t count = sonde_kernel_block_count(kernel);
    uint32_t chunk = 64;
    while (chunk < 4 * count)
        chunk *= 2;
    for (uint32_t b = 0; b < count; b++) {
        struct sonde_procedure *procedure = sonde_procedure_create(coder, "counter");
        if (sonde_coder_compute_thread_chunk_address(coder, procedure, address, BUCKETS, chunk, 0,
                                                     4 * b, NULL, error) != SONDE_OK ||
            sonde_coder_atomic_inc(coder, procedure, SONDE_GEN_TYPE_UD, address, NULL, error) !=
                SONDE_OK ||
            sonde_instrument_block(instrument, b, SONDE_BEFORE, procedure, error) != SONDE_OK)
            return false;
    }
    return true;
}

/* One instruction in `step`, from the `first` on, that may be removed. */
static size_t remove_some(struct sonde_instrument *instrument, const struct sonde_kernel *kernel,
                          size_t first, size_t step)
{
    size_t removed = 0;
    for (size_t i = first; i < sonde_kernel_instruction_count(kernel); i += step)
        removed += sonde_instrument_remove(instrument, i, NULL) == SONDE_OK;
    return removed;
}

static void remove_from(const struct sonde_kernel_info *original, size_t first, size_t step,
                        struct tally *tally)
{
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument = NULL;
    struct sonde_rewritten out = {0};
    struct sonde_error error = {0};
    struct sonde_coder_options options = {.maximum_threads = 168};
    size_t open = 0;
    if (sonde_kernel_create(original, &kernel, &error) != SONDE_OK) {
        complain(tally, error.message);
        return;
    }
    bool fine = sonde_kernel_refusal(kernel) == NULL &&
                sonde_kernel_check_dependencies(kernel, NULL, NULL, &open, &error) == SONDE_OK;
    if (fine && open == 0) {
        enum sonde_status status = sonde_instrument_create(kernel, &options, &instrument, &error);
        if (status == SONDE_OK) {
            tally->removed += remove_some(instrument, kernel, first, step);
            status = sonde_instrument_emit(instrument, &out, &error);
        }
        if (status == SONDE_OK)
            check(original, &out, tally);
        else
            complain(tally, error.message);
    }
    sonde_rewritten_clear(&out);
    sonde_instrument_destroy(instrument);
    sonde_kernel_destroy(kernel);
}

/* Where a tool that records what goes to memory could not stand it would leave the whole kernel
 * out. */
static void check_messages(const struct sonde_kernel_info *info, struct tally *tally)
{
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument = NULL;
    struct sonde_error error = {0};
    struct sonde_coder_options options = {.maximum_threads = 168};
    if (sonde_kernel_create(info, &kernel, &error) != SONDE_OK) {
        complain(tally, error.message);
        return;
    }
    bool good = sonde_kernel_refusal(kernel) == NULL &&
                sonde_instrument_create(kernel, &options, &instrument, &error) == SONDE_OK;
    for (size_t i = 0; good && i < sonde_kernel_instruction_count(kernel); i++) {
        const char *before = sonde_instrument_insertion_refusal(instrument, i, SONDE_BEFORE);
        const char *after = sonde_instrument_insertion_refusal(instrument, i, SONDE_AFTER);
        if (sonde_coder_payload_address_registers(sonde_kernel_instruction(kernel, i)) == 0 ||
            (before != NULL && strstr(before, "prolog") != NULL))
            continue;
        tally->messages++;
        if (before != NULL || after != NULL)
            complain(tally, before != NULL ? before : after);
    }
    sonde_instrument_destroy(instrument);
    sonde_kernel_destroy(kernel);
}

static void instrument_kernel(const struct sonde_kernel_info *original, enum source source,
                              struct tally *tally)
{
    struct sonde_kernel_info info = *original;
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument = NULL;
    struct sonde_rewritten out = {0};
    struct sonde_error error = {0};
    info.has_free_ranges = info.has_free_ranges && source == SOURCE_FREE_LIST;
    if (tally->kernels % 2 != 0) /* then to the profile buffer */
        info.scratch_size = 0;
    struct sonde_coder_options options = {.buffer_model = SONDE_BUFFER_SURFACE,
                                          .binding_table_index = PROFILE_INDEX,
                                          .maximum_threads = 168,
                                          .use_own_liveness = source == SOURCE_LIVENESS};
    if (sonde_kernel_create(&info, &kernel, &error) != SONDE_OK) {
        complain(tally, error.message);
        return;
    }
    if (sonde_kernel_refusal(kernel) != NULL) {
        sonde_kernel_destroy(kernel);
        return;
    }
    enum sonde_status status = sonde_instrument_create(kernel, &options, &instrument, &error);
    if (status == SONDE_OK && source != SOURCE_FREE_LIST)
        status = sonde_instrument_set_spill_area(instrument, 1u << 20, 16u << 20, &error);
    if (status == SONDE_OK && !insert_counters(instrument, kernel, &error))
        status = SONDE_ERROR_ARGUMENT;
    if (status == SONDE_OK)
        status = sonde_instrument_emit(instrument, &out, &error);
    tally->lacking += status == SONDE_ERROR_NO_REGISTER;
    if (status == SONDE_OK) {
        tally->emitted++;
        tally->inserted += out.inserted_instructions;
        check(original, &out, tally);
    } else if (status != SONDE_ERROR_NO_REGISTER || source != SOURCE_FREE_LIST) {
        complain(tally, error.message);
    }
    sonde_rewritten_clear(&out);
    sonde_instrument_destroy(instrument);
    sonde_kernel_destroy(kernel);
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    for (int n = 1; n < argc; n++) {
        struct sonde_image *image;
        struct sonde_error error = {0};
        if (sonde_image_open(argv[n], SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
            printf("%s: %s\n", argv[n], error.message);
            return 1;
        }
        for (size_t k = 0; k < sonde_image_kernel_count(image); k++) {
            const struct sonde_kernel_info *info = &sonde_image_kernel(image, k)->info;
            tally.name = info->name;
            if (info->platform <= SONDE_GEN_PLATFORM_XEHPG)
                check_messages(info, &tally);
            if (info->platform != SONDE_GEN_PLATFORM_XE &&
                info->platform != SONDE_GEN_PLATFORM_XEHPG)
                continue;
            tally.kernels++;
            for (int source = 0; source < SOURCES; source++)
                instrument_kernel(info, (enum source)source, &tally);
            for (size_t first = 0; first < 3; first++)
                remove_from(info, first, 3 + 4 * (tally.kernels % 3), &tally);
        }
        sonde_image_close(image);
    }
    printf("%zu kernels instrumented %zu times (%zu without registers), %zu instructions inserted, "
           "%zu removed, %zu messages to memory: %zu complaints\n",
           tally.kernels, tally.emitted, tally.lacking, tally.inserted, tally.removed,
           tally.messages, tally.bad);
    return tally.bad == 0 && tally.emitted > 20 && tally.removed > 20 && tally.messages > 1000 ? 0
                                                                                               : 1;
}
