/* Tables of memory messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/access_name.h"
#include "analyze/buffers.h"
#include "analyze/hash.h"
#include "analyze/records.h"
#include "analyze/tables.h"
#include "base/bytes.h"

#define LINE_BYTES    64u
#define CACHE_LINES   1024u                   /* 64 KiB */
#define SURFACE_APART 67u                     /* sets */
#define PAGE_LINES    64u                     /* a bit each */
#define LINES_LIMIT   (ANALYZE_CHANNELS * 5u) /* of one message */

/* The lines of a page, a bit each. */
struct page {
    uint64_t touched;
    uint64_t written; /* by the last access */
};

/* The page that a message accessed last: most go on in it. By row of the message. */
#define NEAR_PAGES 256u
struct near_page {
    uint64_t key;
    uint32_t instruction;
    struct page *state; /* NULL: none */
    uint64_t *seen;
};

struct memory;
typedef bool see_access(struct memory *memory, const struct analyze_access *access,
                        struct analyze_row *row);

/* analyze_row.argument besides a place in the arguments. */
#define ARGUMENT_NEW     (SIZE_MAX - 1)
#define ARGUMENT_SEVERAL (SIZE_MAX - 2)

struct memory {
    struct analyze_rows *rows;
    see_access *see;
    struct analyze_codes codes;
    struct analyze_buffers buffers;
    /* cachelines: page -> struct page; page and message -> its lines, a bit each */
    struct analyze_blocks pages, footprints;
    struct near_page near[NEAR_PAGES];
    uint64_t cache[CACHE_LINES];
    uint32_t dispatch;
};

/* The row of a message: the first execution makes it. NULL: out of memory. */
static struct analyze_row *row_of(struct memory *memory, const struct analyze_visit *visit,
                                  const struct analyze_access *access, struct analyze_reading *step)
{
    if (step->row != UINT32_MAX)
        return &memory->rows->items[step->row];
    struct analyze_row *row = analyze_rows_add(memory->rows);
    if (row == NULL)
        return NULL;
    step->row = (uint32_t)(memory->rows->count - 1);
    row->kernel = visit->kernel;
    row->instruction = access->instruction;
    row->block = visit->block;
    row->argument = ARGUMENT_NEW;
    analyze_access_name(access->message, row->text, sizeof row->text);
    return row;
}

/* The buffer that the message goes to, or that it goes to several. */
static void name_buffer(const struct memory *memory, const struct analyze_access *access,
                        struct analyze_row *row)
{
    if (access->mask == 0 || row->argument == ARGUMENT_SEVERAL ||
        (row->argument != ARGUMENT_NEW &&
         access->message->address_model == SONDE_GEN_ADDRESS_SURFACE))
        return;
    uint64_t address = analyze_access_address(access, (uint32_t)__builtin_ctz(access->mask));
    size_t argument = analyze_buffers_find(&memory->buffers, access->message, address);
    if (argument == row->argument || argument == ANALYZE_NO_ARGUMENT)
        return;
    if (row->argument != ARGUMENT_NEW)
        snprintf(row->buffer, sizeof row->buffer, "(several)");
    else
        analyze_buffers_name(&memory->buffers, argument, row->buffer, sizeof row->buffer);
    row->argument = row->argument != ARGUMENT_NEW ? ARGUMENT_SEVERAL : argument;
}

static void begin_dispatch(struct memory *memory, uint32_t dispatch)
{
    memory->dispatch = dispatch;
    memset(memory->cache, 0, sizeof memory->cache);
    memset(memory->near, 0, sizeof memory->near);
    analyze_blocks_clear(&memory->pages);
    analyze_blocks_clear(&memory->footprints);
}

static enum sonde_status see_visit(const struct analyze_visit *visit, void *context,
                                   struct sonde_error *error)
{
    struct memory *memory = context;
    const struct analyze_code *code = analyze_codes_get(&memory->codes, visit, error);
    if (code == NULL)
        return error != NULL ? error->status : SONDE_ERROR_MEMORY;
    if (memory->dispatch != visit->dispatch)
        begin_dispatch(memory, visit->dispatch);
    bool good = analyze_buffers_see(&memory->buffers, visit);
    for (uint32_t i = 0; i < analyze_visit_item_count(visit) && good; i++) {
        struct analyze_access access;
        if (!analyze_access_read(code, visit, i, &access))
            continue;
        struct analyze_row *row =
            row_of(memory, visit, &access, analyze_visit_step(code, visit, i));
        if (row != NULL)
            name_buffer(memory, &access, row);
        good = row != NULL && memory->see(memory, &access, row);
    }
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

static enum sonde_status walk(const struct sonde_trace *trace,
                              const struct analyze_matcher *matcher, see_access *see,
                              struct analyze_rows *rows, struct sonde_error *error)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    memory->rows = rows;
    memory->see = see;
    memory->dispatch = UINT32_MAX;
    memory->pages.block_bytes = sizeof(struct page);
    memory->footprints.block_bytes = sizeof(uint64_t);
    memory->buffers = (struct analyze_buffers){.trace = trace, .dispatch = UINT32_MAX};
    enum sonde_status status = analyze_records_walk(trace, matcher, see_visit, memory, error);
    analyze_codes_clear(&memory->codes);
    begin_dispatch(memory, UINT32_MAX);
    analyze_buffers_clear(&memory->buffers);
    free(memory);
    return status;
}

/* --- memtrace ------------------------------------------------------------------- */

static bool see_memory(struct memory *memory, const struct analyze_access *access,
                       struct analyze_row *row)
{
    (void)memory;
    uint64_t *value = row->value;
    if (value[MEMORY_EXECUTIONS]++ == 0)
        value[MEMORY_LOWEST] = UINT64_MAX;
    value[MEMORY_WIDTH] = access->width;
    uint64_t lanes = analyze_access_lanes(access);
    value[MEMORY_LANES] += lanes;
    value[MEMORY_BYTES] += access->width * lanes;
    if (access->mask == 0)
        return true;
    uint64_t lowest, highest;
    analyze_access_ends(access, &lowest, &highest);
    if (lowest < value[MEMORY_LOWEST])
        value[MEMORY_LOWEST] = lowest;
    if (highest > value[MEMORY_HIGHEST])
        value[MEMORY_HIGHEST] = highest;
    return true;
}

enum sonde_status analyze_memory(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                 struct sonde_error *error)
{
    return walk(trace, matcher, see_memory, rows, error);
}

/* --- lines of one execution ------------------------------------------------------- */

/* The different lines that an execution touches, ascending: one behind the
 * other, or listed. */
struct lines {
    uint64_t first;
    uint32_t count;
    bool is_listed;
    uint64_t items[LINES_LIMIT + 1];
};

/* Most come in order: what does not is put in its place. */
static inline void add_line(struct lines *lines, uint64_t line)
{
    uint32_t place = lines->count;
    while (place > 0 && lines->items[place - 1] > line)
        place--;
    if (place > 0 && lines->items[place - 1] == line)
        return;
    for (uint32_t i = lines->count; i > place; i--)
        lines->items[i] = lines->items[i - 1];
    lines->items[place] = line;
    lines->count++;
}

static void find_lines(const struct analyze_access *access, struct lines *lines)
{
    lines->count = 0;
    lines->is_listed = true;
    if (access->mask == 0 || access->width == 0)
        return;
    uint64_t most = access->step < 0 ? -(uint64_t)access->step : (uint64_t)access->step;
    if (access->even != 0 && most <= LINE_BYTES) { /* no line between is left out */
        uint64_t lowest, highest;
        analyze_access_ends(access, &lowest, &highest);
        lines->first = lowest / LINE_BYTES;
        uint64_t count = (highest + access->width - 1) / LINE_BYTES - lines->first + 1;
        lines->count = count < LINES_LIMIT ? (uint32_t)count : LINES_LIMIT;
        lines->is_listed = false;
        return;
    }
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint64_t first = analyze_access_address(access, (uint32_t)__builtin_ctz(left));
        uint64_t last = (first + access->width - 1) / LINE_BYTES;
        for (uint64_t line = first / LINE_BYTES; line <= last && lines->count < LINES_LIMIT; line++)
            add_line(lines, line);
    }
}

static inline uint64_t line_at(const struct lines *lines, uint32_t i)
{
    return lines->is_listed ? lines->items[i] : lines->first + i;
}

/* --- stride ------------------------------------------------------------------------ */

static unsigned kind_of(const struct analyze_access *access)
{
    if (access->even != 0 && access->step == 0)
        return STRIDE_UNIFORM;
    if (access->even != 0)
        return access->step == (int64_t)access->width ? STRIDE_UNIT : STRIDE_CONSTANT;
    uint32_t left = access->mask;
    unsigned first = (unsigned)__builtin_ctz(left);
    left &= left - 1;
    if (left == 0)
        return STRIDE_UNIFORM;
    unsigned second = (unsigned)__builtin_ctz(left);
    int64_t distance = (int64_t)(access->address[second] - access->address[first]);
    int64_t apart = (int64_t)(second - first), step = apart == 1 ? distance : distance / apart;
    if (step * apart != distance)
        return STRIDE_GATHER;
    for (left &= left - 1; left != 0; left &= left - 1) {
        unsigned c = (unsigned)__builtin_ctz(left);
        if (access->address[c] != access->address[first] + (uint64_t)step * (c - first))
            return STRIDE_GATHER;
    }
    if (step == 0)
        return STRIDE_UNIFORM;
    return step == (int64_t)access->width ? STRIDE_UNIT : STRIDE_CONSTANT;
}

static bool see_stride(struct memory *memory, const struct analyze_access *access,
                       struct analyze_row *row)
{
    (void)memory;
    struct lines lines;
    bool block = access->message->layout != SONDE_GEN_LAYOUT_UNTYPED &&
                 access->message->layout != SONDE_GEN_LAYOUT_SCATTERED;
    uint64_t bytes = (uint64_t)access->width * analyze_access_lanes(access);
    row->value[STRIDE_EXECUTIONS]++;
    if (access->mask == 0)
        return true;
    unsigned kind = block ? STRIDE_BLOCK : kind_of(access);
    row->value[kind]++;
    if (kind == STRIDE_UNIFORM)
        bytes = access->width;
    find_lines(access, &lines);
    row->value[STRIDE_LINES] += lines.count;
    row->value[STRIDE_IDEAL] += (bytes + LINE_BYTES - 1) / LINE_BYTES;
    return true;
}

enum sonde_status analyze_stride(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                 struct sonde_error *error)
{
    return walk(trace, matcher, see_stride, rows, error);
}

/* --- cache lines ------------------------------------------------------------------- */

/* Lines of different spaces are different: the surface stands in the high bits. */
static uint64_t space_of(const struct sonde_gen_message *message)
{
    if (message->address_model == SONDE_GEN_ADDRESS_SLM)
        return 300;
    return message->address_model == SONDE_GEN_ADDRESS_SURFACE ? 1 + message->bti : 0;
}

/* Surfaces start at different sets, as buffers in memory do. */
static void see_cache(struct memory *memory, uint64_t space, uint64_t line, struct analyze_row *row)
{
    uint64_t key = (space << 52 | (line & ((UINT64_C(1) << 52) - 1))) + 1;
    uint64_t *slot = &memory->cache[(line + space * SURFACE_APART) % CACHE_LINES];
    row->value[*slot == key ? LINE_HITS : LINE_MISSES]++;
    *slot = key;
}

static uint64_t count_of(uint64_t bits)
{
    return (uint64_t)__builtin_popcountll(bits);
}

/* What is known of the page, and of what the message touched of it before. */
static struct near_page *find_page(struct memory *memory, const struct analyze_access *access,
                                   uint64_t page, struct analyze_row *row)
{
    uint64_t key = space_of(access->message) << 52 | (page & ((UINT64_C(1) << 52) - 1));
    struct near_page *near = &memory->near[(size_t)(row - memory->rows->items) % NEAR_PAGES];
    if (near->state != NULL && near->key == key && near->instruction == access->instruction)
        return near;
    near->key = key;
    near->instruction = access->instruction;
    near->state = analyze_blocks_find(&memory->pages, key);
    near->seen = analyze_blocks_find(
        &memory->footprints, key ^ (uint64_t)(access->instruction + 1) * 0x9e3779b97f4a7c15u);
    if (near->state != NULL && near->seen != NULL)
        return near;
    near->state = NULL;
    return NULL;
}

/* Lines of one page, `bits`, that a message touches. */
static bool see_page(struct memory *memory, const struct analyze_access *access, uint64_t page,
                     uint64_t bits, struct analyze_row *row)
{
    bool writes = access->message->operation != SONDE_GEN_MESSAGE_READ;
    struct near_page *near = find_page(memory, access, page, row);
    if (near == NULL)
        return false;
    struct page *state = near->state;
    uint64_t known = state->touched & bits, after_write = known & state->written;
    row->value[writes ? LINE_WRITE_AFTER_WRITE : LINE_READ_AFTER_WRITE] += count_of(after_write);
    row->value[writes ? LINE_WRITE_AFTER_READ : LINE_READ_AFTER_READ] +=
        count_of(known ^ after_write);
    row->value[LINE_FOOTPRINT] += count_of(bits & ~*near->seen);
    *near->seen |= bits;
    state->touched |= bits;
    state->written = writes ? state->written | bits : state->written & ~bits;
    return true;
}

static bool see_lines(struct memory *memory, const struct analyze_access *access,
                      struct analyze_row *row)
{
    struct lines lines;
    find_lines(access, &lines);
    row->value[LINE_EXECUTIONS]++;
    row->value[LINE_LINES] += lines.count;
    if (lines.count > row->value[LINE_MOST])
        row->value[LINE_MOST] = lines.count;
    bool cached = access->message->address_model != SONDE_GEN_ADDRESS_SLM;
    for (uint32_t i = 0; i < lines.count;) {
        uint64_t page = line_at(&lines, i) / PAGE_LINES, bits = 0;
        for (; i < lines.count && line_at(&lines, i) / PAGE_LINES == page; i++) {
            uint64_t line = line_at(&lines, i);
            bits |= UINT64_C(1) << line % PAGE_LINES;
            if (cached)
                see_cache(memory, space_of(access->message), line, row);
        }
        if (!see_page(memory, access, page, bits, row))
            return false;
    }
    return true;
}

enum sonde_status analyze_cachelines(const struct sonde_trace *trace,
                                     const struct analyze_matcher *matcher,
                                     struct analyze_rows *rows, struct sonde_error *error)
{
    snprintf(rows->note, sizeof rows->note,
             "lines of 64 bytes; hits and misses of a direct-mapped cache of 64 KiB that sees the "
             "accesses in the order of the records, empty when a dispatch starts");
    return walk(trace, matcher, see_lines, rows, error);
}
