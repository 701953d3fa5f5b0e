/* The loops of the fast path: operations. Loads and stores are in lanes_moves.h. Each is written
 * once over a channel count and instantiated for the counts that matter. A result never overlaps a
 * source except element by element (fast.c sees to it), hence INDEPENDENT. */
#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emu/gen/half.h"
#include "emu/gen/lanes.h"

typedef int32_t lane_I32;
typedef uint32_t lane_U32;
typedef int64_t lane_I64;
typedef uint64_t lane_U64;
typedef float lane_F32;
typedef double lane_F64;

/* Lanes that hold the outcome of a comparison. */
typedef int32_t outcome_I32;
typedef int32_t outcome_U32;
typedef int64_t outcome_I64;
typedef int64_t outcome_U64;
typedef int32_t outcome_F32;
typedef int64_t outcome_F64;

#define INLINE static inline __attribute__((always_inline))
#define UNUSED __attribute__((unused))

static uint32_t low_bits(uint32_t count)
{
    return count >= 32 ? UINT32_MAX : (1u << count) - 1;
}

static uint32_t collect_32(const void *lanes, uint32_t count)
{
    uint32_t bits = 0;
#if defined(__AVX2__)
    for (uint32_t i = 0; i < count; i += 8) {
        __m256 part = _mm256_loadu_ps((const float *)lanes + i);
        bits |= (uint32_t)_mm256_movemask_ps(part) << i;
    }
#elif defined(__x86_64__)
    for (uint32_t i = 0; i < count; i += 4) {
        __m128 part = _mm_loadu_ps((const float *)lanes + i);
        bits |= (uint32_t)_mm_movemask_ps(part) << i;
    }
#else
    for (uint32_t i = 0; i < count; i++)
        bits |= (uint32_t)(((const int32_t *)lanes)[i] < 0) << i;
#endif
    return bits & low_bits(count);
}

static uint32_t collect_64(const void *lanes, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= (uint32_t)(((const int64_t *)lanes)[i] < 0) << i;
    return bits;
}

/* A source of a whole operation: a constant, registers where they are, or one
 * element for all channels. */
#define SOURCE(name, T)                                                                            \
    INLINE const void *name##_source(const struct emu_thread *thread,                              \
                                     const struct emu_source *source, T *lanes, uint32_t count)    \
    {                                                                                              \
        const uint8_t *data = thread->grf + source->base;                                          \
        T value;                                                                                   \
        if (source->constant)                                                                      \
            return source->constant;                                                               \
        if (!source->broadcast)                                                                    \
            return data;                                                                           \
        memcpy(&value, data, sizeof(value));                                                       \
        for (uint32_t i = 0; i < count; i++)                                                       \
            lanes[i] = value;                                                                      \
        return lanes;                                                                              \
    }

/* A whole operation, as fast.c does it in steps: sources, kernel, flags, store. */
#define RUN(name, R, T, suffix, count_of)                                                          \
    static void name##_run_##suffix(struct emu_thread *thread,                                     \
                                    const struct emu_operation *operation, uint32_t mask)          \
    {                                                                                              \
        _Alignas(64) T lanes[3][EMU_LANES];                                                        \
        _Alignas(64) R result[EMU_LANES];                                                          \
        uint32_t count = count_of;                                                                 \
        const void *a = name##_source(thread, &operation->source[0], lanes[0], count);             \
        const void *b = name##_source(thread, &operation->source[1], lanes[1], count);             \
        const void *c = name##_source(thread, &operation->source[2], lanes[2], count);             \
        uint32_t select =                                                                          \
            operation->selects ? emu_predicate_mask(thread, operation) : operation->parameter;     \
        uint8_t *destination = thread->grf + operation->destination;                               \
        if (operation->direct_store && mask == operation->window) {                                \
            name##_body(destination, a, b, c, select, count);                                      \
            return;                                                                                \
        }                                                                                          \
        name##_body(result, a, b, c, select, count);                                               \
        if (operation->collect)                                                                    \
            emu_flag_write(thread, operation,                                                      \
                           sizeof(R) == 8 ? collect_64(result, count) : collect_32(result, count), \
                           mask);                                                                  \
        if (operation->store)                                                                      \
            operation->store(destination, result, operation->destination_stride,                   \
                             operation->destination_offset, mask, count);                          \
    }
#define RUN_COUNTS(name, R, T)                                                                     \
    SOURCE(name, T)                                                                                \
    RUN(name, R, T, 1, 1)                                                                          \
    RUN(name, R, T, 8, 8) RUN(name, R, T, 16, 16) RUN(name, R, T, any, operation->exec_size)

/* Instantiate body(arguments..., count) for every channel count. */
#define COMPUTE_COUNTS(name)                                                                       \
    static void name##_1(void *r, const void *a, const void *b, const void *c, uint32_t s,         \
                         uint32_t n UNUSED)                                                        \
    {                                                                                              \
        name##_body(r, a, b, c, s, 1);                                                             \
    }                                                                                              \
    static void name##_8(void *r, const void *a, const void *b, const void *c, uint32_t s,         \
                         uint32_t n UNUSED)                                                        \
    {                                                                                              \
        name##_body(r, a, b, c, s, 8);                                                             \
    }                                                                                              \
    static void name##_16(void *r, const void *a, const void *b, const void *c, uint32_t s,        \
                          uint32_t n UNUSED)                                                       \
    {                                                                                              \
        name##_body(r, a, b, c, s, 16);                                                            \
    }                                                                                              \
    static void name##_any(void *r, const void *a, const void *b, const void *c, uint32_t s,       \
                           uint32_t n)                                                             \
    {                                                                                              \
        name##_body(r, a, b, c, s, n);                                                             \
    }

#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* One kernel: R r[i] = expression over a[i], b[i], c[i] of type T. */
#define KERNEL(name, R, T, expression)                                                             \
    INLINE void name##_body(void *result, const void *first, const void *second,                   \
                            const void *third, uint32_t select UNUSED, uint32_t count)             \
    {                                                                                              \
        R *r = result;                                                                             \
        const T *a UNUSED = first, *b UNUSED = second, *c UNUSED = third;                          \
        INDEPENDENT for (uint32_t i = 0; i < count; i++) r[i] = (R)(expression);                   \
    }                                                                                              \
    COMPUTE_COUNTS(name)                                                                           \
    RUN_COUNTS(name, R, T)

#define FOR_INTEGERS(macro, ...)                                                                   \
    macro(I32, __VA_ARGS__) macro(U32, __VA_ARGS__) macro(I64, __VA_ARGS__) macro(U64, __VA_ARGS__)
#define FOR_FLOATS(macro, ...) macro(F32, __VA_ARGS__) macro(F64, __VA_ARGS__)
#define FOR_ALL(macro, ...)    FOR_INTEGERS(macro, __VA_ARGS__) FOR_FLOATS(macro, __VA_ARGS__)

#define SAME(lane, name, expression) KERNEL(name##_##lane, lane_##lane, lane_##lane, expression)
#define OUTCOME(lane, name, expression)                                                            \
    KERNEL(name##_##lane, outcome_##lane, lane_##lane, (expression) ? -1 : 0)

FOR_ALL(SAME, MOV, a[i])
FOR_ALL(SAME, ADD, a[i] + b[i])
FOR_ALL(SAME, MUL, a[i] * b[i])
FOR_INTEGERS(SAME, MAD, b[i] * c[i] + a[i])
SAME(F32, MAD, __builtin_fmaf(b[i], c[i], a[i]))
SAME(F64, MAD, __builtin_fma(b[i], c[i], a[i]))
FOR_INTEGERS(SAME, AND, a[i] & b[i])
FOR_INTEGERS(SAME, OR, a[i] | b[i])
FOR_INTEGERS(SAME, XOR, a[i] ^ b[i])
FOR_INTEGERS(SAME, NOT, ~a[i])
SAME(I32, SHL, (uint32_t)a[i] << (b[i] & 31))
SAME(U32, SHL, a[i] << (b[i] & 31))
SAME(I64, SHL, (uint64_t)a[i] << (b[i] & 63))
SAME(U64, SHL, a[i] << (b[i] & 63))
SAME(U32, SHR, a[i] >> (b[i] & 31))
SAME(U64, SHR, a[i] >> (b[i] & 63))
SAME(I32, ASR, a[i] >> (b[i] & 31))
SAME(I64, ASR, a[i] >> (b[i] & 63))
FOR_ALL(SAME, SEL, select >> i & 1 ? a[i] : b[i])
FOR_INTEGERS(SAME, MIN, a[i] < b[i] ? a[i] : b[i])
FOR_INTEGERS(SAME, MAX, a[i] >= b[i] ? a[i] : b[i])
/* The number wins over a NaN. */
FOR_FLOATS(SAME, MIN, (a[i] < b[i]) | ((b[i] != b[i]) & (a[i] == a[i])) ? a[i] : b[i])
FOR_FLOATS(SAME, MAX, (a[i] >= b[i]) | ((b[i] != b[i]) & (a[i] == a[i])) ? a[i] : b[i])
FOR_ALL(OUTCOME, EQ, a[i] == b[i])
FOR_ALL(OUTCOME, NE, a[i] != b[i])
FOR_ALL(OUTCOME, GT, a[i] > b[i])
FOR_ALL(OUTCOME, GE, a[i] >= b[i])
FOR_ALL(OUTCOME, LT, a[i] < b[i])
FOR_ALL(OUTCOME, LE, a[i] <= b[i])
FOR_ALL(SAME, NEGATE, -a[i])
SAME(I32, ABSOLUTE, a[i] < 0 ? -a[i] : a[i])
SAME(I64, ABSOLUTE, a[i] < 0 ? -a[i] : a[i])
SAME(F32, ABSOLUTE, __builtin_fabsf(a[i]))
SAME(F64, ABSOLUTE, __builtin_fabs(a[i]))
SAME(I32, NEGATE_ABSOLUTE, a[i] < 0 ? a[i] : -a[i])
SAME(I64, NEGATE_ABSOLUTE, a[i] < 0 ? a[i] : -a[i])
SAME(F32, NEGATE_ABSOLUTE, -__builtin_fabsf(a[i]))
SAME(F64, NEGATE_ABSOLUTE, -__builtin_fabs(a[i]))
FOR_FLOATS(SAME, SATURATE, a[i] > 1 ? 1 : a[i] > 0 ? a[i] : 0)
SAME(F32, RNDD, __builtin_floorf(a[i]))
SAME(F64, RNDD, __builtin_floor(a[i]))
SAME(F32, RNDU, __builtin_ceilf(a[i]))
SAME(F64, RNDU, __builtin_ceil(a[i]))
SAME(F32, RNDZ, __builtin_truncf(a[i]))
SAME(F64, RNDZ, __builtin_trunc(a[i]))
SAME(F32, RNDE, roundevenf(a[i]))
SAME(F64, RNDE, roundeven(a[i]))
SAME(F32, FRC, a[i] - __builtin_floorf(a[i]))
SAME(F64, FRC, a[i] - __builtin_floor(a[i]))
SAME(F32, INV, 1.0f / a[i])
SAME(F32, SQT, __builtin_sqrtf(a[i]))
SAME(F32, FDIV, a[i] / b[i])
SAME(F32, RSQT, 1.0f / __builtin_sqrtf(a[i]))
SAME(F32, LOG, log2f(a[i]))
SAME(F32, EXP, exp2f(a[i]))
SAME(F32, SIN, sinf(a[i]))
SAME(F32, COS, cosf(a[i]))
SAME(F32, POW, powf(__builtin_fabsf(a[i]), b[i]))

INLINE int32_t quotient(int32_t a, int32_t b)
{
    if (b == 0)
        return a < 0 ? INT32_MIN : INT32_MAX;
    return a == INT32_MIN && b == -1 ? INT32_MAX : a / b;
}

INLINE int32_t remainder_of(int32_t a, int32_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

SAME(I32, IQOT, quotient(a[i], b[i]))
SAME(U32, IQOT, b[i] ? a[i] / b[i] : UINT32_MAX)
SAME(I32, IREM, remainder_of(a[i], b[i]))
SAME(U32, IREM, b[i] ? a[i] % b[i] : a[i])

INLINE uint32_t reverse(uint32_t v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}

INLINE uint32_t first_high(uint32_t v)
{
    return v ? (uint32_t)__builtin_clz(v) : UINT32_MAX;
}

INLINE uint32_t field_unsigned(uint32_t width, uint32_t offset, uint32_t value)
{
    width &= 31;
    offset &= 31;
    if (width == 0)
        return 0;
    return width + offset < 32 ? value << (32 - width - offset) >> (32 - width) : value >> offset;
}

INLINE int32_t field_signed(uint32_t width, uint32_t offset, uint32_t value)
{
    width &= 31;
    offset &= 31;
    if (width == 0)
        return 0;
    if (width + offset < 32)
        return (int32_t)(value << (32 - width - offset)) >> (32 - width);
    return (int32_t)value >> offset;
}

SAME(U32, LZD, a[i] ? (uint32_t)__builtin_clz(a[i]) : 32)
SAME(U32, FBH, first_high(a[i]))
SAME(I32, FBH, first_high((uint32_t)(a[i] < 0 ? ~a[i] : a[i])))
SAME(U32, FBL, a[i] ? (uint32_t)__builtin_ctz(a[i]) : UINT32_MAX)
SAME(U32, CBIT, (uint32_t)__builtin_popcount(a[i]))
SAME(U32, BFREV, reverse(a[i]))
SAME(U32, BFE, field_unsigned(a[i], b[i], c[i]))
SAME(I32, BFE, field_signed((uint32_t)a[i], (uint32_t)b[i], (uint32_t)c[i]))
SAME(U32, BFI1, ((1u << (a[i] & 31)) - 1) << (b[i] & 31))
SAME(U32, BFI2, (b[i] & a[i]) | (c[i] & ~a[i]))

SAME(U32, ROL, a[i] << (b[i] & 31) | a[i] >> (-b[i] & 31))
SAME(U32, ROR, a[i] >> (b[i] & 31) | a[i] << (-b[i] & 31))
FOR_INTEGERS(SAME, ADD3, a[i] + b[i] + c[i])
SAME(I32, MACL, (uint32_t)a[i] * ((uint32_t)b[i] & 0xffff0000u) + (uint32_t)c[i])

/* Rows 0-3 of the truth table where c is clear, 4-7 where it is set. */
INLINE uint32_t half_boolean(uint32_t a, uint32_t b, uint32_t table)
{
    return (-(table & 1) & ~a & ~b) | (-(table >> 1 & 1) & a & ~b) | (-(table >> 2 & 1) & ~a & b) |
           (-(table >> 3 & 1) & a & b);
}

SAME(U32, BFN,
     (half_boolean(a[i], b[i], select) & ~c[i]) | (half_boolean(a[i], b[i], select >> 4) & c[i]))

#include "emu/gen/lanes_moves.h"

#define COUNTS(name)                                                                               \
    {                                                                                              \
        name##_1, name##_8, name##_16, name##_any                                                  \
    }
#define ROW(lane, name)          [EMU_KERNEL_##name][EMU_LANE_##lane] = KERNEL_COUNTS(name##_##lane),
#define ROWS(lane, name, unused) ROW(lane, name)
#define LOAD_ROW(type, lane)                                                                       \
    [SONDE_GEN_TYPE_##type][EMU_LANE_##lane] = {                                                   \
        COUNTS(load_##type##_##lane##_contiguous), COUNTS(load_##type##_##lane##_scalar),          \
        COUNTS(load_##type##_##lane##_strided), COUNTS(load_##type##_##lane##_table)},
#define STORE_ROW(lane, type, unused)                                                              \
    [EMU_LANE_##lane][SONDE_GEN_TYPE_##type] = {COUNTS(store_##lane##_##type##_contiguous),        \
                                                COUNTS(store_##lane##_##type##_strided)},
#define SAT_ROW(lane, type, unused)                                                                \
    [EMU_LANE_##lane][SONDE_GEN_TYPE_##type] = {COUNTS(saturate_##lane##_##type##_contiguous),     \
                                                COUNTS(saturate_##lane##_##type##_strided)},

/* Every kernel with its lane types; KERNEL_COUNTS says which functions. */
#define ALL_ROWS                                                                                   \
    FOR_ALL(ROWS, MOV, 0)                                                                          \
    FOR_ALL(ROWS, ADD, 0)                                                                          \
    FOR_ALL(ROWS, MUL, 0)                                                                          \
    FOR_ALL(ROWS, MAD, 0)                                                                          \
    FOR_INTEGERS(ROWS, AND, 0)                                                                     \
    FOR_INTEGERS(ROWS, OR, 0)                                                                      \
    FOR_INTEGERS(ROWS, XOR, 0)                                                                     \
    FOR_INTEGERS(ROWS, NOT, 0)                                                                     \
    FOR_INTEGERS(ROWS, SHL, 0)                                                                     \
    ROW(U32, SHR)                                                                                  \
    ROW(U64, SHR)                                                                                  \
    ROW(I32, ASR)                                                                                  \
    ROW(I64, ASR)                                                                                  \
    FOR_ALL(ROWS, SEL, 0)                                                                          \
    FOR_ALL(ROWS, MIN, 0)                                                                          \
    FOR_ALL(ROWS, MAX, 0)                                                                          \
    FOR_ALL(ROWS, EQ, 0)                                                                           \
    FOR_ALL(ROWS, NE, 0)                                                                           \
    FOR_ALL(ROWS, GT, 0)                                                                           \
    FOR_ALL(ROWS, GE, 0)                                                                           \
    FOR_ALL(ROWS, LT, 0)                                                                           \
    FOR_ALL(ROWS, LE, 0)                                                                           \
    FOR_ALL(ROWS, NEGATE, 0)                                                                       \
    ROW(I32, ABSOLUTE)                                                                             \
    ROW(I64, ABSOLUTE)                                                                             \
    ROW(F32, ABSOLUTE)                                                                             \
    ROW(F64, ABSOLUTE)                                                                             \
    ROW(I32, NEGATE_ABSOLUTE)                                                                      \
    ROW(I64, NEGATE_ABSOLUTE)                                                                      \
    ROW(F32, NEGATE_ABSOLUTE)                                                                      \
    ROW(F64, NEGATE_ABSOLUTE)                                                                      \
    FOR_FLOATS(ROWS, SATURATE, 0)                                                                  \
    FOR_FLOATS(ROWS, RNDD, 0)                                                                      \
    FOR_FLOATS(ROWS, RNDU, 0)                                                                      \
    FOR_FLOATS(ROWS, RNDZ, 0)                                                                      \
    FOR_FLOATS(ROWS, RNDE, 0)                                                                      \
    FOR_FLOATS(ROWS, FRC, 0)                                                                       \
    ROW(F32, INV)                                                                                  \
    ROW(F32, SQT)                                                                                  \
    ROW(F32, FDIV)                                                                                 \
    ROW(F32, RSQT)                                                                                 \
    ROW(F32, LOG)                                                                                  \
    ROW(F32, EXP)                                                                                  \
    ROW(F32, SIN)                                                                                  \
    ROW(F32, COS)                                                                                  \
    ROW(F32, POW)                                                                                  \
    ROW(I32, IQOT)                                                                                 \
    ROW(U32, IQOT)                                                                                 \
    ROW(I32, IREM)                                                                                 \
    ROW(U32, IREM)                                                                                 \
    ROW(U32, LZD)                                                                                  \
    ROW(U32, FBH)                                                                                  \
    ROW(I32, FBH)                                                                                  \
    ROW(U32, FBL)                                                                                  \
    ROW(U32, CBIT)                                                                                 \
    ROW(U32, BFREV)                                                                                \
    ROW(U32, BFE)                                                                                  \
    ROW(I32, BFE)                                                                                  \
    ROW(U32, BFI1)                                                                                 \
    ROW(U32, BFI2)                                                                                 \
    ROW(U32, ROL)                                                                                  \
    ROW(U32, ROR)                                                                                  \
    FOR_INTEGERS(ROWS, ADD3, 0)                                                                    \
    ROW(U32, BFN)                                                                                  \
    ROW(I32, MACL)
#define KERNEL_COUNTS(name) COUNTS(name)

const struct emu_lane_table EMU_LANES_NAME = {
    .compute = {ALL_ROWS},
#undef KERNEL_COUNTS
#define KERNEL_COUNTS(name)                                                                        \
    {                                                                                              \
        name##_run_1, name##_run_8, name##_run_16, name##_run_any                                  \
    }
    .run = {ALL_ROWS},
    .load = {FOR_LOADS(LOAD_ROW)},
    .store = {FOR_STORES(STORE_ROW)},
    .saturate = {FOR_SATURATING(SAT_ROW)},
    .collect = {collect_32, collect_64},
};
