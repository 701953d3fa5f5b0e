#ifndef SONDE_TESTS_DEVICE_LIBRARY_TIMES_H
#define SONDE_TESTS_DEVICE_LIBRARY_TIMES_H

#include <CL/cl.h>

/* Nanoseconds of a command; 0 when they are not to be had. */
__attribute__((visibility("default"))) cl_ulong library_times_span(cl_event event);

#endif
