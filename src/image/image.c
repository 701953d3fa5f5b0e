#include "image/image.h"

#include "base/array.h"
#include "base/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *image_allocate(struct sonde_image *image, size_t size)
{
    if (base_array_reserve((void **)&image->blocks, &image->block_capacity, image->block_count + 1,
                           sizeof *image->blocks) != SONDE_OK)
        return NULL;
    void *block = calloc(1, size > 0 ? size : 1);
    if (block != NULL)
        image->blocks[image->block_count++] = block;
    return block;
}

const char *image_copy_text(struct sonde_image *image, const void *text, size_t length)
{
    length = strnlen(text, length);
    char *copy = image_allocate(image, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

struct sonde_image_kernel *image_add_kernel(struct sonde_image *image)
{
    if (base_array_reserve((void **)&image->kernels, &image->kernel_capacity,
                           image->kernel_count + 1, sizeof *image->kernels) != SONDE_OK)
        return NULL;
    struct sonde_image_kernel *kernel = &image->kernels[image->kernel_count++];
    kernel->target = image->target;
    return kernel;
}

bool image_subspan(const struct image_span *whole, uint64_t offset, uint64_t size,
                   struct image_span *part)
{
    if (offset > whole->size || size > whole->size - offset)
        return false;
    *part = (struct image_span){
        .data = whole->data + offset, .size = (size_t)size, .origin = whole->origin + offset};
    return true;
}

size_t image_trimmed_size(const uint8_t *data, size_t size)
{
    const uint64_t compacted_bit = UINT64_C(1) << 29;
    size_t end = size, at = 0;
    while (end > 0 && data[end - 1] == 0)
        end--;
    while (at < end) {
        if (size - at < 8)
            return size;
        at += (base_load64(data + at) & compacted_bit) != 0 ? 8 : 16;
    }
    return at < size ? at : size;
}

static enum sonde_status parse_raw(struct sonde_image *image, const struct image_span *file,
                                   enum sonde_gen_platform platform, struct sonde_error *error)
{
    if ((unsigned)platform >= SONDE_GEN_PLATFORM_COUNT)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                               "not a device binary (no ELF, archive or patch-token header); for "
                               "a file of raw instructions name the platform");
    struct sonde_image_kernel *kernel = image_add_kernel(image);
    if (kernel == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
    image->format = SONDE_IMAGE_RAW;
    kernel->info.name = "raw";
    kernel->info.platform = platform;
    kernel->info.isa = file->data;
    kernel->info.isa_size = image_trimmed_size(file->data, file->size);
    return SONDE_OK;
}

static enum sonde_status parse_any(struct sonde_image *image, enum sonde_gen_platform raw_platform,
                                   struct sonde_error *error)
{
    struct image_span file = {.data = image->data, .size = image->size};
    if (file.size == 0)
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, 0, "the file is empty");
    if (image_is_archive(&file)) {
        image->format = SONDE_IMAGE_ARCHIVE;
        return image_parse_archive(image, &file, error);
    }
    if (image_is_elf(&file))
        return image_parse_elf(image, &file, error);
    if (image_is_patch_tokens(&file)) {
        image->format = SONDE_IMAGE_PATCH_TOKENS;
        return image_parse_patch_tokens(image, &file, error);
    }
    return parse_raw(image, &file, raw_platform, error);
}

/* The compiler says how much scratch memory its spills take. Of a kernel without
 * spills that is nothing, but its private arrays may stand there: the place that
 * the compiler names for others is theirs. */
static void check_scratch(struct sonde_image *image)
{
    for (size_t i = 0; i < image->kernel_count; i++) {
        struct sonde_image_kernel *kernel = &image->kernels[i];
        if (kernel->info.scratch_offset == 0 && kernel->scratch_per_thread != 0)
            kernel->info.scratch_size = 0;
    }
}

enum sonde_status sonde_image_parse(const uint8_t *data, size_t size,
                                    enum sonde_gen_platform raw_platform,
                                    struct sonde_image **result, struct sonde_error *error)
{
    if (result == NULL || (data == NULL && size > 0))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "image: no data or no result");
    *result = NULL;
    struct sonde_image *image = calloc(1, sizeof *image);
    if (image != NULL)
        image->data = malloc(size > 0 ? size : 1);
    if (image == NULL || image->data == NULL) {
        free(image);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0,
                               "image: no memory for %zu bytes of file", size);
    }
    if (size > 0)
        memcpy(image->data, data, size);
    image->size = size;
    enum sonde_status status = parse_any(image, raw_platform, error);
    if (status != SONDE_OK) {
        sonde_image_close(image);
        return status;
    }
    check_scratch(image);
    *result = image;
    return SONDE_OK;
}

static enum sonde_status read_file(const char *path, uint8_t **data, size_t *size,
                                   struct sonde_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot open: %s", strerror(errno));
    size_t capacity = 0;
    enum sonde_status status = SONDE_OK;
    for (;;) {
        status = base_array_reserve((void **)data, &capacity, *size + 65536, 1);
        if (status != SONDE_OK) {
            sonde_error_set(error, status, 0, "out of memory");
            break;
        }
        size_t got = fread(*data + *size, 1, capacity - *size, file);
        *size += got;
        if (got == 0)
            break;
    }
    if (status == SONDE_OK && ferror(file))
        status = sonde_error_set(error, SONDE_ERROR_IO, *size, "cannot read: %s", strerror(errno));
    fclose(file);
    return status;
}

enum sonde_status sonde_image_open(const char *path, enum sonde_gen_platform raw_platform,
                                   struct sonde_image **image, struct sonde_error *error)
{
    if (path == NULL || image == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "image: no path or no result");
    *image = NULL;
    uint8_t *data = NULL;
    size_t size = 0;
    enum sonde_status status = read_file(path, &data, &size, error);
    if (status == SONDE_OK)
        status = sonde_image_parse(data, size, raw_platform, image, error);
    free(data);
    if (status != SONDE_OK)
        sonde_error_prefix(error, "%s", path);
    return status;
}

void sonde_image_close(struct sonde_image *image)
{
    if (image == NULL)
        return;
    for (size_t i = 0; i < image->block_count; i++)
        free(image->blocks[i]);
    free(image->blocks);
    free(image->kernels);
    free(image->data);
    free(image);
}

enum sonde_image_format sonde_image_format(const struct sonde_image *image)
{
    return image->format;
}

size_t sonde_image_kernel_count(const struct sonde_image *image)
{
    return image->kernel_count;
}

const struct sonde_image_kernel *sonde_image_kernel(const struct sonde_image *image, size_t index)
{
    return index < image->kernel_count ? &image->kernels[index] : NULL;
}
