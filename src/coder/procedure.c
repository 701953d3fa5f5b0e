/* The coder object, virtual registers and procedures. */
#include "coder/internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of each virtual register type; 0 stands for one register. A PTR is
 * a surface offset (4) or an address (8). */
static const uint16_t vreg_sizes[] = {
    [SONDE_VREG_BYTE] = 1,    [SONDE_VREG_WORD] = 2,   [SONDE_VREG_DWORD] = 4,
    [SONDE_VREG_QWORD] = 8,   [SONDE_VREG_OWORD] = 16, [SONDE_VREG_HWORD] = 32,
    [SONDE_VREG_DHWORD] = 64, [SONDE_VREG_PTR] = 0,    [SONDE_VREG_GRF] = 0,
};

static const struct coder_isa *const instruction_sets[] = {&coder_isa_gen9};

const struct coder_isa *coder_isa_find(enum sonde_gen_platform platform)
{
    for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++)
        if (platform >= instruction_sets[i]->first && platform <= instruction_sets[i]->last)
            return instruction_sets[i];
    return NULL;
}

static enum sonde_status check_options(const struct sonde_coder_options *options,
                                       struct sonde_error *error)
{
    if (options == NULL || options->maximum_threads == 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "the number of hardware threads must be given");
    /* 240 and above have meanings of their own (SLM, stateless). */
    if (options->buffer_model == SONDE_BUFFER_SURFACE && options->binding_table_index >= 240)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "binding-table index %u is out of range",
                               options->binding_table_index);
    return SONDE_OK;
}

enum sonde_status coder_create(struct sonde_kernel *kernel,
                               const struct sonde_coder_options *options,
                               struct sonde_coder **coder, struct sonde_error *error)
{
    *coder = NULL;
    enum sonde_status status = check_options(options, error);
    if (status != SONDE_OK)
        return status;
    const struct sonde_kernel_info *info = sonde_kernel_info(kernel);
    const struct coder_isa *isa = coder_isa_find(info->platform);
    if (isa == NULL)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "this version generates no code for %s",
                               sonde_gen_platform_name(info->platform));
    struct sonde_coder *made = calloc(1, sizeof *made);
    if (made == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    made->kernel = kernel;
    made->options = *options;
    made->isa = isa;
    made->grf_size = sonde_gen_platform_grf_size(info->platform);
    made->grf_count = info->grf_count;
    made->grf_words = made->grf_size * made->grf_count / 64;
    made->vreg_count = 1;
    if (base_array_reserve((void **)&made->vregs, &made->vreg_capacity, 1, sizeof *made->vregs) !=
        SONDE_OK) {
        free(made);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    coder_forget_chunks(made);
    *coder = made;
    return SONDE_OK;
}

void coder_destroy(struct sonde_coder *coder)
{
    if (coder == NULL)
        return;
    while (coder->procedures != NULL) {
        struct sonde_procedure *procedure = coder->procedures;
        coder->procedures = procedure->next;
        free(procedure->items);
        free(procedure->name);
        free(procedure);
    }
    free(coder->vregs);
    free(coder);
}

bool coder_owns(const struct sonde_coder *coder, const struct sonde_procedure *procedure)
{
    return procedure != NULL && procedure->coder == coder;
}

struct sonde_procedure *sonde_procedure_create(struct sonde_coder *coder, const char *name)
{
    struct sonde_procedure *procedure = calloc(1, sizeof *procedure);
    char *copy = strdup(name == NULL ? "" : name);
    if (procedure == NULL || copy == NULL) {
        free(procedure);
        free(copy);
        return NULL;
    }
    procedure->coder = coder;
    procedure->name = copy;
    procedure->next = coder->procedures;
    coder->procedures = procedure;
    return procedure;
}

size_t sonde_procedure_instruction_count(const struct sonde_procedure *procedure)
{
    return procedure->item_count;
}

struct coder_item *coder_procedure_append(struct sonde_procedure *procedure)
{
    if (base_array_reserve((void **)&procedure->items, &procedure->item_capacity,
                           procedure->item_count + 1, sizeof *procedure->items) != SONDE_OK)
        return NULL;
    struct coder_item *item = &procedure->items[procedure->item_count++];
    memset(item, 0, sizeof *item);
    return item;
}

sonde_vreg sonde_vreg_make_scratch(struct sonde_coder *coder, enum sonde_vreg_type type)
{
    if ((unsigned)type >= sizeof vreg_sizes / sizeof *vreg_sizes ||
        coder->vreg_count >= UINT32_MAX ||
        base_array_reserve((void **)&coder->vregs, &coder->vreg_capacity, coder->vreg_count + 1,
                           sizeof *coder->vregs) != SONDE_OK)
        return 0;
    uint32_t size = vreg_sizes[type];
    if (type == SONDE_VREG_PTR)
        size = coder->options.buffer_model == SONDE_BUFFER_SURFACE ? 4 : 8;
    else if (type == SONDE_VREG_GRF)
        size = coder->grf_size;
    uint32_t align = size < coder->grf_size ? size : coder->grf_size;
    coder->vregs[coder->vreg_count] =
        (struct coder_vreg){.size = (uint16_t)size, .align = (uint16_t)align};
    return (sonde_vreg)coder->vreg_count++;
}

static const char *refusal_of(const struct sonde_coder *coder,
                              const struct sonde_gen_instruction *instruction)
{
    if (instruction->platform != sonde_kernel_info(coder->kernel)->platform)
        return "is of another platform";
    if (instruction->illegal || instruction->opcode == SONDE_GEN_ILLEGAL)
        return "is illegal";
    if (sonde_gen_opcode_is_branch(instruction->opcode))
        return "is a branch";
    if (instruction->send.end_of_thread)
        return "ends the thread";
    if (instruction->dst.file == SONDE_GEN_FILE_ARF &&
        (instruction->dst.number & 0xf0) == SONDE_GEN_ARF_IP)
        return "writes the instruction pointer";
    return NULL;
}

enum sonde_status sonde_coder_append_instruction(struct sonde_coder *coder,
                                                 struct sonde_procedure *procedure,
                                                 const struct sonde_gen_instruction *instruction,
                                                 struct sonde_error *error)
{
    if (!coder_owns(coder, procedure))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "procedure of another coder");
    const char *refusal = refusal_of(coder, instruction);
    if (refusal != NULL)
        return sonde_error_set(
            error, SONDE_ERROR_ARGUMENT, 0, "%s cannot be inserted by procedure %s: it %s",
            sonde_gen_opcode_mnemonic(instruction->opcode), procedure->name, refusal);
    struct coder_item *item = coder_procedure_append(procedure);
    if (item == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    item->kind = CODER_ITEM_INSTRUCTION;
    item->instruction = *instruction;
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    for (uint32_t w = 0; w < coder->grf_words; w++)
        coder->named[w] |= effects.reads.grf[w] | effects.writes.grf[w];
    return SONDE_OK;
}
