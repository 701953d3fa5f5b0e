/* NoMask scalar instructions, so that a procedure runs once a hardware thread
 * whatever its execution mask. */
#include "coder/direct.h"

/* Data port messages; sections 3.1 of the Gen9 message reference, as the
 * Intel compiler emits them. */
#define DESCRIPTOR_SCRATCH_WRITE 0x020f0000u /* dc0, 1 HWord, header; plus offset in HWords */
#define DESCRIPTOR_SCRATCH_READ  0x021c0000u
#define HEADER_FF_TID            20u /* byte of r0: dword 5 */
#define HEADER_BLOCK_OFFSET      8u  /* of a block message: dword 2, in OWords */
#define OWORD_BYTES              16u

struct sonde_gen_operand direct_grf(const struct sonde_coder *coder, uint32_t byte,
                                    enum sonde_gen_type type)
{
    return (struct sonde_gen_operand){.file = SONDE_GEN_FILE_GRF,
                                      .type = (uint8_t)type,
                                      .number = (uint8_t)(byte / coder->grf_size),
                                      .subreg = (uint8_t)(byte % coder->grf_size),
                                      .width = 1,
                                      .mme = 0xff,
                                      .write_mask = 0xf,
                                      .swizzle = 0xe4};
}

struct sonde_gen_operand direct_arf(uint8_t number, enum sonde_gen_type type)
{
    return (struct sonde_gen_operand){.file = SONDE_GEN_FILE_ARF,
                                      .type = (uint8_t)type,
                                      .number = number,
                                      .width = 1,
                                      .mme = 0xff,
                                      .write_mask = 0xf,
                                      .swizzle = 0xe4};
}

struct sonde_gen_operand direct_destination(struct sonde_gen_operand operand)
{
    operand.hstride = 1;
    operand.vstride = 0;
    operand.width = 0;
    return operand;
}

static struct sonde_gen_operand immediate_operand(uint32_t value)
{
    return (struct sonde_gen_operand){.file = SONDE_GEN_FILE_IMMEDIATE,
                                      .type = SONDE_GEN_TYPE_UD,
                                      .mme = 0xff,
                                      .write_mask = 0xf,
                                      .swizzle = 0xe4,
                                      .immediate = value};
}

static struct sonde_gen_instruction make(const struct sonde_coder *coder,
                                         enum sonde_gen_opcode opcode, uint8_t exec_size,
                                         uint8_t source_count)
{
    struct sonde_gen_instruction instruction;
    sonde_gen_instruction_init(&instruction, sonde_kernel_info(coder->kernel)->platform, opcode,
                               exec_size, true);
    instruction.source_count = source_count;
    return instruction;
}

/* dst = src0 op value, one channel, 32 bits. */
static enum sonde_status append_binary(const struct sonde_coder *coder, struct coder_code *code,
                                       enum sonde_gen_opcode opcode, struct sonde_gen_operand dst,
                                       struct sonde_gen_operand src0, struct sonde_gen_operand src1,
                                       struct sonde_error *error)
{
    struct sonde_gen_instruction instruction = make(coder, opcode, 1, 2);
    instruction.dst = direct_destination(dst);
    instruction.src[0] = src0;
    instruction.src[1] = src1;
    return coder_code_append(code, &instruction, error);
}

static enum sonde_status append_move(const struct sonde_coder *coder, struct coder_code *code,
                                     uint8_t exec_size, struct sonde_gen_operand dst,
                                     struct sonde_gen_operand src, struct sonde_error *error)
{
    struct sonde_gen_instruction instruction = make(coder, SONDE_GEN_MOV, exec_size, 1);
    instruction.dst = direct_destination(dst);
    instruction.src[0] = src;
    return coder_code_append(code, &instruction, error);
}

/* Bits of a field that matter for `bucket_count`, and where the field starts
 * in the compact thread id. */
static uint32_t field_mask(const struct coder_isa *isa, size_t field, uint32_t bucket_count,
                           uint32_t *position)
{
    *position = 0;
    for (size_t i = 0; i < field; i++)
        *position += isa->thread_fields[i].width;
    uint32_t wanted = *position < 32 ? (bucket_count - 1) >> *position : 0;
    return wanted & ((1u << isa->thread_fields[field].width) - 1);
}

bool direct_chunk_needs_temporary(const struct coder_isa *isa, uint32_t bucket_count)
{
    unsigned used = 0;
    for (size_t i = 0; i < CODER_THREAD_FIELDS; i++) {
        uint32_t position;
        used += field_mask(isa, i, bucket_count, &position) != 0;
    }
    return used > 1;
}

/* dst = (sr0.0 & mask of the field), moved to its place in the chunk offset. */
static enum sonde_status append_field(const struct sonde_coder *coder, struct coder_code *code,
                                      uint32_t dst, uint32_t mask, uint32_t first,
                                      uint32_t position, struct sonde_error *error)
{
    struct sonde_gen_operand target = direct_grf(coder, dst, SONDE_GEN_TYPE_UD);
    enum sonde_status status = append_binary(coder, code, SONDE_GEN_AND, target,
                                             direct_arf(SONDE_GEN_ARF_STATE, SONDE_GEN_TYPE_UD),
                                             immediate_operand(mask << first), error);
    if (status != SONDE_OK || first == position)
        return status;
    enum sonde_gen_opcode opcode = position > first ? SONDE_GEN_SHL : SONDE_GEN_SHR;
    uint32_t distance = position > first ? position - first : first - position;
    return append_binary(coder, code, opcode, target, target, immediate_operand(distance), error);
}

enum sonde_status direct_add_immediate(const struct sonde_coder *coder, struct coder_code *code,
                                       uint32_t dst, uint32_t src, uint32_t addend,
                                       struct sonde_error *error)
{
    struct sonde_gen_operand target = direct_grf(coder, dst, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand source = direct_grf(coder, src, SONDE_GEN_TYPE_UD);
    if (addend == 0)
        return dst == src ? SONDE_OK : append_move(coder, code, 1, target, source, error);
    return append_binary(coder, code, SONDE_GEN_ADD, target, source, immediate_operand(addend),
                         error);
}

enum sonde_status direct_thread_chunk(const struct sonde_coder *coder, struct coder_code *code,
                                      const struct coder_chunk *chunk, uint32_t addend,
                                      uint32_t dst, uint32_t temporary, struct sonde_error *error)
{
    bool started = false;
    enum sonde_status status = SONDE_OK;
    struct sonde_gen_operand target = direct_grf(coder, dst, SONDE_GEN_TYPE_UD);
    for (size_t i = 0; i < CODER_THREAD_FIELDS && status == SONDE_OK; i++) {
        uint32_t position;
        uint32_t mask = field_mask(coder->isa, i, chunk->bucket_count, &position);
        if (mask == 0)
            continue;
        status =
            append_field(coder, code, started ? temporary : dst, mask,
                         coder->isa->thread_fields[i].first, position + chunk->chunk_shift, error);
        if (status == SONDE_OK && started)
            status = append_binary(coder, code, SONDE_GEN_OR, target, target,
                                   direct_grf(coder, temporary, SONDE_GEN_TYPE_UD), error);
        started = true;
    }
    if (status != SONDE_OK)
        return status;
    if (!started)
        return append_move(coder, code, 1, target, immediate_operand(addend), error);
    return direct_add_immediate(coder, code, dst, dst, addend, error);
}

/* The extended descriptor as iga64 shows it: with the shared function before
 * Xe, without the second length where that has a field of its own. */
void direct_set_send(struct sonde_gen_instruction *instruction, enum sonde_gen_sfid sfid,
                     uint32_t descriptor, uint8_t src1_length)
{
    instruction->send.sfid = (uint8_t)sfid;
    instruction->send.descriptor = descriptor;
    instruction->send.src1_length = src1_length;
    instruction->send.ex_descriptor = 0;
    if (instruction->platform < SONDE_GEN_PLATFORM_XEHPG)
        instruction->send.ex_descriptor = (uint32_t)src1_length << 6;
    if (instruction->platform < SONDE_GEN_PLATFORM_XE)
        instruction->send.ex_descriptor |= (uint32_t)sfid;
}

enum sonde_status direct_scratch(const struct sonde_coder *coder, struct coder_code *code,
                                 uint32_t header, uint32_t number, uint32_t offset, bool write,
                                 struct sonde_error *error)
{
    struct sonde_gen_operand data = direct_grf(coder, number * coder->grf_size, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand head = direct_grf(coder, header * coder->grf_size, SONDE_GEN_TYPE_UD);
    uint32_t slot = offset / coder->grf_size;
    struct sonde_gen_instruction instruction;
    if (write) {
        instruction = make(coder, coder->isa->split_opcode, 8, 2);
        instruction.dst = direct_destination(direct_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UW));
        instruction.src[0] = head;
        instruction.src[1] = data;
        direct_set_send(&instruction, SONDE_GEN_SFID_DC0, DESCRIPTOR_SCRATCH_WRITE | slot, 1);
    } else {
        data.type = SONDE_GEN_TYPE_UW;
        instruction = make(coder, SONDE_GEN_SEND, 16, 1);
        instruction.dst = direct_destination(data);
        instruction.src[0] = head;
        if (coder->isa->split_opcode == SONDE_GEN_SEND) {
            instruction.source_count = 2;
            instruction.src[1] = direct_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UD);
        }
        direct_set_send(&instruction, SONDE_GEN_SFID_DC0, DESCRIPTOR_SCRATCH_READ | slot, 0);
    }
    return coder_code_append(code, &instruction, error);
}

enum sonde_status direct_block(const struct sonde_coder *coder, struct coder_code *code,
                               bool by_address, uint32_t header, uint32_t number, uint32_t size,
                               bool write, struct sonde_error *error)
{
    struct sonde_gen_operand data = direct_grf(coder, number * coder->grf_size, SONDE_GEN_TYPE_UD);
    bool split = coder->isa->split_opcode != SONDE_GEN_SEND;
    struct sonde_gen_instruction send =
        make(coder, write ? (enum sonde_gen_opcode)coder->isa->split_opcode : SONDE_GEN_SEND, 8,
             write || !split ? 2 : 1);
    send.dst = direct_destination(write ? direct_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UD) : data);
    send.src[0] = direct_grf(coder, header * coder->grf_size, SONDE_GEN_TYPE_UD);
    if (send.source_count == 2)
        send.src[1] = write ? data : direct_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UD);
    direct_set_send(&send, coder_block_function(by_address),
                    coder_block_descriptor(coder, by_address, size, write),
                    write ? (uint8_t)(size / coder->grf_size) : 0);
    return coder_code_append(code, &send, error);
}

enum sonde_status direct_add_buffer_address(const struct sonde_coder *coder,
                                            struct coder_code *code, uint32_t dst,
                                            struct sonde_error *error)
{
    struct sonde_gen_operand low = direct_grf(coder, dst, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand halves[2];
    for (uint32_t half = 0; half < 2; half++)
        halves[half] =
            coder->options.buffer_address != 0
                ? immediate_operand((uint32_t)(coder->options.buffer_address >> 32 * half))
                : direct_grf(coder, coder->vregs[coder->buffer_address].byte + 4 * half,
                             SONDE_GEN_TYPE_UD);
    enum sonde_status status =
        append_binary(coder, code, SONDE_GEN_ADD, low, low, halves[0], error);
    if (status != SONDE_OK)
        return status;
    return append_move(coder, code, 1, direct_grf(coder, dst + 4, SONDE_GEN_TYPE_UD), halves[1],
                       error);
}

enum sonde_status direct_move_flag(const struct sonde_coder *coder, struct coder_code *code,
                                   uint32_t flag, uint32_t byte, bool save,
                                   struct sonde_error *error)
{
    struct sonde_gen_operand memory = direct_grf(coder, byte, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand state =
        direct_arf((uint8_t)(SONDE_GEN_ARF_FLAG | flag), SONDE_GEN_TYPE_UD);
    return append_move(coder, code, 1, save ? memory : state, save ? state : memory, error);
}

enum sonde_status direct_move_address(const struct sonde_coder *coder, struct coder_code *code,
                                      uint32_t byte, bool save, struct sonde_error *error)
{
    struct sonde_gen_operand memory = direct_grf(coder, byte, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand state = direct_arf(SONDE_GEN_ARF_ADDRESS, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand source = save ? state : memory;
    source.vstride = 8;
    source.width = 8;
    source.hstride = 1;
    return append_move(coder, code, 8, save ? memory : state, source, error);
}

enum sonde_status direct_move_register(const struct sonde_coder *coder, struct coder_code *code,
                                       uint32_t to, uint32_t from, struct sonde_error *error)
{
    struct sonde_gen_operand source = direct_grf(coder, from * coder->grf_size, SONDE_GEN_TYPE_UD);
    source.vstride = source.width = 8;
    source.hstride = 1;
    return append_move(coder, code, (uint8_t)(coder->grf_size / 4),
                       direct_grf(coder, to * coder->grf_size, SONDE_GEN_TYPE_UD), source, error);
}

enum sonde_status direct_move_accumulator(const struct sonde_coder *coder, struct coder_code *code,
                                          uint32_t number, uint32_t byte, bool save,
                                          struct sonde_error *error)
{
    uint8_t channels = (uint8_t)(coder->grf_size / 4);
    /* Integers have acc0 only; moves between floats keep every bit. */
    enum sonde_gen_type type = number == 0 ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_F;
    struct sonde_gen_operand memory = direct_grf(coder, byte, type);
    struct sonde_gen_operand state =
        direct_arf((uint8_t)(SONDE_GEN_ARF_ACCUMULATOR | number), type);
    struct sonde_gen_operand source = save ? state : memory;
    source.vstride = source.width = 8;
    source.hstride = 1;
    return append_move(coder, code, channels, save ? memory : state, source, error);
}

enum sonde_status direct_read_ff_tid(const struct sonde_coder *coder, struct coder_code *code,
                                     uint32_t dst, struct sonde_error *error)
{
    return append_binary(coder, code, SONDE_GEN_AND, direct_grf(coder, dst, SONDE_GEN_TYPE_UD),
                         direct_grf(coder, HEADER_FF_TID, SONDE_GEN_TYPE_UD),
                         immediate_operand(coder->isa->ff_tid_mask), error);
}

enum sonde_status direct_read_buffer_address(const struct sonde_coder *coder,
                                             struct coder_code *code, uint32_t dst,
                                             struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    for (uint32_t half = 0; half < 2 && status == SONDE_OK; half++) {
        uint32_t at = coder->options.buffer_address_byte + 4 * half;
        struct sonde_gen_operand source = direct_grf(coder, at, SONDE_GEN_TYPE_UD);
        if (coder->options.buffer_address != 0)
            source = immediate_operand((uint32_t)(coder->options.buffer_address >> 32 * half));
        status = append_move(coder, code, 1, direct_grf(coder, dst + 4 * half, SONDE_GEN_TYPE_UD),
                             source, error);
    }
    return status;
}

enum sonde_status direct_fetch_buffer_address(const struct sonde_coder *coder,
                                              struct coder_code *code, uint32_t dst, uint32_t work,
                                              struct sonde_error *error)
{
    uint32_t offset = coder->options.buffer_address_offset, number = work / coder->grf_size;
    enum sonde_status status = direct_clear(coder, code, work, coder->grf_size, error);
    if (status == SONDE_OK)
        status = append_move(coder, code, 1,
                             direct_grf(coder, work + HEADER_BLOCK_OFFSET, SONDE_GEN_TYPE_UD),
                             immediate_operand(offset / OWORD_BYTES), error);
    if (status == SONDE_OK)
        status = direct_block(coder, code, false, number, number, OWORD_BYTES, false, error);
    for (uint32_t half = 0; half < 2 && status == SONDE_OK; half++) {
        uint32_t from = work + offset % OWORD_BYTES + 4 * half, to = dst + 4 * half;
        if (from != to)
            status = append_move(coder, code, 1, direct_grf(coder, to, SONDE_GEN_TYPE_UD),
                                 direct_grf(coder, from, SONDE_GEN_TYPE_UD), error);
    }
    return status;
}

enum sonde_status direct_clear(const struct sonde_coder *coder, struct coder_code *code,
                               uint32_t dst, uint32_t size, struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    while (size != 0 && status == SONDE_OK) {
        bool dwords = size >= 4;
        uint32_t part = dwords ? (size < 2 * coder->grf_size ? size : 2 * coder->grf_size) : size;
        struct sonde_gen_operand zero = immediate_operand(0);
        struct sonde_gen_operand target = direct_grf(coder, dst,
                                                     dwords      ? SONDE_GEN_TYPE_UD
                                                     : size == 2 ? SONDE_GEN_TYPE_UW
                                                                 : SONDE_GEN_TYPE_UB);
        zero.type = dwords ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UW;
        status = append_move(coder, code, (uint8_t)(dwords ? part / 4 : 1), target, zero, error);
        if (size == 1)
            code->instructions[code->count - 1].dst.hstride = 2;
        dst += part;
        size -= part;
    }
    return status;
}
