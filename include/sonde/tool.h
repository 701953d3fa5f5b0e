/* A tool: what to insert into each kernel and what to do with the buffers.
 *
 * Tools run inside the profiled program, called by the attach library from
 * inside the driver, one call at a time. They never print, and never call
 * OpenCL; what they learn goes to the trace. Built-in tools are rows of
 * a table; others are loaded from a shared object that exports
 *     const struct sonde_tool *sonde_tool_entry(void);
 */
#ifndef SONDE_TOOL_H
#define SONDE_TOOL_H

#include "sonde/instrument.h"
#include "sonde/trace.h"

#define SONDE_TOOL_API_VERSION 1u

/* A profile array of one kernel: `records` records of record_size bytes in
 * each of `buckets` thread buckets, zero when a dispatch starts. */
struct sonde_profile_array {
    uint32_t record_size; /* bytes, power of two */
    uint32_t records;
    uint32_t buckets;    /* power of two */
    uint32_t chunk_size; /* bytes of one bucket, power of two */
    uint32_t base;       /* byte offset in the profile buffer */
};

/* The 32-bit counter at byte `offset` of `record`, summed over the buckets of
 * the profile buffer of one dispatch. 0 for what lies outside of the array or
 * the buffer. A counter wraps when one bucket counts 2^32 events in one
 * dispatch: use more buckets for kernels that run that long. */
SONDE_API uint64_t sonde_profile_array_sum(const struct sonde_profile_array *array,
                                           const uint8_t *buffer, size_t size, uint32_t record,
                                           uint32_t offset);

/* Copy records [first, first + count) of one bucket out of, or into, the
 * profile buffer of one dispatch. `records` has count * record_size bytes.
 * SONDE_ERROR_ARGUMENT for records that the array does not have,
 * SONDE_ERROR_RANGE when the buffer ends before them. */
SONDE_API enum sonde_status sonde_profile_array_read(const struct sonde_profile_array *array,
                                                     const uint8_t *buffer, size_t size,
                                                     uint32_t bucket, uint32_t first,
                                                     uint32_t count, void *records,
                                                     struct sonde_error *error);
SONDE_API enum sonde_status sonde_profile_array_write(const struct sonde_profile_array *array,
                                                      uint8_t *buffer, size_t size, uint32_t bucket,
                                                      uint32_t first, uint32_t count,
                                                      const void *records,
                                                      struct sonde_error *error);
/* Zero all records. */
SONDE_API enum sonde_status sonde_profile_array_initialize(const struct sonde_profile_array *array,
                                                           uint8_t *buffer, size_t size,
                                                           struct sonde_error *error);

/* Append to `procedure`: where byte `offset_in_record` of a record stands in
 * the thread's bucket. The record is an immediate or a register of type ud,
 * whose value the device does not check. As an offset:ud into the profile
 * buffer, as an address, and as an address from `base`, the address of byte 0
 * of record 0. Threads share buckets, so updates are to be atomic. */
SONDE_API enum sonde_status
sonde_profile_array_compute_offset(const struct sonde_profile_array *array,
                                   struct sonde_coder *coder, struct sonde_procedure *procedure,
                                   sonde_vreg offset, struct sonde_operand record,
                                   uint32_t offset_in_record, struct sonde_error *error);
SONDE_API enum sonde_status
sonde_profile_array_compute_address(const struct sonde_profile_array *array,
                                    struct sonde_coder *coder, struct sonde_procedure *procedure,
                                    sonde_vreg address, struct sonde_operand record,
                                    uint32_t offset_in_record, struct sonde_error *error);
SONDE_API enum sonde_status sonde_profile_array_compute_rel_address(
    const struct sonde_profile_array *array, struct sonde_coder *coder,
    struct sonde_procedure *procedure, sonde_vreg address, sonde_vreg base,
    struct sonde_operand record, uint32_t offset_in_record, struct sonde_error *error);

/* What a tool sees while a kernel is built. */
struct sonde_tool_build;
SONDE_API struct sonde_instrument *sonde_tool_build_instrument(struct sonde_tool_build *build);
/* The kernel's arguments; NULL when they are not known. */
SONDE_API const struct sonde_trace_arguments *
sonde_tool_build_arguments(const struct sonde_tool_build *build);
/* Lay out an array in the profile buffer of this kernel; memory appears at
 * each dispatch. */
SONDE_API enum sonde_status sonde_tool_build_allocate(struct sonde_tool_build *build,
                                                      uint32_t record_size, uint32_t records,
                                                      struct sonde_profile_array *array,
                                                      struct sonde_error *error);
/* Ask for records (sonde/record.h) of this kernel: of each visit of any block,
 * or with something collected at a point, which is copied. All tools of a run
 * share one trace; its records are written when a dispatch ends, before
 * on_dispatch_complete. */
SONDE_API enum sonde_status sonde_tool_build_record_blocks(struct sonde_tool_build *build,
                                                           struct sonde_error *error);
SONDE_API enum sonde_status sonde_tool_build_record(struct sonde_tool_build *build,
                                                    const struct sonde_record_point *point,
                                                    struct sonde_error *error);
/* How memory of the host and its copy in a profile buffer become the same. */
enum sonde_map {
    SONDE_MAP_BOTH, /* to the device before a dispatch, back after it */
    SONDE_MAP_IN,   /* only to the device */
    SONDE_MAP_OUT,  /* only back: what the device finds is zero */
    SONDE_MAP_NONE, /* neither: each dispatch has memory of its own, at first zero */
};
/* Give host memory a place in the profile buffers of this kernel: probes get
 * pointers to it (SONDE_HLI_HOST_POINTER). It has to last to the program's end.
 * Dispatches that are under way together have a copy each. */
SONDE_API enum sonde_status sonde_tool_build_map(struct sonde_tool_build *build, void *host,
                                                 size_t size, enum sonde_map direction,
                                                 struct sonde_error *error);
/* Keep `state` (malloc'ed) for this kernel; freed with the kernel. */
SONDE_API void sonde_tool_build_set_state(struct sonde_tool_build *build, void *state);

/* What a tool sees of a finished dispatch. */
struct sonde_tool_dispatch;
SONDE_API const struct sonde_kernel *
sonde_tool_dispatch_kernel(const struct sonde_tool_dispatch *dispatch);
SONDE_API void *sonde_tool_dispatch_state(const struct sonde_tool_dispatch *dispatch);
/* The profile buffer as the device left it. */
SONDE_API const uint8_t *sonde_tool_dispatch_buffer(const struct sonde_tool_dispatch *dispatch,
                                                    size_t *size);
SONDE_API uint32_t sonde_tool_dispatch_id(const struct sonde_tool_dispatch *dispatch);
SONDE_API uint32_t sonde_tool_dispatch_kernel_id(const struct sonde_tool_dispatch *dispatch);
SONDE_API struct sonde_trace_writer *
sonde_tool_dispatch_trace(const struct sonde_tool_dispatch *dispatch);

struct sonde_tool {
    uint32_t struct_size; /* sizeof(struct sonde_tool) */
    uint32_t api_version; /* SONDE_TOOL_API_VERSION */
    const char *name;     /* as given to -t */
    const char *summary;  /* one line for `sonde list tools` */
    /* Each callback may be NULL. A failing on_kernel_build makes the kernel
     * run uninstrumented, with the message as the reason. */
    enum sonde_status (*on_kernel_build)(struct sonde_tool_build *build, struct sonde_error *error);
    enum sonde_status (*on_dispatch)(struct sonde_tool_dispatch *dispatch,
                                     struct sonde_error *error);
    enum sonde_status (*on_dispatch_complete)(struct sonde_tool_dispatch *dispatch,
                                              struct sonde_error *error);
    /* At the end of a process that was recorded, once, unless it is killed. */
    void (*on_finish)(void);
};

/* Built-in tools. */
SONDE_API const struct sonde_tool *sonde_tool_find(const char *name);
SONDE_API const struct sonde_tool *sonde_tool_at(size_t index); /* NULL at the end */

#endif
