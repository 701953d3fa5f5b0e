/* What the connections of one application process share. */
#ifndef SONDE_DEVICE_PROCESS_H
#define SONDE_DEVICE_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "device/model.h"
#include "device/space.h"
#include "emu/gen/emu.h"

struct device_connection;
struct device_truth;

/* Settings and totals of a server, shared by all processes. */
struct device_machine {
    const struct device_configuration *configuration;
    uint32_t host_threads;
    uint64_t max_instructions;
    bool timing, check;
    bool events;
    uint64_t memory_limit; /* bytes a process */
    int log_fd;
    struct device_truth *truth; /* NULL = none */
    atomic_uint_fast64_t dispatches, instructions, faults, cycles, nanoseconds;
};

struct device_process {
    struct device_machine *machine;
    struct device_process *next;
    pid_t pid; /* 0 = the peer could not be identified */
    unsigned references;
    atomic_uint_fast32_t faults; /* of the process; the machine counts those of all */
    struct device_space *space;
    struct emu *emu;
    /* Held while a ring runs: one command streamer of the process at a time. */
    pthread_mutex_t execution;
    uint64_t diverged; /* kernel that was warned about last, guarded by `execution` */
    /* Device clock: goes on under `execution`, is read without it. */
    uint64_t cycles;
    /* Guards `running`; `cancel` is read by the emulator without it. */
    pthread_mutex_t watch;
    struct device_connection *running;
    volatile bool cancel;
    bool stopping;
};

enum sonde_status device_process_create(struct device_machine *machine, pid_t pid,
                                        struct device_process **process, struct sonde_error *error);
void device_process_destroy(struct device_process *process);

/* Bracket the run of a ring. Cancellation requested for an earlier connection
 * does not reach this one. */
void device_process_begin(struct device_process *process, struct device_connection *connection);
void device_process_end(struct device_process *process);
/* Let other connections run while this one waits for them. */
void device_process_pause(struct device_process *process);
void device_process_resume(struct device_process *process, struct device_connection *connection);
/* One more dispatch or command that was stopped. */
void device_process_count_fault(struct device_process *process);
/* True when the running ring must give up. */
bool device_process_cancelled(const struct device_process *process);
/* A ring runs now. Any thread; `context` is the process. */
bool device_process_is_running(void *context);
/* The peer of `connection` is gone (or, with NULL, the server stops): end its
 * dispatch soon. Any thread. */
void device_process_abandon(struct device_process *process, struct device_connection *connection);

/* The device's clock goes on. A ring of the process runs. */
void device_process_advance(struct device_process *process, uint64_t cycles);
/* Device time in ticks of the timestamp registers. Any thread. */
uint64_t device_process_ticks(const struct device_process *process);

#endif
