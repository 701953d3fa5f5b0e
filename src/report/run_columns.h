/* The tables that every run on a GPU has. */
#ifndef SONDE_REPORT_RUN_COLUMNS_H
#define SONDE_REPORT_RUN_COLUMNS_H

#include "report/report.h"

extern const struct report_view report_kernels_view, report_dispatches_view, report_threads_view;

#endif
