/* What the layouts of Gen9 and Gen11 share besides their fields: immediates
 * of compacted instructions have 13 bits, the highest being the sign. */
#ifndef SONDE_ISA_GEN_LAYOUT_A_H
#define SONDE_ISA_GEN_LAYOUT_A_H

#define REGISTER_FILE_SRC0 41
#define REGISTER_FILE_SRC1 (89 - 64)

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

#endif
