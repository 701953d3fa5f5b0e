/* c = a * b for n x n matrices, one 16 x 16 tile a work-group through local
 * memory. */
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matrix_multiply(global const float *a, global const float *b, global float *c, int n)
{
    local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int column = get_global_id(0), row = get_global_id(1);
    int x = get_local_id(0), y = get_local_id(1);
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        tile_a[y][x] = a[row * n + start + x];
        tile_b[y][x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum = mad(tile_a[y][k], tile_b[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
