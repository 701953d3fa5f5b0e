/* Times of events on the emulated GPU.
 *
 * Without a kernel driver under it the driver cannot compare the device's clock
 * with the host's: what a command of the device got as its start, and when it was
 * queued, is whatever lay on the stack. Right are when it was submitted, by the
 * host's clock, and how long it took, by the device's. So it starts when it is
 * submitted, and was queued then. Commands of the driver's own, as copies that the
 * host does, have all their times. */
#ifndef SONDE_ATTACH_NEO_EVENT_TIMES_H
#define SONDE_ATTACH_NEO_EVENT_TIMES_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>

/* Put a call that sets times right before the table's own. */
void attach_event_times_hook(cl_icd_dispatch *table);

#endif
