/* A load-store cache message spelled from its decoded form, to be compared
 * with iga64's spelling. */
#include "message_compare.h"

#include <stdio.h>
#include <string.h>

static const char *atomic_name(const struct sonde_gen_message *m)
{
    static const char *const floating[8] = {"?",    "fmax", "fmin", "fcas",
                                            "fadd", "fsub", "fadd", "fsub"};
    static const char *const integer[17] = {"?",    "and",  "or",   "xor", "store", "iinc",
                                            "idec", "iadd", "isub", "?",   "smax",  "smin",
                                            "umax", "umin", "icas", "?",   "load"};
    return m->atomic_float ? floating[m->atomic & 7] : integer[m->atomic <= 16 ? m->atomic : 9];
}

static void operation_name(const struct sonde_gen_message *m, char *text, size_t size)
{
    bool write =
        m->operation == SONDE_GEN_MESSAGE_WRITE || m->operation == SONDE_GEN_MESSAGE_TYPED_WRITE;
    const char *shape = "";
    if (m->layout == SONDE_GEN_LAYOUT_BLOCK2D)
        shape = "_block2d";
    else if (m->layout == SONDE_GEN_LAYOUT_STRIDED)
        shape = "_strided";
    else if (m->component_mask != 0)
        shape = "_quad";
    if (m->operation == SONDE_GEN_MESSAGE_ATOMIC || m->operation == SONDE_GEN_MESSAGE_TYPED_ATOMIC)
        snprintf(text, size, "atomic_%s", atomic_name(m));
    else if (m->operation == SONDE_GEN_MESSAGE_READ_STATUS)
        snprintf(text, size, "load_status");
    else
        snprintf(text, size, "%s%s", write ? "store" : "load", shape);
}

static const char *data_name(const struct sonde_gen_message *m)
{
    if (m->element_size == m->element_slot)
        return m->element_size == 1   ? "d8"
               : m->element_size == 2 ? "d16"
               : m->element_size == 4 ? "d32"
                                      : "d64";
    return m->element_size == 1 ? "d8u32" : m->element_high ? "d16u32h" : "d16u32";
}

static void elements_name(const struct sonde_gen_message *m, char *text, size_t size)
{
    bool atomic = m->operation == SONDE_GEN_MESSAGE_TYPED_ATOMIC;
    text[0] = '\0';
    if (m->component_mask != 0 && !atomic) {
        size_t length = 1;
        text[0] = '.';
        for (unsigned n = 0; n < 4; n++)
            if ((m->component_mask >> n & 1) != 0)
                text[length++] = "xyzw"[n];
        text[length] = '\0';
    } else if (m->layout == SONDE_GEN_LAYOUT_BLOCK2D) {
        snprintf(text, size, "%s%s", m->transposed ? "t" : "", m->vnni ? "v" : "");
    } else if (m->elements > 1 || m->transposed) {
        snprintf(text, size, "x%u%s", m->elements, m->transposed ? "t" : "");
    }
}

static const char *surface_of(const struct sonde_gen_message *m)
{
    if (m->operation == SONDE_GEN_MESSAGE_FENCE)
        return "";
    switch ((enum sonde_gen_address_model)m->address_model) {
    case SONDE_GEN_ADDRESS_SURFACE_STATE:
        return ".ss[";
    case SONDE_GEN_ADDRESS_BINDLESS:
        return ".bss[";
    case SONDE_GEN_ADDRESS_SURFACE:
    case SONDE_GEN_ADDRESS_STATELESS:
        return ".bti[";
    default:
        return "";
    }
}

static void fence_name(const struct sonde_gen_message *m, const char *unit, char *text, size_t size)
{
    static const char *const scope[7] = {"group", "local",  "tile",  "gpu",
                                         "gpus",  "sysrel", "sysacq"};
    static const char *const flush[6] = {"none",    "evict", "invalidate",
                                         "discard", "clean", "flushl3"};
    snprintf(text, size, "fence.%s.%s.%s", unit, flush[m->fence_flush % 6],
             scope[m->fence_scope % 7]);
}

/* "uncompressed" tells how the store is kept in memory, nothing else. */
static const char *plain(const char *description, char *text, size_t size)
{
    static const char word[] = "_uncompressed";
    const char *at = strstr(description, word);
    if (at == NULL)
        return description;
    snprintf(text, size, "%.*s%s", (int)(at - description), description, at + strlen(word));
    return text;
}

bool message_cache_agrees(const struct sonde_gen_message *m, uint8_t sfid, const char *description,
                          char *text, size_t size)
{
    const char *unit = sfid == SONDE_GEN_SFID_TGM   ? "tgm"
                       : sfid == SONDE_GEN_SFID_SLM ? "slm"
                                                    : "ugm";
    char name[40], elements[16], expected[120], copy[200];
    operation_name(m, name, sizeof name);
    elements_name(m, elements, sizeof elements);
    if (m->operation == SONDE_GEN_MESSAGE_FENCE)
        fence_name(m, unit, expected, sizeof expected);
    else
        snprintf(expected, sizeof expected, "%s.%s.%s%s.a%u", name, unit, data_name(m), elements,
                 m->address_size * 8u);
    const char *theirs = plain(description, copy, sizeof copy);
    size_t length = strlen(expected);
    bool same = strncmp(theirs, expected, length) == 0 &&
                (theirs[length] == '\0' || strchr(".;\n ", theirs[length]) != NULL);
    const char *surface = surface_of(m), *place = strstr(theirs, surface);
    unsigned bti = m->bti;
    if (surface[0] == '\0' && sfid != SONDE_GEN_SFID_SLM)
        same = same && strchr(theirs, '[') == NULL;
    else if (place == NULL || (strcmp(surface, ".bti[") == 0 && place[5] != 'a' &&
                               (sscanf(place, ".bti[%u]", &bti) != 1 || bti != m->bti)))
        same = false;
    if (!same)
        snprintf(text, size, "\"%s%s\" is not \"%s\"", expected, surface, description);
    return same;
}
