/* One procedure inserted into divergent code of a small kernel with live
 * flags and address registers, run next to the original on the emulator. */
#ifndef TESTS_REWRITE_PROBE_H
#define TESTS_REWRITE_PROBE_H

#include "machine.h"
#include "isa/codec_iga.h"

#define PROBE_THREADS 12u
#define PROBE_CHUNK   512u /* bytes of the profile buffer a thread */
/* Behind everything else in the profile buffer. */
#define PROBE_SPILL_AT 0x40000u
#define PROBE_BUCKETS  (MACHINE_SURFACE_BYTES / PROBE_CHUNK)

/* How procedures reach the profile buffer. */
enum probe_buffer {
    PROBE_SURFACE,
    PROBE_STATELESS, /* by its address, which stands in the payload */
    PROBE_FETCHED,   /* by its address, which stands in the buffer, a surface */
};

enum probe_registers {
    PROBE_FREE_LIST, /* from the compiler's list */
    PROBE_LIVENESS,
    /* None is free: all are saved, to scratch memory where the part has it, or
     * to the profile buffer. */
    PROBE_SPILL,
    PROBE_SPILL_BUFFER,
};

#define PROBE_MODE_COUNT   10u
#define PROBE_FIRST_FILLED 6u /* modes from here on have a known value in r22 to r125 */
extern const struct probe_mode {
    enum probe_buffer buffer;
    enum probe_registers registers;
} probe_modes[PROBE_MODE_COUNT];

/* Where tests let thread memory stand in the profile buffer, and the buffer's
 * own address. */
#define PROBE_THREAD_MEMORY 0x2000u
#define PROBE_OWN_ADDRESS   0x1ff08u

struct probe {
    struct machine *machine;
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct sonde_coder *coder;
    struct sonde_procedure *procedure; /* runs in channels of odd local ids */
    size_t point;                      /* instruction before which it stands */
    struct sonde_rewritten out;
    struct sonde_error error;
    uint8_t *original; /* data of the original run */
    sonde_vreg address;
    const uint8_t *profile; /* what the profile buffer starts with, NULL: zeros */
    size_t profile_size;
    unsigned simd;
};

/* False when this system has no iga64 library. */
bool probe_setup(void);
/* The same for the part that the first argument names, Gen9 without one. */
bool probe_setup_platform(int argc, char **argv);
enum sonde_gen_platform probe_platform(void);
void probe_open(struct probe *probe, enum probe_buffer buffer, enum probe_registers registers);
/* The same with 32 channels a thread. The kernel's own instructions have 16. */
void probe_open_wide(struct probe *probe, enum probe_buffer buffer, enum probe_registers registers);
/* With a surface that holds its own address. */
void probe_open_pointers(struct probe *probe, enum probe_registers registers);
void probe_close(struct probe *probe);
/* Insert the procedure, emit, validate every instruction, run, and compare the
 * data, flags and address registers of the kernel with the original's. */
void probe_run(struct probe *probe);
void probe_emit(struct probe *probe);
/* Fail the test with the message of the last error unless `status` is OK. */
void probe_ok(struct probe *probe, enum sonde_status status);
/* Append: dst = the operand:ud. */
void probe_move(struct probe *probe, sonde_vreg dst, struct sonde_operand source);
/* Append what makes f1.1 never true and f0.1 always: predicates for the methods. */
void probe_set_flags(struct probe *probe, struct sonde_predicate *never,
                     struct sonde_predicate *always);
/* Append: dword `index` of the thread's chunk = the operand:ud. */
void probe_store(struct probe *probe, struct sonde_procedure *procedure, uint32_t index,
                 struct sonde_operand value);
/* Append: `address` = byte `offset` of the thread's chunk. */
void probe_address(struct probe *probe, struct sonde_procedure *procedure, sonde_vreg address,
                   uint32_t offset);
/* Dword `index` of thread `thread`'s chunk after the run. */
uint32_t probe_value(struct probe *probe, uint32_t thread, uint32_t index);
uint8_t *probe_chunk(struct probe *probe, uint32_t thread);
/* The thread id that a thread has, and its enabled channels at the point. */
uint32_t probe_thread_id(uint32_t thread);
uint32_t probe_enabled(const struct probe *probe, uint32_t thread);
uint32_t probe_dispatched(const struct probe *probe, uint32_t thread);

#endif
