/* Bodies of probes, behind the kernel's code, and the calls of them.
 *
 * A call is mov r125.0 = a distance, jmpi to the body; the return is jmpi by
 * r125.0. Not call and ret: these leave a thread out that has no channel
 * enabled, and procedures run whoever is enabled; and they change who is. The
 * distance is counted from the body's last instruction, so that the code needs
 * no address. */
#include "coder/direct.h"
#include "coder/hli.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool coder_is_jump(const struct sonde_gen_instruction *instruction)
{
    return instruction->opcode == SONDE_GEN_JMPI && instruction->has_jip &&
           (instruction->offset & CODER_MARK) == 0;
}

static enum sonde_status copy_routine(struct sonde_coder *coder,
                                      const struct sonde_hli_function *function, size_t routine,
                                      uint32_t first, struct sonde_error *error)
{
    const struct hli_routine *from = &function->routines[routine];
    if (base_array_reserve((void **)&coder->bodies, &coder->body_capacity, coder->body_count + 1,
                           sizeof *coder->bodies) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct coder_body *body = &coder->bodies[coder->body_count];
    *body = (struct coder_body){.steps = malloc(from->count * sizeof *body->steps),
                                .step_count = from->count,
                                .identity = function->identity,
                                .routine = routine,
                                .writes = function->writes};
    if (body->steps == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    memcpy(body->steps, from->steps, from->count * sizeof *body->steps);
    for (size_t i = 0; i < body->step_count; i++)
        if (body->steps[i].kind == HLI_CALL)
            body->steps[i].target += first;
    coder->body_count++;
    return SONDE_OK;
}

enum sonde_status coder_body_find(struct sonde_coder *coder,
                                  const struct sonde_hli_function *function, uint32_t *body,
                                  struct sonde_error *error)
{
    for (*body = 0; *body < coder->body_count; ++*body)
        if (coder->bodies[*body].identity == function->identity &&
            coder->bodies[*body].routine == 0)
            return SONDE_OK;
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < function->count && status == SONDE_OK; i++)
        status = copy_routine(coder, function, i, *body, error);
    if (status != SONDE_OK)
        while (coder->body_count > *body)
            free(coder->bodies[--coder->body_count].steps);
    return status;
}

void coder_bodies_clear(struct sonde_coder *coder)
{
    for (size_t i = 0; i < coder->body_count; i++)
        free(coder->bodies[i].steps);
    free(coder->bodies);
}

static enum sonde_status append_marked(const struct sonde_coder *coder, struct coder_code *code,
                                       enum sonde_gen_opcode opcode, uint32_t mark,
                                       struct sonde_error *error)
{
    struct sonde_gen_instruction instruction;
    sonde_gen_instruction_init(&instruction, sonde_kernel_info(coder->kernel)->platform, opcode, 1,
                               true);
    bool moves = opcode == SONDE_GEN_MOV;
    instruction.offset = mark;
    instruction.has_jip = !moves;
    instruction.source_count = 1;
    if (moves)
        instruction.dst =
            direct_destination(direct_grf(coder, HLI_FRAME * coder->grf_size, SONDE_GEN_TYPE_UD));
    instruction.src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    instruction.src[0].type = moves ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_D;
    return coder_code_append(code, &instruction, error);
}

enum sonde_status coder_body_emit_call(struct sonde_coder *coder, uint32_t body,
                                       struct coder_code *code, struct sonde_error *error)
{
    coder->bodies[body].used = true;
    enum sonde_status status =
        append_marked(coder, code, SONDE_GEN_MOV, CODER_MARK_ADDRESS | body, error);
    return status == SONDE_OK
               ? append_marked(coder, code, SONDE_GEN_JMPI, CODER_MARK_CALL | body, error)
               : status;
}

static enum sonde_status emit_return(const struct sonde_coder *coder, struct coder_code *code,
                                     struct sonde_error *error)
{
    struct sonde_gen_instruction jump;
    sonde_gen_instruction_init(&jump, sonde_kernel_info(coder->kernel)->platform, SONDE_GEN_JMPI, 1,
                               true);
    jump.has_jip = false;
    jump.source_count = 1;
    jump.src[0] = direct_grf(coder, HLI_FRAME * coder->grf_size, SONDE_GEN_TYPE_D);
    return coder_code_append(code, &jump, error);
}

static enum sonde_status emit_step(struct sonde_coder *coder, const struct hli_step *step,
                                   struct coder_code *code, struct sonde_error *error)
{
    if (step->kind == HLI_CALL)
        return coder_body_emit_call(coder, step->target, code, error);
    if (step->kind == HLI_RETURN)
        return emit_return(coder, code, error);
    return coder_code_append(code, &step->instruction, error);
}

static enum sonde_status emit_body(struct sonde_coder *coder, size_t number,
                                   struct coder_code *code, struct sonde_error *error)
{
    struct coder_body *body = &coder->bodies[number];
    size_t *place = malloc(body->step_count * sizeof *place);
    if (place == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    body->first = code->count;
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < body->step_count && status == SONDE_OK; i++) {
        place[i] = code->count;
        status = emit_step(coder, &body->steps[i], code, error);
    }
    for (size_t i = 0; i < body->step_count && status == SONDE_OK; i++)
        if (body->steps[i].kind == HLI_JUMP)
            code->instructions[place[i]].jip =
                (int32_t)((int64_t)place[body->steps[i].target] - (int64_t)place[i]);
    free(place);
    if (status == SONDE_OK)
        status = coder_scoreboard_fill_body(coder, code, body->first, error);
    for (size_t i = body->first; i < code->count && status == SONDE_OK; i++) {
        struct sonde_gen_instruction *instruction = &code->instructions[i];
        if (coder_is_jump(instruction))
            instruction->jip *= 16; /* inserted code is not compacted */
        if (instruction->opcode == SONDE_GEN_JMPI && !instruction->has_jip)
            body->return_at = i;
    }
    return status;
}

/* Until all are there that the others call. */
enum sonde_status coder_expand_bodies(struct sonde_coder *coder, struct coder_code *code,
                                      struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    bool more = true;
    for (size_t i = 0; i < coder->body_count; i++)
        coder->bodies[i].first = SIZE_MAX;
    while (more && status == SONDE_OK) {
        more = false;
        for (size_t i = 0; i < coder->body_count && status == SONDE_OK; i++) {
            if (!coder->bodies[i].used || coder->bodies[i].first != SIZE_MAX)
                continue;
            more = true;
            status = emit_body(coder, i, code, error);
        }
    }
    return status;
}

void coder_link(const struct sonde_coder *coder, struct coder_code *code, const uint32_t *positions)
{
    size_t address = 0;
    for (size_t i = 0; i < code->count; i++) {
        struct sonde_gen_instruction *instruction = &code->instructions[i];
        uint32_t mark = instruction->offset & CODER_MARK;
        if (mark == 0)
            continue;
        const struct coder_body *body = &coder->bodies[instruction->offset & ~CODER_MARK];
        instruction->offset = 0;
        if (mark == CODER_MARK_ADDRESS) {
            address = i;
            continue;
        }
        instruction->jip = (int32_t)(positions[body->first] - positions[i]);
        /* Before Xe the distance counts from the end of the jump. */
        uint32_t from = positions[body->return_at];
        if (instruction->platform < SONDE_GEN_PLATFORM_XE)
            from += 16;
        code->instructions[address].src[0].immediate = (uint32_t)(positions[i] + 16 - from);
    }
}
