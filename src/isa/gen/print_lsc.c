/* The load-store cache messages (ugm, slm, tgm) as iga64 describes them, e.g.
 * load.ugm.d32x2.a64.ca.ca. The tables were measured by handing every value of
 * each field to libiga64. */
#include "isa/gen/descriptor.h"
#include "isa/gen/print.h"

#include "isa/gen/message_cache.h"

static const char *const data_size[8] = {"d8",    "d16",    "d32",     "d64",
                                         "d8u32", "d16u32", "d16u32h", "0x7"};

static const char *const load_caching[8] = {"",       ".uc.uc", ".uc.ca", ".ca.uc",
                                            ".ca.ca", ".st.uc", ".st.ca", ".ri.ca"};
static const char *const store_caching[8] = {"",       ".uc.uc", ".uc.wb", ".wt.uc",
                                             ".wt.wb", ".st.uc", ".st.wb", ".wb.wb"};

static void print_fence(struct print_text *out, const char *function, uint32_t descriptor)
{
    static const char *const scope[8] = {"group", "local",  "tile",   "gpu",
                                         "gpus",  "sysrel", "sysacq", NULL};
    static const char *const flush[8] = {"none",  "evict",   "invalidate", "discard",
                                         "clean", "flushl3", NULL,         NULL};
    const char *to = scope[descriptor_bits(descriptor, 11, 9)],
               *how = flush[descriptor_bits(descriptor, 14, 12)];
    if (to != NULL && how != NULL)
        print_counted(out, "fence.%s.%s.%s", function, how, to);
    else
        print_counted(out, "fence");
}

static bool is_block(const struct message_cache_operation *operation)
{
    return operation->kind == MESSAGE_CACHE_BLOCK2D_LOAD ||
           operation->kind == MESSAGE_CACHE_BLOCK2D_STORE;
}

static bool is_quad(const struct message_cache_operation *operation)
{
    return operation->kind == MESSAGE_CACHE_QUAD_LOAD ||
           operation->kind == MESSAGE_CACHE_QUAD_STORE;
}

static bool is_load(const struct message_cache_operation *operation)
{
    return operation->kind == MESSAGE_CACHE_LOAD || operation->kind == MESSAGE_CACHE_STATUS ||
           operation->kind == MESSAGE_CACHE_STRIDED_LOAD ||
           operation->kind == MESSAGE_CACHE_QUAD_LOAD ||
           operation->kind == MESSAGE_CACHE_BLOCK2D_LOAD;
}

static void print_elements(struct print_text *out, const struct message_cache_operation *operation,
                           uint32_t descriptor)
{
    if (is_quad(operation)) {
        print_counted(out, ".");
        for (unsigned channel = 0; channel < 4; channel++) {
            if (descriptor >> (12 + channel) & 1)
                print_counted(out, "%c", "xyzw"[channel]);
        }
        return;
    }
    bool transposed = descriptor_bits(descriptor, 15, 15) != 0;
    unsigned length = message_cache_vector(descriptor_bits(descriptor, 14, 12));
    if (length > 1 || (transposed && !is_block(operation)))
        print_counted(out, "x%u", length);
    print_counted(out, "%s", transposed ? "t" : "");
    if (operation->kind == MESSAGE_CACHE_BLOCK2D_LOAD && descriptor_bits(descriptor, 7, 7))
        print_counted(out, "v");
}

static void print_surface(struct print_text *out, const struct sonde_gen_send *send)
{
    static const char *const names[4] = {"", "bss", "ss", "bti"};
    enum { FLAT, BINDING_TABLE = 3 };
    unsigned type = descriptor_bits(send->descriptor, 30, 29);
    if (type == FLAT)
        return;
    print_counted(out, ".%s[", names[type]);
    if (send->ex_descriptor_is_register)
        print_counted(out, "a0.%u", send->ex_descriptor_subreg / 2u);
    else if (type == BINDING_TABLE)
        print_counted(out, "%u", descriptor_bits(send->ex_descriptor, 31, 24));
    else
        print_counted(out, "0x%X", (unsigned)send->ex_descriptor);
    print_counted(out, "]");
}

static bool is_atomic(const struct message_cache_operation *operation)
{
    return operation->kind == MESSAGE_CACHE_ATOMIC || operation->kind == MESSAGE_CACHE_FLOAT_ATOMIC;
}

/* Coordinates that take `registers` each, as many as the payload has room for. */
static void print_coordinates(struct print_text *out, uint32_t descriptor, unsigned registers)
{
    static const char *const coordinates[5] = {"", "; u", "; u,v", "; u,v,r", "; u,v,r,lod"};
    unsigned count = descriptor_bits(descriptor, 28, 25) / registers;
    print_counted(out, "%s", count <= 4 ? coordinates[count] : "");
}

static unsigned registers_of_addresses(const struct sonde_gen_instruction *instruction)
{
    static const uint8_t address_bytes[4] = {1, 2, 4, 8};
    unsigned size = sonde_gen_platform_grf_size((enum sonde_gen_platform)instruction->platform);
    unsigned bytes =
        instruction->exec_size * address_bytes[descriptor_bits(instruction->send.descriptor, 8, 7)];
    return bytes > size ? bytes / size : 1;
}

static void print_state(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    enum { FLAT };
    if (descriptor_bits(instruction->send.descriptor, 30, 29) != FLAT) {
        print_counted(out, "read_state.%s", print_shared_function(instruction));
        print_surface(out, &instruction->send);
    } else {
        print_counted(out, "read state information");
    }
    print_coordinates(out, instruction->send.descriptor, 1);
}

/* All fields that the operation's syntax names are valid. */
static bool is_whole(const struct message_cache_operation *operation, uint32_t descriptor)
{
    if (operation->kind == MESSAGE_CACHE_STATUS &&
        (descriptor_bits(descriptor, 24, 20) != 1 || descriptor_bits(descriptor, 15, 15) != 0))
        return false; /* it returns one register */
    if (!is_block(operation) && descriptor_bits(descriptor, 8, 7) == 0)
        return false;
    return !is_quad(operation) || descriptor_bits(descriptor, 15, 12) != 0;
}

void print_cache_message(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    static const char *const address_size[4] = {"", "a16", "a32", "a64"};
    const struct sonde_gen_send *send = &instruction->send;
    const char *function = print_shared_function(instruction);
    uint32_t descriptor = send->descriptor;
    unsigned code = descriptor_bits(descriptor, 5, 0);
    const struct message_cache_operation *operation = message_cache_operation(code);
    if (code == MESSAGE_CACHE_FENCE) {
        print_fence(out, function, descriptor);
        return;
    }
    if (code == MESSAGE_CACHE_READ_STATE) {
        print_state(out, instruction);
        return;
    }
    if (operation == NULL) {
        print_counted(out, "?");
        return;
    }
    if (is_whole(operation, descriptor)) {
        print_counted(out, "%s.%s.%s", operation->name, function,
                      data_size[descriptor_bits(descriptor, 11, 9)]);
        print_elements(out, operation, descriptor);
        print_counted(out, ".%s",
                      is_block(operation) ? "a64"
                                          : address_size[descriptor_bits(descriptor, 8, 7)]);
        if (send->sfid != SONDE_GEN_SFID_SLM)
            print_counted(out, "%s",
                          (is_load(operation)
                               ? load_caching
                               : store_caching)[descriptor_bits(descriptor, 19, 17)]);
        print_surface(out, send);
    } else {
        print_counted(out, "%s", operation->description);
    }
    if (send->sfid == SONDE_GEN_SFID_TGM && (is_quad(operation) || is_atomic(operation)))
        print_coordinates(out, descriptor, registers_of_addresses(instruction));
}
