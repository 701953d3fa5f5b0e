#include "sonde/trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "trace/arguments.h"
#include "trace/calls.h"
#include "trace/directory.h"
#include "trace/encode.h"
#include "trace/file.h"
#include "trace/format.h"
#include "trace/records.h"

/* Smaller payloads cost more to compress than they save. */
#define TRACE_COMPRESS_FROM 256u
#define TRACE_ZSTD_LEVEL    1

struct sonde_trace_writer {
    struct trace_file file;
    ZSTD_CCtx *compressor;
    struct trace_buffer payload; /* reused */
    struct trace_buffer section; /* reused */
    uint32_t sequence;
    uint64_t dropped; /* sections that could not be written */
    uint64_t calls;   /* call events handed over so far, lost ones too */
};

static void store_section_header(uint8_t *header, enum trace_kind kind, uint16_t flags,
                                 size_t stored, size_t raw, uint32_t sequence)
{
    base_store32(header + TRACE_SECTION_MAGIC, TRACE_SECTION_MAGIC_VALUE);
    base_store16(header + TRACE_SECTION_KIND, (uint16_t)kind);
    base_store16(header + TRACE_SECTION_FLAGS, flags);
    base_store32(header + TRACE_SECTION_STORED, (uint32_t)stored);
    base_store32(header + TRACE_SECTION_RAW, (uint32_t)raw);
    base_store32(header + TRACE_SECTION_SEQUENCE, sequence);
    base_store32(header + TRACE_SECTION_HEADER_CHECK,
                 (uint32_t)XXH3_64bits(header, TRACE_SECTION_HEADER_CHECK));
    base_store64(header + TRACE_SECTION_CHECK, XXH3_64bits(header + TRACE_SECTION_BYTES, stored));
}

/* The payload, compressed where that is shorter, behind a section header in
 * writer->section. */
static enum sonde_status build_section(struct sonde_trace_writer *writer, enum trace_kind kind,
                                       struct sonde_error *error)
{
    const struct trace_buffer *payload = &writer->payload;
    if (payload->failed || payload->size > TRACE_SECTION_LIMIT)
        return sonde_error_set(error, SONDE_ERROR_RANGE, writer->file.size,
                               "a trace record is larger than %u MiB or memory ran out",
                               TRACE_SECTION_LIMIT >> 20);
    writer->section.size = 0;
    writer->section.failed = false;
    size_t bound = ZSTD_compressBound(payload->size);
    uint8_t *place = trace_buffer_grow(&writer->section, TRACE_SECTION_BYTES + bound);
    if (place == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for a trace record");
    size_t stored = payload->size;
    uint16_t flags = 0;
    bool packs = kind != TRACE_KIND_RECORDS && payload->size >= TRACE_COMPRESS_FROM;
    if (packs && writer->compressor != NULL) {
        size_t packed = ZSTD_compressCCtx(writer->compressor, place + TRACE_SECTION_BYTES, bound,
                                          payload->data, payload->size, TRACE_ZSTD_LEVEL);
        if (!ZSTD_isError(packed) && packed < payload->size) {
            stored = packed;
            flags = TRACE_FLAG_ZSTD;
        }
    }
    if (flags == 0 && stored > 0)
        memcpy(place + TRACE_SECTION_BYTES, payload->data, stored);
    store_section_header(place, kind, flags, stored, payload->size, writer->sequence);
    writer->section.size = TRACE_SECTION_BYTES + stored;
    return SONDE_OK;
}

static void begin_payload(struct sonde_trace_writer *writer)
{
    writer->payload.size = 0;
    writer->payload.failed = false;
}

static enum sonde_status write_section(struct sonde_trace_writer *writer, enum trace_kind kind,
                                       struct sonde_error *error)
{
    enum sonde_status status = build_section(writer, kind, error);
    if (status == SONDE_OK)
        status =
            trace_file_append(&writer->file, writer->section.data, writer->section.size, error);
    /* A hole in the numbers shows the reader that something is missing. */
    writer->sequence++;
    if (status != SONDE_OK)
        writer->dropped++;
    return status;
}

static enum sonde_status write_file_header(struct sonde_trace_writer *writer,
                                           struct sonde_error *error)
{
    uint8_t header[TRACE_HEADER_BYTES];
    memcpy(header + TRACE_HEADER_MAGIC, TRACE_MAGIC, 8);
    base_store32(header + TRACE_HEADER_VERSION, TRACE_VERSION);
    base_store32(header + TRACE_HEADER_SIZE, TRACE_HEADER_BYTES);
    base_store64(header + TRACE_HEADER_FEATURES, TRACE_FEATURE_KERNELS | TRACE_FEATURE_DISPATCHES |
                                                     TRACE_FEATURE_BLOCK_COUNTS |
                                                     TRACE_FEATURE_LOSSES | TRACE_FEATURE_MESSAGES |
                                                     TRACE_FEATURE_CALLS | TRACE_FEATURE_RECORDS);
    base_store64(header + TRACE_HEADER_CHECK, XXH3_64bits(header, TRACE_HEADER_CHECK));
    return trace_file_append(&writer->file, header, sizeof header, error);
}

static void free_writer(struct sonde_trace_writer *writer)
{
    trace_file_close(&writer->file);
    ZSTD_freeCCtx(writer->compressor);
    trace_buffer_clear(&writer->payload);
    trace_buffer_clear(&writer->section);
    free(writer);
}

enum sonde_status sonde_trace_writer_create(const char *directory,
                                            const struct sonde_trace_header *header,
                                            struct sonde_trace_writer **writer,
                                            struct sonde_error *error)
{
    *writer = NULL;
    if (directory == NULL || directory[0] == '\0')
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no run directory named");
    enum sonde_status status = trace_directory_ensure(directory, error);
    if (status != SONDE_OK)
        return status;
    struct sonde_trace_writer *made = calloc(1, sizeof *made);
    if (made == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    made->file.fd = -1;
    made->compressor = ZSTD_createCCtx(); /* NULL only means uncompressed sections */
    status = trace_file_create(&made->file, directory, error);
    if (status == SONDE_OK)
        status = write_file_header(made, error);
    if (status == SONDE_OK) {
        struct sonde_trace_header copy = *header;
        copy.writer = SONDE_VERSION;
        trace_encode_process(&made->payload, &copy);
        status = write_section(made, TRACE_KIND_PROCESS, error);
    }
    if (status != SONDE_OK) {
        free_writer(made);
        return status;
    }
    *writer = made;
    return SONDE_OK;
}

enum sonde_status sonde_trace_write_kernel(struct sonde_trace_writer *writer,
                                           const struct sonde_trace_kernel *kernel,
                                           struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_kernel(&writer->payload, kernel);
    return write_section(writer, TRACE_KIND_KERNEL, error);
}

enum sonde_status sonde_trace_write_dispatch(struct sonde_trace_writer *writer,
                                             const struct sonde_trace_dispatch *dispatch,
                                             struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_dispatch(&writer->payload, dispatch);
    return write_section(writer, TRACE_KIND_DISPATCH, error);
}

enum sonde_status sonde_trace_write_block_counts(struct sonde_trace_writer *writer,
                                                 const struct sonde_trace_block_counts *counts,
                                                 struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_block_counts(&writer->payload, counts);
    return write_section(writer, TRACE_KIND_BLOCK_COUNTS, error);
}

enum sonde_status sonde_trace_write_loss(struct sonde_trace_writer *writer,
                                         const struct sonde_trace_loss *loss,
                                         struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_loss(&writer->payload, loss);
    return write_section(writer, TRACE_KIND_LOSS, error);
}

enum sonde_status sonde_trace_write_message(struct sonde_trace_writer *writer, const char *text,
                                            struct sonde_error *error)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct sonde_trace_message message = {
        .time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
        .text = text,
    };
    begin_payload(writer);
    trace_encode_message(&writer->payload, &message);
    return write_section(writer, TRACE_KIND_MESSAGE, error);
}

enum sonde_status sonde_trace_write_firmware(struct sonde_trace_writer *writer,
                                             const struct sonde_trace_firmware *firmware,
                                             struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_firmware(&writer->payload, firmware);
    return write_section(writer, TRACE_KIND_FIRMWARE, error);
}

enum sonde_status sonde_trace_write_calls(struct sonde_trace_writer *writer,
                                          const struct sonde_trace_call *calls, size_t count,
                                          struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_calls(&writer->payload, calls, count, writer->calls);
    writer->calls += count;
    return write_section(writer, TRACE_KIND_CALLS, error);
}

enum sonde_status sonde_trace_write_firmware_end(struct sonde_trace_writer *writer,
                                                 const struct sonde_trace_firmware_end *end,
                                                 struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_firmware_end(&writer->payload, end, writer->calls);
    return write_section(writer, TRACE_KIND_FIRMWARE_END, error);
}

enum sonde_status sonde_trace_write_counters(struct sonde_trace_writer *writer,
                                             const struct sonde_trace_counters *counters,
                                             struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_counters(&writer->payload, counters);
    return write_section(writer, TRACE_KIND_COUNTERS, error);
}

enum sonde_status sonde_trace_write_arguments(struct sonde_trace_writer *writer,
                                              const struct sonde_trace_arguments *arguments,
                                              struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_arguments(&writer->payload, arguments);
    return write_section(writer, TRACE_KIND_ARGUMENTS, error);
}

enum sonde_status sonde_trace_write_buffers(struct sonde_trace_writer *writer,
                                            const struct sonde_trace_buffers *buffers,
                                            struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_buffers(&writer->payload, buffers);
    return write_section(writer, TRACE_KIND_BUFFERS, error);
}

enum sonde_status sonde_trace_write_record_layout(struct sonde_trace_writer *writer,
                                                  uint32_t kernel,
                                                  const struct sonde_record_layout *layout,
                                                  struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_record_layout(&writer->payload, kernel, layout);
    return write_section(writer, TRACE_KIND_RECORD_LAYOUT, error);
}

enum sonde_status sonde_trace_write_records(struct sonde_trace_writer *writer,
                                            const struct sonde_trace_records *records,
                                            struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_records(&writer->payload, records, writer->compressor);
    return write_section(writer, TRACE_KIND_RECORDS, error);
}

enum sonde_status sonde_trace_write_record_totals(struct sonde_trace_writer *writer,
                                                  const struct sonde_trace_record_totals *totals,
                                                  struct sonde_error *error)
{
    begin_payload(writer);
    trace_encode_record_totals(&writer->payload, totals);
    return write_section(writer, TRACE_KIND_RECORD_TOTALS, error);
}

enum sonde_status sonde_trace_writer_close(struct sonde_trace_writer *writer,
                                           struct sonde_error *error)
{
    if (writer == NULL)
        return SONDE_OK;
    begin_payload(writer);
    trace_encode_end(&writer->payload, writer->sequence, writer->dropped);
    enum sonde_status status = write_section(writer, TRACE_KIND_END, error);
    free_writer(writer);
    return status;
}
