/* Inserting at the points where divergent channels meet again.
 *
 * A channel that does not execute waits for an address, its own instruction
 * pointer. Inserted code must neither change the address that channels wait
 * for nor let the thread pass it by. The rules, with X the instruction that
 * code is inserted before:
 *
 * - ordinary X: branches to X, and channels waiting for X, go to the inserted
 *   code. It starts exactly where the instruction before X ends, or jumps
 *   there, so the meeting happens one instruction sequence earlier.
 * - join, while, halt: they make channels meet by themselves. UIP operands,
 *   which name where channels wait, keep naming X; jumps (JIP) go to the
 *   inserted code, which runs (NoMask) before X enables the waiting channels.
 * - endif: if and else use one address both to wait and to jump. All keep
 *   naming X, the code stands behind X, and X's own jump to the next join
 *   point "when no channel is enabled" moves to a join behind the code, so
 *   that the code runs exactly as often as X.
 * - join after a branch whose JIP skips it: as endif. */
#include "rewrite/internal.h"

static bool is_meeting_point(enum sonde_gen_opcode opcode)
{
    return opcode == SONDE_GEN_JOIN || opcode == SONDE_GEN_WHILE || opcode == SONDE_GEN_HALT;
}

/* Branches that use their JIP as the address at which channels wait. */
static bool waits_at_jip(enum sonde_gen_opcode opcode)
{
    return opcode == SONDE_GEN_IF || opcode == SONDE_GEN_ELSE || opcode == SONDE_GEN_BRD;
}

static bool is_divergent(enum sonde_gen_opcode opcode)
{
    switch (opcode) {
    case SONDE_GEN_IF:
    case SONDE_GEN_ELSE:
    case SONDE_GEN_ENDIF:
    case SONDE_GEN_BREAK:
    case SONDE_GEN_CONT:
    case SONDE_GEN_HALT:
    case SONDE_GEN_GOTO:
    case SONDE_GEN_JOIN:
    case SONDE_GEN_BRD:
    case SONDE_GEN_BRC:
        return true;
    default:
        return false;
    }
}

bool rewrite_waits_exactly(const struct sonde_kernel *kernel, size_t index, uint32_t target)
{
    /* A backward UIP (goto.b) is where the thread jumps at once. */
    return target > index && is_meeting_point(sonde_kernel_instruction(kernel, target)->opcode);
}

void rewrite_find_meeting_points(const struct sonde_kernel *kernel, bool *meets_behind)
{
    size_t count = sonde_kernel_instruction_count(kernel);
    for (size_t i = 0; i < count; i++) {
        enum sonde_gen_opcode opcode = sonde_kernel_instruction(kernel, i)->opcode;
        uint32_t jip = sonde_kernel_jip_target(kernel, i);
        if (opcode == SONDE_GEN_ENDIF)
            meets_behind[i] = true;
        if (waits_at_jip(opcode) && jip != SONDE_NO_INSTRUCTION &&
            sonde_kernel_instruction(kernel, jip)->opcode == SONDE_GEN_JOIN)
            meets_behind[jip] = true;
        /* The hardware continues with the next instruction when channels wait
         * there, even if JIP leads further. */
        if (is_divergent(opcode) && i + 1 < count && jip != i + 1 &&
            sonde_kernel_instruction(kernel, i + 1)->opcode == SONDE_GEN_JOIN)
            meets_behind[i + 1] = true;
    }
}
