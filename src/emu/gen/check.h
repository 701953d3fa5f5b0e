/* Opt-in checks of what the hardware leaves to the program: registers that are
 * read before anything was written to them, and, from Gen12 on, results and
 * payloads of earlier instructions that the software scoreboard does not wait
 * for. An instruction that breaks a rule stops the dispatch. */
#ifndef SONDE_EMU_GEN_CHECK_H
#define SONDE_EMU_GEN_CHECK_H

#include "emu/gen/core.h"

/* Facts of instructions, a worker. */
struct emu_check_facts;
/* What a hardware thread has in flight. */
struct emu_check;

struct emu_check_facts *emu_check_facts_create(void); /* NULL without memory */
void emu_check_facts_destroy(struct emu_check_facts *facts);

struct emu_check *emu_check_create(uint32_t threads); /* of a group */
void emu_check_destroy(struct emu_check *checks);
/* The thread starts with so many registers written, r0 included. */
void emu_check_start(struct emu_check *checks, struct emu_thread *thread, uint32_t registers);

/* The instruction is about to issue, with these channels. False after a fault. */
bool emu_check_issue(struct emu_thread *thread, const struct emu_operation *operation,
                     uint32_t mask);

#endif
