/* The arguments of kernels, and what the program binds to them. */
#ifndef SONDE_ATTACH_NEO_ARGUMENTS_H
#define SONDE_ATTACH_NEO_ARGUMENTS_H

#include "attach/neo/session.h"

/* Around a call that creates kernels, in its thread: the program's binary as
 * the driver gives it, malloc'ed and ours from now on; NULL = none. */
void attach_arguments_begin(uint8_t *binary, size_t size);
void attach_arguments_end(void);
/* In between: take what the binary says of the kernel's arguments. */
void attach_arguments_take(struct attach_kernel *kernel);

/* The rest takes the session's lock, where it is not said. */
/* How argument `index` of a kernel is bound: a buffer (ATTACH_BIND_MEMORY; ask
 * what it is), local memory of this size, or else. */
enum attach_bind { ATTACH_BIND_NONE, ATTACH_BIND_MEMORY, ATTACH_BIND_LOCAL };
enum attach_bind attach_bind_kind(const void *cl_kernel, uint32_t index);
/* address 0 and size UINT64_MAX = not known. */
void attach_bind(const void *cl_kernel, uint32_t index, uint64_t address, uint64_t size);
/* By pointer: into memory of which attach_shared_add was told, or other. */
void attach_bind_pointer(const void *cl_kernel, uint32_t index, const void *value);
/* A new kernel has nothing bound; a clone what its source has. */
void attach_bind_reset(const void *cl_kernel, const void *source);
/* Memory that program and device share, which the program allocates and frees. */
void attach_shared_add(const void *address, size_t size);
void attach_shared_remove(const void *address);

/* Lock held: copy what is bound into the dispatch, and write it to the trace. */
void attach_bind_take(struct attach_dispatch *dispatch);
void attach_bind_write(const struct attach_dispatch *dispatch);

#endif
