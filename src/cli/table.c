/* The two tables that the whole command line is made from. */
#include <string.h>

#include "cli/commands.h"

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

static const struct cli_example run_examples[] = {
    {"sonde run -t opcodeprof -- ./vadd 1024", "count executed instructions by opcode"},
    {"sonde run -t bblprof -k 'gemm*' -o gemm.data ./app", "only some kernels, kept in gemm.data"},
    {"sonde run --at 'block=loop-head collect=count into=counter' ./app",
     "how often loops go round"},
    {NULL, NULL},
};

static const struct cli_example report_examples[] = {
    {"sonde report", "the tools of the run in ./sonde.data"},
    {"sonde report -t opcodeprof --format csv -s kernel,-dynamic", "rows for a spreadsheet"},
    {"sonde report --total --limit 10", "the ten most executed kinds of instruction"},
    {"sonde report -t functions,tree", "a firmware's functions and calling paths"},
    {NULL, NULL},
};

static const struct cli_example annotate_examples[] = {
    {"sonde annotate -k vadd", "the kernel's assembly with counts on each line"},
    {NULL, NULL},
};

static const struct cli_example verify_examples[] = {
    {"sonde verify -t opcodeprof -- ./vadd 1024", "check that opcodeprof changes nothing"},
    {"sonde verify --schema gathers.yaml ./app", "and so for a schema"},
    {NULL, NULL},
};

static const struct cli_example disasm_examples[] = {
    {"sonde disasm vadd.bin", "every kernel of a program binary"},
    {"sonde disasm --platform gen9 kernel.isa", "a file of bare instructions"},
    {NULL, NULL},
};

static const struct cli_example list_examples[] = {
    {"sonde list tools", "the tools that -t accepts"},
    {"sonde list kernels vadd.bin", "the kernels of a program binary"},
    {NULL, NULL},
};

static const struct cli_example schema_check_examples[] = {
    {"sonde schema check gathers.yaml",
     "say what is wrong with a schema, or what it means in short"},
    {NULL, NULL},
};

static const struct cli_example schema_list_examples[] = {
    {"sonde schema list", "everything that a probe can say"},
    {NULL, NULL},
};

static const struct cli_example info_examples[] = {
    {"sonde info", "what the run in ./sonde.data was"},
    {"sonde info --json | jq .lost_records", "whether anything was lost"},
    {NULL, NULL},
};

static const struct cli_example diff_examples[] = {
    {"sonde diff sonde.data.old sonde.data", "this run against the one before"},
    {NULL, NULL},
};

static const struct cli_example dump_examples[] = {
    {"sonde dump --format json > run.json", "every record of a run, for other programs"},
    {"sonde dump --dispatch 3 --thread 0x100", "what one hardware thread traced in a dispatch"},
    {NULL, NULL},
};

static const struct cli_example export_examples[] = {
    {"sonde export", "dispatches and threads of a GPU, to open in ui.perfetto.dev"},
    {"sonde export --format sqlite -o run.sqlite", "all tables of a GPU run as a database"},
    {"sonde export -o callflow.html", "a page that shows the firmware's calls in a browser"},
    {"sonde export --format speedscope -i run.data", "for speedscope"},
    {NULL, NULL},
};

static const struct cli_example emu_examples[] = {
    {"sonde emu --port 4321", "an emulated GPU that any number of programs can use"},
    {NULL, NULL},
};

static const struct cli_example msp430_examples[] = {
    {"sonde msp430 run firmware.elf", "until the program ends in a jump to itself"},
    {"sonde msp430 run firmware.elf --until main --mcu msp430f5529", "up to a symbol"},
    {"sonde msp430 run marked.elf -o sonde.data", "record when functions are entered and left"},
    {NULL, NULL},
};

static const struct cli_example msp430_as_examples[] = {
    {"sonde msp430 as --auto app.s -o app.marked.s", "mark what clang -S wrote, for its assembler"},
    {"sonde msp430 as -mpge 0x13c1 -mpgx 0x13c2 startup.S -o -", "expand the pseudo-operations"},
    {NULL, NULL},
};

static const struct cli_example msp430_instrument_examples[] = {
    {"ld.lld -q -T device.ld app.o -o app.elf && sonde msp430 instrument app.elf -o app.marked.elf",
     "mark what was linked with its relocations"},
    {"sonde msp430 instrument app.elf --side-table app.places", "change no byte of the firmware"},
    {"sonde msp430 run app.elf --side-table app.places --events", "and record by the table"},
    {NULL, NULL},
};

static const struct cli_example help_examples[] = {
    {"sonde help run", "the same as sonde run --help"},
    {NULL, NULL},
};

static const struct cli_command commands[] = {
    {"run",
     "Run an OpenCL program with tools inserted into its kernels",
     "[--] APP [ARG]...",
     1,
     (size_t)-1,
     "Runs APP, unmodified, with the Intel OpenCL driver. Each kernel that the driver compiles "
     "gets the instrumentation of the given tools before it reaches the device; what the tools "
     "counted is recorded in a directory.\n"
     "APP keeps its standard input, output and error, its signals and its exit status. The "
     "reports and a summary follow on stderr when it ends. A kernel that cannot be instrumented "
     "runs as it was, and the summary says why.\n"
     "Without a usable Intel GPU the kernels run on the emulated one, which lives only as long "
     "as the run. A program that forks gives one recorded run for each process that uses "
     "OpenCL.",
     run_examples,
     true,
     cmd_run,
     {CLI_OPTION_TOOL,
      CLI_OPTION_SCHEMA,
      CLI_OPTION_AT,
      CLI_OPTION_VALUES,
      CLI_OPTION_VALUES_AT,
      CLI_OPTION_OUTPUT,
      CLI_OPTION_KERNEL,
      CLI_OPTION_EXCLUDE,
      CLI_OPTION_SKIP,
      CLI_OPTION_TAKE,
      CLI_OPTION_THREAD_MASK,
      CLI_OPTION_GROUPS,
      CLI_OPTION_REGISTERS,
      CLI_OPTION_ADDRESSING,
      CLI_OPTION_RECORDS,
      CLI_OPTION_MAX_BUFFER,
      CLI_OPTION_COUNTS,
      CLI_OPTION_DEVICE,
      CLI_OPTION_MAX_INSTRUCTIONS,
      CLI_OPTION_TIMING,
      CLI_OPTION_CHECK,
      CLI_OPTION_REPORT,
      CLI_OPTION_QUIET,
      CLI_OPTION_END}},
    {"report",
     "Show what the tools of a recorded run counted",
     "",
     0,
     0,
     "Shows, for each kernel and for all of them together, the figures of each tool of the run. "
     "Text, CSV and JSON are made from the same rows and columns.\n"
     "Of a firmware's run, -t chooses tables: functions (the default), calls (which calls which), "
     "tree (calling paths, the heaviest first), replay (every call in order of time); -k chooses "
     "functions, and --min-cycles, --depth, --from and --to the calls of the replay.",
     report_examples,
     false,
     cmd_report,
     {CLI_OPTION_INPUT, CLI_OPTION_TOOL, CLI_OPTION_KERNEL, CLI_OPTION_COLUMNS, CLI_OPTION_SORT,
      CLI_OPTION_LIMIT, CLI_OPTION_TOTAL, CLI_OPTION_FORMAT, CLI_OPTION_MINIMUM_CYCLES,
      CLI_OPTION_DEPTH, CLI_OPTION_FROM, CLI_OPTION_TO, CLI_OPTION_END}},
    {"annotate",
     "Show kernels' assembly with the counts of a recorded run",
     "",
     0,
     0,
     "Lists each executed kernel, one instruction a line, with how often hardware threads "
     "executed it, and with source lines when the kernel was built with -g.",
     annotate_examples,
     false,
     cmd_annotate,
     {CLI_OPTION_INPUT, CLI_OPTION_TOOL, CLI_OPTION_KERNEL, CLI_OPTION_LINES, CLI_OPTION_FORMAT,
      CLI_OPTION_COLUMNS, CLI_OPTION_SORT, CLI_OPTION_LIMIT, CLI_OPTION_END}},
    {"verify",
     "Prove that tools change nothing and count right",
     "[--] APP [ARG]...",
     0,
     (size_t)-1,
     "Runs APP twice on the emulated GPU, once with its kernels as the compiler made them and "
     "once with the tools inserted. Compares everything that the kernels wrote, dispatch by "
     "dispatch, the program's output and its exit status, and compares the tools' counts with "
     "those of the device itself. APP reads nothing from its standard input. A program whose "
     "result depends on the order in which its threads run may differ by itself. Exits with 0 when "
     "all is identical, with 1 when anything "
     "differs.",
     verify_examples,
     true,
     cmd_verify,
     {CLI_OPTION_TOOL,       CLI_OPTION_SCHEMA,      CLI_OPTION_AT,
      CLI_OPTION_VALUES,     CLI_OPTION_VALUES_AT,   CLI_OPTION_KERNEL,
      CLI_OPTION_EXCLUDE,    CLI_OPTION_THREAD_MASK, CLI_OPTION_GROUPS,
      CLI_OPTION_REGISTERS,  CLI_OPTION_ADDRESSING,  CLI_OPTION_RECORDS,
      CLI_OPTION_MAX_BUFFER, CLI_OPTION_DEVICE,      CLI_OPTION_MAX_INSTRUCTIONS,
      CLI_OPTION_TIMING,     CLI_OPTION_CHECK,       CLI_OPTION_OUTPUT,
      CLI_OPTION_COMPARE,    CLI_OPTION_FORMAT,      CLI_OPTION_QUIET,
      CLI_OPTION_END}},
    {"disasm",
     "Disassemble the kernels of a device binary",
     "FILE",
     1,
     1,
     "Prints every kernel of a program binary, as clGetProgramInfo or the offline compiler "
     "give it, in the syntax of Intel's assembler.",
     disasm_examples,
     false,
     cmd_disasm,
     {CLI_OPTION_KERNEL, CLI_OPTION_PLATFORM, CLI_OPTION_END}},
    {"list",
     "List tools, devices, columns or the kernels of a file",
     "tools|schemas|devices|columns|kernels [FILE]",
     1,
     2,
     "Lists the tools that can be inserted, the schemas that come with Sonde, the devices that "
     "kernels can run on, the columns of "
     "the reports, or the kernels of a device binary FILE.",
     list_examples,
     false,
     cmd_list,
     {CLI_OPTION_PLATFORM, CLI_OPTION_ARGUMENTS, CLI_OPTION_END}},
    {"schema check",
     "Check profiling schemas",
     "FILE...",
     1,
     (size_t)-1,
     "Reads each schema (a YAML file, or the name of one that comes with Sonde). The first thing "
     "that is wrong is said with file, line and column; a schema without faults is printed in "
     "short, a probe a line, as --at takes it.",
     schema_check_examples,
     false,
     cmd_schema_check,
     {CLI_OPTION_END}},
    {"schema list",
     "Show what a profiling schema can say",
     "",
     0,
     0,
     "Lists the keys of a probe with their values, and what can be collected into what. The keys "
     "are the same in a file and in --at.",
     schema_list_examples,
     false,
     cmd_schema_list,
     {CLI_OPTION_END}},
    {"info",
     "Show what a recorded run is",
     "",
     0,
     0,
     "Shows the program, device, driver and tools of a run, its kernels and dispatches, and what "
     "was lost.",
     info_examples,
     false,
     cmd_info,
     {CLI_OPTION_INPUT, CLI_OPTION_FORMAT, CLI_OPTION_JSON, CLI_OPTION_END}},
    {"export",
     "Write a recorded run for other programs",
     "",
     0,
     0,
     "Writes a run in the format of another program. Of a GPU: when dispatches and hardware "
     "threads ran, as a timeline, or all tables with all columns, of which -t chooses one. Of a "
     "firmware: the calls, interrupts and sleep that 'sonde msp430 run -o' recorded; filters "
     "choose which calls are shown one by one, tables and sums count all.",
     export_examples,
     false,
     cmd_export,
     {CLI_OPTION_INPUT, CLI_OPTION_EXPORT_FORMAT, CLI_OPTION_EXPORT_FILE, CLI_OPTION_TOOL,
      CLI_OPTION_KERNEL, CLI_OPTION_MINIMUM_CYCLES, CLI_OPTION_DEPTH, CLI_OPTION_FROM,
      CLI_OPTION_TO, CLI_OPTION_END}},
    {"diff",
     "Compare the figures of two recorded runs",
     "RUN RUN",
     2,
     2,
     "Compares what the tools that both runs had found, row by row, and prints what differs. Exits "
     "with 0 when nothing does, with 1 when something does, and with 2 when the runs cannot be "
     "compared.",
     diff_examples,
     false,
     cmd_diff,
     {CLI_OPTION_KERNEL, CLI_OPTION_FORMAT, CLI_OPTION_END}},
    {"dump",
     "Print every record of a recorded run",
     "",
     0,
     0,
     "Prints all records, as text or JSON, in the order of the file. With -k, --dispatch, --thread "
     "or --time only the records that tools traced there; the rest of the trace is not read.",
     dump_examples,
     false,
     cmd_dump,
     {CLI_OPTION_INPUT, CLI_OPTION_KERNEL, CLI_OPTION_DISPATCH, CLI_OPTION_THREAD, CLI_OPTION_TIME,
      CLI_OPTION_FORMAT, CLI_OPTION_END}},
    {"emu",
     "Serve an emulated GPU until interrupted",
     "",
     0,
     0,
     "Listens on 127.0.0.1 for OpenCL drivers and prints the environment that points a driver at "
     "it. Ends on SIGINT or SIGTERM and then says what it executed.",
     emu_examples,
     false,
     cmd_emu,
     {CLI_OPTION_DEVICE, CLI_OPTION_PORT, CLI_OPTION_THREADS, CLI_OPTION_MAX_INSTRUCTIONS,
      CLI_OPTION_TIMING, CLI_OPTION_CHECK, CLI_OPTION_TRUTH, CLI_OPTION_END}},
    {"msp430 run",
     "Run a firmware in the MSP430 simulator",
     "FIRMWARE",
     1,
     1,
     "Runs FIRMWARE, an ELF file or Intel HEX, cycle by cycle on a simulated microcontroller. "
     "What its first UART sends is written to stdout. The run ends with the program (a jump to "
     "itself or a sleep that no interrupt can end), at --until, or at a fault: a word at an odd "
     "address, an undefined opcode, execution outside of program memory, a stack that grows into "
     "the data. A fault is shown with the registers and the call stack.",
     msp430_examples,
     false,
     cmd_msp430,
     {CLI_OPTION_RECORD, CLI_OPTION_MCU, CLI_OPTION_UNTIL, CLI_OPTION_UART, CLI_OPTION_INTERRUPT,
      CLI_OPTION_SIDE_TABLE, CLI_OPTION_EVENTS, CLI_OPTION_ENTER_WORD, CLI_OPTION_EXIT_WORD,
      CLI_OPTION_QUIET, CLI_OPTION_END}},
    {"msp430 as",
     "Mark function entries and exits in MSP430 assembler text",
     "IN.s",
     1,
     1,
     "Reads assembler text as clang and GCC write it for MSP430 (- is stdin), turns .profile_enter "
     "and .profile_exit into words that are no instruction, and writes the text for the assembler "
     "that it was made for. The simulator records such words with the cycle they are met at; real "
     "hardware cannot execute them.\n"
     "Jumps that no longer reach their target become branches, and each is reported. Everything "
     "else stays as it is. Naked functions and those that hold either pseudo-operation stay "
     "unmarked by --auto.",
     msp430_as_examples,
     false,
     cmd_msp430_as,
     {CLI_OPTION_OUTPUT_FILE, CLI_OPTION_ENTER_WORD, CLI_OPTION_EXIT_WORD, CLI_OPTION_AUTO,
      CLI_OPTION_CORE, CLI_OPTION_EXCLUDE_FUNCTION, CLI_OPTION_END}},
    {"msp430 instrument",
     "Mark function entries and exits in a linked MSP430 firmware",
     "IN.elf",
     1,
     1,
     "Reads an ELF file that was linked with its relocations kept (--emit-relocs), puts a word "
     "that "
     "is no instruction at each function's entry and before each exit, and writes an ELF file for "
     "the simulator, which records such words and gives them no time; real hardware cannot execute "
     "them. Code moves and data stays: jumps, branches, calls, function pointers, vectors and "
     "symbols are adjusted, jumps that no longer reach become branches, and functions that no "
     "longer fit go to free program memory. What cannot be proved is refused with the reason. "
     "Debug information is left out.\n"
     "With --side-table the firmware stays as it is; the table says where to record, and needs no "
     "relocations.",
     msp430_instrument_examples,
     false,
     cmd_msp430_instrument,
     {CLI_OPTION_OUTPUT_FILE, CLI_OPTION_SIDE_TABLE, CLI_OPTION_ENTER_WORD, CLI_OPTION_EXIT_WORD,
      CLI_OPTION_CORE, CLI_OPTION_EXCLUDE_FUNCTION, CLI_OPTION_END}},
    {"help",
     "Show help on Sonde or on a command",
     "[COMMAND]",
     0,
     2,
     "Shows the list of commands, or the help of one.",
     help_examples,
     false,
     cmd_help,
     {CLI_OPTION_MAN, CLI_OPTION_COMPLETION, CLI_OPTION_END}},
};

static const struct cli_fact exit_facts[] = {
    {"0", "Success; verify: identical."},
    {"1", "Failure; verify: something differs; msp430: the firmware faulted."},
    {"2", "The command line is wrong."},
    {"125", "run, verify: Sonde itself failed, or the emulated GPU stopped a kernel of a program "
            "that then ended with 0; a message says why."},
    {"126", "run, verify: APP was found but could not be executed."},
    {"127", "run, verify: APP was not found."},
    {"128+N", "run: APP was killed by signal N."},
    {"other", "run: the exit status of APP."},
    {NULL, NULL},
};

static const struct cli_fact environment_facts[] = {
    {"NO_COLOR", "When set and not empty, no colour unless --color=always."},
    {"SONDE_OPENCL_DRIVER",
     "Path of the Intel OpenCL driver, libigdrcl.so, where it is not installed in "
     "a usual place."},
    {"SONDE_ATTACH_LIBRARY", "Path of libsonde-attach-neo.so instead of the one that belongs to "
                             "the program."},
    {NULL, NULL},
};

const struct cli_command *cli_command_at(size_t index)
{
    return index < sizeof commands / sizeof *commands ? &commands[index] : NULL;
}

const struct cli_command *cli_command_find(const char *name)
{
    const struct cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (strcmp(command->name, name) == 0)
            return command;
    }
    return NULL;
}

/* Whether the words begin with this command's. */
static bool names_command(const struct cli_command *command, char *const *words, size_t count,
                          size_t *used)
{
    size_t first = strcspn(command->name, " ");
    bool two = command->name[first] == ' ';
    *used = two ? 2 : 1;
    return count >= *used && strncmp(words[0], command->name, first) == 0 &&
           words[0][first] == '\0' && (!two || strcmp(words[1], command->name + first + 1) == 0);
}

const struct cli_command *cli_command_match(char *const *words, size_t count, size_t *used)
{
    const struct cli_command *command, *found = NULL;
    size_t taken = 1;
    *used = 1;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (names_command(command, words, count, &taken) && (found == NULL || taken > *used)) {
            found = command;
            *used = taken;
        }
    }
    return found;
}

bool cli_command_is_group(const char *word)
{
    const struct cli_command *command;
    size_t length = strlen(word);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (strncmp(command->name, word, length) == 0 && command->name[length] == ' ')
            return true;
    }
    return false;
}

const struct cli_option *cli_option_find(enum cli_option_id id)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].id == id)
            return &options[i];
    }
    return NULL;
}

const struct cli_fact *cli_exit_facts(void)
{
    return exit_facts;
}

const struct cli_fact *cli_environment_facts(void)
{
    return environment_facts;
}
