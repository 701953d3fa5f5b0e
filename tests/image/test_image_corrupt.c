/* Device binaries that are cut off or changed anywhere must give kernels that
 * can be read in full, or an error with a message; never a crash. */
#include "sonde/image.h"
#include "sonde/source_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *corpus_folder;
static const char *const corpus_names[] = {"patch_tokens.bin", "zebin.bin", "archive.bin",
                                           "bare.bin", "debug.bin"};
#define CORPUS_COUNT (sizeof corpus_names / sizeof *corpus_names)

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes load(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", corpus_folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct bytes bytes = {.data = malloc(1 << 16)};
    assert_non_null(bytes.data);
    bytes.size = fread(bytes.data, 1, 1 << 16, file);
    fclose(file);
    assert_true(bytes.size > 1000);
    return bytes;
}

static uint32_t touch_arguments(const struct sonde_image_kernel *kernel)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct sonde_image_argument *argument = &kernel->arguments[i];
        for (size_t j = 0; j < argument->piece_count; j++)
            sum += argument->pieces[j].size;
        if (argument->name != NULL)
            sum += (uint32_t)strlen(argument->name);
        if (argument->type_name != NULL)
            sum += (uint32_t)strlen(argument->type_name);
        assert_true(argument->kind <= SONDE_ARGUMENT_SAMPLER);
        assert_true(i == 0 || argument[-1].index < argument->index);
    }
    return sum;
}

static uint32_t touch_lines(const struct sonde_image_kernel *kernel)
{
    struct sonde_source_lines *lines;
    struct sonde_error error = {0};
    uint32_t sum = 0;
    if (sonde_source_lines_read(kernel->debug_elf, kernel->debug_elf_size, &lines, &error) !=
        SONDE_OK) {
        assert_true(error.message[0] != '\0');
        return 0;
    }
    for (size_t i = 0; i < sonde_source_lines_count(lines); i++) {
        const struct sonde_source_line *line = sonde_source_lines_at(lines, i);
        sum += line->line + (uint32_t)strlen(line->file);
        assert_true(i == 0 || line[-1].offset < line->offset);
    }
    sonde_source_lines_destroy(lines);
    return sum;
}

/* Everything that an image hands out must be readable. */
static uint32_t touch(const struct sonde_image *image)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < sonde_image_kernel_count(image); i++) {
        const struct sonde_image_kernel *kernel = sonde_image_kernel(image, i);
        const struct sonde_kernel_info *info = &kernel->info;
        assert_non_null(info->name);
        assert_true((unsigned)info->platform < SONDE_GEN_PLATFORM_COUNT);
        sum += (uint32_t)strlen(info->name);
        if (kernel->target != NULL)
            sum += (uint32_t)strlen(kernel->target);
        for (size_t j = 0; j < info->isa_size; j++)
            sum += info->isa[j];
        for (size_t j = 0; j < info->free_range_count; j++)
            sum += info->free_ranges[j].start;
        sum += touch_arguments(kernel) + touch_lines(kernel);
    }
    return sum;
}

/* Parses an exact-size heap copy, so that a checker sees reads past the end. */
static enum sonde_status parse(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    struct sonde_image *image = NULL;
    struct sonde_error error = {0};
    enum sonde_status status =
        sonde_image_parse(copy, size, SONDE_GEN_PLATFORM_COUNT, &image, &error);
    free(copy);
    if (status == SONDE_OK) {
        assert_non_null(image);
        touch(image);
        sonde_image_close(image);
    } else {
        assert_null(image);
        assert_true(error.message[0] != '\0');
        assert_int_equal(error.status, status);
    }
    return status;
}

static void test_whole_files(void **state)
{
    (void)state;
    static const enum sonde_image_format formats[] = {SONDE_IMAGE_PATCH_TOKENS, SONDE_IMAGE_ZEBIN,
                                                      SONDE_IMAGE_ARCHIVE, SONDE_IMAGE_PATCH_TOKENS,
                                                      SONDE_IMAGE_PATCH_TOKENS};
    static const size_t counts[] = {1, 1, 2, 1, 1};
    for (size_t i = 0; i < CORPUS_COUNT; i++) {
        struct bytes file = load(corpus_names[i]);
        struct sonde_image *image;
        struct sonde_error error = {0};
        assert_int_equal(
            sonde_image_parse(file.data, file.size, SONDE_GEN_PLATFORM_COUNT, &image, &error),
            SONDE_OK);
        assert_int_equal(sonde_image_format(image), formats[i]);
        assert_int_equal(sonde_image_kernel_count(image), counts[i]);
        const struct sonde_image_kernel *kernel = sonde_image_kernel(image, 0);
        assert_string_equal(kernel->info.name, "store");
        assert_int_equal(kernel->info.platform, SONDE_GEN_PLATFORM_GEN9);
        assert_int_equal(kernel->info.simd_width, 32);
        /* An end-of-thread send, 16 bytes, is the last instruction. */
        assert_int_equal(kernel->info.isa[kernel->info.isa_size - 16] & 0x7f, 0x31);
        assert_int_equal(kernel->info.isa[kernel->info.isa_size - 1] & 0x80, 0x80);
        assert_int_equal(kernel->argument_count, 1);
        assert_int_equal(kernel->arguments[0].kind, SONDE_ARGUMENT_GLOBAL);
        assert_int_equal(kernel->debug_elf != NULL, strcmp(corpus_names[i], "debug.bin") == 0);
        assert_null(sonde_image_kernel(image, counts[i]));
        sonde_image_close(image);
        free(file.data);
    }
}

static void test_every_truncation(void **state)
{
    (void)state;
    for (size_t i = 0; i < CORPUS_COUNT; i++) {
        struct bytes file = load(corpus_names[i]);
        for (size_t size = 0; size < file.size; size++) {
            enum sonde_status status = parse(file.data, size);
            /* Nothing of a bare program can be missing. */
            if (strcmp(corpus_names[i], "bare.bin") == 0)
                assert_int_not_equal(status, SONDE_OK);
        }
        free(file.data);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void test_random_changes(void **state)
{
    (void)state;
    static const uint8_t nasty[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '\n', '-', ' '};
    uint64_t random = 0x5eed;
    size_t refused = 0;
    for (size_t round = 0; round < 8000; round++) {
        struct bytes file = load(corpus_names[round % CORPUS_COUNT]);
        uint64_t changes = 1 + next_random(&random) % 8;
        for (uint64_t c = 0; c < changes; c++) {
            uint64_t bits = next_random(&random);
            file.data[bits % file.size] =
                bits >> 60 & 1 ? nasty[bits >> 32 & 7] : (uint8_t)(bits >> 40);
        }
        if (parse(file.data, file.size) != SONDE_OK)
            refused++;
        free(file.data);
    }
    assert_true(refused > 400);
}

static void test_every_header_dword_huge(void **state)
{
    (void)state;
    for (size_t i = 0; i < CORPUS_COUNT; i++) {
        struct bytes file = load(corpus_names[i]);
        for (size_t at = 0; at + 4 <= file.size; at += 4) {
            uint8_t saved[4];
            memcpy(saved, file.data + at, 4);
            static const uint32_t values[] = {0xffffffffu, 0x7fffffffu, 0x80000000u, 0};
            for (size_t v = 0; v < 4; v++) {
                memcpy(file.data + at, &values[v], 4);
                parse(file.data, file.size);
            }
            memcpy(file.data + at, saved, 4);
        }
        free(file.data);
    }
}

static void test_raw(void **state)
{
    (void)state;
    static const uint8_t code[32] = {0x31, 0, 0, 0, [15] = 0x80};
    struct sonde_image *image;
    struct sonde_error error = {0};
    assert_int_equal(sonde_image_parse(code, sizeof code, SONDE_GEN_PLATFORM_GEN9, &image, &error),
                     SONDE_OK);
    assert_int_equal(sonde_image_format(image), SONDE_IMAGE_RAW);
    assert_int_equal(sonde_image_kernel(image, 0)->info.isa_size, 16);
    sonde_image_close(image);
    assert_int_equal(sonde_image_parse(code, sizeof code, SONDE_GEN_PLATFORM_COUNT, &image, &error),
                     SONDE_ERROR_FORMAT);
    assert_null(image);
    assert_int_equal(
        sonde_image_open("/nonexistent/file", SONDE_GEN_PLATFORM_COUNT, &image, &error),
        SONDE_ERROR_IO);
    assert_non_null(strstr(error.message, "/nonexistent/file"));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    corpus_folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_files),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_random_changes),
        cmocka_unit_test(test_every_header_dword_huge),
        cmocka_unit_test(test_raw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
