/* Random legal words: what Gen9 and Gen11 share. */
#include "words.h"

#include <stdio.h>

uint64_t words_draw(struct words *g)
{
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return g->state * UINT64_C(0x2545f4914f6cdd1d);
}

uint32_t words_below(struct words *g, uint32_t limit)
{
    return (uint32_t)((words_draw(g) >> 32) % limit);
}

bool words_one_in(struct words *g, uint32_t chances)
{
    return words_below(g, chances) == 0;
}

void words_set(uint64_t word[2], unsigned high, unsigned low, uint64_t value)
{
    unsigned width = high - low + 1, at = low & 63;
    uint64_t mask = (width == 64 ? 0 : UINT64_C(1) << width) - 1;
    word[low / 64] = (word[low / 64] & ~(mask << at)) | ((value & mask) << at);
}

bool words_allows(const struct operation *operation, char what)
{
    return strchr(operation->allows, what) != NULL;
}

static const uint8_t conditions[] = {0, 0, 0, 1, 2, 3, 4, 5, 6, 8, 9};

static uint8_t pick(struct words *g, struct word_codes codes)
{
    return codes.codes[words_below(g, codes.count)];
}

static void put_options(struct words *g, uint64_t word[2])
{
    if (words_one_in(g, 8))
        words_set(word, 10, 9, words_below(g, 4));
    words_set(word, 15, 14, pick(g, g->family->thread_controls));
    words_set(word, 28, 28, words_one_in(g, 8));
    words_set(word, 30, 30, words_one_in(g, 32));
}

void words_put_execution(struct words *g, uint64_t word[2], uint32_t size_log2)
{
    uint32_t step = size_log2 < 3 ? 1 : 1u << (size_log2 - 2);
    uint32_t nibble = words_below(g, 8) & ~(step - 1);
    words_set(word, 23, 21, size_log2);
    words_set(word, 11, 11, nibble & 1);
    words_set(word, 13, 12, nibble >> 1);
    words_set(word, 34, 34, words_below(g, 2));
}

static void put_predicate(struct words *g, uint64_t word[2], bool align16)
{
    static const uint8_t align16_controls[] = {0, 1, 6, 7};
    if (words_one_in(g, 2)) {
        words_set(word, 19, 16, align16 ? PICK(g, align16_controls) : words_below(g, 14));
        words_set(word, 20, 20, words_below(g, 2));
    }
    words_set(word, 33, 32, words_below(g, 4));
}

void words_put_common(struct words *g, uint64_t word[2], const struct operation *operation,
                      bool align16)
{
    words_set(word, 6, 0, operation->code);
    words_set(word, 8, 8, align16);
    put_options(g, word);
    if (words_allows(operation, 'p'))
        put_predicate(g, word, align16);
    if (words_allows(operation, 'c')) {
        words_set(word, 27, 24, PICK(g, conditions));
        words_set(word, 33, 32, words_below(g, 4));
    }
    if (words_allows(operation, 's'))
        words_set(word, 31, 31, words_one_in(g, 4));
}

/* Register file, number and a sub-register aligned to the type. */
struct place {
    uint32_t file, number, subreg;
};

/* Which registers an operand may name. */
enum reach { WRITABLE, READABLE, GENERAL_ONLY };

static struct place draw_place(struct words *g, uint32_t size, enum reach reach)
{
    static const uint8_t writable[] = {0x00, 0x10, 0x20, 0x21, 0x30, 0x31, 0x80, 0x90};
    static const uint8_t readable[] = {0x00, 0x10, 0x20, 0x21, 0x30, 0x31, 0x40, 0x60,
                                       0x70, 0x71, 0x80, 0x90, 0xa0, 0xc0, 0xf0};
    struct place place = {.file = 1, .number = words_below(g, 128)};
    if (reach != GENERAL_ONLY && words_one_in(g, 5)) {
        place.file = 0;
        place.number = reach == WRITABLE ? PICK(g, writable) : PICK(g, readable);
    }
    uint32_t bytes = place.file == 1 || place.number < 0x30 ? 32 : 4;
    if (place.number == 0 && place.file == 0)
        bytes = size;
    place.subreg = bytes > size ? words_below(g, bytes / size) * size : 0;
    return place;
}

static void put_destination(struct words *g, uint64_t word[2], uint32_t type, enum reach reach)
{
    words_set(word, 40, 37, type);
    words_set(word, 62, 61, 1 + words_below(g, 3));
    if (reach == WRITABLE && words_one_in(g, 8)) {
        words_set(word, 36, 35, 1);
        words_set(word, 63, 63, 1);
        uint32_t offset = words_below(g, 1024);
        words_set(word, 60, 57, words_below(g, 16));
        words_set(word, 56, 48, offset);
        words_set(word, 47, 47, offset >> 9);
        return;
    }
    struct place place = draw_place(g, g->family->type_size[type], reach);
    words_set(word, 36, 35, place.file);
    words_set(word, 60, 53, place.number);
    words_set(word, 52, 48, place.subreg);
}

/* Source 1 lies 32 bits above source 0, but for its file and type. */
static void put_register_source(struct words *g, uint64_t word[2], unsigned index, uint32_t type,
                                bool modifiers, enum reach reach)
{
    static const uint8_t strides[] = {0, 1, 2, 3, 4, 5, 6};
    unsigned base = 64 + 32 * index;
    words_set(word, base + 17, base + 16, words_below(g, 4));
    words_set(word, base + 20, base + 18, words_below(g, 5));
    words_set(word, base + 24, base + 21, PICK(g, strides));
    if (modifiers) {
        words_set(word, base + 13, base + 13, words_one_in(g, 4));
        words_set(word, base + 14, base + 14, words_one_in(g, 4));
    }
    unsigned file = index == 0 ? 41 : 89;
    if (reach == READABLE && words_one_in(g, 8)) {
        uint32_t offset = words_below(g, 1024);
        words_set(word, file + 1, file, 1);
        words_set(word, base + 15, base + 15, 1);
        words_set(word, base + 12, base + 9, words_below(g, 16));
        words_set(word, base + 8, base, offset);
        unsigned sign = index == 0 ? 95 : 121;
        words_set(word, sign, sign, offset >> 9);
        if (words_one_in(g, 3))
            words_set(word, base + 24, base + 21, 15); /* VxH */
        return;
    }
    struct place place = draw_place(g, g->family->type_size[type], reach);
    words_set(word, file + 1, file, place.file);
    words_set(word, base + 12, base + 5, place.number);
    words_set(word, base + 4, base, place.subreg);
}

/* The last source may be an immediate; 64 bits of it only for a single source. */
static void put_immediate(struct words *g, uint64_t word[2], unsigned index, bool wide)
{
    static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0x7f800000,
                                      0xff800000, 0x7fc00001, 0x7f800123, 1,
                                      0x3dcccccd, 0x00800000, 0x40490fdb, 0x461c4000};
    uint32_t type = pick(g, wide ? g->family->wide : g->family->narrow);
    uint64_t value = words_one_in(g, 3) ? PICK(g, floats) : words_draw(g);
    if (words_one_in(g, 4))
        value &= 0xff;
    if (index == 0) {
        words_set(word, 42, 41, 3);
        words_set(word, 46, 43, type);
    } else {
        words_set(word, 90, 89, 3);
        words_set(word, 94, 91, type);
    }
    if (wide) {
        word[1] = words_one_in(g, 4) ? value << 40 : value;
        return;
    }
    if (type == 2 || type == 3 || type == g->family->half_immediate) /* 16 bits stand there twice */
        value = (value & 0xffff) * 0x10001;
    words_set(word, 127, 96, value);
}

static void put_source(struct words *g, uint64_t word[2], unsigned index, bool last, bool wide,
                       bool modifiers, enum reach reach)
{
    if (last && words_one_in(g, 3)) {
        put_immediate(g, word, index, wide && words_one_in(g, 3));
        return;
    }
    uint32_t type = words_below(g, g->family->type_count);
    if (index == 0)
        words_set(word, 46, 43, type);
    else
        words_set(word, 94, 91, type);
    put_register_source(g, word, index, type, modifiers, reach);
}

static void make_basic(struct words *g, uint64_t word[2], const struct operation *operation)
{
    words_put_common(g, word, operation, false);
    words_put_execution(g, word, words_below(g, 6));
    put_destination(g, word, words_below(g, g->family->type_count), WRITABLE);
    bool unary = operation->shape == UNARY, modifiers = words_allows(operation, 'm');
    put_source(g, word, 0, unary, operation->code == 0x01, modifiers, READABLE);
    if (!unary)
        put_source(g, word, 1, true, false, modifiers, GENERAL_ONLY);
}

static void make_math(struct words *g, uint64_t word[2])
{
    static const struct operation math = {CODE_MATH, BINARY, "psm"};
    static const uint8_t functions[] = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13};
    uint32_t function = PICK(g, functions);
    words_put_common(g, word, &math, false);
    words_put_execution(g, word, words_below(g, 5));
    words_set(word, 27, 24, function);
    put_destination(g, word, words_below(g, g->family->type_count), GENERAL_ONLY);
    put_source(g, word, 0, function < 9, false, true, GENERAL_ONLY);
    if (function >= 9)
        put_source(g, word, 1, true, false, true, GENERAL_ONLY);
}

uint32_t words_draw_mme(struct words *g)
{
    return words_below(g, 9); /* mme0 to mme7, nomme */
}

/* Branches, messages and others that both families write alike. */
static const char *const common_texts[] = {
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
};

static bool assemble_texts(struct words *g, struct iga *iga, const char *const *texts,
                           uint32_t count)
{
    if (g->template_count + count > WORDS_TEMPLATES_MAXIMUM)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        size_t size = 0;
        const uint8_t *code = iga_assemble(iga, texts[i], IGA_ENCODE_NO_COMPACT, &size);
        if (code == NULL || size != 16) {
            printf("libiga64 does not assemble %s", texts[i]);
            return false;
        }
        memcpy(g->templates[g->template_count++], code, 16);
    }
    return true;
}

bool words_open(struct words *g, const struct word_family *family, uint64_t seed, struct iga *iga)
{
    *g = (struct words){.state = seed, .family = family};
    return assemble_texts(g, iga, common_texts, sizeof common_texts / sizeof common_texts[0]) &&
           assemble_texts(g, iga, family->texts, family->text_count);
}

static void put_targets(struct words *g, uint64_t word[2], uint32_t index)
{
    uint32_t code = (uint32_t)word[0] & 0x7f;
    bool both = code == 0x22 || code == 0x23 || code == 0x24 || (code >= 0x28 && code <= 0x2a) ||
                code == 0x2e;
    bool register_form =
        code == 0x2d || ((code == 0x20 || code == 0x2c) && (word[1] >> 25 & 3) == 1);
    if (register_form) {
        unsigned number = code == 0x2d ? 69 : 101;
        words_set(word, number + 7, number, words_below(g, 128));
        return;
    }
    int32_t jip = ((int32_t)words_below(g, WORDS_A_BUFFER) - (int32_t)index) * 16;
    if (code == 0x20)
        jip -= 16; /* counted from the end of the instruction */
    words_set(word, 127, 96, (uint32_t)jip);
    if (both)
        words_set(word, 95, 64,
                  (uint32_t)(((int32_t)words_below(g, WORDS_A_BUFFER) - (int32_t)index) * 16));
    if (code == 0x22 || code == 0x24 || code == 0x2e)
        words_set(word, 28, 28, words_below(g, 2));
}

static void put_message(struct words *g, uint64_t word[2])
{
    static const uint8_t functions[] = {0, 2, 3, 4, 6, 7, 8, 9, 10, 10, 10, 11, 12, 12, 12, 12, 13};
    bool split = (word[0] & 0x7f) >= 0x33;
    words_set(word, 27, 24, PICK(g, functions));
    if ((word[0] >> 35 & 1) != 0) /* not null */
        words_set(word, 60, 53, words_below(g, 128));
    words_set(word, 76, 69, words_below(g, 128));
    words_set(word, 127, 127, words_one_in(g, 8));
    bool immediate = split ? (word[1] >> 13 & 1) == 0 : (word[1] >> 25 & 3) == 3;
    if (immediate) {
        words_set(word, 126, 96, words_draw(g));
        if (words_one_in(g, 2))
            words_set(word, 103, 96, words_below(g, 2) * 254);
    }
    if (!split)
        return;
    words_set(word, 51, 44, words_below(g, 128));
    if ((word[0] >> 61 & 1) == 0)
        words_set(word, 67, 64, words_below(g, 16));
}

static void make_from_template(struct words *g, uint64_t word[2], uint32_t index)
{
    memcpy(word, g->templates[words_below(g, g->template_count)], 16);
    uint32_t code = (uint32_t)word[0] & 0x7f;
    bool branch = code >= 0x20 && code <= 0x2f, message = code >= 0x31 && code <= 0x34;
    bool predicated = (branch && code != 0x24 && code != 0x25) || message;
    if (code == 0x7e || code == 0x30 || code == 0x0a || code == 0x03)
        return;
    if (code != 0x20)
        words_put_execution(g, word, words_below(g, 6));
    if (predicated)
        put_predicate(g, word, false);
    if (branch)
        put_targets(g, word, index);
    if (message)
        put_message(g, word);
}

static const struct operation *draw_operation(struct words *g)
{
    return &g->family->operations[words_below(g, g->family->operation_count)];
}

void words_make(struct words *g, uint64_t word[2], uint32_t index)
{
    static const struct operation madm = {CODE_MADM, TERNARY, "pcsm"};
    word[0] = word[1] = 0;
    uint32_t kind = words_below(g, 16);
    if (kind == 0) {
        make_math(g, word);
    } else if (kind == 1) {
        g->family->make_math_macro(g, word);
    } else if (kind == 2) {
        g->family->make_ternary(g, word, &madm);
    } else if (kind < 6) {
        make_from_template(g, word, index);
    } else {
        const struct operation *operation = draw_operation(g);
        if (operation->shape == TERNARY)
            g->family->make_ternary(g, word, operation);
        else
            make_basic(g, word, operation);
    }
}

/* Compacted words: any opcode that has such a form, any table index. What the
 * indices stand for is not known here, so many of these words are illegal. */
uint64_t words_make_compacted(struct words *g)
{
    uint64_t word[2] = {words_draw(g), 0};
    const struct operation *operation = draw_operation(g);
    words_set(word, 7, 0, operation->code);
    words_set(word, 29, 29, 1);
    if (operation->shape == TERNARY)
        return word[0];
    words_set(word, 27, 24, words_allows(operation, 'c') ? PICK(g, conditions) : 0);
    words_set(word, 47, 47, 0);
    words_set(word, 55, 55, 0);
    words_set(word, 63, 63, 0);
    return word[0];
}
