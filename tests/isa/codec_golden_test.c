/* Words assembled by iga64 when the test runs, checked field by field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec_iga.h"
#include "sonde/gen.h"

static struct iga *iga;

/* The one instruction of `text`, after checking that it encodes back to the
 * same bytes. */
static struct sonde_gen_instruction golden(const char *text, uint32_t encoder)
{
    size_t size = 0;
    const uint8_t *code = iga_assemble(iga, text, encoder, &size);
    if (code == NULL)
        fail_msg("iga64 does not assemble %s", text);
    struct sonde_gen_instruction i;
    struct sonde_error error;
    if (sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, code, size, 0, &i, &error) != SONDE_OK)
        fail_msg("%s: %s", text, error.message);
    assert_false(i.illegal);
    assert_int_equal(i.size, size);
    uint8_t out[16];
    if (i.compacted)
        assert_int_equal(sonde_gen_compact(&i, out, &error), SONDE_OK);
    else
        assert_int_equal(sonde_gen_encode(&i, out, &error), SONDE_OK);
    assert_memory_equal(out, code, size);
    return i;
}

static struct sonde_gen_instruction native(const char *text)
{
    return golden(text, IGA_ENCODE_NO_COMPACT);
}

static void test_regions(void **state)
{
    (void)state;
    struct sonde_gen_instruction i =
        native("(~f1.1.any16h) add (8|M8) (lt)f1.1 (sat)r10.2<2>:f -r20.4<8;4,2>:f "
               "(abs)r127.0<0;1,0>:f {AccWrEn,NoDDChk}\n");
    assert_int_equal(i.opcode, SONDE_GEN_ADD);
    assert_int_equal(i.exec_size, 8);
    assert_int_equal(i.channel_offset, 8);
    assert_int_equal(i.predicate, SONDE_GEN_PREDICATE_ANY16H);
    assert_true(i.predicate_inverse && i.saturate && i.accumulator_write);
    assert_true(i.no_dependency_check && !i.no_dependency_clear);
    assert_int_equal(i.condition, SONDE_GEN_CONDITION_L);
    assert_int_equal(i.flag_number, 1);
    assert_int_equal(i.flag_subreg, 1);
    assert_int_equal(i.dst.number, 10);
    assert_int_equal(i.dst.subreg, 8);
    assert_int_equal(i.dst.hstride, 2);
    assert_true(i.src[0].negate && !i.src[0].absolute);
    assert_int_equal(i.src[0].subreg, 16);
    assert_int_equal(i.src[0].vstride, 8);
    assert_int_equal(i.src[0].width, 4);
    assert_int_equal(i.src[0].hstride, 2);
    assert_true(i.src[1].absolute && !i.src[1].negate);
    assert_int_equal(i.src[1].number, 127);
    assert_int_equal(i.src[1].vstride, 0);
    assert_int_equal(i.source_count, 2);
}

static void test_indirect(void **state)
{
    (void)state;
    struct sonde_gen_instruction i =
        native("add (8|M0) r[a0.3,-16]<1>:d r[a0.2,100]<1,0>:d r[a0.5,-300]<8;8,1>:d\n");
    assert_true(i.dst.indirect && i.src[0].indirect && i.src[1].indirect);
    assert_int_equal(i.dst.address_subreg, 3);
    assert_int_equal(i.dst.address_offset, -16);
    assert_int_equal(i.src[0].address_subreg, 2);
    assert_int_equal(i.src[0].address_offset, 100);
    assert_int_equal(i.src[0].vstride, SONDE_GEN_VSTRIDE_VXH);
    assert_int_equal(i.src[0].width, 1);
    assert_int_equal(i.src[1].address_subreg, 5);
    assert_int_equal(i.src[1].address_offset, -300);
    assert_int_equal(i.src[1].vstride, 8);
}

static void test_immediates(void **state)
{
    (void)state;
    struct sonde_gen_instruction i = native("mov (8|M0) r10.0<1>:df 0x123456789ABCDEF0:df\n");
    assert_int_equal(i.src[0].file, SONDE_GEN_FILE_IMMEDIATE);
    assert_int_equal(i.src[0].type, SONDE_GEN_TYPE_DF);
    assert_true(i.src[0].immediate == UINT64_C(0x123456789abcdef0));
    i = native("mov (8|M0) r10.0<1>:hf 0x1234:hf\n");
    assert_int_equal(i.src[0].type, SONDE_GEN_TYPE_HF);
    assert_true(i.src[0].immediate == 0x1234);
    i = native("add (8|M0) r10.0<1>:d r4.0<8;8,1>:d -5:w\n");
    assert_int_equal(i.src[1].type, SONDE_GEN_TYPE_W);
    assert_true(i.src[1].immediate == 0xfffb);
    i = native("mov (8|M0) r10.0<1>:f 0x12345678:vf\n");
    assert_int_equal(i.src[0].type, SONDE_GEN_TYPE_VF);
    assert_true(i.src[0].immediate == 0x12345678);
}

static void test_ternary(void **state)
{
    (void)state;
    struct sonde_gen_instruction i =
        native("mad (8|M0) r10.0<1>:hf -r20.3<0;0>:hf r30.0<2;1>:hf (abs)r40.5<0>:hf\n");
    assert_int_equal(i.source_count, 3);
    assert_true(i.align16);
    assert_int_equal(i.dst.type, SONDE_GEN_TYPE_HF);
    assert_true(i.src[0].negate && i.src[0].replicate && i.src[2].replicate);
    assert_true(i.src[2].absolute);
    assert_int_equal(i.src[0].subreg, 6);
    assert_int_equal(i.src[2].subreg, 10);
    assert_false(i.src[1].replicate);
    assert_int_equal(i.src[1].swizzle, 0xe4);
    assert_int_equal(i.src[1].type, SONDE_GEN_TYPE_HF);
    i = native("mad (8|M0) r10.0<1>:f r20.0<2;1>:f r30.0<2;1>:hf r40.0<1>:f\n");
    assert_int_equal(i.src[0].type, SONDE_GEN_TYPE_F);
    assert_int_equal(i.src[1].type, SONDE_GEN_TYPE_HF);
    assert_int_equal(i.src[2].type, SONDE_GEN_TYPE_F);
    i = native("madm (8|M0) r10.mme1:f r20.mme2:f r30.nomme:f r40.mme4:f\n");
    assert_int_equal(i.dst.mme, 1);
    assert_int_equal(i.src[0].mme, 2);
    assert_int_equal(i.src[1].mme, 8);
    assert_int_equal(i.src[2].mme, 4);
    i = native("math.invm (8|M0) r10.mme1:f r20.nomme:f r30.mme2:f\n");
    assert_int_equal(i.math, SONDE_GEN_MATH_INVM);
    assert_int_equal(i.dst.mme, 1);
    assert_int_equal(i.src[0].mme, 8);
    assert_int_equal(i.src[1].mme, 2);
}

static void test_branches(void **state)
{
    (void)state;
    size_t size = 0;
    const uint8_t *code =
        iga_assemble(iga,
                     "L0:\nif (16|M0) L1 L2\nL1:\ngoto.b (16|M0) L0 L2\n"
                     "L2:\nendif (16|M0) L0\njmpi L0\n(W) jmpi r2.0<0;1,0>:d\n"
                     "while (16|M0) L0\ncall (16|M0) r125.0 L1\nret (16|M0) r125.0\n",
                     IGA_ENCODE_NO_COMPACT, &size);
    assert_non_null(code);
    struct sonde_gen_instruction *all;
    size_t count;
    struct sonde_error error;
    assert_int_equal(
        sonde_gen_decode_all(SONDE_GEN_PLATFORM_GEN9, code, size, &all, &count, &error), SONDE_OK);
    assert_int_equal(count, 8);
    assert_true(all[0].has_jip && all[0].has_uip && !all[0].branch_control);
    assert_int_equal(all[0].jip, 16);
    assert_int_equal(all[0].uip, 32);
    assert_true(all[1].branch_control);
    assert_int_equal(all[1].jip, -16);
    assert_true(all[2].has_jip && !all[2].has_uip);
    assert_int_equal(all[2].jip, -32);
    assert_int_equal(all[3].jip, -48);
    assert_false(all[4].has_jip);
    assert_int_equal(all[4].source_count, 1);
    assert_int_equal(all[4].src[0].number, 2);
    assert_int_equal(all[5].jip, -80);
    assert_int_equal(all[6].jip, -80);
    assert_int_equal(all[6].dst.number, 125);
    assert_int_equal(all[7].src[0].number, 125);
    for (size_t n = 0; n < count; n++) {
        uint8_t out[16];
        assert_int_equal(sonde_gen_encode(&all[n], out, &error), SONDE_OK);
        assert_memory_equal(out, code + 16 * n, 16);
    }
    free(all);
}

static void test_sends(void **state)
{
    (void)state;
    struct sonde_gen_instruction i = native("send (16|M0) r10:ud r20 0xC 0x04205E00\n");
    assert_int_equal(i.send.sfid, 12);
    assert_true(i.send.descriptor == 0x04205e00 && i.send.ex_descriptor == 0xc);
    assert_int_equal(i.source_count, 1);
    assert_int_equal(i.src[0].number, 20);
    i = native("(W) send (16|M0) null r127 0x27 0x02000010\n");
    assert_true(i.send.end_of_thread);
    assert_true(i.send.descriptor == 0x02000010 && i.send.ex_descriptor == 0x27);
    i = native("sends (16|M0) null:ud r20 r30 0x8C 0x04205E00\n");
    assert_int_equal(i.source_count, 2);
    assert_int_equal(i.src[1].number, 30);
    assert_int_equal(i.send.src1_length, 2);
    assert_true(i.send.ex_descriptor == 0x8c);
    i = native("sends (16|M0) r10:ud r20 r30 a0.2 a0.0\n");
    assert_true(i.send.descriptor_is_register && i.send.ex_descriptor_is_register);
    assert_int_equal(i.send.ex_descriptor_subreg, 4);
    i = native("sends (16|M0) r[a0.1,-16]:ud r[a0.2,496] r30 0x8C 0x04205E00\n");
    assert_true(i.dst.indirect && i.src[0].indirect);
    assert_int_equal(i.dst.address_offset, -16);
    assert_int_equal(i.src[0].address_offset, 496);
}

static void test_compacted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "add (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f\n",
        "mad (16|M0) r10.0<1>:f r20.0<2;1>:f r30.0<2;1>:f r40.1<0>:f\n",
        "mad (16|M0) r10.0<1>:f -r20.0<2;1>:f r30.3<0;0>:f r40.0<1>:f\n",
        "mov (8|M0) r10.0<1>:ud r20.0<8;8,1>:ud\n",
    };
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        struct sonde_gen_instruction small = golden(texts[n], IGA_ENCODE_COMPACT);
        assert_true(small.compacted);
        struct sonde_gen_instruction full = native(texts[n]);
        assert_memory_equal(small.raw, full.raw, sizeof full.raw);
        uint8_t out[16];
        struct sonde_error error;
        assert_int_equal(sonde_gen_compact(&full, out, &error), SONDE_OK);
        assert_memory_equal(out, &small.raw_compacted, 8);
    }
}

/* Instructions built from nothing are what iga64 assembles. */
static void test_built(void **state)
{
    (void)state;
    struct sonde_gen_instruction i;
    struct sonde_error error;
    uint8_t out[16];
    size_t size = 0;
    sonde_gen_instruction_init(&i, SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_ADD, 8, true);
    i.dst.file = SONDE_GEN_FILE_GRF;
    i.dst.type = SONDE_GEN_TYPE_UD;
    i.dst.number = 10;
    i.dst.hstride = 1;
    i.src[0] = i.dst;
    i.src[0].number = 20;
    i.src[0].vstride = 8;
    i.src[0].width = 8;
    i.src[1].file = SONDE_GEN_FILE_IMMEDIATE;
    i.src[1].type = SONDE_GEN_TYPE_UW;
    i.src[1].immediate = 7;
    assert_int_equal(sonde_gen_encode(&i, out, &error), SONDE_OK);
    const uint8_t *code = iga_assemble(iga, "(W) add (8|M0) r10.0<1>:ud r20.0<8;8,1>:ud 7:uw\n",
                                       IGA_ENCODE_NO_COMPACT, &size);
    assert_memory_equal(out, code, 16);

    sonde_gen_instruction_init(&i, SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_IF, 16, false);
    i.jip = 16;
    i.uip = 16;
    assert_int_equal(sonde_gen_encode(&i, out, &error), SONDE_OK);
    code = iga_assemble(iga, "if (16|M0) L1 L1\nL1:\nnop\n", IGA_ENCODE_NO_COMPACT, &size);
    assert_memory_equal(out, code, 16);

    sonde_gen_instruction_init(&i, SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_JMPI, 1, true);
    i.jip = 16;
    assert_int_equal(sonde_gen_encode(&i, out, &error), SONDE_OK);
    code = iga_assemble(iga, "jmpi L1\nL1:\nnop\n", IGA_ENCODE_NO_COMPACT, &size);
    assert_memory_equal(out, code, 16);

    i.exec_size = 3;
    assert_int_equal(sonde_gen_encode(&i, out, &error), SONDE_ERROR_RANGE);
    assert_non_null(strstr(error.message, "exec_size"));
}

static void test_limits(void **state)
{
    (void)state;
    struct sonde_gen_instruction i, *all;
    struct sonde_error error;
    size_t count;
    static const uint8_t zeros[64];
    assert_int_equal(sonde_gen_decode(SONDE_GEN_PLATFORM_COUNT, zeros, 16, 0, &i, &error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_int_equal(sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, zeros, 8, 0, &i, &error),
                     SONDE_ERROR_TRUNCATED);
    assert_int_equal(sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, zeros, 16, 17, &i, &error),
                     SONDE_ERROR_TRUNCATED);
    assert_int_equal(sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, zeros, 16, 0, &i, &error), SONDE_OK);
    assert_true(i.illegal);
    assert_int_equal(
        sonde_gen_decode_all(SONDE_GEN_PLATFORM_GEN9, zeros, sizeof zeros, &all, &count, &error),
        SONDE_OK);
    assert_int_equal(count, 0);
    free(all);
    uint8_t code[40] = {0x7e};
    assert_int_equal(sonde_gen_decode_all(SONDE_GEN_PLATFORM_GEN9, code, 40, &all, &count, &error),
                     SONDE_OK);
    assert_int_equal(count, 1);
    free(all);
    assert_int_equal(sonde_gen_decode_all(SONDE_GEN_PLATFORM_GEN9, code, 24, &all, &count, &error),
                     SONDE_ERROR_TRUNCATED);
}

int main(void)
{
    iga = iga_open();
    if (iga == NULL)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions),    cmocka_unit_test(test_indirect),
        cmocka_unit_test(test_immediates), cmocka_unit_test(test_ternary),
        cmocka_unit_test(test_branches),   cmocka_unit_test(test_sends),
        cmocka_unit_test(test_compacted),  cmocka_unit_test(test_built),
        cmocka_unit_test(test_limits),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    iga_close(iga);
    return failed;
}
