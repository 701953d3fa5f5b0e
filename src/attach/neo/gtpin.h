/* The GTPin interface of Intel's OpenCL driver: `GTPin_Init`, a symbol that
 * libigdrcl.so exports up to version 26.22. Field orders are the driver's ABI,
 * measured on 22.43 (interface versions: common 6, OpenCL 0x0102). */
#ifndef SONDE_ATTACH_NEO_GTPIN_H
#define SONDE_ATTACH_NEO_GTPIN_H

#include <stdint.h>

#define GTPIN_COMMON_VERSION 6u
#define GTPIN_OPENCL_VERSION 0x0102u

enum gtpin_status {
    GTPIN_OK = 0,
    GTPIN_INVALID_ARGUMENT = 1,
    GTPIN_NO_INSTANCE = 2,
    GTPIN_ALREADY_CREATED = 3,
    GTPIN_ALLOCATION_FAILED = 4,
};

struct gtpin_version {
    uint16_t specific;
    uint16_t common;
};

struct gtpin_platform {
    uint32_t generation; /* 2 Gen9, 4 Gen11, 5 Gen12.1, 6 XeHP, 7 XeHPG and XeHPC */
    uint32_t device_id;  /* PCI */
};

enum {
    GTPIN_BUFFER_BINDFUL = 0,
    GTPIN_BUFFER_BINDLESS = 1,
    GTPIN_BUFFER_STATELESS = 2,
};

struct gtpin_kernel_in {
    uint32_t kernel_type; /* 5 = compute */
    uint32_t simd;
    const uint8_t *binary; /* instructions */
    uint32_t binary_size;
    uint32_t buffer_type;
    uint32_t buffer_index; /* bindful: binding-table index of the profile buffer */
    uint32_t buffer_size;  /* stateless: size of the argument */
    uint64_t igc_hash;
    const char *name;
    const void *igc_info; /* the compiler's answer to igc_init, NULL when not asked */
    const void *debug_data;
    uint32_t debug_data_size;
};

struct gtpin_kernel_out {
    const uint8_t *binary; /* becomes the kernel's heap: stays alive with the program */
    uint32_t binary_size;
    uint64_t kernel_id; /* handed back at each submission */
};

/* What the compiler is asked, at every build; version 5, packed. */
struct gtpin_igc_init {
    uint32_t version;
    uint8_t rerun_allocation;
    uint8_t report_registers;
    uint8_t map_source_lines;
    uint8_t unused;
    uint32_t scratch_size;
    uint32_t struct_size;
} __attribute__((packed));

typedef void *gtpin_handle;

struct gtpin_events {
    void (*context_create)(gtpin_handle context, struct gtpin_platform *platform,
                           struct gtpin_igc_init **igc_init);
    void (*context_destroy)(gtpin_handle context);
    void (*kernel_create)(gtpin_handle context, const struct gtpin_kernel_in *in,
                          struct gtpin_kernel_out *out);
    void (*kernel_submit)(gtpin_handle command_buffer, uint64_t kernel_id, uint32_t *entry_offset,
                          gtpin_handle *resource);
    void (*command_buffer_create)(gtpin_handle context, gtpin_handle command_buffer);
    void (*command_buffer_complete)(gtpin_handle command_buffer);
};

struct gtpin_services {
    int (*allocate)(gtpin_handle context, uint32_t size, gtpin_handle *resource);
    int (*deallocate)(gtpin_handle context, gtpin_handle resource);
    int (*map)(gtpin_handle context, gtpin_handle resource, uint8_t **address);
    int (*unmap)(gtpin_handle context, gtpin_handle resource);
};

typedef int gtpin_init_function(const struct gtpin_events *events, struct gtpin_services *services,
                                struct gtpin_version *version);

_Static_assert(sizeof(struct gtpin_kernel_in) == 72 && sizeof(struct gtpin_kernel_out) == 24 &&
                   sizeof(struct gtpin_events) == 48 && sizeof(struct gtpin_services) == 32 &&
                   sizeof(struct gtpin_igc_init) == 16,
               "the driver's layout");

#endif
