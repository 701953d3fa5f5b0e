/* Quicksort and heapsort of the same numbers must agree. */
#include "program.h"

enum { COUNT = 40 };
static int16_t first[COUNT], second[COUNT];

static NOINLINE void quicksort(int16_t *a, int16_t low, int16_t high)
{
    while (low < high) {
        int16_t pivot = a[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int16_t t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        quicksort(a, low, j);
        low = i;
    }
}

static NOINLINE void sift(int16_t *a, int16_t root, int16_t end)
{
    for (;;) {
        int16_t child = (int16_t)(2 * root + 1);
        if (child >= end)
            return;
        if (child + 1 < end && a[child] < a[child + 1])
            child++;
        if (a[root] >= a[child])
            return;
        int16_t t = a[root];
        a[root] = a[child];
        a[child] = t;
        root = child;
    }
}

static NOINLINE void heapsort(int16_t *a, int16_t n)
{
    for (int16_t i = (int16_t)(n / 2 - 1); i >= 0; i--)
        sift(a, i, n);
    for (int16_t i = (int16_t)(n - 1); i > 0; i--) {
        int16_t t = a[0];
        a[0] = a[i];
        a[i] = t;
        sift(a, 0, i);
    }
}

uint16_t run(void)
{
    uint16_t seed = 7, result = 0;
    for (int16_t i = 0; i < COUNT; i++) {
        seed = (uint16_t)(seed * 25173u + 13849u);
        first[i] = second[i] = (int16_t)seed;
    }
    quicksort(first, 0, COUNT - 1);
    heapsort(second, COUNT);
    for (int16_t i = 0; i < COUNT; i++) {
        if (first[i] != second[i] || (i > 0 && first[i - 1] > first[i]))
            return 0xdead;
        result = (uint16_t)(result * 31 + (uint16_t)first[i]);
    }
    return result;
}
