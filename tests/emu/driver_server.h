/* The emulated GPU inside an OpenCL test program: a server thread, and the
 * environment that sends the Intel driver to it: emu:skl, or the model that
 * SONDE_TEST_DEVICE names; with SONDE_TEST_CHECK set it checks registers. With SONDE_TEST_NO_SERVER
 * set the program runs on whatever OpenCL device there is, to check the test's own expectations on
 * another implementation. */
#ifndef TEST_DRIVER_SERVER_H
#define TEST_DRIVER_SERVER_H

/* Before the first OpenCL call. Exits with 77 (skipped) when the driver is not
 * installed. */
void driver_server_start(void);
/* The exit status of the test: 0 without failures, when dispatches ran on the
 * server and exactly `faults` of them were stopped. */
int driver_server_finish(int failures, unsigned faults);

#endif
