#include "trace/calls.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "trace/decode.h"
#include "trace/format.h"

enum { ADDRESS_LIMIT = 1 << 20 };

static void put_string(struct trace_buffer *buffer, const char *text)
{
    size_t size = text == NULL ? 0 : strnlen(text, TRACE_SECTION_LIMIT);
    trace_put32(buffer, (uint32_t)size);
    uint8_t *place = trace_buffer_grow(buffer, size);
    if (place != NULL && size > 0)
        memcpy(place, text, size);
}

void trace_encode_firmware(struct trace_buffer *buffer, const struct sonde_trace_firmware *firmware)
{
    if (firmware->symbol_count > TRACE_SECTION_LIMIT / TRACE_SYMBOL_MINIMUM_BYTES) {
        buffer->failed = true;
        return;
    }
    trace_put32(buffer, firmware->is_extended ? TRACE_FIRMWARE_EXTENDED : 0);
    trace_put16(buffer, firmware->enter_word);
    trace_put16(buffer, firmware->exit_word);
    trace_put32(buffer, firmware->return_cycles);
    trace_put32(buffer, firmware->interrupt_return_cycles);
    trace_put32(buffer, firmware->data_end);
    trace_put32(buffer, (uint32_t)firmware->symbol_count);
    for (size_t i = 0; i < firmware->symbol_count; i++) {
        const struct sonde_trace_symbol *symbol = &firmware->symbols[i];
        trace_put32(buffer, symbol->address);
        trace_put32(buffer, symbol->size);
        trace_put32(buffer, symbol->is_function ? TRACE_SYMBOL_FUNCTION : 0);
        put_string(buffer, symbol->name);
    }
}

/* One column behind the other: equal things side by side compress well. */
void trace_encode_calls(struct trace_buffer *buffer, const struct sonde_trace_call *calls,
                        size_t count, uint64_t first)
{
    trace_put64(buffer, first);
    trace_put64(buffer, count > 0 ? calls[0].cycle : 0);
    trace_put32(buffer, (uint32_t)count);
    uint8_t *place =
        count > TRACE_CALL_LIMIT ? NULL : trace_buffer_grow(buffer, TRACE_CALL_BYTES * count);
    if (place == NULL) {
        buffer->failed = true;
        return;
    }
    uint8_t *kinds = place, *deltas = kinds + count, *addresses = deltas + 8 * count;
    uint8_t *stacks = addresses + 4 * count, *vectors = stacks + 4 * count;
    for (size_t i = 0; i < count; i++) {
        kinds[i] = calls[i].kind;
        base_store64(deltas + 8 * i, calls[i].cycle - calls[i == 0 ? 0 : i - 1].cycle);
        base_store32(addresses + 4 * i, calls[i].address);
        base_store32(stacks + 4 * i, calls[i].sp);
        base_store16(vectors + 2 * i, calls[i].vector);
    }
}

void trace_encode_firmware_end(struct trace_buffer *buffer,
                               const struct sonde_trace_firmware_end *end, uint64_t calls)
{
    trace_put64(buffer, calls);
    trace_put64(buffer, end->cycles);
    trace_put64(buffer, end->idle_cycles);
    trace_put64(buffer, end->instructions);
    trace_put64(buffer, end->interrupts);
    trace_put32(buffer, end->address);
    trace_put32(buffer, end->sp);
    trace_put32(buffer, end->is_fault ? TRACE_FIRMWARE_END_FAULT : 0);
    put_string(buffer, end->reason);
}

static bool decode_symbols(struct base_reader *reader, struct trace_arena *arena,
                           struct sonde_trace_firmware *firmware)
{
    size_t count = base_read32(reader);
    if (reader->failed || count > (reader->size - reader->position) / TRACE_SYMBOL_MINIMUM_BYTES)
        return false;
    struct sonde_trace_symbol *symbols = trace_arena_allocate(arena, count * sizeof *symbols);
    if (symbols == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        symbols[i].address = base_read32(reader);
        symbols[i].size = base_read32(reader);
        symbols[i].is_function = (base_read32(reader) & TRACE_SYMBOL_FUNCTION) != 0;
        symbols[i].name = trace_read_string(reader, arena);
        if (reader->failed || symbols[i].address >= ADDRESS_LIMIT ||
            symbols[i].size > ADDRESS_LIMIT - symbols[i].address)
            return false;
    }
    firmware->symbols = symbols;
    firmware->symbol_count = count;
    return true;
}

bool trace_call_flow_add_firmware(struct trace_call_flow *flow, const struct trace_section *section,
                                  struct trace_arena *arena)
{
    struct base_reader reader = base_reader_make(section->payload, section->size);
    struct sonde_trace_firmware firmware = {0};
    if (flow->has_firmware)
        return false;
    firmware.is_extended = (base_read32(&reader) & TRACE_FIRMWARE_EXTENDED) != 0;
    firmware.enter_word = base_read16(&reader);
    firmware.exit_word = base_read16(&reader);
    firmware.return_cycles = base_read32(&reader);
    firmware.interrupt_return_cycles = base_read32(&reader);
    firmware.data_end = base_read32(&reader);
    if (!decode_symbols(&reader, arena, &firmware))
        return false;
    flow->firmware = firmware;
    flow->has_firmware = true;
    return true;
}

static bool reserve(struct trace_call_flow *flow, size_t more)
{
    return base_array_reserve((void **)&flow->calls, &flow->call_capacity, flow->call_count + more,
                              sizeof *flow->calls) == SONDE_OK;
}

/* Event number `next` follows: say what is missing before it, at `cycle`. */
static void note_loss(struct trace_call_flow *flow, uint64_t next, uint64_t cycle)
{
    if (next <= flow->next_call)
        return;
    uint64_t missing = next - flow->next_call;
    flow->calls[flow->call_count++] =
        (struct sonde_trace_call){.cycle = cycle,
                                  .address = missing > UINT32_MAX ? UINT32_MAX : (uint32_t)missing,
                                  .kind = SONDE_TRACE_CALL_LOST};
    flow->next_call = next;
}

static uint64_t last_cycle(const struct trace_call_flow *flow)
{
    return flow->call_count == 0 ? 0 : flow->calls[flow->call_count - 1].cycle;
}

/* Events from the columns at `bytes`; false when one of them cannot be. */
static bool decode_columns(const uint8_t *bytes, size_t count, uint64_t cycle,
                           struct sonde_trace_call *calls)
{
    const uint8_t *kinds = bytes, *deltas = kinds + count, *addresses = deltas + 8 * count;
    const uint8_t *stacks = addresses + 4 * count, *vectors = stacks + 4 * count;
    for (size_t i = 0; i < count; i++) {
        uint64_t delta = base_load64(deltas + 8 * i);
        if (delta > UINT64_MAX - cycle)
            return false;
        cycle += delta;
        calls[i] = (struct sonde_trace_call){.cycle = cycle,
                                             .address = base_load32(addresses + 4 * i),
                                             .sp = base_load32(stacks + 4 * i),
                                             .vector = base_load16(vectors + 2 * i),
                                             .kind = kinds[i]};
        if (calls[i].address >= ADDRESS_LIMIT || calls[i].sp >= ADDRESS_LIMIT ||
            calls[i].kind >= SONDE_TRACE_CALL_LOST)
            return false;
    }
    return true;
}

bool trace_call_flow_add_calls(struct trace_call_flow *flow, const struct trace_section *section)
{
    struct base_reader reader = base_reader_make(section->payload, section->size);
    uint64_t first = base_read64(&reader), cycle = base_read64(&reader);
    size_t count = base_read32(&reader);
    const uint8_t *bytes =
        count > TRACE_CALL_LIMIT ? NULL : base_read_bytes(&reader, TRACE_CALL_BYTES * count);
    if (bytes == NULL || !flow->has_firmware || first < flow->next_call ||
        cycle < last_cycle(flow) || !reserve(flow, count + 1))
        return false;
    size_t before = flow->call_count;
    uint64_t next = flow->next_call;
    note_loss(flow, first, cycle);
    if (!decode_columns(bytes, count, cycle, flow->calls + flow->call_count)) {
        flow->call_count = before;
        flow->next_call = next;
        return false;
    }
    flow->call_count += count;
    flow->next_call = first + count;
    return true;
}

bool trace_call_flow_add_end(struct trace_call_flow *flow, const struct trace_section *section,
                             struct trace_arena *arena)
{
    struct base_reader reader = base_reader_make(section->payload, section->size);
    struct sonde_trace_firmware_end end = {0};
    uint64_t calls = base_read64(&reader);
    end.cycles = base_read64(&reader);
    end.idle_cycles = base_read64(&reader);
    end.instructions = base_read64(&reader);
    end.interrupts = base_read64(&reader);
    end.address = base_read32(&reader);
    end.sp = base_read32(&reader);
    end.is_fault = (base_read32(&reader) & TRACE_FIRMWARE_END_FAULT) != 0;
    end.reason = trace_read_string(&reader, arena);
    if (reader.failed || !flow->has_firmware || flow->has_end || end.cycles < last_cycle(flow) ||
        end.idle_cycles > end.cycles || !reserve(flow, 1))
        return false;
    note_loss(flow, calls, end.cycles);
    flow->end = end;
    flow->has_end = true;
    return true;
}

void trace_call_flow_clear(struct trace_call_flow *flow)
{
    free(flow->calls);
    *flow = (struct trace_call_flow){0};
}
