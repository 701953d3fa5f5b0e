/* Any bytes as code of FUZZ_PLATFORM: the whole codec must stay within its
 * promises. Decoding never fails but for the end of the buffer; everything
 * prints, into a buffer of any size, and encodes to its own bytes; what is
 * illegal says why; an edited instruction is refused or decodes to what was
 * encoded; effects and messages take anything. */
#include "sonde/gen_message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition)
        abort();
}

static void round_trip(const struct sonde_gen_instruction *i, const uint8_t *bytes)
{
    uint8_t out[16];
    struct sonde_error error;
    if (i->compacted) {
        must(sonde_gen_compact(i, out, &error) == SONDE_OK);
        must(memcmp(out, bytes, 8) == 0);
        if (!i->illegal) /* and it has a native form */
            must(sonde_gen_encode(i, out, &error) == SONDE_OK);
        return;
    }
    must(sonde_gen_encode(i, out, &error) == SONDE_OK);
    must(memcmp(out, bytes, 16) == 0);
}

static struct sonde_gen_operand *operand(struct sonde_gen_instruction *i, uint8_t choice)
{
    return choice % 4 == 3 ? &i->dst : &i->src[choice % 4];
}

/* One field takes another value. */
static void edit(struct sonde_gen_instruction *i, uint8_t what, uint8_t value)
{
    struct sonde_gen_operand *o = operand(i, what >> 5);
    switch (what & 31) {
    case 0:
        i->exec_size = value;
        break;
    case 1:
        i->channel_offset = value;
        break;
    case 2:
        i->predicate = value;
        break;
    case 3:
        i->condition = value;
        break;
    case 4:
        o->number = value;
        break;
    case 5:
        o->subreg = value;
        break;
    case 6:
        o->type = value;
        break;
    case 7:
        o->vstride = value;
        break;
    case 8:
        o->indirect = value & 1;
        break;
    case 9:
        o->immediate = value * UINT64_C(0x0101010101010101);
        break;
    case 10:
        o->file = value % 4;
        break;
    case 11:
        o->address_offset = (int16_t)(value * 8 - 1024);
        break;
    case 12:
        i->opcode = value;
        break;
    case 13:
        i->math = value;
        break;
    case 14:
        i->jip = value * 8 - 1000;
        break;
    case 15:
        i->send.descriptor = value * UINT32_C(0x01010101);
        break;
    case 16:
        i->send.descriptor_is_register = value & 1;
        break;
    case 17:
        i->align16 = value & 1;
        break;
    default:
        i->no_mask = value & 1;
        break;
    }
}

static void edited(const struct sonde_gen_instruction *i, const uint8_t *bytes)
{
    struct sonde_gen_instruction changed = *i, seen;
    struct sonde_error error;
    uint8_t out[16], again[16];
    edit(&changed, bytes[1], bytes[5]);
    changed.compacted = false;
    changed.size = 16;
    if (sonde_gen_encode(&changed, out, &error) != SONDE_OK)
        return;
    sonde_gen_instruction_validate(&changed, &error);
    must(sonde_gen_decode(FUZZ_PLATFORM, out, 16, 0, &seen, &error) == SONDE_OK);
    must(seen.opcode == changed.opcode);
    must(sonde_gen_encode(&seen, again, &error) == SONDE_OK);
    must(memcmp(out, again, 16) == 0);
    if (seen.opcode == SONDE_GEN_ILLEGAL || seen.opcode == SONDE_GEN_NOP)
        return;
    must(!seen.illegal && seen.exec_size == changed.exec_size);
    must(seen.channel_offset == changed.channel_offset && seen.no_mask == changed.no_mask);
    must(!changed.has_jip || seen.jip == changed.jip);
    if (sonde_gen_compact(&changed, out, &error) == SONDE_OK) {
        must(sonde_gen_decode(FUZZ_PLATFORM, out, 8, 0, &seen, &error) == SONDE_OK);
        must(seen.compacted && seen.opcode == changed.opcode);
        must(!changed.has_jip || seen.jip == changed.jip);
    }
}

static void print(const struct sonde_gen_instruction *i, const uint8_t *bytes)
{
    char text[1024], reason[200];
    int length = sonde_gen_print(i, NULL, NULL, text, sizeof text);
    must(length > 0 && (size_t)length < sizeof text && strlen(text) == (size_t)length);
    must((sonde_gen_illegal_print(i, reason, sizeof reason) > 0) == i->illegal);
    size_t room = bytes[0] % 64u;
    char *small = malloc(room + 1);
    must(small != NULL);
    must(sonde_gen_print(i, NULL, NULL, small, room) == length);
    size_t kept = room <= (size_t)length ? room - 1 : (size_t)length;
    must(room == 0 || (strlen(small) == kept && memcmp(small, text, kept) == 0));
    free(small);
}

static void examine(const struct sonde_gen_instruction *i)
{
    struct sonde_gen_effects effects;
    struct sonde_gen_message message;
    struct sonde_error error;
    char text[64];
    sonde_gen_instruction_effects(i, &effects);
    must(!i->illegal || effects.writes.grf_unknown);
    enum sonde_status valid = sonde_gen_instruction_validate(i, &error);
    must(valid == SONDE_OK || valid == SONDE_ERROR_ILLEGAL || valid == SONDE_ERROR_RANGE);
    sonde_gen_message_decode(i, &message, &error);
    must(sonde_gen_message_print(&message, text, sizeof text) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sonde_gen_instruction *all;
    struct sonde_error error;
    size_t count;
    enum sonde_status status =
        sonde_gen_decode_all(FUZZ_PLATFORM, data, size, &all, &count, &error);
    must(status == SONDE_OK || status == SONDE_ERROR_TRUNCATED);
    size_t whole = status == SONDE_OK ? count : 0;
    struct sonde_gen_instruction i;
    for (size_t offset = 0, n = 0;
         sonde_gen_decode(FUZZ_PLATFORM, data, size, offset, &i, &error) == SONDE_OK;
         offset += i.size, n++) {
        must(n >= whole || memcmp(&all[n].raw, &i.raw, sizeof i.raw) == 0);
        round_trip(&i, data + offset);
        print(&i, data + offset);
        if (!i.illegal)
            edited(&i, data + offset);
        examine(&i);
    }
    free(all);
    return 0;
}
