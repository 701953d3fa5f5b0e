#include "attach/neo/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "attach/neo/created.h"
#include "base/array.h"
#include "sonde/image.h"

/* More arguments than the driver's limit of 1024 bytes allows. */
#define ATTACH_ARGUMENT_LIMIT 1024u

/* What the program bound to a cl_kernel. */
struct bound {
    const void *cl_kernel;
    struct sonde_trace_buffer *items;
    size_t count, capacity;
};

struct shared {
    uint64_t base, size;
};

/* A program's binary, and the image that points into it. Programs create their
 * kernels one after the other: the last one is kept. */
struct program {
    unsigned users; /* under the session's lock */
    uint8_t *binary;
    size_t size;
    struct sonde_image *image; /* NULL: it could not be read */
};

static struct program *last_program;
static __thread struct program *current; /* of the call that creates kernels */
static struct bound *kernels;
static size_t kernel_count, kernel_capacity;
static struct shared *allocations;
static size_t allocation_count, allocation_capacity;

/* --- what the compiler says ----------------------------------------------------------- */

/* Lock held. What is left to be freed without it. */
static struct program *leave(struct program *program)
{
    return program != NULL && --program->users == 0 ? program : NULL;
}

static void destroy(struct program *program)
{
    if (program == NULL)
        return;
    sonde_image_close(program->image);
    free(program->binary);
    free(program);
}

/* The last program, if this is its binary. */
static struct program *use_last(const uint8_t *binary, size_t size)
{
    struct program *found = NULL;
    if (!attach_session_lock())
        return NULL;
    if (last_program != NULL && last_program->size == size &&
        memcmp(last_program->binary, binary, size) == 0) {
        found = last_program;
        found->users++;
    }
    attach_session_unlock();
    return found;
}

static struct program *use_new(uint8_t *binary, size_t size)
{
    struct program *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = (struct program){.users = 2, .binary = binary, .size = size};
    if (sonde_image_parse(binary, size, SONDE_GEN_PLATFORM_COUNT, &made->image, NULL) != SONDE_OK)
        made->image = NULL;
    if (!attach_session_lock()) {
        made->users--;
        return made;
    }
    struct program *old = leave(last_program);
    last_program = made;
    attach_session_unlock();
    destroy(old);
    return made;
}

void attach_arguments_begin(uint8_t *binary, size_t size)
{
    attach_arguments_end();
    if (binary == NULL)
        return;
    current = use_last(binary, size);
    if (current == NULL)
        current = use_new(binary, size);
    if (current == NULL || current->binary != binary)
        free(binary);
}

void attach_arguments_end(void)
{
    if (current == NULL || !attach_session_lock())
        return;
    struct program *left = leave(current);
    current = NULL;
    attach_session_unlock();
    destroy(left);
}

static const struct sonde_image_kernel *find_kernel(const char *name)
{
    const struct sonde_image *image = current != NULL ? current->image : NULL;
    for (size_t i = 0; image != NULL && i < sonde_image_kernel_count(image); i++) {
        const struct sonde_image_kernel *kernel = sonde_image_kernel(image, i);
        if (kernel->info.name != NULL && strcmp(kernel->info.name, name) == 0)
            return kernel;
    }
    return NULL;
}

static struct sonde_trace_argument take_argument(const struct sonde_image_argument *from)
{
    struct sonde_trace_argument to = {
        .index = from->index,
        .kind = from->kind,
        .bti = from->has_surface ? from->bti : UINT32_MAX,
        .name = from->name != NULL ? strdup(from->name) : NULL,
    };
    if (from->piece_count == 1) {
        to.offset = from->pieces[0].payload_offset;
        to.size = from->pieces[0].size;
    }
    return to;
}

void attach_arguments_take(struct attach_kernel *kernel)
{
    const struct sonde_image_kernel *from = find_kernel(kernel->name);
    if (from == NULL || from->argument_count > ATTACH_ARGUMENT_LIMIT)
        return;
    struct sonde_trace_argument *items = calloc(from->argument_count + 1, sizeof *items);
    if (items == NULL)
        return;
    for (size_t i = 0; i < from->argument_count; i++)
        items[i] = take_argument(&from->arguments[i]);
    kernel->arguments = (struct sonde_trace_arguments){
        .slm_size = from->slm_size,
        .payload_register = from->payload_register,
        .items = items,
        .count = from->argument_count,
    };
}

/* --- what the program binds ------------------------------------------------------------ */

static const struct sonde_trace_argument *argument_of(const struct attach_kernel *kernel,
                                                      uint32_t index)
{
    for (size_t i = 0; kernel != NULL && i < kernel->arguments.count; i++)
        if (kernel->arguments.items[i].index == index)
            return &kernel->arguments.items[i];
    return NULL;
}

/* Only kernels with records have use for it. */
enum attach_bind attach_bind_kind(const void *cl_kernel, uint32_t index)
{
    if (!attach_session_lock())
        return ATTACH_BIND_NONE;
    const struct attach_kernel *kernel = attach_created_find(cl_kernel);
    const struct sonde_trace_argument *argument =
        kernel != NULL && kernel->trace != NULL ? argument_of(kernel, index) : NULL;
    attach_session_unlock();
    if (argument == NULL)
        return ATTACH_BIND_NONE;
    if (argument->kind == SONDE_ARGUMENT_LOCAL)
        return ATTACH_BIND_LOCAL;
    return argument->kind == SONDE_ARGUMENT_GLOBAL || argument->kind == SONDE_ARGUMENT_CONSTANT
               ? ATTACH_BIND_MEMORY
               : ATTACH_BIND_NONE;
}

static struct bound *find(const void *cl_kernel)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].cl_kernel == cl_kernel)
            return &kernels[i];
    return NULL;
}

static struct bound *find_or_make(const void *cl_kernel)
{
    struct bound *bound = find(cl_kernel);
    if (bound != NULL)
        return bound;
    if (base_array_reserve((void **)&kernels, &kernel_capacity, kernel_count + 1,
                           sizeof *kernels) != SONDE_OK)
        return NULL;
    kernels[kernel_count] = (struct bound){.cl_kernel = cl_kernel};
    return &kernels[kernel_count++];
}

static void bind(struct bound *bound, const struct sonde_trace_buffer *buffer)
{
    for (size_t i = 0; i < bound->count; i++) {
        if (bound->items[i].argument == buffer->argument) {
            bound->items[i] = *buffer;
            return;
        }
    }
    if (base_array_reserve((void **)&bound->items, &bound->capacity, bound->count + 1,
                           sizeof *bound->items) == SONDE_OK)
        bound->items[bound->count++] = *buffer;
}

void attach_bind(const void *cl_kernel, uint32_t index, uint64_t address, uint64_t size)
{
    if (!attach_session_lock())
        return;
    struct bound *bound = find_or_make(cl_kernel);
    if (bound != NULL)
        bind(bound,
             &(struct sonde_trace_buffer){.argument = index, .address = address, .size = size});
    attach_session_unlock();
}

void attach_bind_reset(const void *cl_kernel, const void *source)
{
    if (!attach_session_lock())
        return;
    struct bound *bound = find(cl_kernel);
    if (bound != NULL)
        bound->count = 0;
    const struct bound *from = source != NULL ? find(source) : NULL;
    size_t count = from != NULL ? from->count : 0;
    for (size_t i = 0; i < count; i++) {
        struct sonde_trace_buffer buffer = find(source)->items[i];
        bound = find_or_make(cl_kernel);
        if (bound != NULL)
            bind(bound, &buffer);
    }
    attach_session_unlock();
}

void attach_shared_add(const void *address, size_t size)
{
    if (!attach_session_lock())
        return;
    if (base_array_reserve((void **)&allocations, &allocation_capacity, allocation_count + 1,
                           sizeof *allocations) == SONDE_OK)
        allocations[allocation_count++] = (struct shared){.base = (uintptr_t)address, .size = size};
    attach_session_unlock();
}

void attach_shared_remove(const void *address)
{
    if (!attach_session_lock())
        return;
    for (size_t i = allocation_count; i-- > 0;) {
        if (allocations[i].base == (uintptr_t)address) {
            allocations[i] = allocations[--allocation_count];
            break;
        }
    }
    attach_session_unlock();
}

static bool find_shared(const void *address, uint64_t *base, uint64_t *size)
{
    bool found = false;
    if (!attach_session_lock())
        return false;
    for (size_t i = 0; i < allocation_count && !found; i++) {
        found = (uintptr_t)address - allocations[i].base < allocations[i].size;
        *base = allocations[i].base;
        *size = allocations[i].size;
    }
    attach_session_unlock();
    return found;
}

void attach_bind_pointer(const void *cl_kernel, uint32_t index, const void *value)
{
    uint64_t base = 0, size = UINT64_MAX, address = (uintptr_t)value;
    if (attach_bind_kind(cl_kernel, index) != ATTACH_BIND_MEMORY)
        return;
    /* The argument starts where the pointer points: what is in front of it in
     * the allocation is not reached through its surface. */
    if (find_shared(value, &base, &size))
        size -= address - base;
    attach_bind(cl_kernel, index, address, size);
}

/* --- dispatches ------------------------------------------------------------------------- */

void attach_bind_take(struct attach_dispatch *dispatch)
{
    const struct bound *bound = dispatch->cl_kernel != NULL ? find(dispatch->cl_kernel) : NULL;
    if (bound == NULL || bound->count == 0 || dispatch->dry || dispatch->kernel->trace == NULL)
        return;
    dispatch->bound = malloc(bound->count * sizeof *dispatch->bound);
    if (dispatch->bound == NULL)
        return;
    memcpy(dispatch->bound, bound->items, bound->count * sizeof *dispatch->bound);
    dispatch->bound_count = bound->count;
}

void attach_bind_write(const struct attach_dispatch *dispatch)
{
    struct sonde_trace_writer *writer = attach_session_writer();
    struct sonde_trace_buffers buffers = {
        .dispatch = dispatch->id, .items = dispatch->bound, .count = dispatch->bound_count};
    if (writer != NULL && buffers.count > 0)
        sonde_trace_write_buffers(writer, &buffers, NULL);
}
