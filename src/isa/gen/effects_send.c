/* What messages read and write: payloads, response, memory. */
#include "sonde/gen_message.h"

#include "isa/gen/effects.h"

#define MAX_PAYLOAD       15u
#define MAX_PAYLOAD_SPLIT 31u
#define MAX_RESPONSE      31u

static void read_payload(const struct isa_gen_marker *reads, const struct sonde_gen_operand *o,
                         unsigned registers)
{
    unsigned size = reads->registers->grf_size;
    if (o->indirect) {
        isa_gen_mark_address(reads->effect, o, 1);
        reads->effect->grf_unknown = true;
    } else if (o->file == SONDE_GEN_FILE_GRF) {
        isa_gen_mark_grf(reads, o->number * size, registers * size);
    }
}

/* True when the response fills its registers in every enabled channel. */
static bool response_is_whole(const struct sonde_gen_message *m,
                              const struct sonde_gen_instruction *i)
{
    unsigned bytes = m->response_registers * (unsigned)isa_gen_registers_of(i->platform)->grf_size;
    if (m->operation != SONDE_GEN_MESSAGE_READ)
        return false;
    switch ((enum sonde_gen_message_layout)m->layout) {
    case SONDE_GEN_LAYOUT_OWORD_BLOCK:
    case SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED:
    case SONDE_GEN_LAYOUT_HWORD_BLOCK:
    case SONDE_GEN_LAYOUT_SCRATCH_BLOCK:
    case SONDE_GEN_LAYOUT_BLOCK:
        return (unsigned)m->elements * m->element_size == bytes;
    case SONDE_GEN_LAYOUT_SCATTERED:
    case SONDE_GEN_LAYOUT_UNTYPED:
        return m->element_size == m->element_slot && m->simd == i->exec_size &&
               (unsigned)m->elements * m->element_slot * m->simd == bytes;
    default:
        return false;
    }
}

static void memory_effects(struct sonde_gen_effects *effects, const struct sonde_gen_message *m)
{
    switch ((enum sonde_gen_message_operation)m->operation) {
    case SONDE_GEN_MESSAGE_READ:
    case SONDE_GEN_MESSAGE_SAMPLE:
    case SONDE_GEN_MESSAGE_TYPED_READ:
    case SONDE_GEN_MESSAGE_MEDIA_READ:
    case SONDE_GEN_MESSAGE_READ_STATUS:
        effects->reads.memory = true;
        break;
    case SONDE_GEN_MESSAGE_WRITE:
    case SONDE_GEN_MESSAGE_TYPED_WRITE:
    case SONDE_GEN_MESSAGE_MEDIA_WRITE:
        effects->writes.memory = true;
        break;
    case SONDE_GEN_MESSAGE_FENCE:
    case SONDE_GEN_MESSAGE_BARRIER:
    case SONDE_GEN_MESSAGE_GATEWAY:
    case SONDE_GEN_MESSAGE_END_OF_THREAD:
    case SONDE_GEN_MESSAGE_CACHE_FLUSH:
        break;
    case SONDE_GEN_MESSAGE_ATOMIC:
    case SONDE_GEN_MESSAGE_TYPED_ATOMIC:
    case SONDE_GEN_MESSAGE_UNKNOWN:
        effects->reads.memory = effects->writes.memory = true;
        break;
    }
}

/* Registers of the second payload. From XeHP on the instruction holds the
 * length also beside a register descriptor in its bindless-offset form; in the
 * other forms the register holds it. */
static unsigned split_length(const struct sonde_gen_instruction *i)
{
    if (!i->send.ex_descriptor_is_register || i->send.ex_bso)
        return i->send.src1_length;
    return MAX_PAYLOAD_SPLIT;
}

void isa_gen_send_effects(const struct sonde_gen_instruction *instruction,
                          struct sonde_gen_effects *effects)
{
    const struct sonde_gen_instruction *i = instruction;
    const struct isa_gen_registers *registers = isa_gen_registers_of(i->platform);
    const struct isa_gen_marker reads = {&effects->reads, registers};
    const struct isa_gen_marker writes = {&effects->writes, registers};
    struct sonde_gen_message m;
    sonde_gen_message_decode(i, &m, NULL);
    unsigned payload = m.payload_registers, response = m.response_registers;
    if (i->send.descriptor_is_register) {
        effects->reads.address |= 3; /* a0.0:ud */
        payload = MAX_PAYLOAD;
        response = MAX_RESPONSE;
    }
    if (i->send.ex_descriptor_is_register)
        effects->reads.address |= (uint16_t)(3u << (i->send.ex_descriptor_subreg & 15));
    read_payload(&reads, &i->src[0], payload);
    if (i->source_count > 1)
        read_payload(&reads, &i->src[1], split_length(i));
    memory_effects(effects, &m);
    bool whole = response_is_whole(&m, i);
    if (i->dst.indirect) {
        isa_gen_mark_address(&effects->reads, &i->dst, 1);
        effects->writes.grf_unknown = response > 0;
        whole = false;
    } else if (i->dst.file == SONDE_GEN_FILE_GRF) {
        unsigned size = registers->grf_size;
        isa_gen_mark_grf(&writes, i->dst.number * size, response * size);
    }
    if (!whole)
        effects->write_is_partial = true;
}
