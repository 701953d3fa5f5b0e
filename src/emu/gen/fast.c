/* The fast path: chooses, for one instruction, how to bring its sources into
 * contiguous lanes, which vectorised kernel to run, and how to store the
 * result. Whatever does not fit stays on the general path. */
#include <string.h>

#include "emu/gen/lanes.h"

#define LANE_BUFFER 256u

const struct emu_lane_table *emu_lanes(enum emu_path path)
{
#if defined(__x86_64__) && defined(EMU_LANES_V3)
    if (path == EMU_PATH_BEST && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c"))
        return &emu_lanes_v3;
#endif
    (void)path;
    return &emu_lanes_baseline;
}

/* What translation knows while it looks for a fast form. */
struct plan {
    struct emu_arena *arena;
    const struct emu_lane_table *table;
    struct emu_operation *operation;
    const struct emu_details *details;
    const struct emu_semantics *row;
    unsigned sources;
    enum emu_domain domain;
    enum emu_lane_type lane;
    enum emu_kernel kernel;
    enum emu_lane_count count;
    uint8_t load_type[EMU_OPERAND_MAX]; /* storage type that the loader reads */
};

static bool is_unsigned(uint8_t type)
{
    return !sonde_gen_type_is_signed(type) && !sonde_gen_type_is_float(type) &&
           type != SONDE_GEN_TYPE_V;
}

static uint8_t as_unsigned(uint8_t type)
{
    switch (type) {
    case SONDE_GEN_TYPE_B:
        return SONDE_GEN_TYPE_UB;
    case SONDE_GEN_TYPE_W:
        return SONDE_GEN_TYPE_UW;
    case SONDE_GEN_TYPE_D:
        return SONDE_GEN_TYPE_UD;
    case SONDE_GEN_TYPE_Q:
        return SONDE_GEN_TYPE_UQ;
    default:
        return type;
    }
}

static const struct sonde_gen_operand *source_of(const struct plan *plan, unsigned index)
{
    return &plan->details->instruction.src[index];
}

static uint8_t type_of(const struct plan *plan, unsigned index)
{
    return source_of(plan, index)->type;
}

/* Facts about the integer sources and the destination of a plan. */
struct integer_facts {
    bool wide;          /* some operand has 64 bits */
    bool unsigned_long; /* some source is uq */
    bool unsigned_int;  /* some source is ud */
    bool negative;      /* some source may be negative */
    bool modified;
};

static struct integer_facts integer_facts_of(const struct plan *plan)
{
    struct integer_facts facts = {.wide = plan->details->destination.size == 8 &&
                                          plan->details->has_destination};
    for (unsigned i = 0; i < plan->sources; i++) {
        uint8_t type = type_of(plan, i);
        facts.wide = facts.wide || sonde_gen_type_size(type) == 8;
        facts.unsigned_long = facts.unsigned_long || type == SONDE_GEN_TYPE_UQ;
        facts.unsigned_int = facts.unsigned_int || type == SONDE_GEN_TYPE_UD;
        facts.negative = facts.negative || !is_unsigned(type);
        facts.modified =
            facts.modified || source_of(plan, i)->negate || source_of(plan, i)->absolute;
    }
    return facts;
}

/* Logic results narrower than a lane only keep the sign that a condition
 * looks at when all types agree. */
static bool types_agree(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->sources; i++)
        if (is_unsigned(type_of(plan, i)) != is_unsigned(plan->details->destination.type) ||
            sonde_gen_type_size(type_of(plan, i)) > plan->details->destination.size)
            return false;
    return true;
}

static bool is_logic(const struct plan *plan)
{
    return plan->kernel == EMU_KERNEL_AND || plan->kernel == EMU_KERNEL_OR ||
           plan->kernel == EMU_KERNEL_XOR || plan->kernel == EMU_KERNEL_NOT ||
           plan->kernel == EMU_KERNEL_BFN;
}

static bool plan_wrap(struct plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    plan->lane = facts->wide || plan->details->writes_acc ? EMU_LANE_I64 : EMU_LANE_I32;
    if (plan->details->writes_acc && (facts->wide || instruction->condition))
        return false; /* the exact result may be wider than a lane */
    if (instruction->saturate) {
        plan->lane = EMU_LANE_I64; /* holds the exact result of 32-bit operands */
        return !is_logic(plan) && !instruction->condition && !facts->wide &&
               (plan->kernel == EMU_KERNEL_ADD || plan->kernel == EMU_KERNEL_ADD3 ||
                !facts->unsigned_int);
    }
    return true;
}

static bool plan_shift(struct plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    bool wide = plan->details->destination.size == 8 || sonde_gen_type_size(type_of(plan, 0)) == 8;
    (void)facts;
    if (instruction->saturate || source_of(plan, 1)->negate || source_of(plan, 1)->absolute)
        return false;
    if (plan->kernel == EMU_KERNEL_SHL) {
        plan->lane = wide ? EMU_LANE_I64 : EMU_LANE_I32;
        return true;
    }
    if (plan->kernel == EMU_KERNEL_ASR && !is_unsigned(type_of(plan, 0))) {
        plan->lane = wide ? EMU_LANE_I64 : EMU_LANE_I32;
        return !source_of(plan, 0)->negate && !source_of(plan, 0)->absolute;
    }
    if (source_of(plan, 0)->negate || source_of(plan, 0)->absolute)
        return false;
    plan->kernel = EMU_KERNEL_SHR;
    plan->lane = wide ? EMU_LANE_U64 : EMU_LANE_U32;
    plan->load_type[0] = as_unsigned(type_of(plan, 0));
    return type_of(plan, 0) != SONDE_GEN_TYPE_V;
}

static bool plan_compare(struct plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    bool long_source = false;
    for (unsigned i = 0; i < plan->sources; i++)
        long_source = long_source || sonde_gen_type_size(type_of(plan, i)) == 8;
    if (instruction->saturate || (long_source && facts->modified))
        return false;
    if (plan->kernel == EMU_KERNEL_SEL) {
        plan->lane = facts->wide || facts->modified ? EMU_LANE_I64 : EMU_LANE_I32;
        return !sonde_gen_type_is_float(plan->details->destination.type);
    }
    bool wide = long_source || (facts->wide && plan->row->opcode != SONDE_GEN_CMP);
    if (facts->unsigned_long) {
        plan->lane = EMU_LANE_U64;
        return !facts->negative && !facts->modified;
    }
    if (wide || facts->modified || (facts->unsigned_int && facts->negative))
        plan->lane = EMU_LANE_I64;
    else
        plan->lane = facts->unsigned_int ? EMU_LANE_U32 : EMU_LANE_I32;
    return !sonde_gen_type_is_float(plan->details->destination.type) ||
           plan->row->opcode == SONDE_GEN_CMP;
}

static bool plan_move(struct plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    uint8_t source = type_of(plan, 0), destination = plan->details->destination.type;
    bool to_float = sonde_gen_type_is_float(destination);
    bool long_source = sonde_gen_type_size(source) == 8;
    if (instruction->condition && (facts->modified || instruction->saturate))
        return false;
    if (to_float) {
        if (facts->modified || instruction->saturate)
            return false;
        plan->lane = long_source ? source == SONDE_GEN_TYPE_UQ ? EMU_LANE_U64 : EMU_LANE_I64
                     : source == SONDE_GEN_TYPE_UD ? EMU_LANE_U32
                                                   : EMU_LANE_I32;
        return true;
    }
    if (instruction->saturate) {
        plan->lane = EMU_LANE_I64;
        return source != SONDE_GEN_TYPE_UQ && !(long_source && facts->modified);
    }
    plan->lane = facts->wide ? EMU_LANE_I64 : EMU_LANE_I32;
    return true;
}

/* Low 32 bits in, a count or field out. */
static bool plan_bits(struct plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    uint8_t last = type_of(plan, plan->sources - 1);
    bool by_sign = plan->kernel == EMU_KERNEL_FBH || plan->kernel == EMU_KERNEL_BFE;
    plan->lane = by_sign && !is_unsigned(last) ? EMU_LANE_I32 : EMU_LANE_U32;
    bool rotates = plan->kernel == EMU_KERNEL_ROL || plan->kernel == EMU_KERNEL_ROR;
    if (rotates && sonde_gen_type_size(type_of(plan, 0)) != 4)
        return false;
    if (plan->kernel == EMU_KERNEL_CBIT)
        plan->load_type[0] = as_unsigned(type_of(plan, 0));
    return !facts->wide && !facts->modified && !instruction->condition && !instruction->saturate;
}

static bool plan_divide(struct plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    uint8_t type = plan->details->destination.type;
    plan->lane = type == SONDE_GEN_TYPE_D ? EMU_LANE_I32 : EMU_LANE_U32;
    return (type == SONDE_GEN_TYPE_D || type == SONDE_GEN_TYPE_UD) && plan->sources == 2 &&
           type_of(plan, 0) == type && type_of(plan, 1) == type && !facts->modified &&
           !instruction->condition && !instruction->saturate;
}

/* Operations that write acc0 beside their destination. */
static bool plan_accumulator(struct plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    plan->lane = EMU_LANE_I64;
    return !facts->wide && !facts->modified && !instruction->condition && !instruction->saturate &&
           !plan->details->writes_acc &&
           (plan->details->destination.size == 4 || !plan->details->has_destination);
}

static bool plan_integer(struct plan *plan)
{
    struct integer_facts facts = integer_facts_of(plan);
    switch (plan->row->rule) {
    case EMU_RULE_WRAP:
        return !sonde_gen_type_is_float(plan->details->destination.type) && plan_wrap(plan, &facts);
    case EMU_RULE_SHIFT:
        return !sonde_gen_type_is_float(plan->details->destination.type) &&
               plan_shift(plan, &facts);
    case EMU_RULE_COMPARE:
        return plan_compare(plan, &facts);
    case EMU_RULE_MOVE:
        return plan_move(plan, &facts);
    case EMU_RULE_BITS:
        return !sonde_gen_type_is_float(plan->details->destination.type) && plan_bits(plan, &facts);
    case EMU_RULE_DIVIDE:
        return plan_divide(plan, &facts);
    case EMU_RULE_ACCUMULATOR:
        return plan_accumulator(plan, &facts);
    default:
        return false;
    }
}

static bool plan_float(struct plan *plan)
{
    bool twice = plan->domain == EMU_DOMAIN_DOUBLE;
    plan->lane = twice ? EMU_LANE_F64 : EMU_LANE_F32;
    for (unsigned i = 0; i < plan->sources; i++)
        if (!sonde_gen_type_is_float(type_of(plan, i)) ||
            (twice && type_of(plan, i) == SONDE_GEN_TYPE_HF))
            return false;
    /* a fused product rounded twice would differ */
    return plan->kernel != EMU_KERNEL_MAD || plan->details->destination.type != SONDE_GEN_TYPE_HF;
}

static enum emu_kernel condition_kernel(uint8_t condition)
{
    switch (condition) {
    case SONDE_GEN_CONDITION_Z:
        return EMU_KERNEL_EQ;
    case SONDE_GEN_CONDITION_NZ:
        return EMU_KERNEL_NE;
    case SONDE_GEN_CONDITION_G:
        return EMU_KERNEL_GT;
    case SONDE_GEN_CONDITION_GE:
        return EMU_KERNEL_GE;
    case SONDE_GEN_CONDITION_L:
        return EMU_KERNEL_LT;
    case SONDE_GEN_CONDITION_LE:
        return EMU_KERNEL_LE;
    default:
        return EMU_KERNEL_NONE;
    }
}

static enum emu_kernel math_kernel(uint8_t function, enum emu_domain domain)
{
    static const uint8_t single[] = {
        [SONDE_GEN_MATH_INV] = EMU_KERNEL_INV,   [SONDE_GEN_MATH_LOG] = EMU_KERNEL_LOG,
        [SONDE_GEN_MATH_EXP] = EMU_KERNEL_EXP,   [SONDE_GEN_MATH_SQT] = EMU_KERNEL_SQT,
        [SONDE_GEN_MATH_RSQT] = EMU_KERNEL_RSQT, [SONDE_GEN_MATH_SIN] = EMU_KERNEL_SIN,
        [SONDE_GEN_MATH_COS] = EMU_KERNEL_COS,   [SONDE_GEN_MATH_FDIV] = EMU_KERNEL_FDIV,
        [SONDE_GEN_MATH_POW] = EMU_KERNEL_POW,
    };
    if (domain == EMU_DOMAIN_FLOAT && function < sizeof(single))
        return (enum emu_kernel)single[function];
    if (domain == EMU_DOMAIN_INTEGER && function == SONDE_GEN_MATH_IQOT)
        return EMU_KERNEL_IQOT;
    if (domain == EMU_DOMAIN_INTEGER && function == SONDE_GEN_MATH_IREM)
        return EMU_KERNEL_IREM;
    return EMU_KERNEL_NONE;
}

/* The kernel of the row, made precise by condition and math function. */
static enum emu_kernel kernel_of(const struct plan *plan)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    switch (instruction->opcode) {
    case SONDE_GEN_CMP:
        return condition_kernel(instruction->condition);
    case SONDE_GEN_SEL:
        if (!instruction->condition)
            return EMU_KERNEL_SEL;
        if (instruction->condition == SONDE_GEN_CONDITION_L)
            return EMU_KERNEL_MIN;
        return instruction->condition == SONDE_GEN_CONDITION_GE ? EMU_KERNEL_MAX : EMU_KERNEL_NONE;
    case SONDE_GEN_MATH:
        return math_kernel(instruction->math, plan->domain);
    default:
        return (enum emu_kernel)plan->row->kernel;
    }
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
static bool choose_modifier(const struct plan *plan, unsigned index, emu_compute_function **modify)
{
    const struct sonde_gen_operand *operand = source_of(plan, index);
    bool absolute = operand->absolute && !is_unsigned(operand->type);
    enum emu_kernel kernel = EMU_KERNEL_NONE;
    if (is_logic(plan) && operand->negate)
        kernel = EMU_KERNEL_NOT;
    else if (operand->negate)
        kernel = absolute ? EMU_KERNEL_NEGATE_ABSOLUTE : EMU_KERNEL_NEGATE;
    else if (absolute)
        kernel = EMU_KERNEL_ABSOLUTE;
    *modify = NULL;
    if (kernel == EMU_KERNEL_NONE)
        return true;
    if (is_logic(plan) && absolute)
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

static bool plan_constant(struct plan *plan, unsigned index)
{
    struct emu_source *source = &plan->operation->source[index];
    uint8_t storage[EMU_LANES * 8];
    uint8_t *lanes = emu_arena_take(plan->arena, LANE_BUFFER);
    uint32_t channels = plan->operation->exec_size;
    uint8_t type = expand_immediate(source_of(plan, index), plan->load_type[index], storage);
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

static bool plan_source(struct plan *plan, unsigned index)
{
    struct emu_source *source = &plan->operation->source[index];
    const struct emu_region *region = &plan->details->source[index];
    const struct sonde_gen_operand *operand = source_of(plan, index);
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
    source->load =
        plan->table
            ->load[plan->load_type[index]][load_lane(plan->lane)][region->region][plan->count];
    return source->load != NULL;
}

/* Integer stores that only truncate are kept for the unsigned types. */
static uint8_t store_type(const struct plan *plan, uint8_t type, enum emu_lane_type *lane)
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
static bool overlaps_source(const struct plan *plan)
{
    const struct emu_region *destination = &plan->details->destination;
    for (unsigned i = 0; i < plan->sources; i++) {
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

/* Integer results go to accumulator lanes whole. */
static bool plan_accumulator_store(struct plan *plan)
{
    struct emu_operation *operation = plan->operation;
    const struct emu_region *region = &plan->details->destination;
    if (plan->lane != EMU_LANE_I64 || plan->row->rule != EMU_RULE_WRAP ||
        plan->details->instruction.saturate ||
        (operation->exec_size > 1 && region->stride != (int32_t)EMU_LANE_BYTES))
        return false;
    operation->store = plan->table->store[EMU_LANE_I64][SONDE_GEN_TYPE_Q][0][plan->count];
    operation->destination = region->base;
    operation->destination_stride = EMU_LANE_BYTES;
    return operation->store != NULL;
}

static bool plan_store(struct plan *plan)
{
    struct emu_operation *operation = plan->operation;
    const struct emu_details *details = plan->details;
    const struct emu_region *region = &details->destination;
    bool saturate = details->instruction.saturate;
    enum emu_lane_type lane;
    if (!details->has_destination)
        return true;
    if (details->writes_acc)
        return plan_accumulator_store(plan);
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
static bool condition_lane(const struct plan *plan, enum emu_lane_type *lane)
{
    const struct emu_region *destination = &plan->details->destination;
    *lane = plan->lane;
    if (plan->domain != EMU_DOMAIN_INTEGER || sonde_gen_type_is_float(destination->type))
        return true;
    bool complement = plan->kernel == EMU_KERNEL_NOT;
    for (unsigned i = 0; i < plan->sources; i++)
        complement = complement || source_of(plan, i)->negate;
    if (destination->size < lane_size(plan->lane) &&
        (!is_logic(plan) || !types_agree(plan) || complement))
        return false;
    *lane = load_lane(plan->lane);
    if (is_unsigned(destination->type))
        *lane = *lane == EMU_LANE_I64 ? EMU_LANE_U64 : EMU_LANE_U32;
    return true;
}

static bool plan_condition(struct plan *plan)
{
    struct emu_operation *operation = plan->operation;
    uint8_t opcode = plan->row->opcode;
    if (!operation->condition || opcode == SONDE_GEN_SEL)
        return true;
    operation->collect = plan->table->collect[lane_size(plan->lane) == 8];
    if (opcode == SONDE_GEN_CMP)
        return true;
    enum emu_kernel kernel = condition_kernel(operation->condition);
    if (kernel == EMU_KERNEL_NONE)
        return false;
    enum emu_lane_type lane;
    if (!condition_lane(plan, &lane))
        return false;
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

static emu_run_function run_indirect, run_accumulator, run_in_place, run_write_masked;

static bool all_in_place(const struct emu_operation *operation)
{
    for (unsigned i = 0; i < operation->source_count; i++)
        if (operation->source[i].load || operation->source[i].indirect)
            return false;
    return operation->direct_store && !operation->selects && !operation->collect;
}

bool emu_fast_translate(struct emu_arena *arena, enum emu_path path,
                        struct emu_operation *operation)
{
    const struct emu_details *details = operation->details;
    const struct sonde_gen_instruction *instruction = &details->instruction;
    struct plan plan = {.arena = arena,
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
    plan.kernel = kernel_of(&plan);
    if (plan.kernel == EMU_KERNEL_NONE)
        return false;
    for (unsigned i = 0; i < plan.sources; i++)
        plan.load_type[i] = type_of(&plan, i);
    plan.count = operation->exec_size == 1    ? EMU_COUNT_1
                 : operation->exec_size == 8  ? EMU_COUNT_8
                 : operation->exec_size == 16 ? EMU_COUNT_16
                                              : EMU_COUNT_ANY;
    bool fits = plan.domain == EMU_DOMAIN_INTEGER ? plan_integer(&plan) : plan_float(&plan);
    for (unsigned i = 0; fits && i < plan.sources; i++)
        fits = plan_source(&plan, i);
    operation->source_count = (uint8_t)plan.sources;
    operation->parameter = instruction->boolean;
    operation->compute = plan.table->compute[plan.kernel][plan.lane][plan.count];
    fits = fits && (operation->compute || plan.row->rule == EMU_RULE_ACCUMULATOR) &&
           plan_condition(&plan) && plan_store(&plan);
    bool partial = (details->written_channels & operation->window) != operation->window;
    if (operation->indirect && partial)
        fits = false;
    if (!fits)
        forget(operation);
    else if (operation->indirect)
        operation->run = run_indirect;
    else if (partial)
        operation->run = run_write_masked;
    else if (plan.row->rule == EMU_RULE_ACCUMULATOR)
        operation->run = run_accumulator;
    else if (all_in_place(operation))
        operation->run = run_in_place;
    else
        operation->run = emu_run_fast;
    return fits;
}

static inline uint32_t indirect_base(const struct emu_thread *thread,
                                     const struct emu_source *source)
{
    return source->base + thread->address[source->address_subreg];
}

static inline const void *source_lanes(struct emu_thread *thread,
                                       const struct emu_operation *operation, unsigned index,
                                       void *buffer)
{
    const struct emu_source *source = &operation->source[index];
    if (source->constant)
        return source->constant;
    const uint8_t *data = thread->grf + source->base;
    if (source->indirect)
        data = thread->grf + indirect_base(thread, source);
    if (!source->load)
        return data;
    source->load(buffer, data, source->stride, source->offset, operation->exec_size);
    if (source->modify)
        source->modify(buffer, buffer, NULL, NULL, 0, operation->exec_size);
    return buffer;
}

static const _Alignas(64) uint8_t zero_lanes[LANE_BUFFER];

/* Flags, saturation and store of a result in a buffer. */
static void finish(struct emu_thread *thread, const struct emu_operation *operation, void *result,
                   uint32_t mask)
{
    _Alignas(64) uint8_t scratch[LANE_BUFFER];
    uint32_t count = operation->exec_size;
    if (operation->collect) {
        const void *outcome = result;
        if (operation->compare) {
            operation->compare(scratch, result, zero_lanes, NULL, 0, count);
            outcome = scratch;
        }
        uint32_t bits = operation->collect(outcome, count);
        emu_flag_write(thread, operation, bits, mask);
    }
    if (!operation->store)
        return;
    if (operation->saturate)
        operation->saturate(result, result, NULL, NULL, 0, count);
    operation->store(thread->grf + operation->destination, result, operation->destination_stride,
                     operation->destination_offset, mask, count);
}

/* Nothing but sources in place, one kernel, and a store: the commonest form. */
static void run_in_place(struct emu_thread *thread, const struct emu_operation *operation,
                         uint32_t mask)
{
    const void *lanes[EMU_OPERAND_MAX] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < operation->source_count; i++) {
        const struct emu_source *source = &operation->source[i];
        lanes[i] = source->constant ? source->constant : thread->grf + source->base;
    }
    uint8_t *destination = thread->grf + operation->destination;
    if (mask == operation->window) {
        operation->compute(destination, lanes[0], lanes[1], lanes[2], operation->parameter,
                           operation->exec_size);
        return;
    }
    _Alignas(64) uint8_t result[LANE_BUFFER];
    operation->compute(result, lanes[0], lanes[1], lanes[2], operation->parameter,
                       operation->exec_size);
    operation->store(destination, result, operation->destination_stride,
                     operation->destination_offset, mask, operation->exec_size);
}

void emu_run_fast(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    _Alignas(64) uint8_t buffers[EMU_OPERAND_MAX][LANE_BUFFER];
    _Alignas(64) uint8_t result[LANE_BUFFER];
    const void *a = source_lanes(thread, operation, 0, buffers[0]), *b = NULL, *c = NULL;
    if (operation->source_count > 1)
        b = source_lanes(thread, operation, 1, buffers[1]);
    if (operation->source_count > 2)
        c = source_lanes(thread, operation, 2, buffers[2]);
    uint32_t select =
        operation->selects ? emu_predicate_mask(thread, operation) : operation->parameter;
    if (operation->direct_store && mask == operation->window) {
        operation->compute(thread->grf + operation->destination, a, b, c, select,
                           operation->exec_size);
        return;
    }
    operation->compute(result, a, b, c, select, operation->exec_size);
    finish(thread, operation, result, mask);
}

/* Only some channels of each group of four are written (align16). */
static void run_write_masked(struct emu_thread *thread, const struct emu_operation *operation,
                             uint32_t mask)
{
    emu_run_fast(thread, operation, mask & operation->details->written_channels);
}

/* Register-indirect sources; one that leaves the register file is left to the
 * general path, which reports it. */
static void run_indirect(struct emu_thread *thread, const struct emu_operation *operation,
                         uint32_t mask)
{
    for (unsigned i = 0; i < operation->source_count; i++) {
        const struct emu_source *source = &operation->source[i];
        if (source->indirect && indirect_base(thread, source) + source->extent > EMU_GRF_BYTES) {
            emu_general_run(thread, operation, mask);
            return;
        }
    }
    if (operation->compute)
        emu_run_fast(thread, operation, mask);
    else
        run_accumulator(thread, operation, mask);
}

static void mask_store(struct emu_thread *thread, const struct emu_operation *operation,
                       const int64_t *result, uint32_t mask)
{
    if (operation->store)
        operation->store(thread->grf + operation->destination, result,
                         operation->destination_stride, operation->destination_offset, mask,
                         operation->exec_size);
}

/* mach, addc and subb: a 32-bit result and a 64-bit accumulator lane. */
static void run_accumulator(struct emu_thread *thread, const struct emu_operation *operation,
                            uint32_t mask)
{
    _Alignas(64) int64_t buffers[2][EMU_LANES], result[EMU_LANES], lanes[EMU_LANES];
    const int64_t *a = source_lanes(thread, operation, 0, buffers[0]);
    const int64_t *b = source_lanes(thread, operation, 1, buffers[1]);
    uint32_t count = operation->exec_size;
    uint8_t opcode = operation->details->instruction.opcode;
    if (emu_is_low_product(&operation->details->instruction)) {
        for (uint32_t i = 0; i < count; i++)
            result[i] = (int64_t)(thread->acc[i] + ((uint64_t)a[i] * (uint64_t)(b[i] >> 16) << 16));
        mask_store(thread, operation, result, mask);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t total = 0;
        if (opcode == SONDE_GEN_MACH) {
            total = thread->acc[i] + ((uint64_t)a[i] * (uint64_t)(b[i] >> 16) << 16);
            result[i] = (int64_t)(total >> 32);
        } else if (opcode == SONDE_GEN_ADDC) {
            total = (uint64_t)(uint32_t)a[i] + (uint32_t)b[i];
            result[i] = (int64_t)total;
            total >>= 32;
        } else {
            total = (uint32_t)a[i] < (uint32_t)b[i];
            result[i] = a[i] - b[i];
        }
        lanes[i] = (int64_t)total;
    }
    for (uint32_t i = 0; i < count; i++)
        if (mask >> i & 1)
            thread->acc[i] = (uint64_t)lanes[i];
    mask_store(thread, operation, result, mask);
}
