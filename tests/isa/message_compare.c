#include "message_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *message_description(struct iga *iga, const struct kv *kv, int32_t pc, char *text,
                                size_t size)
{
    text[0] = '\0';
    iga_kv(iga)->syntax(kv->view, pc, text, size, 0, NULL, NULL);
    const char *comment = strstr(text, "//");
    if (comment == NULL)
        return "";
    comment = strchr(comment, ';');
    return comment == NULL ? "" : comment + 2;
}

struct word {
    const char *text;
    bool ours;
};

static bool is_block(const struct sonde_gen_message *m)
{
    return m->layout == SONDE_GEN_LAYOUT_OWORD_BLOCK ||
           m->layout == SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED ||
           m->layout == SONDE_GEN_LAYOUT_HWORD_BLOCK || m->layout == SONDE_GEN_LAYOUT_SCRATCH_BLOCK;
}

static bool words_agree(const struct sonde_gen_message *m, const char *description, char *text,
                        size_t size)
{
    unsigned operation = m->operation;
    bool atomic =
        operation == SONDE_GEN_MESSAGE_ATOMIC || operation == SONDE_GEN_MESSAGE_TYPED_ATOMIC;
    bool write = operation == SONDE_GEN_MESSAGE_WRITE ||
                 operation == SONDE_GEN_MESSAGE_TYPED_WRITE ||
                 operation == SONDE_GEN_MESSAGE_MEDIA_WRITE;
    bool read = operation == SONDE_GEN_MESSAGE_READ || operation == SONDE_GEN_MESSAGE_TYPED_READ ||
                operation == SONDE_GEN_MESSAGE_MEDIA_READ;
    const struct word words[] = {
        {" scratch", m->layout == SONDE_GEN_LAYOUT_SCRATCH_BLOCK},
        {"untyped surface", m->layout == SONDE_GEN_LAYOUT_UNTYPED},
        {" gathering", m->layout == SONDE_GEN_LAYOUT_SCATTERED && read},
        {" scattering", m->layout == SONDE_GEN_LAYOUT_SCATTERED && write},
        {"media block",
         operation == SONDE_GEN_MESSAGE_MEDIA_READ || operation == SONDE_GEN_MESSAGE_MEDIA_WRITE},
        {" block", is_block(m) || operation == SONDE_GEN_MESSAGE_MEDIA_READ ||
                       operation == SONDE_GEN_MESSAGE_MEDIA_WRITE},
        {" atomic", atomic && !m->atomic_float},
        {"float atomic", atomic && m->atomic_float},
        {" fence", operation == SONDE_GEN_MESSAGE_FENCE},
        {"synchronized", m->fence_commit},
        {"barrier", operation == SONDE_GEN_MESSAGE_BARRIER},
        {"end of thread", operation == SONDE_GEN_MESSAGE_END_OF_THREAD},
        {"a64", m->address_model == SONDE_GEN_ADDRESS_A64},
        {"slot group high)", m->channel_first == 8 && atomic},
        {"(high slot group)", m->channel_first == 8 && !atomic},
    };
    for (size_t n = 0; n < sizeof words / sizeof *words; n++) {
        bool theirs = strstr(description, words[n].text) != NULL;
        /* "a64 float atomic" and "atomic float" are the same to iga64. */
        if (strcmp(words[n].text, " atomic") == 0 && m->atomic_float)
            continue;
        if (theirs != words[n].ours) {
            snprintf(text, size, "%s%s in \"%s\"", words[n].text, theirs ? "" : " is not",
                     description);
            return false;
        }
    }
    return true;
}

static bool components_agree(const struct sonde_gen_message *m, const char *description)
{
    if (m->layout != SONDE_GEN_LAYOUT_UNTYPED &&
        (m->layout != SONDE_GEN_LAYOUT_TYPED || m->operation == SONDE_GEN_MESSAGE_TYPED_ATOMIC))
        return true;
    const char *with = strstr(description, "with ");
    if (with == NULL)
        return false;
    unsigned mask = 0;
    for (const char *at = with + 5; *at != '\0' && strchr("xyzw", *at) != NULL; at++)
        mask |= 1u << (strchr("xyzw", *at) - "xyzw");
    return mask == m->component_mask;
}

/* " x8", " x1H" after a block message. */
static bool count_agrees(const struct sonde_gen_message *m, const char *description)
{
    if (!is_block(m))
        return true;
    const char *count = strstr(description, " x");
    if (count == NULL)
        return false;
    char *end;
    unsigned long elements = strtoul(count + 2, &end, 10);
    return elements == m->elements && (*end == 'H') == m->high_oword;
}

/* "byte ... 32b": the bytes in memory of one channel. */
static bool width_agrees(const struct sonde_gen_message *m, const char *description)
{
    const char *byte = strstr(description, "byte gathering");
    if (byte == NULL)
        byte = strstr(description, "byte scattering");
    if (byte == NULL)
        return true;
    const char *bits = strpbrk(byte, "0123456789");
    return bits != NULL && strtoul(bits, NULL, 10) == m->element_size * 8ul;
}

static bool simd_agrees(const struct sonde_gen_message *m, const char *description)
{
    if (m->operation != SONDE_GEN_MESSAGE_SAMPLE)
        return true;
    const char *simd = strstr(description, "simd");
    return simd == NULL || strtoul(simd + 4, NULL, 10) == m->simd;
}

bool message_agrees(const struct sonde_gen_message *m, const char *description, char *text,
                    size_t size)
{
    const struct {
        const char *what;
        bool good;
    } checks[] = {
        {"components", components_agree(m, description)},
        {"elements", count_agrees(m, description)},
        {"element size", width_agrees(m, description)},
        {"SIMD", simd_agrees(m, description)},
    };
    if (!words_agree(m, description, text, size))
        return false;
    for (size_t n = 0; n < sizeof checks / sizeof *checks; n++) {
        if (!checks[n].good) {
            snprintf(text, size, "%s differ from \"%s\"", checks[n].what, description);
            return false;
        }
    }
    return true;
}
