/* One-line messages of the server to the descriptor its owner gave. */
#ifndef SONDE_DEVICE_LOG_H
#define SONDE_DEVICE_LOG_H

#include "sonde/status.h"

/* Write one line, "sonde device: " in front, in a single write so that lines
 * of several threads do not mix. fd -1 drops it; errors are ignored. */
void device_log_line(int fd, const char *format, ...) SONDE_PRINTF(2, 3);

#endif
