/* Section payloads: the public structs as bytes. */
#ifndef SONDE_TRACE_ENCODE_H
#define SONDE_TRACE_ENCODE_H

#include "sonde/trace.h"

/* Growable bytes. A failed buffer stays failed, so that an encoder checks once. */
struct trace_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
};

/* `count` more bytes, uninitialised; NULL when out of memory. */
uint8_t *trace_buffer_grow(struct trace_buffer *buffer, size_t count);
void trace_buffer_clear(struct trace_buffer *buffer);
/* A little-endian number at the end. */
void trace_put16(struct trace_buffer *buffer, uint16_t value);
void trace_put32(struct trace_buffer *buffer, uint32_t value);
void trace_put64(struct trace_buffer *buffer, uint64_t value);

void trace_encode_process(struct trace_buffer *buffer, const struct sonde_trace_header *header);
void trace_encode_kernel(struct trace_buffer *buffer, const struct sonde_trace_kernel *kernel);
void trace_encode_dispatch(struct trace_buffer *buffer,
                           const struct sonde_trace_dispatch *dispatch);
void trace_encode_block_counts(struct trace_buffer *buffer,
                               const struct sonde_trace_block_counts *counts);
void trace_encode_loss(struct trace_buffer *buffer, const struct sonde_trace_loss *loss);
void trace_encode_message(struct trace_buffer *buffer, const struct sonde_trace_message *message);
/* `sections` = sections written before the end section. */
void trace_encode_end(struct trace_buffer *buffer, uint64_t sections, uint64_t dropped);

#endif
