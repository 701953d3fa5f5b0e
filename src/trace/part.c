#include "trace/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "trace/arguments.h"
#include "trace/decode.h"
#include "trace/format.h"
#include "trace/section.h"

/* Of a file, that stay in memory while it is looked at. */
#define RELEASE_BYTES ((size_t)8 << 20)

const struct sonde_trace_header trace_empty_header = {
    .command_line = "",
    .device = "",
    .driver = "",
    .tools = "",
    .mode = "",
    .registers = "",
    .program = "",
    .records = "",
    .writer = "",
};

static bool reserve(void *items, size_t *capacity, size_t wanted, size_t size)
{
    void **place = items;
    return base_array_reserve(place, capacity, wanted, size) == SONDE_OK;
}

/* Index of `id` in an ascending list, or `count`. */
static size_t find_id(const uint32_t *ids, size_t count, uint32_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ids[low] == id ? low : count;
}

static bool may_append(const uint32_t *ids, size_t count, uint32_t id)
{
    return count == 0 || id > ids[count - 1];
}

static bool add_kernel(struct trace_part *part, const struct trace_section *section,
                       struct trace_arena *arena)
{
    struct sonde_trace_kernel kernel = {0};
    size_t n = part->kernel_count;
    if (!trace_decode_kernel(section, arena, &kernel) ||
        !may_append(part->kernel_file_ids, n, kernel.id) ||
        !reserve(&part->kernels, &part->kernel_capacity, n + 1, sizeof *part->kernels) ||
        !reserve(&part->kernel_file_ids, &part->kernel_file_id_capacity, n + 1,
                 sizeof *part->kernel_file_ids))
        return false;
    part->kernel_file_ids[n] = kernel.id;
    kernel.id = (uint32_t)n;
    part->kernels[n] = kernel;
    part->kernel_count++;
    return true;
}

static bool add_dispatch(struct trace_part *part, const struct trace_section *section)
{
    struct sonde_trace_dispatch dispatch = {0};
    if (!trace_decode_dispatch(section, &dispatch))
        return false;
    size_t kernel = find_id(part->kernel_file_ids, part->kernel_count, dispatch.kernel);
    if (kernel == part->kernel_count)
        return false;
    dispatch.kernel = (uint32_t)kernel;
    size_t n = part->dispatch_count;
    size_t known = find_id(part->dispatch_file_ids, n, dispatch.id);
    if (known < n) {
        if (part->dispatches[known].kernel != kernel)
            return false;
        dispatch.id = (uint32_t)known;
        part->dispatches[known] = dispatch;
        return true;
    }
    if (!may_append(part->dispatch_file_ids, n, dispatch.id) ||
        !reserve(&part->dispatches, &part->dispatch_capacity, n + 1, sizeof *part->dispatches) ||
        !reserve(&part->dispatch_file_ids, &part->dispatch_file_id_capacity, n + 1,
                 sizeof *part->dispatch_file_ids))
        return false;
    part->dispatch_file_ids[n] = dispatch.id;
    dispatch.id = (uint32_t)n;
    part->dispatches[n] = dispatch;
    part->dispatch_count++;
    return true;
}

static bool add_counts(struct trace_part *part, const struct trace_section *section,
                       struct trace_arena *arena)
{
    struct sonde_trace_block_counts counts = {0};
    if (!trace_decode_block_counts(section, arena, &counts))
        return false;
    size_t kernel = find_id(part->kernel_file_ids, part->kernel_count, counts.kernel);
    size_t dispatch = find_id(part->dispatch_file_ids, part->dispatch_count, counts.dispatch);
    size_t n = part->count_count;
    if (kernel == part->kernel_count || dispatch == part->dispatch_count ||
        part->dispatches[dispatch].kernel != kernel ||
        part->kernels[kernel].block_count != counts.count ||
        !reserve(&part->counts, &part->count_capacity, n + 1, sizeof *part->counts))
        return false;
    counts.kernel = (uint32_t)kernel;
    counts.dispatch = (uint32_t)dispatch;
    part->counts[n] = counts;
    part->count_count++;
    return true;
}

static bool add_loss(struct trace_part *part, const struct trace_section *section,
                     struct trace_arena *arena)
{
    struct sonde_trace_loss loss = {0};
    size_t n = part->loss_count;
    if (!trace_decode_loss(section, arena, &loss) ||
        !reserve(&part->losses, &part->loss_capacity, n + 1, sizeof *part->losses))
        return false;
    size_t dispatch = find_id(part->dispatch_file_ids, part->dispatch_count, loss.dispatch);
    loss.dispatch = dispatch == part->dispatch_count ? UINT32_MAX : (uint32_t)dispatch;
    part->losses[n] = loss;
    part->loss_count++;
    return true;
}

static bool add_message(struct trace_part *part, const struct trace_section *section,
                        struct trace_arena *arena)
{
    size_t n = part->message_count;
    struct sonde_trace_message message = {0};
    if (!trace_decode_message(section, arena, &message) ||
        !reserve(&part->messages, &part->message_capacity, n + 1, sizeof *part->messages))
        return false;
    part->messages[n] = message;
    part->message_count++;
    return true;
}

static bool add_layout(struct trace_part *part, const struct trace_section *section,
                       struct trace_arena *arena)
{
    struct trace_layout layout = {.kernel = 0};
    size_t n = part->layout_count;
    if (!trace_decode_record_layout(section, arena, &layout))
        return false;
    size_t kernel = find_id(part->kernel_file_ids, part->kernel_count, layout.kernel);
    if (kernel == part->kernel_count ||
        layout.layout.block_count != part->kernels[kernel].block_count + 1 ||
        (n > 0 && part->layouts[n - 1].kernel >= kernel) ||
        !reserve(&part->layouts, &part->layout_capacity, n + 1, sizeof *part->layouts))
        return false;
    for (size_t i = 0; i < layout.layout.item_count; i++)
        if (layout.layout.items[i].point.instruction >= part->kernels[kernel].instruction_count)
            return false;
    layout.kernel = (uint32_t)kernel;
    part->layouts[n] = layout;
    part->layout_count++;
    return true;
}

/* The indices of a dispatch and its kernel in the part, for their ids. */
static bool find_dispatch(const struct trace_part *part, uint32_t *dispatch, uint32_t *kernel)
{
    size_t k = find_id(part->kernel_file_ids, part->kernel_count, *kernel);
    size_t d = find_id(part->dispatch_file_ids, part->dispatch_count, *dispatch);
    if (k == part->kernel_count || d == part->dispatch_count || part->dispatches[d].kernel != k)
        return false;
    *dispatch = (uint32_t)d;
    *kernel = (uint32_t)k;
    return true;
}

static const struct trace_layout *layout_of(const struct trace_part *part, uint32_t kernel)
{
    for (size_t i = 0; i < part->layout_count; i++)
        if (part->layouts[i].kernel == kernel)
            return &part->layouts[i];
    return NULL;
}

static bool add_records(struct trace_part *part, const struct trace_section *section)
{
    struct trace_stretch stretch = {.frame = NULL};
    size_t n = part->stretch_count;
    bool good = trace_decode_records(section, &stretch) &&
                find_dispatch(part, &stretch.records.dispatch, &stretch.records.kernel) &&
                layout_of(part, stretch.records.kernel) != NULL &&
                reserve(&part->stretches, &part->stretch_capacity, n + 1, sizeof *part->stretches);
    if (!good) {
        if (stretch.is_owned)
            free((void *)(uintptr_t)stretch.frame);
        return false;
    }
    part->stretches[n] = stretch;
    part->stretch_count++;
    return true;
}

static bool add_totals(struct trace_part *part, const struct trace_section *section,
                       struct trace_arena *arena)
{
    struct sonde_trace_record_totals totals = {.visit_count = 0};
    size_t n = part->total_count;
    if (!trace_decode_record_totals(section, arena, &totals) ||
        !find_dispatch(part, &totals.dispatch, &totals.kernel) ||
        totals.visit_count != part->kernels[totals.kernel].block_count + 1 ||
        !reserve(&part->totals, &part->total_capacity, n + 1, sizeof *part->totals))
        return false;
    part->totals[n] = totals;
    part->total_count++;
    return true;
}

static bool add_counters(struct trace_part *part, const struct trace_section *section,
                         struct trace_arena *arena)
{
    struct sonde_trace_counters counters = {.count = 0};
    size_t n = part->counters_count;
    if (!trace_decode_counters(section, arena, &counters) ||
        !find_dispatch(part, &counters.dispatch, &counters.kernel) ||
        !reserve(&part->counters, &part->counters_capacity, n + 1, sizeof *part->counters))
        return false;
    for (size_t i = 0; i < counters.count; i++)
        if (counters.items[i].instruction >= part->kernels[counters.kernel].instruction_count)
            return false;
    part->counters[n] = counters;
    part->counters_count++;
    return true;
}

static bool add_arguments(struct trace_part *part, const struct trace_section *section,
                          struct trace_arena *arena)
{
    struct sonde_trace_arguments arguments = {.count = 0};
    size_t n = part->argument_count;
    if (!trace_decode_arguments(section, arena, &arguments) ||
        !reserve(&part->arguments, &part->argument_capacity, n + 1, sizeof *part->arguments))
        return false;
    size_t kernel = find_id(part->kernel_file_ids, part->kernel_count, arguments.kernel);
    if (kernel == part->kernel_count || (n > 0 && part->arguments[n - 1].kernel >= kernel))
        return false;
    arguments.kernel = (uint32_t)kernel;
    part->arguments[n] = arguments;
    part->argument_count++;
    return true;
}

static bool add_buffers(struct trace_part *part, const struct trace_section *section,
                        struct trace_arena *arena)
{
    struct sonde_trace_buffers buffers = {.count = 0};
    size_t n = part->buffer_count;
    if (!trace_decode_buffers(section, arena, &buffers) ||
        !reserve(&part->buffers, &part->buffer_capacity, n + 1, sizeof *part->buffers))
        return false;
    size_t dispatch = find_id(part->dispatch_file_ids, part->dispatch_count, buffers.dispatch);
    if (dispatch == part->dispatch_count || (n > 0 && part->buffers[n - 1].dispatch >= dispatch))
        return false;
    buffers.dispatch = (uint32_t)dispatch;
    part->buffers[n] = buffers;
    part->buffer_count++;
    return true;
}

static bool add_section(struct trace_part *part, const struct trace_section *section,
                        struct trace_arena *arena, uint64_t *dropped)
{
    uint64_t sections;
    switch (section->kind) {
    case TRACE_KIND_PROCESS:
        if (!part->has_header)
            part->has_header = trace_decode_process(section, arena, &part->header);
        return part->has_header;
    case TRACE_KIND_KERNEL:
        return add_kernel(part, section, arena);
    case TRACE_KIND_DISPATCH:
        return add_dispatch(part, section);
    case TRACE_KIND_BLOCK_COUNTS:
        return add_counts(part, section, arena);
    case TRACE_KIND_LOSS:
        return add_loss(part, section, arena);
    case TRACE_KIND_MESSAGE:
        return add_message(part, section, arena);
    case TRACE_KIND_FIRMWARE:
        return trace_call_flow_add_firmware(&part->flow, section, arena);
    case TRACE_KIND_CALLS:
        return trace_call_flow_add_calls(&part->flow, section);
    case TRACE_KIND_FIRMWARE_END:
        return trace_call_flow_add_end(&part->flow, section, arena);
    case TRACE_KIND_RECORD_LAYOUT:
        return add_layout(part, section, arena);
    case TRACE_KIND_RECORDS:
        return add_records(part, section);
    case TRACE_KIND_COUNTERS:
        return add_counters(part, section, arena);
    case TRACE_KIND_ARGUMENTS:
        return add_arguments(part, section, arena);
    case TRACE_KIND_BUFFERS:
        return add_buffers(part, section, arena);
    case TRACE_KIND_RECORD_TOTALS:
        return add_totals(part, section, arena);
    case TRACE_KIND_END:
        part->ended = trace_decode_end(section, &sections, dropped);
        return part->ended;
    default:
        return true; /* of a later minor version: its feature bit said that it may be skipped */
    }
}

static void describe(struct trace_part *part, const struct trace_walk *walk, uint64_t unusable)
{
    char *text = part->warning;
    size_t size = sizeof part->warning, used = 0;
#define ADD(...)                                                                                   \
    do {                                                                                           \
        if (used < size)                                                                           \
            used += (size_t)snprintf(text + used, size - used, __VA_ARGS__);                       \
    } while (0)
    if (walk->first_damage != SIZE_MAX)
        ADD("%s at byte %zu", walk->cut ? "cut off" : "damaged", walk->first_damage);
    if (walk->missing > 0)
        ADD("%s%llu record(s) missing", used > 0 ? ", " : "", (unsigned long long)walk->missing);
    if (unusable > 0)
        ADD("%s%llu record(s) unusable", used > 0 ? ", " : "", (unsigned long long)unusable);
    if (!part->ended)
        ADD("%sthe process did not end by itself (killed, left by _exit, or still "
            "running)",
            used > 0 ? ", " : "");
#undef ADD
}

/* What the walk has passed need not stay in memory: it is mapped from a file. */
static size_t release(const struct trace_walk *walk, size_t from)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)walk->data + from) & ~(page - 1);
    madvise((void *)first, (uintptr_t)walk->data + walk->position - first, MADV_DONTNEED);
    return walk->position;
}

enum sonde_status trace_part_read(struct trace_part *part, const uint8_t *data, size_t size,
                                  enum trace_life life, struct trace_arena *arena,
                                  struct sonde_error *error)
{
    struct trace_walk walk;
    uint64_t features;
    uint32_t version;
    enum sonde_status status = trace_walk_begin(&walk, data, size, &version, &features, error);
    if (status != SONDE_OK)
        return status;
    uint64_t unusable = 0, dropped = 0;
    struct trace_section section;
    size_t released = 0;
    walk.is_lazy = life == TRACE_LASTING_LAZY;
    part->header = trace_empty_header;
    while (trace_walk_next(&walk, &section)) {
        section.is_lasting = section.is_lasting && life != TRACE_PASSING;
        if (!add_section(part, &section, arena, &dropped))
            unusable++;
        if (life == TRACE_LASTING && walk.position - released > RELEASE_BYTES)
            released = release(&walk, released);
    }
    part->looked_at = walk.looked_at;
    part->header.version = version;
    part->header.feature_mask = features;
    describe(part, &walk, unusable);
    trace_walk_end(&walk);
    return SONDE_OK;
}

void trace_part_clear(struct trace_part *part)
{
    free(part->kernels);
    free(part->kernel_file_ids);
    free(part->dispatches);
    free(part->dispatch_file_ids);
    free(part->counts);
    free(part->losses);
    free(part->messages);
    trace_call_flow_clear(&part->flow);
    free(part->layouts);
    for (size_t i = 0; i < part->stretch_count; i++)
        if (part->stretches[i].is_owned)
            free((void *)(uintptr_t)part->stretches[i].frame);
    free(part->stretches);
    free(part->totals);
    free(part->counters);
    free(part->arguments);
    free(part->buffers);
    *part = (struct trace_part){0};
}
