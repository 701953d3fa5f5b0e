/* Which process is at the other end of a loopback connection. */
#ifndef SONDE_DEVICE_PEER_H
#define SONDE_DEVICE_PEER_H

#include <sys/types.h>

/* The process that opened the socket at the other end of `fd`, a connected
 * IPv4 loopback socket; 0 when it cannot be told (another user's process, a
 * process that is gone). A socket that a child inherited counts for the
 * parent. `hints` (zero-terminated, may be NULL) are looked at first. */
pid_t device_peer_process(int fd, const pid_t *hints);

#endif
