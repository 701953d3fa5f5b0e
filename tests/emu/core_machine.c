#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"

#define CODE_BYTES 0x10000u

/* The C API of libiga64, which Debian ships without a header. */
struct iga_context_options {
    size_t bytes;
    uint32_t platform;
};

struct iga_assemble_options {
    uint32_t bytes, warnings, encoder, syntax, reserved[2], sbid_count, swsb;
};

struct iga_diagnostic {
    uint32_t line, column, offset, extent;
    char *message;
};

static const uint32_t iga_platforms[SONDE_GEN_PLATFORM_COUNT] = {
    [SONDE_GEN_PLATFORM_GEN9] = 9u << 16,
    [SONDE_GEN_PLATFORM_XE] = 1u << 24,
    [SONDE_GEN_PLATFORM_XEHPG] = 1u << 24 | 2,
};

static struct {
    void *contexts[SONDE_GEN_PLATFORM_COUNT];
    int (*create)(const void *, void **);
    int (*assemble)(void *, const void *, const char *, void **, uint32_t *);
    int (*errors)(void *, struct iga_diagnostic **, uint32_t *);
} iga;

static bool iga_open(enum sonde_gen_platform platform)
{
    if (iga.contexts[platform])
        return true;
    void *library = dlopen("libiga64.so.1", RTLD_NOW);
    if (!library)
        return false;
    *(void **)&iga.create = dlsym(library, "iga_context_create");
    *(void **)&iga.assemble = dlsym(library, "iga_context_assemble");
    *(void **)&iga.errors = dlsym(library, "iga_context_get_errors");
    struct iga_context_options options = {sizeof(options), iga_platforms[platform]};
    return iga.create && iga.assemble && iga.errors &&
           iga.create(&options, &iga.contexts[platform]) == 0;
}

bool core_use_platform(struct core_machine *machine, enum sonde_gen_platform platform)
{
    machine->dispatch.platform = platform;
    return iga_open(platform);
}

static uint8_t *page(void *context, uint64_t address, bool write)
{
    struct core_machine *machine = context;
    (void)write;
    if (address >= CORE_CODE_BASE && address < CORE_CODE_BASE + CODE_BYTES)
        return machine->code + ((address - CORE_CODE_BASE) & ~(uint64_t)4095);
    if (address >= CORE_DATA_BASE && address < CORE_DATA_BASE + CORE_DATA_BYTES)
        return machine->data + ((address - CORE_DATA_BASE) & ~(uint64_t)4095);
    return NULL;
}

struct core_machine *core_machine_create(const struct emu_options *options)
{
    if (!iga_open(SONDE_GEN_PLATFORM_GEN9))
        return NULL;
    struct core_machine *machine = calloc(1, sizeof(*machine));
    machine->code = calloc(1, CODE_BYTES);
    machine->data = calloc(1, CORE_DATA_BYTES);
    machine->memory = (struct emu_memory){.context = machine, .page = page};
    assert_int_equal(emu_create(options, &machine->emu), SONDE_OK);
    machine->dispatch = (struct emu_dispatch){
        .platform = SONDE_GEN_PLATFORM_GEN9,
        .instruction_base = CORE_CODE_BASE,
        .kernel_start = CORE_CODE_BASE,
        .simd = 8,
        .threads_per_group = 1,
        .group_end = {1, 1, 1},
        .payload = machine->payload,
        .payload_size = sizeof(machine->payload),
        .cross_thread_registers = 126,
        .denormals_preserve = true,
        .slices = 1,
        .subslices = 3,
        .eus_per_subslice = 8,
        .threads_per_eu = 7,
    };
    return machine;
}

void core_machine_destroy(struct core_machine *machine)
{
    if (!machine)
        return;
    emu_result_clear(&machine->result);
    emu_destroy(machine->emu);
    free(machine->code);
    free(machine->data);
    free(machine);
}

void core_assemble(struct core_machine *machine, const char *text)
{
    struct iga_assemble_options options = {.bytes = sizeof(options), .sbid_count = 16};
    void *code = NULL;
    uint32_t size = 0;
    void *context = iga.contexts[machine->dispatch.platform];
    if (iga.assemble(context, &options, text, &code, &size) != 0) {
        struct iga_diagnostic *diagnostics = NULL;
        uint32_t count = 0;
        iga.errors(context, &diagnostics, &count);
        for (uint32_t i = 0; i < count; i++)
            print_error("line %u: %s\n", diagnostics[i].line, diagnostics[i].message);
        fail_msg("cannot assemble:\n%s", text);
    }
    assert_true(size + 64 < CODE_BYTES);
    memset(machine->code, 0, CODE_BYTES);
    memcpy(machine->code, code, size);
    machine->code_size = size;
}

void core_run(struct core_machine *machine)
{
    struct sonde_error error = {.message = ""};
    emu_result_clear(&machine->result);
    if (emu_run(machine->emu, &machine->memory, &machine->dispatch, &machine->result, &error))
        fail_msg("emu_run: %s", error.message);
    memcpy(machine->grf, machine->result.fault.grf, sizeof(machine->grf));
}

void core_execute(struct core_machine *machine, const char *text)
{
    core_assemble(machine, text);
    core_run(machine);
    const struct emu_fault *fault = &machine->result.fault;
    if (!fault->occurred || fault->instruction_offset != machine->code_size)
        fail_msg("stopped at %x: %s: %s\n%s", fault->instruction_offset, fault->reason,
                 fault->instruction, text);
}

uint32_t *core_d(struct core_machine *machine, unsigned reg)
{
    return (uint32_t *)(void *)(machine->grf + 32 * reg);
}

float *core_f(struct core_machine *machine, unsigned reg)
{
    return (float *)(void *)(machine->grf + 32 * reg);
}

void *core_payload(struct core_machine *machine, unsigned reg)
{
    return machine->payload + 32 * (reg - 1);
}

uint64_t core_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}
