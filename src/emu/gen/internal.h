/* Shared between the execution core (thread.c, alu, flow) and the message
 * units (message_*.c) of the emulator. */
#ifndef SONDE_EMU_GEN_INTERNAL_H
#define SONDE_EMU_GEN_INTERNAL_H

#include "emu/gen/emu.h"
#include "sonde/gen_message.h"

#define EMU_GRF_SIZE  32u
#define EMU_GRF_COUNT 256u /* of a thread with the large register file */
/* Bytes after the register file that a region may run into without harm. */
#define EMU_GRF_SLACK 512u
#define EMU_SLM_MAX   65536u
#define EMU_TLB_SIZE  1024u

struct emu_tlb_entry {
    uint64_t tag; /* page number + 1, 0 = empty */
    uint8_t *host;
    bool writable; /* already announced as written */
};

/* A decoded binding-table entry, cached per dispatch and worker. */
struct emu_surface {
    bool valid;   /* looked up */
    uint8_t type; /* RENDER_SURFACE_STATE type: 0 1D, 1 2D, 2 3D, 4 buffer, 7 null */
    uint16_t format;
    uint8_t tile_mode;
    uint64_t base;
    uint64_t size;                        /* bytes, buffers */
    uint32_t width, height, depth, pitch; /* texels and bytes, images */
    uint32_t qpitch;
    uint32_t array_first, array_count;
    uint32_t x_offset, y_offset; /* of the image in its tiles, texels and rows */
    uint8_t mip_count;           /* levels after the first */
    uint8_t auxiliary_mode;      /* compression: 0 = none, others are not emulated */
    uint8_t swizzle[4];          /* shader channel selects */
};

struct emu_worker; /* one host thread: TLB, SLM, surface cache, counters */
struct emu_thread; /* one hardware thread */

/* What a message handler sees of the thread. The execution core owns and
 * fills this; `grf` is the whole register file. */
struct emu_message_context {
    struct emu_worker *worker;
    struct emu_thread *thread;
    uint8_t *grf;     /* EMU_GRF_COUNT * EMU_GRF_SIZE + EMU_GRF_SLACK bytes */
    uint32_t enabled; /* channels to act on: execution mask & predicate, bit 0 = first
                         channel of the message (already shifted by channel offset) */
    const struct emu_dispatch *dispatch;
    uint8_t *slm; /* SLM of the work-group, dispatch->slm_size bytes */
    uint32_t dst; /* GRF numbers; dst is UINT32_MAX for null */
    uint32_t src0;
    uint32_t src1; /* UINT32_MAX when not split */
    uint32_t slot; /* hardware thread, for scratch surfaces */
    const struct sonde_gen_message *message;
    const uint8_t *payload; /* NULL; set by the message units to a copy of the payload when
                               the response overwrites it */
};

/* Outcome of a message. */
enum emu_message_outcome {
    EMU_MESSAGE_DONE,
    EMU_MESSAGE_END_OF_THREAD,
    EMU_MESSAGE_BARRIER, /* signal; the thread waits at the next `wait` / `sync.bar` */
    EMU_MESSAGE_FAULT,   /* emu_message_fault was called */
};

/* Execute one message (message_*.c). Atomics are atomic against the other
 * workers. */
enum emu_message_outcome emu_message_execute(struct emu_message_context *context);

/* Provided by the core. */
/* Leave a fault reason; printf-like. */
void emu_worker_fault(struct emu_worker *worker, const char *format, ...) SONDE_PRINTF(2, 3);
/* Count an access outside its surface. */
void emu_worker_out_of_bounds(struct emu_worker *worker, uint32_t lanes);
/* A message touches memory. True: the page must not be cached, so that each
 * access is seen (the time model is on). */
bool emu_worker_touch(struct emu_worker *worker, uint64_t address, size_t size);
/* The worker's translation cache and memory. */
struct emu_tlb_entry *emu_worker_tlb(struct emu_worker *worker); /* EMU_TLB_SIZE entries */
const struct emu_memory *emu_worker_memory(struct emu_worker *worker);
/* 256 surface slots of the current dispatch, invalidated at its start. */
struct emu_surface *emu_worker_surfaces(struct emu_worker *worker);

/* Host address of [address, address + size) when it lies in one page, else
 * NULL; NULL too when unmapped (message_memory.c). */
uint8_t *emu_memory_span(struct emu_worker *worker, uint64_t address, size_t size, bool write);
/* Copy across pages; unmapped parts read as zero / are dropped and the call
 * returns false. */
bool emu_memory_read(struct emu_worker *worker, uint64_t address, void *data, size_t size);
bool emu_memory_write(struct emu_worker *worker, uint64_t address, const void *data, size_t size);

#endif
