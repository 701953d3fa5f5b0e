/* Any descriptor with any register contents: no crash, no write outside the
 * response registers, and a reason whenever the outcome is a fault. */
#include "message_fixture.h"

#define BASE UINT64_C(0x7fae00000000)

enum { ROUNDS = 200000 };

static const uint8_t functions[] = {
    SONDE_GEN_SFID_SAMPLER,  SONDE_GEN_SFID_GATEWAY, SONDE_GEN_SFID_DC2, SONDE_GEN_SFID_SPAWNER,
    SONDE_GEN_SFID_CONSTANT, SONDE_GEN_SFID_DC0,     SONDE_GEN_SFID_DC1, SONDE_GEN_SFID_DC1};

/* Small numbers and addresses near the mapped memory more often than noise. */
static uint32_t random_dword(void)
{
    uint32_t value = fixture_random();

    switch (value >> 28 & 3) {
    case 0:
        return value & 0x3ff;
    case 1:
        return (uint32_t)BASE + (value & 0xffff);
    default:
        return value;
    }
}

static void random_registers(struct emu_worker *worker)
{
    for (unsigned i = 0; i < EMU_GRF_COUNT * EMU_GRF_SIZE / 4; i++) {
        uint32_t value = i % 2 && fixture_random() & 1 ? (uint32_t)(BASE >> 32) : random_dword();
        memcpy(worker->grf + 4 * i, &value, 4);
    }
}

static void random_surfaces(struct emu_worker *worker)
{
    for (unsigned bti = 0; bti < 16; bti++) {
        uint32_t state[16];
        for (unsigned i = 0; i < 16; i++)
            state[i] = fixture_random();
        if (bti % 4 == 0) { /* some that work */
            state[0] = 1u << 29 | 0x0d7u << 18 | (bti % 8 ? 3u << 12 : 0);
            state[1] = state[5] = state[6] = 0;
            state[2] = 63 | 31 << 16;
            state[3] = 511;
        }
        state[8] = (uint32_t)BASE;
        state[9] = (uint32_t)(BASE >> 32);
        fixture_surface(worker, bti, state);
    }
}

static uint32_t random_descriptor(void)
{
    uint32_t descriptor = fixture_random() & 0x1fffffff;

    /* Long operands more often, since short ones are refused. */
    if (fixture_random() & 3)
        descriptor = (descriptor & 0xfffff) | 0x01000000 | (8 + fixture_random() % 8) << 25;
    /* Binding-table entries that exist, local memory, stateless. */
    switch (fixture_random() & 3) {
    case 0:
        return descriptor | 0xff;
    case 1:
        return (descriptor & ~0xffu) | 0xfe;
    default:
        return descriptor & ~0xf0u;
    }
}

static void random_messages(void **state)
{
    static uint8_t before[sizeof(((struct emu_worker *)0)->grf)];
    struct emu_worker *worker = fixture_create(NULL);
    unsigned done = 0;

    (void)state;
    fixture_map(worker, BASE, 20 * EMU_PAGE_SIZE);
    fixture_map(worker, FIXTURE_GENERAL, 4 * EMU_PAGE_SIZE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t function = functions[fixture_random() % sizeof functions];
        uint32_t extended = fixture_random() & 0x3c0;
        bool split = fixture_random() & 1;
        struct sonde_error error;
        size_t first = (size_t)FIXTURE_DST * EMU_GRF_SIZE, end;

        if (round % 256 == 0) {
            random_registers(worker);
            random_surfaces(worker);
        }
        if (sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_GEN9, function,
                                                random_descriptor(), split ? extended : 0, false,
                                                &worker->message, &error) != SONDE_OK &&
            fixture_random() & 7)
            continue;
        memcpy(before, worker->grf, sizeof before);
        enum emu_message_outcome outcome = fixture_run(worker, fixture_random(), split);
        if (outcome == EMU_MESSAGE_FAULT)
            assert_true(worker->fault[0] != 0);
        done += outcome == EMU_MESSAGE_DONE;
        end = first + (size_t)worker->message.response_registers * EMU_GRF_SIZE;
        assert_memory_equal(worker->grf, before, first);
        assert_memory_equal(worker->grf + end, before + end, sizeof before - end);
    }
    assert_true(done > 4000); /* the rounds are not all refused */
    fixture_destroy(worker, true);
}

/* Reads and samples give the same response wherever it goes, also over their
 * own addresses. */
static void response_over_payload(void **state)
{
    static uint8_t before[sizeof(((struct emu_worker *)0)->grf)], want[32 * EMU_GRF_SIZE];
    struct emu_worker *worker = fixture_create(NULL);
    unsigned compared = 0;

    (void)state;
    fixture_map(worker, BASE, 20 * EMU_PAGE_SIZE);
    fixture_map(worker, FIXTURE_GENERAL, 4 * EMU_PAGE_SIZE);
    random_surfaces(worker);
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool split = fixture_random() & 1;
        uint32_t enabled = fixture_random() | 0xff;
        struct sonde_error error;
        uint8_t function = fixture_random() & 1 ? SONDE_GEN_SFID_SAMPLER : SONDE_GEN_SFID_DC1;
        uint32_t dst =
            (split && fixture_random() & 1 ? FIXTURE_SRC1 : FIXTURE_SRC0) + fixture_random() % 12;

        if (round % 64 == 0)
            random_registers(worker);
        if (sonde_gen_message_decode_descriptor(SONDE_GEN_PLATFORM_GEN9, function,
                                                random_descriptor(), split ? 0x3c0 : 0, false,
                                                &worker->message, &error) != SONDE_OK ||
            (worker->message.operation != SONDE_GEN_MESSAGE_READ &&
             worker->message.operation != SONDE_GEN_MESSAGE_TYPED_READ &&
             worker->message.operation != SONDE_GEN_MESSAGE_SAMPLE))
            continue;
        size_t bytes = worker->message.response_registers * (size_t)EMU_GRF_SIZE;
        memcpy(before, worker->grf, sizeof before);
        /* Channels that do not take part keep the same contents. */
        memmove(fixture_grf(worker, FIXTURE_DST), fixture_grf(worker, dst), bytes);
        if (fixture_run(worker, enabled, split) == EMU_MESSAGE_DONE) {
            memcpy(want, fixture_grf(worker, FIXTURE_DST), bytes);
            memcpy(worker->grf, before, sizeof before);
            assert_int_equal(fixture_run_to(worker, enabled, split, dst), EMU_MESSAGE_DONE);
            assert_memory_equal(fixture_grf(worker, dst), want, bytes);
            compared++;
        }
        memcpy(worker->grf, before, sizeof before);
    }
    assert_true(compared > 1000);
    fixture_destroy(worker, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_messages),
                                       cmocka_unit_test(response_over_payload)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
