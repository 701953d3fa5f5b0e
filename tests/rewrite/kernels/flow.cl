kernel void uniform_loop(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    if (get_local_id(0) == 0)
        atomic_inc(a + 4096);
    int s = 0;
    for (int j = 0; j < b[i]; j++) {
        if (j == n)
            break;
        if (b[j] & 1)
            continue;
        s += b[j] * j;
        if (s > 50)
            s /= 3;
        else
            s += 7;
    }
    a[i] = s;
}

kernel void early_return(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    if (b[i] > n)
        return;
    for (int k = 0; k < b[i]; k++) {
        if (b[k] == 5)
            return;
        a[i] += k;
    }
    a[i] += 5;
}

kernel void switches(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    switch (b[i]) {
    case 0:
        a[i] = n;
        break;
    case 1:
        a[i + 1024] = 3;
        /* falls through */
    case 2:
        a[i] *= 7;
        break;
    case 5:
        a[i] = b[i] / n;
        break;
    default:
        a[i]--;
    }
}

kernel void irregular(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    int s = 0;
    for (int j = 0; j < b[i]; j++) {
        s += b[j + i];
        if (s == n)
            break;
        if (b[i + j] & 1) {
            s *= 3;
            if (s > 9)
                continue;
            s -= 4;
            if (s < b[2 * i])
                break;
        }
        s ^= j;
    }
    a[i] = s;
}

kernel void nested(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    int s = b[i];
    if (s & 1) {
        if (s & 2) {
            s = b[s];
            if (s & 4)
                s *= b[s + 2];
            else
                s -= b[s + 3];
        }
    } else {
        if (s & 8)
            s = b[s + 9];
        while (s > 2) {
            for (int k = 0; k < (b[s] & 3); k++)
                s -= k;
            s -= n;
        }
    }
    a[i] = s;
}

/* Ends in several places. */
kernel void many_exits(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    if (get_group_id(0) == 1)
        return;
    a[i] = 1;
    if (n > 3 && get_group_id(0) == 2)
        return;
    for (int k = 0; k < n; k++)
        if (b[k] == i)
            a[i] += k;
}
