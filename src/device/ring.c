/* Execlist submission: from a context descriptor to a run of its ring. */
#include "device/connection.h"

#include <string.h>

#include "base/bytes.h"
#include "device/log.h"

/* Context image, bytes from LRCA + 4096: values of the ring registers in the
 * register state that the driver fills (compute-runtime 22.43, aub_mem_dump). */
#define IMAGE_OFFSET  0x1000u
#define IMAGE_HEAD    (5 * 4u)
#define IMAGE_TAIL    (7 * 4u)
#define IMAGE_BASE    (9 * 4u)
#define IMAGE_CONTROL (11 * 4u)
#define IMAGE_SIZE    (12 * 4u)

#define DESCRIPTOR_VALID 1u

static struct device_context *find_context(struct device_connection *connection, uint32_t lrca,
                                           uint32_t head)
{
    for (unsigned i = 0; i < DEVICE_CONTEXT_LIMIT; i++) {
        struct device_context *context = &connection->contexts[i];
        if (!context->used) {
            *context = (struct device_context){.used = true, .lrca = lrca, .head = head};
            return context;
        }
        if (context->lrca == lrca)
            return context;
    }
    return NULL;
}

bool device_connection_submit(struct device_connection *connection, uint32_t engine_base,
                              uint64_t descriptor)
{
    struct device_process *process = connection->process;
    int log_fd = process->machine->log_fd;
    if (!(descriptor & DESCRIPTOR_VALID))
        return true;
    uint32_t lrca = (uint32_t)descriptor & 0xfffff000u;
    uint8_t image[IMAGE_SIZE];
    if (!device_physical_global_read(connection->physical, (uint64_t)lrca + IMAGE_OFFSET, image,
                                     sizeof image)) {
        device_log_line(log_fd, "connection %u: the context image at 0x%x is not mapped",
                        connection->number, lrca);
        return false;
    }
    /* The driver never moves the head in the image: it is kept here. */
    struct device_context *context =
        find_context(connection, lrca, base_load32(image + IMAGE_HEAD));
    uint32_t tail = base_load32(image + IMAGE_TAIL) & ~3u;
    uint32_t size = (base_load32(image + IMAGE_CONTROL) & 0x1ff000u) + 0x1000u;
    if (context == NULL || tail >= size || context->head >= size) {
        device_log_line(log_fd,
                        "connection %u: context 0x%x has no usable ring (tail 0x%x, %u bytes)",
                        connection->number, lrca, tail, size);
        return false;
    }
    struct device_streamer *streamer = &connection->streamer;
    streamer->connection = connection;
    streamer->state = &context->state;
    streamer->engine_base = engine_base;
    streamer->ring_base = base_load32(image + IMAGE_BASE) & 0xfffff000u;
    streamer->ring_size = size;
    connection->submissions++;
    device_process_begin(process, connection);
    bool done = device_streamer_run(streamer, &context->head, tail);
    connection->left = !done && device_process_cancelled(process);
    device_process_end(process);
    return done;
}
