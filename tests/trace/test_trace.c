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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"
#include "trace/reader.h"

static char base[64];

static char *in_base(const char *name)
{
    static char path[4][128];
    static unsigned turn;
    char *place = path[turn++ % 4];
    snprintf(place, sizeof path[0], "%s/%s", base, name);
    return place;
}

static int make_base(void **state)
{
    (void)state;
    strcpy(base, "/tmp/sonde-test-trace-XXXXXX");
    return mkdtemp(base) == NULL;
}

static int remove_base(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", base);
    return system(command);
}

static void write_sample(const char *directory, uint32_t dispatches)
{
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    assert_int_equal(sample_write(writer, dispatches, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);
}

/* The only process file of `directory`. */
/* The path of the one file of a run. */
static void only_file(const char *directory, char path[512])
{
    path[0] = '\0';
    DIR *handle = opendir(directory);
    assert_non_null(handle);
    for (struct dirent *entry; (entry = readdir(handle)) != NULL;)
        if (strncmp(entry->d_name, "process-", 8) == 0)
            snprintf(path, 512, "%s/%s", directory, entry->d_name);
    closedir(handle);
}

static uint8_t *read_only_file(const char *directory, size_t *size)
{
    char path[512];
    only_file(directory, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *data = malloc(4 << 20);
    *size = fread(data, 1, 4 << 20, file);
    fclose(file);
    return data;
}

static void check_kernel(const struct sonde_trace_kernel *got, uint32_t id)
{
    struct sonde_trace_kernel want = sample_kernel(id);
    assert_string_equal(got->name, want.name);
    assert_int_equal(got->hash, want.hash);
    assert_int_equal(got->igc_hash, want.igc_hash);
    assert_int_equal(got->platform, want.platform);
    assert_int_equal(got->simd_width, want.simd_width);
    assert_int_equal(got->original_size, want.original_size);
    assert_memory_equal(got->original, want.original, want.original_size);
    assert_int_equal(got->heap_size, want.heap_size);
    assert_int_equal(got->debug_elf_size, want.debug_elf_size);
    if (want.debug_elf != NULL)
        assert_memory_equal(got->debug_elf, want.debug_elf, want.debug_elf_size);
    else
        assert_null(got->debug_elf);
    if (want.heap != NULL)
        assert_memory_equal(got->heap, want.heap, want.heap_size);
    else
        assert_null(got->heap);
    if (want.instruction_offsets != NULL)
        assert_memory_equal(got->instruction_offsets, want.instruction_offsets,
                            4 * want.instruction_count);
    else
        assert_null(got->instruction_offsets);
    assert_int_equal(got->instruction_count, want.instruction_count);
    assert_int_equal(got->block_count, want.block_count);
    for (size_t i = 0; i < want.block_count; i++) {
        assert_int_equal(got->blocks[i].id, want.blocks[i].id);
        assert_int_equal(got->blocks[i].first, want.blocks[i].first);
        assert_int_equal(got->blocks[i].count, want.blocks[i].count);
        assert_int_equal(got->blocks[i].is_entry, want.blocks[i].is_entry);
        assert_int_equal(got->blocks[i].is_eot, want.blocks[i].is_eot);
    }
    if (want.refusal != NULL)
        assert_string_equal(got->refusal, want.refusal);
    else
        assert_null(got->refusal);
    assert_int_equal(got->instrumented_entry, want.instrumented_entry);
    assert_int_equal(got->profile_bti, want.profile_bti);
    assert_int_equal(got->inserted_instructions, want.inserted_instructions);
    assert_int_equal(got->inserted_bytes, want.inserted_bytes);
    assert_int_equal(got->spills, want.spills);
}

/* Whatever a trace still holds must be what the sample wrote. */
static void check_subset(const struct sonde_trace *trace, uint32_t dispatches)
{
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++)
        check_kernel(sonde_trace_kernel(trace, i), (uint32_t)i);
    for (size_t i = 0; i < sonde_trace_dispatch_count(trace); i++) {
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(trace, i);
        assert_int_equal(dispatch->submit_time, 100 + i);
        assert_true(dispatch->instrumented);
        assert_int_equal(dispatch->kernel, 0);
        assert_int_equal(dispatch->complete_time, dispatch->complete ? 200 + i : 0);
    }
    for (size_t i = 0; i < sonde_trace_block_counts_count(trace); i++) {
        const struct sonde_trace_block_counts *counts = sonde_trace_block_counts(trace, i);
        assert_string_equal(counts->tool, "opcodeprof");
        assert_int_equal(counts->count, SAMPLE_BLOCKS);
        for (uint32_t b = 0; b < SAMPLE_BLOCKS; b++)
            assert_int_equal(counts->counts[b], sample_count(counts->dispatch, b));
    }
    assert_true(sonde_trace_dispatch_count(trace) <= dispatches);
}

static void test_round_trip(void **state)
{
    (void)state;
    char *directory = in_base("round");
    assert_int_equal(sonde_trace_directory_create(directory, NULL), SONDE_OK);
    write_sample(directory, 5);
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
    check_subset(trace, 5);
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
    char *directory = in_base("records");
    write_sample(directory, 4);
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
    char *directory = in_base("large");
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
    uint8_t *data = read_only_file(directory, &size);
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
    only_file(directory, path);
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
    char *directory = in_base("index");
    struct sonde_trace *trace;
    struct sonde_error error;
    size_t size;
    write_stretches(directory);
    free(read_only_file(directory, &size));
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

static void test_rotation(void **state)
{
    (void)state;
    char *run = in_base("run"), *old = in_base("run.old");
    for (uint32_t n = 1; n <= 3; n++) {
        assert_int_equal(sonde_trace_directory_create(run, NULL), SONDE_OK);
        write_sample(run, n);
    }
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(run, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_dispatch_count(trace), 3);
    sonde_trace_close(trace);
    assert_int_equal(sonde_trace_open(old, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_dispatch_count(trace), 2);
    sonde_trace_close(trace);
}

static void test_rotation_leaves_strangers_alone(void **state)
{
    (void)state;
    struct sonde_error error;
    char *home = in_base("home"), *file = in_base("home/thesis.txt");
    assert_int_equal(mkdir(home, 0700), 0);
    int fd = open(file, O_CREAT | O_WRONLY, 0600);
    close(fd);
    assert_int_equal(sonde_trace_directory_create(home, &error), SONDE_ERROR_IO);
    assert_non_null(strstr(error.message, "no Sonde run"));
    assert_int_equal(sonde_trace_directory_create(file, &error), SONDE_ERROR_IO);
    /* An older .old that somebody keeps notes in is not removed either. */
    char *kept = in_base("kept"), *note = in_base("kept.old/note");
    assert_int_equal(sonde_trace_directory_create(kept, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_directory_create(kept, NULL), SONDE_OK);
    fd = open(note, O_CREAT | O_WRONLY, 0600);
    close(fd);
    assert_int_equal(sonde_trace_directory_create(kept, &error), SONDE_ERROR_IO);
    assert_int_equal(access(note, F_OK), 0);
    assert_int_equal(access(file, F_OK), 0);
}

static void test_missing_run(void **state)
{
    (void)state;
    struct sonde_trace *trace;
    struct sonde_error error;
    assert_int_equal(sonde_trace_open(in_base("nothing"), &trace, &error), SONDE_ERROR_NOT_FOUND);
    assert_null(trace);
    assert_int_equal(sonde_trace_open(base, &trace, &error), SONDE_ERROR_NOT_FOUND);
}

static void test_run_without_process(void **state)
{
    (void)state;
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_directory_create(in_base("empty"), NULL), SONDE_OK);
    assert_int_equal(sonde_trace_open(in_base("empty"), &trace, NULL), SONDE_OK);
    assert_null(sonde_trace_warning(trace));
    assert_int_equal(sonde_trace_process_count(trace), 0);
    assert_string_equal(sonde_trace_header(trace)->device, "");
    sonde_trace_close(trace);
}

/* A prefix holds what its whole sections hold, and more of it with each byte. */
static void test_every_truncation(void **state)
{
    (void)state;
    char *directory = in_base("cut");
    write_sample(directory, 4);
    size_t size, previous = 0;
    uint8_t *data = read_only_file(directory, &size);
    for (size_t cut = 0; cut <= size; cut++) {
        uint8_t *exact = malloc(cut + (cut == 0)); /* own block: overruns are seen by ASan */
        memcpy(exact, data, cut);
        struct sonde_trace *trace;
        struct sonde_error error;
        enum sonde_status status = trace_open_bytes(exact, cut, &trace, &error);
        free(exact);
        if (cut < 32) {
            assert_int_equal(status, SONDE_ERROR_TRUNCATED);
            continue;
        }
        assert_int_equal(status, SONDE_OK);
        assert_true((sonde_trace_warning(trace) == NULL) == (cut == size));
        check_subset(trace, 4);
        size_t records = sonde_trace_kernel_count(trace) + sonde_trace_dispatch_count(trace) +
                         sonde_trace_block_counts_count(trace) + sonde_trace_loss_count(trace) +
                         sonde_trace_message_count(trace);
        assert_true(records >= previous);
        previous = records;
        sonde_trace_close(trace);
    }
    assert_int_equal(previous, 2 + 4 + 3 + 1 + 1);
    free(data);
}

/* One damaged byte costs at most the section that it is in. */
static void test_every_byte_damaged(void **state)
{
    (void)state;
    char *directory = in_base("flip");
    write_sample(directory, 4);
    size_t size;
    uint8_t *data = read_only_file(directory, &size);
    for (size_t at = 32; at < size; at++) {
        data[at] ^= 0x41;
        struct sonde_trace *trace;
        assert_int_equal(trace_open_bytes(data, size, &trace, NULL), SONDE_OK);
        assert_non_null(sonde_trace_warning(trace));
        if (sonde_trace_kernel_count(trace) == 2) {
            size_t whole = sonde_trace_dispatch_count(trace) +
                           sonde_trace_block_counts_count(trace) + sonde_trace_loss_count(trace) +
                           sonde_trace_message_count(trace);
            assert_true(whole >= 4 + 3 + 1 + 1 - 1);
        }
        sonde_trace_close(trace);
        data[at] ^= 0x41;
    }
    free(data);
}

static void read_stretches(const struct sonde_trace *trace)
{
    for (size_t i = 0; i < sonde_trace_records_count(trace); i++) {
        size_t size = (size_t)sonde_trace_records(trace, i)->size;
        uint8_t *data = malloc(size + 1);
        assert_non_null(data);
        sonde_trace_read_records(trace, i, data, NULL);
        free(data);
    }
}

static void test_random_damage(void **state)
{
    (void)state;
    char *directory = in_base("random");
    write_sample(directory, 4);
    size_t size;
    uint8_t *data = read_only_file(directory, &size);
    uint8_t *damaged = malloc(size);
    srandom(7);
    for (int round = 0; round < 20000; round++) {
        memcpy(damaged, data, size);
        for (long n = random() % 8; n >= 0; n--)
            damaged[(size_t)random() % size] = (uint8_t)random();
        struct sonde_trace *trace;
        enum trace_life life = (enum trace_life)(round % 3);
        if (trace_open_for(damaged, size - (size_t)random() % 64, life, &trace, NULL) == SONDE_OK) {
            read_stretches(trace);
            sonde_trace_close(trace);
        }
    }
    free(damaged);
    free(data);
}

static void test_two_processes(void **state)
{
    (void)state;
    char *directory = in_base("two");
    assert_int_equal(sonde_trace_directory_create(directory, NULL), SONDE_OK);
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    pid_t child = fork();
    if (child == 0) {
        /* The parent's writer is refused here, a new one is not. */
        bool refused = sonde_trace_write_message(writer, "child", NULL) != SONDE_OK;
        struct sonde_trace_writer *own;
        header.start_time++;
        header.process = (uint32_t)getpid();
        enum sonde_status status = sonde_trace_writer_create(directory, &header, &own, NULL);
        if (status == SONDE_OK)
            status = sample_write(own, 2, NULL);
        /* killed: no end mark */
        _exit(refused && status == SONDE_OK ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    assert_int_equal(sample_write(writer, 3, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);

    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_process_count(trace), 2);
    assert_int_equal(sonde_trace_process(trace, 0)->process, 4711);
    assert_int_equal(sonde_trace_process(trace, 1)->process, child);
    assert_true(sonde_trace_process_ended(trace, 0));
    assert_false(sonde_trace_process_ended(trace, 1));
    assert_non_null(strstr(sonde_trace_warning(trace), "did not end by itself"));
    assert_int_equal(sonde_trace_kernel_count(trace), 4);
    assert_int_equal(sonde_trace_dispatch_count(trace), 5);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sonde_trace_kernel(trace, i)->id, i);
        assert_int_equal(sonde_trace_kernel(trace, i)->process, i / 2);
    }
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(sonde_trace_dispatch(trace, i)->id, i);
        assert_int_equal(sonde_trace_dispatch(trace, i)->kernel, i < 3 ? 0 : 2);
    }
    /* counts: dispatches 0, 1 of the parent, 0 of the child (now 3) */
    assert_int_equal(sonde_trace_block_counts_count(trace), 3);
    assert_int_equal(sonde_trace_block_counts(trace, 2)->dispatch, 3);
    assert_int_equal(sonde_trace_block_counts(trace, 2)->kernel, 2);
    assert_int_equal(sonde_trace_loss(trace, 1)->dispatch, 4);
    assert_int_equal(sonde_trace_message_count(trace), 2);
    sonde_trace_close(trace);
}

/* exec keeps the process id: both writers get a file. */
static void test_same_process_id_twice(void **state)
{
    (void)state;
    char *directory = in_base("exec");
    write_sample(directory, 1);
    write_sample(directory, 2);
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_process_count(trace), 2);
    assert_int_equal(sonde_trace_dispatch_count(trace), 3);
    sonde_trace_close(trace);
}

static void test_descriptor_taken_by_program(void **state)
{
    (void)state;
    char *directory = in_base("closed"), *precious = in_base("precious");
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    int first = open(precious, O_CREAT | O_RDWR, 0600), taken[64];
    assert_true(first >= 0);
    for (int fd = first + 1; fd < 256; fd++)
        close(fd);
    /* Every number that the writer may have had is the program's file now. */
    for (int i = 0; i < 64; i++)
        taken[i] = fcntl(first, F_DUPFD, 90 + i);
    assert_int_equal(sample_write(writer, 3, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);
    struct stat status;
    assert_int_equal(fstat(first, &status), 0);
    assert_int_equal(status.st_size, 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(fcntl(taken[i], F_GETFD), 0); /* still open */
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_dispatch_count(trace), 3);
    assert_null(sonde_trace_warning(trace));
    sonde_trace_close(trace);
    for (int i = 0; i < 64; i++)
        close(taken[i]);
    close(first);
}

static void test_file_size_limit(void **state)
{
    (void)state;
    char *directory = in_base("limit");
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {4000, 4000};
        setrlimit(RLIMIT_FSIZE, &limit);
        struct sonde_trace_header header = sample_header();
        struct sonde_trace_writer *writer;
        if (sonde_trace_writer_create(directory, &header, &writer, NULL) != SONDE_OK)
            _exit(2);
        struct sonde_error error = {0};
        enum sonde_status status = sample_write(writer, 1000, &error);
        _exit(status == SONDE_ERROR_IO && strstr(error.message, "ulimit") != NULL ? 0 : 3);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    check_subset(trace, 1000);
    assert_true(sonde_trace_dispatch_count(trace) > 3);
    assert_non_null(sonde_trace_warning(trace));
    sonde_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_large_records_are_compressed),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_rotation_leaves_strangers_alone),
        cmocka_unit_test(test_missing_run),
        cmocka_unit_test(test_run_without_process),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_every_byte_damaged),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_same_process_id_twice),
        cmocka_unit_test(test_descriptor_taken_by_program),
        cmocka_unit_test(test_file_size_limit),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
