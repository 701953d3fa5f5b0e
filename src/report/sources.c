#include "report/sources.h"

void report_sources_fill(const struct analyze_kernel *kernel, bool by_block,
                         struct report_row *rows, report_source *texts, size_t count)
{
    struct sonde_source_lines *lines;
    if (kernel == NULL || kernel->kernel->debug_elf == NULL ||
        sonde_source_lines_read(kernel->kernel->debug_elf, kernel->kernel->debug_elf_size, &lines,
                                NULL) != SONDE_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        if (by_block)
            analyze_source_of_block(kernel, lines, rows[i].block, texts[i]);
        else
            analyze_source_of_kind(kernel, lines, rows[i].kind, texts[i]);
        rows[i].source = texts[i];
    }
    sonde_source_lines_destroy(lines);
}
