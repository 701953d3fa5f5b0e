/* The table of races, with a bound of its memory. */
#ifndef SONDE_ANALYZE_RACE_H
#define SONDE_ANALYZE_RACE_H

#include "analyze/tables.h"

/* analyze_races that remembers about `limit` bytes of memory at a time: with any
 * limit the rows are the same, records of large dispatches are read more often. */
enum sonde_status analyze_races_within(const struct sonde_trace *trace,
                                       const struct analyze_matcher *matcher, uint64_t limit,
                                       struct analyze_rows *rows, struct sonde_error *error);

#endif
