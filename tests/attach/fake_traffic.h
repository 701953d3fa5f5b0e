/* A driver and a server with a stream between them. */
#ifndef SONDE_TESTS_FAKE_TRAFFIC_H
#define SONDE_TESTS_FAKE_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

#include "attach/neo/transport.h"

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
    unsigned marked;      /* answers that had marks, not pages */
    unsigned table_entries, messages;
};

struct fixture {
    struct server server;
    pthread_t thread;
    int fd;
    struct attach_stream *stream;
    uint32_t transaction;
    uint32_t seed;
    uint8_t memory[PAGES * PAGE_SIZE]; /* the driver's own copy, where its reads go */
};

int set_up(void **state);
int set_up_news(void **state);
int tear_down(void **state);
uint32_t random_below(struct fixture *f, uint32_t limit);
/* In pieces of random size, as no driver does but any may. */
void put(struct fixture *f, const void *data, size_t size);
void put_message(struct fixture *f, uint32_t type, uint32_t word0, uint32_t word1, uint32_t word2);
void write_page(struct fixture *f, uint32_t page, uint8_t value);
void read_to(struct fixture *f, uint32_t address, uint32_t size, uint8_t *data);
void read_memory(struct fixture *f, uint32_t address, uint32_t size, uint8_t *data);
void put_entry(struct fixture *f, uint64_t address, uint64_t value);
/* A page's whole way through the tables. */
void map_page(struct fixture *f, uint64_t virtual, uint64_t frame);

#endif
