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
    assert_int_equal(sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_XEHPC, 12, 0x04205e00,
                                                         0, false, &m, &error),
                     SONDE_ERROR_UNSUPPORTED);
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
        cmocka_unit_test(test_untyped), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_atomics), cmocka_unit_test(test_others),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_print),
        cmocka_unit_test(test_random),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    iga_close(iga);
    return failed;
}
