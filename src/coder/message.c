/* Messages to the profile buffer.
 *
 * Bits of the descriptors: section "Data port messages" of the Gen9 message
 * reference, as the Intel compiler emits them. Scalar messages run in one
 * channel, as for uniform values; blocks in eight with a header. */
#include "coder/direct.h"

#include "sonde/gen_message.h"

#define BTI_STATELESS 0xffu /* A64 messages name it too */

/* dc1, SIMD8; operation in 11:8 */
#define ATOMIC_SIMD8     (1u << 12)
#define ATOMIC_SURFACE   (0x02u << 14 | ATOMIC_SIMD8)
#define ATOMIC_A64       (0x12u << 14)
#define ATOMIC_A64_QWORD (1u << 12)
#define ATOMIC_RETURN    (1u << 13)
#define UNTYPED_WRITE_XY (0x09u << 14 | 2u << 12 | 0xcu << 8)
/* dc0; size code in 10:8 */
#define BLOCK_READ  (0x00u << 14)
#define BLOCK_WRITE (0x08u << 14)
/* dc1; size code in 10:8 */
#define BLOCK_READ_A64    (0x14u << 14)
#define BLOCK_WRITE_A64   (0x15u << 14)
#define DESCRIPTOR_HEADER (1u << 19)

static uint32_t lengths(uint32_t payload, uint32_t response)
{
    return payload << 25 | response << 20;
}

static bool is_stateless(const struct coder_builder *builder)
{
    return builder->coder->options.buffer_model == SONDE_BUFFER_STATELESS;
}

static uint32_t bti_of(const struct sonde_coder *coder, bool by_address)
{
    return by_address ? BTI_STATELESS : coder->options.binding_table_index;
}

static uint32_t bti(const struct coder_builder *builder)
{
    return bti_of(builder->coder, is_stateless(builder));
}

static struct sonde_gen_instruction make_send(const struct coder_builder *builder,
                                              uint8_t exec_size, bool split)
{
    const struct coder_isa *isa = builder->coder->isa;
    struct sonde_gen_instruction send;
    sonde_gen_instruction_init(&send, sonde_kernel_info(builder->coder->kernel)->platform,
                               (enum sonde_gen_opcode)(split ? isa->split_opcode : SONDE_GEN_SEND),
                               exec_size, true);
    send.source_count = split || isa->split_opcode == SONDE_GEN_SEND ? 2 : 1;
    send.dst = direct_destination(direct_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UD));
    send.src[0] = direct_grf(builder->coder, 0, SONDE_GEN_TYPE_UD);
    if (send.source_count == 2)
        send.src[1] = split ? send.src[0] : direct_arf(SONDE_GEN_ARF_NULL, SONDE_GEN_TYPE_UD);
    return send;
}

void coder_message_atomic(struct coder_builder *builder, enum coder_atomic operation, uint32_t size,
                          sonde_vreg address, sonde_vreg data, sonde_vreg response)
{
    bool stateless = is_stateless(builder);
    uint32_t descriptor = (stateless ? ATOMIC_A64 : ATOMIC_SURFACE) | (uint32_t)operation << 8 |
                          bti(builder) | lengths(stateless ? 2 : 1, response != 0 ? 1 : 0);
    if (size == 8)
        descriptor |= ATOMIC_A64_QWORD;
    if (response != 0)
        descriptor |= ATOMIC_RETURN;
    struct sonde_gen_instruction send = make_send(builder, 1, data != 0);
    direct_set_send(&send, SONDE_GEN_SFID_DC1, descriptor,
                    data == 0 ? 0 : (uint8_t)(size == 8 ? 2 : 1));
    struct sonde_operand to = sonde_operand_vreg(response), from = sonde_operand_vreg(data);
    coder_builder_send(builder, &send, response != 0 ? &to : NULL, address,
                       data != 0 ? &from : NULL);
}

void coder_message_add_dwords(struct coder_builder *builder, uint8_t channels, sonde_vreg addresses,
                              sonde_vreg data)
{
    uint32_t registers = channels > 8 ? 2 : 1;
    uint32_t descriptor =
        ATOMIC_SURFACE | (uint32_t)CODER_ATOMIC_ADD << 8 | bti(builder) | lengths(registers, 0);
    if (channels > 8)
        descriptor &= ~ATOMIC_SIMD8;
    struct sonde_gen_instruction send = make_send(builder, channels, true);
    direct_set_send(&send, SONDE_GEN_SFID_DC1, descriptor, (uint8_t)registers);
    struct sonde_operand from = sonde_operand_vreg(data);
    coder_builder_send(builder, &send, NULL, addresses, &from);
}

void coder_message_store_pair(struct coder_builder *builder, sonde_vreg address, sonde_vreg data)
{
    struct sonde_gen_instruction send = make_send(builder, 1, true);
    direct_set_send(&send, SONDE_GEN_SFID_DC1, UNTYPED_WRITE_XY | bti(builder) | lengths(1, 0), 2);
    struct sonde_operand from = sonde_operand_vreg(data);
    coder_builder_send(builder, &send, NULL, address, &from);
}

/* The header names the place: offset in OWords at dword 2, or the address. */
static sonde_vreg block_header(struct coder_builder *builder, sonde_vreg address)
{
    sonde_vreg header = coder_builder_temporary(builder, CODER_TEMPORARY_HEADER);
    struct coder_operand all = coder_vreg_typed(header, 0, SONDE_GEN_TYPE_UD);
    struct coder_operand zero = coder_typed(sonde_operand_immediate(0), SONDE_GEN_TYPE_UD);
    coder_builder_append(builder, SONDE_GEN_MOV, 8, &all, &zero, 1);
    if (is_stateless(builder))
        coder_builder_operation(builder, SONDE_MOV, SONDE_GEN_TYPE_UQ, sonde_operand_vreg(header),
                                sonde_operand_vreg(address), sonde_operand_vreg(address));
    else
        coder_builder_binary(builder, SONDE_GEN_SHR, coder_vreg_typed(header, 8, SONDE_GEN_TYPE_UD),
                             coder_vreg_typed(address, 0, SONDE_GEN_TYPE_UD),
                             coder_typed(sonde_operand_immediate(4), SONDE_GEN_TYPE_UD));
    return header;
}

enum sonde_gen_sfid coder_block_function(bool by_address)
{
    return by_address ? SONDE_GEN_SFID_DC1 : SONDE_GEN_SFID_DC0;
}

uint32_t coder_block_descriptor(const struct sonde_coder *coder, bool by_address, uint32_t size,
                                bool write)
{
    uint32_t registers = (size + coder->grf_size - 1) / coder->grf_size, owords = size / 16;
    uint32_t code = owords == 1 ? 0 : (uint32_t)__builtin_ctz(owords) + 1;
    uint32_t type = by_address ? (write ? BLOCK_WRITE_A64 : BLOCK_READ_A64)
                               : (write ? BLOCK_WRITE : BLOCK_READ);
    return type | DESCRIPTOR_HEADER | code << 8 | bti_of(coder, by_address) |
           lengths(1, write ? 0 : registers);
}

void coder_message_block(struct coder_builder *builder, sonde_vreg address,
                         struct sonde_operand data, uint32_t size, bool write)
{
    const struct sonde_coder *coder = builder->coder;
    uint32_t registers = (size + coder->grf_size - 1) / coder->grf_size;
    sonde_vreg header = block_header(builder, address);
    struct sonde_gen_instruction send = make_send(builder, 8, write);
    send.dst.type = SONDE_GEN_TYPE_UD;
    bool by_address = is_stateless(builder);
    direct_set_send(&send, coder_block_function(by_address),
                    coder_block_descriptor(coder, by_address, size, write),
                    write ? (uint8_t)registers : 0);
    coder_builder_send(builder, &send, write ? NULL : &data, header, write ? &data : NULL);
}
