#include "effects_text.h"

#include <stdarg.h>
#include <stdio.h>

struct words {
    char *text;
    size_t size;
    size_t used;
};

static void add(struct words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->used, w->size - w->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        w->used += (size_t)length < w->size - w->used ? (size_t)length : w->size - w->used - 1;
}

static bool in_grf(const struct sonde_gen_effect *e, unsigned byte)
{
    return byte < SONDE_GEN_GRF_WORDS * 64 && (e->grf[byte / 64] >> byte % 64 & 1) != 0;
}

static void describe_grf(struct words *w, const struct sonde_gen_effect *e, unsigned grf_size)
{
    for (unsigned n = 0; n < SONDE_GEN_GRF_WORDS * 64; n++) {
        unsigned end = n;
        while (in_grf(e, end))
            end++;
        if (end == n)
            continue;
        if (n % grf_size == 0 && end == n + grf_size)
            add(w, "r%u ", n / grf_size);
        else if (n % grf_size == 0 && end % grf_size == 0)
            add(w, "r%u-r%u ", n / grf_size, end / grf_size - 1);
        else
            add(w, "r%u.%u+%u ", n / grf_size, n % grf_size, end - n);
        n = end;
    }
}

void effects_describe(const struct sonde_gen_effect *effect, unsigned grf_size, char *text,
                      size_t size)
{
    const struct sonde_gen_effect *e = effect;
    struct words w = {text, size, 0};
    text[0] = '\0';
    describe_grf(&w, e, grf_size);
    for (unsigned n = 0; n < 8; n++) {
        if ((e->flags >> n & 1) != 0)
            add(&w, "f%u.%u ", n / 2, n % 2);
    }
    for (unsigned n = 0; n < 16; n++) {
        if ((e->address >> n & 1) != 0)
            add(&w, "a0.%u ", n);
    }
    for (unsigned n = 0; n < 16; n++) {
        if ((e->accumulators >> n & 1) != 0)
            add(&w, "acc%u ", n);
    }
    add(&w, "%s%s%s%s", e->mme ? "mme " : "", e->control ? "cr0 " : "", e->memory ? "memory " : "",
        e->grf_unknown ? "any " : "");
    if (w.used > 0)
        text[w.used - 1] = '\0';
}
