/* The emulated GEN execution units: runs one dispatch (a grid of work-groups
 * of hardware threads) over memory that the caller translates.
 *
 * Includes isa and base only. Deterministic: the same dispatch over the same
 * memory gives the same result and the same counts, whatever the number of
 * host threads, as long as the kernel itself is free of races. */
#ifndef SONDE_EMU_GEN_EMU_H
#define SONDE_EMU_GEN_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sonde/gen.h"
#include "sonde/status.h"

#define EMU_PAGE_SIZE 4096u

/* GPU virtual memory as the emulator sees it: pages of 4 KiB. */
struct emu_memory {
    void *context;
    /* Host address of the page that holds `address` (48-bit, canonical bits
     * cleared), or NULL when it is not mapped. `write` marks the page as
     * written. Must be thread-safe; the returned address stays valid and the
     * same for the whole dispatch, so the emulator caches it. */
    uint8_t *(*page)(void *context, uint64_t address, bool write);
};

/* Everything the command streamer knows of a dispatch. All addresses are GPU
 * virtual. Offsets in registers are relative to the bases given here. */
struct emu_dispatch {
    enum sonde_gen_platform platform;
    uint64_t instruction_base; /* STATE_BASE_ADDRESS instruction base */
    uint64_t kernel_start;     /* absolute address of the first instruction */
    uint64_t general_base;     /* stateless A32 and scratch are relative to this */
    uint64_t surface_base;
    uint64_t dynamic_base;
    uint64_t bindless_base;
    uint64_t binding_table;         /* absolute address */
    uint64_t sampler_table;         /* absolute address */
    uint32_t sampler_state_pointer; /* raw pointer field for r0.3, relative to dynamic_base */
    uint32_t simd;                  /* 8, 16, 32 */
    uint32_t grf_count;             /* registers of a thread: 0 = 128, or 256 */
    uint32_t threads_per_group;
    uint32_t group_start[3];
    uint32_t group_end[3]; /* exclusive */
    uint32_t right_mask;   /* execution mask of the last thread of a group */
    uint32_t slm_size;     /* bytes, 0 = none */
    bool barrier_enable;
    bool denormals_preserve; /* interface descriptor denorm mode bit */
    uint32_t rounding_mode;  /* interface descriptor: 0 rtne, 1 ru, 2 rd, 3 rtz */
    const uint8_t *payload;  /* cross-thread block, then one block a thread */
    size_t payload_size;
    uint32_t cross_thread_registers; /* GRFs */
    uint32_t per_thread_registers;   /* GRFs, a thread */
    /* XeHP and later: r0.0, offset of the payload from general_base that the
     * kernel loads itself. */
    uint32_t indirect_start;
    uint32_t indirect_size; /* bytes; the emulator does not look at it */
    bool scratch_surface;   /* scratch starts at scratch_address, not in general_base */
    uint64_t scratch_address;
    uint32_t scratch_base;       /* r0.5[31:10]: offset from general_base of thread slot 0 */
    uint32_t scratch_per_thread; /* bytes, 0 = none */
    uint32_t scratch_code;       /* raw MEDIA_VFE_STATE per-thread size code for r0.3[3:0] */
    uint32_t slices, subslices, eus_per_subslice, threads_per_eu;
    /* The part of the grid to run, in groups, x first. Count 0: all from
     * `first_group` on. Groups run on the hardware threads that they have when
     * the whole grid is run. */
    uint64_t first_group, group_count;
    /* Whether one more group may start while `running` others do, or has to wait
     * and be asked for again; NULL = always. From any host thread. */
    bool (*may_start)(void *context, uint64_t started, uint64_t running);
    void *may_start_context;
    /* Whether threads are to run for a short while only before the next one's
     * turn, NULL = no. It may wait. From any host thread, before each turn. */
    bool (*hurries)(void *context);
    void *hurries_context;
};

/* A reason for which a dispatch was stopped. */
struct emu_fault {
    bool occurred;
    char reason[240];
    uint64_t kernel_start;
    uint32_t instruction_offset; /* from kernel_start */
    char instruction[160];       /* disassembly */
    uint32_t group[3];
    uint32_t thread; /* in the group */
    uint32_t execution_mask;
    uint32_t grf_count; /* register file at the fault */
    uint8_t grf[256 * 32];
};

/* Ground truth: what was executed at one instruction of a program. */
struct emu_count {
    uint32_t offset;     /* bytes from kernel_start */
    uint64_t executions; /* times a hardware thread executed it */
    uint64_t lanes;      /* channels enabled (execution mask and predicate) over all executions */
};

/* Ground truth: the way of one hardware thread. Little-endian:
 *   run      u32 instructions << 1, u32 offset of the first from kernel_start,
 *            u32 channels that control flow had enabled; one behind the other
 *   message  u32 payload registers << 1 | 1, u32 offset, u32 channels that it
 *            acts on (bit 0 = first of its window), payload; behind the run
 *            that ends with it. Messages whose descriptor stands in a register
 *            and ends of threads have none. */
struct emu_event_thread {
    uint32_t state; /* sr0.0 */
    uint32_t group[3];
    uint8_t *data; /* malloc'ed */
    size_t size;
};

/* Work-items of a group that came to a barrier by different ways: some channels
 * of a thread not with the others, or threads at different barriers. The
 * hardware goes on; the program has no defined result. */
struct emu_divergence {
    uint64_t barriers; /* signals of that kind; the rest is of the first one */
    uint32_t instruction_offset;
    uint32_t other_offset;     /* of the barrier that other threads signalled, or the same */
    uint32_t active, channels; /* that signalled, and that exist */
    uint32_t group[3];
    uint32_t thread;
};

struct emu_result {
    uint64_t instructions; /* executed, all threads */
    uint64_t lanes;        /* when counts were asked for */
    uint64_t threads;
    uint64_t cycles;          /* of the documented timing model, 0 when off */
    uint64_t out_of_bounds;   /* surface accesses outside the surface (reads 0, writes dropped) */
    struct emu_count *counts; /* sorted by offset, every instruction reached; malloc'ed */
    size_t count_count;
    struct emu_event_thread *events; /* in order of groups, malloc'ed */
    size_t event_count;
    struct emu_divergence divergence;
    struct emu_fault fault;
};

struct emu_options {
    uint32_t host_threads;     /* 0 = one a core */
    uint64_t max_instructions; /* per dispatch over all threads; 0 = no limit */
    bool count;                /* fill emu_result.counts */
    bool events;               /* fill emu_result.events */
    bool timing;               /* the time model: on one host thread */
    bool check;                /* registers and scoreboard, see check.h (slow) */
    bool warm;                 /* have memory for a small dispatch before the first one */
    /* When not NULL and set (by another thread or a signal handler) the running
     * dispatch ends soon with a fault whose reason is "cancelled". Polled with
     * an atomic load at least once every few thousand instructions a worker. */
    const volatile bool *cancel;
};

/* An emulator keeps decoded programs between dispatches. One dispatch at a
 * time an emulator; emulators are independent. */
struct emu;

enum sonde_status emu_create(const struct emu_options *options, struct emu **emu);
void emu_destroy(struct emu *emu);

/* Run a dispatch to its end or to a fault. A fault is not an error of the
 * call: SONDE_OK with result->fault.occurred. The code is fetched through
 * `memory` and decoded again whenever its bytes changed since the last
 * dispatch. Free the result with emu_result_clear. */
enum sonde_status emu_run(struct emu *emu, const struct emu_memory *memory,
                          const struct emu_dispatch *dispatch, struct emu_result *result,
                          struct sonde_error *error);
void emu_result_clear(struct emu_result *result);
/* Add what a later part of the same grid came to, which is then cleared. False
 * when out of memory. */
bool emu_result_add(struct emu_result *sum, struct emu_result *part);

#endif
