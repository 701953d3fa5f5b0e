#include "trace/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sonde/trace.h"
#include "trace/format.h"

bool trace_directory_owns(const char *name)
{
    if (strcmp(name, TRACE_MARK_NAME) == 0)
        return true;
    size_t length = strlen(name), suffix = strlen(TRACE_FILE_SUFFIX);
    return length > strlen(TRACE_FILE_PREFIX) + suffix &&
           strncmp(name, TRACE_FILE_PREFIX, strlen(TRACE_FILE_PREFIX)) == 0 &&
           strcmp(name + length - suffix, TRACE_FILE_SUFFIX) == 0;
}

bool trace_directory_is_marked(int directory)
{
    char text[sizeof TRACE_MARK_TEXT];
    int fd = openat(directory, TRACE_MARK_NAME,
                    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return size == (ssize_t)strlen(TRACE_MARK_TEXT) &&
           memcmp(text, TRACE_MARK_TEXT, (size_t)size) == 0;
}

static bool is_special(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Refuse a directory that is not a run: one without the mark that holds
 * anything at all. An empty directory may be used. */
static enum sonde_status check_is_run(const char *directory, struct sonde_error *error)
{
    struct stat status;
    if (lstat(directory, &status) != 0)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: %s", directory, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return sonde_error_set(error, SONDE_ERROR_IO, 0,
                               "%s exists and is no directory; choose another with -o", directory);
    DIR *handle = opendir(directory);
    if (handle == NULL)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: %s", directory, strerror(errno));
    bool marked = trace_directory_is_marked(dirfd(handle)), empty = true;
    for (struct dirent *entry; (entry = readdir(handle)) != NULL;)
        empty = empty && is_special(entry->d_name);
    closedir(handle);
    if (!marked && !empty)
        return sonde_error_set(error, SONDE_ERROR_IO, 0,
                               "%s exists and is no Sonde run; choose another with -o", directory);
    return SONDE_OK;
}

/* Files that Sonde did not put there stay, and then so does the directory. */
static enum sonde_status remove_run(const char *directory, struct sonde_error *error)
{
    DIR *handle = opendir(directory);
    if (handle == NULL)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: %s", directory, strerror(errno));
    for (struct dirent *entry; (entry = readdir(handle)) != NULL;)
        if (trace_directory_owns(entry->d_name))
            unlinkat(dirfd(handle), entry->d_name, 0);
    closedir(handle);
    if (rmdir(directory) != 0)
        return sonde_error_set(error, SONDE_ERROR_IO, 0,
                               "cannot remove the older run %s: %s; move it away or choose "
                               "another directory with -o",
                               directory, strerror(errno));
    return SONDE_OK;
}

enum sonde_status trace_directory_ensure(const char *directory, struct sonde_error *error)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: %s", directory, strerror(errno));
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", directory, TRACE_MARK_NAME);
    if (length < 0 || (size_t)length >= sizeof path)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: path too long", directory);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0 && errno == EEXIST)
        return SONDE_OK;
    size_t size = strlen(TRACE_MARK_TEXT);
    bool written = fd >= 0 && write(fd, TRACE_MARK_TEXT, size) == (ssize_t)size;
    int reason = errno;
    if (fd >= 0)
        close(fd);
    if (!written)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "%s: %s", path, strerror(reason));
    return SONDE_OK;
}

enum sonde_status sonde_trace_directory_create(const char *directory, struct sonde_error *error)
{
    char name[PATH_MAX], old[PATH_MAX];
    size_t length = directory == NULL ? 0 : strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    if (length == 0 || length + strlen(".old") >= sizeof old)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "unusable run directory name");
    memcpy(name, directory, length);
    name[length] = '\0';
    snprintf(old, sizeof old, "%.*s.old", (int)(sizeof old - 5), name);

    struct stat status;
    if (lstat(name, &status) == 0) {
        enum sonde_status result = check_is_run(name, error);
        if (result == SONDE_OK && lstat(old, &status) == 0) {
            result = check_is_run(old, error);
            if (result == SONDE_OK)
                result = remove_run(old, error);
        }
        if (result != SONDE_OK)
            return result;
        if (rename(name, old) != 0)
            return sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot rename %s to %s: %s", name,
                                   old, strerror(errno));
    }
    return trace_directory_ensure(name, error);
}
