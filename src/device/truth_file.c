#include "device/truth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"

#define FRAME_HEADER 12u
#define COUNT_SIZE   20u

struct storage {
    uint8_t *data;
    size_t size;
    size_t program_capacity, dispatch_capacity;
};

static enum sonde_status load(const char *path, struct storage *storage, struct sonde_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        int saved = errno;
        if (fd >= 0)
            close(fd);
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: %s", path, strerror(saved));
    }
    if (!S_ISREG(info.st_mode)) {
        close(fd);
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: not a regular file", path);
    }
    size_t size = (size_t)info.st_size, done = 0;
    storage->data = malloc(size + 1);
    while (storage->data != NULL && done < size) {
        ssize_t got = read(fd, storage->data + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    storage->size = done;
    close(fd);
    if (storage->data == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "%s: no memory for %zu bytes", path,
                               size);
    return SONDE_OK;
}

static enum sonde_status malformed(struct sonde_error *error, uint64_t offset, const char *what)
{
    return sonde_error_set(error, SONDE_ERROR_FORMAT, offset,
                           "offset %llu: %s; not a ground-truth file, or a damaged one",
                           (unsigned long long)offset, what);
}

static enum sonde_status read_program(struct truth_file *file, struct base_reader *r,
                                      uint64_t offset, struct sonde_error *error)
{
    struct storage *storage = file->storage;
    uint32_t id = base_read32(r);
    uint64_t size = base_read64(r);
    if (r->failed || size != r->size - r->position || id > file->program_count)
        return malformed(error, offset, "program frame is inconsistent");
    if (id == file->program_count) {
        void *items = file->programs;
        if (base_array_reserve(&items, &storage->program_capacity, file->program_count + 1,
                               sizeof *file->programs))
            return sonde_error_set(error, SONDE_ERROR_MEMORY, offset, "no memory");
        file->programs = items;
        file->programs[file->program_count++] = (struct truth_program){.id = id};
    }
    struct truth_program *program = &file->programs[id];
    if (size >= program->size) {
        program->code = base_read_bytes(r, (size_t)size);
        program->size = (size_t)size;
    }
    return SONDE_OK;
}

static enum sonde_status read_dispatch(struct truth_file *file, struct base_reader *r,
                                       uint64_t offset, struct sonde_error *error)
{
    struct storage *storage = file->storage;
    struct truth_dispatch d = {0};
    d.index = base_read64(r);
    d.program = base_read32(r);
    d.kernel_start = base_read64(r);
    d.simd = base_read32(r);
    d.threads_per_group = base_read32(r);
    for (int i = 0; i < 3; i++)
        d.groups[i] = base_read32(r);
    d.instructions = base_read64(r);
    d.lanes = base_read64(r);
    d.fault = base_read32(r) != 0;
    d.process = base_read32(r);
    d.count_count = base_read32(r);
    if (r->failed || d.count_count * COUNT_SIZE != r->size - r->position ||
        d.program >= file->program_count)
        return malformed(error, offset, "dispatch frame is inconsistent");
    void *items = file->dispatches;
    if (base_array_reserve(&items, &storage->dispatch_capacity, file->dispatch_count + 1, sizeof d))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, offset, "no memory");
    file->dispatches = items;
    d.counts = calloc(d.count_count + 1, sizeof *d.counts);
    if (d.counts == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, offset, "no memory");
    for (size_t i = 0; i < d.count_count; i++) {
        d.counts[i].offset = base_read32(r);
        d.counts[i].executions = base_read64(r);
        d.counts[i].lanes = base_read64(r);
    }
    file->dispatches[file->dispatch_count++] = d;
    return SONDE_OK;
}

static struct truth_dispatch *find_dispatch(struct truth_file *file, uint64_t index)
{
    for (size_t i = file->dispatch_count; i-- > 0;)
        if (file->dispatches[i].index == index)
            return &file->dispatches[i];
    return NULL;
}

/* Where a stretch of memory is and how long: the start of its row. */
static void read_place(struct base_reader *r, struct truth_write *w)
{
    w->kind = base_read32(r);
    w->index = base_read32(r);
    w->offset = base_read64(r);
    w->size = base_read64(r);
}

static enum sonde_status read_writes(struct truth_file *file, struct base_reader *r,
                                     uint64_t offset, struct sonde_error *error)
{
    struct truth_dispatch *d = find_dispatch(file, base_read64(r));
    uint32_t count = base_read32(r);
    if (r->failed || d == NULL || d->writes != NULL || count > (r->size - r->position) / 32)
        return malformed(error, offset, "frame of written memory is inconsistent");
    d->writes = calloc((size_t)count + 1, sizeof *d->writes);
    if (d->writes == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, offset, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        struct truth_write *w = &d->writes[i];
        read_place(r, w);
        w->hash = base_read64(r);
        w->bytes = base_read_bytes(r, (size_t)w->size);
        w->changed = base_read_bytes(r, (size_t)(w->size / 8 + (w->size % 8 != 0)));
        if (r->failed || w->kind > TRUTH_WRITE_SCRATCH || w->size > UINT64_MAX - w->offset)
            return malformed(error, offset, "frame of written memory is inconsistent");
        d->write_count++;
    }
    return r->position == r->size ? SONDE_OK
                                  : malformed(error, offset, "frame of written memory is too long");
}

static enum sonde_status read_kept(struct truth_file *file, struct base_reader *r, uint64_t offset,
                                   struct sonde_error *error)
{
    struct truth_dispatch *d = find_dispatch(file, base_read64(r));
    uint32_t count = base_read32(r);
    if (r->failed || d == NULL || d->kept != NULL || count > (r->size - r->position) / 32)
        return malformed(error, offset, "frame of memory left as it was is inconsistent");
    d->kept = calloc((size_t)count + 1, sizeof *d->kept);
    if (d->kept == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, offset, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        struct truth_write *w = &d->kept[i];
        read_place(r, w);
        uint64_t follow = base_read64(r);
        w->bytes = follow == 0 ? NULL : base_read_bytes(r, (size_t)follow);
        if (r->failed || w->kind >= TRUTH_WRITE_SCRATCH || w->size > UINT64_MAX - w->offset ||
            (follow != 0 && follow != w->size))
            return malformed(error, offset, "frame of memory left as it was is inconsistent");
        d->kept_count++;
    }
    return r->position == r->size
               ? SONDE_OK
               : malformed(error, offset, "frame of memory left as it was is too long");
}

static enum sonde_status read_events(struct truth_file *file, struct base_reader *r,
                                     uint64_t offset, struct sonde_error *error)
{
    struct truth_dispatch *d = find_dispatch(file, base_read64(r));
    uint32_t count = base_read32(r);
    if (r->failed || d == NULL || d->threads != NULL || count > (r->size - r->position) / 24)
        return malformed(error, offset, "frame of events is inconsistent");
    d->threads = calloc((size_t)count + 1, sizeof *d->threads);
    if (d->threads == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, offset, "no memory");
    for (uint32_t i = 0; i < count; i++) {
        struct truth_thread *thread = &d->threads[i];
        thread->state = base_read32(r);
        for (int axis = 0; axis < 3; axis++)
            thread->group[axis] = base_read32(r);
        thread->size = (size_t)base_read64(r);
        thread->data = base_read_bytes(r, thread->size);
        if (r->failed)
            return malformed(error, offset, "frame of events is inconsistent");
        d->thread_count++;
    }
    return SONDE_OK;
}

bool truth_events_next(const struct truth_thread *thread, size_t *position,
                       struct truth_event *event)
{
    size_t left = thread->size - *position;
    if (left < 12)
        return false;
    const uint8_t *at = thread->data + *position;
    uint32_t head = base_load32(at);
    *event = (struct truth_event){.is_message = head & 1,
                                  .count = head >> 1,
                                  .offset = base_load32(at + 4),
                                  .mask = base_load32(at + 8),
                                  .payload = at + 12};
    size_t size = 12 + (event->is_message ? (size_t)event->count * 32 : 0);
    if (size > left)
        return false;
    *position += size;
    return true;
}

static const struct frame_row {
    char tag[5];
    enum sonde_status (*read)(struct truth_file *file, struct base_reader *reader, uint64_t offset,
                              struct sonde_error *error);
} frames[] = {
    {"PROG", read_program}, {"DISP", read_dispatch}, {"WRIT", read_writes},
    {"KEPT", read_kept},    {"EVNT", read_events},
};

static enum sonde_status read_frame(struct truth_file *file, const uint8_t *frame, uint64_t size,
                                    uint64_t offset, struct sonde_error *error)
{
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        if (memcmp(frame, frames[i].tag, 4) != 0)
            continue;
        struct base_reader reader = base_reader_make(frame + FRAME_HEADER, (size_t)size);
        return frames[i].read(file, &reader, offset, error);
    }
    return malformed(error, offset, "unknown frame");
}

enum sonde_status truth_file_read(const char *path, struct truth_file *file,
                                  struct sonde_error *error)
{
    *file = (struct truth_file){0};
    struct storage *storage = calloc(1, sizeof *storage);
    if (storage == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "%s: no memory", path);
    file->storage = storage;
    enum sonde_status status = load(path, storage, error);
    size_t at = 0;
    while (status == SONDE_OK && storage->size - at >= FRAME_HEADER) {
        uint64_t size = base_load64(storage->data + at + 4);
        if (size > storage->size - at - FRAME_HEADER)
            break;
        status = read_frame(file, storage->data + at, size, at, error);
        if (status != SONDE_OK)
            sonde_error_prefix(error, "%s", path);
        at += FRAME_HEADER + (size_t)size;
    }
    if (status != SONDE_OK)
        truth_file_clear(file);
    return status;
}

void truth_file_clear(struct truth_file *file)
{
    struct storage *storage = file->storage;
    for (size_t i = 0; i < file->dispatch_count; i++) {
        free(file->dispatches[i].counts);
        free(file->dispatches[i].writes);
        free(file->dispatches[i].kept);
        free(file->dispatches[i].threads);
    }
    free(file->dispatches);
    free(file->programs);
    if (storage != NULL)
        free(storage->data);
    free(storage);
    *file = (struct truth_file){0};
}
