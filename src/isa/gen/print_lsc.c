/* The load-store cache messages (ugm, slm, tgm) as iga64 describes them, e.g.
 * load.ugm.d32x2.a64.ca.ca. The tables were measured by handing every value of
 * each field to libiga64. */
#include "isa/gen/print.h"

#include "sonde/gen_message.h"

enum operation_kind { LOAD, STORE, ATOMIC, BLOCK2D_LOAD, BLOCK2D_STORE, QUAD_LOAD, QUAD_STORE };

struct operation {
    const char *name;
    const char *description; /* shown when a field of the message is invalid */
    uint8_t kind;
};

enum {
    OPERATION_CCS = 0x1d,
    OPERATION_STATE = 0x1e,
    OPERATION_FENCE = 0x1f,
};

static const struct operation operations[64] = {
    [0x00] = {"load", "gathering load", LOAD},
    [0x01] = {"load_strided", "strided load (a.k.a load_block)", LOAD},
    [0x02] = {"load_quad", "quad load (a.k.a. load_cmask)", QUAD_LOAD},
    [0x03] = {"load_block2d", "block2d load", BLOCK2D_LOAD},
    [0x04] = {"store", "scattering store", STORE},
    [0x05] = {"store_strided", "strided store (a.k.a store_block)", STORE},
    [0x06] = {"store_quad", "quad store (a.k.a. store_cmask)", QUAD_STORE},
    [0x07] = {"store_block2d", "block2d store", BLOCK2D_STORE},
    [0x08] = {"atomic_iinc", "atomic integer increment", ATOMIC},
    [0x09] = {"atomic_idec", "atomic integer decrement", ATOMIC},
    [0x0a] = {"atomic_load", "atomic load", ATOMIC},
    [0x0b] = {"atomic_store", "atomic store", ATOMIC},
    [0x0c] = {"atomic_iadd", "atomic integer add", ATOMIC},
    [0x0d] = {"atomic_isub", "atomic integer subtract", ATOMIC},
    [0x0e] = {"atomic_smin", "atomic signed-integer minimum", ATOMIC},
    [0x0f] = {"atomic_smax", "atomic signed-integer maximum", ATOMIC},
    [0x10] = {"atomic_umin", "atomic unsigned-integer minimum", ATOMIC},
    [0x11] = {"atomic_umax", "atomic unsigned-integer maximum", ATOMIC},
    [0x12] = {"atomic_icas", "atomic integer compare and swap", ATOMIC},
    [0x13] = {"atomic_fadd", "atomic float add", ATOMIC},
    [0x14] = {"atomic_fsub", "atomic float subtract", ATOMIC},
    [0x15] = {"atomic_fmin", "atomic float minimum", ATOMIC},
    [0x16] = {"atomic_fmax", "atomic float maximum", ATOMIC},
    [0x17] = {"atomic_fcas", "atomic float compare and swap", ATOMIC},
    [0x18] = {"atomic_and", "atomic logical and", ATOMIC},
    [0x19] = {"atomic_or", "atomic logical or", ATOMIC},
    [0x1a] = {"atomic_xor", "atomic logical xor", ATOMIC},
    [0x1b] = {"load_status", "load status", LOAD},
    [0x1c] = {"store_uncompressed", "scattering store uncompressed", STORE},
    [0x20] = {"store_uncompressed_quad", "store quad uncompressed", QUAD_STORE},
};

static const char *const data_size[8] = {"d8",    "d16",    "d32",     "d64",
                                         "d8u32", "d16u32", "d16u32h", "0x7"};

static const char *const load_caching[8] = {"",       ".uc.uc", ".uc.ca", ".ca.uc",
                                            ".ca.ca", ".st.uc", ".st.ca", ".ri.ca"};
static const char *const store_caching[8] = {"",       ".uc.uc", ".uc.wb", ".wt.uc",
                                             ".wt.wb", ".st.uc", ".st.wb", ".wb.wb"};

static unsigned field(uint32_t descriptor, unsigned high, unsigned low)
{
    return descriptor >> low & ((1u << (high - low + 1)) - 1);
}

static void print_fence(struct print_text *out, const char *function, uint32_t descriptor)
{
    static const char *const scope[8] = {"group", "local",  "tile",   "gpu",
                                         "gpus",  "sysrel", "sysacq", NULL};
    static const char *const flush[8] = {"none",  "evict",   "invalidate", "discard",
                                         "clean", "flushl3", NULL,         NULL};
    const char *to = scope[field(descriptor, 11, 9)], *how = flush[field(descriptor, 14, 12)];
    if (to != NULL && how != NULL)
        print_counted(out, "fence.%s.%s.%s", function, how, to);
    else
        print_counted(out, "fence");
}

static void print_elements(struct print_text *out, const struct operation *operation,
                           uint32_t descriptor)
{
    static const uint8_t lengths[8] = {1, 2, 3, 4, 8, 16, 32, 64};
    if (operation->kind == QUAD_LOAD || operation->kind == QUAD_STORE) {
        print_counted(out, ".");
        for (unsigned channel = 0; channel < 4; channel++) {
            if (descriptor >> (12 + channel) & 1)
                print_counted(out, "%c", "xyzw"[channel]);
        }
        return;
    }
    bool block = operation->kind == BLOCK2D_LOAD || operation->kind == BLOCK2D_STORE;
    bool transposed = field(descriptor, 15, 15) != 0;
    unsigned length = lengths[field(descriptor, 14, 12)];
    if (length > 1 || (transposed && !block))
        print_counted(out, "x%u", length);
    print_counted(out, "%s", transposed ? "t" : "");
    if (operation->kind == BLOCK2D_LOAD && field(descriptor, 7, 7))
        print_counted(out, "v");
}

static void print_surface(struct print_text *out, const struct sonde_gen_send *send)
{
    static const char *const names[4] = {"", "bss", "ss", "bti"};
    enum { FLAT, BINDING_TABLE = 3 };
    unsigned type = field(send->descriptor, 30, 29);
    if (type == FLAT)
        return;
    print_counted(out, ".%s[", names[type]);
    if (send->ex_descriptor_is_register)
        print_counted(out, "a0.%u", send->ex_descriptor_subreg / 2u);
    else if (type == BINDING_TABLE)
        print_counted(out, "%u", field(send->ex_descriptor, 31, 24));
    else
        print_counted(out, "0x%X", (unsigned)send->ex_descriptor);
    print_counted(out, "]");
}

void print_cache_message(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    static const char *const address_size[4] = {NULL, "a16", "a32", "a64"};
    const struct sonde_gen_send *send = &instruction->send;
    const char *function = print_shared_function(instruction);
    uint32_t descriptor = send->descriptor;
    unsigned code = field(descriptor, 5, 0);
    const struct operation *operation = &operations[code];
    if (code == OPERATION_FENCE) {
        print_fence(out, function, descriptor);
        return;
    }
    if (code == OPERATION_STATE || operation->name == NULL) {
        print_counted(out, "%s", code == OPERATION_STATE ? "read state information; u" : "?");
        return;
    }
    bool block = operation->kind == BLOCK2D_LOAD || operation->kind == BLOCK2D_STORE;
    bool quad = operation->kind == QUAD_LOAD || operation->kind == QUAD_STORE;
    const char *address = block ? "a64" : address_size[field(descriptor, 8, 7)];
    if (address == NULL || (quad && field(descriptor, 15, 12) == 0)) {
        print_counted(out, "%s", operation->description);
        return;
    }
    print_counted(out, "%s.%s.%s", operation->name, function, data_size[field(descriptor, 11, 9)]);
    print_elements(out, operation, descriptor);
    print_counted(out, ".%s", address);
    bool is_load =
        operation->kind == LOAD || operation->kind == BLOCK2D_LOAD || operation->kind == QUAD_LOAD;
    if (send->sfid != SONDE_GEN_SFID_SLM)
        print_counted(out, "%s",
                      (is_load ? load_caching : store_caching)[field(descriptor, 19, 17)]);
    print_surface(out, send);
}
