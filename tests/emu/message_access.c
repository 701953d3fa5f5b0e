/* Untyped and scattered messages against what a byte-by-byte model computes. */
#include "message_fixture.h"

#define BASE UINT64_C(0x7fab00001000)

struct shape {
    uint8_t layout, model, size, slot, elements, mask, shift, simd;
};

/* Byte address of each channel of the message. */
static uint64_t addresses[32];

static unsigned address_size(const struct shape *shape)
{
    return shape->model == SONDE_GEN_ADDRESS_A64 ? 8 : 4;
}

static unsigned registers(unsigned bytes)
{
    return bytes < 32 ? 1 : bytes / 32;
}

static uint64_t space_base(const struct shape *shape)
{
    switch (shape->model) {
    case SONDE_GEN_ADDRESS_SURFACE:
        return BASE;
    case SONDE_GEN_ADDRESS_STATELESS:
        return FIXTURE_GENERAL;
    default:
        return 0;
    }
}

static void set_addresses(struct emu_worker *worker, const struct shape *shape)
{
    for (unsigned lane = 0; lane < shape->simd; lane++) {
        uint64_t value = (addresses[lane] - space_base(shape)) >> shape->shift;
        memcpy(fixture_grf(worker, FIXTURE_SRC0) + (size_t)lane * address_size(shape), &value,
               address_size(shape));
    }
}

static void set_message(struct emu_worker *worker, const struct shape *shape, bool write,
                        bool split)
{
    unsigned items = shape->layout == SONDE_GEN_LAYOUT_UNTYPED
                         ? (unsigned)__builtin_popcount(shape->mask)
                         : shape->elements;
    unsigned data = items * registers(shape->simd * (unsigned)shape->slot);
    unsigned address = registers(shape->simd * address_size(shape));

    worker->message = (struct sonde_gen_message){
        .operation = write ? SONDE_GEN_MESSAGE_WRITE : SONDE_GEN_MESSAGE_READ,
        .layout = shape->layout,
        .address_model = shape->model,
        .bti = 3,
        .simd = shape->simd,
        .element_size = shape->size,
        .element_slot = shape->slot,
        .elements = shape->elements,
        .component_mask = shape->mask,
        .address_shift = shape->shift,
        .returns_data = !write,
        .address_registers = (uint8_t)address,
        .payload_registers = (uint8_t)(address + (write && !split ? data : 0)),
        .response_registers = (uint8_t)(write ? 0 : data),
        .src1_registers = (uint8_t)(write && split ? data : 0),
    };
}

static uint8_t *slot_of(struct emu_worker *worker, const struct shape *shape, bool write,
                        bool split, unsigned component, unsigned lane)
{
    unsigned first = !write  ? FIXTURE_DST
                     : split ? FIXTURE_SRC1
                             : FIXTURE_SRC0 + registers(shape->simd * address_size(shape));
    unsigned stride = registers(shape->simd * (unsigned)shape->slot) * 32;

    return fixture_grf(worker, first) + component * stride + lane * shape->slot;
}

static uint8_t model_read(struct emu_worker *worker, const struct shape *shape, uint64_t address)
{
    uint8_t byte;

    if (shape->model == SONDE_GEN_ADDRESS_SLM)
        return worker->slm[address];
    fixture_get(worker, address, &byte, 1);
    return byte;
}

static void check(struct emu_worker *worker, const struct shape *shape, bool write, bool split,
                  uint32_t enabled)
{
    static uint8_t before[sizeof worker->grf];
    uint64_t low = UINT64_MAX, high = 0;
    static uint8_t memory[3 * EMU_PAGE_SIZE];

    fixture_fill_registers(worker);
    set_addresses(worker, shape);
    set_message(worker, shape, write, split);
    memcpy(before, worker->grf, sizeof before);
    for (unsigned lane = 0; lane < shape->simd; lane++) {
        low = addresses[lane] < low ? addresses[lane] : low;
        high = addresses[lane] + 64 > high ? addresses[lane] + 64 : high;
    }
    assert_true(high - low <= sizeof memory);
    for (uint64_t at = low; at < high; at++)
        memory[at - low] = model_read(worker, shape, at);

    assert_int_equal(fixture_run(worker, enabled, split), EMU_MESSAGE_DONE);

    /* The model: channel by channel, component by component. */
    for (unsigned lane = 0; lane < shape->simd; lane++) {
        unsigned component = 0;
        if (!(enabled >> lane & 1))
            continue;
        for (unsigned element = 0; element < 8; element++) {
            bool present = shape->layout == SONDE_GEN_LAYOUT_UNTYPED ? shape->mask >> element & 1
                                                                     : element < shape->elements;
            uint64_t at = addresses[lane] + element * (uint64_t)shape->size - low;
            if (!present)
                continue;
            uint8_t *slot = slot_of(worker, shape, write, split, component, lane);
            uint8_t *expected = before + (slot - worker->grf);
            if (write) {
                memcpy(memory + at, slot, shape->size);
            } else {
                memset(expected, 0, shape->slot);
                memcpy(expected, memory + at, shape->size);
            }
            component++;
        }
    }
    assert_memory_equal(before, worker->grf, sizeof before);
    for (uint64_t at = low; at < high; at++)
        assert_int_equal(memory[at - low], model_read(worker, shape, at));
    assert_int_equal(worker->outside, 0);
}

static void choose_addresses(const struct shape *shape, unsigned pattern)
{
    uint64_t base = space_base(shape), unit = shape->size;
    /* BTI surfaces start at BASE; A64 uses the same memory. */
    if (shape->model == SONDE_GEN_ADDRESS_A64)
        base = BASE;
    uint64_t start = base + (pattern & 1 ? EMU_PAGE_SIZE - 5 * unit : 16 * unit);
    uint64_t item = shape->layout == SONDE_GEN_LAYOUT_UNTYPED ? 4 : unit;

    for (unsigned lane = 0; lane < shape->simd; lane++) {
        switch (pattern >> 1) {
        case 0: /* contiguous */
            addresses[lane] = start + lane * item;
            break;
        case 1: /* contiguous but for one channel */
            addresses[lane] = start + (lane == 6 ? 2 : lane) * item;
            break;
        case 2: /* all the same */
            addresses[lane] = start;
            break;
        case 3: /* backwards, spread */
            addresses[lane] = start + (shape->simd - lane) * 3 * item;
            break;
        default: /* anywhere */
            addresses[lane] = base + fixture_random() % 1500 * item;
        }
    }
}

static const struct shape shapes[] = {
#define UNTYPED(model, mask, simd)                                                                 \
    {                                                                                              \
        SONDE_GEN_LAYOUT_UNTYPED, model, 4, 4, 0, mask, 0, simd                                    \
    }
    UNTYPED(SONDE_GEN_ADDRESS_SURFACE, 0x1, 8),
    UNTYPED(SONDE_GEN_ADDRESS_SURFACE, 0x1, 16),
    UNTYPED(SONDE_GEN_ADDRESS_SURFACE, 0xf, 8),
    UNTYPED(SONDE_GEN_ADDRESS_SURFACE, 0x7, 16),
    UNTYPED(SONDE_GEN_ADDRESS_SURFACE, 0xa, 16),
    UNTYPED(SONDE_GEN_ADDRESS_SLM, 0x1, 16),
    UNTYPED(SONDE_GEN_ADDRESS_SLM, 0x3, 8),
    UNTYPED(SONDE_GEN_ADDRESS_STATELESS, 0x1, 16),
    UNTYPED(SONDE_GEN_ADDRESS_STATELESS, 0x3, 8),
    UNTYPED(SONDE_GEN_ADDRESS_A64, 0x1, 8),
    UNTYPED(SONDE_GEN_ADDRESS_A64, 0xf, 8),
#define SCATTERED(model, size, slot, elements, shift, simd)                                        \
    {                                                                                              \
        SONDE_GEN_LAYOUT_SCATTERED, model, size, slot, elements, 0, shift, simd                    \
    }
    SCATTERED(SONDE_GEN_ADDRESS_SURFACE, 1, 4, 1, 0, 16),
    SCATTERED(SONDE_GEN_ADDRESS_SURFACE, 2, 4, 1, 0, 16),
    SCATTERED(SONDE_GEN_ADDRESS_SURFACE, 4, 4, 1, 0, 8),
    SCATTERED(SONDE_GEN_ADDRESS_SURFACE, 4, 4, 1, 2, 16), /* dword scattered */
    SCATTERED(SONDE_GEN_ADDRESS_SURFACE, 8, 8, 1, 0, 16),
    SCATTERED(SONDE_GEN_ADDRESS_SLM, 1, 4, 1, 0, 8),
    SCATTERED(SONDE_GEN_ADDRESS_SLM, 2, 4, 1, 0, 16),
    SCATTERED(SONDE_GEN_ADDRESS_STATELESS, 1, 4, 1, 0, 16),
    SCATTERED(SONDE_GEN_ADDRESS_STATELESS, 4, 4, 1, 2, 16),
    SCATTERED(SONDE_GEN_ADDRESS_A64, 1, 4, 1, 0, 16),
    SCATTERED(SONDE_GEN_ADDRESS_A64, 2, 4, 1, 0, 8),
    SCATTERED(SONDE_GEN_ADDRESS_A64, 4, 4, 1, 0, 16),
    SCATTERED(SONDE_GEN_ADDRESS_A64, 4, 4, 4, 0, 8),
    SCATTERED(SONDE_GEN_ADDRESS_A64, 8, 8, 1, 0, 8),
    SCATTERED(SONDE_GEN_ADDRESS_A64, 8, 8, 2, 0, 16),
};

static struct emu_worker *worker_with_memory(void)
{
    struct emu_worker *worker = fixture_create(NULL);

    fixture_map(worker, BASE, 8 * EMU_PAGE_SIZE);
    fixture_map(worker, FIXTURE_GENERAL, 8 * EMU_PAGE_SIZE);
    fixture_buffer(worker, 3, BASE, 7 * EMU_PAGE_SIZE);
    worker->dispatch.slm_size = EMU_SLM_MAX;
    for (unsigned i = 0; i < EMU_SLM_MAX; i++)
        worker->slm[i] = fixture_pattern(i);
    return worker;
}

static void every_form(void **state)
{
    struct emu_worker *worker = worker_with_memory();

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (unsigned pattern = 0; pattern < 12; pattern++) {
            uint32_t all = shapes[i].simd == 16 ? 0xffff : 0xff;
            const uint32_t masks[] = {all, 0, 1, 0x80, fixture_random() & all, 0x5555 & all};
            for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
                for (unsigned form = 0; form < 3; form++) {
                    choose_addresses(&shapes[i], pattern);
                    check(worker, &shapes[i], form != 0, form == 2, masks[m]);
                }
        }
    }
    fixture_destroy(worker, true);
}

static void outside_reads_zero_and_drops_writes(void **state)
{
    static const struct shape shape = UNTYPED(SONDE_GEN_ADDRESS_SURFACE, 0x3, 8);
    struct emu_worker *worker = worker_with_memory();
    uint32_t dword;

    (void)state;
    fixture_buffer(worker, 3, BASE, 100);
    /* x inside, y outside for channel 1; far outside for 2; wrapped for 3. */
    const uint32_t offsets[8] = {92, 96, 4096, 0xfffffffc, 0, 8, 16, 24};
    for (unsigned write = 0; write < 2; write++) {
        uint8_t before[128], after[128];
        fixture_fill_registers(worker);
        memcpy(fixture_grf(worker, FIXTURE_SRC0), offsets, sizeof offsets);
        set_message(worker, &shape, write, false);
        fixture_get(worker, BASE, before, sizeof before);
        worker->outside = 0;
        assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
        assert_int_equal(worker->outside, 3);
        fixture_get(worker, BASE, after, sizeof after);
        if (write) {
            assert_memory_equal(before + 100, after + 100, 28);
            assert_memory_equal(after + 96, fixture_grf(worker, FIXTURE_SRC0 + 1) + 4, 4);
        } else {
            assert_memory_equal(before, after, sizeof before);
            memcpy(&dword, fixture_grf(worker, FIXTURE_DST) + 4, 4);
            assert_memory_equal(&dword, before + 96, 4);
            const unsigned zero[][2] = {{1, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}};
            for (size_t i = 0; i < 5; i++) {
                memcpy(&dword, fixture_grf(worker, FIXTURE_DST + zero[i][0]) + 4 * zero[i][1], 4);
                assert_int_equal(dword, 0);
            }
        }
    }
    fixture_destroy(worker, true);
}

static void beyond_local_memory(void **state)
{
    static const struct shape shape = UNTYPED(SONDE_GEN_ADDRESS_SLM, 0x1, 8);
    struct emu_worker *worker = worker_with_memory();
    const uint32_t offsets[8] = {0, 1020, 1024, 65536, 4, 8, 12, 0x10000010};

    (void)state;
    worker->dispatch.slm_size = 1024;
    memcpy(fixture_grf(worker, FIXTURE_SRC0), offsets, sizeof offsets);
    set_message(worker, &shape, false, false);
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    assert_int_equal(worker->outside, 2);
    uint32_t values[8];
    memcpy(values, fixture_grf(worker, FIXTURE_DST), 32);
    assert_memory_equal(&values[1], worker->slm + 1020, 4);
    assert_int_equal(values[2], 0);
    assert_int_equal(values[3], 0);
    assert_memory_equal(&values[7], worker->slm + 16, 4); /* the mark of a local pointer */
    fixture_destroy(worker, true);
}

static void unmapped_address_faults(void **state)
{
    static const struct shape shape = UNTYPED(SONDE_GEN_ADDRESS_A64, 0x1, 8);
    struct emu_worker *worker = worker_with_memory();

    (void)state;
    for (unsigned write = 0; write < 2; write++) {
        for (unsigned lane = 0; lane < 8; lane++)
            addresses[lane] = BASE + 4 * lane;
        addresses[5] = UINT64_C(0xdead0000);
        set_addresses(worker, &shape);
        set_message(worker, &shape, write, false);
        /* A disabled channel may hold any address. */
        assert_int_equal(fixture_run(worker, 0xdf, false), EMU_MESSAGE_DONE);
        assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_FAULT);
        assert_non_null(strstr(worker->fault, "0xdead0000"));
        assert_non_null(strstr(worker->fault, "channel 5"));
    }
    fixture_destroy(worker, true);
}

/* Byte stores through a surface that starts inside an allocation and through
 * the same 64-bit addresses reach the same bytes and no others. */
static void surface_and_a64_agree(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    static const struct shape forms[] = {SCATTERED(SONDE_GEN_ADDRESS_SURFACE, 1, 4, 1, 0, 16),
                                         SCATTERED(SONDE_GEN_ADDRESS_A64, 1, 4, 1, 0, 16)};
    uint8_t images[2][EMU_PAGE_SIZE];

    (void)state;
    for (unsigned form = 0; form < 2; form++) {
        for (unsigned i = 0; i < EMU_PAGE_SIZE; i++) {
            uint8_t byte = fixture_pattern(i);
            fixture_put(worker, BASE + i, &byte, 1);
        }
        fixture_buffer(worker, 3, BASE + 132, 64);
        for (unsigned lane = 0; lane < 16; lane++)
            addresses[lane] = BASE + 132 + 3 * lane;
        set_addresses(worker, &forms[form]);
        if (form == 0) /* offsets are relative to the surface */
            for (unsigned lane = 0; lane < 16; lane++) {
                uint32_t offset = 3 * lane;
                memcpy(fixture_grf(worker, FIXTURE_SRC0) + 4 * lane, &offset, 4);
            }
        for (unsigned lane = 0; lane < 16; lane++) {
            uint32_t value = 0xaabbcc00u | (lane + 1);
            memcpy(fixture_grf(worker, FIXTURE_SRC1) + 4 * lane, &value, 4);
        }
        set_message(worker, &forms[form], true, true);
        assert_int_equal(fixture_run(worker, 0x0fff, true), EMU_MESSAGE_DONE);
        fixture_get(worker, BASE, images[form], EMU_PAGE_SIZE);
    }
    assert_memory_equal(images[0], images[1], EMU_PAGE_SIZE);
    for (unsigned i = 0; i < EMU_PAGE_SIZE; i++) {
        bool stored = i >= 132 && (i - 132) % 3 == 0 && (i - 132) / 3 < 12;
        assert_int_equal(images[0][i], stored ? (i - 132) / 3 + 1 : fixture_pattern(i));
    }
    fixture_destroy(worker, true);
}

/* The header of a stateless message: buffer base in dword 5, global offset in
 * dword 2. */
static void stateless_header(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    uint32_t header[8] = {[2] = 3, [5] = 0x1000 | 0x1ff};

    (void)state;
    memcpy(fixture_grf(worker, FIXTURE_SRC0), header, 32);
    for (uint32_t lane = 0; lane < 8; lane++)
        memcpy(fixture_grf(worker, FIXTURE_SRC0 + 1) + 4 * lane, &lane, 4);
    worker->message = (struct sonde_gen_message){
        .operation = SONDE_GEN_MESSAGE_READ,
        .layout = SONDE_GEN_LAYOUT_SCATTERED,
        .address_model = SONDE_GEN_ADDRESS_STATELESS,
        .simd = 8,
        .element_size = 4,
        .element_slot = 4,
        .elements = 1,
        .address_shift = 2,
        .header = true,
        .returns_data = true,
        .payload_registers = 2,
        .response_registers = 1,
    };
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    uint8_t expected[32];
    fixture_get(worker, FIXTURE_GENERAL + 0x1000 + 12, expected, 32);
    assert_memory_equal(expected, fixture_grf(worker, FIXTURE_DST), 32);
    fixture_destroy(worker, true);
}

static void short_operands_are_refused(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    static const struct shape shape = UNTYPED(SONDE_GEN_ADDRESS_SURFACE, 0xf, 16);

    (void)state;
    set_message(worker, &shape, false, false);
    worker->message.response_registers = 7;
    assert_int_equal(fixture_run(worker, 0xffff, false), EMU_MESSAGE_FAULT);
    set_message(worker, &shape, true, false);
    worker->message.payload_registers = 9;
    assert_int_equal(fixture_run(worker, 0xffff, false), EMU_MESSAGE_FAULT);
    worker->message.payload_registers = 255;
    assert_int_equal(fixture_run(worker, 0xffff, false), EMU_MESSAGE_FAULT);
    assert_non_null(strstr(worker->fault, "past the last register"));
    fixture_destroy(worker, true);
}

/* SIMD4x2: two addresses, four components each. */
static void two_vectors(void **state)
{
    struct emu_worker *worker = worker_with_memory();
    uint32_t header[8] = {[0] = 16, [4] = 160};
    uint8_t expected[32];

    (void)state;
    memcpy(fixture_grf(worker, FIXTURE_SRC0), header, 32);
    worker->message = (struct sonde_gen_message){
        .operation = SONDE_GEN_MESSAGE_READ,
        .layout = SONDE_GEN_LAYOUT_UNTYPED,
        .address_model = SONDE_GEN_ADDRESS_SURFACE,
        .bti = 3,
        .simd = 4,
        .element_size = 4,
        .element_slot = 4,
        .component_mask = 0x7,
        .returns_data = true,
        .payload_registers = 1,
        .response_registers = 1,
    };
    memcpy(expected, fixture_grf(worker, FIXTURE_DST), 32);
    fixture_get(worker, BASE + 16, expected, 12);
    fixture_get(worker, BASE + 160, expected + 16, 12);
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    assert_memory_equal(expected, fixture_grf(worker, FIXTURE_DST), 32);
    fixture_destroy(worker, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(outside_reads_zero_and_drops_writes),
        cmocka_unit_test(beyond_local_memory),
        cmocka_unit_test(unmapped_address_faults),
        cmocka_unit_test(surface_and_a64_agree),
        cmocka_unit_test(stateless_header),
        cmocka_unit_test(short_operands_are_refused),
        cmocka_unit_test(two_vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
