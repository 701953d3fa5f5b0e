/* Memory messages in words. */
#ifndef SONDE_ANALYZE_ACCESS_NAME_H
#define SONDE_ANALYZE_ACCESS_NAME_H

#include <stddef.h>

#include "sonde/gen_message.h"

/* "read surface 2", "atomic a64", "write slm". */
void analyze_access_name(const struct sonde_gen_message *message, char *name, size_t size);

#endif
