#include "fake_traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

static bool get(int fd, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, (char *)data + done, size - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* A read of pages of which only those are sent that changed or must be. */
static bool send_changed(struct server *server, uint8_t *header, uint8_t *body)
{
    uint32_t address = base_load32(body + 4), count = base_load32(body + 8) / PAGE_SIZE;
    uint64_t wanted = base_load64(body + 12);
    for (uint32_t i = 0; i < count; i++) {
        wanted |= (uint64_t)server->changed[address / PAGE_SIZE + i] << i;
        server->changed[address / PAGE_SIZE + i] = false;
    }
    base_store32(header, 6);
    base_store64(body + 12, wanted);
    if (write(server->fd, header, 12) != 12 || write(server->fd, body, 20) != 20)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        server->pages_sent += wanted >> i & 1;
        if (wanted >> i & 1)
            server->untaken[address / PAGE_SIZE + i] = false;
        if (wanted >> i & 1)
            server->sent[address / PAGE_SIZE + i] = server->memory[address + i * PAGE_SIZE];
        if ((wanted >> i & 1) &&
            write(server->fd, server->memory + address + i * PAGE_SIZE, PAGE_SIZE) != PAGE_SIZE)
            return false;
    }
    return true;
}

static bool is_news(const struct server *server, uint32_t page)
{
    return server->has_news && server->changed[page] && !server->untaken[page];
}

/* Whether the page is news; then it is told, and not taken yet. */
static bool tell_news(struct server *server, uint32_t page)
{
    if (!is_news(server, page))
        return false;
    server->changed[page] = false;
    server->untaken[page] = true;
    return true;
}

/* With `words` dwords behind it, which stand there. */
static bool answer_news(struct server *server, uint8_t *header, uint8_t *body, uint32_t state,
                        uint32_t words)
{
    base_store32(header, 6);
    base_store32(header + 8, 24 + 4 * words);
    base_store32(body + 12, state);
    base_store32(body + 16, server->register_writes); /* as faults */
    base_store32(body + 20, words);
    return write(server->fd, header, 12) == 12 &&
           write(server->fd, body, 24 + 4 * words) == (ssize_t)(24 + 4 * words);
}

/* Bit n for page n. */
static bool send_marks(struct server *server, uint8_t *header, uint8_t *body)
{
    const uint32_t words = (PAGES + 31) / 32;
    uint8_t *marks = body + 24;
    memset(marks, 0, 4 * words);
    for (uint32_t page = 0; page < PAGES; page++)
        if (tell_news(server, page))
            marks[page / 8] |= (uint8_t)(1u << page % 8);
    server->marked++;
    return answer_news(server, header, body, 3, words);
}

/* All that changed, but for what was sent so and has not been taken. */
static bool send_news(struct server *server, uint8_t *header, uint8_t *body)
{
    uint32_t count = 0, told = 0;
    server->news++;
    for (uint32_t page = 0; page < PAGES; page++)
        count += is_news(server, page);
    if (count > 64)
        return send_marks(server, header, body);
    for (uint32_t page = 0; page < PAGES; page++)
        if (tell_news(server, page))
            base_store32(body + 24 + 4 * told++, page);
    if (!answer_news(server, header, body, server->has_news, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        server->pages_sent++;
        if (write(server->fd, server->memory + base_load32(body + 24 + 4 * i) * PAGE_SIZE,
                  PAGE_SIZE) != PAGE_SIZE)
            return false;
    }
    return true;
}

/* Writes without data: zeros; as the driver knows it. */
static void take_write(struct server *server, uint32_t type, uint32_t address, uint32_t length)
{
    server->without_data++;
    for (uint32_t page = address / PAGE_SIZE; page * PAGE_SIZE < address + length; page++) {
        if (type == 0x53000004)
            server->sent[page] = 0;
        memset(server->memory + page * PAGE_SIZE, server->sent[page], PAGE_SIZE);
    }
}

/* The tables lie beyond the memory that there is here. */
static bool take_data(struct server *server, const uint8_t *body, uint32_t length)
{
    uint8_t entry[8];
    uint32_t address = base_load32(body + 4);
    if (body[3] == 0 && address < sizeof server->memory)
        return get(server->fd, server->memory + address, length);
    server->table_entries++;
    return length == sizeof entry && get(server->fd, entry, length);
}

static void *serve(void *argument)
{
    struct server *server = argument;
    uint8_t header[12], body[24 + 4 * PAGES];
    while (get(server->fd, header, sizeof header)) {
        server->messages++;
        uint32_t type = base_load32(header), size = base_load32(header + 8);
        if (size > sizeof body || !get(server->fd, body, size))
            break;
        uint32_t address = base_load32(body + 4), length = base_load32(body + 8);
        if (type == 4 && !take_data(server, body, length))
            break;
        if (type == 0) {
            server->register_writes++;
            base_store32(server->memory, server->register_writes);
            memset(server->memory + body[9] * PAGE_SIZE, body[8], body[9] ? PAGE_SIZE : 0);
            server->changed[0] = server->changed[body[9]] = true;
        }
        if (type == 4 && length == PAGE_SIZE && address < sizeof server->memory)
            server->sent[address / PAGE_SIZE] = server->memory[address];
        if (type == 0x53000004 || type == 0x53000014)
            take_write(server, type, address, length);
        if (type == 0x53000015 && !send_news(server, header, body))
            break;
        if (type == 0x53000025) {
            server->taken++;
            server->untaken[address / PAGE_SIZE] = false;
            if (length == PAGE_SIZE)
                server->sent[address / PAGE_SIZE] = server->memory[address];
        }
        if (type == 0x53000005) {
            server->reads++;
            if (!send_changed(server, header, body))
                break;
        }
        if (type == 5) {
            server->reads++;
            base_store32(header, 6);
            if (write(server->fd, header, 12) != 12 || write(server->fd, body, 12) != 12 ||
                write(server->fd, server->memory + address, length) != (ssize_t)length)
                break;
        }
    }
    return NULL;
}

int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    int pair[2];
    if (f == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return -1;
    f->fd = pair[0];
    f->server.fd = pair[1];
    f->seed = 1;
    f->stream = attach_stream_create(f->fd);
    *state = f;
    return f->stream == NULL ? -1 : pthread_create(&f->thread, NULL, serve, &f->server);
}

int set_up_news(void **state)
{
    int status = set_up(state);
    if (status == 0)
        ((struct fixture *)*state)->server.has_news = true;
    return status;
}

int tear_down(void **state)
{
    struct fixture *f = *state;
    close(f->fd);
    pthread_join(f->thread, NULL);
    close(f->server.fd);
    attach_stream_destroy(f->stream);
    free(f);
    return 0;
}

uint32_t random_below(struct fixture *f, uint32_t limit)
{
    f->seed = f->seed * 1664525u + 1013904223u;
    return (f->seed >> 8) % limit;
}

void put(struct fixture *f, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t part = 1 + random_below(f, 40);
        if (part > size - done)
            part = size - done;
        assert_int_equal(attach_stream_send(f->stream, (const char *)data + done, part), part);
        done += part;
    }
}

void put_message(struct fixture *f, uint32_t type, uint32_t word0, uint32_t word1, uint32_t word2)
{
    uint32_t message[6] = {type, f->transaction++, 12, word0, word1, word2};
    put(f, message, sizeof message);
}

void write_page(struct fixture *f, uint32_t page, uint8_t value)
{
    uint8_t data[PAGE_SIZE];
    memset(data, value, sizeof data);
    memset(f->memory + page * PAGE_SIZE, value, PAGE_SIZE);
    put_message(f, 4, 0, page * PAGE_SIZE, PAGE_SIZE);
    assert_int_equal(attach_stream_send(f->stream, data, sizeof data), sizeof data);
}

void read_to(struct fixture *f, uint32_t address, uint32_t size, uint8_t *data)
{
    uint8_t answer[24];
    put_message(f, 5, 0, address, size);
    for (size_t done = 0; done < sizeof answer + size;) {
        size_t want = done < sizeof answer ? sizeof answer - done : sizeof answer + size - done;
        uint8_t *to = done < sizeof answer ? answer + done : data + done - sizeof answer;
        ssize_t n = attach_stream_receive(f->stream, to, want);
        assert_true(n > 0);
        done += (size_t)n;
    }
    assert_int_equal(base_load32(answer), 6);
    assert_int_equal(base_load32(answer + 4), f->transaction - 1);
    assert_int_equal(base_load32(answer + 16), address);
    assert_int_equal(base_load32(answer + 20), size);
}

void read_memory(struct fixture *f, uint32_t address, uint32_t size, uint8_t *data)
{
    read_to(f, address, size, f->memory + address);
    memcpy(data, f->memory + address, size);
}

void put_entry(struct fixture *f, uint64_t address, uint64_t value)
{
    uint32_t high = (uint32_t)(address >> 32) << 24;
    put_message(f, 4, high, (uint32_t)address, 8);
    assert_int_equal(attach_stream_send(f->stream, &value, 8), 8);
}

void map_page(struct fixture *f, uint64_t virtual, uint64_t frame)
{
    put_entry(f, (1ull << 29) + 8 * (virtual >> 27),
              ((1ull << 30) + (virtual >> 27) * PAGE_SIZE) | 7);
    put_entry(f, (1ull << 30) + 8 * (virtual >> 18),
              ((1ull << 31) + (virtual >> 18) * PAGE_SIZE) | 7);
    put_entry(f, (1ull << 31) + 8 * (virtual >> 9),
              ((1ull << 32) + (virtual >> 9) * PAGE_SIZE) | 7);
    put_entry(f, (1ull << 32) + 8 * virtual, frame * PAGE_SIZE | 7);
}
