/* A small recorded run with figures that can be checked by hand. */
#ifndef SONDE_TESTS_REPORT_SAMPLE_RUN_H
#define SONDE_TESTS_REPORT_SAMPLE_RUN_H

#include <stdbool.h>

#include "sonde/trace.h"

/* Write it to `directory`; with `loss` some records of it are lost. */
enum sonde_status sample_run_write(const char *directory, bool loss, struct sonde_error *error);

#endif
