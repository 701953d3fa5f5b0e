/* Kernels as models, from device binaries and from recorded runs, and their
 * listings. */
#ifndef SONDE_CLI_KERNELS_H
#define SONDE_CLI_KERNELS_H

#include "sonde/source_lines.h"
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

/* Source lines from the debug data of a kernel; NULL when it has none (a
 * warning says so when they cannot be read). Free with
 * sonde_source_lines_destroy. */
struct sonde_source_lines *kernels_source_lines(const char *name, const uint8_t *debug_elf,
                                                size_t size);

#endif
