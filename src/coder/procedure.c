/* The coder object, virtual registers and procedures. */
#include "coder/internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static enum sonde_status check_options(const struct sonde_coder_options *options,
                                       struct sonde_error *error)
{
    if (options == NULL || options->maximum_threads == 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "the number of hardware threads must be given");
    bool stateless = options->buffer_model == SONDE_BUFFER_STATELESS;
    bool fetches = coder_fetches_address(options);
    /* 240 and above have meanings of their own (SLM, stateless). */
    if ((!stateless || fetches) && options->binding_table_index >= 240)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "binding-table index %u is out of range",
                               options->binding_table_index);
    if (stateless && options->buffer_address == 0 && !fetches &&
        (options->buffer_address_byte % 8 != 0 || options->buffer_address_byte == 0 ||
         options->buffer_address_byte > 128 * 32 - 8))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "the profile buffer's address must be given, or the multiple of 8 "
                               "in the register file where it stands at the entry, or in the "
                               "buffer");
    if (options->buffer_holds_address && options->buffer_address_offset % 8 != 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "the profile buffer holds its address at byte %u, which is no "
                               "multiple of 8",
                               options->buffer_address_offset);
    return SONDE_OK;
}

/* Integer products keep their upper halves in the accumulator. */
static bool keeps_product(const struct sonde_gen_instruction *instruction)
{
    switch (instruction->opcode) {
    case SONDE_GEN_MUL:
    case SONDE_GEN_MAC:
    case SONDE_GEN_MACH:
    case SONDE_GEN_MACL:
    case SONDE_GEN_SAD2:
    case SONDE_GEN_SADA2:
        break;
    default:
        return false;
    }
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    return effects.writes.accumulators != 0 &&
           !sonde_gen_type_is_float((enum sonde_gen_type)instruction->src[0].type);
}

static void scan_kernel(struct sonde_coder *coder)
{
    for (size_t b = 1; b < sonde_kernel_block_count(coder->kernel); b++)
        if (sonde_kernel_block(coder->kernel, b)->is_entry)
            coder->entry = sonde_kernel_block(coder->kernel, b)->first;
    for (size_t i = 0; i < sonde_kernel_instruction_count(coder->kernel); i++)
        coder->has_wide_accumulators |= keeps_product(sonde_kernel_instruction(coder->kernel, i));
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
    scan_kernel(made);
    if (base_array_reserve((void **)&made->vregs, &made->vreg_capacity, 1, sizeof *made->vregs) !=
        SONDE_OK) {
        free(made);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    coder_forget_chunks(made);
    coder_scoreboard_prepare(made);
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
        free(procedure->cost);
        free(procedure);
    }
    coder_bodies_clear(coder);
    free(coder->mappings);
    free(coder->vregs);
    free(coder);
}

void coder_set_spill_area(struct sonde_coder *coder, uint32_t offset, uint32_t size)
{
    coder->spill_offset = offset;
    coder->spill_size = size;
}

bool coder_owns(const struct sonde_coder *coder, const struct sonde_procedure *procedure)
{
    return procedure != NULL && procedure->coder == coder;
}

struct sonde_procedure *sonde_procedure_create(struct sonde_coder *coder, const char *name)
{
    struct sonde_procedure *procedure = calloc(1, sizeof *procedure);
    char *copy = strdup(name == NULL ? "" : name);
    struct sonde_procedure_cost *cost = calloc(1, sizeof *cost);
    if (procedure == NULL || copy == NULL || cost == NULL) {
        free(procedure);
        free(copy);
        free(cost);
        return NULL;
    }
    procedure->cost = cost;
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

enum sonde_status sonde_procedure_append(struct sonde_procedure *procedure,
                                         const struct sonde_procedure *source,
                                         struct sonde_error *error)
{
    if (!coder_owns(procedure->coder, source))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "procedure of another coder");
    size_t count = source->item_count, before = procedure->item_count;
    for (size_t i = 0; i < count; i++) {
        struct coder_item *item = coder_procedure_append(procedure);
        if (item == NULL) {
            procedure->item_count = before;
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
        }
        *item = source->items[i];
    }
    return SONDE_OK;
}

void sonde_procedure_cost(const struct sonde_procedure *procedure,
                          struct sonde_procedure_cost *cost)
{
    *cost = *procedure->cost;
}

void sonde_coder_gen_model(const struct sonde_coder *coder, struct sonde_gen_model *model)
{
    *model = (struct sonde_gen_model){
        .platform = sonde_kernel_info(coder->kernel)->platform,
        .grf_size = coder->grf_size,
        .maximum_threads = coder->options.maximum_threads,
        .maximum_thread_buckets = 1u << coder_isa_thread_id_bits(coder->isa),
        .maximum_tiles = 1,
    };
}

enum sonde_buffer_model sonde_coder_profile_buffer_addr_model(const struct sonde_coder *coder)
{
    return coder->options.buffer_model;
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
    if (instruction->dst.file == SONDE_GEN_FILE_ARF &&
        (instruction->dst.number & 0xf0) == SONDE_GEN_ARF_CONTROL)
        return "writes the control register, which the kernel's arithmetic obeys";
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
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    for (uint32_t w = 0; w < coder->grf_words; w++)
        if ((effects.writes.grf[w] & coder->held[w]) != 0)
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                                   "%s in procedure %s writes a register that is reserved for "
                                   "the whole kernel",
                                   sonde_gen_opcode_mnemonic(instruction->opcode), procedure->name);
    struct coder_item *item = coder_procedure_append(procedure);
    if (item == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    item->kind = CODER_ITEM_INSTRUCTION;
    item->instruction = *instruction;
    for (uint32_t w = 0; w < coder->grf_words; w++)
        coder->named[w] |= effects.reads.grf[w] | effects.writes.grf[w];
    return SONDE_OK;
}
