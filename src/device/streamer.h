/* The command streamer: walks ring and batch buffers and executes commands.
 * (Command formats: compute-runtime 22.43, shared/source/generated/gen9, and
 * the public Skylake PRM, volume 2a.) */
#ifndef SONDE_DEVICE_STREAMER_H
#define SONDE_DEVICE_STREAMER_H

#include <stdbool.h>
#include <stdint.h>

#include "sonde/status.h"

struct device_connection;

/* State that commands leave for later ones. */
struct device_state {
    uint64_t general_base, surface_base, dynamic_base, indirect_base, instruction_base;
    uint64_t bindless_base;
    uint64_t binding_table_base; /* XeHP and later */
    /* Offset from general_base; XeHP and later: of the surface state, from surface_base. */
    uint32_t scratch_base;
    uint32_t scratch_per_thread;
    uint32_t scratch_code;
    uint32_t descriptor_offset; /* interface descriptors, from dynamic_base */
    uint32_t descriptor_size;   /* bytes */
    bool large_grf;             /* XeHP and later: 256 registers a thread */
};

enum device_memory_kind {
    DEVICE_MEMORY_RING, /* address = offset in the ring */
    DEVICE_MEMORY_PPGTT,
    DEVICE_MEMORY_GGTT,
};

struct device_position {
    enum device_memory_kind kind;
    uint64_t address;
};

#define DEVICE_COMMAND_WORDS 1025u         /* the longest: MI_STORE_DATA_IMM, 10-bit length */
#define DEVICE_PAYLOAD_LIMIT (128u * 1024) /* 17-bit length of GPGPU_WALKER's indirect data */

struct device_streamer {
    struct device_connection *connection;
    struct device_state *state;
    uint32_t engine_base;
    uint32_t ring_base, ring_size;
    struct device_position at, next;
    struct device_position returns[2]; /* ring, first-level batch */
    unsigned depth;
    bool skipping; /* after a command that cannot be executed */
    uint64_t budget;
    uint32_t words[DEVICE_COMMAND_WORDS];
    uint8_t payload[DEVICE_PAYLOAD_LIMIT];
};

/* What becomes of the walk after a command. */
enum device_command_outcome {
    DEVICE_COMMAND_DONE,
    DEVICE_COMMAND_FAULT, /* was logged; skip the rest of the batch */
};

/* A row of the command table. */
struct device_command {
    uint32_t mask, match; /* of the first dword */
    const char *name;
    uint32_t length_mask; /* 0 = one dword, else (dword & mask) + 2 dwords */
    uint32_t minimum;     /* dwords that the handler looks at */
    bool survives;        /* still executed after a fault: completion and control flow */
    enum device_command_outcome (*execute)(struct device_streamer *streamer, const uint32_t *words,
                                           uint32_t count); /* NULL = no effect here */
};

/* The row of a first dword, NULL when unknown (command.c). */
const struct device_command *device_command_find(uint32_t word);

/* Run ring commands from *head to tail. False when the walk is lost (a batch
 * that is not mapped, an endless chain): nothing tells the driver then. */
bool device_streamer_run(struct device_streamer *streamer, uint32_t *head, uint32_t tail);

/* Count a fault and log it with the place in the command stream. */
void device_streamer_fault(struct device_streamer *streamer, const char *format, ...)
    SONDE_PRINTF(2, 3);

/* Memory as commands address it. A store or load that misses is a fault. */
bool device_streamer_load(struct device_streamer *streamer, bool global, uint64_t address,
                          void *data, uint32_t size);
bool device_streamer_store(struct device_streamer *streamer, bool global, uint64_t address,
                           const void *data, uint32_t size);

/* Handlers, by file. command_mi.c: */
enum device_command_outcome device_mi_batch_start(struct device_streamer *s, const uint32_t *words,
                                                  uint32_t count);
enum device_command_outcome device_mi_batch_end(struct device_streamer *s, const uint32_t *words,
                                                uint32_t count);
enum device_command_outcome device_mi_load_register_imm(struct device_streamer *s,
                                                        const uint32_t *words, uint32_t count);
enum device_command_outcome device_mi_load_register_mem(struct device_streamer *s,
                                                        const uint32_t *words, uint32_t count);
enum device_command_outcome device_mi_load_register_reg(struct device_streamer *s,
                                                        const uint32_t *words, uint32_t count);
enum device_command_outcome device_mi_store_register_mem(struct device_streamer *s,
                                                         const uint32_t *words, uint32_t count);
enum device_command_outcome device_mi_store_data_imm(struct device_streamer *s,
                                                     const uint32_t *words, uint32_t count);
enum device_command_outcome device_mi_copy_mem_mem(struct device_streamer *s, const uint32_t *words,
                                                   uint32_t count);
enum device_command_outcome device_mi_flush_dw(struct device_streamer *s, const uint32_t *words,
                                               uint32_t count);
enum device_command_outcome device_mi_math(struct device_streamer *s, const uint32_t *words,
                                           uint32_t count);
enum device_command_outcome device_mi_atomic(struct device_streamer *s, const uint32_t *words,
                                             uint32_t count);
enum device_command_outcome device_mi_semaphore_wait(struct device_streamer *s,
                                                     const uint32_t *words, uint32_t count);
/* command_gfx.c: */
enum device_command_outcome device_gfx_pipe_control(struct device_streamer *s,
                                                    const uint32_t *words, uint32_t count);
enum device_command_outcome device_gfx_state_base_address(struct device_streamer *s,
                                                          const uint32_t *words, uint32_t count);
enum device_command_outcome device_gfx_vfe_state(struct device_streamer *s, const uint32_t *words,
                                                 uint32_t count);
enum device_command_outcome device_gfx_compute_mode(struct device_streamer *s,
                                                    const uint32_t *words, uint32_t count);
enum device_command_outcome device_gfx_descriptor_load(struct device_streamer *s,
                                                       const uint32_t *words, uint32_t count);
/* compute_walker.c: */
enum device_command_outcome device_gfx_cfe_state(struct device_streamer *s, const uint32_t *words,
                                                 uint32_t count);
enum device_command_outcome device_gfx_binding_table_pool(struct device_streamer *s,
                                                          const uint32_t *words, uint32_t count);
enum device_command_outcome device_gfx_compute_walker(struct device_streamer *s,
                                                      const uint32_t *words, uint32_t count);
/* dispatch.c: */
enum device_command_outcome device_gfx_gpgpu_walker(struct device_streamer *s,
                                                    const uint32_t *words, uint32_t count);

/* For the walkers: fill in what comes from the device and from earlier
 * commands; run a dispatch, with logs and ground truth. */
struct emu_dispatch;
void device_dispatch_apply_state(const struct device_streamer *s, struct emu_dispatch *dispatch);
void device_dispatch_run(struct device_streamer *s, const struct emu_dispatch *dispatch,
                         uint32_t binding_table_entries);

#endif
