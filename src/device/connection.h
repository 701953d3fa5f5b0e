/* One TBX connection: one command stream receiver (engine context) of the
 * driver, with its own physical pages, global GTT and registers. */
#ifndef SONDE_DEVICE_CONNECTION_H
#define SONDE_DEVICE_CONNECTION_H

#include "device/physical.h"
#include "device/process.h"
#include "device/registers.h"
#include "device/streamer.h"
#include "device/wire.h"

#define DEVICE_CONTEXT_LIMIT 16u

/* A logical ring context: what the hardware would save between submissions. */
struct device_context {
    bool used;
    uint32_t lrca;
    uint32_t head;
    struct device_state state;
};

struct device_connection {
    struct device_process *process;
    unsigned number; /* in the server's life, for messages */
    struct device_wire wire;
    struct device_physical *physical;
    struct device_registers registers;
    uint32_t submit_port[4]; /* writes to the submit port so far */
    unsigned submit_count;
    uint32_t submit_engine;
    struct device_context contexts[DEVICE_CONTEXT_LIMIT];
    struct device_streamer streamer;
    unsigned submissions;
    bool unknown_read; /* a read of memory that this connection never sent was logged */
    bool abandoned;    /* guarded by process->watch */
    bool left;         /* the last submission ended because the peer is gone or the server stops */
};

/* The connection reads `fd` but does not close it. */
enum sonde_status device_connection_create(struct device_process *process, int fd, unsigned number,
                                           struct device_connection **connection,
                                           struct sonde_error *error);
void device_connection_destroy(struct device_connection *connection);

/* Answer messages until the peer closes or breaks the protocol (logged). */
void device_connection_serve(struct device_connection *connection);

/* Run the context that `descriptor` names on the engine at `engine_base`
 * (ring.c). False when the context cannot be run to a state in which the
 * driver would see its completion; the connection must then be closed. */
bool device_connection_submit(struct device_connection *connection, uint32_t engine_base,
                              uint64_t descriptor);

/* Register read of the command streamer or of an MMIO request: the clocks run,
 * the rest is as last written. */
uint32_t device_connection_register(const struct device_connection *connection, uint32_t offset);

#endif
