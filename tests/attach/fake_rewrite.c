/* Stands in for the coder and the rewriter where the attach library is tested
 * alone. The "instrumented body" is the number of counted blocks, which the
 * fake driver reads to know what to count. */
#include <stdlib.h>
#include <string.h>

#include "profile/scope.h"
#include "profile/trace.h"
#include "sonde/hli.h"
#include "sonde/instrument.h"

struct sonde_instrument {
    struct sonde_kernel *kernel;
    uint32_t blocks;
};

enum sonde_status sonde_instrument_create(struct sonde_kernel *kernel,
                                          const struct sonde_coder_options *options,
                                          struct sonde_instrument **instrument,
                                          struct sonde_error *error)
{
    if (options->binding_table_index != 1 || options->maximum_threads == 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "wrong options");
    *instrument = calloc(1, sizeof **instrument);
    (*instrument)->kernel = kernel;
    return SONDE_OK;
}

void sonde_instrument_destroy(struct sonde_instrument *instrument)
{
    free(instrument);
}

struct sonde_kernel *sonde_instrument_kernel(struct sonde_instrument *instrument)
{
    return instrument->kernel;
}

struct sonde_coder *sonde_instrument_coder(struct sonde_instrument *instrument)
{
    return (struct sonde_coder *)instrument;
}

struct sonde_procedure *sonde_procedure_create(struct sonde_coder *coder, const char *name)
{
    (void)name;
    return (struct sonde_procedure *)coder;
}

sonde_vreg sonde_vreg_make_scratch(struct sonde_coder *coder, enum sonde_vreg_type type)
{
    (void)coder;
    (void)type;
    return 1;
}

/* All counters in memory, one after the other. */
enum sonde_buffer_model sonde_coder_profile_buffer_addr_model(const struct sonde_coder *coder)
{
    (void)coder;
    return SONDE_BUFFER_STATELESS;
}

enum sonde_status sonde_coder_compute_thread_chunk_address(
    struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg address,
    uint32_t bucket_count, uint32_t chunk_size, uint32_t base_offset, uint32_t offset_in_chunk,
    const struct sonde_predicate *predicate, struct sonde_error *error)
{
    (void)coder, (void)procedure, (void)address, (void)predicate;
    if (bucket_count != 32 || chunk_size < 64 || base_offset != PROFILE_CONTROL_BYTES ||
        offset_in_chunk >= chunk_size)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0, "wrong layout");
    return SONDE_OK;
}

enum sonde_status sonde_coder_atomic_inc(struct sonde_coder *coder,
                                         struct sonde_procedure *procedure,
                                         enum sonde_gen_type type, sonde_vreg address,
                                         const struct sonde_predicate *predicate,
                                         struct sonde_error *error)
{
    (void)coder, (void)procedure, (void)address, (void)error;
    return type == SONDE_GEN_TYPE_UD && predicate == NULL ? SONDE_OK : SONDE_ERROR_ARGUMENT;
}

enum sonde_status sonde_instrument_block(struct sonde_instrument *instrument, uint32_t block,
                                         enum sonde_where where,
                                         const struct sonde_procedure *procedure,
                                         struct sonde_error *error)
{
    (void)block, (void)where, (void)procedure, (void)error;
    instrument->blocks++;
    return SONDE_OK;
}

enum sonde_status sonde_instrument_emit(struct sonde_instrument *instrument,
                                        struct sonde_rewritten *rewritten,
                                        struct sonde_error *error)
{
    const struct sonde_kernel_info *info = sonde_kernel_info(instrument->kernel);
    if (strcmp(info->name, "refused") == 0)
        return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0, "no register is free");
    size_t entry = (info->isa_size + 128 + 63) & ~(size_t)63;
    *rewritten = (struct sonde_rewritten){
        .code = calloc(1, entry + 256),
        .size = entry + 256,
        .instrumented_entry = (uint32_t)entry,
        .inserted_instructions = instrument->blocks,
    };
    memcpy(rewritten->code, info->isa, info->isa_size);
    memcpy(rewritten->code + entry, &instrument->blocks, 4);
    return SONDE_OK;
}

enum sonde_status sonde_instrument_pass(struct sonde_instrument *instrument, const char *name,
                                        struct sonde_error *error)
{
    (void)instrument;
    (void)name;
    (void)error;
    return SONDE_OK;
}

enum sonde_status sonde_instrument_set_spill_area(struct sonde_instrument *instrument,
                                                  uint32_t offset, uint32_t size,
                                                  struct sonde_error *error)
{
    (void)instrument, (void)size;
    if (offset < PROFILE_CONTROL_BYTES || offset % SONDE_SPILL_ALIGNMENT != 0)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0, "wrong spill area");
    return SONDE_OK;
}

void sonde_rewritten_clear(struct sonde_rewritten *rewritten)
{
    free(rewritten->code);
    free(rewritten->instruction_offsets);
}

uint64_t sonde_coder_thread_memory(const struct sonde_coder *coder)
{
    (void)coder;
    return 0;
}

enum sonde_status sonde_coder_place_thread_memory(struct sonde_coder *coder, uint32_t offset,
                                                  struct sonde_error *error)
{
    (void)coder;
    return sonde_error_set(error, SONDE_ERROR_ARGUMENT, offset, "nothing asked for it");
}

enum sonde_status sonde_coder_map_host(struct sonde_coder *coder, const void *host, size_t size,
                                       uint32_t offset, struct sonde_error *error)
{
    (void)coder, (void)host, (void)size;
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, offset, "not in this test");
}

void sonde_coder_gen_model(const struct sonde_coder *coder, struct sonde_gen_model *model)
{
    (void)coder;
    *model = (struct sonde_gen_model){.grf_size = 32};
}

enum sonde_status sonde_record_layout_make(const struct sonde_kernel *kernel, uint32_t grf_size,
                                           bool every_block,
                                           const struct sonde_record_point *points, size_t count,
                                           struct sonde_record_layout *layout,
                                           struct sonde_error *error)
{
    (void)kernel, (void)grf_size, (void)every_block, (void)points, (void)count, (void)layout;
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "no records here");
}

enum sonde_status profile_trace_instrument(struct sonde_record_layout *layout,
                                           struct sonde_instrument *instrument, uint32_t buckets,
                                           bool is_drained, uint32_t *end,
                                           struct profile_trace *trace, struct sonde_error *error)
{
    (void)layout, (void)instrument, (void)buckets, (void)is_drained, (void)end, (void)trace;
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "no records here");
}

enum sonde_status profile_scope_instrument(const struct profile_scope *scope,
                                           struct sonde_instrument *instrument,
                                           struct sonde_error *error)
{
    (void)instrument;
    if (profile_scope_is_all(scope))
        return SONDE_OK;
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "no choice of threads here");
}
