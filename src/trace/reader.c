#include "trace/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "trace/directory.h"
#include "trace/format.h"

#define TRACE_FILE_LIMIT (UINT64_C(1) << 40)

/* A file's bytes. They are the writer's, which only appends. */
struct map {
    const uint8_t *data;
    size_t size;
};

struct sonde_trace {
    bool is_lazy;
    struct map *maps;
    size_t map_count, map_capacity;
    uint64_t looked_at; /* bytes of records, since it was opened */
    struct trace_arena arena;
    struct trace_part *parts; /* in order of start time */
    size_t part_count, part_capacity;
    /* All parts one behind the other, ids renumbered. */
    struct sonde_trace_kernel *kernels;
    size_t kernel_count;
    struct sonde_trace_dispatch *dispatches;
    size_t dispatch_count;
    struct sonde_trace_block_counts *counts;
    size_t count_count;
    struct sonde_trace_loss *losses;
    size_t loss_count;
    struct sonde_trace_message *messages;
    size_t message_count;
    const struct sonde_record_layout **layouts;     /* by kernel, NULL none */
    const struct sonde_trace_arguments **arguments; /* by kernel, NULL none */
    const struct sonde_trace_buffers **buffers;     /* by dispatch, NULL none */
    struct trace_stretch *stretches;                /* frames belong to the parts */
    size_t stretch_count;
    struct sonde_trace_record_totals *totals;
    size_t total_count;
    struct sonde_trace_counters *counters;
    size_t counters_count;
    char warning[1024];
};

static void add_warning(struct sonde_trace *trace, const char *name, const char *text)
{
    size_t used = strlen(trace->warning), left = sizeof trace->warning - used;
    snprintf(trace->warning + used, left, "%s%s: %s", used > 0 ? "; " : "", name, text);
}

/* The bytes of a file, for as long as the trace is open. */
static enum sonde_status map_file(struct sonde_trace *trace, int directory, const char *name,
                                  struct map *map, struct sonde_error *error)
{
    *map = (struct map){.data = NULL};
    /* O_NONBLOCK: a FIFO of that name must not stop us. */
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        int reason = errno;
        if (fd >= 0)
            close(fd);
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s", strerror(reason));
    }
    if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > TRACE_FILE_LIMIT) {
        close(fd);
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                               S_ISREG(status.st_mode) ? "larger than 1 TiB" : "no regular file");
    }
    if (base_array_reserve((void **)&trace->maps, &trace->map_capacity, trace->map_count + 1,
                           sizeof *trace->maps) != SONDE_OK) {
        close(fd);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    map->size = (size_t)status.st_size;
    void *data = map->size == 0 ? NULL : mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s", strerror(errno));
    map->data = data;
    trace->maps[trace->map_count++] = *map;
    return SONDE_OK;
}

/* Bytes of a file that were looked at need not stay in memory: they can be read
 * from the file again. Nothing for bytes of no file. */
static void release(const struct sonde_trace *trace, const uint8_t *data, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < trace->map_count; i++) {
        const struct map *map = &trace->maps[i];
        if (map->data == NULL || data < map->data || data >= map->data + map->size)
            continue;
        uintptr_t first = (uintptr_t)data & ~(page - 1);
        madvise((void *)first, (uintptr_t)data + size - first, MADV_DONTNEED);
    }
}

static enum sonde_status add_part(struct sonde_trace *trace, const char *name, const uint8_t *data,
                                  size_t size, enum trace_life life, struct sonde_error *error)
{
    if (base_array_reserve((void **)&trace->parts, &trace->part_capacity, trace->part_count + 1,
                           sizeof *trace->parts) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct trace_part *part = &trace->parts[trace->part_count];
    *part = (struct trace_part){0};
    snprintf(part->name, sizeof part->name, "%.60s", name);
    enum sonde_status status = trace_part_read(part, data, size, life, &trace->arena, error);
    if (status == SONDE_OK)
        trace->part_count++;
    return status;
}

static enum sonde_status add_file(struct sonde_trace *trace, int directory, const char *name,
                                  struct sonde_error *error)
{
    struct map map;
    enum sonde_status status = map_file(trace, directory, name, &map, error);
    if (status == SONDE_OK)
        status = add_part(trace, name, map.data, map.size,
                          trace->is_lazy ? TRACE_LASTING_LAZY : TRACE_LASTING, error);
    return status;
}

static int compare_parts(const void *a, const void *b)
{
    const struct trace_part *x = a, *y = b;
    if (x->header.start_time != y->header.start_time)
        return x->header.start_time < y->header.start_time ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool allocate_whole(struct sonde_trace *trace)
{
    for (size_t i = 0; i < trace->part_count; i++) {
        const struct trace_part *part = &trace->parts[i];
        trace->kernel_count += part->kernel_count;
        trace->dispatch_count += part->dispatch_count;
        trace->count_count += part->count_count;
        trace->loss_count += part->loss_count;
        trace->message_count += part->message_count;
        trace->stretch_count += part->stretch_count;
        trace->total_count += part->total_count;
        trace->counters_count += part->counters_count;
    }
    struct trace_arena *arena = &trace->arena;
    trace->kernels = trace_arena_allocate(arena, trace->kernel_count * sizeof *trace->kernels);
    trace->dispatches =
        trace_arena_allocate(arena, trace->dispatch_count * sizeof *trace->dispatches);
    trace->counts = trace_arena_allocate(arena, trace->count_count * sizeof *trace->counts);
    trace->losses = trace_arena_allocate(arena, trace->loss_count * sizeof *trace->losses);
    trace->messages = trace_arena_allocate(arena, trace->message_count * sizeof *trace->messages);
    trace->layouts = trace_arena_allocate(arena, trace->kernel_count * sizeof *trace->layouts);
    trace->arguments = trace_arena_allocate(arena, trace->kernel_count * sizeof *trace->arguments);
    trace->buffers = trace_arena_allocate(arena, trace->dispatch_count * sizeof *trace->buffers);
    trace->stretches = trace_arena_allocate(arena, trace->stretch_count * sizeof *trace->stretches);
    trace->totals = trace_arena_allocate(arena, trace->total_count * sizeof *trace->totals);
    trace->counters = trace_arena_allocate(arena, trace->counters_count * sizeof *trace->counters);
    if (trace->arguments == NULL || trace->buffers == NULL)
        return false;
    if (trace->layouts == NULL || trace->stretches == NULL || trace->totals == NULL ||
        trace->counters == NULL)
        return false;
    return trace->kernels != NULL && trace->dispatches != NULL && trace->counts != NULL &&
           trace->losses != NULL && trace->messages != NULL && trace->kernel_count < UINT32_MAX &&
           trace->dispatch_count < UINT32_MAX;
}

static int compare_stretches(const void *a, const void *b)
{
    const struct sonde_trace_records *x = &((const struct trace_stretch *)a)->records;
    const struct sonde_trace_records *y = &((const struct trace_stretch *)b)->records;
    if (x->dispatch != y->dispatch)
        return x->dispatch < y->dispatch ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Layouts, stretches and totals of every part. */
static void merge_records(struct sonde_trace *trace)
{
    size_t stretch = 0, total = 0, counters = 0;
    uint32_t kernels = 0, dispatches = 0;
    for (size_t k = 0; k < trace->kernel_count; k++) {
        trace->layouts[k] = NULL;
        trace->arguments[k] = NULL;
    }
    for (size_t d = 0; d < trace->dispatch_count; d++)
        trace->buffers[d] = NULL;
    for (size_t p = 0; p < trace->part_count; p++) {
        const struct trace_part *part = &trace->parts[p];
        for (size_t i = 0; i < part->layout_count; i++)
            trace->layouts[kernels + part->layouts[i].kernel] = &part->layouts[i].layout;
        for (size_t i = 0; i < part->argument_count; i++)
            trace->arguments[kernels + part->arguments[i].kernel] = &part->arguments[i];
        for (size_t i = 0; i < part->buffer_count; i++)
            trace->buffers[dispatches + part->buffers[i].dispatch] = &part->buffers[i];
        for (size_t i = 0; i < part->stretch_count; i++, stretch++) {
            trace->stretches[stretch] = part->stretches[i];
            trace->stretches[stretch].records.kernel += kernels;
            trace->stretches[stretch].records.dispatch += dispatches;
        }
        for (size_t i = 0; i < part->total_count; i++, total++) {
            trace->totals[total] = part->totals[i];
            trace->totals[total].kernel += kernels;
            trace->totals[total].dispatch += dispatches;
        }
        for (size_t i = 0; i < part->counters_count; i++, counters++) {
            trace->counters[counters] = part->counters[i];
            trace->counters[counters].kernel += kernels;
            trace->counters[counters].dispatch += dispatches;
        }
        kernels += (uint32_t)part->kernel_count;
        dispatches += (uint32_t)part->dispatch_count;
    }
    if (trace->stretch_count > 1)
        qsort(trace->stretches, trace->stretch_count, sizeof *trace->stretches, compare_stretches);
}

static enum sonde_status merge(struct sonde_trace *trace, struct sonde_error *error)
{
    if (trace->part_count > 1)
        qsort(trace->parts, trace->part_count, sizeof *trace->parts, compare_parts);
    if (!allocate_whole(trace))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    merge_records(trace);
    size_t kernel = 0, dispatch = 0, count = 0, loss = 0, message = 0;
    for (size_t p = 0; p < trace->part_count; p++) {
        const struct trace_part *part = &trace->parts[p];
        uint32_t process = (uint32_t)p, kernels = (uint32_t)kernel, dispatches = (uint32_t)dispatch;
        for (size_t i = 0; i < part->kernel_count; i++) {
            trace->kernels[kernel] = part->kernels[i];
            trace->kernels[kernel].process = process;
            trace->kernels[kernel].id = (uint32_t)kernel;
            kernel++;
        }
        for (size_t i = 0; i < part->dispatch_count; i++) {
            trace->dispatches[dispatch] = part->dispatches[i];
            trace->dispatches[dispatch].process = process;
            trace->dispatches[dispatch].kernel += kernels;
            trace->dispatches[dispatch].id = (uint32_t)dispatch;
            dispatch++;
        }
        for (size_t i = 0; i < part->count_count; i++, count++) {
            trace->counts[count] = part->counts[i];
            trace->counts[count].kernel += kernels;
            trace->counts[count].dispatch += dispatches;
        }
        for (size_t i = 0; i < part->loss_count; i++, loss++) {
            trace->losses[loss] = part->losses[i];
            trace->losses[loss].process = process;
            if (trace->losses[loss].dispatch != UINT32_MAX)
                trace->losses[loss].dispatch += dispatches;
        }
        for (size_t i = 0; i < part->message_count; i++, message++) {
            trace->messages[message] = part->messages[i];
            trace->messages[message].process = process;
        }
        if (part->warning[0] != '\0')
            add_warning(trace, part->name, part->warning);
    }
    return SONDE_OK;
}

enum sonde_status trace_open_bytes(const uint8_t *data, size_t size, struct sonde_trace **trace,
                                   struct sonde_error *error)
{
    return trace_open_for(data, size, TRACE_PASSING, trace, error);
}

enum sonde_status trace_open_for(const uint8_t *data, size_t size, enum trace_life life,
                                 struct sonde_trace **trace, struct sonde_error *error)
{
    *trace = NULL;
    struct sonde_trace *made = calloc(1, sizeof *made);
    if (made == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = add_part(made, "trace", data, size, life, error);
    if (status == SONDE_OK)
        status = merge(made, error);
    if (status != SONDE_OK) {
        sonde_trace_close(made);
        return status;
    }
    *trace = made;
    return SONDE_OK;
}

/* Every process file of the directory; one that cannot be read is a warning,
 * the others are still there. */
static enum sonde_status read_directory(struct sonde_trace *trace, const char *directory,
                                        struct sonde_error *error)
{
    DIR *handle = opendir(directory);
    if (handle == NULL)
        return sonde_error_set(
            error, errno == ENOENT || errno == ENOTDIR ? SONDE_ERROR_NOT_FOUND : SONDE_ERROR_IO, 0,
            "no run in %s: %s; record one with `sonde run`", directory, strerror(errno));
    bool unsupported = false;
    if (!trace_directory_is_marked(dirfd(handle))) {
        closedir(handle);
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0,
                               "no run in %s; record one with `sonde run`", directory);
    }
    struct sonde_error problem = {0};
    for (struct dirent *entry; (entry = readdir(handle)) != NULL;) {
        if (!trace_directory_owns(entry->d_name) || strcmp(entry->d_name, TRACE_MARK_NAME) == 0)
            continue;
        enum sonde_status status = add_file(trace, dirfd(handle), entry->d_name, &problem);
        unsupported = unsupported || status == SONDE_ERROR_UNSUPPORTED;
        if (status != SONDE_OK)
            add_warning(trace, entry->d_name, problem.message);
    }
    closedir(handle);
    if (unsupported && trace->part_count == 0)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "%s: %s", directory,
                               trace->warning);
    return SONDE_OK;
}

static enum sonde_status open_trace(const char *directory, bool is_lazy, struct sonde_trace **trace,
                                    struct sonde_error *error)
{
    *trace = NULL;
    struct sonde_trace *made = calloc(1, sizeof *made);
    if (made == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    made->is_lazy = is_lazy;
    struct stat file;
    enum sonde_status status;
    if (stat(directory, &file) == 0 && S_ISREG(file.st_mode)) {
        status = add_file(made, AT_FDCWD, directory, error);
        if (status != SONDE_OK)
            sonde_error_prefix(error, "%s", directory);
    } else {
        status = read_directory(made, directory, error);
    }
    if (status == SONDE_OK)
        status = merge(made, error);
    if (status != SONDE_OK) {
        sonde_trace_close(made);
        return status;
    }
    *trace = made;
    return SONDE_OK;
}

enum sonde_status sonde_trace_open(const char *directory, struct sonde_trace **trace,
                                   struct sonde_error *error)
{
    return open_trace(directory, false, trace, error);
}

enum sonde_status sonde_trace_open_index(const char *directory, struct sonde_trace **trace,
                                         struct sonde_error *error)
{
    return open_trace(directory, true, trace, error);
}

uint64_t sonde_trace_bytes_read(const struct sonde_trace *trace)
{
    uint64_t bytes = trace->looked_at;
    for (size_t i = 0; i < trace->part_count; i++)
        bytes += trace->parts[i].looked_at;
    return bytes;
}

void sonde_trace_close(struct sonde_trace *trace)
{
    if (trace == NULL)
        return;
    for (size_t i = 0; i < trace->part_count; i++)
        trace_part_clear(&trace->parts[i]);
    free(trace->parts);
    for (size_t i = 0; i < trace->map_count; i++)
        if (trace->maps[i].data != NULL)
            munmap((void *)(uintptr_t)trace->maps[i].data, trace->maps[i].size);
    free(trace->maps);
    trace_arena_free(&trace->arena);
    free(trace);
}

const struct sonde_trace_header *sonde_trace_header(const struct sonde_trace *trace)
{
    return trace->part_count == 0 ? &trace_empty_header : &trace->parts[0].header;
}

size_t sonde_trace_process_count(const struct sonde_trace *trace)
{
    return trace->part_count;
}

const struct sonde_trace_header *sonde_trace_process(const struct sonde_trace *trace, size_t index)
{
    return index < trace->part_count ? &trace->parts[index].header : NULL;
}

bool sonde_trace_process_ended(const struct sonde_trace *trace, size_t index)
{
    return index < trace->part_count && trace->parts[index].ended;
}

const char *sonde_trace_warning(const struct sonde_trace *trace)
{
    return trace->warning[0] == '\0' ? NULL : trace->warning;
}

size_t sonde_trace_kernel_count(const struct sonde_trace *trace)
{
    return trace->kernel_count;
}

const struct sonde_trace_kernel *sonde_trace_kernel(const struct sonde_trace *trace, size_t index)
{
    return index < trace->kernel_count ? &trace->kernels[index] : NULL;
}

size_t sonde_trace_dispatch_count(const struct sonde_trace *trace)
{
    return trace->dispatch_count;
}

const struct sonde_trace_dispatch *sonde_trace_dispatch(const struct sonde_trace *trace,
                                                        size_t index)
{
    return index < trace->dispatch_count ? &trace->dispatches[index] : NULL;
}

size_t sonde_trace_block_counts_count(const struct sonde_trace *trace)
{
    return trace->count_count;
}

const struct sonde_trace_block_counts *sonde_trace_block_counts(const struct sonde_trace *trace,
                                                                size_t index)
{
    return index < trace->count_count ? &trace->counts[index] : NULL;
}

size_t sonde_trace_loss_count(const struct sonde_trace *trace)
{
    return trace->loss_count;
}

const struct sonde_trace_loss *sonde_trace_loss(const struct sonde_trace *trace, size_t index)
{
    return index < trace->loss_count ? &trace->losses[index] : NULL;
}

size_t sonde_trace_message_count(const struct sonde_trace *trace)
{
    return trace->message_count;
}

const struct sonde_trace_message *sonde_trace_message(const struct sonde_trace *trace, size_t index)
{
    return index < trace->message_count ? &trace->messages[index] : NULL;
}

/* A run directory has the firmware of one simulator. */
static const struct trace_call_flow *find_flow(const struct sonde_trace *trace)
{
    for (size_t i = 0; i < trace->part_count; i++) {
        if (trace->parts[i].flow.has_firmware)
            return &trace->parts[i].flow;
    }
    return NULL;
}

const struct sonde_trace_firmware *sonde_trace_firmware(const struct sonde_trace *trace)
{
    const struct trace_call_flow *flow = find_flow(trace);
    return flow != NULL ? &flow->firmware : NULL;
}

const struct sonde_trace_call *sonde_trace_calls(const struct sonde_trace *trace, size_t *count)
{
    const struct trace_call_flow *flow = find_flow(trace);
    *count = flow != NULL ? flow->call_count : 0;
    return flow != NULL ? flow->calls : NULL;
}

const struct sonde_trace_firmware_end *sonde_trace_firmware_end(const struct sonde_trace *trace)
{
    const struct trace_call_flow *flow = find_flow(trace);
    return flow != NULL && flow->has_end ? &flow->end : NULL;
}

const struct sonde_record_layout *sonde_trace_record_layout(const struct sonde_trace *trace,
                                                            uint32_t kernel)
{
    return kernel < trace->kernel_count ? trace->layouts[kernel] : NULL;
}

const struct sonde_trace_arguments *sonde_trace_arguments(const struct sonde_trace *trace,
                                                          uint32_t kernel)
{
    return kernel < trace->kernel_count ? trace->arguments[kernel] : NULL;
}

const struct sonde_trace_buffers *sonde_trace_buffers(const struct sonde_trace *trace,
                                                      uint32_t dispatch)
{
    return dispatch < trace->dispatch_count ? trace->buffers[dispatch] : NULL;
}

size_t sonde_trace_records_count(const struct sonde_trace *trace)
{
    return trace->stretch_count;
}

const struct sonde_trace_records *sonde_trace_records(const struct sonde_trace *trace, size_t index)
{
    return index < trace->stretch_count ? &trace->stretches[index].records : NULL;
}

enum sonde_status sonde_trace_read_records(const struct sonde_trace *trace, size_t index,
                                           uint8_t *data, struct sonde_error *error)
{
    if (index >= trace->stretch_count)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "there is no stretch %zu of records",
                               index);
    const struct trace_stretch *stretch = &trace->stretches[index];
    if (stretch->is_unchecked) /* a count beside the trace, which stays as it is */
        __atomic_fetch_add(&((struct sonde_trace *)(uintptr_t)trace)->looked_at,
                           stretch->frame_size, __ATOMIC_RELAXED);
    enum sonde_status status = trace_stretch_read(stretch, data, error);
    if (!stretch->is_owned)
        release(trace, stretch->frame, stretch->frame_size);
    return status;
}

size_t sonde_trace_record_totals_count(const struct sonde_trace *trace)
{
    return trace->total_count;
}

const struct sonde_trace_record_totals *sonde_trace_record_totals(const struct sonde_trace *trace,
                                                                  size_t index)
{
    return index < trace->total_count ? &trace->totals[index] : NULL;
}

size_t sonde_trace_counters_count(const struct sonde_trace *trace)
{
    return trace->counters_count;
}

const struct sonde_trace_counters *sonde_trace_counters(const struct sonde_trace *trace,
                                                        size_t index)
{
    return index < trace->counters_count ? &trace->counters[index] : NULL;
}
