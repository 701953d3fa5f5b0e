/* Whether an instruction races with one that is in flight.
 *
 * Facts: see dependency.c. */
#include "kernel/in_flight.h"

bool kernel_same_function(const struct sonde_gen_instruction *a,
                          const struct sonde_gen_instruction *b, enum sonde_gen_pipe pipe)
{
    return sonde_gen_instruction_pipe(b) == pipe &&
           (pipe != SONDE_GEN_PIPE_SEND || a->send.sfid == b->send.sfid);
}

/* Bytes that ranges of both have in common: the first run. */
static bool overlap(const struct kernel_footprints *footprints, uint32_t first_a, uint16_t count_a,
                    uint32_t first_b, uint16_t count_b, struct sonde_dependency *d)
{
    const struct kernel_range *a = &footprints->ranges[first_a];
    const struct kernel_range *b = &footprints->ranges[first_b];
    for (uint16_t n = 0, m = 0; n < count_a && m < count_b;) {
        uint16_t start = a[n].start > b[m].start ? a[n].start : b[m].start;
        uint16_t end = a[n].end < b[m].end ? a[n].end : b[m].end;
        if (start < end) {
            d->byte = start;
            d->length = (uint16_t)(end - start);
            return true;
        }
        if (a[n].end < b[m].end)
            n++;
        else
            m++;
    }
    return false;
}

/* Whether a write of the consumer may overtake a write (or a read) of an
 * in-order producer. */
static bool may_overtake(const struct sonde_kernel *kernel,
                         const struct sonde_gen_instruction *producer,
                         const struct sonde_gen_instruction *consumer, bool over_write)
{
    enum sonde_gen_pipe pipe = sonde_gen_instruction_pipe(producer);
    enum sonde_gen_pipe into = sonde_gen_instruction_pipe(consumer);
    if (sonde_gen_instruction_is_out_of_order(consumer))
        return true;
    if (kernel_counts_all_pipes(kernel))
        return over_write && pipe == SONDE_GEN_PIPE_LONG && into != SONDE_GEN_PIPE_LONG;
    return pipe != into;
}

bool kernel_is_one_sequence(const struct sonde_kernel *kernel, uint32_t producer, uint32_t consumer)
{
    if (producer >= consumer)
        return false;
    for (uint32_t n = producer; n < consumer; n++) {
        if (sonde_gen_instruction_pipe(&kernel->instructions[n]) != SONDE_GEN_PIPE_SYSTOLIC ||
            kernel->instructions[n].thread_control != SONDE_GEN_THREAD_ATOMIC)
            return false;
    }
    return sonde_gen_instruction_pipe(&kernel->instructions[consumer]) == SONDE_GEN_PIPE_SYSTOLIC;
}

/* Flags and accumulators that both touch. */
static bool overlap_small(uint8_t flags_a, uint16_t accumulators_a, uint8_t flags_b,
                          uint16_t accumulators_b, struct sonde_dependency *d)
{
    d->flags = flags_a & flags_b;
    d->accumulators = accumulators_a & accumulators_b;
    return d->flags != 0 || d->accumulators != 0;
}

/* Flags and accumulators: between in-order pipes only writes have to wait. */
static bool find_small_hazard(const struct sonde_kernel *kernel,
                              const struct kernel_footprints *footprints,
                              const struct kernel_pending *p, uint32_t index,
                              struct sonde_dependency *d)
{
    const struct sonde_gen_instruction *producer = &kernel->instructions[p->instruction];
    const struct sonde_gen_instruction *consumer = &kernel->instructions[index];
    const struct kernel_footprint *a = &footprints->of[p->instruction];
    const struct kernel_footprint *b = &footprints->of[index];
    if (p->token != KERNEL_NO_TOKEN || sonde_gen_instruction_is_out_of_order(consumer) ||
        !may_overtake(kernel, producer, consumer, true) || kernel_counts_all_pipes(kernel))
        return false;
    if (overlap_small(a->flags_written, a->accumulators_written, b->flags_written,
                      b->accumulators_written, d)) {
        d->kind = SONDE_DEPENDENCY_WRITE_AFTER_WRITE;
        return true;
    }
    d->kind = SONDE_DEPENDENCY_WRITE_AFTER_READ;
    return overlap_small(a->flags_read, a->accumulators_read, b->flags_written,
                         b->accumulators_written, d);
}

bool kernel_find_hazard(const struct sonde_kernel *kernel,
                        const struct kernel_footprints *footprints, const struct kernel_pending *p,
                        uint32_t index, struct sonde_dependency *d)
{
    const struct sonde_gen_instruction *producer = &kernel->instructions[p->instruction];
    const struct sonde_gen_instruction *consumer = &kernel->instructions[index];
    const struct kernel_footprint *a = &footprints->of[p->instruction];
    const struct kernel_footprint *b = &footprints->of[index];
    bool in_order = p->token == KERNEL_NO_TOKEN;
    uint32_t a_writes = a->first + a->reads, b_writes = b->first + b->reads;
    if (p->writes && overlap(footprints, a_writes, a->writes, b->first, b->reads, d)) {
        d->kind = SONDE_DEPENDENCY_READ_AFTER_WRITE;
        return true;
    }
    if (p->writes && (!in_order || may_overtake(kernel, producer, consumer, true)) &&
        overlap(footprints, a_writes, a->writes, b_writes, b->writes, d)) {
        d->kind = SONDE_DEPENDENCY_WRITE_AFTER_WRITE;
        return true;
    }
    bool overtakes =
        in_order ? may_overtake(kernel, producer, consumer, false)
                 : !kernel_same_function(producer, consumer, sonde_gen_instruction_pipe(producer));
    if (p->reads && overtakes && overlap(footprints, a->first, a->reads, b_writes, b->writes, d)) {
        d->kind = SONDE_DEPENDENCY_WRITE_AFTER_READ;
        return true;
    }
    return find_small_hazard(kernel, footprints, p, index, d);
}

static bool is_state_register(const struct sonde_gen_operand *o)
{
    if (o->file != SONDE_GEN_FILE_ARF || o->indirect)
        return false;
    switch (o->number & 0xf0) {
    case SONDE_GEN_ARF_CHANNEL_ENABLE:
    case SONDE_GEN_ARF_STACK_POINTER:
    case SONDE_GEN_ARF_STATE:
    case SONDE_GEN_ARF_CONTROL:
    case SONDE_GEN_ARF_IP:
    case SONDE_GEN_ARF_TIMESTAMP:
    case SONDE_GEN_ARF_DEBUG:
        return true;
    default:
        return false;
    }
}

/* Arithmetic on a state or control register. */
bool kernel_touches_state(const struct sonde_kernel *kernel, uint32_t index)
{
    const struct sonde_gen_instruction *i = &kernel->instructions[index];
    switch (sonde_gen_instruction_pipe(i)) {
    case SONDE_GEN_PIPE_NONE:
    case SONDE_GEN_PIPE_SEND:
    case SONDE_GEN_PIPE_SYSTOLIC:
        return false;
    default:
        break;
    }
    if (sonde_gen_opcode_is_branch((enum sonde_gen_opcode)i->opcode))
        return false;
    bool touches = is_state_register(&i->dst);
    for (unsigned n = 0; n < i->source_count && n < 3; n++)
        touches = touches || is_state_register(&i->src[n]);
    return touches;
}
