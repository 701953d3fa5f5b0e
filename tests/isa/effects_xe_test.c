/* What instructions of Gen11, Xe and later read and write: texts that iga64
 * assembles against sets written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "codec_iga.h"
#include "effects_text.h"
#include "sonde/gen.h"

enum {
    XE = 1,
    HP = 2,
    HPG = 4,
    HPC = 8,
    G11 = 16,
    XEHP_ON = HP | HPG | HPC,
    SMALL = XE | HP | HPG,
    ALL = 15 /* from Xe on */
};

static const struct expectation {
    unsigned platforms;
    const char *text;
    const char *reads;
    const char *writes;
    bool partial;
} expectations[] = {
    /* regions; registers of XeHPC have 64 bytes */
    {ALL, "(W) add (8|M0) r10.0<1>:f r20.0<1;1,0>:f r30.0<0;1,0>:f", NULL, NULL, false},
    {SMALL, "(W) add (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<0;1,0>:f", "r20 r30.0+4", "r10", false},
    {HPC, "(W) add (16|M0) r10.0<1>:f r20.0<1;1,0>:f r30.0<0;1,0>:f", "r20 r30.0+4", "r10", false},
    {HPC, "(W) add (32|M0) r10.0<1>:f r20.0<1;1,0>:f r30.15<0;1,0>:f", "r20-r21 r30.60+4",
     "r10-r11", false},
    {SMALL, "(W) mov (16|M0) r10.0<2>:w r20.0<16;16,1>:w", "r20",
     "r10.0+2 r10.4+2 r10.8+2 r10.12+2 r10.16+2 r10.20+2 r10.24+2 r10.28+2 r11.0+2 r11.4+2 "
     "r11.8+2 r11.12+2 r11.16+2 r11.20+2 r11.24+2 r11.28+2",
     false},
    {HPC, "(W) mov (4|M0) r10.17<2>:ub r20.33<4;1,0>:ub", "r20.33+1 r20.37+1 r20.41+1 r20.45+1",
     "r10.17+1 r10.19+1 r10.21+1 r10.23+1", false},
    {SMALL, "(W) mov (4|M0) r10.0<1>:q r20.1<0;1,0>:q", "r20.8+8", "r10", false},
    {ALL, "mov (8|M0) null<1>:d r20.0<0;1,0>:d", "r20.0+4", "", true},
    {XEHP_ON, "(W) add (1|M0) r200.0<1>:d r210.0<0;1,0>:d r220.1<0;1,0>:d", "r210.0+4 r220.4+4",
     "r200.0+4", false},
    /* three sources */
    {SMALL, "(W) mad (8|M0) r10.0<1>:f r20.0<8;1>:f r30.3<0;0>:f r40.0<1>:f", "r20 r30.12+4 r40",
     "r10", false},
    {HPC, "(W) mad (16|M0) r10.0<1>:f r20.0<1;0>:f r30.3<0;0>:f r40.0<1>:f", "r20 r30.12+4 r40",
     "r10", false},
    {SMALL, "(W) mad (4|M0) r10.0<2>:d r20.0<8;2>:d r30.0<0;0>:w r40.2<0>:w",
     "r20.0+4 r20.8+4 r20.16+4 r20.24+4 r30.0+2 r40.4+2", "r10.0+4 r10.8+4 r10.16+4 r10.24+4",
     false},
    {SMALL, "mad (8|M8) r10.0<1>:f acc0.0<8;1>:f r30.3<0;0>:f r40.0<1>:f", "r30.12+4 r40 acc0",
     "r10", true},
    {XEHP_ON, "(W) add3 (8|M0) r10.0<1>:d r20.0<1;0>:d r30.0<0;0>:d 0x7:w", NULL, NULL, false},
    {HP | HPG, "(W) bfn.0xD8 (8|M0) r10.0<1>:ud r20.0<1;0>:ud r30.0<0;0>:ud r40.0<1>:ud",
     "r20 r30.0+4 r40", "r10", false},
    {HP | HPG, "(W) bfn.0xD8 (16|M0) (eq)f1.0 null<1>:ud r20.0<1;0>:ud r30.0<0;0>:ud 0x7:uw",
     "r20-r21 r30.0+4", "f1.0", false},
    {ALL, "(W) dp4a (8|M0) r10.0<1>:d r20.0<0;0>:d r30.0<0;0>:d r40.0<0>:d",
     "r20.0+4 r30.0+4 r40.0+4", NULL, false},
    {SMALL, "csel (8|M0) (lt)f0.1 r10.0<1>:f r20.0<8;1>:f r30.0<8;1>:f r40.0<1>:f", "r20 r30 r40",
     "r10 f0.1", true},
    /* predicates and conditions */
    {SMALL, "(W&f0.0.any32h) mov (1|M0) r10.0<1>:d 0x0:d", "f0.0 f0.1", "r10.0+4", true},
    {SMALL, "(W&f1.1.all16h) mov (1|M0) r10.0<1>:d 0x0:d", "f1.1", "r10.0+4", true},
    {ALL, "(W&f1.0) sel (16|M16) r10.0<1>:w r20.0<0;1,0>:w 0x1:w", "r20.0+2 f1.1", NULL, false},
    {HPC, "(W&f3.0.any) mov (16|M0) r10.0<1>:d 0x0:d", "f3.0 f3.1", "r10", true},
    {HPC, "(W&f2.1) mov (16|M0) r10.0<1>:d 0x0:d", "f2.1", "r10", true},
    {HPC, "(W) cmp (32|M0) (lt)f3.0 null<1>:d r20.0<1;1,0>:d 0x0:d", "r20-r21", "f3.0 f3.1", false},
    {SMALL, "(W) cmp (16|M16) (lt)f1.0 null<1>:d r20.0<8;8,1>:d 0x0:d", "r20-r21", "f1.1", false},
    {ALL, "(W) cmp (8|M0) (lt)f0.1 null<1>:d r20.0<0;1,0>:d 0x0:d", "r20.0+4", "f0.1", true},
    {SMALL, "(W) sel (8|M0) (lt)f0.0 r10.0<1>:d r20.0<8;8,1>:d 0x0:d", "r20", "r10", false},
    /* architecture registers */
    {ALL, "(W) mov (1|M0) f0.0<1>:ud r20.0<0;1,0>:ud", "r20.0+4", "f0.0 f0.1", false},
    {HPC, "(W) mov (1|M0) r10.0<1>:uw f3.1<0;1,0>:uw", "f3.1", "r10.0+2", false},
    {ALL, "(W) mov (1|M0) a0.2<1>:ud r20.0<0;1,0>:ud", "r20.0+4", "a0.4 a0.5", false},
    {ALL, "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw", "cr0", "cr0", true},
    {SMALL, "(W) mov (8|M0) acc3.0<1>:f r20.0<8;8,1>:f", "r20", "acc3", false},
    {SMALL, "(W) add (16|M0) r10.0<1>:f acc2.0<8;8,1>:f r20.0<8;8,1>:f", "r20-r21 acc2 acc3",
     "r10-r11", false},
    {SMALL, "(W) mov (16|M0) acc4.0<1>:w r20.0<16;16,1>:w", "r20", "acc4 acc5", true},
    {HPC, "(W) mov (16|M0) acc9.0<1>:f r20.0<1;1,0>:f", "r20", "acc9 mme", false},
    {HPC, "(W) add (32|M0) r10.0<1>:f acc2.0<1;1,0>:f r20.0<1;1,0>:f", "r20-r21 acc2 acc3",
     "r10-r11", false},
    /* implicit accumulators: acc0, and acc1 for more channels, at every offset */
    {SMALL, "mach (8|M8) r10.0<1>:d r20.0<8;8,1>:d r30.0<8;8,1>:d", "r20 r30 acc0 acc1",
     "r10 acc0 acc1", true},
    {HPC, "macl (16|M0) r10.0<1>:d r20.0<1;1,0>:d r30.0<0;1,0>:d", "r20 r30.0+4 acc0 acc1",
     "r10 acc0 acc1", true},
    {SMALL, "(W) mac (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f", "r20 r30 acc0 acc1", "r10",
     false},
    {SMALL, "addc (8|M16) r10.0<1>:ud r20.0<8;8,1>:ud r30.0<8;8,1>:ud {AccWrEn}", "r20 r30",
     "r10 acc0 acc1", true},
    {HPC, "(W) subb (16|M0) r10.0<1>:ud r20.0<1;1,0>:ud 0x1:ud", "r20", "r10 acc0 acc1", true},
    {SMALL, "(W) mul (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f {AccWrEn}", "r20 r30",
     "r10 acc0 acc1", true},
    /* indirect */
    {ALL, "(W) mov (8|M0) r10.0<1>:d r[a0.2,16]<8;8,1>:d", "a0.2 any", NULL, false},
    {ALL, "(W) mov (8|M0) r10.0<1>:d r[a0.0,16]<1,0>:d",
     "a0.0 a0.1 a0.2 a0.3 a0.4 a0.5 a0.6 a0.7 any", NULL, false},
    {ALL, "(W) mov (8|M0) r[a0.3]<1>:d r20.0<0;1,0>:d", "r20.0+4 a0.3", "any", true},
    /* math and macros */
    {SMALL, "(W) math.inv (16|M0) r10.0<1>:f r20.0<8;8,1>:f", "r20-r21", "r10-r11", false},
    {HPC, "(W) math.sqt (16|M0) r10.0<1>:f r20.0<1;1,0>:f", "r20", "r10", false},
    {XE | HP, "(W) math.idiv (8|M0) r10.0<1>:d r20.0<8;8,1>:d r30.0<8;8,1>:d", "r20 r30", "r10-r11",
     false},
    {SMALL, "(W) math.invm (8|M0) (eo)f0.0 r10.mme0:f r20.nomme:f r24.nomme:f", "r20 r24",
     "r10 f0.0 mme", true},
    {HP | HPG, "(W) madm (8|M0) r10.mme1:f r20.mme2:f r30.nomme:f r40.nomme:f", "r20 r30 r40 mme",
     "r10 mme", false},
    {HPC, "(W) madm (8|M0) r10.mme1:df r20.mme2:df r30.nomme:df r40.mme0:df",
     "r20 r30 r40 acc8 acc10 mme", "r10 acc9 mme", false},
    {HPC, "(W) math.rsqtm (8|M0) (eo)f1.0 r10.mme4:df r20.nomme:df", "r20", "r10 f1.0 acc12 mme",
     true},
    /* branches */
    {ALL, "(f0.1) jmpi (1|M0) r2.0", "r2.0+4 f0.1", "", true},
    {ALL, "ret (16|M0) r125.0", "r125.0+8", "", true},
    {ALL, "call (16|M0) r125.0 r20.0", "r20.0+4", "r125.0+8", true},
    {ALL, "calla (16|M0) r125.0 r20.0", "r20.0+4", "r125.0+8", true},
    {ALL, "nop", "", "", false},
    {ALL, "sync.nop null {$3.dst}", "", "", false},
    {ALL, "sync.allwr 0xFF", "", "", false},
    {ALL, "sync.bar null", "", "", false},
    /* systolic: depth x repeat */
    {HP | HPG, "dpas.8x8 (8|M0) r10:f r20:f r30:bf r40.0:bf", "r20-r27 r30-r37 r40-r47", "r10-r17",
     true},
    {HP | HPG, "(W) dpas.8x4 (8|M0) r10:d null:d r30:b r40.0:b", "r30-r37 r40-r43", "r10-r13",
     false},
    {HP | HPG, "(W) dpas.8x2 (8|M0) r10:d r20:d r30:s4 r40.0:u2", "r20-r21 r30-r37 r40", "r10-r11",
     false},
    {HP | HPG, "(W) dpas.8x1 (8|M0) r10:d r20:d r30:u4 r40.0:b", "r20 r30-r33 r40", "r10", false},
    {HP | HPG, "(W) dpasw.8x8 (8|M0) r10:f r20:f r30:hf r40.0:hf", "r20-r27 r30-r37 r40-r43",
     "r10-r17", false},
    {HPC, "dpas.8x8 (16|M0) r10:f r20:f r30:bf r40.0:bf", "r20-r27 r30-r37 r40-r43", "r10-r17",
     true},
    {HPC, "(W) dpas.8x4 (16|M0) r10:f null:f r30:tf32 r40.0:tf32", "r30-r37 r40-r41", "r10-r13",
     false},
    /* messages */
    {XE, "(W) send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00", "r20-r21", NULL, false},
    {XE, "send.dc1 (16|M0) null r20 r30 0x80 0x04025EFE", "r20-r21 r30-r31", NULL, true},
    {HPG, "send.dc1 (16|M0) null r20 r30:2 0x0 0x04025EFE", "r20-r21 r30-r31", NULL, true},
    {XE, "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}", "r127", "", true},
    {HPG, "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}", "r127", NULL, true},
    {XE, "(f1.0) send.dc0 (8|M0) r10 r20 null a0.2 a0.0", "r20-r34 f1.0 a0.0 a0.1 a0.4 a0.5",
     "r10-r40", true},
    {XE, "send.dc0 (8|M0) r10 r20 r50 a0.2 0x04205E00", "r20-r21 r50-r80 a0.4 a0.5", NULL, true},
    {HPG, "send.ugm (8|M0) r10 r20 r50:3 a0.2 0x04205E00", NULL, NULL, true},
    {HPC, "(W) send.ugm (1|M0) r10 r20 null:0 0x0 0x0210D500", "r20", "r10", true},
    /* Gen11: three sources in align1, no scoreboard, sends */
    {G11, "(W) mad (8|M0) r10.0<1>:f r20.0<8;1>:f r30.3<0;0>:f r40.0<1>:f", "r20 r30.12+4 r40",
     "r10", false},
    {G11, "(W) mad (4|M0) r10.0<2>:d r20.0<8;2>:d r30.0<0;0>:w r40.2<0>:w",
     "r20.0+4 r20.8+4 r20.16+4 r20.24+4 r30.0+2 r40.4+2", "r10.0+4 r10.8+4 r10.16+4 r10.24+4",
     false},
    {G11, "(W) mad (8|M0) r10.0<1>:d 0x7:w r30.0<8;1>:d 0x8:w", "r30", "r10", false},
    {G11, "(W) mad (8|M0) acc0.0<1>:f r20.0<8;1>:f acc1.0<8;1>:f r40.0<1>:f", "r20 r40 acc1",
     "acc0", false},
    {G11, "(W) mad (8|M0) r10.0<1>:f r20.0<8;1>:f acc0.0<8;1>:nf r40.0<1>:f", "r20 r40 acc0 acc1",
     "r10", false},
    {G11, "(W) csel (8|M0) (gt)f0.0 r10.0<1>:w r20.0<8;1>:w r30.0<8;1>:w r40.0<0>:w",
     "r20.0+16 r30.0+16 r40.0+2", "r10.0+16 f0.0", true},
    {G11, "(W) bfi2 (8|M0) r10.0<1>:d r20.0<0;0>:d r30.0<8;1>:d r40.0<1>:d", "r20.0+4 r30 r40",
     "r10", false},
    {G11, "(W) madm (8|M0) r10.mme1:f r20.nomme:f r30.mme2:f r40.mme3:f", "r20 r30 r40 mme",
     "r10 mme", false},
    {G11, "(W) math.invm (8|M0) (eo)f0.0 r10.mme0:f r20.nomme:f r30.nomme:f", "r20 r30",
     "r10 f0.0 mme", true},
    {G11, "(W) rol (8|M0) r10.0<1>:ud r20.0<8;8,1>:ud 0x5:uw", "r20", "r10", false},
    {G11, "(W) addc (8|M0) r10.0<1>:ud r20.0<8;8,1>:ud r30.0<0;1,0>:ud {AccWrEn}", "r20 r30.0+4",
     "r10 acc0 acc1", true},
    {G11, "sends (16|M0) null r20 r30 0x8C 0x04025EFE", "r20-r21 r30-r31", "", true},
    {G11, "(W) send (8|M0) r10 r20 0xC a0.0", "r20-r34 a0.0 a0.1", "r10-r40", true},
};

static const struct {
    unsigned bit;
    enum sonde_gen_platform platform;
} platforms[] = {
    {G11, SONDE_GEN_PLATFORM_GEN11}, {XE, SONDE_GEN_PLATFORM_XE},     {HP, SONDE_GEN_PLATFORM_XEHP},
    {HPG, SONDE_GEN_PLATFORM_XEHPG}, {HPC, SONDE_GEN_PLATFORM_XEHPC},
};

static unsigned failures;

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    failures++;
}

static void check(struct iga *iga, enum sonde_gen_platform platform, const struct expectation *e)
{
    const char *name = sonde_gen_platform_name(platform);
    unsigned grf_size = sonde_gen_platform_grf_size(platform);
    char line[256], reads[2000], writes[2000];
    size_t size = 0;
    snprintf(line, sizeof line, "%s\n", e->text);
    const uint8_t *code = iga_assemble(iga, line, IGA_ENCODE_NO_COMPACT, &size);
    if (code == NULL) {
        complain("iga64 does not assemble %s for %s\n", e->text, name);
        return;
    }
    struct sonde_gen_instruction i;
    struct sonde_gen_effects effects;
    assert_int_equal(sonde_gen_decode(platform, code, size, 0, &i, NULL), SONDE_OK);
    if (i.illegal)
        complain("%s: illegal on %s\n", e->text, name);
    sonde_gen_instruction_effects(&i, &effects);
    /* What a message does to memory is the message tests' matter. */
    bool message =
        sonde_gen_opcode_format((enum sonde_gen_opcode)i.opcode) == SONDE_GEN_FORMAT_SEND;
    if (message)
        effects.reads.memory = effects.writes.memory = false;
    effects_describe(&effects.reads, grf_size, reads, sizeof reads);
    effects_describe(&effects.writes, grf_size, writes, sizeof writes);
    if (e->reads != NULL && strcmp(reads, e->reads) != 0)
        complain("%s reads \"%s\" on %s, expected \"%s\"\n", e->text, reads, name, e->reads);
    if (e->writes != NULL && strcmp(writes, e->writes) != 0)
        complain("%s writes \"%s\" on %s, expected \"%s\"\n", e->text, writes, name, e->writes);
    if (!message && effects.write_is_partial != e->partial)
        complain("%s: the write is %s on %s\n", e->text, e->partial ? "whole" : "partial", name);
}

static void test_expectations(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof platforms / sizeof *platforms; p++) {
        struct iga *iga = iga_open_platform(platforms[p].platform);
        assert_non_null(iga);
        for (size_t n = 0; n < sizeof expectations / sizeof *expectations; n++) {
            if ((expectations[n].platforms & platforms[p].bit) != 0)
                check(iga, platforms[p].platform, &expectations[n]);
        }
        iga_close(iga);
    }
    assert_int_equal(failures, 0);
}

static void test_illegal(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof platforms / sizeof *platforms; p++) {
        uint8_t zeros[16] = {0};
        struct sonde_gen_instruction i;
        struct sonde_gen_effects effects;
        sonde_gen_decode(platforms[p].platform, zeros, sizeof zeros, 0, &i, NULL);
        sonde_gen_instruction_effects(&i, &effects);
        assert_true(effects.reads.grf_unknown && effects.writes.grf_unknown);
        assert_true(effects.write_is_partial);
        assert_int_equal(effects.reads.flags, 0xff);
        assert_true(effects.reads.grf[0] == ~UINT64_C(0) && effects.reads.grf[63] == ~UINT64_C(0));
    }
}

int main(void)
{
    struct iga *iga = iga_open();
    if (iga == NULL)
        return 77;
    iga_close(iga);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_illegal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
