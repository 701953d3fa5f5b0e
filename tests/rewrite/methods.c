/* The code generator's methods against what the host and the emulator know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe.h"
#include "sonde/gen_message.h"

static struct sonde_operand imm(uint64_t value)
{
    return sonde_operand_immediate(value);
}

static void check_addresses(struct probe *p)
{
    sonde_vreg offset = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    sonde_vreg base = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    sonde_vreg address = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    struct sonde_predicate never, always;
    probe_set_flags(p, &never, &always);
    const uint32_t at = 0x1fe00;
    for (unsigned i = 0; i < 8; i++) {
        struct sonde_operand by = i & 1 ? sonde_operand_vreg(offset) : imm(at + 16 * i);
        probe_move(p, offset, imm(at + 16 * i));
        probe_ok(p, sonde_coder_compute_address(p->coder, p->procedure, base, by,
                                                i == 6 ? &always : NULL, &p->error));
        probe_ok(p, sonde_coder_compute_address(p->coder, p->procedure, base, imm(0), &never,
                                                &p->error));
        probe_move(p, offset, imm(8));
        by = i & 2 ? sonde_operand_vreg(offset) : imm(i == 4 ? (uint64_t)-64 : 8);
        probe_ok(p, sonde_coder_compute_rel_address(p->coder, p->procedure, address, base, by, NULL,
                                                    &p->error));
        probe_ok(p, sonde_coder_compute_rel_address(p->coder, p->procedure, address, base, imm(0),
                                                    &never, &p->error));
        probe_ok(p, sonde_coder_atomic_add(p->coder, p->procedure, SONDE_GEN_TYPE_UD, address,
                                           imm(i + 1), NULL, &p->error));
    }
    sonde_vreg chunk = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    probe_ok(p,
             sonde_coder_compute_thread_chunk_offset(p->coder, p->procedure, chunk, PROBE_BUCKETS,
                                                     PROBE_CHUNK, 0, 12, NULL, &p->error));
    probe_store(p, p->procedure, 5, sonde_operand_vreg(chunk));
    probe_run(p);
    for (unsigned i = 0; i < 8; i++) {
        uint32_t got, place = i == 4 ? at : at + 16 * i + 8;
        memcpy(&got, machine_surface(p->machine, MACHINE_PROFILE) + place, sizeof got);
        assert_int_equal(got, (i + 1) * PROBE_THREADS);
    }
    for (uint32_t t = 0; t < PROBE_THREADS; t++)
        assert_int_equal(probe_value(p, t, 5), probe_thread_id(t) * PROBE_CHUNK + 12);
}

static void addresses(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        check_addresses(&p);
        probe_close(&p);
    }
    struct probe p;
    probe_open(&p, PROBE_STATELESS, PROBE_FREE_LIST);
    sonde_vreg small = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    assert_int_equal(
        sonde_coder_compute_address(p.coder, p.procedure, small, imm(0), NULL, &p.error),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_coder_compute_address(p.coder, p.procedure, p.address, imm(1ull << 32),
                                                 NULL, &p.error),
                     SONDE_ERROR_RANGE);
    assert_int_equal(sonde_coder_compute_rel_address(p.coder, p.procedure, p.address, p.address,
                                                     imm(1ull << 31), NULL, &p.error),
                     SONDE_ERROR_RANGE);
    probe_close(&p);
}

static void check_ids(struct probe *p, bool has_ff_tid)
{
    sonde_vreg id = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    struct sonde_predicate never, always;
    probe_set_flags(p, &never, &always);
    probe_ok(p, sonde_coder_get_tid(p->coder, p->procedure, id, NULL, &p->error));
    probe_store(p, p->procedure, 0, sonde_operand_vreg(id));
    probe_ok(p, sonde_coder_get_dss_id(p->coder, p->procedure, id, &always, &p->error));
    probe_store(p, p->procedure, 1, sonde_operand_vreg(id));
    if (has_ff_tid)
        probe_ok(p, sonde_coder_get_ff_tid(p->coder, p->procedure, id, NULL, &p->error));
    probe_store(p, p->procedure, 2, sonde_operand_vreg(id));
    probe_move(p, id, imm(5));
    probe_ok(p, sonde_coder_get_tid(p->coder, p->procedure, id, &never, &p->error));
    probe_ok(p, sonde_coder_get_dss_id(p->coder, p->procedure, id, &never, &p->error));
    probe_ok(p, sonde_coder_load_tile_id(p->coder, p->procedure, id, &never, &p->error));
    probe_store(p, p->procedure, 3, sonde_operand_vreg(id));
    probe_ok(p, sonde_coder_load_tile_id(p->coder, p->procedure, id, NULL, &p->error));
    probe_store(p, p->procedure, 4, sonde_operand_vreg(id));
    assert_false(sonde_coder_is_tile_id_supported(p->coder));
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++) {
        assert_int_equal(probe_value(p, t, 0), probe_thread_id(t));
        assert_int_equal(probe_value(p, t, 1), 0);
        assert_int_equal(probe_value(p, t, 2), has_ff_tid ? t : 0);
        assert_int_equal(probe_value(p, t, 3), 5);
        assert_int_equal(probe_value(p, t, 4), 0);
    }
}

static void ids(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        check_ids(&p, probe_modes[m].registers < PROBE_SPILL);
        probe_close(&p);
    }
}

/* Count threads in the dword of that index behind byte `base`. */
static void count_by(struct probe *p, sonde_vreg index, uint32_t base)
{
    sonde_vreg address = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    struct sonde_operand at = sonde_operand_vreg(index);
    probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MUL, SONDE_GEN_TYPE_UD, at, at,
                                      imm(4), NULL, &p->error));
    probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_ADD, SONDE_GEN_TYPE_UD, at, at,
                                      imm(base), NULL, &p->error));
    probe_ok(p, sonde_coder_compute_address(p->coder, p->procedure, address, at, NULL, &p->error));
    probe_ok(p, sonde_coder_atomic_inc(p->coder, p->procedure, SONDE_GEN_TYPE_UD, address, NULL,
                                       &p->error));
}

/* One execution unit of one thread in each sub-slice, of several slices. */
static void subslices(void **unused)
{
    (void)unused;
    const uint32_t base = 0x8000; /* of thread ids */
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    p.machine->dispatch.threads_per_eu = p.machine->dispatch.eus_per_subslice = 1;
    p.machine->dispatch.slices = 4;
    sonde_vreg id = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    probe_ok(&p, sonde_coder_get_dss_id(p.coder, p.procedure, id, NULL, &p.error));
    count_by(&p, id, 0);
    probe_ok(&p, sonde_coder_get_tid(p.coder, p.procedure, id, NULL, &p.error));
    count_by(&p, id, base);
    probe_run(&p);
    for (uint32_t n = 0; n < 2048; n++) {
        uint32_t by_dss, by_tid, dss = 0, tid = 0;
        const uint8_t *profile = machine_surface(p.machine, MACHINE_PROFILE);
        memcpy(&by_dss, profile + 4 * n, sizeof by_dss);
        memcpy(&by_tid, profile + base + 4 * n, sizeof by_tid);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            uint32_t subslice = t % 3, slice = t / 3 % 4;
            dss += (subslice | slice << 2) == n;
            tid += (subslice << 7 | slice << 9) == n;
        }
        assert_int_equal(by_dss, dss);
        assert_int_equal(by_tid, tid);
    }
    probe_close(&p);
}

/* Flags, address registers and accumulators, live at the point, overwritten. */
static void state(void **unused)
{
    (void)unused;
    static const struct {
        uint8_t number, channels;
    } registers[] = {{SONDE_GEN_ARF_FLAG, 1},
                     {SONDE_GEN_ARF_FLAG | 1, 1},
                     {SONDE_GEN_ARF_ADDRESS, 8},
                     {SONDE_GEN_ARF_ACCUMULATOR, 8},
                     {SONDE_GEN_ARF_ACCUMULATOR | 1, 8},
                     {SONDE_GEN_ARF_ACCUMULATOR | 3, 8}};
    unsigned count = probe_platform() >= SONDE_GEN_PLATFORM_XE ? 6 : 5;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        for (unsigned i = 0; i < count; i++) {
            struct sonde_gen_instruction move;
            uint8_t type = i > 3 ? SONDE_GEN_TYPE_F : SONDE_GEN_TYPE_UD;
            sonde_gen_instruction_init(&move, probe_platform(), SONDE_GEN_MOV,
                                       registers[i].channels, true);
            move.source_count = 1;
            move.dst = (struct sonde_gen_operand){.file = SONDE_GEN_FILE_ARF,
                                                  .type = type,
                                                  .number = registers[i].number,
                                                  .hstride = 1,
                                                  .mme = 0xff,
                                                  .write_mask = 0xf};
            move.src[0] = (struct sonde_gen_operand){.file = SONDE_GEN_FILE_IMMEDIATE,
                                                     .type = type,
                                                     .mme = 0xff,
                                                     .write_mask = 0xf,
                                                     .swizzle = 0xe4,
                                                     .immediate = 0x3c3c3c3c};
            probe_ok(&p, sonde_coder_append_instruction(p.coder, p.procedure, &move, &p.error));
        }
        probe_store(&p, p.procedure, 3, imm(7));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++)
            assert_int_equal(probe_value(&p, t, 3), 7);
        probe_close(&p);
    }
}

static void models(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < 2; m++) {
        struct probe p;
        enum probe_buffer model = m ? PROBE_STATELESS : PROBE_SURFACE;
        probe_open(&p, model, PROBE_FREE_LIST);
        struct sonde_gen_model facts;
        sonde_coder_gen_model(p.coder, &facts);
        assert_int_equal(facts.platform, probe_platform());
        assert_int_equal(facts.grf_size, 32);
        assert_int_equal(facts.maximum_threads, 168);
        assert_int_equal(facts.maximum_tiles, 1);
        uint32_t buckets = facts.maximum_thread_buckets;
        assert_true(buckets >= facts.maximum_threads && (buckets & (buckets - 1)) == 0);
        assert_int_equal(sonde_coder_profile_buffer_addr_model(p.coder), model);
        assert_int_equal(sonde_vreg_profile_buffer_address(p.coder) != 0, m);
        probe_close(&p);
    }
}

/* A procedure of two copies of another does twice what that does. */
static void append_procedures(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        struct sonde_procedure *part = sonde_procedure_create(p.coder, "part");
        probe_address(&p, part, p.address, 8);
        probe_ok(&p, sonde_coder_atomic_add(p.coder, part, SONDE_GEN_TYPE_UD, p.address, imm(21),
                                            NULL, &p.error));
        size_t count = sonde_procedure_instruction_count(part);
        for (unsigned i = 0; i < 2; i++)
            probe_ok(&p, sonde_procedure_append(p.procedure, part, &p.error));
        assert_int_equal(sonde_procedure_instruction_count(p.procedure), 2 * count);
        /* To itself: what it held before, once more. */
        probe_ok(&p, sonde_procedure_append(part, part, &p.error));
        assert_int_equal(sonde_procedure_instruction_count(part), 2 * count);
        struct probe other;
        probe_open(&other, probe_modes[m].buffer, probe_modes[m].registers);
        assert_int_equal(sonde_procedure_append(other.procedure, part, &p.error),
                         SONDE_ERROR_ARGUMENT);
        probe_close(&other);
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++)
            assert_int_equal(probe_value(&p, t, 2), 42);
        struct sonde_procedure_cost cost;
        sonde_procedure_cost(p.procedure, &cost);
        assert_int_equal(cost.places, 1);
        bool saves = probe_modes[m].registers >= PROBE_SPILL;
        assert_true((cost.spills > 0) == saves);
        assert_int_equal(cost.spills, p.out.spills);
        assert_int_equal(cost.buffer_spills, p.out.buffer_spills);
        if (probe_modes[m].registers == PROBE_SPILL_BUFFER)
            assert_int_equal(cost.buffer_spills, cost.spills);
        probe_close(&p);
    }
}

/* Messages of the instrumented code to the profile buffer, as a surface and by
 * address; the kernel has none by address. */
static void count_messages(struct probe *p, unsigned *surface, unsigned *by_address)
{
    *surface = *by_address = 0;
    struct sonde_gen_instruction i = {.size = 0};
    for (uint32_t at = p->out.instrumented_entry; !i.send.end_of_thread;) {
        struct sonde_gen_message message;
        probe_ok(p,
                 sonde_gen_decode(probe_platform(), p->out.code, p->out.size, at, &i, &p->error));
        at += i.size;
        if (sonde_gen_opcode_format((enum sonde_gen_opcode)i.opcode) != SONDE_GEN_FORMAT_SEND ||
            sonde_gen_message_decode(&i, &message, NULL) != SONDE_OK)
            continue;
        *surface +=
            message.address_model == SONDE_GEN_ADDRESS_SURFACE && message.bti == MACHINE_PROFILE;
        *by_address += message.address_model == SONDE_GEN_ADDRESS_A64;
    }
}

/* An address that the buffer holds is read once a thread, or once a procedure
 * where the kernel leaves no register for it. */
static void fetched_addresses(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        unsigned surface, by_address;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        sonde_vreg wide = sonde_vreg_make_scratch(p.coder, SONDE_VREG_QWORD);
        probe_store(&p, p.procedure, 0, imm(77));
        struct sonde_procedure *twice = sonde_procedure_create(p.coder, "twice");
        probe_ok(&p, sonde_coder_operation(p.coder, twice, SONDE_MOV, SONDE_GEN_TYPE_UQ,
                                           sonde_operand_vreg(wide), imm(UINT64_C(1) << 33 | 5),
                                           imm(0), NULL, &p.error));
        probe_address(&p, twice, p.address, 8);
        probe_ok(&p, sonde_coder_atomic_add(p.coder, twice, SONDE_GEN_TYPE_UQ, p.address,
                                            sonde_operand_vreg(wide), NULL, &p.error));
        for (unsigned n = 0; n < 2; n++)
            probe_ok(&p, sonde_instrument_entries(p.instrument, twice, &p.error));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            assert_int_equal(probe_value(&p, t, 0), 77);
            assert_int_equal(probe_value(&p, t, 2), 10);
            assert_int_equal(probe_value(&p, t, 3), 4);
        }
        count_messages(&p, &surface, &by_address);
        bool stateless = probe_modes[m].buffer != PROBE_SURFACE;
        bool saves = probe_modes[m].registers >= PROBE_SPILL;
        assert_true(stateless ? by_address >= 3 : by_address == 0);
        if (stateless && !saves)
            assert_int_equal(surface, probe_modes[m].buffer == PROBE_FETCHED);
        probe_close(&p);
    }
}

/* What procedures must not do. */
static void refused_instructions(void **unused)
{
    (void)unused;
    static const uint8_t registers[] = {SONDE_GEN_ARF_CONTROL, SONDE_GEN_ARF_IP};
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    for (unsigned i = 0; i < 2; i++) {
        struct sonde_gen_instruction move;
        sonde_gen_instruction_init(&move, probe_platform(), SONDE_GEN_MOV, 1, true);
        move.source_count = 1;
        move.dst = (struct sonde_gen_operand){.file = SONDE_GEN_FILE_ARF,
                                              .type = SONDE_GEN_TYPE_UD,
                                              .number = registers[i],
                                              .hstride = 1};
        move.src[0] =
            (struct sonde_gen_operand){.file = SONDE_GEN_FILE_IMMEDIATE, .type = SONDE_GEN_TYPE_UD};
        assert_int_equal(sonde_coder_append_instruction(p.coder, p.procedure, &move, &p.error),
                         SONDE_ERROR_ARGUMENT);
        assert_non_null(
            strstr(p.error.message, i == 0 ? "control register" : "instruction pointer"));
    }
    assert_int_equal(sonde_procedure_instruction_count(p.procedure), 0);
    probe_close(&p);
}

static void refused_options(void **unused)
{
    (void)unused;
    static const struct {
        struct sonde_coder_options options;
        const char *message;
    } cases[] = {
        {{.buffer_model = SONDE_BUFFER_SURFACE}, "number of hardware threads"},
        {{.maximum_threads = 168, .binding_table_index = 240}, "index 240"},
        {{.maximum_threads = 168, .buffer_model = SONDE_BUFFER_STATELESS}, "must be given"},
        {{.maximum_threads = 168,
          .buffer_model = SONDE_BUFFER_STATELESS,
          .buffer_address_byte = 132},
         "multiple of 8"},
        {{.maximum_threads = 168,
          .buffer_model = SONDE_BUFFER_STATELESS,
          .buffer_address_byte = 128 * 32},
         "multiple of 8"},
        {{.maximum_threads = 168,
          .buffer_model = SONDE_BUFFER_STATELESS,
          .buffer_holds_address = true,
          .binding_table_index = 255},
         "index 255"},
        {{.maximum_threads = 168, .buffer_holds_address = true, .buffer_address_offset = 12},
         "byte 12"},
    };
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sonde_instrument *made;
        assert_int_equal(sonde_instrument_create(p.kernel, &cases[i].options, &made, &p.error),
                         SONDE_ERROR_ARGUMENT);
        assert_null(made);
        assert_non_null(strstr(p.error.message, cases[i].message));
    }
    probe_close(&p);
}

int main(int argc, char **argv)
{
    if (!probe_setup_platform(argc, argv))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),
        cmocka_unit_test(ids),
        cmocka_unit_test(subslices),
        cmocka_unit_test(state),
        cmocka_unit_test(models),
        cmocka_unit_test(append_procedures),
        cmocka_unit_test(fetched_addresses),
        cmocka_unit_test(refused_options),
        cmocka_unit_test(refused_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
