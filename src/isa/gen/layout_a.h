/* What the layouts of Gen9 and Gen11 share besides their fields: immediates
 * of compacted instructions have 13 bits, the highest being the sign. Included
 * after MOVI_HAS_INDEX was defined. */
#ifndef SONDE_ISA_GEN_LAYOUT_A_H
#define SONDE_ISA_GEN_LAYOUT_A_H

#define REGISTER_FILE_SRC0 41
#define REGISTER_FILE_SRC1 (89 - 64)
#define SUBREGISTER_SRC0   UINT64_C(0x1f) /* bits 68:64 */

static bool immediate_present(const uint64_t raw[2])
{
    return (raw[0] >> REGISTER_FILE_SRC0 & 3) == 3 || (raw[1] >> REGISTER_FILE_SRC1 & 3) == 3;
}

static uint32_t immediate_expand(const uint64_t raw[2], uint64_t compacted)
{
    (void)raw;
    uint32_t low = (uint32_t)(compacted >> 56), high = (uint32_t)(compacted >> 35) & 0x1f;
    uint32_t code = high << 8 | low;
    return (code ^ 0x1000) - 0x1000;
}

static uint64_t immediate_compact(const uint64_t raw[2])
{
    uint64_t code = raw[1] >> 32 & 0x1fff;
    return (code & 0xff) << 56 | (code >> 8) << 35;
}

/* Without a second source, its place but for file and type; where the first is
 * an immediate, the sub-register of that. */
static uint64_t unused_upper(enum sonde_gen_opcode opcode, const uint64_t raw[2])
{
    bool unary = isa_gen_opcodes[opcode].sources == 1;
    if (opcode == SONDE_GEN_MATH)
        unary = !layout_math_is_binary((uint8_t)(raw[0] >> 24 & 15));
    if (opcode == SONDE_GEN_MOVI)
        unary = !MOVI_HAS_INDEX;
    if (!unary || opcode == SONDE_GEN_JMPI)
        return 0;
    return immediate_present(raw) ? SUBREGISTER_SRC0 : UINT64_C(0xffffffff) << 32;
}

#endif
