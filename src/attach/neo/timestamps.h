/* Whether the driver is to make timestamps on an emulated Xe-HPG device. */
#ifndef SONDE_ATTACH_NEO_TIMESTAMPS_H
#define SONDE_ATTACH_NEO_TIMESTAMPS_H

/* Around the load of the driver, which reads its debug keys then. Programs that
 * cannot ask for the times of commands go without timestamp packets: towards a
 * simulated device the driver never takes one back, so that each launch costs
 * some 9 KB in the program and 8 KB in the server. */
void attach_timestamps_begin(void);
void attach_timestamps_end(void);

#endif
