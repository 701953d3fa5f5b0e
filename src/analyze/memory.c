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
#define CACHE_LINES   1024u /* 64 KiB */
#define SURFACE_APART 67u   /* sets */

struct memory;
typedef bool see_access(struct memory *memory, const struct analyze_visit *visit,
                        const struct analyze_access *access, struct analyze_row *row);

/* The kernel at hand; records come kernel by kernel within a dispatch. */
struct memory {
    struct analyze_rows *rows;
    see_access *see;
    struct analyze_code code;
    struct analyze_buffers buffers;
    struct analyze_hash lines; /* cachelines: line -> last access */
    uint64_t cache[CACHE_LINES];
    uint32_t dispatch;
};

/* The row of a message: the first execution makes it. NULL: out of memory. */
static struct analyze_row *row_of(struct memory *memory, const struct analyze_visit *visit,
                                  const struct analyze_access *access)
{
    for (size_t i = memory->rows->count; i-- > 0;) {
        struct analyze_row *row = &memory->rows->items[i];
        if (row->kernel == visit->kernel && row->instruction == access->instruction)
            return row;
    }
    struct analyze_row *row = analyze_rows_add(memory->rows);
    if (row == NULL)
        return NULL;
    row->kernel = visit->kernel;
    row->instruction = access->instruction;
    row->block = visit->block;
    analyze_access_name(access->message, row->text, sizeof row->text);
    return row;
}

/* The buffer that the message goes to, or that it goes to several. */
static void name_buffer(const struct memory *memory, const struct analyze_access *access,
                        struct analyze_row *row)
{
    char name[sizeof row->buffer];
    bool one_surface = access->message->address_model == SONDE_GEN_ADDRESS_SURFACE;
    if (access->mask == 0 || (one_surface && row->buffer[0] != '\0'))
        return;
    uint64_t address = access->address[__builtin_ctz(access->mask)];
    analyze_buffers_name(&memory->buffers,
                         analyze_buffers_find(&memory->buffers, access->message, address), name,
                         sizeof name);
    if (row->buffer[0] == '\0')
        memcpy(row->buffer, name, sizeof name);
    else if (name[0] != '\0' && strcmp(row->buffer, name) != 0)
        snprintf(row->buffer, sizeof row->buffer, "(several)");
}

static enum sonde_status see_visit(const struct analyze_visit *visit, void *context,
                                   struct sonde_error *error)
{
    struct memory *memory = context;
    if (memory->code.kernel != visit->kernel) {
        analyze_code_close(&memory->code);
        enum sonde_status status = analyze_code_open(visit->kernel, &memory->code, error);
        if (status != SONDE_OK)
            return status;
    }
    if (memory->dispatch != visit->dispatch) {
        memory->dispatch = visit->dispatch;
        memset(memory->cache, 0, sizeof memory->cache);
        analyze_hash_clear(&memory->lines);
    }
    if (!analyze_buffers_see(&memory->buffers, visit))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        struct analyze_access access;
        if (!analyze_access_read(&memory->code, visit, i, &access))
            continue;
        struct analyze_row *row = row_of(memory, visit, &access);
        if (row != NULL)
            name_buffer(memory, &access, row);
        if (row == NULL || !memory->see(memory, visit, &access, row))
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    return SONDE_OK;
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
    memory->buffers = (struct analyze_buffers){.trace = trace, .dispatch = UINT32_MAX};
    enum sonde_status status = analyze_records_walk(trace, matcher, see_visit, memory, error);
    analyze_code_close(&memory->code);
    analyze_hash_clear(&memory->lines);
    analyze_buffers_clear(&memory->buffers);
    free(memory);
    return status;
}

/* --- memtrace ------------------------------------------------------------------- */

static bool see_memory(struct memory *memory, const struct analyze_visit *visit,
                       const struct analyze_access *access, struct analyze_row *row)
{
    (void)memory, (void)visit;
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

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The different lines that an execution touches, ascending. */
static size_t list_lines(const struct analyze_access *access, uint64_t *lines, size_t limit)
{
    size_t count = 0, kept = 0;
    for (uint32_t left = access->mask; left != 0 && access->width != 0; left &= left - 1) {
        uint64_t first = access->address[__builtin_ctz(left)];
        uint64_t last = (first + access->width - 1) / LINE_BYTES;
        for (uint64_t line = first / LINE_BYTES; line <= last && count < limit; line++)
            lines[count++] = line;
    }
    if (count > 1)
        qsort(lines, count, sizeof *lines, compare);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || lines[kept - 1] != lines[i])
            lines[kept++] = lines[i];
    return kept;
}

/* --- stride ------------------------------------------------------------------------ */

static unsigned kind_of(const struct analyze_access *access)
{
    int64_t step = 0;
    unsigned before = ANALYZE_CHANNELS;
    bool first_step = true;
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        unsigned c = (unsigned)__builtin_ctz(left);
        if (before < ANALYZE_CHANNELS) {
            int64_t distance = (int64_t)(access->address[c] - access->address[before]);
            int64_t each = distance / (int64_t)(c - before);
            if (each * (int64_t)(c - before) != distance || (!first_step && each != step))
                return STRIDE_GATHER;
            step = each;
            first_step = false;
        }
        before = c;
    }
    if (step == 0)
        return STRIDE_UNIFORM;
    return step == (int64_t)access->width ? STRIDE_UNIT : STRIDE_CONSTANT;
}

static bool see_stride(struct memory *memory, const struct analyze_visit *visit,
                       const struct analyze_access *access, struct analyze_row *row)
{
    (void)memory, (void)visit;
    uint64_t lines[ANALYZE_CHANNELS * 5];
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
    row->value[STRIDE_LINES] += list_lines(access, lines, sizeof lines / sizeof *lines);
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
static uint64_t line_key(const struct sonde_gen_message *message, uint64_t line)
{
    uint64_t space = message->address_model == SONDE_GEN_ADDRESS_SURFACE ? 1 + message->bti : 0;
    if (message->address_model == SONDE_GEN_ADDRESS_SLM)
        space = 300;
    return space << 52 | (line & ((UINT64_C(1) << 52) - 1));
}

static void note_order(struct analyze_row *row, uint64_t before, bool writes)
{
    static const unsigned kinds[2][2] = {{LINE_READ_AFTER_READ, LINE_READ_AFTER_WRITE},
                                         {LINE_WRITE_AFTER_READ, LINE_WRITE_AFTER_WRITE}};
    row->value[kinds[writes][before & 1]]++;
}

/* State of a line: bit 0 the last access wrote. The footprint of a message is
 * kept in a set of (line, instruction). */
static bool see_line(struct memory *memory, const struct analyze_access *access, uint64_t line,
                     struct analyze_row *row)
{
    uint64_t key = line_key(access->message, line);
    bool writes = access->message->operation != SONDE_GEN_MESSAGE_READ, found;
    uint64_t *state = analyze_hash_find(&memory->lines, key, &found);
    if (state == NULL)
        return false;
    if (found)
        note_order(row, *state, writes);
    *state = writes;
    uint64_t *seen = analyze_hash_find(
        &memory->lines, key ^ (uint64_t)(access->instruction + 1) * 0x9e3779b97f4a7c15u, &found);
    if (seen == NULL)
        return false;
    row->value[LINE_FOOTPRINT] += !found;
    if (access->message->address_model == SONDE_GEN_ADDRESS_SLM)
        return true;
    /* Surfaces start at different sets, as buffers in memory do. */
    uint64_t *slot = &memory->cache[(line + (key >> 52) * SURFACE_APART) % CACHE_LINES];
    row->value[*slot == key + 1 ? LINE_HITS : LINE_MISSES]++;
    *slot = key + 1;
    return true;
}

static bool see_lines(struct memory *memory, const struct analyze_visit *visit,
                      const struct analyze_access *access, struct analyze_row *row)
{
    (void)visit;
    uint64_t lines[ANALYZE_CHANNELS * 5];
    size_t count = list_lines(access, lines, sizeof lines / sizeof *lines);
    row->value[LINE_EXECUTIONS]++;
    row->value[LINE_LINES] += count;
    if (count > row->value[LINE_MOST])
        row->value[LINE_MOST] = count;
    for (size_t i = 0; i < count; i++)
        if (!see_line(memory, access, lines[i], row))
            return false;
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
