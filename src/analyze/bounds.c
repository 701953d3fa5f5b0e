/* Accesses outside of the buffer that the kernel's argument names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/access_name.h"
#include "analyze/buffers.h"
#include "analyze/tables.h"

#define SURFACE_RANGE (UINT64_C(1) << 32)
#define SLM_RANGE     (UINT64_C(1) << 28)

struct bounds {
    struct analyze_rows *rows;
    struct analyze_codes codes;
    struct analyze_buffers buffers;
    uint64_t checked, unchecked; /* addresses */
};

/* What an access should stay in. */
struct target {
    size_t argument;
    struct analyze_extent extent;
    uint64_t range; /* of addresses: those of its upper half are negative; 0 = all of 64 bits */
    bool known;
};

/* The buffer that the address misses by least. */
static size_t nearest(const struct analyze_buffers *buffers, uint64_t address)
{
    size_t found = ANALYZE_NO_ARGUMENT;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < buffers->arguments->count; i++) {
        const struct analyze_extent *extent = &buffers->extents[i];
        if (extent->address == 0 || extent->size == 0 || extent->size == UINT64_MAX)
            continue;
        uint64_t distance = address < extent->address
                                ? extent->address - address
                                : address - extent->address - (extent->size - 1);
        if (distance < least) {
            least = distance;
            found = i;
        }
    }
    return found;
}

static struct target find_target(const struct bounds *bounds,
                                 const struct sonde_gen_message *message, uint64_t address)
{
    const struct analyze_buffers *buffers = &bounds->buffers;
    struct target target = {.argument = ANALYZE_NO_ARGUMENT};
    if (buffers->arguments == NULL)
        return target;
    if (message->address_model == SONDE_GEN_ADDRESS_SLM) {
        target.extent.size = buffers->slm_size;
        target.range = SLM_RANGE;
        target.known = buffers->slm_size != UINT64_MAX;
        return target;
    }
    target.argument = analyze_buffers_find(buffers, message, address);
    if (message->address_model == SONDE_GEN_ADDRESS_SURFACE) {
        target.range = SURFACE_RANGE;
        if (target.argument != ANALYZE_NO_ARGUMENT)
            target.extent.size = buffers->extents[target.argument].size;
        target.known = target.argument != ANALYZE_NO_ARGUMENT && target.extent.size != UINT64_MAX;
        return target;
    }
    /* An address in no buffer may be in one that is not known. */
    if (target.argument == ANALYZE_NO_ARGUMENT && buffers->has_all &&
        message->address_model == SONDE_GEN_ADDRESS_A64)
        target.argument = nearest(buffers, address);
    if (target.argument != ANALYZE_NO_ARGUMENT)
        target.extent = buffers->extents[target.argument];
    target.known = target.argument != ANALYZE_NO_ARGUMENT;
    return target;
}

/* Bytes by which an access of `width` bytes leaves the buffer, 0 when it does not. */
static uint64_t distance_of(const struct target *target, uint64_t address, uint32_t width,
                            bool *before)
{
    uint64_t at = address - target->extent.address;
    *before = target->range != 0
                  ? at >= target->range / 2 && target->extent.size < target->range / 2
                  : address < target->extent.address;
    if (*before)
        return target->range != 0 ? target->range - at : target->extent.address - address;
    uint64_t end = at + width;
    return end > target->extent.size ? end - target->extent.size : 0;
}

static struct analyze_row *row_of(struct bounds *bounds, const struct analyze_visit *visit,
                                  const struct analyze_access *access, size_t argument)
{
    char name[sizeof bounds->rows->items->buffer];
    analyze_buffers_name(&bounds->buffers, argument, name, sizeof name);
    if (access->message->address_model == SONDE_GEN_ADDRESS_SLM)
        snprintf(name, sizeof name, "local memory");
    for (size_t i = bounds->rows->count; i-- > 0;) {
        struct analyze_row *row = &bounds->rows->items[i];
        if (row->kernel == visit->kernel && row->instruction == access->instruction &&
            strcmp(row->buffer, name) == 0)
            return row;
    }
    struct analyze_row *row = analyze_rows_add(bounds->rows);
    if (row == NULL)
        return NULL;
    row->kernel = visit->kernel;
    row->instruction = access->instruction;
    row->block = visit->block;
    analyze_access_name(access->message, row->text, sizeof row->text);
    snprintf(row->buffer, sizeof row->buffer, "%s", name);
    return row;
}

static void note_outside(struct analyze_row *row, const struct target *target, uint64_t address,
                         uint64_t distance, bool before)
{
    uint64_t *value = row->value;
    if (value[BOUNDS_BEFORE] + value[BOUNDS_BEHIND] == 0) {
        value[BOUNDS_ADDRESS] = address;
        value[BOUNDS_DISTANCE] = distance;
        value[BOUNDS_SIZE] = target->extent.size;
    }
    value[before ? BOUNDS_BEFORE : BOUNDS_BEHIND]++;
    if (distance > value[BOUNDS_FURTHEST])
        value[BOUNDS_FURTHEST] = distance;
}

/* All addresses are in the one buffer that the first of them is in. */
static bool is_inside(const struct bounds *bounds, const struct analyze_access *access,
                      const struct target *target)
{
    uint64_t lowest, highest;
    if (!target->known || (target->range == 0 && bounds->buffers.overlap))
        return false;
    analyze_access_ends(access, &lowest, &highest);
    uint64_t last = highest - target->extent.address;
    return lowest >= target->extent.address && last < target->extent.size &&
           access->width <= target->extent.size - last;
}

static bool see_access(struct bounds *bounds, const struct analyze_visit *visit,
                       const struct analyze_access *access)
{
    struct target target = {.argument = ANALYZE_NO_ARGUMENT};
    bool is_address = access->message->address_model == SONDE_GEN_ADDRESS_A64;
    if (access->message->address_model == SONDE_GEN_ADDRESS_STATELESS)
        return true; /* the compiler's own: arguments, tables */
    if (access->mask == 0)
        return true;
    target = find_target(bounds, access->message,
                         analyze_access_address(access, (uint32_t)__builtin_ctz(access->mask)));
    if (is_inside(bounds, access, &target)) {
        bounds->checked += analyze_access_lanes(access);
        return true;
    }
    for (uint32_t left = access->mask, first = 1; left != 0; left &= left - 1, first = 0) {
        uint64_t address = analyze_access_address(access, (uint32_t)__builtin_ctz(left));
        bool before = false;
        if (first || is_address)
            target = find_target(bounds, access->message, address);
        uint64_t distance =
            target.known ? distance_of(&target, address, access->width, &before) : 0;
        *(target.known ? &bounds->checked : &bounds->unchecked) += 1;
        if (target.known && distance == 0)
            continue;
        struct analyze_row *row = row_of(bounds, visit, access, target.argument);
        if (row == NULL)
            return false;
        if (target.known)
            note_outside(row, &target, address, distance, before);
        else
            row->value[BOUNDS_UNKNOWN]++;
    }
    return true;
}

static enum sonde_status see_visit(const struct analyze_visit *visit, void *context,
                                   struct sonde_error *error)
{
    struct bounds *bounds = context;
    bool good = analyze_buffers_see(&bounds->buffers, visit);
    const struct analyze_code *code = analyze_codes_get(&bounds->codes, visit, error);
    if (code == NULL)
        return error != NULL ? error->status : SONDE_ERROR_MEMORY;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit) && good; i++) {
        struct analyze_access access;
        if (analyze_access_read(code, visit, i, &access))
            good = see_access(bounds, visit, &access);
    }
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

enum sonde_status analyze_bounds(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                 struct sonde_error *error)
{
    struct bounds bounds = {.rows = rows, .buffers = {.trace = trace, .dispatch = UINT32_MAX}};
    enum sonde_status status = analyze_records_walk(trace, matcher, see_visit, &bounds, error);
    analyze_codes_clear(&bounds.codes);
    analyze_buffers_clear(&bounds.buffers);
    if (bounds.unchecked == 0)
        snprintf(rows->note, sizeof rows->note, "%llu addresses were checked",
                 (unsigned long long)bounds.checked);
    else
        snprintf(rows->note, sizeof rows->note,
                 "%llu addresses were checked; of %llu it is not known which buffer they belong "
                 "to, or how large that is",
                 (unsigned long long)bounds.checked, (unsigned long long)bounds.unchecked);
    return status;
}
