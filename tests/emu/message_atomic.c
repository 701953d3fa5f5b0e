/* Atomic messages against host arithmetic, and from two threads at once. */
#include <math.h>
#include <pthread.h>

#include "message_fixture.h"

#define BASE UINT64_C(0x7fab00001000)

enum { ROUNDS = 20000 };

static void set_atomic(struct emu_worker *worker, uint8_t model, unsigned simd, unsigned size,
                       uint8_t operation, bool is_float, unsigned sources, bool returns)
{
    unsigned address = simd * (model == SONDE_GEN_ADDRESS_A64 ? 8 : 4) / 32;
    unsigned data = simd * size / 32;

    worker->message = (struct sonde_gen_message){
        .operation = SONDE_GEN_MESSAGE_ATOMIC,
        .layout = SONDE_GEN_LAYOUT_UNTYPED,
        .address_model = model,
        .bti = 2,
        .simd = (uint8_t)simd,
        .element_size = (uint8_t)size,
        .element_slot = (uint8_t)size,
        .elements = 1,
        .atomic = operation,
        .atomic_float = is_float,
        .returns_data = returns,
        .payload_registers = (uint8_t)address,
        .src1_registers = (uint8_t)(sources * data),
        .response_registers = (uint8_t)(returns ? data : 0),
    };
}

static uint64_t mask_to(uint64_t value, unsigned size)
{
    return size == 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

/* What the operation does to one cell; returns the value written back. */
static uint64_t host_atomic(uint8_t operation, unsigned size, uint64_t *cell, uint64_t a,
                            uint64_t b)
{
    uint64_t old = *cell;
    int64_t so = size == 8 ? (int64_t)old : (int32_t)old, sa = size == 8 ? (int64_t)a : (int32_t)a;
    const uint64_t next[16] = {[0x1] = old & a,
                               [0x2] = old | a,
                               [0x3] = old ^ a,
                               [0x4] = a,
                               [0x5] = old + 1,
                               [0x6] = old - 1,
                               [0x7] = old + a,
                               [0x8] = old - a,
                               [0x9] = a - old,
                               [0xa] = so > sa ? old : a,
                               [0xb] = so < sa ? old : a,
                               [0xc] = old > a ? old : a,
                               [0xd] = old < a ? old : a,
                               [0xe] = old == a ? b : old,
                               [0xf] = old - 1};

    *cell = mask_to(next[operation], size);
    return operation == 0xf ? *cell : old;
}

static void integer_operations(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    static const uint8_t models[] = {SONDE_GEN_ADDRESS_SURFACE, SONDE_GEN_ADDRESS_A64,
                                     SONDE_GEN_ADDRESS_SLM, SONDE_GEN_ADDRESS_STATELESS};

    (void)state;
    fixture_map(worker, BASE, 2 * EMU_PAGE_SIZE);
    fixture_map(worker, FIXTURE_GENERAL, 2 * EMU_PAGE_SIZE);
    fixture_buffer(worker, 2, BASE, EMU_PAGE_SIZE);
    for (unsigned round = 0; round < 4 * 15 * 2 * 3; round++) {
        uint8_t model = models[round % 4], operation = (uint8_t)(1 + round / 4 % 15);
        unsigned size = round / 60 % 2 ? 8 : 4;
        unsigned simd = size == 8 || model == SONDE_GEN_ADDRESS_A64 ? 8 : 16;
        unsigned sources = operation == 0xe                                       ? 2
                           : operation == 5 || operation == 6 || operation == 0xf ? 0
                                                                                  : 1;
        unsigned data = simd * size / 32;
        uint64_t base = model == SONDE_GEN_ADDRESS_SURFACE     ? BASE
                        : model == SONDE_GEN_ADDRESS_STATELESS ? FIXTURE_GENERAL
                                                               : 0;
        uint32_t enabled = fixture_random() & (simd == 16 ? 0xffff : 0xff);
        uint64_t cells[8], returned[16] = {0};

        for (unsigned i = 0; i < 8; i++) {
            cells[i] = mask_to((uint64_t)fixture_random() << 32 | fixture_random(), size);
            if (model == SONDE_GEN_ADDRESS_SLM)
                memcpy(worker->slm + 8 * i, &cells[i], 8);
            else
                fixture_put(worker, (base ? base : BASE) + 8 * i, &cells[i], 8);
        }
        fixture_fill_registers(worker);
        for (unsigned lane = 0; lane < simd; lane++) {
            uint64_t at = 8 * (lane * 5 % 8) + (model == SONDE_GEN_ADDRESS_A64 ? BASE : 0);
            uint64_t a = 0, b = 0, *cell = &cells[lane * 5 % 8];
            unsigned width = model == SONDE_GEN_ADDRESS_A64 ? 8 : 4;
            memcpy(fixture_grf(worker, FIXTURE_SRC0) + lane * width, &at, width);
            if (operation == 0xe && lane % 2) /* make half of the compares succeed */
                memcpy(fixture_grf(worker, FIXTURE_SRC1) + lane * size, cell, size);
            memcpy(&a, fixture_grf(worker, FIXTURE_SRC1) + lane * size, size);
            memcpy(&b, fixture_grf(worker, FIXTURE_SRC1 + data) + lane * size, size);
            if (enabled >> lane & 1)
                returned[lane] = host_atomic(operation, size, cell, a, b);
            else
                memcpy(&returned[lane], fixture_grf(worker, FIXTURE_DST) + lane * size, size);
        }
        set_atomic(worker, model, simd, size, operation, false, sources, true);
        assert_int_equal(fixture_run(worker, enabled, true), EMU_MESSAGE_DONE);
        for (unsigned lane = 0; lane < simd; lane++)
            assert_memory_equal(fixture_grf(worker, FIXTURE_DST) + lane * size, &returned[lane],
                                size);
        for (unsigned i = 0; i < 8; i++) {
            uint64_t now;
            if (model == SONDE_GEN_ADDRESS_SLM)
                memcpy(&now, worker->slm + 8 * i, 8);
            else
                fixture_get(worker, (base ? base : BASE) + 8 * i, &now, 8);
            assert_true(now == cells[i]);
        }
    }
    fixture_destroy(worker, true);
}

static void float_operations(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    const float a[8] = {1.5f, -2.0f, 0.25f, 1e30f, -0.0f, 3.0f, 8.0f, -1.0f};
    const float b[8] = {9.0f, 8.0f, 7.0f, 6.0f, 5.0f, 4.0f, 3.0f, 2.0f};

    (void)state;
    fixture_map(worker, BASE, EMU_PAGE_SIZE);
    for (uint8_t operation = 1; operation <= 5; operation++) {
        float cells[8] = {2.0f, -2.0f, 0.5f, 1e30f, 4.0f, -3.0f, 8.0f, 0.0f}, now[8];
        for (unsigned lane = 0; lane < 8; lane++) {
            uint64_t at = BASE + 4 * lane;
            memcpy(fixture_grf(worker, FIXTURE_SRC0) + 8 * lane, &at, 8);
        }
        fixture_put(worker, BASE, cells, 32);
        memcpy(fixture_grf(worker, FIXTURE_SRC1), a, 32);
        memcpy(fixture_grf(worker, FIXTURE_SRC1 + 1), b, 32);
        set_atomic(worker, SONDE_GEN_ADDRESS_A64, 8, 4, operation, true, operation == 3 ? 2 : 1,
                   true);
        assert_int_equal(fixture_run(worker, 0xff, true), EMU_MESSAGE_DONE);
        assert_memory_equal(fixture_grf(worker, FIXTURE_DST), cells, 32);
        fixture_get(worker, BASE, now, 32);
        for (unsigned lane = 0; lane < 8; lane++) {
            const float expected[6] = {0,
                                       fmaxf(cells[lane], a[lane]),
                                       fminf(cells[lane], a[lane]),
                                       cells[lane] == a[lane] ? b[lane] : cells[lane],
                                       cells[lane] + a[lane],
                                       cells[lane] - a[lane]};
            assert_true(now[lane] == expected[operation]);
        }
    }
    fixture_destroy(worker, true);
}

static void misaligned_and_outside(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    uint32_t offsets[8] = {0, 4, 8, 61, 16, 20, 24, 28}, value;

    (void)state;
    fixture_map(worker, BASE, EMU_PAGE_SIZE);
    fixture_buffer(worker, 2, BASE, 64);
    memcpy(fixture_grf(worker, FIXTURE_SRC0), offsets, 32);
    set_atomic(worker, SONDE_GEN_ADDRESS_SURFACE, 8, 4, 7, false, 1, true);
    assert_int_equal(fixture_run(worker, 0xff, true), EMU_MESSAGE_FAULT);
    assert_non_null(strstr(worker->fault, "misaligned"));
    offsets[3] = 64;
    memcpy(fixture_grf(worker, FIXTURE_SRC0), offsets, 32);
    assert_int_equal(fixture_run(worker, 0xff, true), EMU_MESSAGE_DONE);
    assert_int_equal(worker->outside, 1);
    memcpy(&value, fixture_grf(worker, FIXTURE_DST) + 12, 4);
    assert_int_equal(value, 0);
    fixture_destroy(worker, true);
}

/* Every channel adds its number + 1 to one of two counters, float and integer
 * ones, ROUNDS times. */
static void *add_rounds(void *argument)
{
    struct emu_worker *worker = argument;
    static const uint8_t operations[] = {7, 4, 5};

    for (unsigned round = 0; round < ROUNDS; round++) {
        bool is_float = round % 3 == 1;
        uint8_t operation = operations[round % 3];
        unsigned sources = operation == 5 ? 0 : 1;

        set_atomic(worker, SONDE_GEN_ADDRESS_SURFACE, 16, 4, operation, is_float, sources, false);
        for (unsigned lane = 0; lane < 16; lane++) {
            uint32_t offset = 4 * (round % 3), addend = lane + 1;
            float float_addend = 1.0f;
            memcpy(fixture_grf(worker, FIXTURE_SRC0) + 4 * lane, &offset, 4);
            memcpy(fixture_grf(worker, FIXTURE_SRC1) + 4 * lane,
                   is_float ? (void *)&float_addend : (void *)&addend, 4);
        }
        if (fixture_run(worker, 0xffff, true) != EMU_MESSAGE_DONE)
            return argument;
    }
    return NULL;
}

static void two_threads_add_exactly(void **state)
{
    struct emu_worker *first = fixture_create(NULL), *second = fixture_create(first->pages);
    uint32_t counters[3] = {0}, rounds = 2 * ROUNDS;
    pthread_t thread;
    void *failed = NULL;
    float sum;

    (void)state;
    fixture_map(first, BASE, EMU_PAGE_SIZE);
    fixture_buffer(first, 2, BASE, 64);
    fixture_put(first, BASE, counters, sizeof counters);
    assert_int_equal(pthread_create(&thread, NULL, add_rounds, second), 0);
    assert_null(add_rounds(first));
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    fixture_get(first, BASE, counters, sizeof counters);
    memcpy(&sum, &counters[1], 4);
    /* ROUNDS of every thread: 6667 integer, 6667 float, 6666 increments. */
    assert_int_equal(counters[0], (rounds + 5) / 6 * 2 * 136);
    assert_true(sum == (float)((ROUNDS + 1) / 3 * 2 * 16));
    assert_int_equal(counters[2], ROUNDS / 3 * 2 * 16);
    fixture_destroy(second, false);
    fixture_destroy(first, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_operations),
        cmocka_unit_test(float_operations),
        cmocka_unit_test(misaligned_and_outside),
        cmocka_unit_test(two_threads_add_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
