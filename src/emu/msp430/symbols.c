/* The symbols of a loaded ELF. */
#include <stdlib.h>
#include <string.h>

#include "emu/msp430/internal.h"

void msp430_symbols_clear(struct sonde_msp430_sim *sim)
{
    for (size_t i = 0; i < sim->symbol_count; i++)
        free(sim->symbols[i].name);
    free(sim->symbols);
    sim->symbols = NULL;
    sim->symbol_count = 0;
}

bool msp430_symbols_add(struct sonde_msp430_sim *sim, const char *name, uint32_t address,
                        uint32_t size, bool is_function)
{
    if ((sim->symbol_count & (sim->symbol_count - 1)) == 0) {
        size_t capacity = sim->symbol_count == 0 ? 1 : 2 * sim->symbol_count;
        struct msp430_symbol *grown = realloc(sim->symbols, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        sim->symbols = grown;
    }
    char *copy = strdup(name);
    if (copy == NULL)
        return false;
    sim->symbols[sim->symbol_count++] = (struct msp430_symbol){
        .name = copy, .address = address, .size = size, .is_function = is_function};
    return true;
}

enum sonde_status sonde_msp430_sim_symbol(const struct sonde_msp430_sim *sim, const char *name,
                                          uint32_t *address, struct sonde_error *error)
{
    for (size_t i = 0; i < sim->symbol_count; i++) {
        if (strcmp(sim->symbols[i].name, name) == 0) {
            *address = sim->symbols[i].address;
            return SONDE_OK;
        }
    }
    return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "the program has no symbol '%s'", name);
}

const char *sonde_msp430_sim_function_at(const struct sonde_msp430_sim *sim, uint32_t address,
                                         uint32_t *offset)
{
    const struct msp430_symbol *best = NULL;
    for (size_t i = 0; i < sim->symbol_count; i++) {
        const struct msp430_symbol *symbol = &sim->symbols[i];
        if (!symbol->is_function || address < symbol->address)
            continue;
        if (symbol->size != 0 && address - symbol->address >= symbol->size)
            continue;
        if (best == NULL || symbol->address > best->address)
            best = symbol;
    }
    if (best == NULL)
        return NULL;
    *offset = address - best->address;
    return best->name;
}

bool sonde_msp430_sim_symbol_at(const struct sonde_msp430_sim *sim, size_t index,
                                struct sonde_msp430_symbol *symbol)
{
    if (index >= sim->symbol_count)
        return false;
    const struct msp430_symbol *found = &sim->symbols[index];
    *symbol = (struct sonde_msp430_symbol){.name = found->name,
                                           .address = found->address,
                                           .size = found->size,
                                           .is_function = found->is_function};
    return true;
}
