/* Building a kernel by a schema: what the files of the tool share. */
#ifndef SONDE_TOOLS_SCHEMA_WORK_H
#define SONDE_TOOLS_SCHEMA_WORK_H

#include "tools/counters.h"
#include "tools/host.h"
#include "tools/schema_points.h"

struct schema_state {
    struct tools_counters counters;   /* items: group = probe */
    bool applied[SCHEMA_PROBE_LIMIT]; /* probes that choose the kernel */
    uint32_t points[SCHEMA_PROBE_LIMIT], left_out[SCHEMA_PROBE_LIMIT];
};

struct schema_work {
    struct sonde_tool_build *build;
    struct sonde_instrument *instrument;
    struct sonde_coder *coder;
    struct schema_kernel kernel;
    struct schema_state *state;
    const struct schema_probe *probe; /* at hand */
    uint16_t group;                   /* its number */
    enum schema_collect collect;
    enum schema_into into;
    sonde_vreg timer; /* of the probe */
    bool places;      /* second pass: the array is laid out, code is inserted */
    uint32_t next;    /* record */
    struct sonde_error *error;
};

/* Points of a probe: the first pass shows their counters and takes records for
 * them, in order; the second inserts code in the same order. */
enum sonde_status schema_count_points(struct schema_work *work);  /* into counters, histograms */
enum sonde_status schema_record_points(struct schema_work *work); /* into the trace */

/* An instruction cannot be a point of the probe after all. */
void schema_leave_out(struct schema_work *work);

#endif
