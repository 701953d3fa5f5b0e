/* Random words of Xe and later against libiga64. A word starts from one that
 * libiga64 assembled and takes random registers, scoreboard, predicate and
 * mask; or it is a compacted word with random table indices. Either side may
 * refuse a word; what both decode has to print alike, and whatever we decode
 * has to encode to the same bytes. Usage: oracle_random COUNT [SEED]. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_A_BUFFER = 512, TEMPLATES_MAXIMUM = 32 };

struct random {
    uint64_t state;
};

static uint64_t draw(struct random *random)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t below(struct random *random, uint32_t limit)
{
    return (uint32_t)((draw(random) >> 32) % limit);
}

static void set(uint64_t word[2], unsigned high, unsigned low, uint64_t value)
{
    uint64_t mask = (UINT64_C(1) << (high - low + 1)) - 1;
    word[low / 64] = (word[low / 64] & ~(mask << (low % 64))) | ((value & mask) << (low % 64));
}

/* Registers that a text may replace: d(estination), 0, 1, 2; p(redicate). */
struct template_text {
    const char *text;
    const char *random;
};

static const struct template_text texts[] = {
    {"mov (8|M0) r1.0<1>:d r2.0<8;8,1>:d\n", "d0p"},
    {"mov (8|M0) r1.0<1>:ud 0x12345678:ud\n", "dp"},
    {"add (8|M0) r1.0<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d\n", "d01p"},
    {"mul (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n", "d01p"},
    {"and (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud r3.0<8;8,1>:ud\n", "d01p"},
    {"cmp (8|M0) (gt)f0.0 null<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n", "01p"},
    {"sel (8|M0) (lt)f0.0 r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n", "d01"},
    {"shl (8|M0) r1.0<1>:d r2.0<8;8,1>:d 0x5:w\n", "d0p"},
    {"rol (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud r3.0<8;8,1>:ud\n", "d01p"},
    {"math.inv (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n", "d0p"},
    {"mad (8|M0) r1.0<1>:f r2.0<8;1>:f r3.0<8;1>:f r4.0<1>:f\n", "d012p"},
    {"mad (8|M0) r1.0<1>:d r2.0<8;1>:d r3.0<8;1>:d r4.0<1>:w\n", "d012p"},
    {"csel (8|M0) (gt)f0.0 r1.0<1>:f r2.0<8;1>:f r3.0<8;1>:f r4.0<1>:f\n", "d012"},
    {"bfe (8|M0) r1.0<1>:d r2.0<8;1>:d r3.0<8;1>:d r4.0<1>:d\n", "d012p"},
    {"dp4a (8|M0) r1.0<1>:d r2.0<8;1>:d r3.0<8;1>:d r4.0<1>:d\n", "d012p"},
    {"add3 (8|M0) r1.0<1>:d r2.0<8;1>:d r3.0<8;1>:d r4.0<1>:d\n", "d012p"},
    {"bfn.0xCA (8|M0) r1.0<1>:ud r2.0<8;1>:ud r3.0<8;1>:ud r4.0<1>:ud\n", "d012p"},
    {"dpas.8x8 (16|M0) r10:f null:f r20:bf r30.0:bf\n", "d12"},
    {"dpas.8x8 (8|M0) r10:d null:d r20:ub r30.0:s4\n", "d12"},
    {"send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00\n", "d0p"},
    {"send.ugm (16|M0) r10 r20 null:0 0x0 0x08200580\n", "d0p"},
    {"sync.nop null\n", ""},
    {"L0:\ngoto (16|M0) L0 L0\n", "p"},
    {"L0:\nwhile (16|M0) L0\n", "p"},
};

struct templates {
    uint64_t word[TEMPLATES_MAXIMUM][2];
    const char *random[TEMPLATES_MAXIMUM];
    size_t count;
};

/* Not every platform has every instruction. */
static void assemble(struct iga *iga, struct templates *templates)
{
    templates->count = 0;
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        size_t size = 0;
        const uint8_t *code = iga_assemble(iga, texts[n].text, IGA_ENCODE_NO_COMPACT, &size);
        if (code == NULL || size != 16)
            continue;
        memcpy(templates->word[templates->count], code, 16);
        templates->random[templates->count++] = texts[n].random;
    }
}

static void make_word(struct random *random, const struct templates *templates,
                      enum sonde_gen_platform platform, uint64_t word[2])
{
    uint32_t index = below(random, (uint32_t)templates->count);
    const char *allows = templates->random[index];
    bool large = platform == SONDE_GEN_PLATFORM_XEHPC;
    uint32_t registers = platform == SONDE_GEN_PLATFORM_XE ? 128 : 256;
    memcpy(word, templates->word[index], 16);
    set(word, large ? 17 : 15, 8, draw(random));
    if (strchr(allows, 'd') != NULL)
        set(word, 63, 56, below(random, registers));
    if (strchr(allows, '0') != NULL)
        set(word, 79, 72, below(random, registers));
    if (strchr(allows, '1') != NULL)
        set(word, 111, 104, below(random, registers));
    if (strchr(allows, '2') != NULL)
        set(word, 127, 120, below(random, registers));
    if (strchr(allows, 'p') == NULL)
        return;
    set(word, 31, 31, below(random, 2));
    set(word, 28, 28, below(random, 2));
    set(word, 27, large ? 26 : 24, below(random, large ? 4 : 14));
    set(word, large ? 23 : 23, large ? 21 : 22, below(random, large ? 8 : 4));
}

/* The fields of a compacted word other than opcode and debug bit are free. */
static uint64_t make_compacted(struct random *random, enum sonde_gen_platform platform)
{
    static const uint8_t codes[] = {0x61, 0x62, 0x40, 0x41, 0x5b, 0x52, 0x6b, 0x59};
    uint64_t word = draw(random);
    /* libiga64 takes registers beyond r127 everywhere. */
    if (platform == SONDE_GEN_PLATFORM_XE)
        word &= ~(UINT64_C(1) << 23 | UINT64_C(1) << 47 | UINT64_C(1) << 55 | UINT64_C(1) << 63);
    word = (word & ~UINT64_C(0xff)) | codes[below(random, sizeof codes)];
    return word | UINT64_C(1) << 29;
}

static bool run(enum sonde_gen_platform platform, size_t count, uint64_t seed)
{
    static uint64_t buffer[WORDS_A_BUFFER][2];
    static uint64_t compacted[WORDS_A_BUFFER];
    struct random random = {.state = seed + platform};
    struct oracle oracle = {
        .iga = iga_open_platform(platform), .platform = platform, .show_limit = 20};
    struct oracle small = oracle;
    struct templates templates;
    assemble(oracle.iga, &templates);
    bool good = templates.count > 16;
    for (size_t done = 0; done < count && good; done += WORDS_A_BUFFER) {
        for (uint32_t i = 0; i < WORDS_A_BUFFER; i++) {
            make_word(&random, &templates, platform, buffer[i]);
            compacted[i] = make_compacted(&random, platform);
        }
        good = oracle_compare(&oracle, "word", (const uint8_t *)buffer, sizeof buffer) &&
               oracle_compare(&small, "compacted", (const uint8_t *)compacted, sizeof compacted);
    }
    const struct oracle *both[] = {&oracle, &small};
    for (size_t n = 0; n < 2; n++) {
        const struct oracle *o = both[n];
        printf("%s %s: %zu, %zu refused by iga, %zu by sonde, %zu accepted by sonde alone, %zu "
               "texts differ, %zu bytes differ\n",
               sonde_gen_platform_name(platform), n == 0 ? "words" : "compacted words",
               o->instructions, o->refused_by_iga, o->refused_by_us, o->accepted_by_us,
               o->different, o->changed);
        good = good && o->different == 0 && o->changed == 0 &&
               o->instructions - o->refused_by_iga >= count / 8;
    }
    iga_close(oracle.iga);
    return good;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x50de;
    struct iga *iga = iga_open();
    if (iga == NULL) {
        printf("libiga64.so.1 is not installed\n");
        return 77;
    }
    iga_close(iga);
    bool good = count > 0;
    for (unsigned platform = SONDE_GEN_PLATFORM_XE; platform < SONDE_GEN_PLATFORM_COUNT; platform++)
        good = run((enum sonde_gen_platform)platform, count, seed) && good;
    return good ? 0 : 1;
}
