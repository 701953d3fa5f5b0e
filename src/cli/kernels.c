#include "cli/kernels.h"

#include <stdlib.h>

static bool take_platform(const struct cli_arguments *arguments, enum sonde_gen_platform *platform)
{
    const char *name = cli_value(arguments, CLI_OPTION_PLATFORM, NULL);
    *platform = SONDE_GEN_PLATFORM_COUNT;
    if (name == NULL || sonde_gen_platform_from_name(name, platform) == SONDE_OK)
        return true;
    struct base_suggestion suggestion;
    base_suggestion_begin(&suggestion, name);
    for (int i = 0; i < SONDE_GEN_PLATFORM_COUNT; i++)
        base_suggestion_offer(&suggestion, sonde_gen_platform_name((enum sonde_gen_platform)i));
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        cli_error("there is no platform '%s'; did you mean '%s'?", name, meant);
    else
        cli_error("there is no platform '%s'; use a name such as gen9", name);
    return false;
}

struct sonde_image *kernels_open_image(const struct cli_arguments *arguments, const char *path)
{
    enum sonde_gen_platform platform;
    struct sonde_image *image;
    struct sonde_error error;
    if (!take_platform(arguments, &platform))
        return NULL;
    if (sonde_image_open(path, platform, &image, &error) == SONDE_OK)
        return image;
    cli_error("%s", error.message);
    return NULL;
}

static enum sonde_status add_piece(void *context, const char *bytes, size_t size)
{
    struct report_text *text = context;
    report_text_add_bytes(text, bytes, size);
    return text->failed ? SONDE_ERROR_MEMORY : SONDE_OK;
}

/* Code that is no whole kernel (a piece, or damaged) has no blocks; its
 * instructions can be shown all the same. */
static bool list_instructions(const struct sonde_kernel_info *info, struct report_text *text)
{
    struct sonde_gen_instruction *instructions;
    size_t count;
    struct sonde_error error;
    if (sonde_gen_decode_all(info->platform, info->isa, info->isa_size, &instructions, &count,
                             &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return false;
    }
    report_text_add(text, "// %zu instructions, not a whole kernel\n", count);
    for (size_t i = 0; i < count; i++) {
        char line[512];
        sonde_gen_print(&instructions[i], NULL, NULL, line, sizeof line);
        report_text_add(text, "/* [%04x] */ %s\n", instructions[i].offset, line);
    }
    free(instructions);
    return true;
}

bool kernels_list(const struct sonde_kernel_info *info, const struct sonde_listing_options *options,
                  struct report_text *text)
{
    struct sonde_kernel *kernel;
    struct sonde_error error;
    enum sonde_status status = sonde_kernel_create(info, &kernel, &error);
    if (status == SONDE_ERROR_FORMAT) {
        cli_warning("%s", error.message);
        return list_instructions(info, text);
    }
    if (status == SONDE_OK) {
        status = sonde_listing_print(kernel, options, add_piece, text, &error);
        sonde_kernel_destroy(kernel);
    }
    if (status != SONDE_OK)
        cli_error("%s", error.message);
    return status == SONDE_OK;
}

struct sonde_source_lines *kernels_source_lines(const char *name, const uint8_t *debug_elf,
                                                size_t size)
{
    struct sonde_source_lines *lines = NULL;
    struct sonde_error error;
    if (debug_elf != NULL && sonde_source_lines_read(debug_elf, size, &lines, &error) != SONDE_OK)
        cli_warning("kernel %s: no source lines: %s", name, error.message);
    return lines;
}
