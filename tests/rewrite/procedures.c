/* Random legal procedures at random points of random divergent programs: the
 * program's registers, flags and memory end as without them, and every
 * original instruction runs as often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "generate.h"
#include "isa/codec_iga.h"
#include "machine.h"

#define DATA_BYTES (MACHINE_PROFILE * MACHINE_SURFACE_BYTES)
#define CHUNK      2048u
#define BUCKETS    32u
#define POINTS     12u

static struct iga *iga;
static uint64_t first_seed = 1, last_seed = 120;

struct build {
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct sonde_coder *coder;
    struct sonde_procedure *procedure;
    sonde_vreg address, word, wide, block, counter;
    uint64_t state;
    struct sonde_error error;
};

static uint32_t below(struct build *b, uint32_t limit)
{
    return machine_random(&b->state) % limit;
}

static struct sonde_operand any_operand(struct build *b, uint32_t size)
{
    if (below(b, 3) == 0)
        return sonde_operand_immediate(machine_random(&b->state));
    return sonde_operand_vreg(size == 8 || below(b, 2) ? b->wide : b->word);
}

static const struct sonde_predicate *any_predicate(struct build *b, struct sonde_predicate *made)
{
    *made = (struct sonde_predicate){
        .flag_number = 0, .flag_subreg = (uint8_t)below(b, 2), .inverse = below(b, 2) != 0};
    return below(b, 2) ? made : NULL;
}

/* The kernel's flags differ from channel to channel. */
static void set_flags(struct build *b)
{
    for (unsigned half = 0; half < 2; half++) {
        struct sonde_predicate flag = {.flag_number = 0, .flag_subreg = (uint8_t)half};
        assert_int_equal(sonde_coder_cmp(b->coder, b->procedure, &flag, SONDE_GEN_CONDITION_G,
                                         SONDE_GEN_TYPE_UD, any_operand(b, 4), any_operand(b, 4),
                                         &b->error),
                         SONDE_OK);
    }
}

static void chunk_address(struct build *b, uint32_t align)
{
    uint32_t at = below(b, CHUNK - 512) / align * align;
    assert_int_equal(sonde_coder_compute_thread_chunk_address(b->coder, b->procedure, b->address,
                                                              BUCKETS, CHUNK, 0, at, &b->error),
                     SONDE_OK);
}

static enum sonde_status append_operation(struct build *b, const struct sonde_predicate *predicate)
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
    return sonde_coder_operation(b->coder, b->procedure, operation, type, dst, any_operand(b, size),
                                 second, predicate, &b->error);
}

static enum sonde_status append_memory(struct build *b, const struct sonde_predicate *predicate)
{
    enum sonde_gen_type type = below(b, 2) ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UQ;
    chunk_address(b, 16);
    switch (below(b, 5)) {
    case 0:
        return sonde_coder_atomic_inc(b->coder, b->procedure, type, b->address, predicate,
                                      &b->error);
    case 1:
        return sonde_coder_atomic_add(b->coder, b->procedure, type, b->address, any_operand(b, 8),
                                      predicate, &b->error);
    case 2:
        return sonde_coder_store_mem_block(b->coder, b->procedure, b->address, b->block,
                                           16u << below(b, 3), predicate, &b->error);
    case 3:
        return sonde_coder_load_mem_block(b->coder, b->procedure, b->address, b->block,
                                          16u << below(b, 3), predicate, &b->error);
    default:
        return sonde_coder_store_reg_range(b->coder, b->procedure, b->address, 20 + below(b, 20),
                                           1 + below(b, 5), predicate, &b->error);
    }
}

static enum sonde_status append_thread(struct build *b, const struct sonde_predicate *predicate,
                                       const struct sonde_gen_instruction *instruction)
{
    switch (below(b, 5)) {
    case 0:
        return sonde_coder_get_tid(b->coder, b->procedure, b->word, predicate, &b->error);
    case 1:
        return sonde_coder_compute_simd_mask(b->coder, b->procedure, b->word, below(b, 2) != 0,
                                             sonde_coder_execution_mask(instruction), instruction,
                                             NULL, &b->error);
    case 2:
        return sonde_coder_generate_fake_src_consumers(b->coder, b->procedure, instruction,
                                                       predicate, &b->error);
    case 3:
        return sonde_coder_stop_timer_ext(b->coder, b->procedure, b->word, NULL, &b->error);
    default:
        return sonde_coder_start_timer(b->coder, b->procedure, b->word, predicate, &b->error);
    }
}

static enum sonde_status append_any(struct build *b,
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
        return sonde_coder_cmp(b->coder, b->procedure, &flag,
                               (enum sonde_gen_condition)(1 + below(b, 6)), SONDE_GEN_TYPE_UQ,
                               any_operand(b, 8), any_operand(b, 8), &b->error);
    case 3:
        return sonde_coder_operation(b->coder, b->procedure, SONDE_ADD, SONDE_GEN_TYPE_UD, counter,
                                     counter, any_operand(b, 4), predicate, &b->error);
    default:
        return append_operation(b, predicate);
    }
}

/* One procedure at a random place; half of them under a condition. */
static void insert_one(struct build *b)
{
    size_t count = sonde_kernel_instruction_count(b->kernel);
    uint32_t index = below(b, (uint32_t)count);
    enum sonde_where where = below(b, 2) ? SONDE_AFTER : SONDE_BEFORE;
    if (sonde_instrument_insertion_refusal(b->instrument, index, where) != NULL)
        return;
    b->procedure = sonde_procedure_create(b->coder, "random");
    set_flags(b);
    for (uint32_t n = 1 + below(b, 12); n > 0; n--) {
        enum sonde_status status = append_any(b, sonde_kernel_instruction(b->kernel, index));
        if (status != SONDE_OK && status != SONDE_ERROR_UNSUPPORTED)
            fail_msg("%s", b->error.message);
        if (below(b, 3) == 0)
            set_flags(b);
    }
    struct sonde_procedure *conditional = sonde_procedure_create(b->coder, "conditional");
    if (below(b, 2) &&
        sonde_coder_generate_conditional_procedure(
            b->coder, b->procedure, conditional, (enum sonde_gen_condition)(1 + below(b, 6)),
            SONDE_GEN_TYPE_UD, b->word, any_operand(b, 4), &b->error) == SONDE_OK)
        b->procedure = conditional;
    assert_int_equal(
        sonde_instrument_instruction(b->instrument, index, where, b->procedure, &b->error), 0);
}

static void open_build(struct build *b, const struct sonde_kernel_info *info, uint64_t seed)
{
    *b = (struct build){.state = seed * 77 + 5};
    struct sonde_coder_options options = {
        .buffer_model = seed % 2 ? SONDE_BUFFER_STATELESS : SONDE_BUFFER_SURFACE,
        .buffer_address = machine_surface_address(MACHINE_PROFILE),
        .binding_table_index = MACHINE_PROFILE,
        .maximum_threads = 168,
        .use_own_liveness = seed % 3 != 0,
    };
    if (sonde_kernel_create(info, &b->kernel, &b->error) != SONDE_OK ||
        sonde_instrument_create(b->kernel, &options, &b->instrument, &b->error) != SONDE_OK)
        fail_msg("%s", b->error.message);
    b->coder = sonde_instrument_coder(b->instrument);
    b->address = sonde_vreg_make_scratch(b->coder, SONDE_VREG_PTR);
    b->word = sonde_vreg_make_scratch(b->coder, SONDE_VREG_DWORD);
    b->wide = sonde_vreg_make_scratch(b->coder, SONDE_VREG_QWORD);
    b->block = sonde_vreg_make_scratch(b->coder, SONDE_VREG_DHWORD);
    b->counter = sonde_vreg_make_counter(b->coder, SONDE_VREG_DWORD);
}

static void run(struct machine *machine, const uint8_t *code, size_t size, uint32_t entry)
{
    memset(machine_surface(machine, 0), 0, MACHINE_SURFACES * MACHINE_SURFACE_BYTES);
    assert_true(machine_run(machine, code, size, entry));
}

/* True when the kernel was instrumented. */
static bool check_program(struct machine *machine, uint64_t seed, uint8_t *data)
{
    size_t size;
    const uint8_t *code = iga_assemble(iga, generate_program(seed), 0, &size);
    assert_non_null(code);
    struct sonde_register_range free_range = {.start = 80 * 32 + 4, .size = 24 * 32};
    struct sonde_kernel_info info = {.name = "random",
                                     .platform = SONDE_GEN_PLATFORM_GEN9,
                                     .isa = code,
                                     .isa_size = size,
                                     .simd_width = 16,
                                     .free_ranges = &free_range,
                                     .free_range_count = seed % 5 != 0,
                                     .has_free_ranges = true,
                                     .scratch_size = 512};
    struct build b;
    open_build(&b, &info, seed);
    const struct sonde_kernel_info *copy = sonde_kernel_info(b.kernel);
    run(machine, copy->isa, copy->isa_size, 0);
    memcpy(data, machine_surface(machine, 0), DATA_BYTES);
    size_t count = sonde_kernel_instruction_count(b.kernel);
    uint64_t *executions = calloc(count, sizeof *executions);
    assert_non_null(executions);
    for (size_t i = 0; i < count; i++)
        executions[i] = machine_executions(machine, sonde_kernel_instruction(b.kernel, i)->offset);
    for (unsigned n = 0; n < POINTS; n++)
        insert_one(&b);
    struct sonde_rewritten out;
    enum sonde_status status = sonde_instrument_emit(b.instrument, &out, &b.error);
    if (status != SONDE_OK && status != SONDE_ERROR_NO_REGISTER)
        fail_msg("program %llu: %s", (unsigned long long)seed, b.error.message);
    if (status == SONDE_OK) {
        run(machine, out.code, out.size, out.instrumented_entry);
        if (memcmp(data, machine_surface(machine, 0), DATA_BYTES) != 0)
            fail_msg("program %llu computes something else", (unsigned long long)seed);
        for (size_t i = 0; i < count; i++)
            if (executions[i] !=
                machine_executions(machine, out.instruction_offsets[i] - out.instrumented_entry))
                fail_msg("program %llu: instruction %zu runs more or less often",
                         (unsigned long long)seed, i);
        assert_int_equal(machine->result.out_of_bounds, 0);
    }
    sonde_rewritten_clear(&out);
    sonde_instrument_destroy(b.instrument);
    sonde_kernel_destroy(b.kernel);
    free(executions);
    return status == SONDE_OK;
}

static void random_procedures(void **unused)
{
    (void)unused;
    struct machine *machine = machine_create();
    uint8_t *data = malloc(DATA_BYTES);
    assert_true(machine != NULL && data != NULL);
    machine_set_group(machine, 16, 13, 3, 0);
    unsigned good = 0, all = 0;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++, all++)
        good += check_program(machine, seed, data);
    /* The rest has neither free registers nor liveness, or hides which. */
    printf("%u of %u programs instrumented\n", good, all);
    assert_true(good * 2 > all);
    machine_destroy(machine);
    free(data);
}

int main(int argc, char **argv)
{
    iga = iga_open();
    if (iga == NULL)
        return 77;
    if (argc > 1) {
        first_seed = strtoull(argv[1], NULL, 0);
        last_seed = strtoull(argv[argc - 1], NULL, 0);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_procedures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
