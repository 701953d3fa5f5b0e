#include "attach/neo/fresh.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#define PAGE_SIZE 4096u
/* As large as the driver's smallest heaps. Smaller ones are quickly sent. */
#define LEAST (64u << 10)
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

static attach_allocate_function *allocate;

void attach_fresh_set(attach_allocate_function *real)
{
    allocate = real;
}

void *attach_fresh_allocate(size_t size, const void *nothrow)
{
    void *memory = allocate(size, nothrow);
    if (memory == NULL || size < LEAST)
        return memory;
    uintptr_t first = ((uintptr_t)memory + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
    uintptr_t end = ((uintptr_t)memory + size) & ~(uintptr_t)(PAGE_SIZE - 1);
    int before = errno;
    madvise((void *)first, end - first, MADV_DONTNEED); /* else it is only slower */
    errno = before;
    return memory;
}

/* One call instead of a page fault for each page. */
void attach_fresh_touch(const void *data, size_t size)
{
    uintptr_t first = (uintptr_t)data & ~(uintptr_t)(PAGE_SIZE - 1);
    int before = errno;
    if (size >= LEAST)
        madvise((void *)first, (uintptr_t)data + size - first, MADV_POPULATE_READ);
    errno = before;
}
