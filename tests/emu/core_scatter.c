/* Messages with one address a channel: what runs without the message units
 * leaves the same registers and memory as they do, or the same fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"
#include "emu/gen/core.h"

#define ROUNDS  2000
#define ADDRESS 10u /* register */

struct machines {
    struct core_machine *general, *baseline, *best;
};

/* Sends of Gen9: unit, descriptor for BTI 255 (stateless), bytes of an address. */
static const struct message {
    const char *name, *unit;
    uint32_t descriptor;
    unsigned channels, address_size;
    bool write;
} messages[] = {
    {"untyped read of a dword, SIMD8", "0xC", 0x02106EFF, 8, 4, false},
    {"untyped read of a dword, SIMD16", "0xC", 0x04205EFF, 16, 4, false},
    {"untyped read of two", "0xC", 0x04405CFF, 16, 4, false},
    {"untyped read of three", "0xC", 0x046058FF, 16, 4, false},
    {"untyped read of four", "0xC", 0x048050FF, 16, 4, false},
    {"untyped write of a dword, SIMD8", "0xC", 0x04026EFF, 8, 4, true},
    {"untyped write of a dword, SIMD16", "0xC", 0x08025EFF, 16, 4, true},
    {"untyped write of two", "0xC", 0x0C025CFF, 16, 4, true},
    {"scattered read of bytes", "0xA", 0x042101FF, 16, 4, false},
    {"scattered read of words", "0xA", 0x042105FF, 16, 4, false},
    {"scattered read of dwords", "0xA", 0x042109FF, 16, 4, false},
    {"scattered write of bytes", "0xA", 0x080301FF, 16, 4, true},
    {"scattered write of words", "0xA", 0x080305FF, 16, 4, true},
    {"scattered write of dwords", "0xA", 0x080309FF, 16, 4, true},
    {"untyped read at 64-bit addresses", "0xC", 0x08245EFF, 16, 8, false},
};

static uint32_t pick(uint32_t count)
{
    return (uint32_t)(core_random() >> 33) % count;
}

/* Offsets into the data: one behind the other, the same, far apart, anywhere,
 * and now and then outside. */
static void choose_offsets(uint32_t *offsets, unsigned channels, bool local)
{
    uint32_t room = local ? 4096 : CORE_DATA_BYTES, size = 1u << pick(3);
    uint32_t first = pick(room / 4) * 4, kind = pick(6), step = kind == 0 ? 4 : pick(200) * size;
    if (pick(4) == 0)
        first = (first & ~4095u) + 4096 - 4 * pick(channels + 1);
    for (unsigned i = 0; i < channels; i++)
        offsets[i] = kind == 1 ? first : kind == 2 ? pick(room) / size * size : first + i * step;
    if (!local && pick(8) != 0)
        for (unsigned i = 0; i < channels; i++)
            offsets[i] %= CORE_DATA_BYTES - 64;
}

static void load_machine(struct core_machine *machine, const struct core_machine *pattern,
                         const char *text)
{
    memcpy(machine->payload, pattern->payload, CORE_GRF_BYTES);
    memcpy(machine->data, pattern->data, CORE_DATA_BYTES);
    core_assemble(machine, text);
    core_run(machine);
}

static void compare(const struct core_machine *general, const struct core_machine *fast,
                    const char *name)
{
    assert_string_equal(general->result.fault.reason, fast->result.fault.reason);
    assert_int_equal(general->result.out_of_bounds, fast->result.out_of_bounds);
    if (memcmp(general->result.fault.grf, fast->result.fault.grf, CORE_GRF_BYTES))
        fail_msg("%s: registers differ", name);
    if (memcmp(general->data, fast->data, CORE_DATA_BYTES))
        fail_msg("%s: memory differs", name);
}

static void random_messages(void **state)
{
    struct machines *machines = *state;
    static uint8_t before[CORE_DATA_BYTES];
    unsigned ended = 0;
    if (!machines->general)
        skip();
    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct message *message = &messages[pick(sizeof messages / sizeof *messages)];
        bool local = message->address_size == 4 && pick(3) == 0;
        struct core_machine *general = machines->general;
        uint32_t offsets[16], descriptor = local ? message->descriptor & ~1u : message->descriptor;
        uint32_t mask = pick(2) ? UINT32_MAX : (uint32_t)core_random();
        char text[800];
        for (size_t i = 0; i < CORE_GRF_BYTES; i += 8)
            *(uint64_t *)(void *)(general->payload + i) = core_random();
        for (size_t i = 0; i < CORE_DATA_BYTES; i += 8)
            *(uint64_t *)(void *)(before + i) = core_random();
        memcpy(general->data, before, sizeof before);
        choose_offsets(offsets, message->channels, local);
        for (unsigned i = 0; i < message->channels; i++)
            if (message->address_size == 8)
                ((uint64_t *)core_payload(general, ADDRESS))[i] = CORE_DATA_BASE + offsets[i];
            else
                ((uint32_t *)core_payload(general, ADDRESS))[i] = offsets[i];
        /* The data of a write stand behind its addresses. Local memory: filled
         * first, read back last. */
        unsigned width = message->channels;
        snprintf(text, sizeof text,
                 "%s(W) mov (1|M0) f0.0<1>:ud 0x%x:ud\n"
                 "(W&f0.0) send (%u|M0) %s r%u %s 0x%08X\n%sillegal\n",
                 local ? "(W) send (16|M0) null r10 0xC 0x08025EFE\n" : "", mask, width,
                 message->write ? "null"
                 : pick(4)      ? "r40"
                                : "r10",
                 ADDRESS, message->unit, descriptor,
                 local ? "(W) send (16|M0) r60 r10 0xC 0x04205EFE\n" : "");
        struct core_machine *fast[] = {machines->baseline, machines->best};
        for (unsigned i = 0; i < 2; i++) {
            memcpy(general->data, before, sizeof before);
            load_machine(fast[i], general, text);
        }
        load_machine(general, general, text);
        compare(general, machines->baseline, message->name);
        compare(general, machines->best, message->name);
        ended += strstr(general->result.fault.reason, "illegal instruction") != NULL;
    }
    assert_true(ended > ROUNDS / 2 && ended < ROUNDS);
}

static struct core_machine *make_machine(enum emu_path path)
{
    static const struct emu_options options = {.host_threads = 1, .max_instructions = 100000};
    struct core_machine *machine = core_machine_create(&options);
    if (machine == NULL)
        return NULL;
    machine->dispatch.general_base = CORE_DATA_BASE;
    machine->dispatch.slm_size = 4096;
    emu_choose_path(machine->emu, path);
    return machine;
}

static int setup(void **state)
{
    static struct machines machines;
    *state = &machines;
    machines.general = make_machine(EMU_PATH_GENERAL);
    if (!machines.general)
        return 0;
    machines.baseline = make_machine(EMU_PATH_BASELINE);
    machines.best = make_machine(EMU_PATH_BEST);
    return 0;
}

static int teardown(void **state)
{
    struct machines *machines = *state;
    core_machine_destroy(machines->general);
    core_machine_destroy(machines->baseline);
    core_machine_destroy(machines->best);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_messages)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
