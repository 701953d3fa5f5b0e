/* A worker that is not an execution core: paged memory whose host pages are
 * never neighbours, one register file, and counters to check. */
#ifndef TEST_MESSAGE_FIXTURE_H
#define TEST_MESSAGE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emu/gen/internal.h"

#define FIXTURE_PAGES 4096u
/* Addresses the fixture maps its state at. */
#define FIXTURE_BINDING_TABLE UINT64_C(0x800100000000)
#define FIXTURE_SURFACES      UINT64_C(0x800100001000)
#define FIXTURE_SAMPLERS      UINT64_C(0x800100002000)
#define FIXTURE_DYNAMIC       UINT64_C(0x800100002000)
#define FIXTURE_GENERAL       UINT64_C(0x100000000)

struct fixture_page {
    uint64_t number;
    uint8_t *host;
    bool written;
};

struct fixture_memory {
    struct fixture_page pages[FIXTURE_PAGES];
    unsigned count;
};

struct emu_worker {
    struct emu_tlb_entry tlb[EMU_TLB_SIZE];
    struct emu_surface surfaces[256];
    struct emu_memory memory;
    struct fixture_memory *pages;
    struct emu_dispatch dispatch;
    struct emu_message_context context;
    struct sonde_gen_message message;
    uint32_t outside;
    char fault[512];
    uint8_t slm[EMU_SLM_MAX] __attribute__((aligned(64)));
    uint8_t grf[EMU_GRF_COUNT * EMU_GRF_SIZE + EMU_GRF_SLACK] __attribute__((aligned(64)));
};

/* A worker over new memory, or over that of another worker. */
struct emu_worker *fixture_create(struct fixture_memory *shared);
void fixture_destroy(struct emu_worker *worker, bool with_memory);
/* Map `size` bytes from `address` on, filled with a pattern of the address. */
void fixture_map(struct emu_worker *worker, uint64_t address, size_t size);
/* The byte that fixture_map left there. */
uint8_t fixture_pattern(uint64_t address);
/* Host side of memory, for expectations: mapped bytes only. */
void fixture_get(struct emu_worker *worker, uint64_t address, void *data, size_t size);
void fixture_put(struct emu_worker *worker, uint64_t address, const void *data, size_t size);
bool fixture_written(struct emu_worker *worker, uint64_t address);

/* Put a RAW buffer surface into binding-table entry `bti`. */
void fixture_buffer(struct emu_worker *worker, unsigned bti, uint64_t base, uint64_t size);
/* Put any surface state there. */
void fixture_surface(struct emu_worker *worker, unsigned bti, const uint32_t state[16]);

struct fixture_image {
    unsigned type, format, tile, width, height, depth, pitch, qpitch;
    bool array;
    uint64_t base;
    uint8_t select[4]; /* shader channels; all zero: red, green, blue, alpha */
};
void fixture_image(struct emu_worker *worker, unsigned bti, const struct fixture_image *image);

/* Registers: r10.. as payload, r40.. as second payload, r60.. as response. */
enum { FIXTURE_SRC0 = 10, FIXTURE_SRC1 = 40, FIXTURE_DST = 60 };
void fixture_fill_registers(struct emu_worker *worker);
uint8_t *fixture_grf(struct emu_worker *worker, unsigned number);
/* Run worker->message; `split`: the data of a write are in src1. */
enum emu_message_outcome fixture_run(struct emu_worker *worker, uint32_t enabled, bool split);
/* The same with the response in another register. */
enum emu_message_outcome fixture_run_to(struct emu_worker *worker, uint32_t enabled, bool split,
                                        uint32_t dst);
uint32_t fixture_random(void);

#endif
