#include "device/process.h"

#include <stdlib.h>

#include "device/connection.h"

enum sonde_status device_process_create(struct device_machine *machine, pid_t pid,
                                        struct device_process **process, struct sonde_error *error)
{
    struct device_process *p = calloc(1, sizeof *p);
    if (p == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "no memory for a client process");
    p->machine = machine;
    p->pid = pid;
    pthread_mutex_init(&p->execution, NULL);
    pthread_mutex_init(&p->watch, NULL);
    enum sonde_status status = device_space_create(machine->memory_limit, &p->space, error);
    if (status == SONDE_OK) {
        struct emu_options options = {
            .host_threads = machine->host_threads,
            .max_instructions = machine->max_instructions,
            .timing = machine->timing,
            .check = machine->check,
            .count = machine->truth != NULL,
            .events = machine->events && machine->truth != NULL,
            .cancel = &p->cancel,
            .warm = true,
        };
        status = emu_create(&options, &p->emu);
    }
    if (status != SONDE_OK) {
        device_process_destroy(p);
        return status;
    }
    *process = p;
    return SONDE_OK;
}

void device_process_destroy(struct device_process *process)
{
    if (process == NULL)
        return;
    if (process->emu != NULL)
        emu_destroy(process->emu);
    device_space_destroy(process->space);
    pthread_mutex_destroy(&process->execution);
    pthread_mutex_destroy(&process->watch);
    free(process);
}

static void set_running(struct device_process *process, struct device_connection *connection)
{
    pthread_mutex_lock(&process->watch);
    process->running = connection;
    bool cancel = process->stopping || (connection != NULL && connection->abandoned);
    __atomic_store_n(&process->cancel, cancel, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&process->watch);
}

void device_process_begin(struct device_process *process, struct device_connection *connection)
{
    pthread_mutex_lock(&process->execution);
    set_running(process, connection);
}

void device_process_end(struct device_process *process)
{
    set_running(process, NULL);
    pthread_mutex_unlock(&process->execution);
}

void device_process_pause(struct device_process *process)
{
    device_process_end(process);
}

void device_process_resume(struct device_process *process, struct device_connection *connection)
{
    device_process_begin(process, connection);
}

void device_process_count_fault(struct device_process *process)
{
    atomic_fetch_add(&process->machine->faults, 1);
    atomic_fetch_add(&process->faults, 1);
}

bool device_process_cancelled(const struct device_process *process)
{
    return __atomic_load_n(&process->cancel, __ATOMIC_ACQUIRE);
}

bool device_process_is_running(void *context)
{
    struct device_process *process = context;
    pthread_mutex_lock(&process->watch);
    bool running = process->running != NULL;
    pthread_mutex_unlock(&process->watch);
    return running;
}

void device_process_abandon(struct device_process *process, struct device_connection *connection)
{
    pthread_mutex_lock(&process->watch);
    if (connection == NULL)
        process->stopping = true;
    else
        connection->abandoned = true;
    if (connection == NULL || process->running == connection)
        __atomic_store_n(&process->cancel, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&process->watch);
}

void device_process_advance(struct device_process *process, uint64_t cycles)
{
    __atomic_store_n(&process->cycles, process->cycles + cycles, __ATOMIC_RELAXED);
}

uint64_t device_process_ticks(const struct device_process *process)
{
    return __atomic_load_n(&process->cycles, __ATOMIC_RELAXED) /
           process->machine->configuration->cycles_per_tick;
}
