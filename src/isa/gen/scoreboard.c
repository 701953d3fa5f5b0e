/* The software scoreboard field of Xe and later. The encodings were measured
 * by handing every value to libiga64. */
#include "isa/gen/codec.h"
#include "isa/gen/opcode_facts.h"

/* A pipe's code range of eight distances. */
struct pipe_range {
    uint8_t first;
    uint8_t pipe;
};

static const struct pipe_range ranges_xehp[] = {
    {0x00, SONDE_GEN_PIPE_INFERRED}, {0x08, SONDE_GEN_PIPE_ALL},  {0x10, SONDE_GEN_PIPE_FLOAT},
    {0x18, SONDE_GEN_PIPE_INTEGER},  {0x50, SONDE_GEN_PIPE_LONG},
};

static const struct pipe_range ranges_xehpc[] = {
    {0x00, SONDE_GEN_PIPE_INFERRED}, {0x08, SONDE_GEN_PIPE_ALL},  {0x10, SONDE_GEN_PIPE_FLOAT},
    {0x18, SONDE_GEN_PIPE_INTEGER},  {0x20, SONDE_GEN_PIPE_LONG}, {0x28, SONDE_GEN_PIPE_MATH},
};

static bool find_pipe(const struct pipe_range *ranges, size_t count, unsigned code,
                      struct sonde_gen_scoreboard *out)
{
    for (size_t n = 0; n < count; n++) {
        if ((code & ~7u) != ranges[n].first)
            continue;
        out->distance = code & 7;
        out->pipe = out->distance != 0 ? ranges[n].pipe : (uint8_t)SONDE_GEN_PIPE_INFERRED;
        return true;
    }
    return false;
}

static bool is_out_of_order(const struct sonde_gen_instruction *i)
{
    enum sonde_gen_format format = sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode);
    return format == SONDE_GEN_FORMAT_SEND || format == SONDE_GEN_FORMAT_DPAS ||
           (format == SONDE_GEN_FORMAT_MATH && i->platform < SONDE_GEN_PLATFORM_XEHPC);
}

static bool decode_xe(const struct sonde_gen_instruction *i, struct sonde_gen_scoreboard *out)
{
    static const uint8_t modes[] = {SONDE_GEN_TOKEN_DESTINATION, SONDE_GEN_TOKEN_SOURCE,
                                    SONDE_GEN_TOKEN_SET};
    unsigned code = i->swsb, high = code >> 4;
    bool is_send =
        sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode) == SONDE_GEN_FORMAT_SEND;
    if (code & 0x80) {
        out->token = code & 15;
        out->token_mode = is_out_of_order(i) ? SONDE_GEN_TOKEN_SET : SONDE_GEN_TOKEN_DESTINATION;
        out->distance = code >> 4 & 7;
        out->pipe = is_send && i->platform != SONDE_GEN_PLATFORM_XE ? SONDE_GEN_PIPE_ALL
                                                                    : SONDE_GEN_PIPE_INFERRED;
        out->has_distance = true;
        return true;
    }
    if (high >= 2 && high <= 4) {
        out->token = code & 15;
        out->token_mode = modes[high - 2];
        return true;
    }
    if (i->platform == SONDE_GEN_PLATFORM_XE) {
        out->distance = code & 15;
        out->has_distance = out->distance != 0;
        return high == 0;
    }
    bool found = find_pipe(ranges_xehp, sizeof ranges_xehp / sizeof *ranges_xehp, code, out);
    out->has_distance = out->distance != 0;
    return found;
}

static bool decode_combined(const struct sonde_gen_instruction *i, struct sonde_gen_scoreboard *out)
{
    static const uint8_t send_pipes[] = {SONDE_GEN_PIPE_ALL, SONDE_GEN_PIPE_FLOAT,
                                         SONDE_GEN_PIPE_INTEGER};
    enum sonde_gen_format format = sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode);
    unsigned mode = i->swsb >> 8;
    out->token = i->swsb & 31;
    out->distance = i->swsb >> 5 & 7;
    out->has_distance = true;
    if (format == SONDE_GEN_FORMAT_SEND) {
        out->pipe = send_pipes[mode - 1];
        out->token_mode = SONDE_GEN_TOKEN_SET;
    } else if (mode == 1) {
        out->token_mode =
            format == SONDE_GEN_FORMAT_DPAS ? SONDE_GEN_TOKEN_SET : SONDE_GEN_TOKEN_DESTINATION;
    } else {
        out->token_mode = mode == 2 ? SONDE_GEN_TOKEN_SOURCE : SONDE_GEN_TOKEN_DESTINATION;
        if (mode == 3 && format != SONDE_GEN_FORMAT_DPAS)
            out->pipe = SONDE_GEN_PIPE_ALL;
    }
    return true;
}

static bool decode_xehpc(const struct sonde_gen_instruction *i, struct sonde_gen_scoreboard *out)
{
    enum { NO_ACCUMULATOR_SET = 0xf0 };
    static const uint8_t modes[] = {SONDE_GEN_TOKEN_DESTINATION, SONDE_GEN_TOKEN_SOURCE,
                                    SONDE_GEN_TOKEN_SET};
    unsigned code = i->swsb;
    if (code >= 0x400)
        return false; /* more than the field holds */
    if (code >= 0x100)
        return decode_combined(i, out);
    if (code == NO_ACCUMULATOR_SET) {
        out->no_accumulator_set = true;
        return true;
    }
    if (code >= 0x80 && code < 0xe0) {
        out->token = code & 31;
        out->token_mode = modes[(code - 0x80) >> 5];
        return true;
    }
    bool found = find_pipe(ranges_xehpc, sizeof ranges_xehpc / sizeof *ranges_xehpc, code, out);
    out->has_distance = out->distance != 0;
    return found;
}

bool sonde_gen_scoreboard_decode(const struct sonde_gen_instruction *instruction,
                                 struct sonde_gen_scoreboard *scoreboard)
{
    *scoreboard = (struct sonde_gen_scoreboard){0};
    if (instruction->platform < SONDE_GEN_PLATFORM_XE)
        return true;
    return instruction->platform == SONDE_GEN_PLATFORM_XEHPC ? decode_xehpc(instruction, scoreboard)
                                                             : decode_xe(instruction, scoreboard);
}
