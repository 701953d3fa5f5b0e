/* Virtual registers. */
#include "coder/internal.h"

#include "base/array.h"

/* Bytes of each type; 0 stands for what depends on the part. */
static const uint16_t vreg_sizes[] = {
    [SONDE_VREG_BYTE] = 1,      [SONDE_VREG_WORD] = 2,   [SONDE_VREG_DWORD] = 4,
    [SONDE_VREG_QWORD] = 8,     [SONDE_VREG_OWORD] = 16, [SONDE_VREG_HWORD] = 32,
    [SONDE_VREG_DHWORD] = 64,   [SONDE_VREG_PTR] = 0,    [SONDE_VREG_GRF] = 0,
    [SONDE_VREG_MEM_BLOCK] = 0,
};

static uint32_t size_of(const struct sonde_coder *coder, enum sonde_vreg_type type)
{
    switch (type) {
    case SONDE_VREG_PTR: /* a surface offset or an address */
        return coder->options.buffer_model == SONDE_BUFFER_SURFACE ? 4 : 8;
    case SONDE_VREG_GRF:
        return coder->grf_size;
    case SONDE_VREG_MEM_BLOCK:
        return coder->isa->block_limit;
    default:
        return vreg_sizes[type];
    }
}

static sonde_vreg make(struct sonde_coder *coder, enum sonde_vreg_type type, uint32_t flags,
                       enum coder_fill fill)
{
    if ((unsigned)type >= sizeof vreg_sizes / sizeof *vreg_sizes ||
        coder->vreg_count >= UINT32_MAX ||
        base_array_reserve((void **)&coder->vregs, &coder->vreg_capacity, coder->vreg_count + 1,
                           sizeof *coder->vregs) != SONDE_OK)
        return 0;
    uint32_t size = size_of(coder, type);
    bool at_register = (flags & (SONDE_VREG_FLAG_MSG_ADDR | SONDE_VREG_FLAG_MSG_DATA)) != 0;
    uint32_t align = size < coder->grf_size && !at_register ? size : coder->grf_size;
    coder->vregs[coder->vreg_count] = (struct coder_vreg){.size = (uint16_t)size,
                                                          .align = (uint16_t)align,
                                                          .type = (uint8_t)type,
                                                          .flags = (uint8_t)flags,
                                                          .fill = (uint8_t)fill,
                                                          .byte = CODER_NO_BYTE};
    return (sonde_vreg)coder->vreg_count++;
}

sonde_vreg sonde_vreg_make(struct sonde_coder *coder, enum sonde_vreg_type type, uint32_t flags)
{
    uint32_t known = SONDE_VREG_FLAG_COUNTER | SONDE_VREG_FLAG_SCRATCH | SONDE_VREG_FLAG_MSG_ADDR |
                     SONDE_VREG_FLAG_MSG_DATA;
    bool counter = (flags & SONDE_VREG_FLAG_COUNTER) != 0;
    if ((flags & ~known) != 0 || (counter && flags != SONDE_VREG_FLAG_COUNTER))
        return 0;
    return make(coder, type, counter ? flags : flags | SONDE_VREG_FLAG_SCRATCH,
                counter ? CODER_FILL_ZERO : CODER_FILL_SCRATCH);
}

sonde_vreg sonde_vreg_make_scratch(struct sonde_coder *coder, enum sonde_vreg_type type)
{
    return sonde_vreg_make(coder, type, SONDE_VREG_FLAG_SCRATCH);
}

sonde_vreg sonde_vreg_make_counter(struct sonde_coder *coder, enum sonde_vreg_type type)
{
    return sonde_vreg_make(coder, type, SONDE_VREG_FLAG_COUNTER);
}

sonde_vreg sonde_vreg_make_msg_addr_scratch(struct sonde_coder *coder)
{
    return sonde_vreg_make(coder, SONDE_VREG_PTR, SONDE_VREG_FLAG_MSG_ADDR);
}

sonde_vreg sonde_vreg_make_msg_data_scratch(struct sonde_coder *coder, enum sonde_vreg_type type)
{
    return sonde_vreg_make(coder, type, SONDE_VREG_FLAG_MSG_DATA);
}

sonde_vreg coder_vreg_make_lasting(struct sonde_coder *coder, enum sonde_vreg_type type,
                                   enum coder_fill fill)
{
    return make(coder, type, SONDE_VREG_FLAG_NONE, fill);
}

bool coder_vreg_lasts(const struct sonde_coder *coder, sonde_vreg vreg)
{
    return sonde_vreg_exists(coder, vreg) && coder->vregs[vreg].fill != CODER_FILL_SCRATCH;
}

bool sonde_vreg_exists(const struct sonde_coder *coder, sonde_vreg vreg)
{
    return vreg != 0 && vreg < coder->vreg_count;
}

size_t sonde_vreg_count(const struct sonde_coder *coder)
{
    return coder->vreg_count - 1;
}

uint32_t sonde_vreg_size(const struct sonde_coder *coder, sonde_vreg vreg)
{
    return sonde_vreg_exists(coder, vreg) ? coder->vregs[vreg].size : 0;
}

enum sonde_vreg_type sonde_vreg_type_of(const struct sonde_coder *coder, sonde_vreg vreg)
{
    return sonde_vreg_exists(coder, vreg) ? (enum sonde_vreg_type)coder->vregs[vreg].type
                                          : SONDE_VREG_BYTE;
}

uint32_t sonde_vreg_flags(const struct sonde_coder *coder, sonde_vreg vreg)
{
    return sonde_vreg_exists(coder, vreg) ? coder->vregs[vreg].flags : SONDE_VREG_FLAG_NONE;
}

sonde_vreg sonde_vreg_profile_buffer_address(struct sonde_coder *coder)
{
    if (coder->options.buffer_model == SONDE_BUFFER_SURFACE)
        return 0;
    if (coder->buffer_address == 0)
        coder->buffer_address =
            coder_vreg_make_lasting(coder, SONDE_VREG_PTR, CODER_FILL_BUFFER_ADDRESS);
    return coder->buffer_address;
}
