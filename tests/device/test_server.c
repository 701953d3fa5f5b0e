/* The server as its peers see it: messages, memory, hostile input, life. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "fake_client.h"
#include "fake_emu.h"

static char log_text[65536];

static void test_memory_round_trip(void **state)
{
    (void)state;
    struct test_server server;
    struct client client;
    uint8_t data[8192], back[8192];
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7 + i / 256);
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    client_write(&client, 0x5000, data, 4096);
    client_write(&client, 0x6000, data + 4096, 4096);
    assert_true(client_read(&client, 0x5000, back, 8192));
    assert_memory_equal(data, back, 8192);
    client_write(&client, 0x5ffc, "abcdefgh", 8);
    assert_true(client_read(&client, 0x5ff0, back, 32));
    assert_memory_equal(back, data + 0xff0, 12);
    assert_memory_equal(back + 12, "abcdefgh", 8);
    assert_memory_equal(back + 20, data + 0x1004, 12);
    assert_true(client_read(&client, 0x123456000, back, 64)); /* never written */
    for (int i = 0; i < 64; i++)
        assert_int_equal(back[i], 0);
    assert_int_equal(client_mmio_read(&client, 0x2234) & 0x100, 0x100);
    client_mmio_write(&client, 0xe404, 0x1234);
    assert_int_equal(client_mmio_read(&client, 0xe404), 0x1234);
    client_close(&client);
    assert_int_equal(test_server_stop(&server, log_text, sizeof log_text).faults, 0);
    assert_string_equal(log_text, "");
}

/* The driver writes a message in pieces and lets its kernel hold a small piece
 * back until the one before is acknowledged. Delayed acknowledgements would
 * cost 40 ms a round. */
static void test_small_pieces_are_acknowledged(void **state)
{
    (void)state;
    struct test_server server;
    struct client client;
    struct timespec begin, end;
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < 50; i++) {
        uint32_t value = i, back;
        for (unsigned k = 0; k < 4; k++)
            client_write(&client, 0x5000 + 4 * k, &value, 4);
        assert_true(client_read(&client, 0x5000, &back, 4));
        assert_int_equal(back, i);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    client_close(&client);
    test_server_stop(&server, NULL, 0);
    assert_true(end.tv_sec - begin.tv_sec <= 1);
}

/* The driver's page numbers run into the numbers of its own page tables. */
static void test_tables_and_data_do_not_alias(void **state)
{
    (void)state;
    struct test_server server;
    struct client client;
    static const uint64_t frames[] = {1ull << 29, (1ull << 29) + 0x1000, 1ull << 30, 1ull << 31,
                                      1ull << 32};
    uint8_t page[4096], back[4096];
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    for (unsigned i = 0; i < 5; i++) {
        memset(page, 0x40 + (int)i, sizeof page);
        client_map(&client, 0x10000 + 0x1000ull * i, frames[i]);
        client_write(&client, frames[i], page, 4096);
    }
    /* Entries of these addresses lie inside those pages. */
    for (unsigned i = 0; i < 5; i++)
        client_map(&client, 0x10000 + 0x1000ull * i, frames[i]);
    for (unsigned i = 0; i < 5; i++) {
        memset(page, 0x40 + (int)i, sizeof page);
        assert_true(client_read(&client, frames[i], back, 4096));
        assert_memory_equal(page, back, 4096);
    }
    /* An 8-byte write of data to a table's address, out of sequence. */
    client_write(&client, (1ull << 30) + 8, "datadata", 8);
    assert_true(client_read(&client, (1ull << 30) + 8, back, 8));
    assert_memory_equal(back, "datadata", 8);
    client_close(&client);
    test_server_stop(&server, NULL, 0);
}

/* The driver maps a batch over several pages as if their frames followed each other,
 * and writes it at once. Memory that was freed may have had its first page before, and
 * the frames behind it are other memory's. */
static void test_batch_over_pages_leaves_other_memory(void **state)
{
    (void)state;
    const uint64_t batch = 0x555500101000ull, other = 0x555500208000ull;
    static const uint64_t last_level = 1ull << 32;
    struct test_server server;
    struct client client;
    uint8_t page[4096], back[3 * 4096], words[2 * 4096];
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    const uint64_t order[] = {batch, other, other + 4096, batch + 4096, batch + 8192};
    for (unsigned i = 0; i < 5; i++) {
        memset(page, 0x40 + (int)i, sizeof page);
        client_store(&client, order[i], page, sizeof page);
    }
    const uint64_t first = client_physical(&client, batch);
    assert_int_equal(client_physical(&client, other + 4096), first + 8192);
    for (unsigned round = 1; round <= 2; round++) {
        client_map(&client, batch, first);
        for (unsigned i = 1; i < 3; i++) {
            uint64_t entry = (first + 4096 * i) | 7;
            client_write(&client, last_level + 8 * ((batch >> 12) + i), &entry, 8);
        }
        memset(words, (int)round, sizeof words);
        client_write(&client, first + 4000, words, sizeof words);
        client_load(&client, batch, back, sizeof back);
        assert_int_equal(back[3999], 0x40);
        assert_memory_equal(back + 4000, words, sizeof words);
        assert_int_equal(back[4000 + sizeof words], 0x44);
        for (unsigned i = 1; i < 3; i++) {
            memset(page, 0x40 + (int)i, sizeof page);
            client_load(&client, order[i], back, sizeof page);
            assert_memory_equal(back, page, sizeof page);
            client_map(&client, order[i], client_physical(&client, order[i]));
        }
    }
    client_close(&client);
    test_server_stop(&server, NULL, 0);
}

/* A page belongs to its virtual address: what one connection of a process
 * sends, another one sees, under other page numbers. */
static void test_connections_share_virtual_memory(void **state)
{
    (void)state;
    struct test_server server;
    struct client first, second;
    test_server_start(&server, NULL);
    client_open(&first, server.port);
    client_open(&second, server.port);
    second.next_physical = 0x900000;
    client_store(&first, 0x555500001000ull, "from the first", 15);
    assert_int_equal(client_load32(&first, 0x555500001000ull), 0x6d6f7266);
    client_map(&second, 0xffff555500001000ull, client_physical(&second, 0x555500001000ull));
    assert_int_equal(client_load32(&second, 0x555500001000ull), 0x6d6f7266);
    client_store(&second, 0x555500001000ull, "FROM", 4);
    assert_int_equal(client_load32(&second, 0x555500001000ull), 0x4d4f5246);
    assert_int_equal(client_load32(&first, 0x555500001000ull), 0x4d4f5246);
    client_close(&first);
    client_close(&second);
    test_server_stop(&server, NULL, 0);
}

/* Two processes may use the same addresses. */
static void test_processes_are_apart(void **state)
{
    (void)state;
    struct test_server server;
    struct client client;
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    client_store(&client, 0x555500001000ull, "mine", 4);
    assert_int_equal(client_load32(&client, 0x555500001000ull), 0x656e696d);
    pid_t child = fork();
    if (child == 0) {
        struct client other;
        client_open(&other, server.port);
        client_map(&other, 0x555500001000ull, client_physical(&other, 0x555500001000ull));
        uint32_t before = client_load32(&other, 0x555500001000ull);
        client_store(&other, 0x555500001000ull, "your", 4);
        uint32_t after = client_load32(&other, 0x555500001000ull);
        _exit(before == 0 && after == 0x72756f79 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(client_load32(&client, 0x555500001000ull), 0x656e696d);
    client_close(&client);
    test_server_stop(&server, log_text, sizeof log_text);
    assert_null(strstr(log_text, "cannot tell"));
}

static void test_hostile_messages(void **state)
{
    (void)state;
    static const struct {
        uint32_t words[8];
        unsigned count;
        const char *logged;
    } bad[] = {
        {{7, 0, 0}, 3, "not known"},
        {{0xffffffff, 0, 0}, 3, "not known"},
        {{4, 0, 16, 0, 0, 0, 0}, 7, "wrong size"},
        {{4, 0, 0xffffffff}, 3, "wrong size"},
        {{0, 0, 0}, 3, "wrong size"},
        {{4, 0, 12, 0, 0x1000, 0xffffffff}, 6, "absurd length"},
        {{4, 0, 12, 0xff000000, 0xffffff00, 0x1000}, 6, "absurd length"},
        {{5, 0, 12, 0, 0x1000, 0x7fffffff}, 6, "absurd length"},
        {{5, 0, 12, 0xff000000, 0xfffff000, 0x1001}, 6, "absurd length"},
        {{2, 0, 16, 1, 0xffffffff, 1, 0}, 7, "out of range"},
        {{2, 0, 16, 0, 1, 0, 0}, 7, "read of the global GTT"},
        {{0, 0, 12, 2 << 1 | 1, 0x2000, 0}, 6, "not a dword"},
        {{0, 0, 12, 4 << 1 | 1, 0x2001, 0}, 6, "not a dword"},
        {{4, 0, 12, 1 << 6, 0x1000, 8}, 6, "local memory"},
        {{0x53000004, 0, 12, 0, 0x1000, 8192}, 6, "not of pages"},
        {{0x53000004, 0, 12, 0, 0x1008, 4096}, 6, "not of pages"},
        {{0x53000014, 0, 12, 0, 0x1000, 65 * 4096}, 6, "not of pages"},
        {{0x53000014, 0, 12, 0xff000000, 0xfffff000, 8192}, 6, "not of pages"},
        {{0x53000014, 0, 12, 0, 0x1000, 4096}, 6, "never written"},
        {{0x53000005, 0, 20, 0, 0x1000, 65 * 4096, 0}, 8, "absurd length"},
        {{0x53000005, 0, 20, 0, 0x1800, 4096, 0}, 8, "absurd length"},
        {{0x53000025, 0, 12, 0, 0x1000, 4096}, 6, "not of a page"},
        {{0x53000015, 0, 0}, 3, "wrong size"},
    };
    struct test_server server;
    test_server_start(&server, NULL);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct client client;
        client_open(&client, server.port);
        client_send(&client, bad[i].words, 4 * bad[i].count);
        if (!client_sees_close(&client))
            fail_msg("case %u: connection stays open", i);
        client_close(&client);
    }
    struct client client;
    client_open(&client, server.port); /* cut in a header, a body, a payload */
    client_send(&client, "12345", 5);
    client_close(&client);
    client_open(&client, server.port);
    client_send(&client, (uint32_t[]){4, 0, 12, 0}, 16);
    client_close(&client);
    client_open(&client, server.port);
    client_send(&client, (uint32_t[]){4, 0, 12, 0, 0x1000, 4096, 1}, 28);
    client_close(&client);
    client_open(&client, server.port);
    client_write(&client, 0x1000, "still alive", 12);
    char back[12];
    assert_true(client_read(&client, 0x1000, back, 12));
    assert_string_equal(back, "still alive");
    client_close(&client);
    test_server_stop(&server, log_text, sizeof log_text);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(strstr(log_text, bad[i].logged));
    assert_non_null(strstr(log_text, "inside a message header"));
    assert_non_null(strstr(log_text, "inside a message of type"));
    assert_non_null(strstr(log_text, "inside a memory write"));
}

/* Well-framed messages with random contents, and plain noise. */
static void test_random_messages(void **state)
{
    (void)state;
    struct test_server server;
    unsigned seed = 12345;
    test_server_start(&server, NULL);
    for (unsigned round = 0; round < 60; round++) {
        struct client client;
        client_open(&client, server.port);
        for (unsigned i = 0; i < 40; i++) {
            static const uint32_t types[] = {
                0, 2, 4, 5, 11, 0x53000004, 0x53000014, 0x53000005, 0x53000015, 0x53000025};
            static const uint32_t sizes[] = {12, 16, 12, 12, 4, 12, 12, 20, 12, 12};
            unsigned kind = (unsigned)rand_r(&seed) % 10;
            uint32_t message[7 + 16] = {types[kind], i, sizes[kind]};
            for (unsigned k = 3; k < 23; k++)
                message[k] = (uint32_t)rand_r(&seed) >> (rand_r(&seed) % 31);
            if (kind == 0)
                message[3] = 9, message[4] = 0x2230, message[5] |= 1;
            if (kind == 2 || kind == 3)
                message[3] &= 0xff000000, message[5] &= 0x3f;
            size_t length = 12 + sizes[kind] + (kind == 2 ? message[5] : 0);
            if (!client_send(&client, message, round % 4 == 3 ? length / 2 : length))
                break;
        }
        client_close(&client);
    }
    struct client client;
    client_open(&client, server.port);
    assert_int_equal(client_mmio_read(&client, 0x2234) & 0x100, 0x100);
    client_close(&client);
    test_server_stop(&server, NULL, 0);
}

static void wait_until(atomic_uint *counter, unsigned value)
{
    for (int i = 0; i < 5000 && atomic_load(counter) < value; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    assert_true(atomic_load(counter) >= value);
}

/* State, descriptor and walker of a small dispatch, ready to be submitted. */
static unsigned walker_batch(struct client *client, uint32_t *words)
{
    static const uint32_t idd[8] = {0x1000, 0, 0x80000, 0, 0, 0, 1, 0};
    static const uint32_t commands[] = {
        0x61010011, 1, 0, 0, 1, 0, 0x20001,    0, 0x30001, 0, 0x40001,    0,         1,
        1,          1, 1, 0, 0, 0, 0x70020002, 0, 0x20,    0, 0x7105000d, 0,         0,
        0,          0, 0, 0, 1, 0, 0,          1, 0,       1, 0xffffffff, 0xffffffff};
    client_store(client, 0x20000, idd, sizeof idd);
    client_store(client, 0x30000, idd, sizeof idd);
    memcpy(words, commands, sizeof commands);
    return sizeof commands / 4;
}

/* Run a dispatch that stores `value` at `address`, to its completion. */
static void run_storing_dispatch(struct client *client, uint64_t address, uint64_t value)
{
    uint32_t batch[64];
    unsigned count = walker_batch(client, batch);
    batch[count++] = TEST_END;
    fake_behaviour = (struct fake_behaviour){.stores = {{address, value}}, .store_count = 1};
    client_submit_batch(client, 0x10000, batch, count);
}

/* The driver may send its copy of a page again before it has read what a kernel
 * stored there; once it has read the page its word counts. */
static void test_stale_uploads(void **state)
{
    (void)state;
    const uint64_t page = 0x555500004000ull;
    struct test_server server;
    struct client client;
    static uint8_t sent[4096], got[4096];
    memset(sent, 0x11, sizeof sent);
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    client_make_context(&client, 4);
    client_store(&client, page, sent, sizeof sent);
    run_storing_dispatch(&client, page + 64, 0x2222222222222222ull);
    sent[128] = 0x33; /* written by the processor in the meantime */
    client_store(&client, page, sent, sizeof sent);
    assert_int_equal(client_load32(&client, page + 64), 0x22222222);
    client_load(&client, page, got, sizeof got);
    memset(sent + 64, 0x22, 8);
    assert_memory_equal(got, sent, sizeof got);
    memset(sent + 64, 0x11, 8);
    client_store(&client, page, sent, sizeof sent);
    client_load(&client, page, got, sizeof got);
    assert_memory_equal(got, sent, sizeof got);
    client_close(&client);
    fake_behaviour = (struct fake_behaviour){0};
    test_server_stop(&server, NULL, 0);
}

/* A page of zeros comes without data: to a page that holds nothing, one that was
 * uploaded to in part, and one that a kernel stored to. */
static void test_zeros(void **state)
{
    (void)state;
    const uint64_t page = 0x555500004000ull;
    struct test_server server;
    struct client client;
    static uint8_t zeros[4096], got[4096];
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    client_make_context(&client, 4);
    uint32_t physical = (uint32_t)client_physical(&client, page);
    client_map(&client, page, physical);
    for (unsigned round = 0; round < 3; round++) {
        client_message(&client, 0x53000004, (uint32_t[]){0, physical, 4096}, 3);
        client_load(&client, page, got, sizeof got);
        assert_memory_equal(got, zeros, sizeof got);
        if (round == 0)
            client_store(&client, page + 512, "data", 4);
        if (round == 1)
            run_storing_dispatch(&client, page + 64, 0x2222222222222222ull);
        if (round == 1) /* the driver's word counts once it has read the page */
            client_load(&client, page, got, sizeof got);
    }
    /* A kernel stores before anything is uploaded. */
    physical = (uint32_t)client_physical(&client, page + 4096);
    client_map(&client, page + 4096, physical);
    run_storing_dispatch(&client, page + 4096 + 64, 0x2222222222222222ull);
    client_load(&client, page + 4096, got, sizeof got);
    assert_int_equal(got[64], 0x22);
    client_message(&client, 0x53000004, (uint32_t[]){0, physical, 4096}, 3);
    client_load(&client, page + 4096, got, sizeof got);
    assert_memory_equal(got, zeros, sizeof got);
    client_close(&client);
    fake_behaviour = (struct fake_behaviour){0};
    test_server_stop(&server, NULL, 0);
}

static uint8_t marks[65536 / 8];

/* The pages that changed, as the attach library asks for them; their number, or
 * -1 when there are more: `marks` are of those. */
static int client_news(struct client *client, uint32_t numbers[64], uint8_t *first)
{
    uint8_t answer[12 + 24];
    uint32_t state, count;
    client_message(client, 0x53000015, (uint32_t[]){0, 0, 0}, 3);
    assert_true(client_receive(client, answer, sizeof answer));
    memcpy(&state, answer + 24, 4);
    memcpy(&count, answer + 32, 4);
    if (state & 2) {
        assert_true(4 * count <= sizeof marks);
        memset(marks, 0, sizeof marks);
        assert_true(client_receive(client, marks, 4 * count));
        return -1;
    }
    assert_int_equal(state, 1);
    assert_true(count <= 64);
    if (count > 0)
        assert_true(client_receive(client, numbers, 4 * count));
    for (uint32_t i = 0; i < count; i++) {
        uint8_t page[4096];
        assert_true(client_receive(client, page, sizeof page));
        if (i == 0)
            memcpy(first, page, sizeof page);
    }
    return (int)count;
}

static void client_taken(struct client *client, uint32_t page)
{
    client_message(client, 0x53000025, (uint32_t[]){0, page << 12, 4096}, 3);
}

/* What a dispatch changed is news once, until it is taken; and only then counts
 * as read. */
static void test_news(void **state)
{
    (void)state;
    const uint64_t page = 0x555500004000ull;
    struct test_server server;
    struct client client;
    static uint8_t sent[4096], got[4096];
    uint32_t numbers[64];
    memset(sent, 0x11, sizeof sent);
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    client_make_context(&client, 4);
    client_store(&client, page, sent, sizeof sent);
    uint32_t number = (uint32_t)(client_physical(&client, page) >> 12);
    assert_int_equal(client_news(&client, numbers, got), 0);
    run_storing_dispatch(&client, page + 64, 0x2222222222222222ull);
    assert_int_equal(client_news(&client, numbers, got), 1);
    assert_int_equal(numbers[0], number);
    assert_int_equal(got[63], 0x11);
    assert_int_equal(got[64], 0x22);
    /* Not taken: not repeated, and the driver's word does not count. */
    run_storing_dispatch(&client, page + 64, 0x3333333333333333ull);
    client_mmio_read(&client, 0x2234);
    assert_int_equal(client_news(&client, numbers, got), 0);
    client_store(&client, page, sent, sizeof sent);
    assert_int_equal(client_load32(&client, page + 64), 0x33333333);
    client_taken(&client, number);
    run_storing_dispatch(&client, page + 64, 0x4444444444444444ull);
    assert_int_equal(client_news(&client, numbers, got), 1);
    assert_int_equal(got[64], 0x44);
    client_taken(&client, number);
    client_store(&client, page, sent, sizeof sent);
    assert_int_equal(client_load32(&client, page + 64), 0x11111111);
    client_close(&client);
    fake_behaviour = (struct fake_behaviour){0};
    test_server_stop(&server, NULL, 0);
}

/* More than is sent at once: it is marked, and counts as asked and not as taken. */
static void test_too_many_news(void **state)
{
    (void)state;
    struct test_server server;
    struct client client;
    static uint8_t got[4096];
    uint32_t numbers[64];
    test_server_start(&server, NULL);
    client_open(&client, server.port);
    client_make_context(&client, 4);
    for (unsigned i = 0; i < 65; i++) {
        client_store(&client, 0x555500000000ull + 4096 * i, got, 8);
        run_storing_dispatch(&client, 0x555500000000ull + 4096 * i, i);
        client_mmio_read(&client, 0x2234); /* it has ended */
    }
    assert_int_equal(client_news(&client, numbers, got), -1);
    unsigned marked = 0;
    for (size_t i = 0; i < sizeof marks; i++)
        marked += (unsigned)__builtin_popcount(marks[i]);
    assert_int_equal(marked, 65);
    uint32_t first = (uint32_t)(client_physical(&client, 0x555500000000ull) >> 12);
    for (unsigned i = 0; i < 65; i++) {
        uint32_t page = (uint32_t)(client_physical(&client, 0x555500000000ull + 4096 * i) >> 12);
        assert_true(marks[page / 8] >> page % 8 & 1);
    }
    assert_int_equal(client_news(&client, numbers, got), 0);
    run_storing_dispatch(&client, 0x555500000000ull, 7);
    client_mmio_read(&client, 0x2234);
    assert_int_equal(client_news(&client, numbers, got), 0);
    client_taken(&client, first);
    run_storing_dispatch(&client, 0x555500000000ull, 8);
    client_mmio_read(&client, 0x2234);
    assert_int_equal(client_news(&client, numbers, got), 1);
    assert_int_equal(numbers[0], first);
    client_close(&client);
    fake_behaviour = (struct fake_behaviour){0};
    test_server_stop(&server, NULL, 0);
}

static void start_hanging_dispatch(struct client *client, uint16_t port)
{
    uint32_t batch[64];
    client_open(client, port);
    client_make_context(client, 4);
    client_store(client, TEST_TAG_ADDRESS, "\0\0\0", 4);
    unsigned count = walker_batch(client, batch);
    count += test_tag(batch + count, 1);
    batch[count++] = TEST_END;
    fake_behaviour = (struct fake_behaviour){.hang = true};
    unsigned started = atomic_load(&fake_started);
    client_submit_batch(client, 0x10000, batch, count);
    wait_until(&fake_started, started + 1);
}

static void test_client_dies_in_dispatch(void **state)
{
    (void)state;
    struct test_server server;
    struct client client;
    test_server_start(&server, NULL);
    unsigned finished = atomic_load(&fake_finished);
    fake_behaviour = (struct fake_behaviour){.hang = true};
    pid_t child = fork();
    if (child == 0) {
        uint32_t batch[64];
        struct client victim;
        client_open(&victim, server.port);
        client_make_context(&victim, 4);
        unsigned count = walker_batch(&victim, batch);
        batch[count++] = TEST_END;
        client_submit_batch(&victim, 0x10000, batch, count);
        pause();
        _exit(0);
    }
    wait_until(&fake_started, finished + 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    wait_until(&fake_finished, finished + 1);
    client_open(&client, server.port);
    client_write(&client, 0x1000, "next", 4);
    char back[4];
    assert_true(client_read(&client, 0x1000, back, 4));
    client_close(&client);
    fake_behaviour = (struct fake_behaviour){0};
    struct device_server_totals totals = test_server_stop(&server, log_text, sizeof log_text);
    assert_int_equal(totals.dispatches, 1);
    assert_int_equal(totals.faults, 0); /* no fault of the program */
}

static void test_stop_in_dispatch(void **state)
{
    (void)state;
    struct test_server server;
    struct client client;
    test_server_start(&server, NULL);
    start_hanging_dispatch(&client, server.port);
    assert_int_equal(test_server_stop(&server, NULL, 0).dispatches, 1);
    assert_true(client_sees_close(&client));
    client_close(&client);
    fake_behaviour = (struct fake_behaviour){0};
}

static struct device_server *signalled;

static void on_alarm(int number)
{
    (void)number;
    device_server_stop(signalled);
}

static void test_stop_from_signal_handler(void **state)
{
    (void)state;
    struct device_server_options options = {.model = device_model_find("skl"), .log_fd = -1};
    uint16_t port;
    struct sonde_error error;
    assert_int_equal(device_server_create(&options, &signalled, &port, &error), SONDE_OK);
    signal(SIGALRM, on_alarm);
    ualarm(20000, 0);
    assert_int_equal(device_server_run(signalled, &error), SONDE_OK);
    device_server_destroy(signalled);
    signal(SIGALRM, SIG_DFL);
}

static void test_port_in_use(void **state)
{
    (void)state;
    struct test_server server;
    test_server_start(&server, NULL);
    struct device_server_options options = {
        .model = device_model_find("skl"), .log_fd = -1, .port = server.port};
    struct device_server *second;
    uint16_t port;
    struct sonde_error error = {0};
    assert_int_equal(device_server_create(&options, &second, &port, &error), SONDE_ERROR_IO);
    assert_non_null(strstr(error.message, "port"));
    test_server_stop(&server, NULL, 0);
    assert_null(device_model_find("no such"));
    assert_string_equal(device_model_at(0)->name, "skl");
    assert_string_equal(device_model_at(1)->name, "tgllp");
    assert_string_equal(device_model_at(2)->name, "dg2");
    assert_null(device_model_at(3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_round_trip),
        cmocka_unit_test(test_small_pieces_are_acknowledged),
        cmocka_unit_test(test_tables_and_data_do_not_alias),
        cmocka_unit_test(test_batch_over_pages_leaves_other_memory),
        cmocka_unit_test(test_connections_share_virtual_memory),
        cmocka_unit_test(test_processes_are_apart),
        cmocka_unit_test(test_hostile_messages),
        cmocka_unit_test(test_random_messages),
        cmocka_unit_test(test_stale_uploads),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_news),
        cmocka_unit_test(test_too_many_news),
        cmocka_unit_test(test_client_dies_in_dispatch),
        cmocka_unit_test(test_stop_in_dispatch),
        cmocka_unit_test(test_stop_from_signal_handler),
        cmocka_unit_test(test_port_in_use),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
