/* The command table: one row a command. */
#include "device/streamer.h"

#include <stddef.h>

/* Memory interface commands: opcode in bits 28:23 of the first dword. */
#define MI(opcode, name, length, minimum, survives, execute)                                       \
    {                                                                                              \
        0xff800000u, (uint32_t)(opcode) << 23, name, length, minimum, survives, execute            \
    }
/* Pipeline commands: pipeline, opcode and sub-opcode in the upper half. */
#define GFX(upper, name, length, minimum, survives, execute)                                       \
    {                                                                                              \
        0xffff0000u, (uint32_t)(upper) << 16, name, length, minimum, survives, execute             \
    }

static const struct device_command commands[] = {
    MI(0x00, "MI_NOOP", 0, 1, true, NULL),
    MI(0x02, "MI_USER_INTERRUPT", 0, 1, true, NULL),
    MI(0x03, "MI_WAIT_FOR_EVENT", 0, 1, true, NULL),
    MI(0x05, "MI_ARB_CHECK", 0, 1, true, NULL),
    MI(0x07, "MI_REPORT_HEAD", 0, 1, true, NULL),
    MI(0x08, "MI_ARB_ON_OFF", 0, 1, true, NULL),
    MI(0x0a, "MI_BATCH_BUFFER_END", 0, 1, true, device_mi_batch_end),
    MI(0x1a, "MI_MATH", 0xff, 2, true, device_mi_math),
    MI(0x1c, "MI_SEMAPHORE_WAIT", 0xff, 4, false, device_mi_semaphore_wait),
    MI(0x20, "MI_STORE_DATA_IMM", 0x3ff, 4, true, device_mi_store_data_imm),
    MI(0x22, "MI_LOAD_REGISTER_IMM", 0xff, 3, true, device_mi_load_register_imm),
    MI(0x24, "MI_STORE_REGISTER_MEM", 0xff, 4, true, device_mi_store_register_mem),
    MI(0x26, "MI_FLUSH_DW", 0x3f, 5, true, device_mi_flush_dw),
    MI(0x29, "MI_LOAD_REGISTER_MEM", 0xff, 4, true, device_mi_load_register_mem),
    MI(0x2a, "MI_LOAD_REGISTER_REG", 0xff, 3, true, device_mi_load_register_reg),
    MI(0x2e, "MI_COPY_MEM_MEM", 0xff, 5, false, device_mi_copy_mem_mem),
    MI(0x2f, "MI_ATOMIC", 0xff, 3, true, device_mi_atomic),
    MI(0x31, "MI_BATCH_BUFFER_START", 0xff, 3, true, device_mi_batch_start),
    GFX(0x6003, "STATE_PREFETCH", 0xff, 2, false, NULL),
    GFX(0x6101, "STATE_BASE_ADDRESS", 0xff, 16, false, device_gfx_state_base_address),
    GFX(0x6102, "STATE_SIP", 0xff, 3, false, NULL),
    GFX(0x6104, "GPGPU_CSR_BASE_ADDRESS", 0xff, 3, false, NULL),
    GFX(0x6105, "STATE_COMPUTE_MODE", 0xff, 2, false, device_gfx_compute_mode),
    GFX(0x6109, "STATE_SYSTEM_MEM_FENCE_ADDRESS", 0xff, 3, false, NULL),
    GFX(0x6904, "PIPELINE_SELECT", 0, 1, false, NULL),
    GFX(0x7000, "MEDIA_VFE_STATE", 0xff, 9, false, device_gfx_vfe_state),
    GFX(0x7002, "MEDIA_INTERFACE_DESCRIPTOR_LOAD", 0xff, 4, false, device_gfx_descriptor_load),
    GFX(0x7004, "MEDIA_STATE_FLUSH", 0xff, 2, false, NULL),
    GFX(0x7105, "GPGPU_WALKER", 0xff, 15, false, device_gfx_gpgpu_walker),
    GFX(0x7200, "CFE_STATE", 0xff, 6, false, device_gfx_cfe_state),
    GFX(0x7208, "COMPUTE_WALKER", 0xff, 39, false, device_gfx_compute_walker),
    GFX(0x7919, "3DSTATE_BINDING_TABLE_POOL_ALLOC", 0xff, 4, false, device_gfx_binding_table_pool),
    GFX(0x7a00, "PIPE_CONTROL", 0xff, 6, true, device_gfx_pipe_control),
    /* State of the 3D pipeline has no effect on compute. */
    {0xff000000u, 0x78000000u, "3DSTATE (pipelined)", 0xff, 2, false, NULL},
    {0xff000000u, 0x79000000u, "3DSTATE (non-pipelined)", 0xff, 2, false, NULL},
};

const struct device_command *device_command_find(uint32_t word)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if ((word & commands[i].mask) == commands[i].match)
            return &commands[i];
    return NULL;
}
