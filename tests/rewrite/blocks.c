/* Memory blocks, ranges of registers, consumers, conditions. */
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

static const struct sonde_predicate never = {.flag_number = 1, .flag_subreg = 1};

static void set_never(struct probe *p)
{
    sonde_vreg zero = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    move(p, zero, 0, imm(0));
    probe_ok(p, sonde_coder_cmp(p->coder, p->procedure, &never, SONDE_GEN_CONDITION_NZ,
                                SONDE_GEN_TYPE_UD, sonde_operand_vreg(zero), imm(0), &p->error));
}

/* Store a block of one size, load it elsewhere, store that again. */
static void check_block(struct probe *p, uint32_t size)
{
    sonde_vreg address = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    sonde_vreg data = sonde_vreg_make_msg_data_scratch(p->coder, SONDE_VREG_MEM_BLOCK);
    sonde_vreg again = sonde_vreg_make_scratch(p->coder, SONDE_VREG_MEM_BLOCK);
    set_never(p);
    for (uint32_t byte = 0; byte < size; byte += 4) {
        move(p, data, byte, imm(0xab000000 + byte));
        move(p, again, byte, imm(0));
    }
    probe_address(p, p->procedure, address, 16);
    probe_ok(p, sonde_coder_store_mem_block(p->coder, p->procedure, address, data, size, NULL,
                                            &p->error));
    probe_ok(p, sonde_coder_load_mem_block(p->coder, p->procedure, address, again, size, NULL,
                                           &p->error));
    move(p, data, 0, imm(1));
    probe_ok(p, sonde_coder_store_mem_block(p->coder, p->procedure, address, data, size, &never,
                                            &p->error));
    probe_ok(p, sonde_coder_load_mem_block(p->coder, p->procedure, address, data, size, &never,
                                           &p->error));
    probe_address(p, p->procedure, address, 256);
    probe_ok(p, sonde_coder_store_mem_block(p->coder, p->procedure, address, again, size, NULL,
                                            &p->error));
    probe_store(p, p->procedure, 127, sonde_operand_vreg(data));
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++) {
        for (uint32_t dword = 0; dword < 127; dword++) {
            uint32_t want = 0;
            if (dword >= 4 && dword < 4 + size / 4)
                want = 0xab000000 + 4 * (dword - 4);
            if (dword >= 64 && dword < 64 + size / 4)
                want = 0xab000000 + 4 * (dword - 64);
            assert_int_equal(probe_value(p, t, dword), want);
        }
        assert_int_equal(probe_value(p, t, 127), 1);
    }
}

static void mem_blocks(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++)
        for (uint32_t size = 16; size <= 128; size *= 2) {
            struct probe p;
            probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
            assert_int_equal(sonde_coder_max_mem_block_size(p.coder), 128);
            check_block(&p, size);
            probe_close(&p);
        }
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    static const uint32_t bad[] = {0, 8, 24, 256};
    sonde_vreg data = sonde_vreg_make_scratch(p.coder, SONDE_VREG_MEM_BLOCK);
    sonde_vreg oword = sonde_vreg_make_scratch(p.coder, SONDE_VREG_OWORD);
    sonde_vreg counter = sonde_vreg_make_counter(p.coder, SONDE_VREG_OWORD);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(sonde_coder_store_mem_block(p.coder, p.procedure, p.address, data, bad[i],
                                                     NULL, &p.error),
                         SONDE_ERROR_ARGUMENT);
    assert_int_equal(
        sonde_coder_load_mem_block(p.coder, p.procedure, p.address, oword, 32, NULL, &p.error),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(
        sonde_coder_load_mem_block(p.coder, p.procedure, p.address, counter, 16, NULL, &p.error),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_procedure_instruction_count(p.procedure), 0);
    probe_close(&p);
}

/* r10 is 8 x 0x11223344, r11 the header, r20 and r21 id * 77 so far. */
static void check_register_range(struct probe *p)
{
    sonde_vreg address = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    sonde_vreg moved = sonde_vreg_make_scratch(p->coder, SONDE_VREG_PTR);
    set_never(p);
    probe_address(p, p->procedure, address, 0);
    probe_ok(p,
             sonde_coder_store_reg_range(p->coder, p->procedure, address, 10, 2, NULL, &p->error));
    probe_ok(p,
             sonde_coder_store_reg_range(p->coder, p->procedure, address, 20, 1, NULL, &p->error));
    probe_ok(p,
             sonde_coder_store_reg_range(p->coder, p->procedure, address, 3, 5, &never, &p->error));
    /* What was stored comes back; nothing changes, the address moves on. */
    probe_address(p, p->procedure, moved, 0);
    probe_ok(p, sonde_coder_load_reg_range(p->coder, p->procedure, moved, 10, 2, NULL, &p->error));
    probe_ok(p,
             sonde_coder_store_reg_range(p->coder, p->procedure, moved, 20, 1, &never, &p->error));
    probe_ok(p, sonde_coder_atomic_add(p->coder, p->procedure, SONDE_GEN_TYPE_UD, address, imm(96),
                                       NULL, &p->error));
    probe_ok(p, sonde_coder_store_reg_range(p->coder, p->procedure, moved, 20, 1, NULL, &p->error));
    probe_ok(p, sonde_coder_atomic_add(p->coder, p->procedure, SONDE_GEN_TYPE_UD, moved, imm(4),
                                       NULL, &p->error));
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++) {
        for (uint32_t lane = 0; lane < 8; lane++) {
            assert_int_equal(probe_value(p, t, lane), 0x11223344);
            assert_int_equal(probe_value(p, t, 16 + lane), 77 * (16 * t + lane));
        }
        assert_int_equal(probe_value(p, t, 8 + 5) & 0x1ff, t); /* r0.5 */
        assert_int_equal(probe_value(p, t, 24), 100);
        assert_int_equal(probe_value(p, t, 25), 0);
    }
}

static void register_ranges(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        check_register_range(&p);
        assert_int_equal(
            sonde_coder_store_reg_range(p.coder, p.procedure, p.address, 126, 3, NULL, &p.error),
            SONDE_ERROR_ARGUMENT);
        assert_int_equal(
            sonde_coder_load_reg_range(p.coder, p.procedure, p.address, 5, 0, NULL, &p.error),
            SONDE_ERROR_ARGUMENT);
        probe_close(&p);
    }
}

/* Before the kernel's first sends: its addresses are r72 + 0. */
static void payload_addresses(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        size_t send = p.point;
        while (sonde_gen_opcode_format(
                   (enum sonde_gen_opcode)sonde_kernel_instruction(p.kernel, send)->opcode) !=
               SONDE_GEN_FORMAT_SEND)
            send++;
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(p.kernel, send);
        assert_int_equal(sonde_coder_payload_address_registers(instruction), 1);
        probe_address(&p, p.procedure, p.address, 32);
        probe_ok(&p, sonde_coder_store_payload_addresses(p.coder, p.procedure, p.address,
                                                         instruction, NULL, &p.error));
        assert_int_equal(sonde_coder_store_payload_addresses(
                             p.coder, p.procedure, p.address,
                             sonde_kernel_instruction(p.kernel, p.point), NULL, &p.error),
                         SONDE_ERROR_ARGUMENT);
        p.point = send;
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++)
            for (uint32_t lane = 0; lane < 8; lane++)
                assert_int_equal(probe_value(&p, t, 8 + lane), (t << 12) + 4 * lane);
        probe_close(&p);
    }
}

/* add (16) r20 = r20 + 3 reads and writes r20 and r21. */
static void fake_consumers(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        const struct sonde_gen_instruction *add = sonde_kernel_instruction(p.kernel, p.point + 1);
        set_never(&p);
        size_t before = sonde_procedure_instruction_count(p.procedure);
        probe_ok(
            &p, sonde_coder_generate_fake_src_consumers(p.coder, p.procedure, add, NULL, &p.error));
        assert_int_equal(sonde_procedure_instruction_count(p.procedure), before + 2);
        probe_ok(&p, sonde_coder_generate_fake_dst_consumers(p.coder, p.procedure, add, &never,
                                                             &p.error));
        assert_int_equal(sonde_procedure_instruction_count(p.procedure), before + 4);
        probe_run(&p);
        unsigned found = 0;
        for (uint32_t at = p.out.instrumented_entry; at < p.out.instruction_offsets[p.point];) {
            struct sonde_gen_instruction i;
            probe_ok(&p,
                     sonde_gen_decode(probe_platform(), p.out.code, p.out.size, at, &i, &p.error));
            found += i.opcode == SONDE_GEN_MOV && i.dst.file == SONDE_GEN_FILE_ARF &&
                     i.dst.number == SONDE_GEN_ARF_NULL && i.no_mask &&
                     (i.src[0].number == 20 || i.src[0].number == 21);
            at += i.size;
        }
        assert_int_equal(found, 4);
        struct sonde_gen_instruction unknown = *add;
        unknown.src[0].indirect = true;
        assert_int_equal(
            sonde_coder_generate_fake_src_consumers(p.coder, p.procedure, &unknown, NULL, &p.error),
            SONDE_ERROR_UNSUPPORTED);
        probe_close(&p);
    }
}

/* All kinds of items: plain, predicated, comparison, chunk, message. */
static struct sonde_procedure *make_source(struct probe *p, sonde_vreg value, uint32_t offset)
{
    struct sonde_procedure *source = sonde_procedure_create(p->coder, "source");
    struct sonde_predicate f0 = {.flag_number = 0};
    struct sonde_operand v = sonde_operand_vreg(value);
    probe_ok(p, sonde_coder_operation(p->coder, source, SONDE_ADD, SONDE_GEN_TYPE_UD, v, v, imm(1),
                                      NULL, &p->error));
    probe_ok(p, sonde_coder_cmp(p->coder, source, &f0, SONDE_GEN_CONDITION_G, SONDE_GEN_TYPE_UD, v,
                                imm(5), &p->error));
    probe_ok(p, sonde_coder_operation(p->coder, source, SONDE_ADD, SONDE_GEN_TYPE_UD, v, v,
                                      imm(100), &f0, &p->error));
    f0.inverse = true;
    probe_ok(p, sonde_coder_operation(p->coder, source, SONDE_ADD, SONDE_GEN_TYPE_UD, v, v,
                                      imm(1000), &f0, &p->error));
    probe_store(p, source, offset, v);
    return source;
}

static void check_conditions(struct probe *p, enum sonde_gen_type type)
{
    static const int64_t pairs[3][2] = {{3, 9}, {9, 9}, {-4, 9}};
    sonde_vreg a = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    sonde_vreg b = sonde_vreg_make_scratch(p->coder, SONDE_VREG_QWORD);
    sonde_vreg value = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    bool is_signed = sonde_gen_type_is_signed(type);
    uint32_t want[64], count = 0;
    for (unsigned c = SONDE_GEN_CONDITION_Z; c <= SONDE_GEN_CONDITION_LE; c++)
        for (unsigned i = 0; i < 6; i++) {
            int64_t x = pairs[i / 2][0], y = pairs[i / 2][1];
            int order = is_signed ? (x > y) - (x < y)
                                  : ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
            bool holds[] = {0,          order == 0, order != 0, order > 0,
                            order >= 0, order < 0,  order <= 0};
            uint32_t start = i & 1 ? 7 : 2;
            struct sonde_procedure *source = make_source(p, value, count);
            probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_Q,
                                              sonde_operand_vreg(a), imm((uint64_t)x), imm(0), NULL,
                                              &p->error));
            probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_Q,
                                              sonde_operand_vreg(b), imm((uint64_t)y), imm(0), NULL,
                                              &p->error));
            move(p, value, 0, imm(start));
            probe_ok(p, sonde_coder_generate_conditional_procedure(
                            p->coder, source, p->procedure, (enum sonde_gen_condition)c, type, a,
                            i & 1 ? imm((uint64_t)y) : sonde_operand_vreg(b), &p->error));
            want[count++] = !holds[c] ? 0 : start == 7 ? 108 : 1003;
        }
    for (unsigned i = 0; i < 2; i++) {
        struct sonde_procedure *source = make_source(p, value, count);
        move(p, a, 0, imm(i * 0x80));
        move(p, value, 0, imm(7));
        probe_ok(p, sonde_coder_convert_to_conditional_procedure(p->coder, source, p->procedure, a,
                                                                 &p->error));
        want[count++] = i == 0 ? 0 : 108;
    }
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++)
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(probe_value(p, t, i), want[i]);
}

static void conditional_procedures(void **unused)
{
    (void)unused;
    static const enum sonde_gen_type types[] = {SONDE_GEN_TYPE_UD, SONDE_GEN_TYPE_D,
                                                SONDE_GEN_TYPE_UQ, SONDE_GEN_TYPE_Q};
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++)
        for (unsigned t = 0; t < 4; t++) {
            struct probe p;
            probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
            check_conditions(&p, types[t]);
            probe_close(&p);
        }
}

static void condition_refusals(void **unused)
{
    (void)unused;
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    sonde_vreg v = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    struct sonde_operand o = sonde_operand_vreg(v);
    static const struct sonde_predicate flags[2] = {{.flag_number = 1}, never};
    for (unsigned i = 0; i < 2; i++) {
        struct sonde_procedure *source = sonde_procedure_create(p.coder, "uses f1");
        probe_ok(&p, sonde_coder_operation(p.coder, source, SONDE_ADD, SONDE_GEN_TYPE_UD, o, o,
                                           imm(1), &flags[i], &p.error));
        assert_int_equal(
            sonde_coder_convert_to_conditional_procedure(p.coder, source, p.procedure, v, &p.error),
            SONDE_ERROR_ARGUMENT);
        assert_non_null(strstr(p.error.message, i == 0 ? "f1.0" : "f1.1"));
    }
    struct sonde_procedure *source = sonde_procedure_create(p.coder, "chooses");
    struct sonde_gen_instruction sel;
    sonde_gen_instruction_init(&sel, probe_platform(), SONDE_GEN_SEL, 1, true);
    sel.predicate = SONDE_GEN_PREDICATE_CHANNEL;
    probe_ok(&p, sonde_coder_append_instruction(p.coder, source, &sel, &p.error));
    assert_int_equal(
        sonde_coder_convert_to_conditional_procedure(p.coder, source, p.procedure, v, &p.error),
        SONDE_ERROR_UNSUPPORTED);
    assert_int_equal(sonde_coder_convert_to_conditional_procedure(p.coder, p.procedure, p.procedure,
                                                                  v, &p.error),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_procedure_instruction_count(p.procedure), 0);
    probe_close(&p);
}

/* A header in the first payload, the addresses in the second. */
static void split_payload(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        bool xe = probe_platform() >= SONDE_GEN_PLATFORM_XE;
        struct sonde_gen_instruction send;
        sonde_gen_instruction_init(&send, probe_platform(), xe ? SONDE_GEN_SEND : SONDE_GEN_SENDS,
                                   8, true);
        send.source_count = 2;
        send.send.sfid = SONDE_GEN_SFID_DC0;
        /* dword scattered read of surface 0, SIMD8, header, a register each */
        send.send.descriptor = 1u << 25 | 1u << 20 | 1u << 19 | 3u << 14 | 2u << 8;
        send.send.src1_length = 1;
        send.send.ex_descriptor = xe ? 0x40 : 0x4a;
        for (unsigned i = 0; i < 2; i++)
            send.src[i] = (struct sonde_gen_operand){
                .file = SONDE_GEN_FILE_GRF, .number = i == 0 ? 10 : 20, .width = 1};
        assert_int_equal(sonde_coder_payload_address_registers(&send), 2);
        probe_address(&p, p.procedure, p.address, 32);
        probe_ok(&p, sonde_coder_store_payload_addresses(p.coder, p.procedure, p.address, &send,
                                                         NULL, &p.error));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            for (uint32_t lane = 0; lane < 8; lane++) {
                assert_int_equal(probe_value(&p, t, 8 + lane), 0x11223344);
                if ((probe_dispatched(&p, t) >> lane & 1) != 0)
                    assert_int_equal(probe_value(&p, t, 16 + lane), 77 * (16 * t + lane));
            }
        }
        probe_close(&p);
    }
}

int main(int argc, char **argv)
{
    if (!probe_setup_platform(argc, argv))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mem_blocks),
        cmocka_unit_test(register_ranges),
        cmocka_unit_test(payload_addresses),
        cmocka_unit_test(fake_consumers),
        cmocka_unit_test(conditional_procedures),
        cmocka_unit_test(condition_refusals),
        cmocka_unit_test(split_payload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
