/* The ground-truth file: what the server writes of a dispatch is what the
 * reader returns, and the reader refuses what nobody wrote. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "device/truth.h"
#include "fake_client.h"
#include "fake_emu.h"

#define STATE   0x330000000000ull
#define KERNEL  0x800000000000ull
#define SURFACE 0x550000000000ull /* 192 bytes from 64 on, binding table index 1 */
#define POINTED 0x560000000000ull /* pointed to by payload word 2 */
#define LOOSE   0x570000000000ull
#define SCRATCH 0x580000001000ull

static char path[] = "/tmp/sonde-truth-XXXXXX";

#define LOW(address)  ((uint32_t)(address))
#define HIGH(address) ((uint32_t)((uint64_t)(address) >> 32))

/* Tables of a kernel with two surfaces, a payload pointer and scratch. */
static void send_state(struct client *client)
{
    static const uint32_t idd[8] = {0, 0, 0, 0, 0x100 | 2, 0, 1, 2};
    static const uint8_t zeros[8192];
    uint32_t surface[16] = {4u << 29};
    uint64_t payload[8] = {3, 0, POINTED + 16, LOOSE + 4096};
    client_store(client, STATE, zeros, 4096);
    client_store(client, STATE + 0x400, idd, sizeof idd);
    client_store(client, STATE + 0x100, (uint32_t[]){0x40, 0x80}, 8);
    client_store(client, STATE + 0x40, surface, sizeof surface); /* no memory behind it */
    uint32_t last = 192 - 1;
    surface[2] = (last & 0x7f) | (last >> 7 & 0x3fff) << 16;
    surface[8] = LOW(SURFACE + 64);
    surface[9] = HIGH(SURFACE);
    client_store(client, STATE + 0x80, surface, sizeof surface);
    client_store(client, STATE + 0x800, payload, sizeof payload);
    client_store(client, KERNEL, zeros, 8192);
    client_store(client, KERNEL + 48, &(uint32_t){1u << 29}, 4); /* compacted: 8 bytes */
    client_store(client, SURFACE, zeros, 8192);
    client_store(client, POINTED, zeros, 8192);
    client_store(client, LOOSE, zeros, 4096);
    client_store(client, SCRATCH, zeros, 4096);
}

static void dispatch(struct client *client, uint32_t tag)
{
    uint32_t words[64];
    static const uint32_t commands[] = {0x61010011,
                                        LOW(SCRATCH - 4096) | 1,
                                        HIGH(SCRATCH),
                                        0,
                                        LOW(STATE) | 1,
                                        HIGH(STATE),
                                        LOW(STATE) | 1,
                                        HIGH(STATE),
                                        LOW(STATE) | 1,
                                        HIGH(STATE),
                                        LOW(KERNEL) | 1,
                                        HIGH(KERNEL),
                                        1,
                                        1,
                                        1,
                                        1,
                                        0,
                                        0,
                                        0,
                                        0x70000007,
                                        0x1000,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0x70020002,
                                        0,
                                        0x20,
                                        0x400,
                                        0x7105000d,
                                        0,
                                        64,
                                        0x800,
                                        1u << 30,
                                        0,
                                        0,
                                        3,
                                        0,
                                        0,
                                        2,
                                        0,
                                        1,
                                        0xffff,
                                        0xffffffff};
    memcpy(words, commands, sizeof commands);
    unsigned count = sizeof commands / 4;
    count += test_tag(words + count, tag);
    words[count++] = TEST_END;
    client_submit_batch(client, 0x10000, words, count);
    assert_int_equal(client_load32(client, TEST_TAG_ADDRESS), tag);
}

static void behave(const struct fake_store *stores, unsigned store_count, uint32_t reached)
{
    fake_behaviour = (struct fake_behaviour){.instructions = 1000, .store_count = store_count};
    memcpy(fake_behaviour.stores, stores, store_count * sizeof *stores);
    fake_behaviour.counts[0] = (struct emu_count){0, 6, 96};
    fake_behaviour.counts[1] = (struct emu_count){reached, 3, 17};
    fake_behaviour.count_count = 2;
}

/* Three dispatches of one kernel, the last one faulty, into `path`. */
static void record(void)
{
    struct test_server server;
    struct client client;
    char log[4096];
    test_server_start(&server, path);
    client_open(&client, server.port);
    client_make_context(&client, 4);
    client_store(&client, TEST_TAG_ADDRESS, "\0\0\0", 4);
    send_state(&client);
    const struct fake_store first[] = {
        {SURFACE + 64, 1},   {SURFACE + 128, 2},  {SURFACE + 248, 3}, /* all 192 bytes */
        {SURFACE + 256, 4},                       /* the line after: not of the surface */
        {POINTED + 4088, 5}, {POINTED + 4096, 6}, /* adjacent lines of two pages */
        {LOOSE + 8, 7},      {SCRATCH + 64, 8},   {SURFACE + 4096, 0}, /* not changed */
    };
    behave(first, 9, 16);
    dispatch(&client, 1);
    behave(first, 9, 48); /* nothing new is written, the program is longer */
    dispatch(&client, 2);
    behave(first, 0, 32);
    fake_behaviour.fault = true;
    dispatch(&client, 3);
    fake_behaviour = (struct fake_behaviour){0};
    client_close(&client);
    assert_int_equal(test_server_stop(&server, log, sizeof log).faults, 1);
    assert_non_null(strstr(log, "asked for by the test"));
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    record();
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void check_write(const struct truth_write *write, uint32_t kind, uint32_t index,
                        uint64_t offset, uint64_t size)
{
    assert_int_equal(write->kind, kind);
    assert_int_equal(write->index, index);
    assert_int_equal(write->offset, offset);
    assert_int_equal(write->size, size);
    assert_int_equal(write->hash, XXH3_64bits(write->bytes, size));
}

static uint64_t word_at(const struct truth_write *write, size_t offset)
{
    uint64_t value;
    memcpy(&value, write->bytes + offset, sizeof value);
    return value;
}

static struct truth_file read_truth(void)
{
    struct truth_file file;
    struct sonde_error error = {0};
    if (truth_file_read(path, &file, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    return file;
}

static void test_contents(void **state)
{
    (void)state;
    struct truth_file file = read_truth();
    assert_int_equal(file.program_count, 1);
    assert_int_equal(file.programs[0].size, 48 + 8);
    assert_int_equal(file.dispatch_count, 3);
    const struct truth_dispatch *d = file.dispatches;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(d[i].index, i);
        assert_int_equal(d[i].program, 0);
        assert_int_equal(d[i].kernel_start, KERNEL);
        assert_int_equal(d[i].fault, i == 2);
        assert_int_equal(d[i].process, getpid());
        assert_int_equal(d[i].count_count, 2);
    }
    assert_int_equal(d->simd, 16);
    assert_int_equal(d->threads_per_group, 1);
    assert_int_equal(d->groups[0], 3);
    assert_int_equal(d->groups[1], 2);
    assert_int_equal(d->groups[2], 1);
    assert_int_equal(d->instructions, 1000);
    assert_int_equal(d->lanes, 8000);
    assert_int_equal(d->counts[1].offset, 16);
    assert_int_equal(d->counts[1].executions, 3);
    assert_int_equal(d->counts[1].lanes, 17);
    assert_int_equal(d->write_count, 5);
    check_write(&d->writes[0], TRUTH_WRITE_SURFACE, 1, 0, 192);
    assert_int_equal(word_at(&d->writes[0], 0), 1);
    assert_int_equal(word_at(&d->writes[0], 64), 2);
    assert_int_equal(word_at(&d->writes[0], 184), 3);
    check_write(&d->writes[1], TRUTH_WRITE_ABSOLUTE, 0, SURFACE + 256, 64);
    check_write(&d->writes[2], TRUTH_WRITE_PAYLOAD_POINTER, 2, 4032 - 16, 128);
    assert_int_equal(word_at(&d->writes[2], 56), 5);
    assert_int_equal(word_at(&d->writes[2], 64), 6);
    check_write(&d->writes[3], TRUTH_WRITE_ABSOLUTE, 0, LOOSE, 64);
    check_write(&d->writes[4], TRUTH_WRITE_SCRATCH, 0, 64, 64);
    assert_int_equal(d[1].write_count, 0);
    truth_file_clear(&file);
}

static uint64_t bytes_of(const struct truth_write *writes, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += writes[i].kind == TRUTH_WRITE_SCRATCH ? 0 : writes[i].size;
    return bytes;
}

/* Five pages besides scratch are written to: their lines are all there. */
static void test_kept(void **state)
{
    (void)state;
    struct truth_file file = read_truth();
    const struct truth_dispatch *d = file.dispatches;
    assert_int_equal(d[0].kept[0].kind, TRUTH_WRITE_ABSOLUTE);
    assert_int_equal(d[0].kept[0].offset, SURFACE);
    assert_int_equal(d[0].kept[0].size, 64);
    assert_null(d[0].kept[0].bytes); /* zeros */
    unsigned surfaces = 0;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bytes_of(d[i].writes, d[i].write_count) +
                             bytes_of(d[i].kept, d[i].kept_count),
                         5 * 4096);
        for (size_t k = 0; k < d[i].kept_count; k++) {
            const struct truth_write *kept = &d[i].kept[k];
            assert_int_not_equal(kept->kind, TRUTH_WRITE_SCRATCH);
            assert_null(kept->changed);
            if (kept->kind != TRUTH_WRITE_SURFACE)
                continue;
            surfaces++; /* the second time only, when it is written as it was */
            assert_int_equal(i, 1);
            assert_int_equal(kept->offset, 0);
            assert_int_equal(kept->size, 192);
            assert_int_equal(word_at(kept, 0), 1);
            assert_int_equal(word_at(kept, 64), 2);
            assert_int_equal(word_at(kept, 184), 3);
        }
    }
    assert_int_equal(surfaces, 1);
    assert_int_equal(d[2].kept_count, 0);
    truth_file_clear(&file);
}

static uint8_t *read_all(size_t *size)
{
    struct stat info;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &info) == 0);
    *size = (size_t)info.st_size;
    uint8_t *data = malloc(*size);
    assert_int_equal(read(fd, data, *size), info.st_size);
    close(fd);
    return data;
}

static enum sonde_status read_bytes(const uint8_t *data, size_t size, size_t *dispatches)
{
    static char other[64];
    snprintf(other, sizeof other, "%s.part", path);
    int fd = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, data, size), size);
    close(fd);
    struct truth_file file;
    struct sonde_error error = {0};
    enum sonde_status status = truth_file_read(other, &file, &error);
    unlink(other);
    *dispatches = 0;
    if (status == SONDE_OK) {
        *dispatches = file.dispatch_count;
        truth_file_clear(&file);
    } else {
        assert_non_null(strstr(error.message, other));
    }
    return status;
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    size_t size, dispatches, last = 0;
    uint8_t *data = read_all(&size);
    for (size_t cut = 0; cut <= size; cut++) {
        assert_int_equal(read_bytes(data, cut, &dispatches), SONDE_OK);
        assert_true(dispatches >= last);
        last = dispatches;
    }
    assert_int_equal(last, 3);
    free(data);
}

static void test_damaged(void **state)
{
    (void)state;
    size_t size, dispatches;
    uint8_t *data = read_all(&size);
    unsigned refused = 0, seed = 1;
    for (size_t i = 0; i < size; i++) {
        uint8_t kept = data[i];
        data[i] ^= (uint8_t)(1 << rand_r(&seed) % 8);
        refused += read_bytes(data, size, &dispatches) != SONDE_OK;
        data[i] = 0xff;
        refused += read_bytes(data, size, &dispatches) != SONDE_OK;
        data[i] = kept;
    }
    assert_true(refused > 20);
    assert_int_equal(read_bytes((const uint8_t *)"not ground truth", 16, &dispatches), SONDE_OK);
    assert_int_equal(dispatches, 0);
    assert_int_equal(read_bytes((const uint8_t *)"XXXX\0\0\0\0\0\0\0\0", 12, &dispatches),
                     SONDE_ERROR_FORMAT);
    struct truth_file file;
    struct sonde_error error;
    assert_int_equal(truth_file_read("/nonexistent", &file, &error), SONDE_ERROR_IO);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_damaged),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
