/* Write the sample trace into the directory named: a seed for fuzzing. */
#include "sample.h"

static enum sonde_status write_firmware(struct sonde_trace_writer *writer)
{
    static const struct sonde_trace_symbol symbol = {"main", 0xc000, 20, true};
    struct sonde_trace_firmware firmware = {.symbols = &symbol, .symbol_count = 1};
    struct sonde_trace_call calls[8];
    for (uint8_t i = 0; i < 8; i++)
        calls[i] = (struct sonde_trace_call){i * 10u, 0xc000, 0x3fe, 0, i % 7};
    enum sonde_status status = sonde_trace_write_firmware(writer, &firmware, NULL);
    for (int i = 0; i < 2 && status == SONDE_OK; i++)
        status = sonde_trace_write_calls(writer, calls + 4 * i, 4, NULL);
    struct sonde_trace_firmware_end end = {.cycles = 100, .reason = "program ended"};
    if (status == SONDE_OK)
        status = sonde_trace_write_firmware_end(writer, &end, NULL);
    return status;
}

int main(int argc, char **argv)
{
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    if (argc != 2 || sonde_trace_writer_create(argv[1], &header, &writer, NULL) != SONDE_OK)
        return 1;
    enum sonde_status status = sample_write(writer, 3, NULL);
    if (status == SONDE_OK)
        status = write_firmware(writer);
    return sonde_trace_writer_close(writer, NULL) != SONDE_OK || status != SONDE_OK;
}
