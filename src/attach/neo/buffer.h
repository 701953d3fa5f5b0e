/* Profile buffers, from the driver's buffer service. */
#ifndef SONDE_ATTACH_NEO_BUFFER_H
#define SONDE_ATTACH_NEO_BUFFER_H

#include "attach/neo/session.h"

/* A zeroed buffer of at least `size` bytes, or NULL. Lock not held: calls the driver. */
struct attach_buffer *attach_buffer_take(gtpin_handle context, uint32_t size);
/* Lock held. The device is done with it, and the driver has forgotten it. */
void attach_buffer_return(struct attach_buffer *buffer);
/* Lock not held. Give idle buffers back to the driver: those of `context`, or
 * (NULL) those of any context that are not kept for reuse. */
void attach_buffer_release(gtpin_handle context);

#endif
