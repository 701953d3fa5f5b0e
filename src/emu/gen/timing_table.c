/* The numbers of the time model, each with its source, and what class of work
 * an instruction is. */
#include <stddef.h>
#include <string.h>

#include "emu/gen/timing.h"

#define COMPILER "latency table of the graphics compiler's scheduler"
#define XE_VALUE COMPILER ", its Xe value for all"
#define PAPER    "The Compute Architecture of Intel Processor Graphics Gen9, 2015"
#define CHOSEN   "chosen"

#define ROW(field, name, unit, source, gen9, xe, xehpg)                                            \
    {                                                                                              \
        name, unit, source, (uint32_t)offsetof(struct timing_model, field), gen9, xe, xehpg        \
    }

static const struct timing_row rows[] = {
    ROW(alu_latency, "arithmetic, result to use", "cycles", COMPILER, 14, 10, 10),
    ROW(wide_latency, "arithmetic, more for each doubling beyond SIMD8", "cycles", COMPILER, 0, 1,
        1),
    ROW(accumulator_latency, "arithmetic, accumulator to use", "cycles", COMPILER, 14, 6, 6),
    ROW(flag_latency, "flag or address register to use", "cycles", COMPILER, 14, 16, 16),
    ROW(math_latency, "extended math, result to use", "cycles", COMPILER, 22, 17, 17),
    ROW(long_math_latency, "division and power, result to use", "cycles", COMPILER, 30, 17, 17),
    ROW(wide_math_latency, "extended math, more for each doubling beyond SIMD8", "cycles", COMPILER,
        0, 4, 4),
    ROW(branch_latency, "branch to the thread's next instruction", "cycles",
        "Gen9: as arithmetic; later: " COMPILER, 14, 23, 23),
    ROW(alu_pipes, "arithmetic pipes", "a unit", "Gen9: " PAPER "; XeHPG: float and integer pipe",
        2, 1, 2),
    ROW(pass_cycles, "arithmetic pipe, eight channels of 32 bits", "cycles",
        "Gen9: " PAPER "; later: " COMPILER, 2, 1, 1),
    ROW(math_cycles, "extended math, eight channels", "cycles", COMPILER, 4, 4, 4),
    ROW(math_has_pipe, "extended math has a pipe of its own", "0 or 1",
        "Gen9: " PAPER "; later: " COMPILER, 0, 1, 1),
    ROW(slm_latency, "shared local memory", "cycles", XE_VALUE, 28, 28, 28),
    ROW(l3_latency, "data port, line in L3", "cycles", XE_VALUE, 146, 146, 146),
    ROW(memory_latency, "data port, line in memory", "cycles",
        COMPILER " (its default for data port messages of Gen9)", 400, 400, 400),
    ROW(sampler_latency, "sampler, lines in L3", "cycles", XE_VALUE, 214, 214, 214),
    ROW(gateway_latency, "barrier release", "cycles", XE_VALUE, 30, 30, 30),
    ROW(fence_latency, "fence", "cycles", XE_VALUE, 35, 35, 35),
    ROW(other_latency, "other messages", "cycles", XE_VALUE, 50, 50, 50),
    ROW(payload_latency, "payload registers free again", "cycles", COMPILER, 36, 36, 36),
    ROW(payload_cycles, "send pipe, a payload register", "cycles", CHOSEN, 1, 1, 1),
    ROW(line_bytes, "cache line", "bytes", PAPER, 64, 64, 64),
    ROW(port_bytes, "data port of a sub-slice", "bytes a cycle", PAPER, 64, 64, 64),
    ROW(slm_bytes, "local memory of a sub-slice", "bytes a cycle", PAPER, 64, 64, 64),
    ROW(atomic_cycles, "data port, a channel of an atomic message", "cycles", CHOSEN, 1, 1, 1),
    ROW(memory_bytes, "memory, all sub-slices", "bytes a cycle",
        "two channels of DDR4 (34 and 51 GB/s), GDDR6 (512 GB/s), over the clock, rounded", 32, 32,
        256),
    ROW(l3_kilobytes, "L3 for data", "KiB", "Gen9: " PAPER ", a slice; later: product data", 512,
        3840, 16384),
    ROW(l3_ways, "L3 associativity", "ways", CHOSEN, 16, 16, 16),
    ROW(launch_cycles, "between two thread starts of a sub-slice", "cycles", CHOSEN, 4, 4, 4),
};

const struct timing_row *timing_row_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

void timing_model_fill(enum sonde_gen_platform platform, struct timing_model *model)
{
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        uint32_t value = rows[n].gen9;
        if (platform >= SONDE_GEN_PLATFORM_XEHP)
            value = rows[n].xehpg;
        else if (platform >= SONDE_GEN_PLATFORM_XE)
            value = rows[n].xe;
        memcpy((char *)model + rows[n].offset, &value, sizeof value);
    }
}

/* Doublings of the channels beyond eight. */
static uint32_t doublings(uint32_t channels)
{
    return channels >= 32 ? 2 : channels >= 16 ? 1 : 0;
}

static uint32_t widest(const struct sonde_gen_instruction *i)
{
    uint32_t size = i->dst.file != SONDE_GEN_FILE_NONE
                        ? sonde_gen_type_size((enum sonde_gen_type)i->dst.type)
                        : 0;
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        uint32_t source = sonde_gen_type_size((enum sonde_gen_type)i->src[n].type);
        if (i->src[n].file != SONDE_GEN_FILE_IMMEDIATE && source > size)
            size = source;
    }
    return size;
}

/* Operations that the compiler's scheduler takes to need two passes. */
static bool takes_two_passes(enum sonde_gen_opcode opcode)
{
    switch (opcode) {
    case SONDE_GEN_BFE:
    case SONDE_GEN_BFI1:
    case SONDE_GEN_BFI2:
    case SONDE_GEN_BFREV:
    case SONDE_GEN_CBIT:
    case SONDE_GEN_DP2:
    case SONDE_GEN_DP3:
    case SONDE_GEN_DP4:
    case SONDE_GEN_DPH:
    case SONDE_GEN_FBH:
    case SONDE_GEN_FBL:
    case SONDE_GEN_LRP:
    case SONDE_GEN_MAC:
    case SONDE_GEN_MACH:
        return true;
    default:
        return false;
    }
}

static void arithmetic(const struct timing_model *model, const struct sonde_gen_instruction *i,
                       struct timing_facts *facts)
{
    uint32_t passes = (i->exec_size + 7u) / 8u, size = widest(i);
    if (size == 2 && sonde_gen_type_is_float((enum sonde_gen_type)i->dst.type))
        passes = (i->exec_size + 15u) / 16u;
    else if (size == 8)
        passes = (i->exec_size + 3u) / 4u;
    if (i->platform < SONDE_GEN_PLATFORM_XE && takes_two_passes((enum sonde_gen_opcode)i->opcode))
        passes *= 2;
    facts->pipe = size == 8 ? TIMING_PIPE_LAST_ALU : TIMING_PIPE_ALU;
    facts->cycles = passes * model->pass_cycles;
    facts->latency = model->alu_latency + doublings(i->exec_size) * model->wide_latency;
}

static void extended_math(const struct timing_model *model, const struct sonde_gen_instruction *i,
                          struct timing_facts *facts)
{
    bool is_long = i->math == SONDE_GEN_MATH_FDIV || i->math == SONDE_GEN_MATH_POW;
    uint32_t passes = (i->exec_size + 7u) / 8u;
    facts->pipe = model->math_has_pipe ? TIMING_PIPE_MATH : TIMING_PIPE_LAST_ALU;
    facts->cycles = passes * model->math_cycles;
    if (is_long && i->platform < SONDE_GEN_PLATFORM_XE)
        facts->cycles *= 2;
    facts->latency = (is_long ? model->long_math_latency : model->math_latency) +
                     doublings(i->exec_size) * model->wide_math_latency;
}

static void classify(const struct timing_model *model, const struct sonde_gen_instruction *i,
                     struct timing_facts *facts)
{
    switch (sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode)) {
    case SONDE_GEN_FORMAT_MATH:
        extended_math(model, i, facts);
        break;
    case SONDE_GEN_FORMAT_SEND:
        facts->pipe = TIMING_PIPE_SEND;
        break;
    case SONDE_GEN_FORMAT_BRANCH:
        facts->pipe = TIMING_PIPE_BRANCH;
        facts->cycles = 1;
        facts->latency = model->alu_latency;
        break;
    case SONDE_GEN_FORMAT_NULLARY:
    case SONDE_GEN_FORMAT_WAIT:
    case SONDE_GEN_FORMAT_SYNC:
        facts->pipe = TIMING_PIPE_NONE;
        break;
    case SONDE_GEN_FORMAT_UNARY:
    case SONDE_GEN_FORMAT_BINARY:
    case SONDE_GEN_FORMAT_TERNARY:
    case SONDE_GEN_FORMAT_DPAS:
        arithmetic(model, i, facts);
        break;
    }
}

/* Registers of which some byte is in the set: two a word of the set. */
static void registers_of(const struct sonde_gen_effect *effect, uint64_t out[EMU_GRF_COUNT / 64])
{
    for (unsigned r = 0; r < EMU_GRF_COUNT; r++)
        if ((effect->grf[r / 2] >> (r % 2 * 32) & UINT32_MAX) != 0)
            out[r / 64] |= UINT64_C(1) << r % 64;
}

void timing_facts_fill(const struct timing_model *model,
                       const struct sonde_gen_instruction *instruction, struct timing_facts *facts)
{
    struct sonde_gen_effects effects;
    *facts = (struct timing_facts){.filled = true, .pipe = TIMING_PIPE_NONE};
    sonde_gen_instruction_effects(instruction, &effects);
    facts->unknown_read = effects.reads.grf_unknown;
    facts->unknown_write = effects.writes.grf_unknown;
    facts->reads_accumulator = effects.reads.accumulators != 0 || effects.reads.mme;
    facts->writes_accumulator = effects.writes.accumulators != 0 || effects.writes.mme;
    facts->reads_address = effects.reads.address != 0;
    facts->writes_address = effects.writes.address != 0;
    facts->flags_read = effects.reads.flags;
    facts->flags_written = effects.writes.flags;
    registers_of(&effects.reads, facts->reads);
    registers_of(&effects.writes, facts->writes);
    classify(model, instruction, facts);
}
