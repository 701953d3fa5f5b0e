/* Device-binary containers: find the kernels inside. */
#ifndef SONDE_IMAGE_H
#define SONDE_IMAGE_H

#include "sonde/kernel.h"

enum sonde_image_format {
    SONDE_IMAGE_PATCH_TOKENS, /* Intel OpenCL device binary in an ELF wrapper, or bare */
    SONDE_IMAGE_ZEBIN,
    SONDE_IMAGE_ARCHIVE, /* fat ar archive of the offline compiler */
    SONDE_IMAGE_RAW,     /* instructions only; needs a platform from the caller */
};

enum sonde_argument_kind {
    SONDE_ARGUMENT_UNKNOWN,
    SONDE_ARGUMENT_VALUE,
    SONDE_ARGUMENT_GLOBAL,   /* pointer to global memory */
    SONDE_ARGUMENT_CONSTANT, /* pointer to constant memory */
    SONDE_ARGUMENT_LOCAL,    /* pointer to local memory: its offset there */
    SONDE_ARGUMENT_IMAGE,
    SONDE_ARGUMENT_SAMPLER,
};

/* Where the value, address or offset stands in the cross-thread data. */
struct sonde_argument_piece {
    uint32_t payload_offset; /* bytes */
    uint32_t source_offset;  /* bytes into the argument, for structures in pieces */
    uint32_t size;           /* bytes, 0 = none */
};

/* One argument of a kernel, as the compiler laid it out. The texts are NULL
 * unless the program was built with -cl-kernel-arg-info. */
struct sonde_image_argument {
    uint32_t index;
    uint8_t kind;   /* enum sonde_argument_kind */
    bool read_only; /* images that are only read, pointers to constant data */
    bool has_surface;
    uint8_t bti; /* binding-table index, when has_surface */
    const struct sonde_argument_piece *pieces;
    size_t piece_count; /* an argument that only goes through its surface has none */
    const char *name;
    const char *type_name;         /* "float*" */
    const char *address_qualifier; /* "__global" */
};

/* One kernel of an image. Pointers live as long as the image. */
struct sonde_image_kernel {
    struct sonde_kernel_info info;
    const char *target;          /* archive member, NULL outside archives */
    uint32_t slm_size;           /* bytes */
    uint32_t scratch_per_thread; /* bytes of scratch the compiler itself uses */
    bool has_barriers;
    bool has_stack_calls;
    uint32_t skip_per_thread_offset; /* entry offset that skips the per-thread prolog */
    uint32_t payload_register;       /* that the cross-thread data starts in, behind r0 and the
                                        local ids; 0 = not known */
    const struct sonde_image_argument *arguments; /* by index */
    size_t argument_count;
    /* ELF with DWARF that was compiled in with -g, for
     * sonde_source_lines_read; NULL when there is none. */
    const uint8_t *debug_elf;
    size_t debug_elf_size;
};

struct sonde_image;

/* Parse a whole file. Everything read is bounds-checked; lying tables give
 * SONDE_ERROR_FORMAT with the offset. `raw_platform` is used for files that
 * are raw instructions, pass SONDE_GEN_PLATFORM_COUNT when there is none. */
SONDE_API enum sonde_status sonde_image_open(const char *path, enum sonde_gen_platform raw_platform,
                                             struct sonde_image **image, struct sonde_error *error);
SONDE_API enum sonde_status sonde_image_parse(const uint8_t *data, size_t size,
                                              enum sonde_gen_platform raw_platform,
                                              struct sonde_image **image,
                                              struct sonde_error *error);
SONDE_API void sonde_image_close(struct sonde_image *image);
SONDE_API enum sonde_image_format sonde_image_format(const struct sonde_image *image);
SONDE_API size_t sonde_image_kernel_count(const struct sonde_image *image);
SONDE_API const struct sonde_image_kernel *sonde_image_kernel(const struct sonde_image *image,
                                                              size_t index);

#endif
