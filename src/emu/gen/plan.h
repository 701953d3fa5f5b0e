/* The fast path in two halves: the planner (plan_rules.c, plan.c) chooses, for
 * one instruction, how to bring its sources into contiguous lanes, which
 * vectorised kernel to run and how to store the result; fast.c runs that. */
#ifndef SONDE_EMU_GEN_PLAN_H
#define SONDE_EMU_GEN_PLAN_H

#include "emu/gen/lanes.h"

#define EMU_LANE_BUFFER 256u /* bytes of lanes of one operand */

/* What translation knows while it looks for a fast form. */
struct emu_plan {
    struct emu_arena *arena;
    const struct emu_lane_table *table;
    struct emu_operation *operation;
    const struct emu_details *details;
    const struct emu_semantics *row;
    unsigned sources;
    enum emu_domain domain;
    enum emu_lane_type lane;
    enum emu_kernel kernel;
    enum emu_lane_count count;
    uint8_t load_type[EMU_OPERAND_MAX]; /* storage type that the loader reads */
};

static inline const struct sonde_gen_operand *emu_plan_operand(const struct emu_plan *plan,
                                                               unsigned index)
{
    return &plan->details->instruction.src[index];
}

static inline uint8_t emu_plan_type(const struct emu_plan *plan, unsigned index)
{
    return emu_plan_operand(plan, index)->type;
}

static inline bool emu_type_is_unsigned(uint8_t type)
{
    return !sonde_gen_type_is_signed(type) && !sonde_gen_type_is_float(type) &&
           type != SONDE_GEN_TYPE_V;
}

/* plan_rules.c: the kernel of the row, made precise by condition and math
 * function; EMU_KERNEL_NONE when there is none. */
enum emu_kernel emu_plan_kernel(const struct emu_plan *plan);
enum emu_kernel emu_plan_condition_kernel(uint8_t condition);
/* Choose the lane type, and adjust kernel and loads to it; false when the
 * instruction does not fit the kernel. */
bool emu_plan_lanes(struct emu_plan *plan);
bool emu_plan_is_logic(const struct emu_plan *plan);
/* All integer types have the destination's sign and no source is wider. */
bool emu_plan_types_agree(const struct emu_plan *plan);

/* fast.c: how a planned operation runs, by its form. */
emu_run_function emu_fast_run_indirect, emu_fast_run_accumulator;
emu_run_function emu_fast_run_write_masked, emu_fast_run_wide, emu_fast_run_csel;

#endif
