#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe.h"
#include "sonde/dependency.h"

#define DATA_BYTES (MACHINE_PROFILE * MACHINE_SURFACE_BYTES)

static struct iga *iga;
static enum sonde_gen_platform platform = SONDE_GEN_PLATFORM_GEN9;

bool probe_setup(void)
{
    iga = iga_open_platform(platform);
    return iga != NULL;
}

bool probe_setup_platform(int argc, char **argv)
{
    if (argc > 1 && sonde_gen_platform_from_name(argv[1], &platform) != SONDE_OK)
        return false;
    return probe_setup();
}

enum sonde_gen_platform probe_platform(void)
{
    return platform;
}

/* The kernel is written once; parts differ in how sends look, and from Xe on
 * every instruction waits for the one before it. */
static void line(char *text, const char *instruction)
{
    bool has_scoreboard = platform >= SONDE_GEN_PLATFORM_XE && strchr(instruction, ':') != NULL &&
                          instruction[0] != 'L';
    sprintf(text + strlen(text), "%s%s\n", instruction,
            !has_scoreboard                     ? ""
            : platform == SONDE_GEN_PLATFORM_XE ? " {@1}"
                                                : " {A@1}");
}

static void write_register(char *text, unsigned number, unsigned slot)
{
    static const char *const sends[] = {
        [SONDE_GEN_PLATFORM_GEN9] = "(W) sends (8|M0) null:ud r70 r%u 0x4C 0x02026E00\n",
        [SONDE_GEN_PLATFORM_GEN11] = "(W) sends (8|M0) null:ud r70 r%u 0x4C 0x02026E00\n",
        [SONDE_GEN_PLATFORM_XE] =
            "(W) send.dc1 (8|M0) null r70 r%u 0x40 0x02026E00 {@1,$0}\nsync.nop null {$0.dst}\n",
        [SONDE_GEN_PLATFORM_XEHPG] =
            "(W) send.dc1 (8|M0) null r70 r%u:1 0x0 0x02026E00 {A@1,$0}\nsync.nop null {$0.dst}\n",
    };
    char add[100];
    sprintf(add, "(W) add (8|M0) r70.0<1>:ud r72.0<8;8,1>:ud 0x%x:ud", slot * 32);
    line(text, add);
    sprintf(text + strlen(text), sends[platform], number);
}

static void write_end(char *text)
{
    static const char *const sends[] = {
        [SONDE_GEN_PLATFORM_GEN9] = "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n",
        [SONDE_GEN_PLATFORM_GEN11] = "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n",
        [SONDE_GEN_PLATFORM_XE] = "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1}\n",
        [SONDE_GEN_PLATFORM_XEHPG] =
            "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}\n",
    };
    line(text, "(W) mov (8|M0) r127.0<1>:ud r3.0<8;8,1>:ud");
    strcat(text, sends[platform]);
}

/* What every kernel begins with. */
static const char *const head[] = {
    "L0:",
    "(W) mov (8|M0) r3.0<1>:ud r0.0<8;8,1>:ud",
    "(W) mov (1|M0) f0.0<1>:ud 0xa5c3:ud",
    "(W) mov (1|M0) f1.0<1>:ud 0x12345678:ud",
    "(W) mov (8|M0) a0.0<1>:uw 0x76543210:v",
    "(W) add (8|M0) acc0.0<1>:ud r0.0<8;8,1>:ud 0x5a5a5a5:ud",
    "mul (16|M0) r20.0<1>:d r1.0<16;16,1>:uw 77:uw",
    "and (16|M0) (nz)f0.1 null<1>:uw r1.0<16;16,1>:uw 1:uw",
    "(W) mov (8|M0) r10.0<1>:ud 0x11223344:ud",
    "(W) mov (8|M0) r11.0<1>:ud r0.0<8;8,1>:ud",
};

/* Where nothing else is left, acc1 keeps a register of Gen9 kernels. */
static const char *const more_first[] = {
    "(W) add (8|M0) r13.0<1>:f r11.0<8;8,1>:f 0x3f800000:f",
    "(W) mov (8|M0) acc1.0<1>:f r13.0<8;8,1>:f",
    "(W) mov (8|M0) acc3.0<1>:f r13.0<8;8,1>:f",
};
static const char *const more_second[] = {
    "(W) mov (8|M0) r13.0<1>:f acc1.0<8;8,1>:f",
    "(W) mov (8|M0) r14.0<1>:f acc3.0<8;8,1>:f",
};

/* The nop is the point. What is behind it shows what was kept over it. */
static const char *const tail[] = {
    "(f0.1) if (16|M0) L1 L1",
    "nop",
    "add (16|M0) r20.0<1>:d r20.0<8;8,1>:d 3:d",
    "L1:",
    "endif (16|M0) L2",
    "L2:",
    "(W) mov (8|M0) r2.0<1>:ud 0:ud",
    "(W) mov (1|M0) r2.0<1>:ud f0.0<0;1,0>:ud",
    "(W) mov (1|M0) r2.1<1>:ud f1.0<0;1,0>:ud",
    "(W) mov (8|M0) r4.0<1>:ud a0.0<8;8,1>:uw",
    "(W) mov (8|M0) r12.0<1>:ud acc0.0<8;8,1>:ud",
    "(W) mov (8|M0) r71.0<1>:w 0x76543210:v",
    "(W) shl (8|M0) r72.0<1>:ud r71.0<8;8,1>:uw 2:uw",
    "(W) and (1|M0) r73.0<1>:ud r3.5<0;1,0>:ud 0x1ff:ud",
    "(W) shl (1|M0) r73.0<1>:ud r73.0<0;1,0>:ud 12:ud",
    "(W) add (8|M0) r72.0<1>:ud r72.0<8;8,1>:ud r73.0<0;1,0>:ud",
};

static void write_lines(char *text, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        line(text, lines[i]);
}

/* Registers that are given a value in front of the point when every one is to be alive. */
static bool is_filler(unsigned number)
{
    return number < 70 || number > 75;
}

static void write_fillers(char *text)
{
    char filler[100];
    for (unsigned r = 22; r < 126; r++) {
        sprintf(filler, "(W) add (8|M0) r%u.0<1>:ud r3.5<0;1,0>:ud %u:ud", r, r);
        if (is_filler(r))
            line(text, filler);
    }
}

/* The values go to memory, a slot each. */
static void write_results(char *text, bool fill)
{
    static const unsigned always[] = {20, 21, 2, 4, 10, 11, 12, 13, 14};
    unsigned slot = 0;
    for (; slot < sizeof always / sizeof *always; slot++)
        write_register(text, always[slot], slot);
    for (unsigned r = 22; fill && r < 126; r++)
        if (is_filler(r))
            write_register(text, r, slot++);
}

/* `fill` keeps every register alive over the point. */
static const char *kernel_text(bool fill)
{
    static char text[40000];
    unsigned more = platform >= SONDE_GEN_PLATFORM_XE ? 2 : fill ? 0 : 1;
    text[0] = '\0';
    write_lines(text, head, sizeof head / sizeof *head);
    write_lines(text, more_first, more + 1);
    line(text, more < 2 ? "(W) mov (8|M0) r14.0<1>:ud r11.0<8;8,1>:ud"
                        : "(W) mov (8|M0) r14.0<1>:ud 0:ud");
    if (fill)
        write_fillers(text);
    write_lines(text, tail, sizeof tail / sizeof *tail);
    write_lines(text, more_second, more);
    write_results(text, fill);
    write_end(text);
    return text;
}

static void make_kernel(struct probe *probe, enum probe_registers registers)
{
    size_t size;
    const uint8_t *code =
        iga_assemble(iga, kernel_text(registers >= PROBE_SPILL), IGA_ENCODE_COMPACT, &size);
    static const struct sonde_register_range free_range = {.start = 80 * 32 + 4, .size = 30 * 32};
    if (code == NULL)
        fail_msg("the kernel does not assemble:\n%s", kernel_text(registers >= PROBE_SPILL));
    struct sonde_kernel_info info = {.name = "probe",
                                     .platform = platform,
                                     .isa = code,
                                     .isa_size = size,
                                     .simd_width = 16,
                                     .free_ranges = &free_range,
                                     .free_range_count = registers == PROBE_FREE_LIST,
                                     .has_free_ranges = true,
                                     .scratch_size = registers == PROBE_SPILL_BUFFER ? 0 : 512};
    probe_ok(probe, sonde_kernel_create(&info, &probe->kernel, &probe->error));
    while (sonde_kernel_instruction(probe->kernel, probe->point)->opcode != SONDE_GEN_NOP)
        probe->point++;
}

static void run(struct probe *probe, const uint8_t *code, size_t size, uint32_t entry)
{
    memset(machine_surface(probe->machine, 0), 0, MACHINE_SURFACES * MACHINE_SURFACE_BYTES);
    if (probe->profile != NULL)
        memcpy(machine_surface(probe->machine, MACHINE_PROFILE), probe->profile,
               probe->profile_size);
    uint64_t address = machine_surface_address(MACHINE_PROFILE);
    memcpy(machine_surface(probe->machine, MACHINE_PROFILE) + PROBE_OWN_ADDRESS, &address,
           sizeof address);
    assert_true(machine_run(probe->machine, code, size, entry));
    assert_int_equal(probe->machine->result.threads, PROBE_THREADS);
    assert_int_equal(probe->machine->result.out_of_bounds, 0);
}

const struct probe_mode probe_modes[PROBE_MODE_COUNT] = {
    {PROBE_SURFACE, PROBE_FREE_LIST},      {PROBE_SURFACE, PROBE_LIVENESS},
    {PROBE_STATELESS, PROBE_FREE_LIST},    {PROBE_STATELESS, PROBE_LIVENESS},
    {PROBE_FETCHED, PROBE_FREE_LIST},      {PROBE_FETCHED, PROBE_LIVENESS},
    {PROBE_SURFACE, PROBE_SPILL},          {PROBE_SURFACE, PROBE_SPILL_BUFFER},
    {PROBE_STATELESS, PROBE_SPILL_BUFFER}, {PROBE_FETCHED, PROBE_SPILL_BUFFER},
};

static void open_probe(struct probe *probe, enum probe_buffer buffer, bool holds_address,
                       enum probe_registers registers, unsigned simd)
{
    memset(probe, 0, sizeof *probe);
    probe->simd = simd;
    uint32_t cross_thread = 32 * (simd == 32 ? 7 : 4); /* behind r0 and the local ids */
    probe->machine = machine_create();
    assert_non_null(probe->machine);
    probe->machine->dispatch.platform = platform;
    machine_set_group(probe->machine, simd, PROBE_THREADS * simd - 3, 1, 32);
    /* Cross-thread data, behind the local ids: the profile buffer's address. */
    uint64_t address = machine_surface_address(MACHINE_PROFILE);
    memcpy(probe->machine->payload + 8, &address, sizeof address);
    make_kernel(probe, registers);
    struct sonde_coder_options options = {
        .buffer_model = buffer == PROBE_SURFACE ? SONDE_BUFFER_SURFACE : SONDE_BUFFER_STATELESS,
        .binding_table_index = MACHINE_PROFILE,
        .maximum_threads = 168,
        .use_own_liveness = registers == PROBE_LIVENESS,
        .buffer_address_byte = buffer == PROBE_FETCHED ? 0 : cross_thread + 8,
        .buffer_holds_address = holds_address,
        .buffer_address_offset = PROBE_OWN_ADDRESS};
    if (registers == PROBE_SPILL_BUFFER &&
        buffer != PROBE_FETCHED) /* no register is left to keep it in */
        options.buffer_address = address;
    probe_ok(probe,
             sonde_instrument_create(probe->kernel, &options, &probe->instrument, &probe->error));
    probe_ok(probe, sonde_instrument_set_spill_area(probe->instrument, PROBE_SPILL_AT,
                                                    MACHINE_PROFILE_BYTES - PROBE_SPILL_AT,
                                                    &probe->error));
    probe->coder = sonde_instrument_coder(probe->instrument);
    probe->procedure = sonde_procedure_create(probe->coder, "probe");
    probe->address = sonde_vreg_make_msg_addr_scratch(probe->coder);
    assert_true(probe->procedure != NULL && probe->address != 0);
    run(probe, sonde_kernel_info(probe->kernel)->isa, sonde_kernel_info(probe->kernel)->isa_size,
        0);
    probe->original = malloc(DATA_BYTES);
    assert_non_null(probe->original);
    memcpy(probe->original, machine_surface(probe->machine, 0), DATA_BYTES);
}

void probe_open(struct probe *probe, enum probe_buffer buffer, enum probe_registers registers)
{
    open_probe(probe, buffer, buffer == PROBE_FETCHED, registers, 16);
}

void probe_open_wide(struct probe *probe, enum probe_buffer buffer, enum probe_registers registers)
{
    open_probe(probe, buffer, buffer == PROBE_FETCHED, registers, 32);
}

void probe_open_pointers(struct probe *probe, enum probe_registers registers)
{
    open_probe(probe, PROBE_SURFACE, true, registers, 16);
}

void probe_close(struct probe *probe)
{
    sonde_rewritten_clear(&probe->out);
    sonde_instrument_destroy(probe->instrument);
    sonde_kernel_destroy(probe->kernel);
    machine_destroy(probe->machine);
    free(probe->original);
}

void probe_ok(struct probe *probe, enum sonde_status status)
{
    if (status != SONDE_OK)
        fail_msg("%s", probe->error.message);
}

static void show_dependency(void *context, const struct sonde_dependency *dependency)
{
    const struct sonde_kernel *kernel = context;
    char text[300];
    sonde_dependency_print(kernel, dependency, text, sizeof text);
    print_error("%s\n", text);
}

/* No dependency that the software scoreboard leaves open. */
static void check_dependencies(const uint8_t *code, size_t size)
{
    struct sonde_kernel_info info = {
        .name = "probe", .platform = platform, .isa = code, .isa_size = size, .simd_width = 16};
    struct sonde_kernel *kernel;
    struct sonde_error error;
    size_t count = 0;
    assert_int_equal(sonde_kernel_create(&info, &kernel, &error), SONDE_OK);
    assert_int_equal(
        sonde_kernel_check_dependencies(kernel, show_dependency, kernel, &count, &error), SONDE_OK);
    sonde_kernel_destroy(kernel);
    assert_int_equal(count, 0);
}

static void validate(struct probe *probe)
{
    const struct sonde_rewritten *out = &probe->out;
    struct sonde_gen_instruction *instructions;
    size_t count;
    probe_ok(probe, sonde_gen_decode_all(platform, out->code + out->instrumented_entry,
                                         out->size - out->instrumented_entry, &instructions, &count,
                                         &probe->error));
    for (size_t i = 0; i < count; i++)
        probe_ok(probe, sonde_gen_instruction_validate(&instructions[i], &probe->error));
    free(instructions);
    check_dependencies(out->code + out->instrumented_entry, out->size - out->instrumented_entry);
    assert_non_null(iga_disassemble(iga, out->code + out->instrumented_entry,
                                    out->size - out->instrumented_entry));
}

void probe_emit(struct probe *probe)
{
    probe_ok(probe, sonde_instrument_instruction(probe->instrument, probe->point, SONDE_BEFORE,
                                                 probe->procedure, &probe->error));
    probe_ok(probe,
             sonde_coder_place_thread_memory(probe->coder, PROBE_THREAD_MEMORY, &probe->error));
    probe_ok(probe, sonde_instrument_emit(probe->instrument, &probe->out, &probe->error));
    validate(probe);
}

void probe_run(struct probe *probe)
{
    probe_emit(probe);
    run(probe, probe->out.code, probe->out.size, probe->out.instrumented_entry);
    if (memcmp(probe->original, machine_surface(probe->machine, 0), DATA_BYTES) != 0)
        fail_msg("the kernel's own results changed");
}

void probe_address(struct probe *probe, struct sonde_procedure *procedure, sonde_vreg address,
                   uint32_t offset)
{
    probe_ok(probe, sonde_coder_compute_thread_chunk_address(probe->coder, procedure, address,
                                                             PROBE_BUCKETS, PROBE_CHUNK, 0, offset,
                                                             NULL, &probe->error));
}

void probe_move(struct probe *probe, sonde_vreg dst, struct sonde_operand source)
{
    probe_ok(probe,
             sonde_coder_operation(probe->coder, probe->procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                   sonde_operand_vreg(dst), source, source, NULL, &probe->error));
}

void probe_set_flags(struct probe *probe, struct sonde_predicate *never,
                     struct sonde_predicate *always)
{
    struct sonde_operand none = sonde_operand_immediate(0);
    sonde_vreg zero = sonde_vreg_make_scratch(probe->coder, SONDE_VREG_DWORD);
    *never = (struct sonde_predicate){.flag_number = 1, .flag_subreg = 1};
    *always = (struct sonde_predicate){.flag_number = 0, .flag_subreg = 1};
    probe_move(probe, zero, none);
    probe_ok(probe,
             sonde_coder_cmp(probe->coder, probe->procedure, never, SONDE_GEN_CONDITION_NZ,
                             SONDE_GEN_TYPE_UD, sonde_operand_vreg(zero), none, &probe->error));
    probe_ok(probe,
             sonde_coder_cmp(probe->coder, probe->procedure, always, SONDE_GEN_CONDITION_Z,
                             SONDE_GEN_TYPE_UD, sonde_operand_vreg(zero), none, &probe->error));
}

void probe_store(struct probe *probe, struct sonde_procedure *procedure, uint32_t index,
                 struct sonde_operand value)
{
    probe_address(probe, procedure, probe->address, 4 * index);
    probe_ok(probe, sonde_coder_atomic_store(probe->coder, procedure, SONDE_GEN_TYPE_UD,
                                             probe->address, value, NULL, &probe->error));
}

uint32_t probe_thread_id(uint32_t thread)
{
    return thread % 7 | thread / 7 << 3;
}

uint8_t *probe_chunk(struct probe *probe, uint32_t thread)
{
    return machine_surface(probe->machine, MACHINE_PROFILE) + probe_thread_id(thread) * PROBE_CHUNK;
}

uint32_t probe_value(struct probe *probe, uint32_t thread, uint32_t index)
{
    uint32_t value;
    memcpy(&value, probe_chunk(probe, thread) + 4 * index, sizeof value);
    return value;
}

uint32_t probe_dispatched(const struct probe *probe, uint32_t thread)
{
    uint32_t all = probe->simd == 32 ? UINT32_MAX : 0xffff;
    return thread + 1 == PROBE_THREADS ? all >> 3 : all;
}

uint32_t probe_enabled(const struct probe *probe, uint32_t thread)
{
    return 0xffffaaaa & probe_dispatched(probe, thread);
}
