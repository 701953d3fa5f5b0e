#include "device_binary.h"

#include <string.h>

enum token {
    TOKEN_BINDING_TABLE = 8,
    TOKEN_DATA_PARAMETER = 17,
    TOKEN_CURBE = 25,
    TOKEN_POINTER = 30,
    TOKEN_PRIVATE_MEMORY = 38,
};

enum parameter {
    PARAMETER_ARGUMENT = 1,
    PARAMETER_LOCAL_SIZE = 2,
    PARAMETER_GLOBAL_SIZE = 3,
    PARAMETER_GROUPS = 4,
    PARAMETER_DIMENSIONS = 5,
    PARAMETER_ENQUEUED_LOCAL_SIZE = 28,
};

static uint32_t load32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static void store(struct device_payload *payload, uint32_t offset, uint64_t value, uint32_t size)
{
    if (size <= 8 && offset + size <= sizeof payload->bytes)
        memcpy(payload->bytes + offset, &value, size);
}

/* The patch-token binary inside the ELF file. */
static const uint8_t *find_program(const uint8_t *file)
{
    uint64_t sections;
    memcpy(&sections, file + 0x28, sizeof sections);
    uint16_t entry, count;
    memcpy(&entry, file + 0x3a, sizeof entry);
    memcpy(&count, file + 0x3c, sizeof count);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *section = file + sections + (size_t)i * entry;
        if (load32(section + 4) == 0xff000005u)
            return file + load32(section + 0x18);
    }
    return NULL;
}

static void data_parameter(struct device_payload *payload, const uint8_t *data,
                           const struct device_grid *grid)
{
    uint32_t type = load32(data), offset = load32(data + 8), size = load32(data + 12);
    bool first = load32(data + 16) == 0; /* dimension */
    switch (type) {
    case PARAMETER_ARGUMENT:
        store(payload, offset, grid->scalar, size);
        break;
    case PARAMETER_LOCAL_SIZE:
    case PARAMETER_ENQUEUED_LOCAL_SIZE:
        store(payload, offset, first ? grid->local : 1, size);
        break;
    case PARAMETER_GLOBAL_SIZE:
        store(payload, offset, first ? grid->local * grid->groups : 1, size);
        break;
    case PARAMETER_GROUPS:
        store(payload, offset, first ? grid->groups : 1, size);
        break;
    case PARAMETER_DIMENSIONS:
        store(payload, offset, 1, size);
        break;
    default: /* offsets: zero */
        break;
    }
}

/* A surface by the offset of its state: entries stand in order, 64 bytes each. */
static bool pointer(struct device_payload *payload, const struct device_grid *grid,
                    uint32_t state_offset, const uint8_t *data)
{
    unsigned surface = state_offset / 64;
    if (surface >= grid->surface_limit)
        return false;
    store(payload, load32(data), grid->address(surface), load32(data + 4));
    return true;
}

static bool read_tokens(const uint8_t *patches, uint32_t size, const struct device_grid *grid,
                        struct device_payload *payload)
{
    for (uint32_t at = 0; at + 8 <= size; at += load32(patches + at + 4)) {
        const uint8_t *data = patches + at + 8;
        bool good = true;
        switch (load32(patches + at)) {
        case TOKEN_BINDING_TABLE:
            payload->surfaces = load32(data + 4);
            good = payload->surfaces <= grid->surface_limit;
            break;
        case TOKEN_CURBE:
            payload->size = (load32(data) + 31) / 32 * 32;
            good = payload->size <= sizeof payload->bytes;
            break;
        case TOKEN_DATA_PARAMETER:
            data_parameter(payload, data, grid);
            break;
        case TOKEN_POINTER:
            good = pointer(payload, grid, load32(data + 4), data + 8);
            break;
        case TOKEN_PRIVATE_MEMORY:
            good = pointer(payload, grid, load32(data), data + 4);
            break;
        default:
            break;
        }
        if (!good)
            return false;
    }
    return true;
}

bool device_payload_fill(const uint8_t *file, size_t size, unsigned index,
                         const struct device_grid *grid, struct device_payload *payload)
{
    const uint8_t *at = size > 64 ? find_program(file) : NULL;
    if (at == NULL)
        return false;
    at += 28 + load32(at + 24);
    for (;; index--) {
        uint32_t name = load32(at + 12), patches = load32(at + 16), heaps = 0;
        for (unsigned h = 0; h < 4; h++)
            heaps += load32(at + 20 + 4 * h);
        const uint8_t *tokens = at + 40 + name + heaps;
        if (index == 0)
            return read_tokens(tokens, patches, grid, payload);
        at = tokens + patches;
    }
}

bool device_payload_make(const uint8_t *file, size_t size, unsigned index, unsigned local_size,
                         unsigned groups, uint32_t scalar, struct device_payload *payload)
{
    memset(payload, 0, sizeof *payload);
    struct device_grid grid = {.local = local_size,
                               .groups = groups,
                               .scalar = scalar,
                               .address = machine_surface_address,
                               .surface_limit = MACHINE_PROFILE};
    return device_payload_fill(file, size, index, &grid, payload);
}
