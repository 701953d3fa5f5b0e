#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(struct oracle *oracle, const char *name,
                 const struct sonde_gen_instruction *instruction, const char *ours,
                 const char *theirs, size_t theirs_size)
{
    if (oracle->shown++ >= oracle->show_limit)
        return;
    printf("%s +%u  %016llx %016llx\n  sonde: %s|\n  iga:   %.*s|\n", name, instruction->offset,
           (unsigned long long)(instruction->compacted ? instruction->raw_compacted
                                                       : instruction->raw[0]),
           (unsigned long long)(instruction->compacted ? 0 : instruction->raw[1]), ours,
           (int)theirs_size, theirs);
}

/* The next line that is not a label; moves *text behind it. */
static const char *next_line(const char **text, size_t *size)
{
    while (**text != '\0') {
        const char *line = *text;
        const char *end = strchr(line, '\n');
        *size = end != NULL ? (size_t)(end - line) : strlen(line);
        *text = end != NULL ? end + 1 : line + *size;
        if (*size > 0 && line[0] != 'L')
            return line;
    }
    return NULL;
}

/* libiga64 prints some words that it also reports as errors. */
static bool has_error(struct oracle *oracle, uint32_t offset)
{
    while (oracle->error_count > 0 && oracle->errors->offset < offset) {
        oracle->errors++;
        oracle->error_count--;
    }
    return oracle->error_count > 0 && oracle->errors->offset == offset;
}

static void compare_bytes(struct oracle *oracle, const char *name,
                          const struct sonde_gen_instruction *instruction, const uint8_t *bytes)
{
    uint8_t again[16] = {0};
    struct sonde_error error = {0};
    enum sonde_status status = instruction->compacted
                                   ? sonde_gen_compact(instruction, again, &error)
                                   : sonde_gen_encode(instruction, again, &error);
    if (status == SONDE_OK && memcmp(again, bytes, instruction->size) == 0)
        return;
    oracle->changed++;
    uint64_t words[2];
    memcpy(words, again, sizeof words);
    char text[640];
    snprintf(text, sizeof text, "encodes as %016llx %016llx %s", (unsigned long long)words[0],
             (unsigned long long)words[1], error.message);
    show(oracle, name, instruction, text, "the bytes above", 15);
}

static bool is_listed(const struct oracle *oracle, const struct sonde_gen_instruction *instruction)
{
    uint64_t word[2] = {instruction->raw[0], instruction->raw[1]};
    if (instruction->compacted)
        word[0] = instruction->raw_compacted, word[1] = 0;
    for (size_t i = 0; i < oracle->excuse_count; i++) {
        const struct oracle_excuse *excuse = &oracle->excuses[i];
        if ((word[0] & excuse->mask[0]) == excuse->value[0] &&
            (word[1] & excuse->mask[1]) == excuse->value[1])
            return true;
    }
    return false;
}

/* Listed, and the same text once the bits that libiga64 hides are cleared. */
static bool is_excused(struct oracle *oracle, const struct sonde_gen_instruction *instruction,
                       const char *theirs, size_t theirs_size)
{
    if (!is_listed(oracle, instruction))
        return false;
    enum { SATURATION = 1, MODIFIERS = 2 };
    for (int clear = SATURATION; clear <= (SATURATION | MODIFIERS); clear++) {
        struct sonde_gen_instruction hidden = *instruction;
        if (clear & SATURATION)
            hidden.saturate = false;
        for (size_t i = 0; i < 3 && (clear & MODIFIERS) != 0; i++)
            hidden.src[i].negate = hidden.src[i].absolute = false;
        char text[1024];
        int length = sonde_gen_print(&hidden, NULL, NULL, text, sizeof text);
        if ((size_t)length == theirs_size && memcmp(text, theirs, theirs_size) == 0) {
            oracle->excused++;
            return true;
        }
    }
    return false;
}

static void compare_instruction(struct oracle *oracle, const char *name,
                                const struct sonde_gen_instruction *instruction,
                                const uint8_t *bytes, const char *theirs, size_t theirs_size)
{
    oracle->instructions++;
    char ours[1024];
    int length = sonde_gen_print(instruction, NULL, NULL, ours, sizeof ours);
    bool refused = has_error(oracle, instruction->offset);
    oracle->refused_by_iga += refused;
    oracle->refused_by_us += instruction->illegal;
    if (!instruction->illegal)
        compare_bytes(oracle, name, instruction, bytes);
    if (refused) {
        oracle->accepted_by_us += !instruction->illegal;
        return;
    }
    if ((size_t)length == theirs_size && memcmp(ours, theirs, theirs_size) == 0)
        return;
    if (is_excused(oracle, instruction, theirs, theirs_size))
        return;
    oracle->different++;
    show(oracle, name, instruction, ours, theirs, theirs_size);
}

bool oracle_compare(struct oracle *oracle, const char *name, const uint8_t *code, size_t size)
{
    const char *text = iga_disassemble_any(oracle->iga, code, size);
    oracle->errors = iga_errors(oracle->iga, &oracle->error_count);
    struct sonde_error error = {0};
    size_t offset = 0;
    while (text != NULL && offset < size) {
        struct sonde_gen_instruction instruction;
        if (sonde_gen_decode(oracle->platform, code, size, offset, &instruction, &error) !=
            SONDE_OK) {
            printf("%s: %s\n", name, error.message);
            return false;
        }
        size_t line_size;
        const char *line = next_line(&text, &line_size);
        if (line == NULL)
            break;
        compare_instruction(oracle, name, &instruction, code + offset, line, line_size);
        offset += instruction.size;
    }
    size_t line_size;
    if (text != NULL && offset == size && next_line(&text, &line_size) == NULL)
        return true;
    printf("%s: libiga64 prints a different number of instructions\n", name);
    return false;
}
