/* Finding functions, and where each is entered and left. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "rewrite/msp430/internal.h"

/* .type NAME, @function (or %function, "function", STT_FUNC, as GNU as has
 * it): the label is a function's, or by another type is not. */
static void read_type(struct msp430_program *program, uint32_t index)
{
    struct msp430_slice list = program->statements[index].operands, name, type;
    if (!msp430_slice_next(&list, &name) || !msp430_slice_next(&list, &type) || type.length == 0)
        return;
    uint32_t label = msp430_label_find(program, name, index);
    if (label == MSP430_NONE)
        return;
    if (strchr("@%\"#", type.text[0]) != NULL)
        type = (struct msp430_slice){type.text + 1, type.length - 1};
    if (type.length > 0 && type.text[type.length - 1] == '"')
        type.length--;
    program->statements[label].commented =
        msp430_slice_is(type, "function") || msp430_slice_is(type, "stt_func");
}

static enum sonde_status add_function(struct msp430_program *program, uint32_t label)
{
    if (base_array_reserve((void **)&program->functions, &program->function_capacity,
                           program->function_count + 1, sizeof *program->functions) != SONDE_OK)
        return msp430_fail(program, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct msp430_function *function = &program->functions[program->function_count++];
    *function = (struct msp430_function){.name = program->statements[label].name, .label = label};
    const struct sonde_msp430_as_options *options = program->options;
    for (size_t i = 0; i < options->exclude_count; i++) {
        struct msp430_slice excluded = {options->exclude[i], strlen(options->exclude[i])};
        function->excluded |= msp430_slice_equal(excluded, function->name);
    }
    return SONDE_OK;
}

/* Whether the statement is one that ends function `index`: .size NAME. */
static bool ends_function(const struct msp430_program *program,
                          const struct msp430_statement *statement, uint32_t index)
{
    struct msp430_slice list = statement->operands, name;
    return statement->kind == MSP430_DIRECTIVE && msp430_slice_is(statement->name, ".size") &&
           msp430_slice_next(&list, &name) &&
           msp430_slice_equal(name, program->functions[index].name);
}

static bool mentions(struct msp430_slice slice, const char *word)
{
    return slice.length > 0 && memmem(slice.text, slice.length, word, strlen(word)) != NULL;
}

static void note_statement(struct msp430_function *function,
                           const struct msp430_statement *statement)
{
    if (statement->kind == MSP430_NAKED)
        function->naked = true;
    if (statement->kind == MSP430_INSTRUCTION) {
        function->has_code = true;
        function->has_plain_code |= !statement->inline_assembly;
        function->uses_table |= mentions(statement->operands, ".LJTI");
    }
    function->marked_by_hand |=
        statement->kind == MSP430_DIRECTIVE && msp430_slice_begins(statement->name, ".profile_e");
}

static enum sonde_status assign_functions(struct msp430_program *program, uint32_t *current)
{
    for (uint32_t i = 0; i < program->count; i++) {
        struct msp430_statement *statement = &program->statements[i];
        uint32_t *open = &current[statement->section];
        if (statement->kind == MSP430_LABEL && statement->commented) {
            enum sonde_status status = add_function(program, i);
            if (status != SONDE_OK)
                return status;
            *open = (uint32_t)program->function_count - 1;
        }
        statement->function = *open;
        if (*open == MSP430_NONE)
            continue;
        note_statement(&program->functions[*open], statement);
        if (ends_function(program, statement, *open))
            *open = MSP430_NONE;
    }
    return SONDE_OK;
}

enum sonde_status msp430_functions_find(struct msp430_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        if (program->statements[i].kind == MSP430_DIRECTIVE &&
            msp430_slice_is(program->statements[i].name, ".type"))
            read_type(program, i);
    }
    uint32_t *current = malloc(program->section_count * sizeof *current);
    if (current == NULL)
        return msp430_fail(program, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < program->section_count; i++)
        current[i] = MSP430_NONE;
    enum sonde_status status = assign_functions(program, current);
    free(current);
    program->result->function_count = program->function_count;
    return status;
}

/* --- exits ---------------------------------------------------------------------- */

enum exit_kind { EXIT_NONE, EXIT_ALWAYS, EXIT_CONDITIONAL, EXIT_COMPUTED };

/* Whether a branch of statement `from` to `target` leaves its function: to
 * another one, to a symbol that the file does not define, or to the function's
 * own start, where the entry marker counts it anew. */
static bool leaves(const struct msp430_program *program, struct msp430_slice target, uint32_t from)
{
    const struct msp430_statement *statement = &program->statements[from];
    uint32_t label = msp430_label_find(program, target, from);
    if (label != MSP430_NONE)
        return program->statements[label].function != statement->function ||
               (statement->function != MSP430_NONE &&
                program->functions[statement->function].label == label);
    int64_t number;
    if (msp430_slice_number(target, &number))
        return msp430_jump_of(statement) == NULL; /* a jump's number is a distance */
    for (size_t i = 0; i < target.length; i++) {
        if (!msp430_is_symbol_character(target.text[i]))
            return false;
    }
    return target.length > 0 && !msp430_slice_begins(target, ".l") && target.text[0] != '$' &&
           !msp430_slice_is(target, ".");
}

/* Without the width: mov.w is mov, and the x of an extended one. */
static struct msp430_slice plain_name(struct msp430_slice name)
{
    if (name.length > 2 && name.text[name.length - 2] == '.')
        name.length -= 2;
    if (msp430_slice_is(name, "movx") || msp430_slice_is(name, "mova") ||
        msp430_slice_is(name, "popx") || msp430_slice_is(name, "popa"))
        name.length--;
    return msp430_slice_is(name, "bra") ? (struct msp430_slice){"br", 2} : name;
}

static enum exit_kind exit_of_branch(const struct msp430_program *program,
                                     struct msp430_slice source, uint32_t index)
{
    if (source.length > 1 && source.text[0] == '@' && source.text[source.length - 1] == '+' &&
        msp430_register((struct msp430_slice){source.text + 1, source.length - 2}) == 1)
        return EXIT_ALWAYS;
    if (source.length == 0 || source.text[0] != '#')
        return EXIT_COMPUTED;
    source = msp430_slice_trim((struct msp430_slice){source.text + 1, source.length - 1});
    return leaves(program, source, index) ? EXIT_ALWAYS : EXIT_NONE;
}

static enum exit_kind exit_of(const struct msp430_program *program, uint32_t index)
{
    const struct msp430_statement *statement = &program->statements[index];
    const struct msp430_jump *jump = msp430_jump_of(statement);
    if (jump != NULL && !leaves(program, statement->operands, index))
        return EXIT_NONE;
    if (jump != NULL)
        return jump->always ? EXIT_ALWAYS : EXIT_CONDITIONAL;
    if (msp430_slice_is(statement->name, "ret") || msp430_slice_is(statement->name, "reti") ||
        msp430_slice_is(statement->name, "reta"))
        return EXIT_ALWAYS;
    struct msp430_slice name = plain_name(statement->name), list = statement->operands;
    struct msp430_slice first = {NULL, 0}, second = {NULL, 0};
    if (msp430_slice_next(&list, &first))
        msp430_slice_next(&list, &second);
    if (msp430_slice_is(name, "pop"))
        return msp430_register(first) == 0 ? EXIT_ALWAYS : EXIT_NONE;
    if (msp430_slice_is(name, "br"))
        return exit_of_branch(program, first, index);
    if (msp430_slice_is(name, "mov") && msp430_register(second) == 0)
        return exit_of_branch(program, first, index);
    return EXIT_NONE;
}

static enum sonde_status mark_exit(struct msp430_program *program, uint32_t index)
{
    struct msp430_statement *statement = &program->statements[index];
    enum exit_kind kind = exit_of(program, index);
    struct msp430_slice mnemonic = statement->name;
    if (statement->function == MSP430_NONE) {
        if (kind != EXIT_ALWAYS || msp430_jump_of(statement) != NULL)
            return SONDE_OK;
        return msp430_remark(program, SONDE_MSP430_AS_UNMARKED, statement->line,
                             "'%.*s' is in no function; give the label a .type NAME,@function",
                             (int)mnemonic.length, mnemonic.text);
    }
    const struct msp430_function *function = &program->functions[statement->function];
    if (kind == EXIT_COMPUTED && !function->uses_table)
        return msp430_remark(program, SONDE_MSP430_AS_UNCERTAIN, statement->line,
                             "the target of '%.*s' is computed; taken to stay in function %.*s",
                             (int)mnemonic.length, mnemonic.text,
                             (int)(function->name.length < 60 ? function->name.length : 60),
                             function->name.text);
    if (kind == EXIT_CONDITIONAL && statement->repeated)
        return msp430_fail(program, SONDE_ERROR_UNSUPPORTED, statement->line,
                           "a conditional jump out of the function cannot be marked inside .rept");
    if (kind == EXIT_ALWAYS || kind == EXIT_CONDITIONAL) {
        statement->edit = MSP430_EXIT_BEFORE;
        statement->conditional_exit = statement->widened = kind == EXIT_CONDITIONAL;
    }
    return SONDE_OK;
}

/* --- functions ------------------------------------------------------------------- */

/* Another function's label at the same address: that one gets the marker. */
static bool shares_address(const struct msp430_program *program, uint32_t label)
{
    for (uint32_t i = label + 1; i < program->count; i++) {
        const struct msp430_statement *next = &program->statements[i];
        if (next->section != program->statements[label].section)
            return false;
        if (next->kind == MSP430_LABEL)
            return next->commented;
        if (next->kind == MSP430_INSTRUCTION || next->size > 0 || next->unknown ||
            next->alignment > 0)
            return false;
    }
    return false;
}

static enum sonde_status mark_function(struct msp430_program *program,
                                       const struct msp430_function *function)
{
    const char *why = NULL;
    uint32_t line = program->statements[function->label].line;
    if (shares_address(program, function->label))
        return SONDE_OK;
    if (function->excluded)
        why = "excluded";
    else if (function->naked || (function->has_code && !function->has_plain_code))
        why = "it is naked";
    else if (function->marked_by_hand)
        why = "it has .profile_enter or .profile_exit of its own";
    else if (!function->has_code)
        why = "it has no instructions";
    if (why != NULL)
        return msp430_remark(program, SONDE_MSP430_AS_UNMARKED, line,
                             "function %.*s stays unmarked: %s",
                             (int)(function->name.length < 60 ? function->name.length : 60),
                             function->name.text, why);
    program->statements[function->label].edit = MSP430_ENTER_AFTER;
    return SONDE_OK;
}

static enum sonde_status mark_all(struct msp430_program *program)
{
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < program->function_count && status == SONDE_OK; i++)
        status = mark_function(program, &program->functions[i]);
    for (uint32_t i = 0; i < program->count && status == SONDE_OK; i++) {
        const struct msp430_statement *statement = &program->statements[i];
        if (statement->kind != MSP430_INSTRUCTION)
            continue;
        if (statement->function == MSP430_NONE ||
            program->statements[program->functions[statement->function].label].edit ==
                MSP430_ENTER_AFTER)
            status = mark_exit(program, i);
    }
    return status;
}

static enum sonde_status check_exclude(struct msp430_program *program)
{
    const struct sonde_msp430_as_options *options = program->options;
    for (size_t i = 0; i < options->exclude_count; i++) {
        struct msp430_slice name = {options->exclude[i], strlen(options->exclude[i])};
        bool found = false;
        for (size_t f = 0; f < program->function_count && !found; f++)
            found = msp430_slice_equal(program->functions[f].name, name);
        if (!found) {
            enum sonde_status status = msp430_remark(
                program, SONDE_MSP430_AS_UNCERTAIN, 0,
                "no function is named '%.60s', which is to be excluded", options->exclude[i]);
            if (status != SONDE_OK)
                return status;
        }
    }
    return SONDE_OK;
}

enum sonde_status msp430_mark(struct msp430_program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        struct msp430_statement *statement = &program->statements[i];
        if (statement->kind != MSP430_DIRECTIVE ||
            !msp430_slice_begins(statement->name, ".profile_e"))
            continue;
        bool enter = msp430_slice_is(statement->name, ".profile_enter");
        if (!enter && !msp430_slice_is(statement->name, ".profile_exit"))
            return msp430_fail(program, SONDE_ERROR_FORMAT, statement->line,
                               "'%.*s' is unknown; did you mean .profile_enter or .profile_exit?",
                               (int)(statement->name.length < 60 ? statement->name.length : 60),
                               statement->name.text);
        if (statement->operands.length > 0)
            return msp430_fail(program, SONDE_ERROR_FORMAT, statement->line,
                               "%s takes no operand; -mpge and -mpgx choose the words",
                               enter ? ".profile_enter" : ".profile_exit");
        statement->edit = enter ? MSP430_ENTER_HERE : MSP430_EXIT_HERE;
    }
    if (!program->options->automatic)
        return SONDE_OK;
    enum sonde_status status = check_exclude(program);
    return status == SONDE_OK ? mark_all(program) : status;
}
