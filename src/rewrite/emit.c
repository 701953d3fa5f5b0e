/* From insertions to the heap that the driver gets. */
#include "rewrite/internal.h"

#include <stdlib.h>
#include <string.h>

/* The hardware prefetches instructions past the last one and must find no
 * code of others there. */
#define TAIL_PADDING 128u
#define ALIGNMENT    64u /* of a kernel's entry */

static int compare_insertions(const void *a, const void *b)
{
    const struct rewrite_insertion *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static enum sonde_status live_at(const struct sonde_instrument *instrument,
                                 const struct rewrite_insertion *insertion, size_t *index,
                                 struct sonde_gen_effect *live, struct sonde_error *error)
{
    *index = insertion->index;
    if (insertion->index < instrument->entry) {
        *index = instrument->entry;
        return sonde_kernel_live_before(instrument->kernel, *index, live, error);
    }
    if (insertion->slot == REWRITE_AFTER) {
        *index = insertion->index + 1u;
        return sonde_kernel_live_after(instrument->kernel, insertion->index, live, error);
    }
    if (insertion->slot == REWRITE_TAKEN)
        *index = sonde_kernel_jip_target(instrument->kernel, insertion->index);
    return sonde_kernel_live_before(instrument->kernel, *index, live, error);
}

static bool is_reachable(const struct sonde_instrument *instrument, uint32_t index)
{
    uint32_t block = sonde_kernel_block_of(instrument->kernel, index);
    return sonde_kernel_block(instrument->kernel, block)->is_reachable;
}

/* Last insertion first, so that liveness walks each block once. Code that is
 * never reached gets nothing: no register could be proved free there. */
static enum sonde_status expand_all(struct sonde_instrument *instrument, struct coder_code *code,
                                    struct coder_spills *spills, struct sonde_error *error)
{
    for (size_t i = instrument->insertion_count; i-- > 0;) {
        struct rewrite_insertion *insertion = &instrument->insertions[i];
        struct sonde_gen_effect live;
        struct coder_point point = {.live = &live};
        insertion->first = code->count;
        insertion->count = 0;
        if (sonde_procedure_instruction_count(insertion->procedure) == 0 ||
            !is_reachable(instrument, insertion->index))
            continue;
        enum sonde_status status = live_at(instrument, insertion, &point.index, &live, error);
        if (status == SONDE_OK)
            status =
                coder_expand(instrument->coder, insertion->procedure, &point, code, spills, error);
        if (status != SONDE_OK)
            return status;
        insertion->count = code->count - insertion->first;
    }
    return SONDE_OK;
}

/* Who leaves is decided before any register is filled that lasts. The flag
 * must outlive the code, where everything that the kernel needs is as it was. */
static enum sonde_status expand_leave(struct sonde_instrument *instrument, struct coder_code *code,
                                      struct coder_spills *spills, struct sonde_error *error)
{
    struct sonde_gen_effect live;
    struct coder_point point = {.index = instrument->entry, .live = &live};
    struct rewrite_insertion *leave = &instrument->leave;
    unsigned flag = 2u * instrument->leaves.flag_number + instrument->leaves.flag_subreg;
    leave->first = code->count;
    leave->count = 0;
    if (leave->procedure == NULL)
        return SONDE_OK;
    enum sonde_status status =
        sonde_kernel_live_before(instrument->kernel, instrument->entry, &live, error);
    if (status == SONDE_OK && (live.flags >> flag & 1) != 0)
        status = sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                                 "it needs flag f%u.%u where it begins, so that threads cannot be "
                                 "chosen",
                                 instrument->leaves.flag_number, instrument->leaves.flag_subreg);
    if (status == SONDE_OK)
        status = coder_expand(instrument->coder, leave->procedure, &point, code, spills, error);
    leave->count = code->count - leave->first;
    return status;
}

/* Kept chunk offsets are filled by one more insertion at the entry. */
static enum sonde_status expand(struct sonde_instrument *instrument, struct coder_code *code,
                                struct rewrite_insertion *entry, struct sonde_rewritten *rewritten,
                                struct sonde_error *error)
{
    struct coder_spills spills = {0};
    coder_forget_chunks(instrument->coder);
    enum sonde_status status = coder_place(instrument->coder, error);
    for (size_t i = 0; i < instrument->insertion_count; i++)
        coder_keep_lasting(instrument->coder, instrument->insertions[i].procedure);
    for (size_t i = 0; i < instrument->insertion_count; i++)
        coder_keep_chunks(instrument->coder, instrument->insertions[i].procedure);
    if (status == SONDE_OK)
        status = coder_expand_entry(instrument->coder, code, error);
    entry->count = code->count;
    if (status == SONDE_OK)
        status = expand_all(instrument, code, &spills, error);
    if (status == SONDE_OK)
        status = expand_leave(instrument, code, &spills, error);
    instrument->bodies = code->count;
    if (status == SONDE_OK)
        status = coder_expand_bodies(instrument->coder, code, error);
    instrument->code_count = code->count;
    rewritten->spills = spills.registers;
    rewritten->buffer_spills = spills.in_buffer;
    rewritten->spill_bytes = spills.bytes;
    rewritten->kept_registers = (uint32_t)coder_kept_count(instrument->coder);
    return status;
}

static enum sonde_status link_code(const struct rewrite_layout *layout,
                                   const struct sonde_coder *coder, struct coder_code *code,
                                   struct sonde_error *error)
{
    uint32_t *positions = calloc(code->count + 1, sizeof *positions);
    if (positions == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t p = 0; p < layout->piece_count; p++)
        if (layout->pieces[p].kind == REWRITE_INSERTED)
            positions[layout->pieces[p].index] = layout->pieces[p].position;
    coder_link(coder, code, positions);
    free(positions);
    return SONDE_OK;
}

static size_t align_up(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static enum sonde_status fill_heap(const struct sonde_instrument *instrument,
                                   const struct rewrite_layout *layout,
                                   const struct coder_code *code, struct sonde_rewritten *rewritten,
                                   struct sonde_error *error)
{
    const struct sonde_kernel_info *info = sonde_kernel_info(instrument->kernel);
    size_t count = sonde_kernel_instruction_count(instrument->kernel);
    size_t entry = layout->body;
    rewritten->original_entry = 0;
    rewritten->instrumented_entry = (uint32_t)entry;
    rewritten->size = align_up(entry + layout->size + TAIL_PADDING);
    rewritten->code = calloc(rewritten->size, 1);
    rewritten->instruction_offsets = malloc(count * sizeof *rewritten->instruction_offsets);
    if (rewritten->code == NULL || rewritten->instruction_offsets == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    memcpy(rewritten->code, info->isa, info->isa_size);
    for (size_t i = 0; i < count; i++) {
        uint32_t piece = layout->place[i];
        rewritten->instruction_offsets[i] =
            piece == REWRITE_NO_PIECE
                ? UINT32_MAX
                : rewritten->instrumented_entry + rewrite_layout_position(layout, piece);
    }
    for (size_t p = 0; p < layout->piece_count; p++) {
        if (layout->pieces[p].kind == REWRITE_ORIGINAL)
            continue;
        rewritten->inserted_instructions++;
        rewritten->inserted_bytes += layout->pieces[p].size;
    }
    return rewrite_encode(instrument, layout, code, rewritten->code + entry, error);
}

enum sonde_status sonde_instrument_emit(struct sonde_instrument *instrument,
                                        struct sonde_rewritten *rewritten,
                                        struct sonde_error *error)
{
    *rewritten = (struct sonde_rewritten){0};
    struct coder_code code = {0};
    struct rewrite_layout layout = {0};
    size_t count = instrument->insertion_count;
    struct rewrite_insertion *sorted = calloc(count + 1, sizeof *sorted);
    if (sorted == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (count != 0)
        memcpy(sorted, instrument->insertions, count * sizeof *sorted);
    rewrite_rank_passes(instrument);
    for (size_t i = 0; i < count; i++)
        sorted[i].rank = instrument->passes[sorted[i].pass].rank;
    qsort(sorted, count, sizeof *sorted, compare_insertions);
    struct rewrite_insertion fill = {.index = instrument->entry, .slot = REWRITE_ENTRY};
    struct sonde_instrument view = *instrument;
    view.insertions = sorted;
    view.fill = &fill;
    enum sonde_status status = expand(&view, &code, &fill, rewritten, error);
    if (status == SONDE_OK)
        status = rewrite_layout_build(&view, &layout, error);
    layout.body =
        (uint32_t)align_up(sonde_kernel_info(instrument->kernel)->isa_size + TAIL_PADDING);
    if (status == SONDE_OK)
        status = link_code(&layout, view.coder, &code, error);
    if (status == SONDE_OK)
        status = fill_heap(&view, &layout, &code, rewritten, error);
    free(sorted);
    coder_code_clear(&code);
    rewrite_layout_clear(&layout);
    if (status != SONDE_OK) {
        if (error != NULL)
            sonde_error_prefix(error, "kernel %s", sonde_kernel_info(instrument->kernel)->name);
        sonde_rewritten_clear(rewritten);
    }
    return status;
}

void sonde_rewritten_clear(struct sonde_rewritten *rewritten)
{
    free(rewritten->code);
    free(rewritten->instruction_offsets);
    *rewritten = (struct sonde_rewritten){0};
}
