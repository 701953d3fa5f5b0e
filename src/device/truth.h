/* Ground-truth file: what the emulated GPU itself saw, written by the server
 * (--truth) and read by `sonde verify`. A stream of frames
 *     u32 tag, u64 payload size, payload
 * little-endian, valid if cut off after any frame:
 *
 *   'PROG'  u32 program id; u64 code size; code bytes from the kernel start to
 *           the end of the furthest instruction reached by a dispatch so far
 *           (a program is written again, same id, when it grows)
 *   'DISP'  u64 dispatch index in the server's life; u32 program id; u64
 *           kernel start (GPU VA); u32 simd; u32 threads per group; u32 group
 *           count x, y, z; u64 instructions; u64 lanes; u32 fault flag; u32
 *           process id (0 = unknown); u32 n;
 *           n x { u32 offset, u64 executions, u64 lanes }
 *   'WRIT'  u64 dispatch index; u32 n; n x { u32 kind, u32 index, u64 offset,
 *           u64 size, u64 xxh3 hash of the bytes after the dispatch, bytes,
 *           (size + 7) / 8 bytes of mask: bit i % 8 of byte i / 8 is set when
 *           byte i changed }:
 *           every maximal run of 64-byte lines that the dispatch changed, attributed to
 *           kind 0 = surface with binding-table index `index` at byte offset,
 *           kind 1 = address held in the 64-bit word `index` of the
 *           cross-thread payload (nearest below), kind 2 = absolute address,
 *           kind 3 = scratch. The bytes follow in full.
 *   'KEPT'  u64 dispatch index; u32 n; n x { u32 kind, u32 index, u64 offset,
 *           u64 size, u64 bytes that follow: all, or none where all are zero;
 *           bytes }: lines that the dispatch left as they were, in pages that
 *           it wrote to. What memory held before may be chance: a kernel that
 *           writes what stands there already changes nothing. Not of scratch;
 *           64 MiB a dispatch at most
 *   'EVNT'  u64 dispatch index; u32 n; n x { u32 sr0.0, u32 group x, y, z,
 *           u64 size, bytes }: the way of each hardware thread, in order of
 *           groups (struct emu_event_thread says what the bytes are); only
 *           when events are asked for
 */
#ifndef SONDE_DEVICE_TRUTH_H
#define SONDE_DEVICE_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sonde/status.h"

enum truth_write_kind {
    TRUTH_WRITE_SURFACE,
    TRUTH_WRITE_PAYLOAD_POINTER,
    TRUTH_WRITE_ABSOLUTE,
    TRUTH_WRITE_SCRATCH,
};

struct truth_count {
    uint32_t offset;
    uint64_t executions;
    uint64_t lanes;
};

struct truth_write {
    uint32_t kind;
    uint32_t index;
    uint64_t offset;
    uint64_t size;
    uint64_t hash;
    const uint8_t *bytes; /* NULL: zeros, of memory that was left as it was only */
    /* Mask: bit i % 8 of byte i / 8 is set when byte i changed; NULL: none did. */
    const uint8_t *changed;
};

/* A hardware thread's way; walk it with truth_events_next. */
struct truth_thread {
    uint32_t state; /* sr0.0 */
    uint32_t group[3];
    const uint8_t *data;
    size_t size;
};

struct truth_event {
    bool is_message;
    uint32_t count;  /* instructions of the run, or registers of the payload */
    uint32_t offset; /* of the first instruction, from kernel_start */
    uint32_t mask;   /* enabled channels; messages: those it acts on, from its first one on */
    const uint8_t *payload;
};
/* The event at *position, which moves on; false at the end. */
bool truth_events_next(const struct truth_thread *thread, size_t *position,
                       struct truth_event *event);

struct truth_dispatch {
    uint64_t index;
    uint32_t program;
    uint64_t kernel_start;
    uint32_t simd, threads_per_group, groups[3];
    uint64_t instructions, lanes;
    bool fault;
    uint32_t process; /* that dispatched it, 0 = unknown */
    struct truth_count *counts;
    size_t count_count;
    struct truth_write *writes;
    size_t write_count;
    struct truth_write *kept; /* left as they were: without hash and mask */
    size_t kept_count;
    struct truth_thread *threads;
    size_t thread_count;
    uint32_t entry; /* of the kernel's code, bytes: where the dispatch began; 0 as read */
};

struct truth_program {
    uint32_t id;
    const uint8_t *code;
    size_t size;
};

struct truth_file {
    struct truth_program *programs; /* by id, the largest version of each */
    size_t program_count;
    struct truth_dispatch *dispatches; /* in execution order */
    size_t dispatch_count;
    void *storage; /* private */
};

/* Read a whole file; a cut last frame is dropped, not an error. */
enum sonde_status truth_file_read(const char *path, struct truth_file *file,
                                  struct sonde_error *error);
void truth_file_clear(struct truth_file *file);

#endif
