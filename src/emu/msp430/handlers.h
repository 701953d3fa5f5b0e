/* Numbers of the interpreter's handlers. */
#ifndef SONDE_EMU_MSP430_HANDLERS_H
#define SONDE_EMU_MSP430_HANDLERS_H

enum { SOURCE_REGISTER, SOURCE_IMMEDIATE, SOURCE_MEMORY, SOURCE_INCREMENT };

enum {
    HANDLER_DECODE, /* not decoded yet */
    HANDLER_GENERAL,
    HANDLER_ENTER,
    HANDLER_EXIT,
    HANDLER_BRANCH,
    HANDLER_RETURN,
    HANDLER_CALL,
    HANDLER_PUSH_REGISTER,
    HANDLER_PUSH_IMMEDIATE,
    HANDLER_RRC, /* of a register, in the order of the opcodes */
    HANDLER_SWPB,
    HANDLER_RRA,
    HANDLER_SXT,
    HANDLER_JNE, /* in the order of the opcodes */
    HANDLER_JEQ,
    HANDLER_JNC,
    HANDLER_JC,
    HANDLER_JN,
    HANDLER_JGE,
    HANDLER_JL,
    HANDLER_JMP,
    HANDLER_SELF_JUMP,
    HANDLER_STOP, /* the stop address of the run */
    HANDLER_HOOK, /* events before the handler in `under` */
    /* format I: + 16 * opcode + 4 * source + 2 * memory destination + byte */
    HANDLER_DOUBLE,
    HANDLER_COUNT = HANDLER_DOUBLE + 12 * 16
};

#endif
