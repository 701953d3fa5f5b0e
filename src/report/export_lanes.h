/* Where a viewer with threads shows a span: one lane a stack, one for
 * interrupts with all that they call, one for sleep. */
#ifndef SONDE_REPORT_EXPORT_LANES_H
#define SONDE_REPORT_EXPORT_LANES_H

#include "report/export.h"

enum {
    REPORT_LANE_MAIN = 1, /* + number of the stack */
    REPORT_LANE_INTERRUPTS = 1000001,
    REPORT_LANE_SLEEP,
};

/* The lane of each span, malloc'ed; NULL when memory runs out. */
uint32_t *report_lanes_make(const struct analyze_callflow *flow);
/* Lane number `index` of those that the run has: 0 when there are no more. */
uint32_t report_lane_at(const struct analyze_callflow *flow, size_t index);
void report_lane_name(uint32_t lane, char name[32]);

#endif
