#include "trace/records.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "trace/format.h"

/* Fields before the frame of a stretch. */
#define STRETCH_HEAD  60u
#define STRETCH_PLAIN 1u /* flag: the bytes follow as they are */
/* Flag: bits 31:8 are the low ones of the hash of the head with these bits 0, so
 * that it can be believed without looking at the records. */
#define STRETCH_HASHED 2u
#define STRETCH_LEVEL  1

static void put_text(struct trace_buffer *buffer, const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);
    trace_put32(buffer, (uint32_t)length);
    uint8_t *place = trace_buffer_grow(buffer, length);
    if (place != NULL && length > 0)
        memcpy(place, text, length);
}

/* Printable; NULL when the text is cut off or memory ran out. */
static const char *get_text(struct base_reader *r, struct trace_arena *arena)
{
    size_t length = base_read32(r);
    const uint8_t *bytes = base_read_bytes(r, length);
    char *text = bytes == NULL ? NULL : trace_arena_allocate(arena, length + 1);
    for (size_t i = 0; i < length && text != NULL; i++)
        text[i] = (char)(bytes[i] < ' ' || bytes[i] == 0x7f ? '?' : bytes[i]);
    if (text != NULL)
        text[length] = '\0';
    return text;
}

/* --- layouts ------------------------------------------------------------------ */

void trace_encode_record_layout(struct trace_buffer *buffer, uint32_t kernel,
                                const struct sonde_record_layout *layout)
{
    trace_put32(buffer, kernel);
    if (layout->block_count > TRACE_SECTION_LIMIT / TRACE_LAYOUT_BLOCK_BYTES ||
        layout->item_count > TRACE_SECTION_LIMIT / TRACE_LAYOUT_ITEM_BYTES) {
        buffer->failed = true;
        return;
    }
    trace_put32(buffer, (uint32_t)layout->block_count);
    trace_put32(buffer, (uint32_t)layout->item_count);
    for (size_t i = 0; i < layout->block_count; i++) {
        trace_put32(buffer, layout->blocks[i].size);
        trace_put32(buffer, layout->blocks[i].first_item);
        trace_put32(buffer, layout->blocks[i].item_count);
    }
    for (size_t i = 0; i < layout->item_count; i++) {
        const struct sonde_record_item *item = &layout->items[i];
        trace_put32(buffer, item->point.kind);
        trace_put32(buffer, item->point.after ? TRACE_POINT_AFTER : 0);
        trace_put32(buffer, item->point.instruction);
        trace_put32(buffer, item->point.first);
        trace_put32(buffer, item->point.count);
        trace_put32(buffer, item->offset);
        trace_put32(buffer, item->size);
    }
}

static bool layout_is_consistent(const struct sonde_record_layout *layout)
{
    for (size_t b = 0; b < layout->block_count; b++) {
        const struct sonde_record_block *block = &layout->blocks[b];
        if (block->first_item > layout->item_count ||
            block->item_count > layout->item_count - block->first_item ||
            block->size % SONDE_RECORD_ALIGNMENT != 0 ||
            (block->item_count != 0 && block->size < SONDE_RECORD_HEADER_BYTES))
            return false;
        for (uint32_t i = 0; i < block->item_count; i++) {
            const struct sonde_record_item *item = &layout->items[block->first_item + i];
            if (item->offset > block->size || item->size > block->size - item->offset ||
                item->size < 4)
                return false;
        }
    }
    return true;
}

bool trace_decode_record_layout(const struct trace_section *section, struct trace_arena *arena,
                                struct trace_layout *result)
{
    struct base_reader r = base_reader_make(section->payload, section->size);
    struct sonde_record_layout *layout = &result->layout;
    result->kernel = base_read32(&r);
    layout->block_count = base_read32(&r);
    layout->item_count = base_read32(&r);
    if (r.failed || layout->block_count > (r.size - r.position) / TRACE_LAYOUT_BLOCK_BYTES ||
        layout->item_count > (r.size - r.position) / TRACE_LAYOUT_ITEM_BYTES)
        return false;
    layout->blocks =
        trace_arena_allocate(arena, (layout->block_count + 1) * sizeof *layout->blocks);
    layout->items = trace_arena_allocate(arena, (layout->item_count + 1) * sizeof *layout->items);
    if (layout->blocks == NULL || layout->items == NULL)
        return false;
    for (size_t i = 0; i < layout->block_count; i++) {
        layout->blocks[i].size = base_read32(&r);
        layout->blocks[i].first_item = base_read32(&r);
        layout->blocks[i].item_count = base_read32(&r);
    }
    for (size_t i = 0; i < layout->item_count; i++) {
        struct sonde_record_item *item = &layout->items[i];
        item->point.kind = (uint8_t)base_read32(&r);
        item->point.after = (base_read32(&r) & TRACE_POINT_AFTER) != 0;
        item->point.instruction = base_read32(&r);
        item->point.first = base_read32(&r);
        item->point.count = base_read32(&r);
        item->offset = base_read32(&r);
        item->size = base_read32(&r);
    }
    return !r.failed && layout_is_consistent(layout);
}

/* --- stretches ---------------------------------------------------------------- */

unsigned sonde_trace_thread_bit(uint32_t thread)
{
    return (thread & 7) | (thread >> 8 & 7) << 3;
}

static uint32_t head_hash(const uint8_t *head)
{
    uint8_t copy[STRETCH_HEAD];
    memcpy(copy, head, sizeof copy);
    base_store32(copy + 8, base_load32(head + 8) & 0xff);
    return (uint32_t)XXH3_64bits(copy, sizeof copy) << 8;
}

bool trace_stretch_head_is_good(const uint8_t *payload, size_t size)
{
    return size >= STRETCH_HEAD && (base_load32(payload + 8) & STRETCH_HASHED) != 0 &&
           (base_load32(payload + 8) & ~UINT32_C(0xff)) == head_hash(payload);
}

void trace_encode_records(struct trace_buffer *buffer, const struct sonde_trace_records *records,
                          void *compressor)
{
    if (records->size > SONDE_TRACE_RECORDS_LIMIT) {
        buffer->failed = true;
        return;
    }
    size_t size = (size_t)records->size, bound = ZSTD_compressBound(size);
    uint8_t *head = trace_buffer_grow(buffer, STRETCH_HEAD + bound);
    if (head == NULL)
        return;
    size_t packed = size;
    uint32_t flags = STRETCH_PLAIN;
    if (compressor != NULL) {
        size_t got = ZSTD_compressCCtx(compressor, head + STRETCH_HEAD, bound, records->data, size,
                                       STRETCH_LEVEL);
        if (!ZSTD_isError(got)) {
            packed = got;
            flags = 0;
        }
    }
    if (flags != 0 && size > 0)
        memcpy(head + STRETCH_HEAD, records->data, size);
    base_store32(head, records->dispatch);
    base_store32(head + 4, records->kernel);
    base_store32(head + 8, flags | STRETCH_HASHED);
    base_store64(head + 12, records->first);
    base_store64(head + 20, records->size);
    base_store64(head + 28, records->count);
    base_store64(head + 36, records->time_first);
    base_store64(head + 44, records->time_last);
    base_store64(head + 52, records->threads);
    base_store32(head + 8, flags | STRETCH_HASHED | head_hash(head));
    buffer->size -= bound - packed;
}

bool trace_decode_records(const struct trace_section *section, struct trace_stretch *stretch)
{
    if (section->size < STRETCH_HEAD)
        return false;
    const uint8_t *head = section->payload;
    uint32_t flags = base_load32(head + 8);
    stretch->records = (struct sonde_trace_records){
        .dispatch = base_load32(head),
        .kernel = base_load32(head + 4),
        .first = base_load64(head + 12),
        .size = base_load64(head + 20),
        .count = base_load64(head + 28),
        .time_first = base_load64(head + 36),
        .time_last = base_load64(head + 44),
        .threads = base_load64(head + 52),
    };
    stretch->compressed = (flags & STRETCH_PLAIN) == 0;
    stretch->frame_size = section->size - STRETCH_HEAD;
    if (stretch->records.size > SONDE_TRACE_RECORDS_LIMIT ||
        stretch->records.size % SONDE_RECORD_ALIGNMENT != 0 ||
        (!stretch->compressed && stretch->frame_size != stretch->records.size))
        return false;
    stretch->is_unchecked = section->is_unchecked;
    stretch->check = section->check;
    if (section->is_lasting) {
        stretch->frame = head + STRETCH_HEAD;
        return true;
    }
    uint8_t *copy = malloc(stretch->frame_size + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, head + STRETCH_HEAD, stretch->frame_size);
    stretch->frame = copy;
    stretch->is_owned = true;
    return true;
}

enum sonde_status trace_stretch_read(const struct trace_stretch *stretch, uint8_t *data,
                                     struct sonde_error *error)
{
    size_t size = (size_t)stretch->records.size;
    if (stretch->is_unchecked && stretch->check != XXH3_64bits(stretch->frame - STRETCH_HEAD,
                                                               STRETCH_HEAD + stretch->frame_size))
        return sonde_error_set(error, SONDE_ERROR_FORMAT, stretch->records.first,
                               "records of dispatch %u from byte %llu are damaged",
                               stretch->records.dispatch,
                               (unsigned long long)stretch->records.first);
    if (!stretch->compressed) {
        memcpy(data, stretch->frame, size);
        return SONDE_OK;
    }
    size_t got = ZSTD_decompress(data, size, stretch->frame, stretch->frame_size);
    if (ZSTD_isError(got) || got != size)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, stretch->records.first,
                               "records of dispatch %u from byte %llu cannot be decompressed",
                               stretch->records.dispatch,
                               (unsigned long long)stretch->records.first);
    return SONDE_OK;
}

/* --- totals ---------------------------------------------------------------------- */

void trace_encode_record_totals(struct trace_buffer *buffer,
                                const struct sonde_trace_record_totals *totals)
{
    trace_put32(buffer, totals->dispatch);
    trace_put32(buffer, totals->kernel);
    trace_put64(buffer, totals->predicted);
    trace_put64(buffer, totals->used);
    trace_put64(buffer, totals->stored);
    trace_put64(buffer, totals->lost);
    trace_put64(buffer, totals->lost_bytes);
    trace_put32(buffer, (uint32_t)totals->visit_count);
    uint8_t *place = trace_buffer_grow(buffer, 8 * totals->visit_count);
    for (size_t i = 0; i < totals->visit_count && place != NULL; i++)
        base_store64(place + 8 * i, totals->visits[i]);
    put_text(buffer, totals->mode);
}

bool trace_decode_record_totals(const struct trace_section *section, struct trace_arena *arena,
                                struct sonde_trace_record_totals *totals)
{
    struct base_reader r = base_reader_make(section->payload, section->size);
    totals->dispatch = base_read32(&r);
    totals->kernel = base_read32(&r);
    totals->predicted = base_read64(&r);
    totals->used = base_read64(&r);
    totals->stored = base_read64(&r);
    totals->lost = base_read64(&r);
    totals->lost_bytes = base_read64(&r);
    totals->visit_count = base_read32(&r);
    const uint8_t *bytes = base_read_bytes(&r, 8 * totals->visit_count);
    uint64_t *visits =
        bytes == NULL ? NULL : trace_arena_allocate(arena, 8 * totals->visit_count + 8);
    totals->mode = get_text(&r, arena);
    if (visits == NULL || totals->mode == NULL)
        return false;
    for (size_t i = 0; i < totals->visit_count; i++)
        visits[i] = base_load64(bytes + 8 * i);
    totals->visits = visits;
    return true;
}

/* --- counters ------------------------------------------------------------------- */

void trace_encode_counters(struct trace_buffer *buffer, const struct sonde_trace_counters *counters)
{
    trace_put32(buffer, counters->dispatch);
    trace_put32(buffer, counters->kernel);
    put_text(buffer, counters->tool);
    if (counters->count > TRACE_SECTION_LIMIT / TRACE_COUNTER_BYTES) {
        buffer->failed = true;
        return;
    }
    trace_put32(buffer, (uint32_t)counters->count);
    for (size_t i = 0; i < counters->count; i++) {
        trace_put32(buffer, counters->items[i].instruction);
        trace_put32(buffer, counters->items[i].kind);
        trace_put64(buffer, counters->items[i].value);
    }
}

bool trace_decode_counters(const struct trace_section *section, struct trace_arena *arena,
                           struct sonde_trace_counters *counters)
{
    struct base_reader r = base_reader_make(section->payload, section->size);
    counters->dispatch = base_read32(&r);
    counters->kernel = base_read32(&r);
    counters->tool = get_text(&r, arena);
    counters->count = base_read32(&r);
    if (counters->tool == NULL || r.failed ||
        counters->count > (r.size - r.position) / TRACE_COUNTER_BYTES)
        return false;
    struct sonde_trace_counter *items =
        trace_arena_allocate(arena, (counters->count + 1) * sizeof *items);
    for (size_t i = 0; i < counters->count && items != NULL; i++) {
        items[i].instruction = base_read32(&r);
        items[i].kind = base_read32(&r);
        items[i].value = base_read64(&r);
    }
    counters->items = items;
    return items != NULL;
}
