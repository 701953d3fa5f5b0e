/* The kernels of one profile as sections of rows, to text, CSV or JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/rows.h"
#include "report/sources.h"

/* One kernel, or the total: a heading and its rows. */
struct section {
    const struct analyze_kernel *kernel;
    const struct analyze_mix *whole;
    struct report_row *rows;
    size_t count;
    report_source *sources; /* of the rows */
};

struct printer {
    const struct report_view *view;
    const struct report_options *options;
    const struct analyze_profile *profile;
    struct report_layout layout;
    struct report_text *text;
    struct report_json *json;
};

static bool section_fill(struct printer *printer, const struct analyze_kernel *kernel,
                         struct section *section)
{
    section->kernel = kernel;
    section->whole = kernel != NULL ? &kernel->mix : &printer->profile->total;
    section->count = printer->view->by_block ? kernel->kernel->block_count : section->whole->count;
    section->rows = calloc(section->count + 1, sizeof *section->rows);
    section->sources = calloc(section->count + 1, sizeof *section->sources);
    if (section->rows == NULL || section->sources == NULL)
        return false;
    for (size_t i = 0; i < section->count; i++) {
        section->rows[i].kernel = kernel;
        section->rows[i].whole = section->whole;
        if (printer->view->by_block)
            section->rows[i].block = i;
        else
            section->rows[i].kind = &section->whole->rows[i];
    }
    report_sources_fill(kernel, printer->view->by_block, section->rows, section->sources,
                        section->count);
    report_rows_sort(&printer->layout, section->rows, section->count);
    if (printer->options->limit > 0 && section->count > printer->options->limit)
        section->count = printer->options->limit;
    return true;
}

static void print_heading(struct printer *printer, const struct section *section)
{
    const char *bold = printer->options->color ? "\033[1m" : "";
    const char *plain = printer->options->color ? "\033[0m" : "";
    if (section->kernel == NULL) {
        report_text_add(printer->text, "\n%sall kernels%s: %zu kernel%s, ", bold, plain,
                        printer->profile->kernel_count,
                        printer->profile->kernel_count == 1 ? "" : "s");
    } else {
        const struct sonde_trace_kernel *kernel = section->kernel->kernel;
        report_text_add(printer->text, "\n%s%s%s: SIMD%u, hash %016llx, %llu dispatch%s, ", bold,
                        kernel->name, plain, kernel->simd_width, (unsigned long long)kernel->hash,
                        (unsigned long long)section->kernel->dispatches,
                        section->kernel->dispatches == 1 ? "" : "es");
    }
    report_text_add(printer->text, "%llu instructions, %llu executed\n",
                    (unsigned long long)section->whole->static_count,
                    (unsigned long long)section->whole->dynamic_count);
}

static void print_json(struct printer *printer, const struct section *section)
{
    struct report_json *json = printer->json;
    report_json_begin_object(json, section->kernel == NULL ? "total" : NULL);
    if (section->kernel != NULL) {
        char hash[24];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)section->kernel->kernel->hash);
        report_json_string(json, "kernel", section->kernel->kernel->name);
        report_json_string(json, "hash", hash);
        report_json_number(json, "simd", section->kernel->kernel->simd_width);
        report_json_number(json, "dispatches", section->kernel->dispatches);
    }
    report_json_number(json, "static", section->whole->static_count);
    report_json_number(json, "dynamic", section->whole->dynamic_count);
    report_rows_print_json(&printer->layout, section->rows, section->count, json);
    report_json_end_object(json);
}

static void print_rows(struct printer *printer, const struct section *section)
{
    switch (printer->options->format) {
    case REPORT_FORMAT_CSV:
        report_rows_print_csv(&printer->layout, section->rows, section->count, printer->text);
        break;
    case REPORT_FORMAT_JSON:
        print_json(printer, section);
        break;
    case REPORT_FORMAT_TEXT:
        print_heading(printer, section);
        report_rows_print_text(&printer->layout, section->rows, section->count, printer->text);
        break;
    }
}

static bool print_section(struct printer *printer, const struct analyze_kernel *kernel)
{
    struct section section;
    bool good = section_fill(printer, kernel, &section);
    if (good)
        print_rows(printer, &section);
    free(section.rows);
    free(section.sources);
    return good;
}

static void print_begin(struct printer *printer)
{
    const struct analyze_profile *profile = printer->profile;
    switch (printer->options->format) {
    case REPORT_FORMAT_JSON:
        report_json_begin_object(printer->json, NULL);
        report_json_string(printer->json, "tool", profile->tool);
        break;
    case REPORT_FORMAT_CSV:
        report_rows_print_csv_heading(&printer->layout, printer->text);
        break;
    case REPORT_FORMAT_TEXT:
        report_text_add(printer->text, "%s: %s\n", profile->tool, printer->view->summary);
        if (profile->lost_records > 0)
            report_text_add(printer->text, "INCOMPLETE: %llu records were lost\n",
                            (unsigned long long)profile->lost_records);
        break;
    }
}

static bool print_sections(struct printer *printer)
{
    bool json = printer->options->format == REPORT_FORMAT_JSON;
    bool done = true;
    if (!printer->options->total_only || !printer->view->has_total) {
        if (json)
            report_json_begin_array(printer->json, "kernels");
        for (size_t i = 0; i < printer->profile->kernel_count && done; i++)
            done = print_section(printer, &printer->profile->kernels[i]);
        if (json)
            report_json_end_array(printer->json);
    }
    /* One kernel is its own total; rows for other programs have it all the same. */
    bool repeats = printer->options->format == REPORT_FORMAT_TEXT &&
                   printer->profile->kernel_count == 1 && !printer->options->total_only;
    if (done && printer->view->has_total && !repeats)
        done = print_section(printer, NULL);
    if (json)
        report_json_end_object(printer->json);
    return done;
}

static bool has_sources(const struct analyze_profile *profile)
{
    for (size_t i = 0; i < profile->kernel_count; i++)
        if (profile->kernels[i].kernel->debug_elf != NULL)
            return true;
    return false;
}

enum sonde_status report_profile_print(const struct analyze_profile *profile,
                                       const struct report_options *options,
                                       struct report_text *text, struct report_json *json,
                                       struct sonde_error *error)
{
    struct report_view view = *report_view_of_tool(profile->tool);
    char columns[256];
    snprintf(columns, sizeof columns, "%s%s", view.default_columns,
             has_sources(profile) ? ",source" : "");
    view.default_columns = columns;
    struct printer printer = {
        .view = &view,
        .options = options,
        .profile = profile,
        .text = text,
        .json = json,
    };
    /* Text has the kernel's name in the heading; flat rows need it. */
    enum sonde_status status =
        report_layout_select(printer.view, options, "kernel,hash", &printer.layout, error);
    if (status != SONDE_OK)
        return status;
    print_begin(&printer);
    if (!print_sections(&printer) || text->failed)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    return SONDE_OK;
}
