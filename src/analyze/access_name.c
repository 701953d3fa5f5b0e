#include "analyze/access_name.h"

#include <stdio.h>

static const char *space_name(const struct sonde_gen_message *message, char out[32])
{
    switch (message->address_model) {
    case SONDE_GEN_ADDRESS_SURFACE:
        snprintf(out, 32, "surface %u", message->bti);
        break;
    case SONDE_GEN_ADDRESS_SLM:
        snprintf(out, 32, "slm");
        break;
    case SONDE_GEN_ADDRESS_A64:
        snprintf(out, 32, "a64");
        break;
    default:
        snprintf(out, 32, "stateless");
        break;
    }
    return out;
}

static const char *operation_name(const struct sonde_gen_message *message)
{
    switch (message->operation) {
    case SONDE_GEN_MESSAGE_READ:
        return "read";
    case SONDE_GEN_MESSAGE_WRITE:
        return "write";
    case SONDE_GEN_MESSAGE_ATOMIC:
        return "atomic";
    default:
        return "other";
    }
}

void analyze_access_name(const struct sonde_gen_message *message, char *name, size_t size)
{
    char space[32];
    snprintf(name, size, "%s %s", operation_name(message), space_name(message, space));
}
