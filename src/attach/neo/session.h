/* What the attach library knows in one process.
 *
 * One lock guards everything here. It is never held while a driver service is
 * called: the driver calls us with locks of its own held, and takes those
 * inside its services. A failure in here never reaches the program; it becomes
 * a message in the trace. */
#ifndef SONDE_ATTACH_NEO_SESSION_H
#define SONDE_ATTACH_NEO_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/neo/filter.h"
#include "attach/neo/gtpin.h"
#include "profile/trace.h"
#include "sonde/kernel.h"
#include "sonde/trace.h"
#include "tools/host.h"

struct attach_kernel {
    uint32_t id; /* in the trace */
    char *name;
    struct sonde_trace_kernel record; /* heap and code stay ours for good */
    struct sonde_kernel *model;       /* NULL: could not be read */
    void *states[TOOLS_LIMIT];
    char *notes;          /* lines of tools, to be said once; NULL none */
    uint32_t buffer_size; /* of the profile buffer, 0 = not instrumented; records come behind */
    struct profile_trace *trace;            /* NULL: no records are made */
    struct sonde_trace_arguments arguments; /* none when they are not known */
    struct tools_mapping *mappings;
    size_t mapping_count;
    uint32_t written_by; /* session.generation that has it in its trace, 0 none */
};

/* A buffer of one context, idle between dispatches. */
struct attach_buffer {
    struct attach_buffer *next;
    gtpin_handle context;
    gtpin_handle resource;
    uint8_t *memory;
    uint32_t size;
    uint8_t *shared; /* with the emulated device, of `size` bytes; NULL none */
    int shared_file;
};

struct attach_dispatch {
    struct attach_dispatch *next;
    gtpin_handle command_buffer;
    struct attach_kernel *kernel;
    struct attach_buffer *buffer; /* NULL when not instrumented */
    void *queue;                  /* NULL when the enqueue call was not seen */
    void *cl_kernel;
    uint64_t submit_time;
    uint64_t sequence;  /* ascending over the process, from 1 */
    uint32_t parts;     /* dispatches that the device makes of it, 0 not known */
    const char *loss;   /* why it is not instrumented although selected, or NULL */
    uint64_t predicted; /* bytes of records, by a count; UINT64_MAX = not counted */
    uint64_t wanted;    /* bytes of records that there should be space for */
    bool is_stored;     /* `wanted` is what an earlier run made */
    enum profile_trace_mode mode;
    uint32_t buffer_size; /* with the space for records */
    bool dry;             /* counts records for the dispatch behind it, and is none itself */
    uint64_t *counted;    /* dry: where the bytes of records go at its end, or NULL */
    uint32_t id;          /* in the trace, once announced */
    bool instrumented;
    bool announced;                   /* has its id, and a record in the trace */
    struct sonde_trace_buffer *bound; /* to its arguments */
    size_t bound_count;
    uint64_t unwritten; /* records that did not get into the trace */
    bool drains;        /* its records are taken while it runs */
    bool is_active;     /* ... by the thread for that */
    struct profile_drain drain;
    bool finished;  /* results taken, or given up */
    bool forgotten; /* no longer in the driver's list */
};

struct attach_context {
    struct attach_context *next;
    gtpin_handle handle;
    struct gtpin_platform platform;
};

/* Bytes of records that a dispatch of a kernel binary made in an earlier run. */
struct attach_known {
    uint64_t hash;
    uint64_t bytes;
};

struct attach_session {
    /* Fixed once attached. */
    struct gtpin_services services;
    struct gtpin_igc_init igc_init;
    struct attach_filter filter;
    struct tools_set tools;
    struct schema schema; /* of the tool `schema` */
    bool original_mode;
    bool unmodified_registers;
    bool stateless;             /* inserted code uses 64-bit addresses */
    bool drains;                /* the host empties the buffer of a running kernel */
    bool windows;               /* ... between ranges of its work-groups */
    bool sized;                 /* count the records of each dispatch before they are made */
    uint64_t maximum_records;   /* bytes, a dispatch */
    uint64_t default_records;   /* of those that were not counted */
    struct attach_known *known; /* sizes from an earlier run */
    size_t known_count;
    bool emulated; /* the device is behind the driver's socket */
    char *tools_list;
    /* Under the lock. */
    struct sonde_trace_writer *writer;
    uint32_t generation; /* of the writer: a forked child makes a new one */
    bool closed;
    bool writer_failed;
    char *driver_name; /* for the header */
    char *device_name;
    uint64_t clock_frequency;
    struct attach_context *contexts;
    struct attach_kernel **kernels;
    size_t kernel_count, kernel_capacity;
    struct attach_dispatch *first, **last; /* submitted, in order */
    struct attach_buffer *idle, *retired;
    uint32_t next_dispatch;
    uint64_t selected_dispatches;
};

extern struct attach_session attach_session;

/* Read the environment; once. False when the library is not switched on. */
bool attach_session_start(void);
/* It was started, and is switched on. */
bool attach_session_is_on(void);
/* False in the thread that is inside already (a tool that calls OpenCL, a
 * signal handler that leaves the program): do nothing then. */
bool attach_session_lock(void);
void attach_session_unlock(void);
/* The rest is called with the lock held. */
/* The trace, opened when it is first needed; NULL when that failed. */
struct sonde_trace_writer *attach_session_writer(void);
void attach_session_message(const char *format, ...) SONDE_PRINTF(1, 2);
void attach_session_close(void);
uint64_t attach_session_now(void);

#endif
