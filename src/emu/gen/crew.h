/* Host threads that stay between dispatches. One dispatch at a time. */
#ifndef SONDE_EMU_GEN_CREW_H
#define SONDE_EMU_GEN_CREW_H

#include <stdint.h>

struct emu_crew;

/* NULL when out of memory. Starts no thread. */
struct emu_crew *emu_crew_create(void);
/* Ends the threads; none may be at work. */
void emu_crew_destroy(struct emu_crew *crew);

/* Do `work` on items[0] in this thread and, from the call of emu_crew_join_in
 * on, on the others in threads of the crew. Returns when everything that was
 * begun has ended: an item that no thread has begun by the end of the first is
 * left alone. */
void emu_crew_run(struct emu_crew *crew, void (*work)(void *item), void *const *items,
                  uint32_t count);
/* From the work on items[0]: there is enough to do for the others. */
void emu_crew_join_in(struct emu_crew *crew);

#endif
