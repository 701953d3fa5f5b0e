/* sonde msp430 instrument: a linked firmware with marker words, or its side
 * table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/commands.h"
#include "cli/msp430_setup.h"
#include "sonde/msp430_instrument.h"

/* What programmers of flash memory read. */
static bool is_flash_format(const char *path)
{
    static const char *const endings[] = {".hex", ".ihex", ".ihx", ".a43", ".txt", ".bin", ".s19"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(path), size = strlen(endings[i]);
        if (length > size && strcasecmp(path + length - size, endings[i]) == 0)
            return true;
    }
    return false;
}

static void report(const struct sonde_msp430_instrument_result *result, const char *input,
                   bool is_table)
{
    for (size_t i = 0; i < result->remark_count; i++) {
        const struct sonde_msp430_remark *remark = &result->remarks[i];
        if (remark->kind == SONDE_MSP430_REMARK_UNCERTAIN)
            cli_warning("%s: %s", input, remark->text);
        else
            cli_note("%s: %s", input, remark->text);
    }
    if (is_table) {
        cli_note("%s: %zu functions, %zu entries and %zu exits in the table", input,
                 result->function_count, result->enter_count, result->exit_count);
        return;
    }
    cli_note("%s: %zu functions, %zu entry and %zu exit markers, %zu jumps widened, %zu functions "
             "moved, code %u -> %u bytes",
             input, result->function_count, result->enter_count, result->exit_count,
             result->widened_count, result->moved_count, result->code_before, result->code_after);
}

static int instrument(const struct cli_arguments *arguments,
                      const struct sonde_msp430_instrument_options *options, const char *output,
                      bool is_table)
{
    const char *input = arguments->operands[0];
    struct sonde_msp430_instrument_result result;
    struct sonde_error error;
    uint8_t *data;
    size_t size;
    if (!msp430_read_file(input, &data, &size))
        return CLI_EXIT_FAILURE;
    enum sonde_status status = is_table
                                   ? sonde_msp430_side_table(data, size, options, &result, &error)
                                   : sonde_msp430_instrument(data, size, options, &result, &error);
    free(data);
    if (status != SONDE_OK) {
        cli_error("%s: %s", input, error.message);
        return status == SONDE_ERROR_ARGUMENT ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
    }
    bool written = msp430_write_file(output, result.data, result.size);
    if (written) {
        report(&result, input, is_table);
        if (!is_table)
            cli_warning("%s is marked: it runs in the simulator only; never write it to a device",
                        output);
    }
    sonde_msp430_instrument_clear(&result);
    return written ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

int cmd_msp430_instrument(const struct cli_arguments *arguments)
{
    const char *core = cli_value(arguments, CLI_OPTION_CORE, "cpu");
    const char *output = cli_value(arguments, CLI_OPTION_OUTPUT_FILE, NULL);
    const char *table = cli_value(arguments, CLI_OPTION_SIDE_TABLE, NULL);
    const struct cli_values *exclude = &arguments->options[CLI_OPTION_EXCLUDE_FUNCTION];
    struct sonde_msp430_instrument_options options = {
        .core = strcmp(core, "cpux") == 0 ? SONDE_MSP430_CORE_CPUX : SONDE_MSP430_CORE_CPU,
        .exclude = exclude->items,
        .exclude_count = exclude->count};
    options.markers = sonde_msp430_default_markers(options.core);
    if (!msp430_take_markers(arguments, &options.markers))
        return CLI_EXIT_USAGE;
    if ((output == NULL) == (table == NULL)) {
        cli_error("sonde msp430 instrument needs either --output FILE.elf or --side-table FILE");
        return CLI_EXIT_USAGE;
    }
    if (output != NULL && is_flash_format(output)) {
        cli_error("%s: a marked image must never be written to a device, which cannot execute "
                  "its markers; only ELF files are written, for the simulator",
                  output);
        return CLI_EXIT_USAGE;
    }
    return instrument(arguments, &options, output != NULL ? output : table, table != NULL);
}
