#include "emu/gen/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

#define RUN_BYTES 12u

struct emu_event_log *emu_events_begin(const struct emu_thread *thread)
{
    struct emu_event_log *log = calloc(1, sizeof *log);
    if (log == NULL)
        return NULL;
    log->run = SIZE_MAX;
    log->state = thread->state[0];
    log->order = thread->group->number << 16 | thread->index;
    memcpy(log->group, thread->group->id, sizeof log->group);
    return log;
}

static uint8_t *grow(struct emu_event_log *log, size_t size)
{
    if (log->failed ||
        base_array_reserve((void **)&log->data, &log->capacity, log->size + size, 1) != SONDE_OK) {
        log->failed = true;
        return NULL;
    }
    uint8_t *place = log->data + log->size;
    log->size += size;
    return place;
}

/* Payload registers of a message, as its descriptor counts them. */
static void log_message(struct emu_thread *thread, const struct emu_operation *operation,
                        uint32_t mask)
{
    const struct sonde_gen_instruction *send = &operation->details->instruction;
    if (send->send.descriptor_is_register || send->src[0].indirect || send->send.end_of_thread)
        return;
    uint32_t first = send->send.descriptor >> 25 & 0xf, second = send->send.src1_length;
    uint8_t *place = grow(thread->log, RUN_BYTES + (size_t)(first + second) * EMU_GRF_SIZE);
    if (place == NULL)
        return;
    base_store32(place, (first + second) << 1 | 1);
    base_store32(place + 4, operation->details->address);
    base_store32(place + 8, mask);
    place += RUN_BYTES;
    const struct sonde_gen_operand *sources[2] = {&send->src[0], &send->src[1]};
    const uint32_t lengths[2] = {first, second};
    for (unsigned i = 0; i < 2; i++) {
        for (uint32_t r = 0; r < lengths[i]; r++, place += EMU_GRF_SIZE) {
            uint32_t number = (sources[i]->number + r) % EMU_GRF_COUNT;
            memcpy(place, thread->grf + (size_t)number * EMU_GRF_SIZE, EMU_GRF_SIZE);
        }
    }
    thread->log->run = SIZE_MAX;
}

/* A run ends where control flow may change what is enabled: at a branch, and
 * before a place where waiting channels may wake. */
void emu_events_step(struct emu_thread *thread, const struct emu_operation *operation,
                     uint32_t mask)
{
    struct emu_event_log *log = thread->log;
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    if (log->run == SIZE_MAX || log->expected != operation || operation->target) {
        uint8_t *place = grow(log, RUN_BYTES);
        if (place == NULL)
            return;
        log->run = log->size - RUN_BYTES;
        base_store32(place, 0);
        base_store32(place + 4, operation->details->address);
        base_store32(place + 8, thread->active);
    }
    uint8_t *run = log->data + log->run;
    base_store32(run, base_load32(run) + 2);
    log->expected = operation->next;
    if (sonde_gen_opcode_is_branch(instruction->opcode))
        log->run = SIZE_MAX;
    else if (sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_SEND)
        log_message(thread, operation, mask);
}

void emu_events_take_back(struct emu_thread *thread)
{
    struct emu_event_log *log = thread->log;
    if (log->failed || log->run == SIZE_MAX)
        return;
    uint8_t *run = log->data + log->run;
    base_store32(run, base_load32(run) - 2);
    if (base_load32(run) == 0)
        log->size = log->run;
    log->run = SIZE_MAX;
}

void emu_events_end(struct emu_thread *thread)
{
    thread->log->next = thread->worker->logs;
    thread->worker->logs = thread->log;
    thread->log = NULL;
}

static int compare(const void *a, const void *b)
{
    const struct emu_event_log *x = *(struct emu_event_log *const *)a;
    const struct emu_event_log *y = *(struct emu_event_log *const *)b;
    return x->order < y->order ? -1 : x->order > y->order;
}

static size_t list_logs(struct emu_worker *const *workers, uint32_t count,
                        struct emu_event_log **list)
{
    size_t found = 0;
    for (uint32_t w = 0; w < count; w++)
        for (struct emu_event_log *log = workers[w]->logs; log != NULL; log = log->next) {
            if (list != NULL)
                list[found] = log;
            found++;
        }
    return found;
}

bool emu_events_gather(struct emu_worker *const *workers, uint32_t count, struct emu_result *result)
{
    size_t threads = list_logs(workers, count, NULL);
    struct emu_event_log **list = calloc(threads + 1, sizeof(struct emu_event_log *));
    result->events = calloc(threads + 1, sizeof *result->events);
    bool good = list != NULL && result->events != NULL;
    if (good)
        list_logs(workers, count, list);
    if (good && threads > 1)
        qsort(list, threads, sizeof(struct emu_event_log *), compare);
    for (size_t i = 0; i < threads && good; i++) {
        good = !list[i]->failed;
        result->events[i] = (struct emu_event_thread){
            .state = list[i]->state,
            .group = {list[i]->group[0], list[i]->group[1], list[i]->group[2]},
            .data = list[i]->data,
            .size = list[i]->size,
        };
        list[i]->data = NULL; /* goes over to the result */
        result->event_count = i + 1;
    }
    free(list);
    return good;
}

void emu_events_clear(struct emu_event_log *list)
{
    while (list != NULL) {
        struct emu_event_log *next = list->next;
        free(list->data);
        free(list);
        list = next;
    }
}
