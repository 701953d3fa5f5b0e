#include "isa/gen/opcode_facts.h"

#include <string.h>

#include "opcode_facts.inc"

const char *sonde_gen_opcode_mnemonic(enum sonde_gen_opcode opcode)
{
    return (unsigned)opcode < SONDE_GEN_OPCODE_COUNT ? isa_gen_opcodes[opcode].mnemonic : "?";
}

enum sonde_gen_format sonde_gen_opcode_format(enum sonde_gen_opcode opcode)
{
    if ((unsigned)opcode >= SONDE_GEN_OPCODE_COUNT)
        return SONDE_GEN_FORMAT_NULLARY;
    return (enum sonde_gen_format)isa_gen_opcodes[opcode].format;
}

bool sonde_gen_opcode_exists(enum sonde_gen_opcode opcode, enum sonde_gen_platform platform)
{
    return (unsigned)opcode < SONDE_GEN_OPCODE_COUNT &&
           (unsigned)platform < SONDE_GEN_PLATFORM_COUNT &&
           isa_gen_opcodes[opcode].code[platform] != ISA_GEN_NO_CODE;
}

bool sonde_gen_opcode_is_branch(enum sonde_gen_opcode opcode)
{
    return sonde_gen_opcode_format(opcode) == SONDE_GEN_FORMAT_BRANCH;
}

static const struct {
    const char *name;
    uint8_t size;
    bool is_float;
    bool is_signed;
} types[SONDE_GEN_TYPE_COUNT] = {
    [SONDE_GEN_TYPE_UB] = {"ub", 1, false, false},   [SONDE_GEN_TYPE_B] = {"b", 1, false, true},
    [SONDE_GEN_TYPE_UW] = {"uw", 2, false, false},   [SONDE_GEN_TYPE_W] = {"w", 2, false, true},
    [SONDE_GEN_TYPE_UD] = {"ud", 4, false, false},   [SONDE_GEN_TYPE_D] = {"d", 4, false, true},
    [SONDE_GEN_TYPE_UQ] = {"uq", 8, false, false},   [SONDE_GEN_TYPE_Q] = {"q", 8, false, true},
    [SONDE_GEN_TYPE_HF] = {"hf", 2, true, true},     [SONDE_GEN_TYPE_F] = {"f", 4, true, true},
    [SONDE_GEN_TYPE_DF] = {"df", 8, true, true},     [SONDE_GEN_TYPE_UV] = {"uv", 2, false, false},
    [SONDE_GEN_TYPE_V] = {"v", 2, false, true},      [SONDE_GEN_TYPE_VF] = {"vf", 4, true, true},
    [SONDE_GEN_TYPE_BF] = {"bf", 2, true, true},     [SONDE_GEN_TYPE_BF8] = {"bf8", 1, true, true},
    [SONDE_GEN_TYPE_TF32] = {"tf32", 4, true, true}, [SONDE_GEN_TYPE_NONE] = {"", 0, false, false},
    [SONDE_GEN_TYPE_U4] = {"u4", 1, false, false},   [SONDE_GEN_TYPE_S4] = {"s4", 1, false, true},
    [SONDE_GEN_TYPE_U2] = {"u2", 1, false, false},   [SONDE_GEN_TYPE_S2] = {"s2", 1, false, true},
    [SONDE_GEN_TYPE_NF] = {"nf", 4, true, true},
};

const char *sonde_gen_type_name(enum sonde_gen_type type)
{
    return (unsigned)type < SONDE_GEN_TYPE_COUNT ? types[type].name : "?";
}

uint8_t sonde_gen_type_size(enum sonde_gen_type type)
{
    return (unsigned)type < SONDE_GEN_TYPE_COUNT ? types[type].size : 0;
}

bool sonde_gen_type_is_float(enum sonde_gen_type type)
{
    return (unsigned)type < SONDE_GEN_TYPE_COUNT && types[type].is_float;
}

bool sonde_gen_type_is_signed(enum sonde_gen_type type)
{
    return (unsigned)type < SONDE_GEN_TYPE_COUNT && types[type].is_signed;
}

static const char *const platforms[SONDE_GEN_PLATFORM_COUNT] = {"gen9", "gen11", "xe",
                                                                "xehp", "xehpg", "xehpc"};

/* Device names of the driver and its compiler. */
static const struct {
    const char *name;
    uint8_t platform;
} aliases[] = {
    {"skl", SONDE_GEN_PLATFORM_GEN9},     {"kbl", SONDE_GEN_PLATFORM_GEN9},
    {"cfl", SONDE_GEN_PLATFORM_GEN9},     {"bxt", SONDE_GEN_PLATFORM_GEN9},
    {"glk", SONDE_GEN_PLATFORM_GEN9},     {"9", SONDE_GEN_PLATFORM_GEN9},
    {"icl", SONDE_GEN_PLATFORM_GEN11},    {"icllp", SONDE_GEN_PLATFORM_GEN11},
    {"ehl", SONDE_GEN_PLATFORM_GEN11},    {"11", SONDE_GEN_PLATFORM_GEN11},
    {"tgl", SONDE_GEN_PLATFORM_XE},       {"tgllp", SONDE_GEN_PLATFORM_XE},
    {"rkl", SONDE_GEN_PLATFORM_XE},       {"adls", SONDE_GEN_PLATFORM_XE},
    {"adlp", SONDE_GEN_PLATFORM_XE},      {"dg1", SONDE_GEN_PLATFORM_XE},
    {"dg2", SONDE_GEN_PLATFORM_XEHPG},    {"acm", SONDE_GEN_PLATFORM_XEHPG},
    {"mtl", SONDE_GEN_PLATFORM_XEHPG},    {"pvc", SONDE_GEN_PLATFORM_XEHPC},
    {"xe_hp", SONDE_GEN_PLATFORM_XEHP},   {"xe_hpg", SONDE_GEN_PLATFORM_XEHPG},
    {"xe_hpc", SONDE_GEN_PLATFORM_XEHPC},
};

const char *sonde_gen_platform_name(enum sonde_gen_platform platform)
{
    return (unsigned)platform < SONDE_GEN_PLATFORM_COUNT ? platforms[platform] : "?";
}

enum sonde_status sonde_gen_platform_from_name(const char *name, enum sonde_gen_platform *platform)
{
    if (name == NULL || platform == NULL)
        return SONDE_ERROR_ARGUMENT;
    for (unsigned n = 0; n < SONDE_GEN_PLATFORM_COUNT; n++) {
        if (strcmp(name, platforms[n]) == 0) {
            *platform = (enum sonde_gen_platform)n;
            return SONDE_OK;
        }
    }
    for (size_t n = 0; n < sizeof aliases / sizeof *aliases; n++) {
        if (strcmp(name, aliases[n].name) == 0) {
            *platform = (enum sonde_gen_platform)aliases[n].platform;
            return SONDE_OK;
        }
    }
    return SONDE_ERROR_NOT_FOUND;
}

uint32_t sonde_gen_platform_grf_size(enum sonde_gen_platform platform)
{
    return platform == SONDE_GEN_PLATFORM_XEHPC ? 64 : 32;
}
