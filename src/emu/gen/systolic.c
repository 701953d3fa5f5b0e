/* Systolic operations: dpas multiplies a matrix of `repeat_count` rows (source
 * 2) by one of exec_size columns (source 1) and adds source 0; dpasw does so
 * with the rows of source 2 that two fused threads hold together.
 *
 * Facts: the description of both instructions in the MIT-licensed Intel
 * Graphics Compiler. It does not say how float sums are rounded: here the
 * products of one depth step are exact and each step rounds once, to nearest. */
#include <stdint.h>
#include <string.h>

#include "emu/gen/half.h"
#include "emu/gen/semantics.h"

#define ROWS    8u
#define COLUMNS 8u
#define DEPTH   8u

/* One systolic operation, taken apart. */
struct systolic {
    unsigned rows, steps; /* of source 2; products a channel and depth step */
    unsigned bits1, bits2;
    bool floats;
    uint8_t result_type, sum_type, type1, type2;
    const uint8_t *sum, *weights; /* sources 0 (or NULL) and 1 */
    uint8_t shared[ROWS * 2 * EMU_GRF_SIZE];
};

static unsigned bits_of(uint8_t type)
{
    switch (type) {
    case SONDE_GEN_TYPE_U2:
    case SONDE_GEN_TYPE_S2:
        return 2;
    case SONDE_GEN_TYPE_U4:
    case SONDE_GEN_TYPE_S4:
        return 4;
    case SONDE_GEN_TYPE_BF:
    case SONDE_GEN_TYPE_HF:
        return 16;
    default:
        return 8;
    }
}

static bool is_word_float(uint8_t type)
{
    return type == SONDE_GEN_TYPE_BF || type == SONDE_GEN_TYPE_HF;
}

static bool is_small_integer(uint8_t type)
{
    return type == SONDE_GEN_TYPE_UB || type == SONDE_GEN_TYPE_B ||
           (type >= SONDE_GEN_TYPE_U4 && type <= SONDE_GEN_TYPE_S2);
}

static bool is_sum_type(uint8_t type, const struct systolic *systolic)
{
    if (systolic->floats)
        return type == SONDE_GEN_TYPE_F || type == systolic->type1;
    return type == SONDE_GEN_TYPE_D || type == SONDE_GEN_TYPE_UD;
}

static float from_brain(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint16_t to_brain(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float float_element(const uint8_t *data, unsigned index, uint8_t type)
{
    uint16_t word;
    float value;
    if (type == SONDE_GEN_TYPE_F) {
        memcpy(&value, data + 4 * (size_t)index, sizeof(value));
        return value;
    }
    memcpy(&word, data + 2 * (size_t)index, sizeof(word));
    return type == SONDE_GEN_TYPE_BF ? from_brain(word) : emu_half_to_float(word);
}

/* Elements of fewer than eight bits stand in a byte from its low bits on. */
static int32_t integer_element(const uint8_t *data, unsigned index, uint8_t type)
{
    unsigned bits = bits_of(type), at = index * bits;
    uint32_t value = (uint32_t)data[at / 8] >> at % 8 & ((1u << bits) - 1);
    bool negative =
        (type == SONDE_GEN_TYPE_B || type == SONDE_GEN_TYPE_S4 || type == SONDE_GEN_TYPE_S2) &&
        value >> (bits - 1);
    return (int32_t)value - (negative ? (int32_t)(1u << bits) : 0);
}

/* Where the first of the elements stands that a channel takes in a depth step:
 * channels have a dword each, and go on in the next register when it is used up. */
static unsigned weight_element(const struct systolic *systolic, unsigned channel, unsigned depth)
{
    unsigned a_dword = 32 / systolic->bits1, steps_a_dword = a_dword / systolic->steps;
    return (depth / steps_a_dword * COLUMNS + channel) * a_dword +
           depth % steps_a_dword * systolic->steps;
}

static uint32_t integer_result(const struct systolic *systolic, unsigned row, unsigned channel,
                               bool saturate)
{
    int64_t sum = 0;
    if (systolic->sum) {
        uint32_t word;
        memcpy(&word, systolic->sum + 4 * (size_t)(row * COLUMNS + channel), sizeof(word));
        sum = systolic->sum_type == SONDE_GEN_TYPE_D ? (int32_t)word : (int64_t)word;
    }
    for (unsigned depth = 0; depth < DEPTH; depth++) {
        unsigned weight = weight_element(systolic, channel, depth);
        unsigned shared = (row * DEPTH + depth) * systolic->steps;
        for (unsigned i = 0; i < systolic->steps; i++)
            sum += integer_element(systolic->weights, weight + i, systolic->type1) *
                   integer_element(systolic->shared, shared + i, systolic->type2);
    }
    bool is_signed = systolic->result_type == SONDE_GEN_TYPE_D;
    int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
    if (saturate)
        sum = sum < low ? low : sum > high ? high : sum;
    return (uint32_t)sum;
}

static uint32_t float_result(const struct systolic *systolic, unsigned row, unsigned channel)
{
    float sum = systolic->sum
                    ? float_element(systolic->sum, row * COLUMNS + channel, systolic->sum_type)
                    : 0.0f;
    for (unsigned depth = 0; depth < DEPTH; depth++) {
        unsigned weight = weight_element(systolic, channel, depth);
        unsigned shared = (row * DEPTH + depth) * systolic->steps;
        double step = 0;
        for (unsigned i = 0; i < systolic->steps; i++)
            step += (double)float_element(systolic->weights, weight + i, systolic->type1) *
                    (double)float_element(systolic->shared, shared + i, systolic->type2);
        sum = (float)((double)sum + step);
    }
    uint32_t bits;
    memcpy(&bits, &sum, sizeof(bits));
    if (systolic->result_type == SONDE_GEN_TYPE_BF)
        return to_brain(sum);
    return systolic->result_type == SONDE_GEN_TYPE_HF ? emu_float_to_half(sum, 0) : bits;
}

/* The matrix of an operand, or NULL when it leaves the register file. */
static uint8_t *matrix(struct emu_thread *thread, const struct sonde_gen_operand *operand,
                       uint32_t bytes)
{
    uint32_t start = operand->number * EMU_GRF_SIZE + operand->subreg;
    if (operand->file != SONDE_GEN_FILE_GRF || start + bytes > thread->register_bytes)
        return NULL;
    return thread->grf + start;
}

/* Bytes of source 2, all rows. */
static uint32_t shared_bytes(const struct systolic *systolic)
{
    return systolic->rows * DEPTH * systolic->steps * systolic->bits2 / 8;
}

static uint32_t row_bytes(uint8_t type)
{
    return COLUMNS * sonde_gen_type_size((enum sonde_gen_type)type);
}

/* Everything but source 2. Returns why the operation is not one, or NULL. */
static const char *take_apart(struct emu_thread *thread, const struct sonde_gen_instruction *i,
                              struct systolic *systolic)
{
    const struct sonde_gen_operand *sum = &i->src[0];
    systolic->type1 = i->src[1].type;
    systolic->type2 = i->src[2].type;
    systolic->result_type = i->dst.type;
    systolic->sum_type = sum->type;
    systolic->rows = i->repeat_count;
    systolic->bits1 = bits_of(systolic->type1);
    systolic->bits2 = bits_of(systolic->type2);
    systolic->floats = is_word_float(systolic->type1) && systolic->type1 == systolic->type2;
    if (!systolic->floats &&
        (!is_small_integer(systolic->type1) || !is_small_integer(systolic->type2)))
        return "systolic operation of types that do not go together";
    bool empty = emu_operand_is_null(sum);
    if (!is_sum_type(i->dst.type, systolic) || (!empty && !is_sum_type(sum->type, systolic)))
        return "systolic operation with a sum of another type";
    if (i->exec_size != COLUMNS || i->systolic_depth != DEPTH || systolic->rows < 1 ||
        systolic->rows > ROWS)
        return "systolic operation of another size than 8 channels and 8 steps";
    systolic->steps = systolic->floats ? 2 : systolic->bits1 == 8 || systolic->bits2 == 8 ? 4 : 8;
    systolic->sum = empty ? NULL : matrix(thread, sum, systolic->rows * row_bytes(sum->type));
    systolic->weights =
        matrix(thread, &i->src[1], DEPTH * COLUMNS * systolic->steps * systolic->bits1 / 8);
    if (!systolic->weights || (!empty && !systolic->sum) ||
        !matrix(thread, &i->dst, systolic->rows * row_bytes(i->dst.type)))
        return "matrix of a systolic operation runs out of the register file";
    return NULL;
}

static void compute(struct emu_thread *thread, const struct sonde_gen_instruction *instruction,
                    const struct systolic *systolic, uint32_t mask)
{
    uint32_t size = sonde_gen_type_size((enum sonde_gen_type)systolic->result_type);
    uint8_t *target =
        matrix(thread, &instruction->dst, systolic->rows * row_bytes(systolic->result_type));
    uint32_t results[ROWS][COLUMNS];
    for (unsigned row = 0; row < systolic->rows; row++)
        for (unsigned channel = 0; channel < COLUMNS; channel++)
            results[row][channel] =
                systolic->floats ? float_result(systolic, row, channel)
                                 : integer_result(systolic, row, channel, instruction->saturate);
    for (unsigned row = 0; row < systolic->rows; row++)
        for (unsigned channel = 0; channel < COLUMNS; channel++)
            if (mask >> channel & 1)
                memcpy(target + (size_t)(row * COLUMNS + channel) * size, &results[row][channel],
                       size);
}

void emu_run_dpas(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    struct systolic systolic;
    const char *reason = take_apart(thread, instruction, &systolic);
    const uint8_t *shared =
        reason ? NULL : matrix(thread, &instruction->src[2], shared_bytes(&systolic));
    if (!shared) {
        emu_thread_fault(thread, operation, mask, "%s",
                         reason ? reason
                                : "matrix of a systolic operation runs out of the register file");
        return;
    }
    memcpy(systolic.shared, shared, shared_bytes(&systolic));
    compute(thread, instruction, &systolic, mask);
}

/* The thread hands its rows over, and the other one may go on. */
static bool offer(struct emu_thread *thread, const struct sonde_gen_instruction *instruction,
                  uint32_t registers)
{
    const uint8_t *rows = matrix(thread, &instruction->src[2], registers * EMU_GRF_SIZE);
    if (!rows)
        return false;
    memcpy(thread->fused_rows[thread->fused_count++ & 1], rows, (size_t)registers * EMU_GRF_SIZE);
    thread->fused_offered = true;
    return true;
}

/* Threads 2n and 2n + 1 of a group are fused: the registers of source 2 are
 * the first half of them from the even thread, the others from the odd one.
 * The first to come here waits for the other. */
void emu_run_dpasw(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    const struct emu_group *group = thread->group;
    uint32_t other = thread->index ^ 1u;
    struct emu_thread *partner = other < group->thread_count ? &group->threads[other] : NULL;
    struct systolic systolic;
    const char *reason = take_apart(thread, instruction, &systolic);
    uint32_t offers = thread->fused_count + !thread->fused_offered;
    if (!reason && (!partner || (partner->finished && partner->fused_count < offers)))
        reason = "systolic operation of fused threads without a second thread";
    uint32_t all = reason ? 0 : (shared_bytes(&systolic) + EMU_GRF_SIZE - 1) / EMU_GRF_SIZE;
    uint32_t first = (all + 1) / 2, own = other & 1 ? first : all - first;
    if (!reason && !thread->fused_offered && !offer(thread, instruction, own))
        reason = "matrix of a systolic operation runs out of the register file";
    if (reason) {
        emu_thread_fault(thread, operation, mask, "%s", reason);
        return;
    }
    if (partner->fused_waits) {
        partner->fused_waits = false;
        partner->blocked = false;
    }
    if (partner->fused_count < thread->fused_count) {
        thread->fused_waits = true;
        thread->blocked = true;
        thread->stopped = true;
        thread->next = operation;
        return;
    }
    thread->fused_offered = false;
    unsigned slot = (thread->fused_count - 1) & 1;
    const struct emu_thread *even = thread->index & 1 ? partner : thread;
    const struct emu_thread *odd = thread->index & 1 ? thread : partner;
    memcpy(systolic.shared, even->fused_rows[slot], (size_t)first * EMU_GRF_SIZE);
    memcpy(systolic.shared + (size_t)first * EMU_GRF_SIZE, odd->fused_rows[slot],
           (size_t)(all - first) * EMU_GRF_SIZE);
    compute(thread, instruction, &systolic, mask);
}
