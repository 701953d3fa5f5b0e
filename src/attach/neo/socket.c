#include "attach/neo/socket.h"

#include <elf.h>
#include <link.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <dlfcn.h>

#include "attach/neo/fresh.h"
#include "attach/neo/socket_internal.h"
#include "attach/neo/transport.h"
#include "attach/neo/walk.h"
#include "base/bytes.h"

/* Messages of the protocol: {u32 type, u32 transaction, u32 body size}, body. */
enum {
    HEADER_SIZE = 12,
    TYPE_REGISTER = 0,
    TYPE_WRITE_MEMORY = 4,
    TYPE_READ_MEMORY = 5,
    TYPE_CONTROL = 11, /* first on every connection */
    REGISTER_BODY = 12,
    READ_OF_DWORD = 4 << 1,
    REGISTER_FAULTS = 0x53000000, /* the emulated GPU's own, src/device/registers.h */
    BODY_SIZE_OF_MEMORY = 12,     /* flags and address, address, bytes of data */
    REGISTER_ANSWER = HEADER_SIZE + 4,
    MEMORY_ANSWER = HEADER_SIZE + BODY_SIZE_OF_MEMORY,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The exchange that this thread is in the middle of. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    bool active;
    uint64_t to_send;
    uint64_t to_receive;
    struct attach_stream *last; /* that it used; walk.c asks */
} exchange;

/* By file descriptor. Each is used by the thread that is in an exchange. */
static struct attach_stream *streams[1024];
/* The last that greeted, and whom it is connected to: the number may be another
 * file's by now. */
static int newest = -1;
static struct sockaddr_storage newest_peer;
static uint64_t connections; /* that there have been */

static struct attach_stream *stream_of(int fd)
{
    return fd < 0 || (size_t)fd >= sizeof streams / sizeof *streams ? NULL : streams[fd];
}

static bool peer_of(int fd, struct sockaddr_storage *peer)
{
    socklen_t size = sizeof *peer;
    memset(peer, 0, sizeof *peer);
    return getpeername(fd, (struct sockaddr *)peer, &size) == 0;
}

/* The greeting tells a connection that takes the number of a closed one. */
static void greet(int fd)
{
    if (fd < 0 || (size_t)fd >= sizeof streams / sizeof *streams)
        return;
    if (streams[fd] != NULL)
        attach_stream_destroy(streams[fd]);
    streams[fd] = attach_stream_create(fd);
    /* Pieces need not wait for the acknowledgement of those before: they are whole. */
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections++;
    newest = peer_of(fd, &newest_peer) ? fd : -1;
}

static void end_exchange(void)
{
    if (exchange.active)
        pthread_mutex_unlock(&lock);
    exchange.active = false;
}

/* The driver sends header and body in one call; data follows in others. */
static void begin_exchange(int fd, const uint8_t *message, size_t size)
{
    uint32_t type = base_load32(message), body = base_load32(message + 8);
    exchange.to_send = HEADER_SIZE + (uint64_t)body;
    exchange.to_receive = 0;
    if (type == TYPE_WRITE_MEMORY && size >= HEADER_SIZE + BODY_SIZE_OF_MEMORY)
        exchange.to_send += base_load32(message + HEADER_SIZE + 8);
    else if (type == TYPE_READ_MEMORY && size >= HEADER_SIZE + BODY_SIZE_OF_MEMORY)
        exchange.to_receive = MEMORY_ANSWER + (uint64_t)base_load32(message + HEADER_SIZE + 8);
    else if (type == TYPE_REGISTER && size >= HEADER_SIZE + 4 && (message[HEADER_SIZE] & 1) == 0)
        exchange.to_receive = REGISTER_ANSWER;
    pthread_mutex_lock(&lock);
    exchange.active = true;
    if (type == TYPE_CONTROL)
        greet(fd);
    exchange.last = stream_of(fd);
}

static void advance(uint64_t *left, ssize_t done)
{
    if (done <= 0 || (uint64_t)done > *left) {
        end_exchange(); /* the connection is lost, or this is not the protocol we know */
        return;
    }
    *left -= (uint64_t)done;
    if (exchange.to_send == 0 && exchange.to_receive == 0)
        end_exchange();
}

static ssize_t guarded_send(int fd, const void *data, size_t size, int flags)
{
    if (exchange.active && exchange.to_send == 0)
        end_exchange(); /* the driver gave up on an answer */
    if (!exchange.active && size >= HEADER_SIZE)
        begin_exchange(fd, data, size);
    struct attach_stream *stream = exchange.active ? stream_of(fd) : NULL;
    ssize_t sent =
        stream == NULL ? send(fd, data, size, flags) : attach_stream_send(stream, data, size);
    if (exchange.active)
        advance(&exchange.to_send, sent);
    return sent;
}

static ssize_t guarded_recv(int fd, void *data, size_t size, int flags)
{
    struct attach_stream *stream = exchange.active ? stream_of(fd) : NULL;
    ssize_t received =
        stream == NULL ? recv(fd, data, size, flags) : attach_stream_receive(stream, data, size);
    if (exchange.active)
        advance(&exchange.to_receive, received);
    return received;
}

/* Read a register over the newest connection. Lock held. */
static bool read_register(uint32_t offset, uint32_t *value)
{
    struct sockaddr_storage peer;
    uint8_t message[HEADER_SIZE + REGISTER_BODY], answer[REGISTER_ANSWER];
    struct attach_stream *stream = stream_of(newest);
    if (stream == NULL || !peer_of(newest, &peer) || memcmp(&peer, &newest_peer, sizeof peer) != 0)
        return false;
    memset(message, 0, sizeof message);
    base_store32(message + 8, REGISTER_BODY);
    base_store32(message + HEADER_SIZE, READ_OF_DWORD);
    base_store32(message + HEADER_SIZE + 4, offset);
    if (attach_stream_send(stream, message, sizeof message) != (ssize_t)sizeof message)
        return false;
    for (size_t have = 0; have < sizeof answer;) {
        ssize_t part = attach_stream_receive(stream, answer + have, sizeof answer - have);
        if (part <= 0)
            return false;
        have += (size_t)part;
    }
    *value = base_load32(answer + HEADER_SIZE);
    return true;
}

bool attach_socket_read_faults(uint32_t *count)
{
    if (exchange.active)
        return false;
    pthread_mutex_lock(&lock);
    bool read = attach_stream_faults(count) || read_register(REGISTER_FAULTS, count);
    pthread_mutex_unlock(&lock);
    return read;
}

bool attach_socket_acquire(void)
{
    if (exchange.active)
        return false;
    pthread_mutex_lock(&lock);
    return true;
}

void attach_socket_release(void)
{
    pthread_mutex_unlock(&lock);
}

void attach_socket_forget_last(void)
{
    exchange.last = NULL;
}

struct attach_stream *attach_socket_last(void)
{
    return exchange.last;
}

uint64_t attach_socket_connections(void)
{
    return connections;
}

bool attach_socket_replace(void **slot, void *function)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)slot & ~(page - 1);
    size_t size = (uintptr_t)(slot + 1) - first;
    /* Read-only after relocation; made so again afterwards. */
    if (mprotect((void *)first, size, PROT_READ | PROT_WRITE) != 0)
        return false;
    *slot = function;
    mprotect((void *)first, size, PROT_READ);
    return true;
}

struct tables {
    const ElfW(Rela) * jumps;
    size_t jump_count;
    const ElfW(Sym) * symbols;
    const char *names;
};

static struct tables find_tables(const struct link_map *map)
{
    struct tables tables = {.jumps = NULL};
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_JMPREL:
            tables.jumps = (const ElfW(Rela) *)entry->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            tables.jump_count = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_SYMTAB:
            tables.symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
            break;
        case DT_STRTAB:
            tables.names = (const char *)entry->d_un.d_ptr;
            break;
        }
    }
    return tables;
}

bool attach_socket_guard(void *driver_handle)
{
    struct link_map *map = NULL;
    if (dlinfo(driver_handle, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    struct tables tables = find_tables(map);
    static const struct {
        const char *name;
        void *function;
    } guarded[] = {{"send", (void *)(uintptr_t)guarded_send},
                   {"recv", (void *)(uintptr_t)guarded_recv},
                   {"_ZnamRKSt9nothrow_t", (void *)(uintptr_t)attach_fresh_allocate}};
    void **slots[3] = {NULL};
    if (tables.jumps == NULL || tables.symbols == NULL || tables.names == NULL)
        return false;
    for (size_t i = 0; i < tables.jump_count; i++) {
        const ElfW(Sym) *symbol = &tables.symbols[ELF64_R_SYM(tables.jumps[i].r_info)];
        void **slot = (void **)(map->l_addr + tables.jumps[i].r_offset);
        for (size_t k = 0; k < 3; k++)
            if (strcmp(tables.names + symbol->st_name, guarded[k].name) == 0)
                slots[k] = slot;
    }
    if (slots[0] == NULL || slots[1] == NULL)
        return false;
    if (slots[2] != NULL)
        attach_fresh_set(*(attach_allocate_function **)slots[2]);
    for (size_t k = 0; k < 3; k++)
        if (slots[k] != NULL && !attach_socket_replace(slots[k], guarded[k].function))
            return false;
    attach_walk_guard(map);
    return true;
}
