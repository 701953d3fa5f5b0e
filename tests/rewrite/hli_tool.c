/* A tool for `sonde verify`: calls the probe of probes.cl that PROBE names, from
 * the device binary PROBES, at the start of every block, and adds up what it
 * returns. */
#include <stdlib.h>

#include "sonde/hli.h"
#include "sonde/tool.h"

static struct sonde_hli_function *function;

static enum sonde_status call(struct sonde_instrument *instrument, uint32_t block,
                              const struct sonde_profile_array *array, struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "weigh");
    sonde_vreg result = sonde_vreg_make_msg_data_scratch(coder, SONDE_VREG_DWORD);
    sonde_vreg address = sonde_vreg_make_msg_addr_scratch(coder);
    struct sonde_hli_argument arguments[] = {
        {.kind = SONDE_HLI_SIMD_MASK},
        {.kind = SONDE_HLI_TID},
        {.kind = SONDE_HLI_VALUE64, .value = sonde_operand_immediate(block)}};
    enum sonde_status status = sonde_coder_generate_hli_call(coder, procedure, function, arguments,
                                                             3, result, NULL, error);
    if (status == SONDE_OK)
        status = sonde_profile_array_compute_address(array, coder, procedure, address,
                                                     sonde_operand_immediate(block), 0, error);
    if (status == SONDE_OK)
        status = sonde_coder_atomic_add(coder, procedure, SONDE_GEN_TYPE_UD, address,
                                        sonde_operand_vreg(result), NULL, error);
    if (status == SONDE_OK)
        status = sonde_instrument_block(instrument, block, SONDE_BEFORE, procedure, error);
    return status;
}

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    uint32_t blocks = (uint32_t)sonde_kernel_block_count(sonde_instrument_kernel(instrument));
    struct sonde_profile_array array;
    enum sonde_status status = SONDE_OK;
    const char *path = getenv("PROBES"), *name = getenv("PROBE");
    if (function == NULL)
        status = sonde_hli_function_open(path == NULL ? "" : path, name == NULL ? "" : name,
                                         &function, error);
    if (status == SONDE_OK)
        status = sonde_tool_build_allocate(build, 4, blocks, &array, error);
    for (uint32_t block = 0; block < blocks && status == SONDE_OK; block++)
        status = call(instrument, block, &array, error);
    return status;
}

SONDE_API const struct sonde_tool *sonde_tool_entry(void);
const struct sonde_tool *sonde_tool_entry(void)
{
    static const struct sonde_tool tool = {.struct_size = sizeof tool,
                                           .api_version = SONDE_TOOL_API_VERSION,
                                           .name = "weigh",
                                           .summary = "calls a probe at every block",
                                           .on_kernel_build = build};
    return &tool;
}
