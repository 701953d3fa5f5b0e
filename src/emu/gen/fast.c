/* Fast path. */
#include "emu/gen/core.h"

bool emu_fast_translate(struct emu_arena *arena, struct emu_operation *operation)
{
    (void)arena;
    (void)operation;
    return false;
}

void emu_run_fast(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    (void)thread;
    (void)operation;
    (void)mask;
}
