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

#include "attach/neo/page_hash.h"
#include "attach/neo/transport.h"
#include "base/bytes.h"

#define PAGES     200u
#define PAGE_SIZE 4096u
#define START     0x2550u /* a register whose write starts work */
#define PORT      0x2230u /* one of Gen9: the fourth write does */

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
    bool has_news;        /* else there is always work under way */
    bool untaken[PAGES];  /* sent as news */
    unsigned news, taken; /* requests, messages */
    unsigned table_entries, messages;
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
            server->untaken[address / PAGE_SIZE + i] = false;
        if (wanted >> i & 1)
            server->sent[address / PAGE_SIZE + i] = server->memory[address + i * PAGE_SIZE];
        if ((wanted >> i & 1) &&
            write(server->fd, server->memory + address + i * PAGE_SIZE, PAGE_SIZE) != PAGE_SIZE)
            return false;
    }
    return true;
}

/* All that changed, but for what was sent so and has not been taken. */
static bool send_news(struct server *server, uint8_t *header, uint8_t *body)
{
    uint32_t count = 0;
    server->news++;
    for (uint32_t page = 0; server->has_news && page < PAGES; page++) {
        if (!server->changed[page] || server->untaken[page])
            continue;
        server->changed[page] = false;
        server->untaken[page] = true;
        base_store32(body + 24 + 4 * count++, page);
    }
    base_store32(header, 6);
    base_store32(header + 8, 24 + 4 * count);
    base_store32(body + 12, server->has_news);
    base_store32(body + 16, server->register_writes); /* as faults */
    base_store32(body + 20, count);
    if (write(server->fd, header, 12) != 12 ||
        write(server->fd, body, 24 + 4 * count) != (ssize_t)(24 + 4 * count))
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

static int set_up_news(void **state)
{
    int status = set_up(state);
    if (status == 0)
        ((struct fixture *)*state)->server.has_news = true;
    return status;
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
    put_message(f, 0, 1, START, 0);
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
    put_message(f, 0, 1, START, 2 << 8 | 9);
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
    put_message(f, 0, 1, START, 20 << 8 | 7);
    read_memory(f, 19 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(data[0], 1);
    /* Read ahead and not handed out before something ends the run. */
    put_message(f, 0, 1, START, 0);
    read_memory(f, 18 * PAGE_SIZE, PAGE_SIZE, data);
    read_memory(f, 20 * PAGE_SIZE, 100, data);
    assert_int_equal(data[99], 7);
    /* The rest of a page of which a part was read. */
    put_message(f, 0, 1, START, 0);
    read_memory(f, 20 * PAGE_SIZE + 200, 100, data);
    assert_int_equal(data[0], 7);
    unsigned sent = f->server.pages_sent;
    read_memory(f, 20 * PAGE_SIZE, PAGE_SIZE, data);
    put_message(f, 0, 1, START, 0);
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
    put_message(f, 0, 1, START, 0);
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
            put_message(f, 0, 1, START, page << 8 | value);
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

/* One request for everything, until work may have started again. */
static void news_answer_all_reads(void **state)
{
    struct fixture *f = *state;
    uint8_t data[PAGE_SIZE];
    uint32_t faults;
    for (uint32_t page = 0; page < PAGES; page++)
        write_page(f, page, (uint8_t)(page + 1));
    put_message(f, 0, 1, START, 150 << 8 | 77);
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t page = 0; page < PAGES; page++) {
            read_memory(f, page * PAGE_SIZE, PAGE_SIZE, data);
            uint8_t expected = page == 150 ? 77 : (uint8_t)(page + 1);
            assert_int_equal(data[PAGE_SIZE - 1], page == 0 ? 1 : expected);
        }
    assert_int_equal(base_load32(f->memory), 1);
    assert_int_equal(f->server.news, 1);
    assert_int_equal(f->server.reads, 0);
    assert_int_equal(f->server.pages_sent, 2);
    assert_true(attach_stream_faults(&faults));
    assert_int_equal(faults, 1);
    put_message(f, 0, 1, START, 0);
    assert_false(attach_stream_faults(&faults));
    read_memory(f, 0, 4, data);
    assert_int_equal(base_load32(data), 2);
    assert_int_equal(f->server.news, 2);
    assert_int_equal(f->server.taken, 2);
}

/* What the driver left of the news is there when it asks for it later. */
static void news_left_are_owed(void **state)
{
    struct fixture *f = *state;
    uint8_t data[PAGE_SIZE];
    for (uint32_t page = 0; page < 20; page++)
        write_page(f, page, 1);
    put_message(f, 0, 1, START, 10 << 8 | 7);
    read_memory(f, 0, 4, data);
    put_message(f, 0, 1, START, 13 << 8 | 8);
    read_memory(f, 0, 4, data);
    read_memory(f, 13 * PAGE_SIZE, 100, data);
    assert_int_equal(data[99], 8);
    assert_int_equal(f->server.reads, 0);
    read_memory(f, 10 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(data[PAGE_SIZE - 1], 7);
    assert_int_equal(f->server.reads, 1);
    /* The part of a page that the driver has got already, and another. */
    put_message(f, 0, 1, START, 0);
    read_memory(f, 13 * PAGE_SIZE, 100, data);
    assert_int_equal(data[0], 8);
    assert_int_equal(f->server.reads, 1);
    read_memory(f, 13 * PAGE_SIZE + 100, 100, data);
    assert_int_equal(data[0], 8);
    assert_int_equal(f->server.reads, 2);
}

/* The port of Gen9 is written to four times, and nothing asked for. */
static void work_starts_at_once(void **state)
{
    struct fixture *f = *state;
    uint8_t data[4];
    put_message(f, 0, 1, 0x2080, 0);
    for (unsigned i = 0; i < 4; i++)
        put_message(f, 0, 1, PORT, 0);
    while (__atomic_load_n(&f->server.register_writes, __ATOMIC_ACQUIRE) < 5)
        usleep(1000);
    write_page(f, 0, 0);
    put_message(f, 0, 1, START, 0);
    while (__atomic_load_n(&f->server.register_writes, __ATOMIC_ACQUIRE) < 6)
        usleep(1000);
    read_memory(f, 0, 4, data);
    assert_int_equal(base_load32(data), 6);
}

/* News of one stream do not hold while another's work may be under way. */
static void news_wait_for_other_streams(void **state)
{
    struct fixture *f = *state;
    int pair[2];
    uint8_t data[4];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    struct attach_stream *other = attach_stream_create(pair[0]);
    const uint32_t message[6] = {0, 0, 12, 1, START, 0};
    write_page(f, 0, 0);
    write_page(f, 1, 3);
    assert_int_equal(attach_stream_send(other, message, sizeof message), sizeof message);
    put_message(f, 0, 1, START, 0);
    for (unsigned i = 0; i < 3; i++)
        read_memory(f, 0, 4, data);
    assert_int_equal(base_load32(data), 1);
    assert_true(f->server.reads >= 2);
    attach_stream_destroy(other);
    close(pair[0]);
    close(pair[1]);
    put_message(f, 0, 1, START, 0);
    unsigned reads = f->server.reads;
    for (unsigned i = 0; i < 3; i++)
        read_memory(f, 0, 4, data);
    assert_int_equal(base_load32(data), 2);
    assert_int_equal(f->server.reads, reads);
}

static void put_entry(struct fixture *f, uint64_t address, uint64_t value)
{
    uint32_t high = (uint32_t)(address >> 32) << 24;
    put_message(f, 4, high, (uint32_t)address, 8);
    assert_int_equal(attach_stream_send(f->stream, &value, 8), 8);
}

/* A page's whole way through the tables. */
static void map_page(struct fixture *f, uint64_t virtual, uint64_t frame)
{
    put_entry(f, (1ull << 29) + 8 * (virtual >> 27),
              ((1ull << 30) + (virtual >> 27) * PAGE_SIZE) | 7);
    put_entry(f, (1ull << 30) + 8 * (virtual >> 18),
              ((1ull << 31) + (virtual >> 18) * PAGE_SIZE) | 7);
    put_entry(f, (1ull << 31) + 8 * (virtual >> 9),
              ((1ull << 32) + (virtual >> 9) * PAGE_SIZE) | 7);
    put_entry(f, (1ull << 32) + 8 * virtual, frame * PAGE_SIZE | 7);
}

/* Sent once, and again only when something else was mapped there. */
static void tables_are_sent_once(void **state)
{
    struct fixture *f = *state;
    uint8_t data[4];
    for (unsigned round = 0; round < 3; round++) {
        for (uint32_t page = 1; page < 10; page++) {
            map_page(f, 0x1000 + page, page);
            write_page(f, page, 5);
        }
        put_message(f, 0, 1, START, 0);
        read_memory(f, PAGE_SIZE, 4, data);
        assert_int_equal(f->server.table_entries, 36);
        assert_int_equal(f->server.without_data, round);
    }
    map_page(f, 0x2000, 1);
    write_page(f, 1, 5);
    read_memory(f, PAGE_SIZE, 4, data);
    assert_int_equal(f->server.table_entries, 40);
    map_page(f, 0x1001, 1);
    write_page(f, 1, 5);
    read_memory(f, PAGE_SIZE, 4, data);
    assert_int_equal(f->server.table_entries, 44);
    /* An entry by itself may unmap anything. */
    put_entry(f, (1ull << 32) + 8 * 0x1001, 0);
    map_page(f, 0x1002, 2);
    write_page(f, 2, 5);
    read_memory(f, PAGE_SIZE, 4, data);
    assert_int_equal(f->server.table_entries, 49);
}

static void a_stream_of_unknown_form_is_passed_on(void **state)
{
    struct fixture *f = *state;
    uint32_t message[4] = {99, 0, 1u << 30, 0};
    put(f, message, sizeof message);
    uint8_t byte = 1;
    assert_int_equal(attach_stream_send(f->stream, &byte, 1), 1);
}

static void hashes_agree(void **state)
{
    (void)state;
    static uint8_t page[PAGE_SIZE];
    for (uint32_t round = 0; round < 50; round++) {
        page[round * 81] = (uint8_t)(round + 1);
        uint64_t hash = attach_page_hash_baseline(page);
        assert_true(attach_page_hash(page) == hash);
        page[round * 81] ^= 0x80;
        assert_false(attach_page_hash(page) == hash);
    }
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
        cmocka_unit_test_setup_teardown(random_traffic_matches_a_model, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(news_answer_all_reads, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(news_left_are_owed, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(news_wait_for_other_streams, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(what_the_device_changed_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(work_starts_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_are_sent_once, set_up, tear_down),
        cmocka_unit_test(hashes_agree),
        cmocka_unit_test_setup_teardown(a_stream_of_unknown_form_is_passed_on, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
