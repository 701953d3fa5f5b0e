#include <stddef.h>

#include "rewrite/msp430/internal.h"

static const struct msp430_jump jumps[] = {
    {"jne", "jeq", false}, {"jnz", "jz", false},  {"jeq", "jne", false}, {"jz", "jnz", false},
    {"jnc", "jc", false},  {"jlo", "jhs", false}, {"jc", "jnc", false},  {"jhs", "jlo", false},
    {"jge", "jl", false},  {"jl", "jge", false},  {"jn", NULL, false},   {"jmp", NULL, true},
};

const struct msp430_jump *msp430_jump_of(const struct msp430_statement *statement)
{
    if (statement->kind != MSP430_INSTRUCTION)
        return NULL;
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        if (msp430_slice_is(statement->name, jumps[i].name))
            return &jumps[i];
    }
    return NULL;
}

uint64_t msp430_jump_widened_size(const struct msp430_jump *jump)
{
    /* br #label; inverted jump and br; jn, jmp and br */
    return jump->always ? 4 : jump->inverse != NULL ? 6 : 8;
}
