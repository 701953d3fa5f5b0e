/* The hardware threads of a dispatch and the work-groups that they are in. */
#ifndef SONDE_ANALYZE_TEAMS_H
#define SONDE_ANALYZE_TEAMS_H

#include "analyze/shadow.h"

/* A work-group of which hardware threads run. */
struct analyze_group {
    uint64_t id;
    uint32_t threads;            /* 0: the place is free */
    struct analyze_shadow local; /* its local memory */
};

/* A hardware thread slot, and the thread that runs there. */
struct analyze_team_thread {
    uint32_t group;  /* place; UINT32_MAX none */
    uint32_t epoch;  /* barriers that it has passed */
    uint32_t serial; /* of its start */
};

/* Zero-initialise. */
struct analyze_teams {
    struct analyze_team_thread *threads; /* by slot, in the order in which they are met */
    size_t thread_count, thread_capacity;
    uint32_t starts;
    struct analyze_group *groups;
    size_t group_count, group_capacity;
    struct analyze_hash running; /* sr0.0 -> thread + 1 */
    struct analyze_hash alive;   /* id of a group -> place + 1 */
};

/* With the record of a thread's start. What is no longer remembered of local memory is
 * taken from *local_bytes. False when out of memory. */
bool analyze_teams_start(struct analyze_teams *teams, const struct analyze_visit *visit,
                         uint64_t *local_bytes);
/* The thread of a visit; NULL when its start or its group is not known. */
struct analyze_team_thread *analyze_teams_find(struct analyze_teams *teams,
                                               const struct analyze_visit *visit);
/* All threads have ended. */
void analyze_teams_end(struct analyze_teams *teams);
void analyze_teams_clear(struct analyze_teams *teams);

#endif
