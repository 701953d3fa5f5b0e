/* What is written is read, by the index as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "sample.h"
#include "trace/reader.h"

static void test_round_trip(void **state)
{
    (void)state;
    char *directory = fixture_path("round");
    assert_int_equal(sonde_trace_directory_create(directory, NULL), SONDE_OK);
    fixture_write(directory, 5);
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_null(sonde_trace_warning(trace));
    const struct sonde_trace_header *header = sonde_trace_header(trace);
    assert_string_equal(header->command_line, "./app 'a b'");
    assert_string_equal(header->device, "emu:skl");
    assert_string_equal(header->driver, "NEO 22.43");
    assert_string_equal(header->tools, "opcodeprof");
    assert_string_equal(header->mode, "instrument");
    assert_string_equal(header->registers, "recompile");
    assert_string_equal(header->program, "");
    assert_string_equal(header->writer, SONDE_VERSION);
    assert_int_equal(header->clock_frequency, 12000000);
    assert_int_equal(header->start_time, 1700000000000000000u);
    assert_int_equal(header->process, 4711);
    assert_int_equal(sonde_trace_kernel_count(trace), 2);
    assert_int_equal(sonde_trace_dispatch_count(trace), 5);
    assert_int_equal(sonde_trace_block_counts_count(trace), 4);
    fixture_check_subset(trace, 5);
    assert_true(sonde_trace_dispatch(trace, 3)->complete);
    assert_false(sonde_trace_dispatch(trace, 4)->complete);
    assert_int_equal(sonde_trace_loss_count(trace), 1);
    assert_int_equal(sonde_trace_loss(trace, 0)->dispatch, 4);
    assert_string_equal(sonde_trace_loss(trace, 0)->reason, "never finished");
    assert_int_equal(sonde_trace_message_count(trace), 1);
    assert_string_equal(sonde_trace_message(trace, 0)->text, "hello");
    assert_true(sonde_trace_process_ended(trace, 0));
    sonde_trace_close(trace);
}

static void test_records(void **state)
{
    (void)state;
    struct sonde_trace *trace;
    char *directory = fixture_path("records");
    fixture_write(directory, 4);
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_null(sonde_trace_warning(trace));
    struct sonde_record_layout wanted = sample_layout();
    const struct sonde_record_layout *layout = sonde_trace_record_layout(trace, 0);
    assert_null(sonde_trace_record_layout(trace, 1));
    assert_non_null(layout);
    assert_int_equal(layout->block_count, wanted.block_count);
    assert_int_equal(layout->item_count, wanted.item_count);
    for (size_t b = 0; b < wanted.block_count; b++) {
        assert_int_equal(layout->blocks[b].size, wanted.blocks[b].size);
        assert_int_equal(layout->blocks[b].item_count, wanted.blocks[b].item_count);
    }
    for (size_t i = 0; i < wanted.item_count; i++) {
        assert_int_equal(layout->items[i].point.kind, wanted.items[i].point.kind);
        assert_int_equal(layout->items[i].offset, wanted.items[i].offset);
        assert_int_equal(layout->items[i].size, wanted.items[i].size);
    }
    assert_int_equal(sonde_trace_records_count(trace), 3);
    assert_int_equal(sonde_trace_record_totals_count(trace), 3);
    for (uint32_t d = 0; d < 3; d++) {
        uint8_t data[SAMPLE_RECORD_BYTES], expected[SAMPLE_RECORD_BYTES];
        const struct sonde_trace_records *records = sonde_trace_records(trace, d);
        const struct sonde_trace_record_totals *totals = sonde_trace_record_totals(trace, d);
        sample_records(d, expected);
        assert_int_equal(records->dispatch, d);
        assert_int_equal(records->size, sizeof data);
        assert_int_equal(records->time_last, 12);
        assert_int_equal(sonde_trace_read_records(trace, d, data, NULL), SONDE_OK);
        assert_memory_equal(data, expected, sizeof data);
        assert_string_equal(totals->mode, "sized");
        assert_int_equal(totals->predicted, totals->used + totals->lost_bytes);
        assert_int_equal(totals->visits[1], 3);
        assert_int_equal(totals->lost, 2);
    }
    assert_null(sonde_trace_records(trace, 3));
    assert_int_equal(sonde_trace_read_records(trace, 3, NULL, NULL), SONDE_ERROR_ARGUMENT);
    sonde_trace_close(trace);
}

static void test_large_records_are_compressed(void **state)
{
    (void)state;
    char *directory = fixture_path("large");
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    struct sonde_trace_kernel kernel = sample_kernel(0);
    uint8_t *code = calloc(1, 1 << 20);
    kernel.original = code;
    kernel.original_size = 1 << 20;
    assert_int_equal(sonde_trace_write_kernel(writer, &kernel, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);
    size_t size;
    uint8_t *data = fixture_read(directory, &size);
    assert_true(size < 16384);
    struct sonde_trace *trace;
    assert_int_equal(trace_open_bytes(data, size, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_kernel(trace, 0)->original_size, 1 << 20);
    assert_memory_equal(sonde_trace_kernel(trace, 0)->original, code, 1 << 20);
    sonde_trace_close(trace);
    free(data);
    free(code);
}

enum { STRETCHES = 40, STRETCH_BYTES = 65536 };

static void fill_stretch(uint32_t number, uint8_t *data)
{
    uint32_t seed = number + 1;
    for (size_t i = 0; i < STRETCH_BYTES; i++) {
        seed = seed * 1103515245 + 12345;
        data[i] = (uint8_t)(seed >> 16);
    }
}

static void write_stretches(const char *directory)
{
    static uint8_t data[STRETCH_BYTES];
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    struct sonde_record_layout layout = sample_layout();
    struct sonde_trace_kernel kernel = sample_kernel(0);
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_write_kernel(writer, &kernel, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_write_record_layout(writer, 0, &layout, NULL), SONDE_OK);
    for (uint32_t d = 0; d < STRETCHES; d++) {
        struct sonde_trace_dispatch dispatch = {.id = d, .instrumented = true, .complete = true};
        struct sonde_trace_records records = {
            .dispatch = d, .size = STRETCH_BYTES, .count = 1, .data = data};
        fill_stretch(d, data);
        assert_int_equal(sonde_trace_write_dispatch(writer, &dispatch, NULL), SONDE_OK);
        assert_int_equal(sonde_trace_write_records(writer, &records, NULL), SONDE_OK);
    }
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);
}

static void change_byte(const char *directory, size_t at)
{
    char path[512];
    fixture_file(directory, path);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, (long)at, SEEK_SET);
    fputc(byte ^ 0x10, file);
    fclose(file);
}

/* Opened by the index, a run is read where it is asked for. */
static void test_index(void **state)
{
    (void)state;
    static uint8_t data[STRETCH_BYTES], expected[STRETCH_BYTES];
    char *directory = fixture_path("index");
    struct sonde_trace *trace;
    struct sonde_error error;
    size_t size;
    write_stretches(directory);
    free(fixture_read(directory, &size));
    assert_true(size > STRETCHES * STRETCH_BYTES);
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_in_range(sonde_trace_bytes_read(trace), STRETCHES * STRETCH_BYTES, size);
    sonde_trace_close(trace);

    assert_int_equal(sonde_trace_open_index(directory, &trace, NULL), SONDE_OK);
    assert_null(sonde_trace_warning(trace));
    assert_int_equal(sonde_trace_records_count(trace), STRETCHES);
    uint64_t before = sonde_trace_bytes_read(trace);
    assert_true(before < STRETCHES * 256);
    assert_int_equal(sonde_trace_read_records(trace, 17, data, NULL), SONDE_OK);
    fill_stretch(17, expected);
    assert_memory_equal(data, expected, sizeof data);
    assert_in_range(sonde_trace_bytes_read(trace) - before, STRETCH_BYTES, STRETCH_BYTES + 256);
    sonde_trace_close(trace);

    change_byte(directory, size - 5 * STRETCH_BYTES); /* in the records of some dispatch */
    assert_int_equal(sonde_trace_open_index(directory, &trace, NULL), SONDE_OK);
    assert_null(sonde_trace_warning(trace));
    unsigned damaged = 0;
    for (uint32_t i = 0; i < STRETCHES; i++) {
        enum sonde_status status = sonde_trace_read_records(trace, i, data, &error);
        damaged += status == SONDE_ERROR_FORMAT;
        fill_stretch(i, expected);
        assert_true(status == SONDE_ERROR_FORMAT ||
                    (status == SONDE_OK && memcmp(data, expected, sizeof data) == 0));
    }
    assert_int_equal(damaged, 1);
    sonde_trace_close(trace);
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_non_null(sonde_trace_warning(trace));
    assert_int_equal(sonde_trace_records_count(trace), STRETCHES - 1);
    sonde_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_large_records_are_compressed),
        cmocka_unit_test(test_index),
    };
    return cmocka_run_group_tests(tests, fixture_begin, fixture_end);
}
