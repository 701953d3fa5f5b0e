typedef union { float f; uint u; uchar b[4]; short2 s; } view;
typedef struct __attribute__((packed)) { char c; int i; short s; long l; } packed;
typedef struct { int4 v; char c[3]; struct { short s; float f; } n[2]; } nested;
__kernel void unions(__global view *a) { size_t i = get_global_id(0); view v = a[i]; v.b[2] ^= 0x5a; v.s.x += 3; v.u = v.u << 1 | v.u >> 31; a[i + 1].f = v.f * 0.5f; }
__kernel void packed_records(__global packed *a) { size_t i = get_global_id(0); a[i].i += a[i].c; a[i].l = a[i].i * (long)a[i].s; a[i].s--; }
__kernel void nested_records(__global nested *a, nested b) { size_t i = get_global_id(0); a[i].v += b.v; a[i].c[1] = b.c[2]; a[i].n[1].f = b.n[0].f * b.n[1].s; }
__kernel void casts(__global float4 *a, __global uchar16 *b, __global long2 *c) { size_t i = get_global_id(0); b[i] = as_uchar16(a[i]) + as_uchar16(c[i]); c[i] = as_long2(b[i].s0123456789abcdef); }
__global int counter = 3;
__global float table[16] = {1.0f, 2.0f, 3.0f};
__kernel void program_scope(__global float *a) { size_t i = get_global_id(0); table[i & 15] += a[i]; counter += 1; a[i] = table[(i + counter) & 15]; }
