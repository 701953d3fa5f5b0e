/* The emulated GPU as a child process of ours: it ends with us, whatever ends
 * us. */
#ifndef SONDE_CLI_SERVER_H
#define SONDE_CLI_SERVER_H

#include <sys/types.h>

#include "device/device.h"

struct server {
    pid_t pid; /* 0 = not running */
    int channel;
    uint16_t port;
    bool has_totals; /* after server_stop */
    struct device_server_totals totals;
};

/* Fork and listen. The child logs to stderr. */
enum sonde_status server_start(const struct device_server_options *options, struct server *server,
                               struct sonde_error *error);
/* Stop it, by force when it does not stop by itself, and read its totals.
 * Harmless when it is not running. */
void server_stop(struct server *server);
/* Tell `server` that waitpid() reported its end. */
void server_ended(struct server *server);

#endif
