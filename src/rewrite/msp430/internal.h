/* Assembler text for MSP430 as a list of statements. */
#ifndef SONDE_REWRITE_MSP430_INTERNAL_H
#define SONDE_REWRITE_MSP430_INTERNAL_H

#include "sonde/msp430_as.h"

#define MSP430_NONE UINT32_MAX

struct msp430_slice {
    const char *text;
    size_t length;
};

enum msp430_statement_kind {
    MSP430_LABEL,
    MSP430_INSTRUCTION, /* or the use of a macro */
    MSP430_DIRECTIVE,
    MSP430_NAKED, /* GCC's comment that the function is naked */
};

/* What is done to a statement. */
enum msp430_edit {
    MSP430_KEEP,
    MSP430_ENTER_AFTER,
    MSP430_EXIT_BEFORE,
    MSP430_ENTER_HERE, /* the statement is the pseudo-operation */
    MSP430_EXIT_HERE,
};

struct msp430_statement {
    size_t start, end; /* bytes of the text, without blanks and comment around */
    uint32_t line;
    uint8_t kind; /* enum msp430_statement_kind */
    uint8_t edit; /* enum msp430_edit */
    bool inline_assembly;
    bool commented; /* a label that clang's comment calls a function */
    bool repeated;  /* between .rept and .endr: how often is not known */
    bool unknown;   /* its size is not known */
    bool inexact;   /* `size` is an upper bound */
    bool conditional_exit;
    bool widened;
    struct msp430_slice name;     /* label, mnemonic or directive */
    struct msp430_slice operands; /* may be empty */
    uint32_t section;
    uint32_t function; /* index or MSP430_NONE */
    uint32_t target;   /* of a jump: statement of the label, or MSP430_NONE */
    uint32_t alignment;
    uint64_t size; /* bytes as written */
    /* From the start of the section, edits included: of the statement itself,
     * after a marker before it. */
    uint64_t offset;
    uint32_t unknown_before; /* statements of unknown size before it in its section */
};

struct msp430_function {
    struct msp430_slice name;
    uint32_t label; /* statement */
    bool excluded, naked, marked_by_hand, has_plain_code, has_code, uses_table;
};

struct msp430_label {
    struct msp430_slice name;
    uint32_t statement;
};

struct msp430_program {
    const char *file;
    struct msp430_slice text;
    const struct sonde_msp430_as_options *options;
    struct msp430_statement *statements;
    size_t count, capacity;
    struct msp430_slice *sections;
    size_t section_count, section_capacity;
    struct msp430_function *functions;
    size_t function_count, function_capacity;
    struct msp430_label *labels; /* by name, then by statement */
    size_t label_count, label_capacity;
    bool uses_address_instructions; /* code of the large model */
    struct sonde_msp430_as_result *result;
    struct sonde_error *error;
};

/* --- scan.c ---------------------------------------------------------------- */
enum sonde_status msp430_scan(struct msp430_program *program);

/* --- slice.c ---------------------------------------------------------------- */
bool msp430_slice_equal(struct msp430_slice a, struct msp430_slice b);
/* Without regard to case, to a terminated string in lower case. */
bool msp430_slice_is(struct msp430_slice slice, const char *lower);
bool msp430_slice_begins(struct msp430_slice slice, const char *lower);
struct msp430_slice msp430_slice_trim(struct msp430_slice slice);
/* Take what stands before the next comma off the front of *list; false when
 * the list is empty. */
bool msp430_slice_next(struct msp430_slice *list, struct msp430_slice *item);
/* An integer literal and nothing else. */
bool msp430_slice_number(struct msp430_slice slice, int64_t *value);
bool msp430_is_symbol_character(char c);
/* Past a string or character constant that begins at `at`. */
size_t msp430_skip_quoted(struct msp430_slice text, size_t at);
/* Number of a register operand, or -1. */
int msp430_register(struct msp430_slice operand);

/* --- size.c ----------------------------------------------------------------- */
/* Size, exactness and alignment of a statement. */
void msp430_measure(struct msp430_statement *statement);

/* --- jump.c ------------------------------------------------------------------ */
struct msp430_jump {
    const char *name;
    const char *inverse; /* NULL: jn has none; jmp needs none */
    bool always;
};
/* NULL when the statement is no jump. */
const struct msp430_jump *msp430_jump_of(const struct msp430_statement *statement);
/* Bytes of the jump when widened, without a marker. */
uint64_t msp430_jump_widened_size(const struct msp430_jump *jump);

/* --- label.c ------------------------------------------------------------------ */
enum sonde_status msp430_labels_collect(struct msp430_program *program);
/* Statement of a label that statement `from` refers to by `name` (also 1f and
 * 1b), or MSP430_NONE. */
uint32_t msp430_label_find(const struct msp430_program *program, struct msp430_slice name,
                           uint32_t from);

/* --- mark.c -------------------------------------------------------------------- */
enum sonde_status msp430_functions_find(struct msp430_program *program);
enum sonde_status msp430_mark(struct msp430_program *program);

/* --- relax.c ------------------------------------------------------------------- */
enum sonde_status msp430_relax(struct msp430_program *program);

/* --- assemble.c ----------------------------------------------------------------- */
enum sonde_status msp430_remark(struct msp430_program *program,
                                enum sonde_msp430_as_remark_kind kind, uint32_t line,
                                const char *format, ...) SONDE_PRINTF(4, 5);
enum sonde_status msp430_fail(struct msp430_program *program, enum sonde_status status,
                              uint32_t line, const char *format, ...) SONDE_PRINTF(4, 5);

#endif
