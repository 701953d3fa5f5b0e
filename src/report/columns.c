/* The tables of views and columns. */
#include <stdio.h>
#include <string.h>

#include "report/report.h"

static void fill_kernel(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->kernel != NULL ? row->kernel->kernel->name : "(total)";
}

static void fill_hash(const struct report_row *row, struct report_cell *cell)
{
    if (row->kernel != NULL)
        snprintf(cell->text, sizeof cell->text, "%016llx",
                 (unsigned long long)row->kernel->kernel->hash);
}

static void fill_opcode(const struct report_row *row, struct report_cell *cell)
{
    cell->name = sonde_gen_opcode_mnemonic(row->kind->opcode);
}

static void fill_simd(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->kind->simd;
}

static void fill_type(const struct report_row *row, struct report_cell *cell)
{
    cell->name = sonde_gen_type_name(row->kind->type);
}

static void fill_static(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->kind->static_count;
    cell->whole = row->whole->static_count;
}

static void fill_dynamic(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->kind->dynamic_count;
    cell->whole = row->whole->dynamic_count;
}

static const struct sonde_trace_block *block_of(const struct report_row *row)
{
    return &row->kernel->kernel->blocks[row->block];
}

static void fill_block(const struct report_row *row, struct report_cell *cell)
{
    cell->number = block_of(row)->id;
}

static void fill_offset(const struct report_row *row, struct report_cell *cell)
{
    const struct sonde_trace_block *block = block_of(row);
    if (block->first < row->kernel->instruction_count)
        cell->number = row->kernel->instructions[block->first].offset;
}

static void fill_instructions(const struct report_row *row, struct report_cell *cell)
{
    cell->number = block_of(row)->count;
}

static void fill_executions(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->kernel->block_executions[row->block];
}

static void fill_executed(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->kernel->block_executions[row->block] * block_of(row)->count;
    cell->whole = row->whole->dynamic_count;
}

static void fill_source(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->source != NULL ? row->source : "";
}

static const struct report_column mix_columns[] = {
    {"kernel", "KERNEL", REPORT_CELL_TEXT, "name of the kernel", fill_kernel},
    {"hash", "HASH", REPORT_CELL_TEXT, "identifies the kernel's binary", fill_hash},
    {"opcode", "OPCODE", REPORT_CELL_TEXT, "mnemonic", fill_opcode},
    {"simd", "SIMD", REPORT_CELL_NUMBER, "channels of the instruction", fill_simd},
    {"type", "TYPE", REPORT_CELL_TEXT,
     "data type of the first source operand, ud where it has none", fill_type},
    {"static", "STATIC", REPORT_CELL_COUNT, "instructions in the binary", fill_static},
    {"static-share", "STATIC%", REPORT_CELL_SHARE, "their share of the kernel", fill_static},
    {"dynamic", "DYNAMIC", REPORT_CELL_COUNT, "executions by hardware threads", fill_dynamic},
    {"dynamic-share", "DYNAMIC%", REPORT_CELL_SHARE, "their share of the kernel", fill_dynamic},
    {"source", "SOURCE", REPORT_CELL_TEXT,
     "source line that executes most of them, and how many others do some (built with -g)",
     fill_source},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

static const struct report_column block_columns[] = {
    {"kernel", "KERNEL", REPORT_CELL_TEXT, "name of the kernel", fill_kernel},
    {"hash", "HASH", REPORT_CELL_TEXT, "identifies the kernel's binary", fill_hash},
    {"block", "BLOCK", REPORT_CELL_NUMBER, "id of the basic block", fill_block},
    {"offset", "OFFSET", REPORT_CELL_HEX, "byte offset of its first instruction", fill_offset},
    {"instructions", "INSTRUCTIONS", REPORT_CELL_COUNT, "instructions in the block",
     fill_instructions},
    {"executions", "EXECUTIONS", REPORT_CELL_COUNT, "executions by hardware threads",
     fill_executions},
    {"dynamic", "DYNAMIC", REPORT_CELL_COUNT, "executed instructions: instructions x executions",
     fill_executed},
    {"share", "SHARE%", REPORT_CELL_SHARE, "share of the kernel's executed instructions",
     fill_executed},
    {"source", "SOURCE", REPORT_CELL_TEXT, "source lines of the block, of programs built with -g",
     fill_source},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

static const struct report_view views[] = {
    {"opcodeprof", "instructions by opcode, SIMD width and data type", mix_columns,
     "opcode,simd,type,static,static-share,dynamic,dynamic-share",
     "dynamic,static,opcode,simd,type", true, false},
    {"bblprof", "basic blocks and their executions", block_columns,
     "block,offset,instructions,executions,share", "block", false, true},
};

const struct report_view *report_view_at(size_t index)
{
    return index < sizeof views / sizeof *views ? &views[index] : NULL;
}

const struct report_view *report_view_of_tool(const char *tool)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        if (strcmp(views[i].name, tool) == 0)
            return &views[i];
    }
    return &views[1];
}
