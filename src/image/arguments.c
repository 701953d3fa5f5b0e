#include "image/arguments.h"

#include "base/array.h"
#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

struct sonde_image_argument *image_argument(struct image_arguments *arguments, uint32_t index)
{
    for (size_t n = 0; n < arguments->count; n++)
        if (arguments->list[n].index == index)
            return &arguments->list[n];
    if (index >= IMAGE_ARGUMENT_MAX ||
        base_array_reserve((void **)&arguments->list, &arguments->capacity, arguments->count + 1,
                           sizeof *arguments->list) != SONDE_OK)
        return NULL;
    struct sonde_image_argument *argument = &arguments->list[arguments->count++];
    *argument = (struct sonde_image_argument){.index = index};
    return argument;
}

bool image_argument_add_piece(struct image_arguments *arguments,
                              struct sonde_image_argument *argument,
                              const struct sonde_argument_piece *piece)
{
    size_t count = argument->piece_count;
    if ((count & (count - 1)) == 0) { /* full: 0, 1, 2, 4, ... */
        struct sonde_argument_piece *pieces =
            image_allocate(arguments->image, (count > 0 ? 2 * count : 1) * sizeof *pieces);
        if (pieces == NULL)
            return false;
        if (count > 0)
            memcpy(pieces, argument->pieces, count * sizeof *pieces);
        argument->pieces = pieces;
    }
    ((struct sonde_argument_piece *)(uintptr_t)argument->pieces)[count] = *piece;
    argument->piece_count++;
    return true;
}

static int compare(const void *a, const void *b)
{
    uint32_t first = ((const struct sonde_image_argument *)a)->index;
    uint32_t second = ((const struct sonde_image_argument *)b)->index;
    return (first > second) - (first < second);
}

enum sonde_status image_arguments_finish(struct image_arguments *arguments,
                                         struct sonde_image_kernel *kernel,
                                         struct sonde_error *error)
{
    size_t bytes = arguments->count * sizeof *arguments->list;
    struct sonde_image_argument *list = image_allocate(arguments->image, bytes);
    if (list == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
    if (arguments->count > 0) {
        qsort(arguments->list, arguments->count, sizeof *arguments->list, compare);
        memcpy(list, arguments->list, bytes);
    }
    kernel->arguments = list;
    kernel->argument_count = arguments->count;
    arguments->count = 0;
    return SONDE_OK;
}

void image_arguments_clear(struct image_arguments *arguments)
{
    free(arguments->list);
    arguments->list = NULL;
    arguments->count = arguments->capacity = 0;
}

enum {
    TOKEN_GLOBAL = 11,
    TOKEN_IMAGE = 12,
    TOKEN_CONSTANT = 13,
    TOKEN_SAMPLER = 16,
    TOKEN_DATA = 17,
    TOKEN_INFO = 26,
    TOKEN_STATELESS_GLOBAL = 30,
    TOKEN_STATELESS_CONSTANT = 31,
    DATA_ARGUMENT = 1,   /* kinds of TOKEN_DATA: a value, */
    DATA_LOCAL_SIZE = 8, /* the offset of a pointer to local memory */
    NO_SURFACE = -1,
};

/* Until image_argument_bind `bti` cannot hold the offset, the pieces can: the
 * surface is a piece of this size behind all others. */
#define SURFACE_MARK UINT32_MAX

static bool mark_surface(struct image_arguments *arguments, struct sonde_image_argument *argument,
                         uint32_t offset)
{
    if (offset == UINT32_MAX)
        return true;
    argument->has_surface = true;
    return image_argument_add_piece(
        arguments, argument,
        &(struct sonde_argument_piece){.payload_offset = offset, .size = SURFACE_MARK});
}

static bool data_parameter(struct image_arguments *arguments, const struct image_span *body)
{
    enum { TYPE, ARGUMENT, OFFSET, SIZE, SOURCE };
    uint32_t type = image_token_word(body, TYPE);
    if (type != DATA_ARGUMENT && type != DATA_LOCAL_SIZE)
        return true;
    struct sonde_image_argument *argument =
        image_argument(arguments, image_token_word(body, ARGUMENT));
    if (argument == NULL)
        return false;
    argument->kind = type == DATA_ARGUMENT ? SONDE_ARGUMENT_VALUE : SONDE_ARGUMENT_LOCAL;
    return image_argument_add_piece(
        arguments, argument,
        &(struct sonde_argument_piece){
            .payload_offset = image_token_word(body, OFFSET),
            .source_offset = type == DATA_ARGUMENT ? image_token_word(body, SOURCE) : 0,
            .size = image_token_word(body, SIZE),
        });
}

static bool pointer(struct image_arguments *arguments, uint32_t token,
                    const struct image_span *body)
{
    enum { ARGUMENT, SURFACE, OFFSET, SIZE };
    bool stateless = token == TOKEN_STATELESS_GLOBAL || token == TOKEN_STATELESS_CONSTANT;
    bool constant = token == TOKEN_CONSTANT || token == TOKEN_STATELESS_CONSTANT;
    struct sonde_image_argument *argument =
        image_argument(arguments, image_token_word(body, ARGUMENT));
    if (argument == NULL)
        return false;
    argument->kind = constant ? SONDE_ARGUMENT_CONSTANT : SONDE_ARGUMENT_GLOBAL;
    argument->read_only = constant;
    return mark_surface(arguments, argument, image_token_word(body, SURFACE)) &&
           (!stateless ||
            image_argument_add_piece(arguments, argument,
                                     &(struct sonde_argument_piece){
                                         .payload_offset = image_token_word(body, OFFSET),
                                         .size = image_token_word(body, SIZE),
                                     }));
}

static bool image_or_sampler(struct image_arguments *arguments, uint32_t token,
                             const struct image_span *body)
{
    enum { ARGUMENT, TYPE, OFFSET, LOCATION, LOCATION_2, WRITEABLE };
    struct sonde_image_argument *argument =
        image_argument(arguments, image_token_word(body, ARGUMENT));
    if (argument == NULL)
        return false;
    argument->kind = token == TOKEN_IMAGE ? SONDE_ARGUMENT_IMAGE : SONDE_ARGUMENT_SAMPLER;
    argument->read_only = token == TOKEN_IMAGE && image_token_word(body, WRITEABLE) == 0;
    return token != TOKEN_IMAGE ||
           mark_surface(arguments, argument, image_token_word(body, OFFSET));
}

/* Five texts behind six words: address and access qualifier, name, type, type
 * qualifier, each of the size that its word gives. The type ends in ";SIZE". */
static bool info(struct image_arguments *arguments, const struct image_span *body)
{
    enum { ARGUMENT, FIRST_SIZE, TEXTS = 5, ADDRESS = 0, ACCESS, NAME, TYPE };
    struct sonde_image_argument *argument =
        image_argument(arguments, image_token_word(body, ARGUMENT));
    if (argument == NULL)
        return false;
    const char *texts[TEXTS] = {NULL};
    uint64_t position = 4 * (FIRST_SIZE + TEXTS);
    for (unsigned n = 0; n < TEXTS; n++) {
        struct image_span text;
        uint32_t size = image_token_word(body, FIRST_SIZE + n);
        if (!image_subspan(body, position, size, &text))
            return true; /* cut off: no texts */
        texts[n] = image_copy_text(arguments->image, text.data, text.size);
        if (texts[n] == NULL)
            return false;
        position += size;
    }
    argument->address_qualifier = texts[ADDRESS];
    argument->name = texts[NAME];
    argument->type_name = image_copy_text(arguments->image, texts[TYPE], strcspn(texts[TYPE], ";"));
    return argument->type_name != NULL;
}

enum sonde_status image_argument_token(struct image_arguments *arguments, uint32_t token,
                                       const struct image_span *body, struct sonde_error *error)
{
    bool good = true;
    switch (token) {
    case TOKEN_GLOBAL:
    case TOKEN_CONSTANT:
    case TOKEN_STATELESS_GLOBAL:
    case TOKEN_STATELESS_CONSTANT:
        good = pointer(arguments, token, body);
        break;
    case TOKEN_IMAGE:
    case TOKEN_SAMPLER:
        good = image_or_sampler(arguments, token, body);
        break;
    case TOKEN_DATA:
        good = data_parameter(arguments, body);
        break;
    case TOKEN_INFO:
        good = info(arguments, body);
        break;
    default:
        break;
    }
    if (good)
        return SONDE_OK;
    return sonde_error_set(error, SONDE_ERROR_FORMAT, body->origin,
                           "patch token %u at offset %llu names an argument that cannot be", token,
                           (unsigned long long)body->origin);
}

/* The binding-table index whose entry is the offset of a surface state. */
static int find_entry(const struct image_span *table, const struct image_span *heap,
                      uint32_t surface)
{
    enum { OFFSET, COUNT };
    if (table == NULL)
        return NO_SURFACE;
    uint32_t offset = image_token_word(table, OFFSET), count = image_token_word(table, COUNT);
    for (uint32_t n = 0; n < count && n < 256; n++) {
        struct image_span entry;
        if (!image_subspan(heap, (uint64_t)offset + 4 * (uint64_t)n, 4, &entry))
            return NO_SURFACE;
        if (base_load32(entry.data) == surface)
            return (int)n;
    }
    return NO_SURFACE;
}

static void bind(struct sonde_image_argument *argument, const struct image_span *table,
                 const struct image_span *heap)
{
    struct sonde_argument_piece *pieces =
        (struct sonde_argument_piece *)(uintptr_t)argument->pieces;
    size_t kept = 0;
    argument->has_surface = false;
    for (size_t n = 0; n < argument->piece_count; n++) {
        if (pieces[n].size != SURFACE_MARK) {
            pieces[kept++] = pieces[n];
            continue;
        }
        int entry = find_entry(table, heap, pieces[n].payload_offset);
        if (entry != NO_SURFACE) {
            argument->has_surface = true;
            argument->bti = (uint8_t)entry;
        }
    }
    argument->piece_count = kept;
}

void image_argument_bind(struct image_arguments *arguments, const struct image_span *table,
                         const struct image_span *surface_heap)
{
    for (size_t n = 0; n < arguments->count; n++)
        bind(&arguments->list[n], table, surface_heap);
}
