/* Messages of the load-store cache: every operation, data size, vector size,
 * address size, address model and cache control, decoded from descriptors and
 * compared with a model that moves one byte at a time. */
#include <math.h>

#include "message_fixture.h"

#define BASE UINT64_C(0x7fab00001000)

enum { LOAD = 0, STRIDED_LOAD = 1, QUAD_LOAD = 2, STORE = 4, STRIDED_STORE = 5, QUAD_STORE = 6 };
enum { SPACE_BYTES = 2 * EMU_PAGE_SIZE, BTI = 9, LANES = 16 };
enum model { FLAT, BINDLESS, SURFACE_STATE, TABLE, LOCAL, MODELS };

/* Data size codes: bytes in memory, bytes in the payload, where in them. */
static const struct {
    unsigned element, slot, high;
} sizes[] = {{1, 1, 0}, {2, 2, 0}, {4, 4, 0}, {8, 8, 0}, {1, 4, 0}, {2, 4, 0}, {2, 4, 2}};

static const unsigned vectors[] = {1, 2, 3, 4, 8, 16, 32, 64};

static struct emu_worker *worker;

static uint8_t space_byte(enum model model, uint64_t offset)
{
    uint8_t byte;
    if (model == LOCAL)
        return worker->slm[offset];
    fixture_get(worker, BASE + offset, &byte, 1);
    return byte;
}

static unsigned registers(unsigned bytes)
{
    return bytes < 32 ? 1 : (bytes + 31) / 32;
}

/* Decode the descriptor as that of an instruction of `channels`. */
static bool decode(enum model model, uint32_t descriptor, unsigned channels, unsigned data,
                   bool write)
{
    uint8_t sfid = model == LOCAL ? SONDE_GEN_SFID_SLM : SONDE_GEN_SFID_UGM;
    uint32_t types[MODELS] = {[BINDLESS] = 1, [SURFACE_STATE] = 2, [TABLE] = 3};
    uint32_t extended = model == TABLE                                ? (uint32_t)BTI << 24
                        : model == BINDLESS || model == SURFACE_STATE ? (uint32_t)BTI << 12
                                                                      : 0;
    struct sonde_error error;
    descriptor |= types[model] << 29 | (write ? 0 : data << 20);
    if (sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_XEHPG, sfid, descriptor,
                                            extended | (write ? data << 6 : 0), false,
                                            &worker->message, &error) != SONDE_OK)
        return false;
    if (worker->message.simd == 0)
        worker->message.simd = (uint8_t)channels;
    return true;
}

static void put_address(unsigned at, unsigned width, enum model model, uint64_t offset)
{
    uint64_t value = offset + (model == FLAT ? BASE : 0);
    memcpy(fixture_grf(worker, FIXTURE_SRC0) + at, &value, width);
}

/* One message of vectors (or, with a mask, of components): the channels'
 * elements move between memory and registers, and nothing else does. */
static void vectors_of_channels(uint32_t code, enum model model, unsigned size, unsigned width,
                                unsigned elements, uint32_t mask, uint32_t descriptor)
{
    bool write = code >= STORE, strided = code == STRIDED_LOAD || code == STRIDED_STORE;
    unsigned per_element = registers(LANES * sizes[size].slot), data = elements * per_element;
    uint64_t offsets[LANES], start = 8 * (fixture_random() % 64),
                             stride = 8 * (fixture_random() % 9);
    uint32_t enabled = fixture_random() & 0xffff;
    static uint8_t before[sizeof worker->grf], memory[SPACE_BYTES];
    unsigned places[4], count = 0;

    for (unsigned i = 0; i < 4; i++)
        if (mask >> i & 1)
            places[count++] = i;
    fixture_fill_registers(worker);
    for (unsigned lane = 0; lane < LANES; lane++) {
        /* Channels apart, so that stores do not meet. */
        offsets[lane] = strided ? start + lane * stride
                                : 64 * (uint64_t)(lane * 5 % LANES) + 8 * (fixture_random() % 2);
        if (!strided)
            put_address(lane * width, width, model, offsets[lane]);
    }
    if (strided) {
        put_address(0, width, model, start);
        memcpy(fixture_grf(worker, FIXTURE_SRC0) + 8, &stride, 4);
    }
    descriptor |= (strided ? 1 : registers(LANES * width)) << 25;
    assert_true(decode(model, descriptor, LANES, data, write));
    memcpy(before, worker->grf, sizeof before);
    for (unsigned i = 0; i < SPACE_BYTES; i++)
        memory[i] = model == LOCAL && i >= 4096 ? 0 : space_byte(model, i);
    if (fixture_run(worker, enabled, write) != EMU_MESSAGE_DONE)
        fail_msg("descriptor 0x%08x: %s", descriptor, worker->fault);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned e = 0; e < elements && enabled >> lane & 1; e++) {
            size_t slot = (size_t)(write ? FIXTURE_SRC1 : FIXTURE_DST) * 32 +
                          (size_t)e * per_element * 32 + (size_t)lane * sizes[size].slot;
            size_t at = offsets[lane] + (size_t)(mask ? places[e] : e) * sizes[size].element;
            if (write) {
                memcpy(memory + at, before + slot + sizes[size].high, sizes[size].element);
            } else {
                memset(before + slot, 0, sizes[size].slot);
                memcpy(before + slot + sizes[size].high, memory + at, sizes[size].element);
            }
        }
    for (unsigned i = 0; i < (model == LOCAL ? 4096 : SPACE_BYTES); i++)
        if (space_byte(model, i) != memory[i])
            fail_msg("descriptor 0x%08x: byte %u of memory", descriptor, i);
    if (memcmp(before, worker->grf, sizeof before) != 0)
        fail_msg("descriptor 0x%08x, model %u: registers differ", descriptor, model);
    assert_int_equal(worker->outside, 0);
}

static void every_vector(void **state)
{
    static const uint32_t codes[] = {LOAD, STORE, STRIDED_LOAD, STRIDED_STORE, 0x1c};
    static const unsigned widths[] = {0, 2, 4, 8};

    (void)state;
    for (unsigned c = 0; c < 5; c++)
        for (unsigned model = 0; model < MODELS; model++)
            for (unsigned size = 0; size < 7; size++)
                for (unsigned vector = 0; vector < 5; vector++)
                    for (unsigned width = model == FLAT ? 3 : 1; width <= 3; width++) {
                        unsigned elements = vectors[vector];
                        uint32_t caching = fixture_random() & 7;
                        if (elements * registers(LANES * sizes[size].slot) > 31)
                            continue; /* more registers than a descriptor can say */
                        vectors_of_channels(
                            codes[c], (enum model)model, size, widths[width], elements, 0,
                            codes[c] | width << 7 | size << 9 | vector << 12 | caching << 17);
                    }
}

static void every_component_mask(void **state)
{
    (void)state;
    for (unsigned write = 0; write < 2; write++)
        for (unsigned model = 0; model < MODELS; model++)
            for (unsigned size = 2; size < 7; size++)
                for (uint32_t mask = 1; mask < 16; mask++) {
                    uint32_t code = write ? QUAD_STORE : QUAD_LOAD, width = model == FLAT ? 3 : 2;
                    vectors_of_channels(code, (enum model)model, size, width == 3 ? 8 : 4,
                                        (unsigned)__builtin_popcount(mask), mask,
                                        code | width << 7 | size << 9 | mask << 12);
                }
}

/* One channel, its elements one after the other in the registers. */
static void blocks(void **state)
{
    static uint8_t memory[512], got[512];
    (void)state;
    for (unsigned code = 0; code < 2; code++)
        for (unsigned model = 0; model < MODELS; model++)
            for (unsigned size = 2; size < 4; size++)
                for (unsigned vector = 0; vector < 8; vector++)
                    for (unsigned write = 0; write < 2; write++) {
                        unsigned bytes = vectors[vector] * sizes[size].element;
                        uint64_t at = 8 * (fixture_random() % 400);
                        uint32_t width = model == FLAT ? 3 : 2;
                        uint32_t descriptor = (code + (write ? STORE : LOAD)) | width << 7 |
                                              size << 9 | vector << 12 | 1u << 15 | 1u << 25;
                        if (registers(bytes) > 31)
                            continue;
                        fixture_fill_registers(worker);
                        put_address(0, width == 3 ? 8 : 4, (enum model)model, at);
                        assert_true(
                            decode((enum model)model, descriptor, 1, registers(bytes), write));
                        for (unsigned i = 0; i < bytes; i++)
                            memory[i] = space_byte((enum model)model, at + i);
                        if (write)
                            memcpy(memory, fixture_grf(worker, FIXTURE_SRC1), bytes);
                        if (fixture_run(worker, 1, write) != EMU_MESSAGE_DONE)
                            fail_msg("descriptor 0x%08x: %s", descriptor, worker->fault);
                        for (unsigned i = 0; i < bytes; i++)
                            got[i] = space_byte((enum model)model, at + i);
                        assert_memory_equal(got, memory, bytes);
                        if (!write)
                            assert_memory_equal(fixture_grf(worker, FIXTURE_DST), memory, bytes);
                    }
}

/* What an atomic leaves, by its code, for integers of `bits`. */
static uint64_t integer_atomic(uint32_t code, uint64_t old, uint64_t a, uint64_t b, unsigned bits)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, sign = UINT64_C(1)
                                                                                << (bits - 1);
    bool less = (old ^ sign) < (a ^ sign);
    uint64_t next[] = {[0x08] = old + 1,
                       [0x09] = old - 1,
                       [0x0a] = old,
                       [0x0b] = a,
                       [0x0c] = old + a,
                       [0x0d] = old - a,
                       [0x0e] = less ? old : a,
                       [0x0f] = less ? a : old,
                       [0x10] = old < a ? old : a,
                       [0x11] = old > a ? old : a,
                       [0x12] = old == a ? b : old,
                       [0x18] = old & a,
                       [0x19] = old | a,
                       [0x1a] = old ^ a};
    return next[code] & mask;
}

static double real(uint64_t word, unsigned bits)
{
    float single;
    double twice;
    _Float16 half;
    memcpy(&single, &word, 4);
    memcpy(&twice, &word, 8);
    memcpy(&half, &word, 2);
    return bits == 64 ? twice : bits == 32 ? (double)single : (double)half;
}

static uint64_t word_of(double value, unsigned bits)
{
    float single = (float)value;
    _Float16 half = (_Float16)value;
    uint64_t word = 0;
    memcpy(&word,
           bits == 64   ? (void *)&value
           : bits == 32 ? (void *)&single
                        : (void *)&half,
           bits / 8);
    return word;
}

static uint64_t float_atomic(uint32_t code, uint64_t old, uint64_t a, uint64_t b, unsigned bits)
{
    double x = real(old, bits), y = real(a, bits);
    switch (code) {
    case 0x13:
        return word_of(x + y, bits);
    case 0x14:
        return word_of(x - y, bits);
    case 0x15:
        return word_of(fmin(x, y), bits);
    case 0x16:
        return word_of(fmax(x, y), bits);
    default:
        return x == y ? b : old;
    }
}

/* Small numbers, so that compares succeed and sums of floats are exact. */
static uint64_t operand(bool floating, unsigned bits)
{
    int small = (int)(fixture_random() % 8) - 3;
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return floating ? word_of(small * 0.5, bits) : (uint64_t)(int64_t)small & mask;
}

static void every_atomic(void **state)
{
    (void)state;
    for (uint32_t code = 0x08; code <= 0x1a; code++)
        for (unsigned model = 0; model < MODELS; model++)
            for (unsigned size = 2; size < 6; size++) {
                bool floating = code >= 0x13 && code <= 0x17, narrow = size == 5;
                unsigned bytes = narrow ? 2 : 1u << size, slot = narrow ? 4 : bytes;
                unsigned sources = code == 0x12 || code == 0x17   ? 2
                                   : code >= 0x08 && code <= 0x0a ? 0
                                                                  : 1;
                uint32_t width = model == FLAT ? 3 : 2, enabled = fixture_random() & 0xffff;
                unsigned per = registers(LANES * slot), length = width == 3 ? 8 : 4;
                uint64_t old[LANES], a[LANES], b[LANES];
                if (size == 4)
                    continue; /* no atomics of bytes */
                fixture_fill_registers(worker);
                for (unsigned lane = 0; lane < LANES; lane++) {
                    uint64_t at = 8 * (uint64_t)(lane * 7 % LANES);
                    old[lane] = operand(floating, 8 * bytes);
                    a[lane] = operand(floating, 8 * bytes);
                    b[lane] = operand(floating, 8 * bytes);
                    put_address(lane * length, length, (enum model)model, at);
                    if (model == LOCAL)
                        memcpy(worker->slm + at, &old[lane], bytes);
                    else
                        fixture_put(worker, BASE + at, &old[lane], bytes);
                    memcpy(fixture_grf(worker, FIXTURE_SRC1) + lane * slot, &a[lane], bytes);
                    memcpy(fixture_grf(worker, FIXTURE_SRC1 + per) + lane * slot, &b[lane], bytes);
                }
                uint32_t descriptor =
                    code | width << 7 | size << 9 | registers(LANES * length) << 25;
                assert_true(
                    decode((enum model)model, descriptor | per << 20, LANES, sources * per, true));
                if (fixture_run(worker, enabled, sources != 0) != EMU_MESSAGE_DONE)
                    fail_msg("descriptor 0x%08x: %s", descriptor, worker->fault);
                for (unsigned lane = 0; lane < LANES; lane++) {
                    uint64_t now = 0, returned = 0, want = old[lane];
                    for (unsigned i = 0; i < bytes; i++)
                        now |= (uint64_t)space_byte((enum model)model,
                                                    8 * (uint64_t)(lane * 7 % LANES) + i)
                               << 8 * i;
                    memcpy(&returned, fixture_grf(worker, FIXTURE_DST) + lane * slot, bytes);
                    if (enabled >> lane & 1) {
                        want = (floating ? float_atomic : integer_atomic)(code, old[lane], a[lane],
                                                                          b[lane], 8 * bytes);
                        assert_true(returned == old[lane]);
                    }
                    if (now != want)
                        fail_msg("descriptor 0x%08x, channel %u: 0x%llx, expected 0x%llx",
                                 descriptor, lane, (unsigned long long)now,
                                 (unsigned long long)want);
                }
            }
}

/* Coordinates in one register each, the texel's components behind them. */
static void typed_images(void **state)
{
    enum { WIDTH = 32, HEIGHT = 8 };
    const struct fixture_image image = {.type = 1,
                                        .format = 0x002,
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .depth = 1,
                                        .pitch = WIDTH * 16,
                                        .base = BASE};
    struct sonde_error error;
    (void)state;
    fixture_image(worker, BTI, &image);
    for (unsigned round = 0; round < 200; round++) {
        bool write = round % 2, table = round % 3;
        uint32_t mask = 1 + fixture_random() % 15, count = (uint32_t)__builtin_popcount(mask);
        uint32_t descriptor = (write ? QUAD_STORE : QUAD_LOAD) | 2u << 7 | 2u << 9 | mask << 12 |
                              2u << 25 | (table ? 3u : 2u) << 29 | (write ? 0 : count << 20);
        uint32_t extended =
            (table ? (uint32_t)BTI << 24 : (uint32_t)BTI << 12) | (write ? count << 6 : 0);
        assert_int_equal(sonde_gen_message_decode_descriptor(
                             SONDE_GEN_PLATFORM_XEHPG, SONDE_GEN_SFID_TGM, descriptor, extended,
                             false, &worker->message, &error),
                         SONDE_OK);
        worker->message.simd = 8;
        fixture_fill_registers(worker);
        uint32_t at[8];
        for (uint32_t lane = 0; lane < 8; lane++) {
            uint32_t x = lane * 4 + fixture_random() % 4, y = fixture_random() % HEIGHT;
            memcpy(fixture_grf(worker, FIXTURE_SRC0) + 4 * lane, &x, 4);
            memcpy(fixture_grf(worker, FIXTURE_SRC0 + 1) + 4 * lane, &y, 4);
            at[lane] = (y * WIDTH + x) * 16;
        }
        if (fixture_run(worker, 0xff, write) != EMU_MESSAGE_DONE)
            fail_msg("%s", worker->fault);
        for (uint32_t lane = 0; lane < 8; lane++)
            for (uint32_t i = 0, n = 0; i < 4; i++) {
                uint8_t texel[4];
                fixture_get(worker, BASE + at[lane] + 4 * i, texel, 4);
                if (mask >> i & 1)
                    assert_memory_equal(
                        fixture_grf(worker, (write ? FIXTURE_SRC1 : FIXTURE_DST) + n++) + 4 * lane,
                        texel, 4);
            }
    }
}

static void status_of_pages(void **state)
{
    uint32_t bits, descriptor = 0x1b | 3u << 7 | 2u << 9 | 4u << 25;
    (void)state;
    for (unsigned lane = 0; lane < LANES; lane++)
        put_address(lane * 8, 8, FLAT, lane % 3 ? 4 * lane : (uint64_t)SPACE_BYTES + 64 * lane);
    assert_true(decode(FLAT, descriptor, LANES, 1, false));
    assert_int_equal(fixture_run(worker, 0xfff0, false), EMU_MESSAGE_DONE);
    memcpy(&bits, fixture_grf(worker, FIXTURE_DST), 4);
    assert_int_equal(bits, 0xfff0 & 0x6db6);
}

static void refused(void **state)
{
    (void)state;
    assert_true(decode(FLAT, 3 | 2u << 9 | 1u << 25, 1, 1, false));
    assert_int_equal(fixture_run(worker, 1, false), EMU_MESSAGE_FAULT);
    assert_non_null(strstr(worker->fault, "two-dimensional"));
    /* vectors of more than eight elements are for one channel */
    assert_true(decode(FLAT, 3u << 7 | 2u << 9 | 5u << 12 | 4u << 25, LANES, 31, false));
    assert_int_equal(fixture_run(worker, 1, false), EMU_MESSAGE_FAULT);
}

/* Any descriptor over any registers: only the response changes. */
static void random_messages(void **state)
{
    static uint8_t before[sizeof worker->grf];
    unsigned done = 0;
    (void)state;
    for (unsigned round = 0; round < 60000; round++) {
        uint32_t descriptor = fixture_random() & 0x7fffffff, extended = fixture_random();
        bool split = round & 1;
        struct sonde_error error;
        if (round % 64 == 0)
            fixture_fill_registers(worker);
        if (fixture_random() & 3) /* long operands, operations that exist, a small table */
            descriptor = (descriptor & 0x601fffdf) | 0x1e400000;
        if (round % 3)
            extended = (extended & 0x00ffffff) | (uint32_t)(8 + fixture_random() % 4) << 24;
        if (sonde_gen_message_decode_descriptor(
                SONDE_GEN_PLATFORM_XEHPG, (uint8_t)(SONDE_GEN_SFID_TGM + round % 3), descriptor,
                extended, false, &worker->message, &error) != SONDE_OK)
            continue;
        if (worker->message.simd == 0)
            worker->message.simd = round & 2 ? 8 : 16;
        for (unsigned lane = 0; lane < 16; lane++)
            put_address(lane * 8, 8, FLAT, fixture_random() % (SPACE_BYTES + 100));
        memcpy(before, worker->grf, sizeof before);
        enum emu_message_outcome outcome = fixture_run(worker, fixture_random(), split);
        assert_true(outcome != EMU_MESSAGE_FAULT || worker->fault[0]);
        done += outcome == EMU_MESSAGE_DONE;
        size_t first = (size_t)FIXTURE_DST * 32;
        size_t end = first + (size_t)worker->message.response_registers * 32;
        assert_memory_equal(worker->grf, before, first);
        assert_memory_equal(worker->grf + end, before + end, sizeof before - end);
    }
    assert_true(done > 3000);
}

static int setup(void **state)
{
    (void)state;
    worker = fixture_create(NULL);
    fixture_map(worker, BASE, SPACE_BYTES);
    fixture_buffer(worker, BTI, BASE, SPACE_BYTES);
    worker->dispatch.bindless_base = FIXTURE_SURFACES;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fixture_destroy(worker, true);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_vector, setup, teardown),
        cmocka_unit_test_setup_teardown(every_component_mask, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(every_atomic, setup, teardown),
        cmocka_unit_test_setup_teardown(typed_images, setup, teardown),
        cmocka_unit_test_setup_teardown(status_of_pages, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
        cmocka_unit_test_setup_teardown(random_messages, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
