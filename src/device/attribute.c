/* Which memory did a dispatch change, or leave as it was beside that, and through
 * what was it reached. */
#include "device/truth_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "device/truth.h"

#define INDIRECT_LIMIT      4096u /* bytes of a kernel's own payload that are looked at */
#define LINE                64u
#define KEPT_LIMIT          (64u << 20) /* bytes */
#define SURFACE_STATE_SIZE  64u
#define BINDING_LIMIT       240u
#define BINDING_HINT_FULL   31u
#define SURFACE_FORMAT_RAW  0x1ffu
#define SURFACE_TYPE_2D     1u
#define SURFACE_TYPE_3D     2u
#define SURFACE_TYPE_BUFFER 4u
/* A 64-bit payload word is not taken for the pointer of something farther. */
#define POINTER_REACH (1ull << 40)

struct region {
    uint32_t kind, index;
    uint64_t begin, end;
};

struct regions {
    struct region *items;
    size_t count, capacity;
};

struct changes {
    struct device_change *items;
    size_t count, capacity;
    uint64_t kept; /* bytes, without zeros */
};

enum state { STATE_CHANGED, STATE_KEPT, STATE_ZERO };

/* Lines of one state over adjacent pages, from `first` on. */
struct run {
    uint64_t begin, end;
    size_t first;
    enum state state;
};

static bool add_region(struct regions *regions, struct region region)
{
    void *items = regions->items;
    if (base_array_reserve(&items, &regions->capacity, regions->count + 1, sizeof region))
        return false;
    regions->items = items;
    regions->items[regions->count++] = region;
    return true;
}

/* Bytes of a surface (RENDER_SURFACE_STATE, Skylake PRM volume 2d): buffers
 * hold their elements minus one in width 6:0, height 13:0 and depth 10:0, of
 * `pitch` bytes when they have a format; images have layers `qpitch` rows
 * apart (1D ones a row each) and end with a whole tile. */
static uint64_t surface_size(const uint8_t *state)
{
    static const uint32_t tile_rows[4] = {1, 64, 8, 32};
    uint32_t word0 = base_load32(state), type = word0 >> 29;
    uint64_t word2 = base_load32(state + 8), word3 = base_load32(state + 12);
    uint64_t layers = (word3 >> 21 & 0x7ff) + 1, pitch = (word3 & 0x3ffff) + 1;
    uint64_t qpitch = (uint64_t)(base_load32(state + 4) & 0x7fff) * 4;
    uint64_t rows = (word2 >> 16 & 0x3fff) + 1, tile = tile_rows[word0 >> 12 & 3];
    if (type == SURFACE_TYPE_BUFFER)
        return (((word2 & 0x7f) | (word2 >> 16 & 0x3fff) << 7 | (word3 >> 21 & 0x7ff) << 21) + 1) *
               ((word0 >> 18 & 0x3ff) == SURFACE_FORMAT_RAW ? 1 : pitch);
    if (type > SURFACE_TYPE_3D)
        return 0;
    rows += (layers - 1) * (type < SURFACE_TYPE_2D ? 1 : qpitch);
    return pitch * ((rows + tile - 1) / tile * tile);
}

static bool add_surfaces(const struct device_truth_record *record, struct regions *regions)
{
    const struct emu_dispatch *dispatch = record->dispatch;
    /* From Gen12 on the driver gives no count, and puts surfaces before the table. */
    bool has_count = record->binding_table_entries != 0;
    uint32_t limit = has_count && record->binding_table_entries < BINDING_HINT_FULL
                         ? record->binding_table_entries
                         : BINDING_LIMIT;
    if (!has_count && dispatch->platform < SONDE_GEN_PLATFORM_XE)
        limit = 0;
    for (uint32_t i = 0; i < limit; i++) {
        uint32_t entry;
        uint8_t state[SURFACE_STATE_SIZE];
        if (!device_space_read(record->space, dispatch->binding_table + 4ull * i, &entry, 4) ||
            !device_space_read(record->space, dispatch->surface_base + (entry & ~0x3fu), state,
                               sizeof state))
            break;
        uint64_t at = dispatch->surface_base + (entry & ~0x3fu);
        if (!has_count && ((entry & 0x3f) != 0 || at >= dispatch->binding_table))
            break;
        uint64_t base = base_load64(state + 32) & DEVICE_ADDRESS_MASK, size = surface_size(state);
        if (size == 0 || base == 0) {
            if (i >= BINDING_HINT_FULL)
                break;
            continue;
        }
        if (!add_region(regions, (struct region){TRUTH_WRITE_SURFACE, i, base, base + size}))
            return false;
    }
    return true;
}

static bool add_scratch(const struct device_truth_record *record, struct regions *regions)
{
    const struct emu_dispatch *d = record->dispatch;
    if (d->scratch_per_thread == 0)
        return true;
    uint64_t threads = (uint64_t)d->slices * d->subslices * d->eus_per_subslice * d->threads_per_eu;
    uint64_t base = d->scratch_surface ? d->scratch_address
                                       : (d->general_base + d->scratch_base) & DEVICE_ADDRESS_MASK;
    return add_region(regions, (struct region){TRUTH_WRITE_SCRATCH, 0, base,
                                               base + threads * d->scratch_per_thread});
}

/* Words of a part of the payload that point to mapped memory; `end` is the end
 * of what can be reached from there without a gap or another pointer. */
static bool add_words(const struct device_truth_record *record, const uint8_t *data, size_t size,
                      size_t first, struct regions *pointers)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t value = base_load64(data + i);
        uint64_t high = value >> 47;
        if (value < DEVICE_PAGE_SIZE || (high != 0 && high != 0x1ffff))
            continue;
        value &= DEVICE_ADDRESS_MASK;
        if (device_space_page(record->space, value) != NULL &&
            !add_region(pointers, (struct region){TRUTH_WRITE_PAYLOAD_POINTER,
                                                  (uint32_t)(first + i / 8), value, value}))
            return false;
    }
    return true;
}

/* The cross-thread payload, and the part that the kernel loads itself. */
static bool add_pointers(const struct device_truth_record *record, struct regions *pointers)
{
    const struct emu_dispatch *d = record->dispatch;
    size_t size = (size_t)d->cross_thread_registers * 32;
    uint8_t loaded[INDIRECT_LIMIT];
    size_t more = d->indirect_size < sizeof loaded ? d->indirect_size : sizeof loaded;
    if (!add_words(record, d->payload, size < d->payload_size ? size : d->payload_size, 0,
                   pointers))
        return false;
    return more == 0 ||
           !device_space_read(record->space,
                              (d->general_base + d->indirect_start) & DEVICE_ADDRESS_MASK, loaded,
                              more) ||
           add_words(record, loaded, more, size / 8, pointers);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The part of [address, end) that belongs to one thing. */
static struct device_change classify(const struct device_truth_record *record,
                                     const struct regions *surfaces, const struct regions *pointers,
                                     uint64_t address, uint64_t end)
{
    for (size_t i = 0; i < surfaces->count; i++) {
        const struct region *r = &surfaces->items[i];
        if (address < r->begin)
            end = smaller(end, r->begin);
        else if (address < r->end)
            return (struct device_change){.kind = r->kind,
                                          .index = r->index,
                                          .offset = address - r->begin,
                                          .address = address,
                                          .size = smaller(end, r->end) - address};
    }
    const struct region *nearest = NULL;
    for (size_t i = 0; i < pointers->count; i++) {
        const struct region *r = &pointers->items[i];
        if (r->begin > address)
            end = smaller(end, r->begin);
        else if (nearest == NULL || r->begin > nearest->begin)
            nearest = r;
    }
    if (nearest != NULL && address - nearest->begin < POINTER_REACH &&
        device_space_is_mapped(record->space, nearest->begin, address - nearest->begin + 1))
        return (struct device_change){.kind = nearest->kind,
                                      .index = nearest->index,
                                      .offset = address - nearest->begin,
                                      .address = address,
                                      .size = end - address};
    return (struct device_change){
        .kind = TRUTH_WRITE_ABSOLUTE, .offset = address, .address = address, .size = end - address};
}

/* Does any byte of [address, address + size), in pages from `first`, differ? */
static bool differs(const struct device_truth_record *record, size_t first, uint64_t address,
                    uint64_t size)
{
    for (size_t i = first; size > 0; i++) {
        size_t offset = (size_t)(address - record->pages[i].address);
        size_t part = DEVICE_PAGE_SIZE - offset < size ? DEVICE_PAGE_SIZE - offset : (size_t)size;
        if (memcmp(record->pages[i].before + offset, record->pages[i].now + offset, part) != 0)
            return true;
        address += part;
        size -= part;
    }
    return false;
}

static bool add_change(struct changes *changes, const struct device_change *change)
{
    bool has_bytes = change->is_kept && !change->is_zero;
    if (change->is_kept && (change->kind == TRUTH_WRITE_SCRATCH ||
                            (has_bytes && change->size > KEPT_LIMIT - changes->kept)))
        return true;
    void *items = changes->items;
    if (base_array_reserve(&items, &changes->capacity, changes->count + 1, sizeof *change))
        return false;
    changes->items = items;
    changes->items[changes->count++] = *change;
    changes->kept += has_bytes ? change->size : 0;
    return true;
}

static bool add_run(const struct device_truth_record *record, const struct regions *surfaces,
                    const struct regions *pointers, const struct run *run, struct changes *changes)
{
    size_t first = run->first;
    for (uint64_t begin = run->begin; begin < run->end;) {
        struct device_change change = classify(record, surfaces, pointers, begin, run->end);
        while (begin - record->pages[first].address >= DEVICE_PAGE_SIZE)
            first++;
        change.first_page = first;
        change.is_kept =
            run->state != STATE_CHANGED || !differs(record, first, change.address, change.size);
        change.is_zero = run->state == STATE_ZERO;
        begin += change.size;
        if (!add_change(changes, &change))
            return false;
    }
    return true;
}

static enum state state_of(const struct device_saved_page *page, uint32_t offset)
{
    static const uint8_t zeros[LINE];
    if (memcmp(page->before + offset, page->now + offset, LINE) != 0)
        return STATE_CHANGED;
    return memcmp(page->now + offset, zeros, LINE) == 0 ? STATE_ZERO : STATE_KEPT;
}

/* Maximal runs of lines. */
static bool find_runs(const struct device_truth_record *record, const struct regions *surfaces,
                      const struct regions *pointers, struct changes *changes)
{
    struct run run = {.begin = 0, .end = 0};
    for (size_t i = 0; i < record->page_count; i++) {
        for (uint32_t offset = 0; offset < DEVICE_PAGE_SIZE; offset += LINE) {
            enum state state = state_of(&record->pages[i], offset);
            uint64_t line = record->pages[i].address + offset;
            if (run.begin != run.end && line == run.end && state == run.state) {
                run.end += LINE;
                continue;
            }
            if (!add_run(record, surfaces, pointers, &run, changes))
                return false;
            run = (struct run){line, line + LINE, i, state};
        }
    }
    return add_run(record, surfaces, pointers, &run, changes);
}

enum sonde_status device_attribute_changes(const struct device_truth_record *record,
                                           struct device_change **changes, size_t *count)
{
    struct regions surfaces = {0}, pointers = {0};
    struct changes found = {0};
    bool done = add_scratch(record, &surfaces) && add_surfaces(record, &surfaces) &&
                add_pointers(record, &pointers) && find_runs(record, &surfaces, &pointers, &found);
    free(surfaces.items);
    free(pointers.items);
    if (!done) {
        free(found.items);
        return SONDE_ERROR_MEMORY;
    }
    *changes = found.items;
    *count = found.count;
    return SONDE_OK;
}
