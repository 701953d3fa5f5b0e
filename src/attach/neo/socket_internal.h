/* Of socket.c, for walk.c. */
#ifndef SONDE_ATTACH_NEO_SOCKET_INTERNAL_H
#define SONDE_ATTACH_NEO_SOCKET_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct attach_stream;

/* The lock of all streams. False when this thread is in an exchange, and has it. */
bool attach_socket_acquire(void);
void attach_socket_release(void);

/* The stream of this thread's last exchange since it forgot; NULL when none. */
struct attach_stream *attach_socket_last(void);
void attach_socket_forget_last(void);

/* How many connections there have been. Under the lock: no stream goes away
 * without this growing. */
uint64_t attach_socket_connections(void);

/* Put a function into a table that is read-only after relocation. */
bool attach_socket_replace(void **slot, void *function);

#endif
