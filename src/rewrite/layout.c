/* The order of original and inserted instructions, and their positions. */
#include "rewrite/internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    const struct sonde_instrument *instrument;
    struct rewrite_layout *layout;
    size_t next;  /* insertion to place */
    bool changed; /* the body differs from the original one */
};

static enum sonde_status append(struct rewrite_layout *layout, enum rewrite_piece_kind kind,
                                size_t index, uint32_t size, struct sonde_error *error)
{
    if (base_array_reserve((void **)&layout->pieces, &layout->piece_capacity,
                           layout->piece_count + 1, sizeof *layout->pieces) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (layout->size > INT32_MAX / 2)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                               "the instrumented kernel grows beyond 1 GiB");
    layout->pieces[layout->piece_count++] = (struct rewrite_piece){
        .kind = kind, .index = (uint32_t)index, .position = layout->size, .size = size};
    layout->size += size;
    return SONDE_OK;
}

static uint32_t here(const struct rewrite_layout *layout)
{
    return (uint32_t)layout->piece_count;
}

/* Place the insertions of one slot of an instruction. */
static enum sonde_status place_slot(struct builder *builder, uint32_t index, enum rewrite_slot slot,
                                    bool *placed, struct sonde_error *error)
{
    const struct sonde_instrument *instrument = builder->instrument;
    for (; builder->next < instrument->insertion_count; builder->next++) {
        const struct rewrite_insertion *insertion = &instrument->insertions[builder->next];
        if (insertion->index != index || insertion->slot != slot)
            break;
        for (size_t i = 0; i < insertion->count; i++) {
            enum sonde_status status =
                append(builder->layout, REWRITE_INSERTED, insertion->first + i, 16, error);
            if (status != SONDE_OK)
                return status;
            *placed = true;
        }
    }
    return SONDE_OK;
}

static bool only_waits(const struct sonde_gen_instruction *instruction)
{
    return instruction->opcode == SONDE_GEN_SYNC &&
           (instruction->sync == SONDE_GEN_SYNC_NOP || instruction->sync == SONDE_GEN_SYNC_ALLRD ||
            instruction->sync == SONDE_GEN_SYNC_ALLWR);
}

/* Later instructions count back over a removed one, and rely on what it waited
 * for: where a scoreboard says so the waiting stays. */
static enum sonde_status place_removed(struct builder *builder, uint32_t index,
                                       struct sonde_error *error)
{
    struct rewrite_layout *layout = builder->layout;
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(builder->instrument->kernel, index);
    struct sonde_gen_wait wait;
    if (coder_wait_for_last(builder->instrument->coder) == 0)
        return SONDE_OK;
    if (only_waits(instruction))
        return append(layout, REWRITE_ORIGINAL, index, instruction->size, error);
    sonde_gen_instruction_wait(instruction, &wait);
    enum sonde_status status = append(layout, REWRITE_WAIT_ORDER, index, 16, error);
    if (status == SONDE_OK && (wait.destination | wait.source) != 0)
        status = append(layout, REWRITE_WAIT_TOKEN, index, 16, error);
    if (status == SONDE_OK && wait.sets_token)
        status = append(layout, REWRITE_WAIT_WRITTEN, index, 16, error);
    if (status == SONDE_OK && wait.sets_token)
        status = append(layout, REWRITE_WAIT_READ, index, 16, error);
    return status;
}

static enum sonde_status place_original(struct builder *builder, uint32_t index,
                                        struct sonde_error *error)
{
    struct rewrite_layout *layout = builder->layout;
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(builder->instrument->kernel, index);
    layout->place[index] = REWRITE_NO_PIECE;
    if (builder->instrument->removed[index])
        return place_removed(builder, index, error);
    layout->place[index] = here(layout);
    /* A compacted branch has no room for another distance. */
    bool grows = builder->changed && !instruction->illegal &&
                 sonde_gen_opcode_is_branch(instruction->opcode);
    return append(layout, REWRITE_ORIGINAL, index, grows ? 16 : instruction->size, error);
}

/* Code "before" an instruction at which channels meet stands behind it. */
static enum sonde_status place_behind(struct builder *builder, uint32_t index,
                                      struct sonde_error *error)
{
    const struct sonde_kernel *kernel = builder->instrument->kernel;
    builder->layout->label[index] = here(builder->layout);
    enum sonde_status status = place_original(builder, index, error);
    bool placed = false;
    if (status == SONDE_OK)
        status = place_slot(builder, index, REWRITE_BEFORE, &placed, error);
    builder->layout->behind[index] = placed;
    uint32_t jip = sonde_kernel_jip_target(kernel, index);
    if (status != SONDE_OK || !placed || jip == SONDE_NO_INSTRUCTION || jip == index ||
        jip == index + 1)
        return status;
    return append(builder->layout, REWRITE_JOIN, index, 16, error);
}

static enum sonde_status place_instruction(struct builder *builder, uint32_t index,
                                           struct sonde_error *error)
{
    struct rewrite_layout *layout = builder->layout;
    bool placed = false;
    enum sonde_status status = SONDE_OK;
    if (index == builder->instrument->entry)
        status = place_slot(builder, index, REWRITE_ENTRY, &placed, error);
    layout->fall_through[index] = here(layout);
    if (status == SONDE_OK)
        status = place_slot(builder, index, REWRITE_FALL_THROUGH, &placed, error);
    if (status == SONDE_OK && builder->instrument->meets_behind[index]) {
        status = place_behind(builder, index, error);
    } else if (status == SONDE_OK) {
        layout->label[index] = here(layout);
        status = place_slot(builder, index, REWRITE_BEFORE, &placed, error);
        if (status == SONDE_OK)
            status = place_original(builder, index, error);
    }
    if (status == SONDE_OK)
        status = place_slot(builder, index, REWRITE_AFTER, &placed, error);
    return status;
}

/* Code on the edges of jmpi stands behind the body, each with a jmpi back. */
static enum sonde_status place_taken(struct builder *builder, struct sonde_error *error)
{
    const struct sonde_instrument *instrument = builder->instrument;
    struct rewrite_layout *layout = builder->layout;
    for (builder->next = 0; builder->next < instrument->insertion_count;) {
        const struct rewrite_insertion *insertion = &instrument->insertions[builder->next];
        if (insertion->slot != REWRITE_TAKEN) {
            builder->next++;
            continue;
        }
        bool placed = false;
        uint32_t first = here(layout);
        enum sonde_status status =
            place_slot(builder, insertion->index, REWRITE_TAKEN, &placed, error);
        if (status == SONDE_OK && placed) {
            layout->taken[insertion->index] = first;
            status = append(layout, REWRITE_RETURN, insertion->index, 16, error);
        }
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

static bool is_changed(const struct sonde_instrument *instrument)
{
    if (instrument->fill->count != 0 || instrument->leave.count != 0)
        return true;
    for (size_t i = 0; i < instrument->insertion_count; i++)
        if (instrument->insertions[i].count != 0)
            return true;
    for (size_t i = 0; i < sonde_kernel_instruction_count(instrument->kernel); i++)
        if (instrument->removed[i])
            return true;
    return false;
}

static enum sonde_status place_code(struct builder *builder,
                                    const struct rewrite_insertion *insertion,
                                    struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < insertion->count && status == SONDE_OK; i++)
        status = append(builder->layout, REWRITE_INSERTED, insertion->first + i, 16, error);
    return status;
}

/* Threads that are not to be instrumented leave before anything else. */
static enum sonde_status place_leave(struct builder *builder, struct sonde_error *error)
{
    const struct sonde_instrument *instrument = builder->instrument;
    if (instrument->leave.count == 0)
        return SONDE_OK;
    enum sonde_status status = place_code(builder, &instrument->leave, error);
    return status == SONDE_OK
               ? append(builder->layout, REWRITE_GO_ORIGINAL, instrument->entry, 16, error)
               : status;
}

/* The driver may enter behind the prolog, at a fixed distance: nothing in it
 * moves. Its last instruction, a nop, becomes the way to its code. */
static enum sonde_status place_prolog(struct builder *builder, struct sonde_error *error)
{
    const struct sonde_instrument *instrument = builder->instrument;
    struct rewrite_layout *layout = builder->layout;
    bool has_code = false;
    while (builder->next < instrument->insertion_count &&
           instrument->insertions[builder->next].index < instrument->entry)
        has_code |= instrument->insertions[builder->next++].count != 0;
    enum sonde_status status = SONDE_OK;
    for (uint32_t i = 0; i < instrument->entry && status == SONDE_OK; i++) {
        layout->fall_through[i] = layout->label[i] = here(layout);
        if (has_code && i + 1 == instrument->entry) {
            layout->place[i] = here(layout);
            layout->prolog_code = 0; /* known later */
            status = append(layout, REWRITE_LEAVE, i, 16, error);
        } else {
            status = place_original(builder, i, error);
        }
    }
    return status;
}

/* Behind the body: fill registers, run what stands at the prolog, go on. */
static enum sonde_status place_prolog_code(struct builder *builder, struct sonde_error *error)
{
    const struct sonde_instrument *instrument = builder->instrument;
    struct rewrite_layout *layout = builder->layout;
    if (layout->prolog_code == REWRITE_NO_PIECE)
        return SONDE_OK;
    layout->prolog_code = here(layout);
    enum sonde_status status = place_leave(builder, error);
    if (status == SONDE_OK)
        status = place_code(builder, instrument->fill, error);
    for (size_t i = 0; i < instrument->insertion_count && status == SONDE_OK; i++)
        if (instrument->insertions[i].index < instrument->entry)
            status = place_code(builder, &instrument->insertions[i], error);
    if (status == SONDE_OK)
        status = append(layout, REWRITE_COME_BACK, instrument->entry, 16, error);
    return status;
}

static enum sonde_status place_bodies(struct builder *builder, struct sonde_error *error)
{
    const struct sonde_instrument *instrument = builder->instrument;
    enum sonde_status status = SONDE_OK;
    for (size_t i = instrument->bodies; i < instrument->code_count && status == SONDE_OK; i++)
        status = append(builder->layout, REWRITE_INSERTED, i, 16, error);
    return status;
}

static enum sonde_status place_all(struct builder *builder, struct sonde_error *error)
{
    const struct sonde_instrument *instrument = builder->instrument;
    size_t count = sonde_kernel_instruction_count(instrument->kernel);
    enum sonde_status status = place_prolog(builder, error);
    if (status == SONDE_OK)
        status = place_leave(builder, error);
    if (status == SONDE_OK)
        status = place_code(builder, instrument->fill, error);
    builder->layout->filled = here(builder->layout);
    for (size_t i = instrument->entry; i < count && status == SONDE_OK; i++) {
        status = place_instruction(builder, (uint32_t)i, error);
        /* Insertions on edges of this instruction come last. */
        while (builder->next < instrument->insertion_count &&
               instrument->insertions[builder->next].slot == REWRITE_TAKEN)
            builder->next++;
    }
    if (status == SONDE_OK)
        status = place_taken(builder, error);
    if (status == SONDE_OK)
        status = place_prolog_code(builder, error);
    return status == SONDE_OK ? place_bodies(builder, error) : status;
}

enum sonde_status rewrite_layout_build(const struct sonde_instrument *instrument,
                                       struct rewrite_layout *layout, struct sonde_error *error)
{
    size_t count = sonde_kernel_instruction_count(instrument->kernel);
    *layout = (struct rewrite_layout){
        .label = calloc(count, sizeof *layout->label),
        .fall_through = calloc(count, sizeof *layout->fall_through),
        .place = calloc(count, sizeof *layout->place),
        .behind = calloc(count, sizeof *layout->behind),
        .taken = malloc(count * sizeof *layout->taken),
        .prolog_code = REWRITE_NO_PIECE,
    };
    if (layout->label == NULL || layout->fall_through == NULL || layout->place == NULL ||
        layout->behind == NULL || layout->taken == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    memset(layout->taken, 0xff, count * sizeof *layout->taken);
    struct builder builder = {
        .instrument = instrument, .layout = layout, .changed = is_changed(instrument)};
    return place_all(&builder, error);
}

void rewrite_layout_clear(struct rewrite_layout *layout)
{
    free(layout->pieces);
    free(layout->label);
    free(layout->fall_through);
    free(layout->place);
    free(layout->taken);
    free(layout->behind);
    *layout = (struct rewrite_layout){0};
}

uint32_t rewrite_layout_position(const struct rewrite_layout *layout, uint32_t piece)
{
    return piece < layout->piece_count ? layout->pieces[piece].position : layout->size;
}
