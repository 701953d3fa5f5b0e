/* speedscope's own JSON: one evented profile of what the processor did. The
 * format has no unit for cycles. */
#include <stdio.h>
#include <stdlib.h>

#include "report/export.h"

struct speedscope {
    const struct analyze_callflow *flow;
    struct report_json json;
};

static void event(struct speedscope *file, char type, const struct report_piece *piece)
{
    char line[96];
    snprintf(line, sizeof line, "{\"type\":\"%c\",\"frame\":%u,\"at\":%llu}", type,
             file->flow->spans[piece->span].function, (unsigned long long)piece->cycle);
    report_json_raw(&file->json, NULL, line);
}

static void open_piece(void *context, const struct report_piece *piece)
{
    event(context, 'O', piece);
}

static void close_piece(void *context, const struct report_piece *piece)
{
    event(context, 'C', piece);
}

static void put_frames(struct speedscope *file)
{
    report_json_begin_object(&file->json, "shared");
    report_json_begin_array(&file->json, "frames");
    for (size_t i = 0; i < file->flow->function_count; i++) {
        report_json_begin_object(&file->json, NULL);
        report_json_string(&file->json, "name", file->flow->functions[i].name);
        report_json_end_object(&file->json);
    }
    report_json_end_array(&file->json);
    report_json_end_object(&file->json);
}

static enum sonde_status write_speedscope(const struct analyze_callflow *flow,
                                          const struct report_filter *filter,
                                          struct report_text *text, struct sonde_error *error)
{
    struct speedscope file = {.flow = flow, .json = {.text = text}};
    struct report_json *json = &file.json;
    struct report_walker walker = {open_piece, close_piece, &file};
    report_json_begin_object(json, NULL);
    report_json_string(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    report_json_string(json, "name", report_export_title(flow));
    report_json_string(json, "exporter", "sonde " SONDE_VERSION);
    put_frames(&file);
    report_json_begin_array(json, "profiles");
    report_json_begin_object(json, NULL);
    report_json_string(json, "type", "evented");
    report_json_string(json, "name", report_export_title(flow));
    report_json_string(json, "unit", "none");
    report_json_number(json, "startValue", filter->from);
    report_json_number(json, "endValue",
                       filter->to > 0 && filter->to < flow->cycles ? filter->to : flow->cycles);
    report_json_begin_array(json, "events");
    bool done = report_callflow_walk(flow, filter, &walker);
    report_json_end_array(json);
    report_json_end_object(json);
    report_json_end_array(json);
    report_json_end_object(json);
    if (!done || text->failed)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the export");
    return SONDE_OK;
}

const struct report_exporter report_export_speedscope = {
    .name = "speedscope",
    .file = "callflow.speedscope.json",
    .summary = "for speedscope",
    .shows_calls = true,
    .write = write_speedscope,
};
