/* Status codes and error messages of every Sonde library function.
 *
 * A function that can fail returns enum sonde_status. When it is handed a
 * struct sonde_error it also leaves there a message that names the file,
 * kernel or offset concerned and what to do about it. The library never
 * prints, never exits and never aborts. */
#ifndef SONDE_STATUS_H
#define SONDE_STATUS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SONDE_API              __attribute__((visibility("default")))
#define SONDE_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#else
#define SONDE_API
#define SONDE_PRINTF(fmt, arg)
#endif

enum sonde_status {
    SONDE_OK = 0,
    SONDE_ERROR_ARGUMENT,    /* a precondition of the call is broken */
    SONDE_ERROR_MEMORY,      /* out of memory */
    SONDE_ERROR_IO,          /* a system call failed */
    SONDE_ERROR_TRUNCATED,   /* the input ends before the thing it announces */
    SONDE_ERROR_FORMAT,      /* the input is not what it claims to be */
    SONDE_ERROR_UNSUPPORTED, /* understood, but not handled by this version */
    SONDE_ERROR_ILLEGAL,     /* an instruction encoding that the hardware does not define */
    SONDE_ERROR_RANGE,       /* a value does not fit its field */
    SONDE_ERROR_NO_REGISTER, /* the register allocator found no free register */
    SONDE_ERROR_NOT_FOUND,
    SONDE_STATUS_COUNT
};

struct sonde_error {
    enum sonde_status status;
    uint64_t offset; /* byte offset in the input concerned, 0 when none */
    char message[480];
};

/* A short English name of a status, static storage, never NULL. */
SONDE_API const char *sonde_status_name(enum sonde_status status);

/* Fill *error (ignored when NULL) and return status, so that a failing
 * function can end in `return sonde_error_set(...)`. */
SONDE_API enum sonde_status sonde_error_set(struct sonde_error *error, enum sonde_status status,
                                            uint64_t offset, const char *format, ...)
    SONDE_PRINTF(4, 5);

/* Put "prefix: " in front of the message of *error, for callers that know
 * more of the place (file name, kernel name). Returns error->status. */
SONDE_API enum sonde_status sonde_error_prefix(struct sonde_error *error, const char *format, ...)
    SONDE_PRINTF(2, 3);

#endif
