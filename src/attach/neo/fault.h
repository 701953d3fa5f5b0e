/* Faults of the emulated GPU as errors of OpenCL.
 *
 * In its simulator mode the driver has no way to hear of a fault: it asks the
 * operating system for GPU hangs, and there is none. The emulated GPU counts the
 * faults of a process in a register of its own. The calls in which a program
 * waits read it, and the first that sees a new fault returns what the driver
 * returns after a hang of a real GPU. */
#ifndef SONDE_ATTACH_NEO_FAULT_H
#define SONDE_ATTACH_NEO_FAULT_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>

/* Put calls that look for faults before the waiting entries of the table. */
void attach_fault_hook(cl_icd_dispatch *table);

#endif
