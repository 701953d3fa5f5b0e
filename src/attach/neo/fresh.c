#include "attach/neo/fresh.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_SIZE 4096u
/* As large as the driver's smallest heaps. Smaller ones are quickly sent. */
#define LEAST (64u << 10)
/* Writing zeros costs less than new pages, of which each takes a fault, unless there are
 * many that may never be used. */
#define MOST (4u << 20)

static attach_allocate_function *allocate;

void attach_fresh_set(attach_allocate_function *real)
{
    allocate = real;
}

/* Whole pages; those that are not there are zeros already. */
static void clear(uint8_t *first, size_t count)
{
    unsigned char there[MOST / PAGE_SIZE];
    if (count > MOST / PAGE_SIZE || mincore(first, count * PAGE_SIZE, there) != 0) {
        madvise(first, count * PAGE_SIZE, MADV_DONTNEED); /* else it is only slower */
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (there[i] & 1)
            memset(first + i * PAGE_SIZE, 0, PAGE_SIZE);
}

void *attach_fresh_allocate(size_t size, const void *nothrow)
{
    uint8_t *memory = allocate(size, nothrow);
    if (memory == NULL || size < LEAST)
        return memory;
    size_t before = -(uintptr_t)memory % PAGE_SIZE;
    int error = errno;
    clear(memory + before, (size - before) / PAGE_SIZE);
    errno = error;
    return memory;
}
