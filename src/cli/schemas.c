#include "cli/schemas.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the schemas are that come with Sonde: in the build tree, or installed. */
static bool find_directory(char *path, size_t size)
{
    static const char *const places[] = {"../tools/schemas", SONDE_DATA_PLACE "/sonde/schemas"};
    char self[PATH_MAX], candidate[2 * PATH_MAX], resolved[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    const char *directory = dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(candidate, sizeof candidate, "%s/%s", directory, places[i]);
        if (realpath(candidate, resolved) != NULL && access(resolved, R_OK) == 0) {
            snprintf(path, size, "%s", resolved);
            return true;
        }
    }
    return false;
}

/* The whole file, with a zero behind it; NULL when that fails, said. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *text = malloc(SCHEMA_FILE_LIMIT + 2);
    if (file == NULL || text == NULL) {
        cli_error("cannot read the schema %s: %s", path,
                  file == NULL ? strerror(errno) : "out of memory");
        if (file != NULL)
            fclose(file);
        free(text);
        return NULL;
    }
    *size = fread(text, 1, SCHEMA_FILE_LIMIT + 1, file);
    bool failed = ferror(file) != 0;
    int why = errno;
    fclose(file);
    text[*size] = '\0';
    if (!failed)
        return text;
    cli_error("cannot read the schema %s: %s", path, strerror(why));
    free(text);
    return NULL;
}

struct names {
    char *items[64];
    size_t count;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_shipped(const char *directory, struct names *names)
{
    struct dirent *entry;
    DIR *handle = opendir(directory);
    names->count = 0;
    while (handle != NULL && names->count < sizeof names->items / sizeof *names->items &&
           (entry = readdir(handle)) != NULL) {
        size_t length = strlen(entry->d_name);
        char *name = length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0
                         ? strndup(entry->d_name, length - 5)
                         : NULL;
        if (name != NULL)
            names->items[names->count++] = name;
    }
    if (handle != NULL)
        closedir(handle);
    if (names->count > 1)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
}

static void clear_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
}

static bool find_shipped(const char *name, char *path, size_t size)
{
    char directory[PATH_MAX];
    struct base_suggestion suggestion;
    struct names names = {.count = 0};
    if (find_directory(directory, sizeof directory)) {
        snprintf(path, size, "%s/%s.yaml", directory, name);
        if (access(path, R_OK) == 0)
            return true;
        list_shipped(directory, &names);
    }
    base_suggestion_begin(&suggestion, name);
    for (size_t i = 0; i < names.count; i++)
        base_suggestion_offer(&suggestion, names.items[i]);
    const char *meant = base_suggestion_end(&suggestion);
    cli_error("there is no schema file '%s', and no schema of that name%s%s%s", name,
              meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
              meant != NULL ? "'?" : "");
    cli_hint("'sonde list schemas' shows those that come with Sonde");
    clear_names(&names);
    return false;
}

bool schemas_load(struct schema *schema, const char *name)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s", name);
    bool is_file = strchr(name, '/') != NULL || access(name, F_OK) == 0;
    if (!is_file && !find_shipped(name, path, sizeof path))
        return false;
    size_t size = 0;
    char *text = read_file(path, &size);
    if (text == NULL)
        return false;
    struct sonde_error error = {.message = ""};
    enum sonde_status status = schema_parse_yaml(schema, text, size, path, &error);
    free(text);
    if (status != SONDE_OK)
        cli_error("%s", error.message);
    return status == SONDE_OK;
}

bool schemas_take(const struct cli_arguments *arguments, struct schema *schema)
{
    const struct cli_values *files = &arguments->options[CLI_OPTION_SCHEMA];
    const struct cli_values *points = &arguments->options[CLI_OPTION_AT];
    for (size_t i = 0; i < files->count; i++)
        if (!schemas_load(schema, files->items[i]))
            return false;
    for (size_t i = 0; i < points->count; i++) {
        struct sonde_error error = {.message = ""};
        size_t before = schema->count;
        if (schema_parse_short(schema, points->items[i], "--at", &error) != SONDE_OK) {
            cli_error("%s", error.message);
            cli_hint("'sonde schema list' shows what can be written");
            return false;
        }
        if (schema->count == before) {
            cli_error("--at '%s' says nothing", points->items[i]);
            return false;
        }
    }
    return true;
}

void schemas_list(FILE *out)
{
    char directory[PATH_MAX], path[2 * PATH_MAX];
    struct names names = {.count = 0};
    if (find_directory(directory, sizeof directory))
        list_shipped(directory, &names);
    for (size_t i = 0; i < names.count; i++) {
        struct schema schema = {.probes = NULL};
        snprintf(path, sizeof path, "%s/%s.yaml", directory, names.items[i]);
        if (schemas_load(&schema, path))
            fprintf(out, "%-12s  %s\n", names.items[i],
                    schema.summary != NULL ? schema.summary : "");
        schema_clear(&schema);
    }
    clear_names(&names);
}
