/* Whatever the code of a kernel is: its model, liveness at each instruction and
 * the check of its scoreboard end, and say something sensible. The first byte
 * picks the platform. */
#include "sonde/dependency.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition)
        abort();
}

static void look(void *context, const struct sonde_dependency *dependency)
{
    const struct sonde_kernel *kernel = context;
    size_t count = sonde_kernel_instruction_count(kernel);
    char text[300];
    must(dependency->producer < count && dependency->consumer < count);
    must(dependency->kind <= SONDE_DEPENDENCY_STATE);
    must(sonde_dependency_print(kernel, dependency, text, sizeof text) > 0);
}

static void examine(struct sonde_kernel *kernel)
{
    struct sonde_error error;
    const struct sonde_kernel_info *info = sonde_kernel_info(kernel);
    size_t words = sonde_gen_platform_grf_size(info->platform) * info->grf_count / 64;
    size_t found = 0, instructions = sonde_kernel_instruction_count(kernel);
    must(sonde_kernel_check_dependencies(kernel, look, kernel, &found, &error) == SONDE_OK);
    for (size_t n = instructions; n-- > 0;) {
        const struct sonde_gen_instruction *i = sonde_kernel_instruction(kernel, n);
        struct sonde_gen_effects effects;
        struct sonde_gen_effect live;
        struct sonde_gen_wait wait;
        sonde_gen_instruction_effects(i, &effects);
        must(sonde_kernel_live_before(kernel, n, &live, &error) == SONDE_OK);
        must((effects.reads.flags & ~live.flags) == 0);
        must((effects.reads.address & ~live.address) == 0);
        must((effects.reads.accumulators & ~live.accumulators) == 0);
        for (size_t w = 0; w < words; w++)
            must((effects.reads.grf[w] & ~live.grf[w]) == 0);
        must(!effects.reads.grf_unknown || live.grf_unknown);
        if (sonde_gen_instruction_wait(i, &wait))
            must(wait.distance == 0 || i->platform >= SONDE_GEN_PLATFORM_XE);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct sonde_kernel_info info = {
        .name = "fuzz",
        .platform = (enum sonde_gen_platform)(data[0] % SONDE_GEN_PLATFORM_COUNT),
        .isa = data + 1,
        .isa_size = size - 1,
        .simd_width = 16};
    struct sonde_kernel *kernel;
    struct sonde_error error;
    if (sonde_kernel_create(&info, &kernel, &error) != SONDE_OK)
        return 0;
    examine(kernel);
    sonde_kernel_destroy(kernel);
    return 0;
}
