/* The arguments of a kernel while its description is read. */
#ifndef SONDE_IMAGE_ARGUMENTS_H
#define SONDE_IMAGE_ARGUMENTS_H

#include "image/image.h"

/* OpenCL allows 1024 bytes of arguments; more than this is a lying file. */
#define IMAGE_ARGUMENT_MAX 4096u

struct image_arguments {
    struct sonde_image *image;
    struct sonde_image_argument *list;
    size_t count, capacity;
};

/* Argument `index`, new when it was not named before. NULL without memory or
 * for an absurd index. */
struct sonde_image_argument *image_argument(struct image_arguments *arguments, uint32_t index);
/* False without memory. */
bool image_argument_add_piece(struct image_arguments *arguments,
                              struct sonde_image_argument *argument,
                              const struct sonde_argument_piece *piece);
/* Hand the list, by index, to the kernel; ready for the next kernel. */
enum sonde_status image_arguments_finish(struct image_arguments *arguments,
                                         struct sonde_image_kernel *kernel,
                                         struct sonde_error *error);
void image_arguments_clear(struct image_arguments *arguments);

/* What a patch token says of an argument; tokens of other kinds are left
 * alone. `tables` is where surface states are matched with binding-table
 * indices, see image_tokens_bind. */
enum sonde_status image_argument_token(struct image_arguments *arguments, uint32_t token,
                                       const struct image_span *body, struct sonde_error *error);
/* After all tokens: turn offsets of surface states, which the tokens give,
 * into binding-table indices. `table` is the body of token 8 (NULL: none). */
void image_argument_bind(struct image_arguments *arguments, const struct image_span *table,
                         const struct image_span *surface_heap);

#endif
