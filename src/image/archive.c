/* Fat binaries of the offline compiler: a Unix ar archive with one device
 * binary a target, and members "pad_N" between them for alignment. */
#include "image/image.h"

#include <stdlib.h>
#include <string.h>

#define ARCHIVE_MAGIC "!<arch>\n"

enum {
    MAGIC_SIZE = 8,
    HEADER_SIZE = 60,
    NAME_SIZE = 16,
    SIZE_FIELD = 48, /* decimal text of SIZE_LENGTH characters */
    SIZE_LENGTH = 10,
    END_FIELD = 58, /* "`\n" */
};

bool image_is_archive(const struct image_span *file)
{
    return file->size >= MAGIC_SIZE && memcmp(file->data, ARCHIVE_MAGIC, MAGIC_SIZE) == 0;
}

/* Names end at '/' or at the padding. */
static const char *member_name(struct sonde_image *image, const uint8_t *header)
{
    size_t length = 0;
    while (length < NAME_SIZE && header[length] != '/' && header[length] != ' ')
        length++;
    return image_copy_text(image, header, length);
}

static bool member_size(const uint8_t *header, uint64_t *size)
{
    *size = 0;
    size_t digits = 0;
    for (; digits < SIZE_LENGTH; digits++) {
        uint8_t c = header[SIZE_FIELD + digits];
        if (c < '0' || c > '9')
            break;
        *size = *size * 10 + (uint64_t)(c - '0');
    }
    return digits > 0;
}

static enum sonde_status parse_member(struct sonde_image *image, const struct image_span *body,
                                      struct sonde_error *error)
{
    if (image_is_elf(body)) {
        enum sonde_status status = image_parse_elf(image, body, error);
        image->format = SONDE_IMAGE_ARCHIVE;
        /* Members without native code (SPIR-V for other devices) are no error. */
        return status == SONDE_ERROR_NOT_FOUND ? SONDE_OK : status;
    }
    if (image_is_patch_tokens(body))
        return image_parse_patch_tokens(image, body, error);
    return SONDE_OK;
}

enum sonde_status image_parse_archive(struct sonde_image *image, const struct image_span *file,
                                      struct sonde_error *error)
{
    uint64_t position = MAGIC_SIZE;
    while (position < file->size) {
        struct image_span header, body;
        uint64_t size;
        if (!image_subspan(file, position, HEADER_SIZE, &header))
            return sonde_error_set(error, SONDE_ERROR_TRUNCATED, position,
                                   "archive: member header at offset %llu is cut off",
                                   (unsigned long long)position);
        if (memcmp(header.data + END_FIELD, "`\n", 2) != 0 || !member_size(header.data, &size))
            return sonde_error_set(error, SONDE_ERROR_FORMAT, position,
                                   "archive: no member header at offset %llu",
                                   (unsigned long long)position);
        if (!image_subspan(file, position + HEADER_SIZE, size, &body))
            return sonde_error_set(error, SONDE_ERROR_TRUNCATED, position,
                                   "archive: member at offset %llu is longer than the file",
                                   (unsigned long long)position);
        image->target = member_name(image, header.data);
        if (image->target == NULL)
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
        enum sonde_status status = parse_member(image, &body, error);
        if (status != SONDE_OK) {
            sonde_error_prefix(error, "archive member %s", image->target);
            return status;
        }
        position += HEADER_SIZE + size + (size & 1);
    }
    image->target = NULL;
    return SONDE_OK;
}
