/* Private to the execution core of the emulator: the translated form of an
 * instruction and the state of threads, groups and workers.
 *
 * A program is translated once: every instruction becomes a struct
 * emu_operation whose operands are byte offsets into struct emu_thread and
 * whose work is a function pointer. Control flow keeps one waiting operation
 * a channel (the per-channel instruction pointers of the hardware). */
#ifndef SONDE_EMU_GEN_CORE_H
#define SONDE_EMU_GEN_CORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/gen/internal.h"

#define EMU_LANES       32u
#define EMU_ACC_BYTES   (8 * EMU_GRF_SIZE)
#define EMU_MME_COUNT   8u
#define EMU_GRF_BYTES   (EMU_GRF_COUNT * EMU_GRF_SIZE)
#define EMU_OPERAND_MAX 3u

/* Bytes of the register file that the threads of a dispatch have. */
static inline uint32_t emu_register_bytes(const struct emu_dispatch *dispatch)
{
    return (dispatch->grf_count ? dispatch->grf_count : 128) * EMU_GRF_SIZE;
}

struct emu_operation;

/* How instructions are executed. Tests compare the paths; emu_create takes
 * the best that the host can run. */
enum emu_path {
    EMU_PATH_BEST,
    EMU_PATH_BASELINE, /* vectorised, without processor extensions */
    EMU_PATH_GENERAL,  /* one channel at a time */
};

/* Choose the path of an emulator that has not run anything yet. */
void emu_choose_path(struct emu *emu, enum emu_path path);

/* Channels of a thread that wait for it to reach an operation. */
struct emu_wait {
    const struct emu_operation *operation;
    uint32_t channels;
};

/* One hardware thread. Operands are byte offsets from the start, so the
 * architecture registers follow the register file. */
struct emu_thread {
    _Alignas(64) uint8_t grf[EMU_GRF_BYTES + EMU_GRF_SLACK];
    /* The accumulators as instructions name them, and the integers that were
     * written to acc0 last as wide as the hardware keeps them: what mac, mach
     * and the like take when they imply the accumulator. */
    uint8_t acc[EMU_ACC_BYTES + EMU_GRF_SLACK];
    int64_t acc_wide[EMU_LANES];
    uint32_t flag[4];
    uint16_t address[16];
    uint32_t state[8];
    uint32_t control[8];
    uint32_t notification[8];
    uint32_t timestamp[8];
    uint32_t ip[8]; /* filled before a read */
    uint32_t channel_enable[8];
    uint32_t discard[64]; /* architecture registers without effect: tdr, sp, dbg, fc, msg */
    uint8_t arf_slack[EMU_GRF_SLACK];
    long double mme[EMU_MME_COUNT][EMU_LANES];

    const struct emu_operation *next;
    uint32_t active;                  /* channels that execute now */
    uint32_t waiting;                 /* channels whose wake operation lies elsewhere */
    uint32_t dispatch;                /* channels that exist */
    struct emu_wait waits[EMU_LANES]; /* the waiting channels by their operations */
    uint32_t wait_count;
    /* Read through tm0: one an instruction, levelled at barriers; or the time
     * of the time model. */
    uint64_t cycles;
    bool finished;
    bool at_barrier; /* signalled and not yet released */
    bool blocked;    /* stands at a wait whose count is zero */
    bool stopped;    /* leave the run loop */
    bool flushes;    /* denormals: float operations take the general path */
    bool careful;    /* flushes, is checked, or is logged */
    /* dpasw: what the thread gave to the one it is fused with, the last two
     * times; has it given its part of the one it stands at; does it wait. */
    bool fused_offered, fused_waits;
    uint32_t fused_count;
    uint8_t fused_rows[2][4 * EMU_GRF_SIZE];
    uint32_t index;          /* in its group */
    uint32_t register_bytes; /* of the register file, that it has */
    struct emu_group *group;
    struct emu_worker *worker;
    struct emu_event_log *log; /* NULL: events are not asked for */
    struct emu_check *check;   /* NULL: nothing is checked */
};

#define EMU_OFFSET(field) ((uint32_t)offsetof(struct emu_thread, field))

/* What lane values a computation works on. */
enum emu_lane_type {
    EMU_LANE_I32,
    EMU_LANE_U32,
    EMU_LANE_I64,
    EMU_LANE_U64,
    EMU_LANE_F32,
    EMU_LANE_F64,
    EMU_LANE_TYPE_COUNT
};

/* Where the elements of an operand lie, as byte offsets from a base. */
enum emu_region_class {
    EMU_REGION_CONTIGUOUS,
    EMU_REGION_SCALAR,
    EMU_REGION_STRIDED,
    EMU_REGION_TABLE,
    EMU_REGION_CLASS_COUNT
};

struct emu_region {
    uint32_t base;  /* offset of element 0 in struct emu_thread; a0-relative when indirect */
    int32_t stride; /* bytes between elements, for CONTIGUOUS, SCALAR, STRIDED */
    uint8_t region; /* enum emu_region_class */
    uint8_t type;   /* enum sonde_gen_type */
    uint8_t size;   /* bytes of an element in storage */
    bool indirect;
    uint8_t address_subreg;
    bool multi_address;         /* VxH: one address register a row */
    uint8_t row;                /* elements a row, VxH */
    uint32_t extent;            /* bytes from base to the end of the last element */
    uint16_t offset[EMU_LANES]; /* bytes from base, every element */
};

/* Resolved region of a source or destination, in a register file of so many
 * bytes. Returns NULL, or why the hardware does not define the operand. */
const char *emu_operand_source(const struct sonde_gen_instruction *instruction, unsigned index,
                               uint32_t register_bytes, struct emu_region *region);
const char *emu_operand_destination(const struct sonde_gen_instruction *instruction,
                                    uint32_t register_bytes, struct emu_region *region);
bool emu_operand_is_null(const struct sonde_gen_operand *operand);
bool emu_operand_is_accumulator(const struct sonde_gen_operand *operand);

typedef void emu_run_function(struct emu_thread *thread, const struct emu_operation *operation,
                              uint32_t mask);
typedef void emu_load_function(void *lanes, const uint8_t *source, int32_t stride,
                               const uint16_t *offset, uint32_t count);
typedef void emu_store_function(uint8_t *destination, const void *lanes, int32_t stride,
                                const uint16_t *offset, uint32_t mask, uint32_t count);
typedef void emu_compute_function(void *result, const void *a, const void *b, const void *c,
                                  uint32_t select, uint32_t count);
typedef uint32_t emu_collect_function(const void *lanes, uint32_t count);

struct emu_source {
    const void *constant;    /* broadcast lanes, or NULL: a register */
    emu_load_function *load; /* NULL: the lanes are read in place */
    emu_compute_function *modify;
    uint32_t base;
    int32_t stride;
    const uint16_t *offset;
    uint32_t extent;
    bool indirect;  /* base is relative to the address register */
    bool broadcast; /* one element of the lanes' own type for all channels */
    uint8_t address_subreg;
};

/* A message of send_scatter.c. Byte offsets into the register file. */
struct emu_scatter {
    uint32_t address, data;
    uint32_t next_element; /* bytes from one element of a channel to the next, in registers */
    uint8_t lanes, elements;
    uint8_t size, slot; /* bytes of an element in memory and in registers */
    bool write;
    bool wide; /* addresses of 64 bits */
};

/* Details that only the general path, flow and faults look at. */
struct emu_details {
    struct sonde_gen_instruction instruction;
    struct emu_region source[EMU_OPERAND_MAX];
    struct emu_region destination;
    const struct emu_semantics *semantics;
    uint32_t written_channels; /* by the align16 write mask; bit 0 = first channel */
    bool has_destination;      /* not null */
    bool writes_acc;           /* destination is an accumulator */
    uint32_t address;          /* bytes from kernel start, signed in 32 bits */
    const char *illegal;       /* why this cannot be executed, or NULL */
    uint8_t bytes[16];         /* as fetched */
    uint8_t mapped;            /* of which so many were mapped */
    struct sonde_gen_message message;
    bool message_decoded;
    struct emu_scatter scatter; /* when emu_scatter_translate said so */
};

struct emu_operation {
    emu_run_function *run;
    const struct emu_operation *next; /* following instruction */
    const struct emu_operation *jip;
    const struct emu_operation *uip;
    uint32_t index;
    uint32_t window; /* low exec_size bits */
    uint8_t channel_offset;
    uint8_t exec_size;
    uint8_t predicate; /* enum sonde_gen_predicate */
    bool predicate_inverse;
    bool selects; /* predicate chooses a source, it does not mask */
    bool no_mask;
    bool plain;         /* all channels of the window, always */
    bool target;        /* waiting channels may wake here */
    bool always;        /* runs even with no channel enabled */
    bool straight;      /* leaves the flow of the thread alone, unless it faults */
    uint8_t flag_shift; /* first flag bit: 32 * number + 16 * half */
    bool direct_store;
    uint8_t source_count;
    uint8_t parameter; /* of the kernel, in place of a predicate: truth table of bfn */
    bool indirect;     /* some source is */
    uint8_t condition;
    struct emu_source source[EMU_OPERAND_MAX];
    emu_compute_function *compute;
    emu_compute_function *saturate;
    emu_compute_function *compare; /* condition modifier: result against zero */
    emu_collect_function *collect; /* lanes of all ones to bits */
    emu_store_function *store;
    uint32_t destination;
    int32_t destination_stride;
    const uint16_t *destination_offset;
    const struct emu_details *details;
};

/* A translated program. Operations are never moved or freed while a dispatch
 * runs; code reached by a computed jump is translated under the lock. */
struct emu_program;
struct emu_arena;

/* Takes `arena` over, NULL: makes one. */
enum sonde_status emu_program_create(const struct emu_dispatch *dispatch,
                                     const struct emu_memory *memory, enum emu_path path,
                                     struct emu_arena *arena, struct emu_program **program,
                                     struct sonde_error *error);
void emu_program_destroy(struct emu_program *program);
/* True when the code of the program is still what memory holds. */
bool emu_program_matches(const struct emu_program *program, const struct emu_dispatch *dispatch,
                         const struct emu_memory *memory);
/* The operation at a byte address (absolute); translates it when new. */
const struct emu_operation *emu_program_at(struct emu_program *program,
                                           const struct emu_memory *memory, uint64_t address);
uint32_t emu_program_operation_count(struct emu_program *program);
/* Operation number index, in order of translation. */
const struct emu_operation *emu_program_operation(struct emu_program *program, uint32_t index);

struct emu_event_log;

struct emu_group {
    uint64_t number; /* in the dispatch */
    struct emu_thread *threads;
    uint32_t thread_count;
    uint32_t unfinished;
    uint32_t signalled; /* threads that sent the barrier message */
    uint32_t id[3];
    uint8_t *slm;
    uint32_t thread_capacity, slm_capacity; /* that there is memory for: threads, bytes */
    uint32_t place;
    uint32_t first_slot;                     /* hardware thread slot of thread 0 */
    struct emu_check *checks;                /* one a thread, or NULL */
    const struct emu_operation *met_barrier; /* the first to signal at this barrier */
};

struct emu_tally {
    uint64_t executions;
    uint64_t lanes;
};

struct emu_timing;

struct emu_worker {
    struct emu *emu;
    struct emu_check_facts *check_facts; /* NULL: nothing is checked */
    struct emu_timing *timing;           /* NULL: instructions are not timed */
    const struct emu_dispatch *dispatch;
    struct emu_program *program;
    struct emu_memory memory;
    struct emu_tlb_entry tlb[EMU_TLB_SIZE];
    struct emu_surface surfaces[256];
    bool counts; /* there are tallies to fill */
    struct emu_tally *tallies;
    uint32_t tally_count, tally_capacity;
    struct emu_group *resident; /* resident_max groups; unfinished 0 = free */
    uint32_t resident_max, resident_capacity;
    uint32_t resident_used; /* those from here on were never used */
    uint64_t instructions;
    uint64_t waited;   /* cycles that running threads went ahead without an instruction */
    uint64_t reported; /* instructions already added to the dispatch's total */
    uint64_t threads;
    uint64_t cycles;
    uint64_t out_of_bounds;
    struct emu_event_log *logs; /* of threads that ended */
    struct emu_divergence divergence;
    struct emu_thread *current; /* of the message being executed */
    const struct emu_operation *current_operation;
    uint32_t current_mask;
    bool faulted;
    char fault_reason[240];
    struct emu_thread *fault_thread;
    const struct emu_operation *fault_operation;
    uint32_t fault_mask;
    enum sonde_status status;
};

/* Totals and the first fault of the workers (result.c). */
void emu_result_gather(struct emu_worker *const *workers, uint32_t count,
                       struct emu_result *result);
/* Sum what the workers counted at each instruction. */
enum sonde_status emu_result_count(struct emu_program *program, struct emu_worker *const *workers,
                                   uint32_t worker_count, struct emu_result *result,
                                   struct sonde_error *error);

/* Translate one decoded instruction (jump targets are left to the program).
 * `arena` keeps constant lanes and details. */
struct emu_arena;
struct emu_arena *emu_arena_create(void);
/* One with `size` bytes that the kernel has given already, if there are so many. */
struct emu_arena *emu_arena_create_warm(size_t size);
void *emu_arena_take(struct emu_arena *arena, size_t size); /* zeroed, 64-byte aligned, or NULL */
void emu_arena_destroy(struct emu_arena *arena);

bool emu_translate(struct emu_arena *arena, const struct sonde_gen_instruction *instruction,
                   enum emu_path path, uint32_t register_bytes, struct emu_operation *operation);

/* Decode the message of a send whose descriptor is an immediate. */
void emu_send_translate(struct emu_details *details);

/* What runs a message of plain accesses, one address a channel; NULL when it is
 * not one. */
emu_run_function *emu_scatter_translate(enum emu_path path, uint32_t register_bytes,
                                        struct emu_details *details);

/* run functions */
emu_run_function emu_general_run;
emu_run_function emu_run_fast;
emu_run_function emu_run_message;
emu_run_function emu_run_scatter_baseline;
emu_run_function emu_run_scatter_v3;
emu_run_function emu_run_illegal;
emu_run_function emu_run_nop;
emu_run_function emu_run_wait;
emu_run_function emu_run_sync;

/* Fast tables, see lanes.c. */
bool emu_fast_translate(struct emu_arena *arena, enum emu_path path,
                        struct emu_operation *operation);

/* Bring the host's float environment in line with cr0. */
void emu_thread_apply_control(struct emu_thread *thread);
/* Channels, as seen by the instruction (bit 0 = first), that pass the
 * predicate, over the whole window. */
uint32_t emu_predicate_mask(const struct emu_thread *thread, const struct emu_operation *operation);
/* Write condition bits for the channels in mask. */
void emu_flag_write(struct emu_thread *thread, const struct emu_operation *operation, uint32_t bits,
                    uint32_t mask);
/* Registers that are computed when read. */
void emu_thread_refresh(struct emu_thread *thread, const struct emu_operation *operation);

/* The operation at an absolute address, with room for its counters. */
const struct emu_operation *emu_thread_lookup(struct emu_thread *thread,
                                              const struct emu_operation *operation,
                                              uint64_t address);
/* Continue at an address relative to the instruction base. */
void emu_thread_jump(struct emu_thread *thread, const struct emu_operation *operation, uint32_t ip);

void emu_thread_start(struct emu_worker *worker, struct emu_group *group, uint32_t index);
/* Run until the thread ends, blocks, faults, or `budget` instructions were
 * executed. Returns the number executed. */
uint64_t emu_thread_run(struct emu_thread *thread, uint64_t budget);
void emu_thread_fault(struct emu_thread *thread, const struct emu_operation *operation,
                      uint32_t mask, const char *format, ...) SONDE_PRINTF(4, 5);
/* Make room for `count` counters. */
bool emu_worker_grow_tallies(struct emu_worker *worker, uint32_t count);
/* Wake the channels that wait for this operation. */
void emu_thread_wake(struct emu_thread *thread, const struct emu_operation *operation);

static inline uint64_t emu_flag_bits(const struct emu_thread *thread)
{
    return (uint64_t)thread->flag[0] | (uint64_t)thread->flag[1] << 32;
}

#endif
