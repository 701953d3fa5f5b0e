/* Random legal words of Gen9 and Gen11 against libiga64: each must print as
 * libiga64 prints it and survive decode and encode. Usage: oracle_words LIST
 * COUNT [SEED [FIGURES]]; LIST explains the words on which the two are known to disagree. */
#include "oracle.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static const char *figures; /* where they go, or NULL */

static bool run_words(struct oracle *oracle, struct words *g, size_t count)
{
    static uint64_t buffer[WORDS_A_BUFFER][2];
    bool good = true;
    for (size_t done = 0; done < count && good; done += WORDS_A_BUFFER) {
        for (uint32_t i = 0; i < WORDS_A_BUFFER; i++)
            words_make(g, buffer[i], i);
        good = oracle_compare(oracle, "word", (const uint8_t *)buffer, sizeof buffer);
    }
    return good;
}

static bool run_compacted(struct oracle *oracle, struct words *g, size_t count)
{
    static uint64_t buffer[WORDS_A_BUFFER];
    bool good = true;
    for (size_t done = 0; done < count && good; done += WORDS_A_BUFFER) {
        for (uint32_t i = 0; i < WORDS_A_BUFFER; i++)
            buffer[i] = words_make_compacted(g);
        good = oracle_compare(oracle, "compacted word", (const uint8_t *)buffer, sizeof buffer);
    }
    return good;
}

static bool run(const struct oracle *excuses, const struct word_family *family, size_t count,
                uint64_t seed)
{
    struct oracle words = *excuses;
    words.iga = iga_open_platform(family->platform);
    words.platform = family->platform;
    struct words g;
    if (!words_open(&g, family, seed, words.iga))
        return false;
    struct oracle compacted = words;
    bool good = run_words(&words, &g, count);
    oracle_report(&words, "random words");
    good = oracle_write_figures(&words, "random words", 0, figures) && good;
    good = run_compacted(&compacted, &g, count / 4) && good;
    oracle_report(&compacted, "random compacted words");
    good = oracle_write_figures(&compacted, "random compacted words", 0, figures) && good;
    iga_close(words.iga);
    return good && oracle_agrees(&words) && oracle_agrees(&compacted) &&
           words.instructions - words.refused_by_iga >= count * 9 / 10 &&
           compacted.instructions - compacted.refused_by_iga >= count / 20;
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
    struct oracle excuses = {.show_limit = 40};
    if (!oracle_read_excuses(&excuses, argv[1]))
        return 1;
    bool good = run(&excuses, &word_family_gen9, count, seed);
    return run(&excuses, &word_family_gen11, count, seed) && good ? 0 : 1;
}
