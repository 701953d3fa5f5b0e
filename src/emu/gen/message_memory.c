/* Address translation of the emulator: a direct-mapped cache of 4 KiB pages
 * a worker in front of the page function of the caller. */
#include "emu/gen/message.h"

uint8_t *message_page_miss(struct emu_worker *worker, struct emu_tlb_entry *tlb, uint64_t address,
                           bool write)
{
    uint64_t masked = address & MESSAGE_ADDRESS_MASK;
    uint64_t page = masked / EMU_PAGE_SIZE;
    const struct emu_memory *memory = emu_worker_memory(worker);
    struct emu_tlb_entry *entry = &tlb[page % EMU_TLB_SIZE];
    uint8_t *host = memory->page(memory->context, page * EMU_PAGE_SIZE, write);

    if (!host || emu_worker_touch(worker, masked, 1))
        return host;
    *entry = (struct emu_tlb_entry){.tag = page + 1, .host = host, .writable = write};
    return host;
}

static bool copy(struct emu_worker *worker, struct emu_tlb_entry *tlb, uint64_t address,
                 uint8_t *in, const uint8_t *out, size_t size)
{
    bool complete = true;

    while (size) {
        size_t in_page = address % EMU_PAGE_SIZE;
        size_t part = EMU_PAGE_SIZE - in_page < size ? EMU_PAGE_SIZE - in_page : size;
        uint8_t *host = message_page(worker, tlb, address, out != NULL);

        emu_worker_touch(worker, address & MESSAGE_ADDRESS_MASK, part);
        if (!host) {
            complete = false;
            if (in)
                memset(in, 0, part);
        } else if (in) {
            message_move(in, host + in_page, part);
        } else {
            message_move(host + in_page, out, part);
        }
        if (in)
            in += part;
        else
            out += part;
        address += part;
        size -= part;
    }
    return complete;
}

bool message_copy_in(struct emu_worker *worker, struct emu_tlb_entry *tlb, uint64_t address,
                     void *data, size_t size)
{
    return copy(worker, tlb, address, data, NULL, size);
}

bool message_copy_out(struct emu_worker *worker, struct emu_tlb_entry *tlb, uint64_t address,
                      const void *data, size_t size)
{
    return copy(worker, tlb, address, NULL, data, size);
}

uint8_t *emu_memory_span(struct emu_worker *worker, uint64_t address, size_t size, bool write)
{
    size_t in_page = address % EMU_PAGE_SIZE;
    uint8_t *host;

    if (size > EMU_PAGE_SIZE - in_page)
        return NULL;
    host = message_page(worker, emu_worker_tlb(worker), address, write);
    return host ? host + in_page : NULL;
}

bool emu_memory_read(struct emu_worker *worker, uint64_t address, void *data, size_t size)
{
    return message_copy_in(worker, emu_worker_tlb(worker), address, data, size);
}

bool emu_memory_write(struct emu_worker *worker, uint64_t address, const void *data, size_t size)
{
    return message_copy_out(worker, emu_worker_tlb(worker), address, data, size);
}
