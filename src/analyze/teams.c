#include "analyze/teams.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"

static void leave_group(struct analyze_teams *teams, struct analyze_team_thread *thread,
                        uint64_t *local_bytes)
{
    if (thread->group == UINT32_MAX)
        return;
    struct analyze_group *group = &teams->groups[thread->group];
    if (--group->threads == 0) {
        *local_bytes -= analyze_shadow_bytes(&group->local);
        analyze_shadow_clear(&group->local);
    }
    thread->group = UINT32_MAX;
}

/* Forget the groups that have ended, when there are many. */
static bool clean_alive(struct analyze_teams *teams)
{
    if (teams->alive.count < 4 * teams->group_count + 64)
        return true;
    analyze_hash_clear(&teams->alive);
    for (size_t i = 0; i < teams->group_count; i++) {
        bool found;
        uint64_t *place = teams->groups[i].threads == 0
                              ? NULL
                              : analyze_hash_find(&teams->alive, teams->groups[i].id, &found);
        if (place == NULL && teams->groups[i].threads != 0)
            return false;
        if (place != NULL)
            *place = i + 1;
    }
    return true;
}

/* The place of the group, new when none of its threads runs. UINT32_MAX: out of memory. */
static uint32_t enter_group(struct analyze_teams *teams, uint64_t id)
{
    bool found;
    uint64_t *place = clean_alive(teams) ? analyze_hash_find(&teams->alive, id, &found) : NULL;
    if (place == NULL)
        return UINT32_MAX;
    size_t at = (size_t)*place - 1;
    if (*place == 0 || teams->groups[at].threads == 0 || teams->groups[at].id != id) {
        for (at = 0; at < teams->group_count && teams->groups[at].threads != 0;)
            at++;
        if (at == teams->group_count) {
            if (base_array_reserve((void **)&teams->groups, &teams->group_capacity, at + 1,
                                   sizeof *teams->groups) != SONDE_OK)
                return UINT32_MAX;
            teams->group_count++;
        }
        teams->groups[at] = (struct analyze_group){.id = id};
        *place = at + 1;
    }
    teams->groups[at].threads++;
    return (uint32_t)at;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

bool analyze_teams_start(struct analyze_teams *teams, const struct analyze_visit *visit,
                         uint64_t *local_bytes)
{
    const uint8_t *header;
    bool found;
    uint64_t *place = analyze_hash_find(&teams->running, visit->thread, &found);
    if (place == NULL)
        return false;
    if (analyze_visit_item(visit, 0, &header)->size < 32) /* no r0: the group is not known */
        return true;
    if (*place == 0) {
        if (base_array_reserve((void **)&teams->threads, &teams->thread_capacity,
                               teams->thread_count + 1, sizeof *teams->threads) != SONDE_OK)
            return false;
        *place = teams->thread_count + 1;
        teams->threads[teams->thread_count++] = (struct analyze_team_thread){.group = UINT32_MAX};
    }
    struct analyze_team_thread *thread = &teams->threads[*place - 1];
    leave_group(teams, thread, local_bytes);
    uint64_t id = mix(mix(mix(1, base_load32(header + 4)), base_load32(header + 24)),
                      base_load32(header + 28));
    thread->group = enter_group(teams, id);
    thread->epoch = 0;
    thread->serial = teams->starts++;
    return thread->group != UINT32_MAX;
}

void analyze_teams_end(struct analyze_teams *teams)
{
    for (size_t i = 0; i < teams->group_count; i++)
        analyze_shadow_clear(&teams->groups[i].local);
    teams->group_count = teams->thread_count = 0;
    analyze_hash_clear(&teams->running);
    analyze_hash_clear(&teams->alive);
}

struct analyze_team_thread *analyze_teams_find(struct analyze_teams *teams,
                                               const struct analyze_visit *visit)
{
    const uint64_t *place = analyze_hash_get(&teams->running, visit->thread);
    struct analyze_team_thread *thread =
        place != NULL && *place != 0 ? &teams->threads[*place - 1] : NULL;
    return thread != NULL && thread->group != UINT32_MAX ? thread : NULL;
}

void analyze_teams_clear(struct analyze_teams *teams)
{
    analyze_teams_end(teams);
    free(teams->threads);
    free(teams->groups);
    *teams = (struct analyze_teams){.threads = NULL};
}
