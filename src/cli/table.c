/* The table of commands: with that of options (options.c) the whole command line. */
#include <string.h>

#include "cli/commands.h"

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
