/* The TBX byte stream: buffered blocking reads of one connection.
 * (Protocol facts: compute-runtime 22.43, shared/source/tbx/tbx_proto.h.) */
#ifndef SONDE_DEVICE_WIRE_H
#define SONDE_DEVICE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define DEVICE_WIRE_BUFFER (64u * 1024)

/* Message types, little-endian dwords: type, transaction id, body size. */
enum device_message {
    DEVICE_MESSAGE_MMIO = 0,
    DEVICE_MESSAGE_MMIO_RESPONSE = 1,
    DEVICE_MESSAGE_GTT = 2,
    DEVICE_MESSAGE_WRITE = 4,
    DEVICE_MESSAGE_READ = 5,
    DEVICE_MESSAGE_READ_RESPONSE = 6,
    DEVICE_MESSAGE_CONTROL = 11,
    /* Sonde's own, of the attach library (src/attach/neo/transport.h). */
    DEVICE_MESSAGE_GATHERED = 0x53000000,     /* the stream comes gathered from now on */
    DEVICE_MESSAGE_WRITE_ZEROS = 0x53000004,  /* write of a page of zeros, without the data */
    DEVICE_MESSAGE_WRITE_SAME = 0x53000014,   /* of pages as the driver had them last */
    DEVICE_MESSAGE_READ_CHANGED = 0x53000005, /* of what changed, of a run of pages */
    DEVICE_MESSAGE_READ_NEWS = 0x53000015,    /* of all that changed */
    DEVICE_MESSAGE_TAKEN = 0x53000025,        /* the driver got that, of what it was sent as news */
};

#define DEVICE_HEADER_SIZE 12u

enum device_wire_state {
    DEVICE_WIRE_OPEN,
    DEVICE_WIRE_CLOSED, /* end of stream */
    DEVICE_WIRE_FAILED, /* reset or another error, errno value in `error` */
};

struct device_wire {
    int fd;
    uint8_t *buffer;
    size_t begin, end;
    enum device_wire_state state;
    int error;
    bool more_expected; /* the last message is one that is not followed by a wait */
    bool gathered;      /* what belongs together comes at once */
    bool run_read;      /* the last message read a run of pages */
};

/* False when out of memory. */
bool device_wire_init(struct device_wire *wire, int fd);
void device_wire_clear(struct device_wire *wire);

/* The next `size` (at most DEVICE_WIRE_BUFFER) bytes in one piece, valid until
 * the next call; NULL when the stream ended before (`state` says how). */
const uint8_t *device_wire_need(struct device_wire *wire, size_t size);
/* Between 1 and `most` bytes, *size of them; NULL at the end of the stream. */
const uint8_t *device_wire_some(struct device_wire *wire, size_t most, size_t *size);
/* Bytes received and not yet taken. */
size_t device_wire_pending(const struct device_wire *wire);

/* Send everything; false when the peer is gone. `vector` is used up. */
bool device_wire_send(struct device_wire *wire, struct iovec *vector, int count);

#endif
