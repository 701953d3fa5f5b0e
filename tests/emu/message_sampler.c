/* Sampler messages against the formulas of the OpenCL C specification
 * (Addressing and filter modes), in double precision. */
#include <math.h>

#include "message_fixture.h"

#define BASE UINT64_C(0x7fad00000000)

enum { WIDTH = 13, HEIGHT = 7, DEPTH = 5 };
enum { REPEAT = 0, MIRRORED = 1, EDGE = 2, BORDER = 4 };

static double texels[DEPTH][HEIGHT][WIDTH][4];
static const double border[4] = {0.25, 0.5, 0.75, 0.125};

static void set_sampler(struct emu_worker *worker, unsigned mode, bool linear, bool normalized)
{
    uint32_t state[4] = {(linear ? 1u : 0u) << 14 | (linear ? 1u : 0u) << 17, 0, 0x80,
                         mode << 6 | mode << 3 | mode | (normalized ? 0 : 1u << 10)};
    float colour[4] = {0.25f, 0.5f, 0.75f, 0.125f};

    fixture_put(worker, FIXTURE_SAMPLERS + 16 * 2, state, sizeof state);
    fixture_put(worker, FIXTURE_DYNAMIC + 0x80, colour, sizeof colour);
}

static void set_sample(struct emu_worker *worker, unsigned type, unsigned simd, unsigned parameters,
                       unsigned components)
{
    worker->message = (struct sonde_gen_message){
        .operation = SONDE_GEN_MESSAGE_SAMPLE,
        .address_model = SONDE_GEN_ADDRESS_SURFACE,
        .bti = 6,
        .sampler = 2,
        .sample_type = (uint8_t)type,
        .simd = (uint8_t)simd,
        .returns_data = true,
        .payload_registers = (uint8_t)(parameters * simd / 8),
        .response_registers = (uint8_t)(components * simd / 8),
    };
}

static void put_float(struct emu_worker *worker, unsigned grf, unsigned lane, float value)
{
    memcpy(fixture_grf(worker, grf) + 4 * lane, &value, 4);
}

static float get_float(struct emu_worker *worker, unsigned grf, unsigned lane)
{
    float value;

    memcpy(&value, fixture_grf(worker, grf) + 4 * lane, 4);
    return value;
}

/* A float image: 2D array or 3D, layers `qpitch` = 8 rows apart. */
static void make_image(struct emu_worker *worker, unsigned type, unsigned tile)
{
    struct fixture_image image = {.type = type,
                                  .format = 0,
                                  .tile = tile,
                                  .width = WIDTH,
                                  .height = type == 0 ? 1 : HEIGHT,
                                  .depth = DEPTH,
                                  .pitch = 512,
                                  .qpitch = type == 0 ? 16 : 8,
                                  .array = type != 2,
                                  .base = BASE};

    fixture_image(worker, 6, &image);
    for (unsigned z = 0; z < DEPTH; z++)
        for (unsigned y = 0; y < image.height; y++)
            for (unsigned x = 0; x < WIDTH; x++) {
                float value[4];
                /* Layers of a 1D image are `qpitch` texels apart, not rows. */
                unsigned row = type == 0 ? 0 : z * 8 + y;
                unsigned column = type == 0 ? (z * 16 + x) * 16 : x * 16;
                uint64_t at = tile == 0 ? row * 512 + column
                                        : (row / 32 * 4 + column / 128) * 4096 +
                                              column % 128 / 16 * 512 + row % 32 * 16;
                for (unsigned i = 0; i < 4; i++) {
                    value[i] = (float)(fixture_random() % 2000) / 1000 - 1;
                    texels[z][y][x][i] = (double)value[i];
                }
                fixture_put(worker, BASE + at, value, 16);
            }
}

/* Texel indices and fraction along one axis, as the specification has them. */
static void axis(double s, unsigned mode, bool linear, bool normalized, int size, int index[2],
                 double *fraction)
{
    double u = normalized ? s * size : s;

    if (mode == REPEAT)
        u = (s - floor(s)) * size;
    if (mode == MIRRORED)
        u = fabs(s - 2 * rint(0.5 * s)) * size;
    if (!linear) {
        index[0] = index[1] = (int)floor(u);
        if (mode == REPEAT && index[0] > size - 1)
            index[0] = index[1] -= size;
        if (mode == MIRRORED && index[0] > size - 1)
            index[0] = index[1] = size - 1;
        *fraction = 0;
    } else {
        index[0] = (int)floor(u - 0.5);
        index[1] = index[0] + 1;
        *fraction = u - 0.5 - floor(u - 0.5);
        if (mode == REPEAT) {
            index[0] += index[0] < 0 ? size : 0;
            index[1] -= index[1] > size - 1 ? size : 0;
        }
        if (mode == MIRRORED) {
            index[0] = index[0] < 0 ? 0 : index[0];
            index[1] = index[1] > size - 1 ? size - 1 : index[1];
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        if (mode == EDGE)
            index[i] = index[i] < 0 ? 0 : index[i] > size - 1 ? size - 1 : index[i];
        if (mode == BORDER)
            index[i] = index[i] < -1 ? -1 : index[i] > size ? size : index[i];
    }
}

static double texel(int x, int y, int z, unsigned component)
{
    if (x < 0 || y < 0 || z < 0 || x >= WIDTH || y >= HEIGHT || z >= DEPTH)
        return border[component];
    return texels[z][y][x][component];
}

static double reference(const float s[3], unsigned type, unsigned mode, bool linear,
                        bool normalized, unsigned component)
{
    const int sizes[3] = {WIDTH, HEIGHT, DEPTH};
    int index[3][2] = {{0, 0}, {0, 0}, {0, 0}}, axes = (int)type + 1;
    double fraction[3] = {0, 0, 0}, sum = 0;

    for (int i = 0; i < axes; i++)
        axis((double)s[i], mode, linear, normalized, sizes[i], index[i], &fraction[i]);
    if (axes < 3) {
        double layer = fmin(fmax(rint((double)s[axes]), 0), DEPTH - 1);
        index[2][0] = index[2][1] = (int)layer;
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        for (int i = 0; i < 3; i++)
            weight *= corner >> i & 1 ? fraction[i] : 1 - fraction[i];
        if (weight > 0)
            sum += weight * texel(index[0][corner & 1], index[1][corner >> 1 & 1],
                                  index[2][corner >> 2 & 1], component);
    }
    return sum;
}

static float pick_coordinate(bool normalized, unsigned size)
{
    /* Multiples of 1/64 texel, away from the middle between two texels, so
     * that rounding of the product does not decide. */
    double texel_position = (double)(fixture_random() % (64 * 3 * size)) / 64 - size + 1.0 / 256;

    return (float)(normalized ? texel_position / size : texel_position);
}

static void every_address_and_filter_mode(void **state)
{
    static const unsigned modes[] = {REPEAT, MIRRORED, EDGE, BORDER};
    static const unsigned sizes[] = {WIDTH, HEIGHT, DEPTH};
    struct emu_worker *worker = fixture_create(NULL);

    (void)state;
    fixture_map(worker, BASE, 16 * EMU_PAGE_SIZE);
    for (unsigned type = 0; type < 3; type++)
        for (unsigned m = 0; m < 4; m++)
            for (unsigned linear = 0; linear < 2; linear++)
                for (unsigned normalized = m < 2; normalized < 2; normalized++)
                    for (unsigned form = 0; form < 4; form++) {
                        unsigned simd = form % 2 ? 16 : 8, first = 0;
                        /* sample_lz, or sample_l with the level in front */
                        bool level = form >= 2;
                        make_image(worker, type, form == 1 && type ? 3 : 0);
                        set_sampler(worker, modes[m], linear, normalized);
                        for (unsigned round = 0; round < 10; round++) {
                            float s[16][3];
                            uint32_t enabled = fixture_random() & (simd == 16 ? 0xffff : 0xff);
                            fixture_fill_registers(worker);
                            for (unsigned lane = 0; lane < simd; lane++) {
                                first = FIXTURE_SRC0;
                                if (level) {
                                    put_float(worker, first, lane, 0);
                                    first += simd / 8;
                                }
                                for (unsigned i = 0; i < 3; i++) {
                                    s[lane][i] = i > type
                                                     ? (float)(fixture_random() % 80) / 10 - 1.01f
                                                     : pick_coordinate(normalized, sizes[i]);
                                    put_float(worker, first + i * simd / 8, lane, s[lane][i]);
                                }
                            }
                            set_sample(worker, level ? 0x02 : 0x18, simd, 3 + level, 4);
                            uint8_t before[32 * 8];
                            memcpy(before, fixture_grf(worker, FIXTURE_DST), sizeof before);
                            assert_int_equal(fixture_run(worker, enabled, false), EMU_MESSAGE_DONE);
                            for (unsigned lane = 0; lane < simd; lane++)
                                for (unsigned i = 0; i < 4; i++) {
                                    unsigned grf = i * simd / 8;
                                    float got = get_float(worker, FIXTURE_DST + grf, lane);
                                    if (!(enabled >> lane & 1)) {
                                        assert_memory_equal(&got, before + 32 * grf + 4 * lane, 4);
                                        continue;
                                    }
                                    double expected =
                                        reference(s[lane], type, modes[m], linear, normalized, i);
                                    if (fabs((double)got - expected) > 2e-4)
                                        fail_msg("type %u mode %u linear %u normalized %u at "
                                                 "(%g %g %g): %g, expected %g",
                                                 type, modes[m], linear, normalized,
                                                 (double)s[lane][0], (double)s[lane][1],
                                                 (double)s[lane][2], (double)got, expected);
                                }
                        }
                    }
    fixture_destroy(worker, true);
}

static void border_of_formats_without_alpha(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    struct fixture_image image = {
        .type = 1, .format = 0x140, .width = 4, .height = 4, .depth = 1, .pitch = 64, .base = BASE};

    (void)state;
    fixture_map(worker, BASE, EMU_PAGE_SIZE);
    fixture_image(worker, 6, &image);
    set_sampler(worker, BORDER, false, false);
    fixture_put(worker, FIXTURE_DYNAMIC + 0x80, (float[4]){0, 0, 0, 0}, 16);
    for (unsigned lane = 0; lane < 8; lane++) {
        put_float(worker, FIXTURE_SRC0, lane, -2.5f);
        put_float(worker, FIXTURE_SRC0 + 1, lane, 1.5f);
    }
    set_sample(worker, 0x18, 8, 2, 4);
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    for (unsigned i = 0; i < 4; i++)
        assert_true(get_float(worker, FIXTURE_DST + i, 3) == (i == 3 ? 1.0f : 0.0f));
    fixture_destroy(worker, true);
}

/* Channel selects, header write mask, texel offsets and 16-bit return. */
static void responses(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    struct fixture_image image = {.type = 1,
                                  .format = 0xc7,
                                  .width = 4,
                                  .height = 4,
                                  .depth = 1,
                                  .pitch = 64,
                                  .base = BASE,
                                  .select = {6, 5, 1, 0}};
    uint8_t row[16] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160};

    (void)state;
    fixture_map(worker, BASE, EMU_PAGE_SIZE);
    fixture_image(worker, 6, &image);
    fixture_put(worker, BASE, row, 16);
    set_sampler(worker, EDGE, false, false);
    for (unsigned lane = 0; lane < 8; lane++) {
        put_float(worker, FIXTURE_SRC0 + 1, lane, 1.5f);
        put_float(worker, FIXTURE_SRC0 + 2, lane, 0.5f);
    }
    /* Header: offset u + 1, disable green; sampler table in dword 3. */
    uint32_t header[8] = {[2] = 0x100 | 2u << 12, [3] = 0x5};
    memcpy(fixture_grf(worker, FIXTURE_SRC0), header, 32);
    set_sample(worker, 0x18, 8, 3, 3);
    worker->message.header = true;
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    assert_true(get_float(worker, FIXTURE_DST, 0) == 110.0f / 255); /* red is the blue channel */
    assert_true(get_float(worker, FIXTURE_DST + 1, 0) == 1.0f);
    assert_true(get_float(worker, FIXTURE_DST + 2, 0) == 0.0f);

    /* 16-bit return: each component in the low half of its register. */
    memset(image.select, 0, 4);
    fixture_image(worker, 6, &image);
    header[2] = 0;
    memcpy(fixture_grf(worker, FIXTURE_SRC0), header, 32);
    set_sample(worker, 0x18, 8, 3, 2);
    worker->message.header = true;
    worker->message.half_return = true;
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned lane = 0; lane < 8; lane++) {
            _Float16 half;
            memcpy(&half, fixture_grf(worker, FIXTURE_DST + i) + 2 * lane, 2);
            assert_true(half == (_Float16)((float)row[4 + i] / 255.0f));
        }
    fixture_destroy(worker, true);
}

static void integer_loads(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    struct fixture_image image = {.type = 1,
                                  .format = 0x2,
                                  .tile = 3,
                                  .width = 9,
                                  .height = 5,
                                  .depth = 3,
                                  .pitch = 256,
                                  .qpitch = 32,
                                  .array = true,
                                  .base = BASE};
    const int32_t u[8] = {0, 8, 9, -1, 4, 5, 6, 7}, v[8] = {0, 4, 1, 1, 5, 2, 2, 2};
    const int32_t layer[8] = {0, 2, 0, 0, 0, 3, -1, 1};

    (void)state;
    fixture_map(worker, BASE, 8 * EMU_PAGE_SIZE);
    fixture_image(worker, 6, &image);
    for (unsigned form = 0; form < 2; form++) {
        /* ld_lz: u v r; ld: u v lod r */
        unsigned r = form ? 3 : 2;
        memcpy(fixture_grf(worker, FIXTURE_SRC0), u, 32);
        memcpy(fixture_grf(worker, FIXTURE_SRC0 + 1), v, 32);
        memset(fixture_grf(worker, FIXTURE_SRC0 + 2), 0, 32);
        memcpy(fixture_grf(worker, FIXTURE_SRC0 + r), layer, 32);
        set_sample(worker, form ? 0x07 : 0x1a, 8, r + 1, 4);
        worker->outside = 0;
        assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
        assert_int_equal(worker->outside, 5);
        for (unsigned lane = 0; lane < 8; lane++) {
            uint32_t expected[4] = {0, 0, 0, 0};
            if (u[lane] >= 0 && u[lane] < 9 && v[lane] < 5 && layer[lane] >= 0 && layer[lane] < 3) {
                unsigned row = (unsigned)(v[lane] + 32 * layer[lane]),
                         column = 16 * (unsigned)u[lane];
                fixture_get(worker,
                            BASE + (row / 32 * 2 + column / 128) * 4096 + column % 128 / 16 * 512 +
                                row % 32 * 16,
                            expected, 16);
            }
            for (unsigned i = 0; i < 4; i++)
                assert_memory_equal(fixture_grf(worker, FIXTURE_DST + i) + 4 * lane, &expected[i],
                                    4);
        }
    }
    fixture_destroy(worker, true);
}

static void buffer_image(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    /* 100000 elements of 4 bytes: the count less one is spread over width,
     * height and depth. */
    unsigned last = 99999;
    struct fixture_image image = {.type = 4,
                                  .format = 0xd7,
                                  .width = (last & 0x7f) + 1,
                                  .height = (last >> 7 & 0x3fff) + 1,
                                  .depth = (last >> 21) + 1,
                                  .pitch = 4,
                                  .base = BASE};
    const uint32_t u[8] = {0, 1, 99999, 100000, 5, 6, 7, 0xffffffff};

    (void)state;
    fixture_map(worker, BASE, 400000);
    fixture_image(worker, 6, &image);
    memcpy(fixture_grf(worker, FIXTURE_SRC0), u, 32);
    set_sample(worker, 0x1a, 8, 1, 1);
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    assert_int_equal(worker->outside, 2);
    for (unsigned lane = 0; lane < 8; lane++) {
        uint32_t expected = 0;
        if (u[lane] < 100000)
            fixture_get(worker, BASE + 4 * u[lane], &expected, 4);
        assert_memory_equal(fixture_grf(worker, FIXTURE_DST) + 4 * lane, &expected, 4);
    }
    set_sample(worker, 0x0a, 8, 1, 1);
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_DONE);
    uint32_t width;
    memcpy(&width, fixture_grf(worker, FIXTURE_DST), 4);
    assert_int_equal(width, 100000);
    fixture_destroy(worker, true);
}

static void resource_information(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);
    uint32_t value[4];

    (void)state;
    fixture_map(worker, BASE, 16 * EMU_PAGE_SIZE);
    for (unsigned type = 0; type < 3; type++) {
        const uint32_t expected[3][3] = {
            {WIDTH, DEPTH, 0}, {WIDTH, HEIGHT, DEPTH}, {WIDTH, HEIGHT, DEPTH}};
        make_image(worker, type, 0);
        set_sample(worker, 0x0a, 16, 1, 4);
        memset(fixture_grf(worker, FIXTURE_SRC0), 0, 64);
        assert_int_equal(fixture_run(worker, 0xffff, false), EMU_MESSAGE_DONE);
        for (unsigned i = 0; i < 4; i++)
            memcpy(&value[i], fixture_grf(worker, FIXTURE_DST + 2 * i) + 4 * 9, 4);
        assert_memory_equal(value, expected[type], 12);
        assert_int_equal(value[3], 1);
    }
    fixture_destroy(worker, true);
}

static void refused_messages(void **state)
{
    struct emu_worker *worker = fixture_create(NULL);

    (void)state;
    fixture_map(worker, BASE, 16 * EMU_PAGE_SIZE);
    make_image(worker, 0, 0);
    set_sample(worker, 0x08, 8, 2, 4); /* gather4 */
    assert_int_equal(fixture_run(worker, 0xff, false), EMU_MESSAGE_FAULT);
    assert_non_null(strstr(worker->fault, "0x8"));
    fixture_destroy(worker, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_and_filter_mode),
        cmocka_unit_test(border_of_formats_without_alpha),
        cmocka_unit_test(responses),
        cmocka_unit_test(integer_loads),
        cmocka_unit_test(buffer_image),
        cmocka_unit_test(resource_information),
        cmocka_unit_test(refused_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
