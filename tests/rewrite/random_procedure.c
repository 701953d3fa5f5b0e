#include "random_procedure.h"

/* Bytes that one method may write from an address on. */
#define REACH 512u

static struct sonde_coder *coder_of(const struct random_procedures *b)
{
    return sonde_instrument_coder(b->instrument);
}

static uint32_t next(struct random_procedures *b)
{
    b->state ^= b->state << 13;
    b->state ^= b->state >> 7;
    b->state ^= b->state << 17;
    return (uint32_t)(b->state * 0x2545f4914f6cdd1du >> 32);
}

/* The first failure stays in `error`. */
static void must(struct random_procedures *b, enum sonde_status status)
{
    b->failed |= status != SONDE_OK;
}

static uint32_t below(struct random_procedures *b, uint32_t limit)
{
    return next(b) % limit;
}

static struct sonde_operand any_operand(struct random_procedures *b, uint32_t size)
{
    static const uint8_t state[] = {SONDE_GEN_ARF_STATE, SONDE_GEN_ARF_CHANNEL_ENABLE,
                                    SONDE_GEN_ARF_FLAG, SONDE_GEN_ARF_FLAG | 1};
    uint32_t kind = below(b, 12);
    if (kind < 4)
        return sonde_operand_immediate(next(b));
    if (kind == 4 && size == 4)
        return sonde_operand_arf(state[below(b, b->uses_f1 ? 4 : 3)], 0);
    if (kind == 5) /* whatever the kernel has there */
        return sonde_operand_grf(1 + below(b, 120), 8 * below(b, 4), 32);
    return sonde_operand_vreg(size == 8 || below(b, 2) ? b->wide : b->word);
}

static const struct sonde_predicate *any_predicate(struct random_procedures *b,
                                                   struct sonde_predicate *made)
{
    *made = (struct sonde_predicate){.flag_number = (uint8_t)(b->uses_f1 && below(b, 2)),
                                     .flag_subreg = (uint8_t)below(b, 2),
                                     .inverse = below(b, 2) != 0};
    return below(b, 2) ? made : NULL;
}

/* The kernel's flags differ from channel to channel. */
static void set_flags(struct random_procedures *b)
{
    for (unsigned half = 0; half < (b->uses_f1 ? 4 : 2); half++) {
        struct sonde_predicate flag = {.flag_number = (uint8_t)(half / 2),
                                       .flag_subreg = (uint8_t)(half % 2)};
        must(b, sonde_coder_cmp(coder_of(b), b->procedure, &flag,
                                (enum sonde_gen_condition)(1 + below(b, 6)), SONDE_GEN_TYPE_UD,
                                sonde_operand_vreg(b->word), any_operand(b, 4), &b->error));
    }
}

/* An address with REACH bytes of the thread's chunk behind it, by any method. */
static void make_address(struct random_procedures *b, uint32_t align)
{
    struct sonde_coder *coder = coder_of(b);
    uint32_t room = RANDOM_CHUNK - REACH, at = below(b, room) / align * align;
    uint32_t part = below(b, at + 1) / align * align;
    struct sonde_operand address = sonde_operand_vreg(b->address);
    switch (below(b, 5)) {
    case 0:
        must(b,
             sonde_coder_compute_thread_chunk_address(coder, b->procedure, b->address, b->buckets,
                                                      RANDOM_CHUNK, b->base, at, NULL, &b->error));
        break;
    case 1: /* by its offset */
        must(b,
             sonde_coder_compute_thread_chunk_offset(coder, b->procedure, b->word, b->buckets,
                                                     RANDOM_CHUNK, b->base, at, NULL, &b->error));
        must(b, sonde_coder_compute_address(coder, b->procedure, b->address,
                                            sonde_operand_vreg(b->word), NULL, &b->error));
        break;
    case 2:
        must(b,
             sonde_coder_compute_address(coder, b->procedure, b->address,
                                         sonde_operand_immediate(b->base + at), NULL, &b->error));
        break;
    case 3: /* forwards and backwards by a constant */
        must(b,
             sonde_coder_compute_address(coder, b->procedure, b->other,
                                         sonde_operand_immediate(b->base + part), NULL, &b->error));
        must(b, sonde_coder_compute_rel_address(
                    coder, b->procedure, b->address, b->other,
                    sonde_operand_immediate((uint64_t)((int64_t)at - (int64_t)part)), NULL,
                    &b->error));
        break;
    default: /* by a register */
        must(b,
             sonde_coder_compute_thread_chunk_address(coder, b->procedure, b->other, b->buckets,
                                                      RANDOM_CHUNK, b->base, 0, NULL, &b->error));
        must(b, sonde_coder_operation(coder, b->procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                      sonde_operand_vreg(b->word), sonde_operand_immediate(at),
                                      address, NULL, &b->error));
        must(b, sonde_coder_compute_rel_address(coder, b->procedure, b->address, b->other,
                                                sonde_operand_vreg(b->word), NULL, &b->error));
        break;
    }
}

static enum sonde_status append_operation(struct random_procedures *b,
                                          const struct sonde_predicate *predicate)
{
    static const enum sonde_gen_type types[] = {SONDE_GEN_TYPE_UW, SONDE_GEN_TYPE_UD,
                                                SONDE_GEN_TYPE_D,  SONDE_GEN_TYPE_UQ,
                                                SONDE_GEN_TYPE_W,  SONDE_GEN_TYPE_Q};
    enum sonde_operation operation = (enum sonde_operation)below(b, SONDE_OPERATION_COUNT);
    enum sonde_gen_type type = types[operation == SONDE_CBIT ? 1 : below(b, 6)];
    uint32_t size = sonde_gen_type_size(type);
    struct sonde_operand dst = sonde_operand_vreg(size == 8 ? b->wide : b->word);
    struct sonde_operand second = any_operand(b, size);
    if (operation == SONDE_SHL || operation == SONDE_SHR)
        second = sonde_operand_immediate(below(b, 16));
    return sonde_coder_operation(coder_of(b), b->procedure, operation, type, dst,
                                 any_operand(b, size), second, predicate, &b->error);
}

static enum sonde_status append_arithmetic(struct random_procedures *b,
                                           const struct sonde_predicate *predicate)
{
    struct sonde_coder *coder = coder_of(b);
    struct sonde_predicate flag = {.flag_number = (uint8_t)(b->uses_f1 && below(b, 2)),
                                   .flag_subreg = (uint8_t)below(b, 2)};
    struct sonde_operand counter = sonde_operand_vreg(b->counter);
    switch (below(b, 5)) {
    case 0:
        return sonde_coder_cmp(coder, b->procedure, &flag,
                               (enum sonde_gen_condition)(1 + below(b, 6)),
                               below(b, 2) ? SONDE_GEN_TYPE_UQ : SONDE_GEN_TYPE_Q,
                               any_operand(b, 8), any_operand(b, 8), &b->error);
    case 1:
        return sonde_coder_operation(coder, b->procedure, SONDE_ADD, SONDE_GEN_TYPE_UD, counter,
                                     counter, any_operand(b, 4), predicate, &b->error);
    case 2:
        return sonde_coder_addc(coder, b->procedure, sonde_operand_vreg(b->word),
                                sonde_operand_vreg_at(b->wide, 4), any_operand(b, 4),
                                any_operand(b, 4), predicate, &b->error);
    case 3:
        return sonde_coder_sel(coder, b->procedure, &flag, SONDE_GEN_TYPE_UD,
                               sonde_operand_vreg(b->word), any_operand(b, 4), any_operand(b, 4),
                               &b->error);
    default:
        return append_operation(b, predicate);
    }
}

static enum sonde_status append_atomic(struct random_procedures *b,
                                       const struct sonde_predicate *predicate)
{
    struct sonde_coder *coder = coder_of(b);
    enum sonde_gen_type type = below(b, 2) ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UQ;
    make_address(b, 8);
    bool is_surface = sonde_coder_profile_buffer_addr_model(coder) == SONDE_BUFFER_SURFACE;
    switch (below(b, is_surface ? 5 : 4)) {
    case 4: {
        uint32_t count = below(b, 17), at = 4 * below(b, (RANDOM_CHUNK - REACH) / 4);
        return sonde_coder_add_to_buckets(coder, b->procedure, count == 0 ? NULL : &b->block,
                                          count == 0 ? 1 : count, b->buckets, RANDOM_CHUNK,
                                          b->base + at, predicate, &b->error);
    }
    case 0:
        return sonde_coder_atomic_inc(coder, b->procedure, type, b->address, predicate, &b->error);
    case 1:
        return sonde_coder_atomic_add(coder, b->procedure, type, b->address, any_operand(b, 8),
                                      predicate, &b->error);
    case 2:
        return sonde_coder_atomic_store(coder, b->procedure, type, b->address, any_operand(b, 8),
                                        predicate, &b->error);
    default:
        return sonde_coder_atomic_fetch_add(coder, b->procedure, b->address, any_operand(b, 4),
                                            below(b, 2) ? b->old : b->word, predicate, &b->error);
    }
}

/* What was stored is loaded again, so that the kernel's registers stay. */
static enum sonde_status append_range(struct random_procedures *b,
                                      const struct sonde_predicate *predicate)
{
    struct sonde_coder *coder = coder_of(b);
    struct sonde_gen_model model;
    uint32_t first = below(b, 120), count = 1 + below(b, 7);
    uint32_t bytes = count * 32;
    bool loads = b->private_base != 0 && below(b, 2);
    sonde_coder_gen_model(coder, &model);
    if (loads)
        must(b, sonde_coder_compute_thread_chunk_address(
                    coder, b->procedure, b->address, model.maximum_thread_buckets, RANDOM_PRIVATE,
                    b->private_base, 16, NULL, &b->error));
    must(b, sonde_coder_store_reg_range(coder, b->procedure, b->address, first, count, predicate,
                                        &b->error));
    if (!loads)
        return SONDE_OK;
    must(b, sonde_coder_compute_rel_address(coder, b->procedure, b->address, b->address,
                                            sonde_operand_immediate(-(uint64_t)bytes), predicate,
                                            &b->error));
    return sonde_coder_load_reg_range(coder, b->procedure, b->address, first, count, predicate,
                                      &b->error);
}

static enum sonde_status append_memory(struct random_procedures *b,
                                       const struct sonde_predicate *predicate,
                                       const struct sonde_gen_instruction *instruction)
{
    struct sonde_coder *coder = coder_of(b);
    uint32_t registers = sonde_coder_payload_address_registers(instruction);
    uint32_t size = 16u << below(b, 3);
    if (below(b, 3) == 0)
        return append_atomic(b, predicate);
    make_address(b, 16);
    if (registers != 0 && registers * 32 < REACH && below(b, 2))
        return sonde_coder_store_payload_addresses(coder, b->procedure, b->address, instruction,
                                                   predicate, &b->error);
    switch (below(b, 3)) {
    case 0:
        return sonde_coder_store_mem_block(coder, b->procedure, b->address, b->block, size,
                                           predicate, &b->error);
    case 1:
        return sonde_coder_load_mem_block(coder, b->procedure, b->address, b->block, size,
                                          predicate, &b->error);
    default:
        return append_range(b, predicate);
    }
}

static enum sonde_status append_timer(struct random_procedures *b,
                                      const struct sonde_predicate *predicate)
{
    struct sonde_coder *coder = coder_of(b);
    bool result_is_predicate =
        predicate != NULL && predicate->flag_number == 0 && predicate->flag_subreg == 0;
    const struct sonde_predicate *other = result_is_predicate ? NULL : predicate;
    switch (below(b, 6)) {
    case 0:
        return sonde_coder_start_timer(coder, b->procedure, b->word, predicate, &b->error);
    case 1:
        return sonde_coder_stop_timer(coder, b->procedure, b->word, predicate, &b->error);
    case 2:
        return sonde_coder_stop_timer_ext(coder, b->procedure, b->word, other, &b->error);
    case 3:
        return sonde_coder_start_perfmon(coder, b->procedure, b->word, predicate, &b->error);
    case 4:
        return sonde_coder_stop_perfmon(coder, b->procedure, b->word, predicate, &b->error);
    default:
        return sonde_coder_stop_perfmon_ext(coder, b->procedure, b->word, other, &b->error);
    }
}

static enum sonde_status append_thread(struct random_procedures *b,
                                       const struct sonde_predicate *predicate,
                                       const struct sonde_gen_instruction *instruction)
{
    struct sonde_coder *coder = coder_of(b);
    switch (below(b, 8)) {
    case 7:
        return sonde_coder_compute_thread_chunk_offset(coder, b->procedure, b->word, b->buckets,
                                                       RANDOM_CHUNK, b->base, 0, predicate,
                                                       &b->error);
    case 0:
        return sonde_coder_get_tid(coder, b->procedure, b->word, predicate, &b->error);
    case 1:
        return sonde_coder_get_dss_id(coder, b->procedure, b->word, predicate, &b->error);
    case 2:
        return sonde_coder_load_tile_id(coder, b->procedure, b->word, predicate, &b->error);
    case 3:
        return b->has_ff_tid
                   ? sonde_coder_get_ff_tid(coder, b->procedure, b->word, predicate, &b->error)
                   : SONDE_OK;
    case 4:
        return sonde_coder_generate_fake_src_consumers(coder, b->procedure, instruction, predicate,
                                                       &b->error);
    case 5:
        return sonde_coder_generate_fake_dst_consumers(coder, b->procedure, instruction, predicate,
                                                       &b->error);
    default:
        b->reads_f1 |= instruction->flag_number == 1;
        return sonde_coder_compute_simd_mask(coder, b->procedure, b->word, below(b, 2) != 0,
                                             sonde_coder_execution_mask(instruction), instruction,
                                             NULL, &b->error);
    }
}

/* An instruction of the caller's own, which destroys flags or a0. */
static enum sonde_status append_own(struct random_procedures *b)
{
    struct sonde_gen_instruction move;
    uint32_t which = below(b, b->uses_f1 ? 3 : 2);
    sonde_gen_instruction_init(&move,
                               sonde_kernel_info(sonde_instrument_kernel(b->instrument))->platform,
                               SONDE_GEN_MOV, which == 1 ? 8 : 1, true);
    move.source_count = 1;
    move.dst.file = SONDE_GEN_FILE_ARF;
    move.dst.number =
        which == 1 ? SONDE_GEN_ARF_ADDRESS : (uint8_t)(SONDE_GEN_ARF_FLAG | (which == 2));
    move.dst.type = move.src[0].type = SONDE_GEN_TYPE_UD;
    move.dst.hstride = 1;
    move.src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    move.src[0].immediate = which == 1 ? 0x0fff0fff : below(b, 2) ? 0xffffffff : 0;
    return sonde_coder_append_instruction(coder_of(b), b->procedure, &move, &b->error);
}

static enum sonde_status append_any(struct random_procedures *b,
                                    const struct sonde_gen_instruction *instruction)
{
    struct sonde_predicate made;
    const struct sonde_predicate *predicate = any_predicate(b, &made);
    switch (below(b, 8)) {
    case 0:
    case 1:
        return append_memory(b, predicate, instruction);
    case 2:
        return append_thread(b, predicate, instruction);
    case 3:
        return append_timer(b, predicate);
    case 4:
        return append_own(b);
    default:
        return append_arithmetic(b, predicate);
    }
}

/* A comparison may overwrite a flag of the kernel's that differs by channel;
 * once it is set, predicates are uniform. */
static void fill(struct random_procedures *b, const struct sonde_gen_instruction *instruction)
{
    set_flags(b);
    for (uint32_t n = 1 + below(b, 12); n > 0; n--) {
        enum sonde_status status = append_any(b, instruction);
        if (status != SONDE_ERROR_UNSUPPORTED)
            must(b, status);
        if (below(b, 3) == 0)
            set_flags(b);
    }
}

static void make_conditional(struct random_procedures *b)
{
    struct sonde_coder *coder = coder_of(b);
    struct sonde_procedure *conditional = sonde_procedure_create(coder, "conditional");
    enum sonde_gen_condition condition = (enum sonde_gen_condition)(1 + below(b, 6));
    enum sonde_status status;
    switch (below(b, 3)) {
    case 0:
        status = sonde_coder_convert_to_conditional_procedure(coder, b->procedure, conditional,
                                                              b->word, &b->error);
        break;
    case 1:
        status = sonde_coder_generate_conditional_procedure(coder, b->procedure, conditional,
                                                            condition, SONDE_GEN_TYPE_UD, b->word,
                                                            any_operand(b, 4), &b->error);
        break;
    default:
        status = sonde_coder_generate_conditional_procedure(coder, b->procedure, conditional,
                                                            condition, SONDE_GEN_TYPE_Q, b->wide,
                                                            sonde_operand_vreg(b->wide), &b->error);
        break;
    }
    if (status == SONDE_OK)
        b->procedure = conditional;
    else if (status != SONDE_ERROR_UNSUPPORTED && !b->uses_f1 && !b->reads_f1)
        must(b, status);
}

static enum sonde_status place(struct random_procedures *b, uint32_t index)
{
    struct sonde_kernel *kernel = sonde_instrument_kernel(b->instrument);
    enum sonde_where where = below(b, 2) ? SONDE_AFTER : SONDE_BEFORE;
    uint32_t kind = below(b, 12), edge = below(b, (uint32_t)sonde_kernel_edge_count(kernel) + 1);
    enum sonde_status status;
    if (b->dry)
        return SONDE_OK;
    switch (kind) {
    case 0:
        return sonde_instrument_entries(b->instrument, b->procedure, &b->error);
    case 1:
        return sonde_instrument_exits(b->instrument, b->procedure, &b->error);
    case 2:
    case 3:
        status = sonde_instrument_edge(b->instrument, edge, b->procedure, &b->error);
        return status == SONDE_ERROR_UNSUPPORTED || status == SONDE_ERROR_ARGUMENT ? SONDE_OK
                                                                                   : status;
    case 4:
    case 5:
    case 6:
        status = sonde_instrument_block(b->instrument, sonde_kernel_block_of(kernel, index), where,
                                        b->procedure, &b->error);
        return status == SONDE_ERROR_UNSUPPORTED ? SONDE_OK : status;
    default:
        if (sonde_instrument_insertion_refusal(b->instrument, index, where) != NULL)
            return SONDE_OK;
        return sonde_instrument_instruction(b->instrument, index, where, b->procedure, &b->error);
    }
}

bool random_procedures_insert(struct random_procedures *b)
{
    struct sonde_kernel *kernel = sonde_instrument_kernel(b->instrument);
    uint32_t index = below(b, (uint32_t)sonde_kernel_instruction_count(kernel));
    b->procedure = sonde_procedure_create(coder_of(b), "random");
    b->uses_f1 = below(b, 3) == 0;
    b->reads_f1 = false;
    fill(b, sonde_kernel_instruction(kernel, index));
    if (below(b, 2))
        make_conditional(b);
    if (below(b, 8) == 0) { /* as a part of another */
        struct sonde_procedure *whole = sonde_procedure_create(coder_of(b), "whole");
        must(b, sonde_procedure_append(whole, b->procedure, &b->error));
        must(b, sonde_procedure_append(whole, b->procedure, &b->error));
        b->procedure = whole;
    }
    if (!b->failed)
        must(b, place(b, index));
    return !b->failed;
}

/* A register for the whole kernel, or one for a procedure where it has none. */
static void reserve(struct random_procedures *b)
{
    struct sonde_coder *coder = coder_of(b);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "reserve");
    struct sonde_operand counter = sonde_operand_vreg(b->counter);
    must(b, sonde_coder_operation(coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD, counter, counter,
                                  sonde_operand_immediate(1), NULL, &b->error));
    enum sonde_status status = sonde_coder_reserve(coder, procedure, &b->error);
    if (status == SONDE_ERROR_NO_REGISTER)
        b->counter = sonde_vreg_make_scratch(coder, SONDE_VREG_DWORD);
    else
        must(b, status);
    procedure = sonde_procedure_create(coder, "reserve");
    must(b, sonde_coder_get_ff_tid(coder, procedure, b->word, NULL, &b->error));
    b->has_ff_tid = sonde_coder_reserve(coder, procedure, &b->error) == SONDE_OK;
}

void random_procedures_open(struct random_procedures *b, struct sonde_instrument *instrument,
                            uint32_t base, uint32_t buckets, uint64_t seed, bool lasting)
{
    *b = (struct random_procedures){
        .instrument = instrument, .base = base, .buckets = buckets, .state = seed * 77 + 5};
    b->address = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_PTR);
    b->other = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_PTR);
    b->word = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_DWORD);
    b->wide = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_QWORD);
    b->block = sonde_vreg_make_msg_data_scratch(coder_of(b), SONDE_VREG_DHWORD);
    b->old = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_GRF);
    b->counter = lasting ? sonde_vreg_make_counter(coder_of(b), SONDE_VREG_DWORD)
                         : sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_DWORD);
    if (lasting)
        reserve(b);
}
