/* Little-endian loads and stores, and a bounds-checked byte reader for input
 * that nobody vouches for. A reader that has run past its end stays failed and
 * reads zeros, so a parser may check once at the end of a record. */
#ifndef SONDE_BASE_BYTES_H
#define SONDE_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t base_load16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t base_load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t base_load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void base_store16(void *p, uint16_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void base_store32(void *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void base_store64(void *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

struct base_reader {
    const uint8_t *data;
    size_t size;
    size_t position;
    bool failed;
};

static inline struct base_reader base_reader_make(const void *data, size_t size)
{
    return (struct base_reader){.data = data, .size = size};
}

/* The next `size` bytes, or NULL (and failed) when fewer are left. */
static inline const uint8_t *base_read_bytes(struct base_reader *r, size_t size)
{
    if (r->failed || size > r->size - r->position) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *p = r->data + r->position;
    r->position += size;
    return p;
}

static inline uint8_t base_read8(struct base_reader *r)
{
    const uint8_t *p = base_read_bytes(r, 1);
    return p == NULL ? 0 : *p;
}

static inline uint16_t base_read16(struct base_reader *r)
{
    const uint8_t *p = base_read_bytes(r, 2);
    return p == NULL ? 0 : base_load16(p);
}

static inline uint32_t base_read32(struct base_reader *r)
{
    const uint8_t *p = base_read_bytes(r, 4);
    return p == NULL ? 0 : base_load32(p);
}

static inline uint64_t base_read64(struct base_reader *r)
{
    const uint8_t *p = base_read_bytes(r, 8);
    return p == NULL ? 0 : base_load64(p);
}

#endif
