/* Memory as the time model sees it: the data port and the local memory of each
 * sub-slice, one L3 (least recently used line leaves), one path to memory. Each
 * serves one request after the other. */
#include <stdlib.h>

#include "emu/gen/timing.h"

struct way {
    uint64_t line; /* line number + 1, 0 empty */
    uint64_t used;
};

struct timing_cache {
    struct timing_model model;
    struct way *ways; /* set after set */
    uint32_t sets;
    uint64_t clock; /* of the replacement */
    uint64_t memory_free;
    uint64_t *port_free, *local_free; /* a sub-slice */
};

struct timing_cache *timing_cache_create(const struct timing_model *model, uint32_t subslices)
{
    struct timing_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->model = *model;
    cache->sets = model->l3_kilobytes * 1024u / model->line_bytes / model->l3_ways;
    cache->ways = calloc((size_t)cache->sets * model->l3_ways, sizeof *cache->ways);
    cache->port_free = calloc(subslices, sizeof *cache->port_free);
    cache->local_free = calloc(subslices, sizeof *cache->local_free);
    if (!cache->ways || !cache->port_free || !cache->local_free) {
        timing_cache_destroy(cache);
        return NULL;
    }
    return cache;
}

void timing_cache_destroy(struct timing_cache *cache)
{
    if (!cache)
        return;
    free(cache->ways);
    free(cache->port_free);
    free(cache->local_free);
    free(cache);
}

/* True when the line was there; it is afterwards. */
static bool look_up(struct timing_cache *cache, uint64_t line)
{
    struct way *set = cache->ways + (line % cache->sets) * cache->model.l3_ways;
    struct way *oldest = set;
    cache->clock++;
    for (uint32_t n = 0; n < cache->model.l3_ways; n++) {
        if (set[n].line == line + 1) {
            set[n].used = cache->clock;
            return true;
        }
        if (set[n].used < oldest->used)
            oldest = &set[n];
    }
    *oldest = (struct way){line + 1, cache->clock};
    return false;
}

/* When a server that is taken for `cycles` starts on a request. */
static uint64_t serve(uint64_t *free_at, uint64_t time, uint64_t cycles)
{
    uint64_t start = *free_at > time ? *free_at : time;
    *free_at = start + cycles;
    return start;
}

uint64_t timing_cache_access(struct timing_cache *cache, uint32_t subslice, uint64_t time,
                             const uint64_t *lines, uint32_t line_count, uint32_t atomic_channels,
                             uint32_t hit_latency)
{
    const struct timing_model *model = &cache->model;
    uint64_t line_cycles = (model->line_bytes + model->port_bytes - 1) / model->port_bytes;
    uint64_t memory_cycles = (model->line_bytes + model->memory_bytes - 1) / model->memory_bytes;
    uint64_t taken = line_count * line_cycles + (uint64_t)atomic_channels * model->atomic_cycles;
    uint64_t start = serve(&cache->port_free[subslice], time, taken ? taken : 1);
    uint64_t done = start + (taken ? taken - 1 : 0) + hit_latency;
    uint32_t beyond = model->memory_latency - model->l3_latency;
    for (uint32_t n = 0; n < line_count; n++) {
        if (look_up(cache, lines[n]))
            continue;
        uint64_t sent = serve(&cache->memory_free, start + n * line_cycles, memory_cycles);
        if (sent + hit_latency + beyond > done)
            done = sent + hit_latency + beyond;
    }
    return done;
}

uint64_t timing_cache_local(struct timing_cache *cache, uint32_t subslice, uint64_t time,
                            uint32_t bytes)
{
    const struct timing_model *model = &cache->model;
    uint64_t taken = (bytes + model->slm_bytes - 1) / model->slm_bytes;
    uint64_t start = serve(&cache->local_free[subslice], time, taken ? taken : 1);
    return start + (taken ? taken - 1 : 0) + model->slm_latency;
}
