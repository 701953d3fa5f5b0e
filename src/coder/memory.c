/* Messages to the profile buffer. */
#include "coder/internal.h"

enum sonde_status sonde_coder_atomic_increment(struct sonde_coder *coder,
                                               struct sonde_procedure *procedure,
                                               sonde_vreg address, struct sonde_error *error)
{
    if (!coder_owns(coder, procedure))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "procedure of another coder");
    if (coder->options.buffer_model != SONDE_BUFFER_SURFACE)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "this version addresses the profile buffer as a surface only");
    if (address == 0 || address >= coder->vreg_count || coder->vregs[address].size < 4)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "virtual register %u cannot hold an address", address);
    struct coder_item *item = coder_procedure_append(procedure);
    if (item == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    item->kind = CODER_ITEM_INSTRUCTION;
    item->src[0] = address;
    coder->isa->atomic_increment(coder, &item->instruction);
    return SONDE_OK;
}
