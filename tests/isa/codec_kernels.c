/* Every instruction of every kernel in the device binaries named on the
 * command line: fields as iga64's view has them, the same bytes after
 * encoding, and every message known and described alike. */
#include "codec_compare.h"
#include "message_compare.h"

#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>

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

static void check_kernel(struct iga *iga, const char *place, const uint8_t *isa, size_t size,
                         struct tally *tally)
{
    struct sonde_gen_instruction *all;
    size_t count;
    struct sonde_error error;
    if (sonde_gen_decode_all(SONDE_GEN_PLATFORM_GEN9, isa, size, &all, &count, &error) !=
        SONDE_OK) {
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

static void check_file(struct iga *iga, const char *path, struct tally *tally)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        complain(tally, path, 0, error.message);
        return;
    }
    for (size_t n = 0; n < sonde_image_kernel_count(image); n++) {
        const struct sonde_kernel_info *info = &sonde_image_kernel(image, n)->info;
        char place[600];
        snprintf(place, sizeof place, "%s: %s", path, info->name);
        check_kernel(iga, place, info->isa, info->isa_size, tally);
        tally->kernels++;
    }
    sonde_image_close(image);
}

int main(int argc, char **argv)
{
    struct iga *iga = iga_open();
    if (iga == NULL)
        return 77;
    if (!compare_calibrate(iga))
        return 1;
    struct tally tally = {0};
    for (int n = 1; n < argc; n++)
        check_file(iga, argv[n], &tally);
    printf("%zu kernels, %zu instructions (%zu compacted), %zu messages: %zu differences\n",
           tally.kernels, tally.instructions, tally.compacted, tally.messages, tally.bad);
    iga_close(iga);
    return tally.bad == 0 && tally.instructions > 1000 && tally.compacted > 100 &&
                   tally.messages > 100
               ? 0
               : 1;
}
