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

/* Arguments of the kernel, at its entry. Find the one of the probe; NULL: the
 * kernel has none such, or nobody knows where it stands. */
const struct sonde_trace_argument *schema_find_argument(const struct schema_work *work);
enum sonde_status schema_count_argument(struct schema_work *work, uint32_t first,
                                        const struct sonde_trace_argument *argument);
/* The registers that it stands in, as a point of the trace. */
struct sonde_record_point schema_argument_point(const struct schema_work *work, uint32_t first,
                                                const struct sonde_trace_argument *argument);

/* Records for one point's value of so many bits: a sum, or bins. */
uint32_t schema_take_records(struct schema_work *work, uint32_t instruction, uint32_t kind,
                             uint32_t bits);
/* Add value:ud, or high:value where high is not 0, to what is kept from `record` on. */
enum sonde_status schema_keep_value(struct schema_work *work, struct sonde_procedure *procedure,
                                    sonde_vreg value, sonde_vreg high, uint32_t record,
                                    const struct sonde_predicate *predicate);

/* An instruction cannot be a point of the probe after all. */
void schema_leave_out(struct schema_work *work);

#endif
