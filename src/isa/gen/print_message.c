/* The comment that iga64 puts behind a send: payload lengths, the shared
 * function and a description of the message. The tables below were measured
 * by handing every message type to libiga64; tests/isa compares them again. */
#include "isa/gen/descriptor.h"
#include "isa/gen/print.h"

#include "sonde/gen_message.h"

#include <string.h>

static const char *const shared_function_name[16] = {
    "null", "?",        "sampler", "gateway", "hdc.dc2", "hdc.rc", "hdc.urb", "spawner",
    "vme",  "hdc.dcro", "hdc.dc0", "pi",      "hdc.dc1", "cre",    "?",       "?",
};

/* A data port message by its type, descriptor bits [18:14], and by bits [13:8]
 * under `mask`. The first row that matches describes it. In the text %c is the
 * enabled channels, %o a count of OWords, %h a count of HWords, %s the size of
 * a scratch block, %e elements a channel, %b bytes an element, %a an integer
 *, %f a float and %g a half-float atomic operation, %r whether the atomic returns data, %u the
 * coordinates of a typed message, %l line stride and skip of a media block. */
struct message_text {
    uint8_t shared_function;
    uint8_t type;
    uint8_t type_mask;
    uint8_t mask;
    uint8_t value;
    const char *text;
};

#define DCRO SONDE_GEN_SFID_CONSTANT
#define DC0  SONDE_GEN_SFID_DC0
#define DC1  SONDE_GEN_SFID_DC1
#define ALL  0x1f

static const struct message_text message_text[] = {
    {DCRO, 0x00, ALL, 0, 0, "constant oword block read %o"},
    {DCRO, 0x01, ALL, 0, 0, "constant aligned oword block read %o"},
    {DCRO, 0x03, ALL, 0, 0, "constant dword gathering read"},
    {DCRO, 0x09, ALL, 0, 0, "untyped surface uncompressed write"},
    {DCRO, 0x0c, ALL, 0, 0, "typed surface CCS update message"},
    {DCRO, 0x0d, ALL, 0, 0, "typed surface uncompressed write"},
    {DCRO, 0x17, ALL, 0, 0, "A64 page CCS update operation"},
    {DCRO, 0x18, ALL, 0, 0, "A64 untyped surface CCS operation"},
    {DCRO, 0x19, ALL, 0, 0, "A64 untyped surface uncompressed write"},
    {DC0, 0x00, ALL, 0, 0, "oword block read %o"},
    {DC0, 0x01, ALL, 0, 0, "oword aligned block read %o"},
    {DC0, 0x02, ALL, 0, 0, "oword dual block read"},
    {DC0, 0x03, ALL, 0, 0, "dword gathering read%e"},
    {DC0, 0x04, ALL, 0, 0, "byte gathering read%b"},
    {DC0, 0x05, ALL, 0, 0, "qword gathering read"},
    {DC0, 0x08, ALL, 0, 0, "oword block write %o"},
    {DC0, 0x09, ALL, 0, 0, "hword aligned block write %o"},
    {DC0, 0x0a, ALL, 0, 0, "oword dual block write"},
    {DC0, 0x0b, ALL, 0, 0, "dword scattering write%e"},
    {DC0, 0x0c, ALL, 0, 0, "byte scattering write%b"},
    {DC0, 0x0d, ALL, 0, 0, "qword gathering read"}, /* a write; iga64 says read */
    {DC0, 0x10, 0x18, 0, 0, "hword scratch block read %s"},
    {DC0, 0x18, 0x18, 0, 0, "hword scratch block write %s"},
    {DC1, 0x01, ALL, 0, 0, "untyped surface read with %c"},
    {DC1, 0x02, ALL, 0, 0, "untyped atomic int32 %a"},
    {DC1, 0x03, ALL, 0, 0, "untyped atomic int16 %a"},
    {DC1, 0x04, ALL, 0, 0, "media block read%l"},
    {DC1, 0x05, ALL, 0x30, 0x20, "typed surface read (high slot group) with %c%u"},
    {DC1, 0x05, ALL, 0, 0, "typed surface read with %c%u"},
    {DC1, 0x06, ALL, 0x10, 0x10, "typed_sgh atomic 32-bit integer (slot group high) %a"},
    {DC1, 0x06, ALL, 0, 0, "typed atomic 32-bit integer %a"},
    {DC1, 0x07, ALL, 0x10, 0x10, "typed_sgh atomic 16-bit integer (slot group high) %a%u"},
    {DC1, 0x07, ALL, 0, 0, "typed atomic 16-bit integer %a%u"},
    {DC1, 0x09, ALL, 0, 0, "untyped surface write with %c"},
    {DC1, 0x0a, ALL, 0, 0, "media block write%l"},
    {DC1, 0x0b, ALL, 0, 0, "typed atomic 32-bit counter %a%u"},
    {DC1, 0x0c, ALL, 0, 0, "typed atomic 16-bit counter %a%u"},
    {DC1, 0x0d, ALL, 0x30, 0x20, "typed surface write (high slot group) with %c%u"},
    {DC1, 0x0d, ALL, 0, 0, "typed surface write with %c%u"},
    {DC1, 0x0e, ALL, 0x30, 0x20, "typed surface read (high slot group) returning status with %c%u"},
    {DC1, 0x0e, ALL, 0, 0, "typed surface read returning status with %c%u"},
    {DC1, 0x10, ALL, 0x03, 0x01, "a64 dword gathering read"},
    {DC1, 0x10, ALL, 0x03, 0x02, "a64 qword gathering read"},
    {DC1, 0x10, ALL, 0, 0, "a64 byte gathering read%b"},
    {DC1, 0x11, ALL, 0, 0, "a64 untyped surface read with %c"},
    {DC1, 0x12, ALL, 0x10, 0x00, "untyped a64 atomic int32 %a"},
    {DC1, 0x12, ALL, 0x10, 0x10, "untyped a64 atomic int64 %a"},
    {DC1, 0x13, ALL, 0, 0, "untyped a64 atomic int16 %a"},
    {DC1, 0x14, ALL, 0x18, 0x08, "a64 aligned oword block read %o"},
    {DC1, 0x14, ALL, 0x18, 0x18, "a64 unaligned hword block read %h"},
    {DC1, 0x14, ALL, 0, 0, "a64 unaligned oword block read %o"},
    {DC1, 0x15, ALL, 0x18, 0x08, "a64 aligned oword block write %o"},
    {DC1, 0x15, ALL, 0x18, 0x18, "a64 unaligned hword block write %h"},
    {DC1, 0x15, ALL, 0, 0, "a64 unaligned oword block write %o"},
    {DC1, 0x19, ALL, 0, 0, "a64 untyped surface write with %c"},
    {DC1, 0x1a, ALL, 0x03, 0x01, "a64 dword scattering write"},
    {DC1, 0x1a, ALL, 0x03, 0x02, "a64 qword scattering write"},
    {DC1, 0x1a, ALL, 0, 0, "a64 byte scattering write%b"},
    {DC1, 0x1b, ALL, 0x07, 0x00, "?"},
    {DC1, 0x1b, ALL, 0, 0, "float atomic %f%r"},
    {DC1, 0x1c, ALL, 0x07, 0x00, "?"},
    {DC1, 0x1c, ALL, 0, 0, "untyped half-float atomic %g%r"},
    {DC1, 0x1d, ALL, 0x07, 0x00, "?"},
    {DC1, 0x1d, ALL, 0, 0, "a64 float atomic %f%r"},
    {DC1, 0x1e, ALL, 0x07, 0x00, "?"},
    {DC1, 0x1e, ALL, 0, 0, "a64 untyped half-float atomic %g%r"},
};

static const char *const oword_count[8] = {"x1", "x1H", "x2", "x4", "x8", "x16", "x0", "x0"};
static const char *const element_count[4] = {"", " x2", " x4", " x8"};
static const char *const element_bits[4] = {" 8b", " 16b", " 32b", ""};
static const char *const integer_atomic[16] = {
    "64b integer compare and swap",
    "logical AND",
    "logical OR",
    "logical XOR",
    "store",
    "integer increment",
    "integer decrement",
    "integer add",
    "integer subtract",
    "commuted integer subtract",
    "signed-integer max",
    "signed-integer min",
    "unsigned-integer max",
    "unsigned-integer min",
    "integer compare and swap",
    "integer pre-decrement (returns pre-decrement value)",
};
static const char *const float_atomic[8] = {
    "?",         "max (32b)",      "min (32b)",     "fp-compare and swap  (32b)",
    "add (32b)", "subtract (32b)", "64b add (64b)", "64b subtract (64b)",
};
static const char *const half_atomic[8] = {
    "?",         "max (16b)",      "min (16b)",     "fp-compare and swap  (16b)",
    "add (16b)", "subtract (16b)", "64b add (64b)", "64b subtract (64b)",
};
static const char *const media_line[8] = {
    "",
    " with vertical line stride  and skip",
    " with vertical line stride override and offset",
    " with vertical line stride override,skip, and offset",
    " with vertical line stride ",
    " with vertical line stride  and skip",
    " with vertical line stride override and offset",
    " with vertical line stride override,skip, and offset",
};
static const char *const coordinates[5] = {"", "; u", "; u,v", "; u,v,r", "; u,v,r,lod"};

static void print_channels(struct print_text *out, uint32_t descriptor)
{
    for (unsigned channel = 0; channel < 4; channel++)
        if (!(descriptor >> (8 + channel) & 1))
            print_counted(out, "%c", "xyzw"[channel]);
}

static void print_coordinates(struct print_text *out,
                              const struct sonde_gen_instruction *instruction)
{
    uint32_t descriptor = instruction->send.descriptor;
    unsigned type = descriptor_bits(descriptor, 18, 14), registers = 1;
    /* Counter atomics of 16 channels of 32 bits take two registers of 32 bytes. */
    unsigned a_register =
        sonde_gen_platform_grf_size((enum sonde_gen_platform)instruction->platform) / 4;
    if ((type == 0x0b || type == 0x0c) && descriptor_bits(descriptor, 12, 12) == 0 &&
        instruction->exec_size > a_register)
        registers = 2;
    unsigned count = descriptor_bits(descriptor, 28, 25) / registers;
    if (count <= 4)
        print_counted(out, "%s", coordinates[count]);
}

static void print_parameter(struct print_text *out, const struct sonde_gen_instruction *instruction,
                            char parameter)
{
    uint32_t descriptor = instruction->send.descriptor;
    switch (parameter) {
    case 'a':
        print_counted(out, "%s", integer_atomic[descriptor_bits(descriptor, 11, 8)]);
        break;
    case 'b':
        print_counted(out, "%s", element_bits[descriptor_bits(descriptor, 11, 10)]);
        break;
    case 'c':
        print_channels(out, descriptor);
        break;
    case 'e':
        print_counted(out, "%s", element_count[descriptor_bits(descriptor, 11, 10)]);
        break;
    case 'f':
        print_counted(out, "%s", float_atomic[descriptor_bits(descriptor, 10, 8)]);
        break;
    case 'g':
        print_counted(out, "%s", half_atomic[descriptor_bits(descriptor, 10, 8)]);
        break;
    case 'h':
        print_counted(out, "x%u", 1u << descriptor_bits(descriptor, 10, 8));
        break;
    case 'l':
        print_counted(out, "%s", media_line[descriptor_bits(descriptor, 10, 8)]);
        break;
    case 'o':
        print_counted(out, "%s", oword_count[descriptor_bits(descriptor, 10, 8)]);
        break;
    case 'r':
        print_counted(out, "%s", descriptor_bits(descriptor, 13, 13) ? " with return" : "");
        break;
    case 's':
        print_counted(out, "x%u", 1u << descriptor_bits(descriptor, 13, 12));
        break;
    default:
        print_coordinates(out, instruction);
        break;
    }
}

static void print_fence(struct print_text *out, uint32_t descriptor)
{
    enum { BTI_SLM = 254 };
    static const char *const flushed[16] = {
        "",
        " L3 instruction data",
        " L3 texture data",
        " L3 texture data, instruction data",
        " L3 constant data",
        " L3 constant data, instruction data",
        " L3 constant data, texture data",
        " L3 constant data, texture data, instruction data",
        " L3 r/w data",
        " L3 r/w data instruction data",
        " L3 r/w data texture data",
        " L3 r/w data texture data, instruction data",
        " L3 r/w data constant data",
        " L3 r/w data constant data, instruction data",
        " L3 r/w data constant data, texture data",
        " all L3 data",
    };
    bool commit = descriptor_bits(descriptor, 13, 13) != 0;
    unsigned bti = descriptor_bits(descriptor, 7, 0);
    print_counted(out, "%s", commit ? "synchronized " : "");
    if (bti == BTI_SLM)
        print_counted(out, "SLM fence");
    else if (bti == 0)
        print_counted(out, "global fence flushing%s%s",
                      descriptor_bits(descriptor, 8, 8) ? " L1" : "",
                      flushed[descriptor_bits(descriptor, 12, 9)]);
    else if (!commit)
        print_counted(out, "?");
}

static void print_data_port(struct print_text *out, const struct sonde_gen_instruction *instruction,
                            unsigned function)
{
    uint32_t descriptor = instruction->send.descriptor;
    unsigned type = descriptor_bits(descriptor, 18, 14), bits = descriptor_bits(descriptor, 13, 8);
    if (function == DC0 && type == 0x07) {
        print_fence(out, descriptor);
        return;
    }
    const char *text = "?";
    bool is_new = function == DC1 && (type == 0x03 || type == 0x13 || type == 0x1c || type == 0x1e);
    if (is_new && instruction->platform < SONDE_GEN_PLATFORM_XE) {
        print_counted(out, "?"); /* atomics of 16 bits */
        return;
    }
    if (function == DC0 && type == 0x01 && descriptor_bits(bits, 5, 5) &&
        instruction->platform >= SONDE_GEN_PLATFORM_XEHPG) {
        print_counted(out, "hword aligned block read x%u",
                      1u << descriptor_bits(descriptor, 10, 8));
        return;
    }
    for (size_t i = 0; i < sizeof message_text / sizeof message_text[0]; i++) {
        const struct message_text *row = &message_text[i];
        if (row->shared_function == function && (type & row->type_mask) == row->type &&
            (bits & row->mask) == row->value) {
            text = row->text;
            break;
        }
    }
    for (; *text != '\0'; text++) {
        if (*text == '%')
            print_parameter(out, instruction, *++text);
        else
            print_counted(out, "%c", *text);
    }
}

static const char *sampler_width(uint8_t platform, unsigned simd)
{
    static const char *const until_xehp[8] = {
        "unknown simd mode", "simd8",      "simd16",      "simd32/64",
        "unknown simd mode", "simd8 high", "simd16 high", ""};
    static const char *const xehpg[8] = {
        "simd8 with integer return",  "simd8",      "simd16",      "simd32/64",
        "simd16 with integer return", "simd8 high", "simd16 high", ""};
    static const char *const xehpc[8] = {
        "simd16 with integer return", "simd16",      "simd32",      "unknown simd mode",
        "simd32 with integer return", "simd16 high", "simd32 high", ""};
    if (platform == SONDE_GEN_PLATFORM_XEHPC)
        return xehpc[simd];
    return (platform == SONDE_GEN_PLATFORM_XEHPG ? xehpg : until_xehp)[simd];
}

static void print_sampler(struct print_text *out, uint32_t descriptor, uint8_t platform)
{
    static const char *const operation[32] = {"sample",
                                              "sample+LOD bias",
                                              "sample override LOD",
                                              "sample compare",
                                              "sample gradient",
                                              "sample compare+LOD bias",
                                              "sample compare+override LOD",
                                              "sample load",
                                              "sample gather4",
                                              "sample override lod",
                                              "sample res info",
                                              "sample info",
                                              "sample+killpix",
                                              "?",
                                              "?",
                                              "?",
                                              "sample gather4+compare",
                                              "sample gather4+pixel offset",
                                              "sample gather4 pixel offset+compare",
                                              "?",
                                              "sample derivatives+compare",
                                              "?",
                                              "sample min",
                                              "sample max",
                                              "sample with lod forced to 0",
                                              "sample compare+with lod forced to 0",
                                              "sample load with lod forced to 0",
                                              "?",
                                              "sample ld2 multi-sample wide",
                                              "sample load mcs auxiliary data",
                                              "sample load multi-sample",
                                              "sample multi-sample without mcs"};
    static const char *const wide_operation[32] = {
        [0x00] = "sample unorm",        [0x02] = "sample unorm+killpix",
        [0x08] = "sample deinterlace",  [0x0a] = "sample unorm+killpix for media",
        [0x0b] = "sample 8x8",          [0x0c] = "sample unorm for media",
        [0x1f] = "sampler cache flush",
    };
    unsigned simd = descriptor_bits(descriptor, 29, 29) * 4 + descriptor_bits(descriptor, 18, 17);
    unsigned type = descriptor_bits(descriptor, 16, 12);
    bool is_wide = simd == 3 && platform != SONDE_GEN_PLATFORM_XEHPC;
    const char *name = is_wide ? wide_operation[type] : operation[type];
    print_counted(out, "%s%s %s using sampler index %u", sampler_width(platform, simd),
                  descriptor_bits(descriptor, 30, 30) ? " 16b" : "", name != NULL ? name : "?",
                  descriptor_bits(descriptor, 11, 8));
}

static void print_gateway(struct print_text *out, uint32_t descriptor)
{
    static const char *const operation[8] = {"end of thread",  "signal event",
                                             "monitor event",  "unmonitor event",
                                             "signal barrier", "?",
                                             "wait for event", "?"};
    print_counted(out, "%s", operation[descriptor_bits(descriptor, 2, 0)]);
}

static void print_urb(struct print_text *out, uint32_t descriptor)
{
    const char *slots = descriptor_bits(descriptor, 17, 17) ? " with per-slot offset enabled" : "";
    switch (descriptor_bits(descriptor, 3, 0)) {
    case 7:
        print_counted(out, "urb dword %swrite%s",
                      descriptor_bits(descriptor, 15, 15) ? "masked " : "", slots);
        break;
    case 8:
        print_counted(out, "urb dword read%s", slots);
        break;
    case 9:
        print_counted(out, "urb fence");
        break;
    default:
        print_counted(out, "?");
        break;
    }
}

/* The thread dispatcher and the ray tracer of XeHPG and later. */
static void print_bindless(struct print_text *out, uint32_t descriptor, bool is_ray)
{
    const char *simd = descriptor_bits(descriptor, 8, 8) ? "simd16" : "simd8";
    unsigned type = descriptor_bits(descriptor, 17, 14);
    if (is_ray && type == 0)
        print_counted(out, "%s trace ray", simd);
    else if (!is_ray && type == 1)
        print_counted(out, "bindless %s spawn thread", simd);
    else
        print_counted(out, "?");
}

static void print_description(struct print_text *out,
                              const struct sonde_gen_instruction *instruction, unsigned function)
{
    uint32_t descriptor = instruction->send.descriptor;
    switch (function) {
    case SONDE_GEN_SFID_SAMPLER:
        print_sampler(out, descriptor, instruction->platform);
        break;
    case SONDE_GEN_SFID_GATEWAY:
        print_gateway(out, descriptor);
        break;
    case SONDE_GEN_SFID_URB:
        print_urb(out, descriptor);
        break;
    case SONDE_GEN_SFID_VME:
        if (instruction->platform >= SONDE_GEN_PLATFORM_XEHPG)
            print_bindless(out, descriptor, true);
        else
            print_data_port(out, instruction, function);
        break;
    case SONDE_GEN_SFID_SPAWNER:
        if (instruction->platform >= SONDE_GEN_PLATFORM_XEHPG) {
            print_bindless(out, descriptor, false);
            break;
        }
        print_counted(out, "%s", descriptor_bits(descriptor, 2, 0) == 0 ? "end of thread" : "?");
        break;
    default:
        print_data_port(out, instruction, function);
        break;
    }
}

enum { SFID_UGML = 1 }; /* from XeHPG on */

/* The shared function stands in the mnemonic; the length of the second payload
 * in the instruction, from XeHPG on. */
static void print_message_comment_xe(struct print_text *out,
                                     const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_send *send = &instruction->send;
    bool separate = instruction->platform >= SONDE_GEN_PLATFORM_XEHPG;
    bool is_cache = separate && (send->sfid >= SONDE_GEN_SFID_TGM || send->sfid == SFID_UGML);
    if (send->descriptor_is_register)
        print_counted(out, " // wr:a0.0[28:25]+");
    else
        print_counted(out, " // wr:%u%s+", descriptor_bits(send->descriptor, 28, 25),
                      descriptor_bits(send->descriptor, 19, 19) && !is_cache ? "h" : "");
    if (!send->ex_descriptor_is_register || (separate && send->ex_bso))
        print_counted(out, "%u", send->src1_length);
    else if (instruction->src[1].file == SONDE_GEN_FILE_ARF)
        print_counted(out, "0"); /* a null payload */
    else
        print_counted(out, "a0.%u[10:6]", send->ex_descriptor_subreg / 2u);
    if (send->descriptor_is_register) {
        print_counted(out, ", rd:a0.0[24:20]");
        return;
    }
    print_counted(out, ", rd:%u; ", descriptor_bits(send->descriptor, 24, 20));
    if (is_cache)
        print_cache_message(out, instruction);
    else
        print_description(out, instruction, send->sfid);
}

const char *print_shared_function(const struct sonde_gen_instruction *instruction)
{
    static const char *const names[16] = {"null", "?",    "smpl", "gtwy", "dc2", "rc",  "urb", "ts",
                                          "vme",  "dcro", "dc0",  "pixi", "dc1", "cre", "?",   "?"};
    static const char *const names_xehpg[16] = {"null", "ugml", "smpl", "gtwy", "dc2", "rc",
                                                "urb",  "btd",  "rta",  "dcro", "dc0", "pixi",
                                                "dc1",  "tgm",  "slm",  "ugm"};
    bool separate = instruction->platform >= SONDE_GEN_PLATFORM_XEHPG;
    return (separate ? names_xehpg : names)[instruction->send.sfid & 15];
}

void print_message_comment(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    if (instruction->platform >= SONDE_GEN_PLATFORM_XE) {
        print_message_comment_xe(out, instruction);
        return;
    }
    const struct sonde_gen_send *send = &instruction->send;
    unsigned ex_register = send->ex_descriptor_subreg / 2u;
    bool split = instruction->opcode == SONDE_GEN_SENDS || instruction->opcode == SONDE_GEN_SENDSC;
    if (send->descriptor_is_register)
        print_counted(out, " // wr:a0.0[28:25]+");
    else
        print_counted(out, " // wr:%u%s+", descriptor_bits(send->descriptor, 28, 25),
                      descriptor_bits(send->descriptor, 19, 19) ? "h" : "");
    if (!send->ex_descriptor_is_register)
        print_counted(out, "%u", descriptor_bits(send->ex_descriptor, 10, 6));
    else if (split && instruction->src[1].file == SONDE_GEN_FILE_ARF)
        print_counted(out, "0"); /* a null payload */
    else
        print_counted(out, "a0.%u[10:6]", ex_register);
    if (send->descriptor_is_register)
        print_counted(out, ", rd:a0.0[24:20]");
    else
        print_counted(out, ", rd:%u", descriptor_bits(send->descriptor, 24, 20));
    if (send->ex_descriptor_is_register)
        print_counted(out, "; sfid a0.%u[3:0]", ex_register);
    else
        print_counted(out, "; %s", shared_function_name[send->ex_descriptor & 15]);
    if (send->descriptor_is_register)
        return;
    print_counted(out, "; ");
    if (send->ex_descriptor_is_register)
        print_counted(out, "?");
    else
        print_description(out, instruction, send->ex_descriptor & 15);
}
