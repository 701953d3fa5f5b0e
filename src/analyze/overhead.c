#include <stdlib.h>

#include "analyze/analyze.h"

static uint32_t block_of(const struct sonde_trace_kernel *kernel, size_t instruction)
{
    for (uint32_t i = 0; i < kernel->block_count; i++) {
        if (instruction - kernel->blocks[i].first < kernel->blocks[i].count)
            return i;
    }
    return 0;
}

/* Inserted instructions by block: those that stand in the instrumented body in
 * front of an instruction of the block. False when the body
 * does not hold the original instructions in order. */
static bool count_inserted(const struct sonde_trace_kernel *kernel, uint64_t *inserted)
{
    uint32_t offset = kernel->instrumented_entry;
    for (size_t next = 0; next < kernel->instruction_count;) {
        struct sonde_gen_instruction instruction;
        if (kernel->instruction_offsets[next] == UINT32_MAX) {
            next++;
            continue;
        }
        if (offset > kernel->instruction_offsets[next] ||
            sonde_gen_decode(kernel->platform, kernel->heap, kernel->heap_size, offset,
                             &instruction, NULL) != SONDE_OK)
            return false;
        if (offset == kernel->instruction_offsets[next])
            next++;
        else
            inserted[block_of(kernel, next)]++;
        offset += instruction.size;
    }
    return true;
}

bool analyze_inserted_executions(const struct analyze_profile *profile, uint64_t *executed)
{
    *executed = 0;
    for (size_t i = 0; i < profile->kernel_count; i++) {
        const struct analyze_kernel *kernel = &profile->kernels[i];
        if (kernel->kernel->heap == NULL || kernel->kernel->instruction_offsets == NULL)
            return false;
        uint64_t *inserted = calloc(kernel->kernel->block_count + 1, sizeof *inserted);
        bool counted = inserted != NULL && count_inserted(kernel->kernel, inserted);
        for (size_t block = 0; block < kernel->kernel->block_count && counted; block++)
            *executed += inserted[block] * kernel->block_executions[block];
        free(inserted);
        if (!counted)
            return false;
    }
    return true;
}
