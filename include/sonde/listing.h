/* Disassembly listing of a kernel in iga64's syntax.
 *
 * Everything that is not an instruction or a label is a comment, so the text
 * of a listing can be handed to iga64 again. */
#ifndef SONDE_LISTING_H
#define SONDE_LISTING_H

#include "sonde/kernel.h"
#include "sonde/source_lines.h"

/* Receives the text of a listing, piece by piece, in order; `text` is not
 * NUL-terminated and holds `size` bytes. Anything but SONDE_OK ends the
 * listing, which then returns that status. */
typedef enum sonde_status sonde_listing_write_function(void *context, const char *text,
                                                       size_t size);

/* All zero prints instructions and labels only. */
struct sonde_listing_options {
    bool header;      /* first line: kernel name, platform, SIMD width, sizes */
    bool block_marks; /* a line "// BBL n" in front of each basic block */
    bool offsets;     /* byte offset in front of each instruction: a comment as "[00f0]" */
    bool encoding;    /* native bytes in front of each instruction, lowest first */
    bool messages;    /* trailing comment that describes a send */
    /* Printed in front of each instruction, by instruction index; NULL = no
     * such column. The caller keeps it. Must hold as many elements as the
     * kernel has instructions. */
    const uint64_t *counts;
    const char *counts_title; /* heading of the count column, NULL = "count" */
    /* A line "// FILE:LINE" in front of the first instruction of each source
     * line; NULL = none. The caller keeps it. */
    const struct sonde_source_lines *lines;
    /* Names a branch target; NULL = "L<offset>". Also used for the labels. */
    sonde_gen_label_function *label;
    void *label_context;
};

/* Print `kernel` through `write`. `options` may be NULL: header, block marks,
 * offsets and messages. Errors: what `write` returned, SONDE_ERROR_ARGUMENT
 * when kernel or write is NULL. */
SONDE_API enum sonde_status sonde_listing_print(const struct sonde_kernel *kernel,
                                                const struct sonde_listing_options *options,
                                                sonde_listing_write_function *write, void *context,
                                                struct sonde_error *error);

#endif
