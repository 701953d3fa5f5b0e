/* What the field tables (fields_*.txt) call to learn which alternative of an
 * encoding holds. Included by generated code after the enums of the kinds. */
#ifndef SONDE_ISA_GEN_LAYOUT_H
#define SONDE_ISA_GEN_LAYOUT_H

#include "isa/gen/opcode_facts.h"

/* What a value table holds for a code that stands for nothing. */
#define CODE_ILLEGAL 0xfeu

/* The word is illegal: leave in *i why. `reason` is static storage. */
static inline bool layout_refuse(struct sonde_gen_instruction *i, const char *reason,
                                 uint64_t value)
{
    i->illegal_reason = reason;
    i->illegal_value = (uint32_t)value;
    return false;
}

static inline bool layout_no_value(unsigned value)
{
    return value == CODE_ILLEGAL;
}

/* The extra-precision macro functions of math, which name mme registers. */
static inline bool layout_is_macro(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_MATH &&
           (i->math == SONDE_GEN_MATH_INVM || i->math == SONDE_GEN_MATH_RSQTM);
}

static inline bool layout_is_madm(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_MADM;
}

/* Functions of math that take two operands. */
static inline bool layout_math_is_binary(uint8_t math)
{
    return math >= SONDE_GEN_MATH_FDIV && math <= SONDE_GEN_MATH_INVM;
}

/* From Gen11 on macros need no align16 mode. */
static inline bool layout_is_plain_macro(const struct sonde_gen_instruction *i)
{
    return i->platform != SONDE_GEN_PLATFORM_GEN9 && layout_is_macro(i);
}

static inline unsigned layout_source_count(const struct sonde_gen_instruction *i)
{
    if (i->opcode == SONDE_GEN_MOVI && i->platform >= SONDE_GEN_PLATFORM_GEN11)
        return 2; /* the index is an immediate or null */
    if (i->opcode == SONDE_GEN_MATH)
        return layout_math_is_binary(i->math) ? 2 : 1;
    return isa_gen_opcodes[i->opcode].sources;
}

static inline unsigned layout_modifier_kind(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_MATH ? LAYOUT_MODIFIER_MATH : LAYOUT_MODIFIER_CONDITION;
}

static inline unsigned layout_destination_kind(const struct sonde_gen_instruction *i)
{
    if (i->align16)
        return layout_is_macro(i) ? LAYOUT_DESTINATION_MACRO : LAYOUT_DESTINATION_ALIGN16;
    if (layout_is_plain_macro(i))
        return LAYOUT_DESTINATION_MACRO;
    return i->dst.indirect ? LAYOUT_DESTINATION_INDIRECT : LAYOUT_DESTINATION_DIRECT;
}

static inline unsigned layout_source_kind(const struct sonde_gen_instruction *i, unsigned n)
{
    if (n >= layout_source_count(i))
        return LAYOUT_SOURCE_ABSENT;
    if (i->src[n].file != SONDE_GEN_FILE_IMMEDIATE)
        return LAYOUT_SOURCE_REGISTER;
    switch (i->src[n].type) {
    case SONDE_GEN_TYPE_UW:
    case SONDE_GEN_TYPE_W:
    case SONDE_GEN_TYPE_HF:
        return LAYOUT_SOURCE_IMM16;
    case SONDE_GEN_TYPE_UQ:
    case SONDE_GEN_TYPE_Q:
    case SONDE_GEN_TYPE_DF:
        return LAYOUT_SOURCE_IMM64;
    default:
        return LAYOUT_SOURCE_IMM32;
    }
}

static inline unsigned layout_region_kind(const struct sonde_gen_instruction *i, unsigned n)
{
    if (layout_source_kind(i, n) != LAYOUT_SOURCE_REGISTER)
        return LAYOUT_REGION_NONE;
    if (i->align16)
        return layout_is_macro(i) ? LAYOUT_REGION_MACRO : LAYOUT_REGION_ALIGN16;
    if (layout_is_plain_macro(i))
        return LAYOUT_REGION_MACRO;
    return i->src[n].indirect ? LAYOUT_REGION_INDIRECT : LAYOUT_REGION_DIRECT;
}

static inline unsigned layout_has_branch_control(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_IF || i->opcode == SONDE_GEN_ELSE || i->opcode == SONDE_GEN_GOTO;
}

static inline unsigned layout_target_kind(const struct sonde_gen_instruction *i, unsigned n)
{
    return i->src[n].file == SONDE_GEN_FILE_IMMEDIATE ? LAYOUT_TARGET_IMMEDIATE
                                                      : LAYOUT_TARGET_REGISTER;
}

static inline unsigned layout_descriptor_kind(const struct sonde_gen_instruction *i)
{
    return i->send.descriptor_is_register ? LAYOUT_TARGET_REGISTER : LAYOUT_TARGET_IMMEDIATE;
}

static inline unsigned layout_ex_descriptor_kind(const struct sonde_gen_instruction *i)
{
    return i->send.ex_descriptor_is_register ? LAYOUT_TARGET_REGISTER : LAYOUT_TARGET_IMMEDIATE;
}

static inline unsigned layout_ternary_kind(const struct sonde_gen_instruction *i, unsigned n)
{
    return i->src[n].file == SONDE_GEN_FILE_IMMEDIATE ? LAYOUT_SOURCE_IMM16
                                                      : LAYOUT_SOURCE_REGISTER;
}

/* From XeHPG on the length of the second payload is no part of the extended
 * descriptor. */
static inline bool layout_has_separate_length(const struct sonde_gen_instruction *i)
{
    return i->platform >= SONDE_GEN_PLATFORM_XEHPG;
}

/* Bits of the extended descriptor that have no place in the instruction. */
static inline uint32_t layout_length_mask(const struct sonde_gen_instruction *i)
{
    return layout_has_separate_length(i) ? 0x7ff : 0x3f;
}

/* How many registers each class of architecture registers has, by the high
 * nibble of the number; macro registers count as accumulators. Measured by
 * handing every number to libiga64. */
static const uint8_t layout_architecture_counts[SONDE_GEN_PLATFORM_COUNT][16] = {
    /* null a acc f ce msg sp sr cr n ip tdr tm fc - dbg */
    [SONDE_GEN_PLATFORM_GEN9] = {1, 1, 10, 2, 1, 8, 1, 2, 1, 1, 1, 1, 1, 5, 0, 1},
    [SONDE_GEN_PLATFORM_GEN11] = {1, 1, 10, 2, 1, 8, 1, 2, 1, 1, 1, 1, 1, 5, 0, 1},
    [SONDE_GEN_PLATFORM_XE] = {1, 1, 16, 2, 1, 8, 1, 2, 1, 1, 1, 1, 1, 4, 0, 1},
    [SONDE_GEN_PLATFORM_XEHP] = {1, 1, 16, 2, 1, 8, 0, 2, 1, 1, 1, 1, 1, 4, 0, 1},
    [SONDE_GEN_PLATFORM_XEHPG] = {1, 1, 16, 2, 1, 8, 0, 2, 1, 1, 1, 1, 1, 4, 0, 1},
    [SONDE_GEN_PLATFORM_XEHPC] = {1, 1, 16, 4, 1, 8, 0, 2, 1, 1, 1, 1, 1, 4, 0, 1},
};

/* Platforms with 128 general registers have an eighth register bit all the
 * same. */
static inline bool layout_register_exists(const struct sonde_gen_instruction *i,
                                          const struct sonde_gen_operand *operand)
{
    if (operand->file == SONDE_GEN_FILE_ARF)
        return (operand->number & 15) <
               layout_architecture_counts[i->platform][operand->number >> 4];
    return operand->file != SONDE_GEN_FILE_GRF || operand->number < 128 || operand->indirect ||
           i->platform >= SONDE_GEN_PLATFORM_XEHP;
}

/* The destination of wait says nothing: the hardware writes its source. */
static inline bool layout_registers_exist(const struct sonde_gen_instruction *i)
{
    return (layout_register_exists(i, &i->dst) || i->opcode == SONDE_GEN_WAIT) &&
           layout_register_exists(i, &i->src[0]) && layout_register_exists(i, &i->src[1]) &&
           layout_register_exists(i, &i->src[2]);
}

/* The first register that does not exist, for a message. */
static inline uint8_t layout_register_beyond(const struct sonde_gen_instruction *i)
{
    for (unsigned n = 0; n < 3; n++) {
        if (!layout_register_exists(i, &i->src[n]))
            return i->src[n].number;
    }
    return i->dst.number;
}

/* One bit a type: those that came with a later platform or that the operation
 * does not take. Measured like the registers. */
static inline uint32_t layout_types_missing(const struct sonde_gen_instruction *i)
{
    const uint32_t bf = UINT32_C(1) << SONDE_GEN_TYPE_BF;
    const uint32_t others = UINT32_C(1) << SONDE_GEN_TYPE_BF8 | UINT32_C(1) << SONDE_GEN_TYPE_TF32;
    if (i->platform < SONDE_GEN_PLATFORM_XEHP)
        return bf | others;
    switch (i->opcode) {
    case SONDE_GEN_SEL:
    case SONDE_GEN_CMP:
    case SONDE_GEN_ADD:
    case SONDE_GEN_MUL:
    case SONDE_GEN_MAC:
    case SONDE_GEN_MAD:
        return others;
    case SONDE_GEN_MOV:
    case SONDE_GEN_DPAS:
    case SONDE_GEN_DPASW:
        return i->platform < SONDE_GEN_PLATFORM_XEHPC ? others : 0;
    case SONDE_GEN_SRND:
        return bf | UINT32_C(1) << SONDE_GEN_TYPE_TF32;
    default:
        return bf | others;
    }
}

static inline bool layout_types_exist(const struct sonde_gen_instruction *i)
{
    uint32_t used = UINT32_C(1) << i->dst.type | UINT32_C(1) << i->src[0].type |
                    UINT32_C(1) << i->src[1].type | UINT32_C(1) << i->src[2].type;
    const uint32_t sometimes = UINT32_C(1) << SONDE_GEN_TYPE_BF |
                               UINT32_C(1) << SONDE_GEN_TYPE_BF8 |
                               UINT32_C(1) << SONDE_GEN_TYPE_TF32;
    return (used & sometimes) == 0 || (used & layout_types_missing(i)) == 0;
}

/* The first type that does not exist, for a message. */
static inline uint8_t layout_type_beyond(const struct sonde_gen_instruction *i)
{
    for (unsigned n = 0; n < 3; n++) {
        if ((layout_types_missing(i) >> i->src[n].type & 1) != 0)
            return i->src[n].type;
    }
    return i->dst.type;
}

/* macl multiplies 32-bit integers; srnd rounds hf and f to hf and bf8. */
static inline bool layout_types_fit(const struct sonde_gen_instruction *i)
{
    uint32_t dst = UINT32_C(1) << i->dst.type;
    uint32_t sources = UINT32_C(1) << i->src[0].type | UINT32_C(1) << i->src[1].type;
    const uint32_t hf = UINT32_C(1) << SONDE_GEN_TYPE_HF, f = UINT32_C(1) << SONDE_GEN_TYPE_F;
    const uint32_t integers = UINT32_C(1) << SONDE_GEN_TYPE_UD | UINT32_C(1) << SONDE_GEN_TYPE_D;
    if (i->opcode == SONDE_GEN_MACL)
        return ((dst | sources) & ~integers) == 0;
    if (i->opcode == SONDE_GEN_SRND)
        return (dst & ~(hf | UINT32_C(1) << SONDE_GEN_TYPE_BF8)) == 0 && (sources & ~(hf | f)) == 0;
    return true;
}

/* fdiv and pow are functions of Gen9 alone; XeHPG has no integer division. */
static inline bool layout_function_exists(const struct sonde_gen_instruction *i)
{
    if (i->opcode != SONDE_GEN_MATH)
        return true;
    if (i->math == SONDE_GEN_MATH_FDIV || i->math == SONDE_GEN_MATH_POW)
        return false;
    return i->platform < SONDE_GEN_PLATFORM_XEHPG ||
           !(i->math >= SONDE_GEN_MATH_IDIV && i->math <= SONDE_GEN_MATH_IREM);
}

/* math takes no indirect operands; those of the macros have no place for it. */
static inline bool layout_addresses_fit(const struct sonde_gen_instruction *i)
{
    return i->opcode != SONDE_GEN_MATH ||
           !(i->dst.indirect || i->src[0].indirect || i->src[1].indirect);
}

static inline bool layout_math_files_fit(const struct sonde_gen_instruction *i)
{
    return i->opcode != SONDE_GEN_MATH ||
           (i->dst.file == SONDE_GEN_FILE_GRF && i->src[0].file != SONDE_GEN_FILE_ARF);
}

/* Gen11: the index of movi, which Gen9 leaves out. */
static inline bool layout_index_fits(const struct sonde_gen_instruction *i)
{
    return i->opcode != SONDE_GEN_MOVI ||
           (i->src[1].file != SONDE_GEN_FILE_GRF && !i->src[1].indirect);
}

/* Shared functions that a message can name. */
static inline bool layout_shared_function_exists(const struct sonde_gen_instruction *i)
{
    return i->platform >= SONDE_GEN_PLATFORM_XEHPG || (0x3ffd >> i->send.sfid & 1) != 0;
}

static inline bool layout_scoreboard_exists(const struct sonde_gen_instruction *i)
{
    struct sonde_gen_scoreboard scoreboard;
    return i->swsb == 0 || sonde_gen_scoreboard_decode(i, &scoreboard);
}

static inline bool layout_sync_exists(const struct sonde_gen_instruction *i)
{
    switch (i->sync) {
    case SONDE_GEN_SYNC_NOP:
    case SONDE_GEN_SYNC_ALLRD:
    case SONDE_GEN_SYNC_ALLWR:
    case SONDE_GEN_SYNC_BAR:
    case SONDE_GEN_SYNC_HOST:
        return true;
    case SONDE_GEN_SYNC_FENCE:
        return i->platform >= SONDE_GEN_PLATFORM_XEHPC;
    default:
        return false;
    }
}

static inline bool layout_over(uint64_t value, uint64_t limit)
{
    return value > limit;
}

static inline bool layout_outside(int64_t value, int64_t half)
{
    return value < -half || value >= half;
}

#endif
