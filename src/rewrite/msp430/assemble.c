/* The pass as a whole, and writing of the text that it results in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "rewrite/msp430/internal.h"

enum sonde_status msp430_remark(struct msp430_program *program,
                                enum sonde_msp430_as_remark_kind kind, uint32_t line,
                                const char *format, ...)
{
    struct sonde_msp430_as_result *result = program->result;
    if (base_array_reserve((void **)&result->remarks, &result->remark_capacity,
                           result->remark_count + 1, sizeof *result->remarks) != SONDE_OK)
        return msp430_fail(program, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct sonde_msp430_as_remark *remark = &result->remarks[result->remark_count++];
    remark->kind = kind;
    remark->line = line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(remark->text, sizeof remark->text, format, arguments);
    va_end(arguments);
    return SONDE_OK;
}

enum sonde_status msp430_fail(struct msp430_program *program, enum sonde_status status,
                              uint32_t line, const char *format, ...)
{
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (line == 0)
        return sonde_error_set(program->error, status, 0, "%.120s: %s", program->file, text);
    return sonde_error_set(program->error, status, 0, "%.120s:%u: %s", program->file, line, text);
}

struct writer {
    struct msp430_program *program;
    FILE *out;
    size_t cursor; /* what is before it has been written */
    char skip[40]; /* beginning of our labels, which the text does not use */
    unsigned skip_count;
};

static void copy_until(struct writer *writer, size_t end)
{
    if (end > writer->cursor) {
        fwrite(writer->program->text.text + writer->cursor, 1, end - writer->cursor, writer->out);
        writer->cursor = end;
    }
}

static void choose_labels(struct writer *writer)
{
    struct msp430_slice text = writer->program->text;
    unsigned n = 0;
    do
        snprintf(writer->skip, sizeof writer->skip, ".Lsonde%u_", n++);
    while (text.length > 0 &&
           memmem(text.text, text.length, writer->skip, strlen(writer->skip)) != NULL);
}

static unsigned enter_word(const struct writer *writer)
{
    writer->program->result->enter_count++;
    return writer->program->options->markers.enter;
}

static unsigned exit_word(const struct writer *writer)
{
    writer->program->result->exit_count++;
    return writer->program->options->markers.exit;
}

/* Whether only blanks and a comment follow on the line; *next is where the
 * next line begins. */
static bool rest_is_comment(struct msp430_slice text, size_t at, size_t *next)
{
    while (at < text.length && (text.text[at] == ' ' || text.text[at] == '\t'))
        at++;
    if (at < text.length && text.text[at] != ';' && text.text[at] != '\n' && text.text[at] != '\r')
        return false;
    while (at < text.length && text.text[at] != '\n')
        at++;
    *next = at + (at < text.length);
    return true;
}

static void write_enter(struct writer *writer, const struct msp430_statement *label)
{
    struct msp430_slice text = writer->program->text;
    size_t next;
    if (rest_is_comment(text, label->end, &next)) {
        copy_until(writer, next);
        if (text.text[next - 1] != '\n')
            fputc('\n', writer->out);
        fprintf(writer->out, "\t.word\t0x%04x\n", enter_word(writer));
    } else {
        copy_until(writer, label->end);
        fprintf(writer->out, "\n\t.word\t0x%04x\n", enter_word(writer));
    }
}

static void write_exit(struct writer *writer, const struct msp430_statement *statement)
{
    const char *text = writer->program->text.text;
    size_t start = statement->start;
    while (start > writer->cursor && (text[start - 1] == ' ' || text[start - 1] == '\t'))
        start--;
    if (start == 0 || text[start - 1] == '\n') {
        copy_until(writer, start);
        fprintf(writer->out, "\t.word\t0x%04x\n", exit_word(writer));
    } else {
        copy_until(writer, statement->start);
        fprintf(writer->out, "\n\t.word\t0x%04x\n\t", exit_word(writer));
    }
}

static void write_branch(struct writer *writer, const struct msp430_statement *statement)
{
    if (statement->conditional_exit)
        fprintf(writer->out, ".word\t0x%04x\n\t", exit_word(writer));
    fprintf(writer->out, "%s\t#%.*s", writer->program->uses_address_instructions ? "bra" : "br",
            (int)statement->operands.length, statement->operands.text);
}

static void write_widened(struct writer *writer, const struct msp430_statement *statement)
{
    const struct msp430_jump *jump = msp430_jump_of(statement);
    copy_until(writer, statement->start);
    if (jump->always) {
        write_branch(writer, statement);
    } else if (jump->inverse != NULL) {
        unsigned skip = writer->skip_count++;
        fprintf(writer->out, "%s\t%s%u\n\t", jump->inverse, writer->skip, skip);
        write_branch(writer, statement);
        fprintf(writer->out, "\n%s%u:", writer->skip, skip);
    } else {
        unsigned take = writer->skip_count++, skip = writer->skip_count++;
        fprintf(writer->out, "%s\t%s%u\n\tjmp\t%s%u\n%s%u:\n\t", jump->name, writer->skip, take,
                writer->skip, skip, writer->skip, take);
        write_branch(writer, statement);
        fprintf(writer->out, "\n%s%u:", writer->skip, skip);
    }
    writer->cursor = statement->end;
}

static void write_statement(struct writer *writer, const struct msp430_statement *statement)
{
    switch (statement->edit) {
    case MSP430_ENTER_AFTER:
        write_enter(writer, statement);
        break;
    case MSP430_EXIT_BEFORE:
        if (!statement->conditional_exit)
            write_exit(writer, statement);
        break;
    case MSP430_ENTER_HERE:
    case MSP430_EXIT_HERE:
        copy_until(writer, statement->start);
        fprintf(writer->out, ".word\t0x%04x",
                statement->edit == MSP430_ENTER_HERE ? enter_word(writer) : exit_word(writer));
        writer->cursor = statement->end;
        break;
    default:
        break;
    }
    if (statement->widened)
        write_widened(writer, statement);
}

static enum sonde_status write_text(struct msp430_program *program)
{
    struct writer writer = {.program = program};
    writer.out = open_memstream(&program->result->text, &program->result->size);
    if (writer.out == NULL)
        return msp430_fail(program, SONDE_ERROR_MEMORY, 0, "out of memory");
    choose_labels(&writer);
    for (size_t i = 0; i < program->count; i++)
        write_statement(&writer, &program->statements[i]);
    copy_until(&writer, program->text.length);
    bool failed = ferror(writer.out) != 0;
    failed |= fclose(writer.out) != 0;
    return failed ? msp430_fail(program, SONDE_ERROR_MEMORY, 0, "out of memory") : SONDE_OK;
}

/* GCC's large model calls and returns with 20-bit addresses. */
static void find_model(struct msp430_program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        struct msp430_slice name = program->statements[i].name;
        if (program->statements[i].kind == MSP430_INSTRUCTION &&
            (msp430_slice_is(name, "reta") || msp430_slice_is(name, "calla") ||
             msp430_slice_is(name, "bra")))
            program->uses_address_instructions = true;
    }
}

static enum sonde_status rewrite(struct msp430_program *program)
{
    enum sonde_status status = msp430_scan(program);
    if (status == SONDE_OK)
        status = msp430_labels_collect(program);
    if (status != SONDE_OK)
        return status;
    for (size_t i = 0; i < program->count; i++)
        msp430_measure(&program->statements[i]);
    find_model(program);
    status = msp430_functions_find(program);
    if (status == SONDE_OK)
        status = msp430_mark(program);
    if (status == SONDE_OK)
        status = msp430_relax(program);
    return status == SONDE_OK ? write_text(program) : status;
}

enum sonde_status sonde_msp430_as(const char *name, const char *text, size_t size,
                                  const struct sonde_msp430_as_options *options,
                                  struct sonde_msp430_as_result *result, struct sonde_error *error)
{
    memset(result, 0, sizeof *result);
    enum sonde_status status = sonde_msp430_markers_check(options->core, options->markers, error);
    if (status != SONDE_OK)
        return status;
    struct msp430_program program = {
        .file = name, .text = {text, size}, .options = options, .result = result, .error = error};
    status = rewrite(&program);
    free(program.statements);
    free(program.sections);
    free(program.functions);
    free(program.labels);
    if (status != SONDE_OK)
        sonde_msp430_as_clear(result);
    return status;
}

void sonde_msp430_as_clear(struct sonde_msp430_as_result *result)
{
    free(result->text);
    free(result->remarks);
    memset(result, 0, sizeof *result);
}
