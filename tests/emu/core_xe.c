/* What Gen12 and Xe-HPG code does that Gen9 code does not, against results
 * computed here; and random code over accumulators on the general and the
 * vectorised paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"
#include "emu/gen/core.h"

#define ROUNDS 60

enum { GENERAL, BASELINE, BEST, MACHINES };

static struct core_machine *machines[MACHINES];
static char text[16384];

static uint32_t random_word(void)
{
    uint32_t value = (uint32_t)(core_random() >> 32);
    return core_random() % 4 == 0   ? value % 16
           : core_random() % 5 == 0 ? value | 0xffff0000
                                    : value;
}

static void randomize(void)
{
    for (unsigned i = 0; i < CORE_GRF_BYTES / 4; i++) {
        uint32_t value = random_word();
        memcpy(machines[GENERAL]->payload + 4 * i, &value, 4);
    }
    memcpy(machines[BASELINE]->payload, machines[GENERAL]->payload, CORE_GRF_BYTES);
    memcpy(machines[BEST]->payload, machines[GENERAL]->payload, CORE_GRF_BYTES);
}

static bool use(enum sonde_gen_platform platform)
{
    bool usable = machines[GENERAL] != NULL;
    for (unsigned m = 0; m < MACHINES && usable; m++)
        usable = core_use_platform(machines[m], platform);
    if (!usable)
        skip();
    return usable;
}

/* Payload register r, dword i. */
static uint32_t in(unsigned reg, unsigned i)
{
    return ((uint32_t *)core_payload(machines[GENERAL], reg))[i];
}

static void expect(unsigned reg, unsigned i, uint32_t want, const char *what)
{
    for (unsigned m = 0; m < MACHINES; m++)
        if (core_d(machines[m], reg)[i] != want)
            fail_msg("%s, channel %u, machine %u: 0x%08x, expected 0x%08x", what, i, m,
                     core_d(machines[m], reg)[i], want);
}

static void execute(const char *code)
{
    for (unsigned m = 0; m < MACHINES; m++)
        core_execute(machines[m], code);
}

static void products(void **state)
{
    (void)state;
    use(SONDE_GEN_PLATFORM_XE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        randomize();
        execute("(W) mul (8|M0) acc0.0<1>:d r1.0<8;8,1>:d r2.0<16;8,2>:uw\n"
                "(W) mach (8|M0) r50.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
                "(W) mul (8|M0) acc0.0<1>:d r1.0<8;8,1>:d r2.0<16;8,2>:uw\n"
                "(W) mach (8|M0) r51.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d {AccWrEn}\n"
                "(W) mov (8|M0) r52.0<1>:d acc0.0<8;8,1>:d\n"
                "(W) mul (8|M0) acc0.0<1>:ud r1.0<8;8,1>:ud r2.0<16;8,2>:uw\n"
                "(W) mach (8|M0) r53.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud {AccWrEn}\n");
        for (unsigned i = 0; i < 8; i++) {
            int64_t product = (int64_t)(int32_t)in(1, i) * (int32_t)in(2, i);
            expect(50, i, in(1, i) * in(2, i), "low product");
            expect(51, i, (uint32_t)(product >> 32), "signed high product");
            expect(52, i, (uint32_t)product, "accumulator after it");
            expect(53, i, (uint32_t)((uint64_t)in(1, i) * in(2, i) >> 32), "unsigned high product");
        }
    }
}

static uint32_t rotated(uint32_t value, uint32_t count)
{
    count &= 31;
    return count ? value << count | value >> (32 - count) : value;
}

static uint32_t products_of_bytes(uint32_t a, uint32_t b, bool sign_a, bool sign_b)
{
    uint32_t sum = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        int32_t x = sign_a ? (int8_t)(a >> k) : (uint8_t)(a >> k);
        int32_t y = sign_b ? (int8_t)(b >> k) : (uint8_t)(b >> k);
        sum += (uint32_t)(x * y);
    }
    return sum;
}

static void new_operations(void **state)
{
    (void)state;
    use(SONDE_GEN_PLATFORM_XEHPG);
    for (unsigned round = 0; round < ROUNDS; round++) {
        randomize();
        execute("(W) rol (16|M0) r50.0<1>:ud r1.0<1;1,0>:ud r3.0<1;1,0>:ud\n"
                "(W) ror (8|M0) r52.0<1>:ud r1.0<1;1,0>:ud r3.0<1;1,0>:ud\n"
                "(W) add3 (8|M0) r53.0<1>:d r1.0<1;0>:d -r3.0<1;0>:d r5.0<1>:d\n"
                "(W) dp4a (8|M0) r54.0<1>:d r1.0<1;0>:d r3.0<1;0>:d r5.0<1>:d\n"
                "(W) dp4a (8|M0) r55.0<1>:d r1.0<1;0>:d r3.0<1;0>:ud r5.0<1>:d\n"
                "(W) dp4a (8|M0) r56.0<1>:ud r1.0<1;0>:ud r3.0<1;0>:ud r5.0<1>:ud\n");
        for (unsigned i = 0; i < 8; i++) {
            uint32_t a = in(1, i), b = in(3, i), c = in(5, i);
            expect(50, i, rotated(a, b), "rol");
            expect(52, i, rotated(a, 0u - b), "ror");
            expect(53, i, a - b + c, "add3");
            expect(54, i, a + products_of_bytes(b, c, true, true), "dp4a");
            expect(55, i, a + products_of_bytes(b, c, false, true), "dp4a, mixed");
            expect(56, i, a + products_of_bytes(b, c, false, false), "dp4a, unsigned");
        }
    }
}

static void truth_tables(void **state)
{
    (void)state;
    use(SONDE_GEN_PLATFORM_XEHPG);
    for (unsigned first = 0; first < 256; first += 32) {
        randomize();
        text[0] = 0;
        for (unsigned k = 0; k < 32; k++)
            snprintf(text + strlen(text), 120,
                     "(W) bfn.0x%02X (8|M0) r%u.0<1>:ud r1.0<1;0>:ud r2.0<1;0>:ud r3.0<1>:ud\n",
                     first + k, 50 + k);
        execute(text);
        for (unsigned k = 0; k < 32; k++)
            for (unsigned i = 0; i < 8; i++) {
                uint32_t want = 0;
                for (unsigned bit = 0; bit < 32; bit++) {
                    unsigned row = (in(1, i) >> bit & 1) | (in(2, i) >> bit & 1) << 1 |
                                   (in(3, i) >> bit & 1) << 2;
                    want |= ((first + k) >> row & 1) << bit;
                }
                expect(50 + k, i, want, "bfn");
            }
    }
}

/* From Gen11 on the channels that pass the predicate jump. */
static void jumps(void **state)
{
    (void)state;
    use(SONDE_GEN_PLATFORM_XE);
    randomize();
    execute("mov (8|M0) r50.0<1>:ud 1:w\n"
            "cmp (8|M0) (lt)f0.0 null<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
            "(f0.0) goto (8|M0) over over\n"
            "mov (8|M0) r50.0<1>:ud 2:w\n"
            "over:\n"
            "join (8|M0) end\n"
            "add (8|M0) r50.0<1>:ud r50.0<8;8,1>:ud 10:w\n"
            "end:\n");
    for (unsigned i = 0; i < 8; i++)
        expect(50, i, (int32_t)in(1, i) < (int32_t)in(2, i) ? 11 : 12, "goto");
}

/* Registers from r128 on are there in dispatches that say so. */
static void large_register_file(void **state)
{
    (void)state;
    use(SONDE_GEN_PLATFORM_XEHPG);
    randomize();
    for (unsigned m = 0; m < MACHINES; m++)
        machines[m]->dispatch.grf_count = 256;
    execute("(W) mov (16|M0) r127.0<1>:ud r1.0<1;1,0>:ud\n"
            "(W) add (16|M0) r254.0<1>:ud r127.0<1;1,0>:ud 3:uw\n"
            "(W) mov (1|M0) a0.0<1>:uw 8128:uw\n"
            "(W) mov (8|M0) r50.0<1>:ud r[a0.0]<1;1,0>:ud\n"
            "(W) mov (8|M0) r51.0<1>:ud r255.0<1;1,0>:ud\n");
    for (unsigned i = 0; i < 16; i++)
        expect(50 + i / 8, i % 8, in(1 + i / 8, i % 8) + 3, "register above r127");
    for (unsigned m = 0; m < MACHINES; m++) {
        assert_int_equal(machines[m]->result.fault.grf_count, 256);
        machines[m]->dispatch.grf_count = 0;
        core_assemble(machines[m], "(W) mov (8|M0) r128.0<1>:ud r1.0<1;1,0>:ud\n");
        core_run(machines[m]);
        assert_non_null(strstr(machines[m]->result.fault.reason, "register file"));
        core_assemble(machines[m], "(W) mov (1|M0) a0.0<1>:uw 4096:uw\n"
                                   "(W) mov (8|M0) r50.0<1>:ud r[a0.0]<1;1,0>:ud\n");
        core_run(machines[m]);
        assert_non_null(strstr(machines[m]->result.fault.reason, "register file"));
    }
}

/* An operand of eight channels: register or accumulator. */
static void operand(char *out, const char *type)
{
    uint32_t choice = (uint32_t)(core_random() % 6);
    if (choice < 2)
        sprintf(out, "acc%u.0<1;1,0>:%s", choice * 2, type);
    else if (choice == 2)
        sprintf(out, "r%u.%u<0;1,0>:%s", 1 + (unsigned)(core_random() % 40),
                (unsigned)(core_random() % 8), type);
    else
        sprintf(out, "r%u.0<1;1,0>:%s", 1 + (unsigned)(core_random() % 40), type);
}

static void accumulators_on_every_path(void **state)
{
    static const char *const operations[] = {"add", "mul", "sel"};
    static const char *const types[] = {"f", "f", "d", "ud"};
    (void)state;
    use(SONDE_GEN_PLATFORM_XEHPG);
    for (unsigned round = 0; round < 4 * ROUNDS; round++) {
        randomize();
        text[0] = 0;
        for (unsigned k = 0; k < 24; k++) {
            char a[64], b[64], dst[64];
            /* NaNs differ in their bits, which integers would spread. */
            const char *type = types[round % 2 * 2 + core_random() % 2];
            const char *operation = operations[core_random() % (type[0] == 'f' ? 2 : 3)];
            unsigned exec = core_random() % 3 ? 16 : 8;
            operand(a, type);
            sprintf(b, "r%u.0<1;1,0>:%s", 1 + (unsigned)(core_random() % 40), type);
            if (core_random() % 2)
                sprintf(dst, "acc%u.0<1>:%s", (unsigned)(core_random() % 2) * 2, type);
            else
                sprintf(dst, "r%u.0<1>:%s", 50 + 2 * k, type);
            snprintf(text + strlen(text), 300, "(W) %s (%u|M0) %s%s %s %s\n", operation, exec,
                     operation[0] == 's' ? "(lt)f0.0 " : "", dst, a, b);
        }
        for (unsigned k = 0; k < 4; k++)
            snprintf(text + strlen(text), 100, "(W) mov (8|M0) r%u.0<1>:ud acc%u.0<1;1,0>:ud\n",
                     104 + k, k);
        execute(text);
        for (unsigned m = BASELINE; m < MACHINES; m++)
            for (unsigned n = 32 * 50 / 4; n < 32 * 108 / 4; n++) {
                uint32_t want = core_d(machines[GENERAL], 0)[n], got = core_d(machines[m], 0)[n];
                bool nans = (want & 0x7fffffff) > 0x7f800000 && (got & 0x7fffffff) > 0x7f800000;
                if (want != got && !nans)
                    fail_msg("machine %u, r%u.%u: 0x%08x, general path 0x%08x\n%s", m, n / 8, n % 8,
                             got, want, text);
            }
    }
}

static int setup(void **state)
{
    static const struct emu_options options = {.host_threads = 1, .max_instructions = 100000};
    (void)state;
    for (unsigned m = 0; m < MACHINES; m++)
        if ((machines[m] = core_machine_create(&options)) == NULL)
            return 0;
    emu_choose_path(machines[GENERAL]->emu, EMU_PATH_GENERAL);
    emu_choose_path(machines[BASELINE]->emu, EMU_PATH_BASELINE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (unsigned m = 0; m < MACHINES; m++)
        core_machine_destroy(machines[m]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(new_operations),
        cmocka_unit_test(truth_tables),
        cmocka_unit_test(jumps),
        cmocka_unit_test(large_register_file),
        cmocka_unit_test(accumulators_on_every_path),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
