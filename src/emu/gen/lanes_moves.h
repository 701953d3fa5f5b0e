/* The loops of the fast path that bring elements of any type into lanes and back,
 * with their conversions. A part of lanes.c, which instantiates it for each
 * kind of processor. */
#ifndef SONDE_EMU_GEN_LANES_MOVES_H
#define SONDE_EMU_GEN_LANES_MOVES_H

typedef uint8_t data_UB;
typedef int8_t data_B;
typedef uint16_t data_UW;
typedef int16_t data_W;
typedef uint32_t data_UD;
typedef int32_t data_D;
typedef uint64_t data_UQ;
typedef int64_t data_Q;
typedef uint16_t data_HF;
typedef float data_F;
typedef double data_DF;

#define FROM_UB(value, lane) (lane_##lane)(value)
#define FROM_B(value, lane)  (lane_##lane)(value)
#define FROM_UW(value, lane) (lane_##lane)(value)
#define FROM_W(value, lane)  (lane_##lane)(value)
#define FROM_UD(value, lane) (lane_##lane)(value)
#define FROM_D(value, lane)  (lane_##lane)(value)
#define FROM_UQ(value, lane) (lane_##lane)(value)
#define FROM_Q(value, lane)  (lane_##lane)(value)
#define FROM_F(value, lane)  (lane_##lane)(value)
#define FROM_DF(value, lane) (lane_##lane)(value)
#if defined(__F16C__)
#define FROM_HF(value, lane) (lane_##lane) _cvtsh_ss(value)
#else
#define FROM_HF(value, lane) (lane_##lane) emu_half_to_float(value)
#endif

#define LOAD_COUNTS(name)                                                                          \
    static void name##_1(void *l, const uint8_t *s, int32_t t, const uint16_t *o,                  \
                         uint32_t n UNUSED)                                                        \
    {                                                                                              \
        name##_body(l, s, t, o, 1);                                                                \
    }                                                                                              \
    static void name##_8(void *l, const uint8_t *s, int32_t t, const uint16_t *o,                  \
                         uint32_t n UNUSED)                                                        \
    {                                                                                              \
        name##_body(l, s, t, o, 8);                                                                \
    }                                                                                              \
    static void name##_16(void *l, const uint8_t *s, int32_t t, const uint16_t *o,                 \
                          uint32_t n UNUSED)                                                       \
    {                                                                                              \
        name##_body(l, s, t, o, 16);                                                               \
    }                                                                                              \
    static void name##_any(void *l, const uint8_t *s, int32_t t, const uint16_t *o, uint32_t n)    \
    {                                                                                              \
        name##_body(l, s, t, o, n);                                                                \
    }

#define LOAD(name, type, lane, element)                                                            \
    INLINE void name##_body(void *lanes, const uint8_t *source, int32_t stride UNUSED,             \
                            const uint16_t *offset UNUSED, uint32_t count)                         \
    {                                                                                              \
        lane_##lane *l = lanes;                                                                    \
        INDEPENDENT for (uint32_t i = 0; i < count; i++)                                           \
        {                                                                                          \
            data_##type value;                                                                     \
            memcpy(&value, source + (element), sizeof(value));                                     \
            l[i] = FROM_##type(value, lane);                                                       \
        }                                                                                          \
    }                                                                                              \
    LOAD_COUNTS(name)

#define LOADS(type, lane)                                                                          \
    LOAD(load_##type##_##lane##_contiguous, type, lane, i * sizeof(data_##type))                   \
    LOAD(load_##type##_##lane##_scalar, type, lane, 0)                                             \
    LOAD(load_##type##_##lane##_strided, type, lane, (ptrdiff_t)i *stride)                         \
    LOAD(load_##type##_##lane##_table, type, lane, offset[i])

#define FOR_LOADS(macro)                                                                           \
    macro(UB, I32) macro(B, I32) macro(UW, I32) macro(W, I32) macro(UD, I32) macro(D, I32)         \
        macro(UB, I64) macro(B, I64) macro(UW, I64) macro(W, I64) macro(UD, I64) macro(D, I64)     \
            macro(UQ, I64) macro(Q, I64) macro(F, F32) macro(HF, F32) macro(F, F64) macro(DF, F64)

FOR_LOADS(LOADS)

/* Float to integer: toward zero, to the nearest limit, NaN to zero. */
#define CLAMPED(value, low, high, type)                                                            \
    ((value) != (value)  ? (type)0                                                                 \
     : (value) <= (low)  ? (type)(low)                                                             \
     : (value) >= (high) ? (type)(high)                                                            \
                         : (type)(value))

INLINE int32_t to_D(double v)
{
    return v != v ? 0 : v <= -0x1p31 ? INT32_MIN : v >= 0x1p31 ? INT32_MAX : (int32_t)v;
}

INLINE uint32_t to_UD(double v)
{
    return !(v > 0) ? 0 : v >= 0x1p32 ? UINT32_MAX : (uint32_t)(int64_t)v;
}

INLINE int64_t to_Q(double v)
{
    return v != v ? 0 : v <= -0x1p63 ? INT64_MIN : v >= 0x1p63 ? INT64_MAX : (int64_t)v;
}

INLINE uint64_t to_UQ(double v)
{
    return !(v > 0) ? 0 : v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
}

/* Same in single precision, which vectorises wider. */
INLINE int32_t single_to_D(float v)
{
    int32_t inside = (int32_t)(v < 0x1p31f && v > -0x1p31f ? v : 0.0f);
    return v >= 0x1p31f ? INT32_MAX : v <= -0x1p31f ? INT32_MIN : inside;
}

INLINE int64_t clamp_to(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

INLINE uint16_t to_half(float value)
{
#if defined(__F16C__)
    return (uint16_t)_cvtss_sh(value, _MM_FROUND_CUR_DIRECTION);
#elif defined(__x86_64__)
    /* MXCSR: 0 nearest, 1 down, 2 up, 3 to zero */
    static const uint8_t modes[4] = {0, 2, 1, 3};
    return emu_float_to_half(value, modes[_mm_getcsr() >> 13 & 3]);
#else
    return emu_float_to_half(value, 0);
#endif
}

#define STORE_COUNTS(name)                                                                         \
    static void name##_1(uint8_t *d, const void *l, int32_t t, const uint16_t *o UNUSED,           \
                         uint32_t m, uint32_t n UNUSED)                                            \
    {                                                                                              \
        name##_body(d, l, t, m, 1);                                                                \
    }                                                                                              \
    static void name##_8(uint8_t *d, const void *l, int32_t t, const uint16_t *o UNUSED,           \
                         uint32_t m, uint32_t n UNUSED)                                            \
    {                                                                                              \
        name##_body(d, l, t, m, 8);                                                                \
    }                                                                                              \
    static void name##_16(uint8_t *d, const void *l, int32_t t, const uint16_t *o UNUSED,          \
                          uint32_t m, uint32_t n UNUSED)                                           \
    {                                                                                              \
        name##_body(d, l, t, m, 16);                                                               \
    }                                                                                              \
    static void name##_any(uint8_t *d, const void *l, int32_t t, const uint16_t *o UNUSED,         \
                           uint32_t m, uint32_t n)                                                 \
    {                                                                                              \
        name##_body(d, l, t, m, n);                                                                \
    }

/* Contiguous: a blend, so that it vectorises; strided: by channel. */
#define STORE(name, lane, type, expression)                                                        \
    INLINE void name##_contiguous_body(uint8_t *destination, const void *lanes,                    \
                                       int32_t stride UNUSED, uint32_t mask, uint32_t count)       \
    {                                                                                              \
        const lane_##lane *l = lanes;                                                              \
        data_##type *d = (data_##type *)(void *)destination;                                       \
        if (mask == (count >= 32 ? UINT32_MAX : (1u << (count & 31)) - 1)) {                       \
            INDEPENDENT for (uint32_t i = 0; i < count; i++)                                       \
            {                                                                                      \
                lane_##lane v = l[i];                                                              \
                d[i] = (data_##type)(expression);                                                  \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        INDEPENDENT for (uint32_t i = 0; i < count; i++)                                           \
        {                                                                                          \
            lane_##lane v = l[i];                                                                  \
            data_##type fresh = (data_##type)(expression);                                         \
            d[i] = mask >> i & 1 ? fresh : d[i];                                                   \
        }                                                                                          \
    }                                                                                              \
    STORE_COUNTS(name##_contiguous)                                                                \
    INLINE void name##_strided_body(uint8_t *destination, const void *lanes, int32_t stride,       \
                                    uint32_t mask, uint32_t count)                                 \
    {                                                                                              \
        const lane_##lane *l = lanes;                                                              \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            lane_##lane v = l[i];                                                                  \
            data_##type fresh = (data_##type)(expression);                                         \
            if (mask >> i & 1)                                                                     \
                memcpy(destination + (ptrdiff_t)i * stride, &fresh, sizeof(fresh));                \
        }                                                                                          \
    }                                                                                              \
    STORE_COUNTS(name##_strided)

#define FOR_STORES(macro)                                                                          \
    macro(I32, UB, (uint8_t)v) macro(I32, UW, (uint16_t)v) macro(I32, UD, (uint32_t)v)             \
        macro(I32, Q, (int64_t)v) macro(I32, F, (float)v) macro(I32, DF, (double)v)                \
            macro(U32, F, (float)v) macro(U32, DF, (double)v) macro(I64, UB, (uint8_t)v)           \
                macro(I64, UW, (uint16_t)v) macro(I64, UD, (uint32_t)v) macro(I64, Q, v)           \
                    macro(I64, F, (float)v) macro(I64, DF, (double)v) macro(U64, F, (float)v)      \
                        macro(U64, DF, (double)v) macro(F32, F, v) macro(F32, HF, to_half(v))      \
                            macro(F32, DF, (double)v) macro(F32, D, single_to_D(v))                \
                                macro(F32, UD, to_UD((double)v))                                   \
                                    macro(F32, W, CLAMPED(v, -32768.0f, 32767.0f, int32_t))        \
                                        macro(F32, UW, CLAMPED(v, 0.0f, 65535.0f, int32_t))        \
                                            macro(F32, B, CLAMPED(v, -128.0f, 127.0f, int32_t))    \
                                                macro(F32, UB, CLAMPED(v, 0.0f, 255.0f, int32_t))  \
                                                    macro(F64, DF, v) macro(F64, F, (float)v)      \
                                                        macro(F64, D, to_D(v))                     \
                                                            macro(F64, UD, to_UD(v))               \
                                                                macro(F64, Q, to_Q(v))             \
                                                                    macro(F64, UQ, to_UQ(v))

#define FOR_SATURATING(macro)                                                                      \
    macro(I64, UB, clamp_to(v, 0, UINT8_MAX)) macro(I64, B, clamp_to(v, INT8_MIN, INT8_MAX))       \
        macro(I64, UW, clamp_to(v, 0, UINT16_MAX))                                                 \
            macro(I64, W, clamp_to(v, INT16_MIN, INT16_MAX))                                       \
                macro(I64, UD, clamp_to(v, 0, UINT32_MAX))                                         \
                    macro(I64, D, clamp_to(v, INT32_MIN, INT32_MAX)) macro(I64, UQ, v < 0 ? 0 : v) \
                        macro(I64, Q, v)

#define STORE_PLAIN(lane, type, expression) STORE(store_##lane##_##type, lane, type, expression)
#define STORE_SAT(lane, type, expression)   STORE(saturate_##lane##_##type, lane, type, expression)

FOR_STORES(STORE_PLAIN)
FOR_SATURATING(STORE_SAT)

#endif
