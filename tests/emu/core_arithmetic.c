/* Results that have to be exact, against values computed by the host: the
 * compiler's division and root sequences, accumulators, integer division, bit
 * fields, conversions, rounding modes, denormals and special registers. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"
#include "emu/gen/core.h"

static struct core_machine *paths[2]; /* best and general */

#define FOR_PATHS(machine)                                                                         \
    if (!paths[0])                                                                                 \
        skip();                                                                                    \
    for (unsigned path_ = 0; path_ < 2; path_++)                                                   \
        for (struct core_machine *machine = paths[path_]; machine; machine = NULL)

/* The steps that the Intel compiler emits for an IEEE double division: r10 / r11
 * to r12; r20, r21 hold 0 and 1. */
static const char *const divide_double =
    "math.invm (4|M0) (eo)f1.0 r12.mme0:df r10.nomme:df r11.nomme:df\n"
    "(~f1.0) if (4|M0) L0 L0\n"
    "madm (4|M0) r13.mme1:df r20.nomme:df r10.nomme:df r12.mme0:df\n"
    "madm (4|M0) r14.mme2:df r21.nomme:df -r11.nomme:df r12.mme0:df\n"
    "madm (4|M0) r15.mme3:df r10.nomme:df -r11.nomme:df r13.mme1:df\n"
    "madm (4|M0) r16.mme4:df r12.mme0:df r14.mme2:df r12.mme0:df\n"
    "madm (4|M0) r17.mme5:df r21.nomme:df -r11.nomme:df r16.mme4:df\n"
    "madm (4|M0) r12.mme6:df r12.mme0:df r14.mme2:df r16.mme4:df\n"
    "madm (4|M0) r13.mme7:df r13.mme1:df r15.mme3:df r16.mme4:df\n"
    "madm (4|M0) r16.mme0:df r16.mme4:df r12.mme6:df r17.mme5:df\n"
    "madm (4|M0) r15.mme1:df r10.nomme:df -r11.nomme:df r13.mme7:df\n"
    "madm (4|M0) r12.nomme:df r13.mme7:df r15.mme1:df r16.mme0:df\n"
    "L0:\n"
    "endif (4|M0) L1\n"
    "L1:\n";

/* Square root of r10 to r12; r20 0, r21 1, r22 0.5, r23 1.5. */
static const char *const root_double =
    "math.rsqtm (4|M0) (eo)f0.0 r12.mme0:df r10.nomme:df\n"
    "(~f0.0) if (4|M0) L0 L0\n"
    "madm (4|M0) r13.mme1:df r20.nomme:df r22.nomme:df r12.mme0:df\n"
    "madm (4|M0) r14.mme2:df r20.nomme:df r10.nomme:df r12.mme0:df\n"
    "madm (4|M0) r15.mme3:df r22.nomme:df -r14.mme2:df r13.mme1:df\n"
    "madm (4|M0) r16.mme5:df r21.nomme:df r23.nomme:df r15.mme3:df\n"
    "madm (4|M0) r12.mme6:df r20.nomme:df r15.mme3:df r14.mme2:df\n"
    "madm (4|M0) r15.mme7:df r20.nomme:df r15.mme3:df r13.mme1:df\n"
    "madm (4|M0) r12.mme6:df r14.mme2:df r16.mme5:df r12.mme6:df\n"
    "madm (4|M0) r16.mme5:df r13.mme1:df r16.mme5:df r15.mme7:df\n"
    "madm (4|M0) r13.mme1:df r10.nomme:df -r12.mme6:df r12.mme6:df\n"
    "madm (4|M0) r12.nomme:df r12.mme6:df r13.mme1:df r16.mme5:df\n"
    "L0:\n"
    "endif (4|M0) L1\n"
    "L1:\n";

/* The steps of a root with relaxed precision: the argument is read with the extra
 * bits of the root (mme6), which must not put the root in its place. */
static const char *const root_relaxed =
    "math.rsqtm (4|M0) (eo)f1.0 r12.mme0:df r10.nomme:df\n"
    "(~f1.0) madm (4|M0) r13.mme2:df r20.nomme:df r10.nomme:df r12.mme0:df\n"
    "(~f1.0) madm (4|M0) r14.mme1:df r20.nomme:df -r22.nomme:df r12.mme0:df\n"
    "(~f1.0) madm (4|M0) r15.mme3:df r22.nomme:df r13.mme2:df r14.mme1:df\n"
    "(~f1.0) madm (4|M0) r12.mme6:df r13.mme2:df r15.mme3:df r13.mme2:df\n"
    "(~f1.0) madm (4|M0) r16.mme5:df -r10.mme6:df r12.mme6:df r12.mme6:df\n"
    "(~f1.0) madm (4|M0) r12.nomme:df r12.mme6:df r14.mme1:df r16.mme5:df\n";

static void fill_constants(struct core_machine *machine)
{
    static const double constants[4] = {0.0, 1.0, 0.5, 1.5};
    for (unsigned c = 0; c < 4; c++)
        for (unsigned i = 0; i < 4; i++)
            ((double *)core_payload(machine, 20 + c))[i] = constants[c];
}

/* Any bit pattern, often with extreme exponents or few significant bits. */
static double random_double(void)
{
    uint64_t bits = core_random();
    switch (core_random() >> 60) {
    case 0:
        bits &= 0x800fffffffffffff; /* denormal */
        break;
    case 1:
        bits |= 0x7fe0000000000000;
        break;
    case 2:
        bits = core_random() % 5 << 52;
        break;
    case 3:
    case 4:
    case 5:
        bits = (bits & 0x8000000000ffffff) << 20 | 0x3ff0000000000000;
        break;
    default:
        break;
    }
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void same_double(double a, double b, double got, double expected)
{
    if (memcmp(&got, &expected, sizeof(got)) != 0 && !(got != got && expected != expected))
        fail_msg("%a, %a: %a, expected %a", a, b, got, expected);
}

static void double_division_is_exact(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    for (unsigned turn = 0; turn < 400; turn++) {
        double a[4], b[4];
        fill_constants(machine);
        for (unsigned i = 0; i < 4; i++) {
            a[i] = random_double();
            b[i] = random_double();
        }
        memcpy(core_payload(machine, 10), a, sizeof(a));
        memcpy(core_payload(machine, 11), b, sizeof(b));
        core_execute(machine, divide_double);
        for (unsigned i = 0; i < 4; i++)
            same_double(a[i], b[i], ((double *)(void *)core_d(machine, 12))[i], a[i] / b[i]);
    }
}

static void double_root_is_exact(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    for (unsigned turn = 0; turn < 400; turn++) {
        double a[4];
        fill_constants(machine);
        for (unsigned i = 0; i < 4; i++)
            a[i] = i == 3 ? random_double() : fabs(random_double());
        memcpy(core_payload(machine, 10), a, sizeof(a));
        core_execute(machine, root_double);
        for (unsigned i = 0; i < 4; i++)
            same_double(a[i], 0, ((double *)(void *)core_d(machine, 12))[i], sqrt(a[i]));
    }
}

static void relaxed_double_root_is_near(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    for (unsigned turn = 0; turn < 400; turn++) {
        double a[4];
        fill_constants(machine);
        for (unsigned i = 0; i < 4; i++)
            a[i] = turn ? fabs(random_double()) : 1.0 + i * DBL_EPSILON;
        memcpy(core_payload(machine, 10), a, sizeof(a));
        core_execute(machine, root_relaxed);
        for (unsigned i = 0; i < 4; i++) {
            double got = ((double *)(void *)core_d(machine, 12))[i], expected = sqrt(a[i]);
            if (!(fabs(got - expected) <= expected * DBL_EPSILON))
                same_double(a[i], 0, got, expected);
        }
    }
}

static void fill_random(struct core_machine *machine)
{
    static const uint32_t special[] = {0, 1, UINT32_MAX, 0x80000000, 0x7fffffff, 2, 0xffff, 3};
    uint32_t *words = (uint32_t *)(void *)machine->payload;
    for (size_t i = 0; i < sizeof(machine->payload) / 4; i++)
        words[i] = core_random() >> 62 ? (uint32_t)core_random() : special[core_random() >> 61];
}

static void accumulators(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    for (unsigned turn = 0; turn < 50; turn++) {
        fill_random(machine);
        core_execute(machine,
                     "(W) mul (8|M0) acc0.0<1>:d r1.0<8;8,1>:d r2.0<16;8,2>:uw\n"
                     "(W) mach (8|M8) r50.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d {AccWrEn}\n"
                     "(W) mov (8|M8) r51.0<1>:d acc0.0<8;8,1>:d\n"
                     "(W) mul (8|M0) acc0.0<1>:ud r1.0<8;8,1>:ud r2.0<16;8,2>:uw\n"
                     "(W) mach (8|M0) r1.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud {AccWrEn}\n"
                     "(W) addc (8|M0) r53.0<1>:ud r3.0<8;8,1>:ud r4.0<8;8,1>:ud {AccWrEn}\n"
                     "(W) mov (8|M0) r54.0<1>:ud acc0.0<8;8,1>:ud\n"
                     "(W) subb (8|M0) r3.0<1>:ud r3.0<8;8,1>:ud r4.0<8;8,1>:ud {AccWrEn}\n"
                     "(W) mov (8|M0) r56.0<1>:ud acc0.0<8;8,1>:ud\n"
                     "(W) mov (8|M0) acc0.0<1>:f r5.0<8;8,1>:f\n"
                     "(W) mac (8|M0) r57.0<1>:f r6.0<8;8,1>:f r7.0<8;8,1>:f\n"
                     "(W) mov (8|M0) r58.0<1>:ud acc0.0<8;8,1>:ud\n");
        const uint32_t *a = core_payload(machine, 1), *b = core_payload(machine, 2);
        const uint32_t *c = core_payload(machine, 3), *d = core_payload(machine, 4);
        const float *x = core_payload(machine, 5), *y = core_payload(machine, 6);
        const float *z = core_payload(machine, 7);
        for (unsigned i = 0; i < 8; i++) {
            int64_t product = (int64_t)(int32_t)a[i] * (int32_t)b[i];
            assert_int_equal(core_d(machine, 50)[i], (uint32_t)(product >> 32));
            assert_int_equal(core_d(machine, 51)[i], (uint32_t)product);
            assert_int_equal(core_d(machine, 1)[i], (uint32_t)((uint64_t)a[i] * b[i] >> 32));
            assert_int_equal(core_d(machine, 53)[i], c[i] + d[i]);
            assert_int_equal(core_d(machine, 54)[i], c[i] + d[i] < c[i]);
            assert_int_equal(core_d(machine, 3)[i], c[i] - d[i]);
            assert_int_equal(core_d(machine, 56)[i], c[i] < d[i]);
            float sum = fmaf(y[i], z[i], x[i]);
            assert_true(core_f(machine, 57)[i] == sum || sum != sum);
            assert_memory_equal(&core_d(machine, 58)[i], &x[i], 4);
        }
    }
}

static void division_and_bits(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    for (unsigned turn = 0; turn < 50; turn++) {
        fill_random(machine);
        core_execute(machine, "(W) math.iqot (8|M0) r50.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
                              "(W) math.irem (8|M0) r51.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
                              "(W) math.iqot (8|M0) r52.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud\n"
                              "(W) math.irem (8|M0) r53.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud\n"
                              "(W) fbh (8|M0) r54.0<1>:ud r1.0<8;8,1>:d\n"
                              "(W) fbl (8|M0) r55.0<1>:ud r1.0<8;8,1>:ud\n"
                              "(W) lzd (8|M0) r56.0<1>:ud r1.0<8;8,1>:ud\n"
                              "(W) cbit (8|M0) r57.0<1>:ud r1.0<8;8,1>:ud\n"
                              "(W) bfe (8|M0) r58.0<1>:d r2.0<8;1>:d r3.0<8;1>:d r1.0<1>:d\n"
                              "(W) bfrev (8|M0) r59.0<1>:ud r1.0<8;8,1>:ud\n"
                              "(W) avg (8|M0) r60.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n");
        const int32_t *a = core_payload(machine, 1), *b = core_payload(machine, 2);
        const int32_t *c = core_payload(machine, 3);
        for (unsigned i = 0; i < 8; i++) {
            uint32_t u = (uint32_t)a[i], v = (uint32_t)b[i];
            if (v) {
                assert_int_equal(core_d(machine, 52)[i], u / v);
                assert_int_equal(core_d(machine, 53)[i], u % v);
                if (a[i] != INT32_MIN || b[i] != -1) {
                    assert_int_equal((int32_t)core_d(machine, 50)[i], a[i] / b[i]);
                    assert_int_equal((int32_t)core_d(machine, 51)[i], a[i] % b[i]);
                }
            }
            uint32_t magnitude = a[i] < 0 ? ~u : u;
            assert_int_equal(core_d(machine, 54)[i],
                             magnitude ? (uint32_t)__builtin_clz(magnitude) : UINT32_MAX);
            assert_int_equal(core_d(machine, 55)[i], u ? (uint32_t)__builtin_ctz(u) : UINT32_MAX);
            assert_int_equal(core_d(machine, 56)[i], u ? (uint32_t)__builtin_clz(u) : 32u);
            assert_int_equal(core_d(machine, 57)[i], (uint32_t)__builtin_popcount(u));
            unsigned width = v & 31, offset = (uint32_t)c[i] & 31;
            if (width && width + offset < 32) {
                int32_t field = (int32_t)(u >> offset << (32 - width)) >> (32 - width);
                assert_int_equal((int32_t)core_d(machine, 58)[i], field);
            }
            uint32_t reversed = 0;
            for (unsigned bit = 0; bit < 32; bit++)
                reversed |= (u >> bit & 1) << (31 - bit);
            assert_int_equal(core_d(machine, 59)[i], reversed);
            assert_int_equal((int32_t)core_d(machine, 60)[i],
                             (int32_t)(((int64_t)a[i] + b[i] + 1) >> 1));
        }
    }
}

static void conversions_and_immediates(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    {
        static const float source[8] = {1.5f, -1.5f, 300.7f, -300.7f, 3e9f, -3e9f, 1e20f, 0.3f};
        memcpy(core_payload(machine, 1), source, sizeof(source));
        core_execute(machine, "(W) mov (8|M0) r50.0<1>:d r1.0<8;8,1>:f\n"
                              "(W) mov (8|M0) r51.0<1>:ud r1.0<8;8,1>:f\n"
                              "(W) mov (8|M0) (sat)r52.0<4>:ub r1.0<8;8,1>:f\n"
                              "(W) mov (8|M0) r53.0<1>:hf r1.0<8;8,1>:f\n"
                              "(W) mov (8|M0) r54.0<1>:f r53.0<8;8,1>:hf\n"
                              "(W) mov (8|M0) r55.0<1>:w 0x76543210:v\n"
                              "(W) mov (8|M0) r56.0<1>:w 0xFEDCBA98:v\n"
                              "(W) mov (8|M0) r57.0<1>:uw 0xFEDCBA98:uv\n"
                              "(W) mov (4|M0) r58.0<1>:f 0x48403000:vf\n"
                              "(W) mov (8|M0) (sat)r59.0<1>:f r1.0<8;8,1>:f\n");
        static const int32_t ints[8] = {1, -1, 300, -300, INT32_MAX, INT32_MIN, INT32_MAX, 0};
        static const uint32_t unsigneds[8] = {1, 0, 300, 0, 3000000000u, 0, UINT32_MAX, 0};
        static const uint8_t bytes[8] = {1, 0, 255, 0, 255, 0, 255, 0};
        static const float vector[4] = {0, 1, 2, 3};
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal((int32_t)core_d(machine, 50)[i], ints[i]);
            assert_int_equal(core_d(machine, 51)[i], unsigneds[i]);
            assert_int_equal(machine->grf[52 * 32 + 4 * i], bytes[i]);
            assert_int_equal(((int16_t *)(void *)core_d(machine, 55))[i], (int)i);
            assert_int_equal(((int16_t *)(void *)core_d(machine, 56))[i], (int)i - 8);
            assert_int_equal(((int16_t *)(void *)core_d(machine, 57))[i], (int)i + 8);
            float clamped = source[i] < 0 ? 0 : source[i] > 1 ? 1 : source[i];
            assert_true(core_f(machine, 59)[i] == clamped);
        }
        assert_true(core_f(machine, 54)[2] == 300.75f);
        assert_true(isinf(core_f(machine, 54)[6]));
        assert_memory_equal(core_f(machine, 58), vector, sizeof(vector));
    }
}

/* cr0 decides rounding and denormals, also for the vectorised kernels. */
static void rounding_and_denormals(void **state)
{
    (void)state;
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    FOR_PATHS(machine)
    for (unsigned mode = 0; mode < 4; mode++) {
        volatile float *a = core_payload(machine, 1), *b = core_payload(machine, 2);
        char text[400];
        for (unsigned i = 0; i < 8; i++) {
            a[i] = (float)(int32_t)core_random();
            b[i] = (float)(int32_t)core_random() * 0x1p-20f;
        }
        snprintf(text, sizeof(text),
                 "(W) mov (1|M0) cr0.0<1>:ud 0x%x:ud\n"
                 "(W) add (8|M0) r50.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f\n"
                 "(W) mul (8|M0) r51.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f\n"
                 "(W) mov (8|M0) r52.0<1>:f r1.0<8;8,1>:d\n",
                 0x4c0 | mode << 4);
        core_execute(machine, text);
        fesetround(modes[mode]);
        for (unsigned i = 0; i < 8; i++) {
            volatile float sum = a[i] + b[i], product = a[i] * b[i];
            volatile float converted = (float)((int32_t *)core_payload(machine, 1))[i];
            bool same = core_f(machine, 50)[i] == sum && core_f(machine, 51)[i] == product &&
                        core_f(machine, 52)[i] == converted;
            if (!same)
                fesetround(FE_TONEAREST);
            assert_true(same);
        }
        fesetround(FE_TONEAREST);
    }
    FOR_PATHS(machine)
    {
        uint32_t *bits = core_payload(machine, 1);
        for (unsigned i = 0; i < 8; i++)
            bits[i] = i + 1; /* denormals */
        core_execute(machine, "(W) mov (1|M0) cr0.0<1>:ud 0x440:ud\n"
                              "(W) add (8|M0) r50.0<1>:f r1.0<8;8,1>:f 0.0:f\n"
                              "(W) mov (1|M0) cr0.0<1>:ud 0x4c0:ud\n"
                              "(W) add (8|M0) r51.0<1>:f r1.0<8;8,1>:f 0.0:f\n");
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(core_d(machine, 50)[i], 0);
            assert_int_equal(core_d(machine, 51)[i], i + 1);
        }
    }
}

static void indirect_addressing(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    {
        fill_random(machine);
        core_execute(machine, "(W) mov (1|M0) a0.0<1>:uw 96:uw\n" /* r3 */
                              "(W) mov (8|M0) r50.0<1>:d r[a0.0,8]<8;8,1>:d\n"
                              "(W) mov (1|M0) r51.0<1>:d r[a0.0,-32]<0;1,0>:d\n"
                              "(W) mov (8|M0) a0.0<1>:uw 0x76543210:uv\n"
                              "(W) mul (8|M0) a0.0<1>:uw a0.0<8;8,1>:uw 68:uw\n"
                              "(W) mov (8|M0) r52.0<1>:d r[a0.0,32]<1,0>:d\n"
                              "(W) mov (1|M0) a0.0<1>:uw 0x6a4:uw\n" /* r53.1 */
                              "(W) mov (1|M0) r[a0.0]<1>:d r1.0<0;1,0>:d\n");
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(core_d(machine, 50)[i], ((uint32_t *)core_payload(machine, 3))[i + 2]);
            assert_int_equal(core_d(machine, 52)[i],
                             *(uint32_t *)(void *)(machine->payload + 68 * i));
        }
        assert_int_equal(core_d(machine, 51)[0], *(uint32_t *)core_payload(machine, 2));
        assert_int_equal(core_d(machine, 53)[1], *(uint32_t *)core_payload(machine, 1));
        /* an address outside the file is a fault, not a stray access */
        core_assemble(machine, "(W) mov (1|M0) a0.0<1>:uw 0xfff0:uw\n"
                               "(W) mov (8|M0) r50.0<1>:d r[a0.0]<8;8,1>:d\n");
        core_run(machine);
        assert_non_null(strstr(machine->result.fault.reason, "outside the register file"));
    }
}

static void special_registers(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    {
        machine->dispatch.right_mask = 0x35;
        core_execute(machine, "(W) mov (1|M0) r50.0<1>:ud ip<0;1,0>:ud\n"
                              "(W) mov (1|M0) r50.1<1>:ud ip<0;1,0>:ud\n"
                              "(W) mov (1|M0) r51.0<1>:ud ce0.0<0;1,0>:ud\n"
                              "(W) mov (1|M0) r52.0<1>:ud sr0.2<0;1,0>:ud\n"
                              "(W) mov (1|M0) r53.0<1>:ud tm0.0<0;1,0>:ud\n"
                              "(W) mov (1|M0) r53.1<1>:ud tm0.0<0;1,0>:ud\n");
        machine->dispatch.right_mask = 0;
        assert_int_equal(core_d(machine, 50)[0], 0);
        assert_int_equal(core_d(machine, 50)[1], 16);
        assert_int_equal(core_d(machine, 51)[0], 0x35);
        assert_int_equal(core_d(machine, 52)[0], 0x35);
        assert_int_equal(core_d(machine, 53)[1] - core_d(machine, 53)[0], 1);
    }
}

static int setup(void **state)
{
    static const struct emu_options options = {.host_threads = 1, .max_instructions = 100000};
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        paths[i] = core_machine_create(&options);
    if (paths[1])
        emu_choose_path(paths[1]->emu, EMU_PATH_GENERAL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        core_machine_destroy(paths[i]);
    return 0;
}

/* Coefficients in elements of one register; u and v in registers that take
 * turns. Values of few bits, so that nothing is rounded. */
static void lines_and_planes(void **state)
{
    (void)state;
    FOR_PATHS(machine)
    {
        float *p = core_payload(machine, 1), *u = core_payload(machine, 2);
        for (unsigned i = 0; i < 8; i++)
            p[i] = (float)(1 << i) * 0.5f;
        for (unsigned i = 0; i < 32; i++)
            u[i] = (float)(3 * i) - 17;
        core_execute(machine, "(W) line (8|M0) r10.0<1>:f r1.0<0;1,0>:f r2.0<8;8,1>:f\n"
                              "(W) line (16|M0) r11.0<1>:f r1.4<0;1,0>:f r2.0<8;8,1>:f\n"
                              "(W) pln (8|M0) r13.0<1>:f r1.0<0;1,0>:f r2.0<8;8,1>:f\n"
                              "(W) pln (16|M0) r14.0<1>:f r1.4<0;1,0>:f r2.0<8;8,1>:f\n");
        for (unsigned i = 0; i < 16; i++) {
            unsigned at = i / 8 * 16 + i % 8;
            if (i < 8)
                assert_true(core_f(machine, 10)[i] == p[0] * u[i] + p[3]);
            assert_true(core_f(machine, 11)[i] == p[4] * u[i] + p[7]);
            if (i < 8)
                assert_true(core_f(machine, 13)[i] == p[0] * u[i] + p[1] * u[i + 8] + p[3]);
            assert_true(core_f(machine, 14)[i] == p[4] * u[at] + p[5] * u[at + 8] + p[7]);
        }
    }
}

/* Bytes of one register, chosen by the address registers. */
static void indexed_moves(void **state)
{
    static const unsigned bytes[8] = {28, 0, 4, 4, 12, 24, 8, 20};
    (void)state;
    FOR_PATHS(machine)
    {
        fill_random(machine);
        uint16_t *index = core_payload(machine, 40);
        for (unsigned i = 0; i < 8; i++)
            index[i] = (uint16_t)(32 * (3 + i) + bytes[i]); /* r3; others' registers are ignored */
        core_execute(machine, "(W) mov (8|M0) a0.0<1>:uw r40.0<8;8,1>:uw\n"
                              "(W) movi (8|M0) r50.0<1>:ud r[a0.0]<1,0>:ud\n"
                              "(W) movi (8|M0) r51.0<1>:ud r[a0.0,64]<1,0>:ud\n"
                              "(W) movi (4|M0) r52.0<1>:uw r[a0.2]<1,0>:uw\n");
        const uint8_t *three = core_payload(machine, 3), *five = core_payload(machine, 5);
        for (unsigned i = 0; i < 8; i++) {
            assert_memory_equal(&core_d(machine, 50)[i], three + bytes[i], 4);
            assert_memory_equal(&core_d(machine, 51)[i], five + bytes[i], 4);
        }
        for (unsigned i = 0; i < 4; i++)
            assert_memory_equal((uint8_t *)core_d(machine, 52) + 2 * i, five + bytes[2 + i], 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_division_is_exact),
        cmocka_unit_test(double_root_is_exact),
        cmocka_unit_test(relaxed_double_root_is_near),
        cmocka_unit_test(accumulators),
        cmocka_unit_test(division_and_bits),
        cmocka_unit_test(conversions_and_immediates),
        cmocka_unit_test(rounding_and_denormals),
        cmocka_unit_test(indirect_addressing),
        cmocka_unit_test(special_registers),
        cmocka_unit_test(lines_and_planes),
        cmocka_unit_test(indexed_moves),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
