/* Inside the printer: a text that is laid out in columns.
 *
 * iga64 pads every part of an instruction to a column. A part that is too
 * long for its column borrows from the padding of the columns after it. Its
 * numbers and default labels do not count as part of the width; the printer
 * repeats that, because its text is compared with iga64's byte by byte. */
#ifndef SONDE_ISA_GEN_PRINT_H
#define SONDE_ISA_GEN_PRINT_H

#include "sonde/gen.h"

struct print_text {
    char *text;
    size_t size;
    size_t used; /* length of the whole text, whether it fits or not */
    size_t column_width;
    size_t column_used;
    size_t debt; /* characters by which earlier columns were too long */
    sonde_gen_label_function *label;
    void *label_context;
};

/* Append text that counts for the width of the open column. Of the conversions
 * of printf there are s, c, u, d, x and X, `ll`, a width and the flags - and 0. */
void print_counted(struct print_text *out, const char *format, ...) SONDE_PRINTF(2, 3);
/* Append text that does not. */
void print_uncounted(struct print_text *out, const char *format, ...) SONDE_PRINTF(2, 3);
/* The commonest parts, both counted. */
void print_word(struct print_text *out, const char *word);
void print_unsigned(struct print_text *out, unsigned value);
void print_spaces(struct print_text *out, size_t count);
void print_column_open(struct print_text *out, size_t width);
void print_column_close(struct print_text *out);
/* End the text in a NUL, within its size. */
void print_finish(struct print_text *out);

/* Operands; each opens and closes its own column. */
void print_destination(struct print_text *out, const struct sonde_gen_instruction *instruction);
void print_source(struct print_text *out, const struct sonde_gen_instruction *instruction,
                  unsigned index);
/* The flag register that predicate and condition use, e.g. "f0.1". */
void print_flag(struct print_text *out, const struct sonde_gen_instruction *instruction);
void print_branch_target(struct print_text *out, const struct sonde_gen_instruction *instruction,
                         int32_t distance);
/* An immediate by its type, e.g. 0x4C0, -17, 0.5, qnan(0x0). */
void print_immediate(struct print_text *out, uint8_t type, uint64_t bits);

/* A bfn truth table as an expression. */
const char *print_boolean_expression(uint8_t table);
/* The scoreboard annotations; writes `separator` in front of the first, returns
 * whether it wrote any. */
bool print_scoreboard(struct print_text *out, const struct sonde_gen_instruction *instruction,
                      const char *separator);
/* Suffix of a send's mnemonic from Xe on, e.g. "dc0". */
const char *print_shared_function(const struct sonde_gen_instruction *instruction);

/* The comment that follows a send: payload lengths, shared function, message. */
void print_message_comment(struct print_text *out, const struct sonde_gen_instruction *instruction);

/* Description of a load-store cache message (ugm, slm, tgm). */
void print_cache_message(struct print_text *out, const struct sonde_gen_instruction *instruction);

/* Execution size as printed: a scalar that the align16 ternary encoding
 * expresses by enabling one channel of four (or two) prints as size 1. */
uint8_t print_exec_size(const struct sonde_gen_instruction *instruction);
/* First enabled channel of such a scalar's destination, else 0. */
uint8_t print_first_channel(const struct sonde_gen_instruction *instruction);
/* madm, math.invm and math.rsqtm carry an mme register in each operand. */
bool print_is_macro(const struct sonde_gen_instruction *instruction);
/* sync.allrd and sync.allwr with a mask of tokens. */
bool print_is_token_wait(const struct sonde_gen_instruction *instruction);
bool print_is_systolic(const struct sonde_gen_instruction *instruction);
bool print_is_send(const struct sonde_gen_instruction *instruction);

#endif
