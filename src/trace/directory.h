/* Run directories. */
#ifndef SONDE_TRACE_DIRECTORY_H
#define SONDE_TRACE_DIRECTORY_H

#include <stdbool.h>

#include "sonde/status.h"

/* `name` is a file name that this format puts into a run directory. */
bool trace_directory_owns(const char *name);
/* The open directory has the mark of a run. */
bool trace_directory_is_marked(int directory);
/* Make `directory` with its mark when there is none yet. */
enum sonde_status trace_directory_ensure(const char *directory, struct sonde_error *error);

#endif
