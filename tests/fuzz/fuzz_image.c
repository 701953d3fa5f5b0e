/* Any bytes as a device binary: kernels that can be read in full, or an error. */
#include "sonde/image.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint32_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_parse(data, size, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        if (error.message[0] == '\0')
            abort();
        return 0;
    }
    for (size_t i = 0; i < sonde_image_kernel_count(image); i++) {
        const struct sonde_kernel_info *info = &sonde_image_kernel(image, i)->info;
        sink += (uint32_t)strlen(info->name);
        for (size_t j = 0; j < info->isa_size; j++)
            sink += info->isa[j];
        for (size_t j = 0; j < info->free_range_count; j++)
            sink += info->free_ranges[j].size;
    }
    sonde_image_close(image);
    return 0;
}
