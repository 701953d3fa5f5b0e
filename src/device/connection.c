#include "device/connection.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "device/log.h"

/* Most bytes one message may move; the driver sends at most a page. */
#define TRANSFER_LIMIT (64u << 20)

/* Most pages that are written without data, or read back, with one message. */
#define RUN_PAGES 64u
#define NO_MEMORY "no memory for page, raise the limit or use smaller buffers"

#define REGISTER_SUBMIT_PORT      0x230u
#define REGISTER_EXECLIST_STATUS  0x234u
#define REGISTER_TIMESTAMP        0x358u
#define REGISTER_TIMESTAMP_HIGH   0x35cu
#define REGISTER_CONTEXT_TIME     0x3a8u
#define REGISTER_QUEUE_LOW        0x510u
#define REGISTER_QUEUE_HIGH       0x514u
#define REGISTER_QUEUE_CONTROL    0x550u
#define EXECLIST_STATUS_COMPLETED 0x100u

/* RCS, BCS, Gen9 VCS, CCS0 (Gen9 VECS), VCS and VECS of Gen12. */
static const uint32_t engines[] = {0x2000, 0x22000, 0x12000, 0x1a000, 0x1c0000, 0x1c8000};

static bool engine_register(uint32_t offset, uint32_t *engine, uint32_t *local)
{
    for (unsigned i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (offset >= engines[i] && offset - engines[i] < 0x1000) {
            *engine = engines[i];
            *local = offset - engines[i];
            return true;
        }
    }
    return false;
}

/* Leave a line and tell the caller to close. */
static bool refuse(struct device_connection *c, const char *what, uint64_t value)
{
    device_log_line(c->process->machine->log_fd, "process %d, connection %u closed: %s (0x%llx)",
                    (int)c->process->pid, c->number, what, (unsigned long long)value);
    return false;
}

uint32_t device_connection_register(const struct device_connection *connection, uint32_t offset)
{
    uint32_t engine, local;
    if (offset == DEVICE_REGISTER_FAULTS)
        return (uint32_t)atomic_load(&connection->process->faults);
    if (engine_register(offset, &engine, &local)) {
        uint64_t ticks = device_process_ticks(connection->process);
        switch (local) {
        case REGISTER_TIMESTAMP:
        case REGISTER_CONTEXT_TIME:
            return (uint32_t)ticks;
        case REGISTER_TIMESTAMP_HIGH:
            return (uint32_t)(ticks >> 32);
        case REGISTER_EXECLIST_STATUS: /* submissions are run at once: always idle */
            return connection->process->machine->configuration->submission == DEVICE_SUBMISSION_ELSP
                       ? EXECLIST_STATUS_COMPLETED
                       : 0;
        default:
            break;
        }
    }
    return device_registers_read(&connection->registers, offset);
}

/* Each write shifts one dword into the port; the fourth submits element 0,
 * after element 1: 1 high, 1 low, 0 high, 0 low. */
static bool write_submit_port(struct device_connection *c, uint32_t engine, uint32_t value)
{
    if (c->submit_engine != engine)
        c->submit_count = 0;
    c->submit_engine = engine;
    c->submit_port[c->submit_count++] = value;
    if (c->submit_count < 4)
        return true;
    c->submit_count = 0;
    const uint32_t *port = c->submit_port;
    uint64_t first = (uint64_t)port[2] << 32 | port[3];
    uint64_t second = (uint64_t)port[0] << 32 | port[1];
    if (device_connection_submit(c, engine, first) && device_connection_submit(c, engine, second))
        return true;
    return c->left ? false : refuse(c, "the submission cannot be completed, context", port[3]);
}

static bool write_queue_control(struct device_connection *c, uint32_t engine, uint32_t value)
{
    if (!(value & 1))
        return true;
    uint64_t descriptor =
        (uint64_t)device_registers_read(&c->registers, engine + REGISTER_QUEUE_HIGH) << 32 |
        device_registers_read(&c->registers, engine + REGISTER_QUEUE_LOW);
    if (device_connection_submit(c, engine, descriptor))
        return true;
    return c->left ? false : refuse(c, "the submission cannot be completed, context", descriptor);
}

/* A register whose write starts something. */
static bool on_engine_write(struct device_connection *c, uint32_t engine, uint32_t local,
                            uint32_t value)
{
    enum device_submission submission = c->process->machine->configuration->submission;
    if (submission == DEVICE_SUBMISSION_ELSP && local == REGISTER_SUBMIT_PORT)
        return write_submit_port(c, engine, value);
    if (submission == DEVICE_SUBMISSION_ELSQ && local == REGISTER_QUEUE_CONTROL)
        return write_queue_control(c, engine, value);
    return true;
}

/* Body: dword 0 bit 0 write, bits 3:1 access size, bits 8:6 space (0 = MMIO);
 * 1 offset; 2 data. */
static bool on_mmio(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    uint32_t flags = base_load32(body), offset = base_load32(body + 4);
    if ((flags >> 1 & 7) != 4 || (flags >> 6 & 7) != 0 || offset & 3)
        return refuse(c, "MMIO access that is not a dword", flags);
    uint32_t engine, local;
    if (flags & 1) {
        uint32_t value = base_load32(body + 8);
        device_registers_write(&c->registers, offset, value);
        return !engine_register(offset, &engine, &local) ||
               on_engine_write(c, engine, local, value);
    }
    uint8_t answer[DEVICE_HEADER_SIZE + 4];
    base_store32(answer, DEVICE_MESSAGE_MMIO_RESPONSE);
    base_store32(answer + 4, transaction);
    base_store32(answer + 8, 4);
    base_store32(answer + 12, device_connection_register(c, offset));
    return device_wire_send(&c->wire, &(struct iovec){answer, sizeof answer}, 1);
}

/* Body: dword 0 bit 0 write; 1 index of the entry; 2-3 entry. */
static bool on_gtt(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    (void)transaction;
    uint32_t index = base_load32(body + 4);
    if (!(base_load32(body) & 1))
        return refuse(c, "read of the global GTT, which is not supported", index);
    if (device_physical_set_global(c->physical, index, base_load64(body + 8)))
        return refuse(c, "global GTT index is out of range", index);
    return true;
}

static uint64_t transfer_address(const uint8_t *body)
{
    return (uint64_t)body[3] << 32 | base_load32(body + 4);
}

static const uint8_t zeros[DEVICE_PAGE_SIZE];

/* `size` payload bytes from the wire to physical memory. */
static bool receive_data(struct device_connection *c, uint64_t address, uint32_t size)
{
    while (size > 0) {
        uint8_t *page = device_physical_target(c->physical, address);
        if (page == NULL)
            return refuse(c, NO_MEMORY, address);
        uint32_t offset = (uint32_t)address & (DEVICE_PAGE_SIZE - 1);
        size_t room = DEVICE_PAGE_SIZE - offset < size ? DEVICE_PAGE_SIZE - offset : size, part;
        const uint8_t *data = device_wire_some(&c->wire, room, &part);
        if (data == NULL)
            return refuse(c, "stream ends inside a memory write, bytes missing", size);
        device_space_upload(c->process->space, page, offset, data, part);
        address += part;
        size -= (uint32_t)part;
    }
    return true;
}

/* Body: dword 0 bits 7:6 memory type, 31:24 address bits 39:32; 1 address; 2
 * payload length. The payload follows the body. */
static bool on_write(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    (void)transaction;
    uint64_t address = transfer_address(body);
    uint32_t size = base_load32(body + 8), type = base_load32(body) >> 6 & 3;
    if (type != 0)
        return refuse(c, "write to local memory, which this model does not have", type);
    if (size > TRANSFER_LIMIT || (address + size) >> DEVICE_PHYSICAL_BITS)
        return refuse(c, "memory write of absurd length", size);
    if (size == 8) {
        const uint8_t *data = device_wire_need(&c->wire, 8);
        if (data == NULL)
            return refuse(c, "stream ends inside a memory write, bytes missing", size);
        enum sonde_status status;
        if (device_physical_table_write(c->physical, address, base_load64(data), &status))
            return status == SONDE_OK || refuse(c, NO_MEMORY, address);
        c->wire.begin -= 8; /* it is data: take it the general way */
    }
    device_physical_data(c->physical, address);
    return receive_data(c, address, size);
}

/* Body: as a write, of pages that do not follow. False when it is refused. */
static bool pages_to_write(struct device_connection *c, const uint8_t *body, uint32_t limit)
{
    uint64_t address = transfer_address(body);
    uint32_t size = base_load32(body + 8);
    if (size == 0 || size > limit || size % DEVICE_PAGE_SIZE || address % DEVICE_PAGE_SIZE ||
        (base_load32(body) >> 6 & 3) || (address + size) >> DEVICE_PHYSICAL_BITS)
        return refuse(c, "write without data that is not of pages", address);
    device_physical_data(c->physical, address);
    return true;
}

static bool on_write_zeros(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    (void)transaction;
    if (!pages_to_write(c, body, DEVICE_PAGE_SIZE))
        return false;
    uint8_t *page = device_physical_page(c->physical, transfer_address(body), true);
    if (page == NULL)
        return refuse(c, NO_MEMORY, transfer_address(body));
    device_space_upload_zeros(c->process->space, page);
    return true;
}

/* What kernels did to the pages stays, as it does when the data are sent. */
static bool on_write_same(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    (void)transaction;
    if (!pages_to_write(c, body, RUN_PAGES * DEVICE_PAGE_SIZE))
        return false;
    for (uint32_t done = 0; done < base_load32(body + 8); done += DEVICE_PAGE_SIZE) {
        uint64_t address = transfer_address(body) + done;
        uint8_t *page = device_physical_page(c->physical, address, false);
        if (page == NULL)
            return refuse(c, "write of a page as it was that was never written", address);
        device_space_take_back(c->process->space, page);
    }
    return true;
}

/* The driver sends each allocation once in a process. An engine context that
 * uses memory which another one sent (a queue of low priority; the others
 * share one) reads it back from a page number that it never announced, so
 * there is no telling which memory is meant. */
static void note_unknown_read(struct device_connection *c, uint64_t address)
{
    if (c->submissions == 0 || c->unknown_read)
        return;
    c->unknown_read = true;
    device_process_count_fault(c->process);
    device_log_line(c->process->machine->log_fd,
                    "process %d, connection %u reads page 0x%llx, which it never sent: results of "
                    "a second queue of another priority are lost; use one priority",
                    (int)c->process->pid, c->number, (unsigned long long)address >> 12);
}

/* Send `answer`, then [address, address + size), page n of it (modulo 64) when
 * `wanted` has bit n. Pages that were never written are zeros. */
static bool send_memory(struct device_connection *c, struct iovec answer, uint64_t address,
                        uint32_t size, uint64_t wanted)
{
    struct iovec vector[66] = {answer};
    int count = 1;
    for (unsigned number = 0; size > 0; number++) {
        const uint8_t *page = device_physical_page(c->physical, address, false);
        uint32_t offset = (uint32_t)address & (DEVICE_PAGE_SIZE - 1);
        uint32_t part = DEVICE_PAGE_SIZE - offset < size ? DEVICE_PAGE_SIZE - offset : size;
        bool sent = wanted >> number % 64 & 1;
        if (page != NULL && sent)
            device_space_downloaded(c->process->space, page, offset, part);
        if (sent)
            vector[count++] =
                (struct iovec){(void *)(uintptr_t)(page == NULL ? zeros : page + offset), part};
        address += part;
        size -= part;
        if (count == (int)(sizeof vector / sizeof *vector)) {
            if (!device_wire_send(&c->wire, vector, count))
                return false;
            count = 0;
        }
    }
    return device_wire_send(&c->wire, vector, count);
}

/* Body: as a write without memory type. The response repeats it and the bytes
 * follow. */
static bool on_read(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    uint64_t address = transfer_address(body);
    uint32_t size = base_load32(body + 8);
    if (size > TRANSFER_LIMIT || (address + size) >> DEVICE_PHYSICAL_BITS)
        return refuse(c, "memory read of absurd length", size);
    if (device_physical_page(c->physical, address, false) == NULL)
        note_unknown_read(c, address);
    uint8_t answer[DEVICE_HEADER_SIZE + 12];
    base_store32(answer, DEVICE_MESSAGE_READ_RESPONSE);
    base_store32(answer + 4, transaction);
    base_store32(answer + 8, 12);
    memcpy(answer + 12, body, 12);
    return send_memory(c, (struct iovec){answer, sizeof answer}, address, size, UINT64_MAX);
}

/* Body: as a read, of at most 64 whole pages; 3-4 pages to send in any case. In
 * the response, pages that follow: those, and what was changed. */
static bool on_read_changed(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    uint64_t address = transfer_address(body), wanted = base_load64(body + 12);
    uint32_t size = base_load32(body + 8), count = size / DEVICE_PAGE_SIZE;
    if (count == 0 || count > RUN_PAGES || size % DEVICE_PAGE_SIZE || address % DEVICE_PAGE_SIZE ||
        (address + size) >> DEVICE_PHYSICAL_BITS)
        return refuse(c, "read of changed pages of absurd length", size);
    wanted &= UINT64_MAX >> (64 - count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t page = address + (uint64_t)i * DEVICE_PAGE_SIZE;
        if (device_physical_take_changed(c->physical, page, device_process_is_running, c->process))
            wanted |= 1ull << i;
        if (wanted >> i & 1)
            device_physical_taken(c->physical, page);
    }
    uint8_t answer[DEVICE_HEADER_SIZE + 20];
    base_store32(answer, DEVICE_MESSAGE_READ_RESPONSE);
    base_store32(answer + 4, transaction);
    base_store32(answer + 8, 20);
    memcpy(answer + 12, body, 12);
    base_store64(answer + 24, wanted);
    c->wire.run_read = true;
    return send_memory(c, (struct iovec){answer, sizeof answer}, address, size, wanted);
}

/* What stands in the answer to a request for news. */
#define NEWS_HOLD   1u /* nothing runs: they are all that there will be */
#define NEWS_MARKED 2u /* more than fit: marks of the pages instead */

static bool send_news(struct device_connection *c, uint8_t *answer, uint32_t state, uint32_t words,
                      struct iovec *vector, int count)
{
    base_store32(answer + 8, 24 + 4 * words);
    base_store32(answer + 24, state);
    base_store32(answer + 28, (uint32_t)atomic_load(&c->process->faults));
    base_store32(answer + 32, words);
    return device_wire_send(&c->wire, vector, count);
}

/* Marks of all that changed, or nothing. */
static bool send_marks(struct device_connection *c, uint8_t *answer)
{
    uint8_t marks[DEVICE_NEWS_PAGES / 8];
    size_t size = device_physical_mark_news(c->physical, marks);
    /* In this order: what is not marked changed later, and is being written then. */
    bool holds = size > 0 && !device_process_is_running(c->process);
    return send_news(
        c, answer, size == 0 ? 0 : NEWS_MARKED | (holds ? NEWS_HOLD : 0), (uint32_t)size / 4,
        (struct iovec[]){{answer, DEVICE_HEADER_SIZE + 24}, {marks, size}}, size == 0 ? 1 : 2);
}

/* Body: as a read, ignored. In the response it is followed by the state (above), the
 * faults so far, a number of dwords; and by those: the numbers of pages that changed, and
 * then the pages, which count as read when that is said (below). Or marks, bit n of page n,
 * of pages that are read one by one. */
static bool on_read_news(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    struct device_news news[RUN_PAGES];
    uint8_t answer[DEVICE_HEADER_SIZE + 24 + 4 * RUN_PAGES];
    struct iovec vector[1 + RUN_PAGES];
    size_t count;
    base_store32(answer, DEVICE_MESSAGE_READ_RESPONSE);
    base_store32(answer + 4, transaction);
    memcpy(answer + 12, body, 12);
    if (!device_physical_take_news(c->physical, news, RUN_PAGES, &count, device_process_is_running,
                                   c->process))
        return send_marks(c, answer);
    vector[0] = (struct iovec){answer, DEVICE_HEADER_SIZE + 24 + 4 * count};
    for (size_t i = 0; i < count; i++) {
        base_store32(answer + 36 + 4 * i, (uint32_t)(news[i].address >> DEVICE_PAGE_SHIFT));
        vector[1 + i] = (struct iovec){(void *)(uintptr_t)news[i].page, DEVICE_PAGE_SIZE};
    }
    return send_news(c, answer, NEWS_HOLD, (uint32_t)count, vector, (int)(1 + count));
}

/* Body: as a read, of a part of one page. */
static bool on_taken(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    (void)transaction;
    uint64_t address = transfer_address(body);
    uint32_t size = base_load32(body + 8), offset = (uint32_t)address & (DEVICE_PAGE_SIZE - 1);
    const uint8_t *page = device_physical_page(c->physical, address, false);
    if (page == NULL || size > DEVICE_PAGE_SIZE - offset)
        return refuse(c, "news taken that are not of a page", address);
    device_physical_taken(c->physical, address);
    device_space_downloaded(c->process->space, page, offset, size);
    return true;
}

static bool on_gathered(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    (void)transaction;
    (void)body;
    c->wire.gathered = true;
    return true;
}

static bool on_control(struct device_connection *c, uint32_t transaction, const uint8_t *body)
{
    (void)c;
    (void)transaction;
    (void)body;
    return true;
}

static const struct message_row {
    uint32_t type;
    uint32_t size; /* of the fixed body */
    bool (*handle)(struct device_connection *connection, uint32_t transaction, const uint8_t *body);
} messages[] = {
    {DEVICE_MESSAGE_WRITE, 12, on_write},
    {DEVICE_MESSAGE_READ, 12, on_read},
    {DEVICE_MESSAGE_MMIO, 12, on_mmio},
    {DEVICE_MESSAGE_GTT, 16, on_gtt},
    {DEVICE_MESSAGE_CONTROL, 4, on_control},
    {DEVICE_MESSAGE_READ_CHANGED, 20, on_read_changed},
    {DEVICE_MESSAGE_WRITE_ZEROS, 12, on_write_zeros},
    {DEVICE_MESSAGE_WRITE_SAME, 12, on_write_same},
    {DEVICE_MESSAGE_READ_NEWS, 12, on_read_news},
    {DEVICE_MESSAGE_TAKEN, 12, on_taken},
    {DEVICE_MESSAGE_GATHERED, 4, on_gathered},
};

static bool serve_message(struct device_connection *c)
{
    const uint8_t *header = device_wire_need(&c->wire, DEVICE_HEADER_SIZE);
    if (header == NULL) {
        if (device_wire_pending(&c->wire) > 0)
            refuse(c, "stream ends inside a message header, bytes", device_wire_pending(&c->wire));
        return false;
    }
    uint32_t type = base_load32(header), transaction = base_load32(header + 4);
    uint32_t size = base_load32(header + 8);
    for (unsigned i = 0; i < sizeof messages / sizeof *messages; i++) {
        if (messages[i].type != type)
            continue;
        if (messages[i].size != size)
            return refuse(c, "message body of the wrong size", size);
        uint8_t body[20];
        const uint8_t *received = device_wire_need(&c->wire, size);
        if (received == NULL)
            return refuse(c, "stream ends inside a message of type", type);
        memcpy(body, received, size);
        c->wire.more_expected = type == DEVICE_MESSAGE_WRITE ||
                                type == DEVICE_MESSAGE_WRITE_ZEROS ||
                                type == DEVICE_MESSAGE_WRITE_SAME;
        return messages[i].handle(c, transaction, body);
    }
    return refuse(c, "message of a type that is not known", type);
}

enum sonde_status device_connection_create(struct device_process *process, int fd, unsigned number,
                                           struct device_connection **connection,
                                           struct sonde_error *error)
{
    struct device_connection *c = calloc(1, sizeof *c);
    if (c == NULL || !device_wire_init(&c->wire, fd)) {
        free(c);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "no memory for a connection");
    }
    c->process = process;
    c->number = number;
    enum sonde_status status = device_physical_create(process->space, &c->physical, error);
    if (status != SONDE_OK) {
        device_wire_clear(&c->wire);
        free(c);
        return status;
    }
    *connection = c;
    return SONDE_OK;
}

void device_connection_destroy(struct device_connection *connection)
{
    if (connection == NULL)
        return;
    device_physical_destroy(connection->physical);
    device_wire_clear(&connection->wire);
    free(connection);
}

void device_connection_serve(struct device_connection *connection)
{
    while (serve_message(connection))
        ;
}
