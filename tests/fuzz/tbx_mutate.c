/* Mutations of a TBX stream by its messages: most of its bytes are pages of
 * memory, and random ones would hardly ever change what the server does. Also
 * what libFuzzer calls instead of its own mutations. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { HEADER = 12, WRITE = 4, MESSAGES = 8192 };

struct message {
    size_t begin, body, end; /* end: after the data of a write */
};

static struct message messages[MESSAGES];
static uint64_t state;

static uint32_t pick(uint32_t bound)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

static uint32_t load(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void store(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static uint32_t parse(const uint8_t *data, size_t size)
{
    uint32_t count = 0;
    for (size_t at = 0; at + HEADER <= size && count < MESSAGES;) {
        size_t end = at + HEADER + (size_t)load(data + at + 8);
        if (end > size || end < at)
            break;
        struct message message = {at, at + HEADER, end};
        if (load(data + at) == WRITE && end - at == HEADER + 12)
            message.end += load(data + at + HEADER + 8);
        if (message.end > size)
            break;
        messages[count++] = message;
        at = message.end;
    }
    return count;
}

static bool holds_something(const uint8_t *data, const struct message *message)
{
    size_t length = message->end - message->body;
    if (length < 4096)
        return length != HEADER + 8; /* not an entry of a table */
    for (size_t i = HEADER; i < length; i++)
        if (data[message->body + i] != 0)
            return true;
    return false;
}

/* Registers, rings, batches, states and code more often than tables and zeros. */
static const struct message *choose(const uint8_t *data, uint32_t count)
{
    const struct message *message = &messages[pick(count)];
    if (pick(4) == 0)
        return message;
    for (unsigned n = 0; n < 200 && !holds_something(data, message); n++)
        message = &messages[pick(count)];
    return message;
}

/* A number that somebody might not expect, or one from elsewhere in the stream:
 * addresses become those of tables, rings and batches. */
static uint32_t awkward(const uint8_t *data, uint32_t count)
{
    static const uint32_t values[] = {0,          1,          7,          0xffffffff, 0x80000000,
                                      0x20000000, 0x40000003, 0x00001003, 0x18800101, 0x05000000,
                                      0x7fffffff, 0x00ffffff, 0x10000003, 0x02000010, 0x31000000};
    if (pick(2))
        return values[pick(sizeof values / sizeof *values)];
    const struct message *from = choose(data, count);
    size_t words = (from->end - from->begin) / 4;
    return words ? load(data + from->begin + 4 * (size_t)pick((uint32_t)words)) : 0;
}

/* A dword of the data, near the start of a page more often than not. */
static void change_word(uint8_t *data, uint32_t count)
{
    const struct message *message = choose(data, count);
    size_t words = (message->end - message->body) / 4;
    if (words == 0)
        return;
    uint8_t *at = data + message->body + 4 * (size_t)pick((uint32_t)words);
    for (unsigned n = 0; n < 100 && load(at) == 0 && pick(10) != 0; n++)
        at = data + message->body + 4 * (size_t)pick((uint32_t)words);
    store(at, pick(3) ? awkward(data, count) : load(at) ^ 1u << pick(32));
}

static size_t remove_message(uint8_t *data, size_t size, uint32_t count)
{
    const struct message *message = choose(data, count);
    memmove(data + message->begin, data + message->end, size - message->end);
    return size - (message->end - message->begin);
}

static size_t repeat_message(uint8_t *data, size_t size, size_t most, uint32_t count)
{
    const struct message from = *choose(data, count), to = *choose(data, count);
    size_t length = from.end - from.begin;
    uint8_t copy[8192];
    if (length > sizeof copy || size + length > most)
        return size;
    memcpy(copy, data + from.begin, length);
    memmove(data + to.end + length, data + to.end, size - to.end);
    memcpy(data + to.end, copy, length);
    return size + length;
}

static void swap_data(uint8_t *data, uint32_t count)
{
    const struct message *a = choose(data, count), *b = choose(data, count);
    size_t length = a->end - a->body;
    if (length == b->end - b->body && a != b) {
        uint8_t copy[8192];
        if (length > sizeof copy)
            return;
        memcpy(copy, data + a->body, length);
        memcpy(data + a->body, data + b->body, length);
        memcpy(data + b->body, copy, length);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
    for (uint32_t n = 1 + pick(8); n > 0; n--) {
        uint32_t count = parse(data, size);
        if (count == 0)
            return size;
        switch (pick(40)) {
        case 0:
            size = remove_message(data, size, count);
            break;
        case 1:
            size = repeat_message(data, size, most, count);
            break;
        case 2:
            swap_data(data, count);
            break;
        case 3: /* cut inside of a message */
            if (pick(8) == 0)
                size = messages[pick(count)].begin + pick(HEADER + 16);
            break;
        case 4: /* of a header */
            store(data + messages[pick(count)].begin + 4 * (size_t)pick(3), awkward(data, count));
            break;
        default:
            change_word(data, count);
            break;
        }
    }
    return size;
}
