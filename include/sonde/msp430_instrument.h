/* Marking linked MSP430 firmware: an ELF file with kept relocations gets a
 * word that is no instruction at each function's entry and before each of its
 * exits, as sonde_msp430_as puts them into assembler text. Or no byte changes,
 * and a side table says where a simulator has to record.
 *
 * Code moves; data stays. Functions that no longer fit into their section go
 * to free memory below the interrupt vectors. What cannot be proved to be
 * right afterwards is refused with the reason. Relocation types are those of
 * the MSP430 EABI (SLAA534). */
#ifndef SONDE_MSP430_INSTRUMENT_H
#define SONDE_MSP430_INSTRUMENT_H

#include "sonde/msp430.h"

struct sonde_msp430_instrument_options {
    enum sonde_msp430_core core;         /* of the code and of where it will run */
    struct sonde_msp430_markers markers; /* both 0 = the core's defaults */
    const char *const *exclude;          /* functions that stay unmarked */
    size_t exclude_count;
};

enum sonde_msp430_remark_kind {
    SONDE_MSP430_REMARK_NOTE,
    SONDE_MSP430_REMARK_WIDENED,   /* a jump became longer and slower */
    SONDE_MSP430_REMARK_UNCERTAIN, /* a branch whose target is not known */
};

struct sonde_msp430_remark {
    enum sonde_msp430_remark_kind kind;
    char text[200];
};

struct sonde_msp430_instrument_result {
    uint8_t *data; /* the ELF file or the text of the side table */
    size_t size;
    size_t function_count;
    size_t enter_count, exit_count; /* markers, or places in the table */
    size_t widened_count;
    size_t moved_count;               /* functions that went to free memory */
    uint32_t code_before, code_after; /* bytes */
    struct sonde_msp430_remark *remarks;
    size_t remark_count, remark_capacity;
};

/* Mark the ELF file. SONDE_ERROR_FORMAT: no ELF file for MSP430, or a damaged
 * one; SONDE_ERROR_UNSUPPORTED: something cannot be proved (no relocations, a
 * jump to a computed distance, data among the code, ...); SONDE_ERROR_RANGE:
 * no memory is left; SONDE_ERROR_ARGUMENT: markers that the core does not
 * allow. On success *result is to be cleared. */
SONDE_API enum sonde_status
sonde_msp430_instrument(const void *data, size_t size,
                        const struct sonde_msp430_instrument_options *options,
                        struct sonde_msp430_instrument_result *result, struct sonde_error *error);
/* The same places as a side table; needs no relocations. */
SONDE_API enum sonde_status
sonde_msp430_side_table(const void *data, size_t size,
                        const struct sonde_msp430_instrument_options *options,
                        struct sonde_msp430_instrument_result *result, struct sonde_error *error);
SONDE_API void sonde_msp430_instrument_clear(struct sonde_msp430_instrument_result *result);

enum sonde_msp430_place_kind {
    SONDE_MSP430_PLACE_ENTER, /* a function's first instruction */
    SONDE_MSP430_PLACE_EXIT,  /* an instruction that leaves its function, if it is taken */
    SONDE_MSP430_PLACE_LOOP,  /* a jump, if taken, to its function's start that enters nothing */
};

struct sonde_msp430_place {
    enum sonde_msp430_place_kind kind;
    uint32_t address;
};

/* Read a side table that was made for the ELF file `image`. The places are
 * malloc'ed. SONDE_ERROR_FORMAT names the line that is wrong, or says that the
 * table belongs to another file. */
SONDE_API enum sonde_status sonde_msp430_side_table_read(const void *text, size_t size,
                                                         const void *image, size_t image_size,
                                                         struct sonde_msp430_place **places,
                                                         size_t *count, struct sonde_error *error);

#endif
