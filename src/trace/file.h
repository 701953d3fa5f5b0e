/* An append-only file inside a process that is not ours. */
#ifndef SONDE_TRACE_FILE_H
#define SONDE_TRACE_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "sonde/status.h"

struct trace_file {
    int fd; /* -1 when closed */
    dev_t device;
    ino_t inode;
    pid_t owner;
    uint64_t size; /* bytes known to be whole */
    char *path;    /* absolute, malloc'ed */
};

/* Make a new file "process-PID.sonde" (or "process-PID-N.sonde" when a process
 * of that id wrote already: exec keeps the id) in `directory`. */
enum sonde_status trace_file_create(struct trace_file *file, const char *directory,
                                    struct sonde_error *error);
/* Append all of `data`, or nothing: after a failure the file is cut back to
 * what it was. */
enum sonde_status trace_file_append(struct trace_file *file, const uint8_t *data, size_t size,
                                    struct sonde_error *error);
void trace_file_close(struct trace_file *file);

#endif
