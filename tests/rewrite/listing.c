#include "listing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const struct sonde_kernel_info *info, const char *what, unsigned long offset)
{
    fprintf(stderr, "%s: %s at 0x%lx\n", info->name, what, offset);
    return false;
}

static bool is_block_start(const struct sonde_kernel *kernel, unsigned long offset, bool *is_end)
{
    size_t count = sonde_kernel_instruction_count(kernel);
    *is_end = offset >= sonde_kernel_instruction(kernel, count - 1)->offset + 1ul;
    for (size_t b = 0; b < sonde_kernel_block_count(kernel); b++) {
        const struct sonde_block *block = sonde_kernel_block(kernel, b);
        if (sonde_kernel_instruction(kernel, block->first)->offset == offset)
            return true;
    }
    return false;
}

static bool check_text(const struct sonde_kernel_info *info, const struct sonde_kernel *kernel,
                       const char *text)
{
    size_t labels = 0, instructions = 0;
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        size_t length = end == NULL ? strlen(line) : (size_t)(end - line);
        if (line[0] == 'L' && isdigit((unsigned char)line[1])) {
            unsigned long offset = strtoul(line + 1, NULL, 10);
            bool is_end;
            bool starts = is_block_start(kernel, offset, &is_end);
            if (!starts && !is_end)
                return fail(info, "iga64 starts a block that the model does not", offset);
            labels += starts;
        } else if (length > 0 && line[0] != '/') {
            instructions++;
        }
        line += length + (end != NULL);
    }
    size_t own = 0;
    for (size_t b = 0; b < sonde_kernel_block_count(kernel); b++)
        own += sonde_kernel_block(kernel, b)->is_eot;
    size_t blocks = sonde_kernel_block_count(kernel);
    /* An end-of-thread message may be a branch target as well. */
    if (blocks < labels || blocks - labels > own)
        return fail(info, "number of blocks differs", blocks);
    if (instructions != sonde_kernel_instruction_count(kernel))
        return fail(info, "number of instructions differs", instructions);
    return true;
}

bool listing_check(struct iga *iga, const struct sonde_kernel_info *info)
{
    struct sonde_error error;
    struct sonde_kernel *kernel;
    if (sonde_kernel_create(info, &kernel, &error) != SONDE_OK) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    const char *text = iga_disassemble(iga, info->isa, info->isa_size);
    bool good =
        text != NULL ? check_text(info, kernel, text) : fail(info, "iga64 cannot read it", 0);
    sonde_kernel_destroy(kernel);
    return good;
}
