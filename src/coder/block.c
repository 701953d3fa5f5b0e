/* Blocks of memory and ranges of registers. */
#include "coder/build.h"

#include "sonde/gen_message.h"

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

uint32_t sonde_coder_max_mem_block_size(const struct sonde_coder *coder)
{
    return coder->isa->block_limit;
}

static enum sonde_status move_block(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                    sonde_vreg address, sonde_vreg data, uint32_t size, bool write,
                                    const struct sonde_predicate *predicate,
                                    struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    if (!is_power_of_two(size) || size < 16 || size > coder->isa->block_limit)
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT,
                           "a block of %u bytes: sizes are powers of two from 16 to %u", size,
                           coder->isa->block_limit);
    coder_builder_need_address(&builder, address);
    coder_builder_need(&builder, data, size, "a block");
    if (builder.status == SONDE_OK && coder_vreg_lasts(coder, data))
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT,
                           "the data of a block stands in a scratch register, not a counter");
    if (builder.status == SONDE_OK)
        coder_message_block(&builder, address, sonde_operand_vreg(data), size, write);
    return coder_builder_close(&builder);
}

enum sonde_status sonde_coder_store_mem_block(struct sonde_coder *coder,
                                              struct sonde_procedure *procedure, sonde_vreg address,
                                              sonde_vreg data, uint32_t size,
                                              const struct sonde_predicate *predicate,
                                              struct sonde_error *error)
{
    return move_block(coder, procedure, address, data, size, true, predicate, error);
}

enum sonde_status sonde_coder_load_mem_block(struct sonde_coder *coder,
                                             struct sonde_procedure *procedure, sonde_vreg address,
                                             sonde_vreg data, uint32_t size,
                                             const struct sonde_predicate *predicate,
                                             struct sonde_error *error)
{
    return move_block(coder, procedure, address, data, size, false, predicate, error);
}

static void move_range(struct coder_builder *builder, sonde_vreg address, uint32_t first,
                       uint32_t count, bool write)
{
    const struct sonde_coder *coder = builder->coder;
    enum sonde_gen_type type =
        coder_address_size(coder) == 4 ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UQ;
    coder_builder_need_address(builder, address);
    if (count == 0 || first >= coder->grf_count || count > coder->grf_count - first)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "there are no %u registers from r%u on",
                           count, first);
    while (builder->status == SONDE_OK && count != 0) {
        uint32_t part = coder->isa->block_limit / coder->grf_size;
        while (part > count)
            part /= 2;
        coder_message_block(builder, address, sonde_operand_grf(first, 0, coder->grf_size),
                            part * coder->grf_size, write);
        struct sonde_operand at = sonde_operand_vreg(address);
        coder_builder_operation(builder, SONDE_ADD, type, at, at,
                                sonde_operand_immediate(part * coder->grf_size));
        first += part;
        count -= part;
    }
}

enum sonde_status sonde_coder_store_reg_range(struct sonde_coder *coder,
                                              struct sonde_procedure *procedure, sonde_vreg address,
                                              uint32_t first, uint32_t count,
                                              const struct sonde_predicate *predicate,
                                              struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    move_range(&builder, address, first, count, true);
    return coder_builder_close(&builder);
}

enum sonde_status sonde_coder_load_reg_range(struct sonde_coder *coder,
                                             struct sonde_procedure *procedure, sonde_vreg address,
                                             uint32_t first, uint32_t count,
                                             const struct sonde_predicate *predicate,
                                             struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    move_range(&builder, address, first, count, false);
    return coder_builder_close(&builder);
}

/* Registers of the address payload; *in_first of them in source 0. */
static uint32_t address_payload(const struct sonde_gen_instruction *send, uint32_t *in_first)
{
    struct sonde_gen_message message;
    *in_first = 0;
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)send->opcode) != SONDE_GEN_FORMAT_SEND ||
        send->send.end_of_thread || send->src[0].indirect ||
        sonde_gen_message_decode(send, &message, NULL) != SONDE_OK)
        return 0;
    if (message.address_model == SONDE_GEN_ADDRESS_NONE)
        return 0;
    uint32_t count = message.address_registers + (message.header ? 1u : 0u);
    uint32_t limit = (uint32_t)message.payload_registers + message.src1_registers;
    if (count > limit)
        count = limit;
    *in_first = count < message.payload_registers ? count : message.payload_registers;
    return count;
}

uint32_t sonde_coder_payload_address_registers(const struct sonde_gen_instruction *send)
{
    uint32_t in_first;
    return address_payload(send, &in_first);
}

enum sonde_status sonde_coder_store_payload_addresses(struct sonde_coder *coder,
                                                      struct sonde_procedure *procedure,
                                                      sonde_vreg address,
                                                      const struct sonde_gen_instruction *send,
                                                      const struct sonde_predicate *predicate,
                                                      struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    uint32_t in_first = 0, count = send == NULL ? 0 : address_payload(send, &in_first);
    if (count == 0) {
        coder_builder_fail(&builder, SONDE_ERROR_ARGUMENT,
                           "the instruction is no message with addresses in known registers");
        return coder_builder_close(&builder);
    }
    if (in_first != 0)
        move_range(&builder, address, send->src[0].number, in_first, true);
    if (count > in_first)
        move_range(&builder, address, send->src[1].number, count - in_first, true);
    return coder_builder_close(&builder);
}
