/* The buffers that a dispatch's arguments name, for its memory accesses. */
#ifndef SONDE_ANALYZE_BUFFERS_H
#define SONDE_ANALYZE_BUFFERS_H

#include "analyze/records.h"

#define ANALYZE_NO_ARGUMENT SIZE_MAX

struct analyze_extent {
    uint64_t address; /* 0 = not known */
    uint64_t size;    /* UINT64_MAX = not known */
};

struct analyze_buffers {
    const struct sonde_trace *trace;
    /* Of the dispatch at hand. */
    uint32_t dispatch;
    const struct sonde_trace_arguments *arguments; /* NULL: not known */
    struct analyze_extent *extents;                /* by place in arguments->items */
    size_t capacity;
    uint64_t slm_size;   /* bytes of a work-group, UINT64_MAX = not known */
    bool has_addresses;  /* the pointers were recorded */
    bool has_all;        /* every pointer's address and size are known */
    bool overlap;        /* an address may be in two of them */
    bool looks_for_them; /* registers with pointers are still to come */
};

/* Start with `dispatch` UINT32_MAX; free with analyze_buffers_clear. */
void analyze_buffers_clear(struct analyze_buffers *buffers);
/* Call with every visit, before what it accesses is asked for. False without memory. */
bool analyze_buffers_see(struct analyze_buffers *buffers, const struct analyze_visit *visit);
/* Place of the argument whose buffer the message goes to; for messages to
 * addresses that around `address`. ANALYZE_NO_ARGUMENT: none, or not known. */
size_t analyze_buffers_find(const struct analyze_buffers *buffers,
                            const struct sonde_gen_message *message, uint64_t address);
/* Its name, or "argument N"; "" for none. */
void analyze_buffers_name(const struct analyze_buffers *buffers, size_t argument, char *name,
                          size_t size);

#endif
