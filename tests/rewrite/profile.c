/* Profile arrays: addresses of records in the kernel, records on the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe.h"
#include "sonde/tool.h"

static const struct sonde_profile_array array = {
    .record_size = 16, .records = 5, .buckets = 4, .chunk_size = 128, .base = 64};

/* Adds to dwords of records 1 to 3, named in each way. */
static void append(struct probe *p)
{
    sonde_vreg address = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    sonde_vreg first = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    sonde_vreg record = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    sonde_vreg offset = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    probe_ok(p, sonde_profile_array_compute_address(&array, p->coder, p->procedure, first,
                                                    sonde_operand_immediate(0), 0, &p->error));
    for (uint32_t i = 0; i < 6; i++) {
        struct sonde_operand name = sonde_operand_immediate(1 + i / 2), number = name;
        probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                          sonde_operand_vreg(record), number, number, NULL,
                                          &p->error));
        if (i & 1)
            name = sonde_operand_vreg(record);
        if (i < 2)
            probe_ok(p, sonde_profile_array_compute_address(&array, p->coder, p->procedure, address,
                                                            name, 4, &p->error));
        else if (i < 4)
            probe_ok(p, sonde_profile_array_compute_rel_address(
                            &array, p->coder, p->procedure, address, first, name, 8, &p->error));
        else
            probe_ok(p, sonde_profile_array_compute_offset(&array, p->coder, p->procedure, offset,
                                                           name, 12, &p->error));
        if (i >= 4)
            probe_ok(p, sonde_coder_compute_address(p->coder, p->procedure, address,
                                                    sonde_operand_vreg(offset), NULL, &p->error));
        probe_ok(p,
                 sonde_coder_atomic_add(p->coder, p->procedure, SONDE_GEN_TYPE_UD, address,
                                        sonde_operand_immediate(i & 1 ? 100 : 1), NULL, &p->error));
    }
}

static void records_of_a_run(void **unused)
{
    (void)unused;
    for (unsigned mode = 0; mode < 3; mode++) {
        struct probe p;
        probe_open(&p, mode == 0 ? PROBE_STATELESS : PROBE_SURFACE,
                   mode == 2 ? PROBE_SPILL : PROBE_FREE_LIST);
        append(&p);
        probe_run(&p);
        const uint8_t *buffer = machine_surface(p.machine, MACHINE_PROFILE);
        for (uint32_t bucket = 0; bucket < 4; bucket++) {
            uint32_t record[5][4], threads = 0;
            for (uint32_t t = 0; t < PROBE_THREADS; t++)
                threads += probe_thread_id(t) % 4 == bucket;
            probe_ok(&p, sonde_profile_array_read(&array, buffer, MACHINE_SURFACE_BYTES, bucket, 0,
                                                  5, record, &p.error));
            for (uint32_t r = 0; r < 5; r++)
                for (uint32_t d = 0; d < 4; d++)
                    assert_int_equal(record[r][d], r >= 1 && r <= 3 && d == r ? 101 * threads : 0);
        }
        assert_int_equal(sonde_profile_array_sum(&array, buffer, MACHINE_SURFACE_BYTES, 2, 8),
                         101 * PROBE_THREADS);
        assert_int_equal(sonde_profile_array_compute_address(&array, p.coder, p.procedure,
                                                             p.address, sonde_operand_immediate(5),
                                                             0, &p.error),
                         SONDE_ERROR_ARGUMENT);
        assert_int_equal(sonde_profile_array_compute_offset(&array, p.coder, p.procedure, p.address,
                                                            sonde_operand_immediate(0), 16,
                                                            &p.error),
                         SONDE_ERROR_ARGUMENT);
        probe_close(&p);
    }
}

/* Value i is i + 1 in each thread, in counters or in scratch registers. */
static void make_values(struct probe *p, sonde_vreg *values, uint32_t count, bool lasting)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i % 16 == 0)
            values[i / 16] =
                lasting ? sonde_vreg_make_counter(p->coder, count - i > 8 ? SONDE_VREG_DHWORD
                                                                          : SONDE_VREG_HWORD)
                        : sonde_vreg_make_msg_data_scratch(p->coder, SONDE_VREG_DHWORD);
        struct sonde_operand value = sonde_operand_vreg_at(values[i / 16], i % 16 * 4);
        probe_ok(p, sonde_coder_operation(p->coder, p->procedure, lasting ? SONDE_ADD : SONDE_MOV,
                                          SONDE_GEN_TYPE_UD, value,
                                          lasting ? value : sonde_operand_immediate(i + 1),
                                          sonde_operand_immediate(i + 1), NULL, &p->error));
    }
}

/* Returns the buckets that were used. */
static uint32_t add_values(struct probe *p, bool lasting, uint32_t count, uint32_t buckets,
                           uint32_t chunk)
{
    const uint32_t base = 192;
    sonde_vreg values[2];
    const struct sonde_predicate never = {.flag_subreg = 1},
                                 always = {.flag_subreg = 1, .inverse = true};
    if (count != 0)
        make_values(p, values, count, lasting);
    probe_ok(p, sonde_coder_cmp(p->coder, p->procedure, &never, SONDE_GEN_CONDITION_NZ,
                                SONDE_GEN_TYPE_UD, sonde_operand_immediate(0),
                                sonde_operand_immediate(0), &p->error));
    probe_ok(p, sonde_coder_add_to_buckets(p->coder, p->procedure, count == 0 ? NULL : values,
                                           count == 0 ? 1 : count, buckets, chunk, base, &never,
                                           &p->error));
    probe_ok(p, sonde_coder_add_to_buckets(p->coder, p->procedure, count == 0 ? NULL : values,
                                           count == 0 ? 1 : count, buckets, chunk, base,
                                           count % 2 != 0 ? &always : NULL, &p->error));
    probe_run(p);
    const uint8_t *buffer = machine_surface(p->machine, MACHINE_PROFILE);
    uint32_t sums[32] = {0}, used = 0;
    for (uint32_t at = 0; at < PROBE_OWN_ADDRESS; at += 4) {
        uint32_t value, index = (at - base) % chunk / 4;
        memcpy(&value, buffer + at, 4);
        bool inside = at >= base && at < base + buckets * chunk && index < 32;
        if (!inside)
            assert_int_equal(value, 0);
        else
            sums[index] += value;
        used += inside && index == 0 && value != 0;
    }
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t each = count == 0 && i == 0 ? 1 : i < count ? i + 1 : 0;
        assert_int_equal(sums[i], each * PROBE_THREADS);
    }
    return used;
}

static void buckets_at_once(void **unused)
{
    (void)unused;
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 18, 25};
    static const struct {
        uint32_t buckets, chunk;
    } shapes[] = {{1, 128}, {4, 128}, {32, 128}, {32, 512}, {8, 4096}, {2, 1024}};
    uint32_t most = 0;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (unsigned mode = 0; mode < 3; mode++) {
            struct probe p;
            size_t shape = (c + mode * 2) % (sizeof shapes / sizeof *shapes);
            probe_open(&p, PROBE_SURFACE,
                       mode == 0   ? PROBE_FREE_LIST
                       : mode == 1 ? PROBE_LIVENESS
                                   : PROBE_SPILL);
            uint32_t used =
                add_values(&p, mode != 2, counts[c], shapes[shape].buckets, shapes[shape].chunk);
            probe_close(&p);
            assert_in_range(used, 1, shapes[shape].buckets);
            most = used > most ? used : most;
        }
    assert_true(most > 1);
}

static void bucket_refusals(void **unused)
{
    (void)unused;
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    sonde_vreg good = sonde_vreg_make_counter(p.coder, SONDE_VREG_DHWORD);
    sonde_vreg half = sonde_vreg_make_counter(p.coder, SONDE_VREG_HWORD);
    sonde_vreg inside = sonde_vreg_make_counter(p.coder, SONDE_VREG_DWORD);
    size_t before = sonde_procedure_instruction_count(p.procedure);
    const struct {
        const sonde_vreg *values;
        uint32_t count, buckets, chunk, offset;
        enum sonde_status status;
    } bad[] = {{&good, 0, 4, 64, 0, SONDE_ERROR_ARGUMENT},
               {&good, 16, 3, 64, 0, SONDE_ERROR_ARGUMENT},
               {&good, 16, 4, 96, 0, SONDE_ERROR_ARGUMENT},
               {&good, 16, 4, 32, 0, SONDE_ERROR_ARGUMENT},
               {&half, 9, 4, 64, 0, SONDE_ERROR_ARGUMENT},
               {&inside, 1, 4, 64, 0, SONDE_ERROR_ARGUMENT},
               {NULL, 2, 4, 64, 0, SONDE_ERROR_ARGUMENT},
               {&good, 16, 1u << 16, 1u << 15, 1u << 31, SONDE_ERROR_RANGE}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sonde_coder_add_to_buckets(p.coder, p.procedure, bad[i].values,
                                                    bad[i].count, bad[i].buckets, bad[i].chunk,
                                                    bad[i].offset, NULL, &p.error),
                         bad[i].status);
    assert_int_equal(sonde_procedure_instruction_count(p.procedure), before);
    probe_close(&p);
    probe_open(&p, PROBE_STATELESS, PROBE_FREE_LIST);
    assert_int_equal(
        sonde_coder_add_to_buckets(p.coder, p.procedure, NULL, 1, 4, 64, 0, NULL, &p.error),
        SONDE_ERROR_UNSUPPORTED);
    probe_close(&p);
}

static void host_records(void **unused)
{
    (void)unused;
    uint8_t buffer[64 + 4 * 128], before[sizeof buffer];
    uint8_t record[32], back[32];
    struct sonde_error error;
    memset(buffer, 0xcc, sizeof buffer);
    assert_int_equal(sonde_profile_array_initialize(&array, buffer, sizeof buffer, &error), 0);
    for (size_t i = 0; i < sizeof buffer; i++) {
        bool inside = i >= 64 && (i - 64) % 128 < 80;
        assert_int_equal(buffer[i], inside ? 0 : 0xcc);
    }
    for (unsigned i = 0; i < sizeof record; i++)
        record[i] = (uint8_t)(i + 1);
    assert_int_equal(
        sonde_profile_array_write(&array, buffer, sizeof buffer, 3, 3, 2, record, &error), 0);
    assert_memory_equal(buffer + 64 + 3 * 128 + 3 * 16, record, 32);
    assert_int_equal(sonde_profile_array_read(&array, buffer, sizeof buffer, 3, 3, 2, back, &error),
                     0);
    assert_memory_equal(back, record, 32);
    memcpy(before, buffer, sizeof buffer);
    static const uint32_t bad[][3] = {{4, 0, 1}, {0, 4, 2}, {0, 6, 0}, {0, 1, UINT32_MAX}};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(sonde_profile_array_write(&array, buffer, sizeof buffer, bad[i][0],
                                                   bad[i][1], bad[i][2], record, &error),
                         SONDE_ERROR_ARGUMENT);
        assert_int_equal(sonde_profile_array_read(&array, buffer, sizeof buffer, bad[i][0],
                                                  bad[i][1], bad[i][2], back, &error),
                         SONDE_ERROR_ARGUMENT);
    }
    assert_int_equal(
        sonde_profile_array_write(&array, buffer, 64 + 3 * 128 + 79, 3, 4, 1, record, &error),
        SONDE_ERROR_RANGE);
    assert_int_equal(sonde_profile_array_initialize(&array, buffer, 100, &error),
                     SONDE_ERROR_RANGE);
    assert_memory_equal(before + 64 + 128, buffer + 64 + 128, sizeof buffer - 64 - 128);
}

int main(int argc, char **argv)
{
    if (!probe_setup_platform(argc, argv))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_a_run),
        cmocka_unit_test(buckets_at_once),
        cmocka_unit_test(bucket_refusals),
        cmocka_unit_test(host_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
