#include "device/space.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "device/pages.h"
#include "device/stale.h"

#define CHUNK_SHIFT 21u
#define CHUNK_SIZE  ((size_t)1 << CHUNK_SHIFT)
#define CHUNK_PAGES (CHUNK_SIZE / DEVICE_PAGE_SIZE)
#define CHUNK_WORDS (CHUNK_PAGES / 64)
/* A slab is aligned to its size. Its first chunk holds how often each page of it
 * was changed by the device, then whether it was uploaded to, and nothing else. */
#define SLAB_CHUNKS  16u
#define SLAB_SIZE    (SLAB_CHUNKS * CHUNK_SIZE)
#define SLAB_PAGES   (SLAB_SIZE / DEVICE_PAGE_SIZE)
#define LEAF_BITS    13u
#define ROOT_BITS    (48u - CHUNK_SHIFT - LEAF_BITS)
#define LEAF_ENTRIES ((size_t)1 << LEAF_BITS)
#define ROOT_ENTRIES ((size_t)1 << ROOT_BITS)

/* 2 MiB of virtual addresses. Chunks and leaves live as long as the space. */
struct chunk {
    uint8_t *host;
    atomic_uint_fast64_t mapped[CHUNK_WORDS];
    atomic_uint_fast64_t saved[CHUNK_WORDS];
    atomic_uint_fast64_t counted[CHUNK_WORDS]; /* pages counted against the limit */
    atomic_uint_fast64_t kept[CHUNK_WORDS];    /* what the processor believes is kept */
};

struct leaf {
    _Atomic(struct chunk *) chunks[LEAF_ENTRIES];
};

struct device_space {
    _Atomic(struct leaf *) root[ROOT_ENTRIES];
    pthread_mutex_t lock; /* guards everything below and the growth of the tree */
    uint64_t limit;
    uint64_t used;
    uint8_t **slabs;
    size_t slab_count, slab_capacity;
    unsigned slab_chunks_used;
    uint8_t *anonymous;
    size_t anonymous_used;
    struct device_stale *stale;
    atomic_bool snapshot;
    struct device_saved_page *saved;
    size_t saved_count, saved_capacity;
    size_t copies; /* saved[0..copies) own a buffer */
};

enum sonde_status device_space_create(uint64_t limit, struct device_space **space,
                                      struct sonde_error *error)
{
    struct device_space *s = calloc(1, sizeof *s);
    if (s == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "no memory for a GPU address space");
    s->limit = limit;
    s->stale = device_stale_create(limit / 8);
    if (s->stale == NULL) {
        free(s);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "no memory for a GPU address space");
    }
    pthread_mutex_init(&s->lock, NULL);
    s->slab_chunks_used = SLAB_CHUNKS;
    s->anonymous_used = CHUNK_SIZE;
    *space = s;
    return SONDE_OK;
}

void device_space_destroy(struct device_space *space)
{
    if (space == NULL)
        return;
    for (size_t i = 0; i < ROOT_ENTRIES; i++) {
        struct leaf *leaf = atomic_load_explicit(&space->root[i], memory_order_relaxed);
        if (leaf == NULL)
            continue;
        for (size_t k = 0; k < LEAF_ENTRIES; k++)
            free(atomic_load_explicit(&leaf->chunks[k], memory_order_relaxed));
        munmap(leaf, sizeof *leaf);
    }
    for (size_t i = 0; i < space->slab_count; i++)
        munmap(space->slabs[i], SLAB_SIZE);
    for (size_t i = 0; i < space->copies; i++)
        free(space->saved[i].before);
    device_stale_destroy(space->stale);
    free(space->slabs);
    free(space->saved);
    pthread_mutex_destroy(&space->lock);
    free(space);
}

static bool charge(struct device_space *s, uint64_t bytes)
{
    if (bytes > s->limit - s->used)
        return false;
    s->used += bytes;
    return true;
}

/* Zeroed host memory that costs nothing until touched. */
static uint8_t *new_slab(void)
{
    uint8_t *raw = mmap(NULL, 2 * SLAB_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    size_t before = (SLAB_SIZE - (uintptr_t)raw % SLAB_SIZE) % SLAB_SIZE;
    if (before > 0)
        munmap(raw, before);
    munmap(raw + before + SLAB_SIZE, SLAB_SIZE - before);
    /* Sparse use: a huge page would zero 2 MiB at the first touch. */
    madvise(raw + before, SLAB_SIZE, MADV_NOHUGEPAGE);
    return raw + before;
}

/* 2 MiB of it. */
static uint8_t *new_host_chunk(struct device_space *s)
{
    if (s->slab_chunks_used == SLAB_CHUNKS) {
        void *items = s->slabs;
        if (base_array_reserve(&items, &s->slab_capacity, s->slab_count + 1, sizeof *s->slabs))
            return NULL;
        s->slabs = items;
        uint8_t *slab = new_slab();
        if (slab == NULL)
            return NULL;
        s->slabs[s->slab_count++] = slab;
        s->slab_chunks_used = 1;
    }
    return s->slabs[s->slab_count - 1] + CHUNK_SIZE * s->slab_chunks_used++;
}

static struct chunk *find_chunk(const struct device_space *space, uint64_t address)
{
    uint64_t number = (address & DEVICE_ADDRESS_MASK) >> CHUNK_SHIFT;
    struct leaf *leaf =
        atomic_load_explicit(&space->root[number >> LEAF_BITS], memory_order_acquire);
    if (leaf == NULL)
        return NULL;
    return atomic_load_explicit(&leaf->chunks[number & (LEAF_ENTRIES - 1)], memory_order_acquire);
}

/* With the lock held. */
static struct chunk *make_chunk(struct device_space *s, uint64_t address)
{
    struct chunk *chunk = find_chunk(s, address);
    if (chunk != NULL)
        return chunk;
    uint64_t number = (address & DEVICE_ADDRESS_MASK) >> CHUNK_SHIFT;
    struct leaf *leaf = atomic_load_explicit(&s->root[number >> LEAF_BITS], memory_order_relaxed);
    if (leaf == NULL) {
        if (!charge(s, sizeof *leaf))
            return NULL;
        /* Sparse as well: calloc would write zeros to all of it. */
        leaf = mmap(NULL, sizeof *leaf, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (leaf == MAP_FAILED)
            return NULL;
        atomic_store_explicit(&s->root[number >> LEAF_BITS], leaf, memory_order_release);
    }
    /* The kernel's own page table page is the greater part of a chunk's cost. */
    if (!charge(s, sizeof *chunk + DEVICE_PAGE_SIZE) || (chunk = calloc(1, sizeof *chunk)) == NULL)
        return NULL;
    chunk->host = new_host_chunk(s);
    if (chunk->host == NULL) {
        free(chunk);
        return NULL;
    }
    atomic_store_explicit(&leaf->chunks[number & (LEAF_ENTRIES - 1)], chunk, memory_order_release);
    return chunk;
}

struct page_bit {
    size_t page, word;
    uint64_t bit;
};

static struct page_bit page_bit(uint64_t address)
{
    size_t page = (size_t)(address >> DEVICE_PAGE_SHIFT) & (CHUNK_PAGES - 1);
    return (struct page_bit){page, page / 64, 1ull << (page % 64)};
}

static _Atomic uint32_t *change_counter(const uint8_t *page)
{
    uintptr_t offset = (uintptr_t)page % SLAB_SIZE;
    return (_Atomic uint32_t *)((uintptr_t)page - offset) + offset / DEVICE_PAGE_SIZE;
}

static _Atomic uint8_t *upload_flag(const uint8_t *page)
{
    uintptr_t offset = (uintptr_t)page % SLAB_SIZE;
    uintptr_t flags = (uintptr_t)page - offset + SLAB_PAGES * sizeof(uint32_t);
    return (_Atomic uint8_t *)flags + offset / DEVICE_PAGE_SIZE;
}

void device_space_changed(uint8_t *page)
{
    atomic_fetch_add(change_counter(page), 1);
}

uint32_t device_space_changes(const uint8_t *page)
{
    return atomic_load(change_counter(page));
}

uint8_t *device_space_map(struct device_space *space, uint64_t address)
{
    struct page_bit p = page_bit(address);
    struct chunk *chunk = find_chunk(space, address);
    if (chunk == NULL || !(atomic_load(&chunk->mapped[p.word]) & p.bit)) {
        pthread_mutex_lock(&space->lock);
        chunk = make_chunk(space, address);
        if (chunk != NULL && !(atomic_load(&chunk->counted[p.word]) & p.bit)) {
            if (charge(space, DEVICE_PAGE_SIZE))
                atomic_fetch_or(&chunk->counted[p.word], p.bit);
            else
                chunk = NULL;
        }
        if (chunk != NULL)
            atomic_fetch_or(&chunk->mapped[p.word], p.bit);
        pthread_mutex_unlock(&space->lock);
        if (chunk == NULL)
            return NULL;
    }
    return chunk->host + p.page * DEVICE_PAGE_SIZE;
}

void device_space_unmap(struct device_space *space, uint64_t address)
{
    struct page_bit p = page_bit(address);
    struct chunk *chunk = find_chunk(space, address);
    if (chunk != NULL)
        atomic_fetch_and(&chunk->mapped[p.word], ~p.bit);
}

uint8_t *device_space_page(const struct device_space *space, uint64_t address)
{
    struct page_bit p = page_bit(address);
    struct chunk *chunk = find_chunk(space, address);
    if (chunk == NULL ||
        !(atomic_load_explicit(&chunk->mapped[p.word], memory_order_acquire) & p.bit))
        return NULL;
    return chunk->host + p.page * DEVICE_PAGE_SIZE;
}

uint8_t *device_space_anonymous(struct device_space *space)
{
    uint8_t *page = NULL;
    pthread_mutex_lock(&space->lock);
    if (space->anonymous_used == CHUNK_SIZE) {
        uint8_t *host = new_host_chunk(space);
        if (host != NULL) {
            space->anonymous = host;
            space->anonymous_used = 0;
        }
    }
    if (space->anonymous_used < CHUNK_SIZE && charge(space, DEVICE_PAGE_SIZE)) {
        page = space->anonymous + space->anonymous_used;
        space->anonymous_used += DEVICE_PAGE_SIZE;
    }
    pthread_mutex_unlock(&space->lock);
    return page;
}

static uint8_t *page_of(void *context, uint64_t address)
{
    return device_space_page(context, address);
}

bool device_space_read(const struct device_space *space, uint64_t address, void *data, size_t size)
{
    return device_pages_read(page_of, (void *)(uintptr_t)space, address, data, size);
}

bool device_space_write(struct device_space *space, uint64_t address, const void *data, size_t size)
{
    return device_pages_write(page_of, space, address, data, size);
}

bool device_space_is_mapped(const struct device_space *space, uint64_t address, uint64_t size)
{
    uint64_t page = (address & DEVICE_ADDRESS_MASK) >> DEVICE_PAGE_SHIFT;
    uint64_t end =
        ((address & DEVICE_ADDRESS_MASK) + size + DEVICE_PAGE_SIZE - 1) >> DEVICE_PAGE_SHIFT;
    while (page < end) {
        const struct chunk *chunk = find_chunk(space, page << DEVICE_PAGE_SHIFT);
        if (chunk == NULL)
            return false;
        struct page_bit p = page_bit(page << DEVICE_PAGE_SHIFT);
        uint64_t word = atomic_load_explicit(&chunk->mapped[p.word], memory_order_relaxed);
        if (p.bit == 1 && word == UINT64_MAX) {
            page += 64;
            continue;
        }
        if (!(word & p.bit))
            return false;
        page++;
    }
    return true;
}

/* Map the pages anew, from `fd`, or (-1) to memory of their own. */
static bool remap(struct device_space *space, uint64_t address, size_t size, int fd)
{
    int flags = MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED);
    for (size_t done = 0; done < size;) {
        size_t part = CHUNK_SIZE - (size_t)((address + done) & (CHUNK_SIZE - 1));
        if (part > size - done)
            part = size - done;
        struct chunk *chunk = find_chunk(space, address + done);
        uint8_t *host = chunk->host + ((address + done) & (CHUNK_SIZE - 1));
        if (mmap(host, part, PROT_READ | PROT_WRITE, flags, fd, fd < 0 ? 0 : (off_t)done) ==
            MAP_FAILED)
            return false;
        if (fd < 0)
            madvise(host, part, MADV_NOHUGEPAGE);
        done += part;
    }
    return true;
}

bool device_space_share(struct device_space *space, uint64_t address, size_t size, int fd)
{
    return device_space_is_mapped(space, address, size) && remap(space, address, size, fd);
}

void device_space_unshare(struct device_space *space, uint64_t address, const uint8_t *contents,
                          size_t size)
{
    static const uint8_t zeroes[DEVICE_PAGE_SIZE];
    if (!remap(space, address, size, -1))
        return;
    /* Fresh pages are zero; those that are to be need not be read back for it. */
    for (size_t done = 0; done < size; done += DEVICE_PAGE_SIZE)
        if (memcmp(contents + done, zeroes, DEVICE_PAGE_SIZE) != 0)
            device_space_write(space, address + done, contents + done, DEVICE_PAGE_SIZE);
}

uint64_t device_space_used(const struct device_space *space)
{
    return space->used;
}

void device_space_snapshot_begin(struct device_space *space)
{
    space->saved_count = 0;
    atomic_store(&space->snapshot, true);
}

/* With the lock held. */
static bool save_page(struct device_space *s, uint64_t address, const uint8_t *now)
{
    void *items = s->saved;
    if (base_array_reserve(&items, &s->saved_capacity, s->saved_count + 1, sizeof *s->saved))
        return false;
    s->saved = items;
    struct device_saved_page *page = &s->saved[s->saved_count];
    if (s->saved_count == s->copies) {
        page->before = malloc(DEVICE_PAGE_SIZE);
        if (page->before == NULL)
            return false;
        s->copies++;
    }
    page->address = address & DEVICE_ADDRESS_MASK & ~(uint64_t)(DEVICE_PAGE_SIZE - 1);
    page->now = now;
    memcpy(page->before, now, DEVICE_PAGE_SIZE);
    s->saved_count++;
    return true;
}

/* False when memory for the copy is out. */
static bool save_once(struct device_space *space, struct chunk *chunk, uint64_t address,
                      const uint8_t *page)
{
    struct page_bit p = page_bit(address);
    bool done = true;
    if (atomic_load_explicit(&chunk->saved[p.word], memory_order_acquire) & p.bit)
        return true;
    pthread_mutex_lock(&space->lock);
    if (!(atomic_load(&chunk->saved[p.word]) & p.bit)) {
        done = save_page(space, address, page);
        if (done)
            atomic_fetch_or(&chunk->saved[p.word], p.bit);
    }
    pthread_mutex_unlock(&space->lock);
    return done;
}

uint8_t *device_space_page_for_write(struct device_space *space, uint64_t address)
{
    struct page_bit p = page_bit(address);
    struct chunk *chunk = find_chunk(space, address);
    if (chunk == NULL ||
        !(atomic_load_explicit(&chunk->mapped[p.word], memory_order_acquire) & p.bit))
        return NULL;
    uint8_t *page = chunk->host + p.page * DEVICE_PAGE_SIZE;
    device_space_changed(page);
    if (!(atomic_load_explicit(&chunk->kept[p.word], memory_order_relaxed) & p.bit) &&
        device_stale_keep(space->stale, page, address))
        atomic_fetch_or(&chunk->kept[p.word], p.bit);
    if (atomic_load_explicit(&space->snapshot, memory_order_relaxed) &&
        !save_once(space, chunk, address, page))
        return NULL;
    return page;
}

void device_space_upload(struct device_space *space, uint8_t *page, uint32_t offset,
                         const uint8_t *data, size_t size)
{
    atomic_store_explicit(upload_flag(page), 1, memory_order_relaxed);
    device_stale_upload(space->stale, page, offset, data, size);
}

void device_space_upload_zeros(struct device_space *space, uint8_t *page)
{
    static const uint8_t zeros[DEVICE_PAGE_SIZE];
    if (device_space_changes(page) != 0 ||
        atomic_load_explicit(upload_flag(page), memory_order_relaxed))
        device_space_upload(space, page, 0, zeros, DEVICE_PAGE_SIZE);
}

void device_space_downloaded(struct device_space *space, const uint8_t *page, uint32_t offset,
                             size_t size)
{
    uint64_t address;
    if (!device_stale_read(space->stale, page, offset, size, &address))
        return;
    struct chunk *chunk = find_chunk(space, address);
    if (chunk != NULL)
        atomic_fetch_and(&chunk->kept[page_bit(address).word], ~page_bit(address).bit);
}

void device_space_before_store(struct device_space *space, uint8_t *page)
{
    device_stale_before_store(space->stale, page);
}

void device_space_take_back(struct device_space *space, uint8_t *page)
{
    if (device_space_changes(page) != 0) /* else nothing was ever stored there */
        device_stale_take_back(space->stale, page);
}

static int compare_saved(const void *a, const void *b)
{
    const struct device_saved_page *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

size_t device_space_snapshot_end(struct device_space *space, const struct device_saved_page **pages)
{
    atomic_store(&space->snapshot, false);
    for (size_t i = 0; i < space->saved_count; i++) {
        struct page_bit p = page_bit(space->saved[i].address);
        struct chunk *chunk = find_chunk(space, space->saved[i].address);
        atomic_fetch_and(&chunk->saved[p.word], ~p.bit);
    }
    if (space->saved_count > 1)
        qsort(space->saved, space->saved_count, sizeof *space->saved, compare_saved);
    *pages = space->saved;
    return space->saved_count;
}
