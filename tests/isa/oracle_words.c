/* Random legal Gen9 words: every field takes random values that the
 * instruction allows; each word must print as libiga64 prints it and survive
 * decode and encode. Usage: oracle_words LIST COUNT [SEED]; LIST explains the
 * words on which the two are known to disagree. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS_A_BUFFER = 1024,
    EXCUSES_MAXIMUM = 64,
};

struct random {
    uint64_t state;
};

static uint64_t draw(struct random *random)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t below(struct random *random, uint32_t limit)
{
    return (uint32_t)((draw(random) >> 32) % limit);
}

static bool one_in(struct random *random, uint32_t chances)
{
    return below(random, chances) == 0;
}

#define PICK(random, array) ((array)[below(random, sizeof(array) / sizeof((array)[0]))])

static void set(uint64_t word[2], unsigned high, unsigned low, uint64_t value)
{
    unsigned width = high - low + 1, at = low & 63;
    uint64_t mask = (width == 64 ? 0 : UINT64_C(1) << width) - 1;
    word[low / 64] = (word[low / 64] & ~(mask << at)) | ((value & mask) << at);
}

/* What an operation allows: p(redicate), c(ondition), s(aturate), m(odifiers
 * of sources), l(ogic). Sources in `shape`. */
enum shape { UNARY, BINARY, TERNARY };

struct operation {
    uint8_t code;
    enum shape shape;
    const char *allows;
};

static const struct operation operations[] = {
    {0x01, UNARY, "pcsm"},  {0x02, BINARY, "pcsm"},  {0x04, UNARY, "pcm"},
    {0x05, BINARY, "pcm"},  {0x06, BINARY, "pcm"},   {0x07, BINARY, "pcm"},
    {0x08, BINARY, "pcsm"}, {0x09, BINARY, "pcsm"},  {0x0c, BINARY, "pcsm"},
    {0x10, BINARY, "pcm"},  {0x11, BINARY, "pcm"},   {0x17, UNARY, "p"},
    {0x19, BINARY, "p"},    {0x40, BINARY, "pcsm"},  {0x41, BINARY, "pcsm"},
    {0x42, BINARY, "pcsm"}, {0x43, UNARY, "pcm"},    {0x44, UNARY, "pcsm"},
    {0x45, UNARY, "pcsm"},  {0x46, UNARY, "pcsm"},   {0x47, UNARY, "pcsm"},
    {0x48, BINARY, "pcsm"}, {0x49, BINARY, "psm"},   {0x4a, UNARY, "pcsm"},
    {0x4b, UNARY, "p"},     {0x4c, UNARY, "p"},      {0x4d, UNARY, "p"},
    {0x4e, BINARY, "pc"},   {0x4f, BINARY, "pcs"},   {0x50, BINARY, "pcsm"},
    {0x51, BINARY, "pcsm"}, {0x54, BINARY, "pcsm"},  {0x55, BINARY, "pcsm"},
    {0x56, BINARY, "pcsm"}, {0x57, BINARY, "pcsm"},  {0x59, BINARY, "pcsm"},
    {0x5a, BINARY, "pcs"},  {0x12, TERNARY, "csm"},  {0x18, TERNARY, "p"},
    {0x1a, TERNARY, "p"},   {0x5b, TERNARY, "pcsm"}, {0x5c, TERNARY, "pcsm"},
};

static bool allows(const struct operation *operation, char what)
{
    return strchr(operation->allows, what) != NULL;
}

enum {
    CODE_MATH = 0x38,
    CODE_MADM = 0x5d,
    TYPE_DF = 6,
    TYPE_UQ = 8,
    TYPE_IMM_DF = 10,
};

static const uint8_t conditions[] = {0, 0, 0, 1, 2, 3, 4, 5, 6, 8, 9};

/* Bytes of a register type code. */
static const uint8_t type_size[11] = {4, 4, 2, 2, 1, 1, 8, 4, 8, 8, 2};

static void put_options(struct random *random, uint64_t word[2])
{
    static const uint8_t thread_controls[] = {0, 0, 0, 0, 1, 2};
    if (one_in(random, 8))
        set(word, 10, 9, below(random, 4));
    set(word, 15, 14, PICK(random, thread_controls));
    set(word, 28, 28, one_in(random, 8));
    set(word, 30, 30, one_in(random, 32));
}

static void put_execution(struct random *random, uint64_t word[2], uint32_t size_log2)
{
    uint32_t step = size_log2 < 3 ? 1 : 1u << (size_log2 - 2);
    uint32_t nibble = below(random, 8) & ~(step - 1);
    set(word, 23, 21, size_log2);
    set(word, 11, 11, nibble & 1);
    set(word, 13, 12, nibble >> 1);
    set(word, 34, 34, below(random, 2));
}

static void put_predicate(struct random *random, uint64_t word[2], bool align16)
{
    static const uint8_t align16_controls[] = {0, 1, 6, 7};
    if (one_in(random, 2)) {
        set(word, 19, 16, align16 ? PICK(random, align16_controls) : below(random, 14));
        set(word, 20, 20, below(random, 2));
    }
    set(word, 33, 32, below(random, 4));
}

static void put_common(struct random *random, uint64_t word[2], const struct operation *operation,
                       bool align16)
{
    set(word, 6, 0, operation->code);
    set(word, 8, 8, align16);
    put_options(random, word);
    if (allows(operation, 'p'))
        put_predicate(random, word, align16);
    if (allows(operation, 'c')) {
        set(word, 27, 24, PICK(random, conditions));
        set(word, 33, 32, below(random, 4));
    }
    if (allows(operation, 's'))
        set(word, 31, 31, one_in(random, 4));
}

/* Register file, number and a sub-register aligned to the type. */
struct place {
    uint32_t file, number, subreg;
};

/* Which registers an operand may name. */
enum reach { WRITABLE, READABLE, GENERAL_ONLY };

static struct place draw_place(struct random *random, uint32_t size, enum reach reach)
{
    static const uint8_t writable[] = {0x00, 0x10, 0x20, 0x21, 0x30, 0x31, 0x80, 0x90};
    static const uint8_t readable[] = {0x00, 0x10, 0x20, 0x21, 0x30, 0x31, 0x40, 0x60,
                                       0x70, 0x71, 0x80, 0x90, 0xa0, 0xc0, 0xf0};
    struct place place = {.file = 1, .number = below(random, 128)};
    if (reach != GENERAL_ONLY && one_in(random, 5)) {
        place.file = 0;
        place.number = reach == WRITABLE ? PICK(random, writable) : PICK(random, readable);
    }
    uint32_t bytes = place.file == 1 || place.number < 0x30 ? 32 : 4;
    if (place.number == 0 && place.file == 0)
        bytes = size;
    place.subreg = bytes > size ? below(random, bytes / size) * size : 0;
    return place;
}

static void put_destination(struct random *random, uint64_t word[2], uint32_t type,
                            enum reach reach)
{
    set(word, 40, 37, type);
    set(word, 62, 61, 1 + below(random, 3));
    if (reach == WRITABLE && one_in(random, 8)) {
        set(word, 36, 35, 1);
        set(word, 63, 63, 1);
        uint32_t offset = below(random, 1024);
        set(word, 60, 57, below(random, 16));
        set(word, 56, 48, offset);
        set(word, 47, 47, offset >> 9);
        return;
    }
    struct place place = draw_place(random, type_size[type], reach);
    set(word, 36, 35, place.file);
    set(word, 60, 53, place.number);
    set(word, 52, 48, place.subreg);
}

/* Source 1 lies 32 bits above source 0, but for its file and type. */
static void put_register_source(struct random *random, uint64_t word[2], unsigned index,
                                uint32_t type, bool modifiers, enum reach reach)
{
    static const uint8_t strides[] = {0, 1, 2, 3, 4, 5, 6};
    unsigned base = 64 + 32 * index;
    set(word, base + 17, base + 16, below(random, 4));
    set(word, base + 20, base + 18, below(random, 5));
    set(word, base + 24, base + 21, PICK(random, strides));
    if (modifiers) {
        set(word, base + 13, base + 13, one_in(random, 4));
        set(word, base + 14, base + 14, one_in(random, 4));
    }
    unsigned file = index == 0 ? 41 : 89;
    if (reach == READABLE && one_in(random, 8)) {
        uint32_t offset = below(random, 1024);
        set(word, file + 1, file, 1);
        set(word, base + 15, base + 15, 1);
        set(word, base + 12, base + 9, below(random, 16));
        set(word, base + 8, base, offset);
        unsigned sign = index == 0 ? 95 : 121;
        set(word, sign, sign, offset >> 9);
        if (one_in(random, 3))
            set(word, base + 24, base + 21, 15); /* VxH */
        return;
    }
    struct place place = draw_place(random, type_size[type], reach);
    set(word, file + 1, file, place.file);
    set(word, base + 12, base + 5, place.number);
    set(word, base + 4, base, place.subreg);
}

/* The last source may be an immediate; 64 bits of it only for a single source. */
static void put_immediate(struct random *random, uint64_t word[2], unsigned index, bool wide)
{
    static const uint8_t narrow_types[] = {0, 1, 2, 3, 4, 5, 6, 7, 11};
    static const uint8_t wide_types[] = {8, 9, 10};
    static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0x7f800000,
                                      0xff800000, 0x7fc00001, 0x7f800123, 1,
                                      0x3dcccccd, 0x00800000, 0x40490fdb, 0x461c4000};
    uint32_t type = wide ? PICK(random, wide_types) : PICK(random, narrow_types);
    uint64_t value = one_in(random, 3) ? PICK(random, floats) : draw(random);
    if (one_in(random, 4))
        value &= 0xff;
    if (index == 0) {
        set(word, 42, 41, 3);
        set(word, 46, 43, type);
    } else {
        set(word, 90, 89, 3);
        set(word, 94, 91, type);
    }
    if (wide) {
        word[1] = one_in(random, 4) ? value << 40 : value;
        return;
    }
    if (type == 2 || type == 3 || type == 11) /* 16 bits stand there twice */
        value = (value & 0xffff) * 0x10001;
    set(word, 127, 96, value);
}

static void put_source(struct random *random, uint64_t word[2], unsigned index, bool last,
                       bool wide, bool modifiers, enum reach reach)
{
    if (last && one_in(random, 3)) {
        put_immediate(random, word, index, wide && one_in(random, 3));
        return;
    }
    uint32_t type = below(random, 11);
    if (index == 0)
        set(word, 46, 43, type);
    else
        set(word, 94, 91, type);
    put_register_source(random, word, index, type, modifiers, reach);
}

static void make_basic(struct random *random, uint64_t word[2], const struct operation *operation)
{
    put_common(random, word, operation, false);
    put_execution(random, word, below(random, 6));
    put_destination(random, word, below(random, 11), WRITABLE);
    bool unary = operation->shape == UNARY, modifiers = allows(operation, 'm');
    put_source(random, word, 0, unary, operation->code == 0x01, modifiers, READABLE);
    if (!unary)
        put_source(random, word, 1, true, false, modifiers, GENERAL_ONLY);
}

static void make_math(struct random *random, uint64_t word[2])
{
    static const struct operation math = {CODE_MATH, BINARY, "psm"};
    static const uint8_t functions[] = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13};
    uint32_t function = PICK(random, functions);
    put_common(random, word, &math, false);
    put_execution(random, word, below(random, 5));
    set(word, 27, 24, function);
    put_destination(random, word, below(random, 11), GENERAL_ONLY);
    put_source(random, word, 0, function < 9, false, true, GENERAL_ONLY);
    if (function >= 9)
        put_source(random, word, 1, true, false, true, GENERAL_ONLY);
}

static uint32_t draw_mme(struct random *random)
{
    return below(random, 9); /* mme0 to mme7, nomme */
}

/* math.invm and math.rsqtm: align16, an mme register instead of swizzles. */
static void make_math_macro(struct random *random, uint64_t word[2])
{
    static const struct operation math = {CODE_MATH, BINARY, "psm"};
    static const uint8_t types[] = {TYPE_DF, 7, 10};
    bool binary = one_in(random, 2);
    uint32_t type = PICK(random, types), stride = type == TYPE_DF ? 2 : 3;
    put_common(random, word, &math, true);
    put_execution(random, word, below(random, 5));
    set(word, 27, 24, binary ? 14 : 15);
    set(word, 36, 35, 1);
    set(word, 40, 37, type);
    set(word, 60, 53, below(random, 128));
    set(word, 62, 61, 1);
    set(word, 51, 48, draw_mme(random));
    for (unsigned index = 0; index < (binary ? 2u : 1u); index++) {
        unsigned base = 64 + 32 * index, file = index == 0 ? 41 : 89;
        set(word, file + 1, file, 1);
        set(word, file + 5, file + 2, type);
        set(word, base + 3, base, draw_mme(random));
        set(word, base + 12, base + 5, below(random, 128));
        set(word, base + 24, base + 21, stride);
        set(word, base + 13, base + 13, one_in(random, 4));
        set(word, base + 14, base + 14, one_in(random, 4));
    }
}

/* Ternary types: f, d, ud, df, hf. */
static void put_ternary_types(struct random *random, uint64_t word[2], uint32_t code,
                              uint32_t *type)
{
    static const uint8_t float_types[] = {0, 0, 3, 4};
    bool integer = code == 0x18 || code == 0x1a || (code == 0x5b && one_in(random, 4));
    *type = integer ? 1 + below(random, 2) : PICK(random, float_types);
    if (code == 0x12 || code == 0x5c)
        *type = 0;
    set(word, 48, 46, *type);
    set(word, 45, 43, *type);
    if (code == 0x5b && *type == 0 && one_in(random, 3)) {
        set(word, 35, 35, below(random, 2));
        set(word, 36, 36, below(random, 2));
    }
}

static void put_ternary_source(struct random *random, uint64_t word[2], unsigned index,
                               uint32_t type, bool macro)
{
    unsigned base = 64 + 21 * index;
    unsigned control = base, swizzle = base + 1, subreg = base + 9, number = base + 12;
    set(word, number + 7, number, below(random, 128));
    if (macro) {
        set(word, swizzle + 3, swizzle, draw_mme(random));
        return;
    }
    uint32_t step = type == 3 ? 2 : 1;
    set(word, subreg + 2, subreg, below(random, 8 / step) * step);
    static const uint8_t df_swizzles[] = {0xe4, 0x44, 0xee};
    if (one_in(random, 3)) {
        set(word, control, control, 1);
        return;
    }
    set(word, swizzle + 7, swizzle, type == 3 ? PICK(random, df_swizzles) : 0xe4);
}

/* Source fields can straddle the 64-bit boundary; none of them does. */
static void make_ternary(struct random *random, uint64_t word[2], const struct operation *operation)
{
    static const uint8_t scalar_masks[] = {1, 2, 4, 8}, pair_masks[] = {3, 12, 15};
    bool macro = operation->code == CODE_MADM;
    put_common(random, word, operation, true);
    uint32_t type;
    put_ternary_types(random, word, operation->code, &type);
    if (macro) {
        type = one_in(random, 2) ? 3 : 0;
        set(word, 48, 46, type);
        set(word, 45, 43, type);
    }
    /* df scalars use two of the four channels of two elements. */
    uint32_t size = type == 3 && !macro ? 1 + below(random, 3) : 2 + below(random, 3);
    put_execution(random, word, size);
    set(word, 52, 49, 0xf);
    if (macro)
        set(word, 52, 49, draw_mme(random));
    else if (size == 1)
        set(word, 52, 49, PICK(random, pair_masks));
    else if (size == 2 && type != 3 && one_in(random, 2))
        set(word, 52, 49, PICK(random, scalar_masks));
    set(word, 63, 56, below(random, 128));
    if (!macro)
        set(word, 55, 53, type == 3 ? below(random, 4) * 2 : below(random, 8));
    for (unsigned index = 0; index < 3; index++) {
        put_ternary_source(random, word, index, type, macro);
        if (allows(operation, 'm')) {
            set(word, 37 + 2 * index, 37 + 2 * index, one_in(random, 4));
            set(word, 38 + 2 * index, 38 + 2 * index, one_in(random, 4));
        }
    }
}

/* Branches and sends start from what libiga64 assembles for this text. */
static const char *const template_text[] = {
    "L0:\nif (16|M0) L0 L0\n",
    "L0:\nelse (16|M0) L0 L0\n",
    "L0:\nendif (16|M0) L0\n",
    "L0:\nwhile (16|M0) L0\n",
    "L0:\nbreak (16|M0) L0 L0\n",
    "L0:\ncont (16|M0) L0 L0\n",
    "L0:\nhalt (16|M0) L0 L0\n",
    "L0:\ngoto (16|M0) L0 L0\n",
    "L0:\njoin (16|M0) L0\n",
    "L0:\njmpi L0\n",
    "L0:\ncall (16|M0) r1.0 L0\n",
    "L0:\nbrd (16|M0) L0\n",
    "L0:\nbrc (16|M0) L0 L0\n",
    "ret (16|M0) r1.0\n",
    "jmpi r1.0\n",
    "call (16|M0) r1.0 r2.0\n",
    "send (16|M0) r1 r2 0xC 0x02106E00\n",
    "send (16|M0) null r2 0xA a0.0\n",
    "sends (16|M0) r1 r2 r3 0x8C 0x02106E00\n",
    "sends (16|M0) null r2 r3 0x8C a0.0\n",
    "sends (16|M0) r1 r2 r3 a0.2 0x02106E00\n",
    "sendc (16|M0) r1 r2 0xC 0x02106E00\n",
    "sendsc (16|M0) r1 r2 r3 0x8C 0x02106E00\n",
    "wait n0.0:ud\n",
    "nop\n",
    "smov (8|M0) r1.0<1>:d r2.0<8;8,1>:d 0x15:uw\n",
    "movi (8|M0) r1.0<1>:uw r[a0.0]<8;8,1>:uw\n",
};

enum { TEMPLATE_COUNT = sizeof template_text / sizeof template_text[0] };

static uint64_t templates[TEMPLATE_COUNT][2];

static bool assemble_templates(struct iga *iga)
{
    for (size_t i = 0; i < TEMPLATE_COUNT; i++) {
        size_t size = 0;
        const uint8_t *code = iga_assemble(iga, template_text[i], IGA_ENCODE_NO_COMPACT, &size);
        if (code == NULL || size != 16) {
            printf("libiga64 does not assemble %s", template_text[i]);
            return false;
        }
        memcpy(templates[i], code, 16);
    }
    return true;
}

static void put_targets(struct random *random, uint64_t word[2], uint32_t index)
{
    uint32_t code = (uint32_t)word[0] & 0x7f;
    bool both = code == 0x22 || code == 0x23 || code == 0x24 || (code >= 0x28 && code <= 0x2a) ||
                code == 0x2e;
    bool register_form =
        code == 0x2d || ((code == 0x20 || code == 0x2c) && (word[1] >> 25 & 3) == 1);
    if (register_form) {
        unsigned number = code == 0x2d ? 69 : 101;
        set(word, number + 7, number, below(random, 128));
        return;
    }
    int32_t jip = ((int32_t)below(random, WORDS_A_BUFFER) - (int32_t)index) * 16;
    if (code == 0x20)
        jip -= 16; /* counted from the end of the instruction */
    set(word, 127, 96, (uint32_t)jip);
    if (both)
        set(word, 95, 64,
            (uint32_t)(((int32_t)below(random, WORDS_A_BUFFER) - (int32_t)index) * 16));
    if (code == 0x22 || code == 0x24 || code == 0x2e)
        set(word, 28, 28, below(random, 2));
}

static void put_message(struct random *random, uint64_t word[2])
{
    static const uint8_t functions[] = {0, 2, 3, 4, 6, 7, 8, 9, 10, 10, 10, 11, 12, 12, 12, 12, 13};
    bool split = (word[0] & 0x7f) >= 0x33;
    set(word, 27, 24, PICK(random, functions));
    if ((word[0] >> 35 & 1) != 0) /* not null */
        set(word, 60, 53, below(random, 128));
    set(word, 76, 69, below(random, 128));
    set(word, 127, 127, one_in(random, 8));
    bool immediate = split ? (word[1] >> 13 & 1) == 0 : (word[1] >> 25 & 3) == 3;
    if (immediate) {
        set(word, 126, 96, draw(random));
        if (one_in(random, 2))
            set(word, 103, 96, below(random, 2) * 254);
    }
    if (!split)
        return;
    set(word, 51, 44, below(random, 128));
    if ((word[0] >> 61 & 1) == 0)
        set(word, 67, 64, below(random, 16));
}

static void make_from_template(struct random *random, uint64_t word[2], uint32_t index)
{
    memcpy(word, templates[below(random, TEMPLATE_COUNT)], 16);
    uint32_t code = (uint32_t)word[0] & 0x7f;
    bool branch = code >= 0x20 && code <= 0x2f, message = code >= 0x31 && code <= 0x34;
    bool predicated = (branch && code != 0x24 && code != 0x25) || message;
    if (code == 0x7e || code == 0x30 || code == 0x0a || code == 0x03)
        return;
    if (code != 0x20)
        put_execution(random, word, below(random, 6));
    if (predicated)
        put_predicate(random, word, false);
    if (branch)
        put_targets(random, word, index);
    if (message)
        put_message(random, word);
}

static void make_word(struct random *random, uint64_t word[2], uint32_t index)
{
    static const struct operation madm = {CODE_MADM, TERNARY, "pcsm"};
    word[0] = word[1] = 0;
    uint32_t kind = below(random, 16);
    if (kind == 0) {
        make_math(random, word);
    } else if (kind == 1) {
        make_math_macro(random, word);
    } else if (kind == 2) {
        make_ternary(random, word, &madm);
    } else if (kind < 6) {
        make_from_template(random, word, index);
    } else {
        const struct operation *operation = &PICK(random, operations);
        if (operation->shape == TERNARY)
            make_ternary(random, word, operation);
        else
            make_basic(random, word, operation);
    }
}

/* Compacted words: any opcode that has such a form, any table index. What the
 * indices stand for is not known here, so many of these words are illegal. */
static uint64_t make_compacted(struct random *random)
{
    uint64_t word[2] = {draw(random), 0};
    const struct operation *operation = &PICK(random, operations);
    set(word, 7, 0, operation->code);
    set(word, 29, 29, 1);
    if (operation->shape == TERNARY)
        return word[0];
    set(word, 27, 24, allows(operation, 'c') ? PICK(random, conditions) : 0);
    set(word, 47, 47, 0);
    set(word, 55, 55, 0);
    set(word, 63, 63, 0);
    return word[0];
}

/* A line of the list: hexadecimal mask and value of both halves, then why. */
static bool read_excuses(struct oracle *oracle, const char *path)
{
    static struct oracle_excuse excuses[EXCUSES_MAXIMUM];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    char line[512];
    size_t count = 0;
    while (count < EXCUSES_MAXIMUM && fgets(line, sizeof line, file) != NULL) {
        struct oracle_excuse *excuse = &excuses[count];
        unsigned long long f[4];
        if (sscanf(line, "%llx %llx %llx %llx", &f[0], &f[1], &f[2], &f[3]) != 4)
            continue;
        for (size_t i = 0; i < 2; i++) {
            excuse->mask[i] = f[2 * i];
            excuse->value[i] = f[2 * i + 1];
        }
        count++;
    }
    fclose(file);
    oracle->excuses = excuses;
    oracle->excuse_count = count;
    return true;
}

static bool run_words(struct oracle *oracle, struct random *random, size_t count)
{
    static uint64_t buffer[WORDS_A_BUFFER][2];
    bool good = true;
    for (size_t done = 0; done < count && good; done += WORDS_A_BUFFER) {
        for (uint32_t i = 0; i < WORDS_A_BUFFER; i++)
            make_word(random, buffer[i], i);
        good = oracle_compare(oracle, "word", (const uint8_t *)buffer, sizeof buffer);
    }
    return good;
}

static bool run_compacted(struct oracle *oracle, struct random *random, size_t count)
{
    static uint64_t buffer[WORDS_A_BUFFER];
    bool good = true;
    for (size_t done = 0; done < count && good; done += WORDS_A_BUFFER) {
        for (uint32_t i = 0; i < WORDS_A_BUFFER; i++)
            buffer[i] = make_compacted(random);
        good = oracle_compare(oracle, "compacted word", (const uint8_t *)buffer, sizeof buffer);
    }
    return good;
}

static void report(const struct oracle *oracle, const char *what)
{
    printf("%s: %zu, %zu refused by iga, %zu by sonde, %zu accepted by sonde alone, %zu texts "
           "differ, %zu bytes differ, %zu disagreements excused\n",
           what, oracle->instructions, oracle->refused_by_iga, oracle->refused_by_us,
           oracle->accepted_by_us, oracle->different, oracle->changed, oracle->excused);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    size_t count = strtoull(argv[2], NULL, 0);
    struct random random = {.state = argc > 3 ? strtoull(argv[3], NULL, 0) : 0x50de};
    struct oracle words = {
        .iga = iga_open(), .platform = SONDE_GEN_PLATFORM_GEN9, .show_limit = 40};
    if (words.iga == NULL) {
        printf("libiga64.so.1 is not installed\n");
        return 77;
    }
    if (!read_excuses(&words, argv[1]) || !assemble_templates(words.iga))
        return 1;
    struct oracle compacted = words;
    bool good = run_words(&words, &random, count);
    report(&words, "words");
    good = run_compacted(&compacted, &random, count / 4) && good;
    report(&compacted, "compacted words");
    good = good && words.different + words.changed == 0 &&
           compacted.different + compacted.changed == 0 &&
           words.instructions - words.refused_by_iga >= count * 9 / 10 &&
           compacted.instructions - compacted.refused_by_iga >= count / 20;
    iga_close(words.iga);
    return good ? 0 : 1;
}
