#include "attach/neo/session.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/neo/drain.h"
#include "attach/neo/protocol.h"
#include "attach/neo/trace.h"

/* Space for the records of a dispatch: the most that a profile buffer can
 * have, and what it gets when nothing was counted. */
#define ATTACH_MOST_RECORDS    (UINT64_C(1) << 31)
#define ATTACH_DEFAULT_RECORDS (UINT64_C(16) << 20)
/* Of a dispatch that could not be counted as others are. */
#define ATTACH_UNCOUNTED_RECORDS (UINT64_C(1) << 20)

/* Scratch for values that an instrumented kernel has to put away. */
#define ATTACH_SCRATCH_SIZE 256u

struct attach_session attach_session = {.last = &attach_session.first, .generation = 1};

static pthread_mutex_t lock;
static pthread_once_t started = PTHREAD_ONCE_INIT;
static bool enabled;

static void make_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* A forked child has its parent's memory, and none of its dispatches. The lock
 * may have been held by a thread that does not exist here. */
static void after_fork(void)
{
    make_lock();
    attach_session.writer = NULL;
    attach_session.writer_failed = false;
    attach_session.closed = false;
    attach_session.generation++;
    attach_session.first = NULL;
    attach_session.last = &attach_session.first;
    attach_session.idle = attach_session.retired = NULL;
    attach_session.next_dispatch = 0;
    attach_session.selected_dispatches = 0;
    attach_drain_forget();
}

static const char *variable(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value == NULL || value[0] == '\0' ? otherwise : value;
}

static void note(enum sonde_status status, const struct sonde_error *error)
{
    if (status != SONDE_OK)
        attach_session_message("%s", error->message);
}

static void start_records(struct attach_session *session)
{
    const char *how = variable(ATTACH_ENV_RECORDS, "");
    const char *most = variable(ATTACH_ENV_MAX_BUFFER, NULL);
    session->windows = session->emulated && strcmp(how, ATTACH_RECORDS_WINDOW) == 0;
    session->drains = session->windows || strcmp(how, ATTACH_RECORDS_DRAIN) == 0;
    session->sized =
        session->emulated && !session->drains && strcmp(how, ATTACH_RECORDS_TRUNCATE) != 0;
    session->maximum_records = ATTACH_MOST_RECORDS;
    session->default_records = session->sized ? ATTACH_UNCOUNTED_RECORDS : ATTACH_DEFAULT_RECORDS;
    if (most != NULL)
        session->maximum_records = strtoull(most, NULL, 10);
    if (session->maximum_records > ATTACH_MOST_RECORDS)
        session->maximum_records = ATTACH_MOST_RECORDS;
    if (most != NULL && (!session->sized || session->maximum_records < session->default_records))
        session->default_records = session->maximum_records;
}

static void start(void)
{
    make_lock();
    if (strcmp(variable(ATTACH_ENV_ATTACH, ""), "1") != 0 ||
        variable(ATTACH_ENV_OUTPUT, NULL) == NULL)
        return;
    enabled = true;
    pthread_atfork(NULL, NULL, after_fork);
    struct attach_session *session = &attach_session;
    session->original_mode =
        strcmp(variable(ATTACH_ENV_MODE, ATTACH_MODE_INSTRUMENT), ATTACH_MODE_ORIGINAL) == 0;
    /* Without a tool the kernels are to be what they are without Sonde. */
    session->unmodified_registers =
        strcmp(variable(ATTACH_ENV_REGISTERS, ATTACH_REGISTERS_RECOMPILE),
               ATTACH_REGISTERS_UNMODIFIED) == 0 ||
        *variable(ATTACH_ENV_TOOLS, "") == '\0';
    session->stateless = strcmp(variable(ATTACH_ENV_ADDRESSING, ATTACH_ADDRESSING_SURFACE),
                                ATTACH_ADDRESSING_STATELESS) == 0;
    session->emulated = strncmp(variable(ATTACH_ENV_DEVICE, ""), "emu", 3) == 0;
    start_records(session);
    session->tools_list = strdup(variable(ATTACH_ENV_TOOLS, ""));
    session->igc_init = (struct gtpin_igc_init){
        .version = 5,
        .rerun_allocation = 1,
        .report_registers = 1,
        .scratch_size = ATTACH_SCRATCH_SIZE,
        .struct_size = sizeof session->igc_init,
    };
    struct sonde_error error;
    note(tools_set_load(&session->tools, variable(ATTACH_ENV_TOOLS, ""), &error), &error);
    note(schema_parse_short(&session->schema, variable(ATTACH_ENV_SCHEMA, ""), "schema", &error),
         &error);
    const char *counts = variable(ATTACH_ENV_COUNTS, NULL);
    if (counts != NULL)
        note(attach_trace_load_known(counts, &error), &error);
    note(attach_filter_parse(&session->filter, getenv(ATTACH_ENV_FILTER), &error), &error);
}

bool attach_session_start(void)
{
    pthread_once(&started, start);
    return enabled;
}

bool attach_session_is_on(void)
{
    return enabled;
}

bool attach_session_lock(void)
{
    return pthread_mutex_lock(&lock) == 0;
}

void attach_session_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

uint64_t attach_session_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The lines of the filter that choose threads and groups. */
static void scope_text(const char *lines, char *text, size_t size)
{
    *text = '\0';
    while (lines != NULL && *lines != '\0') {
        size_t length = strcspn(lines, "\n"), used = strlen(text);
        if (strncmp(lines, "threads=", 8) == 0 || strncmp(lines, "groups=", 7) == 0)
            snprintf(text + used, size - used, "%s%.*s", used > 0 ? " " : "", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

struct sonde_trace_writer *attach_session_writer(void)
{
    struct attach_session *session = &attach_session;
    if (session->writer != NULL || session->closed || session->writer_failed)
        return session->writer;
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    const char *device = variable(ATTACH_ENV_DEVICE, "hw");
    if (strcmp(device, "hw") == 0 && session->device_name != NULL)
        device = session->device_name;
    struct sonde_trace_header header = {
        .command_line = getenv(ATTACH_ENV_COMMAND),
        .device = device,
        .driver = session->driver_name,
        .tools = session->tools_list,
        .clock_frequency = session->clock_frequency,
        .start_time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
        .process = (uint32_t)getpid(),
        .mode = session->original_mode ? ATTACH_MODE_ORIGINAL : ATTACH_MODE_INSTRUMENT,
        .registers = session->unmodified_registers ? ATTACH_REGISTERS_UNMODIFIED
                                                   : ATTACH_REGISTERS_RECOMPILE,
        .program = program,
        .records = session->windows  ? ATTACH_RECORDS_WINDOW
                   : session->drains ? ATTACH_RECORDS_DRAIN
                   : session->sized  ? ATTACH_RECORDS_SIZED
                                     : ATTACH_RECORDS_TRUNCATE,
        .record_space = session->sized ? session->maximum_records : session->default_records,
    };
    char scope[512];
    scope_text(getenv(ATTACH_ENV_FILTER), scope, sizeof scope);
    header.scope = scope;
    /* Nobody can be told of a failure here; `sonde run` sees that there is no file. */
    session->writer_failed = sonde_trace_writer_create(variable(ATTACH_ENV_OUTPUT, ""), &header,
                                                       &session->writer, NULL) != SONDE_OK;
    return session->writer;
}

void attach_session_message(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct sonde_trace_writer *writer = attach_session_writer();
    if (writer != NULL)
        sonde_trace_write_message(writer, text, NULL);
}

void attach_session_close(void)
{
    if (attach_session.writer != NULL)
        sonde_trace_writer_close(attach_session.writer, NULL);
    attach_session.writer = NULL;
    attach_session.closed = true;
}
