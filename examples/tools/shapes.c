/* The shapes of the execution mask: at every visit of a basic block by
 * a hardware thread a probe in OpenCL C (shapes.cl) looks at the lanes that are
 * enabled. It is compiled for each part, into the folder of this tool:
 *
 *     IGC_FunctionControl=3 ocloc compile -file shapes.cl -device skl -output_no_suffix \
 *         -output shapes-gen9.bin
 *
 * and so on with tgllp, shapes-xe.bin and dg2, shapes-xehpg.bin. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sonde/sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FULL, ONE, RUN, SCATTERED, SHAPES };

struct state {
    uint32_t counts[SHAPES]; /* the probe's, of one dispatch */
};

const struct sonde_tool *sonde_tool_entry(void);

/* The probe for the part that the kernel is of. */
static enum sonde_status open_probe(const struct sonde_kernel *kernel,
                                    struct sonde_hli_function **probe, struct sonde_error *error)
{
    Dl_info self;
    char path[4096];
    void *symbol;
    const struct sonde_tool *(*entry)(void) = sonde_tool_entry;
    memcpy(&symbol, &entry, sizeof symbol);
    if (dladdr(symbol, &self) == 0)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "the tool has no file");
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash == NULL ? 0 : (int)(slash - self.dli_fname) + 1;
    snprintf(path, sizeof path, "%.*sshapes-%s.bin", folder, self.dli_fname,
             sonde_gen_platform_name(sonde_kernel_info(kernel)->platform));
    return sonde_hli_function_open(path, "call_note", probe, error);
}

static enum sonde_status insert_calls(struct sonde_instrument *instrument,
                                      const struct sonde_hli_function *probe, struct state *state,
                                      struct sonde_error *error)
{
    struct sonde_kernel *kernel = sonde_instrument_kernel(instrument);
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "look at the lanes");
    struct sonde_hli_argument arguments[] = {
        {.kind = SONDE_HLI_HOST_POINTER,
         .value = sonde_operand_immediate((uintptr_t)state->counts)},
        {.kind = SONDE_HLI_SIMD_MASK},
        {.kind = SONDE_HLI_VALUE32,
         .value = sonde_operand_immediate(sonde_kernel_info(kernel)->simd_width)}};
    enum sonde_status status =
        sonde_coder_generate_hli_call(coder, procedure, probe, arguments, 3, 0, NULL, error);
    for (uint32_t b = 0; b < sonde_kernel_block_count(kernel) && status == SONDE_OK; b++)
        status = sonde_instrument_block(instrument, b, SONDE_BEFORE, procedure, error);
    return status;
}

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    struct sonde_hli_function *probe = NULL;
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return SONDE_ERROR_MEMORY;
    sonde_tool_build_set_state(build, state); /* freed with the kernel */
    enum sonde_status status = open_probe(sonde_instrument_kernel(instrument), &probe, error);
    if (status == SONDE_OK)
        status =
            sonde_tool_build_map(build, state->counts, sizeof state->counts, SONDE_MAP_OUT, error);
    if (status == SONDE_OK)
        status = insert_calls(instrument, probe, state, error);
    sonde_hli_function_destroy(probe);
    return status;
}

static enum sonde_status complete(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    const struct state *state = sonde_tool_dispatch_state(dispatch);
    const char *name = sonde_kernel_info(sonde_tool_dispatch_kernel(dispatch))->name;
    const uint32_t *counts = state->counts; /* mapped: those of this dispatch */
    char text[300];
    snprintf(text, sizeof text,
             "%s: blocks visited with all lanes %u, at most one %u, neighbours %u, scattered %u",
             name, counts[FULL], counts[ONE], counts[RUN], counts[SCATTERED]);
    return sonde_trace_write_message(sonde_tool_dispatch_trace(dispatch), text, error);
}

const struct sonde_tool *sonde_tool_entry(void)
{
    static const struct sonde_tool tool = {.struct_size = sizeof tool,
                                           .api_version = SONDE_TOOL_API_VERSION,
                                           .name = "shapes",
                                           .summary = "shapes of the execution mask",
                                           .on_kernel_build = build,
                                           .on_dispatch_complete = complete};
    return &tool;
}
