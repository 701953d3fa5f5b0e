/* Registers in records: which are values of instructions, and of which channels. */
#ifndef SONDE_ANALYZE_ELEMENTS_H
#define SONDE_ANALYZE_ELEMENTS_H

#include "analyze/records.h"

/* Something in the records of a kernel that was recorded for its values. */
struct analyze_value_point {
    uint32_t kernel, instruction;
    uint8_t operand; /* 0 dst, 1-3 src0-src2, 4 registers by number */
    bool after;
    uint32_t first, count; /* registers */
};

struct analyze_value_points {
    struct analyze_value_point *items;
    size_t count, capacity;
};

/* The points of `tool`, NULL: of every one. */
enum sonde_status analyze_value_points_find(const struct sonde_trace *trace, const char *tool,
                                            struct analyze_value_points *points,
                                            struct sonde_error *error);
void analyze_value_points_clear(struct analyze_value_points *points);
/* A schema has probes whose results are those of the tool. */
bool analyze_value_points_are_declared(const struct sonde_trace *trace, const char *tool);
/* Whether the item, of that kernel, is the point's. */
bool analyze_value_point_is(const struct analyze_value_point *point, uint32_t kernel,
                            const struct sonde_record_item *item);

/* One value. */
struct analyze_element {
    uint32_t number;  /* of the register that it begins in */
    uint32_t channel; /* of the dispatch; registers by number: place in them */
    uint8_t type;     /* enum sonde_gen_type */
    uint8_t operand;  /* as of the point */
    uint64_t bits;    /* as it stands in the register, zero-extended */
};
#define ANALYZE_ELEMENTS 512u /* more than any instruction has */

/* The values of the channels that act in the visit, or of all of registers by
 * number. Returns how many. */
size_t analyze_elements_read(const struct analyze_code *code, const struct analyze_visit *visit,
                             const struct analyze_value_point *point, const uint8_t *data,
                             uint32_t size, struct analyze_element *elements);

#endif
