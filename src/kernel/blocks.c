/* Basic blocks and the control-flow graph.
 *
 * Edges say where the thread's instruction pointer may go next and, for
 * divergent branches, where channels may wait: each branch has edges to its
 * fall-through, its JIP and its UIP. Code that is only reached while channels
 * wait elsewhere therefore still has a path to where they wait, which is what
 * makes liveness on this graph safe for every channel. */
#include "kernel/internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool kernel_ends_flow(const struct sonde_gen_instruction *instruction)
{
    bool predicated = instruction->predicate != SONDE_GEN_PREDICATE_NONE;
    if (instruction->illegal || instruction->opcode == SONDE_GEN_ILLEGAL)
        return true;
    if (instruction->send.end_of_thread)
        return !predicated;
    return (instruction->opcode == SONDE_GEN_JMPI || instruction->opcode == SONDE_GEN_RET) &&
           !predicated;
}

static bool is_call(const struct sonde_gen_instruction *instruction)
{
    return instruction->opcode == SONDE_GEN_CALL || instruction->opcode == SONDE_GEN_CALLA;
}

/* Index of the instruction at each 8-byte unit of the code. */
static uint32_t *map_offsets(const struct sonde_kernel *kernel, size_t *units)
{
    const struct sonde_gen_instruction *last = &kernel->instructions[kernel->instruction_count - 1];
    *units = ((size_t)last->offset + last->size + 7) / 8;
    uint32_t *index_at = malloc(*units * sizeof *index_at);
    if (index_at == NULL)
        return NULL;
    memset(index_at, 0xff, *units * sizeof *index_at);
    for (size_t i = 0; i < kernel->instruction_count; i++)
        index_at[kernel->instructions[i].offset / 8] = (uint32_t)i;
    return index_at;
}

static enum sonde_status find_target(const struct sonde_kernel *kernel, const uint32_t *index_at,
                                     size_t units, size_t index, int32_t distance, uint32_t *target,
                                     struct sonde_error *error)
{
    const struct sonde_gen_instruction *branch = &kernel->instructions[index];
    int64_t offset = (int64_t)branch->offset + distance;
    if (offset < 0 || (offset & 7) != 0 || (size_t)(offset / 8) >= units ||
        index_at[offset / 8] == SONDE_NO_INSTRUCTION)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, branch->offset,
                               "%s at 0x%x branches to 0x%llx, which is not an instruction",
                               sonde_gen_opcode_mnemonic(branch->opcode), branch->offset,
                               (long long)offset);
    *target = index_at[offset / 8];
    return SONDE_OK;
}

static enum sonde_status find_targets(struct sonde_kernel *kernel, const uint32_t *index_at,
                                      size_t units, struct sonde_error *error)
{
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        const struct sonde_gen_instruction *instruction = &kernel->instructions[i];
        kernel->jip_target[i] = SONDE_NO_INSTRUCTION;
        kernel->uip_target[i] = SONDE_NO_INSTRUCTION;
        /* The offset of calla is not relative to the kernel. */
        if (instruction->illegal || !sonde_gen_opcode_is_branch(instruction->opcode) ||
            instruction->opcode == SONDE_GEN_CALLA)
            continue;
        enum sonde_status status = SONDE_OK;
        if (instruction->has_jip)
            status = find_target(kernel, index_at, units, i, instruction->jip,
                                 &kernel->jip_target[i], error);
        if (status == SONDE_OK && instruction->has_uip)
            status = find_target(kernel, index_at, units, i, instruction->uip,
                                 &kernel->uip_target[i], error);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

enum {
    LEADER = 1,
    ENTRY = 2,
};

static void mark_leaders(const struct sonde_kernel *kernel, const uint32_t *index_at, size_t units,
                         uint8_t *marks)
{
    marks[0] = LEADER | ENTRY;
    /* The driver enters after the per-thread prolog when the hardware has
     * loaded the local ids itself. */
    size_t prolog = kernel->info.per_thread_prolog_size / 8;
    if (prolog != 0 && prolog < units && index_at[prolog] != SONDE_NO_INSTRUCTION)
        marks[index_at[prolog]] = LEADER | ENTRY;
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        const struct sonde_gen_instruction *instruction = &kernel->instructions[i];
        if (kernel->jip_target[i] != SONDE_NO_INSTRUCTION)
            marks[kernel->jip_target[i]] |= LEADER;
        if (kernel->uip_target[i] != SONDE_NO_INSTRUCTION)
            marks[kernel->uip_target[i]] |= LEADER;
        bool end_of_thread = instruction->send.end_of_thread && !instruction->illegal;
        if (end_of_thread)
            marks[i] |= LEADER;
        bool ends_block = end_of_thread || instruction->illegal ||
                          instruction->opcode == SONDE_GEN_ILLEGAL ||
                          sonde_gen_opcode_is_branch(instruction->opcode);
        if (ends_block && i + 1 < kernel->instruction_count)
            marks[i + 1] |= LEADER;
    }
}

static enum sonde_status make_blocks(struct sonde_kernel *kernel, const uint8_t *marks,
                                     struct sonde_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < kernel->instruction_count; i++)
        count += (marks[i] & LEADER) != 0;
    kernel->blocks = calloc(count, sizeof *kernel->blocks);
    if (kernel->blocks == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct sonde_block *block = NULL;
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        if (marks[i] & LEADER) {
            block = &kernel->blocks[kernel->block_count];
            block->id = (uint32_t)kernel->block_count++;
            block->first = (uint32_t)i;
            block->is_entry = (marks[i] & ENTRY) != 0;
        }
        const struct sonde_gen_instruction *instruction = &kernel->instructions[i];
        block->count++;
        block->is_eot = instruction->send.end_of_thread && !instruction->illegal;
        kernel->block_of[i] = block->id;
    }
    return SONDE_OK;
}

static enum sonde_status add_edge(struct sonde_kernel *kernel, size_t *capacity,
                                  struct sonde_block *source, uint32_t target, bool falls_through,
                                  struct sonde_error *error)
{
    if (target == SONDE_NO_INSTRUCTION)
        return SONDE_OK;
    uint32_t destination = kernel->block_of[target];
    struct sonde_edge *edge = NULL;
    for (uint32_t i = 0; i < source->successor_count && edge == NULL; i++)
        if (kernel->edges[source->first_successor + i].destination == destination)
            edge = &kernel->edges[source->first_successor + i];
    if (edge == NULL) {
        enum sonde_status status = base_array_reserve(
            (void **)&kernel->edges, capacity, kernel->edge_count + 1, sizeof *kernel->edges);
        if (status != SONDE_OK)
            return sonde_error_set(error, status, 0, "out of memory");
        edge = &kernel->edges[kernel->edge_count++];
        *edge = (struct sonde_edge){.source = source->id, .destination = destination};
        source->successor_count++;
    }
    edge->falls_through |= falls_through;
    edge->jumps |= !falls_through;
    return SONDE_OK;
}

#define MAXIMUM_RETURN_EDGES (1u << 20)

/* A ret may return to after any call: the call graph is not followed. The
 * return sites are distinct blocks and none is the fall-through of the ret. */
static enum sonde_status add_return_edges(struct sonde_kernel *kernel, size_t *capacity,
                                          struct sonde_block *source, struct sonde_error *error)
{
    for (size_t i = 0; i + 1 < kernel->instruction_count; i++) {
        if (!is_call(&kernel->instructions[i]))
            continue;
        if (kernel->edge_count >= MAXIMUM_RETURN_EDGES)
            return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                                   "too many calls and returns to follow");
        enum sonde_status status = base_array_reserve(
            (void **)&kernel->edges, capacity, kernel->edge_count + 1, sizeof *kernel->edges);
        if (status != SONDE_OK)
            return sonde_error_set(error, status, 0, "out of memory");
        kernel->edges[kernel->edge_count++] = (struct sonde_edge){
            .source = source->id, .destination = kernel->block_of[i + 1], .jumps = true};
        source->successor_count++;
    }
    return SONDE_OK;
}

static enum sonde_status make_edges(struct sonde_kernel *kernel, struct sonde_error *error)
{
    size_t capacity = 0;
    for (size_t b = 0; b < kernel->block_count; b++) {
        struct sonde_block *block = &kernel->blocks[b];
        block->first_successor = (uint32_t)kernel->edge_count;
        uint32_t last = block->first + block->count - 1;
        const struct sonde_gen_instruction *instruction = &kernel->instructions[last];
        enum sonde_status status = SONDE_OK;
        if (!kernel_ends_flow(instruction) && last + 1 < kernel->instruction_count)
            status = add_edge(kernel, &capacity, block, last + 1, true, error);
        if (status == SONDE_OK)
            status = add_edge(kernel, &capacity, block, kernel->jip_target[last], false, error);
        if (status == SONDE_OK)
            status = add_edge(kernel, &capacity, block, kernel->uip_target[last], false, error);
        if (status == SONDE_OK && instruction->opcode == SONDE_GEN_RET && !instruction->illegal)
            status = add_return_edges(kernel, &capacity, block, error);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

static enum sonde_status make_predecessors(struct sonde_kernel *kernel, struct sonde_error *error)
{
    kernel->first_predecessor = calloc(kernel->block_count + 1, sizeof *kernel->first_predecessor);
    kernel->predecessors = calloc(kernel->edge_count + 1, sizeof *kernel->predecessors);
    uint32_t *fill = calloc(kernel->block_count, sizeof *fill);
    if (kernel->first_predecessor == NULL || kernel->predecessors == NULL || fill == NULL) {
        free(fill);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    for (size_t e = 0; e < kernel->edge_count; e++)
        kernel->first_predecessor[kernel->edges[e].destination + 1]++;
    for (size_t b = 0; b < kernel->block_count; b++)
        kernel->first_predecessor[b + 1] += kernel->first_predecessor[b];
    for (size_t e = 0; e < kernel->edge_count; e++) {
        uint32_t destination = kernel->edges[e].destination;
        kernel->predecessors[kernel->first_predecessor[destination] + fill[destination]++] =
            kernel->edges[e].source;
    }
    free(fill);
    return SONDE_OK;
}

static enum sonde_status mark_reachable(struct sonde_kernel *kernel, struct sonde_error *error)
{
    uint32_t *stack = malloc(kernel->block_count * sizeof *stack);
    if (stack == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    size_t depth = 0;
    for (size_t b = 0; b < kernel->block_count; b++) {
        if (!kernel->blocks[b].is_entry)
            continue;
        kernel->blocks[b].is_reachable = true;
        stack[depth++] = (uint32_t)b;
    }
    while (depth != 0) {
        const struct sonde_block *block = &kernel->blocks[stack[--depth]];
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t next = kernel->edges[block->first_successor + i].destination;
            if (kernel->blocks[next].is_reachable)
                continue;
            kernel->blocks[next].is_reachable = true;
            stack[depth++] = next;
        }
    }
    free(stack);
    return SONDE_OK;
}

static enum sonde_status check_end_of_thread(const struct sonde_kernel *kernel,
                                             struct sonde_error *error)
{
    for (size_t b = 0; b < kernel->block_count; b++)
        if (kernel->blocks[b].is_eot)
            return SONDE_OK;
    return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                           "no end-of-thread message in %zu instructions",
                           kernel->instruction_count);
}

enum sonde_status kernel_build_blocks(struct sonde_kernel *kernel, struct sonde_error *error)
{
    size_t n = kernel->instruction_count;
    size_t units = 0;
    uint32_t *index_at = map_offsets(kernel, &units);
    uint8_t *marks = calloc(n, 1);
    kernel->jip_target = malloc(n * sizeof *kernel->jip_target);
    kernel->uip_target = malloc(n * sizeof *kernel->uip_target);
    kernel->block_of = calloc(n, sizeof *kernel->block_of);
    enum sonde_status status = SONDE_OK;
    if (index_at == NULL || marks == NULL || kernel->jip_target == NULL ||
        kernel->uip_target == NULL || kernel->block_of == NULL)
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (status == SONDE_OK)
        status = find_targets(kernel, index_at, units, error);
    if (status == SONDE_OK) {
        mark_leaders(kernel, index_at, units, marks);
        status = make_blocks(kernel, marks, error);
    }
    free(marks);
    free(index_at);
    if (status == SONDE_OK)
        status = check_end_of_thread(kernel, error);
    if (status == SONDE_OK)
        status = make_edges(kernel, error);
    if (status == SONDE_OK)
        status = make_predecessors(kernel, error);
    if (status == SONDE_OK)
        status = mark_reachable(kernel, error);
    return status;
}
