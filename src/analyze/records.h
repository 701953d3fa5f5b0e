/* Walking over the records of a run, a stretch in memory at a time. */
#ifndef SONDE_ANALYZE_RECORDS_H
#define SONDE_ANALYZE_RECORDS_H

#include "analyze/analyze.h"
#include "base/bytes.h"
#include "sonde/gen_message.h"

/* One visit of a block by a hardware thread, or the start of a thread. */
struct analyze_visit {
    const struct sonde_trace_kernel *kernel;
    const struct sonde_record_layout *layout;
    uint32_t dispatch;
    uint32_t block;
    bool starts_thread;
    uint32_t thread;     /* sr0.0 */
    uint32_t enabled;    /* channels: by control flow, and that exist */
    uint32_t dispatched; /* channels that exist */
    uint32_t flags[2];
    uint64_t time;
    uint64_t position; /* byte in the dispatch's records */
    const uint8_t *record;
};

typedef enum sonde_status analyze_visitor(const struct analyze_visit *visit, void *context,
                                          struct sonde_error *error);

/* Which records of a run. What the index of a stretch excludes is not read. */
struct analyze_selection {
    const struct analyze_matcher *matcher; /* of kernels, NULL = any */
    bool has_dispatch, has_thread;
    uint32_t dispatch;
    uint32_t thread;                /* sr0.0 */
    uint64_t time_first, time_last; /* inclusive; 0 and UINT64_MAX = any */
};
/* Call `visitor` for every record that is selected, as below. */
enum sonde_status analyze_records_select(const struct sonde_trace *trace,
                                         const struct analyze_selection *selection,
                                         analyze_visitor *visitor, void *context,
                                         struct sonde_error *error);

/* Call `visitor` for every record of the kernels that match, in the order of
 * dispatches and space. Ends at the first failure. SONDE_ERROR_FORMAT when
 * records are not what their layout says. */
enum sonde_status analyze_records_walk(const struct sonde_trace *trace,
                                       const struct analyze_matcher *matcher,
                                       analyze_visitor *visitor, void *context,
                                       struct sonde_error *error);

/* Bytes of records that dispatches made and that are not in the trace (lost in
 * a damaged file), of all dispatches. */
uint64_t analyze_records_missing(const struct sonde_trace *trace);

/* The item at `index` of a visit and its bytes. */
static inline uint32_t analyze_visit_item_count(const struct analyze_visit *visit)
{
    return visit->layout->blocks[visit->block].item_count;
}

static inline const struct sonde_record_item *
analyze_visit_item(const struct analyze_visit *visit, uint32_t index, const uint8_t **data)
{
    const struct sonde_record_item *item =
        &visit->layout->items[visit->layout->blocks[visit->block].first_item + index];
    *data = visit->record + item->offset;
    return item;
}

/* --- memory accesses ------------------------------------------------------------ */

#define ANALYZE_CHANNELS 32u

/* What one message accessed. */
struct analyze_access {
    uint32_t instruction;
    const struct sonde_gen_message *message; /* in the code */
    uint32_t mask;                           /* bit c: address[c] was accessed; blocks: bit 0 */
    uint32_t width;                          /* bytes at each address */
    /* So many channels acted, side by side, and from one to the next the address goes
     * `step` up, without going around; 0: not so. */
    uint32_t even;
    int64_t step;
    uint64_t address[ANALYZE_CHANNELS]; /* of an even access only that of the first which acted: see
                                           below */
};

/* The address of a channel that acted. */
static inline uint64_t analyze_access_address(const struct analyze_access *access, uint32_t channel)
{
    if (access->even == 0)
        return access->address[channel];
    return access->address[0] +
           (uint64_t)access->step * (channel - (uint32_t)__builtin_ctz(access->mask));
}

/* Channels that acted. */
static inline uint32_t analyze_access_lanes(const struct analyze_access *access)
{
    return access->even != 0 ? access->even : (uint32_t)__builtin_popcount(access->mask);
}

/* The lowest and the highest address of an access in which a channel acts. */
static inline void analyze_access_ends(const struct analyze_access *access, uint64_t *lowest,
                                       uint64_t *highest)
{
    uint64_t low = access->address[0];
    uint64_t high = low + (uint64_t)access->step * (access->even - 1);
    if (access->even == 0) {
        low = UINT64_MAX;
        high = 0;
        for (uint32_t left = access->mask; left != 0; left &= left - 1) {
            uint64_t address = access->address[__builtin_ctz(left)];
            low = address < low ? address : low;
            high = address > high ? address : high;
        }
    }
    *lowest = low < high ? low : high;
    *highest = low < high ? high : low;
}

/* What is known of a message before it is executed. */
struct analyze_message {
    struct sonde_gen_message message;
    bool is_message; /* and it could be decoded */
    bool is_access;  /* to bytes of memory */
    bool is_block;   /* one address for all channels */
    uint32_t width;  /* bytes at each address */
    uint32_t window; /* a bit for each channel */
    uint8_t channel_offset;
    bool no_mask;
};

/* How an item of a record is to be read; by place in the layout. */
struct analyze_reading {
    const struct analyze_message *message; /* NULL: it is no access */
    uint32_t mask_offset; /* of the dword with its instruction's channels, 0 = the header's */
    uint32_t row;         /* for the user; UINT32_MAX at first */
};

/* The instructions of a kernel, decoded; messages where there are any. */
struct analyze_code {
    const struct sonde_trace_kernel *kernel;
    struct sonde_gen_instruction *instructions;
    struct analyze_message *messages; /* by instruction */
    struct analyze_reading *steps;    /* NULL without records */
    size_t count;
};

/* The code of each kernel of a trace, decoded once. Zero-initialise. */
struct analyze_codes {
    struct analyze_code *items; /* by id of the kernel */
    size_t count;
};
/* The code of the kernel that a visit is of; NULL with an error. */
struct analyze_code *analyze_codes_get(struct analyze_codes *codes,
                                       const struct analyze_visit *visit,
                                       struct sonde_error *error);
void analyze_codes_clear(struct analyze_codes *codes);
static inline struct analyze_reading *analyze_visit_step(const struct analyze_code *code,
                                                         const struct analyze_visit *visit,
                                                         uint32_t item)
{
    return &code->steps[visit->layout->blocks[visit->block].first_item + item];
}

enum sonde_status analyze_code_open(const struct sonde_trace_kernel *kernel,
                                    const struct sonde_record_layout *layout,
                                    struct analyze_code *code, struct sonde_error *error);
void analyze_code_close(struct analyze_code *code);

/* Fill in what `instruction` accesses, if it does. */
void analyze_message_read(const struct sonde_gen_instruction *instruction,
                          struct analyze_message *message);
/* Channels that the instruction of an item acted on, bit 0 its own first one. */
static inline uint32_t analyze_visit_channels(const struct analyze_code *code,
                                              const struct analyze_visit *visit, uint32_t item)
{
    const struct analyze_reading *step = analyze_visit_step(code, visit, item);
    uint32_t place = visit->layout->blocks[visit->block].first_item + item;
    const struct sonde_gen_instruction *instruction =
        &code->instructions[visit->layout->items[place].point.instruction];
    uint32_t mask = instruction->no_mask ? UINT32_MAX : visit->enabled;
    if (step->mask_offset != 0)
        mask = base_load32(visit->record + step->mask_offset);
    return mask >> instruction->channel_offset;
}

/* The access that an ADDRESSES item of a visit tells of. False when the message has
 * no addresses of bytes (images). Channels are masked by the visit, or by the
 * MASK item of the same instruction. */
bool analyze_access_read(const struct analyze_code *code, const struct analyze_visit *visit,
                         uint32_t item, struct analyze_access *access);

#endif
