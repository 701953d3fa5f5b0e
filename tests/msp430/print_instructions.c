/* Reads lines of hexadecimal words, writes each one's decoded text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonde/msp430.h"

int main(int argc, char **argv)
{
    enum sonde_msp430_core core =
        argc > 1 && strcmp(argv[1], "cpux") == 0 ? SONDE_MSP430_CORE_CPUX : SONDE_MSP430_CORE_CPU;
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        uint16_t words[4];
        size_t count = 0;
        for (char *at = strtok(line, " \n"); at != NULL && count < 4; at = strtok(NULL, " \n"))
            words[count++] = (uint16_t)strtoul(at, NULL, 16);
        struct sonde_msp430_instruction instruction;
        struct sonde_error error;
        if (sonde_msp430_decode(core, 0, words, count, &instruction, &error) != SONDE_OK) {
            puts("truncated");
            continue;
        }
        char text[128];
        sonde_msp430_print(&instruction, text, sizeof text);
        printf("%u %s\n", instruction.size, text);
    }
    return 0;
}
