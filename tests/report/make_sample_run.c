/* Write the sample run for tests of the program: DIRECTORY [loss]. */
#include <stdio.h>
#include <string.h>

#include "sample_run.h"

int main(int argc, char **argv)
{
    struct sonde_error error;
    if (argc < 2)
        return 2;
    if (sample_run_write(argv[1], argc > 2 && strcmp(argv[2], "loss") == 0, &error) == SONDE_OK)
        return 0;
    fprintf(stderr, "%s\n", error.message);
    return 1;
}
