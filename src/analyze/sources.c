#include "analyze/sources.h"

#include <stdio.h>
#include <string.h>

/* Lines that are told apart; what further ones execute is not compared. */
#define LINE_LIMIT 256

static const struct sonde_source_line *line_at(const struct analyze_kernel *kernel,
                                               const struct sonde_source_lines *lines, size_t index)
{
    const struct sonde_source_line *line =
        sonde_source_lines_find(lines, kernel->instructions[index].offset);
    return line != NULL && line->line != 0 ? line : NULL;
}

static const char *file_name(const struct sonde_source_line *line)
{
    const char *slash = strrchr(line->file, '/');
    return slash != NULL ? slash + 1 : line->file;
}

void analyze_source_name(const struct sonde_source_line *line, char text[ANALYZE_SOURCE_SIZE])
{
    text[0] = '\0';
    if (line != NULL && line->line != 0)
        snprintf(text, ANALYZE_SOURCE_SIZE, "%.40s:%u", file_name(line), line->line);
}

void analyze_source_of_block(const struct analyze_kernel *kernel,
                             const struct sonde_source_lines *lines, size_t block,
                             char text[ANALYZE_SOURCE_SIZE])
{
    const struct sonde_trace_block *range = &kernel->kernel->blocks[block];
    const struct sonde_source_line *first = NULL;
    uint32_t lowest = 0, highest = 0;
    for (size_t i = range->first; i < (size_t)range->first + range->count; i++) {
        const struct sonde_source_line *line = line_at(kernel, lines, i);
        if (line == NULL || (first != NULL && strcmp(first->file, line->file) != 0))
            continue;
        lowest = first == NULL || line->line < lowest ? line->line : lowest;
        highest = line->line > highest ? line->line : highest;
        first = first == NULL ? line : first;
    }
    text[0] = '\0';
    if (first == NULL)
        return;
    int used = snprintf(text, ANALYZE_SOURCE_SIZE, "%.40s:%u", file_name(first), lowest);
    if (highest != lowest)
        snprintf(text + used, (size_t)(ANALYZE_SOURCE_SIZE - used), "-%u", highest);
}

struct share {
    const struct sonde_source_line *line;
    uint64_t executed;
};

static struct share *share_of(struct share *shares, size_t *count,
                              const struct sonde_source_line *line)
{
    for (size_t i = 0; i < *count; i++)
        if (shares[i].line->line == line->line && strcmp(shares[i].line->file, line->file) == 0)
            return &shares[i];
    if (*count == LINE_LIMIT)
        return NULL;
    shares[*count] = (struct share){.line = line};
    return &shares[(*count)++];
}

void analyze_source_of_kind(const struct analyze_kernel *kernel,
                            const struct sonde_source_lines *lines,
                            const struct analyze_mix_row *kind, char text[ANALYZE_SOURCE_SIZE])
{
    struct share shares[LINE_LIMIT];
    size_t count = 0, most = 0;
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        struct analyze_mix_row row = analyze_mix_row_of(&kernel->instructions[i]);
        const struct sonde_source_line *line =
            analyze_mix_row_compare(&row, kind) == 0 ? line_at(kernel, lines, i) : NULL;
        struct share *share = line != NULL ? share_of(shares, &count, line) : NULL;
        if (share != NULL)
            share->executed += kernel->instruction_executions[i];
    }
    for (size_t i = 1; i < count; i++)
        most = shares[i].executed > shares[most].executed ? i : most;
    analyze_source_name(count > 0 ? shares[most].line : NULL, text);
    size_t used = strlen(text);
    if (count > 1)
        snprintf(text + used, ANALYZE_SOURCE_SIZE - used, " +%zu", count - 1);
}
