/* The Intel GEN/Xe codec: one decoded form of an instruction, shared by the
 * printer, the kernel model, the rewriter and the emulator.
 *
 * Decoding fills a caller-owned struct and never allocates. A decoded
 * instruction keeps its native 128-bit word in `raw`; encoding starts from
 * that word and overwrites the bits of every field that the struct names, so
 * bits that no field names survive and decode followed by encode is bit-exact.
 * To build a new instruction start from sonde_gen_instruction_init.
 *
 * Units: register sub-offsets are bytes, regions are elements, branch offsets
 * are bytes relative to the start of the branch instruction. */
#ifndef SONDE_GEN_H
#define SONDE_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sonde/gen_opcode.h"
#include "sonde/status.h"

enum sonde_gen_platform {
    SONDE_GEN_PLATFORM_GEN9,
    SONDE_GEN_PLATFORM_GEN11,
    SONDE_GEN_PLATFORM_XE, /* Gen12LP: tgl, rkl, adl, dg1 */
    SONDE_GEN_PLATFORM_XEHP,
    SONDE_GEN_PLATFORM_XEHPG, /* dg2, mtl */
    SONDE_GEN_PLATFORM_XEHPC, /* pvc */
    SONDE_GEN_PLATFORM_COUNT
};

enum sonde_gen_type {
    SONDE_GEN_TYPE_UB,
    SONDE_GEN_TYPE_B,
    SONDE_GEN_TYPE_UW,
    SONDE_GEN_TYPE_W,
    SONDE_GEN_TYPE_UD,
    SONDE_GEN_TYPE_D,
    SONDE_GEN_TYPE_UQ,
    SONDE_GEN_TYPE_Q,
    SONDE_GEN_TYPE_HF,
    SONDE_GEN_TYPE_F,
    SONDE_GEN_TYPE_DF,
    SONDE_GEN_TYPE_UV, /* immediate: eight 4-bit unsigned, read as 8 x uw */
    SONDE_GEN_TYPE_V,  /* immediate: eight 4-bit signed, read as 8 x w */
    SONDE_GEN_TYPE_VF, /* immediate: four 8-bit restricted floats, read as 4 x f */
    SONDE_GEN_TYPE_BF,
    SONDE_GEN_TYPE_BF8,
    SONDE_GEN_TYPE_TF32,
    SONDE_GEN_TYPE_NONE, /* the operand has no type (send payloads, branch targets) */
    SONDE_GEN_TYPE_U4,   /* dpas: two elements a byte */
    SONDE_GEN_TYPE_S4,
    SONDE_GEN_TYPE_U2, /* dpas: four elements a byte */
    SONDE_GEN_TYPE_S2,
    SONDE_GEN_TYPE_NF, /* Gen11: the wide float of the accumulators; counts as four bytes */
    SONDE_GEN_TYPE_COUNT
};

enum sonde_gen_file {
    SONDE_GEN_FILE_NONE, /* operand absent */
    SONDE_GEN_FILE_ARF,  /* number = sonde_gen_arf class | index */
    SONDE_GEN_FILE_GRF,
    SONDE_GEN_FILE_IMMEDIATE,
};

/* Architecture registers: high nibble of the register number byte. */
enum sonde_gen_arf {
    SONDE_GEN_ARF_NULL = 0x00,
    SONDE_GEN_ARF_ADDRESS = 0x10,
    SONDE_GEN_ARF_ACCUMULATOR =
        0x20, /* 0x20.. acc; mme0-7 are 0x22-0x29 on Gen9/11, 0x28-0x2f later */
    SONDE_GEN_ARF_FLAG = 0x30,
    SONDE_GEN_ARF_CHANNEL_ENABLE = 0x40,
    SONDE_GEN_ARF_MESSAGE = 0x50,
    SONDE_GEN_ARF_STACK_POINTER = 0x60,
    SONDE_GEN_ARF_STATE = 0x70,
    SONDE_GEN_ARF_CONTROL = 0x80,
    SONDE_GEN_ARF_NOTIFICATION = 0x90,
    SONDE_GEN_ARF_IP = 0xa0,
    SONDE_GEN_ARF_THREAD_DEPENDENCY = 0xb0,
    SONDE_GEN_ARF_TIMESTAMP = 0xc0,
    SONDE_GEN_ARF_FLOW_CONTROL = 0xd0,
    SONDE_GEN_ARF_DEBUG = 0xf0,
};

/* Vertical stride of a register-indirect VxH / Vx1 region. */
#define SONDE_GEN_VSTRIDE_VXH 0xff

enum sonde_gen_condition {
    SONDE_GEN_CONDITION_NONE = 0,
    SONDE_GEN_CONDITION_Z = 1,  /* eq */
    SONDE_GEN_CONDITION_NZ = 2, /* ne */
    SONDE_GEN_CONDITION_G = 3,
    SONDE_GEN_CONDITION_GE = 4,
    SONDE_GEN_CONDITION_L = 5,
    SONDE_GEN_CONDITION_LE = 6,
    SONDE_GEN_CONDITION_O = 8,
    SONDE_GEN_CONDITION_U = 9,
};

/* Predicate control, platform-neutral. */
enum sonde_gen_predicate {
    SONDE_GEN_PREDICATE_NONE = 0,
    SONDE_GEN_PREDICATE_CHANNEL = 1, /* sequential: one flag bit a channel */
    SONDE_GEN_PREDICATE_ANYV = 2,
    SONDE_GEN_PREDICATE_ALLV = 3,
    SONDE_GEN_PREDICATE_ANY2H = 4,
    SONDE_GEN_PREDICATE_ALL2H = 5,
    SONDE_GEN_PREDICATE_ANY4H = 6,
    SONDE_GEN_PREDICATE_ALL4H = 7,
    SONDE_GEN_PREDICATE_ANY8H = 8,
    SONDE_GEN_PREDICATE_ALL8H = 9,
    SONDE_GEN_PREDICATE_ANY16H = 10,
    SONDE_GEN_PREDICATE_ALL16H = 11,
    SONDE_GEN_PREDICATE_ANY32H = 12,
    SONDE_GEN_PREDICATE_ALL32H = 13,
    SONDE_GEN_PREDICATE_ANY = 14, /* XeHPC and later: over all channels */
    SONDE_GEN_PREDICATE_ALL = 15,
};

enum sonde_gen_math {
    SONDE_GEN_MATH_INV = 1,
    SONDE_GEN_MATH_LOG = 2,
    SONDE_GEN_MATH_EXP = 3,
    SONDE_GEN_MATH_SQT = 4,
    SONDE_GEN_MATH_RSQT = 5,
    SONDE_GEN_MATH_SIN = 6,
    SONDE_GEN_MATH_COS = 7,
    SONDE_GEN_MATH_FDIV = 9,
    SONDE_GEN_MATH_POW = 10,
    SONDE_GEN_MATH_IDIV = 11, /* quotient and remainder */
    SONDE_GEN_MATH_IQOT = 12,
    SONDE_GEN_MATH_IREM = 13,
    SONDE_GEN_MATH_INVM = 14,
    SONDE_GEN_MATH_RSQTM = 15,
};

/* Functions of sync, Xe and later. */
enum sonde_gen_sync {
    SONDE_GEN_SYNC_NOP = 0,
    SONDE_GEN_SYNC_ALLRD = 2, /* waits until the payloads of the tokens given were read */
    SONDE_GEN_SYNC_ALLWR = 3, /* waits until the results of the tokens given were written */
    SONDE_GEN_SYNC_FENCE = 13,
    SONDE_GEN_SYNC_BAR = 14,
    SONDE_GEN_SYNC_HOST = 15,
};

enum sonde_gen_thread_control {
    SONDE_GEN_THREAD_NORMAL = 0,
    SONDE_GEN_THREAD_ATOMIC = 1,
    SONDE_GEN_THREAD_SWITCH = 2,
    SONDE_GEN_THREAD_NO_PREEMPT = 3,
};

/* One operand. For a direct GRF or ARF operand the first element starts at
 * byte `subreg` of register `number`. For an indirect one the byte address
 * into the GRF file is a0.(address_subreg):uw + address_offset.
 *
 * Align16 (on Gen9 every ternary, and math.invm/rsqtm): elements are packed,
 * element i of a source is element (i & ~3) + swizzle selector (i & 3), or
 * element 0 when `replicate`; vstride, width and hstride only tell that in
 * align1 terms and are not encoded. Element i of the destination is written
 * when bit i & 3 of write_mask is set; iga64 shows exec size 4 with one such
 * bit as a scalar instruction on that element. */
struct sonde_gen_operand {
    uint8_t file;    /* enum sonde_gen_file */
    uint8_t type;    /* enum sonde_gen_type */
    uint8_t number;  /* GRF number, or ARF number byte (class | index) */
    uint8_t subreg;  /* bytes into the register, whatever the type */
    uint8_t vstride; /* elements, or SONDE_GEN_VSTRIDE_VXH; unused for destinations */
    uint8_t width;   /* elements: 1,2,4,8,16; unused for destinations */
    uint8_t hstride; /* elements: 0,1,2,4 */
    bool negate;     /* for and/or/xor/not: bitwise complement */
    bool absolute;
    bool indirect;
    uint8_t address_subreg; /* index of the 16-bit a0 element */
    int16_t address_offset; /* bytes */
    /* madm/invm/rsqtm on align16: index of the extra-precision register,
     * 0-7 = mme0-mme7, 8 = nomme; 0xff elsewhere. */
    uint8_t mme;
    uint8_t write_mask; /* align16 destination only: enabled xyzw channels; 0xf elsewhere */
    uint8_t swizzle;    /* align16 source only: four 2-bit selectors, x in bits 1:0; 0xe4 = xyzw */
    bool replicate;     /* align16 ternary source only: RepCtrl, scalar <0;0> */
    uint64_t immediate; /* raw bits of an immediate; 16-bit ones in bits 15:0 */
};

/* A send-family message. Registers stand in dst, src[0] and src[1] of the
 * instruction; lengths are GRFs. */
struct sonde_gen_send {
    uint8_t sfid; /* shared function, enum values in gen_message.h */
    bool end_of_thread;
    bool descriptor_is_register; /* a0.0:ud holds the descriptor */
    bool ex_descriptor_is_register;
    uint8_t ex_descriptor_subreg; /* index of the 16-bit a0 element when in a register */
    uint32_t descriptor;          /* immediate descriptor as iga64 prints it */
    uint32_t ex_descriptor;       /* immediate extended descriptor as iga64 prints it */
    uint8_t src1_length;          /* GRFs of the second payload of a split send, when known */
    bool ex_bso;                  /* XeHPG and later: the register holds a 26-bit surface offset,
                                   * src1_length stands in the instruction */
    bool fusion_control;          /* Xe and later: serialize the two fused EUs */
};

/* Which bytes a decoder had to leave unexplained, or why it refused. */
struct sonde_gen_instruction {
    uint64_t raw[2];        /* native word, compacted instructions expanded */
    uint64_t raw_compacted; /* the 8 bytes as found, when `compacted` */
    uint32_t offset;        /* byte offset in the decoded buffer */
    uint8_t size;           /* bytes occupied in the decoded buffer: 8 or 16 */
    uint8_t platform;       /* enum sonde_gen_platform */
    uint8_t opcode;         /* enum sonde_gen_opcode */
    bool compacted;
    bool illegal; /* encoding the hardware does not define, or opcode illegal; `raw` is all there is
                   */
    uint8_t exec_size;      /* 1,2,4,8,16,32 */
    uint8_t channel_offset; /* first channel: 0,4,8,...,28 */
    bool no_mask;           /* WrEn: ignores the execution mask */
    bool align16;
    uint8_t predicate; /* enum sonde_gen_predicate */
    bool predicate_inverse;
    uint8_t condition;   /* enum sonde_gen_condition */
    uint8_t flag_number; /* f0..f3; used by predicate and condition */
    uint8_t flag_subreg; /* 0 or 1: 16-bit half */
    bool saturate;
    bool accumulator_write; /* AccWrEn */
    bool no_dependency_clear;
    bool no_dependency_check;
    uint8_t thread_control; /* enum sonde_gen_thread_control */
    bool branch_control;    /* goto.b, if.b, ... */
    bool debug;             /* breakpoint bit */
    uint8_t math;           /* enum sonde_gen_math, for opcode math */
    uint8_t boolean;        /* bfn truth table */
    uint8_t sync;           /* enum sonde_gen_sync, Xe and later */
    uint8_t systolic_depth; /* dpas: 2, 4, 8, 16 */
    uint8_t repeat_count;   /* dpas: 1-8 */
    uint16_t swsb;          /* software scoreboard field, raw, Xe and later */
    bool has_jip;           /* jump offsets are immediates */
    bool has_uip;
    int32_t jip; /* bytes from the start of this instruction (jmpi included, normalised);
                    calla: bytes from Instruction Base */
    int32_t uip;
    struct sonde_gen_send send;
    struct sonde_gen_operand dst;
    struct sonde_gen_operand src[3];
    uint8_t source_count;
    /* Of an illegal instruction that was decoded: what is wrong and the value
     * at fault. Static storage; NULL elsewhere. */
    const char *illegal_reason;
    uint32_t illegal_value;
};

/* Why the instruction is illegal, e.g. "exec_size (bits 23:21) is undefined:
 * 0x7"; "" when it is legal. Returns the length as snprintf does. */
SONDE_API int sonde_gen_illegal_print(const struct sonde_gen_instruction *instruction, char *text,
                                      size_t size);

/* The software scoreboard field (Xe and later): what an instruction waits for. */
enum sonde_gen_pipe {
    SONDE_GEN_PIPE_INFERRED, /* that of the instruction's own type */
    SONDE_GEN_PIPE_ALL,
    SONDE_GEN_PIPE_FLOAT,
    SONDE_GEN_PIPE_INTEGER,
    SONDE_GEN_PIPE_LONG,
    SONDE_GEN_PIPE_MATH,
    /* No code of the field stands for these: where messages and systolic
     * operations run, and what runs nowhere (sync, nop, halt, before Xe all). */
    SONDE_GEN_PIPE_SEND,
    SONDE_GEN_PIPE_SYSTOLIC,
    SONDE_GEN_PIPE_NONE,
    SONDE_GEN_PIPE_COUNT
};

enum sonde_gen_token_mode {
    SONDE_GEN_TOKEN_NONE,
    SONDE_GEN_TOKEN_DESTINATION, /* waits until the token's result was written */
    SONDE_GEN_TOKEN_SOURCE,      /* waits until the token's payload was read */
    SONDE_GEN_TOKEN_SET,         /* this instruction gets the token */
};

struct sonde_gen_scoreboard {
    uint8_t distance; /* instructions back in the in-order pipe; 0 none */
    uint8_t pipe;     /* enum sonde_gen_pipe */
    uint8_t token;
    uint8_t token_mode; /* enum sonde_gen_token_mode */
    bool has_distance;  /* a distance stands there, even if 0 */
    bool no_accumulator_set;
};

/* False for values that the hardware does not define. Before Xe there is no
 * such field: all zero. */
SONDE_API bool sonde_gen_scoreboard_decode(const struct sonde_gen_instruction *instruction,
                                           struct sonde_gen_scoreboard *scoreboard);

/* The pipe in which an instruction runs. Instructions of one pipe complete in
 * order, save those that run out of order and get tokens: messages, systolic
 * operations and, before XeHPC, math. Xe counts distances over all in-order
 * pipes together, later platforms a pipe. */
SONDE_API enum sonde_gen_pipe
sonde_gen_instruction_pipe(const struct sonde_gen_instruction *instruction);
SONDE_API bool
sonde_gen_instruction_is_out_of_order(const struct sonde_gen_instruction *instruction);

/* What an instruction waits for before it runs, all forms of the field and the
 * masks of sync.allrd and sync.allwr resolved. */
struct sonde_gen_wait {
    uint8_t distance;     /* 1-7; 0: for no in-order instruction */
    uint16_t pipes;       /* bit n: pipe n, of which all up to the distance-th back complete */
    uint32_t destination; /* bit n: until the result of token n was written */
    uint32_t source;      /* bit n: until the payload of token n was read */
    bool sets_token;      /* gets `token`, and waits until its former owner is done */
    uint8_t token;
};

/* False, and a wait for nothing, when the field has no meaning. */
SONDE_API bool sonde_gen_instruction_wait(const struct sonde_gen_instruction *instruction,
                                          struct sonde_gen_wait *wait);

/* Static facts of an opcode, from the opcode table. */
enum sonde_gen_format {
    SONDE_GEN_FORMAT_NULLARY,
    SONDE_GEN_FORMAT_UNARY,
    SONDE_GEN_FORMAT_BINARY,
    SONDE_GEN_FORMAT_TERNARY,
    SONDE_GEN_FORMAT_MATH,
    SONDE_GEN_FORMAT_BRANCH,
    SONDE_GEN_FORMAT_SEND,
    SONDE_GEN_FORMAT_WAIT,
    SONDE_GEN_FORMAT_SYNC,
    SONDE_GEN_FORMAT_DPAS,
};

SONDE_API const char *sonde_gen_opcode_mnemonic(enum sonde_gen_opcode opcode);
SONDE_API enum sonde_gen_format sonde_gen_opcode_format(enum sonde_gen_opcode opcode);
SONDE_API bool sonde_gen_opcode_exists(enum sonde_gen_opcode opcode,
                                       enum sonde_gen_platform platform);
/* True for every opcode that can change the instruction pointer (branch
 * format), false for sends with EOT. */
SONDE_API bool sonde_gen_opcode_is_branch(enum sonde_gen_opcode opcode);

SONDE_API const char *sonde_gen_type_name(enum sonde_gen_type type); /* "ud", "f", ... */
SONDE_API uint8_t sonde_gen_type_size(enum sonde_gen_type type);     /* bytes; uv/v 2, vf 4 */
SONDE_API bool sonde_gen_type_is_float(enum sonde_gen_type type);
SONDE_API bool sonde_gen_type_is_signed(enum sonde_gen_type type);

SONDE_API const char *sonde_gen_platform_name(enum sonde_gen_platform platform); /* "gen9" */
SONDE_API enum sonde_status sonde_gen_platform_from_name(const char *name,
                                                         enum sonde_gen_platform *platform);
/* GRF size in bytes: 32, or 64 on XeHPC. */
SONDE_API uint32_t sonde_gen_platform_grf_size(enum sonde_gen_platform platform);

/* Which hardware thread the state register sr0.0 tells of. The sub-slice is a
 * pair (dual sub-slice) from Xe on. */
enum sonde_gen_thread_field {
    SONDE_GEN_THREAD_SLICE,
    SONDE_GEN_THREAD_SUBSLICE,
    SONDE_GEN_THREAD_UNIT, /* execution unit in its sub-slice */
    SONDE_GEN_THREAD_SLOT, /* thread in its execution unit */
    SONDE_GEN_THREAD_FIELD_COUNT
};
/* Bits [from, from + width) of sr0.0 are bits [to, to + width) of the field. */
struct sonde_gen_bits {
    uint8_t from, width, to;
};
SONDE_API const struct sonde_gen_bits *sonde_gen_thread_bits(enum sonde_gen_platform platform,
                                                             enum sonde_gen_thread_field field,
                                                             size_t *count);
SONDE_API uint32_t sonde_gen_thread_field(enum sonde_gen_platform platform,
                                          enum sonde_gen_thread_field field, uint32_t state);

/* Decode the instruction at data[offset]. On SONDE_OK *instruction is filled;
 * `illegal` may be set, and illegal_reason with it (the length is still known
 * from bit 29). Encoding an illegal instruction gives its own bytes. Errors:
 * SONDE_ERROR_TRUNCATED when the buffer ends inside the instruction,
 * SONDE_ERROR_UNSUPPORTED for a platform without tables in this version. */
SONDE_API enum sonde_status sonde_gen_decode(enum sonde_gen_platform platform, const uint8_t *data,
                                             size_t size, size_t offset,
                                             struct sonde_gen_instruction *instruction,
                                             struct sonde_error *error);

/* Decode a whole buffer up to `size`. *instructions is malloc'ed, the caller
 * frees it. Trailing zero padding (at least 16 zero bytes) is not decoded. */
SONDE_API enum sonde_status sonde_gen_decode_all(enum sonde_gen_platform platform,
                                                 const uint8_t *data, size_t size,
                                                 struct sonde_gen_instruction **instructions,
                                                 size_t *count, struct sonde_error *error);

/* Encode in native (16-byte) form into out[16]. A field whose value the
 * platform cannot express gives SONDE_ERROR_RANGE and a message. */
SONDE_API enum sonde_status sonde_gen_encode(const struct sonde_gen_instruction *instruction,
                                             uint8_t out[16], struct sonde_error *error);

/* Try to encode in compacted (8-byte) form. SONDE_ERROR_RANGE when the
 * instruction has no compacted form. */
SONDE_API enum sonde_status sonde_gen_compact(const struct sonde_gen_instruction *instruction,
                                              uint8_t out[8], struct sonde_error *error);

/* An instruction with all optional parts off: exec size `exec_size`, WrEn as
 * given, operands absent. */
SONDE_API void sonde_gen_instruction_init(struct sonde_gen_instruction *instruction,
                                          enum sonde_gen_platform platform,
                                          enum sonde_gen_opcode opcode, uint8_t exec_size,
                                          bool no_mask);

/* Check what the encoding alone does not enforce: region rules, register
 * bounds of operands and payloads, channel alignment. SONDE_OK, the error of
 * sonde_gen_encode, or SONDE_ERROR_ILLEGAL with the rule broken. */
SONDE_API enum sonde_status
sonde_gen_instruction_validate(const struct sonde_gen_instruction *instruction,
                               struct sonde_error *error);

/* What an instruction reads and writes, implicit operands included. GRF sets
 * are bit sets of bytes: bit b of grf[b / 64] is byte b of the register file
 * (128 x 32 bytes, 256 x 32 in large-GRF mode, 128 x 64 on XeHPC = at most
 * 16 KiB). `grf_unknown` is set when an indirect operand may touch any
 * register. Writes are what may be written; `write_is_partial` when a mask,
 * predicate or execution mask may leave some of it unwritten. */
#define SONDE_GEN_GRF_WORDS (16384 / 64)

struct sonde_gen_effect {
    uint64_t grf[SONDE_GEN_GRF_WORDS];
    bool grf_unknown;
    uint8_t flags;         /* bit 2n+h: half h of flag register n */
    uint16_t accumulators; /* bit n: accn */
    bool mme;
    uint16_t address; /* bit n: a0.n (16-bit elements) */
    bool control;     /* cr0 */
    bool memory;      /* a message other than EOT, gateway, fence */
};

struct sonde_gen_effects {
    struct sonde_gen_effect reads;
    struct sonde_gen_effect writes;
    bool write_is_partial;
};

/* Fills *effects. Never fails: an illegal instruction reads and writes
 * everything. */
SONDE_API void sonde_gen_instruction_effects(const struct sonde_gen_instruction *instruction,
                                             struct sonde_gen_effects *effects);

/* Print one instruction in iga64's syntax without a trailing newline; the
 * comment of an illegal one ends in the reason, which iga64 does not give.
 * `label` names a branch target given as byte offset in the kernel; NULL
 * prints "L<offset>". Output is always NUL-terminated when size > 0; returns
 * the length that the whole text needs (as snprintf). */
typedef int sonde_gen_label_function(void *context, uint32_t target, char *text, size_t size);
SONDE_API int sonde_gen_print(const struct sonde_gen_instruction *instruction,
                              sonde_gen_label_function *label, void *context, char *text,
                              size_t size);

#endif
