/* Ring, batches and commands, driven through the socket. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "fake_client.h"
#include "fake_emu.h"

#define DATA  0x555500000000ull
#define BATCH 0x7e0000000000ull

#define LOW(address)  ((uint32_t)(address))
#define HIGH(address) ((uint32_t)((uint64_t)(address) >> 32))

static struct test_server server;
static struct client client;
static char log_text[65536];
static uint32_t words[4096];
static unsigned count;

static int open_all(void **state)
{
    (void)state;
    fake_behaviour = (struct fake_behaviour){0};
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    client_make_context(&client, 4);
    static const uint8_t zeros[4096];
    client_store(&client, TEST_TAG_ADDRESS, zeros, 4096);
    client_store(&client, DATA, zeros, 4096);
    count = 0;
    return 0;
}

/* For tests that end with the connection in order and no fault. */
static int close_clean(void **state)
{
    (void)state;
    client_close(&client);
    struct device_server_totals totals = test_server_stop(&server, log_text, sizeof log_text);
    if (totals.faults != 0)
        print_error("%s", log_text);
    return totals.faults != 0;
}

static int close_faulty(void **state)
{
    (void)state;
    client_close(&client);
    return test_server_stop(&server, log_text, sizeof log_text).faults == 0;
}

static void add(const uint32_t *more, unsigned more_count)
{
    memcpy(words + count, more, 4 * more_count);
    count += more_count;
}

#define ADD(...) add((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* End the batch with the tag, run it, and check that the tag arrived. */
static void run_batch(uint32_t tag)
{
    count += test_tag(words + count, tag);
    ADD(TEST_END);
    client_submit_batch(&client, BATCH, words, count);
    assert_int_equal(client_load32(&client, TEST_TAG_ADDRESS), tag);
    count = 0;
}

static void test_ring_wraps(void **state)
{
    (void)state;
    const uint32_t ring_size = 4 * 4096;
    for (uint32_t tag = 1; tag < 3000; tag++) {
        uint32_t command[8];
        unsigned length = test_tag(command, tag);
        if (client.tail + 4 * length > ring_size) {
            /* The driver fills the rest with MI_NOOP and starts again at 0. */
            static const uint32_t noops[16];
            client_write(&client, 0x2000 + client.tail, noops, ring_size - client.tail);
            client.tail = 0;
        }
        client_submit_ring(&client, command, length);
        if (tag % 97 == 0)
            assert_int_equal(client_load32(&client, TEST_TAG_ADDRESS), tag);
    }
    assert_int_equal(client_load32(&client, TEST_TAG_ADDRESS), 2999);
}

static void test_chained_and_second_level_batches(void **state)
{
    (void)state;
    const uint64_t second = BATCH + 0x100000, chained = BATCH + 0x200000;
    /* second level: stores 1, returns */
    ADD(0x10000002, LOW(DATA), HIGH(DATA), 1, TEST_END);
    client_store(&client, second, words, 4 * count);
    count = 0;
    /* chained to: stores 3 and the tag, ends the whole batch */
    ADD(0x10000002, LOW(DATA + 8), HIGH(DATA + 8), 3);
    count += test_tag(words + count, 5);
    ADD(TEST_END);
    client_store(&client, chained, words, 4 * count);
    count = 0;
    ADD(0x18c00101, LOW(second), HIGH(second));
    ADD(0x10000002, LOW(DATA + 4), HIGH(DATA + 4), 2);
    ADD(0x18800101, LOW(chained), HIGH(chained));
    ADD(0x10000002, LOW(DATA + 12), HIGH(DATA + 12), 4); /* never reached */
    ADD(TEST_END);
    client_submit_batch(&client, BATCH, words, count);
    assert_int_equal(client_load32(&client, TEST_TAG_ADDRESS), 5);
    static const uint32_t expected[4] = {1, 2, 3, 0};
    uint32_t found[4];
    client_load(&client, DATA, found, sizeof found);
    assert_memory_equal(found, expected, sizeof found);
    /* The next submission continues in the ring. */
    count = 0;
    run_batch(6);
}

static void test_register_commands(void **state)
{
    (void)state;
    client_store(&client, DATA + 64, &(uint32_t){0xcafe}, 4);
    ADD(0x11000003, 0x2600, 0x11111111, 0x2608, 0x22222222);  /* LRI x 2 */
    ADD(0x15000001, 0x2600, 0x2610);                          /* LRR */
    ADD(0x14800002, 0x2618, LOW(DATA + 64), HIGH(DATA + 64)); /* LRM */
    ADD(0x12000002, 0x2608, LOW(DATA), HIGH(DATA));           /* SRM */
    ADD(0x12000002, 0x2610, LOW(DATA + 4), HIGH(DATA + 4));
    ADD(0x12000002, 0x2618, LOW(DATA + 8), HIGH(DATA + 8));
    ADD(0x17000003, LOW(DATA + 12), HIGH(DATA + 12), LOW(DATA + 64), HIGH(DATA + 64)); /* copy */
    ADD(0x10200003, LOW(DATA + 16), HIGH(DATA + 16), 0x89abcdef, 0x01234567); /* SDI qword */
    ADD(0x13004003, LOW(DATA + 24), HIGH(DATA + 24), 77, 0); /* FLUSH_DW immediate */
    run_batch(1);
    static const uint32_t expected[7] = {0x22222222, 0x11111111, 0xcafe, 0xcafe,
                                         0x89abcdef, 0x01234567, 77};
    uint32_t found[7];
    client_load(&client, DATA, found, sizeof found);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(client_mmio_read(&client, 0x2618), 0xcafe);
}

static void test_math(void **state)
{
    (void)state;
    /* r0 = 0x1_fffffff0, r1 = 0x20: r2 = r0 + r1, r3 = r1 - r0, carry to r4,
     * r5 = ~(r0 & r1). */
    ADD(0x11000005, 0x2600, 0xfffffff0, 0x2604, 1, 0x2608, 0x20); /* LRI x 3 */
    ADD(0x1100000b, 0x260c, 0, 0x2610, 0, 0x2614, 0, 0x2618, 0, 0x261c, 0, 0x2620, 0);
    ADD(0x0d00000e, 0x08008000, 0x08008401, 0x10000000, 0x18000831, /* load a r0, b r1, add, r2 */
        0x08008001, 0x08008400, 0x10100000, 0x18000c31, 0x18001033, /* b from a, r3, r4 = carry */
        0x08008000, 0x08008401, 0x10200000, 0x58001431,
        0x18001832, /* and, r5 inverted, r6 = zero */
        0);
    for (uint32_t i = 0; i < 10; i++)
        ADD(0x12000002, 0x2610 + 4 * i, LOW(DATA + 4 * i), HIGH(DATA));
    run_batch(1);
    const uint64_t expected[5] = {UINT64_C(0x200000010), 0x20 - UINT64_C(0x1fffffff0), UINT64_MAX,
                                  ~UINT64_C(0x20), 0};
    uint64_t found[5];
    client_load(&client, DATA, found, sizeof found);
    assert_memory_equal(found, expected, sizeof found);
}

static void test_atomics(void **state)
{
    (void)state;
    static const struct {
        uint32_t opcode, operand, compare;
        uint32_t before, after;
    } rows[] = {
        {1, 0x0f, 0, 0x3c, 0x0c},
        {2, 0x0f, 0, 0x30, 0x3f},
        {3, 0xff, 0, 0x0f, 0xf0},
        {4, 5, 0, 9, 5},
        {5, 0, 0, 0xffffffff, 0},
        {6, 0, 0, 0, 0xffffffff},
        {7, 10, 0, 5, 15},
        {8, 10, 0, 25, 15},
        {9, 10, 0, 4, 6},
        {0xa, 1, 0, 0xffffffff, 1},
        {0xb, 1, 0, 0xffffffff, 0xffffffff},
        {0xc, 1, 0, 0xffffffff, 0xffffffff},
        {0xd, 1, 0, 0xffffffff, 1},
        {0xe, 7, 8, 7, 8},
        {0xe, 7, 8, 6, 6},
    };
    const unsigned n = sizeof rows / sizeof *rows;
    for (unsigned i = 0; i < n; i++) {
        uint64_t narrow = DATA + 16 * i, wide = DATA + 16 * i + 8;
        client_store(&client, narrow, &rows[i].before, 4);
        client_store(&client, wide, &(uint64_t){rows[i].before}, 8);
        ADD(0x17840009 | rows[i].opcode << 8, LOW(narrow), HIGH(narrow), rows[i].operand,
            rows[i].compare, 0, 0, 0, 0, 0, 0);
        ADD(0x178c0009 | (rows[i].opcode | 0x20) << 8, LOW(wide), HIGH(wide), rows[i].operand,
            rows[i].compare, 0, 0, 0, 0, 0, 0);
    }
    run_batch(1);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(client_load32(&client, DATA + 16 * i), rows[i].after);
    assert_int_equal(client_load64(&client, DATA + 16 * 0 + 8), 0x0c);
    assert_int_equal(client_load64(&client, DATA + 16 * 4 + 8), 0x100000000ull);
    assert_int_equal(client_load64(&client, DATA + 16 * 5 + 8), UINT64_MAX);
}

static void test_semaphores(void **state)
{
    (void)state;
    static const struct {
        uint32_t comparison, memory, data;
    } met[] = {{0, 6, 5}, {1, 5, 5}, {2, 4, 5}, {3, 5, 5}, {4, 5, 5}, {5, 4, 5}};
    for (unsigned i = 0; i < 6; i++) {
        client_store(&client, DATA + 4 * i, &met[i].memory, 4);
        ADD(0x0e008002 | met[i].comparison << 12, met[i].data, LOW(DATA + 4 * i), HIGH(DATA));
    }
    run_batch(1);
}

/* One that is never signalled is given up; the driver still sees its tag. */
static void test_semaphore_is_bounded(void **state)
{
    (void)state;
    ADD(0x0e00c002, 1, LOW(DATA), HIGH(DATA));
    run_batch(1);
}

static void test_timestamps_run_with_the_work(void **state)
{
    (void)state;
    fake_behaviour.instructions = 12000000;
    ADD(0x7a000004, 0x0000c000, LOW(DATA), HIGH(DATA), 0, 0);
    ADD(0x12000002, 0x23a8, LOW(DATA + 8), HIGH(DATA + 8));
    for (unsigned i = 0; i < 100; i++)
        ADD(0x02800000);
    ADD(0x12000002, 0x2358, LOW(DATA + 16), HIGH(DATA + 16));
    ADD(0x7a000004, 0x0000c000, LOW(DATA + 24), HIGH(DATA + 24), 0, 0);
    run_batch(1);
    uint64_t times[4];
    client_load(&client, DATA, times, sizeof times);
    for (unsigned i = 1; i < 4; i++)
        assert_true(times[i] > times[i - 1]);
}

static void test_unknown_command_skips_to_completion(void **state)
{
    (void)state;
    ADD(0x10000002, LOW(DATA), HIGH(DATA), 1);
    ADD(0x71990002, 0, 0, 0);
    ADD(0xffffffff);
    ADD(0x7105000d, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1); /* not run */
    run_batch(9);
    assert_int_equal(client_load32(&client, DATA), 1);
    run_batch(10); /* the next batch is in order again */
}

static void test_endless_chain_is_closed(void **state)
{
    (void)state;
    ADD(0x18800101, LOW(BATCH), HIGH(BATCH));
    client_submit_batch(&client, BATCH, words, count);
    assert_true(client_sees_close(&client));
}

static void test_unmapped_batch_is_closed(void **state)
{
    (void)state;
    ADD(0x18800101, 0x1000, 0x1234, 0);
    client_submit_ring(&client, words, count);
    assert_true(client_sees_close(&client));
}

static void test_command_beyond_the_tail_is_closed(void **state)
{
    (void)state;
    ADD(0x7a000004, 0, 0);
    client_submit_ring(&client, words, count);
    assert_true(client_sees_close(&client));
}

/* All that GPGPU_WALKER and the state before it say arrives at the emulator. */
static void test_dispatch_fields(void **state)
{
    (void)state;
    const uint64_t general = 0x110000000000, surface = 0x220000000000, dynamic = 0x330000000000,
                   indirect = 0x440000000000, instruction = 0x800000000000;
    uint8_t payload[32 * (3 + 3 * 6)];
    for (unsigned i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i ^ i >> 5);
    const uint32_t idd[8] = {0x2000fff0 & ~0x3fu,
                             1,
                             0x80000,
                             0x1240,
                             0x345,
                             6u << 16,
                             3 | 5u << 16 | 1u << 21 | 2u << 22,
                             3};
    client_store(&client, dynamic + 0x400 + 64, idd, sizeof idd);
    client_store(&client, indirect + 0x1c0, payload, sizeof payload);
    ADD(0x61010011, LOW(general) | 1, HIGH(general), 0, LOW(surface) | 1, HIGH(surface),
        LOW(dynamic) | 1, HIGH(dynamic), LOW(indirect) | 1, HIGH(indirect), LOW(instruction) | 1,
        HIGH(instruction), 1, 1, 1, 1, 0x5000 | 1, 0x6666, 0);
    ADD(0x61010011, 0x1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0); /* modifies none */
    ADD(0x70000007, 0x1077, 0, 0, 0, 0, 0, 0, 0);
    ADD(0x70020002, 0, 0x80, 0x400);
    ADD(0x7105000d, 2, sizeof payload, 0x1c0, 2u << 30 | 2, 4, 0, 9, 1, 0, 2, 3, 7, 0x7ff,
        0xffffffff);
    unsigned started = atomic_load(&fake_started);
    run_batch(1);
    assert_int_equal(atomic_load(&fake_started), started + 1);
    const struct emu_dispatch *d = &fake_dispatch;
    assert_int_equal(d->platform, SONDE_GEN_PLATFORM_GEN9);
    assert_int_equal(d->instruction_base, instruction);
    assert_int_equal(d->kernel_start, instruction + 0x12000ffc0);
    assert_int_equal(d->general_base, general);
    assert_int_equal(d->surface_base, surface);
    assert_int_equal(d->dynamic_base, dynamic);
    assert_int_equal(d->bindless_base, 0x666600005000);
    assert_int_equal(d->binding_table, surface + 0x340);
    assert_int_equal(d->sampler_table, dynamic + 0x1240);
    assert_int_equal(d->sampler_state_pointer, 0x1240);
    assert_int_equal(d->simd, 32);
    assert_int_equal(d->threads_per_group, 3);
    static const uint32_t start[3] = {4, 1, 3}, end[3] = {9, 2, 7};
    assert_memory_equal(d->group_start, start, sizeof start);
    assert_memory_equal(d->group_end, end, sizeof end);
    assert_int_equal(d->right_mask, 0x7ff);
    assert_int_equal(d->slm_size, 16384);
    assert_true(d->barrier_enable);
    assert_true(d->denormals_preserve);
    assert_int_equal(d->rounding_mode, 2);
    assert_int_equal(d->cross_thread_registers, 3);
    assert_int_equal(d->per_thread_registers, 6);
    assert_int_equal(d->payload_size, sizeof payload);
    assert_memory_equal(fake_payload, payload, sizeof payload);
    assert_int_equal(d->scratch_base, 0x1000);
    assert_int_equal(d->scratch_per_thread, 128 * 1024);
    assert_int_equal(d->scratch_code, 7);
    assert_int_equal(d->slices * d->subslices * d->eus_per_subslice, 12);
}

static void test_faulty_dispatches_complete(void **state)
{
    (void)state;
    static const uint32_t walker[] = {0x7105000d, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1};
    static const uint32_t idd[8] = {0x1000, 0, 0, 0, 0, 0, 2, 0};
    add(walker, 15); /* no descriptor loaded */
    run_batch(1);
    ADD(0x61010011, 1, 0, 0, 1, 0, LOW(DATA) | 1, HIGH(DATA), LOW(DATA) | 1, HIGH(DATA), 1, 0, 1, 1,
        1, 1, 0, 0, 0);
    ADD(0x70020002, 0, 0x20, 0x800);
    client_store(&client, DATA + 0x800, idd, sizeof idd);
    add(walker, 15); /* thread counts differ */
    run_batch(2);
    unsigned finished = atomic_load(&fake_finished);
    client_store(&client, DATA + 0x818, &(uint32_t){1}, 4);
    fake_behaviour.fault = true;
    add(walker, 15);
    run_batch(3);
    assert_int_equal(atomic_load(&fake_finished), finished + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ring_wraps, open_all, close_clean),
        cmocka_unit_test_setup_teardown(test_chained_and_second_level_batches, open_all,
                                        close_clean),
        cmocka_unit_test_setup_teardown(test_register_commands, open_all, close_clean),
        cmocka_unit_test_setup_teardown(test_math, open_all, close_clean),
        cmocka_unit_test_setup_teardown(test_atomics, open_all, close_clean),
        cmocka_unit_test_setup_teardown(test_semaphores, open_all, close_clean),
        cmocka_unit_test_setup_teardown(test_semaphore_is_bounded, open_all, close_faulty),
        cmocka_unit_test_setup_teardown(test_timestamps_run_with_the_work, open_all, close_clean),
        cmocka_unit_test_setup_teardown(test_unknown_command_skips_to_completion, open_all,
                                        close_faulty),
        cmocka_unit_test_setup_teardown(test_endless_chain_is_closed, open_all, close_faulty),
        cmocka_unit_test_setup_teardown(test_unmapped_batch_is_closed, open_all, close_faulty),
        cmocka_unit_test_setup_teardown(test_command_beyond_the_tail_is_closed, open_all,
                                        close_faulty),
        cmocka_unit_test_setup_teardown(test_dispatch_fields, open_all, close_clean),
        cmocka_unit_test_setup_teardown(test_faulty_dispatches_complete, open_all, close_faulty),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
