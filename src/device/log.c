#include "device/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void device_log_line(int fd, const char *format, ...)
{
    if (fd < 0)
        return;
    char line[1024];
    int used = snprintf(line, sizeof line, "sonde device: ");
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    va_end(arguments);
    if (more < 0)
        return;
    size_t length = strlen(line);
    for (size_t i = 0; i < length; i++)
        if (line[i] == '\n')
            line[i] = ' ';
    line[length++] = '\n';
    while (write(fd, line, length) < 0 && errno == EINTR)
        ;
}
