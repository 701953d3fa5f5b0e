/* What differs between the parts that code is generated for. */
#include "coder/internal.h"

#define SCRATCH_HWORDS 4096u /* that the offset of a scratch message reaches, of 32 bytes */

static const struct coder_isa instruction_sets[] = {
    {
        .name = "gen9",
        .platform = SONDE_GEN_PLATFORM_GEN9,
        .has_int64 = true,
        .split_opcode = SONDE_GEN_SENDS,
        .scoreboard = CODER_SCOREBOARD_HARDWARE,
        .scratch_limit = SCRATCH_HWORDS * 32,
        .block_limit = 128,
        .perfmon_dword = 3,
        .ff_tid_mask = 0x1ff,
        .thread_fields = {{0, 3}, {8, 8}}, /* slot; EU 11:8, sub-slice 13:12, slice 15:14 */
        .dss = {12, 4},
    },
    {
        .name = "gen11",
        .platform = SONDE_GEN_PLATFORM_GEN11,
        .split_opcode = SONDE_GEN_SENDS,
        .scoreboard = CODER_SCOREBOARD_HARDWARE,
        .scratch_limit = SCRATCH_HWORDS * 32,
        .block_limit = 128,
        .perfmon_dword = 4,
        .ff_tid_mask = 0x3ff,
        .thread_fields = {{0, 3}, {4, 7}}, /* slot; EU 7:4, sub-slice 10:8 */
        .dss = {8, 3},
    },
    {
        .name = "xe",
        .platform = SONDE_GEN_PLATFORM_XE,
        .split_opcode = SONDE_GEN_SEND,
        .scoreboard = CODER_SCOREBOARD_XE,
        .scratch_limit = SCRATCH_HWORDS * 32,
        .block_limit = 128,
        .perfmon_dword = 4,
        .ff_tid_mask = 0x3ff,
        /* slot; EU 5:4; EU bit 2 at 7, sub-slice 8, dual sub-slice 10:9, slice 13:11 */
        .thread_fields = {{0, 3}, {4, 2}, {7, 7}},
        .dss = {9, 5},
    },
    {
        .name = "xehpg",
        .platform = SONDE_GEN_PLATFORM_XEHPG,
        .split_opcode = SONDE_GEN_SEND,
        .scoreboard = CODER_SCOREBOARD_XEHP,
        /* Scratch memory is a surface there, whose state r0.5 names: no place
         * that the header of a scratch message would tell. */
        .scratch_limit = 0,
        .block_limit = 128,
        .perfmon_dword = 4,
        .ff_tid_mask = 0x3ff,
        .thread_fields = {{0, 3}, {4, 2}, {7, 7}},
        .dss = {9, 5},
    },
};

const struct coder_isa *coder_isa_find(enum sonde_gen_platform platform)
{
    for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++)
        if (platform == instruction_sets[i].platform)
            return &instruction_sets[i];
    return NULL;
}

uint32_t coder_isa_thread_id_bits(const struct coder_isa *isa)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < CODER_THREAD_FIELDS; i++)
        bits += isa->thread_fields[i].width;
    return bits;
}
