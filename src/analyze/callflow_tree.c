/* Who called whom: pairs of functions, and the tree of all calling paths. */
#include <stdlib.h>

#include "analyze/callflow_internal.h"
#include "base/array.h"

static size_t place_of(const struct callflow_index *index, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (index->capacity - 1);
    while (index->keys[at] != 0 && index->keys[at] != key)
        at = (at + 1) & (index->capacity - 1);
    return at;
}

static bool index_grow(struct callflow_index *index)
{
    struct callflow_index bigger = {.capacity = index->capacity == 0 ? 64 : 2 * index->capacity};
    bigger.keys = calloc(bigger.capacity, sizeof *bigger.keys);
    bigger.values = calloc(bigger.capacity, sizeof *bigger.values);
    if (bigger.keys == NULL || bigger.values == NULL) {
        callflow_index_clear(&bigger);
        return false;
    }
    for (size_t i = 0; i < index->capacity; i++) {
        if (index->keys[i] == 0)
            continue;
        size_t at = place_of(&bigger, index->keys[i]);
        bigger.keys[at] = index->keys[i];
        bigger.values[at] = index->values[i];
    }
    bigger.count = index->count;
    callflow_index_clear(index);
    *index = bigger;
    return true;
}

void callflow_index_clear(struct callflow_index *index)
{
    free(index->keys);
    free(index->values);
    *index = (struct callflow_index){0};
}

/* The value of a pair; `fresh` is stored when it is new. NULL: out of memory. */
static const uint32_t *index_pair(struct callflow_index *index, uint32_t a, uint32_t b,
                                  uint32_t fresh)
{
    /* Never 0: `b` is an index. */
    uint64_t key = ((uint64_t)a << 32 | b) + 1;
    if (index->count * 2 >= index->capacity && !index_grow(index))
        return NULL;
    size_t at = place_of(index, key);
    if (index->keys[at] == 0) {
        index->keys[at] = key;
        index->values[at] = fresh;
        index->count++;
    }
    return &index->values[at];
}

uint32_t callflow_edge(struct callflow_builder *builder, uint32_t caller, uint32_t callee)
{
    struct analyze_callflow *flow = builder->flow;
    uint32_t fresh = (uint32_t)flow->edge_count;
    if (base_array_reserve((void **)&flow->edges, &flow->edge_capacity, flow->edge_count + 1,
                           sizeof *flow->edges) != SONDE_OK)
        return ANALYZE_NONE;
    const uint32_t *found = index_pair(&builder->edges, caller, callee, fresh);
    if (found == NULL)
        return ANALYZE_NONE;
    if (*found == fresh)
        flow->edges[flow->edge_count++] = (struct analyze_edge){.caller = caller, .callee = callee};
    return *found;
}

uint32_t callflow_node(struct callflow_builder *builder, uint32_t parent, uint32_t function)
{
    struct analyze_callflow *flow = builder->flow;
    uint32_t fresh = (uint32_t)flow->node_count;
    if (base_array_reserve((void **)&flow->nodes, &flow->node_capacity, flow->node_count + 1,
                           sizeof *flow->nodes) != SONDE_OK)
        return ANALYZE_NONE;
    /* No parent is the pair's 0. */
    const uint32_t *found = index_pair(&builder->nodes, parent + 1, function, fresh);
    if (found == NULL)
        return ANALYZE_NONE;
    if (*found == fresh)
        flow->nodes[flow->node_count++] =
            (struct analyze_node){.parent = parent, .function = function};
    return *found;
}

/* Parents come before their children. */
void callflow_nodes_sum(struct analyze_callflow *flow)
{
    for (size_t i = 0; i < flow->node_count; i++)
        flow->nodes[i].total = flow->nodes[i].self;
    for (size_t i = flow->node_count; i-- > 0;) {
        const struct analyze_node *node = &flow->nodes[i];
        if (node->parent != ANALYZE_NONE)
            flow->nodes[node->parent].total += node->total;
    }
}
