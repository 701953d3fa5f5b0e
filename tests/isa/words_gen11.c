/* What random words of Gen11 have of their own: three sources and macros in
 * align1, and the codes of types. */
#include "words.h"

/* math.invm and math.rsqtm: an mme register in place of a sub-register. */
static void make_math_macro(struct words *g, uint64_t word[2])
{
    static const struct operation math = {CODE_MATH, BINARY, "psm"};
    static const uint8_t types[] = {8, 9, 10}; /* hf, f, df */
    bool binary = words_one_in(g, 2);
    uint32_t type = PICK(g, types);
    words_put_common(g, word, &math, false);
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
        words_set(word, base + 13, base + 13, words_one_in(g, 4));
        words_set(word, base + 14, base + 14, words_one_in(g, 4));
        words_set(word, base + 20, base + 18, 1); /* <2;2,1> */
        words_set(word, base + 24, base + 21, 2);
        words_set(word, base + 17, base + 16, 1);
    }
}

/* Bytes of a type code of the class, floats or integers. */
static const uint8_t float_size[] = {2, 4, 8, 4}, integer_size[] = {4, 4, 2, 2, 1, 1};

struct ternary_field {
    unsigned type, vertical, horizontal, subreg, number; /* lowest bit of each */
};

static const struct ternary_field ternary_fields[3] = {
    {64, 67, 69, 71, 76},
    {85, 88, 90, 92, 97},
    {106, 0, 111, 113, 118},
};

/* Bit 43 or 45 says that source 0 or 2 is an immediate of 16 bits. */
static void put_ternary_immediate(struct words *g, uint64_t word[2], unsigned index, bool is_float)
{
    const struct ternary_field *field = &ternary_fields[index];
    uint32_t low = index == 0 ? 67 : 109;
    words_set(word, 43 + index, 43 + index, 1);
    words_set(word, field->type + 2, field->type, is_float ? 0 : 2 + words_below(g, 2));
    words_set(word, low + 15, low, words_draw(g));
}

static void put_ternary_source(struct words *g, uint64_t word[2], unsigned index, bool is_float,
                               bool macro)
{
    const struct ternary_field *field = &ternary_fields[index];
    uint32_t type = words_below(g, is_float ? 4 : 6);
    uint32_t size = is_float ? float_size[type] : integer_size[type];
    words_set(word, field->type + 2, field->type, type);
    words_set(word, field->number + 7, field->number, words_below(g, 128));
    if (macro) {
        words_set(word, field->subreg + 4, field->subreg + 1, words_draw_mme(g));
        return;
    }
    if (index == 1 && words_one_in(g, 6)) { /* an accumulator */
        words_set(word, 44, 44, 1);
        words_set(word, field->number + 7, field->number, 0x20 + words_below(g, 2));
    }
    words_set(word, field->subreg + 4, field->subreg, words_below(g, 32 / size) * size);
    words_set(word, field->horizontal + 1, field->horizontal, words_below(g, 4));
    if (index != 2)
        words_set(word, field->vertical + 1, field->vertical, words_below(g, 4));
}

static void put_ternary_destination(struct words *g, uint64_t word[2], bool is_float, bool macro)
{
    words_set(word, 35, 35, is_float);
    words_set(word, 48, 46, words_below(g, is_float ? 4 : 6));
    words_set(word, 63, 56, words_below(g, 128));
    if (macro) {
        words_set(word, 55, 52, words_draw_mme(g));
        return;
    }
    if (words_one_in(g, 6)) { /* an accumulator */
        words_set(word, 36, 36, 1);
        words_set(word, 63, 56, 0x20 + words_below(g, 2));
    }
    words_set(word, 49, 49, words_below(g, 2));
    words_set(word, 55, 54, words_below(g, 4));
}

static void make_ternary(struct words *g, uint64_t word[2], const struct operation *operation)
{
    bool macro = operation->code == CODE_MADM, is_float = macro || words_one_in(g, 2);
    words_put_common(g, word, operation, false);
    words_put_execution(g, word, words_below(g, 6));
    put_ternary_destination(g, word, is_float, macro);
    for (unsigned index = 0; index < 3; index++) {
        bool immediate = !macro && index != 1 && words_one_in(g, 5);
        if (immediate)
            put_ternary_immediate(g, word, index, is_float);
        else
            put_ternary_source(g, word, index, is_float, macro);
        if (immediate || !words_allows(operation, 'm'))
            continue;
        words_set(word, 37 + 2 * index, 37 + 2 * index, words_one_in(g, 4));
        words_set(word, 38 + 2 * index, 38 + 2 * index, words_one_in(g, 4));
    }
}

/* What only this family writes so. */
static const char *const texts[] = {
    "movi (8|M0) r1.0<1>:uw r[a0.0]<8;8,1>:uw 0x5:uw\n",
    "movi (8|M0) r1.0<1>:uw r[a0.0]<8;8,1>:uw null<0;1,0>:ud\n",
};

static const struct operation operations[] = {
    {0x01, UNARY, "pcsm"},   {0x02, BINARY, "pcsm"}, {0x04, UNARY, "pcm"},   {0x05, BINARY, "pcm"},
    {0x06, BINARY, "pcm"},   {0x07, BINARY, "pcm"},  {0x08, BINARY, "pcsm"}, {0x09, BINARY, "pcsm"},
    {0x0c, BINARY, "pcsm"},  {0x10, BINARY, "pcm"},  {0x11, BINARY, "pcm"},  {0x17, UNARY, "p"},
    {0x19, BINARY, "p"},     {0x40, BINARY, "pcsm"}, {0x41, BINARY, "pcsm"}, {0x42, BINARY, "pcsm"},
    {0x43, UNARY, "pcm"},    {0x44, UNARY, "pcsm"},  {0x45, UNARY, "pcsm"},  {0x46, UNARY, "pcsm"},
    {0x47, UNARY, "pcsm"},   {0x48, BINARY, "pcsm"}, {0x49, BINARY, "psm"},  {0x4a, UNARY, "pcsm"},
    {0x4b, UNARY, "p"},      {0x4c, UNARY, "p"},     {0x4d, UNARY, "p"},     {0x4e, BINARY, "pc"},
    {0x4f, BINARY, "pcs"},   {0x12, TERNARY, "csm"}, {0x18, TERNARY, "p"},   {0x1a, TERNARY, "p"},
    {0x5b, TERNARY, "pcsm"}, {0x0e, BINARY, "pc"},   {0x0f, BINARY, "pc"},
};

static const uint8_t type_size[] = {4, 4, 2, 2, 1, 1, 8, 8, 2, 4, 8, 4};
static const uint8_t narrow[] = {0, 1, 2, 3, 4, 5, 8, 9, 11};
static const uint8_t wide[] = {6, 7, 10};
static const uint8_t thread_controls[] = {0, 0, 0, 0, 1, 2, 3};

const struct word_family word_family_gen11 = {
    .platform = SONDE_GEN_PLATFORM_GEN11,
    .type_size = type_size,
    .type_count = sizeof type_size,
    .narrow = {narrow, sizeof narrow},
    .wide = {wide, sizeof wide},
    .half_immediate = 8,
    .thread_controls = {thread_controls, sizeof thread_controls},
    .operations = operations,
    .operation_count = sizeof operations / sizeof operations[0],
    .texts = texts,
    .text_count = sizeof texts / sizeof texts[0],
    .make_math_macro = make_math_macro,
    .make_ternary = make_ternary,
};
