#include "attach/neo/lines.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sonde/source_lines.h"

#define LIBRARY "libsonde-lines.so"

struct functions {
    enum sonde_status (*read)(const uint8_t *elf, size_t size, struct sonde_source_lines **lines,
                              struct sonde_error *error);
    const struct sonde_source_line *(*find)(const struct sonde_source_lines *lines,
                                            uint32_t offset);
    void (*destroy)(struct sonde_source_lines *lines);
};

static struct functions functions;

/* It stands beside this library. */
static bool load(void)
{
    Dl_info self;
    char path[PATH_MAX];
    if (functions.destroy != NULL)
        return true;
    if (dladdr((void *)&functions, &self) == 0 || self.dli_fname == NULL)
        return false;
    const char *slash = strrchr(self.dli_fname, '/');
    int length = slash != NULL ? (int)(slash - self.dli_fname) + 1 : 0;
    snprintf(path, sizeof path, "%.*s" LIBRARY, length, self.dli_fname);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    *(void **)&functions.read = dlsym(handle, "sonde_source_lines_read");
    *(void **)&functions.find = dlsym(handle, "sonde_source_lines_find");
    *(void **)&functions.destroy = dlsym(handle, "sonde_source_lines_destroy");
    return functions.read != NULL && functions.find != NULL && functions.destroy != NULL;
}

static bool find(const void *context, uint32_t offset, const char **file, uint32_t *line)
{
    const struct sonde_source_line *at = functions.find(context, offset);
    if (at == NULL || at->line == 0)
        return false;
    *file = at->file;
    *line = at->line;
    return true;
}

void attach_lines_open(const uint8_t *elf, size_t size, struct tools_lines *lines)
{
    struct sonde_source_lines *read = NULL;
    *lines = (struct tools_lines){.find = NULL};
    if (elf == NULL || !load() || functions.read(elf, size, &read, NULL) != SONDE_OK)
        return;
    lines->find = find;
    lines->context = read;
}

void attach_lines_close(struct tools_lines *lines)
{
    if (lines->context != NULL)
        functions.destroy(lines->context);
    *lines = (struct tools_lines){.find = NULL};
}
