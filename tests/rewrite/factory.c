/* The instruction factory against the host's arithmetic. Arguments: the part,
 * and how many rounds of random values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe.h"

static const enum sonde_gen_type types[] = {
    SONDE_GEN_TYPE_UB, SONDE_GEN_TYPE_B, SONDE_GEN_TYPE_UW, SONDE_GEN_TYPE_W,
    SONDE_GEN_TYPE_UD, SONDE_GEN_TYPE_D, SONDE_GEN_TYPE_UQ, SONDE_GEN_TYPE_Q,
};

static unsigned rounds = 1;

static uint64_t random64(uint64_t *state)
{
    static const uint64_t special[] = {0,          1,          UINT64_MAX, 1ull << 63,
                                       1ull << 31, UINT32_MAX, 0xffff};
    if (machine_random(state) % 4 == 0)
        return special[machine_random(state) % 7];
    return (uint64_t)machine_random(state) << 32 | machine_random(state);
}

static uint64_t narrow(uint64_t value, unsigned size)
{
    return size == 8 ? value : value & ((1ull << 8 * size) - 1);
}

static int64_t extend(uint64_t value, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    return (int64_t)(value << shift) >> shift;
}

static uint64_t expected(enum sonde_operation operation, enum sonde_gen_type type, uint64_t a,
                         uint64_t b)
{
    unsigned size = sonde_gen_type_size(type);
    bool is_signed = sonde_gen_type_is_signed(type);
    switch (operation) {
    case SONDE_MOV:
        return a;
    case SONDE_ADD:
        return a + b;
    case SONDE_SUB:
        return a - b;
    case SONDE_MUL:
        return a * b;
    case SONDE_SHL:
        return a << b;
    case SONDE_SHR:
        return is_signed ? (uint64_t)(extend(a, size) >> b) : narrow(a, size) >> b;
    case SONDE_AND:
        return a & b;
    case SONDE_OR:
        return a | b;
    case SONDE_XOR:
        return a ^ b;
    case SONDE_NOT:
        return ~a;
    default:
        return (uint64_t)__builtin_popcountll(narrow(a, size));
    }
}

static bool has_type(enum sonde_operation operation, enum sonde_gen_type type)
{
    if (operation == SONDE_MUL)
        return sonde_gen_type_size(type) > 1;
    return operation != SONDE_CBIT || !sonde_gen_type_is_signed(type);
}

static struct sonde_operand none(void)
{
    return sonde_operand_immediate(0);
}

static void load(struct probe *p, sonde_vreg vreg, uint64_t value)
{
    probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UQ,
                                      sonde_operand_vreg(vreg), sonde_operand_immediate(value),
                                      none(), NULL, &p->error));
}

/* Operands in registers or immediates, the destination apart or one of them. */
static void check_operations(struct probe *p, enum sonde_gen_type type, uint64_t *state)
{
    sonde_vreg va = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    sonde_vreg vb = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    sonde_vreg vd = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    uint64_t want[SONDE_OPERATION_COUNT * 4];
    unsigned count = 0, size = sonde_gen_type_size(type);
    for (unsigned o = 0; o < SONDE_OPERATION_COUNT; o++) {
        enum sonde_operation operation = (enum sonde_operation)o;
        for (unsigned form = 0; form < 4 && has_type(operation, type); form++) {
            bool shift = operation == SONDE_SHL || operation == SONDE_SHR;
            uint64_t a = random64(state), b = random64(state);
            if (shift)
                b = machine_random(state) % (8 * (size < 4 ? size : size));
            sonde_vreg dst = form == 3 ? va : vd;
            load(p, va, a);
            load(p, vb, b);
            load(p, vd, 0);
            struct sonde_operand first =
                form == 2 ? sonde_operand_immediate(a) : sonde_operand_vreg(va);
            struct sonde_operand second =
                form == 1 ? sonde_operand_immediate(b) : sonde_operand_vreg(vb);
            probe_ok(p, sonde_coder_operation(p->coder, p->procedure, operation, type,
                                              sonde_operand_vreg(dst), first, second, NULL,
                                              &p->error));
            unsigned result = operation == SONDE_CBIT ? 4 : size;
            uint64_t kept = form == 3 ? a : 0;
            want[count] = narrow(expected(operation, type, a, b), result) |
                          (result == 8 ? 0 : kept >> 8 * result << 8 * result);
            probe_store(p, p->procedure, 2 * count, sonde_operand_vreg(dst));
            probe_store(p, p->procedure, 2 * count + 1, sonde_operand_vreg_at(dst, 4));
            count++;
        }
    }
    probe_run(p);
    assert_true(count * 8 <= PROBE_CHUNK);
    for (uint32_t t = 0; t < PROBE_THREADS; t++)
        for (unsigned i = 0; i < count; i++) {
            uint64_t got = probe_value(p, t, 2 * i) | (uint64_t)probe_value(p, t, 2 * i + 1) << 32;
            if (got != want[i])
                fail_msg("type %s, case %u: 0x%llx, not 0x%llx", sonde_gen_type_name(type), i,
                         (unsigned long long)got, (unsigned long long)want[i]);
        }
}

static void operations(void **unused)
{
    (void)unused;
    uint64_t state = 20251;
    for (unsigned m = 0; m < rounds * PROBE_MODE_COUNT; m++)
        for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
            struct probe p;
            probe_open(&p, probe_modes[m % PROBE_MODE_COUNT].buffer,
                       probe_modes[m % PROBE_MODE_COUNT].registers);
            check_operations(&p, types[t], &state);
            probe_close(&p);
        }
}

static void check_carry(unsigned mode, uint64_t *state)
{
    struct probe p;
    probe_open(&p, probe_modes[mode].buffer, probe_modes[mode].registers);
    struct sonde_predicate never = {.flag_number = 0, .flag_subreg = 1};
    sonde_vreg value = sonde_vreg_make_scratch(p.coder, SONDE_VREG_QWORD);
    sonde_vreg sum = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    sonde_vreg carry = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    uint64_t want[8];
    for (unsigned i = 0; i < 8; i++) {
        uint32_t a = (uint32_t)random64(state), b = (uint32_t)random64(state);
        want[i] = (uint64_t)a + b;
        load(&p, value, (uint64_t)b << 32 | a);
        struct sonde_operand x = sonde_operand_vreg(value), y = sonde_operand_vreg_at(value, 4);
        if (i % 3 == 1)
            y = sonde_operand_immediate(b);
        if (i % 3 == 2)
            x = sonde_operand_immediate(a);
        probe_ok(&p, sonde_coder_addc(p.coder, p.procedure, sonde_operand_vreg(sum),
                                      sonde_operand_vreg(carry), x, y, NULL, &p.error));
        probe_ok(&p, sonde_coder_cmp(p.coder, p.procedure, &never, SONDE_GEN_CONDITION_NZ,
                                     SONDE_GEN_TYPE_UD, sonde_operand_vreg(sum),
                                     sonde_operand_vreg(sum), &p.error));
        probe_ok(&p,
                 sonde_coder_addc(p.coder, p.procedure, sonde_operand_vreg(sum),
                                  sonde_operand_vreg(carry), sonde_operand_immediate(UINT32_MAX),
                                  sonde_operand_immediate(5), &never, &p.error));
        probe_store(&p, p.procedure, 2 * i, sonde_operand_vreg(sum));
        probe_store(&p, p.procedure, 2 * i + 1, sonde_operand_vreg(carry));
    }
    probe_run(&p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++)
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(probe_value(&p, t, 2 * i), (uint32_t)want[i]);
            assert_int_equal(probe_value(&p, t, 2 * i + 1), want[i] >> 32);
        }
    probe_close(&p);
}

static void add_with_carry(void **unused)
{
    (void)unused;
    uint64_t state = 99;
    for (unsigned m = 0; m < rounds * PROBE_MODE_COUNT; m++)
        check_carry(m % PROBE_MODE_COUNT, &state);
}

static bool compare(enum sonde_gen_condition condition, bool is_signed, unsigned size, uint64_t a,
                    uint64_t b)
{
    int order = is_signed
                    ? (extend(a, size) > extend(b, size)) - (extend(a, size) < extend(b, size))
                    : (narrow(a, size) > narrow(b, size)) - (narrow(a, size) < narrow(b, size));
    switch (condition) {
    case SONDE_GEN_CONDITION_Z:
        return order == 0;
    case SONDE_GEN_CONDITION_NZ:
        return order != 0;
    case SONDE_GEN_CONDITION_G:
        return order > 0;
    case SONDE_GEN_CONDITION_GE:
        return order >= 0;
    case SONDE_GEN_CONDITION_L:
        return order < 0;
    default:
        return order <= 0;
    }
}

/* cmp into each flag, sel and a predicated operation on it. */
static void check_comparisons(struct probe *p, enum sonde_gen_type type, uint64_t *state)
{
    unsigned size = sonde_gen_type_size(type), count = 0;
    sonde_vreg va = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    sonde_vreg vb = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    sonde_vreg vd = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    bool want[64];
    for (unsigned c = SONDE_GEN_CONDITION_Z; c <= SONDE_GEN_CONDITION_LE; c++)
        for (unsigned form = 0; form < 4; form++) {
            /* An immediate with its upper half set, too. */
            uint64_t a = random64(state), b = form == 3 ? a : random64(state);
            if (form == 1 && c % 2 != 0)
                b = UINT64_MAX - (uint32_t)random64(state) / 2;
            struct sonde_predicate flag = {.flag_number = (uint8_t)(form >> 1),
                                           .flag_subreg = (uint8_t)(form & 1)};
            load(p, va, a);
            load(p, vb, b);
            load(p, vd, 7);
            struct sonde_operand x =
                form == 2 ? sonde_operand_immediate(a) : sonde_operand_vreg(va);
            struct sonde_operand y =
                form == 1 ? sonde_operand_immediate(b) : sonde_operand_vreg(vb);
            enum sonde_gen_condition condition = (enum sonde_gen_condition)c;
            probe_ok(p, sonde_coder_cmp(p->coder, p->procedure, &flag, condition, type, x, y,
                                        &p->error));
            want[count] = compare(condition, sonde_gen_type_is_signed(type), size, a, b);
            probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_ADD, SONDE_GEN_TYPE_UD,
                                              sonde_operand_vreg(vd), sonde_operand_vreg(vd),
                                              sonde_operand_immediate(1), &flag, &p->error));
            flag.inverse = true;
            probe_ok(p, sonde_coder_sel(p->coder, p->procedure, &flag, SONDE_GEN_TYPE_UD,
                                        sonde_operand_vreg_at(vd, 4), sonde_operand_immediate(50),
                                        sonde_operand_immediate(60), &p->error));
            probe_store(p, p->procedure, 3 * count, sonde_operand_vreg(vd));
            probe_store(p, p->procedure, 3 * count + 1, sonde_operand_vreg_at(vd, 4));
            struct sonde_operand bits = sonde_operand_arf(
                (uint8_t)(SONDE_GEN_ARF_FLAG | flag.flag_number), 2u * flag.flag_subreg);
            load(p, vd, 0);
            probe_ok(p,
                     sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UW,
                                           sonde_operand_vreg(vd), bits, none(), NULL, &p->error));
            probe_store(p, p->procedure, 3 * count + 2, sonde_operand_vreg(vd));
            count++;
        }
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++)
        for (unsigned i = 0; i < count; i++) {
            assert_int_equal(probe_value(p, t, 3 * i), want[i] ? 8 : 7);
            assert_int_equal(probe_value(p, t, 3 * i + 1), want[i] ? 60 : 50);
            assert_int_equal(probe_value(p, t, 3 * i + 2), want[i] ? 0xffff : 0);
        }
}

static void comparisons(void **unused)
{
    (void)unused;
    uint64_t state = 4711;
    for (unsigned m = 0; m < rounds * PROBE_MODE_COUNT; m++)
        for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
            struct probe p;
            probe_open(&p, probe_modes[m % PROBE_MODE_COUNT].buffer,
                       probe_modes[m % PROBE_MODE_COUNT].registers);
            check_comparisons(&p, types[t], &state);
            probe_close(&p);
        }
}

/* Counters shared by all threads, 32 and 64 bits with carries; once a thread. */
static void check_atomics(struct probe *p)
{
    uint64_t addend = 0x1234567f0000000ull;
    sonde_vreg data = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    sonde_vreg address = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    struct sonde_predicate never = {.flag_number = 0, .inverse = false};
    const uint32_t base = 0x1fe00; /* no thread's chunk */
    load(p, data, addend);
    probe_ok(p, sonde_coder_cmp(p->coder, p->procedure, &never, SONDE_GEN_CONDITION_NZ,
                                SONDE_GEN_TYPE_UD, sonde_operand_vreg(data),
                                sonde_operand_vreg(data), &p->error));
    for (uint32_t i = 0; i < 12; i++) {
        enum sonde_gen_type type = i % 2 == 0 ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UQ;
        const struct sonde_predicate *predicate = i < 6 ? NULL : &never;
        probe_ok(p, sonde_coder_compute_address(p->coder, p->procedure, address,
                                                sonde_operand_immediate(base + 8 * i), NULL,
                                                &p->error));
        struct sonde_operand value =
            i % 6 == 4 ? sonde_operand_immediate(0x80000005) : sonde_operand_vreg(data);
        if (i % 6 < 2)
            probe_ok(p, sonde_coder_atomic_inc(p->coder, p->procedure, type, address, predicate,
                                               &p->error));
        else if (i % 6 < 4)
            probe_ok(p, sonde_coder_atomic_add(p->coder, p->procedure, type, address, value,
                                               predicate, &p->error));
        else
            probe_ok(p, sonde_coder_atomic_store(p->coder, p->procedure, type, address, value,
                                                 predicate, &p->error));
    }
    probe_run(p);
    const uint64_t want[6] = {
        PROBE_THREADS,          PROBE_THREADS, (uint32_t)(addend * PROBE_THREADS),
        addend * PROBE_THREADS, 0x80000005,    addend};
    for (uint32_t i = 0; i < 12; i++) {
        uint64_t got;
        memcpy(&got, machine_surface(p->machine, MACHINE_PROFILE) + base + 8 * i, sizeof got);
        if (got != (i < 6 ? want[i] : 0))
            fail_msg("atomic %u: 0x%llx", i, (unsigned long long)got);
    }
}

static void atomics(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        bool wide = probe_modes[m].buffer != PROBE_SURFACE;
        assert_true(sonde_coder_can_access_atomically(p.coder, SONDE_GEN_TYPE_UD));
        assert_true(sonde_coder_can_access_atomically(p.coder, SONDE_GEN_TYPE_UQ) == wide);
        check_atomics(&p);
        probe_close(&p);
    }
}

/* Each thread finds a sum of what some others added; in registers as large as
 * the response and in smaller ones. */
static void fetched_sums(void **unused)
{
    (void)unused;
    const uint32_t at = 0x1fe00; /* no thread's chunk */
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        struct sonde_predicate never = {.flag_number = 0, .flag_subreg = 1};
        sonde_vreg large = sonde_vreg_make_scratch(p.coder, SONDE_VREG_GRF);
        sonde_vreg small = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        const sonde_vreg olds[2] = {large, small};
        sonde_vreg address = sonde_vreg_make_scratch(p.coder, SONDE_VREG_PTR);
        for (uint32_t i = 0; i < 2; i++) {
            struct sonde_operand old = sonde_operand_vreg(olds[i]);
            probe_ok(&p, sonde_coder_compute_address(p.coder, p.procedure, address,
                                                     sonde_operand_immediate(at + 8 * i), NULL,
                                                     &p.error));
            /* The data stands where the old value comes to stand. */
            probe_ok(&p,
                     sonde_coder_operation(p.coder, p.procedure, SONDE_MOV, SONDE_GEN_TYPE_UD, old,
                                           sonde_operand_immediate(11), none(), NULL, &p.error));
            probe_ok(&p, sonde_coder_atomic_fetch_add(p.coder, p.procedure, address, old, olds[i],
                                                      NULL, &p.error));
            probe_ok(&p, sonde_coder_cmp(p.coder, p.procedure, &never, SONDE_GEN_CONDITION_NZ,
                                         SONDE_GEN_TYPE_UD, old, old, &p.error));
            probe_ok(&p, sonde_coder_atomic_fetch_add(p.coder, p.procedure, address,
                                                      sonde_operand_immediate(1), olds[i], &never,
                                                      &p.error));
            probe_store(&p, p.procedure, i, old);
        }
        sonde_vreg word = sonde_vreg_make_scratch(p.coder, SONDE_VREG_WORD);
        assert_int_equal(sonde_coder_atomic_fetch_add(p.coder, p.procedure, address, none(), word,
                                                      NULL, &p.error),
                         SONDE_ERROR_ARGUMENT);
        probe_run(&p);
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t total, seen = 0;
            memcpy(&total, machine_surface(p.machine, MACHINE_PROFILE) + at + 8 * i, sizeof total);
            assert_int_equal(total, 11 * PROBE_THREADS);
            for (uint32_t t = 0; t < PROBE_THREADS; t++) {
                uint32_t old = probe_value(&p, t, i);
                assert_true(old % 11 == 0 && old < total && (seen >> old / 11 & 1) == 0);
                seen |= 1u << old / 11;
            }
        }
        probe_close(&p);
    }
}

/* Counters: zero at the entry, kept from there to the exit, not scratch. */
static void counters(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        sonde_vreg word = sonde_vreg_make_counter(p.coder, SONDE_VREG_WORD);
        sonde_vreg wide = sonde_vreg_make_counter(p.coder, SONDE_VREG_DHWORD);
        struct sonde_operand last = sonde_operand_vreg_at(wide, 56);
        struct sonde_procedure *flush = sonde_procedure_create(p.coder, "flush");
        struct sonde_operand values[2] = {sonde_operand_vreg(word), last};
        probe_ok(&p, sonde_coder_operation(p.coder, p.procedure, SONDE_ADD, SONDE_GEN_TYPE_UW,
                                           values[0], values[0], sonde_operand_immediate(3), NULL,
                                           &p.error));
        probe_ok(&p, sonde_coder_operation(p.coder, p.procedure, SONDE_SUB, SONDE_GEN_TYPE_UQ, last,
                                           last, sonde_operand_immediate(5), NULL, &p.error));
        if (probe_modes[m].registers >= PROBE_SPILL) {
            assert_int_equal(sonde_coder_reserve(p.coder, p.procedure, &p.error),
                             SONDE_ERROR_NO_REGISTER);
            assert_non_null(strstr(p.error.message, "for the whole kernel"));
            probe_close(&p);
            continue;
        }
        probe_ok(&p, sonde_coder_reserve(p.coder, p.procedure, &p.error));
        sonde_vreg copy = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        probe_ok(&p,
                 sonde_coder_operation(p.coder, flush, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                       sonde_operand_vreg(copy), none(), none(), NULL, &p.error));
        probe_ok(&p, sonde_coder_operation(p.coder, flush, SONDE_MOV, SONDE_GEN_TYPE_UW,
                                           sonde_operand_vreg(copy), values[0], none(), NULL,
                                           &p.error));
        probe_store(&p, flush, 0, sonde_operand_vreg(copy));
        probe_store(&p, flush, 1, last);
        probe_store(&p, flush, 2, sonde_operand_vreg_at(wide, 60));
        probe_store(&p, flush, 3, sonde_operand_vreg(wide));
        probe_ok(&p, sonde_instrument_exits(p.instrument, flush, &p.error));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            assert_int_equal(probe_value(&p, t, 0), 3);
            assert_int_equal(probe_value(&p, t, 1), (uint32_t)-5);
            assert_int_equal(probe_value(&p, t, 2), UINT32_MAX);
            assert_int_equal(probe_value(&p, t, 3), 0);
        }
        struct sonde_procedure_cost cost;
        sonde_procedure_cost(flush, &cost);
        assert_int_equal(cost.places, 1);
        assert_true(cost.instructions >= 6 && cost.bytes == 16 * cost.instructions);
        assert_true(cost.register_bytes >= 4 && cost.spills == 0);
        probe_close(&p);
    }
}

/* Of each type: zero at the entry, all of it, and one a thread. */
static void counters_of_all_types(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_FIRST_FILLED; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        struct sonde_procedure *flush = sonde_procedure_create(p.coder, "flush");
        sonde_vreg copy = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        uint32_t slot = 0;
        for (unsigned type = SONDE_VREG_BYTE; type <= SONDE_VREG_GRF; type++) {
            sonde_vreg counter = sonde_vreg_make_counter(p.coder, (enum sonde_vreg_type)type);
            uint32_t size = sonde_vreg_size(p.coder, counter);
            struct sonde_operand last = sonde_operand_vreg_at(counter, size - 1);
            probe_ok(&p, sonde_coder_operation(p.coder, p.procedure, SONDE_ADD, SONDE_GEN_TYPE_UB,
                                               last, last, sonde_operand_immediate(3 + type), NULL,
                                               &p.error));
            for (uint32_t at = size - 1;; at /= 2) { /* the last byte, some, the first one */
                probe_ok(&p, sonde_coder_operation(p.coder, flush, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                                   sonde_operand_vreg(copy), none(), none(), NULL,
                                                   &p.error));
                probe_ok(&p, sonde_coder_operation(p.coder, flush, SONDE_MOV, SONDE_GEN_TYPE_UB,
                                                   sonde_operand_vreg(copy),
                                                   sonde_operand_vreg_at(counter, at), none(), NULL,
                                                   &p.error));
                probe_store(&p, flush, slot++, sonde_operand_vreg(copy));
                if (at == 0)
                    break;
            }
        }
        probe_ok(&p, sonde_instrument_exits(p.instrument, flush, &p.error));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            slot = 0;
            for (unsigned type = SONDE_VREG_BYTE; type <= SONDE_VREG_GRF; type++) {
                sonde_vreg same = sonde_vreg_make_scratch(p.coder, (enum sonde_vreg_type)type);
                uint32_t last = sonde_vreg_size(p.coder, same) - 1;
                for (uint32_t at = last;; at /= 2) {
                    assert_int_equal(probe_value(&p, t, slot++), at == last ? 3 + type : 0);
                    if (at == 0)
                        break;
                }
            }
        }
        probe_close(&p);
    }
}

static void vregs(void **unused)
{
    (void)unused;
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 4, 32, 128};
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    for (unsigned t = 0; t < 10; t++) {
        sonde_vreg vreg = sonde_vreg_make(p.coder, (enum sonde_vreg_type)t, SONDE_VREG_FLAG_NONE);
        assert_true(sonde_vreg_exists(p.coder, vreg));
        assert_int_equal(sonde_vreg_size(p.coder, vreg), sizes[t]);
        assert_int_equal(sonde_vreg_type_of(p.coder, vreg), t);
        assert_int_equal(sonde_vreg_flags(p.coder, vreg), SONDE_VREG_FLAG_SCRATCH);
    }
    assert_int_equal(sonde_vreg_make(p.coder, (enum sonde_vreg_type)10, 0), 0);
    assert_int_equal(sonde_vreg_make(p.coder, SONDE_VREG_DWORD, 1), 0);
    assert_int_equal(sonde_vreg_make(p.coder, SONDE_VREG_DWORD,
                                     SONDE_VREG_FLAG_COUNTER | SONDE_VREG_FLAG_SCRATCH),
                     0);
    assert_false(sonde_vreg_exists(p.coder, 0) || sonde_vreg_exists(p.coder, 10000));
    assert_int_equal(sonde_vreg_profile_buffer_address(p.coder), 0);
    probe_close(&p);
}

int main(int argc, char **argv)
{
    if (!probe_setup_platform(argc, argv))
        return 77;
    if (argc > 2)
        rounds = (unsigned)strtoul(argv[2], NULL, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vregs),          cmocka_unit_test(operations),
        cmocka_unit_test(add_with_carry), cmocka_unit_test(comparisons),
        cmocka_unit_test(atomics),        cmocka_unit_test(counters),
        cmocka_unit_test(fetched_sums),   cmocka_unit_test(counters_of_all_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
