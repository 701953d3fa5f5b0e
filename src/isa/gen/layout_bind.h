/* The functions of a layout around its generated tables. Included by each
 * layout_*.c after the tables and after these functions of its own:
 *   bool immediate_present(const uint64_t raw[2])
 *   uint32_t immediate_expand(const uint64_t raw[2], uint64_t compacted)
 *   uint64_t immediate_compact(const uint64_t raw[2])
 *   uint64_t unused_upper(enum sonde_gen_opcode opcode, const uint64_t raw[2])
 *     bits of raw[1] that say nothing, which compaction may change */
#ifndef SONDE_ISA_GEN_LAYOUT_BIND_H
#define SONDE_ISA_GEN_LAYOUT_BIND_H

static uint64_t layout_code_find(const uint8_t *values, unsigned count, unsigned shared,
                                 uint64_t code, unsigned value)
{
    for (unsigned candidate = 0; candidate < count; candidate++) {
        if (values[candidate] == value && (candidate & shared) == (code & shared))
            return candidate;
    }
    return CODE_ILLEGAL;
}

static bool layout_decode(struct sonde_gen_instruction *i)
{
    return layout_formats[layout_format_of[i->opcode]].decode(i);
}

static const char *layout_encode(const struct sonde_gen_instruction *i, uint64_t raw[2])
{
    return layout_formats[layout_format_of[i->opcode]].encode(i, raw);
}

static uint32_t layout_signature(const struct sonde_gen_instruction *i)
{
    return layout_formats[layout_format_of[i->opcode]].signature(i);
}

static void layout_init(enum sonde_gen_opcode opcode, uint64_t raw[2])
{
    const uint64_t *init = layout_formats[layout_format_of[opcode]].init;
    raw[0] = init[0];
    raw[1] = init[1];
}

static unsigned compact_index(const struct compact_table *table, uint64_t compacted)
{
    unsigned low = (unsigned)(compacted >> table->from) & ((1u << table->width) - 1);
    unsigned high = (unsigned)(compacted >> table->high_from) & ((1u << table->high_width) - 1);
    return high << table->width | low;
}

static bool layout_expand(enum sonde_gen_opcode opcode, uint64_t compacted, uint64_t raw[2])
{
    const struct compact_form *form = &layout_compact[layout_compact_of[opcode]];
    if (form->move_count == 0)
        return false;
    uint64_t word[2] = {0, 0}; /* not *raw: the compiler keeps this in registers */
    for (unsigned n = 0; n < form->table_count; n++) {
        const struct compact_table *table = &form->tables[n];
        if (table->register_only && form->immediate && immediate_present(word))
            continue;
        const uint64_t *entry = table->words[compact_index(table, compacted)];
        word[0] |= entry[0];
        word[1] |= entry[1];
    }
    bool immediate = form->immediate && immediate_present(word);
    for (unsigned n = 0; n < form->move_count; n++) {
        const struct compact_move *move = &form->moves[n];
        if (move->register_only && immediate)
            continue;
        uint64_t value = compacted >> move->from & ((UINT64_C(1) << move->width) - 1);
        if (move->to < 64)
            word[0] |= value << move->to;
        else
            word[1] |= value << (move->to - 64);
    }
    if (immediate)
        word[1] = (word[1] & 0xffffffff) | (uint64_t)immediate_expand(word, compacted) << 32;
    raw[0] = word[0];
    raw[1] = word[1];
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

static bool layout_compact_raw(enum sonde_gen_opcode opcode, const uint64_t raw[2],
                               uint64_t *compacted)
{
    const struct compact_form *form = &layout_compact[layout_compact_of[opcode]];
    if (form->move_count == 0)
        return false;
    bool immediate = form->immediate && immediate_present(raw);
    uint64_t used = ~unused_upper(opcode, raw);
    uint64_t out = UINT64_C(1) << 29;
    for (unsigned n = 0; n < form->table_count; n++) {
        const struct compact_table *table = &form->tables[n];
        uint64_t mask[2] = {table->mask[0], table->mask[1] & used};
        unsigned index = 0;
        if (immediate) {
            if (table->register_only)
                continue;
            mask[1] &= 0xffffffff;
        }
        if (!table_find(table, raw, mask, &index))
            return false;
        out |= (uint64_t)(index & ((1u << table->width) - 1)) << table->from;
        out |= (uint64_t)(index >> table->width) << table->high_from;
    }
    for (unsigned n = 0; n < form->move_count; n++) {
        const struct compact_move *move = &form->moves[n];
        if (move->register_only && immediate)
            continue;
        uint64_t value = raw[move->to / 64] >> (move->to % 64) & ((UINT64_C(1) << move->width) - 1);
        out |= value << move->from;
    }
    if (immediate)
        out |= immediate_compact(raw);
    /* Bits that the form cannot hold show as a difference. */
    uint64_t again[2];
    if (!layout_expand(opcode, out, again) || again[0] != raw[0] ||
        ((again[1] ^ raw[1]) & used) != 0)
        return false;
    *compacted = out;
    return true;
}

#define LAYOUT_FUNCTIONS                                                                           \
    {                                                                                              \
        .decode = layout_decode, .encode = layout_encode, .signature = layout_signature,           \
        .init = layout_init, .expand = layout_expand, .compact = layout_compact_raw                \
    }

#endif
