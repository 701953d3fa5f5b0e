/* Compaction against the one of libiga64's assembler. Random compacted words
 * give texts of instructions that have such a form; each is assembled in the
 * native form and in the shortest, and our compacted form of the native word
 * has to be the assembler's, or none where that has none. Usage: compact_test
 * COUNT. */
#include "codec_iga.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPACTED_BIT (UINT64_C(1) << 29)

struct tally {
    size_t compacted, native, bad;
};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* The line of the instruction without the word Compacted; false when it cannot
 * stand for itself. */
static bool instruction_text(const char *listing, char *text, size_t size)
{
    const char *line = listing[0] == 'L' ? strchr(listing, '\n') : listing;
    if (line == NULL || strstr(line, "illegal") != NULL)
        return false;
    line += line[0] == '\n';
    snprintf(text, size, "%.*s\n", (int)strcspn(line, "\n"), line);
    char *word = strstr(text, "Compacted");
    if (word == NULL)
        return false;
    size_t length = strlen("Compacted");
    if (word[length] == ',')
        length++;
    else if (word[-1] == ',')
        word--, length++;
    else if (word[-1] == '{' && word[length] == '}')
        word--, length += 2;
    memmove(word, word + length, strlen(word + length) + 1);
    return true;
}

static void compare(struct iga *iga, enum sonde_gen_platform platform, const char *text,
                    struct tally *tally)
{
    uint8_t native[16], ours[8], theirs[16];
    size_t size = 0;
    struct sonde_gen_instruction i;
    const uint8_t *code = iga_assemble(iga, text, IGA_ENCODE_NO_COMPACT, &size);
    if (code == NULL || size != sizeof native)
        return; /* some texts show what the assembler refuses */
    memcpy(native, code, sizeof native);
    code = iga_assemble(iga, text, IGA_ENCODE_COMPACT, &size);
    if (code == NULL)
        return;
    memcpy(theirs, code, size);
    sonde_gen_decode(platform, native, sizeof native, 0, &i, NULL);
    bool has_form = sonde_gen_compact(&i, ours, NULL) == SONDE_OK;
    tally->compacted += size == 8;
    tally->native += size != 8;
    if (has_form == (size == 8) && (!has_form || memcmp(ours, theirs, 8) == 0))
        return;
    if (tally->bad++ < 20)
        printf("%s: %s  %s, the assembler %s\n", sonde_gen_platform_name(platform), text,
               has_form ? "compacts" : "does not compact",
               size != 8  ? "does not"
               : has_form ? "otherwise"
                          : "does");
}

static bool run(enum sonde_gen_platform platform, size_t count)
{
    struct iga *iga = iga_open_platform(platform);
    struct tally tally = {0};
    uint64_t state = 0x50de + (uint64_t)platform;
    for (size_t n = 0; n < count; n++) {
        uint64_t word = (draw(&state) & ~UINT64_C(0x80)) | COMPACTED_BIT;
        uint8_t bytes[8];
        struct sonde_gen_instruction i;
        char text[512];
        memcpy(bytes, &word, sizeof bytes);
        sonde_gen_decode(platform, bytes, sizeof bytes, 0, &i, NULL);
        enum sonde_gen_format format = sonde_gen_opcode_format((enum sonde_gen_opcode)i.opcode);
        if (i.illegal || format == SONDE_GEN_FORMAT_BRANCH || format == SONDE_GEN_FORMAT_SEND)
            continue;
        const char *listing = iga_disassemble(iga, bytes, sizeof bytes);
        if (listing != NULL && instruction_text(listing, text, sizeof text))
            compare(iga, platform, text, &tally);
    }
    iga_close(iga);
    printf("%s: %zu instructions compact to the assembler's bytes, %zu to none, %zu differ\n",
           sonde_gen_platform_name(platform), tally.compacted, tally.native, tally.bad);
    return tally.bad == 0 && tally.compacted > count / 200;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    struct iga *iga = iga_open();
    if (iga == NULL) {
        printf("libiga64.so.1 is not installed\n");
        return 77;
    }
    iga_close(iga);
    bool good = count > 0;
    for (int platform = 0; platform < SONDE_GEN_PLATFORM_COUNT; platform++)
        good = run((enum sonde_gen_platform)platform, count) && good;
    return good ? 0 : 1;
}
