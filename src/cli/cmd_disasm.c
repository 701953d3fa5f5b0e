#include <stdlib.h>

#include "cli/commands.h"
#include "cli/kernels.h"
#include "cli/results.h"

/* One kernel, with source lines when it was built with -g. */
static bool list_kernel(const struct sonde_image_kernel *kernel, struct report_text *text)
{
    struct sonde_listing_options listing = {
        .header = true, .block_marks = true, .offsets = true, .messages = true};
    struct sonde_source_lines *lines =
        kernels_source_lines(kernel->info.name, kernel->debug_elf, kernel->debug_elf_size);
    listing.lines = lines;
    bool good = kernels_list(&kernel->info, &listing, text);
    sonde_source_lines_destroy(lines);
    return good;
}

static int disassemble(const struct sonde_image *image, const struct analyze_matcher *matcher,
                       struct report_text *text)
{
    int status = CLI_EXIT_OK;
    size_t shown = 0;
    for (size_t i = 0; i < sonde_image_kernel_count(image); i++) {
        const struct sonde_image_kernel *kernel = sonde_image_kernel(image, i);
        if (!analyze_matcher_accepts(matcher, kernel->info.name != NULL ? kernel->info.name : ""))
            continue;
        if (shown++ > 0)
            report_text_add(text, "\n");
        if (kernel->target != NULL)
            report_text_add(text, "// target %s\n", kernel->target);
        if (!list_kernel(kernel, text))
            status = CLI_EXIT_FAILURE;
    }
    if (shown == 0) {
        cli_error("no kernel of the file matches -k; 'sonde list kernels FILE' shows them");
        status = CLI_EXIT_FAILURE;
    }
    return status;
}

int cmd_disasm(const struct cli_arguments *arguments)
{
    struct analyze_matcher *matcher;
    if (!results_matcher(arguments, &matcher))
        return CLI_EXIT_USAGE;
    struct sonde_image *image = kernels_open_image(arguments, arguments->operands[0]);
    int status = CLI_EXIT_FAILURE;
    if (image != NULL) {
        struct report_text text = {.data = NULL};
        status = disassemble(image, matcher, &text);
        int printed = results_print(&text, stdout);
        status = status == CLI_EXIT_OK ? printed : status;
    }
    sonde_image_close(image);
    analyze_matcher_destroy(matcher);
    return status;
}
