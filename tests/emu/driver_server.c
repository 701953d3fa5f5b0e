#include "driver_server.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"

#define DRIVER_ICD "/etc/OpenCL/vendors/intel.icd"

static struct device_server *server;

static void *serve(void *argument)
{
    struct sonde_error error;

    (void)argument;
    if (device_server_run(server, &error) != SONDE_OK)
        fprintf(stderr, "server: %s\n", error.message);
    return NULL;
}

static void set_environment(const struct device_model *model, unsigned port)
{
    char number[16];

    for (const char *const *entry = model->environment; *entry; entry++)
        putenv(strdup(*entry));
    snprintf(number, sizeof number, "%u", port);
    setenv("TbxPort", number, 1);
    setenv("OCL_ICD_VENDORS", DRIVER_ICD, 1);
}

void driver_server_start(void)
{
    const char *device = getenv("SONDE_TEST_DEVICE");
    struct device_server_options options = {.model = device_model_find(device ? device : "skl"),
                                            .max_instructions = 30000000,
                                            .check = getenv("SONDE_TEST_CHECK") != NULL,
                                            .log_fd = 2};
    struct sonde_error error;
    uint16_t port;
    pthread_t thread;

    if (getenv("SONDE_TEST_NO_SERVER"))
        return;
    if (access(DRIVER_ICD, R_OK) != 0) {
        fprintf(stderr, "the Intel OpenCL driver is not installed\n");
        exit(77);
    }
    if (!options.model) {
        fprintf(stderr, "no device %s\n", device);
        exit(1);
    }
    if (device_server_create(&options, &server, &port, &error) != SONDE_OK) {
        fprintf(stderr, "server: %s\n", error.message);
        exit(1);
    }
    signal(SIGPIPE, SIG_IGN);
    set_environment(options.model, port);
    if (pthread_create(&thread, NULL, serve, NULL) != 0)
        exit(1);
    pthread_detach(thread);
}

int driver_server_finish(int failures, unsigned faults)
{
    struct device_server_totals totals;

    if (!server)
        return failures != 0;
    device_server_read_totals(server, &totals);
    printf("%llu dispatches, %llu instructions, %llu faults\n",
           (unsigned long long)totals.dispatches, (unsigned long long)totals.instructions,
           (unsigned long long)totals.faults);
    return failures != 0 || totals.faults != faults || totals.dispatches == 0;
}
