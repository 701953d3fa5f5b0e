#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/neo/protocol.h"

/* Signals that someone may send to us and means for the program. */
static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static int cannot_start(const char *name, int code)
{
    if (code == ENOENT) {
        cli_error("%s: program not found", name);
        return CLI_EXIT_PROGRAM_NOT_FOUND;
    }
    cli_error("%s: cannot be executed: %s", name, strerror(code));
    return CLI_EXIT_CANNOT_EXECUTE;
}

static int check_file(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : errno;
}

int program_check(const char *name)
{
    if (strchr(name, '/') != NULL) {
        int code = check_file(name);
        return code == 0 ? -1 : cannot_start(name, code);
    }
    const char *path = getenv("PATH");
    int worst = ENOENT;
    for (path = path != NULL ? path : "/usr/bin:/bin"; *path != '\0';) {
        size_t length = strcspn(path, ":");
        char candidate[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
        int code = check_file(candidate);
        if (code == 0)
            return -1;
        if (code == EACCES)
            worst = EACCES;
        path += length;
        path += *path == ':';
    }
    return cannot_start(name, worst);
}

static size_t quoted_length(const char *word)
{
    size_t length = 2;
    for (; *word != '\0'; word++)
        length += *word == '\'' ? 4 : 1;
    return length;
}

static char *quote_word(char *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=:,+@%^";
    if (*word != '\0' && strspn(word, plain) == strlen(word))
        return stpcpy(out, word);
    *out++ = '\'';
    for (; *word != '\0'; word++)
        out = *word == '\'' ? stpcpy(out, "'\\''") : (*out = *word, out + 1);
    *out++ = '\'';
    *out = '\0';
    return out;
}

char *program_command_line(char **argv)
{
    size_t length = 1;
    for (size_t i = 0; argv[i] != NULL; i++)
        length += quoted_length(argv[i]) + 1;
    char *line = calloc(length, 1);
    char *end = line;
    for (size_t i = 0; line != NULL && argv[i] != NULL; i++) {
        if (i > 0)
            *end++ = ' ';
        end = quote_word(end, argv[i]);
    }
    return line;
}

static void put(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void put_preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char value[2 * PATH_MAX];
    if (others != NULL && *others != '\0') {
        snprintf(value, sizeof value, "%s:%s", library, others);
        library = value;
    }
    setenv("LD_PRELOAD", library, 1);
}

static void put_environment(const struct program_plan *plan)
{
    char *line = program_command_line(plan->argv);
    put(ATTACH_ENV_ATTACH, "1");
    put(ATTACH_ENV_OUTPUT, plan->trace);
    put(ATTACH_ENV_TOOLS, plan->tools);
    put(ATTACH_ENV_DEVICE, plan->target->name);
    put(ATTACH_ENV_COMMAND, line);
    put(ATTACH_ENV_MODE, plan->mode);
    put(ATTACH_ENV_REGISTERS, plan->registers);
    put(ATTACH_ENV_ADDRESSING, plan->addressing);
    put(ATTACH_ENV_RECORDS, plan->records);
    put(ATTACH_ENV_COUNTS, plan->counts);
    put(ATTACH_ENV_MAX_BUFFER, plan->maximum_records);
    put(ATTACH_ENV_SCHEMA, plan->schema);
    put(ATTACH_ENV_FILTER, plan->filter);
    put(ATTACH_ENV_DRIVER, basename(plan->driver->library));
    put("OCL_ICD_VENDORS", plan->driver->vendors);
    put_preload(plan->attach_library);
    free(line);
    if (plan->target->model == NULL)
        return;
    for (const char *const *entry = plan->target->model->environment; *entry != NULL; entry++) {
        char name[64];
        size_t length = strcspn(*entry, "=");
        snprintf(name, sizeof name, "%.*s", (int)length, *entry);
        if ((*entry)[length] == '=')
            put(name, *entry + length + 1);
    }
    char port[16];
    snprintf(port, sizeof port, "%u", plan->port);
    put("TbxPort", port);
}

static int redirect(const char *path, int flags, int to)
{
    if (path == NULL)
        return 0;
    int fd = open(path, flags | O_CLOEXEC, 0666);
    return fd >= 0 && dup2(fd, to) >= 0 ? 0 : errno;
}

static void become_program(const struct program_plan *plan, const sigset_t *mask, int failure)
{
    /* Should we be killed, the program would wait for ever for a device that
     * is gone. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    put_environment(plan);
    int code = 0;
    if (plan->fixed_addresses && personality(ADDR_NO_RANDOMIZE) < 0)
        code = errno;
    if (code == 0)
        code = redirect(plan->standard_input, O_RDONLY, STDIN_FILENO);
    if (code == 0)
        code = redirect(plan->standard_output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (code == 0) {
        execvp(plan->argv[0], plan->argv);
        code = errno;
    }
    ssize_t done = write(failure, &code, sizeof code);
    _exit(done == sizeof code ? CLI_EXIT_CANNOT_EXECUTE : CLI_EXIT_SONDE);
}

/* Fork; -1 with *pid filled, or an exit status. */
static int start(const struct program_plan *plan, const sigset_t *mask, pid_t *pid)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        cli_error("cannot make a pipe: %s", strerror(errno));
        return CLI_EXIT_SONDE;
    }
    fflush(NULL);
    *pid = fork();
    if (*pid == 0)
        become_program(plan, mask, ends[1]);
    close(ends[1]);
    int code = 0;
    ssize_t got = *pid > 0 ? read(ends[0], &code, sizeof code) : 0;
    close(ends[0]);
    if (*pid < 0) {
        cli_error("cannot fork: %s", strerror(errno));
        return CLI_EXIT_SONDE;
    }
    if (got == sizeof code) {
        waitpid(*pid, NULL, 0);
        return cannot_start(plan->argv[0], code);
    }
    return -1;
}

static void take_end(int status, struct program_end *end)
{
    if (WIFSIGNALED(status)) {
        end->signal = WTERMSIG(status);
        end->exit_status = 128 + end->signal;
    } else {
        end->exit_status = WEXITSTATUS(status);
    }
}

/* Wait for the program. When the emulated GPU dies first the program cannot
 * go on: it is ended too. */
static void wait_for(pid_t pid, struct server *server, const sigset_t *signals,
                     struct program_end *end)
{
    for (;;) {
        int status;
        if (waitpid(pid, &status, WNOHANG) == pid) {
            take_end(status, end);
            return;
        }
        if (server->pid != 0 && !end->server_died &&
            waitpid(server->pid, &status, WNOHANG) == server->pid) {
            server_ended(server);
            end->server_died = true;
            kill(pid, SIGKILL);
        }
        siginfo_t info;
        int number = sigwaitinfo(signals, &info);
        /* What a terminal sends, it sends to the program as well. */
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(pid, number);
    }
}

int program_run(const struct program_plan *plan, struct server *server, struct program_end *end)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaddset(&signals, forwarded[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    *end = (struct program_end){.exit_status = 0};
    pid_t pid;
    int status = start(plan, &before, &pid);
    if (status < 0)
        wait_for(pid, server, &signals, end);
    /* The signals stay blocked: the summary is still to be written. */
    return status;
}
