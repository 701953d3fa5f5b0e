/* Methods that move the kernel's registers: ranges of any length, addresses of
 * messages of several registers, under predicates; and thread chunks. */
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

static void move(struct probe *p, sonde_vreg dst, uint32_t byte, struct sonde_operand source)
{
    probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                      sonde_operand_vreg_at(dst, byte), source, source, NULL,
                                      &p->error));
}

/* f1.1 = never, f0.1 = always. */
static const struct sonde_predicate never = {.flag_number = 1, .flag_subreg = 1};
static const struct sonde_predicate always = {.flag_number = 0, .flag_subreg = 1};

static void set_flags(struct probe *p)
{
    sonde_vreg zero = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    move(p, zero, 0, imm(0));
    probe_ok(p, sonde_coder_cmp(p->coder, p->procedure, &never, SONDE_GEN_CONDITION_NZ,
                                SONDE_GEN_TYPE_UD, sonde_operand_vreg(zero), imm(0), &p->error));
    probe_ok(p, sonde_coder_cmp(p->coder, p->procedure, &always, SONDE_GEN_CONDITION_Z,
                                SONDE_GEN_TYPE_UD, sonde_operand_vreg(zero), imm(0), &p->error));
}

/* Every lane of rN holds r0.5 + N; r11 is a copy of r0, stored first. */
static void assert_filled(struct probe *p, uint32_t t, uint32_t dword, uint32_t number)
{
    for (uint32_t lane = 0; lane < 8; lane++)
        assert_int_equal(probe_value(p, t, dword + lane), probe_value(p, t, 5) + number);
}

static void store(struct probe *p, uint32_t first, uint32_t count,
                  const struct sonde_predicate *predicate)
{
    probe_ok(p, sonde_coder_store_reg_range(p->coder, p->procedure, p->address, first, count,
                                            predicate, &p->error));
}

/* 7 registers are blocks of 4, 2 and 1. */
static void stored_ranges(void **unused)
{
    (void)unused;
    for (size_t m = PROBE_FIRST_FILLED; m < PROBE_MODE_COUNT; m++)
        for (uint32_t count = 1; count <= 9; count++) {
            struct probe p;
            probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
            set_flags(&p);
            probe_address(&p, p.procedure, p.address, 0);
            store(&p, 11, 1, NULL);
            store(&p, 60, count, &never);
            store(&p, 29, count, &always);
            store(&p, 50, 1, NULL); /* the address moved on by count registers */
            probe_run(&p);
            for (uint32_t t = 0; t < PROBE_THREADS; t++) {
                for (uint32_t n = 0; n < count; n++)
                    assert_filled(&p, t, 8 + 8 * n, 29 + n);
                assert_filled(&p, t, 8 + 8 * count, 50);
                assert_int_equal(probe_value(&p, t, 16 + 8 * count), 0);
            }
            probe_close(&p);
        }
}

/* Registers that nobody else uses: a pattern in memory to r90.. and out again. */
static void loaded_ranges(void **unused)
{
    (void)unused;
    for (size_t m = 0; m < PROBE_FIRST_FILLED; m++)
        for (uint32_t count = 1; count <= 7; count += 2) {
            struct probe p;
            probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
            static uint32_t pattern[PROBE_BUCKETS * PROBE_CHUNK / 4];
            for (size_t i = 0; i < sizeof pattern / 4; i++)
                pattern[i] = i % (PROBE_CHUNK / 4) < 64 ? 0x5a000000u + (uint32_t)i : 0;
            p.profile = (const uint8_t *)pattern;
            p.profile_size = sizeof pattern;
            set_flags(&p);
            probe_address(&p, p.procedure, p.address, 0);
            probe_ok(&p, sonde_coder_load_reg_range(p.coder, p.procedure, p.address, 90, count,
                                                    &always, &p.error));
            probe_ok(&p, sonde_coder_load_reg_range(p.coder, p.procedure, p.address, 90, count,
                                                    &never, &p.error));
            /* Behind what was loaded stands dword 8 * count. */
            sonde_vreg next = sonde_vreg_make_msg_data_scratch(p.coder, SONDE_VREG_HWORD);
            probe_ok(&p, sonde_coder_load_mem_block(p.coder, p.procedure, p.address, next, 16, NULL,
                                                    &p.error));
            probe_address(&p, p.procedure, p.address, 256);
            store(&p, 90, count, NULL);
            probe_store(&p, p.procedure, 127, sonde_operand_vreg(next));
            probe_run(&p);
            for (uint32_t t = 0; t < PROBE_THREADS; t++) {
                uint32_t base = 0x5a000000u + probe_thread_id(t) * (PROBE_CHUNK / 4);
                for (uint32_t n = 0; n < 8 * count; n++)
                    assert_int_equal(probe_value(&p, t, 64 + n), base + n);
                assert_int_equal(probe_value(&p, t, 127), base + 8 * count);
            }
            probe_close(&p);
        }
}

struct payload {
    uint8_t sfid, exec_size, registers;
    uint32_t descriptor;
};

/* Addresses of 64 bits for 16 channels are four registers. */
static const struct payload data_port[] = {
    {SONDE_GEN_SFID_DC1, 8, 1, 1u << 25 | 1u << 20 | 1u << 14 | 2u << 12 | 0xeu << 8 | 1},
    {SONDE_GEN_SFID_DC1, 16, 2, 2u << 25 | 2u << 20 | 1u << 14 | 1u << 12 | 0xeu << 8 | 1},
    {SONDE_GEN_SFID_DC1, 8, 2, 2u << 25 | 1u << 20 | 0x11u << 14 | 2u << 12 | 0xeu << 8 | 0xff},
    {SONDE_GEN_SFID_DC1, 16, 4, 4u << 25 | 2u << 20 | 0x11u << 14 | 1u << 12 | 0xeu << 8 | 0xff},
};

static const struct payload load_store_cache[] = {
    {SONDE_GEN_SFID_UGM, 8, 2, 2u << 25 | 1u << 20 | 2u << 9 | 3u << 7},
    {SONDE_GEN_SFID_UGM, 16, 4, 4u << 25 | 2u << 20 | 2u << 9 | 3u << 7},
    {SONDE_GEN_SFID_UGM, 16, 2, 2u << 25 | 2u << 20 | 2u << 9 | 2u << 7},
    {SONDE_GEN_SFID_UGM, 16, 4, 4u << 25 | 4u << 20 | 3u << 9 | 3u << 7}, /* of qwords */
};

static void make_message(const struct payload *from, struct sonde_gen_instruction *send)
{
    sonde_gen_instruction_init(send, probe_platform(), SONDE_GEN_SEND, from->exec_size, false);
    bool xe = probe_platform() >= SONDE_GEN_PLATFORM_XE;
    send->source_count = xe ? 2 : 1;
    send->send.sfid = from->sfid;
    send->send.descriptor = from->descriptor;
    send->send.ex_descriptor = xe ? 0 : from->sfid;
    send->dst = (struct sonde_gen_operand){
        .file = SONDE_GEN_FILE_GRF, .number = 100, .type = SONDE_GEN_TYPE_UD, .hstride = 1};
    send->src[0] = (struct sonde_gen_operand){
        .file = SONDE_GEN_FILE_GRF, .number = 33, .type = SONDE_GEN_TYPE_UD, .width = 1};
    if (xe)
        send->src[1] =
            (struct sonde_gen_operand){.file = SONDE_GEN_FILE_ARF, .number = SONDE_GEN_ARF_NULL};
}

static void message_payloads(void **unused)
{
    (void)unused;
    bool cache = probe_platform() >= SONDE_GEN_PLATFORM_XEHPG;
    const struct payload *payloads = cache ? load_store_cache : data_port;
    for (size_t m = PROBE_FIRST_FILLED; m < PROBE_MODE_COUNT; m++)
        for (size_t i = 0; i < 4; i++) {
            struct probe p;
            struct sonde_gen_instruction send;
            make_message(&payloads[i], &send);
            probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
            assert_int_equal(sonde_coder_payload_address_registers(&send), payloads[i].registers);
            set_flags(&p);
            probe_address(&p, p.procedure, p.address, 0);
            store(&p, 11, 1, NULL);
            const struct sonde_predicate *predicates[] = {&never, NULL, &always};
            for (unsigned n = 0; n < 3; n++)
                probe_ok(&p, sonde_coder_store_payload_addresses(p.coder, p.procedure, p.address,
                                                                 &send, predicates[n], &p.error));
            probe_run(&p);
            for (uint32_t t = 0; t < PROBE_THREADS; t++)
                for (uint32_t n = 0; n < 2u * payloads[i].registers; n++)
                    assert_filled(&p, t, 8 + 8 * n, 33 + n % payloads[i].registers);
            probe_close(&p);
        }
}

static void no_payload(void **unused)
{
    (void)unused;
    struct probe p;
    struct sonde_gen_instruction send;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    assert_int_equal(
        sonde_coder_store_payload_addresses(p.coder, p.procedure, p.address, NULL, NULL, &p.error),
        SONDE_ERROR_ARGUMENT);
    make_message(probe_platform() >= SONDE_GEN_PLATFORM_XEHPG ? load_store_cache : data_port,
                 &send);
    send.src[0].indirect = true;
    assert_int_equal(sonde_coder_payload_address_registers(&send), 0);
    assert_int_equal(
        sonde_coder_store_payload_addresses(p.coder, p.procedure, p.address, &send, NULL, &p.error),
        SONDE_ERROR_ARGUMENT);
    assert_non_null(strstr(p.error.message, "known registers"));
    probe_close(&p);
}

/* Fewer buckets than threads share them; one bucket is a constant. */
static void thread_chunks(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t buckets, chunk, base, inside;
    } cases[] = {{1, 64, 0, 8}, {4, 256, 0x400, 20}, {16, 32, 96, 4}, {256, 64, 128, 60}};
    for (size_t m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        sonde_vreg offset = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        sonde_vreg address = sonde_vreg_make_scratch(p.coder, SONDE_VREG_PTR);
        for (unsigned c = 0; c < 4; c++) {
            probe_ok(&p, sonde_coder_compute_thread_chunk_offset(
                             p.coder, p.procedure, offset, cases[c].buckets, cases[c].chunk,
                             cases[c].base, cases[c].inside, NULL, &p.error));
            probe_store(&p, p.procedure, c, sonde_operand_vreg(offset));
        }
        /* Under predicates. */
        set_flags(&p);
        for (unsigned c = 0; c < 4; c++) {
            move(&p, offset, 0, imm(7));
            const struct sonde_predicate *predicates[] = {&always, &never};
            for (unsigned n = 0; n < 2; n++)
                probe_ok(&p, sonde_coder_compute_thread_chunk_offset(
                                 p.coder, p.procedure, offset, cases[c].buckets, cases[c].chunk,
                                 cases[c].base + 4096 * n, cases[c].inside,
                                 predicates[c % 2 == 0 ? n : 1], &p.error));
            probe_store(&p, p.procedure, 4 + c, sonde_operand_vreg(offset));
        }
        /* As an address: a count of the threads of each bucket. */
        probe_ok(&p, sonde_coder_compute_thread_chunk_address(p.coder, p.procedure, address, 4, 64,
                                                              0x1fc00, 12, NULL, &p.error));
        probe_ok(&p, sonde_coder_compute_thread_chunk_address(p.coder, p.procedure, address, 32, 64,
                                                              0, 0, &never, &p.error));
        probe_ok(&p, sonde_coder_atomic_inc(p.coder, p.procedure, SONDE_GEN_TYPE_UD, address, NULL,
                                            &p.error));
        probe_run(&p);
        uint32_t want[4] = {0};
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            uint32_t id = probe_thread_id(t);
            want[id % 4]++;
            for (unsigned c = 0; c < 4; c++) {
                uint32_t place =
                    id % cases[c].buckets * cases[c].chunk + cases[c].base + cases[c].inside;
                assert_int_equal(probe_value(&p, t, c), place);
                assert_int_equal(probe_value(&p, t, 4 + c), c % 2 == 0 ? place : 7);
            }
        }
        for (uint32_t b = 0; b < 4; b++) {
            uint32_t got;
            memcpy(&got, machine_surface(p.machine, MACHINE_PROFILE) + 0x1fc00 + 64 * b + 12, 4);
            assert_int_equal(got, want[b]);
        }
        probe_close(&p);
    }
}

static void refused_chunks(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t buckets, chunk, base;
        enum sonde_status status;
        const char *message;
    } cases[] = {{3, 64, 0, SONDE_ERROR_ARGUMENT, "powers of two"},
                 {0, 64, 0, SONDE_ERROR_ARGUMENT, "powers of two"},
                 {32, 48, 0, SONDE_ERROR_ARGUMENT, "powers of two"},
                 {32, 0, 0, SONDE_ERROR_ARGUMENT, "powers of two"},
                 {1u << 16, 1u << 16, 0, SONDE_ERROR_RANGE, "4 GiB"},
                 {1u << 15, 1u << 16, 0x80000000, SONDE_ERROR_RANGE, "4 GiB"}};
    struct probe p;
    probe_open(&p, PROBE_STATELESS, PROBE_FREE_LIST);
    sonde_vreg offset = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    sonde_vreg word = sonde_vreg_make_scratch(p.coder, SONDE_VREG_WORD);
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++)
        for (unsigned address = 0; address < 2; address++) {
            enum sonde_status status =
                address ? sonde_coder_compute_thread_chunk_address(p.coder, p.procedure, p.address,
                                                                   cases[c].buckets, cases[c].chunk,
                                                                   cases[c].base, 0, NULL, &p.error)
                        : sonde_coder_compute_thread_chunk_offset(p.coder, p.procedure, offset,
                                                                  cases[c].buckets, cases[c].chunk,
                                                                  cases[c].base, 0, NULL, &p.error);
            assert_int_equal(status, cases[c].status);
            assert_non_null(strstr(p.error.message, cases[c].message));
        }
    assert_int_equal(sonde_coder_compute_thread_chunk_offset(p.coder, p.procedure, word, 32, 64, 0,
                                                             0, NULL, &p.error),
                     SONDE_ERROR_ARGUMENT);
    /* An address has 8 bytes here. */
    assert_int_equal(sonde_coder_compute_thread_chunk_address(p.coder, p.procedure, offset, 32, 64,
                                                              0, 0, NULL, &p.error),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_coder_get_tid(p.coder, p.procedure, word, NULL, &p.error),
                     SONDE_ERROR_ARGUMENT);
    struct sonde_predicate f2 = {.flag_number = 2};
    assert_int_equal(sonde_coder_get_tid(p.coder, p.procedure, offset, &f2, &p.error),
                     SONDE_ERROR_ARGUMENT);
    assert_non_null(strstr(p.error.message, "f2.0"));
    assert_int_equal(sonde_coder_get_dss_id(p.coder, p.procedure, 999, NULL, &p.error),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_procedure_instruction_count(p.procedure), 0);
    probe_close(&p);
}

int main(int argc, char **argv)
{
    if (!probe_setup_platform(argc, argv))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_ranges),    cmocka_unit_test(loaded_ranges),
        cmocka_unit_test(message_payloads), cmocka_unit_test(no_payload),
        cmocka_unit_test(thread_chunks),    cmocka_unit_test(refused_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
