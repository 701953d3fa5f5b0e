/* Call flows from events that a test makes up. */
#ifndef SONDE_TESTS_CALLFLOW_FLOW_FIXTURE_H
#define SONDE_TESTS_CALLFLOW_FLOW_FIXTURE_H

#include "analyze/callflow.h"

/* Stop the test when the flow breaks what holds for every flow: each cycle is
 * in one span's self, calls lie inside their callers, steps are balanced, and
 * tables agree with the spans. */
void flow_check(const struct analyze_callflow *flow);

#endif
