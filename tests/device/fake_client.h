/* A client that speaks TBX as the Skylake driver does: bump-allocated physical
 * pages, four table writes before each page of data, a ring in global memory. */
#ifndef TESTS_DEVICE_FAKE_CLIENT_H
#define TESTS_DEVICE_FAKE_CLIENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

/* A server in a thread of the test. */
struct test_server {
    struct device_server *server;
    uint16_t port;
    pthread_t thread;
    int log_pipe[2];
};

void test_server_start(struct test_server *server, const char *truth_path);
/* Stop, join, destroy; returns the totals and the log text (up to size - 1). */
struct device_server_totals test_server_stop(struct test_server *server, char *log, size_t size);

#define CLIENT_PAGES 256

struct client {
    int fd;
    uint32_t transaction;
    uint64_t next_physical;
    struct {
        uint64_t address, physical;
    } pages[CLIENT_PAGES];
    unsigned page_count;
    uint32_t tail;
};

void client_open(struct client *client, uint16_t port);
void client_close(struct client *client);

/* Raw bytes; false when the server has closed. */
bool client_send(struct client *client, const void *data, size_t size);
bool client_receive(struct client *client, void *data, size_t size);
/* True when the server closes the connection within two seconds. */
bool client_sees_close(struct client *client);

void client_message(struct client *client, uint32_t type, const uint32_t *body, unsigned words);
void client_mmio_write(struct client *client, uint32_t offset, uint32_t value);
uint32_t client_mmio_read(struct client *client, uint32_t offset);
void client_gtt(struct client *client, uint32_t index, uint64_t entry);
void client_write(struct client *client, uint64_t physical, const void *data, uint32_t size);
bool client_read(struct client *client, uint64_t physical, void *data, uint32_t size);
/* The four table entries of one page. */
void client_map(struct client *client, uint64_t address, uint64_t physical);

/* Virtual memory: maps pages on first use, then writes the data page by page. */
uint64_t client_physical(struct client *client, uint64_t address);
void client_store(struct client *client, uint64_t address, const void *data, uint32_t size);
void client_load(struct client *client, uint64_t address, void *data, uint32_t size);
uint32_t client_load32(struct client *client, uint64_t address);
uint64_t client_load64(struct client *client, uint64_t address);

/* Ring of `pages` pages at global page 2 and a context at page 6. */
void client_make_context(struct client *client, unsigned pages);
/* Append dwords to the ring and submit. */
void client_submit_ring(struct client *client, const uint32_t *words, unsigned count);
/* Store a batch at `address` and start it from the ring. */
void client_submit_batch(struct client *client, uint64_t address, const uint32_t *words,
                         unsigned count);

#define TEST_TAG_ADDRESS 0x7f0000001000ull
/* PIPE_CONTROL that writes `value` to TEST_TAG_ADDRESS; six dwords to `words`,
 * returns their count. The page must have been stored to before. */
unsigned test_tag(uint32_t *words, uint32_t value);

#define TEST_END 0x05000000u /* MI_BATCH_BUFFER_END */

#endif
