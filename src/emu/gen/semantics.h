/* What each opcode computes, one row an opcode: the reference function over
 * exact lane values, and the vectorised kernel that does the same. */
#ifndef SONDE_EMU_GEN_SEMANTICS_H
#define SONDE_EMU_GEN_SEMANTICS_H

#include "emu/gen/core.h"

/* An exact value of one channel: integers of any type fit 128 bits. */
struct emu_value {
    __int128 i;
    double d;
    float f;
};

/* Class of arithmetic that an instruction executes in. */
enum emu_domain {
    EMU_DOMAIN_INTEGER,
    EMU_DOMAIN_FLOAT,
    EMU_DOMAIN_DOUBLE,
};

/* One channel of the general path. */
struct emu_lane {
    struct emu_value source[EMU_OPERAND_MAX];
    struct emu_value result;
    struct emu_value second; /* accumulator result, when has_second */
    bool has_second;
    bool second_follows; /* `second` goes to the registers after the destination's */
    long double extended;
    struct emu_value accumulator; /* lane of acc0 before the instruction */
    uint32_t channel;             /* lane number in the instruction */
    uint8_t bits;                 /* width in bits of the execution type: 32 or 64 */
    bool select;                  /* predicate of sel */
    bool has_flag;                /* the row decided the condition bit itself */
    bool flag;
    bool no_flag;    /* the condition modifier chose, the flag stays */
    bool raw_result; /* result.i holds the bits to store, whatever the type */
    uint8_t condition;
    const struct emu_details *details;
    struct emu_thread *thread;
};

typedef void emu_lane_function(struct emu_lane *lane);

/* How the fast path treats the integer forms of an opcode. */
enum emu_integer_rule {
    EMU_RULE_NONE, /* general path only */
    EMU_RULE_WRAP, /* the low bits of the result depend only on low bits of the sources */
    EMU_RULE_COMPARE,
    EMU_RULE_SHIFT,
    EMU_RULE_MOVE,
    EMU_RULE_BITS,        /* counts and fields of the low 32 bits */
    EMU_RULE_DIVIDE,      /* quotients and remainders of 32-bit integers */
    EMU_RULE_ACCUMULATOR, /* 32-bit sources, 64-bit accumulator lanes */
};

/* Vectorised kernels (lanes.c). */
enum emu_kernel {
    EMU_KERNEL_NONE,
    EMU_KERNEL_MOV,
    EMU_KERNEL_ADD,
    EMU_KERNEL_MUL,
    EMU_KERNEL_MAD,
    EMU_KERNEL_AND,
    EMU_KERNEL_OR,
    EMU_KERNEL_XOR,
    EMU_KERNEL_NOT,
    EMU_KERNEL_SHL,
    EMU_KERNEL_SHR,
    EMU_KERNEL_ASR,
    EMU_KERNEL_SEL,
    EMU_KERNEL_MIN,
    EMU_KERNEL_MAX,
    EMU_KERNEL_EQ,
    EMU_KERNEL_NE,
    EMU_KERNEL_GT,
    EMU_KERNEL_GE,
    EMU_KERNEL_LT,
    EMU_KERNEL_LE,
    EMU_KERNEL_UN,
    EMU_KERNEL_NEGATE,
    EMU_KERNEL_ABSOLUTE,
    EMU_KERNEL_NEGATE_ABSOLUTE,
    EMU_KERNEL_SATURATE, /* floats to [0, 1] */
    EMU_KERNEL_RNDD,
    EMU_KERNEL_RNDU,
    EMU_KERNEL_RNDZ,
    EMU_KERNEL_RNDE,
    EMU_KERNEL_FRC,
    EMU_KERNEL_INV,
    EMU_KERNEL_SQT,
    EMU_KERNEL_FDIV,
    EMU_KERNEL_RSQT,
    EMU_KERNEL_LOG,
    EMU_KERNEL_EXP,
    EMU_KERNEL_SIN,
    EMU_KERNEL_COS,
    EMU_KERNEL_POW,
    EMU_KERNEL_IQOT,
    EMU_KERNEL_IREM,
    EMU_KERNEL_LZD,
    EMU_KERNEL_FBH,
    EMU_KERNEL_FBL,
    EMU_KERNEL_CBIT,
    EMU_KERNEL_BFREV,
    EMU_KERNEL_BFE,
    EMU_KERNEL_BFI1,
    EMU_KERNEL_BFI2,
    EMU_KERNEL_ROL,
    EMU_KERNEL_ROR,
    EMU_KERNEL_ADD3,
    EMU_KERNEL_BFN,
    EMU_KERNEL_MACL, /* third source: acc0 */
    EMU_KERNEL_MACH, /* these three have run functions in fast.c */
    EMU_KERNEL_ADDC,
    EMU_KERNEL_SUBB,
    EMU_KERNEL_COUNT
};

struct emu_semantics {
    uint8_t opcode;  /* enum sonde_gen_opcode */
    uint8_t sources; /* operands that are read */
    emu_lane_function *integer;
    emu_lane_function *single;
    emu_lane_function *twice; /* double precision */
    uint8_t rule;             /* enum emu_integer_rule */
    uint8_t kernel;           /* enum emu_kernel */
    emu_run_function *run;    /* whole-instruction semantics (flow, messages), or NULL */
    bool always;              /* runs with no channel enabled */
};

/* Class of arithmetic of a translated instruction. */
enum emu_domain emu_general_domain(const struct emu_details *details);

/* The row of an opcode, or NULL when the emulator does not execute it. */
const struct emu_semantics *emu_semantics_find(unsigned opcode);

/* madm, when its operands are plain. */
bool emu_madm_is_plain(const struct emu_details *details);
emu_run_function emu_run_madm;

/* Row functions that live outside semantics.c. */
emu_lane_function emu_math_integer, emu_math_single, emu_math_twice;
emu_lane_function emu_madm_single, emu_madm_twice;
emu_lane_function emu_rol_integer, emu_ror_integer, emu_add3_integer, emu_bfn_integer;
emu_lane_function emu_dp4a_integer;
emu_lane_function emu_sad2_integer, emu_sada2_integer, emu_line_single, emu_pln_single;
emu_lane_function emu_dp2_single, emu_dp3_single, emu_dp4_single, emu_dph_single;
bool emu_is_low_product(const struct sonde_gen_instruction *instruction);
emu_run_function emu_run_movi;
emu_run_function emu_run_dpas, emu_run_dpasw;
emu_run_function emu_run_if, emu_run_else, emu_run_endif, emu_run_while, emu_run_break;
emu_run_function emu_run_continue, emu_run_halt, emu_run_goto, emu_run_join, emu_run_jmpi;
emu_run_function emu_run_call, emu_run_calla, emu_run_return, emu_run_brd, emu_run_brc;

#endif
