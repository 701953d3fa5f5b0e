/* .ze_info: what the compiler says of the kernels of a zebin, as YAML (libyaml
 * reads it). Keys that are not known are passed over: newer compilers add some. */
#include "image/arguments.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct ze_info {
    struct sonde_image *image;
    yaml_document_t document;
    struct sonde_error *error;
};

static enum sonde_status no_memory(struct ze_info *info)
{
    return sonde_error_set(info->error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
}

/* Value of a key of a map; NULL when it is no map or has no such key. */
static yaml_node_t *member(struct ze_info *info, const yaml_node_t *map, const char *key)
{
    if (map == NULL || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *name = yaml_document_get_node(&info->document, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0)
            return yaml_document_get_node(&info->document, pair->value);
    }
    return NULL;
}

static size_t item_count(const yaml_node_t *list)
{
    if (list == NULL || list->type != YAML_SEQUENCE_NODE)
        return 0;
    return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

static yaml_node_t *item(struct ze_info *info, const yaml_node_t *list, size_t index)
{
    return yaml_document_get_node(&info->document, list->data.sequence.items.start[index]);
}

/* "" when absent. */
static const char *text(struct ze_info *info, const yaml_node_t *map, const char *key)
{
    const yaml_node_t *node = member(info, map, key);
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value
                                                          : "";
}

static bool is(struct ze_info *info, const yaml_node_t *map, const char *key, const char *value)
{
    return strcmp(text(info, map, key), value) == 0;
}

static uint32_t number(struct ze_info *info, const yaml_node_t *map, const char *key)
{
    const char *digits = text(info, map, key);
    if (digits[0] < '0' || digits[0] > '9')
        return 0;
    unsigned long long value = strtoull(digits, NULL, 10);
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void read_environment(struct ze_info *info, const yaml_node_t *map,
                             struct sonde_image_kernel *kernel)
{
    kernel->info.simd_width = number(info, map, "simd_size");
    kernel->info.grf_count = number(info, map, "grf_count");
    kernel->has_barriers = number(info, map, "barrier_count") != 0;
    kernel->slm_size = number(info, map, "slm_size");
    kernel->has_stack_calls = is(info, map, "has_stack_calls", "true");
    kernel->skip_per_thread_offset = number(info, map, "offset_to_skip_per_thread_data_load");
}

static void read_buffers(struct ze_info *info, const yaml_node_t *list,
                         struct sonde_image_kernel *kernel)
{
    for (size_t n = 0; n < item_count(list); n++) {
        const yaml_node_t *buffer = item(info, list, n);
        uint32_t size = number(info, buffer, "size");
        if (is(info, buffer, "type", "scratch") && size > kernel->scratch_per_thread)
            kernel->scratch_per_thread = size;
    }
}

static uint8_t pointer_kind(struct ze_info *info, const yaml_node_t *payload)
{
    static const struct {
        const char *space;
        uint8_t kind;
    } kinds[] = {
        {"global", SONDE_ARGUMENT_GLOBAL},   {"constant", SONDE_ARGUMENT_CONSTANT},
        {"local", SONDE_ARGUMENT_LOCAL},     {"image", SONDE_ARGUMENT_IMAGE},
        {"sampler", SONDE_ARGUMENT_SAMPLER},
    };
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++)
        if (is(info, payload, "addrspace", kinds[n].space))
            return kinds[n].kind;
    return SONDE_ARGUMENT_UNKNOWN;
}

static enum sonde_status read_payload(struct ze_info *info, const yaml_node_t *payload,
                                      struct image_arguments *arguments)
{
    bool value = is(info, payload, "arg_type", "arg_byvalue");
    bool pointer = is(info, payload, "arg_type", "arg_bypointer");
    if (!value && !pointer && !is(info, payload, "arg_type", "buffer_address"))
        return SONDE_OK;
    uint32_t index = number(info, payload, "arg_index");
    struct sonde_image_argument *argument = image_argument(arguments, index);
    if (argument == NULL)
        return sonde_error_set(info->error, SONDE_ERROR_FORMAT, 0,
                               "zebin: argument %u of a kernel cannot be", index);
    if (value)
        argument->kind = SONDE_ARGUMENT_VALUE;
    else if (pointer)
        argument->kind = pointer_kind(info, payload);
    if (pointer)
        argument->read_only = is(info, payload, "access_type", "readonly");
    struct sonde_argument_piece piece = {
        .payload_offset = number(info, payload, "offset"),
        .source_offset = number(info, payload, "source_offset"),
        .size = number(info, payload, "size"),
    };
    if (piece.size > 0 && !image_argument_add_piece(arguments, argument, &piece))
        return no_memory(info);
    return SONDE_OK;
}

static void read_surface(struct ze_info *info, const yaml_node_t *entry,
                         struct image_arguments *arguments)
{
    struct sonde_image_argument *argument =
        image_argument(arguments, number(info, entry, "arg_index"));
    uint32_t bti = number(info, entry, "bti_value");
    if (argument == NULL || bti > UINT8_MAX)
        return;
    argument->has_surface = true;
    argument->bti = (uint8_t)bti;
}

/* NULL for an absent text, which is no error. */
static bool copy(struct ze_info *info, const yaml_node_t *map, const char *key, const char *end,
                 const char **out)
{
    const char *from = text(info, map, key);
    *out = from[0] != '\0' ? image_copy_text(info->image, from, strcspn(from, end)) : NULL;
    return from[0] == '\0' || *out != NULL;
}

/* Names and types stand apart from the kernels, in an order of their own. */
static enum sonde_status read_names(struct ze_info *info, const yaml_node_t *root,
                                    const char *kernel, struct image_arguments *arguments)
{
    const yaml_node_t *list = member(info, root, "kernels_misc_info");
    for (size_t n = 0; n < item_count(list); n++) {
        const yaml_node_t *entry = item(info, list, n);
        if (!is(info, entry, "name", kernel))
            continue;
        const yaml_node_t *names = member(info, entry, "args_info");
        for (size_t k = 0; k < item_count(names); k++) {
            const yaml_node_t *name = item(info, names, k);
            struct sonde_image_argument *argument =
                image_argument(arguments, number(info, name, "index"));
            if (argument != NULL &&
                !(copy(info, name, "name", "", &argument->name) &&
                  copy(info, name, "type_name", ";", &argument->type_name) &&
                  copy(info, name, "address_qualifier", "", &argument->address_qualifier)))
                return no_memory(info);
        }
    }
    return SONDE_OK;
}

/* r0, the per-thread data, then the cross-thread data. */
static uint32_t payload_register(struct ze_info *info, const yaml_node_t *per_thread)
{
    enum { REGISTER = 32 };
    uint64_t bytes = 0;
    for (size_t n = 0; n < item_count(per_thread); n++)
        bytes += number(info, item(info, per_thread, n), "size");
    return bytes < 64 * REGISTER ? 1 + (uint32_t)((bytes + REGISTER - 1) / REGISTER) : 0;
}

static enum sonde_status read_arguments(struct ze_info *info, const yaml_node_t *root,
                                        const yaml_node_t *entry, struct sonde_image_kernel *kernel)
{
    struct image_arguments arguments = {.image = info->image};
    const yaml_node_t *payload = member(info, entry, "payload_arguments");
    const yaml_node_t *surfaces = member(info, entry, "binding_table_indices");
    enum sonde_status status = SONDE_OK;
    kernel->payload_register =
        payload_register(info, member(info, entry, "per_thread_payload_arguments"));
    for (size_t n = 0; status == SONDE_OK && n < item_count(payload); n++)
        status = read_payload(info, item(info, payload, n), &arguments);
    for (size_t n = 0; n < item_count(surfaces); n++)
        read_surface(info, item(info, surfaces, n), &arguments);
    if (status == SONDE_OK)
        status = read_names(info, root, kernel->info.name, &arguments);
    if (status == SONDE_OK)
        status = image_arguments_finish(&arguments, kernel, info->error);
    image_arguments_clear(&arguments);
    return status;
}

static enum sonde_status read_kernel(struct ze_info *info, const yaml_node_t *root,
                                     const yaml_node_t *entry)
{
    struct sonde_image_kernel *kernel = image_add_kernel(info->image);
    const char *name = text(info, entry, "name");
    if (kernel == NULL)
        return no_memory(info);
    kernel->info.name = image_copy_text(info->image, name, strlen(name));
    if (kernel->info.name == NULL)
        return no_memory(info);
    read_environment(info, member(info, entry, "execution_env"), kernel);
    read_buffers(info, member(info, entry, "per_thread_memory_buffers"), kernel);
    return read_arguments(info, root, entry, kernel);
}

static enum sonde_status read_document(struct ze_info *info)
{
    const yaml_node_t *root = yaml_document_get_root_node(&info->document);
    const yaml_node_t *kernels = member(info, root, "kernels");
    enum sonde_status status = SONDE_OK;
    for (size_t n = 0; status == SONDE_OK && n < item_count(kernels); n++)
        status = read_kernel(info, root, item(info, kernels, n));
    return status;
}

enum sonde_status image_parse_ze_info(struct sonde_image *image, const struct image_span *body,
                                      struct sonde_error *error)
{
    struct ze_info info = {.image = image, .error = error};
    yaml_parser_t parser;
    /* The section may be padded with zeroes. */
    size_t size = strnlen((const char *)body->data, body->size);
    if (!yaml_parser_initialize(&parser))
        return no_memory(&info);
    yaml_parser_set_input_string(&parser, body->data, size);
    enum sonde_status status = SONDE_OK;
    if (yaml_parser_load(&parser, &info.document)) {
        status = read_document(&info);
        yaml_document_delete(&info.document);
    } else {
        status = sonde_error_set(error, SONDE_ERROR_FORMAT, body->origin + parser.problem_offset,
                                 "zebin: .ze_info is no YAML, line %zu: %s",
                                 parser.problem_mark.line + 1,
                                 parser.problem != NULL ? parser.problem : "unknown problem");
    }
    yaml_parser_delete(&parser);
    return status;
}
