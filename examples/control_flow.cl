/* Nested loops, switch with fall-through, early return, break and continue:
 * a tiny stack machine whose program differs from work-item to work-item. */
kernel void control_flow(global const uchar *programs, int length, global uint *results)
{
    size_t item = get_global_id(0);
    global const uchar *program = programs + item * length;
    uint accumulator = (uint)item, counter = 0;
    for (int pc = 0; pc < length; pc++) {
        uint operation = program[pc];
        switch (operation & 7) {
        case 0:
            accumulator += operation;
            break;
        case 1:
            accumulator ^= 0xa5a5a5a5u;
            /* falls through */
        case 2:
            accumulator = rotate(accumulator, operation >> 3);
            break;
        case 3:
            for (uint i = 0; i < operation >> 4; i++) {
                if (i == (accumulator & 7))
                    continue;
                if ((accumulator & 0x30) == 0x30)
                    break;
                accumulator += i * i + counter;
            }
            break;
        case 4:
            if (accumulator & 1) {
                if (accumulator & 2)
                    accumulator >>= 1;
                else
                    accumulator = accumulator * 3 + 1;
            } else {
                accumulator /= 3;
            }
            break;
        case 5:
            if (operation == 0xfd) {
                results[item] = accumulator;
                return;
            }
            counter++;
            break;
        case 6:
            do {
                accumulator = accumulator * 1103515245u + 12345u;
            } while ((accumulator >> 28) < (operation >> 5));
            break;
        default:
            accumulator -= counter;
        }
    }
    results[item] = accumulator + counter;
}
