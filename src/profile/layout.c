/* The static analyser: what each basic block's records hold. */
#include <stdlib.h>
#include <string.h>

#include "sonde/coder.h"
#include "sonde/record.h"

/* What the start of a thread holds besides its header: r0. */
static const struct sonde_record_point start_point = {
    .kind = SONDE_RECORD_REGISTERS, .instruction = 0, .first = 0, .count = 1};

struct planned {
    struct sonde_record_point point;
    uint32_t block;
    uint32_t size;
};

static bool is_dword(const struct planned *p)
{
    return p->point.kind == SONDE_RECORD_MASK || p->point.kind == SONDE_RECORD_CLOCK;
}

/* Order of items in a record: dwords first, then by place and kind. */
static int compare(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;
#define ORDER(key)                                                                                 \
    if ((key(x)) != (key(y)))                                                                      \
    return (key(x)) < (key(y)) ? -1 : 1
#define BLOCK(p)       (p)->block
#define WIDE(p)        !is_dword(p)
#define INSTRUCTION(p) (p)->point.instruction
#define AFTER(p)       (p)->point.after
#define KIND(p)        (p)->point.kind
#define FIRST(p)       (p)->point.first
#define COUNT(p)       (p)->point.count
    ORDER(BLOCK);
    ORDER(WIDE);
    ORDER(INSTRUCTION);
    ORDER(AFTER);
    ORDER(KIND);
    ORDER(FIRST);
    ORDER(COUNT);
    return 0;
}

static enum sonde_status plan(const struct sonde_kernel *kernel, uint32_t grf_size,
                              const struct sonde_record_point *point, struct planned *planned,
                              struct sonde_error *error)
{
    uint32_t grf_count = sonde_kernel_info(kernel)->grf_count;
    *planned = (struct planned){.point = *point, .size = 4};
    if (point->instruction >= sonde_kernel_instruction_count(kernel) ||
        point->kind >= SONDE_RECORD_KIND_COUNT)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "there is no instruction %u to record at", point->instruction);
    planned->block = sonde_kernel_block_of(kernel, point->instruction);
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(kernel, point->instruction);
    if (point->kind == SONDE_RECORD_ADDRESSES) {
        uint32_t count = sonde_coder_payload_address_registers(instruction);
        planned->size = count * grf_size;
        if (count == 0)
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, instruction->offset,
                                   "%s at 0x%x has no addresses to record",
                                   sonde_gen_opcode_mnemonic(instruction->opcode),
                                   instruction->offset);
    } else if (point->kind == SONDE_RECORD_REGISTERS) {
        uint32_t limit = grf_count == 0 ? 128 : grf_count;
        planned->size = point->count * grf_size;
        if (point->count == 0 || point->first >= limit || point->count > limit - point->first)
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, instruction->offset,
                                   "there are no registers r%u to r%u to record", point->first,
                                   point->first + point->count - 1);
    }
    return SONDE_OK;
}

static uint32_t align(uint32_t size)
{
    return (size + SONDE_RECORD_ALIGNMENT - 1) / SONDE_RECORD_ALIGNMENT * SONDE_RECORD_ALIGNMENT;
}

/* Give the items of sorted[first..end) their places in the record of a block. */
static void place(struct sonde_record_layout *layout, struct sonde_record_block *block,
                  const struct planned *sorted, size_t first, size_t end)
{
    uint32_t offset = SONDE_RECORD_HEADER_BYTES;
    block->first_item = (uint32_t)layout->item_count;
    for (size_t i = first; i < end; i++) {
        if (i > first && compare(&sorted[i], &sorted[i - 1]) == 0)
            continue;
        if (!is_dword(&sorted[i]))
            offset = align(offset);
        layout->items[layout->item_count++] = (struct sonde_record_item){
            .point = sorted[i].point, .offset = offset, .size = sorted[i].size};
        offset += sorted[i].size;
        block->item_count++;
    }
    block->size = align(offset);
}

static void fill(const struct planned *sorted, size_t count, bool every_block,
                 struct sonde_record_layout *layout)
{
    size_t at = 0;
    for (size_t b = 0; b < layout->block_count; b++) {
        size_t end = at;
        while (end < count && sorted[end].block == b)
            end++;
        if (end > at || every_block)
            place(layout, &layout->blocks[b], sorted, at, end);
        at = end;
    }
}

enum sonde_status sonde_record_layout_make(const struct sonde_kernel *kernel, uint32_t grf_size,
                                           bool every_block,
                                           const struct sonde_record_point *points, size_t count,
                                           struct sonde_record_layout *layout,
                                           struct sonde_error *error)
{
    *layout = (struct sonde_record_layout){
        .block_count = sonde_kernel_block_count(kernel) + 1,
    };
    struct planned *sorted = calloc(count + 1, sizeof *sorted);
    layout->blocks = calloc(layout->block_count, sizeof *layout->blocks);
    layout->items = calloc(count + 1, sizeof *layout->items);
    enum sonde_status status = SONDE_OK;
    if (sorted == NULL || layout->blocks == NULL || layout->items == NULL)
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < count && status == SONDE_OK; i++)
        status = plan(kernel, grf_size, &points[i], &sorted[i], error);
    if (status == SONDE_OK) {
        sorted[count] = (struct planned){
            .point = start_point, .block = (uint32_t)layout->block_count - 1, .size = grf_size};
        qsort(sorted, count + 1, sizeof *sorted, compare);
        fill(sorted, count + 1, every_block, layout);
    } else {
        sonde_record_layout_clear(layout);
    }
    free(sorted);
    return status;
}
