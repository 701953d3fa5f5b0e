/* One instruction layout (bit positions), shared by one or more platforms. */
#ifndef SONDE_ISA_GEN_CODEC_H
#define SONDE_ISA_GEN_CODEC_H

#include "sonde/gen.h"

struct isa_gen_layout {
    /* Fill the fields of *i from i->raw; i->opcode is known. False when the
     * word is illegal; i->illegal_reason then says why. */
    bool (*decode)(struct sonde_gen_instruction *i);
    /* Write the fields of *i over raw[]; the name of a field that cannot hold
     * its value, or NULL. */
    const char *(*encode)(const struct sonde_gen_instruction *i, uint64_t raw[2]);
    /* A number for the alternatives of the encoding that *i takes; reserved
     * bits carry over only between equal ones. */
    uint32_t (*signature)(const struct sonde_gen_instruction *i);
    /* The reserved bits of a new instruction. */
    void (*init)(enum sonde_gen_opcode opcode, uint64_t raw[2]);
    /* Native word of a compacted one; false when the opcode has no such form. */
    bool (*expand)(enum sonde_gen_opcode opcode, uint64_t compacted, uint64_t raw[2]);
    bool (*compact)(enum sonde_gen_opcode opcode, const uint64_t raw[2], uint64_t *compacted);
};

extern const struct isa_gen_layout isa_gen_layout_a;
extern const struct isa_gen_layout isa_gen_layout_a11;
extern const struct isa_gen_layout isa_gen_layout_b;
extern const struct isa_gen_layout isa_gen_layout_bhp; /* XeHP and XeHPG compact otherwise */
extern const struct isa_gen_layout isa_gen_layout_c;

/* NULL for platforms that this version has no tables for. */
const struct isa_gen_layout *isa_gen_layout_of(enum sonde_gen_platform platform);

#endif
