/* What random words of Gen9 have of their own: align16 for three sources and
 * for macros, and the codes of types. */
#include "words.h"

enum { TYPE_DF = 6 };

/* math.invm and math.rsqtm: align16, an mme register instead of swizzles. */
static void make_math_macro(struct words *g, uint64_t word[2])
{
    static const struct operation math = {CODE_MATH, BINARY, "psm"};
    static const uint8_t types[] = {TYPE_DF, 7, 10};
    bool binary = words_one_in(g, 2);
    uint32_t type = PICK(g, types), stride = type == TYPE_DF ? 2 : 3;
    words_put_common(g, word, &math, true);
    words_put_execution(g, word, words_below(g, 5));
    words_set(word, 27, 24, binary ? 14 : 15);
    words_set(word, 36, 35, 1);
    words_set(word, 40, 37, type);
    words_set(word, 60, 53, words_below(g, 128));
    words_set(word, 62, 61, 1);
    words_set(word, 51, 48, words_draw_mme(g));
    for (unsigned index = 0; index < (binary ? 2u : 1u); index++) {
        unsigned base = 64 + 32 * index, file = index == 0 ? 41 : 89;
        words_set(word, file + 1, file, 1);
        words_set(word, file + 5, file + 2, type);
        words_set(word, base + 3, base, words_draw_mme(g));
        words_set(word, base + 12, base + 5, words_below(g, 128));
        words_set(word, base + 24, base + 21, stride);
        words_set(word, base + 13, base + 13, words_one_in(g, 4));
        words_set(word, base + 14, base + 14, words_one_in(g, 4));
    }
}

/* Ternary types: f, d, ud, df, hf. */
static void put_ternary_types(struct words *g, uint64_t word[2], uint32_t code, uint32_t *type)
{
    static const uint8_t float_types[] = {0, 0, 3, 4};
    bool integer = code == 0x18 || code == 0x1a || (code == 0x5b && words_one_in(g, 4));
    *type = integer ? 1 + words_below(g, 2) : PICK(g, float_types);
    if (code == 0x12 || code == 0x5c)
        *type = 0;
    words_set(word, 48, 46, *type);
    words_set(word, 45, 43, *type);
    if (code == 0x5b && *type == 0 && words_one_in(g, 3)) {
        words_set(word, 35, 35, words_below(g, 2));
        words_set(word, 36, 36, words_below(g, 2));
    }
}

static void put_ternary_source(struct words *g, uint64_t word[2], unsigned index, uint32_t type,
                               bool macro)
{
    unsigned base = 64 + 21 * index;
    unsigned control = base, swizzle = base + 1, subreg = base + 9, number = base + 12;
    words_set(word, number + 7, number, words_below(g, 128));
    if (macro) {
        words_set(word, swizzle + 3, swizzle, words_draw_mme(g));
        return;
    }
    uint32_t step = type == 3 ? 2 : 1;
    words_set(word, subreg + 2, subreg, words_below(g, 8 / step) * step);
    static const uint8_t df_swizzles[] = {0xe4, 0x44, 0xee};
    if (words_one_in(g, 3)) {
        words_set(word, control, control, 1);
        return;
    }
    words_set(word, swizzle + 7, swizzle, type == 3 ? PICK(g, df_swizzles) : 0xe4);
}

/* Source fields can straddle the 64-bit boundary; none of them does. */
static void make_ternary(struct words *g, uint64_t word[2], const struct operation *operation)
{
    static const uint8_t scalar_masks[] = {1, 2, 4, 8}, pair_masks[] = {3, 12, 15};
    bool macro = operation->code == CODE_MADM;
    words_put_common(g, word, operation, true);
    uint32_t type;
    put_ternary_types(g, word, operation->code, &type);
    if (macro) {
        type = words_one_in(g, 2) ? 3 : 0;
        words_set(word, 48, 46, type);
        words_set(word, 45, 43, type);
    }
    /* df scalars use two of the four channels of two elements. */
    uint32_t size = type == 3 && !macro ? 1 + words_below(g, 3) : 2 + words_below(g, 3);
    words_put_execution(g, word, size);
    words_set(word, 52, 49, 0xf);
    if (macro)
        words_set(word, 52, 49, words_draw_mme(g));
    else if (size == 1)
        words_set(word, 52, 49, PICK(g, pair_masks));
    else if (size == 2 && type != 3 && words_one_in(g, 2))
        words_set(word, 52, 49, PICK(g, scalar_masks));
    words_set(word, 63, 56, words_below(g, 128));
    if (!macro)
        words_set(word, 55, 53, type == 3 ? words_below(g, 4) * 2 : words_below(g, 8));
    for (unsigned index = 0; index < 3; index++) {
        put_ternary_source(g, word, index, type, macro);
        if (words_allows(operation, 'm')) {
            words_set(word, 37 + 2 * index, 37 + 2 * index, words_one_in(g, 4));
            words_set(word, 38 + 2 * index, 38 + 2 * index, words_one_in(g, 4));
        }
    }
}

/* What only this family writes so. */
static const char *const texts[] = {
    "movi (8|M0) r1.0<1>:uw r[a0.0]<8;8,1>:uw\n",
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

static const uint8_t type_size[11] = {4, 4, 2, 2, 1, 1, 8, 4, 8, 8, 2};
static const uint8_t narrow[] = {0, 1, 2, 3, 4, 5, 6, 7, 11};
static const uint8_t wide[] = {8, 9, 10};
static const uint8_t thread_controls[] = {0, 0, 0, 0, 1, 2};

const struct word_family word_family_gen9 = {
    .platform = SONDE_GEN_PLATFORM_GEN9,
    .type_size = type_size,
    .type_count = sizeof type_size,
    .narrow = {narrow, sizeof narrow},
    .wide = {wide, sizeof wide},
    .half_immediate = 11,
    .thread_controls = {thread_controls, sizeof thread_controls},
    .operations = operations,
    .operation_count = sizeof operations / sizeof operations[0],
    .texts = texts,
    .text_count = sizeof texts / sizeof texts[0],
    .make_math_macro = make_math_macro,
    .make_ternary = make_ternary,
};
