/* Comparing our text of a piece of code with libiga64's, line by line. */
#ifndef TESTS_ISA_ORACLE_H
#define TESTS_ISA_ORACLE_H

#include "sonde/gen.h"

#include "codec_iga.h"

/* In which way a known disagreement shows. */
enum oracle_excuse_kind {
    ORACLE_HIDDEN,      /* libiga64 leaves out saturation, source modifiers, condition, predicate */
    ORACLE_DESCRIPTION, /* only the words that describe a message differ */
    ORACLE_REFUSED,     /* libiga64 reports an error with `error` in it */
    ORACLE_EXCUSE_KINDS
};

/* Words on which a disagreement is known and explained. */
struct oracle_excuse {
    uint32_t platforms; /* one bit each */
    enum oracle_excuse_kind kind;
    uint64_t mask[2];
    uint64_t value[2];
    char error[64];
};

struct oracle {
    struct iga *iga; /* of the platform */
    enum sonde_gen_platform platform;
    const struct iga_diagnostic *errors; /* of the code being compared */
    size_t error_count;
    const struct oracle_excuse *excuses;
    size_t excuse_count;
    size_t excused;
    size_t accepted_by_us; /* words that only we decode, without an excuse */
    size_t instructions;
    size_t refused_by_iga; /* words that libiga64 does not decode */
    size_t refused_by_us;  /* and those that we do not decode */
    size_t different;      /* text, for words that both decode */
    size_t changed;        /* bytes after decode and encode */
    size_t shown;
    size_t show_limit;
};

/* Decode, print and encode all of `code` and compare. `name` is for messages.
 * False when the two disagree on the number of instructions. */
bool oracle_compare(struct oracle *oracle, const char *name, const uint8_t *code, size_t size);

/* The list of known disagreements; false when it cannot be read. */
bool oracle_read_excuses(struct oracle *oracle, const char *path);
void oracle_report(const struct oracle *oracle, const char *what);
/* Append a line for doc/isa-gen.md: layout, what was compared, kernels (0 for
 * words), instructions, refused by both, differences, explained disagreements.
 * Nothing when `path` is NULL; false when it cannot be written. */
bool oracle_write_figures(const struct oracle *oracle, const char *what, size_t kernels,
                          const char *path);
/* No difference that the list does not explain. */
bool oracle_agrees(const struct oracle *oracle);

#endif
