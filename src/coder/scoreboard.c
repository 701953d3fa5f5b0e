/* What inserted code waits for, on parts whose instructions say so themselves.
 *
 * Inside: every instruction waits for the one before it in the in-order pipes,
 * and every message, which takes one token that all inserted code shares, for
 * the message before it. Where code begins it waits for what the kernel has
 * under way if it touches a register of the kernel's; where it ends the kernel
 * finds everything finished that it could meet. Code in registers of its own
 * needs neither: only the next inserted code waits for its last message. What
 * the kernel's instructions wait for stays enough: distances count back over
 * at least as much, and tokens are taken again only when they are free. */
#include "coder/direct.h"

#include "kernel/analysis.h"

#include <stdlib.h>
#include <string.h>

/* The field, by what it says; gen_isa's table of its encodings. */
#define WAIT_ONE_XE      0x01u /* the instruction before */
#define WAIT_ONE_XEHP    0x09u /* the same, of all pipes */
#define WAIT_DESTINATION 0x20u /* a token's result */
#define WAIT_SOURCE      0x30u /* a token's payload */
#define TAKE_TOKEN       0x90u /* and wait for the instruction before */
#define WAIT_BOTH        0x90u /* token's result and the instruction before, of one pipe */

struct writer {
    const struct sonde_coder *coder;
    struct coder_code *code;
    struct sonde_error *error;
    enum sonde_status status;
    bool pending; /* a message of the token may be under way */
    bool one_pipe;
};

static uint16_t wait_one(const struct sonde_coder *coder)
{
    return coder->isa->scoreboard == CODER_SCOREBOARD_XE ? WAIT_ONE_XE : WAIT_ONE_XEHP;
}

uint16_t coder_wait_for_last(const struct sonde_coder *coder)
{
    return coder->isa->scoreboard == CODER_SCOREBOARD_HARDWARE ? 0 : wait_one(coder);
}

static void append(struct writer *writer, const struct sonde_gen_instruction *instruction)
{
    if (writer->status == SONDE_OK)
        writer->status = coder_code_append(writer->code, instruction, writer->error);
}

uint16_t coder_wait_for_token(uint32_t destination, uint32_t source)
{
    return (uint16_t)(destination != 0 ? WAIT_DESTINATION | (uint32_t)__builtin_ctz(destination)
                                       : WAIT_SOURCE | (uint32_t)__builtin_ctz(source));
}

void coder_make_sync(const struct sonde_coder *coder, struct sonde_gen_instruction *sync)
{
    sonde_gen_instruction_init(sync, sonde_kernel_info(coder->kernel)->platform, SONDE_GEN_SYNC, 1,
                               false);
    sync->sync = SONDE_GEN_SYNC_NOP;
    sync->source_count = 1;
    sync->src[0] = direct_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UD);
}

static void synchronize(struct writer *writer, enum sonde_gen_sync function, unsigned swsb)
{
    struct sonde_gen_instruction sync;
    coder_make_sync(writer->coder, &sync);
    sync.sync = (uint8_t)function;
    sync.swsb = (uint16_t)swsb;
    append(writer, &sync);
}

static bool is_out_of_order(const struct sonde_gen_instruction *instruction)
{
    enum sonde_gen_format format =
        sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode);
    return format == SONDE_GEN_FORMAT_SEND || format == SONDE_GEN_FORMAT_MATH ||
           format == SONDE_GEN_FORMAT_DPAS;
}

static bool is_narrow_integer(const struct sonde_gen_operand *operand)
{
    return operand->file == SONDE_GEN_FILE_NONE || operand->type <= SONDE_GEN_TYPE_D;
}

/* Whether the code runs in one pipe: integers of at most 32 bits. */
static bool has_one_pipe(const struct sonde_coder *coder, const struct coder_code *code,
                         size_t first)
{
    if (coder->isa->scoreboard == CODER_SCOREBOARD_XE)
        return true;
    for (size_t i = first; i < code->count; i++) {
        const struct sonde_gen_instruction *instruction = &code->instructions[i];
        if (is_out_of_order(instruction))
            continue;
        if (!is_narrow_integer(&instruction->dst) || !is_narrow_integer(&instruction->src[0]) ||
            !is_narrow_integer(&instruction->src[1]) || !is_narrow_integer(&instruction->src[2]))
            return false;
    }
    return true;
}

/* Flags: of several pipes the later instruction may be through first. */
static bool touches(const struct sonde_coder *coder, const struct sonde_gen_effect *effect)
{
    const uint64_t *kernel = coder->kernel_bytes;
    uint32_t words = coder->grf_words;
    bool flags = effect->flags != 0 && coder->isa->scoreboard == CODER_SCOREBOARD_XEHP;
    bool any = flags || effect->grf_unknown || effect->address != 0 || effect->accumulators != 0 ||
               effect->mme || effect->control;
    for (uint32_t w = 0; w < words && !any; w++)
        any = (effect->grf[w] & kernel[w]) != 0;
    return any;
}

/* Whether the code touches what instructions of the kernel may have under way. */
static bool touches_kernel(const struct sonde_coder *coder, const struct coder_code *code,
                           size_t first)
{
    for (size_t i = first; i < code->count; i++) {
        struct sonde_gen_effects effects;
        if ((code->instructions[i].offset & CODER_MARK) != 0)
            return true; /* a call: of code in registers of the kernel's */
        sonde_gen_instruction_effects(&code->instructions[i], &effects);
        if (touches(coder, &effects.reads) || touches(coder, &effects.writes))
            return true;
    }
    return false;
}

/* Bytes that the kernel names, though it gives them no value. */
static bool writes_named(const struct sonde_coder *coder,
                         const struct sonde_gen_instruction *instruction)
{
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    for (uint32_t w = 0; w < coder->grf_words; w++)
        if ((effects.writes.grf[w] & coder->named_bytes[w]) != 0)
            return true;
    return false;
}

/* State, control and timestamp registers: the next instruction waits too. */
static bool reads_state(const struct sonde_gen_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->source_count; i++)
        if (instruction->src[i].file == SONDE_GEN_FILE_ARF &&
            instruction->src[i].number >= SONDE_GEN_ARF_CHANNEL_ENABLE)
            return true;
    return false;
}

static void copy_instruction(struct writer *writer, const struct sonde_gen_instruction *from)
{
    const struct sonde_coder *coder = writer->coder;
    struct sonde_gen_instruction instruction = *from;
    bool takes = is_out_of_order(from);
    bool jumps = sonde_gen_opcode_is_branch((enum sonde_gen_opcode)from->opcode);
    bool combines = !takes && !jumps && writer->one_pipe;
    if (writer->pending && !combines)
        synchronize(writer, SONDE_GEN_SYNC_NOP, WAIT_DESTINATION | coder->token);
    if (takes)
        instruction.swsb = (uint16_t)(TAKE_TOKEN | coder->token);
    else if (writer->pending && combines)
        instruction.swsb = (uint16_t)(WAIT_BOTH | coder->token);
    else
        instruction.swsb = wait_one(coder);
    writer->pending = takes;
    append(writer, &instruction);
}

static void begin(struct writer *writer, bool meets_kernel)
{
    if (meets_kernel) {
        synchronize(writer, SONDE_GEN_SYNC_ALLWR, wait_one(writer->coder));
        synchronize(writer, SONDE_GEN_SYNC_ALLRD, 0);
    } else {
        writer->pending = true; /* of the code inserted before, or of the kernel */
    }
}

static void end(struct writer *writer, bool meets_kernel, bool before_end,
                const struct sonde_gen_instruction *last)
{
    bool named = writes_named(writer->coder, last);
    if (writer->pending && (meets_kernel || before_end || named))
        synchronize(writer, SONDE_GEN_SYNC_NOP, WAIT_DESTINATION | writer->coder->token);
    if (meets_kernel || reads_state(last) || (named && !writer->pending))
        synchronize(writer, SONDE_GEN_SYNC_NOP, wait_one(writer->coder));
}

/* Jumps count instructions; some were put between. place[i]: of the first that
 * stands for instruction i. Nothing is pending where a jump leaves. */
static void move_jumps(struct coder_code *out, const struct coder_code *code, size_t first,
                       const size_t *place, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct sonde_gen_instruction *from = &code->instructions[first + i];
        size_t at = place[i + 1] - 1;
        if (!coder_is_jump(from) || at >= out->count)
            continue;
        size_t to = (size_t)((int64_t)i + from->jip);
        out->instructions[at].jip = (int32_t)((int64_t)place[to] - (int64_t)at);
    }
}

static enum sonde_status fill(const struct sonde_coder *coder, struct coder_code *code,
                              size_t first, bool meets_kernel, bool before_end,
                              struct sonde_error *error)
{
    struct coder_code out = {0};
    struct writer writer = {
        .coder = coder, .code = &out, .error = error, .one_pipe = has_one_pipe(coder, code, first)};
    size_t count = code->count - first;
    size_t *place = malloc((count + 1) * sizeof *place);
    if (place == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    begin(&writer, meets_kernel);
    for (size_t i = 0; i < count; i++) {
        place[i] = out.count;
        copy_instruction(&writer, &code->instructions[first + i]);
    }
    place[count] = out.count;
    move_jumps(&out, code, first, place, count);
    free(place);
    end(&writer, meets_kernel, before_end, &code->instructions[code->count - 1]);
    code->count = first;
    for (size_t i = 0; i < out.count && writer.status == SONDE_OK; i++)
        writer.status = coder_code_append(code, &out.instructions[i], error);
    coder_code_clear(&out);
    return writer.status;
}

enum sonde_status coder_scoreboard_fill(const struct sonde_coder *coder, struct coder_code *code,
                                        size_t first, bool before_end, struct sonde_error *error)
{
    if (coder->isa->scoreboard == CODER_SCOREBOARD_HARDWARE || first == code->count)
        return SONDE_OK;
    bool meets_kernel = touches_kernel(coder, code, first);
    return fill(coder, code, first, meets_kernel, before_end, error);
}

enum sonde_status coder_scoreboard_fill_body(const struct sonde_coder *coder,
                                             struct coder_code *code, size_t first,
                                             struct sonde_error *error)
{
    if (coder->isa->scoreboard == CODER_SCOREBOARD_HARDWARE)
        return SONDE_OK;
    return fill(coder, code, first, false, false, error);
}

void coder_scoreboard_prepare(struct sonde_coder *coder)
{
    uint32_t used = 0;
    for (size_t i = 0; i < sonde_kernel_instruction_count(coder->kernel); i++) {
        const struct sonde_gen_instruction *instruction =
            sonde_kernel_instruction(coder->kernel, i);
        struct sonde_gen_scoreboard scoreboard;
        if (sonde_gen_scoreboard_decode(instruction, &scoreboard) &&
            scoreboard.token_mode != SONDE_GEN_TOKEN_NONE)
            used |= 1u << (scoreboard.token & 31);
    }
    coder->token = 15;
    while (coder->token != 0 && (used >> coder->token & 1) != 0)
        coder->token--;
    uint64_t untouched[SONDE_GEN_GRF_WORDS] = {0};
    if (kernel_untouched_bytes(coder->kernel, untouched, NULL) != SONDE_OK)
        memset(untouched, 0, sizeof untouched);
    for (uint32_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
        coder->named_bytes[w] = ~untouched[w];
    for (uint32_t w = 0; w < coder->compiler_free.words; w++)
        untouched[w] |= coder->compiler_free.free[w];
    for (uint32_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
        coder->kernel_bytes[w] = ~untouched[w];
}
