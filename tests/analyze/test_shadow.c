/* Races by lines against a model that keeps every byte by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/shadow.h"

#define BYTES   1024u
#define TOUCHES 20000u
#define KINDS   3u

/* --- the model -------------------------------------------------------------------------- */

struct access {
    bool is_there, atomic;
    unsigned instruction, epoch, thread, group;
};

struct place {
    struct access write, read, other;
};

/* How many places were found in conflict, and the sum of where and with what. */
struct found {
    uint64_t times[KINDS], sum[KINDS];
};

static bool races(const struct access *before, const struct access *now)
{
    bool same_thread = before->thread == now->thread && before->group == now->group;
    if (!before->is_there || same_thread || (before->atomic && now->atomic))
        return false;
    return before->group != now->group || before->epoch == now->epoch;
}

static void find(struct found *found, enum analyze_race_kind kind, unsigned instruction)
{
    found->times[kind]++;
    found->sum[kind] += instruction;
}

static void touch_place(struct place *place, const struct access *now, bool writes,
                        struct found *found)
{
    if (races(&place->write, now))
        find(found, writes ? ANALYZE_WRITE_AFTER_WRITE : ANALYZE_READ_AFTER_WRITE,
             place->write.instruction);
    if (writes) {
        if (races(&place->read, now))
            find(found, ANALYZE_WRITE_AFTER_READ, place->read.instruction);
        else if (races(&place->other, now))
            find(found, ANALYZE_WRITE_AFTER_READ, place->other.instruction);
        place->write = *now;
        return;
    }
    if (place->read.thread != now->thread || place->read.group != now->group ||
        !place->read.is_there)
        place->other = place->read;
    place->read = *now;
}

/* Each channel by itself; those side by side are one run, which touches a place once. */
static void touch_model(struct place *places, const struct analyze_access *access,
                        const struct access *now, bool writes, unsigned granule,
                        struct found *found)
{
    for (unsigned c = 0; c < ANALYZE_CHANNELS; c++) {
        uint64_t first = access->address[c] / granule;
        uint64_t last = (access->address[c] + access->width - 1) / granule;
        for (uint64_t p = first; (access->mask >> c & 1) != 0 && p <= last; p++)
            touch_place(&places[p], now, writes, found);
    }
}

/* --- the shadow ---------------------------------------------------------------------------- */

static bool note(struct analyze_touch *touch, enum analyze_race_kind kind, uint64_t before,
                 uint64_t address, uint32_t times)
{
    struct found *found = touch->context;
    assert_true((address & ((1u << touch->shift) - 1)) == 0 && times <= 64 && times > 0);
    found->times[kind] += times;
    found->sum[kind] += times * (before >> ANALYZE_ACCESS_INSTRUCTION & 0xffff);
    return true;
}

static uint64_t pack(const struct access *now)
{
    return ANALYZE_ACCESS_VALID | (now->atomic ? ANALYZE_ACCESS_ATOMIC : 0) |
           (uint64_t)now->instruction << ANALYZE_ACCESS_INSTRUCTION |
           (uint64_t)now->epoch << ANALYZE_ACCESS_EPOCH |
           (uint64_t)now->thread << ANALYZE_ACCESS_THREAD |
           (uint64_t)now->group << ANALYZE_ACCESS_GROUP;
}

/* --- random accesses ---------------------------------------------------------------------- */

static unsigned below(unsigned limit)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % limit;
}

static void make_access(struct analyze_access *access, unsigned granule)
{
    static const unsigned widths[] = {1, 2, 4, 4, 8, 16};
    unsigned width = widths[below(6)], count = below(4) == 0 ? 1 + below(32) : 16;
    if (granule == 4 && width < 4)
        width = 4;
    *access = (struct analyze_access){.width = width, .mask = UINT32_MAX >> (32 - count)};
    unsigned way = below(5), step = way == 0 ? 0 : width;
    unsigned start = below(BYTES - 32 * 16) / width * width;
    for (unsigned c = 0; c < 32; c++)
        access->address[c] = way < 3 ? start + c * step : below(BYTES - width) / width * width;
    if (way < 3) { /* as the payload shows it */
        access->even = count;
        access->step = count > 1 ? step : 0;
    }
    if (way == 4)
        access->mask &= below(1u << 30);
}

static struct access make_now(void)
{
    return (struct access){.is_there = true,
                           .atomic = below(8) == 0,
                           .instruction = 1 + below(4),
                           .epoch = below(3),
                           .thread = below(5),
                           .group = below(3)};
}

/* What is found in all parts together is what the model finds. */
static void compare(unsigned granule, uint64_t mask)
{
    static struct place places[BYTES + 64];
    static struct found expected;
    struct analyze_shadow shadows[4] = {{.split_bytes = 0}};
    struct found found = {.times = {0}};
    struct analyze_touch touch = {
        .shift = granule == 4 ? 2 : 0, .conflict = note, .context = &found};
    memset(places, 0, sizeof places);
    memset(&expected, 0, sizeof expected);
    for (unsigned t = 0; t < TOUCHES; t++) {
        struct analyze_access access;
        struct access now = make_now();
        bool writes = now.atomic || below(3) == 0;
        make_access(&access, granule);
        touch_model(places, &access, &now, writes, granule, &expected);
        touch.now = pack(&now);
        touch.writes = writes;
        for (uint64_t value = 0; value <= mask; value++) {
            touch.part = (struct analyze_shadow_part){.mask = mask, .value = value};
            assert_true(analyze_shadow_touch(&shadows[value], &touch, &access));
        }
    }
    for (unsigned k = 0; k < KINDS; k++) {
        assert_true(expected.times[k] > 0);
        assert_int_equal(found.times[k], expected.times[k]);
        assert_int_equal(found.sum[k], expected.sum[k]);
    }
    for (uint64_t value = 0; value <= mask; value++) {
        assert_true(analyze_shadow_bytes(&shadows[value]) > 0);
        analyze_shadow_clear(&shadows[value]);
        assert_int_equal(analyze_shadow_bytes(&shadows[value]), 0);
    }
}

static void test_dwords(void **state)
{
    (void)state;
    compare(4, 0);
}

static void test_bytes(void **state)
{
    (void)state;
    compare(1, 0);
}

static void test_parts(void **state)
{
    (void)state;
    compare(4, 3);
}

/* --- what it holds ------------------------------------------------------------------------- */

static void touch_rows(struct analyze_shadow *shadow, unsigned lines, unsigned channels)
{
    struct analyze_touch touch = {.shift = 2, .conflict = note, .now = 0};
    struct analyze_access access = {
        .width = 4, .mask = UINT32_MAX >> (32 - channels), .even = channels, .step = 4};
    for (unsigned n = 0; n < lines * 16 / channels; n++) {
        const struct access now = {.is_there = true, .thread = n & 0x3ff, .instruction = 1};
        access.address[0] = (uint64_t)n * channels * 4;
        touch.now = pack(&now);
        assert_true(analyze_shadow_touch(shadow, &touch, &access));
    }
}

/* Rows of 16 or 8 channels need at most twice the memory that they touch. */
static void test_size(void **state)
{
    (void)state;
    for (unsigned channels = 8; channels <= 16; channels *= 2) {
        struct analyze_shadow shadow = {.split_bytes = 0};
        touch_rows(&shadow, 10000, channels);
        assert_true(analyze_shadow_bytes(&shadow) <= 2 * 10000 * 64);
        analyze_shadow_clear(&shadow);
    }
}

/* What is kept is unchanged, and the rest is new. */
static void test_keep(void **state)
{
    (void)state;
    struct found found = {.times = {0}};
    struct analyze_shadow shadow = {.split_bytes = 0};
    struct analyze_touch touch = {.shift = 2, .conflict = note, .writes = true, .context = &found};
    struct analyze_access access = {.width = 4, .mask = 0xffff, .even = 16, .step = 4};
    touch_rows(&shadow, 4096, 8);
    size_t before = analyze_shadow_bytes(&shadow), half = 0;
    analyze_shadow_keep(&shadow, (struct analyze_shadow_part){.mask = 1, .value = 1});
    half = analyze_shadow_bytes(&shadow);
    assert_true(half > before / 3 && half < before / 3 * 2);
    const struct access now = {.is_there = true, .group = 1, .instruction = 2};
    touch.now = pack(&now);
    for (unsigned line = 0; line < 4096; line++) {
        access.address[0] = line * 64;
        assert_true(analyze_shadow_touch(&shadow, &touch, &access));
    }
    uint64_t times = found.times[ANALYZE_WRITE_AFTER_READ];
    assert_int_equal(times % 16, 0);
    assert_true(times > 16 * 4096 / 3 && times < 16 * 4096 / 3 * 2);
    analyze_shadow_clear(&shadow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dwords), cmocka_unit_test(test_bytes), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_size),   cmocka_unit_test(test_keep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
