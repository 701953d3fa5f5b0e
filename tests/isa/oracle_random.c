/* Random instructions of Xe and later against libiga64. Each takes random
 * legal values in every field of its format, is encoded, and then the word has
 * to print as libiga64 prints it and to encode to its own bytes. Compacted
 * words have random table indices. Words that a side refuses are counted; the
 * list explains the classes on which the two are known to disagree.
 * Usage: oracle_random LIST COUNT [SEED [FIGURES]]. */
#include "oracle.h"
#include "oracle_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *figures; /* where they go, or NULL */

/* The fields of a compacted word other than opcode and debug bit are free. */
static uint64_t make_compacted(struct random *random, enum sonde_gen_platform platform)
{
    static const uint8_t codes[] = {0x61, 0x62, 0x40, 0x41, 0x5b, 0x52, 0x6b, 0x59};
    uint64_t word = random_draw(random);
    /* libiga64 takes registers beyond r127 everywhere. */
    if (platform == SONDE_GEN_PLATFORM_XE)
        word &= ~(UINT64_C(1) << 23 | UINT64_C(1) << 47 | UINT64_C(1) << 55 | UINT64_C(1) << 63);
    word = (word & ~UINT64_C(0xff)) | codes[random_below(random, sizeof codes)];
    return word | UINT64_C(1) << 29;
}

static bool run(enum sonde_gen_platform platform, const char *list, size_t count, uint64_t seed)
{
    static uint64_t buffer[DRAW_BUFFER_WORDS][2];
    static uint64_t compacted[DRAW_BUFFER_WORDS];
    struct random random = {.state = seed + platform};
    struct oracle oracle = {
        .iga = iga_open_platform(platform), .platform = platform, .show_limit = 20};
    if (!oracle_read_excuses(&oracle, list))
        return false;
    struct oracle small = oracle;
    bool good = true;
    for (size_t done = 0; done < count && good; done += DRAW_BUFFER_WORDS) {
        for (uint32_t i = 0; i < DRAW_BUFFER_WORDS; i++) {
            draw_word(&random, platform, i, buffer[i]);
            compacted[i] = make_compacted(&random, platform);
        }
        good = oracle_compare(&oracle, "word", (const uint8_t *)buffer, sizeof buffer) &&
               oracle_compare(&small, "compacted", (const uint8_t *)compacted, sizeof compacted);
    }
    oracle_report(&oracle, "random words");
    good = oracle_write_figures(&oracle, "random words", 0, figures) && good;
    oracle_report(&small, "random compacted words");
    good = oracle_write_figures(&small, "random compacted words", 0, figures) && good;
    good = good && oracle_agrees(&oracle) && oracle_agrees(&small);
    /* Most words are legal, and enough of the compacted ones. */
    good = good && oracle.instructions - oracle.refused_by_iga >= count * 9 / 10 &&
           small.instructions - small.refused_by_iga >= count / 8;
    iga_close(oracle.iga);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    size_t count = strtoull(argv[2], NULL, 0);
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 0x50de;
    figures = argc > 4 ? argv[4] : NULL;
    if (figures != NULL)
        remove(figures);
    struct iga *iga = iga_open();
    if (iga == NULL) {
        printf("libiga64.so.1 is not installed\n");
        return 77;
    }
    iga_close(iga);
    bool good = count > 0;
    for (unsigned platform = SONDE_GEN_PLATFORM_XE; platform < SONDE_GEN_PLATFORM_COUNT; platform++)
        good = run((enum sonde_gen_platform)platform, argv[1], count, seed) && good;
    return good ? 0 : 1;
}
