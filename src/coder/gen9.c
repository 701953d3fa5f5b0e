/* Code generation for Gen9: NoMask scalar instructions, so that a procedure
 * runs once a hardware thread whatever its execution mask. */
#include "coder/gen9.h"

/* Fields of the thread id in sr0.0, lowest first; together they number the
 * hardware threads without gaps inside a field: thread slot, then EU, subslice
 * and slice, which stand side by side on Gen9. (No public text confirms the
 * positions on every Gen9 part; buckets only spread atomic updates, so a
 * wrong position would cost speed, never a count.) */
struct thread_id_field {
    uint8_t first, width; /* bits of sr0.0 */
};

static const struct thread_id_field thread_id_fields[] = {
    {0, 3}, /* thread slot */
    {8, 8}, /* EU 11:8, subslice 13:12, slice 15:14 */
};

#define FIELD_COUNT (sizeof thread_id_fields / sizeof *thread_id_fields)

/* Data port messages; sections 3.1 of the Gen9 message reference, as the
 * Intel compiler emits them. */
#define DESCRIPTOR_SCRATCH_WRITE 0x020f0000u /* dc0, 1 HWord, header; plus offset in HWords */
#define DESCRIPTOR_SCRATCH_READ  0x021c0000u
#define SCRATCH_HWORDS           4096u
#define HEADER_FF_TID            20u /* byte of r0: dword 5 */
#define HEADER_FF_TID_MASK       0x1ffu

struct sonde_gen_operand gen9_grf(const struct sonde_coder *coder, uint32_t byte,
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

struct sonde_gen_operand gen9_arf(uint8_t number, enum sonde_gen_type type)
{
    return (struct sonde_gen_operand){.file = SONDE_GEN_FILE_ARF,
                                      .type = (uint8_t)type,
                                      .number = number,
                                      .width = 1,
                                      .mme = 0xff,
                                      .write_mask = 0xf,
                                      .swizzle = 0xe4};
}

struct sonde_gen_operand gen9_destination(struct sonde_gen_operand operand)
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

static struct sonde_gen_instruction make(enum sonde_gen_opcode opcode, uint8_t exec_size,
                                         uint8_t source_count)
{
    struct sonde_gen_instruction instruction;
    sonde_gen_instruction_init(&instruction, SONDE_GEN_PLATFORM_GEN9, opcode, exec_size, true);
    instruction.source_count = source_count;
    return instruction;
}

/* dst = src0 op value, one channel, 32 bits. */
static enum sonde_status append_binary(struct coder_code *code, enum sonde_gen_opcode opcode,
                                       struct sonde_gen_operand dst, struct sonde_gen_operand src0,
                                       struct sonde_gen_operand src1, struct sonde_error *error)
{
    struct sonde_gen_instruction instruction = make(opcode, 1, 2);
    instruction.dst = gen9_destination(dst);
    instruction.src[0] = src0;
    instruction.src[1] = src1;
    return coder_code_append(code, &instruction, error);
}

static enum sonde_status append_move(struct coder_code *code, uint8_t exec_size,
                                     struct sonde_gen_operand dst, struct sonde_gen_operand src,
                                     struct sonde_error *error)
{
    struct sonde_gen_instruction instruction = make(SONDE_GEN_MOV, exec_size, 1);
    instruction.dst = gen9_destination(dst);
    instruction.src[0] = src;
    return coder_code_append(code, &instruction, error);
}

/* Bits of a field that matter for `bucket_count`, and where the field starts
 * in the compact thread id. */
static uint32_t field_mask(size_t field, uint32_t bucket_count, uint32_t *position)
{
    *position = 0;
    for (size_t i = 0; i < field; i++)
        *position += thread_id_fields[i].width;
    uint32_t wanted = *position < 32 ? (bucket_count - 1) >> *position : 0;
    return wanted & ((1u << thread_id_fields[field].width) - 1);
}

static bool chunk_needs_temporary(uint32_t bucket_count)
{
    unsigned used = 0;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        uint32_t position;
        used += field_mask(i, bucket_count, &position) != 0;
    }
    return used > 1;
}

/* dst = (sr0.0 & mask of the field), moved to its place in the chunk offset. */
static enum sonde_status append_field(const struct sonde_coder *coder, struct coder_code *code,
                                      uint32_t dst, uint32_t mask, uint32_t first,
                                      uint32_t position, struct sonde_error *error)
{
    struct sonde_gen_operand target = gen9_grf(coder, dst, SONDE_GEN_TYPE_UD);
    enum sonde_status status =
        append_binary(code, SONDE_GEN_AND, target, gen9_arf(SONDE_GEN_ARF_STATE, SONDE_GEN_TYPE_UD),
                      immediate_operand(mask << first), error);
    if (status != SONDE_OK || first == position)
        return status;
    enum sonde_gen_opcode opcode = position > first ? SONDE_GEN_SHL : SONDE_GEN_SHR;
    uint32_t distance = position > first ? position - first : first - position;
    return append_binary(code, opcode, target, target, immediate_operand(distance), error);
}

static enum sonde_status add_immediate(const struct sonde_coder *coder, struct coder_code *code,
                                       uint32_t dst, uint32_t src, uint32_t addend,
                                       struct sonde_error *error)
{
    struct sonde_gen_operand target = gen9_grf(coder, dst, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand source = gen9_grf(coder, src, SONDE_GEN_TYPE_UD);
    if (addend == 0)
        return dst == src ? SONDE_OK : append_move(code, 1, target, source, error);
    return append_binary(code, SONDE_GEN_ADD, target, source, immediate_operand(addend), error);
}

static enum sonde_status thread_chunk(const struct sonde_coder *coder, struct coder_code *code,
                                      const struct coder_chunk *chunk, uint32_t addend,
                                      uint32_t dst, uint32_t temporary, struct sonde_error *error)
{
    bool started = false;
    enum sonde_status status = SONDE_OK;
    struct sonde_gen_operand target = gen9_grf(coder, dst, SONDE_GEN_TYPE_UD);
    for (size_t i = 0; i < FIELD_COUNT && status == SONDE_OK; i++) {
        uint32_t position;
        uint32_t mask = field_mask(i, chunk->bucket_count, &position);
        if (mask == 0)
            continue;
        status = append_field(coder, code, started ? temporary : dst, mask,
                              thread_id_fields[i].first, position + chunk->chunk_shift, error);
        if (status == SONDE_OK && started)
            status = append_binary(code, SONDE_GEN_OR, target, target,
                                   gen9_grf(coder, temporary, SONDE_GEN_TYPE_UD), error);
        started = true;
    }
    if (status != SONDE_OK)
        return status;
    if (!started)
        return append_move(code, 1, target, immediate_operand(addend), error);
    return add_immediate(coder, code, dst, dst, addend, error);
}

void gen9_set_send(struct sonde_gen_instruction *instruction, enum sonde_gen_sfid sfid,
                   uint32_t descriptor, uint8_t src1_length)
{
    instruction->send.sfid = (uint8_t)sfid;
    instruction->send.descriptor = descriptor;
    instruction->send.ex_descriptor = (uint32_t)sfid | (uint32_t)src1_length << 6;
    instruction->send.src1_length = src1_length;
}

static enum sonde_status scratch(const struct sonde_coder *coder, struct coder_code *code,
                                 uint32_t header, uint32_t number, uint32_t offset, bool write,
                                 struct sonde_error *error)
{
    struct sonde_gen_operand data = gen9_grf(coder, number * coder->grf_size, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand head = gen9_grf(coder, header * coder->grf_size, SONDE_GEN_TYPE_UD);
    uint32_t slot = offset / coder->grf_size;
    struct sonde_gen_instruction instruction;
    if (write) {
        instruction = make(SONDE_GEN_SENDS, 8, 2);
        instruction.dst = gen9_destination(gen9_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UW));
        instruction.src[0] = head;
        instruction.src[1] = data;
        gen9_set_send(&instruction, SONDE_GEN_SFID_DC0, DESCRIPTOR_SCRATCH_WRITE | slot, 1);
    } else {
        data.type = SONDE_GEN_TYPE_UW;
        instruction = make(SONDE_GEN_SEND, 16, 1);
        instruction.dst = gen9_destination(data);
        instruction.src[0] = head;
        gen9_set_send(&instruction, SONDE_GEN_SFID_DC0, DESCRIPTOR_SCRATCH_READ | slot, 0);
    }
    return coder_code_append(code, &instruction, error);
}

static enum sonde_status move_flag(const struct sonde_coder *coder, struct coder_code *code,
                                   uint32_t flag, uint32_t byte, bool save,
                                   struct sonde_error *error)
{
    struct sonde_gen_operand memory = gen9_grf(coder, byte, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand state =
        gen9_arf((uint8_t)(SONDE_GEN_ARF_FLAG | flag), SONDE_GEN_TYPE_UD);
    return append_move(code, 1, save ? memory : state, save ? state : memory, error);
}

static enum sonde_status move_address(const struct sonde_coder *coder, struct coder_code *code,
                                      uint32_t byte, bool save, struct sonde_error *error)
{
    struct sonde_gen_operand memory = gen9_grf(coder, byte, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand state = gen9_arf(SONDE_GEN_ARF_ADDRESS, SONDE_GEN_TYPE_UD);
    struct sonde_gen_operand source = save ? state : memory;
    source.vstride = 8;
    source.width = 8;
    source.hstride = 1;
    return append_move(code, 8, save ? memory : state, source, error);
}

static enum sonde_status read_ff_tid(const struct sonde_coder *coder, struct coder_code *code,
                                     uint32_t dst, struct sonde_error *error)
{
    return append_binary(code, SONDE_GEN_AND, gen9_grf(coder, dst, SONDE_GEN_TYPE_UD),
                         gen9_grf(coder, HEADER_FF_TID, SONDE_GEN_TYPE_UD),
                         immediate_operand(HEADER_FF_TID_MASK), error);
}

static enum sonde_status read_buffer_address(const struct sonde_coder *coder,
                                             struct coder_code *code, uint32_t dst,
                                             struct sonde_error *error)
{
    struct sonde_gen_operand source =
        gen9_grf(coder, coder->options.buffer_address_byte, SONDE_GEN_TYPE_UQ);
    if (coder->options.buffer_address != 0) {
        source = immediate_operand(0);
        source.type = SONDE_GEN_TYPE_UQ;
        source.immediate = coder->options.buffer_address;
    }
    return append_move(code, 1, gen9_grf(coder, dst, SONDE_GEN_TYPE_UQ), source, error);
}

static enum sonde_status clear(const struct sonde_coder *coder, struct coder_code *code,
                               uint32_t dst, uint32_t size, struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    while (size != 0 && status == SONDE_OK) {
        bool dwords = size >= 4;
        uint32_t part = dwords ? (size < 2 * coder->grf_size ? size : 2 * coder->grf_size) : size;
        struct sonde_gen_operand zero = immediate_operand(0);
        struct sonde_gen_operand target = gen9_grf(coder, dst,
                                                   dwords      ? SONDE_GEN_TYPE_UD
                                                   : size == 2 ? SONDE_GEN_TYPE_UW
                                                               : SONDE_GEN_TYPE_UB);
        zero.type = dwords ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UW;
        status = append_move(code, (uint8_t)(dwords ? part / 4 : 1), target, zero, error);
        if (size == 1)
            code->instructions[code->count - 1].dst.hstride = 2;
        dst += part;
        size -= part;
    }
    return status;
}

const struct coder_isa coder_isa_gen9 = {
    .name = "gen9",
    .first = SONDE_GEN_PLATFORM_GEN9,
    .last = SONDE_GEN_PLATFORM_GEN9,
    .spill_unit = 32,
    .scratch_limit = SCRATCH_HWORDS * 32,
    .chunk_needs_temporary = chunk_needs_temporary,
    .thread_chunk = thread_chunk,
    .add_immediate = add_immediate,
    .scratch = scratch,
    .move_flag = move_flag,
    .move_address = move_address,
    .read_ff_tid = read_ff_tid,
    .read_buffer_address = read_buffer_address,
    .clear = clear,
    .atomic = gen9_atomic,
    .store_pair = gen9_store_pair,
    .block = gen9_block,
    .thread_id = gen9_thread_id,
    .dss_id = gen9_dss_id,
    .block_limit = 128,
    .perfmon_dword = 3,
    .thread_id_bits = 11,
};
