/* Every message of every kernel in the device binaries named on the command
 * line, whatever the platform: known, described as iga64 describes it, and as
 * long as its decoded shape says. */
#include "message_compare.h"

#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    size_t messages, at_run_time, checked_lengths, bad;
};

static struct iga *oracles[SONDE_GEN_PLATFORM_COUNT];
static struct tally tallies[SONDE_GEN_PLATFORM_COUNT];

static void complain(struct tally *tally, const char *place, uint32_t offset, const char *text)
{
    if (tally->bad++ < 40)
        printf("%s+%u: %s\n", place, offset, text);
}

static unsigned registers_of(unsigned bytes, unsigned register_size)
{
    return (bytes + register_size - 1) / register_size;
}

static bool is_block(const struct sonde_gen_message *m)
{
    return m->layout == SONDE_GEN_LAYOUT_OWORD_BLOCK ||
           m->layout == SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED ||
           m->layout == SONDE_GEN_LAYOUT_HWORD_BLOCK ||
           m->layout == SONDE_GEN_LAYOUT_SCRATCH_BLOCK || m->layout == SONDE_GEN_LAYOUT_BLOCK;
}

/* Registers of the data of a read or write. */
static unsigned data_registers(const struct sonde_gen_message *m, unsigned grf)
{
    if (is_block(m))
        return registers_of(m->elements * (unsigned)m->element_slot, grf);
    return m->elements * registers_of(m->simd * (unsigned)m->element_slot, grf);
}

/* The compiler wrote the lengths: those that our SIMD width, sizes and counts
 * give must be the same. False with a text. */
static bool lengths_agree(const struct sonde_gen_message *m, unsigned grf, char *text, size_t size)
{
    unsigned addresses = registers_of(m->simd * (unsigned)m->address_size, grf);
    unsigned data = data_registers(m, grf), given = m->payload_registers + m->src1_registers;
    if (is_block(m))
        addresses = m->load_store_cache ? 1 : 0;
    unsigned sent = given - addresses - (m->header ? 1u : 0u);
    if (addresses != m->address_registers && !is_block(m)) {
        snprintf(text, size, "%u address registers, not %u", m->address_registers, addresses);
        return false;
    }
    if (m->operation == SONDE_GEN_MESSAGE_READ && (sent != 0 || m->response_registers != data)) {
        snprintf(text, size, "read: %u registers more than addresses, %u return, not %u", sent,
                 m->response_registers, data);
        return false;
    }
    if (m->operation == SONDE_GEN_MESSAGE_WRITE && (sent != data || m->response_registers != 0)) {
        snprintf(text, size, "write: %u data registers, not %u", sent, data);
        return false;
    }
    if (m->operation == SONDE_GEN_MESSAGE_ATOMIC &&
        (sent > 2 * data || sent % data != 0 ||
         (m->returns_data && m->response_registers != data))) {
        snprintf(text, size, "atomic: %u operand registers, %u return, of %u", sent,
                 m->response_registers, data);
        return false;
    }
    return true;
}

static bool has_lengths(const struct sonde_gen_message *m)
{
    return (m->operation == SONDE_GEN_MESSAGE_READ || m->operation == SONDE_GEN_MESSAGE_WRITE ||
            m->operation == SONDE_GEN_MESSAGE_ATOMIC) &&
           m->layout != SONDE_GEN_LAYOUT_STRIDED && m->layout != SONDE_GEN_LAYOUT_BLOCK2D;
}

static void check_message(struct iga *iga, const struct kv *kv,
                          const struct sonde_gen_instruction *i, struct tally *tally,
                          const char *place)
{
    struct sonde_gen_message m;
    struct sonde_error error;
    char text[600], syntax[1024];
    bool cache = i->platform >= SONDE_GEN_PLATFORM_XEHPG && i->send.sfid >= SONDE_GEN_SFID_TGM;
    tally->messages++;
    if (i->send.descriptor_is_register ||
        (i->send.ex_descriptor_is_register && !(cache && i->send.ex_bso))) {
        tally->at_run_time++;
        return;
    }
    if (sonde_gen_message_decode(i, &m, &error) != SONDE_OK) {
        complain(tally, place, i->offset, error.message);
        return;
    }
    const char *description =
        message_description(iga, kv, (int32_t)i->offset, syntax, sizeof syntax);
    bool agrees = cache ? message_cache_agrees(&m, i->send.sfid, description, text, sizeof text)
                        : message_agrees(&m, description, text, sizeof text);
    if (!agrees) {
        complain(tally, place, i->offset, text);
        return;
    }
    if (!has_lengths(&m))
        return;
    tally->checked_lengths++;
    unsigned grf = sonde_gen_platform_grf_size((enum sonde_gen_platform)i->platform);
    if (i->exec_size == 1 && grf == 64 && !cache) {
        /* Of scalar messages to the data port the compiler sends as many
         * registers as 16 channels take, where the message says 32. */
        m.simd = 16;
        m.address_registers = (uint8_t)registers_of(m.simd * (unsigned)m.address_size, grf);
    }
    if (!lengths_agree(&m, grf, text, sizeof text)) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " (%s)", description);
        complain(tally, place, i->offset, text);
    }
}

static bool check_kernel(const char *place, const struct sonde_kernel_info *info)
{
    struct iga *iga = oracles[info->platform];
    struct tally *tally = &tallies[info->platform];
    if (iga == NULL)
        iga = oracles[info->platform] = iga_open_platform(info->platform);
    struct sonde_gen_instruction *all;
    size_t count;
    struct sonde_error error;
    struct kv kv;
    if (iga == NULL || sonde_gen_decode_all(info->platform, info->isa, info->isa_size, &all, &count,
                                            &error) != SONDE_OK)
        return false;
    bool viewed = kv_open(iga, &kv, info->isa, info->isa_size);
    for (size_t n = 0; viewed && n < count; n++) {
        enum sonde_gen_opcode opcode = (enum sonde_gen_opcode)all[n].opcode;
        if (!all[n].illegal && sonde_gen_opcode_format(opcode) == SONDE_GEN_FORMAT_SEND)
            check_message(iga, &kv, &all[n], tally, place);
    }
    if (viewed)
        kv_close(iga, &kv);
    free(all);
    return viewed;
}

static bool check_file(const char *path)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        printf("%s\n", error.message);
        return false;
    }
    bool good = sonde_image_kernel_count(image) > 0;
    for (size_t i = 0; i < sonde_image_kernel_count(image); i++) {
        const struct sonde_kernel_info *info = &sonde_image_kernel(image, i)->info;
        char name[512];
        snprintf(name, sizeof name, "%s: %s", path, info->name);
        good = check_kernel(name, info) && good;
    }
    sonde_image_close(image);
    return good;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    for (int i = 1; i < argc; i++)
        good = check_file(argv[i]) && good;
    for (size_t n = 0; n < SONDE_GEN_PLATFORM_COUNT; n++) {
        const struct tally *tally = &tallies[n];
        if (oracles[n] == NULL)
            continue;
        printf("%s: %zu messages, %zu of them known at run time only, %zu lengths checked, "
               "%zu differ\n",
               sonde_gen_platform_name((enum sonde_gen_platform)n), tally->messages,
               tally->at_run_time, tally->checked_lengths, tally->bad);
        good = good && tally->messages > tally->at_run_time && tally->bad == 0;
        iga_close(oracles[n]);
    }
    return good ? 0 : 1;
}
