#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/kernels.h"
#include "cli/results.h"
#include "report/lines.h"

static bool annotate_kernel(const struct analyze_kernel *counted, struct report_text *text)
{
    const struct sonde_trace_kernel *kernel = counted->kernel;
    struct sonde_kernel_info info = {
        .name = kernel->name,
        .platform = kernel->platform,
        .isa = kernel->original,
        .isa_size = kernel->original_size,
        .simd_width = kernel->simd_width,
        .igc_hash = kernel->igc_hash,
    };
    struct sonde_listing_options options = {
        .header = true,
        .block_marks = true,
        .offsets = true,
        .messages = true,
        .counts = counted->instruction_executions,
        .counts_title = "executions by hardware threads",
        .lines = kernels_source_lines(kernel->name, kernel->debug_elf, kernel->debug_elf_size),
    };
    report_text_add(text, "// %llu dispatch%s, %llu instructions executed\n",
                    (unsigned long long)counted->dispatches, counted->dispatches == 1 ? "" : "es",
                    (unsigned long long)counted->mix.dynamic_count);
    bool good = kernels_list(&info, &options, text);
    sonde_source_lines_destroy((struct sonde_source_lines *)(uintptr_t)options.lines);
    return good;
}

static int list_instructions(const struct analyze_profile *profile, struct report_text *text)
{
    int status = CLI_EXIT_OK;
    for (size_t i = 0; i < profile->kernel_count; i++) {
        if (i > 0)
            report_text_add(text, "\n");
        if (!annotate_kernel(&profile->kernels[i], text))
            status = CLI_EXIT_FAILURE;
    }
    return status;
}

static int list_lines(const struct cli_arguments *arguments, const struct analyze_profile *profile,
                      struct report_text *text)
{
    struct report_options options;
    struct analyze_lines *lines;
    struct sonde_error error;
    if (!results_options(arguments, &options))
        return CLI_EXIT_USAGE;
    enum sonde_status status = analyze_lines_create(profile, &lines, &error);
    if (status == SONDE_OK) {
        if (lines->without > 0)
            cli_warning("%zu kernel%s built without -g left out", lines->without,
                        lines->without == 1 ? "" : "s");
        status = report_lines_print(lines, &options, text, &error);
        analyze_lines_destroy(lines);
    }
    if (status != SONDE_OK)
        cli_error("%s", error.message);
    return status == SONDE_OK ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

static int annotate(const struct cli_arguments *arguments, const struct sonde_trace *trace,
                    const struct analyze_matcher *matcher)
{
    const char *tool;
    if (analyze_tools_list(trace, &tool, 1) == 0) {
        cli_error("the run has no counts: no kernel ran instrumented ('sonde info' says more)");
        return CLI_EXIT_FAILURE;
    }
    tool = cli_value(arguments, CLI_OPTION_TOOL, tool);
    struct analyze_profile *profile;
    struct sonde_error error;
    if (analyze_profile_create(trace, tool, matcher, &profile, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return CLI_EXIT_FAILURE;
    }
    struct report_text text = {.data = NULL};
    int status = CLI_EXIT_FAILURE;
    if (profile->kernel_count == 0)
        cli_error("no kernel that matches was executed with tool %s", tool);
    else if (cli_given(arguments, CLI_OPTION_LINES))
        status = list_lines(arguments, profile, &text);
    else
        status = list_instructions(profile, &text);
    if (profile->lost_records > 0)
        cli_warning("%llu records were lost: the counts are too small",
                    (unsigned long long)profile->lost_records);
    analyze_profile_destroy(profile);
    int printed = results_print(&text, stdout);
    return status == CLI_EXIT_OK ? printed : status;
}

int cmd_annotate(const struct cli_arguments *arguments)
{
    struct analyze_matcher *matcher = NULL;
    if (!results_matcher(arguments, &matcher))
        return CLI_EXIT_USAGE;
    struct sonde_trace *trace = results_open(arguments);
    int status = CLI_EXIT_FAILURE;
    if (trace != NULL && results_matches(trace, matcher))
        status = annotate(arguments, trace, matcher);
    sonde_trace_close(trace);
    analyze_matcher_destroy(matcher);
    return status;
}
