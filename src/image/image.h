/* Inside the image stage: the container under construction and its parsers.
 * Every parser works on a struct image_span, a view of bytes that stays valid
 * as long as the image, and refuses what does not fit into it. */
#ifndef SONDE_IMAGE_IMAGE_H
#define SONDE_IMAGE_IMAGE_H

#include "sonde/image.h"

struct image_span {
    const uint8_t *data;
    size_t size;
    uint64_t origin; /* offset of data[0] in the file, for messages */
};

struct sonde_image {
    enum sonde_image_format format;
    uint8_t *data;
    size_t size;
    struct sonde_image_kernel *kernels;
    size_t kernel_count;
    size_t kernel_capacity;
    void **blocks; /* everything that the kernels point to besides `data` */
    size_t block_count;
    size_t block_capacity;
    const char *target; /* archive member that is being parsed */
};

/* `size` zeroed bytes that live as long as the image; NULL without memory. */
void *image_allocate(struct sonde_image *image, size_t size);
/* NUL-terminated copy of `length` bytes, or up to an earlier NUL. */
const char *image_copy_text(struct sonde_image *image, const void *text, size_t length);
/* A new zeroed kernel at the end; NULL without memory. The pointer is good
 * until the next call. */
struct sonde_image_kernel *image_add_kernel(struct sonde_image *image);

/* The part [offset, offset + size) of a span. False when it does not fit. */
bool image_subspan(const struct image_span *whole, uint64_t offset, uint64_t size,
                   struct image_span *part);
/* Bytes without the zero padding behind the last instruction. */
size_t image_trimmed_size(const uint8_t *data, size_t size);

/* Dword `index` of a patch token's body, 0 when a shorter, older token lacks it. */
uint32_t image_token_word(const struct image_span *body, size_t index);
bool image_is_patch_tokens(const struct image_span *file);
enum sonde_status image_parse_patch_tokens(struct sonde_image *image,
                                           const struct image_span *program,
                                           struct sonde_error *error);

/* The debug data beside a program: an ELF for each of the kernels from `first`
 * on. */
enum sonde_status image_parse_patch_debug(struct sonde_image *image, size_t first,
                                          const struct image_span *data, struct sonde_error *error);

bool image_is_archive(const struct image_span *file);
enum sonde_status image_parse_archive(struct sonde_image *image, const struct image_span *file,
                                      struct sonde_error *error);

bool image_is_elf(const struct image_span *file);
/* Patch tokens in an ELF wrapper, or zebin; sets image->format. */
enum sonde_status image_parse_elf(struct sonde_image *image, const struct image_span *file,
                                  struct sonde_error *error);

struct image_elf_section {
    const char *name; /* NUL-terminated inside the file */
    uint32_t type;
    struct image_span body;
};

/* Sections of a 64-bit little-endian ELF file; *sections belongs to image. */
enum sonde_status image_elf_sections(struct sonde_image *image, const struct image_span *file,
                                     struct image_elf_section **sections, size_t *count,
                                     struct sonde_error *error);

enum sonde_status image_parse_zebin(struct sonde_image *image,
                                    const struct image_elf_section *sections, size_t count,
                                    struct sonde_error *error);
/* Add one kernel for each entry of .ze_info, without ISA. */
enum sonde_status image_parse_ze_info(struct sonde_image *image, const struct image_span *text,
                                      struct sonde_error *error);

/* The answer of the compiler to a GTPin request (patch token 52, zebin section
 * .gtpin_info.*, or the driver's kernel-create callback): free registers,
 * reserved scratch, prolog sizes, register count. */
enum sonde_status image_parse_gtpin_info(struct sonde_image *image, const struct image_span *info,
                                         struct sonde_kernel_info *kernel,
                                         struct sonde_error *error);

#endif
