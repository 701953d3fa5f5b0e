/* Vectorised loops over channels. lanes.c is compiled once for the baseline of
 * the host architecture and, on x86-64, once more for AVX2-class processors;
 * emu_lanes() picks the table that this host can run. */
#ifndef SONDE_EMU_GEN_LANES_H
#define SONDE_EMU_GEN_LANES_H

#include "emu/gen/semantics.h"

/* Channel counts that have their own copy of each loop. */
enum emu_lane_count { EMU_COUNT_1, EMU_COUNT_8, EMU_COUNT_16, EMU_COUNT_ANY, EMU_COUNT_COUNT };

struct emu_lane_table {
    emu_compute_function *compute[EMU_KERNEL_COUNT][EMU_LANE_TYPE_COUNT][EMU_COUNT_COUNT];
    /* the same of whole operations whose sources need no conversion */
    emu_run_function *run[EMU_KERNEL_COUNT][EMU_LANE_TYPE_COUNT][EMU_COUNT_COUNT];
    /* storage type to lane type */
    emu_load_function
        *load[SONDE_GEN_TYPE_COUNT][EMU_LANE_TYPE_COUNT][EMU_REGION_CLASS_COUNT][EMU_COUNT_COUNT];
    /* lane type to storage type; the second index: 0 contiguous, 1 strided */
    emu_store_function *store[EMU_LANE_TYPE_COUNT][SONDE_GEN_TYPE_COUNT][2][EMU_COUNT_COUNT];
    emu_store_function *saturate[EMU_LANE_TYPE_COUNT][SONDE_GEN_TYPE_COUNT][2][EMU_COUNT_COUNT];
    /* lanes of all ones or all zeros to bits: 0 for 32-bit lanes, 1 for 64-bit */
    emu_collect_function *collect[2];
};

extern const struct emu_lane_table emu_lanes_baseline;
extern const struct emu_lane_table emu_lanes_v3;

const struct emu_lane_table *emu_lanes(enum emu_path path);
/* Whether what is compiled for AVX2-class processors is to be used. */
bool emu_lanes_are_v3(enum emu_path path);

#endif
