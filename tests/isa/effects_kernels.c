/* Every instruction of every kernel in the device binaries named on the
 * command line that are for Gen11 or later: the bytes that it reads and writes by
 * our tables and by iga64's view of its operands, and that the validator takes
 * it. */
#include "effects_text.h"
#include "effects_view.h"

#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST SONDE_GEN_PLATFORM_GEN11

struct tally {
    size_t kernels, instructions, bad;
    size_t platform[SONDE_GEN_PLATFORM_COUNT];
};

static struct iga *oracles[SONDE_GEN_PLATFORM_COUNT];
static struct view_types types[SONDE_GEN_PLATFORM_COUNT];

static void compare(struct iga *iga, const struct kv *kv, const struct sonde_gen_instruction *i,
                    const char *place, struct tally *tally)
{
    struct sonde_gen_effects ours, theirs;
    enum sonde_gen_platform platform = (enum sonde_gen_platform)i->platform;
    sonde_gen_instruction_effects(i, &ours);
    ours.write_is_partial = ours.reads.memory = ours.writes.memory = false;
    if (view_effects(iga, &types[platform], kv, (int32_t)i->offset, platform, &theirs) &&
        memcmp(&ours.reads, &theirs.reads, sizeof ours.reads) == 0 &&
        memcmp(&ours.writes, &theirs.writes, sizeof ours.writes) == 0)
        return;
    if (tally->bad++ >= 40)
        return;
    unsigned grf = sonde_gen_platform_grf_size(platform);
    char text[1024], a[2][2000], b[2][2000];
    sonde_gen_print(i, NULL, NULL, text, sizeof text);
    effects_describe(&ours.reads, grf, a[0], sizeof a[0]);
    effects_describe(&ours.writes, grf, a[1], sizeof a[1]);
    effects_describe(&theirs.reads, grf, b[0], sizeof b[0]);
    effects_describe(&theirs.writes, grf, b[1], sizeof b[1]);
    printf("%s+%u: %s\n  reads %s | %s\n  writes %s | %s\n", place, i->offset, text, a[0], b[0],
           a[1], b[1]);
}

static void validate(const struct sonde_gen_instruction *i, const char *place, struct tally *tally)
{
    char text[1024];
    struct sonde_error error = {0};
    if (sonde_gen_instruction_validate(i, &error) == SONDE_OK || tally->bad++ >= 40)
        return;
    sonde_gen_print(i, NULL, NULL, text, sizeof text);
    printf("%s+%u: %s\n  %s\n", place, i->offset, text, error.message);
}

static void check_kernel(const struct sonde_kernel_info *info, const char *path,
                         struct tally *tally)
{
    char place[600];
    struct sonde_gen_instruction *all;
    size_t count;
    struct kv kv;
    struct iga *iga = oracles[info->platform];
    snprintf(place, sizeof place, "%s: %s", path, info->name);
    if (iga == NULL)
        return;
    if (sonde_gen_decode_all(info->platform, info->isa, info->isa_size, &all, &count, NULL) !=
        SONDE_OK) {
        printf("%s: not decoded\n", place);
        tally->bad++;
        return;
    }
    if (kv_open(iga, &kv, info->isa, info->isa_size)) {
        for (size_t n = 0; n < count; n++) {
            if (all[n].illegal)
                continue;
            compare(iga, &kv, &all[n], place, tally);
            validate(&all[n], place, tally);
        }
        kv_close(iga, &kv);
    } else {
        printf("%s: iga64 makes no view of it\n", place);
        tally->bad++;
    }
    tally->kernels++;
    tally->instructions += count;
    tally->platform[info->platform] += count;
    free(all);
}

static void check_file(const char *path, struct tally *tally)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        printf("%s: %s\n", path, error.message);
        tally->bad++;
        return;
    }
    for (size_t n = 0; n < sonde_image_kernel_count(image); n++)
        check_kernel(&sonde_image_kernel(image, n)->info, path, tally);
    sonde_image_close(image);
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    for (int p = FIRST; p < SONDE_GEN_PLATFORM_COUNT; p++) {
        enum sonde_gen_platform platform = (enum sonde_gen_platform)p;
        oracles[p] = iga_open_platform(platform);
        if (oracles[p] == NULL)
            return 77;
        if (!view_calibrate(oracles[p], platform, &types[p]))
            return 1;
    }
    for (int n = 1; n < argc; n++)
        check_file(argv[n], &tally);
    printf("%zu kernels, %zu instructions of Gen11 and later (", tally.kernels, tally.instructions);
    for (int p = FIRST; p < SONDE_GEN_PLATFORM_COUNT; p++) {
        printf("%s%s %zu", p > FIRST ? ", " : "",
               sonde_gen_platform_name((enum sonde_gen_platform)p), tally.platform[p]);
        iga_close(oracles[p]);
    }
    printf("): %zu differences\n", tally.bad);
    return tally.bad == 0 && tally.instructions > 1000 ? 0 : 1;
}
