#include "report/run_columns.h"

#include <stdio.h>

#include "analyze/timeline.h"

static const struct sonde_trace_kernel *kernel_of(const struct report_row *row)
{
    return sonde_trace_kernel(row->trace, row->index);
}

static const struct sonde_trace_dispatch *dispatch_of(const struct report_row *row)
{
    return sonde_trace_dispatch(row->trace, row->index);
}

static void fill_hash(const struct sonde_trace_kernel *kernel, struct report_cell *cell)
{
    snprintf(cell->text, sizeof cell->text, "%016llx", (unsigned long long)kernel->hash);
}

/* A function that fills a cell with a number of the row. */
#define NUMBER(function, value)                                                                    \
    static void function(const struct report_row *row, struct report_cell *cell)                   \
    {                                                                                              \
        cell->number = (uint64_t)(value);                                                          \
    }

/* --- kernels -------------------------------------------------------------------- */

NUMBER(kernel_id, row->index)
NUMBER(kernel_simd, kernel_of(row)->simd_width)
NUMBER(kernel_instructions, kernel_of(row)->instruction_count)
NUMBER(kernel_blocks, kernel_of(row)->block_count)
NUMBER(kernel_inserted, kernel_of(row)->inserted_instructions)
NUMBER(kernel_spills, kernel_of(row)->spills)

static void kernel_name(const struct report_row *row, struct report_cell *cell)
{
    cell->name = kernel_of(row)->name;
}

static void kernel_hash(const struct report_row *row, struct report_cell *cell)
{
    fill_hash(kernel_of(row), cell);
}

static void kernel_platform(const struct report_row *row, struct report_cell *cell)
{
    cell->name = sonde_gen_platform_name(kernel_of(row)->platform);
}

static void kernel_refusal(const struct report_row *row, struct report_cell *cell)
{
    cell->name = kernel_of(row)->refusal; /* NULL: "" */
}

static const struct report_column kernel_columns[] = {
    {"id", "ID", REPORT_CELL_NUMBER, "number of the kernel in the run", kernel_id},
    {"kernel", "KERNEL", REPORT_CELL_TEXT, "name of the kernel", kernel_name},
    {"hash", "HASH", REPORT_CELL_TEXT, "identifies the kernel's binary", kernel_hash},
    {"platform", "PLATFORM", REPORT_CELL_TEXT, "instruction set", kernel_platform},
    {"simd", "SIMD", REPORT_CELL_NUMBER, "channels of a hardware thread", kernel_simd},
    {"instructions", "INSTRUCTIONS", REPORT_CELL_COUNT, "instructions in the binary",
     kernel_instructions},
    {"blocks", "BLOCKS", REPORT_CELL_COUNT, "basic blocks", kernel_blocks},
    {"inserted", "INSERTED", REPORT_CELL_COUNT, "instructions that were inserted", kernel_inserted},
    {"spills", "SPILLS", REPORT_CELL_COUNT, "registers that had to be spilled for that",
     kernel_spills},
    {"refusal", "REFUSAL", REPORT_CELL_TEXT, "why it ran as it was, if it did", kernel_refusal},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

const struct report_view report_kernels_view = {
    "kernels", "kernels of the run", kernel_columns, "id,kernel,simd,instructions", "id", false,
    false};

/* --- dispatches ------------------------------------------------------------------- */

NUMBER(dispatch_id, row->index)
NUMBER(dispatch_kernel_id, dispatch_of(row)->kernel)
NUMBER(dispatch_process, sonde_trace_process(row->trace, dispatch_of(row)->process)->process)
NUMBER(dispatch_instrumented, dispatch_of(row)->instrumented)
NUMBER(dispatch_complete, dispatch_of(row)->complete)
NUMBER(dispatch_submitted, dispatch_of(row)->submit_time)
NUMBER(dispatch_completed, dispatch_of(row)->complete_time)
NUMBER(dispatch_stored, row->totals != NULL ? row->totals->stored : 0)
NUMBER(dispatch_lost, row->totals != NULL ? row->totals->lost : 0)
NUMBER(dispatch_bytes, row->totals != NULL ? row->totals->used : 0)

static void dispatch_kernel(const struct report_row *row, struct report_cell *cell)
{
    cell->name = sonde_trace_kernel(row->trace, dispatch_of(row)->kernel)->name;
}

static const struct report_column dispatch_columns[] = {
    {"dispatch", "DISPATCH", REPORT_CELL_NUMBER, "number of the dispatch", dispatch_id},
    {"kernel", "KERNEL", REPORT_CELL_TEXT, "name of the kernel", dispatch_kernel},
    {"kernel-id", "KERNEL#", REPORT_CELL_NUMBER, "number of the kernel", dispatch_kernel_id},
    {"process", "PROCESS", REPORT_CELL_NUMBER, "process id", dispatch_process},
    {"instrumented", "INSTRUMENTED", REPORT_CELL_NUMBER, "1: it ran instrumented",
     dispatch_instrumented},
    {"complete", "COMPLETE", REPORT_CELL_NUMBER, "1: its results were read", dispatch_complete},
    {"submitted", "SUBMITTED", REPORT_CELL_NUMBER, "host clock in ns; 0: not known",
     dispatch_submitted},
    {"completed", "COMPLETED", REPORT_CELL_NUMBER, "host clock in ns; 0: not known",
     dispatch_completed},
    {"records", "RECORDS", REPORT_CELL_COUNT, "records that were kept", dispatch_stored},
    {"lost", "LOST", REPORT_CELL_COUNT, "records that found no space", dispatch_lost},
    {"bytes", "BYTES", REPORT_CELL_COUNT, "bytes of records", dispatch_bytes},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

const struct report_view report_dispatches_view = {
    "dispatches", "dispatches of the run", dispatch_columns, "dispatch,kernel", "dispatch", false,
    false};

/* --- hardware threads --------------------------------------------------------------- */

NUMBER(thread_dispatch, row->span->dispatch)
NUMBER(thread_unit, row->span->unit)
NUMBER(thread_slot, row->span->slot)
NUMBER(thread_group_x, row->span->group[0])
NUMBER(thread_group_y, row->span->group[1])
NUMBER(thread_group_z, row->span->group[2])
NUMBER(thread_start, row->span->start)
NUMBER(thread_end, row->span->end)
NUMBER(thread_ticks, row->span->end - row->span->start)
NUMBER(thread_records, row->span->records)

static void thread_kernel(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->span->kernel->name;
}

static void thread_hash(const struct report_row *row, struct report_cell *cell)
{
    fill_hash(row->span->kernel, cell);
}

static void thread_eu(const struct report_row *row, struct report_cell *cell)
{
    uint32_t unit = row->span->unit;
    snprintf(cell->text, sizeof cell->text, "%u.%u.%u", unit >> 6, unit >> 4 & 3, unit & 15);
}

static const struct report_column thread_columns[] = {
    {"dispatch", "DISPATCH", REPORT_CELL_NUMBER, "number of the dispatch", thread_dispatch},
    {"kernel", "KERNEL", REPORT_CELL_TEXT, "name of the kernel", thread_kernel},
    {"hash", "HASH", REPORT_CELL_TEXT, "identifies the kernel's binary", thread_hash},
    {"eu", "EU", REPORT_CELL_TEXT, "slice, sub-slice, execution unit", thread_eu},
    {"unit", "UNIT", REPORT_CELL_NUMBER, "the same as one number", thread_unit},
    {"slot", "SLOT", REPORT_CELL_NUMBER, "hardware thread of the unit", thread_slot},
    {"group-x", "GROUP.X", REPORT_CELL_NUMBER, "work-group that it ran", thread_group_x},
    {"group-y", "GROUP.Y", REPORT_CELL_NUMBER, "work-group that it ran", thread_group_y},
    {"group-z", "GROUP.Z", REPORT_CELL_NUMBER, "work-group that it ran", thread_group_z},
    {"start", "START", REPORT_CELL_NUMBER, "tick of the device's clock at its start", thread_start},
    {"end", "END", REPORT_CELL_NUMBER, "tick of its last record", thread_end},
    {"ticks", "TICKS", REPORT_CELL_COUNT, "ticks in between", thread_ticks},
    {"records", "RECORDS", REPORT_CELL_COUNT, "records of the thread", thread_records},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

const struct report_view report_threads_view = {"threads",
                                                "hardware threads as they ran",
                                                thread_columns,
                                                "dispatch,kernel,eu,slot",
                                                "dispatch,start",
                                                false,
                                                false};

void report_run_print_json(const struct sonde_trace *trace, struct report_json *json)
{
    const struct sonde_trace_header *header = sonde_trace_header(trace);
    uint64_t lost = 0;
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        lost += sonde_trace_loss(trace, i)->records;
    report_json_string(json, "command_line", header->command_line);
    report_json_string(json, "device", header->device);
    report_json_string(json, "driver", header->driver);
    report_json_string(json, "warning", sonde_trace_warning(trace));
    report_json_number(json, "lost_records", lost);
}
