/* Programs: code found from the kernel's start by following control flow,
 * decoded and translated once. */
#include <stdlib.h>
#include <string.h>

#include "emu/gen/semantics.h"
#include "isa/gen/validate.h"

struct emu_program {
    enum sonde_gen_platform platform;
    uint64_t kernel_start, instruction_base;
    enum emu_path path;
    uint32_t register_bytes;
    struct emu_arena *arena;
    pthread_mutex_t lock;
    struct emu_operation **table; /* open addressing by address */
    size_t table_size;
    struct emu_operation **list; /* by index */
    size_t list_count, list_capacity;
    size_t translated; /* list entries with code */
    struct emu_operation *out_of_memory;
};

static uint64_t operation_address(const struct emu_program *program,
                                  const struct emu_operation *operation)
{
    return program->kernel_start + (uint64_t)(int64_t)(int32_t)operation->details->address;
}

static size_t slot_of(const struct emu_program *program, uint32_t address)
{
    size_t slot = (address >> 3) * (size_t)2654435761u & (program->table_size - 1);
    while (program->table[slot] && program->table[slot]->details->address != address)
        slot = (slot + 1) & (program->table_size - 1);
    return slot;
}

static bool table_grow(struct emu_program *program)
{
    size_t size = program->table_size ? program->table_size * 2 : 1024;
    struct emu_operation **table = calloc(size, sizeof(struct emu_operation *));
    if (!table)
        return false;
    free(program->table);
    program->table = table;
    program->table_size = size;
    for (size_t i = 0; i < program->list_count; i++)
        program->table[slot_of(program, program->list[i]->details->address)] = program->list[i];
    return true;
}

static bool list_add(struct emu_program *program, struct emu_operation *operation)
{
    if (program->list_count == program->list_capacity) {
        size_t capacity = program->list_capacity ? program->list_capacity * 2 : 512;
        struct emu_operation **list =
            realloc(program->list, capacity * sizeof(struct emu_operation *));
        if (!list)
            return false;
        program->list = list;
        program->list_capacity = capacity;
    }
    operation->index = (uint32_t)program->list_count;
    program->list[program->list_count++] = operation;
    return true;
}

/* The operation at an address, created empty when new; NULL out of memory. */
static struct emu_operation *place_at(struct emu_program *program, uint32_t address)
{
    if ((program->list_count + 1) * 2 > program->table_size && !table_grow(program))
        return NULL;
    size_t slot = slot_of(program, address);
    if (program->table[slot])
        return program->table[slot];
    struct emu_operation *operation = emu_arena_take(program->arena, sizeof(*operation));
    struct emu_details *details = emu_arena_take(program->arena, sizeof(*details));
    if (!operation || !details)
        return NULL;
    details->address = address;
    operation->details = details;
    if (!list_add(program, operation))
        return NULL;
    program->table[slot] = operation;
    return operation;
}

/* Read code that may straddle pages; returns the bytes that are mapped. */
static size_t fetch(const struct emu_memory *memory, uint64_t address, uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        uint64_t at = address + done;
        const uint8_t *page =
            memory->page(memory->context, at & ~(uint64_t)(EMU_PAGE_SIZE - 1), false);
        if (!page)
            break;
        size_t start = at & (EMU_PAGE_SIZE - 1);
        size_t part = EMU_PAGE_SIZE - start;
        if (part > size - done)
            part = size - done;
        memcpy(bytes + done, page + start, part);
        done += part;
    }
    return done;
}

static bool ends_flow(const struct sonde_gen_instruction *instruction)
{
    if (instruction->illegal || instruction->opcode == SONDE_GEN_ILLEGAL)
        return true;
    if (instruction->send.end_of_thread && !instruction->predicate &&
        sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_SEND)
        return true;
    return instruction->opcode == SONDE_GEN_JMPI && !instruction->predicate;
}

static struct emu_operation *link_to(struct emu_program *program, uint32_t address)
{
    struct emu_operation *target = place_at(program, address);
    if (target)
        target->target = true;
    return target;
}

/* Branches whose offsets must be immediates. */
static bool offsets_missing(const struct sonde_gen_instruction *instruction)
{
    switch (instruction->opcode) {
    case SONDE_GEN_IF:
    case SONDE_GEN_ELSE:
    case SONDE_GEN_BREAK:
    case SONDE_GEN_CONT:
    case SONDE_GEN_HALT:
    case SONDE_GEN_GOTO:
    case SONDE_GEN_BRC:
        return !instruction->has_jip || !instruction->has_uip;
    case SONDE_GEN_ENDIF:
    case SONDE_GEN_WHILE:
    case SONDE_GEN_JOIN:
    case SONDE_GEN_BRD:
        return !instruction->has_jip;
    default:
        return false;
    }
}

static void make_illegal(struct emu_operation *operation, const char *reason)
{
    ((struct emu_details *)(uintptr_t)operation->details)->illegal = reason;
    operation->run = emu_run_illegal;
    operation->always = true;
}

/* Resolve the following operation and the branch targets. */
static bool link_operation(struct emu_program *program, struct emu_operation *operation,
                           uint32_t address)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    if (!ends_flow(instruction)) {
        struct emu_operation *next = place_at(program, address + instruction->size);
        if (!next)
            return false;
        if (sonde_gen_opcode_is_branch(instruction->opcode))
            next->target = true;
        operation->next = next;
    }
    if (instruction->illegal || !sonde_gen_opcode_is_branch(instruction->opcode))
        return true;
    if (offsets_missing(instruction)) {
        make_illegal(operation, "branch without its offsets");
        return true;
    }
    if (instruction->has_jip && instruction->opcode != SONDE_GEN_CALLA &&
        !(operation->jip = link_to(program, address + (uint32_t)instruction->jip)))
        return false;
    if (instruction->has_uip &&
        !(operation->uip = link_to(program, address + (uint32_t)instruction->uip)))
        return false;
    return true;
}

/* What the rules are held against: one element has no stride, and the driver's
 * compiler leaves a vertical one of 1 there on Xe-HPG. */
static struct sonde_gen_instruction without_idle_stride(struct sonde_gen_instruction instruction)
{
    for (size_t i = 0;
         instruction.exec_size == 1 && i < sizeof instruction.src / sizeof instruction.src[0]; i++)
        if (instruction.src[i].width == 1 && instruction.src[i].hstride == 0 &&
            instruction.src[i].vstride == 1)
            instruction.src[i].vstride = 0;
    return instruction;
}

/* Regions, alignment, registers of messages and the like that the hardware does
 * not define are stopped rather than guessed at. Not so types: the compiler uses
 * some that the tables do not have. False without memory. */
static bool check_rules(struct emu_program *program, struct emu_operation *operation,
                        const struct sonde_gen_instruction *instruction)
{
    struct sonde_error error;
    bool types =
        instruction->platform >= SONDE_GEN_PLATFORM_XE && isa_gen_types_rule(instruction) != NULL;
    const struct sonde_gen_instruction judged = without_idle_stride(*instruction);
    if (operation->details->illegal || types ||
        sonde_gen_instruction_validate(&judged, &error) == SONDE_OK)
        return true;
    char *reason = emu_arena_take(program->arena, sizeof error.message);
    if (!reason)
        return false;
    memcpy(reason, error.message, sizeof error.message);
    make_illegal(operation, reason);
    return true;
}

static bool translate_at(struct emu_program *program, const struct emu_memory *memory,
                         struct emu_operation *operation)
{
    struct sonde_gen_instruction instruction;
    uint32_t address = operation->details->address;
    uint8_t bytes[16] = {0};
    size_t mapped = fetch(memory, operation_address(program, operation), bytes, sizeof(bytes));
    bool target = operation->target;
    uint32_t index = operation->index;
    const char *reason = NULL;
    memset(&instruction, 0, sizeof(instruction));
    if (mapped < 8)
        reason = "the instruction pointer left the mapped code";
    else if (sonde_gen_decode(program->platform, bytes, mapped, 0, &instruction, NULL) != SONDE_OK)
        reason = "the instruction cannot be decoded";
    if (reason) {
        memset(&instruction, 0, sizeof(instruction));
        memcpy(instruction.raw, bytes, sizeof(bytes));
        instruction.illegal = true;
        instruction.size = 16;
    }
    instruction.offset = address;
    if (!emu_translate(program->arena, &instruction, program->path, program->register_bytes,
                       operation))
        return false;
    operation->target = target;
    operation->index = index;
    struct emu_details *details = (struct emu_details *)(uintptr_t)operation->details;
    details->address = address;
    details->mapped = (uint8_t)mapped;
    memcpy(details->bytes, bytes, sizeof(bytes));
    if (reason)
        details->illegal = reason;
    else if (!check_rules(program, operation, &instruction))
        return false;
    return link_operation(program, operation, address);
}

/* Translate everything placed and not yet translated. */
static bool translate_pending(struct emu_program *program, const struct emu_memory *memory)
{
    while (program->translated < program->list_count) {
        if (!translate_at(program, memory, program->list[program->translated]))
            return false;
        program->translated++;
    }
    return true;
}

static bool prepare_out_of_memory(struct emu_program *program)
{
    struct emu_operation *operation = emu_arena_take(program->arena, sizeof(*operation));
    struct emu_details *details = emu_arena_take(program->arena, sizeof(*details));
    if (!operation || !details)
        return false;
    operation->details = details;
    make_illegal(operation, "out of memory for the translated program");
    program->out_of_memory = operation;
    return true;
}

enum sonde_status emu_program_create(const struct emu_dispatch *dispatch,
                                     const struct emu_memory *memory, enum emu_path path,
                                     struct emu_arena *arena, struct emu_program **result,
                                     struct sonde_error *error)
{
    struct emu_program *program = calloc(1, sizeof(*program));
    if (!arena)
        arena = emu_arena_create();
    if (!program)
        emu_arena_destroy(arena);
    if (!program)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    program->platform = dispatch->platform;
    program->kernel_start = dispatch->kernel_start;
    program->instruction_base = dispatch->instruction_base;
    program->path = path;
    program->register_bytes = emu_register_bytes(dispatch);
    program->arena = arena;
    pthread_mutex_init(&program->lock, NULL);
    if (!program->arena || !prepare_out_of_memory(program) || !place_at(program, 0) ||
        !translate_pending(program, memory)) {
        emu_program_destroy(program);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0,
                               "out of memory for the kernel at 0x%llx",
                               (unsigned long long)dispatch->kernel_start);
    }
    *result = program;
    return SONDE_OK;
}

void emu_program_destroy(struct emu_program *program)
{
    if (!program)
        return;
    pthread_mutex_destroy(&program->lock);
    emu_arena_destroy(program->arena);
    free(program->table);
    free(program->list);
    free(program);
}

bool emu_program_matches(const struct emu_program *program, const struct emu_dispatch *dispatch,
                         const struct emu_memory *memory)
{
    if (program->kernel_start != dispatch->kernel_start ||
        program->instruction_base != dispatch->instruction_base ||
        program->platform != dispatch->platform ||
        program->register_bytes != emu_register_bytes(dispatch))
        return false;
    for (size_t i = 0; i < program->list_count; i++) {
        const struct emu_details *details = program->list[i]->details;
        uint8_t bytes[16] = {0};
        size_t mapped =
            fetch(memory, operation_address(program, program->list[i]), bytes, sizeof(bytes));
        size_t size = details->instruction.size;
        if ((mapped < size) != (details->mapped < size) || memcmp(bytes, details->bytes, size))
            return false;
    }
    return true;
}

const struct emu_operation *emu_program_at(struct emu_program *program,
                                           const struct emu_memory *memory, uint64_t address)
{
    pthread_mutex_lock(&program->lock);
    struct emu_operation *operation = link_to(program, (uint32_t)(address - program->kernel_start));
    if (!operation || !translate_pending(program, memory))
        operation = program->out_of_memory;
    pthread_mutex_unlock(&program->lock);
    return operation;
}

uint32_t emu_program_operation_count(struct emu_program *program)
{
    pthread_mutex_lock(&program->lock);
    uint32_t count = (uint32_t)program->list_count;
    pthread_mutex_unlock(&program->lock);
    return count;
}

const struct emu_operation *emu_program_operation(struct emu_program *program, uint32_t index)
{
    pthread_mutex_lock(&program->lock);
    const struct emu_operation *operation = program->list[index];
    pthread_mutex_unlock(&program->lock);
    return operation;
}
