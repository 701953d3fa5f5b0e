/* A directory for the runs of one test program, and what stands in them. */
#ifndef TESTS_TRACE_FIXTURE_H
#define TESTS_TRACE_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "sonde/trace.h"

/* Setup and teardown of a group of tests. */
int fixture_begin(void **state);
int fixture_end(void **state);
/* A path in the directory, "" itself; lasts until the fourth call behind this one. */
char *fixture_path(const char *name);
/* A run of the sample (sample.h) with so many dispatches. */
void fixture_write(const char *directory, uint32_t dispatches);
/* The path of the one file of a run, and its bytes; malloc'ed. */
void fixture_file(const char *directory, char path[512]);
uint8_t *fixture_read(const char *directory, size_t *size);
/* Whatever is there of a sample is what was written. */
void fixture_check_kernel(const struct sonde_trace_kernel *got, uint32_t id);
void fixture_check_subset(const struct sonde_trace *trace, uint32_t dispatches);

#endif
