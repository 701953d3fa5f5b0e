/* Any bytes as the stream of one connection of the emulated GPU. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device/connection.h"

#define MEMORY_LIMIT (64u << 20)
#ifndef FUZZ_DEVICE
#define FUZZ_DEVICE "skl"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct peer {
    int fd;
    const uint8_t *data;
    size_t size;
};

static void *write_all(void *argument)
{
    const struct peer *peer = argument;
    size_t done = 0;
    while (done < peer->size) {
        ssize_t sent = send(peer->fd, peer->data + done, peer->size - done, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        done += (size_t)sent;
    }
    shutdown(peer->fd, SHUT_WR);
    return NULL;
}

static void *read_all(void *argument)
{
    const struct peer *peer = argument;
    static uint8_t sink[65536];
    while (recv(peer->fd, sink, sizeof sink, 0) > 0)
        ;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct device_machine machine = {
        .configuration = device_model_configuration(device_model_find(FUZZ_DEVICE)),
        .host_threads = 1,
        .max_instructions = 20000,
        .memory_limit = MEMORY_LIMIT,
        .log_fd = -1,
    };
    struct device_process *process;
    struct device_connection *connection;
    struct sonde_error error;
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 0;
    if (device_process_create(&machine, 1, &process, &error) != SONDE_OK ||
        device_connection_create(process, fds[0], 1, &connection, &error) != SONDE_OK)
        abort();
    struct peer peer = {fds[1], data, size};
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_all, &peer);
    pthread_create(&reader, NULL, read_all, &peer);
    device_connection_serve(connection);
    shutdown(fds[0], SHUT_RDWR);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    if (device_space_used(process->space) > MEMORY_LIMIT)
        abort();
#ifdef FUZZ_PACKED_SEEDS
    /* The seed itself, as recorded, comes first: it runs kernels to their ends. */
    static bool started;
    if (!started && (machine.dispatches == 0 || machine.instructions == 0 || machine.faults != 0))
        abort();
    started = true;
    if (getenv("FUZZ_TOTALS"))
        fprintf(stderr, "%llu dispatches, %llu instructions, %llu faults\n",
                (unsigned long long)machine.dispatches, (unsigned long long)machine.instructions,
                (unsigned long long)machine.faults);
#endif
    device_connection_destroy(connection);
    device_process_destroy(process);
    close(fds[0]);
    close(fds[1]);
    return 0;
}
