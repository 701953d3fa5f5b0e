#include "device/stale.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/space.h"

/* Open addressing by host address. An entry whose copy was given up stays in its
 * place without one. */
struct entry {
    const uint8_t *page;
    uint64_t address;
    uint8_t *copy;
    uint8_t *uploaded; /* before the command streamer stored there */
};

struct device_stale {
    pthread_mutex_t lock;
    struct entry *entries;
    size_t size, count;   /* entries that have a page */
    size_t limit;         /* copies */
    atomic_size_t held;   /* copies */
    atomic_size_t stored; /* pages that the command streamer stored to */
};

struct device_stale *device_stale_create(uint64_t limit)
{
    struct device_stale *stale = calloc(1, sizeof *stale);
    if (stale == NULL)
        return NULL;
    stale->limit = (size_t)(limit / DEVICE_PAGE_SIZE);
    pthread_mutex_init(&stale->lock, NULL);
    return stale;
}

static void free_entry(struct entry *entry)
{
    free(entry->copy);
    free(entry->uploaded);
}

void device_stale_destroy(struct device_stale *stale)
{
    if (stale == NULL)
        return;
    for (size_t i = 0; i < stale->size; i++)
        free_entry(&stale->entries[i]);
    free(stale->entries);
    pthread_mutex_destroy(&stale->lock);
    free(stale);
}

/* The entry of a page, or the free one where it belongs. */
static struct entry *find(const struct device_stale *stale, const uint8_t *page)
{
    size_t slot = ((uintptr_t)page >> DEVICE_PAGE_SHIFT) * 2654435761u & (stale->size - 1);
    while (stale->entries[slot].page != NULL && stale->entries[slot].page != page)
        slot = (slot + 1) & (stale->size - 1);
    return &stale->entries[slot];
}

static bool grow(struct device_stale *stale)
{
    size_t old_size = stale->size;
    struct entry *old = stale->entries, *entries;
    if (2 * (stale->count + 1) <= old_size)
        return true;
    size_t size = old_size == 0 ? 1024 : 2 * old_size;
    entries = calloc(size, sizeof *entries);
    if (entries == NULL)
        return false;
    stale->entries = entries;
    stale->size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].page != NULL)
            *find(stale, old[i].page) = old[i];
    free(old);
    return true;
}

static bool keep(struct device_stale *stale, const uint8_t *page, uint64_t address)
{
    if (!grow(stale))
        return false;
    struct entry *entry = find(stale, page);
    if (entry->copy != NULL)
        return true;
    if (atomic_load(&stale->held) >= stale->limit ||
        (entry->copy = malloc(DEVICE_PAGE_SIZE)) == NULL)
        return false;
    stale->count += entry->page == NULL;
    entry->page = page;
    entry->address = address;
    memcpy(entry->copy, page, DEVICE_PAGE_SIZE);
    atomic_fetch_add(&stale->held, 1);
    return true;
}

bool device_stale_keep(struct device_stale *stale, const uint8_t *page, uint64_t address)
{
    pthread_mutex_lock(&stale->lock);
    bool done = keep(stale, page, address);
    pthread_mutex_unlock(&stale->lock);
    return done;
}

void device_stale_before_store(struct device_stale *stale, uint8_t *page)
{
    pthread_mutex_lock(&stale->lock);
    if (grow(stale)) {
        struct entry *entry = find(stale, page);
        if (entry->copy == NULL && entry->uploaded == NULL &&
            (entry->uploaded = malloc(DEVICE_PAGE_SIZE)) != NULL) {
            stale->count += entry->page == NULL;
            entry->page = page;
            memcpy(entry->uploaded, page, DEVICE_PAGE_SIZE);
            atomic_fetch_add(&stale->stored, 1);
        }
    }
    pthread_mutex_unlock(&stale->lock);
}

/* With the lock held. */
static void forget_stores(struct device_stale *stale, struct entry *entry)
{
    if (entry->uploaded == NULL)
        return;
    free(entry->uploaded);
    entry->uploaded = NULL;
    atomic_fetch_sub(&stale->stored, 1);
}

/* An upload to a page; of what kernels wrote stays what it does not change. */
static void merge(uint8_t *copy, uint8_t *page, uint32_t offset, const uint8_t *data, size_t size)
{
    if (copy == NULL) {
        memcpy(page + offset, data, size);
    } else if (memcmp(copy + offset, data, size) != 0) {
        for (size_t i = 0; i < size; i++)
            if (copy[offset + i] != data[i])
                page[offset + i] = data[i];
        memcpy(copy + offset, data, size);
    }
}

void device_stale_take_back(struct device_stale *stale, uint8_t *page)
{
    if (atomic_load(&stale->stored) == 0)
        return;
    pthread_mutex_lock(&stale->lock);
    struct entry *entry = find(stale, page);
    if (entry->uploaded != NULL)
        merge(entry->copy, page, 0, entry->uploaded, DEVICE_PAGE_SIZE);
    forget_stores(stale, entry);
    pthread_mutex_unlock(&stale->lock);
}

void device_stale_upload(struct device_stale *stale, uint8_t *page, uint32_t offset,
                         const uint8_t *data, size_t size)
{
    /* With the lock even where there is no copy: none may be made, and the page be
     * written to by a kernel, under an upload that does not know of it. */
    pthread_mutex_lock(&stale->lock);
    if (stale->size == 0) {
        memcpy(page + offset, data, size);
    } else {
        struct entry *entry = find(stale, page);
        if (size == DEVICE_PAGE_SIZE)
            forget_stores(stale, entry);
        else if (entry->uploaded != NULL)
            memcpy(entry->uploaded + offset, data, size);
        merge(entry->copy, page, offset, data, size);
    }
    pthread_mutex_unlock(&stale->lock);
}

bool device_stale_read(struct device_stale *stale, const uint8_t *page, uint32_t offset,
                       size_t size, uint64_t *address)
{
    if (atomic_load(&stale->held) == 0 && atomic_load(&stale->stored) == 0)
        return false;
    pthread_mutex_lock(&stale->lock);
    struct entry *entry = find(stale, page);
    if (size == DEVICE_PAGE_SIZE)
        forget_stores(stale, entry);
    bool given_up = entry->copy != NULL && size == DEVICE_PAGE_SIZE;
    *address = entry->address;
    if (given_up) {
        free(entry->copy);
        entry->copy = NULL;
        atomic_fetch_sub(&stale->held, 1);
    } else if (entry->copy != NULL) {
        memcpy(entry->copy + offset, page + offset, size);
    }
    pthread_mutex_unlock(&stale->lock);
    return given_up;
}
