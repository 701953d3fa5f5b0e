/* A small machine for tests of the execution core: assembly text (through
 * libiga64) run as one dispatch over a fake memory. A kernel ends in `illegal`,
 * so that the fault hands back the register file. */
#ifndef TESTS_EMU_CORE_MACHINE_H
#define TESTS_EMU_CORE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/gen/emu.h"

#define CORE_CODE_BASE  0x100000u
#define CORE_DATA_BASE  0x400000u
#define CORE_DATA_BYTES 0x20000u
#define CORE_GRF_BYTES  4096u

struct core_machine {
    struct emu *emu;
    struct emu_dispatch dispatch;
    struct emu_memory memory;
    struct emu_result result;
    uint8_t payload[CORE_GRF_BYTES]; /* r1.. of every thread, as cross-thread data */
    uint8_t *code;                   /* 64 KiB at CORE_CODE_BASE */
    uint8_t *data;                   /* CORE_DATA_BYTES at CORE_DATA_BASE, 64-bit addresses */
    size_t code_size;
    uint8_t grf[CORE_GRF_BYTES]; /* after the run */
};

/* NULL when libiga64 is missing (the test is then skipped). */
struct core_machine *core_machine_create(const struct emu_options *options);
void core_machine_destroy(struct core_machine *machine);
/* From now on a machine of another platform than Gen9. False when libiga64 does
 * not assemble for it. */
bool core_use_platform(struct core_machine *machine, enum sonde_gen_platform platform);
/* Assemble to the start of the code; fails the test on an error. */
void core_assemble(struct core_machine *machine, const char *text);
/* Run what was assembled. */
void core_run(struct core_machine *machine);
/* Assemble `text` followed by an end of the kernel that leaves the registers
 * in machine->grf, run it, and require that it got to that end. */
void core_execute(struct core_machine *machine, const char *text);
/* Register r as dwords etc. */
uint32_t *core_d(struct core_machine *machine, unsigned reg);
float *core_f(struct core_machine *machine, unsigned reg);
void *core_payload(struct core_machine *machine, unsigned reg);
/* Fixed-seed random numbers. */
uint64_t core_random(void);

#endif
