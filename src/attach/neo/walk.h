/* The driver's walks over its memory, cut short.
 *
 * Before a submission the driver (22.43, tbx_command_stream_receiver_hw.inl)
 * walks every page of what it submits to send it, and after it every page again
 * to read it back: on DG2 two times 600 pages a launch, nearly all of them the
 * empty rest of a surface heap of 2 MiB. Sending and reading what has not changed is
 * left out by transport.h, but the driver's own way to each page costs more than
 * all the rest of a small launch. So entries of the driver's tables of
 * virtual functions lead here: pages that need neither be sent nor read are
 * passed over, and the driver's function is called for the others. */
#ifndef SONDE_ATTACH_NEO_WALK_H
#define SONDE_ATTACH_NEO_WALK_H

struct link_map;

/* Replace the entries of a driver that is a build whose tables are known; others stay as
 * they are. */
void attach_walk_guard(const struct link_map *driver);

#endif
