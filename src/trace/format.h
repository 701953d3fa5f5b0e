/* The bytes of a trace file; doc/trace-format.md draws them. */
#ifndef SONDE_TRACE_FORMAT_H
#define SONDE_TRACE_FORMAT_H

#include <stdint.h>

#define TRACE_FILE_PREFIX "process-"
#define TRACE_FILE_SUFFIX ".sonde"
/* Present in every run directory, also of a run without a process. */
#define TRACE_MARK_NAME "run"
#define TRACE_MARK_TEXT "Sonde run directory, format 1\n"

#define TRACE_VERSION 1u

/* File header. */
enum {
    TRACE_HEADER_MAGIC = 0,     /* 8 bytes */
    TRACE_HEADER_VERSION = 8,   /* u32 */
    TRACE_HEADER_SIZE = 12,     /* u32, bytes of this header */
    TRACE_HEADER_FEATURES = 16, /* u64 */
    TRACE_HEADER_CHECK = 24,    /* u64, xxh3-64 of bytes 0..23 */
    TRACE_HEADER_BYTES = 32,
};

/* A high byte, a line end of each kind and an end-of-file character show a
 * file that was copied as text. */
#define TRACE_MAGIC "\x8bSONDE\r\n"

/* Feature mask. A reader must refuse a file that has a bit of the high half
 * that it does not know; bits of the low half only tell what is inside. */
#define TRACE_FEATURE_KERNELS      (UINT64_C(1) << 0)
#define TRACE_FEATURE_DISPATCHES   (UINT64_C(1) << 1)
#define TRACE_FEATURE_BLOCK_COUNTS (UINT64_C(1) << 2)
#define TRACE_FEATURE_LOSSES       (UINT64_C(1) << 3)
#define TRACE_FEATURE_MESSAGES     (UINT64_C(1) << 4)
#define TRACE_FEATURE_CALLS        (UINT64_C(1) << 16)
#define TRACE_FEATURE_RECORDS      (UINT64_C(1) << 8)
#define TRACE_FEATURE_MUST_KNOW    (UINT64_C(0xffffffff) << 32)

/* Section header. */
enum {
    TRACE_SECTION_MAGIC = 0,         /* u32 */
    TRACE_SECTION_KIND = 4,          /* u16, enum trace_kind */
    TRACE_SECTION_FLAGS = 6,         /* u16 */
    TRACE_SECTION_STORED = 8,        /* u32, bytes that follow this header */
    TRACE_SECTION_RAW = 12,          /* u32, bytes after decompression */
    TRACE_SECTION_SEQUENCE = 16,     /* u32, 0 for the first section of the file */
    TRACE_SECTION_HEADER_CHECK = 20, /* u32, low half of xxh3-64 of bytes 0..19 */
    TRACE_SECTION_CHECK = 24,        /* u64, xxh3-64 of the stored bytes */
    TRACE_SECTION_BYTES = 32,
};

#define TRACE_SECTION_MAGIC_VALUE 0x444e4f53u /* "SOND" in the file */
#define TRACE_FLAG_ZSTD           1u
/* Largest section payload, raw or stored. */
#define TRACE_SECTION_LIMIT (64u << 20)

enum trace_kind {
    TRACE_KIND_PROCESS = 1,
    TRACE_KIND_KERNEL = 2,
    TRACE_KIND_DISPATCH = 3,
    TRACE_KIND_BLOCK_COUNTS = 4,
    TRACE_KIND_LOSS = 5,
    TRACE_KIND_MESSAGE = 6,
    TRACE_KIND_END = 7,
    TRACE_KIND_FIRMWARE = 20,
    TRACE_KIND_CALLS = 21,
    TRACE_KIND_FIRMWARE_END = 22,
    TRACE_KIND_RECORD_LAYOUT = 16,
    TRACE_KIND_RECORDS = 17, /* holds a zstd frame of its own: read when asked for */
    TRACE_KIND_RECORD_TOTALS = 18,
    TRACE_KIND_COUNTERS = 19,
    TRACE_KIND_ARGUMENTS = 32,
    TRACE_KIND_BUFFERS = 33,
};

#define TRACE_DISPATCH_INSTRUMENTED 1u
#define TRACE_DISPATCH_COMPLETE     2u
#define TRACE_BLOCK_ENTRY           1u
#define TRACE_BLOCK_EOT             2u
#define TRACE_KERNEL_HAS_HEAP       1u
#define TRACE_KERNEL_HAS_REFUSAL    2u
#define TRACE_KERNEL_HAS_DEBUG      4u
#define TRACE_BLOCK_RECORD_BYTES    16u
#define TRACE_LAYOUT_BLOCK_BYTES    12u
#define TRACE_LAYOUT_ITEM_BYTES     28u
#define TRACE_POINT_AFTER           1u
#define TRACE_COUNTER_BYTES         16u
#define TRACE_ARGUMENT_BYTES        24u /* with an empty name */
#define TRACE_BUFFER_BYTES          20u

#define TRACE_SYMBOL_FUNCTION      1u
#define TRACE_SYMBOL_MINIMUM_BYTES 16u /* with an empty name */
#define TRACE_FIRMWARE_EXTENDED    1u
#define TRACE_FIRMWARE_END_FAULT   1u
#define TRACE_CALL_BYTES           19u /* an event, all columns together */
#define TRACE_CALL_LIMIT           65536u

#endif
