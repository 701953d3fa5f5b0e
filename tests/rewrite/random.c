/* Random divergent programs, original and instrumented, on the emulator: same
 * registers and flags at the end, same number of executions of every original
 * instruction, and counters equal to the emulator's own counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"
#include "generate.h"
#include "listing.h"
#include "relink.h"
#include "isa/codec_iga.h"

static struct iga *iga;

/* Arguments: a seed, or the first and the last of many. */
static uint64_t first_seed = 1, last_seed = 60;

static void check_program(struct machine *machine, uint64_t seed)
{
    size_t size;
    const char *text = generate_program(seed);
    const uint8_t *code = iga_assemble(iga, text, seed % 2 ? IGA_ENCODE_COMPACT : 0, &size);
    if (code == NULL)
        fail_msg("program %llu does not assemble:\n%s", (unsigned long long)seed, text);
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, code, size);
    struct sonde_register_range free_range = {.start = 80 * 32 + 4, .size = 20 * 32};
    struct compare_case item = {
        .info = {.name = "random",
                 .platform = SONDE_GEN_PLATFORM_GEN9,
                 .isa = copy,
                 .isa_size = size,
                 .simd_width = 16,
                 .free_ranges = &free_range,
                 .free_range_count = 1,
                 .has_free_ranges = true,
                 .scratch_size = 256},
        .may_lack_registers = generate_used_indirect(),
    };
    if (!listing_check(iga, &item.info) || !relink_check_identity(&item.info) ||
        !relink_check_nops(iga, &item.info, 0) || !relink_check_nops(iga, &item.info, seed))
        fail_msg("program %llu", (unsigned long long)seed);
    for (unsigned mode = 0; mode < COMPARE_MODES; mode++)
        if (!compare_run(machine, &item, mode))
            fail_msg("program %llu, %s (give the number as argument to print it)",
                     (unsigned long long)seed, compare_mode_name(mode));
    free(copy);
}

static void random_programs(void **unused)
{
    (void)unused;
    struct machine *machine = machine_create();
    assert_non_null(machine);
    machine_set_group(machine, 16, 13, 3, 0);
    for (uint64_t seed = first_seed; seed <= last_seed; seed++)
        check_program(machine, seed);
    machine_destroy(machine);
}

int main(int argc, char **argv)
{
    iga = iga_open();
    if (iga == NULL)
        return 77;
    if (argc == 2) /* one program, to look at */
        puts(generate_program(strtoull(argv[1], NULL, 0)));
    if (argc > 1) {
        first_seed = strtoull(argv[1], NULL, 0);
        last_seed = strtoull(argv[argc - 1], NULL, 0);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
