/* Fewer system calls between the unmodified driver and the emulated GPU.
 *
 * The driver sends each page of memory as five messages of two sends each,
 * and reads memory back page by page, waiting for each answer. A stream sits
 * between the two: it gathers what the driver sends until something has to
 * happen, leaves out what the server has already, and asks for all that the
 * device changed when the driver asks for a page. Until something is sent that may
 * start work, over any stream, it answers the driver's reads from that: the rest
 * is as the driver holds it, which is where its reads go. Where much changed, or
 * other work is under way, it asks for runs of pages instead. Results do not
 * change, only their cost.
 *
 * socket.c puts one in front of each connection of the driver's own, in
 * processes under `sonde run` with an emulated device. */
#ifndef SONDE_ATTACH_NEO_TRANSPORT_H
#define SONDE_ATTACH_NEO_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_stream;

/* NULL when out of memory. `fd` stays the caller's. */
struct attach_stream *attach_stream_create(int fd);
void attach_stream_destroy(struct attach_stream *stream);
/* As send(2) and recv(2) on a blocking socket; -1 with errno when the socket
 * failed. One exchange at a time: the
 * caller keeps other threads out from a request to the end of its answer. */
ssize_t attach_stream_send(struct attach_stream *stream, const void *data, size_t size);
ssize_t attach_stream_receive(struct attach_stream *stream, void *data, size_t size);
/* Whether the driver need not read, or write, the memory at a virtual address: it
 * has what the device has of it, and the server has what it would send. At most one
 * page, a write is of all of it. Asked of what the driver sent before. The same lock. */
bool attach_stream_has_read(struct attach_stream *stream, uint64_t address, size_t size);
bool attach_stream_has_written(struct attach_stream *stream, uint64_t address, const void *data);
/* Write pages for which attach_stream_has_written is true, all of them. False when the
 * socket failed. */
bool attach_stream_write_same(struct attach_stream *stream, uint64_t address, size_t size);
/* Faults of this process that the server told of with the last answer of any
 * stream. False when there may be more by now. The same lock. */
bool attach_stream_faults(uint32_t *count);

#endif
