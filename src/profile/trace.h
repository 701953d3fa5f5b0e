/* The profile trace of one dispatch: a control block, counters of lost records
 * and the space for records, all in the dispatch's profile buffer, and each in
 * cache lines of its own.
 *
 *   0x00  line of the host: overflow flag (the device sets it, only the host
 *         clears it), limit, mode, magic, where both share memory, and
 *         the buffer's own address
 *   0x40  write cursor, the target of the atomic additions, and bytes done
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
 * Where the host empties the buffer while the kernel runs (drain.c), threads
 * also add the size of a record to the bytes done once nothing more will be
 * written to it: what lies before the cursor is whole when both agree.
 *
 * The cursor passes the limit by at most one record of each hardware thread;
 * with limits of 2 GiB at most it cannot wrap. */
#ifndef SONDE_PROFILE_TRACE_H
#define SONDE_PROFILE_TRACE_H

#include "sonde/record.h"
#include "sonde/tool.h"

enum {
    PROFILE_CONTROL_OVERFLOW = 0x00, /* u32, 0 clear */
    PROFILE_CONTROL_LIMIT = 0x04,    /* u32 */
    PROFILE_CONTROL_MODE = 0x08,     /* u32, enum profile_trace_mode */
    PROFILE_CONTROL_MAGIC = 0x10,    /* 16 bytes */
    PROFILE_CONTROL_STATE = 0x20,    /* u32, enum profile_trace_state */
    PROFILE_CONTROL_FILE = 0x24,    /* u32, descriptor of the shared memory in the host's process */
    PROFILE_CONTROL_SIZE = 0x28,    /* u32, bytes of it */
    PROFILE_CONTROL_UNEQUAL = 0x2c, /* u32, ranges of groups that did not do the same twice */
    PROFILE_CONTROL_CURSOR = 0x40,  /* u32 */
    PROFILE_CONTROL_DONE = 0x60,    /* u32, bytes */
    PROFILE_CONTROL_BASE = 0x30,    /* u32, offset of the first record */
    PROFILE_CONTROL_TAKEN = 0x34,   /* u32, what the host took, in SONDE_RECORD_ALIGNMENT */
    PROFILE_CONTROL_ADDRESS = 0x38, /* u64, where the device finds the buffer */
    PROFILE_CONTROL_BYTES = 0x80,
};

/* Told to an emulated device, which looks for the magic. */
enum profile_trace_mode {
    PROFILE_TRACE_RECORD,
    /* Take back everything that the dispatch writes outside of its profile
     * buffer, and do not count it as one. */
    PROFILE_TRACE_DRY,
    /* Share the buffer with the host, which empties it as the kernel runs. */
    PROFILE_TRACE_DRAIN,
    /* Share it, and run the grid by ranges of groups whose records it holds; a
     * range that does not fit is taken back and run again by smaller ones. */
    PROFILE_TRACE_WINDOW,
};

/* Who has the shared buffer. The device goes from none to run and full, the
 * host from full to run. */
enum profile_trace_state {
    PROFILE_TRACE_NONE, /* the device has not seen it: records are in the device's own copy */
    PROFILE_TRACE_RUN,
    PROFILE_TRACE_FULL, /* the device waits until the buffer is empty */
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
    bool is_drained;  /* threads count the bytes done */
};

/* Lay out the trace behind *end and move that to where its records stand,
 * inserting the device code (trace_code.c); is_drained: that counts bytes done. The layout goes
 * over to the trace, also when that fails. */
enum sonde_status profile_trace_instrument(struct sonde_record_layout *layout,
                                           struct sonde_instrument *instrument, uint32_t buckets,
                                           bool is_drained, uint32_t *end,
                                           struct profile_trace *trace, struct sonde_error *error);
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
/* The same of the records from offset `from` on; losses are of all. */
enum sonde_status profile_trace_collect_from(const struct profile_trace *trace,
                                             const uint8_t *buffer, size_t size, uint32_t from,
                                             struct profile_trace_result *result,
                                             struct sonde_error *error);
void profile_trace_result_clear(struct profile_trace_result *result);

/* Bytes of whole records at the start of `size` bytes; counts them by block. */
size_t profile_trace_walk(const struct profile_trace *trace, const uint8_t *records, size_t size,
                          uint64_t *visits, uint64_t *count);

/* Emptying a buffer that the device writes to. */
struct profile_drain {
    uint8_t *buffer; /* shared with the device */
    size_t size;
    uint32_t taken;   /* offset: what is before has been taken */
    uint64_t used;    /* bytes of records taken */
    uint64_t stored;  /* records taken */
    uint64_t torn;    /* bytes that were never filled: their thread was stopped */
    uint64_t *visits; /* of the records taken, by block; malloc'ed */
};
enum sonde_status profile_drain_begin(const struct profile_trace *trace, uint8_t *buffer,
                                      size_t size, struct profile_drain *drain,
                                      struct sonde_error *error);
/* The records that are whole and not taken yet, if it is time to take them: the
 * buffer overflowed, is half full or the device waits. Taken when this returns
 * true; copy them, then call profile_drain_empty. */
bool profile_drain_take(const struct profile_trace *trace, struct profile_drain *drain,
                        const uint8_t **records, size_t *size);
/* Give the space of what was taken back to the device, unless a record was
 * begun meanwhile, and clear the overflow flag. */
void profile_drain_empty(const struct profile_trace *trace, struct profile_drain *drain);
/* When the device is done: result->records and *rest are what was not taken yet,
 * everything else the sums of all. */
enum sonde_status profile_drain_end(const struct profile_trace *trace,
                                    const struct profile_drain *drain,
                                    struct profile_trace_result *result, uint64_t *rest,
                                    struct sonde_error *error);
void profile_drain_clear(struct profile_drain *drain);

#endif
