/* A trace file of any content is read or refused. Checksums are made good
 * first, so that mutations reach the decoders behind them. */
#include <stdlib.h>
#include <string.h>

#include "trace/reader.h"
#include "trace_repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t touch_calls(const struct sonde_trace *trace)
{
    uint64_t sum = 0;
    size_t count;
    const struct sonde_trace_call *calls = sonde_trace_calls(trace, &count);
    const struct sonde_trace_firmware *firmware = sonde_trace_firmware(trace);
    const struct sonde_trace_firmware_end *end = sonde_trace_firmware_end(trace);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && calls[i].cycle < calls[i - 1].cycle)
            abort();
        sum += calls[i].kind + calls[i].address;
    }
    for (size_t i = 0; firmware != NULL && i < firmware->symbol_count; i++)
        sum += strlen(firmware->symbols[i].name);
    return sum + (end != NULL ? strlen(end->reason) : 0);
}

/* Everything that a report would touch. */
static uint64_t touch_records(const struct sonde_trace *trace)
{
    static uint8_t data[1 << 20];
    uint64_t sum = 0;
    for (size_t i = 0; i < sonde_trace_records_count(trace); i++)
        if (sonde_trace_records(trace, i)->size <= sizeof data &&
            sonde_trace_read_records(trace, i, data, NULL) == SONDE_OK)
            sum += data[0];
    return sum;
}

static uint64_t touch(const struct sonde_trace *trace)
{
    uint64_t sum = strlen(sonde_trace_header(trace)->command_line);
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++) {
        const struct sonde_trace_kernel *kernel = sonde_trace_kernel(trace, i);
        sum += strlen(kernel->name) + XXH3_64bits(kernel->original, kernel->original_size) +
               XXH3_64bits(kernel->heap, kernel->heap_size);
        for (size_t b = 0; b < kernel->block_count; b++)
            for (uint32_t n = 0; n < kernel->blocks[b].count; n++)
                if (kernel->instruction_offsets != NULL)
                    sum += kernel->instruction_offsets[kernel->blocks[b].first + n];
    }
    for (size_t i = 0; i < sonde_trace_block_counts_count(trace); i++) {
        const struct sonde_trace_block_counts *counts = sonde_trace_block_counts(trace, i);
        if (sonde_trace_kernel(trace, counts->kernel)->block_count != counts->count ||
            sonde_trace_dispatch(trace, counts->dispatch)->kernel != counts->kernel)
            abort();
        for (size_t b = 0; b < counts->count; b++)
            sum += counts->counts[b];
    }
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        sum += strlen(sonde_trace_loss(trace, i)->reason);
    for (size_t i = 0; i < sonde_trace_message_count(trace); i++)
        sum += strlen(sonde_trace_message(trace, i)->text);
    return sum + touch_calls(trace) + touch_records(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static volatile uint64_t sink;
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    for (int pass = 0; pass < 2; pass++) {
        struct sonde_trace *trace;
        for (int life = TRACE_PASSING; life <= TRACE_LASTING_LAZY; life++) {
            if (trace_open_for(copy, size, (enum trace_life)life, &trace, NULL) != SONDE_OK)
                continue;
            sink += touch(trace);
            sonde_trace_close(trace);
        }
        trace_repair(copy, size);
    }
    free(copy);
    return 0;
}
