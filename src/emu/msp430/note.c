/* The note of a marked ELF (see SONDE_MSP430_NOTE_SECTION). */
#include <string.h>

#include "emu/msp430/internal.h"

static uint32_t word_at(const uint8_t *data, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)data[i] << 8 * i;
    return value;
}

/* One note: sizes of name and descriptor, type, then the two, each padded to
 * four bytes. */
enum sonde_status msp430_note_read(struct sonde_msp430_sim *sim, const uint8_t *data, size_t size,
                                   struct sonde_error *error)
{
    enum { HEADER = 12, NAME = 8, DESCRIPTOR = 8 };
    if (size < HEADER + NAME + DESCRIPTOR || word_at(data, 4) != sizeof SONDE_MSP430_NOTE_NAME ||
        word_at(data + 4, 4) != DESCRIPTOR || word_at(data + 8, 4) != SONDE_MSP430_NOTE_TYPE ||
        memcmp(data + HEADER, SONDE_MSP430_NOTE_NAME, sizeof SONDE_MSP430_NOTE_NAME) != 0)
        return SONDE_OK;
    const uint8_t *descriptor = data + HEADER + NAME;
    struct sonde_msp430_markers markers = {.enter = (uint16_t)word_at(descriptor + 4, 2),
                                           .exit = (uint16_t)word_at(descriptor + 6, 2)};
    if (word_at(descriptor, 2) != SONDE_MSP430_NOTE_VERSION)
        return SONDE_OK;
    if (sonde_msp430_markers_check(sim->device->core, markers, NULL) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "the file is marked with 0x%04x and 0x%04x, which are instructions "
                               "on %s; mark it with --core cpux",
                               markers.enter, markers.exit, sim->device->name);
    sim->is_marked = true;
    sim->note_markers = markers;
    if (sim->markers_from_note)
        sim->options.markers = markers;
    return SONDE_OK;
}

bool sonde_msp430_sim_is_marked(const struct sonde_msp430_sim *sim,
                                struct sonde_msp430_markers *markers)
{
    *markers = sim->note_markers;
    return sim->is_marked;
}
