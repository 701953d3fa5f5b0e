/* Instructions over physical registers, and messages, as all parts from Gen9
 * to XeHPG have them; the table in isa.c says where they differ. */
#ifndef SONDE_CODER_DIRECT_H
#define SONDE_CODER_DIRECT_H

#include "coder/build.h"
#include "sonde/gen_message.h"

struct sonde_gen_operand direct_grf(const struct sonde_coder *coder, uint32_t byte,
                                    enum sonde_gen_type type);
struct sonde_gen_operand direct_arf(uint8_t number, enum sonde_gen_type type);
struct sonde_gen_operand direct_destination(struct sonde_gen_operand operand);
void direct_set_send(struct sonde_gen_instruction *instruction, enum sonde_gen_sfid sfid,
                     uint32_t descriptor, uint8_t src1_length);

bool direct_chunk_needs_temporary(const struct coder_isa *isa, uint32_t bucket_count);
/* dst = (thread id mod buckets) << shift, plus addend. */
enum sonde_status direct_thread_chunk(const struct sonde_coder *coder, struct coder_code *code,
                                      const struct coder_chunk *chunk, uint32_t addend,
                                      uint32_t dst, uint32_t temporary, struct sonde_error *error);
/* dst = src + addend, 32 bits. */
enum sonde_status direct_add_immediate(const struct sonde_coder *coder, struct coder_code *code,
                                       uint32_t dst, uint32_t src, uint32_t addend,
                                       struct sonde_error *error);
/* One register to or from the thread's scratch memory. */
enum sonde_status direct_scratch(const struct sonde_coder *coder, struct coder_code *code,
                                 uint32_t header, uint32_t number, uint32_t offset, bool write,
                                 struct sonde_error *error);
/* `size` bytes of registers to or from the profile buffer, by its address or as
 * a surface; the place stands in the header as such a block message wants it. */
enum sonde_status direct_block(const struct sonde_coder *coder, struct coder_code *code,
                               bool by_address, uint32_t header, uint32_t number, uint32_t size,
                               bool write, struct sonde_error *error);
/* dst:uq = the low half at dst + the profile buffer's address, without carry. */
enum sonde_status direct_add_buffer_address(const struct sonde_coder *coder,
                                            struct coder_code *code, uint32_t dst,
                                            struct sonde_error *error);
/* Move a 32-bit flag register, or the address registers, to or from GRF. */
enum sonde_status direct_move_flag(const struct sonde_coder *coder, struct coder_code *code,
                                   uint32_t flag, uint32_t byte, bool save,
                                   struct sonde_error *error);
enum sonde_status direct_move_address(const struct sonde_coder *coder, struct coder_code *code,
                                      uint32_t byte, bool save, struct sonde_error *error);
/* A whole register to another, by number. */
enum sonde_status direct_move_register(const struct sonde_coder *coder, struct coder_code *code,
                                       uint32_t to, uint32_t from, struct sonde_error *error);
/* 32 bits a channel of accumulator `number`. */
enum sonde_status direct_move_accumulator(const struct sonde_coder *coder, struct coder_code *code,
                                          uint32_t number, uint32_t byte, bool save,
                                          struct sonde_error *error);
/* dst = the fixed-function thread id of the header in r0; dst = 64-bit value;
 * both at the entry. clear: `size` bytes at dst. */
enum sonde_status direct_read_ff_tid(const struct sonde_coder *coder, struct coder_code *code,
                                     uint32_t dst, struct sonde_error *error);
enum sonde_status direct_read_buffer_address(const struct sonde_coder *coder,
                                             struct coder_code *code, uint32_t dst,
                                             struct sonde_error *error);
/* The same, of a buffer that holds its address: register `work` is lost, of which
 * dst may be a part. */
enum sonde_status direct_fetch_buffer_address(const struct sonde_coder *coder,
                                              struct coder_code *code, uint32_t dst, uint32_t work,
                                              struct sonde_error *error);
enum sonde_status direct_clear(const struct sonde_coder *coder, struct coder_code *code,
                               uint32_t dst, uint32_t size, struct sonde_error *error);

#endif
