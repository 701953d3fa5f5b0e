/* Private to the kernel model. */
#ifndef SONDE_KERNEL_INTERNAL_H
#define SONDE_KERNEL_INTERNAL_H

#include "sonde/kernel.h"

struct kernel_liveness;
struct kernel_headers;

struct sonde_kernel {
    struct sonde_kernel_info info; /* points into the copies below */
    char *name;
    uint8_t *isa;
    struct sonde_register_range *free_ranges;
    uint64_t hash;
    uint32_t grf_size;  /* bytes of one register */
    uint32_t grf_words; /* 64-bit words of a bit set of register-file bytes */

    struct sonde_gen_instruction *instructions;
    size_t instruction_count;
    uint32_t *jip_target; /* instruction indices */
    uint32_t *uip_target;
    uint32_t *block_of;

    struct sonde_block *blocks;
    size_t block_count;
    struct sonde_edge *edges; /* sorted by source */
    size_t edge_count;
    uint32_t *predecessors;      /* source blocks, grouped by destination */
    uint32_t *first_predecessor; /* block_count + 1 entries */

    bool refused;
    char refusal[400];

    struct kernel_liveness *liveness; /* built on first use */
    struct kernel_headers *headers;   /* built on first use */
};

/* blocks.c: targets, blocks, edges, reachability. */
enum sonde_status kernel_build_blocks(struct sonde_kernel *kernel, struct sonde_error *error);
/* prolog.c: bytes from the start to where the driver may enter instead, 0 none. */
uint32_t kernel_find_second_entry(const struct sonde_kernel *kernel);
/* refusal.c: fills `refused` and `refusal`. */
void kernel_find_refusal(struct sonde_kernel *kernel);
void kernel_liveness_free(struct kernel_liveness *liveness);
void kernel_headers_free(struct kernel_headers *headers);

/* True when the thread never continues with the next instruction. */
bool kernel_ends_flow(const struct sonde_gen_instruction *instruction);

#endif
