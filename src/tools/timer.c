/* Timers between two places of a kernel. */
#include "tools/counters.h"

#define SLOT_BYTES    16u
#define USUAL_BUCKETS 32u

/* Side by side, one for each hardware thread: the array's own buckets are shared. */
static enum sonde_status allocate_slots(struct tools_timer_place *place,
                                        struct sonde_tool_build *build, struct sonde_coder *coder,
                                        struct sonde_error *error)
{
    struct sonde_gen_model model;
    struct sonde_profile_array array;
    sonde_coder_gen_model(coder, &model);
    uint32_t threads = model.maximum_thread_buckets, records = threads / USUAL_BUCKETS + 1;
    enum sonde_status status = sonde_tool_build_allocate(build, SLOT_BYTES, records, &array, error);
    if (status == SONDE_OK && (uint64_t)array.buckets * array.chunk_size < threads * SLOT_BYTES)
        status = sonde_tool_build_allocate(build, SLOT_BYTES, threads, &array, error);
    place->in_memory = true;
    place->slots = threads;
    place->base = array.base;
    return status;
}

enum sonde_status tools_timer_place_choose(struct tools_timer_place *place,
                                           struct sonde_tool_build *build,
                                           struct sonde_coder *coder, struct sonde_error *error)
{
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "hold timer");
    *place = (struct tools_timer_place){.vreg = sonde_vreg_make_counter(coder, SONDE_VREG_DWORD)};
    if (procedure == NULL || place->vreg == 0)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = sonde_coder_operation(
        coder, procedure, SONDE_MOV, SONDE_GEN_TYPE_UD, sonde_operand_vreg(place->vreg),
        sonde_operand_immediate(0), sonde_operand_immediate(0), NULL, error);
    if (status != SONDE_OK || sonde_coder_reserve(coder, procedure, NULL) == SONDE_OK)
        return status;
    place->vreg = sonde_vreg_make_msg_data_scratch(coder, SONDE_VREG_GRF);
    place->address = sonde_vreg_make_scratch(coder, SONDE_VREG_PTR);
    if (place->vreg == 0 || place->address == 0)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    return allocate_slots(place, build, coder, error);
}

static enum sonde_status compute_slot(const struct tools_timer_place *place,
                                      struct sonde_coder *coder, struct sonde_procedure *procedure,
                                      struct sonde_error *error)
{
    return sonde_coder_compute_thread_chunk_address(coder, procedure, place->address, place->slots,
                                                    SLOT_BYTES, place->base, 0, NULL, error);
}

enum sonde_status tools_timer_start(const struct tools_timer_place *place,
                                    struct sonde_coder *coder, struct sonde_procedure *procedure,
                                    struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    if (place->in_memory)
        status = compute_slot(place, coder, procedure, error);
    if (status == SONDE_OK)
        status = sonde_coder_start_timer(coder, procedure, place->vreg, NULL, error);
    if (status == SONDE_OK && place->in_memory)
        status = sonde_coder_store_mem_block(coder, procedure, place->address, place->vreg,
                                             SLOT_BYTES, NULL, error);
    return status;
}

struct tools_timer tools_timer_make(struct tools_counters *counters, uint32_t instruction,
                                    const struct tools_timer_place *place)
{
    struct tools_timer timer = {.place = place,
                                .cycles = tools_counters_record(counters),
                                .executions = tools_counters_record(counters),
                                .skipped = tools_counters_record(counters)};
    tools_counters_add(counters, instruction, SONDE_TRACE_EXECUTIONS, timer.executions);
    tools_counters_add(counters, instruction, SONDE_TRACE_CYCLES, timer.cycles);
    tools_counters_add(counters, instruction, SONDE_TRACE_SKIPPED, timer.skipped);
    return timer;
}

enum sonde_status tools_timer_stop(const struct tools_timer *timer,
                                   const struct tools_counters *counters, struct sonde_coder *coder,
                                   struct sonde_procedure *procedure, struct sonde_error *error)
{
    static const struct sonde_predicate doubtful = {.flag_number = 0};
    const struct tools_timer_place *place = timer->place;
    enum sonde_status status = SONDE_OK;
    if (place->in_memory)
        status = compute_slot(place, coder, procedure, error);
    if (status == SONDE_OK && place->in_memory)
        status = sonde_coder_load_mem_block(coder, procedure, place->address, place->vreg,
                                            SLOT_BYTES, NULL, error);
    if (status == SONDE_OK)
        status = sonde_coder_stop_timer_ext(coder, procedure, place->vreg, NULL, error);
    if (status == SONDE_OK)
        status =
            tools_counters_increment(counters, coder, procedure, timer->skipped, &doubtful, error);
    if (status == SONDE_OK)
        status =
            tools_counters_increment(counters, coder, procedure, timer->executions, NULL, error);
    /* A time that is not believed is 0. */
    if (status == SONDE_OK)
        status = tools_counters_accumulate(counters, coder, procedure, timer->cycles, place->vreg,
                                           error);
    return status;
}
