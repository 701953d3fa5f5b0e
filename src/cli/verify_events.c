/* Recorded streams against the emulated GPU's own, record for record. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "cli/verify_scope.h"

typedef unsigned long long ull;

#define NO_INSTRUCTION UINT32_MAX
#define NO_RECORD      SIZE_MAX
#define STEP           8u /* bytes: instructions stand at multiples of it */

/* One record in memory; those of a software thread are linked in order. */
struct entry {
    const uint8_t *record;
    size_t next;
};

struct checker {
    struct verify_result *result;
    const char *where;
    const struct sonde_trace_kernel *kernel;
    const struct sonde_record_layout *layout;
    const struct truth_dispatch *device;
    bool cut;  /* records were lost: what is there has to be a beginning */
    bool gaps; /* or, where the buffer was emptied meanwhile, in that order */
    /* The instrumented body, by offset / STEP from the kernel's start. */
    uint32_t *original; /* index of the original instruction there */
    uint8_t *size;      /* bytes of the instruction there, 0 none */
    size_t steps;
    uint32_t *block_at; /* by original instruction: block that it begins, or NO_INSTRUCTION */
    struct sonde_gen_instruction *instructions;
    size_t instruction_count;
    uint8_t *data;
    struct entry *entries;
    size_t entry_count;
    size_t *starts; /* entries that start a thread, in order */
    size_t start_count;
};

static bool map_code(struct checker *c)
{
    const struct sonde_trace_kernel *kernel = c->kernel;
    size_t body = kernel->heap_size - kernel->instrumented_entry;
    c->steps = body / STEP;
    c->original = malloc((c->steps + 1) * sizeof *c->original);
    c->size = calloc(c->steps + 1, 1);
    c->block_at = malloc((kernel->instruction_count + 1) * sizeof *c->block_at);
    if (c->original == NULL || c->size == NULL || c->block_at == NULL)
        return false;
    memset(c->original, 0xff, (c->steps + 1) * sizeof *c->original);
    memset(c->block_at, 0xff, (kernel->instruction_count + 1) * sizeof *c->block_at);
    for (size_t b = 0; b < kernel->block_count; b++)
        c->block_at[kernel->blocks[b].first] = (uint32_t)b;
    for (size_t i = 0; i < kernel->instruction_count; i++)
        if (kernel->instruction_offsets[i] != UINT32_MAX)
            c->original[(kernel->instruction_offsets[i] - kernel->instrumented_entry) / STEP] =
                (uint32_t)i;
    for (size_t at = 0; at + STEP <= body;) {
        struct sonde_gen_instruction instruction;
        if (sonde_gen_decode(kernel->platform, kernel->heap, kernel->heap_size,
                             kernel->instrumented_entry + at, &instruction, NULL) != SONDE_OK)
            break;
        c->size[at / STEP] = instruction.size;
        at += instruction.size;
    }
    return true;
}

static enum sonde_status load(struct checker *c, const struct sonde_trace *trace, uint32_t dispatch,
                              struct sonde_error *error)
{
    uint64_t bytes = 0, count = 0, at = 0;
    for (size_t i = 0; i < sonde_trace_records_count(trace); i++) {
        const struct sonde_trace_records *stretch = sonde_trace_records(trace, i);
        bytes += stretch->dispatch == dispatch ? stretch->size : 0;
        count += stretch->dispatch == dispatch ? stretch->count : 0;
    }
    c->data = malloc((size_t)bytes + 1);
    c->entries = calloc((size_t)count + 1, sizeof *c->entries);
    c->starts = calloc((size_t)count + 1, sizeof *c->starts);
    if (c->data == NULL || c->entries == NULL || c->starts == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < sonde_trace_records_count(trace); i++) {
        const struct sonde_trace_records *stretch = sonde_trace_records(trace, i);
        if (stretch->dispatch != dispatch)
            continue;
        enum sonde_status status = sonde_trace_read_records(trace, i, c->data + at, error);
        if (status != SONDE_OK)
            return status;
        at += stretch->size;
    }
    for (at = 0; at < bytes && c->entry_count < count;) {
        uint32_t block = base_load32(c->data + at);
        uint32_t size = block < c->layout->block_count ? c->layout->blocks[block].size : 0;
        if (size == 0 || size > bytes - at)
            return sonde_error_set(error, SONDE_ERROR_FORMAT, at, "a record of no known block");
        c->entries[c->entry_count++] = (struct entry){c->data + at, NO_RECORD};
        at += size;
    }
    return SONDE_OK;
}

static uint32_t state_of(const struct entry *entry)
{
    return base_load32(entry->record + SONDE_RECORD_THREAD);
}

static bool is_start(const struct checker *c, const struct entry *entry)
{
    return base_load32(entry->record) + 1 == c->layout->block_count;
}

/* Link the records of each software thread. */
static bool link_threads(struct checker *c)
{
    size_t *last = malloc(65536 * sizeof *last);
    for (size_t s = 0; last != NULL && s < 65536; s++)
        last[s] = NO_RECORD;
    for (size_t i = 0; last != NULL && i < c->entry_count; i++) {
        size_t *slot = &last[state_of(&c->entries[i]) & 0xffff];
        if (is_start(c, &c->entries[i]))
            c->starts[c->start_count++] = i;
        else if (*slot != NO_RECORD)
            c->entries[*slot].next = i;
        *slot = i;
    }
    free(last);
    return last != NULL;
}

/* The start of the n-th thread on a hardware thread slot. */
static size_t find_start(const struct checker *c, uint32_t state, size_t number)
{
    for (size_t i = 0; i < c->start_count; i++)
        if (state_of(&c->entries[c->starts[i]]) == state && number-- == 0)
            return c->starts[i];
    return NO_RECORD;
}

/* Where the check of one thread stands. */
struct way {
    size_t thread, at; /* the record at hand; NO_RECORD behind the last */
    bool over;         /* the thread's records end here, by a loss */
    bool failed;
};

static void fail(struct checker *c, struct way *way, const char *what, uint64_t here,
                 uint64_t device)
{
    way->failed = true;
    verify_differ(c->result, "%s, thread %zu: %s: recorded 0x%llx, the device saw 0x%llx", c->where,
                  way->thread, what, (ull)here, (ull)device);
}

/* Channels that wait for a branch wake at the branch itself, behind the record
 * of its block. */
static bool is_branch(const struct checker *c, uint32_t block)
{
    return sonde_gen_opcode_is_branch(c->instructions[c->kernel->blocks[block].first].opcode);
}

static void check_visit(struct checker *c, struct way *way, uint32_t block, uint32_t mask)
{
    way->at = c->entries[way->at].next;
    if (way->at == NO_RECORD) {
        way->over = true;
        if (!c->cut)
            fail(c, way, "a visit is missing", 0, block);
        return;
    }
    const uint8_t *record = c->entries[way->at].record;
    uint32_t dispatched = base_load32(record + SONDE_RECORD_DISPATCH);
    uint32_t enabled = base_load32(record + SONDE_RECORD_ENABLED) & dispatched;
    c->result->records++;
    if (base_load32(record) != block)
        fail(c, way, "block", base_load32(record), block);
    else if (enabled != (mask & dispatched) && !is_branch(c, block))
        fail(c, way, "enabled channels", enabled, mask & dispatched);
}

static void check_item(struct checker *c, struct way *way, const struct sonde_record_item *item,
                       const struct truth_event *event)
{
    const uint8_t *record = c->entries[way->at].record;
    const struct sonde_gen_instruction *send = &c->instructions[item->point.instruction];
    if (item->point.kind == SONDE_RECORD_ADDRESSES) {
        if (item->size > event->count * 32 ||
            memcmp(record + item->offset, event->payload, item->size) != 0)
            fail(c, way, "payload of the message at instruction", item->point.instruction,
                 event->offset);
        c->result->records++;
    } else if (item->point.kind == SONDE_RECORD_MASK) {
        uint32_t dispatched = base_load32(record + SONDE_RECORD_DISPATCH);
        uint32_t mask = event->mask << send->channel_offset & dispatched;
        if (base_load32(record + item->offset) != mask)
            fail(c, way, "channels of a message", base_load32(record + item->offset), mask);
        c->result->records++;
    }
}

static void check_message(struct checker *c, struct way *way, uint32_t index,
                          const struct truth_event *event)
{
    uint32_t block = base_load32(c->entries[way->at].record);
    const struct sonde_record_block *layout = &c->layout->blocks[block];
    for (uint32_t i = 0; i < layout->item_count && !way->failed; i++) {
        const struct sonde_record_item *item = &c->layout->items[layout->first_item + i];
        if (item->point.instruction == index && !item->point.after &&
            block + 1 != c->layout->block_count)
            check_item(c, way, item, event);
    }
}

static uint32_t original_at(const struct checker *c, uint64_t offset)
{
    uint64_t step = (offset + c->device->entry) / STEP;
    return step < c->steps ? c->original[step] : NO_INSTRUCTION;
}

static void check_run(struct checker *c, struct way *way, const struct truth_event *event)
{
    uint64_t offset = event->offset;
    for (uint32_t i = 0; i < event->count && !way->failed && !way->over; i++) {
        uint64_t step = (offset + c->device->entry) / STEP;
        uint32_t index = original_at(c, offset);
        uint32_t block = index == NO_INSTRUCTION ? NO_INSTRUCTION : c->block_at[index];
        if (block != NO_INSTRUCTION && c->layout->blocks[block].size != 0)
            check_visit(c, way, block, event->mask);
        if (step >= c->steps || c->size[step] == 0)
            return;
        offset += c->size[step];
    }
}

static void check_thread(struct checker *c, size_t number, size_t start)
{
    const struct truth_thread *thread = &c->device->threads[number];
    struct way way = {.thread = number, .at = start};
    if (start == NO_RECORD) {
        if (!c->cut)
            fail(c, &way, "its start is missing", 0, thread->state);
        return;
    }
    const uint8_t *header = c->entries[start].record + SONDE_RECORD_HEADER_BYTES;
    const uint32_t group[3] = {base_load32(header + 4), base_load32(header + 24),
                               base_load32(header + 28)};
    c->result->records++;
    for (int axis = 0; axis < 3; axis++)
        if (group[axis] != thread->group[axis])
            fail(c, &way, "work-group", group[axis], thread->group[axis]);
    struct truth_event event;
    for (size_t position = 0; !way.failed && !way.over;) {
        if (!truth_events_next(thread, &position, &event))
            break;
        uint32_t index = event.is_message ? original_at(c, event.offset) : NO_INSTRUCTION;
        if (index != NO_INSTRUCTION)
            check_message(c, &way, index, &event);
        else if (!event.is_message)
            check_run(c, &way, &event);
    }
    if (!way.failed && !way.over && c->entries[way.at].next != NO_RECORD)
        fail(c, &way, "a visit too many, of block",
             base_load32(c->entries[c->entries[way.at].next].record), 0);
}

static void check_threads(struct checker *c)
{
    for (size_t i = 0; i < c->device->thread_count && c->result->differences < 100; i++) {
        size_t before = 0;
        for (size_t j = 0; j < i; j++)
            before += c->device->threads[j].state == c->device->threads[i].state;
        check_thread(c, i, find_start(c, c->device->threads[i].state, before));
    }
    if (c->start_count > c->device->thread_count)
        verify_differ(c->result, "%s: %zu threads were recorded, the device ran %zu", c->where,
                      c->start_count, c->device->thread_count);
}

/* --- records with gaps between them ---------------------------------------------- */

/* A visit of a block with records as the device saw it. */
struct seen {
    const struct truth_thread *thread;
    size_t messages; /* position of the events behind it; SIZE_MAX: it has no message */
    uint32_t block, mask;
};

struct seen_list {
    struct seen *items;
    size_t count, capacity;
};

static bool add_seen(struct seen_list *list, struct seen seen)
{
    void *items = list->items;
    if (base_array_reserve(&items, &list->capacity, list->count + 1, sizeof seen) != SONDE_OK)
        return false;
    list->items = items;
    list->items[list->count++] = seen;
    return true;
}

/* The visits in a run; only the last one's messages can follow. */
static bool add_run(const struct checker *c, const struct truth_thread *thread,
                    const struct truth_event *event, size_t behind, struct seen_list *list)
{
    uint64_t offset = event->offset;
    size_t before = list->count;
    for (uint32_t i = 0; i < event->count; i++) {
        uint64_t step = (offset + c->device->entry) / STEP;
        uint32_t index = original_at(c, offset);
        uint32_t block = index == NO_INSTRUCTION ? NO_INSTRUCTION : c->block_at[index];
        if (step >= c->steps || c->size[step] == 0)
            break;
        offset += c->size[step];
        if (block == NO_INSTRUCTION || c->layout->blocks[block].size == 0)
            continue;
        if (list->count > before)
            list->items[list->count - 1].messages = SIZE_MAX;
        if (!add_seen(list, (struct seen){thread, behind, block, event->mask}))
            return false;
    }
    return true;
}

/* All visits on a hardware thread slot. */
static bool list_seen(const struct checker *c, uint32_t state, struct seen_list *list)
{
    list->count = 0;
    for (size_t i = 0; i < c->device->thread_count; i++) {
        const struct truth_thread *thread = &c->device->threads[i];
        struct truth_event event;
        if (thread->state != state)
            continue;
        if (!add_seen(list, (struct seen){thread, SIZE_MAX, (uint32_t)c->layout->block_count - 1,
                                          UINT32_MAX}))
            return false;
        for (size_t position = 0; truth_events_next(thread, &position, &event);)
            if (!event.is_message && !add_run(c, thread, &event, position, list))
                return false;
    }
    return true;
}

static bool item_matches(const struct checker *c, const uint8_t *record,
                         const struct sonde_record_item *item, const struct truth_event *event)
{
    const struct sonde_gen_instruction *send = &c->instructions[item->point.instruction];
    if (item->point.kind == SONDE_RECORD_ADDRESSES)
        return item->size <= event->count * 32 &&
               memcmp(record + item->offset, event->payload, item->size) == 0;
    return item->point.kind != SONDE_RECORD_MASK ||
           base_load32(record + item->offset) ==
               (event->mask << send->channel_offset & base_load32(record + SONDE_RECORD_DISPATCH));
}

/* Whether a run begins another visit. */
static bool ends_visit(const struct checker *c, const struct truth_event *event)
{
    struct seen_list found = {.items = NULL};
    bool ends = !add_run(c, NULL, event, 0, &found) || found.count > 0;
    free(found.items);
    return ends;
}

static bool items_match(const struct checker *c, const uint8_t *record, const struct seen *seen)
{
    const struct sonde_record_block *layout = &c->layout->blocks[seen->block];
    struct truth_event event;
    for (size_t position = seen->messages; position != SIZE_MAX;) {
        if (!truth_events_next(seen->thread, &position, &event) ||
            (!event.is_message && ends_visit(c, &event)))
            break;
        uint32_t index = event.is_message ? original_at(c, event.offset) : NO_INSTRUCTION;
        for (uint32_t i = 0; index != NO_INSTRUCTION && i < layout->item_count; i++) {
            const struct sonde_record_item *item = &c->layout->items[layout->first_item + i];
            if (item->point.instruction == index && !item->point.after &&
                !item_matches(c, record, item, &event))
                return false;
        }
    }
    return true;
}

static bool record_matches(const struct checker *c, const uint8_t *record, const struct seen *seen)
{
    uint32_t dispatched = base_load32(record + SONDE_RECORD_DISPATCH);
    uint32_t enabled = base_load32(record + SONDE_RECORD_ENABLED) & dispatched;
    const uint8_t *r0 = record + SONDE_RECORD_HEADER_BYTES;
    if (base_load32(record) != seen->block)
        return false;
    if (seen->block + 1 == c->layout->block_count)
        return base_load32(r0 + 4) == seen->thread->group[0] &&
               base_load32(r0 + 24) == seen->thread->group[1] &&
               base_load32(r0 + 28) == seen->thread->group[2];
    return (enabled == (seen->mask & dispatched) || is_branch(c, seen->block)) &&
           items_match(c, record, seen);
}

/* The records of a slot have to be among its visits, in their order. */
static bool check_slot(struct checker *c, uint32_t state, struct seen_list *list)
{
    if (!list_seen(c, state, list))
        return false;
    size_t at = 0;
    for (size_t i = 0; i < c->entry_count; i++) {
        if (state_of(&c->entries[i]) != state)
            continue;
        while (at < list->count && !record_matches(c, c->entries[i].record, &list->items[at]))
            at++;
        if (at++ == list->count) {
            verify_differ(c->result,
                          "%s, hardware thread 0x%x: record %zu, of block %u, is of no visit that "
                          "the device saw there",
                          c->where, state, i, base_load32(c->entries[i].record));
            return true;
        }
        c->result->records++;
    }
    return true;
}

static bool check_slots(struct checker *c)
{
    struct seen_list list = {.items = NULL};
    bool done = true;
    for (size_t i = 0; i < c->device->thread_count && done; i++) {
        size_t j = 0;
        while (j < i && c->device->threads[j].state != c->device->threads[i].state)
            j++;
        if (j == i)
            done = check_slot(c, c->device->threads[i].state, &list);
    }
    free(list.items);
    return done;
}

static void clear(struct checker *c)
{
    free(c->original);
    free(c->size);
    free(c->block_at);
    free(c->instructions);
    free(c->data);
    free(c->entries);
    free(c->starts);
}

static const struct sonde_trace_record_totals *totals_of(const struct sonde_trace *trace,
                                                         uint32_t dispatch)
{
    for (size_t i = 0; i < sonde_trace_record_totals_count(trace); i++)
        if (sonde_trace_record_totals(trace, i)->dispatch == dispatch)
            return sonde_trace_record_totals(trace, i);
    return NULL;
}

enum sonde_status verify_compare_events(struct verify_result *result, const char *where,
                                        const struct sonde_trace *trace, uint32_t dispatch,
                                        const struct truth_dispatch *device,
                                        struct sonde_error *error)
{
    const struct sonde_trace_record_totals *totals = totals_of(trace, dispatch);
    struct truth_dispatch chosen;
    if (totals == NULL || device->thread_count == 0)
        return SONDE_OK;
    struct checker c = {.result = result,
                        .where = where,
                        .kernel = sonde_trace_kernel(trace, totals->kernel),
                        .layout = sonde_trace_record_layout(trace, totals->kernel),
                        .device = device,
                        .cut = totals->lost > 0};
    /* A window gives no second chance to a group that does not fit either. */
    c.gaps = c.cut && (strcmp(totals->mode, "drain") == 0 || strcmp(totals->mode, "window") == 0);
    if (c.layout == NULL || c.kernel->instruction_offsets == NULL)
        return SONDE_OK;
    if (!verify_scope_choose(trace, dispatch, device, &chosen))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    c.device = &chosen;
    enum sonde_status status =
        sonde_gen_decode_all(c.kernel->platform, c.kernel->original, c.kernel->original_size,
                             &c.instructions, &c.instruction_count, error);
    if (status == SONDE_OK && c.instruction_count < c.kernel->instruction_count)
        status = sonde_error_set(error, SONDE_ERROR_FORMAT, 0, "the kernel's code is cut off");
    if (status == SONDE_OK && !map_code(&c))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (status == SONDE_OK)
        status = load(&c, trace, dispatch, error);
    if (status == SONDE_OK && !(c.gaps ? check_slots(&c) : link_threads(&c)))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (status == SONDE_OK && !c.gaps)
        check_threads(&c);
    clear(&c);
    free(chosen.threads);
    return status;
}
