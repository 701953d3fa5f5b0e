/* Intel's OpenCL program binary of the patch-token kind: program header,
 * program patch list, then for each kernel a header, its name, its heaps and
 * its patch list of {token, size, ...} records. The debug data beside it has
 * for each kernel a name and an ELF file. Layout: IGC's
 * ocl_igc_shared/executable_format, version 1081. */
#include "image/arguments.h"

#include "base/bytes.h"

#include <string.h>

enum {
    PROGRAM_MAGIC = 0x494e5443, /* "CTNI" in the file */
    PROGRAM_HEADER_SIZE = 28,
    KERNEL_HEADER_SIZE = 40,
    TOKEN_BINDING_TABLE = 8,
    TOKEN_ALLOCATE_LOCAL_SURFACE = 15,
    TOKEN_MEDIA_VFE_STATE = 18,
    TOKEN_THREAD_PAYLOAD = 22,
    TOKEN_EXECUTION_ENVIRONMENT = 23,
    TOKEN_GTPIN_INFO = 52,
};

bool image_is_patch_tokens(const struct image_span *file)
{
    return file->size >= 4 && base_load32(file->data) == PROGRAM_MAGIC;
}

struct family {
    uint32_t code;
    enum sonde_gen_platform platform;
};

/* Render core family in the program header. */
static const struct family families[] = {
    {12, SONDE_GEN_PLATFORM_GEN9},     {15, SONDE_GEN_PLATFORM_GEN11},
    {16, SONDE_GEN_PLATFORM_GEN11},    {17, SONDE_GEN_PLATFORM_XE},
    {18, SONDE_GEN_PLATFORM_XE},       {0xc05, SONDE_GEN_PLATFORM_XEHP},
    {0xc07, SONDE_GEN_PLATFORM_XEHPG}, {0xc08, SONDE_GEN_PLATFORM_XEHPC},
};

static bool family_platform(uint32_t code, enum sonde_gen_platform *platform)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (families[i].code == code) {
            *platform = families[i].platform;
            return true;
        }
    }
    return false;
}

uint32_t image_token_word(const struct image_span *body, size_t index)
{
    return index < body->size / 4 ? base_load32(body->data + 4 * index) : 0;
}

static void read_execution_environment(struct sonde_image_kernel *kernel,
                                       const struct image_span *body)
{
    enum { SIMD = 3, BARRIERS = 5, GRF_COUNT = 20, STACK_CALLS = 29 };
    kernel->info.simd_width = image_token_word(body, SIMD);
    kernel->has_barriers = image_token_word(body, BARRIERS) != 0;
    kernel->info.grf_count = image_token_word(body, GRF_COUNT);
    kernel->has_stack_calls = image_token_word(body, STACK_CALLS) != 0;
}

/* What the tokens of a kernel are read into. */
struct token_target {
    struct sonde_image_kernel *kernel;
    struct image_arguments arguments;
    struct image_span binding_table; /* body of its token, no data when absent */
    uint32_t local_ids;              /* of the per-thread data; UINT32_MAX: not known */
};

/* r0, then a local id of 16 bits a channel each, in whole registers. Without
 * local ids the per-thread data may be padding. */
static void take_payload(struct token_target *target, const struct image_span *body)
{
    enum { LOCAL_ID_X = 1, LOCAL_ID_Z = 3, UNUSED = 6, SKIP_PER_THREAD = 12 };
    target->kernel->skip_per_thread_offset = image_token_word(body, SKIP_PER_THREAD);
    target->local_ids = 0;
    for (unsigned i = LOCAL_ID_X; i <= LOCAL_ID_Z; i++)
        target->local_ids += image_token_word(body, i) != 0;
    if (target->local_ids == 0 && image_token_word(body, UNUSED) != 0)
        target->local_ids = 1;
}

static void place_payload(const struct token_target *target)
{
    struct sonde_image_kernel *kernel = target->kernel;
    uint32_t registers = kernel->info.simd_width > 16 ? 2 : 1;
    if (target->local_ids != UINT32_MAX && kernel->info.simd_width != 0)
        kernel->payload_register = 1 + target->local_ids * registers;
}

static enum sonde_status read_token(struct token_target *target, uint32_t token,
                                    const struct image_span *body, struct sonde_error *error)
{
    struct sonde_image_kernel *kernel = target->kernel;
    switch (token) {
    case TOKEN_BINDING_TABLE:
        target->binding_table = *body;
        break;
    case TOKEN_ALLOCATE_LOCAL_SURFACE:
        kernel->slm_size = image_token_word(body, 1);
        break;
    case TOKEN_MEDIA_VFE_STATE:
        kernel->scratch_per_thread = image_token_word(body, 1);
        break;
    case TOKEN_THREAD_PAYLOAD:
        take_payload(target, body);
        break;
    case TOKEN_EXECUTION_ENVIRONMENT:
        read_execution_environment(kernel, body);
        break;
    case TOKEN_GTPIN_INFO:
        return image_parse_gtpin_info(target->arguments.image, body, &kernel->info, error);
    default:
        return image_argument_token(&target->arguments, token, body, error);
    }
    return SONDE_OK;
}

static enum sonde_status read_patch_list(struct token_target *target, const struct image_span *list,
                                         struct sonde_error *error)
{
    uint64_t position = 0;
    while (position < list->size) {
        struct image_span header, body;
        uint64_t place = list->origin + position;
        if (!image_subspan(list, position, 8, &header))
            return sonde_error_set(error, SONDE_ERROR_TRUNCATED, place,
                                   "patch token at offset %llu is cut off",
                                   (unsigned long long)place);
        uint32_t token = base_load32(header.data), size = base_load32(header.data + 4);
        if (size < 8 || !image_subspan(list, position + 8, size - 8, &body))
            return sonde_error_set(error, SONDE_ERROR_FORMAT, place,
                                   "patch token %u at offset %llu claims %u bytes", token,
                                   (unsigned long long)place, size);
        enum sonde_status status = read_token(target, token, &body, error);
        if (status != SONDE_OK)
            return status;
        position += size;
    }
    return SONDE_OK;
}

/* The variable parts behind a kernel header, in file order. */
struct kernel_parts {
    struct image_span name, isa, general_state, dynamic_state, surface_state, patch_list;
    uint32_t isa_unpadded;
    uint64_t end;
};

static bool take(const struct image_span *program, uint64_t *position, uint32_t size,
                 struct image_span *part)
{
    if (!image_subspan(program, *position, size, part))
        return false;
    *position += size;
    return true;
}

static enum sonde_status split_kernel(const struct image_span *program, uint64_t position,
                                      struct kernel_parts *parts, uint64_t *hash,
                                      struct sonde_error *error)
{
    struct image_span header;
    uint64_t place = program->origin + position;
    if (!image_subspan(program, position, KERNEL_HEADER_SIZE, &header))
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, place,
                               "kernel header at offset %llu is cut off",
                               (unsigned long long)place);
    const uint8_t *h = header.data;
    *hash = base_load64(h + 4);
    parts->isa_unpadded = base_load32(h + 36);
    position += KERNEL_HEADER_SIZE;
    if (!take(program, &position, base_load32(h + 12), &parts->name) ||
        !take(program, &position, base_load32(h + 20), &parts->isa) ||
        !take(program, &position, base_load32(h + 24), &parts->general_state) ||
        !take(program, &position, base_load32(h + 28), &parts->dynamic_state) ||
        !take(program, &position, base_load32(h + 32), &parts->surface_state) ||
        !take(program, &position, base_load32(h + 16), &parts->patch_list))
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, place,
                               "kernel at offset %llu announces more bytes than the file has",
                               (unsigned long long)place);
    if (parts->isa_unpadded > parts->isa.size)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, place,
                               "kernel at offset %llu has %u bytes of code in a heap of %zu",
                               (unsigned long long)place, parts->isa_unpadded, parts->isa.size);
    parts->end = position;
    return SONDE_OK;
}

static enum sonde_status read_kernel(struct sonde_image *image, const struct image_span *program,
                                     enum sonde_gen_platform platform, uint64_t *position,
                                     struct sonde_error *error)
{
    struct kernel_parts parts;
    uint64_t hash = 0;
    enum sonde_status status = split_kernel(program, *position, &parts, &hash, error);
    if (status != SONDE_OK)
        return status;
    const char *name = image_copy_text(image, parts.name.data, parts.name.size);
    struct sonde_image_kernel *kernel = image_add_kernel(image);
    if (name == NULL || kernel == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
    kernel->info.name = name;
    kernel->info.platform = platform;
    kernel->info.igc_hash = hash;
    kernel->info.isa = parts.isa.data;
    kernel->info.isa_size = parts.isa_unpadded;
    struct token_target target = {
        .kernel = kernel, .arguments.image = image, .local_ids = UINT32_MAX};
    status = read_patch_list(&target, &parts.patch_list, error);
    place_payload(&target);
    image_argument_bind(&target.arguments,
                        target.binding_table.data != NULL ? &target.binding_table : NULL,
                        &parts.surface_state);
    if (status == SONDE_OK)
        status = image_arguments_finish(&target.arguments, kernel, error);
    image_arguments_clear(&target.arguments);
    if (status != SONDE_OK) {
        sonde_error_prefix(error, "kernel %s", name);
        return status;
    }
    *position = parts.end;
    return SONDE_OK;
}

enum sonde_status image_parse_patch_tokens(struct sonde_image *image,
                                           const struct image_span *program,
                                           struct sonde_error *error)
{
    struct image_span header, list;
    if (!image_subspan(program, 0, PROGRAM_HEADER_SIZE, &header))
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, program->origin,
                               "program header is cut off at %zu bytes", program->size);
    if (!image_is_patch_tokens(program))
        return sonde_error_set(error, SONDE_ERROR_FORMAT, program->origin,
                               "no program header at offset %llu",
                               (unsigned long long)program->origin);
    uint32_t family = base_load32(header.data + 8), kernels = base_load32(header.data + 16);
    uint32_t list_size = base_load32(header.data + 24);
    enum sonde_gen_platform platform;
    if (!family_platform(family, &platform))
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, program->origin + 8,
                               "unknown graphics core family %u", family);
    if (!image_subspan(program, PROGRAM_HEADER_SIZE, list_size, &list))
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, program->origin + 24,
                               "program patch list of %u bytes is not in the file", list_size);
    uint64_t position = PROGRAM_HEADER_SIZE + (uint64_t)list_size;
    for (uint32_t i = 0; i < kernels; i++) {
        enum sonde_status status = read_kernel(image, program, platform, &position, error);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

enum {
    DEBUG_HEADER_SIZE = 28,
    DEBUG_KERNEL_HEADER_SIZE = 12,
};

static void attach_debug(struct sonde_image *image, size_t first, const struct image_span *name,
                         const struct image_span *elf)
{
    size_t length = strnlen((const char *)name->data, name->size);
    for (size_t i = first; i < image->kernel_count; i++) {
        struct sonde_image_kernel *kernel = &image->kernels[i];
        if (strlen(kernel->info.name) != length ||
            memcmp(kernel->info.name, name->data, length) != 0)
            continue;
        kernel->debug_elf = elf->data;
        kernel->debug_elf_size = elf->size;
    }
}

enum sonde_status image_parse_patch_debug(struct sonde_image *image, size_t first,
                                          const struct image_span *data, struct sonde_error *error)
{
    struct image_span header;
    if (!image_subspan(data, 0, DEBUG_HEADER_SIZE, &header) || !image_is_patch_tokens(data))
        return sonde_error_set(error, SONDE_ERROR_FORMAT, data->origin,
                               "no debug data header at offset %llu",
                               (unsigned long long)data->origin);
    uint32_t kernels = base_load32(header.data + 24);
    uint64_t position = DEBUG_HEADER_SIZE;
    for (uint32_t i = 0; i < kernels; i++) {
        struct image_span entry, name, source, machine;
        uint64_t place = data->origin + position;
        if (!image_subspan(data, position, DEBUG_KERNEL_HEADER_SIZE, &entry))
            return sonde_error_set(error, SONDE_ERROR_TRUNCATED, place,
                                   "debug data of kernel %u at offset %llu is cut off", i,
                                   (unsigned long long)place);
        position += DEBUG_KERNEL_HEADER_SIZE;
        if (!take(data, &position, base_load32(entry.data), &name) ||
            !take(data, &position, base_load32(entry.data + 4), &source) ||
            !take(data, &position, base_load32(entry.data + 8), &machine))
            return sonde_error_set(error, SONDE_ERROR_TRUNCATED, place,
                                   "debug data of kernel %u announces more bytes than the file has",
                                   i);
        if (source.size > 0)
            attach_debug(image, first, &name, &source);
    }
    return SONDE_OK;
}
