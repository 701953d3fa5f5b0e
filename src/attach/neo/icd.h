/* Seeing the program's own calls.
 *
 * Every object of an installable OpenCL driver starts with a pointer to the
 * driver's table of entry points, and every loader calls through it. A few
 * entries of that table are replaced, so that calls are seen however the
 * program found them: linked, by dlsym, through a wrapper. */
#ifndef SONDE_ATTACH_NEO_ICD_H
#define SONDE_ATTACH_NEO_ICD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Replace the entries in the table of the driver that made `context`; once.
 * False when the table does not look like one: then calls are not seen. */
bool attach_icd_hook(void *context);
/* Texts are "" and the frequency 0 where the driver does not answer. */
void attach_icd_describe(void *context, char *driver, size_t driver_size, char *device,
                         size_t device_size, uint64_t *clock_frequency);
/* Wait for every queue that has work of ours and will end by itself. */
void attach_icd_finish_queues(void);

#endif
