/* Which operand types the operations of Xe and later take. One row a set of
 * operations, platforms and types: a destination of one of the first types
 * with sources all of the second ones.
 *
 * Source: the type mappings of the MIT-licensed Intel Graphics Assembler's
 * opcode models, which its type warnings use, and what compilers emit. */
#include "isa/gen/opcode_facts.h"
#include "isa/gen/validate.h"

#define T(name) (UINT32_C(1) << SONDE_GEN_TYPE_##name)

#define BYTES    (T(UB) | T(B))
#define WORDS    (T(UW) | T(W))
#define DWORDS   (T(UD) | T(D))
#define QWORDS   (T(UQ) | T(Q))
#define SMALL    (BYTES | WORDS | DWORDS)
#define UNSIGNED (T(UB) | T(UW) | T(UD))
#define QSOURCES (WORDS | DWORDS | QWORDS)
#define MIXED    (T(F) | T(HF))
#define BRAINS   (T(F) | T(BF))
#define SYSTOLIC (DWORDS | BYTES | T(U4) | T(S4) | T(U2) | T(S2))

/* Platforms of a row. */
enum { X = 1, H = 2, G = 4, C = 8, HG = H | G, HGC = H | G | C, ALL = 15 };

enum set {
    SET_NONE, /* not checked */
    SET_MOVE,
    SET_ADD,
    SET_MULTIPLY,
    SET_MAD,
    SET_MAC,
    SET_SELECT,
    SET_CSEL,
    SET_LOGIC,
    SET_SHIFT,
    SET_ROTATE,
    SET_AVERAGE,
    SET_COUNT,
    SET_LEADING,
    SET_FIRST,
    SET_LAST,
    SET_REVERSE,
    SET_ROUND,
    SET_CARRY,
    SET_DWORD,
    SET_BITS,
    SET_BFN,
    SET_ADD3,
    SET_DP4A,
    SET_STOCHASTIC,
    SET_SYSTOLIC,
    SET_MADM,
};

static const uint8_t set_of[SONDE_GEN_OPCODE_COUNT] = {
    [SONDE_GEN_MOV] = SET_MOVE,      [SONDE_GEN_ADD] = SET_ADD,
    [SONDE_GEN_MUL] = SET_MULTIPLY,  [SONDE_GEN_MAD] = SET_MAD,
    [SONDE_GEN_MAC] = SET_MAC,       [SONDE_GEN_SEL] = SET_SELECT,
    [SONDE_GEN_CMP] = SET_SELECT,    [SONDE_GEN_CMPN] = SET_SELECT,
    [SONDE_GEN_CSEL] = SET_CSEL,     [SONDE_GEN_AND] = SET_LOGIC,
    [SONDE_GEN_OR] = SET_LOGIC,      [SONDE_GEN_XOR] = SET_LOGIC,
    [SONDE_GEN_NOT] = SET_LOGIC,     [SONDE_GEN_SHL] = SET_SHIFT,
    [SONDE_GEN_ASR] = SET_SHIFT,     [SONDE_GEN_SHR] = SET_SHIFT,
    [SONDE_GEN_ROL] = SET_ROTATE,    [SONDE_GEN_ROR] = SET_ROTATE,
    [SONDE_GEN_AVG] = SET_AVERAGE,   [SONDE_GEN_LZD] = SET_LEADING,
    [SONDE_GEN_CBIT] = SET_COUNT,    [SONDE_GEN_FBH] = SET_FIRST,
    [SONDE_GEN_FBL] = SET_LAST,      [SONDE_GEN_BFREV] = SET_REVERSE,
    [SONDE_GEN_FRC] = SET_ROUND,     [SONDE_GEN_RNDD] = SET_ROUND,
    [SONDE_GEN_RNDE] = SET_ROUND,    [SONDE_GEN_RNDU] = SET_ROUND,
    [SONDE_GEN_RNDZ] = SET_ROUND,    [SONDE_GEN_ADDC] = SET_CARRY,
    [SONDE_GEN_SUBB] = SET_CARRY,    [SONDE_GEN_MACH] = SET_DWORD,
    [SONDE_GEN_MACL] = SET_DWORD,    [SONDE_GEN_BFE] = SET_BITS,
    [SONDE_GEN_BFI1] = SET_BITS,     [SONDE_GEN_BFI2] = SET_BITS,
    [SONDE_GEN_BFN] = SET_BFN,       [SONDE_GEN_ADD3] = SET_ADD3,
    [SONDE_GEN_DP4A] = SET_DP4A,     [SONDE_GEN_SRND] = SET_STOCHASTIC,
    [SONDE_GEN_DPAS] = SET_SYSTOLIC, [SONDE_GEN_DPASW] = SET_SYSTOLIC,
    [SONDE_GEN_MADM] = SET_MADM,
};

static const struct row {
    uint8_t set;
    uint8_t platforms;
    uint32_t destination;
    uint32_t sources;
} rows[] = {
    {SET_MOVE, ALL, SMALL | MIXED, SMALL | MIXED},
    {SET_MOVE, HGC, T(BF), T(F)},
    {SET_MOVE, H, T(F), T(BF)},
    {SET_MOVE, HGC, T(DF) | T(F) | QSOURCES, T(DF) | T(F) | QSOURCES},
    {SET_MOVE, C, T(BF8), T(HF)},
    {SET_MOVE, C, T(HF), T(BF8)},
    {SET_MOVE, C, T(TF32), T(F)},
    {SET_ADD, ALL, SMALL, SMALL},
    {SET_ADD, X, MIXED, SMALL},
    {SET_ADD, ALL, MIXED, MIXED},
    {SET_ADD, HGC, BRAINS, BRAINS},
    {SET_ADD, HGC, T(DF), T(DF)},
    {SET_ADD, HGC, QSOURCES, QSOURCES},
    {SET_MULTIPLY, X | HG, BYTES, BYTES},
    {SET_MULTIPLY, X | HG, WORDS, BYTES | WORDS},
    {SET_MULTIPLY, X | HG, DWORDS, SMALL},
    {SET_MULTIPLY, C, WORDS, WORDS},
    {SET_MULTIPLY, C, DWORDS, WORDS | DWORDS},
    {SET_MULTIPLY, ALL, MIXED, MIXED},
    {SET_MULTIPLY, HGC, BRAINS, BRAINS},
    {SET_MULTIPLY, HGC, T(DF), T(DF)},
    {SET_MULTIPLY, HG, QWORDS, DWORDS},
    {SET_MAD, ALL, MIXED, MIXED},
    {SET_MAD, ALL, WORDS, BYTES},
    {SET_MAD, ALL, WORDS | DWORDS, WORDS | DWORDS},
    {SET_MAD, HGC, BRAINS, BRAINS},
    {SET_MAD, HGC, T(DF), T(DF)},
    {SET_MAC, X | HG, SMALL, BYTES | WORDS},
    {SET_MAC, C, WORDS | DWORDS, BYTES | WORDS},
    {SET_MAC, ALL, MIXED, MIXED},
    {SET_MAC, HGC, BRAINS, BRAINS},
    {SET_MAC, HGC, T(DF), T(DF)},
    {SET_SELECT, ALL, SMALL, SMALL},
    {SET_SELECT, ALL, MIXED, MIXED},
    {SET_SELECT, HGC, BRAINS, BRAINS},
    {SET_SELECT, HGC, T(DF), T(DF)},
    {SET_SELECT, HG, QSOURCES, QSOURCES},
    {SET_CSEL, ALL, MIXED, MIXED},
    {SET_CSEL, ALL, DWORDS, DWORDS},
    {SET_CSEL, ALL, WORDS, WORDS},
    {SET_LOGIC, ALL, SMALL, SMALL},
    {SET_LOGIC, HG, QSOURCES, QSOURCES},
    {SET_SHIFT, ALL, SMALL, SMALL},
    {SET_SHIFT, HGC, QSOURCES, QSOURCES},
    {SET_ROTATE, ALL, T(UW) | T(UD), T(UW) | T(UD)},
    {SET_ROTATE, C, T(UQ), T(UQ)},
    {SET_AVERAGE, ALL, SMALL, SMALL},
    {SET_COUNT, ALL, T(UD), UNSIGNED},
    {SET_LEADING, ALL, T(UD), SMALL},
    {SET_FIRST, ALL, T(UD), DWORDS},
    {SET_LAST, ALL, T(UD), UNSIGNED},
    {SET_REVERSE, ALL, DWORDS, DWORDS},
    {SET_ROUND, ALL, T(F), T(F)},
    {SET_CARRY, ALL, T(UD), T(UD)},
    {SET_DWORD, ALL, DWORDS, WORDS | DWORDS},
    {SET_BITS, ALL, DWORDS, DWORDS},
    {SET_BFN, HGC, WORDS | DWORDS, WORDS | DWORDS},
    {SET_ADD3, HGC, WORDS | DWORDS, WORDS | DWORDS},
    {SET_DP4A, ALL, DWORDS, DWORDS},
    {SET_STOCHASTIC, C, T(HF), T(F)},
    {SET_STOCHASTIC, C, T(BF8), T(HF)},
    {SET_SYSTOLIC, HGC, DWORDS, SYSTOLIC},
    {SET_SYSTOLIC, HGC, BRAINS, BRAINS},
    {SET_SYSTOLIC, HGC, MIXED, MIXED},
    {SET_SYSTOLIC, C, T(F), T(F) | T(BF8)},
    {SET_SYSTOLIC, C, T(F), T(F) | T(TF32)},
    {SET_MADM, HGC, T(F), T(F)},
    {SET_MADM, HGC, T(DF), T(DF)},
};

/* Vector immediates stand for elements of another type. */
static uint32_t type_bit(uint8_t type)
{
    switch (type) {
    case SONDE_GEN_TYPE_UV:
        return T(UW);
    case SONDE_GEN_TYPE_V:
        return T(W);
    case SONDE_GEN_TYPE_VF:
        return T(F);
    default:
        return UINT32_C(1) << type;
    }
}

static bool is_null(const struct sonde_gen_operand *o)
{
    return o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == SONDE_GEN_ARF_NULL;
}

/* Counts of rotations and what is added with carry may be shorter or signed;
 * the sum that dp4a starts from may be an immediate, which has 16 bits. */
static bool is_free(unsigned set, unsigned source, uint32_t type)
{
    if (set == SET_ROTATE)
        return source == 1 && (type & QSOURCES) != 0;
    if (set == SET_DP4A)
        return source == 0 && (type & WORDS) != 0;
    return set == SET_CARRY && source == 1 && (type & (WORDS | DWORDS)) != 0;
}

const char *isa_gen_types_rule(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_instruction *i = instruction;
    unsigned set = set_of[i->opcode], platform = 1u << (i->platform - SONDE_GEN_PLATFORM_XE);
    if (set == SET_NONE)
        return NULL;
    uint32_t destination = type_bit(i->dst.type), sources = 0;
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        uint32_t type = type_bit(i->src[n].type);
        if (!is_null(&i->src[n]) && !is_free(set, n, type))
            sources |= type;
    }
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const struct row *row = &rows[n];
        if (row->set == set && (row->platforms & platform) != 0 &&
            (row->destination & destination) != 0 && (sources & ~row->sources) == 0)
            return NULL;
    }
    return "the operation does not take these types";
}
