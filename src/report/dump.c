/* Everything that a recorded run holds, as text and as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/records.h"
#include "report/report.h"

typedef unsigned long long ull;

static void format_hash(uint64_t hash, char out[24])
{
    snprintf(out, 24, "%016llx", (ull)hash);
}

/* UTC, ISO 8601. */
static void format_time(uint64_t nanoseconds, char out[40])
{
    time_t seconds = (time_t)(nanoseconds / 1000000000u);
    struct tm parts;
    if (gmtime_r(&seconds, &parts) == NULL || strftime(out, 40, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        snprintf(out, 40, "%llu", (ull)nanoseconds);
}

static const char *or_none(const char *text)
{
    return text != NULL && *text != '\0' ? text : "-";
}

static void text_process(const struct sonde_trace *trace, size_t index, struct report_text *text)
{
    const struct sonde_trace_header *header = sonde_trace_process(trace, index);
    char start[40];
    format_time(header->start_time, start);
    report_text_add(text, "process %zu: pid %u, started %s, ended %s\n", index, header->process,
                    start, sonde_trace_process_ended(trace, index) ? "yes" : "no");
    report_text_add(text, "  program   %s\n  command   %s\n", or_none(header->program),
                    or_none(header->command_line));
    report_text_add(text, "  device    %s\n  driver    %s\n", or_none(header->device),
                    or_none(header->driver));
    report_text_add(text, "  tools     %s\n  mode      %s, registers %s\n", or_none(header->tools),
                    or_none(header->mode), or_none(header->registers));
    if (header->records[0] != '\0')
        report_text_add(text, "  records   %s, %llu bytes a dispatch at most\n", header->records,
                        (ull)header->record_space);
    report_text_add(text, "  format    %u, written by Sonde %s\n", header->version,
                    or_none(header->writer));
}

static void text_kernel(const struct sonde_trace_kernel *kernel, struct report_text *text)
{
    char hash[24];
    format_hash(kernel->hash, hash);
    report_text_add(text, "kernel %u: %s, process %u, %s, SIMD%u, hash %s\n", kernel->id,
                    kernel->name, kernel->process, sonde_gen_platform_name(kernel->platform),
                    kernel->simd_width, hash);
    report_text_add(text, "  %zu bytes, %zu instructions, %zu blocks\n", kernel->original_size,
                    kernel->instruction_count, kernel->block_count);
    if (kernel->refusal != NULL)
        report_text_add(text, "  not instrumented: %s\n", kernel->refusal);
    else if (kernel->heap_size > 0)
        report_text_add(
            text, "  inserted %u instructions, %u bytes, %u spills; entry 0x%x of %zu bytes\n",
            kernel->inserted_instructions, kernel->inserted_bytes, kernel->spills,
            kernel->instrumented_entry, kernel->heap_size);
    for (size_t i = 0; i < kernel->block_count; i++) {
        const struct sonde_trace_block *block = &kernel->blocks[i];
        report_text_add(text, "  block %u: instructions %u+%u%s%s\n", block->id, block->first,
                        block->count, block->is_entry ? ", entry" : "",
                        block->is_eot ? ", end of thread" : "");
    }
}

static void text_counts(const struct sonde_trace_block_counts *counts, struct report_text *text)
{
    report_text_add(text, "counts: dispatch %u, kernel %u, tool %s:", counts->dispatch,
                    counts->kernel, counts->tool);
    for (size_t i = 0; i < counts->count; i++)
        report_text_add(text, " %llu", (ull)counts->counts[i]);
    report_text_add(text, "\n");
}

void report_dump_text(const struct sonde_trace *trace, struct report_text *text)
{
    struct sonde_error error;
    for (size_t i = 0; i < sonde_trace_process_count(trace); i++)
        text_process(trace, i, text);
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++)
        text_kernel(sonde_trace_kernel(trace, i), text);
    for (size_t i = 0; i < sonde_trace_dispatch_count(trace); i++) {
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(trace, i);
        report_text_add(
            text, "dispatch %u: kernel %u, process %u, %s, %s, submitted %llu, complete %llu\n",
            dispatch->id, dispatch->kernel, dispatch->process,
            dispatch->instrumented ? "instrumented" : "original",
            dispatch->complete ? "read" : "not read", (ull)dispatch->submit_time,
            (ull)dispatch->complete_time);
    }
    for (size_t i = 0; i < sonde_trace_block_counts_count(trace); i++)
        text_counts(sonde_trace_block_counts(trace, i), text);
    report_counters_dump_text(trace, text);
    report_buffers_dump_text(trace, text);
    for (size_t i = 0; i < sonde_trace_record_totals_count(trace); i++)
        report_totals_dump_text(sonde_trace_record_totals(trace, i), text);
    if (report_records_dump_text(trace, NULL, text, &error) != SONDE_OK)
        report_text_add(text, "records: %s\n", error.message);
    if (analyze_records_missing(trace) > 0)
        report_text_add(text, "records: %llu bytes are missing from the file\n",
                        (ull)analyze_records_missing(trace));
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++) {
        const struct sonde_trace_loss *loss = sonde_trace_loss(trace, i);
        report_text_add(text, "loss: ");
        if (loss->dispatch == UINT32_MAX)
            report_text_add(text, "process %u", loss->process);
        else
            report_text_add(text, "dispatch %u", loss->dispatch);
        report_text_add(text, ", %llu records: %s\n", (ull)loss->records, loss->reason);
    }
    for (size_t i = 0; i < sonde_trace_message_count(trace); i++) {
        const struct sonde_trace_message *message = sonde_trace_message(trace, i);
        report_text_add(text, "message: process %u, %llu: %s\n", message->process,
                        (ull)message->time, message->text);
    }
    report_firmware_dump_text(trace, text);
}

static void json_process(const struct sonde_trace *trace, size_t index, struct report_json *json)
{
    const struct sonde_trace_header *header = sonde_trace_process(trace, index);
    report_json_begin_object(json, NULL);
    report_json_number(json, "pid", header->process);
    report_json_number(json, "start_time", header->start_time);
    report_json_bool(json, "ended", sonde_trace_process_ended(trace, index));
    report_json_string(json, "program", header->program);
    report_json_string(json, "command_line", header->command_line);
    report_json_string(json, "device", header->device);
    report_json_string(json, "driver", header->driver);
    report_json_string(json, "tools", header->tools);
    report_json_string(json, "mode", header->mode);
    report_json_string(json, "registers", header->registers);
    report_json_string(json, "records", header->records);
    report_json_number(json, "record_space", header->record_space);
    report_json_number(json, "clock_frequency", header->clock_frequency);
    report_json_number(json, "format_version", header->version);
    report_json_string(json, "writer", header->writer);
    report_json_end_object(json);
}

static void json_blocks(const struct sonde_trace_kernel *kernel, struct report_json *json)
{
    report_json_begin_array(json, "blocks");
    for (size_t i = 0; i < kernel->block_count; i++) {
        report_json_begin_object(json, NULL);
        report_json_number(json, "id", kernel->blocks[i].id);
        report_json_number(json, "first", kernel->blocks[i].first);
        report_json_number(json, "count", kernel->blocks[i].count);
        report_json_bool(json, "entry", kernel->blocks[i].is_entry);
        report_json_bool(json, "end_of_thread", kernel->blocks[i].is_eot);
        report_json_end_object(json);
    }
    report_json_end_array(json);
}

static void json_hex(struct report_json *json, const char *key, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    struct report_text hex = {.data = NULL};
    for (size_t i = 0; i < size; i++) {
        char pair[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        report_text_add_bytes(&hex, pair, 2);
    }
    json->text->failed = json->text->failed || hex.failed;
    report_json_string(json, key, hex.data != NULL ? hex.data : "");
    free(hex.data);
}

/* Begins the object of a kernel with what identifies it; the caller ends it. */
static void json_begin_kernel(const struct sonde_trace_kernel *kernel, struct report_json *json)
{
    char hash[24];
    format_hash(kernel->hash, hash);
    report_json_begin_object(json, NULL);
    report_json_number(json, "id", kernel->id);
    report_json_number(json, "process", kernel->process);
    report_json_string(json, "name", kernel->name);
    report_json_string(json, "hash", hash);
    report_json_string(json, "platform", sonde_gen_platform_name(kernel->platform));
    report_json_number(json, "simd", kernel->simd_width);
    report_json_number(json, "instructions", kernel->instruction_count);
}

static void json_kernel(const struct sonde_trace_kernel *kernel, struct report_json *json)
{
    json_begin_kernel(kernel, json);
    report_json_string(json, "refusal", kernel->refusal);
    report_json_number(json, "inserted_instructions", kernel->inserted_instructions);
    report_json_number(json, "inserted_bytes", kernel->inserted_bytes);
    report_json_number(json, "spills", kernel->spills);
    report_json_number(json, "instrumented_entry", kernel->instrumented_entry);
    json_hex(json, "original", kernel->original, kernel->original_size);
    json_hex(json, "heap", kernel->heap, kernel->heap_size);
    json_blocks(kernel, json);
    report_json_end_object(json);
}

static void json_dispatches(const struct sonde_trace *trace, struct report_json *json)
{
    report_json_begin_array(json, "dispatches");
    for (size_t i = 0; i < sonde_trace_dispatch_count(trace); i++) {
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(trace, i);
        report_json_begin_object(json, NULL);
        report_json_number(json, "id", dispatch->id);
        report_json_number(json, "process", dispatch->process);
        report_json_number(json, "kernel", dispatch->kernel);
        report_json_bool(json, "instrumented", dispatch->instrumented);
        report_json_bool(json, "complete", dispatch->complete);
        report_json_number(json, "submit_time", dispatch->submit_time);
        report_json_number(json, "complete_time", dispatch->complete_time);
        report_json_end_object(json);
    }
    report_json_end_array(json);
}

static void json_counts(const struct sonde_trace *trace, struct report_json *json)
{
    report_json_begin_array(json, "block_counts");
    for (size_t i = 0; i < sonde_trace_block_counts_count(trace); i++) {
        const struct sonde_trace_block_counts *counts = sonde_trace_block_counts(trace, i);
        report_json_begin_object(json, NULL);
        report_json_number(json, "dispatch", counts->dispatch);
        report_json_number(json, "kernel", counts->kernel);
        report_json_string(json, "tool", counts->tool);
        report_json_begin_array(json, "counts");
        for (size_t j = 0; j < counts->count; j++)
            report_json_number(json, NULL, counts->counts[j]);
        report_json_end_array(json);
        report_json_end_object(json);
    }
    report_json_end_array(json);
}

static void json_losses(const struct sonde_trace *trace, struct report_json *json)
{
    report_json_begin_array(json, "losses");
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++) {
        const struct sonde_trace_loss *loss = sonde_trace_loss(trace, i);
        report_json_begin_object(json, NULL);
        report_json_number(json, "process", loss->process);
        if (loss->dispatch != UINT32_MAX)
            report_json_number(json, "dispatch", loss->dispatch);
        report_json_number(json, "records", loss->records);
        report_json_string(json, "reason", loss->reason);
        report_json_end_object(json);
    }
    report_json_end_array(json);
    report_json_begin_array(json, "messages");
    for (size_t i = 0; i < sonde_trace_message_count(trace); i++) {
        const struct sonde_trace_message *message = sonde_trace_message(trace, i);
        report_json_begin_object(json, NULL);
        report_json_number(json, "process", message->process);
        report_json_number(json, "time", message->time);
        report_json_string(json, "text", message->text);
        report_json_end_object(json);
    }
    report_json_end_array(json);
}

static void json_totals(const struct sonde_trace *trace, struct report_json *json)
{
    report_json_begin_array(json, "record_totals");
    for (size_t i = 0; i < sonde_trace_record_totals_count(trace); i++) {
        const struct sonde_trace_record_totals *totals = sonde_trace_record_totals(trace, i);
        report_json_begin_object(json, NULL);
        report_json_number(json, "dispatch", totals->dispatch);
        report_json_number(json, "kernel", totals->kernel);
        report_json_string(json, "mode", totals->mode);
        if (totals->predicted != UINT64_MAX)
            report_json_number(json, "predicted_bytes", totals->predicted);
        report_json_number(json, "bytes", totals->used);
        report_json_number(json, "kept", totals->stored);
        report_json_number(json, "lost", totals->lost);
        report_json_number(json, "lost_bytes", totals->lost_bytes);
        report_json_end_object(json);
    }
    report_json_end_array(json);
}

void report_dump_json(const struct sonde_trace *trace, struct report_text *text)
{
    struct sonde_error error;
    struct report_json json = {.text = text};
    report_json_begin_object(&json, NULL);
    report_json_number(&json, "sonde_dump", 1);
    report_run_print_json(trace, &json);
    report_json_begin_array(&json, "processes");
    for (size_t i = 0; i < sonde_trace_process_count(trace); i++)
        json_process(trace, i, &json);
    report_json_end_array(&json);
    report_json_begin_array(&json, "kernels");
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++)
        json_kernel(sonde_trace_kernel(trace, i), &json);
    report_json_end_array(&json);
    json_dispatches(trace, &json);
    json_counts(trace, &json);
    report_counters_dump_json(trace, &json);
    report_buffers_dump_json(trace, &json);
    json_losses(trace, &json);
    json_totals(trace, &json);
    if (report_records_dump_json(trace, NULL, &json, &error) != SONDE_OK)
        report_json_string(&json, "records_error", error.message);
    report_firmware_dump_json(trace, &json);
    report_json_end_object(&json);
}

static uint64_t dispatches_of(const struct sonde_trace *trace, uint32_t kernel)
{
    uint64_t count = 0;
    for (size_t i = 0; i < sonde_trace_dispatch_count(trace); i++)
        count += sonde_trace_dispatch(trace, i)->kernel == kernel;
    return count;
}

void report_info_text(const struct sonde_trace *trace, struct report_text *text)
{
    for (size_t i = 0; i < sonde_trace_process_count(trace); i++)
        text_process(trace, i, text);
    if (sonde_trace_firmware(trace) != NULL) {
        report_firmware_info_text(trace, text);
        return;
    }
    if (sonde_trace_process_count(trace) == 0)
        report_text_add(text, "no process of the run used OpenCL\n");
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++) {
        const struct sonde_trace_kernel *kernel = sonde_trace_kernel(trace, i);
        report_text_add(
            text, "kernel %u: %s, %s SIMD%u, %zu instructions, %zu blocks, %llu dispatches",
            kernel->id, kernel->name, sonde_gen_platform_name(kernel->platform), kernel->simd_width,
            kernel->instruction_count, kernel->block_count, (ull)dispatches_of(trace, kernel->id));
        if (kernel->refusal != NULL)
            report_text_add(text, ", not instrumented: %s", kernel->refusal);
        report_text_add(text, "\n");
    }
    uint64_t lost = 0, records = sonde_trace_block_counts_count(trace);
    for (size_t i = 0; i < sonde_trace_record_totals_count(trace); i++)
        records += sonde_trace_record_totals(trace, i)->stored;
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        lost += sonde_trace_loss(trace, i)->records;
    report_text_add(text, "%zu dispatches, %llu records, %llu lost\n",
                    sonde_trace_dispatch_count(trace), (ull)records, (ull)lost);
    for (size_t i = 0; i < sonde_trace_record_totals_count(trace); i++)
        report_totals_dump_text(sonde_trace_record_totals(trace, i), text);
    if (analyze_records_missing(trace) > 0)
        report_text_add(text, "%llu bytes of records are missing from the file\n",
                        (ull)analyze_records_missing(trace));
    for (size_t i = 0; i < sonde_trace_message_count(trace); i++)
        report_text_add(text, "message: %s\n", sonde_trace_message(trace, i)->text);
}

static void json_info_kernel(const struct sonde_trace *trace,
                             const struct sonde_trace_kernel *kernel, struct report_json *json)
{
    json_begin_kernel(kernel, json);
    report_json_number(json, "blocks", kernel->block_count);
    report_json_number(json, "dispatches", dispatches_of(trace, kernel->id));
    report_json_string(json, "refusal", kernel->refusal);
    report_json_end_object(json);
}

void report_info_json(const struct sonde_trace *trace, struct report_text *text)
{
    struct report_json json = {.text = text};
    report_json_begin_object(&json, NULL);
    report_json_number(&json, "sonde_info", 1);
    report_run_print_json(trace, &json);
    report_json_begin_array(&json, "processes");
    for (size_t i = 0; i < sonde_trace_process_count(trace); i++)
        json_process(trace, i, &json);
    report_json_end_array(&json);
    report_json_begin_array(&json, "kernels");
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++)
        json_info_kernel(trace, sonde_trace_kernel(trace, i), &json);
    report_json_end_array(&json);
    report_json_number(&json, "dispatches", sonde_trace_dispatch_count(trace));
    json_totals(trace, &json);
    json_losses(trace, &json);
    report_json_number(&json, "missing_record_bytes", analyze_records_missing(trace));
    report_json_end_object(&json);
}
