#include "analyze/elements.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

#define REGISTER  32u /* bytes */
#define DWORDS    8u
#define BY_NUMBER 4u

/* --- points --- */

static bool same(const struct analyze_value_point *a, const struct analyze_value_point *b)
{
    return a->kernel == b->kernel && a->instruction == b->instruction && a->operand == b->operand &&
           a->after == b->after && a->first == b->first && a->count == b->count;
}

static bool add(struct analyze_value_points *points, const struct analyze_value_point *point)
{
    for (size_t i = points->count; i-- > 0;)
        if (same(&points->items[i], point))
            return true;
    if (base_array_reserve((void **)&points->items, &points->capacity, points->count + 1,
                           sizeof *points->items) != SONDE_OK)
        return false;
    points->items[points->count++] = *point;
    return true;
}

static bool is_value(const struct sonde_trace_counter *item)
{
    return item->kind == SONDE_TRACE_POINT && (item->value & 0xff) == SONDE_RECORD_REGISTERS &&
           (item->value >> 32) <= 256 && (item->value >> 16 & 0xffff) < 256;
}

static bool add_declared(const struct sonde_trace *trace, const char *tool,
                         struct analyze_value_points *points)
{
    for (size_t i = 0; i < sonde_trace_counters_count(trace); i++) {
        const struct sonde_trace_counters *from = sonde_trace_counters(trace, i);
        for (size_t j = 0; j < from->count && (tool == NULL || strcmp(from->tool, tool) == 0);
             j++) {
            const struct sonde_trace_counter *item = &from->items[j];
            const struct analyze_value_point point = {.kernel = from->kernel,
                                                      .instruction = item->instruction,
                                                      .operand = item->value >> 9 & 7,
                                                      .after = (item->value >> 8 & 1) != 0,
                                                      .first =
                                                          (uint32_t)(item->value >> 16 & 0xffff),
                                                      .count = (uint32_t)(item->value >> 32)};
            if (is_value(item) && !add(points, &point))
                return false;
        }
    }
    return true;
}

/* All that a message returned. Other tools record some of it too. */
static bool is_result(const struct sonde_gen_instruction *instruction,
                      const struct sonde_record_point *at)
{
    struct sonde_gen_message message;
    return sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_SEND &&
           sonde_gen_message_decode(instruction, &message, NULL) == SONDE_OK &&
           at->first == instruction->dst.number && at->count == message.response_registers;
}

/* The tool regtrace itself records destinations only, and declares nothing. */
static bool add_destinations(const struct sonde_trace *trace, uint32_t kernel,
                             struct analyze_value_points *points)
{
    const struct sonde_record_layout *layout = sonde_trace_record_layout(trace, kernel);
    struct analyze_code code;
    bool good = true;
    if (layout == NULL ||
        analyze_code_open(sonde_trace_kernel(trace, kernel), NULL, &code, NULL) != SONDE_OK)
        return true;
    for (size_t i = 0; i < layout->item_count && good; i++) {
        const struct sonde_record_point *at = &layout->items[i].point;
        const struct analyze_value_point point = {.kernel = kernel,
                                                  .instruction = at->instruction,
                                                  .after = true,
                                                  .first = at->first,
                                                  .count = at->count};
        if (at->kind == SONDE_RECORD_REGISTERS && at->after && at->instruction < code.count &&
            is_result(&code.instructions[at->instruction], at))
            good = add(points, &point);
    }
    analyze_code_close(&code);
    return good;
}

static bool had_tool(const struct sonde_trace *trace, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sonde_trace_process_count(trace); i++) {
        const char *list = sonde_trace_process(trace, i)->tools;
        while (list != NULL && *list != '\0') {
            size_t word = strcspn(list, ",");
            if (word == length && strncmp(list, name, length) == 0)
                return true;
            list += word;
            list += *list == ',';
        }
    }
    return false;
}

enum sonde_status analyze_value_points_find(const struct sonde_trace *trace, const char *tool,
                                            struct analyze_value_points *points,
                                            struct sonde_error *error)
{
    *points = (struct analyze_value_points){.items = NULL};
    bool good = add_declared(trace, tool, points);
    bool itself = (tool == NULL || strcmp(tool, "regtrace") == 0) && had_tool(trace, "regtrace");
    for (uint32_t k = 0; k < sonde_trace_kernel_count(trace) && good && itself; k++)
        good = add_destinations(trace, k, points);
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

void analyze_value_points_clear(struct analyze_value_points *points)
{
    free(points->items);
    *points = (struct analyze_value_points){.items = NULL};
}

bool analyze_value_points_are_declared(const struct sonde_trace *trace, const char *tool)
{
    struct analyze_value_points points = {.items = NULL};
    bool any = add_declared(trace, tool, &points) && points.count > 0;
    analyze_value_points_clear(&points);
    return any;
}

bool analyze_value_point_is(const struct analyze_value_point *point, uint32_t kernel,
                            const struct sonde_record_item *item)
{
    return point->kernel == kernel && item->point.kind == SONDE_RECORD_REGISTERS &&
           item->point.instruction == point->instruction && item->point.after == point->after &&
           item->point.first == point->first && item->point.count == point->count;
}

/* --- elements --- */

/* Channels that the instruction acted in, bit 0 its first one. */
static uint32_t active(const struct sonde_gen_instruction *instruction,
                       const struct analyze_visit *visit, uint32_t index)
{
    uint32_t mask = instruction->no_mask ? UINT32_MAX : visit->enabled;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        if (item->point.kind == SONDE_RECORD_MASK && item->point.instruction == index)
            mask = base_load32(data);
    }
    return mask >> instruction->channel_offset;
}

static uint64_t load(const uint8_t *data, uint32_t size)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++)
        bits |= (uint64_t)data[i] << 8 * i;
    return bits;
}

/* Dwords: in messages, dword d of register r of a component of SIMD n belongs to
 * channel 8 * (r mod n / 8) + d. */
static size_t read_dwords(const struct analyze_value_point *point, uint32_t parts, uint32_t mask,
                          uint32_t offset, const uint8_t *data, uint32_t size,
                          struct analyze_element *elements)
{
    size_t count = 0;
    for (uint32_t at = 0; at + 4 <= size && count < ANALYZE_ELEMENTS; at += 4) {
        uint32_t place = at / 4;
        uint32_t channel = parts == 0 ? place : place % (parts * DWORDS);
        if (parts != 0 && (channel >= 32 || (mask >> channel & 1) == 0))
            continue;
        elements[count++] = (struct analyze_element){.number = point->first + at / REGISTER,
                                                     .channel = channel + offset,
                                                     .type = SONDE_GEN_TYPE_UD,
                                                     .operand = point->operand,
                                                     .bits = base_load32(data + at)};
    }
    return count;
}

static uint32_t place_of(const struct sonde_gen_operand *operand, bool is_destination, uint32_t i)
{
    uint32_t width = operand->width != 0 ? operand->width : 1;
    if (is_destination)
        return i * (operand->hstride != 0 ? operand->hstride : 1u);
    return i / width * operand->vstride + i % width * operand->hstride;
}

static size_t read_operand(const struct sonde_gen_instruction *instruction,
                           const struct analyze_value_point *point, uint32_t mask,
                           const uint8_t *data, uint32_t size, struct analyze_element *elements)
{
    bool is_destination = point->operand == 0;
    const struct sonde_gen_operand *operand =
        is_destination ? &instruction->dst : &instruction->src[point->operand - 1];
    uint32_t bytes = sonde_gen_type_size((enum sonde_gen_type)operand->type);
    size_t count = 0;
    for (uint32_t i = 0; i < instruction->exec_size; i++) {
        uint32_t at = operand->subreg + place_of(operand, is_destination, i) * bytes;
        if ((mask >> i & 1) == 0 || bytes == 0 || at + bytes > size)
            continue;
        elements[count++] = (struct analyze_element){.number = point->first + at / REGISTER,
                                                     .channel = i + instruction->channel_offset,
                                                     .type = operand->type,
                                                     .operand = point->operand,
                                                     .bits = load(data + at, bytes)};
    }
    return count;
}

size_t analyze_elements_read(const struct analyze_code *code, const struct analyze_visit *visit,
                             const struct analyze_value_point *point, const uint8_t *data,
                             uint32_t size, struct analyze_element *elements)
{
    if (point->operand >= BY_NUMBER || point->instruction >= code->count)
        return read_dwords(point, 0, 0, 0, data, size, elements);
    const struct sonde_gen_instruction *instruction = &code->instructions[point->instruction];
    uint32_t mask = active(instruction, visit, point->instruction);
    if (sonde_gen_opcode_format(instruction->opcode) != SONDE_GEN_FORMAT_SEND)
        return read_operand(instruction, point, mask, data, size, elements);
    uint32_t parts = instruction->exec_size > DWORDS ? instruction->exec_size / DWORDS : 1;
    return read_dwords(point, parts, mask, instruction->channel_offset, data, size, elements);
}
