/* Profile arrays: records of fixed size in thread buckets. A hardware thread
 * updates the bucket (thread id mod buckets), atomically, since several
 * threads share one; the host sums over the buckets. */
#ifndef SONDE_PROFILE_ARRAY_H
#define SONDE_PROFILE_ARRAY_H

#include "sonde/tool.h"

/* Threads of an execution unit run in different buckets. */
#define PROFILE_DEFAULT_BUCKETS 32u
/* Largest profile buffer of one dispatch. */
#define PROFILE_BUFFER_LIMIT (64u << 20)

/* Lay out `records` x `record_size` bytes behind *end (the bytes of the
 * profile buffer that are taken) and move *end. Fewer buckets than asked for
 * are used where the buffer would exceed its limit; SONDE_ERROR_RANGE when
 * even one bucket does not fit. */
enum sonde_status profile_array_place(uint32_t record_size, uint32_t records, uint32_t buckets,
                                      uint32_t *end, struct sonde_profile_array *array,
                                      struct sonde_error *error);

#endif
