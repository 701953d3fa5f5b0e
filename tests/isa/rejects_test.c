/* What no hardware defines decodes to "illegal" with the reason, encodes to its
 * own bytes and passes the rewriter unchanged; streams that end inside an
 * instruction are errors. libiga64 has to refuse the same words, but for those
 * marked: it takes registers beyond r127 where the hardware has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec_iga.h"
#include "sonde/instrument.h"

#define GEN9  SONDE_GEN_PLATFORM_GEN9
#define GEN11 SONDE_GEN_PLATFORM_GEN11
#define XE    SONDE_GEN_PLATFORM_XE
#define XEHP  SONDE_GEN_PLATFORM_XEHP
#define XEHPG SONDE_GEN_PLATFORM_XEHPG
#define XEHPC SONDE_GEN_PLATFORM_XEHPC

#define MOV  "mov (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud\n"
#define ADD  "add (8|M0) r1.0<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d\n"
#define MAD  "mad (8|M0) r1.0<1>:f r2.0<8;1>:f r3.0<8;1>:f r4.0<1>:f\n"
#define INV  "math.inv (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n"
#define MADM "madm (8|M0) r1.mme0:f r2.nomme:f r3.mme1:f r4.mme2:f\n"
#define MOVI "movi (8|M0) r1.0<1>:uw r[a0.0]<8;8,1>:uw 0x1:uw\n"
/* Registers that are accumulators in the other file. */
#define ADD_32 "add (8|M0) r1.0<1>:d r2.0<8;8,1>:d r32.0<8;8,1>:d\n"
#define INV_32 "math.inv (8|M0) r32.0<1>:f r33.0<8;8,1>:f\n"
#define JMPI   "(W) jmpi r32.0\n"

/* A legal instruction of which the bits `high` to `low` take another value. */
struct reject {
    enum sonde_gen_platform platform;
    const char *text;
    unsigned high, low;
    uint64_t value;
    const char *reason;
    bool iga_accepts;
};

static const struct reject rejects[] = {
    {GEN9, MOV, 6, 0, 0x7f, "opcode (bits 6:0) is undefined: 0x7f", false},
    {GEN9, MOV, 23, 21, 7, "exec_size (bits 23:21) is undefined: 0x7", false},
    {GEN9, MOV, 19, 16, 15, "predicate (bits 19:16) is undefined: 0xf", false},
    {GEN9, MOV, 27, 24, 7, "condition (bits 27:24) is undefined: 0x7", false},
    {GEN9, MOV, 40, 37, 15, "dst_type (bits 40:37) is undefined: 0xf", false},
    {GEN9, MOV, 46, 43, 15, "src0_type (bits 42:41,46:43) is undefined: 0x1f", false},
    {GEN9, MOV, 36, 35, 2, "dst_file (bits 36:35) is undefined: 0x2", false},
    {GEN9, MOV, 60, 53, 200, "no such general register, number: 0xc8", true},
    {GEN9, ADD, 42, 41, 3, "source 0 of two is an immediate, register file: 0x3", false},
    {GEN9, INV, 27, 24, 8, "math (bits 27:24) is undefined: 0x8", false},
    {GEN9, ADD_32, 90, 89, 0, "source 1 is an architecture register, number: 0x20", false},
    {GEN9, INV, 63, 63, 1, "math takes no indirect operand, function: 0x1", false},
    {GEN9, INV_32, 42, 41, 0, "math takes general registers alone, function: 0x1", false},
    {GEN9, JMPI, 23, 21, 1, "jmpi is scalar, execution size: 0x2", false},
    {GEN9, JMPI, 34, 34, 0, "jmpi ignores the execution mask, no_mask (bit 34): 0x0", false},
    {GEN9, JMPI, 94, 91, 0, "the distance of jmpi is a d, type: 0x4", false},
    {GEN11, MOV, 6, 0, 0x50, "opcode (bits 6:0) is undefined: 0x50", false},
    {GEN11, MOV, 6, 0, 0x5c, "opcode (bits 6:0) is undefined: 0x5c", false},
    {GEN11, MOV, 40, 37, 12, "dst_type (bits 40:37) is undefined: 0xc", false},
    {GEN11, MOV, 46, 43, 14, "src0_type (bits 42:41,46:43) is undefined: 0x1e", false},
    {GEN11, MOV, 76, 69, 130, "no such general register, number: 0x82", true},
    {GEN11, ADD_32, 90, 89, 0, "source 1 is an architecture register, number: 0x20", false},
    {GEN11, ADD, 42, 41, 3, "source 0 of two is an immediate, register file: 0x3", false},
    {GEN11, INV, 79, 79, 1, "math takes no indirect operand, function: 0x1", false},
    {GEN11, INV_32, 36, 35, 0, "math takes general registers alone, function: 0x1", false},
    {GEN11, MAD, 48, 46, 6, "dst_type (bits 35,48:46) is undefined: 0xe", false},
    {GEN11, MAD, 66, 64, 5, "src0_type (bits 43,35,66:64) is undefined: 0xd", false},
    {GEN11, MAD, 23, 21, 6, "exec_size (bits 23:21) is undefined: 0x6", false},
    {GEN11, MADM, 75, 72, 9, "src0_mme (bits 75:72) is undefined: 0x9", false},
    {GEN11, MOVI, 90, 89, 1, "source 1 of movi is null or an immediate, register file: 0x2", false},
    {GEN11, JMPI, 90, 89, 0,
     "the distance of jmpi is in a general register or an immediate, architecture register: 0x20",
     false},
    {GEN11, "send (16|M0) r1 r2 0xC 0x02106E00\n", 15, 14, 2,
     "thread_control (bits 15:14) is undefined: 0x2", false},
    {XE, MOV, 6, 0, 0x0a, "opcode (bits 6:0) is undefined: 0xa", false},
    {XE, MOV, 6, 0, 0x52, "opcode (bits 6:0) is undefined: 0x52", false},
    {XE, MOV, 18, 16, 6, "exec_size (bits 18:16) is undefined: 0x6", false},
    {XE, MOV, 27, 24, 14, "predicate (bits 27:24) is undefined: 0xe", false},
    {XE, MOV, 39, 36, 12, "dst_type (bits 39:36) is undefined: 0xc", false},
    {XE, MOV, 79, 72, 128, "no such general register, number: 0x80", true},
    {XE, MOV, 15, 8, 0x58, "the software scoreboard field is undefined: 0x58", false},
    {XE, ADD, 46, 46, 1, "source 0 of two is an immediate, register file: 0x3", false},
    {XE, INV, 95, 92, 9, "the platform has no such math function: 0x9", false},
    {XE, INV, 95, 92, 8, "math (bits 95:92) is undefined: 0x8", false},
    {XE, "sync.nop null\n", 95, 92, 4, "the synchronization function is undefined: 0x4", false},
    {XEHP, MAD, 95, 92, 7, "condition (bits 95:92) is undefined: 0x7", false},
    {XEHPG, MOV, 15, 8, 0x60, "the software scoreboard field is undefined: 0x60", false},
    {XEHPG, MOV, 87, 84, 9, "src0_vstride (bits 87:84) is undefined: 0x9", false},
    {XEHPC, MOV, 20, 18, 7, "exec_size (bits 20:18) is undefined: 0x7", false},
    {XEHPC, MOV, 17, 8, 0x38, "the software scoreboard field is undefined: 0x38", false},
    {XEHPC, "sync.nop null\n", 95, 92, 1, "the synchronization function is undefined: 0x1", false},
    {XEHPC, MOV, 83, 81, 6, "src0_width (bits 83:81) is undefined: 0x6", false},
};

static struct iga *iga_of(enum sonde_gen_platform platform)
{
    static struct iga *opened[SONDE_GEN_PLATFORM_COUNT];
    if (opened[platform] == NULL)
        opened[platform] = iga_open_platform(platform);
    return opened[platform];
}

static void assemble(enum sonde_gen_platform platform, const char *text, uint64_t word[2])
{
    size_t size = 0;
    const uint8_t *code = iga_assemble(iga_of(platform), text, IGA_ENCODE_NO_COMPACT, &size);
    assert_non_null(code);
    assert_int_equal(size, 16);
    memcpy(word, code, 16);
}

static void check_reject(const struct reject *reject)
{
    uint64_t word[2], again[2];
    assemble(reject->platform, reject->text, word);
    uint64_t mask = (UINT64_C(1) << (reject->high - reject->low + 1)) - 1;
    word[reject->low / 64] &= ~(mask << (reject->low % 64));
    word[reject->low / 64] |= reject->value << (reject->low % 64);

    struct sonde_gen_instruction i;
    struct sonde_error error;
    char text[256];
    assert_int_equal(sonde_gen_decode(reject->platform, (const uint8_t *)word, 16, 0, &i, &error),
                     SONDE_OK);
    sonde_gen_illegal_print(&i, text, sizeof text);
    assert_string_equal(text, reject->reason);
    assert_true(i.illegal);
    sonde_gen_print(&i, NULL, NULL, text, sizeof text);
    assert_non_null(strstr(text, reject->reason));
    assert_int_equal(sonde_gen_encode(&i, (uint8_t *)again, &error), SONDE_OK);
    assert_memory_equal(again, word, sizeof word);

    struct iga *iga = iga_of(reject->platform);
    size_t errors = 0;
    iga_disassemble_any(iga, (const uint8_t *)word, 16);
    iga_errors(iga, &errors);
    if ((errors == 0) != reject->iga_accepts)
        fail_msg("%s: libiga64 reports %zu errors", reject->reason, errors);
}

static void test_reasons(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof rejects / sizeof *rejects; n++)
        check_reject(&rejects[n]);
}

/* A compacted word of an opcode that has no such form, and of none. */
static void test_compacted(void **state)
{
    (void)state;
    const struct {
        uint64_t word;
        unsigned first;
        const char *reason;
    } cases[] = {
        {UINT64_C(0x2000002e), XE, "the opcode has no compacted form: 0x2e"},
        {UINT64_C(0x2000003f), GEN9, "opcode (bits 6:0) is undefined: 0x3f"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct sonde_gen_instruction i;
        struct sonde_error error;
        char text[256];
        uint8_t again[16];
        const uint8_t *bytes = (const uint8_t *)&cases[n].word;
        for (unsigned p = cases[n].first; p < SONDE_GEN_PLATFORM_COUNT; p++) {
            enum sonde_gen_platform platform = (enum sonde_gen_platform)p;
            enum sonde_status status = sonde_gen_decode(platform, bytes, 8, 0, &i, &error);
            if (status == SONDE_ERROR_UNSUPPORTED)
                continue;
            assert_int_equal(status, SONDE_OK);
            assert_int_equal(i.size, 8);
            sonde_gen_illegal_print(&i, text, sizeof text);
            assert_string_equal(text, cases[n].reason);
            assert_int_equal(sonde_gen_compact(&i, again, &error), SONDE_OK);
            assert_memory_equal(again, bytes, 8);
            assert_int_equal(sonde_gen_encode(&i, again, &error), SONDE_ERROR_RANGE);
        }
    }
}

static void test_legal(void **state)
{
    (void)state;
    uint64_t word[2];
    struct sonde_gen_instruction i;
    struct sonde_error error;
    char text[64] = "x";
    assemble(GEN9, MOV, word);
    assert_int_equal(sonde_gen_decode(GEN9, (const uint8_t *)word, 16, 0, &i, &error), SONDE_OK);
    assert_false(i.illegal);
    assert_null(i.illegal_reason);
    assert_int_equal(sonde_gen_illegal_print(&i, text, sizeof text), 0);
    assert_string_equal(text, "");
}

/* Every length that cuts an instruction, on every platform. */
static void test_truncated(void **state)
{
    (void)state;
    for (unsigned p = 0; p < SONDE_GEN_PLATFORM_COUNT; p++) {
        enum sonde_gen_platform platform = (enum sonde_gen_platform)p;
        uint64_t word[2];
        struct sonde_gen_instruction i, *all = NULL;
        struct sonde_error error;
        size_t count;
        assemble(platform, MOV, word);
        if (sonde_gen_decode(platform, (const uint8_t *)word, 16, 0, &i, &error) != SONDE_OK)
            continue;
        for (size_t size = 0; size < 16; size++) {
            /* A block of the exact size, so that a sanitizer sees an overrun. */
            uint8_t *copy = malloc(size + (size == 0));
            assert_non_null(copy);
            memcpy(copy, word, size);
            assert_int_equal(sonde_gen_decode(platform, copy, size, 0, &i, &error),
                             SONDE_ERROR_TRUNCATED);
            assert_non_null(strstr(error.message, "inside the instruction at byte 0"));
            if (size > 0)
                assert_int_equal(sonde_gen_decode_all(platform, copy, size, &all, &count, &error),
                                 SONDE_ERROR_TRUNCATED);
            free(copy);
        }
    }
}

/* Words that no thread reaches may be anything; they stay as they are. One
 * that a thread reaches keeps its kernel from being instrumented. */
static void test_rewriter(void **state)
{
    (void)state;
    static const uint64_t odd[][2] = {{0x7f, 0x0123456789abcdef}, {0xdfe00001, 0xdeadbeefdeadbeef}};
    uint64_t code[2 + 2][2];
    size_t size = 0;
    const uint8_t *end = iga_assemble(iga_of(GEN9),
                                      "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"
                                      "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n",
                                      IGA_ENCODE_NO_COMPACT, &size);
    assert_int_equal(size, 32);
    memcpy(code, end, 32);
    memcpy(code[2], odd, sizeof odd);
    struct sonde_kernel_info info = {.name = "odd",
                                     .platform = GEN9,
                                     .isa = (const uint8_t *)code,
                                     .isa_size = sizeof code,
                                     .simd_width = 8,
                                     .has_free_ranges = true};
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct sonde_rewritten out = {0};
    struct sonde_error error;
    struct sonde_coder_options options = {.maximum_threads = 168};
    assert_int_equal(sonde_kernel_create(&info, &kernel, &error), SONDE_OK);
    assert_int_equal(sonde_instrument_create(kernel, &options, &instrument, &error), SONDE_OK);
    assert_int_equal(sonde_instrument_emit(instrument, &out, &error), SONDE_OK);
    assert_memory_equal(out.code, code, sizeof code);
    assert_memory_equal(out.code + out.instrumented_entry, code, sizeof code);
    sonde_rewritten_clear(&out);
    sonde_instrument_destroy(instrument);
    sonde_kernel_destroy(kernel);

    memcpy(code[0], odd[1], 16);
    assert_int_equal(sonde_kernel_create(&info, &kernel, &error), SONDE_OK);
    assert_int_not_equal(sonde_instrument_create(kernel, &options, &instrument, &error), SONDE_OK);
    assert_non_null(strstr(error.message, "exec_size (bits 23:21) is undefined: 0x7"));
    sonde_kernel_destroy(kernel);
}

int main(void)
{
    for (unsigned p = 0; p < SONDE_GEN_PLATFORM_COUNT; p++) {
        if (iga_of((enum sonde_gen_platform)p) == NULL) {
            printf("libiga64.so.1 is not installed\n");
            return 77;
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),  cmocka_unit_test(test_compacted),
        cmocka_unit_test(test_legal),    cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_rewriter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
