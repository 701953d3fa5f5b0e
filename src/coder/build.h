/* How methods append to a procedure: errors stick, later steps do nothing, and
 * closing takes back what a failed method appended. */
#ifndef SONDE_CODER_BUILD_H
#define SONDE_CODER_BUILD_H

#include "coder/internal.h"

struct coder_builder {
    struct sonde_coder *coder;
    struct sonde_procedure *procedure;
    const struct sonde_predicate *predicate; /* of every instruction; NULL for none */
    size_t start;
    enum sonde_status status;
    struct sonde_error *error;
};

struct coder_builder coder_builder_open(struct sonde_coder *coder,
                                        struct sonde_procedure *procedure,
                                        const struct sonde_predicate *predicate,
                                        struct sonde_error *error);
enum sonde_status coder_builder_close(struct coder_builder *builder);
void coder_builder_fail(struct coder_builder *builder, enum sonde_status status, const char *format,
                        ...) SONDE_PRINTF(3, 4);
/* Refuse a register that is not of this coder or smaller than `size` bytes;
 * `what` names its use. */
void coder_builder_need(struct coder_builder *builder, sonde_vreg vreg, uint32_t size,
                        const char *what);
void coder_builder_need_address(struct coder_builder *builder, sonde_vreg vreg);
/* Refuse an operand that has no element of the type. */
void coder_builder_need_operand(struct coder_builder *builder, const struct sonde_operand *operand,
                                enum sonde_gen_type type, bool is_destination);
/* Bytes of an address in the profile buffer. */
uint32_t coder_address_size(const struct sonde_coder *coder);
sonde_vreg coder_builder_temporary(struct coder_builder *builder, enum coder_temporary which);

/* An operand of an instruction. */
struct coder_operand {
    struct sonde_operand at;
    enum sonde_gen_type type;
    bool negate;      /* logic operations: complement */
    uint8_t elements; /* 0 or 1: one for all channels; else as many as channels */
};

struct coder_operand coder_typed(struct sonde_operand at, enum sonde_gen_type type);
struct coder_operand coder_vreg_typed(sonde_vreg vreg, uint32_t byte, enum sonde_gen_type type);
/* Append one NoMask instruction of exec_size channels. count: sources. */
struct coder_item *coder_builder_append(struct coder_builder *builder, enum sonde_gen_opcode opcode,
                                        uint8_t exec_size, const struct coder_operand *dst,
                                        const struct coder_operand *sources, unsigned count);
/* dst = source, dst = a op b, one channel. */
void coder_builder_move(struct coder_builder *builder, struct coder_operand dst,
                        struct coder_operand source);
void coder_builder_binary(struct coder_builder *builder, enum sonde_gen_opcode opcode,
                          struct coder_operand dst, struct coder_operand a, struct coder_operand b);
/* Append a message whose descriptors stand in `instruction`. Registers are
 * virtual (0 for none); src1 may be physical. */
void coder_builder_send(struct coder_builder *builder,
                        const struct sonde_gen_instruction *instruction,
                        const struct sonde_operand *dst, sonde_vreg src0,
                        const struct sonde_operand *src1);
/* An item that was appended otherwise: under the method's predicate. */
void coder_builder_predicate(const struct coder_builder *builder, struct coder_item *item);
/* The kernel's values do not move into registers that the item names. */
void coder_builder_name(struct coder_builder *builder, const struct coder_item *item);
/* dst = a operation b with everything that makes it legal. */
void coder_builder_operation(struct coder_builder *builder, enum sonde_operation operation,
                             enum sonde_gen_type type, struct sonde_operand dst,
                             struct sonde_operand a, struct sonde_operand b);
void coder_builder_compare(struct coder_builder *builder, const struct sonde_predicate *flag,
                           enum sonde_gen_condition condition, enum sonde_gen_type type,
                           struct sonde_operand a, struct sonde_operand b);
/* The address in a register that a message can take. */
sonde_vreg coder_builder_message_address(struct coder_builder *builder, sonde_vreg address);

#endif
