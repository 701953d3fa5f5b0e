/* The stack of compiled functions, moved to the thread's memory in the profile
 * buffer.
 *
 * The compiler has two: an area for registers, at offsets from the thread's
 * scratch memory (in OWords until Xe, in bytes of a surface on XeHPG), and one
 * for variables, at 64-bit addresses. Messages to the first one become A64
 * messages; the second one only starts elsewhere. */
#include "coder/direct.h"
#include "coder/hli.h"

#include <stdlib.h>
#include <string.h>

#define LSC_OPERATION 0x3fu
#define LSC_LOAD      0u
#define LSC_STORE     4u
#define LSC_SIZE      (7u << 9)
#define LSC_DWORDS    (2u << 9)
#define LSC_TRANSPOSE (1u << 15)

#define BLOCK_READ_A64  (0x14u << 14)
#define BLOCK_WRITE_A64 (0x15u << 14)
#define HAS_HEADER      (1u << 19)
#define NO_SURFACE      0xffu
#define BLOCK_OWORDS    8u /* at most, of one message */

#define SPILL_TOP      8u
#define SPILL_BASE     12u
#define VARIABLES_BASE 16u
#define VARIABLES_TOP  24u
#define LINK_BYTES     64u /* at most, of a frame without variables or registers */
#define MEMORY_LOW     16u /* byte of the memory header: low half of the spill area's address */

/* XeHPG: a block of dwords of the scratch surface, which a0.2 names. */
static bool is_surface_spill(const struct sonde_gen_instruction *send)
{
    return send->send.ex_descriptor_is_register && send->send.ex_bso &&
           send->src[0].file == SONDE_GEN_FILE_GRF && send->src[0].number == HLI_STACK_HEADER;
}

static uint32_t surface_dwords(uint32_t descriptor)
{
    static const uint8_t vector[8] = {1, 2, 3, 4, 8, 16, 32, 64};
    return vector[descriptor >> 12 & 7];
}

enum sonde_status hli_stack_classify(const struct sonde_gen_instruction *send,
                                     enum hli_stack_use *use, struct sonde_error *error)
{
    struct sonde_gen_message message;
    *use = HLI_STACK_NONE;
    if (is_surface_spill(send)) {
        uint32_t descriptor = send->send.descriptor, operation = descriptor & LSC_OPERATION;
        uint32_t dwords = surface_dwords(descriptor);
        if ((operation != LSC_LOAD && operation != LSC_STORE) || dwords % 4 != 0 ||
            (descriptor & LSC_SIZE) != LSC_DWORDS || (descriptor & LSC_TRANSPOSE) == 0)
            return hli_refuse(send, "is a message to the stack that is not known", error);
        *use = operation == LSC_STORE && dwords <= 8 ? HLI_STACK_LINK : HLI_STACK_SPILL;
        return SONDE_OK;
    }
    if (sonde_gen_message_decode(send, &message, error) != SONDE_OK)
        return hli_refuse(send, "is a message that is not known", error);
    bool block = message.layout == SONDE_GEN_LAYOUT_OWORD_BLOCK ||
                 message.layout == SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED ||
                 message.layout == SONDE_GEN_LAYOUT_HWORD_BLOCK ||
                 message.layout == SONDE_GEN_LAYOUT_SCRATCH_BLOCK;
    bool spill = block && message.address_model == SONDE_GEN_ADDRESS_STATELESS &&
                 send->src[0].number == HLI_STACK_HEADER;
    if (message.address_model == SONDE_GEN_ADDRESS_SCRATCH ||
        (message.address_model == SONDE_GEN_ADDRESS_STATELESS && !spill))
        return hli_refuse(send, "is a message to the stack that is not known", error);
    if (message.address_model == SONDE_GEN_ADDRESS_SURFACE)
        return hli_refuse(send, "uses a surface, which the kernel's would be", error);
    bool small = message.operation == SONDE_GEN_MESSAGE_WRITE && message.elements <= 2;
    if (spill)
        *use = small ? HLI_STACK_LINK : HLI_STACK_SPILL;
    return SONDE_OK;
}

static struct sonde_gen_operand grf(uint32_t number, uint32_t byte, uint32_t grf_size)
{
    uint32_t at = number * grf_size + byte;
    return (struct sonde_gen_operand){.file = SONDE_GEN_FILE_GRF,
                                      .type = SONDE_GEN_TYPE_UD,
                                      .number = (uint8_t)(at / grf_size),
                                      .subreg = (uint8_t)(at % grf_size),
                                      .width = 1,
                                      .mme = 0xff,
                                      .write_mask = 0xf,
                                      .swizzle = 0xe4};
}

/* The header's first dword = a operation b, of which one is an immediate. */
static enum sonde_status append_header(struct hli_routine *routine,
                                       enum sonde_gen_platform platform,
                                       enum sonde_gen_opcode opcode, struct sonde_gen_operand a,
                                       struct sonde_gen_operand b, struct sonde_error *error)
{
    struct sonde_gen_instruction instruction;
    sonde_gen_instruction_init(&instruction, platform, opcode, 1, true);
    instruction.source_count = 2;
    instruction.dst =
        direct_destination(grf(HLI_MEMORY_HEADER, 0, sonde_gen_platform_grf_size(platform)));
    instruction.src[0] = a;
    instruction.src[1] = b;
    return hli_append(routine, HLI_PLAIN, &instruction, 0, error);
}

static struct sonde_gen_operand immediate(uint32_t value)
{
    return (struct sonde_gen_operand){.file = SONDE_GEN_FILE_IMMEDIATE,
                                      .type = SONDE_GEN_TYPE_UD,
                                      .immediate = value,
                                      .mme = 0xff,
                                      .write_mask = 0xf,
                                      .swizzle = 0xe4};
}

static enum sonde_status append_block(const struct sonde_gen_instruction *from, bool write,
                                      uint32_t owords, uint32_t done, struct hli_routine *routine,
                                      struct sonde_error *error)
{
    enum sonde_gen_platform platform = (enum sonde_gen_platform)from->platform;
    uint32_t size = sonde_gen_platform_grf_size(platform), registers = owords * 16 / size;
    bool is_split = platform < SONDE_GEN_PLATFORM_XE;
    uint32_t code = owords == 1 ? 0 : (uint32_t)__builtin_ctz(owords) + 1;
    struct sonde_gen_instruction send;
    registers = registers == 0 ? 1 : registers;
    sonde_gen_instruction_init(&send, platform,
                               write && is_split ? SONDE_GEN_SENDS : SONDE_GEN_SEND, 8, true);
    uint32_t descriptor = (write ? BLOCK_WRITE_A64 : BLOCK_READ_A64) | HAS_HEADER | code << 8 |
                          NO_SURFACE | 1u << 25 | (write ? 0 : registers << 20);
    direct_set_send(&send, SONDE_GEN_SFID_DC1, descriptor, write ? (uint8_t)registers : 0);
    send.source_count = write || !is_split ? 2 : 1;
    send.src[0] = grf(HLI_MEMORY_HEADER, 0, size);
    struct sonde_gen_operand null = direct_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UD);
    send.src[1] = write ? grf(from->src[1].number, done, size) : null;
    send.dst = direct_destination(write ? null : grf(from->dst.number, done, size));
    return hli_append(routine, HLI_PLAIN, &send, 0, error);
}

enum sonde_status hli_stack_rewrite(const struct sonde_gen_instruction *send,
                                    struct hli_routine *routine, struct sonde_error *error)
{
    enum sonde_gen_platform platform = (enum sonde_gen_platform)send->platform;
    uint32_t size = sonde_gen_platform_grf_size(platform);
    struct sonde_gen_operand header = grf(HLI_MEMORY_HEADER, 0, size);
    struct sonde_gen_operand low = grf(HLI_MEMORY_HEADER, MEMORY_LOW, size);
    struct sonde_gen_operand offset = grf(HLI_STACK_HEADER, 0, size);
    enum sonde_status status = SONDE_OK;
    uint32_t owords;
    bool write;
    if (is_surface_spill(send)) {
        owords = surface_dwords(send->send.descriptor) / 4;
        write = (send->send.descriptor & LSC_OPERATION) == LSC_STORE;
    } else {
        struct sonde_gen_message message;
        status = sonde_gen_message_decode(send, &message, error);
        owords = (uint32_t)message.elements * message.element_size / 16;
        write = message.operation == SONDE_GEN_MESSAGE_WRITE;
        if (status == SONDE_OK)
            status = append_header(routine, platform, SONDE_GEN_SHL, grf(HLI_STACK_HEADER, 8, size),
                                   immediate(4), error);
        offset = header;
    }
    if (status == SONDE_OK)
        status = append_header(routine, platform, SONDE_GEN_ADD, offset, low, error);
    for (uint32_t done = 0; done < owords && status == SONDE_OK; done += BLOCK_OWORDS) {
        uint32_t part = owords - done < BLOCK_OWORDS ? owords - done : BLOCK_OWORDS;
        if (done != 0)
            status = append_header(routine, platform, SONDE_GEN_ADD, header,
                                   immediate(16 * BLOCK_OWORDS), error);
        if (status == SONDE_OK)
            status = append_block(send, write, part, done * 16, routine, error);
    }
    return status;
}

static bool is_frame(const struct sonde_gen_operand *operand, uint32_t byte)
{
    return operand->file == SONDE_GEN_FILE_GRF && !operand->indirect &&
           operand->number == HLI_FRAME && operand->subreg == byte;
}

void hli_stack_measure(const struct sonde_gen_instruction *instruction, struct hli_routine *routine)
{
    const struct sonde_gen_operand *by = &instruction->src[1];
    if ((instruction->opcode != SONDE_GEN_ADD && instruction->opcode != SONDE_GEN_ADDC) ||
        by->file != SONDE_GEN_FILE_IMMEDIATE)
        return;
    uint32_t bytes = (uint32_t)by->immediate;
    if (instruction->platform < SONDE_GEN_PLATFORM_XEHPG &&
        is_frame(&instruction->src[0], SPILL_TOP))
        bytes *= 16;
    if (is_frame(&instruction->src[0], SPILL_TOP) && is_frame(&instruction->dst, SPILL_TOP))
        routine->spill_bytes = bytes > routine->spill_bytes ? bytes : routine->spill_bytes;
    if ((is_frame(&instruction->src[0], VARIABLES_BASE) ||
         is_frame(&instruction->src[0], VARIABLES_TOP)) &&
        bytes > routine->variable_bytes)
        routine->variable_bytes = bytes;
}

static bool meets(const uint64_t *set, const struct sonde_gen_effect *effect)
{
    bool any = false;
    for (size_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
        any |= (set[w] & effect->grf[w]) != 0;
    return any;
}

void hli_stack_pointers(uint64_t *pointers, enum sonde_gen_platform platform)
{
    unsigned byte = HLI_FRAME * sonde_gen_platform_grf_size(platform) + SPILL_TOP;
    pointers[byte / 64] |= UINT64_C(0xffffff) << byte % 64;
}

static bool holds_pointer(const uint64_t *pointers, const struct sonde_gen_operand *operand,
                          uint32_t grf_size)
{
    uint32_t byte = operand->number * grf_size;
    return operand->file == SONDE_GEN_FILE_GRF && !operand->indirect &&
           (pointers[byte / 64] >> byte % 64 & 0xff) == 0xff;
}

bool hli_stack_is_link(const struct sonde_gen_instruction *send, const uint64_t *pointers)
{
    struct sonde_gen_message message;
    uint32_t size = sonde_gen_platform_grf_size((enum sonde_gen_platform)send->platform);
    return !send->send.ex_descriptor_is_register &&
           sonde_gen_message_decode(send, &message, NULL) == SONDE_OK &&
           message.operation == SONDE_GEN_MESSAGE_WRITE &&
           message.address_model == SONDE_GEN_ADDRESS_A64 &&
           (message.layout == SONDE_GEN_LAYOUT_OWORD_BLOCK ||
            message.layout == SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED) &&
           message.elements == 1 && holds_pointer(pointers, &send->src[0], size) &&
           holds_pointer(pointers, &send->src[1], size);
}

bool hli_stack_is_used(const struct sonde_gen_instruction *instruction, uint64_t *pointers,
                       bool *is_dead)
{
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    bool follows = meets(pointers, &effects.reads);
    *is_dead = follows;
    if (follows && instruction->opcode != SONDE_GEN_MOV && instruction->opcode != SONDE_GEN_ADD &&
        instruction->opcode != SONDE_GEN_ADDC)
        return true;
    const struct sonde_gen_operand *second = &instruction->src[1];
    if (follows && instruction->opcode != SONDE_GEN_MOV &&
        second->file == SONDE_GEN_FILE_IMMEDIATE && second->immediate > LINK_BYTES)
        return true;
    for (size_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
        pointers[w] =
            follows ? pointers[w] | effects.writes.grf[w] : pointers[w] & ~effects.writes.grf[w];
    return false;
}

/* Bytes of both areas, with what is called. */
struct depth {
    uint64_t spill, variables;
    bool started, done;
};

/* False for recursion. */
static bool add_up(const struct sonde_hli_function *function, struct depth *depths, size_t number)
{
    const struct hli_routine *routine = &function->routines[number];
    struct depth *own = &depths[number];
    if (own->started)
        return own->done;
    own->started = true;
    for (size_t i = 0; i < routine->count; i++) {
        const struct hli_step *step = &routine->steps[i];
        if (step->kind != HLI_CALL)
            continue;
        if (!add_up(function, depths, step->target))
            return false;
        const struct depth *called = &depths[step->target];
        own->spill = called->spill > own->spill ? called->spill : own->spill;
        own->variables = called->variables > own->variables ? called->variables : own->variables;
    }
    own->spill += routine->has_frame ? routine->spill_bytes : 0;
    own->variables += routine->has_frame ? routine->variable_bytes : 0;
    own->done = true;
    return true;
}

static void add_effect(struct sonde_gen_effect *to, const struct sonde_gen_effect *from)
{
    for (size_t w = 0; w < SONDE_GEN_GRF_WORDS; w++)
        to->grf[w] |= from->grf[w];
    to->grf_unknown |= from->grf_unknown;
    to->flags |= from->flags;
    to->accumulators |= from->accumulators;
    to->mme |= from->mme;
    to->address |= from->address;
    to->control |= from->control;
    to->memory |= from->memory;
}

/* Whole registers, those that the routines keep left out. */
static void find_writes(struct sonde_hli_function *function)
{
    uint32_t size = sonde_gen_platform_grf_size(function->platform);
    uint64_t bits = size == 64 ? UINT64_MAX : UINT32_MAX;
    bool keeps = true;
    for (size_t i = 0; i < function->count; i++) {
        add_effect(&function->writes, &function->routines[i].writes);
        keeps &= function->routines[i].has_frame;
    }
    for (uint32_t n = 0; n < SONDE_GEN_GRF_WORDS * 64 / size; n++) {
        uint64_t *word = &function->writes.grf[n * size / 64], mask = bits << n * size % 64;
        bool kept = n >= HLI_FIRST_KEPT && n <= HLI_LAST_KEPT;
        /* An index in a0 leads to registers of the convention's callee. */
        bool written =
            (*word & mask) != 0 || (function->writes.grf_unknown && n != 0 && n < HLI_FIRST_KEPT);
        *word = (*word & ~mask) | (written && !(kept && keeps) ? mask : 0);
    }
    function->writes.grf_unknown = false;
}

enum sonde_status hli_stack_finish(struct sonde_hli_function *function, struct sonde_error *error)
{
    struct depth *depths = calloc(function->count, sizeof *depths);
    if (depths == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    bool ends = add_up(function, depths, 0);
    uint64_t spill = depths[0].spill, variables = depths[0].variables, rounded = 256;
    free(depths);
    if (!ends)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "the probe calls itself");
    find_writes(function);
    bool needs_memory = false;
    for (size_t i = 0; i < function->count; i++)
        needs_memory |= function->routines[i].has_frame;
    if (!needs_memory)
        return SONDE_OK;
    while (rounded < spill)
        rounded *= 2;
    if (rounded > HLI_SPILL_LIMIT || rounded + variables > HLI_STACK_LIMIT)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "the probe needs a stack of %llu bytes for registers and %llu for "
                               "variables; there are %u and %u",
                               (unsigned long long)spill, (unsigned long long)variables,
                               HLI_SPILL_LIMIT, HLI_STACK_LIMIT);
    function->spill_bytes = (uint32_t)rounded;
    function->stack_bytes = (uint32_t)(rounded + variables + 15) / 16 * 16;
    return SONDE_OK;
}
