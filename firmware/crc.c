/* CRC-16 (CCITT) and CRC-32 of generated data, bit by bit. */
#include "program.h"

static NOINLINE uint16_t crc16(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)(crc ^ (uint16_t)byte << 8);
    for (uint8_t i = 0; i < 8; i++)
        crc = (uint16_t)(crc & 0x8000 ? (uint16_t)(crc << 1) ^ 0x1021 : crc << 1);
    return crc;
}

static NOINLINE uint32_t crc32(uint32_t crc, uint8_t byte)
{
    crc ^= byte;
    for (uint8_t i = 0; i < 8; i++)
        crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    return crc;
}

uint16_t run(void)
{
    uint16_t a = 0xffff;
    uint32_t b = 0xffffffffu;
    uint8_t byte = 1;
    for (uint16_t i = 0; i < 300; i++) {
        byte = (uint8_t)(byte * 5 + 3);
        a = crc16(a, byte);
        b = crc32(b, byte);
    }
    return (uint16_t)(a ^ (uint16_t)b ^ (uint16_t)(b >> 16));
}
