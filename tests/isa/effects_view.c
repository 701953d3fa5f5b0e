#include "effects_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_INVALID, KIND_DIRECT, KIND_MACRO, KIND_INDIRECT, KIND_IMMEDIATE, KIND_LABEL };
enum name { NAME_NULL = 1, NAME_A, NAME_ACC, NAME_MME, NAME_F, NAME_CR = 10, NAME_GRF = 17 };

#define SCALAR_VERTICAL 0u

/* One instruction under the walk. */
struct view {
    const struct kv_functions *f;
    const struct view_types *types;
    const void *kv;
    int32_t pc;
    enum sonde_gen_platform platform;
    unsigned grf; /* bytes of a register */
    unsigned exec;
    char predicate[16]; /* "f0.0.any32h" and the like */
    char mnemonic[32];
};

bool view_calibrate(struct iga *iga, enum sonde_gen_platform platform, struct view_types *types)
{
    static const struct {
        const char *name;
        uint8_t bits;
    } plain[] = {{"ub", 8}, {"b", 8},   {"uw", 16}, {"w", 16}, {"ud", 32}, {"d", 32},
                 {"f", 32}, {"hf", 16}, {"uq", 64}, {"q", 64}, {"df", 64}},
      systolic[] = {{"u4", 4}, {"s4", 4}, {"u2", 2}, {"s2", 2}, {"bf", 16}, {"tf32", 32}};
    const struct kv_functions *f = iga_kv(iga);
    struct kv kv;
    size_t size;
    char text[128];
    memset(types, 0, sizeof *types);
    for (size_t n = 0; n < sizeof plain / sizeof *plain; n++) {
        snprintf(text, sizeof text, "mov (1|M0) r1.0<4>:%s r2.0<0;1,0>:%s\n", plain[n].name,
                 plain[n].name);
        const uint8_t *code = iga_assemble(iga, text, IGA_ENCODE_NO_COMPACT, &size);
        if (code == NULL || !kv_open(iga, &kv, code, size))
            return false;
        types->bits[f->src_type(kv.view, 0, 0) % VIEW_TYPES] = plain[n].bits;
        kv_close(iga, &kv);
    }
    for (size_t n = 0; n < sizeof systolic / sizeof *systolic; n++) {
        const char *name = systolic[n].name;
        bool is_float = name[0] == 'b' || name[0] == 't';
        snprintf(text, sizeof text, "dpas.8x8 (%u|M0) r1:%s null:%s r20:%s r30.0:%s\n",
                 sonde_gen_platform_grf_size(platform) / 4, is_float ? "f" : "d",
                 is_float ? "f" : "d", name, name);
        const uint8_t *code = iga_assemble(iga, text, IGA_ENCODE_NO_COMPACT, &size);
        if (code == NULL || !kv_open(iga, &kv, code, size))
            continue;
        types->bits[f->src_type(kv.view, 0, 1) % VIEW_TYPES] = systolic[n].bits;
        kv_close(iga, &kv);
    }
    return true;
}

static void set_grf(struct sonde_gen_effect *e, unsigned start, unsigned length)
{
    for (unsigned n = start; n < start + length && n < SONDE_GEN_GRF_WORDS * 64; n++)
        e->grf[n / 64] |= UINT64_C(1) << n % 64;
}

/* Elements other than dwords may lie in either of a pair of accumulators. */
static void set_accumulator(const struct view *v, struct sonde_gen_effect *e, unsigned number,
                            unsigned byte, unsigned bits)
{
    unsigned n = number + byte / v->grf;
    e->accumulators |= (uint16_t)(1u << n);
    if (bits != 32)
        e->accumulators |= (uint16_t)(1u << (n ^ 1));
}

static void set_mme(const struct view *v, struct sonde_gen_effect *e, unsigned number)
{
    e->mme = true;
    if (v->platform == SONDE_GEN_PLATFORM_XEHPC)
        e->accumulators |= (uint16_t)(1u << (8 + number));
}

/* One element of `bits` at byte `byte` of register `number`. */
static void set_element(const struct view *v, struct sonde_gen_effect *e, uint32_t name,
                        unsigned number, unsigned byte, unsigned bits)
{
    switch (name) {
    case NAME_GRF:
        set_grf(e, number * v->grf + byte, bits / 8);
        break;
    case NAME_A:
        for (unsigned n = byte / 2; n < (byte + bits / 8 + 1) / 2; n++)
            e->address |= (uint16_t)(1u << n);
        break;
    case NAME_F:
        for (unsigned n = byte / 2; n < (byte + bits / 8 + 1) / 2; n++)
            e->flags |= (uint8_t)(1u << (2 * number + n));
        break;
    case NAME_ACC:
        set_accumulator(v, e, number, byte, bits);
        if (v->platform == SONDE_GEN_PLATFORM_XEHPC && number + byte / v->grf >= 8)
            e->mme = true;
        break;
    case NAME_MME:
        set_mme(v, e, number);
        break;
    case NAME_CR:
        e->control = true;
        break;
    default:
        break;
    }
}

static bool starts(const struct view *v, const char *mnemonic)
{
    size_t length = strlen(mnemonic);
    return strncmp(v->mnemonic, mnemonic, length) == 0 &&
           (v->mnemonic[length] == '\0' || v->mnemonic[length] == '.');
}

static unsigned type_bits(const struct view *v, uint32_t type)
{
    unsigned bits = type < VIEW_TYPES ? v->types->bits[type] : 0;
    return bits == 0 ? 32 : bits;
}

/* Width that two strides of a three-source operand stand for. */
static uint32_t ternary_width(uint32_t vertical, uint32_t horizontal)
{
    if (vertical == 0)
        return 1;
    return horizontal == 0 ? vertical : vertical / horizontal;
}

static void read_region(const struct view *v, struct sonde_gen_effect *e, uint32_t n, uint32_t name)
{
    unsigned bits = type_bits(v, v->f->src_type(v->kv, v->pc, n)), number, byte, count = v->exec;
    uint32_t vertical = 0, width = 1, horizontal = 0;
    number = (unsigned)v->f->src_register(v->kv, v->pc, n);
    byte = (unsigned)v->f->src_subreg(v->kv, v->pc, n) * bits / 8;
    bool known = v->f->src_region(v->kv, v->pc, n, &vertical, &width, &horizontal) == 0;
    if (v->f->src_kind(v->kv, v->pc, n) == KIND_MACRO)
        vertical = width = 1, horizontal = 0, byte = 0;
    else if (!known) /* an architecture register: the answer is for a few files alone */
        vertical = SCALAR_VERTICAL, width = 1, horizontal = 0;
    else if (v->f->sources(v->kv, v->pc) == 3 && n < 2)
        width = ternary_width(vertical, horizontal);
    else if (v->f->sources(v->kv, v->pc) == 3)
        vertical = horizontal, width = 1, horizontal = 0;
    if (starts(v, "ret") || starts(v, "brc"))
        count = 2, vertical = 2, width = 2, horizontal = 1;
    for (unsigned k = 0; k < count; k++) {
        unsigned element = k / width * vertical + k % width * horizontal;
        set_element(v, e, name, number, byte + element * bits / 8, bits);
    }
}

static void read_address(const struct view *v, struct sonde_gen_effect *e, uint32_t n)
{
    uint32_t vertical = 0, width = 1, horizontal = 0;
    v->f->src_region(v->kv, v->pc, n, &vertical, &width, &horizontal);
    unsigned first = (unsigned)v->f->src_subreg(v->kv, v->pc, n), count = 1;
    bool no_stride = (vertical & (vertical - 1)) != 0; /* an address a row */
    if (no_stride && width != 0 && v->exec > width)
        count = v->exec / width;
    if (starts(v, "movi"))
        count = 16;
    for (unsigned k = 0; k < count; k++)
        e->address |= (uint16_t)(1u << ((first + k) & 15));
    e->grf_unknown = true;
}

static void read_payload(const struct view *v, struct sonde_gen_effect *e, uint32_t n,
                         unsigned registers)
{
    unsigned number = (unsigned)v->f->src_register(v->kv, v->pc, n);
    if (v->f->src_register_type(v->kv, v->pc, n) == NAME_GRF)
        set_grf(e, number * v->grf, registers * v->grf);
}

static void message_effects(const struct view *v, struct sonde_gen_effects *effects)
{
    uint32_t length[3] = {0};
    uint8_t where[4] = {0xff, 0xff, 0xff, 0xff};
    v->f->message_len(v->kv, v->pc, &length[0], &length[1], &length[2]);
    read_payload(v, &effects->reads, 0, length[0] > 32 ? 15 : length[0]);
    read_payload(v, &effects->reads, 1, length[1] > 32 ? 31 : length[1]);
    if (v->f->dst_register_type(v->kv, v->pc) == NAME_GRF) {
        unsigned number = (unsigned)v->f->dst_register(v->kv, v->pc);
        set_grf(&effects->writes, number * v->grf, (length[2] > 32 ? 31 : length[2]) * v->grf);
    }
    v->f->send_indirect(v->kv, v->pc, &where[0], &where[1], &where[2], &where[3]);
    if (where[0] != 0xff)
        effects->reads.address |= (uint16_t)(3u << 2 * where[1]);
    if (where[2] != 0xff)
        effects->reads.address |= (uint16_t)(3u << 2 * where[3]);
}

static void systolic_effects(const struct view *v, struct sonde_gen_effects *effects)
{
    unsigned depth = 0, rows = 0, bits[3], steps;
    sscanf(strchr(v->mnemonic, '.') + 1, "%ux%u", &depth, &rows);
    for (uint32_t n = 0; n < 3; n++)
        bits[n] = type_bits(v, v->f->src_type(v->kv, v->pc, n));
    steps = bits[1] < 8 && bits[2] < 8 ? 8 : bits[1] > 8 ? 32 / bits[1] : 4;
    unsigned shared = starts(v, "dpasw") ? (rows + 1) / 2 : rows;
    unsigned length[3] = {v->exec * bits[0] * rows, v->exec * bits[1] * steps * depth,
                          steps * bits[2] * (8 * (shared - 1) + depth)};
    for (uint32_t n = 0; n < 3; n++) {
        if (v->f->src_register_type(v->kv, v->pc, n) != NAME_GRF)
            continue;
        unsigned start = (unsigned)v->f->src_register(v->kv, v->pc, n) * v->grf +
                         (unsigned)v->f->src_subreg(v->kv, v->pc, n) * bits[n] / 8;
        set_grf(&effects->reads, start, length[n] / 8);
    }
    if (v->f->dst_register_type(v->kv, v->pc) == NAME_GRF) {
        unsigned size = type_bits(v, v->f->dst_type(v->kv, v->pc));
        unsigned start = (unsigned)v->f->dst_register(v->kv, v->pc) * v->grf +
                         (unsigned)v->f->dst_subreg(v->kv, v->pc) * size / 8;
        set_grf(&effects->writes, start, v->exec * size / 8 * rows);
    }
}

static void source_effects(const struct view *v, struct sonde_gen_effects *effects, uint32_t n)
{
    int16_t mme = -1;
    switch (v->f->src_kind(v->kv, v->pc, n)) {
    case KIND_MACRO:
        if (v->f->src_mme(v->kv, v->pc, n, &mme) == 0 && mme >= 0 && mme < 8)
            set_mme(v, &effects->reads, (unsigned)mme);
        read_region(v, &effects->reads, n, v->f->src_register_type(v->kv, v->pc, n));
        break;
    case KIND_DIRECT:
        read_region(v, &effects->reads, n, v->f->src_register_type(v->kv, v->pc, n));
        break;
    case KIND_INDIRECT:
        read_address(v, &effects->reads, n);
        break;
    default:
        break;
    }
}

static void destination_effects(const struct view *v, struct sonde_gen_effects *effects)
{
    uint32_t kind = v->f->dst_kind(v->kv, v->pc), stride = 1;
    unsigned bits = type_bits(v, v->f->dst_type(v->kv, v->pc)), count = v->exec, byte = 0;
    int16_t mme = -1;
    if (v->f->has_dst(v->kv, v->pc) != 1)
        return;
    if (kind == KIND_INDIRECT) {
        effects->reads.address |= (uint16_t)(1u << v->f->dst_subreg(v->kv, v->pc));
        effects->writes.grf_unknown = true;
        return;
    }
    if (kind == KIND_MACRO) {
        if (v->f->dst_mme(v->kv, v->pc, &mme) == 0 && mme >= 0 && mme < 8)
            set_mme(v, &effects->writes, (unsigned)mme);
    } else {
        byte = (unsigned)v->f->dst_subreg(v->kv, v->pc) * bits / 8;
        v->f->dst_region(v->kv, v->pc, &stride);
    }
    if (starts(v, "call") || starts(v, "calla"))
        count = 2, stride = 1;
    for (unsigned k = 0; k < count; k++)
        set_element(v, &effects->writes, v->f->dst_register_type(v->kv, v->pc),
                    (unsigned)v->f->dst_register(v->kv, v->pc), byte + k * stride * bits / 8, bits);
    if (starts(v, "math.idiv")) {
        unsigned number = (unsigned)v->f->dst_register(v->kv, v->pc);
        bool one = byte == 0 && stride == 1 && count * bits / 8 == v->grf;
        set_grf(&effects->writes, (number + one) * v->grf, (one ? 1 : 2) * v->grf);
    }
}

static void flag_effects(const struct view *v, struct sonde_gen_effects *effects)
{
    unsigned number = (unsigned)v->f->flag_register(v->kv, v->pc);
    unsigned first =
        16u * (unsigned)v->f->flag_subreg(v->kv, v->pc) + 4u * v->f->channel_offset(v->kv, v->pc);
    unsigned group = 1, start = first, end = first + v->exec;
    const char *function = strchr(v->predicate, '.');
    function = function == NULL ? NULL : strchr(function + 1, '.');
    bool vertical = false;
    if (function != NULL && strpbrk(function, "0123456789") != NULL)
        group = (unsigned)strtoul(strpbrk(function, "0123456789"), NULL, 10);
    else if (function != NULL && function[4] == 'v')
        vertical = true;
    else if (function != NULL)
        group = 32;
    start = start / group * group;
    end = (end + group - 1) / group * group;
    if (v->f->predicate(v->kv, v->pc) != 0) {
        for (unsigned n = start; n < end; n++)
            effects->reads.flags |= vertical ? 0xff : (uint8_t)(1u << (2 * number + n / 16));
    }
    if (v->f->flag_modifier(v->kv, v->pc) != 0 && !starts(v, "sel")) {
        for (unsigned n = first; n < first + v->exec; n++)
            effects->writes.flags |= (uint8_t)(1u << (2 * number + n / 16));
    }
}

static void accumulator_effects(const struct view *v, struct sonde_gen_effects *effects,
                                bool acc_write)
{
    bool multiply = starts(v, "mach") || starts(v, "macl");
    if (multiply || starts(v, "mac"))
        effects->reads.accumulators |= 3;
    if (multiply || acc_write || starts(v, "addc") || starts(v, "subb"))
        effects->writes.accumulators |= 3;
}

/* The predicate and the mnemonic from "(W&~f0.0.any32h) cmp (16|M0) ...". */
static void split(struct view *v, const char *text)
{
    while (*text == ' ')
        text++;
    if (*text == '(') {
        const char *flag = strchr(text, 'f'), *end = strchr(text, ')');
        if (flag != NULL && flag < end)
            snprintf(v->predicate, sizeof v->predicate, "%.*s", (int)(end - flag), flag);
        text = end + 1;
        while (*text == ' ')
            text++;
    }
    snprintf(v->mnemonic, sizeof v->mnemonic, "%.*s", (int)strcspn(text, " "), text);
}

bool view_effects(struct iga *iga, const struct view_types *types, const struct kv *kv, int32_t pc,
                  enum sonde_gen_platform platform, struct sonde_gen_effects *effects)
{
    char text[1024];
    struct view v = {.f = iga_kv(iga),
                     .types = types,
                     .kv = kv->view,
                     .pc = pc,
                     .platform = platform,
                     .grf = sonde_gen_platform_grf_size(platform)};
    memset(effects, 0, sizeof *effects);
    if (v.f->inst_size(kv->view, pc) <= 0 ||
        v.f->syntax(kv->view, pc, text, sizeof text, 0, NULL, NULL) == 0)
        return false;
    split(&v, text);
    v.exec = v.f->exec_size(kv->view, pc);
    if (starts(&v, "sync") || starts(&v, "nop") || starts(&v, "illegal"))
        return true;
    flag_effects(&v, effects);
    if (starts(&v, "send") || starts(&v, "sendc") || starts(&v, "sends") || starts(&v, "sendsc")) {
        message_effects(&v, effects);
        return true;
    }
    if (starts(&v, "dpas") || starts(&v, "dpasw")) {
        systolic_effects(&v, effects);
        return true;
    }
    int32_t sources = v.f->sources(kv->view, pc);
    bool scalar =
        starts(&v, "jmpi") || starts(&v, "brd") || starts(&v, "call") || starts(&v, "calla");
    unsigned exec = v.exec;
    if (scalar)
        v.exec = 1;
    for (int32_t n = 0; n < sources; n++)
        source_effects(&v, effects, (uint32_t)n);
    v.exec = exec;
    destination_effects(&v, effects);
    accumulator_effects(&v, effects, strstr(text, "AccWrEn") != NULL);
    return true;
}
