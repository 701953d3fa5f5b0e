/* The tools that come with Sonde, one file each. */
#ifndef SONDE_TOOLS_BUILTIN_H
#define SONDE_TOOLS_BUILTIN_H

#include "sonde/tool.h"

extern const struct sonde_tool tools_opcodeprof;
extern const struct sonde_tool tools_bblprof;
extern const struct sonde_tool tools_flowtrace;
extern const struct sonde_tool tools_memtrace;
extern const struct sonde_tool tools_simdprof;
extern const struct sonde_tool tools_latency;
extern const struct sonde_tool tools_memlatency;
extern const struct sonde_tool tools_funtime;
extern const struct sonde_tool tools_regtrace;
extern const struct sonde_tool tools_stride;
extern const struct sonde_tool tools_cacheline;
extern const struct sonde_tool tools_race;
extern const struct sonde_tool tools_bounds;
extern const struct sonde_tool tools_occupancy;
extern const struct sonde_tool tools_schema;

/* Shared by the tools that count block executions: one 32-bit counter a basic
 * block, incremented once a hardware thread whatever its execution mask. */
enum sonde_status tools_count_blocks(struct sonde_tool_build *build, struct sonde_error *error);
enum sonde_status tools_record_blocks(struct sonde_tool_dispatch *dispatch, const char *tool,
                                      struct sonde_error *error);

/* Shared by the tools that look at addresses: ask for the addresses of every
 * message to memory but scratch, and the channels of those with a predicate. */
enum sonde_status tools_record_addresses(struct sonde_tool_build *build, struct sonde_error *error);

/* The registers that hold addresses of buffers when a thread starts: messages
 * to addresses, not surfaces, are told by them which buffer they go to. */
enum sonde_status tools_record_pointers(struct sonde_tool_build *build, struct sonde_error *error);
/* Move a point at the kernel's entry, of registers that hold arguments, behind
 * the message that loads them, where the kernel does that itself. */
void tools_find_load(const struct sonde_kernel *kernel, struct sonde_record_point *point);
bool tools_goes_to_address(const struct sonde_gen_instruction *instruction);

/* The first instruction that is the program's: those before load arguments
 * from Xe on, and the driver may enter behind them. */
uint32_t tools_first_instruction(const struct sonde_kernel *kernel);

#endif
