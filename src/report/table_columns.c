/* The tables of tools: their columns. */
#include <stdio.h>
#include <string.h>

#include "report/tables.h"

typedef unsigned long long ull;

/* A function that fills a cell with one value, or with a ratio of two. */
#define VALUE(function, index)                                                                     \
    static void function(const struct report_row *row, struct report_cell *cell)                   \
    {                                                                                              \
        cell->number = row->record->value[index];                                                  \
    }
#define RATIO(function, index, of)                                                                 \
    static void function(const struct report_row *row, struct report_cell *cell)                   \
    {                                                                                              \
        cell->number = row->record->value[index];                                                  \
        cell->whole = row->record->value[of];                                                      \
    }

VALUE(value_0, 0)
VALUE(value_1, 1)
VALUE(value_2, 2)
VALUE(value_3, 3)
VALUE(value_4, 4)
VALUE(value_5, 5)
VALUE(value_6, 6)
VALUE(value_7, 7)
VALUE(value_8, 8)
VALUE(value_9, 9)
RATIO(simd_share, SIMD_LANES, SIMD_CAPACITY)
RATIO(time_mean, TIME_CYCLES, TIME_TIMED)
RATIO(flow_mean, FLOW_LANES, FLOW_TIMES)
RATIO(memory_mean, MEMORY_LANES, MEMORY_EXECUTIONS)
RATIO(stride_share, STRIDE_IDEAL, STRIDE_LINES)
RATIO(line_mean, LINE_LINES, LINE_EXECUTIONS)
RATIO(busy_share, OCCUPANCY_BUSY, OCCUPANCY_ROOM)
RATIO(imbalance, OCCUPANCY_RELATIVE, OCCUPANCY_ALL)
RATIO(covered_share, OCCUPANCY_COVERED, OCCUPANCY_SPAN)

static void kernel_name(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->record->kernel->name;
}

static void kernel_hash(const struct report_row *row, struct report_cell *cell)
{
    snprintf(cell->text, sizeof cell->text, "%016llx",
             (unsigned long long)row->record->kernel->hash);
}

static void row_block(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->record->block;
}

static void row_instruction(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->record->instruction;
}

static void row_text(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->record->text;
}

static void row_buffer(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->record->buffer;
}

static void row_source(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->record->source;
}

static void bounds_outside(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->record->value[BOUNDS_BEHIND] + row->record->value[BOUNDS_BEFORE];
}

#define KERNEL                                                                                     \
    {"kernel", "KERNEL", REPORT_CELL_TEXT, "name of the kernel", kernel_name},                     \
    {                                                                                              \
        "hash", "HASH", REPORT_CELL_TEXT, "identifies the kernel's binary", kernel_hash            \
    }
#define BLOCK                                                                                      \
    {                                                                                              \
        "block", "BLOCK", REPORT_CELL_NUMBER, "id of the basic block", row_block                   \
    }
#define INSTRUCTION                                                                                \
    {                                                                                              \
        "instruction", "INSTRUCTION", REPORT_CELL_NUMBER,                                          \
            "number of the instruction in the kernel", row_instruction                             \
    }
#define OPCODE                                                                                     \
    {                                                                                              \
        "opcode", "OPCODE", REPORT_CELL_TEXT, "mnemonic", row_text                                 \
    }
#define BUFFER                                                                                     \
    {                                                                                              \
        "buffer", "BUFFER", REPORT_CELL_TEXT, "argument of the kernel whose memory it is",         \
            row_buffer                                                                             \
    }
#define SOURCE                                                                                     \
    {                                                                                              \
        "source", "SOURCE", REPORT_CELL_TEXT, "source line, of programs built with -g", row_source \
    }
#define END                                                                                        \
    {                                                                                              \
        NULL, NULL, REPORT_CELL_TEXT, NULL, NULL                                                   \
    }
#define ACCESS                                                                                     \
    {                                                                                              \
        "access", "ACCESS", REPORT_CELL_TEXT, "what is done to which memory", row_text             \
    }

static const struct report_column simd_columns[] = {
    KERNEL,
    BLOCK,
    INSTRUCTION,
    SOURCE,
    OPCODE,
    {"simd", "SIMD", REPORT_CELL_NUMBER, "channels of the instruction", value_0},
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions by hardware threads", value_1},
    {"lanes", "LANES", REPORT_CELL_COUNT, "channels that acted, over all executions", value_2},
    {"capacity", "CAPACITY", REPORT_CELL_COUNT, "executions x channels", value_3},
    {"use", "USE%", REPORT_CELL_SHARE, "share of the channels that acted", simd_share},
    END};

static const struct report_column time_columns[] = {
    KERNEL,
    BLOCK,
    INSTRUCTION,
    SOURCE,
    OPCODE,
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions by hardware threads", value_0},
    {"cycles", "CYCLES", REPORT_CELL_COUNT, "clock ticks, over all executions", value_1},
    {"mean", "MEAN", REPORT_CELL_RATIO, "ticks an execution", time_mean},
    {"skipped", "SKIPPED", REPORT_CELL_COUNT,
     "executions whose time is not known: the clock was changed meanwhile", value_2},
    END};

static const struct report_column flow_columns[] = {
    KERNEL,
    SOURCE,
    {"from", "FROM", REPORT_CELL_TEXT, "block that threads came from", row_text},
    {"from-number", "FROM#", REPORT_CELL_NUMBER, "its id plus 1, 0 at the start", value_0},
    {"to", "TO", REPORT_CELL_NUMBER, "block that they went to", value_1},
    {"times", "TIMES", REPORT_CELL_COUNT, "how often", value_2},
    {"lanes", "LANES", REPORT_CELL_COUNT, "enabled channels, over all times", value_3},
    {"mean-lanes", "LANES/TIME", REPORT_CELL_RATIO, "enabled channels each time", flow_mean},
    END};

static const struct report_column memory_columns[] = {
    KERNEL,
    BLOCK,
    INSTRUCTION,
    SOURCE,
    ACCESS,
    BUFFER,
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions by hardware threads", value_0},
    {"addresses", "ADDRESSES", REPORT_CELL_COUNT, "addresses accessed, over all executions",
     value_1},
    {"mean", "EACH", REPORT_CELL_RATIO, "addresses an execution", memory_mean},
    {"width", "WIDTH", REPORT_CELL_NUMBER, "bytes at each address", value_2},
    {"bytes", "BYTES", REPORT_CELL_COUNT, "bytes accessed", value_3},
    {"lowest", "LOWEST", REPORT_CELL_HEX, "lowest address", value_4},
    {"highest", "HIGHEST", REPORT_CELL_HEX, "highest address", value_5},
    END};

static const struct report_column stride_columns[] = {
    KERNEL,
    BLOCK,
    INSTRUCTION,
    SOURCE,
    ACCESS,
    BUFFER,
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions by hardware threads", value_0},
    {"uniform", "UNIFORM", REPORT_CELL_COUNT, "all channels at one address", value_1},
    {"unit", "UNIT", REPORT_CELL_COUNT, "channels side by side", value_2},
    {"constant", "CONSTANT", REPORT_CELL_COUNT, "channels another distance apart", value_3},
    {"gather", "GATHER", REPORT_CELL_COUNT, "channels at no regular distance", value_4},
    {"blocks", "BLOCK", REPORT_CELL_COUNT, "one block for all channels", value_5},
    {"lines", "LINES", REPORT_CELL_COUNT, "lines of 64 bytes that were touched", value_6},
    {"ideal", "IDEAL", REPORT_CELL_COUNT, "lines that the bytes would fill", value_7},
    {"coalesced", "COALESCED%", REPORT_CELL_SHARE, "ideal lines of those touched", stride_share},
    END};

static const struct report_column line_columns[] = {
    KERNEL,
    BLOCK,
    INSTRUCTION,
    SOURCE,
    ACCESS,
    BUFFER,
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions by hardware threads", value_0},
    {"lines", "LINES", REPORT_CELL_COUNT, "lines, over all executions", value_1},
    {"mean", "EACH", REPORT_CELL_RATIO, "lines an execution", line_mean},
    {"most", "MOST", REPORT_CELL_COUNT, "lines of one execution at most", value_2},
    {"footprint", "FOOTPRINT", REPORT_CELL_COUNT, "different lines, dispatch by dispatch", value_3},
    {"hits", "HITS", REPORT_CELL_COUNT, "lines found in the cache", value_4},
    {"misses", "MISSES", REPORT_CELL_COUNT, "lines not found there", value_5},
    {"rar", "RAR", REPORT_CELL_COUNT, "reads of a line that was read last", value_6},
    {"raw", "RAW", REPORT_CELL_COUNT, "reads of a line that was written last", value_7},
    {"war", "WAR", REPORT_CELL_COUNT, "writes to a line that was read last", value_8},
    {"waw", "WAW", REPORT_CELL_COUNT, "writes to a line that was written last", value_9},
    END};

static const struct report_column value_columns[] = {
    KERNEL,
    BLOCK,
    INSTRUCTION,
    SOURCE,
    {"register", "REGISTER", REPORT_CELL_TEXT, "register that the value came to", row_text},
    {"number", "REG#", REPORT_CELL_NUMBER, "its number", value_0},
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions by hardware threads", value_1},
    {"lowest", "LOWEST", REPORT_CELL_HEX, "lowest value", value_2},
    {"highest", "HIGHEST", REPORT_CELL_HEX, "highest value", value_3},
    {"different", "DIFFERENT", REPORT_CELL_COUNT, "different values", value_4},
    END};

/* A value in the notation of its type. */
static void channel_value(const struct report_row *row, unsigned which, struct report_cell *cell)
{
    uint64_t bits = row->record->value[which];
    uint8_t type = (uint8_t)row->record->value[VALUE_TYPE];
    float single;
    double number;
    uint32_t word = (uint32_t)bits;
    if (type == SONDE_GEN_TYPE_F) {
        memcpy(&single, &word, sizeof single);
        snprintf(cell->text, sizeof cell->text, "%.9g", (double)single);
    } else if (type == SONDE_GEN_TYPE_DF) {
        memcpy(&number, &bits, sizeof number);
        snprintf(cell->text, sizeof cell->text, "%.17g", number);
    } else if (sonde_gen_type_is_float((enum sonde_gen_type)type)) {
        snprintf(cell->text, sizeof cell->text, "0x%llx", (ull)bits);
    } else if (sonde_gen_type_is_signed((enum sonde_gen_type)type)) {
        snprintf(cell->text, sizeof cell->text, "%lld",
                 (long long)analyze_value_signed(type, bits));
    } else {
        snprintf(cell->text, sizeof cell->text, "%llu", (ull)bits);
    }
}

static void channel_lowest(const struct report_row *row, struct report_cell *cell)
{
    channel_value(row, VALUE_LOWEST, cell);
}

static void channel_highest(const struct report_row *row, struct report_cell *cell)
{
    channel_value(row, VALUE_HIGHEST, cell);
}

static void channel_last(const struct report_row *row, struct report_cell *cell)
{
    channel_value(row, VALUE_LAST, cell);
}

static void channel_type(const struct report_row *row, struct report_cell *cell)
{
    cell->name = sonde_gen_type_name((enum sonde_gen_type)row->record->value[VALUE_TYPE]);
}

static const struct report_column channel_columns[] = {
    KERNEL,
    BLOCK,
    INSTRUCTION,
    {"register", "REGISTER", REPORT_CELL_TEXT, "register that the value begins in", row_text},
    {"number", "REG#", REPORT_CELL_NUMBER, "its number", value_0},
    {"operand", "OPERAND", REPORT_CELL_NUMBER,
     "0 what the instruction writes, 1 to 3 its sources, 4 a register by number", value_8},
    {"channel", "CHANNEL", REPORT_CELL_NUMBER,
     "channel; of registers by number: which dword of those recorded together", value_5},
    {"type", "TYPE", REPORT_CELL_TEXT, "type of the operand, ud of messages and by number",
     channel_type},
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions that the channel acted in",
     value_1},
    {"different", "DIFFERENT", REPORT_CELL_COUNT, "different values", value_4},
    {"lowest", "LOWEST", REPORT_CELL_TEXT, "lowest value", channel_lowest},
    {"highest", "HIGHEST", REPORT_CELL_TEXT, "highest value", channel_highest},
    {"last", "LAST", REPORT_CELL_TEXT, "value of the last execution", channel_last},
    SOURCE,
    END};

static const struct report_column race_columns[] = {
    KERNEL,
    SOURCE,
    BUFFER,
    {"race", "RACE", REPORT_CELL_TEXT, "which access came behind which in this run", row_text},
    {"first", "FIRST", REPORT_CELL_NUMBER, "instruction that came first", value_0},
    {"second", "SECOND", REPORT_CELL_NUMBER, "instruction that came second", value_1},
    {"times", "TIMES", REPORT_CELL_COUNT, "places and times that it happened", value_2},
    {"address", "ADDRESS", REPORT_CELL_HEX, "one of the places", value_3},
    END};

static const struct report_column bounds_columns[] = {
    KERNEL,
    BLOCK,
    INSTRUCTION,
    SOURCE,
    ACCESS,
    BUFFER,
    {"size", "SIZE", REPORT_CELL_COUNT, "bytes of the buffer", value_6},
    {"outside", "OUTSIDE", REPORT_CELL_COUNT, "addresses outside of it, over all executions",
     bounds_outside},
    {"behind", "BEHIND", REPORT_CELL_COUNT, "those that reach behind its end", value_0},
    {"before", "BEFORE", REPORT_CELL_COUNT, "those before its start", value_1},
    {"unknown", "UNKNOWN", REPORT_CELL_COUNT,
     "addresses of which the buffer or its size is not known", value_2},
    {"first", "FIRST", REPORT_CELL_HEX, "the first address outside", value_3},
    {"distance", "DISTANCE", REPORT_CELL_COUNT, "bytes by which that one leaves the buffer",
     value_4},
    {"furthest", "FURTHEST", REPORT_CELL_COUNT, "bytes by which any leaves it", value_5},
    END};

static const struct report_column occupancy_columns[] = {
    KERNEL,
    {"dispatch", "DISPATCH", REPORT_CELL_NUMBER, "number of the dispatch", value_0},
    {"eu", "EU", REPORT_CELL_TEXT, "slice, sub-slice, execution unit", row_text},
    {"unit", "UNIT", REPORT_CELL_NUMBER, "the same as one number", value_1},
    {"threads", "THREADS", REPORT_CELL_COUNT, "threads that ran there", value_2},
    {"slots", "SLOTS", REPORT_CELL_COUNT, "hardware thread slots that were used", value_3},
    {"busy", "BUSY", REPORT_CELL_COUNT, "ticks, summed over threads", value_4},
    {"covered", "COVERED", REPORT_CELL_COUNT, "ticks with any thread", value_5},
    {"span", "SPAN", REPORT_CELL_COUNT, "ticks of the dispatch", value_6},
    {"use", "USE%", REPORT_CELL_SHARE, "share of the span with any thread", covered_share},
    {"imbalance", "IMBALANCE", REPORT_CELL_RATIO,
     "busy ticks against the mean of the units that the dispatch ran on", imbalance},
    {"fill", "FILL%", REPORT_CELL_SHARE, "share of the slots' time that was used", busy_share},
    END};

static void schema_opcode(const struct report_row *row, struct report_cell *cell)
{
    uint64_t opcode = row->record->value[SCHEMA_ROW_OPCODE];
    cell->name = opcode < SONDE_GEN_OPCODE_COUNT
                     ? sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)opcode)
                     : "";
}

static void schema_what(const struct report_row *row, struct report_cell *cell)
{
    static const char *const names[] = {
        [ANALYZE_WHAT_COUNT] = "count",    [ANALYZE_WHAT_LANES] = "lanes",
        [ANALYZE_WHAT_TIME] = "ticks",     [ANALYZE_WHAT_ADDRESSES] = "addresses",
        [ANALYZE_WHAT_VALUE] = "value", [ANALYZE_WHAT_CLOCK] = "visits",
    };
    uint64_t number = row->record->value[SCHEMA_ROW_REGISTER];
    if (number != 0)
        snprintf(cell->text, sizeof cell->text, "r%u", (unsigned)number - 1);
    else
        cell->name = names[row->record->value[SCHEMA_ROW_WHAT]];
}

RATIO(schema_mean, SCHEMA_ROW_SUM, SCHEMA_ROW_TIMED)

static const struct report_column schema_columns[] = {
    KERNEL,
    {"probe", "PROBE", REPORT_CELL_TEXT, "name of the probe", row_text},
    BLOCK,
    INSTRUCTION,
    {"opcode", "OPCODE", REPORT_CELL_TEXT, "mnemonic of the instruction there", schema_opcode},
    {"collects", "COLLECTS", REPORT_CELL_TEXT, "what the sum and the values are of", schema_what},
    {"number", "REG#", REPORT_CELL_NUMBER, "number of the register plus 1, 0 none", value_1},
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions by hardware threads", value_3},
    {"sum", "SUM", REPORT_CELL_COUNT, "over all executions: lanes, ticks, addresses, values",
     value_4},
    {"mean", "MEAN", REPORT_CELL_RATIO, "sum of an execution", schema_mean},
    {"lowest", "LOWEST", REPORT_CELL_HEX, "lowest value in the trace", value_5},
    {"highest", "HIGHEST", REPORT_CELL_HEX, "highest value in the trace", value_6},
    {"skipped", "SKIPPED", REPORT_CELL_COUNT, "executions whose time is not known", value_7},
    SOURCE,
    END};

static const struct report_column histogram_columns[] = {
    KERNEL,
    {"probe", "PROBE", REPORT_CELL_TEXT, "name of the probe", row_text},
    BLOCK,
    INSTRUCTION,
    {"opcode", "OPCODE", REPORT_CELL_TEXT, "mnemonic of the instruction there", schema_opcode},
    {"from", "FROM", REPORT_CELL_NUMBER, "values from this one", value_5},
    {"to", "TO", REPORT_CELL_NUMBER, "to this one", value_6},
    {"times", "TIMES", REPORT_CELL_COUNT, "how often they came", value_4},
    SOURCE,
    END};

static const struct report_table tables[] = {
    {{"simdprof", "channels that act in each instruction", simd_columns,
      "instruction,opcode,simd,executions,lanes,use", "kernel,hash,instruction", false, false},
     analyze_simd},
    {{"flowtrace", "ways of hardware threads from block to block", flow_columns,
      "from,to,times,mean-lanes", "kernel,hash,from-number,to", false, false},
     analyze_flow},
    {{"memtrace", "memory messages and their addresses", memory_columns,
      "instruction,access,buffer,executions,addresses,width,bytes,lowest,highest",
      "kernel,hash,instruction", false, false},
     analyze_memory},
    {{"latency", "time of basic blocks", time_columns, "block,executions,cycles,mean,skipped",
      "kernel,hash,block", false, false},
     analyze_latency},
    {{"memlatency", "time of memory reads", time_columns,
      "instruction,executions,cycles,mean,skipped", "kernel,hash,instruction", false, false},
     analyze_memory_latency},
    {{"funtime", "time of hardware threads in each kernel", time_columns,
      "executions,cycles,mean,skipped", "kernel,hash,cycles", false, false},
     analyze_kernel_time},
    {{"regtrace", "values that memory reads return", value_columns,
      "instruction,register,executions,lowest,highest,different", "kernel,hash,instruction,number",
      false, false},
     analyze_values},
    {{"stride", "how far apart the channels of memory messages reach", stride_columns,
      "instruction,access,buffer,executions,uniform,unit,constant,gather,blocks,coalesced",
      "kernel,hash,instruction", false, false},
     analyze_stride},
    {{"cacheline", "cache lines of memory messages", line_columns,
      "instruction,access,buffer,executions,mean,most,footprint,hits,misses,rar,raw,war,waw",
      "kernel,hash,instruction", false, false},
     analyze_cachelines},
    {{"race", "accesses of threads to one place that nothing orders", race_columns,
      "race,first,second,buffer,times,address", "kernel,hash,times,first,second", false, false},
     analyze_races},
    {{"bounds", "accesses outside of the buffers that the arguments name", bounds_columns,
      "block,instruction,access,buffer,size,outside,first,distance,furthest,unknown",
      "kernel,hash,instruction", false, false},
     analyze_bounds},
    {{"occupancy", "when hardware threads run, and how evenly", occupancy_columns,
      "dispatch,eu,threads,slots,busy,span,use,fill,imbalance", "dispatch,unit", false, false},
     analyze_occupancy},
    {{"schema", "points of the probes of schemas", schema_columns,
      "probe,block,instruction,opcode,collects,executions,sum,mean",
      "kernel,hash,probe,instruction,number", false, false},
     analyze_schema},
    {{"histogram", "values at the points of probes of schemas", histogram_columns,
      "probe,block,instruction,opcode,from,to,times", "kernel,hash,probe,instruction,from", false,
      false},
     analyze_histograms},
    {{"values", "values of registers by channel", channel_columns,
      "instruction,register,channel,type,executions,different,lowest,highest",
      "kernel,hash,instruction,operand,number,channel", false, false},
     analyze_channel_values},
};

const struct report_table *report_table_at(size_t index)
{
    return index < sizeof tables / sizeof *tables ? &tables[index] : NULL;
}

const struct report_table *report_table_of_tool(const char *tool)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].view.name, tool) == 0)
            return &tables[i];
    return NULL;
}
