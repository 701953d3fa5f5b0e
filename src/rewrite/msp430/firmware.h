/* A linked firmware that is to be marked: its ELF file, its code, its layout. */
#ifndef SONDE_REWRITE_MSP430_FIRMWARE_H
#define SONDE_REWRITE_MSP430_FIRMWARE_H

#include "sonde/msp430_instrument.h"

#define FIRMWARE_NONE UINT32_MAX

enum {
    ELF_PROGBITS = 1,
    ELF_SYMTAB = 2,
    ELF_STRTAB = 3,
    ELF_RELA = 4,
    ELF_NOTE = 7,
    ELF_NOBITS = 8,
    ELF_REL = 9,
    ELF_WRITE = 1,
    ELF_ALLOC = 2,
    ELF_EXECUTE = 4,
    SYMBOL_OBJECT = 1,
    SYMBOL_FUNCTION = 2,
    SYMBOL_SECTION = 3,
    SYMBOL_FILE = 4,
    RELOCATION_32 = 1,
    RELOCATION_10_PCREL = 2,
    RELOCATION_16 = 3,
    RELOCATION_16_BYTE = 5,
    SECTION_ABSOLUTE = 0xfff1,
    SECTION_RESERVED = 0xff00,
};

struct elf_section {
    const char *name;
    uint32_t type, flags, address, offset, size, link, info, alignment, entry_size;
    uint32_t load_address; /* where its bytes are before start-up code copies them */
    bool is_code;          /* has functions: its instructions are decoded */
    uint8_t *bytes;        /* changed contents, owned; NULL = those of the file */
    uint32_t new_size;
};

struct elf_symbol {
    const char *name;
    uint32_t value, size;
    uint8_t info, other;
    uint16_t section;
};

/* A kept relocation of a loaded section. */
struct elf_relocation {
    uint32_t section, address, type, symbol;
    uint32_t target; /* symbol + addend */
};

struct firmware_instruction {
    uint32_t address;
    uint32_t function;
    uint32_t target;      /* of jumps and branches to a known place, else FIRMWARE_NONE */
    uint32_t new_address; /* of the instruction itself, behind its markers */
    uint16_t words[4];
    uint8_t size, new_size;
    bool is_padding; /* words between functions, never executed */
    bool is_reached;
    bool enters;  /* an enter marker stands before it */
    bool exits;   /* it leaves its function: an exit marker before it, or in front of its
                     branch when conditional */
    bool is_loop; /* goes to its function's start without entering it anew */
    bool is_jump; /* with a 10-bit distance */
    bool is_conditional;
    bool is_widened;
    bool is_return;
    bool is_computed; /* a branch to what a register holds */
    bool falls_through;
    uint8_t code_operand; /* word that holds the address of code, 0 = none */
    uint32_t code_target; /* what it refers to */
};

struct firmware_function {
    const char *name;
    uint32_t address, end; /* end: the next function's or the section's */
    uint32_t section;
    uint32_t first, count; /* instructions */
    bool excluded;
    bool is_moved;
};

struct firmware {
    const uint8_t *data;
    size_t size;
    const struct sonde_msp430_instrument_options *options;
    struct sonde_msp430_markers markers;
    uint32_t entry, flags;
    uint8_t identity[16];
    struct elf_section *sections;
    size_t section_count;
    struct elf_symbol *symbols;
    size_t symbol_count;
    uint32_t symbol_section;            /* index of the symbol table, FIRMWARE_NONE when stripped */
    struct elf_relocation *relocations; /* by section and address */
    size_t relocation_count, relocation_capacity;
    bool keeps_relocations;
    struct firmware_function *functions; /* by address */
    size_t function_count, function_capacity;
    struct firmware_instruction *instructions; /* by address */
    size_t instruction_count, instruction_capacity;
    uint32_t gap_start, gap_end, gap_used; /* free memory for functions that do not fit */
    bool strict;                           /* refuse what cannot be proved */
    struct sonde_msp430_instrument_result *result;
    struct sonde_error *error;
};

/* --- elf_read.c ----------------------------------------------------------- */
enum sonde_status firmware_elf_read(struct firmware *firmware);
/* A word of a section's contents; the caller checks the range. */
uint16_t firmware_word(const struct firmware *firmware, const struct elf_section *section,
                       uint32_t address);
/* The section of decoded instructions that an address is in, NULL for none. */
const struct elf_section *firmware_code_section(const struct firmware *firmware, uint32_t address);
/* The relocation at an address of a section, NULL for none. */
const struct elf_relocation *firmware_relocation_at(const struct firmware *firmware,
                                                    uint32_t section, uint32_t address);
/* A hash of everything that is loaded: what a side table belongs to. */
uint64_t firmware_image_hash(const struct firmware *firmware);

/* --- code.c ----------------------------------------------------------------- */
/* Find functions and decode their instructions. */
enum sonde_status firmware_code_find(struct firmware *firmware);
/* The instruction that begins at an address, NULL for none. */
struct firmware_instruction *firmware_instruction_at(const struct firmware *firmware,
                                                     uint32_t address);
/* The function whose range an address is in, FIRMWARE_NONE for none. */
uint32_t firmware_function_at(const struct firmware *firmware, uint32_t address);

/* --- operand.c -------------------------------------------------------------- */
/* What an instruction says about the addresses of code: fills the members of
 * its flow and its operand, or refuses it. */
enum sonde_status firmware_operand_read(struct firmware *firmware,
                                        struct firmware_instruction *instruction,
                                        const struct sonde_msp430_instruction *decoded);

/* --- prove.c ---------------------------------------------------------------- */
/* Every instruction is executed or padding; every reference to code is to an
 * instruction. */
enum sonde_status firmware_prove(struct firmware *firmware);

/* --- choose.c --------------------------------------------------------------- */
/* Where functions are entered and left. */
enum sonde_status firmware_places_choose(struct firmware *firmware);

/* --- place.c ---------------------------------------------------------------- */
/* New addresses and widened jumps. */
enum sonde_status firmware_layout(struct firmware *firmware);
/* Where a reference to `address` of code goes: to the marker before it. */
uint32_t firmware_new_address(const struct firmware *firmware, uint32_t address, bool enters);

/* --- patch.c ---------------------------------------------------------------- */
/* New contents of the sections. `moved` receives the code that went to free
 * memory (gap_used - gap_start bytes, malloc'ed, NULL when none). */
enum sonde_status firmware_patch(struct firmware *firmware, uint8_t **moved);

/* --- elf_write.c ------------------------------------------------------------ */
enum sonde_status firmware_elf_write(struct firmware *firmware, const uint8_t *moved);

/* --- instrument.c ------------------------------------------------------------ */
enum sonde_status firmware_remark(struct firmware *firmware, enum sonde_msp430_remark_kind kind,
                                  const char *format, ...) SONDE_PRINTF(3, 4);
/* A message about an address, with its function. */
enum sonde_status firmware_refuse(struct firmware *firmware, uint32_t address, const char *format,
                                  ...) SONDE_PRINTF(3, 4);

#endif
