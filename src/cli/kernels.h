/* Kernels as models, from device binaries and from recorded runs, and their
 * listings. */
#ifndef SONDE_CLI_KERNELS_H
#define SONDE_CLI_KERNELS_H

#include "cli/cli.h"
#include "report/text.h"
#include "sonde/image.h"
#include "sonde/listing.h"

/* Open a device binary; --platform names the instruction set of raw files.
 * Prints and returns NULL on failure. */
struct sonde_image *kernels_open_image(const struct cli_arguments *arguments, const char *path);
/* A listing into *text. Prints and returns false on failure. */
bool kernels_list(const struct sonde_kernel_info *info, const struct sonde_listing_options *options,
                  struct report_text *text);

#endif
