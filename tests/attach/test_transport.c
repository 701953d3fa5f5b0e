/* A driver that sends memory in random pieces and reads it back through a
 * stream must see what it would see without one, with fewer requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/neo/transport.h"
#include "base/bytes.h"

#define PAGES     200u
#define PAGE_SIZE 4096u

/* The other end: memory, and a register whose every write changes page 0, and a
 * page as it says: byte 1 page, byte 0 what to fill it with. */
struct server {
    int fd;
    uint8_t memory[PAGES * PAGE_SIZE];
    bool changed[PAGES];
    uint8_t sent[PAGES]; /* what the driver filled the page with, or read, last */
    unsigned without_data;
    unsigned pages_sent;
    unsigned reads, register_writes;
};

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
            server->sent[address / PAGE_SIZE + i] = server->memory[address + i * PAGE_SIZE];
        if ((wanted >> i & 1) &&
            write(server->fd, server->memory + address + i * PAGE_SIZE, PAGE_SIZE) != PAGE_SIZE)
            return false;
    }
    return true;
}

static void *serve(void *argument)
{
    struct server *server = argument;
    uint8_t header[12], body[64];
    while (get(server->fd, header, sizeof header)) {
        uint32_t type = base_load32(header), size = base_load32(header + 8);
        if (size > sizeof body || !get(server->fd, body, size))
            break;
        uint32_t address = base_load32(body + 4), length = base_load32(body + 8);
        if (type == 4 && !get(server->fd, server->memory + address, length))
            break;
        if (type == 0) {
            server->register_writes++;
            base_store32(server->memory, server->register_writes);
            memset(server->memory + body[9] * PAGE_SIZE, body[8], body[9] ? PAGE_SIZE : 0);
            server->changed[0] = server->changed[body[9]] = true;
        }
        if (type == 4 && length == PAGE_SIZE)
            server->sent[address / PAGE_SIZE] = server->memory[address];
        if (type == 0x53000004 || type == 0x53000014) { /* zeros; as the driver knows it */
            server->without_data++;
            if (type == 0x53000004)
                server->sent[address / PAGE_SIZE] = 0;
            memset(server->memory + address, server->sent[address / PAGE_SIZE], PAGE_SIZE);
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

struct fixture {
    struct server server;
    pthread_t thread;
    int fd;
    struct attach_stream *stream;
    uint32_t transaction;
    uint32_t seed;
    uint8_t memory[PAGES * PAGE_SIZE]; /* the driver's own copy, where its reads go */
};

static int set_up(void **state)
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

static int tear_down(void **state)
{
    struct fixture *f = *state;
    close(f->fd);
    pthread_join(f->thread, NULL);
    close(f->server.fd);
    attach_stream_destroy(f->stream);
    free(f);
    return 0;
}

static uint32_t random_below(struct fixture *f, uint32_t limit)
{
    f->seed = f->seed * 1664525u + 1013904223u;
    return (f->seed >> 8) % limit;
}

/* In pieces of random size, as no driver does but any may. */
static void put(struct fixture *f, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t part = 1 + random_below(f, 40);
        if (part > size - done)
            part = size - done;
        assert_int_equal(attach_stream_send(f->stream, (const char *)data + done, part), part);
        done += part;
    }
}

static void put_message(struct fixture *f, uint32_t type, uint32_t word0, uint32_t word1,
                        uint32_t word2)
{
    uint32_t message[6] = {type, f->transaction++, 12, word0, word1, word2};
    put(f, message, sizeof message);
}

static void write_page(struct fixture *f, uint32_t page, uint8_t value)
{
    uint8_t data[PAGE_SIZE];
    memset(data, value, sizeof data);
    memset(f->memory + page * PAGE_SIZE, value, PAGE_SIZE);
    put_message(f, 4, 0, page * PAGE_SIZE, PAGE_SIZE);
    assert_int_equal(attach_stream_send(f->stream, data, sizeof data), sizeof data);
}

static void read_to(struct fixture *f, uint32_t address, uint32_t size, uint8_t *data)
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

static void read_memory(struct fixture *f, uint32_t address, uint32_t size, uint8_t *data)
{
    read_to(f, address, size, f->memory + address);
    memcpy(data, f->memory + address, size);
}

static void pages_come_back_with_fewer_requests(void **state)
{
    struct fixture *f = *state;
    uint8_t data[PAGE_SIZE];
    for (uint32_t page = 0; page < PAGES; page++)
        write_page(f, page, (uint8_t)(page + 1));
    put_message(f, 0, 1, 0x2230, 0);
    for (uint32_t page = 1; page < PAGES; page++) {
        uint32_t size = 1 + random_below(f, PAGE_SIZE);
        read_memory(f, page * PAGE_SIZE, size, data);
        for (uint32_t i = 0; i < size; i++)
            assert_int_equal(data[i], (uint8_t)(page + 1));
    }
    assert_true(f->server.reads <= 5);
    assert_int_equal(f->server.pages_sent, 0);
}

static void pages_sent_again_need_no_data(void **state)
{
    struct fixture *f = *state;
    uint8_t data[PAGE_SIZE];
    write_page(f, 1, 0);
    write_page(f, 2, 5);
    write_page(f, 2, 5);
    put_message(f, 0, 1, 0x2230, 2 << 8 | 9);
    read_memory(f, 2 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(f->server.without_data, 2);
    assert_int_equal(data[0], 9);
    write_page(f, 2, 9);
    write_page(f, 2, 5);
    read_memory(f, 2 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(f->server.without_data, 3);
    assert_int_equal(f->server.memory[2 * PAGE_SIZE + 17], 5);
    assert_int_equal(f->server.memory[PAGE_SIZE + 17], 0);
}

static void what_the_device_changed_comes_back(void **state)
{
    struct fixture *f = *state;
    uint8_t data[PAGE_SIZE];
    for (uint32_t page = 0; page < PAGES; page++)
        write_page(f, page, 1);
    put_message(f, 0, 1, 0x2230, 20 << 8 | 7);
    read_memory(f, 19 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(data[0], 1);
    /* Read ahead and not handed out before something ends the run. */
    put_message(f, 0, 1, 0x2230, 0);
    read_memory(f, 18 * PAGE_SIZE, PAGE_SIZE, data);
    read_memory(f, 20 * PAGE_SIZE, 100, data);
    assert_int_equal(data[99], 7);
    /* The rest of a page of which a part was read. */
    put_message(f, 0, 1, 0x2230, 0);
    read_memory(f, 20 * PAGE_SIZE + 200, 100, data);
    assert_int_equal(data[0], 7);
    unsigned sent = f->server.pages_sent;
    read_memory(f, 20 * PAGE_SIZE, PAGE_SIZE, data);
    put_message(f, 0, 1, 0x2230, 0);
    read_memory(f, 20 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(data[PAGE_SIZE - 1], 7);
    assert_int_equal(f->server.pages_sent, sent + 1);
}

static void a_page_read_again_is_fetched_again(void **state)
{
    struct fixture *f = *state;
    uint8_t data[4];
    write_page(f, 0, 0);
    write_page(f, 1, 7);
    for (unsigned i = 1; i <= 3; i++) {
        read_memory(f, 0, 4, data);
        assert_int_equal(f->server.reads, i);
    }
    /* A register write, as the one that submits work, ends every run. */
    read_memory(f, 0, 4, data);
    put_message(f, 0, 1, 0x2230, 0);
    read_memory(f, PAGE_SIZE, 4, data);
    assert_int_equal(data[0], 7);
    read_memory(f, 0, 4, data);
    assert_int_equal(base_load32(data), f->server.register_writes);
}

static void unknown_pages_are_asked_for_by_themselves(void **state)
{
    struct fixture *f = *state;
    uint8_t data[8];
    write_page(f, 3, 9);
    f->server.memory[5 * PAGE_SIZE] = 77;
    read_memory(f, 3 * PAGE_SIZE, 8, data);
    read_memory(f, 5 * PAGE_SIZE, 8, data);
    assert_int_equal(data[0], 77);
    assert_int_equal(f->server.reads, 2);
    /* A read across two pages is passed on as it is. */
    write_page(f, 4, 11);
    read_memory(f, 4 * PAGE_SIZE - 4, 8, data);
    assert_int_equal(data[3], 9);
    assert_int_equal(data[4], 11);
}

static void unchanged_memory_is_not_written(void **state)
{
    struct fixture *f = *state;
    uint8_t *constant = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(constant, MAP_FAILED);
    write_page(f, 3, 0);
    read_to(f, 3 * PAGE_SIZE + 5, 100, constant + 5);
    assert_int_equal(munmap(constant, PAGE_SIZE), 0);
}

static void random_traffic_matches_a_model(void **state)
{
    struct fixture *f = *state;
    uint8_t model[PAGES] = {0}, data[PAGE_SIZE];
    for (unsigned step = 0; step < 3000; step++) {
        uint32_t page = 1 + random_below(f, PAGES - 1), value = random_below(f, 256);
        if (random_below(f, 4) == 0) {
            write_page(f, page, (uint8_t)value);
            model[page] = (uint8_t)value;
        } else if (random_below(f, 8) == 0) {
            put_message(f, 0, 1, 0x2230, page << 8 | value);
            model[page] = (uint8_t)value;
        } else {
            uint32_t offset = random_below(f, PAGE_SIZE - 1);
            uint32_t size = 1 + random_below(f, PAGE_SIZE - offset);
            read_memory(f, page * PAGE_SIZE + offset, size, data);
            assert_int_equal(data[0], model[page]);
            assert_int_equal(data[size - 1], model[page]);
        }
    }
}

static void a_stream_of_unknown_form_is_passed_on(void **state)
{
    struct fixture *f = *state;
    uint32_t message[4] = {99, 0, 1u << 30, 0};
    put(f, message, sizeof message);
    uint8_t byte = 1;
    assert_int_equal(attach_stream_send(f->stream, &byte, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pages_come_back_with_fewer_requests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_sent_again_need_no_data, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_the_device_changed_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_page_read_again_is_fetched_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_pages_are_asked_for_by_themselves, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(unchanged_memory_is_not_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_traffic_matches_a_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stream_of_unknown_form_is_passed_on, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
