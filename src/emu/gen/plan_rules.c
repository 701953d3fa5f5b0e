/* What an instruction asks of the fast path: the kernel and the lane type, by
 * the rule of its opcode. */
#include "emu/gen/plan.h"

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

/* Facts about the integer sources and the destination of a plan. */
struct integer_facts {
    bool wide;          /* some operand has 64 bits */
    bool unsigned_long; /* some source is uq */
    bool unsigned_int;  /* some source is ud */
    bool negative;      /* some source may be negative */
    bool modified;
};

static struct integer_facts integer_facts_of(const struct emu_plan *plan)
{
    struct integer_facts facts = {.wide = plan->details->destination.size == 8 &&
                                          plan->details->has_destination};
    for (unsigned i = 0; i < plan->sources; i++) {
        uint8_t type = emu_plan_type(plan, i);
        facts.wide = facts.wide || sonde_gen_type_size(type) == 8;
        facts.unsigned_long = facts.unsigned_long || type == SONDE_GEN_TYPE_UQ;
        facts.unsigned_int = facts.unsigned_int || type == SONDE_GEN_TYPE_UD;
        facts.negative = facts.negative || !emu_type_is_unsigned(type);
        facts.modified = facts.modified || emu_plan_operand(plan, i)->negate ||
                         emu_plan_operand(plan, i)->absolute;
    }
    return facts;
}

/* Logic results narrower than a lane only keep the sign that a condition
 * looks at when all types agree. */
bool emu_plan_types_agree(const struct emu_plan *plan)
{
    for (unsigned i = 0; i < plan->sources; i++)
        if (emu_type_is_unsigned(emu_plan_type(plan, i)) !=
                emu_type_is_unsigned(plan->details->destination.type) ||
            sonde_gen_type_size(emu_plan_type(plan, i)) > plan->details->destination.size)
            return false;
    return true;
}

bool emu_plan_is_logic(const struct emu_plan *plan)
{
    return plan->kernel == EMU_KERNEL_AND || plan->kernel == EMU_KERNEL_OR ||
           plan->kernel == EMU_KERNEL_XOR || plan->kernel == EMU_KERNEL_NOT ||
           plan->kernel == EMU_KERNEL_BFN;
}

static bool plan_wrap(struct emu_plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    plan->lane = facts->wide || plan->details->writes_acc ? EMU_LANE_I64 : EMU_LANE_I32;
    if (plan->details->writes_acc && (facts->wide || instruction->condition))
        return false; /* the exact result may be wider than a lane */
    if (instruction->saturate) {
        plan->lane = EMU_LANE_I64; /* holds the exact result of 32-bit operands */
        return !emu_plan_is_logic(plan) && !instruction->condition && !facts->wide &&
               (plan->kernel == EMU_KERNEL_ADD || plan->kernel == EMU_KERNEL_ADD3 ||
                !facts->unsigned_int);
    }
    return true;
}

static bool plan_shift(struct emu_plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    bool wide =
        plan->details->destination.size == 8 || sonde_gen_type_size(emu_plan_type(plan, 0)) == 8;
    (void)facts;
    if (instruction->saturate || emu_plan_operand(plan, 1)->negate ||
        emu_plan_operand(plan, 1)->absolute)
        return false;
    if (plan->kernel == EMU_KERNEL_SHL) {
        plan->lane = wide ? EMU_LANE_I64 : EMU_LANE_I32;
        return true;
    }
    if (plan->kernel == EMU_KERNEL_ASR && !emu_type_is_unsigned(emu_plan_type(plan, 0))) {
        plan->lane = wide ? EMU_LANE_I64 : EMU_LANE_I32;
        return !emu_plan_operand(plan, 0)->negate && !emu_plan_operand(plan, 0)->absolute;
    }
    if (emu_plan_operand(plan, 0)->negate || emu_plan_operand(plan, 0)->absolute)
        return false;
    plan->kernel = EMU_KERNEL_SHR;
    plan->lane = wide ? EMU_LANE_U64 : EMU_LANE_U32;
    plan->load_type[0] = as_unsigned(emu_plan_type(plan, 0));
    return emu_plan_type(plan, 0) != SONDE_GEN_TYPE_V;
}

static bool plan_compare(struct emu_plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    bool long_source = false;
    for (unsigned i = 0; i < plan->sources; i++)
        long_source = long_source || sonde_gen_type_size(emu_plan_type(plan, i)) == 8;
    if (instruction->saturate || (long_source && facts->modified))
        return false;
    if (plan->row->opcode == SONDE_GEN_CSEL) {
        plan->lane = EMU_LANE_I32;
        return !facts->wide && !facts->modified &&
               !sonde_gen_type_is_float(plan->details->destination.type);
    }
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

static bool plan_move(struct emu_plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    uint8_t source = emu_plan_type(plan, 0), destination = plan->details->destination.type;
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
    plan->lane = facts->wide || plan->details->writes_acc ? EMU_LANE_I64 : EMU_LANE_I32;
    return true;
}

/* Low 32 bits in, a count or field out. */
static bool plan_bits(struct emu_plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    uint8_t last = emu_plan_type(plan, plan->sources - 1);
    bool by_sign = plan->kernel == EMU_KERNEL_FBH || plan->kernel == EMU_KERNEL_BFE;
    plan->lane = by_sign && !emu_type_is_unsigned(last) ? EMU_LANE_I32 : EMU_LANE_U32;
    bool rotates = plan->kernel == EMU_KERNEL_ROL || plan->kernel == EMU_KERNEL_ROR;
    if (rotates && sonde_gen_type_size(emu_plan_type(plan, 0)) != 4)
        return false;
    if (plan->kernel == EMU_KERNEL_CBIT)
        plan->load_type[0] = as_unsigned(emu_plan_type(plan, 0));
    return !facts->wide && !facts->modified && !instruction->condition && !instruction->saturate;
}

static bool plan_divide(struct emu_plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    uint8_t type = plan->details->destination.type;
    plan->lane = type == SONDE_GEN_TYPE_D ? EMU_LANE_I32 : EMU_LANE_U32;
    return (type == SONDE_GEN_TYPE_D || type == SONDE_GEN_TYPE_UD) && plan->sources == 2 &&
           emu_plan_type(plan, 0) == type && emu_plan_type(plan, 1) == type && !facts->modified &&
           !instruction->condition && !instruction->saturate;
}

/* Operations that write acc0 beside their destination. */
static bool plan_accumulator(struct emu_plan *plan, const struct integer_facts *facts)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    plan->lane = EMU_LANE_I64;
    if (emu_is_low_product(instruction)) {
        plan->kernel = EMU_KERNEL_MACL;
        plan->lane = EMU_LANE_I32;
    }
    return !facts->wide && !facts->modified && !instruction->condition && !instruction->saturate &&
           !plan->details->writes_acc &&
           (plan->details->destination.size == 4 || !plan->details->has_destination);
}

static bool plan_integer(struct emu_plan *plan)
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

static bool plan_float(struct emu_plan *plan)
{
    bool twice = plan->domain == EMU_DOMAIN_DOUBLE;
    plan->lane = twice ? EMU_LANE_F64 : EMU_LANE_F32;
    for (unsigned i = 0; i < plan->sources; i++)
        if (!sonde_gen_type_is_float(emu_plan_type(plan, i)) ||
            (twice && emu_plan_type(plan, i) == SONDE_GEN_TYPE_HF))
            return false;
    /* a fused product rounded twice would differ */
    return plan->kernel != EMU_KERNEL_MAD || plan->details->destination.type != SONDE_GEN_TYPE_HF;
}

enum emu_kernel emu_plan_condition_kernel(uint8_t condition)
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
enum emu_kernel emu_plan_kernel(const struct emu_plan *plan)
{
    const struct sonde_gen_instruction *instruction = &plan->details->instruction;
    switch (instruction->opcode) {
    case SONDE_GEN_CMP:
        return emu_plan_condition_kernel(instruction->condition);
    case SONDE_GEN_SEL:
        if (!instruction->condition)
            return EMU_KERNEL_SEL;
        if (instruction->condition == SONDE_GEN_CONDITION_L)
            return EMU_KERNEL_MIN;
        return instruction->condition == SONDE_GEN_CONDITION_GE ? EMU_KERNEL_MAX : EMU_KERNEL_NONE;
    case SONDE_GEN_CSEL:
        return emu_plan_condition_kernel(instruction->condition) != EMU_KERNEL_NONE
                   ? EMU_KERNEL_SEL
                   : EMU_KERNEL_NONE;
    case SONDE_GEN_MATH:
        return math_kernel(instruction->math, plan->domain);
    default:
        return (enum emu_kernel)plan->row->kernel;
    }
}

bool emu_plan_lanes(struct emu_plan *plan)
{
    return plan->domain == EMU_DOMAIN_INTEGER ? plan_integer(plan) : plan_float(plan);
}
