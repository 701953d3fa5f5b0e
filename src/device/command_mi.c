/* Memory interface commands. */
#include "device/connection.h"

#include <string.h>
#include <time.h>

#define USE_GLOBAL (1u << 22)

/* A semaphore that nobody signals must not hold the server for ever. */
#define SEMAPHORE_LIMIT_NS 2000000000ll
#define SEMAPHORE_PERIOD   50000l

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

enum device_command_outcome device_mi_batch_start(struct device_streamer *s, const uint32_t *words,
                                                  uint32_t count)
{
    (void)count;
    struct device_position target = {
        words[0] & (1u << 8) ? DEVICE_MEMORY_PPGTT : DEVICE_MEMORY_GGTT,
        join(words[1] & ~3u, words[2] & 0xffff),
    };
    /* From the ring it is a call, with bit 22 from a first-level batch too,
     * else a jump: batches are chained that way. */
    bool second_level = words[0] & (1u << 22);
    if (s->depth == 0 || (s->depth == 1 && second_level))
        s->returns[s->depth++] = s->next;
    s->next = target;
    return DEVICE_COMMAND_DONE;
}

enum device_command_outcome device_mi_batch_end(struct device_streamer *s, const uint32_t *words,
                                                uint32_t count)
{
    (void)words;
    (void)count;
    if (s->depth > 0)
        s->next = s->returns[--s->depth];
    return DEVICE_COMMAND_DONE;
}

enum device_command_outcome device_mi_load_register_imm(struct device_streamer *s,
                                                        const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 1; i + 1 < count; i += 2)
        device_registers_write(&s->connection->registers, words[i] & 0x7ffffc, words[i + 1]);
    return DEVICE_COMMAND_DONE;
}

enum device_command_outcome device_mi_load_register_mem(struct device_streamer *s,
                                                        const uint32_t *words, uint32_t count)
{
    (void)count;
    uint32_t value;
    if (!device_streamer_load(s, words[0] & USE_GLOBAL, join(words[2] & ~3u, words[3]), &value, 4))
        return DEVICE_COMMAND_FAULT;
    device_registers_write(&s->connection->registers, words[1] & 0x7ffffc, value);
    return DEVICE_COMMAND_DONE;
}

enum device_command_outcome device_mi_load_register_reg(struct device_streamer *s,
                                                        const uint32_t *words, uint32_t count)
{
    (void)count;
    uint32_t value = device_connection_register(s->connection, words[1] & 0x7ffffc);
    device_registers_write(&s->connection->registers, words[2] & 0x7ffffc, value);
    return DEVICE_COMMAND_DONE;
}

enum device_command_outcome device_mi_store_register_mem(struct device_streamer *s,
                                                         const uint32_t *words, uint32_t count)
{
    (void)count;
    uint32_t value = device_connection_register(s->connection, words[1] & 0x7ffffc);
    return device_streamer_store(s, words[0] & USE_GLOBAL, join(words[2] & ~3u, words[3]), &value,
                                 4)
               ? DEVICE_COMMAND_DONE
               : DEVICE_COMMAND_FAULT;
}

enum device_command_outcome device_mi_store_data_imm(struct device_streamer *s,
                                                     const uint32_t *words, uint32_t count)
{
    return device_streamer_store(s, words[0] & USE_GLOBAL, join(words[1] & ~3u, words[2]),
                                 &words[3], 4 * (count - 3))
               ? DEVICE_COMMAND_DONE
               : DEVICE_COMMAND_FAULT;
}

enum device_command_outcome device_mi_copy_mem_mem(struct device_streamer *s, const uint32_t *words,
                                                   uint32_t count)
{
    (void)count;
    uint32_t value;
    if (!device_streamer_load(s, words[0] & (1u << 21), join(words[3] & ~3u, words[4]), &value, 4))
        return DEVICE_COMMAND_FAULT;
    return device_streamer_store(s, words[0] & USE_GLOBAL, join(words[1] & ~3u, words[2]), &value,
                                 4)
               ? DEVICE_COMMAND_DONE
               : DEVICE_COMMAND_FAULT;
}

/* Post-sync operation in bits 15:14: 1 writes the immediate, 3 the timestamp;
 * the address type bit stands in the address dword. */
enum device_command_outcome device_mi_flush_dw(struct device_streamer *s, const uint32_t *words,
                                               uint32_t count)
{
    (void)count;
    uint32_t operation = words[0] >> 14 & 3;
    uint64_t value =
        operation == 3 ? device_process_ticks(s->connection->process) : join(words[3], words[4]);
    uint32_t size = words[0] & (1u << 21) || operation == 3 ? 8 : 4;
    if (operation != 1 && operation != 3)
        return DEVICE_COMMAND_DONE;
    return device_streamer_store(s, words[1] & 4, join(words[1] & ~7u, words[2]), &value, size)
               ? DEVICE_COMMAND_DONE
               : DEVICE_COMMAND_FAULT;
}

/* Result of atomic opcode bits 4:0 on values of `size` bytes; false when the
 * opcode is not defined. */
static bool atomic_result(uint32_t opcode, uint32_t size, uint64_t old, uint64_t a, uint64_t b,
                          uint64_t *result)
{
    int64_t signed_old = size == 4 ? (int32_t)old : (int64_t)old;
    int64_t signed_a = size == 4 ? (int32_t)a : (int64_t)a;
    switch (opcode) {
    case 0x1:
        *result = old & a;
        return true;
    case 0x2:
        *result = old | a;
        return true;
    case 0x3:
        *result = old ^ a;
        return true;
    case 0x4:
        *result = a;
        return true;
    case 0x5:
        *result = old + 1;
        return true;
    case 0x6:
        *result = old - 1;
        return true;
    case 0x7:
        *result = old + a;
        return true;
    case 0x8:
        *result = old - a;
        return true;
    case 0x9:
        *result = a - old;
        return true;
    case 0xa:
        *result = signed_old > signed_a ? old : a;
        return true;
    case 0xb:
        *result = signed_old < signed_a ? old : a;
        return true;
    case 0xc:
        *result = old > a ? old : a;
        return true;
    case 0xd:
        *result = old < a ? old : a;
        return true;
    case 0xe:
        *result = old == a ? b : old;
        return true;
    default:
        return false;
    }
}

/* Bits 20:19 size, 18 inline operands, 16 return of the old value (to the
 * general purpose registers, which nothing here reads), 15:8 opcode whose bit
 * 5 repeats the 64-bit size. */
enum device_command_outcome device_mi_atomic(struct device_streamer *s, const uint32_t *words,
                                             uint32_t count)
{
    uint32_t size = words[0] >> 19 & 3 ? 8 : 4;
    uint64_t address = join(words[1] & ~3u, words[2] & 0xffff);
    uint64_t old = 0, result, a = 0, b = 0;
    if (words[0] & (1u << 18) && count >= 7) {
        a = size == 8 ? join(words[3], words[5]) : words[3];
        b = size == 8 ? join(words[4], words[6]) : words[4];
    } else {
        uint32_t base = s->engine_base + 0x600;
        a = join(device_connection_register(s->connection, base),
                 device_connection_register(s->connection, base + 4));
        b = join(device_connection_register(s->connection, base + 8),
                 device_connection_register(s->connection, base + 12));
        if (size == 4) {
            a = (uint32_t)a;
            b = (uint32_t)b;
        }
    }
    if (!device_streamer_load(s, words[0] & USE_GLOBAL, address, &old, size))
        return DEVICE_COMMAND_FAULT;
    if (!atomic_result(words[0] >> 8 & 0x1f, size, old, a, b, &result)) {
        device_streamer_fault(s, "MI_ATOMIC opcode 0x%x is not known", words[0] >> 8 & 0xff);
        return DEVICE_COMMAND_FAULT;
    }
    return device_streamer_store(s, words[0] & USE_GLOBAL, address, &result, size)
               ? DEVICE_COMMAND_DONE
               : DEVICE_COMMAND_FAULT;
}

static bool semaphore_met(uint32_t comparison, uint32_t memory, uint32_t data)
{
    switch (comparison) {
    case 0:
        return memory > data;
    case 1:
        return memory >= data;
    case 2:
        return memory < data;
    case 3:
        return memory <= data;
    case 4:
        return memory == data;
    case 5:
        return memory != data;
    default:
        return false;
    }
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
}

enum device_command_outcome device_mi_semaphore_wait(struct device_streamer *s,
                                                     const uint32_t *words, uint32_t count)
{
    (void)count;
    struct device_process *process = s->connection->process;
    uint64_t address = join(words[2] & ~3u, words[3]);
    int64_t end = now_ns() + SEMAPHORE_LIMIT_NS;
    for (;;) {
        uint32_t value;
        if (!device_streamer_load(s, words[0] & USE_GLOBAL, address, &value, 4))
            return DEVICE_COMMAND_FAULT;
        if (semaphore_met(words[0] >> 12 & 7, value, words[1]))
            return DEVICE_COMMAND_DONE;
        if (now_ns() > end || device_process_cancelled(process)) {
            device_streamer_fault(s, "semaphore at 0x%llx holds %u and waits for %u: given up",
                                  (unsigned long long)address, value, words[1]);
            return DEVICE_COMMAND_FAULT;
        }
        device_process_pause(process);
        nanosleep(&(struct timespec){0, SEMAPHORE_PERIOD}, NULL);
        device_process_resume(process, s->connection);
    }
}
