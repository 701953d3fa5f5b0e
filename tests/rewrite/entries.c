/* A kernel of XeHPG with two entries: the driver enters at its start, where a
 * prolog loads local ids, or behind that prolog, 192 bytes further. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/codec_iga.h"
#include "machine.h"

#define PROLOG      192u
#define OWN_ADDRESS 0x1ff00u /* of the profile buffer, in it */
#define THREADS     12u
#define BUCKETS     128u
#define CHUNK       64u

static struct iga *iga;

/* r60 counts how often the prolog ran; both write r61 to surface 0. */
static const char *kernel_text(void)
{
    static char text[4000];
    strcpy(text, "L0:\n(W) mov (8|M0) r60.0<1>:ud 0x77:ud {A@1}\n");
    for (unsigned i = 1; i < PROLOG / 16 - 1; i++)
        strcat(text, "(W) add (8|M0) r60.0<1>:ud r60.0<8;8,1>:ud 1:ud {A@1}\n");
    strcat(text, "nop\n(W) mov (8|M0) r62.0<1>:ud r0.0<8;8,1>:ud {A@1}\n"
                 "(W) and (1|M0) r63.0<1>:ud r0.5<0;1,0>:ud 0x3ff:ud {A@1}\n"
                 "(W) shl (1|M0) r63.0<1>:ud r63.0<0;1,0>:ud 2:ud {A@1}\n"
                 "(W) mov (1|M0) f0.0<1>:ud 0:ud {A@1}\n"
                 "(W&f0.0) jmpi L1\n"
                 "(W) add (1|M0) r60.0<1>:ud r60.0<0;1,0>:ud 0x1000:ud {A@1}\nL1:\n"
                 "(W) send.dc1 (1|M0) null r63 r60:1 0x0 0x02026E00 {A@1,$0}\n"
                 "(W) mov (8|M0) r127.0<1>:ud r62.0<8;8,1>:ud {A@1}\n"
                 "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}\n");
    return text;
}

struct build {
    struct sonde_kernel *kernel;
    struct sonde_instrument *instrument;
    struct sonde_coder *coder;
    struct sonde_rewritten out;
    struct sonde_error error;
};

static void ok(struct build *b, enum sonde_status status)
{
    if (status != SONDE_OK)
        fail_msg("%s", b->error.message);
}

/* One more in dword `index` of the thread's chunk, or the value. */
static struct sonde_procedure *update(struct build *b, uint32_t index, struct sonde_operand value)
{
    struct sonde_procedure *procedure = sonde_procedure_create(b->coder, "update");
    sonde_vreg address = sonde_vreg_make_msg_addr_scratch(b->coder);
    ok(b, sonde_coder_compute_thread_chunk_address(b->coder, procedure, address, BUCKETS, CHUNK, 0,
                                                   4 * index, NULL, &b->error));
    ok(b, sonde_coder_atomic_add(b->coder, procedure, SONDE_GEN_TYPE_UD, address, value, NULL,
                                 &b->error));
    return procedure;
}

static void open_build(struct build *b, bool fetches)
{
    static const struct sonde_register_range free_range = {.start = 80 * 32, .size = 20 * 32};
    size_t size;
    const uint8_t *code = iga_assemble(iga, kernel_text(), IGA_ENCODE_NO_COMPACT, &size);
    assert_non_null(code);
    struct sonde_kernel_info info = {.name = "entries",
                                     .platform = SONDE_GEN_PLATFORM_XEHPG,
                                     .isa = code,
                                     .isa_size = size,
                                     .simd_width = 16,
                                     .free_ranges = &free_range,
                                     .free_range_count = 1,
                                     .has_free_ranges = true,
                                     .per_thread_prolog_size = PROLOG};
    struct sonde_coder_options options = {.buffer_model = fetches ? SONDE_BUFFER_STATELESS
                                                                  : SONDE_BUFFER_SURFACE,
                                          .binding_table_index = MACHINE_PROFILE,
                                          .buffer_holds_address = fetches,
                                          .buffer_address_offset = OWN_ADDRESS,
                                          .maximum_threads = 168,
                                          .use_own_liveness = true};
    memset(b, 0, sizeof *b);
    ok(b, sonde_kernel_create(&info, &b->kernel, &b->error));
    ok(b, sonde_instrument_create(b->kernel, &options, &b->instrument, &b->error));
    b->coder = sonde_instrument_coder(b->instrument);
}

static void close_build(struct build *b)
{
    sonde_rewritten_clear(&b->out);
    sonde_instrument_destroy(b->instrument);
    sonde_kernel_destroy(b->kernel);
}

static uint32_t dword(struct machine *machine, unsigned surface, uint32_t offset)
{
    uint32_t value;
    memcpy(&value, machine_surface(machine, surface) + offset, sizeof value);
    return value;
}

static void run(struct machine *machine, const uint8_t *code, size_t size, uint32_t entry)
{
    uint64_t address = machine_surface_address(MACHINE_PROFILE);
    memset(machine_surface(machine, 0), 0, MACHINE_SURFACES * MACHINE_SURFACE_BYTES);
    memcpy(machine_surface(machine, MACHINE_PROFILE) + OWN_ADDRESS, &address, sizeof address);
    assert_true(machine_run(machine, code, size, entry));
    assert_int_equal(machine->result.threads, THREADS);
}

static void check_entries(bool fetches)
{
    struct machine *machine = machine_create();
    assert_non_null(machine);
    machine->dispatch.platform = SONDE_GEN_PLATFORM_XEHPG;
    machine_set_group(machine, 16, THREADS * 16, 1, 32);
    struct build b;
    open_build(&b, fetches);
    sonde_vreg counter = sonde_vreg_make_counter(b.coder, SONDE_VREG_DWORD);
    struct sonde_procedure *step = sonde_procedure_create(b.coder, "step");
    struct sonde_operand at = sonde_operand_vreg(counter), one = sonde_operand_immediate(1);
    ok(&b, sonde_coder_operation(b.coder, step, SONDE_ADD, SONDE_GEN_TYPE_UD, at, at, one, NULL,
                                 &b.error));
    uint32_t blocks = (uint32_t)sonde_kernel_block_count(b.kernel);
    for (uint32_t block = 0; block < blocks; block++) {
        ok(&b, sonde_instrument_block(b.instrument, block, SONDE_BEFORE, update(&b, block, one),
                                      &b.error));
        ok(&b, sonde_instrument_block(b.instrument, block, SONDE_BEFORE, step, &b.error));
    }
    ok(&b, sonde_instrument_entries(b.instrument, update(&b, 10, one), &b.error));
    ok(&b, sonde_instrument_exits(b.instrument, update(&b, 11, at), &b.error));
    assert_non_null(sonde_instrument_insertion_refusal(b.instrument, 3, SONDE_BEFORE));
    assert_int_equal(sonde_instrument_remove(b.instrument, 3, &b.error), SONDE_ERROR_UNSUPPORTED);
    ok(&b, sonde_instrument_emit(b.instrument, &b.out, &b.error));
    assert_non_null(iga_disassemble(iga, b.out.code + b.out.instrumented_entry,
                                    b.out.size - b.out.instrumented_entry));
    const struct sonde_kernel_info *info = sonde_kernel_info(b.kernel);
    uint8_t expected[4 * THREADS];
    for (unsigned late = 0; late < 2; late++) {
        run(machine, info->isa, info->isa_size, late ? PROLOG : 0);
        memcpy(expected, machine_surface(machine, 0), sizeof expected);
        run(machine, b.out.code, b.out.size, b.out.instrumented_entry + (late ? PROLOG : 0));
        assert_memory_equal(expected, machine_surface(machine, 0), sizeof expected);
        for (uint32_t t = 0; t < THREADS; t++) {
            uint32_t chunk = (t % 7 | t / 7 << 3) * CHUNK, run_blocks = 0;
            for (uint32_t block = 0; block < blocks; block++) {
                uint32_t first = sonde_kernel_block(b.kernel, block)->first;
                uint32_t offset = b.out.instruction_offsets[first] - b.out.instrumented_entry -
                                  (late ? PROLOG : 0);
                uint32_t want = !late;
                if (block != 0)
                    want = (uint32_t)(machine_executions(machine, offset) / THREADS);
                assert_int_equal(dword(machine, MACHINE_PROFILE, chunk + 4 * block), want);
                run_blocks += want;
            }
            assert_int_equal(dword(machine, MACHINE_PROFILE, chunk + 40), 1);
            assert_int_equal(dword(machine, MACHINE_PROFILE, chunk + 44), run_blocks);
        }
    }
    close_build(&b);
    machine_destroy(machine);
}

static void both_entries(void **unused)
{
    (void)unused;
    check_entries(false);
    check_entries(true);
}

int main(void)
{
    iga = iga_open_platform(SONDE_GEN_PLATFORM_XEHPG);
    if (iga == NULL)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
