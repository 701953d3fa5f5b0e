/* Decoded messages against the description that iga64 prints after a send. */
#ifndef TESTS_ISA_MESSAGE_COMPARE_H
#define TESTS_ISA_MESSAGE_COMPARE_H

#include "codec_iga.h"
#include "sonde/gen_message.h"

/* The text after "//" of a disassembled send without the lengths, "" when
 * iga64 has none. */
const char *message_description(struct iga *iga, const struct kv *kv, int32_t pc, char *text,
                                size_t size);

/* False with a text of the first word on which the two differ. */
bool message_agrees(const struct sonde_gen_message *m, const char *description, char *text,
                    size_t size);
/* The same for messages of ugm, slm and tgm. */
bool message_cache_agrees(const struct sonde_gen_message *m, uint8_t sfid, const char *description,
                          char *text, size_t size);

#endif
