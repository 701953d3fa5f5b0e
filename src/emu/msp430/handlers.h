/* Numbers of the interpreter's handlers. */
#ifndef SONDE_EMU_MSP430_HANDLERS_H
#define SONDE_EMU_MSP430_HANDLERS_H

enum { SOURCE_REGISTER, SOURCE_IMMEDIATE, SOURCE_MEMORY, SOURCE_INCREMENT };

/* X(number, label in the interpreter). DECODE: not decoded yet. RRC to SXT of a register
 * and JNE to JMP in the order of the opcodes. STOP: the stop address of the run.
 * HOOK: events before the handler in `under`. */
#define MSP430_HANDLERS(X)                                                                         \
    X(DECODE, decode)                                                                              \
    X(GENERAL, general)                                                                            \
    X(ENTER, enter)                                                                                \
    X(EXIT, leave)                                                                                 \
    X(BRANCH, branch)                                                                              \
    X(RETURN, ret)                                                                                 \
    X(CALL, call)                                                                                  \
    X(PUSH_REGISTER, push_register)                                                                \
    X(PUSH_IMMEDIATE, push_immediate)                                                              \
    X(RRC, rrc)                                                                                    \
    X(SWPB, swpb)                                                                                  \
    X(RRA, rra)                                                                                    \
    X(SXT, sxt)                                                                                    \
    X(JNE, jne)                                                                                    \
    X(JEQ, jeq)                                                                                    \
    X(JNC, jnc)                                                                                    \
    X(JC, jc)                                                                                      \
    X(JN, jn)                                                                                      \
    X(JGE, jge)                                                                                    \
    X(JL, jl)                                                                                      \
    X(JMP, jmp)                                                                                    \
    X(SELF_JUMP, self_jump)                                                                        \
    X(STOP, stop)                                                                                  \
    X(HOOK, hook)

enum {
#define HANDLER(number, label) HANDLER_##number,
    MSP430_HANDLERS(HANDLER)
#undef HANDLER
    /* format I: + 16 * opcode + 4 * source + 2 * memory destination + byte */
    HANDLER_DOUBLE,
    HANDLER_COUNT = HANDLER_DOUBLE + 12 * 16
};

#endif
