/* Listener, connection threads, and what they share. */
#include "device/device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device/connection.h"
#include "device/log.h"
#include "device/peer.h"
#include "device/truth_writer.h"

#define CONNECTION_LIMIT 256u
/* A kernel that needs longer than this is taken to loop for ever. */
#define DEFAULT_MAX_INSTRUCTIONS 100000000000ull

/* A connection and its thread. */
struct client {
    struct device_server *server;
    struct device_connection *connection;
    pthread_t thread;
    int fd;
    bool hung_up;
    atomic_bool finished;
};

struct device_server {
    struct device_machine machine;
    int listener;
    int wake[2];                      /* stop requests and finished connections */
    atomic_bool stop;                 /* lock-free: set from signal handlers */
    struct device_process *processes; /* of the serving thread only */
    struct client *clients[CONNECTION_LIMIT];
    size_t client_count;
    unsigned next_number;
    bool warned;
};

static enum sonde_status open_listener(struct device_server *server, uint16_t *port,
                                       struct sonde_error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int on = 1;
    socklen_t size = sizeof address;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener >= 0)
        setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (server->listener < 0 ||
        bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server->listener, 64) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &size) != 0)
        return sonde_error_set(error, SONDE_ERROR_IO, 0,
                               "cannot listen on 127.0.0.1 port %u: %s; port 0 takes a free one",
                               *port, strerror(errno));
    *port = ntohs(address.sin_port);
    return SONDE_OK;
}

/* Three quarters of the machine's memory. */
static uint64_t default_memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0)
        return 1ull << 32;
    return (uint64_t)pages * (uint64_t)size / 4 * 3;
}

enum sonde_status device_server_create(const struct device_server_options *options,
                                       struct device_server **server, uint16_t *port,
                                       struct sonde_error *error)
{
    const struct device_configuration *configuration = device_model_configuration(options->model);
    if (configuration == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no such device model");
    struct device_server *s = calloc(1, sizeof *s);
    if (s == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "no memory for a device server");
    s->listener = s->wake[0] = s->wake[1] = -1;
    s->machine.configuration = configuration;
    s->machine.host_threads = options->host_threads;
    s->machine.max_instructions =
        options->max_instructions == 0 ? DEFAULT_MAX_INSTRUCTIONS : options->max_instructions;
    s->machine.timing = options->timing;
    s->machine.events = options->events;
    s->machine.check = options->check;
    s->machine.memory_limit = default_memory_limit();
    s->machine.log_fd = options->log_fd;
    *port = options->port;
    enum sonde_status status = open_listener(s, port, error);
    if (status == SONDE_OK && pipe2(s->wake, O_CLOEXEC | O_NONBLOCK) != 0)
        status =
            sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot make a pipe: %s", strerror(errno));
    if (status == SONDE_OK && options->truth_path != NULL)
        status = device_truth_create(options->truth_path, &s->machine.truth, error);
    if (status != SONDE_OK) {
        device_server_destroy(s);
        return status;
    }
    *server = s;
    return SONDE_OK;
}

void device_server_stop(struct device_server *server)
{
    int saved = errno;
    atomic_store(&server->stop, true);
    /* A full pipe is as good: the serving thread is about to wake up. */
    if (write(server->wake[1], "s", 1) < 0)
        errno = saved;
}

static struct device_process *find_process(struct device_server *server, int fd,
                                           struct sonde_error *error)
{
    pid_t hints[16];
    size_t count = 0;
    for (struct device_process *p = server->processes; p != NULL; p = p->next)
        if (p->pid != 0 && count < sizeof hints / sizeof *hints - 1)
            hints[count++] = p->pid;
    hints[count] = 0;
    pid_t pid = device_peer_process(fd, hints);
    if (pid == 0 && !server->warned) {
        server->warned = true;
        device_log_line(server->machine.log_fd,
                        "cannot tell which process a connection comes from: use this server for "
                        "one process at a time");
    }
    for (struct device_process *p = server->processes; p != NULL; p = p->next)
        if (p->pid == pid)
            return p;
    struct device_process *process;
    if (device_process_create(&server->machine, pid, &process, error) != SONDE_OK)
        return NULL;
    process->next = server->processes;
    server->processes = process;
    return process;
}

static void release_process(struct device_server *server, struct device_process *process)
{
    if (process->references > 0)
        return;
    struct device_process **link = &server->processes;
    while (*link != process)
        link = &(*link)->next;
    *link = process->next;
    device_process_destroy(process);
}

static void *serve_client(void *argument)
{
    struct client *client = argument;
    device_connection_serve(client->connection);
    /* The peer learns at once; the descriptor stays until the thread is joined. */
    shutdown(client->fd, SHUT_RDWR);
    atomic_store(&client->finished, true);
    if (write(client->server->wake[1], "f", 1) < 0) {
        /* full: a wake-up is pending anyway */
    }
    return NULL;
}

/* Take `fd` over. */
static void add_client(struct device_server *server, int fd)
{
    struct sonde_error error;
    struct client *client = NULL;
    struct device_process *process = NULL;
    if (server->client_count == CONNECTION_LIMIT) {
        device_log_line(server->machine.log_fd, "connection refused: %u are open already",
                        CONNECTION_LIMIT);
        close(fd);
        return;
    }
    sonde_error_set(&error, SONDE_ERROR_MEMORY, 0, "no memory");
    process = find_process(server, fd, &error);
    client = calloc(1, sizeof *client);
    if (process == NULL || client == NULL ||
        device_connection_create(process, fd, server->next_number + 1, &client->connection,
                                 &error) != SONDE_OK)
        goto refused;
    client->server = server;
    client->fd = fd;
    process->references++;
    server->next_number++;
    if (pthread_create(&client->thread, NULL, serve_client, client) != 0) {
        process->references--;
        device_connection_destroy(client->connection);
        sonde_error_set(&error, SONDE_ERROR_IO, 0, "cannot start a thread");
        goto refused;
    }
    server->clients[server->client_count++] = client;
    return;
refused:
    device_log_line(server->machine.log_fd, "connection refused: %s", error.message);
    if (process != NULL)
        release_process(server, process);
    free(client);
    close(fd);
}

static void remove_client(struct device_server *server, size_t index)
{
    struct client *client = server->clients[index];
    struct device_process *process = client->connection->process;
    pthread_join(client->thread, NULL);
    device_connection_destroy(client->connection);
    close(client->fd);
    free(client);
    server->clients[index] = server->clients[--server->client_count];
    process->references--;
    release_process(server, process);
}

static void stop_clients(struct device_server *server)
{
    for (size_t i = 0; i < server->client_count; i++) {
        device_process_abandon(server->clients[i]->connection->process, NULL);
        shutdown(server->clients[i]->fd, SHUT_RDWR);
    }
    while (server->client_count > 0)
        remove_client(server, server->client_count - 1);
}

/* One wait: listener, wake pipe, and hang-ups of clients whose thread may be
 * inside a long dispatch. */
static void wait_and_serve(struct device_server *server)
{
    struct pollfd wait[2 + CONNECTION_LIMIT];
    struct client *watched[CONNECTION_LIMIT];
    nfds_t count = 2;
    wait[0] = (struct pollfd){.fd = server->wake[0], .events = POLLIN};
    wait[1] = (struct pollfd){.fd = server->listener, .events = POLLIN};
    for (size_t i = 0; i < server->client_count; i++) {
        if (server->clients[i]->hung_up)
            continue;
        watched[count - 2] = server->clients[i];
        wait[count++] = (struct pollfd){.fd = server->clients[i]->fd, .events = POLLRDHUP};
    }
    if (poll(wait, count, -1) < 0)
        return;
    for (nfds_t i = 2; i < count; i++) {
        if (wait[i].revents == 0)
            continue;
        watched[i - 2]->hung_up = true;
        device_process_abandon(watched[i - 2]->connection->process, watched[i - 2]->connection);
    }
    char drain[64];
    while (wait[0].revents && read(server->wake[0], drain, sizeof drain) > 0)
        ;
    if (wait[1].revents & POLLIN) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            add_client(server, fd);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
            poll(NULL, 0, 50); /* the connection stays queued: do not spin on it */
    }
    for (size_t i = server->client_count; i-- > 0;)
        if (atomic_load(&server->clients[i]->finished))
            remove_client(server, i);
}

enum sonde_status device_server_run(struct device_server *server, struct sonde_error *error)
{
    (void)error;
    while (!atomic_load(&server->stop))
        wait_and_serve(server);
    stop_clients(server);
    return SONDE_OK;
}

void device_server_read_totals(const struct device_server *server,
                               struct device_server_totals *totals)
{
    *totals = (struct device_server_totals){
        .dispatches = atomic_load(&server->machine.dispatches),
        .instructions = atomic_load(&server->machine.instructions),
        .faults = atomic_load(&server->machine.faults),
        .cycles = atomic_load(&server->machine.cycles),
        .nanoseconds = atomic_load(&server->machine.nanoseconds),
    };
}

void device_server_destroy(struct device_server *server)
{
    if (server == NULL)
        return;
    stop_clients(server);
    for (int i = 0; i < 2; i++)
        if (server->wake[i] >= 0)
            close(server->wake[i]);
    if (server->listener >= 0)
        close(server->listener);
    device_truth_destroy(server->machine.truth);
    free(server);
}
