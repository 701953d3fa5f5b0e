/* The last accesses to each place of memory, by which races are found.
 *
 * Memory is kept line by line. Most lines are accessed as a whole and have one
 * state; parts of a line that were accessed differently have one each. */
#ifndef SONDE_ANALYZE_SHADOW_H
#define SONDE_ANALYZE_SHADOW_H

#include "analyze/hash.h"
#include "analyze/records.h"

/* An access, packed: 0 none. The group is a part of its hash: two that share
 * it hide a race only when barriers seem to order them. Threads of a group
 * start together, so that few bits tell them apart. */
#define ANALYZE_ACCESS_VALID       UINT64_C(1)
#define ANALYZE_ACCESS_ATOMIC      UINT64_C(2)
#define ANALYZE_ACCESS_INSTRUCTION 2  /* 16 bits */
#define ANALYZE_ACCESS_EPOCH       18 /* 16 bits: barriers that the thread has passed */
#define ANALYZE_ACCESS_THREAD      34 /* 10 bits */
#define ANALYZE_ACCESS_GROUP       44

enum analyze_race_kind {
    ANALYZE_WRITE_AFTER_WRITE,
    ANALYZE_READ_AFTER_WRITE,
    ANALYZE_WRITE_AFTER_READ,
};

/* Lines that are looked at: all, or those of which some bits of a hash are `value`. */
struct analyze_shadow_part {
    uint64_t mask, value;
};

struct analyze_touch;
/* `times` places, the first at `address`, were accessed before by another thread, and
 * nothing orders that. False ends the touch. */
typedef bool analyze_shadow_conflict(struct analyze_touch *touch, enum analyze_race_kind kind,
                                     uint64_t before, uint64_t address, uint32_t times);

/* An access and what becomes of it. */
struct analyze_touch {
    uint64_t now; /* packed */
    bool writes;
    bool is_surface;
    uint32_t surface;
    uint8_t shift; /* a place has 1 << shift bytes, the same for all of a shadow's life */
    struct analyze_shadow_part part;
    uint64_t order; /* goes up from part to part of lines, also of those that are not in `part` */
    uint64_t conflicts; /* how many there were */
    analyze_shadow_conflict *conflict;
    void *context;
};

/* A line that was touched lately. */
#define ANALYZE_NEAR_LINES 32u
struct analyze_near_line {
    uint64_t key;
    void *line; /* NULL none */
};

/* Zero-initialise. */
struct analyze_shadow {
    struct analyze_blocks lines;
    struct analyze_near_line near[ANALYZE_NEAR_LINES]; /* by lower bits of the key */
    size_t split_bytes;                                /* of states besides the first of a line */
};

/* False when out of memory or when a conflict said so. */
bool analyze_shadow_touch(struct analyze_shadow *shadow, struct analyze_touch *touch,
                          const struct analyze_access *access);
/* About the bytes that it holds. */
size_t analyze_shadow_bytes(const struct analyze_shadow *shadow);
/* Forget the lines that are not in `part`. */
void analyze_shadow_keep(struct analyze_shadow *shadow, struct analyze_shadow_part part);
void analyze_shadow_clear(struct analyze_shadow *shadow);

#endif
