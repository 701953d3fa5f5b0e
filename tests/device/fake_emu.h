/* A stand-in for the emulator: it records the dispatch it is given and does
 * what the test asks, so that the server can be tested by itself. */
#ifndef TESTS_DEVICE_FAKE_EMU_H
#define TESTS_DEVICE_FAKE_EMU_H

#include <stdatomic.h>

#include "emu/gen/emu.h"

struct fake_store {
    uint64_t address;
    uint64_t value;
};

struct fake_behaviour {
    bool fault; /* report a fault */
    bool hang;  /* return only when cancelled */
    struct fake_store stores[16];
    unsigned store_count;
    uint64_t instructions;
    struct emu_count counts[8];
    unsigned count_count;
};

/* What the next dispatches do; set while no dispatch runs. */
extern struct fake_behaviour fake_behaviour;
/* The last dispatch, its payload, and how many ran or are running. */
extern struct emu_dispatch fake_dispatch;
extern uint8_t fake_payload[4096];
extern atomic_uint fake_started, fake_finished;

#endif
