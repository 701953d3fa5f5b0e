/* Registers that the kernel needs at a point and a procedure takes: saved
 * before it, loaded behind it.
 *
 * To scratch memory, with a copy of the thread header that the kernel itself
 * keeps as the message header, so that no register is needed to get the first
 * one. Or to the profile buffer, where each hardware thread has a part that its
 * number tells. A block message wants the place in one dword (surfaces) or
 * qword (addresses) of its header and ignores the rest of it: a register of
 * which just those bytes are free will do, the carrier. Where there is none,
 * the address register or an accumulator, which programs seldom need, keeps a
 * register meanwhile; a saved register takes that over if the procedure itself
 * writes them. The bytes stay the carrier's to the end, so that what
 * was saved is found again wherever the thread went. */
#include "coder/plan.h"

#include "kernel/analysis.h"

#include <stdlib.h>

#define PART_BYTES   SONDE_SPILL_ALIGNMENT /* of one thread, together */
#define OWORD_BYTES  16u
#define HEADER_PLACE 8u /* byte of the header: the offset in a surface, in OWords */

/* A surface needs no register for its address. */
static bool is_stateless(const struct sonde_coder *coder)
{
    return coder->options.buffer_model == SONDE_BUFFER_STATELESS &&
           !coder_fetches_address(&coder->options);
}

static uint32_t thread_ids(const struct sonde_coder *coder)
{
    return 1u << coder_isa_thread_id_bits(coder->isa);
}

static uint32_t per_part(const struct sonde_coder *coder)
{
    return PART_BYTES / coder->grf_size;
}

uint64_t plan_spill_bytes(const struct sonde_coder *coder, size_t victims)
{
    uint64_t parts = (victims + per_part(coder) - 1) / per_part(coder);
    return parts * thread_ids(coder) * PART_BYTES;
}

void plan_carrier_span(const struct plan *plan, uint32_t *byte, uint32_t *size)
{
    bool stateless = is_stateless(plan->coder);
    *byte = plan->carrier * plan->coder->grf_size + (stateless ? 0 : HEADER_PLACE);
    *size = stateless ? 8 : 4;
}

static bool meets(const uint64_t *set, uint32_t number, uint32_t grf_size)
{
    for (uint32_t b = number * grf_size; b < (number + 1) * grf_size; b++)
        if ((set[b / 64] >> (b % 64) & 1) != 0)
            return true;
    return false;
}

static bool is_victim(const struct plan *plan, uint32_t number)
{
    const struct sonde_coder *coder = plan->coder;
    uint32_t taken = plan->spill == PLAN_SPILL_BUFFER ? plan->carrier : plan->header;
    if (plan->spill != PLAN_SPILL_NONE && number == taken)
        return false;
    for (size_t i = 0; i < plan->victim_count; i++)
        if (plan->victims[i] == number)
            return false;
    return !meets(plan->fixed, number, coder->grf_size) &&
           !meets(coder->held, number, coder->grf_size);
}

/* Why not one more register can be saved to scratch memory. */
static const char *scratch_refusal(const struct plan *plan)
{
    const struct sonde_coder *coder = plan->coder;
    const struct sonde_kernel_info *info = sonde_kernel_info(coder->kernel);
    uint64_t bytes = (plan->victim_count + 1) * coder->grf_size;
    if (plan->has_call)
        return "a call may destroy the header of messages to scratch memory";
    if (info->scratch_size == 0)
        return "the kernel has no scratch memory for it";
    if (info->scratch_size < bytes)
        return "the scratch memory for it is used up";
    if (info->scratch_offset + bytes > coder->isa->scratch_limit ||
        info->scratch_offset % coder->grf_size != 0)
        return "the scratch memory for it is out of reach";
    if (plan->header == KERNEL_NO_REGISTER)
        return "no register holds the thread header that scratch memory needs";
    return NULL;
}

static bool has_address(const struct sonde_coder *coder)
{
    if (!is_stateless(coder) || coder->options.buffer_address != 0)
        return true;
    return coder->buffer_address != 0 && coder->vregs[coder->buffer_address].byte != CODER_NO_BYTE;
}

static bool crosses_limit(const struct sonde_coder *coder)
{
    uint64_t at = (uint32_t)(coder->options.buffer_address + coder->spill_offset);
    return is_stateless(coder) && coder->options.buffer_address != 0 &&
           at + coder->spill_size > UINT32_MAX;
}

/* The same for the profile buffer. */
static const char *buffer_refusal(const struct plan *plan)
{
    const struct sonde_coder *coder = plan->coder;
    if (coder->spill_size == 0)
        return "no part of the profile buffer was set aside for it "
               "(sonde_instrument_set_spill_area)";
    if (plan_spill_bytes(coder, plan->victim_count + 1) > coder->spill_size)
        return "the part of the profile buffer that was set aside for it is used up "
               "(sonde_instrument_set_spill_area)";
    if (!has_address(coder))
        return "the profile buffer's address stands in no register";
    if (crosses_limit(coder))
        return "the part of the profile buffer for it crosses 4 GiB";
    if (plan->names_any)
        return "the procedure names registers through an address register";
    return NULL;
}

/* Free bytes for the address where the header wants them. */
static bool find_free_carrier(struct plan *plan)
{
    const struct sonde_coder *coder = plan->coder;
    struct coder_pool compiler, others;
    uint32_t offset, size;
    plan->carrier = 0;
    plan_carrier_span(plan, &offset, &size);
    plan_fill_pools(plan, &compiler, &others);
    coder_pool_add_set(&others, compiler.free);
    uint32_t byte = coder_pool_reserve_at(&others, size, coder->grf_size, offset);
    uint32_t temporary = plan_take(&compiler, &others, 4, 4);
    while (temporary != CODER_NO_BYTE && temporary >= byte && temporary < byte + size)
        temporary = plan_take(&compiler, &others, 4, 4);
    if (byte == CODER_NO_BYTE || temporary == CODER_NO_BYTE)
        return false;
    plan->carrier = byte / coder->grf_size;
    plan->carrier_temporary = temporary;
    plan->home = PLAN_HOME_NONE;
    plan->has_keeper = false;
    return true;
}

/* What may keep a register. Up to Gen11 there are acc0 and acc1 only; the
 * middle ones of Xe are left alone, since products may reach so far. */
static const struct home {
    uint8_t kind; /* enum plan_home */
    uint8_t number;
} homes[] = {
    {PLAN_HOME_ADDRESS, 0},     {PLAN_HOME_ACCUMULATOR, 0}, {PLAN_HOME_ACCUMULATOR, 1},
    {PLAN_HOME_ACCUMULATOR, 4}, {PLAN_HOME_ACCUMULATOR, 5}, {PLAN_HOME_ACCUMULATOR, 6},
    {PLAN_HOME_ACCUMULATOR, 7},
};

static bool is_dead(const struct plan *plan, const struct home *home)
{
    const struct sonde_coder *coder = plan->coder;
    const struct sonde_gen_effect *live = plan->point->live;
    if (home->kind == PLAN_HOME_ADDRESS)
        return live->address == 0;
    if (home->number > 1 && coder->isa->platform < SONDE_GEN_PLATFORM_XE)
        return false;
    /* The upper half of acc0's product may stand in acc1. */
    if (home->number == 1 && coder->has_wide_accumulators &&
        coder_product_is_live(coder->kernel, plan->point->index))
        return false;
    return (live->accumulators >> home->number & 1) == 0 && !live->mme;
}

static bool is_written(const struct plan *plan, const struct home *home)
{
    return home->kind == PLAN_HOME_ADDRESS ? plan->writes_address : plan->writes_accumulator;
}

static bool choose_home(struct plan *plan)
{
    for (unsigned written = 0; written < 2; written++)
        for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
            plan->home = (enum plan_home)homes[i].kind;
            plan->home_number = homes[i].number;
            plan->has_keeper = written != 0;
            if (is_dead(plan, &homes[i]) && is_written(plan, &homes[i]) == plan->has_keeper)
                return true;
        }
    return false;
}

static bool find_kept_carrier(struct plan *plan)
{
    const struct sonde_coder *coder = plan->coder;
    if (!choose_home(plan))
        return false;
    uint32_t number = 1;
    while (number < coder->grf_count && !is_victim(plan, number))
        number++;
    plan->carrier = number;
    plan->carrier_temporary = number * coder->grf_size + HEADER_PLACE + 4;
    return number < coder->grf_count;
}

static const char *start_buffer(struct plan *plan)
{
    plan->spill = PLAN_SPILL_NONE; /* nothing is saved yet */
    plan->victim_count = 0;
    const char *why = buffer_refusal(plan);
    if (why == NULL && !find_free_carrier(plan) && !find_kept_carrier(plan))
        why = "the address for it finds no place: nothing there is dead, neither of the "
              "registers nor of address register and accumulator";
    if (why == NULL)
        plan->spill = PLAN_SPILL_BUFFER;
    return why;
}

/* A register that is moved out of the way of a call is saved instead: it is
 * the same to the kernel, as long as nothing else looks at it. */
static bool save_for_call(struct plan *plan)
{
    const struct sonde_coder *coder = plan->coder;
    for (size_t i = 0; i < plan->save_count; i++) {
        uint32_t number = plan->saves[i];
        if (meets(plan->outside, number, coder->grf_size) ||
            meets(coder->held, number, coder->grf_size))
            continue;
        plan->saves[i] = plan->saves[--plan->save_count];
        plan->victims[plan->victim_count++] = number;
        return true;
    }
    return false;
}

static const char *take_victim(struct plan *plan)
{
    const struct sonde_coder *coder = plan->coder;
    if (plan->victim_count == PLAN_MAXIMUM_VICTIMS)
        return "too many would have to be saved";
    bool keeps = plan->has_keeper && plan->victim_count == 0;
    if (plan->spill == PLAN_SPILL_BUFFER && !keeps && save_for_call(plan))
        return NULL;
    for (uint32_t number = 1; number < coder->grf_count; number++) {
        if (!is_victim(plan, number))
            continue;
        plan->victims[plan->victim_count++] = number;
        if (keeps)
            plan->keeper = number;
        return NULL;
    }
    return "the procedure names all others itself, or they are held through the kernel";
}

static enum sonde_status refuse(const struct plan *plan, const char *scratch, const char *why,
                                struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(coder->kernel, plan->point->index);
    uint32_t offset = instruction == NULL ? 0 : instruction->offset;
    return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, offset,
                           "no register for procedure %s at 0x%x: the compiler left %u bytes "
                           "unused%s, and saving one fails, since %s%s%s",
                           plan->procedure->name, offset, coder_pool_count(&coder->compiler_free),
                           coder->options.use_own_liveness ? ", too little of the rest is dead "
                                                             "there"
                                                           : "",
                           scratch == NULL ? "" : scratch, scratch == NULL ? "" : ", and ", why);
}

enum sonde_status plan_spill_one(struct plan *plan, struct sonde_error *error)
{
    const char *scratch = NULL, *why = NULL;
    if (plan->spill == PLAN_SPILL_NONE) {
        bool takes_dead = plan->coder->options.use_own_liveness;
        enum sonde_status status =
            kernel_header_before(plan->coder->kernel, plan->point->index,
                                 takes_dead ? plan->point->live->grf : NULL, &plan->header, error);
        if (status != SONDE_OK)
            return status;
    }
    if (plan->spill != PLAN_SPILL_BUFFER) {
        scratch = scratch_refusal(plan);
        if (scratch == NULL)
            plan->spill = PLAN_SPILL_SCRATCH;
        else
            why = start_buffer(plan);
    }
    if (why == NULL && plan->spill == PLAN_SPILL_BUFFER)
        why = buffer_refusal(plan);
    if (why == NULL)
        why = take_victim(plan);
    return why == NULL ? SONDE_OK : refuse(plan, scratch, why, error);
}

static enum sonde_status move_scratch(const struct plan *plan, struct coder_code *code, bool save,
                                      struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    uint32_t base = sonde_kernel_info(coder->kernel)->scratch_offset;
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < plan->victim_count && status == SONDE_OK; i++)
        status = direct_scratch(coder, code, plan->header, plan->victims[i],
                                base + (uint32_t)i * coder->grf_size, save, error);
    return status;
}

/* Register `number` to the home, or back. */
static enum sonde_status move_home(const struct plan *plan, struct coder_code *code,
                                   uint32_t number, bool save, struct sonde_error *error)
{
    uint32_t byte = number * plan->coder->grf_size;
    /* Saving to it writes the architecture register. */
    if (plan->home == PLAN_HOME_ADDRESS)
        return direct_move_address(plan->coder, code, byte, !save, error);
    if (plan->home == PLAN_HOME_NONE)
        return SONDE_OK;
    return direct_move_accumulator(plan->coder, code, plan->home_number, byte, !save, error);
}

/* The place of the thread's first part. */
static enum sonde_status compute_place(const struct plan *plan, struct coder_code *code,
                                       struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    struct coder_chunk chunk = {.bucket_count = thread_ids(coder)};
    uint32_t byte, size;
    plan_carrier_span(plan, &byte, &size);
    if (!is_stateless(coder)) {
        chunk.chunk_shift = (uint32_t)__builtin_ctz(PART_BYTES / OWORD_BYTES);
        return direct_thread_chunk(coder, code, &chunk, coder->spill_offset / OWORD_BYTES, byte,
                                   plan->carrier_temporary, error);
    }
    chunk.chunk_shift = (uint32_t)__builtin_ctz(PART_BYTES);
    enum sonde_status status = direct_thread_chunk(coder, code, &chunk, coder->spill_offset, byte,
                                                   plan->carrier_temporary, error);
    return status == SONDE_OK ? direct_add_buffer_address(coder, code, byte, error) : status;
}

/* Registers with consecutive numbers and places: a message moves 1, 2 or 4. */
static uint32_t run_length(const struct plan *plan, size_t first)
{
    uint32_t limit = per_part(plan->coder) - (uint32_t)(first % per_part(plan->coder));
    uint32_t count = 1;
    while (count < limit && first + count < plan->victim_count &&
           plan->victims[first + count] == plan->victims[first] + count)
        count++;
    return count >= 4 ? 4 : count >= 2 ? 2 : 1;
}

/* Distance of a saved register's place from the thread's first part. */
static uint32_t place_of(const struct sonde_coder *coder, size_t index)
{
    uint32_t part = (uint32_t)index / per_part(coder), at = (uint32_t)index % per_part(coder);
    uint32_t bytes = part * thread_ids(coder) * PART_BYTES + at * coder->grf_size;
    return is_stateless(coder) ? bytes : bytes / OWORD_BYTES;
}

struct run {
    uint32_t first, count;
};

static enum sonde_status move_buffer(const struct plan *plan, struct coder_code *code, bool save,
                                     struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    struct run runs[PLAN_MAXIMUM_VICTIMS];
    size_t count = 0;
    for (uint32_t i = 0; i < plan->victim_count; i += runs[count++].count)
        runs[count] = (struct run){.first = i, .count = run_length(plan, i)};
    if (count == 0)
        return SONDE_OK;
    uint32_t byte, size, at = save ? 0 : place_of(coder, runs[count - 1].first);
    plan_carrier_span(plan, &byte, &size);
    enum sonde_status status = SONDE_OK;
    if (save) {
        status = move_home(plan, code, plan->carrier, true, error);
        if (status == SONDE_OK)
            status = compute_place(plan, code, error);
    } else if (plan->has_keeper) {
        status = move_home(plan, code, plan->keeper, true, error);
    }
    for (size_t n = 0; n < count && status == SONDE_OK; n++) {
        const struct run *run = &runs[save ? n : count - 1 - n]; /* back to where it began */
        uint32_t place = place_of(coder, run->first);
        status = place == at ? SONDE_OK
                             : direct_add_immediate(coder, code, byte, byte, place - at, error);
        at = place;
        if (status == SONDE_OK)
            status =
                direct_block(coder, code, is_stateless(coder), plan->carrier,
                             plan->victims[run->first], run->count * coder->grf_size, save, error);
    }
    if (status == SONDE_OK && (!save || plan->has_keeper))
        status = move_home(plan, code, save ? plan->keeper : plan->carrier, false, error);
    return status;
}

enum sonde_status plan_move_victims(const struct plan *plan, struct coder_code *code, bool save,
                                    struct sonde_error *error)
{
    return plan->spill == PLAN_SPILL_BUFFER ? move_buffer(plan, code, save, error)
                                            : move_scratch(plan, code, save, error);
}
