#include "analyze/shadow.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES  64u
#define LINE_BITS   6u
#define FEW_STATES  7u  /* besides the first: lines with more have one for each place */
#define INDEX_BYTES 16u /* of the index, for each line */
#define KEY_SURFACE (UINT64_C(1) << 63)

/* The last accesses to a place. */
struct last {
    uint64_t write, read;
    uint64_t other; /* read of another thread than the last */
};

struct state {
    struct last last;
    uint64_t places; /* of the line, a bit each */
};

struct line {
    struct state first;
    union {
        struct state *more;
        struct last *each; /* by place */
    };
    uint16_t count, capacity; /* of `more`, or `each` */
    bool has_each;
};

static size_t split_bytes(const struct line *line)
{
    return line->capacity * (line->has_each ? sizeof *line->each : sizeof *line->more);
}

/* --- one place -------------------------------------------------------------------------- */

static inline bool unordered(uint64_t before, uint64_t now)
{
    if ((before & ANALYZE_ACCESS_VALID) == 0 ||
        before >> ANALYZE_ACCESS_THREAD == now >> ANALYZE_ACCESS_THREAD ||
        (before & now & ANALYZE_ACCESS_ATOMIC) != 0)
        return false;
    bool same_epoch = ((before ^ now) >> ANALYZE_ACCESS_EPOCH & 0xffff) == 0;
    return before >> ANALYZE_ACCESS_GROUP != now >> ANALYZE_ACCESS_GROUP || same_epoch;
}

static bool conflict(struct analyze_touch *touch, enum analyze_race_kind kind, uint64_t before,
                     uint64_t address, uint64_t places)
{
    touch->conflicts++;
    return touch->conflict(touch, kind, before,
                           address + ((uint64_t)__builtin_ctzll(places) << touch->shift),
                           (uint32_t)__builtin_popcountll(places));
}

/* `places` of one state, of the line at `address`. */
static inline bool see(struct analyze_touch *touch, struct last *last, uint64_t address,
                       uint64_t places)
{
    uint64_t now = touch->now;
    bool good = true;
    if (unordered(last->write, now))
        good = conflict(touch, touch->writes ? ANALYZE_WRITE_AFTER_WRITE : ANALYZE_READ_AFTER_WRITE,
                        last->write, address, places);
    if (!touch->writes) {
        if (last->read >> ANALYZE_ACCESS_THREAD != now >> ANALYZE_ACCESS_THREAD)
            last->other = last->read;
        last->read = now;
        return good;
    }
    uint64_t read = unordered(last->read, now) ? last->read : last->other;
    if (unordered(read, now))
        good = good && conflict(touch, ANALYZE_WRITE_AFTER_READ, read, address, places);
    last->write = now;
    return good;
}

/* --- lines ------------------------------------------------------------------------------- */

static inline bool same(const struct last *a, const struct last *b)
{
    return ((a->write ^ b->write) | (a->read ^ b->read) | (a->other ^ b->other)) == 0;
}

static inline uint64_t all_places(const struct analyze_touch *touch)
{
    return UINT64_MAX >> (64 - (LINE_BYTES >> touch->shift));
}

static inline struct state *state_at(struct line *line, uint32_t index)
{
    return index == 0 ? &line->first : &line->more[index - 1];
}

static struct state *state_of(struct line *line, uint64_t place)
{
    uint32_t i = 0;
    while (i < line->count && (state_at(line, i)->places & place) == 0)
        i++;
    return state_at(line, i);
}

static void remove_state(struct line *line, struct state *state)
{
    *state = line->more[--line->count];
}

/* A state for each place. */
static bool make_each(struct analyze_shadow *shadow, struct line *line, unsigned count)
{
    struct last *each = malloc(count * sizeof *each);
    if (each == NULL)
        return false;
    for (uint32_t i = 0; i <= line->count; i++)
        for (uint64_t left = state_at(line, i)->places; left != 0; left &= left - 1)
            each[__builtin_ctzll(left)] = state_at(line, i)->last;
    shadow->split_bytes -= split_bytes(line);
    free(line->more);
    line->each = each;
    line->count = line->capacity = (uint16_t)count;
    line->has_each = true;
    shadow->split_bytes += split_bytes(line);
    return true;
}

static bool add_state(struct analyze_shadow *shadow, struct line *line, const struct state *state)
{
    if (line->count == line->capacity) {
        uint16_t capacity = (uint16_t)(2 * line->capacity + 1);
        struct state *more = realloc(line->more, capacity * sizeof *more);
        if (more == NULL)
            return false;
        shadow->split_bytes += (capacity - line->capacity) * sizeof *more;
        line->more = more;
        line->capacity = capacity;
    }
    line->more[line->count++] = *state;
    return true;
}

/* Places of `state` have another one now. */
static bool move_places(struct analyze_shadow *shadow, struct analyze_touch *touch,
                        struct line *line, struct state *state, const struct state *after)
{
    if (same(&state->last, &after->last))
        return true;
    for (uint32_t i = 0; i <= line->count; i++) {
        struct state *other = state_at(line, i);
        if (!same(&other->last, &after->last))
            continue;
        other->places |= after->places;
        state->places &= ~after->places;
        if (state->places == 0)
            remove_state(line, state);
        return true;
    }
    if (state->places == after->places) {
        *state = *after;
        return true;
    }
    state->places &= ~after->places;
    if (!add_state(shadow, line, after))
        return false;
    return line->count <= FEW_STATES ||
           make_each(shadow, line, (unsigned)__builtin_popcountll(all_places(touch)));
}

static bool touch_each(struct analyze_touch *touch, struct line *line, uint64_t address,
                       uint64_t places)
{
    for (uint64_t left = places; left != 0; left &= left - 1)
        if (!see(touch, &line->each[__builtin_ctzll(left)], address, left & -left))
            return false;
    return true;
}

/* Places of the line at `address`. */
static bool touch_places(struct analyze_shadow *shadow, struct analyze_touch *touch,
                         struct line *line, uint64_t address, uint64_t places)
{
    if (line->has_each)
        return touch_each(touch, line, address, places);
    if (line->first.places == 0) /* it is new */
        line->first.places = all_places(touch);
    if (places == line->first.places && line->count == 0)
        return see(touch, &line->first.last, address, places);
    while (places != 0) {
        if (line->has_each)
            return touch_each(touch, line, address, places);
        struct state *state = state_of(line, places & -places);
        struct state after = {.last = state->last, .places = state->places & places};
        places &= ~after.places;
        if (!see(touch, &after.last, address, after.places) ||
            !move_places(shadow, touch, line, state, &after))
            return false;
    }
    return true;
}

/* --- accesses ------------------------------------------------------------------------------ */

/* Places of one line that are touched next, ascending. */
struct pending {
    uint64_t line;
    uint64_t places; /* 0: none */
};

static inline bool is_in(struct analyze_shadow_part part, uint64_t key)
{
    return ((key * UINT64_C(0xd6e8feb86659fd93)) >> 40 & part.mask) == part.value;
}

static inline struct line *find_line(struct analyze_shadow *shadow, uint64_t key)
{
    struct analyze_near_line *near = &shadow->near[key % ANALYZE_NEAR_LINES];
    if (near->key != key || near->line == NULL)
        *near = (struct analyze_near_line){.key = key,
                                           .line = analyze_blocks_find(&shadow->lines, key)};
    return near->line;
}

static bool flush(struct analyze_shadow *shadow, struct analyze_touch *touch,
                  struct pending *pending)
{
    uint64_t places = pending->places, key = pending->line;
    pending->places = 0;
    if (places == 0)
        return true;
    touch->order++;
    if (touch->is_surface)
        key |= KEY_SURFACE | (uint64_t)touch->surface << 32;
    if (!is_in(touch->part, key))
        return true;
    struct line *line = find_line(shadow, key);
    return line != NULL && touch_places(shadow, touch, line, pending->line * LINE_BYTES, places);
}

/* Places [first, end) of memory. */
static bool touch_run(struct analyze_shadow *shadow, struct analyze_touch *touch,
                      struct pending *pending, uint64_t first, uint64_t end)
{
    unsigned bits = LINE_BITS - touch->shift; /* of the number of a place in its line */
    while (first < end) {
        uint64_t line = first >> bits, next = (line + 1) << bits;
        if (next > end || next < first)
            next = end;
        unsigned at = (unsigned)first & ((1u << bits) - 1);
        uint64_t places = (UINT64_MAX >> (64 - (next - first))) << at;
        /* None twice, and in their order. */
        if (pending->line != line || pending->places >> at != 0) {
            if (!flush(shadow, touch, pending))
                return false;
            pending->line = line;
        }
        pending->places |= places;
        first = next;
    }
    return true;
}

/* Channels side by side are one run. */
static bool touch_channels(struct analyze_shadow *shadow, struct analyze_touch *touch,
                           const struct analyze_access *access)
{
    struct pending pending = {.places = 0};
    uint64_t first = 0, end = 0, more = access->width ? access->width - 1 : 0;
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint64_t address = analyze_access_address(access, (uint32_t)__builtin_ctz(left));
        uint64_t start = address >> touch->shift, stop = ((address + more) >> touch->shift) + 1;
        if (start == end) {
            end = stop;
            continue;
        }
        if (!touch_run(shadow, touch, &pending, first, end))
            return false;
        first = start;
        end = stop;
    }
    return touch_run(shadow, touch, &pending, first, end) && flush(shadow, touch, &pending);
}

static bool touch_once(struct analyze_shadow *shadow, struct analyze_touch *touch, uint64_t first,
                       uint64_t end)
{
    struct pending pending = {.places = 0};
    return touch_run(shadow, touch, &pending, first, end) && flush(shadow, touch, &pending);
}

bool analyze_shadow_touch(struct analyze_shadow *shadow, struct analyze_touch *touch,
                          const struct analyze_access *access)
{
    shadow->lines.block_bytes = sizeof(struct line);
    touch->order = (touch->order | UINT16_MAX) + 1; /* however many follow of the last access */
    if (access->even == 0 || access->width == 0)
        return touch_channels(shadow, touch, access);
    uint64_t first = access->address[0] >> touch->shift;
    bool is_aligned = ((access->address[0] | access->width) & ((1u << touch->shift) - 1)) == 0;
    if (is_aligned && access->step == (int64_t)access->width)
        return touch_once(shadow, touch, first,
                          first + ((uint64_t)access->even * access->width >> touch->shift));
    if (access->step != 0)
        return touch_channels(shadow, touch, access);
    /* All channels the same: the second and later find what the first found. */
    uint64_t end = ((access->address[0] + access->width - 1) >> touch->shift) + 1;
    uint64_t conflicts = touch->conflicts;
    bool good = touch_once(shadow, touch, first, end);
    for (uint32_t c = 1; c < access->even && good && touch->conflicts != conflicts; c++)
        good = touch_once(shadow, touch, first, end);
    return good;
}

size_t analyze_shadow_bytes(const struct analyze_shadow *shadow)
{
    return shadow->lines.count * (sizeof(struct line) + sizeof(uint64_t) + INDEX_BYTES) +
           shadow->split_bytes;
}

struct keeping {
    struct analyze_shadow *shadow;
    struct analyze_shadow_part part;
};

static bool keep(uint64_t key, void *block, void *context)
{
    struct keeping *keeping = context;
    struct line *line = block;
    if (is_in(keeping->part, key))
        return true;
    free(line->more);
    return false;
}

void analyze_shadow_keep(struct analyze_shadow *shadow, struct analyze_shadow_part part)
{
    struct keeping keeping = {.shadow = shadow, .part = part};
    analyze_blocks_filter(&shadow->lines, keep, &keeping);
    memset(shadow->near, 0, sizeof shadow->near);
    shadow->split_bytes = 0;
    for (size_t i = 0; i < shadow->lines.count; i++) {
        uint64_t key;
        shadow->split_bytes += split_bytes(analyze_blocks_at(&shadow->lines, i, &key));
    }
}

void analyze_shadow_clear(struct analyze_shadow *shadow)
{
    for (size_t i = 0; i < shadow->lines.count; i++) {
        uint64_t key;
        free(((struct line *)analyze_blocks_at(&shadow->lines, i, &key))->more);
    }
    analyze_blocks_clear(&shadow->lines);
    memset(shadow->near, 0, sizeof shadow->near);
    shadow->split_bytes = 0;
}
