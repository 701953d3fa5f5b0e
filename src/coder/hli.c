/* Takes a probe out of a device binary. */
#include "coder/hli.h"

#include "sonde/image.h"

#include <stdlib.h>
#include <string.h>

static const struct sonde_image_kernel *find_kernel(const struct sonde_image *image,
                                                    const char *name)
{
    for (size_t k = 0; k < sonde_image_kernel_count(image); k++) {
        const struct sonde_image_kernel *kernel = sonde_image_kernel(image, k);
        if (strcmp(kernel->info.name, name) == 0)
            return kernel;
    }
    return NULL;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* The same for the same code, so that kernels hold it once. */
static uint64_t identify(const struct sonde_hli_function *function)
{
    uint64_t hash = mix(1, function->count);
    for (size_t r = 0; r < function->count; r++) {
        const struct hli_routine *routine = &function->routines[r];
        hash = mix(hash, routine->count);
        for (size_t i = 0; i < routine->count; i++) {
            uint8_t bytes[16] = {0};
            uint64_t words[2] = {0};
            if (routine->steps[i].kind == HLI_PLAIN || routine->steps[i].kind == HLI_JUMP)
                sonde_gen_encode(&routine->steps[i].instruction, bytes, NULL);
            memcpy(words, bytes, sizeof words);
            hash = mix(mix(hash, words[0]), words[1]);
            hash = mix(hash, (uint64_t)routine->steps[i].kind << 32 | routine->steps[i].target);
        }
    }
    return hash;
}

static enum sonde_status take(const struct sonde_image *image, const char *name,
                              struct sonde_hli_function *function, struct sonde_error *error)
{
    const struct sonde_image_kernel *kernel = find_kernel(image, name);
    if (kernel == NULL)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "there is no kernel of that name");
    struct hli_source source = {.instructions = NULL};
    function->platform = kernel->info.platform;
    if (function->platform != SONDE_GEN_PLATFORM_GEN9 &&
        function->platform != SONDE_GEN_PLATFORM_XE &&
        function->platform != SONDE_GEN_PLATFORM_XEHPG)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "this version links no probes for %s",
                               sonde_gen_platform_name(function->platform));
    enum sonde_status status =
        sonde_gen_decode_all(function->platform, kernel->info.isa, kernel->info.isa_size,
                             &source.instructions, &source.count, error);
    if (status == SONDE_OK)
        status = hli_convert(&source, function, error);
    free(source.instructions);
    function->identity = identify(function);
    return status;
}

static enum sonde_status make(const struct sonde_image *image, const char *name,
                              struct sonde_hli_function **function, struct sonde_error *error)
{
    struct sonde_hli_function *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->name = strdup(name);
    if (made == NULL || made->name == NULL) {
        free(made);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    enum sonde_status status = take(image, name, made, error);
    if (status != SONDE_OK) {
        if (error != NULL)
            sonde_error_prefix(error, "%s", name);
        sonde_hli_function_destroy(made);
        return status;
    }
    *function = made;
    return SONDE_OK;
}

enum sonde_status sonde_hli_function_parse(const uint8_t *binary, size_t size, const char *name,
                                           struct sonde_hli_function **function,
                                           struct sonde_error *error)
{
    struct sonde_image *image;
    *function = NULL;
    enum sonde_status status =
        sonde_image_parse(binary, size, SONDE_GEN_PLATFORM_COUNT, &image, error);
    if (status != SONDE_OK)
        return status;
    status = make(image, name, function, error);
    sonde_image_close(image);
    return status;
}

enum sonde_status sonde_hli_function_open(const char *path, const char *name,
                                          struct sonde_hli_function **function,
                                          struct sonde_error *error)
{
    struct sonde_image *image;
    *function = NULL;
    enum sonde_status status = sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, error);
    if (status != SONDE_OK)
        return status;
    status = make(image, name, function, error);
    sonde_image_close(image);
    return status;
}

void sonde_hli_function_destroy(struct sonde_hli_function *function)
{
    if (function == NULL)
        return;
    for (size_t i = 0; i < function->count; i++)
        free(function->routines[i].steps);
    free(function->routines);
    free(function->name);
    free(function);
}

size_t sonde_hli_function_size(const struct sonde_hli_function *function)
{
    size_t count = 0;
    for (size_t i = 0; i < function->count; i++)
        count += function->routines[i].count - 1;
    return count;
}

uint32_t sonde_hli_function_stack_size(const struct sonde_hli_function *function)
{
    return function->stack_bytes;
}

bool hli_can_inline(const struct sonde_hli_function *function)
{
    return function->count == 1 && !function->routines[0].has_frame;
}

enum sonde_status sonde_hli_function_set_linkage(struct sonde_hli_function *function,
                                                 enum sonde_hli_linkage linkage,
                                                 struct sonde_error *error)
{
    if (linkage == SONDE_HLI_INLINE && !hli_can_inline(function))
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "%s has a frame in memory or calls: it cannot be inlined",
                               function->name);
    if ((unsigned)linkage > SONDE_HLI_CALL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "there is no linkage %d",
                               (int)linkage);
    function->linkage = (uint8_t)linkage;
    return SONDE_OK;
}

void sonde_hli_function_set_combined(struct sonde_hli_function *function, bool is_combined)
{
    function->is_combined = is_combined;
}
