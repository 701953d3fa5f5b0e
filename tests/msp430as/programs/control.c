/* Calls, recursion, loops, function pointers and early returns. */
int total;
int values[10];

static int leaf(int x)
{
    return (x + total) | 1;
}

int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int sum(int n)
{
    int result = 0;
    for (int i = 0; i < n; i++) {
        if (values[i] < 0)
            return -1;
        result += values[i] * n;
    }
    return result;
}

int (*const operations[])(int) = {fibonacci, sum};

int apply(int which, int n)
{
    if (n > 100)
        return leaf(n);
    return operations[which & 1](n);
}

long wide(long a, long b)
{
    while (a > b) {
        a -= b >> 1;
        if ((a & 3) == 0)
            return a;
    }
    return a * 3 + b;
}

char *copy(char *to, const char *from)
{
    char *start = to;
    while ((*to++ = *from++) != 0)
        ;
    return start;
}
