/* Trace event format, JSON (Chrome's about:tracing, Perfetto): duration events
 * B and E, a thread for each lane. Its clock has microseconds: here one is a
 * cycle. */
#include <stdlib.h>

#include "report/export_lanes.h"

struct chrome {
    const struct analyze_callflow *flow;
    const uint32_t *lanes;
    char **names; /* quoted */
    struct report_json json;
    struct report_text line; /* reused: an event a line keeps the file small */
};

static void begin_event(struct chrome *chrome, const char *phase, uint32_t lane)
{
    report_json_begin_object(&chrome->json, NULL);
    report_json_string(&chrome->json, "ph", phase);
    report_json_number(&chrome->json, "pid", 1);
    report_json_number(&chrome->json, "tid", lane);
}

/* The name is in both for readers that pair begins and ends by it. Arguments
 * would make a function of its own out of each call in some. */
static void put_event(struct chrome *chrome, char phase, const struct report_piece *piece)
{
    uint32_t function = chrome->flow->spans[piece->span].function;
    chrome->line.size = 0;
    report_text_add(&chrome->line,
                    "{\"ph\":\"%c\",\"pid\":1,\"tid\":%u,\"ts\":%llu,\"cat\":\"%s\",\"name\":%s}",
                    phase, chrome->lanes[piece->span], (unsigned long long)piece->cycle,
                    analyze_function_kind_name(chrome->flow->functions[function].kind),
                    chrome->names[function]);
    if (chrome->line.failed)
        chrome->json.text->failed = true;
    else
        report_json_raw(&chrome->json, NULL, chrome->line.data);
}

static void open_piece(void *context, const struct report_piece *piece)
{
    put_event(context, 'B', piece);
}

static void close_piece(void *context, const struct report_piece *piece)
{
    put_event(context, 'E', piece);
}

static void name_event(struct chrome *chrome, const char *what, uint32_t lane, const char *name)
{
    begin_event(chrome, "M", lane);
    report_json_string(&chrome->json, "name", what);
    report_json_begin_object(&chrome->json, "args");
    report_json_string(&chrome->json, "name", name);
    report_json_end_object(&chrome->json);
    report_json_end_object(&chrome->json);
}

static void sort_event(struct chrome *chrome, uint32_t lane, size_t place)
{
    begin_event(chrome, "M", lane);
    report_json_string(&chrome->json, "name", "thread_sort_index");
    report_json_begin_object(&chrome->json, "args");
    report_json_number(&chrome->json, "sort_index", place);
    report_json_end_object(&chrome->json);
    report_json_end_object(&chrome->json);
}

static enum sonde_status write_chrome(const struct analyze_callflow *flow,
                                      const struct report_filter *filter, struct report_text *text,
                                      struct sonde_error *error)
{
    uint32_t *lanes = report_lanes_make(flow), lane;
    struct chrome chrome = {.flow = flow,
                            .lanes = lanes,
                            .names = report_export_quote_names(flow),
                            .json = {.text = text}};
    struct report_walker walker = {open_piece, close_piece, &chrome};
    bool done = lanes != NULL && chrome.names != NULL;
    report_json_begin_object(&chrome.json, NULL);
    report_json_begin_array(&chrome.json, "traceEvents");
    name_event(&chrome, "process_name", 0, report_export_title(flow));
    for (size_t i = 0; (lane = report_lane_at(flow, i)) != 0; i++) {
        char name[32];
        report_lane_name(lane, name);
        name_event(&chrome, "thread_name", lane, name);
        sort_event(&chrome, lane, i);
    }
    done = done && report_callflow_walk(flow, filter, &walker);
    report_json_end_array(&chrome.json);
    report_json_begin_object(&chrome.json, "otherData");
    report_json_string(&chrome.json, "clock", "1 us is 1 cycle");
    report_json_string(&chrome.json, "device", sonde_trace_header(flow->trace)->device);
    report_json_number(&chrome.json, "cycles", flow->cycles);
    report_json_end_object(&chrome.json);
    report_json_end_object(&chrome.json);
    free(lanes);
    report_export_free_names(chrome.names, flow);
    free(chrome.line.data);
    if (!done || text->failed)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the export");
    return SONDE_OK;
}

const struct report_exporter report_export_chrome = {
    .name = "chrome",
    .file = "callflow.json",
    .summary = "trace events as JSON, for Chrome and Perfetto",
    .shows_calls = true,
    .write = write_chrome,
    .write_run = report_export_run_chrome,
    .run_file = "timeline.json",
};
