/* Operands of decoded instructions as byte offsets into a thread. */
#include <stddef.h>
#include <string.h>

#include "emu/gen/core.h"

/* Where an architecture register class lies in struct emu_thread. */
struct register_class {
    uint8_t class_number; /* enum sonde_gen_arf */
    uint8_t registers;
    uint32_t base;
    uint32_t register_bytes;
};

static const struct register_class register_classes[] = {
    {SONDE_GEN_ARF_NULL, 16, EMU_OFFSET(discard), 0},
    {SONDE_GEN_ARF_ADDRESS, 1, EMU_OFFSET(address), 32},
    {SONDE_GEN_ARF_ACCUMULATOR, 8, EMU_OFFSET(acc), EMU_GRF_SIZE},
    {SONDE_GEN_ARF_FLAG, 2, EMU_OFFSET(flag), 4},
    {SONDE_GEN_ARF_CHANNEL_ENABLE, 1, EMU_OFFSET(channel_enable), 32},
    {SONDE_GEN_ARF_MESSAGE, 8, EMU_OFFSET(discard), 0},
    {SONDE_GEN_ARF_STACK_POINTER, 1, EMU_OFFSET(discard), 0},
    {SONDE_GEN_ARF_STATE, 2, EMU_OFFSET(state), 16},
    {SONDE_GEN_ARF_CONTROL, 1, EMU_OFFSET(control), 32},
    {SONDE_GEN_ARF_NOTIFICATION, 1, EMU_OFFSET(notification), 32},
    {SONDE_GEN_ARF_IP, 1, EMU_OFFSET(ip), 32},
    {SONDE_GEN_ARF_THREAD_DEPENDENCY, 2, EMU_OFFSET(discard), 0},
    {SONDE_GEN_ARF_TIMESTAMP, 1, EMU_OFFSET(timestamp), 32},
    {SONDE_GEN_ARF_FLOW_CONTROL, 16, EMU_OFFSET(discard), 0},
    {SONDE_GEN_ARF_DEBUG, 2, EMU_OFFSET(discard), 0},
};

/* The class of a register that the platform has, else NULL. */
static const struct register_class *class_find(uint8_t number, uint8_t platform)
{
    bool few = platform < SONDE_GEN_PLATFORM_XE && (number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR;
    for (size_t i = 0; i < sizeof(register_classes) / sizeof(register_classes[0]); i++)
        if ((number & 0xf0) == register_classes[i].class_number)
            return (number & 15) < (few ? 2 : register_classes[i].registers) ? &register_classes[i]
                                                                             : NULL;
    return NULL;
}

bool emu_operand_is_null(const struct sonde_gen_operand *operand)
{
    return operand->file == SONDE_GEN_FILE_NONE ||
           (operand->file == SONDE_GEN_FILE_ARF && (operand->number & 0xf0) == SONDE_GEN_ARF_NULL);
}

bool emu_operand_is_accumulator(const struct sonde_gen_operand *operand)
{
    return operand->file == SONDE_GEN_FILE_ARF &&
           (operand->number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR;
}

/* Element index of every channel: align1 regions. */
static void region_elements(const struct sonde_gen_operand *operand, uint32_t count,
                            uint32_t *element)
{
    uint32_t width = operand->width ? operand->width : 1;
    for (uint32_t i = 0; i < count; i++)
        element[i] = i / width * operand->vstride + i % width * operand->hstride;
}

/* Element index of every channel: align16 sources, four channels a group. Of
 * doubles two make a group: selectors come in pairs, xy and zw. */
static void swizzle_elements(const struct sonde_gen_operand *operand, bool ternary, uint32_t count,
                             uint32_t *element)
{
    bool wide = sonde_gen_type_size((enum sonde_gen_type)operand->type) == 8;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t select = operand->swizzle >> (i % 4 * 2) & 3;
        if (operand->replicate)
            element[i] = 0;
        else if (ternary && wide)
            element[i] = i / 2 * 2 + (operand->swizzle >> (i % 2 * 4) & 3u) / 2;
        else if (ternary)
            element[i] = i / 4 * 4 + select;
        else
            element[i] = i / 4 * operand->vstride + select;
    }
}

/* Smallest class that describes the offsets. */
static void classify(struct emu_region *region, uint32_t count)
{
    int32_t stride = count > 1 ? region->offset[1] - region->offset[0] : region->size;
    bool linear = region->offset[0] == 0;
    for (uint32_t i = 1; i < count && linear; i++)
        linear = region->offset[i] == (uint32_t)((int32_t)i * stride);
    uint32_t extent = 0;
    for (uint32_t i = 0; i < count; i++)
        if (region->offset[i] + (uint32_t)region->size > extent)
            extent = region->offset[i] + (uint32_t)region->size;
    region->extent = extent;
    region->stride = stride;
    if (!linear || region->multi_address)
        region->region = EMU_REGION_TABLE;
    else if (stride == region->size)
        region->region = EMU_REGION_CONTIGUOUS;
    else if (stride == 0)
        region->region = EMU_REGION_SCALAR;
    else
        region->region = EMU_REGION_STRIDED;
}

/* Byte offsets and base from element numbers. */
static const char *place(const struct sonde_gen_instruction *instruction,
                         const struct sonde_gen_operand *operand, const uint32_t *element,
                         uint32_t register_bytes, struct emu_region *region)
{
    uint32_t step = region->size, count = instruction->exec_size;
    if (operand->indirect) {
        region->indirect = true;
        region->address_subreg = operand->address_subreg & 15;
        region->base = (uint32_t)(int32_t)operand->address_offset;
    } else if (operand->file == SONDE_GEN_FILE_GRF) {
        region->base = operand->number * EMU_GRF_SIZE + operand->subreg;
    } else {
        const struct register_class *found = class_find(operand->number, instruction->platform);
        if (!found)
            return "architecture register that does not exist";
        uint32_t index = operand->number & 15u;
        region->base = found->base + index * found->register_bytes + operand->subreg;
    }
    for (uint32_t i = 0; i < count; i++)
        region->offset[i] = (uint16_t)(element[i] * step);
    classify(region, count);
    uint32_t limit =
        operand->file == SONDE_GEN_FILE_GRF ? register_bytes : (uint32_t)EMU_OFFSET(mme);
    if (!region->indirect && region->base + region->extent > limit)
        return "region runs out of the register file";
    if (region->extent > EMU_GRF_SLACK)
        return "region is too large";
    return NULL;
}

const char *emu_operand_source(const struct sonde_gen_instruction *instruction, unsigned index,
                               uint32_t register_bytes, struct emu_region *region)
{
    const struct sonde_gen_operand *operand = &instruction->src[index];
    uint32_t element[EMU_LANES];
    bool ternary = sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_TERNARY;
    memset(region, 0, sizeof(*region));
    region->type = operand->type;
    region->size = sonde_gen_type_size(operand->type);
    if (region->size == 0)
        return "source without a type";
    if (operand->file == SONDE_GEN_FILE_IMMEDIATE)
        return NULL;
    if (operand->indirect && operand->vstride == SONDE_GEN_VSTRIDE_VXH) {
        region->multi_address = true;
        region->row = operand->width ? operand->width : 1;
        for (uint32_t i = 0; i < instruction->exec_size; i++)
            element[i] = i % region->row * operand->hstride;
    } else if (instruction->align16) {
        swizzle_elements(operand, ternary, instruction->exec_size, element);
    } else {
        region_elements(operand, instruction->exec_size, element);
    }
    return place(instruction, operand, element, register_bytes, region);
}

const char *emu_operand_destination(const struct sonde_gen_instruction *instruction,
                                    uint32_t register_bytes, struct emu_region *region)
{
    const struct sonde_gen_operand *operand = &instruction->dst;
    uint32_t element[EMU_LANES];
    memset(region, 0, sizeof(*region));
    region->type = operand->type;
    region->size = sonde_gen_type_size(operand->type);
    if (region->size == 0)
        return "destination without a type";
    uint32_t stride = operand->hstride && !instruction->align16 ? operand->hstride : 1;
    for (uint32_t i = 0; i < instruction->exec_size; i++)
        element[i] = i * stride;
    return place(instruction, operand, element, register_bytes, region);
}
