#include "analyze/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int compare(const void *a, const void *b)
{
    const struct analyze_line *one = a, *other = b;
    int files = strcmp(one->file, other->file);
    if (files != 0)
        return files;
    return (one->line > other->line) - (one->line < other->line);
}

/* The line among those of this kernel, which start at `first`; new when it was
 * not met before. */
static struct analyze_line *line_at(struct analyze_lines *lines, size_t first,
                                    const struct analyze_kernel *kernel,
                                    const struct sonde_source_line *source)
{
    const char *file = source != NULL ? source->file : "";
    uint32_t number = source != NULL ? source->line : 0;
    for (size_t n = lines->count; n > first; n--)
        if (lines->lines[n - 1].line == number && strcmp(lines->lines[n - 1].file, file) == 0)
            return &lines->lines[n - 1];
    if (base_array_reserve((void **)&lines->lines, &lines->capacity, lines->count + 1,
                           sizeof *lines->lines) != SONDE_OK)
        return NULL;
    struct analyze_line *line = &lines->lines[lines->count++];
    *line = (struct analyze_line){.kernel = kernel, .file = file, .line = number};
    return line;
}

static bool add_kernel(struct analyze_lines *lines, const struct analyze_kernel *kernel)
{
    const struct sonde_trace_kernel *record = kernel->kernel;
    struct sonde_source_lines *source = NULL;
    if (sonde_source_lines_read(record->debug_elf, record->debug_elf_size, &source, NULL) !=
        SONDE_OK) {
        lines->without++;
        return true;
    }
    lines->sources[lines->source_count++] = source;
    size_t first = lines->count;
    for (size_t n = 0; n < kernel->instruction_count; n++) {
        struct analyze_line *line = line_at(
            lines, first, kernel, sonde_source_lines_find(source, kernel->instructions[n].offset));
        if (line == NULL)
            return false;
        line->static_count++;
        line->dynamic_count += kernel->instruction_executions[n];
        lines->dynamic_count += kernel->instruction_executions[n];
    }
    if (lines->count > first)
        qsort(lines->lines + first, lines->count - first, sizeof *lines->lines, compare);
    return true;
}

enum sonde_status analyze_lines_create(const struct analyze_profile *profile,
                                       struct analyze_lines **result, struct sonde_error *error)
{
    *result = NULL;
    struct analyze_lines *lines = calloc(1, sizeof *lines);
    if (lines != NULL)
        lines->sources = calloc(profile->kernel_count + 1, sizeof *lines->sources);
    bool good = lines != NULL && lines->sources != NULL;
    for (size_t n = 0; good && n < profile->kernel_count; n++)
        good = add_kernel(lines, &profile->kernels[n]);
    if (good && lines->source_count > 0) {
        *result = lines;
        return SONDE_OK;
    }
    analyze_lines_destroy(lines);
    if (good)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0,
                               "no kernel has source lines: build the program with -g in the "
                               "options of clBuildProgram");
    return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

void analyze_lines_destroy(struct analyze_lines *lines)
{
    if (lines == NULL)
        return;
    for (size_t n = 0; n < lines->source_count; n++)
        sonde_source_lines_destroy(lines->sources[n]);
    free(lines->sources);
    free(lines->lines);
    free(lines);
}
