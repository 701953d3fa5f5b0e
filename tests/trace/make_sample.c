/* Write the sample trace into the directory named: a seed for fuzzing. */
#include "sample.h"

int main(int argc, char **argv)
{
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    if (argc != 2 || sonde_trace_writer_create(argv[1], &header, &writer, NULL) != SONDE_OK)
        return 1;
    enum sonde_status status = sample_write(writer, 3, NULL);
    return sonde_trace_writer_close(writer, NULL) != SONDE_OK || status != SONDE_OK;
}
