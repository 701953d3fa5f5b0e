#include "random_procedure.h"

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
    if (below(b, 3) == 0)
        return sonde_operand_immediate(next(b));
    return sonde_operand_vreg(size == 8 || below(b, 2) ? b->wide : b->word);
}

static const struct sonde_predicate *any_predicate(struct random_procedures *b,
                                                   struct sonde_predicate *made)
{
    *made = (struct sonde_predicate){
        .flag_number = 0, .flag_subreg = (uint8_t)below(b, 2), .inverse = below(b, 2) != 0};
    return below(b, 2) ? made : NULL;
}

/* The kernel's flags differ from channel to channel. */
static void set_flags(struct random_procedures *b)
{
    for (unsigned half = 0; half < 2; half++) {
        struct sonde_predicate flag = {.flag_number = 0, .flag_subreg = (uint8_t)half};
        must(b,
             sonde_coder_cmp(coder_of(b), b->procedure, &flag, SONDE_GEN_CONDITION_G,
                             SONDE_GEN_TYPE_UD, any_operand(b, 4), any_operand(b, 4), &b->error));
    }
}

static void chunk_address(struct random_procedures *b, uint32_t align)
{
    uint32_t at = below(b, RANDOM_CHUNK - 512) / align * align;
    must(b,
         sonde_coder_compute_thread_chunk_address(coder_of(b), b->procedure, b->address, b->buckets,
                                                  RANDOM_CHUNK, b->base, at, &b->error));
}

static enum sonde_status append_operation(struct random_procedures *b,
                                          const struct sonde_predicate *predicate)
{
    static const enum sonde_gen_type types[] = {SONDE_GEN_TYPE_UW, SONDE_GEN_TYPE_UD,
                                                SONDE_GEN_TYPE_D, SONDE_GEN_TYPE_UQ};
    enum sonde_operation operation = (enum sonde_operation)below(b, SONDE_OPERATION_COUNT);
    enum sonde_gen_type type = types[operation == SONDE_CBIT ? 1 : below(b, 4)];
    uint32_t size = sonde_gen_type_size(type);
    struct sonde_operand dst = sonde_operand_vreg(size == 8 ? b->wide : b->word);
    struct sonde_operand second = any_operand(b, size);
    if (operation == SONDE_SHL || operation == SONDE_SHR)
        second = sonde_operand_immediate(below(b, 16));
    return sonde_coder_operation(coder_of(b), b->procedure, operation, type, dst,
                                 any_operand(b, size), second, predicate, &b->error);
}

static enum sonde_status append_memory(struct random_procedures *b,
                                       const struct sonde_predicate *predicate)
{
    enum sonde_gen_type type = below(b, 2) ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UQ;
    chunk_address(b, 16);
    switch (below(b, 5)) {
    case 0:
        return sonde_coder_atomic_inc(coder_of(b), b->procedure, type, b->address, predicate,
                                      &b->error);
    case 1:
        return sonde_coder_atomic_add(coder_of(b), b->procedure, type, b->address,
                                      any_operand(b, 8), predicate, &b->error);
    case 2:
        return sonde_coder_store_mem_block(coder_of(b), b->procedure, b->address, b->block,
                                           16u << below(b, 3), predicate, &b->error);
    case 3:
        return sonde_coder_load_mem_block(coder_of(b), b->procedure, b->address, b->block,
                                          16u << below(b, 3), predicate, &b->error);
    default:
        return sonde_coder_store_reg_range(coder_of(b), b->procedure, b->address, 20 + below(b, 20),
                                           1 + below(b, 5), predicate, &b->error);
    }
}

static enum sonde_status append_thread(struct random_procedures *b,
                                       const struct sonde_predicate *predicate,
                                       const struct sonde_gen_instruction *instruction)
{
    switch (below(b, 5)) {
    case 0:
        return sonde_coder_get_tid(coder_of(b), b->procedure, b->word, predicate, &b->error);
    case 1:
        return sonde_coder_compute_simd_mask(coder_of(b), b->procedure, b->word, below(b, 2) != 0,
                                             sonde_coder_execution_mask(instruction), instruction,
                                             NULL, &b->error);
    case 2:
        return sonde_coder_generate_fake_src_consumers(coder_of(b), b->procedure, instruction,
                                                       predicate, &b->error);
    case 3:
        return sonde_coder_stop_timer_ext(coder_of(b), b->procedure, b->word, NULL, &b->error);
    default:
        return sonde_coder_start_timer(coder_of(b), b->procedure, b->word, predicate, &b->error);
    }
}

static enum sonde_status append_any(struct random_procedures *b,
                                    const struct sonde_gen_instruction *instruction)
{
    struct sonde_predicate made;
    const struct sonde_predicate *predicate = any_predicate(b, &made);
    struct sonde_predicate flag = {.flag_number = 0, .flag_subreg = (uint8_t)below(b, 2)};
    struct sonde_operand counter = sonde_operand_vreg(b->counter);
    switch (below(b, 6)) {
    case 0:
        return append_memory(b, predicate);
    case 1:
        return append_thread(b, predicate, instruction);
    case 2:
        return sonde_coder_cmp(coder_of(b), b->procedure, &flag,
                               (enum sonde_gen_condition)(1 + below(b, 6)), SONDE_GEN_TYPE_UQ,
                               any_operand(b, 8), any_operand(b, 8), &b->error);
    case 3:
        return sonde_coder_operation(coder_of(b), b->procedure, SONDE_ADD, SONDE_GEN_TYPE_UD,
                                     counter, counter, any_operand(b, 4), predicate, &b->error);
    default:
        return append_operation(b, predicate);
    }
}

/* One procedure at a random place; half of them under a condition. */
bool random_procedures_insert(struct random_procedures *b)
{
    struct sonde_kernel *kernel = sonde_instrument_kernel(b->instrument);
    uint32_t index = below(b, (uint32_t)sonde_kernel_instruction_count(kernel));
    enum sonde_where where = below(b, 2) ? SONDE_AFTER : SONDE_BEFORE;
    if (sonde_instrument_insertion_refusal(b->instrument, index, where) != NULL)
        return true;
    b->procedure = sonde_procedure_create(coder_of(b), "random");
    set_flags(b);
    for (uint32_t n = 1 + below(b, 12); n > 0; n--) {
        enum sonde_status status = append_any(b, sonde_kernel_instruction(kernel, index));
        if (status != SONDE_ERROR_UNSUPPORTED)
            must(b, status);
        if (below(b, 3) == 0)
            set_flags(b);
    }
    struct sonde_procedure *conditional = sonde_procedure_create(coder_of(b), "conditional");
    if (below(b, 2) &&
        sonde_coder_generate_conditional_procedure(
            coder_of(b), b->procedure, conditional, (enum sonde_gen_condition)(1 + below(b, 6)),
            SONDE_GEN_TYPE_UD, b->word, any_operand(b, 4), &b->error) == SONDE_OK)
        b->procedure = conditional;
    if (!b->failed)
        must(b, sonde_instrument_instruction(b->instrument, index, where, b->procedure, &b->error));
    return !b->failed;
}

void random_procedures_open(struct random_procedures *b, struct sonde_instrument *instrument,
                            uint32_t base, uint32_t buckets, uint64_t seed, bool counters)
{
    *b = (struct random_procedures){
        .instrument = instrument, .base = base, .buckets = buckets, .state = seed * 77 + 5};
    b->address = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_PTR);
    b->word = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_DWORD);
    b->wide = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_QWORD);
    b->block = sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_DHWORD);
    b->counter = counters ? sonde_vreg_make_counter(coder_of(b), SONDE_VREG_DWORD)
                          : sonde_vreg_make_scratch(coder_of(b), SONDE_VREG_DWORD);
}
