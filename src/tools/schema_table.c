/* What a schema can say. */
#include "sonde/gen_message.h"
#include "tools/schema.h"

#include <string.h>

static const struct schema_word block_words[] = {
    {"every", SCHEMA_BLOCK_EVERY, "all basic blocks"},
    {"entry", SCHEMA_BLOCK_ENTRY, "where the program's own code begins"},
    {"exit", SCHEMA_BLOCK_EXIT, "where threads end"},
    {"loop-head", SCHEMA_BLOCK_LOOP_HEAD, "the block that a loop jumps back to"},
    {"loop", SCHEMA_BLOCK_LOOP, "all blocks inside of loops"},
    {"work", SCHEMA_BLOCK_WORK, "blocks that do more than branch or end"},
    {"kernel", SCHEMA_BLOCK_KERNEL,
     "no block but the whole kernel, from a thread's start to its end"},
    {NULL, 0, NULL},
};

static const struct schema_word class_words[] = {
    {"every", SCHEMA_CLASS_EVERY, "all instructions"},
    {"memory", SCHEMA_CLASS_MEMORY,
     "messages that read, write or update memory by address, but not scratch"},
    {"load", SCHEMA_CLASS_LOAD,
     "messages that return data from memory: reads and atomic updates, but not of scratch"},
    {"atomic", SCHEMA_CLASS_ATOMIC, "messages that update memory atomically"},
    {"barrier", SCHEMA_CLASS_BARRIER, "messages that wait for the other threads of the work-group"},
    {"send", SCHEMA_CLASS_SEND, "all messages"},
    {"math", SCHEMA_CLASS_MATH, "square roots, divisions, sines and the like"},
    {"matrix", SCHEMA_CLASS_MATRIX, "products of matrices (dpas)"},
    {"branch", SCHEMA_CLASS_BRANCH, "control flow"},
    {"move", SCHEMA_CLASS_MOVE, "mov, movi, smov and sel"},
    {"logic", SCHEMA_CLASS_LOGIC, "bitwise logic, shifts and operations on bit fields"},
    {"compare", SCHEMA_CLASS_COMPARE, "cmp, cmpn and csel"},
    {"float", SCHEMA_CLASS_FLOAT, "instructions whose result or first source is a float"},
    {"integer", SCHEMA_CLASS_INTEGER,
     "instructions with a result or first source that is not: no messages, no branches"},
    {"predicated", SCHEMA_CLASS_PREDICATED, "instructions with a predicate"},
    {"masked", SCHEMA_CLASS_MASKED,
     "instructions that only act in enabled channels (no write-enable-all, no branches)"},
    {NULL, 0, NULL},
};

static const struct schema_word message_words[] = {
    {"read", SONDE_GEN_MESSAGE_READ, "loads from memory"},
    {"write", SONDE_GEN_MESSAGE_WRITE, "stores to memory"},
    {"atomic", SONDE_GEN_MESSAGE_ATOMIC, "atomic updates"},
    {"fence", SONDE_GEN_MESSAGE_FENCE, "memory fences"},
    {"barrier", SONDE_GEN_MESSAGE_BARRIER, "barriers of a work-group"},
    {"gateway", SONDE_GEN_MESSAGE_GATEWAY, "other messages to the gateway"},
    {"sample", SONDE_GEN_MESSAGE_SAMPLE, "reads of images through a sampler"},
    {"typed-read", SONDE_GEN_MESSAGE_TYPED_READ, "reads of images"},
    {"typed-write", SONDE_GEN_MESSAGE_TYPED_WRITE, "writes to images"},
    {"typed-atomic", SONDE_GEN_MESSAGE_TYPED_ATOMIC, "atomic updates of images"},
    {"media-read", SONDE_GEN_MESSAGE_MEDIA_READ, "reads of blocks of images"},
    {"media-write", SONDE_GEN_MESSAGE_MEDIA_WRITE, "writes to blocks of images"},
    {"end", SONDE_GEN_MESSAGE_END_OF_THREAD, "ends of threads"},
    {NULL, 0, NULL},
};

static const struct schema_word space_words[] = {
    {"global", SCHEMA_SPACE_GLOBAL, "buffers and other global memory"},
    {"local", SCHEMA_SPACE_LOCAL, "memory that a work-group shares"},
    {"scratch", SCHEMA_SPACE_SCRATCH,
     "a thread's own memory, where the compiler puts registers away"},
    {NULL, 0, NULL},
};

static const struct schema_word collect_words[] = {
    {"count", SCHEMA_COUNT, "how often hardware threads pass"},
    {"lanes", SCHEMA_LANES,
     "channels that act, of instructions that are masked; at blocks: channels that are enabled"},
    {"time", SCHEMA_TIME,
     "clock ticks that the block, the instruction or the kernel takes; into a trace: the clock"},
    {"addresses", SCHEMA_ADDRESSES, "addresses of a message, by channel"},
    {"register", SCHEMA_REGISTER, "values of registers"},
    {"argument", SCHEMA_ARGUMENT, "the value of an argument of the kernel, of up to 64 bits"},
    {NULL, 0, NULL},
};

static const struct schema_word into_words[] = {
    {"counter", SCHEMA_COUNTER, "a sum"},
    {"histogram", SCHEMA_HISTOGRAM, "how often values came: 0, 1, 2-3, 4-7 and so on"},
    {"trace", SCHEMA_TRACE, "a record each time"},
    {NULL, 0, NULL},
};

static const struct schema_report reports[] = {
    {"opcodeprof", SCHEMA_COUNT, SCHEMA_COUNTER, SCHEMA_BLOCK_EVERY, false, true},
    {"bblprof", SCHEMA_COUNT, SCHEMA_COUNTER, SCHEMA_BLOCK_EVERY, false, true},
    {"simdprof", SCHEMA_LANES, SCHEMA_COUNTER, UINT32_MAX, true, false},
    {"latency", SCHEMA_TIME, SCHEMA_COUNTER, UINT32_MAX, false, false},
    {"memlatency", SCHEMA_TIME, SCHEMA_COUNTER, UINT32_MAX, true, false},
    {"funtime", SCHEMA_TIME, SCHEMA_COUNTER, SCHEMA_BLOCK_KERNEL, false, false},
    {"flowtrace", SCHEMA_COUNT, SCHEMA_TRACE, SCHEMA_BLOCK_EVERY, false, false},
    {"memtrace", SCHEMA_ADDRESSES, SCHEMA_TRACE, UINT32_MAX, true, false},
    {"stride", SCHEMA_ADDRESSES, SCHEMA_TRACE, UINT32_MAX, true, false},
    {"cacheline", SCHEMA_ADDRESSES, SCHEMA_TRACE, UINT32_MAX, true, false},
    {"race", SCHEMA_ADDRESSES, SCHEMA_TRACE, UINT32_MAX, true, false},
    {"race", SCHEMA_COUNT, SCHEMA_TRACE, UINT32_MAX, true, false},
    {"regtrace", SCHEMA_REGISTER, SCHEMA_TRACE, UINT32_MAX, true, false},
    {"regtrace", SCHEMA_REGISTER, SCHEMA_TRACE, UINT32_MAX, false, false},
    {"occupancy", SCHEMA_COUNT, SCHEMA_TRACE, SCHEMA_BLOCK_EXIT, false, false},
    {"bounds", SCHEMA_ADDRESSES, SCHEMA_TRACE, UINT32_MAX, true, false},
};

static const struct schema_word report_words[] = {
    {"opcodeprof", 0, "block=every collect=count into=counter"},
    {"bblprof", 1, "block=every collect=count into=counter"},
    {"simdprof", 2, "instructions, collect=lanes into=counter"},
    {"latency", 3, "blocks, collect=time into=counter"},
    {"memlatency", 4, "instructions, collect=time into=counter"},
    {"funtime", 5, "block=kernel collect=time into=counter"},
    {"flowtrace", 6, "block=every collect=count into=trace"},
    {"memtrace", 7, "messages, collect=addresses into=trace"},
    {"stride", 8, "messages, collect=addresses into=trace"},
    {"cacheline", 9, "messages, collect=addresses into=trace"},
    {"race", 10, "messages, collect=addresses into=trace; barriers, collect=count into=trace"},
    {"regtrace", 12, "collect=register into=trace"},
    {"occupancy", 14, "block=exit collect=count into=trace"},
    {"bounds", 15, "messages, collect=addresses into=trace"},
    {NULL, 0, NULL},
};

static const struct schema_key_row keys[SCHEMA_KEY_COUNT] = {
    [SCHEMA_NAME] = {"name", SCHEMA_TEXT, NULL, false, "WORD", "what the report calls the probe"},
    [SCHEMA_REPORT] = {"report", SCHEMA_WORD, report_words, false, NULL,
                       "show the results as those of a tool"},
    [SCHEMA_KERNEL] = {"kernel", SCHEMA_KERNELS, NULL, false, "PATTERN",
                       "only kernels whose name matches: a shell pattern, re:REGEX, sub:TEXT; or "
                       "those of simd:WIDTH or hash:HEX"},
    [SCHEMA_EXCLUDE] = {"exclude", SCHEMA_KERNELS, NULL, false, "PATTERN",
                        "no kernels whose name matches"},
    [SCHEMA_BLOCK] = {"block", SCHEMA_WORDS, block_words, false, NULL,
                      "basic blocks; without a key for instructions the probe stands at their "
                      "heads"},
    [SCHEMA_CLASS] = {"class", SCHEMA_WORDS, class_words, true, NULL, "instructions of a kind"},
    [SCHEMA_OPCODE] = {"opcode", SCHEMA_OPCODES, NULL, true, "PATTERN",
                       "instructions whose mnemonic matches a shell pattern, such as mad or send*"},
    [SCHEMA_MESSAGE] = {"message", SCHEMA_WORDS, message_words, true, NULL,
                        "messages that do this"},
    [SCHEMA_SPACE] = {"space", SCHEMA_WORDS, space_words, true, NULL, "messages to this memory"},
    [SCHEMA_WIDTH] = {"width", SCHEMA_RANGES, NULL, true, "N or N-M",
                      "instructions over so many channels"},
    [SCHEMA_OFFSET] = {"offset", SCHEMA_RANGES, NULL, true, "N or N-M",
                       "instructions at these bytes of the kernel, as 'sonde annotate' shows them"},
    [SCHEMA_SOURCE] = {"source", SCHEMA_LINES, NULL, true, "[FILE:]LINE[-LINE]",
                       "instructions of these source lines; the program is built with -g"},
    [SCHEMA_COLLECT] = {"collect", SCHEMA_WORD, collect_words, false, NULL,
                        "what to collect; needed"},
    [SCHEMA_REGISTERS] = {"registers", SCHEMA_GRFS, NULL, false,
                          "rN, rN-rM, dst, src0, src1, src2; rN.D",
                          "registers to collect, by number or operand (default: dst); into a "
                          "counter or histogram: a dword of one"},
    [SCHEMA_ARGUMENT_KEY] = {"argument", SCHEMA_TEXT, NULL, false, "N or NAME",
                             "argument to collect: its number from 0, or its name when the program "
                             "is built with -cl-kernel-arg-info"},
    [SCHEMA_INTO] = {"into", SCHEMA_WORD, into_words, false, NULL, "what to keep it in; needed"},
};

static const struct schema_pair pairs[] = {
    {SCHEMA_COUNT, SCHEMA_COUNTER, true, true, false, "executions"},
    {SCHEMA_COUNT, SCHEMA_TRACE, true, true, false,
     "thread, time and channels each time the block is entered"},
    {SCHEMA_LANES, SCHEMA_COUNTER, true, true, false, "executions, and channels over all of them"},
    {SCHEMA_LANES, SCHEMA_HISTOGRAM, true, true, false, "channels of an execution"},
    {SCHEMA_LANES, SCHEMA_TRACE, true, true, false, "the mask of channels each time"},
    {SCHEMA_TIME, SCHEMA_COUNTER, true, true, true, "executions, and ticks over all of them"},
    {SCHEMA_TIME, SCHEMA_HISTOGRAM, true, true, true, "ticks of an execution"},
    {SCHEMA_TIME, SCHEMA_TRACE, true, true, false, "the clock each time"},
    {SCHEMA_ADDRESSES, SCHEMA_TRACE, false, true, false, "addresses each time, by channel"},
    {SCHEMA_REGISTER, SCHEMA_COUNTER, true, true, false, "the sum of one dword, unsigned"},
    {SCHEMA_REGISTER, SCHEMA_HISTOGRAM, true, true, false, "values of one dword, unsigned"},
    {SCHEMA_ARGUMENT, SCHEMA_COUNTER, true, false, false,
     "at block=entry: the sum over all threads, so that the mean is the value"},
    {SCHEMA_ARGUMENT, SCHEMA_HISTOGRAM, true, false, false, "at block=entry: the value, by thread"},
    {SCHEMA_ARGUMENT, SCHEMA_TRACE, true, false, false,
     "at block=entry: the value each time a thread begins"},
    {SCHEMA_REGISTER, SCHEMA_TRACE, true, true, false,
     "values each time, by channel; dst: behind the instruction, others before it"},
};

const struct schema_key_row *schema_key_at(enum schema_key key)
{
    return &keys[key];
}

const struct schema_pair *schema_pair_at(size_t index)
{
    return index < sizeof pairs / sizeof *pairs ? &pairs[index] : NULL;
}

const struct schema_pair *schema_pair_find(enum schema_collect collect, enum schema_into into)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].collect == collect && pairs[i].into == into)
            return &pairs[i];
    return NULL;
}

const struct schema_report *schema_report_at(size_t index)
{
    return index < sizeof reports / sizeof *reports ? &reports[index] : NULL;
}

static void print_words(const struct schema_word *words, FILE *out)
{
    for (; words->name != NULL; words++)
        fprintf(out, "    %-14s%s\n", words->name, words->help);
}

void schema_print_tables(FILE *out)
{
    fprintf(out, "keys of a probe\n");
    for (unsigned k = 0; k < SCHEMA_KEY_COUNT; k++) {
        fprintf(out, "  %-12s%s\n", keys[k].name, keys[k].help);
        if (keys[k].words != NULL)
            print_words(keys[k].words, out);
        else
            fprintf(out, "    %s\n", keys[k].values);
    }
    fprintf(out, "what can be collected into what\n");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct schema_pair *pair = &pairs[i];
        fprintf(out, "  %-10s%-10s at %s%s%s: %s\n", collect_words[pair->collect].name,
                into_words[pair->into].name, pair->at_blocks ? "blocks, " : "",
                pair->at_instructions ? "instructions" : "", pair->at_kernel ? ", kernel" : "",
                pair->help);
    }
}
