/* Bytes of the instrumented body: unchanged instructions verbatim, branches
 * with new distances, inserted code. */
#include "rewrite/internal.h"

#include <string.h>

struct encoder {
    const struct sonde_instrument *instrument;
    const struct rewrite_layout *layout;
    const struct coder_code *code;
};

/* The piece that a branch `index` goes to when it names `target`. */
static uint32_t resolve(const struct encoder *encoder, uint32_t index, uint32_t target, bool is_uip)
{
    const struct rewrite_layout *layout = encoder->layout;
    const struct sonde_instrument *instrument = encoder->instrument;
    if (!is_uip && layout->taken[index] != REWRITE_NO_PIECE)
        return layout->taken[index];
    /* The last join of a kernel names itself: its jump is never taken. */
    enum sonde_gen_opcode opcode = sonde_kernel_instruction(instrument->kernel, index)->opcode;
    bool unused = target == index && (opcode == SONDE_GEN_JOIN || opcode == SONDE_GEN_ENDIF);
    bool exact = unused || (is_uip && rewrite_waits_exactly(instrument->kernel, index, target));
    if (exact && layout->place[target] != REWRITE_NO_PIECE)
        return layout->place[target];
    return target == index + 1 ? layout->fall_through[target] : layout->label[target];
}

static int32_t distance(const struct encoder *encoder, uint32_t from, uint32_t to)
{
    return (int32_t)(rewrite_layout_position(encoder->layout, to) -
                     rewrite_layout_position(encoder->layout, from));
}

static enum sonde_status encode_branch(const struct encoder *encoder, uint32_t piece,
                                       struct sonde_gen_instruction *branch,
                                       struct sonde_error *error, uint8_t *out)
{
    const struct sonde_instrument *instrument = encoder->instrument;
    const struct sonde_kernel *kernel = instrument->kernel;
    uint32_t index = encoder->layout->pieces[piece].index;
    uint32_t jip = sonde_kernel_jip_target(kernel, index);
    uint32_t uip = sonde_kernel_uip_target(kernel, index);
    int32_t new_jip = branch->jip, new_uip = branch->uip;
    if (jip != SONDE_NO_INSTRUCTION) {
        /* Code that stands behind a meeting point runs whoever is enabled. */
        bool behind = encoder->layout->behind[index] && jip != index;
        uint32_t to = behind ? piece + 1 : resolve(encoder, index, jip, false);
        new_jip = distance(encoder, piece, to);
    }
    if (uip != SONDE_NO_INSTRUCTION)
        new_uip = distance(encoder, piece, resolve(encoder, index, uip, true));
    uint32_t size = encoder->layout->pieces[piece].size;
    if (new_jip == branch->jip && new_uip == branch->uip && size == branch->size) {
        memcpy(out, sonde_kernel_info(kernel)->isa + branch->offset, size);
        return SONDE_OK;
    }
    branch->jip = new_jip;
    branch->uip = new_uip;
    branch->compacted = false;
    branch->size = 16;
    return sonde_gen_encode(branch, out, error);
}

static enum sonde_status encode_original(const struct encoder *encoder, uint32_t piece,
                                         uint8_t *out, struct sonde_error *error)
{
    const struct sonde_kernel *kernel = encoder->instrument->kernel;
    uint32_t index = encoder->layout->pieces[piece].index;
    struct sonde_gen_instruction instruction = *sonde_kernel_instruction(kernel, index);
    bool branches = sonde_kernel_jip_target(kernel, index) != SONDE_NO_INSTRUCTION ||
                    sonde_kernel_uip_target(kernel, index) != SONDE_NO_INSTRUCTION;
    if (branches)
        return encode_branch(encoder, piece, &instruction, error, out);
    if (encoder->layout->pieces[piece].size == instruction.size) {
        memcpy(out, sonde_kernel_info(kernel)->isa + instruction.offset, instruction.size);
        return SONDE_OK;
    }
    return sonde_gen_encode(&instruction, out, error);
}

/* A join that jumps where endif or join `index` did when nobody is enabled. */
static enum sonde_status encode_join(const struct encoder *encoder, uint32_t piece, uint8_t *out,
                                     struct sonde_error *error)
{
    const struct sonde_kernel *kernel = encoder->instrument->kernel;
    uint32_t index = encoder->layout->pieces[piece].index;
    const struct sonde_gen_instruction *original = sonde_kernel_instruction(kernel, index);
    struct sonde_gen_instruction join;
    sonde_gen_instruction_init(&join, (enum sonde_gen_platform)original->platform, SONDE_GEN_JOIN,
                               original->exec_size, original->no_mask);
    join.channel_offset = original->channel_offset;
    join.has_jip = true;
    join.jip = distance(encoder, piece,
                        resolve(encoder, index, sonde_kernel_jip_target(kernel, index), false));
    return sonde_gen_encode(&join, out, error);
}

/* The whole thread goes on to the target of jmpi `index`. */
static enum sonde_status encode_return(const struct encoder *encoder, uint32_t piece, uint8_t *out,
                                       struct sonde_error *error)
{
    const struct sonde_kernel *kernel = encoder->instrument->kernel;
    uint32_t index = encoder->layout->pieces[piece].index;
    struct sonde_gen_instruction jump = *sonde_kernel_instruction(kernel, index);
    jump.predicate = SONDE_GEN_PREDICATE_NONE;
    jump.predicate_inverse = false;
    jump.compacted = false;
    jump.size = 16;
    jump.jip =
        distance(encoder, piece, encoder->layout->label[sonde_kernel_jip_target(kernel, index)]);
    return sonde_gen_encode(&jump, out, error);
}

static struct sonde_gen_instruction make_jump(const struct encoder *encoder, int32_t jip)
{
    struct sonde_gen_instruction jump;
    sonde_gen_instruction_init(&jump, sonde_kernel_info(encoder->instrument->kernel)->platform,
                               SONDE_GEN_JMPI, 1, true);
    jump.has_jip = true;
    jump.source_count = 1;
    jump.src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    jump.src[0].type = SONDE_GEN_TYPE_D;
    jump.jip = jip;
    return jump;
}

/* The whole thread goes on to piece `to`. */
static enum sonde_status encode_jump(const struct encoder *encoder, uint32_t piece, uint32_t to,
                                     uint8_t *out, struct sonde_error *error)
{
    struct sonde_gen_instruction jump = make_jump(encoder, distance(encoder, piece, to));
    return sonde_gen_encode(&jump, out, error);
}

/* It goes on in the original body if the flag says so, once that is known. */
static enum sonde_status encode_leave(const struct encoder *encoder, uint32_t piece, uint8_t *out,
                                      struct sonde_error *error)
{
    const struct sonde_instrument *instrument = encoder->instrument;
    uint32_t to = sonde_kernel_instruction(instrument->kernel, instrument->entry)->offset;
    uint32_t from = encoder->layout->body + rewrite_layout_position(encoder->layout, piece);
    struct sonde_gen_instruction jump = make_jump(encoder, (int32_t)(to - from));
    jump.predicate = SONDE_GEN_PREDICATE_CHANNEL;
    jump.predicate_inverse = instrument->leaves.inverse;
    jump.flag_number = instrument->leaves.flag_number;
    jump.flag_subreg = instrument->leaves.flag_subreg;
    jump.swsb = coder_wait_for_last(instrument->coder);
    return sonde_gen_encode(&jump, out, error);
}

/* In place of a removed instruction. */
static enum sonde_status encode_wait(const struct encoder *encoder,
                                     const struct rewrite_piece *piece, uint8_t *out,
                                     struct sonde_error *error)
{
    const struct sonde_instrument *instrument = encoder->instrument;
    struct sonde_gen_wait wait;
    struct sonde_gen_instruction sync;
    sonde_gen_instruction_wait(sonde_kernel_instruction(instrument->kernel, piece->index), &wait);
    coder_make_sync(instrument->coder, &sync);
    if (piece->kind == REWRITE_WAIT_ORDER)
        sync.swsb = coder_wait_for_last(instrument->coder);
    else if (piece->kind == REWRITE_WAIT_TOKEN)
        sync.swsb = coder_wait_for_token(wait.destination, wait.source);
    else
        sync.sync = piece->kind == REWRITE_WAIT_READ ? SONDE_GEN_SYNC_ALLRD : SONDE_GEN_SYNC_ALLWR;
    return sonde_gen_encode(&sync, out, error);
}

enum sonde_status rewrite_encode(const struct sonde_instrument *instrument,
                                 const struct rewrite_layout *layout, const struct coder_code *code,
                                 uint8_t *out, struct sonde_error *error)
{
    struct encoder encoder = {.instrument = instrument, .layout = layout, .code = code};
    enum sonde_status status = SONDE_OK;
    for (uint32_t p = 0; p < layout->piece_count && status == SONDE_OK; p++) {
        const struct rewrite_piece *piece = &layout->pieces[p];
        uint8_t *bytes = out + piece->position;
        switch (piece->kind) {
        case REWRITE_ORIGINAL:
            status = encode_original(&encoder, p, bytes, error);
            break;
        case REWRITE_INSERTED:
            status = sonde_gen_encode(&code->instructions[piece->index], bytes, error);
            break;
        case REWRITE_JOIN:
            status = encode_join(&encoder, p, bytes, error);
            break;
        case REWRITE_RETURN:
            status = encode_return(&encoder, p, bytes, error);
            break;
        case REWRITE_WAIT_ORDER:
        case REWRITE_WAIT_TOKEN:
        case REWRITE_WAIT_WRITTEN:
        case REWRITE_WAIT_READ:
            status = encode_wait(&encoder, piece, bytes, error);
            break;
        case REWRITE_LEAVE:
            status = encode_jump(&encoder, p, layout->prolog_code, bytes, error);
            break;
        case REWRITE_GO_ORIGINAL:
            status = encode_leave(&encoder, p, bytes, error);
            break;
        case REWRITE_COME_BACK:
            status = encode_jump(&encoder, p, layout->filled, bytes, error);
            break;
        }
    }
    return status;
}
