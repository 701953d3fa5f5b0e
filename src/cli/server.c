#include "cli/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOP_SECONDS = 5 };

/* What the child says once it listens, or cannot. */
struct greeting {
    struct sonde_error error;
    uint16_t port;
};

static struct device_server *serving;

static void on_terminate(int number)
{
    (void)number;
    if (serving != NULL)
        device_server_stop(serving);
}

static bool write_all(int fd, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

static bool read_all(int fd, void *data, size_t size)
{
    char *bytes = data;
    while (size > 0) {
        ssize_t done = read(fd, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

static void prepare_child(pid_t parent)
{
    /* A group of its own: Ctrl-C is for the program, which may go on. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    prctl(PR_SET_NAME, "sonde-emu");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    struct sigaction action = {.sa_handler = on_terminate};
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int serve(const struct device_server_options *options, int channel)
{
    struct greeting greeting = {.port = 0};
    enum sonde_status status =
        device_server_create(options, &serving, &greeting.port, &greeting.error);
    greeting.error.status = status;
    if (!write_all(channel, &greeting, sizeof greeting) || status != SONDE_OK)
        return 1;
    struct sonde_error error;
    status = device_server_run(serving, &error);
    struct device_server_totals totals;
    device_server_read_totals(serving, &totals);
    write_all(channel, &totals, sizeof totals);
    struct device_server *done = serving;
    serving = NULL;
    device_server_destroy(done);
    return status == SONDE_OK ? 0 : 1;
}

enum sonde_status server_start(const struct device_server_options *options, struct server *server,
                               struct sonde_error *error)
{
    int ends[2];
    *server = (struct server){.pid = 0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot make a pipe: %s", strerror(errno));
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        prepare_child(parent);
        _exit(serve(options, ends[1]));
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot fork: %s", strerror(errno));
    }
    server->pid = pid;
    server->channel = ends[0];
    struct greeting greeting;
    if (!read_all(ends[0], &greeting, sizeof greeting)) {
        server_stop(server);
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "the emulated GPU ended while starting");
    }
    if (greeting.error.status != SONDE_OK) {
        server_stop(server);
        if (error != NULL)
            *error = greeting.error;
        return greeting.error.status;
    }
    server->port = greeting.port;
    return SONDE_OK;
}

void server_ended(struct server *server)
{
    server->pid = 0;
    close(server->channel);
}

void server_stop(struct server *server)
{
    if (server->pid == 0)
        return;
    kill(server->pid, SIGTERM);
    struct pollfd wait = {.fd = server->channel, .events = POLLIN};
    if (poll(&wait, 1, STOP_SECONDS * 1000) > 0)
        server->has_totals = read_all(server->channel, &server->totals, sizeof server->totals);
    if (!server->has_totals)
        kill(server->pid, SIGKILL);
    /* The totals are the last thing it says; what is left is freeing. */
    for (int i = 0; i < STOP_SECONDS * 100; i++) {
        if (waitpid(server->pid, NULL, WNOHANG) != 0) {
            server_ended(server);
            return;
        }
        usleep(10000);
    }
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
    server_ended(server);
}
