/* cl_intel_subgroup_matrix_multiply_accumulate through the driver: results of
 * the systolic operations, fused ones too, against a model on the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_server.h"
#include "driver_systolic.cl.h"
#include "example.h"
#include "systolic_model.h"

enum { SUBGROUPS = 8, LANES = 8, ITEMS = SUBGROUPS * LANES, ROW_MAX = 8 };

static uint32_t seed = 5;

/* The name of a kernel: [split_]A_B_ROWS. */
struct product {
    const struct model_type *a, *b;
    unsigned rows, lane_a, lane_b; /* bytes a work-item */
    bool split;
};

static struct product parse(const char *name)
{
    char a[8], b[8];
    struct product product = {.split = strncmp(name, "split_", 6) == 0};
    if (sscanf(name + (product.split ? 6 : 0), "%7[^_]_%7[^_]_%u", a, b, &product.rows) != 3)
        abort();
    product.a = model_type(a);
    product.b = model_type(b);
    unsigned columns = model_columns(product.a, product.b);
    product.lane_a = columns * product.a->bits / 8 / LANES * product.rows / (product.split ? 2 : 1);
    product.lane_b = columns * product.b->bits / 8;
    return product;
}

static void fill(const struct model_type *type, uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i += 2) {
        uint32_t random = example_random(&seed) >> 5;
        uint16_t word = (uint16_t)random;
        if (type->is_float) {
            word = (uint16_t)((random & 1) << 15 | (random >> 1 & 3) << (type->brain ? 5 : 8));
            word = (uint16_t)(word + ((type->brain ? 126 : 14) + (random >> 3 & 1)) *
                                         (type->brain ? 128 : 1024));
        }
        memcpy(data + i, &word, 2);
    }
}

/* Rows of A as one piece: row r is what the work-items hold in part r of their
 * vectors; of a split product the second half stands in the next sub-group. */
static void gather_rows(const struct product *p, const uint8_t *a, unsigned subgroup, uint8_t *rows)
{
    unsigned held = p->split ? p->rows / 2 : p->rows;
    unsigned part = p->lane_a / held, row_bytes = part * LANES;
    for (unsigned row = 0; row < p->rows; row++) {
        unsigned from = p->split ? (subgroup & ~1u) + row / held : subgroup;
        for (unsigned lane = 0; lane < LANES; lane++)
            memcpy(rows + (size_t)row * row_bytes + (size_t)lane * part,
                   a + (size_t)(from * LANES + lane) * p->lane_a + (size_t)(row % held) * part,
                   part);
    }
}

/* Columns of B as registers of one dword a channel. */
static void gather_columns(const struct product *p, const uint8_t *b, unsigned subgroup,
                           uint8_t *columns)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned dword = 0; dword < p->lane_b / 4; dword++)
            memcpy(columns + (size_t)(dword * LANES + lane) * 4,
                   b + (size_t)(subgroup * LANES + lane) * p->lane_b + 4 * (size_t)dword, 4);
}

static int run(struct example *example, const char *name)
{
    static uint8_t a[ITEMS * 64], b[ITEMS * 64], rows[ROW_MAX * 64], columns[1024];
    static uint32_t sum[ITEMS * ROW_MAX], got[ITEMS * ROW_MAX], want[ITEMS * ROW_MAX];
    const struct product p = parse(name);
    size_t global = ITEMS, local = 32, bytes = (size_t)ITEMS * p.rows * 4;
    cl_kernel kernel = example_kernel(example, name);
    fill(p.a, a, sizeof a);
    fill(p.b, b, sizeof b);
    for (unsigned i = 0; i < ITEMS * p.rows; i++) {
        float real = (float)(int)(example_random(&seed) >> 24) * 0.5f;
        sum[i] = example_random(&seed);
        if (p.a->is_float)
            memcpy(&sum[i], &real, 4);
    }
    cl_mem buffer_a = example_buffer(example, (size_t)ITEMS * p.lane_a, a);
    cl_mem buffer_b = example_buffer(example, (size_t)ITEMS * p.lane_b, b);
    cl_mem result = example_buffer(example, bytes, sum);
    EXAMPLE_ARGUMENT(kernel, 0, buffer_a);
    EXAMPLE_ARGUMENT(kernel, 1, buffer_b);
    EXAMPLE_ARGUMENT(kernel, 2, result);
    example_run(example, kernel, 1, &global, &local);
    example_read(example, result, bytes, got);
    for (unsigned subgroup = 0; subgroup < SUBGROUPS; subgroup++) {
        gather_rows(&p, a, subgroup, rows);
        gather_columns(&p, b, subgroup, columns);
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned row = 0; row < p.rows; row++) {
                unsigned at = (subgroup * LANES + lane) * p.rows + row;
                double product = model_product(rows, p.a, columns, p.b, row, lane);
                float real;
                memcpy(&real, &sum[at], 4);
                real += (float)product;
                want[at] = sum[at] + (uint32_t)(int64_t)product;
                if (p.a->is_float)
                    memcpy(&want[at], &real, 4);
            }
    }
    clReleaseMemObject(buffer_a);
    clReleaseMemObject(buffer_b);
    clReleaseMemObject(result);
    return example_check_words(name, got, want, ITEMS * p.rows);
}

int main(void)
{
    static const char *const names[] = {
        "b_b_8",         "b_b_4",        "b_b_2",         "b_b_1",         "ub_b_8",
        "b_u4_8",        "u4_b_8",       "b_s2_8",        "u2_ub_8",       "s4_s4_8",
        "u4_s2_4",       "s2_s4_8",      "s2_s2_2",       "hf_hf_8",       "hf_hf_2",
        "bf_bf_8",       "split_b_b_8",  "split_ub_s4_4", "split_u4_s2_8", "split_s2_s4_8",
        "split_hf_hf_8", "split_bf_bf_2"};
    struct example example;
    int failures = 0;

    driver_server_start();
    example_open(&example, driver_systolic_source, "-cl-std=CL2.0");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        failures += run(&example, names[i]);
    return driver_server_finish(failures, 0);
}
