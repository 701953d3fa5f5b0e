/* Folded stacks: a line for each calling path with its own cycles, for
 * flame-graph scripts. */
#include <stdlib.h>

#include "report/export.h"

/* A semicolon separates the names of a path. */
static void put_name(const char *name, struct report_text *text)
{
    for (; *name != '\0'; name++)
        report_text_add_bytes(text, *name == ';' || *name == '\n' ? ":" : name, 1);
}

static void put_path(const struct analyze_callflow *flow, uint32_t node, uint32_t *path,
                     struct report_text *text)
{
    size_t depth = 0;
    for (uint32_t at = node; at != ANALYZE_NONE; at = flow->nodes[at].parent)
        path[depth++] = flow->nodes[at].function;
    while (depth-- > 0) {
        put_name(flow->functions[path[depth]].name, text);
        report_text_add(text, "%s", depth > 0 ? ";" : " ");
    }
}

static enum sonde_status write_folded(const struct analyze_callflow *flow,
                                      const struct report_filter *filter, struct report_text *text,
                                      struct sonde_error *error)
{
    (void)filter;
    uint32_t *path = calloc(flow->node_count + 1, sizeof *path);
    for (uint32_t i = 0; path != NULL && i < flow->node_count; i++) {
        if (flow->nodes[i].self == 0)
            continue;
        put_path(flow, i, path, text);
        report_text_add(text, "%llu\n", (unsigned long long)flow->nodes[i].self);
    }
    bool done = path != NULL && !text->failed;
    free(path);
    return done ? SONDE_OK
                : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the export");
}

const struct report_exporter report_export_folded = {
    .name = "folded",
    .file = "callflow.folded",
    .summary = "folded stacks, for flame-graph scripts",
    .shows_calls = false,
    .write = write_folded,
};
