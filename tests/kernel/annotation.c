#include "annotation.h"

#include <string.h>

static bool is_sync_nop(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_SYNC && i->sync == SONDE_GEN_SYNC_NOP;
}

/* The field of a token alone, as the instruction's platform codes it. */
static uint16_t token_only(uint8_t platform, uint8_t token, uint8_t mode)
{
    static const uint16_t xe[] = {0, 0x20, 0x30, 0x40}, xehpc[] = {0, 0x80, 0xa0, 0xc0};
    return (uint16_t)((platform == SONDE_GEN_PLATFORM_XEHPC ? xehpc : xe)[mode] + token);
}

static uint16_t without_wait(const struct sonde_gen_instruction *i,
                             const struct sonde_gen_scoreboard *s)
{
    return s->token_mode == SONDE_GEN_TOKEN_SET
               ? token_only(i->platform, s->token, SONDE_GEN_TOKEN_SET)
               : 0;
}

/* Less waiting, or the field as it is. */
static uint16_t weaker(const struct sonde_gen_instruction *i, const struct sonde_gen_scoreboard *s)
{
    bool combined = s->token_mode != SONDE_GEN_TOKEN_NONE && s->distance != 0;
    if (s->token_mode == SONDE_GEN_TOKEN_DESTINATION && !combined)
        return token_only(i->platform, s->token, SONDE_GEN_TOKEN_SOURCE);
    if (s->distance == 0 || s->distance == 7)
        return i->swsb;
    if (!combined)
        return (uint16_t)(i->swsb + 1);
    return (uint16_t)(i->swsb + (i->platform == SONDE_GEN_PLATFORM_XEHPC ? 0x20 : 0x10));
}

bool annotation_change(enum sonde_gen_platform platform, uint8_t word[16],
                       enum annotation_change change)
{
    struct sonde_gen_instruction i;
    struct sonde_gen_scoreboard s;
    struct sonde_gen_wait wait;
    if (sonde_gen_decode(platform, word, 16, 0, &i, NULL) != SONDE_OK || i.illegal ||
        i.send.end_of_thread || !sonde_gen_scoreboard_decode(&i, &s) ||
        !sonde_gen_instruction_wait(&i, &wait) || (i.opcode == SONDE_GEN_SYNC && !is_sync_nop(&i)))
        return false;
    uint16_t field = change == ANNOTATION_REMOVE ? without_wait(&i, &s) : weaker(&i, &s);
    if (field == i.swsb)
        return false;
    i.swsb = field;
    return sonde_gen_encode(&i, word, NULL) == SONDE_OK;
}
