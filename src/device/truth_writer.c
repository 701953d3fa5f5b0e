#include "device/truth_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/bytes.h"
#include "device/truth.h"

#define BUFFER_SIZE (256u * 1024)

/* A program as far as it was written: identified by process, start address
 * and the bytes themselves, since addresses are used again. */
struct program {
    uint64_t process, start;
    uint32_t id;
    uint8_t *code;
    size_t size;
};

struct device_truth {
    pthread_mutex_t lock;
    int fd;
    int error; /* errno of the first failed write, later ones are dropped */
    size_t used;
    uint8_t buffer[BUFFER_SIZE];
    struct program *programs;
    size_t program_count, program_capacity;
};

enum sonde_status device_truth_create(const char *path, struct device_truth **truth,
                                      struct sonde_error *error)
{
    struct device_truth *t = calloc(1, sizeof *t);
    if (t == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "%s: no memory", path);
    t->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (t->fd < 0) {
        free(t);
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: %s", path, strerror(errno));
    }
    pthread_mutex_init(&t->lock, NULL);
    *truth = t;
    return SONDE_OK;
}

void device_truth_destroy(struct device_truth *truth)
{
    if (truth == NULL)
        return;
    for (size_t i = 0; i < truth->program_count; i++)
        free(truth->programs[i].code);
    free(truth->programs);
    close(truth->fd);
    pthread_mutex_destroy(&truth->lock);
    free(truth);
}

static void flush(struct device_truth *t)
{
    size_t done = 0;
    while (t->error == 0 && done < t->used) {
        ssize_t wrote = write(t->fd, t->buffer + done, t->used - done);
        if (wrote < 0 && errno != EINTR)
            t->error = errno;
        if (wrote > 0)
            done += (size_t)wrote;
    }
    t->used = 0;
}

static void put(struct device_truth *t, const void *data, size_t size)
{
    const uint8_t *in = data;
    while (size > 0) {
        if (t->used == BUFFER_SIZE)
            flush(t);
        size_t part = BUFFER_SIZE - t->used < size ? BUFFER_SIZE - t->used : size;
        memcpy(t->buffer + t->used, in, part);
        t->used += part;
        in += part;
        size -= part;
    }
}

static void put32(struct device_truth *t, uint32_t value)
{
    uint8_t bytes[4];
    base_store32(bytes, value);
    put(t, bytes, sizeof bytes);
}

static void put64(struct device_truth *t, uint64_t value)
{
    uint8_t bytes[8];
    base_store64(bytes, value);
    put(t, bytes, sizeof bytes);
}

static void put_frame(struct device_truth *t, const char tag[4], uint64_t size)
{
    put(t, tag, 4);
    put64(t, size);
}

/* Bytes from the kernel start to the end of the furthest instruction reached:
 * bit 29 of the first dword tells a compacted (8-byte) one. */
static size_t reached_size(const struct device_truth_record *record)
{
    const struct emu_result *result = record->result;
    uint32_t furthest;
    if (result->count_count > 0)
        furthest = result->counts[result->count_count - 1].offset;
    else if (result->fault.occurred)
        furthest = result->fault.instruction_offset;
    else
        return 0;
    uint32_t word;
    if (!device_space_read(record->space, record->dispatch->kernel_start + furthest, &word, 4))
        return furthest;
    return furthest + (word & (1u << 29) ? 8 : 16);
}

/* The program of `code`, grown to `size` when the new bytes reach further;
 * *grown tells whether its frame must be written. Takes `code` over when it
 * keeps it. NULL when out of memory. */
static struct program *find_program(struct device_truth *t, uint64_t process, uint64_t start,
                                    uint8_t **code, size_t size, bool *grown)
{
    *grown = false;
    struct program *program = NULL;
    for (size_t i = 0; i < t->program_count && program == NULL; i++) {
        struct program *p = &t->programs[i];
        size_t common = p->size < size ? p->size : size;
        if (p->process == process && p->start == start &&
            (common == 0 || memcmp(p->code, *code, common) == 0))
            program = p;
    }
    if (program == NULL) {
        void *items = t->programs;
        if (base_array_reserve(&items, &t->program_capacity, t->program_count + 1,
                               sizeof *t->programs))
            return NULL;
        t->programs = items;
        program = &t->programs[t->program_count];
        *program =
            (struct program){.process = process, .start = start, .id = (uint32_t)t->program_count};
        t->program_count++;
        *grown = true;
    }
    if (size > program->size) {
        free(program->code);
        program->code = *code;
        program->size = size;
        *code = NULL;
        *grown = true;
    }
    return program;
}

static enum sonde_status write_program(struct device_truth *t,
                                       const struct device_truth_record *record, uint32_t *id)
{
    size_t size = reached_size(record);
    uint8_t *code = malloc(size + 1);
    if (code == NULL ||
        !device_space_read(record->space, record->dispatch->kernel_start, code, size)) {
        bool memory = code == NULL;
        free(code);
        if (memory)
            return SONDE_ERROR_MEMORY;
        code = NULL;
        size = 0;
    }
    bool grown;
    struct program *program =
        find_program(t, record->process, record->dispatch->kernel_start, &code, size, &grown);
    free(code);
    if (program == NULL)
        return SONDE_ERROR_MEMORY;
    if (grown) {
        put_frame(t, "PROG", 12 + program->size);
        put32(t, program->id);
        put64(t, program->size);
        put(t, program->code, program->size);
    }
    *id = program->id;
    return SONDE_OK;
}

static void write_dispatch(struct device_truth *t, const struct device_truth_record *record,
                           uint32_t program)
{
    const struct emu_dispatch *d = record->dispatch;
    const struct emu_result *r = record->result;
    put_frame(t, "DISP", 68 + 20 * (uint64_t)r->count_count);
    put64(t, record->index);
    put32(t, program);
    put64(t, d->kernel_start);
    put32(t, d->simd);
    put32(t, d->threads_per_group);
    for (int i = 0; i < 3; i++)
        put32(t, d->group_end[i] > d->group_start[i] ? d->group_end[i] - d->group_start[i] : 0);
    put64(t, r->instructions);
    put64(t, r->lanes);
    put32(t, r->fault.occurred || record->failed);
    put32(t, (uint32_t)record->process);
    put32(t, (uint32_t)r->count_count);
    for (size_t i = 0; i < r->count_count; i++) {
        put32(t, r->counts[i].offset);
        put64(t, r->counts[i].executions);
        put64(t, r->counts[i].lanes);
    }
}

/* Call `each` with the bytes of a change, page by page. */
static void put_change_bytes(struct device_truth *t, const struct device_truth_record *record,
                             const struct device_change *change, XXH3_state_t *hash)
{
    uint64_t address = change->address, left = change->size;
    for (size_t i = change->first_page; left > 0; i++) {
        size_t offset = (size_t)(address - record->pages[i].address);
        size_t part = DEVICE_PAGE_SIZE - offset < left ? DEVICE_PAGE_SIZE - offset : (size_t)left;
        if (hash != NULL)
            XXH3_64bits_update(hash, record->pages[i].now + offset, part);
        else
            put(t, record->pages[i].now + offset, part);
        address += part;
        left -= part;
    }
}

/* Which bytes of a change changed, a bit each. */
static void put_change_mask(struct device_truth *t, const struct device_truth_record *record,
                            const struct device_change *change)
{
    uint8_t mask = 0;
    size_t page = change->first_page;
    for (uint64_t i = 0; i < change->size; i++) {
        uint64_t address = change->address + i;
        if (address - record->pages[page].address >= DEVICE_PAGE_SIZE)
            page++;
        size_t offset = (size_t)(address - record->pages[page].address);
        if (record->pages[page].before[offset] != record->pages[page].now[offset])
            mask |= (uint8_t)(1u << i % 8);
        if (i % 8 == 7 || i + 1 == change->size) {
            put(t, &mask, 1);
            mask = 0;
        }
    }
}

static size_t count_of(const struct device_change *changes, size_t count, bool kept)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += changes[i].is_kept == kept;
    return found;
}

static void put_place(struct device_truth *t, const struct device_change *change)
{
    put32(t, change->kind);
    put32(t, change->index);
    put64(t, change->offset);
    put64(t, change->size);
}

static void put_changed(struct device_truth *t, const struct device_truth_record *record,
                        const struct device_change *changes, size_t count, XXH3_state_t *hash)
{
    uint64_t size = 12;
    for (size_t i = 0; i < count; i++)
        if (!changes[i].is_kept)
            size += 32 + changes[i].size + (changes[i].size + 7) / 8;
    put_frame(t, "WRIT", size);
    put64(t, record->index);
    put32(t, (uint32_t)count_of(changes, count, false));
    for (size_t i = 0; i < count; i++) {
        if (changes[i].is_kept)
            continue;
        XXH3_64bits_reset(hash);
        put_change_bytes(t, record, &changes[i], hash);
        put_place(t, &changes[i]);
        put64(t, XXH3_64bits_digest(hash));
        put_change_bytes(t, record, &changes[i], NULL);
        put_change_mask(t, record, &changes[i]);
    }
}

static void put_kept(struct device_truth *t, const struct device_truth_record *record,
                     const struct device_change *changes, size_t count)
{
    size_t kept = count_of(changes, count, true);
    uint64_t size = 12 + 32 * (uint64_t)kept;
    if (kept == 0)
        return;
    for (size_t i = 0; i < count; i++)
        size += changes[i].is_kept && !changes[i].is_zero ? changes[i].size : 0;
    put_frame(t, "KEPT", size);
    put64(t, record->index);
    put32(t, (uint32_t)kept);
    for (size_t i = 0; i < count; i++) {
        if (!changes[i].is_kept)
            continue;
        put_place(t, &changes[i]);
        put64(t, changes[i].is_zero ? 0 : changes[i].size);
        if (!changes[i].is_zero)
            put_change_bytes(t, record, &changes[i], NULL);
    }
}

static enum sonde_status write_changes(struct device_truth *t,
                                       const struct device_truth_record *record)
{
    struct device_change *changes = NULL;
    size_t count = 0;
    enum sonde_status status = device_attribute_changes(record, &changes, &count);
    XXH3_state_t *hash = XXH3_createState();
    if (hash == NULL)
        status = SONDE_ERROR_MEMORY;
    if (status == SONDE_OK) {
        put_changed(t, record, changes, count, hash);
        put_kept(t, record, changes, count);
    }
    XXH3_freeState(hash);
    free(changes);
    return status;
}

static void write_events(struct device_truth *t, const struct device_truth_record *record)
{
    const struct emu_result *result = record->result;
    uint64_t size = 12;
    for (size_t i = 0; i < result->event_count; i++)
        size += 24 + (uint64_t)result->events[i].size;
    put_frame(t, "EVNT", size);
    put64(t, record->index);
    put32(t, (uint32_t)result->event_count);
    for (size_t i = 0; i < result->event_count; i++) {
        const struct emu_event_thread *thread = &result->events[i];
        put32(t, thread->state);
        for (int axis = 0; axis < 3; axis++)
            put32(t, thread->group[axis]);
        put64(t, thread->size);
        put(t, thread->data, thread->size);
    }
}

enum sonde_status device_truth_write(struct device_truth *truth,
                                     const struct device_truth_record *record,
                                     struct sonde_error *error)
{
    uint32_t program;
    pthread_mutex_lock(&truth->lock);
    enum sonde_status status = write_program(truth, record, &program);
    if (status == SONDE_OK) {
        write_dispatch(truth, record, program);
        status = write_changes(truth, record);
        if (record->result->event_count > 0)
            write_events(truth, record);
    }
    flush(truth);
    int failed = truth->error;
    pthread_mutex_unlock(&truth->lock);
    if (failed != 0)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot write: %s", strerror(failed));
    if (status != SONDE_OK)
        return sonde_error_set(error, status, 0, "no memory for the ground truth");
    return SONDE_OK;
}
