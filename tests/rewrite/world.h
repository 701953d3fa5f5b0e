/* Runs kernels of any program on the emulator without knowing their arguments:
 * every address is memory. Pages that have no purpose of their own share the
 * pages of a small window, so that wild accesses do no harm and are the same
 * in every run. */
#ifndef TESTS_REWRITE_WORLD_H
#define TESTS_REWRITE_WORLD_H

#include "device_binary.h"
#include "sonde/image.h"

#define WORLD_PROFILE_BTI   200u
#define WORLD_PROFILE_BYTES 0x1000000u
#define WORLD_WINDOW_BYTES  0x100000u
#define WORLD_SURFACES      64u

struct world {
    struct emu *emu;
    uint8_t *special; /* code, payload, states, scratch */
    uint8_t *profile, *window;
    struct emu_dispatch dispatch;
    struct device_payload arguments;
    uint8_t payload[MACHINE_PAYLOAD_BYTES];
    struct emu_result result;
};

struct world *world_create(enum sonde_gen_platform platform, uint64_t max_instructions, bool check);
void world_destroy(struct world *world);
uint64_t world_profile_address(void);
/* Arguments of kernel `index` of the file. `skip`: enter behind the prolog
 * that loads local ids, which the hardware makes then. False when the kernel
 * cannot be dispatched. */
bool world_set_kernel(struct world *world, const uint8_t *file, size_t size, unsigned index,
                      const struct sonde_image_kernel *kernel, bool skip);
/* Run over fresh memory; false after a fault, which is in the result. */
bool world_run(struct world *world, const uint8_t *code, size_t size, uint32_t entry);
uint64_t world_executions(const struct world *world, uint32_t offset);

#endif
