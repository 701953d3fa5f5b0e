/* zebin: the code of a kernel is section .text.NAME, its description an entry
 * of .ze_info, the compiler's GTPin answer section .gtpin_info.NAME, and the
 * device a note in .note.intelgt.compat. */
#include "image/image.h"

#include "base/bytes.h"

#include <string.h>

enum {
    SECTION_TYPE_ZE_INFO = 0xff000011u,
    NOTE_PRODUCT_FAMILY = 1,
    NOTE_GFX_CORE = 2,
};

struct product_range {
    uint32_t first;
    uint32_t last;
    enum sonde_gen_platform platform;
};

/* Product families as the compiler numbers them (igfxfmid.h). */
static const struct product_range product_ranges[] = {
    {18, 23, SONDE_GEN_PLATFORM_GEN9},      {25, 28, SONDE_GEN_PLATFORM_GEN11},
    {29, 33, SONDE_GEN_PLATFORM_XE},        {1210, 1210, SONDE_GEN_PLATFORM_XE},
    {1250, 1250, SONDE_GEN_PLATFORM_XEHP},  {1270, 1270, SONDE_GEN_PLATFORM_XEHPG},
    {1271, 1271, SONDE_GEN_PLATFORM_XEHPC}, {1272, 1272, SONDE_GEN_PLATFORM_XEHPG},
};

static const struct image_elf_section *find_section(const struct image_elf_section *sections,
                                                    size_t count, const char *prefix,
                                                    const char *suffix)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < count; i++)
        if (strncmp(sections[i].name, prefix, length) == 0 &&
            strcmp(sections[i].name + length, suffix) == 0)
            return &sections[i];
    return NULL;
}

/* Notes are {name size, value size, type, name, value}, padded to 4 bytes. */
static bool note_value(const struct image_span *notes, uint32_t wanted, uint32_t *value)
{
    struct base_reader reader = base_reader_make(notes->data, notes->size);
    while (reader.position < reader.size && !reader.failed) {
        uint32_t name_size = base_read32(&reader), value_size = base_read32(&reader);
        uint32_t type = base_read32(&reader);
        base_read_bytes(&reader, ((size_t)name_size + 3) & ~(size_t)3);
        const uint8_t *bytes = base_read_bytes(&reader, ((size_t)value_size + 3) & ~(size_t)3);
        if (bytes != NULL && type == wanted && value_size >= 4) {
            *value = base_load32(bytes);
            return true;
        }
    }
    return false;
}

static enum sonde_status find_platform(const struct image_elf_section *sections, size_t count,
                                       enum sonde_gen_platform *platform, struct sonde_error *error)
{
    const struct image_elf_section *notes =
        find_section(sections, count, ".note.intelgt.compat", "");
    uint32_t product = 0;
    if (notes == NULL || !note_value(&notes->body, NOTE_PRODUCT_FAMILY, &product))
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                               "zebin: no product family in .note.intelgt.compat");
    for (size_t i = 0; i < sizeof product_ranges / sizeof product_ranges[0]; i++) {
        if (product >= product_ranges[i].first && product <= product_ranges[i].last) {
            *platform = product_ranges[i].platform;
            return SONDE_OK;
        }
    }
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, notes->body.origin,
                           "zebin: unknown product family %u", product);
}

static enum sonde_status attach_code(struct sonde_image *image,
                                     const struct image_elf_section *sections, size_t count,
                                     struct sonde_image_kernel *kernel,
                                     enum sonde_gen_platform platform, struct sonde_error *error)
{
    const struct image_elf_section *code =
        find_section(sections, count, ".text.", kernel->info.name);
    if (code == NULL || code->body.size == 0)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                               "zebin: kernel %s has no section .text.%s", kernel->info.name,
                               kernel->info.name);
    kernel->info.platform = platform;
    kernel->info.isa = code->body.data;
    size_t trimmed = image_trimmed_size(code->body.data, code->body.size);
    kernel->info.isa_size = trimmed < code->body.size ? trimmed : code->body.size;
    const struct image_elf_section *info =
        find_section(sections, count, ".gtpin_info.", kernel->info.name);
    if (info == NULL)
        return SONDE_OK;
    return image_parse_gtpin_info(image, &info->body, &kernel->info, error);
}

enum sonde_status image_parse_zebin(struct sonde_image *image,
                                    const struct image_elf_section *sections, size_t count,
                                    struct sonde_error *error)
{
    const struct image_elf_section *description = NULL;
    for (size_t i = 0; i < count; i++)
        if (sections[i].type == SECTION_TYPE_ZE_INFO)
            description = &sections[i];
    if (description == NULL)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0, "zebin: no .ze_info section");
    enum sonde_gen_platform platform = SONDE_GEN_PLATFORM_COUNT;
    enum sonde_status status = find_platform(sections, count, &platform, error);
    size_t first = image->kernel_count;
    if (status == SONDE_OK)
        status = image_parse_ze_info(image, &description->body, error);
    for (size_t i = first; status == SONDE_OK && i < image->kernel_count; i++)
        status = attach_code(image, sections, count, &image->kernels[i], platform, error);
    return status;
}
