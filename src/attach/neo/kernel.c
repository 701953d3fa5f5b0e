#include "attach/neo/kernel.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "attach/neo/arguments.h"
#include "attach/neo/created.h"
#include "attach/neo/igc.h"
#include "attach/neo/lines.h"
#include "attach/neo/platform.h"
#include "attach/neo/trace.h"
#include "base/array.h"
#include "image/image.h"
#include "profile/array.h"

/* The driver pads nothing: the instruction prefetcher reads beyond the end. */
#define ATTACH_TAIL_PADDING 128u

static struct attach_context *find_context(gtpin_handle handle)
{
    struct attach_context *context = attach_session.contexts;
    while (context != NULL && context->handle != handle)
        context = context->next;
    return context;
}

static void refuse(struct attach_kernel *kernel, const char *reason)
{
    kernel->record.refusal = strdup(reason);
    if (kernel->record.refusal == NULL)
        kernel->record.refusal = "out of memory";
}

/* The compiler names a place for our spills behind the kernel's own, but the
 * driver gives a thread only what the kernel itself asked for, a power of two
 * from 1 KiB on, and nothing to a kernel without spills (22.43). */
static void check_scratch(struct sonde_kernel_info *info)
{
    uint64_t given = info->scratch_offset == 0 ? 0 : 1024;
    while (given != 0 && given < info->scratch_offset)
        given *= 2;
    if (info->scratch_size != 0 && (uint64_t)info->scratch_offset + info->scratch_size > given)
        info->scratch_size = 0;
}

/* What the compiler said, if it was asked. Returns the holder of the memory
 * that *info points to, to be closed when the model has its copy. */
static struct sonde_image *take_compiler_answer(const struct gtpin_kernel_in *in,
                                                struct sonde_kernel_info *info,
                                                struct sonde_error *error)
{
    if (in->igc_info == NULL)
        return NULL;
    struct image_span span = {.data = in->igc_info, .size = attach_igc_info_size(in->igc_info)};
    struct sonde_image *holder = calloc(1, sizeof *holder);
    if (holder == NULL || span.size == 0 ||
        image_parse_gtpin_info(holder, &span, info, error) != SONDE_OK) {
        /* Without its list our own liveness has to find registers. */
        info->has_free_ranges = false;
        info->free_range_count = 0;
        info->scratch_size = 0;
    }
    check_scratch(info);
    return holder;
}

static void record_blocks(struct attach_kernel *kernel)
{
    size_t count = sonde_kernel_block_count(kernel->model);
    struct sonde_trace_block *blocks = calloc(count + 1, sizeof *blocks);
    if (blocks == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct sonde_block *block = sonde_kernel_block(kernel->model, i);
        blocks[i] = (struct sonde_trace_block){
            .id = block->id,
            .first = block->first,
            .count = block->count,
            .is_entry = block->is_entry,
            .is_eot = block->is_eot,
        };
    }
    kernel->record.blocks = blocks;
    kernel->record.block_count = count;
    kernel->record.instruction_count = sonde_kernel_instruction_count(kernel->model);
}

static enum sonde_status build_model(struct attach_kernel *kernel, const struct gtpin_kernel_in *in,
                                     struct sonde_error *error)
{
    struct sonde_kernel_info info = {
        .name = kernel->name,
        .platform = kernel->record.platform,
        .isa = kernel->record.original,
        .isa_size = kernel->record.original_size,
        .simd_width = in->simd,
        .igc_hash = in->igc_hash,
    };
    struct sonde_image *holder = take_compiler_answer(in, &info, error);
    enum sonde_status status = sonde_kernel_create(&info, &kernel->model, error);
    sonde_image_close(holder);
    if (status == SONDE_OK)
        record_blocks(kernel);
    return status;
}

#define ATTACH_PAGE 4096u

/* Stacks of probes. */
static enum sonde_status place_thread_memory(struct sonde_tool_build *build,
                                             struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(build->instrument);
    uint64_t size = sonde_coder_thread_memory(coder);
    uint64_t offset = ((uint64_t)build->buffer_size + ATTACH_PAGE - 1) / ATTACH_PAGE * ATTACH_PAGE;
    if (size == 0)
        return SONDE_OK;
    if (offset + size > PROFILE_TRACE_LIMIT)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                               "the stacks of probes take %llu bytes, more than a profile buffer "
                               "has",
                               (unsigned long long)size);
    build->buffer_size = (uint32_t)(offset + size);
    return sonde_coder_place_thread_memory(coder, (uint32_t)offset, error);
}

static enum sonde_status run_tools(struct attach_kernel *kernel,
                                   struct sonde_instrument *instrument, struct sonde_error *error)
{
    const struct tools_set *tools = &attach_session.tools;
    struct sonde_tool_build build = {.instrument = instrument,
                                     .arguments = &kernel->arguments,
                                     .schema = &attach_session.schema,
                                     .buckets = PROFILE_DEFAULT_BUCKETS,
                                     .buffer_size = PROFILE_CONTROL_BYTES};
    enum sonde_status status = SONDE_OK;
    if (schema_has(&attach_session.schema, SCHEMA_SOURCE))
        attach_lines_open(kernel->record.debug_elf, kernel->record.debug_elf_size, &build.lines);
    for (size_t i = 0; i < tools->count && status == SONDE_OK; i++) {
        build.state = NULL;
        status = sonde_instrument_pass(instrument, tools->tools[i]->name, error);
        if (status == SONDE_OK && tools->tools[i]->on_kernel_build != NULL)
            status = tools->tools[i]->on_kernel_build(&build, error);
        kernel->states[i] = build.state;
        if (status != SONDE_OK)
            sonde_error_prefix(error, "%s", tools->tools[i]->name);
    }
    if (status == SONDE_OK)
        status = place_thread_memory(&build, error);
    if (status == SONDE_OK)
        status = attach_trace_build(kernel, &build, error);
    attach_lines_close(&build.lines);
    kernel->notes = build.notes;
    free(build.points);
    kernel->mappings = build.mappings;
    kernel->mapping_count = build.mapping_count;
    kernel->buffer_size = build.buffer_size > PROFILE_CONTROL_BYTES ? build.buffer_size : 0;
    return status;
}

/* Registers may be saved behind what the tools laid out. */
#define ATTACH_SPILL_LIMIT (16u << 20)

static enum sonde_status offer_spill_area(const struct attach_kernel *kernel,
                                          struct sonde_instrument *instrument, uint32_t *offset,
                                          struct sonde_error *error)
{
    uint32_t end = kernel->buffer_size != 0 ? kernel->buffer_size : PROFILE_CONTROL_BYTES;
    *offset = (end + SONDE_SPILL_ALIGNMENT - 1) / SONDE_SPILL_ALIGNMENT * SONDE_SPILL_ALIGNMENT;
    return sonde_instrument_set_spill_area(instrument, *offset, ATTACH_SPILL_LIMIT, error);
}

/* The trace, which is as long as a dispatch needs, stands behind everything. */
static void take_spill_area(struct attach_kernel *kernel, uint32_t offset, uint32_t bytes)
{
    if (bytes == 0)
        return;
    kernel->buffer_size = offset + bytes;
    if (kernel->trace != NULL)
        kernel->trace->base = kernel->buffer_size;
}

static void take_rewritten(struct attach_kernel *kernel, const struct sonde_rewritten *rewritten,
                           uint32_t binding_table_index)
{
    struct sonde_trace_kernel *record = &kernel->record;
    record->heap = rewritten->code;
    record->heap_size = rewritten->size;
    record->instrumented_entry = rewritten->instrumented_entry;
    record->instruction_offsets = rewritten->instruction_offsets;
    record->inserted_instructions = rewritten->inserted_instructions;
    record->inserted_bytes = rewritten->inserted_bytes;
    record->spills = rewritten->spills;
    record->profile_bti = binding_table_index;
}

static enum sonde_status instrument(struct attach_kernel *kernel, uint32_t binding_table_index,
                                    struct sonde_error *error)
{
    const char *refusal = sonde_kernel_refusal(kernel->model);
    if (refusal != NULL)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "%s", refusal);
    struct sonde_coder_options options = {
        .buffer_model = attach_session.stateless ? SONDE_BUFFER_STATELESS : SONDE_BUFFER_SURFACE,
        .binding_table_index = binding_table_index,
        .maximum_threads = ATTACH_MAXIMUM_THREADS,
        .use_own_liveness = true,
        .buffer_holds_address = true,
        .buffer_address_offset = PROFILE_CONTROL_ADDRESS,
    };
    struct sonde_instrument *made = NULL;
    enum sonde_status status = sonde_instrument_create(kernel->model, &options, &made, error);
    if (status != SONDE_OK)
        return status;
    status = run_tools(kernel, made, error);
    if (status == SONDE_OK)
        status = profile_scope_instrument(&attach_session.filter.scope, made, error);
    struct sonde_rewritten rewritten = {.code = NULL};
    uint32_t spill_offset = 0;
    if (status == SONDE_OK)
        status = offer_spill_area(kernel, made, &spill_offset, error);
    if (status == SONDE_OK)
        status = sonde_instrument_emit(made, &rewritten, error);
    if (status == SONDE_OK && rewritten.instrumented_entry >= rewritten.size)
        status = sonde_error_set(error, SONDE_ERROR_RANGE, 0, "the rewritten heap is broken");
    if (status == SONDE_OK) {
        take_spill_area(kernel, spill_offset, rewritten.spill_bytes);
        take_rewritten(kernel, &rewritten, binding_table_index);
    }
    sonde_instrument_destroy(made);
    return status;
}

/* Everything up to the record; no lock, no driver call. */
static void examine(struct attach_kernel *kernel, const struct attach_context *context,
                    const struct gtpin_kernel_in *in)
{
    struct sonde_error error = {.message = ""};
    enum sonde_gen_platform platform;
    if (context == NULL || !attach_platform_of(&context->platform, &platform)) {
        refuse(kernel, "Sonde does not know this device's instruction set");
        return;
    }
    kernel->record.platform = platform;
    enum sonde_status status = build_model(kernel, in, &error);
    if (status != SONDE_OK)
        refuse(kernel, error.message);
    else if (!attach_filter_selects_kernel(&attach_session.filter, kernel->name,
                                           kernel->record.simd_width, kernel->record.hash))
        refuse(kernel, "left out by the kernel filter (-k, -x)");
    else if (attach_session.tools.count == 0)
        refuse(kernel, "no tool was asked for");
    else if (in->buffer_type != GTPIN_BUFFER_BINDFUL)
        refuse(kernel, "the driver offers a buffer without binding table, which this Sonde "
                       "cannot use");
    else if (instrument(kernel, in->buffer_index, &error) != SONDE_OK)
        refuse(kernel, error.message);
    if (kernel->record.refusal != NULL)
        kernel->buffer_size = 0;
}

static struct attach_kernel *make_kernel(const char *name)
{
    struct attach_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL)
        return NULL;
    kernel->name = strdup(name == NULL ? "" : name);
    kernel->record.name = kernel->name;
    kernel->record.profile_bti = UINT32_MAX;
    return kernel->name == NULL ? NULL : kernel;
}

/* The original code with room behind it; lives as long as the program. */
static bool copy_original(struct attach_kernel *kernel, const struct gtpin_kernel_in *in)
{
    uint8_t *copy = calloc(1, (size_t)in->binary_size + ATTACH_TAIL_PADDING);
    if (copy == NULL)
        return false;
    memcpy(copy, in->binary, in->binary_size);
    kernel->record.original = copy;
    size_t trimmed = image_trimmed_size(copy, in->binary_size);
    kernel->record.original_size = trimmed < in->binary_size ? trimmed : in->binary_size;
    kernel->record.hash = XXH3_64bits(copy, kernel->record.original_size);
    return true;
}

/* What the compiler wrote for a program that was built with -g. */
static void copy_debug_data(struct attach_kernel *kernel, const struct gtpin_kernel_in *in)
{
    if (in->debug_data == NULL || in->debug_data_size == 0)
        return;
    uint8_t *copy = malloc(in->debug_data_size);
    if (copy == NULL)
        return;
    memcpy(copy, in->debug_data, in->debug_data_size);
    kernel->record.debug_elf = copy;
    kernel->record.debug_elf_size = in->debug_data_size;
}

/* Lock held. Ids for the driver count from 1: 0 is a kernel that was created
 * before the library was attached. */
static bool publish(struct attach_kernel *kernel)
{
    struct attach_session *session = &attach_session;
    if (base_array_reserve((void **)&session->kernels, &session->kernel_capacity,
                           session->kernel_count + 1, sizeof(struct attach_kernel *)) != SONDE_OK)
        return false;
    kernel->id = kernel->record.id = (uint32_t)session->kernel_count;
    session->kernels[session->kernel_count++] = kernel;
    return true;
}

/* Lock held. */
static void say_notes(struct attach_kernel *kernel)
{
    char *rest = NULL;
    for (char *line = kernel->notes != NULL ? strtok_r(kernel->notes, "\n", &rest) : NULL;
         line != NULL; line = strtok_r(NULL, "\n", &rest))
        attach_session_message("%s", line);
    free(kernel->notes);
    kernel->notes = NULL;
}

void attach_kernel_create(gtpin_handle context, const struct gtpin_kernel_in *in,
                          struct gtpin_kernel_out *out)
{
    out->binary = in->binary;
    out->binary_size = in->binary_size;
    out->kernel_id = 0;
    struct attach_kernel *kernel = make_kernel(in->name);
    if (kernel == NULL || !copy_original(kernel, in))
        return;
    kernel->record.igc_hash = in->igc_hash;
    kernel->record.simd_width = in->simd;
    copy_debug_data(kernel, in);
    attach_arguments_take(kernel);
    if (!attach_session_lock())
        return;
    struct attach_context *known = find_context(context);
    attach_session_unlock();
    examine(kernel, known, in);
    if (!attach_session_lock())
        return;
    if (publish(kernel)) {
        attach_kernel_write(kernel);
        out->kernel_id = (uint64_t)kernel->id + 1;
        attach_created_note(kernel);
        say_notes(kernel);
        bool rewritten = kernel->record.heap != NULL;
        out->binary = rewritten ? kernel->record.heap : kernel->record.original;
        out->binary_size = rewritten ? (uint32_t)kernel->record.heap_size : in->binary_size;
    }
    attach_session_unlock();
}

struct attach_kernel *attach_kernel_find(uint64_t kernel_id)
{
    if (kernel_id == 0 || kernel_id > attach_session.kernel_count)
        return NULL;
    return attach_session.kernels[kernel_id - 1];
}

struct attach_kernel *attach_kernel_unseen(const char *name)
{
    static const char reason[] = "the driver offered no surface for a profile buffer";
    for (size_t i = 0; i < attach_session.kernel_count; i++) {
        struct attach_kernel *kernel = attach_session.kernels[i];
        if (kernel->record.original == NULL && strcmp(kernel->name, name) == 0)
            return kernel;
    }
    struct attach_kernel *kernel = make_kernel(name);
    if (kernel == NULL)
        return NULL;
    refuse(kernel, reason);
    return publish(kernel) ? kernel : NULL;
}

void attach_kernel_write(struct attach_kernel *kernel)
{
    struct sonde_trace_writer *writer = attach_session_writer();
    if (writer == NULL || kernel->written_by == attach_session.generation)
        return;
    kernel->written_by = attach_session.generation;
    struct sonde_error error;
    if (sonde_trace_write_kernel(writer, &kernel->record, &error) != SONDE_OK)
        attach_session_message("kernel %s is not in the trace: %s", kernel->name, error.message);
    else if (kernel->trace != NULL && kernel->record.heap != NULL &&
             sonde_trace_write_record_layout(writer, kernel->id, &kernel->trace->layout, &error) !=
                 SONDE_OK)
        attach_session_message("the records of kernel %s cannot be read: %s", kernel->name,
                               error.message);
    kernel->arguments.kernel = kernel->id;
    if (kernel->arguments.items != NULL)
        sonde_trace_write_arguments(writer, &kernel->arguments, NULL);
}
