/* Layout with the markers in place, and widening of jumps that no longer
 * reach. Sizes only grow, so that the repetition ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/msp430/internal.h"

enum { JUMP_BACK = -1024, JUMP_AHEAD = 1022, MARKER = 2 };

struct position {
    uint64_t offset;
    uint32_t unknown;
    bool inexact, edited;
};

static uint64_t padding(const struct position *position, uint32_t alignment)
{
    if (position->inexact)
        return alignment - 1;
    uint64_t past = position->offset % alignment;
    return past == 0 ? 0 : alignment - past;
}

static void place(struct msp430_statement *statement, struct position *position)
{
    const struct msp430_jump *jump = msp430_jump_of(statement);
    uint64_t size = statement->size;
    if (statement->alignment > 0)
        position->offset += padding(position, statement->alignment);
    if (statement->edit == MSP430_EXIT_BEFORE && !statement->conditional_exit)
        position->offset += MARKER;
    statement->offset = position->offset;
    statement->unknown_before = position->unknown;
    if (statement->widened && jump != NULL)
        size = msp430_jump_widened_size(jump) + (statement->conditional_exit ? MARKER : 0);
    if (statement->edit == MSP430_ENTER_AFTER)
        size += MARKER;
    position->offset += size;
    position->unknown += statement->unknown;
    position->inexact |= statement->inexact || statement->unknown;
    position->edited |= statement->widened || statement->edit == MSP430_ENTER_AFTER ||
                        statement->edit == MSP430_EXIT_BEFORE;
}

static bool reaches(const struct msp430_program *program, const struct msp430_statement *jump)
{
    const struct msp430_statement *target = &program->statements[jump->target];
    int64_t distance = (int64_t)target->offset - (int64_t)(jump->offset + 2);
    return distance >= JUMP_BACK && distance <= JUMP_AHEAD;
}

static void resolve_jumps(struct msp430_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        struct msp430_statement *statement = &program->statements[i];
        if (msp430_jump_of(statement) == NULL)
            continue;
        uint32_t target = msp430_label_find(program, statement->operands, i);
        if (target != MSP430_NONE && program->statements[target].section == statement->section)
            statement->target = target;
    }
}

/* One round; whether any jump was widened. */
static bool widen(struct msp430_program *program, struct position *positions)
{
    bool changed = false;
    memset(positions, 0, program->section_count * sizeof *positions);
    for (size_t i = 0; i < program->count; i++)
        place(&program->statements[i], &positions[program->statements[i].section]);
    for (size_t i = 0; i < program->count; i++) {
        struct msp430_statement *statement = &program->statements[i];
        if (statement->target == MSP430_NONE || statement->widened || statement->repeated ||
            statement->unknown_before != program->statements[statement->target].unknown_before ||
            reaches(program, statement))
            continue;
        statement->widened = changed = true;
    }
    return changed;
}

static enum sonde_status report(struct msp430_program *program)
{
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < program->count && status == SONDE_OK; i++) {
        const struct msp430_statement *statement = &program->statements[i];
        struct msp430_slice target = statement->operands;
        target.length = target.length < 60 ? target.length : 60;
        if (statement->widened) {
            program->result->widened_count++;
            status = msp430_remark(
                program, SONDE_MSP430_AS_WIDENED, statement->line, "'%.*s %.*s' becomes a branch%s",
                (int)statement->name.length, statement->name.text, (int)target.length, target.text,
                statement->conditional_exit ? " with an exit marker: it leaves the function"
                                            : ": its target is out of a jump's reach");
        } else if (statement->target != MSP430_NONE && !reaches(program, statement)) {
            status = msp430_remark(program, SONDE_MSP430_AS_UNCERTAIN, statement->line,
                                   "'%.*s %.*s' may not reach across statements of unknown size",
                                   (int)statement->name.length, statement->name.text,
                                   (int)target.length, target.text);
        }
    }
    return status;
}

/* --- distances written as numbers -------------------------------------------------- */

static bool is_edited(const struct msp430_statement *statement)
{
    return statement->widened || statement->edit == MSP430_ENTER_AFTER ||
           statement->edit == MSP430_EXIT_BEFORE;
}

/* Whether anything was inserted up to `reach` bytes from statement `from`. */
static bool edited_within(const struct msp430_program *program, uint32_t from, bool ahead,
                          uint64_t reach)
{
    uint64_t passed = 0;
    for (uint32_t i = from; i < program->count && passed <= reach; i = ahead ? i + 1 : i - 1) {
        const struct msp430_statement *statement = &program->statements[i];
        if (statement->section == program->statements[from].section) {
            bool before_itself =
                i == from && ahead && statement->edit == MSP430_EXIT_BEFORE && !statement->widened;
            if (is_edited(statement) && !before_itself)
                return true;
            passed += statement->size;
        }
        if (i == 0 && !ahead)
            break;
    }
    return false;
}

/* `text` begins behind a symbol or $ that stands for statement `from`: refuse
 * when it goes on with a distance across something inserted. */
static enum sonde_status check_distance(struct msp430_program *program,
                                        const struct msp430_statement *user, uint32_t from,
                                        struct msp430_slice text, const struct position *positions)
{
    text = msp430_slice_trim(text);
    if (from == MSP430_NONE || !positions[program->statements[from].section].edited ||
        text.length < 2 || (text.text[0] != '+' && text.text[0] != '-'))
        return SONDE_OK;
    bool ahead = text.text[0] == '+';
    text = msp430_slice_trim((struct msp430_slice){text.text + 1, text.length - 1});
    size_t digits = 0;
    while (digits < text.length && msp430_is_symbol_character(text.text[digits]))
        digits++;
    int64_t number;
    if (!msp430_slice_number((struct msp430_slice){text.text, digits}, &number))
        return SONDE_OK;
    /* LLVM takes the number of a jump as words, GNU as as bytes. */
    uint64_t reach = (uint64_t)number * (msp430_jump_of(user) != NULL ? 2 : 1) + 2;
    if (number > 0 && edited_within(program, from, ahead, reach))
        return msp430_fail(program, SONDE_ERROR_UNSUPPORTED, user->line,
                           "a distance given as a number (%c%lld) crosses an inserted marker or a "
                           "widened jump; use a label or exclude the function",
                           ahead ? '+' : '-', (long long)number);
    return SONDE_OK;
}

static enum sonde_status check_operands(struct msp430_program *program, uint32_t index,
                                        const struct position *positions)
{
    const struct msp430_statement *statement = &program->statements[index];
    struct msp430_slice text = statement->operands;
    int64_t number;
    if (msp430_jump_of(statement) != NULL && msp430_slice_number(text, &number)) {
        char distance[32];
        int length = snprintf(distance, sizeof distance, "%+lld", (long long)number);
        return check_distance(program, statement, index,
                              (struct msp430_slice){distance, (size_t)length}, positions);
    }
    for (size_t at = 0, end; at < text.length; at = end) {
        end = at + 1;
        if (text.text[at] == '"' || text.text[at] == '\'') {
            end = msp430_skip_quoted(text, at);
            continue;
        }
        if (!msp430_is_symbol_character(text.text[at]))
            continue;
        while (end < text.length && msp430_is_symbol_character(text.text[end]))
            end++;
        struct msp430_slice symbol = {text.text + at, end - at};
        struct msp430_slice rest = {text.text + end, text.length - end};
        uint32_t from = msp430_slice_is(symbol, "$") || msp430_slice_is(symbol, ".")
                            ? index
                            : msp430_label_find(program, symbol, index);
        enum sonde_status status = check_distance(program, statement, from, rest, positions);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

static enum sonde_status check_distances(struct msp430_program *program,
                                         const struct position *positions)
{
    enum sonde_status status = SONDE_OK;
    for (uint32_t i = 0; i < program->count && status == SONDE_OK; i++) {
        if (program->statements[i].kind == MSP430_INSTRUCTION ||
            (program->statements[i].kind == MSP430_DIRECTIVE && program->statements[i].size > 0))
            status = check_operands(program, i, positions);
    }
    return status;
}

enum sonde_status msp430_relax(struct msp430_program *program)
{
    struct position *positions = malloc(program->section_count * sizeof *positions);
    if (positions == NULL)
        return msp430_fail(program, SONDE_ERROR_MEMORY, 0, "out of memory");
    resolve_jumps(program);
    while (widen(program, positions))
        ;
    enum sonde_status status = check_distances(program, positions);
    free(positions);
    return status == SONDE_OK ? report(program) : status;
}
