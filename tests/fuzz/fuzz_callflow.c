/* Call events of any kind make a call flow in which every cycle is counted
 * once. Eight bytes an event: kind, cycles since the last one, function, stack
 * pointer, vector. */
#include <stdlib.h>

#include "../callflow/flow_fixture.h"
#include "base/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct sonde_trace_symbol symbols[] = {
    {"stacks", 0x200, 0x80, false}, {"heap", 0x280, 0x40, false}, {"main", 0xc000, 0x20, true},
    {"f", 0xc020, 0x20, true},      {"g", 0xc040, 0, true},       {"handler", 0xc060, 0x20, true},
};

static struct sonde_trace_call event(const uint8_t *bytes, uint64_t cycle)
{
    static const uint8_t kinds[] = {
        SONDE_TRACE_CALL_ENTER, SONDE_TRACE_CALL_EXIT,  SONDE_TRACE_CALL_INTERRUPT,
        SONDE_TRACE_CALL_ENTER, SONDE_TRACE_CALL_EXIT,  SONDE_TRACE_CALL_INTERRUPT_RETURN,
        SONDE_TRACE_CALL_ENTER, SONDE_TRACE_CALL_EXIT,  SONDE_TRACE_CALL_SLEEP,
        SONDE_TRACE_CALL_ENTER, SONDE_TRACE_CALL_EXIT,  SONDE_TRACE_CALL_WAKE,
        SONDE_TRACE_CALL_LOST,  SONDE_TRACE_CALL_RESET, SONDE_TRACE_CALL_STACK,
    };
    return (struct sonde_trace_call){
        .cycle = cycle,
        .address = 0xc000u + (bytes[2] & 0x3fu) * 4u,
        .sp = (bytes[4] & 3) == 0 ? 0x200u + bytes[3] % 0xc0u : 0x3f0u - (bytes[3] & 0xfu) * 2u,
        .vector = (uint16_t)(0xffe0u + (bytes[5] & 0xeu)),
        .kind = kinds[bytes[0] % (sizeof kinds)],
    };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sonde_trace_firmware firmware = {.return_cycles = 3,
                                            .interrupt_return_cycles = 5,
                                            .data_end = 0x2c0,
                                            .symbols = symbols,
                                            .symbol_count = sizeof symbols / sizeof *symbols};
    size_t count = size / 8;
    struct sonde_trace_call *calls = calloc(count + 1, sizeof *calls);
    uint64_t cycle = 0;
    for (size_t i = 0; i < count; i++) {
        cycle += data[8 * i + 1] & 0x1fu;
        calls[i] = event(data + 8 * i, cycle);
    }
    struct analyze_callflow_input input = {firmware.symbols != NULL ? &firmware : NULL, calls,
                                           count, NULL};
    struct analyze_callflow *flow;
    struct sonde_error error;
    if (analyze_callflow_build(&input, &flow, &error) != SONDE_OK)
        abort();
    flow_check(flow);
    analyze_callflow_destroy(flow);
    free(calls);
    return 0;
}
