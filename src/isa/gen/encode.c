#include "isa/gen/codec.h"
#include "isa/gen/opcode_facts.h"

#include "base/bytes.h"

#define COMPACTED_BIT (UINT64_C(1) << 29)

static enum sonde_status refuse(const struct sonde_gen_instruction *i, const char *field,
                                struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_RANGE, i->offset,
                           "%s at byte %u has no encoding on %s: %s",
                           sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)i->opcode), i->offset,
                           sonde_gen_platform_name((enum sonde_gen_platform)i->platform), field);
}

/* Undo what decoding adds to the fields of the word. `size` is that of the
 * form wanted: the distance of jmpi counts from the end of the instruction. */
static void encode_prepare(struct sonde_gen_instruction *i, unsigned size)
{
    if (isa_gen_opcodes[i->opcode].format != SONDE_GEN_FORMAT_BRANCH || !i->has_jip ||
        isa_gen_opcodes[i->opcode].sources == 0)
        return;
    i->src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    if (i->src[0].type == SONDE_GEN_TYPE_NONE)
        i->src[0].type = SONDE_GEN_TYPE_D;
    if (i->opcode == SONDE_GEN_JMPI && i->platform < SONDE_GEN_PLATFORM_XE)
        i->jip = (int32_t)((uint32_t)i->jip - size);
}

/* Reserved bits of the word that *i came from survive only where the word had
 * the same opcode and the same alternatives of the encoding. */
static void start_word(const struct isa_gen_layout *layout, const struct sonde_gen_instruction *i,
                       uint8_t code, uint64_t raw[2])
{
    struct sonde_gen_instruction before = *i;
    if ((i->raw[0] & 0x7f) == code && layout->decode(&before) &&
        layout->signature(&before) == layout->signature(i)) {
        raw[0] = i->raw[0] & ~COMPACTED_BIT;
        raw[1] = i->raw[1];
        return;
    }
    layout->init((enum sonde_gen_opcode)i->opcode, raw);
    raw[0] |= code;
}

static enum sonde_status encode_word(const struct sonde_gen_instruction *instruction,
                                     const struct isa_gen_layout **layout, unsigned size,
                                     uint64_t raw[2], struct sonde_error *error)
{
    *layout = isa_gen_layout_of((enum sonde_gen_platform)instruction->platform);
    if (*layout == NULL)
        return sonde_error_set(
            error, SONDE_ERROR_UNSUPPORTED, instruction->offset,
            "instructions of platform %s cannot be coded by this version",
            sonde_gen_platform_name((enum sonde_gen_platform)instruction->platform));
    if (instruction->illegal) {
        raw[0] = instruction->raw[0];
        raw[1] = instruction->raw[1];
        return SONDE_OK;
    }
    if (!sonde_gen_opcode_exists((enum sonde_gen_opcode)instruction->opcode,
                                 (enum sonde_gen_platform)instruction->platform))
        return refuse(instruction, "opcode", error);
    if (instruction->align16 && instruction->platform != SONDE_GEN_PLATFORM_GEN9)
        return refuse(instruction, "align16", error);
    struct sonde_gen_instruction i = *instruction;
    encode_prepare(&i, size);
    start_word(*layout, &i, isa_gen_opcodes[i.opcode].code[i.platform], raw);
    const char *field = (*layout)->encode(&i, raw);
    return field == NULL ? SONDE_OK : refuse(instruction, field, error);
}

enum sonde_status sonde_gen_encode(const struct sonde_gen_instruction *instruction, uint8_t out[16],
                                   struct sonde_error *error)
{
    if (instruction->illegal && instruction->compacted)
        return refuse(instruction, "the illegal compacted word", error);
    const struct isa_gen_layout *layout;
    uint64_t raw[2];
    enum sonde_status status = encode_word(instruction, &layout, 16, raw, error);
    if (status != SONDE_OK)
        return status;
    base_store64(out, raw[0]);
    base_store64(out + 8, raw[1]);
    return SONDE_OK;
}

enum sonde_status sonde_gen_compact(const struct sonde_gen_instruction *instruction, uint8_t out[8],
                                    struct sonde_error *error)
{
    if (instruction->illegal) {
        if (!instruction->compacted)
            return refuse(instruction, "the illegal word", error);
        base_store64(out, instruction->raw_compacted);
        return SONDE_OK;
    }
    const struct isa_gen_layout *layout;
    uint64_t raw[2], compacted, again[2];
    enum sonde_status status = encode_word(instruction, &layout, 8, raw, error);
    if (status != SONDE_OK)
        return status;
    /* The same bytes as found, where they still say the same. */
    enum sonde_gen_opcode opcode = (enum sonde_gen_opcode)instruction->opcode;
    compacted = instruction->raw_compacted;
    if (!instruction->compacted || !layout->expand(opcode, compacted, again) ||
        again[0] != raw[0] || again[1] != raw[1]) {
        if (!layout->compact(opcode, raw, &compacted))
            return refuse(instruction, "a field of the compacted form", error);
    }
    base_store64(out, compacted);
    return SONDE_OK;
}
