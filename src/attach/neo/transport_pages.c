/* Memory that the driver writes: page after page, each behind the four table
 * entries that map it, and most of it again before every submission. */
#include "attach/neo/transport_internal.h"

#include <string.h>

#include "attach/neo/page_hash.h"
#include "base/bytes.h"

/* The linear tables (src/device/physical.h): entry i of a level at base + 8 * i,
 * i being the page's virtual number, nine bits shorter with each level up. */
static const uint64_t table_base[TABLE_LEVELS] = {1ull << 29, 1ull << 30, 1ull << 31, 1ull << 32};
#define ENTRY_PRESENT 1u
#define FRAME_MASK    0x7ffffff000ull

static bool is_first_entry(uint64_t address)
{
    return address >= table_base[0] && address < table_base[0] + PAGE_SIZE && address % 8 == 0;
}

static uint64_t entry_index(const struct attach_tables *tables, unsigned level)
{
    return (attach_memory_address(tables->entries + level * TABLE_ENTRY) - table_base[level]) >> 3;
}

static uint64_t entry_value(const struct attach_tables *tables, unsigned level)
{
    return base_load64(tables->entries + level * TABLE_ENTRY + HEADER_SIZE + MEMORY_BODY);
}

/* Whether the entries are a page's whole way through the tables; the server does
 * not take others for entries. */
static bool is_chain(const struct attach_tables *tables, unsigned size)
{
    if (size != sizeof tables->entries)
        return false;
    uint64_t page = entry_index(tables, TABLE_LEVELS - 1);
    if (page >> VIRTUAL_BITS)
        return false;
    for (unsigned level = 0; level < TABLE_LEVELS; level++) {
        uint64_t address = attach_memory_address(tables->entries + level * TABLE_ENTRY);
        uint64_t index = page >> 9 * (TABLE_LEVELS - 1 - level), value = entry_value(tables, level);
        if (address % 8 != 0 || entry_index(tables, level) != index || !(value & ENTRY_PRESENT))
            return false;
        if (level + 1 < TABLE_LEVELS &&
            (value & FRAME_MASK) != table_base[level + 1] + index * PAGE_SIZE)
            return false;
    }
    return true;
}

/* The last entry of those that wait maps a page. Is that nothing new? */
static bool note_mapped(struct attach_stream *s, unsigned last)
{
    struct attach_tables *tables = &s->tables;
    uint64_t address = attach_memory_address(tables->entries + last * TABLE_ENTRY);
    uint64_t number = (address - table_base[TABLE_LEVELS - 1]) >> 3;
    uint64_t frame = (entry_value(tables, last) & FRAME_MASK) / PAGE_SIZE;
    uint64_t at = (tables->generation + 1) << VIRTUAL_BITS | number;
    if (frame >= KNOWN_PAGES)
        return false;
    uint64_t known = attach_places_find(&s->places, number);
    /* The driver takes the frames of a range to follow each other. Where they do not,
     * its server leaves the frames to what they are of (src/device/physical.c). */
    if (tables->is_leaf && known != KNOWN_PAGES && known != frame)
        return false;
    bool is_mapped = tables->at[frame] == at;
    tables->at[frame] = at;
    attach_places_set(&s->places, number, frame);
    return is_mapped;
}

/* Send the entries that wait, unless the page is mapped so already. */
static bool send_tables(struct attach_stream *s, bool may_drop)
{
    struct attach_tables *tables = &s->tables;
    unsigned size = tables->size, last = size / TABLE_ENTRY - 1;
    if (size == 0)
        return true;
    tables->size = 0;
    tables->next_leaf = 0;
    if (size == TABLE_ENTRY && tables->is_leaf ? !(entry_value(tables, 0) & ENTRY_PRESENT)
                                               : !is_chain(tables, size)) {
        tables->generation++; /* who knows what they map */
    } else if (note_mapped(s, last) && may_drop && !tables->is_leaf) {
        return true;
    } else {
        tables->next_leaf = attach_memory_address(tables->entries + last * TABLE_ENTRY) + 8;
    }
    tables->is_leaf = false;
    return attach_stream_gather(s, tables->entries, size);
}

bool attach_pages_settle(struct attach_stream *s)
{
    bool done = send_tables(s, true);
    s->tables.next_leaf = 0;
    return done;
}

/* The start of a write of 8 bytes: does it wait as a table entry? */
static bool take_entry(struct attach_stream *s, uint64_t address, bool *done)
{
    struct attach_tables *tables = &s->tables;
    bool is_first = is_first_entry(address);
    *done = true;
    if (tables->size == sizeof tables->entries || tables->is_leaf || is_first)
        /* The server tells some entries by the ones before: those must be there. */
        *done = send_tables(s, is_first);
    if (!*done)
        return true;
    if (tables->size == 0 && !is_first) {
        tables->is_leaf = address == tables->next_leaf;
        if (!tables->is_leaf) {
            tables->generation++;
            tables->next_leaf = 0;
            return false;
        }
    }
    memcpy(tables->entries + tables->size, s->message, HEADER_SIZE + MEMORY_BODY);
    tables->size += HEADER_SIZE + MEMORY_BODY;
    s->table_entry = true;
    return true;
}

static void remember(struct attach_stream *s, uint64_t address, uint64_t size)
{
    for (uint64_t page = address / PAGE_SIZE; page * PAGE_SIZE < address + size; page++)
        if (page < KNOWN_PAGES) {
            attach_page_set(s->known, page, true);
            s->hash[page] = 0;
        }
}

/* Where a copy of the written part of a page belongs, NULL when it is no such part.
 * What the driver sends in parts of pages is the program's own memory. */
static struct attach_sent *begin_part(struct attach_stream *s, uint64_t address, uint32_t length)
{
    uint64_t page = address / PAGE_SIZE;
    struct attach_sent *sent = &s->sent[page % SENT_PAGES];
    s->sent_at = (uint32_t)(address % PAGE_SIZE);
    if (length < PAGE_SIZE && length <= PAGE_SIZE - s->sent_at && page < KNOWN_PAGES) {
        if (sent->page != page + 1)
            memset(sent->has, 0, sizeof sent->has);
        sent->page = page + 1;
        return sent;
    }
    for (; page * PAGE_SIZE < address + length; page++)
        if (s->sent[page % SENT_PAGES].page == page + 1)
            s->sent[page % SENT_PAGES].page = 0;
    return NULL;
}

static void keep_part(struct attach_stream *s, const uint8_t *data, size_t size)
{
    struct attach_sent *sent = s->sent_part;
    memcpy(sent->data + s->sent_at, data, size);
    for (size_t i = 0; i < size; i++)
        attach_page_set(sent->has, s->sent_at + i, true);
    s->sent_at += (uint32_t)size;
}

bool attach_pages_write(struct attach_stream *s, uint64_t address, uint32_t length)
{
    bool done;
    s->data_left = length;
    if (length == 8 && take_entry(s, address, &done))
        return done;
    bool is_of_range = s->tables.is_leaf;
    if (length != 8 && !attach_pages_settle(s))
        return false;
    s->sent_part = is_of_range ? NULL : begin_part(s, address, length);
    s->whole_page =
        length == PAGE_SIZE && address % PAGE_SIZE == 0 && address / PAGE_SIZE < KNOWN_PAGES;
    if (s->whole_page)
        return true;
    /* What follows the first page of a range goes to its virtual pages, which hold it. */
    remember(s, address, is_of_range ? 1 : length);
    return attach_stream_gather(s, s->message, HEADER_SIZE + MEMORY_BODY);
}

/* Part of a range of such, where it can be. */
bool attach_pages_same(struct attach_stream *s, uint64_t page)
{
    uint8_t message[HEADER_SIZE + MEMORY_BODY] = {0};
    if (s->same_end != 0 && s->same_end == s->gathered_size) {
        uint8_t *last = s->gathered + s->same_end - HEADER_SIZE - MEMORY_BODY;
        uint32_t length = base_load32(last + HEADER_SIZE + 8);
        if (attach_memory_address(last) + length == page * PAGE_SIZE &&
            length < RUN_PAGES * PAGE_SIZE) {
            base_store32(last + HEADER_SIZE + 8, length + PAGE_SIZE);
            return true;
        }
    }
    base_store32(message, MESSAGE_WRITE_SAME);
    base_store32(message + 8, MEMORY_BODY);
    message[HEADER_SIZE + 3] = (uint8_t)(page * PAGE_SIZE >> 32);
    base_store32(message + HEADER_SIZE + 4, (uint32_t)(page * PAGE_SIZE));
    base_store32(message + HEADER_SIZE + 8, PAGE_SIZE);
    if (!attach_stream_gather(s, message, sizeof message))
        return false;
    s->same_end = s->gathered_size;
    return true;
}

static bool send_page(struct attach_stream *s, const uint8_t *data)
{
    uint64_t page = attach_memory_address(s->message) / PAGE_SIZE;
    bool is_zero = attach_page_is_zero(data);
    uint64_t hash = is_zero ? s->zero_hash : attach_page_hash(data), before = s->hash[page];
    attach_page_set(s->known, page, true);
    s->hash[page] = hash;
    if (hash == before && hash != 0)
        return attach_pages_same(s, page);
    if (is_zero) {
        base_store32(s->message, MESSAGE_WRITE_ZEROS);
        return attach_stream_gather(s, s->message, HEADER_SIZE + MEMORY_BODY);
    }
    return attach_stream_gather(s, s->message, HEADER_SIZE + MEMORY_BODY) &&
           attach_stream_gather(s, data, PAGE_SIZE);
}

size_t attach_pages_data(struct attach_stream *s, const uint8_t *data, size_t size)
{
    if (s->whole_page) {
        s->whole_page = false;
        if (size >= PAGE_SIZE) {
            s->data_left = 0;
            return send_page(s, data) ? PAGE_SIZE : 0;
        }
        /* It comes in pieces. */
        remember(s, attach_memory_address(s->message), PAGE_SIZE);
        if (!attach_stream_gather(s, s->message, HEADER_SIZE + MEMORY_BODY))
            return 0;
    }
    size_t part = size < s->data_left ? size : (size_t)s->data_left;
    s->data_left -= part;
    if (s->table_entry) {
        memcpy(s->tables.entries + s->tables.size, data, part);
        s->tables.size += (unsigned)part;
        s->table_entry = s->data_left > 0;
        return part;
    }
    if (s->sent_part != NULL)
        keep_part(s, data, part);
    return attach_stream_gather(s, data, part) ? part : 0;
}
