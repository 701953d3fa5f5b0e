#include "device/share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile/trace.h"

#define NANOSECONDS 1000000000u
#define EMPTY_WAIT  (10ull * NANOSECONDS) /* for the host to empty the buffer */
#define HOLD_LIMIT  (1ull * NANOSECONDS)  /* of groups: one may wait for another */
#define POLL        100000                /* ns */
#define WORTHWHILE  4096u                 /* bytes of records that are waited for */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NANOSECONDS + (uint64_t)t.tv_nsec;
}

/* The program's memory file, or -1. It cannot shrink, since a page of it that
 * went away would stop us. */
static int open_file(pid_t pid, uint32_t number, uint32_t size)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%u", (int)pid, number);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(fd, &status) == 0 &&
        status.st_size >= (off_t)size)
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

bool device_share_begin(struct device_process *process, const struct device_profile *profile,
                        struct device_share *share, struct sonde_error *error)
{
    uint64_t size = profile->buffer.end - profile->buffer.begin;
    *share = (struct device_share){
        .process = process, .address = profile->buffer.begin, .size = profile->size};
    if (profile->buffer.begin % DEVICE_PAGE_SIZE != 0 || profile->size % DEVICE_PAGE_SIZE != 0 ||
        profile->size == 0 || profile->size >= size + DEVICE_PAGE_SIZE || process->pid == 0) {
        sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                        "the buffer of %llu bytes is not of whole pages, or its process is not "
                        "known",
                        (unsigned long long)size);
        return false;
    }
    int fd = open_file(process->pid, profile->file, profile->size);
    if (fd < 0) {
        sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot open file %u of process %d: %s",
                        profile->file, (int)process->pid, strerror(errno));
        return false;
    }
    void *memory = mmap(NULL, profile->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bool shared = memory != MAP_FAILED &&
                  memcmp((uint8_t *)memory + PROFILE_CONTROL_MAGIC, PROFILE_TRACE_MAGIC, 16) == 0 &&
                  device_space_read(process->space, share->address, memory, profile->size) &&
                  device_space_share(process->space, share->address, profile->size, fd);
    close(fd);
    if (!shared) {
        if (memory != MAP_FAILED)
            munmap(memory, profile->size);
        sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot map file %u of process %d", profile->file,
                        (int)process->pid);
        return false;
    }
    share->memory = memory;
    device_share_store(share, PROFILE_CONTROL_STATE, PROFILE_TRACE_RUN);
    return true;
}

void device_share_end(struct device_share *share)
{
    device_share_empty(share);
    device_space_unshare(share->process->space, share->address, share->memory, share->size);
    munmap(share->memory, share->size);
    share->memory = NULL;
}

uint32_t device_share_load(const struct device_share *share, uint32_t offset)
{
    return __atomic_load_n((const uint32_t *)(const void *)(share->memory + offset),
                           __ATOMIC_ACQUIRE);
}

void device_share_store(struct device_share *share, uint32_t offset, uint32_t value)
{
    __atomic_store_n((uint32_t *)(void *)(share->memory + offset), value, __ATOMIC_RELEASE);
}

bool device_share_empty(struct device_share *share)
{
    if (share->is_alone)
        return false;
    /* Nothing in it: perhaps nobody looks after it any more, as after an enqueue
     * that failed. */
    if (device_share_load(share, PROFILE_CONTROL_CURSOR) ==
            device_share_load(share, PROFILE_CONTROL_BASE) &&
        device_share_load(share, PROFILE_CONTROL_OVERFLOW) == 0)
        return true;
    device_share_store(share, PROFILE_CONTROL_STATE, PROFILE_TRACE_FULL);
    uint64_t end = now() + EMPTY_WAIT;
    while (device_share_load(share, PROFILE_CONTROL_STATE) == PROFILE_TRACE_FULL) {
        if (device_process_cancelled(share->process) || now() > end) {
            share->is_alone = true;
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = POLL}, NULL);
    }
    return true;
}

/* Bytes that one more group beside `running` others may still make, by what
 * those that ended made. */
static uint64_t expected(uint64_t made, uint64_t started, uint64_t running, uint64_t capacity)
{
    uint64_t ended = started - running;
    uint64_t each = ended == 0 ? capacity / 4 : made / ended + 1;
    return each * (running + 1);
}

bool device_share_admits(void *context, uint64_t started, uint64_t running)
{
    struct device_share *share = context;
    uint32_t base = device_share_load(share, PROFILE_CONTROL_BASE);
    uint64_t taken = device_share_load(share, PROFILE_CONTROL_TAKEN);
    uint64_t capacity = device_share_load(share, PROFILE_CONTROL_LIMIT) - base;
    uint64_t used = device_share_load(share, PROFILE_CONTROL_CURSOR) - base;
    bool is_full = device_share_load(share, PROFILE_CONTROL_OVERFLOW) != 0;
    uint64_t wanted = expected(taken * SONDE_RECORD_ALIGNMENT + used, started, running, capacity);
    bool fits = !is_full && used + wanted <= capacity;
    if (fits || share->is_alone || (running == 0 && used == 0)) {
        atomic_store(&share->admitted, now());
        return true;
    }
    uint32_t run = PROFILE_TRACE_RUN;
    if (running == 0) /* nothing is being written: the host can take it all */
        __atomic_compare_exchange_n((uint32_t *)(void *)(share->memory + PROFILE_CONTROL_STATE),
                                    &run, (uint32_t)PROFILE_TRACE_FULL, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
    if (now() - atomic_load(&share->admitted) < HOLD_LIMIT)
        return false;
    atomic_store(&share->admitted, now());
    return true;
}

static bool overflows(const struct device_share *share)
{
    return device_share_load(share, PROFILE_CONTROL_OVERFLOW) != 0;
}

bool device_share_hurries(void *context)
{
    struct device_share *share = context;
    if (share->is_alone || !overflows(share))
        return false;
    uint32_t base = device_share_load(share, PROFILE_CONTROL_BASE);
    if (device_share_load(share, PROFILE_CONTROL_LIMIT) - base < WORTHWHILE)
        return false;
    uint32_t done = device_share_load(share, PROFILE_CONTROL_DONE);
    if (done != device_share_load(share, PROFILE_CONTROL_CURSOR) - base)
        return overflows(share);
    uint64_t end = now() + EMPTY_WAIT;
    while (overflows(share) && !device_process_cancelled(share->process)) {
        if (now() > end) {
            share->is_alone = true; /* it takes its time: so does nothing here */
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = POLL}, NULL);
    }
    return false;
}
