/* Layout A (Gen9): binds the generated field functions. */
#include "isa/gen/codec.h"

#include <string.h>

/* The first code, among those that agree with `code` in the bits of other
 * fields, that stands for `value`. */
static uint64_t layout_code_find(const uint8_t *values, unsigned count, unsigned shared,
                                 uint64_t code, unsigned value);

#include "layout_a.inc"

static uint64_t layout_code_find(const uint8_t *values, unsigned count, unsigned shared,
                                 uint64_t code, unsigned value)
{
    for (unsigned candidate = 0; candidate < count; candidate++) {
        if (values[candidate] == value && (candidate & shared) == (code & shared))
            return candidate;
    }
    return CODE_ILLEGAL;
}

static bool layout_a_decode(struct sonde_gen_instruction *i)
{
    return layout_a_formats[layout_a_format_of[i->opcode]].decode(i);
}

static const char *layout_a_encode(const struct sonde_gen_instruction *i, uint64_t raw[2])
{
    return layout_a_formats[layout_a_format_of[i->opcode]].encode(i, raw);
}

static uint32_t layout_a_signature(const struct sonde_gen_instruction *i)
{
    return layout_a_formats[layout_a_format_of[i->opcode]].signature(i);
}

static void layout_a_init(enum sonde_gen_opcode opcode, uint64_t raw[2])
{
    const uint64_t *init = layout_a_formats[layout_a_format_of[opcode]].init;
    raw[0] = init[0];
    raw[1] = init[1];
}

#define REGISTER_FILE_SRC0 41
#define REGISTER_FILE_SRC1 (89 - 64)

static bool has_immediate(const uint64_t raw[2])
{
    return (raw[0] >> REGISTER_FILE_SRC0 & 3) == 3 || (raw[1] >> REGISTER_FILE_SRC1 & 3) == 3;
}

/* 13 bits of a compacted immediate, the highest being the sign. */
static uint32_t immediate_expand(uint64_t compacted)
{
    uint32_t low = (uint32_t)(compacted >> 56), high = (uint32_t)(compacted >> 35) & 0x1f;
    uint32_t code = high << 8 | low;
    return (code ^ 0x1000) - 0x1000;
}

static bool layout_a_expand(enum sonde_gen_opcode opcode, uint64_t compacted, uint64_t raw[2])
{
    const struct compact_form *form = &layout_a_compact[layout_a_compact_of[opcode]];
    if (form->move_count == 0)
        return false;
    raw[0] = raw[1] = 0;
    for (unsigned n = 0; n < form->table_count; n++) {
        const struct compact_table *table = &form->tables[n];
        unsigned index = (unsigned)(compacted >> table->from) & ((1u << table->width) - 1);
        if (table->register_only && form->immediate && has_immediate(raw))
            continue;
        raw[0] |= table->words[index][0];
        raw[1] |= table->words[index][1];
    }
    bool immediate = form->immediate && has_immediate(raw);
    for (unsigned n = 0; n < form->move_count; n++) {
        const struct compact_move *move = &form->moves[n];
        if (move->register_only && immediate)
            continue;
        uint64_t value = compacted >> move->from & ((UINT64_C(1) << move->width) - 1);
        raw[move->to / 64] |= value << (move->to % 64);
    }
    if (immediate)
        raw[1] = (raw[1] & 0xffffffff) | (uint64_t)immediate_expand(compacted) << 32;
    return true;
}

/* Index of the entry that gives exactly the bits of raw under the mask. */
static bool table_find(const struct compact_table *table, const uint64_t raw[2],
                       const uint64_t mask[2], unsigned *index)
{
    for (unsigned n = 0; n < table->count; n++) {
        if ((table->words[n][0] & mask[0]) == (raw[0] & mask[0]) &&
            (table->words[n][1] & mask[1]) == (raw[1] & mask[1])) {
            *index = n;
            return true;
        }
    }
    return false;
}

static bool layout_a_compact_word(enum sonde_gen_opcode opcode, const uint64_t raw[2],
                                  uint64_t *compacted)
{
    const struct compact_form *form = &layout_a_compact[layout_a_compact_of[opcode]];
    if (form->move_count == 0)
        return false;
    bool immediate = form->immediate && has_immediate(raw);
    uint64_t out = UINT64_C(1) << 29;
    for (unsigned n = 0; n < form->table_count; n++) {
        const struct compact_table *table = &form->tables[n];
        uint64_t mask[2] = {table->mask[0], table->mask[1]};
        unsigned index = 0;
        if (immediate) {
            if (table->register_only)
                continue;
            mask[1] &= 0xffffffff;
        }
        if (!table_find(table, raw, mask, &index))
            return false;
        out |= (uint64_t)index << table->from;
    }
    for (unsigned n = 0; n < form->move_count; n++) {
        const struct compact_move *move = &form->moves[n];
        if (move->register_only && immediate)
            continue;
        uint64_t value = raw[move->to / 64] >> (move->to % 64) & ((UINT64_C(1) << move->width) - 1);
        out |= value << move->from;
    }
    if (immediate) {
        uint64_t code = raw[1] >> 32 & 0x1fff;
        out |= (code & 0xff) << 56 | (code >> 8) << 35;
    }
    /* Bits that the form cannot hold show as a difference. */
    uint64_t again[2];
    if (!layout_a_expand(opcode, out, again) || again[0] != raw[0] || again[1] != raw[1])
        return false;
    *compacted = out;
    return true;
}

const struct isa_gen_layout isa_gen_layout_a = {
    .decode = layout_a_decode,
    .encode = layout_a_encode,
    .signature = layout_a_signature,
    .init = layout_a_init,
    .expand = layout_a_expand,
    .compact = layout_a_compact_word,
};
