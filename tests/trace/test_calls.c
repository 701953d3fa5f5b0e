/* Call events of a firmware: what is written is read back, from files that
 * are cut at any byte or have holes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/format.h"
#include "trace/reader.h"

enum { EVENTS = 500, EVENTS_AT_ONCE = 100 };

static const struct sonde_trace_symbol symbols[] = {
    {"main", 0xc000, 20, true}, {"stacks", 0x200, 192, false}, {"far", 0x1c000, 0, true}};

static struct sonde_trace_call event(uint32_t i)
{
    /* Cycles beyond 32 bits, and steps of 0. */
    return (struct sonde_trace_call){.cycle = ((uint64_t)i / 3) * 0x12345678901u,
                                     .address = (i * 7919) & 0xfffff,
                                     .sp = (0x400 - i) & 0xfffff,
                                     .vector = i % 7 == 2 ? 0xfff2 : 0,
                                     .kind = (uint8_t)(i % 7)};
}

static void check_event(const struct sonde_trace_call *got, uint32_t i)
{
    struct sonde_trace_call want = event(i);
    assert_int_equal(got->cycle, want.cycle);
    assert_int_equal(got->address, want.address);
    assert_int_equal(got->sp, want.sp);
    assert_int_equal(got->vector, want.vector);
    assert_int_equal(got->kind, want.kind);
}

/* A whole file; events of the section number `hole` are not written. */
static uint8_t *make_file(size_t *size, uint32_t hole)
{
    char directory[] = "/tmp/sonde-test-calls-XXXXXX", path[512] = "";
    assert_non_null(mkdtemp(directory));
    struct sonde_trace_header header = {.device = "msp430g2553"};
    struct sonde_trace_writer *writer;
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    struct sonde_trace_firmware firmware = {.is_extended = true,
                                            .enter_word = 0x13c1,
                                            .exit_word = 0x13c2,
                                            .return_cycles = 4,
                                            .interrupt_return_cycles = 5,
                                            .data_end = 0x2c0,
                                            .symbols = symbols,
                                            .symbol_count = 3};
    assert_int_equal(sonde_trace_write_firmware(writer, &firmware, NULL), SONDE_OK);
    for (uint32_t at = 0; at < EVENTS; at += EVENTS_AT_ONCE) {
        struct sonde_trace_call calls[EVENTS_AT_ONCE];
        for (uint32_t i = 0; i < EVENTS_AT_ONCE; i++)
            calls[i] = event(at + i);
        /* A kind that is none makes the reader drop the section. */
        if (at / EVENTS_AT_ONCE == hole)
            calls[50].kind = SONDE_TRACE_CALL_LOST;
        assert_int_equal(sonde_trace_write_calls(writer, calls, EVENTS_AT_ONCE, NULL), SONDE_OK);
    }
    struct sonde_trace_firmware_end end = {.cycles = event(EVENTS).cycle,
                                           .idle_cycles = 77,
                                           .instructions = 1234,
                                           .interrupts = 5,
                                           .address = 0xc012,
                                           .sp = 0x3fe,
                                           .is_fault = true,
                                           .reason = "undefined opcode"};
    assert_int_equal(sonde_trace_write_firmware_end(writer, &end, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);
    DIR *handle = opendir(directory);
    for (struct dirent *entry; (entry = readdir(handle)) != NULL;)
        if (strncmp(entry->d_name, "process-", 8) == 0)
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    closedir(handle);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    assert_int_equal(system(command), 0);
    return data;
}

static void test_round_trip(void **state)
{
    (void)state;
    size_t size, count;
    uint8_t *data = make_file(&size, UINT32_MAX);
    struct sonde_trace *trace;
    assert_int_equal(trace_open_bytes(data, size, &trace, NULL), SONDE_OK);
    assert_null(sonde_trace_warning(trace));
    const struct sonde_trace_firmware *firmware = sonde_trace_firmware(trace);
    assert_non_null(firmware);
    assert_true(firmware->is_extended);
    assert_int_equal(firmware->enter_word, 0x13c1);
    assert_int_equal(firmware->exit_word, 0x13c2);
    assert_int_equal(firmware->return_cycles, 4);
    assert_int_equal(firmware->interrupt_return_cycles, 5);
    assert_int_equal(firmware->data_end, 0x2c0);
    assert_int_equal(firmware->symbol_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(firmware->symbols[i].name, symbols[i].name);
        assert_int_equal(firmware->symbols[i].address, symbols[i].address);
        assert_int_equal(firmware->symbols[i].size, symbols[i].size);
        assert_int_equal(firmware->symbols[i].is_function, symbols[i].is_function);
    }
    const struct sonde_trace_call *calls = sonde_trace_calls(trace, &count);
    assert_int_equal(count, EVENTS);
    for (uint32_t i = 0; i < EVENTS; i++)
        check_event(&calls[i], i);
    const struct sonde_trace_firmware_end *end = sonde_trace_firmware_end(trace);
    assert_non_null(end);
    assert_int_equal(end->cycles, event(EVENTS).cycle);
    assert_int_equal(end->idle_cycles, 77);
    assert_int_equal(end->instructions, 1234);
    assert_int_equal(end->interrupts, 5);
    assert_int_equal(end->address, 0xc012);
    assert_int_equal(end->sp, 0x3fe);
    assert_true(end->is_fault);
    assert_string_equal(end->reason, "undefined opcode");
    sonde_trace_close(trace);
    free(data);
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    size_t size, most = 0;
    uint8_t *data = make_file(&size, UINT32_MAX);
    for (size_t cut = TRACE_HEADER_BYTES; cut < size; cut++) {
        /* A copy of its own, so that a checker of memory sees the end. */
        uint8_t *part = malloc(cut);
        memcpy(part, data, cut);
        struct sonde_trace *trace;
        size_t count;
        assert_int_equal(trace_open_bytes(part, cut, &trace, NULL), SONDE_OK);
        assert_non_null(sonde_trace_warning(trace));
        const struct sonde_trace_call *calls = sonde_trace_calls(trace, &count);
        assert_int_equal(count % EVENTS_AT_ONCE, 0);
        assert_true(count >= most && count <= most + EVENTS_AT_ONCE);
        for (size_t i = 0; i < count; i++)
            check_event(&calls[i], (uint32_t)i);
        most = count;
        sonde_trace_close(trace);
        free(part);
    }
    assert_int_equal(most, EVENTS);
    free(data);
}

static void test_holes_are_losses(void **state)
{
    (void)state;
    for (uint32_t hole = 0; hole < EVENTS / EVENTS_AT_ONCE; hole++) {
        size_t size, count;
        uint8_t *data = make_file(&size, hole);
        struct sonde_trace *trace;
        assert_int_equal(trace_open_bytes(data, size, &trace, NULL), SONDE_OK);
        assert_non_null(strstr(sonde_trace_warning(trace), "unusable"));
        const struct sonde_trace_call *calls = sonde_trace_calls(trace, &count);
        assert_int_equal(count, EVENTS - EVENTS_AT_ONCE + 1);
        size_t at = hole * EVENTS_AT_ONCE;
        assert_int_equal(calls[at].kind, SONDE_TRACE_CALL_LOST);
        assert_int_equal(calls[at].address, EVENTS_AT_ONCE);
        for (size_t i = 0; i < count; i++) {
            if (i < at)
                check_event(&calls[i], (uint32_t)i);
            else if (i > at)
                check_event(&calls[i], (uint32_t)(i + EVENTS_AT_ONCE - 1));
            assert_true(i == 0 || calls[i].cycle >= calls[i - 1].cycle);
        }
        sonde_trace_close(trace);
        free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_holes_are_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
