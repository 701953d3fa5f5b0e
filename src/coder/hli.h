/* A compiled probe, made to run in one channel.
 *
 * Every instruction ignores the execution mask, so that the probe runs where
 * no channel is enabled; messages run in channel 0 alone, and so do the
 * decisions of branches, which become jumps of the whole thread. Other
 * channels compute what nobody looks at. */
#ifndef SONDE_CODER_HLI_H
#define SONDE_CODER_HLI_H

#include "sonde/hli.h"

/* Registers of the stack-call convention. */
#define HLI_FIRST_ARGUMENT 26u
#define HLI_ARGUMENT_LIMIT 32u /* registers */
#define HLI_FIRST_KEPT     60u /* up to LAST_KEPT: the callee leaves them as they were */
#define HLI_LAST_KEPT      124u
/* r125: return address (byte 0), top and base of the spill area (8, 12), base
 * and top of the area of variables (16, 24; 64-bit addresses). */
#define HLI_FRAME        125u
#define HLI_STACK_HEADER 126u /* of messages to the spill area */
/* The thread header for the compiler. Here: the header of 64-bit messages to
 * the spill area, whose address stands in bytes 16 to 23. */
#define HLI_MEMORY_HEADER 127u

/* Bytes of the spill area that never cross a multiple of 4 GiB: the buffer
 * starts at a page and the area at a multiple of its size. */
#define HLI_SPILL_LIMIT 4096u
#define HLI_STACK_LIMIT 65536u /* bytes a hardware thread */

enum hli_step_kind {
    HLI_PLAIN,
    HLI_JUMP,   /* to step `target` */
    HLI_CALL,   /* of routine `target` */
    HLI_RETURN, /* the last step of each routine, and only that */
};

struct hli_step {
    struct sonde_gen_instruction instruction; /* PLAIN; JUMP: jmpi without a distance */
    uint8_t kind;                             /* enum hli_step_kind */
    uint32_t target;
};

/* One function of the compiler's. */
struct hli_routine {
    struct hli_step *steps;
    size_t count, capacity;
    bool has_frame; /* in memory */
    uint32_t spill_bytes, variable_bytes;
    struct sonde_gen_effect writes; /* of its own, not of what it calls */
};

struct sonde_hli_function {
    char *name;
    enum sonde_gen_platform platform;
    struct hli_routine *routines; /* the probe first */
    size_t count, capacity;
    uint64_t identity;    /* hash of all of it */
    bool is_combined;     /* takes one pointer to its arguments */
    uint8_t linkage;      /* enum sonde_hli_linkage */
    uint32_t spill_bytes; /* of the deepest chain of calls, rounded up to a power of two */
    uint32_t stack_bytes; /* with its variables; 0: needs no memory */
    struct sonde_gen_effect writes; /* what a call does not leave as it was */
};

/* Its code can stand at the place of a call. */
bool hli_can_inline(const struct sonde_hli_function *function);

/* The kernel that calls the probe, decoded. */
struct hli_source {
    struct sonde_gen_instruction *instructions;
    size_t count;
};

#define HLI_NO_INDEX SIZE_MAX

/* hli_convert.c: fills the routines from the first call of the kernel on. */
enum sonde_status hli_convert(const struct hli_source *source, struct sonde_hli_function *function,
                              struct sonde_error *error);
enum sonde_status hli_refuse(const struct sonde_gen_instruction *instruction, const char *why,
                             struct sonde_error *error);
enum sonde_status hli_append(struct hli_routine *routine, enum hli_step_kind kind,
                             const struct sonde_gen_instruction *instruction, uint32_t target,
                             struct sonde_error *error);

/* hli_stack.c: what a message is to the stack. */
enum hli_stack_use {
    HLI_STACK_NONE,
    HLI_STACK_LINK, /* stores the caller's frame: for nothing in a routine without one */
    HLI_STACK_SPILL,
};
enum sonde_status hli_stack_classify(const struct sonde_gen_instruction *send,
                                     enum hli_stack_use *use, struct sonde_error *error);
/* Append the message as one to the thread's memory. */
enum sonde_status hli_stack_rewrite(const struct sonde_gen_instruction *send,
                                    struct hli_routine *routine, struct sonde_error *error);
/* Note the size of the frame when the instruction makes room for it. */
void hli_stack_measure(const struct sonde_gen_instruction *instruction,
                       struct hli_routine *routine);
/* Whether memory of the stack is used, by what follows from the pointers to
 * it, in `pointers` by bytes. They may be copied and moved by the size of an
 * empty frame, which is all that a routine without anything in memory does:
 * that is dead then. */
void hli_stack_pointers(uint64_t *pointers, enum sonde_gen_platform platform);
bool hli_stack_is_used(const struct sonde_gen_instruction *instruction, uint64_t *pointers,
                       bool *is_dead);
/* A message that stores the caller's frame of variables below this one's. */
bool hli_stack_is_link(const struct sonde_gen_instruction *send, const uint64_t *pointers);
/* Sums over the deepest chain of calls, and what all routines write. */
enum sonde_status hli_stack_finish(struct sonde_hli_function *function, struct sonde_error *error);

#endif
