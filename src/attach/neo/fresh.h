/* Memory that the driver asks for and has not written to holds nothing.
 *
 * The driver takes heaps, command buffers and the program's buffers from operator
 * new, which hands out what the compiler has just freed; all of that goes to
 * the emulated GPU with the first launch, and is compared before every other: 2.5 MB
 * on DG2. Zeros need neither. */
#ifndef SONDE_ATTACH_NEO_FRESH_H
#define SONDE_ATTACH_NEO_FRESH_H

#include <stddef.h>

/* operator new[](size_t, const std::nothrow_t &) of the driver, behind the real one. */
void *attach_fresh_allocate(size_t size, const void *nothrow);
typedef void *attach_allocate_function(size_t size, const void *nothrow);
/* The real one. */
void attach_fresh_set(attach_allocate_function *real);

#endif
