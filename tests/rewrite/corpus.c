/* The property that everything rests on: random legal procedures at random
 * places of compiled kernels change nothing that the kernels compute, and no
 * kernel is refused for lack of registers.
 *
 * usage: rewrite-corpus SEEDS[@FIRST] FILE... (of the offline compiler)
 *
 * To find out why one fails: CORPUS_KERNEL and CORPUS_SEED choose it,
 * CORPUS_POINT one of its procedures, CORPUS_LAST the last of them, CORPUS_DUMP says where to write
 * the instrumented code, CORPUS_VERBOSE prints more. */
#include "random_procedure.h"
#include "sonde/dependency.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS    32u
#define OWN_AT     0x0ffff8u /* the profile buffer's address, for those that fetch it */
#define PRIVATE_AT 0x100000u
#define SPILL_AT   0x400000u
#define POINTS     20u
#define MOST       400000u /* instructions of an original */
#define MOST_AFTER 40000000u

struct tally {
    unsigned kernels, refused, left_out, runs, failed, refused_procedures, racing;
    unsigned long long spills, buffer_spills, points;
};

struct item {
    const uint8_t *file;
    size_t size;
    unsigned index;
    const struct sonde_image_kernel *kernel;
    const char *path;
    bool skip; /* enter behind the prolog */
    struct sonde_kernel *model;
    uint64_t *executions;
    uint8_t *window;
    uint64_t out_of_bounds;
    size_t dependencies; /* that the original itself leaves open */
    bool runs;
};

static bool complain(struct tally *tally, const struct item *item, uint64_t seed, const char *what,
                     const char *detail)
{
    printf("%s: %s%s, seed %llu: %s: %s\n", item->path, item->kernel->info.name,
           item->skip ? " (late entry)" : "", (unsigned long long)seed, what, detail);
    fflush(stdout);
    tally->failed++;
    return false;
}

struct code_check {
    const struct sonde_kernel_info *original;
    struct sonde_kernel *kernel;
    size_t open;
};

/* Bytes of a payload that hold no value: who writes them need not wait until
 * the message has read the rest of the register. */
static bool is_unused(const struct sonde_kernel_info *info,
                      const struct sonde_dependency *dependency)
{
    uint32_t first = dependency->byte, end = first + dependency->length;
    if (dependency->kind != SONDE_DEPENDENCY_WRITE_AFTER_READ || dependency->length == 0)
        return false;
    for (size_t i = 0; info->has_free_ranges && i < info->free_range_count; i++)
        if (info->free_ranges[i].start <= first &&
            end <= (uint32_t)info->free_ranges[i].start + info->free_ranges[i].size)
            return true;
    return false;
}

static void show(void *context, const struct sonde_dependency *dependency)
{
    char text[300];
    struct code_check *check = context;
    if (is_unused(check->original, dependency))
        return;
    check->open++;
    if (getenv("CORPUS_VERBOSE") == NULL)
        return;
    sonde_dependency_print(check->kernel, dependency, text, sizeof text);
    puts(text);
}

static size_t open_dependencies(const struct sonde_kernel_info *like, const uint8_t *code,
                                size_t size)
{
    struct sonde_kernel_info info = *like;
    struct code_check check = {.original = like};
    size_t all = 0;
    info.isa = code;
    info.isa_size = size;
    info.has_free_ranges = false;
    info.per_thread_prolog_size = 0;
    if (sonde_kernel_create(&info, &check.kernel, NULL) != SONDE_OK)
        return SIZE_MAX;
    if (sonde_kernel_check_dependencies(check.kernel, show, &check, &all, NULL) != SONDE_OK)
        check.open = SIZE_MAX;
    sonde_kernel_destroy(check.kernel);
    return check.open;
}

static bool has_scoreboard(const struct item *item)
{
    return item->kernel->info.platform >= SONDE_GEN_PLATFORM_XE;
}

/* For who looks for the reason. */
static void dump(const struct sonde_rewritten *out)
{
    const char *path = getenv("CORPUS_DUMP");
    FILE *file = path == NULL ? NULL : fopen(path, "wb");
    if (file == NULL)
        return;
    fwrite(out->code + out->instrumented_entry, 1, out->size - out->instrumented_entry, file);
    fclose(file);
}

/* Half of the seeds each: model of addresses, and where registers come from. */
static struct sonde_kernel *open_model(const struct item *item, uint64_t seed)
{
    struct sonde_kernel_info info = item->kernel->info;
    struct sonde_kernel *model = NULL;
    if (seed % 3 != 0)
        info.scratch_size = 0; /* as the driver has it */
    if (seed % 4 == 3)
        info.has_free_ranges = false;
    sonde_kernel_create(&info, &model, NULL);
    return model;
}

/* Instructions without effect: they only take time. */
static bool insert_delays(struct sonde_instrument *made, uint64_t seed)
{
    struct sonde_coder *coder = sonde_instrument_coder(made);
    struct sonde_kernel *kernel = sonde_instrument_kernel(made);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "delay");
    struct sonde_gen_instruction move;
    sonde_gen_instruction_init(&move, sonde_kernel_info(kernel)->platform, SONDE_GEN_MOV, 1, true);
    move.source_count = 1;
    move.dst.file = SONDE_GEN_FILE_ARF;
    move.dst.number = SONDE_GEN_ARF_NULL;
    move.dst.type = move.src[0].type = SONDE_GEN_TYPE_UD;
    move.dst.hstride = 1;
    move.src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    for (uint64_t n = 0; n < 40 + 500 * (seed % 8); n++)
        if (sonde_coder_append_instruction(coder, procedure, &move, NULL) != SONDE_OK)
            return false;
    uint64_t state = seed + 1;
    for (unsigned n = 0; n < POINTS; n++) {
        uint32_t i = machine_random(&state) % (uint32_t)sonde_kernel_instruction_count(kernel);
        if (sonde_instrument_insertion_refusal(made, i, SONDE_BEFORE) == NULL)
            sonde_instrument_instruction(made, i, SONDE_BEFORE, procedure, NULL);
    }
    return true;
}

/* Whether the kernel computes something else when its threads are
 * slower: work-items race, and no result is the right one. */
static bool races(struct world *world, const struct item *item)
{
    uint32_t skip = item->skip ? item->kernel->skip_per_thread_offset : 0;
    struct sonde_coder_options options = {.maximum_threads = 168};
    bool differs = false;
    for (uint64_t seed = 0; seed < 24 && !differs; seed++) {
        struct sonde_instrument *made = NULL;
        struct sonde_rewritten out = {.code = NULL};
        struct sonde_kernel *model = NULL;
        sonde_kernel_create(&item->kernel->info, &model, NULL);
        if (sonde_instrument_create(model, &options, &made, NULL) == SONDE_OK &&
            insert_delays(made, seed) && sonde_instrument_emit(made, &out, NULL) == SONDE_OK &&
            world_set_kernel(world, item->file, item->size, item->index, item->kernel,
                             item->skip) &&
            world_run(world, out.code, out.size, out.instrumented_entry + skip))
            differs = memcmp(item->window, world->window, WORLD_WINDOW_BYTES) != 0;
        sonde_rewritten_clear(&out);
        sonde_instrument_destroy(made);
        sonde_kernel_destroy(model);
    }
    return differs;
}

static bool check_run(struct world *world, const struct item *item, uint64_t seed,
                      const struct sonde_rewritten *out, struct tally *tally)
{
    uint32_t skip = item->skip ? item->kernel->skip_per_thread_offset : 0;
    uint64_t address = world_profile_address();
    char detail[200];
    memcpy(world->profile + OWN_AT, &address, sizeof address);
    if (!world_set_kernel(world, item->file, item->size, item->index, item->kernel, item->skip) ||
        !world_run(world, out->code, out->size, out->instrumented_entry + skip))
        return complain(tally, item, seed, "instrumented", world->result.fault.reason);
    if (memcmp(item->window, world->window, WORLD_WINDOW_BYTES) != 0) {
        bool race = races(world, item);
        tally->racing += race;
        if (race && getenv("CORPUS_VERBOSE") != NULL)
            printf("%s: %s races\n", item->path, item->kernel->info.name);
        dump(out);
        return race || complain(tally, item, seed, "results", "differ");
    }
    if (world->result.out_of_bounds != item->out_of_bounds)
        return complain(tally, item, seed, "accesses", "out of bounds");
    for (size_t i = 0; i < sonde_kernel_instruction_count(item->model); i++) {
        uint32_t at = out->instruction_offsets[i] - out->instrumented_entry - skip;
        if (world_executions(world, at) == item->executions[i])
            continue;
        snprintf(detail, sizeof detail, "%s at 0x%x runs %llu times, not %llu",
                 sonde_gen_opcode_mnemonic(sonde_kernel_instruction(item->model, i)->opcode),
                 sonde_kernel_instruction(item->model, i)->offset,
                 (unsigned long long)world_executions(world, at),
                 (unsigned long long)item->executions[i]);
        return complain(tally, item, seed, "executions", detail);
    }
    return true;
}

static bool check_code(const struct item *item, uint64_t seed, const struct sonde_rewritten *out,
                       struct tally *tally)
{
    if (!has_scoreboard(item) || item->dependencies != 0)
        return true;
    size_t count = open_dependencies(&item->kernel->info, out->code + out->instrumented_entry,
                                     out->size - out->instrumented_entry);
    if (count != 0)
        dump(out);
    return count == 0 || complain(tally, item, seed, "dependencies", "left open");
}

static enum sonde_status instrument(struct sonde_instrument *made, uint64_t seed,
                                    struct sonde_rewritten *out, struct tally *tally,
                                    struct sonde_error *error)
{
    struct random_procedures random;
    enum sonde_status status =
        sonde_instrument_set_spill_area(made, SPILL_AT, WORLD_PROFILE_BYTES - SPILL_AT, error);
    random_procedures_open(&random, made, 0, BUCKETS, seed, seed % 2 != 0);
    random.private_base = PRIVATE_AT;
    size_t count = sonde_kernel_instruction_count(sonde_instrument_kernel(made));
    uint32_t points = count < POINTS ? (uint32_t)count : POINTS;
    const char *only = getenv("CORPUS_POINT"), *last = getenv("CORPUS_LAST");
    for (uint32_t n = 0; n < points && status == SONDE_OK; n++) {
        random.dry = (only != NULL && strtoul(only, NULL, 0) != n) ||
                     (last != NULL && strtoul(last, NULL, 0) < n);
        if (random_procedures_insert(&random))
            continue;
        *error = random.error;
        status = SONDE_ERROR_ARGUMENT;
    }
    if (status == SONDE_OK)
        status = sonde_instrument_emit(made, out, error);
    tally->points += points;
    tally->spills += out->spills;
    tally->buffer_spills += out->buffer_spills;
    return status;
}

static void check_seed(struct world *world, const struct item *item, uint64_t seed,
                       struct tally *tally)
{
    struct sonde_error error = {.message = ""};
    struct sonde_rewritten out = {.code = NULL};
    struct sonde_instrument *made = NULL;
    struct sonde_kernel *model = open_model(item, seed);
    struct sonde_coder_options options = {
        .buffer_model = seed % 2 ? SONDE_BUFFER_STATELESS : SONDE_BUFFER_SURFACE,
        .buffer_address = seed / 4 % 2 ? 0 : world_profile_address(),
        .buffer_holds_address = true,
        .buffer_address_offset = OWN_AT,
        .binding_table_index = WORLD_PROFILE_BTI,
        .maximum_threads = 168,
        .use_own_liveness = seed % 5 != 4,
    };
    enum sonde_status status = sonde_instrument_create(model, &options, &made, &error);
    if (status == SONDE_OK)
        status = instrument(made, seed, &out, tally, &error);
    if (status == SONDE_ERROR_UNSUPPORTED)
        tally->refused_procedures++;
    else if (status != SONDE_OK)
        complain(tally, item, seed, "emit", error.message);
    else if (check_code(item, seed, &out, tally) && item->runs) {
        check_run(world, item, seed, &out, tally);
        tally->runs++;
    }
    sonde_rewritten_clear(&out);
    sonde_instrument_destroy(made);
    sonde_kernel_destroy(model);
}

/* Kernels that do not run with made-up arguments are only rewritten. */
static void run_original(struct world *world, struct item *item)
{
    const struct sonde_kernel_info *info = &item->kernel->info;
    uint32_t skip = item->skip ? item->kernel->skip_per_thread_offset : 0;
    item->runs =
        world_set_kernel(world, item->file, item->size, item->index, item->kernel, item->skip) &&
        world_run(world, info->isa, info->isa_size, skip);
    if (!item->runs)
        return;
    memcpy(item->window, world->window, WORLD_WINDOW_BYTES);
    item->out_of_bounds = world->result.out_of_bounds;
    for (size_t i = 0; i < sonde_kernel_instruction_count(item->model); i++)
        item->executions[i] =
            world_executions(world, sonde_kernel_instruction(item->model, i)->offset - skip);
}

static void check_kernel(struct world *world, struct world *after, struct item *item,
                         uint64_t first, uint64_t seeds, struct tally *tally)
{
    struct sonde_error error = {.message = ""};
    tally->kernels++;
    if (sonde_kernel_create(&item->kernel->info, &item->model, &error) != SONDE_OK) {
        complain(tally, item, 0, "model", error.message);
        return;
    }
    size_t count = sonde_kernel_instruction_count(item->model);
    item->executions = calloc(count, sizeof *item->executions);
    item->window = malloc(WORLD_WINDOW_BYTES);
    if (sonde_kernel_refusal(item->model) != NULL || item->executions == NULL ||
        item->window == NULL) {
        tally->refused++;
        if (getenv("CORPUS_VERBOSE") != NULL)
            printf("%s: %s: %s\n", item->path, item->kernel->info.name,
                   sonde_kernel_refusal(item->model));
    } else {
        if (has_scoreboard(item))
            item->dependencies = open_dependencies(&item->kernel->info, item->kernel->info.isa,
                                                   item->kernel->info.isa_size);
        run_original(world, item);
        if (!item->runs) {
            tally->left_out++;
            if (getenv("CORPUS_VERBOSE") != NULL)
                printf("%s: %s does not run: %s %s\n", item->path, item->kernel->info.name,
                       world->result.fault.reason, world->result.fault.instruction);
        }
        for (uint64_t s = 0; s < seeds; s++)
            check_seed(after, item, first + s, tally);
    }
    free(item->executions);
    free(item->window);
    sonde_kernel_destroy(item->model);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size + 1);
    if (data != NULL && fread(data, 1, *size, file) != *size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

static bool check_file(const char *path, uint64_t first, uint64_t seeds, struct tally *tally)
{
    static struct world *worlds[SONDE_GEN_PLATFORM_COUNT][2];
    struct sonde_error error = {.message = ""};
    struct sonde_image *image = NULL;
    size_t size = 0;
    uint8_t *file = read_file(path, &size);
    if (file == NULL ||
        sonde_image_parse(file, size, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        free(file);
        return false;
    }
    for (unsigned k = 0; k < sonde_image_kernel_count(image); k++) {
        const struct sonde_image_kernel *kernel = sonde_image_kernel(image, k);
        struct world **world = worlds[kernel->info.platform];
        for (unsigned n = 0; n < 2; n++)
            if (world[n] == NULL)
                world[n] = world_create(kernel->info.platform, n == 0 ? MOST : MOST_AFTER, false);
        for (unsigned skip = 0; skip < 1 + (kernel->skip_per_thread_offset != 0); skip++) {
            struct item item = {.file = file,
                                .size = size,
                                .index = k,
                                .kernel = kernel,
                                .path = path,
                                .skip = skip != 0};
            const char *seed = getenv("CORPUS_SEED"), *name = getenv("CORPUS_KERNEL");
            if (name != NULL && strcmp(name, kernel->info.name) != 0)
                continue;
            check_kernel(world[0], world[1], &item,
                         seed != NULL ? strtoull(seed, NULL, 0) : first + 97 * (uint64_t)k + skip,
                         seeds, tally);
        }
    }
    sonde_image_close(image);
    free(file);
    return true;
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    if (argc < 3)
        return 2;
    char *end;
    uint64_t seeds = strtoull(argv[1], &end, 0), first = 1;
    if (*end == '@') /* from another one on */
        first = strtoull(end + 1, NULL, 0);
    bool read = true;
    for (int i = 2; i < argc; i++)
        read &= check_file(argv[i], first, seeds, &tally);
    printf("%u kernels, %u cannot be rewritten, %u only rewritten; %u instrumented runs, %llu "
           "procedures, %llu registers saved (%llu to the profile buffer), %u times a procedure "
           "had no place, %u times work-items raced; %u failed\n",
           tally.kernels, tally.refused, tally.left_out, tally.runs, tally.points, tally.spills,
           tally.buffer_spills, tally.refused_procedures, tally.racing, tally.failed);
    return !read || tally.failed != 0 || tally.runs == 0 || tally.racing * 20 > tally.runs;
}
