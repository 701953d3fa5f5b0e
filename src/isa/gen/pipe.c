/* In which pipe an instruction runs, and what its scoreboard field makes it
 * wait for.
 *
 * Facts: how the MIT-licensed Intel Graphics Compiler and its assembler sort
 * instructions into pipes when they set the field. */
#include "isa/gen/opcode_facts.h"

#define ALL_TOKENS   UINT32_MAX
#define BIT(pipe)    (uint16_t)(1u << SONDE_GEN_PIPE_##pipe)
#define IN_ORDER_ALL (BIT(FLOAT) | BIT(INTEGER) | BIT(LONG))

static bool is_wide(uint8_t type)
{
    return sonde_gen_type_size((enum sonde_gen_type)type) == 8;
}

/* The pipe of a type: from XeHPC on 64-bit integers are integers. */
static enum sonde_gen_pipe pipe_of_type(uint8_t platform, uint8_t type)
{
    bool is_float = sonde_gen_type_is_float((enum sonde_gen_type)type);
    if (is_wide(type) && (is_float || platform < SONDE_GEN_PLATFORM_XEHPC))
        return SONDE_GEN_PIPE_LONG;
    return is_float ? SONDE_GEN_PIPE_FLOAT : SONDE_GEN_PIPE_INTEGER;
}

static enum sonde_gen_pipe arithmetic_pipe(const struct sonde_gen_instruction *i)
{
    if (i->platform < SONDE_GEN_PLATFORM_XEHPC) {
        for (unsigned n = 0; n < i->source_count && n < 3; n++) {
            if (is_wide(i->src[n].type))
                return SONDE_GEN_PIPE_LONG;
        }
    }
    return pipe_of_type(i->platform, i->dst.type);
}

enum sonde_gen_pipe sonde_gen_instruction_pipe(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_instruction *i = instruction;
    if (i->platform < SONDE_GEN_PLATFORM_XE || i->illegal)
        return SONDE_GEN_PIPE_NONE;
    switch (sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode)) {
    case SONDE_GEN_FORMAT_NULLARY:
    case SONDE_GEN_FORMAT_SYNC:
    case SONDE_GEN_FORMAT_WAIT:
        return SONDE_GEN_PIPE_NONE;
    case SONDE_GEN_FORMAT_BRANCH:
        return i->opcode == SONDE_GEN_HALT ? SONDE_GEN_PIPE_NONE : SONDE_GEN_PIPE_INTEGER;
    case SONDE_GEN_FORMAT_SEND:
        return SONDE_GEN_PIPE_SEND;
    case SONDE_GEN_FORMAT_DPAS:
        return SONDE_GEN_PIPE_SYSTOLIC;
    case SONDE_GEN_FORMAT_MATH:
        return SONDE_GEN_PIPE_MATH;
    default:
        return arithmetic_pipe(i);
    }
}

bool sonde_gen_instruction_is_out_of_order(const struct sonde_gen_instruction *instruction)
{
    switch (sonde_gen_instruction_pipe(instruction)) {
    case SONDE_GEN_PIPE_SEND:
    case SONDE_GEN_PIPE_SYSTOLIC:
        return true;
    case SONDE_GEN_PIPE_MATH:
        return instruction->platform < SONDE_GEN_PLATFORM_XEHPC;
    default:
        return false;
    }
}

static uint16_t in_order_pipes(uint8_t platform)
{
    return platform >= SONDE_GEN_PLATFORM_XEHPC ? IN_ORDER_ALL | BIT(MATH) : IN_ORDER_ALL;
}

/* Pipes of a distance without a pipe: those of the sources' types. */
static uint16_t inferred_pipes(const struct sonde_gen_instruction *i)
{
    uint16_t pipes = 0;
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        uint8_t file = i->src[n].file;
        if (file == SONDE_GEN_FILE_GRF || file == SONDE_GEN_FILE_ARF)
            pipes |= (uint16_t)(1u << pipe_of_type(i->platform, i->src[n].type));
    }
    return pipes;
}

static uint16_t waited_pipes(const struct sonde_gen_instruction *i,
                             const struct sonde_gen_scoreboard *s)
{
    if (s->distance == 0)
        return 0;
    if (i->platform == SONDE_GEN_PLATFORM_XE || s->pipe == SONDE_GEN_PIPE_ALL)
        return in_order_pipes(i->platform);
    if (s->pipe == SONDE_GEN_PIPE_INFERRED)
        return inferred_pipes(i);
    return (uint16_t)(1u << s->pipe);
}

bool sonde_gen_instruction_wait(const struct sonde_gen_instruction *instruction,
                                struct sonde_gen_wait *wait)
{
    const struct sonde_gen_instruction *i = instruction;
    struct sonde_gen_scoreboard s;
    *wait = (struct sonde_gen_wait){0};
    if (i->illegal || !sonde_gen_scoreboard_decode(i, &s))
        return false;
    wait->distance = s.distance;
    wait->pipes = waited_pipes(i, &s);
    uint32_t token = UINT32_C(1) << (s.token & 31);
    if (s.token_mode == SONDE_GEN_TOKEN_DESTINATION)
        wait->destination = token;
    else if (s.token_mode == SONDE_GEN_TOKEN_SOURCE)
        wait->source = token;
    wait->sets_token = s.token_mode == SONDE_GEN_TOKEN_SET;
    wait->token = wait->sets_token ? s.token : 0;
    if (i->opcode == SONDE_GEN_SYNC &&
        (i->sync == SONDE_GEN_SYNC_ALLRD || i->sync == SONDE_GEN_SYNC_ALLWR)) {
        uint32_t tokens =
            i->src[0].file == SONDE_GEN_FILE_IMMEDIATE ? (uint32_t)i->src[0].immediate : ALL_TOKENS;
        if (i->sync == SONDE_GEN_SYNC_ALLWR)
            wait->destination |= tokens;
        else
            wait->source |= tokens;
    }
    return true;
}
