/* Every instruction of every kernel in the device binaries named on the
 * command line: fields as iga64's view has them, the same bytes after
 * encoding, and every message known and described alike. */
#include "codec_compare.h"
#include "message_compare.h"

#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>

#define PLATFORMS 2 /* Gen9 and Gen11 */

struct tally {
    size_t kernels, instructions, compacted, messages, bad;
};

static void complain(struct tally *tally, const char *place, uint32_t offset, const char *text)
{
    if (tally->bad++ < 40)
        printf("%s+%u: %s\n", place, offset, text);
}

/* Compacting a compacted instruction anew must find a form of 8 bytes. */
static bool compacts_again(const struct sonde_gen_instruction *i)
{
    struct sonde_gen_instruction fresh = *i;
    uint8_t out[8];
    struct sonde_error error;
    fresh.compacted = false;
    fresh.raw_compacted = 0;
    return !i->compacted || sonde_gen_compact(&fresh, out, &error) == SONDE_OK;
}

static void check_message(struct iga *iga, const struct kv *kv,
                          const struct sonde_gen_instruction *i, struct tally *tally,
                          const char *place)
{
    struct sonde_gen_message m;
    struct sonde_error error;
    char text[600], syntax[1024];
    tally->messages++;
    if (i->send.descriptor_is_register || i->send.ex_descriptor_is_register)
        return;
    if (sonde_gen_message_decode(i, &m, &error) != SONDE_OK) {
        complain(tally, place, i->offset, error.message);
        return;
    }
    const char *description =
        message_description(iga, kv, (int32_t)i->offset, syntax, sizeof syntax);
    if (!message_agrees(&m, description, text, sizeof text))
        complain(tally, place, i->offset, text);
}

static void check_kernel(struct iga *iga, const char *place, enum sonde_gen_platform platform,
                         const uint8_t *isa, size_t size, struct tally *tally)
{
    struct sonde_gen_instruction *all;
    size_t count;
    struct sonde_error error;
    if (sonde_gen_decode_all(platform, isa, size, &all, &count, &error) != SONDE_OK) {
        complain(tally, place, 0, error.message);
        return;
    }
    struct kv kv;
    if (!kv_open(iga, &kv, isa, size)) {
        complain(tally, place, 0, "iga64 makes no view of it");
        free(all);
        return;
    }
    for (size_t n = 0; n < count; n++) {
        const struct sonde_gen_instruction *i = &all[n];
        char text[600];
        if (i->illegal && isa[i->offset] != 0)
            complain(tally, place, i->offset, "illegal");
        else if (!compare_instruction(iga, &kv, (int32_t)i->offset, i, text, sizeof text) ||
                 !compare_round_trip(i, isa + i->offset, text, sizeof text))
            complain(tally, place, i->offset, text);
        if (!i->illegal && sonde_gen_instruction_validate(i, &error) != SONDE_OK)
            complain(tally, place, i->offset, error.message);
        if (!compacts_again(i))
            complain(tally, place, i->offset, "does not compact anew");
        if (!i->illegal &&
            sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode) == SONDE_GEN_FORMAT_SEND)
            check_message(iga, &kv, i, tally, place);
        tally->compacted += i->compacted;
    }
    tally->instructions += count;
    kv_close(iga, &kv);
    free(all);
}

static void check_file(struct iga *const *igas, const char *path, struct tally *tallies)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        complain(tallies, path, 0, error.message);
        return;
    }
    for (size_t n = 0; n < sonde_image_kernel_count(image); n++) {
        const struct sonde_kernel_info *info = &sonde_image_kernel(image, n)->info;
        char place[600];
        snprintf(place, sizeof place, "%s: %s", path, info->name);
        if (info->platform >= PLATFORMS) {
            complain(tallies, place, 0, "neither Gen9 nor Gen11");
            continue;
        }
        check_kernel(igas[info->platform], place, info->platform, info->isa, info->isa_size,
                     &tallies[info->platform]);
        tallies[info->platform].kernels++;
    }
    sonde_image_close(image);
}

static bool report(enum sonde_gen_platform platform, const struct tally *tally)
{
    printf("%s: %zu kernels, %zu instructions (%zu compacted), %zu messages: %zu differences\n",
           sonde_gen_platform_name(platform), tally->kernels, tally->instructions, tally->compacted,
           tally->messages, tally->bad);
    return tally->bad == 0 && tally->instructions > 1000 && tally->compacted > 100 &&
           tally->messages > 100;
}

int main(int argc, char **argv)
{
    struct iga *igas[PLATFORMS];
    struct tally tallies[PLATFORMS] = {{0}};
    for (int n = 0; n < PLATFORMS; n++) {
        igas[n] = iga_open_platform((enum sonde_gen_platform)n);
        if (igas[n] == NULL)
            return 77;
    }
    if (!compare_calibrate(igas[0]))
        return 1;
    for (int n = 1; n < argc; n++)
        check_file(igas, argv[n], tallies);
    bool good = true;
    for (int n = 0; n < PLATFORMS; n++) {
        good = report((enum sonde_gen_platform)n, &tallies[n]) && good;
        iga_close(igas[n]);
    }
    return good ? 0 : 1;
}
