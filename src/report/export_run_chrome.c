/* The timeline of a GPU run as trace events: complete events (X), in which one
 * tick of the device's clock is a microsecond, as its format has no others. */
#include <stdlib.h>

#include "report/export_timeline.h"

struct chrome {
    struct report_json json;
    struct report_text line, name; /* reused */
};

static void name_event(struct chrome *chrome, const struct report_event *event, const char *what,
                       const char *name)
{
    report_json_begin_object(&chrome->json, NULL);
    report_json_string(&chrome->json, "ph", "M");
    report_json_number(&chrome->json, "pid", event->process);
    report_json_number(&chrome->json, "tid", event->track);
    report_json_string(&chrome->json, "name", what);
    report_json_begin_object(&chrome->json, "args");
    report_json_string(&chrome->json, "name", name);
    report_json_end_object(&chrome->json);
    report_json_end_object(&chrome->json);
}

static void put_track(void *context, const struct report_event *event, const char *process,
                      const char *name)
{
    struct chrome *chrome = context;
    name_event(chrome, event, "process_name", process);
    name_event(chrome, event, "thread_name", name);
}

/* Nanoseconds as microseconds with a fraction, ticks as they are. */
static void put_time(struct chrome *chrome, const char *key, uint64_t time, bool on_host)
{
    if (on_host)
        report_text_add(&chrome->line, ",\"%s\":%llu.%03llu", key, (unsigned long long)time / 1000,
                        (unsigned long long)time % 1000);
    else
        report_text_add(&chrome->line, ",\"%s\":%llu", key, (unsigned long long)time);
}

static void close_event(void *context, const struct report_event *event)
{
    static const char *const categories[] = {[ANALYZE_SPAN_THREAD] = "thread",
                                             [ANALYZE_SPAN_BLOCK] = "block",
                                             [ANALYZE_SPAN_DISPATCH] = "dispatch"};
    struct chrome *chrome = context;
    const struct analyze_tick_span *span = event->span;
    struct report_json quoted = {.text = &chrome->name};
    chrome->line.size = chrome->name.size = 0;
    report_json_string(&quoted, NULL, event->name);
    report_text_add(&chrome->line, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"cat\":\"%s\",\"name\":%s",
                    event->process, event->track, categories[event->kind],
                    chrome->name.failed ? "\"\"" : chrome->name.data);
    put_time(chrome, "ts", event->start, event->on_host);
    put_time(chrome, "dur", event->end - event->start, event->on_host);
    report_text_add(&chrome->line, ",\"args\":{\"dispatch\":%u", span->dispatch);
    if (event->kind == ANALYZE_SPAN_THREAD)
        report_text_add(&chrome->line, ",\"group\":\"%u,%u,%u\"", span->group[0], span->group[1],
                        span->group[2]);
    report_text_add(&chrome->line, "}}");
    if (chrome->line.failed || chrome->name.failed)
        chrome->json.text->failed = true;
    else
        report_json_raw(&chrome->json, NULL, chrome->line.data);
}

enum sonde_status report_export_run_chrome(const struct report_run_export *run,
                                           struct report_text *text, struct sonde_error *error)
{
    struct chrome chrome = {.json = {.text = text}};
    struct report_timeline_sink sink = {
        .track = put_track, .close = close_event, .context = &chrome};
    report_json_begin_object(&chrome.json, NULL);
    report_json_begin_array(&chrome.json, "traceEvents");
    enum sonde_status status = report_timeline_walk(run, &sink, error);
    report_json_end_array(&chrome.json);
    report_json_begin_object(&chrome.json, "otherData");
    report_json_string(&chrome.json, "clock", REPORT_TIMELINE_CLOCK "; 1 us is 1 tick");
    report_json_string(&chrome.json, "device", sonde_trace_header(run->trace)->device);
    report_json_string(&chrome.json, "command", sonde_trace_header(run->trace)->command_line);
    report_json_end_object(&chrome.json);
    report_json_end_object(&chrome.json);
    free(chrome.line.data);
    free(chrome.name.data);
    return status;
}
