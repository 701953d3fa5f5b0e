#include "cli/msp430_setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sonde/msp430_instrument.h"

enum { FILE_LIMIT = 16 << 20 };

bool msp430_read_file(const char *path, uint8_t **data, size_t *size)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    *data = file != NULL ? malloc(FILE_LIMIT) : NULL;
    if (*data == NULL) {
        cli_error("%s: %s", path, strerror(errno));
    } else {
        *size = fread(*data, 1, FILE_LIMIT, file);
        if (ferror(file) || fgetc(file) != EOF) {
            cli_error("%s: cannot be read, or larger than 16 MB", path);
            free(*data);
            *data = NULL;
        }
    }
    if (file != NULL && file != stdin)
        fclose(file);
    return *data != NULL;
}

bool msp430_write_file(const char *path, const void *data, size_t size)
{
    if (strcmp(path, "-") == 0)
        return fwrite(data, 1, size, stdout) == size && fflush(stdout) == 0;
    size_t room = strlen(path) + 5;
    char *part = malloc(room);
    if (part == NULL) {
        cli_error("out of memory");
        return false;
    }
    snprintf(part, room, "%s.new", path);
    FILE *file = fopen(part, "wb");
    bool right = file != NULL && fwrite(data, 1, size, file) == size;
    right = file != NULL && fclose(file) == 0 && right;
    right = right && rename(part, path) == 0;
    if (!right) {
        cli_error("cannot write %s: %s", path, strerror(errno));
        if (file != NULL)
            remove(part);
    }
    free(part);
    return right;
}

/* Digits, or with 0x; up to `maximum`. Ends at `*end`. */
static bool take_number(const char *text, uint64_t maximum, uint64_t *number, char **end)
{
    if (*text < '0' || *text > '9')
        return false;
    int base = text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10;
    errno = 0;
    *number = strtoull(text, end, base);
    return errno == 0 && *end != text && *number <= maximum;
}

static bool take_word(const struct cli_arguments *arguments, enum cli_option_id id, uint16_t *word)
{
    const char *text = cli_value(arguments, id, NULL);
    uint64_t value;
    char *end;
    if (text == NULL)
        return true;
    if (!take_number(text, 0xffff, &value, &end) || *end != '\0') {
        cli_error("-%s takes a word from 0 to 0xffff, not '%s'", cli_option_find(id)->name, text);
        return false;
    }
    *word = (uint16_t)value;
    return true;
}

bool msp430_take_markers(const struct cli_arguments *arguments,
                         struct sonde_msp430_markers *markers)
{
    return take_word(arguments, CLI_OPTION_ENTER_WORD, &markers->enter) &&
           take_word(arguments, CLI_OPTION_EXIT_WORD, &markers->exit);
}

bool msp430_take_until(const struct cli_arguments *arguments, struct msp430_run *run,
                       struct sonde_msp430_limits *limits)
{
    static const char output[] = "output=";
    const char *until = cli_value(arguments, CLI_OPTION_UNTIL, NULL);
    struct sonde_error error;
    char *end;
    if (until == NULL)
        return true;
    if (strncmp(until, output, sizeof output - 1) == 0) {
        run->until_output = until + sizeof output - 1;
        if (*run->until_output != '\0')
            return true;
        cli_error("--until output= needs the text to wait for");
        return false;
    }
    if (*until >= '0' && *until <= '9') {
        if (take_number(until, UINT64_MAX, &limits->cycles, &end) && *end == '\0' &&
            limits->cycles > 0)
            return true;
        cli_error("--until takes a positive number of cycles, a symbol or output=TEXT, not '%s'",
                  until);
        return false;
    }
    limits->has_stop_address = true;
    if (sonde_msp430_sim_symbol(run->sim, until, &limits->stop_address, &error) == SONDE_OK)
        return true;
    cli_error("--until: %s", error.message);
    return false;
}

bool msp430_take_interrupts(const struct cli_arguments *arguments, struct sonde_msp430_sim *sim)
{
    const struct cli_values *values = &arguments->options[CLI_OPTION_INTERRUPT];
    for (size_t i = 0; i < values->count; i++) {
        uint64_t cycle, vector;
        char *end;
        struct sonde_error error;
        if (!take_number(values->items[i], UINT64_MAX - 1, &cycle, &end) || *end != ':' ||
            !take_number(end + 1, 0xffff, &vector, &end) || *end != '\0') {
            cli_error("--interrupt takes CYCLE:VECTOR such as 1000:0xfff2, not '%s'",
                      values->items[i]);
            return false;
        }
        if (sonde_msp430_sim_schedule_interrupt(sim, cycle, (uint32_t)vector, &error) != SONDE_OK) {
            cli_error("--interrupt: %s", error.message);
            return false;
        }
    }
    return true;
}

bool msp430_take_uart(const struct cli_arguments *arguments, struct sonde_msp430_sim *sim)
{
    const char *path = cli_value(arguments, CLI_OPTION_UART, NULL);
    uint8_t *data;
    size_t size;
    struct sonde_error error;
    enum sonde_status status = SONDE_OK;
    if (path == NULL)
        return true;
    if (!msp430_read_file(path, &data, &size))
        return false;
    for (size_t i = 0; i < size && status == SONDE_OK; i++)
        status = sonde_msp430_sim_uart_send(sim, 0, data[i], &error);
    free(data);
    if (status != SONDE_OK)
        cli_error("--uart: %s", error.message);
    return status == SONDE_OK;
}

static enum sonde_status add_hook(struct sonde_msp430_sim *sim,
                                  const struct sonde_msp430_place *place, struct sonde_error *error)
{
    static const enum sonde_msp430_hook hooks[] = {
        [SONDE_MSP430_PLACE_ENTER] = SONDE_MSP430_HOOK_ENTER,
        [SONDE_MSP430_PLACE_EXIT] = SONDE_MSP430_HOOK_EXIT,
        [SONDE_MSP430_PLACE_LOOP] = SONDE_MSP430_HOOK_LOOP,
    };
    return sonde_msp430_sim_add_hook(sim, place->address, hooks[place->kind], error);
}

bool msp430_take_side_table(const struct cli_arguments *arguments, struct sonde_msp430_sim *sim,
                            const void *image, size_t size)
{
    const char *path = cli_value(arguments, CLI_OPTION_SIDE_TABLE, NULL);
    struct sonde_msp430_markers markers;
    struct sonde_msp430_place *places;
    struct sonde_error error;
    uint8_t *text;
    size_t text_size, count;
    if (path == NULL)
        return true;
    if (sonde_msp430_sim_is_marked(sim, &markers)) {
        cli_error("the firmware is marked; a side table would record everything twice");
        return false;
    }
    if (!msp430_read_file(path, &text, &text_size))
        return false;
    enum sonde_status status =
        sonde_msp430_side_table_read(text, text_size, image, size, &places, &count, &error);
    free(text);
    for (size_t i = 0; i < count && status == SONDE_OK; i++)
        status = add_hook(sim, &places[i], &error);
    if (status != SONDE_OK)
        cli_error("%s: %s", path, error.message);
    free(places);
    return status == SONDE_OK;
}

void msp430_output(struct msp430_run *run, uint8_t byte)
{
    const char *text = run->until_output;
    putchar(byte);
    if (text == NULL)
        return;
    /* The longest part of what was sent that `text` begins with. */
    size_t matched = run->until_matched;
    for (;;) {
        if ((uint8_t)text[matched] == byte) {
            matched++;
            break;
        }
        if (matched == 0)
            break;
        size_t shorter = matched - 1;
        while (shorter > 0 && memcmp(text, text + matched - shorter, shorter) != 0)
            shorter--;
        matched = shorter;
    }
    if (text[matched] == '\0') {
        sonde_msp430_sim_stop(run->sim);
        run->until_output = NULL;
        return;
    }
    run->until_matched = matched;
}
