#include "device/peer.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"

/* Inode of the peer's socket: its row of /proc/net/tcp has our two ports the
 * other way round. 0 when absent. */
static unsigned long peer_inode(int fd)
{
    struct sockaddr_in here = {0}, there = {0};
    socklen_t size = sizeof here;
    if (getsockname(fd, (struct sockaddr *)&here, &size) != 0 || here.sin_family != AF_INET)
        return 0;
    size = sizeof there;
    if (getpeername(fd, (struct sockaddr *)&there, &size) != 0 || there.sin_family != AF_INET)
        return 0;
    FILE *table = fopen("/proc/net/tcp", "re");
    if (table == NULL)
        return 0;
    char line[512];
    unsigned long inode = 0;
    while (inode == 0 && fgets(line, sizeof line, table) != NULL) {
        unsigned local, local_port, remote, remote_port;
        unsigned long found;
        if (sscanf(line, " %*u: %x:%x %x:%x %*x %*x:%*x %*x:%*x %*x %*u %*u %lu", &local,
                   &local_port, &remote, &remote_port, &found) == 5 &&
            local == there.sin_addr.s_addr && local_port == ntohs(there.sin_port) &&
            remote == here.sin_addr.s_addr && remote_port == ntohs(here.sin_port))
            inode = found;
    }
    fclose(table);
    return inode;
}

static bool holds_socket(pid_t pid, unsigned long inode)
{
    char path[64], wanted[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    int length = snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    DIR *directory = opendir(path);
    if (directory == NULL)
        return false;
    bool found = false;
    const struct dirent *entry;
    while (!found && (entry = readdir(directory)) != NULL) {
        char target[64];
        ssize_t got = readlinkat(dirfd(directory), entry->d_name, target, sizeof target);
        found = got == length && memcmp(target, wanted, (size_t)got) == 0;
    }
    closedir(directory);
    return found;
}

static pid_t parent_of(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    size_t got = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[got] = '\0';
    /* The name in parentheses may hold anything: the last ')' ends it. */
    const char *end = strrchr(line, ')');
    int parent = 0;
    if (end == NULL || sscanf(end, ") %*c %d", &parent) != 1)
        return 0;
    return (pid_t)parent;
}

static int compare_descending(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* All process ids, newest (most likely) first; *count of them, caller frees. */
static pid_t *all_processes(size_t *count)
{
    void *items = NULL;
    size_t capacity = 0;
    *count = 0;
    DIR *directory = opendir("/proc");
    if (directory == NULL)
        return NULL;
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end != '\0' || pid <= 0)
            continue;
        if (base_array_reserve(&items, &capacity, *count + 1, sizeof(pid_t)))
            break;
        ((pid_t *)items)[(*count)++] = (pid_t)pid;
    }
    closedir(directory);
    if (*count > 1)
        qsort(items, *count, sizeof(pid_t), compare_descending);
    return items;
}

pid_t device_peer_process(int fd, const pid_t *hints)
{
    unsigned long inode = peer_inode(fd);
    if (inode == 0)
        return 0;
    pid_t pid = 0;
    for (size_t i = 0; hints != NULL && hints[i] != 0 && pid == 0; i++)
        if (holds_socket(hints[i], inode))
            pid = hints[i];
    if (pid == 0) {
        size_t count;
        pid_t *processes = all_processes(&count);
        for (size_t i = 0; i < count && pid == 0; i++)
            if (holds_socket(processes[i], inode))
                pid = processes[i];
        free(processes);
    }
    /* A fork right after connect shows the child too: the parent opened it. */
    for (pid_t parent = pid; parent != 0 && (parent = parent_of(pid)) > 1;) {
        if (!holds_socket(parent, inode))
            break;
        pid = parent;
    }
    return pid;
}
