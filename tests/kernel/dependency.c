/* Dependencies that the software scoreboard leaves open: small kernels with
 * the message expected, and programs whose scoreboard iga64 set, from which
 * each annotation in turn is taken away or weakened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/codec_iga.h"
#include "kernel/annotation.h"
#include "sonde/dependency.h"

enum {
    XE = 1,
    HP = 2,
    HPG = 4,
    HPC = 8,
    XEHP_ON = HP | HPG | HPC,
    SMALL = XE | HP | HPG,
    ALL = 15
};

static const struct {
    unsigned bit;
    enum sonde_gen_platform platform;
    const char *end;
} platforms[] = {
    {XE, SONDE_GEN_PLATFORM_XE, "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}\n"},
    {HP, SONDE_GEN_PLATFORM_XEHP, "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}\n"},
    {HPG, SONDE_GEN_PLATFORM_XEHPG, "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}\n"},
    {HPC, SONDE_GEN_PLATFORM_XEHPC, "(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT}\n"},
};

#define PLATFORMS (sizeof platforms / sizeof *platforms)

/* What the check has to say of a piece of code; NULL for nothing. */
static const struct sample {
    unsigned platforms;
    const char *code;
    const char *message;
} samples[] = {
    /* read after write, in order */
    {XE,
     "mul (8|M0) r10.0<1>:f r12.0<8;8,1>:f r13.0<8;8,1>:f\n"
     "add (8|M0) r14.0<1>:f r10.0<8;8,1>:f 0x0:f\n",
     "add at 0x10: reads r10 before mul at 0x0 has written it: {@1} is missing"},
    {XE,
     "mul (8|M0) r10.0<1>:f r12.0<8;8,1>:f r13.0<8;8,1>:f\n"
     "add (8|M0) r14.0<1>:f r10.0<8;8,1>:f 0x0:f {@1}\n",
     NULL},
    {HP | HPG,
     "mul (8|M0) r10.0<1>:f r12.0<8;8,1>:f r13.0<8;8,1>:f\n"
     "mov (8|M0) r20.0<1>:d 0x0:d\n"
     "add (8|M0) r14.0<1>:f r10.0<8;8,1>:f 0x0:f {I@1}\n",
     "add at 0x20: reads r10 before mul at 0x0 has written it: {F@1} is missing"},
    {HP | HPG,
     "mul (8|M0) r10.0<1>:f r12.0<8;8,1>:f r13.0<8;8,1>:f\n"
     "mov (8|M0) r20.0<1>:d 0x0:d\n"
     "add (8|M0) r14.0<1>:f r10.0<8;8,1>:f 0x0:f {F@1}\n",
     NULL},
    /* a distance without a pipe is that of the sources' types */
    {HP | HPG,
     "mul (8|M0) r10.0<1>:f r12.0<8;8,1>:f r13.0<8;8,1>:f\n"
     "add (8|M0) r14.0<1>:f r10.0<8;8,1>:f 0x0:f {@1}\n",
     NULL},
    {HP | HPG,
     "add (8|M0) r10.0<1>:d r12.0<8;8,1>:d r13.0<8;8,1>:d\n"
     "mov (8|M0) r14.0<1>:f r10.0<8;8,1>:f {@1}\n",
     "mov at 0x10: reads r10 before add at 0x0 has written it: {I@1} is missing"},
    {HPC,
     "mul (16|M0) r10.0<1>:df r12.0<1;1,0>:df r14.0<1;1,0>:df\n"
     "mov (1|M0) r20.0<1>:d 0x0:d\n"
     "mov (1|M0) r22.0<1>:ud r11.3<0;1,0>:ud {A@1}\n",
     NULL},
    {HPC,
     "mul (16|M0) r10.0<1>:df r12.0<1;1,0>:df r14.0<1;1,0>:df\n"
     "mov (1|M0) r22.0<1>:ud r11.3<0;1,0>:ud {I@1}\n",
     "mov at 0x10: reads r11 bytes 12-15 before mul at 0x0 has written it: {L@1} is missing"},
    /* in one pipe writes wait by themselves, between pipes they do not */
    {ALL,
     "mov (8|M0) r10.0<1>:d r12.0<1;1,0>:d\n"
     "mov (8|M0) r12.0<1>:d 0x0:d\n"
     "mov (8|M0) r10.0<1>:d 0x0:d\n",
     NULL},
    {XEHP_ON,
     "mov (8|M0) r10.0<1>:d r12.0<1;1,0>:d\n"
     "mov (8|M0) r12.0<1>:f 0x0:f\n",
     "mov at 0x10: writes r12 bytes 0-31 before mov at 0x0 has read it: {I@1} is missing|"
     "mov at 0x10: writes r12 before mov at 0x0 has read it: {I@1} is missing"},
    {XEHP_ON,
     "cmp (16|M0) (lt)f0.0 null<1>:d r12.0<0;1,0>:d 0x0:d\n"
     "cmp (16|M0) (lt)f0.0 null<1>:f r14.0<0;1,0>:f 0x0:f\n",
     "cmp at 0x10: writes f0.0 before cmp at 0x0 has written it: {I@1} is missing"},
    /* tokens */
    {XE,
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$3}\n"
     "add (8|M0) r14.0<1>:f r11.0<8;8,1>:f 0x0:f {$3.src}\n",
     "add at 0x10: reads r11 before send at 0x0 has written it: {$3.dst} is missing"},
    {XE,
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$3}\n"
     "add (8|M0) r14.0<1>:f r11.0<8;8,1>:f 0x0:f {$3.dst}\n",
     NULL},
    {XE,
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$3}\n"
     "mov (8|M0) r21.0<1>:f 0x0:f\n",
     "mov at 0x10: writes r21 before send at 0x0 has read it: {$3.src} is missing"},
    {XE,
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$3}\n"
     "mov (8|M0) r21.0<1>:f 0x0:f {$3.src}\n"
     "mov (8|M0) r10.0<1>:f 0x0:f\n",
     "mov at 0x20: writes r10 before send at 0x0 has written it: {$3.dst} is missing"},
    {XE,
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$3}\n"
     "sync.allwr 0x8\n"
     "mov (8|M0) r10.0<1>:f 0x0:f\n",
     NULL},
    {XE,
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$3}\n"
     "sync.allwr 0x4\n"
     "mov (8|M0) r10.0<1>:f 0x0:f\n",
     "mov at 0x20: writes r10 before send at 0x0 has written it: {$3.dst} is missing"},
    {SMALL,
     "math.inv (8|M0) r10.0<1>:f r20.0<8;8,1>:f {$2}\n"
     "sync.nop null {$2.dst}\n"
     "add (8|M0) r14.0<1>:f r10.0<8;8,1>:f 0x0:f\n",
     NULL},
    {HPC,
     "math.inv (16|M0) r10.0<1>:f r20.0<1;1,0>:f\n"
     "add (16|M0) r14.0<1>:f r10.0<1;1,0>:f 0x0:f {F@1}\n",
     "add at 0x10: reads r10 before math at 0x0 has written it: {M@1} is missing"},
    /* a token that is given anew is waited for */
    {SMALL,
     "math.inv (8|M0) r10.0<1>:f r20.0<8;8,1>:f {$2}\n"
     "math.inv (8|M0) r11.0<1>:f r10.0<8;8,1>:f {$2}\n"
     "sync.nop null {$2.dst}\n",
     NULL},
    {SMALL,
     "math.inv (8|M0) r10.0<1>:f r20.0<8;8,1>:f {$2}\n"
     "math.inv (8|M0) r11.0<1>:f r10.0<8;8,1>:f {$1}\n"
     "sync.nop null {$2.dst}\n",
     "math at 0x10: reads r10 before math at 0x0 has written it: {$2.dst} is missing"},
    /* payloads of one function are read in order */
    {XE,
     "send.dc1 (16|M0) null r20 r30 0x80 0x04025EFE {$1}\n"
     "send.dc1 (16|M0) r20 r40 null 0x0 0x04205E00 {$2}\n"
     "mov (8|M0) r30.0<1>:f 0x0:f {$2.src}\n",
     NULL},
    {XE,
     "send.dc1 (16|M0) null r20 r30 0x80 0x04025EFE {$1}\n"
     "send.dc0 (8|M0) r20 r40 null 0x0 0x021844FD {$2}\n",
     "send at 0x10: writes r20 before send at 0x0 has read it: {$1.src} is missing"},
    /* state registers */
    {XE,
     "mov (8|M0) r10.0<1>:d 0x0:d\n"
     "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw\n",
     "or at 0x10: does not wait for mov at 0x0, though one of the two uses a state register: {@1} "
     "is missing"},
    {XEHP_ON,
     "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {A@1}\n"
     "mov (8|M0) r10.0<1>:d 0x0:d\n",
     "mov at 0x10: does not wait for or at 0x0, though one of the two uses a state register: {A@1} "
     "is missing"},
    /* around a loop, and by way of either branch */
    {XE,
     "L0:\nadd (16|M0) r30.0<1>:d r10.0<8;8,1>:d 0x1:d\n"
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$1}\n"
     "(f0.0) while (16|M0) L0\n",
     "add at 0x0: reads r10-r11 before send at 0x10 has written it: {$1.dst} is missing"},
    {XE,
     "(f0.0) if (16|M0) L1 L2\n"
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$1}\n"
     "else (16|M0) L2 L2\n"
     "L1:\nadd (16|M0) r30.0<1>:d r10.0<8;8,1>:d 0x1:d\n" /* other channels */
     "L2:\nendif (16|M0) L3\n"
     "L3:\nadd (16|M0) r30.0<1>:d r10.0<8;8,1>:d 0x1:d\n",
     "add at 0x50: reads r10-r11 before send at 0x10 has written it: {$1.dst} is missing"},
    {XE,
     "(f0.0) if (16|M0) L1 L2\n"
     "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00 {$1}\n"
     "else (16|M0) L2 L2\n"
     "L1:\n(W) add (16|M0) r30.0<1>:d r10.0<8;8,1>:d 0x1:d\n"
     "L2:\nendif (16|M0) L3\n"
     "L3:\nadd (16|M0) r30.0<1>:d r10.0<8;8,1>:d 0x1:d {$1.dst}\n",
     "add at 0x30: reads r10-r11 before send at 0x10 has written it: {$1.dst} is missing"},
    /* channels that break a loop do not come to its top again */
    {XE,
     "L0:\nmov (16|M0) r20.0<1>:f 0x0:f\n"
     "send.dc1 (16|M0) null r20 r30 0x80 0x04025EFE {$1}\n"
     "(f0.0) break (16|M0) L1 L1\n"
     "mov (16|M0) r30.0<1>:f 0x0:f {$1.src}\n"
     "L1:\nwhile (16|M0) L0\n",
     "send at 0x10: reads r20-r21 before mov at 0x0 has written it: {@1} is missing"},
    {XE,
     "L0:\nmov (16|M0) r20.0<1>:f 0x0:f\n"
     "send.dc1 (16|M0) null r20 r30 0x80 0x04025EFE {@1,$1}\n"
     "(f0.0) break (16|M0) L1 L1\n"
     "mov (16|M0) r30.0<1>:f 0x0:f {$1.src}\n"
     "L1:\nwhile (16|M0) L0\n",
     NULL},
    {XE,
     "L0:\nmov (16|M0) r20.0<1>:f 0x0:f\n"
     "send.dc1 (16|M0) null r20 r30 0x80 0x04025EFE {@1,$1}\n"
     "(f0.0) break (16|M0) L1 L1\n"
     "L1:\nwhile (16|M0) L0\n",
     "mov at 0x0: writes r20-r21 before send at 0x10 has read it: {$1.src} is missing"},
    /* where a join jumps on, no channel has met there */
    {HPG,
     "send.dc1 (16|M0) r10 r20 null:0 0x0 0x04205E00 {$1}\n"
     "(f0.0) goto (16|M0) L1 L1\n"
     "mov (16|M0) r12.0<1>:f r10.0<1;1,0>:f {$1.dst}\n"
     "goto (16|M0) L1 L2\n"
     "L1:\njoin (16|M0) L2\n"
     "mov (16|M0) r12.0<1>:f r10.0<1;1,0>:f {$1.dst}\n"
     "L2:\njoin (16|M0) L3\n"
     "L3:\n(W) mov (16|M0) r14.0<1>:f r10.0<1;1,0>:f\n",
     NULL},
    {HPG,
     "send.dc1 (16|M0) r10 r20 null:0 0x0 0x04205E00 {$1}\n"
     "(f0.0) goto (16|M0) L1 L1\n"
     "mov (16|M0) r12.0<1>:f r10.0<1;1,0>:f {$1.dst}\n"
     "goto (16|M0) L1 L2\n"
     "L1:\njoin (16|M0) L2\n"
     "L2:\njoin (16|M0) L3\n"
     "L3:\n(W) mov (16|M0) r14.0<1>:f r10.0<1;1,0>:f\n",
     "mov at 0x60: reads r10-r11 before send at 0x0 has written it: {$1.dst} is missing"},
    /* a message leaves what its channels do not own in the response */
    {XE,
     "(W) send.dc1 (1|M0) r12 r8 null 0x0 0x041401FF {$0}\n"
     "(W) add (1|M0) r13.0<1>:ud r12.1<0;1,0>:ud 0x1:ud\n",
     NULL},
    {XE,
     "(W) send.dc1 (1|M0) r12 r8 null 0x0 0x041401FF {$0}\n"
     "(W) add (1|M0) r13.0<1>:ud r12.0<0;1,0>:ud 0x1:ud\n",
     "add at 0x10: reads r12 bytes 0-3 before send at 0x0 has written it: {$0.dst} is missing"},
    /* systolic sequences share a token */
    {HP | HPG,
     "dpas.8x8 (8|M0) r10:f r10:f r30:bf r40.0:bf {Atomic}\n"
     "dpas.8x8 (8|M0) r10:f r10:f r30:bf r50.0:bf {$4}\n"
     "mov (8|M0) r10.0<1>:f 0x0:f {$4.dst}\n",
     NULL},
    {HP | HPG,
     "dpas.8x8 (8|M0) r10:f r10:f r30:bf r40.0:bf {$4}\n"
     "mov (8|M0) r10.0<1>:f r17.0<1;1,0>:f {$4.src}\n",
     "mov at 0x10: reads r17 before dpas at 0x0 has written it: {$4.dst} is missing"},
};

static struct sonde_kernel *create(const uint8_t *code, size_t size,
                                   enum sonde_gen_platform platform)
{
    struct sonde_kernel_info info = {
        .name = "test", .platform = platform, .isa = code, .isa_size = size, .simd_width = 16};
    struct sonde_kernel *kernel;
    struct sonde_error error;
    if (sonde_kernel_create(&info, &kernel, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    return kernel;
}

struct first {
    const struct sonde_kernel *kernel;
    char text[300];
};

static void keep_first(void *context, const struct sonde_dependency *dependency)
{
    struct first *first = context;
    if (first->text[0] == '\0')
        sonde_dependency_print(first->kernel, dependency, first->text, sizeof first->text);
}

/* Number of uncovered dependencies; the first one in words. */
static size_t check(const uint8_t *code, size_t size, enum sonde_gen_platform platform, char *text,
                    size_t text_size)
{
    struct first first = {.kernel = create(code, size, platform)};
    size_t count = 0;
    struct sonde_error error;
    assert_int_equal(
        sonde_kernel_check_dependencies(first.kernel, keep_first, &first, &count, &error),
        SONDE_OK);
    sonde_kernel_destroy((struct sonde_kernel *)first.kernel);
    snprintf(text, text_size, "%s", first.text);
    return count;
}

/* One of several messages, separated by |. */
static bool is_one_of(const char *messages, const char *text)
{
    const char *at = strstr(messages, text);
    return text[0] != '\0' && at != NULL && (at == messages || at[-1] == '|') &&
           (at[strlen(text)] == '\0' || at[strlen(text)] == '|');
}

static void messages(void **state)
{
    (void)state;
    for (size_t p = 0; p < PLATFORMS; p++) {
        struct iga *iga = iga_open_platform(platforms[p].platform);
        assert_non_null(iga);
        for (size_t n = 0; n < sizeof samples / sizeof *samples; n++) {
            char source[1024], text[300];
            size_t size;
            if ((samples[n].platforms & platforms[p].bit) == 0)
                continue;
            snprintf(source, sizeof source, "%s%s", samples[n].code, platforms[p].end);
            const uint8_t *code = iga_assemble(iga, source, IGA_ENCODE_NO_COMPACT, &size);
            if (code == NULL)
                fail_msg("does not assemble:\n%s", source);
            size_t count = check(code, size, platforms[p].platform, text, sizeof text);
            if (samples[n].message == NULL ? count != 0 : !is_one_of(samples[n].message, text))
                fail_msg("%s: \"%s\" of\n%s", sonde_gen_platform_name(platforms[p].platform), text,
                         source);
        }
        iga_close(iga);
    }
}

static uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);

static unsigned below(unsigned limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % limit;
}

/* A line over few registers, so that lines depend on each other. */
static void random_line(enum sonde_gen_platform platform, char *text, size_t size)
{
    unsigned d = 10 + 2 * below(8), a = 10 + 2 * below(8), b = 10 + 2 * below(8);
    bool wide = platform == SONDE_GEN_PLATFORM_XEHPC;
    const char *exec = wide ? "16|M0" : "8|M0";
    switch (below(platform == SONDE_GEN_PLATFORM_XE ? 5 : 6)) {
    case 0:
        snprintf(text, size, "add (%s) r%u.0<1>:d r%u.0<1;1,0>:d r%u.0<1;1,0>:d\n", exec, d, a, b);
        break;
    case 1:
        snprintf(text, size, "mul (%s) r%u.0<1>:f r%u.0<1;1,0>:f r%u.0<1;1,0>:f\n", exec, d, a, b);
        break;
    case 2:
        snprintf(text, size, "mad (%s) r%u.0<1>:f r%u.0<1;0>:f r%u.0<1;0>:f r%u.0<1>:f\n", exec, d,
                 a, b, a);
        break;
    case 3:
        snprintf(text, size, "math.inv (%s) r%u.0<1>:f r%u.0<1;1,0>:f\n", exec, d, a);
        break;
    case 4:
        if (wide)
            snprintf(text, size, "send.ugm (16|M0) r%u r%u null:0 0x0 0x08200580\n", d, a);
        else
            snprintf(text, size, "send.dc1 (16|M0) r%u r%u %s 0x0 0x04205E00\n", d, a,
                     platform >= SONDE_GEN_PLATFORM_XEHPG ? "null:0" : "null");
        break;
    default:
        snprintf(text, size, "mov (%s) r%u.0<1>:q r%u.0<1;1,0>:q\n", wide ? "8|M0" : "4|M0", d, a);
        break;
    }
}

/* ---- a plain model of straight code: every pair of instructions ---- */

struct line {
    struct sonde_gen_instruction i;
    struct sonde_gen_effects e;
    struct sonde_gen_wait wait;
    enum sonde_gen_pipe pipe;
    bool loose; /* runs out of order */
};

static unsigned distance(const struct line *lines, size_t from, size_t to)
{
    unsigned count = 0;
    for (size_t n = from; n < to; n++) {
        bool counts = lines[n].pipe != SONDE_GEN_PIPE_NONE && !lines[n].loose;
        if (counts &&
            (lines[n].i.platform == SONDE_GEN_PLATFORM_XE || lines[n].pipe == lines[from].pipe))
            count++;
    }
    return count;
}

static bool same_unit(const struct line *a, const struct line *b)
{
    return a->pipe == b->pipe &&
           (a->pipe != SONDE_GEN_PIPE_SEND || a->i.send.sfid == b->i.send.sfid);
}

/* Whether instruction `from` has written (or, `reading`, read) when `to` starts. */
static bool is_done(const struct line *lines, size_t from, size_t to, bool reading)
{
    static const unsigned latency[SONDE_GEN_PIPE_COUNT] = {[SONDE_GEN_PIPE_FLOAT] = 10,
                                                           [SONDE_GEN_PIPE_INTEGER] = 10,
                                                           [SONDE_GEN_PIPE_LONG] = 14,
                                                           [SONDE_GEN_PIPE_MATH] = 18};
    const struct line *l = &lines[from];
    if (!l->loose && distance(lines, from, to) > latency[l->pipe])
        return true;
    for (size_t n = from + 1; n <= to; n++) {
        const struct sonde_gen_wait *w = &lines[n].wait;
        uint32_t written = w->destination | (w->sets_token ? 1u << w->token : 0);
        if (l->loose ? (written >> l->wait.token & 1) != 0
                     : w->distance != 0 && (w->pipes >> l->pipe & 1) != 0 &&
                           distance(lines, from, n) >= w->distance)
            return true;
        if (l->loose && reading && ((w->source | written) >> l->wait.token & 1) != 0)
            return true;
        /* A later payload of the same unit was read. */
        for (size_t m = from + 1; l->loose && reading && m < n; m++) {
            if (same_unit(l, &lines[m]) && is_done(&lines[0], m, n, true))
                return true;
        }
    }
    return false;
}

static bool meet(const struct sonde_gen_effect *a, const struct sonde_gen_effect *b)
{
    for (size_t n = 0; n < SONDE_GEN_GRF_WORDS; n++) {
        if ((a->grf[n] & b->grf[n]) != 0)
            return true;
    }
    return false;
}

static bool overtakes(const struct line *a, const struct line *b, bool write)
{
    if (a->loose)
        return write || !same_unit(a, b);
    if (b->loose)
        return true;
    if (a->i.platform == SONDE_GEN_PLATFORM_XE)
        return write && a->pipe == SONDE_GEN_PIPE_LONG && b->pipe != SONDE_GEN_PIPE_LONG;
    return a->pipe != b->pipe;
}

/* Pairs of instructions with an open dependency. */
static size_t model(const uint8_t *code, size_t size, enum sonde_gen_platform platform)
{
    size_t count = size / 16, open = 0;
    struct line *lines = calloc(count, sizeof *lines);
    for (size_t n = 0; n < count; n++) {
        struct line *l = &lines[n];
        sonde_gen_decode(platform, code, size, n * 16, &l->i, NULL);
        sonde_gen_instruction_effects(&l->i, &l->e);
        sonde_gen_instruction_wait(&l->i, &l->wait);
        l->pipe = sonde_gen_instruction_pipe(&l->i);
        l->loose = sonde_gen_instruction_is_out_of_order(&l->i);
        for (size_t k = 0; k < n; k++) {
            const struct line *p = &lines[k];
            if (p->pipe == SONDE_GEN_PIPE_NONE)
                continue;
            bool written = is_done(lines, k, n, false), read = is_done(lines, k, n, true);
            open += (!written && (meet(&p->e.writes, &l->e.reads) ||
                                  (overtakes(p, l, true) && meet(&p->e.writes, &l->e.writes)))) ||
                    (!read && overtakes(p, l, false) && meet(&p->e.reads, &l->e.writes));
        }
    }
    free(lines);
    return open;
}

/* iga64's annotations suffice, and without one of them what is open is what
 * the model finds. */
static void annotations(void **state)
{
    (void)state;
    size_t changed = 0, needed = 0;
    for (size_t p = 0; p < PLATFORMS; p++) {
        enum sonde_gen_platform platform = platforms[p].platform;
        struct iga *iga = iga_open_platform(platform);
        assert_non_null(iga);
        for (unsigned round = 0; round < 40; round++) {
            char source[4096] = "", line[200], text[300];
            size_t size;
            for (unsigned n = 0; n < 24; n++) {
                random_line(platform, line, sizeof line);
                strcat(source, line);
            }
            strcat(source, platforms[p].end);
            const uint8_t *made =
                iga_assemble(iga, source, IGA_ENCODE_NO_COMPACT | IGA_ENCODE_SCOREBOARD, &size);
            if (made == NULL)
                fail_msg("does not assemble:\n%s", source);
            uint8_t *code = malloc(size);
            memcpy(code, made, size);
            if (check(code, size, platform, text, sizeof text) != 0)
                fail_msg("%s: %s in iga64's\n%s", sonde_gen_platform_name(platform), text,
                         iga_disassemble(iga, code, size));
            for (size_t change = 0; change < size / 16 * 2; change++) {
                uint8_t *word = code + change / 2 * 16, kept[16];
                memcpy(kept, word, 16);
                if (!annotation_change(platform, word, (enum annotation_change)(change % 2)))
                    continue;
                size_t found = check(code, size, platform, text, sizeof text);
                size_t open = model(code, size, platform);
                if (found != open)
                    fail_msg("%s: %zu open, %zu to the model, after change %zu of 0x%zx in\n%s",
                             sonde_gen_platform_name(platform), found, open, change % 2,
                             change / 2 * 16, iga_disassemble(iga, code, size));
                memcpy(word, kept, 16);
                changed++;
                needed += open > 0;
            }
            free(code);
        }
        iga_close(iga);
    }
    print_message("%zu annotations changed, %zu were needed\n", changed, needed);
    assert_true(changed > 2000 && needed > 1000);
}

int main(void)
{
    struct iga *iga = iga_open();
    if (iga == NULL)
        return 77;
    iga_close(iga);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(annotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
