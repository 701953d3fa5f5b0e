/* Which blocks and instructions of a kernel a probe stands at. */
#ifndef SONDE_TOOLS_SCHEMA_POINTS_H
#define SONDE_TOOLS_SCHEMA_POINTS_H

#include "sonde/kernel.h"
#include "tools/host.h"

/* A kernel, looked at once for all probes. */
struct schema_kernel {
    const struct sonde_kernel *kernel;
    struct tools_lines lines;
    uint32_t first;   /* instruction of the program's own */
    uint32_t *blocks; /* 1 << enum schema_block, by block */
};

enum sonde_status schema_kernel_open(const struct sonde_kernel *kernel,
                                     struct schema_kernel *opened, struct sonde_error *error);
void schema_kernel_close(struct schema_kernel *opened);

bool schema_selects_kernel(const struct schema_probe *probe, const struct sonde_kernel *kernel);
/* Whether the block is one of those that `block` names, any without that key. */
bool schema_selects_block(const struct schema_probe *probe, const struct schema_kernel *kernel,
                          uint32_t block);
/* Whether instruction `index`, of the program's own, has what the other keys
 * say, in a block that is selected. */
bool schema_selects_instruction(const struct schema_probe *probe,
                                const struct schema_kernel *kernel, uint32_t index);

#endif
