/* Which blocks need a counter, and the others' executions from theirs.
 *
 * A thread's way is closed by a step from its end to its entry, so each place
 * between blocks is left as often as it is come to. Take the blocks as edges,
 * and as nodes the places that the edges of the control-flow graph join: what
 * comes in at a node goes out there. The blocks of a spanning tree need no
 * counter then (Knuth): with the leaves first, each is the only block at a node
 * whose executions are not known yet. Blocks in loops go into the tree first. */
#include "kernel/internal.h"

#include <stdlib.h>
#include <string.h>

struct counts {
    const struct sonde_kernel *kernel;
    uint32_t *place; /* union-find over block starts (2b) and ends (2b + 1) */
    uint32_t *order; /* blocks, those for the tree first */
    uint32_t *depth; /* of loops around each block */
    bool *in_tree;
};

static uint32_t find(const struct counts *c, uint32_t place)
{
    while (c->place[place] != place) {
        c->place[place] = c->place[c->place[place]];
        place = c->place[place];
    }
    return place;
}

static bool join(struct counts *c, uint32_t a, uint32_t b)
{
    a = find(c, a);
    b = find(c, b);
    c->place[a < b ? b : a] = a < b ? a : b;
    return a != b;
}

/* Whether only channels wait at the other end: a thread that no channel follows
 * on goes to JIP, the next place where some may wait, and never to UIP itself,
 * unless BranchCtrl says so. */
static bool is_wait(const struct sonde_kernel *kernel, const struct sonde_edge *edge)
{
    const struct sonde_block *source = &kernel->blocks[edge->source];
    uint32_t last = source->first + source->count - 1;
    uint32_t jip = kernel->jip_target[last], uip = kernel->uip_target[last];
    return !edge->falls_through && !kernel->instructions[last].branch_control &&
           jip != SONDE_NO_INSTRUCTION && uip != SONDE_NO_INSTRUCTION &&
           kernel->block_of[uip] == edge->destination && kernel->block_of[jip] != edge->destination;
}

/* The world outside stands behind the last block. */
static void join_places(struct counts *c)
{
    const struct sonde_kernel *kernel = c->kernel;
    uint32_t count = (uint32_t)kernel->block_count, outside = 2 * count;
    for (uint32_t i = 0; i <= outside; i++)
        c->place[i] = i;
    for (uint32_t b = 0; b < count; b++) {
        const struct sonde_block *block = &kernel->blocks[b];
        if (block->is_entry)
            join(c, 2 * b, outside);
        if (block->is_reachable && (block->successor_count == 0 || block->is_eot))
            join(c, 2 * b + 1, outside);
    }
    for (size_t e = 0; e < kernel->edge_count; e++)
        if (kernel->blocks[kernel->edges[e].source].is_reachable &&
            !is_wait(kernel, &kernel->edges[e]))
            join(c, 2 * kernel->edges[e].source + 1, 2 * kernel->edges[e].destination);
}

/* Between a jump back and where it goes. */
void sonde_kernel_loop_depths(const struct sonde_kernel *kernel, uint32_t *depth)
{
    memset(depth, 0, kernel->block_count * sizeof *depth);
    for (size_t e = 0; e < kernel->edge_count; e++)
        for (uint32_t b = kernel->edges[e].destination; b <= kernel->edges[e].source; b++)
            depth[b]++;
}

struct place_in_order {
    uint32_t depth, block;
};

/* Deepest first; of those that run equally often the counter stands in the
 * first one. */
static int compare(const void *a, const void *b)
{
    const struct place_in_order *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return x->block > y->block ? -1 : x->block < y->block;
}

static bool sort_blocks(struct counts *c)
{
    size_t count = c->kernel->block_count;
    struct place_in_order *items = malloc(count * sizeof *items);
    if (items == NULL)
        return false;
    for (uint32_t b = 0; b < count; b++)
        items[b] = (struct place_in_order){.depth = c->depth[b], .block = b};
    qsort(items, count, sizeof *items, compare);
    for (size_t i = 0; i < count; i++)
        c->order[i] = items[i].block;
    free(items);
    return true;
}

/* A spanning tree of the places. Their numbers are kept apart from the tree's
 * own union-find. */
static bool grow_tree(struct counts *c)
{
    size_t count = c->kernel->block_count, places = 2 * count + 1;
    struct counts tree = {.place = malloc(places * sizeof *tree.place)};
    if (tree.place == NULL)
        return false;
    for (uint32_t i = 0; i < places; i++)
        tree.place[i] = find(c, i);
    for (size_t i = 0; i < count; i++) {
        uint32_t b = c->order[i];
        c->in_tree[b] = c->kernel->blocks[b].is_reachable && join(&tree, 2 * b, 2 * b + 1);
    }
    free(tree.place);
    return true;
}

static bool open_counts(struct counts *c, const struct sonde_kernel *kernel)
{
    size_t count = kernel->block_count;
    *c = (struct counts){.kernel = kernel,
                         .place = malloc((2 * count + 1) * sizeof *c->place),
                         .order = malloc(count * sizeof *c->order),
                         .depth = calloc(count, sizeof *c->depth),
                         .in_tree = calloc(count, sizeof *c->in_tree)};
    if (c->place == NULL || c->order == NULL || c->depth == NULL || c->in_tree == NULL)
        return false;
    join_places(c);
    sonde_kernel_loop_depths(kernel, c->depth);
    return sort_blocks(c) && grow_tree(c);
}

static void close_counts(struct counts *c)
{
    free(c->place);
    free(c->order);
    free(c->depth);
    free(c->in_tree);
}

enum sonde_status sonde_kernel_counted_blocks(const struct sonde_kernel *kernel, bool *counted,
                                              struct sonde_error *error)
{
    struct counts c;
    bool good = open_counts(&c, kernel);
    for (size_t b = 0; b < kernel->block_count && good; b++)
        counted[b] = kernel->blocks[b].is_reachable && !c.in_tree[b];
    close_counts(&c);
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

/* A node while the tree loses its leaves. */
struct node {
    uint64_t excess;  /* known executions that come in, less those that go out */
    uint32_t unknown; /* blocks of the tree at it */
    uint32_t mixed;   /* their numbers, exclusive or: the last one's when one is left */
};

static void add_block(struct counts *c, struct node *nodes, uint32_t b, uint64_t executions)
{
    struct node *start = &nodes[find(c, 2 * b)], *end = &nodes[find(c, 2 * b + 1)];
    if (c->in_tree[b]) {
        start->unknown++, end->unknown++;
        start->mixed ^= b;
        end->mixed ^= b;
        return;
    }
    start->excess -= executions;
    end->excess += executions;
}

/* The last unknown block at the node balances it; then the node at its other
 * side may have one less. */
static void solve(struct counts *c, struct node *nodes, uint32_t number, uint64_t *executions)
{
    while (nodes[number].unknown == 1) {
        uint32_t b = nodes[number].mixed, start = find(c, 2 * b), end = find(c, 2 * b + 1);
        uint64_t count = number == start ? nodes[number].excess : -nodes[number].excess;
        executions[b] = count;
        nodes[start].excess -= count;
        nodes[end].excess += count;
        nodes[start].unknown--, nodes[end].unknown--;
        nodes[start].mixed ^= b;
        nodes[end].mixed ^= b;
        number = number == start ? end : start;
    }
}

enum sonde_status sonde_kernel_complete_counts(const struct sonde_kernel *kernel,
                                               uint64_t *executions, struct sonde_error *error)
{
    struct counts c;
    size_t places = 2 * kernel->block_count + 1;
    struct node *nodes = calloc(places, sizeof *nodes);
    bool good = open_counts(&c, kernel) && nodes != NULL;
    for (uint32_t b = 0; b < kernel->block_count && good; b++) {
        if (kernel->blocks[b].is_reachable)
            add_block(&c, nodes, b, executions[b]);
        else
            executions[b] = 0;
    }
    for (uint32_t n = 0; n < places && good; n++)
        solve(&c, nodes, n, executions);
    close_counts(&c);
    free(nodes);
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}
