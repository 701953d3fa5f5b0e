#include "attach/neo/transport_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/neo/page_hash.h"
#include "base/bytes.h"

/* An answer to a small kernel is there within microseconds: looking for it beats
 * going to sleep and being woken. */
#define LOOKS 100
/* Registers that start work when written to, from the engine's base on: the
 * fourth write to the port of Gen9; the control of the queue of Gen12. */
#define ENGINE_MASK        0xfffu
#define ENGINE_PORT        0x230u
#define ENGINE_CONTROL     0x550u
#define ENGINE_PORT_WRITES 4u

/* The system call itself: send and recv of this process come here. */
static bool send_all(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = syscall(SYS_sendto, fd, data, size, 0, NULL, 0);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        data += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool attach_stream_fetch(struct attach_stream *s, uint8_t *data, size_t size)
{
    int looks = LOOKS;
    while (size > 0) {
        ssize_t received =
            syscall(SYS_recvfrom, s->fd, data, size, looks > 0 ? MSG_DONTWAIT : 0, NULL, NULL);
        if (received < 0 && errno == EINTR)
            continue;
        if (received < 0 && errno == EAGAIN && looks > 0) {
            looks--;
            continue;
        }
        if (received == 0)
            errno = ECONNRESET;
        if (received <= 0)
            return false;
        data += received;
        size -= (size_t)received;
    }
    return true;
}

bool attach_stream_flush(struct attach_stream *s)
{
    size_t size = s->gathered_size;
    s->gathered_size = 0;
    s->same_end = 0;
    return send_all(s->fd, s->gathered, size);
}

bool attach_stream_gather(struct attach_stream *s, const uint8_t *data, size_t size)
{
    if (size > GATHER_SIZE - s->gathered_size && !attach_stream_flush(s))
        return false;
    if (size > GATHER_SIZE)
        return send_all(s->fd, data, size);
    memcpy(s->gathered + s->gathered_size, data, size);
    s->gathered_size += size;
    return s->gathered_size < GATHER_SEND || attach_stream_flush(s);
}

/* Does the register write start something, as far as is known? */
static bool is_start(struct attach_stream *s, const uint8_t *message)
{
    uint32_t offset = base_load32(message + HEADER_SIZE + 4);
    if ((offset & ENGINE_MASK) == ENGINE_PORT) {
        s->port_writes = offset == s->port ? s->port_writes + 1 : 1;
        s->port = offset;
        return s->port_writes % ENGINE_PORT_WRITES == 0;
    }
    return (offset & ENGINE_MASK) == ENGINE_CONTROL;
}

/* A message other than of memory. */
static bool pass_on(struct attach_stream *s, uint32_t type, const uint8_t *message, size_t size)
{
    bool is_register = type == MESSAGE_MMIO && size >= HEADER_SIZE + 8;
    bool is_read = type == MESSAGE_READ || (is_register && !(message[HEADER_SIZE] & 1));
    bool waits = type == MESSAGE_GTT || type == MESSAGE_CONTROL ||
                 (is_register && !is_read && !is_start(s, message));
    attach_read_drop(s);
    if (type == MESSAGE_READ)
        attach_work.fault_epoch = 0; /* of what was never sent: the server may object */
    if (!is_read && !waits) {
        attach_work.epoch++;
        attach_work.outstanding += !s->is_outstanding;
        s->is_outstanding = true;
    }
    return attach_pages_settle(s) && attach_stream_gather(s, message, size) &&
           (waits || attach_stream_flush(s));
}

/* Take one whole message (without the data of a memory write). */
static bool take_message(struct attach_stream *s, const uint8_t *message, size_t size)
{
    uint32_t type = base_load32(message);
    if ((type != MESSAGE_WRITE && type != MESSAGE_READ) || size != HEADER_SIZE + MEMORY_BODY)
        return pass_on(s, type, message, size);
    uint64_t address = attach_memory_address(message), page = address / PAGE_SIZE;
    uint32_t length = base_load32(message + HEADER_SIZE + 8);
    if (type == MESSAGE_WRITE) {
        attach_read_drop(s);
        return attach_pages_write(s, address, length);
    }
    if (length > 0 && address % PAGE_SIZE + length <= PAGE_SIZE && page < KNOWN_PAGES &&
        attach_page_bit(s->known, page) && s->answer_begin == s->answer_end)
        return attach_pages_settle(s) && attach_read_answer(s, message, address, length);
    return pass_on(s, type, message, size);
}

/* A whole one at once, as the driver sends nearly all of its messages. */
static bool is_memory_message(const struct attach_stream *s, const uint8_t *data, size_t size)
{
    return s->message_size == 0 && size >= HEADER_SIZE + MEMORY_BODY &&
           base_load32(data + 8) == MEMORY_BODY;
}

/* Take some of `data`; returns how much, or 0 when the socket failed. */
static size_t take(struct attach_stream *s, const uint8_t *data, size_t size)
{
    if (s->opaque)
        return attach_stream_gather(s, data, size) && attach_stream_flush(s) ? size : 0;
    if (s->data_left > 0)
        return attach_pages_data(s, data, size);
    if (is_memory_message(s, data, size)) {
        memcpy(s->message, data, HEADER_SIZE + MEMORY_BODY);
        return take_message(s, s->message, HEADER_SIZE + MEMORY_BODY) ? HEADER_SIZE + MEMORY_BODY
                                                                      : 0;
    }
    size_t wanted = HEADER_SIZE;
    if (s->message_size >= HEADER_SIZE)
        wanted += base_load32(s->message + 8);
    size_t part = size < wanted - s->message_size ? size : wanted - s->message_size;
    memcpy(s->message + s->message_size, data, part);
    s->message_size += part;
    if (s->message_size < HEADER_SIZE)
        return part;
    uint32_t body = base_load32(s->message + 8);
    if (body > BODY_LIMIT) {
        s->opaque = true;
        bool done = attach_pages_settle(s);
        attach_work.epoch++;
        return done && attach_stream_gather(s, s->message, s->message_size) &&
                       attach_stream_flush(s)
                   ? part
                   : 0;
    }
    if (s->message_size == HEADER_SIZE + body) {
        size_t message_size = s->message_size;
        s->message_size = 0;
        return take_message(s, s->message, message_size) ? part : 0;
    }
    return part;
}

struct attach_stream *attach_stream_create(int fd)
{
    struct attach_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    static const uint8_t zeros[PAGE_SIZE];
    stream->fd = fd;
    stream->zero_hash = attach_page_hash(zeros);
    uint8_t message[HEADER_SIZE + 4] = {0};
    base_store32(message, MESSAGE_GATHERED);
    base_store32(message + 8, 4);
    attach_stream_gather(stream, message, sizeof message); /* it fits */
    return stream;
}

void attach_stream_destroy(struct attach_stream *stream)
{
    attach_work.outstanding -= stream->is_outstanding;
    attach_places_clear(&stream->places);
    free(stream);
}

ssize_t attach_stream_send(struct attach_stream *stream, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    size_t taken = 0;
    while (taken < size) {
        size_t part = take(stream, bytes + taken, size - taken);
        if (part == 0)
            break;
        taken += part;
    }
    return taken == size ? (ssize_t)size : -1;
}

/* Hand out a piece of an answer's data. What the driver sends in parts of pages and reads
 * back is memory of the program, the size of which it rounds up to pages for an image: of
 * that, only what the device changed. What the program wrote beside since must stay. */
static void hand_over(struct attach_stream *s, uint8_t *data, size_t size)
{
    const uint8_t *answer = s->answer + s->answer_begin;
    uint64_t address =
        attach_memory_address(s->answer) + s->answer_begin - HEADER_SIZE - MEMORY_BODY;
    struct attach_sent *sent = &s->sent[address / PAGE_SIZE % SENT_PAGES];
    if (sent->page != address / PAGE_SIZE + 1) {
        if (memcmp(data, answer, size) != 0)
            memcpy(data, answer, size);
        return;
    }
    for (size_t i = 0, at = address % PAGE_SIZE; i < size; i++, at++) {
        bool is_had = attach_page_bit(sent->has, at) && sent->data[at] == answer[i];
        if (!is_had && data[i] != answer[i])
            data[i] = answer[i];
        sent->data[at] = answer[i];
        attach_page_set(sent->has, at, true);
    }
}

ssize_t attach_stream_receive(struct attach_stream *stream, void *data, size_t size)
{
    size_t ready = stream->answer_end - stream->answer_begin;
    if (ready > 0) {
        size_t part = size < ready ? size : ready, head = HEADER_SIZE + MEMORY_BODY;
        bool in_data = stream->answer_begin >= head;
        if (!in_data && part > head - stream->answer_begin)
            part = head - stream->answer_begin;
        /* The driver reads back what the application only gave as a source too,
         * constants for one. Those are what they were and may not be writable. */
        if (!in_data)
            memcpy(data, stream->answer + stream->answer_begin, part);
        else if (!stream->answer_unchanged)
            hand_over(stream, data, part);
        stream->answer_begin += part;
        return (ssize_t)part;
    }
    bool flushed = attach_stream_flush(stream);
    if (!flushed)
        return -1;
    return syscall(SYS_recvfrom, stream->fd, data, size, 0, NULL, NULL);
}
