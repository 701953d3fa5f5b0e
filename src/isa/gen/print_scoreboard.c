/* Scoreboard annotations as iga64 prints them: @1, F@2, $3.dst. */
#include "isa/gen/print.h"

static const char *const pipe_name[] = {
    [SONDE_GEN_PIPE_INFERRED] = "", [SONDE_GEN_PIPE_ALL] = "A",  [SONDE_GEN_PIPE_FLOAT] = "F",
    [SONDE_GEN_PIPE_INTEGER] = "I", [SONDE_GEN_PIPE_LONG] = "L", [SONDE_GEN_PIPE_MATH] = "M",
};

static const char *const token_suffix[] = {
    [SONDE_GEN_TOKEN_NONE] = "",
    [SONDE_GEN_TOKEN_DESTINATION] = ".dst",
    [SONDE_GEN_TOKEN_SOURCE] = ".src",
    [SONDE_GEN_TOKEN_SET] = "",
};

bool print_scoreboard(struct print_text *out, const struct sonde_gen_instruction *instruction,
                      const char *separator)
{
    struct sonde_gen_scoreboard scoreboard;
    if (!sonde_gen_scoreboard_decode(instruction, &scoreboard))
        return false;
    bool any = scoreboard.has_distance || scoreboard.no_accumulator_set;
    if (scoreboard.no_accumulator_set)
        print_counted(out, "%sNoAccSBSet", separator);
    if (scoreboard.has_distance)
        print_counted(out, "%s%s@%u", separator, pipe_name[scoreboard.pipe], scoreboard.distance);
    if (scoreboard.token_mode == SONDE_GEN_TOKEN_NONE)
        return any;
    print_counted(out, "%s$%u%s", any ? "," : separator, scoreboard.token,
                  token_suffix[scoreboard.token_mode]);
    return true;
}
