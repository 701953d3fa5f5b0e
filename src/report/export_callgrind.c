/* Callgrind's profile format, version 1, for kcachegrind and
 * callgrind_annotate. Without source lines: everything is at line 0. */
#include <stdlib.h>

#include "report/export.h"

typedef unsigned long long ull;

struct list {
    uint32_t *first, *next; /* of a function's edges; ANALYZE_NONE ends */
};

static bool sort_edges(const struct analyze_callflow *flow, struct list *list)
{
    list->first = malloc((flow->function_count + 1) * sizeof *list->first);
    list->next = malloc((flow->edge_count + 1) * sizeof *list->next);
    if (list->first == NULL || list->next == NULL)
        return false;
    for (size_t i = 0; i < flow->function_count; i++)
        list->first[i] = ANALYZE_NONE;
    for (size_t i = flow->edge_count; i-- > 0;) {
        uint32_t caller = flow->edges[i].caller;
        list->next[i] = list->first[caller];
        list->first[caller] = (uint32_t)i;
    }
    return true;
}

static void put_name(const char *name, struct report_text *text)
{
    for (; *name != '\0'; name++)
        report_text_add_bytes(text, *name == '\n' ? " " : name, 1);
}

/* A name is written once; then its number stands for it. */
static void put_function(const struct analyze_callflow *flow, const char *key, uint32_t function,
                         bool *named, struct report_text *text)
{
    report_text_add(text, "%s=(%u)", key, function + 1);
    if (!named[function]) {
        report_text_add(text, " ");
        put_name(flow->functions[function].name, text);
        named[function] = true;
    }
    report_text_add(text, "\n");
}

static void put_functions(const struct analyze_callflow *flow, const struct list *list, bool *named,
                          struct report_text *text)
{
    for (uint32_t i = 0; i < flow->function_count; i++) {
        if (flow->functions[i].calls == 0)
            continue;
        report_text_add(text, "\nfl=(1)\n");
        put_function(flow, "fn", i, named, text);
        report_text_add(text, "0 %llu\n", (ull)flow->functions[i].self);
        for (uint32_t at = list->first[i]; at != ANALYZE_NONE; at = list->next[at]) {
            const struct analyze_edge *edge = &flow->edges[at];
            put_function(flow, "cfn", edge->callee, named, text);
            report_text_add(text, "calls=%llu 0\n0 %llu\n", (ull)edge->calls, (ull)edge->total);
        }
    }
}

static enum sonde_status write_callgrind(const struct analyze_callflow *flow,
                                         const struct report_filter *filter,
                                         struct report_text *text, struct sonde_error *error)
{
    (void)filter;
    struct list list = {NULL, NULL};
    bool *named = calloc(flow->function_count + 1, sizeof *named);
    bool done = named != NULL && sort_edges(flow, &list);
    report_text_add(text,
                    "# callgrind format\nversion: 1\ncreator: sonde " SONDE_VERSION "\ncmd: ");
    put_name(report_export_title(flow), text);
    report_text_add(text,
                    "\ndesc: Trigger: end of the run\npositions: line\nevents: Cycles\n"
                    "summary: %llu\n\nfl=(1) ",
                    (ull)flow->cycles);
    put_name(report_export_title(flow), text);
    report_text_add(text, "\n");
    if (done)
        put_functions(flow, &list, named, text);
    report_text_add(text, "\ntotals: %llu\n", (ull)flow->cycles);
    free(list.first);
    free(list.next);
    free(named);
    if (!done || text->failed)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the export");
    return SONDE_OK;
}

const struct report_exporter report_export_callgrind = {
    .name = "callgrind",
    .file = "callgrind.out",
    .summary = "for kcachegrind and callgrind_annotate",
    .shows_calls = false,
    .write = write_callgrind,
};
