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

/* A work-group of which hardware threads run. */
struct group {
    uint64_t id;
    uint32_t threads;            /* 0: the place is free */
    struct analyze_blocks local; /* its local memory */
};

/* A hardware thread slot, and the thread that runs there. */
struct thread {
    uint32_t group;  /* place; UINT32_MAX none */
    uint32_t epoch;  /* barriers that it has passed */
    uint32_t serial; /* of its start */
};

/* An access, packed: 0 none. The group is a part of its hash: two that share
 * it hide a race only when barriers seem to order them. Threads of a group
 * start together, so that few bits tell them apart. */
#define ACCESS_VALID       UINT64_C(1)
#define ACCESS_ATOMIC      UINT64_C(2)
#define ACCESS_INSTRUCTION 2
#define ACCESS_EPOCH       18
#define ACCESS_THREAD      34
#define ACCESS_GROUP       44

/* The last accesses to a granule. */
struct shadow {
    uint64_t write, read;
    uint64_t other; /* read of another thread than the last */
};

#define BLOCK_GRANULES 8u

/* Most memory is accessed a block at a time: then its granules have one state. */
struct block {
    bool is_split;
    struct shadow whole;
    struct shadow each[BLOCK_GRANULES]; /* when it is split */
};

/* What is known of a kernel's code besides the code. */
struct program {
    uint32_t *barriers; /* in front of each instruction; NULL: not looked at */
    uint32_t granule;   /* bytes */
};

struct race {
    struct analyze_rows *rows;
    struct analyze_codes codes;
    struct analyze_buffers buffers;
    struct program *programs; /* by id of the kernel */
    size_t program_count;
    uint32_t dispatch;
    struct thread *threads; /* by slot, in the order in which they are met */
    size_t thread_count, thread_capacity;
    uint32_t starts;
    struct group *groups;
    size_t group_count, group_capacity;
    struct analyze_hash running; /* sr0.0 -> thread + 1 */
    struct analyze_hash alive;   /* id of a group -> place + 1 */
    struct analyze_blocks memory;
    struct analyze_hash pairs; /* -> row */
};

/* A visit, and what of it is needed for each access. */
struct scene {
    struct race *race;
    const struct analyze_visit *visit;
    const struct sonde_gen_message *message;
    uint64_t now; /* the access, packed */
    uint32_t granule;
    bool writes;
};

static bool unordered(uint64_t before, uint64_t now)
{
    if ((before & ACCESS_VALID) == 0 || before >> ACCESS_THREAD == now >> ACCESS_THREAD ||
        (before & now & ACCESS_ATOMIC) != 0)
        return false;
    bool same_epoch = ((before ^ now) >> ACCESS_EPOCH & 0xffff) == 0;
    return before >> ACCESS_GROUP != now >> ACCESS_GROUP || same_epoch;
}

static bool report(const struct scene *scene, const char *kind, uint64_t before, uint64_t address,
                   uint32_t times)
{
    struct race *race = scene->race;
    const struct analyze_visit *visit = scene->visit;
    uint64_t first = before >> ACCESS_INSTRUCTION & 0xffff;
    uint64_t second = scene->now >> ACCESS_INSTRUCTION & 0xffff;
    uint64_t key = ((uint64_t)visit->kernel->id << 36 | first << 20 | second << 4) +
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
        analyze_buffers_name(&race->buffers,
                             analyze_buffers_find(&race->buffers, scene->message, address),
                             row->buffer, sizeof row->buffer);
        if (scene->message->address_model == SONDE_GEN_ADDRESS_SLM)
            snprintf(row->buffer, sizeof row->buffer, "local memory");
        row->value[RACE_FIRST] = first;
        row->value[RACE_SECOND] = second;
        row->value[RACE_ADDRESS] = address;
    }
    race->rows->items[*place].value[RACE_TIMES] += times;
    return true;
}

/* `times` granules of one state. */
static inline bool touch(const struct scene *scene, struct shadow *shadow, uint64_t address,
                         uint32_t times)
{
    uint64_t now = scene->now;
    bool good = true;
    if (unordered(shadow->write, now))
        good = report(scene, scene->writes ? "write after write" : "read after write",
                      shadow->write, address, times);
    if (scene->writes && unordered(shadow->read, now))
        good = good && report(scene, "write after read", shadow->read, address, times);
    else if (scene->writes && unordered(shadow->other, now))
        good = good && report(scene, "write after read", shadow->other, address, times);
    if (scene->writes) {
        shadow->write = now;
    } else {
        if (shadow->read >> ACCESS_THREAD != now >> ACCESS_THREAD)
            shadow->other = shadow->read;
        shadow->read = now;
    }
    return good;
}

/* Granules [first, end) of one block. */
static bool touch_block(const struct scene *scene, struct block *block, uint64_t first,
                        uint64_t end)
{
    if (!block->is_split && end - first == BLOCK_GRANULES)
        return touch(scene, &block->whole, first * scene->granule, BLOCK_GRANULES);
    if (!block->is_split)
        for (unsigned i = 0; i < BLOCK_GRANULES; i++)
            block->each[i] = block->whole;
    block->is_split = true;
    for (uint64_t g = first; g < end; g++)
        if (!touch(scene, &block->each[g % BLOCK_GRANULES], g * scene->granule, 1))
            return false;
    return true;
}

/* Granules [first, end). */
static bool touch_run(const struct scene *scene, struct analyze_blocks *memory, uint64_t space,
                      uint64_t first, uint64_t end)
{
    while (first < end) {
        uint64_t number = first / BLOCK_GRANULES, next = (number + 1) * BLOCK_GRANULES;
        struct block *block = analyze_blocks_find(memory, space << 52 | number);
        if (next > end)
            next = end;
        if (block == NULL || !touch_block(scene, block, first, next))
            return false;
        first = next;
    }
    return true;
}

static struct analyze_blocks *memory_of(const struct scene *scene, const struct thread *thread)
{
    if (scene->message->address_model == SONDE_GEN_ADDRESS_SLM) /* every group has its own */
        return &scene->race->groups[thread->group].local;
    return &scene->race->memory;
}

/* Channels side by side are one run. */
static bool touch_all(const struct scene *scene, const struct thread *thread,
                      const struct analyze_access *access)
{
    const struct sonde_gen_message *message = scene->message;
    struct analyze_blocks *memory = memory_of(scene, thread);
    uint64_t space = message->address_model == SONDE_GEN_ADDRESS_SURFACE ? 1 + message->bti : 0;
    uint64_t first = 0, end = 0;
    for (uint32_t left = access->mask; left != 0; left &= left - 1) {
        uint64_t address = access->address[__builtin_ctz(left)];
        uint64_t start = address / scene->granule;
        uint64_t stop = (address + (access->width ? access->width - 1 : 0)) / scene->granule + 1;
        if (start == end) {
            end = stop;
            continue;
        }
        if (!touch_run(scene, memory, space, first, end))
            return false;
        first = start;
        end = stop;
    }
    return touch_run(scene, memory, space, first, end);
}

/* --- threads and groups --------------------------------------------------------------- */

static void leave_group(struct race *race, struct thread *thread)
{
    if (thread->group == UINT32_MAX)
        return;
    struct group *group = &race->groups[thread->group];
    if (--group->threads == 0)
        analyze_blocks_clear(&group->local);
    thread->group = UINT32_MAX;
}

/* Forget the groups that have ended, when there are many. */
static bool clean_alive(struct race *race)
{
    if (race->alive.count < 4 * race->group_count + 64)
        return true;
    analyze_hash_clear(&race->alive);
    for (size_t i = 0; i < race->group_count; i++) {
        bool found;
        uint64_t *place = race->groups[i].threads == 0
                              ? NULL
                              : analyze_hash_find(&race->alive, race->groups[i].id, &found);
        if (place == NULL && race->groups[i].threads != 0)
            return false;
        if (place != NULL)
            *place = i + 1;
    }
    return true;
}

/* The place of the group, new when none of its threads runs. UINT32_MAX: out of memory. */
static uint32_t enter_group(struct race *race, uint64_t id)
{
    bool found;
    uint64_t *place = clean_alive(race) ? analyze_hash_find(&race->alive, id, &found) : NULL;
    if (place == NULL)
        return UINT32_MAX;
    size_t at = (size_t)*place - 1;
    if (*place == 0 || race->groups[at].threads == 0 || race->groups[at].id != id) {
        for (at = 0; at < race->group_count && race->groups[at].threads != 0;)
            at++;
        if (at == race->group_count) {
            if (base_array_reserve((void **)&race->groups, &race->group_capacity, at + 1,
                                   sizeof *race->groups) != SONDE_OK)
                return UINT32_MAX;
            race->group_count++;
        }
        race->groups[at] = (struct group){.id = id, .local.block_bytes = sizeof(struct block)};
        *place = at + 1;
    }
    race->groups[at].threads++;
    return (uint32_t)at;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static bool start_thread(struct race *race, const struct analyze_visit *visit)
{
    const uint8_t *header;
    bool found;
    uint64_t *place = analyze_hash_find(&race->running, visit->thread, &found);
    if (place == NULL)
        return false;
    if (analyze_visit_item(visit, 0, &header)->size < 32) /* no r0: the group is not known */
        return true;
    if (*place == 0) {
        if (base_array_reserve((void **)&race->threads, &race->thread_capacity,
                               race->thread_count + 1, sizeof *race->threads) != SONDE_OK)
            return false;
        *place = race->thread_count + 1;
        race->threads[race->thread_count++] = (struct thread){.group = UINT32_MAX};
    }
    struct thread *thread = &race->threads[*place - 1];
    leave_group(race, thread);
    uint64_t id = mix(mix(mix(1, base_load32(header + 4)), base_load32(header + 24)),
                      base_load32(header + 28));
    thread->group = enter_group(race, id);
    thread->epoch = 0;
    thread->serial = race->starts++;
    return thread->group != UINT32_MAX;
}

static void end_dispatch(struct race *race)
{
    for (size_t i = 0; i < race->group_count; i++)
        analyze_blocks_clear(&race->groups[i].local);
    race->group_count = race->thread_count = 0;
    analyze_hash_clear(&race->running);
    analyze_hash_clear(&race->alive);
    analyze_blocks_clear(&race->memory);
}

/* --- visits ------------------------------------------------------------------------------ */

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

static const struct program *program_of(struct race *race, const struct analyze_code *code)
{
    uint32_t id = code->kernel->id;
    if (id >= race->program_count) {
        struct program *programs = realloc(race->programs, (id + 1) * sizeof *programs);
        if (programs == NULL)
            return NULL;
        memset(programs + race->program_count, 0,
               (id + 1 - race->program_count) * sizeof *programs);
        race->programs = programs;
        race->program_count = id + 1;
    }
    struct program *program = &race->programs[id];
    if (program->barriers != NULL)
        return program;
    program->granule = granule_of(code);
    program->barriers = calloc(code->count + 2, sizeof *program->barriers);
    for (size_t i = 0; i < code->count && program->barriers != NULL; i++)
        program->barriers[i + 1] = program->barriers[i] + (code->messages[i].is_message &&
                                                           code->messages[i].message.operation ==
                                                               SONDE_GEN_MESSAGE_BARRIER);
    return program->barriers != NULL ? program : NULL;
}

static uint64_t pack(const struct race *race, const struct thread *thread, uint32_t epoch,
                     uint32_t instruction, bool atomic)
{
    return ACCESS_VALID | (atomic ? ACCESS_ATOMIC : 0) |
           (uint64_t)(instruction & 0xffff) << ACCESS_INSTRUCTION |
           (uint64_t)(epoch & 0xffff) << ACCESS_EPOCH |
           (uint64_t)(thread->serial & 0x3ff) << ACCESS_THREAD |
           race->groups[thread->group].id << ACCESS_GROUP;
}

static bool see_accesses(struct race *race, const struct analyze_visit *visit,
                         const struct analyze_code *code, const struct program *program,
                         struct thread *thread)
{
    const struct sonde_trace_block *block = &visit->kernel->blocks[visit->block];
    uint32_t passed = block->first <= code->count ? program->barriers[block->first] : 0;
    struct scene scene = {.race = race, .visit = visit, .granule = program->granule};
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        struct analyze_access access;
        if (!analyze_access_read(code, visit, i, &access))
            continue;
        bool atomic = access.message->operation == SONDE_GEN_MESSAGE_ATOMIC;
        scene.message = access.message;
        scene.writes = atomic || access.message->operation == SONDE_GEN_MESSAGE_WRITE;
        scene.now =
            pack(race, thread, thread->epoch + program->barriers[access.instruction] - passed,
                 access.instruction, atomic);
        if (!touch_all(&scene, thread, &access))
            return false;
    }
    uint32_t end = block->first + block->count;
    thread->epoch += end <= code->count ? program->barriers[end] - passed : 0;
    return true;
}

static enum sonde_status see_visit(const struct analyze_visit *visit, void *context,
                                   struct sonde_error *error)
{
    struct race *race = context;
    const struct analyze_code *code = analyze_codes_get(&race->codes, visit, error);
    if (code == NULL)
        return error != NULL ? error->status : SONDE_ERROR_MEMORY;
    const struct program *program = program_of(race, code);
    if (race->dispatch != visit->dispatch)
        end_dispatch(race);
    race->dispatch = visit->dispatch;
    bool found = true, good = program != NULL && analyze_buffers_see(&race->buffers, visit);
    if (good && visit->starts_thread) {
        good = analyze_visit_item_count(visit) == 0 || start_thread(race, visit);
    } else if (good) {
        uint64_t *place = analyze_hash_find(&race->running, visit->thread, &found);
        good = place != NULL;
        struct thread *thread = good && *place != 0 ? &race->threads[*place - 1] : NULL;
        if (thread != NULL && thread->group != UINT32_MAX) /* else its start is lost */
            good = see_accesses(race, visit, code, program, thread);
    }
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

enum sonde_status analyze_races(const struct sonde_trace *trace,
                                const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                struct sonde_error *error)
{
    struct race race = {.rows = rows,
                        .dispatch = UINT32_MAX,
                        .memory.block_bytes = sizeof(struct block),
                        .buffers = {.trace = trace, .dispatch = UINT32_MAX}};
    snprintf(rows->note, sizeof rows->note,
             "channels of one hardware thread are not compared with each other, nor images");
    enum sonde_status status = analyze_records_walk(trace, matcher, see_visit, &race, error);
    end_dispatch(&race);
    analyze_codes_clear(&race.codes);
    analyze_hash_clear(&race.pairs);
    analyze_buffers_clear(&race.buffers);
    for (size_t i = 0; i < race.program_count; i++)
        free(race.programs[i].barriers);
    free(race.programs);
    free(race.threads);
    free(race.groups);
    return status;
}
