#include "cli/msp430_fault.h"

#include <stdio.h>

#include "cli/cli.h"

enum { SHOWN_FRAMES = 32 };

/* The function is that of the instruction that ends `behind` bytes before. */
static const char *place(const struct sonde_msp430_sim *sim, uint32_t address, uint32_t behind,
                         char text[128])
{
    uint32_t offset;
    const char *name = sonde_msp430_sim_function_at(sim, address - behind, &offset);
    offset += behind;
    if (name == NULL)
        snprintf(text, 128, "0x%04x", address);
    else if (offset == 0)
        snprintf(text, 128, "0x%04x <%.100s>", address, name);
    else
        snprintf(text, 128, "0x%04x <%.100s+0x%x>", address, name, offset);
    return text;
}

const char *msp430_place(const struct sonde_msp430_sim *sim, uint32_t address, char text[128])
{
    return place(sim, address, 0, text);
}

static void print_call_stack(const struct sonde_msp430_sim *sim)
{
    char text[128];
    struct sonde_msp430_frame frames[SHOWN_FRAMES + 1];
    size_t count = sonde_msp430_sim_call_stack(sim, frames, SHOWN_FRAMES + 1);
    fprintf(stderr, "call stack:\n");
    fprintf(stderr, "  %s\n", msp430_place(sim, sonde_msp430_sim_register(sim, 0), text));
    for (size_t i = 0; i < count && i < SHOWN_FRAMES; i++)
        fprintf(stderr, "  %s%s\n", frames[i].is_interrupt ? "interrupted at " : "from ",
                place(sim, frames[i].return_address, frames[i].is_interrupt ? 0 : 2, text));
    if (count > SHOWN_FRAMES)
        fprintf(stderr, "  ...\n");
}

static void print_instruction(const struct sonde_msp430_sim *sim, uint32_t address)
{
    char text[128];
    uint16_t words[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t bytes[2];
        sonde_msp430_sim_read(sim, address + 2 * i, bytes, 2);
        words[i] = (uint16_t)(bytes[0] | bytes[1] << 8);
    }
    struct sonde_msp430_instruction instruction;
    if (sonde_msp430_decode(sonde_msp430_sim_core(sim), address, words, 4, &instruction, NULL) ==
        SONDE_OK) {
        sonde_msp430_print(&instruction, text, sizeof text);
        fprintf(stderr, "  %04x: %s\n", address, text);
    }
}

void msp430_print_fault(const struct sonde_msp430_sim *sim,
                        const struct sonde_msp430_result *result)
{
    char text[128];
    cli_error("%s: 0x%04x, at %s", sonde_msp430_stop_name(result->reason), result->data,
              msp430_place(sim, result->address, text));
    if (result->reason != SONDE_MSP430_STOP_EXECUTION)
        print_instruction(sim, result->address);
    for (unsigned i = 0; i < 16; i++) {
        fprintf(stderr, "%s r%-2u %05x", i % 8 == 0 ? " " : "", i,
                sonde_msp430_sim_register(sim, i));
        fputs(i % 8 == 7 ? "\n" : "", stderr);
    }
    print_call_stack(sim);
}
