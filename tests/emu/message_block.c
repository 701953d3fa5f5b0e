/* Block and scratch messages, fences, gateway and end of thread. */
#include "message_fixture.h"

#define BASE UINT64_C(0x7fab00001000)

static struct emu_worker *worker_with_memory(void)
{
    struct emu_worker *worker = fixture_create(NULL);

    fixture_map(worker, BASE, 4 * EMU_PAGE_SIZE);
    fixture_map(worker, FIXTURE_GENERAL, 8 * EMU_PAGE_SIZE);
    fixture_buffer(worker, 7, BASE, 3 * EMU_PAGE_SIZE);
    for (unsigned i = 0; i < EMU_SLM_MAX; i++)
        worker->slm[i] = fixture_pattern(i);
    return worker;
}

struct block {
    uint8_t layout, model, size, elements, shift;
    uint64_t at;   /* byte offset into the space; A64: the address */
    uint64_t base; /* of the space */
};

static const struct block blocks[] = {
    {SONDE_GEN_LAYOUT_OWORD_BLOCK, SONDE_GEN_ADDRESS_SURFACE, 16, 1, 4, 48, BASE},
    {SONDE_GEN_LAYOUT_OWORD_BLOCK, SONDE_GEN_ADDRESS_SURFACE, 16, 8, 4, 4096 - 64, BASE},
    {SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED, SONDE_GEN_ADDRESS_SURFACE, 16, 2, 0, 4, BASE},
    {SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED, SONDE_GEN_ADDRESS_SURFACE, 16, 4, 0, 4092, BASE},
    {SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED, SONDE_GEN_ADDRESS_STATELESS, 16, 8, 0, 0x1234,
     FIXTURE_GENERAL + 0x400},
    {SONDE_GEN_LAYOUT_OWORD_BLOCK, SONDE_GEN_ADDRESS_SLM, 16, 8, 4, 512, 0},
    {SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED, SONDE_GEN_ADDRESS_A64, 16, 8, 0, BASE + 4060, 0},
    {SONDE_GEN_LAYOUT_OWORD_BLOCK, SONDE_GEN_ADDRESS_A64, 16, 4, 0, BASE + 32, 0},
    {SONDE_GEN_LAYOUT_HWORD_BLOCK, SONDE_GEN_ADDRESS_A64, 32, 8, 0, BASE + 4000, 0},
    {SONDE_GEN_LAYOUT_SCRATCH_BLOCK, SONDE_GEN_ADDRESS_SCRATCH, 32, 4, 0, 96,
     FIXTURE_GENERAL + 0x400},
    {SONDE_GEN_LAYOUT_SCRATCH_BLOCK, SONDE_GEN_ADDRESS_SCRATCH, 32, 8, 0, 3072,
     FIXTURE_GENERAL + 0x400},
};

static unsigned block_bytes(const struct block *block)
{
    return (unsigned)block->size * block->elements;
}

static void set_block(struct emu_worker *worker, const struct block *block, bool write, bool split)
{
    uint32_t header[8] = {[5] = 0x400 | 0x3}; /* scratch pointer and thread number */
    unsigned data = (block_bytes(block) + 31) / 32;

    if (block->model == SONDE_GEN_ADDRESS_A64)
        memcpy(header, &block->at, 8);
    else
        header[2] = (uint32_t)(block->at >> block->shift);
    memcpy(fixture_grf(worker, FIXTURE_SRC0), header, 32);
    worker->message = (struct sonde_gen_message){
        .operation = write ? SONDE_GEN_MESSAGE_WRITE : SONDE_GEN_MESSAGE_READ,
        .layout = block->layout,
        .address_model = block->model,
        .bti = 7,
        .simd = 1,
        .element_size = block->size,
        .elements = block->elements,
        .address_shift = block->shift,
        .scratch_offset = (uint32_t)block->at,
        .header = true,
        .returns_data = !write,
        .payload_registers = (uint8_t)(1 + (write && !split ? data : 0)),
        .response_registers = (uint8_t)(write ? 0 : data),
        .src1_registers = (uint8_t)(write && split ? data : 0),
    };
}

static void get(struct emu_worker *worker, const struct block *block, uint8_t *data)
{
    if (block->model == SONDE_GEN_ADDRESS_SLM)
        memcpy(data, worker->slm + block->at, block_bytes(block));
    else
        fixture_get(worker, block->base + block->at, data, block_bytes(block));
}

static void every_block(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    uint8_t expected[256], before[32];

    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const struct block *block = &blocks[i];
        unsigned size = block_bytes(block);

        fixture_fill_registers(worker);
        set_block(worker, block, false, false);
        memcpy(before, fixture_grf(worker, FIXTURE_DST + (size + 31) / 32), 32);
        get(worker, block, expected);
        assert_int_equal(fixture_run(worker, 0xffff, false), EMU_MESSAGE_DONE);
        assert_memory_equal(expected, fixture_grf(worker, FIXTURE_DST), size);
        assert_memory_equal(before, fixture_grf(worker, FIXTURE_DST + (size + 31) / 32), 32);

        for (unsigned split = 0; split < 2; split++) {
            fixture_fill_registers(worker);
            set_block(worker, block, true, split);
            assert_int_equal(fixture_run(worker, 0xffff, split), EMU_MESSAGE_DONE);
            get(worker, block, expected);
            assert_memory_equal(expected,
                                fixture_grf(worker, split ? FIXTURE_SRC1 : FIXTURE_SRC0 + 1), size);
        }
        assert_int_equal(worker->outside, 0);
        assert_true(fixture_written(worker, block->base + block->at) ||
                    block->model == SONDE_GEN_ADDRESS_SLM);
    }
    fixture_destroy(worker, true);
}

static void block_over_the_end(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    const struct block block = {
        SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED, SONDE_GEN_ADDRESS_SURFACE, 16, 4, 0, 68, BASE};
    uint8_t expected[64] = {0}, after[64];

    (void)state;
    fixture_buffer(worker, 7, BASE, 100);
    fixture_get(worker, BASE + 68, expected, 32);
    set_block(worker, &block, false, false);
    assert_int_equal(fixture_run(worker, 0xffff, false), EMU_MESSAGE_DONE);
    assert_memory_equal(expected, fixture_grf(worker, FIXTURE_DST), 64);
    assert_int_equal(worker->outside, 1);

    fixture_get(worker, BASE + 68, expected, 64);
    set_block(worker, &block, true, true);
    assert_int_equal(fixture_run(worker, 0xffff, true), EMU_MESSAGE_DONE);
    memcpy(expected, fixture_grf(worker, FIXTURE_SRC1), 32);
    fixture_get(worker, BASE + 68, after, 64);
    assert_memory_equal(expected, after, 64);
    fixture_destroy(worker, true);
}

/* Dword n of a spill belongs to channel n. */
static void scratch_write_obeys_the_mask(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    const struct block block = {
        SONDE_GEN_LAYOUT_SCRATCH_BLOCK, SONDE_GEN_ADDRESS_SCRATCH, 32, 2, 0, 64,
        FIXTURE_GENERAL + 0x400};
    uint8_t before[64], after[64];

    (void)state;
    set_block(worker, &block, true, true);
    get(worker, &block, before);
    assert_int_equal(fixture_run(worker, 0x8421, true), EMU_MESSAGE_DONE);
    get(worker, &block, after);
    for (unsigned channel = 0; channel < 16; channel++) {
        bool stored = 0x8421 >> channel & 1;
        assert_memory_equal(after + 4 * channel,
                            (stored ? fixture_grf(worker, FIXTURE_SRC1) : before) + 4 * channel, 4);
    }
    fixture_destroy(worker, true);
}

static void unmapped_scratch_faults(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    const struct block block = {
        SONDE_GEN_LAYOUT_SCRATCH_BLOCK, SONDE_GEN_ADDRESS_SCRATCH, 32, 1, 0, 9 * EMU_PAGE_SIZE,
        FIXTURE_GENERAL + 0x400};

    (void)state;
    for (unsigned write = 0; write < 2; write++) {
        set_block(worker, &block, write, write);
        assert_int_equal(fixture_run(worker, 0xff, write), EMU_MESSAGE_FAULT);
        assert_non_null(strstr(worker->fault, "scratch"));
    }
    fixture_destroy(worker, true);
}

static void control_messages(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    uint8_t zero[32] = {0};

    (void)state;
    worker->message = (struct sonde_gen_message){.operation = SONDE_GEN_MESSAGE_FENCE,
                                                 .header = true,
                                                 .fence_commit = true,
                                                 .payload_registers = 1,
                                                 .response_registers = 1};
    assert_int_equal(fixture_run(worker, 1, false), EMU_MESSAGE_DONE);
    assert_memory_equal(fixture_grf(worker, FIXTURE_DST), zero, 32);
    worker->message =
        (struct sonde_gen_message){.operation = SONDE_GEN_MESSAGE_BARRIER, .payload_registers = 1};
    assert_int_equal(fixture_run(worker, 1, false), EMU_MESSAGE_BARRIER);
    worker->message = (struct sonde_gen_message){.operation = SONDE_GEN_MESSAGE_END_OF_THREAD,
                                                 .payload_registers = 1};
    assert_int_equal(fixture_run(worker, 1, false), EMU_MESSAGE_END_OF_THREAD);
    worker->message = (struct sonde_gen_message){
        .operation = SONDE_GEN_MESSAGE_GATEWAY, .gateway_function = 2, .payload_registers = 1};
    assert_int_equal(fixture_run(worker, 1, false), EMU_MESSAGE_FAULT);
    worker->message = (struct sonde_gen_message){.operation = SONDE_GEN_MESSAGE_UNKNOWN};
    assert_int_equal(fixture_run(worker, 1, false), EMU_MESSAGE_FAULT);
    fixture_destroy(worker, true);
}

static void spans_and_copies(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    uint8_t data[64], expected[64];

    (void)state;
    assert_null(emu_memory_span(worker, BASE + 4090, 8, false));
    assert_null(emu_memory_span(worker, UINT64_C(0x10), 8, false));
    uint8_t *span = emu_memory_span(worker, BASE + 4088, 8, true);
    assert_non_null(span);
    fixture_get(worker, BASE + 4088, expected, 8);
    assert_memory_equal(span, expected, 8);
    assert_true(fixture_written(worker, BASE));
    /* Canonical addresses have bits 63:48 set to bit 47. */
    assert_true(emu_memory_read(worker, FIXTURE_SURFACES | UINT64_C(0xffff) << 48, data, 64));
    fixture_get(worker, FIXTURE_SURFACES, expected, 64);
    assert_memory_equal(data, expected, 64);
    /* The last page, and 32 bytes after it. */
    assert_false(emu_memory_read(worker, BASE + 4 * EMU_PAGE_SIZE - 32, data, 64));
    fixture_get(worker, BASE + 4 * EMU_PAGE_SIZE - 32, expected, 32);
    memset(expected + 32, 0, 32);
    assert_memory_equal(data, expected, 64);
    assert_false(emu_memory_write(worker, BASE + 4 * EMU_PAGE_SIZE - 32, expected + 16, 64));
    fixture_destroy(worker, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block),
        cmocka_unit_test(block_over_the_end),
        cmocka_unit_test(scratch_write_obeys_the_mask),
        cmocka_unit_test(unmapped_scratch_faults),
        cmocka_unit_test(control_messages),
        cmocka_unit_test(spans_and_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
