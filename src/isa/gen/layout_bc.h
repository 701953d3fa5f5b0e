/* Compacted immediates of layouts B and C: 12 bits, of which a float keeps its
 * highest ones and an integer its lowest; d and w extend the sign. */
#ifndef SONDE_ISA_GEN_LAYOUT_BC_H
#define SONDE_ISA_GEN_LAYOUT_BC_H

#define IMMEDIATE_SRC0 46
#define IMMEDIATE_SRC1 47
#define TYPE_SRC0      40
#define TYPE_SRC1      (88 - 64)

static bool immediate_present(const uint64_t raw[2])
{
    return (raw[0] >> IMMEDIATE_SRC0 & 3) != 0;
}

static unsigned immediate_type(const uint64_t raw[2])
{
    bool first = raw[0] >> IMMEDIATE_SRC0 & 1;
    return (unsigned)(first ? raw[0] >> TYPE_SRC0 : raw[1] >> TYPE_SRC1) & 15;
}

static uint32_t immediate_expand(const uint64_t raw[2], uint64_t compacted)
{
    enum { UW = 1, W = 5, D = 6, VF = 8, HF = 9, F = 10 };
    uint32_t code = (uint32_t)(compacted >> 52), extended = (code ^ 0x800) - 0x800;
    switch (immediate_type(raw)) {
    case F:
    case VF:
        return code << 20;
    case HF:
        return (code << 4) * 0x10001u;
    case UW:
        return code * 0x10001u;
    case W:
        return (extended & 0xffff) * 0x10001u;
    case D:
        return extended;
    default:
        return code;
    }
}

static uint64_t immediate_compact(const uint64_t raw[2])
{
    enum { VF = 8, HF = 9, F = 10 };
    unsigned type = immediate_type(raw);
    uint64_t value = raw[1] >> 32;
    return (type == F || type == VF ? value >> 20 : type == HF ? value >> 4 : value & 0xfff) << 52;
}

/* Absent sources lie in fields that the tables do not name. */
static uint64_t unused_upper(enum sonde_gen_opcode opcode, const uint64_t raw[2])
{
    (void)opcode;
    (void)raw;
    return 0;
}

#endif
