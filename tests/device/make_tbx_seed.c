/* make_tbx_seed FILE: the bytes a client sends to run one small dispatch, as a
 * seed for the fuzz target of the socket. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake_client.h"

int main(int argc, char **argv)
{
    static const uint32_t idd[8] = {0x1000, 0, 0x80000, 0, 0x100 | 1, 0, 1, 1};
    static const uint32_t commands[] = {
        0x61010011, 1,      0,          0,          1,          0,       0x20001,    0,
        0x20001,    0,      1,          0,          1,          1,       1,          1,
        0,          0,      0,          0x70000007, 0x1000,     0,       0,          0,
        0,          0,      0,          0,          0x70020002, 0,       0x20,       0,
        0x11000001, 0x2600, 7,          0x12000002, 0x2600,     0x20800, 0,          0x17840509,
        0x20804,    0,      1,          0,          0,          0,       0,          0,
        0,          0,      0x0e00c002, 0,          0x20808,    0,       0x10000002, 0x2080c,
        0,          9,      0x7105000d, 0,          32,         0x400,   0,          0,
        0,          2,      0,          0,          1,          0,       1,          0xff,
        0xffffffff};
    /* mov (8) r127 r0; send EOT */
    static const uint32_t code[] = {0x00600001, 0x2fe0020c, 0x008d0000, 0,
                                    0x07000031, 0x20003a04, 0x0e000fe0, 0x82000010};
    uint32_t words[128];
    int fds[2], size = 1 << 20;
    if (argc != 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 2;
    setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    struct client client = {.fd = fds[0], .next_physical = 0x100000};
    client_message(&client, 11, (uint32_t[]){0x00320002}, 1);
    client_make_context(&client, 4);
    client_store(&client, TEST_TAG_ADDRESS, "\0\0\0", 4);
    client_store(&client, 0x20000, idd, sizeof idd);
    client_store(&client, 0x1000, code, sizeof code);
    memcpy(words, commands, sizeof commands);
    unsigned count = sizeof commands / 4;
    count += test_tag(words + count, 1);
    words[count++] = TEST_END;
    client_submit_batch(&client, 0x10000, words, count);
    client_message(&client, 5, (uint32_t[]){0, 0x100000, 4096}, 3);
    client_message(&client, 0, (uint32_t[]){4 << 1, 0x2234, 0}, 3);
    shutdown(fds[0], SHUT_WR);
    FILE *file = fopen(argv[1], "wb");
    uint8_t buffer[4096];
    ssize_t got;
    while (file != NULL && (got = read(fds[1], buffer, sizeof buffer)) > 0)
        fwrite(buffer, 1, (size_t)got, file);
    return file == NULL || fclose(file) != 0;
}
