#include "device/physical.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "device/pages.h"

#define LEAF_BITS    14u
#define LEAF_ENTRIES ((size_t)1 << LEAF_BITS)
#define ROOT_ENTRIES ((size_t)1 << (DEVICE_PHYSICAL_BITS - DEVICE_PAGE_SHIFT - LEAF_BITS))

#define ENTRY_PRESENT 1u
#define FRAME_MASK    0x7ffffff000ull

/* The linear tables: entry i of a level lies at base + 8 * i, where i is the
 * virtual address shifted right by the level's span. */
struct table_level {
    uint64_t base;
    unsigned index_bits;
};

enum { LEVEL_PML4, LEVEL_PDP, LEVEL_PD, LEVEL_PT, LEVEL_COUNT };

static const struct table_level levels[LEVEL_COUNT] = {
    [LEVEL_PML4] = {1ull << 29, 9},
    [LEVEL_PDP] = {1ull << 30, 18},
    [LEVEL_PD] = {1ull << 31, 27},
    [LEVEL_PT] = {1ull << 32, 36},
};

struct frame {
    uint8_t *page;
    uint64_t named;   /* number of the virtual page that it is, plus one; 0 = of none */
    uint32_t changes; /* of the page when the driver had it last */
    bool untaken;     /* was news, and the driver has got none of it */
};

struct device_physical {
    struct device_space *space;
    struct frame *root[ROOT_ENTRIES];
    uint64_t end; /* behind the last page number that was asked for */
    uint64_t *global;
    size_t global_count, global_capacity;
    /* Last table entry of the running sequence: level (-1 = none) and the
     * first and last index seen at that level. */
    int level;
    uint64_t first, last;
    uint64_t frame; /* that `first` is mapped to, at the last level */
    /* Of the write that was noted last: so many pages from `frame` on are the virtual pages
     * from `first` on; 0 = it goes by frames. */
    uint64_t range_pages;
};

enum sonde_status device_physical_create(struct device_space *space,
                                         struct device_physical **physical,
                                         struct sonde_error *error)
{
    struct device_physical *p = calloc(1, sizeof *p);
    if (p == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "no memory for a page directory");
    p->space = space;
    p->level = -1;
    *physical = p;
    return SONDE_OK;
}

void device_physical_destroy(struct device_physical *physical)
{
    if (physical == NULL)
        return;
    for (size_t i = 0; i < ROOT_ENTRIES; i++)
        free(physical->root[i]);
    free(physical->global);
    free(physical);
}

static struct frame *find(struct device_physical *p, uint64_t address, bool create)
{
    if (address >> DEVICE_PHYSICAL_BITS)
        return NULL;
    uint64_t number = address >> DEVICE_PAGE_SHIFT;
    struct frame **leaf = &p->root[number >> LEAF_BITS];
    if (*leaf == NULL) {
        if (!create)
            return NULL;
        *leaf = calloc(LEAF_ENTRIES, sizeof **leaf);
        if (*leaf == NULL)
            return NULL;
    }
    if (create && number >= p->end)
        p->end = number + 1;
    return &(*leaf)[number & (LEAF_ENTRIES - 1)];
}

uint8_t *device_physical_page(struct device_physical *physical, uint64_t address, bool create)
{
    struct frame *frame = find(physical, address, create);
    if (frame == NULL)
        return NULL;
    if (frame->page == NULL && create)
        frame->page = device_space_anonymous(physical->space);
    return frame->page;
}

bool device_physical_take_changed(struct device_physical *physical, uint64_t address,
                                  bool (*running)(void *context), void *context)
{
    struct frame *frame = find(physical, address, false);
    if (frame == NULL || frame->page == NULL)
        return true;
    /* In this order: what is counted was written before, or is being written. */
    uint32_t changes = device_space_changes(frame->page);
    if (running(context))
        return true;
    bool changed = frame->changes != changes;
    frame->changes = changes;
    return changed;
}

/* The next page from *number on that is news. */
static struct frame *next_news(const struct device_physical *p, uint64_t *number, uint32_t *changes)
{
    for (; *number < p->end; ++*number) {
        struct frame *leaf = p->root[*number >> LEAF_BITS];
        if (leaf == NULL) {
            *number |= LEAF_ENTRIES - 1;
            continue;
        }
        struct frame *frame = &leaf[*number & (LEAF_ENTRIES - 1)];
        if (frame->page == NULL || frame->untaken)
            continue;
        *changes = device_space_changes(frame->page);
        if (*changes != frame->changes)
            return frame;
    }
    return NULL;
}

bool device_physical_take_news(struct device_physical *physical, struct device_news *news,
                               size_t limit, size_t *count, bool (*running)(void *context),
                               void *context)
{
    const struct frame *frame;
    uint32_t changes;
    *count = 0;
    if (physical->end > DEVICE_NEWS_PAGES)
        return false;
    for (uint64_t i = 0; (frame = next_news(physical, &i, &changes)) != NULL; i++) {
        if (*count == limit)
            return false;
        news[(*count)++] = (struct device_news){i << DEVICE_PAGE_SHIFT, frame->page, changes};
    }
    /* In this order, as above. */
    if (running(context))
        return false;
    for (size_t i = 0; i < *count; i++) {
        struct frame *asked = find(physical, news[i].address, false);
        asked->changes = news[i].changes;
        asked->untaken = true;
    }
    return true;
}

size_t device_physical_mark_news(struct device_physical *physical, uint8_t *marks)
{
    struct frame *frame;
    uint32_t changes;
    size_t size = (physical->end + 31) / 32 * 4;
    if (physical->end > DEVICE_NEWS_PAGES)
        return 0;
    memset(marks, 0, size);
    for (uint64_t i = 0; (frame = next_news(physical, &i, &changes)) != NULL; i++) {
        marks[i / 8] |= (uint8_t)(1u << i % 8);
        frame->changes = changes;
        frame->untaken = true;
    }
    return size;
}

void device_physical_taken(struct device_physical *physical, uint64_t address)
{
    struct frame *frame = find(physical, address, false);
    if (frame != NULL)
        frame->untaken = false;
}

/* A leaf entry: the physical page becomes another name of the virtual page.
 * What the page held already moves along.
 *
 * The driver maps a batch buffer over several pages as if their frames followed each
 * other, and writes it with one message. Where memory that was freed had one of the
 * pages before, they do not, and the frames behind the first are other memory's: those
 * keep their names, and the write goes by the virtual pages. */
static enum sonde_status map_page(struct device_physical *p, uint64_t index, uint64_t entry)
{
    uint64_t address = index << DEVICE_PAGE_SHIFT;
    if (!(entry & ENTRY_PRESENT)) {
        device_space_unmap(p->space, address);
        return SONDE_OK;
    }
    struct frame *frame = find(p, entry & FRAME_MASK, true);
    uint8_t *target = frame == NULL ? NULL : device_space_map(p->space, address);
    if (target == NULL)
        return SONDE_ERROR_MEMORY;
    if (index != p->first && frame->named != 0 && frame->named != index + 1)
        return SONDE_OK;
    if (frame->page != NULL && frame->page != target) {
        memcpy(target, frame->page, DEVICE_PAGE_SIZE);
        device_space_changed(target);
    }
    frame->page = target;
    frame->named = index + 1;
    return SONDE_OK;
}

/* The index that `address` has at `level` when the value fits the linear
 * layout there. */
static bool entry_at(int level, uint64_t address, uint64_t value, uint64_t *index)
{
    uint64_t offset = address - levels[level].base;
    *index = offset >> 3;
    if (address < levels[level].base || *index >> levels[level].index_bits)
        return false;
    if (level == LEVEL_PT)
        return true;
    uint64_t next = levels[level + 1].base + (*index << DEVICE_PAGE_SHIFT);
    return (value & FRAME_MASK) == next && (value & ENTRY_PRESENT);
}

bool device_physical_table_write(struct device_physical *physical, uint64_t address, uint64_t value,
                                 enum sonde_status *status)
{
    struct device_physical *p = physical;
    uint64_t index;
    *status = SONDE_OK;
    if (address & 7)
        return false;
    if (p->level >= 0 && p->level < LEVEL_PT && entry_at(p->level + 1, address, value, &index) &&
        index >> 9 >= p->first && index >> 9 <= p->last) {
        p->level++;
        p->first = index;
        p->frame = (value & FRAME_MASK) >> DEVICE_PAGE_SHIFT;
    } else if (p->level >= 0 && entry_at(p->level, address, value, &index) &&
               index == p->last + 1) {
        /* the next entry of the same level: the block spans several */
    } else if (entry_at(LEVEL_PML4, address, value, &index)) {
        p->level = LEVEL_PML4;
        p->first = index;
    } else {
        return false;
    }
    p->last = index;
    if (p->level == LEVEL_PT)
        *status = map_page(p, index, value);
    return true;
}

void device_physical_data(struct device_physical *physical, uint64_t address)
{
    struct device_physical *p = physical;
    bool is_range = p->level == LEVEL_PT && p->last > p->first;
    p->range_pages =
        is_range && address >> DEVICE_PAGE_SHIFT == p->frame ? p->last - p->first + 1 : 0;
    p->level = -1;
}

uint8_t *device_physical_target(struct device_physical *physical, uint64_t address)
{
    const struct device_physical *p = physical;
    uint64_t number = (address >> DEVICE_PAGE_SHIFT) - p->frame;
    uint8_t *page = NULL;
    if (number < p->range_pages)
        page = device_space_page(p->space, (p->first + number) << DEVICE_PAGE_SHIFT);
    return page != NULL ? page : device_physical_page(physical, address, true);
}

enum sonde_status device_physical_set_global(struct device_physical *physical, uint32_t index,
                                             uint64_t entry)
{
    if (index >= DEVICE_GGTT_ENTRIES)
        return SONDE_ERROR_RANGE;
    void *items = physical->global;
    if (base_array_reserve(&items, &physical->global_capacity, (size_t)index + 1,
                           sizeof *physical->global))
        return SONDE_ERROR_MEMORY;
    physical->global = items;
    if (physical->global_count < (size_t)index + 1)
        physical->global_count = (size_t)index + 1;
    physical->global[index] = entry;
    return SONDE_OK;
}

uint8_t *device_physical_global_page(struct device_physical *physical, uint64_t address)
{
    uint64_t index = address >> DEVICE_PAGE_SHIFT;
    if (index >= physical->global_count || !(physical->global[index] & ENTRY_PRESENT))
        return NULL;
    return device_physical_page(physical, physical->global[index] & FRAME_MASK, true);
}

static uint8_t *global_page(void *context, uint64_t address)
{
    return device_physical_global_page(context, address);
}

bool device_physical_global_read(struct device_physical *physical, uint64_t address, void *data,
                                 size_t size)
{
    return device_pages_read(global_page, physical, address, data, size);
}

bool device_physical_global_write(struct device_physical *physical, uint64_t address,
                                  const void *data, size_t size)
{
    return device_pages_write(global_page, physical, address, data, size);
}
