/* Profile traces on the emulator: what threads record, sizes to the byte,
 * what happens when the space runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe.h"
#include "profile/trace.h"

#define MAXIMUM_POINTS 20

struct fixture {
    struct probe probe;
    struct profile_trace trace;
    struct profile_trace_result result;
    uint8_t start[MACHINE_SURFACE_BYTES];
};

static const struct probe_mode modes[] = {
    {PROBE_SURFACE, PROBE_FREE_LIST},
    {PROBE_SURFACE, PROBE_SPILL},
    {PROBE_STATELESS, PROBE_LIVENESS},
    {PROBE_FETCHED, PROBE_SPILL_BUFFER},
};

#define MODE_COUNT (sizeof modes / sizeof *modes)

static uint32_t load(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Addresses of the first messages, and at the point: r20 and the channels of the
 * instruction behind it. */
static size_t list_points(struct probe *p, struct sonde_record_point *points)
{
    size_t count = 0;
    for (uint32_t i = 0; i < sonde_kernel_instruction_count(p->kernel); i++)
        if (sonde_coder_payload_address_registers(sonde_kernel_instruction(p->kernel, i)) != 0 &&
            count < MAXIMUM_POINTS - 3)
            points[count++] =
                (struct sonde_record_point){.kind = SONDE_RECORD_ADDRESSES, .instruction = i};
    uint32_t point = (uint32_t)p->point;
    points[count++] = (struct sonde_record_point){
        .kind = SONDE_RECORD_REGISTERS, .instruction = point + 1, .first = 20, .count = 2};
    points[count++] =
        (struct sonde_record_point){.kind = SONDE_RECORD_MASK, .instruction = point - 1};
    points[count++] =
        (struct sonde_record_point){.kind = SONDE_RECORD_MASK, .instruction = point - 1};
    return count;
}

static struct fixture *open_drained(size_t mode, bool is_drained)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    struct probe *p = &f->probe;
    probe_open(p, modes[mode].buffer, modes[mode].registers);
    struct sonde_record_point points[MAXIMUM_POINTS];
    struct sonde_record_layout layout;
    size_t count = list_points(p, points);
    probe_ok(p, sonde_record_layout_make(p->kernel, 32, true, points, count, &layout, &p->error));
    uint32_t end = PROFILE_CONTROL_BYTES;
    probe_ok(p, profile_trace_instrument(&layout, p->instrument, 4, is_drained, &end, &f->trace,
                                         &p->error));
    p->profile = f->start;
    p->profile_size = sizeof f->start;
    return f;
}

static struct fixture *open_fixture(size_t mode)
{
    return open_drained(mode, false);
}

static void close_fixture(struct fixture *f)
{
    profile_trace_result_clear(&f->result);
    profile_trace_clear(&f->trace);
    probe_close(&f->probe);
    free(f);
}

static void run(struct fixture *f, uint64_t capacity, enum profile_trace_mode mode)
{
    memset(f->start, 0, sizeof f->start);
    assert_true(f->trace.base + capacity <= sizeof f->start);
    profile_trace_prepare(&f->trace, f->start, f->trace.base + capacity, mode);
    sonde_rewritten_clear(&f->probe.out);
    probe_run(&f->probe);
    profile_trace_result_clear(&f->result);
    probe_ok(&f->probe,
             profile_trace_collect(&f->trace, machine_surface(f->probe.machine, MACHINE_PROFILE),
                                   f->trace.base + capacity, &f->result, &f->probe.error));
    assert_int_equal(f->result.torn_bytes, 0);
}

static uint64_t count_pass(struct fixture *f)
{
    run(f, 0, PROFILE_TRACE_DRY);
    assert_int_equal(f->result.stored, 0);
    assert_int_equal(f->result.used, 0);
    uint64_t bytes = sonde_record_layout_bytes(&f->trace.layout, f->result.visits);
    assert_int_equal(bytes, f->result.lost_bytes);
    /* The emulator's own counts of the blocks' first instructions. */
    for (uint32_t b = 0; b + 1 < f->trace.layout.block_count; b++) {
        uint32_t first = sonde_kernel_block(f->probe.kernel, b)->first;
        assert_int_equal(
            f->result.visits[b],
            machine_executions(f->probe.machine, f->probe.out.instruction_offsets[first] -
                                                     f->probe.out.instrumented_entry));
    }
    assert_int_equal(f->result.visits[f->trace.layout.block_count - 1], PROBE_THREADS);
    return bytes;
}

static uint32_t thread_of(const uint8_t *record)
{
    uint32_t state = load(record + SONDE_RECORD_THREAD);
    return (state & 7) + 7 * (state >> 8 & 0xff);
}

static const struct sonde_record_item *item_at(const struct fixture *f, uint32_t block, uint32_t i)
{
    return &f->trace.layout.items[f->trace.layout.blocks[block].first_item + i];
}

/* r70 of the n-th message: lane * 4 + thread * 4096 + 32 * n in 8 lanes. */
static void check_addresses(const uint8_t *payload, uint32_t thread, uint32_t number)
{
    for (uint32_t lane = 0; lane < 8; lane++)
        assert_int_equal(load(payload + 4 * lane), 4 * lane + (thread << 12) + 32 * number);
}

static void check_record(const struct fixture *f, const uint8_t *record, uint32_t *messages)
{
    uint32_t block = load(record), thread = thread_of(record);
    assert_true(thread < PROBE_THREADS);
    assert_int_equal(load(record + SONDE_RECORD_DISPATCH), probe_dispatched(&f->probe, thread));
    if (block + 1 == f->trace.layout.block_count) {
        assert_int_equal(load(record + SONDE_RECORD_HEADER_BYTES + 20) & 0x1ff, thread);
        messages[thread] = 0;
        return;
    }
    uint32_t point_block = sonde_kernel_block_of(f->probe.kernel, f->probe.point);
    uint32_t enabled = block == point_block ? probe_enabled(&f->probe, thread)
                                            : probe_dispatched(&f->probe, thread);
    assert_int_equal(load(record + SONDE_RECORD_ENABLED), enabled);
    if (block != 0) /* dead before */
        assert_int_equal(load(record + SONDE_RECORD_FLAGS) & 0xffff, 0xa5c3);
    for (uint32_t i = 0; i < f->trace.layout.blocks[block].item_count; i++) {
        const struct sonde_record_item *item = item_at(f, block, i);
        if (item->point.kind == SONDE_RECORD_ADDRESSES)
            check_addresses(record + item->offset, thread, messages[thread]++);
        else if (item->point.kind == SONDE_RECORD_MASK) /* of the if: its predicate */
            assert_int_equal(load(record + item->offset), probe_enabled(&f->probe, thread));
        else /* r20: local id * 77 */
            for (uint32_t lane = 0; lane < 16; lane++)
                assert_int_equal(load(record + item->offset + 4 * lane),
                                 (thread * 16 + lane) * 77 *
                                     (thread * 16 + lane < 189 || thread + 1 < PROBE_THREADS));
    }
}

static void records(void **unused)
{
    (void)unused;
    for (size_t mode = 0; mode < MODE_COUNT; mode++) {
        struct fixture *f = open_fixture(mode);
        uint64_t bytes = count_pass(f);
        uint64_t visits[64] = {0}, total = 0;
        memcpy(visits, f->result.visits, f->trace.layout.block_count * sizeof *visits);
        run(f, bytes, PROFILE_TRACE_RECORD);
        assert_int_equal(f->result.used, bytes);
        assert_int_equal(f->result.lost, 0);
        assert_false(f->result.overflow);
        uint32_t messages[PROBE_THREADS] = {0};
        for (uint64_t at = 0; at < bytes; total++) {
            const uint8_t *record = f->result.records + at;
            check_record(f, record, messages);
            at += f->trace.layout.blocks[load(record)].size;
        }
        assert_int_equal(total, f->result.stored);
        assert_memory_equal(visits, f->result.visits, f->trace.layout.block_count * sizeof *visits);
        for (uint32_t t = 0; t < PROBE_THREADS; t++)
            assert_true(messages[t] >= 6);
        close_fixture(f);
    }
}

/* Every space from none to all: a prefix is stored, the rest is counted. */
static void overflow(void **unused)
{
    (void)unused;
    struct fixture *f = open_fixture(0);
    uint64_t bytes = count_pass(f), all = f->result.lost, before = 0;
    static uint8_t full[MACHINE_SURFACE_BYTES];
    run(f, bytes, PROFILE_TRACE_RECORD);
    memcpy(full, f->result.records, bytes);
    for (uint64_t capacity = 0; capacity <= bytes; capacity += capacity < 2048 ? 32 : 1024) {
        run(f, capacity, PROFILE_TRACE_RECORD);
        assert_true(f->result.overflow == (capacity < bytes));
        assert_int_equal(f->result.stored + f->result.lost, all);
        assert_int_equal(f->result.used + f->result.lost_bytes, bytes);
        assert_true(f->result.used <= capacity && f->result.stored >= before);
        assert_true(capacity - f->result.used < f->trace.largest || capacity >= bytes);
        before = f->result.stored;
        for (uint64_t at = 0; at < f->result.used;) {
            uint32_t size = f->trace.layout.blocks[load(full + at)].size;
            /* All but the time, which depends on what was stored before. */
            assert_memory_equal(f->result.records + at, full + at, SONDE_RECORD_TIME);
            assert_memory_equal(f->result.records + at + SONDE_RECORD_HEADER_BYTES,
                                full + at + SONDE_RECORD_HEADER_BYTES,
                                size - SONDE_RECORD_HEADER_BYTES);
            at += size;
        }
    }
    close_fixture(f);
}

static void store(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

/* At the largest limit there is: a full buffer stays as it is, and so does what stands where an
 * offset of 0 would lead. Each thread passes the limit once at most, far from going round. */
static void never_goes_round(void **unused)
{
    (void)unused;
    struct fixture *f = open_fixture(0);
    count_pass(f);
    uint64_t all = f->result.lost, lost = 0;
    memset(f->start, 0, sizeof f->start);
    profile_trace_prepare(&f->trace, f->start, sizeof f->start, PROFILE_TRACE_RECORD);
    store(f->start + PROFILE_CONTROL_LIMIT, PROFILE_TRACE_LIMIT);
    store(f->start + PROFILE_CONTROL_CURSOR, PROFILE_TRACE_LIMIT);
    sonde_rewritten_clear(&f->probe.out);
    probe_run(&f->probe);
    const uint8_t *buffer = machine_surface(f->probe.machine, MACHINE_PROFILE);
    assert_int_equal(load(buffer + PROFILE_CONTROL_OVERFLOW), 1);
    assert_memory_equal(buffer + 4, f->start + 4, PROFILE_CONTROL_CURSOR - 4);
    uint32_t cursor = load(buffer + PROFILE_CONTROL_CURSOR);
    assert_true(cursor > PROFILE_TRACE_LIMIT &&
                cursor <= PROFILE_TRACE_LIMIT + PROBE_THREADS * f->trace.largest);
    for (uint32_t b = 0; b < f->trace.layout.block_count; b++)
        lost += sonde_profile_array_sum(&f->trace.lost, buffer, sizeof f->start, b, 0);
    assert_int_equal(lost, all);
    assert_memory_equal(buffer + f->trace.base, f->start + f->trace.base,
                        PROBE_OWN_ADDRESS - f->trace.base);
    close_fixture(f);
}

/* Every space that was asked for is done at the end, filled or not, and a
 * buffer that was emptied can be filled again. */
static void emptied(void **unused)
{
    (void)unused;
    for (size_t mode = 0; mode < MODE_COUNT; mode++) {
        struct fixture *f = open_drained(mode, true);
        uint64_t bytes = count_pass(f);
        for (uint64_t capacity = 0; capacity <= bytes; capacity += 32 + bytes / 7 / 32 * 32) {
            run(f, capacity, PROFILE_TRACE_DRAIN);
            uint8_t *buffer = machine_surface(f->probe.machine, MACHINE_PROFILE);
            uint32_t cursor = load(buffer + PROFILE_CONTROL_CURSOR);
            assert_int_equal(load(buffer + PROFILE_CONTROL_DONE), cursor - f->trace.base);
            struct profile_drain drain;
            const uint8_t *taken;
            size_t size;
            uint64_t rest;
            assert_int_equal(profile_drain_begin(&f->trace, buffer, f->trace.base + capacity,
                                                 &drain, &f->probe.error),
                             SONDE_OK);
            assert_false(profile_drain_take(&f->trace, &drain, &taken, &size)); /* not shared */
            store(buffer + PROFILE_CONTROL_STATE, PROFILE_TRACE_RUN);
            store(buffer + PROFILE_CONTROL_DONE, cursor - f->trace.base - 32); /* one in flight */
            assert_false(profile_drain_take(&f->trace, &drain, &taken, &size));
            store(buffer + PROFILE_CONTROL_DONE, cursor - f->trace.base);
            assert_true(profile_drain_take(&f->trace, &drain, &taken, &size));
            assert_int_equal(size, f->result.used);
            assert_ptr_equal(taken, buffer + f->trace.base);
            store(buffer + PROFILE_CONTROL_CURSOR, cursor + 32); /* begun meanwhile */
            profile_drain_empty(&f->trace, &drain);
            if (capacity >= bytes + 32)
                assert_int_equal(load(buffer + PROFILE_CONTROL_CURSOR), cursor + 32);
            store(buffer + PROFILE_CONTROL_CURSOR, cursor);
            store(buffer + PROFILE_CONTROL_DONE, cursor - f->trace.base);
            drain.taken = (uint32_t)(f->trace.base + size);
            if (capacity < bytes) /* up to the limit, whatever fits there */
                drain.taken = (uint32_t)(f->trace.base + capacity);
            profile_drain_empty(&f->trace, &drain);
            assert_int_equal(load(buffer + PROFILE_CONTROL_CURSOR), f->trace.base);
            assert_int_equal(load(buffer + PROFILE_CONTROL_DONE), 0);
            assert_int_equal(load(buffer + PROFILE_CONTROL_OVERFLOW), 0);
            for (uint64_t i = 0; i < capacity; i++)
                assert_int_equal(buffer[f->trace.base + i], 0);
            struct profile_trace_result all;
            assert_int_equal(profile_drain_end(&f->trace, &drain, &all, &rest, &f->probe.error),
                             SONDE_OK);
            assert_int_equal(rest, 0);
            assert_int_equal(all.used, f->result.used);
            assert_int_equal(all.stored, f->result.stored);
            assert_int_equal(all.lost, f->result.lost);
            assert_memory_equal(all.visits, f->result.visits,
                                f->trace.layout.block_count * sizeof *all.visits);
            profile_trace_result_clear(&all);
            profile_drain_clear(&drain);
        }
        close_fixture(f);
    }
}

static void refused_points(void **unused)
{
    (void)unused;
    struct fixture *f = open_fixture(0);
    struct sonde_record_layout layout;
    struct sonde_error error;
    const struct sonde_record_point bad[] = {
        {.kind = SONDE_RECORD_MASK, .instruction = 100000},
        {.kind = SONDE_RECORD_ADDRESSES, .instruction = 0},
        {.kind = SONDE_RECORD_REGISTERS, .first = 127, .count = 2},
        {.kind = SONDE_RECORD_REGISTERS, .first = 1, .count = 0},
        {.kind = SONDE_RECORD_KIND_COUNT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(
            sonde_record_layout_make(f->probe.kernel, 32, false, &bad[i], 1, &layout, &error),
            SONDE_ERROR_ARGUMENT);
        assert_null(layout.blocks);
    }
    close_fixture(f);
}

int main(void)
{
    if (!probe_setup())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records),          cmocka_unit_test(overflow),
        cmocka_unit_test(never_goes_round), cmocka_unit_test(emptied),
        cmocka_unit_test(refused_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
