/* Shared by the two halves of the Gen9 code generator. */
#ifndef SONDE_CODER_GEN9_H
#define SONDE_CODER_GEN9_H

#include "coder/build.h"
#include "sonde/gen_message.h"

struct sonde_gen_operand gen9_grf(const struct sonde_coder *coder, uint32_t byte,
                                  enum sonde_gen_type type);
struct sonde_gen_operand gen9_arf(uint8_t number, enum sonde_gen_type type);
struct sonde_gen_operand gen9_destination(struct sonde_gen_operand operand);
void gen9_set_send(struct sonde_gen_instruction *instruction, enum sonde_gen_sfid sfid,
                   uint32_t descriptor, uint8_t src1_length);

void gen9_atomic(struct coder_builder *builder, enum coder_atomic operation, uint32_t size,
                 sonde_vreg address, sonde_vreg data, sonde_vreg response);
void gen9_store_pair(struct coder_builder *builder, sonde_vreg address, sonde_vreg data);
void gen9_block(struct coder_builder *builder, sonde_vreg address, struct sonde_operand data,
                uint32_t size, bool write);
void gen9_thread_id(struct coder_builder *builder, struct sonde_operand dst);
void gen9_dss_id(struct coder_builder *builder, struct sonde_operand dst);

#endif
