/* What instructions read and write: texts that iga64 assembles against sets
 * written by hand, and direct regions against a plain walk over iga64's own
 * view of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec_iga.h"
#include "effects_text.h"
#include "sonde/gen.h"

static struct iga *iga;

/* The one instruction of `text`. */
static struct sonde_gen_instruction assemble(const char *text)
{
    size_t size = 0;
    char line[256];
    snprintf(line, sizeof line, "%s\n", text);
    const uint8_t *code = iga_assemble(iga, line, IGA_ENCODE_NO_COMPACT, &size);
    if (code == NULL)
        fail_msg("iga64 does not assemble %s", text);
    struct sonde_gen_instruction i;
    assert_int_equal(sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, code, size, 0, &i, NULL), SONDE_OK);
    assert_false(i.illegal);
    return i;
}

static const struct expectation {
    const char *text;
    const char *reads;
    const char *writes;
    bool partial;
} expectations[] = {
    /* regions */
    {"(W) add (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<0;1,0>:f", "r20 r30.0+4", "r10", false},
    {"(W) mov (16|M0) r10.0<1>:d r20.0<8;8,1>:d", "r20-r21", "r10-r11", false},
    {"(W) mov (8|M0) r10.0<2>:w r20.1<8;4,2>:w",
     "r20.2+2 r20.6+2 r20.10+2 r20.14+2 r20.18+2 "
     "r20.22+2 r20.26+2 r20.30+2",
     "r10.0+2 r10.4+2 r10.8+2 r10.12+2 r10.16+2 r10.20+2 r10.24+2 r10.28+2", false},
    {"(W) mov (4|M0) r10.0<1>:df r20.0<0;1,0>:df", "r20.0+8", "r10", false},
    {"(W) mov (1|M0) r10.3<1>:ub r20.5<0;1,0>:ub", "r20.5+1", "r10.3+1", false},
    {"(W) mov (8|M0) r10.0<1>:d r20.0<1;4,0>:d", "r20.0+8", "r10", false},
    {"(W) mov (8|M0) r10.0<1>:q 0x7:d", "", "r10-r11", false},
    {"(W) mov (8|M0) null<1>:d r20.0<8;8,1>:d", "r20", "", false},
    /* masks and predicates */
    {"add (8|M0) r10.0<1>:f r20.0<8;8,1>:f 0x0:f", "r20", "r10", true},
    {"(W&f0.0) mov (8|M0) r10.0<1>:d 0x0:d", "f0.0", "r10", true},
    {"(W&f0.1) sel (8|M0) r10.0<1>:d r20.0<8;8,1>:d 0x0:d", "r20 f0.1", "r10", false},
    {"(W&f1.0) sel (16|M16) r10.0<1>:d r20.0<8;8,1>:d 0x0:d", "r20-r21 f1.1", "r10-r11", false},
    {"(W&f0.0.any32h) mov (1|M0) r10.0<1>:d 0x0:d", "f0.0 f0.1", "r10.0+4", true},
    {"(W&f1.1.all16h) mov (1|M0) r10.0<1>:d 0x0:d", "f1.1", "r10.0+4", true},
    {"(W&f0.0) mov (32|M0) r10.0<1>:w 0x0:w", "f0.0 f0.1", "r10-r11", true},
    /* conditions */
    {"(W) cmp (16|M0) (lt)f0.0 null<1>:d r20.0<8;8,1>:d 0x0:d", "r20-r21", "f0.0", false},
    {"(W) cmp (16|M16) (lt)f1.0 null<1>:d r20.0<8;8,1>:d 0x0:d", "r20-r21", "f1.1", false},
    {"(W) cmp (32|M0) (lt)f0.0 null<1>:w r20.0<16;16,1>:w 0x0:w", "r20-r21", "f0.0 f0.1", false},
    {"(W) cmp (8|M0) (lt)f0.1 null<1>:d r20.0<8;8,1>:d 0x0:d", "r20", "f0.1", true},
    {"(W) sel (8|M0) (lt)f0.0 r10.0<1>:d r20.0<8;8,1>:d 0x0:d", "r20", "r10", false},
    {"(W) add (16|M0) (eq)f0.0 r10.0<1>:d r20.0<8;8,1>:d 0x0:d", "r20-r21", "r10-r11 f0.0", false},
    /* architecture registers */
    {"(W) mov (1|M0) f0.0<1>:ud r20.0<0;1,0>:ud", "r20.0+4", "f0.0 f0.1", false},
    {"(W) mov (1|M0) r10.0<1>:uw f1.1<0;1,0>:uw", "f1.1", "r10.0+2", false},
    {"(W) mov (2|M0) a0.2<1>:uw r20.0<2;2,1>:uw", "r20.0+4", "a0.2 a0.3", false},
    {"(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw", "cr0", "cr0", true},
    {"(W) mov (8|M0) acc0.0<1>:f r20.0<8;8,1>:f", "r20", "acc0", false},
    {"(W) add (16|M0) r10.0<1>:f acc0.0<8;8,1>:f r20.0<8;8,1>:f", "r20-r21 acc0 acc1", "r10-r11",
     false},
    /* implicit accumulators */
    {"(W) mach (8|M0) r10.0<1>:d r20.0<8;8,1>:d r30.0<8;8,1>:d", "r20 r30 acc0 acc1",
     "r10 acc0 acc1", true},
    {"(W) mac (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f", "r20 r30 acc0 acc1", "r10", false},
    {"(W) addc (8|M0) r10.0<1>:ud r20.0<8;8,1>:ud r30.0<8;8,1>:ud {AccWrEn}", "r20 r30",
     "r10 acc0 acc1", true},
    {"(W) mul (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f {AccWrEn}", "r20 r30",
     "r10 acc0 acc1", true},
    /* indirect */
    {"(W) mov (8|M0) r10.0<1>:d r[a0.2,16]<8;8,1>:d", "a0.2 any", "r10", false},
    {"(W) mov (8|M0) r10.0<1>:d r[a0.0,16]<1,0>:d", "a0.0 a0.1 a0.2 a0.3 a0.4 a0.5 a0.6 a0.7 any",
     "r10", false},
    {"(W) mov (8|M0) r10.0<1>:d r[a0.4,16]<4,1>:d", "a0.4 a0.5 any", "r10", false},
    {"(W) mov (8|M0) r[a0.3]<1>:d r20.0<8;8,1>:d", "r20 a0.3", "any", true},
    /* three sources, macros */
    {"(W) mad (8|M0) r10.0<1>:f r20.0<2;1>:f r30.3<0;0>:f r40.0<1>:f", "r20 r30.12+4 r40", "r10",
     false},
    {"(W) mad (1|M0) r10.3<1>:f r20.1<0;0>:f r30.2<0;0>:f r40.3<0>:f", "r20.4+4 r30.8+4 r40.12+4",
     "r10.12+4", false},
    {"(W) mad (8|M0) r10.0<1>:hf r20.0<2;1>:hf r30.1<0;0>:hf r40.0<1>:hf",
     "r20.0+16 r30.2+2 r40.0+16", "r10.0+16", false},
    {"(W) madm (8|M0) r10.mme1:f r20.mme2:f r30.nomme:f r40.nomme:f", "r20 r30 r40 mme", "r10 mme",
     false},
    {"(W) madm (8|M0) r10.nomme:f r20.nomme:f r30.nomme:f r40.nomme:f", "r20 r30 r40", "r10",
     false},
    {"(W) math.invm (4|M0) r10.mme0:df r20.nomme:df r24.nomme:df", "r20 r24", "r10 f0.0 mme", true},
    {"(W) math.rsqtm (8|M0) r10.nomme:f r20.mme1:f", "r20 mme", "r10 f0.0", true},
    {"(W) math.inv (16|M0) r10.0<1>:f r20.0<8;8,1>:f", "r20-r21", "r10-r11", false},
    {"(W) math.idiv (8|M0) r10.0<1>:d r20.0<8;8,1>:d r30.0<8;8,1>:d", "r20 r30", "r10-r11", false},
    {"(W) math.iqot (8|M0) r10.0<1>:d r20.0<8;8,1>:d r30.0<8;8,1>:d", "r20 r30", "r10", false},
    /* branches */
    {"(f0.1) jmpi r2.0<0;1,0>:d", "r2.0+4 f0.1", "", true},
    {"ret (16|M0) r125.0", "r125.0+8", "", true},
    {"call (16|M0) r125.0 r20.0", "r20.0+4", "r125.0+8", true},
    {"nop", "", "", false},
    /* messages */
    {"(W) send (16|M0) r10:ud r20 0xC 0x04205E00", "r20-r21 memory", "r10-r11", false},
    {"send (16|M0) r10:ud r20 0xC 0x04205E00", "r20-r21 memory", "r10-r11", true},
    {"(W) send (8|M0) r10:ud r20 0xC 0x04205E00", "r20-r21 memory", "r10-r11", true},
    {"sends (16|M0) null:ud r20 r30 0x8C 0x04025EFE", "r20-r21 r30-r31", "memory", true},
    {"(W) send (8|M0) null r127 0x27 0x02000010", "r127", "", true},
    {"(W) send (8|M0) null r60 0x3 0x02000004", "r60", "", true},
    {"(W) send (8|M0) r10:ud r20 0xA 0x0219E000", "r20", "r10", true},
    {"(W) send (8|M0) r10:ud r20 0xA 0x024844FD", "r20 memory", "r10-r13", false},
    {"(W) send (1|M0) r10:ud r20 0xA 0x02184000", "r20 memory", "r10", true},
    {"sends (8|M0) r10:ud r20 r30 0x8C 0x0410B702", "r20-r21 r30-r31 memory", "r10 memory", true},
    {"(f1.0) send (8|M0) r10:ud r20 0xC a0.0", "r20-r34 f1.0 a0.0 a0.1 memory", "r10-r40 memory",
     true},
    {"sends (8|M0) r10:ud r20 r30 a0.2 0x04205E00", "r20-r21 r30-r60 a0.4 a0.5 memory",
     "r10-r11 memory", true},
};

static void test_expectations(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof expectations / sizeof *expectations; n++) {
        const struct expectation *e = &expectations[n];
        struct sonde_gen_instruction i = assemble(e->text);
        struct sonde_gen_effects effects;
        char reads[2000], writes[2000];
        sonde_gen_instruction_effects(&i, &effects);
        effects_describe(&effects.reads, 32, reads, sizeof reads);
        effects_describe(&effects.writes, 32, writes, sizeof writes);
        if (strcmp(reads, e->reads) != 0)
            fail_msg("%s reads \"%s\", expected \"%s\"", e->text, reads, e->reads);
        if (strcmp(writes, e->writes) != 0)
            fail_msg("%s writes \"%s\", expected \"%s\"", e->text, writes, e->writes);
        if (effects.write_is_partial != e->partial)
            fail_msg("%s: the write is %s", e->text, e->partial ? "whole" : "partial");
    }
}

static void test_illegal(void **state)
{
    (void)state;
    uint8_t zeros[16] = {0};
    struct sonde_gen_instruction i;
    struct sonde_gen_effects effects;
    sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, zeros, sizeof zeros, 0, &i, NULL);
    sonde_gen_instruction_effects(&i, &effects);
    assert_true(effects.reads.grf_unknown && effects.writes.grf_unknown);
    assert_true(effects.write_is_partial);
    assert_int_equal(effects.reads.flags & 0xf, 0xf);
    assert_true(effects.reads.grf[0] == ~UINT64_C(0) && effects.reads.grf[63] == ~UINT64_C(0));
}

static uint64_t seed = UINT64_C(0x853c49e6748fea9b);

static unsigned below(unsigned limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % limit;
}

/* One byte at a time from what iga64 says of the region. */
static void walk(struct sonde_gen_effect *e, unsigned start, unsigned count, unsigned size,
                 unsigned vertical, unsigned width, unsigned horizontal)
{
    for (unsigned n = 0; n < count; n++) {
        unsigned element = n / width * vertical + n % width * horizontal;
        for (unsigned b = 0; b < size; b++) {
            unsigned byte = start + element * size + b;
            if (byte < 4096)
                e->grf[byte / 64] |= UINT64_C(1) << byte % 64;
        }
    }
}

static void test_random_regions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned size;
    } types[] = {{"ub", 1}, {"w", 2}, {"uw", 2}, {"hf", 2},
                 {"d", 4},  {"f", 4}, {"df", 8}, {"q", 8}};
    static const unsigned strides[] = {0, 1, 2, 4, 8, 16, 32};
    const struct kv_functions *f = iga_kv(iga);
    for (unsigned n = 0; n < 20000; n++) {
        unsigned exec = 1u << below(6), type0 = below(8), type1 = below(8), typed = below(8);
        char text[200];
        snprintf(text, sizeof text,
                 "(W) add (%u|M0) r%u.%u<%u>:%s r%u.%u<%u;%u,%u>:%s r%u.%u<%u;%u,%u>:%s\n", exec,
                 below(128), below(32 / types[typed].size), 1u << below(3), types[typed].name,
                 below(128), below(32 / types[type0].size), strides[below(7)], 1u << below(5),
                 strides[below(4)], types[type0].name, below(128), below(32 / types[type1].size),
                 strides[below(7)], 1u << below(5), strides[below(4)], types[type1].name);
        size_t size = 0;
        const uint8_t *code = iga_assemble(iga, text, IGA_ENCODE_NO_COMPACT, &size);
        if (code == NULL)
            fail_msg("iga64 does not assemble %s", text);
        struct kv kv;
        struct sonde_gen_instruction i;
        struct sonde_gen_effects effects, plain;
        memset(&plain, 0, sizeof plain);
        assert_true(kv_open(iga, &kv, code, size));
        assert_int_equal(sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, code, size, 0, &i, NULL),
                         SONDE_OK);
        sonde_gen_instruction_effects(&i, &effects);
        for (uint32_t s = 0; s < 2; s++) {
            uint32_t vertical, width, horizontal, bytes = types[s == 0 ? type0 : type1].size;
            assert_int_equal(f->src_region(kv.view, 0, s, &vertical, &width, &horizontal), 0);
            walk(&plain.reads,
                 32u * (unsigned)f->src_register(kv.view, 0, s) +
                     bytes * (unsigned)f->src_subreg(kv.view, 0, s),
                 exec, bytes, vertical, width, horizontal);
        }
        uint32_t stride;
        assert_int_equal(f->dst_region(kv.view, 0, &stride), 0);
        walk(&plain.writes,
             32u * (unsigned)f->dst_register(kv.view, 0) +
                 types[typed].size * (unsigned)f->dst_subreg(kv.view, 0),
             exec, types[typed].size, 0, 64, stride);
        if (memcmp(plain.reads.grf, effects.reads.grf, sizeof plain.reads.grf) != 0 ||
            memcmp(plain.writes.grf, effects.writes.grf, sizeof plain.writes.grf) != 0)
            fail_msg("other bytes in %s", text);
        assert_false(effects.write_is_partial);
        kv_close(iga, &kv);
    }
}

int main(void)
{
    iga = iga_open();
    if (iga == NULL)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_illegal),
        cmocka_unit_test(test_random_regions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    iga_close(iga);
    return failed;
}
