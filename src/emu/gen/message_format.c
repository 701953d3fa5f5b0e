/* Surface formats that OpenCL images use, and the conversions between texels
 * and registers. Codes and component layouts as in Mesa's isl tables. */
#include <math.h>

#include "emu/gen/half.h"
#include "emu/gen/message_image.h"

#define R(w)                                                                                       \
    {                                                                                              \
        {                                                                                          \
            0, w                                                                                   \
        }                                                                                          \
    }
#define RG(w)                                                                                      \
    {                                                                                              \
        {0, w},                                                                                    \
        {                                                                                          \
            w, w                                                                                   \
        }                                                                                          \
    }
#define RGB(w)                                                                                     \
    {                                                                                              \
        {0, w}, {w, w},                                                                            \
        {                                                                                          \
            2 * (w), w                                                                             \
        }                                                                                          \
    }
#define RGBA(w)                                                                                    \
    {                                                                                              \
        {0, w}, {w, w}, {2 * (w), w},                                                              \
        {                                                                                          \
            3 * (w), w                                                                             \
        }                                                                                          \
    }
#define BGRA(w)                                                                                    \
    {                                                                                              \
        {2 * (w), w}, {w, w}, {0, w},                                                              \
        {                                                                                          \
            3 * (w), w                                                                             \
        }                                                                                          \
    }
#define BGRX(w)                                                                                    \
    {                                                                                              \
        {2 * (w), w}, {w, w},                                                                      \
        {                                                                                          \
            0, w                                                                                   \
        }                                                                                          \
    }
#define A(w)                                                                                       \
    {                                                                                              \
        [3] = { 0, w }                                                                             \
    }
#define LUMINANCE(w)                                                                               \
    {                                                                                              \
        {0, w}, {0, w},                                                                            \
        {                                                                                          \
            0, w                                                                                   \
        }                                                                                          \
    }
#define INTENSITY(w)                                                                               \
    {                                                                                              \
        {0, w}, {0, w}, {0, w},                                                                    \
        {                                                                                          \
            0, w                                                                                   \
        }                                                                                          \
    }
#define LUMINANCE_A(w)                                                                             \
    {                                                                                              \
        {0, w}, {0, w}, {0, w},                                                                    \
        {                                                                                          \
            w, w                                                                                   \
        }                                                                                          \
    }
#define RGB10A2                                                                                    \
    {                                                                                              \
        {0, 10}, {10, 10}, {20, 10},                                                               \
        {                                                                                          \
            30, 2                                                                                  \
        }                                                                                          \
    }
#define B5G6R5                                                                                     \
    {                                                                                              \
        {11, 5}, {5, 6},                                                                           \
        {                                                                                          \
            0, 5                                                                                   \
        }                                                                                          \
    }

#define FLOAT MESSAGE_FORMAT_FLOAT
#define UNORM MESSAGE_FORMAT_UNORM
#define SNORM MESSAGE_FORMAT_SNORM
#define UINT  MESSAGE_FORMAT_UINT
#define SINT  MESSAGE_FORMAT_SINT

/* Sorted by code. */
static const struct message_format formats[] = {
    {0x000, 16, FLOAT, false, RGBA(32)},
    {0x001, 16, SINT, false, RGBA(32)},
    {0x002, 16, UINT, false, RGBA(32)},
    {0x006, 16, FLOAT, false, RGB(32)}, /* R32G32B32X32 */
    {0x040, 12, FLOAT, false, RGB(32)},
    {0x041, 12, SINT, false, RGB(32)},
    {0x042, 12, UINT, false, RGB(32)},
    {0x080, 8, UNORM, false, RGBA(16)},
    {0x081, 8, SNORM, false, RGBA(16)},
    {0x082, 8, SINT, false, RGBA(16)},
    {0x083, 8, UINT, false, RGBA(16)},
    {0x084, 8, FLOAT, false, RGBA(16)},
    {0x085, 8, FLOAT, false, RG(32)},
    {0x086, 8, SINT, false, RG(32)},
    {0x087, 8, UINT, false, RG(32)},
    {0x088, 8, FLOAT, false, R(32)}, /* R32_FLOAT_X8X24 */
    {0x08a, 8, FLOAT, false, LUMINANCE_A(32)},
    {0x08e, 8, UNORM, false, RGB(16)}, /* R16G16B16X16 */
    {0x08f, 8, FLOAT, false, RGB(16)},
    {0x0c0, 4, UNORM, false, BGRA(8)},
    {0x0c1, 4, UNORM, true, BGRA(8)},
    {0x0c2, 4, UNORM, false, RGB10A2},
    {0x0c4, 4, UINT, false, RGB10A2},
    {0x0c7, 4, UNORM, false, RGBA(8)},
    {0x0c8, 4, UNORM, true, RGBA(8)},
    {0x0c9, 4, SNORM, false, RGBA(8)},
    {0x0ca, 4, SINT, false, RGBA(8)},
    {0x0cb, 4, UINT, false, RGBA(8)},
    {0x0cc, 4, UNORM, false, RG(16)},
    {0x0cd, 4, SNORM, false, RG(16)},
    {0x0ce, 4, SINT, false, RG(16)},
    {0x0cf, 4, UINT, false, RG(16)},
    {0x0d0, 4, FLOAT, false, RG(16)},
    {0x0d6, 4, SINT, false, R(32)},
    {0x0d7, 4, UINT, false, R(32)},
    {0x0d8, 4, FLOAT, false, R(32)},
    {0x0d9, 4, UNORM, false, R(24)}, /* R24_UNORM_X8 */
    {0x0df, 4, UNORM, false, LUMINANCE_A(16)},
    {0x0e3, 4, FLOAT, false, INTENSITY(32)},
    {0x0e4, 4, FLOAT, false, LUMINANCE(32)},
    {0x0e5, 4, FLOAT, false, A(32)},
    {0x0e9, 4, UNORM, false, BGRX(8)},
    {0x0ea, 4, UNORM, true, BGRX(8)},
    {0x0eb, 4, UNORM, false, RGB(8)}, /* R8G8B8X8 */
    {0x0ec, 4, UNORM, true, RGB(8)},
    {0x0f0, 4, FLOAT, false, LUMINANCE_A(16)},
    {0x100, 2, UNORM, false, B5G6R5},
    {0x106, 2, UNORM, false, RG(8)},
    {0x107, 2, SNORM, false, RG(8)},
    {0x108, 2, SINT, false, RG(8)},
    {0x109, 2, UINT, false, RG(8)},
    {0x10a, 2, UNORM, false, R(16)},
    {0x10b, 2, SNORM, false, R(16)},
    {0x10c, 2, SINT, false, R(16)},
    {0x10d, 2, UINT, false, R(16)},
    {0x10e, 2, FLOAT, false, R(16)},
    {0x111, 2, UNORM, false, INTENSITY(16)},
    {0x112, 2, UNORM, false, LUMINANCE(16)},
    {0x113, 2, UNORM, false, A(16)},
    {0x114, 2, UNORM, false, LUMINANCE_A(8)},
    {0x115, 2, FLOAT, false, INTENSITY(16)},
    {0x116, 2, FLOAT, false, LUMINANCE(16)},
    {0x117, 2, FLOAT, false, A(16)},
    {0x140, 1, UNORM, false, R(8)},
    {0x141, 1, SNORM, false, R(8)},
    {0x142, 1, SINT, false, R(8)},
    {0x143, 1, UINT, false, R(8)},
    {0x144, 1, UNORM, false, A(8)},
    {0x145, 1, UNORM, false, INTENSITY(8)},
    {0x146, 1, UNORM, false, LUMINANCE(8)},
};

const struct message_format *message_format_find(uint16_t code)
{
    size_t low = 0, high = sizeof formats / sizeof *formats;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (formats[middle].code == code)
            return &formats[middle];
        if (formats[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool message_format_is_integer(const struct message_format *format)
{
    return format->kind == MESSAGE_FORMAT_UINT || format->kind == MESSAGE_FORMAT_SINT;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static float half_to_float(uint16_t bits)
{
    float value = emu_half_to_float(bits);

    return value == value ? value : bits_float(float_bits(value) | 1u << 22); /* quiet */
}

static uint32_t field_mask(unsigned width)
{
    return width >= 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
}

/* Fields never straddle a 32-bit word of the texel. */
static uint32_t get_field(const uint8_t *texel, struct message_component component)
{
    uint32_t word = 0;
    unsigned first = component.position / 8, shift = component.position % 8;

    memcpy(&word, texel + first, (shift + component.width + 7) / 8);
    return word >> shift & field_mask(component.width);
}

static void put_field(uint8_t *texel, struct message_component component, uint32_t value)
{
    uint32_t word = 0, mask = field_mask(component.width);
    unsigned first = component.position / 8, shift = component.position % 8;
    size_t bytes = (shift + component.width + 7) / 8;

    memcpy(&word, texel + first, bytes);
    word = (word & ~(mask << shift)) | (value & mask) << shift;
    memcpy(texel + first, &word, bytes);
}

static float srgb_to_linear(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static float linear_to_srgb(float value)
{
    return value <= 0.0031308f ? value * 12.92f : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
}

static int32_t extend(uint32_t field, unsigned width)
{
    unsigned unused = 32 - width;

    return (int32_t)(field << unused) >> unused;
}

uint32_t message_format_default(const struct message_format *format, unsigned component)
{
    if (component != 3)
        return 0;
    return message_format_is_integer(format) ? 1 : float_bits(1.0f);
}

static uint32_t unpack(const struct message_format *format, unsigned component, uint32_t field)
{
    unsigned width = format->component[component].width;
    float value;

    switch ((enum message_format_kind)format->kind) {
    case MESSAGE_FORMAT_UINT:
        return field;
    case MESSAGE_FORMAT_SINT:
        return (uint32_t)extend(field, width);
    case MESSAGE_FORMAT_FLOAT:
        return width == 32 ? field : float_bits(half_to_float((uint16_t)field));
    case MESSAGE_FORMAT_SNORM:
        value = (float)extend(field, width) / (float)field_mask(width - 1);
        return float_bits(value < -1.0f ? -1.0f : value);
    case MESSAGE_FORMAT_UNORM:
        break;
    }
    value = (float)field / (float)field_mask(width);
    return float_bits(format->srgb && component != 3 ? srgb_to_linear(value) : value);
}

void message_format_unpack(const struct message_format *format, const uint8_t *texel,
                           uint32_t value[4])
{
    for (unsigned i = 0; i < 4; i++) {
        struct message_component component = format->component[i];
        value[i] = component.width ? unpack(format, i, get_field(texel, component))
                                   : message_format_default(format, i);
    }
}

/* A NaN stores as zero. */
static float clamp(float value, float low, float high)
{
    if (!(value > low))
        return value <= low ? low : 0.0f;
    return value < high ? value : high;
}

static uint32_t pack(const struct message_format *format, unsigned component, uint32_t value)
{
    unsigned width = format->component[component].width;
    int32_t number = (int32_t)value;
    float real;

    switch ((enum message_format_kind)format->kind) {
    case MESSAGE_FORMAT_UINT:
        return value > field_mask(width) ? field_mask(width) : value;
    case MESSAGE_FORMAT_SINT:
        if (number > (int32_t)field_mask(width - 1))
            return field_mask(width - 1);
        return number < -(int32_t)field_mask(width - 1) - 1 ? UINT32_C(1) << (width - 1) : value;
    case MESSAGE_FORMAT_FLOAT:
        return width == 32 ? value : emu_float_to_half(bits_float(value), 0);
    case MESSAGE_FORMAT_SNORM:
        real = clamp(bits_float(value), -1.0f, 1.0f);
        return (uint32_t)(int32_t)rintf(real * (float)field_mask(width - 1));
    case MESSAGE_FORMAT_UNORM:
        break;
    }
    real = clamp(bits_float(value), 0.0f, 1.0f);
    if (format->srgb && component != 3)
        real = linear_to_srgb(real);
    return (uint32_t)(int64_t)rint((double)real * field_mask(width));
}

void message_format_pack(const struct message_format *format, const uint32_t value[4],
                         uint32_t mask, uint8_t *texel)
{
    for (unsigned i = 0; i < 4; i++)
        if (format->component[i].width && mask >> i & 1)
            put_field(texel, format->component[i], pack(format, i, value[i]));
}
