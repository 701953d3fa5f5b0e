#include "analyze/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static struct analyze_visit read_visit(const struct sonde_trace_kernel *kernel,
                                       const struct sonde_record_layout *layout,
                                       const struct sonde_trace_records *stretch,
                                       const uint8_t *record, uint64_t position)
{
    uint32_t dispatched = base_load32(record + SONDE_RECORD_DISPATCH);
    uint32_t block = base_load32(record + SONDE_RECORD_BLOCK);
    return (struct analyze_visit){
        .kernel = kernel,
        .layout = layout,
        .dispatch = stretch->dispatch,
        .block = block,
        .starts_thread = block + 1 == layout->block_count,
        .thread = base_load32(record + SONDE_RECORD_THREAD),
        .enabled = base_load32(record + SONDE_RECORD_ENABLED) & dispatched,
        .dispatched = dispatched,
        .flags = {base_load32(record + SONDE_RECORD_FLAGS),
                  base_load32(record + SONDE_RECORD_FLAGS + 4)},
        .time = base_load64(record + SONDE_RECORD_TIME),
        .position = stretch->first + position,
        .record = record,
    };
}

static enum sonde_status
walk_stretch(const struct sonde_trace_kernel *kernel, const struct sonde_record_layout *layout,
             const struct sonde_trace_records *stretch, const uint8_t *data,
             const struct analyze_selection *selection, analyze_visitor *visitor, void *context,
             struct sonde_error *error)
{
    uint64_t at = 0;
    while (at < stretch->size) {
        uint32_t block = stretch->size - at >= SONDE_RECORD_HEADER_BYTES
                             ? base_load32(data + at + SONDE_RECORD_BLOCK)
                             : UINT32_MAX;
        uint32_t size = block < layout->block_count ? layout->blocks[block].size : 0;
        if (size == 0 || size > stretch->size - at)
            return sonde_error_set(error, SONDE_ERROR_FORMAT, stretch->first + at,
                                   "dispatch %u: the record at byte %llu is of no block that has "
                                   "records",
                                   stretch->dispatch, (unsigned long long)(stretch->first + at));
        struct analyze_visit visit = read_visit(kernel, layout, stretch, data + at, at);
        at += size;
        if ((selection->has_thread && visit.thread != selection->thread) ||
            visit.time < selection->time_first || visit.time > selection->time_last)
            continue;
        enum sonde_status status = visitor(&visit, context, error);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

static bool may_have(const struct sonde_trace_records *stretch,
                     const struct analyze_selection *selection)
{
    return (!selection->has_dispatch || stretch->dispatch == selection->dispatch) &&
           (!selection->has_thread ||
            (stretch->threads >> sonde_trace_thread_bit(selection->thread) & 1) != 0) &&
           stretch->time_last >= selection->time_first &&
           stretch->time_first <= selection->time_last;
}

enum sonde_status analyze_records_select(const struct sonde_trace *trace,
                                         const struct analyze_selection *selection,
                                         analyze_visitor *visitor, void *context,
                                         struct sonde_error *error)
{
    uint8_t *data = NULL;
    uint64_t capacity = 0;
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < sonde_trace_records_count(trace) && status == SONDE_OK; i++) {
        const struct sonde_trace_records *stretch = sonde_trace_records(trace, i);
        const struct sonde_trace_kernel *kernel = sonde_trace_kernel(trace, stretch->kernel);
        const struct sonde_record_layout *layout =
            sonde_trace_record_layout(trace, stretch->kernel);
        if (layout == NULL || !may_have(stretch, selection) ||
            !analyze_matcher_accepts_kernel(selection->matcher, kernel))
            continue;
        if (stretch->size > capacity) {
            free(data);
            capacity = stretch->size;
            data = malloc((size_t)capacity);
            if (data == NULL)
                return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
        }
        status = sonde_trace_read_records(trace, i, data, error);
        if (status == SONDE_OK)
            status =
                walk_stretch(kernel, layout, stretch, data, selection, visitor, context, error);
    }
    free(data);
    return status;
}

enum sonde_status analyze_records_walk(const struct sonde_trace *trace,
                                       const struct analyze_matcher *matcher,
                                       analyze_visitor *visitor, void *context,
                                       struct sonde_error *error)
{
    const struct analyze_selection all = {.matcher = matcher, .time_last = UINT64_MAX};
    return analyze_records_select(trace, &all, visitor, context, error);
}

uint64_t analyze_records_missing(const struct sonde_trace *trace)
{
    uint64_t made = 0, there = 0;
    for (size_t i = 0; i < sonde_trace_record_totals_count(trace); i++)
        made += sonde_trace_record_totals(trace, i)->used;
    for (size_t i = 0; i < sonde_trace_records_count(trace); i++)
        there += sonde_trace_records(trace, i)->size;
    return made > there ? made - there : 0;
}

/* Items that are accesses, and where the channels of each stand. */
static bool make_steps(struct analyze_code *code, const struct sonde_record_layout *layout)
{
    code->steps = calloc(layout->item_count + 1, sizeof *code->steps);
    if (code->steps == NULL)
        return false;
    for (size_t b = 0; b < layout->block_count; b++) {
        const struct sonde_record_block *block = &layout->blocks[b];
        for (uint32_t i = block->first_item; i < block->first_item + block->item_count; i++) {
            const struct sonde_record_item *item = &layout->items[i];
            uint32_t instruction = item->point.instruction;
            code->steps[i].row = UINT32_MAX;
            if (item->point.kind == SONDE_RECORD_ADDRESSES && instruction < code->count &&
                code->messages[instruction].is_access)
                code->steps[i].message = &code->messages[instruction];
            for (uint32_t m = block->first_item; m < block->first_item + block->item_count; m++)
                if (layout->items[m].point.kind == SONDE_RECORD_MASK &&
                    layout->items[m].point.instruction == instruction)
                    code->steps[i].mask_offset = layout->items[m].offset;
        }
    }
    return true;
}

enum sonde_status analyze_code_open(const struct sonde_trace_kernel *kernel,
                                    const struct sonde_record_layout *layout,
                                    struct analyze_code *code, struct sonde_error *error)
{
    *code = (struct analyze_code){.kernel = kernel};
    enum sonde_status status =
        sonde_gen_decode_all(kernel->platform, kernel->original, kernel->original_size,
                             &code->instructions, &code->count, error);
    if (status != SONDE_OK)
        return sonde_error_prefix(error, "kernel %s", kernel->name);
    code->messages = calloc(code->count + 1, sizeof *code->messages);
    if (code->messages == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < code->count; i++)
        analyze_message_read(&code->instructions[i], &code->messages[i]);
    if (layout != NULL && !make_steps(code, layout))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    return SONDE_OK;
}

void analyze_code_close(struct analyze_code *code)
{
    free(code->instructions);
    free(code->messages);
    free(code->steps);
    *code = (struct analyze_code){.kernel = NULL};
}

struct analyze_code *analyze_codes_get(struct analyze_codes *codes,
                                       const struct analyze_visit *visit, struct sonde_error *error)
{
    uint32_t id = visit->kernel->id;
    if (id >= codes->count) {
        struct analyze_code *items = realloc(codes->items, (id + 1) * sizeof *items);
        if (items == NULL) {
            sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
            return NULL;
        }
        memset(items + codes->count, 0, (id + 1 - codes->count) * sizeof *items);
        codes->items = items;
        codes->count = id + 1;
    }
    struct analyze_code *code = &codes->items[id];
    if (code->kernel == NULL &&
        analyze_code_open(visit->kernel, visit->layout, code, error) != SONDE_OK) {
        analyze_code_close(code);
        return NULL;
    }
    return code;
}

void analyze_codes_clear(struct analyze_codes *codes)
{
    for (size_t i = 0; i < codes->count; i++)
        analyze_code_close(&codes->items[i]);
    free(codes->items);
    *codes = (struct analyze_codes){.items = NULL};
}
