#include "codec_iga.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct context_options {
    size_t size;
    uint32_t platform;
};

struct assemble_options {
    uint32_t size, warnings, encoder, syntax, reserved[2], tokens, scoreboard;
};

struct disassemble_options {
    uint32_t size, formatting, reserved[2], decoder, base;
};

struct diagnostic {
    uint32_t line, column, offset, extent;
    const char *message;
};

struct iga {
    void *library;
    void *context;
    uint32_t platform;
    uint32_t tokens;
    struct kv_functions kv;
    int32_t (*context_create)(const struct context_options *, void **);
    int32_t (*context_release)(void *);
    int32_t (*assemble)(void *, const struct assemble_options *, const char *, void **, uint32_t *);
    int32_t (*warnings)(void *, const struct diagnostic **, uint32_t *);
    int32_t (*disassemble)(void *, const struct disassemble_options *, const void *, uint32_t,
                           const char *(*)(int32_t, void *), void *, char **);
    int32_t (*errors)(void *, const struct iga_diagnostic **, uint32_t *);
};

/* All or nothing: a symbol that is missing makes the oracle unusable. */
static bool find(struct iga *iga, const char *name, void *function)
{
    void *symbol = dlsym(iga->library, name);
    memcpy(function, &symbol, sizeof symbol);
    if (symbol == NULL)
        fprintf(stderr, "libiga64 has no %s\n", name);
    return symbol != NULL;
}

static bool find_all(struct iga *iga)
{
    struct kv_functions *kv = &iga->kv;
    const struct {
        const char *name;
        void *function;
    } symbols[] = {
        {"iga_context_create", &iga->context_create},
        {"iga_context_release", &iga->context_release},
        {"iga_context_assemble", &iga->assemble},
        {"iga_context_disassemble", &iga->disassemble},
        {"iga_context_get_warnings", &iga->warnings},
        {"iga_context_get_errors", &iga->errors},
        {"kv_create", &kv->create},
        {"kv_delete", &kv->delete},
        {"kv_get_inst_size", &kv->inst_size},
        {"kv_has_inst_opt", &kv->has_option},
        {"kv_get_inst_targets", &kv->targets},
        {"kv_get_send_descs", &kv->send_descs},
        {"kv_get_send_indirect_descs", &kv->send_indirect},
        {"kv_get_message_sfid", &kv->message_sfid},
        {"kv_get_message_len", &kv->message_len},
        {"kv_get_send_exbso", &kv->send_exbso},
        {"kv_get_execution_size", &kv->exec_size},
        {"kv_get_number_sources", &kv->sources},
        {"kv_get_opcode", &kv->opcode},
        {"kv_get_inst_syntax", &kv->syntax},
        {"kv_get_subfunction", &kv->subfunction},
        {"kv_get_has_destination", &kv->has_dst},
        {"kv_get_destination_register", &kv->dst_register},
        {"kv_get_destination_sub_register", &kv->dst_subreg},
        {"kv_get_destination_data_type", &kv->dst_type},
        {"kv_get_destination_register_type", &kv->dst_register_type},
        {"kv_get_destination_register_kind", &kv->dst_kind},
        {"kv_get_destination_region", &kv->dst_region},
        {"kv_get_destination_modifier", &kv->dst_modifier},
        {"kv_get_destination_indirect_imm_off", &kv->dst_offset},
        {"kv_get_destination_mme_number", &kv->dst_mme},
        {"kv_get_source_register", &kv->src_register},
        {"kv_get_source_sub_register", &kv->src_subreg},
        {"kv_get_source_data_type", &kv->src_type},
        {"kv_get_source_register_type", &kv->src_register_type},
        {"kv_get_source_register_kind", &kv->src_kind},
        {"kv_get_source_region", &kv->src_region},
        {"kv_get_source_immediate", &kv->src_immediate},
        {"kv_get_source_indirect_imm_off", &kv->src_offset},
        {"kv_get_source_mme_number", &kv->src_mme},
        {"kv_get_source_modifier", &kv->src_modifier},
        {"kv_get_channel_offset", &kv->channel_offset},
        {"kv_get_mask_control", &kv->mask_control},
        {"kv_get_flag_modifier", &kv->flag_modifier},
        {"kv_get_flag_register", &kv->flag_register},
        {"kv_get_flag_sub_register", &kv->flag_subreg},
        {"kv_get_predicate", &kv->predicate},
        {"kv_get_is_inverse_predicate", &kv->predicate_inverse},
    };
    bool all = true;
    for (size_t n = 0; n < sizeof symbols / sizeof *symbols; n++)
        all = find(iga, symbols[n].name, symbols[n].function) && all;
    return all;
}

struct iga *iga_open(void)
{
    return iga_open_platform(SONDE_GEN_PLATFORM_GEN9);
}

struct iga *iga_open_platform(enum sonde_gen_platform platform)
{
    static const uint32_t numbers[SONDE_GEN_PLATFORM_COUNT] = {
        IGA_GEN9, 11u << 16, 1u << 24, 1u << 24 | 1, 1u << 24 | 2, 1u << 24 | 4};
    struct iga *iga = calloc(1, sizeof *iga);
    if (iga == NULL)
        return NULL;
    iga->platform = numbers[platform];
    iga->tokens = platform == SONDE_GEN_PLATFORM_XEHPC ? 32 : 16;
    iga->library = dlopen("libiga64.so.1", RTLD_NOW | RTLD_LOCAL);
    if (iga->library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        free(iga);
        return NULL;
    }
    iga->platform = numbers[platform];
    struct context_options options = {sizeof options, iga->platform};
    if (!find_all(iga) || iga->context_create(&options, &iga->context) != 0) {
        dlclose(iga->library);
        free(iga);
        return NULL;
    }
    return iga;
}

void iga_close(struct iga *iga)
{
    iga->context_release(iga->context);
    dlclose(iga->library);
    free(iga);
}

const uint8_t *iga_assemble(struct iga *iga, const char *text, uint32_t encoder, size_t *size)
{
    struct assemble_options options = {
        .size = sizeof options, .encoder = encoder, .tokens = iga->tokens};
    void *code = NULL;
    uint32_t bytes = 0;
    if (iga->assemble(iga->context, &options, text, &code, &bytes) != 0)
        return NULL;
    *size = bytes;
    return code;
}

int iga_warnings(struct iga *iga, const char *text, const char **first)
{
    struct assemble_options options = {.size = sizeof options,
                                       .warnings = UINT32_MAX,
                                       .encoder = IGA_ENCODE_NO_COMPACT,
                                       .tokens = 16};
    void *code = NULL;
    uint32_t bytes = 0, count = 0;
    const struct diagnostic *list = NULL;
    if (iga->assemble(iga->context, &options, text, &code, &bytes) != 0 ||
        iga->warnings(iga->context, &list, &count) != 0)
        return -1;
    *first = count > 0 ? list[0].message : "";
    return (int)count;
}

const char *iga_disassemble(struct iga *iga, const uint8_t *code, size_t size)
{
    struct disassemble_options options = {.size = sizeof options};
    char *text = NULL;
    if (iga->disassemble(iga->context, &options, code, (uint32_t)size, NULL, NULL, &text) != 0)
        return NULL;
    return text;
}

const char *iga_disassemble_any(struct iga *iga, const uint8_t *code, size_t size)
{
    struct disassemble_options options = {.size = sizeof options};
    char *text = NULL;
    iga->disassemble(iga->context, &options, code, (uint32_t)size, NULL, NULL, &text);
    return text;
}

const struct iga_diagnostic *iga_errors(struct iga *iga, size_t *count)
{
    const struct iga_diagnostic *errors = NULL;
    uint32_t found = 0;
    iga->errors(iga->context, &errors, &found);
    *count = found;
    return errors;
}

bool kv_open(struct iga *iga, struct kv *kv, const uint8_t *code, size_t size)
{
    kv->messages[0] = '\0';
    kv->view = iga->kv.create(iga->platform, code, size, &kv->status, kv->messages,
                              sizeof kv->messages, 0);
    return kv->view != NULL;
}

void kv_close(struct iga *iga, struct kv *kv)
{
    iga->kv.delete(kv->view);
}

const struct kv_functions *iga_kv(struct iga *iga)
{
    return &iga->kv;
}
