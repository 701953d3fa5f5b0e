/* Images as the typed, media block and sampler messages see them: formats,
 * tiling, texels. */
#ifndef SONDE_EMU_GEN_MESSAGE_IMAGE_H
#define SONDE_EMU_GEN_MESSAGE_IMAGE_H

#include "emu/gen/message.h"

enum message_format_kind {
    MESSAGE_FORMAT_FLOAT,
    MESSAGE_FORMAT_UNORM,
    MESSAGE_FORMAT_SNORM,
    MESSAGE_FORMAT_UINT,
    MESSAGE_FORMAT_SINT,
};

/* Where a colour component lies in a texel; width 0: absent. */
struct message_component {
    uint8_t position; /* bits */
    uint8_t width;
};

/* A row of the surface format table. */
struct message_format {
    uint16_t code;                         /* SURFACE_FORMAT */
    uint8_t bytes;                         /* a texel */
    uint8_t kind;                          /* enum message_format_kind */
    bool srgb;                             /* red, green and blue are stored with the sRGB curve */
    struct message_component component[4]; /* red, green, blue, alpha */
};

/* NULL when the format is not in the table. */
const struct message_format *message_format_find(uint16_t code);
/* True when the kernel sees integers, false when it sees floats. */
bool message_format_is_integer(const struct message_format *format);
/* Texel to four 32-bit register values; absent components read 0, 0, 0, 1. */
void message_format_unpack(const struct message_format *format, const uint8_t *texel,
                           uint32_t value[4]);
/* The components of `mask` into the texel; others keep their bits. */
void message_format_pack(const struct message_format *format, const uint32_t value[4],
                         uint32_t mask, uint8_t *texel);
/* What an absent component reads: 1 for alpha. */
uint32_t message_format_default(const struct message_format *format, unsigned component);

struct message_image {
    struct message_space space; /* base: the surface's; no limit */
    const struct emu_surface *surface;
    const struct message_format *format;
    struct emu_surface in_place; /* when the message names the place of the state */
};

/* false: fault raised. `need_format`: media blocks work on bytes. */
bool message_image_open(struct emu_message_context *context, bool need_format,
                        struct message_image *image);

/* Place of a texel from the coordinates of a message: the second coordinate
 * of a 1D array and the third of a 2D array are the layer. */
struct message_place {
    uint32_t x, y, layer;
};

/* false: outside the image. */
bool message_image_place(const struct message_image *image, int64_t u, int64_t v, int64_t r,
                         struct message_place *place);
/* Byte offset from the surface base of `bytes`-wide column x. */
uint64_t message_image_offset(const struct emu_surface *surface, const struct message_place *place,
                              uint32_t bytes);

#endif
