/* Accesses of two threads to one place that nothing orders: at least one
 * writes, not both are atomic, and no barrier of a common group stands between
 * them. The order of the records tells which one came later in this run.
 *
 * What is remembered of memory has a limit. When a dispatch touches more, only a
 * part of the lines is looked at to its end, and its records are read again for
 * each other part, so that the result is the same. */
#include "analyze/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/buffers.h"
#include "analyze/tables.h"
#include "analyze/teams.h"
#include "base/array.h"

#define LIMIT     (UINT64_C(64) << 20) /* bytes */
#define MOST_BITS 20u                  /* of a hash that chooses lines */

/* What is known of a kernel's code besides the code. */
struct program {
    uint32_t *barriers; /* in front of each instruction; NULL: not looked at */
    uint8_t shift;      /* a place in memory has 1 << shift bytes */
};

/* Lines of a dispatch that are looked at in one pass over its records. */
struct pass {
    struct analyze_shadow_part part;
    uint64_t from; /* position of the records from which on races are new */
};

/* Where a race was first seen. */
struct origin {
    uint32_t dispatch;
    uint64_t position, order;
    size_t row;
};

struct race {
    const struct sonde_trace *trace;
    const struct analyze_matcher *matcher;
    struct analyze_rows *rows;
    struct analyze_codes codes;
    struct analyze_buffers buffers;
    struct program *programs; /* by id of the kernel */
    size_t program_count;
    uint32_t dispatch;
    struct analyze_teams teams;
    struct analyze_shadow memory;
    uint64_t limit, local_bytes;
    struct pass pass;
    struct pass *later; /* of the dispatch */
    size_t later_count, later_capacity;
    struct analyze_hash pairs; /* -> row */
    struct origin *origins;    /* by row */
    size_t origin_capacity;
};

/* A visit, and what of it is needed for each access. */
struct scene {
    struct race *race;
    const struct analyze_visit *visit;
    const struct sonde_gen_message *message;
};

static const char *const kinds[] = {
    [ANALYZE_WRITE_AFTER_WRITE] = "write after write",
    [ANALYZE_READ_AFTER_WRITE] = "read after write",
    [ANALYZE_WRITE_AFTER_READ] = "write after read",
};

/* --- rows -------------------------------------------------------------------------------- */

static bool is_earlier(const struct origin *a, const struct origin *b)
{
    if (a->dispatch != b->dispatch)
        return a->dispatch < b->dispatch;
    return a->position != b->position ? a->position < b->position : a->order < b->order;
}

static void set_first(const struct scene *scene, struct analyze_row *row, uint64_t address)
{
    const struct analyze_buffers *buffers = &scene->race->buffers;
    row->block = scene->visit->block;
    row->value[RACE_ADDRESS] = address;
    if (scene->message->address_model == SONDE_GEN_ADDRESS_SLM)
        snprintf(row->buffer, sizeof row->buffer, "local memory");
    else
        analyze_buffers_name(buffers, analyze_buffers_find(buffers, scene->message, address),
                             row->buffer, sizeof row->buffer);
}

static struct analyze_row *add_row(struct race *race, uint64_t *place)
{
    size_t number = race->rows->count;
    if (base_array_reserve((void **)&race->origins, &race->origin_capacity, number + 1,
                           sizeof *race->origins) != SONDE_OK)
        return NULL;
    *place = number;
    return analyze_rows_add(race->rows);
}

static bool note_conflict(struct analyze_touch *touch, enum analyze_race_kind kind, uint64_t before,
                          uint64_t address, uint32_t times)
{
    const struct scene *scene = touch->context;
    struct race *race = scene->race;
    const struct analyze_visit *visit = scene->visit;
    if (visit->position < race->pass.from) /* seen in an earlier pass */
        return true;
    uint64_t first = before >> ANALYZE_ACCESS_INSTRUCTION & 0xffff;
    uint64_t second = touch->now >> ANALYZE_ACCESS_INSTRUCTION & 0xffff;
    uint64_t key = ((uint64_t)visit->kernel->id << 36 | first << 20 | second << 4) + kind;
    bool found;
    uint64_t *place = analyze_hash_find(&race->pairs, key, &found);
    if (place == NULL || (!found && add_row(race, place) == NULL))
        return false;
    struct analyze_row *row = &race->rows->items[*place];
    const struct origin origin = {.dispatch = visit->dispatch,
                                  .position = visit->position,
                                  .order = touch->order,
                                  .row = *place};
    if (!found) {
        row->kernel = visit->kernel;
        row->instruction = (uint32_t)second;
        row->value[RACE_FIRST] = first;
        row->value[RACE_SECOND] = second;
        snprintf(row->text, sizeof row->text, "%s", kinds[kind]);
    }
    if (!found || is_earlier(&origin, &race->origins[*place])) {
        race->origins[*place] = origin;
        set_first(scene, row, address);
    }
    row->value[RACE_TIMES] += times;
    return true;
}

static int compare_origins(const void *a, const void *b)
{
    const struct origin *one = a, *other = b;
    if (is_earlier(one, other))
        return -1;
    if (is_earlier(other, one))
        return 1;
    return (one->row > other->row) - (one->row < other->row);
}

/* In the order in which they were first seen, whatever the pass. */
static bool sort_rows(struct race *race)
{
    size_t count = race->rows->count;
    struct analyze_row *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return false;
    if (count > 0)
        qsort(race->origins, count, sizeof *race->origins, compare_origins);
    for (size_t i = 0; i < count; i++)
        sorted[i] = race->rows->items[race->origins[i].row];
    if (count > 0)
        memcpy(race->rows->items, sorted, count * sizeof *sorted);
    free(sorted);
    return true;
}

/* --- programs ------------------------------------------------------------------------------ */

/* A dword; a byte, where any message is narrower. */
static uint8_t shift_of(const struct analyze_code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        const struct analyze_message *message = &code->messages[i];
        if (message->is_message && message->message.layout == SONDE_GEN_LAYOUT_SCATTERED &&
            message->message.element_size < 4)
            return 0;
    }
    return 2;
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
    program->shift = shift_of(code);
    program->barriers = calloc(code->count + 2, sizeof *program->barriers);
    for (size_t i = 0; i < code->count && program->barriers != NULL; i++)
        program->barriers[i + 1] = program->barriers[i] + (code->messages[i].is_message &&
                                                           code->messages[i].message.operation ==
                                                               SONDE_GEN_MESSAGE_BARRIER);
    return program->barriers != NULL ? program : NULL;
}

/* --- visits ------------------------------------------------------------------------------ */

static bool see_access(struct race *race, struct analyze_touch *touch, struct analyze_group *group,
                       const struct analyze_access *access)
{
    const struct sonde_gen_message *message = access->message;
    touch->is_surface = message->address_model == SONDE_GEN_ADDRESS_SURFACE;
    touch->surface = message->bti;
    if (message->address_model != SONDE_GEN_ADDRESS_SLM)
        return analyze_shadow_touch(&race->memory, touch, access);
    race->local_bytes -= analyze_shadow_bytes(&group->local); /* every group has its own */
    bool good = analyze_shadow_touch(&group->local, touch, access);
    race->local_bytes += analyze_shadow_bytes(&group->local);
    return good;
}

static bool see_accesses(struct race *race, const struct analyze_visit *visit,
                         const struct analyze_code *code, const struct program *program,
                         struct analyze_team_thread *thread)
{
    const struct sonde_trace_block *block = &visit->kernel->blocks[visit->block];
    uint32_t passed = block->first <= code->count ? program->barriers[block->first] : 0;
    struct analyze_group *group = &race->teams.groups[thread->group];
    struct scene scene = {.race = race, .visit = visit};
    struct analyze_touch touch = {.shift = program->shift,
                                  .part = race->pass.part,
                                  .conflict = note_conflict,
                                  .context = &scene};
    const uint64_t who = ANALYZE_ACCESS_VALID |
                         (uint64_t)(thread->serial & 0x3ff) << ANALYZE_ACCESS_THREAD |
                         group->id << ANALYZE_ACCESS_GROUP;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        struct analyze_access access;
        if (!analyze_access_read(code, visit, i, &access))
            continue;
        bool atomic = access.message->operation == SONDE_GEN_MESSAGE_ATOMIC;
        uint32_t epoch = thread->epoch + program->barriers[access.instruction] - passed;
        scene.message = access.message;
        touch.writes = atomic || access.message->operation == SONDE_GEN_MESSAGE_WRITE;
        touch.now = who | (atomic ? ANALYZE_ACCESS_ATOMIC : 0) |
                    (uint64_t)(access.instruction & 0xffff) << ANALYZE_ACCESS_INSTRUCTION |
                    (uint64_t)(epoch & 0xffff) << ANALYZE_ACCESS_EPOCH;
        if (!see_access(race, &touch, group, &access))
            return false;
    }
    uint32_t end = block->first + block->count;
    thread->epoch += end <= code->count ? program->barriers[end] - passed : 0;
    return true;
}

/* Put off half of the lines for as long as there are too many. */
static bool put_off(struct race *race, uint64_t position)
{
    struct pass *pass = &race->pass;
    while (analyze_shadow_bytes(&race->memory) + race->local_bytes > race->limit &&
           pass->part.mask >> MOST_BITS == 0) {
        if (base_array_reserve((void **)&race->later, &race->later_capacity, race->later_count + 1,
                               sizeof *race->later) != SONDE_OK)
            return false;
        uint64_t bit = pass->part.mask + 1;
        pass->part.mask |= bit;
        race->later[race->later_count++] =
            (struct pass){.part = {.mask = pass->part.mask, .value = pass->part.value | bit},
                          .from = position + 1 > pass->from ? position + 1 : pass->from};
        analyze_shadow_keep(&race->memory, pass->part);
        race->local_bytes = 0;
        for (size_t i = 0; i < race->teams.group_count; i++) {
            analyze_shadow_keep(&race->teams.groups[i].local, pass->part);
            race->local_bytes += analyze_shadow_bytes(&race->teams.groups[i].local);
        }
    }
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
    bool good = program != NULL && analyze_buffers_see(&race->buffers, visit);
    if (good && visit->starts_thread) {
        good = analyze_visit_item_count(visit) == 0 ||
               analyze_teams_start(&race->teams, visit, &race->local_bytes);
    } else if (good) {
        struct analyze_team_thread *thread = analyze_teams_find(&race->teams, visit);
        if (thread != NULL) /* else its start is lost */
            good =
                see_accesses(race, visit, code, program, thread) && put_off(race, visit->position);
    }
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

/* --- passes ------------------------------------------------------------------------------ */

static void end_pass(struct race *race)
{
    analyze_teams_end(&race->teams);
    analyze_shadow_clear(&race->memory);
    race->local_bytes = 0;
    race->pass = (struct pass){.from = 0};
}

/* The passes over a dispatch that were put off. */
static enum sonde_status end_dispatch(struct race *race, struct sonde_error *error)
{
    const struct analyze_selection again = {.matcher = race->matcher,
                                            .has_dispatch = true,
                                            .dispatch = race->dispatch,
                                            .time_last = UINT64_MAX};
    enum sonde_status status = SONDE_OK;
    end_pass(race);
    while (race->later_count > 0 && status == SONDE_OK) {
        race->pass = race->later[--race->later_count];
        status = analyze_records_select(race->trace, &again, see_visit, race, error);
        end_pass(race);
    }
    return status;
}

static enum sonde_status see_first(const struct analyze_visit *visit, void *context,
                                   struct sonde_error *error)
{
    struct race *race = context;
    enum sonde_status status = SONDE_OK;
    if (race->dispatch != visit->dispatch)
        status = end_dispatch(race, error);
    race->dispatch = visit->dispatch;
    return status == SONDE_OK ? see_visit(visit, context, error) : status;
}

static void clear(struct race *race)
{
    analyze_teams_clear(&race->teams);
    analyze_shadow_clear(&race->memory);
    analyze_codes_clear(&race->codes);
    analyze_hash_clear(&race->pairs);
    analyze_buffers_clear(&race->buffers);
    for (size_t i = 0; i < race->program_count; i++)
        free(race->programs[i].barriers);
    free(race->programs);
    free(race->later);
    free(race->origins);
}

enum sonde_status analyze_races_within(const struct sonde_trace *trace,
                                       const struct analyze_matcher *matcher, uint64_t limit,
                                       struct analyze_rows *rows, struct sonde_error *error)
{
    struct race race = {.trace = trace,
                        .matcher = matcher,
                        .rows = rows,
                        .limit = limit,
                        .dispatch = UINT32_MAX,
                        .buffers = {.trace = trace, .dispatch = UINT32_MAX}};
    snprintf(rows->note, sizeof rows->note,
             "channels of one hardware thread are not compared with each other, nor images");
    enum sonde_status status = analyze_records_walk(trace, matcher, see_first, &race, error);
    if (status == SONDE_OK)
        status = end_dispatch(&race, error);
    if (status == SONDE_OK && !sort_rows(&race))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    clear(&race);
    return status;
}

enum sonde_status analyze_races(const struct sonde_trace *trace,
                                const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                struct sonde_error *error)
{
    return analyze_races_within(trace, matcher, LIMIT, rows, error);
}
