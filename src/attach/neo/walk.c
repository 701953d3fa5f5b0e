#include "attach/neo/walk.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "attach/neo/socket_internal.h"
#include "attach/neo/transport.h"

#define PAGE_SIZE    4096u
#define OBJECT_LIMIT 64u

/* PML4::pageWalk, and TbxCommandStreamReceiverHw<...>::writeMemory of a range,
 * as the C++ ABI calls them. `walker` and what it does is the driver's. */
typedef void walk_function(void *tables, uintptr_t address, size_t size, size_t offset,
                           uint64_t entry_bits, void *walker, uint32_t bank);
typedef void write_function(void *receiver, uint64_t address, void *data, size_t size,
                            uint32_t bank, uint64_t entry_bits);
/* TagAllocator<TimestampPackets<uint32_t>>::releaseDeferredTags. */
typedef void release_function(void *allocator);

/* Where the functions are in a build of the driver, and the entries of the
 * tables that hold them: found by the names of the types (_ZTI...), the fourth
 * of NEO::PML4, the 48th of NEO::TbxCommandStreamReceiverHw of a family, and the seventh
 * of NEO::TagAllocator. */
struct place {
    uint32_t entry, function;
};

enum { FAMILY_COUNT = 3 };

struct build {
    uint8_t id[20];
    struct place walk;
    struct place write[FAMILY_COUNT]; /* Gen9, Gen12LP, Xe-HPG */
    struct place release;
};

static const struct build builds[] = {
    /* intel-opencl-icd 22.43.24595.41-1 of Debian 12, amd64 */
    {{0x69, 0xfb, 0xfe, 0x5e, 0xa5, 0x2c, 0xf4, 0x0e, 0xbc, 0x2a,
      0x4f, 0x55, 0x6b, 0x5a, 0xa0, 0x3a, 0x46, 0xca, 0x0b, 0xa6},
     {0x8e1f40, 0x6a6850},
     {{0x8e39e0, 0x493260}, {0x8e5370, 0x4e2730}, {0x8e6d00, 0x5414d0}},
     {0x8e2960, 0x465e40}},
};

static walk_function *real_walk;
static write_function *real_write[FAMILY_COUNT];

/* What this thread has the driver write now. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    const uint8_t *data; /* NULL: nothing */
    uint64_t address;
    size_t size;
} writing;

/* Which connection a driver's tables belong to: the one over which it sends in
 * their walk. Under the lock. */
static struct {
    const void *tables;
    struct attach_stream *stream;
} objects[OBJECT_LIMIT];
static size_t object_count;
static uint64_t objects_of; /* connections that there had been */

static struct attach_stream *find_stream(const void *tables)
{
    if (objects_of != attach_socket_connections()) {
        /* An object of a new connection may lie where one of an old one did. */
        objects_of = attach_socket_connections();
        object_count = 0;
    }
    for (size_t i = 0; i < object_count; i++)
        if (objects[i].tables == tables)
            return objects[i].stream;
    return NULL;
}

static void learn(const void *tables, struct attach_stream *stream)
{
    if (stream == NULL || find_stream(tables) != NULL || object_count == OBJECT_LIMIT)
        return;
    objects[object_count].tables = tables;
    objects[object_count++].stream = stream;
}

/* Of the range that is walked: pages from `at` on that are alike. */
struct part {
    size_t size;
    bool is_needed;
};

static bool is_needed(struct attach_stream *stream, const uint8_t *data, uintptr_t address,
                      size_t size)
{
    if (data == NULL)
        return !attach_stream_has_read(stream, address, size);
    return size != PAGE_SIZE || !attach_stream_has_written(stream, address, data);
}

static struct part next_part(struct attach_stream *stream, const uint8_t *data, uintptr_t address,
                             size_t size)
{
    struct part part = {.size = 0};
    while (part.size < size) {
        size_t left = size - part.size, page = PAGE_SIZE - (address + part.size) % PAGE_SIZE;
        if (page > left)
            page = left;
        bool needed =
            is_needed(stream, data == NULL ? NULL : data + part.size, address + part.size, page);
        if (part.size == 0)
            part.is_needed = needed;
        else if (part.is_needed != needed)
            break;
        part.size += page;
        if (data == NULL && needed)
            break; /* with a page that is read, much comes to be known of the others */
    }
    return part;
}

/* The part of the range from `at` on; NULL: the connection is not known. */
static struct attach_stream *look(const void *tables, const uint8_t *data, uintptr_t address,
                                  size_t size, struct part *part)
{
    *part = (struct part){size, true};
    if (!attach_socket_acquire())
        return NULL;
    struct attach_stream *stream = find_stream(tables);
    if (stream != NULL)
        *part = next_part(stream, data, address, size);
    if (!part->is_needed && data != NULL && !attach_stream_write_same(stream, address, part->size))
        part->is_needed = true; /* the driver will see what is wrong with the socket */
    attach_socket_release();
    return stream;
}

static void walk(void *tables, uintptr_t address, size_t size, size_t offset, uint64_t entry_bits,
                 void *walker, uint32_t bank)
{
    const uint8_t *data = NULL;
    if (writing.data != NULL && address == writing.address && size == writing.size)
        data = writing.data;
    for (size_t done = 0; done < size;) {
        struct part part;
        struct attach_stream *stream =
            look(tables, data == NULL ? NULL : data + done, address + done, size - done, &part);
        if (part.is_needed) {
            attach_socket_forget_last();
            real_walk(tables, address + done, part.size, offset + done, entry_bits, walker, bank);
            if (stream == NULL && attach_socket_acquire()) {
                learn(tables, attach_socket_last());
                attach_socket_release();
            }
        }
        done += part.size;
    }
}

static void write_range(size_t family, void *receiver, uint64_t address, void *data, size_t size,
                        uint32_t bank, uint64_t entry_bits)
{
    writing.data = data;
    writing.address = address;
    writing.size = size;
    real_write[family](receiver, address, data, size, bank, entry_bits);
    writing.data = NULL;
}

static void write_0(void *receiver, uint64_t address, void *data, size_t size, uint32_t bank,
                    uint64_t entry_bits)
{
    write_range(0, receiver, address, data, size, bank, entry_bits);
}

static void write_1(void *receiver, uint64_t address, void *data, size_t size, uint32_t bank,
                    uint64_t entry_bits)
{
    write_range(1, receiver, address, data, size, bank, entry_bits);
}

static void write_2(void *receiver, uint64_t address, void *data, size_t size, uint32_t bank,
                    uint64_t entry_bits)
{
    write_range(2, receiver, address, data, size, bank, entry_bits);
}

static write_function *const writes[FAMILY_COUNT] = {write_0, write_1, write_2};

/* With a simulator the driver takes a new timestamp for each launch on DG2 and never
 * uses one again (hw_helper_base.inl: nodes are not released). It looks through all that
 * there have been nevertheless, and finds none: 0.5 ms a launch after 20000. */
static void release_nothing(void *allocator)
{
    (void)allocator;
}

static release_function *const release = release_nothing;

static const struct build *find_build(const uint8_t *id, size_t size)
{
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        if (size == sizeof builds[i].id && memcmp(builds[i].id, id, size) == 0)
            return &builds[i];
    return NULL;
}

/* Among the notes of a segment. */
static const struct build *build_of_notes(const uint8_t *notes, size_t size)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)notes;
        size_t name = (note->n_namesz + 3u) & ~3u, text = (note->n_descsz + 3u) & ~3u;
        if (note->n_namesz > size || note->n_descsz > size || sizeof *note + name + text > size)
            break;
        if (note->n_type == NT_GNU_BUILD_ID && name == 4 &&
            memcmp(notes + sizeof *note, "GNU", 4) == 0)
            return find_build(notes + sizeof *note + name, note->n_descsz);
        notes += sizeof *note + name + text;
        size -= sizeof *note + name + text;
    }
    return NULL;
}

struct search {
    const struct link_map *driver;
    const struct build *build;
};

static int find_driver(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    if (info->dlpi_addr != search->driver->l_addr ||
        strcmp(info->dlpi_name, search->driver->l_name) != 0)
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum && search->build == NULL; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            search->build =
                build_of_notes((const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                               info->dlpi_phdr[i].p_memsz);
    return 1;
}

static void **entry_of(const struct link_map *driver, const struct place *place)
{
    return (void **)(driver->l_addr + place->entry);
}

/* Is it the function that the table has it to be? */
static bool holds(const struct link_map *driver, const struct place *place)
{
    return (uintptr_t)*entry_of(driver, place) == driver->l_addr + place->function;
}

void attach_walk_guard(const struct link_map *driver)
{
    struct search search = {.driver = driver};
    dl_iterate_phdr(find_driver, &search);
    const struct build *build = search.build;
    if (build == NULL || !holds(driver, &build->walk) || !holds(driver, &build->release))
        return;
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (!holds(driver, &build->write[i]))
            return;
    *(void **)&real_walk = *entry_of(driver, &build->walk);
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        *(void **)&real_write[i] = *entry_of(driver, &build->write[i]);
    attach_socket_replace(entry_of(driver, &build->walk), (void *)(uintptr_t)walk);
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        attach_socket_replace(entry_of(driver, &build->write[i]), (void *)(uintptr_t)writes[i]);
    attach_socket_replace(entry_of(driver, &build->release), (void *)(uintptr_t)release);
}
