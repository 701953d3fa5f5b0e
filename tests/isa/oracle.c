#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXCUSES_MAXIMUM = 128 };

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

static const struct oracle_excuse *find_excuse(const struct oracle *oracle,
                                               const struct sonde_gen_instruction *instruction,
                                               enum oracle_excuse_kind kind, const char *error)
{
    uint64_t word[2] = {instruction->raw[0], instruction->raw[1]};
    if (instruction->compacted)
        word[0] = instruction->raw_compacted, word[1] = 0;
    for (size_t i = 0; i < oracle->excuse_count; i++) {
        const struct oracle_excuse *excuse = &oracle->excuses[i];
        if (excuse->kind == kind && (excuse->platforms >> oracle->platform & 1) != 0 &&
            (word[0] & excuse->mask[0]) == excuse->value[0] &&
            (word[1] & excuse->mask[1]) == excuse->value[1] &&
            (error == NULL || strstr(error, excuse->error) != NULL))
            return excuse;
    }
    return NULL;
}

/* The same text once some of what libiga64 hides is cleared. */
static bool is_hidden(const struct sonde_gen_instruction *instruction, const char *theirs,
                      size_t theirs_size)
{
    enum { SATURATION = 1, MODIFIERS = 2, CONDITION = 4, PREDICATE = 8, ALL = 15 };
    for (int clear = SATURATION; clear <= ALL; clear++) {
        struct sonde_gen_instruction hidden = *instruction;
        if (clear & SATURATION)
            hidden.saturate = false;
        for (size_t i = 0; i < 3 && (clear & MODIFIERS) != 0; i++)
            hidden.src[i].negate = hidden.src[i].absolute = false;
        if (clear & CONDITION)
            hidden.condition = SONDE_GEN_CONDITION_NONE;
        if (clear & PREDICATE)
            hidden.predicate = SONDE_GEN_PREDICATE_NONE;
        char text[1024];
        int length = sonde_gen_print(&hidden, NULL, NULL, text, sizeof text);
        if ((size_t)length == theirs_size && memcmp(text, theirs, theirs_size) == 0)
            return true;
    }
    return false;
}

/* The same up to the description of the message: "...rd:4; description". */
static bool differs_in_description(const char *ours, const char *theirs, size_t theirs_size)
{
    const char *description = strstr(ours, "; ");
    size_t length = description != NULL ? (size_t)(description - ours) + 2 : 0;
    return length > 0 && length <= theirs_size && memcmp(ours, theirs, length) == 0;
}

static bool is_excused(struct oracle *oracle, const struct sonde_gen_instruction *instruction,
                       const char *ours, const char *theirs, size_t theirs_size)
{
    bool excused = (find_excuse(oracle, instruction, ORACLE_HIDDEN, NULL) != NULL &&
                    is_hidden(instruction, theirs, theirs_size)) ||
                   (find_excuse(oracle, instruction, ORACLE_DESCRIPTION, NULL) != NULL &&
                    differs_in_description(ours, theirs, theirs_size));
    oracle->excused += excused;
    return excused;
}

/* A word that libiga64 refuses and we decode. */
static void compare_refused(struct oracle *oracle, const char *name,
                            const struct sonde_gen_instruction *instruction, const char *ours)
{
    const char *error = oracle->errors->message;
    if (find_excuse(oracle, instruction, ORACLE_REFUSED, error) != NULL) {
        oracle->excused++;
        return;
    }
    oracle->accepted_by_us++;
    show(oracle, name, instruction, ours, error, strlen(error));
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
        if (!instruction->illegal)
            compare_refused(oracle, name, instruction, ours);
        return;
    }
    if ((size_t)length == theirs_size && memcmp(ours, theirs, theirs_size) == 0)
        return;
    if (is_excused(oracle, instruction, ours, theirs, theirs_size))
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

static uint32_t read_platforms(char *names)
{
    uint32_t platforms = 0;
    for (char *state, *name = strtok_r(names, ",", &state); name != NULL;
         name = strtok_r(NULL, ",", &state)) {
        enum sonde_gen_platform platform;
        if (strcmp(name, "all") == 0)
            platforms |= UINT32_MAX;
        else if (sonde_gen_platform_from_name(name, &platform) == SONDE_OK)
            platforms |= UINT32_C(1) << platform;
    }
    return platforms;
}

/* A line of the list, whose head says what stands in it. */
static bool read_excuse(const char *line, struct oracle_excuse *excuse)
{
    static const char *const kinds[ORACLE_EXCUSE_KINDS] = {"hidden", "description", "refused"};
    char platforms[64], kind[16];
    unsigned long long f[4];
    int end = 0;
    if (sscanf(line, "%63s %15s %llx %llx %llx %llx %n", platforms, kind, &f[0], &f[1], &f[2],
               &f[3], &end) != 6)
        return false;
    *excuse = (struct oracle_excuse){.platforms = read_platforms(platforms),
                                     .kind = ORACLE_EXCUSE_KINDS,
                                     .mask = {f[0], f[2]},
                                     .value = {f[1], f[3]}};
    for (int n = 0; n < ORACLE_EXCUSE_KINDS; n++) {
        if (strcmp(kind, kinds[n]) == 0)
            excuse->kind = (enum oracle_excuse_kind)n;
    }
    if (excuse->kind == ORACLE_REFUSED && sscanf(line + end, "\"%63[^\"]", excuse->error) != 1)
        return false;
    return excuse->kind != ORACLE_EXCUSE_KINDS && excuse->platforms != 0;
}

bool oracle_read_excuses(struct oracle *oracle, const char *path)
{
    static struct oracle_excuse excuses[EXCUSES_MAXIMUM];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    char line[512];
    size_t count = 0;
    bool good = true;
    while (good && fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        good = count < EXCUSES_MAXIMUM && read_excuse(line, &excuses[count++]);
        if (!good)
            printf("%s: not understood: %s", path, line);
    }
    fclose(file);
    oracle->excuses = excuses;
    oracle->excuse_count = count;
    return good;
}

bool oracle_write_figures(const struct oracle *oracle, const char *what, size_t kernels,
                          const char *path)
{
    if (path == NULL)
        return true;
    FILE *file = fopen(path, "a");
    if (file == NULL)
        return false;
    fprintf(file, "%s|%s|%zu|%zu|%zu|%zu|%zu\n", sonde_gen_platform_name(oracle->platform), what,
            kernels, oracle->instructions, oracle->refused_by_us,
            oracle->different + oracle->changed + oracle->accepted_by_us, oracle->excused);
    return fclose(file) == 0;
}

bool oracle_agrees(const struct oracle *oracle)
{
    return oracle->different + oracle->changed + oracle->accepted_by_us == 0;
}

void oracle_report(const struct oracle *oracle, const char *what)
{
    printf("%s %s: %zu, %zu refused by iga, %zu by sonde, %zu accepted by sonde alone, %zu texts "
           "differ, %zu bytes differ, %zu disagreements excused\n",
           sonde_gen_platform_name(oracle->platform), what, oracle->instructions,
           oracle->refused_by_iga, oracle->refused_by_us, oracle->accepted_by_us, oracle->different,
           oracle->changed, oracle->excused);
}
