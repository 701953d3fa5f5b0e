#include "device/connection.h"

#include <stdio.h>
#include <string.h>

#include "device/log.h"

/* Commands a submission may hold: a chain that loops ends here. */
#define COMMAND_BUDGET (1ull << 22)

void device_streamer_fault(struct device_streamer *streamer, const char *format, ...)
{
    static const char *const kinds[] = {"ring", "batch", "global batch"};
    struct device_connection *connection = streamer->connection;
    struct device_machine *machine = connection->process->machine;
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    device_process_count_fault(connection->process);
    device_log_line(machine->log_fd, "process %d, connection %u, %s 0x%llx: %s",
                    (int)connection->process->pid, connection->number, kinds[streamer->at.kind],
                    (unsigned long long)streamer->at.address, text);
}

bool device_streamer_load(struct device_streamer *streamer, bool global, uint64_t address,
                          void *data, uint32_t size)
{
    struct device_connection *connection = streamer->connection;
    bool done = global ? device_physical_global_read(connection->physical, address, data, size)
                       : device_space_read(connection->process->space, address, data, size);
    if (!done)
        device_streamer_fault(streamer, "load of %u bytes from 0x%llx, which is not mapped", size,
                              (unsigned long long)address);
    return done;
}

static void keep_uploaded(struct device_connection *connection, bool global, uint64_t address)
{
    uint8_t *page = global ? device_physical_global_page(connection->physical, address)
                           : device_space_page(connection->process->space, address);
    if (page != NULL)
        device_space_before_store(connection->process->space, page);
}

bool device_streamer_store(struct device_streamer *streamer, bool global, uint64_t address,
                           const void *data, uint32_t size)
{
    struct device_connection *connection = streamer->connection;
    keep_uploaded(connection, global, address);
    if (size > 0)
        keep_uploaded(connection, global, address + size - 1);
    bool done = global ? device_physical_global_write(connection->physical, address, data, size)
                       : device_space_write(connection->process->space, address, data, size);
    if (!done)
        device_streamer_fault(streamer, "store of %u bytes to 0x%llx, which is not mapped", size,
                              (unsigned long long)address);
    return done;
}

static bool fetch(struct device_streamer *s, uint32_t first, uint32_t count)
{
    struct device_connection *connection = s->connection;
    for (uint32_t i = first; i < first + count; i++) {
        uint64_t address = s->at.address + 4ull * i;
        bool done;
        if (s->at.kind == DEVICE_MEMORY_PPGTT)
            done = device_space_read(connection->process->space, address, &s->words[i], 4);
        else if (s->at.kind == DEVICE_MEMORY_GGTT)
            done = device_physical_global_read(connection->physical, address, &s->words[i], 4);
        else
            done = device_physical_global_read(
                connection->physical, s->ring_base + address % s->ring_size, &s->words[i], 4);
        if (!done)
            return false;
    }
    return true;
}

/* Length of a command by the general rule of its type, for those that are not
 * in the table: MI opcodes below 0x10 are single dwords. */
static uint32_t general_length(uint32_t word)
{
    uint32_t type = word >> 29, opcode = word >> 23 & 0x3f;
    if (type == 0)
        return opcode < 0x10 ? 1 : (word & 0xff) + 2;
    return type == 2 || type == 3 ? (word & 0xff) + 2 : 1;
}

/* Execute the command at s->at and move on. False when the walk is lost. */
static bool step(struct device_streamer *s)
{
    if (!fetch(s, 0, 1)) {
        device_streamer_fault(s, "the command stream runs into memory that is not mapped");
        return false;
    }
    uint32_t word = s->words[0];
    const struct device_command *command = device_command_find(word);
    uint32_t count = command == NULL             ? general_length(word)
                     : command->length_mask == 0 ? 1
                                                 : (word & command->length_mask) + 2;
    if (command == NULL || count < command->minimum) {
        if (!s->skipping)
            device_streamer_fault(s,
                                  "command 0x%08x is %s; the rest of the batch is skipped, only "
                                  "its completion is signalled",
                                  word, command == NULL ? "not known" : "too short");
        s->skipping = true;
        command = NULL;
    }
    s->next = s->at;
    s->next.address += 4ull * count;
    if (command == NULL || command->execute == NULL || (s->skipping && !command->survives))
        return true;
    if (!fetch(s, 1, count - 1)) {
        device_streamer_fault(s, "%s runs into memory that is not mapped", command->name);
        return false;
    }
    device_process_advance(s->connection->process,
                           s->connection->process->machine->configuration->cycles_per_tick);
    if (command->execute(s, s->words, count) != DEVICE_COMMAND_DONE)
        s->skipping = true;
    return true;
}

bool device_streamer_run(struct device_streamer *streamer, uint32_t *head, uint32_t tail)
{
    struct device_streamer *s = streamer;
    s->at = (struct device_position){DEVICE_MEMORY_RING, *head};
    s->depth = 0;
    s->skipping = false;
    s->budget = COMMAND_BUDGET;
    while (s->at.kind != DEVICE_MEMORY_RING || s->at.address != tail) {
        if (s->budget-- == 0) {
            device_streamer_fault(s, "the submission holds more than %llu commands: endless chain",
                                  COMMAND_BUDGET);
            return false;
        }
        if (device_process_cancelled(s->connection->process))
            return false;
        struct device_position before = s->at;
        if (!step(s))
            return false;
        if (s->next.kind == DEVICE_MEMORY_RING) {
            s->skipping = false;
            /* A command must not reach beyond the tail, wrapped or not. */
            uint64_t left = (tail + s->ring_size - before.address) % s->ring_size;
            if (before.kind == DEVICE_MEMORY_RING && s->next.address - before.address > left) {
                device_streamer_fault(s, "ring command 0x%08x reaches beyond the tail 0x%x",
                                      s->words[0], tail);
                return false;
            }
            s->next.address %= s->ring_size;
        }
        s->at = s->next;
    }
    *head = tail;
    return true;
}
