/* What our simulator does, one line an instruction, for lockstep.py to hold
 * against mspdebug:
 *   lockstep_expect random SEED COUNT IMAGE   a random program; its memory from
 *                                             0x1000 on is written to IMAGE
 *   lockstep_expect elf FILE COUNT            an ELF file, from its reset vector
 * A line: PC SP SR R4 ... R15 and the cycles that mspdebug 0.22 counts, which
 * are TI's plus its surcharge for the constant generator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonde/msp430_sim.h"

enum { DATA_FIRST = 0x1000, DATA_LAST = 0x5ffe, CODE_FIRST = 0x6000, CODE_LAST = 0xff80 };

static struct sonde_msp430_sim *sim;
static uint64_t state;

static uint32_t below(uint32_t bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % bound);
}

static uint32_t reg(unsigned index)
{
    return sonde_msp430_sim_register(sim, index);
}

static uint16_t word_at(uint32_t address)
{
    uint8_t bytes[2];
    sonde_msp430_sim_read(sim, address, bytes, 2);
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* What mspdebug 0.22 counts too much (see its documented faults: a constant is
 * charged as the addressing mode that it is written as). */
static unsigned surcharge(const struct sonde_msp430_instruction *in)
{
    if (in->src.mode != SONDE_MSP430_MODE_CONSTANT)
        return 0;
    unsigned as = in->words[0] >> 4 & 3u;
    if (in->opcode == SONDE_MSP430_PUSH)
        return as == 0 ? 0 : as == 2 ? 1 : 2;
    if (in->opcode > SONDE_MSP430_AND)
        return 0;
    bool to_pc = in->dst.mode == SONDE_MSP430_MODE_REGISTER && in->dst.reg == 0;
    if (to_pc)
        return as == 0 || as == 2 ? 0 : 1;
    return as == 0 ? 0 : as == 1 ? 2 : 1;
}

static struct sonde_msp430_instruction decode_here(void)
{
    uint32_t pc = reg(0);
    uint16_t words[4];
    for (unsigned i = 0; i < 4; i++)
        words[i] = word_at(pc + 2 * i);
    struct sonde_msp430_instruction in;
    sonde_msp430_decode(SONDE_MSP430_CORE_CPU, pc, words, 4, &in, NULL);
    return in;
}

/* Run one instruction and print the state after it; false at a stop. */
static bool step(uint64_t *extra)
{
    struct sonde_msp430_instruction in = decode_here();
    struct sonde_msp430_limits limits = {.instructions = 1};
    struct sonde_msp430_result result = sonde_msp430_sim_run(sim, &limits);
    if (result.is_fault) {
        fprintf(stderr, "fault at 0x%04x: %s\n", result.address,
                sonde_msp430_stop_name(result.reason));
        exit(1);
    }
    *extra += surcharge(&in);
    for (unsigned i = 0; i < 16; i++) {
        if (i != 3)
            printf("%04x ", reg(i));
    }
    printf("%llu\n", (unsigned long long)(sonde_msp430_sim_counts(sim).cycles + *extra));
    return result.reason == SONDE_MSP430_STOP_INSTRUCTIONS;
}

/* --- random programs ---------------------------------------------------- */
static uint32_t put_at; /* where the next word of code goes */

static void put(uint32_t word)
{
    uint8_t bytes[2] = {(uint8_t)word, (uint8_t)(word >> 8)};
    sonde_msp430_sim_write(sim, put_at, bytes, 2);
    put_at += 2;
}

static uint32_t data_address(bool byte)
{
    uint32_t address = DATA_FIRST + below(DATA_LAST - DATA_FIRST);
    return byte ? address : address & ~1u;
}

static bool points_to_data(unsigned index, bool byte)
{
    uint32_t value = reg(index);
    return value >= DATA_FIRST && value <= DATA_LAST && (byte || (value & 1) == 0);
}

static unsigned general_register(void)
{
    return 4 + below(12);
}

/* Choose a source; returns its bits (register << 8 | mode << 4 of format I). */
static unsigned choose_source(bool byte, bool *has_value, uint32_t *value)
{
    unsigned index = general_register();
    *has_value = false;
    switch (below(9)) {
    case 0: /* constant generator */
        return below(2) ? 3u << 8 | below(4) << 4 : 2u << 8 | (2 + below(2)) << 4;
    case 1:
        *has_value = true;
        *value = below(0x10000);
        return 0u << 8 | 3 << 4;
    case 2:
        *has_value = true;
        *value = data_address(byte) - reg(index);
        return index << 8 | 1 << 4;
    case 3: /* EDE */
        *has_value = true;
        *value = data_address(byte) - (put_at + 2);
        return 0u << 8 | 1 << 4;
    case 4:
        *has_value = true;
        *value = data_address(byte);
        return 2u << 8 | 1 << 4;
    case 5:
        if (points_to_data(index, byte))
            return index << 8 | 2 << 4;
        return index << 8;
    case 6:
        if (points_to_data(index, byte))
            return index << 8 | 3 << 4;
        return index << 8;
    case 7:
        return below(3) << 8; /* pc, sp, sr */
    default:
        return index << 8;
    }
}

static void put_double(void)
{
    bool byte = below(3) == 0, source_has_value, memory = below(2) == 0;
    uint32_t source_value = 0, opcode = 4 + below(12);
    unsigned source = choose_source(byte, &source_has_value, &source_value);
    uint32_t word = opcode << 12 | source | (byte ? 0x40u : 0);
    unsigned index = general_register(), source_register = source >> 8;
    uint32_t target = data_address(byte), base = reg(index);
    if (!memory) {
        put(word | index);
        if (source_has_value)
            put(source_value);
        return;
    }
    /* @Rn+ moves the base of the destination when it is the same register. */
    if ((source >> 4 & 3) == 3 && source_register == index)
        base += byte ? 1 : 2;
    uint32_t at = put_at + 2 + (source_has_value ? 2 : 0);
    unsigned mode = below(3);
    put(word | 0x80 | (mode == 0 ? index : mode == 1 ? 0 : 2));
    if (source_has_value)
        put(source_value);
    put(mode == 0 ? target - base : mode == 1 ? target - at : target);
}

static void put_single(void)
{
    static const uint16_t opcodes[] = {0x1000, 0x1080, 0x1100, 0x1180};
    uint32_t opcode = opcodes[below(4)];
    bool byte = (opcode & 0x80) == 0 && below(2) == 0;
    unsigned index = general_register();
    uint32_t word = opcode | (byte ? 0x40u : 0);
    switch (below(5)) {
    case 0:
        put(word | 1 << 4 | index);
        put(data_address(byte) - reg(index));
        break;
    case 1:
        put(word | 1 << 4 | 2);
        put(data_address(byte));
        break;
    case 2:
        if (points_to_data(index, byte)) {
            put(word | (2 + below(2)) << 4 | index);
            break;
        }
        /* fall through */
    default:
        put(word | index);
    }
}

static void put_push(void)
{
    bool byte = below(4) == 0, has_value;
    uint32_t value = 0;
    unsigned source = choose_source(byte, &has_value, &value);
    put(0x1200 | (byte ? 0x40u : 0) | (source & 0x30) | source >> 8);
    if (has_value)
        put(value);
}

static void put_flow(void)
{
    uint32_t skip = 2 * below(3), index = general_register();
    switch (below(6)) {
    case 0:
        put(0x12b0); /* call #next */
        put(put_at + 2 + skip);
        break;
    case 1: /* push #next, ret */
        put(0x1230);
        put(put_at + 4 + skip);
        put(0x4130);
        break;
    case 2: /* push #next, push #flags, reti */
        put(0x1230);
        put(put_at + 8 + skip);
        put(0x1230);
        put((below(8) | below(2) << 8));
        put(0x1300);
        break;
    case 3: /* br #next */
        put(0x4030);
        put(put_at + 2 + skip);
        break;
    case 4: /* mov #next, rN; br rN or call rN */
        put(0x4030 | index);
        put(put_at + 4 + skip);
        put(below(2) ? 0x4000 | index << 8 : 0x1280 | index);
        break;
    default:
        put(0x2000 | below(8) << 10 | skip >> 1);
    }
}

/* Code at put_at for the registers as they are now. */
static void put_instruction(void)
{
    switch (below(16)) {
    case 0:
        put(0x4030 | general_register()); /* a pointer to data */
        put(data_address(false));
        break;
    case 1:
        put(below(2) ? 0xc002 | (below(2) ? 0x0310 : 0x0320) : 0xd002 | (below(2) ? 0x310 : 0x220));
        break;
    case 2:
    case 3:
        put_flow();
        break;
    case 4:
        if (reg(1) > DATA_FIRST + 0x200)
            put_push();
        else
            put(0x4303);
        break;
    case 5:
        if (reg(1) < DATA_LAST - 0x200)
            put(0x4130 | general_register()); /* pop */
        else
            put(0x4303);
        break;
    case 6:
    case 7:
    case 8:
        put_single();
        break;
    default:
        put_double();
    }
}

static int run_random(uint64_t seed, unsigned count, const char *image)
{
    state = seed;
    for (unsigned i = 0; i < 16; i++)
        below(1);
    for (put_at = DATA_FIRST; put_at <= DATA_LAST;)
        put(below(0x10000));
    sonde_msp430_sim_set_register(sim, 0, CODE_FIRST);
    sonde_msp430_sim_set_register(sim, 1, 0x4000);
    uint64_t extra = 0;
    put_at = CODE_FIRST;
    for (unsigned i = 0; i < count && put_at < CODE_LAST; i++) {
        /* Code behind PC was put for the state at its start; sequences run on. */
        if (reg(0) >= put_at) {
            put_at = reg(0);
            put_instruction();
        }
        if (!step(&extra))
            return 1;
    }
    FILE *file = fopen(image, "wb");
    if (file == NULL)
        return 1;
    for (uint32_t at = DATA_FIRST; at < 0x10000; at++) {
        uint8_t byte = 0;
        sonde_msp430_sim_read(sim, at, &byte, 1);
        fputc(byte, file);
    }
    return fclose(file) == 0 ? 0 : 1;
}

static int run_elf(const char *path, unsigned count)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    struct sonde_error error;
    if (file == NULL)
        return 1;
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    if (sonde_msp430_sim_load(sim, data, size, &error) != SONDE_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        return 1;
    }
    sonde_msp430_sim_reset(sim);
    uint64_t extra = (uint64_t)0 - 4; /* mspdebug resets before it counts */
    for (unsigned i = 0; i < count && step(&extra); i++) {
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct sonde_error error;
    if (argc < 4 || sonde_msp430_sim_create("generic", NULL, &sim, &error) != SONDE_OK)
        return 1;
    unsigned count = (unsigned)strtoul(argv[3], NULL, 10);
    int status = strcmp(argv[1], "random") == 0 && argc > 4
                     ? run_random(strtoull(argv[2], NULL, 10), count, argv[4])
                     : run_elf(argv[2], count);
    sonde_msp430_sim_destroy(sim);
    return status;
}
