/* The compiler's answer to a GTPin request, version 5 of
 * gtpin_IGC_interface.h: 16 bytes of status, a count, then {id, size, ...}. */
#include "image/image.h"

#include "base/bytes.h"

enum {
    STATUS_SIZE = 16,
    FREE_LIST_BEGIN = 0xdeadd00d,
    FREE_LIST_END = 0xdeadbeef,
    ITEM_FREE_REGISTERS = 0,
    ITEM_SCRATCH = 1,
    ITEM_PROLOGS = 2,
    ITEM_GRF_COUNT = 3,
};

static enum sonde_status broken(struct sonde_error *error, uint64_t place, const char *what)
{
    return sonde_error_set(error, SONDE_ERROR_FORMAT, place, "GTPin information: %s", what);
}

static enum sonde_status read_free_registers(struct sonde_image *image,
                                             const struct image_span *body,
                                             struct sonde_kernel_info *kernel,
                                             struct sonde_error *error)
{
    struct base_reader reader = base_reader_make(body->data, body->size);
    uint32_t begin = base_read32(&reader), count = base_read32(&reader);
    if (reader.failed || begin != FREE_LIST_BEGIN || count > (reader.size - reader.position) / 4)
        return broken(error, body->origin, "the list of free registers has a wrong begin or count");
    struct sonde_register_range *ranges = image_allocate(image, count * sizeof *ranges);
    if (ranges == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "image: out of memory");
    for (uint32_t i = 0; i < count; i++) {
        ranges[i].start = base_read16(&reader);
        ranges[i].size = base_read16(&reader);
    }
    if (base_read32(&reader) != FREE_LIST_END || reader.failed)
        return broken(error, body->origin, "the list of free registers has no end mark");
    kernel->free_ranges = ranges;
    kernel->free_range_count = count;
    kernel->has_free_ranges = true;
    return SONDE_OK;
}

static enum sonde_status read_item(struct sonde_image *image, uint32_t id,
                                   const struct image_span *body, struct sonde_kernel_info *kernel,
                                   struct sonde_error *error)
{
    struct base_reader reader = base_reader_make(body->data, body->size);
    switch (id) {
    case ITEM_FREE_REGISTERS:
        return read_free_registers(image, body, kernel, error);
    case ITEM_SCRATCH:
        kernel->scratch_offset = base_read32(&reader);
        kernel->scratch_size = base_read32(&reader);
        break;
    case ITEM_PROLOGS:
        kernel->per_thread_prolog_size = base_read32(&reader);
        kernel->cross_thread_prolog_size = base_read32(&reader);
        break;
    case ITEM_GRF_COUNT:
        kernel->grf_count = base_read32(&reader);
        break;
    default: /* indirect accesses: our own liveness finds them */
        break;
    }
    return reader.failed ? broken(error, body->origin, "an item is too short") : SONDE_OK;
}

enum sonde_status image_parse_gtpin_info(struct sonde_image *image, const struct image_span *info,
                                         struct sonde_kernel_info *kernel,
                                         struct sonde_error *error)
{
    struct base_reader reader = base_reader_make(info->data, info->size);
    base_read_bytes(&reader, STATUS_SIZE);
    uint32_t count = base_read32(&reader);
    if (reader.failed)
        return broken(error, info->origin, "the header is cut off");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t position = reader.position;
        uint32_t id = base_read32(&reader), size = base_read32(&reader);
        struct image_span body;
        if (reader.failed || size < 8 || !image_subspan(info, position + 8, size - 8, &body))
            return broken(error, info->origin + position, "an item does not fit");
        enum sonde_status status = read_item(image, id, &body, kernel, error);
        if (status != SONDE_OK)
            return status;
        base_read_bytes(&reader, size - 8);
    }
    return SONDE_OK;
}
