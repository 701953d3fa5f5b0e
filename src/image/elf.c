/* The two ELF containers of Intel device binaries. A reader of our own,
 * because these files come from anywhere and nothing but sections is needed. */
#include "image/image.h"

#include "base/bytes.h"

#include <string.h>

enum {
    HEADER_SIZE = 64,
    SECTION_HEADER_SIZE = 64,
    SECTION_NO_BITS = 8,
    TYPE_DEVICE_BINARY = 0xff000005u, /* "Intel(R) OpenCL Device Binary" */
    TYPE_DEVICE_DEBUG = 0xff000008u,  /* "Intel(R) OpenCL Device Debug" */
    MACHINE_INTEL_GT = 205,
};

bool image_is_elf(const struct image_span *file)
{
    return file->size >= 4 && memcmp(file->data,
                                     "\x7f"
                                     "ELF",
                                     4) == 0;
}

static const char *section_name(const struct image_span *names, uint32_t offset)
{
    if (offset >= names->size || memchr(names->data + offset, 0, names->size - offset) == NULL)
        return NULL;
    return (const char *)names->data + offset;
}

static bool section_body(const struct image_span *file, const uint8_t *header,
                         struct image_span *body)
{
    uint64_t offset = base_load64(header + 24), size = base_load64(header + 32);
    if (base_load32(header + 4) == SECTION_NO_BITS || size == 0) {
        *body = (struct image_span){.data = file->data, .origin = offset};
        return true;
    }
    return image_subspan(file, offset, size, body);
}

static enum sonde_status section_table(const struct image_span *file, struct image_span *table,
                                       uint16_t *name_index, struct sonde_error *error)
{
    if (file->size < HEADER_SIZE)
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, file->size,
                               "ELF: the header is cut off at %zu bytes", file->size);
    if (file->data[4] != 2 || file->data[5] != 1)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 4,
                               "ELF: only 64-bit little-endian files hold GPU code");
    uint64_t offset = base_load64(file->data + 40);
    uint16_t entry_size = base_load16(file->data + 58), count = base_load16(file->data + 60);
    *name_index = base_load16(file->data + 62);
    if (count == 0)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 60, "ELF: the file has no sections");
    if (entry_size != SECTION_HEADER_SIZE || *name_index >= count)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 58,
                               "ELF: section headers of %u bytes with names in section %u of %u",
                               entry_size, *name_index, count);
    if (!image_subspan(file, offset, (uint64_t)count * SECTION_HEADER_SIZE, table))
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, 40,
                               "ELF: %u section headers at offset %llu are not in the file", count,
                               (unsigned long long)offset);
    return SONDE_OK;
}

enum sonde_status image_elf_sections(struct sonde_image *image, const struct image_span *file,
                                     struct image_elf_section **sections, size_t *count,
                                     struct sonde_error *error)
{
    struct image_span table, names;
    uint16_t name_index = 0;
    enum sonde_status status = section_table(file, &table, &name_index, error);
    if (status != SONDE_OK)
        return status;
    if (!section_body(file, table.data + (size_t)name_index * SECTION_HEADER_SIZE, &names))
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, table.origin,
                               "ELF: the section names are not in the file");
    *count = table.size / SECTION_HEADER_SIZE;
    *sections = image_allocate(image, *count * sizeof **sections);
    if (*sections == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
    for (size_t i = 0; i < *count; i++) {
        const uint8_t *header = table.data + i * SECTION_HEADER_SIZE;
        struct image_elf_section *section = &(*sections)[i];
        section->type = base_load32(header + 4);
        section->name = names.size > 0 ? section_name(&names, base_load32(header)) : "";
        if (section->name == NULL || !section_body(file, header, &section->body))
            return sonde_error_set(error, SONDE_ERROR_TRUNCATED,
                                   table.origin + i * SECTION_HEADER_SIZE,
                                   "ELF: section %zu or its name is not in the file", i);
    }
    return SONDE_OK;
}

static enum sonde_status parse_tokens(struct sonde_image *image,
                                      const struct image_elf_section *sections, size_t count,
                                      const struct image_span *program, struct sonde_error *error)
{
    size_t first = image->kernel_count;
    image->format = SONDE_IMAGE_PATCH_TOKENS;
    enum sonde_status status = image_parse_patch_tokens(image, program, error);
    for (size_t i = 0; status == SONDE_OK && i < count; i++)
        if (sections[i].type == TYPE_DEVICE_DEBUG && sections[i].body.size > 0)
            status = image_parse_patch_debug(image, first, &sections[i].body, error);
    return status;
}

enum sonde_status image_parse_elf(struct sonde_image *image, const struct image_span *file,
                                  struct sonde_error *error)
{
    struct image_elf_section *sections;
    size_t count;
    enum sonde_status status = image_elf_sections(image, file, &sections, &count, error);
    if (status != SONDE_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (sections[i].type != TYPE_DEVICE_BINARY)
            continue;
        return parse_tokens(image, sections, count, &sections[i].body, error);
    }
    if (base_load16(file->data + 18) == MACHINE_INTEL_GT) {
        image->format = SONDE_IMAGE_ZEBIN;
        return image_parse_zebin(image, sections, count, error);
    }
    return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0,
                           "ELF: neither an OpenCL device binary section nor a zebin; is this a "
                           "program for the CPU, or SPIR-V only?");
}
