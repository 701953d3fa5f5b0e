#include "relink.h"

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOP 0x7e /* of the first byte, 7 bits */

struct rewrite {
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct sonde_rewritten out;
};

static bool fail(const struct sonde_kernel_info *info, const char *what)
{
    fprintf(stderr, "%s: %s\n", info->name, what);
    return false;
}

static bool start(const struct sonde_kernel_info *info, struct rewrite *rewrite)
{
    struct sonde_error error = {.message = ""};
    struct sonde_coder_options options = {.maximum_threads = 1};
    memset(rewrite, 0, sizeof *rewrite);
    if (sonde_kernel_create(info, &rewrite->kernel, &error) != SONDE_OK ||
        sonde_instrument_create(rewrite->kernel, &options, &rewrite->instrument, &error) !=
            SONDE_OK)
        return fail(info, error.message);
    return true;
}

static void finish(struct rewrite *rewrite)
{
    sonde_rewritten_clear(&rewrite->out);
    sonde_instrument_destroy(rewrite->instrument);
    sonde_kernel_destroy(rewrite->kernel);
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* The heap: original, padding, instrumented body at 64 bytes, >= 128 zeros. */
static bool check_heap(const struct sonde_kernel_info *info, const struct sonde_rewritten *out)
{
    if (out->original_entry != 0 || memcmp(out->code, info->isa, info->isa_size) != 0)
        return fail(info, "original body is not at the start");
    if (out->instrumented_entry % 64 != 0 || out->size % 64 != 0 ||
        out->instrumented_entry < info->isa_size)
        return fail(info, "alignment");
    if (!all_zero(out->code + info->isa_size, out->instrumented_entry - info->isa_size) ||
        !all_zero(out->code + out->size - 128, 128))
        return fail(info, "padding is not zero");
    return true;
}

bool relink_check_identity(const struct sonde_kernel_info *info)
{
    struct rewrite rewrite;
    struct sonde_error error = {.message = ""};
    bool good = start(info, &rewrite);
    if (good && sonde_instrument_emit(rewrite.instrument, &rewrite.out, &error) != SONDE_OK)
        good = fail(info, error.message);
    if (good)
        good = check_heap(info, &rewrite.out);
    if (good && (memcmp(rewrite.out.code + rewrite.out.instrumented_entry, info->isa,
                        info->isa_size) != 0 ||
                 rewrite.out.inserted_instructions != 0))
        good = fail(info, "the body changed although nothing was inserted");
    finish(&rewrite);
    return good;
}

static bool insert_nops(const struct sonde_kernel_info *info, struct rewrite *rewrite,
                        uint64_t seed)
{
    struct sonde_error error = {.message = ""};
    struct sonde_coder *coder = sonde_instrument_coder(rewrite->instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "nop");
    struct sonde_gen_instruction nop;
    sonde_gen_instruction_init(&nop, info->platform, SONDE_GEN_NOP, 1, false);
    if (sonde_coder_append_instruction(coder, procedure, &nop, &error) != SONDE_OK)
        return fail(info, error.message);
    size_t count = sonde_kernel_instruction_count(rewrite->kernel);
    uint64_t state = seed + 1;
    for (size_t i = 0; i < count; i++) {
        if (seed != 0 && machine_random(&state) % 3 != 0)
            continue;
        enum sonde_where where =
            seed != 0 && machine_random(&state) % 2 ? SONDE_AFTER : SONDE_BEFORE;
        if (sonde_instrument_insertion_refusal(rewrite->instrument, i, where) == NULL &&
            sonde_instrument_instruction(rewrite->instrument, i, where, procedure, &error) !=
                SONDE_OK)
            return fail(info, error.message);
    }
    for (size_t e = 0; e < sonde_kernel_edge_count(rewrite->kernel); e++)
        if (seed == 0 || machine_random(&state) % 4 == 0) {
            enum sonde_status status =
                sonde_instrument_edge(rewrite->instrument, e, procedure, &error);
            if (status != SONDE_OK && status != SONDE_ERROR_UNSUPPORTED)
                return fail(info, error.message);
        }
    return true;
}

/* From `pc` only nops and inserted jumps lead to `wanted`. */
static bool leads_to(struct iga *iga, const struct kv *view, const uint8_t *body, int32_t pc,
                     int32_t wanted)
{
    const struct kv_functions *kv = iga_kv(iga);
    for (int steps = 0; pc != wanted && steps < 10000; steps++) {
        int32_t targets[3], size = kv->inst_size(view->view, pc);
        if (size <= 0)
            return false;
        if ((body[pc] & 0x7f) == NOP)
            pc += size;
        else if (kv->targets(view->view, pc, targets) == 1)
            pc = targets[0]; /* jmpi back from an edge, or join behind nops */
        else
            return false;
    }
    return pc == wanted;
}

static size_t index_at(const struct sonde_kernel *kernel, int32_t offset)
{
    for (size_t i = 0; i < sonde_kernel_instruction_count(kernel); i++)
        if (sonde_kernel_instruction(kernel, i)->offset == (uint32_t)offset)
            return i;
    return SIZE_MAX;
}

static bool compare_instruction(struct iga *iga, const struct rewrite *rewrite,
                                const struct kv *before, const struct kv *after, size_t index)
{
    const struct kv_functions *kv = iga_kv(iga);
    const struct sonde_rewritten *out = &rewrite->out;
    const uint8_t *body = out->code + out->instrumented_entry;
    int32_t from = (int32_t)sonde_kernel_instruction(rewrite->kernel, index)->offset;
    int32_t to = (int32_t)(out->instruction_offsets[index] - out->instrumented_entry);
    int32_t was[3], is[3];
    if (kv->opcode(before->view, from) != kv->opcode(after->view, to))
        return false;
    uint32_t count = kv->targets(before->view, from, was);
    if (kv->targets(after->view, to, is) != count)
        return false;
    for (uint32_t t = 0; t < count; t++) {
        size_t target = index_at(rewrite->kernel, was[t]);
        if (target == SIZE_MAX)
            return false;
        int32_t wanted = (int32_t)(out->instruction_offsets[target] - out->instrumented_entry);
        if (!leads_to(iga, after, body, is[t], wanted))
            return false;
    }
    return count != 0 || sonde_kernel_instruction(rewrite->kernel, index)->size != 16 ||
           memcmp(body + to, sonde_kernel_info(rewrite->kernel)->isa + from, 16) == 0;
}

static bool compare(struct iga *iga, const struct sonde_kernel_info *info,
                    const struct rewrite *rewrite)
{
    const struct sonde_rewritten *out = &rewrite->out;
    struct kv before, after;
    /* The body ends where the zero padding starts. */
    size_t size = out->size - out->instrumented_entry - 128;
    if (!kv_open(iga, &before, info->isa, info->isa_size))
        return fail(info, "iga64 cannot read the original");
    if (!kv_open(iga, &after, out->code + out->instrumented_entry, size)) {
        kv_close(iga, &before);
        return fail(info, "iga64 cannot read the result");
    }
    bool good = true;
    uint32_t last = 0;
    for (size_t i = 0; i < sonde_kernel_instruction_count(rewrite->kernel) && good; i++) {
        good = out->instruction_offsets[i] > last &&
               compare_instruction(iga, rewrite, &before, &after, i);
        last = out->instruction_offsets[i];
        if (!good) {
            char text[100];
            snprintf(text, sizeof text, "instruction at 0x%x differs at 0x%x of the heap",
                     sonde_kernel_instruction(rewrite->kernel, i)->offset, last);
            fail(info, text);
        }
    }
    kv_close(iga, &before);
    kv_close(iga, &after);
    return good;
}

bool relink_check_nops(struct iga *iga, const struct sonde_kernel_info *info, uint64_t seed)
{
    struct rewrite rewrite;
    struct sonde_error error = {.message = ""};
    bool good = start(info, &rewrite) && insert_nops(info, &rewrite, seed);
    if (good && sonde_instrument_emit(rewrite.instrument, &rewrite.out, &error) != SONDE_OK)
        good = fail(info, error.message);
    good = good && check_heap(info, &rewrite.out) && compare(iga, info, &rewrite);
    finish(&rewrite);
    return good;
}
