/* Development server: device-serve [--model NAME] [--port N] [--truth FILE]
 * [--max-instructions N]. Prints the port, serves until SIGINT or SIGTERM,
 * then prints its totals. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

static struct device_server *server;

static void on_signal(int number)
{
    (void)number;
    device_server_stop(server);
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"model", required_argument, NULL, 'm'},
        {"port", required_argument, NULL, 'p'},
        {"truth", required_argument, NULL, 't'},
        {"max-instructions", required_argument, NULL, 'i'},
        {NULL, 0, NULL, 0},
    };
    struct device_server_options options = {.log_fd = 2, .model = device_model_find("skl")};
    struct sonde_error error;
    uint16_t port;
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        switch (option) {
        case 'm':
            options.model = device_model_find(optarg);
            break;
        case 'p':
            options.port = (uint16_t)atoi(optarg);
            break;
        case 't':
            options.truth_path = optarg;
            break;
        case 'i':
            options.max_instructions = strtoull(optarg, NULL, 0);
            break;
        default:
            return 2;
        }
    }
    if (options.model == NULL) {
        fprintf(stderr, "device-serve: no such model\n");
        return 2;
    }
    if (device_server_create(&options, &server, &port, &error) != SONDE_OK) {
        fprintf(stderr, "device-serve: %s\n", error.message);
        return 1;
    }
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    printf("port %u\n", port);
    for (const char *const *e = options.model->environment; *e != NULL; e++)
        printf("environment %s\n", *e);
    printf("ready\n");
    fflush(stdout);
    device_server_run(server, &error);
    struct device_server_totals totals;
    device_server_read_totals(server, &totals);
    printf("dispatches %llu instructions %llu faults %llu nanoseconds %llu\n",
           (unsigned long long)totals.dispatches, (unsigned long long)totals.instructions,
           (unsigned long long)totals.faults, (unsigned long long)totals.nanoseconds);
    device_server_destroy(server);
    return 0;
}
