/* Device code of profile traces. */
#include "profile/array.h"
#include "profile/trace.h"

/* Flags inside a procedure; nothing of them lasts beyond its end. */
static const struct sonde_predicate is_open = {.flag_number = 0, .flag_subreg = 0};
static const struct sonde_predicate fits = {.flag_number = 0, .flag_subreg = 1};
static const struct sonde_predicate is_lost = {.flag_number = 0, .flag_subreg = 1, .inverse = true};
/* Masks of predicates over groups of channels change f0. */
static const struct sonde_predicate is_recorded = {.flag_number = 1, .flag_subreg = 0};

/* What all procedures of a kernel's trace share. Errors stick. */
struct code {
    const struct profile_trace *trace;
    struct sonde_instrument *instrument;
    struct sonde_coder *coder;
    struct sonde_procedure *procedure;
    sonde_vreg record; /* lasts through the kernel; 0: in the slots */
    /* As few as possible, since kernels that need all registers are common:
     * `data` (a whole one) serves every message in turn. */
    sonde_vreg address, offset, sum, limit, flags, data;
    enum sonde_status status;
    struct sonde_error *error;
};

/* Run a coder method unless something failed before. */
#define DO(code, call)                                                                             \
    do {                                                                                           \
        if ((code)->status == SONDE_OK)                                                            \
            (code)->status = (call);                                                               \
    } while (0)

static struct sonde_operand at(sonde_vreg vreg, uint32_t byte)
{
    return sonde_operand_vreg_at(vreg, byte);
}

static struct sonde_operand immediate(uint64_t value)
{
    return sonde_operand_immediate(value);
}

static void operation(struct code *c, enum sonde_operation what, struct sonde_operand dst,
                      struct sonde_operand a, struct sonde_operand b,
                      const struct sonde_predicate *predicate)
{
    DO(c, sonde_coder_operation(c->coder, c->procedure, what, SONDE_GEN_TYPE_UD, dst, a, b,
                                predicate, c->error));
}

static void move(struct code *c, struct sonde_operand dst, struct sonde_operand source,
                 const struct sonde_predicate *predicate)
{
    operation(c, SONDE_MOV, dst, source, source, predicate);
}

static void compare(struct code *c, const struct sonde_predicate *flag,
                    enum sonde_gen_condition condition, struct sonde_operand a,
                    struct sonde_operand b)
{
    DO(c,
       sonde_coder_cmp(c->coder, c->procedure, flag, condition, SONDE_GEN_TYPE_UD, a, b, c->error));
}

static void address_of(struct code *c, struct sonde_operand offset)
{
    DO(c, sonde_coder_compute_address(c->coder, c->procedure, c->address, offset, NULL, c->error));
}

static void begin(struct code *c, const char *name)
{
    c->procedure = sonde_procedure_create(c->coder, name);
    if (c->procedure == NULL && c->status == SONDE_OK)
        c->status = sonde_error_set(c->error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

static void compute_slot_address(struct code *c)
{
    const struct sonde_profile_array *slots = &c->trace->slots;
    DO(c,
       sonde_coder_compute_thread_chunk_address(c->coder, c->procedure, c->address, slots->buckets,
                                                slots->chunk_size, slots->base, 0, NULL, c->error));
}

/* The kernel's flags are read before anything here changes them. */
static void keep_flags(struct code *c)
{
    for (uint8_t f = 0; f < 2; f++)
        move(c, at(c->flags, 4u * f), sonde_operand_arf((uint8_t)(SONDE_GEN_ARF_FLAG | f), 0),
             NULL);
}

/* offset, sum = start and end of the record if the flag is clear, else 0, -1;
 * fits = sum <= limit. */
static void take_space(struct code *c, uint32_t size)
{
    address_of(c, immediate(PROFILE_CONTROL_OVERFLOW));
    DO(c,
       sonde_coder_load_mem_block(c->coder, c->procedure, c->address, c->data, 16, NULL, c->error));
    compare(c, &is_open, SONDE_GEN_CONDITION_Z, at(c->data, PROFILE_CONTROL_OVERFLOW),
            immediate(0));
    move(c, at(c->limit, 0), at(c->data, PROFILE_CONTROL_LIMIT), NULL);
    move(c, at(c->sum, 0), immediate(UINT32_MAX), NULL);
    move(c, at(c->data, 0), immediate(size), NULL);
    address_of(c, immediate(PROFILE_CONTROL_CURSOR));
    DO(c, sonde_coder_atomic_fetch_add(c->coder, c->procedure, c->address, at(c->data, 0), c->data,
                                       &is_open, c->error));
    operation(c, SONDE_ADD, at(c->sum, 0), at(c->data, 0), immediate(size), &is_open);
    compare(c, &fits, SONDE_GEN_CONDITION_LE, at(c->sum, 0), at(c->limit, 0));
    move(c, at(c->offset, 0), immediate(0), NULL);
    move(c, at(c->offset, 0), at(c->data, 0), &fits);
}

static void count_loss(struct code *c, uint32_t block)
{
    const struct sonde_profile_array *lost = &c->trace->lost;
    move(c, at(c->data, 0), immediate(1), NULL);
    if (c->trace->is_drained) /* one that found the flag set must not set it again */
        move(c, at(c->data, 0), immediate(0), &fits);
    address_of(c, immediate(PROFILE_CONTROL_OVERFLOW));
    if (c->trace->is_drained)
        DO(c, sonde_coder_atomic_add(c->coder, c->procedure, SONDE_GEN_TYPE_UD, c->address,
                                     at(c->data, 0), &is_open, c->error));
    else
        DO(c, sonde_coder_atomic_store(c->coder, c->procedure, SONDE_GEN_TYPE_UD, c->address,
                                       at(c->data, 0), &is_lost, c->error));
    DO(c, sonde_profile_array_compute_address(lost, c->coder, c->procedure, c->address,
                                              immediate(block), 0, c->error));
    DO(c, sonde_coder_atomic_inc(c->coder, c->procedure, SONDE_GEN_TYPE_UD, c->address, &is_lost,
                                 c->error));
}

/* Nothing more is written to a record of `size` bytes. */
static void count_done(struct code *c, uint32_t size, const struct sonde_predicate *predicate)
{
    move(c, at(c->data, 0), immediate(size), NULL);
    address_of(c, immediate(PROFILE_CONTROL_DONE));
    DO(c, sonde_coder_atomic_add(c->coder, c->procedure, SONDE_GEN_TYPE_UD, c->address,
                                 at(c->data, 0), predicate, c->error));
}

/* Space that was asked for in vain. */
static void count_misfit(struct code *c, uint32_t size)
{
    move(c, at(c->data, 0), immediate(size), NULL);
    move(c, at(c->data, 0), immediate(0), &fits);
    address_of(c, immediate(PROFILE_CONTROL_DONE));
    DO(c, sonde_coder_atomic_add(c->coder, c->procedure, SONDE_GEN_TYPE_UD, c->address,
                                 at(c->data, 0), &is_open, c->error));
}

static void collect_header(struct code *c, uint32_t block)
{
    static const struct {
        uint8_t at, arf, byte;
    } fields[] = {
        {SONDE_RECORD_THREAD, SONDE_GEN_ARF_STATE, 0},
        {SONDE_RECORD_ENABLED, SONDE_GEN_ARF_CHANNEL_ENABLE, 0},
        {SONDE_RECORD_DISPATCH, SONDE_GEN_ARF_STATE, 8},
        {SONDE_RECORD_TIME, SONDE_GEN_ARF_TIMESTAMP, 0},
        {SONDE_RECORD_TIME + 4, SONDE_GEN_ARF_TIMESTAMP, 4},
    };
    move(c, at(c->data, SONDE_RECORD_BLOCK), immediate(block), NULL);
    for (uint32_t f = 0; f < 8; f += 4)
        move(c, at(c->data, SONDE_RECORD_FLAGS + f), at(c->flags, f), NULL);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        move(c, at(c->data, fields[i].at), sonde_operand_arf(fields[i].arf, fields[i].byte), NULL);
}

static void keep_record(struct code *c)
{
    if (c->record != 0) {
        move(c, at(c->record, 0), at(c->offset, 0), NULL);
        return;
    }
    move(c, at(c->data, 0), at(c->offset, 0), NULL);
    compute_slot_address(c);
    DO(c, sonde_coder_store_mem_block(c->coder, c->procedure, c->address, c->data,
                                      PROFILE_TRACE_SLOT_BYTES, NULL, c->error));
}

/* The code at the head of a block; the start of a thread stores r0 at once. */
static void append_head(struct code *c, uint32_t block)
{
    const struct sonde_record_block *layout = &c->trace->layout.blocks[block];
    bool is_start = block + 1 == c->trace->layout.block_count;
    keep_flags(c);
    take_space(c, layout->size);
    count_loss(c, block);
    if (c->trace->is_drained)
        count_misfit(c, layout->size);
    collect_header(c, block);
    address_of(c, at(c->offset, 0));
    DO(c, sonde_coder_store_mem_block(c->coder, c->procedure, c->address, c->data,
                                      SONDE_RECORD_HEADER_BYTES, &fits, c->error));
    if (!is_start && layout->item_count != 0)
        keep_record(c);
    if (!is_start && layout->item_count == 0 && c->trace->is_drained)
        count_done(c, layout->size, &fits);
    if (!is_start)
        return;
    const struct sonde_record_item *item = &c->trace->layout.items[layout->first_item];
    DO(c, sonde_coder_compute_rel_address(c->coder, c->procedure, c->address, c->address,
                                          immediate(item->offset), NULL, c->error));
    DO(c, sonde_coder_store_reg_range(c->coder, c->procedure, c->address, item->point.first,
                                      item->point.count, &fits, c->error));
    if (c->trace->is_drained)
        count_done(c, layout->size, &fits);
}

/* is_recorded = the thread has a record, address = its item. */
static void find_item(struct code *c, const struct sonde_record_item *item)
{
    struct sonde_operand record = at(c->record, 0);
    if (c->record == 0) {
        compute_slot_address(c);
        DO(c, sonde_coder_load_mem_block(c->coder, c->procedure, c->address, c->data,
                                         PROFILE_TRACE_SLOT_BYTES, NULL, c->error));
        record = at(c->data, 0);
    }
    compare(c, &is_recorded, SONDE_GEN_CONDITION_NZ, record, immediate(0));
    operation(c, SONDE_ADD, at(c->offset, 0), record, immediate(item->offset), NULL);
    address_of(c, at(c->offset, 0));
}

static void append_item(struct code *c, const struct sonde_record_item *item)
{
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(sonde_instrument_kernel(c->instrument), item->point.instruction);
    /* The mask reads flags of the kernel: first of all. */
    if (item->point.kind == SONDE_RECORD_MASK)
        DO(c, sonde_coder_compute_simd_mask(c->coder, c->procedure, c->sum, instruction->no_mask,
                                            sonde_coder_execution_mask(instruction), instruction,
                                            NULL, c->error));
    else if (item->point.kind == SONDE_RECORD_CLOCK)
        DO(c, sonde_coder_start_timer(c->coder, c->procedure, c->sum, NULL, c->error));
    find_item(c, item);
    if (item->point.kind == SONDE_RECORD_ADDRESSES)
        DO(c, sonde_coder_store_payload_addresses(c->coder, c->procedure, c->address, instruction,
                                                  &is_recorded, c->error));
    else if (item->point.kind == SONDE_RECORD_REGISTERS)
        DO(c, sonde_coder_store_reg_range(c->coder, c->procedure, c->address, item->point.first,
                                          item->point.count, &is_recorded, c->error));
    else
        DO(c, sonde_coder_atomic_store(c->coder, c->procedure, SONDE_GEN_TYPE_UD, c->address,
                                       at(c->sum, 0), &is_recorded, c->error));
}

static void make_registers(struct code *c)
{
    struct sonde_coder *coder = c->coder;
    c->address = sonde_vreg_make_scratch(coder, SONDE_VREG_PTR);
    c->offset = sonde_vreg_make_scratch(coder, SONDE_VREG_DWORD);
    c->sum = sonde_vreg_make_scratch(coder, SONDE_VREG_DWORD);
    c->limit = sonde_vreg_make_scratch(coder, SONDE_VREG_DWORD);
    c->flags = sonde_vreg_make_scratch(coder, SONDE_VREG_QWORD);
    c->data = sonde_vreg_make_msg_data_scratch(coder, SONDE_VREG_GRF);
    c->record = sonde_vreg_make_counter(coder, SONDE_VREG_DWORD);
    if (c->data == 0 || c->record == 0)
        c->status = sonde_error_set(c->error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

/* A register for the whole kernel, or else a slot of memory a thread. */
static void choose_place_of_record(struct code *c, struct profile_trace *trace, uint32_t *end)
{
    begin(c, "hold record");
    if (c->status != SONDE_OK)
        return;
    move(c, at(c->record, 0), immediate(0), NULL);
    if (sonde_coder_reserve(c->coder, c->procedure, NULL) == SONDE_OK)
        return;
    struct sonde_gen_model model;
    sonde_coder_gen_model(c->coder, &model);
    c->record = 0;
    /* Side by side: these are not worth a cache line each. */
    *end = (*end + 63u) & ~63u;
    trace->slots = (struct sonde_profile_array){.record_size = PROFILE_TRACE_SLOT_BYTES,
                                                .records = 1,
                                                .buckets = model.maximum_thread_buckets,
                                                .chunk_size = PROFILE_TRACE_SLOT_BYTES,
                                                .base = *end};
    *end += model.maximum_thread_buckets * PROFILE_TRACE_SLOT_BYTES;
}

static bool has_items(const struct profile_trace *trace)
{
    for (size_t b = 0; b + 1 < trace->layout.block_count; b++)
        if (trace->layout.blocks[b].item_count != 0)
            return true;
    return false;
}

/* The item that is filled last: the last one of the latest place. */
static uint32_t last_item(const struct code *c, const struct sonde_record_block *layout)
{
    uint32_t last = 0;
    const struct sonde_record_point *latest = NULL;
    for (uint32_t i = 0; i < layout->item_count; i++) {
        const struct sonde_record_point *point =
            &c->trace->layout.items[layout->first_item + i].point;
        if (latest == NULL || point->instruction > latest->instruction ||
            (point->instruction == latest->instruction && point->after >= latest->after)) {
            latest = point;
            last = i;
        }
    }
    return last;
}

static void insert_block(struct code *c, uint32_t block)
{
    const struct sonde_record_block *layout = &c->trace->layout.blocks[block];
    begin(c, "record block");
    if (c->status == SONDE_OK)
        append_head(c, block);
    DO(c, sonde_instrument_block(c->instrument, block, SONDE_BEFORE, c->procedure, c->error));
    for (uint32_t i = 0; i < layout->item_count && c->status == SONDE_OK; i++) {
        const struct sonde_record_item *item = &c->trace->layout.items[layout->first_item + i];
        begin(c, sonde_record_kind_name((enum sonde_record_kind)item->point.kind));
        if (c->status == SONDE_OK)
            append_item(c, item);
        if (c->trace->is_drained && i == last_item(c, layout))
            count_done(c, layout->size, &is_recorded);
        DO(c, sonde_instrument_instruction(c->instrument, item->point.instruction,
                                           item->point.after ? SONDE_AFTER : SONDE_BEFORE,
                                           c->procedure, c->error));
    }
}

static enum sonde_status check_size(struct profile_trace *trace, uint32_t threads,
                                    struct sonde_error *error)
{
    for (size_t b = 0; b < trace->layout.block_count; b++)
        if (trace->layout.blocks[b].size > trace->largest)
            trace->largest = trace->layout.blocks[b].size;
    if ((uint64_t)trace->largest * threads <= PROFILE_TRACE_LIMIT)
        return SONDE_OK;
    return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                           "a block's record of %u bytes is too large: collect less in it",
                           trace->largest);
}

enum sonde_status profile_trace_instrument(struct sonde_record_layout *layout,
                                           struct sonde_instrument *instrument, uint32_t buckets,
                                           bool is_drained, uint32_t *end,
                                           struct profile_trace *trace, struct sonde_error *error)
{
    *trace = (struct profile_trace){.layout = *layout, .is_drained = is_drained};
    *layout = (struct sonde_record_layout){.blocks = NULL};
    struct code code = {.trace = trace,
                        .instrument = instrument,
                        .coder = sonde_instrument_coder(instrument),
                        .error = error};
    struct sonde_gen_model model;
    sonde_coder_gen_model(code.coder, &model);
    make_registers(&code);
    DO(&code, check_size(trace, model.maximum_thread_buckets, error));
    DO(&code, profile_array_place(4, (uint32_t)trace->layout.block_count, buckets, end,
                                  &trace->lost, error));
    if (code.status == SONDE_OK && has_items(trace))
        choose_place_of_record(&code, trace, end);
    *end = (*end + 63u) & ~63u;
    trace->base = *end;
    uint32_t blocks = (uint32_t)trace->layout.block_count - 1;
    begin(&code, "record start of thread");
    if (code.status == SONDE_OK)
        append_head(&code, blocks);
    DO(&code, sonde_instrument_entries(instrument, code.procedure, error));
    for (uint32_t b = 0; b < blocks && code.status == SONDE_OK; b++)
        if (trace->layout.blocks[b].size != 0)
            insert_block(&code, b);
    return code.status;
}
