/* An uncovered dependency in words. */
#include "sonde/dependency.h"

#include "kernel/internal.h"

#include <stdio.h>

#define MAX_DISTANCE 7u

/* "reads r1 before mul at 0x0 has written it". */
static const struct {
    const char *before_registers;
    const char *before_producer;
    const char *behind;
} words[] = {
    [SONDE_DEPENDENCY_READ_AFTER_WRITE] = {"reads ", "before ", " has written it"},
    [SONDE_DEPENDENCY_WRITE_AFTER_WRITE] = {"writes ", "before ", " has written it"},
    [SONDE_DEPENDENCY_WRITE_AFTER_READ] = {"writes ", "before ", " has read it"},
    [SONDE_DEPENDENCY_STATE] = {"does not wait for ", "",
                                ", though one of the two uses a state register"},
};

/* The annotation that would cover it. */
static void missing(const struct sonde_kernel *kernel, const struct sonde_dependency *d, char *text,
                    size_t size)
{
    static const char pipes[SONDE_GEN_PIPE_COUNT] = {
        [SONDE_GEN_PIPE_FLOAT] = 'F',
        [SONDE_GEN_PIPE_INTEGER] = 'I',
        [SONDE_GEN_PIPE_LONG] = 'L',
        [SONDE_GEN_PIPE_MATH] = 'M',
    };
    bool state = d->kind == SONDE_DEPENDENCY_STATE;
    unsigned distance = state ? 1 : d->distance < MAX_DISTANCE ? d->distance : MAX_DISTANCE;
    if (d->has_token)
        snprintf(text, size, "$%u.%s", d->token,
                 d->kind == SONDE_DEPENDENCY_WRITE_AFTER_READ ? "src" : "dst");
    else if (kernel->info.platform == SONDE_GEN_PLATFORM_XE)
        snprintf(text, size, "@%u", distance);
    else
        snprintf(text, size, "%c@%u", state ? 'A' : pipes[d->pipe], distance);
}

/* Flags and accumulators in common: the first of them. */
static void small_registers(const struct sonde_dependency *d, char *text, size_t size)
{
    if (d->flags != 0) {
        unsigned half = (unsigned)__builtin_ctz(d->flags);
        snprintf(text, size, "f%u.%u ", half / 2, half % 2);
    } else if (d->accumulators != 0) {
        snprintf(text, size, "acc%u ", (unsigned)__builtin_ctz(d->accumulators));
    }
}

static void registers(const struct sonde_kernel *kernel, const struct sonde_dependency *d,
                      char *text, size_t size)
{
    unsigned first = d->byte / kernel->grf_size, byte = d->byte % kernel->grf_size;
    text[0] = '\0';
    if (d->length == 0)
        small_registers(d, text, size);
    else if (byte == 0 && d->length % kernel->grf_size == 0 && d->length > kernel->grf_size)
        snprintf(text, size, "r%u-r%u ", first, first + d->length / kernel->grf_size - 1);
    else if (byte == 0 && d->length == kernel->grf_size)
        snprintf(text, size, "r%u ", first);
    else
        snprintf(text, size, "r%u bytes %u-%u ", first, byte, byte + d->length - 1);
}

int sonde_dependency_print(const struct sonde_kernel *kernel,
                           const struct sonde_dependency *dependency, char *text, size_t size)
{
    const struct sonde_dependency *d = dependency;
    const struct sonde_gen_instruction *producer = &kernel->instructions[d->producer];
    const struct sonde_gen_instruction *consumer = &kernel->instructions[d->consumer];
    char annotation[16], what[64];
    missing(kernel, d, annotation, sizeof annotation);
    registers(kernel, d, what, sizeof what);
    return snprintf(text, size, "%s at 0x%x: %s%s%s%s at 0x%x%s: {%s} is missing",
                    sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)consumer->opcode),
                    consumer->offset, words[d->kind].before_registers, what,
                    words[d->kind].before_producer,
                    sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)producer->opcode),
                    producer->offset, words[d->kind].behind, annotation);
}
