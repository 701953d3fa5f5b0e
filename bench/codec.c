/* Rates of the Intel codec beside libiga64's, on the same kernels in one run.
 * usage: codec-bench BINARY...
 *
 * decode    bytes to structs, beside the library's view of a kernel
 *           (kv_create), which decodes and keeps all instructions
 * print     structs to text, beside kv_get_inst_syntax on that view
 * bytes to text    both steps, beside iga_context_disassemble
 * encode    structs to bytes, beside iga_context_assemble of the library's own
 *           text: it has no call that encodes without parsing */
#include "isa/codec_iga.h"
#include "sonde/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEASURE_SECONDS 1.0 /* least time that one pair of figures is measured for */

struct piece {
    const uint8_t *code;
    size_t size;
    struct sonde_gen_instruction *instructions;
    size_t count;
    char *text; /* libiga64's, NULL when it does not assemble again */
    struct kv kv;
};

struct corpus {
    enum sonde_gen_platform platform;
    struct iga *iga;
    struct piece *pieces;
    size_t piece_count, capacity;
    size_t instructions;
    size_t assembled; /* instructions in pieces whose text assembles */
};

enum measure { DECODE, PRINT, DISASSEMBLE, ENCODE, MEASURE_COUNT };

static const char *const names[MEASURE_COUNT] = {"decode", "print", "bytes to text", "encode"};

static volatile size_t sink;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void our_decode(const struct corpus *corpus, struct piece *piece)
{
    struct sonde_error error;
    sonde_gen_decode_all(corpus->platform, piece->code, piece->size, &piece->instructions,
                         &piece->count, &error);
}

static size_t our_print(const struct piece *piece)
{
    char text[1024];
    size_t length = 0;
    for (size_t n = 0; n < piece->count; n++)
        length += (size_t)sonde_gen_print(&piece->instructions[n], NULL, NULL, text, sizeof text);
    return length;
}

static void our_encode(const struct piece *piece)
{
    uint8_t bytes[16];
    struct sonde_error error;
    for (size_t n = 0; n < piece->count; n++) {
        const struct sonde_gen_instruction *i = &piece->instructions[n];
        enum sonde_status status =
            i->compacted ? sonde_gen_compact(i, bytes, &error) : sonde_gen_encode(i, bytes, &error);
        sink += status == SONDE_OK ? bytes[0] : 0;
    }
}

static void ours(const struct corpus *corpus, struct piece *piece, enum measure measure)
{
    struct piece fresh = *piece;
    if (measure == DECODE || measure == DISASSEMBLE)
        our_decode(corpus, &fresh);
    if (measure == PRINT || measure == DISASSEMBLE)
        sink += our_print(&fresh);
    if (measure == ENCODE)
        our_encode(piece);
    if (fresh.instructions != piece->instructions)
        free(fresh.instructions);
}

static void theirs(const struct corpus *corpus, struct piece *piece, enum measure measure)
{
    char text[1024];
    size_t size = 0;
    struct kv kv;
    switch (measure) {
    case DECODE:
        if (kv_open(corpus->iga, &kv, piece->code, piece->size))
            kv_close(corpus->iga, &kv);
        break;
    case PRINT:
        for (size_t n = 0; n < piece->count; n++)
            sink += iga_kv(corpus->iga)
                        ->syntax(piece->kv.view, (int32_t)piece->instructions[n].offset, text,
                                 sizeof text, 0, NULL, NULL);
        break;
    case DISASSEMBLE:
        sink += iga_disassemble_any(corpus->iga, piece->code, piece->size) != NULL;
        break;
    default:
        iga_assemble(corpus->iga, piece->text, 0, &size);
        sink += size;
        break;
    }
}

/* Processor seconds of one pass over the corpus. */
static double pass(struct corpus *corpus, enum measure measure, bool own)
{
    double start = now();
    for (size_t n = 0; n < corpus->piece_count; n++) {
        struct piece *piece = &corpus->pieces[n];
        if (measure == ENCODE && piece->text == NULL)
            continue;
        if (own)
            ours(corpus, piece, measure);
        else
            theirs(corpus, piece, measure);
    }
    return now() - start;
}

/* Million instructions a second of both, each the best of passes that take
 * turns, so that what else the machine does hits both alike. */
static void rates(struct corpus *corpus, enum measure measure, double *mine, double *other)
{
    double best_own = 1e9, best_other = 1e9, spent = 0;
    while (spent < MEASURE_SECONDS) {
        double time = pass(corpus, measure, false);
        best_other = time < best_other ? time : best_other;
        spent += time;
        for (int n = 0; n < 5; n++) {
            time = pass(corpus, measure, true);
            best_own = time < best_own ? time : best_own;
            spent += time;
        }
    }
    double count = (double)(measure == ENCODE ? corpus->assembled : corpus->instructions);
    *mine = count / best_own / 1e6;
    *other = count / best_other / 1e6;
}

static bool add_kernel(struct corpus *corpus, const struct sonde_kernel_info *info)
{
    if (corpus->piece_count == corpus->capacity) {
        corpus->capacity = corpus->capacity == 0 ? 64 : 2 * corpus->capacity;
        corpus->pieces = realloc(corpus->pieces, corpus->capacity * sizeof *corpus->pieces);
        if (corpus->pieces == NULL)
            return false;
    }
    struct piece *piece = &corpus->pieces[corpus->piece_count];
    *piece = (struct piece){.size = info->isa_size};
    uint8_t *code = malloc(info->isa_size);
    if (code == NULL)
        return false;
    memcpy(code, info->isa, info->isa_size);
    piece->code = code;
    our_decode(corpus, piece);
    if (piece->instructions == NULL || !kv_open(corpus->iga, &piece->kv, code, piece->size))
        return false;
    corpus->piece_count++;
    corpus->instructions += piece->count;
    const char *text = iga_disassemble(corpus->iga, code, piece->size);
    piece->text = text != NULL ? strdup(text) : NULL;
    size_t size = 0;
    if (piece->text != NULL && iga_assemble(corpus->iga, piece->text, 0, &size) == NULL) {
        free(piece->text);
        piece->text = NULL;
    }
    corpus->assembled += piece->text != NULL ? piece->count : 0;
    return true;
}

static bool add_file(struct corpus corpora[SONDE_GEN_PLATFORM_COUNT], const char *path)
{
    struct sonde_image *image;
    struct sonde_error error = {0};
    if (sonde_image_open(path, SONDE_GEN_PLATFORM_COUNT, &image, &error) != SONDE_OK) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    bool good = true;
    for (size_t n = 0; n < sonde_image_kernel_count(image) && good; n++) {
        const struct sonde_kernel_info *info = &sonde_image_kernel(image, n)->info;
        struct corpus *corpus = &corpora[info->platform];
        if (corpus->iga == NULL) {
            corpus->platform = info->platform;
            corpus->iga = iga_open_platform(info->platform);
        }
        good = corpus->iga != NULL && add_kernel(corpus, info);
    }
    sonde_image_close(image);
    return good;
}

static void report(struct corpus *corpus)
{
    printf("%-7s%10zu%9zu", sonde_gen_platform_name(corpus->platform), corpus->piece_count,
           corpus->instructions);
    for (int m = 0; m < MEASURE_COUNT; m++) {
        double mine, other;
        rates(corpus, (enum measure)m, &mine, &other);
        printf("%10.2f%10.3f%8.1f", mine, other, mine / other);
        fflush(stdout);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static struct corpus corpora[SONDE_GEN_PLATFORM_COUNT];
    bool good = argc > 1;
    for (int n = 1; n < argc && good; n++)
        good = add_file(corpora, argv[n]);
    if (!good)
        return 1;
    printf("million instructions a second of processor time; ratio = Sonde / libiga64\n");
    printf("%26s", "");
    for (int m = 0; m < MEASURE_COUNT; m++)
        printf("%28s", names[m]);
    printf("\n%-7s%10s%9s", "layout", "kernels", "instr.");
    for (int m = 0; m < MEASURE_COUNT; m++)
        printf("%10s%10s%8s", "Sonde", "libiga64", "ratio");
    printf("\n");
    for (size_t n = 0; n < SONDE_GEN_PLATFORM_COUNT; n++) {
        if (corpora[n].piece_count > 0)
            report(&corpora[n]);
    }
    return 0;
}
