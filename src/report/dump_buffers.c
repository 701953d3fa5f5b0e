/* Arguments of kernels and the buffers bound to them, as text and as JSON. */
#include "report/report.h"

typedef unsigned long long ull;

void report_buffers_dump_text(const struct sonde_trace *trace, struct report_text *text)
{
    for (uint32_t k = 0; k < sonde_trace_kernel_count(trace); k++) {
        const struct sonde_trace_arguments *arguments = sonde_trace_arguments(trace, k);
        if (arguments == NULL)
            continue;
        report_text_add(text, "arguments: kernel %u, %u bytes of local memory, in r%u\n", k,
                        arguments->slm_size, arguments->payload_register);
        for (size_t i = 0; i < arguments->count; i++) {
            const struct sonde_trace_argument *item = &arguments->items[i];
            report_text_add(text, "  argument %u: %s, kind %u", item->index,
                            item->name[0] != '\0' ? item->name : "(no name)", item->kind);
            if (item->bti != UINT32_MAX)
                report_text_add(text, ", surface %u", item->bti);
            report_text_add(text, ", %u bytes at 0x%x\n", item->size, item->offset);
        }
    }
    for (uint32_t d = 0; d < sonde_trace_dispatch_count(trace); d++) {
        const struct sonde_trace_buffers *buffers = sonde_trace_buffers(trace, d);
        for (size_t i = 0; buffers != NULL && i < buffers->count; i++) {
            const struct sonde_trace_buffer *item = &buffers->items[i];
            report_text_add(text, "buffer: dispatch %u, argument %u, ", d, item->argument);
            if (item->size == UINT64_MAX)
                report_text_add(text, "size not known");
            else
                report_text_add(text, "%llu bytes", (ull)item->size);
            if (item->address != 0)
                report_text_add(text, " at 0x%llx", (ull)item->address);
            report_text_add(text, "\n");
        }
    }
}

static void json_argument(const struct sonde_trace_argument *item, uint32_t kernel,
                          struct report_json *json)
{
    report_json_begin_object(json, NULL);
    report_json_number(json, "kernel", kernel);
    report_json_number(json, "argument", item->index);
    report_json_string(json, "name", item->name[0] != '\0' ? item->name : NULL);
    report_json_number(json, "kind", item->kind);
    if (item->bti != UINT32_MAX)
        report_json_number(json, "surface", item->bti);
    report_json_number(json, "offset", item->offset);
    report_json_number(json, "size", item->size);
    report_json_end_object(json);
}

void report_buffers_dump_json(const struct sonde_trace *trace, struct report_json *json)
{
    report_json_begin_array(json, "arguments");
    for (uint32_t k = 0; k < sonde_trace_kernel_count(trace); k++) {
        const struct sonde_trace_arguments *arguments = sonde_trace_arguments(trace, k);
        for (size_t i = 0; arguments != NULL && i < arguments->count; i++)
            json_argument(&arguments->items[i], k, json);
    }
    report_json_end_array(json);
    report_json_begin_array(json, "buffers");
    for (uint32_t d = 0; d < sonde_trace_dispatch_count(trace); d++) {
        const struct sonde_trace_buffers *buffers = sonde_trace_buffers(trace, d);
        for (size_t i = 0; buffers != NULL && i < buffers->count; i++) {
            const struct sonde_trace_buffer *item = &buffers->items[i];
            report_json_begin_object(json, NULL);
            report_json_number(json, "dispatch", d);
            report_json_number(json, "argument", item->argument);
            if (item->size != UINT64_MAX)
                report_json_number(json, "size", item->size);
            if (item->address != 0)
                report_json_number(json, "address", item->address);
            report_json_end_object(json);
        }
    }
    report_json_end_array(json);
}
