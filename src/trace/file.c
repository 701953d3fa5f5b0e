#include "trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format.h"

/* Programs may count on the lowest free descriptor number (shells, tests that
 * close 0 and open a file); ours stays out of their way where it can. */
#define TRACE_LOWEST_DESCRIPTOR 100

/* Files of one process id in one run: more than this is no real run. */
#define TRACE_FILES_PER_PROCESS 10000

static int move_up(int fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, TRACE_LOWEST_DESCRIPTOR);
    if (moved < 0)
        return fd;
    close(fd);
    return moved;
}

static int open_new(const char *directory, char *path, size_t path_size)
{
    for (unsigned attempt = 1; attempt <= TRACE_FILES_PER_PROCESS; attempt++) {
        char number[16] = "";
        if (attempt > 1)
            snprintf(number, sizeof number, "-%u", attempt);
        int length = snprintf(path, path_size, "%s/%s%ld%s%s", directory, TRACE_FILE_PREFIX,
                              (long)getpid(), number, TRACE_FILE_SUFFIX);
        if (length < 0 || (size_t)length >= path_size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

enum sonde_status trace_file_create(struct trace_file *file, const char *directory,
                                    struct sonde_error *error)
{
    *file = (struct trace_file){.fd = -1, .owner = getpid()};
    char whole[PATH_MAX], path[PATH_MAX];
    if (realpath(directory, whole) == NULL)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: %s", directory, strerror(errno));
    int fd = open_new(whole, path, sizeof path);
    if (fd < 0)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot create a trace file in %s: %s",
                               whole, strerror(errno));
    file->fd = move_up(fd);
    struct stat status;
    file->path = strdup(path);
    if (file->path == NULL || fstat(file->fd, &status) != 0) {
        trace_file_close(file);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "%s: out of memory", path);
    }
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return SONDE_OK;
}

static bool is_ours(const struct trace_file *file, int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode;
}

/* The program may have closed our descriptor, and opened a file of its own
 * under the same number. */
static enum sonde_status ensure_open(struct trace_file *file, struct sonde_error *error)
{
    if (file->owner != getpid())
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "%s belongs to process %ld; a forked child needs its own file",
                               file->path, (long)file->owner);
    if (file->fd >= 0 && is_ours(file, file->fd))
        return SONDE_OK;
    file->fd = -1;
    int fd = open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return sonde_error_set(error, SONDE_ERROR_IO, file->size, "%s: %s", file->path,
                               strerror(errno));
    if (!is_ours(file, fd)) {
        close(fd);
        return sonde_error_set(error, SONDE_ERROR_IO, file->size,
                               "%s was replaced while the program ran", file->path);
    }
    file->fd = move_up(fd);
    return SONDE_OK;
}

enum sonde_status trace_file_append(struct trace_file *file, const uint8_t *data, size_t size,
                                    struct sonde_error *error)
{
    enum sonde_status status = ensure_open(file, error);
    if (status != SONDE_OK)
        return status;
    /* A write beyond the limit raises SIGXFSZ, which would end the program. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (file->size > limit.rlim_cur || size > limit.rlim_cur - file->size))
        return sonde_error_set(error, SONDE_ERROR_IO, file->size,
                               "%s: the file size limit (ulimit -f) is reached", file->path);
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(file->fd, data + done, size - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            int reason = errno;
            if (done > 0 && ftruncate(file->fd, (off_t)file->size) != 0)
                file->size += done; /* the reader skips the torn section */
            return sonde_error_set(error, SONDE_ERROR_IO, file->size, "%s: %s", file->path,
                                   strerror(reason));
        }
        done += (size_t)written;
    }
    file->size += size;
    return SONDE_OK;
}

void trace_file_close(struct trace_file *file)
{
    if (file->fd >= 0 && file->owner == getpid() && file->path != NULL && is_ours(file, file->fd))
        close(file->fd);
    free(file->path);
    *file = (struct trace_file){.fd = -1};
}
