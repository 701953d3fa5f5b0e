#include "attach/neo/transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"

/* Messages of the TBX protocol: u32 type, u32 transaction, u32 body size, then
 * the body; the data of a memory write follow its body, uncounted. */
#define MESSAGE_MMIO   0u
#define MESSAGE_WRITE  4u
#define MESSAGE_READ   5u
#define MESSAGE_ANSWER 6u
/* Sonde's own, to its own server: a read of whole pages, whose body ends with a
 * u64 of the pages to send in any case (bit 0 = first); the answer's ends with
 * those that follow, the others are as the driver last sent or read them. */
#define MESSAGE_READ_CHANGED 0x53000005u
#define CHANGED_BODY         20u
/* Memory writes of a page without the data: of zeros; of what the driver sent or
 * read of that page last. */
#define MESSAGE_WRITE_ZEROS 0x53000004u
#define MESSAGE_WRITE_SAME  0x53000014u
#define HEADER_SIZE         12u
#define MEMORY_BODY         12u /* of a memory write or read */
#define BODY_LIMIT          64u

#define PAGE_SIZE   4096u
#define GATHER_SIZE (256u << 10)
#define RUN_PAGES   64u
/* Pages whose numbers are remembered as sent: the first 4 GiB. */
#define KNOWN_PAGES (1u << 20)

struct attach_stream {
    int fd;
    /* The message that the driver is in the middle of sending. */
    uint8_t message[HEADER_SIZE + BODY_LIMIT];
    size_t message_size;
    uint64_t data_left; /* bytes of a memory write still to come */
    bool whole_page;    /* they are a page: `message` is held back until they have come */
    bool opaque;        /* the stream is not what we know: pass everything on */
    /* Gathered, not yet sent. */
    uint8_t gathered[GATHER_SIZE];
    size_t gathered_size;
    /* Answer ready for the driver. */
    uint8_t answer[HEADER_SIZE + MEMORY_BODY + PAGE_SIZE];
    size_t answer_begin, answer_end;
    bool answer_unchanged; /* what the driver holds already is the answer's data */
    /* A run of pages read ahead. Each is handed out once: a driver that reads
     * a page again is polling it. */
    uint8_t run[RUN_PAGES * PAGE_SIZE];
    uint64_t run_first; /* page number */
    uint32_t run_count;
    uint64_t run_used;              /* bit n: page n was handed out */
    uint64_t run_changed;           /* bit n: page n is in `run`, else it is as the driver has it */
    uint8_t known[KNOWN_PAGES / 8]; /* bit n: the driver sent page n */
    /* Bit n: page n changed and the driver has not got all of it. */
    uint8_t owed[KNOWN_PAGES / 8];
    /* Of what page n held when the driver sent or read it last; 0 = not known. The
     * driver sends memory again before every submission. */
    uint64_t hash[KNOWN_PAGES];
};

struct attach_stream *attach_stream_create(int fd)
{
    struct attach_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->fd = fd;
    return stream;
}

void attach_stream_destroy(struct attach_stream *stream)
{
    free(stream);
}

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

static bool receive_all(int fd, uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t received = syscall(SYS_recvfrom, fd, data, size, 0, NULL, NULL);
        if (received < 0 && errno == EINTR)
            continue;
        if (received == 0)
            errno = ECONNRESET;
        if (received <= 0)
            return false;
        data += received;
        size -= (size_t)received;
    }
    return true;
}

static bool flush(struct attach_stream *s)
{
    size_t size = s->gathered_size;
    s->gathered_size = 0;
    return send_all(s->fd, s->gathered, size);
}

static bool gather(struct attach_stream *s, const uint8_t *data, size_t size)
{
    if (size > GATHER_SIZE - s->gathered_size && !flush(s))
        return false;
    if (size > GATHER_SIZE)
        return send_all(s->fd, data, size);
    memcpy(s->gathered + s->gathered_size, data, size);
    s->gathered_size += size;
    return true;
}

static uint64_t memory_address(const uint8_t *message)
{
    return (uint64_t)message[HEADER_SIZE + 3] << 32 | base_load32(message + HEADER_SIZE + 4);
}

static bool is_known(const struct attach_stream *s, uint64_t page)
{
    return page < KNOWN_PAGES && (s->known[page / 8] >> page % 8 & 1);
}

static void remember(struct attach_stream *s, uint64_t address, uint64_t size)
{
    for (uint64_t page = address / PAGE_SIZE; page * PAGE_SIZE < address + size; page++)
        if (page < KNOWN_PAGES) {
            s->known[page / 8] |= (uint8_t)(1u << page % 8);
            s->hash[page] = 0;
        }
}

static bool is_zeros(const uint8_t *data)
{
    return data[0] == 0 && memcmp(data, data + 1, PAGE_SIZE - 1) == 0;
}

/* The write of a whole page. */
static bool send_page(struct attach_stream *s, const uint8_t *data)
{
    uint64_t page = memory_address(s->message) / PAGE_SIZE;
    uint64_t hash = XXH3_64bits(data, PAGE_SIZE), before = s->hash[page];
    size_t size = PAGE_SIZE;
    remember(s, page * PAGE_SIZE, PAGE_SIZE);
    s->hash[page] = hash;
    if ((hash == before && hash != 0) || is_zeros(data)) {
        base_store32(s->message, hash == before ? MESSAGE_WRITE_SAME : MESSAGE_WRITE_ZEROS);
        size = 0;
    }
    return gather(s, s->message, HEADER_SIZE + MEMORY_BODY) && gather(s, data, size);
}

static bool is_owed(const struct attach_stream *s, uint64_t page)
{
    return s->owed[page / 8] >> page % 8 & 1;
}

static void set_owed(struct attach_stream *s, uint64_t page, bool owed)
{
    uint8_t bit = (uint8_t)(1u << page % 8);
    s->owed[page / 8] = (uint8_t)(owed ? s->owed[page / 8] | bit : s->owed[page / 8] & ~bit);
}

/* Forget the run; the server will not send again by itself what it holds. */
static void drop_run(struct attach_stream *s)
{
    for (uint64_t left = s->run_changed & ~s->run_used; left != 0; left &= left - 1)
        set_owed(s, s->run_first + (uint64_t)__builtin_ctzll(left), true);
    s->run_count = 0;
    s->run_changed = 0;
}

/* The changed pages of a run, each to its place. */
static bool receive_run(struct attach_stream *s)
{
    uint8_t answer[HEADER_SIZE + CHANGED_BODY];
    if (!receive_all(s->fd, answer, sizeof answer))
        return false;
    s->run_changed = base_load64(answer + HEADER_SIZE + MEMORY_BODY);
    if (base_load32(answer) != MESSAGE_ANSWER ||
        (s->run_count < RUN_PAGES && s->run_changed >> s->run_count != 0)) {
        s->run_changed = 0;
        errno = EPROTO;
        return false;
    }
    for (uint32_t first = 0; first < s->run_count;) {
        uint32_t end = first;
        while (end < s->run_count && (s->run_changed >> end & 1))
            end++;
        if (end > first && !receive_all(s->fd, s->run + (size_t)first * PAGE_SIZE,
                                        (size_t)(end - first) * PAGE_SIZE))
            return false;
        first = end + 1;
    }
    return true;
}

/* Fetch the run of known pages that starts with `page`, which `message` reads a
 * part of: whole pages are asked for. */
static bool fetch_run(struct attach_stream *s, const uint8_t *message, uint64_t page)
{
    drop_run(s);
    uint32_t count = 1;
    uint64_t owed = is_owed(s, page);
    for (; count < RUN_PAGES && is_known(s, page + count); count++)
        owed |= (uint64_t)is_owed(s, page + count) << count;
    uint8_t request[HEADER_SIZE + CHANGED_BODY];
    memcpy(request, message, HEADER_SIZE + MEMORY_BODY);
    base_store32(request, MESSAGE_READ_CHANGED);
    base_store32(request + 8, CHANGED_BODY);
    base_store32(request + HEADER_SIZE + 4, (uint32_t)(page * PAGE_SIZE));
    base_store32(request + HEADER_SIZE + 8, count * PAGE_SIZE);
    base_store64(request + HEADER_SIZE + MEMORY_BODY, owed);
    s->run_first = page;
    s->run_count = count;
    s->run_used = 0;
    return gather(s, request, sizeof request) && flush(s) && receive_run(s);
}

/* Answer a read of a part of one page from the run, fetching it if need be. */
static bool answer_read(struct attach_stream *s, const uint8_t *message, uint64_t address,
                        uint32_t size)
{
    uint64_t page = address / PAGE_SIZE;
    bool held = page >= s->run_first && page - s->run_first < s->run_count &&
                !(s->run_used >> (page - s->run_first) & 1);
    if (!held && !fetch_run(s, message, page))
        return false;
    uint64_t index = page - s->run_first;
    s->run_used |= (uint64_t)1 << index;
    memcpy(s->answer, message, HEADER_SIZE + MEMORY_BODY);
    base_store32(s->answer, MESSAGE_ANSWER);
    s->answer_unchanged = !(s->run_changed >> index & 1);
    if (!s->answer_unchanged) {
        memcpy(s->answer + HEADER_SIZE + MEMORY_BODY,
               s->run + index * PAGE_SIZE + address % PAGE_SIZE, size);
        set_owed(s, page, size != PAGE_SIZE);
        s->hash[page] =
            size == PAGE_SIZE ? XXH3_64bits(s->answer + HEADER_SIZE + MEMORY_BODY, PAGE_SIZE) : 0;
    }
    s->answer_begin = 0;
    s->answer_end = HEADER_SIZE + MEMORY_BODY + size;
    return true;
}

/* Take one whole message (without the data of a memory write). */
static bool take_message(struct attach_stream *s, const uint8_t *message, size_t size)
{
    uint32_t type = base_load32(message);
    bool memory =
        (type == MESSAGE_WRITE || type == MESSAGE_READ) && size == HEADER_SIZE + MEMORY_BODY;
    uint64_t address = memory ? memory_address(message) : 0;
    uint32_t length = memory ? base_load32(message + HEADER_SIZE + 8) : 0;
    if (memory && type == MESSAGE_READ && length > 0 && address % PAGE_SIZE + length <= PAGE_SIZE &&
        is_known(s, address / PAGE_SIZE) && s->answer_begin == s->answer_end)
        return answer_read(s, message, address, length);
    drop_run(s);
    if (memory && type == MESSAGE_WRITE) {
        s->data_left = length;
        s->whole_page =
            length == PAGE_SIZE && address % PAGE_SIZE == 0 && address / PAGE_SIZE < KNOWN_PAGES;
        if (s->whole_page)
            return true;
        remember(s, address, length);
    }
    /* Only memory writes may wait: everything else asks for something. */
    return gather(s, message, size) && (memory && type == MESSAGE_WRITE ? true : flush(s));
}

/* Take some of `data`; returns how much, or 0 when the socket failed. */
static size_t take(struct attach_stream *s, const uint8_t *data, size_t size)
{
    if (s->opaque)
        return gather(s, data, size) && flush(s) ? size : 0;
    if (s->whole_page) {
        s->whole_page = false;
        if (size >= PAGE_SIZE) {
            s->data_left = 0;
            return send_page(s, data) ? PAGE_SIZE : 0;
        }
        remember(s, memory_address(s->message), PAGE_SIZE); /* comes in pieces */
        if (!gather(s, s->message, HEADER_SIZE + MEMORY_BODY))
            return 0;
    }
    if (s->data_left > 0) {
        size_t part = size < s->data_left ? size : (size_t)s->data_left;
        s->data_left -= part;
        return gather(s, data, part) ? part : 0;
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
        return gather(s, s->message, s->message_size) && flush(s) ? part : 0;
    }
    if (s->message_size == HEADER_SIZE + body) {
        size_t message_size = s->message_size;
        s->message_size = 0;
        return take_message(s, s->message, message_size) ? part : 0;
    }
    return part;
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
        if (!(in_data && stream->answer_unchanged) &&
            memcmp(data, stream->answer + stream->answer_begin, part) != 0)
            memcpy(data, stream->answer + stream->answer_begin, part);
        stream->answer_begin += part;
        return (ssize_t)part;
    }
    bool flushed = flush(stream);
    if (!flushed)
        return -1;
    return syscall(SYS_recvfrom, stream->fd, data, size, 0, NULL, NULL);
}
