#include "oracle_draw.h"

#include <string.h>

uint64_t random_draw(struct random *random)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

uint32_t random_below(struct random *random, uint32_t limit)
{
    return (uint32_t)((random_draw(random) >> 32) % limit);
}

static bool one_in(struct random *random, uint32_t chances)
{
    return random_below(random, chances) == 0;
}

#define COUNT(array)        (sizeof(array) / sizeof((array)[0]))
#define PICK(random, array) ((array)[random_below(random, COUNT(array))])

static const uint8_t integer_types[] = {SONDE_GEN_TYPE_UB, SONDE_GEN_TYPE_B,  SONDE_GEN_TYPE_UW,
                                        SONDE_GEN_TYPE_W,  SONDE_GEN_TYPE_UD, SONDE_GEN_TYPE_D,
                                        SONDE_GEN_TYPE_UQ, SONDE_GEN_TYPE_Q};
/* In the order in which the platforms got them. */
static const uint8_t float_types[] = {SONDE_GEN_TYPE_HF, SONDE_GEN_TYPE_F,   SONDE_GEN_TYPE_DF,
                                      SONDE_GEN_TYPE_BF, SONDE_GEN_TYPE_BF8, SONDE_GEN_TYPE_TF32};

static uint8_t draw_type(struct random *random, const struct sonde_gen_instruction *i,
                         bool is_float)
{
    if (!is_float)
        return PICK(random, integer_types);
    uint32_t count = i->platform < SONDE_GEN_PLATFORM_XEHP    ? 3
                     : i->platform < SONDE_GEN_PLATFORM_XEHPC ? 4
                                                              : 6;
    return float_types[random_below(random, count)];
}

static uint32_t register_bytes(const struct sonde_gen_instruction *i)
{
    return sonde_gen_platform_grf_size((enum sonde_gen_platform)i->platform);
}

static uint8_t draw_register(struct random *random, const struct sonde_gen_instruction *i)
{
    return (uint8_t)random_below(random, i->platform == SONDE_GEN_PLATFORM_XE ? 128 : 256);
}

/* Architecture registers: number and bytes that sub-registers reach. */
struct architecture {
    uint8_t number, count, bytes;
    bool writable;
};

static void draw_architecture(struct random *random, const struct sonde_gen_instruction *i,
                              struct sonde_gen_operand *o, bool writable)
{
    static const struct architecture registers[] = {
        {SONDE_GEN_ARF_NULL, 1, 0, true},           {SONDE_GEN_ARF_ADDRESS, 1, 32, true},
        {SONDE_GEN_ARF_ACCUMULATOR, 2, 32, true},   {SONDE_GEN_ARF_FLAG, 2, 4, true},
        {SONDE_GEN_ARF_CONTROL, 1, 12, true},       {SONDE_GEN_ARF_CHANNEL_ENABLE, 1, 0, false},
        {SONDE_GEN_ARF_STACK_POINTER, 1, 16, true}, {SONDE_GEN_ARF_STATE, 2, 16, false},
        {SONDE_GEN_ARF_NOTIFICATION, 1, 8, true},   {SONDE_GEN_ARF_TIMESTAMP, 1, 16, false},
        {SONDE_GEN_ARF_DEBUG, 1, 4, true},
    };
    const struct architecture *r;
    do
        r = &registers[random_below(random, COUNT(registers))];
    while (writable && !r->writable);
    uint32_t size = sonde_gen_type_size((enum sonde_gen_type)o->type);
    o->file = SONDE_GEN_FILE_ARF;
    o->number = (uint8_t)(r->number + random_below(random, r->count));
    o->subreg = r->bytes > size ? (uint8_t)(random_below(random, r->bytes / size) * size) : 0;
    (void)i;
}

static void draw_general(struct random *random, const struct sonde_gen_instruction *i,
                         struct sonde_gen_operand *o, uint32_t step)
{
    uint32_t size = sonde_gen_type_size((enum sonde_gen_type)o->type);
    size = size < step ? step : size;
    o->file = SONDE_GEN_FILE_GRF;
    o->number = draw_register(random, i);
    o->subreg = (uint8_t)(random_below(random, register_bytes(i) / size) * size);
}

static void draw_indirect(struct random *random, const struct sonde_gen_instruction *i,
                          struct sonde_gen_operand *o, uint32_t step)
{
    uint32_t half = register_bytes(i) == 64 ? 1024 : 512;
    o->file = SONDE_GEN_FILE_GRF;
    o->indirect = true;
    o->address_subreg = (uint8_t)random_below(random, 16);
    int32_t offset = (int32_t)random_below(random, 2 * half) - (int32_t)half;
    o->address_offset = (int16_t)(one_in(random, 3) ? 0 : offset / (int32_t)step * (int32_t)step);
}

static void draw_control(struct random *random, struct sonde_gen_instruction *i)
{
    bool wide = i->platform == SONDE_GEN_PLATFORM_XEHPC;
    static const uint8_t wide_predicates[] = {SONDE_GEN_PREDICATE_CHANNEL, SONDE_GEN_PREDICATE_ANY,
                                              SONDE_GEN_PREDICATE_ALL};
    struct sonde_gen_scoreboard scoreboard;
    do
        i->swsb = (uint16_t)(one_in(random, 3) ? 0 : random_below(random, wide ? 1024 : 256));
    while (!sonde_gen_scoreboard_decode(i, &scoreboard));
    i->exec_size = (uint8_t)(1u << random_below(random, 6));
    uint32_t unit = wide ? 8 : 4;
    uint32_t step = i->exec_size > unit ? i->exec_size : unit;
    i->channel_offset = (uint8_t)(random_below(random, 32 / step) * step);
    i->no_mask = one_in(random, 2);
    i->debug = one_in(random, 32);
    i->flag_number = (uint8_t)random_below(random, wide ? 4 : 2);
    i->flag_subreg = (uint8_t)random_below(random, 2);
    if (one_in(random, 2)) {
        i->predicate =
            wide ? PICK(random, wide_predicates) : (uint8_t)(1 + random_below(random, 13));
        i->predicate_inverse = one_in(random, 2);
    }
}

/* What an operation has room for and takes. */
enum takes { CONDITION = 1, SATURATION = 2, MODIFIERS = 4, ACCUMULATOR = 8 };

static unsigned taken(uint8_t opcode)
{
    switch (opcode) {
    case SONDE_GEN_BFREV:
    case SONDE_GEN_CBIT:
    case SONDE_GEN_FBH:
    case SONDE_GEN_FBL:
    case SONDE_GEN_BFI1:
    case SONDE_GEN_BFI2:
    case SONDE_GEN_BFE:
    case SONDE_GEN_MOVI:
    case SONDE_GEN_ROL:
    case SONDE_GEN_ROR:
    case SONDE_GEN_SRND:
        return ACCUMULATOR;
    case SONDE_GEN_NOT:
    case SONDE_GEN_AND:
    case SONDE_GEN_OR:
    case SONDE_GEN_XOR:
    case SONDE_GEN_CMP:
    case SONDE_GEN_CMPN:
    case SONDE_GEN_FRC:
    case SONDE_GEN_CSEL:
        return CONDITION | MODIFIERS | ACCUMULATOR;
    case SONDE_GEN_ADDC:
        return CONDITION | ACCUMULATOR;
    case SONDE_GEN_SUBB:
        return CONDITION | SATURATION | ACCUMULATOR;
    case SONDE_GEN_MATH:
        return SATURATION | MODIFIERS | ACCUMULATOR;
    case SONDE_GEN_MACH:
    case SONDE_GEN_MACL:
    case SONDE_GEN_MADM:
        return MODIFIERS | ACCUMULATOR;
    case SONDE_GEN_DP4A:
        return CONDITION | SATURATION | ACCUMULATOR;
    case SONDE_GEN_DPAS:
    case SONDE_GEN_DPASW:
        return 0;
    default:
        return CONDITION | SATURATION | MODIFIERS | ACCUMULATOR;
    }
}

static void draw_arithmetic(struct random *random, struct sonde_gen_instruction *i)
{
    static const uint8_t conditions[] = {1, 2, 3, 4, 5, 6, 8, 9};
    draw_control(random, i);
    i->thread_control = one_in(random, 8) ? SONDE_GEN_THREAD_ATOMIC : SONDE_GEN_THREAD_NORMAL;
    unsigned takes = taken(i->opcode);
    if ((takes & CONDITION) != 0 && one_in(random, 2))
        i->condition = PICK(random, conditions);
    if ((takes & SATURATION) != 0)
        i->saturate = one_in(random, 4);
    if (i->platform != SONDE_GEN_PLATFORM_XEHPC)
        i->accumulator_write = one_in(random, 4);
}

static void draw_modifiers(struct random *random, const struct sonde_gen_instruction *i,
                           struct sonde_gen_operand *o)
{
    if ((taken(i->opcode) & MODIFIERS) == 0)
        return;
    o->negate = one_in(random, 4);
    o->absolute = one_in(random, 4);
}

static void draw_destination(struct random *random, struct sonde_gen_instruction *i)
{
    i->dst.type = draw_type(random, i, one_in(random, 2));
    i->dst.hstride = (uint8_t)(1u << random_below(random, 3));
    if (one_in(random, 8))
        draw_indirect(random, i, &i->dst, 1);
    else if (one_in(random, 5))
        draw_architecture(random, i, &i->dst, true);
    else
        draw_general(random, i, &i->dst, 1);
}

static void draw_region(struct random *random, struct sonde_gen_operand *o)
{
    static const uint8_t vertical[] = {0, 1, 2, 4, 8, 16, 32};
    static const uint8_t horizontal[] = {0, 1, 2, 4};
    o->vstride = PICK(random, vertical);
    o->width = (uint8_t)(1u << random_below(random, 5));
    o->hstride = PICK(random, horizontal);
    if (o->indirect && one_in(random, 3))
        o->vstride = SONDE_GEN_VSTRIDE_VXH;
}

static void draw_immediate(struct random *random, struct sonde_gen_operand *o, bool wide)
{
    static const uint8_t narrow_types[] = {SONDE_GEN_TYPE_UV, SONDE_GEN_TYPE_UW, SONDE_GEN_TYPE_UD,
                                           SONDE_GEN_TYPE_V,  SONDE_GEN_TYPE_W,  SONDE_GEN_TYPE_D,
                                           SONDE_GEN_TYPE_VF, SONDE_GEN_TYPE_HF, SONDE_GEN_TYPE_F};
    static const uint8_t wide_types[] = {SONDE_GEN_TYPE_UQ, SONDE_GEN_TYPE_Q, SONDE_GEN_TYPE_DF};
    static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0x7f800000,
                                      0xff800000, 0x7fc00001, 0x7f800123, 1,
                                      0x3dcccccd, 0x00800000, 0x40490fdb, 0x461c4000};
    o->file = SONDE_GEN_FILE_IMMEDIATE;
    o->type = wide ? PICK(random, wide_types) : PICK(random, narrow_types);
    uint64_t value = one_in(random, 3) ? PICK(random, floats) : random_draw(random);
    if (one_in(random, 4))
        value &= 0xff;
    if (wide)
        o->immediate = one_in(random, 4) ? value << 40 : value;
    else if (o->type == SONDE_GEN_TYPE_UW || o->type == SONDE_GEN_TYPE_W ||
             o->type == SONDE_GEN_TYPE_HF)
        o->immediate = value & 0xffff;
    else
        o->immediate = (uint32_t)value;
}

static void draw_basic(struct random *random, struct sonde_gen_instruction *i, bool binary)
{
    draw_arithmetic(random, i);
    if (i->opcode == SONDE_GEN_SRND)
        i->predicate = i->predicate_inverse = 0;
    draw_destination(random, i);
    for (unsigned n = 0; n < (binary ? 2u : 1u); n++) {
        struct sonde_gen_operand *o = &i->src[n];
        bool last = n == (binary ? 1u : 0u);
        if (last && one_in(random, 3)) {
            draw_immediate(random, o, i->opcode == SONDE_GEN_MOV && one_in(random, 3));
            continue;
        }
        o->type = draw_type(random, i, one_in(random, 2));
        draw_modifiers(random, i, o);
        /* Source 1 counts in words where registers have 64 bytes. */
        uint32_t step = n == 1 && register_bytes(i) == 64 ? 2 : 1;
        if (one_in(random, 8))
            draw_indirect(random, i, o, step);
        else if (n == 0 && one_in(random, 5))
            draw_architecture(random, i, o, false);
        else
            draw_general(random, i, o, step);
        draw_region(random, o);
    }
    if (i->src[0].file == SONDE_GEN_FILE_IMMEDIATE &&
        sonde_gen_type_size((enum sonde_gen_type)i->src[0].type) == 8)
        i->condition = SONDE_GEN_CONDITION_NONE; /* the immediate takes its bits */
}

static void draw_mme(struct random *random, const struct sonde_gen_instruction *i,
                     struct sonde_gen_operand *o, uint8_t type)
{
    o->file = SONDE_GEN_FILE_GRF;
    o->type = type;
    o->number = draw_register(random, i);
    o->mme = (uint8_t)random_below(random, 9); /* mme0 to mme7, nomme */
}

static void draw_math(struct random *random, struct sonde_gen_instruction *i)
{
    static const uint8_t functions[] = {1, 2, 3, 4, 5, 6, 7, 11, 12, 13};
    uint32_t count = i->platform < SONDE_GEN_PLATFORM_XEHPG ? 10 : 7;
    if (!one_in(random, 3)) {
        i->math = functions[random_below(random, count)];
        draw_basic(random, i, i->math > 7);
        return;
    }
    i->math = one_in(random, 2) ? SONDE_GEN_MATH_INVM : SONDE_GEN_MATH_RSQTM;
    draw_arithmetic(random, i);
    static const uint8_t types[] = {SONDE_GEN_TYPE_F, SONDE_GEN_TYPE_DF};
    uint8_t type = PICK(random, types);
    draw_mme(random, i, &i->dst, type);
    i->dst.hstride = 1;
    for (unsigned n = 0; n < (i->math == SONDE_GEN_MATH_INVM ? 2u : 1u); n++) {
        draw_mme(random, i, &i->src[n], type);
        draw_modifiers(random, i, &i->src[n]);
    }
}

static void draw_ternary_source(struct random *random, struct sonde_gen_instruction *i, unsigned n,
                                bool is_float)
{
    static const uint8_t vertical[] = {0, 1, 4, 8}, horizontal[] = {0, 1, 2, 4};
    static const uint8_t immediate_types[2][2] = {{SONDE_GEN_TYPE_UW, SONDE_GEN_TYPE_W},
                                                  {SONDE_GEN_TYPE_HF, SONDE_GEN_TYPE_HF}};
    struct sonde_gen_operand *o = &i->src[n];
    if (n != 1 && one_in(random, 5)) {
        o->file = SONDE_GEN_FILE_IMMEDIATE;
        o->type = PICK(random, immediate_types[is_float]);
        o->immediate = random_below(random, 0x10000);
        return;
    }
    o->type = draw_type(random, i, is_float);
    draw_general(random, i, o, register_bytes(i) == 64 ? 2 : 1);
    if (one_in(random, 8)) {
        o->file = SONDE_GEN_FILE_ARF;
        o->number = (uint8_t)(SONDE_GEN_ARF_ACCUMULATOR + random_below(random, 2));
        o->subreg = 0;
    }
    o->vstride = PICK(random, vertical);
    o->hstride = PICK(random, horizontal);
    if (i->opcode != SONDE_GEN_BFN)
        draw_modifiers(random, i, o);
}

static void draw_ternary(struct random *random, struct sonde_gen_instruction *i)
{
    draw_arithmetic(random, i);
    if (i->opcode == SONDE_GEN_CSEL)
        i->predicate = i->predicate_inverse = 0;
    bool is_float =
        i->opcode == SONDE_GEN_MADM || i->opcode == SONDE_GEN_MAD || i->opcode == SONDE_GEN_CSEL
            ? one_in(random, 2)
            : false;
    i->boolean = (uint8_t)random_draw(random);
    if (i->opcode == SONDE_GEN_BFN) {
        static const uint8_t conditions[] = {0, SONDE_GEN_CONDITION_Z, SONDE_GEN_CONDITION_G,
                                             SONDE_GEN_CONDITION_L};
        i->condition = PICK(random, conditions);
        i->saturate = false;
    } else {
        i->boolean = 0;
    }
    if (i->opcode == SONDE_GEN_MADM) {
        static const uint8_t types[] = {SONDE_GEN_TYPE_F, SONDE_GEN_TYPE_DF};
        uint8_t type = PICK(random, types);
        draw_mme(random, i, &i->dst, type);
        i->dst.hstride = 1;
        for (unsigned n = 0; n < 3; n++) {
            draw_mme(random, i, &i->src[n], type);
            draw_modifiers(random, i, &i->src[n]);
        }
        return;
    }
    i->dst.type = draw_type(random, i, is_float);
    i->dst.hstride = (uint8_t)(1u << random_below(random, 2));
    draw_general(random, i, &i->dst, register_bytes(i) == 64 ? 2 : 1);
    if (one_in(random, 8)) {
        i->dst.file = SONDE_GEN_FILE_ARF;
        i->dst.number = one_in(random, 2) ? SONDE_GEN_ARF_NULL : SONDE_GEN_ARF_ACCUMULATOR;
        i->dst.subreg = 0;
    }
    for (unsigned n = 0; n < 3; n++)
        draw_ternary_source(random, i, n, is_float);
}

static void draw_systolic(struct random *random, struct sonde_gen_instruction *i)
{
    static const uint8_t integers[] = {SONDE_GEN_TYPE_UB, SONDE_GEN_TYPE_B,  SONDE_GEN_TYPE_U4,
                                       SONDE_GEN_TYPE_S4, SONDE_GEN_TYPE_U2, SONDE_GEN_TYPE_S2};
    static const uint8_t depths[] = {2, 4, 8, 1};
    bool is_float = one_in(random, 2), wide = i->platform == SONDE_GEN_PLATFORM_XEHPC;
    draw_arithmetic(random, i);
    i->condition = 0;
    i->exec_size = wide ? 16 : 8;
    i->channel_offset &= wide ? 16 : 24;
    i->systolic_depth = depths[random_below(random, wide ? 3 : 4)];
    i->predicate = i->predicate_inverse = 0;
    i->repeat_count = (uint8_t)(1 + random_below(random, 8));
    struct sonde_gen_operand *const operands[] = {&i->dst, &i->src[0], &i->src[1], &i->src[2]};
    uint8_t kind = wide && one_in(random, 3) ? SONDE_GEN_TYPE_TF32
                   : one_in(random, 2)       ? SONDE_GEN_TYPE_HF
                                             : SONDE_GEN_TYPE_BF;
    for (unsigned n = 0; n < 4; n++) {
        struct sonde_gen_operand *o = operands[n];
        if (n < 2)
            o->type = is_float            ? (uint8_t)SONDE_GEN_TYPE_F
                      : one_in(random, 2) ? (uint8_t)SONDE_GEN_TYPE_D
                                          : (uint8_t)SONDE_GEN_TYPE_UD;
        else
            o->type = is_float ? kind : PICK(random, integers);
        o->file = SONDE_GEN_FILE_GRF;
        o->number = draw_register(random, i);
        o->hstride = n == 0 ? 1 : 0;
        if (n == 3)
            o->subreg = (uint8_t)(random_below(random, 8) * 4);
        if (n == 1 && one_in(random, 4)) {
            o->file = SONDE_GEN_FILE_ARF;
            o->number = SONDE_GEN_ARF_NULL;
        }
    }
}

/* To another instruction of the buffer. */
static int32_t draw_distance(struct random *random, uint32_t index)
{
    return ((int32_t)random_below(random, DRAW_BUFFER_WORDS) - (int32_t)index) * 16;
}

static void draw_branch(struct random *random, struct sonde_gen_instruction *i, uint32_t index)
{
    draw_control(random, i);
    i->jip = draw_distance(random, index);
    i->uip = draw_distance(random, index);
    i->src[0].type = SONDE_GEN_TYPE_D;
    if (i->opcode == SONDE_GEN_IF || i->opcode == SONDE_GEN_ELSE || i->opcode == SONDE_GEN_GOTO)
        i->branch_control = one_in(random, 2);
    bool has_source = i->opcode == SONDE_GEN_BRD || i->opcode == SONDE_GEN_JMPI ||
                      i->opcode == SONDE_GEN_BRC || i->opcode == SONDE_GEN_CALL ||
                      i->opcode == SONDE_GEN_CALLA;
    if (i->opcode == SONDE_GEN_CALLA)
        i->jip += (int32_t)index * 16; /* counts from the start of the code */
    if (i->opcode == SONDE_GEN_CALL || i->opcode == SONDE_GEN_CALLA) {
        i->dst.type = SONDE_GEN_TYPE_D;
        i->dst.hstride = 1;
        draw_general(random, i, &i->dst, 4);
    }
    if (i->opcode == SONDE_GEN_RET || (has_source && one_in(random, 3))) {
        i->has_jip = i->has_uip = false;
        draw_general(random, i, &i->src[0], 4);
        i->source_count = 1;
    }
    if (i->opcode == SONDE_GEN_ELSE || i->opcode == SONDE_GEN_ENDIF)
        i->predicate = i->predicate_inverse = 0;
    if (i->opcode == SONDE_GEN_JMPI)
        i->exec_size = 1, i->channel_offset = 0;
}

static void draw_sync(struct random *random, struct sonde_gen_instruction *i)
{
    static const uint8_t functions[] = {SONDE_GEN_SYNC_NOP,   SONDE_GEN_SYNC_ALLRD,
                                        SONDE_GEN_SYNC_ALLWR, SONDE_GEN_SYNC_BAR,
                                        SONDE_GEN_SYNC_HOST,  SONDE_GEN_SYNC_FENCE};
    draw_control(random, i);
    i->exec_size = 1;
    i->channel_offset = 0;
    i->predicate = i->predicate_inverse = 0;
    do
        i->sync = PICK(random, functions);
    while (i->sync == SONDE_GEN_SYNC_FENCE && i->platform < SONDE_GEN_PLATFORM_XEHPC);
    i->src[0].type = SONDE_GEN_TYPE_UD;
    i->src[0].file = SONDE_GEN_FILE_ARF;
    i->src[0].number = SONDE_GEN_ARF_NULL;
    if ((i->sync == SONDE_GEN_SYNC_ALLRD || i->sync == SONDE_GEN_SYNC_ALLWR) && one_in(random, 2)) {
        i->src[0].file = SONDE_GEN_FILE_IMMEDIATE;
        i->src[0].immediate = (uint32_t)random_draw(random);
    }
}

static void draw_send(struct random *random, struct sonde_gen_instruction *i)
{
    struct sonde_gen_send *send = &i->send;
    draw_control(random, i);
    i->thread_control = one_in(random, 8) ? SONDE_GEN_THREAD_ATOMIC : SONDE_GEN_THREAD_NORMAL;
    send->sfid = (uint8_t)random_below(random, 16);
    send->end_of_thread = one_in(random, 8);
    send->fusion_control = i->platform != SONDE_GEN_PLATFORM_XEHPC && one_in(random, 8);
    i->dst.hstride = 1;
    struct sonde_gen_operand *const operands[] = {&i->dst, &i->src[0], &i->src[1]};
    for (unsigned n = 0; n < 3; n++) {
        operands[n]->file = SONDE_GEN_FILE_GRF;
        operands[n]->number = draw_register(random, i);
        if (n != 1 && one_in(random, 3)) {
            operands[n]->file = SONDE_GEN_FILE_ARF;
            operands[n]->number = SONDE_GEN_ARF_NULL;
        }
    }
    send->descriptor_is_register = one_in(random, 4);
    send->ex_descriptor_is_register = one_in(random, 4);
    if (!send->descriptor_is_register)
        send->descriptor = (uint32_t)random_draw(random);
    bool separate = i->platform >= SONDE_GEN_PLATFORM_XEHPG;
    if (send->ex_descriptor_is_register) {
        send->ex_descriptor_subreg = (uint8_t)(2 * random_below(random, 8));
        send->ex_bso = separate && one_in(random, 2);
    } else {
        send->ex_descriptor = (uint32_t)random_draw(random) & (separate ? ~0x7ffu : ~0x3fu);
    }
    if (separate)
        send->src1_length =
            i->src[1].file == SONDE_GEN_FILE_GRF ? (uint8_t)random_below(random, 32) : 0;
    else if (!send->ex_descriptor_is_register)
        send->src1_length = send->ex_descriptor >> 6 & 31;
}

static void draw_instruction(struct random *random, struct sonde_gen_instruction *i, uint32_t index)
{
    switch (sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode)) {
    case SONDE_GEN_FORMAT_UNARY:
        draw_basic(random, i, false);
        break;
    case SONDE_GEN_FORMAT_BINARY:
        draw_basic(random, i, true);
        break;
    case SONDE_GEN_FORMAT_MATH:
        draw_math(random, i);
        break;
    case SONDE_GEN_FORMAT_TERNARY:
        draw_ternary(random, i);
        break;
    case SONDE_GEN_FORMAT_DPAS:
        draw_systolic(random, i);
        break;
    case SONDE_GEN_FORMAT_BRANCH:
        draw_branch(random, i, index);
        break;
    case SONDE_GEN_FORMAT_SEND:
        draw_send(random, i);
        break;
    case SONDE_GEN_FORMAT_SYNC:
        draw_sync(random, i);
        break;
    default:
        break;
    }
}

void draw_word(struct random *random, enum sonde_gen_platform platform, uint32_t index,
               uint64_t word[2])
{
    for (;;) {
        enum sonde_gen_opcode opcode =
            (enum sonde_gen_opcode)random_below(random, SONDE_GEN_OPCODE_COUNT);
        /* Formats of one or two opcodes are no rarer than others. */
        if (one_in(random, 8))
            opcode = SONDE_GEN_SEND;
        else if (one_in(random, 16))
            opcode = SONDE_GEN_MATH;
        else if (one_in(random, 32))
            opcode = SONDE_GEN_DPAS;
        if (opcode == SONDE_GEN_ILLEGAL || !sonde_gen_opcode_exists(opcode, platform))
            continue;
        struct sonde_gen_instruction i;
        struct sonde_error error;
        sonde_gen_instruction_init(&i, platform, opcode, 1, false);
        draw_instruction(random, &i, index);
        if (sonde_gen_encode(&i, (uint8_t *)word, &error) == SONDE_OK)
            return;
    }
}
