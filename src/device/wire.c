#include "device/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define GATHER_NS 100000
/* Of a driver that reads runs of pages one after the other. Not giving way in between:
 * where others want the processor, it would be away for milliseconds. */
#define LOOKS 100

bool device_wire_init(struct device_wire *wire, int fd)
{
    *wire = (struct device_wire){.fd = fd, .buffer = malloc(DEVICE_WIRE_BUFFER)};
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (wire->buffer == NULL)
        return false;
    /* Its pages come from the kernel now, not while the program waits. */
    memset(wire->buffer, 1, DEVICE_WIRE_BUFFER);
    return true;
}

void device_wire_clear(struct device_wire *wire)
{
    free(wire->buffer);
    wire->buffer = NULL;
}

/* The driver sends a request in two or more pieces without TCP_NODELAY: its
 * kernel holds a small piece back until the one before is acknowledged, and
 * ours delays that by 40 ms unless told otherwise each time. */
static void acknowledge(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

/* A driver that has sent one page of many need not wake this thread for each
 * piece of the next: let them gather first. Costs one such pause in a
 * submission. */
static void gather(void)
{
    nanosleep(&(struct timespec){0, GATHER_NS}, NULL);
}

static bool fill(struct device_wire *wire)
{
    if (wire->state != DEVICE_WIRE_OPEN)
        return false;
    if (wire->begin == wire->end)
        wire->begin = wire->end = 0;
    /* What comes gathered is waited for at once: whoever looks for it instead may keep the
     * processor from the thread that was woken to send it. But a run that is read is
     * followed by hundreds. */
    int looks = wire->run_read ? LOOKS : 0;
    wire->run_read = false;
    for (int flags = wire->gathered && looks == 0 ? 0 : MSG_DONTWAIT;;) {
        ssize_t got =
            recv(wire->fd, wire->buffer + wire->end, DEVICE_WIRE_BUFFER - wire->end, flags);
        if (got > 0) {
            wire->end += (size_t)got;
            return true;
        }
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN && flags != 0) {
            if (looks-- > 0)
                continue;
            acknowledge(wire->fd);
            if (wire->more_expected)
                gather();
            else
                flags = 0;
            wire->more_expected = false;
            continue;
        }
        wire->state = got == 0 ? DEVICE_WIRE_CLOSED : DEVICE_WIRE_FAILED;
        wire->error = got == 0 ? 0 : errno;
        return false;
    }
}

const uint8_t *device_wire_need(struct device_wire *wire, size_t size)
{
    if (size > DEVICE_WIRE_BUFFER)
        return NULL;
    if (DEVICE_WIRE_BUFFER - wire->begin < size) {
        memmove(wire->buffer, wire->buffer + wire->begin, wire->end - wire->begin);
        wire->end -= wire->begin;
        wire->begin = 0;
    }
    while (wire->end - wire->begin < size)
        if (!fill(wire))
            return NULL;
    const uint8_t *data = wire->buffer + wire->begin;
    wire->begin += size;
    return data;
}

const uint8_t *device_wire_some(struct device_wire *wire, size_t most, size_t *size)
{
    if (wire->begin == wire->end && !fill(wire))
        return NULL;
    *size = wire->end - wire->begin < most ? wire->end - wire->begin : most;
    const uint8_t *data = wire->buffer + wire->begin;
    wire->begin += *size;
    return data;
}

size_t device_wire_pending(const struct device_wire *wire)
{
    return wire->end - wire->begin;
}

bool device_wire_send(struct device_wire *wire, struct iovec *vector, int count)
{
    while (count > 0) {
        struct msghdr message = {.msg_iov = vector, .msg_iovlen = (size_t)count};
        ssize_t sent = sendmsg(wire->fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            wire->state = DEVICE_WIRE_FAILED;
            wire->error = errno;
            return false;
        }
        size_t left = (size_t)sent;
        while (count > 0 && left >= vector->iov_len) {
            left -= vector->iov_len;
            vector++;
            count--;
        }
        if (count > 0) {
            vector->iov_base = (uint8_t *)vector->iov_base + left;
            vector->iov_len -= left;
        }
    }
    return true;
}
