#include "report/export_lanes.h"

#include <stdio.h>
#include <stdlib.h>

/* Callers come before what they call. */
uint32_t *report_lanes_make(const struct analyze_callflow *flow)
{
    uint32_t *lanes = calloc(flow->span_count + 1, sizeof *lanes);
    for (size_t i = 0; lanes != NULL && i < flow->span_count; i++) {
        const struct analyze_span *span = &flow->spans[i];
        enum analyze_function_kind kind = flow->functions[span->function].kind;
        if (kind == ANALYZE_INTERRUPT)
            lanes[i] = REPORT_LANE_INTERRUPTS;
        else if (kind == ANALYZE_SLEEP)
            lanes[i] = REPORT_LANE_SLEEP;
        else if (span->parent != ANALYZE_NONE)
            lanes[i] = lanes[span->parent];
        else
            lanes[i] = REPORT_LANE_MAIN + span->stack;
    }
    return lanes;
}

static bool has_kind(const struct analyze_callflow *flow, enum analyze_function_kind kind)
{
    for (size_t i = 0; i < flow->function_count; i++) {
        if (flow->functions[i].kind == kind)
            return true;
    }
    return false;
}

uint32_t report_lane_at(const struct analyze_callflow *flow, size_t index)
{
    if (index < flow->stack_count)
        return REPORT_LANE_MAIN + (uint32_t)index;
    index -= flow->stack_count;
    if (has_kind(flow, ANALYZE_INTERRUPT) && index-- == 0)
        return REPORT_LANE_INTERRUPTS;
    return has_kind(flow, ANALYZE_SLEEP) && index == 0 ? REPORT_LANE_SLEEP : 0;
}

void report_lane_name(uint32_t lane, char name[32])
{
    if (lane == REPORT_LANE_INTERRUPTS)
        snprintf(name, 32, "interrupts");
    else if (lane == REPORT_LANE_SLEEP)
        snprintf(name, 32, "sleep");
    else if (lane == REPORT_LANE_MAIN)
        snprintf(name, 32, "main");
    else
        snprintf(name, 32, "task %u", lane - REPORT_LANE_MAIN);
}
