/* The table of options: each is described once, whatever commands take it. */
#include "cli/cli.h"

static const char *const color_choices[] = {"auto", "always", "never", NULL};
static const char *const register_choices[] = {"recompile", "unmodified", NULL};
static const char *const addressing_choices[] = {"surface", "stateless", NULL};
static const char *const record_choices[] = {"sized", "truncate", "window", "drain", NULL};
static const char *const core_choices[] = {"cpu", "cpux", NULL};
static const char *const format_choices[] = {"text", "csv", "json", NULL};

static const char *const export_choices[] = {"html",   "chrome",    "perfetto", "speedscope",
                                             "folded", "callgrind", "csv",      "json",
                                             "sqlite", NULL};

static const struct cli_option options[] = {
    {CLI_OPTION_TOOL, 't', "tool", "TOOL[,TOOL]",
     "Tools to insert or to show, by name ('sonde list tools' shows them) or by path of a shared "
     "object (default: opcodeprof to insert, all to show). none inserts nothing.",
     NULL, true, false},
    {CLI_OPTION_OUTPUT, 'o', "output", "DIR",
     "Directory that the run is recorded in (default: sonde.data); the run that stands there "
     "becomes DIR.old.",
     NULL, false, false},
    {CLI_OPTION_INPUT, 'i', "input", "DIR", "Recorded run to read (default: sonde.data).", NULL,
     false, false},
    {CLI_OPTION_KERNEL, 'k', "kernel", "PATTERN",
     "Only kernels whose name matches: a shell pattern, re:REGEX for an extended regular "
     "expression, or sub:TEXT for a part; or those of simd:WIDTH or hash:HEX. May be given more "
     "than once.",
     NULL, true, false},
    {CLI_OPTION_EXCLUDE, 'x', "exclude", "PATTERN",
     "No kernels whose name matches. May be given more than once.", NULL, true, false},
    {CLI_OPTION_SKIP, 0, "skip", "N", "Leave out the first N dispatches of these kernels.", NULL,
     false, false},
    {CLI_OPTION_TAKE, 0, "count", "N", "Then take N dispatches and leave out the rest.", NULL,
     false, false},
    {CLI_OPTION_THREAD_MASK, 0, "threads", "FIELD=MASK[,...]",
     "Only these hardware threads: slice, subslice, eu and slot, each with a mask of numbers, such "
     "as eu=0x3,slot=0x1. The others run the kernel as it was.",
     NULL, false, false},
    {CLI_OPTION_GROUPS, 0, "groups", "X[,Y[,Z]]",
     "Only these work-groups: in each direction *, N or N-M, several with + between, such as "
     "0-3+8,0. The others run the kernel as it was.",
     NULL, false, false},
    {CLI_OPTION_REGISTERS, 0, "registers", "HOW",
     "recompile (the compiler assigns registers again and leaves some free) or unmodified (the "
     "kernel is exactly the one that runs without Sonde) (default: recompile on emu:skl, else "
     "unmodified).",
     register_choices, false, false},
    {CLI_OPTION_ADDRESSING, 0, "addressing", "HOW",
     "How inserted code reaches its buffer: as a surface or by 64-bit addresses (stateless), which "
     "add and store 64-bit values in one piece and take a few more instructions (default: "
     "surface).",
     addressing_choices, false, false},
    {CLI_OPTION_RECORDS, 0, "records", "HOW",
     "Space for what tracing tools record in a dispatch: sized (each dispatch is first run without "
     "effect to count its records; emulated GPU), truncate (16M, or --max-buffer; the rest is "
     "counted as lost), window (as much, and the dispatch is run by ranges of work-groups that "
     "fit; "
     "emulated GPU) or drain (as much, emptied while the kernel runs; what comes too fast is "
     "counted as lost) (default: sized where that is possible).",
     record_choices, false, false},
    {CLI_OPTION_MAX_BUFFER, 0, "max-buffer", "SIZE",
     "Bytes that the records of one dispatch may take, with K, M or G (default: 2G when sized).",
     NULL, false, false},
    {CLI_OPTION_COUNTS, 0, "counts-from", "DIR",
     "A recorded run of the same program: kernels whose records were counted there get that much "
     "space at once.",
     NULL, false, false},
    {CLI_OPTION_SCHEMA, 0, "schema", "FILE",
     "Collect what a profiling schema says: a YAML file, or the name of a schema that comes with "
     "Sonde ('sonde list schemas'). May be given more than once.",
     NULL, true, false},
    {CLI_OPTION_AT, 0, "at", "PROBE",
     "A probe of a schema in short, such as 'class=memory collect=addresses into=trace'; 'sonde "
     "schema list' shows what can be written. May be given more than once.",
     NULL, true, false},
    {CLI_OPTION_VALUES, 0, "values", "REGISTER[,REGISTER]",
     "Registers whose values regtrace records instead of what memory reads return: r12, r20-r23, "
     "or the operands dst, src0, src1 and src2. 'sonde report -t values' shows them by channel.",
     NULL, true, false},
    {CLI_OPTION_VALUES_AT, 0, "values-at", "POINT",
     "Where --values are taken: what a probe says of its place, such as 'opcode=mad block=loop' or "
     "'source=12' (default: class=load).",
     NULL, false, false},
    {CLI_OPTION_DEVICE, 0, "device", "DEVICE",
     "auto (a real Intel GPU when one can be used, else the emulated one), hw, or emu:MODEL; "
     "'sonde list devices' shows them (default: auto).",
     NULL, false, false},
    {CLI_OPTION_QUIET, 'q', "quiet", NULL, "Print neither the reports nor the summary.", NULL,
     false, false},
    {CLI_OPTION_REPORT, 0, "report", "FILE",
     "Write the reports to FILE instead of stderr; - is stdout.", NULL, false, false},
    {CLI_OPTION_COMPARE, 0, "compare", "DIR",
     "Run nothing: compare again what --output kept in DIR.", NULL, false, false},
    {CLI_OPTION_COLUMNS, 'f', "columns", "NAME[,NAME]",
     "Columns to show, in this order; +NAME adds one to the default ones. 'sonde list columns' "
     "shows them.",
     NULL, false, false},
    {CLI_OPTION_SORT, 's', "sort", "NAME[,NAME]",
     "Columns to sort by: counts from large to small, names in order; a leading - turns one "
     "round.",
     NULL, false, false},
    {CLI_OPTION_FORMAT, 0, "format", "FORMAT", "text, csv or json (default: text).", format_choices,
     false, false},
    {CLI_OPTION_JSON, 0, "json", NULL, "The same as --format json.", NULL, false, false},
    {CLI_OPTION_DISPATCH, 0, "dispatch", "N", "Show the records of dispatch N.", NULL, false,
     false},
    {CLI_OPTION_THREAD, 0, "thread", "N",
     "Show the records of a hardware thread, by the number that each record shows.", NULL, false,
     false},
    {CLI_OPTION_TIME, 0, "time", "A..B",
     "Show the records of these device clock ticks; A or B may be left out.", NULL, false, false},
    {CLI_OPTION_LIMIT, 0, "limit", "N", "Show at most N rows of each kernel.", NULL, false, false},
    {CLI_OPTION_TOTAL, 0, "total", NULL, "Show only the total over all kernels.", NULL, false,
     false},
    {CLI_OPTION_PLATFORM, 0, "platform", "NAME",
     "Instruction set of a file that does not say it (raw instructions), such as gen9.", NULL,
     false, false},
    {CLI_OPTION_PORT, 0, "port", "N", "TCP port to listen on at 127.0.0.1 (default: any free).",
     NULL, false, false},
    {CLI_OPTION_THREADS, 0, "threads", "N",
     "Host threads that emulate (default: one for each processor).", NULL, false, false},
    {CLI_OPTION_TRUTH, 0, "truth", "FILE",
     "Write what the device itself counted and what kernels wrote to FILE.", NULL, false, false},
    {CLI_OPTION_MAX_INSTRUCTIONS, 0, "max-instructions", "N",
     "Stop a dispatch with a fault when its threads have executed N instructions together on the "
     "emulated GPU (default: 100000000000).",
     NULL, false, false},
    {CLI_OPTION_TIMING, 0, "timing", NULL,
     "Time instructions on the emulated GPU by its documented model, one host core: timestamps and "
     "event profiling then mean cycles of that model (slower).",
     NULL, false, false},
    {CLI_OPTION_CHECK, 0, "check", NULL,
     "Stop a dispatch on the emulated GPU with a fault at an instruction that reads a register "
     "which nothing wrote, or, from Gen12 on, that its scoreboard annotations do not make wait "
     "for an earlier one (slow).",
     NULL, false, false},
    {CLI_OPTION_ARGUMENTS, 0, "arguments", NULL,
     "Show the arguments of each kernel: name and type when built with -cl-kernel-arg-info, where "
     "they stand in the cross-thread data, and the binding-table index of their surface.",
     NULL, false, false},
    {CLI_OPTION_LINES, 0, "lines", NULL,
     "Show a table of source lines instead, for kernels that were built with -g.", NULL, false,
     false},
    {CLI_OPTION_MCU, 0, "mcu", "NAME",
     "The microcontroller: msp430g2231, msp430g2452, msp430g2553, msp430f2274, msp430f5438a, "
     "msp430f5529, or generic or genericx (flat memory) (default: msp430g2553).",
     NULL, false, false},
    {CLI_OPTION_UNTIL, 0, "until", "CYCLES|SYMBOL|output=TEXT",
     "Stop at this cycle, before the instruction at this symbol of the ELF file, or when the "
     "firmware has sent this text.",
     NULL, false, false},
    {CLI_OPTION_UART, 0, "uart", "FILE",
     "What the first UART receives, byte after byte as fast as its rate and the firmware allow; "
     "- is stdin, read to its end before the run.",
     NULL, false, false},
    {CLI_OPTION_INTERRUPT, 0, "interrupt", "CYCLE:VECTOR",
     "Request the interrupt whose vector has this address, such as 0xfff2, once at this cycle. "
     "May be given more than once.",
     NULL, true, false},
    {CLI_OPTION_EVENTS, 0, "events", NULL,
     "Write markers, interrupts, sleep, resets and changed output ports to stderr as they happen, "
     "each with its cycle.",
     NULL, false, false},
    {CLI_OPTION_RECORD, 'o', "output", "DIR",
     "Record the events in this directory, for 'sonde report' and 'sonde export'; the run that "
     "stands there becomes DIR.old (default: nothing is recorded).",
     NULL, false, false},
    {CLI_OPTION_EXPORT_FORMAT, 0, "format", "FORMAT",
     "Timelines: chrome (trace events as JSON), perfetto (protocol buffers); of firmware also html "
     "(a page of its own), speedscope, folded (stacks for flame graphs) and callgrind. Tables of a "
     "GPU run: csv, json, sqlite (default: html for firmware, perfetto for a GPU).",
     export_choices, false, false},
    {CLI_OPTION_EXPORT_FILE, 'o', "output", "FILE",
     "File to write, of several tables as csv a directory; - is stdout (default: callflow.html, "
     "timeline.pftrace, tables.sqlite and so on).",
     NULL, false, false},
    {CLI_OPTION_MINIMUM_CYCLES, 0, "min-cycles", "N",
     "Leave out calls that took fewer cycles than N from entry to end.", NULL, false, false},
    {CLI_OPTION_DEPTH, 0, "depth", "N",
     "Leave out calls with more than N callers and interrupts around them.", NULL, false, false},
    {CLI_OPTION_FROM, 0, "from", "CYCLE", "Show the run from this cycle on.", NULL, false, false},
    {CLI_OPTION_TO, 0, "to", "CYCLE", "Show the run up to this cycle.", NULL, false, false},
    {CLI_OPTION_OUTPUT_FILE, 'o', "output", "FILE", "File to write; - is stdout.", NULL, false,
     false},
    {CLI_OPTION_ENTER_WORD, '-', "mpge", "WORD",
     "Word that marks an entry (.profile_enter), such as 0x0001. It must be no instruction of the "
     "core (default: 0x0001, of MSP430X 0x13c1; run: those that the file names).",
     NULL, false, false},
    {CLI_OPTION_EXIT_WORD, '-', "mpgx", "WORD",
     "Word that marks an exit (.profile_exit) (default: 0x0002, of MSP430X 0x13c2).", NULL, false,
     false},
    {CLI_OPTION_AUTO, 0, "auto", NULL,
     "Mark every function: its entry, and each return and tail jump.", NULL, false, false},
    {CLI_OPTION_CORE, 0, "core", "CORE",
     "cpu (the original MSP430) or cpux (MSP430X) (default: "
     "cpu).",
     core_choices, false, false},
    {CLI_OPTION_EXCLUDE_FUNCTION, 0, "exclude", "NAME",
     "Function that stays unmarked (as: by --auto). May be given more than once.", NULL, true,
     false},
    {CLI_OPTION_SIDE_TABLE, 0, "side-table", "FILE",
     "Where functions are entered and left, in a file beside a firmware that has no markers: "
     "instrument writes it, run records by it.",
     NULL, false, false},
    {CLI_OPTION_COLOR, 0, "color", "WHEN",
     "auto, always or never; auto obeys NO_COLOR and colours terminals only.", color_choices, false,
     false},
    {CLI_OPTION_HELP, 'h', "help", NULL, "Show this help and exit.", NULL, false, false},
    {CLI_OPTION_VERSION, 'V', "version", NULL, "Show the version and exit.", NULL, false, false},
    {CLI_OPTION_MAN, 0, "man", NULL, "Print the manual page's source.", NULL, false, true},
    {CLI_OPTION_COMPLETION, 0, "completion", NULL, "Print the completion script for bash.", NULL,
     false, true},
};

const struct cli_option *cli_option_find(enum cli_option_id id)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].id == id)
            return &options[i];
    }
    return NULL;
}
