#include "codec_compare.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* iga64's operand kinds, register names and sizes of "no such" answers. */
enum kind { KIND_INVALID, KIND_DIRECT, KIND_MACRO, KIND_INDIRECT, KIND_IMMEDIATE, KIND_LABEL };

#define REGISTER_GRF 17u
/* Three sources in align1 have strides alone, the last of them one. */
#define NO_WIDTH  31u
#define NO_STRIDE 63u

static uint32_t types[SONDE_GEN_TYPE_COUNT];

bool compare_calibrate(struct iga *iga)
{
    static const struct {
        uint8_t type;
        const char *text;
    } samples[] = {
        {SONDE_GEN_TYPE_UB, "mov (1|M0) r1.0<4>:ub r2.0<0;1,0>:ub\n"},
        {SONDE_GEN_TYPE_B, "mov (1|M0) r1.0<4>:b r2.0<0;1,0>:b\n"},
        {SONDE_GEN_TYPE_UW, "mov (1|M0) r1.0<1>:uw r2.0<0;1,0>:uw\n"},
        {SONDE_GEN_TYPE_W, "mov (1|M0) r1.0<1>:w r2.0<0;1,0>:w\n"},
        {SONDE_GEN_TYPE_UD, "mov (1|M0) r1.0<1>:ud r2.0<0;1,0>:ud\n"},
        {SONDE_GEN_TYPE_D, "mov (1|M0) r1.0<1>:d r2.0<0;1,0>:d\n"},
        {SONDE_GEN_TYPE_UQ, "mov (1|M0) r1.0<1>:uq r2.0<0;1,0>:uq\n"},
        {SONDE_GEN_TYPE_Q, "mov (1|M0) r1.0<1>:q r2.0<0;1,0>:q\n"},
        {SONDE_GEN_TYPE_HF, "mov (1|M0) r1.0<1>:hf r2.0<0;1,0>:hf\n"},
        {SONDE_GEN_TYPE_F, "mov (1|M0) r1.0<1>:f r2.0<0;1,0>:f\n"},
        {SONDE_GEN_TYPE_DF, "mov (1|M0) r1.0<1>:df r2.0<0;1,0>:df\n"},
        {SONDE_GEN_TYPE_UV, "mov (8|M0) r1.0<1>:uw 0x76543210:uv\n"},
        {SONDE_GEN_TYPE_V, "mov (8|M0) r1.0<1>:w 0x76543210:v\n"},
        {SONDE_GEN_TYPE_VF, "mov (4|M0) r1.0<1>:f 0x30303030:vf\n"},
    };
    for (size_t n = 0; n < sizeof samples / sizeof *samples; n++) {
        size_t size;
        const uint8_t *code = iga_assemble(iga, samples[n].text, IGA_ENCODE_NO_COMPACT, &size);
        struct kv kv;
        if (code == NULL || !kv_open(iga, &kv, code, size))
            return false;
        types[samples[n].type] = iga_kv(iga)->src_type(kv.view, 0, 0);
        kv_close(iga, &kv);
    }
    return true;
}

struct result {
    char *text;
    size_t size;
    bool same;
};

static void differ(struct result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void differ(struct result *r, const char *format, ...)
{
    if (!r->same)
        return;
    r->same = false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->text, r->size, format, arguments);
    va_end(arguments);
}

static void expect(struct result *r, const char *what, int64_t ours, int64_t theirs)
{
    if (ours != theirs)
        differ(r, "%s: %lld, iga64 has %lld", what, (long long)ours, (long long)theirs);
}

static uint32_t register_name(const struct sonde_gen_operand *o)
{
    if (o->file == SONDE_GEN_FILE_GRF)
        return REGISTER_GRF;
    /* iga64 numbers them in the order of the classes, mme after acc. */
    static const uint8_t names[16] = {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 16};
    if ((o->number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR && (o->number & 0xf) >= 2)
        return 4;
    return names[o->number >> 4];
}

static uint32_t register_number(const struct sonde_gen_operand *o)
{
    if (o->file == SONDE_GEN_FILE_GRF)
        return o->number;
    return o->number & 0xf;
}

static unsigned type_size(const struct sonde_gen_operand *o)
{
    unsigned size = sonde_gen_type_size((enum sonde_gen_type)o->type);
    return size == 0 ? 1 : size;
}

static bool is_null(const struct sonde_gen_operand *o)
{
    return o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == SONDE_GEN_ARF_NULL;
}

/* Registers whose sub-registers iga64 counts in bytes. */
static bool is_unsized(const struct sonde_gen_operand *o)
{
    return is_null(o) ||
           (o->file == SONDE_GEN_FILE_ARF && ((o->number & 0xf0) == SONDE_GEN_ARF_MESSAGE ||
                                              (o->number & 0xf0) == SONDE_GEN_ARF_CHANNEL_ENABLE ||
                                              (o->number & 0xf0) == SONDE_GEN_ARF_FLOW_CONTROL));
}

/* iga64 numbers an extra-precision register outside the macros as it likes. */
static bool is_mme(const struct sonde_gen_operand *o)
{
    return o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR &&
           (o->number & 0xf) >= 2;
}

static bool is_ternary(const struct sonde_gen_instruction *i)
{
    return sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode) == SONDE_GEN_FORMAT_TERNARY;
}

/* Macro operands name an extra-precision register in place of a region. */
static bool is_macro(const struct sonde_gen_operand *o)
{
    return o->mme != 0xff;
}

/* Parts of the word that iga64 does not look at for some operations; the
 * decoder reports the bits as they are. */
enum part { CONDITION = 1, SATURATE = 2, MODIFIER = 4, PREDICATE = 8 };

static const uint8_t unread[SONDE_GEN_OPCODE_COUNT] = {
    [SONDE_GEN_BFREV] = CONDITION | SATURATE | MODIFIER,
    [SONDE_GEN_CBIT] = CONDITION | SATURATE | MODIFIER,
    [SONDE_GEN_FBH] = CONDITION | SATURATE | MODIFIER,
    [SONDE_GEN_FBL] = CONDITION | SATURATE | MODIFIER,
    [SONDE_GEN_BFI1] = CONDITION | SATURATE | MODIFIER,
    [SONDE_GEN_BFI2] = CONDITION | SATURATE | MODIFIER,
    [SONDE_GEN_BFE] = CONDITION | SATURATE | MODIFIER,
    [SONDE_GEN_SMOV] = CONDITION | SATURATE | MODIFIER,
    [SONDE_GEN_WAIT] = CONDITION | SATURATE | MODIFIER | PREDICATE,
    [SONDE_GEN_MOVI] = CONDITION,
    [SONDE_GEN_MACH] = CONDITION,
    [SONDE_GEN_PLN] = MODIFIER,
    [SONDE_GEN_SUBB] = MODIFIER,
    [SONDE_GEN_ADDC] = SATURATE | MODIFIER,
    [SONDE_GEN_FRC] = SATURATE,
    [SONDE_GEN_NOT] = SATURATE,
    [SONDE_GEN_AND] = SATURATE,
    [SONDE_GEN_OR] = SATURATE,
    [SONDE_GEN_XOR] = SATURATE,
    [SONDE_GEN_CMP] = SATURATE,
    [SONDE_GEN_CMPN] = SATURATE,
    [SONDE_GEN_ELSE] = PREDICATE,
    [SONDE_GEN_ENDIF] = PREDICATE,
    [SONDE_GEN_CSEL] = PREDICATE,
};

static void expect_part(struct result *r, const struct sonde_gen_instruction *i, enum part part,
                        const char *what, int64_t ours, int64_t theirs)
{
    if (theirs != 0 || (unread[i->opcode] & part) == 0)
        expect(r, what, ours, theirs);
}

/* iga64 shows a ternary that writes one channel as a scalar one. */
static unsigned exec_size_shown(const struct sonde_gen_instruction *i)
{
    bool is_double = i->dst.type == SONDE_GEN_TYPE_DF;
    if (is_ternary(i) && !is_macro(&i->dst)) {
        if (i->exec_size == 4 && __builtin_popcount(i->dst.write_mask) == 1)
            return 1;
        if (i->exec_size == 2 && is_double && (i->dst.write_mask == 3 || i->dst.write_mask == 12))
            return 1;
    }
    return i->exec_size;
}

static void compare_control(struct result *r, const struct kv_functions *f, const void *v,
                            int32_t pc, const struct sonde_gen_instruction *i)
{
    expect(r, "exec size", exec_size_shown(i), f->exec_size(v, pc));
    expect(r, "channel offset", i->channel_offset, 4 * (int64_t)f->channel_offset(v, pc));
    expect(r, "mask control", i->no_mask, f->mask_control(v, pc));
    expect_part(r, i, PREDICATE, "predicate", i->predicate, f->predicate(v, pc));
    if (f->predicate(v, pc) != 0)
        expect(r, "predicate inverse", i->predicate_inverse, f->predicate_inverse(v, pc));
    if (i->opcode != SONDE_GEN_MATH)
        expect_part(r, i, CONDITION, "condition", i->condition, f->flag_modifier(v, pc));
    if (f->predicate(v, pc) != 0 || (f->flag_modifier(v, pc) != 0 && i->opcode != SONDE_GEN_MATH)) {
        expect(r, "flag register", i->flag_number, f->flag_register(v, pc));
        expect(r, "flag half", i->flag_subreg, f->flag_subreg(v, pc));
    }
    uint32_t function = 0;
    if (i->opcode == SONDE_GEN_MATH && f->subfunction(v, pc, &function) == 0)
        expect(r, "math function", i->math - (i->math > 7), function); /* 8 is no function */
}

static void compare_dst(struct result *r, const struct kv_functions *f, const void *v, int32_t pc,
                        const struct sonde_gen_instruction *i)
{
    const struct sonde_gen_operand *o = &i->dst;
    uint32_t kind = f->dst_kind(v, pc);
    if (kind == KIND_INVALID)
        return;
    bool send = sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode) == SONDE_GEN_FORMAT_SEND;
    expect(r, "dst type", types[o->type], f->dst_type(v, pc));
    if (!send)
        expect_part(r, i, SATURATE, "dst saturate", i->saturate, f->dst_modifier(v, pc));
    if (o->indirect) {
        int16_t offset = 0;
        expect(r, "dst kind", KIND_INDIRECT, kind);
        expect(r, "dst address", o->address_subreg, f->dst_subreg(v, pc));
        if (f->dst_offset(v, pc, &offset) == 0)
            expect(r, "dst address offset", o->address_offset, offset);
        return;
    }
    expect(r, "dst register name", register_name(o), f->dst_register_type(v, pc));
    if (!is_null(o) && !is_mme(o))
        expect(r, "dst register", register_number(o), f->dst_register(v, pc));
    int16_t mme = 0;
    if (is_macro(o)) {
        expect(r, "dst kind", KIND_MACRO, kind);
        if (f->dst_mme(v, pc, &mme) == 0)
            expect(r, "dst mme", o->mme, mme);
        return;
    }
    expect(r, "dst kind", KIND_DIRECT, kind);
    unsigned subreg = o->subreg;
    if (is_ternary(i) && o->write_mask != 0xf)
        subreg += (unsigned)__builtin_ctz(o->write_mask | 0x10u) % 4 * type_size(o);
    if (!is_unsized(o) && !send && !i->align16)
        expect(r, "dst subregister", subreg / type_size(o), f->dst_subreg(v, pc));
    uint32_t stride = 0;
    if (!send && !i->align16 && f->dst_region(v, pc, &stride) == 0)
        expect(r, "dst stride", o->hstride, stride);
}

static void compare_region(struct result *r, const struct kv_functions *f, const void *v,
                           int32_t pc, uint32_t n, const struct sonde_gen_operand *o)
{
    uint32_t vertical = 0, width = 0, horizontal = 0;
    if (f->src_region(v, pc, n, &vertical, &width, &horizontal) != 0)
        return;
    char what[40];
    snprintf(what, sizeof what, "src%u vertical stride", n);
    if (o->vstride != SONDE_GEN_VSTRIDE_VXH && vertical != NO_STRIDE)
        expect(r, what, o->vstride, vertical);
    snprintf(what, sizeof what, "src%u width", n);
    if (width != NO_WIDTH)
        expect(r, what, o->width, width);
    snprintf(what, sizeof what, "src%u horizontal stride", n);
    expect(r, what, o->hstride, horizontal);
}

static void compare_src(struct result *r, const struct kv_functions *f, const void *v, int32_t pc,
                        const struct sonde_gen_instruction *i, uint32_t n)
{
    const struct sonde_gen_operand *o = &i->src[n];
    uint32_t kind = f->src_kind(v, pc, n);
    bool send = sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode) == SONDE_GEN_FORMAT_SEND;
    bool branch = sonde_gen_opcode_is_branch((enum sonde_gen_opcode)i->opcode);
    char what[48];
#define WHAT(name) (snprintf(what, sizeof what, "src%u " name, n), what)
    if (!send && !branch)
        expect(r, WHAT("type"), types[o->type], f->src_type(v, pc, n));
    if (o->file == SONDE_GEN_FILE_IMMEDIATE) {
        uint64_t value = 0;
        expect(r, WHAT("kind"), KIND_IMMEDIATE, kind);
        if (f->src_immediate(v, pc, n, &value) != 0)
            return;
        /* iga64 extends the sign of some; the bits of the type count. */
        unsigned bits =
            o->type == SONDE_GEN_TYPE_V || o->type == SONDE_GEN_TYPE_UV ? 32 : 8 * type_size(o);
        uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
        expect(r, WHAT("immediate"), (int64_t)(o->immediate & mask), (int64_t)(value & mask));
        return;
    }
    if (!send && !branch)
        expect_part(r, i, MODIFIER, WHAT("modifier"), o->absolute + 2 * o->negate,
                    f->src_modifier(v, pc, n));
    if (o->indirect) {
        int16_t offset = 0;
        expect(r, WHAT("kind"), KIND_INDIRECT, kind);
        expect(r, WHAT("address"), o->address_subreg, f->src_subreg(v, pc, n));
        if (f->src_offset(v, pc, n, &offset) == 0)
            expect(r, WHAT("address offset"), o->address_offset, offset);
        if (!send)
            compare_region(r, f, v, pc, n, o);
        return;
    }
    expect(r, WHAT("register name"), register_name(o), f->src_register_type(v, pc, n));
    if (!is_null(o) && !is_mme(o))
        expect(r, WHAT("register"), register_number(o), f->src_register(v, pc, n));
    if (is_macro(o)) {
        int16_t mme = 0;
        expect(r, WHAT("kind"), KIND_MACRO, kind);
        if (f->src_mme(v, pc, n, &mme) == 0)
            expect(r, WHAT("mme"), o->mme, mme);
        return;
    }
    expect(r, WHAT("kind"), KIND_DIRECT, kind);
    if (send || i->align16)
        return;
    if (!is_unsized(o))
        expect(r, WHAT("subregister"), o->subreg / type_size(o), f->src_subreg(v, pc, n));
    if (!branch)
        compare_region(r, f, v, pc, n, o);
#undef WHAT
}

static void compare_send(struct result *r, const struct kv_functions *f, const void *v, int32_t pc,
                         const struct sonde_gen_instruction *i)
{
    uint32_t ex = 0, descriptor = 0;
    f->send_descs(v, pc, &ex, &descriptor);
    if (!i->send.descriptor_is_register)
        expect(r, "descriptor", i->send.descriptor, descriptor);
    if (!i->send.ex_descriptor_is_register)
        expect(r, "extended descriptor", i->send.ex_descriptor, ex);
    uint8_t ex_register = 0, ex_subreg = 0, d_register = 0, d_subreg = 0;
    if (f->send_indirect(v, pc, &ex_register, &ex_subreg, &d_register, &d_subreg) == 0) {
        expect(r, "descriptor in a register", i->send.descriptor_is_register, d_register != 0xff);
        expect(r, "extended descriptor in a register", i->send.ex_descriptor_is_register,
               ex_register != 0xff);
        if (i->send.ex_descriptor_is_register)
            expect(r, "extended descriptor subregister", i->send.ex_descriptor_subreg / 2,
                   ex_subreg);
    }
}

static void compare_targets(struct result *r, const struct kv_functions *f, const void *v,
                            int32_t pc, const struct sonde_gen_instruction *i)
{
    int32_t targets[3] = {0};
    uint32_t count = f->targets(v, pc, targets);
    if (i->opcode == SONDE_GEN_CALLA)
        return;
    expect(r, "branch targets", i->has_jip + i->has_uip, count);
    if (i->has_jip && count > 0)
        expect(r, "jip", (int32_t)((uint32_t)pc + (uint32_t)i->jip), targets[0]);
    if (i->has_uip && count > 1)
        expect(r, "uip", (int32_t)((uint32_t)pc + (uint32_t)i->uip), targets[1]);
}

/* iga64 numbers operations in an order of its own: the first time that a
 * number is met its text must name the mnemonic, then the number must stay. */
static void compare_opcode(struct result *r, const struct kv_functions *f, const void *v,
                           int32_t pc, enum sonde_gen_opcode opcode)
{
    static uint8_t opcodes[256];
    uint32_t number = f->opcode(v, pc);
    if (number >= sizeof opcodes) {
        differ(r, "opcode: iga64 has number %u", number);
        return;
    }
    if (opcodes[number] == 0) {
        char text[512] = "";
        f->syntax(v, pc, text, sizeof text, 0, NULL, NULL);
        const char *mnemonic = text;
        if (*mnemonic == '(')
            mnemonic = strchr(text, ')') == NULL ? text : strchr(text, ')') + 1;
        mnemonic += strspn(mnemonic, " ");
        size_t length = strcspn(mnemonic, " .(");
        const char *ours = sonde_gen_opcode_mnemonic(opcode);
        if (length != strlen(ours) || memcmp(mnemonic, ours, length) != 0) {
            differ(r, "opcode: %s, iga64 has %.*s", ours, (int)length, mnemonic);
            return;
        }
        opcodes[number] = (uint8_t)(opcode + 1);
    }
    expect(r, "opcode", opcode, opcodes[number] - 1);
}

bool compare_instruction(struct iga *iga, const struct kv *kv, int32_t pc,
                         const struct sonde_gen_instruction *i, char *text, size_t size)
{
    const struct kv_functions *f = iga_kv(iga);
    const void *v = kv->view;
    struct result r = {text, size, true};
    enum sonde_gen_opcode opcode = (enum sonde_gen_opcode)i->opcode;
    compare_opcode(&r, f, v, pc, opcode);
    expect(&r, "size", i->size, f->inst_size(v, pc));
    if (!r.same || sonde_gen_opcode_format(opcode) == SONDE_GEN_FORMAT_NULLARY)
        return r.same;
    compare_control(&r, f, v, pc, i);
    if (sonde_gen_opcode_is_branch(opcode))
        compare_targets(&r, f, v, pc, i);
    if (sonde_gen_opcode_format(opcode) == SONDE_GEN_FORMAT_SEND)
        compare_send(&r, f, v, pc, i);
    if (!sonde_gen_opcode_is_branch(opcode))
        expect(&r, "sources", i->source_count, f->sources(v, pc));
    compare_dst(&r, f, v, pc, i);
    for (uint32_t n = 0; n < i->source_count; n++)
        compare_src(&r, f, v, pc, i, n);
    return r.same;
}

bool compare_round_trip(const struct sonde_gen_instruction *i, const uint8_t *bytes, char *text,
                        size_t size)
{
    uint8_t out[16];
    struct sonde_error error;
    enum sonde_status status =
        i->compacted ? sonde_gen_compact(i, out, &error) : sonde_gen_encode(i, out, &error);
    if (status != SONDE_OK) {
        snprintf(text, size, "does not encode again: %s", error.message);
        return false;
    }
    if (memcmp(out, bytes, i->size) != 0) {
        snprintf(text, size, "encodes to other bytes");
        return false;
    }
    return true;
}
