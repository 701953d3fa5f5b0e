/* Lines of text into statements. Comments: ';' and '//' to the end of the
 * line, '#' as the first thing of a line, and between slash-star and
 * star-slash. '{' separates statements, as GNU as has it for MSP430. */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "rewrite/msp430/internal.h"

struct scanner {
    struct msp430_program *program;
    size_t at;
    uint32_t line;
    uint32_t section, previous_section;
    uint32_t section_stack[64];
    size_t section_depth;
    uint32_t repeat_depth, macro_depth;
    bool inline_assembly;
    bool line_begins;
};

static bool at_text(const struct scanner *scanner, const char *text)
{
    size_t length = strlen(text);
    return scanner->program->text.length - scanner->at >= length &&
           memcmp(scanner->program->text.text + scanner->at, text, length) == 0;
}

static bool at_end_of_line(const struct scanner *scanner)
{
    return scanner->at >= scanner->program->text.length ||
           scanner->program->text.text[scanner->at] == '\n';
}

static struct msp430_statement *
add_statement(struct scanner *scanner, enum msp430_statement_kind kind, size_t start, size_t end)
{
    struct msp430_program *program = scanner->program;
    if (program->count >= UINT32_MAX - 1 ||
        base_array_reserve((void **)&program->statements, &program->capacity, program->count + 1,
                           sizeof *program->statements) != SONDE_OK)
        return NULL;
    struct msp430_statement *statement = &program->statements[program->count++];
    *statement = (struct msp430_statement){.start = start,
                                           .end = end,
                                           .line = scanner->line,
                                           .kind = (uint8_t)kind,
                                           .inline_assembly = scanner->inline_assembly,
                                           .repeated = scanner->repeat_depth > 0,
                                           .section = scanner->section,
                                           .function = MSP430_NONE,
                                           .target = MSP430_NONE};
    return statement;
}

static enum sonde_status out_of_memory(struct scanner *scanner)
{
    return msp430_fail(scanner->program, SONDE_ERROR_MEMORY, 0, "out of memory");
}

/* What compilers say in comments: where inline assembly begins and ends, and
 * which functions are naked (GCC). */
static enum sonde_status read_comment(struct scanner *scanner, size_t start, size_t end)
{
    struct msp430_slice comment = {scanner->program->text.text + start, end - start};
    comment = msp430_slice_trim(comment);
    if (msp430_slice_is(comment, "app"))
        scanner->inline_assembly = true;
    else if (msp430_slice_is(comment, "no_app"))
        scanner->inline_assembly = false;
    struct msp430_slice word = {comment.text, 0};
    if (!msp430_slice_begins(comment, "attributes:"))
        return SONDE_OK;
    for (size_t i = 0; i <= comment.length; i++) {
        if (i < comment.length && !isspace((unsigned char)comment.text[i])) {
            word.length++;
            continue;
        }
        if (msp430_slice_is(word, "naked") &&
            add_statement(scanner, MSP430_NAKED, start, start) == NULL)
            return out_of_memory(scanner);
        word = (struct msp430_slice){comment.text + i + 1, 0};
    }
    return SONDE_OK;
}

/* clang: "name:   ; @name". */
static void read_label_comment(struct scanner *scanner, size_t start, size_t end)
{
    struct msp430_program *program = scanner->program;
    struct msp430_slice comment = {program->text.text + start, end - start};
    comment = msp430_slice_trim(comment);
    if (program->count == 0 || comment.length < 2 || comment.text[0] != '@')
        return;
    struct msp430_statement *last = &program->statements[program->count - 1];
    comment = (struct msp430_slice){comment.text + 1, comment.length - 1};
    if (last->kind == MSP430_LABEL && last->line == scanner->line &&
        msp430_slice_equal(comment, last->name))
        last->commented = true;
}

static enum sonde_status skip_line_comment(struct scanner *scanner, size_t marker)
{
    size_t start = scanner->at + marker;
    while (!at_end_of_line(scanner))
        scanner->at++;
    if (start > scanner->at)
        start = scanner->at;
    read_label_comment(scanner, start, scanner->at);
    return read_comment(scanner, start, scanner->at);
}

static enum sonde_status skip_block_comment(struct scanner *scanner)
{
    uint32_t first = scanner->line;
    for (scanner->at += 2; !at_text(scanner, "*/"); scanner->at++) {
        if (scanner->at >= scanner->program->text.length)
            return msp430_fail(scanner->program, SONDE_ERROR_FORMAT, first,
                               "the comment that begins here does not end");
        scanner->line += scanner->program->text.text[scanner->at] == '\n';
    }
    scanner->at += 2;
    return SONDE_OK;
}

/* --- sections ---------------------------------------------------------------- */

static enum sonde_status enter_section(struct scanner *scanner, struct msp430_slice name)
{
    struct msp430_program *program = scanner->program;
    if (name.length >= 2 && name.text[0] == '"')
        name = (struct msp430_slice){name.text + 1, name.length - 2};
    scanner->previous_section = scanner->section;
    for (size_t i = 0; i < program->section_count; i++) {
        if (msp430_slice_equal(program->sections[i], name)) {
            scanner->section = (uint32_t)i;
            return SONDE_OK;
        }
    }
    if (base_array_reserve((void **)&program->sections, &program->section_capacity,
                           program->section_count + 1, sizeof *program->sections) != SONDE_OK)
        return out_of_memory(scanner);
    program->sections[program->section_count] = name;
    scanner->section = (uint32_t)program->section_count++;
    return SONDE_OK;
}

static enum sonde_status follow_section(struct scanner *scanner,
                                        const struct msp430_statement *statement)
{
    struct msp430_slice name = statement->name, list = statement->operands, item = {NULL, 0};
    uint32_t current = scanner->section;
    if (msp430_slice_is(name, ".text") || msp430_slice_is(name, ".data") ||
        msp430_slice_is(name, ".bss"))
        return enter_section(scanner, name);
    if (msp430_slice_is(name, ".section") || msp430_slice_is(name, ".pushsection")) {
        if (!msp430_slice_next(&list, &item) || item.length == 0)
            return msp430_fail(scanner->program, SONDE_ERROR_FORMAT, scanner->line,
                               "%.*s needs the name of a section", (int)name.length, name.text);
        if (msp430_slice_is(name, ".pushsection")) {
            if (scanner->section_depth == sizeof scanner->section_stack / sizeof(uint32_t))
                return msp430_fail(scanner->program, SONDE_ERROR_UNSUPPORTED, scanner->line,
                                   ".pushsection is nested too deep");
            scanner->section_stack[scanner->section_depth++] = current;
        }
        return enter_section(scanner, item);
    }
    if (msp430_slice_is(name, ".popsection")) {
        if (scanner->section_depth == 0)
            return msp430_fail(scanner->program, SONDE_ERROR_FORMAT, scanner->line,
                               ".popsection without .pushsection");
        scanner->previous_section = current;
        scanner->section = scanner->section_stack[--scanner->section_depth];
    } else if (msp430_slice_is(name, ".previous")) {
        scanner->section = scanner->previous_section;
        scanner->previous_section = current;
    }
    return SONDE_OK;
}

/* --- statements --------------------------------------------------------------- */

static void follow_repetition(struct scanner *scanner, struct msp430_slice name)
{
    if (msp430_slice_is(name, ".rept") || msp430_slice_is(name, ".irp") ||
        msp430_slice_is(name, ".irpc"))
        scanner->repeat_depth++;
    else if (msp430_slice_is(name, ".endr") && scanner->repeat_depth > 0)
        scanner->repeat_depth--;
    else if (msp430_slice_is(name, ".macro"))
        scanner->macro_depth++;
}

/* In the body of a macro only its end is looked for: what it emits is known
 * where it is used. */
static bool in_macro(struct scanner *scanner, struct msp430_slice name)
{
    if (scanner->macro_depth == 0)
        return false;
    if (msp430_slice_is(name, ".endm") || msp430_slice_is(name, ".endmacro"))
        scanner->macro_depth--;
    else if (msp430_slice_is(name, ".macro"))
        scanner->macro_depth++;
    return true;
}

/* End of the statement that begins at scanner->at; *trimmed is without the
 * blanks before what follows. */
static size_t find_end(const struct scanner *scanner, size_t *trimmed)
{
    struct msp430_slice text = scanner->program->text;
    size_t at = scanner->at;
    while (at < text.length && text.text[at] != '\n' && text.text[at] != ';' &&
           text.text[at] != '{' &&
           !(text.text[at] == '/' && at + 1 < text.length &&
             (text.text[at + 1] == '/' || text.text[at + 1] == '*'))) {
        if (text.text[at] == '"' || text.text[at] == '\'')
            at = msp430_skip_quoted(text, at);
        else
            at++;
    }
    *trimmed = at;
    while (*trimmed > scanner->at && isspace((unsigned char)text.text[*trimmed - 1]))
        --*trimmed;
    return at;
}

static enum sonde_status read_operation(struct scanner *scanner)
{
    struct msp430_slice text = scanner->program->text;
    size_t trimmed, start = scanner->at, name_end = start;
    size_t end = find_end(scanner, &trimmed);
    while (name_end < trimmed && !isspace((unsigned char)text.text[name_end]) &&
           text.text[name_end] != '=')
        name_end++;
    struct msp430_slice name = {text.text + start, name_end - start};
    scanner->at = end;
    if (in_macro(scanner, name))
        return SONDE_OK;
    struct msp430_slice operands =
        msp430_slice_trim((struct msp430_slice){text.text + name_end, trimmed - name_end});
    bool assigns = operands.length > 0 && operands.text[0] == '=';
    struct msp430_statement *statement = add_statement(
        scanner,
        name.length > 0 && name.text[0] != '.' && !assigns ? MSP430_INSTRUCTION : MSP430_DIRECTIVE,
        start, trimmed);
    if (statement == NULL)
        return out_of_memory(scanner);
    statement->name = assigns ? (struct msp430_slice){".set", 4} : name;
    statement->operands = operands;
    follow_repetition(scanner, name);
    return follow_section(scanner, statement);
}

/* Length of "name:" at the scanner, without the colon; 0 when there is none. */
static size_t label_length(const struct scanner *scanner, size_t *with_colon)
{
    struct msp430_slice text = scanner->program->text;
    size_t at = scanner->at;
    if (text.text[at] == '"') {
        at = msp430_skip_quoted(text, at);
    } else {
        while (at < text.length && msp430_is_symbol_character(text.text[at]))
            at++;
    }
    size_t length = at - scanner->at;
    while (at < text.length && (text.text[at] == ' ' || text.text[at] == '\t'))
        at++;
    if (at >= text.length || text.text[at] != ':')
        return 0;
    *with_colon = at + 1 - scanner->at;
    return length;
}

static enum sonde_status read_statement(struct scanner *scanner)
{
    size_t whole, length = label_length(scanner, &whole);
    if (length == 0)
        return read_operation(scanner);
    if (scanner->macro_depth == 0) {
        struct msp430_statement *statement =
            add_statement(scanner, MSP430_LABEL, scanner->at, scanner->at + whole);
        if (statement == NULL)
            return out_of_memory(scanner);
        statement->name = (struct msp430_slice){scanner->program->text.text + scanner->at, length};
        if (length >= 2 && statement->name.text[0] == '"')
            statement->name = (struct msp430_slice){statement->name.text + 1, length - 2};
    }
    scanner->at += whole;
    return SONDE_OK;
}

static enum sonde_status scan_next(struct scanner *scanner)
{
    char c = scanner->program->text.text[scanner->at];
    if (c == '\n') {
        scanner->line++;
        scanner->at++;
        scanner->line_begins = true;
        return SONDE_OK;
    }
    if (isspace((unsigned char)c) || c == '{') {
        scanner->at++;
        return SONDE_OK;
    }
    if (c == ';' || (c == '#' && scanner->line_begins))
        return skip_line_comment(scanner, 1);
    if (at_text(scanner, "//"))
        return skip_line_comment(scanner, 2);
    if (at_text(scanner, "/*"))
        return skip_block_comment(scanner);
    scanner->line_begins = false;
    size_t before = scanner->at;
    enum sonde_status status = read_statement(scanner);
    scanner->at += status == SONDE_OK && scanner->at == before;
    return status;
}

enum sonde_status msp430_scan(struct msp430_program *program)
{
    struct scanner scanner = {.program = program, .line = 1, .line_begins = true};
    enum sonde_status status = enter_section(&scanner, (struct msp430_slice){".text", 5});
    while (status == SONDE_OK && scanner.at < program->text.length)
        status = scan_next(&scanner);
    if (status == SONDE_OK && scanner.macro_depth > 0)
        return msp430_fail(program, SONDE_ERROR_FORMAT, scanner.line, ".macro without .endm");
    return status;
}
