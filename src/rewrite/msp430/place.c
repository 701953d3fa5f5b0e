/* New addresses. Functions keep their order; those that no longer fit into
 * their section go to free memory. Sizes only grow from one round to the next,
 * so that the rounds end. */
#include "rewrite/msp430/firmware.h"

enum {
    JUMP_BACK = -1024,
    JUMP_AHEAD = 1022,
    MARKER = 2,
    VECTORS_CPU = 0xffc0,
    VECTORS_CPUX = 0xff80
};

static uint32_t size_of(const struct firmware_instruction *in)
{
    bool exit_before = in->exits && !in->is_conditional;
    return (uint32_t)in->new_size + (in->enters ? MARKER : 0) + (exit_before ? MARKER : 0);
}

/* An inverted jump over a branch; jn has no inverse and jumps to a jump. */
static uint8_t widened_size(const struct firmware_instruction *in)
{
    bool is_jn = (in->words[0] & 0x1c00) == 0x1000;
    return (uint8_t)((!in->is_conditional ? 4
                      : is_jn             ? 8
                                          : 6) +
                     (in->exits && in->is_conditional ? MARKER : 0));
}

static bool is_free(const struct firmware *firmware, uint32_t start, uint32_t end)
{
    for (size_t i = 0; i < firmware->section_count; i++) {
        const struct elf_section *section = &firmware->sections[i];
        if (!(section->flags & ELF_ALLOC) || section->size == 0)
            continue;
        if (section->address < end && start < section->address + section->size)
            return false;
        if (section->type != ELF_NOBITS && section->load_address < end &&
            start < section->load_address + section->size)
            return false;
    }
    return true;
}

/* The end of the free memory from `start` on. */
static uint32_t free_end(const struct firmware *firmware, uint32_t start, uint32_t end)
{
    for (size_t i = 0; i < firmware->section_count; i++) {
        const struct elf_section *section = &firmware->sections[i];
        if (!(section->flags & ELF_ALLOC) || section->size == 0)
            continue;
        const uint32_t starts[] = {section->address, section->load_address};
        for (size_t k = 0; k < 2; k++) {
            if (starts[k] >= start && starts[k] < end)
                end = starts[k];
        }
    }
    return end;
}

/* Program memory reaches from the code without a gap to the end of the lower
 * 64 KB on every MSP430: the largest piece of it that no section uses. */
static void find_gap(struct firmware *firmware)
{
    bool wide = firmware->options->core == SONDE_MSP430_CORE_CPUX;
    uint32_t vectors = wide ? VECTORS_CPUX : VECTORS_CPU;
    uint32_t lowest = FIRMWARE_NONE;
    for (size_t i = 0; i < firmware->section_count; i++) {
        if (firmware->sections[i].is_code && firmware->sections[i].address < lowest)
            lowest = firmware->sections[i].address;
    }
    for (size_t i = 0; i < firmware->section_count; i++) {
        const struct elf_section *section = &firmware->sections[i];
        if (!(section->flags & ELF_ALLOC) || section->size == 0 || section->type == ELF_NOBITS)
            continue;
        uint32_t start = (section->load_address + section->size + 1) & ~1u;
        if (start < lowest || start >= vectors || !is_free(firmware, start, start + 2))
            continue;
        uint32_t end = free_end(firmware, start, vectors);
        if (end - start > firmware->gap_end - firmware->gap_start) {
            firmware->gap_start = start;
            firmware->gap_end = end;
        }
    }
}

static uint32_t function_size(const struct firmware *firmware,
                              const struct firmware_function *function)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < function->count; i++)
        size += size_of(&firmware->instructions[function->first + i]);
    return size;
}

/* How many functions from `index` on run into one another. */
static uint32_t joined_functions(const struct firmware *firmware, uint32_t index)
{
    uint32_t count = 1;
    while (index + count < firmware->function_count) {
        const struct firmware_function *last = &firmware->functions[index + count - 1];
        const struct firmware_function *next = &firmware->functions[index + count];
        if (last->count == 0 || last->end != next->address || last->section != next->section ||
            !firmware->instructions[last->first + last->count - 1].falls_through)
            break;
        count++;
    }
    return count;
}

static void put_function(struct firmware *firmware, struct firmware_function *function,
                         uint32_t *at)
{
    for (uint32_t i = 0; i < function->count; i++) {
        struct firmware_instruction *in = &firmware->instructions[function->first + i];
        in->new_address = *at + size_of(in) - in->new_size;
        *at += size_of(in);
    }
}

static enum sonde_status place_all(struct firmware *firmware)
{
    uint32_t section = FIRMWARE_NONE, at = 0, limit = 0;
    firmware->gap_used = firmware->gap_start;
    firmware->result->moved_count = 0;
    for (uint32_t i = 0; i < firmware->function_count;) {
        struct firmware_function *function = &firmware->functions[i];
        uint32_t count = joined_functions(firmware, i), size = 0;
        if (function->section != section) {
            if (section != FIRMWARE_NONE)
                firmware->sections[section].new_size = at - firmware->sections[section].address;
            section = function->section;
            at = firmware->sections[section].address;
            limit = at + firmware->sections[section].size;
        }
        for (uint32_t k = 0; k < count; k++)
            size += function_size(firmware, &function[k]);
        bool moves = size > limit - at;
        uint32_t *cursor = moves ? &firmware->gap_used : &at;
        if (moves && size > firmware->gap_end - firmware->gap_used)
            return sonde_error_set(firmware->error, SONDE_ERROR_RANGE, function->address,
                                   "no room for the marked code: function %.60s needs %u bytes and "
                                   "%u are free from 0x%04x to 0x%04x; exclude functions, or use a "
                                   "side table",
                                   function->name, size, firmware->gap_end - firmware->gap_used,
                                   firmware->gap_start, firmware->gap_end);
        for (uint32_t k = 0; k < count; k++) {
            function[k].is_moved = moves;
            put_function(firmware, &function[k], cursor);
        }
        firmware->result->moved_count += moves ? count : 0;
        i += count;
    }
    firmware->sections[section].new_size = at - firmware->sections[section].address;
    return SONDE_OK;
}

uint32_t firmware_new_address(const struct firmware *firmware, uint32_t address, bool enters)
{
    const struct firmware_instruction *in = firmware_instruction_at(firmware, address);
    if (in == NULL)
        return FIRMWARE_NONE;
    bool exit_before = in->exits && !in->is_conditional;
    return in->new_address - (exit_before ? MARKER : 0) - (enters && in->enters ? MARKER : 0);
}

/* Widen the jumps that no longer reach; whether there were any. */
static bool widen(struct firmware *firmware)
{
    bool changed = false;
    for (size_t i = 0; i < firmware->instruction_count; i++) {
        struct firmware_instruction *in = &firmware->instructions[i];
        if (!in->is_jump || in->is_padding)
            continue;
        if (!in->is_widened) {
            int64_t target = firmware_new_address(firmware, in->target, !in->is_loop);
            int64_t distance = target - (int64_t)in->new_address - 2;
            in->is_widened = distance < JUMP_BACK || distance > JUMP_AHEAD;
        }
        if (in->is_widened && in->new_size != widened_size(in)) {
            in->new_size = widened_size(in);
            changed = true;
        }
    }
    return changed;
}

enum sonde_status firmware_layout(struct firmware *firmware)
{
    find_gap(firmware);
    enum sonde_status status;
    do {
        status = place_all(firmware);
    } while (status == SONDE_OK && widen(firmware));
    for (size_t i = 0; i < firmware->instruction_count && status == SONDE_OK; i++) {
        const struct firmware_instruction *in = &firmware->instructions[i];
        if (!in->is_widened)
            continue;
        firmware->result->widened_count++;
        status = firmware_remark(firmware, SONDE_MSP430_REMARK_WIDENED,
                                 "the jump at 0x%04x (function %.60s) became %u bytes and slower",
                                 in->address, firmware->functions[in->function].name, in->new_size);
    }
    return status;
}
