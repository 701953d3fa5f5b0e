/* .ze_info: the block-style YAML that the compiler writes, maps and lists of
 * scalars with indentation only. No other YAML is accepted as anything but
 * text to skip. */
#include "image/image.h"

#include <string.h>

enum {
    MAXIMUM_DEPTH = 8,
};

struct piece {
    const char *text;
    size_t size;
};

/* An open map key with the column it stands in. */
struct level {
    size_t column;
    struct piece key;
};

struct ze_info {
    struct sonde_image *image;
    struct level levels[MAXIMUM_DEPTH];
    size_t depth;
    struct sonde_image_kernel *kernel; /* of the list item that is open */
    bool buffer_is_scratch;            /* of the memory buffer that is open */
    uint32_t buffer_size;
};

static bool piece_is(struct piece piece, const char *text)
{
    return piece.size == strlen(text) && memcmp(piece.text, text, piece.size) == 0;
}

static uint32_t piece_number(struct piece piece)
{
    uint64_t value = 0;
    for (size_t i = 0; i < piece.size && piece.text[i] >= '0' && piece.text[i] <= '9'; i++) {
        value = value * 10 + (uint64_t)(piece.text[i] - '0');
        if (value > UINT32_MAX)
            return UINT32_MAX;
    }
    return (uint32_t)value;
}

static struct piece trim(struct piece piece)
{
    while (piece.size > 0 && (piece.text[0] == ' ' || piece.text[0] == '\t')) {
        piece.text++;
        piece.size--;
    }
    while (piece.size > 0 && strchr(" \t\r", piece.text[piece.size - 1]) != NULL)
        piece.size--;
    return piece;
}

static struct piece unquote(struct piece piece)
{
    if (piece.size >= 2 && (piece.text[0] == '\'' || piece.text[0] == '"') &&
        piece.text[piece.size - 1] == piece.text[0])
        return (struct piece){piece.text + 1, piece.size - 2};
    return piece;
}

static bool path_is(const struct ze_info *parser, size_t depth, const char *second)
{
    return parser->depth == depth && piece_is(parser->levels[0].key, "kernels") &&
           (second == NULL || piece_is(parser->levels[1].key, second));
}

static enum sonde_status set_name(struct ze_info *parser, struct piece value,
                                  struct sonde_error *error)
{
    parser->kernel->info.name = image_copy_text(parser->image, value.text, value.size);
    if (parser->kernel->info.name == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
    return SONDE_OK;
}

static void set_environment(struct sonde_image_kernel *kernel, struct piece key, struct piece value)
{
    uint32_t number = piece_number(value);
    if (piece_is(key, "simd_size"))
        kernel->info.simd_width = number;
    else if (piece_is(key, "grf_count"))
        kernel->info.grf_count = number;
    else if (piece_is(key, "barrier_count"))
        kernel->has_barriers = number != 0;
    else if (piece_is(key, "slm_size"))
        kernel->slm_size = number;
    else if (piece_is(key, "has_stack_calls"))
        kernel->has_stack_calls = piece_is(value, "true");
    else if (piece_is(key, "offset_to_skip_per_thread_data_load"))
        kernel->skip_per_thread_offset = number;
}

/* The keys of a buffer come in any order, so the scratch size is known only
 * once both type and size are. */
static void set_memory_buffer(struct ze_info *parser, struct piece key, struct piece value)
{
    if (piece_is(key, "type"))
        parser->buffer_is_scratch = piece_is(value, "scratch");
    else if (piece_is(key, "size"))
        parser->buffer_size = piece_number(value);
    if (parser->buffer_is_scratch && parser->buffer_size > parser->kernel->scratch_per_thread)
        parser->kernel->scratch_per_thread = parser->buffer_size;
}

static enum sonde_status take_value(struct ze_info *parser, struct piece key, struct piece value,
                                    struct sonde_error *error)
{
    if (parser->kernel == NULL)
        return SONDE_OK;
    if (path_is(parser, 2, NULL) && piece_is(key, "name"))
        return set_name(parser, value, error);
    if (path_is(parser, 3, "execution_env"))
        set_environment(parser->kernel, key, value);
    else if (path_is(parser, 3, "per_thread_memory_buffers"))
        set_memory_buffer(parser, key, value);
    return SONDE_OK;
}

static enum sonde_status open_item(struct ze_info *parser, struct sonde_error *error)
{
    parser->buffer_is_scratch = false;
    parser->buffer_size = 0;
    if (parser->depth != 1)
        return SONDE_OK;
    parser->kernel = NULL;
    if (!path_is(parser, 1, NULL))
        return SONDE_OK;
    parser->kernel = image_add_kernel(parser->image);
    if (parser->kernel == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
    parser->kernel->info.name = "";
    return SONDE_OK;
}

static enum sonde_status parse_line(struct ze_info *parser, struct piece line,
                                    struct sonde_error *error)
{
    size_t column = 0;
    while (column < line.size && line.text[column] == ' ')
        column++;
    bool is_item =
        column + 1 < line.size && line.text[column] == '-' && line.text[column + 1] == ' ';
    while (parser->depth > 0 &&
           parser->levels[parser->depth - 1].column >= column + (is_item ? 1 : 0))
        parser->depth--;
    if (is_item) {
        enum sonde_status status = open_item(parser, error);
        if (status != SONDE_OK)
            return status;
        column += 2;
    }
    struct piece rest = {line.text + column, line.size - column};
    const char *colon = rest.size > 0 ? memchr(rest.text, ':', rest.size) : NULL;
    if (colon == NULL || parser->depth >= MAXIMUM_DEPTH)
        return SONDE_OK;
    struct piece key = trim((struct piece){rest.text, (size_t)(colon - rest.text)});
    struct piece value =
        trim((struct piece){colon + 1, (size_t)(rest.text + rest.size - colon - 1)});
    parser->levels[parser->depth++] = (struct level){column, key};
    return take_value(parser, key, unquote(value), error);
}

enum sonde_status image_parse_ze_info(struct sonde_image *image, const struct image_span *text,
                                      struct sonde_error *error)
{
    struct ze_info parser = {.image = image};
    size_t position = 0;
    while (position < text->size) {
        const char *start = (const char *)text->data + position;
        const char *end = memchr(start, '\n', text->size - position);
        size_t length = end != NULL ? (size_t)(end - start) : text->size - position;
        enum sonde_status status = parse_line(&parser, (struct piece){start, length}, error);
        if (status != SONDE_OK)
            return status;
        position += length + 1;
    }
    return SONDE_OK;
}
