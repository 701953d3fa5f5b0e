#include "trace/section.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "trace/format.h"
#include "trace/records.h"

/* All payloads of one file together, decompressed. */
#define TRACE_UNPACK_LIMIT (UINT64_C(8) << 30)

enum sonde_status trace_walk_begin(struct trace_walk *walk, const uint8_t *data, size_t size,
                                   uint32_t *version, uint64_t *features, struct sonde_error *error)
{
    *walk = (struct trace_walk){.data = data,
                                .size = size,
                                .first_damage = SIZE_MAX,
                                .hash_budget = 4 * (uint64_t)size,
                                .unpack_budget = TRACE_UNPACK_LIMIT};
    if (size < TRACE_HEADER_BYTES)
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, size,
                               "the file ends inside its header (%zu of %d bytes)", size,
                               TRACE_HEADER_BYTES);
    if (memcmp(data, TRACE_MAGIC, 8) != 0)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0, "no Sonde trace file");
    if (base_load64(data + TRACE_HEADER_CHECK) != XXH3_64bits(data, TRACE_HEADER_CHECK))
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0, "the file header is damaged");
    *version = base_load32(data + TRACE_HEADER_VERSION);
    *features = base_load64(data + TRACE_HEADER_FEATURES);
    uint32_t header_size = base_load32(data + TRACE_HEADER_SIZE);
    if (*version != TRACE_VERSION || (*features & TRACE_FEATURE_MUST_KNOW) != 0)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, TRACE_HEADER_VERSION,
                               "trace format version %u with features %#llx; this Sonde reads "
                               "version %u",
                               *version, (unsigned long long)*features, TRACE_VERSION);
    if (header_size < TRACE_HEADER_BYTES || header_size > size)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, TRACE_HEADER_SIZE,
                               "the file header announces %u bytes", header_size);
    walk->position = header_size;
    return SONDE_OK;
}

static bool header_is_good(const uint8_t *header)
{
    return base_load32(header + TRACE_SECTION_MAGIC) == TRACE_SECTION_MAGIC_VALUE &&
           base_load32(header + TRACE_SECTION_HEADER_CHECK) ==
               (uint32_t)XXH3_64bits(header, TRACE_SECTION_HEADER_CHECK) &&
           base_load32(header + TRACE_SECTION_STORED) <= TRACE_SECTION_LIMIT &&
           base_load32(header + TRACE_SECTION_RAW) <= TRACE_SECTION_LIMIT;
}

static void note_damage(struct trace_walk *walk, size_t offset)
{
    if (walk->first_damage == SIZE_MAX)
        walk->first_damage = offset;
}

/* Move to the next place that is a good section header. */
static bool find_header(struct trace_walk *walk)
{
    size_t start = walk->position;
    while (walk->size - walk->position >= TRACE_SECTION_BYTES) {
        if (header_is_good(walk->data + walk->position))
            return true;
        note_damage(walk, start);
        walk->position++;
        const uint8_t *next = memchr(walk->data + walk->position, TRACE_SECTION_MAGIC_VALUE & 0xff,
                                     walk->size - walk->position);
        walk->position = next == NULL ? walk->size : (size_t)(next - walk->data);
    }
    if (start < walk->size) {
        note_damage(walk, start);
        walk->cut = true;
    }
    walk->position = walk->size;
    return false;
}

static const uint8_t *unpack(struct trace_walk *walk, const uint8_t *stored, size_t stored_size,
                             size_t raw_size)
{
    if (raw_size > walk->unpacked_capacity) {
        uint8_t *grown = realloc(walk->unpacked, raw_size);
        if (grown == NULL)
            return NULL;
        walk->unpacked = grown;
        walk->unpacked_capacity = raw_size;
    }
    if (walk->decompressor == NULL)
        walk->decompressor = ZSTD_createDCtx();
    if (walk->decompressor == NULL || raw_size == 0 || raw_size > walk->unpack_budget)
        return NULL;
    walk->unpack_budget -= raw_size;
    size_t size =
        ZSTD_decompressDCtx(walk->decompressor, walk->unpacked, raw_size, stored, stored_size);
    return ZSTD_isError(size) || size != raw_size ? NULL : walk->unpacked;
}

/* The payload of the section at `at`, whose header is good, or NULL. */
static const uint8_t *check_payload(struct trace_walk *walk, size_t at)
{
    const uint8_t *header = walk->data + at;
    size_t stored = base_load32(header + TRACE_SECTION_STORED);
    size_t raw = base_load32(header + TRACE_SECTION_RAW);
    uint16_t flags = base_load16(header + TRACE_SECTION_FLAGS);
    const uint8_t *payload = header + TRACE_SECTION_BYTES;
    if (stored > walk->hash_budget || (flags & ~TRACE_FLAG_ZSTD) != 0)
        return NULL;
    walk->hash_budget -= stored;
    if (base_load64(header + TRACE_SECTION_CHECK) != XXH3_64bits(payload, stored))
        return NULL;
    if ((flags & TRACE_FLAG_ZSTD) != 0)
        return unpack(walk, payload, stored, raw);
    return stored == raw ? payload : NULL;
}

/* Whether the section at `at` is one of records that need not be looked at. */
static bool may_wait(const struct trace_walk *walk, size_t at, size_t stored)
{
    const uint8_t *header = walk->data + at;
    return walk->is_lazy && base_load16(header + TRACE_SECTION_KIND) == TRACE_KIND_RECORDS &&
           base_load16(header + TRACE_SECTION_FLAGS) == 0 &&
           stored == base_load32(header + TRACE_SECTION_RAW) &&
           trace_stretch_head_is_good(header + TRACE_SECTION_BYTES, stored);
}

bool trace_walk_next(struct trace_walk *walk, struct trace_section *section)
{
    while (find_header(walk)) {
        size_t at = walk->position;
        const uint8_t *header = walk->data + at;
        size_t stored = base_load32(header + TRACE_SECTION_STORED);
        walk->looked_at += TRACE_SECTION_BYTES;
        walk->cut = stored > walk->size - at - TRACE_SECTION_BYTES;
        bool waits = !walk->cut && may_wait(walk, at, stored);
        const uint8_t *payload = walk->cut ? NULL
                                 : waits   ? header + TRACE_SECTION_BYTES
                                           : check_payload(walk, at);
        walk->looked_at += walk->cut || waits ? 0 : stored;
        if (payload == NULL) {
            /* Damaged, or torn by a failed write: go on behind its header. */
            note_damage(walk, at);
            walk->position = at + TRACE_SECTION_BYTES;
            continue;
        }
        walk->position = at + TRACE_SECTION_BYTES + stored;
        section->kind = base_load16(header + TRACE_SECTION_KIND);
        section->sequence = base_load32(header + TRACE_SECTION_SEQUENCE);
        section->payload = payload;
        section->size = base_load32(header + TRACE_SECTION_RAW);
        section->is_lasting = payload == header + TRACE_SECTION_BYTES;
        section->is_unchecked = waits;
        section->check = base_load64(header + TRACE_SECTION_CHECK);
        if (section->sequence > walk->expected)
            walk->missing += section->sequence - walk->expected;
        walk->expected = section->sequence + 1;
        return true;
    }
    return false;
}

void trace_walk_end(struct trace_walk *walk)
{
    free(walk->unpacked);
    ZSTD_freeDCtx(walk->decompressor);
    walk->unpacked = NULL;
    walk->decompressor = NULL;
}
