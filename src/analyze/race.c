/* Accesses of two threads to one place that nothing orders: at least one
 * writes, not both are atomic, and no barrier of a common group stands between
 * them. The order of the records tells which one came later in this run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/buffers.h"
#include "analyze/hash.h"
#include "analyze/records.h"
#include "analyze/tables.h"
#include "base/array.h"
#include "base/bytes.h"

/* A software thread of the dispatch at hand. */
struct thread {
    uint64_t group;
    uint32_t epoch; /* barriers that it has passed */
};

/* An access, packed: 0 none. */
#define ACCESS_VALID       UINT64_C(1)
#define ACCESS_ATOMIC      UINT64_C(2)
#define ACCESS_INSTRUCTION 2
#define ACCESS_EPOCH       20
#define ACCESS_THREAD      38

struct race {
    struct analyze_rows *rows;
    struct analyze_code code;
    struct analyze_buffers buffers;
    bool *is_barrier; /* by instruction of the code */
    uint32_t dispatch;
    uint32_t granule; /* bytes */
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct analyze_hash running; /* sr0.0 -> thread */
    struct analyze_hash writes, reads,
        others;                /* granule -> access; others: reads of another thread */
    struct analyze_hash pairs; /* -> row */
};

static uint64_t pack(uint32_t thread, uint32_t epoch, uint32_t instruction, bool atomic)
{
    return ACCESS_VALID | (atomic ? ACCESS_ATOMIC : 0) |
           (uint64_t)(instruction & 0x3ffff) << ACCESS_INSTRUCTION |
           (uint64_t)(epoch & 0x3ffff) << ACCESS_EPOCH | (uint64_t)thread << ACCESS_THREAD;
}

static bool unordered(const struct race *race, uint64_t before, uint64_t now)
{
    uint32_t first = (uint32_t)(before >> ACCESS_THREAD), second = (uint32_t)(now >> ACCESS_THREAD);
    bool same_epoch = ((before ^ now) >> ACCESS_EPOCH & 0x3ffff) == 0;
    if ((before & ACCESS_VALID) == 0 || first == second)
        return false;
    if ((before & now & ACCESS_ATOMIC) != 0)
        return false;
    return race->threads[first].group != race->threads[second].group || same_epoch;
}

static bool report(struct race *race, const struct analyze_visit *visit,
                   const struct sonde_gen_message *message, const char *kind, uint64_t before,
                   uint64_t now, uint64_t address)
{
    uint64_t first = before >> ACCESS_INSTRUCTION & 0x3ffff;
    uint64_t second = now >> ACCESS_INSTRUCTION & 0x3ffff;
    uint64_t key = ((uint64_t)visit->kernel->id << 44 | first << 24 | second << 4) +
                   (uint64_t)(kind[0] == 'r') * 2 + (uint64_t)(kind[strlen(kind) - 1] == 'd');
    bool found;
    uint64_t *place = analyze_hash_find(&race->pairs, key, &found);
    if (place == NULL || (!found && analyze_rows_add(race->rows) == NULL))
        return false;
    if (!found) {
        *place = race->rows->count - 1;
        struct analyze_row *row = &race->rows->items[*place];
        row->kernel = visit->kernel;
        row->instruction = (uint32_t)second;
        row->block = visit->block;
        snprintf(row->text, sizeof row->text, "%s", kind);
        analyze_buffers_name(&race->buffers, analyze_buffers_find(&race->buffers, message, address),
                             row->buffer, sizeof row->buffer);
        if (message->address_model == SONDE_GEN_ADDRESS_SLM)
            snprintf(row->buffer, sizeof row->buffer, "local memory");
        row->value[RACE_FIRST] = first;
        row->value[RACE_SECOND] = second;
        row->value[RACE_ADDRESS] = address;
    }
    race->rows->items[*place].value[RACE_TIMES]++;
    return true;
}

/* One granule. */
static bool touch(struct race *race, const struct analyze_visit *visit,
                  const struct sonde_gen_message *message, uint64_t key, uint64_t now, bool writes,
                  uint64_t address)
{
    bool found;
    uint64_t *write = analyze_hash_find(&race->writes, key, &found);
    uint64_t *read = analyze_hash_find(&race->reads, key, &found);
    uint64_t *other = analyze_hash_find(&race->others, key, &found);
    if (write == NULL || read == NULL || other == NULL)
        return false;
    bool good = true;
    if (unordered(race, *write, now))
        good = report(race, visit, message, writes ? "write after write" : "read after write",
                      *write, now, address);
    if (writes && unordered(race, *read, now))
        good = good && report(race, visit, message, "write after read", *read, now, address);
    else if (writes && unordered(race, *other, now))
        good = good && report(race, visit, message, "write after read", *other, now, address);
    if (writes) {
        *write = now;
    } else {
        if (*read >> ACCESS_THREAD != now >> ACCESS_THREAD)
            *other = *read;
        *read = now;
    }
    return good;
}

static uint64_t key_of(const struct race *race, const struct thread *thread,
                       const struct sonde_gen_message *message, uint64_t granule)
{
    uint64_t space = message->address_model == SONDE_GEN_ADDRESS_SURFACE ? 1 + message->bti : 0;
    (void)race;
    if (message->address_model == SONDE_GEN_ADDRESS_SLM) /* every group has its own */
        return UINT64_C(1) << 63 | thread->group << 28 | (granule & 0xfffffff);
    return space << 50 | (granule & ((UINT64_C(1) << 50) - 1));
}

static bool see_access(struct race *race, const struct analyze_visit *visit, uint32_t thread,
                       uint32_t epoch, const struct analyze_access *access)
{
    uint8_t operation = access->message->operation;
    bool atomic = operation == SONDE_GEN_MESSAGE_ATOMIC;
    bool writes = atomic || operation == SONDE_GEN_MESSAGE_WRITE;
    uint64_t now = pack(thread, epoch, access->instruction, atomic);
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint64_t address = access->address[__builtin_ctz(left)];
        uint64_t last = (address + (access->width ? access->width - 1 : 0)) / race->granule;
        for (uint64_t g = address / race->granule; g <= last; g++) {
            uint64_t key = key_of(race, &race->threads[thread], access->message, g);
            if (!touch(race, visit, access->message, key, now, writes, g * race->granule))
                return false;
        }
    }
    return true;
}

static bool start_thread(struct race *race, const struct analyze_visit *visit)
{
    const uint8_t *header;
    bool found;
    uint64_t *running = analyze_hash_find(&race->running, visit->thread, &found);
    if (running == NULL ||
        base_array_reserve((void **)&race->threads, &race->thread_capacity, race->thread_count + 1,
                           sizeof *race->threads) != SONDE_OK)
        return false;
    analyze_visit_item(visit, 0, &header);
    *running = race->thread_count;
    race->threads[race->thread_count++] = (struct thread){
        .group = base_load32(header + 4) ^ (uint64_t)base_load32(header + 24) << 11 ^
                 (uint64_t)base_load32(header + 28) << 22};
    return true;
}

/* Bytes, where any message is narrower than a dword. */
static uint32_t granule_of(const struct analyze_code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        const struct analyze_message *message = &code->messages[i];
        if (message->is_message && message->message.layout == SONDE_GEN_LAYOUT_SCATTERED &&
            message->message.element_size < 4)
            return 1;
    }
    return 4;
}

static enum sonde_status begin(struct race *race, const struct analyze_visit *visit,
                               struct sonde_error *error)
{
    if (race->code.kernel != visit->kernel) {
        analyze_code_close(&race->code);
        enum sonde_status status = analyze_code_open(visit->kernel, &race->code, error);
        if (status != SONDE_OK)
            return status;
        race->granule = granule_of(&race->code);
        free(race->is_barrier);
        race->is_barrier = calloc(race->code.count + 1, sizeof *race->is_barrier);
        if (race->is_barrier == NULL)
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
        for (size_t i = 0; i < race->code.count; i++)
            race->is_barrier[i] =
                race->code.messages[i].is_message &&
                race->code.messages[i].message.operation == SONDE_GEN_MESSAGE_BARRIER;
    }
    if (race->dispatch == visit->dispatch)
        return SONDE_OK;
    race->dispatch = visit->dispatch;
    race->thread_count = 0;
    analyze_hash_clear(&race->running);
    analyze_hash_clear(&race->writes);
    analyze_hash_clear(&race->reads);
    analyze_hash_clear(&race->others);
    return SONDE_OK;
}

/* Barriers of the visited block before an instruction of it. */
static uint32_t barriers_before(const struct race *race, const struct analyze_visit *visit,
                                uint32_t instruction)
{
    uint32_t count = 0;
    if (visit->starts_thread)
        return 0;
    const struct sonde_trace_block *block = &visit->kernel->blocks[visit->block];
    for (uint32_t i = block->first; i < block->first + block->count && i < instruction; i++)
        count += i < race->code.count && race->is_barrier[i];
    return count;
}

static enum sonde_status see_visit(const struct analyze_visit *visit, void *context,
                                   struct sonde_error *error)
{
    struct race *race = context;
    enum sonde_status status = begin(race, visit, error);
    bool found = true, good = true;
    if (status == SONDE_OK && !analyze_buffers_see(&race->buffers, visit))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (status != SONDE_OK)
        return status;
    if (visit->starts_thread && analyze_visit_item_count(visit) > 0) {
        good = start_thread(race, visit);
        return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    uint64_t *running = analyze_hash_find(&race->running, visit->thread, &found);
    if (running == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (!found || *running >= race->thread_count) /* its start is lost */
        return SONDE_OK;
    uint32_t thread = (uint32_t)*running, epoch = race->threads[thread].epoch;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit) && good; i++) {
        struct analyze_access access;
        if (analyze_access_read(&race->code, visit, i, &access))
            good = see_access(race, visit, thread,
                              epoch + barriers_before(race, visit, access.instruction), &access);
    }
    race->threads[thread].epoch += barriers_before(race, visit, UINT32_MAX);
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

enum sonde_status analyze_races(const struct sonde_trace *trace,
                                const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                struct sonde_error *error)
{
    struct race race = {
        .rows = rows, .dispatch = UINT32_MAX, .buffers = {.trace = trace, .dispatch = UINT32_MAX}};
    snprintf(rows->note, sizeof rows->note,
             "channels of one hardware thread are not compared with each other, nor images");
    enum sonde_status status = analyze_records_walk(trace, matcher, see_visit, &race, error);
    analyze_code_close(&race.code);
    analyze_hash_clear(&race.running);
    analyze_hash_clear(&race.writes);
    analyze_hash_clear(&race.reads);
    analyze_hash_clear(&race.others);
    analyze_hash_clear(&race.pairs);
    analyze_buffers_clear(&race.buffers);
    free(race.threads);
    free(race.is_barrier);
    return status;
}
