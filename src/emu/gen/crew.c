#include "emu/gen/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

struct emu_crew {
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t called, ended;
    pthread_t *threads;
    size_t thread_count, thread_capacity;
    void (*work)(void *item);
    void *const *items;
    uint32_t count, next; /* items, and the next one to begin */
    uint32_t open;        /* those below may begin */
    uint32_t busy;
    bool leaving;
};

struct emu_crew *emu_crew_create(void)
{
    struct emu_crew *crew = calloc(1, sizeof *crew);
    if (crew == NULL)
        return NULL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->called, NULL);
    pthread_cond_init(&crew->ended, NULL);
    return crew;
}

void emu_crew_destroy(struct emu_crew *crew)
{
    if (crew == NULL)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->leaving = true;
    pthread_cond_broadcast(&crew->called);
    pthread_mutex_unlock(&crew->lock);
    for (size_t i = 0; i < crew->thread_count; i++)
        pthread_join(crew->threads[i], NULL);
    free(crew->threads);
    pthread_cond_destroy(&crew->called);
    pthread_cond_destroy(&crew->ended);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

static void *member(void *argument)
{
    struct emu_crew *crew = argument;
    pthread_mutex_lock(&crew->lock);
    while (!crew->leaving) {
        if (crew->next >= crew->open) {
            pthread_cond_wait(&crew->called, &crew->lock);
            continue;
        }
        void *item = crew->items[crew->next++];
        void (*work)(void *) = crew->work;
        crew->busy++;
        pthread_mutex_unlock(&crew->lock);
        work(item);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->ended);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Threads for all items but the first, or as many as there can be. Lock held. */
static void hire(struct emu_crew *crew)
{
    while (crew->thread_count + 1 < crew->count) {
        void *threads = crew->threads;
        if (base_array_reserve(&threads, &crew->thread_capacity, crew->thread_count + 1,
                               sizeof *crew->threads) != SONDE_OK)
            return;
        crew->threads = threads;
        if (pthread_create(&crew->threads[crew->thread_count], NULL, member, crew) != 0)
            return;
        crew->thread_count++;
    }
}

void emu_crew_join_in(struct emu_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->open = crew->count;
    hire(crew);
    pthread_cond_broadcast(&crew->called);
    pthread_mutex_unlock(&crew->lock);
}

void emu_crew_run(struct emu_crew *crew, void (*work)(void *item), void *const *items,
                  uint32_t count)
{
    pthread_mutex_lock(&crew->lock);
    crew->work = work;
    crew->items = items;
    crew->count = count;
    crew->next = crew->open = 1;
    pthread_mutex_unlock(&crew->lock);
    work(items[0]);
    pthread_mutex_lock(&crew->lock);
    crew->open = 0;
    while (crew->busy > 0)
        pthread_cond_wait(&crew->ended, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}
