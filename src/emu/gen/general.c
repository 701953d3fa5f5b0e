/* The general path: any operand, type, region and modifier, one channel at a
 * time over exact values. It is the reference for the fast path. */
#include <math.h>
#include <string.h>

#include "emu/gen/half.h"
#include "emu/gen/semantics.h"

/* Denormals are kept when the control register says so for the type. */
static bool keeps_denormals(const struct emu_thread *thread, uint8_t type)
{
    unsigned bit = type == SONDE_GEN_TYPE_DF ? 6 : type == SONDE_GEN_TYPE_HF ? 10 : 7;
    return thread->control[0] >> bit & 1;
}

static float flush_single(float value)
{
    return fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

static double flush_twice(double value)
{
    return fpclassify(value) == FP_SUBNORMAL ? copysign(0, value) : value;
}

/* Immediate vectors: v, uv eight 4-bit integers; vf four 1-3-4 bit floats. */
static void read_vector(uint8_t type, uint32_t bits, uint32_t channel, struct emu_value *value)
{
    if (type == SONDE_GEN_TYPE_VF) {
        uint32_t small = bits >> (channel % 4 * 8) & 0xff;
        float magnitude = (small & 0x7f) == 0
                              ? 0.0f
                              : ldexpf(1.0f + (float)(small & 15) / 16, (int)(small >> 4 & 7) - 3);
        value->f = small & 0x80 ? -magnitude : magnitude;
        return;
    }
    int32_t small = (int32_t)(bits >> (channel % 8 * 4) & 15);
    value->i = type == SONDE_GEN_TYPE_V && small > 7 ? small - 16 : small;
}

static void read_value(const struct emu_thread *thread, const uint8_t *data, uint8_t type,
                       struct emu_value *value)
{
    uint64_t bits = 0;
    memcpy(&bits, data, sonde_gen_type_size(type));
    switch (type) {
    case SONDE_GEN_TYPE_B:
        value->i = (int8_t)bits;
        return;
    case SONDE_GEN_TYPE_W:
        value->i = (int16_t)bits;
        return;
    case SONDE_GEN_TYPE_D:
        value->i = (int32_t)bits;
        return;
    case SONDE_GEN_TYPE_Q:
        value->i = (int64_t)bits;
        return;
    case SONDE_GEN_TYPE_HF:
        value->f = emu_half_to_float((uint16_t)bits);
        if (!keeps_denormals(thread, type) && (bits & 0x7c00) == 0)
            value->f = copysignf(0, value->f);
        return;
    case SONDE_GEN_TYPE_F:
        memcpy(&value->f, data, sizeof(value->f));
        if (!keeps_denormals(thread, type))
            value->f = flush_single(value->f);
        return;
    case SONDE_GEN_TYPE_DF:
        memcpy(&value->d, data, sizeof(value->d));
        if (!keeps_denormals(thread, type))
            value->d = flush_twice(value->d);
        return;
    default:
        value->i = bits;
    }
}

/* Bring a source into the domain of the instruction. */
static void promote(struct emu_value *value, uint8_t type, enum emu_domain domain)
{
    bool is_float =
        type == SONDE_GEN_TYPE_F || type == SONDE_GEN_TYPE_HF || type == SONDE_GEN_TYPE_VF;
    if (domain == EMU_DOMAIN_DOUBLE && is_float)
        value->d = (double)value->f;
    else if (domain == EMU_DOMAIN_DOUBLE && type != SONDE_GEN_TYPE_DF)
        value->d = (double)(int64_t)value->i;
    else if (domain == EMU_DOMAIN_FLOAT && !is_float)
        value->f = (float)(int64_t)value->i;
}

static void modify(const struct emu_details *details, unsigned index, enum emu_domain domain,
                   struct emu_value *value)
{
    const struct sonde_gen_operand *operand = &details->instruction.src[index];
    uint8_t opcode = details->instruction.opcode;
    bool logic = opcode == SONDE_GEN_AND || opcode == SONDE_GEN_OR || opcode == SONDE_GEN_XOR ||
                 opcode == SONDE_GEN_NOT || opcode == SONDE_GEN_BFN;
    if (operand->absolute) {
        if (value->i < 0)
            value->i = -value->i;
        value->f = fabsf(value->f);
        value->d = fabs(value->d);
    }
    if (!operand->negate)
        return;
    if (domain == EMU_DOMAIN_INTEGER)
        value->i = logic ? ~value->i : -value->i;
    value->f = -value->f;
    value->d = -value->d;
}

enum emu_domain emu_general_domain(const struct emu_details *details)
{
    enum emu_domain domain = EMU_DOMAIN_INTEGER;
    for (unsigned i = 0; i < details->semantics->sources; i++) {
        if (i >= details->instruction.source_count)
            break;
        uint8_t type = details->instruction.src[i].type;
        if (type == SONDE_GEN_TYPE_DF)
            return EMU_DOMAIN_DOUBLE;
        if (type == SONDE_GEN_TYPE_F || type == SONDE_GEN_TYPE_HF || type == SONDE_GEN_TYPE_VF)
            domain = EMU_DOMAIN_FLOAT;
    }
    return domain;
}

/* Byte offset of an element, register-indirect regions included. Returns
 * false when it leaves the register file. */
static bool element_offset(const struct emu_thread *thread, const struct emu_region *region,
                           uint32_t channel, uint32_t *offset)
{
    *offset = region->base + region->offset[channel];
    if (!region->indirect)
        return true;
    uint32_t subreg = region->address_subreg;
    if (region->multi_address)
        subreg += channel / region->row;
    *offset += thread->address[subreg & 15];
    return *offset + region->size <= thread->register_bytes;
}

static bool load_source(struct emu_thread *thread, const struct emu_operation *operation,
                        unsigned index, enum emu_domain domain, struct emu_lane *lanes)
{
    const struct emu_details *details = operation->details;
    const struct sonde_gen_operand *operand = &details->instruction.src[index];
    const struct emu_region *region = &details->source[index];
    for (uint32_t i = 0; i < operation->exec_size; i++) {
        struct emu_value *value = &lanes[i].source[index];
        if (operand->file != SONDE_GEN_FILE_IMMEDIATE) {
            uint32_t offset;
            if (!element_offset(thread, region, i, &offset)) {
                emu_thread_fault(thread, operation, operation->window,
                                 "register-indirect source lies outside the register file");
                return false;
            }
            read_value(thread, thread->grf + offset, operand->type, value);
        } else if (operand->type == SONDE_GEN_TYPE_V || operand->type == SONDE_GEN_TYPE_UV ||
                   operand->type == SONDE_GEN_TYPE_VF) {
            read_vector(operand->type, (uint32_t)operand->immediate, i, value);
        } else {
            read_value(thread, (const uint8_t *)&operand->immediate, operand->type, value);
        }
        promote(value, operand->type, domain);
        modify(details, index, domain, value);
    }
    return true;
}

static __int128 clamp(__int128 value, __int128 low, __int128 high)
{
    return value < low ? low : value > high ? high : value;
}

/* Smallest and largest value of an integer type. */
static void type_limits(uint8_t type, __int128 *low, __int128 *high)
{
    unsigned bits = 8u * sonde_gen_type_size(type);
    if (sonde_gen_type_is_signed(type)) {
        *low = -((__int128)1 << (bits - 1));
        *high = ((__int128)1 << (bits - 1)) - 1;
    } else {
        *low = 0;
        *high = ((__int128)1 << bits) - 1;
    }
}

/* Float to integer: toward zero, out of range to the nearest limit, NaN to 0. */
static __int128 to_integer(double value, uint8_t type)
{
    __int128 low, high;
    type_limits(type, &low, &high);
    if (value != value)
        return 0;
    if (value <= (double)low)
        return low;
    if (value >= (double)high)
        return high;
    return (__int128)value;
}

static float saturate_single(float value)
{
    return value > 1 ? 1 : value > 0 ? value : 0;
}

static double saturate_twice(double value)
{
    return value > 1 ? 1 : value > 0 ? value : 0;
}

/* Result value to the destination's type, as bits. */
static uint64_t convert(const struct emu_thread *thread, const struct emu_details *details,
                        const struct emu_lane *lane, enum emu_domain domain)
{
    uint8_t type = details->destination.type;
    bool saturate = details->instruction.saturate;
    if (lane->raw_result)
        return (uint64_t)lane->result.i;
    if (!sonde_gen_type_is_float(type)) {
        __int128 low, high, value = lane->result.i;
        if (domain == EMU_DOMAIN_FLOAT)
            value = to_integer((double)lane->result.f, type);
        else if (domain == EMU_DOMAIN_DOUBLE)
            value = to_integer(lane->result.d, type);
        type_limits(type, &low, &high);
        return (uint64_t)(saturate ? clamp(value, low, high) : value);
    }
    double twice = domain == EMU_DOMAIN_DOUBLE  ? lane->result.d
                   : domain == EMU_DOMAIN_FLOAT ? (double)lane->result.f
                   : lane->result.i < 0         ? (double)(int64_t)lane->result.i
                                                : (double)(uint64_t)lane->result.i;
    uint64_t bits = 0;
    if (type == SONDE_GEN_TYPE_DF) {
        twice = saturate ? saturate_twice(twice) : twice;
        if (!keeps_denormals(thread, type))
            twice = flush_twice(twice);
        memcpy(&bits, &twice, sizeof(twice));
        return bits;
    }
    float single = domain == EMU_DOMAIN_FLOAT    ? lane->result.f
                   : domain == EMU_DOMAIN_DOUBLE ? (float)twice
                   : lane->result.i < 0          ? (float)(int64_t)lane->result.i
                                                 : (float)(uint64_t)lane->result.i;
    single = saturate ? saturate_single(single) : single;
    if (type == SONDE_GEN_TYPE_HF) {
        uint16_t half = emu_float_to_half(single, thread->control[0] >> 4 & 3);
        if (!keeps_denormals(thread, type) && (half & 0x7c00) == 0)
            half &= 0x8000;
        return half;
    }
    if (!keeps_denormals(thread, type))
        single = flush_single(single);
    memcpy(&bits, &single, sizeof(single));
    return bits;
}

/* What the accumulator keeps of an integer result. */
static int64_t wide_value(const struct emu_details *details, const struct emu_lane *lane,
                          enum emu_domain domain, uint64_t bits)
{
    if (lane->has_second)
        return (int64_t)lane->second.i;
    if (domain == EMU_DOMAIN_INTEGER && !details->instruction.saturate && !lane->raw_result &&
        !sonde_gen_type_is_float(details->destination.type))
        return (int64_t)lane->result.i;
    return (int64_t)bits;
}

/* The integer result as the destination holds it; conditions look at that. */
static __int128 as_stored(const struct emu_lane *lane, const struct emu_details *details)
{
    unsigned bits = 8u * details->destination.size;
    if (details->instruction.saturate || sonde_gen_type_is_float(details->destination.type))
        return lane->result.i;
    unsigned __int128 low =
        (unsigned __int128)lane->result.i & (((unsigned __int128)1 << bits) - 1);
    bool negative = sonde_gen_type_is_signed(details->destination.type) && low >> (bits - 1);
    return negative ? (__int128)low - ((__int128)1 << bits) : (__int128)low;
}

static bool condition_of(const struct emu_lane *lane, const struct emu_details *details,
                         enum emu_domain domain)
{
    double value = domain == EMU_DOMAIN_DOUBLE ? lane->result.d : (double)lane->result.f;
    if (domain == EMU_DOMAIN_INTEGER) {
        __int128 stored = as_stored(lane, details);
        value = stored < 0 ? -1 : stored > 0;
    }
    __int128 low, high;
    switch (lane->condition) {
    case SONDE_GEN_CONDITION_Z:
        return value == 0;
    case SONDE_GEN_CONDITION_NZ:
        return value != 0;
    case SONDE_GEN_CONDITION_G:
        return value > 0;
    case SONDE_GEN_CONDITION_GE:
        return value >= 0;
    case SONDE_GEN_CONDITION_L:
        return value < 0;
    case SONDE_GEN_CONDITION_LE:
        return value <= 0;
    case SONDE_GEN_CONDITION_O:
        if (domain != EMU_DOMAIN_INTEGER)
            return isinf(value);
        type_limits(details->destination.type, &low, &high);
        return lane->result.i < low || lane->result.i > high;
    case SONDE_GEN_CONDITION_U:
        return value != value;
    default:
        return false;
    }
}

/* acc0 as an operand that the instruction implies. */
static void read_accumulator(const struct emu_thread *thread, struct emu_lane *lane,
                             enum emu_domain domain)
{
    uint8_t type = lane->details->destination.type;
    struct emu_value value = {0};
    lane->accumulator.i = thread->acc_wide[lane->channel];
    if (domain == EMU_DOMAIN_INTEGER || !sonde_gen_type_is_float(type))
        return;
    read_value(thread, thread->acc + lane->channel * sonde_gen_type_size(type), type, &value);
    promote(&value, type, domain);
    lane->accumulator.f = value.f;
    lane->accumulator.d = value.d;
}

static void write_accumulator(struct emu_thread *thread, const struct emu_details *details,
                              const struct emu_lane *lane, enum emu_domain domain, uint64_t bits)
{
    int64_t wide = wide_value(details, lane, domain, bits);
    uint64_t image = lane->has_second ? (uint64_t)wide : bits;
    uint32_t size = details->destination.size;
    thread->acc_wide[lane->channel] = wide;
    memcpy(thread->acc + lane->channel * size, &image, size);
}

static bool store_result(struct emu_thread *thread, const struct emu_operation *operation,
                         const struct emu_lane *lane, enum emu_domain domain)
{
    const struct emu_details *details = operation->details;
    const struct emu_region *region = &details->destination;
    uint64_t bits = convert(thread, details, lane, domain);
    uint32_t offset;
    if (details->instruction.accumulator_write || lane->has_second)
        write_accumulator(thread, details, lane, domain, bits);
    if (!details->has_destination)
        return true;
    if (!element_offset(thread, region, lane->channel, &offset)) {
        emu_thread_fault(thread, operation, operation->window,
                         "register-indirect destination lies outside the register file");
        return false;
    }
    memcpy(thread->grf + offset, &bits, region->size);
    if (details->writes_acc) {
        uint32_t element = (offset - EMU_OFFSET(acc)) / region->size;
        if (element < EMU_LANES)
            thread->acc_wide[element] = wide_value(details, lane, domain, bits);
    }
    if (lane->second_follows) {
        uint32_t next = (uint32_t)region->size * operation->exec_size;
        uint32_t second = (uint32_t)lane->second.i;
        if (offset + next + sizeof(second) <= thread->register_bytes)
            memcpy(thread->grf + offset + next, &second, sizeof(second));
    }
    return true;
}

static uint8_t execution_bits(const struct emu_details *details)
{
    if (details->destination.size == 8)
        return 64;
    return details->instruction.src[0].type == SONDE_GEN_TYPE_Q ||
                   details->instruction.src[0].type == SONDE_GEN_TYPE_UQ
               ? 64
               : 32;
}

void emu_general_run(struct emu_thread *thread, const struct emu_operation *operation,
                     uint32_t mask)
{
    const struct emu_details *details = operation->details;
    const struct emu_semantics *semantics = details->semantics;
    enum emu_domain domain = emu_general_domain(details);
    emu_lane_function *function = domain == EMU_DOMAIN_DOUBLE  ? semantics->twice
                                  : domain == EMU_DOMAIN_FLOAT ? semantics->single
                                                               : semantics->integer;
    if (!function) {
        emu_thread_fault(thread, operation, mask, "the operation has no form for these types");
        return;
    }
    mask &= details->written_channels;
    struct emu_lane lanes[EMU_LANES];
    memset(lanes, 0, sizeof(lanes[0]) * operation->exec_size);
    uint32_t sources = semantics->sources;
    if (sources > details->instruction.source_count)
        sources = details->instruction.source_count;
    for (unsigned i = 0; i < sources; i++)
        if (!load_source(thread, operation, i, domain, lanes))
            return;
    uint32_t select = operation->selects ? emu_predicate_mask(thread, operation) : 0;
    uint32_t conditions = 0, decided = 0;
    for (uint32_t i = 0; i < operation->exec_size; i++) {
        struct emu_lane *lane = &lanes[i];
        lane->channel = i;
        if (!(mask >> i & 1))
            continue;
        lane->details = details;
        lane->thread = thread;
        lane->condition = operation->condition;
        lane->select = select >> i & 1;
        lane->bits = execution_bits(details);
        read_accumulator(thread, lane, domain);
        function(lane);
        bool bit = lane->has_flag ? lane->flag : condition_of(lane, details, domain);
        conditions |= (uint32_t)bit << i;
        decided |= (uint32_t)(lane->has_flag || (operation->condition && !lane->no_flag)) << i;
    }
    for (uint32_t i = 0; i < operation->exec_size; i++)
        if (mask >> i & 1 && !store_result(thread, operation, &lanes[i], domain))
            return;
    if (decided)
        emu_flag_write(thread, operation, conditions, decided);
}
