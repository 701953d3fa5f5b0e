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

#include "attach/neo/fresh.h"
#include "attach/neo/page_hash.h"
#include "attach/neo/transport.h"
#include "base/bytes.h"
#include "fake_traffic.h"

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

static void write_part(struct fixture *f, uint32_t address, const uint8_t *data, uint32_t size)
{
    put_message(f, 4, 0, address, size);
    put(f, data, size);
}

static void what_the_program_wrote_beside_stays(void **state)
{
    struct fixture *f = *state;
    uint8_t data[100];
    memset(data, 5, sizeof data);
    data[99] = 9;
    write_part(f, 3 * PAGE_SIZE + 200, data, sizeof data);
    data[10] = 77; /* behind what it gave to the driver, which rounds sizes up */
    put_message(f, 0, 1, START, 3 << 8 | 5);
    read_to(f, 3 * PAGE_SIZE + 200, sizeof data, data);
    assert_int_equal(data[9], 5);
    assert_int_equal(data[10], 77);
    assert_int_equal(data[99], 5);
    put_message(f, 0, 1, START, 3 << 8 | 8);
    read_to(f, 3 * PAGE_SIZE + 200, sizeof data, data);
    assert_int_equal(data[10], 8);
    assert_int_equal(data[99], 8);
    /* A page that was sent as a whole is the driver's. */
    write_page(f, 3, 6);
    put_message(f, 0, 1, START, 3 << 8 | 8);
    memset(data, 1, sizeof data);
    read_to(f, 3 * PAGE_SIZE + 200, sizeof data, data);
    assert_int_equal(data[10], 8);
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

/* More than come at once: which they are is told, and they are fetched in runs. What did
 * not change is not asked for. */
static void many_news_are_marked(void **state)
{
    struct fixture *f = *state;
    uint8_t data[PAGE_SIZE];
    for (uint32_t page = 0; page < PAGES; page++)
        write_page(f, page, 1);
    for (unsigned round = 1; round <= 2; round++) {
        for (uint32_t page = 50; page < 150; page++)
            put_message(f, 0, 1, START, page << 8 | (page + round) % 256);
        for (uint32_t page = 0; page < PAGES; page++) {
            bool changed = page >= 50 && page < 150;
            read_memory(f, page * PAGE_SIZE, PAGE_SIZE, data);
            assert_int_equal(data[PAGE_SIZE - 1], changed ? (page + round) % 256 : 1);
        }
        assert_int_equal(f->server.news, round);
        assert_int_equal(f->server.marked, round);
        assert_int_equal(f->server.reads, 3 * round); /* page 0, 50 to 113, and the rest */
        assert_int_equal(f->server.pages_sent, 101 * round);
    }
    /* Only some are fetched; the rest is owed. */
    for (uint32_t page = 50; page < 150; page++)
        put_message(f, 0, 1, START, page << 8 | 9);
    read_memory(f, 120 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(data[0], 9);
    put_message(f, 0, 1, START, 10 << 8 | 7);
    read_memory(f, 60 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(data[0], 9);
    read_memory(f, 10 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(data[0], 7);
    read_memory(f, 121 * PAGE_SIZE, PAGE_SIZE, data);
    assert_int_equal(data[0], 9);
}

/* Random launches that change many pages. */
static void many_random_news_match_a_model(void **state)
{
    struct fixture *f = *state;
    uint8_t model[PAGES] = {0}, data[PAGE_SIZE];
    for (unsigned step = 0; step < 400; step++) {
        for (unsigned i = 0; i < 10; i++) { /* a driver reads what changed before */
            uint32_t page = 1 + random_below(f, PAGES - 1);
            read_memory(f, page * PAGE_SIZE, PAGE_SIZE, data);
            model[page] = (uint8_t)random_below(f, 256);
            write_page(f, page, model[page]);
        }
        for (unsigned i = random_below(f, 2) == 0 ? 200 : 10; i > 0; i--) {
            uint32_t page = 1 + random_below(f, PAGES - 1);
            model[page] = (uint8_t)random_below(f, 256);
            put_message(f, 0, 1, START, page << 8 | model[page]);
        }
        for (unsigned i = 0; i < 60; i++) {
            uint32_t page = 1 + random_below(f, PAGES - 1), offset = random_below(f, 2) * 100;
            read_memory(f, page * PAGE_SIZE + offset, PAGE_SIZE - offset, data);
            assert_int_equal(data[0], model[page]);
            assert_int_equal(data[PAGE_SIZE - offset - 1], model[page]);
        }
    }
    assert_true(f->server.marked > 20);
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

/* A range over two pages has one last entry more: it maps a page as any. */
static void ranges_over_two_pages_are_mapped(void **state)
{
    struct fixture *f = *state;
    uint8_t data[4];
    map_page(f, 0x1001, 1);
    write_page(f, 1, 5);
    map_page(f, 0x1001, 1);
    put_entry(f, (1ull << 32) + 8 * 0x1002, 2 * PAGE_SIZE | 7);
    put_message(f, 4, 0, 2 * PAGE_SIZE - 8, 16);
    put(f, "0123456789abcdef", 16);
    write_page(f, 2, 6);
    read_memory(f, 2 * PAGE_SIZE, 4, data);
    assert_int_equal(f->server.table_entries, 9);
    assert_int_equal(data[0], 6);
    for (unsigned page = 1; page <= 2; page++) {
        map_page(f, 0x1000 + page, page);
        write_page(f, page, 7);
    }
    read_memory(f, 2 * PAGE_SIZE, 4, data);
    assert_int_equal(f->server.table_entries, 9); /* nothing was forgotten */
    /* The one after it, and then one that is not. */
    map_page(f, 0x1001, 1);
    put_entry(f, (1ull << 32) + 8 * 0x1002, 2 * PAGE_SIZE | 7);
    put_entry(f, (1ull << 32) + 8 * 0x1003, 3 * PAGE_SIZE | 7);
    put_entry(f, (1ull << 32) + 8 * 0x1005, 2 * PAGE_SIZE | 7);
    map_page(f, 0x1002, 2);
    write_page(f, 2, 7);
    read_memory(f, 2 * PAGE_SIZE, 4, data);
    assert_int_equal(f->server.table_entries, 20);
}

/* The driver maps a batch over two pages as if their frames followed each other. They
 * may not, and the frame behind the first is another page's. */
static void ranges_leave_the_frames_of_others(void **state)
{
    struct fixture *f = *state;
    uint8_t page[PAGE_SIZE], data[4];
    memset(page, 5, sizeof page);
    for (uint32_t i = 0; i < 3; i++) {
        static const uint32_t numbers[] = {0x1001, 0x2000, 0x1002};
        map_page(f, numbers[i], 1 + i);
        write_page(f, 1 + i, 5);
    }
    map_page(f, 0x1001, 1);
    put_entry(f, (1ull << 32) + 8 * 0x1002, 2 * PAGE_SIZE | 7);
    put_message(f, 4, 0, 2 * PAGE_SIZE - 8, 16);
    put(f, "0123456789abcdef", 16);
    read_memory(f, PAGE_SIZE, 4, data);
    unsigned entries = f->server.table_entries;
    assert_int_equal(entries, 12 + 5);
    assert_false(attach_stream_has_written(f->stream, 0x1001 * PAGE_SIZE, page));
    assert_true(attach_stream_has_written(f->stream, 0x1002 * PAGE_SIZE, page));
    assert_true(attach_stream_has_written(f->stream, 0x2000 * PAGE_SIZE, page));
    for (uint32_t i = 1; i < 3; i++) {
        map_page(f, i == 1 ? 0x2000 : 0x1002, 1 + i);
        write_page(f, 1 + i, 5);
    }
    read_memory(f, PAGE_SIZE, 4, data);
    assert_int_equal(f->server.table_entries, entries); /* they are where they were */
}

static void what_need_not_be_done_is_known(void **state)
{
    struct fixture *f = *state;
    uint8_t page[PAGE_SIZE], all[PAGE_SIZE], data[4];
    const uint64_t base = 0x1000 * PAGE_SIZE, high = 0xffffull << 48;
    memset(page, 5, sizeof page);
    assert_false(attach_stream_has_written(f->stream, base, page));
    for (uint32_t i = 0; i < 4; i++) {
        map_page(f, 0x1000 + i, 3 + i);
        write_page(f, 3 + i, i == 3 ? 0 : 5);
    }
    assert_true(attach_stream_has_written(f->stream, base, page));
    assert_true(attach_stream_has_written(f->stream, base | high, page));
    assert_false(attach_stream_has_written(f->stream, base + 8, page));
    assert_false(attach_stream_has_written(f->stream, base + 3 * PAGE_SIZE, page));
    page[4095] = 6;
    assert_false(attach_stream_has_written(f->stream, base, page));
    assert_false(attach_stream_has_read(f->stream, base, PAGE_SIZE)); /* nobody asked */
    put_message(f, 0, 1, START, 4 << 8 | 9);
    read_memory(f, 3 * PAGE_SIZE, 4, data);
    assert_true(attach_stream_has_read(f->stream, base, PAGE_SIZE));
    assert_false(attach_stream_has_read(f->stream, base + PAGE_SIZE, 4));
    assert_false(attach_stream_has_read(f->stream, base + PAGE_SIZE - 2, 4));
    assert_false(attach_stream_has_read(f->stream, base + 4 * PAGE_SIZE, 4));
    read_memory(f, 4 * PAGE_SIZE, PAGE_SIZE, all);
    assert_true(attach_stream_has_read(f->stream, base + PAGE_SIZE, PAGE_SIZE));
    /* Written again without a word of the driver's, and as if it had said one. */
    memset(page, 0, sizeof page);
    assert_true(attach_stream_has_written(f->stream, base + 3 * PAGE_SIZE, page));
    unsigned before = f->server.without_data;
    assert_true(attach_stream_write_same(f->stream, base + 2 * PAGE_SIZE, 2 * PAGE_SIZE));
    assert_false(attach_stream_has_read(f->stream, base, PAGE_SIZE));
    put_message(f, 0, 1, START, 0);
    read_memory(f, 3 * PAGE_SIZE, 4, data);
    assert_int_equal(f->server.without_data, before + 1); /* one for both */
    /* Who knows where an entry by itself maps things: they are sent again. */
    put_entry(f, (1ull << 32) + 8 * 0x1001, 0);
    assert_false(attach_stream_has_written(f->stream, base + 3 * PAGE_SIZE, page));
    map_page(f, 0x1003, 6);
    write_page(f, 6, 0);
    assert_true(attach_stream_has_written(f->stream, base + 3 * PAGE_SIZE, page));
    page[17] = 1;
    assert_false(attach_stream_has_written(f->stream, base + 3 * PAGE_SIZE, page));
}

static void *used_memory;

static void *hand_out_used(size_t size, const void *nothrow)
{
    (void)size;
    (void)nothrow;
    return used_memory;
}

/* Whole pages of what is handed out hold nothing, and what is around them is let be. */
static void large_memory_is_fresh(void **state)
{
    (void)state;
    static const size_t sizes[] = {1000, 65536, 200000};
    uint8_t *memory =
        mmap(NULL, 64 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    attach_fresh_set(hand_out_used);
    for (size_t i = 0; i < 3; i++) {
        size_t begin = 2 * PAGE_SIZE - 16, end = begin + sizes[i];
        memset(memory, 5, 64 * PAGE_SIZE);
        used_memory = memory + begin;
        assert_ptr_equal(attach_fresh_allocate(sizes[i], NULL), memory + begin);
        for (size_t k = 0; k < 64; k++) {
            bool inside = sizes[i] >= 65536 && k >= 2 && (k + 1) * PAGE_SIZE <= end;
            assert_int_equal(memory[k * PAGE_SIZE], inside ? 0 : 5);
            assert_int_equal(memory[(k + 1) * PAGE_SIZE - 1], inside ? 0 : 5);
        }
    }
    used_memory = NULL;
    assert_null(attach_fresh_allocate(1u << 20, NULL));
    munmap(memory, 64 * PAGE_SIZE);
}

static void zeros_are_told(void **state)
{
    (void)state;
    static uint8_t page[PAGE_SIZE];
    assert_true(attach_page_is_zero(page) && attach_page_is_zero_baseline(page));
    for (uint32_t i = 0; i < PAGE_SIZE; i++) {
        page[i] = 0x10;
        assert_false(attach_page_is_zero(page) || attach_page_is_zero_baseline(page));
        page[i] = 0;
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
        cmocka_unit_test_setup_teardown(what_the_program_wrote_beside_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_traffic_matches_a_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_traffic_matches_a_model, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(news_answer_all_reads, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(news_left_are_owed, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(many_news_are_marked, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(many_random_news_match_a_model, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(news_wait_for_other_streams, set_up_news, tear_down),
        cmocka_unit_test_setup_teardown(what_the_device_changed_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(work_starts_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_are_sent_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranges_over_two_pages_are_mapped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranges_leave_the_frames_of_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_need_not_be_done_is_known, set_up_news, tear_down),
        cmocka_unit_test(hashes_agree),
        cmocka_unit_test(large_memory_is_fresh),
        cmocka_unit_test(zeros_are_told),
        cmocka_unit_test_setup_teardown(a_stream_of_unknown_form_is_passed_on, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
