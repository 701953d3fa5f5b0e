#include "sonde/status.h"

#include <stdio.h>
#include <string.h>

static const char *const status_names[SONDE_STATUS_COUNT] = {
    [SONDE_OK] = "ok",
    [SONDE_ERROR_ARGUMENT] = "bad argument",
    [SONDE_ERROR_MEMORY] = "out of memory",
    [SONDE_ERROR_IO] = "input/output error",
    [SONDE_ERROR_TRUNCATED] = "truncated input",
    [SONDE_ERROR_FORMAT] = "malformed input",
    [SONDE_ERROR_UNSUPPORTED] = "not supported",
    [SONDE_ERROR_ILLEGAL] = "illegal instruction",
    [SONDE_ERROR_RANGE] = "value out of range",
    [SONDE_ERROR_NO_REGISTER] = "no free register",
    [SONDE_ERROR_NOT_FOUND] = "not found",
};

const char *sonde_status_name(enum sonde_status status)
{
    if ((unsigned)status >= SONDE_STATUS_COUNT)
        return "unknown status";
    return status_names[status];
}

enum sonde_status sonde_error_set(struct sonde_error *error, enum sonde_status status,
                                  uint64_t offset, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        error->offset = offset;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

enum sonde_status sonde_error_prefix(struct sonde_error *error, const char *format, ...)
{
    if (error == NULL)
        return SONDE_ERROR_ARGUMENT;
    char message[2 * sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (used < 0)
        return error->status;
    size_t length = strlen(message);
    snprintf(message + length, sizeof message - length, ": %s", error->message);
    memcpy(error->message, message, sizeof error->message);
    error->message[sizeof error->message - 1] = '\0';
    return error->status;
}
