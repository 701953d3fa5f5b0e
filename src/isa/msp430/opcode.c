#include "isa/msp430/internal.h"

#include "msp430_opcodes.inc"

const struct msp430_encoding *msp430_encoding_at(size_t index)
{
    return index < sizeof encodings / sizeof *encodings ? &encodings[index] : NULL;
}

const struct msp430_encoding *msp430_encoding_find(enum sonde_msp430_core core, uint16_t word)
{
    const struct msp430_encoding *row;
    for (size_t i = 0; (row = msp430_encoding_at(i)) != NULL; i++) {
        if (row->core <= core && (word & row->mask) == row->word)
            return row;
    }
    return NULL;
}

const char *sonde_msp430_opcode_mnemonic(enum sonde_msp430_opcode opcode)
{
    if ((unsigned)opcode >= SONDE_MSP430_OPCODE_COUNT || mnemonics[opcode] == NULL)
        return ".word";
    return mnemonics[opcode];
}
