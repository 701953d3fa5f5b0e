/* The emulated Intel GPU around the execution units: TBX server, page tables,
 * ring, commands, dispatch. */
#ifndef SONDE_DEVICE_DEVICE_H
#define SONDE_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "sonde/status.h"

/* One device model (a row of the device table). */
struct device_model {
    const char *name; /* "skl" */
    const char *description;
    /* Environment that points the Intel OpenCL driver at a server of this
     * model: NAME=VALUE strings without the port, NULL-terminated. */
    const char *const *environment;
};

/* NULL when no such model. Iterate with device_model_at (NULL at the end). */
const struct device_model *device_model_find(const char *name);
const struct device_model *device_model_at(unsigned index);

struct device_server_options {
    const struct device_model *model;
    uint16_t port;             /* 0 = any free port on 127.0.0.1 */
    uint32_t host_threads;     /* worker threads of the emulator, 0 = one a core */
    uint64_t max_instructions; /* per dispatch, 0 = default limit */
    bool timing;               /* the time model (doc/timing-model.md) */
    bool events;               /* the ground truth has each thread's way, and its messages */
    bool check;                /* stop at registers misused, see emu/gen/check.h */
    const char *truth_path;    /* ground-truth file to write, NULL = none */
    int log_fd;                /* faults and warnings, one line each, -1 = none */
};

/* A server of one device for the application processes on this machine. Each
 * process that connects has a GPU address space of its own, found by the owner
 * of the socket (/proc); connections whose owner cannot be read share one, and
 * a warning says so. Dispatches run when they are submitted, before the next
 * request of their connection is read.
 *
 * The driver (22.43) has no way to hear of a fault over TBX. A dispatch that
 * faults, or a command that is not known, is logged and counted, and its
 * completion is signalled all the same, so that the application goes on with
 * whatever the dispatch had stored until then: look at `faults` of the totals.
 * Where completion cannot be signalled (a batch that is not mapped, memory
 * beyond three quarters of the machine's) the connection is closed, upon which
 * the application dies of SIGPIPE. */
struct device_server;

/* Bind and listen on loopback; *port receives the port. SONDE_ERROR_IO with a
 * message when the port is in use. */
enum sonde_status device_server_create(const struct device_server_options *options,
                                       struct device_server **server, uint16_t *port,
                                       struct sonde_error *error);
/* Serve connections until device_server_stop is called from a signal handler
 * or another thread (it only writes to a pipe). Returns when every connection
 * is closed or stopped. */
enum sonde_status device_server_run(struct device_server *server, struct sonde_error *error);
void device_server_stop(struct device_server *server);
/* Totals over the server's life, for the exit summary. */
struct device_server_totals {
    uint64_t dispatches;
    uint64_t instructions;
    uint64_t faults;
    uint64_t cycles;      /* of the time model over all dispatches, 0 when it is off */
    uint64_t nanoseconds; /* host time spent emulating dispatches */
};
void device_server_read_totals(const struct device_server *server,
                               struct device_server_totals *totals);
void device_server_destroy(struct device_server *server);

#endif
