/* Operands of the fast path: loads, modifiers, constants, conditions and the
 * store. Whatever does not fit stays on the general path. */
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "emu/gen/plan.h"

bool emu_lanes_are_v3(enum emu_path path)
{
#if defined(__x86_64__) && defined(EMU_LANES_V3)
    /* Not every compiler knows "f16c" there. */
    unsigned a, b, c = 0, d;
    return path == EMU_PATH_BEST && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
           __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
#endif
    (void)path;
    return false;
}

const struct emu_lane_table *emu_lanes(enum emu_path path)
{
#if defined(__x86_64__) && defined(EMU_LANES_V3)
    if (emu_lanes_are_v3(path))
        return &emu_lanes_v3;
#endif
    (void)path;
    return &emu_lanes_baseline;
}

static unsigned lane_size(enum emu_lane_type lane)
{
    return lane == EMU_LANE_I64 || lane == EMU_LANE_U64 || lane == EMU_LANE_F64 ? 8 : 4;
}

/* Loaders exist for the signed lane types; the bits are the same. */
static enum emu_lane_type load_lane(enum emu_lane_type lane)
{
    return lane == EMU_LANE_U32 ? EMU_LANE_I32 : lane == EMU_LANE_U64 ? EMU_LANE_I64 : lane;
}

static bool same_storage(uint8_t type, enum emu_lane_type lane)
{
    if (lane == EMU_LANE_F32)
        return type == SONDE_GEN_TYPE_F;
    if (lane == EMU_LANE_F64)
        return type == SONDE_GEN_TYPE_DF;
    return !sonde_gen_type_is_float(type) && sonde_gen_type_size(type) == lane_size(lane);
}

/* Sign changes, or complement for logic operations. */
static bool choose_modifier(const struct emu_plan *plan, unsigned index,
                            emu_compute_function **modify)
{
    const struct sonde_gen_operand *operand = emu_plan_operand(plan, index);
    bool absolute = operand->absolute && !emu_type_is_unsigned(operand->type);
    enum emu_kernel kernel = EMU_KERNEL_NONE;
    if (emu_plan_is_logic(plan) && operand->negate)
        kernel = EMU_KERNEL_NOT;
    else if (operand->negate)
        kernel = absolute ? EMU_KERNEL_NEGATE_ABSOLUTE : EMU_KERNEL_NEGATE;
    else if (absolute)
        kernel = EMU_KERNEL_ABSOLUTE;
    *modify = NULL;
    if (kernel == EMU_KERNEL_NONE)
        return true;
    if (emu_plan_is_logic(plan) && absolute)
        return false;
    *modify = plan->table->compute[kernel][load_lane(plan->lane)][plan->count];
    return *modify != NULL;
}

/* The storage image of an immediate for every channel, and its type. */
static uint8_t expand_immediate(const struct sonde_gen_operand *operand, uint8_t type,
                                uint8_t *storage)
{
    unsigned size = sonde_gen_type_size(type);
    for (uint32_t i = 0; i < EMU_LANES; i++) {
        uint32_t bits = (uint32_t)operand->immediate;
        if (type == SONDE_GEN_TYPE_V || type == SONDE_GEN_TYPE_UV) {
            int32_t small = (int32_t)(bits >> (i % 8 * 4) & 15);
            int16_t value = (int16_t)(type == SONDE_GEN_TYPE_V && small > 7 ? small - 16 : small);
            memcpy(storage + i * size, &value, sizeof(value));
        } else if (type == SONDE_GEN_TYPE_VF) {
            uint32_t small = bits >> (i % 4 * 8) & 0xff;
            uint32_t value = (small & 0x80) << 24;
            if (small & 0x7f)
                value |= ((small >> 4 & 7) + 124) << 23 | (small & 15) << 19;
            memcpy(storage + i * size, &value, sizeof(value));
        } else {
            memcpy(storage + i * size, &operand->immediate, size);
        }
    }
    return type == SONDE_GEN_TYPE_V    ? SONDE_GEN_TYPE_W
           : type == SONDE_GEN_TYPE_UV ? SONDE_GEN_TYPE_UW
           : type == SONDE_GEN_TYPE_VF ? SONDE_GEN_TYPE_F
                                       : type;
}

static bool plan_constant(struct emu_plan *plan, unsigned index)
{
    struct emu_source *source = &plan->operation->source[index];
    uint8_t storage[EMU_LANES * 8];
    uint8_t *lanes = emu_arena_take(plan->arena, EMU_LANE_BUFFER);
    uint32_t channels = plan->operation->exec_size;
    uint8_t type = expand_immediate(emu_plan_operand(plan, index), plan->load_type[index], storage);
    emu_load_function *load =
        plan->table->load[type][load_lane(plan->lane)][EMU_REGION_CONTIGUOUS][plan->count];
    if (!lanes || !load)
        return false;
    load(lanes, storage, 0, NULL, channels);
    if (source->modify)
        source->modify(lanes, lanes, NULL, NULL, 0, channels);
    source->modify = NULL;
    source->constant = lanes;
    return true;
}

static bool plan_source(struct emu_plan *plan, unsigned index)
{
    struct emu_source *source = &plan->operation->source[index];
    const struct emu_region *region = &plan->details->source[index];
    const struct sonde_gen_operand *operand = emu_plan_operand(plan, index);
    if (!choose_modifier(plan, index, &source->modify))
        return false;
    if (operand->file == SONDE_GEN_FILE_IMMEDIATE)
        return plan_constant(plan, index);
    if (region->indirect) {
        if (region->multi_address)
            return false;
        source->indirect = true;
        source->address_subreg = region->address_subreg;
        source->extent = region->extent;
        plan->operation->indirect = true;
    }
    source->base = region->base;
    source->stride = region->stride;
    source->offset = region->offset;
    bool one = plan->operation->exec_size == 1;
    if (!source->modify && (region->region == EMU_REGION_CONTIGUOUS || one) &&
        same_storage(plan->load_type[index], plan->lane))
        return true; /* in place */
    source->broadcast = !source->modify && !source->indirect &&
                        region->region == EMU_REGION_SCALAR &&
                        same_storage(plan->load_type[index], plan->lane);
    source->load =
        plan->table
            ->load[plan->load_type[index]][load_lane(plan->lane)][region->region][plan->count];
    return source->load != NULL;
}

/* Integer stores that only truncate are kept for the unsigned types. */
static uint8_t store_type(const struct emu_plan *plan, uint8_t type, enum emu_lane_type *lane)
{
    *lane = plan->lane;
    if (sonde_gen_type_is_float(type) || plan->lane == EMU_LANE_F32 || plan->lane == EMU_LANE_F64)
        return type;
    *lane = load_lane(plan->lane);
    unsigned size = sonde_gen_type_size(type);
    return size == 1   ? SONDE_GEN_TYPE_UB
           : size == 2 ? SONDE_GEN_TYPE_UW
           : size == 4 ? SONDE_GEN_TYPE_UD
                       : SONDE_GEN_TYPE_Q;
}

/* A result written straight to its registers must not reach source lanes that
 * are still to be read. */
static bool overlaps_source(const struct emu_plan *plan)
{
    const struct emu_region *destination = &plan->details->destination;
    for (unsigned i = 0; i < plan->sources && i < plan->row->sources; i++) {
        const struct emu_source *source = &plan->operation->source[i];
        const struct emu_region *region = &plan->details->source[i];
        if (source->indirect)
            return true;
        if (source->constant || source->load || region->base == destination->base)
            continue;
        if (region->base < destination->base + destination->extent &&
            destination->base < region->base + region->extent)
            return true;
    }
    return false;
}

/* Integer results go to accumulators as a whole: beside the registers' image
 * the wide value is kept. */
static bool stores_wide(const struct emu_plan *plan)
{
    return plan->details->writes_acc && !sonde_gen_type_is_float(plan->details->destination.type);
}

static bool plan_wide_store(const struct emu_plan *plan)
{
    bool plain = plan->row->rule == EMU_RULE_WRAP || plan->row->rule == EMU_RULE_MOVE;
    return plan->lane == EMU_LANE_I64 && plain && !plan->details->instruction.saturate &&
           !plan->details->instruction.condition &&
           (plan->details->destination.region == EMU_REGION_CONTIGUOUS ||
            plan->operation->exec_size == 1);
}

static bool plan_store(struct emu_plan *plan)
{
    struct emu_operation *operation = plan->operation;
    const struct emu_details *details = plan->details;
    const struct emu_region *region = &details->destination;
    bool saturate = details->instruction.saturate;
    enum emu_lane_type lane;
    if (!details->has_destination)
        return true;
    if (stores_wide(plan) && !plan_wide_store(plan))
        return false;
    if (region->indirect || region->region == EMU_REGION_TABLE)
        return false;
    bool is_float = plan->lane == EMU_LANE_F32 || plan->lane == EMU_LANE_F64;
    bool float_type = sonde_gen_type_is_float(region->type);
    unsigned strided = region->region != EMU_REGION_CONTIGUOUS && operation->exec_size > 1;
    if (plan->row->opcode == SONDE_GEN_CMP) {
        plan->lane = lane_size(plan->lane) == 8 ? EMU_LANE_I64 : EMU_LANE_I32;
        is_float = false;
        uint8_t raw = region->size == 8   ? SONDE_GEN_TYPE_Q
                      : region->size == 4 ? SONDE_GEN_TYPE_UD
                      : region->size == 2 ? SONDE_GEN_TYPE_UW
                                          : SONDE_GEN_TYPE_UB;
        operation->store = plan->table->store[plan->lane][raw][strided][plan->count];
    } else if (saturate && !float_type && !is_float) {
        operation->store = plan->table->saturate[plan->lane][region->type][strided][plan->count];
    } else {
        uint8_t type = store_type(plan, region->type, &lane);
        operation->store = plan->table->store[lane][type][strided][plan->count];
    }
    if (saturate && float_type) {
        if (!is_float)
            return false;
        operation->saturate = plan->table->compute[EMU_KERNEL_SATURATE][plan->lane][plan->count];
    }
    operation->destination = region->base;
    operation->destination_stride = region->stride;
    operation->destination_offset = region->offset;
    operation->direct_store =
        !saturate && !operation->condition && !strided && plan->count != EMU_COUNT_ANY &&
        same_storage(region->type, plan->lane) && float_type == is_float && !overlaps_source(plan);
    return operation->store != NULL;
}

/* An integer condition looks at the result as the destination holds it: by
 * its sign, and no wider. */
static bool condition_lane(const struct emu_plan *plan, enum emu_lane_type *lane)
{
    const struct emu_region *destination = &plan->details->destination;
    *lane = plan->lane;
    if (plan->domain != EMU_DOMAIN_INTEGER || sonde_gen_type_is_float(destination->type))
        return true;
    bool complement = plan->kernel == EMU_KERNEL_NOT;
    for (unsigned i = 0; i < plan->sources; i++)
        complement = complement || emu_plan_operand(plan, i)->negate;
    if (destination->size < lane_size(plan->lane) &&
        (!emu_plan_is_logic(plan) || !emu_plan_types_agree(plan) || complement))
        return false;
    *lane = load_lane(plan->lane);
    if (emu_type_is_unsigned(destination->type))
        *lane = *lane == EMU_LANE_I64 ? EMU_LANE_U64 : EMU_LANE_U32;
    return true;
}

static bool plan_condition(struct emu_plan *plan)
{
    struct emu_operation *operation = plan->operation;
    uint8_t opcode = plan->row->opcode;
    if (!operation->condition || opcode == SONDE_GEN_SEL)
        return true;
    operation->collect = plan->table->collect[lane_size(plan->lane) == 8];
    if (opcode == SONDE_GEN_CMP)
        return true;
    enum emu_kernel kernel = emu_plan_condition_kernel(operation->condition);
    if (kernel == EMU_KERNEL_NONE)
        return false;
    enum emu_lane_type lane = plan->lane;
    if (opcode == SONDE_GEN_CSEL) { /* of the third source, which keeps its sign in a lane */
        if (emu_plan_type(plan, 2) == SONDE_GEN_TYPE_UD)
            lane = EMU_LANE_U32;
    } else if (!condition_lane(plan, &lane)) {
        return false;
    }
    operation->compare = plan->table->compute[kernel][lane][plan->count];
    return operation->compare != NULL;
}

static void forget(struct emu_operation *operation)
{
    memset(operation->source, 0, sizeof(operation->source));
    operation->compute = NULL;
    operation->saturate = NULL;
    operation->compare = NULL;
    operation->collect = NULL;
    operation->store = NULL;
    operation->direct_store = false;
    operation->indirect = false;
}

/* Whether the run function of the kernel does all that there is to do. */
static bool runs_whole(const struct emu_operation *operation)
{
    for (unsigned i = 0; i < operation->source_count; i++)
        if ((operation->source[i].load && !operation->source[i].broadcast) ||
            operation->source[i].indirect)
            return false;
    return !operation->compare && !operation->saturate;
}

bool emu_fast_translate(struct emu_arena *arena, enum emu_path path,
                        struct emu_operation *operation)
{
    const struct emu_details *details = operation->details;
    const struct sonde_gen_instruction *instruction = &details->instruction;
    struct emu_plan plan = {.arena = arena,
                            .table = emu_lanes(path),
                            .operation = operation,
                            .details = details,
                            .row = details->semantics,
                            .sources = details->semantics->sources,
                            .domain = emu_general_domain(details)};
    if (plan.sources > instruction->source_count)
        plan.sources = instruction->source_count;
    if (instruction->accumulator_write && plan.row->rule != EMU_RULE_ACCUMULATOR)
        return false;
    plan.kernel = emu_plan_kernel(&plan);
    if (plan.kernel == EMU_KERNEL_NONE)
        return false;
    for (unsigned i = 0; i < plan.sources; i++)
        plan.load_type[i] = emu_plan_type(&plan, i);
    plan.count = operation->exec_size == 1    ? EMU_COUNT_1
                 : operation->exec_size == 8  ? EMU_COUNT_8
                 : operation->exec_size == 16 ? EMU_COUNT_16
                                              : EMU_COUNT_ANY;
    bool fits = emu_plan_lanes(&plan);
    for (unsigned i = 0; fits && i < plan.sources; i++)
        fits = plan_source(&plan, i);
    if (fits && plan.kernel == EMU_KERNEL_MACL)
        operation->source[plan.sources++].base = EMU_OFFSET(acc);
    operation->source_count = (uint8_t)plan.sources;
    operation->parameter = instruction->boolean;
    operation->compute = plan.table->compute[plan.kernel][plan.lane][plan.count];
    emu_run_function *whole = plan.table->run[plan.kernel][plan.lane][plan.count];
    fits = fits && (operation->compute || plan.row->rule == EMU_RULE_ACCUMULATOR) &&
           plan_condition(&plan) && plan_store(&plan);
    bool partial = (details->written_channels & operation->window) != operation->window;
    bool wide = details->has_destination && stores_wide(&plan);
    if ((operation->indirect && (partial || wide)) || (partial && wide))
        fits = false;
    bool csel = plan.row->opcode == SONDE_GEN_CSEL;
    if (csel && (operation->indirect || partial || wide || instruction->saturate))
        fits = false;
    if (!fits)
        forget(operation);
    else if (csel)
        operation->run = emu_fast_run_csel;
    else if (operation->indirect)
        operation->run = emu_fast_run_indirect;
    else if (partial)
        operation->run = emu_fast_run_write_masked;
    else if (plan.row->rule == EMU_RULE_ACCUMULATOR && plan.kernel != EMU_KERNEL_MACL)
        operation->run = emu_fast_run_accumulator;
    else if (wide)
        operation->run = emu_fast_run_wide;
    else if (runs_whole(operation))
        operation->run = whole;
    else
        operation->run = emu_run_fast;
    return fits;
}
