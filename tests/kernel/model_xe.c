/* Liveness of small assembled kernels of Xe and later: registers of 64 bytes,
 * split sends, f2 and f3, accumulators, systolic operations, goto and join. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/codec_iga.h"
#include "isa/effects_text.h"
#include "sonde/kernel.h"

static const char *end_of(enum sonde_gen_platform platform)
{
    switch (platform) {
    case SONDE_GEN_PLATFORM_XEHPC:
        return "(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}\n";
    case SONDE_GEN_PLATFORM_XEHPG:
        return "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}\n";
    default:
        return "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}\n";
    }
}

/* What is live before instruction `index`, r127 of the end of thread aside. */
static const struct sample {
    enum sonde_gen_platform platform;
    const char *code;
    unsigned index;
    const char *live;
} samples[] = {
    /* a whole write ends a life, one under a mask does not */
    {SONDE_GEN_PLATFORM_XE,
     "(W) mov (8|M0) r10.0<1>:f r12.0<8;8,1>:f\n"
     "(W) send.dc1 (8|M0) null r10 r11 0x40 0x02026E00 {$1}\n",
     0, "r11-r12"},
    {SONDE_GEN_PLATFORM_XE,
     "mov (8|M0) r10.0<1>:f r12.0<8;8,1>:f\n"
     "(W) send.dc1 (8|M0) null r10 r11 0x40 0x02026E00 {$1}\n",
     0, "r10-r12"},
    {SONDE_GEN_PLATFORM_XEHPC,
     "(W) mov (16|M0) r10.0<1>:f r12.0<1;1,0>:f\n"
     "(W) send.ugm (16|M0) null r10 r14:1 0x0 0x04000584 {$1}\n",
     0, "r11-r12 r14"},
    {SONDE_GEN_PLATFORM_XEHPC,
     "(W) mov (8|M0) r10.0<1>:f r12.0<0;1,0>:f\n"
     "(W) send.ugm (16|M0) null r10 r14:1 0x0 0x02000584 {$1}\n",
     0, "r10.32+32 r12.0+4 r14"},
    {SONDE_GEN_PLATFORM_XEHPG,
     "(W) mov (16|M0) r200.0<1>:f r12.0<1;1,0>:f\n"
     "(W) send.dc1 (16|M0) null r10 r200:2 0x0 0x04025E00 {$1}\n",
     1, "r10-r11 r200-r201"},
    /* flags */
    {SONDE_GEN_PLATFORM_XEHPC,
     "(W) mov (1|M0) f3.0<1>:ud 0x0:ud\n"
     "(W) cmp (32|M0) (lt)f2.0 null<1>:d r12.0<0;1,0>:d 0x0:d\n"
     "(W&f3.1) mov (16|M0) r20.0<1>:d 0x0:d\n"
     "(W&f2.0) mov (32|M0) r20.0<1>:d 0x0:d\n"
     "(W) send.ugm (16|M0) null r20 r22:1 0x0 0x02000584 {$1}\n",
     1, "r12.0+4 r20 r22 f3.1"},
    {SONDE_GEN_PLATFORM_XE,
     "(W) cmp (16|M0) (lt)f0.0 null<1>:d r12.0<0;1,0>:d 0x0:d\n"
     "(W&f0.0.any32h) mov (1|M0) r20.0<1>:d 0x0:d\n"
     "(W) send.dc1 (8|M0) null r20 r11 0x40 0x02026E00 {$1}\n",
     0, "r11.0+36 r20 f0.1"},
    /* accumulators */
    {SONDE_GEN_PLATFORM_XE,
     "(W) mul (8|M0) acc0.0<1>:d r12.0<8;8,1>:d r13.0<16;8,2>:uw\n"
     "(W) mach (8|M0) r10.0<1>:d r12.0<8;8,1>:d r13.0<8;8,1>:d\n"
     "(W) send.dc1 (8|M0) null r10 r11 0x40 0x02026E00 {$1}\n",
     1, "r10-r13 acc0 acc1"},
    {SONDE_GEN_PLATFORM_XEHPG,
     "(W) mov (8|M0) acc3.0<1>:f r12.0<8;8,1>:f\n"
     "(W) add (8|M0) r10.0<1>:f acc3.0<8;8,1>:f 0x0:f\n"
     "(W) send.dc1 (8|M0) null r10 r11:1 0x0 0x02026E00 {$1}\n",
     1, "r11 acc3"},
    {SONDE_GEN_PLATFORM_XEHPG,
     "(W) mov (8|M0) acc3.0<1>:f r12.0<8;8,1>:f\n"
     "(W) add (8|M0) r10.0<1>:f acc3.0<8;8,1>:f 0x0:f\n"
     "(W) send.dc1 (8|M0) null r10 r11:1 0x0 0x02026E00 {$1}\n",
     0, "r11-r12"},
    /* a descriptor in a0, and a payload that is read only as far as it is long */
    {SONDE_GEN_PLATFORM_XE,
     "(W) mov (1|M0) a0.0<1>:ud 0x02026E00:ud\n"
     "(W) send.dc1 (8|M0) null r100 r120 0x40 a0.0 {$1}\n",
     1, "r100-r114 r120 a0.0 a0.1"},
    /* systolic */
    {SONDE_GEN_PLATFORM_XEHPG,
     "(W) dpas.8x8 (8|M0) r10:f null:f r30:bf r40.0:bf {$1}\n"
     "(W) send.dc1 (8|M0) null r10 r11:1 0x0 0x02026E00 {$2}\n",
     0, "r30-r37 r40-r47"},
    /* channels that wait: what only they read stays alive on the other way */
    {SONDE_GEN_PLATFORM_XEHPG,
     "(f0.0) goto (16|M0) L1 L1\n"
     "(W) mov (16|M0) r30.0<1>:d 0x0:d\n"
     "L1:\njoin (16|M0) L2\n"
     "L2:\n(W) send.dc1 (16|M0) null r30 r32:2 0x0 0x04025E00 {$1}\n",
     1, "r32-r33"},
    {SONDE_GEN_PLATFORM_XEHPG,
     "(f0.0) goto (16|M0) L1 L1\n"
     "(W) mov (16|M0) r30.0<1>:d 0x0:d\n"
     "L1:\njoin (16|M0) L2\n"
     "L2:\n(W) send.dc1 (16|M0) null r30 r32:2 0x0 0x04025E00 {$1}\n",
     0, "r30-r33 f0.0"},
};

static void liveness(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof samples / sizeof *samples; n++) {
        const struct sample *s = &samples[n];
        unsigned grf = sonde_gen_platform_grf_size(s->platform);
        struct iga *iga = iga_open_platform(s->platform);
        char text[1024];
        size_t size;
        assert_non_null(iga);
        snprintf(text, sizeof text, "%s%s", s->code, end_of(s->platform));
        const uint8_t *code = iga_assemble(iga, text, IGA_ENCODE_NO_COMPACT, &size);
        if (code == NULL)
            fail_msg("does not assemble:\n%s", text);
        struct sonde_kernel_info info = {.name = "test",
                                         .platform = s->platform,
                                         .isa = code,
                                         .isa_size = size,
                                         .simd_width = 16,
                                         .grf_count =
                                             s->platform == SONDE_GEN_PLATFORM_XEHPG ? 256 : 128};
        struct sonde_kernel *kernel;
        struct sonde_error error;
        struct sonde_gen_effect live;
        if (sonde_kernel_create(&info, &kernel, &error) != SONDE_OK ||
            sonde_kernel_live_before(kernel, s->index, &live, &error) != SONDE_OK)
            fail_msg("%s", error.message);
        for (unsigned byte = 127 * grf; byte < 128 * grf; byte++)
            live.grf[byte / 64] &= ~(UINT64_C(1) << byte % 64);
        char shown[1024];
        effects_describe(&live, grf, shown, sizeof shown);
        if (strcmp(shown, s->live) != 0)
            fail_msg("%s, before instruction %u: \"%s\" live, expected \"%s\" in\n%s",
                     sonde_gen_platform_name(s->platform), s->index, shown, s->live, text);
        sonde_kernel_destroy(kernel);
        iga_close(iga);
    }
}

int main(void)
{
    struct iga *iga = iga_open();
    if (iga == NULL)
        return 77;
    iga_close(iga);
    const struct CMUnitTest tests[] = {cmocka_unit_test(liveness)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
