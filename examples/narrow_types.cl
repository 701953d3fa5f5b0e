/* Arithmetic on 8-, 16- and 64-bit integers and on half floats. Eight result
 * words a work-item. */
kernel void narrow_types(global const uchar *bytes, global const ushort *words,
                         global const ulong *longs, global uint *out)
{
    size_t i = get_global_id(0);
    char c = as_char(bytes[i]);
    uchar u = bytes[i];
    short s = as_short(words[i]);
    ushort w = words[i];
    ulong q = longs[i];
    long l = as_long(q);

    out[i * 8 + 0] = as_uint((int)(char)(c * 3 + 5)) ^ (uint)add_sat(u, (uchar)100);
    out[i * 8 + 1] = (uint)(ushort)(s >> 3) | (uint)(ushort)mul_hi(w, (ushort)0x1234) << 16;
    out[i * 8 + 2] = (uint)(ushort)sub_sat(s, (short)30000) + (uint)rotate(u, (uchar)3);
    ulong product = q * 0x9e3779b97f4a7c15ul + (ulong)w;
    out[i * 8 + 3] = (uint)product ^ (uint)(product >> 32);
    long shifted = l >> (w & 63);
    out[i * 8 + 4] = (uint)shifted ^ (uint)(shifted >> 32);
    out[i * 8 + 5] = (uint)(q / (ulong)(w | 1u)) + (uint)(q % (ulong)(w | 1u));
    out[i * 8 + 6] = (uint)popcount(q) + (uint)clz(l) * 256u + (uint)(l < 0) * 65536u;
    out[i * 8 + 7] = (uint)max(c, (char)-5) + (uint)min(w, (ushort)5000) * 7u;
}

kernel void half_floats(global const half *in, global half *out)
{
    size_t i = get_global_id(0);
    float x = vload_half(i, in);
    vstore_half_rte(x * 1.5f + 0.25f, i, out);
}
