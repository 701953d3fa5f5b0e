#include "device/pages.h"

#include <string.h>

#include "device/space.h"

static bool copy(device_page_function *page, void *context, uint64_t address, uint8_t *out,
                 const uint8_t *in, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t offset = (size_t)((address + done) & (DEVICE_PAGE_SIZE - 1));
        size_t part =
            DEVICE_PAGE_SIZE - offset < size - done ? DEVICE_PAGE_SIZE - offset : size - done;
        uint8_t *host = page(context, address + done);
        if (host == NULL)
            return false;
        if (out != NULL) {
            memcpy(out + done, host + offset, part);
        } else {
            memcpy(host + offset, in + done, part);
            device_space_changed(host);
        }
        done += part;
    }
    return true;
}

bool device_pages_read(device_page_function *page, void *context, uint64_t address, void *data,
                       size_t size)
{
    return copy(page, context, address, data, NULL, size);
}

bool device_pages_write(device_page_function *page, void *context, uint64_t address,
                        const void *data, size_t size)
{
    return copy(page, context, address, NULL, data, size);
}
