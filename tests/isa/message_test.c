/* Decoding of message descriptors: known ones field by field, random ones
 * against the description that iga64 gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "message_compare.h"

#define DESCRIPTORS 60000

static struct iga *iga;

static struct sonde_gen_message message(uint8_t sfid, uint32_t descriptor, uint32_t ex_descriptor)
{
    struct sonde_gen_message m;
    struct sonde_error error;
    if (sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_GEN9, sfid, descriptor,
                                            ex_descriptor, (ex_descriptor & 0x20) != 0, &m,
                                            &error) != SONDE_OK)
        fail_msg("%s", error.message);
    return m;
}

static void test_untyped(void **state)
{
    (void)state;
    struct sonde_gen_message m = message(12, 0x04205e00, 0xc);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_READ);
    assert_int_equal(m.layout, SONDE_GEN_LAYOUT_UNTYPED);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_SURFACE);
    assert_int_equal(m.bti, 0);
    assert_int_equal(m.simd, 16);
    assert_int_equal(m.component_mask, 1);
    assert_int_equal(m.elements, 1);
    assert_int_equal(m.address_registers, 2);
    assert_int_equal(m.payload_registers, 2);
    assert_int_equal(m.response_registers, 2);
    assert_true(m.returns_data && !m.header);
    m = message(12, 0x04025efe, 0x8c);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_WRITE);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_SLM);
    assert_int_equal(m.src1_registers, 2);
    assert_false(m.returns_data);
}

static void test_blocks(void **state)
{
    (void)state;
    struct sonde_gen_message m = message(10, 0x024844fd, 0xa);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_READ);
    assert_int_equal(m.layout, SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_STATELESS);
    assert_int_equal(m.elements, 8);
    assert_int_equal(m.element_size, 16);
    assert_int_equal(m.address_shift, 0);
    assert_true(m.header);
    m = message(10, 0x02180301, 0xa); /* aligned: the offset counts OWords */
    assert_int_equal(m.layout, SONDE_GEN_LAYOUT_OWORD_BLOCK);
    assert_int_equal(m.address_shift, 4);
    assert_int_equal(m.elements, 4);
    m = message(9, 0x02180101, 0x9); /* constant cache, upper OWord */
    assert_true(m.high_oword);
    assert_int_equal(m.elements, 1);
    m = message(10, 0x060e1003, 0xa); /* scratch, two HWords at 96 */
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_WRITE);
    assert_int_equal(m.layout, SONDE_GEN_LAYOUT_SCRATCH_BLOCK);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_SCRATCH);
    assert_int_equal(m.scratch_offset, 96);
    assert_int_equal(m.elements, 2);
    assert_int_equal(m.element_size, 32);
}

static void test_atomics(void **state)
{
    (void)state;
    struct sonde_gen_message m = message(12, 0x040497ff, 0x8c);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_ATOMIC);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_A64);
    assert_int_equal(m.element_size, 8);
    assert_int_equal(m.atomic, 7);
    assert_int_equal(m.simd, 8);
    assert_int_equal(m.address_registers, 2);
    assert_false(m.atomic_float);
    m = message(12, 0x0210b702, 0x4c); /* A32, SIMD8, returns */
    assert_int_equal(m.simd, 8);
    assert_int_equal(m.element_size, 4);
    assert_true(m.returns_data);
    m = message(12, 0x0206f102, 0x4c); /* float maximum */
    assert_true(m.atomic_float);
    assert_int_equal(m.atomic, 1);
}

static void test_others(void **state)
{
    (void)state;
    struct sonde_gen_message m = message(3, 0x02000004, 0x3);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_BARRIER);
    m = message(7, 0x02000010, 0x27);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_END_OF_THREAD);
    m = message(10, 0x0219e000, 0xa);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_FENCE);
    assert_true(m.fence_commit);
    m = message(2, 0x08458002 | 2 << 8, 0x2); /* sample_lz, SIMD16, 4 + 4 registers */
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_SAMPLE);
    assert_int_equal(m.sample_type, 0x18);
    assert_int_equal(m.simd, 16);
    assert_int_equal(m.sampler, 2);
    assert_int_equal(m.bti, 2);
    assert_int_equal(m.address_registers, 4);
    assert_int_equal(m.component_mask, 3);
}

static struct sonde_gen_message cache_message(enum sonde_gen_platform platform, uint8_t sfid,
                                              uint8_t exec_size, uint32_t descriptor)
{
    struct sonde_gen_instruction i;
    struct sonde_gen_message m;
    struct sonde_error error;
    sonde_gen_instruction_init(&i, platform, SONDE_GEN_SEND, exec_size, false);
    i.send.sfid = sfid;
    i.send.descriptor = descriptor;
    if (sonde_gen_message_decode(&i, &m, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    return m;
}

static void test_cache(void **state)
{
    (void)state;
    /* load.ugm.d32x2.a64.ca.ca, SIMD32: addresses of eight bytes. */
    struct sonde_gen_message m =
        cache_message(SONDE_GEN_PLATFORM_XEHPC, SONDE_GEN_SFID_UGM, 32, 0x08481580);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_READ);
    assert_int_equal(m.layout, SONDE_GEN_LAYOUT_SCATTERED);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_A64);
    assert_int_equal(m.simd, 32);
    assert_int_equal(m.elements, 2);
    assert_int_equal(m.element_size, 4);
    assert_int_equal(m.address_size, 8);
    assert_int_equal(m.caching, 4);
    assert_false(m.header); /* the bit is one of the caching field */
    /* store.ugm.d8u32.a32.wb.wb.ss: one byte of each dword. */
    m = cache_message(SONDE_GEN_PLATFORM_XEHPC, SONDE_GEN_SFID_UGM, 1, 0x420e0904);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_WRITE);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_SURFACE_STATE);
    assert_int_equal(m.element_size, 1);
    assert_int_equal(m.element_slot, 4);
    assert_int_equal(m.simd, 16);
    /* load.ugm.d32x16t.a32.bti[0]: one address, 16 dwords. */
    m = cache_message(SONDE_GEN_PLATFORM_XEHPG, SONDE_GEN_SFID_UGM, 1, 0x6228d500);
    assert_int_equal(m.layout, SONDE_GEN_LAYOUT_BLOCK);
    assert_true(m.transposed);
    assert_int_equal(m.simd, 1);
    assert_int_equal(m.elements, 16);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_SURFACE);
    /* fence.ugm.evict.gpu and load.slm */
    m = cache_message(SONDE_GEN_PLATFORM_XEHPG, SONDE_GEN_SFID_UGM, 1, 0x0210161f);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_FENCE);
    assert_int_equal(m.fence_scope, SONDE_GEN_FENCE_GPU);
    assert_int_equal(m.fence_flush, 1);
    assert_true(m.fence_commit);
    m = cache_message(SONDE_GEN_PLATFORM_XEHPG, SONDE_GEN_SFID_SLM, 16, 0x04200500);
    assert_int_equal(m.address_model, SONDE_GEN_ADDRESS_SLM);
    /* atomic_icas.ugm.d64.a64 is the data port's operation. */
    m = cache_message(SONDE_GEN_PLATFORM_XEHPG, SONDE_GEN_SFID_UGM, 8, 0x04200792);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_ATOMIC);
    assert_int_equal(m.atomic, SONDE_GEN_ATOMIC_COMPARE_EXCHANGE);
    assert_int_equal(m.element_size, 8);
}

static void test_cache_surface(void **state)
{
    (void)state;
    struct sonde_gen_instruction i;
    struct sonde_gen_message m;
    struct sonde_error error;
    sonde_gen_instruction_init(&i, SONDE_GEN_PLATFORM_XEHPG, SONDE_GEN_SEND, 1, true);
    i.send.sfid = SONDE_GEN_SFID_UGM;
    i.send.descriptor = 0x4200c504;
    i.send.ex_descriptor_is_register = i.send.ex_bso = true;
    i.send.src1_length = 1;
    assert_int_equal(sonde_gen_message_decode(&i, &m, &error), SONDE_OK);
    assert_int_equal(m.surface_offset, 0);
    assert_int_equal(sonde_gen_message_decode_values(&i, 0x4200c504, 0x1234567f, &m, &error),
                     SONDE_OK);
    assert_int_equal(m.surface_offset, 0x12345640);
    assert_int_equal(m.src1_registers, 1);
    i.send.ex_bso = false; /* the length now comes with the register */
    assert_int_equal(sonde_gen_message_decode(&i, &m, &error), SONDE_ERROR_UNSUPPORTED);
    assert_int_equal(sonde_gen_message_decode_values(&i, 0x4200c504, 0x000010c0, &m, &error),
                     SONDE_OK);
    assert_int_equal(m.surface_offset, 0x40);
    assert_int_equal(m.src1_registers, 3);
    char text[120];
    sonde_gen_message_print(&m, text, sizeof text);
    assert_string_equal(text, "block write, 8 x 32b, surface state 0x40");
}

static void test_unknown(void **state)
{
    (void)state;
    struct sonde_gen_message m;
    struct sonde_error error;
    assert_int_equal(sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_GEN9, 6, 0x06308007, 0,
                                                         false, &m, &error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_int_equal(m.operation, SONDE_GEN_MESSAGE_UNKNOWN);
    assert_int_equal(m.payload_registers, 3);
    assert_int_equal(m.response_registers, 3);
    /* The load-store cache came with XeHPG, and took the spawner's place. */
    assert_int_equal(sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_XE, 15, 0x02100500, 0,
                                                         false, &m, &error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_int_equal(sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_XEHPG, 7, 0x02000010, 0,
                                                         true, &m, &error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_int_equal(sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_XE, 7, 0x02000010, 0,
                                                         true, &m, &error),
                     SONDE_OK);
    struct sonde_gen_instruction i;
    sonde_gen_instruction_init(&i, SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_SEND, 8, false);
    i.send.descriptor_is_register = true;
    assert_int_equal(sonde_gen_message_decode(&i, &m, &error), SONDE_ERROR_UNSUPPORTED);
    i.opcode = SONDE_GEN_ADD;
    assert_int_equal(sonde_gen_message_decode(&i, &m, &error), SONDE_ERROR_ARGUMENT);
}

static void test_print(void **state)
{
    (void)state;
    struct sonde_gen_message m = message(12, 0x04205e07, 0xc);
    char text[120];
    int length = sonde_gen_message_print(&m, text, sizeof text);
    assert_string_equal(text, "untyped surface read, SIMD16, x, BTI 7");
    assert_int_equal(length, strlen(text));
    char part[8];
    assert_int_equal(sonde_gen_message_print(&m, part, sizeof part), length);
    assert_string_equal(part, "untyped");
    assert_int_equal(sonde_gen_message_print(&m, NULL, 0), length);
}

static uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

static uint32_t random32(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32);
}

/* A descriptor whose type is one of those that exist. */
static uint32_t random_descriptor(uint8_t sfid)
{
    static const uint8_t dc0[] = {0, 1, 3, 4, 7, 8, 0xb, 0xc, 0x10, 0x12, 0x18, 0x1a};
    static const uint8_t dc1[] = {1,    2,    4,    5,    6,    9,    0xa,  0xd, 0x10,
                                  0x11, 0x12, 0x14, 0x15, 0x19, 0x1a, 0x1b, 0x1d};
    uint32_t descriptor = random32() & 0x7fffffff, type = descriptor >> 14 & 0x1f;
    if (sfid == SONDE_GEN_SFID_DC0)
        type = dc0[random32() % sizeof dc0];
    else if (sfid == SONDE_GEN_SFID_DC1)
        type = dc1[random32() % sizeof dc1];
    else if (sfid == SONDE_GEN_SFID_CONSTANT)
        type = random32() % 4;
    else
        return descriptor;
    if (sfid == SONDE_GEN_SFID_DC0 && type == 7) /* fences: global or SLM */
        descriptor = (descriptor & ~UINT32_C(0xff)) | (descriptor & 1 ? 0xfe : 0);
    return (descriptor & ~(UINT32_C(0x1f) << 14)) | type << 14;
}

/* Cache messages: where iga64 spells one out we know it and spell it alike. */
static void test_cache_random(void **state)
{
    (void)state;
    struct iga *xe = iga_open_platform(SONDE_GEN_PLATFORM_XEHPG);
    assert_non_null(xe);
    unsigned agreed = 0, ours_alone = 0, theirs_alone = 0;
    for (unsigned n = 0; n < DESCRIPTORS; n++) {
        struct sonde_gen_instruction i;
        struct sonde_error error;
        sonde_gen_instruction_init(&i, SONDE_GEN_PLATFORM_XEHPG, SONDE_GEN_SEND, 16, false);
        i.dst.file = i.src[0].file = SONDE_GEN_FILE_GRF;
        i.dst.number = 10;
        i.src[0].number = 40;
        i.src[1].file = SONDE_GEN_FILE_ARF;
        i.source_count = 2;
        i.send.sfid = (uint8_t)(SONDE_GEN_SFID_TGM + n % 3);
        i.send.descriptor = random32() & 0x7fffffff;
        if (n % 4 != 0) /* the operations that exist are few */
            i.send.descriptor &= ~UINT32_C(0x20);
        if (n % 8 != 0 && (i.send.descriptor & 0x3f) >= 8) /* atomics: one element a channel */
            i.send.descriptor &= ~UINT32_C(0xf000);
        i.send.ex_descriptor = (i.send.descriptor >> 29 & 3) == 3 ? random32() & 0xff000000 : 0;
        uint8_t word[16];
        if (sonde_gen_encode(&i, word, &error) != SONDE_OK)
            fail_msg("%08x: %s", i.send.descriptor, error.message);
        struct kv kv;
        assert_true(kv_open(xe, &kv, word, sizeof word));
        struct sonde_gen_message m;
        bool known = sonde_gen_message_decode(&i, &m, &error) == SONDE_OK;
        char syntax[1024], text[600];
        const char *description = message_description(xe, &kv, 0, syntax, sizeof syntax);
        bool described = strchr(description, '.') != NULL && strchr(description, '(') == NULL &&
                         strstr(description, "0x7") == NULL;
        if (known && described) {
            if (!message_cache_agrees(&m, i.send.sfid, description, text, sizeof text))
                fail_msg("sfid %u descriptor %08x: %s", i.send.sfid, i.send.descriptor, text);
            agreed++;
        } else if (known) {
            ours_alone++;
        } else if (described) {
            theirs_alone++;
        }
        kv_close(xe, &kv);
    }
    iga_close(xe);
    print_message("%u cache descriptors agree, %u known to us alone, %u to iga64 alone\n", agreed,
                  ours_alone, theirs_alone);
    assert_true(agreed > DESCRIPTORS / 4);
}

static void test_random(void **state)
{
    (void)state;
    static const uint8_t functions[] = {2, 3, 7, 9, 10, 10, 12, 12, 12, 12};
    unsigned agreed = 0, ours_alone = 0, theirs_alone = 0;
    for (unsigned n = 0; n < DESCRIPTORS; n++) {
        uint8_t sfid = functions[random32() % sizeof functions];
        struct sonde_gen_instruction i;
        struct sonde_error error;
        sonde_gen_instruction_init(&i, SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_SEND, 16, false);
        i.dst.file = i.src[0].file = SONDE_GEN_FILE_GRF;
        i.dst.type = i.src[0].type = SONDE_GEN_TYPE_UD;
        i.dst.hstride = 1;
        i.dst.number = 10;
        i.src[0].number = 40;
        i.send.sfid = sfid;
        i.send.end_of_thread = sfid == SONDE_GEN_SFID_SPAWNER;
        i.send.descriptor = random_descriptor(sfid);
        uint8_t word[16];
        assert_int_equal(sonde_gen_encode(&i, word, &error), SONDE_OK);
        struct kv kv;
        assert_true(kv_open(iga, &kv, word, sizeof word));
        struct sonde_gen_message m;
        bool known = sonde_gen_message_decode(&i, &m, &error) == SONDE_OK;
        char syntax[1024], text[600];
        const char *description = message_description(iga, &kv, 0, syntax, sizeof syntax);
        bool described = description[0] != '\0' && strchr(description, '?') == NULL &&
                         strstr(description, "unknown") == NULL;
        if (known && described) {
            if (!message_agrees(&m, description, text, sizeof text))
                fail_msg("sfid %u descriptor %08x: %s", sfid, i.send.descriptor, text);
            agreed++;
        } else if (known) {
            ours_alone++;
        } else if (described) {
            theirs_alone++;
        }
        kv_close(iga, &kv);
    }
    print_message("%u descriptors agree, %u known to us alone, %u to iga64 alone\n", agreed,
                  ours_alone, theirs_alone);
    assert_true(agreed > DESCRIPTORS / 3);
}

int main(void)
{
    iga = iga_open();
    if (iga == NULL)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_untyped),       cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_atomics),       cmocka_unit_test(test_others),
        cmocka_unit_test(test_unknown),       cmocka_unit_test(test_print),
        cmocka_unit_test(test_random),        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_surface), cmocka_unit_test(test_cache_random),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    iga_close(iga);
    return failed;
}
