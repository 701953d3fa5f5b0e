/* Typed messages, media blocks and tiling. The place of every byte of a tile
 * is found by walking the tile in memory order; texel values are compared with
 * conversions in double precision. */
#include <math.h>
#include <stdlib.h>

#include "message_fixture.h"

#define BASE UINT64_C(0x7fac00000000)

enum { LINEAR = 0, XTILE = 2, YTILE = 3 };
enum { MAP_WIDTH = 1024, MAP_HEIGHT = 256 };

/* Byte offset of column x, row y of a surface of MAP_WIDTH bytes. */
static uint32_t place_of[MAP_HEIGHT][MAP_WIDTH];

static void walk_tiles(unsigned tile)
{
    uint32_t at = 0;

    if (tile == LINEAR) {
        for (unsigned y = 0; y < MAP_HEIGHT; y++)
            for (unsigned x = 0; x < MAP_WIDTH; x++)
                place_of[y][x] = at++;
        return;
    }
    unsigned width = tile == XTILE ? 512 : 128, height = tile == XTILE ? 8 : 32;
    unsigned column = tile == XTILE ? 512 : 16;
    for (unsigned ty = 0; ty < MAP_HEIGHT; ty += height)
        for (unsigned tx = 0; tx < MAP_WIDTH; tx += width)
            for (unsigned cx = 0; cx < width; cx += column)
                for (unsigned y = 0; y < height; y++)
                    for (unsigned x = 0; x < column; x++)
                        place_of[ty + y][tx + cx + x] = at++;
}

static void set_typed(struct emu_worker *worker, uint8_t operation, unsigned coordinates,
                      unsigned mask, unsigned sources, bool split)
{
    unsigned data =
        operation == SONDE_GEN_MESSAGE_TYPED_WRITE ? (unsigned)__builtin_popcount(mask) : sources;

    worker->message = (struct sonde_gen_message){
        .operation = operation,
        .layout = SONDE_GEN_LAYOUT_TYPED,
        .address_model = SONDE_GEN_ADDRESS_SURFACE,
        .bti = 5,
        .simd = 8,
        .component_mask = (uint8_t)mask,
        .payload_registers = (uint8_t)(coordinates + (split ? 0 : data)),
        .src1_registers = (uint8_t)(split ? data : 0),
    };
    if (operation == SONDE_GEN_MESSAGE_TYPED_READ)
        worker->message.response_registers = (uint8_t)__builtin_popcount(mask);
}

static void put_dword(struct emu_worker *worker, unsigned grf, unsigned lane, uint32_t value)
{
    memcpy(fixture_grf(worker, grf) + 4 * lane, &value, 4);
}

static uint32_t get_dword(struct emu_worker *worker, unsigned grf, unsigned lane)
{
    uint32_t value;

    memcpy(&value, fixture_grf(worker, grf) + 4 * lane, 4);
    return value;
}

/* A texel for each channel, at a random place. */
enum { QPITCH = 64, LAYERS = 3, HEIGHT = 61 };
struct texels {
    unsigned bytes;        /* of one */
    uint32_t values[4][8]; /* by component and channel */
    uint32_t at[8];        /* offset in the surface */
    uint8_t before[8][16]; /* what is there */
};

static void choose_texels(struct emu_worker *worker, unsigned width, unsigned data,
                          struct texels *texels)
{
    unsigned bytes = texels->bytes;

    for (unsigned lane = 0; lane < 8; lane++) {
        /* Distinct columns, so that channels do not overwrite. */
        unsigned x = (fixture_random() % (width / 8)) * 8 + lane;
        unsigned y = fixture_random() % HEIGHT, z = fixture_random() % LAYERS;
        put_dword(worker, FIXTURE_SRC0, lane, x);
        put_dword(worker, FIXTURE_SRC0 + 1, lane, y);
        put_dword(worker, FIXTURE_SRC0 + 2, lane, z);
        texels->at[lane] = place_of[y + z * QPITCH][x * bytes];
        for (unsigned i = 0; i < 4; i++) {
            texels->values[i][lane] =
                fixture_random() & (bytes >= 4 ? UINT32_MAX : (1u << 8 * bytes) - 1);
            put_dword(worker, data + i, lane, texels->values[i][lane]);
        }
    }
    for (unsigned lane = 0; lane < 8; lane++)
        fixture_get(worker, BASE + texels->at[lane], texels->before[lane], bytes);
}

/* Channels that are not enabled left theirs alone. */
static void check_memory(struct emu_worker *worker, const struct texels *texels, uint32_t enabled)
{
    unsigned bytes = texels->bytes;
    uint8_t after[16];

    for (unsigned lane = 0; lane < 8; lane++) {
        fixture_get(worker, BASE + texels->at[lane], after, bytes);
        for (unsigned i = 0; i < (bytes + 3) / 4; i++)
            if (enabled >> lane & 1)
                assert_memory_equal(after + 4 * i, &texels->values[i][lane], bytes < 4 ? bytes : 4);
            else
                assert_memory_equal(after, texels->before[lane], bytes);
    }
}

static void check_registers(struct emu_worker *worker, const struct texels *texels,
                            uint32_t enabled)
{
    for (unsigned lane = 0; lane < 8; lane++)
        for (unsigned i = 0; enabled >> lane & 1 && i < 4; i++) {
            uint32_t absent = i == 3;
            assert_int_equal(get_dword(worker, FIXTURE_DST + i, lane),
                             i < (texels->bytes + 3) / 4 ? texels->values[i][lane] : absent);
        }
}

static void write_and_read(struct emu_worker *worker, unsigned width, unsigned bytes, bool split)
{
    struct texels texels = {.bytes = bytes};
    uint32_t enabled = fixture_random() & 0xff;

    choose_texels(worker, width, split ? FIXTURE_SRC1 : FIXTURE_SRC0 + 3, &texels);
    set_typed(worker, SONDE_GEN_MESSAGE_TYPED_WRITE, 3, 0xf, 0, split);
    assert_int_equal(fixture_run(worker, enabled, split), EMU_MESSAGE_DONE);
    check_memory(worker, &texels, enabled);
    set_typed(worker, SONDE_GEN_MESSAGE_TYPED_READ, 3, 0xf, 0, false);
    assert_int_equal(fixture_run(worker, enabled, false), EMU_MESSAGE_DONE);
    check_registers(worker, &texels, enabled);
}

static void tiles_hold_texels_where_they_belong(void **state)
{
    static const struct {
        unsigned format, bytes;
    } formats[] = {{0x143, 1}, {0x10d, 2}, {0x0d7, 4}, {0x087, 8}, {0x002, 16}};
    static const unsigned tiles[] = {LINEAR, XTILE, YTILE};
    struct emu_worker *worker = fixture_create(NULL);

    (void)state;
    fixture_map(worker, BASE, (size_t)MAP_WIDTH * MAP_HEIGHT);
    for (unsigned t = 0; t < 3; t++) {
        walk_tiles(tiles[t]);
        for (unsigned f = 0; f < 5; f++) {
            unsigned width = MAP_WIDTH / formats[f].bytes - 3;
            struct fixture_image image = {.type = f % 2 ? 2 : 1,
                                          .format = formats[f].format,
                                          .tile = tiles[t],
                                          .width = width,
                                          .height = HEIGHT,
                                          .depth = LAYERS,
                                          .pitch = MAP_WIDTH,
                                          .qpitch = QPITCH,
                                          .array = f % 2 == 0,
                                          .base = BASE};
            fixture_image(worker, 5, &image);
            for (unsigned round = 0; round < 300; round++)
                write_and_read(worker, width, formats[f].bytes, round % 2);
        }
    }
    assert_int_equal(worker->outside, 0);
    fixture_destroy(worker, true);
}

static void outside_texels(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    struct fixture_image image = {.type = 1,
                                  .format = 0xd7,
                                  .tile = YTILE,
                                  .width = 20,
                                  .height = 10,
                                  .depth = 1,
                                  .pitch = 128,
                                  .base = BASE};
    const uint32_t u[8] = {19, 20, 0, 0, UINT32_MAX, 3, 4, 5};
    const uint32_t v[8] = {9, 0, 10, 0, 0, UINT32_MAX, 1, 1};
    uint8_t before[EMU_PAGE_SIZE], after[EMU_PAGE_SIZE];

    (void)state;
    fixture_map(worker, BASE, EMU_PAGE_SIZE);
    fixture_image(worker, 5, &image);
    memcpy(fixture_grf(worker, FIXTURE_SRC0), u, 32);
    memcpy(fixture_grf(worker, FIXTURE_SRC0 + 1), v, 32);
    set_typed(worker, SONDE_GEN_MESSAGE_TYPED_READ, 2, 0x1, 0, false);
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    assert_int_equal(worker->outside, 4);
    assert_int_equal(get_dword(worker, FIXTURE_DST, 1), 0);
    assert_int_equal(get_dword(worker, FIXTURE_DST, 5), 0);
    fixture_get(worker, BASE, before, sizeof before);
    set_typed(worker, SONDE_GEN_MESSAGE_TYPED_WRITE, 2, 0x1, 0, true);
    assert_int_equal(fixture_run(worker, 0x36, true), EMU_MESSAGE_DONE);
    fixture_get(worker, BASE, after, sizeof after);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(worker->outside, 8);
    fixture_destroy(worker, true);
}

/* One component in double precision: stored field to value, and back. */
struct field {
    unsigned width;
    char kind; /* 'u'norm 's'norm 'U'int 'S'int 'f'loat */
};

static double half_value(uint16_t bits)
{
    unsigned exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double sign = bits >> 15 ? -1 : 1;

    if (exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + mantissa, (int)exponent - 25) : ldexp(mantissa, -24));
}

static double field_value(struct field field, uint32_t bits)
{
    double top = ldexp(1, (int)field.width) - 1, half_top = ldexp(1, (int)field.width - 1);
    double number = bits >= half_top ? (double)bits - 2 * half_top : (double)bits;
    float single;

    switch (field.kind) {
    case 'u':
        return bits / top;
    case 's':
        return fmax(number / (half_top - 1), -1);
    case 'f':
        memcpy(&single, &bits, 4);
        return field.width == 16 ? half_value((uint16_t)bits) : (double)single;
    default:
        return 0;
    }
}

/* A format of which all components are alike. */
struct small_format {
    unsigned format, bytes;
    struct field field;
    unsigned components[4]; /* byte position + 1 in the texel, 0: absent */
};

/* Eight texels of values from `first` on go to memory. */
static void put_texels(struct emu_worker *worker, const struct small_format *row, uint32_t first,
                       uint8_t texels[8][8], uint8_t memory[64])
{
    unsigned step = row->field.width / 8;

    memset(memory, 0xee, 64);
    for (unsigned lane = 0; lane < 8; lane++) {
        for (unsigned i = 0; i < 4; i++) {
            /* Components differ, but for those that share their bits. */
            uint32_t bits = (first + lane) ^ ((row->components[i] - 1) / step * 0x55);
            if (row->components[i])
                memcpy(texels[lane] + row->components[i] - 1, &bits, step);
        }
        memcpy(memory + lane * row->bytes, texels[lane], row->bytes);
        put_dword(worker, FIXTURE_SRC0, lane, lane);
        put_dword(worker, FIXTURE_SRC0 + 1, lane, 0);
    }
    fixture_put(worker, BASE, memory, 64);
}

/* What was read of component i of a texel. */
static void check_component(const struct small_format *row, const uint8_t *texel, unsigned i,
                            uint32_t got)
{
    unsigned step = row->field.width / 8;
    bool integer = row->field.kind == 'U' || row->field.kind == 'S';
    uint32_t bits = 0;
    float value;

    memcpy(&value, &got, 4);
    if (!row->components[i]) {
        assert_true(integer ? got == (i == 3) : value == (i == 3 ? 1.0f : 0.0f));
        return;
    }
    memcpy(&bits, texel + row->components[i] - 1, step);
    double expected = field_value(row->field, bits);
    if (row->field.kind == 'U')
        assert_int_equal(got, bits);
    else if (row->field.kind == 'S')
        assert_int_equal(got, step == 1 ? (uint32_t)(int8_t)bits : (uint32_t)(int16_t)bits);
    else if (isnan(expected))
        assert_true(isnan(value));
    else
        assert_true(value == (float)expected);
}

/* Write back what was read: the same bytes (but for NaN payloads and the two
 * encodings of -1). */
static void write_back(struct emu_worker *worker, const struct small_format *row,
                       const uint8_t memory[64])
{
    unsigned step = row->field.width / 8;
    uint8_t back[64];

    memcpy(fixture_grf(worker, FIXTURE_SRC1), fixture_grf(worker, FIXTURE_DST), 128);
    memset(back, 0xee, sizeof back);
    fixture_put(worker, BASE, back, sizeof back);
    set_typed(worker, SONDE_GEN_MESSAGE_TYPED_WRITE, 2, 0xf, 0, true);
    assert_int_equal(fixture_run(worker, 0xff, true), EMU_MESSAGE_DONE);
    fixture_get(worker, BASE, back, sizeof back);
    for (unsigned at = 0; at < 8 * row->bytes; at += step) {
        uint32_t old = 0, new = 0;
        memcpy(&old, memory + at, step);
        memcpy(&new, back + at, step);
        double value = field_value(row->field, old);
        if (!isnan(value) && !(row->field.kind == 's' && value == -1))
            assert_int_equal(old, new);
    }
    assert_memory_equal(memory + 8 * row->bytes, back + 8 * row->bytes, 64 - 8 * row->bytes);
}

static void convert_format(struct emu_worker *worker, const struct small_format *row)
{
    struct fixture_image image = {.type = 1,
                                  .format = row->format,
                                  .width = 8,
                                  .height = 1,
                                  .depth = 1,
                                  .pitch = 64,
                                  .base = BASE};

    fixture_image(worker, 5, &image);
    for (uint32_t first = 0; first < 1u << row->field.width; first += 8) {
        uint8_t texels[8][8] = {{0}}, memory[64];
        put_texels(worker, row, first, texels, memory);
        set_typed(worker, SONDE_GEN_MESSAGE_TYPED_READ, 2, 0xf, 0, false);
        assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
        for (unsigned lane = 0; lane < 8; lane++)
            for (unsigned i = 0; i < 4; i++)
                check_component(row, texels[lane], i, get_dword(worker, FIXTURE_DST + i, lane));
        write_back(worker, row, memory);
    }
}

/* Every value of every 8- and 16-bit component: read it, write it back. */
static void small_formats_convert(void **state)
{
    static const struct small_format rows[] = {
        {0x0c7, 4, {8, 'u'}, {1, 2, 3, 4}},  {0x0c0, 4, {8, 'u'}, {3, 2, 1, 4}},
        {0x0c9, 4, {8, 's'}, {1, 2, 3, 4}},  {0x0ca, 4, {8, 'S'}, {1, 2, 3, 4}},
        {0x0cb, 4, {8, 'U'}, {1, 2, 3, 4}},  {0x106, 2, {8, 'u'}, {1, 2, 0, 0}},
        {0x107, 2, {8, 's'}, {1, 2, 0, 0}},  {0x140, 1, {8, 'u'}, {1, 0, 0, 0}},
        {0x144, 1, {8, 'u'}, {0, 0, 0, 1}},  {0x142, 1, {8, 'S'}, {1, 0, 0, 0}},
        {0x080, 8, {16, 'u'}, {1, 3, 5, 7}}, {0x081, 8, {16, 's'}, {1, 3, 5, 7}},
        {0x082, 8, {16, 'S'}, {1, 3, 5, 7}}, {0x084, 8, {16, 'f'}, {1, 3, 5, 7}},
        {0x0cc, 4, {16, 'u'}, {1, 3, 0, 0}}, {0x0d0, 4, {16, 'f'}, {1, 3, 0, 0}},
        {0x10a, 2, {16, 'u'}, {1, 0, 0, 0}}, {0x10b, 2, {16, 's'}, {1, 0, 0, 0}},
        {0x10e, 2, {16, 'f'}, {1, 0, 0, 0}}, {0x145, 1, {8, 'u'}, {1, 1, 1, 1}},
        {0x112, 2, {16, 'u'}, {1, 1, 1, 0}},
    };
    struct emu_worker *worker = fixture_create(NULL);

    (void)state;
    fixture_map(worker, BASE, EMU_PAGE_SIZE);
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        convert_format(worker, &rows[r]);
    fixture_destroy(worker, true);
}

static void writes_clamp_and_round(void **state)
{
    static const struct {
        unsigned format;
        uint32_t value[8], stored[8];
        unsigned bytes;
    } rows[] = {
        /* 8-bit unsigned and signed integers saturate. */
        {0x143,
         {0, 255, 256, 0x7fffffff, 0xffffffff, 1, 2, 3},
         {0, 255, 255, 255, 255, 1, 2, 3},
         1},
        {0x142,
         {127, 128, 0x7fffffff, 0xffffff80, 0xffffff7f, 0x80000000, 0, 0xffffffff},
         {127, 127, 127, 0x80, 0x80, 0x80, 0, 0xff},
         1},
        /* 8-bit normalised: 0.5, below 0, above 1, NaN, 0.498/255, 1.502/255, 1, 0. */
        {0x140,
         {0x3f000000, 0xbf800000, 0x40000000, 0x7fc00000, 0x3b000000, 0x3bc10000, 0x3f800000, 0},
         {128, 0, 255, 0, 0, 2, 255, 0},
         1},
        {0x141,
         {0x3f800000, 0xbf800000, 0xc0000000, 0x40000000, 0, 0x3f000000, 0xbf000000, 0x7fc00000},
         {127, 0x81, 0x81, 127, 0, 64, 0xc0, 0},
         1},
        /* Half: 1, 65504, 65520 (infinite), -0, 2^-25 (0, tie), 2^-24, 1/3, -infinity. */
        {0x10e,
         {0x3f800000, 0x477fe000, 0x477ff000, 0x80000000, 0x33000000, 0x33800000, 0x3eaaaaab,
          0xff800000},
         {0x3c00, 0x7bff, 0x7c00, 0x8000, 0, 1, 0x3555, 0xfc00},
         2},
    };
    struct emu_worker *worker = fixture_create(NULL);

    (void)state;
    fixture_map(worker, BASE, EMU_PAGE_SIZE);
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct fixture_image image = {.type = 1,
                                      .format = rows[r].format,
                                      .width = 8,
                                      .height = 1,
                                      .depth = 1,
                                      .pitch = 64,
                                      .base = BASE};
        fixture_image(worker, 5, &image);
        for (unsigned lane = 0; lane < 8; lane++) {
            put_dword(worker, FIXTURE_SRC0, lane, lane);
            put_dword(worker, FIXTURE_SRC0 + 1, lane, 0);
            put_dword(worker, FIXTURE_SRC1, lane, rows[r].value[lane]);
        }
        set_typed(worker, SONDE_GEN_MESSAGE_TYPED_WRITE, 2, 0x1, 0, true);
        assert_int_equal(fixture_run(worker, 0xff, true), EMU_MESSAGE_DONE);
        for (unsigned lane = 0; lane < 8; lane++) {
            uint32_t stored = 0;
            fixture_get(worker, BASE + lane * rows[r].bytes, &stored, rows[r].bytes);
            assert_int_equal(stored, rows[r].stored[lane]);
        }
    }
    fixture_destroy(worker, true);
}

static void typed_atomics(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    struct fixture_image image = {.type = 1,
                                  .format = 0xd7,
                                  .tile = YTILE,
                                  .width = 32,
                                  .height = 32,
                                  .depth = 1,
                                  .pitch = 128,
                                  .base = BASE};
    uint32_t cells[2] = {100, 7}, returned;

    (void)state;
    fixture_map(worker, BASE, EMU_PAGE_SIZE);
    fixture_image(worker, 5, &image);
    fixture_put(worker, BASE, cells, 8); /* texels (0,0) and (1,0) */
    for (unsigned lane = 0; lane < 8; lane++) {
        put_dword(worker, FIXTURE_SRC0, lane, lane % 2);
        put_dword(worker, FIXTURE_SRC0 + 1, lane, lane == 7 ? 32 : 0);
        put_dword(worker, FIXTURE_SRC1, lane, lane + 1);
    }
    set_typed(worker, SONDE_GEN_MESSAGE_TYPED_ATOMIC, 2, 0, 1, true);
    worker->message.atomic = 7; /* add */
    worker->message.returns_data = true;
    worker->message.response_registers = 1;
    assert_int_equal(fixture_run(worker, 0xfd, true), EMU_MESSAGE_DONE);
    fixture_get(worker, BASE, cells, 8);
    assert_int_equal(cells[0], 100 + 1 + 3 + 5 + 7);
    assert_int_equal(cells[1], 7 + 4 + 6);
    returned = get_dword(worker, FIXTURE_DST, 4);
    assert_int_equal(returned, 104);
    assert_int_equal(get_dword(worker, FIXTURE_DST, 7), 0);
    assert_int_equal(worker->outside, 1);
    fixture_destroy(worker, true);
}

static void set_media(struct emu_worker *worker, bool write, int32_t x, int32_t y, unsigned width,
                      unsigned height, unsigned registers)
{
    uint32_t header[8] = {(uint32_t)x, (uint32_t)y, (width - 1) | (height - 1) << 16};

    memcpy(fixture_grf(worker, FIXTURE_SRC0), header, 32);
    worker->message = (struct sonde_gen_message){
        .operation = write ? SONDE_GEN_MESSAGE_MEDIA_WRITE : SONDE_GEN_MESSAGE_MEDIA_READ,
        .address_model = SONDE_GEN_ADDRESS_SURFACE,
        .bti = 5,
        .simd = 1,
        .header = true,
        .payload_registers = 1,
        .src1_registers = (uint8_t)(write ? registers : 0),
        .response_registers = (uint8_t)(write ? 0 : registers),
    };
}

static void media_blocks(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    /* 50 dwords by 40 rows. */
    struct fixture_image image = {.type = 1,
                                  .format = 0x143,
                                  .tile = YTILE,
                                  .width = 50,
                                  .height = 40,
                                  .depth = 1,
                                  .pitch = MAP_WIDTH,
                                  .base = BASE};

    (void)state;
    fixture_map(worker, BASE, (size_t)MAP_WIDTH * 64);
    fixture_image(worker, 5, &image);
    walk_tiles(YTILE);
    for (unsigned round = 0; round < 400; round++) {
        unsigned row = 4u << fixture_random() % 4, height = 1 + fixture_random() % (256 / row);
        unsigned width = row - fixture_random() % (row == 4 ? 1 : row / 2);
        int32_t x = ((int32_t)(fixture_random() % 64) - 6) * 4;
        int32_t y = (int32_t)(fixture_random() % 60) - 10;
        unsigned registers = (row * height + 31) / 32;

        set_media(worker, round % 2, x, y, width, height, registers);
        if (round % 2) {
            fixture_fill_registers(worker);
            set_media(worker, true, x, y, width, height, registers);
        }
        assert_int_equal(fixture_run(worker, 1, round % 2), EMU_MESSAGE_DONE);
        for (unsigned j = 0; j < height; j++)
            for (unsigned i = 0; i < width; i++) {
                int32_t at_x = x + (int32_t)i, at_y = y + (int32_t)j;
                bool inside = at_x >= 0 && at_x < 200 && at_y >= 0 && at_y < 40;
                uint8_t byte;
                if (round % 2 && !inside)
                    continue;
                at_x = at_x < 0 ? at_x & 3 : at_x >= 200 ? 196 + (at_x & 3) : at_x;
                at_y = at_y < 0 ? 0 : at_y >= 40 ? 39 : at_y;
                fixture_get(worker, BASE + place_of[at_y][at_x], &byte, 1);
                assert_int_equal(
                    byte, fixture_grf(worker, round % 2 ? FIXTURE_SRC1 : FIXTURE_DST)[j * row + i]);
            }
    }
    fixture_destroy(worker, true);
}

static void refused_surfaces(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    struct fixture_image image = {.type = 1,
                                  .format = 0x1fe,
                                  .width = 8,
                                  .height = 8,
                                  .depth = 1,
                                  .pitch = 128,
                                  .base = BASE};

    (void)state;
    fixture_image(worker, 5, &image);
    set_typed(worker, SONDE_GEN_MESSAGE_TYPED_READ, 2, 0xf, 0, false);
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_FAULT);
    assert_non_null(strstr(worker->fault, "0x1fe"));
    image.format = 0xc7;
    fixture_image(worker, 5, &image);
    put_dword(worker, FIXTURE_SRC0, 0, 0);
    put_dword(worker, FIXTURE_SRC0 + 1, 0, 0);
    assert_int_equal(fixture_run(worker, 0x01, false), EMU_MESSAGE_FAULT); /* not mapped */
    assert_non_null(strstr(worker->fault, "unmapped"));
    fixture_destroy(worker, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_hold_texels_where_they_belong),
        cmocka_unit_test(outside_texels),
        cmocka_unit_test(small_formats_convert),
        cmocka_unit_test(writes_clamp_and_round),
        cmocka_unit_test(typed_atomics),
        cmocka_unit_test(media_blocks),
        cmocka_unit_test(refused_surfaces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
