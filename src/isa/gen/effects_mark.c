/* The register files of each platform, and which of their bytes an operand
 * names.
 *
 * Sizes and register numbers: the register tables of the MIT-licensed Intel
 * Graphics Assembler. */
#include "isa/gen/effects.h"

const struct isa_gen_registers *isa_gen_registers_of(uint8_t platform)
{
    static const struct isa_gen_registers registers[SONDE_GEN_PLATFORM_COUNT] = {
        [SONDE_GEN_PLATFORM_GEN9] = {32, 4096, 32, 2, 2},
        [SONDE_GEN_PLATFORM_GEN11] = {32, 4096, 32, 2, 2},
        [SONDE_GEN_PLATFORM_XE] = {32, 4096, 32, 8, 8},
        [SONDE_GEN_PLATFORM_XEHP] = {32, 8192, 32, 8, 8},
        [SONDE_GEN_PLATFORM_XEHPG] = {32, 8192, 32, 8, 8},
        [SONDE_GEN_PLATFORM_XEHPC] = {64, 16384, 64, 16, 8},
    };
    return &registers[platform < SONDE_GEN_PLATFORM_COUNT ? platform : SONDE_GEN_PLATFORM_GEN9];
}

void isa_gen_mark_grf(const struct isa_gen_marker *marker, unsigned start, unsigned length)
{
    unsigned end = start + length;
    if (end > marker->registers->grf_file)
        end = marker->registers->grf_file;
    while (start < end) {
        unsigned bit = start % 64, count = 64 - bit;
        if (count > end - start)
            count = end - start;
        uint64_t mask = count == 64 ? ~UINT64_C(0) : ((UINT64_C(1) << count) - 1) << bit;
        marker->effect->grf[start / 64] |= mask;
        start += count;
    }
}

void isa_gen_mark_flags(struct sonde_gen_effect *effect, unsigned number, unsigned first,
                        unsigned count)
{
    /* No compiler lets channels run past the register: then it may be any. */
    if (first + count > 32) {
        effect->flags = 0xff;
        return;
    }
    for (unsigned half = first / 16; count > 0 && half <= (first + count - 1) / 16; half++)
        effect->flags |= (uint8_t)(1u << ((2 * number + half) & 7));
}

/* Elements other than 32-bit ones may lie across a pair of accumulators. */
static bool mark_accumulators(const struct isa_gen_marker *marker, unsigned index, unsigned start,
                              unsigned length, unsigned element_size)
{
    const struct isa_gen_registers *r = marker->registers;
    unsigned size = r->accumulator_size, end = start + length;
    unsigned first = index + start / size, last = index + (end - 1) / size;
    bool exact = element_size == 4;
    if (!exact) {
        first &= ~1u;
        last |= 1u;
    }
    for (unsigned n = first; n <= last && n < 16; n++) {
        if (n < r->accumulator_count)
            marker->effect->accumulators |= (uint16_t)(1u << n);
        if (n >= r->mme_first)
            marker->effect->mme = true;
    }
    return exact && start % size == 0 && end % size == 0;
}

static bool mark_arf(const struct isa_gen_marker *marker, const struct sonde_gen_operand *operand,
                     unsigned start, unsigned length)
{
    struct sonde_gen_effect *e = marker->effect;
    unsigned index = operand->number & 0xf, end = start + length;
    switch (operand->number & 0xf0) {
    case SONDE_GEN_ARF_ADDRESS:
        for (unsigned element = start / 2; element <= (end - 1) / 2 && element < 16; element++)
            e->address |= (uint16_t)(1u << element);
        return start % 2 == 0 && end % 2 == 0;
    case SONDE_GEN_ARF_FLAG:
        for (unsigned half = start / 2; half <= (end - 1) / 2; half++)
            e->flags |= (uint8_t)(1u << ((2 * index + half) & 7));
        return start % 2 == 0 && end % 2 == 0;
    case SONDE_GEN_ARF_ACCUMULATOR:
        /* Elements of nf are wider than their type counts. */
        return mark_accumulators(
            marker, index, start, length,
            operand->type == SONDE_GEN_TYPE_NF ? 8 : isa_gen_element_size(operand));
    case SONDE_GEN_ARF_CONTROL:
        e->control = true;
        return false;
    default:
        return true;
    }
}

bool isa_gen_mark(const struct isa_gen_marker *marker, const struct sonde_gen_operand *operand,
                  unsigned start, unsigned length)
{
    if (length == 0)
        return true;
    if (operand->file == SONDE_GEN_FILE_GRF) {
        unsigned base = operand->number * (unsigned)marker->registers->grf_size;
        isa_gen_mark_grf(marker, base + operand->subreg + start, length);
        return true;
    }
    return operand->file != SONDE_GEN_FILE_ARF ||
           mark_arf(marker, operand, operand->subreg + start, length);
}

void isa_gen_mark_address(struct sonde_gen_effect *effect, const struct sonde_gen_operand *operand,
                          unsigned addresses)
{
    for (unsigned n = 0; n < addresses && n < 16; n++)
        effect->address |= (uint16_t)(1u << ((operand->address_subreg + n) & 15));
}

unsigned isa_gen_element_size(const struct sonde_gen_operand *operand)
{
    unsigned size = sonde_gen_type_size((enum sonde_gen_type)operand->type);
    return size == 0 ? 4 : size;
}
