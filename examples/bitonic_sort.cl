/* One compare-exchange step of a bitonic network. */
kernel void bitonic_step(global uint *keys, uint distance, uint block)
{
    uint i = get_global_id(0);
    uint left = (i / distance) * 2 * distance + i % distance;
    uint right = left + distance;
    bool ascending = (left & block) == 0;
    uint a = keys[left], b = keys[right];
    if ((a > b) == ascending) {
        keys[left] = b;
        keys[right] = a;
    }
}
