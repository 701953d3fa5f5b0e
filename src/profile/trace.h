/* The profile trace of one dispatch: a control block, counters of lost records
 * and the space for records, all in the dispatch's profile buffer, and each in
 * cache lines of its own.
 *
 *   0x00  line of the host: overflow flag (the device sets it, only the host
 *         clears it), limit, mode, magic
 *   0x40  write cursor, the target of the atomic additions
 *   0x80  arrays of tools, counters of lost records, slots, records
 *
 * Cursor, limit and records are byte offsets in the profile buffer, so that an
 * offset of 0 is no record. At the head of a block a thread reads the host's
 * line. While the flag is clear it adds the size of the block's record to the
 * cursor; when that passes the limit it sets the flag. A visit whose record
 * has no space, or that finds the flag set, is counted as lost, by block; the
 * kernel's own code runs on unchanged. A limit of 0 thus counts every visit
 * and stores nothing: the first pass of sized buffers.
 *
 * The cursor passes the limit by at most one record of each hardware thread;
 * with limits of 2 GiB at most it cannot wrap. */
#ifndef SONDE_PROFILE_TRACE_H
#define SONDE_PROFILE_TRACE_H

#include "sonde/record.h"
#include "sonde/tool.h"

enum {
    PROFILE_CONTROL_OVERFLOW = 0x00, /* u32 */
    PROFILE_CONTROL_LIMIT = 0x04,    /* u32 */
    PROFILE_CONTROL_MODE = 0x08,     /* u32, enum profile_trace_mode */
    PROFILE_CONTROL_MAGIC = 0x10,    /* 16 bytes */
    PROFILE_CONTROL_CURSOR = 0x40,   /* u32 */
    PROFILE_CONTROL_BYTES = 0x80,
};

/* Told to an emulated device, which looks for the magic. */
enum profile_trace_mode {
    PROFILE_TRACE_RECORD,
    /* Take back everything that the dispatch writes outside of its profile
     * buffer, and do not count it as one. */
    PROFILE_TRACE_DRY,
};

#define PROFILE_TRACE_MAGIC      "\x93SondeTraceCtl\x0d\x0a"
#define PROFILE_TRACE_LIMIT      (UINT32_C(1) << 31) /* bytes of a profile buffer */
#define PROFILE_TRACE_SLOT_BYTES 16u

/* The trace of one kernel. */
struct profile_trace {
    struct sonde_record_layout layout;
    struct sonde_profile_array lost; /* a dword a block of the layout */
    /* The offset of the record that each hardware thread fills, where the
     * kernel leaves no register for it; records 0 = none needed. */
    struct sonde_profile_array slots;
    uint32_t base;    /* of the records, SONDE_RECORD_ALIGNMENT */
    uint32_t largest; /* record, bytes */
};

/* Lay out the trace behind *end and move that to where its records stand,
 * inserting the device code (trace_code.c). The layout goes over to the trace,
 * also when that fails. */
enum sonde_status profile_trace_instrument(struct sonde_record_layout *layout,
                                           struct sonde_instrument *instrument, uint32_t buckets,
                                           uint32_t *end, struct profile_trace *trace,
                                           struct sonde_error *error);
void profile_trace_clear(struct profile_trace *trace);

/* Set up the control block in a zeroed buffer of base + capacity bytes. */
void profile_trace_prepare(const struct profile_trace *trace, uint8_t *buffer, size_t size,
                           enum profile_trace_mode mode);

/* What a dispatch left. */
struct profile_trace_result {
    bool overflow;
    const uint8_t *records; /* in the buffer */
    uint64_t used;          /* bytes of whole records */
    uint64_t stored, lost;  /* records */
    uint64_t *visits;       /* stored and lost together, by block of the layout; malloc'ed */
    uint64_t *lost_visits;  /* the lost ones */
    uint64_t lost_bytes;
    uint64_t torn_bytes; /* behind a record that was never written: its thread was stopped */
};

enum sonde_status profile_trace_collect(const struct profile_trace *trace, const uint8_t *buffer,
                                        size_t size, struct profile_trace_result *result,
                                        struct sonde_error *error);
void profile_trace_result_clear(struct profile_trace_result *result);

#endif
