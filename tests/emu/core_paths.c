/* The vectorised paths against the general one: random instructions over
 * random registers leave the same register file and flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"
#include "emu/gen/core.h"

#define KERNELS      400
#define INSTRUCTIONS 12
#define LINE         200

struct machines {
    struct core_machine *general, *baseline, *best;
};

static uint32_t pick(uint32_t count)
{
    return (uint32_t)(core_random() >> 33) % count;
}

static const char *const integer_types[] = {"ub", "b", "uw", "w", "ud", "d", "uq", "q"};
static const unsigned integer_sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};
static const char *const float_types[] = {"hf", "f", "df"};
static const unsigned float_sizes[] = {2, 4, 8};
static const char *const conditions[] = {"eq", "ne", "gt", "ge", "lt", "le"};

/* One opcode of the test, and what its instructions may look like. */
struct form {
    const char *name;
    unsigned sources;
    bool integer, floating;
    bool condition; /* may have a condition modifier */
    bool needs_condition;
    bool saturate, modifiers, logic;
    bool ternary;
};

static const struct form forms[] = {
    {"mov", 1, true, true, false, false, true, true, false, false},
    {"add", 2, true, true, true, false, true, true, false, false},
    {"mul", 2, true, true, true, false, true, true, false, false},
    {"and", 2, true, false, true, false, false, true, true, false},
    {"or", 2, true, false, true, false, false, true, true, false},
    {"xor", 2, true, false, true, false, false, true, true, false},
    {"not", 1, true, false, true, false, false, true, true, false},
    {"shl", 2, true, false, true, false, true, false, false, false},
    {"shr", 2, true, false, true, false, false, false, false, false},
    {"asr", 2, true, false, true, false, false, false, false, false},
    {"cmp", 2, true, true, true, true, false, true, false, false},
    {"sel", 2, true, true, true, true, false, true, false, false},
    {"rndd", 1, false, true, false, false, true, true, false, false},
    {"rnde", 1, false, true, false, false, true, true, false, false},
    {"rndu", 1, false, true, false, false, true, true, false, false},
    {"rndz", 1, false, true, false, false, true, true, false, false},
    {"frc", 1, false, true, false, false, false, true, false, false},
    {"lzd", 1, true, false, false, false, false, false, false, false},
    {"fbh", 1, true, false, false, false, false, false, false, false},
    {"fbl", 1, true, false, false, false, false, false, false, false},
    {"cbit", 1, true, false, false, false, false, false, false, false},
    {"bfrev", 1, true, false, false, false, false, false, false, false},
    {"bfi1", 2, true, false, false, false, false, false, false, false},
    {"bfe", 3, true, false, false, false, false, false, false, true},
    {"bfi2", 3, true, false, false, false, false, false, false, true},
    {"mad", 3, true, true, true, false, true, true, false, true},
};

static void source_text(char *text, const struct form *form, unsigned reg, const char *type,
                        unsigned size, unsigned exec, bool last)
{
    char sign[8] = "";
    uint32_t choice = pick(8);
    if (form->modifiers && choice == 0)
        strcpy(sign, form->logic ? "~" : "-");
    else if (form->modifiers && !form->logic && choice == 1)
        strcpy(sign, "(abs)");
    else if (form->modifiers && !form->logic && choice == 2)
        strcpy(sign, "-(abs)");
    bool integer = type[strlen(type) - 1] != 'f';
    if (last && integer && size == 2 && pick(3) == 0) {
        snprintf(text, LINE, "0x%x:%s", pick(65536), type);
        return;
    }
    if (last && integer && size == 4 && pick(3) == 0) {
        snprintf(text, LINE, "0x%x:%s", (uint32_t)core_random(), type);
        return;
    }
    unsigned width = exec * size <= 32 ? exec : 32 / size;
    if (width > 16)
        width = 16;
    unsigned region = pick(4);
    unsigned subreg = region == 0 ? pick(32 / size) : 0;
    if (exec == 1 || region == 0)
        snprintf(text, LINE, "%sr%u.%u<0;1,0>:%s", sign, reg, exec == 1 ? pick(32 / size) : subreg,
                 type);
    else if (region == 1 && exec * size * 2 <= 64)
        snprintf(text, LINE, "%sr%u.0<2;1,0>:%s", sign, reg, type);
    else if (region == 2 && exec * size * 2 <= 64 && exec >= 8)
        snprintf(text, LINE, "%sr%u.0<8;4,2>:%s", sign, reg, type);
    else
        snprintf(text, LINE, "%sr%u.0<%u;%u,1>:%s", sign, reg, width, width, type);
}

/* Types of an instruction: 0-7 integers, 8-10 floats. */
static const char *type_name(unsigned type)
{
    return type >= 8 ? float_types[type - 8] : integer_types[type];
}

static unsigned type_bytes(unsigned type)
{
    return type >= 8 ? float_sizes[type - 8] : integer_sizes[type];
}

static void choose_types(const struct form *form, unsigned *source, unsigned *dst)
{
    bool floating = form->floating && (!form->integer || pick(2));
    bool mov = !strcmp(form->name, "mov");
    unsigned base = floating ? 9 + (pick(4) == 0) : 0;
    for (unsigned i = 0; i < form->sources; i++)
        source[i] = mov && floating ? 8 + pick(3) : floating ? base : pick(8);
    *dst = mov ? (pick(2) ? pick(8) : 8 + pick(3)) : floating ? base : pick(8);
    if (!strcmp(form->name, "cmp") && !floating)
        *dst = 4 + pick(2);
}

static void make_binary(char *line, const struct form *form, unsigned dst, unsigned exec)
{
    char source[2][LINE] = {"", ""};
    unsigned types[2] = {0, 0}, dst_type;
    choose_types(form, types, &dst_type);
    while (exec > 1 && (exec * type_bytes(types[0]) > 64 || exec * type_bytes(types[1]) > 64 ||
                        exec * type_bytes(dst_type) > 64))
        exec /= 2;
    for (unsigned i = 0; i < form->sources; i++)
        source_text(source[i], form, 1 + pick(60), type_name(types[i]), type_bytes(types[i]), exec,
                    i == 1);
    bool sel = !strcmp(form->name, "sel"), sel_predicate = sel && pick(2);
    bool condition = (form->needs_condition || (form->condition && pick(3) == 0)) && !sel_predicate;
    const char *name = sel ? conditions[pick(2) ? 3 : 4] : conditions[pick(6)];
    bool predicate = (!condition && pick(3) == 0) || sel_predicate;
    unsigned stride = exec > 1 && exec * type_bytes(dst_type) <= 32 && pick(4) == 0 ? 2 : 1;
    snprintf(line, LINE * 4, "%s %s (%u|M0) %s%s%s %sr%u.0<%u>:%s %s %s\n",
             predicate ? "(W&f0.1)" : "(W)", form->name, exec, condition ? "(" : "",
             condition ? name : "", condition ? ")f1.0" : "",
             form->saturate && pick(4) == 0 ? "(sat)" : "", dst, stride, type_name(dst_type),
             source[0], source[1]);
}

static void make_ternary(char *line, const struct form *form, unsigned dst, unsigned exec)
{
    static const char *const types[] = {"f", "f", "df", "d", "ud"};
    const char *type = types[form->floating ? pick(3) : 3 + pick(2)];
    if (exec > 16)
        exec = 16;
    if (!strcmp(type, "df") && exec > 8)
        exec = 8;
    char source[3][LINE];
    for (unsigned i = 0; i < 3; i++) {
        const char *sign = form->modifiers && pick(4) == 0 ? "-" : "";
        unsigned reg = 1 + pick(60);
        if (pick(3) == 0 && strcmp(type, "df") != 0) /* no scalars of doubles */
            snprintf(source[i], LINE, "%sr%u.%u<0%s>:%s", sign, reg, pick(4), i < 2 ? ";0" : "",
                     type);
        else
            snprintf(source[i], LINE, "%sr%u.0<%s1>:%s", sign, reg, i < 2 ? "2;" : "", type);
    }
    snprintf(line, LINE * 4, "(W) %s (%u|M0) %s r%u.0<1>:%s %s %s %s\n", form->name, exec,
             form->condition && pick(4) == 0 ? "(gt)f1.0" : "", dst, type, source[0], source[1],
             source[2]);
}

static void make_kernel(char *text, char lines[][LINE * 4])
{
    strcpy(text, "(W) mov (1|M0) f0.1<1>:uw r64.0<0;1,0>:uw\n");
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        const struct form *form = &forms[pick(sizeof(forms) / sizeof(forms[0]))];
        unsigned exec = 1u << pick(6);
        if (pick(2))
            exec = pick(2) ? 8 : 16;
        if (form->ternary)
            make_ternary(lines[i], form, 70 + 4 * i, exec == 2 ? 1 : exec);
        else
            make_binary(lines[i], form, 70 + 4 * i, exec);
        strcat(text, lines[i]);
        snprintf(text + strlen(text), LINE, "(W) mov (1|M0) r%u.%u<1>:ud f1.0<0;1,0>:ud\n",
                 65 + i / 8, i % 8);
    }
}

/* Bits that are often interesting: small, extreme, denormal, NaN. */
static void fill_payload(struct core_machine *machine)
{
    static const uint32_t special[] = {0,          1,          0x80000000, 0x7fffffff,
                                       0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x3f800000, 0x00000001, 0x00800000, 0x4f000000,
                                       0xcf000000, 0x0000ffff, 0x3c003c00, 0x7bff0001};
    uint32_t *words = (uint32_t *)(void *)machine->payload;
    for (size_t i = 0; i < sizeof(machine->payload) / 4; i++) {
        uint32_t kind = pick(4);
        words[i] = kind == 0   ? special[pick(16)]
                   : kind == 1 ? (uint32_t)core_random() % 300
                   : kind == 2 ? 0x3f000000 + (uint32_t)(core_random() % 0x3000000)
                               : (uint32_t)core_random();
    }
}

static bool is_nan_pair(const struct core_machine *a, const struct core_machine *b, size_t byte)
{
    float x, y;
    double dx, dy;
    memcpy(&x, a->grf + (byte & ~3u), 4);
    memcpy(&y, b->grf + (byte & ~3u), 4);
    memcpy(&dx, a->grf + (byte & ~7u), 8);
    memcpy(&dy, b->grf + (byte & ~7u), 8);
    uint16_t hx, hy;
    memcpy(&hx, a->grf + (byte & ~1u), 2);
    memcpy(&hy, b->grf + (byte & ~1u), 2);
    bool half = (hx & 0x7fff) > 0x7c00 && (hy & 0x7fff) > 0x7c00;
    return (x != x && y != y) || (dx != dx && dy != dy) || half;
}

static void compare_machines(const struct core_machine *general, const struct core_machine *fast,
                             const char *path, char lines[][LINE * 4])
{
    for (size_t byte = 32 * 65; byte < CORE_GRF_BYTES; byte++) {
        if (general->grf[byte] == fast->grf[byte] || is_nan_pair(general, fast, byte))
            continue;
        size_t reg = byte / 32, which = reg >= 70 ? (reg - 70) / 4 : (byte - 32 * 65) / 4;
        fail_msg("%s path differs at r%zu byte %zu: %02x, general %02x:\n%s", path, reg, byte % 32,
                 fast->grf[byte], general->grf[byte], lines[which % INSTRUCTIONS]);
    }
}

static void random_instructions(void **state)
{
    struct machines *machines = *state;
    if (!machines->general)
        skip();
    static char text[LINE * 4 * INSTRUCTIONS], lines[INSTRUCTIONS][LINE * 4];
    for (unsigned kernel = 0; kernel < KERNELS; kernel++) {
        make_kernel(text, lines);
        fill_payload(machines->general);
        memcpy(machines->baseline->payload, machines->general->payload, CORE_GRF_BYTES);
        memcpy(machines->best->payload, machines->general->payload, CORE_GRF_BYTES);
        core_execute(machines->general, text);
        core_execute(machines->baseline, text);
        core_execute(machines->best, text);
        compare_machines(machines->general, machines->baseline, "baseline", lines);
        compare_machines(machines->general, machines->best, "best", lines);
    }
}

/* csel, of Gen12: its types and relations, also with sources that are scalars
 * or changed in sign, and masked. */
static void make_csel(char *line, unsigned dst)
{
    static const char *const types[] = {"f", "f", "hf", "d", "ud", "w", "uw"};
    const char *type = types[pick(7)];
    bool is_float = type[strlen(type) - 1] == 'f';
    unsigned exec = 8u << pick(2);
    char source[3][LINE];
    for (unsigned i = 0; i < 3; i++) {
        const char *sign = pick(4) == 0 ? is_float && pick(2) ? "-(abs)" : "-" : "";
        unsigned reg = 1 + pick(60);
        if (pick(3) == 0)
            snprintf(source[i], LINE, "%sr%u.%u<0%s>:%s", sign, reg, pick(4), i < 2 ? ";0" : "",
                     type);
        else
            snprintf(source[i], LINE, "%sr%u.0<%s>:%s", sign, reg, i < 2 ? "8;1" : "1", type);
    }
    snprintf(line, LINE * 4, "(W) csel (%u|M0) (%s)f1.0 r%u.0<1>:%s %s %s %s\n", exec,
             conditions[pick(6)], dst, type, source[0], source[1], source[2]);
}

static void random_selections(void **state)
{
    struct machines *machines = *state;
    if (!machines->general)
        skip();
    struct core_machine *all[] = {machines->general, machines->baseline, machines->best};
    static char text[LINE * 4 * INSTRUCTIONS], lines[INSTRUCTIONS][LINE * 4];
    for (unsigned i = 0; i < 3; i++)
        if (!core_use_platform(all[i], SONDE_GEN_PLATFORM_XE))
            skip();
    for (unsigned kernel = 0; kernel < KERNELS / 4; kernel++) {
        text[0] = '\0';
        for (unsigned i = 0; i < INSTRUCTIONS; i++) {
            make_csel(lines[i], 70 + 4 * i);
            strcat(text, lines[i]);
        }
        fill_payload(machines->general);
        for (unsigned i = 0; i < 3; i++) {
            memcpy(all[i]->payload, machines->general->payload, CORE_GRF_BYTES);
            core_execute(all[i], text);
        }
        compare_machines(machines->general, machines->baseline, "baseline", lines);
        compare_machines(machines->general, machines->best, "best", lines);
    }
}

static int setup(void **state)
{
    static struct machines machines;
    static const struct emu_options options = {.host_threads = 1, .max_instructions = 100000};
    *state = &machines;
    machines.general = core_machine_create(&options);
    if (!machines.general)
        return 0;
    machines.baseline = core_machine_create(&options);
    machines.best = core_machine_create(&options);
    emu_choose_path(machines.general->emu, EMU_PATH_GENERAL);
    emu_choose_path(machines.baseline->emu, EMU_PATH_BASELINE);
    return 0;
}

static int teardown(void **state)
{
    struct machines *machines = *state;
    core_machine_destroy(machines->general);
    core_machine_destroy(machines->baseline);
    core_machine_destroy(machines->best);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_instructions),
                                       cmocka_unit_test(random_selections)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
