/* Block counting inserted into kernels of device binaries.
 * usage: rewrite-bench BINARY...
 *
 * Prints how many kernels were instrumented, how many needed registers saved
 * to memory, which were refused and why; what was inserted; registers held;
 * and the rate of one thread: original instructions a second, from the bytes of
 * a kernel to the bytes of the instrumented one. */
#include "sonde/image.h"
#include "sonde/instrument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEASURE_SECONDS 2.0
#define BUCKETS         32u
#define SPILL_OFFSET    (1u << 20)
#define SPILL_BYTES     (16u << 20)

struct totals {
    size_t kernels, refused, spilled, spilled_to_buffer, saves;
    size_t instructions, blocks, counters, inserted, kept;
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

static enum sonde_status count_blocks(struct sonde_instrument *instrument,
                                      struct sonde_procedure **procedures,
                                      struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    const struct sonde_kernel *kernel = sonde_instrument_kernel(instrument);
    size_t blocks = sonde_kernel_block_count(kernel);
    uint32_t chunk = 4;
    while (chunk < 4 * blocks)
        chunk *= 2;
    bool *counted = malloc(blocks * sizeof *counted);
    if (counted == NULL)
        return SONDE_ERROR_MEMORY;
    enum sonde_status status = sonde_kernel_counted_blocks(kernel, counted, error);
    for (uint32_t b = 0; b < blocks && status == SONDE_OK; b++) {
        if (!counted[b])
            continue;
        struct sonde_procedure *procedure = sonde_procedure_create(coder, "count block");
        sonde_vreg address = sonde_vreg_make_scratch(coder, SONDE_VREG_PTR);
        procedures[b] = procedure;
        status = sonde_coder_compute_thread_chunk_address(coder, procedure, address, BUCKETS, chunk,
                                                          0, 4 * b, NULL, error);
        if (status == SONDE_OK)
            status =
                sonde_coder_atomic_inc(coder, procedure, SONDE_GEN_TYPE_UD, address, NULL, error);
        if (status == SONDE_OK)
            status = sonde_instrument_block(instrument, b, SONDE_BEFORE, procedure, error);
    }
    free(counted);
    return status;
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
    struct sonde_procedure **procedures = NULL;
    enum sonde_status status = sonde_kernel_create(info, &kernel, error);
    if (status == SONDE_OK)
        procedures = calloc(sonde_kernel_block_count(kernel), sizeof(struct sonde_procedure *));
    if (status == SONDE_OK)
        status = sonde_instrument_create(kernel, &options, &instrument, error);
    if (status == SONDE_OK)
        status = count_blocks(instrument, procedures, error);
    /* As attach/neo/kernel.c offers it. */
    if (status == SONDE_OK)
        status = sonde_instrument_set_spill_area(instrument, SPILL_OFFSET, SPILL_BYTES, error);
    if (status == SONDE_OK)
        status = sonde_instrument_emit(instrument, &out, error);
    if (status == SONDE_OK && totals != NULL) {
        size_t blocks = sonde_kernel_block_count(kernel);
        totals->instructions += sonde_kernel_instruction_count(kernel);
        totals->blocks += blocks;
        totals->inserted += out.inserted_instructions;
        totals->kept += out.kept_registers;
        totals->saves += out.spills;
        totals->spilled += out.spills != 0;
        totals->spilled_to_buffer += out.buffer_spills != 0;
        size_t most = 0;
        for (size_t b = 0; b < blocks; b++) {
            struct sonde_procedure_cost cost;
            if (procedures[b] == NULL)
                continue;
            totals->counters++;
            sonde_procedure_cost(procedures[b], &cost);
            most = cost.register_bytes > most ? cost.register_bytes : most;
        }
        totals->register_bytes += most + 4u * out.kept_registers;
        if (most + 4u * out.kept_registers > totals->most_register_bytes)
            totals->most_register_bytes = most + 4u * out.kept_registers;
    }
    free(procedures);
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
    printf("registers            %.1f bytes a kernel, %zu at most; %zu kernels hold the bucket\n",
           (double)t->register_bytes / (double)good, t->most_register_bytes, t->kept);
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
