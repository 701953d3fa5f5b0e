#include "analyze/buffers.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "sonde/image.h"

#define REGISTER     32u /* bytes */
#define SLM_ALIGNED  8u  /* bytes, of local arguments: at least */
#define POINTER_SIZE 8u

static bool is_pointer(const struct sonde_trace_argument *argument)
{
    return argument->kind == SONDE_ARGUMENT_GLOBAL || argument->kind == SONDE_ARGUMENT_CONSTANT;
}

void analyze_buffers_clear(struct analyze_buffers *buffers)
{
    free(buffers->extents);
    buffers->extents = NULL;
    buffers->capacity = 0;
}

/* What the program bound; what it did not is not known. */
static void take_bound(struct analyze_buffers *buffers)
{
    const struct sonde_trace_arguments *arguments = buffers->arguments;
    const struct sonde_trace_buffers *bound =
        sonde_trace_buffers(buffers->trace, buffers->dispatch);
    buffers->slm_size = arguments->slm_size;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct sonde_trace_argument *argument = &arguments->items[i];
        struct analyze_extent *extent = &buffers->extents[i];
        *extent = (struct analyze_extent){.size = UINT64_MAX};
        for (size_t b = 0; bound != NULL && b < bound->count; b++)
            if (bound->items[b].argument == argument->index)
                *extent = (struct analyze_extent){.address = bound->items[b].address,
                                                  .size = bound->items[b].size};
        if (argument->kind != SONDE_ARGUMENT_LOCAL)
            continue;
        if (extent->size == UINT64_MAX || buffers->slm_size == UINT64_MAX)
            buffers->slm_size = UINT64_MAX;
        else /* the compiler aligns each to its type */
            buffers->slm_size += (extent->size + SLM_ALIGNED - 1) / SLM_ALIGNED * SLM_ALIGNED;
    }
}

static bool is_extent(const struct analyze_buffers *buffers, size_t place)
{
    const struct analyze_extent *extent = &buffers->extents[place];
    return is_pointer(&buffers->arguments->items[place]) && extent->address != 0 &&
           extent->size != UINT64_MAX;
}

/* Whether memory of the argument's buffer may be in that of one before it. */
static bool overlaps(const struct analyze_buffers *buffers, size_t place)
{
    const struct analyze_extent *one = &buffers->extents[place];
    for (size_t i = 0; i < place; i++) {
        const struct analyze_extent *other = &buffers->extents[i];
        if (is_extent(buffers, i) && (one->address - other->address < other->size ||
                                      other->address - one->address < one->size))
            return true;
    }
    return false;
}

static void check_known(struct analyze_buffers *buffers)
{
    buffers->overlap = false;
    buffers->has_addresses = false;
    buffers->has_all = true;
    for (size_t i = 0; i < buffers->arguments->count; i++) {
        const struct analyze_extent *extent = &buffers->extents[i];
        if (!is_pointer(&buffers->arguments->items[i]))
            continue;
        bool known = extent->size == 0 || (extent->address != 0 && extent->size != UINT64_MAX);
        buffers->has_addresses = buffers->has_addresses || extent->address != 0;
        buffers->has_all = buffers->has_all && known;
        buffers->overlap = buffers->overlap || (is_extent(buffers, i) && overlaps(buffers, i));
    }
}

/* The registers hold the cross-thread data from `first` on. */
static void take_pointers(struct analyze_buffers *buffers, const struct sonde_record_item *item,
                          const uint8_t *data)
{
    const struct sonde_trace_arguments *arguments = buffers->arguments;
    uint64_t start = (uint64_t)(item->point.first - arguments->payload_register) * REGISTER;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct sonde_trace_argument *argument = &arguments->items[i];
        if (!is_pointer(argument) || argument->size != POINTER_SIZE || argument->offset < start ||
            argument->offset - start + POINTER_SIZE > item->size)
            continue;
        buffers->extents[i].address = base_load64(data + (argument->offset - start));
        buffers->looks_for_them = false;
    }
}

static bool begin(struct analyze_buffers *buffers, const struct analyze_visit *visit)
{
    buffers->dispatch = visit->dispatch;
    buffers->arguments = sonde_trace_arguments(buffers->trace, visit->kernel->id);
    buffers->slm_size = UINT64_MAX;
    buffers->has_addresses = buffers->has_all = buffers->looks_for_them = false;
    if (buffers->arguments == NULL)
        return true;
    if (base_array_reserve((void **)&buffers->extents, &buffers->capacity,
                           buffers->arguments->count + 1, sizeof *buffers->extents) != SONDE_OK)
        return false;
    take_bound(buffers);
    check_known(buffers);
    buffers->looks_for_them = buffers->arguments->payload_register != 0;
    return true;
}

bool analyze_buffers_see(struct analyze_buffers *buffers, const struct analyze_visit *visit)
{
    if (buffers->dispatch != visit->dispatch && !begin(buffers, visit))
        return false;
    if (!buffers->looks_for_them || visit->starts_thread ||
        !visit->kernel->blocks[visit->block].is_entry)
        return true;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit) && buffers->looks_for_them; i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        if (item->point.kind == SONDE_RECORD_REGISTERS &&
            item->point.first >= buffers->arguments->payload_register)
            take_pointers(buffers, item, data);
    }
    check_known(buffers);
    return true;
}

static size_t find_surface(const struct analyze_buffers *buffers, uint32_t bti)
{
    for (size_t i = 0; i < buffers->arguments->count; i++)
        if (buffers->arguments->items[i].bti == bti)
            return i;
    return ANALYZE_NO_ARGUMENT;
}

static size_t find_address(const struct analyze_buffers *buffers, uint64_t address)
{
    for (size_t i = 0; i < buffers->arguments->count; i++) {
        const struct analyze_extent *extent = &buffers->extents[i];
        if (is_extent(buffers, i) && address - extent->address < extent->size)
            return i;
    }
    return ANALYZE_NO_ARGUMENT;
}

size_t analyze_buffers_find(const struct analyze_buffers *buffers,
                            const struct sonde_gen_message *message, uint64_t address)
{
    if (buffers->arguments == NULL)
        return ANALYZE_NO_ARGUMENT;
    if (message->address_model == SONDE_GEN_ADDRESS_SURFACE)
        return find_surface(buffers, message->bti);
    return message->address_model == SONDE_GEN_ADDRESS_A64 ? find_address(buffers, address)
                                                           : ANALYZE_NO_ARGUMENT;
}

void analyze_buffers_name(const struct analyze_buffers *buffers, size_t argument, char *name,
                          size_t size)
{
    if (argument == ANALYZE_NO_ARGUMENT) {
        snprintf(name, size, "%s", "");
        return;
    }
    const struct sonde_trace_argument *item = &buffers->arguments->items[argument];
    if (item->name != NULL && item->name[0] != '\0')
        snprintf(name, size, "%s", item->name);
    else
        snprintf(name, size, "argument %u", item->index);
}
