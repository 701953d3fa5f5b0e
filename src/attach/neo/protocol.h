/* What `sonde run` tells the library that it preloads into a program, and all
 * of it: environment variables. They are inherited by the program's children,
 * so that every process of a run that uses OpenCL is profiled.
 *
 * The directory is prepared once by `sonde run` (sonde_trace_directory_create)
 * before the program starts; each process that creates an OpenCL context then
 * adds a file of its own to it. The library does nothing at all in a process
 * without ATTACH_ENV_ATTACH. */
#ifndef SONDE_ATTACH_NEO_PROTOCOL_H
#define SONDE_ATTACH_NEO_PROTOCOL_H

/* File name of the preloaded library. */
#define ATTACH_LIBRARY_NAME "libsonde-attach-neo.so"

/* "1" switches the library on. */
#define ATTACH_ENV_ATTACH "SONDE_ATTACH"
/* Run directory, absolute path; it exists. */
#define ATTACH_ENV_OUTPUT "SONDE_OUTPUT"
/* Comma-separated tools. An entry with a slash is the path of a shared object
 * that exports sonde_tool_entry. Empty or unset: no tool; kernels and
 * dispatches are recorded and every kernel runs as it was. */
#define ATTACH_ENV_TOOLS "SONDE_TOOLS"
/* Device as the trace header names it: "emu:skl", "hw". */
#define ATTACH_ENV_DEVICE "SONDE_DEVICE"
/* Command line of the program, words quoted for a shell. */
#define ATTACH_ENV_COMMAND "SONDE_COMMAND"
/* ATTACH_MODE_*; unset = instrument. */
#define ATTACH_ENV_MODE "SONDE_MODE"
/* Every selected dispatch runs the instrumented body. */
#define ATTACH_MODE_INSTRUMENT "instrument"
/* The driver gets the same heap and the same buffers, but every dispatch
 * enters the original body: baseline of `sonde verify`. */
#define ATTACH_MODE_ORIGINAL "original"
/* ATTACH_REGISTERS_*; unset = recompile. `sonde run` always sets it. */
#define ATTACH_ENV_REGISTERS "SONDE_REGISTERS"
/* Ask the compiler to run register allocation again, to report the registers
 * that it left free and to reserve scratch: the program's instructions are the
 * same, its register numbers are not. */
#define ATTACH_REGISTERS_RECOMPILE "recompile"
/* Ask the compiler for nothing: the kernel is the one that runs without
 * Sonde, registers come from our own liveness and spills. */
#define ATTACH_REGISTERS_UNMODIFIED "unmodified"
/* ATTACH_ADDRESSING_*; unset = surface. */
#define ATTACH_ENV_ADDRESSING "SONDE_ADDRESSING"
/* Inserted code names the profile buffer as the surface that the driver adds. */
#define ATTACH_ADDRESSING_SURFACE "surface"
/* By its 64-bit address, which is read through that surface when a thread begins. */
#define ATTACH_ADDRESSING_STATELESS "stateless"
/* Which dispatches run instrumented: lines separated by '\n', each one of
 *     +PATTERN   include kernels whose name matches
 *     -PATTERN   exclude kernels whose name matches
 *     skip=N     leave out the first N dispatches of selected kernels
 *     count=N    take N dispatches of selected kernels after those, then stop
 *     threads=.. in these dispatches only these hardware threads and
 *     groups=..  work-groups (profile/scope.h)
 * PATTERN is a shell glob over the whole name, "re:" and a POSIX extended
 * regular expression that may match anywhere, "sub:" and a part of the name,
 * "simd:" and a width, or "hash:" and the hash of the binary in hexadecimal. A kernel is selected
 * when it matches an include (or there is none) and no exclude. skip and count number the
 * dispatches of one process in order of submission. Unset: everything. */
#define ATTACH_ENV_FILTER "SONDE_FILTER"
/* How much space the records of a dispatch get: ATTACH_RECORDS_*; unset =
 * sized on an emulated device, else truncate. */
#define ATTACH_ENV_RECORDS "SONDE_RECORDS"
/* As much as they need: each dispatch is first run without space and without
 * effect, to count them. */
#define ATTACH_RECORDS_SIZED "sized"
/* ATTACH_ENV_MAX_BUFFER; what finds no space is counted as lost. */
#define ATTACH_RECORDS_TRUNCATE "truncate"
/* The same, emptied while the kernel runs. */
#define ATTACH_RECORDS_DRAIN "drain"
/* The same, emptied between ranges of work-groups; emulated devices only. */
#define ATTACH_RECORDS_WINDOW "window"
/* What the tool `schema` collects: probes in short, a line each
 * (tools/schema.h). */
#define ATTACH_ENV_SCHEMA "SONDE_SCHEMA"
/* Run directory of an earlier run: a kernel binary whose records stand there
 * gets as much space as its largest dispatch made there, uncounted. */
#define ATTACH_ENV_COUNTS "SONDE_COUNTS"
/* Bytes that the records of one dispatch may take, decimal. */
#define ATTACH_ENV_MAX_BUFFER "SONDE_MAX_BUFFER"
/* File name of the OpenCL driver to attach to; unset = libigdrcl.so. */
#define ATTACH_ENV_DRIVER "SONDE_DRIVER"

#endif
