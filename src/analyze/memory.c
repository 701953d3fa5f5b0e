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
    struct analyze_blocks pages;    /* cachelines: page -> struct page */
    struct analyze_hash footprints; /* page and message -> its lines, a bit each */
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
    uint64_t address = access->address[__builtin_ctz(access->mask)];
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
    analyze_blocks_clear(&memory->pages);
    analyze_hash_clear(&memory->footprints);
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
    value[MEMORY_LANES] += (uint64_t)__builtin_popcount(access->mask);
    value[MEMORY_BYTES] += (uint64_t)access->width * (uint64_t)__builtin_popcount(access->mask);
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint64_t address = access->address[__builtin_ctz(left)];
        if (address < value[MEMORY_LOWEST])
            value[MEMORY_LOWEST] = address;
        if (address > value[MEMORY_HIGHEST])
            value[MEMORY_HIGHEST] = address;
    }
    return true;
}

enum sonde_status analyze_memory(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                 struct sonde_error *error)
{
    return walk(trace, matcher, see_memory, rows, error);
}

/* --- lines of one execution ------------------------------------------------------- */

/* The different lines that an execution touches, ascending. Most come so: what
 * does not is put in its place. */
static size_t list_lines(const struct analyze_access *access, uint64_t *lines, size_t limit)
{
    size_t count = 0;
    for (uint32_t left = access->mask; left != 0 && access->width != 0; left &= left - 1) {
        uint64_t first = access->address[__builtin_ctz(left)];
        uint64_t last = (first + access->width - 1) / LINE_BYTES;
        for (uint64_t line = first / LINE_BYTES; line <= last && count < limit; line++) {
            size_t place = count;
            while (place > 0 && lines[place - 1] > line)
                place--;
            if (place > 0 && lines[place - 1] == line)
                continue;
            memmove(&lines[place + 1], &lines[place], (count - place) * sizeof *lines);
            lines[place] = line;
            count++;
        }
    }
    return count;
}

/* --- stride ------------------------------------------------------------------------ */

static unsigned kind_of(const struct analyze_access *access)
{
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
    uint64_t lines[LINES_LIMIT + 1];
    bool block = access->message->layout != SONDE_GEN_LAYOUT_UNTYPED &&
                 access->message->layout != SONDE_GEN_LAYOUT_SCATTERED;
    uint64_t bytes = (uint64_t)access->width * (uint64_t)__builtin_popcount(access->mask);
    row->value[STRIDE_EXECUTIONS]++;
    if (access->mask == 0)
        return true;
    unsigned kind = block ? STRIDE_BLOCK : kind_of(access);
    row->value[kind]++;
    if (kind == STRIDE_UNIFORM)
        bytes = access->width;
    row->value[STRIDE_LINES] += list_lines(access, lines, LINES_LIMIT);
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

/* Lines of one page, `bits`, that a message touches. */
static bool see_page(struct memory *memory, const struct analyze_access *access, uint64_t page,
                     uint64_t bits, struct analyze_row *row)
{
    uint64_t key = space_of(access->message) << 52 | (page & ((UINT64_C(1) << 52) - 1));
    bool found, writes = access->message->operation != SONDE_GEN_MESSAGE_READ;
    struct page *state = analyze_blocks_find(&memory->pages, key);
    uint64_t *seen =
        analyze_hash_find(&memory->footprints,
                          key ^ (uint64_t)(access->instruction + 1) * 0x9e3779b97f4a7c15u, &found);
    if (state == NULL || seen == NULL)
        return false;
    uint64_t known = state->touched & bits, after_write = known & state->written;
    row->value[writes ? LINE_WRITE_AFTER_WRITE : LINE_READ_AFTER_WRITE] += count_of(after_write);
    row->value[writes ? LINE_WRITE_AFTER_READ : LINE_READ_AFTER_READ] +=
        count_of(known ^ after_write);
    row->value[LINE_FOOTPRINT] += count_of(bits & ~*seen);
    *seen |= bits;
    state->touched |= bits;
    state->written = writes ? state->written | bits : state->written & ~bits;
    return true;
}

static bool see_lines(struct memory *memory, const struct analyze_access *access,
                      struct analyze_row *row)
{
    uint64_t lines[LINES_LIMIT + 1];
    size_t count = list_lines(access, lines, LINES_LIMIT);
    row->value[LINE_EXECUTIONS]++;
    row->value[LINE_LINES] += count;
    if (count > row->value[LINE_MOST])
        row->value[LINE_MOST] = count;
    bool cached = access->message->address_model != SONDE_GEN_ADDRESS_SLM;
    for (size_t i = 0; i < count;) {
        uint64_t page = lines[i] / PAGE_LINES, bits = 0;
        for (; i < count && lines[i] / PAGE_LINES == page; i++) {
            bits |= UINT64_C(1) << lines[i] % PAGE_LINES;
            if (cached)
                see_cache(memory, space_of(access->message), lines[i], row);
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
