/* iga64's library as the oracle of the codec tests, reached by dlopen: Debian
 * ships it without headers. Its C API is described in doc and in the library's
 * published source; only what the tests call stands here. */
#ifndef TESTS_ISA_CODEC_IGA_H
#define TESTS_ISA_CODEC_IGA_H

#include "sonde/gen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IGA_GEN9 (9u << 16)

#define IGA_ENCODE_COMPACT    1u
#define IGA_ENCODE_SCOREBOARD 2u /* compute the software scoreboard fields */
#define IGA_ENCODE_NO_COMPACT 16u

struct iga;

/* NULL when the library is not installed. */
struct iga *iga_open(void); /* for Gen9 */
struct iga *iga_open_platform(enum sonde_gen_platform platform);
void iga_close(struct iga *iga);

/* Assemble; *size bytes that stay valid until the next call, NULL on error. */
const uint8_t *iga_assemble(struct iga *iga, const char *text, uint32_t encoder, size_t *size);

/* Assemble and count the warnings (of region rules); the first one's text goes
 * to *first. Negative when the text does not assemble. */
int iga_warnings(struct iga *iga, const char *text, const char **first);

/* Disassemble a buffer; NULL on error. */
const char *iga_disassemble(struct iga *iga, const uint8_t *code, size_t size);
/* The same, with text for buffers with errors too: what cannot be decoded is
 * printed as "illegal". */
const char *iga_disassemble_any(struct iga *iga, const uint8_t *code, size_t size);

struct iga_diagnostic {
    uint32_t line, column;
    uint32_t offset; /* of the instruction */
    uint32_t extent;
    const char *message;
};

/* Errors of the last call in the order of offsets, valid until the next one. */
const struct iga_diagnostic *iga_errors(struct iga *iga, size_t *count);

/* The field view of a buffer: one symbol a field, (view, pc, ...). */
struct kv {
    void *view;
    int32_t status; /* of the decoding: 0 without errors or warnings */
    char messages[2048];
};

bool kv_open(struct iga *iga, struct kv *kv, const uint8_t *code, size_t size);
void kv_close(struct iga *iga, struct kv *kv);

struct kv_functions {
    void *(*create)(uint32_t, const void *, size_t, int32_t *, char *, size_t, int32_t);
    void (*delete)(void *);
    int32_t (*inst_size)(const void *, int32_t);
    bool (*has_option)(const void *, int32_t, uint32_t);
    uint32_t (*targets)(const void *, int32_t, int32_t *);
    uint32_t (*send_descs)(const void *, int32_t, uint32_t *, uint32_t *);
    int32_t (*send_indirect)(const void *, int32_t, uint8_t *, uint8_t *, uint8_t *, uint8_t *);
    int32_t (*message_sfid)(const void *, int32_t, int32_t *);
    uint32_t (*message_len)(const void *, int32_t, uint32_t *, uint32_t *, uint32_t *);
    int32_t (*send_exbso)(const void *, int32_t, int32_t *);
    uint32_t (*exec_size)(const void *, int32_t);
    int32_t (*sources)(const void *, int32_t);
    uint32_t (*opcode)(const void *, int32_t);
    size_t (*syntax)(const void *, int32_t, char *, size_t, uint32_t,
                     const char *(*)(int32_t, void *), void *);
    int32_t (*subfunction)(const void *, int32_t, uint32_t *);
    int32_t (*has_dst)(const void *, int32_t);
    int32_t (*dst_register)(const void *, int32_t);
    int32_t (*dst_subreg)(const void *, int32_t);
    uint32_t (*dst_type)(const void *, int32_t);
    uint32_t (*dst_register_type)(const void *, int32_t);
    uint32_t (*dst_kind)(const void *, int32_t);
    int32_t (*dst_region)(const void *, int32_t, uint32_t *);
    uint32_t (*dst_modifier)(const void *, int32_t);
    int32_t (*dst_offset)(const void *, int32_t, int16_t *);
    int32_t (*dst_mme)(const void *, int32_t, int16_t *);
    int32_t (*src_register)(const void *, int32_t, uint32_t);
    int32_t (*src_subreg)(const void *, int32_t, uint32_t);
    uint32_t (*src_type)(const void *, int32_t, uint32_t);
    uint32_t (*src_register_type)(const void *, int32_t, uint32_t);
    uint32_t (*src_kind)(const void *, int32_t, uint32_t);
    int32_t (*src_region)(const void *, int32_t, uint32_t, uint32_t *, uint32_t *, uint32_t *);
    int32_t (*src_immediate)(const void *, int32_t, uint32_t, uint64_t *);
    int32_t (*src_offset)(const void *, int32_t, uint32_t, int16_t *);
    int32_t (*src_mme)(const void *, int32_t, uint32_t, int16_t *);
    uint32_t (*src_modifier)(const void *, int32_t, uint32_t);
    uint32_t (*channel_offset)(const void *, int32_t);
    uint32_t (*mask_control)(const void *, int32_t);
    uint32_t (*flag_modifier)(const void *, int32_t);
    int32_t (*flag_register)(const void *, int32_t);
    int32_t (*flag_subreg)(const void *, int32_t);
    uint32_t (*predicate)(const void *, int32_t);
    uint32_t (*predicate_inverse)(const void *, int32_t);
};

const struct kv_functions *iga_kv(struct iga *iga);

#endif
