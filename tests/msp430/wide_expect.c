/* Random MSP430X instructions on our simulator, for wide_reference.py to repeat:
 *   wide_expect SEED COUNT
 * First "start" with the seed of the data, then a line an instruction: its
 * address, how many words, the words, PC SP SR R4 ... R15 behind it, and the
 * cycles so far; at the end a hash of the data. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "random_code.h"

enum {
    LOW_FIRST = 0x1000,
    LOW_LAST = 0x5fff,
    CODE_FIRST = 0x6000,
    CODE_LAST = 0xff00,
    HIGH_FIRST = 0x10000,
    HIGH_LAST = 0x1ffff,
    WIDE = 20,
};

static unsigned general(void)
{
    return 4 + below(12);
}

static uint32_t data_address(unsigned bits)
{
    uint32_t address = below(2) ? LOW_FIRST + below(LOW_LAST - LOW_FIRST - 8)
                                : HIGH_FIRST + below(HIGH_LAST - HIGH_FIRST - 8);
    return bits == 8 ? address : address & ~1u;
}

static bool points_to_data(unsigned index, unsigned bits)
{
    uint32_t value = reg(index);
    bool inside = (value >= LOW_FIRST && value < LOW_LAST - 8) ||
                  (value >= HIGH_FIRST && value < HIGH_LAST - 8);
    return inside && (bits == 8 || (value & 1) == 0);
}

/* A source: mode bits for format I (register << 8 | As << 4), and a value. */
struct source {
    uint32_t bits;
    bool has_value, relative;
    uint32_t value;
};

static struct source choose_source(unsigned bits)
{
    unsigned index = general();
    uint32_t address = data_address(bits);
    switch (below(8)) {
    case 0:
        return (struct source){.bits = below(2) ? 3u << 8 | below(4) << 4
                                                : 2u << 8 | (2 + below(2)) << 4};
    case 1:
        return (struct source){.bits = 3 << 4, .has_value = true, .value = below(0x100000)};
    case 2:
        return (struct source){
            .bits = index << 8 | 1 << 4, .has_value = true, .value = address - reg(index)};
    case 3:
        return (struct source){
            .bits = 1 << 4, .has_value = true, .relative = true, .value = address};
    case 4:
        return (struct source){.bits = 2u << 8 | 1 << 4, .has_value = true, .value = address};
    case 5:
    case 6:
        if (points_to_data(index, bits))
            return (struct source){.bits = index << 8 | (2 + below(2)) << 4};
        return (struct source){.bits = index << 8};
    default:
        return (struct source){.bits = index << 8};
    }
}

static uint32_t extension_of(unsigned bits)
{
    return 0x1800 | (bits == WIDE ? 0 : 0x40);
}

static void put_wide_double(void)
{
    unsigned bits = (unsigned[]){8, 16, WIDE}[below(3)];
    uint32_t opcode = 4 + below(12), word = opcode << 12 | (bits == 16 ? 0 : 0x40);
    bool memory = below(2) && opcode != 10;
    struct source source = choose_source(bits);
    if (opcode == 10)
        source = (struct source){.bits = general() << 8};
    unsigned index = general();
    uint32_t extension = extension_of(bits), base = reg(index);
    if (source.relative)
        source.value -= put_at + 4;
    if (source.has_value)
        extension |= (source.value >> 16 & 15) << 7;
    if (!memory) {
        bool constant = source.bits >> 8 == 3 || (source.bits >> 8 == 2 && (source.bits & 0x20));
        if ((source.bits & 0x30) == 0 || constant)
            extension |=
                below(4) == 0 ? below(16) | (below(2) ? 0x80u : 0) | (below(2) ? 0x100u : 0) : 0;
        put(extension);
        put(word | source.bits | index);
        if (source.has_value)
            put(source.value);
        return;
    }
    if ((source.bits & 0x30) == 0x30 && source.bits >> 8 == index)
        base += bits == 8 ? 1 : bits == 16 ? 2 : 4;
    uint32_t target = data_address(bits), mode = below(3), value;
    uint32_t word_at = put_at + 4 + (source.has_value ? 2 : 0);
    value = mode == 0 ? target - base : mode == 1 ? target - word_at : target;
    put(extension | (value >> 16 & 15));
    put(word | source.bits | 0x80 | (mode == 0 ? index : mode == 1 ? 0 : 2));
    if (source.has_value)
        put(source.value);
    put(value);
}

static void put_wide_single(void)
{
    unsigned bits = (unsigned[]){8, 16, WIDE}[below(3)], kind = below(4), index = general();
    bool word_only = kind == 1 || kind == 3;
    if (word_only && bits == 8)
        bits = 16;
    uint32_t word = 0x1000 | kind << 7, extension = extension_of(bits);
    if (!word_only && bits != 16)
        word |= 0x40;
    uint32_t target = data_address(bits), value = target - reg(index);
    switch (below(4)) {
    case 0:
        put(extension | (value >> 16 & 15));
        put(word | 1 << 4 | index);
        put(value);
        break;
    case 1:
        put(extension | (target >> 16 & 15));
        put(word | 1 << 4 | 2);
        put(target);
        break;
    case 2:
        if (points_to_data(index, bits)) {
            put(extension);
            put(word | (2 + below(2)) << 4 | index);
            break;
        }
        /* fall through */
    default:
        if (kind == 0 && below(2))
            extension |= 0x100; /* rrux */
        if (below(3) == 0)
            extension |= below(16);
        put(extension);
        put(word | index);
    }
}

static bool stack_has_room(void)
{
    return reg(1) > LOW_FIRST + 0x400 && reg(1) < LOW_LAST - 0x400;
}

static void put_stack(void)
{
    unsigned count = 1 + below(8), first = 4 + below(13 - count), bits = below(2) ? 16 : WIDE;
    uint32_t next = put_at;
    switch (below(5)) {
    case 0: /* pushm: the highest register is named */
        put(0x1400 | (bits == 16 ? 0x100u : 0) | (count - 1) << 4 | (first + count - 1));
        break;
    case 1: /* popm: the lowest */
        put(0x1600 | (bits == 16 ? 0x100u : 0) | (count - 1) << 4 | first);
        break;
    case 2: { /* pushx */
        unsigned width = (unsigned[]){8, 16, WIDE}[below(3)];
        put(extension_of(width));
        put(0x1200 | (width == 16 ? 0 : 0x40) | general());
        break;
    }
    case 3: /* calla #next */
        put(0x13b0);
        put(next + 4);
        break;
    default: /* pushx.a #next, reta */
        put(0x1800);
        put(0x1200 | 0x40 | 3 << 4);
        put(next + 8);
        put(0x0110);
    }
}

static void put_address(void)
{
    unsigned from = general(), to = general();
    uint32_t address = data_address(WIDE), index = address - reg(from);
    bool near = (int32_t)index >= -0x8000 && (int32_t)index <= 0x7fff;
    switch (below(8)) {
    case 0:
        put((points_to_data(from, WIDE) ? below(2) << 4 : 0xc0u) | from << 8 | to);
        break;
    case 1:
        put(0x0020 | (address >> 16) << 8 | to);
        put(address);
        break;
    case 2:
        put(near ? 0x0030 | from << 8 | to : 0x00c0 | from << 8 | to);
        if (near)
            put(index);
        break;
    case 3:
        put(0x0060 | to << 8 | address >> 16);
        put(address);
        break;
    case 4:
        put(near ? 0x0070u | to << 8 | from : 0x00e0u | from << 8 | to);
        if (near)
            put(index);
        break;
    case 5: { /* mova, cmpa, adda, suba #N, a pointer as often as not */
        uint32_t value = below(2) ? address : below(0x100000), kind = below(4);
        put(0x0080 | kind << 4 | (value >> 16) << 8 | to);
        put(value);
        break;
    }
    case 6:
        put(0x00c0 | below(4) << 4 | from << 8 | to);
        break;
    default: /* bra #next */
        put(0x0080);
        put(put_at + 2);
    }
}

static void put_rotate(void)
{
    put(0x0040 | below(4) << 10 | below(4) << 8 | below(2) << 4 | general());
}

/* Instructions of the original CPU, whose results clear the upper bits. */
static void put_narrow(void)
{
    uint32_t opcode = 4 + below(12), address = data_address(16) & 0xffff;
    if (address < LOW_FIRST || address > LOW_LAST)
        address = LOW_FIRST;
    address &= ~1u;
    if (below(2) || opcode == 10) {
        put(opcode << 12 | general() << 8 | (below(3) == 0 ? 0x40u : 0) | general());
    } else {
        put(opcode << 12 | general() << 8 | 0x82);
        put(address);
    }
}

static void put_instruction(void)
{
    switch (below(16)) {
    case 0:
    case 1:
        put_address();
        break;
    case 2:
        put_rotate();
        break;
    case 3:
    case 4:
        if (stack_has_room())
            put_stack();
        else {
            put(0x4031); /* mov #0x4000, sp */
            put(0x4000);
        }
        break;
    case 5:
    case 6:
        put_narrow();
        break;
    case 7:
    case 8:
    case 9:
        put_wide_single();
        break;
    default:
        put_wide_double();
    }
}

static void fill_data(uint64_t seed)
{
    state = seed;
    static const uint32_t ranges[][2] = {{LOW_FIRST, LOW_LAST}, {HIGH_FIRST, HIGH_LAST}};
    for (unsigned i = 0; i < 2; i++) {
        for (put_at = ranges[i][0]; put_at < ranges[i][1];)
            put(below(0x10000));
    }
}

static void print_step(uint32_t address)
{
    struct sonde_msp430_instruction in;
    uint16_t words[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t bytes[2];
        sonde_msp430_sim_read(sim, address + 2 * i, bytes, 2);
        words[i] = (uint16_t)(bytes[0] | bytes[1] << 8);
    }
    sonde_msp430_decode(SONDE_MSP430_CORE_CPUX, address, words, 4, &in, NULL);
    printf("%x %u", address, in.size / 2u);
    for (unsigned i = 0; i < in.size / 2u; i++)
        printf(" %x", words[i]);
    struct sonde_msp430_limits limits = {.instructions = 1};
    struct sonde_msp430_result result = sonde_msp430_sim_run(sim, &limits);
    if (result.reason != SONDE_MSP430_STOP_INSTRUCTIONS) {
        fprintf(stderr, "%s at 0x%x\n", sonde_msp430_stop_name(result.reason), result.address);
        exit(1);
    }
    for (unsigned i = 0; i < 16; i++) {
        if (i != 3)
            printf(" %x", reg(i));
    }
    printf(" %" PRIu64 "\n", sonde_msp430_sim_counts(sim).cycles);
}

int main(int argc, char **argv)
{
    struct sonde_error error;
    if (argc < 3 || sonde_msp430_sim_create("genericx", NULL, &sim, &error) != SONDE_OK)
        return 1;
    uint64_t seed = strtoull(argv[1], NULL, 10);
    unsigned long count = strtoul(argv[2], NULL, 10);
    fill_data(seed);
    printf("start %" PRIu64 "\n", seed);
    sonde_msp430_sim_set_register(sim, 0, CODE_FIRST);
    sonde_msp430_sim_set_register(sim, 1, 0x4000);
    put_at = CODE_FIRST;
    put(0x40b2); /* the watchdog off */
    put(0x5a80);
    put(0x0120);
    for (unsigned long i = 0; i < count && put_at < CODE_LAST; i++) {
        if (reg(0) >= put_at) {
            put_at = reg(0);
            put_instruction();
        }
        print_step(reg(0));
    }
    uint32_t hash = 2166136261u;
    for (uint32_t at = LOW_FIRST; at <= HIGH_LAST; at++) {
        uint8_t byte;
        if (at == CODE_FIRST)
            at = HIGH_FIRST;
        sonde_msp430_sim_read(sim, at, &byte, 1);
        hash = (hash ^ byte) * 16777619u;
    }
    printf("data %08x\n", hash);
    sonde_msp430_sim_destroy(sim);
    return 0;
}
