/* What an instruction says about the addresses of code. */
#include "rewrite/msp430/firmware.h"

/* Whether a relocation refers to code. */
static enum sonde_status refers_to_code(struct firmware *firmware,
                                        const struct elf_relocation *relocation, bool *code)
{
    const struct elf_symbol *symbol = &firmware->symbols[relocation->symbol];
    *code = symbol->section < SECTION_RESERVED && firmware->sections[symbol->section].is_code;
    if (!*code && symbol->section == SECTION_ABSOLUTE &&
        firmware_code_section(firmware, relocation->target & 0xffff) != NULL && firmware->strict)
        return firmware_refuse(firmware, relocation->address,
                               "refers to 0x%04x by the absolute symbol %.40s: whether that is "
                               "the code there cannot be told",
                               relocation->target, symbol->name);
    return SONDE_OK;
}

static bool is_memory(unsigned mode)
{
    return mode == SONDE_MSP430_MODE_INDEXED || mode == SONDE_MSP430_MODE_SYMBOLIC ||
           mode == SONDE_MSP430_MODE_ABSOLUTE;
}

static bool has_word(unsigned mode)
{
    return is_memory(mode) || mode == SONDE_MSP430_MODE_IMMEDIATE;
}

static bool uses_pc(const struct sonde_msp430_operand *operand)
{
    return operand->reg == 0 && (operand->mode == SONDE_MSP430_MODE_REGISTER ||
                                 operand->mode == SONDE_MSP430_MODE_INDIRECT ||
                                 operand->mode == SONDE_MSP430_MODE_INDEXED ||
                                 operand->mode == SONDE_MSP430_MODE_INDIRECT_INCREMENT);
}

static bool writes_pc(const struct sonde_msp430_instruction *in)
{
    return in->dst.mode == SONDE_MSP430_MODE_REGISTER && in->dst.reg == 0 &&
           in->opcode != SONDE_MSP430_CMP && in->opcode != SONDE_MSP430_BIT &&
           in->opcode != SONDE_MSP430_CMPA;
}

/* One operand: a relocated word, an address relative to PC. */
static enum sonde_status read_operand(struct firmware *firmware,
                                      struct firmware_instruction *instruction,
                                      const struct sonde_msp430_instruction *in,
                                      const struct sonde_msp430_operand *operand, unsigned word)
{
    uint32_t address = instruction->address;
    if (operand->mode == SONDE_MSP430_MODE_SYMBOLIC &&
        firmware_code_section(firmware, (uint32_t)operand->value) != NULL)
        return firmware_refuse(firmware, address, "reads 0x%04x, which is code, as data",
                               (uint32_t)operand->value);
    if (!has_word(operand->mode))
        return SONDE_OK;
    const struct elf_relocation *relocation = firmware_relocation_at(
        firmware, firmware->functions[instruction->function].section, address + 2 * word);
    bool code = false;
    enum sonde_status status =
        relocation == NULL ? SONDE_OK : refers_to_code(firmware, relocation, &code);
    if (status != SONDE_OK || !code)
        return status;
    bool takes_address = in->opcode == SONDE_MSP430_MOV || in->opcode == SONDE_MSP430_CMP ||
                         in->opcode == SONDE_MSP430_PUSH || in->opcode == SONDE_MSP430_CALL;
    if (operand->mode != SONDE_MSP430_MODE_IMMEDIATE)
        return firmware_refuse(firmware, address, "uses 0x%04x, which is code, as data",
                               relocation->target);
    if (!takes_address || in->width != 16 || in->extended ||
        (relocation->type != RELOCATION_16_BYTE && relocation->type != RELOCATION_16))
        return firmware_refuse(firmware, address,
                               "computes with the address 0x%04x of code (or has a relocation of "
                               "MSP430X, type %u)",
                               relocation->target, relocation->type);
    instruction->code_operand = (uint8_t)word;
    instruction->code_target = relocation->target & 0xffff;
    return SONDE_OK;
}

/* A branch or call to a known place needs no relocation to be understood. */
static void read_direct(const struct firmware *firmware, struct firmware_instruction *instruction,
                        const struct sonde_msp430_instruction *in, unsigned word)
{
    bool branches = in->opcode == SONDE_MSP430_MOV && writes_pc(in);
    if (in->src.mode != SONDE_MSP430_MODE_IMMEDIATE || in->width != 16 ||
        (!branches && in->opcode != SONDE_MSP430_CALL))
        return;
    uint32_t target = (uint32_t)in->src.value & 0xffff;
    if (instruction->code_operand == 0 && firmware_code_section(firmware, target) != NULL) {
        instruction->code_operand = (uint8_t)word;
        instruction->code_target = target;
    }
    if (branches)
        instruction->target = target;
}

static void read_jump(const struct firmware *firmware, struct firmware_instruction *instruction,
                      const struct sonde_msp430_instruction *in)
{
    const struct firmware_function *function = &firmware->functions[instruction->function];
    const struct elf_relocation *relocation =
        firmware_relocation_at(firmware, function->section, in->address);
    instruction->is_jump = true;
    instruction->is_conditional = in->opcode != SONDE_MSP430_JMP;
    instruction->falls_through = instruction->is_conditional;
    instruction->target = in->target;
    /* The assembler resolves jumps inside of a function. A jump that names the
     * function enters it again. */
    bool names = relocation != NULL && relocation->type == RELOCATION_10_PCREL &&
                 (firmware->symbols[relocation->symbol].info & 15) == SYMBOL_FUNCTION;
    instruction->is_loop = in->target == in->address || (in->target == function->address && !names);
}

static enum sonde_status check_pc(struct firmware *firmware,
                                  const struct sonde_msp430_instruction *in)
{
    if (!firmware->strict)
        return SONDE_OK;
    bool moves = in->opcode == SONDE_MSP430_MOV || in->opcode == SONDE_MSP430_MOVA;
    if (writes_pc(in) && !moves && in->opcode != SONDE_MSP430_POPM)
        return firmware_refuse(
            firmware, in->address,
            "is a jump over a computed distance, which depends on where code is");
    bool indexed = in->dst.mode == SONDE_MSP430_MODE_INDEXED && in->dst.reg == 0;
    if (uses_pc(&in->src) || indexed)
        return firmware_refuse(firmware, in->address,
                               "takes its own address from PC; what is made of it is not known");
    return SONDE_OK;
}

/* CALLA and the like with an address of code: their relocations are those of
 * MSP430X. */
static enum sonde_status check_wide(struct firmware *firmware,
                                    const struct sonde_msp430_instruction *in)
{
    const struct sonde_msp430_operand *operands[] = {&in->src, &in->dst};
    if (!in->extended && in->width != 20)
        return SONDE_OK;
    for (size_t i = 0; i < 2; i++) {
        if (firmware->strict && has_word(operands[i]->mode) &&
            operands[i]->mode != SONDE_MSP430_MODE_INDEXED &&
            firmware_code_section(firmware, (uint32_t)operands[i]->value & 0xfffff) != NULL)
            return firmware_refuse(firmware, in->address,
                                   "refers to 0x%05x by an instruction of MSP430X, which is not "
                                   "handled yet",
                                   (uint32_t)operands[i]->value & 0xfffff);
    }
    return SONDE_OK;
}

/* Returns, and branches that go to their own function's start. */
static void note_branch(const struct firmware *firmware, struct firmware_instruction *instruction,
                        const struct sonde_msp430_instruction *in, unsigned word)
{
    const struct firmware_function *function = &firmware->functions[instruction->function];
    bool pops =
        in->src.mode == SONDE_MSP430_MODE_INDIRECT_INCREMENT && in->src.reg == 1 && writes_pc(in);
    instruction->is_return = pops || in->opcode == SONDE_MSP430_RETI ||
                             (in->opcode == SONDE_MSP430_POPM && writes_pc(in));
    instruction->is_computed = writes_pc(in) && in->src.mode == SONDE_MSP430_MODE_REGISTER;
    if (instruction->target == FIRMWARE_NONE)
        return;
    const struct elf_relocation *relocation =
        firmware_relocation_at(firmware, function->section, in->address + 2 * word);
    bool names =
        relocation != NULL && (firmware->symbols[relocation->symbol].info & 15) == SYMBOL_FUNCTION;
    instruction->is_loop =
        instruction->target == in->address || (instruction->target == function->address && !names);
}

enum sonde_status firmware_operand_read(struct firmware *firmware,
                                        struct firmware_instruction *instruction,
                                        const struct sonde_msp430_instruction *in)
{
    if (in->opcode >= SONDE_MSP430_JNE && in->opcode <= SONDE_MSP430_JMP) {
        read_jump(firmware, instruction, in);
        return SONDE_OK;
    }
    unsigned word = in->extended ? 2 : 1;
    enum sonde_status status = check_pc(firmware, in);
    if (status == SONDE_OK)
        status = check_wide(firmware, in);
    if (status == SONDE_OK && firmware->strict)
        status = read_operand(firmware, instruction, in, &in->src, word);
    unsigned second = word + (has_word(in->src.mode) ? 1 : 0);
    if (status == SONDE_OK && firmware->strict)
        status = read_operand(firmware, instruction, in, &in->dst, second);
    read_direct(firmware, instruction, in, word);
    instruction->falls_through = !writes_pc(in) && in->opcode != SONDE_MSP430_RETI;
    note_branch(firmware, instruction, in, word);
    return status;
}
