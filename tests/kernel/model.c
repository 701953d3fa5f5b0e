/* Blocks, edges, refusals and liveness of small assembled kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/codec_iga.h"
#include "kernel/analysis.h"
#include "sonde/kernel.h"

#define EOT                                                                                        \
    "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"                                                 \
    "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"

static struct iga *iga;

static enum sonde_status try_create(const uint8_t *code, size_t size, struct sonde_kernel **kernel,
                                    struct sonde_error *error)
{
    struct sonde_kernel_info info = {.name = "test",
                                     .platform = SONDE_GEN_PLATFORM_GEN9,
                                     .isa = code,
                                     .isa_size = size,
                                     .simd_width = 16};
    return sonde_kernel_create(&info, kernel, error);
}

static struct sonde_kernel *create(const char *text)
{
    size_t size;
    struct sonde_error error;
    struct sonde_kernel *kernel;
    const uint8_t *code = iga_assemble(iga, text, IGA_ENCODE_NO_COMPACT, &size);
    if (code == NULL)
        fail_msg("does not assemble:\n%s", text);
    if (try_create(code, size, &kernel, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    return kernel;
}

/* "0+2 2+1!" : first instruction and count of each block, ! for end-of-thread. */
static void check_blocks(const struct sonde_kernel *kernel, const char *expected)
{
    char text[400] = "";
    for (size_t b = 0; b < sonde_kernel_block_count(kernel); b++) {
        const struct sonde_block *block = sonde_kernel_block(kernel, b);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%u+%u%s", b == 0 ? "" : " ", block->first,
                 block->count, block->is_eot ? "!" : "");
        for (uint32_t i = 0; i < block->count; i++)
            assert_int_equal(sonde_kernel_block_of(kernel, block->first + i), b);
    }
    assert_string_equal(text, expected);
}

/* "0>1f 0>2j 1>2fj": f falls through, j jumps. */
static void check_edges(const struct sonde_kernel *kernel, const char *expected)
{
    char text[800] = "";
    for (size_t e = 0; e < sonde_kernel_edge_count(kernel); e++) {
        const struct sonde_edge *edge = sonde_kernel_edge(kernel, e);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%u>%u%s%s", e == 0 ? "" : " ", edge->source,
                 edge->destination, edge->falls_through ? "f" : "", edge->jumps ? "j" : "");
    }
    assert_string_equal(text, expected);
}

static void structured_blocks(void **unused)
{
    (void)unused;
    struct sonde_kernel *kernel =
        create("L0:\nmov (16|M0) r20.0<1>:d r1.0<16;16,1>:uw\n"      /* 0 */
               "and (16|M0) (nz)f0.0 null<1>:d r20.0<8;8,1>:d 1:d\n" /* 1 */
               "(f0.0) if (16|M0) L1 L2\n"                           /* 2 */
               "add (16|M0) r20.0<1>:d r20.0<8;8,1>:d 1:d\n"         /* 3 */
               "else (16|M0) L2 L2\n"                                /* 4 */
               "L1:\nadd (16|M0) r20.0<1>:d r20.0<8;8,1>:d 2:d\n"    /* 5 */
               "L2:\nendif (16|M0) L3\n"                             /* 6 */
               "L3:\nadd (16|M0) r22.0<1>:d r22.0<8;8,1>:d 1:d\n"    /* 7 */
               "cmp (16|M0) (lt)f0.0 null<1>:d r22.0<8;8,1>:d 5:d\n" /* 8 */
               "(f0.0) while (16|M0) L3\n"                           /* 9 */
               EOT);                                                 /* 10, 11 */
    check_blocks(kernel, "0+3 3+2 5+1 6+1 7+3 10+1 11+1!");
    check_edges(kernel, "0>1f 0>2j 0>3j 1>2f 1>3j 2>3f 3>4fj 4>5f 4>4j 5>6f");
    assert_true(sonde_kernel_block(kernel, 0)->is_entry);
    assert_false(sonde_kernel_block(kernel, 1)->is_entry);
    assert_null(sonde_kernel_refusal(kernel));
    assert_int_equal(sonde_kernel_jip_target(kernel, 2), 5);
    assert_int_equal(sonde_kernel_uip_target(kernel, 2), 6);
    assert_int_equal(sonde_kernel_jip_target(kernel, 3), SONDE_NO_INSTRUCTION);
    sonde_kernel_destroy(kernel);
}

static void uniform_blocks(void **unused)
{
    (void)unused;
    /* A block that starts with control flow, an end-of-thread that is a
     * branch target, unreachable code behind a jmpi. */
    struct sonde_kernel *kernel =
        create("L0:\n(W&f0.0) jmpi L3\n"                                /* 0 */
               "(W) jmpi L1\n"                                          /* 1 */
               "nop\n"                                                  /* 2: unreachable */
               "L1:\ncall (16|M0) r60.0 L4\n"                           /* 3 */
               "nop\n"                                                  /* 4 */
               "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"           /* 5 */
               "L3:\n(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n" /* 6 */
               "L4:\nnop\n"                                             /* 7 */
               "ret (16|M0) r60.0\n");                                  /* 8 */
    check_blocks(kernel, "0+1 1+1 2+1 3+1 4+2 6+1! 7+2");
    check_edges(kernel, "0>1f 0>5j 1>3j 2>3f 3>4f 3>6j 4>5f 6>4j");
    assert_false(sonde_kernel_block(kernel, 2)->is_reachable);
    assert_true(sonde_kernel_block(kernel, 6)->is_reachable);
    sonde_kernel_destroy(kernel);
}

/* Position-dependent code is refused, with the place named (bug log B44). */
static void refusals(void **unused)
{
    (void)unused;
    static const struct {
        const char *code, *reason;
    } cases[] = {
        {"(W) mov (1|M0) r10.0<1>:ud ip:ud\n", "mov at 0x10 computes with the instruction pointer"},
        {"(W) add (1|M0) r10.0<1>:d -ip:d r11.0<0;1,0>:d\n", "add at 0x10 computes with"},
        {"(W) mov (1|M0) ip:ud r10.0<0;1,0>:ud\n", "mov at 0x10 computes with"},
        {"(W) jmpi r10.0\n", "jmpi at 0x10 branches to an address in a register"},
        {"calla (16|M0) r10.0 0x40:d\n", "calla at 0x10 calls an absolute address"},
        {"illegal\n", "instruction at 0x10 is not an encoding|illegal at 0x10 is not an encoding"},
        {"nop\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "L0:\nnop\n%s" EOT, cases[i].code);
        struct sonde_kernel *kernel = create(text);
        const char *refusal = sonde_kernel_refusal(kernel);
        if (cases[i].reason == NULL) {
            assert_null(refusal);
        } else {
            assert_non_null(refusal);
            char first[200];
            snprintf(first, sizeof first, "%s", cases[i].reason);
            char *second = strchr(first, '|');
            if (second != NULL)
                *second++ = '\0';
            if (strncmp(refusal, first, strlen(first)) != 0 &&
                (second == NULL || strncmp(refusal, second, strlen(second)) != 0))
                fail_msg("%s", refusal);
        }
        sonde_kernel_destroy(kernel);
    }
    /* Not when it is never reached. */
    struct sonde_kernel *kernel =
        create("L0:\n(W) jmpi L1\n(W) mov (1|M0) r10.0<1>:ud ip:ud\nL1:\n" EOT);
    assert_null(sonde_kernel_refusal(kernel));
    sonde_kernel_destroy(kernel);
    kernel = create("L0:\n(W&f0.0) jmpi L1\n" EOT "L1:\nnop\n");
    assert_non_null(strstr(sonde_kernel_refusal(kernel), "runs past the end"));
    sonde_kernel_destroy(kernel);
}

static void broken_structure(void **unused)
{
    (void)unused;
    struct sonde_error error;
    struct sonde_kernel *kernel;
    size_t size;
    const uint8_t *code = iga_assemble(iga, "nop\nnop\n", 0, &size);
    assert_int_equal(try_create(code, size, &kernel, &error), SONDE_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "no end-of-thread"));
    assert_null(kernel);
    assert_int_equal(try_create(code, size - 4, &kernel, &error), SONDE_ERROR_TRUNCATED);
    assert_int_equal(try_create(code, 0, &kernel, &error), SONDE_ERROR_ARGUMENT);
    assert_int_equal(try_create(NULL, 16, &kernel, &error), SONDE_ERROR_ARGUMENT);
    /* A branch into the middle of an instruction and one out of the code. */
    code = iga_assemble(iga, "L0:\nnop\n(W) jmpi L0\n" EOT, IGA_ENCODE_NO_COMPACT, &size);
    uint8_t copy[256];
    assert_true(size <= sizeof copy);
    static const int32_t distances[] = {-24, -48, 64, 0x7fffff00, -0x7fffff00, 3};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        memcpy(copy, code, size);
        memcpy(copy + 16 + 12, &distances[i], 4);
        assert_int_equal(try_create(copy, size, &kernel, &error), SONDE_ERROR_FORMAT);
        assert_non_null(strstr(error.message, "jmpi at 0x10 branches to"));
    }
}

static bool live_grf(struct sonde_kernel *kernel, size_t index, unsigned byte)
{
    struct sonde_gen_effect live;
    assert_int_equal(sonde_kernel_live_before(kernel, index, &live, NULL), SONDE_OK);
    return (live.grf[byte / 64] >> (byte % 64) & 1) != 0;
}

static uint8_t live_flags(struct sonde_kernel *kernel, size_t index)
{
    struct sonde_gen_effect live;
    assert_int_equal(sonde_kernel_live_before(kernel, index, &live, NULL), SONDE_OK);
    return live.flags;
}

static void straight_liveness(void **unused)
{
    (void)unused;
    struct sonde_kernel *kernel =
        create("L0:\n(W) mov (8|M0) r20.0<1>:ud r0.0<8;8,1>:ud\n"          /* 0 */
               "mov (8|M0) r21.0<1>:ud r20.0<8;8,1>:ud\n"                  /* 1: masked */
               "(W) cmp (16|M0) (eq)f0.0 null<1>:w r20.0<16;16,1>:w 0:w\n" /* 2 */
               "(W) cmp (8|M0) (eq)f0.1 null<1>:d r20.0<8;8,1>:d 0:w\n"    /* 3: half of f0.1 */
               "(f0.0) mov (16|M0) r24.0<1>:d r21.0<0;1,0>:d\n"            /* 4 */
               "(f0.1) mov (16|M0) r26.0<1>:d r24.0<8;8,1>:d\n"            /* 5 */
               "(W) mov (1|M0) r28.3<1>:d r26.5<0;1,0>:d\n"                /* 6 */
               "(W) mov (8|M0) r127.0<1>:ud r28.0<8;8,1>:ud\n"             /* 7 */
               "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");       /* 8 */
    assert_false(live_grf(kernel, 0, 20 * 32));                            /* whole NoMask write */
    assert_true(live_grf(kernel, 1, 20 * 32));
    assert_true(live_grf(kernel, 1, 21 * 32));      /* a masked write keeps the old value */
    assert_false(live_grf(kernel, 0, 21 * 32 + 4)); /* only r21.0 is read */
    assert_false(live_grf(kernel, 5, 21 * 32));
    assert_true(live_grf(kernel, 4, 24 * 32 + 63));
    assert_false(live_grf(kernel, 6, 24 * 32));
    assert_true(live_grf(kernel, 6, 28 * 32));
    assert_false(live_grf(kernel, 6, 28 * 32 + 12)); /* written just there */
    assert_true(live_grf(kernel, 7, 28 * 32 + 12));
    assert_false(live_grf(kernel, 7, 127 * 32));
    assert_true(live_grf(kernel, 8, 127 * 32 + 31));
    assert_int_equal(live_flags(kernel, 4), 3);
    assert_int_equal(live_flags(kernel, 2), 2); /* f0.1 is written in part at 3 */
    assert_int_equal(live_flags(kernel, 6), 0);
    /* Whatever the order of the questions. */
    assert_true(live_grf(kernel, 1, 20 * 32));
    assert_true(live_grf(kernel, 8, 127 * 32));
    assert_false(live_grf(kernel, 0, 20 * 32));
    sonde_kernel_destroy(kernel);
}

static uint16_t live_accumulators(struct sonde_kernel *kernel, size_t index)
{
    struct sonde_gen_effect live;
    assert_int_equal(sonde_kernel_live_before(kernel, index, &live, NULL), SONDE_OK);
    return live.accumulators;
}

/* Inside a block the execution mask stays: what channels read, each in its own
 * place, is dead before a write under the mask of the same places. */
static void masked_liveness(void **unused)
{
    (void)unused;
    struct sonde_kernel *kernel =
        create("L0:\nmov (16|M0) r20.0<1>:d 1:d\n"                             /* 0 */
               "mov (16|M0) r22.0<1>:d 2:d\n"                                  /* 1 */
               "(f0.0) mov (16|M0) r24.0<1>:d 3:d\n"                           /* 2: predicated */
               "mov (8|M8) r26.0<1>:d 4:d\n"                                   /* 3: others */
               "mov (16|M0) r28.0<1>:d 5:d\n"                                  /* 4 */
               "mov (16|M0) r30.0<1>:uw 6:uw\n"                                /* 5: other places */
               "mov (16|M0) r32.0<1>:d 7:d\n"                                  /* 6 */
               "cmp (16|M0) (eq)f0.1 null<1>:d r20.0<8;8,1>:d 0:d\n"           /* 7 */
               "mul (8|M0) acc0.0<1>:d r20.0<8;8,1>:d r22.0<16;8,2>:uw\n"      /* 8 */
               "mach (8|M0) r34.0<1>:d r20.0<8;8,1>:d r22.0<8;8,1>:d\n"        /* 9 */
               "(f0.1) add (16|M0) r36.0<1>:d r20.0<8;8,1>:d r24.0<8;8,1>:d\n" /* 10 */
               "add (8|M0) r38.0<1>:d r26.0<8;8,1>:d r28.0<0;1,0>:d\n"         /* 11 */
               "(W) mov (8|M0) r40.0<1>:d r22.0<8;8,1>:d\n"  /* 12: all channels */
               "add (16|M0) r42.0<1>:d r30.0<8;8,1>:d 0:d\n" /* 13 */
               "jmpi L1\nL1:\n"                              /* 14 */
               "mov (16|M0) r44.0<1>:d r32.0<8;8,1>:d\n"     /* 15 */
               "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"
               "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    assert_false(live_grf(kernel, 0, 20 * 32));
    assert_false(live_grf(kernel, 0, 20 * 32 + 63));
    assert_true(live_grf(kernel, 1, 20 * 32));
    assert_true(live_grf(kernel, 8, 21 * 32));
    assert_true(live_grf(kernel, 0, 22 * 32));     /* channels that are off are read too */
    assert_true(live_grf(kernel, 0, 24 * 32));     /* where the predicate does not hold */
    assert_true(live_grf(kernel, 0, 26 * 32));     /* channel 8 wrote what channel 0 reads */
    assert_true(live_grf(kernel, 0, 28 * 32));     /* channel 5 reads what channel 0 wrote */
    assert_true(live_grf(kernel, 0, 30 * 32 + 4)); /* channel 2 wrote what channel 1 reads */
    assert_true(live_grf(kernel, 0, 32 * 32));     /* in another block */
    assert_int_equal(live_flags(kernel, 8) & 2, 2);
    assert_int_equal(live_flags(kernel, 7) & 2, 0);
    assert_int_not_equal(live_accumulators(kernel, 9), 0);
    assert_int_equal(live_accumulators(kernel, 8), 0);
    /* Whatever the order of the questions. */
    assert_true(live_grf(kernel, 10, 20 * 32));
    assert_false(live_grf(kernel, 11, 20 * 32));
    assert_false(live_grf(kernel, 0, 20 * 32));
    sonde_kernel_destroy(kernel);
}

/* r30 is read by the else part only: while the then part runs, the channels
 * that wait for the else part still need it. */
static void divergent_liveness(void **unused)
{
    (void)unused;
    struct sonde_kernel *kernel =
        create("L0:\n(W) mov (16|M0) r30.0<1>:d 1:d\n"               /* 0 */
               "(f0.0) if (16|M0) L1 L2\n"                           /* 1 */
               "mov (16|M0) r32.0<1>:d 2:d\n"                        /* 2 */
               "else (16|M0) L2 L2\n"                                /* 3 */
               "L1:\nmov (16|M0) r32.0<1>:d r30.0<8;8,1>:d\n"        /* 4 */
               "L2:\nendif (16|M0) L3\n"                             /* 5 */
               "L3:\n(W) mov (8|M0) r127.0<1>:d r32.0<8;8,1>:d\n"    /* 6 */
               "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"); /* 7 */
    assert_false(live_grf(kernel, 0, 30 * 32));
    assert_true(live_grf(kernel, 2, 30 * 32));
    assert_true(live_grf(kernel, 3, 30 * 32 + 63));
    assert_false(live_grf(kernel, 5, 30 * 32));
    assert_true(live_grf(kernel, 4, 32 * 32)); /* of the then channels */
    sonde_kernel_destroy(kernel);

    /* A value needed at a goto's target, behind code that the channels which
     * went there do not execute. */
    kernel = create("L0:\n(W) mov (16|M0) r30.0<1>:d 1:d\n" /* 0 */
                    "(f0.0) goto (16|M0) L1 L1\n"           /* 1 */
                    "mov (16|M0) r30.0<1>:d 2:d\n"          /* 2 */
                    "L1:\njoin (16|M0) L2\n"                /* 3 */
                    "L2:\n(W) mov (8|M0) r127.0<1>:d r30.0<8;8,1>:d\n"
                    "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    assert_true(live_grf(kernel, 2, 30 * 32));
    assert_true(live_grf(kernel, 3, 30 * 32));
    sonde_kernel_destroy(kernel);
}

static void loop_liveness(void **unused)
{
    (void)unused;
    struct sonde_kernel *kernel = create("L0:\n(W) mov (1|M0) r30.0<1>:d 1:d\n"            /* 0 */
                                         "L1:\n(W) mov (1|M0) r31.0<1>:d r30.0<0;1,0>:d\n" /* 1 */
                                         "(W) mov (1|M0) r32.0<1>:d 1:d\n"                 /* 2 */
                                         "(f0.0) while (16|M0) L1\n"                       /* 3 */
                                         "(W) mov (8|M0) r127.0<1>:d r31.0<8;8,1>:d\n"
                                         "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    assert_true(live_grf(kernel, 3, 30 * 32)); /* round the loop */
    assert_false(live_grf(kernel, 4, 30 * 32));
    assert_false(live_grf(kernel, 2, 32 * 32));
    assert_false(live_grf(kernel, 3, 32 * 32));
    assert_int_equal(live_flags(kernel, 0), 1);
    sonde_kernel_destroy(kernel);
}

static void indirect_liveness(void **unused)
{
    (void)unused;
    struct sonde_gen_effect live;
    struct sonde_kernel *kernel = create("L0:\nnop\n"
                                         "(W) mov (1|M0) a0.2<1>:uw 64:uw\n"
                                         "mov (8|M0) r30.0<1>:d r[a0.2,0]<8;8,1>:d\n" EOT);
    assert_int_equal(sonde_kernel_live_before(kernel, 0, &live, NULL), SONDE_OK);
    assert_true(live.grf_unknown);
    assert_true(live_grf(kernel, 0, 77 * 32));
    assert_int_equal(live.address, 0);
    assert_int_equal(sonde_kernel_live_after(kernel, 1, &live, NULL), SONDE_OK);
    assert_int_equal(live.address, 4);
    assert_int_equal(sonde_kernel_live_before(kernel, 3, &live, NULL), SONDE_OK);
    assert_false(live.grf_unknown);
    uint64_t untouched[SONDE_GEN_GRF_WORDS];
    assert_int_equal(kernel_untouched_bytes(kernel, untouched, NULL), SONDE_OK);
    for (size_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
        assert_int_equal(untouched[w], 0);
    sonde_kernel_destroy(kernel);
}

static uint32_t header(struct sonde_kernel *kernel, size_t index)
{
    uint32_t number;
    assert_int_equal(kernel_header_before(kernel, index, NULL, &number, NULL), SONDE_OK);
    return number;
}

static void header_copies(void **unused)
{
    (void)unused;
    struct sonde_kernel *kernel =
        create("L0:\n(W) mov (8|M0) r30.0<1>:ud r0.0<1;1,0>:ud\n"         /* 0 */
               "(W) mov (1|M0) r0.3<1>:ud 0:ud\n"                         /* 1 */
               "(f0.0) if (16|M0) L1 L1\n"                                /* 2 */
               "mov (8|M0) r31.0<1>:ud r30.0<8;8,1>:ud\n"                 /* 3: masked */
               "(W) mov (8|M0) r32.0<1>:ud r30.0<8;8,1>:ud\n"             /* 4 */
               "(W) mov (1|M0) r30.7<1>:ud 0:ud\n"                        /* 5 */
               "nop\n"                                                    /* 6 */
               "L1:\nendif (16|M0) L2\n"                                  /* 7 */
               "L2:\n(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"); /* 8 */
    assert_int_equal(header(kernel, 0), 0);
    assert_int_equal(header(kernel, 1), 0);
    assert_int_equal(header(kernel, 2), 30);
    assert_int_equal(header(kernel, 5), 30);
    assert_int_equal(header(kernel, 6), 32);
    assert_int_equal(header(kernel, 7), KERNEL_NO_REGISTER); /* r32 on one way only */
    sonde_kernel_destroy(kernel);
}

/* Random bytes and damaged kernels: an error or a model, never a crash. */
static void hostile_input(void **unused)
{
    (void)unused;
    size_t size;
    const uint8_t *code = iga_assemble(
        iga,
        "L0:\n(f0.0) if (16|M0) L1 L2\nmov (16|M0) r32.0<1>:d 2:d\nelse (16|M0) L2 L2\n"
        "L1:\nmov (16|M0) r32.0<1>:d r30.0<8;8,1>:d\nL2:\nendif (16|M0) L3\nL3:\n"
        "call (16|M0) r60.0 L4\n(f0.0) while (16|M0) L3\n" EOT "L4:\nret (16|M0) r60.0\n",
        0, &size);
    assert_non_null(code);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    uint64_t state = 7;
    unsigned built = 0;
    for (int round = 0; round < 20000; round++) {
        memcpy(bytes, code, size);
        for (int hits = 1 + round % 6; hits > 0; hits--) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[(state >> 33) % size] ^= (uint8_t)(1u << (state >> 60 & 7));
        }
        struct sonde_kernel *kernel;
        struct sonde_error error;
        if (try_create(bytes, size, &kernel, &error) != SONDE_OK) {
            assert_true(error.message[0] != '\0');
            continue;
        }
        built++;
        struct sonde_gen_effect live;
        uint32_t number;
        for (size_t i = 0; i < sonde_kernel_instruction_count(kernel); i++) {
            assert_int_equal(sonde_kernel_live_before(kernel, i, &live, &error), SONDE_OK);
            assert_int_equal(kernel_header_before(kernel, i, NULL, &number, &error), SONDE_OK);
        }
        sonde_kernel_destroy(kernel);
    }
    assert_true(built > 1000);
    free(bytes);
}

int main(void)
{
    iga = iga_open();
    if (iga == NULL)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structured_blocks),  cmocka_unit_test(uniform_blocks),
        cmocka_unit_test(refusals),           cmocka_unit_test(broken_structure),
        cmocka_unit_test(straight_liveness),  cmocka_unit_test(masked_liveness),
        cmocka_unit_test(divergent_liveness), cmocka_unit_test(loop_liveness),
        cmocka_unit_test(indirect_liveness),  cmocka_unit_test(header_copies),
        cmocka_unit_test(hostile_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
