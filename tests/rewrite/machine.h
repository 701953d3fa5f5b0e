/* Runs kernels, original and rewritten, on the emulator over a small fake
 * memory: code, surfaces 0-3 of data, surface PROFILE_SURFACE for counters,
 * scratch. */
#ifndef TESTS_REWRITE_MACHINE_H
#define TESTS_REWRITE_MACHINE_H

#include "emu/gen/emu.h"
#include "sonde/instrument.h"

#define MACHINE_SURFACES      8u
#define MACHINE_SURFACE_BYTES 0x20000u
#define MACHINE_PROFILE       7u /* binding-table index of the profile buffer */
#define MACHINE_PROFILE_BYTES 0x400000u
#define MACHINE_SCRATCH       16384u /* bytes a thread */
#define MACHINE_PAYLOAD_BYTES 65536u

struct machine {
    struct emu *emu;
    uint8_t *memory;
    struct emu_dispatch dispatch; /* the caller sets simd, groups, payload sizes */
    uint8_t payload[MACHINE_PAYLOAD_BYTES];
    struct emu_result result;
};

struct machine *machine_create(void);
void machine_destroy(struct machine *machine);
/* Data of a surface; its 64-bit address for stateless accesses. */
uint8_t *machine_surface(struct machine *machine, unsigned index);
uint64_t machine_surface_address(unsigned index);
/* Per-thread payload with local ids 0.. of a one-dimensional group, behind
 * `cross_thread_bytes` of cross-thread data. */
void machine_set_group(struct machine *machine, unsigned simd, unsigned local_size, unsigned groups,
                       unsigned cross_thread_bytes);
/* Run from `entry` of the code; false and a message on stderr after a fault. */
bool machine_run(struct machine *machine, const uint8_t *code, size_t size, uint32_t entry);
/* Executions of the instruction at a byte offset of the kernel in the last run. */
uint64_t machine_executions(const struct machine *machine, uint32_t offset);

/* Pseudo-random numbers with a fixed seed. */
uint32_t machine_random(uint64_t *state);

#endif
