/* Memory by the addresses that the driver knows it by, and what need not be done
 * for it. */
#include "attach/neo/transport_internal.h"

#include <stdlib.h>

#include "attach/neo/page_hash.h"

#define REGION_PAGES 512u
#define FIRST_SIZE   64u

/* The region, or the free one where it belongs. */
static struct attach_region *find_region(const struct attach_places *places, uint64_t number)
{
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 32) & (places->size - 1);
    while (places->regions[at].number != 0 && places->regions[at].number != number + 1)
        at = (at + 1) & (places->size - 1);
    return &places->regions[at];
}

static bool grow(struct attach_places *places)
{
    struct attach_places old = *places;
    if (2 * (old.count + 1) <= old.size)
        return true;
    size_t size = old.size == 0 ? FIRST_SIZE : 2 * old.size;
    struct attach_region *regions = calloc(size, sizeof *regions);
    if (regions == NULL)
        return false;
    places->regions = regions;
    places->size = size;
    for (size_t i = 0; i < old.size; i++)
        if (old.regions[i].number != 0)
            *find_region(places, old.regions[i].number - 1) = old.regions[i];
    free(old.regions);
    return true;
}

void attach_places_set(struct attach_places *places, uint64_t address, uint64_t page)
{
    if (!grow(places))
        return;
    struct attach_region *region = find_region(places, address / REGION_PAGES);
    if (region->number == 0) {
        region->frames = calloc(REGION_PAGES, sizeof *region->frames);
        if (region->frames == NULL)
            return;
        region->number = address / REGION_PAGES + 1;
        places->count++;
    }
    region->frames[address % REGION_PAGES] = (uint32_t)page + 1;
}

uint64_t attach_places_find(const struct attach_places *places, uint64_t address)
{
    if (places->size == 0)
        return KNOWN_PAGES;
    const struct attach_region *region = find_region(places, address / REGION_PAGES);
    if (region->number == 0 || region->frames[address % REGION_PAGES] == 0)
        return KNOWN_PAGES;
    return region->frames[address % REGION_PAGES] - 1;
}

void attach_places_clear(struct attach_places *places)
{
    for (size_t i = 0; i < places->size; i++)
        free(places->regions[i].frames);
    free(places->regions);
    *places = (struct attach_places){.regions = NULL};
}

static uint64_t virtual_page(uint64_t address)
{
    return address / PAGE_SIZE & ((1ull << VIRTUAL_BITS) - 1);
}

/* The page that the driver means by an address; KNOWN_PAGES when it is not one that
 * it has sent. */
static uint64_t find_page(const struct attach_stream *s, uint64_t address)
{
    if (s->opaque || s->message_size != 0 || s->data_left != 0 || s->answer_begin != s->answer_end)
        return KNOWN_PAGES;
    uint64_t page = attach_places_find(&s->places, virtual_page(address));
    return page == KNOWN_PAGES || !attach_page_bit(s->known, page) ? KNOWN_PAGES : page;
}

bool attach_stream_has_read(struct attach_stream *stream, uint64_t address, size_t size)
{
    uint64_t page = find_page(stream, address);
    uint32_t begin = (uint32_t)(address % PAGE_SIZE);
    return page != KNOWN_PAGES && size <= PAGE_SIZE - begin &&
           attach_read_is_had(stream, page, begin, begin + (uint32_t)size);
}

bool attach_stream_has_written(struct attach_stream *stream, uint64_t address, const void *data)
{
    uint64_t page = find_page(stream, address);
    const struct attach_tables *tables = &stream->tables;
    if (page == KNOWN_PAGES || address % PAGE_SIZE != 0 || stream->hash[page] == 0 ||
        tables->at[page] != ((tables->generation + 1) << VIRTUAL_BITS | virtual_page(address)))
        return false; /* the server may have it at another address by now */
    if (stream->hash[page] == stream->zero_hash)
        return attach_page_is_zero(data);
    return stream->hash[page] == attach_page_hash(data);
}

bool attach_stream_write_same(struct attach_stream *stream, uint64_t address, size_t size)
{
    attach_read_drop(stream);
    if (!attach_pages_settle(stream))
        return false;
    for (size_t done = 0; done < size; done += PAGE_SIZE) {
        uint64_t page = find_page(stream, address + done);
        if (page != KNOWN_PAGES && !attach_pages_same(stream, page))
            return false;
    }
    return true;
}
