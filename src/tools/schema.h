/* Profiling schemas: what to collect at which points of a kernel, declared in
 * a YAML file or in short on the command line (doc/schema.md).
 *
 * A schema is a list of probes. A probe has values for keys; the same keys in
 * both notations, from one table (schema_table.c), which the parsers, the
 * checks, `sonde schema list` and the manual are made from. */
#ifndef SONDE_TOOLS_SCHEMA_H
#define SONDE_TOOLS_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sonde/status.h"

enum schema_key {
    SCHEMA_NAME,
    SCHEMA_REPORT,
    SCHEMA_KERNEL,
    SCHEMA_EXCLUDE,
    SCHEMA_BLOCK,
    SCHEMA_CLASS,
    SCHEMA_OPCODE,
    SCHEMA_MESSAGE,
    SCHEMA_SPACE,
    SCHEMA_WIDTH,
    SCHEMA_OFFSET,
    SCHEMA_SOURCE,
    SCHEMA_COLLECT,
    SCHEMA_REGISTERS,
    SCHEMA_ARGUMENT_KEY,
    SCHEMA_INTO,
    SCHEMA_KEY_COUNT
};

/* What the values of a key are. */
enum schema_form {
    SCHEMA_TEXT,    /* one text */
    SCHEMA_WORD,    /* one of the words */
    SCHEMA_WORDS,   /* any of the words */
    SCHEMA_KERNELS, /* patterns of kernels */
    SCHEMA_OPCODES, /* shell patterns of mnemonics */
    SCHEMA_RANGES,  /* numbers, and N-M */
    SCHEMA_LINES,   /* FILE:LINE, FILE:LINE-LINE, LINE */
    SCHEMA_GRFS,    /* rN, rN-rM, rN.D, operands */
};

struct schema_word {
    const char *name; /* NULL ends a list */
    uint32_t value;   /* of an enum; its bit in schema_probe.masks */
    const char *help;
};

struct schema_key_row {
    const char *name;
    enum schema_form form;
    const struct schema_word *words; /* WORD, WORDS */
    bool chooses_instructions;       /* a probe with it stands at instructions */
    const char *values;              /* how values look, for WORDs NULL */
    const char *help;
};

enum schema_block {
    SCHEMA_BLOCK_EVERY,
    SCHEMA_BLOCK_ENTRY,
    SCHEMA_BLOCK_EXIT,
    SCHEMA_BLOCK_LOOP_HEAD,
    SCHEMA_BLOCK_LOOP,
    SCHEMA_BLOCK_WORK,
    SCHEMA_BLOCK_KERNEL, /* no block: from the entry to the end */
};

enum schema_class {
    SCHEMA_CLASS_EVERY,
    SCHEMA_CLASS_MEMORY,
    SCHEMA_CLASS_LOAD,
    SCHEMA_CLASS_ATOMIC,
    SCHEMA_CLASS_BARRIER,
    SCHEMA_CLASS_SEND,
    SCHEMA_CLASS_MATH,
    SCHEMA_CLASS_MATRIX,
    SCHEMA_CLASS_BRANCH,
    SCHEMA_CLASS_MOVE,
    SCHEMA_CLASS_LOGIC,
    SCHEMA_CLASS_COMPARE,
    SCHEMA_CLASS_FLOAT,
    SCHEMA_CLASS_INTEGER,
    SCHEMA_CLASS_PREDICATED,
    SCHEMA_CLASS_MASKED,
};

enum schema_space {
    SCHEMA_SPACE_GLOBAL,
    SCHEMA_SPACE_LOCAL,
    SCHEMA_SPACE_SCRATCH,
};

enum schema_collect {
    SCHEMA_COUNT,
    SCHEMA_LANES,
    SCHEMA_TIME,
    SCHEMA_ADDRESSES,
    SCHEMA_REGISTER,
    SCHEMA_ARGUMENT,
};

enum schema_into {
    SCHEMA_COUNTER,
    SCHEMA_HISTOGRAM,
    SCHEMA_TRACE,
};

struct schema_place {
    uint32_t line, column; /* from 1; 0 none */
};

struct schema_values {
    char **items;
    size_t count, capacity;
    struct schema_place place; /* of the key */
};

struct schema_probe {
    struct schema_values values[SCHEMA_KEY_COUNT];
    uint32_t masks[SCHEMA_KEY_COUNT]; /* WORD, WORDS: 1 << value of each */
    struct schema_place place;
};

struct schema {
    struct schema_probe *probes;
    size_t count, capacity;
    char *summary;          /* of the last file, or NULL */
    char *threads, *groups; /* filters of a file (profile/scope.h), or NULL */
};

/* A probe of so many at most, each with so many values of a key. */
#define SCHEMA_PROBE_LIMIT 256u
#define SCHEMA_VALUE_LIMIT 256u
#define SCHEMA_FILE_LIMIT  (1u << 20) /* bytes */

/* --- the tables (schema_table.c) ------------------------------------------------- */
const struct schema_key_row *schema_key_at(enum schema_key key);
/* What a probe can collect into what, where. */
struct schema_pair {
    enum schema_collect collect;
    enum schema_into into;
    bool at_blocks, at_instructions, at_kernel;
    const char *help;
};
const struct schema_pair *schema_pair_at(size_t index); /* NULL at the end */
const struct schema_pair *schema_pair_find(enum schema_collect collect, enum schema_into into);
/* Reports of tools that a probe's results can be shown as. */
struct schema_report {
    const char *name;
    enum schema_collect collect;
    enum schema_into into;
    uint32_t blocks; /* exactly this block word; UINT32_MAX any */
    bool at_instructions;
    bool block_counts; /* a counter a block, for reports of blocks */
};
const struct schema_report *schema_report_at(size_t index); /* NULL at the end; names repeat */
/* Everything that can be written, as `sonde schema list` prints it. */
void schema_print_tables(FILE *out);

/* --- making schemas (schema.c) ------------------------------------------------------ */
/* Fill *error with "source:line:column: ..." */
enum sonde_status schema_fail(struct sonde_error *error, const char *source,
                              struct schema_place place, const char *format, ...)
    SONDE_PRINTF(4, 5);
struct schema_probe *schema_add_probe(struct schema *schema, struct schema_place place);
/* Add a checked value to a key of a probe. */
enum sonde_status schema_probe_add(struct schema_probe *probe, enum schema_key key,
                                   const char *value, const char *source, struct schema_place place,
                                   struct sonde_error *error);
/* Check a probe as a whole. */
enum sonde_status schema_probe_check(const struct schema_probe *probe, const char *source,
                                     struct sonde_error *error);
/* Name the probes that have no name, from `first` on: `base`, or base-1 and so
 * on when there are more; and refuse names that come twice. */
enum sonde_status schema_name_probes(struct schema *schema, size_t first, const char *base,
                                     const char *source, struct sonde_error *error);
void schema_probe_clear(struct schema_probe *probe);
void schema_clear(struct schema *schema);

/* The one value of a WORD; false when there is none. */
bool schema_value(const struct schema_probe *probe, enum schema_key key, uint32_t *value);
const char *schema_text(const struct schema_probe *probe, enum schema_key key); /* NULL none */
bool schema_is_at_instructions(const struct schema_probe *probe);
/* Whether a probe of the schema has the key. */
bool schema_has(const struct schema *schema, enum schema_key key);
bool schema_is_at_kernel(const struct schema_probe *probe);

/* Parts of values, all checked before. */
struct schema_range {
    uint64_t first, last;
};
bool schema_range_parse(const char *text, struct schema_range *range);
enum schema_operand { SCHEMA_DST, SCHEMA_SRC0, SCHEMA_SRC1, SCHEMA_SRC2, SCHEMA_GRF };
struct schema_grf {
    enum schema_operand operand;
    uint32_t first, count; /* GRF */
    uint32_t dword;        /* of a register, UINT32_MAX all */
};
bool schema_grf_parse(const char *text, struct schema_grf *grf);
struct schema_line {
    size_t file_length; /* of the text's start, 0 = any file */
    struct schema_range lines;
};
bool schema_line_parse(const char *text, struct schema_line *line);

/* --- notations ------------------------------------------------------------------------ */
/* Append what a file says (schema_yaml.c). `file` names it in messages; its
 * base name without extension names the schema where it does not itself. */
enum sonde_status schema_parse_yaml(struct schema *schema, const char *text, size_t size,
                                    const char *file, struct sonde_error *error);
/* Append the probes of lines of KEY=VALUE[,VALUE]... (schema_short.c). */
enum sonde_status schema_parse_short(struct schema *schema, const char *text, const char *source,
                                     struct sonde_error *error);
/* The schema in lines that schema_parse_short reads; malloc'ed, NULL out of memory. */
char *schema_to_short(const struct schema *schema);

#endif
