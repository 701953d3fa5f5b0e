#include "cli/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "attach/neo/protocol.h"
#include "cli/schemas.h"
#include "device/model.h"
#include "profile/scope.h"
#include "sonde/tool.h"

static bool append(char **text, const char *separator, const char *prefix, const char *word,
                   size_t length)
{
    size_t used = *text != NULL ? strlen(*text) : 0;
    size_t size = used + strlen(separator) + strlen(prefix) + length + 1;
    char *grown = realloc(*text, size);
    if (grown == NULL)
        return false;
    snprintf(grown + used, size - used, "%s%s%.*s", used > 0 ? separator : "", prefix, (int)length,
             word);
    *text = grown;
    return true;
}

static bool check_tool(const char *name)
{
    if (strchr(name, '/') != NULL) {
        if (access(name, R_OK) == 0)
            return true;
        cli_error("there is no tool file %s", name);
        return false;
    }
    if (sonde_tool_find(name) != NULL)
        return true;
    struct base_suggestion suggestion;
    const struct sonde_tool *tool;
    base_suggestion_begin(&suggestion, name);
    for (size_t i = 0; (tool = sonde_tool_at(i)) != NULL; i++)
        base_suggestion_offer(&suggestion, tool->name);
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        cli_error("there is no tool '%s'; did you mean '%s'?", name, meant);
    else
        cli_error("there is no tool '%s'; 'sonde list tools' shows those there are", name);
    return false;
}

static bool names_tool(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (; *list != '\0'; list += *list == ',') {
        size_t word = strcspn(list, ",");
        if (word == length && strncmp(list, name, length) == 0)
            return true;
        list += word;
    }
    return false;
}

/* regtrace with registers of its own is a probe: make it one. */
static bool take_values(const struct cli_arguments *arguments, struct schema *schema)
{
    const struct cli_values *values = &arguments->options[CLI_OPTION_VALUES];
    const char *point = cli_value(arguments, CLI_OPTION_VALUES_AT, "class=load");
    struct sonde_error error = {.message = ""};
    char *list = NULL, *probe = NULL;
    if (values->count == 0) {
        if (cli_given(arguments, CLI_OPTION_VALUES_AT))
            cli_error("--values-at says where --values are taken: it needs them");
        return !cli_given(arguments, CLI_OPTION_VALUES_AT);
    }
    bool good = true;
    for (size_t i = 0; i < values->count && good; i++)
        good = append(&list, ",", "", values->items[i], strlen(values->items[i]));
    /* The point first, so that columns in messages are those of --values-at. */
    good = good && append(&probe, "", "", point, strlen(point)) &&
           append(&probe, " ", "collect=register into=trace report=regtrace registers=", list,
                  strlen(list));
    if (!good)
        cli_error("out of memory");
    if (good && schema_parse_short(schema, probe, "--values-at", &error) != SONDE_OK) {
        cli_error("%s", error.message);
        cli_hint("'sonde schema list' shows how places and registers are written");
        good = false;
    }
    free(list);
    free(probe);
    return good;
}

/* The tool that does what the schemas say goes with them. */
static bool join_schema(struct session *session)
{
    bool named = names_tool(session->tools, "schema");
    if (session->schema != NULL && !named)
        return append(&session->tools, ",", "", "schema", strlen("schema"));
    if (session->schema == NULL && named)
        cli_error("the tool schema needs --schema or --at, which say what to collect");
    return session->schema != NULL || !named;
}

static bool take_schemas(const struct cli_arguments *arguments, struct session *session)
{
    struct schema schema = {.probes = NULL};
    bool good = schemas_take(arguments, &schema) && take_values(arguments, &schema);
    if (good && schema.count > 0) {
        session->schema = schema_to_short(&schema);
        good = session->schema != NULL;
    }
    session->threads = schema.threads;
    session->groups = schema.groups;
    schema.threads = schema.groups = NULL;
    schema_clear(&schema);
    return good;
}

/* Every -t, split at commas, checked and joined again. */
static bool take_tools(const struct cli_arguments *arguments, struct session *session)
{
    const struct cli_values *values = &arguments->options[CLI_OPTION_TOOL];
    if (values->count == 0 && session->schema != NULL)
        return (session->tools = strdup("schema")) != NULL;
    if (values->count == 0)
        return append(&session->tools, ",", "", "opcodeprof", strlen("opcodeprof"));
    if (values->count == 1 && strcmp(values->items[0], "none") == 0)
        return (session->tools = strdup("")) != NULL;
    for (size_t i = 0; i < values->count; i++) {
        const char *list = values->items[i];
        while (*list != '\0') {
            size_t length = strcspn(list, ",");
            char name[PATH_MAX];
            snprintf(name, sizeof name, "%.*s", (int)length, list);
            /* Its registers come from a probe instead. */
            bool is_replaced =
                strcmp(name, "regtrace") == 0 && cli_given(arguments, CLI_OPTION_VALUES);
            if (length > 0 && !is_replaced &&
                (!check_tool(name) || !append(&session->tools, ",", "", name, length)))
                return false;
            list += length;
            list += *list == ',';
        }
    }
    if (session->tools == NULL && cli_given(arguments, CLI_OPTION_VALUES))
        return (session->tools = strdup("schema")) != NULL;
    if (session->tools == NULL)
        cli_error("-t names no tool");
    return session->tools != NULL && join_schema(session);
}

static bool take_patterns(const struct cli_values *values, const char *sign, char **filter)
{
    struct analyze_matcher *matcher;
    struct sonde_error error;
    if (analyze_matcher_create(values->items, values->count, &matcher, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return false;
    }
    analyze_matcher_destroy(matcher);
    for (size_t i = 0; i < values->count; i++) {
        if (!append(filter, "\n", sign, values->items[i], strlen(values->items[i])))
            return false;
    }
    return true;
}

static bool take_number(const struct cli_arguments *arguments, enum cli_option_id id,
                        const char *word, char **filter)
{
    unsigned long number = 0;
    if (!cli_given(arguments, id))
        return true;
    if (!cli_value_number(arguments, id, 0xffffffff, &number))
        return false;
    char text[32];
    snprintf(text, sizeof text, "%lu", number);
    return append(filter, "\n", word, text, strlen(text));
}

/* Of the command line or, failing that, of a schema. */
static bool take_scope(const struct cli_arguments *arguments, struct session *session)
{
    struct profile_scope scope = {.fields = {{.is_given = false}}};
    struct sonde_error error;
    const char *threads = cli_value(arguments, CLI_OPTION_THREAD_MASK, session->threads);
    const char *groups = cli_value(arguments, CLI_OPTION_GROUPS, session->groups);
    if ((threads != NULL &&
         profile_scope_parse_threads(threads, "--threads", &scope, &error) != SONDE_OK) ||
        (groups != NULL &&
         profile_scope_parse_groups(groups, "--groups", &scope, &error) != SONDE_OK)) {
        cli_error("%s", error.message);
        return false;
    }
    return (threads == NULL ||
            append(&session->filter, "\n", "threads=", threads, strlen(threads))) &&
           (groups == NULL || append(&session->filter, "\n", "groups=", groups, strlen(groups)));
}

static bool take_filter(const struct cli_arguments *arguments, struct session *session)
{
    return take_patterns(&arguments->options[CLI_OPTION_KERNEL], "+", &session->filter) &&
           take_patterns(&arguments->options[CLI_OPTION_EXCLUDE], "-", &session->filter) &&
           take_number(arguments, CLI_OPTION_SKIP, "skip=", &session->filter) &&
           take_number(arguments, CLI_OPTION_TAKE, "count=", &session->filter) &&
           take_scope(arguments, session);
}

static bool take_maximum(const struct cli_arguments *arguments, struct session *session)
{
    uint64_t size = 0;
    if (!cli_given(arguments, CLI_OPTION_MAX_BUFFER))
        return true;
    if (!cli_value_size(arguments, CLI_OPTION_MAX_BUFFER, UINT64_C(1) << 31, &size))
        return false;
    snprintf(session->maximum_records, sizeof session->maximum_records, "%llu",
             (unsigned long long)size);
    return true;
}

/* The program may work in another directory: the path is made absolute. */
static bool take_counts(const struct cli_arguments *arguments, struct session *session)
{
    const char *directory = cli_value(arguments, CLI_OPTION_COUNTS, NULL);
    struct sonde_trace *trace;
    struct sonde_error error;
    if (directory == NULL)
        return true;
    if (sonde_trace_open(directory, &trace, &error) != SONDE_OK) {
        cli_error("--counts-from: %s", error.message);
        return false;
    }
    sonde_trace_close(trace);
    return realpath(directory, session->counts) != NULL;
}

/* Code for divergent channels comes out wrong of the compiler's second register
 * allocation on Gen12 and later (doc/attach.md). */
static const char *default_registers(const struct target *target)
{
    bool is_safe = target->model != NULL &&
                   device_model_configuration(target->model)->platform == SONDE_GEN_PLATFORM_GEN9;
    return is_safe ? ATTACH_REGISTERS_RECOMPILE : ATTACH_REGISTERS_UNMODIFIED;
}

int session_prepare(const struct cli_arguments *arguments, struct session *session)
{
    memset(session, 0, sizeof *session);
    session->records = cli_value(arguments, CLI_OPTION_RECORDS, NULL);
    if (!take_maximum(arguments, session) || !take_counts(arguments, session) ||
        !take_schemas(arguments, session) || !take_tools(arguments, session) ||
        !take_filter(arguments, session) ||
        !cli_value_number(arguments, CLI_OPTION_MAX_INSTRUCTIONS, ULONG_MAX,
                          &session->max_instructions) ||
        !target_choose(cli_value(arguments, CLI_OPTION_DEVICE, "auto"), &session->target))
        return CLI_EXIT_SONDE;
    session->registers =
        cli_value(arguments, CLI_OPTION_REGISTERS, default_registers(&session->target));
    if (session->target.model == NULL && session->records != NULL &&
        strcmp(session->records, ATTACH_RECORDS_WINDOW) == 0) {
        cli_error("--records window runs work-groups again, which only an emulated device can: use "
                  "drain, or --device emu:MODEL");
        return CLI_EXIT_SONDE;
    }
    session->addressing = cli_value(arguments, CLI_OPTION_ADDRESSING, NULL);
    session->timing = cli_given(arguments, CLI_OPTION_TIMING);
    session->check = cli_given(arguments, CLI_OPTION_CHECK);
    if ((session->timing || session->check) && session->target.model == NULL) {
        cli_error("--%s is for the emulated GPU: add --device emu:%s, or leave it out",
                  session->timing ? "timing" : "check", device_model_at(0)->name);
        return CLI_EXIT_SONDE;
    }
    int status = program_check(arguments->operands[0]);
    if (status >= 0)
        return status;
    if (!target_find_driver(&session->driver) ||
        !target_find_attach_library(session->attach_library, sizeof session->attach_library))
        return CLI_EXIT_SONDE;
    return -1;
}

void session_clear(struct session *session)
{
    free(session->tools);
    free(session->schema);
    free(session->threads);
    free(session->groups);
    free(session->filter);
    memset(session, 0, sizeof *session);
}

struct program_plan session_plan(const struct session *session, char **argv, const char *trace)
{
    return (struct program_plan){
        .argv = argv,
        .target = &session->target,
        .driver = &session->driver,
        .attach_library = session->attach_library,
        .trace = trace,
        .tools = session->tools,
        .registers = session->registers,
        .addressing = session->addressing,
        .records = session->records,
        .counts = session->counts[0] != '\0' ? session->counts : NULL,
        .maximum_records = session->maximum_records[0] != '\0' ? session->maximum_records : NULL,
        .schema = session->schema,
        .filter = session->filter,
    };
}

int session_start_server(const struct session *session, const char *truth, struct server *server)
{
    *server = (struct server){.pid = 0};
    if (session->target.model == NULL)
        return -1;
    struct device_server_options options = {
        .model = session->target.model,
        .max_instructions = session->max_instructions,
        .timing = session->timing,
        .events = session->events,
        .check = session->check,
        .truth_path = truth,
        .log_fd = STDERR_FILENO,
    };
    struct sonde_error error;
    if (server_start(&options, server, &error) == SONDE_OK)
        return -1;
    cli_error("the emulated GPU does not start: %s", error.message);
    return CLI_EXIT_SONDE;
}
