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
#include "random_procedure.h"

#define DATA_BYTES (MACHINE_PROFILE * MACHINE_SURFACE_BYTES)
#define BUCKETS    32u
#define POINTS     12u
#define OWN_AT     (MACHINE_SURFACE_BYTES - 8) /* the profile buffer's address */
#define PRIVATE_AT MACHINE_SURFACE_BYTES
#define SPILL_AT   0x200000u

static struct iga *iga;
static uint64_t first_seed = 1, last_seed = 120;

static void run(struct machine *machine, const uint8_t *code, size_t size, uint32_t entry)
{
    uint64_t address = machine_surface_address(MACHINE_PROFILE);
    memset(machine_surface(machine, 0), 0, MACHINE_SURFACES * MACHINE_SURFACE_BYTES);
    memcpy(machine_surface(machine, MACHINE_PROFILE) + OWN_AT, &address, sizeof address);
    assert_true(machine_run(machine, code, size, entry));
}

struct build {
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct random_procedures random;
    struct sonde_error error;
};

static void open_build(struct build *b, const struct sonde_kernel_info *info, uint64_t seed)
{
    *b = (struct build){.kernel = NULL};
    struct sonde_coder_options options = {
        .buffer_model = seed % 2 ? SONDE_BUFFER_STATELESS : SONDE_BUFFER_SURFACE,
        .buffer_address = seed / 4 % 2 ? 0 : machine_surface_address(MACHINE_PROFILE),
        .buffer_holds_address = true,
        .buffer_address_offset = OWN_AT,
        .binding_table_index = MACHINE_PROFILE,
        .maximum_threads = 168,
        .use_own_liveness = seed / 3 % 3 == 0,
    };
    if (sonde_kernel_create(info, &b->kernel, &b->error) != SONDE_OK ||
        sonde_instrument_create(b->kernel, &options, &b->instrument, &b->error) != SONDE_OK)
        fail_msg("%s", b->error.message);
    /* Two in three have memory for whatever registers a procedure needs. */
    if (seed % 3 != 2 &&
        sonde_instrument_set_spill_area(b->instrument, SPILL_AT, MACHINE_PROFILE_BYTES - SPILL_AT,
                                        &b->error) != SONDE_OK)
        fail_msg("%s", b->error.message);
    random_procedures_open(&b->random, b->instrument, 0, BUCKETS, seed, seed % 2 != 0);
    b->random.private_base = PRIVATE_AT;
}

static uint32_t buffer_spills;

/* True when the kernel was instrumented. */
static bool check_program(struct machine *machine, uint64_t seed, uint8_t *data)
{
    size_t size;
    const uint8_t *code = iga_assemble(iga, generate_program(seed), 0, &size);
    assert_non_null(code);
    static const uint16_t free_sizes[] = {0, 20, 128, 24 * 32};
    struct sonde_register_range free_range = {.start = 80 * 32 + 4,
                                              .size = free_sizes[seed / 2 % 4]};
    struct sonde_kernel_info info = {.name = "random",
                                     .platform = SONDE_GEN_PLATFORM_GEN9,
                                     .isa = code,
                                     .isa_size = size,
                                     .simd_width = 16,
                                     .free_ranges = &free_range,
                                     .free_range_count = free_range.size != 0,
                                     .has_free_ranges = true,
                                     .scratch_size = seed % 5 == 0 ? 512 : 0};
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
        if (!random_procedures_insert(&b.random))
            fail_msg("%s", b.random.error.message);
    struct sonde_rewritten out;
    enum sonde_status status = sonde_instrument_emit(b.instrument, &out, &b.error);
    if (status != SONDE_OK && status != SONDE_ERROR_NO_REGISTER)
        fail_msg("program %llu: %s", (unsigned long long)seed, b.error.message);
    if (status == SONDE_ERROR_NO_REGISTER && seed % 3 != 2)
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
        buffer_spills += out.buffer_spills;
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
    printf("%u of %u programs instrumented, %u registers saved to the profile buffer\n", good, all,
           buffer_spills);
    assert_true(good * 2 > all && (all < 30 || buffer_spills > all));
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
