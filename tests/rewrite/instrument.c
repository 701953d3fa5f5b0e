/* The rules of the instrumentation interface on small assembled kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/codec_iga.h"
#include "sonde/instrument.h"

#define EOT                                                                                        \
    "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"                                                 \
    "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"

static struct iga *iga;

struct fixture {
    uint8_t code[4096];
    size_t size;
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct sonde_coder *coder;
    struct sonde_rewritten out;
    struct sonde_error error;
};

struct setup {
    struct sonde_register_range ranges[4];
    size_t range_count;
    uint32_t scratch_size, scratch_offset;
    bool own_liveness;
};

static void open_fixture(struct fixture *f, const char *text, const struct setup *setup)
{
    memset(f, 0, sizeof *f);
    const uint8_t *code = iga_assemble(iga, text, IGA_ENCODE_NO_COMPACT, &f->size);
    if (code == NULL)
        fail_msg("does not assemble:\n%s", text);
    assert_true(f->size <= sizeof f->code);
    memcpy(f->code, code, f->size);
    struct sonde_kernel_info info = {.name = "test",
                                     .platform = SONDE_GEN_PLATFORM_GEN9,
                                     .isa = f->code,
                                     .isa_size = f->size,
                                     .simd_width = 16,
                                     .free_ranges = setup->ranges,
                                     .free_range_count = setup->range_count,
                                     .has_free_ranges = true,
                                     .scratch_offset = setup->scratch_offset,
                                     .scratch_size = setup->scratch_size};
    assert_int_equal(sonde_kernel_create(&info, &f->kernel, &f->error), SONDE_OK);
    struct sonde_coder_options options = {
        .binding_table_index = 5, .maximum_threads = 168, .use_own_liveness = setup->own_liveness};
    if (sonde_instrument_create(f->kernel, &options, &f->instrument, &f->error) != SONDE_OK)
        fail_msg("%s", f->error.message);
    f->coder = sonde_instrument_coder(f->instrument);
}

static void close_fixture(struct fixture *f)
{
    sonde_rewritten_clear(&f->out);
    sonde_instrument_destroy(f->instrument);
    sonde_kernel_destroy(f->kernel);
}

static void emit(struct fixture *f)
{
    sonde_rewritten_clear(&f->out);
    if (sonde_instrument_emit(f->instrument, &f->out, &f->error) != SONDE_OK)
        fail_msg("%s", f->error.message);
}

/* iga64's text of the instrumented body, one line an instruction, without
 * labels and with single blanks. */
static const char *body(struct fixture *f)
{
    static char text[20000];
    size_t size = f->out.size - f->out.instrumented_entry, used = 0;
    while (size >= 8) { /* drop the zero padding */
        uint64_t word;
        memcpy(&word, f->out.code + f->out.instrumented_entry + size - 8, sizeof word);
        if (word != 0)
            break;
        size -= 8;
    }
    const char *from = iga_disassemble(iga, f->out.code + f->out.instrumented_entry, size);
    assert_non_null(from);
    for (bool skip = false; *from != '\0' && used + 2 < sizeof text; from++) {
        if (*from == 'L' && (used == 0 || text[used - 1] == '\n'))
            skip = true;
        if (from[0] == '/' && from[1] == '/')
            skip = true;
        if (*from == '\n') {
            skip = false;
            while (used > 0 && text[used - 1] == ' ')
                used--;
            if (used > 0 && text[used - 1] != '\n')
                text[used++] = '\n';
        } else if (!skip && !(*from == ' ' &&
                              (used == 0 || text[used - 1] == ' ' || text[used - 1] == '\n'))) {
            text[used++] = *from;
        }
    }
    text[used] = '\0';
    return text;
}

static struct sonde_procedure *counter(struct fixture *f, uint32_t buckets, uint32_t offset)
{
    struct sonde_procedure *procedure = sonde_procedure_create(f->coder, "counter");
    sonde_vreg address = sonde_vreg_make_scratch(f->coder, SONDE_VREG_PTR);
    assert_int_equal(sonde_coder_compute_thread_chunk_address(f->coder, procedure, address, buckets,
                                                              64, 256, offset, NULL, &f->error),
                     SONDE_OK);
    assert_int_equal(
        sonde_coder_atomic_inc(f->coder, procedure, SONDE_GEN_TYPE_UD, address, NULL, &f->error),
        SONDE_OK);
    return procedure;
}

/* add (1|M0) r<n>.0 = ...: a mark that shows where it stands. */
static struct sonde_procedure *mark(struct fixture *f, uint32_t value)
{
    struct sonde_procedure *procedure = sonde_procedure_create(f->coder, "mark");
    struct sonde_gen_instruction move;
    sonde_gen_instruction_init(&move, SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_MOV, 1, true);
    move.source_count = 1;
    move.dst = (struct sonde_gen_operand){.file = SONDE_GEN_FILE_GRF,
                                          .type = SONDE_GEN_TYPE_UD,
                                          .number = 100,
                                          .hstride = 1,
                                          .write_mask = 0xf};
    move.src[0] = (struct sonde_gen_operand){
        .file = SONDE_GEN_FILE_IMMEDIATE, .type = SONDE_GEN_TYPE_UD, .immediate = value};
    assert_int_equal(sonde_coder_append_instruction(f->coder, procedure, &move, &f->error),
                     SONDE_OK);
    return procedure;
}

#define MARK(n) "(W) mov (1|M0) r100.0<1>:ud 0x" #n ":ud\n"

static const struct setup roomy = {.ranges = {{64 * 32, 512}}, .range_count = 1};

static void order_and_removal(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f, "L0:\nnop\nadd (16|M0) r20.0<1>:d r20.0<8;8,1>:d 1:d\n" EOT, &roomy);
    struct sonde_procedure *empty = sonde_procedure_create(f.coder, "empty");
    assert_int_equal(sonde_procedure_instruction_count(empty), 0);
    assert_int_equal(
        sonde_instrument_instruction(f.instrument, 1, SONDE_AFTER, mark(&f, 4), &f.error), 0);
    assert_int_equal(
        sonde_instrument_instruction(f.instrument, 1, SONDE_BEFORE, mark(&f, 2), &f.error), 0);
    assert_int_equal(sonde_instrument_block(f.instrument, 0, SONDE_BEFORE, mark(&f, 1), &f.error),
                     0);
    assert_int_equal(sonde_instrument_instruction(f.instrument, 1, SONDE_BEFORE, empty, &f.error),
                     0);
    assert_int_equal(
        sonde_instrument_instruction(f.instrument, 1, SONDE_BEFORE, mark(&f, 3), &f.error), 0);
    assert_int_equal(
        sonde_instrument_instruction(f.instrument, 1, SONDE_AFTER, mark(&f, 5), &f.error), 0);
    assert_int_equal(sonde_instrument_entries(f.instrument, mark(&f, 0), &f.error), 0);
    assert_int_equal(sonde_instrument_exits(f.instrument, mark(&f, 6), &f.error), 0);
    assert_int_equal(sonde_instrument_remove(f.instrument, 0, &f.error), 0);
    emit(&f);
    assert_string_equal(body(&f),
                        MARK(0) MARK(1) MARK(2)
                            MARK(3) "add (16|M0) r20.0<1>:d r20.0<8;8,1>:d 1:d\n" MARK(4)
                                MARK(5) "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n" MARK(
                                    6) "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    assert_int_equal(f.out.instruction_offsets[0], UINT32_MAX);
    assert_int_equal(f.out.instruction_offsets[1], f.out.instrumented_entry + 4 * 16);
    assert_int_equal(f.out.inserted_instructions, 7);
    assert_int_equal(f.out.inserted_bytes, 7 * 16);
    /* Emitting again gives the same. */
    char first[2000];
    snprintf(first, sizeof first, "%s", body(&f));
    emit(&f);
    assert_string_equal(body(&f), first);
    assert_int_equal(sonde_instrument_remove(f.instrument, 3, &f.error), SONDE_ERROR_UNSUPPORTED);
    close_fixture(&f);
}

/* Code before every end of a thread, and at the entry once. */
static void several_exits(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f, "L0:\n(W&f0.0) jmpi L1\n" EOT "L1:\nnop\n" EOT, &roomy);
    assert_int_equal(sonde_instrument_exits(f.instrument, mark(&f, 6), &f.error), 0);
    assert_int_equal(sonde_instrument_entries(f.instrument, mark(&f, 1), &f.error), 0);
    emit(&f);
    assert_string_equal(body(&f),
                        MARK(1) "(W&f0.0) jmpi L80\n"
                                "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n" MARK(
                                    6) "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"
                                       "nop\n(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n" MARK(
                                           6) "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    close_fixture(&f);
}

/* Calls in one order, rules in another; contradictions leave the order alone. */
static void passes(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f, "L0:\nnop\nadd (16|M0) r20.0<1>:d r20.0<8;8,1>:d 1:d\n" EOT, &roomy);
    static const char *const names[] = {"last", NULL, "first", "free", "middle", "last"};
    static const unsigned marks[] = {4, 0, 1, 2, 3, 5};
    assert_int_equal(sonde_instrument_order(f.instrument, "middle", "last", &f.error), 0);
    assert_int_equal(sonde_instrument_order(f.instrument, "first", "middle", &f.error), 0);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(sonde_instrument_pass(f.instrument, names[i], &f.error), 0);
        assert_int_equal(sonde_instrument_instruction(f.instrument, 1, SONDE_BEFORE,
                                                      mark(&f, marks[i]), &f.error),
                         0);
    }
    assert_int_equal(sonde_instrument_order(f.instrument, "first", "free", &f.error), 0);
    assert_int_equal(sonde_instrument_order(f.instrument, "free", "middle", &f.error), 0);
    assert_int_equal(sonde_instrument_order(f.instrument, "last", "first", &f.error),
                     SONDE_ERROR_ARGUMENT);
    assert_non_null(strstr(f.error.message, "pass last cannot come before pass first"));
    assert_int_equal(sonde_instrument_order(f.instrument, "free", "free", &f.error),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_instrument_order(f.instrument, "free", NULL, &f.error),
                     SONDE_ERROR_ARGUMENT);
    emit(&f);
    assert_string_equal(body(&f), "nop\n" MARK(0) MARK(1) MARK(2) MARK(3) MARK(4)
                                      MARK(5) "add (16|M0) r20.0<1>:d r20.0<8;8,1>:d 1:d\n" EOT);
    close_fixture(&f);
}

/* An add and a message a block, and the thread's chunk once at the entry. */
static void counter_cost(void **unused)
{
    (void)unused;
    struct fixture f;
    const char *text = "L0:\nL1:\nnop\n(W&f0.0) jmpi L1\n" EOT;
    open_fixture(&f, text, &roomy);
    for (uint32_t b = 0; b < 3; b++)
        assert_int_equal(
            sonde_instrument_block(f.instrument, b, SONDE_BEFORE, counter(&f, 4, 4 * b), &f.error),
            0);
    emit(&f);
    assert_string_equal(body(&f), "(W) and (1|M0) r64.1<1>:ud sr0.0<0;1,0>:ud 0x3:ud\n"
                                  "(W) shl (1|M0) r64.1<1>:ud r64.1<0;1,0>:ud 0x6:ud\n"
                                  "(W) add (1|M0) r64.0<1>:ud r64.1<0;1,0>:ud 0x100:ud\n"
                                  "(W) send (1|M0) null r64 0xC 0x02009505\n"
                                  "nop\n(W&f0.0) jmpi L32\n"
                                  "(W) add (1|M0) r64.0<1>:ud r64.1<0;1,0>:ud 0x104:ud\n"
                                  "(W) send (1|M0) null r64 0xC 0x02009505\n"
                                  "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"
                                  "(W) add (1|M0) r64.0<1>:ud r64.1<0;1,0>:ud 0x108:ud\n"
                                  "(W) send (1|M0) null r64 0xC 0x02009505\n"
                                  "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    assert_int_equal(f.out.kept_registers, 1);
    assert_int_equal(f.out.spills, 0);
    close_fixture(&f);

    /* Nothing free for the whole kernel: computed at each block. */
    struct setup liveness = {.own_liveness = true};
    char busy[4096] = "L0:\n";
    for (unsigned r = 1; r < 126; r += 2)
        sprintf(busy + strlen(busy), "(W) mov (16|M0) r%u.0<1>:d 1:d\n", r);
    strcat(busy, EOT);
    open_fixture(&f, busy, &liveness);
    assert_int_equal(
        sonde_instrument_block(f.instrument, 1, SONDE_BEFORE, counter(&f, 32, 0), &f.error), 0);
    emit(&f);
    assert_non_null(strstr(body(&f), "(W) and (1|M0) r0.0<1>:ud sr0.0<0;1,0>:ud 0x7:ud\n"
                                     "(W) shl (1|M0) r0.0<1>:ud r0.0<0;1,0>:ud 0x6:ud\n"
                                     "(W) and (1|M0) r0.1<1>:ud sr0.0<0;1,0>:ud 0x300:ud\n"
                                     "(W) shl (1|M0) r0.1<1>:ud r0.1<0;1,0>:ud 0x1:ud\n"
                                     "(W) or (1|M0) r0.0<1>:ud r0.0<0;1,0>:ud r0.1<0;1,0>:ud\n"
                                     "(W) add (1|M0) r0.0<1>:ud r0.0<0;1,0>:ud 0x100:ud\n"
                                     "(W) send (1|M0) null r0 0xC 0x02009505\n"
                                     "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"));
    assert_int_equal(f.out.kept_registers, 0);
    assert_int_equal(f.out.inserted_instructions, 7);
    close_fixture(&f);
}

/* The kernel may have something under way to registers that are dead: those
 * that it never names come first, reported by the compiler or not. */
static void untouched_first(void **unused)
{
    (void)unused;
    struct fixture f;
    struct setup liveness = {.own_liveness = true};
    open_fixture(&f, "L0:\n(W) mov (16|M0) r1.0<1>:d r3.0<8;8,1>:d\n" EOT, &liveness);
    assert_int_equal(
        sonde_instrument_block(f.instrument, 1, SONDE_BEFORE, counter(&f, 1, 0), &f.error), 0);
    emit(&f);
    assert_string_equal(body(&f), "(W) mov (16|M0) r1.0<1>:d r3.0<8;8,1>:d\n"
                                  "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"
                                  "(W) mov (1|M0) r5.0<1>:ud 0x100:ud\n"
                                  "(W) send (1|M0) null r5 0xC 0x02009505\n"
                                  "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    close_fixture(&f);
}

/* A kernel that leaves r121 to r126 by its own liveness. */
static void open_busy(struct fixture *f)
{
    struct setup liveness = {.own_liveness = true};
    char busy[4096] = "L0:\n";
    for (unsigned r = 1; r < 121; r += 2)
        sprintf(busy + strlen(busy), "(W) mov (16|M0) r%u.0<1>:d 1:d\n", r);
    strcat(busy, EOT);
    open_fixture(f, busy, &liveness);
}

static enum sonde_status reserve_sparing(struct fixture *f, enum sonde_vreg_type type,
                                         uint32_t spare)
{
    struct sonde_procedure *procedure = sonde_procedure_create(f->coder, "hold");
    struct sonde_operand counter = sonde_operand_vreg(sonde_vreg_make_counter(f->coder, type));
    struct sonde_operand one = sonde_operand_immediate(1);
    assert_int_equal(sonde_coder_operation(f->coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD,
                                           counter, counter, one, NULL, &f->error),
                     SONDE_OK);
    return sonde_coder_reserve_sparing(f->coder, procedure, spare, &f->error);
}

/* Registers that are shown are made room in; where there is no other place,
 * everything stays as it was. */
static void counters_make_room(void **unused)
{
    (void)unused;
    struct fixture f;
    open_busy(&f);
    struct sonde_procedure *procedure = sonde_procedure_create(f.coder, "count");
    struct sonde_operand counter =
        sonde_operand_vreg(sonde_vreg_make_counter(f.coder, SONDE_VREG_DHWORD));
    assert_int_equal(sonde_coder_operation(f.coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD,
                                           counter, counter, sonde_operand_immediate(1), NULL,
                                           &f.error),
                     SONDE_OK);
    assert_int_equal(sonde_coder_reserve(f.coder, procedure, &f.error), SONDE_OK);
    assert_int_equal(sonde_instrument_block(f.instrument, 0, SONDE_BEFORE, procedure, &f.error),
                     SONDE_OK);
    emit(&f);
    assert_non_null(strstr(body(&f), "add (1|M0) r121.0<1>:ud r121.0<0;1,0>:ud 0x1:ud\n"));
    assert_int_equal(sonde_coder_observe(f.coder, 110, 13, &f.error), SONDE_OK);
    emit(&f);
    assert_non_null(strstr(body(&f), "mov (16|M0) r123.0<1>:ud 0x0:ud\n"));
    assert_non_null(strstr(body(&f), "add (1|M0) r123.0<1>:ud r123.0<0;1,0>:ud 0x1:ud\n"));
    assert_int_equal(sonde_coder_observe(f.coder, 124, 2, &f.error), SONDE_ERROR_NO_REGISTER);
    emit(&f);
    assert_non_null(strstr(body(&f), "add (1|M0) r123.0<1>:ud r123.0<0;1,0>:ud 0x1:ud\n"));
    assert_int_equal(sonde_coder_observe(f.coder, 123, 2, &f.error), SONDE_OK);
    emit(&f);
    assert_non_null(strstr(body(&f), "add (1|M0) r125.0<1>:ud r125.0<0;1,0>:ud 0x1:ud\n"));
    close_fixture(&f);
}

/* The thread goes from `break` to its JIP, the endif, and never to its UIP, where
 * the channels wait: endif runs as often as the loop, and needs no counter. */
static void counted_where_the_thread_goes(void **unused)
{
    (void)unused;
    struct fixture f;
    static const bool loop[] = {false, true, true, false}; /* of: entry, if, break, endif */
    bool counted[16];
    uint32_t depth[16];
    open_fixture(&f,
                 "L0:\nnop\nL1:\n(f0.0) if (16|M0) L2 L2\nbreak (16|M0) L2 L3\n"
                 "L2:\nendif (16|M0) L3\nL3:\n(f0.1) while (16|M0) L1\n" EOT,
                 &roomy);
    assert_int_equal(sonde_kernel_block_count(f.kernel), 7);
    assert_int_equal(sonde_kernel_counted_blocks(f.kernel, counted, &f.error), SONDE_OK);
    sonde_kernel_loop_depths(f.kernel, depth);
    for (unsigned b = 0; b < 7; b++)
        assert_int_equal(depth[b], b >= 1 && b <= 4);
    assert_memory_equal(counted + 1, loop + 1, sizeof loop - 1);
    assert_false(counted[4]);
    uint64_t counts[7] = {1, 20, 12, 0, 0, 0, 0};
    static const uint64_t all[7] = {1, 20, 12, 20, 20, 1, 1};
    assert_int_equal(sonde_kernel_complete_counts(f.kernel, counts, &f.error), SONDE_OK);
    assert_memory_equal(counts, all, sizeof all);
    close_fixture(&f);
}

/* Counters that could as well stand in memory leave registers to messages. */
static void sparing(void **unused)
{
    (void)unused;
    struct fixture f;
    open_busy(&f);
    assert_int_equal(reserve_sparing(&f, SONDE_VREG_DWORD, 7), SONDE_ERROR_NO_REGISTER);
    assert_non_null(strstr(f.error.message, "fewer than 7"));
    assert_int_equal(reserve_sparing(&f, SONDE_VREG_DWORD, 6), SONDE_OK);
    assert_int_equal(reserve_sparing(&f, SONDE_VREG_HWORD, 6), SONDE_ERROR_NO_REGISTER);
    assert_int_equal(reserve_sparing(&f, SONDE_VREG_DHWORD, 4), SONDE_OK);
    assert_int_equal(reserve_sparing(&f, SONDE_VREG_DHWORD, 2), SONDE_OK);
    /* The start of two registers; six dwords beside them, of which one stays. */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(reserve_sparing(&f, SONDE_VREG_DWORD, 1), SONDE_OK);
    close_fixture(&f);
}

static void spilling(void **unused)
{
    (void)unused;
    struct fixture f;
    struct setup none = {.scratch_size = 64, .scratch_offset = 96};
    open_fixture(&f, "L0:\nnop\n" EOT, &none);
    assert_int_equal(
        sonde_instrument_block(f.instrument, 0, SONDE_BEFORE, counter(&f, 1, 0), &f.error), 0);
    emit(&f);
    assert_string_equal(body(&f), "(W) sends (8|M0) null:uw r0 r1 0x4A 0x020F0003\n"
                                  "(W) mov (1|M0) r1.0<1>:ud 0x100:ud\n"
                                  "(W) send (1|M0) null r1 0xC 0x02009505\n"
                                  "(W) send (16|M0) r1:uw r0 0xA 0x021C0003\n"
                                  "nop\n(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"
                                  "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    assert_int_equal(f.out.spills, 1);
    close_fixture(&f);

    /* Without scratch, or with the header gone: an error that says why. */
    static const struct {
        const char *text;
        uint32_t scratch;
        const char *reason;
    } cases[] = {
        {"L0:\nnop\n" EOT, 0, "the kernel has no scratch memory for it"},
        {"L0:\n(W) mov (1|M0) r0.5<1>:ud 0:ud\n(W) jmpi L1\nL1:\nnop\n" EOT, 64,
         "no register holds the thread header"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct setup setup = {.scratch_size = cases[i].scratch};
        open_fixture(&f, cases[i].text, &setup);
        uint32_t last = (uint32_t)sonde_kernel_block_count(f.kernel) - 1;
        assert_int_equal(
            sonde_instrument_block(f.instrument, last, SONDE_BEFORE, counter(&f, 1, 0), &f.error),
            0);
        assert_int_equal(sonde_instrument_emit(f.instrument, &f.out, &f.error),
                         SONDE_ERROR_NO_REGISTER);
        assert_non_null(strstr(f.error.message, cases[i].reason));
        assert_non_null(strstr(f.error.message, "kernel test"));
        assert_null(f.out.code);
        close_fixture(&f);
    }
}

static void sequences_stay_together(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f,
                 "L0:\nnop\n"                                                          /* 0 */
                 "(W) mul (8|M0) acc0.0<1>:ud r20.0<8;8,1>:ud r22.0<16;8,2>:uw\n"      /* 1 */
                 "nop\n"                                                               /* 2 */
                 "mach (8|M0) r24.0<1>:ud r20.0<8;8,1>:ud r22.0<8;8,1>:ud {AccWrEn}\n" /* 3 */
                 "mov (8|M0) r26.0<1>:uw r20.0<16;8,2>:uw {NoDDClr}\n"                 /* 4 */
                 "mov (8|M8) r26.8<1>:uw r21.0<16;8,2>:uw {NoDDChk}\n"                 /* 5 */
                 "add (8|M0) r28.0<1>:d r20.0<8;8,1>:d 1:d {Atomic}\n"                 /* 6 */
                 "add (8|M0) r29.0<1>:d r20.0<8;8,1>:d 1:d\n"                          /* 7 */
                 "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {Switch}\n"       /* 8 */
                 "nop\n"                                                               /* 9 */
                 "(f0.0) if (16|M0) L1 L1\nL1:\nendif (16|M0) L2\nL2:\n" EOT,          /* 10.. */
                 &roomy);
    static const bool before[] = {true, true,  true, true, true, false,
                                  true, false, true, true, true};
    static const bool after[] = {true,  true, true, true, false, true,
                                 false, true, true, true, false};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        bool may = sonde_instrument_insertion_refusal(f.instrument, i, SONDE_BEFORE) == NULL;
        if (may != before[i])
            fail_msg("before %zu", i);
        may = sonde_instrument_insertion_refusal(f.instrument, i, SONDE_AFTER) == NULL;
        if (may != after[i])
            fail_msg("after %zu", i);
        enum sonde_status status =
            sonde_instrument_instruction(f.instrument, i, SONDE_BEFORE, mark(&f, 1), &f.error);
        assert_int_equal(status, before[i] ? SONDE_OK : SONDE_ERROR_UNSUPPORTED);
    }
    for (size_t i = 4; i < 6; i++) {
        assert_int_equal(sonde_instrument_remove(f.instrument, i, &f.error),
                         SONDE_ERROR_UNSUPPORTED);
        assert_non_null(strstr(f.error.message, "NoDDClr"));
    }
    assert_int_equal(sonde_instrument_remove(f.instrument, 999, &f.error), SONDE_ERROR_ARGUMENT);
    assert_non_null(sonde_instrument_insertion_refusal(f.instrument, 999, SONDE_BEFORE));
    assert_int_equal(
        sonde_instrument_instruction(f.instrument, 999, SONDE_BEFORE, mark(&f, 1), &f.error),
        SONDE_ERROR_ARGUMENT);
    close_fixture(&f);
}

/* A move can save no product: code that writes its accumulator is refused between its halves,
 * and only there. */
static void products_are_kept(void **unused)
{
    (void)unused;
    for (uint32_t place = 1; place < 4; place++) {
        struct fixture f;
        open_fixture(&f,
                     "L0:\n(W) mul (8|M0) acc0.0<1>:ud r20.0<8;8,1>:ud r22.0<16;8,2>:uw\n"
                     "nop\n"
                     "mach (8|M0) r24.0<1>:ud r20.0<8;8,1>:ud r22.0<8;8,1>:ud {AccWrEn}\n"
                     "mov (8|M0) r26.0<1>:ud acc0.0<8;8,1>:ud\n" EOT,
                     &roomy);
        struct sonde_procedure *procedure = mark(&f, 1);
        struct sonde_gen_instruction move;
        sonde_gen_instruction_init(&move, SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_MOV, 8, true);
        move.source_count = 1;
        move.dst = (struct sonde_gen_operand){.file = SONDE_GEN_FILE_ARF,
                                              .type = SONDE_GEN_TYPE_UD,
                                              .number = SONDE_GEN_ARF_ACCUMULATOR,
                                              .hstride = 1,
                                              .mme = 0xff,
                                              .write_mask = 0xf};
        move.src[0] = (struct sonde_gen_operand){
            .file = SONDE_GEN_FILE_IMMEDIATE, .type = SONDE_GEN_TYPE_UD, .mme = 0xff};
        assert_int_equal(sonde_coder_append_instruction(f.coder, procedure, &move, &f.error),
                         SONDE_OK);
        assert_int_equal(
            sonde_instrument_instruction(f.instrument, place, SONDE_BEFORE, procedure, &f.error),
            SONDE_OK);
        enum sonde_status status = sonde_instrument_emit(f.instrument, &f.out, &f.error);
        assert_int_equal(status, place < 3 ? SONDE_ERROR_UNSUPPORTED : SONDE_OK);
        if (status != SONDE_OK)
            assert_non_null(strstr(f.error.message, "writes an accumulator that the kernel needs"));
        else
            assert_non_null(strstr(body(&f), "acc0.0<8;8,1>:ud")); /* saved */
        close_fixture(&f);
    }
}

/* Registers that are shown are nobody else's, needed or not. */
static void observed_registers(void **unused)
{
    (void)unused;
    static const struct setup dead = {.own_liveness = true};
    for (uint32_t shown = 0; shown <= 128; shown += 64) {
        struct fixture f;
        open_fixture(&f, "L0:\nnop\n" EOT, &dead);
        assert_int_equal(sonde_coder_observe(f.coder, 120, 9, &f.error), SONDE_ERROR_RANGE);
        assert_int_equal(sonde_coder_observe(f.coder, 0, shown, &f.error), SONDE_OK);
        assert_int_equal(
            sonde_instrument_block(f.instrument, 0, SONDE_BEFORE, counter(&f, 1, 0), &f.error),
            SONDE_OK);
        enum sonde_status status = sonde_instrument_emit(f.instrument, &f.out, &f.error);
        assert_int_equal(status, shown == 128 ? SONDE_ERROR_NO_REGISTER : SONDE_OK);
        unsigned lowest = 200; /* but r0, which the end of the thread reads */
        for (const char *at = status == SONDE_OK ? body(&f) : ""; *at != '\0'; at++) {
            unsigned number;
            if (at[0] == ' ' && sscanf(at, " r%u", &number) == 1 && number != 0 && number < lowest)
                lowest = number;
        }
        assert_true(status != SONDE_OK || (shown == 0 ? lowest < 64 : lowest >= 64));
        close_fixture(&f);
    }
}

static void bad_arguments(void **unused)
{
    (void)unused;
    struct fixture f, g;
    open_fixture(&f,
                 "L0:\nnop\n(f0.0) if (16|M0) L1 L2\nnop\nelse (16|M0) L2 L2\nL1:\nnop\n"
                 "L2:\nendif (16|M0) L3\nL3:\n" EOT,
                 &roomy);
    open_fixture(&g, "L0:\nnop\n" EOT, &roomy);
    struct sonde_procedure *procedure = sonde_procedure_create(f.coder, "p");
    sonde_vreg byte = sonde_vreg_make_scratch(f.coder, SONDE_VREG_BYTE);
    sonde_vreg good = sonde_vreg_make_scratch(f.coder, SONDE_VREG_DWORD);
    struct sonde_error *e = &f.error;
    assert_int_equal(
        sonde_coder_compute_thread_chunk_offset(f.coder, procedure, byte, 1, 1, 0, 0, NULL, e),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(
        sonde_coder_compute_thread_chunk_offset(f.coder, procedure, 0, 1, 1, 0, 0, NULL, e),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(
        sonde_coder_compute_thread_chunk_offset(f.coder, procedure, good, 3, 64, 0, 0, NULL, e),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(
        sonde_coder_compute_thread_chunk_offset(f.coder, procedure, good, 2, 60, 0, 0, NULL, e),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_coder_compute_thread_chunk_offset(f.coder, procedure, good, 1u << 20,
                                                             1u << 12, 0, 0, NULL, e),
                     SONDE_ERROR_RANGE);
    assert_int_equal(sonde_coder_atomic_inc(f.coder, procedure, SONDE_GEN_TYPE_UD, 77, NULL, e),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_coder_atomic_inc(g.coder, procedure, SONDE_GEN_TYPE_UD, good, NULL, e),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_procedure_instruction_count(procedure), 0);
    assert_int_equal(sonde_instrument_block(g.instrument, 0, SONDE_BEFORE, procedure, e),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_instrument_block(f.instrument, 99, SONDE_BEFORE, procedure, e),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_instrument_edge(f.instrument, 99, procedure, e), SONDE_ERROR_ARGUMENT);
    /* Edges into the else part and the endif carry waiting channels. */
    unsigned unsupported = 0;
    for (size_t i = 0; i < sonde_kernel_edge_count(f.kernel); i++)
        unsupported +=
            sonde_instrument_edge(f.instrument, i, procedure, e) == SONDE_ERROR_UNSUPPORTED;
    assert_int_equal(unsupported, 4); /* if > else part, if > endif, else > both */
    struct sonde_gen_instruction branch = *sonde_kernel_instruction(f.kernel, 1);
    assert_int_equal(sonde_coder_append_instruction(f.coder, procedure, &branch, e),
                     SONDE_ERROR_ARGUMENT);
    branch = *sonde_kernel_instruction(f.kernel, sonde_kernel_instruction_count(f.kernel) - 1);
    assert_int_equal(sonde_coder_append_instruction(f.coder, procedure, &branch, e),
                     SONDE_ERROR_ARGUMENT);
    close_fixture(&f);
    close_fixture(&g);
}

static void what_cannot_be_instrumented(void **unused)
{
    (void)unused;
    struct sonde_error error;
    size_t size;
    const uint8_t *code =
        iga_assemble(iga, "L0:\n(W) mov (1|M0) r10.0<1>:ud ip:ud\n" EOT, 0, &size);
    struct sonde_kernel_info info = {
        .name = "ipuser", .platform = SONDE_GEN_PLATFORM_GEN9, .isa = code, .isa_size = size};
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct sonde_coder_options options = {.maximum_threads = 1};
    assert_int_equal(sonde_kernel_create(&info, &kernel, &error), SONDE_OK);
    assert_int_equal(sonde_instrument_create(kernel, &options, &instrument, &error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "ipuser"));
    assert_non_null(strstr(error.message, "instruction pointer"));
    sonde_kernel_destroy(kernel);

    /* A predicated end of thread: no code can run exactly once per exit. */
    struct fixture f;
    open_fixture(&f, "L0:\n(W&f0.0) send (8|M0) null r127 0x27 0x02000010 {EOT}\n" EOT, &roomy);
    assert_int_equal(sonde_instrument_exits(f.instrument, mark(&f, 1), &f.error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_int_equal(sonde_kernel_block(f.kernel, 0)->successor_count, 1);
    close_fixture(&f);
}

/* Damaged kernels that still have a model: a rewrite or an error. */
static void damaged_kernels(void **unused)
{
    (void)unused;
    size_t size;
    const uint8_t *code = iga_assemble(
        iga,
        "L0:\n(f0.0) if (16|M0) L1 L2\nmov (16|M0) r32.0<1>:d 2:d\nelse (16|M0) L2 L2\n"
        "L1:\nmov (16|M0) r32.0<1>:d r30.0<8;8,1>:d\nL2:\nendif (16|M0) L3\nL3:\n"
        "call (16|M0) r60.0 L4\n(f0.0) goto (16|M0) L5 L5\n(W&f0.0) jmpi L3\n"
        "L5:\njoin (16|M0) L5\n(f0.0) while (16|M0) L3\n" EOT "L4:\nret (16|M0) r60.0\n",
        0, &size);
    assert_non_null(code);
    uint8_t bytes[1024];
    assert_true(size <= sizeof bytes);
    uint64_t state = 11;
    unsigned rewritten = 0;
    for (int round = 0; round < 6000; round++) {
        memcpy(bytes, code, size);
        for (int hits = 1 + round % 5; hits > 0; hits--) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[(state >> 33) % size] ^= (uint8_t)(1u << (state >> 60 & 7));
        }
        struct fixture f = {.size = size};
        struct sonde_register_range range = {64 * 32, 64};
        struct sonde_kernel_info info = {.name = "damaged",
                                         .platform = SONDE_GEN_PLATFORM_GEN9,
                                         .isa = bytes,
                                         .isa_size = size,
                                         .free_ranges = &range,
                                         .free_range_count = 1,
                                         .has_free_ranges = round % 2,
                                         .scratch_size = 64};
        struct sonde_coder_options options = {.maximum_threads = 1,
                                              .use_own_liveness = round % 3 == 0};
        if (sonde_kernel_create(&info, &f.kernel, &f.error) != SONDE_OK)
            continue;
        if (sonde_instrument_create(f.kernel, &options, &f.instrument, &f.error) == SONDE_OK) {
            f.coder = sonde_instrument_coder(f.instrument);
            struct sonde_procedure *procedure = counter(&f, 32, 0);
            for (uint32_t b = 0; b < sonde_kernel_block_count(f.kernel); b++)
                sonde_instrument_block(f.instrument, b, b % 2 ? SONDE_AFTER : SONDE_BEFORE,
                                       procedure, &f.error);
            for (size_t e = 0; e < sonde_kernel_edge_count(f.kernel); e++)
                sonde_instrument_edge(f.instrument, e, procedure, &f.error);
            rewritten += sonde_instrument_emit(f.instrument, &f.out, &f.error) == SONDE_OK;
        }
        close_fixture(&f);
    }
    assert_true(rewritten > 500);
}

int main(void)
{
    iga = iga_open();
    if (iga == NULL)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_removal),
        cmocka_unit_test(counter_cost),
        cmocka_unit_test(untouched_first),
        cmocka_unit_test(sparing),
        cmocka_unit_test(counters_make_room),
        cmocka_unit_test(counted_where_the_thread_goes),
        cmocka_unit_test(products_are_kept),
        cmocka_unit_test(observed_registers),
        cmocka_unit_test(passes),
        cmocka_unit_test(several_exits),
        cmocka_unit_test(spilling),
        cmocka_unit_test(sequences_stay_together),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(what_cannot_be_instrumented),
        cmocka_unit_test(damaged_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
