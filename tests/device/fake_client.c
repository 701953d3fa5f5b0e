#include "fake_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* cmocka.h wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void *serve(void *argument)
{
    struct test_server *server = argument;
    struct sonde_error error;
    device_server_run(server->server, &error);
    return NULL;
}

void test_server_start(struct test_server *server, const char *truth_path)
{
    struct sonde_error error = {0};
    assert_int_equal(pipe2(server->log_pipe, O_NONBLOCK | O_CLOEXEC), 0);
    struct device_server_options options = {
        .model = device_model_find("skl"),
        .truth_path = truth_path,
        .log_fd = server->log_pipe[1],
    };
    if (device_server_create(&options, &server->server, &server->port, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

struct device_server_totals test_server_stop(struct test_server *server, char *log, size_t size)
{
    struct device_server_totals totals;
    device_server_stop(server->server);
    pthread_join(server->thread, NULL);
    device_server_read_totals(server->server, &totals);
    device_server_destroy(server->server);
    close(server->log_pipe[1]);
    if (log != NULL) {
        ssize_t got = read(server->log_pipe[0], log, size - 1);
        log[got > 0 ? got : 0] = '\0';
    }
    close(server->log_pipe[0]);
    return totals;
}

void client_open(struct client *client, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *client = (struct client){.next_physical = 0x100000};
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(client->fd >= 0);
    assert_int_equal(connect(client->fd, (struct sockaddr *)&address, sizeof address), 0);
    client_message(client, 11, (uint32_t[]){0x00320002}, 1);
}

void client_close(struct client *client)
{
    close(client->fd);
}

bool client_send(struct client *client, const void *data, size_t size)
{
    const uint8_t *in = data;
    while (size > 0) {
        ssize_t sent = send(client->fd, in, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        in += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool client_receive(struct client *client, void *data, size_t size)
{
    uint8_t *out = data;
    while (size > 0) {
        ssize_t got = recv(client->fd, out, size, 0);
        if (got <= 0)
            return false;
        out += got;
        size -= (size_t)got;
    }
    return true;
}

bool client_sees_close(struct client *client)
{
    struct pollfd wait = {.fd = client->fd, .events = POLLIN};
    char byte;
    return poll(&wait, 1, 2000) == 1 && recv(client->fd, &byte, 1, 0) <= 0;
}

void client_message(struct client *client, uint32_t type, const uint32_t *body, unsigned words)
{
    uint32_t message[3 + 4] = {type, client->transaction++, 4 * words};
    memcpy(message + 3, body, 4 * words);
    client_send(client, message, 12 + 4 * words);
}

void client_mmio_write(struct client *client, uint32_t offset, uint32_t value)
{
    client_message(client, 0, (uint32_t[]){4 << 1 | 1, offset, value}, 3);
}

uint32_t client_mmio_read(struct client *client, uint32_t offset)
{
    uint32_t answer[4] = {0};
    uint32_t transaction = client->transaction;
    client_message(client, 0, (uint32_t[]){4 << 1, offset, 0}, 3);
    assert_true(client_receive(client, answer, sizeof answer));
    assert_int_equal(answer[0], 1);
    assert_int_equal(answer[1], transaction);
    assert_int_equal(answer[2], 4);
    return answer[3];
}

void client_gtt(struct client *client, uint32_t index, uint64_t entry)
{
    client_message(client, 2, (uint32_t[]){1, index, (uint32_t)entry, (uint32_t)(entry >> 32)}, 4);
}

void client_write(struct client *client, uint64_t physical, const void *data, uint32_t size)
{
    client_message(client, 4,
                   (uint32_t[]){(uint32_t)(physical >> 32) << 24, (uint32_t)physical, size}, 3);
    client_send(client, data, size);
}

bool client_read(struct client *client, uint64_t physical, void *data, uint32_t size)
{
    uint32_t answer[6];
    uint32_t body[3] = {(uint32_t)(physical >> 32) << 24, (uint32_t)physical, size};
    uint32_t transaction = client->transaction;
    client_message(client, 5, body, 3);
    if (!client_receive(client, answer, sizeof answer))
        return false;
    assert_int_equal(answer[0], 6);
    assert_int_equal(answer[1], transaction);
    assert_int_equal(answer[2], 12);
    assert_memory_equal(answer + 3, body, sizeof body);
    return client_receive(client, data, size);
}

void client_map(struct client *client, uint64_t address, uint64_t physical)
{
    static const uint64_t bases[5] = {1ull << 29, 1ull << 30, 1ull << 31, 1ull << 32, 0};
    static const unsigned shifts[4] = {39, 30, 21, 12};
    for (unsigned level = 0; level < 4; level++) {
        uint64_t index = (address & 0xffffffffffffull) >> shifts[level];
        uint64_t entry = level == 3 ? physical : bases[level + 1] + (index << 12);
        entry |= 7;
        client_write(client, bases[level] + 8 * index, &entry, 8);
    }
}

uint64_t client_physical(struct client *client, uint64_t address)
{
    address &= 0xfffffffff000ull;
    for (unsigned i = 0; i < client->page_count; i++)
        if (client->pages[i].address == address)
            return client->pages[i].physical;
    assert_true(client->page_count < CLIENT_PAGES);
    client->pages[client->page_count].address = address;
    client->pages[client->page_count].physical = client->next_physical;
    client->page_count++;
    client->next_physical += 4096;
    return client->next_physical - 4096;
}

void client_store(struct client *client, uint64_t address, const void *data, uint32_t size)
{
    const uint8_t *in = data;
    while (size > 0) {
        uint32_t offset = (uint32_t)address & 4095;
        uint32_t part = 4096 - offset < size ? 4096 - offset : size;
        uint64_t physical = client_physical(client, address);
        client_map(client, address, physical);
        client_write(client, physical + offset, in, part);
        address += part;
        in += part;
        size -= part;
    }
}

void client_load(struct client *client, uint64_t address, void *data, uint32_t size)
{
    uint8_t *out = data;
    while (size > 0) {
        uint32_t offset = (uint32_t)address & 4095;
        uint32_t part = 4096 - offset < size ? 4096 - offset : size;
        assert_true(client_read(client, client_physical(client, address) + offset, out, part));
        address += part;
        out += part;
        size -= part;
    }
}

uint32_t client_load32(struct client *client, uint64_t address)
{
    uint32_t value = 0;
    client_load(client, address, &value, 4);
    return value;
}

uint64_t client_load64(struct client *client, uint64_t address)
{
    uint64_t value = 0;
    client_load(client, address, &value, 8);
    return value;
}

#define RING_PAGE    2u
#define CONTEXT_PAGE 16u

void client_make_context(struct client *client, unsigned pages)
{
    static uint8_t image[0x2000];
    for (uint32_t i = 1; i < CONTEXT_PAGE + 2; i++)
        client_gtt(client, i, (uint64_t)i << 12 | 1);
    uint32_t *words = (uint32_t *)(void *)(image + 0x1000);
    words[1] = 0x1100101b;
    const uint32_t registers[] = {0x2244, 0x10001, 0x2034,          0,      0x2030,
                                  0,      0x2038,  RING_PAGE << 12, 0x203c, (pages - 1) << 12 | 1};
    memcpy(words + 2, registers, sizeof registers);
    client_write(client, CONTEXT_PAGE << 12, image, 4096);
    client_write(client, (CONTEXT_PAGE + 1) << 12, image + 4096, 4096);
    client->tail = 0;
}

static void submit(struct client *client)
{
    client_write(client, (CONTEXT_PAGE << 12) + 0x101c, &client->tail, 4);
    client_mmio_write(client, 0x2230, 0);
    client_mmio_write(client, 0x2230, 0);
    client_mmio_write(client, 0x2230, 0);
    client_mmio_write(client, 0x2230, CONTEXT_PAGE << 12 | 0x119);
}

void client_submit_ring(struct client *client, const uint32_t *words, unsigned count)
{
    client_write(client, (RING_PAGE << 12) + client->tail, words, 4 * count);
    client->tail += 4 * count;
    submit(client);
}

void client_submit_batch(struct client *client, uint64_t address, const uint32_t *words,
                         unsigned count)
{
    client_store(client, address, words, 4 * count);
    client_submit_ring(
        client, (uint32_t[]){0x18800101, (uint32_t)address, (uint32_t)(address >> 32), 0}, 4);
}

unsigned test_tag(uint32_t *words, uint32_t value)
{
    const uint32_t command[6] = {
        0x7a000004, 0x00104020, (uint32_t)TEST_TAG_ADDRESS, (uint32_t)(TEST_TAG_ADDRESS >> 32),
        value,      0};
    memcpy(words, command, sizeof command);
    return 6;
}
