/* What a dispatch wrote in both runs. A change is one against what memory held
 * before, which may be chance: fresh memory of the driver, or of the program. So
 * every byte that either run changed is looked for among what the other one
 * changed, or left as it was in the pages that it wrote to. */
#include "cli/verify.h"

#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long ull;

static void place_name(const struct truth_write *write, uint64_t offset, char *name, size_t size)
{
    switch (write->kind) {
    case TRUTH_WRITE_SURFACE:
        snprintf(name, size, "buffer of binding-table index %u, offset 0x%llx", write->index,
                 (ull)offset);
        break;
    case TRUTH_WRITE_PAYLOAD_POINTER:
        snprintf(name, size, "buffer of argument word %u, offset 0x%llx", write->index,
                 (ull)offset);
        break;
    default:
        snprintf(name, size, "address 0x%llx", (ull)offset);
    }
}

static uint8_t byte_at(const struct truth_write *write, uint64_t offset)
{
    return write->bytes == NULL ? 0 : write->bytes[offset - write->offset];
}

static bool is_changed(const struct truth_write *write, uint64_t offset)
{
    uint64_t byte = offset - write->offset;
    return write->changed != NULL && (write->changed[byte / 8] >> byte % 8 & 1) != 0;
}

/* The first bytes in hexadecimal. */
static void hex_bytes(const struct truth_write *write, uint64_t offset, char text[64])
{
    *text = '\0';
    for (uint64_t i = offset; i < write->offset + write->size && i < offset + 16; i++)
        text += sprintf(text, "%s%02x", i > offset ? " " : "", byte_at(write, i));
}

/* The writes of one run, walked in order beside those of the other one. */
struct walk {
    struct verify_result *result;
    const char *where;
    const struct verify_writes *mine, *other;
    const char *name;     /* of the run that `mine` is of */
    bool is_instrumented; /* it is that one, and the second to be walked */
    size_t at;            /* in `other`: what stands before it ends before */
};

/* How the bytes of a stretch differ. */
struct finding {
    uint64_t missing, first_missing; /* that the other run has not */
    uint64_t first;                  /* UINT64_MAX: none */
    const struct truth_write *other; /* with that one */
};

/* Compare [begin, end) of a write with `other`, NULL: the other run has none. */
static void compare_range(const struct walk *w, const struct truth_write *mine,
                          const struct truth_write *other, uint64_t begin, uint64_t end,
                          struct finding *finding)
{
    for (uint64_t i = begin; i < end; i++) {
        /* What both changed was compared in the first walk. */
        if (!is_changed(mine, i) || (w->is_instrumented && other != NULL && is_changed(other, i)))
            continue;
        w->result->bytes++;
        if (other == NULL) {
            if (finding->missing++ == 0)
                finding->first_missing = i;
        } else if (finding->first == UINT64_MAX && byte_at(mine, i) != byte_at(other, i)) {
            finding->first = i;
            finding->other = other;
        }
    }
}

static void report(const struct walk *w, const struct truth_write *mine,
                   const struct finding *finding)
{
    char place[128], left[64], right[64];
    if (finding->first != UINT64_MAX) {
        place_name(mine, finding->first, place, sizeof place);
        hex_bytes(mine, finding->first, w->is_instrumented ? right : left);
        hex_bytes(finding->other, finding->first, w->is_instrumented ? left : right);
        verify_differ(w->result, "%s, %s: original %s, instrumented %s", w->where, place, left,
                      right);
    }
    if (finding->missing > 0) {
        place_name(mine, finding->first_missing, place, sizeof place);
        verify_differ(w->result, "%s, %s: %llu bytes changed only in the %s run", w->where, place,
                      (ull)finding->missing, w->name);
    }
}

static int compare_objects(const struct truth_write *a, const struct truth_write *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->index == b->index ? 0 : a->index < b->index ? -1 : 1;
}

/* Does it end before [kind, index, offset]? */
static bool ends_before(const struct truth_write *write, const struct truth_write *place,
                        uint64_t offset)
{
    int order = compare_objects(write, place);
    return order < 0 || (order == 0 && write->offset + write->size <= offset);
}

static void compare_write(struct walk *w, const struct truth_write *mine)
{
    struct finding finding = {.first = UINT64_MAX};
    uint64_t end = mine->offset + mine->size;
    for (uint64_t at = mine->offset; at < end;) {
        const struct truth_write *other = NULL;
        uint64_t stop = end;
        while (w->at < w->other->count && ends_before(w->other->items[w->at], mine, at))
            w->at++;
        if (w->at < w->other->count && compare_objects(w->other->items[w->at], mine) == 0) {
            other = w->other->items[w->at];
            uint64_t edge = at < other->offset ? other->offset : other->offset + other->size;
            if (edge < stop)
                stop = edge;
            if (at < other->offset)
                other = NULL;
        }
        compare_range(w, mine, other, at, stop, &finding);
        at = stop;
    }
    report(w, mine, &finding);
}

static void walk(struct walk *w)
{
    for (size_t i = 0; i < w->mine->count; i++)
        if (w->mine->items[i]->changed != NULL)
            compare_write(w, w->mine->items[i]);
}

/* The next object that was changed, from *at on, behind `last`. */
static const struct truth_write *next_object(const struct verify_writes *list, size_t *at,
                                             const struct truth_write *last)
{
    while (*at < list->count && (list->items[*at]->changed == NULL ||
                                 (last != NULL && compare_objects(list->items[*at], last) <= 0)))
        (*at)++;
    return *at < list->count ? list->items[*at] : NULL;
}

static uint64_t count_objects(const struct verify_writes *a, const struct verify_writes *b)
{
    const struct truth_write *last = NULL;
    size_t i = 0, j = 0;
    for (uint64_t count = 0;; count++) {
        const struct truth_write *x = next_object(a, &i, last), *y = next_object(b, &j, last);
        if (x == NULL && y == NULL)
            return count;
        last = y == NULL || (x != NULL && compare_objects(x, y) < 0) ? x : y;
    }
}

enum sonde_status verify_compare_writes(struct verify_result *result, const char *where,
                                        const struct truth_dispatch *original,
                                        uint32_t original_profile,
                                        const struct truth_dispatch *instrumented,
                                        uint32_t instrumented_profile, struct sonde_error *error)
{
    struct verify_writes a = {.items = NULL}, b = {.items = NULL};
    bool listed = verify_list_writes(original, original_profile, &a) &&
                  verify_list_writes(instrumented, instrumented_profile, &b);
    if (listed) {
        walk(&(struct walk){
            .result = result, .where = where, .mine = &a, .other = &b, .name = "original"});
        walk(&(struct walk){.result = result,
                            .where = where,
                            .mine = &b,
                            .other = &a,
                            .name = "instrumented",
                            .is_instrumented = true});
        result->buffers += count_objects(&a, &b);
    }
    free(a.items);
    free(b.items);
    return listed ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}
