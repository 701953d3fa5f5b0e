/* What stands behind the handles that a tool sees, for the attach library. */
#ifndef SONDE_TOOLS_HOST_H
#define SONDE_TOOLS_HOST_H

#include "sonde/tool.h"
#include "tools/schema.h"

/* Source lines of a kernel; find is NULL when they are not known. */
struct tools_lines {
    /* False when the code at the offset has none. */
    bool (*find)(const void *context, uint32_t offset, const char **file, uint32_t *line);
    void *context;
};

/* More tools than this in one run is no use: their counters multiply. */
#define TOOLS_LIMIT 16u

/* Host memory with a place in the profile buffer. */
struct tools_mapping {
    void *host;
    size_t size;
    uint32_t offset;
    uint8_t direction; /* enum sonde_map */
};

struct sonde_tool_build {
    struct sonde_instrument *instrument;
    const struct sonde_trace_arguments *arguments; /* of the kernel */
    uint32_t buckets;
    uint32_t buffer_size;        /* bytes laid out so far, by every tool */
    void *state;                 /* of the tool that is being called */
    const struct schema *schema; /* of the session, NULL none */
    struct tools_lines lines;    /* of the kernel, when the schema asks for them */
    char *notes; /* lines that the trace is to say of the kernel; malloc'ed, or NULL */
    /* Records that tools asked for. */
    bool every_block;
    struct sonde_record_point *points;
    size_t point_count, point_capacity;
    struct tools_mapping *mappings;
    size_t mapping_count, mapping_capacity;
};

struct sonde_tool_dispatch {
    const struct sonde_kernel *kernel;
    void *state;
    const uint8_t *buffer;
    size_t buffer_size;
    uint32_t id;
    uint32_t kernel_id;
    struct sonde_trace_writer *trace;
    const struct schema *schema; /* of the session, NULL none */
};

/* Add a line to the notes; lost when there is no memory. */
void tools_build_note(struct sonde_tool_build *build, const char *format, ...) SONDE_PRINTF(2, 3);

struct tools_set {
    const struct sonde_tool *tools[TOOLS_LIMIT];
    size_t count;
};

/* Take the tools of a comma-separated list (names; paths where an entry has a
 * slash). Goes on after one that cannot be had, and returns the first failure. */
enum sonde_status tools_set_load(struct tools_set *set, const char *list,
                                 struct sonde_error *error);

#endif
