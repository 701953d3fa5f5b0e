#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "rewrite/msp430/internal.h"

static int compare_names(struct msp430_slice a, struct msp430_slice b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common > 0 ? memcmp(a.text, b.text, common) : 0;
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_labels(const void *a, const void *b)
{
    const struct msp430_label *first = a, *second = b;
    int order = compare_names(first->name, second->name);
    return order != 0
               ? order
               : (first->statement > second->statement) - (first->statement < second->statement);
}

enum sonde_status msp430_labels_collect(struct msp430_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        if (program->statements[i].kind != MSP430_LABEL)
            continue;
        if (base_array_reserve((void **)&program->labels, &program->label_capacity,
                               program->label_count + 1, sizeof *program->labels) != SONDE_OK)
            return msp430_fail(program, SONDE_ERROR_MEMORY, 0, "out of memory");
        program->labels[program->label_count++] =
            (struct msp430_label){program->statements[i].name, i};
    }
    if (program->label_count > 0)
        qsort(program->labels, program->label_count, sizeof *program->labels, compare_labels);
    return SONDE_OK;
}

/* Index of the first label that is not before `key`. */
static size_t lower_bound(const struct msp430_program *program, struct msp430_label key)
{
    size_t low = 0, high = program->label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_labels(&program->labels[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_name(const struct msp430_program *program, size_t index, struct msp430_slice name)
{
    return index < program->label_count && msp430_slice_equal(program->labels[index].name, name);
}

/* 1f or 1b: the next or the last label 1. */
static bool is_numeric(struct msp430_slice name)
{
    if (name.length < 2 || strchr("fbFB", name.text[name.length - 1]) == NULL)
        return false;
    for (size_t i = 0; i + 1 < name.length; i++) {
        if (!isdigit((unsigned char)name.text[i]))
            return false;
    }
    return true;
}

uint32_t msp430_label_find(const struct msp430_program *program, struct msp430_slice name,
                           uint32_t from)
{
    if (name.length >= 2 && name.text[0] == '"' && name.text[name.length - 1] == '"')
        name = (struct msp430_slice){name.text + 1, name.length - 2};
    if (is_numeric(name)) {
        bool forward = (name.text[name.length - 1] | 0x20) == 'f';
        name.length--;
        size_t at = lower_bound(program, (struct msp430_label){name, from});
        if (!forward)
            at = at > 0 ? at - 1 : program->label_count;
        return has_name(program, at, name) ? program->labels[at].statement : MSP430_NONE;
    }
    size_t at = lower_bound(program, (struct msp430_label){name, 0});
    return has_name(program, at, name) ? program->labels[at].statement : MSP430_NONE;
}
