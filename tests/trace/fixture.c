#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "sample.h"

static char base[64];

char *fixture_path(const char *name)
{
    static char path[4][128];
    static unsigned turn;
    char *place = path[turn++ % 4];
    snprintf(place, sizeof path[0], "%s/%s", base, name);
    return place;
}

int fixture_begin(void **state)
{
    (void)state;
    strcpy(base, "/tmp/sonde-test-trace-XXXXXX");
    return mkdtemp(base) == NULL;
}

int fixture_end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", base);
    return system(command);
}

void fixture_write(const char *directory, uint32_t dispatches)
{
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    assert_int_equal(sample_write(writer, dispatches, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);
}

/* The path of the one file of a run. */
void fixture_file(const char *directory, char path[512])
{
    path[0] = '\0';
    DIR *handle = opendir(directory);
    assert_non_null(handle);
    for (struct dirent *entry; (entry = readdir(handle)) != NULL;)
        if (strncmp(entry->d_name, "process-", 8) == 0)
            snprintf(path, 512, "%s/%s", directory, entry->d_name);
    closedir(handle);
}

uint8_t *fixture_read(const char *directory, size_t *size)
{
    char path[512];
    fixture_file(directory, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *data = malloc(4 << 20);
    *size = fread(data, 1, 4 << 20, file);
    fclose(file);
    return data;
}

void fixture_check_kernel(const struct sonde_trace_kernel *got, uint32_t id)
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
void fixture_check_subset(const struct sonde_trace *trace, uint32_t dispatches)
{
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++)
        fixture_check_kernel(sonde_trace_kernel(trace, i), (uint32_t)i);
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
