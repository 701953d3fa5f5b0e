/* Records of a run as text and as JSON, all or by selection. */
#include <stdio.h>

#include "analyze/records.h"
#include "base/bytes.h"
#include "report/report.h"

typedef unsigned long long ull;

static const struct analyze_selection everything = {.time_last = UINT64_MAX};

void report_totals_dump_text(const struct sonde_trace_record_totals *totals,
                             struct report_text *text)
{
    report_text_add(text, "records: dispatch %u, %s, %llu in %llu bytes, %llu lost",
                    totals->dispatch, totals->mode, (ull)totals->stored, (ull)totals->used,
                    (ull)totals->lost);
    if (totals->predicted != UINT64_MAX)
        report_text_add(text, ", %llu bytes predicted", (ull)totals->predicted);
    if (totals->lost > 0)
        report_text_add(text, ", %llu bytes needed", (ull)(totals->used + totals->lost_bytes));
    report_text_add(text, "\n");
}

static void text_item(const struct sonde_record_item *item, const uint8_t *data,
                      struct report_text *text)
{
    report_text_add(text, "  %s%s at instruction %u:",
                    sonde_record_kind_name((enum sonde_record_kind)item->point.kind),
                    item->point.after ? " after" : "", item->point.instruction);
    for (uint32_t at = 0; at + 4 <= item->size; at += 4)
        report_text_add(text, " %08x",
                        (unsigned)(data[at] | data[at + 1] << 8 | data[at + 2] << 16 |
                                   (unsigned)data[at + 3] << 24));
    report_text_add(text, "\n");
}

static enum sonde_status text_visit(const struct analyze_visit *visit, void *context,
                                    struct sonde_error *error)
{
    struct report_text *text = context;
    (void)error;
    report_text_add(text, "record %llu: dispatch %u, thread 0x%x, ", (ull)visit->position,
                    visit->dispatch, visit->thread);
    if (visit->starts_thread)
        report_text_add(text, "start");
    else
        report_text_add(text, "block %u", visit->block);
    report_text_add(text, ", channels 0x%x of 0x%x, flags %08x %08x, time %llu\n", visit->enabled,
                    visit->dispatched, visit->flags[0], visit->flags[1], (ull)visit->time);
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        text_item(item, data, text);
    }
    return SONDE_OK;
}

enum sonde_status report_records_dump_text(const struct sonde_trace *trace,
                                           const struct analyze_selection *selection,
                                           struct report_text *text, struct sonde_error *error)
{
    return analyze_records_select(trace, selection != NULL ? selection : &everything, text_visit,
                                  text, error);
}

static void json_words(const struct sonde_record_item *item, const uint8_t *data,
                       struct report_json *json)
{
    report_json_begin_array(json, "words");
    for (uint32_t at = 0; at + 4 <= item->size; at += 4)
        report_json_number(json, NULL, base_load32(data + at));
    report_json_end_array(json);
}

static enum sonde_status json_visit(const struct analyze_visit *visit, void *context,
                                    struct sonde_error *error)
{
    struct report_json *json = context;
    (void)error;
    report_json_begin_object(json, NULL);
    report_json_number(json, "dispatch", visit->dispatch);
    report_json_number(json, "position", visit->position);
    report_json_number(json, "thread", visit->thread);
    if (visit->starts_thread)
        report_json_bool(json, "start", true);
    else
        report_json_number(json, "block", visit->block);
    report_json_number(json, "enabled", visit->enabled);
    report_json_number(json, "dispatched", visit->dispatched);
    report_json_number(json, "f0", visit->flags[0]);
    report_json_number(json, "f1", visit->flags[1]);
    report_json_number(json, "time", visit->time);
    report_json_begin_array(json, "items");
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        report_json_begin_object(json, NULL);
        report_json_string(json, "kind",
                           sonde_record_kind_name((enum sonde_record_kind)item->point.kind));
        report_json_number(json, "instruction", item->point.instruction);
        report_json_bool(json, "after", item->point.after);
        json_words(item, data, json);
        report_json_end_object(json);
    }
    report_json_end_array(json);
    report_json_end_object(json);
    return SONDE_OK;
}

enum sonde_status report_records_dump_json(const struct sonde_trace *trace,
                                           const struct analyze_selection *selection,
                                           struct report_json *json, struct sonde_error *error)
{
    report_json_begin_array(json, "records");
    enum sonde_status status = analyze_records_select(
        trace, selection != NULL ? selection : &everything, json_visit, json, error);
    report_json_end_array(json);
    return status;
}
