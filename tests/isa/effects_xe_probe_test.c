/* What instructions of Xe and later read and write, found by letting iga64
 * compute dependencies. The instruction A is assembled with a probe behind it
 * that reads (or writes) one piece of one register, and iga64 sets the
 * software scoreboard: when it makes the probe wait, A writes (or touches)
 * that piece. Every piece of every register near the operands is tried. Of the
 * systolic operations only those whose matrices fill their registers: iga64
 * treats the others as larger than they are (whole registers, 8 rows). */
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
    XEHP_ON = HP | HPG | HPC,
    SMALL = XE | HP | HPG,
    ALL = 15
};

/* In which pipe A runs: the probe that writes has to run in another one, since
 * one pipe never overtakes itself. */
enum pipe { INTEGER, FLOATING, OTHER };

static const struct sample {
    unsigned platforms;
    enum pipe pipe;
    const char *text;
} samples[] = {
    {ALL, FLOATING, "(W) add (8|M0) r10.0<1>:f r12.0<1;1,0>:f r14.2<0;1,0>:f"},
    {ALL, INTEGER, "(W) add (8|M0) r10.0<1>:d r12.1<0;1,0>:d r14.0<1;1,0>:d"},
    {SMALL, INTEGER, "(W) add (16|M0) r10.0<2>:w r13.0<16;16,1>:w r15.0<8;4,2>:w"},
    {HPC, INTEGER, "(W) add (32|M0) r10.0<1>:w r13.0<1;1,0>:w r15.3<0;1,0>:w"},
    {HPC, FLOATING, "(W) mul (32|M0) r10.0<1>:f r13.0<1;1,0>:f r15.3<0;1,0>:f"},
    {SMALL, INTEGER, "mov (4|M4) r10.16<4>:ub r12.3<8;2,4>:ub"},
    {ALL, INTEGER, "mov (1|M0) r10.7<1>:uw r12.9<0;1,0>:uw"},
    {ALL, INTEGER, "(f0.0) sel (8|M0) r10.0<1>:d r12.0<1;1,0>:d 0x7:w"},
    {ALL, INTEGER, "(W) cmp (8|M0) (lt)f0.0 null<1>:d r12.0<1;1,0>:d r14.0<0;1,0>:d"},
    {SMALL, FLOATING, "mad (8|M0) r10.0<1>:f r12.0<8;1>:f r14.3<0;0>:f r16.0<1>:f"},
    {SMALL, FLOATING, "mad (4|M0) r10.0<2>:f r12.0<8;2>:f r14.3<0;0>:f r16.0<2>:f"},
    {SMALL, FLOATING, "mad (8|M0) r10.0<1>:f r12.0<4;0>:f r14.1<8;0>:f r16.0<1>:f"},
    {HPC, FLOATING, "mad (16|M0) r10.0<1>:f r12.0<1;0>:f r14.3<0;0>:f r16.0<1>:f"},
    {XEHP_ON, INTEGER, "(W) add3 (8|M0) r10.0<1>:d r12.0<1;0>:d r14.3<0;0>:d r16.0<1>:d"},
    {HP | HPG, INTEGER, "bfn.0xD8 (8|M0) r10.0<1>:ud r12.0<1;0>:ud r14.3<0;0>:ud r16.0<1>:ud"},
    {ALL, INTEGER, "dp4a (8|M0) r10.0<1>:d r12.0<0;0>:d r14.0<0;0>:d r16.0<1>:d"},
    {SMALL, INTEGER, "mach (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<0;1,0>:d"},
    {SMALL, INTEGER, "addc (8|M0) r10.0<1>:ud r12.0<8;8,1>:ud r14.0<8;8,1>:ud {AccWrEn}"},
    {SMALL, OTHER, "(W) math.inv (8|M0) r10.0<1>:f r12.0<8;8,1>:f"},
    {XE | HP, OTHER, "(W) math.idiv (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d"},
    {HPC, OTHER, "(W) math.sqt (16|M0) r10.0<1>:f r12.0<1;1,0>:f"},
    {HP | HPG, OTHER, "dpas.8x8 (8|M0) r10:f r20:f r30:bf r40.0:bf"},
    {HP | HPG, OTHER, "(W) dpas.8x8 (8|M0) r10:d null:d r30:ub r40.0:b"},
    {HP | HPG, OTHER, "dpas.8x8 (8|M0) r10:d r20:d r30:s4 r40.0:s4"},
    {HPG, OTHER, "dpas.8x8 (8|M0) r10:d r20:d r30:u2 r40.0:b"},
    {HPC, OTHER, "dpas.8x8 (16|M0) r10:f r20:f r30:hf r40.0:hf"},
    {HPC, OTHER, "dpas.8x8 (16|M0) r10:f null:f r30:tf32 r40.0:tf32"},
    {HPC, OTHER, "dpas.8x8 (16|M0) r10:d r20:d r30:s4 r40.0:s4"},
    {SMALL, OTHER, "math.invm (8|M0) (eo)f0.0 r10.mme0:f r12.nomme:f r14.nomme:f"},
    {HP | HPG, FLOATING, "madm (8|M0) r10.mme1:f r12.mme2:f r14.nomme:f r16.nomme:f"},
    {HPC, OTHER, "madm (8|M0) r10.mme1:df r12.mme2:df r14.nomme:df r16.mme0:df"},
    {XE, OTHER, "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00"},
    {XE, OTHER, "send.dc1 (16|M0) null r20 r30 0x80 0x04025EFE"},
    {HPG, OTHER, "send.dc1 (16|M0) null r20 r30:2 0x0 0x04025EFE"},
    {HPG, OTHER, "send.dc0 (8|M0) r10 r20 null:0 0x0 0x021844FD"},
    {HPC, OTHER, "send.ugm (16|M0) r10 r20 null:0 0x0 0x08200580"},
    {HPC, OTHER, "send.ugm (16|M0) null r20 r30:2 0x0 0x04000584"},
};

static const struct {
    unsigned bit;
    enum sonde_gen_platform platform;
} platforms[] = {
    {XE, SONDE_GEN_PLATFORM_XE},
    {HP, SONDE_GEN_PLATFORM_XEHP},
    {HPG, SONDE_GEN_PLATFORM_XEHPG},
    {HPC, SONDE_GEN_PLATFORM_XEHPC},
};

static size_t probes;

/* True when iga64 makes the probe wait, negative when it does not assemble. */
static int waits(struct iga *iga, enum sonde_gen_platform platform, const char *first,
                 const char *probe)
{
    char text[512];
    size_t size, at = 0, seen = 0;
    snprintf(text, sizeof text, "%s\n%s\n", first, probe);
    const uint8_t *code =
        iga_assemble(iga, text, IGA_ENCODE_NO_COMPACT | IGA_ENCODE_SCOREBOARD, &size);
    if (code == NULL)
        return -1;
    probes++;
    for (bool between = false; at < size;) {
        struct sonde_gen_instruction i;
        struct sonde_gen_scoreboard s;
        assert_int_equal(sonde_gen_decode(platform, code, size, at, &i, NULL), SONDE_OK);
        at += i.size;
        assert_true(sonde_gen_scoreboard_decode(&i, &s));
        bool sync = i.opcode == SONDE_GEN_SYNC;
        between = between || (seen == 1 && sync);
        if (!sync && ++seen == 2)
            return between || s.distance != 0 || s.token_mode == SONDE_GEN_TOKEN_DESTINATION ||
                   s.token_mode == SONDE_GEN_TOKEN_SOURCE;
    }
    return -1;
}

static bool touches(const struct sonde_gen_effect *e, unsigned byte, unsigned length)
{
    for (unsigned n = byte; n < byte + length; n++) {
        if ((e->grf[n / 64] >> n % 64 & 1) != 0)
            return true;
    }
    return false;
}

/* A register next to one that A touches by our sets. */
static bool is_near(const struct sonde_gen_effects *e, unsigned grf, unsigned number)
{
    unsigned first = number == 0 ? 0 : number - 1;
    return touches(&e->reads, first * grf, 3 * grf) || touches(&e->writes, first * grf, 3 * grf);
}

static void probe_writes(struct iga *iga, const struct sonde_gen_instruction *i,
                         const struct sonde_gen_effects *e, const char *text, unsigned number)
{
    enum sonde_gen_platform platform = (enum sonde_gen_platform)i->platform;
    unsigned grf = sonde_gen_platform_grf_size(platform);
    for (unsigned byte = 0; byte < grf; byte++) {
        char probe[128];
        snprintf(probe, sizeof probe, "(W) mov (1|M0) null<1>:ub r%u.%u<0;1,0>:ub", number, byte);
        int answer = waits(iga, platform, text, probe);
        if (answer != touches(&e->writes, number * grf + byte, 1))
            fail_msg("%s: %s: iga64 says %d to %s", sonde_gen_platform_name(platform), text, answer,
                     probe);
    }
}

static void probe_reads(struct iga *iga, const struct sonde_gen_instruction *i,
                        const struct sonde_gen_effects *e, const struct sample *sample,
                        unsigned number)
{
    enum sonde_gen_platform platform = (enum sonde_gen_platform)i->platform;
    unsigned grf = sonde_gen_platform_grf_size(platform);
    bool by_math = platform == SONDE_GEN_PLATFORM_XE && sample->pipe != OTHER;
    const char *type = by_math || sample->pipe == INTEGER ? "hf" : "uw";
    for (unsigned byte = 0; byte < grf; byte += 2) {
        char probe[128];
        snprintf(probe, sizeof probe, "(W) %s (1|M0) r%u.%u<1>:%s r120.0<0;1,0>:%s",
                 by_math ? "math.inv" : "mov", number, byte / 2, type, type);
        int answer = waits(iga, platform, sample->text, probe);
        bool ours = touches(&e->reads, number * grf + byte, 2) ||
                    touches(&e->writes, number * grf + byte, 2);
        if (answer != ours)
            fail_msg("%s: %s: iga64 says %d to %s", sonde_gen_platform_name(platform), sample->text,
                     answer, probe);
    }
}

static void check(struct iga *iga, enum sonde_gen_platform platform, const struct sample *sample)
{
    char line[256];
    size_t size = 0;
    struct sonde_gen_instruction i;
    struct sonde_gen_effects effects;
    snprintf(line, sizeof line, "%s\n", sample->text);
    const uint8_t *code = iga_assemble(iga, line, IGA_ENCODE_NO_COMPACT, &size);
    if (code == NULL)
        fail_msg("iga64 does not assemble %s", sample->text);
    assert_int_equal(sonde_gen_decode(platform, code, size, 0, &i, NULL), SONDE_OK);
    sonde_gen_instruction_effects(&i, &effects);
    for (unsigned number = 0; number < 128; number++) {
        if (!is_near(&effects, sonde_gen_platform_grf_size(platform), number))
            continue;
        probe_writes(iga, &i, &effects, sample->text, number);
        probe_reads(iga, &i, &effects, sample, number);
    }
}

static void test_probes(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof platforms / sizeof *platforms; p++) {
        struct iga *iga = iga_open_platform(platforms[p].platform);
        assert_non_null(iga);
        for (size_t n = 0; n < sizeof samples / sizeof *samples; n++) {
            if ((samples[n].platforms & platforms[p].bit) != 0)
                check(iga, platforms[p].platform, &samples[n]);
        }
        iga_close(iga);
    }
    printf("%zu probes\n", probes);
    assert_true(probes > 10000);
}

int main(void)
{
    struct iga *iga = iga_open();
    if (iga == NULL)
        return 77;
    iga_close(iga);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_probes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
