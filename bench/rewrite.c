/* Block counting inserted into kernels of device binaries.
 * usage: rewrite-bench BINARY...
 *
 * Prints how many kernels were instrumented, how many needed registers saved
 * to memory, which were refused and why; what was inserted; registers held
 * for the whole kernel; and the rate of one thread: original instructions a second, from the bytes
 * of a kernel to the bytes of the instrumented one. */
#include "profile/trace.h"
#include "sonde/image.h"
#include "sonde/instrument.h"
#include "tools/builtin.h"
#include "tools/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEASURE_SECONDS 2.0
#define BUCKETS         32u
#define SPILL_BYTES     (16u << 20)

struct totals {
    size_t kernels, refused, spilled, spilled_to_buffer, saves;
    size_t instructions, blocks, counters, inserted;
    size_t register_bytes, most_register_bytes;
    double seconds; /* of the whole way */
    size_t timed_instructions;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The driver gives scratch memory only to kernels that ask for it themselves
 * (attach/neo/kernel.c). */
static void check_scratch(struct sonde_kernel_info *info)
{
    uint64_t given = info->scratch_offset == 0 ? 0 : 1024;
    while (given != 0 && given < info->scratch_offset)
        given *= 2;
    if ((uint64_t)info->scratch_offset + info->scratch_size > given)
        info->scratch_size = 0;
}

static enum sonde_status count_blocks(struct sonde_instrument *instrument, uint32_t *end,
                                      struct sonde_error *error)
{
    struct sonde_tool_build build = {
        .instrument = instrument, .buckets = BUCKETS, .buffer_size = PROFILE_CONTROL_BYTES};
    enum sonde_status status = tools_count_blocks(&build, error);
    *end = build.buffer_size;
    free(build.state);
    return status;
}

static size_t count_counters(const struct sonde_kernel *kernel)
{
    bool *counted = calloc(sonde_kernel_block_count(kernel), sizeof *counted);
    size_t count = 0;
    if (counted != NULL && sonde_kernel_counted_blocks(kernel, counted, NULL) == SONDE_OK)
        for (size_t b = 0; b < sonde_kernel_block_count(kernel); b++)
            count += counted[b];
    free(counted);
    return count;
}

static enum sonde_status rewrite(const struct sonde_kernel_info *info, struct totals *totals,
                                 struct sonde_error *error)
{
    struct sonde_coder_options options = {.buffer_model = SONDE_BUFFER_SURFACE,
                                          .binding_table_index = 5,
                                          .maximum_threads = 1024,
                                          .use_own_liveness = true};
    struct sonde_kernel *kernel = NULL;
    struct sonde_instrument *instrument = NULL;
    struct sonde_rewritten out = {.code = NULL};
    uint32_t end = 0;
    enum sonde_status status = sonde_kernel_create(info, &kernel, error);
    if (status == SONDE_OK)
        status = sonde_instrument_create(kernel, &options, &instrument, error);
    if (status == SONDE_OK)
        status = count_blocks(instrument, &end, error);
    /* As attach/neo/kernel.c offers it. */
    if (status == SONDE_OK)
        status = sonde_instrument_set_spill_area(instrument,
                                                 (end + SONDE_SPILL_ALIGNMENT - 1) /
                                                     SONDE_SPILL_ALIGNMENT * SONDE_SPILL_ALIGNMENT,
                                                 SPILL_BYTES, error);
    if (status == SONDE_OK)
        status = sonde_instrument_emit(instrument, &out, error);
    if (status == SONDE_OK && totals != NULL) {
        size_t blocks = sonde_kernel_block_count(kernel);
        totals->instructions += sonde_kernel_instruction_count(kernel);
        totals->blocks += blocks;
        totals->inserted += out.inserted_instructions;
        totals->saves += out.spills;
        totals->spilled += out.spills != 0;
        totals->spilled_to_buffer += out.buffer_spills != 0;
        totals->counters += count_counters(kernel);
        totals->register_bytes += 4u * out.kept_registers;
        if (4u * out.kept_registers > totals->most_register_bytes)
            totals->most_register_bytes = 4u * out.kept_registers;
    }
    sonde_rewritten_clear(&out);
    sonde_instrument_destroy(instrument);
    sonde_kernel_destroy(kernel);
    return status;
}

static void bench_kernel(const struct sonde_image_kernel *kernel, struct totals *totals)
{
    struct sonde_kernel_info info = kernel->info;
    struct sonde_error error = {.message = ""};
    check_scratch(&info);
    size_t before = totals->instructions;
    totals->kernels++;
    if (rewrite(&info, totals, &error) != SONDE_OK) {
        totals->refused++;
        printf("  refused: %s\n", error.message);
        return;
    }
    double start = now();
    rewrite(&info, NULL, &error);
    totals->seconds += now() - start;
    totals->timed_instructions += totals->instructions - before;
}

static void print_totals(const struct totals *t)
{
    size_t good = t->kernels - t->refused;
    printf("kernels              %zu: %zu instrumented, %zu refused\n", t->kernels, good,
           t->refused);
    if (good == 0)
        return;
    printf("saving registers     %zu kernels (%zu to the profile buffer), %zu registers over all "
           "places\n",
           t->spilled, t->spilled_to_buffer, t->saves);
    printf("instructions         %zu, %zu inserted for %zu counters of %zu blocks (%.2f a block)\n",
           t->instructions, t->inserted, t->counters, t->blocks,
           (double)t->inserted / (double)t->blocks);
    printf("registers            %.1f bytes held through a kernel, %zu at most\n",
           (double)t->register_bytes / (double)good, t->most_register_bytes);
    printf("rate                 %.2f million original instructions a second\n",
           (double)t->timed_instructions / t->seconds / 1e6);
}

int main(int argc, char **argv)
{
    struct totals totals = {0};
    double start = now();
    do {
        bool first = totals.kernels == 0;
        struct totals pass = {0};
        for (int i = 1; i < argc; i++) {
            struct sonde_image *image = NULL;
            struct sonde_error error;
            if (sonde_image_open(argv[i], SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
                fprintf(stderr, "%s: %s\n", argv[i], error.message);
                return 1;
            }
            for (size_t k = 0; k < sonde_image_kernel_count(image); k++) {
                if (first) {
                    bench_kernel(sonde_image_kernel(image, k), &totals);
                    continue;
                }
                struct sonde_kernel_info info = sonde_image_kernel(image, k)->info;
                check_scratch(&info);
                double begin = now();
                if (rewrite(&info, &pass, &error) == SONDE_OK)
                    totals.seconds += now() - begin;
            }
            sonde_image_close(image);
        }
        totals.timed_instructions += pass.instructions;
    } while (totals.kernels != 0 && now() - start < MEASURE_SECONDS);
    print_totals(&totals);
    return totals.kernels == 0;
}
