/* The firmware and the call events of a run, as text and as JSON. */
#include <stdio.h>

#include "report/report.h"

typedef unsigned long long ull;

static const char *const kind_names[SONDE_TRACE_CALL_KIND_COUNT] = {
    [SONDE_TRACE_CALL_ENTER] = "enter",
    [SONDE_TRACE_CALL_EXIT] = "exit",
    [SONDE_TRACE_CALL_INTERRUPT] = "interrupt",
    [SONDE_TRACE_CALL_INTERRUPT_RETURN] = "interrupt-return",
    [SONDE_TRACE_CALL_SLEEP] = "sleep",
    [SONDE_TRACE_CALL_WAKE] = "wake",
    [SONDE_TRACE_CALL_RESET] = "reset",
    [SONDE_TRACE_CALL_STACK] = "stack",
    [SONDE_TRACE_CALL_LOST] = "lost",
};

static bool has_vector(const struct sonde_trace_call *call)
{
    return call->kind == SONDE_TRACE_CALL_INTERRUPT || call->kind == SONDE_TRACE_CALL_RESET;
}

static void text_call(const struct sonde_trace_call *call, struct report_text *text)
{
    report_text_add(text, "call %llu: %s", (ull)call->cycle, kind_names[call->kind]);
    if (call->kind == SONDE_TRACE_CALL_LOST)
        report_text_add(text, " %u events", call->address);
    else
        report_text_add(text, " 0x%04x, sp 0x%04x", call->address, call->sp);
    if (has_vector(call))
        report_text_add(text, ", vector 0x%04x", call->vector);
    report_text_add(text, "\n");
}

static void text_end(const struct sonde_trace_firmware_end *end, struct report_text *text)
{
    report_text_add(text,
                    "end: %s%s at 0x%04x, sp 0x%04x; %llu cycles (%llu idle), %llu instructions, "
                    "%llu interrupts\n",
                    end->is_fault ? "fault: " : "", end->reason, end->address, end->sp,
                    (ull)end->cycles, (ull)end->idle_cycles, (ull)end->instructions,
                    (ull)end->interrupts);
}

static void text_firmware(const struct sonde_trace_firmware *firmware, struct report_text *text)
{
    report_text_add(text,
                    "firmware: %s, markers 0x%04x and 0x%04x, return %u cycles, from an interrupt "
                    "%u, %zu symbols\n",
                    firmware->is_extended ? "MSP430X" : "MSP430", firmware->enter_word,
                    firmware->exit_word, firmware->return_cycles, firmware->interrupt_return_cycles,
                    firmware->symbol_count);
}

void report_firmware_dump_text(const struct sonde_trace *trace, struct report_text *text)
{
    const struct sonde_trace_firmware *firmware = sonde_trace_firmware(trace);
    if (firmware == NULL)
        return;
    size_t count;
    const struct sonde_trace_call *calls = sonde_trace_calls(trace, &count);
    text_firmware(firmware, text);
    for (size_t i = 0; i < firmware->symbol_count; i++)
        report_text_add(text, "symbol 0x%04x: %s %s, %u bytes\n", firmware->symbols[i].address,
                        firmware->symbols[i].is_function ? "function" : "object",
                        firmware->symbols[i].name, firmware->symbols[i].size);
    for (size_t i = 0; i < count; i++)
        text_call(&calls[i], text);
    if (sonde_trace_firmware_end(trace) != NULL)
        text_end(sonde_trace_firmware_end(trace), text);
}

static void json_calls(const struct sonde_trace *trace, struct report_json *json)
{
    size_t count;
    const struct sonde_trace_call *calls = sonde_trace_calls(trace, &count);
    report_json_begin_array(json, "calls");
    for (size_t i = 0; i < count; i++) {
        bool lost = calls[i].kind == SONDE_TRACE_CALL_LOST;
        report_json_begin_object(json, NULL);
        report_json_number(json, "cycle", calls[i].cycle);
        report_json_string(json, "kind", kind_names[calls[i].kind]);
        report_json_number(json, lost ? "events" : "address", calls[i].address);
        if (!lost)
            report_json_number(json, "sp", calls[i].sp);
        if (has_vector(&calls[i]))
            report_json_number(json, "vector", calls[i].vector);
        report_json_end_object(json);
    }
    report_json_end_array(json);
}

static void json_end(const struct sonde_trace_firmware_end *end, struct report_json *json)
{
    report_json_begin_object(json, "end");
    report_json_string(json, "reason", end->reason);
    report_json_bool(json, "fault", end->is_fault);
    report_json_number(json, "address", end->address);
    report_json_number(json, "sp", end->sp);
    report_json_number(json, "cycles", end->cycles);
    report_json_number(json, "idle_cycles", end->idle_cycles);
    report_json_number(json, "instructions", end->instructions);
    report_json_number(json, "interrupts", end->interrupts);
    report_json_end_object(json);
}

void report_firmware_dump_json(const struct sonde_trace *trace, struct report_json *json)
{
    const struct sonde_trace_firmware *firmware = sonde_trace_firmware(trace);
    if (firmware == NULL)
        return;
    report_json_begin_object(json, "firmware");
    report_json_string(json, "core", firmware->is_extended ? "MSP430X" : "MSP430");
    report_json_number(json, "enter_word", firmware->enter_word);
    report_json_number(json, "exit_word", firmware->exit_word);
    report_json_number(json, "return_cycles", firmware->return_cycles);
    report_json_number(json, "interrupt_return_cycles", firmware->interrupt_return_cycles);
    report_json_number(json, "data_end", firmware->data_end);
    report_json_begin_array(json, "symbols");
    for (size_t i = 0; i < firmware->symbol_count; i++) {
        report_json_begin_object(json, NULL);
        report_json_string(json, "name", firmware->symbols[i].name);
        report_json_number(json, "address", firmware->symbols[i].address);
        report_json_number(json, "size", firmware->symbols[i].size);
        report_json_bool(json, "function", firmware->symbols[i].is_function);
        report_json_end_object(json);
    }
    report_json_end_array(json);
    json_calls(trace, json);
    if (sonde_trace_firmware_end(trace) != NULL)
        json_end(sonde_trace_firmware_end(trace), json);
    report_json_end_object(json);
}

void report_firmware_info_text(const struct sonde_trace *trace, struct report_text *text)
{
    const struct sonde_trace_firmware_end *end = sonde_trace_firmware_end(trace);
    size_t count;
    const struct sonde_trace_call *calls = sonde_trace_calls(trace, &count);
    uint64_t lost = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_loss = calls[i].kind == SONDE_TRACE_CALL_LOST;
        lost += is_loss ? calls[i].address : 0;
        known += !is_loss;
    }
    text_firmware(sonde_trace_firmware(trace), text);
    if (end != NULL)
        text_end(end, text);
    else
        report_text_add(text, "end: not recorded; the last event is at cycle %llu\n",
                        count > 0 ? (ull)calls[count - 1].cycle : 0);
    report_text_add(text, "%llu call events, %llu lost\n", (ull)known, (ull)lost);
}
