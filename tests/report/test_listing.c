/* The listing of a kernel names its blocks and targets, carries the columns
 * that were asked for, and assembles to the bytes it was made from. */
#include "sonde/listing.h"

#include "isa/codec_iga.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Diverging branch, a loop, messages and an end of thread. */
static const char source[] = "(W) mov (8|M0) r2.0<1>:ud r0.0<1;1,0>:ud\n"
                             "cmp (16|M0) (lt)f0.0 null<1>:d r4.0<8;8,1>:d r6.0<0;1,0>:d\n"
                             "(f0.0) if (16|M0) ELSE END\n"
                             "LOOP:\n"
                             "add (16|M0) r8.0<1>:f r8.0<8;8,1>:f 0.1:f\n"
                             "send (16|M0) r10 r8 0xC 0x04205E00\n"
                             "cmp (16|M0) (gt)f0.1 null<1>:f r10.0<8;8,1>:f r8.0<8;8,1>:f\n"
                             "(W&f0.1.any16h) jmpi LOOP\n"
                             "ELSE:\n"
                             "else (16|M0) END END\n"
                             "mov (16|M0) r8.0<1>:f 1.0:f\n"
                             "END:\n"
                             "endif (16|M0) NEXT\n"
                             "NEXT:\n"
                             "(W) mov (8|M0) r127.0<1>:ud r2.0<8;8,1>:ud\n"
                             "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n";

struct text {
    char *data;
    size_t size;
};

static enum sonde_status collect(void *context, const char *piece, size_t size)
{
    struct text *text = context;
    text->data = realloc(text->data, text->size + size + 1);
    assert_non_null(text->data);
    memcpy(text->data + text->size, piece, size);
    text->size += size;
    text->data[text->size] = '\0';
    return SONDE_OK;
}

static enum sonde_status refuse(void *context, const char *piece, size_t size)
{
    (void)context;
    (void)piece;
    return size > 0 ? SONDE_ERROR_IO : SONDE_OK;
}

struct fixture {
    struct iga *iga;
    struct sonde_kernel *kernel;
    uint8_t code[512];
    size_t size;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->iga = iga_open();
    assert_non_null(f->iga);
    const uint8_t *code = iga_assemble(f->iga, source, IGA_ENCODE_NO_COMPACT, &f->size);
    assert_non_null(code);
    assert_true(f->size <= sizeof f->code);
    memcpy(f->code, code, f->size);
    const struct sonde_kernel_info info = {.name = "listed",
                                           .platform = SONDE_GEN_PLATFORM_GEN9,
                                           .isa = f->code,
                                           .isa_size = f->size,
                                           .simd_width = 16};
    struct sonde_error error = {0};
    if (sonde_kernel_create(&info, &f->kernel, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    sonde_kernel_destroy(f->kernel);
    iga_close(f->iga);
    free(f);
    return 0;
}

static struct text listing_of(const struct fixture *f, const struct sonde_listing_options *options)
{
    struct text text = {0};
    struct sonde_error error = {0};
    if (sonde_listing_print(f->kernel, options, collect, &text, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    return text;
}

static void assert_assembles(const struct fixture *f, const struct text *text)
{
    size_t size;
    const uint8_t *code = iga_assemble(f->iga, text->data, IGA_ENCODE_NO_COMPACT, &size);
    assert_non_null(code);
    assert_int_equal(size, f->size);
    assert_memory_equal(code, f->code, size);
}

static void test_default(void **state)
{
    const struct fixture *f = *state;
    struct text text = listing_of(f, NULL);
    assert_non_null(strstr(text.data, "// kernel listed, gen9, SIMD16, 12 instructions"));
    assert_non_null(strstr(text.data, "// BBL 0 "));
    assert_non_null(strstr(text.data, "(end of thread)"));
    assert_non_null(strstr(text.data, "/* [0000] */ (W)     mov (8|M0)"));
    assert_non_null(strstr(text.data, "L48:\n"));
    assert_non_null(strstr(text.data, "untyped surface read with x\n"));
    assert_null(strstr(text.data, " \n"));
    assert_assembles(f, &text);
    free(text.data);
}

static void test_bare(void **state)
{
    const struct fixture *f = *state;
    const struct sonde_listing_options options = {.header = false};
    struct text text = listing_of(f, &options);
    assert_null(strstr(text.data, "//"));
    assert_null(strstr(text.data, "/*"));
    assert_assembles(f, &text);
    free(text.data);
}

static int name_target(void *context, uint32_t target, char *text, size_t size)
{
    (void)context;
    return snprintf(text, size, "target_%u", (unsigned)target);
}

static void test_counts_and_names(void **state)
{
    const struct fixture *f = *state;
    uint64_t counts[12];
    for (size_t i = 0; i < 12; i++)
        counts[i] = 1000000007u * i;
    const struct sonde_listing_options options = {.header = true,
                                                  .encoding = true,
                                                  .counts = counts,
                                                  .counts_title = "executions",
                                                  .label = name_target};
    struct text text = listing_of(f, &options);
    assert_non_null(strstr(text.data, "// first column: executions\n"));
    assert_non_null(strstr(text.data, "/*            0 */ "));
    assert_non_null(strstr(text.data, "/*  11000000077 */ "));
    assert_non_null(strstr(text.data, "\ntarget_48:\n"));
    assert_null(strstr(text.data, "L48"));
    assert_assembles(f, &text);
    free(text.data);
}

static void test_errors(void **state)
{
    const struct fixture *f = *state;
    struct sonde_error error = {0};
    assert_int_equal(sonde_listing_print(f->kernel, NULL, refuse, NULL, &error), SONDE_ERROR_IO);
    assert_non_null(strstr(error.message, "listed"));
    assert_int_equal(sonde_listing_print(NULL, NULL, collect, NULL, &error), SONDE_ERROR_ARGUMENT);
}

int main(void)
{
    struct iga *iga = iga_open();
    if (iga == NULL)
        return 77;
    iga_close(iga);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_default, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bare, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counts_and_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
