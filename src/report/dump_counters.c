/* What tools counted at instructions, as text and as JSON. */
#include <stdio.h>

#include "report/report.h"

typedef unsigned long long ull;

static const char *kind_name(uint32_t kind, char *text, size_t size)
{
    static const char *const names[SONDE_TRACE_COUNTER_KIND_COUNT] = {
        [SONDE_TRACE_EXECUTIONS] = "executions",
        [SONDE_TRACE_LANES] = "lanes",
        [SONDE_TRACE_CYCLES] = "cycles",
        [SONDE_TRACE_SKIPPED] = "skipped",
    };
    if (kind < SONDE_TRACE_COUNTER_KIND_COUNT)
        return names[kind];
    if (kind == SONDE_TRACE_CHANNELS || kind == SONDE_TRACE_SUM || kind == SONDE_TRACE_POINT)
        return kind == SONDE_TRACE_CHANNELS ? "channels"
               : kind == SONDE_TRACE_SUM    ? "sum"
                                            : "point";
    snprintf(text, size,
             kind - SONDE_TRACE_BIN < SONDE_TRACE_BIN_COUNT ? "values of %u bits" : "kind %u",
             kind - SONDE_TRACE_BIN < SONDE_TRACE_BIN_COUNT ? kind - SONDE_TRACE_BIN : kind);
    return text;
}

void report_counters_dump_text(const struct sonde_trace *trace, struct report_text *text)
{
    char name[40];
    for (size_t i = 0; i < sonde_trace_counters_count(trace); i++) {
        const struct sonde_trace_counters *counters = sonde_trace_counters(trace, i);
        report_text_add(text, "counters: dispatch %u, kernel %u, tool %s\n", counters->dispatch,
                        counters->kernel, counters->tool);
        for (size_t j = 0; j < counters->count; j++) {
            const struct sonde_trace_counter *item = &counters->items[j];
            report_text_add(text, "  instruction %u: %s %llu\n", item->instruction,
                            kind_name(item->kind, name, sizeof name), (ull)item->value);
        }
    }
}

static void json_items(const struct sonde_trace_counters *counters, struct report_json *json)
{
    char name[40];
    report_json_begin_array(json, "items");
    for (size_t j = 0; j < counters->count; j++) {
        const struct sonde_trace_counter *item = &counters->items[j];
        report_json_begin_object(json, NULL);
        report_json_number(json, "instruction", item->instruction);
        report_json_string(json, "kind", kind_name(item->kind, name, sizeof name));
        report_json_number(json, "value", item->value);
        report_json_end_object(json);
    }
    report_json_end_array(json);
}

void report_counters_dump_json(const struct sonde_trace *trace, struct report_json *json)
{
    report_json_begin_array(json, "counters");
    for (size_t i = 0; i < sonde_trace_counters_count(trace); i++) {
        const struct sonde_trace_counters *counters = sonde_trace_counters(trace, i);
        report_json_begin_object(json, NULL);
        report_json_number(json, "dispatch", counters->dispatch);
        report_json_number(json, "kernel", counters->kernel);
        report_json_string(json, "tool", counters->tool);
        json_items(counters, json);
        report_json_end_object(json);
    }
    report_json_end_array(json);
}
