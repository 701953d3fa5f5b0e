/* Operand effects against the emulated execution units: random instructions
 * over random registers. What an instruction changes must be among its writes;
 * what it leaves there may depend on its reads alone; and where the write
 * counts as whole nothing of the old contents may stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../emu/core_machine.h"
#include "sonde/gen.h"

#define INSTRUCTIONS 6000
#define ATTEMPTS     400000

/* Registers of the machine: r2-r97 belong to the instruction under test; the
 * rest loads and stores the architecture registers. */
#define FIRST_REGISTER 2u
#define REGISTERS      96u
#define LOADED         110u
#define STORED         100u

static struct core_machine *machine;
static uint8_t load_code[512], store_code[512];
static size_t load_size, store_size;

struct state {
    uint8_t grf[REGISTERS * 32];
    uint32_t flag[2];
    uint16_t address[16];
    uint32_t accumulator[2][8];
};

static unsigned below(unsigned limit)
{
    return (unsigned)(core_random() >> 33) % limit;
}

static void assemble_frame(void)
{
    core_assemble(machine, "(W) mov (1|M0) f0.0<1>:ud r110.0<0;1,0>:ud\n"
                           "(W) mov (1|M0) f1.0<1>:ud r110.1<0;1,0>:ud\n"
                           "(W) mov (16|M0) a0.0<1>:uw r111.0<16;16,1>:uw\n"
                           "(W) mov (8|M0) acc0.0<1>:ud r112.0<8;8,1>:ud\n"
                           "(W) mov (8|M0) acc1.0<1>:ud r113.0<8;8,1>:ud\n");
    load_size = machine->code_size;
    memcpy(load_code, machine->code, load_size);
    core_assemble(machine, "(W) mov (1|M0) r100.0<1>:ud f0.0<0;1,0>:ud\n"
                           "(W) mov (1|M0) r100.1<1>:ud f1.0<0;1,0>:ud\n"
                           "(W) mov (16|M0) r101.0<1>:uw a0.0<16;16,1>:uw\n"
                           "(W) mov (8|M0) r102.0<1>:ud acc0.0<8;8,1>:ud\n"
                           "(W) mov (8|M0) r103.0<1>:ud acc1.0<8;8,1>:ud\n");
    store_size = machine->code_size;
    memcpy(store_code, machine->code, store_size);
}

/* False when the emulator faults before the end. */
static bool execute(const uint8_t word[16], const struct state *before, struct state *after)
{
    memset(machine->code, 0, load_size + 16 + store_size + 64);
    memcpy(machine->code, load_code, load_size);
    memcpy(machine->code + load_size, word, 16);
    memcpy(machine->code + load_size + 16, store_code, store_size);
    machine->code_size = load_size + 16 + store_size;
    memcpy(core_payload(machine, FIRST_REGISTER), before->grf, sizeof before->grf);
    memcpy(core_payload(machine, LOADED), before->flag, sizeof before->flag);
    memcpy(core_payload(machine, LOADED + 1), before->address, sizeof before->address);
    memcpy(core_payload(machine, LOADED + 2), before->accumulator, sizeof before->accumulator);
    core_run(machine);
    const struct emu_fault *fault = &machine->result.fault;
    if (!fault->occurred || fault->instruction_offset != machine->code_size)
        return false;
    memcpy(after->grf, core_d(machine, FIRST_REGISTER), sizeof after->grf);
    memcpy(after->flag, core_d(machine, STORED), sizeof after->flag);
    memcpy(after->address, core_d(machine, STORED + 1), sizeof after->address);
    memcpy(after->accumulator, core_d(machine, STORED + 2), sizeof after->accumulator);
    return true;
}

static void randomize(struct state *s)
{
    uint8_t *bytes = (uint8_t *)s;
    for (size_t n = 0; n < sizeof *s; n++)
        bytes[n] = (uint8_t)core_random();
    /* Some floats of ordinary size, and addresses inside the registers. */
    for (unsigned n = 0; n < REGISTERS * 8; n += 1 + below(4)) {
        float value = (float)((int)below(2000) - 1000) / 8;
        memcpy(s->grf + 4 * n, &value, sizeof value);
    }
    for (unsigned n = 0; n < 16; n++)
        s->address[n] = (uint16_t)(1024 + 8 * below(128));
}

static bool in_grf(const struct sonde_gen_effect *e, unsigned byte)
{
    unsigned at = FIRST_REGISTER * 32 + byte;
    return e->grf_unknown || (e->grf[at / 64] >> at % 64 & 1) != 0;
}

static bool in_flags(const struct sonde_gen_effect *e, unsigned half)
{
    return (e->flags >> half & 1) != 0;
}

/* The pieces of a state, one a bit of the effect sets. */
enum { PIECES = REGISTERS * 32 + 4 + 16 + 2 };

struct piece {
    bool read, written;
    const void *a[4]; /* the piece in up to four states */
    size_t size;
};

static struct piece piece_of(unsigned n, const struct sonde_gen_effects *e,
                             const struct state *const states[4])
{
    struct piece p = {0};
    for (unsigned k = 0; k < 4; k++) {
        const struct state *s = states[k];
        if (n < REGISTERS * 32)
            p.a[k] = s->grf + n;
        else if (n < REGISTERS * 32 + 4)
            p.a[k] = (const uint16_t *)(const void *)s->flag + (n - REGISTERS * 32);
        else if (n < REGISTERS * 32 + 20)
            p.a[k] = s->address + (n - REGISTERS * 32 - 4);
        else
            p.a[k] = s->accumulator[n - REGISTERS * 32 - 20];
    }
    if (n < REGISTERS * 32) {
        p.size = 1;
        p.read = in_grf(&e->reads, n);
        p.written = in_grf(&e->writes, n);
    } else if (n < REGISTERS * 32 + 4) {
        p.size = 2;
        p.read = in_flags(&e->reads, n - REGISTERS * 32);
        p.written = in_flags(&e->writes, n - REGISTERS * 32);
    } else if (n < REGISTERS * 32 + 20) {
        p.size = 2;
        p.read = (e->reads.address >> (n - REGISTERS * 32 - 4) & 1) != 0;
        p.written = (e->writes.address >> (n - REGISTERS * 32 - 4) & 1) != 0;
    } else {
        p.size = 32;
        p.read = (e->reads.accumulators >> (n - REGISTERS * 32 - 20) & 1) != 0;
        p.written = (e->writes.accumulators >> (n - REGISTERS * 32 - 20) & 1) != 0;
    }
    return p;
}

/* What is not read takes other contents. */
static void change_unread(const struct sonde_gen_effects *e, struct state *s)
{
    const struct state *states[4] = {s, s, s, s};
    struct state other;
    randomize(&other);
    const struct state *others[4] = {&other, &other, &other, &other};
    for (unsigned n = 0; n < PIECES; n++) {
        struct piece p = piece_of(n, e, states), q = piece_of(n, e, others);
        if (!p.read)
            memcpy((void *)(uintptr_t)p.a[0], q.a[0], p.size);
    }
}

static void text_of(const struct sonde_gen_instruction *i, unsigned piece, char *text, size_t size)
{
    int at = sonde_gen_print(i, NULL, NULL, text, size);
    if (at < 0 || (size_t)at >= size)
        return;
    if (piece < REGISTERS * 32)
        snprintf(text + at, size - (size_t)at, "\n  at r%u.%u", FIRST_REGISTER + piece / 32,
                 piece % 32);
    else
        snprintf(text + at, size - (size_t)at, "\n  at architecture piece %u",
                 piece - REGISTERS * 32);
}

/* Half channels of a flag are written one bit a channel. */
static bool agrees_bitwise(const struct piece *p)
{
    if (p->size != 2)
        return false;
    uint16_t v[4];
    for (unsigned k = 0; k < 4; k++)
        memcpy(&v[k], p->a[k], 2);
    /* Every bit: equal after both runs, or unchanged in both. */
    return ((v[1] ^ v[3]) & ((v[1] ^ v[0]) | (v[3] ^ v[2]))) == 0;
}

/* An accumulator is written one element a channel: every byte is equal after
 * both runs, or unchanged in both. */
static bool agrees_by_byte(const struct piece *p)
{
    for (size_t n = 0; n < p->size; n++) {
        uint8_t v[4];
        for (unsigned k = 0; k < 4; k++)
            v[k] = ((const uint8_t *)p->a[k])[n];
        if (v[1] != v[3] && (v[1] != v[0] || v[3] != v[2]))
            return false;
    }
    return p->size >= 4;
}

/* False when the emulator does not take the instruction. */
static bool check(const struct sonde_gen_instruction *i, const uint8_t word[16])
{
    static struct state a, a_after, b, b_after;
    struct sonde_gen_effects e;
    char text[500];
    randomize(&a);
    sonde_gen_instruction_effects(i, &e);
    b = a;
    change_unread(&e, &b);
    if (!execute(word, &a, &a_after) || !execute(word, &b, &b_after))
        return false;
    const struct state *states[4] = {&a, &a_after, &b, &b_after};
    for (unsigned n = 0; n < PIECES; n++) {
        struct piece p = piece_of(n, &e, states);
        bool changed = memcmp(p.a[0], p.a[1], p.size) != 0;
        bool same = memcmp(p.a[1], p.a[3], p.size) == 0;
        bool kept = !changed && memcmp(p.a[2], p.a[3], p.size) == 0;
        if ((!p.written && !changed) || (p.written && same))
            continue;
        text_of(i, n, text, sizeof text);
        if (!p.written)
            fail_msg("%s changes without being a write", text);
        if (!e.write_is_partial)
            fail_msg("%s is not wholly written, or depends on what is not a read", text);
        if (!kept && !agrees_bitwise(&p) && !agrees_by_byte(&p))
            fail_msg("%s depends on what is not a read", text);
    }
    return true;
}

static const uint8_t integers[] = {
    SONDE_GEN_TYPE_UB, SONDE_GEN_TYPE_B,  SONDE_GEN_TYPE_UW, SONDE_GEN_TYPE_W,  SONDE_GEN_TYPE_UD,
    SONDE_GEN_TYPE_D,  SONDE_GEN_TYPE_UD, SONDE_GEN_TYPE_D,  SONDE_GEN_TYPE_UQ, SONDE_GEN_TYPE_Q};
static const uint8_t floats[] = {SONDE_GEN_TYPE_F, SONDE_GEN_TYPE_F, SONDE_GEN_TYPE_HF,
                                 SONDE_GEN_TYPE_DF};

static const struct {
    uint8_t opcode;
    char types; /* i(nteger), f(loat), b(oth), w(ide: dwords only) */
} operations[] = {
    {SONDE_GEN_MOV, 'b'},  {SONDE_GEN_SEL, 'b'},  {SONDE_GEN_NOT, 'i'},  {SONDE_GEN_AND, 'i'},
    {SONDE_GEN_OR, 'i'},   {SONDE_GEN_XOR, 'i'},  {SONDE_GEN_SHR, 'i'},  {SONDE_GEN_SHL, 'i'},
    {SONDE_GEN_ASR, 'i'},  {SONDE_GEN_CMP, 'b'},  {SONDE_GEN_CMPN, 'b'}, {SONDE_GEN_CSEL, 'f'},
    {SONDE_GEN_BFE, 'w'},  {SONDE_GEN_BFI1, 'w'}, {SONDE_GEN_BFI2, 'w'}, {SONDE_GEN_BFREV, 'w'},
    {SONDE_GEN_ADD, 'b'},  {SONDE_GEN_MUL, 'b'},  {SONDE_GEN_AVG, 'i'},  {SONDE_GEN_FRC, 'f'},
    {SONDE_GEN_RNDD, 'f'}, {SONDE_GEN_RNDE, 'f'}, {SONDE_GEN_MAC, 'b'},  {SONDE_GEN_MACH, 'w'},
    {SONDE_GEN_LZD, 'w'},  {SONDE_GEN_FBH, 'w'},  {SONDE_GEN_FBL, 'w'},  {SONDE_GEN_CBIT, 'w'},
    {SONDE_GEN_ADDC, 'w'}, {SONDE_GEN_SUBB, 'w'}, {SONDE_GEN_MAD, 'f'},  {SONDE_GEN_MATH, 'f'},
    {SONDE_GEN_MATH, 'w'}, {SONDE_GEN_MADM, 'f'},
};

static uint8_t pick_type(char types)
{
    switch (types == 'b' ? "if"[below(2)] : types) {
    case 'i':
        return integers[below(sizeof integers)];
    case 'f':
        return floats[below(sizeof floats)];
    default:
        return below(2) ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_D;
    }
}

static void place(struct sonde_gen_operand *o, uint8_t type)
{
    o->type = type;
    o->file = SONDE_GEN_FILE_GRF;
    o->number = (uint8_t)(FIRST_REGISTER + below(REGISTERS - 3));
    o->subreg = below(2) ? 0 : (uint8_t)(below(32) / 8 * 8);
}

static void random_source(struct sonde_gen_operand *o, uint8_t type, unsigned exec_size, bool last)
{
    static const uint8_t strides[] = {0, 1, 2, 4, 8, 16, 32};
    place(o, type);
    switch (below(12)) {
    case 0:
        if (last && type != SONDE_GEN_TYPE_UB && type != SONDE_GEN_TYPE_B &&
            sonde_gen_type_size((enum sonde_gen_type)type) <= 4) {
            o->file = SONDE_GEN_FILE_IMMEDIATE;
            o->subreg = o->number = 0;
            o->immediate =
                core_random() &
                (sonde_gen_type_size((enum sonde_gen_type)type) == 2 ? 0xffff : 0xffffffff);
            return;
        }
        break;
    case 1:
        o->indirect = true;
        o->number = o->subreg = 0;
        o->address_subreg = (uint8_t)below(8);
        o->address_offset = (int16_t)(8 * (int)below(16));
        o->vstride = below(2) ? SONDE_GEN_VSTRIDE_VXH : 8;
        o->width = o->vstride == 8 && exec_size >= 8 ? 8 : 1;
        o->hstride = o->width == 8;
        if (o->vstride != SONDE_GEN_VSTRIDE_VXH && o->width == 1)
            o->vstride = 0;
        return;
    case 2:
        o->file = SONDE_GEN_FILE_ARF;
        o->number = SONDE_GEN_ARF_ACCUMULATOR;
        o->subreg = 0;
        break;
    default:
        break;
    }
    if (below(3) == 0) {
        o->vstride = 0;
        o->width = 1;
        o->hstride = 0;
        return;
    }
    o->width = (uint8_t)(1u << below(5));
    o->hstride = strides[below(4)];
    o->vstride = below(3) ? (uint8_t)(o->width * o->hstride) : strides[below(7)];
    o->negate = below(4) == 0;
    o->absolute = below(8) == 0;
}

static void random_ternary(struct sonde_gen_instruction *i, uint8_t type)
{
    bool macro = i->opcode == SONDE_GEN_MADM;
    place(&i->dst, type);
    i->dst.subreg = (uint8_t)(i->dst.subreg / 16 * 16);
    for (unsigned n = 0; n < 3; n++) {
        struct sonde_gen_operand *o = &i->src[n];
        place(o, type);
        o->subreg = (uint8_t)(o->subreg / 16 * 16);
        o->replicate = !macro && type != SONDE_GEN_TYPE_DF && below(3) == 0;
        o->negate = below(4) == 0;
        if (macro)
            o->mme = 8; /* the others hold what an earlier thread left */
    }
    if (macro)
        i->dst.mme = (uint8_t)below(9);
}

/* How narrow types and 32 channels lie in the accumulators is not modelled. */
static void leave_narrow_accumulators(struct sonde_gen_instruction *i)
{
    if (i->exec_size > 16 || sonde_gen_type_size((enum sonde_gen_type)i->dst.type) != 4)
        i->accumulator_write = false;
}

static void random_instruction(struct sonde_gen_instruction *i)
{
    static const uint8_t conditions[] = {1, 2, 3, 4, 5, 6};
    static const uint8_t functions[] = {1, 2, 3, 4, 5, 6, 7, 9, 10};
    unsigned which = below(sizeof operations / sizeof *operations);
    unsigned exec_size = 1u << below(6);
    char types = operations[which].types;
    enum sonde_gen_opcode opcode = (enum sonde_gen_opcode)operations[which].opcode;
    sonde_gen_instruction_init(i, SONDE_GEN_PLATFORM_GEN9, opcode, (uint8_t)exec_size, below(2));
    if (exec_size < 32 && exec_size >= 4)
        i->channel_offset = (uint8_t)(below(32 / exec_size) * exec_size);
    if (below(3) == 0)
        i->predicate = (uint8_t)(1 + below(13));
    i->predicate_inverse = below(2);
    i->flag_number = (uint8_t)below(2);
    i->flag_subreg = exec_size < 32 && i->channel_offset + exec_size <= 16 ? (uint8_t)below(2) : 0;
    bool compares = opcode == SONDE_GEN_CMP || opcode == SONDE_GEN_CMPN || opcode == SONDE_GEN_CSEL;
    if (opcode == SONDE_GEN_MATH)
        i->math = types == 'w' ? (uint8_t)(11 + below(3)) : functions[below(sizeof functions)];
    else if (opcode != SONDE_GEN_MADM && (compares || below(4) == 0))
        i->condition = conditions[below(sizeof conditions)];
    i->accumulator_write = opcode == SONDE_GEN_ADDC || opcode == SONDE_GEN_SUBB || below(10) == 0;
    uint8_t type = pick_type(types);
    if (sonde_gen_opcode_format(opcode) == SONDE_GEN_FORMAT_TERNARY) {
        i->predicate = i->predicate > 1 ? (uint8_t)(6 + below(2)) : i->predicate;
        random_ternary(i, type);
        leave_narrow_accumulators(i);
        return;
    }
    place(&i->dst, below(3) ? type : pick_type(types));
    leave_narrow_accumulators(i);
    i->dst.hstride = (uint8_t)(1u << below(3) / 2);
    if (below(12) == 0) {
        i->dst.indirect = true;
        i->dst.number = i->dst.subreg = 0;
        i->dst.address_subreg = (uint8_t)below(8);
    } else if (below(12) == 0) {
        i->dst.file = SONDE_GEN_FILE_ARF;
        i->dst.number = below(2) ? SONDE_GEN_ARF_NULL : SONDE_GEN_ARF_ACCUMULATOR;
        i->dst.subreg = 0;
    }
    unsigned sources = opcode == SONDE_GEN_MATH && i->math < 9 ? 1 : i->source_count;
    i->source_count = (uint8_t)sources;
    for (unsigned n = 0; n < sources; n++)
        random_source(&i->src[n], below(4) ? type : pick_type(types), exec_size, n + 1 == sources);
}

/* Messages to local memory, which takes any address. */
static void random_message(struct sonde_gen_instruction *i)
{
    enum { READ, WRITE, GATHER, SCATTER, ATOMIC, KINDS };
    unsigned kind = below(KINDS), simd = below(2) ? 8 : 16, mask = 1 + below(15);
    unsigned lanes = simd / 8, type, payload = lanes, response = 0, split = 0, bits = 0;
    unsigned components = (unsigned)__builtin_popcount(mask) * lanes;
    uint8_t sfid = 12;
    switch (kind) {
    case READ:
        type = 1;
        response = components;
        break;
    case WRITE:
        type = 9;
        split = components;
        break;
    case GATHER:
        type = 4;
        response = lanes;
        break;
    case SCATTER:
        type = 0xc;
        split = lanes;
        break;
    default:
        type = 2;
        split = lanes;
        response = below(2) ? lanes : 0;
        bits = (simd == 8 ? 1u : 0u) << 12 | (response != 0 ? 1u : 0u) << 13 | 7u << 8;
        break;
    }
    if (kind == READ || kind == WRITE)
        bits = (simd == 8 ? 2u : 1u) << 12 | (~mask & 0xfu) << 8;
    if (kind == GATHER || kind == SCATTER) {
        sfid = 10;
        bits = (simd == 16 ? 1u : 0u) << 8 | below(3) << 10;
    }
    sonde_gen_instruction_init(i, SONDE_GEN_PLATFORM_GEN9,
                               split != 0 ? SONDE_GEN_SENDS : SONDE_GEN_SEND, (uint8_t)simd,
                               below(2));
    if (below(3) == 0)
        i->predicate = 1;
    i->dst.type = SONDE_GEN_TYPE_UD;
    i->dst.hstride = 1;
    i->dst.file = response != 0 ? SONDE_GEN_FILE_GRF : SONDE_GEN_FILE_ARF;
    i->dst.number = response != 0 ? (uint8_t)(FIRST_REGISTER + below(REGISTERS - 8)) : 0;
    i->src[0].type = SONDE_GEN_TYPE_UD;
    for (unsigned n = 0; n < 1 + (split != 0); n++) {
        i->src[n].file = SONDE_GEN_FILE_GRF;
        i->src[n].number = (uint8_t)(FIRST_REGISTER + below(REGISTERS - 8));
    }
    i->source_count = split != 0 ? 2 : 1;
    i->send.sfid = sfid;
    i->send.src1_length = (uint8_t)split;
    i->send.descriptor = payload << 25 | response << 20 | type << 14 | bits | 0xfe;
}

static void test_random_instructions(void **state)
{
    (void)state;
    unsigned checked = 0, refused = 0;
    for (unsigned n = 0; n < ATTEMPTS && checked < INSTRUCTIONS; n++) {
        struct sonde_gen_instruction built, i;
        struct sonde_error error;
        uint8_t word[16];
        if (below(8) == 0)
            random_message(&built);
        else
            random_instruction(&built);
        if (sonde_gen_instruction_validate(&built, &error) != SONDE_OK ||
            sonde_gen_encode(&built, word, &error) != SONDE_OK)
            continue;
        assert_int_equal(
            sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, word, sizeof word, 0, &i, &error), SONDE_OK);
        assert_false(i.illegal);
        machine->dispatch.right_mask = below(3) ? (uint32_t)core_random() : UINT32_MAX;
        if (machine->dispatch.right_mask == 0)
            machine->dispatch.right_mask = 1;
        if (check(&i, word))
            checked++;
        else
            refused++;
    }
    print_message("%u instructions as their effects say, %u not executed\n", checked, refused);
    assert_int_equal(checked, INSTRUCTIONS);
    assert_true(refused < INSTRUCTIONS / 10); /* misaligned atomics for the most part */
}

int main(void)
{
    const struct emu_options options = {.host_threads = 1};
    machine = core_machine_create(&options);
    if (machine == NULL)
        return 77;
    machine->dispatch.simd = 32;
    machine->dispatch.slm_size = 65536;
    assemble_frame();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_instructions)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    core_machine_destroy(machine);
    return failed;
}
