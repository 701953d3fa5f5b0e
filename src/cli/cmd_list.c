#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/kernels.h"
#include "cli/schemas.h"
#include "cli/target.h"
#include "report/callflow.h"
#include "report/lines.h"
#include "report/report.h"
#include "report/run_columns.h"
#include "report/tables.h"
#include "sonde/tool.h"

static int list_tools(void)
{
    const struct sonde_tool *tool;
    for (size_t i = 0; (tool = sonde_tool_at(i)) != NULL; i++)
        printf("%-12s  %s\n", tool->name, tool->summary);
    return CLI_EXIT_OK;
}

static int list_devices(void)
{
    char name[64] = "hw", why[160];
    const struct device_model *model;
    if (target_find_hardware(name, sizeof name, why, sizeof why))
        printf("%-12s  real Intel GPU\n", name);
    else
        printf("%-12s  not usable: %s\n", "hw", why);
    for (unsigned i = 0; (model = device_model_at(i)) != NULL; i++) {
        snprintf(name, sizeof name, "emu:%s", model->name);
        printf("%-12s  %s\n", name, model->description);
    }
    return CLI_EXIT_OK;
}

static void list_view(const struct report_view *view)
{
    printf("%s: %s\n", view->name, view->summary);
    for (const struct report_column *column = view->columns; column->name != NULL; column++)
        printf("  %-14s  %s\n", column->name, column->help);
}

static int list_columns(void)
{
    const struct report_view *view;
    const struct report_callflow_view *table;
    for (size_t i = 0; (view = report_view_at(i)) != NULL; i++)
        list_view(view);
    const struct report_table *rows;
    for (size_t i = 0; (rows = report_table_at(i)) != NULL; i++)
        list_view(&rows->view);
    list_view(&report_lines_view);
    list_view(&report_kernels_view);
    list_view(&report_dispatches_view);
    list_view(&report_threads_view);
    for (size_t i = 0; (table = report_callflow_view_at(i)) != NULL; i++)
        list_view(&table->view);
    return CLI_EXIT_OK;
}

static void list_argument(const struct sonde_image_argument *argument)
{
    static const char *const kinds[] = {
        [SONDE_ARGUMENT_UNKNOWN] = "unknown", [SONDE_ARGUMENT_VALUE] = "value",
        [SONDE_ARGUMENT_GLOBAL] = "global",   [SONDE_ARGUMENT_CONSTANT] = "constant",
        [SONDE_ARGUMENT_LOCAL] = "local",     [SONDE_ARGUMENT_IMAGE] = "image",
        [SONDE_ARGUMENT_SAMPLER] = "sampler",
    };
    printf("    %2u  %-8s  %s%s%s", argument->index, kinds[argument->kind],
           argument->type_name != NULL ? argument->type_name : "",
           argument->name != NULL ? " " : "", argument->name != NULL ? argument->name : "");
    const char *separator = argument->name != NULL || argument->type_name != NULL ? ", " : "";
    if (argument->has_surface) {
        printf("%sBTI %u", separator, argument->bti);
        separator = ", ";
    }
    for (size_t n = 0; n < argument->piece_count; n++) {
        const struct sonde_argument_piece *piece = &argument->pieces[n];
        printf("%s%u bytes at 0x%x", n == 0 ? separator : " + ", piece->size,
               piece->payload_offset);
    }
    putchar('\n');
}

static int list_kernels(const struct cli_arguments *arguments)
{
    struct sonde_image *image = kernels_open_image(arguments, arguments->operands[1]);
    if (image == NULL)
        return CLI_EXIT_FAILURE;
    for (size_t i = 0; i < sonde_image_kernel_count(image); i++) {
        const struct sonde_image_kernel *kernel = sonde_image_kernel(image, i);
        printf("%-24s  %s", kernel->info.name != NULL ? kernel->info.name : "(no name)",
               sonde_gen_platform_name(kernel->info.platform));
        if (kernel->info.simd_width != 0)
            printf(", SIMD%u", kernel->info.simd_width);
        printf(", %zu bytes", kernel->info.isa_size);
        if (kernel->target != NULL)
            printf(", target %s", kernel->target);
        putchar('\n');
        for (size_t n = 0; cli_given(arguments, CLI_OPTION_ARGUMENTS) && n < kernel->argument_count;
             n++)
            list_argument(&kernel->arguments[n]);
    }
    sonde_image_close(image);
    return CLI_EXIT_OK;
}

int cmd_list(const struct cli_arguments *arguments)
{
    static const char *const things[] = {"tools", "schemas", "devices", "columns", "kernels"};
    const char *thing = arguments->operands[0];
    bool kernels = strcmp(thing, "kernels") == 0;
    if (kernels && arguments->operand_count < 2) {
        cli_error("sonde list kernels needs a FILE");
        return CLI_EXIT_USAGE;
    }
    if (kernels)
        return list_kernels(arguments);
    if (strcmp(thing, "tools") == 0)
        return list_tools();
    if (strcmp(thing, "schemas") == 0) {
        schemas_list(stdout);
        return CLI_EXIT_OK;
    }
    if (strcmp(thing, "devices") == 0)
        return list_devices();
    if (strcmp(thing, "columns") == 0)
        return list_columns();
    struct base_suggestion suggestion;
    base_suggestion_begin(&suggestion, thing);
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        base_suggestion_offer(&suggestion, things[i]);
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        cli_error("sonde list knows no '%s'; did you mean '%s'?", thing, meant);
    else
        cli_error("sonde list knows no '%s', but tools, schemas, devices, columns and kernels",
                  thing);
    return CLI_EXIT_USAGE;
}
