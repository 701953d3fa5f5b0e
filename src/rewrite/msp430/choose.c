/* Where functions are entered and left. */
#include <string.h>

#include "rewrite/msp430/firmware.h"

static bool leaves(const struct firmware *firmware, const struct firmware_instruction *in)
{
    if (in->is_return)
        return true;
    if (in->target == FIRMWARE_NONE || in->is_loop)
        return false;
    return firmware_function_at(firmware, in->target) != in->function ||
           in->target == firmware->functions[in->function].address;
}

static enum sonde_status check_excluded(struct firmware *firmware)
{
    for (size_t i = 0; i < firmware->options->exclude_count; i++) {
        bool found = false;
        for (size_t k = 0; k < firmware->symbol_count && !found; k++)
            found = (firmware->symbols[k].info & 15) == SYMBOL_FUNCTION &&
                    strcmp(firmware->symbols[k].name, firmware->options->exclude[i]) == 0;
        if (found)
            continue;
        enum sonde_status status = firmware_remark(
            firmware, SONDE_MSP430_REMARK_UNCERTAIN,
            "no function is named '%.60s', which is to be excluded", firmware->options->exclude[i]);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

enum sonde_status firmware_places_choose(struct firmware *firmware)
{
    enum sonde_status status = check_excluded(firmware);
    for (size_t i = 0; i < firmware->instruction_count && status == SONDE_OK; i++) {
        struct firmware_instruction *in = &firmware->instructions[i];
        const struct firmware_function *function = &firmware->functions[in->function];
        if (in->is_padding || function->excluded)
            continue;
        in->enters = in->address == function->address;
        in->exits = leaves(firmware, in);
        in->is_widened = in->exits && in->is_conditional;
        firmware->result->enter_count += in->enters;
        firmware->result->exit_count += in->exits;
        if (in->is_computed)
            status = firmware_remark(firmware, SONDE_MSP430_REMARK_UNCERTAIN,
                                     "the branch at 0x%04x goes where a register says; taken to "
                                     "stay in function %.60s",
                                     in->address, function->name);
    }
    return status;
}
