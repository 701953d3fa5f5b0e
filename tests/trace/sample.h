/* A small trace with every record kind in it. */
#ifndef TESTS_TRACE_SAMPLE_H
#define TESTS_TRACE_SAMPLE_H

#include "sonde/trace.h"

#define SAMPLE_BLOCKS       3u
#define SAMPLE_INSTRUCTIONS 6u
#define SAMPLE_RECORD_BYTES 160u

/* Kernel `id` of the sample; the arrays are static. */
struct sonde_trace_kernel sample_kernel(uint32_t id);
struct sonde_trace_header sample_header(void);
uint64_t sample_count(uint32_t dispatch, uint32_t block);
/* The layout of kernel 0's records, and those of a dispatch: a thread's start,
 * a visit of block 0 and one of block 1. */
struct sonde_record_layout sample_layout(void);
void sample_records(uint32_t dispatch, uint8_t data[SAMPLE_RECORD_BYTES]);
/* Two kernels (the second refused), `dispatches` dispatches of the first, the
 * last one incomplete with a loss, one message. Returns the first failure. */
enum sonde_status sample_write(struct sonde_trace_writer *writer, uint32_t dispatches,
                               struct sonde_error *error);

#endif
