/* The memory functions that compilers call by themselves. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size)
{
    char *t = to;
    const char *f = from;
    while (size-- > 0)
        *t++ = *f++;
    return to;
}

void *memset(void *to, int value, size_t size)
{
    char *t = to;
    while (size-- > 0)
        *t++ = (char)value;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    char *t = to;
    const char *f = from;
    if (t < f)
        return memcpy(to, from, size);
    while (size-- > 0)
        t[size] = f[size];
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    for (; size > 0; size--, x++, y++) {
        if (*x != *y)
            return *x < *y ? -1 : 1;
    }
    return 0;
}
