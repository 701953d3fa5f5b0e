/* The driver's connection to the emulated GPU, made safe for threads and
 * cheaper (transport.h).
 *
 * The driver (22.43, tbx_sockets_imp.cpp) sends a request and reads its answer
 * without a lock, and polls for completion outside of its own locks: two
 * threads that wait at the same time take each other's answers, and never
 * return. Here one exchange is done at a time. The lock is a leaf: nothing
 * else is called while it is held. */
#ifndef SONDE_ATTACH_NEO_SOCKET_H
#define SONDE_ATTACH_NEO_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

/* Put locked versions behind the send and recv of the driver (its own calls
 * only, not the program's). False when its symbol table does not look right. */
bool attach_socket_guard(void *driver_handle);

/* Dispatches and commands of this process that the emulated GPU has stopped
 * with a fault. False when there is no connection to ask on. */
bool attach_socket_read_faults(uint32_t *count);

#endif
