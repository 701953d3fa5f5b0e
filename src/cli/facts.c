/* What the manual says of exit statuses and the environment. */
#include "cli/cli.h"

static const struct cli_fact exit_facts[] = {
    {"0", "Success; verify: identical."},
    {"1", "Failure; verify: something differs; msp430: the firmware faulted."},
    {"2", "The command line is wrong."},
    {"125", "run, verify: Sonde itself failed, or the emulated GPU stopped a kernel of a program "
            "that then ended with 0; a message says why."},
    {"126", "run, verify: APP was found but could not be executed."},
    {"127", "run, verify: APP was not found."},
    {"128+N", "run: APP was killed by signal N."},
    {"other", "run: the exit status of APP."},
    {NULL, NULL},
};

static const struct cli_fact environment_facts[] = {
    {"NO_COLOR", "When set and not empty, no colour unless --color=always."},
    {"SONDE_OPENCL_DRIVER",
     "Path of the Intel OpenCL driver, libigdrcl.so, where it is not installed in "
     "a usual place."},
    {"SONDE_ATTACH_LIBRARY", "Path of libsonde-attach-neo.so instead of the one that belongs to "
                             "the program."},
    {NULL, NULL},
};

const struct cli_fact *cli_exit_facts(void)
{
    return exit_facts;
}

const struct cli_fact *cli_environment_facts(void)
{
    return environment_facts;
}
