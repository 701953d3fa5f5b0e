#include "sonde/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    const struct sonde_kernel *kernel;
    const struct sonde_listing_options *options;
    sonde_listing_write_function *write;
    void *context;
    enum sonde_status status;
    bool *is_target;                      /* by instruction index */
    const struct sonde_source_line *line; /* printed last */
};

static const struct sonde_listing_options default_options = {
    .header = true, .block_marks = true, .offsets = true, .messages = true};

static void put(struct listing *listing, const char *text, size_t size)
{
    if (listing->status == SONDE_OK && size > 0)
        listing->status = listing->write(listing->context, text, size);
}

static void put_format(struct listing *listing, const char *format, ...) SONDE_PRINTF(2, 3);

static void put_format(struct listing *listing, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0)
        put(listing, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static size_t index_of_offset(const struct sonde_kernel *kernel, uint64_t offset)
{
    size_t low = 0, high = sonde_kernel_instruction_count(kernel);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sonde_kernel_instruction(kernel, middle)->offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void mark_target(struct listing *listing, const struct sonde_gen_instruction *from,
                        int32_t distance)
{
    int64_t target = (int64_t)from->offset + distance;
    if (target < 0)
        return;
    size_t index = index_of_offset(listing->kernel, (uint64_t)target);
    if (index < sonde_kernel_instruction_count(listing->kernel) &&
        sonde_kernel_instruction(listing->kernel, index)->offset == (uint64_t)target)
        listing->is_target[index] = true;
}

static enum sonde_status find_targets(struct listing *listing)
{
    size_t count = sonde_kernel_instruction_count(listing->kernel);
    listing->is_target = calloc(count + 1, sizeof *listing->is_target);
    if (listing->is_target == NULL)
        return SONDE_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const struct sonde_gen_instruction *instruction =
            sonde_kernel_instruction(listing->kernel, i);
        if (instruction->has_jip)
            mark_target(listing, instruction, instruction->jip);
        if (instruction->has_uip)
            mark_target(listing, instruction, instruction->uip);
    }
    return SONDE_OK;
}

static void put_header(struct listing *listing)
{
    const struct sonde_kernel_info *info = sonde_kernel_info(listing->kernel);
    put_format(listing, "// kernel %s, %s", info->name != NULL ? info->name : "(no name)",
               sonde_gen_platform_name(info->platform));
    if (info->simd_width != 0)
        put_format(listing, ", SIMD%u", (unsigned)info->simd_width);
    put_format(listing, ", %zu instructions, %zu bytes, %zu blocks\n",
               sonde_kernel_instruction_count(listing->kernel), info->isa_size,
               sonde_kernel_block_count(listing->kernel));
    if (listing->options->counts != NULL) {
        const char *title = listing->options->counts_title;
        put_format(listing, "// first column: %s\n", title != NULL ? title : "count");
    }
}

static void put_label(struct listing *listing, uint32_t offset)
{
    char text[256];
    const struct sonde_listing_options *options = listing->options;
    if (options->label != NULL &&
        options->label(options->label_context, offset, text, sizeof text) > 0)
        put_format(listing, "%s:\n", text);
    else
        put_format(listing, "L%u:\n", (unsigned)offset);
}

static void put_encoding(struct listing *listing, const struct sonde_gen_instruction *instruction)
{
    uint8_t bytes[16];
    if (instruction->compacted)
        memcpy(bytes, &instruction->raw_compacted, 8);
    else
        memcpy(bytes, instruction->raw, 16);
    char text[16 * 3 + 1];
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 3 * i, 4, i < instruction->size ? "%02x " : "   ", bytes[i]);
    put_format(listing, "/* %s*/ ", text);
}

static void put_instruction_text(struct listing *listing,
                                 const struct sonde_gen_instruction *instruction)
{
    char fixed[512];
    char *text = fixed;
    int length = sonde_gen_print(instruction, listing->options->label,
                                 listing->options->label_context, fixed, sizeof fixed);
    if (length < 0)
        return;
    if ((size_t)length >= sizeof fixed) {
        text = malloc((size_t)length + 1);
        if (text == NULL) {
            listing->status = SONDE_ERROR_MEMORY;
            return;
        }
        sonde_gen_print(instruction, listing->options->label, listing->options->label_context, text,
                        (size_t)length + 1);
    }
    size_t used = (size_t)length;
    const char *comment = listing->options->messages ? NULL : strstr(text, " // ");
    if (comment != NULL)
        used = (size_t)(comment - text);
    while (used > 0 && text[used - 1] == ' ')
        used--;
    put(listing, text, used);
    put(listing, "\n", 1);
    if (text != fixed)
        free(text);
}

static void put_source_line(struct listing *listing, uint32_t offset)
{
    const struct sonde_source_line *line = NULL, *last = listing->line;
    if (listing->options->lines != NULL)
        line = sonde_source_lines_find(listing->options->lines, offset);
    if (line == NULL || (last != NULL && last->line == line->line && last->file == line->file))
        return;
    listing->line = line;
    put_format(listing, "// %s:%u\n", line->file, line->line);
}

static void put_instruction(struct listing *listing, size_t index)
{
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(listing->kernel, index);
    put_source_line(listing, instruction->offset);
    if (listing->is_target[index])
        put_label(listing, instruction->offset);
    if (listing->options->counts != NULL)
        put_format(listing, "/* %12llu */ ", (unsigned long long)listing->options->counts[index]);
    if (listing->options->offsets)
        put_format(listing, "/* [%04x] */ ", (unsigned)instruction->offset);
    if (listing->options->encoding)
        put_encoding(listing, instruction);
    put_instruction_text(listing, instruction);
}

static void put_block_mark(struct listing *listing, const struct sonde_block *block)
{
    put_format(listing, "// BBL %u", (unsigned)block->id);
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const struct sonde_edge *edge =
            sonde_kernel_edge(listing->kernel, block->first_successor + i);
        put_format(listing, "%s%u", i == 0 ? " -> " : ", ", (unsigned)edge->destination);
    }
    put_format(listing, "%s%s\n", block->is_entry ? " (entry)" : "",
               block->is_eot ? " (end of thread)" : "");
}

enum sonde_status sonde_listing_print(const struct sonde_kernel *kernel,
                                      const struct sonde_listing_options *options,
                                      sonde_listing_write_function *write, void *context,
                                      struct sonde_error *error)
{
    if (kernel == NULL || write == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "listing: a kernel and a write callback are needed");
    struct listing listing = {.kernel = kernel,
                              .options = options != NULL ? options : &default_options,
                              .write = write,
                              .context = context};
    if (find_targets(&listing) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "listing: out of memory");
    if (listing.options->header)
        put_header(&listing);
    size_t blocks = sonde_kernel_block_count(kernel);
    for (size_t id = 0; id < blocks && listing.status == SONDE_OK; id++) {
        const struct sonde_block *block = sonde_kernel_block(kernel, id);
        if (listing.options->block_marks)
            put_block_mark(&listing, block);
        for (uint32_t i = 0; i < block->count && listing.status == SONDE_OK; i++)
            put_instruction(&listing, (size_t)block->first + i);
    }
    free(listing.is_target);
    if (listing.status != SONDE_OK)
        return sonde_error_set(error, listing.status, 0, "listing of kernel %s: %s",
                               sonde_kernel_info(kernel)->name, sonde_status_name(listing.status));
    return SONDE_OK;
}
