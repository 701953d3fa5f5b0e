/* Messages in words. */
#include "sonde/gen_message.h"

#include <stdarg.h>
#include <stdio.h>

struct text {
    char *at;
    size_t size;
    int length;
};

static void add(struct text *t, const char *format, ...) SONDE_PRINTF(2, 3);

static void add(struct text *t, const char *format, ...)
{
    size_t used = (size_t)t->length < t->size ? (size_t)t->length : t->size;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(used < t->size ? t->at + used : NULL, t->size - used, format, arguments);
    va_end(arguments);
    if (length > 0)
        t->length += length;
}

static const char *const operations[] = {
    [SONDE_GEN_MESSAGE_UNKNOWN] = "unknown message",
    [SONDE_GEN_MESSAGE_READ] = "read",
    [SONDE_GEN_MESSAGE_WRITE] = "write",
    [SONDE_GEN_MESSAGE_ATOMIC] = "atomic",
    [SONDE_GEN_MESSAGE_FENCE] = "fence",
    [SONDE_GEN_MESSAGE_BARRIER] = "gateway barrier",
    [SONDE_GEN_MESSAGE_GATEWAY] = "gateway",
    [SONDE_GEN_MESSAGE_END_OF_THREAD] = "end of thread",
    [SONDE_GEN_MESSAGE_SAMPLE] = "sampler",
    [SONDE_GEN_MESSAGE_TYPED_READ] = "typed surface read",
    [SONDE_GEN_MESSAGE_TYPED_WRITE] = "typed surface write",
    [SONDE_GEN_MESSAGE_TYPED_ATOMIC] = "typed surface atomic",
    [SONDE_GEN_MESSAGE_MEDIA_READ] = "media block read",
    [SONDE_GEN_MESSAGE_MEDIA_WRITE] = "media block write",
    [SONDE_GEN_MESSAGE_CACHE_FLUSH] = "sampler cache flush",
    [SONDE_GEN_MESSAGE_READ_STATUS] = "read of page status",
};

static const char *const layouts[] = {
    [SONDE_GEN_LAYOUT_NONE] = "",
    [SONDE_GEN_LAYOUT_OWORD_BLOCK] = "oword block ",
    [SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED] = "unaligned oword block ",
    [SONDE_GEN_LAYOUT_HWORD_BLOCK] = "hword block ",
    [SONDE_GEN_LAYOUT_SCRATCH_BLOCK] = "scratch block ",
    [SONDE_GEN_LAYOUT_SCATTERED] = "scattered ",
    [SONDE_GEN_LAYOUT_UNTYPED] = "untyped surface ",
    [SONDE_GEN_LAYOUT_TYPED] = "",
    [SONDE_GEN_LAYOUT_BLOCK] = "block ",
    [SONDE_GEN_LAYOUT_STRIDED] = "strided ",
    [SONDE_GEN_LAYOUT_BLOCK2D] = "two-dimensional block ",
};

static const char *const integer_atomics[17] = {
    "cmpxchg64", "and",  "or",   "xor",  "xchg", "inc",     "dec",    "add", "sub",
    "rsub",      "smax", "smin", "umax", "umin", "cmpxchg", "predec", "load"};
static const char *const float_atomics[8] = {"?",    "fmax", "fmin",   "fcmpxchg",
                                             "fadd", "fsub", "fadd64", "fsub64"};

static const char *atomic_name(const struct sonde_gen_message *m)
{
    if (m->atomic_float)
        return float_atomics[m->atomic & 7];
    return m->atomic <= SONDE_GEN_ATOMIC_LOAD ? integer_atomics[m->atomic] : "?";
}

static const char *const samples[32] = {
    [0x00] = "sample",    [0x01] = "sample_b",    [0x02] = "sample_l",     [0x03] = "sample_c",
    [0x04] = "sample_d",  [0x05] = "sample_b_c",  [0x06] = "sample_l_c",   [0x07] = "ld",
    [0x08] = "gather4",   [0x09] = "lod",         [0x0a] = "resinfo",      [0x0b] = "sampleinfo",
    [0x10] = "gather4_c", [0x11] = "gather4_po",  [0x12] = "gather4_po_c", [0x14] = "sample_d_c",
    [0x18] = "sample_lz", [0x19] = "sample_c_lz", [0x1a] = "ld_lz",        [0x1c] = "ld2dms_w",
    [0x1d] = "ld_mcs",    [0x1e] = "ld2dms",      [0x1f] = "cache_flush",
};

static const char *const scopes[8] = {"group", "local",          "tile",           "GPU",
                                      "GPUs",  "system release", "system acquire", "?"};

static void add_place(struct text *t, const struct sonde_gen_message *m)
{
    switch ((enum sonde_gen_address_model)m->address_model) {
    case SONDE_GEN_ADDRESS_NONE:
        break;
    case SONDE_GEN_ADDRESS_SURFACE:
        add(t, ", BTI %u", m->bti);
        break;
    case SONDE_GEN_ADDRESS_STATELESS:
        add(t, ", stateless");
        break;
    case SONDE_GEN_ADDRESS_A64:
        add(t, m->address_size == 4 ? ", global A32" : ", A64");
        break;
    case SONDE_GEN_ADDRESS_SLM:
        add(t, ", SLM");
        break;
    case SONDE_GEN_ADDRESS_SCRATCH:
        add(t, ", scratch+0x%x", m->scratch_offset);
        break;
    case SONDE_GEN_ADDRESS_SURFACE_STATE:
        add(t, ", surface state 0x%x", m->surface_offset);
        break;
    case SONDE_GEN_ADDRESS_BINDLESS:
        add(t, ", bindless surface state 0x%x", m->surface_offset);
        break;
    }
}

static void add_shape(struct text *t, const struct sonde_gen_message *m)
{
    if (m->simd == 2)
        add(t, ", SIMD4x2");
    else if (m->simd > 1)
        add(t, ", SIMD%u", m->simd);
    if (m->component_mask != 0) {
        add(t, ", ");
        for (unsigned n = 0; n < 4; n++) {
            if ((m->component_mask >> n & 1) != 0)
                add(t, "%c", "xyzw"[n]);
        }
    } else if (m->element_size != 0) {
        add(t, ", %u x %ub", m->elements, m->element_size * 8u);
    }
    if (m->channel_first != 0)
        add(t, ", high slot group");
    if (m->high_oword)
        add(t, ", high half");
}

int sonde_gen_message_print(const struct sonde_gen_message *message, char *text, size_t size)
{
    struct text t = {text, size, 0};
    if (size > 0)
        text[0] = '\0';
    unsigned operation = message->operation;
    if (operation >= sizeof operations / sizeof *operations)
        operation = SONDE_GEN_MESSAGE_UNKNOWN;
    if (message->layout < sizeof layouts / sizeof *layouts)
        add(&t, "%s", layouts[message->layout]);
    add(&t, "%s", operations[operation]);
    if (operation == SONDE_GEN_MESSAGE_ATOMIC || operation == SONDE_GEN_MESSAGE_TYPED_ATOMIC)
        add(&t, " %s", atomic_name(message));
    if (operation == SONDE_GEN_MESSAGE_SAMPLE) {
        const char *name = samples[message->sample_type & 31];
        add(&t, " %s", name != NULL ? name : "?");
    }
    if (operation == SONDE_GEN_MESSAGE_GATEWAY)
        add(&t, " function %u", message->gateway_function);
    add_shape(&t, message);
    add_place(&t, message);
    if (operation == SONDE_GEN_MESSAGE_SAMPLE)
        add(&t, ", sampler %u%s", message->sampler, message->half_return ? ", 16-bit return" : "");
    if (operation == SONDE_GEN_MESSAGE_FENCE && message->fence_commit)
        add(&t, ", commit");
    if (operation == SONDE_GEN_MESSAGE_FENCE && message->load_store_cache)
        add(&t, ", scope %s", scopes[message->fence_scope & 7]);
    return t.length;
}
