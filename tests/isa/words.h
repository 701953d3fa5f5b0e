/* Random legal words of Gen9 and Gen11: each field takes random values that the
 * instruction allows. What differs between the two stands in a word family. */
#ifndef TESTS_ISA_WORDS_H
#define TESTS_ISA_WORDS_H

#include "codec_iga.h"

#include <string.h>

enum { WORDS_A_BUFFER = 1024, WORDS_TEMPLATES_MAXIMUM = 32 };

struct words {
    uint64_t state;
    const struct word_family *family;
    uint64_t templates[WORDS_TEMPLATES_MAXIMUM][2]; /* as the assembler made them */
    uint32_t template_count;
};

/* What an operation allows: p(redicate), c(ondition), s(aturate), m(odifiers
 * of sources), l(ogic). Sources in `shape`. */
enum shape { UNARY, BINARY, TERNARY };

struct operation {
    uint8_t code;
    enum shape shape;
    const char *allows;
};

struct word_codes {
    const uint8_t *codes;
    uint32_t count;
};

struct word_family {
    enum sonde_gen_platform platform;
    const uint8_t *type_size; /* bytes of a register type code */
    uint32_t type_count;
    struct word_codes narrow; /* types of immediates of up to 32 bits */
    struct word_codes wide;   /* and of 64 */
    uint8_t half_immediate;   /* the type of 16 bits besides uw and w */
    struct word_codes thread_controls;
    const struct operation *operations;
    uint32_t operation_count;
    const char *const *texts; /* instructions besides those that both families have */
    uint32_t text_count;
    void (*make_math_macro)(struct words *g, uint64_t word[2]);
    void (*make_ternary)(struct words *g, uint64_t word[2], const struct operation *operation);
};

extern const struct word_family word_family_gen9;
extern const struct word_family word_family_gen11;

enum { CODE_MATH = 0x38, CODE_MADM = 0x5d };

uint64_t words_draw(struct words *g);
uint32_t words_below(struct words *g, uint32_t limit);
bool words_one_in(struct words *g, uint32_t chances);
void words_set(uint64_t word[2], unsigned high, unsigned low, uint64_t value);
bool words_allows(const struct operation *operation, char what);
uint32_t words_draw_mme(struct words *g); /* mme0 to mme7, nomme */
void words_put_execution(struct words *g, uint64_t word[2], uint32_t size_log2);
/* Opcode, options, predicate, condition, saturation. */
void words_put_common(struct words *g, uint64_t word[2], const struct operation *operation,
                      bool align16);

#define PICK(g, array) ((array)[words_below(g, sizeof(array) / sizeof((array)[0]))])

/* False when the assembler refuses one of the family's texts. */
bool words_open(struct words *g, const struct word_family *family, uint64_t seed, struct iga *iga);
/* `index`: the word's place in a buffer of WORDS_A_BUFFER, for jump targets. */
void words_make(struct words *g, uint64_t word[2], uint32_t index);
uint64_t words_make_compacted(struct words *g);

#endif
